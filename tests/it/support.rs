//! A sandbox for the built program: a folder with a HOME, a cache and a repository of its own, and what the hook replies
//! to an event in it. Whatever a reply holds, the rules that every reply must keep are checked here.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The program under test.
pub(crate) const FLOORPLAN: &str = env!("CARGO_BIN_EXE_floorplan");

/// Copies the program to `to`. By another process: one that writes to a program holds it open, and what a test beside this one
/// starts meanwhile would inherit that, so that the copy could not be run ("Text file busy").
pub(crate) fn copy_program(to: impl AsRef<Path>) {
    assert!(Command::new("cp").arg("--").arg(FLOORPLAN).arg(to.as_ref()).status().unwrap().success());
}

/// How long any run may take before the test fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(120);

/// A folder with `home/`, `cache/` (made by the program) and `repo/`; gone when dropped.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

/// What the hook did.
pub(crate) struct Reply {
    /// The text for the agent; `None` is silence.
    pub(crate) context: Option<String>,
    pub(crate) elapsed: Duration,
}

/// What a run of the program did.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) elapsed: Duration,
    /// Largest resident set in MiB, where /proc tells.
    pub(crate) peak_mb: Option<u64>,
}

impl Sandbox {
    /// With these files (`path`, `text`) in its repository, which git does not know.
    pub(crate) fn with(files: &[(&str, &str)]) -> Sandbox {
        let sandbox = Sandbox { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(sandbox.home()).unwrap();
        fs::create_dir(sandbox.repo()).unwrap();
        for (path, text) in files {
            sandbox.write(path, text);
        }
        sandbox
    }

    /// A scratch copy of `tests/cases/ID`, its big inputs generated and its `setup.sh` run.
    ///
    /// # Errors
    /// The reason why this machine cannot set it up.
    pub(crate) fn of_case(id: &str) -> Result<Sandbox, String> {
        let sandbox = Sandbox { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(sandbox.home()).unwrap();
        copy(&cases().join(id), sandbox.path());
        if sandbox.path().join("gen.py").exists() {
            generate(id, &sandbox.repo());
        }
        let setup = sandbox.path().join("setup.sh");
        if setup.exists() {
            let text = fs::read_to_string(&setup).unwrap();
            for tool in ["bash", "git", "python3"] {
                if (tool == "bash" || text.contains(tool)) && !has(tool) {
                    return Err(format!("{tool} is not here"));
                }
            }
            let out = sandbox.tool("bash").arg("setup.sh").output().unwrap();
            assert!(out.status.success(), "{id}/setup.sh: {}", String::from_utf8_lossy(&out.stderr));
        }
        Ok(sandbox)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn repo(&self) -> PathBuf {
        self.path().join("repo")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path().join("home")
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.path().join("cache")
    }

    /// The only repository's own folder in the cache.
    pub(crate) fn graph(&self) -> PathBuf {
        let mut folders: Vec<_> =
            fs::read_dir(self.cache().join("floorplan")).unwrap().map(|entry| entry.unwrap().path()).collect();
        folders.retain(|folder| !folder.ends_with("facts"));
        assert_eq!(folders.len(), 1, "{folders:?}");
        folders.remove(0)
    }

    /// Writes a file of the repository.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.repo().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The program, knowing nothing of the machine but this sandbox.
    pub(crate) fn floorplan<A: AsRef<OsStr>>(&self, args: &[A]) -> Command {
        let mut command = Command::new(FLOORPLAN);
        command.args(args).env_clear().envs(self.environment()).current_dir(self.path());
        command
    }

    /// Another program (bash, git), knowing where programs are besides. The locale is one in which bash writes `\u` escapes
    /// as characters.
    pub(crate) fn tool(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.environment()).current_dir(self.path());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C.UTF-8")]);
        command
    }

    fn environment(&self) -> BTreeMap<&'static str, PathBuf> {
        BTreeMap::from([("HOME", self.home()), ("XDG_CACHE_HOME", self.cache())])
    }

    /// Runs bash in the sandbox's folder.
    pub(crate) fn bash(&self, script: &str) -> Output {
        self.tool("bash").args(["-euo", "pipefail", "-c", script]).output().unwrap()
    }

    /// Runs git in the repository, which must work.
    pub(crate) fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@t"];
        let out = self.tool("git").args(identity).args(args).current_dir(self.repo()).output().unwrap();
        assert!(out.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&out.stderr));
    }

    /// `floorplan index`, which must work. Waits for a pass that the hook has started.
    pub(crate) fn index(&self, root: &Path) -> Run {
        let started = Instant::now();
        loop {
            let run = measured(self.floorplan(&[OsStr::new("index"), root.as_os_str()]));
            if run.code == Some(0) {
                return run;
            }
            assert!(run.stderr.contains("another index of") && started.elapsed() < PATIENCE, "index: {}", run.stderr);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What `floorplan dump` prints, which must work.
    pub(crate) fn dump(&self, root: &Path) -> String {
        let run = measured(self.floorplan(&[OsStr::new("dump"), root.as_os_str()]));
        assert_eq!(run.code, Some(0), "dump: {}", run.stderr);
        run.stdout
    }

    /// What the hook replies to the event.
    pub(crate) fn reply_to(&self, event: &Value) -> Reply {
        self.replies(self.floorplan::<&str>(&[]), event)
    }

    /// As [`Sandbox::reply_to`], from a command that runs the hook in some other way.
    pub(crate) fn replies(&self, command: Command, event: &Value) -> Reply {
        let started = Instant::now();
        let mut child = piped(command);
        // A hook that says nothing may be gone before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(event.to_string().as_bytes());
        reply(event["hook_event_name"].as_str(), child.wait_with_output().unwrap(), started.elapsed())
    }

    /// What the hook replies when the event's text comes but its end never does.
    pub(crate) fn reply_with_open_input(&self, event: Option<&Value>) -> Reply {
        let started = Instant::now();
        let mut child = piped(self.floorplan::<&str>(&[]));
        let mut stdin = child.stdin.take().unwrap();
        if let Some(event) = event {
            stdin.write_all(event.to_string().as_bytes()).unwrap();
        }
        // The pipe must outlive the child, or the child would see its end.
        let out = child.wait_with_output().unwrap();
        drop(stdin);
        let name = event.and_then(|event| event["hook_event_name"].as_str());
        reply(name, out, started.elapsed())
    }

    /// The context for an event that must get one. Asks again when there is none: on a loaded machine the deadline may
    /// pass, and then silence is right.
    pub(crate) fn annotation(&self, event: &Value) -> String {
        let said = (0..5).find_map(|_| self.reply_to(event).context);
        said.unwrap_or_else(|| panic!("no annotation for {event}"))
    }
}

/// A Read event.
pub(crate) fn read_event(cwd: &Path, file_path: impl AsRef<Path>) -> Value {
    let input = json!({"file_path": file_path.as_ref().to_str().unwrap()});
    tool_event(cwd, "Read", &input)
}

/// A session of its own for each event: what was said in one is not said again. Tests of that set `session_id` themselves.
fn new_session() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    format!("s{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// A PreToolUse event, with the fields that the host sends.
pub(crate) fn tool_event(cwd: &Path, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": new_session(), "transcript_path": "/t.jsonl", "permission_mode": "default", "tool_use_id": "toolu_1",
        "hook_event_name": "PreToolUse", "tool_name": tool, "cwd": cwd.to_str().unwrap(), "tool_input": input,
    })
}

/// An event without a tool (`SessionStart`, `SubagentStart`).
pub(crate) fn session_event(name: &str, cwd: &Path) -> Value {
    json!({"session_id": new_session(), "hook_event_name": name, "source": "startup", "cwd": cwd.to_str().unwrap()})
}

/// Checks what holds for every reply: exit code 0, nothing on stderr, and on stdout nothing or one JSON object with the
/// event's name and some context, and no other field: nothing that could be a decision.
pub(crate) fn reply(event: Option<&str>, out: Output, elapsed: Duration) -> Reply {
    let stdout = String::from_utf8(out.stdout).unwrap();
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "stdout: {stdout}\nstderr: {stderr}");
    assert_eq!(stderr, "");
    if stdout.is_empty() {
        return Reply { context: None, elapsed };
    }
    let object: Value = serde_json::from_str(&stdout).unwrap();
    let context = object["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned();
    assert_ne!(context, "", "{stdout}");
    assert_eq!(object, json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}));
    Reply { context: Some(context), elapsed }
}

/// Runs a command to its end, with the time and the memory that it took.
pub(crate) fn measured(mut command: Command) -> Run {
    let started = Instant::now();
    // Files and not pipes: nobody reads while the memory is watched.
    let (stdout, stderr) = (tempfile::NamedTempFile::new().unwrap(), tempfile::NamedTempFile::new().unwrap());
    command.stdin(Stdio::null()).stdout(stdout.reopen().unwrap()).stderr(stderr.reopen().unwrap());
    let mut child = command.spawn().unwrap();
    let mut peak_mb = None;
    let status = loop {
        // The mark only rises, so that the last look before the end is the answer but for a few milliseconds.
        peak_mb = peak_of(child.id()).max(peak_mb);
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(started.elapsed() < PATIENCE, "{command:?} does not end");
        std::thread::sleep(Duration::from_millis(2));
    };
    let read = |file: &tempfile::NamedTempFile| String::from_utf8_lossy(&fs::read(file.path()).unwrap()).into_owned();
    Run { code: status.code(), stdout: read(&stdout), stderr: read(&stderr), elapsed: started.elapsed(), peak_mb }
}

fn peak_of(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kib| kib / 1024)
}

fn piped(mut command: Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Is this program on the PATH?
pub(crate) fn has(program: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(|folder| folder.join(program).is_file())
}

/// Where the cases are.
pub(crate) fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// What the case's `gen.py` writes, so that the cases do not need Python.
fn generate(id: &str, repo: &Path) {
    let braces = |n: usize| "{".repeat(n) + &"}".repeat(n);
    match id {
        "45-java-deep-braces" => {
            let text = format!("package demo;\nclass Deep {{ void f() {{ {} }} }}\n", braces(54_000));
            fs::write(repo.join("src/main/java/demo/Deep.java"), text).unwrap();
        }
        "66-c-deep-nesting" => {
            for (name, n) in [("deep", 16_384), ("deeper", 200_000)] {
                fs::write(repo.join(format!("{name}.c")), format!("void foo_{name}(void){{{}}}\n", braces(n))).unwrap();
            }
        }
        other => panic!("{other} has a gen.py and no generator here"),
    }
}
