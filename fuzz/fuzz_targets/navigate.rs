//! Any operations on an open session: after each, a fresh load of its bytes says the same as the session itself.
#![no_main]

libfuzzer_sys::fuzz_target!(|operations: Vec<naite_fuzz::navigate::Op>| naite_fuzz::navigate::run(
    &operations
));
