//! What a file can be found by from a sentence: the stems of its words, as hashes, with how often each stands in its
//! comments, its code and its strings (RETRIEVAL.md, "Recommendation, exactly").
//!
//! A term is a word of an identifier (`parseURLPath` -> `pars`, `url`, `path`) or the whole of one that has several
//! (`parseurlpath`). Only hashes of 32 bits leave this module: no text can be got back from what is stored, and words that
//! look like secrets are not even hashed ([`super::secrets`]). Languages differ by what their comments and strings look
//! like and by nothing else.

use super::fallback::{Literal, LiteralKind, Syntax, literals};
use super::secrets;
use super::words::is_word_byte;
use crate::model::{Term, Terms, word_hash};
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Words of any sentence, of which none tells files apart; sorted.
const STOP_WORDS: [&str; 100] = [
    "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been", "before",
    "but", "by", "can", "cannot", "could", "did", "do", "does", "doing", "don", "each", "for", "from", "had", "has",
    "have", "having", "he", "her", "here", "hers", "him", "his", "how", "if", "in", "into", "is", "it", "its", "just",
    "may", "me", "might", "more", "most", "must", "my", "no", "nor", "not", "of", "on", "only", "or", "our", "out",
    "please", "shall", "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "to", "too", "up", "us", "very", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "why", "will", "with", "would", "you", "your",
];

/// Longest word that is one: what is longer was not typed by anybody.
const MAX_WORD: usize = 40;

/// Longest identifier that is looked at.
const MAX_IDENTIFIER: usize = 120;

/// Different words of one file, the first ones; hand-written files have a tenth.
const MAX_WORDS: usize = 8192;

/// A comment at the head of a file that is longer than its licence says nothing else.
const LICENCE_WORDS: [&str; 3] = ["copyright", "license", "licence"];

/// Words that are remembered by a thread with the hashes of their stems.
const MAX_REMEMBERED: usize = 1 << 16;

thread_local! {
    static STEMS: RefCell<(Stemmer, FxHashMap<Box<str>, u32>)> =
        RefCell::new((Stemmer::create(Algorithm::English), FxHashMap::default()));
}

/// The terms of a text, in order and as often as they stand there: of a prompt, a commit message, a path.
pub fn of_text(text: &str, mut found: impl FnMut(u32)) {
    secrets::harmless_words(text, |word| of_identifier(word, &mut found));
}

/// The terms of a file with code.
pub(super) fn of_code(syntax: &Syntax, text: &str) -> Terms {
    let mut words = Words::default();
    let mut code = Code::default();
    let mut at = 0;
    literals(syntax, text, |Literal { kind, start, end }| {
        code.read(&text[at..start], &mut words);
        at = end;
        let literal = &text[start..end];
        match kind {
            // What stands at the head of a file is not about it where it is a licence.
            LiteralKind::Comment if !code.begun && is_licence(literal) => {}
            LiteralKind::Comment | LiteralKind::Docs => {
                secrets::harmless_words(literal, |word| words.add(word, |counts| &mut counts.docs));
            }
            LiteralKind::String if code.importing.is_some() => {}
            LiteralKind::String if code.is_secret(literal) => {}
            LiteralKind::String => {
                secrets::harmless_words(literal, |word| words.add(word, |counts| &mut counts.strings));
            }
        }
    });
    code.read(&text[at..], &mut words);
    words.terms()
}

fn is_licence(comment: &str) -> bool {
    let lower = comment.to_ascii_lowercase();
    LICENCE_WORDS.iter().any(|word| lower.contains(word))
}

/// The words of a file, counted before they are cut: most stand there many times.
#[derive(Default)]
struct Words<'t> {
    known: FxHashMap<&'t str, u32>,
    /// In the order in which they were met.
    counts: Vec<(&'t str, Term)>,
}

impl<'t> Words<'t> {
    fn add(&mut self, word: &'t str, field: impl Fn(&mut Term) -> &mut u8) {
        let place = *self.known.entry(word).or_insert(self.counts.len() as u32) as usize;
        if place == self.counts.len() {
            self.counts.push((word, Term::default()));
        }
        let count = field(&mut self.counts[place].1);
        *count = count.saturating_add(1);
    }

    fn terms(self) -> Terms {
        let mut found: Vec<Term> = Vec::with_capacity(2 * self.counts.len());
        for (word, counts) in self.counts.iter().take(MAX_WORDS) {
            of_identifier(word, &mut |hash| found.push(Term { hash, ..*counts }));
        }
        found.sort_unstable_by_key(|term| term.hash);
        found.dedup_by(|next, sum| {
            let same = next.hash == sum.hash;
            if same {
                sum.docs = sum.docs.saturating_add(next.docs);
                sum.body = sum.body.saturating_add(next.body);
                sum.strings = sum.strings.saturating_add(next.strings);
            }
            same
        });
        Terms::pack(&found)
    }
}

/// Reads the code between comments and strings. Imports say where things are from, not what the file is about: they are
/// left out (worth .003 of recall).
#[derive(Default)]
struct Code<'t> {
    /// A word was met.
    begun: bool,
    /// Inside an import, with so many brackets open.
    importing: Option<u32>,
    /// The last word before the literal at hand, of code or of the literal before it.
    last: &'t str,
    /// The literal before was the value of a credential, or named one.
    credential: bool,
}

/// Words that begin a statement that only says where names are from, in some language. A blank follows.
const IMPORTS: [&str; 5] = ["import", "from", "package", "use", "include"];

impl<'t> Code<'t> {
    fn read(&mut self, code: &'t str, found: &mut Words<'t>) {
        let bytes = code.as_bytes();
        let mut at = 0;
        // A chunk goes on in the line of the one before, but for the first.
        let mut line_start = !self.begun;
        let mut words = false;
        while at < bytes.len() {
            let byte = bytes[at];
            if !is_word_byte(byte) {
                match (byte, &mut self.importing) {
                    (b'(' | b'{' | b'[', Some(open)) => *open += 1,
                    (b')' | b'}' | b']', Some(open)) => *open = open.saturating_sub(1),
                    (b'\n' | b';', Some(0)) => self.importing = None,
                    _ => {}
                }
                line_start = byte == b'\n' || line_start && matches!(byte, b' ' | b'\t' | b'\r' | b'#');
                at += 1;
                continue;
            }
            let end = at + bytes[at..].iter().position(|byte| !is_word_byte(*byte)).unwrap_or(bytes.len() - at);
            let word = &code[at..end];
            at = end;
            self.begun = true;
            let blank_follows = matches!(bytes.get(end), Some(b' ' | b'\t'));
            if line_start && self.importing.is_none() && blank_follows && IMPORTS.contains(&word) {
                self.importing = Some(0);
            }
            line_start = false;
            if self.importing.is_none() {
                (self.last, words) = (word, true);
                found.add(word, |counts| &mut counts.body);
            }
        }
        self.credential = match words {
            true => secrets::is_credential(self.last),
            // Two literals with nothing but marks between them: a key and its value, or two of a list.
            false => self.credential && !code.contains([';', '\n']),
        };
    }

    /// Whether a literal is the value of a credential: `password = "..."`, `"api_key": "..."`, `auth("user", "...")`.
    fn is_secret(&mut self, literal: &str) -> bool {
        let secret = self.credential;
        // A long one is prose.
        self.credential |= literal.len() < 64 && secrets::is_credential(literal);
        secret
    }
}

/// The terms of one identifier.
fn of_identifier(identifier: &str, found: &mut dyn FnMut(u32)) {
    let identifier = identifier.trim_matches('_');
    if identifier.len() < 2 || identifier.len() > MAX_IDENTIFIER || secrets::looks_random(identifier) {
        return;
    }
    let mut parts = 0;
    let mut joined = String::with_capacity(identifier.len());
    split(identifier, |part| {
        parts += 1;
        let start = joined.len();
        push_lower(&mut joined, part);
        let lower = &joined[start..];
        if part.len() >= 2
            && !part.as_bytes()[0].is_ascii_digit()
            && let Some(hash) = stem_of(lower)
        {
            found(hash);
        }
    });
    if parts > 1 && (2..=MAX_WORD).contains(&joined.len()) {
        found(word_hash(joined.as_bytes()));
    }
}

fn push_lower(to: &mut String, part: &str) {
    if part.is_ascii() {
        to.extend(part.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
    } else {
        to.push_str(&part.to_lowercase());
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Mark,
}

fn class_of(byte: u8) -> Class {
    match byte {
        // Letters of other scripts do not cut a word.
        b'a'..=b'z' | 0x80.. => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        _ => Class::Mark,
    }
}

/// The parts of an identifier: cut at marks, between letters and digits, before a capital after a small letter, and before
/// the last capital of a run that small letters follow.
pub(super) fn split(identifier: &str, mut part: impl FnMut(&str)) {
    let bytes = identifier.as_bytes();
    let mut start = 0;
    for at in 1..=bytes.len() {
        let before = class_of(bytes[at - 1]);
        let cut = match bytes.get(at).map(|byte| class_of(*byte)) {
            None => true,
            Some(Class::Lower) if before == Class::Upper => false,
            Some(Class::Upper) if before == Class::Upper => {
                at + 1 < bytes.len() && class_of(bytes[at + 1]) == Class::Lower
            }
            Some(class) => class != before,
        };
        if cut {
            if before != Class::Mark {
                part(&identifier[start..at]);
            }
            start = at;
        }
    }
}

/// The hash of the stem of a word in small letters; `None` for stop words.
fn stem_of(word: &str) -> Option<u32> {
    if word.len() > MAX_WORD {
        return None;
    }
    STEMS.with_borrow_mut(|(stemmer, known)| {
        let hash = known.get(word).copied().unwrap_or_else(|| {
            let hash = match STOP_WORDS.binary_search(&word) {
                Ok(_) => 0,
                Err(_) => word_hash(stemmer.stem(word).as_bytes()),
            };
            if known.len() < MAX_REMEMBERED {
                known.insert(word.into(), hash);
            }
            hash
        });
        (hash != 0).then_some(hash)
    })
}

#[cfg(test)]
mod tests {
    use super::super::fallback::{JAVA, PYTHON};
    use super::*;

    fn stems(text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        of_text(text, |term| found.push(term));
        found
    }

    fn hashes(words: &str) -> Vec<u32> {
        words.split_whitespace().map(|word| word_hash(word.as_bytes())).collect()
    }

    #[test]
    fn identifiers_are_their_words_and_themselves() {
        let table = [
            ("parseURLPaths", "pars url path parseurlpaths"),
            ("snake_case_names", "snake case name snakecasenames"),
            ("HTTPServer2", "http server httpserver2"),
            ("retries", "retri"),
            ("sha256", "sha sha256"),
            ("the a I x 42", ""),
            ("Größe", "größe"),
            ("don't", ""),
            ("Twisted\u{2019}s reactor\u{2014}again", "twist reactor again"),
        ];
        for (text, expected) in table {
            assert_eq!(stems(text), hashes(expected), "{text}");
        }
        assert_eq!(stems("retry"), stems("Retries"));
    }

    fn counts(syntax: &Syntax, text: &str, stem: &str) -> [u8; 3] {
        let hash = word_hash(stem.as_bytes());
        let terms = of_code(syntax, text);
        let found = terms.iter().find(|term| term.hash == hash);
        found.map_or([0; 3], |term| [term.docs, term.body, term.strings])
    }

    #[test]
    fn words_are_counted_by_where_they_stand() {
        let python =
            "# cart\nfrom cart import cart\ndef cart(cart):\n    \"\"\"A cart.\"\"\"\n    return 'cart', cart\n";
        assert_eq!(counts(&PYTHON.syntax, python, "cart"), [2, 3, 1]);
        let java = "package cart;\nimport static a.Cart.cart;\n/** A cart. */\nclass Cart { String s = \"cart\"; }\n";
        assert_eq!(counts(&JAVA.syntax, java, "cart"), [1, 1, 1]);
        let lists = "import (\n\t\"cart\"\n)\nimport {\n  cart\n} from 'cart';\nvar cart = 1\n";
        assert_eq!(counts(&JAVA.syntax, lists, "cart"), [0, 1, 0]);
    }

    #[test]
    fn a_licence_says_nothing() {
        let text = "/* Copyright of the cart */\n// cart\nclass A {}\n/* no licence to cart */";
        assert_eq!(counts(&JAVA.syntax, text, "cart"), [2, 0, 0]);
    }

    #[test]
    fn values_of_credentials_are_no_words() {
        for text in ["password = 'zebra'", "x = {'api_key': 'zebra'}", "login('password', 'zebra')", "# token: zebra"] {
            assert_eq!(counts(&PYTHON.syntax, text, "zebra"), [0; 3], "{text}");
        }
        assert_eq!(counts(&PYTHON.syntax, "tokens = 1\nname = 'zebra'", "zebra"), [0, 0, 1]);
    }

    #[test]
    fn packed_terms_come_back() {
        let terms: Vec<Term> = [0, 1, 127, 128, 300_000, u32::MAX]
            .into_iter()
            .zip([[0, 0, 1], [2, 3, 255], [1, 1, 1], [0, 200, 0], [3, 3, 3], [1, 0, 2]])
            .map(|(hash, [docs, body, strings])| Term { hash, docs, body, strings })
            .collect();
        assert_eq!(Terms::pack(&terms).iter().collect::<Vec<_>>(), terms);
    }

    #[test]
    fn any_text_has_terms() {
        for text in ["'", "\\", "é\\é'", "import (", "-----BEGIN X", "a=", "://@?", "\u{0}\u{feff}"] {
            of_code(&PYTHON.syntax, text);
            of_code(&JAVA.syntax, &text.repeat(1000));
            stems(text);
        }
    }
}
