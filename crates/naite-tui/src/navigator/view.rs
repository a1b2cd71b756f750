//! The navigator drawn into a buffer.

use i18n_embed_fl::fl;
use naite_core::outline::{Connector, Emptiness, gutter};
use naite_core::text::{Needles, clip_left, one_line, width};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::page::{Content, HelpLine, Page};
use super::update::{OFFERS, SUMMARIES};
use super::{Detail, Look, Mode, Navigator, Notice, PREVIEW_FROM, WhyNot};
use crate::draw::{Pen, wrap};
use crate::editor::Editor;
use crate::keymap::Action;
use crate::words::Words;

/// Columns of the mark before the selected row.
const MARK: usize = 2;
/// What turns while a summary is made.
const TURNING: [&str; 4] = ["|", "/", "-", "\\"];

/// Rows of the list in a terminal of so many rows (`tree-navigator.md`, Rows).
pub fn visible_rows(height: u16) -> usize {
    let height = usize::from(height);
    (height / 2).max(5).min(height.saturating_sub(8).max(1))
}

/// Where everything is.
struct Parts {
    title: Rect,
    search: Rect,
    list: Rect,
    status: Rect,
    preview: Rect,
    footer: Rect,
}

impl Parts {
    fn new(area: Rect) -> Self {
        let mut left = area;
        let mut take = |rows: u16, keep: u16| {
            let height = rows.min(left.height.saturating_sub(keep));
            let part = Rect { height, ..left };
            (left.y, left.height) = (left.y + height, left.height - height);
            part
        };
        let rows = visible_rows(area.height) as u16;
        let title = take(1, rows + 3);
        let search = take(1, rows + 1);
        // A line of air where there is room.
        take(1, rows + 4);
        let list = take(rows, 0);
        let status = take(1, 0);
        take(1, 3);
        let has_preview = has_preview((area.width, area.height));
        let rest = left;
        let (preview, footer) = if has_preview {
            let preview = Rect { height: rest.height.saturating_sub(1), ..rest };
            (preview, Rect { y: preview.bottom(), height: rest.height.min(1), ..rest })
        } else {
            (Rect { height: 0, ..rest }, Rect { height: rest.height.min(1), ..rest })
        };
        Self { title, search, list, status, preview, footer }
    }
}

/// Says whether a window of this size has a preview.
pub(super) fn has_preview(size: (u16, u16)) -> bool {
    size.0 >= PREVIEW_FROM && usize::from(size.1) >= visible_rows(size.1) + 8
}

/// Lines of text in the preview, below its line of facts.
pub(super) fn preview_lines(size: (u16, u16)) -> usize {
    let parts = Parts::new(Rect::new(0, 0, size.0, size.1));
    usize::from(parts.preview.height.saturating_sub(1))
}

/// Lines of a page between its title and its hints.
pub(super) fn page_lines(size: (u16, u16)) -> usize {
    usize::from(size.1.saturating_sub(2).max(1))
}

/// What is at a place of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hit {
    Row(usize),
    Connector(usize),
    Preview,
    Nothing,
}

/// Finds what the mouse points at.
pub(super) fn hit(navigator: &Navigator, column: u16, row: u16) -> Hit {
    let (width, height) = navigator.size;
    let parts = Parts::new(Rect::new(0, 0, width, height));
    let inside = |part: Rect| row >= part.y && row < part.bottom();
    if inside(parts.preview) {
        return Hit::Preview;
    }
    if !inside(parts.list) {
        return Hit::Nothing;
    }
    let window = navigator.list.window(parts.list.height.into());
    let place = window.start + usize::from(row - parts.list.y);
    let Some(outlined) = navigator.list.outline_row(place).filter(|_| place < window.end) else {
        return Hit::Nothing;
    };
    let room = usize::from(width).saturating_sub(MARK);
    let columns = gutter(navigator.list.outline(), outlined, Some(room)).columns;
    let at_root = navigator.list.outline().rows()[outlined].connector == Connector::None;
    // A root has no connector: its mark stands for it.
    let start = if at_root { 0 } else { (MARK + columns).saturating_sub(3) };
    let end = if at_root { MARK } else { MARK + columns };
    if (start..end).contains(&usize::from(column)) && navigator.list.outline().can_fold(outlined) {
        return Hit::Connector(place);
    }
    Hit::Row(place)
}

/// Draws the navigator and says where the cursor is.
pub fn view(navigator: &Navigator, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return None;
    }
    if let Mode::Page(page) = &navigator.mode {
        draw_page(navigator, page, area, buffer);
        return None;
    }
    let parts = Parts::new(area);
    draw_title(navigator, parts.title, buffer);
    let mut cursor = draw_search(navigator, parts.search, buffer);
    match &navigator.mode {
        Mode::List => draw_list(navigator, parts.list, buffer, None),
        Mode::Label { editor, .. } => {
            cursor = None;
            draw_list(navigator, parts.list, buffer, Some((editor, &mut cursor)));
        }
        _ => {
            // What is asked needs more room than a small list has: it takes everything above the hints.
            let (top, bottom) = (parts.search.y, parts.status.bottom());
            let area = Rect { y: top, height: bottom - top, ..parts.list };
            clear(area, buffer);
            cursor = draw_dialog(navigator, area, buffer);
        }
    }
    if matches!(navigator.mode, Mode::List | Mode::Label { .. }) {
        draw_status(navigator, parts.status, buffer);
    }
    if has_preview((area.width, area.height)) {
        draw_preview(navigator, parts.preview, buffer);
    }
    draw_footer(navigator, parts.footer, buffer);
    cursor
}

/// Kept for callers that only want the cursor: draws into a buffer of its own.
pub fn cursor(navigator: &Navigator) -> Option<(u16, u16)> {
    let area = Rect::new(0, 0, navigator.size.0, navigator.size.1);
    view(navigator, area, &mut Buffer::empty(area))
}

fn clear(area: Rect, buffer: &mut Buffer) {
    for row in area.y..area.bottom() {
        for column in area.x..area.right() {
            buffer[(column, row)].reset();
        }
    }
}

fn draw_title(navigator: &Navigator, area: Rect, buffer: &mut Buffer) {
    let Some(mut pen) = Pen::new(buffer, area, 0) else { return };
    let (settings, loader) = (&navigator.settings, navigator.settings.words.loader());
    let filter = fl!(loader, "filter", name = navigator.list.filter().name());
    // In a narrow window the name of the session is worth more than the filter.
    let room = Some(width(&filter) + 2).filter(|room| pen.room() > room + 14);
    pen.reserve(room.unwrap_or(0));
    pen.write_cut(&fl!(loader, "title-navigator"), settings.theme.title);
    let title = one_line(&settings.title);
    let title = if title.trim().is_empty() { fl!(loader, "no-name") } else { title.into_owned() };
    pen.write_cut("  ", settings.theme.hint);
    pen.write_cut(&title, settings.theme.assistant);
    if let Some(room) = room {
        pen.release(room);
        pen.leave(room - 2);
        pen.write(&filter, settings.theme.hint);
    }
}

fn draw_search(navigator: &Navigator, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let mut pen = Pen::new(buffer, area, 0)?;
    let (theme, loader) = (&navigator.settings.theme, navigator.settings.words.loader());
    if navigator.query.is_empty() {
        let cursor = pen.place();
        pen.write_cut(&fl!(loader, "search-hint"), theme.hint);
        return Some(cursor);
    }
    let label = fl!(loader, "search-label") + " ";
    if pen.room() > width(&label) + 8 {
        pen.write(&label, theme.hint);
    }
    let query = Editor::new(&navigator.query);
    let (shown, column) = query.shown(pen.room());
    let (x, y) = pen.place();
    pen.write(shown, theme.assistant);
    Some((x + column as u16, y))
}

/// The line editor of a label, and where its cursor goes.
type InPlace<'a> = Option<(&'a Editor, &'a mut Option<(u16, u16)>)>;

fn draw_list(navigator: &Navigator, area: Rect, buffer: &mut Buffer, mut in_place: InPlace<'_>) {
    if let Some(emptiness) = navigator.list.emptiness() {
        let text = empty_words(navigator, emptiness);
        for (row, line) in (0..area.height).zip(wrap(&text, area.width.into(), area.height.into())) {
            if let Some(mut pen) = Pen::new(buffer, area, row) {
                pen.write(&text[line], navigator.settings.theme.hint);
            }
        }
        return;
    }
    let window = navigator.list.window(area.height.into());
    for (row, place) in (0..area.height).zip(window) {
        let Some(pen) = Pen::new(buffer, area, row) else { continue };
        let is_selected = place == navigator.list.selected();
        let edited = if is_selected { in_place.take() } else { None };
        draw_row(navigator, place, pen, edited);
    }
}

fn draw_row(navigator: &Navigator, place: usize, mut pen: Pen<'_>, edited: InPlace<'_>) {
    let (list, theme) = (&navigator.list, &navigator.settings.theme);
    let (Some(at), Some(row)) = (list.outline_row(place), list.row(place)) else { return };
    let is_selected = place == list.selected() && edited.is_none();
    // The bar of the selected row has one look, or it would be a patchwork.
    let over = |style: Style| if is_selected { theme.selected } else { style };
    let hidden = list.hidden(place);
    pen.write(if place == list.selected() { "› " } else { "  " }, over(theme.active));
    let mut connectors = gutter(list.outline(), at, Some(pen.room())).text;
    if hidden.is_some() && row.connector != Connector::None {
        connectors = connectors.strip_suffix("─ ").map_or(connectors.clone(), |start| format!("{start}▸ "));
    }
    pen.write(&connectors, over(theme.line));
    if hidden.is_some() && row.connector == Connector::None {
        pen.write("▸ ", over(theme.line));
    }
    if row.active {
        pen.write_cut("• ", over(theme.active));
    }
    if let Some((editor, cursor)) = edited {
        pen.write_cut("[", theme.label);
        let (shown, column) = editor.shown(pen.room().saturating_sub(1));
        let (x, y) = pen.place();
        *cursor = Some((x + column as u16, y));
        pen.write(shown, theme.label);
        pen.write_cut("] ", theme.label);
        if let Some(line) = navigator.rows.get(&row.ix) {
            pen.write_cut(&line.words.text, theme.hint);
        }
        return;
    }
    let suffix = hidden.map(|count| fl!(navigator.settings.words.loader(), "hidden", count = (count as i64)));
    let suffix = suffix.map(|suffix| format!(" ({suffix})")).filter(|suffix| width(suffix) * 2 < pen.room());
    let kept = suffix.as_deref().map_or(0, width);
    pen.reserve(kept);
    let found = theme.found;
    match navigator.rows.get(&row.ix) {
        None => pen.write_cut("…", over(theme.hint)),
        Some(line) => {
            let needles = list.needles();
            if let Some(label) = &line.words.label {
                pen.write_found(&format!("[{}] ", one_line(label)), over(theme.label), needles, found);
            }
            let style = match line.look {
                Look::User => theme.user,
                Look::Assistant => theme.assistant,
                Look::Tool => theme.tool,
                Look::Summary => theme.summary,
                Look::Quiet => theme.quiet,
                Look::Broken => theme.error,
            };
            pen.write_found(&line.words.text, over(style), needles, found);
        }
    }
    pen.release(kept);
    if let Some(suffix) = suffix {
        pen.write(&suffix, over(theme.hint));
    }
    if is_selected {
        let rest = pen.room();
        pen.write(&" ".repeat(rest), over(theme.assistant));
    }
}

fn empty_words(navigator: &Navigator, emptiness: Emptiness) -> String {
    let (settings, loader) = (&navigator.settings, navigator.settings.words.loader());
    let filter = navigator.list.filter().name();
    let all = first_key(navigator, Action::FilterAll);
    match emptiness {
        Emptiness::Session => fl!(loader, "empty-session"),
        Emptiness::Filter => fl!(loader, "empty-filter", name = filter, keys = all),
        Emptiness::Search => {
            let keys = settings.keymap.said(Action::Cancel);
            if navigator.list.filter() == naite_core::outline::Filter::All {
                fl!(loader, "empty-search", keys = keys)
            } else {
                fl!(loader, "empty-search-filter", name = filter, keys = keys, all = all)
            }
        }
        Emptiness::Searching => fl!(loader, "empty-searching"),
    }
}

fn first_key(navigator: &Navigator, action: Action) -> String {
    navigator.settings.keymap.keys(action).first().map(ToString::to_string).unwrap_or_default()
}

/// Draws what is asked in place of the list: choices, a prompt, the loader.
fn draw_dialog(navigator: &Navigator, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let (theme, loader) = (&navigator.settings.theme, navigator.settings.words.loader());
    let (question, choices, chosen): (String, Vec<String>, usize) = match &navigator.mode {
        Mode::Summary { choice, .. } => {
            let choices: [String; SUMMARIES] =
                [fl!(loader, "summary-none"), fl!(loader, "summary-plain"), fl!(loader, "summary-custom")];
            (fl!(loader, "summary-ask"), choices.into(), *choice)
        }
        Mode::Offers { why: reason, choice, .. } => {
            let choices: [String; OFFERS] =
                [fl!(loader, "offer-copy"), fl!(loader, "offer-branch"), fl!(loader, "offer-continue")];
            let question = fl!(loader, "offers", why = why(&navigator.settings.words, reason));
            (question, choices.into(), *choice)
        }
        Mode::Prompt { .. } => (fl!(loader, "summary-prompt"), Vec::new(), 0),
        Mode::Summarizing { ticks, .. } => {
            (format!("{} {}", TURNING[ticks % TURNING.len()], fl!(loader, "summarizing")), Vec::new(), 0)
        }
        _ => return None,
    };
    // The choices must be seen, also where the question has no room.
    let needed = choices.len().max(usize::from(matches!(navigator.mode, Mode::Prompt { .. })));
    let lines = wrap(&question, area.width.into(), usize::from(area.height).saturating_sub(needed));
    let mut row = 0;
    for line in lines {
        if let Some(mut pen) = Pen::new(buffer, area, row) {
            pen.write(&question[line], theme.title);
        }
        row += 1;
    }
    let first = chosen.saturating_sub(usize::from(area.height.saturating_sub(row)).saturating_sub(1));
    for (at, choice) in choices.iter().enumerate().skip(first) {
        if let Some(mut pen) = Pen::new(buffer, area, row) {
            let style = if at == chosen { theme.selected } else { theme.assistant };
            pen.write(if at == chosen { "› " } else { "  " }, theme.active);
            pen.write_cut(choice, style);
        }
        row += 1;
    }
    let Mode::Prompt { editor, .. } = &navigator.mode else { return None };
    let mut pen = Pen::new(buffer, area, row)?;
    pen.write("› ", theme.active);
    let (shown, column) = editor.shown(pen.room());
    let (x, y) = pen.place();
    pen.write(shown, theme.assistant);
    Some((x + column as u16, y))
}

/// Words why a session cannot grow.
pub(super) fn why(words: &Words, why: &WhyNot) -> String {
    let loader = words.loader();
    match why {
        WhyNot::Newer => fl!(loader, "why-newer"),
        WhyNot::Foreign => fl!(loader, "why-foreign"),
        WhyNot::Held(holder) => fl!(loader, "why-held", holder = holder.as_str()),
        WhyNot::Refused(reason) => fl!(loader, "why-refused", reason = reason.as_str()),
    }
}

fn notice_words(navigator: &Navigator, notice: &Notice) -> String {
    let loader = navigator.settings.words.loader();
    match notice {
        Notice::Copied => fl!(loader, "copied"),
        Notice::TooLongToCopy => fl!(loader, "copy-long"),
        Notice::NothingToCopy => fl!(loader, "copy-empty"),
        Notice::Labelled(Some(label)) => fl!(loader, "labelled", label = label.as_str()),
        Notice::Labelled(None) => fl!(loader, "label-cleared"),
        Notice::BranchMade(path) => fl!(loader, "branch-made", path = path.as_str()),
        Notice::ForkMade(path) => fl!(loader, "fork-made", path = path.as_str()),
        Notice::Damaged(count) => fl!(loader, "damaged", count = (*count as i64)),
        Notice::Grew(count) => fl!(loader, "grew", count = (*count as i64)),
        Notice::Replaced => fl!(loader, "replaced"),
        Notice::Gone => fl!(loader, "gone"),
        Notice::Marked => {
            fl!(loader, "marked", keys = navigator.settings.keymap.said(Action::Compare))
        }
        Notice::OneBranch => fl!(loader, "compare-same"),
        Notice::SummaryStopped => fl!(loader, "summary-stopped"),
        Notice::NoSummarizer => fl!(loader, "summary-failed", reason = fl!(loader, "no-summarizer")),
        Notice::Failed(reason) => fl!(loader, "failed", reason = reason.as_str()),
    }
}

fn draw_status(navigator: &Navigator, area: Rect, buffer: &mut Buffer) {
    let Some(mut pen) = Pen::new(buffer, area, 0) else { return };
    let (theme, loader) = (&navigator.settings.theme, navigator.settings.words.loader());
    if let Some(notice) = &navigator.notice {
        let style = match notice {
            Notice::Failed(_)
            | Notice::NoSummarizer
            | Notice::Gone
            | Notice::TooLongToCopy
            | Notice::Damaged(_) => theme.error,
            _ => theme.good,
        };
        let words = match notice {
            // Of a path that is too long the end says more.
            Notice::BranchMade(path) | Notice::ForkMade(path) => {
                let made = |path: &str| match notice {
                    Notice::BranchMade(_) => fl!(loader, "branch-made", path = path),
                    _ => fl!(loader, "fork-made", path = path),
                };
                let room = pen.room().saturating_sub(width(&made("")));
                made(&clip_left(&one_line(path), room).text)
            }
            notice => notice_words(navigator, notice),
        };
        pen.write_cut(&one_line(&words), style);
        return;
    }
    if matches!(navigator.mode, Mode::Label { .. }) {
        pen.write_cut(&fl!(loader, "label-of"), theme.hint);
        return;
    }
    let (at, all) = (navigator.list.selected() + 1, navigator.list.len());
    if all > 0 {
        pen.write_cut(&fl!(loader, "rows-of", at = at.to_string(), all = all.to_string()), theme.hint);
    }
    if let Some((done, all)) = navigator.list.searching() {
        let percent = (done * 100 / all.max(1)).to_string();
        pen.write_cut("  ", theme.hint);
        pen.write_cut(&fl!(loader, "searching", done = percent), theme.hint);
    }
}

fn draw_footer(navigator: &Navigator, area: Rect, buffer: &mut Buffer) {
    let Some(mut pen) = Pen::new(buffer, area, 0) else { return };
    let (theme, loader) = (&navigator.settings.theme, navigator.settings.words.loader());
    let hints: Vec<(Action, String)> = match &navigator.mode {
        Mode::List if navigator.list.is_empty() => {
            let clears = (Action::Cancel, fl!(loader, "hint-clear"));
            let mut hints = if navigator.query.is_empty() { Vec::new() } else { vec![clears] };
            hints.push((Action::FilterAll, fl!(loader, "hint-all")));
            if navigator.query.is_empty() {
                hints.push((Action::Cancel, fl!(loader, "hint-close")));
            }
            hints.push((Action::Help, fl!(loader, "hint-help")));
            hints
        }
        Mode::List => vec![
            (Action::Select, fl!(loader, "hint-select")),
            if navigator.query.is_empty() {
                (Action::Cancel, fl!(loader, "hint-close"))
            } else {
                (Action::Cancel, fl!(loader, "hint-clear"))
            },
            (Action::NextFilter, fl!(loader, "hint-filter")),
            (Action::Label, fl!(loader, "hint-label")),
            (Action::Help, fl!(loader, "hint-help")),
        ],
        Mode::Label { .. } | Mode::Prompt { .. } => {
            vec![(Action::Save, fl!(loader, "hint-save")), (Action::Discard, fl!(loader, "hint-cancel"))]
        }
        Mode::Summary { .. } | Mode::Offers { .. } => {
            vec![(Action::Choose, fl!(loader, "hint-choose")), (Action::Back, fl!(loader, "hint-back"))]
        }
        Mode::Summarizing { .. } => vec![(Action::Back, fl!(loader, "hint-abort"))],
        Mode::Page(_) => vec![
            (Action::LineUp, String::new()),
            (Action::LineDown, fl!(loader, "hint-scroll")),
            (Action::Leave, fl!(loader, "hint-back")),
        ],
    };
    for (at, (action, does)) in hints.iter().enumerate() {
        // While a search holds text, a key that types a character is none of these.
        let typing = !navigator.query.is_empty() && matches!(navigator.mode, Mode::List);
        let mut keys = navigator.settings.keymap.keys(*action).iter();
        let Some(key) = keys.find(|key| !typing || key.typed().is_none()) else { continue };
        let key = key.to_string();
        let needed = width(&key) + width(does) + 1 + if at == 0 { 0 } else { 2 };
        if needed > pen.room() {
            break;
        }
        pen.write(if at == 0 { "" } else { "  " }, theme.hint);
        pen.write(&key, theme.key);
        if !does.is_empty() {
            pen.write(" ", theme.hint);
            pen.write(does, theme.hint);
        }
    }
}

fn draw_facts(navigator: &Navigator, detail: &Detail, pen: &mut Pen<'_>) {
    let (theme, loader) = (&navigator.settings.theme, navigator.settings.words.loader());
    let mut facts = vec![(fl!(loader, "fact-time"), detail.time.clone())];
    facts.extend(detail.model.clone().map(|model| (fl!(loader, "fact-model"), model)));
    facts.extend(detail.tokens.clone().map(|tokens| (fl!(loader, "fact-tokens"), tokens)));
    facts.push((fl!(loader, "fact-id"), detail.id.clone()));
    facts.extend(detail.label.clone().map(|label| (fl!(loader, "fact-label"), label)));
    for (at, (name, value)) in facts.iter().enumerate() {
        if at > 0 {
            pen.write_cut("  ", theme.line);
        }
        pen.write_cut(&format!("{name} "), theme.hint);
        pen.write_cut(&one_line(value), theme.key);
    }
}

fn draw_preview(navigator: &Navigator, area: Rect, buffer: &mut Buffer) {
    let theme = &navigator.settings.theme;
    let selection = navigator.list.selection();
    if selection.is_none() {
        return;
    }
    let is_loaded = navigator.detail.entry == selection;
    if let Some(mut pen) = Pen::new(buffer, area, 0) {
        pen.write("── ", theme.line);
        if is_loaded {
            pen.reserve(3);
            draw_facts(navigator, &navigator.detail, &mut pen);
            pen.release(3);
        }
        pen.write_cut(" ", theme.line);
        let rest = pen.room();
        pen.write(&"─".repeat(rest), theme.line);
    }
    if !is_loaded {
        return;
    }
    let lines = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    draw_text(&navigator.detail.text, &navigator.wrapped, navigator.scroll, navigator, lines, buffer);
}

/// Draws wrapped text from a line on, with what a search found marked.
fn draw_text(
    text: &str,
    lines: &[std::ops::Range<usize>],
    top: usize,
    navigator: &Navigator,
    area: Rect,
    buffer: &mut Buffer,
) {
    let theme = &navigator.settings.theme;
    for (row, line) in (0..area.height).zip(lines.iter().skip(top)) {
        if let (Some(mut pen), Some(line)) = (Pen::new(buffer, area, row), text.get(line.clone())) {
            pen.write_found(line, theme.assistant, navigator.list.needles(), theme.found);
        }
    }
}

fn draw_page(navigator: &Navigator, page: &Page, area: Rect, buffer: &mut Buffer) {
    let theme = &navigator.settings.theme;
    let body = Rect {
        y: area.y + 1.min(area.height - 1),
        height: (page_lines((area.width, area.height)) as u16).min(area.height),
        ..area
    };
    if let Some(mut pen) = Pen::new(buffer, area, 0) {
        pen.write_cut(&navigator.settings.words.get(page.content.title_id()), theme.title);
        pen.write_cut("  ", theme.hint);
        match &page.content {
            Content::Full { detail, .. } => draw_facts(navigator, detail, &mut pen),
            Content::Compare { comparison, .. } => {
                let loader = navigator.settings.words.loader();
                let common = match &comparison.common {
                    Some(row) => fl!(loader, "compare-common", text = row.as_str()),
                    None => fl!(loader, "compare-nothing"),
                };
                pen.write_found(&common, theme.hint, &Needles::default(), theme.hint);
            }
            Content::Help(_) => {}
        }
    }
    match &page.content {
        Content::Help(lines) => draw_help(navigator, lines, page.top, body, buffer),
        Content::Full { detail, lines } => draw_text(&detail.text, lines, page.top, navigator, body, buffer),
        Content::Compare { columns, .. } => columns.draw(theme, page.top, body, buffer),
    }
    if area.height > 2 {
        draw_footer(navigator, Rect { y: area.bottom() - 1, height: 1, ..area }, buffer);
    }
}

fn draw_help(navigator: &Navigator, lines: &[HelpLine], top: usize, area: Rect, buffer: &mut Buffer) {
    let theme = &navigator.settings.theme;
    let columns = usize::from(area.width);
    // Keys take a third, the names of settings stand on the right where there is room.
    let keys = (columns / 3).clamp(8.min(columns), 24);
    for (row, line) in (0..area.height).zip(lines.iter().skip(top)) {
        let Some(mut pen) = Pen::new(buffer, area, row) else { continue };
        match line {
            HelpLine::Heading(text) => pen.write_cut(text, theme.title),
            HelpLine::Text(text) => pen.write_cut(text, theme.hint),
            HelpLine::Blank => {}
            HelpLine::Key(key, does, name) => {
                let cut = naite_core::text::clip(key, keys.saturating_sub(1));
                pen.write(&cut.text, theme.user);
                pen.skip(keys.saturating_sub(cut.columns));
                if columns >= 96 {
                    pen.reserve(28);
                    pen.write_cut(does, theme.assistant);
                    pen.release(28);
                    pen.leave(27);
                    pen.write_cut(name, theme.hint);
                } else {
                    pen.write_cut(does, theme.assistant);
                }
            }
        }
    }
}
