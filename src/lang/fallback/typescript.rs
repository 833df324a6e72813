//! TypeScript and JavaScript for the fallback: nesting by braces, definitions by the words between the last `;`, `{` or `}` and
//! the next `{`. Imports are left out: what they name stands in strings, which are masked.

use super::mask::{Quote, Syntax};
use super::*;

pub(crate) static TYPESCRIPT: Outline = Outline {
    syntax: Syntax {
        line_comment: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[
            Quote { mark: "`", multiline: true, documents: false },
            Quote { mark: "\"", multiline: false, documents: false },
            Quote { mark: "'", multiline: false, documents: false },
        ],
        prefixes: b"",
    },
    definitions,
    other: |_, _| {},
    not_called: &[
        "async",
        "await",
        "case",
        "catch",
        "constructor",
        "delete",
        "do",
        "else",
        "export",
        "extends",
        "finally",
        "for",
        "function",
        "if",
        "import",
        "in",
        "instanceof",
        "new",
        "of",
        "return",
        "super",
        "switch",
        "this",
        "throw",
        "typeof",
        "void",
        "while",
        "with",
        "yield",
    ],
    calls_across_lines: true,
    calls_in_types: true,
    this: "this",
};

/// Longest header that is read before a `{`.
const MAX_HEADER: usize = 600;

fn definitions(masked: &str) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    // Per open brace the definition whose body it is, and where the statement around it began.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut statement = 0;
    for (at, byte) in masked.bytes().enumerate() {
        match byte {
            b'{' => {
                let outer = open.last().copied().flatten();
                let in_class = outer.is_some_and(|outer| found[outer].kind.is_type());
                let local = open.iter().rev().take(64).flatten().any(|outer| found[*outer].kind.is_callable());
                let from = masked.ceil_char_boundary(statement.max(at.saturating_sub(MAX_HEADER)));
                let new = header(masked, from, at, in_class, local);
                open.push(new.is_some().then_some(found.len()));
                found.extend(new);
                statement = at + 1;
            }
            b'}' => {
                statement = at + 1;
                if let Some(Some(index)) = open.pop() {
                    found[index].body.end = at + 1;
                }
            }
            b';' => statement = at + 1,
            _ => {}
        }
    }
    for index in open.into_iter().flatten() {
        found[index].body.end = masked.len();
    }
    found.sort_by_key(|definition| definition.name.start);
    found
}

/// What stands in `masked[from..to]` before a `{`.
fn header(masked: &str, from: usize, to: usize, in_class: bool, local: bool) -> Option<Found> {
    static TYPE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?:^|\s)(class|interface|enum|namespace)\s+([\pL_$][\w$]*)[^(){};=]*$").ok());
    static FUNCTION: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?:^|\s)function\s*\*?\s*([\pL_$][\w$]*)\s*(?:<[^(){}]*>)?\s*\(").ok());
    static VARIABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?:^|\s)(?:const|let|var)\s+([\pL_$][\w$]*)[^={}]*=\s*(?:async\s*)?(?:function\b|[^{};]*=>\s*$)")
            .ok()
    });
    static METHOD: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?:^|\s|\*)(#?[\pL_$][\w$]*)\s*(?:<[^(){}]*>)?\s*\([^{};]*\)\s*(?::[^{};=]*)?\s*$").ok()
    });
    static EXTENDS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\sextends\s+([\pL_$][\w$]*(?:\.[\pL_$][\w$]*)*)").ok());
    let text = &masked[from..to];
    let within = |found: regex::Match<'_>| from + found.start()..from + found.end();
    let mut flags = DefFlags::default();
    if local {
        flags.set(DefFlags::LOCAL);
    } else if text.split_whitespace().any(|word| word == "export") {
        flags.set(DefFlags::EXPORTED);
    }
    let mut new = Found {
        kind: DefKind::Function,
        receiver: None,
        name: from..from,
        start: from + (text.len() - text.trim_start().len()),
        body: to + 1..to + 1,
        flags,
        params: Vec::new(),
        supertypes: Vec::new(),
        interfaces: Vec::new(),
    };
    if let Some(captures) = TYPE.as_ref()?.captures(text) {
        new.kind = match captures.get(1)?.as_str() {
            "class" => DefKind::Class,
            "interface" => DefKind::Interface,
            "enum" => DefKind::Enum,
            _ => DefKind::Namespace,
        };
        new.name = within(captures.get(2)?);
        let extends = EXTENDS.as_ref()?.captures(text).and_then(|captures| captures.get(1));
        new.supertypes.extend(extends.map(within));
        return Some(new);
    }
    if in_class {
        let name = METHOD.as_ref()?.captures(text)?.get(1)?;
        if TYPESCRIPT.not_called.contains(&name.as_str()) && name.as_str() != "constructor" {
            return None;
        }
        new.kind = DefKind::Method;
        new.name = within(name);
        return Some(new);
    }
    let captures = FUNCTION.as_ref()?.captures(text).or_else(|| VARIABLE.as_ref()?.captures(text))?;
    new.name = within(captures.get(1)?);
    Some(new)
}
