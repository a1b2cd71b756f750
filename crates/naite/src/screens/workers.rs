//! Threads of the session picker: one reads the list, one previews, one searches. They say what they have and ring.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use naite_core::Ix;
use naite_core::entry::{Kind, Role};
use naite_core::outline::{plain_text, search_text};
use naite_core::text::{Needles, prefix_graphemes};
use naite_host::{Environment, Holding};
use naite_store::{Access, Catalog, Ending, LogName, SessionManager, SessionRow};
use naite_tui::sessions::{Agent, Message, Row, Said, Speaker, State, Unreadable};

use crate::terminal::Bell;
use crate::words;

/// Messages of a preview.
const SPOKEN: usize = 12;
/// Graphemes of a message in a preview.
const LONG: usize = 4000;
/// Entries of a file that are searched before it is asked whether the search is still wanted.
const STRIDE: usize = 64;

/// A search in some files.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) search: u64,
    pub(super) query: String,
    pub(super) files: Vec<(PathBuf, String)>,
}

/// What threads share with the screen.
#[derive(Clone)]
struct Shared {
    env: Arc<Environment>,
    bell: Bell,
    say: Sender<(u64, Message)>,
    /// The number of the last reading; older ones end.
    reading: Arc<AtomicU64>,
    /// The number of the last search.
    searching: Arc<AtomicU64>,
}

impl Shared {
    fn say(&self, reading: u64, message: Message) -> bool {
        let is_heard = self.say.send((reading, message)).is_ok();
        self.bell.ring();
        is_heard
    }
}

/// The threads.
pub(super) struct Workers {
    shared: Shared,
    said: Receiver<(u64, Message)>,
    search: Sender<Search>,
    preview: Sender<PathBuf>,
    /// One reading at a time: two would write the cache of rows over each other.
    turn: Arc<Mutex<()>>,
}

impl Workers {
    pub(super) fn start(env: &Environment, bell: Bell) -> std::io::Result<Self> {
        let (say, said) = mpsc::channel();
        let (search, searches) = mpsc::channel();
        let (preview, previews) = mpsc::channel();
        let number = || Arc::new(AtomicU64::new(0));
        let env = Arc::new(env.clone());
        let shared = Shared { env, bell, say, reading: number(), searching: number() };
        let (searcher, previewer) = (shared.clone(), shared.clone());
        thread::Builder::new().name("search".into()).spawn(move || search_all(&searcher, &searches))?;
        thread::Builder::new().name("preview".into()).spawn(move || preview_all(&previewer, &previews))?;
        Ok(Self { shared, said, search, preview, turn: Arc::default() })
    }

    /// What was said since. What an older reading says is void.
    pub(super) fn said(&self) -> Vec<Message> {
        let reading = self.shared.reading.load(Ordering::SeqCst);
        let all = self.said.try_iter();
        all.filter(|(of, _)| *of == 0 || *of == reading).map(|(_, message)| message).collect()
    }

    pub(super) fn search(&self, search: Search) {
        self.shared.searching.store(search.search, Ordering::SeqCst);
        let _ = self.search.send(search);
    }

    pub(super) fn preview(&self, file: PathBuf) {
        let _ = self.preview.send(file);
    }

    /// Reads the list; a reading that goes on ends.
    pub(super) fn read(&self) -> std::io::Result<()> {
        let reading = self.shared.reading.fetch_add(1, Ordering::SeqCst) + 1;
        let (shared, turn) = (self.shared.clone(), Arc::clone(&self.turn));
        thread::Builder::new().name("list".into()).spawn(move || {
            let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            let is_last = || shared.reading.load(Ordering::SeqCst) == reading;
            shared
                .env
                .in_batches(&mut |batch| is_last() && shared.say(reading, batch_message(&shared.env, batch)));
            if is_last() {
                shared.say(reading, Message::Read);
            }
        })?;
        Ok(())
    }
}

fn batch_message(env: &Environment, batch: Catalog) -> Message {
    let unreadable = batch.unreadable.into_iter().map(|file| Unreadable {
        file: file.path.to_string_lossy().into_owned(),
        reason: words::explain(&file.error.into()).what,
    });
    let cwd = env.cwd_text();
    let home = crate::commands::home(env);
    Message::Batch {
        unreadable: unreadable.collect(),
        rows: batch.rows.into_iter().map(|row| row_of(env, row, &cwd, home.as_deref())).collect(),
    }
}

fn row_of(env: &Environment, row: SessionRow, cwd: &str, home: Option<&str>) -> Row {
    let below = |folder: &Option<PathBuf>| folder.as_ref().is_some_and(|folder| row.path.starts_with(folder));
    let agent = match row.program {
        Some(_) => Agent::ClaudeCode,
        None if below(&env.pi) => Agent::Pi,
        None if below(&env.omp) => Agent::Omp,
        None => Agent::Naite,
    };
    let folder = row.cwd.as_deref();
    Row {
        is_here: folder.is_some_and(|of| naite_core::text::nfc(of) == naite_core::text::nfc(cwd)),
        is_open: env.is_held(&row.path),
        folder: folder.map(|folder| crate::commands::sessions::tilde(folder, home)),
        file: row.path,
        id: row.id,
        name: row.name,
        first_prompt: row.first_prompt,
        active: row.active,
        messages: row.messages,
        bytes: row.bytes,
        agent,
        state: match row.ending {
            Ending::Complete => State::Complete,
            Ending::Interrupted => State::Interrupted,
            Ending::Error => State::Error,
        },
        labels: row.labels,
        parent: row.parent_session,
        defects: row.defects,
    }
}

fn open(env: &Environment, file: &Path) -> naite_store::Result<SessionManager> {
    SessionManager::open(env.setup(Holding::default()), LogName::new(file), Access::Read)
}

fn preview_all(shared: &Shared, previews: &Receiver<PathBuf>) {
    while let Ok(file) = previews.recv() {
        // Only the last wish counts.
        let file = previews.try_iter().last().unwrap_or(file);
        let said = match preview(&shared.env, &file) {
            Ok(said) => said,
            Err(error) => vec![(Speaker::Other, words::explain(&error.into()).what)],
        };
        if !shared.say(0, Message::Preview { file, said }) {
            return;
        }
    }
}

/// The last things said on the active path.
fn preview(env: &Environment, file: &Path) -> naite_store::Result<Said> {
    let mut session = open(env, file)?;
    let tree = session.tree();
    let is_spoken = |ix: &Ix| {
        let head = tree.head(*ix);
        let speaks = head.kind == Kind::Message && matches!(head.role, Role::User | Role::Assistant);
        (speaks && head.has_text()) || matches!(head.kind, Kind::Compaction | Kind::BranchSummary)
    };
    let mut last: Vec<Ix> = tree.ancestry(session.leaf()).filter(is_spoken).take(SPOKEN).collect();
    last.reverse();
    let mut said = Said::new();
    session.each_entry(&last, |_, _, entry, _| {
        let who = match (entry.kind, entry.role) {
            (Kind::Message, Role::User) => Speaker::User,
            (Kind::Message, _) => Speaker::Assistant,
            _ => Speaker::Other,
        };
        said.push((who, prefix_graphemes(&plain_text(entry), LONG).into()));
    })?;
    Ok(said)
}

fn search_all(shared: &Shared, searches: &Receiver<Search>) {
    let mut waiting: VecDeque<(u64, Needles, PathBuf, String)> = VecDeque::new();
    loop {
        if waiting.is_empty() {
            match searches.recv() {
                Ok(search) => queue(&mut waiting, search),
                Err(_) => return,
            }
        }
        for search in searches.try_iter() {
            queue(&mut waiting, search);
        }
        let wanted = shared.searching.load(Ordering::SeqCst);
        waiting.retain(|(search, ..)| *search == wanted);
        let Some((search, needles, file, known)) = waiting.pop_front() else { continue };
        let is_wanted = || shared.searching.load(Ordering::SeqCst) == search;
        // What cannot be read is found by nothing; the list says that it cannot be read.
        let is_hit = find(&shared.env, &file, &needles, &known, &is_wanted).unwrap_or(false);
        let files = if is_hit { vec![file] } else { Vec::new() };
        if !shared.say(0, Message::Found { search, files, searched: 1 }) {
            return;
        }
    }
}

fn queue(waiting: &mut VecDeque<(u64, Needles, PathBuf, String)>, search: Search) {
    let needles = Needles::new(&search.query);
    waiting
        .extend(search.files.into_iter().map(|(file, known)| (search.search, needles.clone(), file, known)));
}

/// Says whether a session holds all words, those in what is known of it already included.
fn find(
    env: &Environment,
    file: &Path,
    needles: &Needles,
    known: &str,
    is_wanted: &dyn Fn() -> bool,
) -> naite_store::Result<bool> {
    let mut missing: Vec<String> =
        needles.words().filter(|word| !known.contains(word)).map(String::from).collect();
    let mut session = open(env, file)?;
    let entries: Vec<Ix> = session.tree().entries().collect();
    for some in entries.chunks(STRIDE) {
        if missing.is_empty() || !is_wanted() {
            break;
        }
        session.each_entry(some, |tree, ix, entry, caller| {
            let text = search_text(entry, tree.label(ix), caller, None);
            missing.retain(|word| !text.contains(word.as_str()));
        })?;
    }
    Ok(missing.is_empty())
}
