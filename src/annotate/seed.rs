//! What a prompt is about: the files that its words lead to, under the neighborhoods that they are in.

use super::State;
use super::places::Places;
use super::shown::Shown;
use super::text::{Said, Text};
use super::uses::{cohesion, symbol_name};
use crate::freshness::Freshness;
use crate::query::SymbolRow;
use crate::query::seed::{Seed, SeedFile, SeedGroup};
use crate::store::snapshot::CallerFile;

/// What the block may cost, in estimated tokens.
const MAX_TOKENS: usize = 140;
/// A path costs about ten.
const SYMBOL_TOKENS: usize = 40;

/// `None` when the prompt is not about this repository, or nothing can be told.
pub fn seed(seed: &Seed, state: State<'_>) -> Option<Said> {
    if !seed.convincing || seed.files.is_empty() || state.freshness == Freshness::Absent {
        return None;
    }
    let (warning, closing) = (state.warning(), state.closing());
    let budget = MAX_TOKENS.saturating_sub(warning.tokens() + closing.tokens());
    let mut text = Text::new("Files that the words of this prompt lead to: ").append(&warning);
    let named = symbols(seed, budget);
    let budget = budget.saturating_sub(named.tokens());
    let mut any = false;
    for (index, group) in seed.neighborhoods.iter().enumerate() {
        let members = callers(seed.files.iter().filter(|file| file.neighborhood == Some(index)));
        let heading = heading(group);
        let part = listed(&members, budget.saturating_sub(text.tokens_with(&heading) + 2));
        if part.is_empty() {
            continue;
        }
        text = if any { text.say("; ") } else { text }.append(&heading).say(": ").append(&part);
        any = true;
    }
    let others = callers(seed.files.iter().filter(|file| file.neighborhood.is_none()));
    let part = listed(&others, budget.saturating_sub(text.tokens() + 4));
    if !part.is_empty() {
        text = if any { text.say("; also ") } else { text }.append(&part);
        any = true;
    }
    any.then(|| text.say(". ").append(&named).append(&closing).finish())
}

/// `neighborhood src/billing (12 files, cohesion 0.87, entry invoice.py)`
fn heading(group: &SeedGroup) -> Text {
    let label = match group.label.as_str() {
        "" => Text::new("neighborhood of the root ("),
        label if !Shown::path(label).tells() => Text::new("a neighborhood ("),
        label => Text::new("neighborhood ").name(&Shown::path(label)).say(" ("),
    };
    let text = cohesion(label.count(group.files, " file", " files"), group.cohesion);
    let entry = group.entry.as_deref().filter(|entry| *entry != group.label);
    let entry = entry.map(|entry| entry.strip_prefix(&group.label).unwrap_or(entry).trim_start_matches('/'));
    let text = match entry.map(Shown::path).filter(Shown::tells) {
        Some(entry) => text.say(", entry ").name(&entry),
        None => text,
    };
    text.say(")")
}

fn callers<'s>(files: impl Iterator<Item = &'s SeedFile>) -> Vec<CallerFile> {
    let shown = files.filter(|file| Shown::path(&file.path).tells());
    shown.map(|file| CallerFile { path: file.path.as_str().into(), unique_from: 0, line: 0 }).collect()
}

fn listed(files: &[CallerFile], budget: usize) -> Text {
    let mut list = Places::default();
    for file in files {
        if !list.push(file, budget) {
            break;
        }
    }
    list.text()
}

/// `Defined: Invoice.finalize at src/billing/invoice.py:40-66. `
fn symbols(seed: &Seed, budget: usize) -> Text {
    let mut text = Text::default();
    let shown = |symbol: &&SymbolRow| Shown::identifier(&symbol.qualname).tells() && Shown::path(&symbol.file).tells();
    for symbol in seed.symbols.iter().filter(shown) {
        let callable = matches!(symbol.kind, "function" | "method" | "constructor");
        let phrase = symbol_name(&symbol.qualname, callable).say(" at ").name(&Shown::path(&symbol.file));
        let phrase = phrase.say(":").line(symbol.line);
        let next = if text.is_empty() {
            Text::new("Defined: ").append(&phrase)
        } else {
            text.clone().say(", ").append(&phrase)
        };
        if next.tokens() > SYMBOL_TOKENS.min(budget / 2) {
            break;
        }
        text = next;
    }
    if text.is_empty() { text } else { text.say(". ") }
}
