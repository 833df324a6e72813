//! `floorplan install` as a user runs it, and the hook blocks that are kept as files for those who register by hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn floorplan(home: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_floorplan"))
        .args(args)
        .env_clear()
        .env("HOME", home)
        .current_dir(home)
        .output()
        .unwrap()
}

fn json(path: impl AsRef<Path>) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn checkout(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The hooks object with every command replaced by its file name.
fn events(mut settings: Value) -> Value {
    let hooks = settings["hooks"].as_object_mut().unwrap();
    for handler in hooks.values_mut().flat_map(|groups| groups.as_array_mut().unwrap()) {
        for handler in handler["hooks"].as_array_mut().unwrap() {
            let name = handler["command"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            handler["command"] = Value::String(name);
        }
    }
    settings["hooks"].clone()
}

#[test]
fn the_hook_blocks_kept_as_files_are_what_install_writes() {
    let home = tempfile::tempdir().unwrap();
    assert!(floorplan(home.path(), &["install"]).status.success());
    let written = events(json(home.path().join(".claude/settings.json")));
    assert_eq!(events(json(checkout("hooks/settings.json"))), written);
    assert_eq!(events(json(checkout("hooks/hooks.json"))), written);
    let plugin = fs::read_to_string(checkout("hooks/hooks.json")).unwrap();
    assert_eq!(plugin.matches("\"${CLAUDE_PLUGIN_ROOT}/bin/floorplan\"").count(), written.as_object().unwrap().len());
}

#[test]
fn the_plugin_carries_the_version_of_the_package() {
    for path in [".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"] {
        let manifest = json(checkout(path));
        let version = manifest.get("version").unwrap_or(&manifest["plugins"][0]["version"]);
        assert_eq!(version, env!("CARGO_PKG_VERSION"), "{path}");
    }
}

#[test]
fn install_twice_and_uninstall_gives_back_the_users_settings() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(".claude/settings.json");
    fs::create_dir(home.path().join(".claude")).unwrap();
    let text = "{\"model\": \"x\", \"hooks\": {\"PreToolUse\": [{\"matcher\": \"Read\", \"hooks\": [{\"type\": \"command\", \"command\": \"/usr/bin/true\"}]}]}}\n";
    fs::write(&path, text).unwrap();
    let dry = floorplan(home.path(), &["install", "--dry-run"]);
    assert!(String::from_utf8_lossy(&dry.stdout).contains("+ hooks.SessionStart"));
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert!(floorplan(home.path(), &["install"]).status.success());
    let once = fs::read_to_string(&path).unwrap();
    assert_eq!(json(&path)["hooks"]["PreToolUse"][1]["hooks"][0]["command"], env!("CARGO_BIN_EXE_floorplan"));
    assert!(floorplan(home.path(), &["install"]).status.success());
    assert_eq!(fs::read_to_string(&path).unwrap(), once);
    assert!(floorplan(home.path(), &["uninstall"]).status.success());
    assert_eq!(json(&path), serde_json::from_str::<Value>(text).unwrap());
}

#[test]
fn a_file_that_cannot_be_parsed_is_refused_with_its_place_and_not_touched() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(".claude/settings.json");
    fs::create_dir(home.path().join(".claude")).unwrap();
    let text = "{\n  \"permissions\": {\"deny\": [\"Read(.env)\"]},\n}\n";
    fs::write(&path, text).unwrap();
    let out = floorplan(home.path(), &["install"]);
    assert_eq!(out.status.code(), Some(2));
    let message = String::from_utf8(out.stderr).unwrap();
    assert!(message.contains(".claude/settings.json is left as it is: trailing comma at line 3"), "{message}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert_eq!(fs::read_dir(home.path().join(".claude")).unwrap().count(), 1);
}

#[test]
fn a_project_install_leaves_the_users_settings_alone() {
    let home = tempfile::tempdir().unwrap();
    let repo = home.path().join("repo");
    fs::create_dir_all(repo.join(".git")).unwrap();
    assert!(floorplan(home.path(), &["install", "--project", "repo"]).status.success());
    assert!(repo.join(".claude/settings.json").exists());
    assert!(!home.path().join(".claude").exists());
}

fn settings_in(home: &Path) -> PathBuf {
    home.join(".claude/settings.json")
}

/// The files beside the settings.
fn beside(home: &Path) -> Vec<String> {
    let names = fs::read_dir(home.join(".claude")).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).filter(|name| name != "settings.json").collect()
}

#[test]
fn settings_of_every_shape_are_merged_or_refused_and_given_back() {
    let rules = r#""permissions": {"deny": ["Read(.env)"]}"#;
    let shapes = [
        (format!("{{{rules}}}"), true),
        (format!("{{\n\t{rules}\n}}\n"), true),
        (format!("\u{feff}{{\r\n  {rules}\r\n}}\r\n"), true),
        (format!("\n\n  {{ {rules} , \"hooks\" : {{ }} }}"), true),
        (format!("{{{rules},\"hooks\":{{\"Stop\":[]}}}}"), true),
        ("{}".into(), true),
        (String::new(), true),
        (format!("{{{rules},}}"), false),
        (format!("{{ // why\n{rules}}}"), false),
        (format!("{{/* why */{rules}}}"), false),
        (format!("{{{rules}}} {{}}"), false),
        (format!("{{{rules}"), false),
        (format!("{{{rules}, {rules}}}"), false),
        ("[]".into(), false),
        ("\"text\"".into(), false),
        ("null".into(), false),
        (format!("{{{rules}, \"hooks\": []}}"), false),
        (format!("{{{rules}, \"hooks\": {{\"PreToolUse\": {{}}}}}}"), false),
        ("\u{0}\u{0}".into(), false),
    ];
    for (text, merged) in shapes {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join(".claude")).unwrap();
        let path = settings_in(home.path());
        fs::write(&path, &text).unwrap();
        let out = floorplan(home.path(), &["install"]);
        assert_eq!(out.status.success(), merged, "{text:?}: {}", String::from_utf8_lossy(&out.stderr));
        let now = fs::read_to_string(&path).unwrap();
        if merged {
            let value: Value = serde_json::from_str(now.trim_start_matches('\u{feff}')).unwrap();
            assert_eq!(value["hooks"]["PreToolUse"].as_array().unwrap().len(), 1);
            assert!(!text.contains(rules) || now.contains(rules), "{now}");
            assert!(floorplan(home.path(), &["uninstall"]).status.success());
        } else {
            let said = String::from_utf8_lossy(&out.stderr).into_owned();
            assert!(said.contains("is left as it is"), "{text:?}: {said}");
            // Nothing of ours can be in it.
            floorplan(home.path(), &["uninstall"]);
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(beside(home.path()), Vec::<String>::new(), "{text:?}");
    }
}

#[test]
fn a_large_file_is_edited_and_given_back() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join(".claude")).unwrap();
    let rules: Vec<String> = (0..380_000).map(|n| format!("\"Read(./secret/{n:06}.txt)\"")).collect();
    let text = format!("{{\"permissions\": {{\"deny\": [{}]}}}}", rules.join(", "));
    assert!(text.len() > 9_000_000);
    fs::write(settings_in(home.path()), &text).unwrap();
    assert!(floorplan(home.path(), &["install"]).status.success());
    assert!(fs::read_to_string(settings_in(home.path())).unwrap().starts_with(&text[..text.len() - 1]));
    assert!(floorplan(home.path(), &["uninstall"]).status.success());
    assert_eq!(fs::read_to_string(settings_in(home.path())).unwrap(), text);
    assert_eq!(beside(home.path()), Vec::<String>::new());
}

#[test]
fn nothing_is_left_after_an_uninstall_and_a_purge() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("repo")).unwrap();
    fs::write(home.path().join("repo/a.py"), "def f(): pass\n").unwrap();
    for args in
        [&["install"][..], &["install", "--project", "repo"], &["index", "repo"], &["uninstall", "--project", "repo"]]
    {
        assert!(floorplan(home.path(), args).status.success(), "{args:?}");
    }
    let dry = floorplan(home.path(), &["uninstall", "--purge", "--dry-run"]);
    assert!(String::from_utf8_lossy(&dry.stdout).contains("would be removed"));
    assert!(home.path().join(".cache/floorplan").exists());
    assert!(floorplan(home.path(), &["uninstall", "--purge"]).status.success());
    let names = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert_eq!(names, [".cache", "repo"], "the cache folder is everybody's");
    assert_eq!(fs::read_dir(home.path().join(".cache")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(home.path().join("repo")).unwrap().count(), 1);
    assert!(floorplan(home.path(), &["uninstall", "--purge"]).status.success(), "again is no failure");
}
