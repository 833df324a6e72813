//! What one file came to: its part of the graph, in terms that still hold when other files come and go. Kept between passes, so
//! that only files whose reads have changed are resolved again.

use super::edges::{FileEdges, RawEdge, RawUnresolved};
use super::outside::Outside;
use super::reads::Read;
use super::signature;
use super::specifiers::Setting;
use super::types::{Def, Sym};
use super::world::{Entry, Listing, World};
use crate::lang::rules::rules;
use crate::model::*;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// Files of libraries are numbered from here on: they are the same in every pass, and come after those of any repository.
pub(crate) const LIBRARY: u32 = 1 << 31;

/// One file's part of the graph. Definitions are told by their index in its facts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// In the order of the graph's symbols.
    pub(crate) symbols: Vec<Named>,
    /// By definition: its place among the symbols.
    #[serde(with = "super::packed")]
    pub(crate) place: Vec<u32>,
    #[serde(with = "super::packed")]
    pub(crate) edges: Vec<RawEdge>,
    #[serde(with = "super::packed")]
    pub(crate) missed: Vec<Missed>,
    /// Texts that `missed` speaks of.
    pub(crate) names: Vec<Box<str>>,
    /// Files that it imports.
    pub(crate) imports: Vec<u32>,
    /// (method, what it overrides).
    pub(crate) overrides: Vec<(Def, Def)>,
    /// (own member, the type of another file whose member it is).
    pub(crate) owners: Vec<(u32, Def)>,
    pub(crate) outside: Outside,
    /// (definition, another of its name in its scope), where they are no overloads.
    pub(crate) same_name: Vec<(u32, u32)>,
    /// Hashes of words that mention names, for production files.
    #[serde(with = "super::packed")]
    pub(crate) words: Vec<u32>,
    /// Rows of the framework table that its imports are about.
    pub(crate) rows: Vec<u32>,
    /// It looks things up by computed names.
    pub(crate) dynamic: bool,
    /// What others find it by.
    #[serde(with = "super::packed")]
    pub(crate) listings: Vec<Listing>,
    /// What it says about where modules are found.
    pub(crate) search: Vec<Setting>,
    /// Files whose exports are its own too.
    pub(crate) passes_on: Vec<u32>,
    /// What was read on the way, sorted.
    #[serde(with = "super::packed")]
    pub(crate) reads: Vec<Read>,
}

/// A definition, as the graph names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Named {
    pub(crate) def: u32,
    pub(crate) name: Box<str>,
    pub(crate) qualname: Box<str>,
    pub(crate) kind: DefKind,
    /// Definition it is a member of or nested in.
    pub(crate) container: Option<u32>,
    pub(crate) line: u32,
    pub(crate) end_line: u32,
    pub(crate) params: u16,
    pub(crate) signature: Box<str>,
    pub(crate) flags: DefFlags,
    pub(crate) marks: Marks,
}

/// What else must be known of a definition before it is called unreferenced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marks(u8);

impl Marks {
    /// Nothing in its own file speaks against a claim.
    pub(crate) const CLAIMABLE: u8 = 1;
    /// A type that can be started.
    pub(crate) const STARTS: u8 = 1 << 1;
    /// A class whose own code looks members up by computed names.
    pub(crate) const DYNAMIC: u8 = 1 << 2;
    /// A method of a class.
    pub(crate) const METHOD: u8 = 1 << 3;
    /// A list of exports of its own file names it, or may do so.
    pub(crate) const LISTED: u8 = 1 << 4;

    pub(crate) fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }

    fn set(&mut self, bit: u8, on: bool) {
        if on {
            self.0 |= bit;
        }
    }
}

/// A reference without a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missed {
    pub(crate) line: u32,
    /// Index into [`Outcome::names`].
    pub(crate) name: u32,
    pub(crate) caller: Option<u32>,
    pub(crate) kind: EdgeKind,
    pub(crate) external: bool,
    /// It names a member of something that is not known: never what only a module holds, unless that was loaded by a
    /// computed name.
    pub(crate) member: bool,
}

impl Outcome {
    /// What a file came to, whose references are resolved.
    pub(crate) fn of(
        world: &World<'_>,
        file: u32,
        edges: FileEdges,
        listings: Vec<Listing>,
        reads: Vec<Read>,
    ) -> Outcome {
        let facts = world.facts(file);
        let (imports, passes_on) = (edges.imports, edges.passes_on);
        let search = Setting::all(facts);
        let mut outcome = Outcome { listings, reads, imports, passes_on, search, ..Outcome::default() };
        let stable = |def: Def| match def.file.checked_sub(world.ours()) {
            Some(library) => Def { file: LIBRARY + library, ..def },
            None => def,
        };
        outcome.edges = edges.edges;
        outcome.overrides = edges.overrides.iter().map(|(method, base)| (*method, stable(*base))).collect();
        outcome.overrides.sort_unstable();
        outcome.overrides.dedup();
        outcome.owners = edges.owners;
        outcome.outside = edges.outside.map(stable);
        outcome.add_symbols(world, file);
        let mut names: Vec<(Sym, &str)> = edges.unresolved.iter().map(|row| (row.name, world.text(row.name))).collect();
        names.sort_unstable_by_key(|(_, text)| *text);
        names.dedup();
        let index =
            |sym: Sym| names.binary_search_by_key(&world.text(sym), |(_, text)| text).unwrap_or_default() as u32;
        for row in &edges.unresolved {
            let RawUnresolved { line, name, caller, kind, external, member } = *row;
            outcome.missed.push(Missed { line, name: index(name), caller, kind, external, member });
        }
        outcome.names = names.iter().map(|(_, text)| Box::from(*text)).collect();
        outcome.dynamic = !facts.dynamic.is_empty();
        if !world.is_test(file) {
            outcome.words = facts.words.strings.clone();
            let rows = facts.imports.iter().map(|import| facts.name(import.module));
            let rows = rows.flat_map(|module| world.frameworks.rows_importing(facts.language, module));
            outcome.rows = rows.map(|row| row as u32).collect();
            outcome.rows.sort_unstable();
            outcome.rows.dedup();
        }
        outcome
    }

    fn add_symbols(&mut self, world: &World<'_>, file: u32) {
        let facts = world.facts(file);
        // Definitions are numbered in the order of their names, which is not always the order in which they were found.
        let mut sorted: Vec<u32> = (0..facts.definitions.len() as u32).collect();
        sorted.sort_by_key(|i| (facts.definitions[*i as usize].span.at, *i));
        self.place = vec![0; sorted.len()];
        let decorated: Vec<u32> = self.outside.decorated.iter().map(|def| def.def).collect();
        for (position, index) in (0..).zip(&sorted) {
            self.place[*index as usize] = position;
            let definition = &facts.definitions[*index as usize];
            let def = Def { file, def: *index };
            let marks = marks(world, def, decorated.contains(index));
            if marks.has(Marks::CLAIMABLE) && !rules(facts.language).overloads {
                let name = world.name(file, definition.name);
                let others = world.entries(file, definition.scope, name).iter().filter_map(|slot| match slot.entry {
                    Entry::Definition(other) if other != *index => Some((*index, other)),
                    _ => None,
                });
                self.same_name.extend(others);
            }
            self.symbols.push(Named {
                def: *index,
                name: facts.name(definition.name).into(),
                qualname: facts.qualname(DefId(*index)).into(),
                kind: definition.kind,
                container: container_of(world, def).map(|container| container.def),
                line: definition.span.line,
                end_line: definition.span.end_line,
                params: definition.params.len().min(usize::from(u16::MAX)) as u16,
                signature: signature::of(world, def).into(),
                flags: definition.flags,
                marks,
            });
        }
    }

    /// Do the definitions stand in the same places among the symbols? `moved` gives their new numbers.
    pub(crate) fn has_places_of(&self, now: &Outcome, moved: &[Option<u32>]) -> bool {
        let now = |def: &u32| now.place.get(*def as usize);
        self.place.iter().zip(moved).all(|(place, moved)| moved.as_ref().and_then(now) == Some(place))
    }

    /// Is everything in the graph the same?
    pub(crate) fn is_same_graph(&self, now: &Outcome) -> bool {
        self.symbols == now.symbols
            && self.place == now.place
            && self.edges == now.edges
            && self.names == now.names
            && self.missed == now.missed
            && self.imports == now.imports
            && self.overrides == now.overrides
    }

    /// Is there an edge to a definition of one of these files?
    pub(crate) fn points_into(&self, files: &FxHashSet<u32>) -> bool {
        self.edges.iter().any(|edge| files.contains(&edge.callee.file))
    }

    pub(crate) fn named(&self, def: u32) -> &Named {
        &self.symbols[self.place[def as usize] as usize]
    }

    /// Files have come and gone: `places` gives their new numbers by their old ones. False if one is gone that this file
    /// points to.
    pub(crate) fn renumber(&mut self, places: &[Option<u32>]) -> bool {
        let mut known = true;
        let mut renumber = |file: &mut u32| {
            if *file >= LIBRARY {
                return;
            }
            match places.get(*file as usize).copied().flatten() {
                Some(place) => *file = place,
                None => known = false,
            }
        };
        self.each_file(&mut renumber);
        known
    }

    fn each_file(&mut self, change: &mut dyn FnMut(&mut u32)) {
        self.imports.iter_mut().chain(&mut self.passes_on).for_each(&mut *change);
        self.each_def(&mut |def| change(&mut def.file));
    }

    /// Everything that points to a definition of any file.
    pub(crate) fn each_def(&mut self, change: &mut dyn FnMut(&mut Def)) {
        self.edges.iter_mut().for_each(|edge| change(&mut edge.callee));
        for (method, base) in &mut self.overrides {
            change(method);
            change(base);
        }
        self.owners.iter_mut().for_each(|(_, class)| change(class));
        self.outside.each_def(change);
    }
}

/// What a definition is written in, or the type of its own file whose member it is.
fn container_of(world: &World<'_>, def: Def) -> Option<Def> {
    match world.definition(def).container {
        Some(container) => Some(Def { def: container.0, ..def }),
        None => world.class_around(def),
    }
}

fn marks(world: &World<'_>, def: Def, decorated: bool) -> Marks {
    let facts = world.facts(def.file);
    let definition = world.definition(def);
    let mut marks = Marks::default();
    let in_class = facts.scope(definition.scope).kind == ScopeKind::Class;
    marks.set(Marks::METHOD, in_class && definition.kind == DefKind::Method);
    if definition.kind.is_type() {
        let starts = definition.body.is_some_and(|body| world.defined(def.file, body, Sym::of("main")).is_some());
        marks.set(Marks::STARTS, starts);
        let lines = definition.span.line..=definition.span.end_line;
        let looks_up = |exit: &DynamicExit| exit.kind == DynamicKind::Getattr && lines.contains(&exit.line);
        marks.set(Marks::DYNAMIC, facts.dynamic.iter().any(looks_up));
    }
    let name = facts.name(definition.name);
    let listed = facts.exports.names.iter().flatten().any(|listed| *listed == definition.name);
    let claimable = !decorated
        && !world.is_test(def.file)
        && facts.status == Status::Parsed
        && is_candidate(world, def)
        && !world.frameworks.calls_by_name(facts.language, name, world.path(def.file));
    marks.set(Marks::CLAIMABLE, claimable);
    marks.set(Marks::LISTED, listed || facts.exports.open);
    marks
}

/// A named, exported function, method or type. No constructor: what injects, maps or converts picks one by its types. No
/// element of an annotation either: whoever looks for the annotation reads them.
fn is_candidate(world: &World<'_>, def: Def) -> bool {
    let definition = world.definition(def);
    let kind = definition.kind;
    let of_annotation =
        world.class_around(def).is_some_and(|class| world.definition(class).kind == DefKind::Annotation);
    if !(kind.is_type() || matches!(kind, DefKind::Function | DefKind::Method)) || of_annotation {
        return false;
    }
    let left_out =
        DefFlags::LOCAL | DefFlags::ANONYMOUS | DefFlags::RECOVERED | DefFlags::OVERRIDE | DefFlags::OVERLOAD;
    let name = world.facts(def.file).name(definition.name);
    definition.flags.has(DefFlags::EXPORTED)
        && !definition.flags.has(left_out)
        && name.len() >= 3
        && !name.starts_with("__")
}
