//! Checks who depends on whom: the arrows between our crates, and the outside crates that some never see.

use super::manifest::{Dependency, Manifest, Shared, read_shared};
use super::{Finding, Repo};

const RULE: &str = "deps";

/// The crates of the workspace, each with those it may use outside of its tests.
const TABLE: [(&str, &[&str]); 12] = [
    ("naite-core", &[]),
    ("naite-context", &["naite-core"]),
    ("naite-agent", &["naite-core", "naite-context"]),
    ("naite-tui", &["naite-core", "naite-context", "naite-agent"]),
    ("naite-store", &["naite-core", "naite-context"]),
    ("naite-host", &["naite-core", "naite-context", "naite-agent", "naite-store"]),
    ("naite-serve", &["naite-core", "naite-context", "naite-store"]),
    ("naite-team", &["naite-core", "naite-context", "naite-store"]),
    ("naite", &PRODUCT),
    (
        "naite-testkit",
        &["naite-core", "naite-context", "naite-agent", "naite-tui", "naite-store", "naite-host"],
    ),
    (
        "naite-bench",
        &[
            "naite-core",
            "naite-context",
            "naite-agent",
            "naite-tui",
            "naite-store",
            "naite-host",
            "naite-serve",
            "naite-team",
            "naite",
            "naite-testkit",
        ],
    ),
    ("xtask", &[]),
];

/// The libraries that the binary is made of.
const PRODUCT: [&str; 8] = [
    "naite-core",
    "naite-context",
    "naite-agent",
    "naite-tui",
    "naite-store",
    "naite-host",
    "naite-serve",
    "naite-team",
];

/// Crates that others use only in their tests.
const FOR_TESTS: [&str; 2] = ["naite-testkit", "naite-bench"];

/// Outside crates that some of ours never use. A name stands for its whole family: `tokio` for `tokio-util` too.
const BANS: [(&[&str], &[&str], &str); 4] = [
    (
        &["naite-core", "naite-context", "naite-agent", "naite-tui"],
        &[
            "tokio",
            "async-std",
            "smol",
            "mio",
            "socket2",
            "reqwest",
            "hyper",
            "ureq",
            "curl",
            "isahc",
            "attohttpc",
            "tungstenite",
            "rustls",
            "native-tls",
            "rusqlite",
            "crossterm",
        ],
        "this crate is pure; let naite-host do it as an effect",
    ),
    (
        &["naite-store"],
        &["tokio", "reqwest", "ratatui", "clap"],
        "the store is blocking, and has no screen, no network and no arguments",
    ),
    (
        &["naite-core", "naite-context", "naite-agent", "naite-host", "naite-serve", "naite-team", "xtask"],
        &["ratatui"],
        "only naite-tui and naite draw",
    ),
    (
        &[
            "naite-core",
            "naite-context",
            "naite-agent",
            "naite-tui",
            "naite-host",
            "naite-serve",
            "naite-team",
            "naite-testkit",
        ],
        &["clap"],
        "only the programs read arguments",
    ),
];

/// Checks every manifest of the workspace.
pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let mut found = Vec::new();
    let shared = match repo.file("Cargo.toml").map(|root| read_shared(&root.text)) {
        Some(Ok(shared)) => shared,
        Some(Err(line)) => return vec![broken("Cargo.toml", line)],
        None => Shared::new(),
    };
    let crates: Vec<&str> = repo.manifests().map(|(name, _)| name).collect();
    for (name, file) in repo.manifests() {
        let say = |line, say: String| Finding::new(&file.path, line, RULE, say);
        let manifest = match Manifest::read(&file.text, &shared) {
            Ok(manifest) => manifest,
            Err(line) => {
                found.push(broken(&file.path, line));
                continue;
            }
        };
        if manifest.package != name {
            let package = &manifest.package;
            found
                .push(say(1, format!("Give the package the name of its folder: `{name}`, not `{package}`.")));
        }
        let Some((_, allowed)) = TABLE.iter().find(|(listed, _)| *listed == name) else {
            found.push(say(1, format!("Add `{name}` to the dependency table of tidy.")));
            continue;
        };
        for dependency in &manifest.dependencies {
            let problems = [
                inside(name, dependency, allowed, &crates),
                outside(name, dependency),
                terminal(name, dependency),
            ];
            found.extend(problems.into_iter().flatten().map(|problem| say(dependency.line, problem)));
        }
    }
    found
}

fn broken(path: &str, line: usize) -> Finding {
    Finding::new(path, line, RULE, "Make this TOML: it cannot be read.")
}

/// What is wrong with a dependency on a crate of the workspace.
fn inside(name: &str, dependency: &Dependency, allowed: &[&str], crates: &[&str]) -> Option<String> {
    let wanted = dependency.package.as_str();
    let is_ours = crates.contains(&wanted) || TABLE.iter().any(|(listed, _)| *listed == wanted);
    let is_free = dependency.is_dev && name != "xtask" && wanted != "xtask";
    if !is_ours || is_free || allowed.contains(&wanted) {
        return None;
    }
    Some(if FOR_TESTS.contains(&wanted) && name != "xtask" {
        format!("Move `{wanted}` to `[dev-dependencies]`: it is there for tests.")
    } else if allowed.is_empty() {
        format!("Drop `{wanted}`: `{name}` uses no crate of the workspace.")
    } else {
        format!("Drop `{wanted}`: of the workspace, `{name}` uses only {}.", allowed.join(", "))
    })
}

/// What is wrong with a dependency on a crate from elsewhere.
fn outside(name: &str, dependency: &Dependency) -> Option<String> {
    let wanted = dependency.package.as_str();
    let (_, _, reason) = BANS.iter().find(|(crates, banned, _)| {
        !dependency.is_dev
            && crates.contains(&name)
            && banned.iter().any(|family| is_of_family(wanted, family))
    })?;
    Some(format!("Drop `{wanted}` from `{name}`: {reason}."))
}

fn is_of_family(package: &str, family: &str) -> bool {
    package.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

/// What is wrong with ratatui in the pure screens: its default features bring a terminal along.
fn terminal(name: &str, dependency: &Dependency) -> Option<String> {
    let spec = &dependency.spec;
    let brings_terminal =
        spec.default_features || spec.features.iter().any(|one| one.starts_with("crossterm"));
    let is_meant = name == "naite-tui" && dependency.package == "ratatui" && !dependency.is_dev;
    (is_meant && brings_terminal).then(|| {
        "Take `ratatui` with `default-features = false` and without `crossterm`: the screens draw into a buffer."
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use crate::tidy::fixture::check as tidy;

    /// Gives the crate `name` the manifest lines `dependencies`, the first of which is line 5.
    fn check(name: &str, dependencies: &str, wanted_lines: &[usize]) {
        let fixture = format!(
            "//- ARCHITECTURE.md
{name}, naite-core, naite-store, xtask
//- crates/{name}/Cargo.toml
[package]
name = \"{name}\"

[dependencies]
{dependencies}
"
        );
        let wanted: Vec<_> =
            wanted_lines.iter().map(|line| format!("crates/{name}/Cargo.toml:{line}: [deps]")).collect();
        tidy(&fixture, &wanted.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn arrows_point_towards_core() {
        check("naite-core", "naite-store.workspace = true", &[5]);
        check("naite-agent", "naite-core.workspace = true\nnaite-store.workspace = true", &[6]);
        check("naite-serve", "naite-team = \"1\"", &[5]);
        check("naite-bench", "naite = \"1\"\nnaite-testkit = \"1\"", &[]);
        check("naite-bench", "xtask = \"1\"", &[5]);
    }

    #[test]
    fn a_rename_hides_nothing() {
        check("naite-core", "store = { package = \"naite-store\", path = \"../naite-store\" }", &[5]);
    }

    #[test]
    fn a_target_table_hides_nothing() {
        check("naite-core", "[target.'cfg(unix)'.dependencies]\nnaite-store.workspace = true", &[6]);
        check("naite-core", "[build-dependencies]\nnaite-store.workspace = true", &[6]);
    }

    #[test]
    fn the_testkit_is_for_tests() {
        check("naite-store", "naite-testkit.workspace = true", &[5]);
        check("naite-store", "[dev-dependencies]\nnaite-testkit.workspace = true", &[]);
    }

    #[test]
    fn a_crate_is_in_the_table() {
        check("naite-common", "", &[1]);
    }

    #[test]
    fn xtask_builds_without_the_workspace() {
        let fixture =
            "//- xtask/Cargo.toml\n[package]\nname = \"xtask\"\n[dev-dependencies]\nnaite-core = \"1\"\n";
        tidy(fixture, &["xtask/Cargo.toml:4: [deps]"]);
    }

    #[test]
    fn a_package_is_named_like_its_folder() {
        tidy("//- xtask/Cargo.toml\n[package]\nname = \"chores\"\n", &["xtask/Cargo.toml:1: [deps]"]);
    }

    #[test]
    fn outside_crates_are_banned_by_family() {
        check("naite-core", "tokio = \"1\"\ntokio-util = \"1\"\ntokiox = \"1\"", &[5, 6]);
        check("naite-store", "reqwest = \"1\"\nclap_complete = \"1\"\nrusqlite = \"1\"", &[5, 6]);
        check("naite-host", "ratatui = \"1\"\nclap = \"1\"\nreqwest = \"1\"", &[5, 6]);
        check("naite", "ratatui = \"1\"\nclap = \"1\"", &[]);
    }

    #[test]
    fn the_screens_have_no_terminal() {
        check("naite-tui", "ratatui = \"1\"", &[5]);
        check(
            "naite-tui",
            "ratatui = { version = \"1\", default-features = false, features = [\"crossterm\"] }",
            &[5],
        );
        check("naite-tui", "ratatui = { version = \"1\", default-features = false }", &[]);
    }

    #[test]
    fn a_manifest_is_toml() {
        tidy(
            "//- crates/naite-core/Cargo.toml\n[package]\nname =\n",
            &["crates/naite-core/Cargo.toml:2: [deps]"],
        );
    }
}
