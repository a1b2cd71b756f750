//! Any operations on an open session.

use arbitrary::Arbitrary;
use naite_core::codec::{CompactionDraft, CustomMessageDraft, Draft};
use naite_core::undo::Change;
use naite_core::{Ix, Tree};
use naite_store::{
    Access, Durability, Durable, Left, LogName, MemoryStore, Result, SessionManager, Setup, Store,
    StoreError, Wait, Workplace,
};
use naite_testkit::Counting;

use crate::{check, walk};

/// More operations than this say nothing new.
const OPERATIONS: usize = 40;

/// One operation; a number chooses among the entries there are.
#[derive(Debug, Arbitrary)]
pub enum Op {
    Say(Say),
    Label(u8, Option<bool>),
    Name(bool),
    Branch(u8),
    Reset,
    Go(Option<u8>),
    Navigate { target: u8, summary: bool },
    Summary { at: Option<u8> },
    Late(u8),
    Undo,
    Redo,
    BranchFile(u8),
    BranchSession(u8),
    Fork,
    New,
    Refresh,
    Reopen,
    Foreign { below: Option<u8>, what: Foreign },
}

/// What is said.
#[derive(Debug, Arbitrary)]
pub enum Say {
    User,
    /// Raw JSON may have line breaks between its tokens.
    Pretty,
    Assistant,
    Calling,
    Result,
    Custom,
    CustomMessage,
    Compaction(u8),
    Thinking,
}

/// What another program writes, which takes no lock.
#[derive(Debug, Arbitrary)]
pub enum Foreign {
    User,
    Label(u8),
    Exit,
    Summary,
    Blank,
    /// A line that broke off.
    Torn,
    /// A record without its line end.
    Unended,
    /// A record that is there already.
    Again(u8),
}

/// A session, and the store in which another program can see its bytes.
struct Bench {
    store: MemoryStore,
    session: SessionManager,
    /// The leaf was moved in memory: the file knows nothing of it.
    moved: bool,
    /// Ids for foreign entries.
    count: usize,
}

/// Does everything, and compares the session with its bytes after each step.
pub fn run(operations: &[Op]) {
    let store = MemoryStore::new();
    let mut session = SessionManager::create(setup(&store, 1), None).expect("a session");
    session.create_at_once();
    let mut bench = Bench { store, session, moved: false, count: 0 };
    for op in operations.iter().take(OPERATIONS) {
        let before = bench.log_len();
        match bench.act(op) {
            Ok(()) => {}
            // Refusals that say what is the matter.
            Err(
                StoreError::NothingToUndo { .. } | StoreError::NotAUserMessage { .. } | StoreError::EmptyPath,
            ) => {}
            Err(error) => panic!("{error} after {op:?}"),
        }
        let ours = !matches!(op, Op::Foreign { .. });
        if ours && bench.log_len() != before {
            bench.moved = false;
        }
        bench.compare(op);
    }
    check(&bench.bytes_of(&bench.log()));
}

fn setup(store: &MemoryStore, first_id: u32) -> Setup {
    Setup {
        store: Box::new(store.clone()),
        supply: Box::new(Counting::from(first_id)),
        place: Workplace { sessions: "/sessions".into(), cwd: "/home/user/project".into() },
        index: None,
        durability: Durability::Turn,
        wait: Wait::No,
    }
}

impl Bench {
    fn log(&self) -> LogName {
        LogName::new(self.session.path().expect("a session with a file"))
    }

    fn log_len(&self) -> usize {
        self.bytes_of(&self.log()).len()
    }

    /// The bytes of a log; none if it is not there.
    fn bytes_of(&self, log: &LogName) -> Vec<u8> {
        let mut store = self.store.clone();
        let len = store.stat(log).expect("a store that never fails").map_or(0, |stat| stat.len);
        let mut bytes = vec![0; len as usize];
        if len > 0 {
            store.read(log, 0, &mut bytes).expect("a store that never fails");
        }
        bytes
    }

    fn pick(&self, choice: u8) -> Option<(Ix, String)> {
        let tree = self.session.tree();
        let all: Vec<Ix> = tree.entries().collect();
        let ix = *all.get(usize::from(choice) % all.len().max(1))?;
        Some((ix, tree.id(ix).to_owned()))
    }

    fn act(&mut self, op: &Op) -> Result<()> {
        match op {
            Op::Say(what) => self.say(what).map(drop)?,
            Op::Label(target, label) => {
                let Some((_, target)) = self.pick(*target) else { return Ok(()) };
                let label = label.map(|label| if label { "이름" } else { "l" });
                self.session.append_label_change(&target, label)?;
                assert_eq!(
                    self.session.tree().find(&target).and_then(|ix| self.session.tree().label(ix)),
                    label
                );
            }
            Op::Name(clear) => {
                self.session.append_session_info(if *clear { " " } else { "name" })?;
            }
            Op::Branch(target) => {
                let Some((ix, target)) = self.pick(*target) else { return Ok(()) };
                self.session.branch(&target)?;
                (self.moved, _) = (true, assert_eq!(self.session.leaf(), Some(ix)));
            }
            Op::Reset => {
                self.session.reset_leaf();
                self.moved = true;
            }
            Op::Refresh => drop(self.session.refresh()?),
            Op::Undo => drop(self.session.undo()?),
            Op::Redo => self.redo()?,
            Op::Foreign { below, what } => self.foreign(*below, what),
            Op::Go(_) | Op::Navigate { .. } | Op::Summary { .. } | Op::Late(_) => self.move_on(op)?,
            Op::BranchFile(_) | Op::BranchSession(_) | Op::Fork | Op::New | Op::Reopen => self.switch(op)?,
        }
        Ok(())
    }

    fn say(&mut self, what: &Say) -> Result<()> {
        let keep;
        let draft = match what {
            Say::User => Draft::Message(r#"{"role":"user","content":"x"}"#),
            Say::Pretty => Draft::Message("{\n  \"role\": \"user\",\r\n\t\"content\": [ ]\n}\n"),
            Say::Assistant => Draft::Message(r#"{"role":"assistant","content":"y","stopReason":"stop"}"#),
            Say::Calling => Draft::Message(
                r#"{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"t","arguments":{}}],"stopReason":"toolUse"}"#,
            ),
            Say::Result => Draft::Message(r#"{"role":"toolResult","toolCallId":"c","content":"z"}"#),
            Say::Custom => Draft::Custom { custom_type: "t", data: Some("[\n1]") },
            Say::CustomMessage => Draft::CustomMessage(CustomMessageDraft {
                custom_type: "t",
                content: "\"c\"",
                ..Default::default()
            }),
            Say::Compaction(choice) => {
                let Some((_, id)) = self.pick(*choice) else { return Ok(()) };
                keep = id;
                Draft::Compaction(CompactionDraft { summary: "s", first_kept: &keep, ..Default::default() })
            }
            Say::Thinking => Draft::ThinkingLevel("high"),
        };
        self.session.refresh()?;
        let leaf = self.session.leaf_id();
        let id = self.session.append(&draft)?;
        // A result whose call was left goes there, and the leaf stays.
        let is_late = matches!(what, Say::Result) && self.session.leaf_id() == leaf;
        assert!(is_late || self.session.leaf_id() == Some(id), "what is appended is the leaf");
        Ok(())
    }

    fn move_on(&mut self, op: &Op) -> Result<()> {
        let left = Left { summary: "left", ..Left::default() };
        let choice = match op {
            Op::Go(target) | Op::Summary { at: target } => *target,
            Op::Navigate { target, .. } | Op::Late(target) => Some(*target),
            _ => None,
        };
        let target = choice.and_then(|choice| self.pick(choice));
        match (op, target) {
            (Op::Go(_), target) => {
                let id = target.as_ref().map(|(_, id)| id.clone());
                self.session.go(target.map(|(ix, _)| ix))?;
                assert_eq!(
                    self.session.leaf_id().map(|id| id.to_string()),
                    id,
                    "the leaf is where it was to go"
                );
            }
            (Op::Summary { .. }, target) => {
                self.session.branch_with_summary(target.as_ref().map(|(_, id)| id.as_str()), &left)?;
            }
            (Op::Navigate { summary, .. }, Some((ix, _))) => {
                self.session.navigate(ix, summary.then_some(&left))?;
            }
            (Op::Late(_), Some((ix, _))) => {
                self.session.refresh()?;
                let leaf = self.session.leaf_id();
                self.session
                    .append_late_result(ix, r#"{"role":"toolResult","toolCallId":"c","content":"z"}"#)?;
                assert_eq!(self.session.leaf_id(), leaf, "a late result leaves the leaf alone");
            }
            _ => {}
        }
        Ok(())
    }

    /// Bringing back what was just taken back gives what was before.
    fn redo(&mut self) -> Result<()> {
        self.session.redo()?;
        let before = state(&self.session);
        let undone = self.session.undo()?;
        self.session.redo()?;
        let now = state(&self.session);
        assert_eq!((before.history, before.labels), (now.history, now.labels), "undo and redo are inverse");
        if matches!(undone.change, Change::Leaf(_)) {
            assert_eq!(before.leaf, now.leaf, "undo and redo are inverse");
        }
        Ok(())
    }

    /// Operations after which another file is open. The new one holds what it should; the old one is as it was.
    fn switch(&mut self, op: &Op) -> Result<()> {
        self.session.refresh()?;
        let old = self.log();
        let bytes = self.bytes_of(&old);
        let state_before = state(&self.session);
        match op {
            Op::BranchFile(choice) => {
                let Some((ix, id)) = self.pick(*choice) else { return Ok(()) };
                let context = messages(&mut self.session, Some(ix))?;
                self.session.create_branched_session(ix)?;
                let leaf = self.session.tree().find(&id).or_else(|| self.session.leaf());
                assert_eq!(messages(&mut self.session, leaf)?, context, "the context at the entry");
                let leaf = self.session.leaf();
                assert_eq!(messages(&mut self.session, leaf)?, context, "the context at the leaf");
                self.is_whole();
            }
            Op::BranchSession(choice) => {
                let Some((ix, _)) = self.pick(*choice) else { return Ok(()) };
                let parent = self.session.tree().parent(ix);
                let context = messages(&mut self.session, parent)?;
                self.session.branch_session(ix)?;
                self.session.create_at_once();
                let leaf = self.session.leaf();
                assert_eq!(messages(&mut self.session, leaf)?, context);
                self.is_whole();
            }
            Op::Fork => {
                self.session.fork(None)?;
                let state = state(&self.session);
                assert_eq!(state.ids, state_before.ids);
                assert_eq!(state.labels, state_before.labels);
                assert_eq!(state.history, state_before.history);
            }
            Op::New => {
                self.session.new_session(None)?;
                self.session.create_at_once();
            }
            _ => {
                let log = self.log();
                if self.session.is_created() {
                    self.session.set_session_file(log)?;
                }
            }
        }
        self.moved = false;
        assert!(self.bytes_of(&old) == bytes, "the source is unchanged");
        Ok(())
    }

    /// A file that was made of a path has no loose ends.
    fn is_whole(&self) {
        let names: Vec<&str> = self.session.defects().iter().map(|defect| defect.kind.name()).collect();
        let loose = ["missing_parent", "parent_cycle", "duplicate_id"];
        assert!(!names.iter().any(|name| loose.contains(name)), "{names:?}");
    }

    fn foreign(&mut self, below: Option<u8>, what: &Foreign) {
        let log = self.log();
        let Some(stat) = self.store.stat(&log).expect("a store that never fails") else { return };
        self.count += 1;
        let id = format!("f{}", self.count);
        let parent = below.and_then(|below| self.pick(below));
        let parent = parent.map_or_else(|| "null".into(), |(_, id)| format!("\"{id}\""));
        let record = |kind: &str, rest: &str| {
            format!(
                r#"{{"type":"{kind}","id":"{id}","parentId":{parent},"timestamp":"2026-03-01T09:00:30.000Z",{rest}}}"#
            )
        };
        let user = record("message", r#""message":{"role":"user","content":"f"}"#);
        let line = match what {
            Foreign::User => user + "\n",
            Foreign::Label(target) => {
                let target = self.pick(*target).map_or_else(|| "x".into(), |(_, id)| id);
                record("label", &format!(r#""targetId":"{target}","label":"f""#)) + "\n"
            }
            Foreign::Exit => record("custom", r#""customType":"session_exit""#) + "\n",
            Foreign::Summary => record("branch_summary", r#""summary":"f","fromId":"root""#) + "\n",
            Foreign::Blank => "\n".into(),
            Foreign::Torn => user[..user.len() / 2].into(),
            Foreign::Unended => user,
            Foreign::Again(choice) => self.pick(*choice).map_or_else(String::new, |(ix, _)| {
                let span = self.session.tree().head(ix).span;
                let bytes = self.bytes_of(&log);
                let bytes = bytes.get(span.offset as usize..span.end() as usize).unwrap_or_default();
                String::from_utf8_lossy(bytes).into_owned() + "\n"
            }),
        };
        self.store.append(&log, stat, line.as_bytes(), Durable::Written).expect("a store that never fails");
    }

    fn fresh_of(&self, log: &LogName) -> Result<SessionManager> {
        // A session that nothing was written of yet is a new one also to others.
        let mut store = self.store.clone();
        let access = if store.stat(log)?.is_some() { Access::Read } else { Access::Write };
        SessionManager::open(setup(&self.store, 0x1000), log.clone(), access)
    }

    /// The session says what a fresh load of its bytes says, once it has seen them all.
    fn compare(&mut self, op: &Op) {
        walk(self.session.tree());
        let len = self.log_len();
        if len == 0 || self.session.tree().heads().end() != len as u64 {
            return;
        }
        let fresh = self.fresh_of(&self.log()).expect("a session");
        let (ours, theirs) = (state(&self.session), state(&fresh));
        assert_eq!(ours.ids, theirs.ids, "{op:?}");
        assert_eq!(ours.links, theirs.links, "{op:?}");
        assert_eq!(ours.labels, theirs.labels, "{op:?}");
        assert_eq!(ours.defects, theirs.defects, "{op:?}");
        assert_eq!(self.session.session_name(), fresh.session_name(), "{op:?}");
        if !self.moved {
            assert_eq!(ours.leaf, theirs.leaf, "{op:?}");
            assert_eq!(ours.history, theirs.history, "{op:?}");
        }
    }
}

/// What a session says of itself, by ids.
struct State {
    ids: Vec<String>,
    links: Vec<(Option<String>, Vec<String>)>,
    labels: Vec<(String, String)>,
    leaf: Option<String>,
    history: String,
    defects: String,
}

fn state(session: &SessionManager) -> State {
    let tree = session.tree();
    let name = |ix: Ix| tree.id(ix).to_owned();
    let all = || tree.entries();
    State {
        ids: all().map(name).collect(),
        links: all().map(|ix| (tree.parent(ix).map(name), tree.children(ix).map(name).collect())).collect(),
        labels: all().filter_map(|ix| Some((name(ix), tree.label(ix)?.to_owned()))).collect(),
        leaf: tree.leaf().map(name),
        history: history(tree),
        defects: format!("{:?}", session.defects()),
    }
}

fn history(tree: &Tree) -> String {
    let history = naite_core::undo::history(tree);
    format!("{:?} {:?}", history.undo, history.redo)
}

fn messages(session: &mut SessionManager, leaf: Option<Ix>) -> Result<Vec<String>> {
    Ok(session.build_session_context(leaf)?.messages.into_iter().map(|message| message.json).collect())
}
