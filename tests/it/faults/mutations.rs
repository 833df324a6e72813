//! Inputs spoiled at random: captured events and our own, cut, flipped, spliced, with values of other types and keys that
//! stand there twice, and command lines treated the same way. None may crash the hook, hold it up, make it decide, print
//! to stderr or claim that nobody calls what is called.
//!
//! Most run inside one process, through the library's way of answering an event again; the test starts itself once more for
//! that, since the environment says where the graph lies. Some run through the program. One seed is always the same, one is
//! new in each run and told when it fails. `FLOORPLAN_MUTATIONS` and `FLOORPLAN_MUTATED_RUNS` are how many, `FLOORPLAN_SEED`
//! repeats a run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::ground::{Ground, run_any};
use super::paths::is_plain;
use super::{say, security};

/// Set for the process that answers: the folder of the repository.
const WORKER: &str = "FLOORPLAN_MUTATIONS_IN";

/// No answer takes so long, on any machine.
const HANG: Duration = Duration::from_secs(20);

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// xorshift64*: the same from the same seed on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit.max(1)
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

fn seeds() -> Vec<u64> {
    match number("FLOORPLAN_SEED", 0) {
        0 => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
            vec![0x9e37_79b9_7f4a_7c15, now | 1]
        }
        seed => vec![seed],
    }
}

/// Command lines with everything that the reader of command lines knows.
const COMMANDS: &[&str] = &[
    "grep -rn 'load' app | head -20",
    "cat app/core.py | grep -n \"def \" && sed -n '1,40p' app/web.py",
    "cd app && rg --type py -e load -e save -g '!*.pyc' . 2>/dev/null || true",
    "head -n 5 app/core.py; tail -5 jobs/nightly.py; less +3 app/core.py",
    "bash -c \"grep -n load app/core.py\" <<'END'\nfoo\nEND",
    "find . -name '*.py' -print0 | xargs -0 grep -l load",
    "for f in app/*.py; do echo $f; awk '/load/{print}' \"$f\"; done",
    "(cd app; git grep -n load -- '*.py') & wait",
    "A=1 env B=2 timeout 5 nice -n 3 cat \"$(echo app/core.py)\" `echo x` ${HOME:-/x} $((1+2))",
    "git checkout -b x && git -C app stash pop; git switch -",
    "if [ -f app/core.py ]; then cat <app/core.py; fi; case x in *) cat app/web.py;; esac",
    "cat <<EOF >app/new.py\nimport os\nEOF",
    "grep -E 'load|save' {app,jobs}/*.py $'a\\x41\\n' \\\n  --include=*.py",
    "python3 - <<'E'\nprint(open('app/core.py').read())\nE",
];

/// Text that means something to some layer.
const PIECES: &[&str] = &[
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "null",
    "1e999",
    "-0",
    "'",
    "`",
    "$(",
    ")",
    "|",
    ";",
    "\n",
    "&",
    "<<E",
    ">",
    "<",
    "*",
    "../",
    "/",
    "~",
    "\u{202e}",
    "\u{200b}",
    "\0",
    "\u{1b}[31m",
    "%s",
    "--",
    " -e ",
    "load",
    "app/core.py",
    "$'",
    "${",
    "#",
    "=",
    "\t",
    "\r",
];

/// What is spoiled: events as text, retargeted to a repository that is indexed.
struct Corpus {
    events: Vec<String>,
    /// A Bash event, into which command lines go.
    shell: Value,
}

impl Corpus {
    fn of(root: &Path, own: Vec<Value>) -> Corpus {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/events");
        let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let mut events: Vec<String> = own.iter().map(Value::to_string).collect();
        let shell = own
            .into_iter()
            .find(|event| event["tool_name"] == "Bash" && event["hook_event_name"] == "PreToolUse")
            .unwrap();
        for path in paths {
            let text = fs::read_to_string(path).unwrap();
            let text = text.replace("/home/dev/proj", root.to_str().unwrap());
            events.push(text.replace("/pkg/a.py", "/app/core.py").replace("/pkg/b.py", "/app/web.py"));
        }
        Corpus { events, shell }
    }

    fn event(&self, random: &mut Random) -> &str {
        &self.events[random.below(self.events.len())]
    }

    /// One spoiled input.
    fn spoiled(&self, random: &mut Random) -> Vec<u8> {
        match random.below(8) {
            0 | 1 => self.command(random),
            2 => {
                let event = self.event(random);
                retyped(event, random)
            }
            3 => {
                let event = self.event(random);
                doubled(event, random)
            }
            4 => {
                let text = self.event(random).as_bytes();
                text[..random.below(text.len())].to_vec()
            }
            5 => {
                let one = self.event(random).as_bytes();
                let other = self.event(random).as_bytes();
                let (a, b) = (random.below(one.len()), random.below(one.len()));
                let (c, d) = (random.below(other.len()), random.below(other.len()));
                [&one[..a.min(b)], &other[c.min(d)..c.max(d)], &one[a.max(b)..]].concat()
            }
            _ => {
                let event = self.event(random);
                disturbed(event.as_bytes(), random)
            }
        }
    }

    /// An event with a spoiled command line, which itself is sound.
    fn command(&self, random: &mut Random) -> Vec<u8> {
        let mut line = disturbed(random.of(COMMANDS).as_bytes(), random);
        if random.below(4) == 0 {
            line.extend(disturbed(random.of(COMMANDS).as_bytes(), random));
        }
        let mut event = self.shell.clone();
        event["tool_input"] = json!({"command": String::from_utf8_lossy(&line)});
        event.to_string().into_bytes()
    }
}

/// A few bytes changed, taken out or put in.
fn disturbed(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(5) {
            0 if !bytes.is_empty() => bytes[at] = random.below(256) as u8,
            1 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            2 => {
                let end = (at + random.below(20)).min(bytes.len());
                bytes.drain(at.min(end)..end);
            }
            3 => {
                let end = (at + random.below(60)).min(bytes.len());
                let copy = bytes[at.min(end)..end].repeat(1 + random.below(40));
                bytes.splice(at..at, copy);
            }
            _ => {
                let piece = random.of(PIECES).as_bytes().to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

/// The places of all values in a value, as JSON pointers.
fn places(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut next = 0;
    while let Some(place) = found.get(next).cloned() {
        match value.pointer(&place) {
            Some(Value::Object(map)) => {
                let escaped = map.keys().map(|key| key.replace('~', "~0").replace('/', "~1"));
                found.extend(escaped.map(|key| format!("{place}/{key}")));
            }
            Some(Value::Array(all)) => found.extend((0..all.len()).map(|n| format!("{place}/{n}"))),
            _ => {}
        }
        next += 1;
    }
    found
}

/// A value somewhere in the event replaced by one of another type.
fn retyped(event: &str, random: &mut Random) -> Vec<u8> {
    let Ok(mut value) = serde_json::from_str::<Value>(event) else { return event.into() };
    let all = places(&value);
    let place = &all[random.below(all.len())];
    let text = random.of(PIECES).repeat(1 + random.below(50));
    if let Some(leaf) = value.pointer_mut(place) {
        *leaf = match random.below(11) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(-1),
            3 => json!(1e308),
            4 => json!(""),
            5 => json!([]),
            6 => json!({}),
            7 => json!([[leaf.clone()]]),
            8 => json!({"file_path": leaf.clone()}),
            9 => json!(u64::MAX),
            _ => json!(text),
        };
    }
    value.to_string().into_bytes()
}

/// A key of the event that stands there twice, with another value.
fn doubled(event: &str, random: &mut Random) -> Vec<u8> {
    let names = [
        "tool_input",
        "cwd",
        "hook_event_name",
        "tool_name",
        "session_id",
        "file_path",
        "command",
        "pattern",
        "prompt",
        "source",
        "agent_id",
    ];
    let values = [
        "null",
        "7",
        "\"\"",
        "{}",
        "[]",
        "\"PreToolUse\"",
        "\"Read\"",
        "{\"file_path\":\"app/core.py\"}",
        "\"/\"",
        "\"\\u0000\"",
    ];
    let opens: Vec<usize> = event.match_indices('{').map(|(at, _)| at + 1).collect();
    let at = if opens.is_empty() { 0 } else { *random.of(&opens) };
    let pair = format!("\"{}\":{},", random.of(&names), random.of(&values));
    [&event[..at], &pair, &event[at..]].concat().into_bytes()
}

/// What may be said in the repository of these tests, whatever was asked.
fn assert_true(said: &str) {
    for name in ["load", "save"] {
        assert!(!said.contains(&format!("outside tests: {name}")), "{said}");
    }
    if let Some((_, rest)) = said.split_once("load() has ") {
        assert!(rest.starts_with("3 callers") || rest.starts_with("1 caller"), "{said}");
    }
    assert!(said.lines().all(is_plain), "{said:?}");
    assert!(said.len() < 4000, "{said}");
}

/// Answers spoiled events in this process.
fn work(root: &Path) {
    let (own, count) = (fs::read(root.join("../own.json")).unwrap(), number("FLOORPLAN_MUTATIONS", 0));
    let own: Vec<Value> = serde_json::from_slice(&own).unwrap();
    let corpus = Corpus::of(root, own);
    let mut answered = 0;
    let mut answer = |input: &[u8], which: &dyn Fn() -> String| {
        // What comes after an edit starts a program, which here would be these tests.
        let is_edit = input.windows(11).any(|part| part == b"PostToolUse");
        let elsewhere = is_edit.then(|| replaced(input, root.to_str().unwrap(), "/nonexistent"));
        let input = elsewhere.as_deref().unwrap_or(input);
        let started = Instant::now();
        let said = std::panic::catch_unwind(|| floorplan::hook::replay(input).and_then(|replay| replay.said));
        let said = said.unwrap_or_else(|_| panic!("{}: {}", which(), String::from_utf8_lossy(input)));
        assert!(started.elapsed() < HANG, "{}: {}", which(), String::from_utf8_lossy(input));
        if let Some(said) = said {
            answered += 1;
            assert_true(&said);
        }
    };
    for event in &corpus.events {
        // Every prefix of the short ones, some of the long ones.
        for end in (0..event.len()).step_by(1 + event.len() / 400) {
            answer(&event.as_bytes()[..end], &|| format!("cut at {end}"));
        }
    }
    for seed in seeds() {
        let mut random = Random(seed);
        for n in 0..count / seeds().len() as u64 {
            let input = corpus.spoiled(&mut random);
            answer(&input, &|| format!("seed {seed}, input {n}"));
        }
    }
    assert!(answered > 0 || count < 100, "nothing was answered: the events miss the repository");
    say(&format!("{count} spoiled events, {answered} answers"));
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = bytes.utf8_chunks().map(|chunk| (chunk.valid().replace(from, to), chunk.invalid()));
    text.flat_map(|(valid, invalid)| [valid.as_bytes(), invalid].concat()).collect()
}

#[test]
fn spoiled_events_are_survived_with_a_graph_at_hand() {
    if let Some(root) = std::env::var_os(WORKER) {
        return work(Path::new(&root));
    }
    let ground = Ground::new();
    let own = json!(security::events(&ground)).to_string();
    fs::write(ground.sandbox.path().join("own.json"), own).unwrap();
    let mut worker = Command::new(std::env::current_exe().unwrap());
    worker.args(["--exact", "faults::mutations::spoiled_events_are_survived_with_a_graph_at_hand", "--nocapture"]);
    worker.env_clear().env("HOME", ground.sandbox.home()).env("XDG_CACHE_HOME", ground.sandbox.cache());
    worker.env(WORKER, ground.repo()).env("FLOORPLAN_MUTATIONS", number("FLOORPLAN_MUTATIONS", 2000).to_string());
    if let Some(seed) = std::env::var_os("FLOORPLAN_SEED") {
        worker.env("FLOORPLAN_SEED", seed);
    }
    let out = worker.output().unwrap();
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{}: {}{stderr}", out.status, String::from_utf8_lossy(&out.stdout));
    say(stderr.lines().find(|line| line.contains("spoiled events")).expect("the worker did its work"));
}

#[test]
fn spoiled_events_are_survived_by_the_program() {
    let ground = Ground::new();
    let corpus = Corpus::of(&ground.repo(), security::events(&ground));
    let count = number("FLOORPLAN_MUTATED_RUNS", 200);
    let mut answered = 0;
    for seed in seeds() {
        let mut random = Random(seed);
        for n in 0..count / seeds().len() as u64 {
            let input = corpus.spoiled(&mut random);
            let name = String::from_utf8_lossy(&input);
            // A reply repeats the event's name, of which there may be two.
            let known = ["PreToolUse", "PostToolUse", "SessionStart", "SubagentStart", "UserPromptSubmit"];
            let result = std::panic::catch_unwind(|| {
                let command = ground.sandbox.floorplan::<&str>(&[]);
                run_any(command, &known, &input)
            });
            match result {
                Ok(said) => {
                    answered += usize::from(said.is_some());
                    said.iter().for_each(|said| assert_true(said));
                }
                Err(_) => panic!("seed {seed}, input {n}: {name}"),
            }
        }
    }
    say(&format!("{count} spoiled events to the program, {answered} answers"));
}
