//! What agents are told twice, and what they are reminded of, end to end.

use crate::support::{Sandbox, read_event, session_event, tool_event};
use serde_json::{Value, json};

const SOURCES: &[(&str, &str)] = &[
    ("app/__init__.py", ""),
    ("app/core.py", "def load():\n    return 1\n\n\ndef save():\n    return load()\n"),
    ("app/web.py", "from app.core import load, save\n\n\ndef page():\n    return load(), save()\n"),
    ("jobs/nightly.py", "from app.core import save\n\nsave()\n"),
];

/// A repository that is indexed, and events of one session in it.
struct Session(Sandbox);

impl Session {
    fn new() -> Session {
        let sandbox = Sandbox::with(SOURCES);
        sandbox.index(&sandbox.repo());
        Session(sandbox)
    }

    fn said(&self, mut event: Value, agent: Option<&str>) -> Option<String> {
        event["session_id"] = json!("one");
        if let Some(agent) = agent {
            event["agent_id"] = json!(agent);
        }
        self.0.reply_to(&event).context
    }

    /// Each call has an id of its own.
    fn read(&self, path: &str, call: &str, agent: Option<&str>) -> Option<String> {
        let mut event = read_event(&self.0.repo(), self.0.repo().join(path));
        event["tool_use_id"] = json!(call);
        self.said(event, agent)
    }

    fn run(&self, args: &[&str]) -> (Option<i32>, String) {
        let out = self.0.floorplan(args).current_dir(self.0.repo()).output().unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
        (out.status.code(), text)
    }
}

#[test]
fn nothing_is_said_twice_to_one_agent() {
    let session = Session::new();
    assert!(session.read("app/core.py", "1", None).is_some());
    assert_eq!(session.read("app/core.py", "2", None), None);
    assert!(session.read("app/core.py", "3", Some("sub")).is_some(), "another agent has not seen it");
    assert_eq!(session.read("app/core.py", "4", Some("sub")), None);
    let search = |call: &str| {
        let mut event = tool_event(&session.0.repo(), "Grep", &json!({"pattern": "load"}));
        event["tool_use_id"] = json!(call);
        session.said(event, None)
    };
    assert!(search("6").is_some());
    assert_eq!(search("7"), None);
}

#[test]
fn two_copies_of_the_hook_annotate_once() {
    let session = Session::new();
    assert!(session.read("app/core.py", "1", None).is_some());
    assert_eq!(session.read("app/core.py", "1", None), None);
}

#[test]
fn what_changed_is_said_once_and_no_more() {
    let session = Session::new();
    let first = session.read("app/core.py", "1", None).unwrap();
    assert!(first.contains("save() has 2 callers"), "{first}");
    session.0.write("jobs/weekly.py", "from app.core import save\n\nsave()\n");
    session.0.index(&session.0.repo());
    let second = session.read("app/core.py", "2", None).unwrap();
    let changes = "app/core.py: since it was shown, save() went from 2 to 3 callers, its users from 2 to 3 files.";
    assert!(second.starts_with(changes), "{second}");
    assert_eq!(session.read("app/core.py", "3", None), None);
    session.0.write("app/core.py", "def load():\n    return 2\n");
    let third = session.read("app/core.py", "4", None).unwrap();
    assert!(third.contains("file changed since") && !third.contains("since it was shown"), "{third}");
    assert_eq!(session.read("app/core.py", "5", None), None);
}

#[test]
fn after_a_compaction_the_agent_is_reminded_and_told_anew() {
    let session = Session::new();
    session.read("app/core.py", "1", None);
    assert_eq!(session.run(&["note", "app/core.py::save", "writes twice", "--session", "one"]).0, Some(0));
    let start = |source: &str| {
        let mut event = session_event("SessionStart", &session.0.repo());
        event["source"] = json!(source);
        session.said(event, None).unwrap()
    };
    assert!(!start("resume").contains("So far in this session"));
    assert_eq!(session.read("app/core.py", "2", None), None, "a resumed session has its context");
    let text = start("compact");
    assert!(text.contains("So far in this session: read app/core.py; not opened yet but next to these: "), "{text}");
    assert!(text.contains("Noted of app/core.py save: writes twice."), "{text}");
    let again = session.read("app/core.py", "3", None).unwrap();
    assert!(again.contains("Noted of save: writes twice."), "{again}");
    start("clear");
    assert!(session.read("app/core.py", "4", None).is_some());
    let sub = session.said(session_event("SubagentStart", &session.0.repo()), Some("sub")).unwrap();
    assert!(sub.contains("So far in this session: read app/core.py"), "{sub}");
}

#[test]
fn commands_tell_what_was_visited_and_what_is_next() {
    let session = Session::new();
    assert_eq!(session.run(&["visited"]).0, Some(2), "no session yet");
    session.read("app/core.py", "1", None);
    session.read("app/core.py", "2", Some("sub"));
    let (code, visited) = session.run(&["visited"]);
    assert_eq!(code, Some(0));
    assert!(visited.contains("read  app/core.py  2 x") && visited.contains("2 annotations"), "{visited}");
    let (code, frontier) = session.run(&["frontier", "--json", "--session", "one"]);
    assert_eq!(code, Some(0));
    let rows: Value = serde_json::from_str(&frontier).unwrap();
    let paths: Vec<&str> =
        rows["frontier"].as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["app/web.py", "jobs/nightly.py"]);
    assert_eq!(session.run(&["frontier", "--session", "two"]).0, Some(2), "no such session");
    assert_eq!(session.run(&["note", "nowhere", "text"]).0, Some(2));
    assert_eq!(session.run(&["note", "app/web.py", "two\nlines"]).0, Some(2));
    assert_eq!(session.run(&["note", "app/web.py", "slow"]).0, Some(0));
    assert_eq!(session.run(&["notes"]).1, "app/web.py  slow\n");
}

#[test]
fn an_ephemeral_session_leaves_nothing() {
    let session = Session::new();
    let event = read_event(&session.0.repo(), session.0.repo().join("app/core.py"));
    for _ in 0..2 {
        let mut command = session.0.floorplan::<&str>(&[]);
        command.env("FLOORPLAN_EPHEMERAL", "1");
        assert!(session.0.replies(command, &event).context.is_some());
    }
    assert_eq!(session.run(&["visited"]).0, Some(2));
}

#[test]
fn the_setting_forgets_what_was_kept_and_keeps_nothing_more() {
    let session = Session::new();
    session.read("app/core.py", "1", None);
    let (code, said) = session.run(&["config", "ephemeral", "on"]);
    assert_eq!((code, said.as_str()), (Some(0), "nothing of what sessions do is kept; 1 journals were removed\n"));
    for call in ["2", "3"] {
        assert!(session.read("app/core.py", call, None).is_some(), "all is said anew");
    }
    assert_eq!(session.run(&["visited"]).0, Some(2));
    assert_eq!(session.run(&["note", "app/core.py", "slow"]).0, Some(2));
    assert!(session.run(&["config"]).1.contains("# ephemeral: nothing of what sessions do is kept\n"));
    assert_eq!(session.run(&["config", "ephemeral", "off"]).0, Some(0));
    assert!(session.read("app/core.py", "4", None).is_some());
    assert_eq!(session.read("app/core.py", "5", None), None);
}

/// `FLOORPLAN_KILLS` sets how often, for a run at length.
#[test]
fn a_hook_that_is_killed_leaves_a_journal_that_can_be_read() {
    let session = Session::new();
    let kills: u64 = std::env::var("FLOORPLAN_KILLS").map_or(40, |kills| kills.parse().unwrap());
    let mut random = 88_172_645_463_325_252_u64;
    for call in 0..kills {
        // Two at a time, so that one holds the lock while the other waits or dies.
        let mut children: Vec<std::process::Child> = ["", "sub"]
            .map(|agent| {
                let mut event = read_event(&session.0.repo(), session.0.repo().join(SOURCES[call as usize % 3 + 1].0));
                (event["session_id"], event["agent_id"]) = (json!("one"), json!(agent));
                event["tool_use_id"] = json!(format!("{call}"));
                let mut command = session.0.floorplan::<&str>(&[]);
                command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
                let mut child = command.spawn().unwrap();
                // One that is killed early does not read it.
                let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), event.to_string().as_bytes());
                child
            })
            .into();
        for child in &mut children {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            std::thread::sleep(std::time::Duration::from_micros(random % 8_000));
            let _ = child.kill();
            child.wait().unwrap();
        }
    }
    assert!(session.read("app/core.py", "after", Some("third")).is_some());
    let files = std::fs::read_dir(session.0.graph()).unwrap().map(|file| file.unwrap().path());
    let journals: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "journal")).collect();
    let text = std::fs::read_to_string(&journals[0]).unwrap();
    assert!(journals.len() == 1 && text.ends_with('\n'), "{journals:?}");
    for line in text.lines() {
        assert!(line.starts_with("read\t") || line.starts_with("shown\t"), "{line}");
    }
    assert!(session.run(&["visited"]).1.contains("app/core.py"));
}

/// An edit of `app/core.py` to `now`, as the host tells of it afterwards.
fn edited(session: &Session, now: &str, call: &str) -> Option<String> {
    let path = session.0.repo().join("app/core.py");
    let before = std::fs::read_to_string(&path).unwrap();
    session.0.write("app/core.py", now);
    let mut event = tool_event(&session.0.repo(), "Edit", &json!({"file_path": path}));
    event["hook_event_name"] = json!("PostToolUse");
    event["tool_response"] = json!({"filePath": path, "originalFile": before, "structuredPatch": []});
    event["tool_use_id"] = json!(call);
    session.said(event, None)
}

#[test]
fn an_edit_names_the_places_that_no_longer_fit() {
    let session = Session::new();
    session.read("jobs/nightly.py", "1", None);
    let body = "def load():\n    return 2\n\n\ndef save():\n    return load()\n";
    assert_eq!(edited(&session, body, "2"), None, "no signature changed");
    let compatible = body.replace("def save():", "def save(path=None):");
    assert_eq!(edited(&session, &compatible, "3"), None, "all calls still fit");
    let broken = body.replace("def save():", "def save(path):");
    let said = edited(&session, &broken, "4").unwrap();
    assert_eq!(
        said,
        "app/core.py was edited. save() needs path, not given at app/web.py:5, jobs/nightly.py:3. \
         1 of 2 files not opened so far."
    );
    let (_, frontier) = session.run(&["frontier"]);
    assert!(frontier.starts_with("app/web.py  no longer fits"), "{frontier}");
    session.read("app/web.py", "5", None);
    let (_, frontier) = session.run(&["frontier"]);
    assert!(!frontier.contains("app/web.py"), "it was looked at: {frontier}");
    let (_, visited) = session.run(&["visited"]);
    assert!(visited.contains("edited  app/core.py"), "{visited}");
}

#[test]
fn the_status_line_tells_what_was_said_and_whether_it_was_followed() {
    let session = Session::new();
    let line = |input: &Value| {
        let mut command = session.0.floorplan(&["statusline"]);
        command.current_dir(session.0.home()).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.to_string().as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    let input = json!({"session_id": "one", "cwd": session.0.repo(), "model": {"id": "any"}});
    assert_eq!(line(&input), "floorplan: 3 symbols, age unknown\n");
    session.read("app/core.py", "1", None).unwrap();
    session.read("jobs/nightly.py", "2", None);
    let said = line(&input);
    assert!(
        said.starts_with("floorplan: 3 symbols, age unknown, 1 annotations of ")
            && said.ends_with(" tokens, 100 % followed\n"),
        "{said}"
    );
    assert_eq!(line(&json!("no object")), "floorplan: not indexed\n");
    let (_, status) = session.run(&["status"]);
    assert!(status.contains("in 1 session; 100 % followed"), "{status}");
}

#[test]
fn a_captured_event_is_answered_again_without_a_trace() {
    let session = Session::new();
    let replay = |event: &Value| {
        session.0.write("../event.json", &event.to_string());
        session.run(&["explain", "../event.json"])
    };
    let event = read_event(&session.0.repo(), session.0.repo().join("app/core.py"));
    let (code, text) = replay(&event);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.starts_with("PreToolUse Read\n  asks  a read of ") && text.contains("said  app/core.py: save() has"),
        "{text}"
    );
    assert!(session.read("app/core.py", "1", None).is_some(), "the session was told nothing");
    let (code, text) = replay(&tool_event(&session.0.repo(), "Bash", &json!({"command": "cargo build"})));
    assert!(code == Some(1) && text.contains("neither reads nor searches"), "{text}");
    let (code, text) = replay(&tool_event(&session.0.repo(), "Bash", &json!({"command": "grep -rn 'no name' ."})));
    assert!(code == Some(1) && text.contains("which holds no name"), "{text}");
}
