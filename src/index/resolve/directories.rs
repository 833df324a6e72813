//! Packages that are the files of a folder: which folder an import path means, what a package has, and the members of types
//! that are written apart from them.
//!
//! Definitions are asked for by the package's own name, and then only those of the right folder are taken: whether a name
//! is found depends on names and paths, never on the order of files.

use super::types::{Def, Sym};
use super::world::{Unit, World, package_of, parent};
use crate::lang::rules::{ModuleSystem, Rules, rules};
use crate::model::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// More methods of one name than these in the interfaces of a repository say nothing about who implements which.
const MAX_INTERFACES: usize = 200;

/// Longest import path, in parts, for which modules are looked for.
const MAX_PARTS: usize = 32;

/// Tables filled while files are laid out.
#[derive(Default)]
pub(super) struct Directories<'a> {
    /// Files that stand directly in a folder, in path order.
    files: FxHashMap<(Language, &'a str), Vec<u32>>,
    /// Manifests by the module path they declare.
    manifests: FxHashMap<&'a str, Vec<u32>>,
    /// Members written apart, by package, type and name.
    members: FxHashMap<(Language, &'a str, Sym, Sym), Vec<Def>>,
    /// The same, by package and type.
    member_sets: FxHashMap<(Language, &'a str, Sym), Vec<Def>>,
    /// Methods that interfaces ask for, by name, where whatever has them implements the interface.
    asked: FxHashMap<(Language, Sym), Vec<Def>>,
}

impl<'a> Directories<'a> {
    pub(super) fn add(&mut self, index: u32, unit: &'a Unit, names: &[Sym]) {
        let facts = &unit.facts;
        if facts.language == Language::Text {
            if let Some(path) = facts.package {
                self.manifests.entry(facts.name(path)).or_default().push(index);
            }
            return;
        }
        let Rules { module_system, structural, .. } = rules(facts.language);
        if matches!(module_system, ModuleSystem::Directories { .. }) && !unit.library {
            self.files.entry((facts.language, parent(&unit.path))).or_default().push(index);
        }
        let package = package_of(unit);
        for (i, definition) in facts.definitions.iter().enumerate() {
            let (def, name) = (Def { file: index, def: i as u32 }, names[definition.name.0 as usize]);
            if let Some(receiver) = definition.receiver {
                let ty = names[receiver.0 as usize];
                self.members.entry((facts.language, package, ty, name)).or_default().push(def);
                self.member_sets.entry((facts.language, package, ty)).or_default().push(def);
            }
            let in_interface = definition.flags.has(DefFlags::ABSTRACT) && definition.container.is_some();
            if *structural && in_interface && definition.kind == DefKind::Method {
                self.asked.entry((facts.language, name)).or_default().push(def);
            }
        }
    }
}

impl<'a> World<'a> {
    /// Do two files stand in one folder, or are they one file of a library?
    fn beside(&self, a: u32, b: u32) -> bool {
        let (one, other) = (&self.units[a as usize], &self.units[b as usize]);
        a == b || !one.library && !other.library && parent(&one.path) == parent(&other.path)
    }

    /// What the package of a file has by a name; a file that is no test does not see what only tests have.
    pub(crate) fn in_own_directory(&self, file: u32, name: Sym) -> Vec<Def> {
        let unit = &self.units[file as usize];
        let all = self.in_package(unit.facts.language, package_of(unit), name);
        let seen = |def: &&Def| self.beside(file, def.file) && (unit.test || !self.units[def.file as usize].test);
        all.iter().filter(seen).copied().collect()
    }

    /// What the package that is imported from a folder has by a name.
    pub(crate) fn in_directory(&self, language: Language, folder: &str, name: Sym) -> Vec<Def> {
        let Some(package) = self.directory_package(language, folder) else { return Vec::new() };
        let all = self.in_package(language, package, name);
        let there = |def: &&Def| {
            let unit = &self.units[def.file as usize];
            !unit.library && parent(&unit.path) == folder
        };
        let mut found: Vec<Def> = all.iter().filter(there).copied().collect();
        // What only tests have is seen from outside in folders that are all test.
        if found.iter().any(|def| !self.units[def.file as usize].test) {
            found.retain(|def| !self.units[def.file as usize].test);
        }
        found
    }

    /// The name of the package that is imported from a folder: what its first file that is no test says, a program's last.
    pub(crate) fn directory_package(&self, language: Language, folder: &str) -> Option<&'a str> {
        let ModuleSystem::Directories { program, .. } = rules(language).module_system else { return None };
        let files = self.directories.files.get(&(language, folder))?;
        let rank = |file: &&u32| {
            let unit = &self.units[**file as usize];
            let package = package_of(unit);
            (unit.test, package == program || package.is_empty(), **file)
        };
        files.iter().min_by_key(rank).map(|file| package_of(&self.units[*file as usize]))
    }

    /// The folder that an import path means: below the folder of the module whose path it begins with. A module that the
    /// importing file's own replaces goes first, then the longest path, then the nearest. Without any manifest above the
    /// file, the folder that the end of the path names (workspaces of old).
    pub(crate) fn imported_directory(&self, file: u32, path: &str) -> Option<String> {
        let language = self.facts(file).language;
        let ModuleSystem::Directories { manifest, .. } = self.rules(file).module_system else { return None };
        let own = self.manifest_above(file, manifest);
        let is_package = |folder: &String| self.directories.files.contains_key(&(language, folder.as_str()));
        if let Some(folder) = own.and_then(|own| self.replaced(own, path)).filter(is_package) {
            return Some(folder);
        }
        let from = self.units[file as usize].path.as_str();
        let mut prefix = path;
        for _ in 0..MAX_PARTS {
            let modules = self.directories.manifests.get(prefix).into_iter().flatten();
            let modules = modules.map(|module| parent(&self.units[*module as usize].path));
            let folders =
                modules.map(|root| (common(root, from), joined(root, path[prefix.len()..].trim_start_matches('/'))));
            let nearest = folders.filter(|(_, folder)| is_package(folder)).min_by_key(|(near, _)| usize::MAX - near);
            if let Some((_, folder)) = nearest {
                return Some(folder);
            }
            match prefix.rsplit_once('/') {
                Some((outer, _)) => prefix = outer,
                None => break,
            }
        }
        if own.is_some() {
            return None;
        }
        let mut end = path;
        for _ in 0..MAX_PARTS {
            for root in ["", "src"] {
                let folder = joined(root, end);
                if is_package(&folder) {
                    return Some(folder);
                }
            }
            match end.split_once('/') {
                Some((_, inner)) => end = inner,
                None => return None,
            }
        }
        None
    }

    /// The manifest that holds for a file: in its folder or the nearest above.
    fn manifest_above(&self, file: u32, name: &str) -> Option<u32> {
        let mut folder = parent(&self.units[file as usize].path);
        loop {
            if let Some(found) = self.file(&joined(folder, name)) {
                return Some(found);
            }
            if folder.is_empty() {
                return None;
            }
            folder = parent(folder);
        }
    }

    /// The folder that a manifest replaces a path by.
    fn replaced(&self, manifest: u32, path: &str) -> Option<String> {
        let facts = self.facts(manifest);
        let root = parent(&self.units[manifest as usize].path);
        facts.imports.iter().find_map(|import| {
            let rest = path.strip_prefix(facts.name(import.module))?;
            let rest = if rest.is_empty() { rest } else { rest.strip_prefix('/')? };
            let mut folder = root.to_owned();
            for part in facts.name(import.name?).split('/') {
                match part {
                    "" | "." => {}
                    ".." => folder = parent(&folder).to_owned(),
                    part => folder = joined(&folder, part),
                }
            }
            Some(joined(&folder, rest))
        })
    }

    /// The type whose member a definition is that is written apart from it.
    pub(crate) fn receiver_type(&self, def: Def) -> Option<Def> {
        let name = self.name(def.file, self.definition(def).receiver?);
        let is_type = |def: &Def| self.definition(*def).kind.is_type();
        let own = self.defined(def.file, MODULE_SCOPE, name).filter(is_type);
        own.or_else(|| self.in_own_directory(def.file, name).into_iter().find(is_type))
    }

    /// Members of a type that are written apart from it: those of a name, in its own file if some are there.
    pub(crate) fn members_apart(&self, class: Def, name: Sym) -> Vec<Def> {
        let unit = &self.units[class.file as usize];
        let definition = self.definition(class);
        if definition.scope != MODULE_SCOPE {
            return Vec::new();
        }
        let ty = self.name(class.file, definition.name);
        let key = (unit.facts.language, package_of(unit), ty, name);
        let all = self.directories.members.get(&key).into_iter().flatten().copied();
        let members: Vec<Def> = all.filter(|def| self.beside(class.file, def.file)).collect();
        if members.iter().any(|def| def.file == class.file) {
            return members.into_iter().filter(|def| def.file == class.file).collect();
        }
        members
    }

    /// All members of a type that are written apart from it, those of its own file first.
    pub(crate) fn member_set_apart(&self, class: Def) -> Vec<Def> {
        let unit = &self.units[class.file as usize];
        let definition = self.definition(class);
        if definition.scope != MODULE_SCOPE {
            return Vec::new();
        }
        let key = (unit.facts.language, package_of(unit), self.name(class.file, definition.name));
        let all = self.directories.member_sets.get(&key).into_iter().flatten().copied();
        let name = |def: Def| self.name(def.file, self.definition(def).name);
        let (own, others): (Vec<Def>, Vec<Def>) =
            all.filter(|def| self.beside(class.file, def.file)).partition(|def| def.file == class.file);
        let hidden: FxHashSet<Sym> = own.iter().map(|def| name(*def)).collect();
        own.into_iter().chain(others.into_iter().filter(|def| !hidden.contains(&name(*def)))).collect()
    }

    /// Methods of that name that interfaces ask for, libraries' last; none if there are too many to tell.
    pub(crate) fn asked_for(&self, language: Language, name: Sym) -> &[Def] {
        let asked = self.directories.asked.get(&(language, name)).map_or(&[][..], Vec::as_slice);
        if asked.len() > MAX_INTERFACES { &[] } else { asked }
    }
}

/// Length of the common beginning of two paths.
fn common(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// `folder/rest`, where either may be empty.
fn joined(folder: &str, rest: &str) -> String {
    match (folder, rest) {
        ("", rest) => rest.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, rest) => format!("{folder}/{rest}"),
    }
}
