//! The four commands in Claude Code, as the files that define them.

use super::settings::quoted;

/// Stands in each of the files, so that ours are known.
const MARK: &str = "<!-- naite -->";

/// Names and contents of the files.
pub(super) fn all(program: &str) -> Vec<(&'static str, String)> {
    let naite = quoted(program);
    let file = |description: &str, hint: &str, body: String| {
        let hint = if hint.is_empty() { String::new() } else { format!("argument-hint: \"{hint}\"\n") };
        format!(
            "---\ndescription: {description}\n{hint}allowed-tools: Bash({naite} session:*)\n---\n{MARK}\n{body}\n"
        )
    };
    vec![
        (
            "-session-context.md",
            file(
                "Show the state of the session context",
                "",
                format!(
                    "!`{naite} session context`\n\nTell the user in a few lines what this says; name problems first."
                ),
            ),
        ),
        (
            "-session-resume.md",
            file(
                "Go on from the last session: handoff first",
                "[session id]",
                format!(
                    "!`{naite} session resume $ARGUMENTS`\n\nThis is where the work stood. Say in a few lines what the \
                     goal is, what is done and what comes next, and wait for the user before you change anything."
                ),
            ),
        ),
        (
            "-session-save.md",
            file(
                "Write the handoff for the next session",
                "[note]",
                format!(
                    "!`{naite} session save --template`\n\nNote of the user: $ARGUMENTS\n\nWrite the handoff in the form \
                     above, complete and exact: file paths, commands with their results, decisions with their reasons, \
                     numbers, next actions. Then store it by running `{naite} session save --stdin` with the text on \
                     standard input (a quoted here document), and tell the user where it was stored."
                ),
            ),
        ),
        (
            "-session-summary.md",
            file(
                "Refine the log of this session now, and show the result",
                "",
                format!("!`{naite} session summary`\n\nShow this to the user as it is."),
            ),
        ),
    ]
}

/// Says whether a file is one of these, of whatever version.
pub(super) fn is_ours(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| text.contains(MARK))
}
