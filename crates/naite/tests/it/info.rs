//! `naite info`: what a session is.

use crate::support::{Sandbox, fixture};

const OMP: &str =
    "omp-18.2.3/sessions/-project/2026-11-30T14-07-17-743Z_01a22cc8-0cef-75d8-8c0e-2a5a2b6543d1.jsonl";

#[test]
fn json_and_words() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("omp.jsonl", std::fs::read(fixture(OMP)).expect("readable"));
    let file = path.to_str().expect("UTF-8");
    let folder = sandbox.path("").to_string_lossy().trim_end_matches('/').to_owned();
    let plain = |text: String| text.replace(&folder, "/tmp/sandbox");
    insta::assert_snapshot!("json", plain(sandbox.stdout(["info", file, "--json"])).replace(",\"", ",\n\""));
    insta::assert_snapshot!("words", plain(sandbox.stdout(["info", file])));
}
