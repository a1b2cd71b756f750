//! The loop of the session picker: it wakes, feeds the model, does what the model wants done, and draws.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use i18n_embed_fl::fl;
use naite_core::text::one_line;
use naite_host::{Environment, Holding, SystemSupply, pins};
use naite_store::{Access, LogName, SessionManager, StoreError};
use naite_tui::input::Input;
use naite_tui::sessions::{self, Deleted, Effect, Message, Notice, Picker};

use super::navigator::navigate_in;
use super::workers::{Search, Workers};
use super::{Ended, Interrupted, Looks};
use crate::terminal::{self, Terminal, Wake, Wakes};
use crate::words;

/// A lone Escape is the key if nothing follows for so long.
const ESCAPE: Duration = Duration::from_millis(25);
/// How often ages are told anew.
const MINUTE: Duration = Duration::from_secs(60);
/// The signal that says that the terminal is gone.
const HANGUP: i32 = 1;

struct Driver<'a> {
    env: &'a Environment,
    looks: Looks,
    picker: Picker,
    terminal: Terminal,
    wakes: Wakes,
    workers: Workers,
    size: (u16, u16),
    is_closed: bool,
    /// How the navigators ended that were opened.
    ended: Vec<Ended>,
}

/// Shows the sessions until the person closes the picker. Gives how the navigators ended that were opened from it.
pub(crate) fn pick(
    env: &Environment,
    looks: Looks,
    scope: sessions::Scope,
    query: Option<&str>,
) -> anyhow::Result<Vec<Ended>> {
    let size = terminal::size();
    let settings = sessions::Settings {
        keymap: looks.keymap.clone(),
        theme: looks.theme,
        words: looks.words.clone(),
        scope,
        query: query.unwrap_or_default().into(),
    };
    let (picker, effects) = Picker::new(settings, size, SystemSupply::millis());
    let wakes = Wakes::new()?;
    let workers = Workers::start(env, wakes.bell())?;
    let terminal = Terminal::take(env.surroundings.tmux)?;
    let ended = Vec::new();
    let mut driver = Driver { env, looks, picker, terminal, wakes, workers, size, is_closed: false, ended };
    match pins::read(env) {
        Ok(pins) => driver.say(Message::Pins(pins))?,
        Err(error) => driver.say(failed(&error.into()))?,
    }
    driver.perform(effects)?;
    driver.run()
}

impl Driver<'_> {
    fn run(mut self) -> anyhow::Result<Vec<Ended>> {
        let mut input = Input::default();
        // When the last bytes came, of which some still wait for their rest.
        let (mut last_bytes, mut told) = (Instant::now(), Instant::now());
        self.draw()?;
        while !self.is_closed {
            let patience = if input.is_waiting() { ESCAPE } else { MINUTE };
            let mut is_changed = true;
            match self.wakes.next(patience) {
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
                Wake::News => is_changed = false,
                Wake::Quiet => {
                    is_changed = input.is_waiting() && last_bytes.elapsed() >= ESCAPE;
                    if is_changed {
                        self.events(input.flush())?;
                    }
                }
            }
            // A bell may ring in vain while many other reasons wait, so threads are heard after each of them.
            for message in self.workers.said() {
                self.say(message)?;
                is_changed = true;
            }
            if told.elapsed() >= MINUTE {
                self.say(Message::Now(SystemSupply::millis()))?;
                (told, is_changed) = (Instant::now(), true);
            }
            if is_changed && !self.is_closed {
                self.draw()?;
            }
        }
        Ok(self.ended)
    }

    fn events(&mut self, events: Vec<naite_tui::key::Event>) -> anyhow::Result<()> {
        for event in events {
            self.say(Message::Input(event))?;
            if self.is_closed {
                break;
            }
        }
        Ok(())
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        let Self { terminal, picker, size, .. } = self;
        Ok(terminal.draw(*size, |area, buffer| sessions::view(picker, area, buffer))?)
    }

    fn say(&mut self, message: Message) -> anyhow::Result<()> {
        let effects = self.picker.update(message);
        self.perform(effects)
    }

    fn perform(&mut self, effects: Vec<Effect>) -> anyhow::Result<()> {
        let mut waiting = VecDeque::from(effects);
        while let Some(effect) = waiting.pop_front() {
            for message in self.effect(effect)? {
                waiting.extend(self.picker.update(message));
            }
        }
        Ok(())
    }

    /// Does one thing and gives what the model should know of it.
    fn effect(&mut self, effect: Effect) -> anyhow::Result<Vec<Message>> {
        Ok(match effect {
            Effect::Open(file) => self.open(&file)?,
            Effect::Preview(file) => {
                self.workers.preview(file);
                Vec::new()
            }
            Effect::Search { search, query, files } => {
                self.workers.search(Search { search, query, files });
                Vec::new()
            }
            Effect::Pin { id, on } => match pins::set(self.env, &id, on) {
                Ok(pins) => vec![Message::Pins(pins)],
                Err(error) => vec![failed(&error.into())],
            },
            Effect::Rename { file, name } => {
                let renamed = self.rename(&file, &name).map(|()| Some(name).filter(|name| !name.is_empty()));
                self.after_writing(renamed.map(Notice::Renamed))?
            }
            Effect::Delete(file) => {
                let deleted = crate::commands::trash::put_in_trash(self.env, &file);
                self.after_writing(deleted.map(|_| Notice::Deleted))?
            }
            Effect::ListTrash => match self.trash() {
                Ok(items) => vec![Message::Trash(items)],
                Err(error) => vec![failed(&error.into())],
            },
            Effect::Restore(name) => {
                let restored = self.restore(&name);
                self.after_writing(restored.map(|()| Notice::Restored))?
            }
            Effect::Reload => {
                self.workers.read()?;
                vec![Message::Reading]
            }
            Effect::Close => {
                self.is_closed = true;
                Vec::new()
            }
        })
    }

    /// Opens the navigator and comes back when it is left.
    fn open(&mut self, file: &Path) -> anyhow::Result<Vec<Message>> {
        let setup = self.env.setup(Holding::default());
        let session = match SessionManager::open(setup, LogName::new(file), Access::Read) {
            Ok(session) => session,
            Err(error) => return Ok(vec![failed(&error.into())]),
        };
        let (env, looks, query) = (self.env, self.looks.clone(), self.picker.query().to_owned());
        let query = Some(query.as_str()).filter(|query| !query.is_empty());
        let ended = navigate_in(&mut self.terminal, &self.wakes, env, looks, session, None, query)?;
        let loader = self.looks.words.loader();
        let notice = match &ended {
            Ended::Closed => None,
            Ended::AlreadyThere => Some(fl!(loader, "already-there")),
            Ended::Moved(moved) => Some(match &moved.new_leaf {
                Some(leaf) => fl!(loader, "moved", leaf = one_line(leaf.as_str()).into_owned()),
                None => fl!(loader, "at-root"),
            }),
            Ended::Continued(path) => Some(fl!(loader, "continued", path = one_line(path).into_owned())),
        };
        self.ended.push(ended);
        self.size = terminal::size();
        self.workers.read()?;
        let mut messages = vec![
            Message::Resized(self.size.0, self.size.1),
            Message::Now(SystemSupply::millis()),
            Message::Reading,
        ];
        messages.extend(self.workers.said());
        messages.extend(notice.map(|notice| Message::Told(Notice::Done(notice))));
        Ok(messages)
    }

    /// The list is read anew after a change, and the person is told what came of it.
    fn after_writing(&mut self, done: anyhow::Result<Notice>) -> anyhow::Result<Vec<Message>> {
        match done {
            Ok(notice) => {
                self.workers.read()?;
                Ok(vec![Message::Reading, Message::Told(notice)])
            }
            Err(error) => Ok(vec![failed(&error)]),
        }
    }

    fn rename(&self, file: &Path, name: &str) -> anyhow::Result<()> {
        // A deleted session must not come back because it was named.
        if self.env.fs().meta(file).is_err() {
            return Err(StoreError::NotFound { path: file.into() }.into());
        }
        let setup = self.env.setup(Holding::default());
        let mut session = SessionManager::open(setup, LogName::new(file), Access::Write)?;
        session.append_session_info(name)?;
        Ok(session.finish()?)
    }

    fn trash(&self) -> naite_store::Result<Vec<Deleted>> {
        let home = crate::commands::home(self.env);
        let all = self.env.trash().list()?.into_iter();
        let items = all.map(|trashed| Deleted {
            path: crate::commands::sessions::tilde(&trashed.path.to_string_lossy(), home.as_deref()),
            time: trashed.deleted.get(..16).unwrap_or(&trashed.deleted).replace('T', " "),
            name: trashed.name,
        });
        Ok(items.collect())
    }

    fn restore(&self, name: &str) -> anyhow::Result<()> {
        let trash = self.env.trash();
        let found = trash.list()?.into_iter().find(|trashed| trashed.name == name);
        let missing = || StoreError::NotFound { path: PathBuf::from(name) };
        Ok(trash.restore(&found.ok_or_else(missing)?)?)
    }
}

fn failed(error: &anyhow::Error) -> Message {
    let said = words::explain(error);
    let hint = said.hint.map(|hint| format!(" {hint}")).unwrap_or_default();
    Message::Told(Notice::Failed(format!("{}{hint}", said.what)))
}
