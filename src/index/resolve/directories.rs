//! Packages that are the files of a folder: which folder an import path means, what a package has, and the members of types
//! that are written apart from them.
//!
//! Definitions are asked for by the package's own name, and then only those of the right folder are taken: whether a name
//! is found depends on names and paths, never on the order of files.

use super::reads::View;
use super::types::{Def, Sym};
use super::world::{Listed, parent};
use crate::lang::rules::ModuleSystem;
use crate::model::*;
use rustc_hash::FxHashSet;

/// More methods of one name than these in the interfaces of a repository say nothing about who implements which.
const MAX_INTERFACES: usize = 200;

/// Longest import path, in parts, for which modules are looked for.
const MAX_PARTS: usize = 32;

impl<'w> View<'w, '_> {
    /// The package that a file says it belongs to; for a library the path that it is imported by.
    fn package(&self, file: u32) -> &'w str {
        let facts = self.facts(file);
        facts.package.map_or("", |name| facts.name(name))
    }

    /// Do two files stand in one folder, or are they one file of a library?
    fn beside(&self, a: u32, b: u32) -> bool {
        let is_ours = !self.is_library(a) && !self.is_library(b);
        a == b || is_ours && parent(self.path(a)) == parent(self.path(b))
    }

    /// What the package of a file has by a name; a file that is no test does not see what only tests have.
    pub(crate) fn in_own_directory(&self, file: u32, name: Sym) -> Vec<Def> {
        let test = self.is_test(file);
        let all = self.in_package(self.language(file), self.package(file), name).iter().map(|listed| listed.def);
        all.filter(|def| self.beside(file, def.file) && (test || !self.is_test(def.file))).collect()
    }

    /// What the package that is imported from a folder has by a name.
    pub(crate) fn in_directory(&self, language: Language, folder: &str, name: Sym) -> Vec<Def> {
        let Some(package) = self.directory_package(language, folder) else { return Vec::new() };
        let all = self.in_package(language, package, name).iter().map(|listed| listed.def);
        let there = |def: &Def| !self.is_library(def.file) && parent(self.path(def.file)) == folder;
        let mut found: Vec<Def> = all.filter(there).collect();
        // What only tests have is seen from outside in folders that are all test.
        if found.iter().any(|def| !self.is_test(def.file)) {
            found.retain(|def| !self.is_test(def.file));
        }
        found
    }

    /// The name of the package that is imported from a folder: what its first file says that is no test and no program.
    pub(crate) fn directory_package(&self, language: Language, folder: &str) -> Option<&'w str> {
        let ModuleSystem::Directories { program, .. } = crate::lang::rules::rules(language).module_system else {
            return None;
        };
        let files = self.files_in(language, folder);
        let others = files.iter().filter(|file| !self.is_test(**file));
        let tests = files.iter().filter(|file| self.is_test(**file));
        let is_imported = |package: &&str| !package.is_empty() && *package != program;
        let mut packages = others.chain(tests).map(|file| self.package(*file));
        packages.find(is_imported).or_else(|| files.first().map(|file| self.package(*file)))
    }

    /// The folder that an import path means: below the folder of the module whose path it begins with. A module that the
    /// importing file's own replaces goes first, then the longest path, then the nearest. Without any manifest above the
    /// file, the folder that the end of the path names (workspaces of old).
    pub(crate) fn imported_directory(&self, file: u32, path: &str) -> Option<String> {
        let language = self.language(file);
        let ModuleSystem::Directories { manifest, .. } = self.rules(file).module_system else { return None };
        let own = self.manifest_above(file, manifest);
        let is_package = |folder: &String| !self.files_in(language, folder).is_empty();
        if let Some(folder) = own.and_then(|own| self.replaced(own, path)).filter(is_package) {
            return Some(folder);
        }
        let from = self.path(file);
        let mut prefix = path;
        for _ in 0..MAX_PARTS {
            let roots = self.manifests(prefix).iter().map(|listed| parent(self.path(listed.def.file)));
            let below = path[prefix.len()..].trim_start_matches('/');
            let folders = roots.map(|root| (common(root, from), joined(root, below)));
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
            end = end.split_once('/')?.1;
        }
        None
    }

    /// The manifest that holds for a file: in its folder or the nearest above.
    fn manifest_above(&self, file: u32, name: &str) -> Option<u32> {
        let mut folder = parent(self.path(file));
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
        let root = parent(self.path(manifest));
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

    /// The type of another file whose member a definition is that is written apart from it.
    pub(super) fn receiver_type(&self, def: Def) -> Option<Def> {
        let definition = self.definition(def);
        let name = self.name(def.file, definition.receiver?);
        if definition.container.is_some() {
            return None;
        }
        self.in_own_directory(def.file, name).into_iter().find(|def| self.definition(*def).kind.is_type())
    }

    fn apart(&self, class: Def, name: Option<Sym>) -> Vec<Def> {
        let definition = self.definition(class);
        if definition.scope != MODULE_SCOPE {
            return Vec::new();
        }
        let ty = self.name(class.file, definition.name);
        let all = self.written_apart(self.language(class.file), self.package(class.file), ty, name);
        all.iter().map(|listed| listed.def).filter(|def| self.beside(class.file, def.file)).collect()
    }

    /// Members of a type that are written apart from it: those of a name, in its own file if some are there.
    pub(crate) fn members_apart(&self, class: Def, name: Sym) -> Vec<Def> {
        let mut members = self.apart(class, Some(name));
        if members.iter().any(|def| def.file == class.file) {
            members.retain(|def| def.file == class.file);
        }
        members
    }

    /// All members of a type that are written apart from it, those of its own file first.
    pub(crate) fn member_set_apart(&self, class: Def) -> Vec<Def> {
        let name = |def: Def| self.name(def.file, self.definition(def).name);
        let (own, others): (Vec<Def>, Vec<Def>) =
            self.apart(class, None).into_iter().partition(|def| def.file == class.file);
        let hidden: FxHashSet<Sym> = own.iter().map(|def| name(*def)).collect();
        own.into_iter().chain(others.into_iter().filter(|def| !hidden.contains(&name(*def)))).collect()
    }

    /// Methods of that name that interfaces ask for, libraries' last; none if there are too many to tell.
    pub(crate) fn interfaces_asking(&self, language: Language, name: Sym) -> &'w [Listed] {
        let asked = self.asked_for(language, name);
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
