//! Why the hook was silent, for `floorplan doctor`: a small file in the cache folder of the repository.
//!
//! Faults and slow answers only, no paths and no names of the repository. It is written where a cache folder is already, so the hook
//! leaves no trace of repositories that were never indexed.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{Mode, OFlags};

use super::event::Event;
use crate::repo;

static CACHE: OnceLock<PathBuf> = OnceLock::new();

/// From here on, notes go to this cache folder; the first one named stays.
pub(super) fn writes_to(cache: &Path) {
    let _ = CACHE.set(cache.to_path_buf());
}

/// Appends a line: seconds since 1970 and the reason. Fails in silence.
pub(super) fn note(reason: &str) {
    let Some(cache) = CACHE.get() else { return };
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let _ = repo::append_log(cache, &format!("{seconds} hook: {reason}\n"));
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
fn open(path: &Path, flags: OFlags) -> Option<File> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).ok()?);
    file.metadata().ok()?.is_file().then_some(file)
}
