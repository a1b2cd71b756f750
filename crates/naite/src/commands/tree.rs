//! `naite tree`: the conversation as a navigator, as a drawing, or as JSON.

use std::collections::HashMap;

use i18n_embed_fl::fl;
use naite_core::codec::Defect;
use naite_core::entry::{Kind, iso};
use naite_core::outline::{Filter, Outline, row, row_text, search_text, shows};
use naite_core::text::json::{self, ObjectWriter};
use naite_core::text::{Needles, one_line, printable};
use naite_core::{EntryId, Ix};
use naite_host::{Environment, Holding, resolve};
use naite_store::{Access, LogName, SessionManager};
use naite_tui::{Language, Words};

use super::{home, leaf_field, open};
use crate::cli::SessionArg;
use crate::out::{Out, note, terminal_width};
use crate::screens::{self, Ended, Looks};
use crate::terminal;

/// Walk through a session as a tree
///
/// On a terminal this opens the navigator: type to search, Enter goes to a point of the conversation, F1 lists all
/// keys. On a pipe, or with --print, it draws the tree.
///
/// Rows are indented at branch points only; `•` marks the active path, `[label]` a bookmark. The branch with the leaf
/// comes first.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    session: SessionArg,
    /// Which entries to show [default: default, with --json all]
    #[arg(long, value_name = "FILTER")]
    #[arg(value_parser = ["default", "no-tools", "user-only", "labeled-only", "all"])]
    filter: Option<String>,
    /// Show only entries that hold every one of these words
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    /// Cut rows to this many columns [default: the terminal's width; uncut in a pipe]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
    /// Draw the tree also on a terminal, instead of opening the navigator
    #[arg(long)]
    print: bool,
    /// Language of the navigator: en or ko [default: as settings or the locale say]
    #[arg(long, value_name = "LANG", value_parser = language)]
    lang: Option<Language>,
    /// Print the tree as one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Reads a language of the command line.
pub(crate) fn language(tag: &str) -> Result<Language, String> {
    Language::from_tag(tag).ok_or_else(|| format!("naite speaks en and ko, not \"{tag}\""))
}

pub(crate) fn run(env: &Environment, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let prints =
        args.json || args.print || args.width.is_some() || env.surroundings.dumb || !terminal::is_there();
    if !prints {
        return navigate(env, args, out);
    }
    let mut session = open(env, &args.session)?;
    let filter = args.filter.as_deref().and_then(Filter::from_name);
    let filter = filter.unwrap_or(if args.json { Filter::All } else { Filter::Default });
    let view = View::read(&mut session, filter, args.search.as_deref(), home(env).as_deref(), args)?;
    if args.json { print_json(&session, &view, out) } else { draw(&session, &view, args, out) }
}

/// Opens the navigator, and says afterwards what came of it.
fn navigate(env: &Environment, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let looks = Looks::read(env, args.lang)?;
    let words = looks.words.clone();
    let found = resolve(env, args.session.session.as_deref())?;
    let session =
        SessionManager::open(env.setup(Holding::default()), LogName::new(found.path), Access::Read)?;
    let filter = args.filter.as_deref().and_then(Filter::from_name);
    report(&words, screens::navigate(env, looks, session, filter, args.search.as_deref())?, out)
}

/// Says what came of a navigator.
pub(crate) fn report(words: &Words, ended: Ended, out: &mut Out) -> anyhow::Result<()> {
    let loader = words.loader();
    match ended {
        Ended::Closed => {}
        Ended::AlreadyThere => out.line(fl!(loader, "already-there"))?,
        Ended::Moved(moved) => {
            match &moved.new_leaf {
                Some(leaf) => out.line(fl!(loader, "moved", leaf = one_line(leaf.as_str()).into_owned()))?,
                None => out.line(fl!(loader, "at-root"))?,
            }
            out.line(fl!(loader, "go-on"))?;
            if let Some(text) = moved.editor_text.filter(|text| !text.is_empty()) {
                out.line("")?;
                out.line(fl!(loader, "prefill"))?;
                out.line(printable(&text))?;
            }
        }
        Ended::Continued(path) => {
            out.line(fl!(loader, "continued", path = one_line(&path).into_owned()))?;
            out.line(fl!(loader, "go-on"))?;
        }
    }
    Ok(())
}

/// What is shown: which entries, and their words.
struct View {
    texts: Vec<Option<String>>,
    /// Types that Naite does not know, as the file has them.
    unknown: HashMap<Ix, String>,
    searched: bool,
}

impl View {
    fn read(
        session: &mut SessionManager,
        filter: Filter,
        search: Option<&str>,
        home: Option<&str>,
        args: &Args,
    ) -> anyhow::Result<Self> {
        let (tree, leaf) = (session.tree(), session.leaf());
        // JSON lists all entries unless a filter is named; then even calls without words are there.
        let everything = args.json && args.filter.is_none();
        let shown: Vec<Ix> =
            tree.entries().filter(|ix| everything || shows(tree, filter, leaf, *ix)).collect();
        let mut texts = vec![None; tree.heads().len()];
        let mut unknown = HashMap::new();
        let needles = Needles::new(search.unwrap_or_default());
        session.each_entry(&shown, |tree, ix, entry, caller| {
            if needles.is_empty() || needles.match_folded(&search_text(entry, tree.label(ix), caller, home)) {
                texts[ix.at()] = Some(row_text(entry, caller, home));
                if entry.kind == Kind::Unknown {
                    unknown.insert(ix, entry.type_name().into_owned());
                }
            }
        })?;
        Ok(Self { texts, unknown, searched: !needles.is_empty() })
    }

    fn text(&self, ix: Ix) -> Option<&str> {
        self.texts[ix.at()].as_deref()
    }
}

/// Prints a drawing of the whole session for people, at the default filter.
pub(crate) fn draw_all(env: &Environment, session: &mut SessionManager, out: &mut Out) -> anyhow::Result<()> {
    let args = Args::default();
    let view = View::read(session, Filter::Default, None, home(env).as_deref(), &args)?;
    draw(session, &view, &args, out)
}

fn draw(session: &SessionManager, view: &View, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let tree = session.tree();
    let outline = Outline::new(tree, session.leaf(), |ix| view.text(ix).is_some());
    let width = args.width.or_else(terminal_width);
    for (at, shown) in outline.rows().iter().enumerate() {
        out.line(row(&outline, at, tree.label(shown.ix), view.text(shown.ix).unwrap_or_default(), width))?;
    }
    if outline.rows().is_empty() {
        note(match (tree.heads().is_empty(), view.searched) {
            (true, _) => "The session has no entries yet.",
            (false, true) => "No entry holds all these words.",
            (false, false) => "This filter shows no entry; `--filter all` shows every one.",
        });
    }
    Ok(())
}

fn print_json(session: &SessionManager, view: &View, out: &mut Out) -> anyhow::Result<()> {
    let tree = session.tree();
    let outline = Outline::new(tree, session.leaf(), |_| true);
    let header = session.header();
    let described = ObjectWriter::new()
        .str("id", session.session_id())
        .display("version", tree.heads().version())
        .str_or_null("cwd", header.and_then(|header| header.cwd.as_deref()))
        .str_or_null("name", session.session_name())
        .str_or_null("parentSession", header.and_then(|header| header.parent_session.as_deref()))
        .end();
    let before = leaf_field(ObjectWriter::new().raw("session", &described), session)
        .raw("roots", &json::join(tree.roots().iter().map(|ix| json::quote(tree.id(*ix)))))
        .end();
    let behind = ObjectWriter::new()
        .raw("defects", &json::join(session.defects().iter().map(defect_json)))
        .display("readOnly", is_read_only(session))
        .end();
    // Node by node: a million of them need not be in memory at once.
    out.piece(before.strip_suffix('}').unwrap_or_default())?;
    out.piece(r#","nodes":["#)?;
    let mut depths = vec![0u32; tree.heads().len()];
    let mut comma = "";
    for shown in outline.rows() {
        let ix = shown.ix;
        depths[ix.at()] = tree.parent(ix).map_or(0, |parent| depths[parent.at()] + 1);
        if view.text(ix).is_some() {
            out.piece(comma)?;
            out.piece(&node(session, view, ix, depths[ix.at()], shown.active))?;
            comma = ",";
        }
    }
    out.piece("],")?;
    Ok(out.line(behind.strip_prefix('{').unwrap_or_default())?)
}

fn node(session: &SessionManager, view: &View, ix: Ix, depth: u32, active: bool) -> String {
    let tree = session.tree();
    let head = tree.head(ix);
    let role = (head.kind == Kind::Message).then(|| head.role.name()).filter(|role| !role.is_empty());
    let kind = match head.kind {
        Kind::Move => "custom",
        Kind::Unknown => view.unknown.get(&ix).map_or("", String::as_str),
        kind => kind.name(),
    };
    ObjectWriter::new()
        .str("id", tree.id(ix))
        .str_or_null("parent", tree.parent(ix).map(|parent| tree.id(parent)))
        .display("depth", depth)
        .raw("children", &json::join(tree.children(ix).map(|child| json::quote(tree.id(child)))))
        .maybe_str("label", tree.label(ix))
        .str("type", kind)
        .maybe_str("role", role)
        .str("timestamp", &iso(head.at))
        .str("text", view.text(ix).unwrap_or_default())
        .display("active", active)
        .end()
}

/// A defect as JSON: `{"line","offset","kind","id"?}`.
pub(crate) fn defect_json(defect: &Defect) -> String {
    ObjectWriter::new()
        .display("line", defect.line)
        .display("offset", defect.offset)
        .str("kind", defect.kind.name())
        .maybe_str("id", defect.id.as_ref().map(EntryId::as_str))
        .end()
}

/// Says whether the session can only be read: its format is newer than this program.
pub(crate) fn is_read_only(session: &SessionManager) -> bool {
    session.access() == Access::Read
        && (session.foreign().is_some() || session.header().is_some_and(naite_core::entry::Header::is_newer))
}
