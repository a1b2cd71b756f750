//! What git says of a folder, read from its files: a hook has no time to start a process.

use std::path::{Path, PathBuf};

use naite_store::Fs;

/// A folder's repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repository {
    /// The folder that holds `.git`.
    pub root: PathBuf,
    /// Where git keeps its own files for this working tree.
    pub folder: PathBuf,
    /// The branch; `None` if none is checked out.
    pub branch: Option<String>,
}

/// Finds the repository that a folder is in.
pub fn repository(fs: &dyn Fs, cwd: &Path) -> Option<Repository> {
    let (root, dot) = cwd.ancestors().find_map(|folder| {
        let dot = folder.join(".git");
        Some((folder.to_owned(), fs.meta(&dot).ok().map(|meta| (dot, meta.is_dir))?))
    })?;
    let folder = match dot {
        (dot, true) => dot,
        // A working tree beside its repository, or a submodule: the file says where.
        (dot, false) => root.join(read(fs, &dot)?.strip_prefix("gitdir:")?.trim()),
    };
    let head = read(fs, &folder.join("HEAD"))?;
    let branch =
        head.strip_prefix("ref:").map(|name| name.trim().trim_start_matches("refs/heads/").to_owned());
    Some(Repository { root, folder, branch })
}

fn read(fs: &dyn Fs, path: &Path) -> Option<String> {
    let file = fs.open(path).ok()?;
    let mut text = [0; 4096];
    let read = file.read_at(&mut text, 0).ok()?;
    std::str::from_utf8(&text[..read]).ok().map(|text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use naite_store::RealFs;

    use super::*;

    #[test]
    fn git_and_this_agree() {
        let temp = tempfile::tempdir().expect("a temp folder");
        let at = temp.path().join("저장소");
        let git = |folder: &Path, args: &[&str]| {
            let done = Command::new("git")
                .args(["-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"])
                .args(args)
                .current_dir(folder)
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .output()
                .expect("git");
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        };
        std::fs::create_dir_all(at.join("src")).expect("writable");
        assert_eq!(
            repository(&RealFs, &at.join("src")).map(|found| found.root),
            None.or_else(|| repository(&RealFs, temp.path()).map(|found| found.root))
        );
        git(&at, &["init", "-q"]);
        git(&at, &["commit", "-q", "--allow-empty", "-m", "one"]);
        git(&at, &["checkout", "-q", "-b", "feature/가"]);
        let found = repository(&RealFs, &at.join("src")).expect("a repository");
        assert_eq!((found.root, found.branch.as_deref()), (at.clone(), Some("feature/가")));
        git(&at, &["worktree", "add", "-q", "-b", "other", "../tree"]);
        let found = repository(&RealFs, &temp.path().join("tree")).expect("a working tree");
        assert_eq!((found.root, found.branch.as_deref()), (temp.path().join("tree"), Some("other")));
        git(&at, &["checkout", "-q", "--detach"]);
        assert_eq!(repository(&RealFs, &at).expect("a repository").branch, None);
    }
}
