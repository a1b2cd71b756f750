//! Each message once, whatever the order of payloads, transcript and crashes.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;

fn user<'a>(prompt: &'a str, text: &str) -> Said<'a> {
    Said::User { prompt_id: Some(prompt.into()), text: text.into(), at: Some(5) }
}

fn agent<'a>(message: &'a str, text: &str) -> Said<'a> {
    Said::Assistant { message_id: Some(message.into()), text: text.into(), at: Some(6) }
}

fn words(lines: impl IntoIterator<Item = LogLine>) -> Vec<String> {
    lines.into_iter().map(|line| line.content).collect()
}

#[test]
fn the_payload_first_and_the_transcript_later() {
    let mut ledger = Ledger::default();
    assert_eq!(words(ledger.submit(Some("p"), "hi", 1)), ["hi"]);
    assert_eq!(words(ledger.answer(Some("p"), "done", 2)), ["done"]);
    let said = [user("p", "hi"), agent("m1", "looking"), agent("m2", "done")];
    assert_eq!(words(ledger.hear(&said, 9)), ["looking"]);
    assert_eq!(ledger.waiting(), 0);
}

#[test]
fn the_transcript_first_and_the_payload_late() {
    let mut ledger = Ledger::default();
    let said = [user("p", "hi"), agent("m", "a"), agent("m", "b"), user("q", "next"), agent("n", "c")];
    assert_eq!(words(ledger.hear(&said, 9)), ["hi", "a", "b", "next", "c"]);
    assert_eq!(ledger.answer(Some("p"), "a\n\nb", 10), None);
    assert_eq!(ledger.submit(Some("q"), "next", 10), None);
    assert_eq!(ledger.answer(Some("q"), "c", 10), None);
    assert_eq!(words(ledger.answer(Some("r"), "c", 10)), ["c"]);
}

#[test]
fn a_message_that_a_payload_brought_whole_is_not_logged_in_pieces() {
    let mut ledger = Ledger::default();
    ledger.answer(Some("p"), "a\n\nb", 1);
    assert_eq!(
        words(ledger.hear(&[agent("m", "a"), Said::Nothing, agent("m", "b"), agent("n", "b")], 9)),
        ["b"]
    );
}

#[test]
fn what_is_delivered_twice_is_logged_once() {
    let mut ledger = Ledger::default();
    for prompt in [Some("p"), None] {
        assert_eq!(ledger.submit(prompt, "go", 1).is_some(), prompt.is_some());
    }
    assert_eq!(words(ledger.answer(Some("p"), "ok", 2)), ["ok"]);
    assert_eq!(ledger.answer(Some("p"), "ok ", 2), None);
    assert_eq!(words(ledger.submit(Some("q"), "go", 3)), ["go"]);
    assert_eq!(words(ledger.answer(Some("q"), "ok", 4)), ["ok"]);
    assert_eq!(ledger.answer(Some("p"), "ok", 5), None, "late and twice");
}

#[test]
fn what_no_person_said_is_not_logged() {
    let mut ledger = Ledger::default();
    for prompt in ["", "  ", "<task-notification>x", "<naite-context>old</naite-context>"] {
        assert_eq!(ledger.submit(Some("p"), prompt, 1), None, "{prompt}");
    }
    assert_eq!(ledger.answer(Some("p"), "\n", 1), None);
    assert_eq!(words(ledger.submit(Some("p"), "/-session-save note", 1)), ["/-session-save note"]);
    // The transcript has the command in a machine's words.
    assert!(ledger.hear(&[Said::Turn { prompt_id: "p".into(), at: None }], 2).is_empty());
    assert_eq!(ledger.waiting(), 0);
}

#[test]
fn a_fork_logs_what_is_its_own() {
    let mut ledger = Ledger { is_fork: true, created: 6, ..Ledger::default() };
    let said = [Said::Copied, user("p", "older"), agent("m", "own")];
    assert_eq!(words(ledger.hear(&said, 9)), ["own"]);
}

#[test]
fn lines_that_a_fork_copied_under_its_own_prompt_end_no_wait() {
    let older = |fork: &mut Ledger| {
        assert_eq!(words(fork.submit(Some("f"), "forked", 20)), ["forked"]);
        let tool = || Said::Turn { prompt_id: "f".into(), at: Some(5) };
        let said = [user("f", "first"), Said::Copied, tool(), Said::Copied, user("f", "unanswered"), tool()];
        let own = Said::User { prompt_id: Some("f".into()), text: "forked".into(), at: Some(20) };
        words(fork.hear(&[&said[..], &[own]].concat(), 30))
    };
    let mut fork = Ledger { is_fork: true, created: 20, ..Ledger::default() };
    assert_eq!(older(&mut fork), [""; 0]);
    assert_eq!(fork.waiting(), 0);
}

#[test]
fn what_stands_before_a_copied_line_is_copied_although_no_hook_named_a_fork() {
    let mut ledger = Ledger { created: 20, ..Ledger::default() };
    let said = [user("f", "older"), Said::Copied, user("f", "own"), agent("m", "answer")];
    assert_eq!(words(ledger.hear(&said, 30)), ["own", "answer"]);
}

#[test]
fn the_stored_form_comes_back() {
    let mut ledger = Ledger {
        project: Some("프로젝트".into()),
        closed: Some(3),
        question: Some(Question { id: "q".into(), at: -1 }),
        reading: Some(Reading {
            path: "/t \"x\"".into(),
            identity: (u64::MAX, 2),
            heard: 7,
            ..Reading::default()
        }),
        ..Ledger::default()
    };
    ledger.submit(None, "a", 1);
    ledger.hear(&[user("p", "b")], 1);
    assert_eq!(Ledger::parse(&ledger.to_json()), Some(ledger.clone()));
    for damaged in
        ["", "{}", "[]", &ledger.to_json()[..40], &ledger.to_json().replace("\"version\":1", "\"version\":2")]
    {
        assert_eq!(Ledger::parse(damaged), None);
    }
}

/// A store that may crash: what is logged stays, what the ledger learnt since may be lost.
#[derive(Default)]
struct Disk {
    ledger: Ledger,
    log: Vec<LogLine>,
    heard: usize,
}

impl Disk {
    fn act(&mut self, crash: Option<usize>, act: impl Fn(&mut Ledger) -> Vec<LogLine>, heard: usize) {
        let mut ledger = self.ledger.clone();
        let lines = act(&mut ledger);
        match crash {
            // It died after so many lines, before the ledger was saved.
            Some(kept) => {
                let kept = &lines[..kept.min(lines.len())];
                self.log.extend_from_slice(kept);
                kept.iter().for_each(|line| self.ledger.recover(line));
            }
            None => {
                self.log.extend(lines);
                self.ledger = Ledger::parse(&ledger.to_json()).expect("its own form");
                self.heard = heard;
            }
        }
    }
}

#[derive(Clone, Debug)]
struct Turn {
    ask: &'static str,
    /// The last is what the payload of the end has.
    blocks: Vec<&'static str>,
    /// How often prompt and end are delivered at once, and how often again much later.
    delivered: (usize, usize),
    late: usize,
    /// How much of the transcript is there and read after the prompt and after the end, in lines from the turn's first.
    read: (usize, usize),
    /// The hook of the end reads and answers at once: a crash may take both from the ledger.
    is_one: bool,
    crash: Option<usize>,
}

fn turn() -> impl Strategy<Value = Turn> {
    let word = || prop_oneof![Just("go"), Just("ok"), Just("계속"), Just("a b"), Just("ab")];
    (
        word(),
        prop::collection::vec(word(), 1..4),
        (0..3usize, 0..3usize),
        0..2usize,
        (0..2usize, 0..6usize),
        any::<bool>(),
        prop::option::weighted(0.3, 0..3usize),
    )
        .prop_map(|(ask, blocks, delivered, late, read, is_one, crash)| Turn {
            ask,
            blocks,
            delivered,
            late,
            read,
            is_one,
            crash,
        })
}

proptest! {
    #[test]
    fn each_message_is_logged_once(turns in prop::collection::vec(turn(), 1..7)) {
        let names: Vec<String> = (0..64).map(|n| n.to_string()).collect();
        let mut transcript: Vec<Said<'_>> = Vec::new();
        let mut disk = Disk::default();
        for (n, turn) in turns.iter().enumerate() {
            let start = transcript.len();
            let prompt = Some(names[n].as_str());
            transcript.push(user(&names[n], turn.ask));
            for (block, text) in turn.blocks.iter().enumerate() {
                transcript.push(agent(&names[n * 4 + block], text));
            }
            let last = turn.blocks.last().expect("a block");
            let read = |disk: &mut Disk, upto: usize, crash| {
                let upto = upto.min(transcript.len());
                let from = disk.heard;
                if upto > from {
                    disk.act(crash, |ledger| ledger.hear(&transcript[from..upto], 0), upto);
                }
            };
            for again in 0..turn.delivered.0 {
                let crash = turn.crash.filter(|_| again == 0);
                disk.act(crash, |ledger| ledger.submit(prompt, turn.ask, 0).into_iter().collect(), disk.heard);
            }
            read(&mut disk, start + turn.read.0, turn.crash);
            if !turn.is_one {
                read(&mut disk, start + turn.read.1, None);
            }
            for again in 0..turn.delivered.1 {
                let from = disk.heard;
                let upto = if turn.is_one { from.max(start + turn.read.1).min(transcript.len()) } else { from };
                let crash = turn.crash.filter(|_| again == 0 || !turn.is_one);
                let act = |ledger: &mut Ledger| {
                    let mut lines = ledger.hear(&transcript[from..upto], 0);
                    lines.extend(ledger.answer(prompt, last, 0));
                    lines
                };
                disk.act(crash, act, upto);
            }
            if n > 0 && turns[n - 1].late > 0 {
                let (before, prompt) = (&turns[n - 1], Some(names[n - 1].as_str()));
                let last = before.blocks.last().expect("a block");
                disk.act(None, |ledger| ledger.answer(prompt, last, 0).into_iter().collect(), disk.heard);
            }
        }
        let (from, upto) = (disk.heard, transcript.len());
        disk.act(None, |ledger| ledger.hear(&transcript[from..], 0), upto);
        let mut logged: Vec<String> = disk.log.iter().map(|line| format!("{} {}", line.speaker.name(), squeezed(&line.content))).collect();
        let mut said: Vec<String> = transcript.iter().map(|said| match said {
            Said::User { text, .. } => format!("user {}", squeezed(text)),
            Said::Assistant { text, .. } => format!("assistant {}", squeezed(text)),
            _ => String::new(),
        }).collect();
        logged.sort();
        said.sort();
        prop_assert_eq!(logged, said);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,80}") {
        let _ = Ledger::parse(&text);
        let _ = crate::transcript::read(&text);
        let _ = crate::payload::Payload::parse(text.as_bytes()).is_ok();
    }
}
