//! Carries a change of JSON values over to the text that they were read from: what did not change keeps its bytes, what is
//! new is laid out like what stands around it.
//!
//! The text has been parsed before, so it is known to be JSON of a bounded depth.

use std::ops::Range;

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter};
use serde_json::{Map, Value};

/// Text of `after`, where `text` is that of `before`.
pub(super) fn patch(text: &str, before: &Value, after: &Value) -> String {
    let mut scanner = Scanner { bytes: text.as_bytes(), at: 0 };
    let root = scanner.node();
    let mut patch = Patch { text, style: Style::of(text, &root), edits: Vec::new() };
    patch.node(&root, before, after);
    patch.edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for (range, with) in &patch.edits {
        new.push_str(&text[at..range.start]);
        new.push_str(with);
        at = range.end;
    }
    new + &text[at..]
}

/// Text of a value that stands alone.
pub(super) fn fresh(value: &Value) -> String {
    Style::default().pretty(value, "") + "\n"
}

/// A value in the text.
struct Node {
    span: Range<usize>,
    /// The elements of an array or the members of an object: where each stands, key included, and its value.
    parts: Vec<(Range<usize>, Node)>,
}

struct Scanner<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or_default()
    }

    /// To the next byte that means something: also over a byte order mark, which only stands at the beginning.
    fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r' | 0xef | 0xbb | 0xbf) {
            self.at += 1;
        }
    }

    fn node(&mut self) -> Node {
        self.skip_blanks();
        let start = self.at;
        let mut parts = Vec::new();
        match self.peek() {
            open @ (b'{' | b'[') => {
                self.at += 1;
                self.skip_blanks();
                while self.at < self.bytes.len() && !matches!(self.peek(), b'}' | b']') {
                    let from = self.at;
                    if open == b'{' {
                        self.string();
                        self.skip_blanks();
                        self.at += 1; // the colon
                    }
                    let value = self.node();
                    parts.push((from..value.span.end, value));
                    self.skip_blanks();
                    if self.peek() == b',' {
                        self.at += 1;
                        self.skip_blanks();
                    }
                }
                self.at += 1;
            }
            b'"' => self.string(),
            _ => {
                while !matches!(self.peek(), b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r' | 0) {
                    self.at += 1;
                }
            }
        }
        Node { span: start..self.at.min(self.bytes.len()), parts }
    }

    fn string(&mut self) {
        self.at += 1;
        while self.at < self.bytes.len() && self.peek() != b'"' {
            self.at += if self.peek() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
    }
}

/// How the text is laid out.
struct Style {
    line_end: &'static str,
    indent: String,
    /// Members stand on lines of their own.
    lines: bool,
    /// Blanks after commas and colons that stand in one line.
    blanks: bool,
}

impl Default for Style {
    /// What the client itself writes.
    fn default() -> Style {
        Style { line_end: "\n", indent: "  ".to_owned(), lines: true, blanks: true }
    }
}

impl Style {
    fn of(text: &str, root: &Node) -> Style {
        let mut style = Style::default();
        if text.contains("\r\n") {
            style.line_end = "\r\n";
        }
        if let Some((first, value)) = root.parts.first() {
            match indent_of(text, first.start) {
                Some(indent) if !indent.is_empty() => indent.clone_into(&mut style.indent),
                Some(_) => {}
                None => style.lines = false,
            }
            style.blanks = text[first.start..value.span.start].ends_with([' ', '\n', '\t']);
        }
        style
    }

    fn pretty(&self, value: &Value, indent: &str) -> String {
        let text = written(value, PrettyFormatter::with_indent(self.indent.as_bytes()));
        // Inside strings a line feed is always escaped, so these are the line ends and no others.
        text.replace('\n', &format!("{}{indent}", self.line_end))
    }

    fn compact(&self, value: &Value) -> String {
        if self.blanks { written(value, Blanks) } else { value.to_string() }
    }
}

/// Blanks before what stands at `at`, if nothing else stands there in its line.
fn indent_of(text: &str, at: usize) -> Option<&str> {
    let line = text[..at].rfind('\n')? + 1;
    text[line..at].bytes().all(|byte| byte == b' ' || byte == b'\t').then(|| &text[line..at])
}

fn written(value: &Value, formatter: impl Formatter) -> String {
    let mut bytes = Vec::new();
    // Writing a value to memory cannot fail.
    let _ = value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, formatter));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// One line, with a blank after each comma and colon.
struct Blanks;

impl Formatter for Blanks {
    fn begin_array_value<W: ?Sized + std::io::Write>(&mut self, out: &mut W, first: bool) -> std::io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(&mut self, out: &mut W, first: bool) -> std::io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, out: &mut W) -> std::io::Result<()> {
        out.write_all(b": ")
    }
}

/// What becomes of an element or member.
enum Fate<'v> {
    Kept,
    Removed,
    Changed(&'v Value, &'v Value),
}

/// A member or element that is new: before which of the old ones, with its key if it has one.
struct New<'v> {
    before: usize,
    key: Option<&'v str>,
    value: &'v Value,
}

struct Patch<'t> {
    text: &'t str,
    style: Style,
    edits: Vec<(Range<usize>, String)>,
}

impl<'t> Patch<'t> {
    fn node(&mut self, node: &Node, before: &Value, after: &Value) {
        if before == after {
            return;
        }
        match (before, after) {
            (Value::Object(before), Value::Object(after)) => self.object(node, before, after),
            (Value::Array(before), Value::Array(after)) => self.array(node, before, after),
            _ => {
                let text = self.value(after, indent_of(self.text, node.span.start), node.span.start);
                self.edits.push((node.span.clone(), text));
            }
        }
    }

    fn object(&mut self, node: &Node, before: &Map<String, Value>, after: &Map<String, Value>) {
        let fate = |(key, old)| match after.get(key) {
            None => Fate::Removed,
            Some(new) if new == old => Fate::Kept,
            Some(new) => Fate::Changed(old, new),
        };
        let fates: Vec<Fate> = before.iter().map(fate).collect();
        let new = after.iter().filter(|(key, _)| !before.contains_key(*key));
        let new = new.map(|(key, value)| New { before: fates.len(), key: Some(key), value }).collect();
        self.parts(node, &fates, new);
    }

    /// What both have at the beginning and at the end stays; in between, one is made into the other in order.
    fn array(&mut self, node: &Node, before: &[Value], after: &[Value]) {
        let head = before.iter().zip(after).take_while(|(old, new)| old == new).count();
        let ends = before[head..].iter().rev().zip(after[head..].iter().rev());
        let tail = ends.take_while(|(old, new)| old == new).count();
        let (old, new) = (&before[head..before.len() - tail], &after[head..after.len() - tail]);
        let mut fates: Vec<Fate> = before.iter().map(|_| Fate::Kept).collect();
        for (index, value) in old.iter().enumerate() {
            fates[head + index] = new.get(index).map_or(Fate::Removed, |new| Fate::Changed(value, new));
        }
        let at = head + old.len();
        let added = new.iter().skip(old.len()).map(|value| New { before: at, key: None, value }).collect();
        self.parts(node, &fates, added);
    }

    fn parts(&mut self, node: &Node, fates: &[Fate], new: Vec<New>) {
        let stays = |fate: &Fate| !matches!(fate, Fate::Removed);
        let inside = node.span.start + 1..node.span.end - 1;
        let Some(first) = fates.iter().position(stays) else {
            let text = self.list(&new, node);
            self.edits.push((inside, text));
            return;
        };
        for (index, fate) in fates.iter().enumerate() {
            match fate {
                Fate::Kept => {}
                Fate::Changed(old, now) => self.node(&node.parts[index].1, old, now),
                Fate::Removed if index < first => {
                    self.edits.push((node.parts[index].0.start..node.parts[index + 1].0.start, String::new()));
                }
                Fate::Removed => {
                    self.edits.push((node.parts[index - 1].0.end..node.parts[index].0.end, String::new()));
                }
            }
        }
        let start = node.parts[0].0.start;
        let indent = indent_of(self.text, start);
        let between = match indent {
            Some(indent) => format!(",{}{indent}", self.style.line_end),
            None if self.style.blanks => ", ".to_owned(),
            None => ",".to_owned(),
        };
        for part in new {
            let text = self.part(&part, indent, start);
            // Behind the last one before it that stays, or else before the first.
            match (0..part.before.min(fates.len())).rev().find(|index| stays(&fates[*index])) {
                Some(index) => {
                    let end = node.parts[index].0.end;
                    self.edits.push((end..end, between.clone() + &text));
                }
                None => {
                    let start = node.parts[first].0.start;
                    self.edits.push((start..start, text + &between));
                }
            }
        }
    }

    /// The whole content of an array or object that keeps nothing of what it held.
    fn list(&self, new: &[New], node: &Node) -> String {
        if new.is_empty() {
            return String::new();
        }
        if !self.style.lines {
            let texts: Vec<String> = new.iter().map(|part| self.part(part, None, node.span.start)).collect();
            return texts.join(if self.style.blanks { ", " } else { "," });
        }
        let outer = self.line_indent(node.span.start);
        let inner = format!("{outer}{}", self.style.indent);
        let end = self.style.line_end;
        let texts: Vec<String> = new.iter().map(|part| self.part(part, Some(&inner), node.span.start)).collect();
        format!("{end}{inner}{}{end}{outer}", texts.join(&format!(",{end}{inner}")))
    }

    fn part(&self, part: &New, indent: Option<&str>, near: usize) -> String {
        let value = self.value(part.value, indent, near);
        match part.key {
            Some(key) if indent.is_some() || self.style.blanks => format!("{}: {value}", Value::from(key)),
            Some(key) => format!("{}:{value}", Value::from(key)),
            None => value,
        }
    }

    fn value(&self, value: &Value, indent: Option<&str>, near: usize) -> String {
        match indent {
            Some(indent) => self.style.pretty(value, indent),
            None if self.style.lines
                && self.text[near..].starts_with(['{', '['])
                && indent_of(self.text, near).is_some() =>
            {
                self.style.pretty(value, self.line_indent(near))
            }
            None => self.style.compact(value),
        }
    }

    /// What the line begins with that `at` stands in.
    fn line_indent(&self, at: usize) -> &'t str {
        let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let rest = &self.text[line..at];
        &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patched(text: &str, after: &str) -> String {
        let value = |text: &str| -> Value { serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap() };
        let new = patch(text, &value(text), &value(after));
        assert_eq!(value(&new), value(after), "{new}");
        new
    }

    #[test]
    fn what_stays_keeps_its_bytes() {
        let text = "{ \"a\":1 ,\n\t\"b\" : [ 1,2 , 3 ],\"c\": {\"x\":1.50} }";
        assert_eq!(patched(text, r#"{"a":1,"b":[1,3],"c":{"x":1.5}}"#), text.replace(",2 ", " "));
        assert_eq!(patched(text, r#"{"b":[1,2,3],"c":{"x":1.5}}"#), "{ \"b\" : [ 1,2 , 3 ],\"c\": {\"x\":1.50} }");
        assert_eq!(patched(text, r#"{"a":1,"b":[1,2,3]}"#), "{ \"a\":1 ,\n\t\"b\" : [ 1,2 , 3 ] }");
        assert_eq!(patched(text, r#"{"c":{}}"#), "{ \"c\": {} }");
        assert_eq!(patched(text, "{}"), "{}");
    }

    #[test]
    fn what_is_new_is_laid_out_like_its_neighbours() {
        assert_eq!(patched("{\"a\":1}", r#"{"a":1,"b":{"c":[1,2]}}"#), "{\"a\":1,\"b\":{\"c\":[1,2]}}");
        assert_eq!(patched("{\"a\": 1}", r#"{"a":1,"b":{"c":[1,2]}}"#), "{\"a\": 1, \"b\": {\"c\": [1, 2]}}");
        assert_eq!(patched("{\n\t\"a\": 1\n}\n", r#"{"a":1,"b":[1]}"#), "{\n\t\"a\": 1,\n\t\"b\": [\n\t\t1\n\t]\n}\n");
        assert_eq!(
            patched("\u{feff}{\r\n  \"a\": {}\r\n}", r#"{"a":{"b":1}}"#),
            "\u{feff}{\r\n  \"a\": {\r\n    \"b\": 1\r\n  }\r\n}"
        );
        assert_eq!(patched("{}", r#"{"b":1}"#), "{\n  \"b\": 1\n}");
        assert_eq!(patched("{\"a\": [2, 3]}", r#"{"a":[1,2,3]}"#), "{\"a\": [1, 2, 3]}");
        assert_eq!(patched("{\"a\": [1, 3]}", r#"{"a":[1,2,3]}"#), "{\"a\": [1, 2, 3]}");
        assert_eq!(patched("{\"a\": [0, 0]}", r#"{"a":[7,8,9]}"#), "{\"a\": [7, 8, 9]}");
    }

    /// Every pair of some shapes, there and back.
    #[test]
    fn any_value_becomes_any_other() {
        let texts = [
            "{}",
            "[]",
            "null",
            "{\"a\":\"}]\\\"\"}",
            "{ \"a\" : [ ] , \"b\" : { } }",
            "[1, [2, [3]], {\"k\": [4]}]",
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": \"é,\"\n}\n",
            "[[],[],[1]]",
            "[1,[],{}]",
            "{\"b\":{\"a\":[1,2]},\"a\":1}",
        ];
        for before in texts {
            for after in texts {
                let there = patched(before, after);
                patched(&there, before);
            }
        }
    }
}
