//! `floorplan doctor`: what is wrong is said, with what to do, and mended where that is safe.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::support::{FLOORPLAN, Run, Sandbox, copy_program, measured};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.py", "def f(): pass\n"), ("b.py", "import a\na.f()\n")]);
    sandbox.index(&sandbox.repo());
    sandbox
}

fn doctor(sandbox: &Sandbox, more: &[&str]) -> Run {
    measured(sandbox.floorplan(&[&["-C", "repo", "doctor"], more].concat()))
}

/// The findings of one check, as `grade says`.
fn found(sandbox: &Sandbox, check: &str) -> Vec<String> {
    let run = doctor(sandbox, &["--json"]);
    let shown: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{} {}", run.stdout, run.stderr));
    let findings = shown["findings"].as_array().unwrap().iter();
    let faults = findings.clone().filter(|finding| finding["grade"] == "fault").count();
    assert_eq!(run.code, Some(i32::from(faults > 0)), "{}", run.stdout);
    assert_eq!(shown["healthy"], faults == 0);
    let of_check = findings.filter(|finding| finding["check"] == check);
    of_check
        .map(|finding| format!("{} {}", finding["grade"].as_str().unwrap(), finding["says"].as_str().unwrap()))
        .collect()
}

fn install(sandbox: &Sandbox) {
    let run = measured(sandbox.floorplan(&["install"]));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn a_sound_installation_is_found_sound_and_nothing_is_left_behind() {
    let sandbox = sandbox();
    install(&sandbox);
    let before = sandbox.bash("find home cache ! -name '*-shm' ! -name '*-wal' -printf '%p %m %s\\n' | sort").stdout;
    let run = doctor(&sandbox, &[]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    for line in ["ok     binary", "ok     cache", "ok     config", "answers, in at most", "ok     graph", "all is well"]
    {
        // The binary of a test build may lie in a folder that others can write to.
        assert!(run.stdout.contains(line) || line == "all is well", "{line}:\n{}", run.stdout);
    }
    assert!(!run.stdout.contains('\u{1b}'), "no colours but on a terminal");
    let after = sandbox.bash("find home cache ! -name '*-shm' ! -name '*-wal' -printf '%p %m %s\\n' | sort").stdout;
    assert_eq!(String::from_utf8_lossy(&after), String::from_utf8_lossy(&before));
}

#[test]
fn where_nothing_was_indexed_no_cache_is_left() {
    let sandbox = Sandbox::with(&[("a.py", "def f(): pass\n")]);
    install(&sandbox);
    assert!(found(&sandbox, "hooks").iter().any(|finding| finding.contains("answers, in at most")));
    assert!(!sandbox.cache().join("floorplan").exists());
    assert!(found(&sandbox, "graph")[0].contains("has none yet"));
}

#[test]
fn a_hook_that_is_not_registered_or_turned_off_is_a_fault() {
    let sandbox = sandbox();
    assert_eq!(found(&sandbox, "hooks"), ["fault no settings name the hook, so Claude Code does not run it"]);
    install(&sandbox);
    let path = sandbox.home().join(".claude/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen('{', "{\"disableAllHooks\": true,", 1)).unwrap();
    assert_eq!(found(&sandbox, "hooks")[0], "fault Claude Code is told to run no hooks");
    fs::write(&path, text.replacen('{', "{,", 1)).unwrap();
    assert!(found(&sandbox, "hooks")[0].contains("as a whole, deny rules included: "));
}

/// A program that does not answer as the hook does: gone, loud, failing, deciding, silent, for ever.
#[test]
fn what_the_settings_name_is_really_run() {
    let sandbox = sandbox();
    let program = sandbox.path().join("bin/floorplan");
    fs::create_dir(program.parent().unwrap()).unwrap();
    copy_program(&program);
    let run = measured(sandbox.floorplan(&["install", "--binary", program.to_str().unwrap()]));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let says = |script: &str| {
        fs::remove_file(&program).unwrap();
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        found(&sandbox, "hooks").join("\n")
    };
    assert!(says("exit 3").contains("it exits with 3"), "{}", says("exit 3"));
    assert!(says("echo oh >&2").contains("writes to standard error: oh"));
    assert!(says("kill -9 $$").contains("a signal ended it"));
    assert!(says("exit 0").contains("it says nothing about a file that the graph knows"));
    assert!(says("echo hello").contains("its answer is no JSON"));
    let decides = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;
    assert!(says(decides).contains("its answer holds more than context"));
    fs::remove_file(&program).unwrap();
    assert!(found(&sandbox, "hooks")[0].ends_with("is not there"));

    let run = doctor(&sandbox, &["--fix"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap().contains(FLOORPLAN));
    assert!(found(&sandbox, "hooks").iter().all(|finding| finding.starts_with("ok") || finding.starts_with("warning")));
}

/// A repository could name any program.
#[test]
fn what_only_a_projects_settings_name_is_not_run() {
    let sandbox = sandbox();
    let planted = sandbox.repo().join("bin/floorplan");
    sandbox.write("bin/floorplan", &format!("#!/bin/sh\ntouch {}/RAN\n", sandbox.path().display()));
    fs::set_permissions(&planted, Permissions::from_mode(0o755)).unwrap();
    let run = measured(sandbox.floorplan(&["install", "--project", "repo", "--binary", planted.to_str().unwrap()]));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let said = found(&sandbox, "hooks").join("\n");
    assert!(said.contains("which is not this program: it was not run"), "{said}");
    assert!(!sandbox.path().join("RAN").exists());
}

#[test]
fn the_cache_is_made_private_again() {
    let sandbox = sandbox();
    install(&sandbox);
    let (folder, file) = (sandbox.graph(), sandbox.graph().join("graph.db"));
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    assert_eq!(found(&sandbox, "cache").iter().filter(|finding| finding.starts_with("fault")).count(), 2);
    assert_eq!(doctor(&sandbox, &["--fix"]).code, Some(0));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
    std::os::unix::fs::symlink("/etc", folder.join("planted")).unwrap();
    assert!(found(&sandbox, "cache")[0].contains("planted is no file or folder of yours"));
}

#[test]
fn a_damaged_graph_is_built_anew() {
    let sandbox = sandbox();
    install(&sandbox);
    for name in ["graph.db", "snapshot.bin"] {
        fs::write(sandbox.graph().join(name), "garbage").unwrap();
        assert!(found(&sandbox, "graph")[0].starts_with("fault "), "{name}");
        let run = doctor(&sandbox, &["--fix"]);
        assert!(run.code == Some(0) && run.stdout.contains("fixed  graph"), "{}", run.stdout);
        assert!(found(&sandbox, "graph")[0].starts_with("ok "), "{name}");
    }
}

#[test]
fn a_faulty_config_is_told_wherever_one_looks() {
    let sandbox = sandbox();
    install(&sandbox);
    let folder = sandbox.home().join(".config/floorplan");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), "colour = 1\n").unwrap();
    let place = "/.config/floorplan/config.toml:1: colour: unknown field";
    let hint = "mend that line, or move the file away";
    let index = measured(sandbox.floorplan(&["index", "repo"]));
    assert!(index.code == Some(2) && index.stderr.contains(place) && index.stderr.contains(hint), "{}", index.stderr);
    let status = measured(sandbox.floorplan(&["-C", "repo", "status"]));
    assert!(
        status.code == Some(0) && status.stdout.contains(place) && status.stdout.contains(hint),
        "{}",
        status.stdout
    );
    assert!(found(&sandbox, "config")[0].contains(place));
    // A run that nobody watches leaves a note.
    assert_eq!(measured(sandbox.floorplan(&["index", "--background", "repo"])).code, Some(2));
    assert!(found(&sandbox, "log")[0].contains("index: "), "{:?}", found(&sandbox, "log"));
}

#[test]
fn what_the_hook_noted_is_shown() {
    let sandbox = sandbox();
    install(&sandbox);
    fs::write(sandbox.graph().join("snapshot.bin"), "garbage").unwrap();
    let event = crate::support::read_event(&sandbox.repo(), "a.py");
    assert_eq!(sandbox.reply_to(&event).context, None);
    let said = found(&sandbox, "log").join("\n");
    assert!(said.contains("warning hook: snapshot refused"), "{said}");
    assert!(said.contains("1 time, last "), "{said}");
}

#[test]
fn a_program_that_others_can_write_is_told() {
    let sandbox = sandbox();
    let program = sandbox.path().join("bin/floorplan");
    fs::create_dir(program.parent().unwrap()).unwrap();
    copy_program(&program);
    fs::set_permissions(&program, Permissions::from_mode(0o777)).unwrap();
    let run = measured(sandbox.floorplan(&["install", "--binary", program.to_str().unwrap()]));
    assert!(run.code == Some(0) && run.stdout.contains("can be written by others"), "{}", run.stdout);
    let said = found(&sandbox, "hooks").join("\n");
    assert!(said.contains("warning") && said.contains("can be written by others"), "{said}");
}
