//! The hook entries inside Claude Code's settings text: put in, brought up to date, taken out. Pure: text in, text out.
//!
//! A settings file also holds the user's permission rules, and the client skips the *whole* file, deny rules included,
//! when one entry in it is invalid. So nothing is guessed here: what is not strict JSON, or has a shape that the client
//! would reject, is refused with its place, and a file that cannot be read is never taken for an empty one. The text is
//! edited, not written anew: every byte outside our own entries stays (`patch`).

mod patch;

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};

/// Name of the binary; an entry whose command has this file name is ours, wherever it was installed from.
pub(crate) const BINARY_NAME: &str = "floorplan";

/// One event that is registered. `timeout` is in seconds: the client's own default of 600 would let a hang stall every read.
pub(crate) struct Registration {
    pub(crate) event: &'static str,
    pub(crate) matcher: Option<&'static str>,
    pub(crate) timeout: u32,
}

/// The events that do something today, in the order in which they are written. An event that the binary would only answer
/// with silence is left out, since each one costs a process start; a later version adds its row and `floorplan install`
/// brings old files up to date. Only events that every client since 2.1.9 accepts may stand here: on old clients an unknown
/// one makes the whole file invalid.
pub(crate) const REGISTRATIONS: &[Registration] = &[
    // `|` and not `, `: clients up to 2.1.112 never match a list with commas.
    Registration { event: "PreToolUse", matcher: Some("Read|Grep|Glob|Bash"), timeout: 2 },
    Registration { event: "PostToolUse", matcher: Some("Edit|Write|MultiEdit|NotebookEdit|Bash"), timeout: 2 },
    Registration { event: "SessionStart", matcher: None, timeout: 5 },
    Registration { event: "UserPromptSubmit", matcher: None, timeout: 2 },
    Registration { event: "SubagentStart", matcher: None, timeout: 2 },
];

/// What an edit comes to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The new text, or `None` if the old one already says it (and then not a byte of it is touched).
    pub(crate) text: Option<String>,
    /// What changes, one line each: `+ hooks.EVENT GROUP` or `- hooks.EVENT GROUP`.
    pub(crate) changes: Vec<String>,
    /// `disableAllHooks` is set: the entries are there but the client will not run them.
    pub(crate) hooks_disabled: bool,
    /// Our entries were all that the file held, and it was not there before them.
    pub(crate) nothing_left: bool,
}

/// The group (matcher and handler) that is written for one event. Exec form (`args`, even empty) starts the binary without
/// a shell; clients before 2.1.139 ignore `args` and run the command alone, which is why it takes no arguments.
pub(crate) fn group(registration: &Registration, command: &str) -> Value {
    let handler = json!({ "type": "command", "command": command, "args": [], "timeout": registration.timeout });
    match registration.matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [handler] }),
        None => json!({ "hooks": [handler] }),
    }
}

/// Puts exactly our entries into `text`, for the binary at `command`. Entries of ours that are outdated are replaced where
/// they stand; all others keep their place. An empty text stands for a file that does not exist yet.
///
/// # Errors
/// If the text is not strict JSON or has a shape that the client would reject.
pub(crate) fn install(text: &str, command: &str) -> Result<Edit> {
    let before = if body(text).is_empty() { Value::Object(Map::new()) } else { parse(body(text))? };
    check(&before)?;
    let mut after = before.clone();
    let Some(root) = after.as_object_mut() else { bail!("the settings are not an object") };
    let hooks = object_at(root, "hooks")?;
    let old_events: Vec<String> = hooks.keys().cloned().collect();
    for event in old_events.iter().filter(|event| REGISTRATIONS.iter().all(|r| r.event != event.as_str())) {
        take_out(hooks, event, command, false);
    }
    for registration in REGISTRATIONS {
        let groups = hooks.entry(registration.event).or_insert_with(|| json!([]));
        let Some(groups) = groups.as_array_mut() else { bail!("hooks.{} is not an array", registration.event) };
        let at = strip(groups, command).unwrap_or(groups.len());
        groups.insert(at, group(registration, command));
    }
    Ok(edit(text, &before, &after))
}

/// An entry of ours in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) event: String,
    pub(crate) command: String,
    /// `None` in shell form.
    pub(crate) args: Option<Vec<String>>,
}

/// Our entries in `text`, and whether the client is told to run no hooks.
///
/// # Errors
/// If the client would skip the file: it is not strict JSON, or of a shape that is rejected.
pub(crate) fn entries(text: &str) -> Result<(Vec<Entry>, bool)> {
    if body(text).is_empty() {
        return Ok((Vec::new(), false));
    }
    let settings = parse(body(text))?;
    check(&settings)?;
    let mut entries = Vec::new();
    for (event, groups) in settings.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        let groups = groups.as_array().into_iter().flatten();
        for handler in groups.filter_map(|group| group.get("hooks")?.as_array()).flatten() {
            let Some(command) = handler.get("command").and_then(Value::as_str).filter(|_| is_ours(handler, "")) else {
                continue;
            };
            let args = handler.get("args").and_then(Value::as_array);
            let words = |args: &Vec<Value>| args.iter().filter_map(|arg| Some(arg.as_str()?.to_owned())).collect();
            entries.push(Entry { event: event.clone(), command: command.to_owned(), args: args.map(words) });
        }
    }
    Ok((entries, settings.get("disableAllHooks").and_then(Value::as_bool) == Some(true)))
}

/// Takes our entries out of `text`, and with them the arrays and objects that they leave empty, unless `original` (the
/// text before the first install) had these empty already. What then says the same as the original is the original, to the
/// byte.
///
/// # Errors
/// If the text is not strict JSON. An invalid shape elsewhere is left as it is: it is not ours to judge on the way out.
pub(crate) fn uninstall(text: &str, command: &str, original: Option<&str>) -> Result<Edit> {
    if body(text).is_empty() {
        return Ok(Edit::default());
    }
    let before = parse(body(text))?;
    let old = original.and_then(|text| serde_json::from_str::<Value>(body(text)).ok());
    let old_hooks = old.as_ref().and_then(|value| value.get("hooks"));
    let mut after = before.clone();
    if let Some(root) = after.as_object_mut()
        && let Some(hooks) = root.get_mut("hooks").and_then(Value::as_object_mut)
    {
        let events: Vec<String> = hooks.keys().cloned().collect();
        let mut changed = false;
        for event in &events {
            let was_empty = old_hooks.and_then(|old| old.get(event)).is_some_and(is_empty);
            changed |= take_out(hooks, event, command, was_empty);
        }
        if changed && hooks.is_empty() && !old_hooks.is_some_and(is_empty) {
            root.shift_remove("hooks");
        }
    }
    let mut edit = edit(text, &before, &after);
    let is_blank = original.is_some_and(|text| body(text).is_empty()) && is_empty(&after);
    if edit.text.is_some() && (old.as_ref() == Some(&after) || is_blank) {
        edit.text = original.map(str::to_owned);
    }
    edit.nothing_left = edit.text.is_some() && original.is_none() && is_empty(&after);
    Ok(edit)
}

/// Removes our handlers of one event, and the event itself if that leaves it empty. Says whether there were any.
fn take_out(hooks: &mut Map<String, Value>, event: &str, command: &str, keep_empty: bool) -> bool {
    let Some(groups) = hooks.get_mut(event).and_then(Value::as_array_mut) else { return false };
    if strip(groups, command).is_none() {
        return false;
    }
    if groups.is_empty() && !keep_empty {
        hooks.shift_remove(event);
    }
    true
}

/// Removes our handlers and the groups that held nothing else. Gives the position where the first of them stood, counted
/// in what remains.
fn strip(groups: &mut Vec<Value>, command: &str) -> Option<usize> {
    let mut first = None;
    let mut kept = 0;
    groups.retain_mut(|group| {
        let handlers = group.get_mut("hooks").and_then(Value::as_array_mut);
        let emptied = handlers.is_some_and(|handlers| {
            let count = handlers.len();
            handlers.retain(|handler| !is_ours(handler, command));
            if handlers.len() < count {
                first.get_or_insert(kept + usize::from(!handlers.is_empty()));
            }
            handlers.len() < count && handlers.is_empty()
        });
        kept += usize::from(!emptied);
        !emptied
    });
    first
}

fn is_ours(handler: &Value, command: &str) -> bool {
    handler.get("type").and_then(Value::as_str) == Some("command")
        && handler.get("command").and_then(Value::as_str).is_some_and(|found| {
            found == command || Path::new(found).file_name().is_some_and(|name| name == BINARY_NAME)
        })
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty)
}

fn object_at<'a>(map: &'a mut Map<String, Value>, key: &str) -> Result<&'a mut Map<String, Value>> {
    let value = map.entry(key).or_insert_with(|| Value::Object(Map::new()));
    value.as_object_mut().with_context(|| format!("{key} is not an object"))
}

fn edit(text: &str, before: &Value, after: &Value) -> Edit {
    let hooks_disabled = after.get("disableAllHooks").and_then(Value::as_bool) == Some(true);
    if before == after {
        return Edit { hooks_disabled, ..Edit::default() };
    }
    let new = if body(text).is_empty() { patch::fresh(after) } else { patch::patch(text, before, after) };
    Edit { text: Some(new), changes: changes(before, after), hooks_disabled, nothing_left: false }
}

/// The groups that only one side has, event by event: ours are the only ones that can differ.
fn changes(before: &Value, after: &Value) -> Vec<String> {
    let groups = |value: &Value| -> Vec<String> {
        let events = value.get("hooks").and_then(Value::as_object).into_iter().flatten();
        events
            .flat_map(|(event, groups)| {
                groups.as_array().into_iter().flatten().map(move |group| format!("hooks.{event} {group}"))
            })
            .collect()
    };
    let (old, new) = (groups(before), groups(after));
    let gone = old.iter().filter(|line| !new.contains(line)).map(|line| format!("- {line}"));
    let come = new.iter().filter(|line| !old.contains(line)).map(|line| format!("+ {line}"));
    gone.chain(come).collect()
}

/// Refuses what makes the client skip the whole file, so that an install is never a silent no-op. Unknown keys and unknown
/// events pass: new clients ignore them, and what an old one makes of them is not ours to change.
fn check(settings: &Value) -> Result<()> {
    let Some(root) = settings.as_object() else { bail!("the settings are not an object") };
    let Some(hooks) = root.get("hooks") else { return Ok(()) };
    let Some(hooks) = hooks.as_object() else { bail!("hooks is not an object") };
    for (event, groups) in hooks {
        let Some(groups) = groups.as_array() else { bail!("hooks.{event} is not an array") };
        for (number, group) in groups.iter().enumerate() {
            check_group(group).with_context(|| format!("hooks.{event}[{number}] is not what Claude Code accepts"))?;
        }
    }
    Ok(())
}

fn check_group(group: &Value) -> Result<()> {
    let Some(group) = group.as_object() else { bail!("it is not an object") };
    if group.get("matcher").is_some_and(|matcher| !matcher.is_string()) {
        bail!("matcher is not a string");
    }
    let Some(handlers) = group.get("hooks").and_then(Value::as_array) else { bail!("hooks is not an array") };
    for (number, handler) in handlers.iter().enumerate() {
        check_handler(handler).with_context(|| format!("in hooks[{number}]"))?;
    }
    Ok(())
}

fn check_handler(handler: &Value) -> Result<()> {
    let field = |name: &str| handler.get(name);
    let kind = field("type").and_then(Value::as_str);
    if !matches!(kind, Some("command" | "http" | "mcp_tool" | "prompt" | "agent")) {
        bail!("type is not one of command, http, mcp_tool, prompt, agent");
    }
    if kind == Some("command") && !field("command").is_some_and(Value::is_string) {
        bail!("command is missing or not a string");
    }
    if field("timeout").is_some_and(|timeout| timeout.as_f64().is_none_or(|seconds| seconds <= 0.0)) {
        bail!("timeout is not a number above 0");
    }
    let all_strings = |value: &Value| value.as_array().is_some_and(|args| args.iter().all(Value::is_string));
    if field("args").is_some_and(|args| !all_strings(args)) {
        bail!("args is not an array of strings");
    }
    if field("async").is_some_and(|flag| !flag.is_boolean()) {
        bail!("async is not true or false");
    }
    Ok(())
}

/// Strict JSON without repeated keys. Of a repeated key a parser keeps one value and drops the other: the file would be
/// written back without something that its owner wrote.
fn parse(body: &str) -> Result<Value> {
    let mut reader = serde_json::Deserializer::from_str(body);
    reader.deserialize_any(UniqueKeys)?;
    reader.end()?;
    Ok(serde_json::from_str(body)?)
}

/// Walks any JSON and keeps nothing but the keys of the objects that are open. serde_json bounds the depth.
struct UniqueKeys;

impl<'de> serde::de::DeserializeSeed<'de> for UniqueKeys {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = std::collections::BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            map.next_value_seed(UniqueKeys)?;
            if let Some(key) = seen.replace(key) {
                return Err(serde::de::Error::custom(format_args!("the key {key:?} stands twice in one object")));
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(UniqueKeys)?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';

fn body(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: &str = "/home/dev/.local/bin/floorplan";

    fn installed(text: &str) -> String {
        install(text, COMMAND).unwrap().text.unwrap_or_else(|| text.to_owned())
    }

    fn value(text: &str) -> Value {
        serde_json::from_str(text.trim_start_matches(BYTE_ORDER_MARK)).unwrap()
    }

    fn refusal(text: &str) -> String {
        format!("{:#}", install(text, COMMAND).unwrap_err())
    }

    /// Installs, installs again, takes out, and expects the value that was there before.
    fn round_trip(text: &str) -> String {
        let once = installed(text);
        assert_eq!(install(&once, COMMAND).unwrap().text, None, "the second install changes nothing");
        let out = uninstall(&once, COMMAND, Some(text)).unwrap();
        assert_eq!((out.text.as_deref(), out.nothing_left), (Some(text), false));
        once
    }

    #[test]
    fn a_new_file_holds_exactly_our_entries() {
        insta::assert_snapshot!(installed(""), @r#"
        {
          "hooks": {
            "PreToolUse": [
              {
                "matcher": "Read|Grep|Glob|Bash",
                "hooks": [
                  {
                    "type": "command",
                    "command": "/home/dev/.local/bin/floorplan",
                    "args": [],
                    "timeout": 2
                  }
                ]
              }
            ],
            "PostToolUse": [
              {
                "matcher": "Edit|Write|MultiEdit|NotebookEdit|Bash",
                "hooks": [
                  {
                    "type": "command",
                    "command": "/home/dev/.local/bin/floorplan",
                    "args": [],
                    "timeout": 2
                  }
                ]
              }
            ],
            "SessionStart": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "/home/dev/.local/bin/floorplan",
                    "args": [],
                    "timeout": 5
                  }
                ]
              }
            ],
            "UserPromptSubmit": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "/home/dev/.local/bin/floorplan",
                    "args": [],
                    "timeout": 2
                  }
                ]
              }
            ],
            "SubagentStart": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "/home/dev/.local/bin/floorplan",
                    "args": [],
                    "timeout": 2
                  }
                ]
              }
            ]
          }
        }
        "#);
        assert!(uninstall(&installed(""), COMMAND, None).unwrap().nothing_left);
    }

    #[test]
    fn foreign_hooks_keep_their_place_and_ours_come_after() {
        let text = "{\"model\": \"x\", \"hooks\": {\"PreToolUse\": [{\"matcher\": \"Read\", \"hooks\": \
            [{\"type\": \"command\", \"command\": \"/usr/bin/true\"}]}]}}\n";
        let once = value(&round_trip(text));
        assert_eq!(once["hooks"]["PreToolUse"][0]["hooks"][0]["command"], "/usr/bin/true");
        assert_eq!(once["hooks"]["PreToolUse"][1]["hooks"][0]["command"], COMMAND);
        assert_eq!(once["hooks"]["PreToolUse"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn byte_order_mark_tabs_and_line_ends_stay() {
        let text = "\u{feff}{\r\n\t\"permissions\": {\r\n\t\t\"deny\": []\r\n\t}\r\n}\r\n";
        let once = round_trip(text);
        assert!(once.starts_with("\u{feff}{\r\n\t\"permissions\": {\r\n\t\t\"deny\": []\r\n\t},\r\n\t\"hooks\""));
        assert!(once.ends_with("}\r\n") && !once.replace("\r\n", "").contains('\n'));
        assert_eq!(uninstall(&once, COMMAND, None).unwrap().text.unwrap(), text);
    }

    #[test]
    fn a_file_without_final_newline_stays_without() {
        assert!(installed("{\n    \"a\": 1\n}").ends_with("\n}"));
        assert!(installed("{\n    \"a\": 1\n}").contains("\n    \"hooks\": {\n        \"PreToolUse\""));
    }

    #[test]
    fn key_order_and_odd_values_stay() {
        let text = "{\n  \"z\": 1.5,\n  \"a\": null,\n  \"é\\n\": \"\u{1f600}\",\n  \"m\": {\n    \"y\": -1,\n    \"b\": []\n  }\n}\n";
        let out = uninstall(&round_trip(text), COMMAND, None).unwrap().text.unwrap();
        assert_eq!(out, text);
    }

    #[test]
    fn what_others_wrote_keeps_its_bytes() {
        for text in [
            "{\"model\":\"x\",\"hooks\":{\"Stop\":[{\"hooks\":[]}]}}",
            "{ \"hooks\" : { \"PreToolUse\" : [ { \"matcher\":\"Read\", \"hooks\" : [ ] } ] } , \"a\":1.50 }\n\n",
            "\u{feff}{\r\n\t\"a\": [1,  2],\r\n\t\"b\": 1e3\r\n}",
        ] {
            let once = installed(text);
            // Somebody has changed the file meanwhile, so that the text before says nothing.
            let out = uninstall(&once, COMMAND, Some("{\"other\": 1}")).unwrap().text.unwrap();
            assert_eq!(out, text);
        }
    }

    #[test]
    fn containers_that_were_empty_before_are_empty_after() {
        round_trip(r#"{"hooks": {}}"#);
        round_trip(r#"{"hooks": {"PreToolUse": [], "Stop": []}}"#);
    }

    #[test]
    fn a_moved_binary_is_replaced_where_it_stands() {
        let foreign = r#"{"hooks":[{"type":"command","command":"other"}]}"#;
        let text = format!(
            r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{{"type":"command","command":"/old/floorplan"}}]}},{foreign}],
            "Stop":[{{"hooks":[{{"type":"command","command":"/old/floorplan"}}]}}]}}}}"#
        );
        let once = value(&installed(&text));
        assert_eq!(once["hooks"]["PreToolUse"][0]["hooks"][0]["command"], COMMAND);
        assert_eq!(once["hooks"]["PreToolUse"][1], value(foreign));
        assert_eq!(once["hooks"].get("Stop"), None, "an event of an older version goes");
    }

    #[test]
    fn a_handler_of_ours_inside_a_foreign_group_leaves_the_group() {
        let text = r#"{"hooks":{"PreToolUse":[{"matcher":"Read","hooks":[{"type":"command","command":"other"},
            {"type":"command","command":"/x/floorplan"}]}]}}"#;
        let out = uninstall(text, COMMAND, None).unwrap().text.unwrap();
        assert_eq!(
            value(&out),
            value(r#"{"hooks":{"PreToolUse":[{"matcher":"Read","hooks":[{"type":"command","command":"other"}]}]}}"#)
        );
        let once = installed(text);
        assert_eq!(install(&once, COMMAND).unwrap().text, None);
    }

    #[test]
    fn names_that_only_look_like_ours_are_foreign() {
        for command in ["/x/floorplanner", "/floorplan/run", "floorplan --x", "/x/my-floorplan"] {
            let text = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string();
            assert_eq!(uninstall(&text, COMMAND, None).unwrap().text, None, "{command}");
        }
    }

    #[test]
    fn nothing_of_ours_means_not_a_byte_changes() {
        assert_eq!(uninstall("{\"a\":1,   \"hooks\": {}}", COMMAND, None).unwrap().text, None);
    }

    #[test]
    fn what_is_not_strict_json_is_refused_with_its_place() {
        assert_eq!(refusal("{\n  \"a\": 1,\n}"), "trailing comma at line 3 column 1");
        assert!(refusal("{\n  // why\n}").contains("line 2 column 3"));
        assert!(refusal("{} x").contains("trailing characters"));
        assert!(refusal("{\"hooks\"").contains("EOF"));
        assert!(uninstall("{\"a\":1,}", COMMAND, None).is_err());
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(refusal(&deep).contains("recursion limit"));
    }

    #[test]
    fn a_repeated_key_is_refused() {
        let text = r#"{"permissions":{"deny":["Read(.env)"]},"permissions":{}}"#;
        assert!(refusal(text).contains("the key \"permissions\" stands twice"));
        assert!(refusal(r#"{"a":[{"b":1,"b":1}]}"#).contains("\"b\""));
    }

    #[test]
    fn shapes_that_make_the_client_skip_the_file_are_refused() {
        for (text, reason) in [
            ("[]", "the settings are not an object"),
            ("null", "the settings are not an object"),
            (r#"{"hooks":[]}"#, "hooks is not an object"),
            (r#"{"hooks":{"Stop":{}}}"#, "hooks.Stop is not an array"),
            (r#"{"hooks":{"Stop":[1]}}"#, "hooks.Stop[0] is not what Claude Code accepts: it is not an object"),
            (r#"{"hooks":{"Stop":[{}]}}"#, "hooks is not an array"),
            (r#"{"hooks":{"Stop":[{"matcher":1,"hooks":[]}]}}"#, "matcher is not a string"),
            (r#"{"hooks":{"Stop":[{"hooks":[{"type":"shell"}]}]}}"#, "in hooks[0]: type is not one of"),
            (r#"{"hooks":{"Stop":[{"hooks":[{"type":"command"}]}]}}"#, "command is missing"),
        ] {
            assert!(refusal(text).contains(reason), "{text}: {}", refusal(text));
        }
        for field in [r#""timeout":0"#, r#""timeout":"5""#, r#""args":"x""#, r#""async":"yes""#] {
            let text = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{{"type":"command","command":"x",{field}}}]}}]}}}}"#);
            assert!(refusal(&text).contains("in hooks[0]"), "{text}");
        }
    }

    /// Any text at all: refused, or merged so that the client can read it and what was there comes back to the byte.
    /// `FLOORPLAN_MUTATIONS` of them.
    #[test]
    fn any_text_is_refused_or_given_back() {
        let count: u64 = std::env::var("FLOORPLAN_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(4_000);
        let texts = [
            "{\"permissions\":{\"deny\":[\"Read(.env)\"]},\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
            "\u{feff}{\r\n\t\"a\": [1, 2.50, -3e5, null, true],\r\n\t\"hooks\": {\r\n\t}\r\n}\r\n",
            "{ \"hooks\" : { \"PreToolUse\" : [ { \"matcher\" : \"Read\" , \"hooks\" : [ ] } ] , \"X\" : [ ] } , \"\u{e9}\\\"\" : { } }",
            "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"hooks\": []\n      }\n    ]\n  },\n  \"z\": \"}]\"\n}\n",
            "{}",
        ];
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut below = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as usize % limit.max(1)
        };
        let mut merged = 0;
        for _ in 0..count {
            let mut text: Vec<char> = texts[below(texts.len())].chars().collect();
            for _ in 0..below(3) {
                let at = below(text.len());
                match below(4) {
                    0 => drop(text.splice(at..(at + below(9)).min(text.len()), [])),
                    1 => text.insert(at, ['{', '}', '[', ']', ',', '"', ' ', '\n', ':', '0'][below(10)]),
                    2 => drop(text.splice(at..at, texts[below(texts.len())].chars().take(below(30)))),
                    _ => text.insert(at, [' ', '\t', '\n', '\r'][below(4)]),
                }
            }
            let text: String = text.into_iter().collect();
            let Ok(edit) = install(&text, COMMAND) else { continue };
            merged += 1;
            let once = edit.text.unwrap_or_else(|| panic!("nothing was added to {text:?}"));
            let (entries, _) = entries(&once).unwrap_or_else(|error| panic!("{text:?} became {once:?}: {error:#}"));
            assert_eq!(entries.len(), REGISTRATIONS.len(), "{text:?}");
            assert_eq!(install(&once, COMMAND).unwrap().text, None, "{text:?}");
            let back = uninstall(&once, COMMAND, Some(&text)).unwrap().text.unwrap();
            assert_eq!(back, text);
            // Without the copy the same is said, but for containers that were empty.
            let without = uninstall(&once, COMMAND, None).unwrap();
            assert!(parse(body(&without.text.unwrap())).is_ok(), "{text:?}");
        }
        assert!(merged * 4 > count, "{merged} of {count} were merged: the rest was no test");
    }

    #[test]
    fn disabled_hooks_are_reported() {
        assert!(install(r#"{"disableAllHooks":true}"#, COMMAND).unwrap().hooks_disabled);
    }
}
