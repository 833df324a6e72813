//! The cache: ours alone, private, and writable.

use super::Findings;
use crate::repo::{self, Repo};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Files that are looked at.
const MAX_LOOKED: usize = 20_000;

pub(super) fn check(repo: &Repo, fix: bool, findings: &mut Findings) {
    let Some(base) = repo::caches_dir() else {
        let hint = "set HOME (or XDG_CACHE_HOME) to an absolute path";
        return findings.fault(
            "cache",
            "neither XDG_CACHE_HOME nor HOME is an absolute path: there is no place for it",
            hint,
        );
    };
    let shown = base.display();
    let Ok(meta) = base.symlink_metadata() else {
        return match repo::ensure_cache_dir(repo) {
            // Nothing stays of the attempt.
            Ok(made) => {
                let _ = fs::remove_dir(made);
                let _ = fs::remove_dir(&base);
                findings.ok("cache", format!("{shown} (not made yet)"));
            }
            Err(error) => findings.fault("cache", format!("{error:#}"), "make the folder, or change XDG_CACHE_HOME"),
        };
    };
    if !meta.is_dir() {
        return findings.fault("cache", format!("{shown} is a link or no folder"), format!("remove {shown}"));
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return findings.fault("cache", format!("{shown} belongs to another user"), "choose another XDG_CACHE_HOME");
    }
    let mut looked = Looked::default();
    looked.at(&base);
    for (path, mode) in &looked.open {
        let said = format!("{} can be read or written by others", path.display());
        if !fix {
            findings.fault("cache", said, format!("floorplan doctor --fix, or chmod {mode:o} {}", path.display()));
        } else if let Err(error) = fs::set_permissions(path, Permissions::from_mode(*mode)) {
            findings.fault("cache", format!("{said}, and its mode cannot be set ({error})"), "check who owns it");
        } else {
            findings.fixed("cache", format!("{} is private again", path.display()));
        }
    }
    for path in &looked.foreign {
        let said = format!("{} is no file or folder of yours", path.display());
        findings.fault("cache", said, format!("remove {}", path.display()));
    }
    match repo::ensure_cache_dir(repo) {
        Ok(folder) if rustix::fs::access(&folder, rustix::fs::Access::WRITE_OK).is_err() => {
            let said = format!("{} cannot be written", folder.display());
            findings.fault("cache", said, format!("chmod u+w {}; is the disk mounted read-only?", folder.display()));
        }
        Ok(folder) => {
            // An empty folder of a repository that has no graph says nothing.
            let _ = fs::remove_dir(folder);
            findings.ok("cache", format!("{shown}, {} MiB", looked.bytes >> 20));
        }
        // Told above, where it is of that kind.
        Err(_) if !looked.open.is_empty() && !fix => {}
        Err(error) => findings.fault("cache", format!("{error:#}"), "floorplan doctor --fix, if it is about a mode"),
    }
}

/// What lies in the cache.
#[derive(Default)]
struct Looked {
    bytes: u64,
    /// With the mode that it should have.
    open: Vec<(PathBuf, u32)>,
    foreign: Vec<PathBuf>,
}

impl Looked {
    fn at(&mut self, base: &Path) {
        let mut folders = vec![base.to_owned()];
        let mut left = MAX_LOOKED;
        let me = rustix::process::geteuid().as_raw();
        while let Some(folder) = folders.pop() {
            if fs::symlink_metadata(&folder).is_ok_and(|meta| meta.mode() & 0o077 != 0) {
                self.open.push((folder.clone(), 0o700));
            }
            let mut paths: Vec<PathBuf> =
                fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
            paths.sort();
            for path in paths {
                // A run at work removes files of its own.
                let Ok(meta) = path.symlink_metadata() else { continue };
                left = left.saturating_sub(1);
                if left == 0 {
                    return;
                }
                if meta.uid() != me || !(meta.is_dir() || meta.is_file()) {
                    self.foreign.push(path);
                } else if meta.is_dir() {
                    folders.push(path);
                } else {
                    self.bytes += meta.len();
                    if meta.mode() & 0o077 != 0 {
                        self.open.push((path, 0o600));
                    }
                }
            }
        }
    }
}
