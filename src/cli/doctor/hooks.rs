//! The hook entries: are they in a settings file that the client reads, up to date, and does what they name really answer?
//!
//! Each command is run on an event of every kind, in a small repository of its own with a cache of its own. A program that
//! only a project's settings name is not run: a clone could name any.

use super::{Findings, program};
use crate::cli::install;
use crate::cli::settings::{self, Entry, REGISTRATIONS};
use crate::index::{self, Options, Places, Quiet};
use crate::repo::{self, Repo};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Larger settings are not read.
const MAX_SETTINGS: usize = 16 << 20;

/// A registration of ours, wherever it stands.
struct Registered {
    entries: Vec<Entry>,
    /// For a settings file of the user's that is up to date with `install`, the path.
    settings: PathBuf,
    /// It came with a repository.
    foreign: bool,
}

pub(super) fn check(repo: &Repo, fix: bool, findings: &mut Findings) {
    let mut found: Vec<Registered> = Vec::new();
    let mut disabled = false;
    let user = repo::user_settings().into_iter().map(|settings| (settings.path, false));
    let project = repo::project_settings(&repo.root).into_iter().map(|settings| (settings.path, true));
    for (path, foreign) in user.chain(project) {
        let Some(bytes) = fs::canonicalize(&path).ok().and_then(|real| repo::read_file(&real, MAX_SETTINGS)) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        match settings::entries(&text) {
            Err(error) => findings.fault(
                "hooks",
                format!("Claude Code skips {} as a whole, deny rules included: {error:#}", path.display()),
                "mend it there",
            ),
            Ok((entries, off)) => {
                if off {
                    disabled = true;
                    let hint = format!("take disableAllHooks out of {}", path.display());
                    findings.fault("hooks", "Claude Code is told to run no hooks", hint);
                }
                if !entries.is_empty() {
                    found.push(Registered { entries, settings: path, foreign });
                }
            }
        }
    }
    let plugin = plugin_command();
    if found.is_empty() && plugin.is_none() {
        let hint = "floorplan install, or install the plugin";
        return findings.fault("hooks", "no settings name the hook, so Claude Code does not run it", hint);
    }
    if plugin.is_some() && !found.is_empty() {
        findings.note("hooks", "both the plugin and settings name the hook: two processes for each event, one answer");
    }
    let mut commands: BTreeMap<(String, Option<Vec<String>>), String> = BTreeMap::new();
    for registered in &mut found {
        let shown = registered.settings.display().to_string();
        match up_to_date(registered, fix) {
            Ok(None) => findings.ok("hooks", format!("{shown}: {} events", REGISTRATIONS.len())),
            Ok(Some(said)) => {
                findings.fixed("hooks", format!("{shown}: {said}"));
                let now = fs::read_to_string(&registered.settings).ok();
                let now = now.and_then(|text| settings::entries(&text).ok());
                registered.entries = now.unwrap_or_default().0;
            }
            Err(error) => findings.fault("hooks", format!("{shown}: {error:#}"), "floorplan install, or doctor --fix"),
        }
        for entry in &registered.entries {
            if registered.foreign && !is_this_program(Path::new(&entry.command)) {
                findings.warn(
                    "hooks",
                    format!("{shown} names {}, which is not this program: it was not run", entry.command),
                    "a repository can name any program there; look at it before you trust the folder",
                );
                continue;
            }
            commands.insert((entry.command.clone(), entry.args.clone()), shown.clone());
        }
    }
    commands.extend(plugin.map(|command| ((command, Some(Vec::new())), "the plugin".to_owned())));
    if disabled || commands.is_empty() {
        return;
    }
    let fixture = match Fixture::make() {
        Ok(fixture) => fixture,
        Err(error) => {
            return findings.warn("hooks", format!("they could not be tried: {error:#}"), "see the cache above");
        }
    };
    let mut told = BTreeSet::new();
    for ((command, args), origin) in &commands {
        if !told.insert(command) {
            continue;
        }
        if super::is_open_to_others(Path::new(command)) {
            let hint = format!("chmod go-w {command} and its folder");
            findings.warn("hooks", format!("{command} or its folder can be written by others"), hint);
        }
        match fixture.try_out(command, args.as_deref()) {
            Ok(slowest) => {
                findings.ok("hooks", format!("{command} answers, in at most {} ms", slowest.as_millis()));
            }
            Err(error) => {
                let hint = "floorplan install registers a program that answers";
                findings.fault("hooks", format!("{command} (from {origin}): {error:#}"), hint);
            }
        }
    }
}

/// What `install` would change; `Ok(Some(_))` if that was done.
fn up_to_date(registered: &Registered, fix: bool) -> Result<Option<String>> {
    let this = std::env::current_exe().context("finding this program")?;
    let named = registered.entries.first().map(|entry| entry.command.clone()).unwrap_or_default();
    let is_there = fs::metadata(&named).is_ok_and(|meta| meta.is_file() && meta.mode() & 0o111 != 0);
    let command = if is_there { named.clone() } else { this.to_string_lossy().into_owned() };
    let text = fs::read_to_string(&registered.settings)?;
    let edit = settings::install(&text, &command)?;
    if edit.text.is_none() {
        return Ok(None);
    }
    let fault = if is_there { "the entries are out of date".to_owned() } else { format!("{named} is not there") };
    if !fix || registered.foreign {
        bail!(fault);
    }
    install::update(&registered.settings, &command).with_context(|| fault.clone())?;
    Ok(Some(format!("mended ({fault})")))
}

fn is_this_program(path: &Path) -> bool {
    let id = |path: &Path| fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()));
    std::env::current_exe().is_ok_and(|this| id(path).is_some() && id(path) == id(&this))
}

/// What the plugin runs, if the client has it.
fn plugin_command() -> Option<String> {
    let folder = repo::home()?.join(".claude/plugins");
    let listed = repo::read_file(&folder.join("installed_plugins.json"), MAX_SETTINGS)?;
    let listed: Value = serde_json::from_slice(&listed).ok()?;
    let (_, plugin) = listed.get("plugins")?.as_object()?.iter().find(|(name, _)| name.starts_with("floorplan@"))?;
    let place = plugin.as_array().and_then(|copies| copies.first()).unwrap_or(plugin).get("installPath")?.as_str()?;
    Some(Path::new(place).join("bin/floorplan").to_string_lossy().into_owned())
}

/// Longer than any answer takes, on a busy machine too.
const LIMIT: Duration = Duration::from_secs(10);

/// A repository with a graph, in the cache folder; gone when dropped.
struct Fixture {
    folder: PathBuf,
}

impl Fixture {
    fn make() -> Result<Fixture> {
        let base = repo::caches_dir().context("there is no cache folder")?;
        DirBuilder::new().recursive(true).mode(0o700).create(&base)?;
        let folder = base.join(format!("doctor-{}", std::process::id()));
        DirBuilder::new().mode(0o700).create(&folder).with_context(|| format!("making {}", folder.display()))?;
        let fixture = Fixture { folder };
        let root = fixture.root();
        fs::create_dir_all(root.join(".git"))?;
        fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n")?;
        fs::write(root.join("lamp.py"), "def light():\n    pass\n")?;
        fs::write(root.join("room.py"), "from lamp import light\n\nlight()\n")?;
        let repo = repo::locate(&root).context("the repository that was made is none")?;
        let key =
            repo::cache_dir(&repo).and_then(|dir| Some(dir.file_name()?.to_owned())).context("no cache folder")?;
        let places = Places {
            graph: fixture.cache().join("floorplan").join(key),
            facts: fixture.cache().join("floorplan/facts/doctor"),
        };
        DirBuilder::new().mode(0o700).recursive(true).create(&places.graph)?;
        DirBuilder::new().mode(0o700).recursive(true).create(&places.facts)?;
        index::index(&repo, &places, &Options { jobs: 1, ..Options::default() }, &Quiet)?;
        Ok(fixture)
    }

    fn root(&self) -> PathBuf {
        let folder = fs::canonicalize(&self.folder).unwrap_or_else(|_| self.folder.clone());
        folder.join("repo")
    }

    fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    /// Runs a command on an event of each kind, and gives the longest time that it took.
    fn try_out(&self, command: &str, args: Option<&[String]>) -> Result<Duration> {
        let root = self.root();
        let mut slowest = Duration::ZERO;
        for event in REGISTRATIONS.iter().map(|registration| registration.event) {
            let input = event_for(event, &root);
            let shell = ["-c".to_owned(), command.to_owned()];
            let program = match args {
                Some(args) => (command, args),
                None => ("/bin/sh", &shell[..]),
            };
            let set = [("XDG_CACHE_HOME", &*self.cache()), ("CLAUDE_PROJECT_DIR", &*root)];
            let ran = program::run(program, input.to_string().as_bytes(), &root, &set, LIMIT)?;
            judge(event, &ran).with_context(|| format!("on {event}"))?;
            slowest = slowest.max(ran.elapsed);
        }
        Ok(slowest)
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // A folder of ours in the cache; whatever stays of it is private and small.
        let _ = fs::remove_dir_all(&self.folder);
        // A cache that holds nothing else was made for it.
        let _ = self.folder.parent().map(fs::remove_dir);
    }
}

/// An event as the client sends it. The edit is of a file that is not there, so that nothing is started for it.
fn event_for(event: &str, root: &Path) -> Value {
    let mut input = json!({ "hook_event_name": event, "cwd": root });
    let more = match event {
        "PreToolUse" => json!({ "tool_name": "Read", "tool_input": { "file_path": root.join("lamp.py") } }),
        "PostToolUse" => json!({ "tool_name": "Edit", "tool_input": { "file_path": root.join("none.py") } }),
        "UserPromptSubmit" => json!({ "prompt": "hello" }),
        _ => json!({ "source": "startup" }),
    };
    for (key, value) in more.as_object().into_iter().flatten() {
        input[key] = value.clone();
    }
    input
}

/// What the client would make of an answer.
fn judge(event: &str, ran: &program::Ran) -> Result<()> {
    if ran.code != Some(0) {
        let line = ran.stderr.lines().next().unwrap_or_default();
        match ran.code {
            Some(code) => bail!("it exits with {code} {line}"),
            None => bail!("a signal ended it"),
        }
    }
    if !ran.stderr.is_empty() {
        bail!("it writes to standard error: {}", ran.stderr.lines().next().unwrap_or_default());
    }
    if ran.stdout.is_empty() {
        if event == "PreToolUse" {
            bail!("it says nothing about a file that the graph knows");
        }
        return Ok(());
    }
    let answer: Value = serde_json::from_str(&ran.stdout).context("its answer is no JSON")?;
    let only = |value: &Value, keys: &[&str]| {
        value.as_object().is_some_and(|object| object.keys().all(|key| keys.contains(&key.as_str())))
    };
    let said = &answer["hookSpecificOutput"];
    let is_ours = only(&answer, &["hookSpecificOutput"]) && only(said, &["hookEventName", "additionalContext"]);
    if !is_ours || said["hookEventName"] != event || !said["additionalContext"].is_string() {
        bail!("its answer holds more than context, or is of another event");
    }
    Ok(())
}
