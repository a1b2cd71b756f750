//! JSON-RPC 2.0 over two streams, one object a line: every operation on a session by its seed name.
//!
//! Requests are answered in order. Events are notifications; once a client subscribed to one that can be
//! cancelled, it is asked with a request of ours and has a time limit to answer.

mod catalog;
mod events;
mod methods;
mod reply;

use std::collections::{HashSet, VecDeque};
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use naite_core::text::json::{Object, ObjectWriter, mend_surrogates};
use naite_store::{Catalog, Result, SessionManager};

pub use catalog::{catalog_json, catalog_pieces};
pub use reply::RpcError;

/// How long a client may think about an event (`session-tree.md` §5).
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// Serves one session until the input ends; then makes it durable.
///
/// `list` reads the catalog of sessions, of this folder or (`true`) of all places.
pub fn serve(
    session: SessionManager,
    input: impl BufRead + Send + 'static,
    output: impl Write,
    list: impl FnMut(bool) -> Catalog + 'static,
) -> io::Result<Result<()>> {
    let (send, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in input.split(b'\n') {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    let mut server = Server {
        session,
        output,
        lines,
        waiting: VecDeque::new(),
        subscribed: HashSet::new(),
        asked: 0,
        time_limit: TIME_LIMIT,
        list: Box::new(list),
    };
    let served = server.run();
    // Whatever became of the client: what was accepted is made durable.
    let durable = server.session.finish();
    served.map(|()| durable)
}

/// The session, the two streams, and what the client wants to hear.
struct Server<W> {
    session: SessionManager,
    output: W,
    lines: Receiver<io::Result<Vec<u8>>>,
    waiting: VecDeque<Vec<u8>>,
    subscribed: HashSet<String>,
    asked: u64,
    time_limit: Duration,
    list: Box<dyn FnMut(bool) -> Catalog>,
}

impl<W: Write> Server<W> {
    fn run(&mut self) -> io::Result<()> {
        while let Some(line) = self.next_line()? {
            self.answer(&line)?;
        }
        self.closing()
    }

    /// The next line, first of those that came while we waited for an answer.
    fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        match self.waiting.pop_front() {
            Some(line) => Ok(Some(line)),
            None => self.lines.recv().ok().transpose(),
        }
    }

    fn answer(&mut self, line: &[u8]) -> io::Result<()> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let Some(request) = std::str::from_utf8(line).ok().and_then(|text| Object::parse(text.trim())) else {
            return self.reply("null", Err(RpcError::parse()));
        };
        // What other programs wrote meanwhile counts for every answer. If it cannot be read, the operation says so.
        let _ = self.session.refresh();
        let id = request.raw("id");
        let result = match request.str("method") {
            Some(method) => {
                let params = request.raw("params");
                let parsed = params.map_or_else(|| Some(Object::default()), Object::parse);
                match parsed {
                    Some(params) => self.call(&method, &params),
                    None => Err(RpcError::params("params must be an object")),
                }
            }
            // An answer to a question whose time is over.
            None if request.raw("result").is_some() || request.raw("error").is_some() => return Ok(()),
            None => Err(RpcError::request()),
        };
        self.tell_what_was_noticed()?;
        match id {
            Some(id) => self.reply(id, result),
            None => Ok(()),
        }
    }

    /// Another program wrote to the file: the client may want to show its entries, or that the leaf moved.
    fn tell_what_was_noticed(&mut self) -> io::Result<()> {
        let noticed = self.session.noticed();
        if noticed.entries == 0 && !noticed.leaf_moved {
            return Ok(());
        }
        let params = ObjectWriter::new()
            .display("entries", noticed.entries)
            .display("leafMoved", noticed.leaf_moved)
            .end();
        self.tell("session_changed", params)
    }

    fn reply(&mut self, id: &str, result: Result<String, RpcError>) -> io::Result<()> {
        let reply = ObjectWriter::new().str("jsonrpc", "2.0").raw("id", id);
        let reply = match result {
            Ok(result) => reply.raw("result", &result),
            Err(error) => reply.raw("error", &error.to_json()),
        };
        self.send(reply.end())
    }

    /// Sends a line. Entries go out as they stand in the file, but for lone surrogates, which strict readers refuse.
    fn send(&mut self, line: String) -> io::Result<()> {
        self.output.write_all(mend_surrogates(&line).as_bytes())?;
        self.output.write_all(b"\n")?;
        self.output.flush()
    }
}
