//! What a question read, so that it can be asked again when that is no longer what it was.
//!
//! Every look-up of an evaluation goes through a [`View`] of the world, which notes the files whose facts are looked into and
//! the names that are asked for across files, those that nothing has among them. An answer that is shared between questions
//! keeps what it was made from as a node of a graph, to which the questions that take it point; what a whole file read is
//! gathered from there once everything is resolved. So a rule that looks things up in a new way is covered as long as it asks
//! the view, and what the view does not offer cannot be asked.

use super::specifiers::Search;
use super::types::{Def, Sym};
use super::world::{Layout, Listed, Slot, World, files_key, folder_key, path_key};
use crate::lang::frameworks::Frameworks;
use crate::lang::rules::Rules;
use crate::model::*;
use std::cell::{Cell, RefCell};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// What is read, as a hash: a file's facts, or a name asked for across files. Two that fall on one number only make files
/// be resolved again that need not be.
pub(crate) type Read = u32;

/// The facts of the file at a path.
pub(crate) fn facts_read(path: &str) -> Read {
    folded(path_key(path).rotate_left(7))
}

/// What is listed under a key.
pub(crate) fn listing_read(key: u64) -> Read {
    folded(key)
}

/// Whether a file is at a path.
pub(crate) fn path_read(path: &str) -> Read {
    folded(path_key(path))
}

/// Whether a folder holds code of a language.
pub(crate) fn folder_read(language: Language, folder: &str) -> Read {
    folded(folder_key(language, folder))
}

/// Which files stand directly in a folder.
pub(crate) fn files_read(language: Language, folder: &str) -> Read {
    folded(files_key(language, folder))
}

/// The source roots of a language and their order.
pub(crate) fn roots_read(language: Language) -> Read {
    folded(folder_key(language, "//roots"))
}

/// What configuration files say about where modules are found.
pub(crate) fn search_read() -> Read {
    folded(path_key("//search"))
}

fn folded(key: u64) -> Read {
    (key ^ (key >> 32)) as u32
}

/// A node of the graph of answers; 0 is one that read nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Node(u32);

/// Nodes are numbered in blocks, so that threads seldom ask for numbers.
const BLOCK: u32 = 1024;

/// The graph of answers while it grows.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    blocks: AtomicU32,
    finished: Mutex<Vec<(u32, Vec<Made>)>>,
}

/// What an answer was made from.
#[derive(Debug, Default)]
struct Made {
    reads: Box<[Read]>,
    nodes: Box<[Node]>,
}

impl Nodes {
    /// Lays the graph out for look-up. Threads have handed in their parts when their views are dropped.
    pub(crate) fn finished(self) -> Graph {
        let parts = self.finished.into_inner().unwrap_or_default();
        let blocks = self.blocks.into_inner() as usize;
        let mut made: Vec<Made> = Vec::new();
        made.resize_with(blocks * BLOCK as usize, Made::default);
        for (first, part) in parts {
            for (place, node) in (first as usize..).zip(part) {
                made[place] = node;
            }
        }
        Graph { made }
    }
}

/// The graph of answers, complete.
#[derive(Debug)]
pub(crate) struct Graph {
    made: Vec<Made>,
}

/// Room to walk the graph in.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    turn: u32,
    met: Vec<u32>,
    open: Vec<Node>,
    reads: Vec<Read>,
}

impl Graph {
    /// Everything that an answer was made from, sorted, nothing twice.
    pub(crate) fn reads(&self, of: Node, walk: &mut Walk) -> Vec<Read> {
        walk.met.resize(self.made.len(), 0);
        walk.turn += 1;
        walk.reads.clear();
        walk.open.push(of);
        while let Some(node) = walk.open.pop() {
            let Some(made) = self.made.get(node.0 as usize) else { continue };
            walk.reads.extend(&made.reads);
            for inner in &made.nodes {
                if std::mem::replace(&mut walk.met[inner.0 as usize], walk.turn) != walk.turn {
                    walk.open.push(*inner);
                }
            }
        }
        walk.reads.sort_unstable();
        walk.reads.dedup();
        walk.reads.to_vec()
    }
}

/// The world as one thread's evaluation sees it.
pub(crate) struct View<'w, 'a> {
    world: &'w World<'a>,
    pub(crate) frameworks: &'a Frameworks,
    nodes: &'w Nodes,
    /// What was read by the answers that are open, the innermost last: reads, and nodes with [`NODE`] set.
    open: RefCell<Vec<u64>>,
    /// By file: the answer that last read it.
    last: Box<[Cell<u32>]>,
    /// The innermost open answer, counted from 1.
    answer: Cell<u32>,
    answers: Cell<u32>,
    /// Nodes of this thread's blocks.
    made: RefCell<Vec<(u32, Vec<Made>)>>,
}

const NODE: u64 = 1 << 32;

/// An answer that is being made.
#[must_use]
pub(crate) struct Opened {
    mark: usize,
    outer: u32,
}

impl<'w, 'a> View<'w, 'a> {
    pub(crate) fn new(world: &'w World<'a>, nodes: &'w Nodes) -> Self {
        let last = (0..world.ours()).map(|_| Cell::new(0)).collect();
        let (open, made) = (RefCell::default(), RefCell::default());
        let frameworks = world.frameworks;
        View { world, frameworks, nodes, open, last, answer: Cell::new(0), answers: Cell::new(0), made }
    }

    /// Begins an answer: what is read from now on is read for it.
    pub(crate) fn open(&self) -> Opened {
        let next = self.answers.get() + 1;
        self.answers.set(next);
        Opened { mark: self.open.borrow().len(), outer: self.answer.replace(next) }
    }

    /// Ends an answer; who asked has read what it read.
    pub(crate) fn close(&self, opened: Opened) -> Node {
        self.answer.set(opened.outer);
        let mut open = self.open.borrow_mut();
        let tail = &mut open[opened.mark..];
        tail.sort_unstable();
        let mut read: Vec<u64> = Vec::with_capacity(tail.len());
        read.extend_from_slice(tail);
        read.dedup();
        open.truncate(opened.mark);
        let node = match &read[..] {
            [] => Node(0),
            [only] if only & NODE != 0 => Node(*only as u32),
            _ => {
                let first_node = read.partition_point(|item| item & NODE == 0);
                let reads = read[..first_node].iter().map(|item| *item as Read).collect();
                let nodes = read[first_node..].iter().map(|item| Node(*item as u32)).collect();
                self.add(Made { reads, nodes })
            }
        };
        if node.0 != 0 {
            open.push(u64::from(node.0) | NODE);
        }
        node
    }

    /// Ends an answer that nobody else will take: what it read was read for who asked.
    pub(crate) fn leave(&self, opened: Opened) {
        self.answer.set(opened.outer);
    }

    /// An answer is taken that was made before.
    pub(crate) fn took(&self, node: Node) {
        if node.0 != 0 {
            self.open.borrow_mut().push(u64::from(node.0) | NODE);
        }
    }

    fn add(&self, made: Made) -> Node {
        let mut blocks = self.made.borrow_mut();
        if blocks.last().is_none_or(|(_, block)| block.len() == BLOCK as usize) {
            let first = self.nodes.blocks.fetch_add(1, Ordering::Relaxed) * BLOCK;
            blocks.push((first, Vec::with_capacity(BLOCK as usize)));
            // Number 0 is taken.
            if let (0, Some((_, block))) = (first, blocks.last_mut()) {
                block.push(Made::default());
            }
        }
        let place = blocks.len() - 1;
        let (first, block) = &mut blocks[place];
        block.push(made);
        Node(*first + block.len() as u32 - 1)
    }

    fn read(&self, read: Read) {
        self.open.borrow_mut().push(u64::from(read));
    }

    fn layout(&self, file: u32) -> &'w Layout {
        self.read_file(file);
        self.world.layout(file)
    }

    /// Notes that the facts of a file matter. Libraries never change.
    pub(crate) fn read_file(&self, file: u32) {
        if let Some(last) = self.last.get(file as usize)
            && last.replace(self.answer.get()) != self.answer.get()
        {
            self.read(self.world.read_of(file));
        }
    }

    pub(crate) fn path(&self, file: u32) -> &'w str {
        self.world.path(file)
    }

    pub(crate) fn is_library(&self, file: u32) -> bool {
        self.world.is_library(file)
    }

    pub(crate) fn language(&self, file: u32) -> Language {
        self.world.language(file)
    }

    pub(crate) fn rules(&self, file: u32) -> &'static Rules {
        self.world.rules(file)
    }

    /// See [`Sym::of`]; `None` for no text.
    pub(crate) fn sym(&self, text: &str) -> Option<Sym> {
        (!text.is_empty()).then(|| Sym::of(text))
    }

    pub(crate) fn text(&self, sym: Sym) -> &'w str {
        self.world.text(sym)
    }

    pub(crate) fn facts(&self, file: u32) -> &'w FileFacts {
        &self.layout(file).facts
    }

    pub(crate) fn name(&self, file: u32, name: NameId) -> Sym {
        self.layout(file).name(name)
    }

    pub(crate) fn definition(&self, def: Def) -> &'w Definition {
        &self.facts(def.file).definitions[def.def as usize]
    }

    pub(crate) fn entries(&self, file: u32, scope: ScopeId, sym: Sym) -> &'w [Slot] {
        self.layout(file).entries(scope, sym)
    }

    pub(crate) fn defined(&self, file: u32, scope: ScopeId, sym: Sym) -> Option<Def> {
        self.read_file(file);
        self.world.defined(file, scope, sym)
    }

    pub(crate) fn stars(&self, file: u32, scope: ScopeId) -> impl DoubleEndedIterator<Item = u32> + 'w {
        self.read_file(file);
        self.world.stars(file, scope)
    }

    pub(crate) fn lambda_site(&self, file: u32, scope: ScopeId) -> Option<(ExprId, u32)> {
        self.layout(file).lambda_site(scope)
    }

    pub(crate) fn lambda_type(&self, file: u32, scope: ScopeId) -> Option<ExprId> {
        self.layout(file).lambda_type(scope)
    }

    pub(crate) fn class_around(&self, def: Def) -> Option<Def> {
        self.read_file(def.file);
        self.world.class_around(def).or_else(|| self.receiver_type(def))
    }

    pub(crate) fn is_inside(&self, file: u32, inner: ScopeId, outer: ScopeId) -> bool {
        self.read_file(file);
        self.world.is_inside(file, inner, outer)
    }

    pub(crate) fn file(&self, path: &str) -> Option<u32> {
        self.read(path_read(path));
        self.world.file(path)
    }

    pub(crate) fn search(&self) -> &'w Search {
        self.read(search_read());
        self.world.search()
    }

    pub(crate) fn names_in(&self, file: u32, scope: ScopeId) -> impl Iterator<Item = Sym> + 'w {
        self.layout(file).names_in(scope)
    }

    pub(crate) fn is_folder(&self, language: Language, path: &str) -> bool {
        self.read(folder_read(language, path));
        self.world.is_folder(language, path)
    }

    pub(crate) fn own_root(&self, file: u32) -> Option<&'w str> {
        self.world.own_root(file, |path| self.file(path))
    }

    pub(crate) fn roots(&self, language: Language) -> &'w [String] {
        self.read(roots_read(language));
        self.world.roots(language)
    }

    pub(crate) fn library_module(&self, language: Language, path: &str) -> Option<u32> {
        self.world.library_module(language, path)
    }

    pub(crate) fn in_package(&self, language: Language, package: &str, name: Sym) -> &'w [Listed] {
        let (key, listed) = self.world.in_package(language, package, name);
        self.read(listing_read(key));
        listed
    }

    pub(crate) fn is_package(&self, language: Language, path: &str) -> bool {
        let (key, known) = self.world.is_package(language, path);
        self.read(listing_read(key));
        known
    }

    pub(crate) fn files_in(&self, language: Language, folder: &str) -> &'w [u32] {
        self.read(files_read(language, folder));
        self.world.files_in(language, folder)
    }

    pub(crate) fn manifests(&self, path: &str) -> &'w [Listed] {
        let (key, listed) = self.world.manifests(path);
        self.read(listing_read(key));
        listed
    }

    pub(crate) fn written_apart(&self, language: Language, package: &str, ty: Sym, name: Option<Sym>) -> &'w [Listed] {
        let (key, listed) = self.world.written_apart(language, package, ty, name);
        self.read(listing_read(key));
        listed
    }

    pub(crate) fn asked_for(&self, language: Language, name: Sym) -> &'w [Listed] {
        let (key, listed) = self.world.asked_for(language, name);
        self.read(listing_read(key));
        listed
    }

    pub(crate) fn is_test(&self, file: u32) -> bool {
        self.world.is_test(file)
    }

    pub(crate) fn methods_named(&self, language: Language, name: Sym) -> &'w [Listed] {
        let (key, listed) = self.world.methods_named(language, name);
        self.read(listing_read(key));
        listed
    }
}

impl Drop for View<'_, '_> {
    fn drop(&mut self) {
        // A thread that panicked has made nothing that will be asked for.
        if let Ok(mut finished) = self.nodes.finished.lock() {
            finished.append(self.made.get_mut());
        }
    }
}
