//! A damaged head index beside a sound log: it is refused, or gives what a scan gives, and never breaks anything.
#![no_main]

libfuzzer_sys::fuzz_target!(|damage: naite_fuzz::index::Damage| naite_fuzz::index::run(&damage));
