//! The session picker: keys as data, the list against a naive model, and what people see.

use std::collections::HashSet;
use std::path::PathBuf;

use naite_core::text::fold;
use naite_testkit::screen::text;
use naite_tui::key::{Event, Key, Mouse, MouseKind};
use naite_tui::sessions::{
    Agent, Deleted, Effect, Message, Notice, Picker, Row, Scope, Settings, Sort, Speaker, State, Unreadable,
    list_rows, listed, view,
};
use naite_tui::{Buffer, Keymap, Language, Rect, Words};
use proptest::prelude::*;

const NOW: i64 = 1_800_000_000_000;
const HOUR: i64 = 3_600_000;

fn row(id: &str, title: &str, hours: i64) -> Row {
    Row {
        file: PathBuf::from(format!("/s/{id}.jsonl")),
        id: id.into(),
        name: Some(title.into()),
        folder: Some("~/work".into()),
        is_here: true,
        active: NOW - hours * HOUR,
        messages: 12,
        bytes: 4200,
        ..Row::default()
    }
}

/// The sessions of most tests: two agents, a thread, labels, every state.
fn sessions() -> Vec<Row> {
    vec![
        Row { labels: vec!["milestone".into()], ..row("aa", "Login test", 1) },
        Row { parent: Some("/s/aa.jsonl".into()), state: State::Error, ..row("bb", "Fake clock", 30) },
        Row { state: State::Interrupted, bytes: 9_000_000, ..row("cc", "Release notes", 3) },
        Row {
            agent: Agent::ClaudeCode,
            is_here: false,
            folder: Some("~/other".into()),
            name: None,
            first_prompt: Some("확인해 줘 👨‍👩‍👧‍👦 인증 로그".into()),
            ..row("dd", "", 2)
        },
        Row { agent: Agent::Pi, is_open: true, is_here: false, ..row("ee", "On pi", 50) },
    ]
}

struct Screen {
    picker: Picker,
    size: (u16, u16),
    wanted: Vec<Effect>,
}

impl Screen {
    fn new(settings: Settings, size: (u16, u16), rows: Vec<Row>) -> Self {
        let (picker, wanted) = Picker::new(settings, size, NOW);
        let mut screen = Self { picker, size, wanted };
        screen.say(Message::Reading);
        screen.say(Message::Batch { rows, unreadable: Vec::new() });
        screen.say(Message::Read);
        screen
    }

    fn everywhere(size: (u16, u16)) -> Self {
        Self::new(Settings { scope: Scope::Everywhere, ..Settings::default() }, size, sessions())
    }

    fn say(&mut self, message: Message) -> &mut Self {
        let effects = self.picker.update(message);
        for effect in &effects {
            if let Effect::Preview(file) = effect {
                let said = vec![
                    (Speaker::User, format!("What of {}?", file.display())),
                    (Speaker::Assistant, "확인✅ e\u{301}\nIt is done.".into()),
                ];
                let more = self.picker.update(Message::Preview { file: file.clone(), said });
                self.wanted.extend(more);
            }
        }
        self.wanted.extend(effects);
        self
    }

    fn press(&mut self, keys: &str) -> &mut Self {
        for name in keys.split_whitespace() {
            match name.strip_prefix('=').filter(|text| !text.is_empty()) {
                Some(text) => text.replace('_', " ").chars().for_each(|c| {
                    let name = if c == ' ' { "space".into() } else { c.to_string() };
                    self.key(&name);
                }),
                None => self.key(name),
            }
        }
        self
    }

    fn key(&mut self, name: &str) {
        let key = Key::parse(name).unwrap_or_else(|| panic!("no key {name}"));
        self.say(Message::Input(Event::Key(key)));
    }

    fn ids(&self) -> String {
        let rows = self.picker.listed().map(|(row, depth)| format!("{}{}", "-".repeat(depth), row.id));
        rows.collect::<Vec<_>>().join(" ")
    }

    fn selected(&self) -> &str {
        self.picker.selection().map_or("", |row| &row.id)
    }

    /// What was wanted besides previews since this was last asked.
    fn wanted(&mut self) -> Vec<Effect> {
        let wanted = std::mem::take(&mut self.wanted);
        wanted.into_iter().filter(|effect| !matches!(effect, Effect::Preview(_))).collect()
    }

    fn text(&self) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.size.0, self.size.1));
        view(&self.picker, buffer.area, &mut buffer);
        text(&buffer)
    }
}

/// Presses keys and compares what is listed, and what is selected.
fn check(keys: &str, ids: &str, selected: &str) {
    let mut screen = Screen::everywhere((80, 24));
    screen.press(keys);
    assert_eq!(screen.ids(), ids, "{keys}");
    assert_eq!(screen.selected(), selected, "{keys}");
}

#[test]
fn every_key_of_the_list() {
    for (keys, ids, selected) in [
        ("", "aa -bb dd cc ee", "aa"),
        ("down", "aa -bb dd cc ee", "bb"),
        ("up", "aa -bb dd cc ee", "ee"),
        ("end down", "aa -bb dd cc ee", "aa"),
        ("end home", "aa -bb dd cc ee", "aa"),
        ("pagedown", "aa -bb dd cc ee", "ee"),
        ("pagedown pageup", "aa -bb dd cc ee", "aa"),
        ("ctrl+t", "aa dd cc bb ee", "aa"),
        ("ctrl+s", "cc aa -bb dd ee", "cc"),
        ("ctrl+s ctrl+s", "aa -bb ee cc dd", "aa"),
        ("ctrl+s ctrl+s ctrl+t", "bb aa ee cc dd", "bb"),
        ("down ctrl+s", "cc aa -bb dd ee", "bb"),
        ("end ctrl+p", "ee aa -bb dd cc", "ee"),
        ("end ctrl+p ctrl+p", "aa -bb dd cc ee", "ee"),
        ("down ctrl+p", "aa -bb dd cc ee", "bb"),
        ("=clock", "bb", "bb"),
        ("=CLOCK_fake", "bb", "bb"),
        ("=인증", "dd", "dd"),
        ("=other", "dd", "dd"),
        ("=milestone", "aa", "aa"),
        ("=nowhere", "", ""),
        ("=fake esc", "aa -bb dd cc ee", "bb"),
        ("=nowhere esc", "aa -bb dd cc ee", "aa"),
        ("=clockx backspace", "bb", "bb"),
    ] {
        check(keys, ids, selected);
    }
}

#[test]
fn scopes_go_round() {
    let mut screen = Screen::new(Settings::default(), (80, 24), sessions());
    for ids in ["aa -bb cc", "aa -bb dd cc ee", "aa -bb cc", "ee", "", "dd", "aa -bb cc"] {
        assert_eq!(screen.ids(), ids, "{:?}", screen.picker.scope());
        screen.press("tab");
    }
    screen.press("shift+tab shift+tab");
    assert_eq!(screen.picker.scope(), Scope::Of(Agent::ClaudeCode));
}

#[test]
fn a_search_streams_the_text_in() {
    let mut screen = Screen::everywhere((80, 24));
    screen.wanted();
    screen.press("=c");
    screen.wanted();
    screen.press("=lock");
    // Names are found at once; of the others only those that the shorter search may still find are asked for.
    assert_eq!(screen.ids(), "bb");
    let wanted = screen.wanted();
    let Some(Effect::Search { search, query, files }) = wanted.last().cloned() else { panic!("{wanted:?}") };
    assert_eq!(query, "clock");
    let asked: Vec<String> = files.iter().map(|(file, _)| file.display().to_string()).collect();
    assert_eq!(asked, ["/s/aa.jsonl", "/s/dd.jsonl", "/s/cc.jsonl", "/s/ee.jsonl"]);
    let found = |search, file: &str| Message::Found { search, files: vec![file.into()], searched: 1 };
    screen.say(found(search - 1, "/s/aa.jsonl"));
    assert_eq!(screen.ids(), "bb", "an older search is void");
    screen.say(found(search, "/s/cc.jsonl"));
    assert_eq!(screen.ids(), "cc bb");
    assert!(screen.picker.searching().is_some());
    screen.say(Message::Found { search, files: Vec::new(), searched: 3 });
    assert_eq!(screen.picker.searching(), None);
    // What was found nowhere is not looked at again by a longer search.
    screen.wanted();
    screen.press("=s");
    let wanted = screen.wanted();
    let Some(Effect::Search { files, .. }) = wanted.first() else { panic!("{wanted:?}") };
    let asked: Vec<String> = files.iter().map(|(file, _)| file.display().to_string()).collect();
    assert_eq!(asked, ["/s/cc.jsonl", "/s/bb.jsonl"]);
    // A session that comes later is searched too.
    screen.wanted();
    screen.say(Message::Batch { rows: vec![row("ff", "late", 9)], unreadable: Vec::new() });
    let wanted = screen.wanted();
    assert!(matches!(&wanted[..], [Effect::Search { files, .. }] if files.len() == 1), "{wanted:?}");
}

#[test]
fn what_keys_want_done() {
    let cases: [(&str, Vec<Effect>); 9] = [
        ("enter", vec![Effect::Open("/s/aa.jsonl".into())]),
        ("esc", vec![Effect::Close]),
        ("ctrl+c", vec![Effect::Close]),
        ("ctrl+p", vec![Effect::Pin { id: "aa".into(), on: true }]),
        (
            "ctrl+r =!x enter",
            vec![Effect::Rename { file: "/s/aa.jsonl".into(), name: "Login test!x".into() }],
        ),
        ("ctrl+r =x esc", vec![]),
        ("ctrl+d enter", vec![]),
        ("ctrl+d down enter", vec![Effect::Delete("/s/aa.jsonl".into())]),
        ("ctrl+z f5", vec![Effect::ListTrash, Effect::Reload]),
    ];
    for (keys, wanted) in cases {
        let mut screen = Screen::everywhere((80, 24));
        screen.wanted();
        screen.press(keys);
        assert_eq!(screen.wanted(), wanted, "{keys}");
    }
}

#[test]
fn what_is_not_ours_is_refused_with_a_sentence() {
    for (keys, words) in [
        ("=dd ctrl+r", "A session of Claude Code is only read here"),
        ("=dd ctrl+d", "This session belongs to Claude Code"),
        ("=ee ctrl+d", "This session belongs to pi"),
    ] {
        let mut screen = Screen::everywhere((100, 24));
        screen.press(keys);
        assert!(screen.text().contains(words), "{keys}: {}", screen.text());
    }
}

#[test]
fn the_trash_gives_back_what_is_chosen() {
    let mut screen = Screen::everywhere((80, 24));
    let item = |name: &str| Deleted {
        name: name.into(),
        path: format!("/s/{name}.jsonl"),
        time: "2026-03-01 09:00".into(),
    };
    screen.wanted();
    screen.say(Message::Trash(vec![item("one"), item("two")])).press("down enter");
    assert_eq!(screen.wanted(), [Effect::Restore("two".into())]);
    screen.say(Message::Trash(Vec::new()));
    assert!(screen.text().contains("The trash is empty"), "{}", screen.text());
    screen.press("enter");
    assert_eq!(screen.wanted(), []);
}

#[test]
fn a_session_that_is_gone_leaves_the_list_when_all_is_read() {
    let mut screen = Screen::everywhere((80, 24));
    screen.press("down");
    screen.say(Message::Reading);
    let rest: Vec<Row> = sessions().into_iter().filter(|row| row.id != "aa").collect();
    screen.say(Message::Batch { rows: rest, unreadable: Vec::new() });
    assert_eq!(screen.ids(), "aa -bb dd cc ee");
    screen.say(Message::Read);
    assert_eq!((screen.ids().as_str(), screen.selected()), ("dd cc bb ee", "bb"));
}

#[test]
fn keys_can_be_changed_and_the_mouse_selects() {
    let keymap = Keymap::with([("sessions.sort", vec!["f9"])]).expect("good keys");
    let settings = Settings { keymap, scope: Scope::Everywhere, ..Settings::default() };
    let mut screen = Screen::new(settings, (80, 24), sessions());
    screen.press("ctrl+s");
    assert_eq!(screen.ids(), "aa -bb dd cc ee");
    screen.press("f9");
    assert_eq!(screen.ids(), "cc aa -bb dd ee");
    let line = screen.text().lines().position(|line| line.contains("On pi")).expect("it is seen");
    screen.say(Message::Input(Event::Mouse(Mouse { kind: MouseKind::Click, column: 9, row: line as u16 })));
    assert_eq!(screen.selected(), "ee");
}

/// The list as one would make it without care for time: sort by what a thread holds, lay out, repeat.
fn naive(
    rows: &[Row],
    parents: &[Option<usize>],
    sort: Sort,
    threads: bool,
    shown: &[bool],
) -> Vec<(usize, usize)> {
    let above = |mut at: usize| loop {
        match parents[at] {
            None => return None,
            Some(parent) if shown[parent] => return Some(parent),
            Some(parent) => at = parent,
        }
    };
    let rank = |at: usize| {
        let row = &rows[at];
        let title = fold(row.title().unwrap_or_default()).into_owned();
        let by_sort = match sort {
            Sort::Time => (false, -row.active, String::new()),
            Sort::Size => (false, -(row.bytes as i64), String::new()),
            Sort::Name => (title.is_empty(), 0, title),
        };
        (row.id.contains('p'), by_sort, -row.active, row.file.clone())
    };
    let rank = |at: usize| {
        let (pinned, rest, time, file) = rank(at);
        (!pinned, rest, time, file)
    };
    let all: Vec<usize> = (0..rows.len()).filter(|at| shown[*at]).collect();
    if !threads {
        let mut all = all;
        all.sort_by_key(|at| rank(*at));
        return all.into_iter().map(|at| (at, 0)).collect();
    }
    let is_below = |mut at: usize, root: usize| loop {
        if at == root {
            return true;
        }
        match above(at) {
            Some(parent) => at = parent,
            None => return false,
        }
    };
    let best = |root: usize| all.iter().filter(|at| is_below(**at, root)).map(|at| rank(*at)).min();
    let mut list: Vec<(usize, usize)> = Vec::new();
    let mut waiting: Vec<(Option<usize>, usize)> = vec![(None, 0)];
    while let Some((parent, depth)) = waiting.pop() {
        if let Some(parent) = parent {
            list.push((parent, depth - 1));
        }
        let mut children: Vec<usize> = all.iter().copied().filter(|at| above(*at) == parent).collect();
        children.sort_by_key(|at| best(*at));
        waiting.extend(children.into_iter().rev().map(|at| (Some(at), depth + 1)));
    }
    list
}

fn rows() -> impl Strategy<Value = Vec<(Row, Option<usize>, bool)>> {
    let one =
        (0i64..6, 0u64..4, "[abAB가p]{0,2}", any::<bool>(), prop::option::of(0usize..100), any::<bool>());
    prop::collection::vec(one, 0..14).prop_map(|all| {
        let make = |(at, (hours, bytes, name, pinned, parent, shown)): (
            usize,
            (_, _, String, bool, Option<usize>, _),
        )| {
            let id = format!("{at:02}{}", if pinned { "p" } else { "" });
            // Only earlier sessions are parents, so that there is no circle.
            let parent = parent.filter(|_| at > 0).map(|parent| parent % at);
            (Row { bytes, ..row(&id, &name, hours) }, parent, shown)
        };
        all.into_iter().enumerate().map(make).collect()
    })
}

proptest! {
    #[test]
    fn the_list_is_as_a_naive_one(all in rows(), sort in 0..3, threads in any::<bool>()) {
        let sort = [Sort::Time, Sort::Size, Sort::Name][sort as usize];
        let (mut sessions, mut parents, mut shown) = (Vec::new(), Vec::new(), Vec::new());
        for (row, parent, is_shown) in all {
            sessions.push(row);
            parents.push(parent);
            shown.push(is_shown);
        }
        let list = listed(&sessions, &parents, sort, threads, |at| shown[at], |row| row.id.contains('p'));
        let list: Vec<(usize, usize)> = list.into_iter().map(|listed| (listed.row, listed.depth)).collect();
        prop_assert_eq!(list, naive(&sessions, &parents, sort, threads, &shown));
    }

    #[test]
    fn no_keys_lose_a_session_or_the_selection(
        links in prop::collection::vec(prop::option::of(0usize..8), 8),
        keys in prop::collection::vec(0usize..14, 0..30),
        size in (1u16..130, 1u16..40),
    ) {
        // Circles too: a session whose parent descends from it.
        let rows: Vec<Row> = links.iter().enumerate().map(|(at, parent)| Row {
            parent: parent.map(|parent| format!("/s/s{parent}.jsonl")),
            ..row(&format!("s{at}"), "한글 👨‍👩‍👧‍👦", at as i64)
        }).collect();
        let mut screen = Screen::new(Settings::default(), size, rows);
        let names = ["up", "down", "ctrl+s", "ctrl+t", "ctrl+p", "tab", "=한", "backspace", "esc", "end",
            "ctrl+r", "ctrl+d", "enter", "f1"];
        for key in keys {
            let selected = screen.selected().to_owned();
            screen.press(names[key]);
            // Dumping the screen checks that no row is wider than it.
            screen.text();
            let ids: HashSet<String> = screen.picker.listed().map(|(row, _)| row.id.clone()).collect();
            prop_assert_eq!(ids.len(), screen.picker.listed().count());
            prop_assert!(ids.is_empty() || ids.len() == 8);
            if ["ctrl+s", "ctrl+t"].contains(&names[key]) && screen.selected() != selected {
                // Before a person chose a row, the first one stays selected.
                let first = screen.picker.listed().next().map(|(row, _)| row.id.clone());
                prop_assert_eq!(first.as_deref(), Some(screen.selected()));
            }
        }
    }
}

const SIZES: [(u16, u16); 4] = [(80, 24), (40, 12), (120, 40), (20, 8)];

fn snap(name: &str, screen: impl Fn((u16, u16)) -> Screen, keys: &str) {
    for size in SIZES {
        let mut screen = screen(size);
        screen.press(keys);
        insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), screen.text());
    }
}

fn hard() -> Vec<Row> {
    let nasty = "x\u{1b}[2J\u{7}\u{202e}dlrow\u{202c} tab\there";
    vec![
        Row {
            labels: vec!["이정표 🌳".into(), "둘".into()],
            ..row("aa", "⚠️ 🇰🇷 👨‍👩‍👧‍👦 1️⃣ 👍🏽 가\u{301} 창보다 긴 이름입니다. 그래서 잘립니다", 0)
        },
        Row {
            name: None,
            first_prompt: Some("인증 로그를 확인해 줘".into()),
            defects: 2,
            ..row("bb", "", 26)
        },
        Row {
            parent: Some("bb".into()), ..row("cc", "🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈", 900)
        },
        Row { labels: vec![nasty.into()], folder: Some(nasty.into()), ..row("dd", nasty, 90_000) },
        Row { name: None, folder: None, messages: 0, bytes: 120, ..row("ee", "", 5) },
    ]
}

#[test]
fn what_people_see() {
    snap("picker", Screen::everywhere, "");
    snap("picker_search", Screen::everywhere, "=인증");
    snap("picker_rename", Screen::everywhere, "ctrl+r");
    snap("picker_delete", Screen::everywhere, "ctrl+d");
    snap("picker_help", Screen::everywhere, "f1");
    snap("picker_empty", |size| Screen::new(Settings::default(), size, Vec::new()), "");
    let found_nothing = |size| {
        let mut screen = Screen::everywhere(size);
        screen.press("=nothing");
        screen.say(Message::Found { search: 7, files: Vec::new(), searched: 5 });
        screen
    };
    snap("picker_empty_search", found_nothing, "");
    let korean =
        || Settings { words: Words::new(Language::Korean), scope: Scope::Everywhere, ..Settings::default() };
    snap("picker_hard", |size| Screen::new(korean(), size, hard()), "");
    let unreadable = |size| {
        let mut screen = Screen::new(Settings::default(), size, Vec::new());
        screen.say(Message::Reading);
        let reason = "Cannot read /s/가나다.jsonl: permission denied.".into();
        let unreadable = vec![Unreadable { file: "/s/가나다.jsonl".into(), reason }];
        screen.say(Message::Batch { rows: sessions(), unreadable });
        screen
    };
    snap("picker_reading", unreadable, "");
    snap("picker_unreadable", unreadable, "ctrl+e");
}

#[test]
fn no_size_breaks_it() {
    for width in (1..=24).chain([45, 46, 47, 61, 62, 63, 99, 100, 101]) {
        for height in [1, 2, 3, 4, 5, 8, 13, 16] {
            let settings = Settings { scope: Scope::Everywhere, ..Settings::default() };
            let mut screen = Screen::new(settings, (width, height), hard());
            for keys in
                ["", "end", "=가나다", "esc", "ctrl+r =한", "esc", "ctrl+d", "esc", "f1", "end", "esc"]
            {
                // Dumping the screen checks that no row is wider than it.
                screen.press(keys).text();
            }
            screen.say(Message::Told(Notice::Failed("\u{1b}[2J".into())));
            assert!(!screen.text().contains('\u{1b}'));
            assert!(list_rows((width, height)) <= height.into());
        }
    }
}
