//! Measures whole processes of `naite hook`, each beside `naite hook none` on the same standard input.
//!
//! The worker's lock is held here, so that the processes which hooks start end at once: what they do is not what the
//! agent waits for.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use serde::Serialize;
use serde_json::json;

use crate::measure::{median, time};
use crate::report::{self, duration, table};

/// The ratio to `hook none` that a median stays below.
const TARGET: f64 = 2.5;

/// What `hook` understands.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// How often each event is measured.
    #[arg(long, default_value_t = 100)]
    runs: usize,
    /// The program [default: the one beside this one, else it is built]
    #[arg(long)]
    naite: Option<PathBuf>,
}

/// One event in one state of the world.
#[derive(Debug, Serialize)]
struct Row {
    event: String,
    transcript_mb: u64,
    setting: &'static str,
    none_ms: f64,
    median_ms: f64,
    p99_ms: f64,
    /// Of `hook none` in the same rounds.
    none_p99_ms: f64,
    /// The median of the ratios within a round; in tmux `tmux display-message` counts beside `hook none`.
    ratio: f64,
    met: bool,
    tmux_ms: Option<f64>,
}

/// A home with a store and a transcript.
struct World<'a> {
    program: &'a Path,
    folder: tempfile::TempDir,
    megabytes: u64,
    turn: usize,
    tmux: Option<String>,
    _lock: File,
}

/// Runs the bench.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let program = args.naite.clone().map_or_else(crate::limits::program, Ok)?;
    let mut rows = Vec::new();
    for megabytes in [1, 10, 100] {
        let mut world = World::new(&program, megabytes)?;
        for event in
            ["session-start", "user-prompt-submit", "stop", "subagent-stop", "pre-compact", "session-end"]
        {
            rows.push(world.measure(event, "", args.runs)?);
        }
        rows.push(world.measure("first stop", "", args.runs)?);
    }
    let mut world = World::new(&program, 10)?;
    fs::create_dir_all(world.path("naite"))?;
    fs::write(world.path("naite/settings.toml"), "durability = \"never\"\n")?;
    for event in ["user-prompt-submit", "stop"] {
        rows.push(world.measure(event, "durability = \"never\"", args.runs)?);
    }
    let mut world = World::new(&program, 10)?;
    if world.start_tmux() {
        for event in ["session-start", "user-prompt-submit"] {
            rows.push(world.measure(event, "in tmux", args.runs)?);
        }
    }
    if args.json {
        return report::json(&json!({"bench": "hook", "runs": args.runs, "rows": rows}));
    }
    let cells: Vec<_> = rows.iter().map(Row::cells).collect();
    report::text(&format!(
        "{} runs of each, beside `hook none` in the same round\n\n{}\n",
        args.runs,
        table(&cells)
    ))
}

impl<'a> World<'a> {
    fn new(program: &'a Path, megabytes: u64) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let state = folder.path().join("home/.ai-core/data/context/state");
        fs::create_dir_all(&state)?;
        let lock = File::create(state.join("worker.lock"))?;
        lock.lock()?;
        let mut world = Self { program, folder, megabytes, turn: 0, tmux: None, _lock: lock };
        let mut out = BufWriter::new(File::create(world.path("t.jsonl"))?);
        let mut written = 0;
        while written < megabytes * 1_000_000 {
            let lines = world.next_turn(50_000);
            written += lines.len() as u64;
            out.write_all(lines.as_bytes())?;
        }
        out.flush()?;
        drop(out);
        // All of it is read before anything is measured, as by the worker of the turns before.
        world.hear()?;
        Ok(world)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Lets the worker read the transcript.
    fn hear(&mut self) -> anyhow::Result<()> {
        self._lock.unlock()?;
        self.hook("stop", &self.payload("stop", "s"))?;
        let marks = self.path("home/.ai-core/data/context/state/marks");
        while fs::read_dir(&marks)?.next().is_some() {
            std::thread::yield_now();
        }
        self._lock.lock()?;
        Ok(())
    }

    /// A prompt, a result of a tool of so many bytes, an answer.
    fn next_turn(&mut self, bytes: usize) -> String {
        self.turn += 1;
        let prompt = format!("p{}", self.turn);
        let user = json!({"parentUuid": null, "isSidechain": false, "promptId": prompt, "type": "user",
            "message": {"role": "user", "content": format!("Question {}", self.turn)}, "uuid": prompt,
            "timestamp": "2026-04-10T11:00:00.000Z", "sessionId": "s"});
        let tool = json!({"parentUuid": prompt, "isSidechain": false, "promptId": prompt, "type": "user",
            "message": {"role": "user", "content": [{"tool_use_id": "t", "type": "tool_result", "content": "x".repeat(bytes)}]},
            "uuid": format!("{prompt}-t"), "toolUseResult": {"stdout": ""}, "timestamp": "2026-04-10T11:00:01.000Z"});
        let answer = json!({"parentUuid": prompt, "isSidechain": false, "type": "assistant",
            "message": {"id": prompt, "role": "assistant", "content": [{"type": "text", "text": format!("Answer {}", self.turn)}]},
            "uuid": format!("{prompt}-a"), "timestamp": "2026-04-10T11:00:02.000Z", "sessionId": "s"});
        format!("{user}\n{tool}\n{answer}\n")
    }

    fn payload(&self, event: &str, session: &str) -> Vec<u8> {
        let text = self.path("t.jsonl");
        json!({"session_id": session, "transcript_path": text, "cwd": self.folder.path(), "prompt_id": format!("p{}", self.turn),
            "hook_event_name": event, "source": "startup", "prompt": format!("Question {}", self.turn),
            "last_assistant_message": format!("Answer {}", self.turn), "agent_id": (event == "subagent-stop").then_some("a"),
            "agent_type": "general-purpose", "agent_transcript_path": "/nowhere"})
        .to_string()
        .into_bytes()
    }

    fn hook(&self, event: &str, payload: &[u8]) -> anyhow::Result<f64> {
        let mut command = Command::new(self.program);
        command
            .args(["hook", event, "--agent", "claude-code"])
            .env("HOME", self.path("home"))
            .env("NAITE_HOME", self.path("naite"))
            .env_remove("NAITE_CONTEXT_ROOT")
            .env_remove("TMUX")
            .env("PROJECT_FOR_LOG", "bench")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(tmux) = &self.tmux {
            command.env("TMUX", tmux);
        }
        let (ms, ended) = time(|| {
            let mut child = command.spawn()?;
            let written = child.stdin.take().map(|mut stdin| stdin.write_all(payload));
            written.transpose()?;
            child.wait()
        });
        ensure!(ended?.success(), "naite hook {event} failed");
        Ok(ms)
    }

    fn measure(&mut self, event: &str, setting: &'static str, runs: usize) -> anyhow::Result<Row> {
        let (mut none, mut took, mut ratios, mut tmux) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let name = event.trim_start_matches("first ");
        for run in 0..runs + 3 {
            let lines = self.next_turn(2_000);
            let session = if name == event { "s".to_owned() } else { format!("first-{run}") };
            if name != "user-prompt-submit" && name == event {
                OpenOptions::new().append(true).open(self.path("t.jsonl"))?.write_all(lines.as_bytes())?;
            }
            let payload = self.payload(name, &session);
            let yardstick = self.hook("none", &payload)?;
            let ms = self.hook(name, &payload)?;
            let asked = self.tmux.as_ref().map(|_| self.ask_tmux()).transpose()?;
            // The first rounds warm up.
            if run >= 3 {
                none.push(yardstick);
                took.push(ms);
                tmux.extend(asked);
                ratios.push(ms / (yardstick + asked.unwrap_or(0.0)));
            }
        }
        let ratio = median(&ratios);
        Ok(Row {
            event: event.into(),
            transcript_mb: self.megabytes,
            setting,
            none_ms: median(&none),
            median_ms: median(&took),
            p99_ms: p99(&took),
            none_p99_ms: p99(&none),
            ratio,
            met: ratio <= TARGET,
            tmux_ms: (!tmux.is_empty()).then(|| median(&tmux)),
        })
    }

    fn tmux_command(&self) -> Command {
        let mut command = Command::new("tmux");
        command
            .arg("-S")
            .arg(self.path("tmux"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Starts a server of its own; `false` where there is no tmux.
    fn start_tmux(&mut self) -> bool {
        let started =
            self.tmux_command().args(["-f", "/dev/null", "new-session", "-d", "-s", "bench"]).status();
        self.tmux = Some(format!("{},1,0", self.path("tmux").display()));
        started.is_ok_and(|status| status.success())
    }

    fn ask_tmux(&self) -> anyhow::Result<f64> {
        let mut command = self.tmux_command();
        let (ms, asked) = time(|| command.args(["display-message", "-p", "#S"]).status());
        ensure!(asked.context("tmux")?.success(), "tmux does not answer");
        Ok(ms)
    }
}

impl Drop for World<'_> {
    fn drop(&mut self) {
        if self.tmux.is_some() {
            let _ = self.tmux_command().arg("kill-server").status();
        }
    }
}

impl Row {
    fn cells(&self) -> Vec<(&'static str, String)> {
        let ratio = format!("{:.2}{}", self.ratio, if self.met { "" } else { " MISSED" });
        vec![
            ("", self.event.clone()),
            ("transcript", format!("{} MB", self.transcript_mb)),
            ("none", duration(self.none_ms)),
            ("median", duration(self.median_ms)),
            ("ratio", ratio),
            ("p99", duration(self.p99_ms)),
            ("none p99", duration(self.none_p99_ms)),
            ("tmux", self.tmux_ms.map_or_else(String::new, duration)),
            ("setting", self.setting.into()),
        ]
    }
}

/// The value that one of a hundred exceeds.
fn p99(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get((sorted.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or(f64::NAN)
}
