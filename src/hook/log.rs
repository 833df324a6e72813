//! Why the hook was silent, for `floorplan doctor`: a small file in the cache folder of the repository.
//!
//! Faults and slow answers only, no paths and no names of the repository. It is written where a cache folder is already, so the hook
//! leaves no trace of repositories that were never indexed.

use std::ffi::CString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{Mode, OFlags};
use rustix::path::Arg;

use super::event::Event;
use crate::repo;

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
    if file.metadata().is_ok_and(|meta| meta.len() > repo::MAX_LOG) && file.set_len(0).is_err() {
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

/// An answer that took longer is noted; one of a repository of usual size takes a few.
const SLOW: Duration = Duration::from_millis(50);

/// Notes an answer that was slow, by the kind of its event.
pub(super) fn took(elapsed: Duration, event: &Event) {
    if elapsed >= SLOW {
        let known = |name: &str| EVENTS.contains(&name).then(|| name.to_owned());
        let names = [event.name.as_deref(), event.tool.as_deref()];
        let names: Vec<String> = names.into_iter().flatten().filter_map(known).collect();
        note(&format!("slow: {} ms, {}", elapsed.as_millis(), names.join(" ")));
    }
}

/// What may be written of an event: the names are the host's, but nothing is copied without a look.
const EVENTS: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "SessionStart",
    "SubagentStart",
    "UserPromptSubmit",
    "Read",
    "Grep",
    "Bash",
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
];

/// The content of a small file of the cache folder.
pub(super) fn read(path: &Path, cap: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, OFlags::RDONLY)?.take(cap).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Replaces the content of a small file of the cache folder.
pub(super) fn overwrite(path: &Path, bytes: &[u8]) -> Option<()> {
    repo::overwrite(path, bytes).ok()
}

/// Opens a regular file, never through a link; a new one is for its owner alone.
fn open(path: impl Arg, flags: OFlags) -> Option<File> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).ok()?);
    file.metadata().ok()?.is_file().then_some(file)
}
