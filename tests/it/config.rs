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

/// Both ways: a row can keep a claim from being made, and let one be made that the program's own table forbids.
#[test]
fn rows_of_the_users_own_say_what_a_framework_calls() {
    let sandbox = Sandbox::with(&[(
        "a.py",
        "import acme\n\ndef nobody(): pass\n\ndef on_start(): pass\n\n@acme.quiet\ndef calm(): pass\n",
    )]);
    let claimed = || {
        sandbox.index(&sandbox.repo());
        let run = measured(sandbox.floorplan(&["-C", "repo", "unreferenced", "--json"]));
        let listed: Value = serde_json::from_str(&run.stdout).unwrap();
        let names =
            listed["unreferenced"].as_array().unwrap().iter().map(|row| row["qualname"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(claimed(), ["nobody", "on_start"]);
    let row =
        "[[frameworks]]\nname = \"Acme\"\nlanguage = \"python\"\nnames = [\"on_*\"]\nplain_decorators = [\"quiet\"]\n";
    configure(&sandbox, row);
    assert_eq!(claimed(), ["nobody", "calm"]);
    let shown = measured(sandbox.floorplan(&["config"]));
    assert!(shown.stdout.contains("names = [\"on_*\"]"), "{}", shown.stdout);
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
