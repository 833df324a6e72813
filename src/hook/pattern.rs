//! From a search pattern to the identifiers it looks for.
//!
//! Patterns come in four dialects (grep's basic and extended, ripgrep's, plain text) and are read alike: an escape in
//! front of a bracket or a bar changes nothing here. Only whole identifiers count. A fragment (`get_.*`, `[a-f]oo`) or
//! a piece of prose ("connection refused") would at best hit a symbol by chance, so such a pattern gives nothing.

use super::choices::written_out;
use std::iter::Peekable;
use std::str::Chars;

/// Shorter names are too common to say anything about.
const MIN_NAME: usize = 3;

/// Longer patterns were not typed to find a name.
const MAX_PATTERN: usize = 4096;

/// Words of one name, and letters of one word.
const MAX_NAME_WORDS: usize = 6;
const MAX_NAME_WORD: usize = 24;

/// At most this many identifiers of one pattern are looked up.
pub(super) const MAX_IDENTIFIERS: usize = 6;

/// Words of the languages themselves, around the names that are looked for.
const KEYWORDS: [&str; 54] = [
    "abstract",
    "as",
    "async",
    "await",
    "boolean",
    "class",
    "cls",
    "const",
    "def",
    "elif",
    "else",
    "enum",
    "export",
    "extends",
    "False",
    "final",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "if",
    "impl",
    "implements",
    "import",
    "in",
    "instanceof",
    "int",
    "interface",
    "is",
    "let",
    "new",
    "None",
    "not",
    "null",
    "pub",
    "private",
    "protected",
    "public",
    "raise",
    "record",
    "return",
    "self",
    "static",
    "struct",
    "super",
    "synchronized",
    "this",
    "throw",
    "throws",
    "True",
    "type",
    "var",
    "void",
];

/// Identifiers that `pattern` looks for, in order, without repetition; `fixed` for plain text.
pub(super) fn identifiers(pattern: &str, fixed: bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    if pattern.len() > MAX_PATTERN {
        return found;
    }
    let read =
        if fixed { vec![literal(pattern)] } else { written_out(pattern).iter().map(|text| pieces(text)).collect() };
    for branch in read.iter().flat_map(|pieces| pieces.split(|piece| matches!(piece, Piece::Or))) {
        for name in names(branch) {
            if found.len() < MAX_IDENTIFIERS && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

/// Words of a name that a pattern may mean by other marks or cases: `get user name`, `get-user-name`, `get_user_name` where the
/// code has `getUserName`. `None` for one word, which would match by chance, and for whole sentences.
pub(super) fn words_of_name(pattern: &str) -> Option<Vec<String>> {
    if pattern.len() > MAX_NAME_WORDS * MAX_NAME_WORD {
        return None;
    }
    let mut words: Vec<String> = Vec::new();
    for part in pattern.split([' ', '-', '_']) {
        let mut before = ' ';
        let mut word = String::new();
        for next in part.chars() {
            if !next.is_ascii_alphanumeric() {
                return None;
            }
            if next.is_ascii_uppercase() && before.is_ascii_lowercase() {
                words.push(std::mem::take(&mut word));
            }
            word.push(next.to_ascii_lowercase());
            before = next;
        }
        words.push(word);
    }
    words.retain(|word| !word.is_empty());
    let fits = words.iter().all(|word| word.len() <= MAX_NAME_WORD) && words.iter().any(|word| word.len() > 2);
    ((2..=MAX_NAME_WORDS).contains(&words.len()) && fits).then_some(words)
}

/// How a name of these words is written: `a_b`, `aB`, `AB`, `A_B`, `ab`.
pub(super) fn spellings(words: &[String]) -> [String; 5] {
    let capital = |word: &String| {
        let (first, rest) = word.split_at_checked(1).unwrap_or(("", word));
        first.to_ascii_uppercase() + rest
    };
    let (first, others) = words.split_first().map_or((String::new(), words), |(first, others)| (first.clone(), others));
    let camel = first + &others.iter().map(capital).collect::<String>();
    let snake = words.join("_");
    let shouted = snake.to_ascii_uppercase();
    [snake, camel, words.iter().map(capital).collect(), shouted, words.concat()]
}

/// What patterns are made of, for this purpose.
#[derive(Debug, PartialEq)]
enum Piece {
    Word(String),
    Space,
    /// A character that may stand around names in code.
    Mark(char),
    /// Matches something that is not written in the pattern.
    Wild,
    /// Makes what stands before it optional or repeated.
    Repeat,
    Or,
}

fn literal(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for next in text.chars() {
        push_literal(&mut pieces, next);
    }
    pieces
}

fn push_literal(pieces: &mut Vec<Piece>, next: char) {
    match next {
        '\n' => pieces.push(Piece::Or),
        _ if next.is_whitespace() => pieces.push(Piece::Space),
        _ if next.is_alphanumeric() || next == '_' => match pieces.last_mut() {
            Some(Piece::Word(word)) => word.push(next),
            _ => pieces.push(Piece::Word(next.to_string())),
        },
        _ => pieces.push(Piece::Mark(next)),
    }
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut chars = pattern.chars().peekable();
    while let Some(next) = chars.next() {
        match next {
            '\\' => match chars.next() {
                Some('b' | 'B' | '<' | '>' | 'A' | 'z' | 'Z') => pieces.push(Piece::Mark('^')),
                Some('s') => pieces.push(Piece::Space),
                Some('w' | 'W' | 'd' | 'D' | 'S' | 'p' | 'P' | 'x' | 'u') => pieces.push(Piece::Wild),
                Some('|') => pieces.push(Piece::Or),
                Some('+' | '?') if pieces.last() != Some(&Piece::Mark('(')) => pieces.push(Piece::Repeat),
                Some('n') => pieces.push(Piece::Or),
                Some('t') => pieces.push(Piece::Space),
                Some(escaped) => push_literal(&mut pieces, escaped),
                None => {}
            },
            '|' => pieces.push(Piece::Or),
            '(' => {
                pieces.push(Piece::Mark('('));
                if chars.next_if_eq(&'?').is_some() {
                    skip_group_kind(&mut chars);
                }
            }
            '[' => {
                let mut class = String::new();
                let mut first = true;
                while let Some(inner) = chars.next() {
                    if inner == ']' && !first {
                        break;
                    }
                    if inner == '[' && chars.peek() == Some(&':') {
                        // [[:space:]]: its inner bracket ends no class.
                        for inner in chars.by_ref() {
                            class.push(inner);
                            if inner == ']' {
                                break;
                            }
                        }
                    } else {
                        class.push(inner);
                    }
                    first = first && inner == '^';
                }
                let one_mark = class.chars().all(|next| !next.is_alphanumeric() && next != '_' && next != '^');
                let space = matches!(class.as_str(), ":space:]" | ":blank:]" | " " | "\\t " | " \\t" | "\\s");
                pieces.push(if space {
                    Piece::Space
                } else if one_mark {
                    Piece::Mark('(')
                } else {
                    Piece::Wild
                });
            }
            '{' if chars.peek().is_some_and(char::is_ascii_digit) => {
                while chars.next_if(|next| *next != '}').is_some() {}
                chars.next();
                pieces.push(Piece::Repeat);
            }
            '*' | '+' | '?' => pieces.push(Piece::Repeat),
            '.' => match chars.peek() {
                Some('*' | '+' | '?' | '{') => pieces.push(Piece::Wild),
                _ => pieces.push(Piece::Mark('.')),
            },
            _ => push_literal(&mut pieces, next),
        }
    }
    pieces
}

/// After `(?`: takes off `:`, `=`, `<!`, `P<name>`, `i:` and the like.
fn skip_group_kind(chars: &mut Peekable<Chars>) {
    while chars.next_if(|next| next.is_ascii_alphabetic() || *next == '-').is_some() {}
    if chars.next_if_eq(&'<').is_some() {
        if chars.next_if(|next| matches!(next, '=' | '!')).is_none() {
            while chars.next_if(|next| *next != '>').is_some() {}
            chars.next();
        }
    } else {
        chars.next_if(|next| matches!(next, ':' | '=' | '!' | '>'));
    }
}

/// The names of one branch.
fn names(branch: &[Piece]) -> Vec<String> {
    // Paths, kebab-case and the like are no code.
    let no_code = branch.iter().enumerate().any(|(at, piece)| match piece {
        Piece::Mark('/' | '\\' | '~') => true,
        Piece::Mark('-') => {
            let word_at = |at: Option<usize>| matches!(at.and_then(|at| branch.get(at)), Some(Piece::Word(_)));
            word_at(at.checked_sub(1)) && word_at(at.checked_add(1))
        }
        _ => false,
    });
    if no_code {
        return Vec::new();
    }
    let mut names = Vec::new();
    let mut keyword = false;
    // Groups of words that only space tells apart: more than one of them without a keyword is prose.
    let (mut groups, mut spaced) = (0, true);
    for (at, piece) in branch.iter().enumerate() {
        let Piece::Word(word) = piece else {
            spaced |= *piece == Piece::Space;
            // `f(a, b)` and `x = y` are code.
            keyword |= matches!(piece, Piece::Mark('(' | '=' | '[' | '{' | '@' | ':' | '<'));
            continue;
        };
        if KEYWORDS.contains(&word.as_str()) {
            keyword |=
                !matches!(word.as_str(), "in" | "is" | "not" | "for" | "if" | "as" | "from" | "type" | "new" | "this");
            spaced = false;
            continue;
        }
        groups += usize::from(spaced);
        spaced = false;
        let before = at.checked_sub(1).and_then(|at| branch.get(at));
        let after = at.checked_add(1).and_then(|at| branch.get(at));
        let declared = matches!(before, Some(Piece::Space | Piece::Repeat)) && keyword;
        let fragment = matches!(before, Some(Piece::Wild))
            || matches!(after, Some(Piece::Repeat))
            || (matches!(after, Some(Piece::Wild)) && !declared)
            || (matches!(before, Some(Piece::Repeat))
                && at.checked_sub(2).is_some_and(|at| branch.get(at) == Some(&Piece::Wild)));
        let starts_well = word.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
        if !fragment && starts_well && word.chars().count() >= MIN_NAME {
            names.push(word.clone());
        }
    }
    if groups > 1 && !keyword {
        names.retain(|name| looks_like_code(name));
    }
    names
}

/// Told from a word of prose by an underscore, a digit or a capital inside.
fn looks_like_code(name: &str) -> bool {
    let inner_capital = name.chars().zip(name.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    inner_capital || name.contains(|next: char| next == '_' || next.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_made_of_names_give_them() {
        let table = [
            ("finalize", "finalize"),
            (r"\bfinalize\b", "finalize"),
            (r"\<finalize\>", "finalize"),
            ("def finalize", "finalize"),
            ("^class Invoice", "Invoice"),
            ("^class Invoice.*:", "Invoice"),
            (r"^\s*(async\s+)?def\s+finalize", "finalize"),
            (r"finalize\(", "finalize"),
            ("finalize(", "finalize"),
            (r"\.finalize(", "finalize"),
            (r"self\.finalize", "finalize"),
            ("Invoice.finalize", "Invoice finalize"),
            (r"Invoice\.finalize", "Invoice finalize"),
            (r"alpha\|beta", "alpha beta"),
            ("alpha|beta|alpha", "alpha beta"),
            ("(alpha|beta)", "alpha beta"),
            ("(?:alpha|beta)", "alpha beta"),
            ("(?i)alpha", "alpha"),
            ("(?i:alpha)|(?P<x>beta)|(?<!d)gamma|(?=delta)", "alpha beta gamma delta"),
            ("class (Alpha|Beta)", "Alpha Beta"),
            ("alpha\nbeta", "alpha beta"),
            ("from billing import Invoice", "billing Invoice"),
            ("new Invoice(", "Invoice"),
            ("public void run", "run"),
            (r"void\s+\w+\s+run_all", "run_all"),
            (r"@app\.route", "app route"),
            ("finalize[(]", "finalize"),
            (r"[[:space:]]finalize[[:space:]]*(", "finalize"),
            ("total = compute_total", "total compute_total"),
            ("INVOICE_LIMIT", "INVOICE_LIMIT"),
            ("->getName", "getName"),
            ("größe_berechnen", "größe_berechnen"),
            ("compute_total invoice", "compute_total"),
            ("a|bb|ccc", "ccc"),
            ("[Ff]oo", "Foo foo"),
            ("al(pha|x)", "alpha alx"),
            (r"def (get|set)_total\(", "get_total set_total"),
            ("one1|two2|three|four|five5|six66|seven", "one1 two2 three four five5 six66"),
        ];
        for (pattern, expected) in table {
            assert_eq!(identifiers(pattern, false).join(" "), expected, "{pattern}");
        }
    }

    #[test]
    fn names_by_other_marks_are_spelled_as_code_does() {
        let spelled =
            |pattern: &str| words_of_name(pattern).map(|words| spellings(&words).join(" ")).unwrap_or_default();
        let expected = "get_user_name getUserName GetUserName GET_USER_NAME getusername";
        for pattern in
            ["get user name", "get_user_name", "getUserName", "GetUserName", "get-user-name", "GET_USER_NAME"]
        {
            assert_eq!(spelled(pattern), expected, "{pattern}");
        }
        for pattern in ["", "user", "a b", "get.*name", "could not connect to the server at all", "größe der box", "  "]
        {
            assert_eq!(spelled(pattern), "", "{pattern}");
        }
        assert_eq!(spelled(&"ab ".repeat(1 << 20)), "");
    }

    #[test]
    fn patterns_made_of_anything_else_give_nothing() {
        let table = [
            "",
            ".*",
            "get_.*",
            ".*Service",
            "[a-f]oo",
            "colou*r",
            r"\w+Error",
            r"foo\w*",
            "[a-z]+_id",
            "/api/v1/users",
            "src/main.py",
            "connection refused",
            "Could not connect to",
            "some-kebab-case",
            "ab",
            "42",
            "123abc",
            r"^\s*$",
            "def",
            "import",
            "(",
            "[",
            "\\",
            "[[:",
            "(?",
            "{1",
            "a{2,3}",
            r"C:\\temp",
        ];
        for pattern in table {
            assert_eq!(identifiers(pattern, false), Vec::<String>::new(), "{pattern}");
        }
        assert_eq!(identifiers(&"x".repeat(1 << 20), false), Vec::<String>::new());
        assert_eq!(identifiers("a.b*finalize(", true), ["finalize"], "plain text has no wildcards");
    }
}
