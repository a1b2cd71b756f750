//! Lines into heads: one line becomes one entry, several, or a further piece of an earlier one.

use alloc::borrow::Cow;
use alloc::string::String;

use super::{Foreign, Hole};
use crate::codec::{Defect, DefectKind, Facts, records_of_damaged_line};
use crate::entry::{Kind, Role, Span, Stop};
use crate::heads::load::span;
use crate::heads::{Flags, Forward, Head, Heads, Ix, NONE, Place};
use crate::id::EntryId;
use crate::ingest::claude_code::{
    Answer, Ask, Line, Node, Note, Part, Said, Says, Speech, body, broken_parent, read,
};
use crate::text::json::Object;

/// A node on its way into the tree: where it lies and what hangs it.
struct Coming<'a> {
    node: &'a Node<'a>,
    span: Span,
    place: Place,
}

impl Heads {
    /// What is known of the file as a foreign transcript; `None` for a session file.
    pub fn foreign(&self) -> Option<&Foreign> {
        self.foreign.as_deref()
    }

    /// Where the lines of an entry lie: one, or several of a foreign transcript.
    pub fn spans(&self, ix: Ix) -> impl Iterator<Item = Span> + '_ {
        let more = self.foreign.as_deref().and_then(|foreign| foreign.more.get(&ix.0));
        core::iter::once(self.head(ix).span).chain(more.into_iter().flatten().copied())
    }

    /// The text of an entry of a foreign transcript, made of its lines ([`Self::spans`]).
    pub fn foreign_text<S: AsRef<str>>(&self, ix: Ix, parent: Option<Ix>, lines: &[S]) -> String {
        let head = self.head(ix);
        let is_result = head.role == Role::ToolResult;
        body(
            lines,
            &Ask {
                id: self.id(ix),
                parent: parent.map(|parent| self.id(parent)),
                at: head.at,
                kind: head.kind,
                role: head.role,
                part: if head.b == NONE { 0 } else { head.b as usize },
                tool: if is_result { self.interned(head.a) } else { None },
                anchor: self.anchor(ix).map(|anchor| self.id(anchor)),
            },
        )
    }

    /// Takes in a line of a foreign transcript.
    pub(in crate::heads) fn foreign_line(&mut self, bytes: &[u8], place: Place) {
        let Some(mut foreign) = self.foreign.take() else { return };
        let trimmed = bytes.trim_ascii();
        let start = bytes.len() - bytes.trim_ascii_start().len();
        let sound = simdutf8::basic::from_utf8(trimmed).ok();
        match sound.and_then(read) {
            _ if trimmed.is_empty() => {}
            Some(line) => {
                self.foreign_record(&mut foreign, &line, span(place, start..start + trimmed.len()), place);
            }
            None => self.damaged_line(&mut foreign, bytes, place),
        }
        self.leaf = foreign.leaf(self);
        self.file_leaf = self.leaf;
        self.foreign = Some(foreign);
    }

    /// Saves what a damaged line still holds, and remembers where the chain goes on behind it.
    fn damaged_line(&mut self, foreign: &mut Foreign, bytes: &[u8], place: Place) {
        let is_line = |text: &str| {
            Object::parse(text)
                .is_some_and(|fields| fields.raw("parentUuid").is_some() && fields.str("uuid").is_some())
        };
        let odd = records_of_damaged_line(bytes, place.ended, &is_line);
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
        let parent = broken_parent(&text).and_then(|uuid| foreign.place(self, &uuid));
        let hole = parent.map(|ix| foreign.behind_results(ix)).or(foreign.last_main.or(foreign.last).map(Ix));
        let mut id = None;
        for found in &odd.found {
            let Some(line) = read(&found.text) else { continue };
            if let Line::Node(_, node) = &line {
                id = EntryId::new(node.uuid.as_ref());
            }
            self.foreign_record(foreign, &line, span(place, found.at.clone()), place);
        }
        if odd.found.is_empty() {
            foreign.hole = Some(Hole { parent: hole.map(|ix| ix.0), uuid: None });
        }
        let kind = odd.defect.unwrap_or(DefectKind::InvalidJson);
        self.defects.push(Defect { line: place.line, offset: place.offset, kind, id });
    }

    fn foreign_record(&mut self, foreign: &mut Foreign, line: &Line<'_>, span: Span, place: Place) {
        let (envelope, uuid) = match line {
            Line::Node(envelope, node) => (envelope, Some(node.uuid.as_ref())),
            Line::Note(envelope, _) => (envelope, None),
        };
        if foreign.learn(envelope, uuid) {
            self.header = foreign.header();
        }
        match line {
            Line::Node(_, node) => self.foreign_node(foreign, &Coming { node, span, place }),
            Line::Note(_, note) => self.note(foreign, note),
        }
    }

    fn note(&mut self, foreign: &mut Foreign, note: &Note<'_>) {
        *foreign.notes.entry(note.kind.as_ref().into()).or_insert(0) += 1;
        match &note.says {
            Says::Nothing => return,
            Says::CustomTitle(name) => foreign.custom_title = Some(name.clone()),
            Says::AgentName(name) => foreign.agent_name.clone_from(name),
            Says::AiTitle(name) => foreign.ai_title.clone_from(name),
            Says::OldSummary(name) => foreign.old_summary.clone_from(name),
            Says::Leaf { uuid, explicit } => {
                foreign.named_leaf = Some((uuid.as_ref().into(), *explicit));
                return;
            }
        }
        self.name = Some(foreign.name());
    }

    fn foreign_node(&mut self, foreign: &mut Foreign, coming: &Coming<'_>) {
        let node = coming.node;
        if foreign.place(self, &node.uuid).is_some() {
            self.flaw(coming, DefectKind::DuplicateId);
            return;
        }
        if node.at.is_none() {
            self.flaw(coming, DefectKind::BadTimestamp);
        }
        let place = match &node.said {
            Said::Answer(answer) => self.answer(foreign, coming, answer),
            Said::Parts(parts) => self.parts(foreign, coming, parts),
            Said::Boundary { before, kept } => {
                let find = |uuid: &Cow<'_, str>| foreign.place(self, uuid);
                let before = before.as_ref().and_then(find);
                let head = kept.as_ref().and_then(|(head, _)| find(head));
                let tail = kept.as_ref().and_then(|(_, tail)| find(tail));
                let above = before.or(tail).or(if node.sidechain {
                    foreign.last.map(Ix)
                } else {
                    foreign.last_main.map(Ix)
                });
                let parent = above.map(|ix| foreign.behind_results(ix));
                let ix = self.add(&node.uuid, coming, (Kind::Compaction, Role::Other), parent);
                self.heads[ix.at()].a = head.map_or(NONE, |head| head.0);
                ix
            }
            Said::Summary => self.summary(foreign, coming),
            Said::Aside => {
                let is_first = self.is_first_below(foreign, coming);
                let ix = self.add_below(foreign, coming, (Kind::Custom, Role::Other));
                self.between_results(foreign, ix, is_first);
                ix
            }
            Said::Unknown => {
                // Claude Code takes no notice of such lines, so the leaf does not either.
                self.add_below(foreign, coming, (Kind::Unknown, Role::Other));
                return;
            }
        };
        foreign.last = Some(place.0);
        if !node.sidechain {
            foreign.last_main = Some(place.0);
        }
    }

    /// An answer, or further blocks of one.
    fn answer(&mut self, foreign: &mut Foreign, coming: &Coming<'_>, answer: &Answer<'_>) -> Ix {
        let known = answer.message.as_ref().and_then(|id| foreign.answers.get(id.as_ref())).copied();
        let ix = match known {
            Some(ix) => {
                self.join(foreign, Ix(ix), coming);
                Ix(ix)
            }
            None => {
                let ix = self.add_below(foreign, coming, (Kind::Message, Role::Assistant));
                let calls = u32::try_from(self.calls.len()).unwrap_or(NONE);
                self.heads[ix.at()].calls = calls;
                if let Some(id) = &answer.message {
                    foreign.answers.insert(id.as_ref().into(), ix.0);
                }
                ix
            }
        };
        self.add_calls(ix, answer);
        for (call, tool) in &answer.calls {
            let tool = self.intern(tool);
            foreign.callers.entry(call.as_ref().into()).or_insert((ix.0, tool));
        }
        let (provider, model) =
            self.intern_model(answer.model.as_ref().map(|_| "anthropic"), answer.model.as_deref());
        let head = &mut self.heads[ix.at()];
        head.flags.set(Flags::HAS_TEXT, head.has_text() || answer.has_text);
        if answer.model.is_some() {
            (head.a, head.b) = (provider, model);
        }
        // Without a word of its own a stop follows from what there is: blocks that stream in name none.
        let guessed = if head.calls_len > 0 { Stop::ToolUse } else { Stop::Stop };
        head.stop = match (answer.stop, head.stop) {
            (Some(stop), _) => stop,
            (None, Stop::Absent | Stop::Stop | Stop::ToolUse) if !head.flags.has(Flags::SAID_STOP) => guessed,
            (None, stop) => stop,
        };
        if answer.stop.is_some() {
            head.flags.set(Flags::SAID_STOP, true);
        }
        ix
    }

    /// Adds calls to an answer; its ids must stand in one row.
    fn add_calls(&mut self, ix: Ix, answer: &Answer<'_>) {
        if answer.calls.is_empty() {
            return;
        }
        let head = self.heads[ix.at()];
        let (start, len) = (head.calls as usize, usize::from(head.calls_len));
        if start + len != self.calls.len() {
            let earlier = self.calls[start..start + len].to_vec();
            self.heads[ix.at()].calls = self.calls.len() as u32;
            self.calls.extend(earlier);
        }
        for (call, _) in answer.calls.iter().take(usize::from(u16::MAX) - len) {
            let slice = self.store_text(call);
            self.calls.push(slice);
            self.heads[ix.at()].calls_len += 1;
        }
    }

    /// The results and the speech of a user line.
    fn parts(&mut self, foreign: &mut Foreign, coming: &Coming<'_>, parts: &[Part<'_>]) -> Ix {
        let mut first: Option<Ix> = None;
        let mut last = Ix(NONE);
        for (number, part) in (0u32..).zip(parts) {
            if let (Part::Speech(Speech::BashOutput, _), None) = (part, first)
                && let Some(ix) = self.open_command(foreign, coming)
            {
                self.join(foreign, ix, coming);
                return ix;
            }
            let id = if number == 0 {
                coming.node.uuid.clone().into_owned()
            } else {
                self.part_id(coming, number)
            };
            let hung = first.map(|_| last);
            let ix = match part {
                Part::Result(call) => self.result(foreign, coming, &id, call, hung),
                Part::Speech(speech, has_text) => {
                    let what = match speech {
                        Speech::User => (Kind::Message, Role::User),
                        Speech::Bash => (Kind::Message, Role::BashExecution),
                        _ => (Kind::CustomMessage, Role::Other),
                    };
                    let is_first = hung.is_none() && self.is_first_below(foreign, coming);
                    let ix = match hung {
                        Some(above) => self.add(&id, coming, what, Some(foreign.behind_results(above))),
                        None => self.add_below(foreign, coming, what),
                    };
                    let flags = &mut self.heads[ix.at()].flags;
                    flags.set(Flags::HAS_TEXT, *has_text);
                    flags.set(Flags::ASIDE, speech.is_aside());
                    if *speech == Speech::HookContext {
                        self.between_results(foreign, ix, is_first);
                    }
                    ix
                }
            };
            self.heads[ix.at()].b = number;
            first.get_or_insert(ix);
            last = ix;
        }
        if let Some(first) = first.filter(|first| *first != last) {
            foreign.lasts.insert(first.0, last.0);
        }
        last
    }

    /// An id for a further entry of one line.
    fn part_id(&self, coming: &Coming<'_>, number: u32) -> String {
        let mut number = number + 1;
        loop {
            let id = alloc::format!("{}#{number}", coming.node.uuid);
            if !self.is_taken(&id) {
                return id;
            }
            number += 1;
        }
    }

    /// The result of a call: it hangs behind the results that its answer has already.
    fn result(
        &mut self,
        foreign: &mut Foreign,
        coming: &Coming<'_>,
        id: &str,
        call: &str,
        hung: Option<Ix>,
    ) -> Ix {
        let caller = foreign.callers.get(call).copied();
        let given = coming.node.parent.as_deref().and_then(|uuid| foreign.place(self, uuid)).or(hung);
        // A result belongs to its call, also where the line that it hung on is gone.
        let answer = caller.map(|(answer, _)| answer);
        let answer = answer.filter(|answer| match given {
            Some(ix) => foreign.caller_of(self, ix) == Some(*answer),
            None => true,
        });
        let ix = match (answer, hung) {
            (Some(answer), _) => {
                let behind = foreign.tails.get(&answer).copied().unwrap_or(answer);
                self.add(id, coming, (Kind::Message, Role::ToolResult), Some(Ix(behind)))
            }
            (None, Some(above)) => {
                self.add(id, coming, (Kind::Message, Role::ToolResult), Some(foreign.behind_results(above)))
            }
            (None, None) => self.add_below(foreign, coming, (Kind::Message, Role::ToolResult)),
        };
        if let Some(answer) = answer {
            foreign.hang_behind(answer, ix);
        }
        let slice = self.store_text(call);
        let head = &mut self.heads[ix.at()];
        (head.calls, head.calls_len) = (self.calls.len() as u32, 1);
        head.a = caller.map_or(NONE, |(_, tool)| tool);
        self.calls.push(slice);
        ix
    }

    /// Keeps bookkeeping that stands among the results of an answer on the path behind it. Only where nothing else went
    /// on from there: that would be another branch.
    fn between_results(&self, foreign: &mut Foreign, ix: Ix, is_first: bool) {
        let parent = self.heads[ix.at()].parent;
        if is_first
            && parent != NONE
            && let Some(answer) = foreign.caller_of(self, Ix(parent))
        {
            foreign.hang_behind(answer, ix);
        }
    }

    /// Says whether nothing hangs yet where a line will hang.
    fn is_first_below(&self, foreign: &Foreign, coming: &Coming<'_>) -> bool {
        let parent = coming.node.parent.as_deref().and_then(|uuid| foreign.place(self, uuid));
        parent.is_some_and(|ix| !self.heads[foreign.behind_results(ix).at()].flags.has(Flags::INNER))
    }

    /// A summary: it belongs to the boundary that it hangs on.
    fn summary(&mut self, foreign: &mut Foreign, coming: &Coming<'_>) -> Ix {
        let parent = coming.node.parent.as_deref().and_then(|uuid| foreign.place(self, uuid));
        let boundary = parent
            .filter(|ix| self.heads[ix.at()].kind == Kind::Compaction && !foreign.more.contains_key(&ix.0));
        match boundary {
            Some(ix) => {
                self.join(foreign, ix, coming);
                ix
            }
            None => self.add_below(foreign, coming, (Kind::Compaction, Role::Other)),
        }
    }

    /// The command of the person whose output a line is.
    fn open_command(&self, foreign: &Foreign, coming: &Coming<'_>) -> Option<Ix> {
        let ix = foreign.place(self, coming.node.parent.as_deref()?)?;
        let open = self.heads[ix.at()].role == Role::BashExecution && !foreign.more.contains_key(&ix.0);
        open.then_some(ix)
    }

    /// Makes a line a further piece of an entry.
    fn join(&mut self, foreign: &mut Foreign, ix: Ix, coming: &Coming<'_>) {
        let uuid = coming.node.uuid.as_ref();
        foreign.aliases.insert(uuid.into(), ix.0);
        foreign.more.entry(ix.0).or_default().push(coming.span);
        if self.is_awaited(uuid) {
            self.relinks += 1;
        }
    }

    /// Adds an entry below the parent that its line names.
    fn add_below(&mut self, foreign: &mut Foreign, coming: &Coming<'_>, what: (Kind, Role)) -> Ix {
        let uuid = coming.node.uuid.as_ref();
        let Some(parent) = coming.node.parent.as_deref().filter(|parent| *parent != uuid) else {
            return self.add(uuid, coming, what, None);
        };
        if let Some(above) = foreign.place(self, parent).map(|ix| foreign.behind_results(ix)) {
            return self.add(uuid, coming, what, Some(above));
        }
        if let Some(hole) = &mut foreign.hole
            && hole.uuid.as_deref().is_none_or(|known| known == parent)
        {
            // The line in between is damaged; it costs only itself.
            hole.uuid.get_or_insert_with(|| parent.into());
            let above = hole.parent.map(Ix);
            return self.add(uuid, coming, what, above);
        }
        let ix = self.add(uuid, coming, what, None);
        self.awaited.insert(parent.into());
        self.forward.push(Forward {
            child: ix,
            parent: parent.into(),
            line: coming.place.line,
            offset: coming.place.offset,
        });
        self.relinks += 1;
        ix
    }

    fn add(&mut self, id: &str, coming: &Coming<'_>, (kind, role): (Kind, Role), parent: Option<Ix>) -> Ix {
        let mut head = Head {
            span: coming.span,
            at: coming.node.at.unwrap_or_else(|| self.last_time()),
            kind,
            role,
            parent: parent.map_or(NONE, |parent| parent.0),
            ..self.blank_head(coming.place)
        };
        if let Some(parent) = parent {
            self.heads[parent.at()].flags.set(Flags::INNER, true);
        }
        self.fill(&mut head, &Facts::Other(kind));
        self.insert(id, head)
    }

    fn flaw(&mut self, coming: &Coming<'_>, kind: DefectKind) {
        let id = EntryId::new(coming.node.uuid.as_ref());
        self.defects.push(Defect { line: coming.place.line, offset: coming.place.offset, kind, id });
    }
}
