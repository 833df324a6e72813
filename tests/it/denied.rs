//! What the user denied the agent to read is neither indexed nor named.

use std::fs;

use serde_json::json;

use crate::support::{Sandbox, measured, read_event, session_event, tool_event};

/// Names that must not be said, planted where rules deny them.
const CANARIES: [&str; 3] = ["vault_code", "VaultKey", "hidden_helper"];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("app/core.py", "from app.vault import vault_code\n\ndef run():\n    return 1\n"),
        ("app/main.py", "from app.core import run\n\nrun()\n"),
        ("app/vault.py", "from app.core import run\n\nclass VaultKey: pass\n\ndef vault_code():\n    return run()\n"),
        ("private/tool.py", "from app.core import run\n\ndef hidden_helper():\n    return run()\n"),
        ("private/notes.md", "hidden_helper is what VaultKey needs\n"),
    ]);
    sandbox.git(&["init", "-q"]);
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-qm", "all of it"]);
    sandbox
}

fn deny(sandbox: &Sandbox, rules: &[&str]) {
    fs::create_dir_all(sandbox.home().join(".claude")).unwrap();
    let text = json!({"permissions": {"deny": rules}}).to_string();
    fs::write(sandbox.home().join(".claude/settings.json"), text).unwrap();
}

/// Whatever any command, tool or hook says that could name something.
fn everything_said(sandbox: &Sandbox) -> String {
    let repo = sandbox.repo();
    let mut said = sandbox.dump(&repo);
    for args in [
        &["status"][..],
        &["search", "vault"],
        &["search", "hidden helper"],
        &["callers", "run"],
        &["blast-radius", "run"],
        &["neighbors", "app/core.py"],
        &["neighborhoods"],
        &["unreferenced"],
        &["hubs"],
        &["plan", "run"],
        &["review"],
        &["review", "HEAD~1"],
        &["seed", "the vault code and its hidden helper"],
        &["explain", "app/core.py"],
        &["explain", "app/vault.py"],
        &["explain", "private/tool.py"],
        &["callers", "app/vault.py::vault_code"],
    ] {
        for json in [&[][..], &["--json"]] {
            let run = measured(sandbox.floorplan(&[&["-C", "repo"], args, json].concat()));
            said += &format!("{args:?}: {}{}\n", run.stdout, run.stderr);
        }
    }
    let mut events = vec![session_event("SessionStart", &repo), session_event("SubagentStart", &repo)];
    for path in ["app/core.py", "app/main.py", "app/vault.py", "private/tool.py", "private/notes.md"] {
        events.push(read_event(&repo, path));
        events.push(tool_event(&repo, "Bash", &json!({"command": format!("cat {path}")})));
    }
    for name in ["run", "vault_code", "VaultKey", "hidden_helper", "hidden.*"] {
        events.push(tool_event(&repo, "Grep", &json!({"pattern": name})));
    }
    let mut prompt = session_event("UserPromptSubmit", &repo);
    prompt["prompt"] =
        json!("Change what the hidden helper and the vault code do when run is called, see @app/core.py");
    events.push(prompt);
    for event in events {
        said += &sandbox.reply_to(&event).context.unwrap_or_default();
        said.push('\n');
    }
    said
}

/// What was asked for is of course repeated in a refusal.
fn without_questions(said: &str) -> String {
    let is_refusal = |line: &&str| {
        !line.contains("there is no file")
            && !line.contains("is not in the graph")
            && !line.contains("\"unknown\":")
            && !line.contains("no symbol")
            && !line.contains("[\"explain\"")
    };
    said.lines().filter(is_refusal).collect::<Vec<_>>().join("\n")
}

#[test]
fn denied_files_are_in_no_answer_and_go_with_the_next_index() {
    let sandbox = sandbox();
    sandbox.index(&sandbox.repo());
    let said = everything_said(&sandbox);
    assert!(CANARIES.iter().all(|canary| said.contains(canary)), "the questions find them where nothing is denied");
    assert!(said.contains("app/vault.py") && said.contains("private/tool.py"));

    deny(&sandbox, &["Read(./private/**)", "Read(vault.py)"]);
    // As the hook starts it.
    let run = measured(sandbox.floorplan(&["index", "--background", "repo"]));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // core.py says itself what it imports.
    let said = without_questions(&everything_said(&sandbox)).replace("from app.vault import vault_code", "");
    for name in ["VaultKey", "hidden_helper", "private/tool", "private/notes", "app/vault.py"] {
        let line = said.lines().find(|line| line.contains(name));
        assert!(line.is_none(), "{name}: {}", line.unwrap());
    }
    let left = sandbox.bash("grep -rlaE 'VaultKey|hidden_helper|private/tool' cache || true").stdout;
    // Journals keep what the agent itself did before.
    let left = String::from_utf8(left).unwrap();
    assert!(left.lines().all(|path| path.ends_with(".journal")), "{left}");

    deny(&sandbox, &[]);
    sandbox.index(&sandbox.repo());
    assert!(sandbox.dump(&sandbox.repo()).contains("VaultKey"));
}

#[test]
fn a_session_that_starts_after_a_change_of_the_rules_has_them_kept() {
    let sandbox = sandbox();
    sandbox.index(&sandbox.repo());
    deny(&sandbox, &["Read(./private/**)"]);
    sandbox.reply_to(&session_event("SessionStart", &sandbox.repo()));
    let started = std::time::Instant::now();
    while sandbox.dump(&sandbox.repo()).contains("hidden_helper") {
        assert!(started.elapsed().as_secs() < 60, "no index run was started");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn a_clone_can_only_add_rules() {
    let sandbox = sandbox();
    deny(&sandbox, &["Read(./private/**)"]);
    let allow =
        r#"{"permissions": {"allow": ["Read(**)"], "deny": ["Read(!private/tool.py)", "Read(/app/vault.py)"]}}"#;
    sandbox.write(".claude/settings.json", allow);
    sandbox.index(&sandbox.repo());
    let dump = sandbox.dump(&sandbox.repo());
    assert!(!dump.contains("hidden_helper") && !dump.contains("VaultKey") && dump.contains("app/core.py"));
}

#[test]
fn secret_like_files_are_not_named() {
    let secrets = [".env", ".env.local", ".env.ts", "id_rsa", "server.pem", "credentials.json", ".npmrc", "tls.key"];
    let text = "canary_word = canary_value\n";
    let mut files: Vec<(&str, &str)> = secrets.iter().map(|name| (*name, text)).collect();
    files.push(("a.py", "def canary_word(): pass\n"));
    let sandbox = Sandbox::with(&files);
    sandbox.git(&["init", "-q"]);
    sandbox.git(&["add", "-f", "."]);
    sandbox.index(&sandbox.repo());
    let dump = sandbox.dump(&sandbox.repo());
    for name in secrets {
        assert!(!dump.contains(name), "{name}");
        assert_eq!(sandbox.reply_to(&read_event(&sandbox.repo(), name)).context, None, "{name}");
    }
    let left = sandbox.bash("grep -rla canary_value cache || true").stdout;
    assert_eq!(String::from_utf8_lossy(&left), "");
}
