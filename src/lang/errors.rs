//! What did not parse: the line ranges of a tree's errors, and what regular expressions still find there.

use super::builder::Builder;
use super::mentions;
use crate::model::*;
use rustc_hash::FxHashMap;
use tree_sitter::Tree;

/// Most ranges that are listed; what is past them is one range to the last error.
const MAX_RANGES: usize = 50;

/// Line ranges (from 1, both ends included, ascending, disjoint) of ERROR and MISSING nodes.
pub(super) fn unparsed_lines(tree: &Tree) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut cursor = tree.walk();
    'down: loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            let (from, to) = (node.start_position(), node.end_position());
            // A node that ends before the first column ends with the line before.
            let last = if to.column == 0 && to.row > from.row { to.row - 1 } else { to.row };
            let (first, last) = (from.row as u32 + 1, last as u32 + 1);
            let full = ranges.len() >= MAX_RANGES;
            match ranges.last_mut() {
                Some(range) if full || first <= range.1.saturating_add(1) => range.1 = range.1.max(last),
                _ => ranges.push((first, last)),
            }
        } else if node.has_error() && cursor.goto_first_child() {
            continue 'down;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return ranges;
            }
        }
    }
}

/// Adds to a partial parse what `regex_facts` has in the unparsed ranges and the tree did not give: definitions (flagged
/// `RECOVERED`), and the words of those lines as mentions.
pub(super) fn recover(builder: &mut Builder, regex_facts: &FileFacts, unparsed: &[(u32, u32)], text: &str) {
    let is_unparsed = |line: u32| {
        let after = unparsed.partition_point(|range| range.0 <= line);
        after > 0 && line <= unparsed[after - 1].1
    };
    for (line, content) in (1..).zip(text.split('\n')) {
        if is_unparsed(line) {
            mentions::all(content.as_bytes(), &mut builder.facts.words.strings);
        }
    }
    let known: FxHashMap<(&str, u32), DefId> = (0..)
        .zip(&builder.facts.definitions)
        .map(|(id, definition)| ((key_of(&builder.facts, definition), definition.span.line), DefId(id)))
        .collect();
    // Where each definition of the regular expressions is in the tree's facts, as far as it is there.
    let mut twin: Vec<Option<DefId>> = Vec::with_capacity(regex_facts.definitions.len());
    let mut lost: Vec<DefId> = Vec::new();
    for (id, definition) in (0..).zip(&regex_facts.definitions) {
        let found = known.get(&(key_of(regex_facts, definition), definition.span.line)).copied();
        if found.is_none() && is_unparsed(definition.span.line) {
            lost.push(DefId(id));
        }
        twin.push(found);
    }
    for id in lost {
        let definition = regex_facts.definition(id);
        let container = definition.container.and_then(|container| twin[container.0 as usize]);
        let scope = container.and_then(|container| builder.facts.definition(container).body).unwrap_or(MODULE_SCOPE);
        let name = builder.name(regex_facts.name(definition.name));
        let params: Vec<Param> = definition
            .params
            .iter()
            .map(|param| Param { name: builder.name(regex_facts.name(param.name)), ty: None, default: None, ..*param })
            .collect();
        let mut recovered = builder.new_definition(name, definition.kind, definition.span);
        recovered.container = container;
        recovered.scope = scope;
        recovered.block = scope;
        if let Some(receiver) = definition.receiver {
            recovered.receiver = Some(builder.name(regex_facts.name(receiver)));
            let scope = builder.apart();
            (recovered.scope, recovered.block) = (scope, scope);
        }
        recovered.start_line = definition.start_line;
        recovered.flags = definition.flags;
        recovered.flags.set(DefFlags::RECOVERED);
        recovered.params = params;
        let new = builder.add_definition(recovered);
        twin[id.0 as usize] = Some(new);
        // The calls in its body were read as the surrounding code's.
        for reference in &mut builder.facts.references {
            let inside = definition.span.line < reference.line && reference.line <= definition.span.end_line;
            if inside && reference.enclosing == container {
                reference.enclosing = Some(new);
            }
        }
    }
    sort_definitions(&mut builder.facts);
}

/// Tells definitions on one line apart; what an anonymous class is called is the front end's business.
fn key_of<'a>(facts: &'a FileFacts, definition: &Definition) -> &'a str {
    if definition.flags.has(DefFlags::ANONYMOUS) { "" } else { facts.name(definition.name) }
}

/// Restores the order of [`FileFacts::definitions`] after additions at the end.
fn sort_definitions(facts: &mut FileFacts) {
    let mut order: Vec<u32> = (0..facts.definitions.len() as u32).collect();
    order.sort_by_key(|id| facts.definitions[*id as usize].span.at);
    let mut moved_to = vec![DefId(0); order.len()];
    for (new, old) in (0..).zip(&order) {
        moved_to[*old as usize] = DefId(new);
    }
    let moved = |id: &mut DefId| *id = moved_to[id.0 as usize];
    let mut old: Vec<Option<Definition>> = std::mem::take(&mut facts.definitions).into_iter().map(Some).collect();
    facts.definitions = order.iter().filter_map(|id| old[*id as usize].take()).collect();
    facts.definitions.iter_mut().filter_map(|d| d.container.as_mut()).for_each(moved);
    facts.scopes.iter_mut().filter_map(|s| s.definition.as_mut()).for_each(moved);
    facts.references.iter_mut().filter_map(|r| r.enclosing.as_mut()).for_each(moved);
}
