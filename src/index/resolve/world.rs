//! The facts of all files, laid out for look-up: who is called what, in which scope, module and package. Built once per
//! pass and never changed while resolution runs, so that files can be resolved in parallel.

use super::specifiers::Search;
use super::types::{Def, Sym};
use crate::lang::frameworks::Frameworks;
use crate::lang::rules::{ModuleSystem, Rules, rules};
use crate::model::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// The export that a default import names.
pub(crate) const DEFAULT_EXPORT: &str = "default";
/// The export that stands for the whole module, where it has one.
pub(crate) const WHOLE_MODULE: &str = "export=";

/// One file that takes part in resolution.
#[derive(Debug)]
pub struct Unit {
    pub path: String,
    pub facts: FileFacts,
    pub test: bool,
    /// Signatures of a library: seen by inference, never by users.
    pub library: bool,
}

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

/// Look-up tables over the facts of all files.
pub(crate) struct World<'a> {
    pub(crate) units: &'a [Unit],
    pub(crate) frameworks: &'a Frameworks,
    /// What configuration files say about where modules are found.
    pub(crate) search: Search<'a>,
    /// Files that others know packages of the repository by.
    entries: FxHashSet<u32>,
    syms: FxHashMap<&'a str, Sym>,
    texts: Vec<&'a str>,
    names: Vec<Vec<Sym>>,
    slots: Vec<Vec<Slot>>,
    /// Star imports of each file, in source order.
    stars: Vec<Vec<u32>>,
    /// The call and argument position a lambda stands in, by its scope.
    lambda_sites: Vec<FxHashMap<u32, (ExprId, u32)>>,
    /// The declared type of the variable that a lambda is assigned to, by its scope.
    lambda_types: Vec<FxHashMap<u32, ExprId>>,
    by_path: FxHashMap<&'a str, u32>,
    /// Library modules by dotted name.
    library_modules: FxHashMap<(Language, &'a str), u32>,
    /// Folders that hold code below them, by language.
    folders: FxHashSet<(Language, &'a str)>,
    /// Source roots, most used first, by language.
    roots: FxHashMap<Language, Vec<&'a str>>,
    /// Types of declared packages: (language, package, simple name) -> definitions, in path order.
    packaged: FxHashMap<(Language, Sym, Sym), Vec<Def>>,
    /// Every declared package and its prefixes.
    packages: FxHashSet<(Language, Sym)>,
    /// Callable members of classes by name: candidates when the receiver is unknown.
    members: FxHashMap<(Language, Sym), Vec<Def>>,
}

impl<'a> World<'a> {
    /// Lays out the facts. `units` are in path order, libraries last.
    pub(crate) fn new(units: &'a [Unit], frameworks: &'a Frameworks) -> World<'a> {
        let mut world = World {
            units,
            frameworks,
            search: Search::default(),
            entries: FxHashSet::default(),
            syms: FxHashMap::default(),
            texts: Vec::new(),
            names: Vec::with_capacity(units.len()),
            slots: Vec::with_capacity(units.len()),
            stars: Vec::with_capacity(units.len()),
            lambda_sites: Vec::with_capacity(units.len()),
            lambda_types: Vec::with_capacity(units.len()),
            by_path: FxHashMap::default(),
            library_modules: FxHashMap::default(),
            folders: FxHashSet::default(),
            roots: FxHashMap::default(),
            packaged: FxHashMap::default(),
            packages: FxHashSet::default(),
            members: FxHashMap::default(),
        };
        world.intern("");
        for language in [Language::Python, Language::Java, Language::TypeScript] {
            let rules = rules(language);
            for text in [rules.constructor, rules.prelude, rules.subclass_hook, rules.call_member.unwrap_or("")] {
                world.intern(text);
            }
            let more = [rules.construct_member.unwrap_or(""), rules.prototype_member, DEFAULT_EXPORT, WHOLE_MODULE];
            for text in more {
                world.intern(text);
            }
            for text in rules.iterate.iter().chain(&rules.index).chain(rules.enter) {
                world.intern(text);
            }
        }
        for (index, unit) in units.iter().enumerate() {
            world.add_unit(index as u32, unit);
        }
        world.find_roots();
        let configured = units.iter().filter(|unit| !unit.facts.search.is_empty());
        world.search = Search::of(configured.map(|unit| (unit.path.as_str(), &unit.facts)));
        world.entries = world.entry_files();
        world
    }

    fn add_unit(&mut self, index: u32, unit: &'a Unit) {
        let facts = &unit.facts;
        let names: Vec<Sym> = facts.names.iter().map(|name| self.intern(name)).collect();
        let sym = |name: NameId| names[name.0 as usize];
        let mut slots = Vec::with_capacity(facts.definitions.len() + facts.bindings.len() + facts.imports.len());
        let mut slot = |scope: ScopeId, name, at, entry| slots.push(Slot { scope: scope.0, sym: sym(name), at, entry });
        for (i, definition) in facts.definitions.iter().enumerate() {
            slot(definition.scope, definition.name, definition.span.at, Entry::Definition(i as u32));
        }
        for (i, binding) in facts.bindings.iter().enumerate() {
            slot(binding.scope, binding.name, binding.at, Entry::Binding(i as u32));
        }
        let mut stars = Vec::new();
        for (i, import) in facts.imports.iter().enumerate() {
            match import.binds {
                Some(name) => slot(import.scope, name, import.at, Entry::Import(i as u32)),
                None if matches!(import.kind, ImportKind::Star | ImportKind::StaticStar) => stars.push(i as u32),
                None => {}
            }
        }
        slots.sort_by_key(|s| (s.scope, s.sym, s.at, s.entry));
        self.add_packages(index, unit, &names);
        if !unit.library {
            for (i, definition) in facts.definitions.iter().enumerate() {
                let in_class = matches!(facts.scope(definition.scope).kind, ScopeKind::Class);
                if in_class && definition.kind == DefKind::Method {
                    let key = (facts.language, sym(definition.name));
                    self.members.entry(key).or_default().push(Def { file: index, def: i as u32 });
                }
            }
        }
        self.lambda_sites.push(lambda_sites(facts));
        self.lambda_types.push(lambda_types(facts));
        if !unit.library {
            self.by_path.insert(&unit.path, index);
            let mut path = unit.path.as_str();
            while let Some((folder, _)) = path.rsplit_once('/') {
                if !self.folders.insert((facts.language, folder)) {
                    break;
                }
                path = folder;
            }
        }
        self.names.push(names);
        self.slots.push(slots);
        self.stars.push(stars);
    }

    fn add_packages(&mut self, index: u32, unit: &'a Unit, names: &[Sym]) {
        let facts = &unit.facts;
        if rules(facts.language).module_system != ModuleSystem::Declared && !unit.library {
            return;
        }
        let package = facts.package.map_or("", |name| facts.name(name));
        let mut prefix = package;
        loop {
            let sym = self.intern(prefix);
            if !self.packages.insert((facts.language, sym)) {
                break;
            }
            match prefix.rsplit_once('.') {
                Some((outer, _)) => prefix = outer,
                None => break,
            }
        }
        if unit.library {
            self.library_modules.insert((facts.language, package), index);
        }
        let package = self.intern(package);
        for (i, definition) in facts.definitions.iter().enumerate() {
            if definition.scope == MODULE_SCOPE && (definition.kind.is_type() || unit.library) {
                let key = (facts.language, package, names[definition.name.0 as usize]);
                self.packaged.entry(key).or_default().push(Def { file: index, def: i as u32 });
            }
        }
    }

    /// A source root is the folder above the outermost folder with an `init` file.
    fn find_roots(&mut self) {
        let mut used: FxHashMap<(Language, &'a str), usize> = FxHashMap::default();
        for unit in self.units.iter().filter(|u| !u.library) {
            if let Some(root) = self.own_root(unit) {
                *used.entry((unit.facts.language, root)).or_default() += 1;
            }
        }
        let mut sorted: Vec<((Language, &str), usize)> = used.into_iter().collect();
        sorted.sort_by_key(|((language, root), count)| (*language, usize::MAX - count, *root));
        for ((language, root), _) in sorted {
            self.roots.entry(language).or_default().push(root);
        }
    }

    /// The folder that the file's own top-level package stands in (`""` is the repository root).
    pub(crate) fn own_root(&self, unit: &'a Unit) -> Option<&'a str> {
        let ModuleSystem::Folders { extension, init } = rules(unit.facts.language).module_system else {
            return None;
        };
        let mut folder = parent(&unit.path);
        let mut buffer = String::new();
        while !folder.is_empty() {
            buffer.clear();
            buffer.push_str(folder);
            buffer.push('/');
            buffer.push_str(init);
            buffer.push_str(extension);
            if !self.by_path.contains_key(buffer.as_str()) {
                break;
            }
            folder = parent(folder);
        }
        Some(folder)
    }

    /// Source roots of a language, most used first.
    pub(crate) fn roots(&self, language: Language) -> &[&'a str] {
        self.roots.get(&language).map_or(&[], Vec::as_slice)
    }

    fn intern(&mut self, text: &'a str) -> Sym {
        if let Some(sym) = self.syms.get(text) {
            return *sym;
        }
        let sym = Sym(self.texts.len() as u32);
        self.texts.push(text);
        self.syms.insert(text, sym);
        sym
    }

    /// The symbol of a text, if any file mentions it.
    pub(crate) fn sym(&self, text: &str) -> Option<Sym> {
        self.syms.get(text).copied()
    }

    pub(crate) fn text(&self, sym: Sym) -> &'a str {
        self.texts[sym.0 as usize]
    }

    pub(crate) fn facts(&self, file: u32) -> &'a FileFacts {
        &self.units[file as usize].facts
    }

    pub(crate) fn rules(&self, file: u32) -> &'static Rules {
        rules(self.facts(file).language)
    }

    pub(crate) fn name(&self, file: u32, name: NameId) -> Sym {
        self.names[file as usize][name.0 as usize]
    }

    pub(crate) fn definition(&self, def: Def) -> &'a Definition {
        &self.facts(def.file).definitions[def.def as usize]
    }

    /// What introduces `sym` in `scope` of `file`, in source order.
    pub(crate) fn entries(&self, file: u32, scope: ScopeId, sym: Sym) -> &[Slot] {
        let slots = &self.slots[file as usize];
        let start = slots.partition_point(|s| (s.scope, s.sym) < (scope.0, sym));
        let len = slots[start..].partition_point(|s| (s.scope, s.sym) == (scope.0, sym));
        &slots[start..start + len]
    }

    /// The names that something introduces in a scope.
    pub(crate) fn names_in(&self, file: u32, scope: ScopeId) -> impl Iterator<Item = Sym> + '_ {
        let slots = &self.slots[file as usize];
        let start = slots.partition_point(|slot| slot.scope < scope.0);
        slots[start..].iter().take_while(move |slot| slot.scope == scope.0).map(|slot| slot.sym)
    }

    /// True for a file that others know a package of the repository by.
    pub(crate) fn is_entry(&self, file: u32) -> bool {
        self.entries.contains(&file)
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
        let facts = self.facts(file);
        self.stars[file as usize].iter().copied().filter(move |i| facts.imports[*i as usize].scope == scope)
    }

    /// The call (or construction) and the argument position that a lambda is handed to.
    pub(crate) fn lambda_site(&self, file: u32, scope: ScopeId) -> Option<(ExprId, u32)> {
        self.lambda_sites[file as usize].get(&scope.0).copied()
    }

    /// The declared type of the variable that a lambda is assigned to.
    pub(crate) fn lambda_type(&self, file: u32, scope: ScopeId) -> Option<ExprId> {
        self.lambda_types[file as usize].get(&scope.0).copied()
    }

    pub(crate) fn file(&self, path: &str) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    /// Files of code whose paths begin so.
    pub(crate) fn files_below(&self, start: &str) -> impl Iterator<Item = u32> + '_ {
        let from = self.units.partition_point(|unit| !unit.library && unit.path.as_str() < start);
        let start = start.to_owned();
        (from as u32..)
            .zip(&self.units[from..])
            .take_while(move |(_, unit)| unit.path.starts_with(&start))
            .map(|(file, _)| file)
    }

    /// A module of a library whose signatures are known.
    pub(crate) fn library_module(&self, language: Language, path: &str) -> Option<u32> {
        self.library_modules.get(&(language, path)).copied()
    }

    /// True if a folder holds code of the language.
    pub(crate) fn is_folder(&self, language: Language, path: &str) -> bool {
        self.folders.contains(&(language, path))
    }

    /// Types of a declared package by simple name.
    pub(crate) fn in_package(&self, language: Language, package: &str, name: Sym) -> &[Def] {
        let Some(package) = self.sym(package) else { return &[] };
        self.packaged.get(&(language, package, name)).map_or(&[], Vec::as_slice)
    }

    /// True for a declared package or the beginning of one.
    pub(crate) fn is_package(&self, language: Language, path: &str) -> bool {
        self.sym(path).is_some_and(|sym| self.packages.contains(&(language, sym)))
    }

    /// Methods of that name in any class of the language, in path order.
    pub(crate) fn methods_named(&self, language: Language, name: Sym) -> &[Def] {
        self.members.get(&(language, name)).map_or(&[], Vec::as_slice)
    }

    /// The definition that holds `def`, if it is a class.
    pub(crate) fn class_around(&self, def: Def) -> Option<Def> {
        let container = self.definition(def).container?;
        let outer = Def { file: def.file, def: container.0 };
        let kind = self.definition(outer).kind;
        (kind.is_type() || kind == DefKind::EnumMember).then_some(outer)
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
