//! The event on standard input, read as tolerantly as can be.
//!
//! Hosts leave the pipe open, send null where a text was, and add fields with each release. So reading stops at the end
//! of the first JSON object (not at the end of input), a field of another type counts as missing, and what is not
//! needed is skipped without being copied: a Write event carries a whole file.

use std::borrow::Cow;
use std::fmt;
use std::io::BufRead;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Input beyond this is not read; such an event gets no reply.
const MAX_INPUT: usize = 4 << 20;

/// What is used of an event. Absent, null and of another type are all `None`.
#[derive(Debug, Default)]
pub(super) struct Event<'a> {
    pub(super) name: Option<Cow<'a, str>>,
    pub(super) tool: Option<Cow<'a, str>>,
    pub(super) cwd: Option<Cow<'a, str>>,
    pub(super) session: Option<Cow<'a, str>>,
    /// Only inside subagents.
    pub(super) agent: Option<Cow<'a, str>>,
    /// The same for the events before and after one tool call, and for each copy of a hook that the call starts.
    pub(super) call: Option<Cow<'a, str>>,
    /// Why a session starts.
    pub(super) source: Option<Cow<'a, str>>,
    /// What the user typed.
    pub(super) prompt: Option<Cow<'a, str>>,
    pub(super) input: ToolInput<'a>,
    response: Option<&'a RawValue>,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct ToolInput<'a> {
    pub(super) file_path: Option<Cow<'a, str>>,
    pub(super) notebook_path: Option<Cow<'a, str>>,
    pub(super) path: Option<Cow<'a, str>>,
    pub(super) pattern: Option<Cow<'a, str>>,
    pub(super) command: Option<Cow<'a, str>>,
    /// First line, from 1.
    pub(super) offset: Option<u32>,
    /// Number of lines.
    pub(super) limit: Option<u32>,
}

impl<'a> Event<'a> {
    /// `None` if `json` is no object, or damaged where it was looked at.
    pub(super) fn parse(json: &'a [u8]) -> Option<Event<'a>> {
        let names = [
            "hook_event_name",
            "tool_name",
            "cwd",
            "session_id",
            "agent_id",
            "tool_use_id",
            "source",
            "prompt",
            "tool_input",
            "tool_response",
        ];
        let [name, tool, cwd, session, agent, call, source, prompt, input, response] = fields(json, names)?;
        let input = input.and_then(|input| ToolInput::parse(input.get().as_bytes())).unwrap_or_default();
        Some(Event {
            name: text(name),
            tool: text(tool),
            cwd: text(cwd),
            session: text(session),
            agent: text(agent),
            call: text(call),
            source: text(source),
            prompt: text(prompt),
            input,
            response,
        })
    }

    /// The text of an edited file before the edit, as a JSON string.
    pub(super) fn before_edit(&self) -> Option<&'a str> {
        let [before] = fields(self.response?.get().as_bytes(), ["originalFile"])?;
        before.map(RawValue::get).filter(|json| json.starts_with('"'))
    }
}

impl<'a> ToolInput<'a> {
    fn parse(json: &'a [u8]) -> Option<ToolInput<'a>> {
        let names = ["file_path", "notebook_path", "path", "pattern", "command", "offset", "limit"];
        let [file_path, notebook_path, path, pattern, command, offset, limit] = fields(json, names)?;
        Some(ToolInput {
            file_path: text(file_path),
            notebook_path: text(notebook_path),
            path: text(path),
            pattern: text(pattern),
            command: text(command),
            offset: number(offset),
            limit: number(limit),
        })
    }
}

/// The values of these keys of an object, unparsed; of a key that stands there twice, the last one.
fn fields<'a, const N: usize>(json: &'a [u8], names: [&str; N]) -> Option<[Option<&'a RawValue>; N]> {
    serde_json::Deserializer::from_slice(json).deserialize_map(Fields(names)).ok()
}

fn text(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    let json = raw?.get();
    let plain = json.strip_prefix('"')?.strip_suffix('"')?;
    if plain.contains('\\') { Some(Cow::Owned(serde_json::from_str(json).ok()?)) } else { Some(Cow::Borrowed(plain)) }
}

/// Any number, brought into range: 1e999 is a number too, though serde_json cannot hold it.
fn number(raw: Option<&RawValue>) -> Option<u32> {
    Some(raw?.get().parse::<f64>().ok()? as u32)
}

struct Fields<'n, const N: usize>([&'n str; N]);

impl<'de, const N: usize> Visitor<'de> for Fields<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut values = [None; N];
        while let Some(at) = map.next_key_seed(Key(&self.0))? {
            match at.and_then(|at| values.get_mut(at)) {
                Some(value) => *value = Some(map.next_value()?),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(values)
    }
}

/// Reads a key as its place in a list of names.
struct Key<'n>(&'n [&'n str]);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|&name| name == key))
    }
}

/// Reads up to the end of the first JSON object. `None` if there is none, or none within 4 MiB.
pub(super) fn read(input: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut end = End::default();
    while bytes.len() <= MAX_INPUT {
        let chunk = match input.fill_buf() {
            Ok([]) => return None,
            Ok(chunk) => chunk,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        let len = chunk.len();
        match end.find(chunk) {
            Found::At(end) => {
                bytes.extend_from_slice(chunk.get(..end)?);
                // A byte order mark is no JSON, but some tools write one.
                let start = bytes.iter().position(|&byte| byte == b'{')?;
                bytes.drain(..start);
                return Some(bytes);
            }
            Found::NotYet => bytes.extend_from_slice(chunk),
            Found::Never => return None,
        }
        input.consume(len);
    }
    None
}

/// Finds the end of an object without looking at anything but brackets and quotes.
#[derive(Default)]
struct End {
    depth: u32,
    in_string: bool,
    escaped: bool,
}

enum Found {
    /// The object ends before this offset of the chunk.
    At(usize),
    NotYet,
    Never,
}

impl End {
    fn find(&mut self, chunk: &[u8]) -> Found {
        for (at, &byte) in chunk.iter().enumerate() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'{' | b'[' if self.depth > 0 || byte == b'{' => self.depth += 1,
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Found::At(at + 1);
                    }
                }
                b'"' if self.depth > 0 => self.in_string = true,
                b' ' | b'\t' | b'\r' | b'\n' | 0xEF | 0xBB | 0xBF => {}
                _ if self.depth == 0 => return Found::Never,
                _ => {}
            }
        }
        Found::NotYet
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Read};

    fn parsed(json: &str) -> Option<String> {
        let bytes = read(&mut BufReader::new(json.as_bytes()))?;
        let event = Event::parse(&bytes)?;
        let all =
            [&event.name, &event.tool, &event.cwd, &event.input.file_path, &event.input.pattern, &event.input.command];
        let mut line = all.map(|field| field.as_deref().unwrap_or("-")).join(" ");
        for number in [event.input.offset, event.input.limit].into_iter().flatten() {
            line.push_str(&format!(" {number}"));
        }
        Some(line)
    }

    #[test]
    fn fields_of_any_type_are_survived() {
        let read = |input: &str| {
            format!(r#"{{"hook_event_name":"PreToolUse","tool_name":"Read","cwd":"/r","tool_input":{input}}}"#)
        };
        let table = [
            (read(r#"{"file_path":"/r/a.py","offset":3,"limit":9}"#), Some("PreToolUse Read /r /r/a.py - - 3 9")),
            (
                read(r#"{"file_path":"/r/a.py","offset":1e999,"limit":-5}"#),
                Some("PreToolUse Read /r /r/a.py - - 4294967295 0"),
            ),
            (
                read(r#"{"file_path":"/r/a.py","offset":9223372036854775808,"limit":"9"}"#),
                Some("PreToolUse Read /r /r/a.py - - 4294967295"),
            ),
            (read(r#"{"file_path":null,"offset":null}"#), Some("PreToolUse Read /r - - -")),
            (read(r#"{"file_path":7}"#), Some("PreToolUse Read /r - - -")),
            (read(r#"{"file_path":["/r/a.py"]}"#), Some("PreToolUse Read /r - - -")),
            (read(r#"{"file_path":{"a":"/r/a.py"}}"#), Some("PreToolUse Read /r - - -")),
            (read("null"), Some("PreToolUse Read /r - - -")),
            (read("[]"), Some("PreToolUse Read /r - - -")),
            (read("\"text\""), Some("PreToolUse Read /r - - -")),
            (read(r#"{"file_path":"a","file_path":"b"}"#), Some("PreToolUse Read /r b - -")),
            (read(r#"{"file_path":"/r/\u00e9 \"x\".py"}"#), Some("PreToolUse Read /r /r/é \"x\".py - -")),
            (read(r#"{"file_path":"\ud800"}"#), Some("PreToolUse Read /r - - -")),
            (r#"{"cwd":1,"hook_event_name":null}"#.into(), Some("- - - - - -")),
            ("{}".into(), Some("- - - - - -")),
            ("\u{feff} \n{\"cwd\":\"/\"}".into(), Some("- - / - - -")),
            ("{\"cwd\":\"/a\"}{\"cwd\":\"/b\"}".into(), Some("- - /a - - -")),
            ("{\"cwd\":\"}{\\\\\"}garbage".into(), Some("- - }{\\ - - -")),
            (format!("{{\"x\":{}{},\"cwd\":\"/\"}}", "[".repeat(100_000), "]".repeat(100_000)), Some("- - / - - -")),
            ("{\"cwd\"}".into(), None),
            ("{]".into(), None),
            ("[{}]".into(), None),
            ("text".into(), None),
            ("".into(), None),
            ("{".into(), None),
        ];
        for (json, expected) in table {
            let start: String = json.chars().take(200).collect();
            assert_eq!(parsed(&json).as_deref(), expected, "{start}");
        }
    }

    #[test]
    fn every_prefix_of_an_event_is_nothing() {
        let json = r#"{"hook_event_name":"PreToolUse","cwd":"/r\\","tool_input":{"file_path":"/r/a.py"}}"#;
        for end in 0..json.len() {
            assert_eq!(parsed(&json[..end]), None);
        }
        assert!(parsed(json).is_some());
    }

    #[test]
    fn reading_stops_at_the_end_of_the_object_and_at_the_limit() {
        // Reading on would panic.
        struct Blocked;
        impl Read for Blocked {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                panic!("read beyond the object");
            }
        }
        let mut input = BufReader::with_capacity(5, b"  {\"cwd\":\"/a\"}".chain(Blocked));
        assert_eq!(read(&mut input).as_deref(), Some(&b"{\"cwd\":\"/a\"}"[..]));
        assert_eq!(read(&mut BufReader::new(std::io::repeat(b' '))), None);
        assert_eq!(read(&mut BufReader::new(b"{\"x\":\"".chain(std::io::repeat(b'y')))), None);
    }

    #[test]
    fn invalid_utf8_is_never_replaced() {
        assert!(Event::parse(b"{\"cwd\":\"/\xff\"}").is_none());
    }
}
