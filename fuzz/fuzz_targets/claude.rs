//! Any bytes as a transcript of Claude Code: one sound tree, every line in it or beside it once, and valid entries.
#![no_main]

libfuzzer_sys::fuzz_target!(|log: &[u8]| naite_fuzz::claude::run(log));
