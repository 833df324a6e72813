//! One index run at a time, and how the hook starts one that outlives it.
//!
//! After an edit a run is [`wanted`]: a note is left in the cache folder and a run started, unless a note lies there already,
//! whose run has not looked at the files yet. A run takes the note before it looks, and looks for a new one when it has given
//! the lock back, so that no edit is missed and many edits in a row cost one run.
//!
//! The child gets `/dev/null` for all three standard streams: a host that finds the hook's pipe still open blocks the
//! tool call (PROTOCOL.md section 5). It gets an environment of few names, since the host's holds the user's API key,
//! and `GIT_*` variables would point it at another repository. Beside `floorplan doctor`, which tries out
//! what the user's settings name, this is the only module that starts programs.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use rustix::fs::{Mode, OFlags};

use crate::repo::Repo;

/// All that an index run may need to know: where the cache, the user's git configuration and the client's settings lie, and
/// who the user is.
const KEPT: [&str; 11] = [
    "HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "CLAUDE_CONFIG_DIR",
    "USER",
    "LOGNAME",
    "SUDO_UID",
    "TMPDIR",
    "PATH",
    "LANG",
    "LC_ALL",
];

/// Held while an index run works on a cache folder; given back when dropped, and by the kernel when the process dies.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Takes the lock of a cache folder. `None` if another process holds it.
pub fn lock(cache: &Path) -> anyhow::Result<Option<Lock>> {
    let path = cache.join("lock");
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR);
    let file = File::from(opened.with_context(|| format!("opening {}", path.display()))?);
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock { _file: file })),
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        Err(std::fs::TryLockError::Error(error)) => Err(error).with_context(|| format!("locking {}", path.display())),
    }
}

/// Name of the note that says that a run is wanted.
const NOTE: &str = "wanted";

/// A note that nobody took for so long was left by a hook whose run never came to it.
const STALE: Duration = Duration::from_secs(2);

/// Edits come in rows, and a checkout writes many files: a run that is wanted waits for so long.
const PAUSE: Duration = Duration::from_millis(150);

/// Has the graph in `cache` brought up to date. Costs a look at a file, and at most one detached process.
pub fn want(repo: &Repo, cache: &Path) {
    let note = cache.join(NOTE);
    let age = |meta: std::fs::Metadata| meta.modified().ok()?.elapsed().ok();
    if std::fs::symlink_metadata(&note).ok().and_then(age).is_some_and(|age| age < STALE) {
        return;
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open(&note, flags, Mode::RUSR | Mode::WUSR) else { return };
    // Also a note that was there is of now.
    let _ = File::from(file).set_modified(SystemTime::now());
    spawn(repo);
}

/// Is a run wanted that nobody has begun?
pub fn is_wanted(cache: &Path) -> bool {
    std::fs::symlink_metadata(cache.join(NOTE)).is_ok()
}

/// Takes the note, if there is one, after a pause. The caller holds the lock.
pub fn take_note(cache: &Path) {
    if is_wanted(cache) {
        std::thread::sleep(PAUSE);
        // If it cannot be removed, the next edit finds it stale.
        let _ = std::fs::remove_file(cache.join(NOTE));
    }
}

/// Notes in the log of the cache folder why a run ended early, for `floorplan doctor`. Fails in silence.
pub fn note_fault(cache: &Path, reason: &str) {
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let reason: String = reason.chars().take(MAX_REASON).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = crate::repo::append_log(cache, &format!("{seconds} index: {reason}\n"));
}

/// Longer reasons are cut, in characters.
const MAX_REASON: usize = 300;

/// Does an index run hold the lock of a cache folder?
pub fn is_running(cache: &Path) -> bool {
    matches!(lock(cache), Ok(None))
}

/// Starts `floorplan index --background ROOT` and does not wait for it. Fails in silence: the next session tries again.
pub fn spawn(repo: &Repo) {
    let Ok(program) = std::env::current_exe() else { return };
    let _ = command(&program, repo).spawn();
}

/// Runs `floorplan impact PATH` with the old text of the file, as a JSON string, on its standard input, and gives what it
/// prints. It ends by itself in a fraction of a second.
pub fn impact(repo: &Repo, path: &str, old: &[u8]) -> Option<Vec<u8>> {
    let program = std::env::current_exe().ok()?;
    let mut command = bare(&program, repo);
    command.args(["impact", path]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(old).ok()?;
    let answer = child.wait_with_output().ok()?;
    answer.status.success().then_some(answer.stdout)
}

/// Makes this process yield to all others; for the run that [`spawn`] started.
pub fn lower_priority() {
    // A refusal only means that the run is not as polite as it could be.
    let _ = rustix::process::nice(10);
}

/// Ends this process when it is so old, whatever it is at. The kernel gives its lock back.
pub fn end_after(age: Duration) {
    // Without the thread there is no limit, as there was none before.
    let _ = std::thread::Builder::new().spawn(move || {
        std::thread::sleep(age);
        std::process::exit(1);
    });
}

fn command(program: &Path, repo: &Repo) -> Command {
    let mut command = bare(program, repo);
    command.args(["index", "--background"]).arg(&repo.root).process_group(0);
    command
}

#[expect(clippy::disallowed_methods, reason = "the one place where floorplan starts a program, and it starts itself")]
fn bare(program: &Path, repo: &Repo) -> Command {
    let mut command = Command::new(program);
    command.current_dir(&repo.root).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.env_clear();
    command.envs(KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_is_held_by_one() {
        let dir = tempfile::tempdir().unwrap();
        let first = lock(dir.path()).unwrap();
        assert!(first.is_some());
        assert!(lock(dir.path()).unwrap().is_none());
        drop(first);
        assert!(lock(dir.path()).unwrap().is_some());
    }

    #[test]
    fn a_note_is_left_once_and_taken_once() {
        let dir = tempfile::tempdir().unwrap();
        // Nothing to start a run for: what is spawned is this test's own program, which knows no such command.
        let repo = Repo { root: dir.path().to_owned(), git_dir: None, common_dir: None };
        assert!(!is_wanted(dir.path()));
        want(&repo, dir.path());
        assert!(is_wanted(dir.path()));
        take_note(dir.path());
        assert!(!is_wanted(dir.path()));
    }

    #[test]
    fn lock_is_no_way_to_write_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("elsewhere", dir.path().join("lock")).unwrap();
        assert!(lock(dir.path()).is_err());
        assert!(!dir.path().join("elsewhere").exists());
    }

    #[test]
    fn child_knows_the_root_and_nothing_of_git_or_the_host() {
        let repo = Repo { root: "/some where/-x".into(), git_dir: None, common_dir: None };
        let command = command(Path::new("/bin/floorplan"), &repo);
        let args: Vec<_> = command.get_args().map(|arg| arg.to_str().unwrap()).collect();
        assert_eq!(args, ["index", "--background", "/some where/-x"]);
        let names: Vec<_> = command.get_envs().map(|(name, _)| name.to_str().unwrap()).collect();
        assert!(names.iter().all(|name| KEPT.contains(name)), "{names:?}");
    }
}
