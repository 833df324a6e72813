//! A review as text: lines for people and agents, or Markdown for a comment on a change.

use super::{Names, counted};
use crate::query::review::{Broken, Change, ChangedSymbol, Misfit, Review};

/// Symbols and files that one list shows.
const MAX_SHOWN: usize = 40;

pub fn review(answer: &Review, names: Names) -> Vec<String> {
    let mut lines = vec![headline(answer, names)];
    if !answer.broken.is_empty() {
        lines.push("places that no longer fit".into());
        lines.extend(answer.broken.iter().take(MAX_SHOWN).map(|broken| format!("  {}", broken_line(broken, names))));
        lines.extend(more(answer.broken.len(), "  "));
    }
    if !answer.symbols.is_empty() {
        lines.push("changed".into());
    }
    let ranked = ranked(answer);
    for symbol in ranked.iter().take(MAX_SHOWN) {
        lines.push(format!("  {}", symbol_line(symbol, names)));
        for entry in symbol.dependents.iter().flat_map(|dependents| &dependents.first) {
            lines.push(format!("  {}", super::listed(entry, false, false, names)));
        }
    }
    lines.extend(more(ranked.len(), "  "));
    lines.extend(tail(answer, names));
    lines
}

/// Short enough for a comment: the details are folded.
pub fn review_markdown(answer: &Review, names: Names) -> String {
    let mut text = format!("### floorplan: {}\n\n", headline(answer, names));
    if !answer.broken.is_empty() {
        text.push_str("**Places that no longer fit**\n\n");
        for broken in answer.broken.iter().take(MAX_SHOWN) {
            text.push_str(&format!("- {}\n", quoted(&broken_line(broken, names))));
        }
        text.extend(more(answer.broken.len(), "- ").map(|line| line + "\n"));
        text.push('\n');
    }
    let ranked = ranked(answer);
    if !ranked.is_empty() {
        text.push_str("| change | symbol | dependents | tests |\n|---|---|---|---|\n");
        for symbol in ranked.iter().take(MAX_SHOWN) {
            let (dependents, tests) = symbol.dependents.as_ref().map_or(("".into(), "".into()), |dependents| {
                let possible = dependents.counts.possible;
                let possible = if possible > 0 { format!(" (+{possible} possible)") } else { String::new() };
                (format!("{}{possible}", dependents.counts.resolved), dependents.counts.tests.to_string())
            });
            let (path, name) = (names.path(&symbol.file), names.symbol(&symbol.qualname));
            let place = quoted(&format!("{path}:{} {name}", symbol.line));
            text.push_str(&format!("| {} | {place} | {dependents} | {tests} |\n", word(symbol.change)));
        }
        text.extend(more(ranked.len(), "\n").map(|line| line + "\n"));
        text.push('\n');
    }
    for line in tail(answer, names) {
        text.push_str(&format!("{}\n\n", line.trim_start()));
    }
    text
}

/// As code, whatever is in it; `|` would end a cell of a table.
fn quoted(text: &str) -> String {
    format!("`{}`", text.replace('`', "'").replace('|', "/"))
}

/// Symbols by how much depends on them, signatures and removals before bodies.
fn ranked(answer: &Review) -> Vec<&ChangedSymbol> {
    let mut ranked: Vec<&ChangedSymbol> = answer.symbols.iter().collect();
    let weight = |symbol: &ChangedSymbol| symbol.dependents.as_ref().map_or(0, |d| d.counts.resolved + d.counts.tests);
    let urgent = |symbol: &ChangedSymbol| matches!(symbol.change, Change::Signature | Change::Removed);
    ranked.sort_by_key(|symbol| (symbol.test, !urgent(symbol), std::cmp::Reverse(weight(symbol))));
    ranked
}

fn headline(answer: &Review, names: Names) -> String {
    let count = |change: Change| answer.symbols.iter().filter(|symbol| symbol.change == change).count();
    let changes = [Change::Signature, Change::Body, Change::Removed, Change::Added, Change::Moved];
    let counts: Vec<String> = changes
        .into_iter()
        .filter(|change| count(*change) > 0)
        .map(|change| format!("{} {}", count(change), word(change)))
        .collect();
    let counts = if counts.is_empty() { "no symbol changed".into() } else { counts.join(", ") };
    let (from, to) = (names.path(&answer.from), names.path(&answer.to));
    let capped = if answer.capped { " (only the first are looked at)" } else { "" };
    format!("{from} to {to}: {} of code changed; {counts}{capped}", counted(answer.files, "file"))
}

fn word(change: Change) -> &'static str {
    match change {
        Change::Added => "added",
        Change::Removed => "removed",
        Change::Signature => "signature",
        Change::Body => "body",
        Change::Moved => "moved",
    }
}

fn symbol_line(symbol: &ChangedSymbol, names: Names) -> String {
    let place = format!("{}:{}  {}", names.path(&symbol.file), symbol.line, names.symbol(&symbol.qualname));
    let counts = symbol.dependents.as_ref().map_or_else(String::new, |dependents| {
        let counts = dependents.counts;
        let tests = if counts.tests > 0 { format!(", +{}", counted(counts.tests, "test")) } else { String::new() };
        let possible = if counts.possible > 0 { format!(", +{} possible", counts.possible) } else { String::new() };
        format!(": {}{tests}{possible}", counted(counts.resolved, "dependent"))
    });
    let from = symbol.from.as_ref().map_or_else(String::new, |from| format!(" from {}", names.path(from)));
    format!("{place}  {}{from}{counts}", word(symbol.change))
}

fn broken_line(broken: &Broken, names: Names) -> String {
    let place = format!("{}:{}  {}", names.path(&broken.file), broken.line, names.symbol(&broken.caller));
    let why = match &broken.why {
        Misfit::Gone => "it is gone".to_string(),
        Misfit::TooMany { given, taken } => format!("{given} positional arguments where {taken} are taken"),
        Misfit::Unknown { keyword } => format!("no parameter is called {}", names.symbol(keyword)),
        Misfit::Missing { parameter } => format!("{} is not given", names.symbol(parameter)),
        Misfit::Retyped { parameter, was, is } => {
            format!("{} was {}, is {}", names.symbol(parameter), names.symbol(was), names.symbol(is))
        }
        Misfit::Result { was, is } => format!("it gave {}, gives {}", names.symbol(was), names.symbol(is)),
        Misfit::Awaitable => "it has to be awaited now".to_string(),
        Misfit::Overrides => "its parameters are other ones now".to_string(),
        Misfit::Lacks => "it is asked for now, and not there".to_string(),
    };
    let verb = match &broken.why {
        Misfit::Gone => "uses",
        Misfit::Overrides => "overrides",
        Misfit::Lacks => "is to have",
        _ => "calls",
    };
    format!("{place}  {verb} {}: {why}", names.both(&broken.symbol))
}

fn tail(answer: &Review, names: Names) -> Vec<String> {
    let mut lines = Vec::new();
    let named = |all: &mut dyn Iterator<Item = String>, count: usize| {
        let shown: Vec<String> = all.take(10).collect();
        let more = if count > shown.len() { format!(" and {} more", count - shown.len()) } else { String::new() };
        format!("{}{more}", shown.join(", "))
    };
    if let Some(radius) = &answer.dependents {
        let at = |depth: u32| radius.levels.iter().find(|level| level.depth == depth).map(|level| level.counts);
        let (near, far) = (at(1).unwrap_or_default(), at(2).unwrap_or_default());
        lines.push(format!(
            "in all {} at one step and {} at two, in {}; +{} possible",
            counted(near.resolved, "dependent"),
            far.resolved,
            counted(radius.files, "file"),
            near.possible + far.possible
        ));
    }
    if answer.tests.is_empty() && !answer.symbols.is_empty() {
        lines.push("no test is known to reach the changed code".into());
    } else if !answer.tests.is_empty() {
        let mut files = answer.tests.iter().map(|test| names.path(&test.file));
        lines.push(format!("tests that reach it: {}", named(&mut files, answer.tests.len())));
    }
    if !answer.tests.is_empty() && !answer.untested.is_empty() {
        let mut symbols = answer.untested.iter().map(|symbol| names.both(symbol));
        lines.push(format!("no test is known to reach: {}", named(&mut symbols, answer.untested.len())));
    }
    if !answer.crossed.is_empty() {
        let mut inside = answer.neighborhoods.iter().map(|name| names.path(name));
        let inside = named(&mut inside, answer.neighborhoods.len());
        let mut crossed =
            answer.crossed.iter().map(|group| format!("{} ({})", names.path(&group.name), group.counts.all()));
        lines.push(format!(
            "neighborhoods: changed in {inside}; depended on from {}",
            named(&mut crossed, answer.crossed.len())
        ));
    }
    lines
}

fn more(count: usize, before: &str) -> Option<String> {
    (count > MAX_SHOWN).then(|| format!("{before}and {} more", count - MAX_SHOWN))
}
