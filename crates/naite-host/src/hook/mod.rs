//! What happens when an agent calls a hook: a few small writes, and the rest left to the worker.
//!
//! [`run`] never fails and never writes to the terminal: what it wants said comes back in an [`Outcome`], what went
//! wrong is in the store's `hook-errors.log`.

mod inject;
mod probe;
mod status;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use naite_context::ledger::Ledger;
use naite_context::line::LogLine;
use naite_context::payload::{Event, Payload};
use naite_context::project::Project;
use naite_core::text::json::{Object, ObjectWriter};
use naite_store::Fs;
use naite_store::context::{AgentMark, Calendar, ContextError, ContextStore, Mark, SessionLog, TmuxSession};

use crate::context_root::context_root;
use crate::env::HookEnvironment;
use crate::git::{self, Repository};
use crate::trust::{Reason, Trust};

pub use inject::{Injection, age, injection};
pub use probe::{Broken, probe};
pub use status::{HandoffStatus, RootRule, SessionStatus, Status, status};
pub use worker::{start_worker, work};

/// At most so much of a transcript is read while the agent waits (`context-store.md` §5).
const READ_WHILE_WAITING: u64 = 256 * 1024;
/// So long a hook waits for another one of the same session.
const PATIENCE: Duration = Duration::from_millis(300);

/// What a hook wants done at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// For standard output: JSON that the agent takes.
    pub stdout: Option<String>,
    /// For standard error: what could not even be written to the log of errors.
    pub complaint: Option<String>,
    /// The root whose worker is to be started.
    pub worker: Option<PathBuf>,
}

/// What a hook has to do with the world.
#[derive(Clone, Debug)]
pub struct Hook {
    /// The environment.
    pub env: HookEnvironment,
    /// The file system.
    pub fs: Arc<dyn Fs>,
    /// Days and times.
    pub calendar: Arc<dyn Calendar>,
    /// Now, in Unix milliseconds.
    pub now: i64,
    /// Asks tmux for the name of a pane's session.
    pub tmux: fn(Option<&str>) -> Option<String>,
}

impl Hook {
    /// Does what an event asks for.
    pub fn run(&self, event: Event, stdin: &[u8]) -> Outcome {
        if self.env.is_ours || event == Event::None {
            return Outcome::default();
        }
        let payload = match Payload::parse(stdin) {
            Ok(payload) => payload,
            Err(error) => return self.complain(event.name(), None, &error.to_string(), None),
        };
        let (durable, wrong) = self.durability();
        let cwd = payload.cwd.as_deref().map(Path::new).filter(|cwd| cwd.is_absolute());
        let Some(root) = self.root(cwd) else {
            let error = "no context root: neither NAITE_CONTEXT_ROOT nor a home folder is set";
            return Outcome { complaint: Some(error.into()), ..Outcome::default() };
        };
        let store = ContextStore::new(Arc::clone(&self.fs), root, Arc::clone(&self.calendar), durable);
        let mut call = Call { hook: self, store: &store, payload: &payload, cwd, errors: Vec::new() };
        call.errors.extend(wrong);
        let mut outcome = call.answer(event);
        let errors = call.errors;
        for error in errors {
            let said = self.complain(event.name(), Some(&payload.session_id), &error, Some(&store));
            outcome.complaint = outcome.complaint.or(said.complaint);
        }
        outcome
    }

    /// Writes down what an event of an unknown name, or one that broke, could not do.
    pub fn complain(
        &self,
        event: &str,
        session_id: Option<&str>,
        error: &str,
        store: Option<&ContextStore>,
    ) -> Outcome {
        let found = || {
            let root = self.root(None)?;
            Some(ContextStore::new(Arc::clone(&self.fs), root, Arc::clone(&self.calendar), false))
        };
        let written = match store.cloned().or_else(found) {
            Some(store) => store.log_error(event, session_id, error, self.now).is_ok(),
            None => false,
        };
        let complaint = (!written).then(|| format!("naite hook {event}: {error}"));
        Outcome { complaint, ..Outcome::default() }
    }

    /// The root of the store for a session that works in a folder.
    pub fn root(&self, cwd: Option<&Path>) -> Option<PathBuf> {
        let (set, home) = (self.env.context_root.as_deref(), self.env.user_home.as_deref());
        context_root(self.fs.as_ref(), None, set, cwd.unwrap_or(&self.env.cwd), home)
    }

    /// The decisions about roots.
    pub fn trust(&self) -> Option<Trust> {
        let home = self.env.home.as_ref()?;
        Some(Trust::new(Arc::clone(&self.fs), home, self.env.user_home.clone()))
    }

    /// Whether log lines are to be on the disk before the agent goes on: `durability` in the settings. What cannot be
    /// read there is said, and the safe way is taken.
    fn durability(&self) -> (bool, Option<String>) {
        let Some(home) = &self.env.home else { return (true, None) };
        match crate::settings::Settings::read(self.fs.as_ref(), home) {
            Ok(settings) => (!settings.is_hasty, None),
            Err(error) => (true, Some(error.to_string())),
        }
    }

    /// The project by the rule: tmux, environment, none; and tmux's own name.
    pub fn project(&self) -> (Project, Option<String>) {
        let name = self.env.in_tmux.then(|| (self.tmux)(self.env.tmux_pane.as_deref())).flatten();
        (Project::resolve(name.as_deref(), self.env.project.as_deref()), name)
    }
}

/// One call of a hook.
struct Call<'a> {
    hook: &'a Hook,
    store: &'a ContextStore,
    payload: &'a Payload<'a>,
    cwd: Option<&'a Path>,
    errors: Vec<String>,
}

impl Call<'_> {
    fn answer(&mut self, event: Event) -> Outcome {
        let from_agent = self.payload.agent_id.is_some();
        match event {
            Event::SubagentStop => self.subagent_stop(),
            // What a sub-agent does in its own conversation is in its own file.
            _ if from_agent => Outcome::default(),
            Event::UserPromptSubmit => self.prompt(),
            Event::Stop | Event::PreCompact | Event::SessionEnd => self.read_on(event),
            Event::SessionStart => self.session_start(),
            Event::None => Outcome::default(),
        }
    }

    /// Notes an error, so that what can still be done is done.
    fn tried<T>(&mut self, result: Result<T, ContextError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.errors.push(error.to_string());
                None
            }
        }
    }

    fn prepare(&mut self) -> bool {
        let prepared = self.store.prepare();
        match self.tried(prepared) {
            Some(true) => {
                if let Some(trust) = self.hook.trust()
                    && !self.is_home_root()
                    && let Err(error) = trust.remember(self.store.root(), Reason::Made, self.hook.now)
                {
                    self.errors.push(format!("cannot remember that the store was made here: {error}"));
                }
                true
            }
            Some(false) => true,
            None => false,
        }
    }

    fn is_home_root(&self) -> bool {
        let home = self.hook.env.user_home.as_ref();
        home.is_some_and(|home| home.join(".ai-core") == self.store.root())
    }

    fn repository(&self) -> Option<Repository> {
        git::repository(self.hook.fs.as_ref(), self.cwd?)
    }

    /// Opens the session and tells it what the payload says of it.
    fn session(&mut self, project: Option<&Project>) -> Result<SessionLog<'_>, ContextError> {
        let id = &self.payload.session_id;
        let mut session = self.store.session(id, project, self.hook.now, PATIENCE)?;
        if let Some(cwd) = self.payload.cwd.as_deref() {
            session.ledger.cwd.get_or_insert_with(|| cwd.into());
        }
        if let Some(repository) = self.repository() {
            session.ledger.branch = repository.branch;
        }
        Ok(session)
    }

    fn prompt(&mut self) -> Outcome {
        if !self.prepare() {
            return Outcome::default();
        }
        let (project, tmux) = self.hook.project();
        let (prompt_id, now) = (self.payload.prompt_id.as_deref(), self.hook.now);
        let prompt = self.payload.prompt.as_deref().unwrap_or_default();
        self.log(Some(&project), |ledger| ledger.submit(prompt_id, prompt, now), |_| {});
        self.note_current(&project, tmux.as_deref());
        Outcome::default()
    }

    fn read_on(&mut self, event: Event) -> Outcome {
        if !self.prepare() {
            return Outcome::default();
        }
        let known = self.store.find(&self.payload.session_id);
        // tmux was asked when the prompt came.
        let project = match self.tried(known).flatten() {
            Some(_) => None,
            None => Some(self.hook.project().0),
        };
        let (prompt_id, now) = (self.payload.prompt_id.as_deref(), self.hook.now);
        let text = self.payload.last_assistant_message.as_deref().filter(|_| event == Event::Stop);
        let answer = |ledger: &mut Ledger| text.and_then(|text| ledger.answer(prompt_id, text, now));
        self.log(project.as_ref(), answer, |ledger| {
            if event == Event::SessionEnd {
                ledger.closed = Some(now);
            }
        });
        if event == Event::Stop && !self.is_current() {
            self.note_current_session();
        }
        self.leave_to_worker()
    }

    /// Reads what is new in the transcript, logs what the payload has, and saves; each of them although another
    /// failed.
    fn log(
        &mut self,
        project: Option<&Project>,
        mut take: impl FnMut(&mut Ledger) -> Option<LogLine>,
        then: impl FnOnce(&mut Ledger),
    ) {
        let now = self.hook.now;
        let path = self.payload.transcript_path.clone();
        let mut errors = Vec::new();
        let mut note =
            |result: Result<(), ContextError>| errors.extend(result.err().map(|error| error.to_string()));
        match self.session(project) {
            Ok(mut session) => {
                if let Some(path) = path.as_deref() {
                    note(session.hear(path, now, Some(READ_WHILE_WAITING)).map(|_| ()));
                }
                if let Some(project) = project {
                    note(session.settle_question());
                    session.set_project(project);
                }
                if let Some(line) = take(&mut session.ledger) {
                    // An event that comes late or twice opens nothing again.
                    session.ledger.closed = None;
                    note(session.append(&line));
                }
                if project.is_none() {
                    note(session.settle_question());
                }
                then(&mut session.ledger);
                note(session.save());
            }
            Err(ContextError::Held { .. }) => {
                note(self.store.append_unlocked(&self.payload.session_id, take));
            }
            Err(error) => note(Err(error)),
        }
        self.errors.extend(errors);
    }

    fn session_start(&mut self) -> Outcome {
        if !self.prepare() {
            return Outcome::default();
        }
        let (project, tmux) = self.hook.project();
        let source = self.payload.source.as_deref().unwrap_or("startup");
        let opened = self.session(Some(&project)).and_then(|mut session| {
            session.ledger.is_fork |= source == "fork" && session.is_new();
            // Every other start comes once in a session's life; one that comes late opens nothing again.
            if source == "resume" {
                session.ledger.closed = None;
            }
            session.set_project(&project);
            session.save()
        });
        self.tried(opened);
        self.note_current(&project, tmux.as_deref());
        // On resume and fork the conversation has it already.
        let mut outcome = match source {
            "resume" | "fork" => self.leave_to_worker(),
            _ => Outcome::default(),
        };
        if !matches!(source, "resume" | "fork") {
            outcome.stdout = self.put_in(&project);
        }
        outcome
    }

    fn put_in(&mut self, project: &Project) -> Option<String> {
        let verdict = self.hook.trust()?.verdict(self.store.root());
        let root = self.repository().map(|repository| repository.root.to_string_lossy().into_owned());
        let cwd = self.payload.cwd.as_deref();
        let made = injection(self.store, project, cwd, root.as_deref(), verdict, self.hook.now);
        let injection = self.tried(made)??;
        let mut out = ObjectWriter::new();
        if let Some(block) = &injection.block {
            let specific = ObjectWriter::new()
                .str("hookEventName", "SessionStart")
                .str("additionalContext", block)
                .end();
            out = out.raw("hookSpecificOutput", &specific);
        }
        Some(out.str("systemMessage", &injection.notice).end())
    }

    fn subagent_stop(&mut self) -> Outcome {
        let (Some(agent_id), Some(path)) = (&self.payload.agent_id, &self.payload.agent_transcript_path)
        else {
            return Outcome::default();
        };
        // The agent that compacts a conversation has no kind.
        let agent_type = self.payload.agent_type.as_deref().unwrap_or_default();
        if agent_type.is_empty() || !self.prepare() {
            return Outcome::default();
        }
        let mark = Mark::Agent(AgentMark {
            session_id: self.payload.session_id.clone().into_owned(),
            agent_id: agent_id.clone().into_owned(),
            agent_type: agent_type.into(),
            transcript_path: path.clone().into_owned(),
            result: self.payload.last_assistant_message.as_deref().map(Into::into),
            day: self.hook.calendar.day(self.hook.now),
            at: self.hook.now,
        });
        let left = self.store.leave_mark(&mark);
        self.tried(left).map_or_else(Outcome::default, |()| self.start())
    }

    fn leave_to_worker(&mut self) -> Outcome {
        let Some(path) = &self.payload.transcript_path else { return Outcome::default() };
        let mark = Mark::Session {
            session_id: self.payload.session_id.clone().into_owned(),
            transcript_path: path.clone().into_owned(),
            at: self.hook.now,
        };
        let left = self.store.leave_mark(&mark);
        self.tried(left).map_or_else(Outcome::default, |()| self.start())
    }

    fn start(&self) -> Outcome {
        Outcome { worker: Some(self.store.root().into()), ..Outcome::default() }
    }

    /// Says whether the session is the one that was active last already, as its prompt made it.
    fn is_current(&self) -> bool {
        let current = self.store.read_text("current-session.json").ok().flatten().unwrap_or_default();
        let current = Object::parse(&current).unwrap_or_default();
        current.str("session_id").as_deref() == Some(&self.payload.session_id)
            && current.str("transcript_path").as_deref() == self.payload.transcript_path.as_deref()
    }

    fn note_current_session(&mut self) {
        let id = &self.payload.session_id;
        let transcript = self.payload.transcript_path.as_deref();
        let noted = self.store.find(id).and_then(|folder| match folder {
            Some(folder) => self.store.set_current(id, &folder, transcript, self.hook.now),
            None => Ok(()),
        });
        self.tried(noted);
    }

    fn note_current(&mut self, project: &Project, tmux: Option<&str>) {
        self.note_current_session();
        if let Some(name) = tmux {
            let noted = self.store.set_tmux(
                &TmuxSession {
                    name,
                    session_id: &self.payload.session_id,
                    project: project.name(),
                    cwd: self.payload.cwd.as_deref().unwrap_or_default(),
                },
                self.hook.now,
            );
            self.tried(noted);
        }
    }
}
