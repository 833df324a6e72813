//! The places that do not go with a change any more: calls that do not fit, uses of what is gone, and what `overriding` tells.

use super::compare::Version;
use super::fits::{Arguments, Misfit, misfit, receives};
use super::overriding::{classes_that_lack, may_inherit, overrides_that_do_not_follow};
use super::types::{Declared, goes_as, may_go_as};
use super::{Broken, Change, ChangedSymbol, Versions};
use crate::lang::{is_test, rules};
use crate::model::*;
use crate::query::overrides;
use crate::query::symbol::SymbolRow;
use crate::store::Reader;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Sites of one symbol that are checked.
const MAX_CHECKED: u32 = 2_000;

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
        Change::Signature if is_constructor(symbol) => calls_that_do_not_fit(reader, symbol, rows, versions),
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
            && fitting.is_empty()
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
        let rules = rules::rules(new.facts.language);
        if !rules.declared_types && !rules.declared_hints {
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
        let goes = if rules::rules(language).declared_types { goes_as } else { may_go_as };
        let (first_was, first_is) = (receives(&old.facts, was), receives(&new.facts, is));
        let pairs = was.params.iter().skip(first_was.into()).zip(is.params.iter().skip(first_is.into()));
        for (was_param, is_param) in pairs.take(arguments.positional()) {
            let (Some(was_type), Some(is_type)) = (was_param.ty, is_param.ty) else { continue };
            if was_param.kind != is_param.kind {
                return Ok(None);
            }
            let (from, to) = (Declared::of(&old.facts, was, was_type), Declared::of(&new.facts, is, is_type));
            if !goes(self.reader, language, &from, &to)? {
                let parameter = new.facts.name(is_param.name).to_string();
                return Ok(Some(Misfit::Retyped { parameter, was: from.text().into(), is: to.text().into() }));
            }
        }
        let (Some(was_type), Some(is_type)) = (was.ty, is.ty) else { return Ok(None) };
        if matches!(old.facts.expr(was_type), Expr::Literal(Literal::None)) {
            return Ok(None);
        }
        let (was, is) = (Declared::of(&old.facts, was, was_type), Declared::of(&new.facts, is, is_type));
        let covariant = goes(self.reader, language, &is, &was)?;
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
