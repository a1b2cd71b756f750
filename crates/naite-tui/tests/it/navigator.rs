//! The navigator key by key: a drawing, keys, and the rows that are seen then.

use naite_testkit::screen::{Screen, check};
use naite_tui::key::{Mouse, MouseKind};
use naite_tui::navigator::{Message, Notice, Settings, WhyNot};
use naite_tui::{Keymap, Language, Words};

/// The conversation of the manual page.
const TALK: &str = "u1 user: Start task
    a1 assistant: Plan
    ├─ u2 user: Try approach A
    │  a2 assistant: A result
    │  u3 user: Continue A [milestone] <
    └─ u4 user: Try approach B
       a4 assistant: B result";

fn screen() -> Screen {
    Screen::drawn(TALK, Settings::default(), (80, 24))
}

/// Presses keys and names the entry that is selected then.
fn selects(keys: &str, id: &str) {
    let mut screen = screen();
    screen.press(keys);
    let selected = screen.navigator.list().selection().map(|ix| screen.session.tree().id(ix).to_owned());
    assert_eq!(selected.as_deref(), Some(id), "{keys}");
}

#[test]
fn rows_are_drawn_as_the_manual_has_them() {
    check(
        TALK,
        "",
        "|  • user: Start task
        |  • assistant: Plan
        |  ├─ • user: Try approach A
        |  │  • assistant: A result
        |› │  • [milestone] user: Continue A
        |  └─ user: Try approach B
        |     assistant: B result",
    );
}

#[test]
fn roots_stand_at_the_left() {
    check(
        "u1 user: One
        a1 assistant: two

        u2 user: Three <",
        "",
        "|› • user: Three
        |  user: One
        |  assistant: two",
    );
}

#[test]
fn every_key_of_movement() {
    for (keys, id) in [
        ("", "u3"),
        ("up", "a2"),
        ("down", "u4"),
        ("down down down", "u1"),
        ("home up", "a4"),
        ("home", "u1"),
        ("end", "a4"),
        ("left", "u1"),
        ("pageup", "u1"),
        ("home right", "a4"),
        ("home pagedown", "a4"),
        ("home alt+down", "a1"),
        ("end alt+up", "u4"),
        ("home alt+up", "u1"),
        ("alt+left", "u2"),
        ("alt+left alt+left alt+left", "u1"),
        ("home alt+right", "a1"),
        ("home alt+right alt+right", "u3"),
    ] {
        selects(keys, id);
    }
}

#[test]
fn folds_say_what_they_hide() {
    check(
        TALK,
        "alt+left alt+left",
        "|  • user: Start task
        |  • assistant: Plan
        |› ├▸ • user: Try approach A (2 hidden)
        |  └─ user: Try approach B
        |     assistant: B result",
    );
    check(TALK, "home alt+left", "|› ▸ • user: Start task (6 hidden)");
    check(
        TALK,
        "home alt+left alt+right alt+right",
        "|  • user: Start task
        |› • assistant: Plan
        |  ├─ • user: Try approach A
        |  │  • assistant: A result
        |  │  • [milestone] user: Continue A
        |  └─ user: Try approach B
        |     assistant: B result",
    );
    // A search opens folds, and they are back when it is cleared.
    check(
        TALK,
        "alt+left alt+left =result",
        "|› • assistant: A result
        |  assistant: B result",
    );
    check(
        TALK,
        "alt+left alt+left =result esc home",
        "|› • user: Start task
        |  • assistant: Plan
        |  ├▸ • user: Try approach A (2 hidden)
        |  └─ user: Try approach B
        |     assistant: B result",
    );
}

#[test]
fn filters_step_and_jump() {
    for (keys, filter) in [
        ("", "default"),
        ("ctrl+o", "no-tools"),
        ("ctrl+o ctrl+o", "user-only"),
        ("ctrl+o ctrl+o ctrl+o", "labeled-only"),
        ("ctrl+o ctrl+o ctrl+o ctrl+o", "all"),
        ("ctrl+o ctrl+o ctrl+o ctrl+o ctrl+o", "default"),
        ("shift+ctrl+o", "all"),
        ("alt+o alt+o", "labeled-only"),
        ("alt+t", "no-tools"),
        ("alt+u", "user-only"),
        ("alt+l", "labeled-only"),
        ("alt+a", "all"),
        ("alt+a alt+d", "default"),
    ] {
        let mut screen = screen();
        screen.press(keys);
        assert_eq!(screen.navigator.list().filter().name(), filter, "{keys}");
        assert!(screen.text().contains(&format!("filter: {filter}")), "{keys}");
    }
    check(
        TALK,
        "alt+u",
        "|  • user: Start task
        |  ├─ • user: Try approach A
        |› │  • [milestone] user: Continue A
        |  └─ user: Try approach B",
    );
    check(TALK, "alt+l", "|› • [milestone] user: Continue A");
    check(
        TALK,
        "alt+a end",
        "|  • user: Start task
        |  • assistant: Plan
        |  ├─ • user: Try approach A
        |  │  • assistant: A result
        |  │  • [milestone] user: Continue A
        |  │  [custom: naite.move]
        |  └─ user: Try approach B
        |     assistant: B result
        |›    [label: milestone]",
    );
}

#[test]
fn search_finds_what_a_row_stands_for() {
    for (typed, rows) in [
        ("=approach", 2),
        ("=APPROACH_b", 1),
        ("=user:", 4),
        ("=milestone", 1),
        ("=result_a", 2),
        ("=assistant", 3),
        ("=zzz", 0),
        ("=result_L", 2),
        ("=result?", 0),
    ] {
        let mut screen = screen();
        screen.press(&format!("=x backspace {typed}"));
        assert_eq!(screen.navigator.list().len(), rows, "{typed}: {}", screen.text());
    }
    check(TALK, "=approach_b", "|› user: Try approach B");
    check(TALK, "alt+a =label:", "|› [label: milestone]");
    check(
        TALK,
        "=zzz",
        "|No entry that the filter default shows holds all these words. Esc clears the
        |search, Alt+A searches every entry.",
    );
    check(TALK, "alt+a =zzz", "|No entry holds all these words. Esc clears the search.");
}

#[test]
fn the_selection_stays_or_goes_to_its_nearest_ancestor() {
    selects("=start", "u1");
    selects("=start esc", "u1");
    selects("=zzz esc", "u3");
    selects("=zzz alt+u esc", "u3");
    selects("up alt+u", "u2");
    selects("up alt+u alt+d", "u2");
    selects("end =user:", "u4");
    selects("=b_result", "a4");
}

#[test]
fn backspace_takes_one_grapheme() {
    let mut screen = screen();
    screen.press("=G한글👨‍👩‍👧‍👦");
    assert_eq!(screen.navigator.list().query(), "G한글👨‍👩‍👧‍👦");
    for left in ["G한글", "G한", "G", "", ""] {
        screen.press("backspace");
        assert_eq!(screen.navigator.list().query(), left);
    }
}

#[test]
fn the_cursor_stands_where_the_next_letter_goes() {
    let mut screen = screen();
    assert_eq!(screen.cursor(), Some((0, 1)));
    for (letter, column) in [("인", 10), ("증", 12), ("x", 13), ("🌳", 15)] {
        screen.press(&format!("={letter}"));
        assert_eq!(screen.cursor(), Some((column, 1)), "{letter}");
    }
    screen.press("esc shift+l");
    // In the row: mark, connectors, bullet, bracket, the label that is there.
    assert_eq!(screen.cursor(), Some((2 + 3 + 2 + 1 + 9, 7)));
    screen.press("ctrl+u =이정표");
    assert_eq!(screen.cursor(), Some((2 + 3 + 2 + 1 + 6, 7)));
}

#[test]
fn labels_are_edited_in_place() {
    check(
        TALK,
        "shift+l =_two",
        "|  • user: Start task
        |  • assistant: Plan
        |  ├─ • user: Try approach A
        |  │  • assistant: A result
        |› │  • [milestone two] user: Continue A
        |  └─ user: Try approach B
        |     assistant: B result",
    );
    let label = |keys: &str| {
        let mut screen = screen();
        screen.press(keys);
        let tree = screen.session.tree();
        let label = tree.label(tree.find("u3").expect("there")).map(str::to_owned);
        let labels = tree.entries().filter(|ix| tree.heads().label_head(*ix).is_some()).count();
        (label, labels)
    };
    assert_eq!(label("shift+l =_two enter"), (Some("milestone two".into()), 2));
    assert_eq!(label("ctrl+l ctrl+u =_한글_ enter"), (Some("한글".into()), 2), "trimmed");
    assert_eq!(label("shift+l ctrl+u enter"), (None, 2), "empty clears");
    assert_eq!(label("shift+l =xyz esc"), (Some("milestone".into()), 1), "Esc writes nothing");
    assert_eq!(label("shift+l enter"), (Some("milestone".into()), 1), "the same writes nothing");
    assert_eq!(label("=c L enter"), (Some("milestone".into()), 1), "a capital L is searched for");
    selects("shift+l =x enter", "u3");
}

#[test]
fn enter_goes_or_says_that_it_is_there() {
    for (keys, wanted) in [
        ("enter", "Close(AlreadyThere)"),
        ("end enter", "go a4"),
        ("home enter", "go u1"),
        ("end shift+enter", "go a4 summarize"),
        ("end ctrl+j", "go a4 summarize"),
        ("esc", "Close(Closed)"),
        ("ctrl+c", "Close(Closed)"),
        ("=x ctrl+c", "Close(Closed)"),
        ("ctrl+b", "Branch(Ix(4))"),
        ("ctrl+f", "Fork"),
        ("ctrl+y", "Copy(Ix(4))"),
    ] {
        let mut screen = screen();
        screen.press(keys);
        assert_eq!(screen.wanted(), [wanted], "{keys}");
    }
    assert_eq!(screen().press("=x esc").wanted(), Vec::<String>::new(), "Esc clears the search first");
}

#[test]
fn the_summary_is_asked_for_where_settings_say_so() {
    let asking = || {
        let settings = Settings { asks_for_summary: true, ..Settings::default() };
        Screen::drawn(TALK, settings, (80, 24))
    };
    for (keys, wanted) in [
        ("end enter enter", Some("go a4")),
        ("end enter down enter", Some("go a4 summarize")),
        ("end enter up enter =why_B enter", Some("go a4 summarize \"why B\"")),
        ("end enter esc", None),
        ("end enter up enter =x esc", None),
        ("end enter up enter enter", None),
        ("end shift+enter", Some("go a4 summarize")),
        ("enter", Some("Close(AlreadyThere)")),
    ] {
        let mut screen = asking();
        screen.press(keys);
        assert_eq!(screen.wanted(), wanted.into_iter().collect::<Vec<_>>(), "{keys}");
    }
    let mut screen = asking();
    let asked = "Summarize the branch that you leave?\n\
        › No summary\n  Summarize\n  Summarize with custom prompt";
    assert!(screen.press("end enter").text().contains(asked), "{}", screen.text());
    screen.press("up enter esc");
    assert!(
        screen.text().contains("› Summarize with custom prompt"),
        "back to the choices: {}",
        screen.text()
    );
    screen.press("esc");
    assert!(screen.text().contains("›    assistant: B result"), "the same row: {}", screen.text());
    screen.press("enter down enter");
    assert!(screen.text().contains("| Summarizing the branch…") && screen.navigator.is_turning());
    screen.say(Message::Tick);
    assert!(screen.text().contains("/ Summarizing the branch…"));
    screen.wanted();
    screen.press("esc");
    assert_eq!(screen.wanted(), ["AbortSummary"]);
    assert!(screen.text().contains("nothing moved") && screen.text().contains("›    assistant: B result"));
    screen.press("shift+enter");
    screen.say(Message::SummaryEnded(Notice::NoSummarizer));
    assert!(screen.text().contains("no model is set up") && !screen.navigator.is_turning());
}

#[test]
fn a_session_that_cannot_grow_offers_what_can_be_done() {
    let settings = Settings { fixed: Some(WhyNot::Foreign), ..Settings::default() };
    for (keys, wanted) in [
        ("end enter enter", Some("Copy(Ix(6))")),
        ("end enter down enter", Some("Branch(Ix(6))")),
        ("end enter up enter", Some("Continue(Ix(6))")),
        ("end enter esc", None),
        ("end shift+l", None),
        ("enter", Some("Close(AlreadyThere)")),
    ] {
        let mut screen = Screen::drawn(TALK, settings.clone(), (80, 24));
        screen.press(keys);
        assert_eq!(screen.wanted(), wanted.into_iter().collect::<Vec<_>>(), "{keys}");
    }
    let mut screen = Screen::drawn(TALK, settings, (80, 24));
    assert!(screen.press("end enter").text().contains("it belongs to another agent"));
    assert!(screen.press("esc shift+l").text().contains("it belongs to another agent"));
}

#[test]
fn the_mouse_scrolls_selects_and_folds() {
    let at = |kind, column, row| Mouse { kind, column, row };
    let selected = |screen: &Screen| screen.navigator.list().selected();
    let mut screen = screen();
    screen.mouse(at(MouseKind::Click, 20, 4));
    assert_eq!(selected(&screen), 1);
    screen.mouse(at(MouseKind::WheelDown, 20, 4));
    assert_eq!(selected(&screen), 4);
    screen.mouse(at(MouseKind::WheelUp, 0, 0)).mouse(at(MouseKind::WheelUp, 0, 0));
    assert_eq!(selected(&screen), 0);
    // The connector of the first branch is right behind the mark.
    screen.mouse(at(MouseKind::Click, 3, 5));
    assert!(screen.text().contains("├▸ • user: Try approach A (2 hidden)"), "{}", screen.text());
    screen.mouse(at(MouseKind::Click, 3, 5));
    assert!(!screen.text().contains("hidden"));
    screen.mouse(at(MouseKind::Click, 79, 23)).mouse(at(MouseKind::Click, 500, 500));
    assert_eq!(selected(&screen), 0);
}

#[test]
fn pages_open_and_close() {
    let mut screen = screen();
    for (open, title) in [("f1", "Keys"), ("?", "Keys"), ("ctrl+e", "Entry"), ("end ctrl+d", "Two branches")]
    {
        screen.press(open);
        assert!(screen.text().starts_with(title), "{open}: {}", screen.text());
        screen.press("down pagedown end up pageup home esc");
        assert!(screen.text().starts_with("Session tree"), "{open}");
    }
    screen.press("home ctrl+d");
    assert!(screen.text().contains("Both are one branch"));
    screen.press("end ctrl+t down ctrl+d");
    assert!(screen.text().contains("Both are one branch"), "an ancestor of what is marked");
    screen.press("=what ?");
    assert_eq!(screen.navigator.list().query(), "what?");
}

#[test]
fn keys_can_be_changed() {
    let keymap =
        Keymap::with([("tree.fold", vec!["-"]), ("tree.filter-all", vec!["f5"])]).expect("good keys");
    let settings = Settings { keymap, ..Settings::default() };
    let mut screen = Screen::drawn(TALK, settings, (80, 24));
    screen.press("home -");
    assert!(screen.text().contains("6 hidden"));
    screen.press("f5");
    assert!(screen.text().contains("filter: all"));
    screen.press("=a-");
    assert_eq!(screen.navigator.list().query(), "a-", "with a search it is a letter");
}

#[test]
fn new_entries_appear_and_the_selection_stays() {
    let mut screen = screen();
    screen.press("up");
    screen.session.append_message(r#"{"role":"user","content":"one more"}"#).expect("written");
    screen.say(Message::Grew { entries: 1 });
    screen.say(Message::Told(Notice::Grew(1)));
    assert!(
        screen.text().contains("• user: one more") && screen.text().contains("1 new entry"),
        "{}",
        screen.text()
    );
    assert!(screen.text().contains("› │  • assistant: A result"), "{}", screen.text());
}

#[test]
fn of_a_long_path_the_end_is_seen() {
    let mut screen = screen();
    let path = format!("/home/user/{}/session-1.jsonl", "folder/".repeat(20));
    screen.say(Message::Told(Notice::BranchMade(path)));
    assert!(screen.text().contains("New session: …") && screen.text().contains("/session-1.jsonl"));
}

#[test]
fn korean_words_are_those_of_the_manual() {
    let settings =
        || Settings { words: Words::new(Language::Korean), asks_for_summary: true, ..Settings::default() };
    let mut screen = Screen::drawn(TALK, settings(), (80, 24));
    screen.press("end enter");
    assert!(
        screen.text().contains("› 요약 없음\n  요약\n  사용자 정의 프롬프트로 요약"),
        "{}",
        screen.text()
    );
    assert_eq!(Words::new(Language::Korean).get("already-there"), "이미 이 지점에 있습니다");
}
