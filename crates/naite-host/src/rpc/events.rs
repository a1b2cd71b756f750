//! Events: told as notifications, asked as requests where the client wants to have a say.

use std::io::{self, Write};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Instant;

use naite_core::text::json::{self, Object, ObjectWriter};

use super::{RpcError, Server};

/// Events that a client can cancel, once it subscribed to them.
const CANCELLABLE: [&str; 6] = [
    "session_before_tree",
    "session_before_branch",
    "session_before_switch",
    "session_before_compact",
    "session.compacting",
    "tool_call",
];
/// Events that are only told.
const TOLD: [&str; 9] = [
    "session_tree",
    "session_branch",
    "session_switch",
    "session_compact",
    "session_start",
    "session_shutdown",
    "message_end",
    "turn_end",
    "tool_result",
];

impl<W: Write> Server<W> {
    /// `subscribe {events}`: from now on the cancellable ones among them are questions.
    pub(super) fn subscribe(&mut self, params: &Object<'_>) -> Result<String, RpcError> {
        let wanted = params
            .raw("events")
            .and_then(json::array)
            .ok_or_else(|| RpcError::params("events must be a list"))?;
        for name in wanted {
            let name =
                json::string(name).ok_or_else(|| RpcError::params("events must be a list of names"))?;
            if !CANCELLABLE.contains(&name.as_ref()) && !TOLD.contains(&name.as_ref()) {
                return Err(RpcError::params(format!("there is no event {name}")));
            }
            if self.subscribed.insert(name.clone().into_owned()) && name == "session_start" {
                // The session was open before anybody could listen.
                self.starting("startup", None).map_err(|error| RpcError::params(error.to_string()))?;
            }
        }
        let mut names: Vec<&String> = self.subscribed.iter().collect();
        names.sort();
        Ok(ObjectWriter::new()
            .raw("events", &json::join(names.into_iter().map(|name| json::quote(name))))
            .end())
    }

    /// Tells the client about an event.
    pub(super) fn tell(&mut self, event: &str, params: String) -> io::Result<()> {
        self.send(ObjectWriter::new().str("jsonrpc", "2.0").str("method", event).raw("params", &params).end())
    }

    /// Asks a subscribed client about an event: whether it goes on. Without a subscription it is only told.
    pub(super) fn may(&mut self, event: &str, params: String) -> io::Result<bool> {
        if !self.subscribed.contains(event) {
            self.tell(event, params)?;
            return Ok(true);
        }
        self.asked += 1;
        let id = json::quote(&format!("naite-{}", self.asked));
        let question = ObjectWriter::new().str("jsonrpc", "2.0").raw("id", &id).str("method", event);
        self.send(question.raw("params", &params).end())?;
        let answer = self.await_answer(event, &id)?;
        Ok(answer.as_deref().and_then(Object::parse).and_then(|answer| answer.bool("cancel")) != Some(true))
    }

    /// Waits for the answer to a question; requests that come meanwhile wait until it is settled. An answer that
    /// is late or an error counts as none, and the client is told so.
    fn await_answer(&mut self, event: &str, id: &str) -> io::Result<Option<String>> {
        let limit = Instant::now() + self.time_limit;
        loop {
            let line = match self.lines.recv_timeout(limit.saturating_duration_since(Instant::now())) {
                Ok(line) => line?,
                Err(RecvTimeoutError::Timeout) => return self.skipped(event, "no answer in time"),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            };
            let text = String::from_utf8_lossy(&line).into_owned();
            let answer = Object::parse(text.trim()).filter(|answer| answer.raw("method").is_none());
            match answer.filter(|answer| answer.raw("id") == Some(id)) {
                Some(answer) => match answer.raw("result") {
                    Some(result) => return Ok(Some(result.into())),
                    None => return self.skipped(event, "it answered with an error"),
                },
                None => self.waiting.push_back(line),
            }
        }
    }

    fn skipped(&mut self, event: &str, why: &str) -> io::Result<Option<String>> {
        self.tell("event_skipped", ObjectWriter::new().str("event", event).str("reason", why).end())?;
        Ok(None)
    }

    /// Tells a client that wants to know it which session is open from now on.
    pub(super) fn starting(&mut self, reason: &str, previous: Option<&str>) -> io::Result<()> {
        if !self.subscribed.contains("session_start") {
            return Ok(());
        }
        let file = self.session.path().map(|path| path.to_string_lossy());
        let params = ObjectWriter::new()
            .str("reason", reason)
            .str("sessionId", self.session.session_id())
            .str_or_null("sessionFile", file.as_deref())
            .maybe_raw("previousSessionFile", previous)
            .end();
        self.tell("session_start", params)
    }

    /// The last event.
    pub(super) fn closing(&mut self) -> io::Result<()> {
        if self.subscribed.contains("session_shutdown") {
            let params = ObjectWriter::new().str("sessionId", self.session.session_id()).end();
            self.tell("session_shutdown", params)?;
        }
        Ok(())
    }
}
