//! From a path in an event to a file of a repository.
//!
//! The repository is found from the file, never from the session's folder: agents work in worktrees, submodules and
//! sibling checkouts. A path is followed through linked folders on its way into a repository, but a file that is itself
//! a link, or that a link leads out of a repository to, gets no annotation: its names may be none of the agent's business.

use std::fs::{self, Metadata};
use std::path::{Component, Path, PathBuf};

use super::graph;
use crate::repo::{self, Repo};

/// A regular file in a repository.
pub(super) struct Place {
    pub(super) repo: Repo,
    /// Relative to the root, with `/`.
    pub(super) path: String,
    /// Real path.
    pub(super) on_disk: PathBuf,
    /// Of the file itself.
    pub(super) meta: Metadata,
}

/// The file at `path`, whose dots the host has resolved (or would resolve) by text alone.
pub(super) fn of_file(path: &Path) -> Option<Place> {
    find(&collapse(path))
}

/// The file at `path` as the kernel would find it: `link/..` is the parent of what the link leads to.
pub(super) fn of_shell_path(path: &Path) -> Option<Place> {
    find(path)
}

fn find(path: &Path) -> Option<Place> {
    let name = path.file_name()?;
    let folder = path.parent()?;
    if !path.is_absolute() || name == ".." {
        return None;
    }
    let real_folder = real(folder)?;
    let on_disk = real_folder.join(name);
    // Nothing but a regular file is looked at any further; it is not opened here at all.
    let meta = fs::symlink_metadata(&on_disk).ok().filter(Metadata::is_file)?;
    if real_folder != folder && leaves_a_repository(folder, &real_folder) {
        return None;
    }
    let repo = repo_of(&real_folder)?;
    let inside = on_disk.strip_prefix(&repo.root).ok()?;
    if inside.components().any(repo::is_git_entry) {
        return None;
    }
    let path = inside.to_str()?.to_string();
    Some(Place { repo, path, on_disk, meta })
}

/// The repository (or folder indexed without git) that a folder belongs to; for a file, the one it stands in.
pub(super) fn repo_around(path: &Path) -> Option<Repo> {
    if !path.is_absolute() {
        return None;
    }
    let real = fs::canonicalize(path).ok()?;
    let folder = if real.is_dir() { real.as_path() } else { real.parent()? };
    if folder != path && leaves_a_repository(&collapse(path), folder) {
        return None;
    }
    repo_of(folder)
}

/// `fs::canonicalize`. Nearly all paths have no link on them, and then one question answers for all of their folders.
fn real(folder: &Path) -> Option<PathBuf> {
    if is_plain(folder) && has_no_links(folder) { Some(folder.to_path_buf()) } else { fs::canonicalize(folder).ok() }
}

/// No dots to resolve and no slash too many.
fn is_plain(folder: &Path) -> bool {
    let mut names = folder.as_os_str().as_encoded_bytes().split(|byte| *byte == b'/');
    // Before the first slash.
    names.next().is_some_and(<[u8]>::is_empty) && names.all(|name| !name.is_empty() && name != b"." && name != b"..")
}

#[cfg(target_os = "linux")]
fn has_no_links(folder: &Path) -> bool {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // An old kernel or a sandbox may not know the call: then each folder is asked about by itself.
    openat2(CWD, folder, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn has_no_links(_folder: &Path) -> bool {
    false
}

fn repo_of(real_folder: &Path) -> Option<Repo> {
    repo::locate_real(real_folder).or_else(|| graph::folder_indexed_without_git(real_folder))
}

/// True if a repository stands on the way to `folder` as it is written, and the way then leads out of it.
fn leaves_a_repository(folder: &Path, real_folder: &Path) -> bool {
    folder.ancestors().any(|ancestor| {
        fs::symlink_metadata(ancestor.join(".git")).is_ok()
            && fs::canonicalize(ancestor).is_ok_and(|real| !real_folder.starts_with(real))
    })
}

/// Resolves `.`, `..` and `//` by text.
fn collapse(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn sandbox() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (folder, file) in [
            ("repo/game/app", "core.py"),
            ("outside/.git", "HEAD"),
            ("outside/pkg", "secret.py"),
            ("repo/.git", "HEAD"),
        ] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
            fs::write(dir.path().join(folder).join(file), "x = 1\n").unwrap();
        }
        dir
    }

    #[test]
    fn six_spellings_are_one_file() {
        let dir = sandbox();
        symlink("repo", dir.path().join("link")).unwrap();
        let cwd = dir.path().join("repo/game");
        let spellings = [
            "app/core.py".to_string(),
            "./app/core.py".into(),
            "../game/app/core.py".into(),
            "app//core.py/.".into(),
            format!("{}/repo/game/app/core.py", dir.path().display()),
            format!("/{}//repo/game/./app/core.py", dir.path().display()),
            format!("{}/link/game/app/core.py", dir.path().display()),
        ];
        for spelling in spellings {
            let place = of_file(&cwd.join(&spelling)).expect(&spelling);
            assert_eq!(place.path, "game/app/core.py", "{spelling}");
            assert_eq!(place.repo.root, fs::canonicalize(dir.path()).unwrap().join("repo"), "{spelling}");
            let place = of_shell_path(&cwd.join(&spelling)).expect(&spelling);
            assert_eq!(place.path, "game/app/core.py", "{spelling}");
        }
    }

    #[test]
    fn what_is_no_plain_file_of_the_repository_is_nothing() {
        let dir = sandbox();
        let app = dir.path().join("repo/game/app");
        symlink("core.py", app.join("alias.py")).unwrap();
        symlink("../../../outside/pkg/secret.py", app.join("link.py")).unwrap();
        symlink("../../../outside/pkg", app.join("linkdir")).unwrap();
        symlink("../../../outside", app.join("linkrepo")).unwrap();
        symlink("/nonexistent", app.join("broken.py")).unwrap();
        symlink("/dev/zero", app.join("zero.py")).unwrap();
        symlink(".", app.join("loop")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, app.join("pipe.py"), rustix::fs::Mode::RUSR).unwrap();
        std::os::unix::net::UnixListener::bind(app.join("sock.py")).unwrap();
        let table = [
            "alias.py",
            "link.py",
            "linkdir/secret.py",
            "linkrepo/pkg/secret.py",
            "broken.py",
            "zero.py",
            "pipe.py",
            "sock.py",
            ".",
            "..",
            "none.py",
            "none/core.py",
            "core.py/x",
            "../../.git/HEAD",
            "/proc/self/environ",
            "/dev/stdin",
            "/dev/tty",
            "/",
            "",
        ];
        for path in table {
            assert!(of_file(&app.join(path)).is_none(), "{path}");
            assert!(of_shell_path(&app.join(path)).is_none(), "{path}");
        }
        assert!(of_file(Path::new("core.py")).is_none(), "relative to nothing");
        assert_eq!(of_file(&app.join("loop/core.py")).unwrap().path, "game/app/core.py");
        assert_eq!(of_file(&app.join("linkdir/../core.py")).unwrap().path, "game/app/core.py", "by text");
        assert!(of_shell_path(&app.join("linkdir/../pkg/secret.py")).is_none(), "by the kernel: outside");
    }
}
