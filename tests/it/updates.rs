//! After an edit, end to end: the graph follows by itself, and says how it stands to the files.

use std::time::{Duration, Instant};

use crate::support::{Sandbox, has, measured, read_event, tool_event};
use serde_json::{Value, json};

const SOURCES: &[(&str, &str)] = &[
    ("app/__init__.py", ""),
    ("app/core.py", "def load():\n    return 1\n\n\ndef save():\n    return load()\n"),
    ("app/web.py", "from app.core import load, save\n\n\ndef page():\n    return load(), save()\n"),
];

/// A run that the hook started gets so long.
const PATIENCE: Duration = Duration::from_secs(60);

fn after(tool: &str, sandbox: &Sandbox, input: &Value) -> Value {
    let mut event = tool_event(&sandbox.repo(), tool, input);
    event["hook_event_name"] = json!("PostToolUse");
    event["tool_response"] = json!({"filePath": "x"});
    event
}

/// Waits until the dump holds (or no longer holds) a text.
fn wait_for(sandbox: &Sandbox, text: &str, there: bool) {
    let started = Instant::now();
    while sandbox.dump(&sandbox.repo()).contains(text) != there {
        assert!(started.elapsed() < PATIENCE, "{text} {there}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What `floorplan status --json` says of the work tree, once no run is at work.
fn standing(sandbox: &Sandbox) -> Value {
    let started = Instant::now();
    loop {
        let run = measured(sandbox.floorplan(&["status", "--json", "-C", sandbox.repo().to_str().unwrap()]));
        let status: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
        if status["standing"]["running"] == json!(false) {
            return status["standing"].clone();
        }
        assert!(started.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn after_an_edit_the_graph_follows_by_itself() {
    let sandbox = Sandbox::with(SOURCES);
    sandbox.index(&sandbox.repo());
    sandbox.write(
        "app/web.py",
        "from app.core import load\n\n\ndef page():\n    return load()\n\n\ndef added():\n    pass\n",
    );
    let path = sandbox.repo().join("app/web.py");
    let event =
        after("Edit", &sandbox, &json!({"file_path": path.to_str().unwrap(), "old_string": "a", "new_string": "b"}));
    assert_eq!(sandbox.reply_to(&event).context, None);
    wait_for(&sandbox, "\"added\"", true);
    let said = sandbox.annotation(&read_event(&sandbox.repo(), sandbox.repo().join("app/core.py")));
    assert!(!said.contains("file changed") && said.contains("load() has 2 callers"), "{said}");
    assert_eq!(standing(&sandbox)["differing"], json!([]));

    // Many in a row: the last one is seen too.
    for i in 0..20 {
        sandbox.write("app/web.py", &format!("def added{i}():\n    pass\n"));
        assert_eq!(sandbox.reply_to(&event).context, None);
    }
    wait_for(&sandbox, "\"added19\"", true);
    wait_for(&sandbox, "\"added18\"", false);
}

#[test]
fn an_edit_is_remembered_and_an_edit_elsewhere_leaves_nothing() {
    let sandbox = Sandbox::with(SOURCES);
    let path = sandbox.repo().join("app/web.py");
    let event = after("Write", &sandbox, &json!({"file_path": path.to_str().unwrap(), "content": "x = 1"}));
    assert_eq!(sandbox.reply_to(&event).context, None);
    assert!(!sandbox.cache().exists(), "a folder that was never indexed stays unknown");
    sandbox.index(&sandbox.repo());
    assert_eq!(sandbox.reply_to(&event).context, None);
    let visited = measured(sandbox.floorplan(&["visited", "-C", sandbox.repo().to_str().unwrap()]));
    assert!(visited.stdout.contains("edited  app/web.py"), "{}", visited.stdout);
}

#[test]
fn after_a_checkout_the_graph_follows_by_itself() {
    if !has("git") {
        return;
    }
    let sandbox = Sandbox::with(SOURCES);
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-qm", "one"]);
    sandbox.index(&sandbox.repo());
    sandbox.git(&["checkout", "-qb", "other"]);
    sandbox.write("app/other.py", "def other(): pass\n");
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-qm", "two"]);
    let before = standing(&sandbox);
    assert_eq!(before["commits"], json!([1, 0]));
    assert_eq!(before["differing"], json!([{"path": "app/other.py", "how": "new"}]));
    let event = after("Bash", &sandbox, &json!({"command": "git add . && git commit -qm two"}));
    assert_eq!(sandbox.reply_to(&event).context, None);
    wait_for(&sandbox, "app/other.py", true);
    assert_eq!(standing(&sandbox)["commits"], json!([0, 0]));
    sandbox.git(&["checkout", "-q", "main"]);
    let event = after("Bash", &sandbox, &json!({"command": "git checkout main"}));
    assert_eq!(sandbox.reply_to(&event).context, None);
    wait_for(&sandbox, "app/other.py", false);
}

#[test]
fn a_work_tree_is_indexed_at_its_first_read_and_nothing_is_parsed() {
    if !has("git") {
        return;
    }
    let sandbox = Sandbox::with(SOURCES);
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-qm", "one"]);
    let tree = sandbox.repo().join(".claude/worktrees/one");
    sandbox.git(&["worktree", "add", "-q", ".claude/worktrees/one"]);
    let event = read_event(&tree, tree.join("app/core.py"));
    assert_eq!(sandbox.reply_to(&event).context, None);
    assert!(!sandbox.cache().exists(), "a repository that was never indexed stays unknown");
    sandbox.index(&sandbox.repo());
    let started = Instant::now();
    let said = loop {
        if let Some(said) = sandbox.reply_to(&event).context {
            break said;
        }
        assert!(started.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(said.contains("load() has 2 callers"), "{said}");
    // The pass of the background may still hold the lock when its snapshot is there.
    let run = loop {
        let run = measured(sandbox.floorplan(&["index", "--json", tree.to_str().unwrap()]));
        if run.code == Some(0) {
            break run;
        }
        assert!(started.elapsed() < PATIENCE, "{}", run.stderr);
        std::thread::sleep(Duration::from_millis(20));
    };
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&report["parsed"], &report["files"]), (&json!(0), &json!(3)));
    assert!(!sandbox.dump(&sandbox.repo()).contains("worktrees"), "and it is none of the outer graph's");
}

#[test]
fn verify_tells_a_right_graph_from_a_wrong_one() {
    let sandbox = Sandbox::with(SOURCES);
    sandbox.index(&sandbox.repo());
    let verify = || measured(sandbox.floorplan(&["verify", "-C", sandbox.repo().to_str().unwrap()]));
    let right = verify();
    assert_eq!(right.code, Some(0), "{}{}", right.stdout, right.stderr);
    assert!(right.stdout.starts_with("the graph is what a full pass makes"), "{}", right.stdout);
    let touched = std::fs::File::options().write(true).open(sandbox.repo().join("app/core.py")).unwrap();
    touched.set_modified(std::time::SystemTime::now() + Duration::from_secs(5)).unwrap();
    let right = verify();
    assert_eq!(right.code, Some(0), "only touched: {}{}", right.stdout, right.stderr);
    sandbox.write("app/web.py", "def other():\n    pass\n");
    let wrong = verify();
    assert_eq!(wrong.code, Some(1), "{}{}", wrong.stdout, wrong.stderr);
    assert!(wrong.stdout.contains("missing  {") && wrong.stdout.contains("extra    {"), "{}", wrong.stdout);
    assert!(!sandbox.graph().join("verify").exists());
}
