//! Why the hook was silent, for `floorplan doctor`: a small file in the cache folder of the repository.
//!
//! Faults only, no paths and no names of the repository. It is written where a cache folder is already, so the hook
//! leaves no trace of repositories that were never indexed.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{Mode, OFlags};

/// A longer log begins anew.
const MAX_LOG: u64 = 64 << 10;

static CACHE: OnceLock<PathBuf> = OnceLock::new();

/// From here on, notes go to this cache folder; the first one named stays.
pub(super) fn writes_to(cache: &Path) {
    let _ = CACHE.set(cache.to_path_buf());
}

/// Appends a line: seconds since 1970 and the reason. Fails in silence.
pub(super) fn note(reason: &str) {
    let Some(cache) = CACHE.get() else { return };
    let Some(mut file) = open(&cache.join("log"), OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE) else { return };
    if file.metadata().is_ok_and(|meta| meta.len() > MAX_LOG) && file.set_len(0).is_err() {
        return;
    }
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let _ = file.write_all(format!("{seconds} hook: {reason}\n").as_bytes());
}

/// The content of a small file of the cache folder.
pub(super) fn read(path: &Path, cap: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, OFlags::RDONLY)?.take(cap).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Replaces the content of a small file of the cache folder.
pub(super) fn overwrite(path: &Path, bytes: &[u8]) -> Option<()> {
    open(path, OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC)?.write_all(bytes).ok()
}

/// Opens a regular file, never through a link; a new one is for its owner alone.
fn open(path: &Path, flags: OFlags) -> Option<File> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).ok()?);
    file.metadata().ok()?.is_file().then_some(file)
}
