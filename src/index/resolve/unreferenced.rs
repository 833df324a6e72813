//! Which exports nothing refers to. Zero is the dangerous number: a claim needs two witnesses, no reference of any grade and
//! no mention of the name outside code (`lang::mentions`), and none of the ways in which a framework, a base class or the
//! language itself may call it (`outside`).

use super::edges::RawEdge;
use super::outside::Outside;
use super::types::{Def, Sym};
use super::world::{Entry, Unit, World};
use crate::lang::frameworks::fits;
use crate::lang::rules::rules;
use crate::model::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What speaks against a claim, gathered from all files. Tests are left out: they keep nothing alive.
#[derive(Debug, Default)]
pub(crate) struct Uses<'a> {
    /// Something outside its own body refers to it, resolved or possible.
    used: FxHashSet<Def>,
    /// A resolved reference from outside names one of its members, or something outside the repository may call one.
    members_used: FxHashSet<Def>,
    /// Names of references that could not be resolved.
    pub(crate) unresolved: FxHashSet<(Language, &'a str)>,
    /// Methods that override one of a library.
    pub(crate) called_outside: FxHashSet<Def>,
    open_classes: FxHashSet<Def>,
    found_classes: FxHashSet<Def>,
    searched: FxHashSet<Def>,
    extends: FxHashMap<Def, Vec<Def>>,
    hooks: FxHashMap<Def, Vec<usize>>,
    decorated: FxHashSet<Def>,
    offered: FxHashSet<Def>,
}

impl Uses<'_> {
    /// An edge from code of `file`.
    pub(crate) fn add(&mut self, world: &World<'_>, file: u32, edge: &RawEdge) {
        let from_outside = |outer: u32| {
            let inside = |caller| is_within(world.facts(file), caller, outer);
            !(edge.callee.file == file && edge.caller.is_some_and(inside))
        };
        if from_outside(edge.callee.def) {
            self.used.insert(edge.callee);
        }
        if edge.resolution.is_resolved() {
            for class in containers(world, edge.callee).filter(|class| from_outside(class.def)) {
                self.members_used.insert(class);
            }
        }
    }

    /// What may call the definitions of one file from outside the repository.
    pub(crate) fn add_outside(&mut self, world: &World<'_>, outside: &Outside) {
        self.open_classes.extend(&outside.open_classes);
        self.found_classes.extend(&outside.found_classes);
        self.searched.extend(&outside.searched);
        self.decorated.extend(&outside.decorated);
        self.offered.extend(&outside.offered);
        for (class, base) in &outside.extends {
            self.extends.entry(*class).or_default().push(*base);
        }
        for (class, row) in &outside.hooks {
            self.hooks.entry(*class).or_default().push(*row);
        }
        for def in &outside.decorated {
            self.members_used.extend(containers(world, *def));
        }
    }

    /// True for a class that is found without its name: by a framework, or as a subclass of one that the code looks for.
    fn is_found(&self, class: Def) -> bool {
        self.any_above(class, |class| self.found_classes.contains(&class) || self.searched.contains(&class))
    }

    /// True if it holds for the class or one that it extends.
    fn any_above(&self, class: Def, holds: impl Fn(Def) -> bool) -> bool {
        let mut seen = FxHashSet::from_iter([class]);
        let mut next = vec![class];
        while let Some(class) = next.pop() {
            if holds(class) {
                return true;
            }
            next.extend(self.extends.get(&class).into_iter().flatten().filter(|base| seen.insert(**base)));
        }
        false
    }
}

/// What a definition is a member of or nested in, from inside out.
fn containers<'w>(world: &'w World<'_>, def: Def) -> impl Iterator<Item = Def> + 'w {
    let outer = move |inner: Def| world.definition(inner).container.map(|id| Def { file: def.file, def: id.0 });
    std::iter::successors(outer(def), move |inner| outer(*inner))
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
        if rules(unit.facts.language).computed_names {
            let classes = unit.facts.definitions.iter().filter(|definition| definition.kind.is_type());
            mentioned.extend(classes.flat_map(|class| names_made_of(unit.facts.name(class.name))));
        }
    }
    let mut family: FxHashMap<Def, Vec<Def>> = FxHashMap::default();
    for (method, base) in overrides {
        family.entry(*method).or_default().push(*base);
        family.entry(*base).or_default().push(*method);
    }
    let claim = Claim { world, uses, mentioned, family, importing: importing(world) };
    let mut claimed = Vec::new();
    for (file, unit) in world.units.iter().enumerate() {
        if unit.library || unit.test || unit.facts.status != Status::Parsed {
            continue;
        }
        let defs = (0..unit.facts.definitions.len()).map(|index| Def { file: file as u32, def: index as u32 });
        claimed.extend(defs.filter(|def| claim.holds(*def)));
    }
    claimed
}

/// Hashes of what an event or node class's handlers are called: `TcpMessageHook` -> `tcp_message_hook`, `tcp_message`.
fn names_made_of(class: &str) -> Vec<u32> {
    let mut name = String::new();
    let mut last_word = 0;
    for (at, c) in class.char_indices() {
        if c.is_uppercase() && at > 0 && !class[..at].ends_with(|before: char| before.is_uppercase() || before == '_') {
            last_word = name.len();
            name.push('_');
        }
        name.extend(c.to_lowercase());
    }
    if last_word == 0 {
        return Vec::new();
    }
    [&name[..], &name[..last_word]].iter().map(|name| word_hash(name.as_bytes())).collect()
}

/// Rows of the framework table that count in a source tree because of what it imports.
fn importing<'w>(world: &'w World<'_>) -> FxHashMap<(Language, &'w str), BTreeSet<usize>> {
    let mut rows: FxHashMap<(Language, &str), BTreeSet<usize>> = FxHashMap::default();
    for unit in world.units.iter().filter(|unit| !unit.library && !unit.test) {
        let language = unit.facts.language;
        let rows = rows.entry((language, source_tree(unit))).or_default();
        for import in &unit.facts.imports {
            rows.extend(world.frameworks.rows_importing(language, unit.facts.name(import.module)));
        }
    }
    rows
}

/// The part of a repository that is built as one: the folder above `src/`, or all of it.
fn source_tree(unit: &Unit) -> &str {
    match unit.path.find("src/") {
        Some(at) if at == 0 || unit.path.as_bytes()[at - 1] == b'/' => &unit.path[..at],
        _ => "",
    }
}

/// All that is asked before a claim is made.
struct Claim<'w, 'a> {
    world: &'w World<'a>,
    uses: &'w Uses<'a>,
    mentioned: FxHashSet<u32>,
    /// Methods by what they override and are overridden by.
    family: FxHashMap<Def, Vec<Def>>,
    importing: FxHashMap<(Language, &'w str), BTreeSet<usize>>,
}

impl Claim<'_, '_> {
    fn holds(&self, def: Def) -> bool {
        let uses = self.uses;
        let facts = self.world.facts(def.file);
        let definition = self.world.definition(def);
        let name = facts.name(definition.name);
        self.is_candidate(def)
            && !uses.used.contains(&def)
            && !uses.unresolved.contains(&(facts.language, name))
            && !self.is_mentioned(name)
            && !facts.exports.open
            && !facts.exports.names.iter().flatten().any(|listed| *listed == definition.name)
            && !self.is_looked_up_dynamically(def)
            && !uses.decorated.contains(&def)
            && !uses.offered.contains(&def)
            && !self.world.frameworks.calls_by_name(facts.language, name, &self.world.units[def.file as usize].path)
            && !self.same_name_used(def)
            && if definition.kind.is_type() { !self.type_used(def) } else { !self.method_used(def, name) }
    }

    /// A named, exported function, method or type. No constructor: what injects, maps or converts picks one by its types.
    /// No element of an annotation either: whoever looks for the annotation reads them.
    fn is_candidate(&self, def: Def) -> bool {
        let definition = self.world.definition(def);
        let kind = definition.kind;
        let of_annotation =
            self.world.class_around(def).is_some_and(|class| self.world.definition(class).kind == DefKind::Annotation);
        if !(kind.is_type() || matches!(kind, DefKind::Function | DefKind::Method)) || of_annotation {
            return false;
        }
        let left_out =
            DefFlags::LOCAL | DefFlags::ANONYMOUS | DefFlags::RECOVERED | DefFlags::OVERRIDE | DefFlags::OVERLOAD;
        let name = self.world.facts(def.file).name(definition.name);
        definition.flags.has(DefFlags::EXPORTED)
            && !definition.flags.has(left_out)
            && name.len() >= 3
            && !name.starts_with("__")
    }

    /// The name is mentioned, or a beginning or an end of it that code completes (`"visit_%s"`, `"%s_handler"`).
    fn is_mentioned(&self, name: &str) -> bool {
        let has = |part: &str| part.len() >= 3 && self.mentioned.contains(&word_hash(part.as_bytes()));
        has(name) || name.match_indices('_').any(|(at, _)| has(&name[..=at]) || has(&name[at..]))
    }

    /// Another definition of the name in the same scope is used, and they are no overloads that a call tells apart: which
    /// one runs depends on what was executed.
    fn same_name_used(&self, def: Def) -> bool {
        if self.world.rules(def.file).overloads {
            return false;
        }
        let definition = self.world.definition(def);
        let name = self.world.name(def.file, definition.name);
        self.world.entries(def.file, definition.scope, name).iter().any(|slot| match slot.entry {
            Entry::Definition(other) => self.uses.used.contains(&Def { file: def.file, def: other }),
            _ => false,
        })
    }

    /// A type whose members are used, that can be started, or that is found without its name.
    fn type_used(&self, def: Def) -> bool {
        let body = self.world.definition(def).body;
        let starts = body
            .zip(self.world.sym("main"))
            .is_some_and(|(body, main)| self.world.defined(def.file, body, main).is_some());
        starts || self.uses.members_used.contains(&def) || self.uses.is_found(def)
    }

    /// A method that something it overrides or is overridden by, a base class from outside or a framework may call.
    fn method_used(&self, def: Def, name: &str) -> bool {
        let uses = self.uses;
        let Some(class) = self.world.class_around(def) else { return false };
        let definition = self.world.definition(def);
        let language = self.world.facts(def.file).language;
        let may_override =
            definition.kind == DefKind::Method && !definition.flags.has(DefFlags::STATIC | DefFlags::PRIVATE);
        let tree = (language, source_tree(&self.world.units[def.file as usize]));
        let rows = uses.hooks.get(&class).into_iter().flatten().chain(self.importing.get(&tree).into_iter().flatten());
        uses.called_outside.contains(&def)
            || may_override && uses.open_classes.contains(&class)
            || rows.filter_map(|row| self.world.frameworks.methods(*row)).flatten().any(|pattern| fits(pattern, name))
            || self.family_used(def)
            || self.is_protocol(def, self.world.name(def.file, definition.name))
    }

    /// Something that it overrides, or that overrides it, is used: calls through one reach the other.
    fn family_used(&self, def: Def) -> bool {
        let mut seen: FxHashSet<Def> = FxHashSet::default();
        let mut next = vec![def];
        while let Some(def) = next.pop() {
            for other in self.family.get(&def).into_iter().flatten() {
                if seen.insert(*other) {
                    if self.uses.used.contains(other) || self.uses.called_outside.contains(other) {
                        return true;
                    }
                    next.push(*other);
                }
            }
        }
        false
    }

    /// A member of a class whose own code, or that of a class above it, looks members up by computed names.
    fn is_looked_up_dynamically(&self, def: Def) -> bool {
        let Some(class) = self.world.class_around(def) else { return false };
        self.uses.any_above(class, |class| {
            let span = self.world.definition(class).span;
            let exits = &self.world.facts(class.file).dynamic;
            exits
                .iter()
                .any(|exit| exit.kind == DynamicKind::Getattr && (span.line..=span.end_line).contains(&exit.line))
        })
    }

    /// A method of a name that unrelated classes have in common, where nothing declares what a call needs: whoever calls
    /// one of them by a computed name calls all (handlers of events, steps of pipelines).
    fn is_protocol(&self, def: Def, name: Sym) -> bool {
        if !self.world.rules(def.file).computed_names {
            return false;
        }
        let others = self.world.methods_named(self.world.facts(def.file).language, name);
        let related = |other: &Def| *other == def || self.family.get(&def).is_some_and(|family| family.contains(other));
        others.iter().any(|other| !related(other))
    }
}
