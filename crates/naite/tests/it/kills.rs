//! A process that appends is really killed, fifty times: nothing that it acknowledged is lost.

use serde_json::{Value, json};

use crate::support::Sandbox;

/// A small generator, so that a failing run can be repeated.
struct Seed(u64);

impl Seed {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

#[test]
fn nothing_acknowledged_is_lost() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("s.jsonl");
    let file = path.to_str().expect("UTF-8");
    let mut seed = Seed(2026);
    let mut acknowledged: Vec<Value> = Vec::new();
    for round in 0..50 {
        let mut rpc = sandbox.rpc(["--session", file]);
        for _ in 0..=seed.below(12) {
            let text = "한 줄 🌳 ".repeat(1 + seed.below(4000) as usize);
            let made = rpc.call("appendMessage", json!({"message": {"role": "user", "content": text}}));
            acknowledged.push(made["entryId"].clone());
        }
        // More requests are on their way when it dies: each is wholly there or not at all.
        for _ in 0..seed.below(6) {
            let message = json!({"role": "user", "content": "x".repeat(seed.below(200_000) as usize)});
            let request =
                json!({"jsonrpc": "2.0", "id": 0, "method": "appendMessage", "params": {"message": message}});
            rpc.send(&request.to_string());
        }
        rpc.kill();
        let tree = sandbox.json(["tree", file, "--json"]);
        let ids: std::collections::HashSet<&Value> =
            tree["nodes"].as_array().expect("nodes").iter().map(|node| &node["id"]).collect();
        for id in &acknowledged {
            assert!(ids.contains(id), "round {round}: {id} is lost");
        }
        let damaged = tree["defects"].as_array().expect("defects").len();
        assert!(damaged <= round + 1, "round {round}: {}", tree["defects"]);
    }
}
