//! A path as text: one step a line, from what depends to what it depends on.

use super::{Names, reason};
use crate::query::path::{MAX_STEPS, Path};
use crate::query::target::Target;

pub fn path(answer: &Path, names: Names) -> Vec<String> {
    let (from, to) = (name(&answer.from, names), name(&answer.to, names));
    if answer.steps.is_empty() {
        let bound = if answer.capped { "not all ways were looked at" } else { "hubs on the way are not expanded" };
        return vec![format!(
            "no chain of references of up to {MAX_STEPS} steps between {from} and {to} found; {bound}"
        )];
    }
    let (first, last) = if answer.reversed { (&to, &from) } else { (&from, &to) };
    let doubt = if answer.possible { ", with guesses on the way" } else { "" };
    let steps = answer.steps.len() - 1;
    let s = if steps == 1 { "" } else { "s" };
    let mut lines = vec![format!("{first} depends on {last} in {steps} step{s}{doubt}")];
    if answer.reversed {
        lines.push("(nothing found in the direction asked for)".into());
    }
    for step in &answer.steps {
        let place = &step.place;
        let how: Vec<String> =
            step.links.iter().map(|link| format!("  {} at line {}", reason(link, true, names), link.line)).collect();
        let line = if place.line > 0 { format!(":{}", place.line) } else { String::new() };
        lines.push(format!("  {}{line}  {}{}", names.path(&place.file), names.symbol(&place.qualname), how.join("")));
    }
    lines
}

fn name(target: &Target, names: Names) -> String {
    match target {
        Target::Symbols(symbols) => symbols.first().map_or_else(String::new, |symbol| names.both(&symbol.to_string())),
        Target::File { file, .. } => names.path(file),
    }
}
