//! Which sessions a person pinned: ids, one a line, in `pins` of Naite's home. Session files know nothing of it.

use std::collections::HashSet;
use std::path::PathBuf;

use naite_store::replace_whole;

use crate::env::Environment;

/// No list of pins is longer, in bytes.
const LONGEST: u64 = 1 << 20;

fn path(env: &Environment) -> PathBuf {
    env.home.join("pins")
}

/// The pinned sessions, by id; none where there is no file.
pub fn read(env: &Environment) -> std::io::Result<HashSet<String>> {
    let file = match env.fs().open(&path(env)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(HashSet::new()),
        opened => opened?,
    };
    let mut bytes = vec![0; file.meta()?.len.min(LONGEST) as usize];
    let read = file.read_at(&mut bytes, 0)?;
    let text = String::from_utf8_lossy(&bytes[..read]);
    Ok(text.lines().map(str::trim).filter(|id| !id.is_empty()).map(String::from).collect())
}

/// Pins a session, or unpins it, and gives all that are pinned then. What another process pinned meanwhile stays.
pub fn set(env: &Environment, id: &str, on: bool) -> std::io::Result<HashSet<String>> {
    let mut pins = read(env)?;
    // An id with a line break in it could not be told from two.
    if on && !id.contains(['\n', '\r']) {
        pins.insert(id.into());
    } else {
        pins.remove(id);
    }
    let mut sorted: Vec<&str> = pins.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    let text: String = sorted.iter().map(|id| format!("{id}\n")).collect();
    replace_whole(env.fs().as_ref(), &path(env), text.as_bytes())?;
    Ok(pins)
}
