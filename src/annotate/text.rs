//! Agent text under construction: fixed words, numbers and [`Shown`] names, nothing else, with its size in tokens.
//!
//! Tokens are estimated as RETRIEVAL.md measured them on a public Claude tokenizer: .915 a piece, where pieces are the words
//! of camelCase names (one for each six letters), runs of digits and marks (r = .995, within 12 %).

use super::shown::Shown;
use std::fmt;
use std::ops::Deref;

#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    text: String,
    pieces: usize,
}

impl Text {
    pub(super) fn new(words: &'static str) -> Text {
        // Most texts grow to a phrase: one allocation instead of five.
        Text { text: String::with_capacity(128), pieces: 0 }.say(words)
    }

    /// Appends words of our own.
    pub(super) fn say(mut self, words: &'static str) -> Text {
        self.add(words);
        self
    }

    pub(super) fn name(mut self, name: &Shown) -> Text {
        self.add(name.as_str());
        self
    }

    /// A line number, as an editor takes it.
    pub(super) fn line(mut self, line: u32) -> Text {
        self.add(&line.to_string());
        self
    }

    pub(super) fn number(mut self, number: u64) -> Text {
        let digits = number.to_string();
        if digits.len() < 5 {
            self.add(&digits);
            return self;
        }
        for (index, digit) in digits.char_indices() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                self.text.push(',');
            }
            self.text.push(digit);
        }
        self.pieces += 2 * digits.len().div_ceil(3) - 1;
        self
    }

    /// `3 files`, `1 file`.
    pub(super) fn count(self, number: u32, one: &'static str, many: &'static str) -> Text {
        self.number(number.into()).say(if number == 1 { one } else { many })
    }

    pub(super) fn append(mut self, other: &Text) -> Text {
        self.text.push_str(&other.text);
        self.pieces += other.pieces;
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn tokens(&self) -> usize {
        tokens(self.pieces)
    }

    /// The two together; what this is when more is to come.
    pub(super) fn tokens_with(&self, other: &Text) -> usize {
        tokens(self.pieces + other.pieces)
    }

    /// Without the space after its last sentence.
    pub(super) fn finish(mut self) -> Said {
        self.text.truncate(self.text.trim_end().len());
        Said(self.text)
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.pieces += pieces(text);
    }
}

/// A finished text for the agent. Nothing but a [`Text`] becomes one, and a reply takes nothing else: what has not been through
/// the sink for names cannot be said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said(String);

impl Said {
    /// All of them, each on a line of its own; `None` of none.
    pub fn lines(all: Vec<Said>) -> Option<Said> {
        all.into_iter().reduce(|text, next| Said(text.0 + "\n" + &next.0))
    }
}

impl Deref for Said {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn tokens(pieces: usize) -> usize {
    (pieces * 915).div_ceil(1000)
}

/// Estimated tokens of a text: see the head of this file.
pub fn estimate(text: &str) -> usize {
    tokens(pieces(text))
}

/// By bytes and table: this runs over every candidate phrase.
fn pieces(text: &str) -> usize {
    let (mut pieces, mut run, mut before) = (0, 0, SPACE);
    for byte in text.bytes() {
        let class = CLASS[usize::from(byte)];
        // A capital and the small letters after it are one word.
        if class != before && !(before == UPPER && class == LOWER) {
            pieces += closed(before, run);
            run = 0;
        }
        before = class;
        match class {
            LOWER | UPPER | DIGIT => run += 1,
            MARK => pieces += 1,
            WIDE => pieces += 2,
            _ => {}
        }
    }
    pieces + closed(before, run)
}

/// Pieces of a run that has ended.
fn closed(class: u8, run: usize) -> usize {
    match class {
        LOWER | UPPER => run.div_ceil(6),
        DIGIT => run.div_ceil(3),
        _ => 0,
    }
}

const SPACE: u8 = 0;
const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 3;
/// One piece: a mark, or a letter of another alphabet (two bytes of UTF-8).
const MARK: u8 = 4;
/// Two pieces: the scripts with thousands of letters (three bytes and more).
const WIDE: u8 = 5;

const CLASS: [u8; 256] = {
    let mut classes = [MARK; 256];
    let mut byte = 0;
    while byte < 256 {
        let class = match byte as u8 {
            b' ' | 0x80..=0xBF => SPACE,
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            0xE0..=0xFF => WIDE,
            _ => MARK,
        };
        classes[byte] = class;
        byte += 1;
    }
    classes
};
