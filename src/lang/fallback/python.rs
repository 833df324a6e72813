//! Python for the fallback: nesting by indentation, definitions by the keyword that begins their line.

use super::mask::{INSIDE, Quote, Syntax};
use super::*;

pub(crate) static PYTHON: Outline = Outline {
    syntax: Syntax {
        line_comment: "#",
        block_comment: None,
        quotes: &[
            Quote { mark: "\"\"\"", multiline: true, documents: true },
            Quote { mark: "'''", multiline: true, documents: true },
            Quote { mark: "\"", multiline: false, documents: true },
            Quote { mark: "'", multiline: false, documents: true },
        ],
        prefixes: b"rRbBuUfFtT",
    },
    definitions,
    other,
    not_called: &[
        "and", "as", "assert", "async", "await", "class", "def", "del", "elif", "else", "except", "exec", "finally",
        "for", "from", "if", "import", "in", "is", "lambda", "not", "or", "pass", "print", "raise", "return", "super",
        "try", "while", "with", "yield",
    ],
    calls_across_lines: false,
    calls_in_types: true,
    // `self` is a parameter like any other.
    this: "",
};

/// Reserved words that no bracketed expression has at the beginning of a line.
const NEVER_INSIDE: [&str; 4] = ["def ", "class ", "import ", "from "];

fn definitions(masked: &str) -> Vec<Found> {
    static DEFINITION: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^[ \t\f]*(?:(async)[ \t]+)?(def|class)[ \t]+([\pL_]\w*)").ok());
    let Some(pattern) = DEFINITION.as_ref() else { return Vec::new() };
    let mut found: Vec<Found> = Vec::new();
    // Open definitions with their indentation, innermost last.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut depth = 0_usize;
    let mut decorated: Option<usize> = None;
    let mut last_code = 0;
    let mut at = 0;
    for line in masked.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let code = line.trim_end();
        if code.trim_start().is_empty() {
            continue;
        }
        let definition = pattern.captures(code);
        // A definition begins its line wherever it stands, so an unclosed bracket before it ends with it.
        let goes_on = definition.is_none() && (depth > 0 || code.as_bytes()[0] == INSIDE);
        if definition.is_some() {
            depth = 0;
        }
        if !goes_on {
            let indentation = indentation(code);
            while let Some((index, outer)) = open.last().copied()
                && indentation <= outer
            {
                found[index].body.end = last_code.max(found[index].body.start);
                open.pop();
            }
            if let Some(captures) = definition {
                let first = decorated.take().unwrap_or(start);
                if let Some(new) =
                    found_in(masked, start, first, &captures, open.last().map(|(index, _)| &found[*index]))
                {
                    open.push((found.len(), indentation));
                    found.push(new);
                }
            } else if code.trim_start().starts_with('@') {
                decorated.get_or_insert(start);
            } else {
                decorated = None;
            }
        }
        for byte in code.bytes() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        last_code = start + code.len();
    }
    for (index, _) in open {
        found[index].body.end = last_code.max(found[index].body.start);
    }
    found
}

/// Columns before the first character; a tab goes to the next multiple of eight, a form feed starts anew.
fn indentation(line: &str) -> usize {
    let mut column = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => column += 1,
            b'\t' => column = (column / 8 + 1) * 8,
            0x0c => column = 0,
            _ => break,
        }
    }
    column
}

fn found_in(
    masked: &str,
    line: usize,
    start: usize,
    captures: &regex::Captures<'_>,
    outer: Option<&Found>,
) -> Option<Found> {
    let name = captures.get(3)?;
    let name = line + name.start()..line + name.end();
    let is_class = captures.get(2)?.as_str() == "class";
    let in_class = outer.is_some_and(|outer| outer.kind == DefKind::Class);
    let kind = match (is_class, in_class) {
        (true, _) => DefKind::Class,
        (false, true) => DefKind::Method,
        (false, false) => DefKind::Function,
    };
    let local = outer.is_some_and(|outer| outer.kind != DefKind::Class || outer.flags.has(DefFlags::LOCAL));
    let mut flags = DefFlags::default();
    if local {
        flags.set(DefFlags::LOCAL);
    } else if !masked[name.clone()].starts_with('_') {
        flags.set(DefFlags::EXPORTED);
    }
    if captures.get(1).is_some() {
        flags.set(DefFlags::ASYNC);
    }
    let mut new = Found {
        kind,
        name: name.clone(),
        start,
        body: name.end..name.end,
        flags,
        params: Vec::new(),
        supertypes: Vec::new(),
        interfaces: Vec::new(),
        receiver: None,
    };
    let blanks = masked[name.end..].len() - masked[name.end..].trim_start_matches([' ', '\t']).len();
    let bracket = name.end + blanks;
    if masked.as_bytes().get(bracket) == Some(&b'(')
        && let Some(end) = closing(masked, bracket, &NEVER_INSIDE)
    {
        let items = parts(masked, bracket + 1..end);
        new.body = end + 1..end + 1;
        if is_class {
            let bases = items.into_iter().filter(|item| !has_keyword(&masked[item.clone()]));
            new.supertypes = bases.filter_map(|item| leading_path(masked, item)).collect();
        } else {
            new.params = params(masked, items);
        }
    }
    Some(new)
}

/// True for `name=value`.
fn has_keyword(item: &str) -> bool {
    item.split_once('=').is_some_and(|(name, value)| !value.starts_with('=') && !name.contains(['(', '[']))
}

fn params(masked: &str, items: Vec<Range<usize>>) -> Vec<FoundParam> {
    let mut params: Vec<FoundParam> = Vec::new();
    let mut keyword_only = false;
    for item in items {
        let text = &masked[item.clone()];
        let stars = text.len() - text.trim_start_matches('*').len();
        match (text, stars) {
            ("/", _) => params.iter_mut().for_each(|param| param.kind = ParamKind::PositionalOnly),
            ("*", _) => keyword_only = true,
            _ => {
                let kind = match stars {
                    0 if keyword_only => ParamKind::KeywordOnly,
                    0 => ParamKind::Normal,
                    1 => ParamKind::Rest,
                    _ => ParamKind::KeywordRest,
                };
                keyword_only |= stars == 1;
                // Python 2 unpacks tuples here; those have no name.
                let Some(name) = leading_path(masked, item.start + stars..item.end) else { continue };
                let annotation = masked[name.end..item.end].find(':').map(|colon| {
                    let start = name.end + colon + 1;
                    start + masked[start..item.end].len() - masked[start..item.end].trim_start().len()
                });
                let ty = annotation.and_then(|start| leading_path(masked, start..item.end));
                params.push(FoundParam { name, kind, optional: stars > 0 || text.contains('='), ty });
            }
        }
    }
    params
}

fn other(masked: &str, events: &mut Vec<(usize, Event)>) {
    imports(masked, events);
    static DECORATOR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^[ \t]*@[ \t]*([\pL_][\w.]*)").ok());
    for captures in DECORATOR.iter().flat_map(|pattern| pattern.captures_iter(masked)) {
        if let Some(path) = captures.get(1) {
            events.push((path.start(), Event::Use { path: path.range(), how: How::Decorates }));
        }
    }
    // What binds a name hides an outer one of that name; its value is not looked at.
    static ASSIGNED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?m)^[ \t]*([\pL_]\w*(?:[ \t]*,[ \t]*[\pL_]\w*)*)[ \t]*(?::[^=\n(]*)?=(?:[^=]|$)").ok()
    });
    static LOOPED: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\bfor[ \t(]+([\w \t,()*]+)[ \t)]+in\b").ok());
    static NAMED: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?m)^([ \t]*)(?:with|async|except|case)\b[^\n]*\bas[ \t]").ok());
    static AS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\bas[ \t]+\(?([\pL_]\w*)").ok());
    for pattern in [&ASSIGNED, &LOOPED] {
        for captures in pattern.iter().flat_map(|pattern| pattern.captures_iter(masked)) {
            for name in captures.get(1).map(|names| words(masked, names.range())).unwrap_or_default() {
                events.push((name.start, Event::Bind { name, ty: None }));
            }
        }
    }
    // Only in these statements: `import a as b` is no variable.
    for statement in NAMED.iter().flat_map(|pattern| pattern.find_iter(masked)) {
        let end = masked[statement.start()..].find('\n').map_or(masked.len(), |len| statement.start() + len);
        for captures in AS.iter().flat_map(|pattern| pattern.captures_iter(&masked[statement.start()..end])) {
            if let Some(name) = captures.get(1) {
                let name = statement.start() + name.start()..statement.start() + name.end();
                events.push((name.start, Event::Bind { name, ty: None }));
            }
        }
    }
}

/// Every identifier in `text[range]`.
fn words(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut at = range.start;
    for word in text[range].split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        if word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            words.push(at..at + word.len());
        }
        // Every separator that this pattern lets through is one byte long.
        at += word.len() + 1;
    }
    words
}

fn imports(masked: &str, events: &mut Vec<(usize, Event)>) {
    static IMPORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?m)(?:^|[;:])[ \t]*(?:from[ \t]*(\.[. \t]*)?([\pL_][\w.]*)?[ \t]*)?\bimport\b[ \t]*(\(|(?:[^\n;\\]|\\\r?\n)+)")
            .ok()
    });
    for captures in IMPORT.iter().flat_map(|pattern| pattern.captures_iter(masked)) {
        let (Some(whole), Some(items)) = (captures.get(0), captures.get(3)) else { continue };
        let items = if items.as_str().starts_with('(') {
            let open = items.start();
            open + 1..closing(masked, open, &NEVER_INSIDE).unwrap_or(open + 1)
        } else {
            items.range()
        };
        let dots = captures.get(1).map_or(0, |dots| dots.as_str().matches('.').count());
        let level = u8::try_from(dots).unwrap_or(u8::MAX);
        let from = captures.get(2).map_or("", |module| module.as_str());
        let is_from = whole.as_str().trim_start_matches([';', ':', ' ', '\t']).starts_with("from");
        for item in parts(masked, items) {
            let at = item.start;
            let text = masked[item].replace(['\\', '\n', '\r'], " ");
            let mut words = text.split_whitespace();
            let Some(name) = words.next() else { continue };
            let alias = if words.next() == Some("as") { words.next().map(str::to_owned) } else { None };
            let import = match (is_from, name) {
                (true, "*") => {
                    FoundImport { kind: ImportKind::Star, module: from.to_owned(), level, name: None, binds: None }
                }
                (true, name) => {
                    let binds = Some(alias.unwrap_or_else(|| name.to_owned()));
                    let name = Some(name.to_owned());
                    FoundImport { kind: ImportKind::Name, module: from.to_owned(), level, name, binds }
                }
                (false, name) => {
                    let first = name.split('.').next().unwrap_or(name).to_owned();
                    let binds = Some(alias.unwrap_or(first));
                    FoundImport { kind: ImportKind::Module, module: name.to_owned(), level: 0, name: None, binds }
                }
            };
            events.push((at, Event::Import(import)));
        }
    }
}
