//! Markdown that others wrote, made harmless: as HTML for the page, or as Markdown for a document.

use maud::PreEscaped;
use naite_core::text::nfc;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// Renders Markdown as HTML without raw HTML, links and pictures: those stand there as text.
pub(super) fn render(text: &str) -> PreEscaped<String> {
    let text = nfc(text);
    let mut target: Vec<Option<CowStr<'_>>> = Vec::new();
    let events = Parser::new_ext(&text, options()).filter_map(move |event| match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Some(Event::Text(raw)),
        Event::SoftBreak => Some(Event::HardBreak),
        Event::Start(Tag::HtmlBlock) => Some(Event::Start(Tag::Paragraph)),
        Event::End(TagEnd::HtmlBlock) => Some(Event::End(TagEnd::Paragraph)),
        Event::Start(Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. }) => {
            target.push(None);
            None
        }
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            target.push(Some(dest_url));
            None
        }
        Event::End(TagEnd::Link | TagEnd::Image) => {
            target.pop().flatten().map(|url| Event::Text(format!(" ({url})").into()))
        }
        // The name of a language would become a class; a page needs none.
        Event::Start(Tag::CodeBlock(_)) => Some(Event::Start(Tag::CodeBlock(CodeBlockKind::Indented))),
        event => Some(event),
    });
    let mut out = String::with_capacity(text.len() * 5 / 4);
    html::push_html(&mut out, events);
    PreEscaped(out)
}

/// Makes Markdown fit to stand inside another document: raw HTML is shown and not obeyed, pictures become links,
/// headings go down two levels, and a fence that was left open is closed.
pub(super) fn tame(text: &str) -> String {
    let mut inserts: Vec<(usize, &str)> = Vec::new();
    let mut open = None;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Html(raw) | Event::InlineHtml(raw) => {
                inserts.extend(raw.match_indices('<').map(|(at, _)| (range.start + at, "\\")));
            }
            Event::Start(Tag::Image { .. }) => inserts.push((range.start, "\\")),
            Event::Start(Tag::Heading { .. }) if text[range.clone()].starts_with('#') => {
                inserts.push((range.start, "##"));
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => open = fence_left_open(&text[range]),
            _ => {}
        }
    }
    let mut out = String::with_capacity(text.len() + inserts.len() + 8);
    let mut kept = 0;
    inserts.sort_unstable_by_key(|(at, _)| *at);
    for (at, what) in inserts {
        out.push_str(&text[kept..at]);
        out.push_str(what);
        kept = at;
    }
    out.push_str(text[kept..].trim_end());
    if let Some(fence) = open {
        out.push('\n');
        out.push_str(fence);
    }
    out
}

/// The fence that is missing at the end of a code block.
fn fence_left_open(block: &str) -> Option<&str> {
    let mark = block.chars().next()?;
    let fence = &block[..block.len() - block.trim_start_matches(mark).len()];
    let last = block.trim_end().lines().skip(1).last().unwrap_or_default().trim();
    (!last.starts_with(fence) || last.chars().any(|c| c != mark)).then_some(fence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_others_wrote_becomes_markup() {
        for text in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "<div>\n<script>alert(1)</script>\n</div>",
            "[x](javascript:alert(1)) <javascript:alert(1)>",
            "![x](https://example.com/x.png)",
            "```\"><script>\nx\n```",
            "| a |\n|---|\n| <b onclick=x> |",
            "</script><img onerror=x>",
        ] {
            let html = render(text).into_string();
            for tag in html.split('<').skip(1) {
                let name: String = tag.chars().take_while(|c| !" >".contains(*c)).collect();
                let known = [
                    "p", "/p", "br", "pre", "/pre", "table", "/table", "thead", "/thead", "tbody", "/tbody",
                    "tr", "/tr", "th", "/th", "td", "/td", "code", "/code",
                ];
                assert!(known.contains(&name.trim_end_matches('/')), "{text}: {html}");
            }
        }
    }

    #[test]
    fn markdown_stays_what_it_was_inside_a_document() {
        for (text, tamed) in [
            ("**a** `<b>` <b>x</b>", "**a** `<b>` \\<b>x\\</b>"),
            ("# A\n\n```\n# no\n```", "### A\n\n```\n# no\n```"),
            ("```sh\nls", "```sh\nls\n```"),
            ("~~~~\n~~~\n", "~~~~\n~~~\n~~~~"),
            ("![a](http://x/y.png)", "\\![a](http://x/y.png)"),
            ("<script>\nalert(1)\n</script>", "\\<script>\nalert(1)\n\\</script>"),
            ("한글 **굵게**", "한글 **굵게**"),
        ] {
            assert_eq!(tame(text), tamed);
        }
    }
}
