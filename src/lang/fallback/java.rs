//! Java for the fallback: nesting by braces, definitions by the words between the last `;`, `{` or `}` and the next.

use super::mask::{Quote, Syntax};
use super::*;

pub(crate) static JAVA: Outline = Outline {
    syntax: Syntax {
        line_comment: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[
            Quote { mark: "\"\"\"", multiline: true, documents: false },
            Quote { mark: "\"", multiline: false, documents: false },
            Quote { mark: "'", multiline: false, documents: false },
        ],
        prefixes: b"",
    },
    definitions,
    other,
    not_called: &[
        "assert",
        "case",
        "catch",
        "do",
        "else",
        "for",
        "if",
        "instanceof",
        "new",
        "return",
        "super",
        "switch",
        "synchronized",
        "this",
        "throw",
        "try",
        "while",
        "yield",
    ],
    calls_across_lines: true,
    calls_in_types: true,
    this: "this",
};

/// A `{` that is not closed yet.
struct Block {
    /// The definition whose body it is.
    found: Option<usize>,
    /// Where the statement around it began, and its open parentheses: both go on after a block inside parentheses.
    statement: usize,
    parentheses: Vec<Option<Range<usize>>>,
}

fn definitions(masked: &str) -> Vec<Found> {
    let bytes = masked.as_bytes();
    let mut found: Vec<Found> = Vec::new();
    let mut open: Vec<Block> = Vec::new();
    let mut statement = 0;
    // Open parentheses of the statement, with the type for those of `new T(`.
    let mut parentheses: Vec<Option<Range<usize>>> = Vec::new();
    // The last `new T(...)` and its `)`: a `{` directly after it opens an anonymous class.
    let mut created: Option<(usize, Range<usize>)> = None;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' => parentheses.push(new_before(masked, at)),
            b')' => {
                if let Some(Some(ty)) = parentheses.pop() {
                    created = Some((at, ty));
                }
            }
            b'{' => {
                let outer = innermost(&found, &open);
                let anonymous = created.take().filter(|(end, _)| masked[end + 1..at].trim().is_empty());
                let new = if let Some((_, ty)) = anonymous {
                    Some(anonymous_class(ty, at))
                } else if parentheses.is_empty() {
                    definition(masked, statement, at, outer)
                } else {
                    None
                };
                let block = Block {
                    found: new.is_some().then_some(found.len()),
                    statement,
                    parentheses: std::mem::take(&mut parentheses),
                };
                open.push(block);
                found.extend(new);
                statement = at + 1;
            }
            b'}' => {
                statement = at + 1;
                parentheses.clear();
                if let Some(block) = open.pop() {
                    if let Some(index) = block.found {
                        found[index].body.end = at + 1;
                    }
                    if !block.parentheses.is_empty() {
                        (statement, parentheses) = (block.statement, block.parentheses);
                    }
                }
            }
            // `for (;;)` holds two.
            b';' if parentheses.is_empty() => {
                let outer = innermost(&found, &open);
                if let Some(mut new) =
                    definition(masked, statement, at, outer).filter(|new| new.kind == DefKind::Method)
                {
                    new.body.end = at + 1;
                    found.push(new);
                }
                statement = at + 1;
            }
            _ => {}
        }
    }
    for block in open {
        if let Some(index) = block.found {
            found[index].body.end = bytes.len();
        }
    }
    found.sort_by_key(|definition| definition.name.start);
    found
}

/// The definition whose body directly encloses the place; `None` too within a plain block, where only types are defined.
fn innermost<'a>(found: &'a [Found], open: &[Block]) -> Outer<'a> {
    match open.last() {
        None => Outer::File,
        Some(Block { found: Some(index), .. }) if !found[*index].kind.is_callable() => Outer::Type(&found[*index]),
        Some(_) => Outer::Code,
    }
}

#[derive(Clone, Copy)]
enum Outer<'a> {
    File,
    Type(&'a Found),
    Code,
}

/// The type's path in `new a.T<...>` directly before the `(` at `at`; only so far back as a name is long.
fn new_before(masked: &str, at: usize) -> Option<Range<usize>> {
    static NEW: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\bnew\s+([\pL_$][\w$]*(?:\.[\pL_$][\w$]*)*)\s*(?:<[^(){};]*>)?\s*$").ok());
    let window = masked.floor_char_boundary(at.saturating_sub(120));
    if !masked[window..at].contains("new") {
        return None;
    }
    let path = NEW.as_ref()?.captures(&masked[window..at])?.get(1)?;
    Some(window + path.start()..window + path.end())
}

/// Its name is empty; what it extends or implements cannot be told apart here.
fn anonymous_class(ty: Range<usize>, brace: usize) -> Found {
    let mut flags = DefFlags::default();
    flags.set(DefFlags::ANONYMOUS);
    flags.set(DefFlags::LOCAL);
    Found {
        kind: DefKind::Class,
        name: brace..brace,
        start: brace,
        body: brace + 1..brace + 1,
        flags,
        params: Vec::new(),
        supertypes: vec![ty],
        interfaces: Vec::new(),
        receiver: None,
    }
}

/// Reads what stands in `masked[from..to]` before a `{` or `;`.
fn definition(masked: &str, from: usize, to: usize, outer: Outer<'_>) -> Option<Found> {
    let mut scanner = Scanner { masked, at: from, end: to };
    scanner.skip_blanks();
    let start = scanner.at;
    let mut flags = scanner.modifiers();
    let in_type = match outer {
        Outer::Type(outer) => Some(outer),
        _ => None,
    };
    let local = matches!(outer, Outer::Code) || in_type.is_some_and(|outer| outer.flags.has(DefFlags::LOCAL));
    if local {
        flags.set(DefFlags::LOCAL);
    } else if !flags.has(DefFlags::PRIVATE) {
        flags.set(DefFlags::EXPORTED);
    }
    let mut new = Found {
        kind: DefKind::Class,
        name: start..start,
        start,
        body: to..to,
        flags,
        params: Vec::new(),
        supertypes: Vec::new(),
        interfaces: Vec::new(),
        receiver: None,
    };
    if let Some(kind) = scanner.type_keyword() {
        new.kind = kind;
        new.name = scanner.word()?;
        if !masked[..to + 1].ends_with('{') {
            return None;
        }
        scanner.skip_blanks();
        scanner.skip_angles();
        if kind == DefKind::Record {
            new.params = scanner.params()?;
        }
        scanner.supertypes(&mut new);
        new.body = to + 1..to + 1;
        return Some(new);
    }
    let outer = in_type?;
    scanner.skip_angles();
    scanner.skip_blanks();
    // After `A { ... }, B {` the second constant begins with a comma.
    if outer.kind == DefKind::Enum && scanner.peek() == Some(b',') {
        scanner.at += 1;
    }
    // A constructor has no result type; the compact one of a record has no parameters either.
    let first = scanner.path()?;
    scanner.skip_blanks();
    scanner.skip_angles();
    scanner.skip_arrays();
    let ends = scanner.at >= to;
    let opens = scanner.peek() == Some(b'(');
    let own_name = masked[first.clone()] == masked[outer.name.clone()];
    if own_name && (opens || (ends && outer.kind == DefKind::Record)) {
        new.kind = DefKind::Constructor;
        new.name = first;
    } else if opens || ends || scanner.peek() == Some(b',') {
        // In an enum, what stands before a `{` without a result type is a constant with a body of its own; others without
        // one may stand before it.
        if outer.kind != DefKind::Enum || !masked[..to + 1].ends_with('{') || masked[first] == *"static" {
            return None;
        }
        let last = parts(masked, from..to).pop()?;
        let mut constant = Scanner { masked, at: last.start, end: last.end };
        constant.modifiers();
        let first = constant.word()?;
        new.kind = DefKind::EnumMember;
        new.name = first;
        new.body = to + 1..to + 1;
        return Some(new);
    } else {
        let result = &masked[first.clone()];
        let name = scanner.word()?;
        scanner.skip_blanks();
        if scanner.peek() != Some(b'(')
            || JAVA.not_called.contains(&result)
            || JAVA.not_called.contains(&&masked[name.clone()])
        {
            return None;
        }
        new.kind = DefKind::Method;
        new.name = name;
    }
    if scanner.peek() == Some(b'(') {
        new.params = scanner.params()?;
    }
    new.body = scanner.at..scanner.at;
    Some(new)
}

/// Reads a header word by word.
struct Scanner<'a> {
    masked: &'a str,
    at: usize,
    end: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.masked.as_bytes()[..self.end].get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn word(&mut self) -> Option<Range<usize>> {
        self.skip_blanks();
        let rest = &self.masked[self.at..self.end];
        let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
        if len == 0 || rest.as_bytes()[0].is_ascii_digit() {
            return None;
        }
        let start = self.at;
        self.at += len;
        Some(start..self.at)
    }

    /// A dotted name; annotations between its parts are not expected.
    fn path(&mut self) -> Option<Range<usize>> {
        let found = self.word()?;
        let whole = leading_path(self.masked, found.start..self.end)?;
        // `T...` is a type and three dots.
        self.at = whole.end;
        Some(whole)
    }

    /// `<...>`, balanced.
    fn skip_angles(&mut self) {
        self.skip_blanks();
        if self.peek() != Some(b'<') {
            return;
        }
        let (before, mut depth) = (self.at, 0_usize);
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'<' => depth += 1,
                b'>' => depth = depth.saturating_sub(1),
                b'=' | b';' | b'{' => break,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
        self.at = before;
    }

    /// `[]` and `...`, with blanks around.
    fn skip_arrays(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'[' | b']' | b'.')) {
            self.at += 1;
        }
    }

    /// Annotations and modifiers.
    fn modifiers(&mut self) -> DefFlags {
        let mut flags = DefFlags::default();
        loop {
            self.skip_blanks();
            let before = self.at;
            if self.peek() == Some(b'@') {
                self.at += 1;
                let path = self.path();
                if path.is_none_or(|path| self.masked[path] == *"interface") {
                    self.at = before;
                    return flags;
                }
                self.skip_blanks();
                if self.peek() == Some(b'(') {
                    match closing(self.masked, self.at, &[]) {
                        Some(end) if end < self.end => self.at = end + 1,
                        _ => return flags,
                    }
                }
                continue;
            }
            let Some(word) = self.word() else { return flags };
            match &self.masked[word] {
                "public" => flags.set(DefFlags::PUBLIC),
                "private" => flags.set(DefFlags::PRIVATE),
                "protected" => flags.set(DefFlags::PROTECTED),
                "static" => flags.set(DefFlags::STATIC),
                "abstract" => flags.set(DefFlags::ABSTRACT),
                "default" => flags.set(DefFlags::DEFAULT),
                "final" | "native" | "synchronized" | "strictfp" | "transient" | "volatile" | "sealed" => {}
                // `non-sealed`
                "non" if self.masked[self.at..self.end].starts_with("-sealed") => self.at += "-sealed".len(),
                _ => {
                    self.at = before;
                    return flags;
                }
            }
        }
    }

    fn type_keyword(&mut self) -> Option<DefKind> {
        self.skip_blanks();
        let before = self.at;
        let annotation = self.peek() == Some(b'@');
        if annotation {
            self.at += 1;
        }
        let kind = self.word().and_then(|word| match (&self.masked[word], annotation) {
            ("interface", true) => Some(DefKind::Annotation),
            ("class", false) => Some(DefKind::Class),
            ("interface", false) => Some(DefKind::Interface),
            ("enum", false) => Some(DefKind::Enum),
            // A word like any other, but before a name and `(` or `<`.
            ("record", false) => {
                let rest = self.masked[self.at..self.end].trim_start();
                let name = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
                let named = name.len() < rest.len() && name.trim_start().starts_with(['(', '<']);
                named.then_some(DefKind::Record)
            }
            _ => None,
        });
        if kind.is_none() {
            self.at = before;
        }
        kind
    }

    /// `(...)` as parameters: the last word is the name, the first path after modifiers the type.
    fn params(&mut self) -> Option<Vec<FoundParam>> {
        self.skip_blanks();
        let open = self.at;
        let close = closing(self.masked, open, &[]).filter(|close| *close < self.end)?;
        self.at = close + 1;
        let mut params = Vec::new();
        for part in parts(self.masked, open + 1..close) {
            let mut inner = Scanner { masked: self.masked, at: part.start, end: part.end };
            inner.modifiers();
            let Some(ty) = inner.path() else { continue };
            inner.skip_blanks();
            inner.skip_angles();
            let kind =
                if self.masked[inner.at..part.end].contains("...") { ParamKind::Rest } else { ParamKind::Normal };
            inner.skip_arrays();
            let Some(name) = inner.word() else { continue };
            // `Outer this` is the receiver, no parameter.
            if self.masked[name.clone()] != *"this" {
                params.push(FoundParam { name, kind, optional: kind == ParamKind::Rest, ty: Some(ty) });
            }
        }
        Some(params)
    }

    /// `extends` and `implements` lists.
    fn supertypes(&mut self, new: &mut Found) {
        while self.at < self.end {
            let Some(keyword) = self.word() else { return };
            let start = self.at;
            let next = start + next_clause(&self.masked[start..self.end]);
            let types = parts(self.masked, start..next).into_iter().filter_map(|part| {
                let mut inner = Scanner { masked: self.masked, at: part.start, end: part.end };
                inner.modifiers();
                inner.path()
            });
            match &self.masked[keyword] {
                "extends" => new.supertypes.extend(types),
                "implements" => new.interfaces.extend(types),
                _ => {}
            }
            self.at = next;
        }
    }
}

/// Where the next `extends`, `implements` or `permits` outside type arguments begins, or the end.
fn next_clause(header: &str) -> usize {
    let begins_clause = |at: usize| {
        ["extends", "implements", "permits"].iter().any(|word| {
            header[at..].strip_prefix(word).is_some_and(|after| after.starts_with(char::is_whitespace))
                && header[..at].ends_with(|before: char| before.is_whitespace() || before == '>')
        })
    };
    let mut depth = 0_usize;
    for (at, byte) in header.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth = depth.saturating_sub(1),
            b'e' | b'i' | b'p' if depth == 0 && begins_clause(at) => return at,
            _ => {}
        }
    }
    header.len()
}

fn other(masked: &str, events: &mut Vec<(usize, Event)>) {
    static PACKAGE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^\s*package\s+([\w.$]+)\s*;").ok());
    if let Some(name) = PACKAGE.as_ref().and_then(|pattern| pattern.captures(masked)?.get(1)) {
        events.push((name.start(), Event::Package(name.as_str().to_owned())));
    }
    static IMPORT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?m)^[ \t]*import\s+(static\s+)?([\w$]+(?:\.[\w$]+)*?)\.([\w$]+|\*)\s*;").ok());
    for captures in IMPORT.iter().flat_map(|pattern| pattern.captures_iter(masked)) {
        let (Some(module), Some(name)) = (captures.get(2), captures.get(3)) else { continue };
        let kind = match (captures.get(1).is_some(), name.as_str()) {
            (false, "*") => ImportKind::Star,
            (false, _) => ImportKind::Name,
            (true, "*") => ImportKind::StaticStar,
            (true, _) => ImportKind::StaticName,
        };
        let named = (name.as_str() != "*").then(|| name.as_str().to_owned());
        let import =
            FoundImport { kind, module: module.as_str().to_owned(), level: 0, name: named.clone(), binds: named };
        events.push((module.start(), Event::Import(import)));
    }
    static ANNOTATION: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"@\s*([\pL_$][\w$]*(?:\.[\w$]+)*)").ok());
    for captures in ANNOTATION.iter().flat_map(|pattern| pattern.captures_iter(masked)) {
        if let Some(path) = captures.get(1).filter(|path| path.as_str() != "interface") {
            events.push((path.start(), Event::Use { path: path.range(), how: How::Decorates }));
        }
    }
    // Variables and fields: by convention a type begins with a capital letter, which keeps `return x;` out.
    static VARIABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"\b(\p{Lu}[\w$]*(?:\.\p{Lu}[\w$]*)*)(?:<[^(){};=]*>)?(?:\s*\[\s*\])*\s+([\pL_$][\w$]*)\s*(?:=(?:[^=]|$)|;|:[^:])")
            .ok()
    });
    for captures in VARIABLE.iter().flat_map(|pattern| pattern.captures_iter(masked)) {
        if let (Some(ty), Some(name)) = (captures.get(1), captures.get(2)) {
            events.push((name.start(), Event::Bind { name: name.range(), ty: Some(ty.range()) }));
        }
    }
}
