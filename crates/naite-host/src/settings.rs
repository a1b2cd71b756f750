//! What a person set in `settings.toml` of Naite's home: read, never written.

use std::path::Path;

use naite_store::Fs;

/// Reads `durability`: whether log lines of hooks are to be on the disk before the agent goes on.
pub(crate) fn durability(fs: &dyn Fs, home: &Path) -> Result<bool, String> {
    let path = home.join("settings.toml");
    let file = match fs.open(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        opened => opened.map_err(|error| format!("cannot read {}: {error}", path.display()))?,
    };
    let mut bytes = vec![0; file.meta().map_or(0, |meta| meta.len.min(1 << 20)) as usize];
    let read =
        file.read_at(&mut bytes, 0).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes[..read]);
    let document: toml_edit::DocumentMut =
        text.parse().map_err(|error| format!("{} is no TOML: {error}", path.display()))?;
    match document.get("durability").map(|item| item.as_str()) {
        None | Some(Some("turn" | "always")) => Ok(true),
        Some(Some("never")) => Ok(false),
        Some(_) => Err(format!("durability in {} is not `turn`, `always` or `never`", path.display())),
    }
}
