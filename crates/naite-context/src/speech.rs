//! What a person said, told apart from what programs put into a conversation in a person's name.

use alloc::borrow::Cow;
use alloc::string::String;

use naite_core::ingest::claude_code::Speech;
use naite_core::text::json::Object;

/// Begins a block of context that Naite put in.
pub const BLOCK: &str = "<naite-context";
/// Ends it.
pub const BLOCK_END: &str = "</naite-context>";

/// Says whether a program wrote this in a person's name: a notice, an echo of a command, a mark of an interrupt.
pub fn is_machine_made(text: &str) -> bool {
    Speech::of(&Object::default(), text) != Speech::User
}

/// Takes out the blocks of context that Naite itself put in, so that they are never stored again.
pub fn without_injected(text: &str) -> Cow<'_, str> {
    let Some(mut start) = text.find(BLOCK) else { return Cow::Borrowed(text) };
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        kept.push_str(&rest[..start]);
        rest = match rest[start..].find(BLOCK_END) {
            Some(end) => &rest[start + end + BLOCK_END.len()..],
            // A block without its end was cut; what follows it cannot be told from it.
            None => "",
        };
        match rest.find(BLOCK) {
            Some(next) => start = next,
            None => break,
        }
    }
    kept.push_str(rest);
    Cow::Owned(kept.trim().into())
}

/// Words that begin an English question.
const ASKING: [&str; 32] = [
    "what", "why", "how", "when", "where", "who", "whom", "whose", "which", "can", "could", "should",
    "would", "will", "is", "are", "was", "were", "do", "does", "did", "has", "have", "may", "am", "what's",
    "who's", "where's", "how's", "isn't", "aren't", "doesn't",
];

/// Words that make a Korean sentence a question wherever they stand.
const KOREAN_ASKING: [&str; 9] = ["뭐", "무엇", "왜", "어떻게", "언제", "어디", "누구", "얼마", "무슨"];

/// Endings of Korean questions, also without a question mark.
const KOREAN_ENDINGS: [&str; 11] =
    ["까", "까요", "나요", "인가요", "는가요", "은가요", "한가요", "인가", "는지", "은지", "을지"];

/// Says whether a prompt asks something: it has a question mark behind a word, or a line of it begins or ends as
/// questions do. Code blocks do not count, nor do lines without words.
///
/// ```
/// use naite_context::speech::asks;
/// assert!(asks("로그인이 왜 안 되는지 알려줘") && asks("Add a test. Does it pass?") && asks("how do I run it"));
/// assert!(!asks("고쳐줘") && !asks("open https://a.b/?q=1 and fix `x ? y : z`"));
/// ```
pub fn asks(prompt: &str) -> bool {
    let mut in_code = false;
    prompt.lines().any(|line| {
        let line = line.trim();
        if line.starts_with("```") {
            in_code = !in_code;
        }
        !in_code && !line.starts_with("```") && line_asks(line)
    })
}

fn line_asks(line: &str) -> bool {
    let is_mark = |c: char| matches!(c, '?' | '？' | '؟');
    let mut words = line.split_whitespace().filter(|word| !word.starts_with('`'));
    let Some(first) = words.clone().next() else { return false };
    let mark_behind_word = words.any(|word| {
        let bare = word.trim_end_matches(['"', '\'', ')', '”', '’', '*', '_', '!']);
        bare.ends_with(is_mark) && bare.trim_end_matches(is_mark).ends_with(char::is_alphanumeric)
    });
    let first = first.trim_end_matches([',', ':']).to_lowercase();
    let is_english = ASKING.contains(&first.as_str()) && line.split_whitespace().nth(1).is_some();
    mark_behind_word || is_english || korean_asks(line)
}

fn korean_asks(line: &str) -> bool {
    let ends = |sentence: &str| {
        let sentence = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
        KOREAN_ENDINGS.iter().any(|ending| sentence.ends_with(ending))
    };
    line.split(['.', '!', '。', ',']).any(ends)
        || line.split_whitespace().any(|word| KOREAN_ASKING.iter().any(|asking| word.starts_with(asking)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_told_from_people() {
        for text in [
            "<task-notification>\n<task-id>a</task-id>",
            "<command-message>x</command-message>",
            " <bash-input>ls</bash-input>",
            "[Request interrupted by user for tool use]",
            "<local-command-stdout></local-command-stdout>",
        ] {
            assert!(is_machine_made(text), "{text}");
        }
        for text in ["", "Hello", "what does <command-name> mean?", "/-session-save"] {
            assert!(!is_machine_made(text), "{text}");
        }
    }

    #[test]
    fn blocks_that_were_put_in_are_taken_out() {
        for (text, left) in [
            ("a", "a"),
            ("<naite-context v=\"1\">old</naite-context>\nnow", "now"),
            ("a <naite-context>1</naite-context>b<naite-context>2</naite-context> c", "a b c"),
            ("a <naite-context>cut off", "a"),
        ] {
            assert_eq!(without_injected(text), left);
        }
    }

    #[test]
    fn questions_are_found() {
        for prompt in [
            "Why?",
            "이거 뭐야",
            "테스트가 통과하나요",
            "이 방법이 맞습니까?",
            "Fix it.\nWhat is left?",
            "is it done",
            "ok? (really?)",
            "이게 맞아？",
            "어떻게 하면 돼",
        ] {
            assert!(asks(prompt), "{prompt}");
        }
        for prompt in [
            "",
            "Fix the parser",
            "계속 진행해줘",
            "이 함수로 들어가요.",
            "```\nlet a = b? ;\nwhat is it?\n```",
            "GET /a?b=c",
            "is",
            "?",
        ] {
            assert!(!asks(prompt), "{prompt}");
        }
    }
}
