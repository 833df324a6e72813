//! The annotation of a search: where the identifiers of the pattern are defined, and who uses them.

use super::State;
use super::shown::Shown;
use super::text::{Said, Text};
use super::uses::{counts, possible};
use crate::freshness::Freshness;
use crate::model::DefKind;
use crate::store::snapshot::SymbolCard;

/// Identifiers of one pattern that are answered.
const MAX_NAMES: usize = 4;
/// Definitions of one name that are shown.
const MAX_DEFINITIONS: usize = 3;
/// A name with more definitions is a word of the code base (`get`, `name`): worth an answer only with callers.
const COMMON: u32 = 12;

/// For each identifier (as the pattern has it) with the symbols of that name, the most used first: definition, range worth
/// reading, callers. `None` when nothing of it is worth saying.
pub fn search(found: &[(String, Vec<SymbolCard>)], state: State<'_>) -> Option<Said> {
    answers(Text::default(), found, state)
}

/// The same for names that stand in for `asked`, which no symbol has: they differ by marks and cases only.
pub fn nearest(asked: &str, found: &[(String, Vec<SymbolCard>)], state: State<'_>) -> Option<Said> {
    let head = Text::new("No symbol is called ").name(&Shown::identifier(asked));
    answers(head.say("; by the same words there is "), found, state)
}

fn answers(head: Text, found: &[(String, Vec<SymbolCard>)], state: State<'_>) -> Option<Said> {
    if state.freshness == Freshness::Absent {
        return None;
    }
    let (warning, closing) = (state.warning(), state.closing());
    let budget = state.tokens.saturating_sub(warning.tokens() + head.tokens() + closing.tokens());
    let mut body = Text::default();
    for (name, cards) in found.iter().filter(|(_, cards)| is_worth_saying(cards)).take(MAX_NAMES) {
        // From the most detail to the least: what fits is said.
        let fitting = [
            (3, MAX_DEFINITIONS),
            (2, MAX_DEFINITIONS),
            (2, 2),
            (1, MAX_DEFINITIONS),
            (1, 2),
            (0, MAX_DEFINITIONS),
            (1, 1),
            (0, 2),
            (0, 1),
        ]
        .into_iter()
        .map(|(sites, definitions)| answer(name, cards, sites, definitions))
        .find(|answer| body.tokens_with(answer) <= budget);
        let Some(answer) = fitting else { break };
        body = body.append(&answer);
    }
    if body.is_empty() {
        return None;
    }
    Some(warning.append(&head).append(&body).append(&closing).finish())
}

fn is_used(card: &SymbolCard) -> bool {
    card.callers + card.use_files > 0
}

fn is_worth_saying(cards: &[SymbolCard]) -> bool {
    let Some(first) = cards.first() else { return false };
    let all_data = !cards.iter().any(|card| card.kind.is_callable() || card.kind.is_type());
    let many = first.same_name.max(cards.len() as u32);
    if all_data { many <= MAX_DEFINITIONS as u32 } else { many <= COMMON || is_used(first) }
}

fn answer(name: &str, cards: &[SymbolCard], sites: usize, definitions: usize) -> Text {
    let all = cards.first().map_or(0, |card| card.same_name.max(cards.len() as u32));
    let text = Text::default().name(&Shown::identifier(name)).say(": ");
    if let [card] = cards
        && all == 1
    {
        return text.say("defined at ").append(&definition(card, sites)).say(". ");
    }
    let shown = cards.len().min(definitions);
    let mut text = text.count(all, " definition: ", " definitions: ");
    for (index, card) in cards[..shown].iter().enumerate() {
        if index > 0 {
            text = text.say("; ");
        }
        // The places of one definition, the counts of the others.
        text = text.append(&definition(card, if index == 0 { sites } else { 0 }));
    }
    let left = all.saturating_sub(shown as u32);
    if left > 0 { text.say("; +").number(left.into()).say(" more. ") } else { text.say(". ") }
}

/// `src/billing/invoice.py:40-66 (method of Invoice), 6 callers in 4 files (...), +2 possible, +3 tests`
fn definition(card: &SymbolCard, sites: usize) -> Text {
    let text = Text::default().name(&Shown::path(&card.path)).say(":").line(card.line);
    let text = if card.end_line > card.line { text.say("-").line(card.end_line) } else { text };
    let text = text.say(" (").say(kind(card.kind));
    let text = match card.qualname.rsplit_once('.') {
        Some((container, _)) => text.say(" of ").name(&Shown::identifier(container)),
        None => text,
    };
    let mut text = text.say(if card.test { ", test code)" } else { ")" });
    let (known, _) = counts(card, sites, usize::MAX);
    if !known.is_empty() {
        text = text.say(", ").append(&known);
    }
    text = match (card.possible, known.is_empty()) {
        (0, _) => text,
        (guesses, false) => possible(text.say(", +"), guesses).say(" possible"),
        (1, true) => text.say(", 1 possible caller"),
        (guesses, true) => possible(text.say(", "), guesses).say(" possible callers"),
    };
    if card.test_files > 0 {
        text = text.say(", +").count(card.test_files, " test file", " test files");
    }
    text
}

fn kind(kind: DefKind) -> &'static str {
    match kind {
        DefKind::EnumMember => "enum member",
        DefKind::TypeAlias => "type alias",
        _ => kind.name(),
    }
}
