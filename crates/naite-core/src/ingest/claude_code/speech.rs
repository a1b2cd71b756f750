//! Who or what speaks in a user line: the person, or one of the many things that Claude Code says in a user's place.

use alloc::string::String;

use crate::text::json::Object;

/// What a line with the role of a user is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    /// The person said it.
    User,
    /// The person ran a command with `!`.
    Bash,
    /// What that command printed.
    BashOutput,
    /// A slash command.
    Command,
    /// What a slash command printed.
    CommandOutput,
    /// The prompt that a slash command or a skill stands for.
    CommandBody,
    /// A background task ended.
    TaskNotification,
    /// A hook made the model go on.
    HookFeedback,
    /// A hook added to the context.
    HookContext,
    /// The person stopped the model.
    Interrupt,
    /// A file that the person named, or that came back after a compaction.
    File,
    /// A reminder of the program.
    Reminder,
    /// The sentence that stands before local commands.
    Caveat,
    /// Anything else that the program said in a user's place.
    Meta,
}

impl Speech {
    /// The `customType` of the entry; empty for the person's own words.
    pub fn name(self) -> &'static str {
        match self {
            Self::User | Self::Bash => "",
            Self::BashOutput => "bash-output",
            Self::Command => "command",
            Self::CommandOutput => "command-output",
            Self::CommandBody => "command-body",
            Self::TaskNotification => "task-notification",
            Self::HookFeedback => "hook-feedback",
            Self::HookContext => "hook-context",
            Self::Interrupt => "interrupt",
            Self::File => "file",
            Self::Reminder => "reminder",
            Self::Caveat => "caveat",
            Self::Meta => "meta",
        }
    }

    /// Says whether the default view hides it: the model was told it, the person was not.
    pub fn is_aside(self) -> bool {
        matches!(
            self,
            Self::Reminder | Self::Caveat | Self::Meta | Self::CommandBody | Self::HookContext | Self::File
        )
    }

    /// Tells a user line apart by its marks (the keys of the line) and by how its text begins.
    pub fn of(fields: &Object<'_>, text: &str) -> Self {
        let text = text.trim_start();
        let marked = |key: &str| fields.present(key).is_some_and(|raw| !matches!(raw, "false" | "\"\""));
        let notified = || {
            fields
                .object("origin")
                .and_then(|origin| origin.str("kind"))
                .is_some_and(|kind| kind == "task-notification")
        };
        let begins = |with: &str| text.starts_with(with);
        if begins("<task-notification>") || notified() {
            Self::TaskNotification
        } else if marked("hookText") {
            Self::HookFeedback
        } else if begins("<command-name>") || begins("<command-message>") {
            Self::Command
        } else if begins("<local-command-caveat") {
            Self::Caveat
        } else if begins("<local-command-") {
            Self::CommandOutput
        } else if begins("<bash-input>") {
            Self::Bash
        } else if begins("<bash-stdout>") || begins("<bash-stderr>") {
            Self::BashOutput
        } else if marked("interruptedMessageId") || begins("[Request interrupted by user") {
            Self::Interrupt
        } else if begins("<system-reminder>") {
            Self::Reminder
        } else if marked("turnCompanion") {
            Self::CommandBody
        } else if marked("isMeta") || marked("toolUseResult") {
            Self::Meta
        } else {
            Self::User
        }
    }

    /// A short form of a text full of tags, for a row: `/compact keep the names`.
    pub(super) fn title(self, text: &str) -> Option<String> {
        let trimmed = |text: &str| Some(String::from(text.trim())).filter(|text| !text.is_empty());
        match self {
            Self::Command => {
                let name = tagged(text, "command-name")?;
                let arguments = tagged(text, "command-args").unwrap_or_default();
                trimmed(&alloc::format!("{} {}", name.trim(), arguments.trim()))
            }
            Self::CommandOutput => trimmed(
                tagged(text, "local-command-stdout").or_else(|| tagged(text, "local-command-stderr"))?,
            ),
            Self::TaskNotification => trimmed(tagged(text, "summary").or_else(|| tagged(text, "status"))?),
            Self::BashOutput => trimmed(tagged(text, "bash-stdout")?),
            _ => None,
        }
    }
}

/// The text between a tag and its end; up to the end of the text if the tag is not closed.
pub(super) fn tagged<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let open = alloc::format!("<{tag}>");
    let rest = &text[text.find(&open)? + open.len()..];
    Some(rest.find(&alloc::format!("</{tag}>")).map_or(rest, |end| &rest[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_made_lines_are_no_speech() {
        for (marks, text, speech) in [
            ("{}", "확인 부탁해요", Speech::User),
            ("{}", "I typed <command-name> myself", Speech::User),
            (r#"{"isMeta":true}"#, "Continue.", Speech::Meta),
            (r#"{"isMeta":false}"#, "Continue.", Speech::User),
            (r#"{"isMeta":true,"turnCompanion":true}"#, "Write the handoff", Speech::CommandBody),
            (r#"{"isMeta":true}"#, "<system-reminder>\nx", Speech::Reminder),
            (r#"{"isMeta":true,"hookText":"x"}"#, "Stop hook feedback:\nx", Speech::HookFeedback),
            (r#"{"origin":{"kind":"task-notification"}}"#, "done", Speech::TaskNotification),
            (r#"{"origin":{"kind":"human"}}"#, "done", Speech::User),
            ("{}", "<bash-input>ls</bash-input>", Speech::Bash),
            ("{}", "<bash-stdout>a</bash-stdout>", Speech::BashOutput),
            ("{}", "<local-command-stdout>a</local-command-stdout>", Speech::CommandOutput),
            (r#"{"interruptedMessageId":"m"}"#, "stop", Speech::Interrupt),
            ("{}", "[Request interrupted by user for tool use]", Speech::Interrupt),
        ] {
            let fields = Object::parse(marks).expect("an object");
            assert_eq!(Speech::of(&fields, text), speech, "{marks} {text}");
        }
    }

    #[test]
    fn titles_take_the_words_out_of_the_tags() {
        let command = "<command-name>/compact</command-name>\n <command-message>compact</command-message>\n<command-args>keep 이름</command-args>";
        assert_eq!(Speech::Command.title(command).as_deref(), Some("/compact keep 이름"));
        assert_eq!(
            Speech::CommandOutput.title("<local-command-stdout>Bye").as_deref(),
            Some("Bye"),
            "not closed"
        );
        assert_eq!(Speech::CommandOutput.title("<local-command-stdout></local-command-stdout>"), None);
    }
}
