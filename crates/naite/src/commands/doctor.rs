//! `naite doctor`: what is wrong with sessions, in words, and a repair that loses nothing.

mod hooks;

use std::path::{Path, PathBuf};

use naite_core::codec::{Defect, DefectKind};
use naite_core::text::json::{self, ObjectWriter};
use naite_core::text::one_line;
use naite_host::{Environment, Holding, resolve};
use naite_store::{Access, Catalog, LogName, Refusal, Repair, SessionManager, StoreError, Wait};

use super::READING;
use super::tree::defect_json;
use crate::out::{Out, busy};
use crate::words::{Complaint, explain};

/// Check sessions for damage and repair it; prove that hooks work
///
/// Without SESSION: all of Naite's own sessions, and the hooks that are installed, by calling each of them. With --fix a damaged file is written anew without its damage: every good
/// entry stays, lines that cannot be read are put into FILE.damaged, and the old file is kept in the backups folder of
/// NAITE_HOME. The exit code is 1 while something is wrong.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Paths, beginnings of ids, or names
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,
    /// Repair what can be repaired
    #[arg(long)]
    fix: bool,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

/// What was found of one file.
struct Finding {
    path: PathBuf,
    defects: Vec<Defect>,
    refused: Option<Complaint>,
    is_headless: bool,
    repair: Option<Repair>,
    old_version: Option<u32>,
}

impl Finding {
    fn new(path: &Path) -> Self {
        Self {
            path: path.into(),
            defects: Vec::new(),
            refused: None,
            is_headless: false,
            repair: None,
            old_version: None,
        }
    }

    fn is_wrong(&self) -> bool {
        self.refused.is_some() || !self.defects.is_empty()
    }
}

pub(crate) fn run(env: &Environment, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let mut unreadable = Vec::new();
    let paths = match args.sessions.as_slice() {
        [] => Catalog::files(env.fs(), &[env.sessions()], &mut unreadable),
        given => {
            let found: Result<Vec<_>, _> = given.iter().map(|given| resolve(env, Some(given))).collect();
            found?.into_iter().map(|found| found.path).collect()
        }
    };
    let mut findings = Vec::new();
    for path in &paths {
        let mut finding = busy(READING, || examine(env, path))?;
        if args.fix
            && let Err(error) = busy("Repairing the session", || fix(env, &mut finding))
        {
            finding.refused = Some(Complaint { hint: None, ..explain(&error) });
        }
        findings.push(finding);
    }
    for file in unreadable {
        let refused = Some(explain(&file.error.into()));
        findings.push(Finding { refused, ..Finding::new(&file.path) });
    }
    let chains = args.sessions.is_empty().then(|| hooks::Chains::try_all(env));
    if args.json {
        let files = ObjectWriter::new().raw("files", &json::join(findings.iter().map(json_of)));
        let chains = chains.as_ref().map(hooks::Chains::json);
        out.line(files.maybe_raw("hooks", chains.as_deref()).end())?;
    } else {
        print(&findings, args, out)?;
        chains.iter().try_for_each(|chains| chains.print(out))?;
    }
    let broken = chains.as_ref().map_or(0, hooks::Chains::broken);
    let wrong = findings.iter().filter(|finding| finding.is_wrong()).count();
    if wrong > 0 {
        out.flush()?;
        let them = if wrong == 1 { "1 session".into() } else { format!("{wrong} sessions") };
        let hint = if args.fix { "" } else { " `naite doctor --fix` repairs what can be repaired." };
        anyhow::bail!("Something is wrong with {them}.{hint}");
    }
    anyhow::ensure!(broken == 0, "Hooks are installed, but they do not work.");
    Ok(())
}

fn examine(env: &Environment, path: &Path) -> anyhow::Result<Finding> {
    let mut finding = Finding::new(path);
    match SessionManager::open(env.setup(Holding::default()), LogName::new(path), Access::Read) {
        Ok(session) => {
            finding.defects = session.defects();
            finding.old_version =
                session.header().map(|header| header.version).filter(|version| *version < 3);
        }
        Err(error) => {
            finding.is_headless = matches!(error, StoreError::NotASession { why: Refusal::NoHeader, .. });
            finding.refused = Some(explain(&error.into()));
        }
    }
    Ok(finding)
}

fn fix(env: &Environment, finding: &mut Finding) -> anyhow::Result<()> {
    let setup = || env.setup(Holding { wait: Wait::No });
    let log = LogName::new(&finding.path);
    if finding.is_headless {
        match SessionManager::rescue(setup(), &log) {
            Ok((session, repair)) => {
                finding.defects = session.defects();
                (finding.repair, finding.refused) = (Some(repair), None);
            }
            Err(StoreError::NotASession { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        return Ok(());
    }
    let newer = finding.defects.iter().any(|defect| defect.kind == DefectKind::UnknownVersion);
    let sound = finding.defects.is_empty() && finding.old_version.is_none();
    if finding.refused.is_some() || newer || sound {
        return Ok(());
    }
    let mut session = SessionManager::open(setup(), log, Access::Write)?;
    finding.repair = Some(session.repair()?);
    session.finish()?;
    finding.defects = session.defects();
    Ok(())
}

fn print(findings: &[Finding], args: &Args, out: &mut Out) -> anyhow::Result<()> {
    for finding in findings {
        let path = finding.path.display().to_string();
        let path = one_line(&path);
        match (&finding.refused, &finding.repair, finding.defects.len()) {
            (Some(complaint), ..) => out.line(&complaint.what)?,
            (None, Some(repair), _) => out.line(format!("{path}: {}", repair_words(repair)))?,
            (None, None, 0) => out.line(match finding.old_version {
                Some(version) => format!(
                    "{path}: sound; of format version {version}, which --fix or the first append brings to 3."
                ),
                None => format!("{path}: sound."),
            })?,
            (None, None, count) => out.line(format!(
                "{path}: {count} {} wrong.",
                if count == 1 { "thing is" } else { "things are" }
            ))?,
        }
        for defect in &finding.defects {
            out.line(format!("  line {}: {}", defect.line, defect_words(defect)))?;
        }
    }
    if findings.is_empty() && !args.json {
        out.line("There is no session to check yet.")?;
    }
    Ok(())
}

fn repair_words(repair: &Repair) -> String {
    let mut said = Vec::new();
    let count = |count: usize, one: &str, many: &str| {
        if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
    };
    if repair.upgraded {
        said.push("brought to format version 3".to_owned());
    }
    if repair.put_aside > 0 {
        let place =
            repair.damaged.as_ref().map(|path| format!(" into {}", path.display())).unwrap_or_default();
        said.push(format!("put {} aside{place}", count(repair.put_aside, "line", "lines")));
    }
    if repair.repeats > 0 {
        said.push(format!("left {} out", count(repair.repeats, "exact repeat", "exact repeats")));
    }
    if repair.relinked > 0 {
        said.push(format!(
            "linked {}",
            count(repair.relinked, "entry to another parent", "entries to other parents")
        ));
    }
    if repair.retimed > 0 {
        said.push(format!("gave {} the time of the one before", count(repair.retimed, "entry", "entries")));
    }
    let said = if said.is_empty() { "written anew".to_owned() } else { said.join(", ") };
    match &repair.copy {
        Some(copy) => {
            one_line(&format!("left as it is; a repaired copy is {}: {said}.", copy.display())).into_owned()
        }
        None => one_line(&format!("repaired: {said}.")).into_owned(),
    }
}

/// What a defect means to the person whose file it is.
fn defect_words(defect: &Defect) -> String {
    let entry = defect.id.as_ref().map_or_else(|| "an entry".into(), |id| format!("entry {id}"));
    let words = match defect.kind {
        DefectKind::InvalidJson => "it is no JSON; nothing on it can be read.".into(),
        DefectKind::NotAnObject => "it is JSON but no entry.".into(),
        DefectKind::MissingId => "it has no id, so nothing can refer to it; it is not loaded.".into(),
        DefectKind::InvalidUtf8 => format!("bytes that are no text; {entry} is loaded with � in their place."),
        DefectKind::NulBytes => "NUL bytes, as a crash of the disk leaves them; whole entries behind them are loaded.".into(),
        DefectKind::GluedRecord => "several entries, or a piece of one and another, without a line break between; the whole ones are loaded.".into(),
        DefectKind::TornTail => "it breaks off, as when a program is killed while it writes; the next append starts a new line.".into(),
        DefectKind::DuplicateId => format!("{entry} was written before; its last content counts."),
        DefectKind::MissingParent => format!("{entry} hangs on an entry that is not in the file; it is shown as a root."),
        DefectKind::ParentCycle => format!("{entry} and its ancestors go round in a circle; it is shown as a root."),
        DefectKind::SecondHeader => "a second session header in the middle of the file; it is skipped.".into(),
        DefectKind::UnknownVersion => "the format is newer than this program; the session is read-only.".into(),
        DefectKind::BadTimestamp => format!("the time of {entry} cannot be read; that of the entry before it counts."),
    };
    one_line(&words).into_owned()
}

fn json_of(finding: &Finding) -> String {
    let json = ObjectWriter::new()
        .str("path", &finding.path.to_string_lossy())
        .display("sound", !finding.is_wrong())
        .str_or_null("refused", finding.refused.as_ref().map(|complaint| complaint.what.as_str()))
        .raw("defects", &json::join(finding.defects.iter().map(with_words)));
    match &finding.repair {
        None => json.raw("repair", "null").end(),
        Some(repair) => {
            let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.to_string_lossy().into_owned());
            let repair = ObjectWriter::new()
                .display("putAside", repair.put_aside)
                .display("repeats", repair.repeats)
                .display("relinked", repair.relinked)
                .display("retimed", repair.retimed)
                .display("upgraded", repair.upgraded)
                .str_or_null("damaged", path(&repair.damaged).as_deref())
                .str_or_null("copy", path(&repair.copy).as_deref());
            json.raw("repair", &repair.end()).end()
        }
    }
}

fn with_words(defect: &Defect) -> String {
    let bare = defect_json(defect);
    format!("{},\"words\":{}}}", bare.trim_end_matches('}'), json::quote(&defect_words(defect)))
}
