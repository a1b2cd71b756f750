//! What keys, the mouse and loaded data make of the navigator.

use i18n_embed_fl::fl;
use naite_core::entry::{Kind, Role};
use naite_core::navigate::{self, Plan};
use naite_core::outline::{Filter, Move};
use naite_core::text::{one_line, prefix_bytes};
use naite_core::{Ix, Tree};

use super::page::{Content, Page};
use super::view::{self, Hit};
use super::{
    Detail, Effect, Line, Look, Message, Mode, Navigator, Notice, Outcome, REMEMBERED, RowWords, Summary,
    WhyNot,
};
use crate::draw::{found_in, wrap};
use crate::editor::Editor;
use crate::key::{Event, Key, Mouse, MouseKind};
use crate::keymap::{Action, Place};

/// Rows that a turn of the wheel scrolls.
const WHEEL: usize = 3;
/// Bytes of text in a preview at most; the full entry has all of it.
const PREVIEW: usize = 32 * 1024;
/// The choices about the branch that is left.
pub(super) const SUMMARIES: usize = 3;
/// What can be done with a session that cannot grow.
pub(super) const OFFERS: usize = 3;

impl Navigator {
    /// Takes in what happened and gives what is to be done.
    pub fn update(&mut self, tree: &Tree, message: Message) -> Vec<Effect> {
        let mut effects = match message {
            Message::Input(event) => self.input(tree, event),
            Message::Resized(columns, rows) => {
                self.size = (columns, rows);
                self.rewrap();
                if let Mode::Page(page) = &mut self.mode {
                    page.resize(&self.settings, columns);
                    page.clamp(view::page_lines(self.size));
                }
                Vec::new()
            }
            Message::Rows(rows) => {
                self.remember(tree, rows);
                Vec::new()
            }
            Message::Detail(detail) => {
                self.show_detail(detail);
                Vec::new()
            }
            Message::Compared(comparison) => {
                self.mode = Mode::Page(Page::compare(comparison, &self.settings.words, self.size.0).into());
                Vec::new()
            }
            Message::Grew { entries } => {
                self.grow(tree, entries);
                Vec::new()
            }
            Message::Replaced { selected } => {
                self.list.replace(tree, tree.leaf(), selected);
                (self.mark, self.mode, self.notice) = (None, Mode::List, Some(Notice::Replaced));
                self.forget_words();
                Vec::new()
            }
            Message::Told(notice) => {
                self.notice = Some(notice);
                Vec::new()
            }
            Message::CannotGrow { entry, why } => {
                self.mode = Mode::Offers { entry, why, choice: 0 };
                Vec::new()
            }
            Message::SummaryEnded(notice) => {
                self.back_to_list();
                self.notice = Some(notice);
                Vec::new()
            }
            Message::Tick => {
                if let Mode::Summarizing { ticks, .. } = &mut self.mode {
                    *ticks += 1;
                }
                Vec::new()
            }
        };
        effects.extend(self.needs());
        effects
    }

    /// What has to be loaded before the screen is right: rows of the window, the entry of the preview.
    pub(super) fn needs(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        let missing = |ix: &Ix| !self.rows.contains_key(ix);
        let window = self.list.window(view::visible_rows(self.size.1));
        let rows: Vec<Ix> =
            window.filter_map(|place| Some(self.list.row(place)?.ix)).filter(missing).collect();
        if !rows.is_empty() {
            effects.push(Effect::Rows(rows));
        }
        let wanted = self.list.selection().filter(|_| self.wants_full || view::has_preview(self.size));
        if let Some(entry) = wanted
            && (self.detail.entry != wanted || self.wants_full && !self.detail.is_whole)
            && self.asked_detail != wanted
        {
            self.asked_detail = wanted;
            effects.push(Effect::Detail { entry, full: self.wants_full });
        }
        effects
    }

    fn remember(&mut self, tree: &Tree, rows: Vec<(Ix, RowWords)>) {
        if self.rows.len() + rows.len() > REMEMBERED {
            self.rows.clear();
        }
        self.rows.extend(rows.into_iter().map(|(ix, words)| (ix, Line { words, look: look(tree, ix) })));
    }

    fn forget_words(&mut self) {
        self.rows.clear();
        (self.detail.entry, self.asked_detail) = (None, None);
    }

    fn grow(&mut self, tree: &Tree, entries: usize) {
        for label in tree.entries().rev().take(entries) {
            let target = tree.heads().label_head(label).and_then(|head| tree.find(&head.target));
            if let Some(target) = target {
                self.list.forget_text(target);
            }
        }
        self.list.take_in(tree, tree.leaf());
        self.forget_words();
    }

    fn show_detail(&mut self, mut detail: Detail) {
        let is_new = self.detail.entry != detail.entry;
        if let Some(megabytes) = &detail.megabytes {
            let keys = self.settings.keymap.said(Action::Full);
            let loader = self.settings.words.loader();
            detail.text = fl!(loader, "too-long", megabytes = megabytes.as_str(), keys = keys);
        }
        self.detail = detail;
        if is_new {
            self.scrolled = false;
        }
        self.rewrap();
        if std::mem::take(&mut self.wants_full) {
            self.mode = Mode::Page(Page::full(self.detail.clone(), &self.settings.words, self.size.0).into());
        }
    }

    /// Breaks the preview into lines and scrolls to what a search found.
    fn rewrap(&mut self) {
        let text = prefix_bytes(&self.detail.text, PREVIEW);
        self.wrapped = wrap(text, usize::from(self.size.0), PREVIEW);
        if self.scrolled {
            self.scroll_preview(0);
            return;
        }
        let found = found_in(text, self.list.needles()).into_iter().map(|range| range.start).min();
        self.scroll = found.map_or(0, |at| {
            self.wrapped.partition_point(|line| line.end <= at).min(self.wrapped.len().saturating_sub(1))
        });
        if self.scroll < view::preview_lines(self.size) {
            self.scroll = 0;
        }
    }

    fn scroll_preview(&mut self, by: isize) {
        let last = self.wrapped.len().saturating_sub(view::preview_lines(self.size));
        self.scroll = self.scroll.saturating_add_signed(by).min(last);
    }

    fn input(&mut self, tree: &Tree, event: Event) -> Vec<Effect> {
        self.notice = None;
        match event {
            Event::Key(key) => self.key(tree, key),
            Event::Paste(text) => {
                match &mut self.mode {
                    Mode::List => {
                        let query = self.query.clone() + &one_line(text.trim());
                        self.set_query(tree, query);
                    }
                    Mode::Label { editor, .. } | Mode::Prompt { editor, .. } => editor.insert(&text),
                    _ => {}
                }
                Vec::new()
            }
            Event::Mouse(mouse) => {
                self.mouse(tree, mouse);
                Vec::new()
            }
        }
    }

    fn key(&mut self, tree: &Tree, key: Key) -> Vec<Effect> {
        let find = |place| self.settings.keymap.find(place, key);
        match &mut self.mode {
            Mode::List => {
                let typed = key.typed();
                // While there is a search, a key that types a character types it.
                let action = find(Place::Tree).filter(|_| typed.is_none() || self.query.is_empty());
                match (action, typed) {
                    (Some(action), _) => return self.act(tree, action),
                    (None, Some(c)) if !(self.query.is_empty() && c.is_whitespace()) => {
                        let mut query = self.query.clone();
                        query.push(c);
                        self.set_query(tree, query);
                    }
                    _ => {}
                }
                Vec::new()
            }
            Mode::Label { entry, editor } => {
                let entry = *entry;
                match edit(editor, find(Place::Edit), key) {
                    Edited::Going => Vec::new(),
                    Edited::Left => {
                        self.mode = Mode::List;
                        Vec::new()
                    }
                    Edited::Saved(text) => {
                        self.mode = Mode::List;
                        let label = Some(text.trim().to_owned()).filter(|label| !label.is_empty());
                        let before = self.rows.get(&entry).and_then(|line| line.words.label.clone());
                        if label == before { Vec::new() } else { vec![Effect::SetLabel { entry, label }] }
                    }
                }
            }
            Mode::Prompt { entry, editor } => {
                let entry = *entry;
                match edit(editor, find(Place::Edit), key) {
                    Edited::Going => Vec::new(),
                    Edited::Left => {
                        self.mode = Mode::Summary { entry, choice: SUMMARIES - 1 };
                        Vec::new()
                    }
                    Edited::Saved(text) if text.trim().is_empty() => Vec::new(),
                    Edited::Saved(text) => self.leave(entry, Summary::Custom(text.trim().to_owned())),
                }
            }
            Mode::Summary { entry, choice } => {
                let entry = *entry;
                match choose(choice, SUMMARIES, find(Place::Choice)) {
                    Chosen::Going => {}
                    Chosen::Back => self.back_to_list(),
                    Chosen::Taken(0) => return self.leave(entry, Summary::None),
                    Chosen::Taken(1) => return self.leave(entry, Summary::Plain),
                    Chosen::Taken(_) => self.mode = Mode::Prompt { entry, editor: Editor::default() },
                }
                Vec::new()
            }
            Mode::Offers { entry, choice, .. } => {
                let entry = *entry;
                let chosen = choose(choice, OFFERS, find(Place::Choice));
                if let Chosen::Going = chosen {
                    return Vec::new();
                }
                self.mode = Mode::List;
                match chosen {
                    Chosen::Taken(0) => vec![Effect::Copy(entry)],
                    Chosen::Taken(1) => vec![Effect::Branch(entry)],
                    Chosen::Taken(_) => vec![Effect::Continue(entry)],
                    Chosen::Going | Chosen::Back => Vec::new(),
                }
            }
            Mode::Summarizing { .. } => match find(Place::Choice) {
                Some(Action::Back) => {
                    self.back_to_list();
                    self.notice = Some(Notice::SummaryStopped);
                    vec![Effect::AbortSummary]
                }
                _ => Vec::new(),
            },
            Mode::Page(page) => {
                match find(Place::Page) {
                    Some(Action::Leave) => self.mode = Mode::List,
                    Some(action) => page.act(action, view::page_lines(self.size)),
                    None => {}
                }
                Vec::new()
            }
        }
    }

    fn set_query(&mut self, tree: &Tree, query: String) {
        self.list.set_query(tree, &query);
        self.query = query;
        self.scrolled = false;
        self.rewrap();
    }

    /// Opens the list again, on the row at which it was left.
    fn back_to_list(&mut self) {
        if let Mode::Summary { entry, .. } | Mode::Summarizing { entry, .. } = self.mode {
            self.list.select_entry(entry);
        }
        self.mode = Mode::List;
    }

    fn act(&mut self, tree: &Tree, action: Action) -> Vec<Effect> {
        let page = view::visible_rows(self.size.1);
        let movement = match action {
            Action::Up => Some(Move::Up),
            Action::Down => Some(Move::Down),
            Action::PageUp => Some(Move::PageUp(page)),
            Action::PageDown => Some(Move::PageDown(page)),
            Action::First => Some(Move::First),
            Action::Last => Some(Move::Last),
            Action::PreviousTurn => Some(Move::PreviousTurn),
            Action::NextTurn => Some(Move::NextTurn),
            _ => None,
        };
        if let Some(movement) = movement {
            self.list.go(tree, movement);
            return Vec::new();
        }
        let filter = match action {
            Action::NextFilter => Some(step(self.list.filter(), 1)),
            Action::PreviousFilter => Some(step(self.list.filter(), Filter::CYCLE.len() - 1)),
            Action::FilterDefault => Some(Filter::Default),
            Action::FilterNoTools => Some(Filter::NoTools),
            Action::FilterUserOnly => Some(Filter::UserOnly),
            Action::FilterLabeledOnly => Some(Filter::LabeledOnly),
            Action::FilterAll => Some(Filter::All),
            _ => None,
        };
        if let Some(filter) = filter {
            self.list.set_filter(tree, filter);
            return Vec::new();
        }
        match action {
            Action::Fold => self.list.fold_or_up(),
            Action::Unfold => self.list.unfold_or_down(),
            Action::Cancel if !self.query.is_empty() => self.set_query(tree, String::new()),
            Action::Cancel | Action::Close => return vec![Effect::Close(Outcome::Closed)],
            Action::Erase => {
                use unicode_segmentation::UnicodeSegmentation;
                let last = self.query.grapheme_indices(true).next_back().map_or(0, |(at, _)| at);
                self.set_query(tree, self.query[..last].to_owned());
            }
            Action::PreviewUp => self.scroll_by(-1),
            Action::PreviewDown => self.scroll_by(1),
            Action::Help => self.mode = Mode::Page(Page::help(&self.settings, self.size.0).into()),
            Action::Fork => return vec![Effect::Fork],
            _ => {
                if let Some(entry) = self.list.selection() {
                    return self.act_on(tree, action, entry);
                }
            }
        }
        Vec::new()
    }

    fn scroll_by(&mut self, by: isize) {
        self.scrolled = true;
        self.scroll_preview(by);
    }

    /// Does what a key means to the selected entry.
    fn act_on(&mut self, tree: &Tree, action: Action, entry: Ix) -> Vec<Effect> {
        match action {
            Action::Select => return self.select(tree, entry, None),
            Action::SelectAndSummarize => return self.select(tree, entry, Some(Summary::Plain)),
            Action::Label => {
                if let Some(why) = self.settings.fixed.clone() {
                    self.notice = Some(Notice::Failed(super::view::why(&self.settings.words, &why)));
                    return Vec::new();
                }
                let label = tree.label(entry).unwrap_or_default();
                self.mode = Mode::Label { entry, editor: Editor::new(label) };
            }
            Action::Branch => return vec![Effect::Branch(entry)],
            Action::Copy => return vec![Effect::Copy(entry)],
            Action::Full if self.detail.entry == Some(entry) && self.detail.is_whole => {
                self.mode =
                    Mode::Page(Page::full(self.detail.clone(), &self.settings.words, self.size.0).into());
            }
            Action::Full => (self.wants_full, self.asked_detail) = (true, None),
            Action::Mark => (self.mark, self.notice) = (Some(entry), Some(Notice::Marked)),
            Action::Compare => {
                let other = self.mark.take().or(self.list.leaf());
                let common = tree.common_ancestor(other, Some(entry));
                match other {
                    Some(other) if common != Some(other) && common != Some(entry) => {
                        return vec![Effect::Compare(other, entry)];
                    }
                    _ => self.notice = Some(Notice::OneBranch),
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn select(&mut self, tree: &Tree, entry: Ix, summary: Option<Summary>) -> Vec<Effect> {
        if navigate::plan(tree, self.list.leaf(), entry) == Plan::AlreadyThere {
            return vec![Effect::Close(Outcome::AlreadyThere)];
        }
        if let Some(why) = self.settings.fixed.clone() {
            self.mode = Mode::Offers { entry, why, choice: 0 };
            return Vec::new();
        }
        match summary {
            Some(summary) => self.leave(entry, summary),
            None if self.settings.asks_for_summary => {
                self.mode = Mode::Summary { entry, choice: 0 };
                Vec::new()
            }
            None => self.leave(entry, Summary::None),
        }
    }

    fn leave(&mut self, entry: Ix, summary: Summary) -> Vec<Effect> {
        self.mode = if summary == Summary::None { Mode::List } else { Mode::Summarizing { entry, ticks: 0 } };
        vec![Effect::Go { entry, summary }]
    }

    fn mouse(&mut self, tree: &Tree, mouse: Mouse) {
        let (up, lines) = (mouse.kind == MouseKind::WheelUp, view::page_lines(self.size));
        match (&mut self.mode, mouse.kind) {
            (Mode::Page(page), MouseKind::WheelUp | MouseKind::WheelDown) => {
                for _ in 0..WHEEL {
                    page.act(if up { Action::LineUp } else { Action::LineDown }, lines);
                }
            }
            (Mode::List, MouseKind::WheelUp | MouseKind::WheelDown) => {
                if view::hit(self, mouse.column, mouse.row) == Hit::Preview {
                    self.scroll_by(if up { -(WHEEL as isize) } else { WHEEL as isize });
                } else {
                    self.list.go(tree, if up { Move::PageUp(WHEEL) } else { Move::PageDown(WHEEL) });
                }
            }
            (Mode::List, MouseKind::Click) => match view::hit(self, mouse.column, mouse.row) {
                Hit::Row(place) => self.list.go(tree, Move::To(place)),
                Hit::Connector(place) => self.list.toggle_fold(place),
                Hit::Preview | Hit::Nothing => {}
            },
            _ => {}
        }
    }

    /// Why the session cannot grow, if that is known.
    pub fn fixed(&self) -> Option<&WhyNot> {
        self.settings.fixed.as_ref()
    }
}

/// What became of a line that is edited.
enum Edited {
    Going,
    Left,
    Saved(String),
}

fn edit(editor: &mut Editor, action: Option<Action>, key: Key) -> Edited {
    match action {
        Some(Action::Save) => return Edited::Saved(editor.text().to_owned()),
        Some(Action::Discard) => return Edited::Left,
        Some(action) if editor.act(action) => {}
        _ => {
            if let Some(c) = key.typed() {
                editor.insert(c.encode_utf8(&mut [0; 4]));
            }
        }
    }
    Edited::Going
}

/// What became of a choice.
enum Chosen {
    Going,
    Back,
    Taken(usize),
}

fn choose(choice: &mut usize, all: usize, action: Option<Action>) -> Chosen {
    match action {
        Some(Action::ChoiceUp) => *choice = (*choice + all - 1) % all,
        Some(Action::ChoiceDown) => *choice = (*choice + 1) % all,
        Some(Action::Choose) => return Chosen::Taken(*choice),
        Some(Action::Back) => return Chosen::Back,
        _ => {}
    }
    Chosen::Going
}

fn step(filter: Filter, by: usize) -> Filter {
    let at = Filter::CYCLE.iter().position(|known| *known == filter).unwrap_or(0);
    Filter::CYCLE[(at + by) % Filter::CYCLE.len()]
}

fn look(tree: &Tree, ix: Ix) -> Look {
    let head = tree.head(ix);
    match (head.kind, head.role) {
        (Kind::Message, Role::User) => Look::User,
        (Kind::Message, Role::Assistant) if head.stop.is_broken() => Look::Broken,
        (Kind::Message, Role::Assistant) => Look::Assistant,
        (Kind::Message, _) => Look::Tool,
        (Kind::Compaction | Kind::BranchSummary, _) => Look::Summary,
        (Kind::CustomMessage, _) => Look::Assistant,
        _ => Look::Quiet,
    }
}

impl Content {
    pub(super) fn title_id(&self) -> &'static str {
        match self {
            Self::Help(_) => "title-help",
            Self::Full { .. } => "title-full",
            Self::Compare { .. } => "title-compare",
        }
    }
}
