//! Why the hook was silent, for `floorplan doctor`: a small file in the cache folder of the repository.
//!
//! Faults only, no paths and no names of the repository. It is written where a cache folder is already, so the hook
//! leaves no trace of repositories that were never indexed.

use std::ffi::CString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{Mode, OFlags};
use rustix::path::Arg;

/// A longer log begins anew.
const MAX_LOG: u64 = 64 << 10;

/// A line is longer than none of the reasons.
const MAX_LINE: usize = 160;

static LOG: OnceLock<CString> = OnceLock::new();

/// From here on, notes go to this cache folder; the first one named stays.
pub(super) fn writes_to(cache: &Path) {
    if let Ok(path) = CString::new(cache.join("log").into_os_string().into_vec()) {
        let _ = LOG.set(path);
    }
}

/// Appends a line: seconds since 1970 and the reason. Fails in silence. Allocates nothing: the watchdog calls it.
pub(super) fn note(reason: &str) {
    let Some(path) = LOG.get() else { return };
    let Some(mut file) = open(path.as_c_str(), OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE) else { return };
    if file.metadata().is_ok_and(|meta| meta.len() > MAX_LOG) && file.set_len(0).is_err() {
        return;
    }
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let mut line = [0; MAX_LINE];
    let mut rest = line.as_mut_slice();
    // What does not fit is cut off.
    let _ = write!(rest, "{seconds} hook: {reason}");
    let left = rest.len().max(1);
    if let Some(text) = line.get_mut(..MAX_LINE - left + 1)
        && let Some(last) = text.last_mut()
    {
        *last = b'\n';
        let _ = file.write_all(text);
    }
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
fn open(path: impl Arg, flags: OFlags) -> Option<File> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).ok()?);
    file.metadata().ok()?.is_file().then_some(file)
}
