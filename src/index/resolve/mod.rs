//! Facts of all files -> edges. A demand-driven evaluation of path expressions over scopes, imports, members and supertypes;
//! see [`eval`] for how answers stay independent of the order of questions. Nothing here knows a language by name: what
//! differs is data in `lang::rules`.
//!
//! Files are resolved one by one ([`resolve`]) and put together ([`assemble`]): what a file came to is kept ([`Outcome`]), with
//! what was read for it ([`reads`]), so that after a change only those are resolved again for which something else would be
//! read.

mod calls;
mod changes;
mod differences;
mod directories;
mod edges;
mod eval;
mod implemented;
mod interface;
mod members;
mod names;
mod outcome;
mod outside;
mod packed;
mod reads;
mod signature;
mod specifiers;
mod types;
mod unreferenced;
mod world;

use crate::lang::frameworks::Frameworks;
use crate::model::*;
pub(crate) use changes::{Changes, Known, moved};
pub(crate) use differences::Differences;
use edges::FileEdges;
use eval::{Eval, Memo};
pub(crate) use outcome::Outcome;
use rayon::prelude::*;
use reads::{Nodes, View, Walk};
pub(crate) use types::Def;
use world::World;
pub(crate) use world::{Listing, Load, Unit, listings};

/// Stack of an evaluating thread, in bytes: evaluation nests as deep as the code's own chains, bounded by `MAX_DEPTH`.
pub const STACK_SIZE: usize = 256 << 20;

/// Symbols and everything between them.
#[derive(Debug, Default)]
pub struct Resolved {
    pub symbols: Vec<Symbol>,
    pub edges: Vec<Edge>,
    pub unresolved: Vec<Unresolved>,
    pub overrides: Vec<(SymbolId, SymbolId)>,
    pub imports: Vec<(FileId, FileId)>,
    pub unreferenced: Vec<SymbolId>,
    pub offered: Vec<SymbolId>,
}

/// Resolves those of all files that are `asked` for, ascending. `units` are in path order. Runs on the current rayon pool,
/// whose threads need stacks of [`STACK_SIZE`]. `None` if facts were gone that were needed.
pub(crate) fn resolve(
    units: Vec<Unit>,
    asked: &[u32],
    frameworks: &Frameworks,
    load: &Load<'_>,
    done: &(dyn Fn() + Sync),
) -> Option<Vec<Outcome>> {
    let mut listings: Vec<_> = Vec::with_capacity(asked.len());
    let mut next = asked.iter().copied().peekable();
    for (file, unit) in (0..).zip(&units) {
        if next.next_if_eq(&file).is_some() {
            listings.push(unit.listings.clone());
        }
    }
    let world = World::new(units, frameworks, load);
    let (memo, nodes) = (Memo::default(), Nodes::default());
    let resolved: Vec<FileEdges> = asked
        .par_iter()
        .map_init(
            || Eval::new(View::new(&world, &nodes), &memo),
            |eval, file| {
                let edges = eval.file_edges(*file);
                done();
                edges
            },
        )
        .collect();
    drop(memo);
    let graph = nodes.finished();
    let outcomes = asked
        .par_iter()
        .zip(resolved)
        .zip(listings)
        .map_init(Walk::default, |walk, ((file, edges), listings)| {
            let reads = graph.reads(edges.node, walk);
            Outcome::of(&world, *file, edges, listings, reads)
        })
        .collect();
    (!world.is_incomplete()).then_some(outcomes)
}

/// A file and what it came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    pub(crate) path: &'a str,
    pub(crate) language: Language,
    pub(crate) test: bool,
    /// Its number in the graph.
    pub(crate) file: FileId,
    pub(crate) outcome: &'a Outcome,
}

/// Numbers of symbols: those of the first file, then those of the next.
pub(crate) struct Numbers<'a> {
    first: Vec<u32>,
    parts: &'a [Part<'a>],
}

impl<'a> Numbers<'a> {
    fn of(parts: &'a [Part<'a>]) -> Numbers<'a> {
        let mut first = Vec::with_capacity(parts.len() + 1);
        let mut count = 0u32;
        for part in parts {
            first.push(count);
            count += part.outcome.symbols.len() as u32;
        }
        first.push(count);
        Numbers { first, parts }
    }

    fn symbol(&self, def: Def) -> SymbolId {
        SymbolId(self.first[def.file as usize] + self.parts[def.file as usize].outcome.place[def.def as usize])
    }

    fn count(&self) -> u32 {
        self.first.last().copied().unwrap_or_default()
    }
}

/// Puts together what all files came to, in path order.
pub(crate) fn assemble(parts: &[Part<'_>], frameworks: &Frameworks) -> Resolved {
    let numbers = Numbers::of(parts);
    let count = |of: fn(&Outcome) -> usize| parts.iter().map(|part| of(part.outcome)).sum();
    let mut out = Resolved {
        symbols: Vec::with_capacity(numbers.count() as usize),
        edges: Vec::with_capacity(count(|outcome| outcome.edges.len())),
        unresolved: Vec::with_capacity(count(|outcome| outcome.missed.len())),
        ..Resolved::default()
    };
    for (file, part) in (0..).zip(parts) {
        // Files are in order; what a file says need only be sorted by itself.
        let (first_edge, first_unresolved) = (out.edges.len(), out.unresolved.len());
        let own = |def: u32| numbers.symbol(Def { file, def });
        for named in &part.outcome.symbols {
            out.symbols.push(Symbol {
                file: part.file,
                name: String::from(&*named.name),
                qualname: String::from(&*named.qualname),
                kind: named.kind,
                container: named.container.map(own),
                line: named.line,
                end_line: named.end_line,
                exported: named.flags.has(DefFlags::EXPORTED),
                params: named.params,
                signature: String::from(&*named.signature),
                flags: named.flags,
            });
        }
        for edge in &part.outcome.edges {
            out.edges.push(Edge {
                caller_file: part.file,
                line: edge.line,
                callee: numbers.symbol(edge.callee),
                kind: edge.kind,
                resolution: edge.resolution,
                caller: edge.caller.map(own),
            });
        }
        for missed in &part.outcome.missed {
            out.unresolved.push(Unresolved {
                file: part.file,
                line: missed.line,
                name: String::from(&*part.outcome.names[missed.name as usize]),
                caller: missed.caller.map(own),
                kind: missed.kind,
                external: missed.external,
            });
        }
        out.edges[first_edge..].sort_unstable();
        out.unresolved[first_unresolved..].sort();
        let ours = |file: &u32| (*file as usize) < parts.len();
        let imports = part.outcome.imports.iter().filter(|file| ours(file));
        out.imports.extend(imports.map(|imported| (part.file, parts[*imported as usize].file)));
        let overrides = part.outcome.overrides.iter().filter(|(_, base)| ours(&base.file));
        out.overrides.extend(overrides.map(|(method, base)| (numbers.symbol(*method), numbers.symbol(*base))));
    }
    for (def, claim) in unreferenced::unreferenced(parts, &numbers, frameworks) {
        let list = if claim == unreferenced::Claimed::Offered { &mut out.offered } else { &mut out.unreferenced };
        list.push(numbers.symbol(def));
    }
    out.overrides.sort_unstable();
    out.overrides.dedup();
    out.imports.sort_unstable();
    out.imports.dedup();
    out.unreferenced.sort_unstable();
    out.offered.sort_unstable();
    out
}
