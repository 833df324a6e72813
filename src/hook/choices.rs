//! Patterns that spell several names in one: `get_(user|account)`, `[Ii]nvoice`, `user_?name`.
//!
//! Each choice inside a word is written out, so that what is left is read as whole names. Choices that stand by themselves
//! (`class (A|B)`) need no such help.

/// Patterns that one is written out to.
const MAX_WRITTEN: usize = 16;

/// Characters of a class that are tried; of a longer one any may stand there.
const MAX_CLASS: usize = 3;

/// The pattern with each choice made in each way, in order; itself if it holds none.
pub(super) fn written_out(pattern: &str) -> Vec<String> {
    let (mut done, mut open) = (Vec::new(), vec![pattern.to_string()]);
    while let Some(text) = open.pop() {
        match choice(&text) {
            Some(Choice { start, end, options }) if done.len() + open.len() + options.len() <= MAX_WRITTEN => {
                let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
                open.extend(options.iter().rev().map(|option| format!("{before}{option}{after}")));
            }
            _ => done.push(text),
        }
    }
    done
}

/// A part of a pattern, in bytes, and what may stand in its place.
struct Choice {
    start: usize,
    end: usize,
    options: Vec<String>,
}

/// The first choice that is part of a word.
fn choice(text: &str) -> Option<Choice> {
    let mut escaped = false;
    for (at, next) in text.char_indices() {
        let found = match next {
            '(' => group(text, if escaped { at - 1 } else { at }, at + 1),
            '[' if !escaped => class(text, at),
            '?' => optional(text, if escaped { at - 1 } else { at }, at + 1),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        escaped = next == '\\' && !escaped;
    }
    None
}

/// `(user|account)`, and `(?:user|account)?`, where a word goes on before or behind it.
fn group(text: &str, start: usize, inside: usize) -> Option<Choice> {
    let rest = text.get(inside..)?;
    let rest = rest.strip_prefix("?:").unwrap_or(rest);
    let close = rest.find(')')?;
    let body = rest.get(..close)?.trim_end_matches('\\').replace("\\|", "|");
    let end = text.len() - rest.len() + close + 1;
    let after = text.get(end..)?;
    if !body.chars().all(|next| is_of_word(next) || next == '|')
        || !(ends_in_word(text.get(..start)?) || begins_word(after))
    {
        return None;
    }
    let mut options: Vec<String> = body.split('|').map(str::to_string).collect();
    let is_optional = after.starts_with('?');
    if is_optional {
        options.push(String::new());
    }
    (options.len() > 1).then_some(Choice { start, end: end + usize::from(is_optional), options })
}

/// `[Ii]` where a word goes on before or behind it.
fn class(text: &str, start: usize) -> Option<Choice> {
    let rest = text.get(start + 1..)?;
    let close = rest.find(']')?;
    let body = rest.get(..close)?;
    let end = start + close + 2;
    let after = text.get(end..)?;
    let is_repeated = after.starts_with(['*', '+', '?', '{', '\\']);
    let fits = (1..=MAX_CLASS).contains(&body.len()) && body.chars().all(is_of_word) && !is_repeated;
    (fits && (ends_in_word(text.get(..start)?) || begins_word(after))).then(|| Choice {
        start,
        end,
        options: body.chars().map(String::from).collect(),
    })
}

/// `_?` within a word: the mark makes the one character before it optional.
fn optional(text: &str, mark: usize, end: usize) -> Option<Choice> {
    let before = text.get(..mark)?;
    let last = before.chars().next_back().filter(|last| is_of_word(*last))?;
    let start = mark - last.len_utf8();
    let goes_on = begins_word(text.get(end..)?) && ends_in_word(before) && ends_in_word(text.get(..start)?);
    goes_on.then(|| Choice { start, end, options: vec![last.to_string(), String::new()] })
}

fn is_of_word(next: char) -> bool {
    next.is_alphanumeric() || next == '_'
}

fn begins_word(text: &str) -> bool {
    text.chars().next().is_some_and(is_of_word)
}

/// Does a word reach to the end? `\b` and its like are no letters.
fn ends_in_word(text: &str) -> bool {
    let mut back = text.chars().rev();
    let last = back.next().is_some_and(is_of_word);
    last && back.next() != Some('\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_inside_a_word_are_written_out() {
        let table = [
            ("al(pha|x)", "alpha alx"),
            ("get_(user|account)_id", "get_user_id get_account_id"),
            ("(get|set)_user", "get_user set_user"),
            (r"get_\(user\|account\)", "get_user get_account"),
            ("handle(?:Click|Drop)?", "handleClick handleDrop handle"),
            ("[Ii]nvoice", "Invoice invoice"),
            ("user_?name", "user_name username"),
            (r"user_\?name", "user_name username"),
            ("(a|b)c(d|e)", "acd ace bcd bce"),
        ];
        for (pattern, expected) in table {
            assert_eq!(written_out(pattern).join(" "), expected, "{pattern}");
        }
    }

    #[test]
    fn all_else_stays_as_it_is() {
        for pattern in [
            "finalize",
            "class (A|B)",
            r"\b(a|b)\b",
            r"finalize\(",
            "f(a, b)",
            "[a-z]oo",
            "[^x]y",
            "[abcdef]oo",
            "[ab]+c",
            "a|b",
            "(?i)alpha",
            r"\w?x",
            "x?",
            "colou*r",
            "(",
            "[",
            "a(",
            "a[",
            "ö(",
            "a(b|c",
            r"\",
        ] {
            assert_eq!(written_out(pattern), [pattern]);
        }
        let many = "a(b|c)(d|e)(f|g)(h|i)(j|k)(l|m)";
        assert!(written_out(many).len() <= MAX_WRITTEN);
    }
}
