//! What people see, at every size that a window may have.

use naite_testkit::screen::{Screen, fixture};
use naite_tui::navigator::Settings;
use naite_tui::{Language, Words};

const SIZES: [(u16, u16); 4] = [(80, 24), (40, 12), (120, 40), (20, 8)];

/// Everything that is hard to draw: wide letters, emoji of several parts, combining marks, controls, right to left.
const HARD: &str =
    "u1 user: ⚠️ 🇰🇷 👨‍👩‍👧‍👦 1️⃣ 👍🏽 가\u{301} 한글이 섞인 아주 긴 첫 번째 질문입니다. 창보다 길어서 잘립니다
    a1 assistant: 확인✅👨‍👩‍👧‍👦끝 \u{202e}dlrow\u{202c} e\u{301}\u{302} \u{200b}x
    ├─ u2 user: 인증 로그를 확인해 줘 [이정표 🌳]
    │  a2 assistant: 네, 로그를 보겠습니다 <
    └─ u3 user: 다른 방법 🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈
       a3 assistant: 끝";

fn deep(levels: usize) -> String {
    let mut lines = vec![String::from("u0 user: root")];
    for level in 0..levels {
        let gutter = "│  ".repeat(level);
        lines.push(format!("{gutter}├─ u{} user: level {level} down", level + 1));
    }
    // Every level has a second child, innermost first.
    for level in (0..levels).rev() {
        let mark = if level == levels - 1 { " <" } else { "" };
        lines.push(format!("{}└─ v{level} user: level {level} aside{mark}", "│  ".repeat(level)));
    }
    lines.join("\n")
}

/// Snapshots a screen at every size after some keys.
fn snap(name: &str, screen: impl Fn((u16, u16)) -> Screen, keys: &str) {
    for size in SIZES {
        let mut screen = screen(size);
        screen.press(keys);
        insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), screen.text());
    }
}

#[test]
fn korean_and_emoji() {
    let settings =
        || Settings { words: Words::new(Language::Korean), title: "나이테".into(), ..Settings::default() };
    snap("hard", |size| Screen::drawn(HARD, settings(), size), "");
    snap("hard_search", |size| Screen::drawn(HARD, settings(), size), "=인증");
    snap("hard_label", |size| Screen::drawn(HARD, settings(), size), "up shift+l");
}

#[test]
fn deep_trees() {
    snap("deep", |size| Screen::drawn(&deep(30), Settings::default(), size), "");
}

#[test]
fn empty_states() {
    let header =
        b"{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-03-01T09:00:00.000Z\"}\n";
    snap("empty", |size| Screen::over(header, Settings::default(), size), "");
    snap("empty_filter", |size| Screen::drawn("u1 user: hi <", Settings::default(), size), "alt+l");
    snap("empty_search", |size| Screen::drawn("u1 user: hi <", Settings::default(), size), "=nothing");
}

#[test]
fn sessions_of_peers() {
    for name in ["pi-0.73.1", "omp-18.2.3"] {
        let bytes = fixture(name);
        snap(name, |size| Screen::over(&bytes, Settings::default(), size), "alt+a home");
    }
}

#[test]
fn pages() {
    snap("help", |size| Screen::drawn(HARD, Settings::default(), size), "f1");
    snap("full", |size| Screen::drawn(HARD, Settings::default(), size), "home ctrl+e");
    snap("compare", |size| Screen::drawn(HARD, Settings::default(), size), "end ctrl+d");
    let asking = || Settings { asks_for_summary: true, ..Settings::default() };
    snap("summary", |size| Screen::drawn(HARD, asking(), size), "end enter");
}

#[test]
fn no_size_breaks_it() {
    let bytes = fixture("pi-0.73.1");
    let make = || {
        [Screen::drawn(HARD, Settings::default(), (1, 1)), Screen::over(&bytes, Settings::default(), (1, 1))]
    };
    for mut screen in make() {
        for width in (1..=20).chain([99, 100, 101]) {
            for height in [1, 2, 3, 5, 8, 13] {
                // Dumping the screen checks that no row is wider than it.
                screen.resize((width, height)).text();
                for keys in ["f1", "end", "esc", "shift+l", "=가나다", "esc", "=한", "esc", "ctrl+e", "esc"]
                {
                    screen.press(keys).text();
                }
            }
        }
        screen.wanted();
    }
}
