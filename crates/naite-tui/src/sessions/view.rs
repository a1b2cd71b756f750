//! The picker drawn into a buffer.

use i18n_embed_fl::fl;
use naite_core::text::{clip, one_line, thousands, width};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use super::page::{Content, Line, Page};
use super::{Agent, Mode, Notice, Picker, Row, Scope, Sort, Speaker, State};
use crate::draw::{Pen, wrap};
use crate::editor::Editor;
use crate::keymap::Action;
use crate::words::Words;

/// Columns from which on the preview is shown.
const PREVIEW_FROM: u16 = 100;
/// Rows from which on there is room for a line of air below the search.
const AIR_FROM: u16 = 16;
/// Lines of facts above what was said.
const FACTS: u16 = 4;
/// Levels of a thread that are indented; deeper ones stand as deep as these.
const LEVELS: usize = 6;

/// Where everything is.
struct Parts {
    title: Rect,
    search: Rect,
    list: Rect,
    preview: Rect,
    status: Rect,
    footer: Rect,
}

impl Parts {
    fn new(area: Rect) -> Self {
        let mut left = area;
        let mut take = |rows: u16, keep: u16| {
            let height = rows.min(left.height.saturating_sub(keep));
            let part = Rect { height, ..left };
            (left.y, left.height) = (left.y + height, left.height - height);
            part
        };
        let title = take(1, 3);
        let search = take(1, 1);
        take(u16::from(area.height >= AIR_FROM), 1);
        let below = left.height.saturating_sub(1).min(2);
        let list = Rect { height: left.height - below, ..left };
        let status = Rect { y: list.bottom(), height: below.min(1), ..left };
        let footer = Rect { y: status.bottom(), height: below.saturating_sub(1), ..left };
        let (list, preview) = if has_preview((area.width, area.height)) {
            let columns = area.width * 11 / 20;
            let preview = Rect { x: list.x + columns + 1, width: area.width - columns - 1, ..list };
            (Rect { width: columns, ..list }, preview)
        } else {
            (list, Rect { width: 0, ..list })
        };
        Self { title, search, list, preview, status, footer }
    }

    fn of(size: (u16, u16)) -> Self {
        Self::new(Rect::new(0, 0, size.0, size.1))
    }
}

/// Says whether a window of this size has a preview.
pub(super) fn has_preview(size: (u16, u16)) -> bool {
    size.0 >= PREVIEW_FROM && size.1 > FACTS + 8
}

/// Rows of the list in a window of this size.
pub fn list_rows(size: (u16, u16)) -> usize {
    Parts::of(size).list.height.into()
}

/// Columns of text in the preview.
pub(super) fn preview_columns(size: (u16, u16)) -> u16 {
    Parts::of(size).preview.width.saturating_sub(2)
}

/// Lines of text in the preview, below its facts.
pub(super) fn preview_lines(size: (u16, u16)) -> usize {
    Parts::of(size).preview.height.saturating_sub(FACTS + 1).into()
}

/// Lines of a page between its title and its hints.
pub(super) fn page_lines(size: (u16, u16)) -> usize {
    usize::from(size.1.saturating_sub(2).max(1))
}

/// What is at a place of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hit {
    Row(usize),
    Preview,
    Nothing,
}

/// Finds what the mouse points at.
pub(super) fn hit(picker: &Picker, column: u16, row: u16) -> Hit {
    let parts = Parts::of(picker.size);
    if parts.preview.contains((column, row).into()) {
        return Hit::Preview;
    }
    if !parts.list.contains((column, row).into()) {
        return Hit::Nothing;
    }
    let window = picker.window(parts.list.height.into());
    let place = window.start + usize::from(row - parts.list.y);
    if place < window.end { Hit::Row(place) } else { Hit::Nothing }
}

/// Draws the picker and says where the cursor is.
pub fn view(picker: &Picker, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return None;
    }
    if let Mode::Page(page) = &picker.mode {
        draw_page(picker, page, area, buffer);
        return None;
    }
    let parts = Parts::new(area);
    draw_title(picker, parts.title, buffer);
    let mut cursor = draw_search(picker, parts.search, buffer);
    match &picker.mode {
        Mode::Delete { file, choice } => {
            cursor = None;
            draw_question(picker, file, *choice, parts.list, buffer);
        }
        Mode::Trash { .. } => {
            cursor = None;
            draw_trash(picker, parts.list, buffer);
        }
        Mode::Rename { editor, .. } => {
            cursor = None;
            draw_list(picker, parts.list, buffer, Some((editor, &mut cursor)));
        }
        _ => draw_list(picker, parts.list, buffer, None),
    }
    if parts.preview.width > 0 {
        draw_preview(picker, parts.preview, buffer);
    }
    draw_status(picker, parts.status, buffer);
    draw_footer(picker, parts.footer, buffer);
    cursor
}

fn scope_words(words: &Words, scope: Scope) -> String {
    match scope {
        Scope::Here => fl!(words.loader(), "scope-here"),
        Scope::Everywhere => fl!(words.loader(), "scope-everywhere"),
        Scope::Of(agent) => agent_words(agent).into(),
    }
}

/// Names of programs are the same in every language.
pub(super) fn agent_words(agent: Agent) -> &'static str {
    match agent {
        Agent::Naite => "Naite",
        Agent::Pi => "pi",
        Agent::Omp => "omp",
        Agent::ClaudeCode => "Claude Code",
    }
}

fn draw_title(picker: &Picker, area: Rect, buffer: &mut Buffer) {
    let Some(mut pen) = Pen::new(buffer, area, 0) else { return };
    let (settings, loader) = (&picker.settings, picker.settings.words.loader());
    let sort = match picker.sort {
        Sort::Time => fl!(loader, "sort-time"),
        Sort::Size => fl!(loader, "sort-size"),
        Sort::Name => fl!(loader, "sort-name"),
    };
    let mut right = fl!(loader, "sorted", name = sort);
    if !picker.threads {
        right = format!("{}  {right}", fl!(loader, "no-threads"));
    }
    let room = Some(width(&right) + 2).filter(|room| pen.room() > room + 24);
    pen.reserve(room.unwrap_or(0));
    pen.write_cut(&fl!(loader, "title-sessions"), settings.theme.title);
    pen.write_cut("  ", settings.theme.hint);
    pen.write_cut(&scope_words(&settings.words, picker.scope), settings.theme.assistant);
    if let Some(room) = room {
        pen.release(room);
        pen.leave(room - 2);
        pen.write(&right, settings.theme.hint);
    }
}

fn draw_search(picker: &Picker, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let mut pen = Pen::new(buffer, area, 0)?;
    let (theme, loader) = (&picker.settings.theme, picker.settings.words.loader());
    if picker.query.is_empty() {
        let cursor = pen.place();
        pen.write_cut(&fl!(loader, "search-hint"), theme.hint);
        return Some(cursor);
    }
    let label = fl!(loader, "search-label") + " ";
    if pen.room() > width(&label) + 8 {
        pen.write(&label, theme.hint);
    }
    let query = Editor::new(&picker.query);
    let (shown, column) = query.shown(pen.room());
    let (x, y) = pen.place();
    pen.write(shown, theme.assistant);
    Some((x + column as u16, y))
}

/// The line editor of a name, and where its cursor goes.
type InPlace<'a> = Option<(&'a Editor, &'a mut Option<(u16, u16)>)>;

fn draw_list(picker: &Picker, area: Rect, buffer: &mut Buffer, mut in_place: InPlace<'_>) {
    if picker.list.is_empty() {
        let text = empty_words(picker);
        for (row, line) in (0..area.height).zip(wrap(&text, area.width.into(), area.height.into())) {
            if let Some(mut pen) = Pen::new(buffer, area, row) {
                pen.write(&text[line], picker.settings.theme.hint);
            }
        }
        return;
    }
    for (row, place) in (0..area.height).zip(picker.window(area.height.into())) {
        let Some(pen) = Pen::new(buffer, area, row) else { continue };
        let edited = if place == picker.selected { in_place.take() } else { None };
        draw_row(picker, place, pen, edited);
    }
}

fn empty_words(picker: &Picker) -> String {
    let loader = picker.settings.words.loader();
    if !picker.query.is_empty() {
        if picker.searching().is_some() || picker.is_reading() {
            return fl!(loader, "empty-searching");
        }
        let (clear, scope) = (first_key(picker, Action::ClearOrClose), first_key(picker, Action::NextScope));
        return fl!(loader, "empty-sessions-search", keys = clear, scope = scope);
    }
    if picker.is_reading() {
        return fl!(loader, "reading-sessions");
    }
    match picker.scope {
        Scope::Everywhere => fl!(loader, "empty-sessions"),
        scope => {
            let name = scope_words(&picker.settings.words, scope);
            fl!(loader, "empty-scope", name = name, keys = first_key(picker, Action::NextScope))
        }
    }
}

fn first_key(picker: &Picker, action: Action) -> String {
    picker.settings.keymap.keys(action).first().map(ToString::to_string).unwrap_or_default()
}

/// The mark of a state: told apart without colour.
fn mark(picker: &Picker, row: &Row) -> (&'static str, Style) {
    let theme = &picker.settings.theme;
    match (row.is_open, row.state) {
        (true, _) => ("@", theme.active),
        (_, State::Complete) => ("✓", theme.quiet),
        (_, State::Interrupted) => ("~", theme.label),
        (_, State::Error) => ("!", theme.error),
    }
}

pub(super) fn state_words(words: &Words, row: &Row) -> String {
    let loader = words.loader();
    let state = match row.state {
        State::Complete => fl!(loader, "state-complete"),
        State::Interrupted => fl!(loader, "state-interrupted"),
        State::Error => fl!(loader, "state-error"),
    };
    if row.is_open { format!("{}, {state}", fl!(loader, "state-open")) } else { state }
}

/// How long ago, in one unit.
fn age(words: &Words, now: i64, at: i64) -> String {
    let loader = words.loader();
    let minutes = now.saturating_sub(at).max(0) / 60_000;
    match minutes {
        0 => fl!(loader, "age-now"),
        1..=59 => fl!(loader, "age-minutes", count = minutes.to_string()),
        60..=1439 => fl!(loader, "age-hours", count = (minutes / 60).to_string()),
        1440..=43_199 => fl!(loader, "age-days", count = (minutes / 1440).to_string()),
        43_200..=525_599 => fl!(loader, "age-months", count = (minutes / 43_200).to_string()),
        _ => fl!(loader, "age-years", count = (minutes / 525_600).to_string()),
    }
}

/// A size in three digits or fewer.
fn size(bytes: u64) -> String {
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 999.5 && unit < 4 {
        (value, unit) = (value / 1000.0, unit + 1);
    }
    let unit = ["B", "kB", "MB", "GB", "TB"][unit];
    if value < 9.95 && unit != "B" { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// Columns of the numbers on the right, from the right; how wide they are, and from which room on they are shown.
fn columns(picker: &Picker, row: &Row, room: usize) -> String {
    let mut right = String::new();
    let mut add = |text: &str, wide: usize| {
        let cut = clip(text, wide);
        right.push_str("  ");
        right.push_str(&" ".repeat(wide - cut.columns));
        right.push_str(&cut.text);
    };
    let words = &picker.settings.words;
    if room >= 62 {
        add(row.agent.name(), 11);
    }
    if room >= 46 {
        add(&thousands(row.messages as u64), 5);
        add(&size(row.bytes), 6);
    }
    if room >= 26 {
        add(&age(words, picker.now, row.active), 6);
    }
    right
}

fn draw_row(picker: &Picker, place: usize, mut pen: Pen<'_>, edited: InPlace<'_>) {
    let theme = &picker.settings.theme;
    let listed = picker.list[place];
    let row = &picker.rows[listed.row];
    let is_selected = place == picker.selected;
    let over = |style: Style| {
        if is_selected && edited.is_none() { style.fg(Color::Reset).patch(theme.selected) } else { style }
    };
    pen.write(if is_selected { "› " } else { "  " }, over(theme.active));
    let (mark, style) = mark(picker, row);
    pen.write(mark, over(style));
    pen.write(if picker.pins.contains(&row.id) { "★" } else { " " }, over(theme.label));
    // A deeper session has the same columns on the right.
    let right = columns(picker, row, pen.room());
    if listed.depth > 0 {
        let level = listed.depth.min(LEVELS).min(pen.room() / 8).max(1);
        pen.write(&"  ".repeat(level - 1), over(theme.line));
        pen.write("└ ", over(theme.line));
    }
    if let Some((editor, cursor)) = edited {
        pen.write_cut("[", theme.label);
        let (shown, column) = editor.shown(pen.room().saturating_sub(1));
        let (x, y) = pen.place();
        *cursor = Some((x + column as u16, y));
        pen.write(shown, theme.label);
        pen.write_cut("]", theme.label);
        return;
    }
    let kept = width(&right);
    pen.reserve(kept);
    draw_words(picker, row, &mut pen, over);
    pen.release(kept);
    if is_selected {
        let rest = pen.room().saturating_sub(kept);
        pen.write(&" ".repeat(rest), over(theme.assistant));
    }
    pen.leave(kept);
    pen.write(&right, over(theme.hint));
}

/// Draws labels, the title and, where sessions of many folders are listed, the folder.
fn draw_words(picker: &Picker, row: &Row, pen: &mut Pen<'_>, over: impl Fn(Style) -> Style) {
    let (theme, loader) = (&picker.settings.theme, picker.settings.words.loader());
    let (needles, found) = (&picker.needles, theme.found);
    // The folder may take a third, from its end: that tells folders apart.
    let folder = row.folder.as_deref().filter(|_| picker.scope != Scope::Here && pen.room() >= 30);
    let folder = folder.map(|folder| {
        let folder = one_line(folder).into_owned();
        naite_core::text::clip_left(&folder, pen.room() / 3).text.into_owned()
    });
    let kept = folder.as_deref().map_or(0, |folder| width(folder) + 2);
    pen.reserve(kept);
    // Labels may take half of what is left.
    let most = pen.room() / 2;
    let mut used = 0;
    for label in &row.labels {
        let label = format!("[{}] ", one_line(label));
        used += width(&label);
        if used > most {
            break;
        }
        pen.write_found(&label, over(theme.label), needles, found);
    }
    match row.title() {
        Some(title) => {
            let style = if row.name.is_some() { theme.user } else { theme.assistant };
            pen.write_found(&one_line(title.trim()), over(style), needles, found);
        }
        None => pen.write_cut(&fl!(loader, "nothing-said"), over(theme.quiet)),
    }
    let rest = pen.room();
    pen.release(kept);
    if let Some(folder) = folder {
        pen.write(&" ".repeat(rest + 2), over(theme.hint));
        pen.write_found(&folder, over(theme.hint), needles, found);
    }
}

fn draw_lines(lines: &[(String, Style)], area: Rect, buffer: &mut Buffer) {
    for (row, (line, style)) in (0..area.height).zip(lines) {
        if let Some(mut pen) = Pen::new(buffer, area, row) {
            pen.write_cut(line, *style);
        }
    }
}

/// Asks whether a session shall be deleted.
fn draw_question(picker: &Picker, file: &std::path::Path, choice: usize, area: Rect, buffer: &mut Buffer) {
    let (theme, loader) = (&picker.settings.theme, picker.settings.words.loader());
    let row = picker.by_file.get(file).map(|at| &picker.rows[*at]);
    let name = row.and_then(Row::title).map_or_else(|| fl!(loader, "no-name"), |name| one_line(name).into());
    let name = clip(&name, 60).text.into_owned();
    let question = fl!(loader, "delete-ask", name = name);
    // The choices must be seen, also where the question has no room.
    let most = usize::from(area.height).saturating_sub(super::update::CHOICES);
    let mut lines: Vec<(String, Style)> = wrap(&question, area.width.into(), most)
        .into_iter()
        .map(|range| (question[range].to_owned(), theme.title))
        .collect();
    for (at, words) in [fl!(loader, "delete-no"), fl!(loader, "delete-yes")].into_iter().enumerate() {
        let (mark, style) = if at == choice { ("› ", theme.selected) } else { ("  ", theme.assistant) };
        lines.push((format!("{mark}{words}"), style));
    }
    let first = lines.len().saturating_sub(area.height.into());
    draw_lines(&lines[first..], area, buffer);
}

fn draw_trash(picker: &Picker, area: Rect, buffer: &mut Buffer) {
    let Mode::Trash { items, selected } = &picker.mode else { return };
    let (theme, loader) = (&picker.settings.theme, picker.settings.words.loader());
    if items.is_empty() {
        return draw_lines(&[(fl!(loader, "trash-empty"), theme.hint)], area, buffer);
    }
    let mut body = area;
    if area.height > 2 {
        draw_lines(&[(fl!(loader, "trash-title"), theme.title)], area, buffer);
        body = Rect { y: area.y + 1, height: area.height - 1, ..area };
    }
    let rows = usize::from(body.height);
    let start = selected.saturating_sub(rows / 2).min(items.len().saturating_sub(rows));
    for (row, (at, item)) in (0..body.height).zip(items.iter().enumerate().skip(start)) {
        let Some(mut pen) = Pen::new(buffer, body, row) else { continue };
        let is_selected = at == *selected;
        let over = |style: Style| {
            if is_selected { style.fg(Color::Reset).patch(theme.selected) } else { style }
        };
        pen.write(if is_selected { "› " } else { "  " }, over(theme.active));
        pen.write_cut(&format!("{}  ", one_line(&item.time)), over(theme.hint));
        let path = one_line(&item.path);
        let cut = naite_core::text::clip_left(&path, pen.room());
        pen.write(&cut.text, over(theme.assistant));
    }
}

fn draw_preview(picker: &Picker, area: Rect, buffer: &mut Buffer) {
    let theme = &picker.settings.theme;
    for row in 0..area.height {
        if let Some(mut pen) = Pen::new(buffer, area, row) {
            pen.write("│", theme.line);
        }
    }
    let area = Rect { x: area.x + 2, width: area.width.saturating_sub(2), ..area };
    let Some(row) = picker.selection() else { return };
    draw_lines(&facts(picker, row), Rect { height: area.height.min(FACTS), ..area }, buffer);
    let top = (FACTS + 1).min(area.height);
    let body = Rect { y: area.y + top, height: area.height - top, ..area };
    for (at, (who, line)) in (0..body.height).zip(picker.lines.iter().skip(picker.scroll)) {
        let Some(mut pen) = Pen::new(buffer, body, at) else { continue };
        let style = match who {
            Speaker::User => theme.user,
            Speaker::Assistant => theme.assistant,
            Speaker::Other => theme.tool,
        };
        pen.write_found(line, style, &picker.needles, theme.found);
    }
}

/// What is known of a session, on as many lines as the preview has for it.
fn facts(picker: &Picker, row: &Row) -> Vec<(String, Style)> {
    let (theme, words) = (&picker.settings.theme, &picker.settings.words);
    let loader = words.loader();
    let title =
        row.title().map_or_else(|| fl!(loader, "nothing-said"), |title| one_line(title.trim()).into());
    let labels: String = row.labels.iter().map(|label| format!("[{}] ", one_line(label))).collect();
    let numbers = fl!(
        loader,
        "session-numbers",
        messages = thousands(row.messages as u64),
        size = size(row.bytes),
        age = age(words, picker.now, row.active)
    );
    let mut state = format!("{}  {}  {numbers}", agent_words(row.agent), state_words(words, row));
    if row.defects > 0 {
        state.push_str("  ");
        state.push_str(&fl!(loader, "damaged-short", count = (row.defects as i64)));
    }
    vec![
        (title, theme.title),
        (one_line(row.folder.as_deref().unwrap_or("–")).into_owned(), theme.hint),
        (state, theme.hint),
        (format!("{labels}{}", one_line(&row.id)), theme.hint),
    ]
}

fn notice_words(words: &Words, notice: &Notice) -> String {
    let loader = words.loader();
    match notice {
        Notice::Renamed(Some(name)) => fl!(loader, "renamed", name = name.as_str()),
        Notice::Renamed(None) => fl!(loader, "name-cleared"),
        Notice::Deleted => fl!(loader, "deleted"),
        Notice::Restored => fl!(loader, "restored"),
        Notice::ReadOnly(agent) => fl!(loader, "rename-foreign", agent = agent_words(*agent)),
        Notice::NotOurs(agent) => fl!(loader, "delete-foreign", agent = agent_words(*agent)),
        Notice::Done(text) | Notice::Failed(text) => text.clone(),
    }
}

fn draw_status(picker: &Picker, area: Rect, buffer: &mut Buffer) {
    let Some(mut pen) = Pen::new(buffer, area, 0) else { return };
    let (theme, words) = (&picker.settings.theme, &picker.settings.words);
    let loader = words.loader();
    if let Some(notice) = &picker.notice {
        let is_bad = matches!(notice, Notice::Failed(_) | Notice::ReadOnly(_) | Notice::NotOurs(_));
        let style = if is_bad { theme.error } else { theme.good };
        return pen.write_cut(&one_line(&notice_words(words, notice)), style);
    }
    if matches!(picker.mode, Mode::Rename { .. }) {
        return pen.write_cut(&fl!(loader, "name-of"), theme.hint);
    }
    let mut parts = Vec::new();
    if !picker.list.is_empty() {
        let (at, all) = (picker.selected + 1, picker.list.len());
        parts.push((fl!(loader, "rows-of", at = at.to_string(), all = all.to_string()), theme.hint));
    }
    if picker.is_reading() {
        parts.push((fl!(loader, "reading-more", count = picker.rows.len().to_string()), theme.hint));
    }
    if let Some((done, all)) = picker.searching() {
        let percent = (done * 100 / all.max(1)).to_string();
        parts.push((fl!(loader, "searching", done = percent), theme.hint));
    }
    if !picker.unreadable.is_empty() {
        let keys = first_key(picker, Action::ShowUnreadable);
        let count = picker.unreadable.len() as i64;
        parts.push((fl!(loader, "unread-files", count = count, keys = keys), theme.error));
    }
    if let Some(row) = picker.selection()
        && !has_preview(picker.size)
    {
        parts.push((state_words(words, row), theme.hint));
    }
    for (text, style) in parts {
        pen.write_cut(&text, style);
        pen.write_cut("  ", style);
    }
}

fn draw_footer(picker: &Picker, area: Rect, buffer: &mut Buffer) {
    let Some(mut pen) = Pen::new(buffer, area, 0) else { return };
    let (theme, loader) = (&picker.settings.theme, picker.settings.words.loader());
    let hints: Vec<(Action, String)> = match &picker.mode {
        Mode::List => vec![
            (Action::OpenSession, fl!(loader, "hint-open")),
            if picker.query.is_empty() {
                (Action::ClearOrClose, fl!(loader, "hint-close"))
            } else {
                (Action::ClearOrClose, fl!(loader, "hint-clear"))
            },
            (Action::NextScope, fl!(loader, "hint-scope")),
            (Action::Sort, fl!(loader, "hint-sort")),
            (Action::Rename, fl!(loader, "hint-rename")),
            (Action::DeleteSession, fl!(loader, "hint-delete")),
            (Action::SessionHelp, fl!(loader, "hint-help")),
        ],
        Mode::Rename { .. } => {
            vec![(Action::Save, fl!(loader, "hint-save")), (Action::Discard, fl!(loader, "hint-cancel"))]
        }
        Mode::Delete { .. } => {
            vec![(Action::Choose, fl!(loader, "hint-choose")), (Action::Back, fl!(loader, "hint-back"))]
        }
        Mode::Trash { items, .. } if items.is_empty() => vec![(Action::Back, fl!(loader, "hint-back"))],
        Mode::Trash { .. } => {
            vec![(Action::Choose, fl!(loader, "hint-restore")), (Action::Back, fl!(loader, "hint-back"))]
        }
        Mode::Page(_) => vec![
            (Action::LineUp, String::new()),
            (Action::LineDown, fl!(loader, "hint-scroll")),
            (Action::Leave, fl!(loader, "hint-back")),
        ],
    };
    // What does not fit as a whole is left out, but all keys are always told.
    let last = hints.len() - 1;
    let length = |(action, what): &(Action, String)| width(&first_key(picker, *action)) + 1 + width(what);
    let kept = if hints[last].0 == Action::SessionHelp { length(&hints[last]) } else { 0 };
    for (at, hint) in hints.iter().enumerate() {
        let key = first_key(picker, hint.0);
        let behind = if at == last { 0 } else { kept + 2 };
        if key.is_empty() || length(hint) + behind > pen.room() {
            continue;
        }
        pen.write(&key, theme.key);
        if !hint.1.is_empty() {
            pen.write(" ", theme.hint);
            pen.write(&hint.1, theme.hint);
        }
        pen.write_cut(if hint.1.is_empty() { " " } else { "  " }, theme.hint);
    }
}

fn draw_page(picker: &Picker, page: &Page, area: Rect, buffer: &mut Buffer) {
    let (theme, loader) = (&picker.settings.theme, picker.settings.words.loader());
    if let Some(mut pen) = Pen::new(buffer, area, 0) {
        let title = match page.content {
            Content::Help => fl!(loader, "title-help"),
            Content::Unreadable(_) => fl!(loader, "title-unreadable"),
        };
        pen.write_cut(&title, theme.title);
    }
    let body = Rect {
        y: area.y + 1.min(area.height - 1),
        height: (page_lines((area.width, area.height)) as u16).min(area.height),
        ..area
    };
    let columns = usize::from(area.width);
    // Keys take a third, the names of settings stand on the right where there is room.
    let keys = (columns / 3).clamp(8.min(columns), 24);
    for (row, line) in (0..body.height).zip(page.lines.iter().skip(page.top)) {
        let Some(mut pen) = Pen::new(buffer, body, row) else { continue };
        match line {
            Line::Heading(text) => pen.write_cut(text, theme.title),
            Line::Text(text) => pen.write_cut(text, theme.hint),
            Line::Blank => {}
            Line::Key(key, does, name) => {
                let cut = clip(key, keys.saturating_sub(1));
                pen.write(&cut.text, theme.user);
                pen.skip(keys.saturating_sub(cut.columns));
                let kept = if columns >= 96 { 28 } else { 0 };
                pen.reserve(kept);
                pen.write_cut(does, theme.assistant);
                pen.release(kept);
                if kept > 0 {
                    pen.leave(kept - 1);
                    pen.write_cut(name, theme.hint);
                }
            }
        }
    }
    if area.height > 2 {
        draw_footer(picker, Rect { y: area.bottom() - 1, height: 1, ..area }, buffer);
    }
}
