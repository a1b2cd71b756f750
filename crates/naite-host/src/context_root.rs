//! Where the context store is: named, set, beside the work, or at home (`context-store.md` §2).

use std::path::{Path, PathBuf};

use naite_store::Fs;

/// The folder that makes a project keep its own store.
const FOLDER: &str = ".ai-core";

/// Finds the root of the context store: the folder that holds `data/context/`. It need not be there yet.
///
/// The order is `given` (`--root`), `set` (`NAITE_CONTEXT_ROOT`), the `.ai-core` of the nearest folder from `cwd` upwards
/// that has one, the `.ai-core` of the home folder. `None` if not even a home folder is known.
pub fn context_root(
    fs: &dyn Fs,
    given: Option<&Path>,
    set: Option<&Path>,
    cwd: &Path,
    user_home: Option<&Path>,
) -> Option<PathBuf> {
    if let Some(named) = given.or(set) {
        return Some(cwd.join(named));
    }
    let is_folder = |path: &PathBuf| fs.meta(path).is_ok_and(|meta| meta.is_dir);
    let above = cwd.ancestors().map(|folder| folder.join(FOLDER)).find(is_folder);
    above.or_else(|| user_home.map(|home| home.join(FOLDER)))
}

#[cfg(test)]
mod tests {
    use naite_store::RealFs;

    use super::*;

    #[test]
    fn the_nearest_root_wins_unless_one_is_named() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("home/work/앱/.ai-core")).expect("writable");
        std::fs::create_dir_all(path("home/work/앱/src/deep")).expect("writable");
        std::fs::create_dir_all(path("home/other")).expect("writable");
        let home = path("home");
        let find = |given: Option<&str>, set: Option<&str>, cwd: &str| {
            let (given, set) = (given.map(Path::new), set.map(Path::new));
            context_root(&RealFs, given, set, &path(cwd), Some(&home)).expect("a root")
        };
        assert_eq!(find(None, None, "home/work/앱/src/deep"), path("home/work/앱/.ai-core"));
        assert_eq!(find(None, None, "home/other"), path("home/.ai-core"));
        assert_eq!(find(None, Some("/set"), "home/work/앱"), Path::new("/set"));
        assert_eq!(find(Some("/given"), Some("/set"), "home/work/앱"), Path::new("/given"));
        assert_eq!(find(Some("here"), None, "home/other"), path("home/other/here"));
        assert_eq!(context_root(&RealFs, None, None, &path("home/other"), None), None);
    }
}
