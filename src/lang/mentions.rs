//! Which names a text mentions in a way that code could follow: by its own name, by a path, by a call. They are the second
//! witness against calling an export unreferenced.
//!
//! Prose is no witness. Counting every word of error messages and documents kept half of the exports alive that compilers
//! found without a caller (commons-lang, picocli, scrapy) and saved none of those that have one: what looks a name up at
//! run time holds it as a value (`"process_item"`, `pkg.mod:main`, `{{ user.full_name() }}`), not in a sentence.

use super::words::is_word_byte;
use crate::model::{member_hash, word_hash};

/// Words that stand in sentences and in no code or configuration.
const SENTENCE_WORDS: &[&str] = &[
    "a", "an", "are", "be", "been", "can", "cannot", "could", "had", "has", "have", "is", "it", "its", "must", "of",
    "should", "than", "that", "the", "this", "to", "was", "were", "when", "will", "would",
];

/// So many words in a row that look like words of a language make a sentence.
const SENTENCE_LENGTH: usize = 3;

/// Stands for what is filled into a string: no letter, no blank, no joiner.
pub(crate) const HOLE: char = '\0';
const HOLE_BYTE: u8 = HOLE as u8;

/// The names that the content of a string literal, or a value of a configuration file, mentions: line by line, since a
/// literal may hold a whole script.
pub(crate) fn value(text: &str, into: &mut Vec<u32>) {
    for line in text.lines() {
        value_line(line, into);
    }
}

fn value_line(line: &str, into: &mut Vec<u32>) {
    let line = without_holes(line);
    let line = line.trim_ascii();
    if line.is_empty() || is_prose(line) {
        return;
    }
    let bare = trim_holes(line);
    let bare = bare.strip_suffix(b"()").unwrap_or(bare);
    let list = is_list(line);
    for word in Words::of(line) {
        let text = &line[word.start..word.end];
        if list || text == bare || word.is_joined(line) {
            push(text, into);
        }
    }
}

/// The names in the expressions of a template: what stands between the delimiters of the usual engines.
pub(crate) fn template(text: &str, into: &mut Vec<u32>) {
    const DELIMITERS: [(&str, &str); 9] = [
        ("{{", "}}"),
        ("{%", "%}"),
        ("${", "}"),
        ("#{", "}"),
        ("*{", "}"),
        ("@{", "}"),
        ("<%", "%>"),
        ("<#", ">"),
        ("<@", ">"),
    ];
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| b"{$#*@<".contains(byte)) {
        at += found;
        let opened = DELIMITERS.iter().find(|(open, _)| bytes[at..].starts_with(open.as_bytes()));
        let Some((open, close)) = opened else {
            at += 1;
            continue;
        };
        let inside = at + open.len();
        // An expression is short; an opening without its end must not make the rest of the file one.
        let window = &bytes[inside..bytes.len().min(inside + 2_000)];
        let end = window.windows(close.len()).position(|part| part == close.as_bytes());
        at = inside;
        if let Some(end) = end {
            all(&bytes[inside..inside + end], into);
            at += end;
        }
    }
}

/// Every identifier of three bytes and more.
pub(crate) fn all(text: &[u8], into: &mut Vec<u32>) {
    for word in Words::of(text) {
        push(&text[word.start..word.end], into);
    }
}

/// The names that code of another language calls, goes through or gets from something, and those that look like types. What
/// it declares, and the elements of its annotations, are its own.
pub(crate) fn called(text: &[u8], into: &mut Vec<u32>) {
    for word in Words::of(text) {
        let name = &text[word.start..word.end];
        let declared = [&b"fun "[..], b"def "].iter().any(|keyword| text[..word.start].ends_with(keyword));
        if !declared && (name[0].is_ascii_uppercase() || word.is_joined(text)) {
            push(name, into);
        }
    }
}

/// Names a member of something and nothing else (`getattr(x, "name")`): instead of its last mention, so that it speaks for
/// no function of a module.
pub(crate) fn narrow_to_member(name: &str, mentions: &mut [u32]) {
    let word = word_hash(name.as_bytes());
    if let Some(mention) = mentions.iter_mut().rfind(|mention| **mention == word) {
        *mention = member_hash(name);
    }
}

fn push(word: &[u8], into: &mut Vec<u32>) {
    if word.len() >= 3 {
        into.push(word_hash(word));
    }
}

/// A place of a word in a line.
#[derive(Clone, Copy)]
struct Word {
    start: usize,
    end: usize,
}

impl Word {
    /// Part of a path or called: `a.b`, `a:b`, `A::b`, `A#b`, `@a.b`, `a(`, `%s.a`; not `a-b`, `.a`, `a: b`, `end.`
    fn is_joined(self, line: &[u8]) -> bool {
        let before = |back: usize| self.start.checked_sub(back).map(|at| line[at]);
        let after = |ahead: usize| line.get(self.end + ahead).copied();
        if before(1) == Some(b'-') || after(0) == Some(b'-') && after(1) != Some(b'>') {
            return false;
        }
        let is_joiner = |byte: u8| b".:#".contains(&byte);
        let holds = |byte: u8| is_word_byte(byte) || b")]>\x00:".contains(&byte);
        let left = before(1).is_some_and(is_joiner) && before(2).is_some_and(holds);
        let left = left || before(1) == Some(b'>') && before(2) == Some(b'-');
        let right = after(0).is_some_and(is_joiner) && after(1).is_some_and(|byte| is_word_byte(byte) || byte == b':');
        left || right || after(0) == Some(b'(')
    }
}

/// The identifiers of a text.
struct Words<'t> {
    text: &'t [u8],
    at: usize,
}

impl Words<'_> {
    fn of(text: &[u8]) -> Words<'_> {
        Words { text, at: 0 }
    }
}

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        loop {
            let start = self.at + self.text[self.at..].iter().position(|byte| is_word_byte(*byte))?;
            let length = self.text[start..].iter().position(|byte| !is_word_byte(*byte));
            let end = length.map_or(self.text.len(), |length| start + length);
            self.at = end;
            if !self.text[start].is_ascii_digit() {
                return Some(Word { start, end });
            }
        }
    }
}

/// The line with what a formatter fills in replaced by [`HOLE`], and escapes by blanks, so that `\nname` holds `name`,
/// `"visit_%s"` the beginning `visit_`, and `"{}.name"` a member.
fn without_holes(line: &str) -> Vec<u8> {
    let bytes = line.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let (len, by) = match rest {
            [b'\\', _, ..] => (2, b' '),
            // `%s`, `%1$s`, `%-5d`, `%(name)s`
            [b'%', ..] => (percent_hole(rest), HOLE_BYTE),
            [b'{', next, ..] if *next != b'{' => (brace_hole(rest), HOLE_BYTE),
            _ => (0, 0),
        };
        if len == 0 {
            out.push(bytes[at]);
            at += 1;
        } else {
            out.push(by);
            at += len;
        }
    }
    out
}

/// Length of the conversion that `text` begins with; 0 if it is none.
fn percent_hole(text: &[u8]) -> usize {
    let mut at = 1;
    if text.get(1) == Some(&b'(') {
        match text.iter().take(60).position(|byte| *byte == b')') {
            Some(close) => at = close + 1,
            None => return 0,
        }
    }
    at += text[at..].iter().take_while(|byte| byte.is_ascii_digit() || b"$-+#.".contains(byte)).count();
    match text.get(at) {
        Some(byte) if b"sdrfinxcbgeo".contains(byte) => at + 1,
        _ => 0,
    }
}

/// Length of the replacement field that `text` begins with, if it holds no path: `{}`, `{0}`, `{name!r:>8}`; 0 otherwise.
fn brace_hole(text: &[u8]) -> usize {
    match text.iter().take(60).position(|byte| *byte == b'}') {
        Some(close) if !text[..close].iter().any(|byte| b".([ ".contains(byte)) => close + 1,
        _ => 0,
    }
}

fn trim_holes(mut text: &[u8]) -> &[u8] {
    while let [HOLE_BYTE, rest @ ..] = text {
        text = rest;
    }
    while let [rest @ .., HOLE_BYTE] = text {
        text = rest;
    }
    text
}

/// A sentence, or the beginning of one.
fn is_prose(line: &[u8]) -> bool {
    let mut run = 0;
    let mut sentence_words = 0;
    for token in line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty()) {
        let bare = trimmed(token);
        let plain = bare.first().is_some_and(|first| first.is_ascii_alphabetic() || *first >= 0x80)
            && bare[1..].iter().all(|byte| byte.is_ascii_lowercase() || *byte >= 0x80 || *byte == b'\'');
        if !plain {
            run = 0;
            sentence_words = 0;
            continue;
        }
        run += 1;
        let lower = bare.to_ascii_lowercase();
        sentence_words += usize::from(SENTENCE_WORDS.iter().any(|word| word.as_bytes() == lower));
        if run >= SENTENCE_LENGTH || run == 2 && sentence_words > 0 {
            return true;
        }
    }
    false
}

/// A token without the punctuation of sentences around it.
fn trimmed(mut token: &[u8]) -> &[u8] {
    while let [b'(' | b'"' | b'\'' | b'`', rest @ ..] = token {
        token = rest;
    }
    while let [rest @ .., b'.' | b',' | b':' | b'!' | b'?' | b')' | b'"' | b'\'' | b'`'] = token {
        token = rest;
    }
    token
}

/// Two and more names and nothing else, that commas part (`"a, b"`) or of which one is written as only code writes
/// (`"load_all run"`).
fn is_list(line: &[u8]) -> bool {
    let parts = line.split(|byte| byte.is_ascii_whitespace() || b",;|".contains(byte));
    let mut names = 0;
    let mut like_code = line.iter().any(|byte| b",;|".contains(byte));
    for part in parts.filter(|part| !part.is_empty()) {
        if part[0].is_ascii_digit() || !part.iter().all(|byte| is_word_byte(*byte)) {
            return false;
        }
        names += 1;
        like_code |= part[1..].iter().any(|byte| byte.is_ascii_uppercase() || *byte == b'_');
    }
    names >= 2 && like_code
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those of `words` that the text mentions, in their order.
    fn mentioned<'w>(collect: fn(&str, &mut Vec<u32>), text: &str, words: &[&'w str]) -> Vec<&'w str> {
        let mut found = Vec::new();
        collect(text, &mut found);
        words.iter().copied().filter(|word| found.contains(&word_hash(word.as_bytes()))).collect()
    }

    #[test]
    fn a_name_that_stands_alone_is_mentioned() {
        for text in
            ["load", " load ", "load()", "pkg.mod.load", "pkg.mod:load", "Loader::load", "Loader#load", r"\bload\b"]
        {
            assert_eq!(mentioned(value, text, &["load"]), ["load"], "{text}");
        }
        assert_eq!(mentioned(value, "shop.cart.Cart", &["shop", "cart", "Cart"]), ["shop", "cart", "Cart"]);
    }

    #[test]
    fn sentences_mention_nothing() {
        for text in [
            "Could not load the file",
            "load() is deprecated, use Loader.load()",
            "scrapy.load() was removed",
            "Please call (with .load(), .get(), or .post())",
            "cannot load",
            "overflow: load",
            "read load",
            ":nth-load-child(",
            "--load-all",
            ".load",
            "Waiting to load...",
        ] {
            assert_eq!(mentioned(value, text, &["load"]), [""; 0], "{text}");
        }
    }

    #[test]
    fn code_inside_a_literal_is_read_as_code() {
        let spring = "hasRole('x') and @checker.check(#id)";
        assert_eq!(mentioned(value, spring, &["checker", "check", "hasRole"]), ["checker", "check", "hasRole"]);
        assert_eq!(mentioned(value, "import shop; shop.load()", &["load"]), ["load"]);
        assert_eq!(mentioned(value, "first line\nload\nlast line", &["load", "line"]), ["load"]);
        assert_eq!(mentioned(value, "{0.load}", &["load"]), ["load"]);
    }

    #[test]
    fn what_a_formatter_fills_in_is_a_hole() {
        assert_eq!(mentioned(value, "visit_%s", &["visit_"]), ["visit_"]);
        assert_eq!(mentioned(value, "visit_{name}", &["visit_", "name"]), ["visit_"]);
        assert_eq!(mentioned(value, "%s_handler", &["_handler"]), ["_handler"]);
        assert_eq!(mentioned(value, "%s.load", &["load"]), ["load"]);
        assert_eq!(mentioned(value, "%(load)s %1$s", &["load"]), [""; 0]);
    }

    #[test]
    fn lists_of_names_mention_each() {
        assert_eq!(mentioned(value, "load, run", &["load", "run"]), ["load", "run"]);
        assert_eq!(mentioned(value, "load_all run", &["load_all", "run"]), ["load_all", "run"]);
        assert_eq!(mentioned(value, "read timeout", &["read", "timeout"]), [""; 0]);
    }

    #[test]
    fn templates_are_read_between_their_delimiters() {
        for text in ["{{ cart.total }}", "{% if total %}", "${cart.total}", "#{total()}", "<%= total %>", "<#if total>"]
        {
            assert_eq!(mentioned(template, text, &["total"]), ["total"], "{text}");
        }
        let text = "<p>the total</p> {{ cart";
        assert_eq!(mentioned(template, text, &["total", "cart"]), [""; 0]);
    }

    /// What anybody may write must not take long.
    #[test]
    fn openings_without_an_end_cost_their_length() {
        let mut found = Vec::new();
        template(&"{{".repeat(100_000), &mut found);
        value(&"{".repeat(200_000), &mut found);
        value(&"%(".repeat(100_000), &mut found);
        assert!(found.is_empty());
    }
}
