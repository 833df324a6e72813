//! Brings a database to another graph by the rows of the files that changed, in one transaction: what comes out is what writing
//! everything anew would give, but for the ids, which never leave the store.
//!
//! Only for a database that holds the very graph that is changed: the number of its generation tells. Anything else is an
//! error that the caller answers by writing everything anew.

use super::Meta;
use super::place;
use super::postings::{self, Lengths};
use super::writer::{self, EdgeRow, INSERT_EDGE, INSERT_UNRESOLVED, INSERT_WORDS, Ids, Room, UnresolvedRow, Written};
use crate::model::{Counts, Document, FileId, Graph, SymbolId};
use anyhow::{Context, Result, bail};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How a graph differs from the one that is stored.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    /// What is stored, with the rooms of the files that are still there, by their number in the graph; `None` for new ones.
    pub generation: i64,
    pub rooms: Vec<Option<Room>>,
    /// Files that are gone.
    pub gone: Vec<Room>,
    /// Files of which any row may differ, those that point to a definition whose place in its file has changed among them.
    pub touched: &'a [FileId],
    /// What overrides what may differ.
    pub overrides: bool,
    /// Neighborhoods may differ.
    pub communities: bool,
    pub terms: TermChange,
}

/// How what files can be found by differs.
#[derive(Clone, Debug)]
pub enum TermChange {
    /// For these files, perhaps.
    Some(Vec<TermsOf>),
    /// For any file: this is what they are found by.
    All(Vec<Document>),
}

/// What a file was and is found by; `None` where it is not found at all.
#[derive(Clone, Debug)]
pub struct TermsOf {
    pub file: Place,
    pub old: Option<Vec<(u32, Counts)>>,
    pub new: Option<Vec<(u32, Counts)>>,
}

/// A file of the graph, or one that is gone.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    Now(FileId),
    Gone(Room),
}

/// Does the database at `db` hold the graph of this generation, as far as can be told without looking through it?
pub fn holds(db: &Path, generation: i64) -> bool {
    let stored = || -> Result<Option<i64>> { stored_generation(&writer::open_known(&place::in_real_folder(db)?)?) };
    generation > 0 && stored().is_ok_and(|stored| stored == Some(generation))
}

/// Makes `graph` the content of the database at `db`.
///
/// # Errors
/// The database does not hold the graph that is changed, or whatever SQLite says; then it is as it was.
pub fn change(db: &Path, graph: &Graph, meta: &Meta, change: &Change<'_>) -> Result<Written> {
    let context = || format!("changing the graph {}", db.display());
    let db = place::in_real_folder(db).with_context(context)?;
    apply(&db, graph, meta, change).with_context(context)
}

fn apply(db: &Path, graph: &Graph, meta: &Meta, change: &Change<'_>) -> Result<Written> {
    let mut connection = writer::open_known(db)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if stored_generation(&transaction)? != Some(change.generation) {
        bail!("the database holds another graph");
    }
    let (rooms, moved) = rooms(&transaction, graph, change)?;
    let ids = Ids::of(graph, &rooms);
    let mut touched: BTreeSet<FileId> = change.touched.iter().copied().collect();
    // Whoever points into a room that has moved points to other ids now.
    if !moved.is_empty() {
        let home = |symbol: SymbolId| graph.symbols[symbol.0 as usize].file;
        touched
            .extend(graph.edges.iter().filter(|edge| moved.contains(&home(edge.callee))).map(|edge| edge.caller_file));
    }
    for room in &change.gone {
        remove_file(&transaction, *room)?;
    }
    let old_room = |file: FileId| change.rooms[file.0 as usize];
    let names = Names { transaction: &transaction };
    // What is no more makes room for what is new: rows of two files may have one id.
    for file in &touched {
        if let Some(room) = old_room(*file).filter(|_| moved.contains(file)) {
            remove_symbols(&transaction, room.first..room.end())?;
        }
    }
    let edges = Runs::of(&graph.edges, graph.files.len(), |edge| edge.caller_file);
    let unresolved = Runs::of(&graph.unresolved, graph.files.len(), |reference| reference.file);
    let imports = Runs::of(&graph.imports, graph.files.len(), |(importer, _)| *importer);
    for file in &touched {
        let id = ids.file(*file);
        writer::insert_file(&transaction, &graph.files[file.0 as usize], id)?;
        symbols(&transaction, graph, &ids, *file, &names)?;
        let rows = writer::edge_rows(graph.edges[edges.run(*file)].iter(), &ids);
        replace(&transaction, &EDGES, id, rows)?;
        let references = graph.unresolved[unresolved.run(*file)].iter();
        let rows = writer::unresolved_rows(references, &ids, |name| names.id(name))?;
        replace(&transaction, &UNRESOLVED, id, rows)?;
        let rows = graph.imports[imports.run(*file)].iter().map(|(from, to)| (ids.file(*from), ids.file(*to)));
        replace(&transaction, &IMPORTS, id, rows.collect())?;
    }
    if change.overrides || !moved.is_empty() {
        let rows = graph.overrides.iter().map(|(method, base)| (ids.symbol(*method), ids.symbol(*base)));
        replace_in(&transaction, &OVERRIDES, (0, i64::MAX), rows.collect())?;
    }
    replace_in(&transaction, &UNREFERENCED, (0, i64::MAX), writer::unreferenced_rows(graph, &ids))?;
    if change.communities {
        transaction.execute_batch("DELETE FROM community; DELETE FROM member; DELETE FROM entry_point;")?;
        writer::insert_communities(&transaction, graph, &ids)?;
    }
    match &change.terms {
        TermChange::Some(files) => terms(&transaction, files, &ids)?,
        TermChange::All(documents) => {
            transaction.execute_batch("DELETE FROM term; DELETE FROM field_lengths;")?;
            writer::insert_terms(&transaction, documents, &ids)?;
        }
    }
    let generation = change.generation + 1;
    writer::insert_meta(&transaction, graph, meta, generation)?;
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(Written { generation, rooms })
}

/// The generation of a complete graph.
fn stored_generation(connection: &Connection) -> Result<Option<i64>> {
    let sql = "SELECT value FROM meta WHERE key = 'generation' AND EXISTS (
        SELECT 1 FROM meta WHERE key = 'complete' AND value = 1)";
    Ok(connection.query_row(sql, [], |row| row.get(0)).optional()?)
}

/// The rooms of all files now, and the files whose old room is too small.
fn rooms(connection: &Connection, graph: &Graph, change: &Change<'_>) -> Result<(Vec<Room>, BTreeSet<FileId>)> {
    let highest = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, Option<i64>>(0));
    let known = change.rooms.iter().flatten().chain(&change.gone);
    let mut next = known.map(|room| room.end()).max().unwrap_or(1).max(1);
    next = next.max(highest("SELECT max(id) FROM symbol")?.unwrap_or(0) + 1);
    let mut next_file = highest("SELECT max(id) FROM file")?.unwrap_or(0) + 1;
    let first = graph.first_symbols();
    let mut moved = BTreeSet::new();
    let mut rooms = Vec::with_capacity(graph.files.len());
    for (file, known) in (0..).zip(&change.rooms) {
        let symbols = (first[file as usize + 1] - first[file as usize]) as usize;
        rooms.push(match known {
            Some(room) if symbols as i64 <= room.len => *room,
            Some(room) => {
                moved.insert(FileId(file));
                Room::for_symbols(room.file, symbols, &mut next)
            }
            None => {
                let room = Room::for_symbols(next_file, symbols, &mut next);
                next_file += 1;
                room
            }
        });
    }
    Ok((rooms, moved))
}

/// Where the rows of each file stand in a vector that is sorted by file.
struct Runs(Vec<u32>);

impl Runs {
    fn of<T>(rows: &[T], files: usize, file: impl Fn(&T) -> FileId) -> Runs {
        let mut starts = vec![0; files + 1];
        for row in rows {
            starts[file(row).0 as usize + 1] += 1;
        }
        for file in 1..starts.len() {
            starts[file] += starts[file - 1];
        }
        Runs(starts)
    }

    fn run(&self, file: FileId) -> std::ops::Range<usize> {
        self.0[file.0 as usize] as usize..self.0[file.0 as usize + 1] as usize
    }
}

/// Ids of names, which are never given up: one that nothing bears is found by nobody.
struct Names<'t> {
    transaction: &'t Transaction<'t>,
}

impl Names<'_> {
    fn id(&self, name: &str) -> Result<i64> {
        let mut find = self.transaction.prepare_cached("SELECT id FROM name WHERE text = ?1")?;
        if let Some(id) = find.query_row([name], |row| row.get(0)).optional()? {
            return Ok(id);
        }
        self.transaction.prepare_cached("INSERT INTO name (text) VALUES (?1)")?.execute([name])?;
        Ok(self.transaction.last_insert_rowid())
    }
}

/// A row of `symbol` but for its id.
type SymbolRow = (i64, i64, String, i64, i64, u32, u32, bool, u16, String, u32);

/// Brings the symbols of a file, and their words, to what they are in the graph.
fn symbols(transaction: &Transaction<'_>, graph: &Graph, ids: &Ids<'_>, file: FileId, names: &Names<'_>) -> Result<()> {
    let sql = "SELECT id, file, name, qualname, kind, container, line, end_line, exported, params, signature, flags
        FROM symbol WHERE file = ?1";
    let of = |row: &Row<'_>| -> rusqlite::Result<(i64, SymbolRow)> {
        let symbol = (
            row.get(1)?,
            row.get(2)?,
            row.get(3)?,
            row.get(4)?,
            row.get(5)?,
            row.get(6)?,
            row.get(7)?,
            row.get(8)?,
            row.get(9)?,
            row.get(10)?,
            row.get(11)?,
        );
        Ok((row.get(0)?, symbol))
    };
    let mut statement = transaction.prepare_cached(sql)?;
    let stored = statement.query_map([ids.file(file)], of)?;
    let mut stored = stored.collect::<rusqlite::Result<BTreeMap<i64, SymbolRow>>>()?;
    for symbol in ids.symbols(file).map(SymbolId) {
        let definition = &graph.symbols[symbol.0 as usize];
        let (id, name, container) = (ids.symbol(symbol), names.id(&definition.name)?, ids.caller(definition.container));
        let row: SymbolRow = (
            ids.file(file),
            name,
            definition.qualname.clone(),
            super::codes::def_kind(definition.kind),
            container,
            definition.line,
            definition.end_line,
            definition.exported,
            definition.params,
            definition.signature.clone(),
            definition.flags.0,
        );
        let old = stored.remove(&id);
        if old.as_ref() == Some(&row) {
            continue;
        }
        writer::insert_symbol(transaction, definition, id, ids.file(file), name, container)?;
        if old.as_ref().is_none_or(|old| (old.1, &old.2) != (name, &definition.qualname)) {
            if old.is_some() {
                transaction.prepare_cached("DELETE FROM symbol_words WHERE rowid = ?1")?.execute([id])?;
            }
            let (name, context) = writer::words(definition);
            transaction.prepare_cached(INSERT_WORDS)?.execute(params![id, name, context])?;
        }
    }
    for id in stored.into_keys() {
        remove_symbols(transaction, id..id + 1)?;
    }
    Ok(())
}

fn remove_symbols(transaction: &Transaction<'_>, ids: std::ops::Range<i64>) -> Result<()> {
    let bounds = [ids.start, ids.end];
    let mut there = transaction.prepare_cached("SELECT id FROM symbol WHERE id >= ?1 AND id < ?2")?;
    let there = there.query_map(bounds, |row| row.get::<_, i64>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    for id in there {
        transaction.prepare_cached("DELETE FROM symbol_words WHERE rowid = ?1")?.execute([id])?;
        transaction.prepare_cached("DELETE FROM symbol WHERE id = ?1")?.execute([id])?;
    }
    Ok(())
}

/// Takes out all rows that are a file's own. Rows of others that point to it are theirs to change.
fn remove_file(transaction: &Transaction<'_>, room: Room) -> Result<()> {
    remove_symbols(transaction, room.first..room.end())?;
    for sql in [
        "DELETE FROM edge WHERE caller_file = ?1",
        "DELETE FROM unresolved WHERE file = ?1",
        "DELETE FROM import WHERE importer = ?1",
        "DELETE FROM unreferenced WHERE file = ?1",
        "DELETE FROM file WHERE id = ?1",
    ] {
        transaction.prepare_cached(sql)?.execute([room.file])?;
    }
    Ok(())
}

/// Brings the lists of the terms that some files had or have to what they are now.
fn terms(transaction: &Transaction<'_>, files: &[TermsOf], ids: &Ids<'_>) -> Result<()> {
    // By term: counts by file, `None` for a file that no longer has it.
    let mut changes: BTreeMap<u32, BTreeMap<u32, Option<Counts>>> = BTreeMap::new();
    let mut lengths: BTreeMap<u32, BTreeMap<u32, Option<Lengths>>> = BTreeMap::new();
    for TermsOf { file, old, new } in files.iter().filter(|file| file.old != file.new) {
        let id = match file {
            Place::Now(file) => ids.file(*file),
            Place::Gone(room) => room.file,
        };
        let id = u32::try_from(id).context("a file's id")?;
        let before: BTreeMap<u32, Counts> = old.iter().flatten().copied().collect();
        let after: BTreeMap<u32, Counts> = new.iter().flatten().copied().collect();
        for term in before.keys().chain(after.keys()).filter(|term| before.get(term) != after.get(term)) {
            changes.entry(*term).or_default().insert(id, after.get(term).copied());
        }
        let length = new.as_ref().map(|terms| postings::lengths_of(terms));
        lengths.entry(postings::part_of(id)).or_default().insert(id, length);
    }
    for (term, changed) in changes {
        let mut stored: BTreeMap<u32, Counts> = BTreeMap::new();
        let blob = blob(transaction, "SELECT postings FROM term WHERE hash = ?1", term)?;
        let read = blob.map(|blob| postings::each(&blob, |id, counts| _ = stored.insert(id, counts)));
        read.unwrap_or(Some(())).context("the list of a term is damaged")?;
        update(&mut stored, changed);
        let blob = postings::of_files(stored.len(), stored.iter().map(|(id, counts)| (*id, *counts)));
        let blob = (!stored.is_empty()).then_some(blob);
        put(
            transaction,
            ["DELETE FROM term WHERE hash = ?1", "INSERT OR REPLACE INTO term VALUES (?1, ?2)"],
            term,
            blob,
        )?;
    }
    for (part, changed) in lengths {
        let mut stored: BTreeMap<u32, Lengths> = BTreeMap::new();
        let blob = blob(transaction, "SELECT lengths FROM field_lengths WHERE part = ?1", part)?;
        let read = blob.map(|blob| postings::each_length(part, &blob, |id, lengths| _ = stored.insert(id, lengths)));
        read.unwrap_or(Some(())).context("the lengths of fields are damaged")?;
        update(&mut stored, changed);
        let blob = (!stored.is_empty()).then(|| postings::of_part(&stored));
        let sql = ["DELETE FROM field_lengths WHERE part = ?1", "INSERT OR REPLACE INTO field_lengths VALUES (?1, ?2)"];
        put(transaction, sql, part, blob)?;
    }
    Ok(())
}

fn update<T>(stored: &mut BTreeMap<u32, T>, changed: BTreeMap<u32, Option<T>>) {
    for (id, value) in changed {
        match value {
            Some(value) => stored.insert(id, value),
            None => stored.remove(&id),
        };
    }
}

fn blob(transaction: &Transaction<'_>, sql: &str, key: u32) -> Result<Option<Vec<u8>>> {
    Ok(transaction.prepare_cached(sql)?.query_row([key], |row| row.get(0)).optional()?)
}

/// Deletes or writes a row.
fn put(transaction: &Transaction<'_>, [delete, insert]: [&str; 2], key: u32, blob: Option<Vec<u8>>) -> Result<()> {
    match blob {
        Some(blob) => transaction.prepare_cached(insert)?.execute(params![key, blob])?,
        None => transaction.prepare_cached(delete)?.execute([key])?,
    };
    Ok(())
}

/// A table whose rows are told by all their columns.
struct Table<T> {
    /// Of one file (or between two ids).
    select: &'static str,
    of: fn(&Row<'_>) -> rusqlite::Result<T>,
    delete: &'static str,
    insert: &'static str,
}

const EDGES: Table<EdgeRow> = Table {
    select: "SELECT callee, caller_file, line, kind, resolution, caller, nth FROM edge WHERE caller_file = ?1",
    of: |row| row.try_into(),
    delete: "DELETE FROM edge WHERE callee = ?1 AND caller_file = ?2 AND line = ?3 AND kind = ?4 AND resolution = ?5
        AND caller = ?6 AND nth = ?7",
    insert: INSERT_EDGE,
};

const UNRESOLVED: Table<UnresolvedRow> = Table {
    select: "SELECT file, line, name, kind, caller, external, nth FROM unresolved WHERE file = ?1",
    of: |row| row.try_into(),
    delete: "DELETE FROM unresolved WHERE file = ?1 AND line = ?2 AND name = ?3 AND kind = ?4 AND caller = ?5
        AND external = ?6 AND nth = ?7",
    insert: INSERT_UNRESOLVED,
};

const IMPORTS: Table<(i64, i64)> = Table {
    select: "SELECT importer, imported FROM import WHERE importer = ?1",
    of: |row| row.try_into(),
    delete: "DELETE FROM import WHERE importer = ?1 AND imported = ?2",
    insert: "INSERT INTO import VALUES (?1, ?2)",
};

const OVERRIDES: Table<(i64, i64)> = Table {
    select: "SELECT method, base FROM override WHERE method >= ?1 AND method < ?2",
    of: |row| row.try_into(),
    delete: "DELETE FROM override WHERE method = ?1 AND base = ?2",
    insert: "INSERT INTO override VALUES (?1, ?2)",
};

const UNREFERENCED: Table<(i64, i64, bool)> = Table {
    select: "SELECT file, symbol, offered FROM unreferenced WHERE file >= ?1 AND file < ?2",
    of: |row| row.try_into(),
    delete: "DELETE FROM unreferenced WHERE file = ?1 AND symbol = ?2 AND offered = ?3",
    insert: "INSERT INTO unreferenced VALUES (?1, ?2, ?3)",
};

/// Brings the rows of one file to these.
fn replace<T>(transaction: &Transaction<'_>, table: &Table<T>, file: i64, rows: Vec<T>) -> Result<()>
where
    T: Ord + Copy + rusqlite::Params,
{
    let stored = transaction.prepare_cached(table.select)?;
    rows_to(transaction, table, stored_rows(stored, [file], table.of)?, rows)
}

/// Brings the rows between two ids to these.
fn replace_in<T>(transaction: &Transaction<'_>, table: &Table<T>, bounds: (i64, i64), rows: Vec<T>) -> Result<()>
where
    T: Ord + Copy + rusqlite::Params,
{
    let stored = transaction.prepare_cached(table.select)?;
    rows_to(transaction, table, stored_rows(stored, [bounds.0, bounds.1], table.of)?, rows)
}

fn stored_rows<T>(
    mut statement: rusqlite::CachedStatement<'_>,
    bounds: impl rusqlite::Params,
    of: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    Ok(statement.query_map(bounds, of)?.collect::<rusqlite::Result<_>>()?)
}

fn rows_to<T>(transaction: &Transaction<'_>, table: &Table<T>, mut old: Vec<T>, mut new: Vec<T>) -> Result<()>
where
    T: Ord + Copy + rusqlite::Params,
{
    old.sort_unstable();
    new.sort_unstable();
    new.dedup();
    let mut delete = transaction.prepare_cached(table.delete)?;
    for row in old.iter().filter(|row| new.binary_search(row).is_err()) {
        delete.execute(*row)?;
    }
    let mut insert = transaction.prepare_cached(table.insert)?;
    for row in new.iter().filter(|row| old.binary_search(row).is_err()) {
        insert.execute(*row)?;
    }
    Ok(())
}
