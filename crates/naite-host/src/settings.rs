//! What a person set in `settings.toml` of Naite's home: read, never written.

use std::path::{Path, PathBuf};

use naite_core::outline::Filter;
use naite_store::Fs;
use toml_edit::{DocumentMut, Item, TableLike};

/// No settings file is longer, in bytes.
const LONGEST: u64 = 1 << 20;

/// Settings; what the file does not name has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Language of screens and messages (`lang`).
    pub lang: Option<String>,
    /// Colours (`theme`): `dark`, `light` or `plain`.
    pub theme: Option<String>,
    /// The filter that a navigator starts with (`treeFilterMode`).
    pub tree_filter: Option<Filter>,
    /// Ask for a summary when a branch is left (`branchSummary.enabled`).
    pub asks_for_summary: bool,
    /// Log lines of hooks may be lost when the machine stops (`durability = "never"`).
    pub is_hasty: bool,
    /// Keys of actions (`[keys]`): names of actions with names of keys, in the order of the file.
    pub keys: Vec<(String, Vec<String>)>,
}

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no TOML.
    #[error("{} is no TOML: {message}", path.display())]
    NotToml {
        /// The file.
        path: PathBuf,
        /// What the parser says, with line and column.
        message: String,
    },
    /// A value is not what it should be.
    #[error("{key} in {} is wrong", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// What it may be.
        wanted: &'static str,
    },
}

impl Settings {
    /// Reads the settings of a home; a missing file is none.
    pub fn read(fs: &dyn Fs, home: &Path) -> Result<Self, SettingsError> {
        let path = home.join("settings.toml");
        let unreadable = |source| SettingsError::Unreadable { path: path.clone(), source };
        let file = match fs.open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            opened => opened.map_err(unreadable)?,
        };
        let mut bytes = vec![0; file.meta().map_err(unreadable)?.len.min(LONGEST) as usize];
        let read = file.read_at(&mut bytes, 0).map_err(unreadable)?;
        Self::parse(&String::from_utf8_lossy(&bytes[..read]), &path)
    }

    /// Reads settings out of their text.
    pub fn parse(text: &str, path: &Path) -> Result<Self, SettingsError> {
        let not_toml = |error: toml_edit::TomlError| SettingsError::NotToml {
            path: path.into(),
            message: error.to_string().trim().into(),
        };
        let document: DocumentMut = text.parse().map_err(not_toml)?;
        let wrong = |key: &str, wanted| SettingsError::Wrong { path: path.into(), key: key.into(), wanted };
        let string = |key: &str| match document.get(key) {
            None => Ok(None),
            Some(item) => item.as_str().map(|text| Some(text.to_owned())).ok_or_else(|| wrong(key, "a text")),
        };
        let filter = match string("treeFilterMode")? {
            None => None,
            Some(name) => Some(Filter::from_name(&name).ok_or_else(|| {
                wrong("treeFilterMode", "default, no-tools, user-only, labeled-only or all")
            })?),
        };
        let theme = string("theme")?;
        if theme.as_deref().is_some_and(|theme| !matches!(theme, "dark" | "light" | "plain")) {
            return Err(wrong("theme", "dark, light or plain"));
        }
        let asks = match document
            .get("branchSummary")
            .and_then(Item::as_table_like)
            .and_then(|t| t.get("enabled"))
        {
            None => false,
            Some(item) => item.as_bool().ok_or_else(|| wrong("branchSummary.enabled", "true or false"))?,
        };
        let is_hasty = match string("durability")?.as_deref() {
            None | Some("turn" | "always") => false,
            Some("never") => true,
            Some(_) => return Err(wrong("durability", "turn, always or never")),
        };
        let keys = match document.get("keys") {
            None => Vec::new(),
            Some(item) => {
                let table = item.as_table_like().ok_or_else(|| wrong("keys", "a table"))?;
                keys("", table)
                    .ok_or_else(|| wrong("keys", "a key name or a list of key names for each action"))?
            }
        };
        Ok(Self { lang: string("lang")?, theme, tree_filter: filter, asks_for_summary: asks, is_hasty, keys })
    }
}

/// Reads the table of keys; `tree.label = "f2"` and `"tree.label" = ["f2"]` mean the same.
fn keys(prefix: &str, table: &dyn TableLike) -> Option<Vec<(String, Vec<String>)>> {
    let mut all = Vec::new();
    for (name, item) in table.iter() {
        let name = format!("{prefix}{name}");
        if let Some(one) = item.as_str() {
            all.push((name, vec![one.to_owned()]));
        } else if let Some(many) = item.as_array() {
            let names = many.iter().map(|key| key.as_str().map(str::to_owned));
            all.push((name, names.collect::<Option<_>>()?));
        } else if prefix.is_empty() {
            all.extend(keys(&format!("{name}."), item.as_table_like()?)?);
        } else {
            return None;
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Settings, SettingsError> {
        Settings::parse(text, Path::new("settings.toml"))
    }

    #[test]
    fn everything_is_read() {
        let settings = parse(
            "durability = \"never\"\nlang = \"ko\"\ntheme = \"light\"\ntreeFilterMode = \"no-tools\"\n[branchSummary]\nenabled = true\n\
             [keys]\ntree.label = \"f2\"\n\"tree.copy\" = [\"ctrl+c\", \"f3\"]\n",
        );
        let keys = [("tree.label", vec!["f2"]), ("tree.copy", vec!["ctrl+c", "f3"])];
        let keys = keys.map(|(name, keys)| (name.to_owned(), keys.into_iter().map(str::to_owned).collect()));
        assert_eq!(
            settings.expect("good settings"),
            Settings {
                lang: Some("ko".into()),
                theme: Some("light".into()),
                tree_filter: Some(Filter::NoTools),
                asks_for_summary: true,
                is_hasty: true,
                keys: keys.into(),
            }
        );
        assert_eq!(parse("").expect("nothing"), Settings::default());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, said) in [
            ("lang = 1", "lang in settings.toml is wrong"),
            ("theme = \"pink\"", "theme in settings.toml is wrong"),
            ("treeFilterMode = \"x\"", "treeFilterMode in settings.toml is wrong"),
            ("[branchSummary]\nenabled = \"yes\"", "branchSummary.enabled in settings.toml is wrong"),
            ("durability = \"mostly\"", "durability in settings.toml is wrong"),
            ("[keys]\ntree = 1", "keys in settings.toml is wrong"),
        ] {
            assert_eq!(parse(text).expect_err("wrong").to_string(), said, "{text}");
        }
        assert!(parse("a = ").expect_err("wrong").to_string().contains("line 1"));
    }
}
