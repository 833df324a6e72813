//! Go for the fallback: declarations begin at the first column, and so does the brace that ends one, since everybody formats
//! alike. Imports are strings, which are masked: calls into other packages are not resolved.

use super::mask::{Quote, Syntax};
use super::*;

pub(crate) static GO: Outline = Outline {
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
    other,
    not_called: &[
        "append", "cap", "case", "chan", "close", "copy", "defer", "delete", "for", "func", "go", "if", "import",
        "len", "make", "map", "new", "panic", "print", "println", "range", "recover", "return", "select", "switch",
        "type", "var",
    ],
    calls_across_lines: false,
    calls_in_types: false,
    // A receiver is a name like others.
    this: "",
};

fn definitions(masked: &str) -> Vec<Found> {
    static DECLARATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let function = r"func[ \t]*(?:\(([^()\n]*)\))?[ \t]*([\pL_]\w*)[ \t]*(?:\[[^\]\n]*\])?[ \t]*\(";
        let ty = r"type[ \t]+([\pL_]\w*)[ \t]*(?:\[[^\]\n]*\])?[ \t]*(interface\b)?";
        Regex::new(&format!(r"(?m)^(?:{function}|{ty})")).ok()
    });
    let Some(pattern) = DECLARATION.as_ref() else { return Vec::new() };
    let mut found: Vec<Found> = Vec::new();
    for captures in pattern.captures_iter(masked) {
        let (Some(whole), Some(name)) = (captures.get(0), captures.get(2).or(captures.get(3))) else { continue };
        let is_function = captures.get(2).is_some();
        let kind = match (is_function, captures.get(1), captures.get(4)) {
            (true, Some(_), _) => DefKind::Method,
            (true, None, _) => DefKind::Function,
            (false, _, Some(_)) => DefKind::Interface,
            (false, ..) => DefKind::Class,
        };
        let mut flags = DefFlags::default();
        if name.as_str().starts_with(char::is_uppercase) {
            flags.set(DefFlags::EXPORTED);
        }
        let mut body = whole.end()..whole.end();
        let mut params = Vec::new();
        if is_function && let Some(close) = closing(masked, whole.end() - 1, &["func "]) {
            params = parts(masked, whole.end()..close).into_iter().filter_map(|part| parameter(masked, part)).collect();
            body = close + 1..close + 1;
        }
        let receiver = captures.get(1).and_then(|found| receiver(masked, found.range()));
        let (name, start) = (name.range(), whole.start());
        let (supertypes, interfaces) = (Vec::new(), Vec::new());
        found.push(Found { kind, name, start, body, flags, params, supertypes, interfaces, receiver });
    }
    let starts: Vec<usize> = found.iter().skip(1).map(|definition| definition.start).chain([masked.len()]).collect();
    for (definition, next) in found.iter_mut().zip(starts) {
        definition.body.end = end_of(masked, definition.body.start.min(next)..next);
    }
    found
}

/// The end of a declaration: of its line if that closes what it opens, else of the first line that begins with a brace.
fn end_of(masked: &str, range: Range<usize>) -> usize {
    let text = &masked[range.clone()];
    let line = text.find('\n').unwrap_or(text.len());
    if !text[..line].trim_end().ends_with('{') {
        return range.start + line;
    }
    text.find("\n}").map_or(range.end, |close| range.start + close + 2)
}

/// `name`, `name T`, `name ...T`
fn parameter(masked: &str, part: Range<usize>) -> Option<FoundParam> {
    let name = leading_path(masked, part.clone())?;
    let rest = &masked[name.end..part.end];
    let variadic = rest.trim_start().starts_with("...");
    let skipped = rest.len() - rest.trim_start_matches([' ', '\t', '*', '.']).len();
    let ty = leading_path(masked, name.end + skipped..part.end).filter(|ty| ty.end == part.end && !variadic);
    let kind = if variadic { ParamKind::Rest } else { ParamKind::Normal };
    Some(FoundParam { name, kind, optional: variadic, ty })
}

/// `t` and `T` of `(t *T[K])`.
fn receiver(masked: &str, found: Range<usize>) -> Option<FoundReceiver> {
    let text = &masked[found.clone()];
    let end = text.find('[').unwrap_or(text.trim_end().len());
    let start = text[..end].rfind([' ', '*', '\t']).map_or(0, |blank| blank + 1);
    let name = leading_path(masked, found.clone()).filter(|name| name.end < found.start + start);
    (start < end).then_some(FoundReceiver { name, ty: found.start + start..found.start + end })
}

fn other(masked: &str, events: &mut Vec<(usize, Event)>) {
    static PACKAGE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^package[ \t]+([\pL_]\w*)").ok());
    static BOUND: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?m)^[ \t]+(?:(?:if|for|switch)[ \t]+)?([\pL_]\w*(?:[ \t]*,[ \t]*[\pL_]\w*)*)[ \t]*:=").ok()
    });
    if let Some(name) = PACKAGE.as_ref().and_then(|pattern| pattern.captures(masked)).and_then(|found| found.get(1)) {
        events.push((name.start(), Event::Package(name.as_str().to_owned())));
    }
    for names in BOUND.iter().flat_map(|pattern| pattern.captures_iter(masked)).filter_map(|found| found.get(1)) {
        for name in parts(masked, names.range()) {
            events.push((name.start, Event::Bind { name, ty: None }));
        }
    }
}
