//! Sample sessions for trying things out: the same every time, made as any session is made, by appending.

use naite_core::EntryId;
use naite_core::text::json::{self, ObjectWriter};
use naite_store::{Left, Navigated, Result, SessionManager, Supply};

use crate::env::{Environment, Holding};

/// A clock that starts on a fixed day, and ids that only look random.
#[derive(Debug)]
struct SampleSupply {
    now: i64,
    made: u32,
    session: u32,
}

impl Supply for SampleSupply {
    fn now(&mut self) -> i64 {
        self.now += 7_000;
        self.now
    }

    fn bits(&mut self) -> u32 {
        self.made += 1;
        // Multiplying by an odd number visits every 32-bit value once.
        (self.made + (self.session << 20)).wrapping_mul(0x9e37_79b1)
    }

    fn session_id(&mut self, now: i64) -> String {
        format!("{:08x}-{:04x}-7000-8000-{:012x}", now >> 16, now & 0xffff, self.session)
    }
}

/// What was made.
#[derive(Debug)]
pub struct Samples {
    /// A short session with two approaches and a label.
    pub short: SessionManager,
    /// The same in Korean.
    pub korean: SessionManager,
    /// 300 entries, five branches.
    pub large: SessionManager,
}

/// Makes the samples in the sessions folder of an environment.
pub fn make(env: &Environment) -> Result<Samples> {
    Ok(Samples { short: short(env)?, korean: korean(env)?, large: large(env)? })
}

fn start(env: &Environment, session: u32) -> Result<Writer> {
    let mut setup = env.setup(Holding::default());
    // 2026-03-01T09:00:00Z and the days after it.
    let now = 1_772_355_600_000 + i64::from(session) * 86_400_000;
    setup.supply = Box::new(SampleSupply { now, made: 0, session });
    let session = SessionManager::create(setup, None)?;
    Ok(Writer { session, calls: 0 })
}

/// Appends whole turns.
struct Writer {
    session: SessionManager,
    calls: u32,
}

impl Writer {
    fn user(&mut self, text: &str) -> Result<EntryId> {
        let message = ObjectWriter::new().str("role", "user").raw("content", &json::join([text_block(text)]));
        self.session.append_message(&message.display("timestamp", 0).end())
    }

    fn assistant(&mut self, text: &str) -> Result<EntryId> {
        self.answer(&[text_block(text)], "stop")
    }

    fn answer(&mut self, blocks: &[String], stop: &str) -> Result<EntryId> {
        let usage = r#"{"input":1200,"output":180,"cacheRead":0,"cacheWrite":0,"totalTokens":1380,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}"#;
        let message = ObjectWriter::new()
            .str("role", "assistant")
            .raw("content", &json::join(blocks))
            .str("api", "demo")
            .str("provider", "demo")
            .str("model", "scripted")
            .raw("usage", usage)
            .str("stopReason", stop)
            .display("timestamp", 0);
        self.session.append_message(&message.end())
    }

    /// A call and its result: two entries.
    fn tool(&mut self, words: &str, name: &str, arguments: &[(&str, &str)], output: &str) -> Result<()> {
        self.calls += 1;
        let id = format!("call_{}", self.calls);
        let arguments =
            arguments.iter().fold(ObjectWriter::new(), |out, (key, value)| out.str(key, value)).end();
        let call = ObjectWriter::new().str("type", "toolCall").str("id", &id).str("name", name);
        let mut blocks = vec![call.raw("arguments", &arguments).end()];
        if !words.is_empty() {
            blocks.insert(0, text_block(words));
        }
        self.answer(&blocks, "toolUse")?;
        let result = ObjectWriter::new()
            .str("role", "toolResult")
            .str("toolCallId", &id)
            .str("toolName", name)
            .raw("content", &json::join([text_block(output)]))
            .display("isError", false)
            .display("timestamp", 0);
        self.session.append_message(&result.end())?;
        Ok(())
    }

    /// Goes back before a user's message, as `/tree` does.
    fn go_back(&mut self, to: &EntryId) -> Result<Navigated> {
        let target = self.session.find(to.as_str())?;
        self.session.navigate(target, None)
    }

    fn finish(mut self) -> Result<SessionManager> {
        self.session.finish()?;
        Ok(self.session)
    }
}

fn text_block(text: &str) -> String {
    ObjectWriter::new().str("type", "text").str("text", text).end()
}

fn short(env: &Environment) -> Result<SessionManager> {
    let mut w = start(env, 1)?;
    w.session.append_session_info("login test")?;
    w.user("The login test fails on Mondays. Find out why.")?;
    w.tool(
        "I'll run it first.",
        "bash",
        &[("command", "cargo test login -- --nocapture")],
        "1 failed: token expired",
    )?;
    w.assistant("The token is made on Friday and lives for two days. Two ways to mend it: a longer life, or a fake clock.")?;
    let first = w.user("Try the longer life.")?;
    w.tool(
        "",
        "edit",
        &[("path", "src/token.rs"), ("oldText", "days(2)"), ("newText", "days(4)")],
        "edited",
    )?;
    w.assistant("It passes now, but a long weekend will break it again. 🌲")?;
    w.go_back(&first)?;
    let second = w.user("Use a fake clock instead.")?;
    w.tool("", "grep", &[("pattern", "SystemTime::now"), ("path", "src")], "src/token.rs:14")?;
    w.tool(
        "",
        "edit",
        &[("path", "src/token.rs"), ("oldText", "SystemTime::now()"), ("newText", "clock.now()")],
        "edited",
    )?;
    w.assistant("The test owns its time now and passes on every day of the week.")?;
    w.session.append_label_change(second.as_str(), Some("fake clock"))?;
    w.user("Good. Add a test for the long weekend too.")?;
    w.assistant("Done: `token_survives_a_long_weekend`.")?;
    w.finish()
}

fn korean(env: &Environment) -> Result<SessionManager> {
    let mut w = start(env, 2)?;
    w.session.append_session_info("나이테 세션 정리")?;
    w.user("세션 트리에서 레이블이 가끔 사라져요. 원인을 찾아 주세요.")?;
    w.tool("먼저 저장 코드를 볼게요.", "read", &[("path", "src/레이블.rs")], "pub fn 저장(…) { … }")?;
    w.assistant("두 프로세스가 같은 파일에 쓰면서 마지막 줄이 잘립니다. 🌳")?;
    let first = w.user("잠금을 넣어 주세요.")?;
    w.tool("", "edit", &[("path", "src/잠금.rs"), ("oldText", "열기"), ("newText", "잠그고 열기")], "고침")?;
    let locked = w.assistant("잠금을 넣었습니다. 다만 다른 에이전트는 잠그지 않습니다.")?;
    w.session.append_label_change(locked.as_str(), Some("잠금"))?;
    let target = w.session.find(first.as_str())?;
    let left = Left {
        summary: "잠금을 시도했지만 다른 프로그램은 따르지 않습니다.",
        details: None,
        from_extension: None,
    };
    w.session.navigate(target, Some(&left))?;
    w.user("그럼 쓰기 직전에 파일을 다시 확인해 보죠. 👨‍👩‍👧‍👦 🇰🇷")?;
    w.tool("", "bash", &[("command", "cargo test 레이블")], "ok. 12 passed")?;
    w.assistant("다시 확인한 뒤 붙여 쓰니 레이블이 모두 남습니다.")?;
    w.finish()
}

/// What people ask of an agent, the command it runs, what that prints, and the answer.
const TURNS: [(&str, &str, &str, &str); 8] = [
    (
        "Where is the parser slow?",
        "cargo bench parser",
        "parse/long  412 ms",
        "Most time goes into copying the input.",
    ),
    ("Avoid that copy.", "cargo test parser", "ok. 48 passed", "It borrows now; the benchmark halves."),
    (
        "What about 한글 identifiers?",
        "cargo test unicode",
        "ok. 7 passed",
        "They were cut between bytes; now between graphemes.",
    ),
    (
        "Add a fuzz target.",
        "cargo fuzz run parse -- -runs=10000",
        "no crash",
        "It ran ten thousand inputs without a finding.",
    ),
    (
        "Write it up in the changelog.",
        "git diff --stat",
        "CHANGELOG.md | 4 ++++",
        "Two lines under 'Faster'.",
    ),
    ("Does CI still pass?", "make ci", "all green ✅", "Yes, in six minutes."),
    (
        "The retry loop never ends.",
        "rg -n retry src",
        "src/net.rs:88",
        "It did not count its tries. It does now.",
    ),
    (
        "Explain the cache.",
        "sed -n 1,60p src/cache.rs",
        "struct Cache { … }",
        "An LRU of 256 entries, keyed by path and time.",
    ),
];

/// The entries of the large sample and the user messages at which its four side branches leave.
const LARGE: usize = 300;
const LEAVES_AT: [usize; 4] = [60, 120, 180, 240];

fn large(env: &Environment) -> Result<SessionManager> {
    let mut w = start(env, 3)?;
    w.session.append_session_info("parser, from slow to fast")?;
    let mut asked: Vec<EntryId> = Vec::new();
    let mut left = LEAVES_AT.iter();
    let mut next = left.next();
    for turn in 0.. {
        let count = w.session.tree().entries().count();
        if next.is_some_and(|at| count >= *at) {
            next = left.next();
            let back = asked[asked.len() - 5].clone();
            w.go_back(&back)?;
        }
        if count + 4 > LARGE {
            break;
        }
        let (ask, command, output, answer) = TURNS[turn % TURNS.len()];
        asked.push(w.user(ask)?);
        w.tool("", "bash", &[("command", command)], output)?;
        w.assistant(answer)?;
    }
    while w.session.tree().entries().count() < LARGE {
        let last = asked[asked.len() - 1].clone();
        let count = w.session.tree().entries().count();
        w.session.append_label_change(last.as_str(), Some(&format!("milestone {count}")))?;
    }
    w.finish()
}
