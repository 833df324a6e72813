//! Which exports nothing refers to. Zero is the dangerous number: a claim needs two witnesses, no reference of any grade and
//! no mention of the name outside code (`lang::mentions`), and none of the ways in which a framework, a base class or the
//! language itself may call it.

use super::edges::RawEdge;
use super::signature;
use super::types::Def;
use super::world::{Entry, World};
use crate::model::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Decorators that only change how a definition behaves; any other may register it somewhere.
const PURE_DECORATORS: &[&str] = &[
    "staticmethod",
    "classmethod",
    "abstractmethod",
    "Override",
    "SuppressWarnings",
    "Deprecated",
    "FunctionalInterface",
    "SafeVarargs",
];

/// Names that a runtime calls.
const ENTRY_NAMES: &[&str] = &["main", "setup", "teardown", "run_tests", "values", "valueOf"];

/// What speaks against a claim, gathered from the edges of all files. Tests are left out: they keep nothing alive.
#[derive(Debug, Default)]
pub(crate) struct Uses<'a> {
    /// Something outside its own body refers to it, resolved or possible.
    used: FxHashSet<Def>,
    /// A resolved reference from outside names one of its members.
    members_used: FxHashSet<Def>,
    /// Names of references that could not be resolved.
    pub(crate) unresolved: FxHashSet<(Language, &'a str)>,
    /// Classes with a supertype that is outside or unknown: their members may be called from there.
    pub(crate) open_classes: FxHashSet<Def>,
    /// Methods that override one of a library.
    pub(crate) called_outside: FxHashSet<Def>,
}

impl Uses<'_> {
    /// An edge from code of `file`.
    pub(crate) fn add(&mut self, world: &World<'_>, file: u32, edge: &RawEdge) {
        let from = |outer: u32| {
            let inside = |caller| is_within(world.facts(file), caller, outer);
            !(edge.callee.file == file && edge.caller.is_some_and(inside))
        };
        if from(edge.callee.def) {
            self.used.insert(edge.callee);
        }
        if edge.resolution.is_resolved() {
            let mut next = world.definition(edge.callee).container;
            while let Some(container) = next {
                if from(container.0) {
                    self.members_used.insert(Def { file: edge.callee.file, def: container.0 });
                }
                next = world.facts(edge.callee.file).definition(container).container;
            }
        }
    }
}

/// Is `inner` the definition `outer`, or nested in it?
fn is_within(facts: &FileFacts, inner: u32, outer: u32) -> bool {
    let mut next = Some(DefId(inner));
    while let Some(def) = next {
        if def.0 == outer {
            return true;
        }
        next = facts.definition(def).container;
    }
    false
}

/// Exports without a reference, in (file, source) order.
pub(crate) fn unreferenced(world: &World<'_>, uses: &Uses<'_>, overrides: &[(Def, Def)]) -> Vec<Def> {
    let mut mentioned: FxHashSet<u32> = FxHashSet::default();
    for unit in world.units.iter().filter(|unit| !unit.library && !unit.test) {
        mentioned.extend(&unit.facts.words.strings);
    }
    let mut family: FxHashMap<Def, Vec<Def>> = FxHashMap::default();
    for (method, base) in overrides {
        family.entry(*method).or_default().push(*base);
        family.entry(*base).or_default().push(*method);
    }
    let mut claimed = Vec::new();
    for (file, unit) in world.units.iter().enumerate() {
        let facts = &unit.facts;
        if unit.library || unit.test || facts.status != Status::Parsed {
            continue;
        }
        for (index, definition) in facts.definitions.iter().enumerate() {
            let def = Def { file: file as u32, def: index as u32 };
            let name = facts.name(definition.name);
            if !is_candidate(facts, definition, signature::is_overload(world, def)) || uses.used.contains(&def) {
                continue;
            }
            if uses.unresolved.contains(&(facts.language, name)) || is_mentioned(&mentioned, name) {
                continue;
            }
            if facts.exports.open || facts.exports.names.iter().flatten().any(|n| *n == definition.name) {
                continue;
            }
            if is_looked_up_dynamically(facts, definition) || uses.called_outside.contains(&def) {
                continue;
            }
            if let Some(class) = world.class_around(def)
                && uses.open_classes.contains(&class)
                && may_override(definition)
            {
                continue;
            }
            if same_name_used(world, def, uses) || family_used(def, &family, uses) || type_used(world, def, uses) {
                continue;
            }
            claimed.push(def);
        }
    }
    claimed
}

/// A named, exported function, method or type without anything that hints at a caller out of sight.
fn is_candidate(facts: &FileFacts, definition: &Definition, is_overload: bool) -> bool {
    match definition.kind {
        DefKind::Function | DefKind::Method => {}
        // Reflection makes objects by the constructor without parameters; of others only one among several can go unused
        // while its class is not.
        DefKind::Constructor if !definition.params.is_empty() && is_overload => {}
        kind if kind.is_type() => {}
        _ => return false,
    }
    let flags = definition.flags;
    if !flags.has(DefFlags::EXPORTED)
        || flags
            .has(DefFlags::LOCAL | DefFlags::ANONYMOUS | DefFlags::RECOVERED | DefFlags::OVERRIDE | DefFlags::OVERLOAD)
    {
        return false;
    }
    let name = facts.name(definition.name);
    if name.len() < 3 || name.starts_with("__") || ENTRY_NAMES.contains(&name) {
        return false;
    }
    facts.list(definition.decorators).iter().all(|id| match facts.expr(*id) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => PURE_DECORATORS.contains(&facts.name(name)),
        _ => false,
    })
}

/// The name is mentioned, or a beginning or an end of it that code completes (`"visit_%s"`, `"%s_handler"`).
fn is_mentioned(mentioned: &FxHashSet<u32>, name: &str) -> bool {
    let has = |part: &str| part.len() >= 3 && mentioned.contains(&word_hash(part.as_bytes()));
    let parts = |(at, _): (usize, &str)| has(&name[..=at]) || has(&name[at..]);
    has(name) || name.match_indices('_').any(parts)
}

/// A member of a class whose own code looks members up by computed names.
fn is_looked_up_dynamically(facts: &FileFacts, definition: &Definition) -> bool {
    let Some(class) = definition.container.map(|id| facts.definition(id)) else { return false };
    let inside = class.span.line..=class.span.end_line;
    facts.dynamic.iter().any(|exit| exit.kind == DynamicKind::Getattr && inside.contains(&exit.line))
}

/// A private or static member overrides nothing.
fn may_override(definition: &Definition) -> bool {
    definition.kind == DefKind::Method && !definition.flags.has(DefFlags::STATIC | DefFlags::PRIVATE)
}

/// Another definition of the name in the same scope is used, and they are no overloads that a call tells apart: which one
/// runs depends on what was executed.
fn same_name_used(world: &World<'_>, def: Def, uses: &Uses<'_>) -> bool {
    if world.rules(def.file).overloads {
        return false;
    }
    let definition = world.definition(def);
    let name = world.name(def.file, definition.name);
    world.entries(def.file, definition.scope, name).iter().any(|slot| match slot.entry {
        Entry::Definition(other) => uses.used.contains(&Def { file: def.file, def: other }),
        _ => false,
    })
}

/// Something that it overrides, or that overrides it, is used: calls through one reach the other.
fn family_used(def: Def, family: &FxHashMap<Def, Vec<Def>>, uses: &Uses<'_>) -> bool {
    let mut seen: FxHashSet<Def> = FxHashSet::default();
    let mut next = vec![def];
    while let Some(def) = next.pop() {
        for other in family.get(&def).into_iter().flatten() {
            if seen.insert(*other) {
                if uses.used.contains(other) || uses.called_outside.contains(other) {
                    return true;
                }
                next.push(*other);
            }
        }
    }
    false
}

/// A type whose members are used, or that can be started, is used.
fn type_used(world: &World<'_>, def: Def, uses: &Uses<'_>) -> bool {
    if uses.members_used.contains(&def) {
        return true;
    }
    let definition = world.definition(def);
    let main = definition.body.zip(world.sym("main"));
    main.is_some_and(|(body, main)| definition.kind.is_type() && world.defined(def.file, body, main).is_some())
}
