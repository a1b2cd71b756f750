//! Any lines from a client: every reply is JSON, and the server goes on to the end of its input.
#![no_main]

libfuzzer_sys::fuzz_target!(|lines: &[u8]| naite_fuzz::rpc::run(lines));
