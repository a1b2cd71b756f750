//! Any entries over a small alphabet of ids: a sound log is what the naive model says, any other one gives a tree.
#![no_main]

libfuzzer_sys::fuzz_target!(|entries: Vec<naite_fuzz::tree::Line>| naite_fuzz::tree::run(&entries));
