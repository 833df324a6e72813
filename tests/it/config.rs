//! The user's settings: read from their home, never from a repository, and never by the hook.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Sandbox, measured, read_event};

/// Writes the user's settings.
fn configure(sandbox: &Sandbox, text: &str) {
    let folder = sandbox.home().join(".config/floorplan");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

#[test]
fn settings_are_shown_with_the_file_they_come_from() {
    let sandbox = Sandbox::with(&[]);
    let show = || -> Value {
        let run = measured(sandbox.floorplan(&["config", "--json"]));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        serde_json::from_str(&run.stdout).unwrap()
    };
    let path = sandbox.home().join(".config/floorplan/config.toml");
    assert_eq!((&show()["path"], &show()["present"]), (&json!(path), &json!(false)));
    configure(&sandbox, "# nothing yet\n");
    assert_eq!((&show()["path"], &show()["present"]), (&json!(path), &json!(true)));
}

#[test]
fn a_fault_stops_the_index_with_its_place_and_the_hook_does_not_care() {
    let sandbox = Sandbox::with(&[("a.py", "def f(): pass\n"), ("b.py", "import a\na.f()\n")]);
    sandbox.index(&sandbox.repo());
    configure(&sandbox, "# mine\ncolour = 1\n");
    let run = measured(sandbox.floorplan(&["index", "repo"]));
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("/.config/floorplan/config.toml:2: colour: unknown field `colour`"), "{}", run.stderr);
    assert!(sandbox.reply_to(&read_event(&sandbox.repo(), "a.py")).context.is_some());
}

#[test]
fn settings_in_a_repository_are_not_read() {
    let fault = "colour = 1\n";
    let sandbox = Sandbox::with(&[
        ("a.py", "x = 1\n"),
        (".config/floorplan/config.toml", fault),
        ("floorplan/config.toml", fault),
        ("floorplan.toml", fault),
        (".floorplan.toml", fault),
    ]);
    sandbox.index(&sandbox.repo());
    let run = measured(sandbox.floorplan(&["-C", "repo", "config"]));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}
