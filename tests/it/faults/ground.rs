//! What a row stands on: an indexed repository in a sandbox, and ways to ask the hook that check after each question what
//! must hold whatever happened: exit code 0, at most one object of context, nothing on stderr, no claim that nobody calls
//! anything, an end in time, and no file touched outside the cache.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Outcome, Skip};
use crate::support::{self, FLOORPLAN, Sandbox, has, read_event, tool_event};

/// The user that has no rights.
pub(crate) const NOBODY: &str = "65534";

/// Far more than the hook may take, so that a loaded machine makes no test fail; a hang is longer.
const HANG: Duration = Duration::from_secs(30);

/// What is in the repository of most rows. `load` has callers in two files.
pub(crate) const SOURCES: &[(&str, &str)] = &[
    ("app/__init__.py", ""),
    ("app/core.py", "def load(path):\n    return path\n\n\ndef save(path):\n    return load(path)\n"),
    ("app/web.py", "from app.core import load, save\n\n\ndef page():\n    return load(1), save(2)\n"),
    ("jobs/nightly.py", "from app.core import load\n\nload(3)\n"),
];

/// What a row needs of the machine.
#[derive(Clone, Copy)]
pub(crate) enum Need {
    Root,
    Tool(&'static str),
    /// Mounts in a name space of its own.
    Mounts,
    /// strace that may trace.
    Strace,
}

/// Checks that all of it is here.
///
/// # Errors
/// The reason to skip the row.
pub(crate) fn needs(wanted: &[Need]) -> Outcome {
    for need in wanted {
        let there = match need {
            Need::Root => rustix::process::geteuid().is_root(),
            Need::Tool(name) => has(name),
            Need::Mounts => works(&["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]),
            Need::Strace => works(&["strace", "-qq", "-o", "/dev/null", "true"]),
        };
        if !there {
            return Err(Skip(match need {
                Need::Root => "needs root".into(),
                Need::Tool(name) => format!("needs {name}"),
                Need::Mounts => "needs unshare and the right to mount".into(),
                Need::Strace => "needs strace and the right to trace".into(),
            }));
        }
    }
    Ok(())
}

fn works(words: &[&str]) -> bool {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).stdout(Stdio::null()).stderr(Stdio::null());
    has(words[0]) && command.status().is_ok_and(|status| status.success())
}

/// A sandbox with an indexed repository, and its hook.
pub(crate) struct Ground {
    pub(crate) sandbox: Sandbox,
}

/// What strace saw of a run.
pub(crate) struct Traced {
    /// One line for each system call that starts a program, connects, or names a file.
    pub(crate) calls: Vec<String>,
}

impl Traced {
    /// Programs that were started, the traced one not counted.
    pub(crate) fn programs(&self) -> Vec<&String> {
        self.calls.iter().filter(|call| call.contains("execve(") && !call.contains(" = -1 ")).skip(1).collect()
    }

    /// Sockets and connections.
    pub(crate) fn connections(&self) -> Vec<&String> {
        let network = ["socket(", "connect(", "sendto(", "bind("];
        self.calls.iter().filter(|call| network.iter().any(|name| call.contains(name))).collect()
    }

    /// Files that were opened whose path holds this; folders are not.
    pub(crate) fn opened(&self, part: &str) -> Vec<&String> {
        let opens = |call: &&String| call.contains("open") && call.contains(part) && !call.contains("O_DIRECTORY");
        self.calls.iter().filter(opens).collect()
    }
}

impl Ground {
    /// [`SOURCES`], committed and indexed.
    pub(crate) fn new() -> Ground {
        Ground::with(SOURCES)
    }

    /// These files, committed and indexed.
    pub(crate) fn with(files: &[(&str, &str)]) -> Ground {
        let ground = Ground::unindexed(files);
        ground.sandbox.index(&ground.repo());
        ground
    }

    /// These files, committed and not indexed.
    pub(crate) fn unindexed(files: &[(&str, &str)]) -> Ground {
        let ground = Ground { sandbox: Sandbox::with(files) };
        ground.sandbox.git(&["init", "-q", "-b", "main", "."]);
        ground.commit();
        ground
    }

    /// [`SOURCES`] in a folder that git does not know, not indexed.
    pub(crate) fn without_git() -> Ground {
        Ground { sandbox: Sandbox::with(SOURCES) }
    }

    pub(crate) fn repo(&self) -> PathBuf {
        self.sandbox.repo()
    }

    pub(crate) fn commit(&self) {
        self.sandbox.git(&["add", "-A"]);
        self.sandbox.git(&["commit", "-q", "--allow-empty", "-m", "step"]);
    }

    pub(crate) fn index(&self) {
        self.sandbox.index(&self.repo());
    }

    /// A read of a file, by its path in the repository.
    pub(crate) fn read(&self, path: &str) -> Value {
        read_event(&self.repo(), self.repo().join(path))
    }

    /// A read of `app/core.py`, which has callers.
    pub(crate) fn core(&self) -> Value {
        self.read("app/core.py")
    }

    pub(crate) fn tool(&self, tool: &str, input: &Value) -> Value {
        tool_event(&self.repo(), tool, input)
    }

    pub(crate) fn bash_event(&self, command: &str) -> Value {
        self.tool("Bash", &json!({"command": command}))
    }

    /// What the hook says to the event.
    pub(crate) fn ask(&self, event: &Value) -> Option<String> {
        self.ask_by(self.sandbox.floorplan::<&str>(&[]), event)
    }

    /// As [`Ground::ask`], by a command that runs the hook in some way of its own.
    pub(crate) fn ask_by(&self, command: Command, event: &Value) -> Option<String> {
        let name = event["hook_event_name"].as_str().unwrap_or("PreToolUse");
        self.feed_by(command, name, event.to_string().as_bytes())
    }

    /// What the hook says to these bytes; a reply is for PreToolUse.
    pub(crate) fn feed(&self, bytes: &[u8]) -> Option<String> {
        self.feed_by(self.sandbox.floorplan::<&str>(&[]), "PreToolUse", bytes)
    }

    /// As [`Ground::feed`], by a command that runs the hook, with the event's name as it is in the reply.
    pub(crate) fn feed_by(&self, command: Command, name: &str, bytes: &[u8]) -> Option<String> {
        let before = self.footprint();
        let said = run(command, name, bytes);
        assert_eq!(self.footprint(), before, "something outside the cache was touched");
        said
    }

    /// The text that the hook must say; asked again where the machine was too slow for the deadline.
    pub(crate) fn answer(&self, event: &Value) -> String {
        self.answer_by(|| self.sandbox.floorplan::<&str>(&[]), event)
    }

    /// As [`Ground::answer`], by commands that run the hook in some way of their own.
    pub(crate) fn answer_by(&self, command: impl Fn() -> Command, event: &Value) -> String {
        let mut event = event.clone();
        for turn in 0..6 {
            // Nothing is said twice in one session.
            event["session_id"] = json!(format!("{}-{turn}", event["session_id"].as_str().unwrap_or_default()));
            if let Some(said) = self.ask_by(command(), &event) {
                return said;
            }
        }
        panic!("no answer to {event}")
    }

    /// Asserts an answer that tells of `load`.
    pub(crate) fn tells(&self, event: &Value) -> String {
        let said = self.answer(event);
        assert!(said.contains("load()"), "{said}");
        said
    }

    /// Asserts that nothing is said.
    pub(crate) fn silent(&self, event: &Value) {
        assert_eq!(self.ask(event), None, "{event}");
    }

    /// Runs a script of bash in the sandbox's folder; `$HOOK` is the program, `$EVENT` a file with the event. What the script
    /// prints and how it ends is taken for the hook's.
    pub(crate) fn script(&self, script: &str, event: &Value) -> Option<String> {
        let mut bash = self.bash(event);
        bash.args(["-uo", "pipefail", "-c", script]);
        self.ask_by(bash, event)
    }

    fn bash(&self, event: &Value) -> Command {
        let file = self.sandbox.home().join("event.json");
        fs::write(&file, event.to_string()).unwrap();
        let mut bash = self.sandbox.tool("bash");
        bash.env("HOOK", FLOORPLAN).env("EVENT", file);
        bash
    }

    /// A script of bash that sets something up; it must work.
    pub(crate) fn setup(&self, script: &str) {
        let out = self.sandbox.bash(script);
        assert!(out.status.success(), "{script}: {}", String::from_utf8_lossy(&out.stderr));
    }

    /// The hook under strace.
    pub(crate) fn traced(&self, event: &Value) -> Traced {
        self.traced_with(event, |_| {})
    }

    /// As [`Ground::traced`], with a change of the command.
    pub(crate) fn traced_with(&self, event: &Value, change: impl FnOnce(&mut Command)) -> Traced {
        let log = tempfile::NamedTempFile::new().unwrap();
        let mut strace = self.sandbox.tool("strace");
        strace
            .args(["-f", "-qq", "-s", "4096", "-e", "trace=%file,%network,execve", "-o"])
            .arg(log.path())
            .arg(FLOORPLAN);
        change(&mut strace);
        self.ask_by(strace, event);
        let text = String::from_utf8_lossy(&fs::read(log.path()).unwrap()).into_owned();
        Traced { calls: text.lines().map(str::to_owned).collect() }
    }

    /// A command under strace, which must work.
    pub(crate) fn traced_command(&self, args: &[&str]) -> Traced {
        let log = tempfile::NamedTempFile::new().unwrap();
        let mut strace = self.sandbox.tool("strace");
        strace
            .args(["-f", "-qq", "-s", "4096", "-e", "trace=%file,%network,execve", "-o"])
            .arg(log.path())
            .arg(FLOORPLAN);
        let out = strace.args(args).output().unwrap();
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        let text = String::from_utf8_lossy(&fs::read(log.path()).unwrap()).into_owned();
        Traced { calls: text.lines().map(str::to_owned).collect() }
    }

    /// Gives everything to [`NOBODY`], so that the hook can run as a user without rights; says how.
    ///
    /// # Errors
    /// Why that cannot be done here.
    pub(crate) fn give_away(&self) -> Result<impl Fn() -> Command + '_, Skip> {
        needs(&[Need::Root, Need::Tool("setpriv")])?;
        let program = self.sandbox.path().join("floorplan");
        fs::copy(FLOORPLAN, &program).unwrap();
        self.setup(&format!("chmod 755 floorplan; chown -R {NOBODY}:{NOBODY} ."));
        Ok(move || {
            let mut command = self.sandbox.tool("setpriv");
            command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(&program);
            command
        })
    }

    /// All that is outside the cache, and when it last changed.
    pub(crate) fn footprint(&self) -> BTreeMap<PathBuf, (u64, i64, i64)> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.sandbox.path().to_owned()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
                let Ok(meta) = fs::symlink_metadata(&path) else { continue };
                if path == self.sandbox.cache() || found.len() > 5000 {
                    continue;
                }
                if meta.is_dir() {
                    folders.push(path.clone());
                }
                found.insert(path, (meta.ino(), meta.ctime(), meta.ctime_nsec()));
            }
        }
        found
    }
}

/// Runs a hook on these bytes to its end and checks what must always hold.
pub(crate) fn run(command: Command, name: &str, bytes: &[u8]) -> Option<String> {
    run_any(command, &[name], bytes)
}

/// As [`run`], where the reply may be to any of these events.
pub(crate) fn run_any(mut command: Command, names: &[&str], bytes: &[u8]) -> Option<String> {
    let started = Instant::now();
    let (stdout, stderr) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
    command.stdin(Stdio::piped()).stdout(stdout.try_clone().unwrap()).stderr(stderr.try_clone().unwrap());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let status = std::thread::scope(|scope| {
        // A hook that has read enough is gone before everything is written.
        scope.spawn(move || drop(stdin.write_all(bytes)));
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > HANG {
                let _ = child.kill();
                panic!("{command:?} does not end");
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    });
    let out = std::process::Output { status, stdout: text_of(stdout), stderr: text_of(stderr) };
    let text = String::from_utf8_lossy(&out.stdout);
    let name = names.iter().find(|name| text.contains(&format!("\"hookEventName\":\"{name}\""))).unwrap_or(&names[0]);
    checked(name, out, started.elapsed())
}

/// What holds for every answer.
pub(crate) fn checked(name: &str, out: std::process::Output, elapsed: Duration) -> Option<String> {
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    for word in ["permissionDecision", "updatedInput", "systemMessage", "\"decision\":", "\"continue\":"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    let said = support::reply(Some(name), out, elapsed).context;
    if let Some(said) = &said {
        for claim in [" 0 callers", " 0 files", "safe to delete", "dead code"] {
            assert!(!said.contains(claim), "{claim} in {said}");
        }
    }
    said
}

fn text_of(mut file: fs::File) -> Vec<u8> {
    use std::io::{Read, Seek};
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

/// The same file by another name.
pub(crate) fn link(to: impl AsRef<Path>, at: impl AsRef<Path>) {
    std::os::unix::fs::symlink(to, at).unwrap();
}
