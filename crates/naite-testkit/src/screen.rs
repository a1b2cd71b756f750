//! The navigator without a terminal: keys in by their names, the screen out as text, effects done on a real session.

use std::path::Path;

use naite_core::outline::{Progress, full_text, row_text, search_text};
use naite_core::{Ix, Tree};
use naite_store::{Access, SessionManager};
use naite_tui::key::{Event, Key, Mouse};
use naite_tui::navigator::{
    Comparison, Detail, Effect, Message, Navigator, Notice, RowWords, Settings, Side, Summary, view,
    visible_rows,
};
use naite_tui::{Buffer, Rect};

use crate::drawing;
use crate::home::Home;

/// A navigator over a session in a throw-away home.
#[derive(Debug)]
pub struct Screen {
    /// The home.
    pub home: Home,
    /// The session, open for growing.
    pub session: SessionManager,
    /// The navigator.
    pub navigator: Navigator,
    size: (u16, u16),
    /// What the navigator wanted done besides loading, in words, since this was last asked.
    wanted: Vec<String>,
}

impl Screen {
    /// The navigator over a drawn session (see [`drawing`]).
    pub fn drawn(drawing: &str, settings: Settings, size: (u16, u16)) -> Self {
        Self::over(&drawing::bytes(drawing), settings, size)
    }

    /// The navigator over the bytes of a session file.
    pub fn over(bytes: &[u8], settings: Settings, size: (u16, u16)) -> Self {
        let home = Home::new();
        let path = home.write("session.jsonl", bytes);
        let session = home.open(&path, Access::Write).expect("a session");
        let (navigator, effects) = Navigator::new(session.tree(), session.leaf(), settings, size);
        let mut screen = Self { home, session, navigator, size, wanted: Vec::new() };
        screen.perform(effects);
        screen
    }

    /// The session's file.
    pub fn path(&self) -> &Path {
        self.session.path().expect("a session in a file")
    }

    /// Presses keys, named as in settings and split at blanks; `=words_and_blanks` types text, `_` for a blank.
    pub fn press(&mut self, keys: &str) -> &mut Self {
        for name in keys.split_whitespace() {
            match name.strip_prefix('=').filter(|text| !text.is_empty()) {
                Some(text) => text.replace('_', " ").chars().for_each(|c| self.key(&c.to_string())),
                None => self.key(name),
            }
        }
        self
    }

    fn key(&mut self, name: &str) {
        let key = match name {
            " " => Key::parse("space"),
            name => Key::parse(name),
        };
        let key = key.unwrap_or_else(|| panic!("no key {name}"));
        self.say(Message::Input(Event::Key(key)));
    }

    /// Does something with the mouse.
    pub fn mouse(&mut self, mouse: Mouse) -> &mut Self {
        self.say(Message::Input(Event::Mouse(mouse)));
        self
    }

    /// Gives the window another size.
    pub fn resize(&mut self, size: (u16, u16)) -> &mut Self {
        self.size = size;
        self.say(Message::Resized(size.0, size.1));
        self
    }

    /// Feeds a message and lets every search run to its end.
    pub fn say(&mut self, message: Message) {
        let effects = self.navigator.update(self.session.tree(), message);
        self.perform(effects);
        self.search();
    }

    fn search(&mut self) {
        if self.navigator.list().searching().is_none() {
            return;
        }
        loop {
            match self.navigator.search(1 << 20) {
                Progress::More => {}
                Progress::Done => break,
                Progress::Wants(entries) => {
                    let navigator = &mut self.navigator;
                    let read = self.session.each_entry(&entries, |tree, ix, entry, caller| {
                        navigator.put_text(ix, &search_text(entry, tree.label(ix), caller, None));
                    });
                    read.expect("a readable session");
                }
            }
        }
        let effects = self.navigator.show_found(self.session.tree());
        self.perform(effects);
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            for message in self.effect(effect) {
                let more = self.navigator.update(self.session.tree(), message);
                self.perform(more);
            }
        }
    }

    fn effect(&mut self, effect: Effect) -> Vec<Message> {
        let said = |effect: &Effect| format!("{effect:?}");
        match effect {
            Effect::Rows(entries) => vec![Message::Rows(self.rows(&entries))],
            Effect::Detail { entry, .. } => vec![Message::Detail(self.detail(entry))],
            Effect::Compare(left, right) => {
                let side = |title: String| Side { title, entries: 1, ..Side::default() };
                let mut rows = self.rows(&[left, right]).into_iter().map(|(_, words)| side(words.text));
                let sides = [rows.next().unwrap_or_default(), rows.next().unwrap_or_default()];
                vec![Message::Compared(Comparison { common: None, sides })]
            }
            Effect::SetLabel { entry, label } => {
                let before = self.session.tree().heads().len();
                let id = self.id(entry);
                self.session.append_label_change(&id, label.as_deref()).expect("a label");
                let entries = self.session.tree().heads().len() - before;
                vec![Message::Grew { entries }, Message::Told(Notice::Labelled(label))]
            }
            Effect::Go { entry, summary } => {
                let id = self.id(entry);
                let how = match summary {
                    Summary::None => String::new(),
                    Summary::Plain => " summarize".into(),
                    Summary::Custom(prompt) => format!(" summarize {prompt:?}"),
                };
                self.wanted.push(format!("go {id}{how}"));
                Vec::new()
            }
            other => {
                self.wanted.push(said(&other));
                Vec::new()
            }
        }
    }

    fn id(&self, ix: Ix) -> String {
        self.session.tree().id(ix).to_owned()
    }

    fn rows(&mut self, entries: &[Ix]) -> Vec<(Ix, RowWords)> {
        let mut rows = Vec::new();
        let read = self.session.each_entry(entries, |tree: &Tree, ix, entry, caller| {
            let label = tree.label(ix).map(str::to_owned);
            rows.push((ix, RowWords { text: row_text(entry, caller, None), label }));
        });
        read.expect("a readable session");
        rows
    }

    fn detail(&mut self, ix: Ix) -> Detail {
        let id = self.id(ix);
        let mut detail = Detail { entry: Some(ix), id, is_whole: true, ..Detail::default() };
        detail.time = naite_core::entry::iso(self.session.tree().head(ix).at);
        detail.text =
            self.session.with_entry(ix, |entry| full_text(entry).join("\n")).expect("a readable entry");
        detail
    }

    /// What the navigator wanted done besides loading.
    pub fn wanted(&mut self) -> Vec<String> {
        std::mem::take(&mut self.wanted)
    }

    /// The screen as lines of text without blanks at their ends.
    pub fn text(&self) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.size.0, self.size.1));
        view(&self.navigator, buffer.area, &mut buffer);
        text(&buffer)
    }

    /// The rows of the list alone, without empty ones.
    pub fn rows_text(&self) -> String {
        let all = self.text();
        let lines: Vec<&str> = all.lines().collect();
        let first = if usize::from(self.size.1) > visible_rows(self.size.1) + 5 { 3 } else { 2 };
        let rows = lines.iter().skip(first).take(visible_rows(self.size.1));
        rows.filter(|line| !line.is_empty()).copied().collect::<Vec<_>>().join("\n")
    }

    /// Where the cursor is.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.size.0, self.size.1));
        view(&self.navigator, buffer.area, &mut buffer)
    }
}

/// A buffer as lines of text without blanks at their ends. Checks that no line is wider than the buffer.
pub fn text(buffer: &Buffer) -> String {
    let columns = usize::from(buffer.area.width).max(1);
    let mut lines = Vec::new();
    for row in buffer.content.chunks(columns) {
        let (mut line, mut at) = (String::new(), 0);
        while at < row.len() {
            line.push_str(row[at].symbol());
            at += naite_core::text::width(row[at].symbol()).max(1);
        }
        assert!(naite_core::text::width(&line) <= columns, "wider than {columns}: {line:?}");
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n").trim_end().to_owned()
}

/// Opens a drawn session, presses keys and compares the rows of the list; each of them begins behind a `|`.
pub fn check(drawing: &str, keys: &str, rows: &str) {
    let mut screen = Screen::drawn(drawing, Settings::default(), (80, 24));
    screen.press(keys);
    let wanted: Vec<&str> = rows.lines().filter_map(|line| line.trim_start().strip_prefix('|')).collect();
    assert_eq!(screen.rows_text(), wanted.join("\n"), "{keys}");
}

/// The bytes of the first session of another program among the fixtures.
pub fn fixture(program: &str) -> Vec<u8> {
    let mut waiting = vec![crate::fixtures().join(program).join("sessions")];
    let mut found = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                found.push(path);
            }
        }
    }
    std::fs::read(found.iter().min().expect("a session in the fixture")).expect("a readable fixture")
}
