//! Runs tidy on this repository, so that `cargo test` finds what `cargo xtask tidy` would.

#[test]
fn this_repository_is_tidy() {
    let found = xtask::tidy::check(xtask::root());
    let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "tidy says:\n{}", lines.join("\n"));
}
