//! The places that do not go with a change any more: calls that do not fit, uses of what is gone, overrides that have to
//! follow, classes that lack a new abstract method.

use super::compare::Version;
use super::fits::{Arguments, Misfit, misfit};
use super::types::{Declared, goes_as};
use super::{Broken, Change, ChangedSymbol, Versions};
use crate::lang::{is_test, rules};
use crate::model::*;
use crate::query::kinds::Kinds;
use crate::query::overrides;
use crate::query::reach::{Direction, Walk, reach};
use crate::query::symbol::{COLUMNS, SymbolRow};
use crate::store::Reader;
use anyhow::Result;
use rusqlite::OptionalExtension;
use std::collections::{BTreeMap, BTreeSet};

/// Sites of one symbol that are checked.
const MAX_CHECKED: u32 = 2_000;

/// Classes above or below a class that are looked at.
const MAX_CLASSES: usize = 200;

/// Places that no longer go with the change of `symbol`, which is `rows` in the graph; in no order.
///
/// # Errors
/// What SQLite says.
pub(super) fn check(
    reader: &Reader,
    symbol: &ChangedSymbol,
    rows: &[SymbolRow],
    versions: &mut Versions<'_>,
) -> Result<Vec<Broken>> {
    match symbol.change {
        Change::Removed if still_there(reader, symbol, rows, versions)? => Ok(Vec::new()),
        Change::Removed => Ok([
            uses_of_what_is_gone(reader, symbol, rows, versions)?,
            calls_that_do_not_fit(reader, symbol, rows, versions)?,
        ]
        .concat()),
        Change::Signature => Ok([
            calls_that_do_not_fit(reader, symbol, rows, versions)?,
            overrides_that_do_not_follow(reader, symbol, rows, versions)?,
        ]
        .concat()),
        Change::Added => classes_that_lack(reader, symbol, versions),
        Change::Body | Change::Moved => Ok(Vec::new()),
    }
}

/// Calls that fitted before the change and do not now.
fn calls_that_do_not_fit(
    reader: &Reader,
    symbol: &ChangedSymbol,
    rows: &[SymbolRow],
    versions: &mut Versions<'_>,
) -> Result<Vec<Broken>> {
    let called = called_name(symbol);
    let mut broken = Vec::new();
    for (path, sites) in sites(reader, rows, symbol)? {
        let is_changed = versions.changed.contains_key(&path);
        // A file that was changed with it is taken to know what is gone; what it calls now cannot be seen in the graph.
        if is_changed && symbol.change == Change::Removed {
            continue;
        }
        if versions.new_of(&path).is_none() {
            continue;
        }
        let has_moved = versions.has_moved(reader, &path)?;
        let (Some((old, new)), Some(caller)) = (versions.both(&symbol.file), versions.known(&path)) else { continue };
        let judge = Judge { reader, symbol, old, new };
        for (reference, arguments) in calls_of(&caller.facts, called, &sites, is_changed || has_moved) {
            let why = judge.misfit(&caller.facts, &reference, &Arguments::of(&caller.facts, arguments))?;
            // What a file that was changed with it makes of another type cannot be seen.
            if let Some(why) = why.filter(|why| !is_changed || why.is_seen_at_the_call()) {
                broken.push(broken_at(symbol, &path, &caller.facts, &reference, why));
            }
        }
    }
    Ok(broken)
}

fn broken_at(symbol: &ChangedSymbol, path: &str, facts: &FileFacts, reference: &Reference, why: Misfit) -> Broken {
    Broken {
        file: path.to_string(),
        line: reference.line,
        caller: reference.enclosing.map_or_else(String::new, |id| facts.qualname(id)),
        symbol: format!("{}::{}", symbol.file, symbol.qualname),
        why,
        test: is_test(path),
    }
}

/// The two versions of a changed symbol, and calls of it to be judged.
struct Judge<'j> {
    reader: &'j Reader,
    symbol: &'j ChangedSymbol,
    old: Option<&'j Version>,
    new: Option<&'j Version>,
}

impl Judge<'_> {
    /// Why a call that fitted does not fit now.
    fn misfit(&self, caller: &FileFacts, reference: &Reference, arguments: &Arguments<'_>) -> Result<Option<Misfit>> {
        let (fitted, _) = taking(self.old, &self.symbol.qualname, arguments);
        let (fitting, why) = taking(self.new, &self.symbol.qualname, arguments);
        let (Some(old), false) = (self.old, fitted.is_empty()) else { return Ok(None) };
        if let (Some(new), None, true) = (self.new, &why, is_constructor(self.symbol))
            && let Some((class, _)) = self.symbol.qualname.rsplit_once('.')
            && new.named(class).next().is_some()
        {
            return Ok(arguments.surplus(0));
        }
        let (Some(new), false) = (self.new, fitting.is_empty()) else { return Ok(Some(why.unwrap_or(Misfit::Gone))) };
        let is_async = |all: &[&Definition]| all.iter().all(|definition| definition.flags.has(DefFlags::ASYNC));
        if is_async(&fitting) && !is_async(&fitted) && !is_handled(caller, reference.expr) {
            return Ok(Some(Misfit::Awaitable));
        }
        if !rules::rules(new.facts.language).declared_types {
            return Ok(None);
        }
        let mut why = None;
        for was in &fitted {
            for is in &fitting {
                match self.retyped((old, was), (new, is), arguments)? {
                    Some(misfit) => why = why.or(Some(misfit)),
                    None => return Ok(None),
                }
            }
        }
        Ok(why)
    }

    /// The first declared type that does not go with what was declared before.
    fn retyped(
        &self,
        (old, was): (&Version, &Definition),
        (new, is): (&Version, &Definition),
        arguments: &Arguments<'_>,
    ) -> Result<Option<Misfit>> {
        let language = new.facts.language;
        for (was_param, is_param) in was.params.iter().zip(&is.params).take(arguments.positional()) {
            let (Some(was_type), Some(is_type)) = (was_param.ty, is_param.ty) else { continue };
            if was_param.kind != is_param.kind {
                return Ok(None);
            }
            let (from, to) = (Declared::of(&old.facts, was, was_type), Declared::of(&new.facts, is, is_type));
            if !goes_as(self.reader, language, &from, &to)? {
                let parameter = new.facts.name(is_param.name).to_string();
                return Ok(Some(Misfit::Retyped { parameter, was: from.text().into(), is: to.text().into() }));
            }
        }
        let (Some(was_type), Some(is_type)) = (was.ty, is.ty) else { return Ok(None) };
        if matches!(old.facts.expr(was_type), Expr::Literal(Literal::None)) {
            return Ok(None);
        }
        let (was, is) = (Declared::of(&old.facts, was, was_type), Declared::of(&new.facts, is, is_type));
        let covariant = goes_as(self.reader, language, &is, &was)?;
        Ok((!covariant).then(|| Misfit::Result { was: was.text().into(), is: is.text().into() }))
    }
}

/// The definitions of a name that take the arguments, and why the first of the others does not.
fn taking<'v>(
    version: Option<&'v Version>,
    qualname: &'v str,
    arguments: &Arguments<'_>,
) -> (Vec<&'v Definition>, Option<Misfit>) {
    let (mut taking, mut why) = (Vec::new(), None);
    for (version, definition) in version.into_iter().flat_map(|v| v.named(qualname).map(move |named| (v, named))) {
        match misfit(&version.facts, definition, arguments) {
            None => taking.push(definition),
            Some(misfit) => why = why.or(Some(misfit)),
        }
    }
    (taking, why)
}

/// Whether the result of a call is awaited, or handed on to someone who may.
fn is_handled(facts: &FileFacts, call: ExprId) -> bool {
    let bound = facts.bindings.iter().find(|binding| binding.value == Some(call)).map(|binding| binding.name);
    let given = |args: List| facts.list(args).contains(&call);
    facts.exprs.iter().any(|expr| match *expr {
        Expr::Awaited { of } => match facts.expr(of) {
            Expr::Name { name, .. } => Some(name) == bound,
            _ => of == call,
        },
        Expr::Call { args, .. } | Expr::New { args, .. } => given(args),
        Expr::Keyword { of: value, .. } | Expr::Spread { of: value } => value == call,
        Expr::Display { items, .. } | Expr::Entries { items } => given(items),
        _ => false,
    }) || facts.definitions.iter().any(|definition| given(definition.returns))
}

/// Constructors are called by the name of their class.
fn called_name(symbol: &ChangedSymbol) -> &str {
    let mut parts = symbol.qualname.rsplit('.');
    let last = parts.next().unwrap_or_default();
    if is_constructor(symbol) { parts.next().unwrap_or(last) } else { last }
}

fn is_constructor(symbol: &ChangedSymbol) -> bool {
    symbol.kind == "constructor" || symbol.qualname.ends_with(".__init__")
}

/// What was removed may be had under its name all the same: imported into its place, or inherited.
fn still_there(
    reader: &Reader,
    symbol: &ChangedSymbol,
    rows: &[SymbolRow],
    versions: &mut Versions<'_>,
) -> Result<bool> {
    let Some((_, Some(new))) = versions.both(&symbol.file) else { return Ok(false) };
    let facts = &new.facts;
    let (class, name) = match symbol.qualname.rsplit_once('.') {
        Some((class, name)) => (Some(class), name),
        None => (None, symbol.qualname.as_str()),
    };
    let class_stands = class.is_some_and(|class| new.named(class).next().is_some());
    if !class_stands {
        let top = symbol.qualname.split('.').next().unwrap_or_default();
        let imported = |import: &Import| import.binds.is_none_or(|bound| facts.name(bound) == top);
        // Where a file's imports can be imported from it.
        if !rules::rules(facts.language).package_scope && facts.imports.iter().any(imported) {
            return Ok(true);
        }
        return Ok(facts.bindings.iter().any(|binding| facts.name(binding.name) == top));
    }
    if is_constructor(symbol) {
        // Without a superclass there is one that takes nothing.
        return Ok(!class.is_some_and(|class| has_no_superclass(new, class)));
    }
    let name = name.to_string();
    for row in rows {
        if !overrides::bases(reader, row.id)?.is_empty() || may_inherit(reader, row, &name, versions)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has_no_superclass(version: &Version, class: &str) -> bool {
    version.named(class).all(|class| class.supertypes.len == 0)
}

/// Whether the class of a member may have another of that name from above: declared there, or unknown because some
/// superclass is. Interfaces that are not ours are taken not to have it: a class that no longer implements what they
/// declare would not compile.
fn may_inherit(reader: &Reader, member: &SymbolRow, name: &str, versions: &mut Versions<'_>) -> Result<bool> {
    let container: i64 =
        reader.connection().query_row("SELECT container FROM symbol WHERE id = ?1", [member.id], |row| row.get(0))?;
    let sql = format!("SELECT {COLUMNS} FROM symbol s JOIN file f ON f.id = s.file WHERE s.id = ?1");
    let mut class = reader.connection().prepare_cached(&sql)?;
    let mut open = vec![container];
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Some(row) = class.query_row([id], SymbolRow::of).optional()? else { return Ok(true) };
        let Some(version) = versions.new_of(&row.file) else { return Ok(true) };
        if id != container && version.named(&format!("{}.{name}", row.qualname)).next().is_some() {
            return Ok(true);
        }
        let Some(definition) = version.named(&row.qualname).next() else { return Ok(true) };
        let declared = definition.supertypes.len as usize;
        let above = |word| -> Result<Vec<i64>> {
            let walk = Walk { direction: Direction::Dependencies, depth: 1, kinds: Kinds::of_words([word])? };
            Ok(reach(reader, &[id], walk)?.found().map(|(node, _)| node).filter(|node| *node > 0).collect())
        };
        let (bases, interfaces) = (above("inherit")?, above("implement")?);
        if bases.len() < declared || seen.len() > MAX_CLASSES {
            return Ok(true);
        }
        open.extend(bases.into_iter().chain(interfaces));
    }
    Ok(false)
}

/// Where the graph has uses of a symbol in one file: their lines and the functions they are in.
#[derive(Default)]
struct Sites {
    lines: BTreeSet<u32>,
    callers: BTreeSet<String>,
}

/// Files with resolved calls of the symbol, or, of a constructor, of its class.
fn sites(reader: &Reader, rows: &[SymbolRow], symbol: &ChangedSymbol) -> Result<BTreeMap<String, Sites>> {
    let mut ids: BTreeSet<i64> = rows.iter().map(|row| row.id).collect();
    if is_constructor(symbol) {
        let mut container = reader.connection().prepare_cached("SELECT container FROM symbol WHERE id = ?1")?;
        for row in rows {
            ids.insert(container.query_row([row.id], |row| row.get(0))?);
        }
    }
    resolved_sites(reader, &ids, "e.kind < 2")
}

fn resolved_sites(reader: &Reader, ids: &BTreeSet<i64>, which: &str) -> Result<BTreeMap<String, Sites>> {
    let sql = format!(
        "SELECT f.path, e.line, coalesce(c.qualname, '') FROM edge e JOIN file f ON f.id = e.caller_file
        LEFT JOIN symbol c ON c.id = e.caller WHERE e.callee = ?1 AND {which} AND e.resolution < 4 LIMIT ?2"
    );
    let mut statement = reader.connection().prepare_cached(&sql)?;
    let mut found: BTreeMap<String, Sites> = BTreeMap::new();
    for id in ids {
        let mut rows = statement.query((id, MAX_CHECKED))?;
        while let Some(row) = rows.next()? {
            let sites = found.entry(row.get(0)?).or_default();
            sites.lines.insert(row.get(1)?);
            sites.callers.insert(row.get(2)?);
        }
    }
    Ok(found)
}

/// The calls of that name at the lines that the graph has; in a file whose lines are others now, in the functions that it has.
fn calls_of(facts: &FileFacts, name: &str, sites: &Sites, has_moved: bool) -> Vec<(Reference, List)> {
    let mut calls = Vec::new();
    for reference in &facts.references {
        let (Expr::Call { of, args } | Expr::New { of, args }) = facts.expr(reference.expr) else { continue };
        let caller = || reference.enclosing.map_or_else(String::new, |id| facts.qualname(id));
        let here = if has_moved { sites.callers.contains(&caller()) } else { sites.lines.contains(&reference.line) };
        if last_name(facts, of) == Some(name) && here && matches!(reference.role, Role::Call | Role::Construct) {
            calls.push((*reference, args));
        }
    }
    calls
}

/// The name that a reference ends in: `b` of `a.b`, of `a.b[T]` and of `a.b()`.
fn last_name(facts: &FileFacts, mut id: ExprId) -> Option<&str> {
    loop {
        match facts.expr(id) {
            Expr::Apply { of, .. } | Expr::Call { of, .. } | Expr::New { of, .. } => id = of,
            Expr::Name { name, .. } | Expr::Member { name, .. } => return Some(facts.name(name)),
            _ => return None,
        }
    }
}

/// Uses other than calls of what is gone, in files that did not change: imports, types, subclasses, values.
fn uses_of_what_is_gone(
    reader: &Reader,
    symbol: &ChangedSymbol,
    rows: &[SymbolRow],
    versions: &mut Versions<'_>,
) -> Result<Vec<Broken>> {
    let name = called_name(symbol);
    let mut broken = Vec::new();
    if is_constructor(symbol) {
        return Ok(broken);
    }
    let ids = rows.iter().map(|row| row.id).collect();
    for (path, sites) in resolved_sites(reader, &ids, "e.kind >= 2")? {
        if versions.changed.contains_key(&path) {
            continue;
        }
        let Some(Version { facts, .. }) = versions.new_of(&path) else { continue };
        let at_line = |reference: &&Reference| sites.lines.contains(&reference.line);
        for reference in facts.references.iter().filter(at_line) {
            if last_name(facts, reference.expr) == Some(name) {
                broken.push(broken_at(symbol, &path, facts, reference, Misfit::Gone));
            }
        }
        let imports = |import: &&Import| {
            sites.lines.contains(&import.line) && import.name.is_some_and(|imported| facts.name(imported) == name)
        };
        broken.extend(facts.imports.iter().filter(imports).map(|import| Broken {
            file: path.clone(),
            line: import.line,
            caller: String::new(),
            symbol: format!("{}::{}", symbol.file, symbol.qualname),
            why: Misfit::Gone,
            test: is_test(&path),
        }));
    }
    Ok(broken)
}

/// Overrides that agreed with the method in its parameters and do not now.
fn overrides_that_do_not_follow(
    reader: &Reader,
    symbol: &ChangedSymbol,
    rows: &[SymbolRow],
    versions: &mut Versions<'_>,
) -> Result<Vec<Broken>> {
    if is_constructor(symbol) {
        return Ok(Vec::new());
    }
    let sql = format!("SELECT {COLUMNS} FROM symbol s JOIN file f ON f.id = s.file WHERE s.id = ?1");
    let mut of_id = reader.connection().prepare_cached(&sql)?;
    let mut ids = BTreeSet::new();
    for row in rows {
        ids.extend(overrides::overriders(reader, row.id)?);
    }
    let mut broken = Vec::new();
    for id in ids {
        let row = of_id.query_row([id], SymbolRow::of)?;
        if versions.new_of(&row.file).is_none() {
            continue;
        }
        let Some((Some(old), Some(new))) = versions.both(&symbol.file) else { continue };
        let Some(version) = versions.known(&row.file) else { continue };
        let shapes = |version: &Version, qualname: &str| -> BTreeSet<Vec<String>> {
            version.named(qualname).map(|definition| shape(&version.facts, definition)).collect()
        };
        let (was, is) = (shapes(old, &symbol.qualname), shapes(new, &symbol.qualname));
        for definition in version.named(&row.qualname) {
            let own = shape(&version.facts, definition);
            let spread = |param: &Param| matches!(param.kind, ParamKind::Rest | ParamKind::KeywordRest);
            if was.contains(&own) && !is.contains(&own) && !definition.params.iter().any(spread) {
                broken.push(Broken {
                    file: row.file.clone(),
                    line: definition.span.line,
                    caller: row.qualname.clone(),
                    symbol: format!("{}::{}", symbol.file, symbol.qualname),
                    why: Misfit::Overrides,
                    test: row.test,
                });
            }
        }
    }
    Ok(broken)
}

/// What an override has to agree in: of each parameter its kind and, where types are declared, its type, else whether it
/// may be left out.
fn shape(facts: &FileFacts, definition: &Definition) -> Vec<String> {
    let declared = rules::rules(facts.language).declared_types;
    let param = |param: &Param| match param.ty {
        Some(ty) if declared => Declared::of(facts, definition, ty).text().to_string(),
        _ => format!("{:?} {}", param.kind, param.optional),
    };
    definition.params.iter().map(param).collect()
}

/// Classes that do not have a method that is now asked of them.
fn classes_that_lack(reader: &Reader, symbol: &ChangedSymbol, versions: &mut Versions<'_>) -> Result<Vec<Broken>> {
    let Some((class, name)) = symbol.qualname.rsplit_once('.') else { return Ok(Vec::new()) };
    let Some((Some(_), Some(new))) = versions.both(&symbol.file) else { return Ok(Vec::new()) };
    let is_abstract = |definition: &Definition| {
        definition.flags.has(DefFlags::ABSTRACT)
            && definition.kind.is_callable()
            && !definition.flags.has(DefFlags::STATIC)
    };
    if !new.named(&symbol.qualname).all(is_abstract) || new.named(&symbol.qualname).count() != 1 {
        return Ok(Vec::new());
    }
    let sql =
        format!("SELECT {COLUMNS} FROM file f JOIN symbol s ON s.file = f.id WHERE f.path = ?1 AND s.qualname = ?2");
    let base = reader.connection().query_row(&sql, (&symbol.file, class), SymbolRow::of).optional()?;
    let Some(base) = base else { return Ok(Vec::new()) };
    let kinds = Kinds::of_words(["inherit", "implement"])?;
    let below = reach(reader, &[base.id], Walk { direction: Direction::Dependents, depth: 8, kinds })?;
    let sql = format!("SELECT {COLUMNS} FROM symbol s JOIN file f ON f.id = s.file WHERE s.id = ?1");
    let mut of_id = reader.connection().prepare_cached(&sql)?;
    let mut broken = Vec::new();
    for (node, at) in below.found().take(MAX_CLASSES) {
        if node < 0 || at.possible {
            continue;
        }
        let row = of_id.query_row([node], SymbolRow::of)?;
        let Some(version) = versions.new_of(&row.file) else { continue };
        let concrete = |definition: &Definition| {
            matches!(definition.kind, DefKind::Class | DefKind::Enum | DefKind::Record)
                && !definition.flags.has(DefFlags::ABSTRACT)
        };
        let Some(line) = version.named(&row.qualname).next().filter(|definition| concrete(definition)) else {
            continue;
        };
        let line = line.span.line;
        let member = format!("{}.{name}", row.qualname);
        if version.named(&member).next().is_none() && !has_above(reader, node, base.id, name, versions)? {
            broken.push(Broken {
                file: row.file.clone(),
                line,
                caller: row.qualname.clone(),
                symbol: format!("{}::{}", symbol.file, symbol.qualname),
                why: Misfit::Lacks,
                test: row.test,
            });
        }
    }
    Ok(broken)
}

/// Whether a class other than `base` that `class` extends has a member of that name, or may: one that is not ours.
fn has_above(reader: &Reader, class: i64, base: i64, name: &str, versions: &mut Versions<'_>) -> Result<bool> {
    let sql = format!("SELECT {COLUMNS} FROM symbol s JOIN file f ON f.id = s.file WHERE s.id = ?1");
    let mut of_id = reader.connection().prepare_cached(&sql)?;
    let mut open = vec![class];
    let mut seen = BTreeSet::from([base]);
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let row = of_id.query_row([id], SymbolRow::of)?;
        let Some(version) = versions.new_of(&row.file) else { return Ok(true) };
        if id != class && version.named(&format!("{}.{name}", row.qualname)).next().is_some() {
            return Ok(true);
        }
        let Some(definition) = version.named(&row.qualname).next() else { return Ok(true) };
        let declared = (definition.supertypes.len + definition.interfaces.len) as usize;
        let kinds = Kinds::of_words(["inherit", "implement"])?;
        let walk = Walk { direction: Direction::Dependencies, depth: 1, kinds };
        let above: Vec<i64> =
            reach(reader, &[id], walk)?.found().map(|(node, _)| node).filter(|node| *node > 0).collect();
        if above.len() < declared || seen.len() > MAX_CLASSES {
            return Ok(true);
        }
        open.extend(above);
    }
    Ok(false)
}
