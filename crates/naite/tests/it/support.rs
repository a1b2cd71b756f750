//! Starting `naite`, feeding it, and reading what it says.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use serde_json::{Value, json};

/// A throw-away home, a working folder in it, and the binary.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temp folder");
        std::fs::create_dir(folder.path().join("work")).expect("a writable temp folder");
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("a writable temp folder");
        path
    }

    pub(crate) fn command<S: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_naite"));
        command
            .args(arguments)
            .current_dir(self.path("work"))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("NAITE_HOME", self.path("naite"))
            .stdin(Stdio::null());
        command
    }

    /// Runs to the end.
    pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Output {
        self.command(arguments).output().expect("naite starts")
    }

    /// Runs, expects success and no word on standard error, and gives standard output.
    pub(crate) fn stdout<S: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}", said(&output));
        text(&output.stdout)
    }

    /// Runs, expects success, and reads standard output as JSON.
    pub(crate) fn json<S: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Value {
        let printed = self.stdout(arguments);
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
    }

    /// Starts `naite rpc` with more arguments.
    pub(crate) fn rpc<S: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Rpc {
        let mut command = self.command(["rpc"]);
        command.args(arguments);
        Rpc::start(command)
    }
}

/// A running `naite rpc`.
pub(crate) struct Rpc {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
    /// Notifications that came between answers.
    pub(crate) events: Vec<Value>,
}

impl Rpc {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("naite starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output, asked: 0, events: Vec::new() }
    }

    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("still open");
        input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n")).expect("naite reads");
    }

    /// The next line that it says; `None` at the end.
    pub(crate) fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line).expect("naite writes");
        (read > 0).then(|| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// Asks and gives the whole answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        self.send(
            &json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}).to_string(),
        );
        loop {
            let line = self.line().expect("an answer");
            if line["id"] == json!(self.asked) && line.get("method").is_none() {
                return line;
            }
            self.events.push(line);
        }
    }

    /// Asks and expects a result.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("result").is_some(), "{method}: {answer}");
        answer["result"].clone()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Ends the input and waits.
    pub(crate) fn finish(mut self) -> Output {
        self.input = None;
        self.child.wait_with_output().expect("it ends")
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// All that a command said, for a failed assertion.
pub(crate) fn said(output: &Output) -> String {
    format!("{}\nstdout: {}\nstderr: {}", output.status, text(&output.stdout), text(&output.stderr))
}

/// Expects one helpful sentence on standard error, exit code 1 and nothing on standard output.
pub(crate) fn expect_complaint(output: &Output, words: &str) {
    let complaint = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{}", said(output));
    assert!(output.stdout.is_empty(), "{}", said(output));
    assert!(complaint.starts_with("error: ") && complaint.contains(words), "{}", said(output));
    assert!(!complaint.contains("panicked"), "{}", said(output));
}

/// Everything about a file that reading must not change.
pub(crate) fn fingerprint(path: &Path) -> (Vec<u8>, std::time::SystemTime) {
    let meta = std::fs::metadata(path).expect("the file is there");
    (std::fs::read(path).expect("it can be read"), meta.modified().expect("a time"))
}

/// A file of the testkit's fixtures.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../naite-testkit/fixtures").join(name)
}

/// Runs as a user whom permissions bind: as the one who runs the tests, or, for root, as uid 65534 with a copy of
/// the binary that it can reach.
#[cfg(unix)]
pub(crate) fn as_nobody(sandbox: &Sandbox, arguments: &[&str]) -> Output {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65534;
    let folder = sandbox.path("");
    if std::fs::metadata(&folder).expect("it is there").uid() != 0 {
        return sandbox.run(arguments);
    }
    let binary = sandbox.path("naite-binary");
    if !binary.exists() {
        // Another process copies it: a descriptor of ours that is open for writing would be inherited by whatever
        // other tests start meanwhile, and a file that is open for writing cannot be started.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_naite")).arg(&binary).status();
        assert!(copied.is_ok_and(|status| status.success()), "a copy of the binary");
    }
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).expect("ours");
    for own in ["home", "naite"] {
        std::fs::create_dir_all(sandbox.path(own)).expect("writable");
        chown(sandbox.path(own), Some(NOBODY), Some(NOBODY)).expect("root may");
    }
    let mut command = Command::new(binary);
    command
        .args(arguments)
        .current_dir("/")
        .env_clear()
        .env("HOME", sandbox.path("home"))
        .env("NAITE_HOME", sandbox.path("naite"))
        .stdin(Stdio::null())
        .uid(NOBODY)
        .gid(NOBODY);
    command.output().expect("naite starts")
}
