//! The files of a repository, laid out for look-up: who is called what, in which scope, module and package. What one file
//! says is laid out when it is first asked for, so that a pass over a few files does not read the facts of all; what is asked
//! by name across files is known beforehand, from each file's [`Listing`]s.
//!
//! Nothing changes while resolution runs, so files can be resolved in parallel. Names are known by a hash of their text: the same
//! in every pass, whatever files it looks at.

use super::reads::{Read, facts_read};
use super::specifiers::{Search, Setting};
use super::types::{Def, Sym};
use crate::lang::frameworks::Frameworks;
use crate::lang::rules::{ModuleSystem, Rules, rules};
use crate::lang::{self, languages};
use crate::model::*;
use dashmap::DashMap;
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// One file that takes part in resolution.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) path: String,
    pub(crate) language: Language,
    pub(crate) test: bool,
    /// Absent: asked for when something looks into the file.
    pub(crate) facts: Option<FileFacts>,
    /// What others find it by. From the facts ([`listings`]), or remembered.
    pub(crate) listings: Vec<Listing>,
}

/// Gives the facts of a file that a [`Unit`] came without; `None` when they are gone.
pub(crate) type Load<'a> = dyn Fn(u32) -> Option<FileFacts> + Sync + 'a;

/// One thing that a file is asked for by name, across files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Listing {
    pub(crate) key: u64,
    /// Index into the file's definitions, 0 where it is the file that is meant.
    def: u32,
    /// Fewest and most arguments it takes, for methods.
    least: u16,
    most: u16,
}

impl Listing {
    /// The arity of what is only asked whether it is there.
    pub(crate) const PRESENCE: (u16, u16) = (1, 0);

    pub(crate) fn new(key: u64, def: u32, (least, most): (u16, u16)) -> Listing {
        Listing { key, def, least, most }
    }

    pub(crate) fn def(&self) -> u32 {
        self.def
    }

    pub(crate) fn arity(&self) -> (u16, u16) {
        (self.least, self.most)
    }
}

/// A thing found by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Listed {
    key: u64,
    pub(crate) def: Def,
    least: u16,
    most: u16,
}

impl Listed {
    /// Could a call with so many arguments be a call of it?
    pub(crate) fn takes(&self, arguments: usize) -> bool {
        usize::from(self.least) <= arguments && (self.most == u16::MAX || arguments <= usize::from(self.most))
    }
}

/// What a name across files is asked of.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
enum Ask {
    /// Types of a declared package by package and name; definitions of a library likewise.
    Packaged,
    /// Declared packages and their beginnings.
    Package,
    /// Methods of any class by name.
    Method,
    /// Files by path.
    Path,
    /// Folders that hold code of a language.
    Folder,
    /// Files of a language that stand directly in a folder.
    Files,
    /// Manifests by the path that they give their folder.
    Manifest,
    /// Members written apart from their type, by package, type and name.
    Apart,
    /// All members written apart from their type, by package and type.
    AllApart,
    /// Methods that interfaces ask for, by name, where whatever has them implements the interface.
    Asked,
}

fn key(ask: Ask, language: Language, names: &[Sym]) -> u64 {
    let mut bytes = [0; 26];
    bytes[..2].copy_from_slice(&[ask as u8, language as u8]);
    for (place, name) in bytes[2..].chunks_exact_mut(8).zip(names) {
        place.copy_from_slice(&name.0.to_le_bytes());
    }
    xxh3_64(&bytes)
}

/// The key under which a file is known to be at a path.
pub(crate) fn path_key(path: &str) -> u64 {
    xxh3_64_with_seed(path.as_bytes(), Ask::Path as u64)
}

/// The key under which a folder is known to hold code of a language.
pub(crate) fn folder_key(language: Language, folder: &str) -> u64 {
    xxh3_64_with_seed(folder.as_bytes(), u64::from(language as u8) << 8 | Ask::Folder as u64)
}

/// The key under which the files directly in a folder are known.
pub(crate) fn files_key(language: Language, folder: &str) -> u64 {
    xxh3_64_with_seed(folder.as_bytes(), u64::from(language as u8) << 8 | Ask::Files as u64)
}

/// What other files find a file by.
pub(crate) fn listings(facts: &FileFacts, library: bool) -> Vec<Listing> {
    let mut listings = Vec::new();
    let sym = |name: NameId| Sym::of(facts.name(name));
    let language = facts.language;
    let Rules { module_system, structural, .. } = rules(language);
    let by_directory = matches!(module_system, ModuleSystem::Directories { .. });
    let package = facts.package.map_or("", |name| facts.name(name));
    let mut list = |key, def| listings.push(Listing { key, def, least: 0, most: 0 });
    if language == Language::Text && facts.package.is_some() {
        list(key(Ask::Manifest, language, &[Sym::of(package)]), 0);
    }
    for (def, definition) in (0..).zip(&facts.definitions) {
        let (package, name) = (Sym::of(package), sym(definition.name));
        if let Some(receiver) = definition.receiver {
            list(key(Ask::Apart, language, &[package, sym(receiver), name]), def);
            list(key(Ask::AllApart, language, &[package, sym(receiver)]), def);
        }
        let is_asked = definition.kind == DefKind::Method && definition.flags.has(DefFlags::ABSTRACT);
        if *structural && is_asked && definition.container.is_some() {
            list(key(Ask::Asked, language, &[name]), def);
        }
        if by_directory && !library && definition.scope == MODULE_SCOPE {
            list(key(Ask::Packaged, language, &[package, name]), def);
        }
    }
    if *module_system == ModuleSystem::Declared || library {
        let mut prefix = package;
        loop {
            let (least, most) = Listing::PRESENCE;
            listings.push(Listing { key: key(Ask::Package, language, &[Sym::of(prefix)]), def: 0, least, most });
            match prefix.rsplit_once('.') {
                Some((outer, _)) => prefix = outer,
                None => break,
            }
        }
        let package = Sym::of(package);
        for (def, definition) in (0..).zip(&facts.definitions) {
            if definition.scope == MODULE_SCOPE && (definition.kind.is_type() || library) {
                let key = key(Ask::Packaged, language, &[package, sym(definition.name)]);
                listings.push(Listing { key, def, least: 0, most: 0 });
            }
        }
    }
    for (def, definition) in (0..).zip(&facts.definitions) {
        let in_class = matches!(facts.scope(definition.scope).kind, ScopeKind::Class);
        if in_class && definition.kind == DefKind::Method && !library {
            let key = key(Ask::Method, language, &[sym(definition.name)]);
            let (least, most) = required(facts, definition);
            let bounded = |count: usize| count.min(usize::from(u16::MAX)) as u16;
            listings.push(Listing { key, def, least: bounded(least), most: bounded(most) });
        }
    }
    listings.sort_unstable();
    listings
}

/// How many leading parameters a call through a receiver does not give.
pub(crate) fn receiver_parameters(facts: &FileFacts, definition: &Definition) -> usize {
    let is_method = rules(facts.language).explicit_receiver && class_around(facts, definition).is_some();
    usize::from(is_method && !definition.flags.has(DefFlags::STATIC))
}

/// Fewest and most arguments a definition takes, its receiver apart.
pub(crate) fn required(facts: &FileFacts, definition: &Definition) -> (usize, usize) {
    let params = &definition.params;
    let skip = receiver_parameters(facts, definition).min(params.len());
    let params = &params[skip..];
    let rest = params.iter().any(|p| matches!(p.kind, ParamKind::Rest | ParamKind::KeywordRest));
    let least =
        params.iter().filter(|p| !p.optional && matches!(p.kind, ParamKind::Normal | ParamKind::PositionalOnly));
    (least.count(), if rest { usize::MAX } else { params.len() })
}

/// The definition that holds `definition`, if it is a class.
fn class_around(facts: &FileFacts, definition: &Definition) -> Option<DefId> {
    let container = definition.container?;
    let kind = facts.definition(container).kind;
    (kind.is_type() || kind == DefKind::EnumMember).then_some(container)
}

/// The export that a default import names.
pub(crate) const DEFAULT_EXPORT: &str = "default";
/// The export that stands for the whole module, where it has one.
pub(crate) const WHOLE_MODULE: &str = "export=";

/// What introduces a name in a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Entry {
    Definition(u32),
    Binding(u32),
    Import(u32),
}

/// One introduction of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    scope: u32,
    sym: Sym,
    /// Offset from which it holds.
    pub(crate) at: u32,
    pub(crate) entry: Entry,
}

/// What one file says, laid out.
pub(crate) struct Layout {
    pub(crate) facts: Cow<'static, FileFacts>,
    names: Vec<Sym>,
    slots: Vec<Slot>,
    /// Star imports, in source order.
    stars: Vec<u32>,
    /// The call and argument position a lambda stands in, by its scope.
    lambda_sites: FxHashMap<u32, (ExprId, u32)>,
    /// The declared type of the variable that a lambda is assigned to, by its scope.
    lambda_types: FxHashMap<u32, ExprId>,
}

impl Layout {
    pub(crate) fn of(facts: Cow<'static, FileFacts>) -> Layout {
        let names: Vec<Sym> = facts.names.iter().map(|name| Sym::of(name)).collect();
        let sym = |name: NameId| names[name.0 as usize];
        let mut slots = Vec::with_capacity(facts.definitions.len() + facts.bindings.len() + facts.imports.len());
        let mut slot = |scope: ScopeId, name, at, entry| slots.push(Slot { scope: scope.0, sym: sym(name), at, entry });
        for (i, definition) in (0..).zip(&facts.definitions) {
            slot(definition.scope, definition.name, definition.span.at, Entry::Definition(i));
        }
        for (i, binding) in (0..).zip(&facts.bindings) {
            slot(binding.scope, binding.name, binding.at, Entry::Binding(i));
        }
        let mut stars = Vec::new();
        for (i, import) in (0..).zip(&facts.imports) {
            match import.binds {
                Some(name) => slot(import.scope, name, import.at, Entry::Import(i)),
                None if matches!(import.kind, ImportKind::Star | ImportKind::StaticStar) => stars.push(i),
                None => {}
            }
        }
        slots.sort_by_key(|s| (s.scope, s.sym, s.at, s.entry));
        let (lambda_sites, lambda_types) = (lambda_sites(&facts), lambda_types(&facts));
        Layout { names, slots, stars, lambda_sites, lambda_types, facts }
    }

    /// What introduces `sym` in `scope`, in source order.
    pub(crate) fn entries(&self, scope: ScopeId, sym: Sym) -> &[Slot] {
        let slots = &self.slots;
        let start = slots.partition_point(|s| (s.scope, s.sym) < (scope.0, sym));
        let len = slots[start..].partition_point(|s| (s.scope, s.sym) == (scope.0, sym));
        &slots[start..start + len]
    }

    /// The names that something introduces in a scope.
    pub(crate) fn names_in(&self, scope: ScopeId) -> impl Iterator<Item = Sym> + '_ {
        let start = self.slots.partition_point(|slot| slot.scope < scope.0);
        self.slots[start..].iter().take_while(move |slot| slot.scope == scope.0).map(|slot| slot.sym)
    }

    pub(crate) fn name(&self, name: NameId) -> Sym {
        self.names[name.0 as usize]
    }

    pub(crate) fn lambda_site(&self, scope: ScopeId) -> Option<(ExprId, u32)> {
        self.lambda_sites.get(&scope.0).copied()
    }

    pub(crate) fn lambda_type(&self, scope: ScopeId) -> Option<ExprId> {
        self.lambda_types.get(&scope.0).copied()
    }
}

/// A file, and what it says once somebody asked.
struct File {
    path: String,
    language: Language,
    test: bool,
    library: bool,
    /// What looking into it is noted as.
    read: Read,
    layout: OnceLock<Layout>,
}

/// Where the text of a name is written: a part of a name of a file.
#[derive(Clone, Copy)]
struct Text {
    file: u32,
    name: u32,
    start: u32,
    end: u32,
}

/// Files by where they lie.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    by_path: FxHashMap<u64, u32>,
    folders: FxHashSet<u64>,
    /// By folder, in path order.
    files: FxHashMap<u64, Vec<u32>>,
    /// Source roots, most used first, by language.
    roots: FxHashMap<Language, Vec<String>>,
}

impl Tree {
    pub(crate) fn of<'p>(files: impl Iterator<Item = (&'p str, Language)> + Clone) -> Tree {
        let mut tree = Tree::default();
        for (index, (mut path, language)) in (0..).zip(files.clone()) {
            tree.by_path.insert(path_key(path), index);
            tree.files.entry(files_key(language, parent(path))).or_default().push(index);
            while let Some((folder, _)) = path.rsplit_once('/') {
                if !tree.folders.insert(folder_key(language, folder)) {
                    break;
                }
                path = folder;
            }
        }
        let mut used: FxHashMap<(Language, &str), usize> = FxHashMap::default();
        for (path, language) in files {
            if let Some(root) = Tree::own_root(path, language, |path| tree.file(path)) {
                *used.entry((language, root)).or_default() += 1;
            }
        }
        let mut sorted: Vec<((Language, &str), usize)> = used.into_iter().collect();
        sorted.sort_by_key(|((language, root), count)| (*language, usize::MAX - count, *root));
        for ((language, root), _) in sorted {
            tree.roots.entry(language).or_default().push(root.to_owned());
        }
        tree
    }

    fn file(&self, path: &str) -> Option<u32> {
        self.by_path.get(&path_key(path)).copied()
    }

    /// Source roots of a language, most used first.
    pub(crate) fn roots(&self, language: Language) -> &[String] {
        self.roots.get(&language).map_or(&[], Vec::as_slice)
    }

    /// A source root is the folder above the outermost folder with an `init` file; here the one that a file's own top-level
    /// package stands in (`""` is the repository root).
    fn own_root(path: &str, language: Language, at: impl Fn(&str) -> Option<u32>) -> Option<&str> {
        let ModuleSystem::Folders { extension, init } = rules(language).module_system else {
            return None;
        };
        let mut folder = parent(path);
        let mut buffer = String::new();
        while !folder.is_empty() {
            buffer.clear();
            buffer.push_str(folder);
            buffer.push('/');
            buffer.push_str(init);
            buffer.push_str(extension);
            if at(&buffer).is_none() {
                break;
            }
            folder = parent(folder);
        }
        Some(folder)
    }
}

/// Look-up tables over all files.
pub(crate) struct World<'a> {
    files: Vec<File>,
    /// Number of files that are no library's.
    ours: u32,
    pub(crate) frameworks: &'a Frameworks,
    load: &'a Load<'a>,
    /// Facts that were asked for were gone: nothing that was found counts.
    incomplete: AtomicBool,
    texts: DashMap<Sym, Text, FxBuildHasher>,
    /// Names that rules speak of.
    spoken: FxHashMap<Sym, &'static str>,
    tree: Tree,
    /// What configuration files say about where modules are found, once somebody asked.
    search: OnceLock<Search>,
    /// Library modules by language and dotted name.
    library_modules: FxHashMap<(Language, Sym), u32>,
    /// By key, then as files and source are.
    listed: Vec<Listed>,
    /// Where the things of a key begin and end.
    by_key: FxHashMap<u64, (u32, u32)>,
}

impl<'a> World<'a> {
    /// Lays out files. `units` are in path order.
    pub(crate) fn new(units: Vec<Unit>, frameworks: &'a Frameworks, load: &'a Load<'a>) -> World<'a> {
        let ours = units.len() as u32;
        let library = lang::library();
        let mut listed: Vec<Listed> = Vec::new();
        let mut list = |file: u32, listings: &[Listing]| {
            let listed_as = |listing: &Listing| {
                let Listing { key, def, least, most } = *listing;
                Listed { key, def: Def { file, def }, least, most }
            };
            listed.extend(listings.iter().map(listed_as));
        };
        let mut facts: Vec<Option<Cow<'static, FileFacts>>> = Vec::with_capacity(units.len());
        let mut files = Vec::with_capacity(units.len() + library.len());
        let mut families: FxHashSet<Language> = FxHashSet::default();
        for (index, unit) in (0..).zip(units) {
            families.insert(unit.language);
            list(index, &unit.listings);
            facts.push(unit.facts.map(Cow::Owned));
            let (language, test, read) = (unit.language, unit.test, facts_read(&unit.path));
            files.push(File { path: unit.path, language, test, library: false, read, layout: OnceLock::new() });
        }
        let mut library_modules = FxHashMap::default();
        for (index, of_library) in (ours..).zip(library) {
            let (path, language) = (of_library.path.to_owned(), of_library.family);
            let read = facts_read(&path);
            // Numbers of library files are the same in every pass; what no file can ask for is not read.
            if families.contains(&of_library.family) {
                let facts = of_library.facts();
                list(index, &listings(facts, true));
                let package = facts.package.map_or("", |name| facts.name(name));
                library_modules.insert((facts.language, Sym::of(package)), index);
            }
            files.push(File { path, language, test: false, library: true, read, layout: OnceLock::new() });
        }
        let ours_on_disk = files[..ours as usize].iter();
        let tree = Tree::of(ours_on_disk.map(|file: &File| (file.path.as_str(), file.language)));
        listed.sort_unstable();
        let mut by_key = FxHashMap::default();
        let mut start = 0;
        for run in listed.chunk_by(|a, b| a.key == b.key) {
            by_key.insert(run[0].key, (start, start + run.len() as u32));
            start += run.len() as u32;
        }
        let world = World {
            files,
            ours,
            frameworks,
            load,
            incomplete: AtomicBool::new(false),
            texts: DashMap::default(),
            spoken: spoken(),
            tree,
            search: OnceLock::new(),
            library_modules,
            listed,
            by_key,
        };
        facts.into_par_iter().enumerate().for_each(|(file, facts)| {
            if let Some(facts) = facts {
                let layout = world.lay_out(file as u32, facts);
                // Nobody has asked yet.
                let _ = world.files[file].layout.set(layout);
            }
        });
        world
    }

    fn lay_out(&self, file: u32, facts: Cow<'static, FileFacts>) -> Layout {
        let layout = Layout::of(facts);
        for ((name, sym), text) in (0..).zip(&layout.names).zip(&layout.facts.names) {
            self.texts.entry(*sym).or_insert(Text { file, name, start: 0, end: text.len() as u32 });
        }
        // Paths are asked for part by part.
        for import in &layout.facts.imports {
            let path = layout.facts.name(import.module);
            let mut start = 0;
            for part in path.split('.') {
                let end = start + part.len() as u32;
                self.texts.entry(Sym::of(part)).or_insert(Text { file, name: import.module.0, start, end });
                start = end + 1;
            }
        }
        layout
    }

    pub(crate) fn layout(&self, file: u32) -> &Layout {
        self.files[file as usize].layout.get_or_init(|| {
            if let Some(library) = file.checked_sub(self.ours) {
                return self.lay_out(file, Cow::Borrowed(lang::library()[library as usize].facts()));
            }
            let facts = (self.load)(file).unwrap_or_else(|| {
                self.incomplete.store(true, Ordering::Relaxed);
                FileFacts::empty(self.files[file as usize].language)
            });
            self.lay_out(file, Cow::Owned(facts))
        })
    }

    /// Some facts were gone when they were asked for.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.incomplete.load(Ordering::Relaxed)
    }

    /// Number of files that are no library's; libraries come after them.
    pub(crate) fn ours(&self) -> u32 {
        self.ours
    }

    pub(crate) fn path(&self, file: u32) -> &str {
        &self.files[file as usize].path
    }

    /// What looking into a file is noted as.
    pub(crate) fn read_of(&self, file: u32) -> Read {
        self.files[file as usize].read
    }

    pub(crate) fn language(&self, file: u32) -> Language {
        self.files[file as usize].language
    }

    pub(crate) fn is_test(&self, file: u32) -> bool {
        self.files[file as usize].test
    }

    /// Signatures of a library: seen by inference, never by users.
    pub(crate) fn is_library(&self, file: u32) -> bool {
        self.files[file as usize].library
    }

    /// See [`Tree::own_root`].
    pub(crate) fn own_root(&self, file: u32, at: impl Fn(&str) -> Option<u32>) -> Option<&str> {
        Tree::own_root(self.path(file), self.language(file), at)
    }

    /// Source roots of a language, most used first.
    pub(crate) fn roots(&self, language: Language) -> &[String] {
        self.tree.roots(language)
    }

    /// The text of a name that some file asked about says.
    pub(crate) fn text(&self, sym: Sym) -> &str {
        // The lock is given back before the file is looked into: whoever lays it out takes the same one.
        let text = self.texts.get(&sym).map(|text| *text);
        if let Some(Text { file, name, start, end }) = text {
            let whole = &self.layout(file).facts.names[name as usize];
            return &whole[start as usize..end as usize];
        }
        self.spoken.get(&sym).copied().unwrap_or_default()
    }

    pub(crate) fn facts(&self, file: u32) -> &FileFacts {
        &self.layout(file).facts
    }

    pub(crate) fn rules(&self, file: u32) -> &'static Rules {
        rules(self.language(file))
    }

    pub(crate) fn name(&self, file: u32, name: NameId) -> Sym {
        self.layout(file).name(name)
    }

    pub(crate) fn definition(&self, def: Def) -> &Definition {
        &self.facts(def.file).definitions[def.def as usize]
    }

    /// What introduces `sym` in `scope` of `file`, in source order.
    pub(crate) fn entries(&self, file: u32, scope: ScopeId, sym: Sym) -> &[Slot] {
        self.layout(file).entries(scope, sym)
    }

    /// The first definition of a name in a scope.
    pub(crate) fn defined(&self, file: u32, scope: ScopeId, sym: Sym) -> Option<Def> {
        self.entries(file, scope, sym).iter().find_map(|slot| match slot.entry {
            Entry::Definition(def) => Some(Def { file, def }),
            _ => None,
        })
    }

    /// Star imports of a file that stand in `scope`, in source order.
    pub(crate) fn stars(&self, file: u32, scope: ScopeId) -> impl DoubleEndedIterator<Item = u32> + '_ {
        let Layout { facts, stars, .. } = self.layout(file);
        stars.iter().copied().filter(move |i| facts.imports[*i as usize].scope == scope)
    }

    /// The file at a path.
    pub(crate) fn file(&self, path: &str) -> Option<u32> {
        self.tree.file(path)
    }

    /// What configuration files say about where modules are found.
    pub(crate) fn search(&self) -> &Search {
        self.search.get_or_init(|| {
            let configured = (0..self.ours).filter(|file| lang::configures_search(self.path(*file)));
            Search::of(configured.map(|file| (self.path(file), Setting::all(self.facts(file)))))
        })
    }

    /// A module of a library whose signatures are known.
    pub(crate) fn library_module(&self, language: Language, path: &str) -> Option<u32> {
        self.library_modules.get(&(language, Sym::of(path))).copied()
    }

    /// True if a folder holds code of the language.
    pub(crate) fn is_folder(&self, language: Language, path: &str) -> bool {
        self.tree.folders.contains(&folder_key(language, path))
    }

    fn listed(&self, key: u64) -> &[Listed] {
        self.by_key.get(&key).map_or(&[], |(start, end)| &self.listed[*start as usize..*end as usize])
    }

    /// Types of a declared package by simple name, or definitions of a library's; with the key that was asked for.
    pub(crate) fn in_package(&self, language: Language, package: &str, name: Sym) -> (u64, &[Listed]) {
        let key = key(Ask::Packaged, language, &[Sym::of(package), name]);
        (key, self.listed(key))
    }

    /// True for a declared package or the beginning of one; with the key that was asked for.
    pub(crate) fn is_package(&self, language: Language, path: &str) -> (u64, bool) {
        let key = key(Ask::Package, language, &[Sym::of(path)]);
        (key, self.by_key.contains_key(&key))
    }

    /// Methods of that name in any class of the language, in path order; with the key that was asked for.
    pub(crate) fn methods_named(&self, language: Language, name: Sym) -> (u64, &[Listed]) {
        let key = key(Ask::Method, language, &[name]);
        (key, self.listed(key))
    }

    /// Files of a language that stand directly in a folder.
    pub(crate) fn files_in(&self, language: Language, folder: &str) -> &[u32] {
        self.tree.files.get(&files_key(language, folder)).map_or(&[], Vec::as_slice)
    }

    /// Manifests that give their folder this path; with the key that was asked for.
    pub(crate) fn manifests(&self, path: &str) -> (u64, &[Listed]) {
        let key = key(Ask::Manifest, Language::Text, &[Sym::of(path)]);
        (key, self.listed(key))
    }

    /// Members of types of that name that are written apart from them, all or those of a name; with the key that was asked
    /// for.
    pub(crate) fn written_apart(
        &self,
        language: Language,
        package: &str,
        ty: Sym,
        name: Option<Sym>,
    ) -> (u64, &[Listed]) {
        let key = match name {
            Some(name) => key(Ask::Apart, language, &[Sym::of(package), ty, name]),
            None => key(Ask::AllApart, language, &[Sym::of(package), ty]),
        };
        (key, self.listed(key))
    }

    /// Methods of that name that interfaces ask for; with the key that was asked for.
    pub(crate) fn asked_for(&self, language: Language, name: Sym) -> (u64, &[Listed]) {
        let key = key(Ask::Asked, language, &[name]);
        (key, self.listed(key))
    }

    /// The definition that holds `def`, if it is a class, or the type of its own file whose member it is.
    pub(crate) fn class_around(&self, def: Def) -> Option<Def> {
        let facts = self.facts(def.file);
        let definition = facts.definition(DefId(def.def));
        if let (None, Some(receiver)) = (definition.container, definition.receiver) {
            let class = self.defined(def.file, MODULE_SCOPE, self.name(def.file, receiver))?;
            return self.definition(class).kind.is_type().then_some(class);
        }
        let class = class_around(facts, definition)?;
        Some(Def { file: def.file, def: class.0 })
    }

    /// True if `inner` is `outer` or a scope inside it.
    pub(crate) fn is_inside(&self, file: u32, inner: ScopeId, outer: ScopeId) -> bool {
        let facts = self.facts(file);
        let mut scope = Some(inner);
        while let Some(s) = scope {
            if s == outer {
                return true;
            }
            // Scopes are numbered in the order they open, so an inner one never has a smaller id.
            if s < outer {
                return false;
            }
            scope = facts.scope(s).parent;
        }
        false
    }
}

/// Names that rules speak of and perhaps no file.
fn spoken() -> FxHashMap<Sym, &'static str> {
    let mut spoken = FxHashMap::default();
    for language in languages() {
        let rules = rules(language);
        let single = [
            rules.constructor,
            rules.prelude,
            rules.subclass_hook,
            rules.call_member.unwrap_or(""),
            rules.construct_member.unwrap_or(""),
            rules.prototype_member,
            DEFAULT_EXPORT,
            WHOLE_MODULE,
        ];
        for text in rules.iterate.iter().chain(&rules.index).chain(rules.enter).chain(&single) {
            spoken.insert(Sym::of(text), *text);
        }
    }
    spoken
}

/// The folder part of a path, `""` at the root.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn lambda_types(facts: &FileFacts) -> FxHashMap<u32, ExprId> {
    let typed = |binding: &Binding| match (binding.ty, binding.value.map(|value| facts.expr(value))) {
        (Some(ty), Some(Expr::Lambda { scope, .. })) => Some((scope.0, ty)),
        _ => None,
    };
    facts.bindings.iter().filter_map(typed).collect()
}

fn lambda_sites(facts: &FileFacts) -> FxHashMap<u32, (ExprId, u32)> {
    let mut sites = FxHashMap::default();
    for (i, expr) in facts.exprs.iter().enumerate() {
        let (Expr::Call { args, .. } | Expr::New { args, .. }) = expr else { continue };
        for (position, arg) in facts.list(*args).iter().enumerate() {
            if let Expr::Lambda { scope, .. } = facts.expr(*arg) {
                sites.insert(scope.0, (ExprId(i as u32), position as u32));
            }
        }
    }
    sites
}
