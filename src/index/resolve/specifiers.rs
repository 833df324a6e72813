//! Module search by specifiers: relative paths, aliases, packages of the repository. Only paths of files that are in the
//! repository come out, so nothing that a configuration file says leads outside of it.

use super::eval::Eval;
use super::types::Type;
use super::world::parent;
use crate::lang::rules::{ModuleSystem, Specifiers, rules};
use crate::model::{FileFacts, Language, SearchKind, SearchRule};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most configuration files that one takes rules from.
const MAX_EXTENDED: usize = 32;

/// Most steps that a configured path takes upward.
const MAX_PARTS: usize = 128;

/// One thing that a configuration file says, by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Setting {
    kind: SearchKind,
    from: Box<str>,
    to: Box<str>,
}

impl Setting {
    /// All that a file says.
    pub(crate) fn all(facts: &FileFacts) -> Vec<Setting> {
        let setting = |rule: &SearchRule| Setting {
            kind: rule.kind,
            from: facts.name(rule.from).into(),
            to: facts.name(rule.to).into(),
        };
        facts.search.iter().map(setting).collect()
    }
}

/// One rule with its target as a path from the root, as far as it is one.
#[derive(Clone, Debug)]
struct Rule {
    kind: SearchKind,
    from: Box<str>,
    to: String,
}

/// What the configuration files of a repository say.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// Folders of packages by name, in path order.
    named: FxHashMap<Box<str>, Vec<String>>,
    /// Rules of the package in a folder.
    packages: BTreeMap<String, Vec<Rule>>,
    /// Aliases and bases that hold in a folder and below it, best first.
    configured: FxHashMap<String, Vec<Rule>>,
}

impl Search {
    /// Reads the rules of configuration files, each with its path, in path order.
    pub(crate) fn of<'p>(files: impl Iterator<Item = (&'p str, Vec<Setting>)>) -> Search {
        let mut search = Search::default();
        let mut configs: BTreeMap<&'p str, Vec<Setting>> = BTreeMap::new();
        for (path, settings) in files {
            let Some(first) = settings.first() else { continue };
            if first.kind != SearchKind::Package {
                configs.insert(path, settings);
                continue;
            }
            let folder = parent(path);
            search.named.entry(first.from.clone()).or_default().push(folder.to_owned());
            let rule = |setting: Setting| {
                let to = join(folder, &setting.to).unwrap_or_default();
                Rule { kind: setting.kind, from: setting.from, to }
            };
            search.packages.insert(folder.to_owned(), settings.into_iter().map(rule).collect());
        }
        // `tsconfig.json` comes after `jsconfig.json` and wins; the others count only where one of those names them.
        for path in configs.keys() {
            let name = path.rsplit('/').next().unwrap_or(path);
            if matches!(name, "tsconfig.json" | "jsconfig.json") {
                let rules = search.extended(&configs, path);
                search.configured.insert(parent(path).to_owned(), rules);
            }
        }
        search
    }

    /// The rules of a configuration file and of those it extends, its own first.
    fn extended(&self, configs: &BTreeMap<&str, Vec<Setting>>, path: &str) -> Vec<Rule> {
        let mut rules: Vec<Rule> = Vec::new();
        let mut seen: FxHashSet<String> = FxHashSet::from_iter([path.to_owned()]);
        let mut open = vec![path.to_owned()];
        while let Some(path) = open.pop() {
            let Some(settings) = configs.get(path.as_str()) else { continue };
            let folder = parent(&path);
            let base = settings.iter().find(|setting| setting.kind == SearchKind::Base);
            let base = base.and_then(|setting| join(folder, &setting.to));
            let mut below = Vec::new();
            for Setting { kind, from, to } in settings {
                let (kind, from) = (*kind, from.clone());
                match kind {
                    SearchKind::Extends => below.extend(self.config_at(configs, folder, to)),
                    SearchKind::Base => rules.extend(base.clone().map(|to| Rule { kind, from, to })),
                    kind => {
                        let target = join(base.as_deref().unwrap_or(folder), to);
                        rules.extend(target.map(|to| Rule { kind, from, to }));
                    }
                }
            }
            for path in below.into_iter().rev() {
                if seen.len() < MAX_EXTENDED && seen.insert(path.clone()) {
                    open.push(path);
                }
            }
        }
        // The longest pattern that fits is the one that counts, wherever it stands.
        rules.sort_by_key(|rule| (rule.kind != SearchKind::Alias, usize::MAX - rule.from.len()));
        rules
    }

    fn config_at(&self, configs: &BTreeMap<&str, Vec<Setting>>, folder: &str, to: &str) -> Option<String> {
        let base = if to.starts_with('.') {
            join(folder, to)?
        } else {
            let (package, rest) = split_package(to)?;
            join(self.named.get(package)?.first()?, rest)?
        };
        let folder = if base.is_empty() { "tsconfig.json".to_owned() } else { format!("{base}/tsconfig.json") };
        let places = [base.clone(), format!("{base}.json"), folder];
        places.into_iter().find(|path| configs.contains_key(path.as_str()))
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

/// Looks for files; whoever asks says how.
struct Finder<'x> {
    search: &'x dyn Fn() -> &'x Search,
    rules: &'x Specifiers,
    /// The file of code at a path.
    file: &'x dyn Fn(&str) -> Option<u32>,
}

impl Eval<'_, '_> {
    /// The module that a specifier names; `External` where nothing in the repository has that name.
    pub(super) fn specified(&mut self, file: u32, specifier: &str) -> Option<Type> {
        let ModuleSystem::Specifiers(rules) = &self.world.rules(file).module_system else { return None };
        let whole = self.world.sym(specifier);
        let specifier = specifier.split(['?', '!']).next().unwrap_or_default();
        let path = self.world.path(file);
        if specifier.is_empty() || specifier.starts_with('/') {
            return None;
        }
        let world = &self.world;
        let is_code = |path: &str| {
            let file = world.file(path)?;
            matches!(world.rules(file).module_system, ModuleSystem::Specifiers(_)).then_some(file)
        };
        let finder = Finder { search: &|| world.search(), rules, file: &is_code };
        if matches!(specifier, "." | "..") || specifier.starts_with("./") || specifier.starts_with("../") {
            return finder.code_at(&join(parent(path), specifier)?, true).map(Type::Module);
        }
        match finder.aliased(path, specifier) {
            Some(found) => Some(Type::Module(found)),
            None => whole.map(Type::External),
        }
    }
}

/// Files that packages of the repository are known by: their own, and those that they export. `files` gives path, language
/// and settings of each file, in path order.
pub(super) fn entry_files<'p>(files: &[(&'p str, Language, &[Setting])]) -> Vec<u32> {
    let numbers: FxHashMap<&'p str, u32> = files.iter().map(|(path, ..)| *path).zip(0..).collect();
    let system = |file: u32| &rules(files[file as usize].1).module_system;
    let all = 0..files.len() as u32;
    let rules = all.clone().find_map(|file| match system(file) {
        ModuleSystem::Specifiers(rules) => Some(rules),
        _ => None,
    });
    let Some(rules) = rules else { return Vec::new() };
    let is_code = |path: &str| {
        let file = *numbers.get(path)?;
        matches!(system(file), ModuleSystem::Specifiers(_)).then_some(file)
    };
    let settings = files.iter().filter(|(_, _, settings)| !settings.is_empty());
    let search = Search::of(settings.map(|(path, _, settings)| (*path, settings.to_vec())));
    let finder = Finder { search: &|| &search, rules, file: &is_code };
    let mut entries = Vec::new();
    for (folder, package) in &search.packages {
        entries.extend(finder.in_package_folder(folder, ""));
        for rule in package.iter().filter(|rule| matches!(rule.kind, SearchKind::Export | SearchKind::Main)) {
            match rule.to.split_once('*') {
                None => entries.extend(finder.code_at(&rule.to, false).or_else(|| finder.built_from(&rule.to))),
                Some((start, _)) => {
                    let from = files.partition_point(|(path, ..)| *path < start);
                    let below = files[from..].iter().take_while(|(path, ..)| path.starts_with(start));
                    entries.extend((from as u32..).zip(below).map(|(file, _)| file));
                }
            }
        }
    }
    entries.sort_unstable();
    entries.dedup();
    entries
}

impl Finder<'_> {
    /// A module by an alias, a configured base, or the name of a package of the repository.
    fn aliased(&self, path: &str, specifier: &str) -> Option<u32> {
        let search = (self.search)();
        if specifier.starts_with('#') {
            let package = folders(path).find_map(|folder| search.packages.get(folder))?;
            return self.targets(package, SearchKind::Private, specifier);
        }
        if let Some(configured) = folders(path).find_map(|folder| search.configured.get(folder)) {
            for rule in configured {
                let wanted = match rule.kind {
                    SearchKind::Alias => star(&rule.from, specifier).map(|star| rule.to.replacen('*', star, 1)),
                    _ => join(&rule.to, specifier),
                };
                let found = wanted.and_then(|wanted| join("", &wanted));
                if let Some(found) = found.and_then(|wanted| self.code_at(&wanted, true)) {
                    return Some(found);
                }
            }
        }
        for (mark, places) in self.rules.conventions {
            let Some(rest) = specifier.strip_prefix(mark) else { continue };
            for folder in folders(path) {
                for place in *places {
                    let wanted = join(folder, place).and_then(|base| join(&base, rest));
                    if let Some(found) = wanted.and_then(|wanted| self.code_at(&wanted, true)) {
                        return Some(found);
                    }
                }
            }
        }
        let (name, rest) = split_package(specifier)?;
        let common = |folder: &&String| path.bytes().zip(folder.bytes()).take_while(|(a, b)| a == b).count();
        self.in_package_folder(search.named.get(name)?.iter().max_by_key(common)?, rest)
    }

    /// A module of the package in a folder.
    fn in_package_folder(&self, folder: &str, rest: &str) -> Option<u32> {
        let package = (self.search)().packages.get(folder)?;
        let subpath = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        if let Some(found) = self.targets(package, SearchKind::Export, &subpath) {
            return Some(found);
        }
        if rest.is_empty() {
            return self.main_of(package).or_else(|| {
                let places = ["src/index", "index", "src/main", "lib/index", "src", "source/index"];
                places.iter().find_map(|place| self.code_at(&join(folder, place)?, true))
            });
        }
        let direct = join(folder, rest).and_then(|wanted| self.code_at(&wanted, true));
        direct.or_else(|| self.code_at(&join(&join(folder, "src")?, rest)?, true))
    }

    fn main_of(&self, package: &[Rule]) -> Option<u32> {
        let mains = || package.iter().filter(|rule| rule.kind == SearchKind::Main);
        let as_written = mains().find_map(|rule| self.code_at(&rule.to, false));
        as_written.or_else(|| mains().find_map(|rule| self.built_from(&rule.to)))
    }

    fn targets(&self, package: &[Rule], kind: SearchKind, wanted: &str) -> Option<u32> {
        let of_kind = || package.iter().filter(|rule| rule.kind == kind);
        let fitting = || of_kind().filter_map(|rule| Some(rule.to.replace('*', star(&rule.from, wanted)?)));
        // What a build will put there is not in the repository; what it is made of is.
        fitting()
            .find_map(|path| self.code_at(&path, false))
            .or_else(|| fitting().find_map(|path| self.built_from(&path)))
    }

    /// The source of a file that a build makes: `a/dist/x.js` of `a/src/x.ts`.
    fn built_from(&self, path: &str) -> Option<u32> {
        let parts: Vec<&str> = path.split('/').collect();
        let is_built = |part: &&str| self.rules.built.contains(part);
        let at = parts.iter().position(is_built)?;
        let last = at + parts[at..].iter().take_while(|part| is_built(part)).count();
        let (before, after) = (parts[..at].join("/"), parts[last..].join("/"));
        let stem = self.rules.stem_of(&after);
        ["src", "source", "lib", ""].iter().find_map(|place| self.code_at(&join(&join(&before, place)?, stem)?, true))
    }

    /// The file of code at a path: as what it is compiled from, as it is written, with an extension, or in a folder.
    fn code_at(&self, path: &str, folders: bool) -> Option<u32> {
        for (written, sources) in self.rules.compiled {
            if let Some(stem) = path.strip_suffix(written) {
                let found = sources.iter().find_map(|source| (self.file)(&format!("{stem}{source}")));
                if found.is_some() {
                    return found;
                }
            }
        }
        if path.is_empty() && !folders {
            return None;
        }
        let with_extension = |path: &str| {
            let mut extensions = self.rules.extensions.iter();
            extensions.find_map(|extension| (self.file)(&format!("{path}{extension}")))
        };
        if !path.is_empty()
            && let Some(found) = (self.file)(path).or_else(|| with_extension(path))
        {
            return Some(found);
        }
        if !folders {
            return None;
        }
        if let Some(package) = (self.search)().packages.get(path)
            && let Some(found) = self.main_of(package)
        {
            return Some(found);
        }
        if path.is_empty() { with_extension("index") } else { with_extension(&format!("{path}/index")) }
    }
}
