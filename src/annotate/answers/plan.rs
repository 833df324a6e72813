//! A context plan as text: a list of what to read, or one Markdown document with the code in it.

use super::{Names, counted};
use crate::query::plan::{Entry, Form, Plan, Role};
use crate::query::reach::Direction;
use crate::query::target::Target;
use std::fmt::Write;

const ROLES: [(Role, &str); 5] = [
    (Role::Edit, "edit"),
    (Role::Uses, "uses (what the edited code rests on)"),
    (Role::UsedBy, "used by (what may break)"),
    (Role::TestedBy, "tested by"),
    (Role::Around, "around (two steps away)"),
];

/// One line an entry.
pub fn plan(answer: &Plan, names: Names) -> Vec<String> {
    let mut lines = vec![headline(answer, names)];
    for (role, title) in ROLES {
        let entries: Vec<&Entry> = answer.entries.iter().filter(|entry| entry.role == role).collect();
        if entries.is_empty() {
            continue;
        }
        lines.push(title.to_string());
        for entry in entries {
            let (path, name) = (names.path(&entry.place.file), names.symbol(&entry.place.qualname));
            let why = why(entry, names);
            let (lines_of, form, tokens) = (ranges(entry), form(entry), entry.tokens);
            lines.push(format!("  {path}:{lines_of}  {name}  {form}, {}{why}", counted(tokens, "token")));
        }
    }
    lines.extend(left_out(answer, names));
    lines
}

/// The code itself, in the order to read it.
pub fn plan_document(answer: &Plan, names: Names) -> String {
    let mut text = format!("# Plan: {}\n", headline(answer, names));
    for (role, title) in ROLES {
        let mut heading = Some(title);
        for entry in answer.entries.iter().filter(|entry| entry.role == role) {
            if let Some(title) = heading.take() {
                // Writing to a String cannot fail.
                let _ = write!(text, "\n## {title}\n");
            }
            let (path, name) = (names.path(&entry.place.file), names.symbol(&entry.place.qualname));
            let why = why(entry, names);
            let fence = fence(&entry.text);
            let code = entry.text.trim_end();
            let _ = write!(
                text,
                "\n### {path}:{} {name}\n\n{}{why}\n\n{fence}\n{code}\n{fence}\n",
                ranges(entry),
                form(entry)
            );
        }
    }
    let rest = left_out(answer, names);
    if !rest.is_empty() {
        let _ = write!(text, "\n## not included\n\n{}\n", rest.join("\n"));
    }
    text
}

fn headline(answer: &Plan, names: Names) -> String {
    let targets: Vec<String> = answer
        .targets
        .iter()
        .filter_map(|target| match target {
            Target::Symbols(symbols) => symbols.first().map(|symbol| names.both(&symbol.to_string())),
            Target::File { file, .. } => Some(names.path(file)),
        })
        .collect();
    let entries = if answer.entries.len() == 1 { "entry" } else { "entries" };
    format!(
        "{}: {} {entries} in {}, {} of {} tokens",
        targets.join(", "),
        answer.entries.len(),
        counted(answer.files, "file"),
        answer.tokens,
        answer.budget
    )
}

/// `; call of total at line 4`, empty for what is edited.
fn why(entry: &Entry, names: Names) -> String {
    let Some(link) = &entry.why else { return String::new() };
    let (_, nearer) = link.nearer.split_once("::").unwrap_or(("", &link.nearer));
    let perhaps = if entry.possible { "possibly " } else { "" };
    let word = if entry.direction == Direction::Dependents { "of" } else { "by" };
    format!("; {perhaps}{} {word} {} at line {}", link.kind, names.symbol(nearer), link.line)
}

fn ranges(entry: &Entry) -> String {
    let text = |&(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    entry.ranges.iter().map(text).collect::<Vec<_>>().join(",")
}

fn form(entry: &Entry) -> &'static str {
    match entry.form {
        Form::Full => "full",
        Form::Signature => "signature",
    }
}

fn left_out(answer: &Plan, names: Names) -> Vec<String> {
    let mut lines = Vec::new();
    if !answer.hubs.is_empty() {
        let named: Vec<String> = answer
            .hubs
            .iter()
            .map(|hub| {
                format!("{} ({} uses)", names.both(&format!("{}::{}", hub.place.file, hub.place.name())), hub.uses)
            })
            .collect();
        lines.push(format!("not included, ask if needed: {}", named.join(", ")));
    }
    if answer.left_out > 0 {
        let named: Vec<String> = answer.first_left_out.iter().map(|name| names.both(name)).collect();
        lines.push(format!("{} more left out by the budget, first of them: {}", answer.left_out, named.join(", ")));
    }
    if answer.capped {
        lines.push("there is more: the walk ended at its bound".into());
    }
    lines
}

/// Longer than any run of backticks in the text, so that nothing in it ends the block.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}
