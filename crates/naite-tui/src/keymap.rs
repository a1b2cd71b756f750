//! Which key does what, as data: the defaults, and what a person's settings make of them.
//!
//! A key means something only where it is looked up: the same key may scroll a page and move in a list. A key that
//! types a character does so while the search holds text, whatever it is bound to.

use std::collections::BTreeMap;

use crate::key::Key;

/// Where a key is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The list of the navigator.
    Tree,
    /// The list of the session picker.
    Sessions,
    /// A line of text that is being edited.
    Edit,
    /// A few choices.
    Choice,
    /// A page of text.
    Page,
}

impl Place {
    /// The name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Sessions => "sessions",
            Self::Edit => "edit",
            Self::Choice => "choice",
            Self::Page => "page",
        }
    }
}

macro_rules! actions {
    ($($place:ident { $($(#[$doc:meta])* $action:ident = $name:literal [$($key:literal),*],)* })*) => {
        /// What a key can do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action { $($($(#[$doc])* $action,)*)* }

        /// All actions: where, the name in settings, the keys that they have unless settings say otherwise.
        const TABLE: &[(Place, Action, &str, &[&str])] =
            &[$($((Place::$place, Action::$action, $name, &[$($key),*]),)*)*];
    };
}

actions! {
    Tree {
        /// Selects the row above.
        Up = "up" ["up"],
        /// Selects the row below.
        Down = "down" ["down"],
        /// Goes up by a screenful.
        PageUp = "page-up" ["left", "pageup"],
        /// Goes down by a screenful.
        PageDown = "page-down" ["right", "pagedown"],
        /// Selects the first row.
        First = "first" ["home"],
        /// Selects the last row.
        Last = "last" ["end"],
        /// Selects the turn before.
        PreviousTurn = "previous-turn" ["alt+up"],
        /// Selects the next turn.
        NextTurn = "next-turn" ["alt+down"],
        /// Folds, or goes up to the start of the branch.
        Fold = "fold" ["alt+left"],
        /// Unfolds, or goes down to the next branch point.
        Unfold = "unfold" ["alt+right"],
        /// Chooses the row.
        Select = "select" ["enter"],
        /// Chooses the row and summarises what is left, without asking.
        SelectAndSummarize = "select-and-summarize" ["shift+enter", "ctrl+j"],
        /// Clears the search, or closes.
        Cancel = "cancel" ["esc"],
        /// Closes.
        Close = "close" ["ctrl+c"],
        /// Takes the last character of the search away.
        Erase = "erase" ["backspace", "ctrl+h"],
        /// Edits the label.
        Label = "label" ["shift+l", "ctrl+l"],
        /// Shows more: the next filter.
        NextFilter = "next-filter" ["ctrl+o"],
        /// The filter before.
        PreviousFilter = "previous-filter" ["shift+ctrl+o", "alt+o"],
        /// The conversation.
        FilterDefault = "filter-default" ["alt+d"],
        /// The conversation without tool results.
        FilterNoTools = "filter-no-tools" ["alt+t"],
        /// What the person said.
        FilterUserOnly = "filter-user-only" ["alt+u"],
        /// What has a label.
        FilterLabeledOnly = "filter-labeled-only" ["alt+l"],
        /// Everything.
        FilterAll = "filter-all" ["alt+a"],
        /// Makes a new session file out of the branch up to here.
        Branch = "branch" ["ctrl+b"],
        /// Copies the whole session into a new file.
        Fork = "fork" ["ctrl+f"],
        /// Shows the entry in full.
        Full = "full" ["ctrl+e"],
        /// Compares the branch of the row with the active one, or with the marked one.
        Compare = "compare" ["ctrl+d"],
        /// Marks the row for comparing.
        Mark = "mark" ["ctrl+t"],
        /// Copies the text of the entry.
        Copy = "copy" ["ctrl+y"],
        /// Scrolls the preview up.
        PreviewUp = "preview-up" ["shift+up", "ctrl+pageup"],
        /// Scrolls the preview down.
        PreviewDown = "preview-down" ["shift+down", "ctrl+pagedown"],
        /// Lists all keys.
        Help = "help" ["f1", "?"],
    }
    Sessions {
        /// Selects the session above.
        SessionUp = "up" ["up"],
        /// Selects the session below.
        SessionDown = "down" ["down"],
        /// Goes up by a screenful.
        SessionPageUp = "page-up" ["left", "pageup"],
        /// Goes down by a screenful.
        SessionPageDown = "page-down" ["right", "pagedown"],
        /// Selects the first session.
        SessionFirst = "first" ["home"],
        /// Selects the last session.
        SessionLast = "last" ["end"],
        /// Opens the session.
        OpenSession = "open" ["enter"],
        /// Clears the search, or closes.
        ClearOrClose = "cancel" ["esc"],
        /// Closes.
        CloseSessions = "close" ["ctrl+c"],
        /// Takes the last character of the search away.
        EraseSearch = "erase" ["backspace", "ctrl+h"],
        /// Looks at more sessions: the next scope.
        NextScope = "next-scope" ["tab"],
        /// The scope before.
        PreviousScope = "previous-scope" ["shift+tab"],
        /// Sorts by the next of time, size, name.
        Sort = "sort" ["ctrl+s"],
        /// Shows threads, or a plain list.
        Threads = "threads" ["ctrl+t"],
        /// Pins the session, or unpins it.
        Pin = "pin" ["ctrl+p"],
        /// Edits the name.
        Rename = "rename" ["ctrl+r", "f2"],
        /// Asks whether to delete the session.
        DeleteSession = "delete" ["ctrl+d", "delete"],
        /// Lists deleted sessions, to bring one back.
        ShowTrash = "trash" ["ctrl+z"],
        /// Lists the files that could not be read.
        ShowUnreadable = "unreadable" ["ctrl+e"],
        /// Reads the list anew.
        Reload = "reload" ["f5"],
        /// Scrolls the preview up.
        SessionPreviewUp = "preview-up" ["shift+up", "ctrl+pageup"],
        /// Scrolls the preview down.
        SessionPreviewDown = "preview-down" ["shift+down", "ctrl+pagedown"],
        /// Lists all keys.
        SessionHelp = "help" ["f1", "?"],
    }
    Edit {
        /// Takes what was typed.
        Save = "save" ["enter"],
        /// Leaves without a change.
        Discard = "discard" ["esc", "ctrl+c"],
        /// One character to the left.
        CharLeft = "char-left" ["left", "ctrl+b"],
        /// One character to the right.
        CharRight = "char-right" ["right", "ctrl+f"],
        /// One word to the left.
        WordLeft = "word-left" ["alt+left", "ctrl+left", "alt+b"],
        /// One word to the right.
        WordRight = "word-right" ["alt+right", "ctrl+right", "alt+f"],
        /// To the beginning.
        LineStart = "line-start" ["home", "ctrl+a"],
        /// To the end.
        LineEnd = "line-end" ["end", "ctrl+e"],
        /// Deletes the character before the cursor.
        DeleteBack = "delete-back" ["backspace", "ctrl+h"],
        /// Deletes the character behind the cursor.
        DeleteForward = "delete-forward" ["delete", "ctrl+d"],
        /// Deletes the word before the cursor.
        DeleteWord = "delete-word" ["ctrl+w", "alt+backspace"],
        /// Deletes everything before the cursor.
        DeleteToStart = "delete-to-start" ["ctrl+u"],
        /// Deletes everything behind the cursor.
        DeleteToEnd = "delete-to-end" ["ctrl+k"],
    }
    Choice {
        /// Goes to the choice above.
        ChoiceUp = "up" ["up"],
        /// Goes to the choice below.
        ChoiceDown = "down" ["down"],
        /// Takes the choice.
        Choose = "choose" ["enter"],
        /// Goes back.
        Back = "back" ["esc", "ctrl+c"],
    }
    Page {
        /// One line up.
        LineUp = "line-up" ["up"],
        /// One line down.
        LineDown = "line-down" ["down"],
        /// One screenful up.
        ScreenUp = "screen-up" ["left", "pageup"],
        /// One screenful down.
        ScreenDown = "screen-down" ["right", "pagedown", "space"],
        /// To the beginning.
        Top = "top" ["home"],
        /// To the end.
        Bottom = "bottom" ["end"],
        /// Leaves the page.
        Leave = "leave" ["esc", "q", "ctrl+c", "f1", "enter"],
    }
}

/// What is wrong with the keys of settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeymapError {
    /// No action has that name.
    #[error("no action {action}")]
    UnknownAction {
        /// What was given.
        action: String,
    },
    /// No key has that name.
    #[error("no key {key}")]
    UnknownKey {
        /// The action that should get it.
        action: String,
        /// What was given.
        key: String,
    },
    /// Two actions shall have one key.
    #[error("{key} is given twice")]
    Twice {
        /// The key.
        key: String,
        /// The one.
        action: String,
        /// The other.
        other: String,
    },
}

/// Keys by action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap(BTreeMap<Action, Vec<Key>>);

impl Default for Keymap {
    fn default() -> Self {
        let keys = |names: &[&str]| names.iter().filter_map(|name| Key::parse(name)).collect();
        Self(TABLE.iter().map(|(_, action, _, names)| (*action, keys(names))).collect())
    }
}

impl Keymap {
    /// The defaults with the changes of settings: names such as `tree.label` with their keys. A key that an action
    /// is given is taken from the action that had it.
    pub fn with<'a>(changes: impl IntoIterator<Item = (&'a str, Vec<&'a str>)>) -> Result<Self, KeymapError> {
        let mut map = Self::default();
        let mut given: BTreeMap<Action, &str> = BTreeMap::new();
        for (name, keys) in changes {
            let is_meant = |(place, _, action, _): &&(Place, Action, &str, &[&str])| {
                name.split_once('.') == Some((place.name(), action))
            };
            let Some((place, action, ..)) = TABLE.iter().find(is_meant) else {
                return Err(KeymapError::UnknownAction { action: name.into() });
            };
            let mut parsed = Vec::new();
            for key in keys {
                let unknown = || KeymapError::UnknownKey { action: name.into(), key: key.into() };
                let wanted = Key::parse(key).ok_or_else(unknown)?;
                if let Some(other) = map.find(*place, wanted).and_then(|other| given.get(&other)) {
                    let (key, action, other) = (key.into(), name.into(), (*other).into());
                    return Err(KeymapError::Twice { key, action, other });
                }
                map.take(*place, wanted);
                parsed.push(wanted);
            }
            map.0.insert(*action, parsed);
            given.insert(*action, name);
        }
        Ok(map)
    }

    fn take(&mut self, place: Place, key: Key) {
        for (_, action, ..) in TABLE.iter().filter(|(of, ..)| *of == place) {
            self.0.entry(*action).or_default().retain(|known| *known != key);
        }
    }

    /// What a key does at a place.
    pub fn find(&self, place: Place, key: Key) -> Option<Action> {
        let mut here = TABLE.iter().filter(|(of, ..)| *of == place);
        here.find(|(_, action, ..)| self.0.get(action).is_some_and(|keys| keys.contains(&key)))
            .map(|(_, action, ..)| *action)
    }

    /// The keys of an action.
    pub fn keys(&self, action: Action) -> &[Key] {
        self.0.get(&action).map_or(&[], Vec::as_slice)
    }

    /// The keys of an action as people read them, `↑`, or `Shift+L, Ctrl+L`.
    pub fn said(&self, action: Action) -> String {
        self.keys(action).iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    /// All actions at a place, with the names in settings, in the order of the help page.
    pub fn actions(place: Place) -> impl Iterator<Item = (Action, &'static str)> {
        TABLE.iter().filter(move |(of, ..)| *of == place).map(|(_, action, name, _)| (*action, *name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_key_and_means_one_thing() {
        for (place, action, name, keys) in TABLE {
            for key in *keys {
                let key = Key::parse(key).unwrap_or_else(|| panic!("{name}: {key}"));
                assert_eq!(Keymap::default().find(*place, key), Some(*action), "{name}: {key}");
            }
        }
    }

    #[test]
    fn settings_take_a_key_from_whoever_had_it() {
        let map = Keymap::with([("tree.copy", vec!["ctrl+o", "f2"])]).expect("good keys");
        let find = |name: &str| map.find(Place::Tree, Key::parse(name).expect("a key"));
        assert_eq!(find("ctrl+o"), Some(Action::Copy));
        assert_eq!(find("f2"), Some(Action::Copy));
        assert_eq!(find("ctrl+y"), None);
        assert_eq!(map.said(Action::Copy), "Ctrl+O, F2");
        assert_eq!(map.keys(Action::NextFilter), &[]);
    }

    #[test]
    fn wrong_settings_are_named() {
        let wrong =
            |changes: Vec<(&'static str, Vec<&'static str>)>| Keymap::with(changes).expect_err("wrong");
        assert_eq!(
            wrong(vec![("tree.jump", vec!["x"])]),
            KeymapError::UnknownAction { action: "tree.jump".into() }
        );
        assert_eq!(
            wrong(vec![("tree.copy", vec!["ctlr+x"])]),
            KeymapError::UnknownKey { action: "tree.copy".into(), key: "ctlr+x".into() }
        );
        assert_eq!(
            wrong(vec![("tree.copy", vec!["f2"]), ("tree.fork", vec!["f2"])]),
            KeymapError::Twice { key: "f2".into(), action: "tree.fork".into(), other: "tree.copy".into() }
        );
    }
}
