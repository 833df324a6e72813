//! What `package.json` and `tsconfig.json` say about where modules are found. They are the repository's, so they decide
//! nothing else; only names and paths are taken, and few of them.

use crate::lang::Manifest;
use crate::lang::builder::Builder;
use crate::model::{SearchKind, SearchRule};
use serde_json::Value;

/// A longer file says nothing about modules that anybody wrote by hand.
const MAX_BYTES: usize = 1 << 20;
/// Most rules of one file.
const MAX_RULES: usize = 512;
/// Longest name or path that is taken.
const MAX_TEXT: usize = 300;
/// How deep conditions are nested at most.
const MAX_CONDITIONS: usize = 8;

/// The reader for a file of this name.
pub(crate) fn reader(name: &str) -> Option<Manifest> {
    let is_config = |start: &str| name.strip_prefix(start).is_some_and(|rest| rest.starts_with('.'));
    match name {
        "package.json" => Some(package),
        name if name.ends_with(".json") && (is_config("tsconfig") || is_config("jsconfig")) => Some(compiler_options),
        _ => None,
    }
}

fn add(builder: &mut Builder, kind: SearchKind, from: &str, to: &str) {
    let fits = from.len() <= MAX_TEXT && to.len() <= MAX_TEXT;
    if fits && builder.facts.search.len() < MAX_RULES {
        let (from, to) = (builder.name(from), builder.name(to));
        builder.facts.search.push(SearchRule { kind, from, to });
    }
}

fn package(text: &str, builder: &mut Builder) {
    if text.len() > MAX_BYTES {
        return;
    }
    let Ok(Value::Object(package)) = serde_json::from_str::<Value>(text) else { return };
    let name = package.get("name").and_then(Value::as_str).unwrap_or("");
    add(builder, SearchKind::Package, name, "");
    for key in ["source", "module", "main", "browser", "types", "typings"] {
        if let Some(Value::String(path)) = package.get(key) {
            add(builder, SearchKind::Main, "", path);
        }
    }
    match package.get("exports") {
        Some(Value::Object(paths)) if paths.keys().any(|key| key.starts_with('.')) => {
            for (path, target) in paths {
                targets(builder, SearchKind::Export, path, target, 0);
            }
        }
        Some(target) => targets(builder, SearchKind::Export, ".", target, 0),
        None => {}
    }
    if let Some(Value::Object(paths)) = package.get("imports") {
        for (path, target) in paths {
            targets(builder, SearchKind::Private, path, target, 0);
        }
    }
}

/// The paths that a subpath may lead to, whatever the condition.
fn targets(builder: &mut Builder, kind: SearchKind, from: &str, target: &Value, depth: usize) {
    match target {
        Value::String(to) => add(builder, kind, from, to),
        Value::Array(choices) if depth < MAX_CONDITIONS => {
            choices.iter().for_each(|choice| targets(builder, kind, from, choice, depth + 1));
        }
        Value::Object(conditions) if depth < MAX_CONDITIONS => {
            conditions.values().for_each(|choice| targets(builder, kind, from, choice, depth + 1));
        }
        _ => {}
    }
}

fn compiler_options(text: &str, builder: &mut Builder) {
    if text.len() > MAX_BYTES {
        return;
    }
    let Ok(Value::Object(config)) = serde_json::from_str::<Value>(&plain_json(text)) else { return };
    let options = config.get("compilerOptions");
    let base = options.and_then(|options| options.get("baseUrl")).and_then(Value::as_str);
    if let Some(base) = base {
        add(builder, SearchKind::Base, "", base);
    }
    if let Some(Value::Object(paths)) = options.and_then(|options| options.get("paths")) {
        for (from, to) in paths {
            for to in to.as_array().into_iter().flatten().filter_map(Value::as_str) {
                add(builder, SearchKind::Alias, from, to);
            }
        }
    }
    let extended = match config.get("extends") {
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one.as_str()],
        _ => Vec::new(),
    };
    // A solution without rules of its own has those of its projects.
    let projects = config.get("references").and_then(Value::as_array).into_iter().flatten();
    let projects = projects.filter_map(|project| project.get("path").and_then(Value::as_str));
    for to in extended.into_iter().chain(projects) {
        add(builder, SearchKind::Extends, "", to);
    }
}

/// JSON without the comments and trailing commas that the compiler allows.
fn plain_json(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest[0] == b'"' {
            let mut end = 1;
            while end < rest.len() && rest[end] != b'"' {
                end += if rest[end] == b'\\' { 2 } else { 1 };
            }
            let end = (end + 1).min(rest.len());
            out.extend_from_slice(&rest[..end]);
            at += end;
        } else if rest.starts_with(b"//") {
            at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        } else if rest.starts_with(b"/*") {
            at += 2 + rest[2..].windows(2).position(|end| end == b"*/").map_or(rest.len() - 2, |end| end + 2);
        } else {
            if matches!(rest[0], b'}' | b']') {
                let last = out.iter().rposition(|byte| !byte.is_ascii_whitespace());
                if let Some(last) = last.filter(|last| out[*last] == b',') {
                    out[last] = b' ';
                }
            }
            out.push(rest[0]);
            at += 1;
        }
    }
    String::from_utf8(out).unwrap_or_default()
}
