//! Where the graph of a repository lies: one folder for each pair of work tree and git directory, in the user's cache.
//!
//! Never inside the work tree, since what lies there may have come with a clone. The folder is private whatever the
//! umask says, and one that somebody else made first (a shared cache folder, a planted link) is refused.

use std::fs::{self, DirBuilder, Permissions};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::Repo;

/// The folder of all facts, beside those of the graphs, whose names are hashes.
const FACTS: &str = "facts";

/// `$XDG_CACHE_HOME/floorplan/KEY`, or below `~/.cache`; creates nothing. `None` without a usable variable: relative
/// values are ignored (XDG base directory specification), and there is no other place to fall back to.
pub fn cache_dir(repo: &Repo) -> Option<PathBuf> {
    Some(base()?.join("floorplan").join(key(repo)))
}

/// The folder of all of them.
pub fn caches_dir() -> Option<PathBuf> {
    Some(base()?.join("floorplan"))
}

/// [`cache_dir`], created with mode 0700.
///
/// Fails where a link, another user's folder or one that others may write to stands in its place.
pub fn ensure_cache_dir(repo: &Repo) -> anyhow::Result<PathBuf> {
    let base = base().context("no cache folder: neither XDG_CACHE_HOME nor HOME is an absolute path")?;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&base)
        .with_context(|| format!("creating {}", base.display()))?;
    let ours = base.join("floorplan");
    let dir = ours.join(key(repo));
    ensure_private(&ours)?;
    ensure_private(&dir)?;
    Ok(dir)
}

/// Where the facts of a repository lie, whichever of its work trees and branches they come from:
/// `$XDG_CACHE_HOME/floorplan/facts/KEY`, created with mode 0700.
///
/// # Errors
/// As [`ensure_cache_dir`].
pub fn ensure_facts_dir(repo: &Repo) -> anyhow::Result<PathBuf> {
    ensure_cache_dir(repo)?;
    let dir = facts_dir(repo).context("no cache folder")?;
    if let Some(facts) = dir.parent() {
        ensure_private(facts)?;
    }
    ensure_private(&dir)?;
    Ok(dir)
}

/// [`ensure_facts_dir`], but creates nothing.
pub fn facts_dir(repo: &Repo) -> Option<PathBuf> {
    let shared = repo.common_dir.as_deref().unwrap_or(&repo.root);
    Some(base()?.join("floorplan").join(FACTS).join(hash(&[shared.as_os_str().as_bytes()])))
}

/// `$XDG_CONFIG_HOME/floorplan`, else `~/.config/floorplan`: the user's own settings. `None` without a usable variable, as for
/// [`cache_dir`].
pub fn settings_dir() -> Option<PathBuf> {
    let base = absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")))?;
    Some(base.join("floorplan"))
}

pub(super) fn ensure_private(dir: &Path) -> anyhow::Result<()> {
    let name = dir.display();
    let made = match DirBuilder::new().mode(0o700).create(dir) {
        Ok(()) => true,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => false,
        Err(error) => return Err(error).with_context(|| format!("creating {name}")),
    };
    let meta = fs::symlink_metadata(dir).with_context(|| format!("looking at {name}"))?;
    if !meta.is_dir() {
        bail!("{name} is a link or no folder; remove it");
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        bail!("{name} belongs to another user");
    }
    if meta.mode() & 0o022 != 0 {
        bail!("{name} can be written to by other users; set its mode to 0700");
    }
    // A umask can take bits away from what was asked for, and an older folder may be readable by others.
    if meta.mode() & 0o777 != 0o700 && (made || meta.mode() & 0o077 != 0) {
        fs::set_permissions(dir, Permissions::from_mode(0o700))
            .with_context(|| format!("setting the mode of {name}"))?;
    }
    Ok(())
}

fn base() -> Option<PathBuf> {
    absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
}

fn absolute(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// 32 hex digits: FNV-1a with 128 bits over both real paths. The key only has to tell apart what one user has on one
/// machine, and the snapshot names its paths once more, so a collision costs an index and no more.
pub(super) fn key(repo: &Repo) -> String {
    let git_dir = repo.git_dir.as_deref().unwrap_or(Path::new("")).as_os_str().as_bytes();
    hash(&[repo.root.as_os_str().as_bytes(), b"\0", git_dir])
}

fn hash(parts: &[&[u8]]) -> String {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let bytes = parts.iter().copied().flatten();
    let hash = bytes.fold(OFFSET, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    format!("{hash:032x}")
}
