//! Hooks in the text of Claude Code's settings, changed without touching anything else in it.

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use jsonc_parser::{ParseOptions, json};
use naite_context::payload::Event;

use super::events;

/// How long Claude Code waits for a hook of ours, in seconds; far more than one takes.
const TIMEOUT: u32 = 10;

/// Why settings are left alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsProblem {
    /// They are no JSON.
    #[error("is no JSON: {0}")]
    NotJson(String),
    /// Something in them is not of the kind that Claude Code wants.
    #[error("has a `{0}` that is not {1}")]
    Odd(String, &'static str),
}

/// A hook of ours in the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The event.
    pub event: Event,
    /// The command line, for a shell.
    pub command: String,
}

type Result<T> = std::result::Result<T, SettingsProblem>;

/// A word for a shell.
pub(super) fn quoted(word: &str) -> String {
    let is_plain =
        |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ':' | '@' | ',');
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn command(program: &str, event: Event) -> String {
    format!("{} hook {} --agent claude-code", quoted(program), event.name())
}

/// Says whether a command line is one of ours for an event, of whatever program.
fn is_ours(line: &str, event: Event) -> bool {
    line.trim_end().ends_with(&format!(" hook {} --agent claude-code", event.name()))
}

fn parse(text: &str) -> Result<CstRootNode> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| SettingsProblem::NotJson(error.to_string()))
}

fn top(root: &CstRootNode) -> Result<CstObject> {
    root.object_value().ok_or_else(|| SettingsProblem::Odd("top".into(), "an object"))
}

/// The groups of an event, if there are any.
fn groups(hooks: &CstObject, event: Event) -> Result<Option<CstArray>> {
    let Some(property) = hooks.get(event.agent_name()) else { return Ok(None) };
    let odd = || SettingsProblem::Odd(format!("hooks.{}", event.agent_name()), "a list");
    property.array_value().ok_or_else(odd).map(Some)
}

fn hooks_of(top: &CstObject) -> Result<Option<CstObject>> {
    let Some(property) = top.get("hooks") else { return Ok(None) };
    property.object_value().ok_or_else(|| SettingsProblem::Odd("hooks".into(), "an object")).map(Some)
}

/// The hooks of an event that are ours, each with the list that it is in and the group around that.
fn ours(groups: &CstArray, event: Event) -> Vec<(CstNode, CstArray, CstNode, String)> {
    let mut found = Vec::new();
    for group in groups.elements() {
        let Some(list) = group.as_object().and_then(|group| group.array_value("hooks")) else { continue };
        for hook in list.elements() {
            let line = hook
                .as_object()
                .and_then(|hook| hook.get("command")?.value()?.as_string_lit()?.decoded_value().ok());
            if let Some(line) = line.filter(|line| is_ours(line, event)) {
                found.push((hook, list.clone(), group.clone(), line));
            }
        }
    }
    found
}

/// The hooks of ours that settings have.
pub(super) fn installed(text: &str) -> Result<Vec<Installed>> {
    let root = parse(text)?;
    let Some(hooks) = hooks_of(&top(&root)?)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for event in events() {
        if let Some(groups) = groups(&hooks, event)? {
            found.extend(ours(&groups, event).into_iter().map(|(.., command)| Installed { event, command }));
        }
    }
    Ok(found)
}

/// Settings with our hooks; the same text, if they are there.
pub(super) fn with_hooks(text: &str, program: &str) -> Result<String> {
    let root = parse(text)?;
    let top = top(&root)?;
    hooks_of(&top)?;
    let hooks = top.object_value_or_set("hooks");
    for event in events() {
        let wanted = command(program, event);
        let there = groups(&hooks, event)?;
        let known = there.as_ref().map(|groups| ours(groups, event)).unwrap_or_default();
        let mut known = known.into_iter();
        match known.next() {
            None => {
                let groups = there.unwrap_or_else(|| hooks.array_value_or_set(event.agent_name()));
                groups.append(group(&wanted));
            }
            // One of ours is enough; it may be of a Naite that has moved.
            Some((hook, .., line)) if line != wanted => {
                if let Some(property) = hook.as_object().and_then(|hook| hook.get("command")) {
                    property.set_value(CstInputValue::String(wanted));
                }
            }
            Some(_) => {}
        }
        known.for_each(|(hook, list, group, _)| remove(hook, &list, group));
    }
    Ok(root.to_string())
}

fn group(command: &str) -> CstInputValue {
    let timeout = CstInputValue::Number(TIMEOUT.to_string());
    let hook = CstInputValue::Object(vec![
        ("type".into(), json!("command")),
        ("command".into(), CstInputValue::String(command.into())),
        ("timeout".into(), timeout),
    ]);
    CstInputValue::Object(vec![("hooks".into(), CstInputValue::Array(vec![hook]))])
}

/// Takes a hook out, and its group if nothing is left in it.
fn remove(hook: CstNode, list: &CstArray, group: CstNode) {
    hook.remove();
    if list.elements().is_empty() {
        group.remove();
    }
}

/// Settings without our hooks; what became empty by that goes too.
pub(super) fn without_hooks(text: &str) -> Result<String> {
    let root = parse(text)?;
    let top = top(&root)?;
    let Some(hooks) = hooks_of(&top)? else { return Ok(text.into()) };
    let mut is_changed = false;
    for event in events() {
        let Some(groups) = groups(&hooks, event)? else { continue };
        let found = ours(&groups, event);
        is_changed |= !found.is_empty();
        let had = !found.is_empty();
        found.into_iter().for_each(|(hook, list, group, _)| remove(hook, &list, group));
        if had
            && groups.elements().is_empty()
            && let Some(property) = hooks.get(event.agent_name())
        {
            property.remove();
        }
    }
    if !is_changed {
        return Ok(text.into());
    }
    if hooks.properties().is_empty()
        && let Some(property) = top.get("hooks")
    {
        property.remove();
    }
    Ok(root.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHERS: &str = "{\n  // mine\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"say done\" }\n        ]\n      }\n    ]\n  }\n}\n";

    fn check(before: &str) {
        let with = with_hooks(before, "/opt/my tools/naite").expect("settings");
        let found = installed(&with).expect("settings");
        assert_eq!(found.len(), 6, "{with}");
        assert!(found.iter().all(|hook| hook.command.starts_with("'/opt/my tools/naite' hook ")));
        assert_eq!(with_hooks(&with, "/opt/my tools/naite").expect("settings"), with, "twice is once");
        let moved = with_hooks(&with, "/new/naite").expect("settings");
        assert!(!moved.contains("my tools") && installed(&moved).expect("settings").len() == 6, "{moved}");
        let without = without_hooks(&with).expect("settings");
        assert_eq!(installed(&without), Ok(Vec::new()));
        let value =
            |text: &str| jsonc_parser::parse_to_serde_value(text, &ParseOptions::default()).expect("JSON");
        let before = if before.trim().is_empty() { "{}" } else { before };
        assert_eq!(value(&without), value(before), "{without}");
    }

    #[test]
    fn hooks_come_and_go_without_a_trace() {
        for before in
            ["", "{}", "{\"a\":[1,2]}", OTHERS, "{\n\t\"hooks\": {}\n}", "{\"hooks\":{\"Stop\":[]}}"]
        {
            if before.contains("{}\n}") || before.contains("[]}}") {
                // What was empty before and is empty after may go.
                let with = with_hooks(before, "naite").expect("settings");
                assert!(installed(&without_hooks(&with).expect("settings")).expect("settings").is_empty());
            } else {
                check(before);
            }
        }
    }

    #[test]
    fn what_others_wrote_stays_where_it_is() {
        let with = with_hooks(OTHERS, "naite").expect("settings");
        assert!(with.starts_with("{\n  // mine\n  \"model\": \"opus\",\n") && with.contains("say done"));
        assert_eq!(without_hooks(&with).expect("settings"), OTHERS);
    }

    #[test]
    fn odd_settings_are_refused() {
        for (text, problem) in [
            ("{\"hooks\": 3}", "has a `hooks` that is not an object"),
            ("{\"hooks\": {\"Stop\": {}}}", "has a `hooks.Stop` that is not a list"),
            ("[1]", "has a `top` that is not an object"),
        ] {
            assert_eq!(with_hooks(text, "naite").expect_err("refused").to_string(), problem);
        }
        assert!(matches!(with_hooks("{\"a\": ", "naite"), Err(SettingsProblem::NotJson(_))));
    }

    #[test]
    fn words_for_a_shell() {
        for (word, quote) in [
            ("/usr/bin/naite", "/usr/bin/naite"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
            ("$x", "'$x'"),
        ] {
            assert_eq!(quoted(word), quote);
        }
    }
}
