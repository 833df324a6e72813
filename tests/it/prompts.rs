//! Prompts: what is said of them, end to end, and that nothing of a repository's text can be got back from what is stored.

use crate::support::{Sandbox, session_event, tool_event};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const SOURCES: &[(&str, &str)] = &[
    ("app/__init__.py", ""),
    (
        "app/cart.py",
        "# What a customer wants to buy.\nfrom app.tax import rate_of\n\n\ndef total_of(cart):\n    return rate_of(cart)\n",
    ),
    ("app/tax.py", "\"\"\"Rates of the value added tax.\"\"\"\n\n\ndef rate_of(cart):\n    return 1\n"),
    ("app/web.py", "from app.cart import total_of\n\n\ndef page():\n    return total_of([])\n"),
    (
        "mail/sender.py",
        "# Sends messages and retries when the server is busy.\n\n\ndef send_message(text):\n    return text\n",
    ),
    ("mail/queue.py", "from mail.sender import send_message\n\n\ndef flush():\n    send_message('x')\n"),
    ("jobs/nightly.py", "from mail.queue import flush\n\nflush()\n"),
    ("jobs/report.py", "from app.cart import total_of\n\ntotal_of([])\n"),
];

fn indexed(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::with(files);
    sandbox.index(&sandbox.repo());
    sandbox
}

fn prompt_event(sandbox: &Sandbox, prompt: &str) -> Value {
    let mut event = session_event("UserPromptSubmit", &sandbox.repo());
    event["prompt"] = json!(prompt);
    event
}

const PROMPT: &str = "send messages with retries when the mail server is busy";

#[test]
fn a_task_is_told_its_files_and_not_twice() {
    let sandbox = indexed(SOURCES);
    let mut event = prompt_event(&sandbox, PROMPT);
    let said = sandbox.annotation(&event);
    assert!(said.contains("mail/{sender,queue}.py"), "{said}");
    assert!(said.len() < 800, "{said}");
    event["prompt"] = json!(format!("{PROMPT}."));
    assert_eq!(sandbox.reply_to(&event).context, None, "the same again");
    event["prompt"] = json!("the rates of the value added tax of a cart are wrong");
    let other = sandbox.reply_to(&event).context.unwrap();
    assert!(other.contains("app/{tax,cart}.py"), "another subject: {other}");
}

#[test]
fn chat_and_what_is_no_prompt_gets_nothing() {
    let sandbox = indexed(SOURCES);
    for prompt in [
        "thanks, go on",
        "run the tests again",
        "ok, now run the tests again, please",
        "looks good, commit and push it when the tests pass",
        "/review messages and retries of the mail server",
        "<task-notification>messages retries busy mail server</task-notification>",
        "!grep -rn messages retries busy mail server",
        "",
    ] {
        assert_eq!(sandbox.reply_to(&prompt_event(&sandbox, prompt)).context, None, "{prompt}");
    }
    let mut event = prompt_event(&sandbox, PROMPT);
    event["prompt"] = json!(["retries"]);
    assert_eq!(sandbox.reply_to(&event).context, None);
}

#[test]
fn mentioned_files_are_annotated() {
    let sandbox = indexed(SOURCES);
    let said = sandbox.annotation(&prompt_event(&sandbox, "please shorten @app/tax.py, thanks"));
    assert!(said.starts_with("app/tax.py: rate_of() has 1 caller"), "{said}");
    for prompt in ["@none.py", "@../../etc/passwd", "@/etc/passwd", "@.git/config", "a@app/tax.py"] {
        assert_eq!(sandbox.reply_to(&prompt_event(&sandbox, prompt)).context, None, "{prompt}");
    }
}

/// Whatever somebody pastes: no error, no delay, no line of its text in the reply.
#[test]
fn hostile_prompts_are_only_text() {
    let sandbox = indexed(SOURCES);
    let base = format!("{PROMPT} \"send_message\" NEAR(tax) (a+)+$ * -- ; DROP TABLE term; \u{202e}\u{1b}[31m");
    let mut prompts: Vec<String> = vec![
        "(a+)+$".repeat(20_000),
        "retries of messages ".repeat(50_000),
        "@".repeat(1 << 20),
        "@app/tax.py ".repeat(5_000),
        "\0\u{1}\u{7f}".repeat(1000),
        "é\u{1f600}漢字".repeat(10_000),
        (0..200_000).map(|n| format!("{n:x}z ")).collect(),
    ];
    let mut state = 7u64;
    for _ in 0..60 {
        let mut bytes: Vec<char> = base.chars().collect();
        for _ in 0..4 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] = ['"', '\'', '*', '@', '/', '\0', '\u{202e}', 'x', '<', '\n'][(state >> 17) as usize % 10];
        }
        prompts.push(bytes.into_iter().collect());
    }
    for prompt in prompts {
        let start: String = prompt.chars().take(80).collect();
        let said = sandbox.reply_to(&prompt_event(&sandbox, &prompt)).context.unwrap_or_default();
        assert!(said.chars().all(|c| !c.is_control() || c == '\n'), "{start}: {said}");
        assert!(!said.contains("DROP") && !said.contains('\u{202e}'), "{start}: {said}");
        assert!(said.len() < 2500, "{start}: {said}");
    }
    let quoted = format!("\"{PROMPT}\"* ((\u{202e}\u{1b}");
    assert!(sandbox.annotation(&prompt_event(&sandbox, &quoted)).contains("mail/{sender,queue}.py"));
}

#[test]
fn a_search_by_other_marks_is_told_the_name_that_is_there() {
    let sandbox = indexed(SOURCES);
    let said = |tool: &str, input: Value| sandbox.reply_to(&tool_event(&sandbox.repo(), tool, &input)).context;
    for event in
        [("Grep", json!({"pattern": "sendMessage"})), ("Bash", json!({"command": "grep -rn 'send message' ."}))]
    {
        let said = said(event.0, event.1).unwrap();
        assert!(said.starts_with("No symbol is called send"), "{said}");
        assert!(said.contains("by the same words there is send_message: defined at mail/sender.py"), "{said}");
    }
    for pattern in ["sendMessages", "send", "message send", "send the message", "no such thing here"] {
        assert_eq!(said("Grep", json!({"pattern": pattern})), None, "{pattern}");
    }
    assert!(said("Grep", json!({"pattern": "send_message"})).unwrap().starts_with("send_message: defined"));
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found
}

/// Names of its own, so that no list of well-known keys finds them in this file: each is put together here.
fn secrets() -> Vec<(String, String)> {
    let text = |parts: &[&str]| parts.concat();
    let hex = "9f86d081884c7d659a2feaa0c55ad015";
    let rows = [
        ("AWS_KEY = '{}'", text(&["AKIA", "QX7TZL3MRB2VNE5P"])),
        ("aws_secret_access_key = \"{}\"", text(&["kJ8/vQ2xR5tY", "uW1zLmN4oP6q+S9dF3gH7jK0"])),
        ("# token: {}", text(&["ghp_", "a8Fk2LmQ9rTz5WxC7vBn1JdH4sPy6GuE3oNi"])),
        ("SLACK = '{}'", text(&["xoxb-", "390481275610-8842019375521-Qm7RtZpL2xVbN9cKsW4yHdJf"])),
        ("stripe.api_key = '{}'", text(&["sk_live_", "7Hq2Zt9LmW4xRb8Nv3KpYc6J"])),
        ("headers = {'Authorization': 'Bearer {}'}", text(&["eyJhbGciOi", "JIUzI1NiJ9.eyJ1IjoxfQ.q8Zx3LtVw"])),
        ("DB = 'postgres://shop:{}@db.local/shop'", text(&["Tr0ub4", "dorAnd3"])),
        ("password = '{}'", text(&["correcthorse", "batterystaple"])),
        ("PASSWD: str = '{}'", text(&["zebrafishxylo", "phone"])),
        ("config = {'client_secret': '{}'}", text(&["quokkamarma", "ladewombat"])),
        ("login(user='bob', pwd='{}')", text(&["plugh", "xyzzyfoobarbaz"])),
        ("os.environ.setdefault('API_TOKEN', '{}')", text(&["narwhalcapy", "baratapir"])),
        ("DIGEST = '{}'", hex.to_string()),
        ("KEY = b'{}'", text(&[hex, hex])),
        ("session = '{}'", text(&["3f2504e0-4f89-", "41d3-9a0c-0305e82c3301"])),
        (
            "PEM = '''-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----'''",
            text(&["MIIEowIBAAKCAQEAx7Lz", "Qw9TtBvNmR"]),
        ),
        ("# password = {}", text(&["okapi", "pangolinaxolotl"])),
        ("card = '{}'", text(&["4929", "133298417652"])),
        ("def f(passphrase='{}'): pass", text(&["dugong", "manateenudibranch"])),
        ("url = 'https://api.local/v1?sig={}'", text(&["Zk9vLq3Xw8", "RtYp2Mn5Bd7Hs4"])),
    ];
    rows.into_iter().map(|(line, secret)| (line.replace("{}", &secret), secret)).collect()
}

#[test]
fn no_secret_is_stored_or_said() {
    let mut text = String::new();
    for (number, (line, _)) in secrets().iter().enumerate() {
        text.push_str(&format!("{line}\n\n\ndef load_settings_{number}():\n    return 1\n\n\n"));
    }
    let sandbox = indexed(&[("app/settings.py", &text), ("app/main.py", "import app.settings\n")]);
    sandbox.git(&["init", "-q"]);
    for (number, (_, secret)) in secrets().iter().enumerate() {
        sandbox.write("app/main.py", &format!("import app.settings\nx = {number}\n"));
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", &format!("settings: use {secret}\n\npassword={secret}")]);
    }
    sandbox.index(&sandbox.repo());
    let mut seen = sandbox.dump(&sandbox.repo());
    for prompt in ["the settings that are loaded at start", "load_settings_3 of the settings in main"] {
        seen.push_str(&sandbox.reply_to(&prompt_event(&sandbox, prompt)).context.unwrap_or_default());
        let out = sandbox.floorplan(&["seed", "--json", prompt]).current_dir(sandbox.repo()).output().unwrap();
        seen.push_str(&String::from_utf8_lossy(&out.stdout));
    }
    assert!(seen.contains("app/settings.py"), "{seen}");
    let mut stored = vec![("output".into(), seen.into_bytes())];
    stored.extend(
        files_below(&sandbox.cache()).into_iter().map(|path| (path.display().to_string(), fs::read(path).unwrap())),
    );
    assert!(stored.len() > 3);
    for (_, secret) in secrets() {
        // Small letters too: terms are in small letters before they are hashed.
        for form in [secret.clone(), secret.to_lowercase(), secret[..secret.len() / 2].to_string()] {
            for (place, bytes) in &stored {
                assert!(memchr::memmem::find(bytes, form.as_bytes()).is_none(), "{form} in {place}");
            }
        }
    }
}

/// Words of comments, strings and messages are stored as hashes of 32 bits, without their order: even a word that everybody
/// knows is not there to be read.
#[test]
fn no_text_is_stored() {
    let sandbox = indexed(&[(
        "app/cart.py",
        "# Gazelles overtake hedgehogs quietly.\ndef total(cart):\n    \"\"\"Marmalade sandwiches afterwards.\"\"\"\n    return 'Velvet curtains everywhere'\n",
    )]);
    sandbox.git(&["init", "-q"]);
    for text in ["1", "2"] {
        sandbox.write("app/other.py", text);
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", "Umbrellas against thunderstorms"]);
    }
    sandbox.index(&sandbox.repo());
    let files = files_below(&sandbox.cache());
    for word in [
        "gazelle",
        "overtake",
        "hedgehog",
        "quiet",
        "marmalad",
        "sandwich",
        "afterward",
        "velvet",
        "curtain",
        "everywher",
        "umbrella",
        "thunderstorm",
    ] {
        for path in &files {
            let bytes = fs::read(path).unwrap().to_ascii_lowercase();
            assert!(memchr::memmem::find(&bytes, word.as_bytes()).is_none(), "{word} in {}", path.display());
        }
    }
}

/// Files of a language without a front end are found by their words, and nothing is claimed of what is in them.
#[test]
fn code_without_a_front_end_is_found() {
    let sandbox = indexed(&[
        (
            "crates/core/src/matcher.rs",
            "/// Matches patterns of meta variables.\npub fn match_pattern<'t>(node: &'t str) {}\n",
        ),
        (
            "crates/core/src/replacer.rs",
            "use crate::matcher::match_pattern;\n\n/// Replaces what was matched by a template.\npub fn replace() {}\n",
        ),
        (
            "crates/cli/src/scan.rs",
            "// Scans folders for rule files and reports violations.\nfn scan_rules() { replace(); }\n",
        ),
        ("crates/cli/src/main.rs", "fn main() { scan_rules(); }\n"),
        ("crates/cli/tests/scan_test.rs", "// Scans folders for rule files.\nfn scan_works() {}\n"),
        ("ext/parser.c", "/* Parses headers. */\nint parse_header(void) { return 0; }\n"),
    ]);
    let said = sandbox.annotation(&prompt_event(&sandbox, "scan folders for rule files and report their violations"));
    assert!(said.contains("crates/cli/src/scan.rs") && !said.contains("scan_test"), "{said}");
    let said = sandbox.annotation(&session_event("SessionStart", &sandbox.repo()));
    assert!(said.contains("6 code files (1 test), 13 lines (rust 11, c 2)"), "{said}");
    assert!(said.contains("knows no symbols"), "{said}");
    for (tool, input) in [
        ("Read", json!({"file_path": sandbox.repo().join("crates/core/src/matcher.rs")})),
        ("Grep", json!({"pattern": "match_pattern"})),
    ] {
        assert_eq!(sandbox.reply_to(&tool_event(&sandbox.repo(), tool, &input)).context, None, "{tool}");
    }
}

/// A name in code may be a key too: of an object, a constant.
#[test]
fn names_that_look_like_keys_are_hidden() {
    let key = ["ghp_", "a8Fk2LmQ9rTz5WxC7vBn1JdH4sPy6GuE3oNi"].concat();
    let sandbox = indexed(&[
        ("app/keys.py", &format!("def {key}():\n    return 1\n\n\ndef load_keys():\n    return {key}()\n")),
        ("app/use.py", &format!("from app.keys import {key}, load_keys\n\nload_keys()\n{key}()\n")),
        ("web/keys.js", &format!("export const owners = {{ {key}: () => 'shop' }};\n")),
    ]);
    let read = tool_event(&sandbox.repo(), "Read", &json!({"file_path": sandbox.repo().join("app/keys.py")}));
    let said = sandbox.annotation(&read);
    assert!(said.contains("load_keys() has 1 caller") && !said.contains('*') && !said.contains("ghp"), "{said}");
    let mut stored = vec![sandbox.dump(&sandbox.repo()).into_bytes()];
    stored.extend(files_below(&sandbox.cache()).into_iter().map(|path| fs::read(path).unwrap()));
    let part = &key.to_lowercase()[4..16];
    for bytes in &stored {
        assert!(memchr::memmem::find(&bytes.to_ascii_lowercase(), part.as_bytes()).is_none());
    }
    assert!(String::from_utf8_lossy(&stored[0]).contains("\"*"), "its uses are still resolved: {}", stored.len());
}

#[test]
fn a_pasted_log_is_no_task() {
    let sandbox = indexed(SOURCES);
    let log = "12:00:01 INFO mail server is busy, retries of messages\n12:00:02 INFO send messages with retries\n12:00:03 ERROR server busy\n";
    assert_eq!(sandbox.reply_to(&prompt_event(&sandbox, log)).context, None);
    let said = sandbox.annotation(&prompt_event(&sandbox, &format!("{log}\n{PROMPT}")));
    assert!(said.contains("mail/{sender,queue}.py"), "{said}");
}
