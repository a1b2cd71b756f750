//! Reads from a `Cargo.toml` what a crate depends on, as cargo would understand it.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

/// The `[workspace.dependencies]` of the root, by key.
pub(super) type Shared = BTreeMap<String, Spec>;

/// The manifest of one crate.
#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) package: String,
    pub(super) dependencies: Vec<Dependency>,
}

/// One dependency of a crate, with what it inherits from the workspace already in it.
#[derive(Debug)]
pub(super) struct Dependency {
    /// The name of the package, which a manifest may hide behind another key.
    pub(super) package: String,
    pub(super) line: usize,
    /// It is there only for tests, examples and benches.
    pub(super) is_dev: bool,
    pub(super) spec: Spec,
}

/// What a manifest asks of one dependency.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    package: Option<String>,
    from_workspace: bool,
    pub(super) default_features: bool,
    pub(super) features: Vec<String>,
}

/// Reads the dependencies that the root manifest shares, or the line at which it stops being TOML.
pub(super) fn read_shared(text: &str) -> Result<Shared, usize> {
    let root = parse(text)?;
    let shared = table(&root, "workspace").and_then(|workspace| table(workspace, "dependencies"));
    let entries = shared.into_iter().flatten();
    Ok(entries.map(|(key, value)| (key.get_ref().to_string(), Spec::read(value.get_ref()))).collect())
}

impl Manifest {
    /// Reads the manifest of one crate, or the line at which it stops being TOML.
    pub(super) fn read(text: &str, shared: &Shared) -> Result<Self, usize> {
        let root = parse(text)?;
        let name = table(&root, "package").and_then(|package| package.get("name"));
        let package = name.and_then(|name| name.get_ref().as_str()).unwrap_or_default().to_owned();
        let targets = table(&root, "target").into_iter().flatten();
        let targets = targets.filter_map(|(_, target)| target.get_ref().as_table());
        let mut dependencies = Vec::new();
        for level in std::iter::once(&root).chain(targets) {
            for (section, is_dev) in
                [("dependencies", false), ("build-dependencies", false), ("dev-dependencies", true)]
            {
                for (key, value) in table(level, section).into_iter().flatten() {
                    let spec = Spec::read(value.get_ref()).inherit(key.get_ref(), shared);
                    let package = spec.package.clone().unwrap_or_else(|| key.get_ref().to_string());
                    let line = line_at(text, key.span().start);
                    dependencies.push(Dependency { package, line, is_dev, spec });
                }
            }
        }
        Ok(Self { package, dependencies })
    }
}

impl Spec {
    /// Reads `"1"` or `{ version = "1", … }`.
    fn read(value: &DeValue<'_>) -> Self {
        let get = |key| value.get(key).map(|value| value.get_ref());
        let features = get("features").and_then(DeValue::as_array).into_iter().flatten();
        Self {
            package: get("package").and_then(DeValue::as_str).map(str::to_owned),
            from_workspace: get("workspace").and_then(DeValue::as_bool).unwrap_or(false),
            default_features: get("default-features").and_then(DeValue::as_bool).unwrap_or(true),
            features: features.filter_map(|feature| feature.get_ref().as_str()).map(str::to_owned).collect(),
        }
    }

    /// Adds what `key.workspace = true` stands for: the crate can add features, and nothing else.
    fn inherit(mut self, key: &str, shared: &Shared) -> Self {
        if let Some(base) = shared.get(key).filter(|_| self.from_workspace) {
            self.package.clone_from(&base.package);
            self.default_features = base.default_features;
            self.features.extend(base.features.iter().cloned());
        }
        self
    }
}

fn parse(text: &str) -> Result<DeTable<'_>, usize> {
    match DeTable::parse(text) {
        Ok(root) => Ok(root.into_inner()),
        Err(error) => Err(line_at(text, error.span().map_or(0, |span| span.start))),
    }
}

fn table<'a, 'i>(parent: &'a DeTable<'i>, key: &str) -> Option<&'a DeTable<'i>> {
    parent.get(key)?.get_ref().as_table()
}

fn line_at(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::{Manifest, read_shared};

    #[test]
    fn names_are_resolved_through_renames_and_the_workspace() {
        let shared =
            read_shared("[workspace.dependencies]\nold = { package = \"new\", features = [\"a\"] }\n");
        let text = "
[package]
name = \"naite-core\"
[dependencies]
old = { workspace = true, features = [\"b\"] }
alias = { package = \"real\", version = \"1\", default-features = false }
[target.'cfg(unix)'.dependencies.plain]
version = \"1\"
[dev-dependencies]
test = \"1\"
";
        let manifest =
            Manifest::read(text, &shared.expect("the root is TOML")).expect("the manifest is TOML");
        let show = |one: &super::Dependency| {
            format!(
                "{} {} dev={} default={} {}",
                one.line,
                one.package,
                one.is_dev,
                one.spec.default_features,
                one.spec.features.join(",")
            )
        };
        let found: Vec<_> = manifest.dependencies.iter().map(show).collect();
        assert_eq!(
            found,
            [
                "6 real dev=false default=false ",
                "5 new dev=false default=true b,a",
                "10 test dev=true default=true ",
                "7 plain dev=false default=true ",
            ]
        );
    }

    #[test]
    fn a_broken_manifest_tells_its_line() {
        assert_eq!(read_shared("[workspace]\nmembers = [\n\"a\"\n= 1").map(|_| ()), Err(4));
    }
}
