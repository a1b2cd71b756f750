//! Checks small habits of Rust code, in tests as well: lint attributes, empty comments, sleeping, placeholders.

use super::code::{Attribute, Code, Name};
use super::{Finding, Repo};

/// Ways to let time pass. Time is an argument here, and in tests it is a number.
const SLEEPS: [&str; 3] = ["thread::sleep", "thread::sleep_ms", "time::sleep"];

/// Macros that stand for work not done.
const PLACEHOLDERS: [&str; 2] = ["todo", "unimplemented"];

/// Checks every Rust file of a crate.
pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let mut found = Vec::new();
    for (file, code) in repo.rust() {
        let mut add = |line, rule, say: String| found.push(Finding::new(&file.path, line, rule, say));
        for attribute in &code.attributes {
            if let Some(say) = lint_attribute(attribute) {
                add(attribute.line, "attribute", say.to_owned());
            }
        }
        for line in empty_docs(code) {
            add(line, "empty-doc", "Write a sentence here, or drop the empty comment.".to_owned());
        }
        for name in &code.names {
            if let Some(sleep) = SLEEPS.iter().find(|sleep| name.has(sleep)) {
                add(
                    name.line,
                    "sleep",
                    format!("Wait for the event itself instead of `{sleep}`, or pass the time in."),
                );
            }
            if let Some(placeholder) = placeholder(name) {
                add(name.line, "unfinished", format!("Finish what `{placeholder}!` stands for."));
            }
        }
    }
    found
}

fn lint_attribute(attribute: &Attribute) -> Option<&'static str> {
    let text = attribute.text.as_str();
    let is = |word: &str| {
        text.strip_prefix(word).is_some_and(|rest| rest.starts_with('('))
            || text.starts_with("cfg_attr(") && text.contains(&format!(",{word}("))
    };
    if is("allow") {
        Some("Write `#[expect(lint, reason = …)]` instead of `allow`: it tells when it is no longer needed.")
    } else if is("expect") && !text.contains("reason=") {
        Some("Add `reason = …` to this `expect`.")
    } else if text == "ignore" || text.starts_with("ignore=") {
        Some("Make this test run everywhere, or drop it: an ignored test proves nothing.")
    } else {
        None
    }
}

/// The first lines of doc comments that have no word in any of their lines.
fn empty_docs(code: &Code) -> Vec<usize> {
    let docs: Vec<&Attribute> = code.attributes.iter().filter(|one| one.text.starts_with("doc=")).collect();
    let blocks = docs.chunk_by(|a, b| a.is_inner == b.is_inner && a.line + 1 == b.line);
    blocks.filter(|block| block.iter().all(|doc| is_blank(doc))).map(|block| block[0].line).collect()
}

fn is_blank(doc: &Attribute) -> bool {
    matches!(doc.text.as_str(), "doc=\"\"" | "doc=r\"\"")
}

fn placeholder(name: &Name) -> Option<&'static str> {
    PLACEHOLDERS.into_iter().find(|placeholder| name.calls_macro(placeholder))
}

#[cfg(test)]
mod tests {
    use crate::tidy::fixture::check as tidy;

    /// Puts `body` into a source and into a test of naite-store; the first line of `body` is line 2.
    fn check(body: &str, wanted: &[&str]) {
        for path in ["crates/naite-store/src/log.rs", "crates/naite-store/tests/log.rs"] {
            let fixture = format!("//- {path}\n//! Does what the test is about.\n{body}\n");
            let wanted: Vec<_> = wanted.iter().map(|place| format!("{path}:{place}")).collect();
            tidy(&fixture, &wanted.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }

    #[test]
    fn lints_are_expected_with_a_reason() {
        check("#[allow(dead_code)]\nfn f() {}", &["2: [attribute]"]);
        check("#[cfg_attr(unix, allow(dead_code))]\nfn f() {}", &["2: [attribute]"]);
        check("#![expect(dead_code)]", &["2: [attribute]"]);
        check("#[expect(dead_code, reason = \"a test\")]\nfn allow() {}", &[]);
    }

    #[test]
    fn no_test_is_ignored() {
        check("#[test]\n#[ignore = \"slow\"]\nfn f() {}", &["3: [attribute]"]);
        check("#[test]\n#[ignore]\nfn f() {}", &["3: [attribute]"]);
    }

    #[test]
    fn doc_comments_have_words() {
        check("///\n///  \nfn f() {}", &["2: [empty-doc]"]);
        check("/// One.\n///\n/// Two.\nfn f() {}", &[]);
        check("fn f() {\n    //!\n}", &["3: [empty-doc]"]);
    }

    #[test]
    fn nothing_sleeps() {
        check("fn f() { std::thread::sleep(x) }", &["2: [sleep]"]);
        check("use std::thread::{\n    self,\n    sleep,\n};", &["4: [sleep]"]);
        check("async fn f() { tokio::time::sleep(x).await }", &["2: [sleep]"]);
        check("// thread::sleep\nfn f() { let sleep = \"thread::sleep\"; }", &[]);
    }

    #[test]
    fn nothing_is_left_for_later() {
        check(
            "fn f() { todo!() }\nfn g() { unimplemented!(\"x\") }",
            &["2: [unfinished]", "3: [unfinished]"],
        );
        check("fn todo() {}", &[]);
    }
}
