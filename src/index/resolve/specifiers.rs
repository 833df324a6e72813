//! Module search by specifiers: relative paths, aliases, packages of the repository. Only paths of files that are in the
//! repository come out, so nothing that a configuration file says leads outside of it.

use super::eval::Eval;
use super::types::Type;
use super::world::{World, parent};
use crate::lang::rules::{ModuleSystem, Specifiers, rules};
use crate::model::{FileFacts, SearchKind, SearchRule};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Most configuration files that one takes rules from.
const MAX_EXTENDED: usize = 32;

/// Most steps that a configured path takes upward.
const MAX_PARTS: usize = 128;

/// One rule with its target as a path from the root, as far as it is one.
#[derive(Clone, Debug)]
struct Rule<'a> {
    kind: SearchKind,
    from: &'a str,
    to: String,
}

/// What the configuration files of a repository say.
#[derive(Debug, Default)]
pub(crate) struct Search<'a> {
    /// Folders of packages by name, in path order.
    named: FxHashMap<&'a str, Vec<&'a str>>,
    /// Rules of the package in a folder.
    packages: BTreeMap<&'a str, Vec<Rule<'a>>>,
    /// Aliases and bases that hold in a folder and below it, best first.
    configured: FxHashMap<&'a str, Vec<Rule<'a>>>,
}

impl<'a> Search<'a> {
    /// Reads the rules of all files that have some; `files` gives path and facts in path order.
    pub(crate) fn of(files: impl Iterator<Item = (&'a str, &'a FileFacts)>) -> Search<'a> {
        let mut search = Search::default();
        let mut configs: FxHashMap<&'a str, &'a FileFacts> = FxHashMap::default();
        for (path, facts) in files {
            let folder = parent(path);
            let is_package = facts.search.first().is_some_and(|rule| rule.kind == SearchKind::Package);
            if !is_package {
                configs.insert(path, facts);
                continue;
            }
            let rules = facts.search.iter().map(|rule| {
                let to = join(folder, facts.name(rule.to)).unwrap_or_default();
                Rule { kind: rule.kind, from: facts.name(rule.from), to }
            });
            let rules: Vec<Rule<'a>> = rules.collect();
            search.named.entry(rules[0].from).or_default().push(folder);
            search.packages.insert(folder, rules);
        }
        let mut paths: Vec<&'a str> = configs.keys().copied().collect();
        // `tsconfig.json` before `jsconfig.json`; the others count only where one of those names them.
        paths.sort_by_key(|path| (parent(path), std::cmp::Reverse(*path)));
        for path in paths {
            let name = path.rsplit('/').next().unwrap_or(path);
            if matches!(name, "tsconfig.json" | "jsconfig.json") {
                let rules = search.extended(&configs, path);
                search.configured.entry(parent(path)).or_insert(rules);
            }
        }
        search
    }

    /// The rules of a configuration file and of those it extends, its own first.
    fn extended(&self, configs: &FxHashMap<&'a str, &'a FileFacts>, path: &'a str) -> Vec<Rule<'a>> {
        let mut rules = Vec::new();
        let mut seen: FxHashSet<&str> = FxHashSet::from_iter([path]);
        let mut open = vec![path];
        while let Some(path) = open.pop() {
            let Some(facts) = configs.get(path) else { continue };
            let folder = parent(path);
            let to = |rule: &SearchRule| facts.name(rule.to);
            let base = facts.search.iter().find(|rule| rule.kind == SearchKind::Base);
            let base = base.and_then(|rule| join(folder, to(rule)));
            let mut below = Vec::new();
            for rule in &facts.search {
                let from = facts.name(rule.from);
                match rule.kind {
                    SearchKind::Extends => below.extend(self.config_at(configs, folder, to(rule))),
                    SearchKind::Base => rules.extend(base.clone().map(|to| Rule { kind: rule.kind, from, to })),
                    kind => {
                        let target = join(base.as_deref().unwrap_or(folder), to(rule));
                        rules.extend(target.map(|to| Rule { kind, from, to }));
                    }
                }
            }
            for path in below.into_iter().rev() {
                if seen.len() < MAX_EXTENDED && seen.insert(path) {
                    open.push(path);
                }
            }
        }
        // The longest pattern that fits is the one that counts, wherever it stands.
        rules.sort_by_key(|rule| (rule.kind != SearchKind::Alias, usize::MAX - rule.from.len()));
        rules
    }

    fn config_at(&self, configs: &FxHashMap<&'a str, &'a FileFacts>, folder: &str, to: &str) -> Option<&'a str> {
        let base = if to.starts_with('.') {
            join(folder, to)?
        } else {
            let (package, rest) = split_package(to)?;
            join(self.named.get(package)?.first()?, rest)?
        };
        let found = |path: String| configs.get_key_value(path.as_str()).map(|(path, _)| *path);
        found(base.clone())
            .or_else(|| found(format!("{base}.json")))
            .or_else(|| found(format!("{base}/tsconfig.json")))
            .or_else(|| (base.is_empty()).then(|| found("tsconfig.json".to_owned())).flatten())
    }
}

/// `a/b` from `folder`, with `.` and `..` taken away; `None` if it leads above the root.
fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/').take(MAX_PARTS) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// `@scope/name` or `name`, and what follows without its slash.
fn split_package(specifier: &str) -> Option<(&str, &str)> {
    let from = if specifier.starts_with('@') { specifier.find('/')? + 1 } else { 0 };
    match specifier[from..].find('/') {
        Some(at) => Some((&specifier[..from + at], &specifier[from + at + 1..])),
        None => Some((specifier, "")),
    }
}

/// What the star of a pattern stands for in a specifier.
fn star<'s>(pattern: &str, specifier: &'s str) -> Option<&'s str> {
    match pattern.split_once('*') {
        Some((start, end)) => specifier.strip_prefix(start)?.strip_suffix(end),
        None => (pattern == specifier).then_some(""),
    }
}

/// The folders around a file, from inside out, the root last.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    let first = parent(path);
    std::iter::successors(Some(first), |folder| (!folder.is_empty()).then(|| parent(folder)))
}

impl Eval<'_, '_> {
    /// The module that a specifier names; `External` where nothing in the repository has that name.
    pub(super) fn specified(&mut self, file: u32, specifier: &str) -> Option<Type> {
        let ModuleSystem::Specifiers(rules) = &self.world.rules(file).module_system else { return None };
        let specifier = specifier.split(['?', '!']).next().unwrap_or_default();
        let path = &self.world.units[file as usize].path;
        if specifier.is_empty() || specifier.starts_with('/') {
            return None;
        }
        if matches!(specifier, "." | "..") || specifier.starts_with("./") || specifier.starts_with("../") {
            let wanted = join(parent(path), specifier)?;
            return self.world.code_at(rules, &wanted, true).map(Type::Module);
        }
        if let Some(found) = self.world.aliased(rules, path, specifier) {
            return Some(Type::Module(found));
        }
        self.world.external(specifier)
    }
}

impl<'a> World<'a> {
    fn external(&self, specifier: &str) -> Option<Type> {
        let name = specifier.rsplit('/').next().unwrap_or(specifier);
        Some(self.sym(name).or_else(|| self.sym(specifier)).map_or(Type::Unknown, Type::External))
    }

    /// A module by an alias, a configured base, or the name of a package of the repository.
    fn aliased(&self, rules: &Specifiers, path: &str, specifier: &str) -> Option<u32> {
        let search = &self.search;
        if specifier.starts_with('#') {
            let package = folders(path).find_map(|folder| search.packages.get(folder))?;
            return self.targets(rules, package, SearchKind::Private, specifier);
        }
        if let Some(configured) = folders(path).find_map(|folder| search.configured.get(folder)) {
            for rule in configured {
                let wanted = match rule.kind {
                    SearchKind::Alias => star(rule.from, specifier).map(|star| rule.to.replacen('*', star, 1)),
                    _ => join(&rule.to, specifier),
                };
                let found = wanted.and_then(|wanted| join("", &wanted));
                if let Some(found) = found.and_then(|wanted| self.code_at(rules, &wanted, true)) {
                    return Some(found);
                }
            }
        }
        for (mark, places) in rules.conventions {
            let Some(rest) = specifier.strip_prefix(mark) else { continue };
            for folder in folders(path) {
                for place in *places {
                    let wanted = join(folder, place).and_then(|base| join(&base, rest));
                    if let Some(found) = wanted.and_then(|wanted| self.code_at(rules, &wanted, true)) {
                        return Some(found);
                    }
                }
            }
        }
        let (name, rest) = split_package(specifier)?;
        let common = |folder: &&str| path.bytes().zip(folder.bytes()).take_while(|(a, b)| a == b).count();
        let folder = search.named.get(name)?.iter().copied().max_by_key(common)?;
        self.in_package_folder(rules, folder, rest)
    }

    /// A module of the package in a folder.
    fn in_package_folder(&self, rules: &Specifiers, folder: &str, rest: &str) -> Option<u32> {
        let package = self.search.packages.get(folder)?;
        let subpath = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        if let Some(found) = self.targets(rules, package, SearchKind::Export, &subpath) {
            return Some(found);
        }
        if rest.is_empty() {
            return self.main_of(rules, package).or_else(|| {
                let places = ["src/index", "index", "src/main", "lib/index", "src", "source/index"];
                places.iter().find_map(|place| self.code_at(rules, &join(folder, place)?, true))
            });
        }
        let direct = join(folder, rest).and_then(|wanted| self.code_at(rules, &wanted, true));
        direct.or_else(|| self.code_at(rules, &join(&join(folder, "src")?, rest)?, true))
    }

    /// The files that packages of the repository are known by: their own, and those that they export.
    pub(super) fn entry_files(&self) -> FxHashSet<u32> {
        let mut files = FxHashSet::default();
        let rules = self.units.iter().find_map(|unit| match &rules(unit.facts.language).module_system {
            ModuleSystem::Specifiers(rules) => Some(rules),
            _ => None,
        });
        let Some(rules) = rules else { return files };
        for (folder, package) in &self.search.packages {
            files.extend(self.in_package_folder(rules, folder, ""));
            for rule in package.iter().filter(|rule| matches!(rule.kind, SearchKind::Export | SearchKind::Main)) {
                match rule.to.split_once('*') {
                    None => {
                        let found = self.code_at(rules, &rule.to, false).or_else(|| self.built_from(rules, &rule.to));
                        files.extend(found);
                    }
                    Some((start, _)) => files.extend(self.files_below(start)),
                }
            }
        }
        files
    }

    fn main_of(&self, rules: &Specifiers, package: &[Rule<'_>]) -> Option<u32> {
        let mains = || package.iter().filter(|rule| rule.kind == SearchKind::Main);
        mains()
            .find_map(|rule| self.code_at(rules, &rule.to, false))
            .or_else(|| mains().find_map(|rule| self.built_from(rules, &rule.to)))
    }

    fn targets(&self, rules: &Specifiers, package: &[Rule<'_>], kind: SearchKind, wanted: &str) -> Option<u32> {
        let fitting = || {
            package
                .iter()
                .filter(|rule| rule.kind == kind)
                .filter_map(|rule| star(rule.from, wanted).map(|star| rule.to.replace('*', star)))
        };
        // What a build will put there is not in the repository; what it is made of is.
        fitting()
            .find_map(|path| self.code_at(rules, &path, false))
            .or_else(|| fitting().find_map(|path| self.built_from(rules, &path)))
    }

    /// The source of a file that a build makes: `a/dist/x.js` of `a/src/x.ts`.
    fn built_from(&self, rules: &Specifiers, path: &str) -> Option<u32> {
        let parts: Vec<&str> = path.split('/').collect();
        let at = parts.iter().position(|part| rules.built.contains(part))?;
        let mut last = at + 1;
        while last < parts.len() && rules.built.contains(&parts[last]) {
            last += 1;
        }
        let (before, after) = (parts[..at].join("/"), parts[last..].join("/"));
        let stem = rules.stem_of(&after);
        ["src", "source", "lib", ""].iter().find_map(|place| {
            let folder = join(&before, place)?;
            self.code_at(rules, &join(&folder, stem)?, true)
        })
    }

    /// The file of code at a path: as it is written, as what it is compiled from, with an extension, or in a folder.
    pub(super) fn code_at(&self, rules: &Specifiers, path: &str, folders: bool) -> Option<u32> {
        let is_code = |path: &str| {
            let file = self.file(path)?;
            let system = &self.rules(file).module_system;
            matches!(system, ModuleSystem::Specifiers(_)).then_some(file)
        };
        for (written, sources) in rules.compiled {
            if let Some(stem) = path.strip_suffix(written) {
                for source in *sources {
                    if let Some(found) = is_code(&format!("{stem}{source}")) {
                        return Some(found);
                    }
                }
            }
        }
        if let Some(found) = is_code(path) {
            return Some(found);
        }
        if !path.is_empty() {
            for extension in rules.extensions {
                if let Some(found) = is_code(&format!("{path}{extension}")) {
                    return Some(found);
                }
            }
        }
        if !folders {
            return None;
        }
        if let Some(package) = self.search.packages.get(path)
            && let Some(found) = self.main_of(rules, package)
        {
            return Some(found);
        }
        let index = if path.is_empty() { "index".to_owned() } else { format!("{path}/index") };
        rules.extensions.iter().find_map(|extension| is_code(&format!("{index}{extension}")))
    }
}
