//! Any lines from a client.

use std::io::Cursor;

use naite_core::text::json::{Object, mend_surrogates};
use naite_host::rpc::serve;
use naite_store::{Catalog, SessionManager};
use naite_testkit::Counting;

use crate::is_json;

/// Serves lines over a session in memory; every line that comes back is a JSON-RPC object.
pub fn run(lines: &[u8]) {
    let session = SessionManager::in_memory(Counting::boxed(), "/home/user/project").expect("a session");
    let mut output = Vec::new();
    let served = serve(session, Cursor::new(lines.to_vec()), &mut output, |_| Catalog::default());
    served.expect("streams that never fail").expect("a store that never fails");
    let output = String::from_utf8(output).expect("text");
    for reply in output.lines() {
        let reply = mend_surrogates(reply);
        is_json(&reply);
        let fields = Object::parse(&reply).expect("an object");
        assert_eq!(fields.str("jsonrpc").as_deref(), Some("2.0"));
    }
}
