//! Any bytes as a log: read at once, line by line and through a cache, they give one and the same sound tree.
#![no_main]

libfuzzer_sys::fuzz_target!(|log: &[u8]| naite_fuzz::decode::run(log));
