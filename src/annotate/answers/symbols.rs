//! Lists of symbols as text: implementations, and what a search found.

use super::{Names, counted, described, listed};
use crate::query::implementations::Implementations;
use crate::query::search::Search;

pub fn implementations(answer: &Implementations, names: Names) -> Vec<String> {
    let mut lines: Vec<String> = answer.symbols.iter().map(|symbol| described(symbol, names)).collect();
    if answer.implementations.is_empty() {
        lines.push("no implementations found".into());
    } else {
        lines.push(counted(answer.implementations.len(), "implementation"));
    }
    lines.extend(answer.implementations.iter().map(|entry| listed(entry, true, true, names)));
    if !answer.possible.is_empty() {
        lines.push("possible".into());
        lines.extend(answer.possible.iter().map(|entry| listed(entry, true, true, names)));
    }
    if answer.capped {
        lines.push("there are more".into());
    }
    lines
}

/// `path:line  name  kind`, best first.
pub fn search(answer: &Search, names: Names) -> Vec<String> {
    let mut lines: Vec<String> = answer
        .found
        .iter()
        .map(|symbol| {
            let (path, name) = (names.path(&symbol.file), names.symbol(&symbol.qualname));
            format!("{path}:{}-{}  {name}  {}", symbol.line, symbol.end_line, symbol.kind)
        })
        .collect();
    if lines.is_empty() {
        lines.push("no symbol of such a name".into());
    } else if answer.near {
        lines.insert(0, "no symbol has all of these words; near to them:".into());
    }
    if answer.more {
        lines.push("there are more; --limit lists them".into());
    }
    lines
}
