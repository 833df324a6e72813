//! Answers of the planning questions as compact lines of text, one wording for people and agents alike. What differs is how
//! far the names in them are trusted: a terminal needs them openable and harmless, an agent gets them through the one sink.

mod blast_radius;
mod neighborhoods;
mod path;
mod plan;
mod review;
mod seed;
mod symbols;

pub use blast_radius::{blast_radius, neighbors};
pub use neighborhoods::{neighborhood, neighborhoods};
pub use path::path;
pub use plan::{plan, plan_document};
pub use review::{review, review_markdown};
pub use seed::seed;
pub use symbols::{implementations, search};

use super::shown::Shown;
use crate::query::SymbolRow;
use crate::query::listing::{Link, Listed};
use crate::query::target::Target;
use std::fmt::Write;

/// How names of the repository are written.
#[derive(Clone, Copy)]
pub struct Names {
    path: fn(&str) -> String,
    symbol: fn(&str) -> String,
}

impl Names {
    /// As a terminal may show them; `clean` takes out what would move its cursor.
    pub fn terminal(clean: fn(&str) -> String) -> Names {
        Names { path: clean, symbol: clean }
    }

    /// As they may reach an agent.
    pub fn agent() -> Names {
        Names {
            path: |raw| Shown::path(raw).as_str().to_string(),
            symbol: |raw| Shown::identifier(raw).as_str().to_string(),
        }
    }

    pub fn path(self, raw: &str) -> String {
        (self.path)(raw)
    }

    /// Module-level code has no name of its own.
    pub fn symbol(self, raw: &str) -> String {
        if raw.is_empty() || raw == "<module>" { "<module>".to_string() } else { (self.symbol)(raw) }
    }

    /// `path::name`
    pub fn both(self, raw: &str) -> String {
        match raw.split_once("::") {
            Some((path, symbol)) => format!("{}::{}", self.path(path), self.symbol(symbol)),
            None => self.path(raw),
        }
    }
}

/// `path::name  kind, lines a-b` for each.
fn heading(targets: &[Target], names: Names, lines: &mut Vec<String>) {
    for target in targets {
        match target {
            Target::Symbols(symbols) => lines.extend(symbols.iter().map(|symbol| described(symbol, names))),
            Target::File { file, .. } => lines.push(format!("{}  file", names.path(file))),
        }
    }
}

fn described(symbol: &SymbolRow, names: Names) -> String {
    let SymbolRow { kind, line, end_line, .. } = symbol;
    format!("{}  {kind}, lines {line}-{end_line}", names.both(&symbol.to_string()))
}

/// `  path:4,7  name  call` with the grade where it is a guess, and what it is nearer by where that is not clear.
fn listed(entry: &Listed, at_definition: bool, with_nearer: bool, names: Names) -> String {
    let place = &entry.place;
    let mut sites: Vec<u32> = entry.links.iter().map(|link| link.line).filter(|line| *line > 0).collect();
    if at_definition || sites.is_empty() {
        sites = vec![place.line];
    }
    sites.sort_unstable();
    sites.dedup();
    sites.retain(|line| *line > 0);
    let sites: Vec<String> = sites.iter().map(u32::to_string).collect();
    let colon = if sites.is_empty() { "" } else { ":" };
    let mut text =
        format!("  {}{colon}{}  {}", names.path(&place.file), sites.join(","), names.symbol(&place.qualname));
    let mut kinds: Vec<String> = entry.links.iter().map(|link| reason(link, with_nearer, names)).collect();
    kinds.sort();
    kinds.dedup();
    if !kinds.is_empty() {
        // Writing to a String cannot fail.
        let _ = write!(text, "  {}", kinds.join(", "));
    }
    text
}

fn reason(link: &Link, with_nearer: bool, names: Names) -> String {
    let mut text = link.kind.to_string();
    if matches!(link.resolution, "override" | "unique_name" | "ambiguous") && link.kind != link.resolution {
        let _ = write!(text, " ({})", link.resolution);
    }
    if with_nearer {
        let (_, symbol) = link.nearer.split_once("::").unwrap_or(("", &link.nearer));
        let _ = write!(text, " {}", names.symbol(symbol));
    }
    text
}

/// `1 test`, `2 tests`.
fn counted(count: usize, one: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {one}{s}")
}
