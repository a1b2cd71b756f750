//! Which stores may put text into a conversation: a clone brings its own, and that is somebody else's text.
//!
//! A root is trusted if it is the one in the user's home, if Naite made its data here, or if a person said so
//! (`naite trust`); the first two only while git does not track its data. What was decided is kept in Naite's home
//! with the identity of the folder, so that another folder in its place is not believed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use naite_core::entry::iso;
use naite_core::text::json::{self, Object, ObjectWriter};
use naite_store::{Fs, replace_whole};

use crate::git;

/// How a root came to be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Naite made its data.
    Made,
    /// A person said so.
    Said,
}

/// Whether text of a root may be put into a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    Trusted,
    /// Its data came from elsewhere.
    Foreign,
    /// Git tracks its data: whoever writes to the repository writes there.
    Tracked,
}

/// What was decided about roots, in Naite's home.
#[derive(Clone, Debug)]
pub struct Trust {
    fs: Arc<dyn Fs>,
    home: PathBuf,
    user_home: Option<PathBuf>,
}

/// A decision.
struct Decision {
    path: String,
    identity: (u64, u64),
    reason: Reason,
    at: String,
}

impl Trust {
    /// Reads and keeps decisions in Naite's home; `user_home` is where the user's own root is.
    pub fn new(fs: Arc<dyn Fs>, home: impl Into<PathBuf>, user_home: Option<PathBuf>) -> Self {
        Self { fs, home: home.into(), user_home }
    }

    fn file(&self) -> PathBuf {
        self.home.join("trust.json")
    }

    fn decisions(&self) -> Vec<Decision> {
        let text = self.fs.open(&self.file()).ok().and_then(|file| {
            let mut bytes = vec![0; file.meta().ok()?.len as usize];
            let read = file.read_at(&mut bytes, 0).ok()?;
            bytes.truncate(read);
            String::from_utf8(bytes).ok()
        });
        let text = text.unwrap_or_default();
        let read = |raw: &str| {
            let object = Object::parse(raw)?;
            let identity = json::array(object.raw("identity")?)?;
            Some(Decision {
                path: object.str("path")?.into_owned(),
                identity: (identity.first()?.parse().ok()?, identity.get(1)?.parse().ok()?),
                reason: if object.str("reason")? == "said" { Reason::Said } else { Reason::Made },
                at: object.str("at")?.into_owned(),
            })
        };
        let roots = Object::parse(&text).and_then(|object| json::array(object.raw("roots")?));
        roots.unwrap_or_default().into_iter().filter_map(read).collect()
    }

    /// Which folder a root's data is: its path without links, and its identity.
    fn place(&self, root: &Path) -> Option<(String, (u64, u64))> {
        let data = root.join("data/context");
        let path = self.fs.canonical(&data).ok()?;
        Some((path.to_str()?.to_owned(), self.fs.meta(&data).ok()?.identity))
    }

    /// Remembers a decision about a root, whose folder must be there.
    pub fn remember(&self, root: &Path, reason: Reason, now: i64) -> std::io::Result<()> {
        let Some((path, identity)) = self.place(root) else {
            return Err(std::io::ErrorKind::NotFound.into());
        };
        let mut decisions = self.decisions();
        decisions.retain(|decision| decision.path != path);
        decisions.push(Decision { path, identity, reason, at: iso(now) });
        self.write(&decisions)
    }

    /// Forgets what was decided about a root; says whether anything was.
    pub fn withdraw(&self, root: &Path) -> std::io::Result<bool> {
        let Some((path, _)) = self.place(root) else { return Ok(false) };
        let mut decisions = self.decisions();
        let before = decisions.len();
        decisions.retain(|decision| decision.path != path);
        self.write(&decisions)?;
        Ok(decisions.len() < before)
    }

    fn write(&self, decisions: &[Decision]) -> std::io::Result<()> {
        let roots = decisions.iter().map(|decision| {
            ObjectWriter::new()
                .str("path", &decision.path)
                .raw("identity", &format!("[{},{}]", decision.identity.0, decision.identity.1))
                .str("reason", if decision.reason == Reason::Said { "said" } else { "made" })
                .str("at", &decision.at)
                .end()
        });
        let text = ObjectWriter::new().raw("roots", &json::join(roots)).end() + "\n";
        replace_whole(self.fs.as_ref(), &self.file(), text.as_bytes())
    }

    /// Decides about a root.
    pub fn verdict(&self, root: &Path) -> Verdict {
        let place = self.place(root);
        let known = place.as_ref().and_then(|(path, identity)| {
            self.decisions().into_iter().find(|known| (&known.path, &known.identity) == (path, identity))
        });
        if known.as_ref().is_some_and(|known| known.reason == Reason::Said) {
            return Verdict::Trusted;
        }
        let own = self.user_home.as_ref().map(|home| home.join(".ai-core"));
        let is_own = own.is_some_and(|own| self.fs.canonical(&own).ok() == self.fs.canonical(root).ok());
        if known.is_none() && !is_own {
            return Verdict::Foreign;
        }
        if self.is_tracked(root) { Verdict::Tracked } else { Verdict::Trusted }
    }

    /// Says whether git tracks anything of a root's data. What git said is remembered until its index changes.
    fn is_tracked(&self, root: &Path) -> bool {
        let Some(repository) = git::repository(self.fs.as_ref(), root) else { return false };
        let Ok(index) = self.fs.meta(&repository.folder.join("index")) else { return false };
        let data = root.join("data");
        let key = path_hash(data.as_os_str().as_encoded_bytes());
        let note = self.home.join("index").join(format!("git-{key:016x}"));
        let state = format!("{} {} {} {}", index.len, index.mtime, index.identity.0, index.identity.1);
        if let Some(known) = self.read_note(&note)
            && let Some(answer) = known.strip_prefix(&state)
        {
            return answer.trim() == "tracked";
        }
        let asked = Command::new("git")
            .arg("-C")
            .arg(&repository.root)
            .args(["ls-files", "-z", "--"])
            .arg(&data)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        // Without an answer nothing is put in.
        let is_tracked = !asked.is_ok_and(|asked| asked.status.success() && asked.stdout.is_empty());
        let answer = format!("{state} {}\n", if is_tracked { "tracked" } else { "untracked" });
        let _ = replace_whole(self.fs.as_ref(), &note, answer.as_bytes());
        is_tracked
    }

    fn read_note(&self, note: &Path) -> Option<String> {
        let file = self.fs.open(note).ok()?;
        let mut text = [0; 256];
        let read = file.read_at(&mut text, 0).ok()?;
        String::from_utf8(text[..read].to_vec()).ok()
    }
}

/// A hash that tells paths apart; the first eight bytes of SHA-256.
fn path_hash(bytes: &[u8]) -> u64 {
    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(bytes);
    digest.iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}
