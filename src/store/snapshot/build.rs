//! Graph -> counts: everything that the hook may say is counted here, once, when a graph is published. `cards.rs` picks what
//! of it is worth a place on a card.
//!
//! What is counted of a symbol and of a file is counted when a card first asks for it, so that after a small change only
//! what its cards need is counted (`reuse.rs`). Pure and deterministic; the work is linear in the edges but for sorting the
//! uses of one symbol. Nothing is formatted or sanitised here: that is `annotate`'s.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::card::{POSSIBLE_LIMIT, Site};
use crate::model::{
    Community, DefFlags, DefKind, Edge, EdgeKind, FileRecord, Graph, HIDDEN_NAME, Resolution, Symbol, SymbolId,
};

/// Nesting and override chains are followed this far; deeper ones are no code that a person wrote.
const MAX_CHAIN: usize = 64;

/// A guess among more files names none.
const MAX_POSSIBLE_FILES: usize = 16;

/// What is counted of one symbol before its card is asked for.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) callers: u32,
    pub(super) caller_files: u32,
    pub(super) own_callers: u32,
    pub(super) outside_callers: u32,
    pub(super) use_files: u32,
    pub(super) outside_use_files: u32,
    pub(super) possible: u32,
    /// Possible edges that are no calls.
    pub(super) possible_uses: u32,
    pub(super) test_callers: u32,
    pub(super) test_files: u32,
    pub(super) overloads: u32,
}

impl Tally {
    pub(super) fn is_used(&self) -> bool {
        self.callers + self.use_files + self.possible + self.test_files > 0
    }
}

/// A resolved production use of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Use {
    pub(super) file: u32,
    pub(super) line: u32,
    pub(super) call: bool,
}

/// A file that uses another one.
pub(super) struct FileUse {
    pub(super) user: u32,
    /// Sum over the used symbols of 1 / files that use the symbol: of the users of a symbol that changes, any one is to be
    /// named, so this is what naming the file adds to the share that is. It names more of what real commits had to
    /// change than logarithms do (RETRIEVAL.md, section A): of hubs in Go 88 % instead of 84 % with ten files.
    pub(super) score: f64,
    pub(super) references: u32,
    pub(super) line: u32,
}

/// Callers as keys: a symbol, or the module-level code of a file.
type CallerKey = u64;

fn caller_key(edge: &Edge) -> CallerKey {
    match edge.caller {
        Some(SymbolId(id)) => u64::from(id),
        None => 1 << 32 | u64::from(edge.caller_file.0),
    }
}

/// Who uses a file.
#[derive(Default)]
pub(super) struct Home {
    /// Production users (see the head of `card.rs`) in order, the file itself left out.
    pub(super) users: Vec<FileUse>,
    /// Production files of which only possible uses are known, in order.
    pub(super) possible: Vec<FileUse>,
    /// Test files that use something of it, in order; none for a test file.
    tests: Vec<u32>,
}

pub(super) struct Analysis<'g> {
    pub(super) graph: &'g Graph,
    pub(super) paths: Vec<Arc<str>>,
    /// By file: see [`super::card::CallerFile::unique_from`].
    pub(super) unique_from: Vec<u32>,
    /// By file: number of its directory. Stands for its package.
    pub(super) package: Vec<u32>,
    /// By file: its first symbol; then the number of symbols.
    first_symbol: Vec<u32>,
    /// By symbol: the symbol on whose card it is counted.
    pub(super) shown_as: Vec<u32>,
    /// By symbol: it is a constructor.
    constructor: Vec<bool>,
    /// By symbol: definitions that its card counts as overloads.
    overloads: Vec<u32>,
    /// Edges by the symbol that they count for, imports left out: `edge_order[edge_start[s]..edge_start[s + 1]]`.
    edge_start: Vec<u32>,
    edge_order: Vec<u32>,
    /// (method, what it overrides), both as shown, sorted, no duplicates; and the other way.
    bases: Vec<(u32, u32)>,
    pub(super) overriders: Vec<(u32, u32)>,
    /// By symbol: it overrides something, or something overrides it.
    related: Vec<bool>,
    /// (overridden file, overriding file, methods), production files only, sorted, no duplicates.
    pub(super) overriding: Vec<(u32, u32, u32)>,
    /// The same as (overriding file, overridden file, methods), sorted.
    pub(super) overridden: Vec<(u32, u32, u32)>,
    /// (imported, importing), sorted.
    importers: Vec<(u32, u32)>,
    /// (used, production file that uses or imports it), sorted, no duplicates; without tests of production code.
    pub(super) production_dependents: Vec<(u32, u32)>,
    /// By file: the topmost file of a package around it that imports it.
    pub(super) handed_on: FxHashMap<u32, u32>,
    /// By name, then id; what a search is answered from.
    pub(super) named: Vec<u32>,
    /// By symbol: how many of those have its name; 0 for what is not among them.
    same_name: Vec<u32>,
    /// By file: number of its community and of its place in it.
    pub(super) community: FxHashMap<u32, (u32, u32)>,
    /// The rest is filled in when it is first asked for. By symbol:
    tallies: Vec<Cell<Option<Tally>>>,
    /// Of symbols that override or are overridden.
    family: RefCell<FxHashMap<u32, (Tally, Rc<Callers>)>>,
    /// By file.
    homes: Vec<OnceCell<Home>>,
    /// References without a known target, by name.
    unresolved: OnceCell<FxHashMap<&'g str, u32>>,
    /// By symbol: the sites of its cards.
    pub(super) sites: Vec<RefCell<Option<Vec<Site>>>>,
}

impl<'g> Analysis<'g> {
    pub(super) fn new(graph: &'g Graph) -> Analysis<'g> {
        let constructor: Vec<bool> = graph.symbols.iter().map(|symbol| is_constructor(graph, symbol)).collect();
        let shown_as = shown_as(graph, &constructor);
        let (edge_start, edge_order) = edges_by_symbol(graph, &shown_as);
        let named = named(graph, &shown_as, &constructor);
        let mut overloads = vec![0; graph.symbols.len()];
        for ((symbol, shown), constructor) in graph.symbols.iter().zip(&shown_as).zip(&constructor) {
            overloads[*shown as usize] += u32::from(is_overload(symbol, *constructor));
        }
        let mut same_name = vec![0; graph.symbols.len()];
        for run in named.chunk_by(|a, b| name_of(graph, *a) == name_of(graph, *b)) {
            run.iter().for_each(|symbol| same_name[*symbol as usize] = run.len() as u32);
        }
        let shown = |symbol: SymbolId| shown_as[symbol.0 as usize];
        let mut bases: Vec<(u32, u32)> =
            graph.overrides.iter().map(|(method, base)| (shown(*method), shown(*base))).collect();
        sort_dedup(&mut bases);
        let overriders = flipped(bases.iter().copied());
        let mut related = vec![false; graph.symbols.len()];
        for (method, base) in &bases {
            (related[*method as usize], related[*base as usize]) = (true, true);
        }
        let importers = flipped(graph.imports.iter().map(|(from, to)| (from.0, to.0)));
        let overriding = overriding_files(graph);
        let mut overridden: Vec<_> = overriding.iter().map(|(base, user, methods)| (*user, *base, *methods)).collect();
        overridden.sort_unstable();
        Analysis {
            graph,
            paths: graph.files.iter().map(|file| Arc::from(file.path.as_str())).collect(),
            unique_from: unique_ends(&graph.files),
            package: packages(graph),
            first_symbol: graph.first_symbols(),
            production_dependents: production_dependents(graph, &importers),
            shown_as,
            constructor,
            overloads,
            edge_start,
            edge_order,
            bases,
            overriders,
            overriding,
            overridden,
            related,
            importers,
            handed_on: handed_on(graph),
            named,
            same_name,
            community: communities(graph),
            tallies: vec![Cell::new(None); graph.symbols.len()],
            family: RefCell::default(),
            homes: graph.files.iter().map(|_| OnceCell::new()).collect(),
            unresolved: OnceCell::new(),
            sites: vec![RefCell::default(); graph.symbols.len()],
        }
    }

    /// Ids of the files that have a card: code that was read.
    pub(super) fn code_files(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.graph.files.len() as u32).filter(|file| self.graph.files[*file as usize].has_facts())
    }

    fn edges_of(&self, symbol: u32) -> impl Iterator<Item = &'g Edge> + '_ {
        let range = self.edge_start[symbol as usize] as usize..self.edge_start[symbol as usize + 1] as usize;
        self.edge_order[range].iter().map(|edge| &self.graph.edges[*edge as usize])
    }

    /// Is `key` the symbol itself, or code nested in its body?
    fn is_inside(&self, key: CallerKey, symbol: u32) -> bool {
        let mut next = u32::try_from(key).ok();
        for _ in 0..MAX_CHAIN {
            let Some(id) = next else { return false };
            if self.shown_as[id as usize] == symbol {
                return true;
            }
            next = self.graph.symbols[id as usize].container.map(|container| container.0);
        }
        false
    }

    /// True for a use that is counted as a test's.
    fn is_test_use(&self, edge: &Edge, symbol: u32) -> bool {
        let home = self.graph.symbols[symbol as usize].file;
        self.graph.files[edge.caller_file.0 as usize].test && !self.graph.files[home.0 as usize].test
    }

    /// The resolved production uses of a symbol, sorted.
    pub(super) fn uses(&self, symbol: u32) -> Vec<Use> {
        let counts = |edge: &&Edge| {
            edge.resolution.is_resolved()
                && !self.is_test_use(edge, symbol)
                && !self.is_inside(caller_key(edge), symbol)
        };
        let as_use = |edge: &Edge| Use { file: edge.caller_file.0, line: edge.line, call: edge.kind.is_call() };
        let mut uses: Vec<Use> = self.edges_of(symbol).filter(counts).map(as_use).collect();
        uses.sort_unstable();
        uses
    }

    /// The symbols of a file.
    pub(super) fn symbols_of(&self, file: u32) -> std::ops::Range<u32> {
        self.first_symbol[file as usize]..self.first_symbol[file as usize + 1]
    }

    pub(super) fn is_constructor(&self, symbol: u32) -> bool {
        self.constructor[symbol as usize]
    }

    /// How many definitions can be found by the name of a symbol.
    pub(super) fn same_name(&self, symbol: u32) -> u32 {
        match self.same_name[symbol as usize] {
            // It cannot be found itself, but others may.
            0 => {
                let name = name_of(self.graph, symbol);
                let start = self.named.partition_point(|other| name_of(self.graph, *other) < name);
                let first = self.named.get(start).filter(|other| name_of(self.graph, **other) == name);
                first.map_or(1, |other| self.same_name[*other as usize])
            }
            count => count,
        }
    }

    /// References without a known target that bear a name.
    pub(super) fn unresolved(&self, name: &str) -> u32 {
        let counts = self.unresolved.get_or_init(|| {
            let mut counts = FxHashMap::default();
            for reference in self.graph.unresolved.iter().filter(|reference| !reference.external) {
                *counts.entry(reference.name.as_str()).or_insert(0) += 1;
            }
            counts
        });
        counts.get(name).copied().unwrap_or(0)
    }

    /// What is counted of a symbol.
    pub(super) fn tally(&self, symbol: u32) -> Tally {
        if let Some(tally) = self.tallies[symbol as usize].get() {
            return tally;
        }
        let tally = if self.related[symbol as usize] {
            let (mut tally, callers) = self.in_family(symbol);
            if !run_of(&self.bases, symbol).is_empty() {
                tally.possible = self.possible_through_bases(symbol, &callers);
            }
            tally
        } else {
            self.count_symbol(symbol).0
        };
        self.tallies[symbol as usize].set(Some(tally));
        tally
    }

    /// The tally of a symbol that overrides or is overridden, but for what it may be called through; and its callers.
    fn in_family(&self, symbol: u32) -> (Tally, Rc<Callers>) {
        if let Some((tally, callers)) = self.family.borrow().get(&symbol) {
            return (*tally, Rc::clone(callers));
        }
        let (tally, callers) = self.count_symbol(symbol);
        let callers = Rc::new(callers);
        self.family.borrow_mut().insert(symbol, (tally, Rc::clone(&callers)));
        (tally, callers)
    }

    /// Who uses a file.
    pub(super) fn home(&self, file: u32) -> &Home {
        self.homes[file as usize].get_or_init(|| {
            let mut users = self.file_uses(file);
            self.rank_overriders(file, &mut users);
            let mut possible = self.possible_uses(file);
            possible.retain(|pair| score_of(&users, pair.user) == 0.0);
            let test_uses = |symbol| {
                let edges = self.edges_of(symbol);
                edges.filter(move |edge| edge.resolution.is_resolved() && self.is_test_use(edge, symbol))
            };
            let mut tests: Vec<u32> =
                self.symbols_of(file).flat_map(test_uses).map(|edge| edge.caller_file.0).collect();
            sort_dedup(&mut tests);
            Home { users, possible, tests }
        })
    }

    /// The files that use a file, by what each of its symbols contributes.
    fn file_uses(&self, file: u32) -> Vec<FileUse> {
        let mut parts = Vec::new();
        for symbol in self.symbols_of(file).filter(|symbol| self.edges_of(*symbol).next().is_some()) {
            let weight = 1.0 / f64::from(self.tally(symbol).use_files.max(1));
            for run in self.uses(symbol).chunk_by(|a, b| a.file == b.file).filter(|run| run[0].file != file) {
                let references = run.len() as u32;
                parts.push(FileUse { user: run[0].file, score: weight, references, line: run[0].line });
            }
        }
        merged(parts)
    }

    /// Files that may use another one: by guesses among few, and by calls of what its methods override.
    fn possible_uses(&self, file: u32) -> Vec<FileUse> {
        let mut parts = Vec::new();
        let mut add = |mut places: Vec<(u32, u32)>| {
            places.sort_unstable();
            let files = places.chunk_by(|a, b| a.0 == b.0).count();
            if files > MAX_POSSIBLE_FILES {
                return;
            }
            for run in places.chunk_by(|a, b| a.0 == b.0).filter(|run| run[0].0 != file) {
                let references = run.len() as u32;
                parts.push(FileUse { user: run[0].0, score: 1.0 / files as f64, references, line: run[0].1 });
            }
        };
        let mine = self.symbols_of(file);
        for symbol in mine.clone() {
            let guessed = self.edges_of(symbol).filter(|edge| !edge.resolution.is_resolved());
            let places = guessed
                .filter(|edge| !self.is_test_use(edge, symbol))
                .map(|edge| (edge.caller_file.0, edge.line))
                .collect();
            add(places);
        }
        let overrides = &self.graph.overrides;
        let start = overrides.partition_point(|(method, _)| method.0 < mine.start);
        for (_, base) in overrides[start..].iter().take_while(|(method, _)| method.0 < mine.end) {
            let base = self.shown_as[base.0 as usize];
            if self.in_family(base).0.caller_files as usize <= MAX_POSSIBLE_FILES {
                let calls = self.uses(base).into_iter().filter(|place| place.call);
                add(calls.map(|place| (place.file, place.line)).collect());
            }
        }
        merged(parts)
    }

    /// A file that overrides methods has to follow their changes: each counts like a use of a symbol of its own.
    fn rank_overriders(&self, file: u32, users: &mut [FileUse]) {
        let overriders = rows_of(&self.overriding, file);
        for (_, user, methods) in overriders {
            if let Ok(pair) = users.binary_search_by_key(user, |pair| pair.user) {
                users[pair].score += f64::from(*methods) / overriders.len() as f64;
            }
        }
    }

    /// One tally, and the caller keys for the methods that override this one.
    fn count_symbol(&self, symbol: u32) -> (Tally, Callers) {
        let home = self.graph.symbols[symbol as usize].file.0;
        let home_package = self.package[home as usize];
        let (mut calls, mut using, mut possible) = (Vec::new(), Vec::new(), Vec::new());
        let (mut test_calls, mut test_using) = (Vec::new(), Vec::new());
        let mut possible_uses = 0;
        for edge in self.edges_of(symbol) {
            let (key, file) = (caller_key(edge), edge.caller_file.0);
            if self.is_inside(key, symbol) {
                continue;
            }
            match (edge.resolution.is_resolved(), self.is_test_use(edge, symbol), edge.kind.is_call()) {
                (true, false, call) => {
                    using.push(file);
                    if call {
                        calls.push((key, file));
                    }
                }
                (true, true, call) => {
                    test_using.push(file);
                    if call {
                        test_calls.push(key);
                    }
                }
                (false, false, true) => possible.push(key),
                (false, false, false) => possible_uses += 1,
                (false, true, _) => {}
            }
        }
        sort_dedup(&mut calls);
        sort_dedup(&mut using);
        sort_dedup(&mut test_calls);
        sort_dedup(&mut test_using);
        let mut files: Vec<u32> = calls.iter().map(|(_, file)| *file).collect();
        sort_dedup(&mut files);
        let resolved: Vec<CallerKey> = calls.iter().map(|(key, _)| *key).collect();
        sort_dedup(&mut possible);
        possible.retain(|key| resolved.binary_search(key).is_err());
        let outside = |file: &u32| self.package[*file as usize] != home_package;
        let counted = Tally {
            callers: calls.len() as u32,
            caller_files: files.len() as u32,
            own_callers: calls.iter().filter(|(_, file)| *file == home).count() as u32,
            outside_callers: calls.iter().filter(|(_, file)| outside(file)).count() as u32,
            use_files: using.iter().filter(|file| **file != home).count() as u32,
            outside_use_files: using.iter().filter(|file| outside(file)).count() as u32,
            possible: (possible.len() as u32).min(POSSIBLE_LIMIT),
            possible_uses,
            test_callers: test_calls.len() as u32,
            test_files: test_using.len() as u32,
            overloads: self.overloads[symbol as usize],
        };
        possible.truncate(POSSIBLE_LIMIT as usize);
        (counted, Callers { resolved, possible })
    }

    /// Possible callers of an overriding method: its own and all callers of what it overrides, however far up.
    fn possible_through_bases(&self, method: u32, own: &Callers) -> u32 {
        let mut keys = own.possible.clone();
        let (mut seen, mut next) = (vec![method], 0);
        while next < seen.len() && seen.len() < MAX_CHAIN && keys.len() < 8 * POSSIBLE_LIMIT as usize {
            for &(_, base) in run_of(&self.bases, seen[next]) {
                if seen.contains(&base) {
                    continue;
                }
                seen.push(base);
                let (_, callers) = self.in_family(base);
                keys.extend(callers.resolved.iter().chain(&callers.possible).take(4 * POSSIBLE_LIMIT as usize));
            }
            next += 1;
        }
        sort_dedup(&mut keys);
        keys.retain(|key| own.resolved.binary_search(key).is_err() && !self.is_inside(*key, method));
        (keys.len() as u32).min(POSSIBLE_LIMIT)
    }

    /// The production files that use or import a file.
    pub(super) fn dependents(&self, file: u32) -> &[(u32, u32)] {
        run_of(&self.production_dependents, file)
    }

    /// How many files those are, and the files that use or import them.
    pub(super) fn dependents_in_two(&self, file: u32) -> u32 {
        let direct = self.dependents(file).iter().map(|pair| pair.1);
        let further = direct.clone().flat_map(|user| self.dependents(user).iter().map(|pair| pair.1));
        let mut all: Vec<u32> = direct.chain(further).filter(|user| *user != file).collect();
        sort_dedup(&mut all);
        all.len() as u32
    }

    /// How many test files use or import it.
    pub(super) fn test_dependents(&self, file: u32) -> u32 {
        let mut tests = self.home(file).tests.clone();
        let is_test = |file: u32| self.graph.files[file as usize].test;
        let importers = run_of(&self.importers, file).iter().map(|pair| pair.1);
        tests.extend(importers.filter(|importer| is_test(*importer) && !is_test(file)));
        sort_dedup(&mut tests);
        tests.len() as u32
    }

    pub(super) fn score(&self, used: u32, user: u32) -> f64 {
        score_of(&self.home(used).users, user)
    }

    /// References into the repository with one sure target, of all that may be into it, per mille.
    pub(super) fn resolved_permille(&self) -> u32 {
        let (mut resolved, mut ambiguous, mut guessed) = (0u64, [0u64; 256], 0u64);
        for edge in &self.graph.edges {
            match edge.resolution {
                Resolution::Ambiguous(n) => ambiguous[usize::from(n)] += 1,
                Resolution::UniqueName => guessed += 1,
                // The base that the call goes through has an edge of its own.
                Resolution::Override => {}
                _ => resolved += 1,
            }
        }
        guessed += ambiguous.iter().enumerate().map(|(n, edges)| edges / (n as u64).max(1)).sum::<u64>();
        let unknown = self.graph.unresolved.iter().filter(|reference| !reference.external).count() as u64;
        (resolved * 1000 / (resolved + guessed + unknown).max(1)) as u32
    }
}

/// Caller keys of one symbol, each sorted.
#[derive(Default)]
struct Callers {
    resolved: Vec<CallerKey>,
    possible: Vec<CallerKey>,
}

fn is_constructor(graph: &Graph, symbol: &Symbol) -> bool {
    let in_type = symbol.container.is_some_and(|container| graph.symbols[container.0 as usize].kind.is_type());
    symbol.kind == DefKind::Constructor || in_type && matches!(symbol.name.as_str(), "__init__" | "<init>")
}

/// False for what nobody outside a function body can name, for names that look like secrets, and for declarations that others stand for.
pub(super) fn is_nameable(graph: &Graph, symbol: u32) -> bool {
    let symbol = &graph.symbols[symbol as usize];
    let unnamed = symbol.flags.has(DefFlags::LOCAL | DefFlags::ANONYMOUS | DefFlags::OVERLOAD);
    !unnamed && !symbol.name.starts_with(HIDDEN_NAME)
}

fn name_of(graph: &Graph, symbol: u32) -> &str {
    &graph.symbols[symbol as usize].name
}

/// True for definitions that count as overloads of the card's symbol.
fn is_overload(symbol: &Symbol, constructor: bool) -> bool {
    symbol.kind.is_callable() && !constructor && !symbol.flags.has(DefFlags::OVERLOAD | DefFlags::PROPERTY)
}

/// (used, production file that uses or imports it), sorted, no duplicates.
fn production_dependents(graph: &Graph, importers: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let counts =
        |used: u32, user: u32| used != user && (!graph.files[user as usize].test || graph.files[used as usize].test);
    let mut pairs = Vec::new();
    // By used file: the file whose use of it was the last to be met. Edges come caller by caller.
    let mut met = vec![u32::MAX; graph.files.len()];
    for edge in graph.edges.iter().filter(|edge| edge.resolution.is_resolved() && edge.kind != EdgeKind::Import) {
        let (used, user) = (graph.symbols[edge.callee.0 as usize].file.0, edge.caller_file.0);
        if std::mem::replace(&mut met[used as usize], user) != user && counts(used, user) {
            pairs.push((used, user));
        }
    }
    pairs.extend(importers.iter().filter(|(used, user)| counts(*used, *user)));
    sort_dedup(&mut pairs);
    pairs
}

/// For each production file the topmost file of a package, above it or beside it, that imports it.
fn handed_on(graph: &Graph) -> FxHashMap<u32, u32> {
    let mut found: FxHashMap<u32, u32> = FxHashMap::default();
    let depth = |file: u32| graph.files[file as usize].path.matches('/').count();
    for (importer, imported) in &graph.imports {
        let (by, of) = (&graph.files[importer.0 as usize], &graph.files[imported.0 as usize]);
        let (folder, name) = by.path.rsplit_once('/').unwrap_or(("", &by.path));
        let stands_for_its_folder = matches!(name.split('.').next(), Some("__init__" | "index"));
        let is_around = of.path.strip_prefix(folder).is_some_and(|rest| folder.is_empty() || rest.starts_with('/'));
        if stands_for_its_folder && is_around && !by.test && !of.test {
            let best = found.entry(imported.0).or_insert(importer.0);
            // Imports come in the order of importers: the first of one depth stays.
            if depth(importer.0) < depth(*best) {
                *best = importer.0;
            }
        }
    }
    found
}

/// The number of each file's directory.
fn packages(graph: &Graph) -> Vec<u32> {
    let mut ids: FxHashMap<&str, u32> = FxHashMap::default();
    let package = graph.files.iter().map(|file| {
        let directory = file.path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let next = ids.len() as u32;
        *ids.entry(directory).or_insert(next)
    });
    package.collect()
}

/// Smaller repositories are not told of neighborhoods: in them directories foretell what changes together far better
/// (`tests/bench/neighborhoods.py`: by 20 points under 100 files), and a border that is less than that is not worth a sentence.
const MIN_FILES: usize = 100;

/// The neighborhoods that are worth telling.
pub(super) fn told(graph: &Graph) -> &[Community] {
    let is_production = |file: &&FileRecord| file.is_source() && !file.test;
    if graph.files.iter().filter(is_production).count() < MIN_FILES { &[] } else { &graph.communities }
}

fn communities(graph: &Graph) -> FxHashMap<u32, (u32, u32)> {
    let places = (0u32..).zip(told(graph)).flat_map(|(community, it)| {
        (0u32..).zip(&it.members).map(move |(place, member)| (member.file.0, (community, place)))
    });
    places.collect()
}

/// Folds definitions of one qualified name in one file, and constructors into their class.
fn shown_as(graph: &Graph, constructor: &[bool]) -> Vec<u32> {
    let mut shown_as: Vec<u32> = (0..graph.symbols.len() as u32).collect();
    let mut first: FxHashMap<(&str, DefKind), u32> = FxHashMap::default();
    let mut start = 0;
    for symbols in graph.symbols.chunk_by(|a, b| a.file == b.file) {
        first.clear();
        for (id, symbol) in (start..).zip(symbols) {
            // A stub does not stand for its implementation: it is folded into the definition that follows, if any.
            if !symbol.flags.has(DefFlags::OVERLOAD) {
                shown_as[id] = *first.entry((&symbol.qualname, symbol.kind)).or_insert(id as u32);
            }
        }
        for (id, symbol) in (start..).zip(symbols) {
            if symbol.flags.has(DefFlags::OVERLOAD) {
                let implementation = first.get(&(symbol.qualname.as_str(), symbol.kind));
                shown_as[id] = implementation.copied().unwrap_or(id as u32);
            }
        }
        start += symbols.len();
    }
    for (id, symbol) in graph.symbols.iter().enumerate() {
        if let Some(class) = symbol.container
            && constructor[id]
        {
            shown_as[id] = shown_as[class.0 as usize];
        }
    }
    shown_as
}

/// Counting sort of the edges by the symbol that they count for.
fn edges_by_symbol(graph: &Graph, shown_as: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let counted = || graph.edges.iter().enumerate().filter(|(_, edge)| edge.kind != EdgeKind::Import);
    let mut start = vec![0u32; graph.symbols.len() + 1];
    for (_, edge) in counted() {
        start[shown_as[edge.callee.0 as usize] as usize + 1] += 1;
    }
    for symbol in 1..start.len() {
        start[symbol] += start[symbol - 1];
    }
    let mut order = vec![0u32; start[graph.symbols.len()] as usize];
    let mut next = start.clone();
    for (id, edge) in counted() {
        let slot = &mut next[shown_as[edge.callee.0 as usize] as usize];
        order[*slot as usize] = id as u32;
        *slot += 1;
    }
    (start, order)
}

fn named(graph: &Graph, shown_as: &[u32], constructor: &[bool]) -> Vec<u32> {
    let mut named: Vec<u32> = (0..graph.symbols.len() as u32)
        .filter(|symbol| shown_as[*symbol as usize] == *symbol && is_nameable(graph, *symbol))
        .filter(|symbol| !constructor[*symbol as usize])
        .collect();
    // Most names differ in their first bytes.
    let name = |symbol: u32| name_of(graph, symbol);
    let beginning = |symbol: u32| {
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(name(symbol).bytes()).for_each(|(slot, byte)| *slot = byte);
        u64::from_be_bytes(bytes)
    };
    let mut keyed: Vec<(u64, u32)> = named.iter().map(|symbol| (beginning(*symbol), *symbol)).collect();
    keyed.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| name(a.1).cmp(name(b.1))).then(a.1.cmp(&b.1)));
    named.clear();
    named.extend(keyed.into_iter().map(|(_, symbol)| symbol));
    named
}

/// Pairs of production files of which one overrides methods of the other, with the number of methods.
fn overriding_files(graph: &Graph) -> Vec<(u32, u32, u32)> {
    let file = |symbol: SymbolId| graph.symbols[symbol.0 as usize].file.0;
    let is_test = |file: u32| graph.files[file as usize].test;
    let mut pairs: Vec<(u32, u32)> = graph
        .overrides
        .iter()
        .map(|(method, base)| (file(*base), file(*method)))
        .filter(|(base, user)| base != user && !is_test(*base) && !is_test(*user))
        .collect();
    pairs.sort_unstable();
    pairs.chunk_by(|a, b| a == b).map(|run| (run[0].0, run[0].1, run.len() as u32)).collect()
}

/// Where the shortest end of each path begins that no other path has: at a name, 0 for the whole path.
fn unique_ends(files: &[FileRecord]) -> Vec<u32> {
    let ends = |path: &'_ str| {
        let names = path.rmatch_indices('/').map(|(slash, _)| slash + 1);
        names.chain([0]).map(|start| (start, xxh3_64(&path.as_bytes()[start..]))).collect::<Vec<_>>()
    };
    let ends: Vec<Vec<(usize, u64)>> = files.iter().map(|file| ends(&file.path)).collect();
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    for (_, hash) in ends.iter().flatten() {
        *counts.entry(*hash).or_default() += 1;
    }
    let is_unique = |end: &&(usize, u64)| counts.get(&end.1) == Some(&1);
    ends.iter().map(|ends| ends.iter().find(is_unique).map_or(0, |(start, _)| *start as u32)).collect()
}

fn score_of(users: &[FileUse], user: u32) -> f64 {
    users.binary_search_by_key(&user, |pair| pair.user).map_or(0.0, |index| users[index].score)
}

/// One row for each user, sorted.
fn merged(mut parts: Vec<FileUse>) -> Vec<FileUse> {
    parts.sort_by_key(|part| part.user);
    let mut merged: Vec<FileUse> = Vec::new();
    for part in parts {
        match merged.last_mut() {
            Some(last) if last.user == part.user => {
                last.score += part.score;
                last.references += part.references;
                last.line = last.line.min(part.line);
            }
            _ => merged.push(part),
        }
    }
    merged
}

/// Pairs the other way round, sorted.
fn flipped(pairs: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    let mut flipped: Vec<(u32, u32)> = pairs.map(|(a, b)| (b, a)).collect();
    flipped.sort_unstable();
    flipped
}

/// Those of sorted (file, other file, number) that begin with `file`.
pub(super) fn rows_of(rows: &[(u32, u32, u32)], file: u32) -> &[(u32, u32, u32)] {
    let start = rows.partition_point(|row| row.0 < file);
    let len = rows[start..].partition_point(|row| row.0 == file);
    &rows[start..start + len]
}

pub(super) fn run_of(pairs: &[(u32, u32)], first: u32) -> &[(u32, u32)] {
    let start = pairs.partition_point(|pair| pair.0 < first);
    let len = pairs[start..].partition_point(|pair| pair.0 == first);
    &pairs[start..start + len]
}

pub(super) fn sort_dedup<T: Ord>(items: &mut Vec<T>) {
    items.sort_unstable();
    items.dedup();
}
