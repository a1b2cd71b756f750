//! What keys, the mouse, and what was read make of the picker.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use naite_core::text::{Needles, one_line, printable};
use unicode_segmentation::UnicodeSegmentation;

use super::page::Page;
use super::view::{self, Hit};
use super::{Agent, Effect, Listed, Message, Mode, Notice, Picker, Row, Said, Scope, Unreadable, order};
use crate::draw::wrap;
use crate::editor::Editor;
use crate::key::{Event, Key, Mouse, MouseKind};
use crate::keymap::{Action, Place};

/// Rows that a turn of the wheel scrolls.
const WHEEL: usize = 3;
/// Lines of a preview at most.
const LINES: usize = 4096;
/// Choices about a deletion.
pub(super) const CHOICES: usize = 2;

impl Picker {
    /// Takes in what happened and gives what is to be done.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        let mut effects = Vec::new();
        match message {
            Message::Input(event) => effects = self.input(event),
            Message::Resized(columns, rows) => {
                self.size = (columns, rows);
                self.wrap_preview();
                if let Mode::Page(page) = &mut self.mode {
                    page.resize(&self.settings, columns);
                    page.clamp(view::page_lines(self.size));
                }
            }
            Message::Now(now) => self.now = now,
            Message::Reading => {
                self.seen = Some(HashSet::new());
                self.unreadable.clear();
            }
            Message::Batch { rows, unreadable } => effects = self.take_in(rows, unreadable),
            Message::Read => self.end_reading(),
            Message::Found { search, files, searched } => self.found(search, files, searched),
            Message::Preview { file, said } => {
                if self.asked_preview.as_ref() == Some(&file) {
                    self.preview = Some((file, said));
                    self.wrap_preview();
                }
            }
            Message::Pins(pins) => {
                self.pins = pins;
                self.lay();
            }
            Message::Trash(items) => self.mode = Mode::Trash { items, selected: 0 },
            Message::Told(notice) => self.notice = Some(notice),
        }
        effects.extend(self.needs());
        effects
    }

    /// The preview that is missing.
    fn needs(&mut self) -> Option<Effect> {
        if !view::has_preview(self.size) {
            return None;
        }
        let wanted = self.selection()?.file.clone();
        if self.asked_preview.as_ref() == Some(&wanted) {
            return None;
        }
        self.scroll = 0;
        self.lines.clear();
        self.asked_preview = Some(wanted.clone());
        Some(Effect::Preview(wanted))
    }

    fn take_in(&mut self, rows: Vec<Row>, unreadable: Vec<Unreadable>) -> Vec<Effect> {
        self.unreadable.extend(unreadable);
        let mut fresh = Vec::new();
        for row in rows {
            if let Some(seen) = &mut self.seen {
                seen.insert(row.file.clone());
            }
            let text = row.search_text();
            match self.by_file.get(&row.file).copied() {
                Some(at) => {
                    let before = &self.rows[at];
                    let is_same = (before.bytes, before.active) == (row.bytes, row.active);
                    if !is_same {
                        // What was found in it and what is shown of it is no longer true.
                        self.hits.remove(&row.file);
                        self.forget_search(&row.file);
                        self.asked_preview = self.asked_preview.take().filter(|file| *file != row.file);
                        fresh.push(at);
                    }
                    self.rows[at] = row;
                    self.texts[at] = text;
                }
                None => {
                    self.by_file.insert(row.file.clone(), self.rows.len());
                    fresh.push(self.rows.len());
                    self.rows.push(row);
                    self.texts.push(text);
                }
            }
        }
        self.link();
        self.lay();
        fresh.retain(|at| self.scope.has(&self.rows[*at]));
        self.search_in(&fresh)
    }

    fn forget_search(&mut self, file: &Path) {
        if self.asked.remove(file) {
            self.searched = self.searched.min(self.asked.len());
        }
    }

    fn end_reading(&mut self) {
        let Some(seen) = self.seen.take() else { return };
        let mut keep = self.rows.iter().map(|row| seen.contains(&row.file));
        if keep.by_ref().all(|is_seen| is_seen) {
            return;
        }
        let kept: Vec<bool> = self.rows.iter().map(|row| seen.contains(&row.file)).collect();
        let selected = self.selection().map(|row| row.file.clone());
        let (mut row, mut text) = (kept.iter(), kept.iter());
        self.rows.retain(|_| row.next().copied().unwrap_or(true));
        self.texts.retain(|_| text.next().copied().unwrap_or(true));
        self.by_file = self.rows.iter().enumerate().map(|(at, row)| (row.file.clone(), at)).collect();
        // Places of rows mean nothing any more.
        self.list.clear();
        self.link();
        self.lay_on(selected);
    }

    /// Finds the parent of every row.
    fn link(&mut self) {
        let by_id: HashMap<&str, usize> =
            self.rows.iter().enumerate().rev().map(|(at, row)| (row.id.as_str(), at)).collect();
        let find = |parent: &str| self.by_file.get(Path::new(parent)).or_else(|| by_id.get(parent)).copied();
        let mut parents: Vec<Option<usize>> =
            self.rows.iter().map(|row| row.parent.as_deref().and_then(find)).collect();
        order::cut_circles(&mut parents);
        self.parents = parents;
    }

    /// Makes the list anew; the selected session stays so where a person chose it.
    fn lay(&mut self) {
        let selected = self.selection().map(|row| row.file.clone());
        self.lay_on(selected);
    }

    fn lay_on(&mut self, selected: Option<PathBuf>) {
        let shows = |at: usize| {
            let row = &self.rows[at];
            self.scope.has(row)
                && (self.needles.match_folded(&self.texts[at]) || self.hits.contains(&row.file))
        };
        let is_pinned = |row: &Row| self.pins.contains(&row.id);
        self.list = order::listed(&self.rows, &self.parents, self.sort, self.threads, shows, is_pinned);
        let place = selected.filter(|_| self.is_chosen).and_then(|file| {
            let row = *self.by_file.get(&file)?;
            self.list.iter().position(|listed: &Listed| listed.row == row)
        });
        self.selected = match place {
            Some(place) => place,
            None if self.is_chosen => self.selected.min(self.list.len().saturating_sub(1)),
            None => 0,
        };
    }

    pub(super) fn set_query(&mut self, query: String) -> Vec<Effect> {
        let needles = Needles::new(&query);
        self.query = query;
        if needles == self.needles {
            return Vec::new();
        }
        // A longer search finds only what the shorter one found, and what that has not looked at.
        if needles.narrow(&self.needles) && !self.needles.is_empty() && self.searched >= self.asked.len() {
            let hits = std::mem::take(&mut self.hits);
            let open: Vec<usize> = self
                .in_scope()
                .filter(|at| {
                    let row = &self.rows[*at];
                    hits.contains(&row.file)
                        || self.needles.match_folded(&self.texts[*at])
                        || !self.asked.contains(&row.file)
                })
                .collect();
            return self.start_search(needles, &open);
        }
        self.hits.clear();
        let all: Vec<usize> = self.in_scope().collect();
        self.start_search(needles, &all)
    }

    fn in_scope(&self) -> impl Iterator<Item = usize> {
        (0..self.rows.len()).filter(|at| self.scope.has(&self.rows[*at]))
    }

    /// Begins a search in rows; in the others of the scope nothing can be found.
    fn start_search(&mut self, needles: Needles, rows: &[usize]) -> Vec<Effect> {
        self.needles = needles;
        self.search += 1;
        self.searched = 0;
        self.asked.clear();
        // The first that a search finds is selected; what was found stays selected when the search is cleared.
        self.is_chosen = self.needles.is_empty() && self.selection().is_some();
        self.lay();
        let mut effects = self.search_in(rows);
        if effects.is_empty() {
            // The one that goes on is to end.
            effects.push(Effect::Search {
                search: self.search,
                query: self.query.clone(),
                files: Vec::new(),
            });
        }
        // Those that were left out count as looked through.
        let rest: Vec<PathBuf> = self
            .in_scope()
            .map(|at| self.rows[at].file.clone())
            .filter(|file| !self.asked.contains(file))
            .collect();
        self.searched += rest.len();
        self.asked.extend(rest);
        effects
    }

    /// Lets the text of rows be searched that are not found by what is known already; the last active first.
    fn search_in(&mut self, rows: &[usize]) -> Vec<Effect> {
        if self.needles.is_empty() {
            return Vec::new();
        }
        let mut open: Vec<usize> = rows
            .iter()
            .copied()
            .filter(|at| !self.asked.contains(&self.rows[*at].file))
            .filter(|at| !self.needles.match_folded(&self.texts[*at]))
            .collect();
        if open.is_empty() {
            return Vec::new();
        }
        open.sort_unstable_by_key(|at| std::cmp::Reverse(self.rows[*at].active));
        let files: Vec<(PathBuf, String)> =
            open.into_iter().map(|at| (self.rows[at].file.clone(), self.texts[at].clone())).collect();
        self.asked.extend(files.iter().map(|(file, _)| file.clone()));
        vec![Effect::Search { search: self.search, query: self.query.clone(), files }]
    }

    fn found(&mut self, search: u64, files: Vec<PathBuf>, searched: usize) {
        if search != self.search {
            return;
        }
        self.searched = (self.searched + searched).min(self.asked.len());
        if !files.is_empty() {
            self.hits.extend(files);
            self.lay();
        }
    }

    pub(super) fn wrap_preview(&mut self) {
        let columns = usize::from(view::preview_columns(self.size));
        let said: &Said = match &self.preview {
            Some((file, said)) if self.asked_preview.as_ref() == Some(file) => said,
            _ => return,
        };
        let mut lines = Vec::new();
        for (who, text) in said {
            let text = printable(text);
            let ranges = wrap(text.trim_end(), columns, LINES);
            lines.extend(ranges.into_iter().map(|range| (*who, text[range].to_owned())));
            lines.push((*who, String::new()));
        }
        lines.pop();
        self.lines = lines;
        // What was said last is what one wants to see.
        self.scroll = self.last_scroll();
    }

    fn last_scroll(&self) -> usize {
        self.lines.len().saturating_sub(view::preview_lines(self.size))
    }

    fn input(&mut self, event: Event) -> Vec<Effect> {
        self.notice = None;
        match event {
            Event::Key(key) => self.key(key),
            Event::Paste(text) => match &mut self.mode {
                Mode::List => {
                    let query = self.query.clone() + &one_line(text.trim());
                    self.set_query(query)
                }
                Mode::Rename { editor, .. } => {
                    editor.insert(&text);
                    Vec::new()
                }
                _ => Vec::new(),
            },
            Event::Mouse(mouse) => {
                self.mouse(mouse);
                Vec::new()
            }
        }
    }

    fn key(&mut self, key: Key) -> Vec<Effect> {
        let find = |place| self.settings.keymap.find(place, key);
        match &mut self.mode {
            Mode::List => {
                let typed = key.typed();
                // While there is a search, a key that types a character types it.
                let action = find(Place::Sessions).filter(|_| typed.is_none() || self.query.is_empty());
                match (action, typed) {
                    (Some(action), _) => self.act(action),
                    (None, Some(c)) if !(self.query.is_empty() && c.is_whitespace()) => {
                        let mut query = self.query.clone();
                        query.push(c);
                        self.set_query(query)
                    }
                    _ => Vec::new(),
                }
            }
            Mode::Rename { file, editor } => {
                let action = find(Place::Edit);
                match action {
                    Some(Action::Save) => {
                        let effect = Effect::Rename { file: file.clone(), name: editor.text().trim().into() };
                        self.mode = Mode::List;
                        return vec![effect];
                    }
                    Some(Action::Discard) => self.mode = Mode::List,
                    Some(action) if editor.act(action) => {}
                    _ => {
                        if let Some(c) = key.typed() {
                            editor.insert(c.encode_utf8(&mut [0; 4]));
                        }
                    }
                }
                Vec::new()
            }
            Mode::Delete { file, choice } => match find(Place::Choice) {
                Some(Action::ChoiceUp | Action::ChoiceDown) => {
                    *choice = (*choice + 1) % CHOICES;
                    Vec::new()
                }
                Some(Action::Choose) => {
                    let effects = if *choice == 0 { Vec::new() } else { vec![Effect::Delete(file.clone())] };
                    self.mode = Mode::List;
                    effects
                }
                Some(Action::Back) => {
                    self.mode = Mode::List;
                    Vec::new()
                }
                _ => Vec::new(),
            },
            Mode::Trash { items, selected } => match find(Place::Choice) {
                Some(Action::ChoiceUp) if !items.is_empty() => {
                    *selected = (*selected + items.len() - 1) % items.len();
                    Vec::new()
                }
                Some(Action::ChoiceDown) if !items.is_empty() => {
                    *selected = (*selected + 1) % items.len();
                    Vec::new()
                }
                Some(Action::Choose) => {
                    let name = items.get(*selected).map(|item| item.name.clone());
                    self.mode = Mode::List;
                    name.map(Effect::Restore).into_iter().collect()
                }
                Some(Action::Back) => {
                    self.mode = Mode::List;
                    Vec::new()
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

    fn act(&mut self, action: Action) -> Vec<Effect> {
        let page = view::list_rows(self.size).max(1);
        let last = self.list.len().saturating_sub(1);
        let place = match action {
            Action::SessionUp if self.selected == 0 => Some(last),
            Action::SessionUp => Some(self.selected - 1),
            Action::SessionDown if self.selected >= last => Some(0),
            Action::SessionDown => Some(self.selected + 1),
            Action::SessionPageUp => Some(self.selected.saturating_sub(page)),
            Action::SessionPageDown => Some((self.selected + page).min(last)),
            Action::SessionFirst => Some(0),
            Action::SessionLast => Some(last),
            _ => None,
        };
        if let Some(place) = place {
            self.select(place);
            return Vec::new();
        }
        match action {
            Action::ClearOrClose if !self.query.is_empty() => return self.set_query(String::new()),
            Action::ClearOrClose | Action::CloseSessions => return vec![Effect::Close],
            Action::EraseSearch => {
                let last = self.query.grapheme_indices(true).next_back().map_or(0, |(at, _)| at);
                return self.set_query(self.query[..last].to_owned());
            }
            Action::NextScope => return self.set_scope(self.scope.step(1)),
            Action::PreviousScope => return self.set_scope(self.scope.step(Scope::CYCLE.len() - 1)),
            Action::Sort => {
                self.sort = self.sort.next();
                self.lay();
            }
            Action::Threads => {
                self.threads = !self.threads;
                self.lay();
            }
            Action::ShowTrash => return vec![Effect::ListTrash],
            Action::Reload => return vec![Effect::Reload],
            Action::ShowUnreadable if !self.unreadable.is_empty() => {
                self.mode = Mode::Page(Page::unreadable(&self.unreadable, self.size.0));
            }
            Action::SessionPreviewUp => self.scroll = self.scroll.saturating_sub(1),
            Action::SessionPreviewDown => self.scroll = (self.scroll + 1).min(self.last_scroll()),
            Action::SessionHelp => self.mode = Mode::Page(Page::help(&self.settings, self.size.0)),
            _ => return self.act_on_selected(action),
        }
        Vec::new()
    }

    /// Does what a key means to the selected session.
    fn act_on_selected(&mut self, action: Action) -> Vec<Effect> {
        let Some(row) = self.selection() else { return Vec::new() };
        let (file, agent) = (row.file.clone(), row.agent);
        match action {
            Action::OpenSession => {
                self.is_chosen = true;
                return vec![Effect::Open(file)];
            }
            Action::Pin => {
                let id = row.id.clone();
                let on = !self.pins.contains(&id);
                if on {
                    self.pins.insert(id.clone())
                } else {
                    self.pins.remove(&id)
                };
                self.is_chosen = true;
                self.lay();
                return vec![Effect::Pin { id, on }];
            }
            Action::Rename if agent == Agent::ClaudeCode => self.notice = Some(Notice::ReadOnly(agent)),
            Action::Rename => {
                let editor = Editor::new(row.name.as_deref().unwrap_or_default());
                self.is_chosen = true;
                self.mode = Mode::Rename { file, editor };
            }
            Action::DeleteSession if agent != Agent::Naite => self.notice = Some(Notice::NotOurs(agent)),
            Action::DeleteSession => {
                self.is_chosen = true;
                self.mode = Mode::Delete { file, choice: 0 };
            }
            _ => {}
        }
        Vec::new()
    }

    fn select(&mut self, place: usize) {
        self.selected = place.min(self.list.len().saturating_sub(1));
        self.is_chosen = true;
    }

    fn set_scope(&mut self, scope: Scope) -> Vec<Effect> {
        self.scope = scope;
        self.lay();
        let rows: Vec<usize> = self.in_scope().collect();
        self.search_in(&rows)
    }

    fn mouse(&mut self, mouse: Mouse) {
        let lines = view::page_lines(self.size);
        match (&mut self.mode, mouse.kind) {
            (Mode::Page(page), MouseKind::WheelUp | MouseKind::WheelDown) => {
                let action = if mouse.kind == MouseKind::WheelUp { Action::LineUp } else { Action::LineDown };
                for _ in 0..WHEEL {
                    page.act(action, lines);
                }
            }
            (Mode::List, kind) => match (kind, view::hit(self, mouse.column, mouse.row)) {
                (MouseKind::WheelUp, Hit::Preview) => self.scroll = self.scroll.saturating_sub(WHEEL),
                (MouseKind::WheelDown, Hit::Preview) => {
                    self.scroll = (self.scroll + WHEEL).min(self.last_scroll());
                }
                (MouseKind::WheelUp, _) => self.select(self.selected.saturating_sub(WHEEL)),
                (MouseKind::WheelDown, _) => self.select(self.selected + WHEEL),
                (MouseKind::Click, Hit::Row(place)) => self.select(place),
                (MouseKind::Click, _) => {}
            },
            _ => {}
        }
    }
}
