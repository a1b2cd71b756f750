//! Makes sessions: deterministic, in pi's form, with the sizes and habits of real ones, at the speed of copying.
//!
//! The numbers are those of two real sessions (mean line 1 to 2.4 kB, half of the lines from the assistant, 40 % tool
//! results with a long tail): turns of some five tool calls, thinking with signatures, labels, branches that go back
//! to an earlier prompt, branch summaries and compactions.

mod dice;
mod record;
mod words;

use std::io::{self, Write};
use std::mem;
use std::sync::LazyLock;

use dice::Dice;
use record::{NONE, Records};
use words::{Sort, Words};

/// How the tree branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shape {
    /// No branch at all.
    Chain,
    /// More turns branch off than go on, many from the same few places.
    Wide,
    /// One turn in twelve branches off, as in real use.
    Mixed,
}

/// What to make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    pub(crate) shape: Shape,
    /// Entries, at least: the last turn is finished.
    pub(crate) entries: usize,
    /// Bytes, within some per cent: the texts are as long as it takes.
    pub(crate) bytes: u64,
    pub(crate) seed: u64,
    /// Bytes of one more tool result at the end; 0 for none.
    pub(crate) giant: usize,
}

/// What was made.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub(crate) struct Made {
    pub(crate) entries: usize,
    /// Stands in the report of the file already.
    #[serde(skip)]
    pub(crate) bytes: u64,
    pub(crate) prompts: usize,
    pub(crate) compactions: usize,
    pub(crate) leaf_depth: usize,
    pub(crate) branch_points: usize,
}

/// Bytes of a line whose texts are as short as they get, and what one byte of the mean tool result adds to it.
const BARE_LINE: f64 = 600.0;
const LINE_PER_TOOL_BYTE: f64 = 0.62;
/// Tokens at which a context is compacted.
const FULL: usize = 120_000;

/// All sessions are made of the same words; making them takes longer than a small session.
static WORDS: LazyLock<Words> = LazyLock::new(|| Words::new(0.25));

/// How often what happens.
#[derive(Clone, Copy, Debug)]
struct Habits {
    branch: f64,
    hubs: f64,
    back: f64,
    labels: f64,
    summary: f64,
    tool_mean: f64,
    /// Of texts around the calls: 28 % of a tool result.
    text_mean: f64,
}

impl Habits {
    fn of(recipe: &Recipe) -> Self {
        let line = recipe.bytes as f64 / recipe.entries.max(1) as f64;
        let tool_mean = ((line - BARE_LINE) / LINE_PER_TOOL_BYTE).max(30.0);
        let text_mean = (tool_mean * 0.28).max(60.0);
        let mixed =
            Self { branch: 0.08, hubs: 0.0, back: 30.0, labels: 0.05, summary: 0.5, tool_mean, text_mean };
        match recipe.shape {
            Shape::Mixed => mixed,
            Shape::Chain => Self { branch: 0.0, ..mixed },
            Shape::Wide => Self { branch: 0.6, hubs: 0.5, back: 200.0, labels: 0.1, summary: 0.2, ..mixed },
        }
    }
}

/// Writes a session.
pub(crate) fn generate(recipe: &Recipe, out: impl Write) -> io::Result<Made> {
    let mut chat = Chat {
        dice: Dice::new(recipe.seed),
        words: &WORDS,
        habits: Habits::of(recipe),
        records: Records::new(out, recipe.seed)?,
        prompts: Vec::new(),
        hubs: Vec::new(),
        context: 2000,
        since_compaction: 0,
        compactions: 0,
    };
    chat.setting("model_change", r#""provider":"anthropic","modelId":"claude-sonnet-4-5""#)?;
    chat.setting("thinking_level_change", r#""thinkingLevel":"medium""#)?;
    while chat.records.parents.len() < recipe.entries {
        chat.turn(recipe.entries)?;
    }
    if recipe.giant > 0 {
        let call = chat.call();
        chat.assistant("toolUse", std::slice::from_ref(&call))?;
        chat.result(&call, recipe.giant)?;
    }
    chat.records.finish()?;
    Ok(chat.made())
}

/// A tool call that waits for its result.
#[derive(Debug)]
struct Call {
    id: String,
    name: &'static str,
    arguments: String,
}

#[derive(Debug)]
struct Chat<W> {
    dice: Dice,
    words: &'static Words,
    habits: Habits,
    records: Records<W>,
    /// Places of the user's messages.
    prompts: Vec<u32>,
    /// Places that are branched from again and again.
    hubs: Vec<u32>,
    /// Tokens in the model's context.
    context: usize,
    since_compaction: usize,
    compactions: usize,
}

impl<W: Write> Chat<W> {
    /// A prompt, the calls it leads to, the answer, and the bookkeeping around it.
    fn turn(&mut self, until: usize) -> io::Result<()> {
        if !self.prompts.is_empty() && self.dice.chance(self.habits.branch) {
            self.go_back()?;
        }
        self.prompt()?;
        for _ in 0..=self.dice.exponential(4.2) {
            if self.records.parents.len() >= until {
                return Ok(());
            }
            let parallel = if self.dice.chance(0.85) { 1 } else { self.dice.between(2, 4) };
            let calls: Vec<Call> = (0..parallel).map(|_| self.call()).collect();
            self.assistant("toolUse", &calls)?;
            for call in &calls {
                let size = self.dice.size(self.habits.tool_mean, 1.4, (8.0, 50_000.0));
                self.result(call, size)?;
            }
        }
        self.assistant("stop", &[])?;
        self.since_compaction += 1;
        self.bookkeeping()?;
        if self.context > FULL || self.since_compaction >= 60 {
            self.compact()?;
        }
        Ok(())
    }

    /// Leaves the branch for an earlier prompt, which is asked anew.
    fn go_back(&mut self) -> io::Result<()> {
        let target = if self.dice.chance(self.habits.hubs) {
            if self.hubs.is_empty() || (self.hubs.len() < 40 && self.dice.chance(0.02)) {
                self.hubs.push(self.prompts[self.dice.below(self.prompts.len())]);
            }
            self.hubs[self.dice.below(self.hubs.len())]
        } else {
            let back = self.dice.exponential(self.habits.back).min(self.prompts.len() - 1);
            self.prompts[self.prompts.len() - 1 - back]
        };
        let left = mem::replace(&mut self.records.leaf, self.records.parents[target as usize]);
        if self.dice.chance(self.habits.summary) {
            let (from, left) = (self.records.id(self.records.leaf), self.records.id(left));
            self.begin("branch_summary");
            self.records.add(format_args!(r#""fromId":"{from:08x}","summary":"Goal:\n"#));
            self.text(Sort::Prose, 1200.0, 0.6, (200.0, 6000.0));
            let (read, wrote) = (self.words.word(&mut self.dice), self.words.word(&mut self.dice));
            self.records.add(format_args!(
                r#"","details":{{"readFiles":["src/{read}.ts"],"modifiedFiles":["src/{wrote}.rs"]}},"abandonedLeafId":"{left:08x}""#
            ));
            self.records.end()?;
        }
        Ok(())
    }

    fn prompt(&mut self) -> io::Result<()> {
        self.begin("message");
        self.records.line.push_str(r#""message":{"role":"user","content":[{"type":"text","text":""#);
        self.text(Sort::Prose, 230.0, 0.9, (12.0, 4000.0));
        let now = self.records.now;
        self.records.add(format_args!(r#""}}],"timestamp":{now}}}"#));
        let place = self.records.end()?;
        self.prompts.push(place);
        Ok(())
    }

    fn assistant(&mut self, stop: &str, calls: &[Call]) -> io::Result<()> {
        self.begin("message");
        self.records.line.push_str(r#""message":{"role":"assistant","content":["#);
        let start = self.records.line.len();
        if self.dice.chance(0.35) {
            self.records.line.push_str(r#"{"type":"thinking","thinking":""#);
            self.text(Sort::Prose, self.habits.text_mean * 0.9, 1.0, (20.0, 8000.0));
            let signature = self.words.signature(&mut self.dice);
            self.records.add(format_args!(r#"","thinkingSignature":"{signature}"}},"#));
        }
        if stop == "stop" || self.dice.chance(0.45) {
            self.records.line.push_str(r#"{"type":"text","text":""#);
            self.text(Sort::Prose, self.habits.text_mean, 1.1, (10.0, 20_000.0));
            self.records.line.push_str(r#""},"#);
        }
        for Call { id, name, arguments } in calls {
            self.records.add(format_args!(
                r#"{{"type":"toolCall","id":"{id}","name":"{name}","arguments":{arguments}}},"#
            ));
        }
        if self.records.line.len() > start {
            self.records.line.pop();
        }
        self.records.line.push_str(
            r#"],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":"#,
        );
        self.usage();
        let now = self.records.now;
        self.records.add(format_args!(r#","stopReason":"{stop}","timestamp":{now}}}"#));
        self.records.end()?;
        Ok(())
    }

    fn usage(&mut self) {
        let (input, output) = (self.dice.between(2, 12), self.dice.between(20, 2000));
        let (read, write) = (self.context, self.dice.between(100, 4000));
        let cost = |tokens: usize, price: f64| (tokens as f64 * price).round() / 1e6;
        let total = input + output + read + write;
        self.records.add(format_args!(
            r#"{{"input":{input},"output":{output},"cacheRead":{read},"cacheWrite":{write},"totalTokens":{total},"#
        ));
        self.records.add(format_args!(
            r#""cost":{{"input":{},"output":{},"cacheRead":{},"cacheWrite":{},"total":{}}}}}"#,
            cost(input, 3.0),
            cost(output, 15.0),
            cost(read, 0.3),
            cost(write, 3.75),
            cost(input * 3 + output * 15, 1.0),
        ));
    }

    fn call(&mut self) -> Call {
        let (dice, words) = (&mut self.dice, self.words);
        let id = format!("toolu_01{:016x}{:06x}", dice.bits(), dice.bits() & 0xff_ffff);
        let path = format!("src/{}/{}.ts", words.word(dice), words.word(dice));
        let mean = self.habits.text_mean;
        let mut arguments = String::new();
        let mut text = |dice: &mut Dice, share: f64, most: f64| {
            let size = dice.size(mean * share, 1.0, (20.0, most));
            words.text(dice, Sort::Tool, size, &mut arguments);
            mem::take(&mut arguments)
        };
        let (name, arguments) = match dice.below(100) {
            0..40 => {
                let count = dice.between(3, 12);
                ("bash", format!(r#"{{"command":"{}"}}"#, words.some(dice, count)))
            }
            40..65 => ("read", format!(r#"{{"path":"{path}"}}"#)),
            65..85 => {
                let (old, new) = (text(dice, 0.5, 6000.0), text(dice, 0.7, 8000.0));
                ("edit", format!(r#"{{"path":"{path}","oldText":"{old}","newText":"{new}"}}"#))
            }
            85..93 => ("grep", format!(r#"{{"pattern":"{}","path":"src"}}"#, words.word(dice))),
            93..97 => {
                let content = text(dice, 2.5, 20_000.0);
                ("write", format!(r#"{{"path":"{path}","content":"{content}"}}"#))
            }
            _ => ("ls", format!(r#"{{"path":"{path}"}}"#)),
        };
        Call { id, name, arguments }
    }

    fn result(&mut self, call: &Call, bytes: usize) -> io::Result<()> {
        self.begin("message");
        let Call { id, name, .. } = call;
        self.records.add(format_args!(
            r#""message":{{"role":"toolResult","toolCallId":"{id}","toolName":"{name}","content":[{{"type":"text","text":""#
        ));
        let chars = self.words.text(&mut self.dice, Sort::Tool, bytes, &mut self.records.line);
        let (failed, now) = (self.dice.chance(0.04), self.records.now);
        self.records.add(format_args!(r#""}}],"isError":{failed},"timestamp":{now}}}"#));
        self.context = (self.context + chars / 4).min(180_000);
        self.records.end()?;
        Ok(())
    }

    /// What now and then stands between turns.
    fn bookkeeping(&mut self) -> io::Result<()> {
        if self.dice.chance(self.habits.labels) {
            let newest = self.prompts.len().saturating_sub(200);
            let target = self.prompts[self.dice.between(newest, self.prompts.len())];
            let (target, count) = (self.records.id(target), self.records.parents.len());
            let name = self.dice.pick(&["checkpoint", "milestone", "중요", "before-refactor", "ok"]);
            self.setting("label", &format!(r#""targetId":"{target:08x}","label":"{name}-{count}""#))?;
        }
        if self.dice.chance(0.03) {
            let level = self.dice.pick(&["off", "low", "medium", "high"]);
            self.setting("thinking_level_change", &format!(r#""thinkingLevel":"{level}""#))?;
        }
        if self.dice.chance(0.006) {
            self.setting("model_change", r#""provider":"openai","modelId":"gpt-5.1-codex""#)?;
        }
        if self.dice.chance(0.01) {
            self.setting("custom", r#""customType":"my-extension","data":{"state":"on"}"#)?;
        }
        if self.dice.chance(0.01) {
            self.begin("custom_message");
            self.records.line.push_str(r#""customType":"my-extension","content":""#);
            self.text(Sort::Prose, 200.0, 0.5, (20.0, 1000.0));
            self.records.line.push_str(r#"","display":true"#);
            self.records.end()?;
        }
        if self.dice.chance(0.002) {
            let word = self.words.word(&mut self.dice);
            self.setting("session_info", &format!(r#""name":"Refactor {word}""#))?;
        }
        Ok(())
    }

    fn compact(&mut self) -> io::Result<()> {
        let mut kept = self.records.leaf;
        for _ in 0..self.dice.between(10, 40) {
            match self.records.parents[kept as usize] {
                NONE => break,
                parent => kept = parent,
            }
        }
        let (kept, tokens) = (self.records.id(kept), self.context + 20_000);
        self.begin("compaction");
        self.records.line.push_str(r#""summary":"Goal:\n"#);
        self.text(Sort::Prose, 4500.0, 0.4, (800.0, 12_000.0));
        self.records.add(format_args!(
            r#"","firstKeptEntryId":"{kept:08x}","tokensBefore":{tokens},"details":{{"readFiles":["src/a.ts"],"modifiedFiles":["src/b.ts"]}}"#
        ));
        self.records.end()?;
        self.since_compaction = 0;
        self.context = 12_000;
        self.compactions += 1;
        Ok(())
    }

    /// An entry without a text.
    fn setting(&mut self, kind: &str, fields: &str) -> io::Result<()> {
        self.begin(kind);
        self.records.line.push_str(fields);
        self.records.end()?;
        Ok(())
    }

    fn begin(&mut self, kind: &str) {
        let step = self.dice.between(3, 20_000);
        self.records.begin(kind, step);
    }

    fn text(&mut self, sort: Sort, mean: f64, spread: f64, limits: (f64, f64)) {
        let size = self.dice.size(mean, spread, limits);
        self.words.text(&mut self.dice, sort, size, &mut self.records.line);
    }

    fn made(&self) -> Made {
        let parents = &self.records.parents;
        let depth =
            std::iter::successors(Some(self.records.leaf), |at| parents.get(*at as usize).copied()).count();
        let mut children = vec![0u8; parents.len()];
        for parent in parents.iter().filter(|parent| **parent != NONE) {
            children[*parent as usize] = children[*parent as usize].saturating_add(1);
        }
        Made {
            entries: parents.len(),
            bytes: self.records.bytes,
            prompts: self.prompts.len(),
            compactions: self.compactions,
            leaf_depth: depth - 1,
            branch_points: children.iter().filter(|count| **count > 1).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use naite_core::{Place, Tree};

    use super::{Recipe, Shape, generate};

    fn make(shape: Shape, seed: u64) -> (Vec<u8>, super::Made) {
        let mut log = Vec::new();
        let recipe = Recipe { shape, entries: 3000, bytes: 7_500_000, seed, giant: 0 };
        let made = generate(&recipe, &mut log).unwrap();
        (log, made)
    }

    #[test]
    fn every_shape_loads_without_a_defect() {
        for shape in [Shape::Chain, Shape::Wide, Shape::Mixed] {
            let (log, made) = make(shape, 3);
            let mut tree = Tree::default();
            let (mut number, mut offset) = (1, 0);
            for line in log.split_inclusive(|byte| *byte == b'\n') {
                let place = Place { line: number, offset, ended: true };
                tree.line(&line[..line.len() - 1], place, &mut log.as_slice());
                (number, offset) = (number + 1, offset + line.len() as u64);
            }
            tree.settle();
            assert_eq!(tree.defects(), []);
            assert_eq!(tree.entries().count(), made.entries);
            assert_eq!(tree.ancestry(tree.leaf()).count(), made.leaf_depth);
            assert_eq!(tree.roots().len(), 1);
            let ids: HashSet<&str> = tree.entries().map(|ix| tree.id(ix)).collect();
            assert_eq!(ids.len(), made.entries);
            assert_eq!(made.branch_points > 0, shape != Shape::Chain);
        }
    }

    #[test]
    fn a_seed_always_gives_the_same_session() {
        assert!(make(Shape::Mixed, 1).0 == make(Shape::Mixed, 1).0);
        assert!(make(Shape::Mixed, 1).0 != make(Shape::Mixed, 2).0);
    }

    #[test]
    fn the_size_is_about_what_was_asked_for() {
        let made = make(Shape::Mixed, 5).1;
        assert!((6_700_000..8_300_000).contains(&made.bytes), "{}", made.bytes);
    }
}
