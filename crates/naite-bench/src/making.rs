//! Writes generated sessions for people: `cargo xtask gen session`.

use std::io::{self, BufWriter};
use std::path::PathBuf;

use crate::generator::{self, Shape};
use crate::{input, report};

/// What can be made.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum What {
    /// A session with the sizes and habits of real ones; the same arguments always give the same bytes.
    Session(Args),
}

/// How the session is to be.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Entries, at least: the last turn is finished [default: 200000, or what fits into the bytes]
    #[arg(long)]
    entries: Option<usize>,
    /// Bytes, within some per cent [default: 2534 for each entry]
    #[arg(long)]
    bytes: Option<u64>,
    /// How it branches; mixed has compactions, branch summaries, labels and Korean.
    #[arg(long, value_enum, default_value_t = Shape::Mixed)]
    shape: Shape,
    /// Another seed gives another session.
    #[arg(long, default_value_t = 3)]
    seed: u64,
    /// The new file [default: the session goes to the standard output]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Say what was made as one JSON object (with --output)
    #[arg(long, requires = "output")]
    json: bool,
}

/// Makes it.
pub(crate) fn run(what: &What) -> anyhow::Result<()> {
    let What::Session(args) = what;
    let recipe = input::recipe(args.entries, args.bytes, args.shape, args.seed);
    let Some(path) = &args.output else {
        generator::generate(&recipe, BufWriter::with_capacity(1 << 20, io::stdout().lock()))?;
        return Ok(());
    };
    let facts = input::write(path, &recipe)?;
    if args.json { report::json(&facts) } else { report::text(&report::session_line(&facts)) }
}

#[cfg(test)]
mod tests {
    use naite_core::entry::Kind;
    use naite_store::{Access, Durability};

    use super::Shape;
    use crate::input::{self, Index, recipe};

    #[test]
    fn every_shape_opens_without_a_defect_and_mixed_has_everything() {
        for shape in [Shape::Chain, Shape::Wide, Shape::Mixed] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("s.jsonl");
            let facts = input::write(&path, &recipe(Some(3000), Some(6_000_000), shape, 7)).unwrap();
            let session =
                input::open(folder.path(), &path, Index::Without, Access::Write, Durability::Never).unwrap();
            assert_eq!(session.defects(), []);
            let tree = session.tree();
            let count = |kind| tree.entries().filter(|ix| tree.head(*ix).kind == kind).count();
            assert_eq!(tree.entries().count(), facts.made.unwrap().made.entries);
            assert!(count(Kind::Compaction) > 0);
            if shape == Shape::Mixed {
                assert!(count(Kind::BranchSummary) > 0 && count(Kind::Label) > 0);
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(text.chars().filter(|char| ('가'..='힣').contains(char)).count() > 10_000);
            }
        }
    }
}
