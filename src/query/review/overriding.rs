//! Members that classes share with those above and below them: what a changed or added method asks of its overrides, and
//! where a removed one may still come from.

use super::compare::Version;
use super::fits::Misfit;
use super::types::Declared;
use super::{Broken, ChangedSymbol, Versions};
use crate::lang::rules;
use crate::model::*;
use crate::query::kinds::Kinds;
use crate::query::overrides;
use crate::query::reach::{Direction, Walk, reach};
use crate::query::symbol::{COLUMNS, SymbolRow};
use crate::store::Reader;
use anyhow::Result;
use rusqlite::OptionalExtension;
use std::collections::BTreeSet;

/// Classes above or below a class that are looked at.
const MAX_CLASSES: usize = 200;

/// Whether the class of a member may have another of that name from above. Interfaces that are not ours are taken not to
/// have it: a class that no longer implements what they declare would not compile.
pub(super) fn may_inherit(
    reader: &Reader,
    member: &SymbolRow,
    name: &str,
    versions: &mut Versions<'_>,
) -> Result<bool> {
    let container: i64 =
        reader.connection().query_row("SELECT container FROM symbol WHERE id = ?1", [member.id], |row| row.get(0))?;
    comes_from_above(reader, container, name, None, versions)
}

/// Whether a class has a member of that name from above, or may have, because a superclass (with `except` also an
/// interface) is not ours; `except` and what is above it do not count.
fn comes_from_above(
    reader: &Reader,
    class: i64,
    name: &str,
    except: Option<i64>,
    versions: &mut Versions<'_>,
) -> Result<bool> {
    let mut open = vec![class];
    let mut seen: BTreeSet<i64> = except.into_iter().collect();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Some(row) = symbol(reader, id)? else { return Ok(true) };
        let Some(version) = versions.new_of(&row.file) else { return Ok(true) };
        if id != class && version.named(&format!("{}.{name}", row.qualname)).next().is_some() {
            return Ok(true);
        }
        let Some(definition) = version.named(&row.qualname).next() else { return Ok(true) };
        let (supertypes, interfaces) = (definition.supertypes.len as usize, definition.interfaces.len as usize);
        let above = |word| -> Result<Vec<i64>> {
            let walk = Walk { direction: Direction::Dependencies, depth: 1, kinds: Kinds::of_words([word])? };
            Ok(reach(reader, &[id], walk)?.found().map(|(node, _)| node).filter(|node| *node > 0).collect())
        };
        let (bases, implemented) = (above("inherit")?, above("implement")?);
        let all_ours = match except {
            Some(_) => bases.len() + implemented.len() >= supertypes + interfaces,
            None => bases.len() >= supertypes,
        };
        if !all_ours || seen.len() > MAX_CLASSES {
            return Ok(true);
        }
        open.extend(bases.into_iter().chain(implemented));
    }
    Ok(false)
}

fn symbol(reader: &Reader, id: i64) -> Result<Option<SymbolRow>> {
    let sql = format!("SELECT {COLUMNS} FROM symbol s JOIN file f ON f.id = s.file WHERE s.id = ?1");
    Ok(reader.connection().prepare_cached(&sql)?.query_row([id], SymbolRow::of).optional()?)
}

/// Overrides that agreed with the method in its parameters and do not now.
pub(super) fn overrides_that_do_not_follow(
    reader: &Reader,
    symbol: &ChangedSymbol,
    rows: &[SymbolRow],
    versions: &mut Versions<'_>,
) -> Result<Vec<Broken>> {
    let mut ids = BTreeSet::new();
    for row in rows {
        ids.extend(overrides::overriders(reader, row.id)?);
    }
    let mut broken = Vec::new();
    for id in ids {
        let Some(row) = self::symbol(reader, id)? else { continue };
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
pub(super) fn classes_that_lack(
    reader: &Reader,
    symbol: &ChangedSymbol,
    versions: &mut Versions<'_>,
) -> Result<Vec<Broken>> {
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
    let mut broken = Vec::new();
    for (node, at) in below.found().take(MAX_CLASSES) {
        if node < 0 || at.possible {
            continue;
        }
        let Some(row) = self::symbol(reader, node)? else { continue };
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
        if version.named(&member).next().is_none() && !comes_from_above(reader, node, name, Some(base.id), versions)? {
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
