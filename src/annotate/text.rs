//! Agent text under construction: fixed words, numbers and [`Shown`] names, nothing else, with its size in tokens.
//!
//! Tokens are estimated as RETRIEVAL.md measured them on a public Claude tokenizer: .915 a piece, where pieces are the words
//! of camelCase names (one for each six letters), runs of digits and marks (r = .995, within 12 %).

use super::shown::Shown;

#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    text: String,
    pieces: usize,
}

impl Text {
    pub(super) fn new(words: &'static str) -> Text {
        Text::default().say(words)
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

    pub(super) fn number(mut self, number: u64) -> Text {
        let digits = number.to_string();
        if digits.len() < 5 {
            self.add(&digits);
            return self;
        }
        for (index, digit) in digits.char_indices() {
            if index > 0 && (digits.len() - index) % 3 == 0 {
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

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.pieces += pieces(text);
    }
}

fn tokens(pieces: usize) -> usize {
    (pieces * 915).div_ceil(1000)
}

/// Estimated tokens of a text: see the head of this file.
pub fn estimate(text: &str) -> usize {
    tokens(pieces(text))
}

fn pieces(text: &str) -> usize {
    #[derive(PartialEq, Clone, Copy)]
    enum Class {
        None,
        Lower,
        Upper,
        Digit,
    }
    let (mut pieces, mut run, mut before) = (0, 0, Class::None);
    let close = |class: Class, run: usize| match class {
        Class::None => 0,
        Class::Lower | Class::Upper => run.div_ceil(6),
        Class::Digit => run.div_ceil(3),
    };
    for character in text.chars() {
        let class = match character {
            'a'..='z' => Class::Lower,
            'A'..='Z' => Class::Upper,
            '0'..='9' => Class::Digit,
            _ => Class::None,
        };
        // A capital and the small letters after it are one word.
        let same = class == before || before == Class::Upper && class == Class::Lower;
        if class == Class::None || !same {
            pieces += close(before, run);
            run = 0;
        }
        match character {
            ' ' => {}
            _ if class != Class::None => run += 1,
            // Other scripts: a token a letter, two for those with thousands of letters.
            _ => pieces += if character >= '\u{2E80}' { 2 } else { 1 },
        }
        before = class;
    }
    pieces + close(before, run)
}
