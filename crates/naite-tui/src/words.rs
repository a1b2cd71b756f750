//! Words for people in English and Korean, looked up by ids that the compiler checks.

use std::fmt;
use std::sync::Arc;

use i18n_embed::LanguageLoader;
use i18n_embed::fluent::{FluentLanguageLoader, fluent_language_loader};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "i18n/"]
struct Files;

/// A language that Naite speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Korean.
    Korean,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 2] = [Self::English, Self::Korean];

    /// Reads a tag or the name of a locale: `ko`, `ko_KR.UTF-8`, `en-US`; `None` for another language.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let tag = tag.to_ascii_lowercase();
        match tag.split(['_', '-', '.', '@']).next()? {
            "ko" | "korean" => Some(Self::Korean),
            "en" | "english" => Some(Self::English),
            _ => None,
        }
    }

    /// The language tag.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Korean => "ko",
        }
    }
}

/// The words of one language.
#[derive(Clone)]
pub struct Words(Arc<FluentLanguageLoader>);

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Words").field(&self.0.current_language().to_string()).finish()
    }
}

impl Default for Words {
    fn default() -> Self {
        Self::new(Language::default())
    }
}

impl Words {
    /// The words of a language.
    pub fn new(language: Language) -> Self {
        let loader: FluentLanguageLoader = fluent_language_loader!();
        // The files are part of the program and a test reads them all, so that nothing can be missing here.
        let wanted = language.tag().parse().map(|tag| vec![tag]).unwrap_or_default();
        let _ = loader.load_languages(&Files, &wanted);
        loader.set_use_isolating(false);
        Self(Arc::new(loader))
    }

    /// What looks words up; the argument of `fl!`.
    pub fn loader(&self) -> &FluentLanguageLoader {
        &self.0
    }

    /// The words of an id that is put together at run time.
    pub fn get(&self, id: &str) -> String {
        self.0.get(id)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::keymap::{Keymap, Place};

    fn ids(language: Language) -> BTreeSet<String> {
        let path = format!("{}/naite-tui.ftl", language.tag());
        let file = Files::get(&path).expect("a file of words");
        let text = String::from_utf8(file.data.into_owned()).expect("UTF-8");
        let names = text.lines().filter_map(|line| line.split_once(" = "));
        names
            .filter(|(name, _)| !name.starts_with([' ', '#', '[']))
            .map(|(name, _)| name.to_owned())
            .collect()
    }

    #[test]
    fn both_languages_have_the_same_words() {
        assert!(ids(Language::English).len() > 50);
        assert_eq!(ids(Language::English), ids(Language::Korean));
    }

    #[test]
    fn every_action_has_words() {
        let known = ids(Language::English);
        for place in [Place::Tree, Place::Sessions, Place::Edit, Place::Choice, Place::Page] {
            for (_, name) in Keymap::actions(place) {
                assert!(known.contains(&format!("do-{}-{name}", place.name())), "{name}");
            }
        }
    }

    #[test]
    fn locales_are_read() {
        for (tag, language) in [
            ("ko_KR.UTF-8", Some(Language::Korean)),
            ("ko", Some(Language::Korean)),
            ("en-US", Some(Language::English)),
            ("C.UTF-8", None),
            ("", None),
        ] {
            assert_eq!(Language::from_tag(tag), language, "{tag}");
        }
    }
}
