//! The loop of the navigator: it wakes, feeds the model, does what the model wants done, and draws.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use naite_core::outline::{Filter, Progress};
use naite_core::{EntryId, Ix};
use naite_host::{Environment, Holding};
use naite_store::{Access, LogName, Moved, Navigated, SessionManager, StoreError, Watched};
use naite_tui::input::Input;
use naite_tui::navigator::{self, Effect, Message, Navigator, Notice, Outcome, Summary, WhyNot};

use super::{Interrupted, Looks, load};
use crate::terminal::{self, Terminal, Wake, Wakes};
use crate::words;

/// How often it is looked whether another program grew the file.
const LOOK: Duration = Duration::from_millis(250);
/// A lone Escape is the key if nothing follows for so long.
const ESCAPE: Duration = Duration::from_millis(25);
/// A search works so long before it looks for keys again.
const SLICE: Duration = Duration::from_millis(6);
/// Bytes that a search looks at between two looks at the clock.
const STEP: usize = 256 * 1024;
/// While a search goes on, what it found is shown so often.
const SHOW: Duration = Duration::from_millis(50);

/// The signal that says that the terminal is gone.
const HANGUP: i32 = 1;

/// How a navigator ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// Nothing was chosen.
    Closed,
    /// The leaf was chosen.
    AlreadyThere,
    /// The leaf moved.
    Moved(Moved),
    /// A new session was made at this path, and should be gone on with.
    Continued(String),
}

struct Driver<'a> {
    env: &'a Environment,
    session: SessionManager,
    path: LogName,
    navigator: Navigator,
    terminal: &'a mut Terminal,
    home: Option<String>,
    size: (u16, u16),
    ended: Option<Ended>,
    is_gone: bool,
    /// What went wrong last while looking, so that it is said once.
    trouble: Option<String>,
}

/// Shows a session until something is chosen.
pub(crate) fn navigate(
    env: &Environment,
    looks: Looks,
    session: SessionManager,
    filter: Option<Filter>,
    query: Option<&str>,
) -> anyhow::Result<Ended> {
    let wakes = Wakes::new()?;
    let mut terminal = Terminal::take(env.surroundings.tmux)?;
    navigate_in(&mut terminal, &wakes, env, looks, session, filter, query)
}

/// The same on a terminal that is taken over already.
pub(super) fn navigate_in(
    terminal: &mut Terminal,
    wakes: &Wakes,
    env: &Environment,
    looks: Looks,
    session: SessionManager,
    filter: Option<Filter>,
    query: Option<&str>,
) -> anyhow::Result<Ended> {
    let path = LogName::new(session.path().unwrap_or(std::path::Path::new("")));
    let size = terminal::size();
    let newer = session.header().filter(|header| header.is_newer()).map(|_| WhyNot::Newer);
    let fixed = session.foreign().map(|_| WhyNot::Foreign).or(newer);
    let settings = navigator::Settings {
        title: title(&session),
        keymap: looks.keymap,
        theme: looks.theme,
        words: looks.words,
        filter: filter.or(looks.settings.tree_filter).unwrap_or_default(),
        asks_for_summary: looks.settings.asks_for_summary,
        fixed,
    };
    let (navigator, effects) = Navigator::new(session.tree(), session.leaf(), settings, size);
    let home = crate::commands::home(env);
    let mut driver = Driver {
        env,
        session,
        path,
        navigator,
        terminal,
        home,
        size,
        ended: None,
        is_gone: false,
        trouble: None,
    };
    driver.perform(effects)?;
    match driver.session.defects().len() {
        0 => {}
        count => driver.say(Message::Told(Notice::Damaged(count)))?,
    }
    if let Some(query) = query {
        driver.say(Message::Input(naite_tui::key::Event::Paste(query.into())))?;
    }
    driver.run(wakes)
}

/// What a session is called: its name, else its folder.
fn title(session: &SessionManager) -> String {
    let folder = || session.header().and_then(|header| header.cwd.clone());
    session.session_name().map(str::to_owned).or_else(folder).unwrap_or_default()
}

impl Driver<'_> {
    fn run(mut self, wakes: &Wakes) -> anyhow::Result<Ended> {
        let mut input = Input::default();
        let (mut looked, mut shown) = (Instant::now(), Instant::now());
        // When the last bytes came, of which some still wait for their rest.
        let mut last_bytes = Instant::now();
        self.draw()?;
        loop {
            let is_searching = self.navigator.list().searching().is_some();
            let patience = match (is_searching, input.is_waiting()) {
                (true, _) => Duration::ZERO,
                (_, true) => ESCAPE,
                _ => LOOK.saturating_sub(looked.elapsed()),
            };
            let wake = wakes.next(patience);
            let mut is_changed = true;
            match wake {
                Wake::Bytes(bytes) => {
                    last_bytes = Instant::now();
                    self.events(input.feed(&bytes))?;
                }
                Wake::Resized => {
                    self.size = terminal::size();
                    self.say(Message::Resized(self.size.0, self.size.1))?;
                }
                Wake::Ended(signal) => return Err(Interrupted(signal).into()),
                Wake::Closed => return Err(Interrupted(HANGUP).into()),
                // News are for the screen behind this one, which looks for itself.
                Wake::Quiet | Wake::News => {
                    is_changed = input.is_waiting() && last_bytes.elapsed() >= ESCAPE;
                    if is_changed {
                        self.events(input.flush())?;
                    }
                }
            }
            if let Some(ended) = self.ended.take() {
                return Ok(ended);
            }
            if looked.elapsed() >= LOOK {
                is_changed |= self.look()?;
                if self.navigator.is_turning() {
                    self.say(Message::Tick)?;
                    is_changed = true;
                }
                looked = Instant::now();
            }
            self.search(is_changed, &mut shown)?;
            if is_changed {
                self.draw()?;
            }
        }
    }

    fn events(&mut self, events: Vec<naite_tui::key::Event>) -> anyhow::Result<()> {
        for event in events {
            #[cfg(debug_assertions)]
            if matches!(event, naite_tui::key::Event::Key(key) if key.to_string() == "F24") {
                // Tests want to see what becomes of the terminal.
                panic!("F24 was pressed");
            }
            self.say(Message::Input(event))?;
            if self.ended.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Lets a search go on for a moment. What it found is shown at once after a key, else now and then.
    fn search(&mut self, after_key: bool, shown: &mut Instant) -> anyhow::Result<()> {
        if self.navigator.list().searching().is_none() {
            return Ok(());
        }
        let start = Instant::now();
        while start.elapsed() < SLICE {
            match self.navigator.search(STEP) {
                Progress::More => {}
                Progress::Wants(entries) => {
                    load::texts(&mut self.session, &mut self.navigator, &entries, self.home.as_deref());
                }
                Progress::Done => break,
            }
        }
        let is_done = self.navigator.list().searching().is_none();
        if after_key || is_done || shown.elapsed() >= SHOW {
            let effects = self.navigator.show_found(self.session.tree());
            self.perform(effects)?;
            self.draw()?;
            *shown = Instant::now();
        }
        Ok(())
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        let Self { terminal, navigator, size, .. } = self;
        Ok(terminal.draw(*size, |area, buffer| navigator::view(navigator, area, buffer))?)
    }

    fn say(&mut self, message: Message) -> anyhow::Result<()> {
        let effects = self.navigator.update(self.session.tree(), message);
        self.perform(effects)
    }

    fn perform(&mut self, effects: Vec<Effect>) -> anyhow::Result<()> {
        let mut waiting = VecDeque::from(effects);
        while let Some(effect) = waiting.pop_front() {
            for message in self.effect(effect)? {
                waiting.extend(self.navigator.update(self.session.tree(), message));
            }
        }
        Ok(())
    }

    /// Does one thing and gives what the model should know of it.
    fn effect(&mut self, effect: Effect) -> anyhow::Result<Vec<Message>> {
        let home = self.home.as_deref();
        Ok(match effect {
            Effect::Rows(entries) => vec![Message::Rows(load::rows(&mut self.session, &entries, home))],
            Effect::Detail { entry, full } => {
                vec![Message::Detail(load::detail(&mut self.session, entry, home, full))]
            }
            Effect::Compare(left, right) => match load::compare(&mut self.session, left, right, home) {
                Ok(comparison) => vec![Message::Compared(comparison)],
                Err(error) => vec![failed(error)],
            },
            Effect::Copy(entry) => vec![self.copy(entry)?],
            Effect::SetLabel { entry, label } => self.set_label(entry, label),
            Effect::Go { entry, summary: Summary::None } => self.go(entry),
            Effect::Go { .. } => vec![Message::SummaryEnded(Notice::NoSummarizer)],
            Effect::AbortSummary => Vec::new(),
            Effect::Branch(entry) => {
                vec![self.in_copy(|copy| copy.create_branched_session(entry), Notice::BranchMade)]
            }
            Effect::Fork => vec![self.in_copy(|copy| copy.fork(None), Notice::ForkMade)],
            Effect::Continue(entry) => self.go_on_in_copy(entry),
            Effect::Close(Outcome::Closed) => {
                self.ended = Some(Ended::Closed);
                Vec::new()
            }
            Effect::Close(Outcome::AlreadyThere) => {
                self.ended = Some(Ended::AlreadyThere);
                Vec::new()
            }
        })
    }

    /// Looks whether another program did something to the file; says whether it did.
    fn look(&mut self) -> anyhow::Result<bool> {
        let selected = self.navigator.list().selection().map(|ix| self.session.tree().heads().entry_id(ix));
        let messages = match self.session.watch() {
            Ok(Watched::Same) => return Ok(std::mem::take(&mut self.is_gone)),
            Ok(Watched::Gone) if self.is_gone => return Ok(false),
            Ok(Watched::Gone) => {
                self.is_gone = true;
                vec![Message::Told(Notice::Gone)]
            }
            Ok(Watched::Grew(entries)) => {
                self.is_gone = false;
                vec![Message::Grew { entries }, Message::Told(Notice::Grew(entries))]
            }
            Ok(Watched::Replaced) => {
                self.is_gone = false;
                vec![self.replaced(selected.as_ref())]
            }
            Err(error) => {
                let said = words::explain(&error.into()).what;
                if self.trouble.as_ref() == Some(&said) {
                    return Ok(false);
                }
                self.trouble = Some(said.clone());
                vec![Message::Told(Notice::Failed(said))]
            }
        };
        for message in messages {
            self.say(message)?;
        }
        Ok(true)
    }

    fn replaced(&self, selected: Option<&EntryId>) -> Message {
        Message::Replaced { selected: selected.and_then(|id| self.session.tree().find(id.as_str())) }
    }

    /// What the model must know after we wrote ourselves.
    fn after_writing(&mut self, notice: Notice) -> Vec<Message> {
        let selected = self.navigator.list().selection().map(|ix| self.session.tree().heads().entry_id(ix));
        let change = match self.session.watch() {
            Ok(Watched::Grew(entries)) => Message::Grew { entries },
            Ok(Watched::Replaced) => self.replaced(selected.as_ref()),
            Ok(Watched::Same | Watched::Gone) => return vec![Message::Told(notice)],
            Err(error) => return vec![failed(error)],
        };
        vec![change, Message::Told(notice)]
    }

    fn copy(&mut self, entry: Ix) -> anyhow::Result<Message> {
        let text = match load::plain(&mut self.session, entry) {
            Ok(text) => text,
            Err(error) => return Ok(failed(error)),
        };
        if text.is_empty() {
            return Ok(Message::Told(Notice::NothingToCopy));
        }
        let is_copied = self.terminal.copy(&text)?;
        Ok(Message::Told(if is_copied { Notice::Copied } else { Notice::TooLongToCopy }))
    }

    /// The same session, opened for growing it, for a moment.
    fn writer(&self) -> naite_store::Result<SessionManager> {
        let setup = self.env.setup(Holding::default());
        // A deleted session must not come back because a label was set.
        if self.env.fs().meta(self.path.path()).is_err() {
            return Err(StoreError::NotFound { path: self.path.path().into() });
        }
        SessionManager::open(setup, self.path.clone(), Access::Write)
    }

    fn id(&self, entry: Ix) -> EntryId {
        self.session.tree().heads().entry_id(entry)
    }

    fn set_label(&mut self, entry: Ix, label: Option<String>) -> Vec<Message> {
        let id = self.id(entry);
        let written = self.writer().and_then(|mut writer| {
            writer.append_label_change(id.as_str(), label.as_deref())?;
            writer.finish()
        });
        match written {
            Ok(()) => self.after_writing(Notice::Labelled(label)),
            Err(error) => vec![failed(error)],
        }
    }

    fn go(&mut self, entry: Ix) -> Vec<Message> {
        let id = self.id(entry);
        let moved = self.writer().and_then(|mut writer| {
            let target = writer.find(id.as_str())?;
            let moved = writer.navigate(target, None)?;
            writer.finish()?;
            Ok(moved)
        });
        match moved {
            Ok(Navigated::AlreadyThere) => self.ended = Some(Ended::AlreadyThere),
            Ok(Navigated::Moved(moved)) => self.ended = Some(Ended::Moved(moved)),
            Err(error) => return vec![Message::CannotGrow { entry, why: why_not(error) }],
        }
        Vec::new()
    }

    /// Does something to a second reader of the session that makes a new file.
    fn in_copy(
        &mut self,
        make: impl FnOnce(&mut SessionManager) -> naite_store::Result<()>,
        notice: fn(String) -> Notice,
    ) -> Message {
        match self.copied(make) {
            Ok(path) => Message::Told(notice(path)),
            Err(error) => failed(error),
        }
    }

    fn copied(
        &mut self,
        make: impl FnOnce(&mut SessionManager) -> naite_store::Result<()>,
    ) -> naite_store::Result<String> {
        let setup = self.env.setup(Holding::default());
        let mut copy = SessionManager::open(setup, self.path.clone(), Access::Read)?;
        make(&mut copy)?;
        copy.finish()?;
        Ok(copy.path().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default())
    }

    fn go_on_in_copy(&mut self, entry: Ix) -> Vec<Message> {
        let id = self.id(entry);
        let made = self.copied(|copy| {
            copy.fork(None)?;
            let target = copy.find(id.as_str())?;
            copy.navigate(target, None).map(|_| ())
        });
        match made {
            Ok(path) => {
                self.ended = Some(Ended::Continued(path));
                Vec::new()
            }
            Err(error) => vec![failed(error)],
        }
    }
}

fn failed(error: StoreError) -> Message {
    Message::Told(Notice::Failed(words::explain(&error.into()).what))
}

fn why_not(error: StoreError) -> WhyNot {
    match error {
        StoreError::ReadOnly { newer_version: Some(_), .. } => WhyNot::Newer,
        StoreError::Foreign { .. } => WhyNot::Foreign,
        StoreError::Held { owner, .. } => WhyNot::Held(format!("{}, {}", owner.program, owner.pid)),
        error => WhyNot::Refused(words::explain(&error.into()).what),
    }
}
