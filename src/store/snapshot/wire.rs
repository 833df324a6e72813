//! Cards as bytes: postcard of borrowed shapes, with the paths of a record written once, as what differs from the one
//! before. Decoding takes one allocation a path, not one a site.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::card::{CallerFile, FileCard, Neighborhood, Site, Summary, SymbolCard, Unreferenced};
use crate::model::{DefKind, Language};

/// How a file was read, in the order of its number in the file.
const STATUS: [&str; 3] = ["parsed", "partial", "fallback"];

/// Path, where its unique end begins, line.
type CallerWire = (u32, u32, u32);

/// Label, files, cohesion, membership, path of the entry.
type NeighborhoodWire<'a> = (&'a str, u32, Option<i16>, Option<i16>, Option<u32>);

/// Sorted paths, each as (bytes shared with the one before, rest).
type Paths<'a> = Vec<(u32, &'a str)>;

#[derive(Serialize, Deserialize)]
struct SymbolWire<'a> {
    path: u32,
    qualname: &'a str,
    kind: DefKind,
    line: u32,
    /// Lines after the first.
    more: u32,
    exported: bool,
    test: bool,
    overloads: u32,
    same_name: u32,
    callers: u32,
    caller_files: u32,
    own_callers: u32,
    outside_callers: u32,
    use_files: u32,
    outside_use_files: u32,
    possible: u32,
    test_callers: u32,
    test_files: u32,
    sites: Vec<(u32, u32)>,
}

#[derive(Serialize, Deserialize)]
struct FileWire<'a> {
    #[serde(borrow)]
    paths: Paths<'a>,
    path: u32,
    language: Language,
    status: u8,
    test: bool,
    size: u64,
    mtime_ns: i64,
    content_hash: u64,
    lines: u32,
    unparsed: Vec<(u32, u32)>,
    symbols: Vec<SymbolWire<'a>>,
    callers: Vec<CallerWire>,
    possible: Vec<CallerWire>,
    bases: Vec<CallerWire>,
    base_overriders: u32,
    overriders: Vec<CallerWire>,
    overriders_total: u32,
    overriding: u32,
    companions: Vec<CallerWire>,
    users: u32,
    dependents: u32,
    dependents_in_two: u32,
    handed_on: Option<u32>,
    test_files: u32,
    unreferenced: Vec<(&'a str, DefKind, u32, bool)>,
    unreferenced_total: u32,
    exported: u32,
    hidden: u32,
    neighborhood: Option<NeighborhoodWire<'a>>,
}

#[derive(Serialize, Deserialize)]
struct NamesWire<'a> {
    name: &'a str,
    #[serde(borrow)]
    paths: Paths<'a>,
    symbols: Vec<SymbolWire<'a>>,
}

/// Numbers the paths of a record: in order, no path twice.
#[derive(Default)]
struct PathTable<'a>(Vec<&'a str>);

impl<'a> PathTable<'a> {
    fn of(paths: impl Iterator<Item = &'a Arc<str>>) -> PathTable<'a> {
        let mut table: Vec<&str> = paths.map(|path| &**path).collect();
        table.sort_unstable();
        table.dedup();
        PathTable(table)
    }

    fn number(&self, path: &str) -> u32 {
        self.0.partition_point(|known| *known < path) as u32
    }

    fn front_coded(&self) -> Paths<'a> {
        let mut before = "";
        let mut coded = Vec::with_capacity(self.0.len());
        for path in &self.0 {
            let same: usize =
                before.chars().zip(path.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
            coded.push((same as u32, &path[same..]));
            before = path;
        }
        coded
    }
}

fn symbol_paths(symbol: &SymbolCard) -> impl Iterator<Item = &Arc<str>> {
    std::iter::once(&symbol.path).chain(symbol.sites.iter().map(|site| &site.path))
}

fn symbol_wire<'a>(symbol: &'a SymbolCard, paths: &PathTable<'_>) -> SymbolWire<'a> {
    SymbolWire {
        path: paths.number(&symbol.path),
        qualname: &symbol.qualname,
        kind: symbol.kind,
        line: symbol.line,
        more: symbol.end_line.saturating_sub(symbol.line),
        exported: symbol.exported,
        test: symbol.test,
        overloads: symbol.overloads,
        same_name: symbol.same_name,
        callers: symbol.callers,
        caller_files: symbol.caller_files,
        own_callers: symbol.own_callers,
        outside_callers: symbol.outside_callers,
        use_files: symbol.use_files,
        outside_use_files: symbol.outside_use_files,
        possible: symbol.possible,
        test_callers: symbol.test_callers,
        test_files: symbol.test_files,
        sites: symbol.sites.iter().map(|site| (paths.number(&site.path), site.line)).collect(),
    }
}

fn caller_wires(callers: &[CallerFile], paths: &PathTable<'_>) -> Vec<CallerWire> {
    callers.iter().map(|caller| (paths.number(&caller.path), caller.unique_from, caller.line)).collect()
}

pub(super) fn encode_file(card: &FileCard) -> Result<Vec<u8>, postcard::Error> {
    let entry = card.neighborhood.as_ref().and_then(|neighborhood| neighborhood.entry.as_ref());
    let callers = card.callers.iter().chain(&card.possible).chain(&card.bases).chain(&card.overriders);
    let callers = callers.chain(&card.companions).map(|caller| &caller.path);
    let symbols = card.symbols.iter().flat_map(symbol_paths);
    let others = entry.into_iter().chain(&card.handed_on);
    let paths = PathTable::of(std::iter::once(&card.path).chain(callers).chain(symbols).chain(others));
    postcard::to_stdvec(&FileWire {
        paths: paths.front_coded(),
        path: paths.number(&card.path),
        language: card.language,
        status: STATUS.iter().position(|status| *status == card.status).unwrap_or(STATUS.len() - 1) as u8,
        test: card.test,
        size: card.size,
        mtime_ns: card.mtime_ns,
        content_hash: card.content_hash,
        lines: card.lines,
        unparsed: card.unparsed.clone(),
        symbols: card.symbols.iter().map(|symbol| symbol_wire(symbol, &paths)).collect(),
        callers: caller_wires(&card.callers, &paths),
        possible: caller_wires(&card.possible, &paths),
        bases: caller_wires(&card.bases, &paths),
        base_overriders: card.base_overriders,
        overriders: caller_wires(&card.overriders, &paths),
        overriders_total: card.overriders_total,
        overriding: card.overriding,
        companions: caller_wires(&card.companions, &paths),
        users: card.users,
        dependents: card.dependents,
        dependents_in_two: card.dependents_in_two,
        handed_on: card.handed_on.as_ref().map(|by| paths.number(by)),
        test_files: card.test_files,
        unreferenced: card
            .unreferenced
            .iter()
            .map(|export| (export.qualname.as_str(), export.kind, export.line, export.overload))
            .collect(),
        unreferenced_total: card.unreferenced_total,
        exported: card.exported,
        hidden: card.hidden,
        neighborhood: card.neighborhood.as_ref().map(|neighborhood| {
            let entry = neighborhood.entry.as_ref().map(|entry| paths.number(entry));
            (neighborhood.label.as_str(), neighborhood.files, neighborhood.cohesion, neighborhood.membership, entry)
        }),
    })
}

pub(super) fn encode_names(name: &str, symbols: &[SymbolCard]) -> Result<Vec<u8>, postcard::Error> {
    let paths = PathTable::of(symbols.iter().flat_map(symbol_paths));
    let symbols = symbols.iter().map(|symbol| symbol_wire(symbol, &paths)).collect();
    postcard::to_stdvec(&NamesWire { name, paths: paths.front_coded(), symbols })
}

/// `None` for bytes that no encoder wrote. Lengths are bounded by the record: postcard reserves cautiously and ends with it.
fn decode_paths(coded: &[(u32, &str)]) -> Option<Vec<Arc<str>>> {
    let mut path = String::new();
    let mut paths = Vec::with_capacity(coded.len());
    for (same, rest) in coded {
        let same = *same as usize;
        if same > path.len() || !path.is_char_boundary(same) {
            return None;
        }
        path.truncate(same);
        path.push_str(rest);
        paths.push(Arc::from(path.as_str()));
    }
    Some(paths)
}

fn path(paths: &[Arc<str>], number: u32) -> Option<Arc<str>> {
    paths.get(number as usize).cloned()
}

fn caller_files(wires: &[CallerWire], paths: &[Arc<str>]) -> Option<Vec<CallerFile>> {
    let caller = |(number, unique_from, line): &CallerWire| {
        let path = path(paths, *number)?;
        path.is_char_boundary(*unique_from as usize).then_some(CallerFile {
            path,
            unique_from: *unique_from,
            line: *line,
        })
    };
    wires.iter().map(caller).collect()
}

fn symbol_card(wire: SymbolWire<'_>, paths: &[Arc<str>]) -> Option<SymbolCard> {
    let sites = wire.sites.into_iter().map(|(number, line)| Some(Site { path: path(paths, number)?, line }));
    Some(SymbolCard {
        path: path(paths, wire.path)?,
        qualname: wire.qualname.to_string(),
        kind: wire.kind,
        line: wire.line,
        end_line: wire.line.saturating_add(wire.more),
        exported: wire.exported,
        test: wire.test,
        overloads: wire.overloads,
        same_name: wire.same_name,
        callers: wire.callers,
        caller_files: wire.caller_files,
        own_callers: wire.own_callers,
        outside_callers: wire.outside_callers,
        use_files: wire.use_files,
        outside_use_files: wire.outside_use_files,
        possible: wire.possible,
        test_callers: wire.test_callers,
        test_files: wire.test_files,
        sites: sites.collect::<Option<_>>()?,
    })
}

pub(super) fn decode_file(bytes: &[u8]) -> Option<FileCard> {
    let wire: FileWire<'_> = postcard::from_bytes(bytes).ok()?;
    let paths = decode_paths(&wire.paths)?;
    let neighborhood = match wire.neighborhood {
        Some((label, files, cohesion, membership, entry)) => {
            let entry = entry.map(|number| path(&paths, number).ok_or(())).transpose().ok()?;
            Some(Neighborhood { label: label.to_string(), files, cohesion, membership, entry })
        }
        None => None,
    };
    let unreferenced = wire.unreferenced.into_iter();
    Some(FileCard {
        path: path(&paths, wire.path)?,
        language: wire.language,
        status: STATUS.get(usize::from(wire.status))?,
        test: wire.test,
        size: wire.size,
        mtime_ns: wire.mtime_ns,
        content_hash: wire.content_hash,
        lines: wire.lines,
        unparsed: wire.unparsed,
        symbols: wire.symbols.into_iter().map(|symbol| symbol_card(symbol, &paths)).collect::<Option<_>>()?,
        callers: caller_files(&wire.callers, &paths)?,
        possible: caller_files(&wire.possible, &paths)?,
        bases: caller_files(&wire.bases, &paths)?,
        base_overriders: wire.base_overriders,
        overriders: caller_files(&wire.overriders, &paths)?,
        overriders_total: wire.overriders_total,
        overriding: wire.overriding,
        companions: caller_files(&wire.companions, &paths)?,
        users: wire.users,
        dependents: wire.dependents,
        dependents_in_two: wire.dependents_in_two,
        handed_on: wire.handed_on.map(|by| path(&paths, by).ok_or(())).transpose().ok()?,
        test_files: wire.test_files,
        unreferenced: unreferenced
            .map(|(qualname, kind, line, overload)| Unreferenced {
                qualname: qualname.to_string(),
                kind,
                line,
                overload,
            })
            .collect(),
        unreferenced_total: wire.unreferenced_total,
        exported: wire.exported,
        hidden: wire.hidden,
        neighborhood,
    })
}

/// The name that the record is of, with its symbols.
pub(super) fn decode_names(bytes: &[u8]) -> Option<(String, Vec<SymbolCard>)> {
    let wire: NamesWire<'_> = postcard::from_bytes(bytes).ok()?;
    let paths = decode_paths(&wire.paths)?;
    let symbols = wire.symbols.into_iter().map(|symbol| symbol_card(symbol, &paths));
    Some((wire.name.to_string(), symbols.collect::<Option<_>>()?))
}

pub(super) fn encode_summary(summary: &Summary) -> Result<Vec<u8>, postcard::Error> {
    postcard::to_stdvec(summary)
}

pub(super) fn decode_summary(bytes: &[u8]) -> Option<Summary> {
    postcard::from_bytes(bytes).ok()
}
