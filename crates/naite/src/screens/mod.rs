//! Screens of this program: what settings and the environment make of them, and the loops that drive them.

mod load;
mod navigator;
mod sessions;
mod workers;

use i18n_embed_fl::fl;
use naite_host::{Environment, Settings};
use naite_tui::{Keymap, KeymapError, Language, Palette, Theme, Words};

pub(crate) use navigator::{Ended, navigate};
pub(crate) use sessions::pick;

/// A screen was ended by a signal; the program ends as the signal wants.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("ended by signal {0}")]
pub(crate) struct Interrupted(pub(crate) i32);

/// What all screens need.
#[derive(Clone)]
pub(crate) struct Looks {
    pub(crate) settings: Settings,
    pub(crate) keymap: Keymap,
    pub(crate) theme: Theme,
    pub(crate) words: Words,
}

impl Looks {
    /// Reads settings; what the command line says about the language goes first.
    pub(crate) fn read(env: &Environment, lang: Option<Language>) -> anyhow::Result<Self> {
        let settings = Settings::read(env.fs().as_ref(), &env.home)?;
        let words = Words::new(language(env, lang, settings.lang.as_deref()));
        let changes = settings.keys.iter();
        let changes = changes.map(|(name, keys)| (name.as_str(), keys.iter().map(String::as_str).collect()));
        let keymap = Keymap::with(changes).map_err(|error| anyhow::anyhow!(keymap_words(&words, &error)))?;
        let named = settings.theme.as_deref().and_then(Palette::from_name);
        let palette = match (env.surroundings.no_color, named, env.surroundings.light) {
            (true, ..) => Palette::Plain,
            (_, Some(named), _) => named,
            (_, None, true) => Palette::Light,
            (_, None, false) => Palette::Dark,
        };
        Ok(Self { settings, keymap, theme: Theme::new(palette), words })
    }
}

/// The language: as the command line says, else settings, else the locale, else English.
pub(crate) fn language(env: &Environment, given: Option<Language>, set: Option<&str>) -> Language {
    let locale = env.surroundings.locale.as_deref();
    given
        .or_else(|| set.and_then(Language::from_tag))
        .or_else(|| locale.and_then(Language::from_tag))
        .unwrap_or_default()
}

fn keymap_words(words: &Words, error: &KeymapError) -> String {
    let loader = words.loader();
    match error {
        KeymapError::UnknownAction { action } => fl!(loader, "keys-unknown-action", action = action.as_str()),
        KeymapError::UnknownKey { action, key } => {
            fl!(loader, "keys-unknown-key", action = action.as_str(), key = key.as_str())
        }
        KeymapError::Twice { key, action, other } => {
            fl!(loader, "keys-twice", key = key.as_str(), action = action.as_str(), other = other.as_str())
        }
    }
}
