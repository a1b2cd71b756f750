//! Benchmarks: every figure beside a yardstick of the same run, so that it compares across machines.
use naite_store::Access;
use naite_testkit::Home;
use std::path::Path;
use std::time::Instant;
fn peak() -> u64 {
    std::fs::read_to_string("/proc/self/status")
        .unwrap_or_default()
        .lines()
        .find_map(|l| l.strip_prefix("VmHWM:").map(|v| v.trim().trim_end_matches(" kB").parse().unwrap_or(0)))
        .unwrap_or(0)
}
fn main() {
    let p = std::env::args().nth(1).expect("file");
    let p = Path::new(&p);
    let home = Home::new();
    for _ in 0..3 {
        let _ = std::fs::remove_dir_all(home.file("naite/index"));
        let t = Instant::now();
        let s = home.open(p, Access::Read).expect("open");
        println!("cold {:?} {} peak {}", t.elapsed(), s.tree().heads().len(), peak());
        drop(s);
        let t = Instant::now();
        let mut s = home.open(p, Access::Read).expect("open");
        println!("warm {:?}", t.elapsed());
        let t = Instant::now();
        let c = s.build_session_context(s.leaf()).expect("ctx");
        println!("context {:?} {}", t.elapsed(), c.messages.len());
        println!(
            "peak {} index {:?}",
            peak(),
            std::fs::read_dir(home.file("naite/index"))
                .map(|d| d.flatten().map(|e| e.metadata().map(|m| m.len()).unwrap_or(0)).collect::<Vec<_>>())
        );
    }
    let t = Instant::now();
    let b = std::fs::read(p).expect("read");
    println!("read {:?}", t.elapsed());
    let t = Instant::now();
    let mut n = 0;
    for l in b.split(|c| *c == b'\n') {
        if !l.is_empty() {
            let v: serde_json::Value = serde_json::from_slice(l).expect("json");
            n += usize::from(v.is_object());
        }
    }
    println!("value {:?} {n}", t.elapsed());
}
