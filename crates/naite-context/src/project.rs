//! Which project a session belongs to: the tmux session, else `PROJECT_FOR_LOG`, else none.

use alloc::string::{String, ToString};

use naite_core::text::nfc;

use crate::name;

/// The name that stands for no project.
pub const DEFAULT: &str = "__default";

/// Which rule decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The name of the tmux session.
    Tmux,
    /// `PROJECT_FOR_LOG`.
    Environment,
    /// Neither is there.
    Neither,
}

/// A project, by the name that tmux or the environment gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    name: String,
    /// Which rule decided.
    pub rule: Rule,
}

impl Project {
    /// Decides: tmux before the environment; names that are empty count as not given.
    ///
    /// ```
    /// use naite_context::project::{Project, Rule};
    /// let project = Project::resolve(Some("workspace--quant__how"), Some("myapp"));
    /// assert_eq!((project.folder().as_str(), project.rule), ("workspace--quant__how", Rule::Tmux));
    /// assert_eq!(project.decoded(), "quant.how");
    /// assert!(Project::resolve(None, Some("")).is_default());
    /// ```
    pub fn resolve(tmux: Option<&str>, environment: Option<&str>) -> Self {
        let given = |name: Option<&str>| {
            name.map(str::trim).filter(|name| !name.is_empty()).map(|name| nfc(name).into_owned())
        };
        match (given(tmux), given(environment)) {
            (Some(name), _) => Self { name, rule: Rule::Tmux },
            (None, Some(name)) => Self { name, rule: Rule::Environment },
            (None, None) => Self { name: DEFAULT.into(), rule: Rule::Neither },
        }
    }

    /// The name as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Says whether there is no project: such a session is written to `sessions/` only.
    pub fn is_default(&self) -> bool {
        self.name == DEFAULT
    }

    /// The name of the project's folder.
    pub fn folder(&self) -> String {
        name::encode(&self.name)
    }

    /// The name for people.
    pub fn decoded(&self) -> String {
        decode(&self.name)
    }

    /// Says whether the name alone cannot tell two projects apart, so that the folder must agree as well: there is
    /// none, or tmux numbered the session itself.
    pub fn needs_place(&self) -> bool {
        self.is_default() || (self.rule == Rule::Tmux && self.name.bytes().all(|byte| byte.is_ascii_digit()))
    }
}

/// The name for people: tmux forbids dots, so `__` stands for one; a `<word>--` before the name is dropped.
fn decode(name: &str) -> String {
    if name == DEFAULT {
        return name.to_string();
    }
    let bare = match name.split_once("--") {
        Some((word, rest)) if !word.is_empty() && !rest.is_empty() && !word.contains(char::is_whitespace) => {
            rest
        }
        _ => name,
    };
    bare.replace("__", ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_name_that_is_there_wins() {
        for (tmux, environment, name, rule) in [
            (Some("a"), Some("b"), "a", Rule::Tmux),
            (Some(" "), Some("b"), "b", Rule::Environment),
            (None, Some("b"), "b", Rule::Environment),
            (None, Some("  "), DEFAULT, Rule::Neither),
            (Some(""), None, DEFAULT, Rule::Neither),
        ] {
            let project = Project::resolve(tmux, environment);
            assert_eq!((project.name(), project.rule), (name, rule));
        }
    }

    #[test]
    fn names_are_decoded_for_people() {
        for (name, decoded) in [
            ("workspace--quant__how", "quant.how"),
            ("quant__how", "quant.how"),
            ("workspace--", "workspace--"),
            ("--x", "--x"),
            ("a--b--c", "b--c"),
            ("my proj", "my proj"),
            ("프로젝트-1", "프로젝트-1"),
            (DEFAULT, DEFAULT),
        ] {
            assert_eq!(Project::resolve(Some(name), None).decoded(), decoded);
        }
    }

    #[test]
    fn a_name_that_says_nothing_needs_its_place() {
        assert!(
            Project::resolve(Some("0"), None).needs_place() && Project::resolve(None, None).needs_place()
        );
        assert!(
            !Project::resolve(None, Some("7")).needs_place()
                && !Project::resolve(Some("a1"), None).needs_place()
        );
    }
}
