//! Writes a whole graph into SQLite, in one transaction: a reader, or whoever comes after a crash, sees the old graph or
//! the new one, never a part. The `complete` row of `meta` is written with the data, so that "no rows" can be told from
//! "no callers".
//!
//! The file is a cache and treated as one: damaged, foreign, of another version or no file at all, it is deleted and
//! written anew.

use super::place::{self, Place};
use super::{APPLICATION_ID, Meta, SCHEMA_VERSION, codes, postings, segments::segments};
use crate::model::{Counts, Document, Edge, FileId, FileRecord, Graph, Symbol, SymbolId, Unresolved};
use anyhow::{Context, Result, bail};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, params};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

const SCHEMA: &str = include_str!("schema.sql");
const INDEXES: &str = include_str!("indexes.sql");

/// How long to wait for another writer. Indexers exclude each other by a lock file already; what remains are checkpoints.
const PATIENCE: Duration = Duration::from_secs(10);

/// Pages held in memory while writing, in KiB (negative: SQLite's way to say KiB). More gained nothing measurable.
const CACHE: i64 = -16 * 1024;

/// Makes `graph` the content of the database at `db`, whose folder must exist. Any error leaves the old content in place,
/// unless that was unusable.
///
/// # Errors
/// A file of another user, and whatever the file system says.
pub fn replace_all(db: &Path, graph: &Graph, meta: &Meta) -> Result<Written> {
    let context = || format!("writing the graph {}", db.display());
    let db = place::in_real_folder(db).with_context(context)?;
    let result = match replace(&db, graph, meta) {
        Err(error) if is_unusable(&error) => {
            remove(&db).with_context(context)?;
            replace(&db, graph, meta)
        }
        result => result,
    };
    result.with_context(context)
}

/// Writes the file anew without what earlier graphs left in its free pages.
///
/// # Errors
/// Whatever SQLite says; the graph is whole all the same.
pub fn scrub(db: &Path) -> Result<()> {
    let db = place::in_real_folder(db)?;
    let connection = open(&db)?;
    connection.execute_batch("VACUUM")?;
    connection.busy_timeout(Duration::from_millis(100))?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

/// The old file is of no use to anyone: delete it.
#[derive(Debug)]
struct Unusable(&'static str);

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the old database is {}", self.0)
    }
}

impl std::error::Error for Unusable {}

/// Damage only. A busy, full or unreadable disk says nothing about the file, and a healthy graph must survive it.
fn is_unusable(error: &anyhow::Error) -> bool {
    // A value of another type than we write is damage too, whoever wrote it.
    let damaged = |error: &rusqlite::Error| {
        matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
            || matches!(
                error,
                rusqlite::Error::InvalidColumnType(..)
                    | rusqlite::Error::FromSqlConversionFailure(..)
                    | rusqlite::Error::IntegralValueOutOfRange(..)
            )
    };
    error.is::<Unusable>() || error.downcast_ref().is_some_and(damaged)
}

fn remove(db: &Path) -> Result<()> {
    for suffix in ["-wal", "-shm", "-journal", ""] {
        let path = place::beside(db, suffix);
        place::clear(&path).with_context(|| format!("removing {}", path.display()))?;
    }
    Ok(())
}

fn replace(db: &Path, graph: &Graph, meta: &Meta) -> Result<Written> {
    let mut connection = open(db)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let written = fill(&transaction, graph, meta)?;
    transaction.commit()?;
    // Readers of the old graph may hold the log back; the next checkpoint gets it then, and nobody waits for them.
    connection.busy_timeout(Duration::from_millis(100))?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(written)
}

/// What was written, for whoever will change it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Counts the graphs that were written into the file.
    pub generation: i64,
    /// By file.
    pub rooms: Vec<Room>,
}

/// The ids of a file and its symbols. Files have room for some more symbols than they have, so that one that grows changes
/// the ids of no other's. In a room symbols stand in the order of the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    pub(super) file: i64,
    /// Id of the first symbol.
    pub(super) first: i64,
    pub(super) len: i64,
}

impl Room {
    /// A room for so many symbols; `next` is the first id that is free, and is moved on.
    pub(super) fn for_symbols(file: i64, symbols: usize, next: &mut i64) -> Room {
        let symbols = i64::try_from(symbols).unwrap_or(i64::MAX / 2);
        let len = if symbols == 0 { 0 } else { symbols + symbols / 8 + 2 };
        let room = Room { file, first: *next, len };
        *next += len;
        room
    }

    /// The first id after it.
    pub(super) fn end(self) -> i64 {
        self.first + self.len
    }
}

/// The ids of a graph.
pub(super) struct Ids<'g> {
    graph: &'g Graph,
    rooms: &'g [Room],
    /// By file: its first symbol.
    first: Vec<u32>,
}

impl<'g> Ids<'g> {
    pub(super) fn of(graph: &'g Graph, rooms: &'g [Room]) -> Ids<'g> {
        Ids { graph, rooms, first: graph.first_symbols() }
    }

    pub(super) fn file(&self, file: FileId) -> i64 {
        self.rooms[file.0 as usize].file
    }

    pub(super) fn symbol(&self, symbol: SymbolId) -> i64 {
        let file = self.graph.symbols[symbol.0 as usize].file.0 as usize;
        self.rooms[file].first + i64::from(symbol.0 - self.first[file])
    }

    /// 0 for module-level code.
    pub(super) fn caller(&self, caller: Option<SymbolId>) -> i64 {
        caller.map_or(0, |caller| self.symbol(caller))
    }

    /// The symbols of a file.
    pub(super) fn symbols(&self, file: FileId) -> std::ops::Range<u32> {
        self.first[file.0 as usize]..self.first[file.0 as usize + 1]
    }
}

/// A connection that may write, to a file of ours: absent (then created, 0600), empty, or of this very version.
pub(super) fn open(db: &Path) -> Result<Connection> {
    match place::look(db)? {
        Place::Absent => {
            let flags = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
            OpenOptions::new().write(true).create_new(true).mode(0o600).custom_flags(flags).open(db)?;
        }
        Place::File { mode: 0o600, .. } => {}
        Place::File { .. } => fs::set_permissions(db, Permissions::from_mode(0o600))?,
        Place::Other(what) => return Err(Unusable(what).into()),
        Place::NotOurs => bail!("the database belongs to another user"),
    }
    let connection = connected(db)?;
    usable(&connection)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

/// As [`open`], to a file that is of this very version and has all that we make; its pages are not looked through.
pub(super) fn open_known(db: &Path) -> Result<Connection> {
    let Place::File { mode: 0o600, size } = place::look(db)? else { bail!("no database of ours") };
    if size == 0 {
        bail!("no graph was ever finished in it");
    }
    let connection = connected(db)?;
    let objects: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let made: i64 = connection.query_row("SELECT value FROM meta WHERE key = 'objects'", [], |row| row.get(0))?;
    if !recognised(&connection)? || objects != made {
        bail!("a table or an index of it is missing");
    }
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

fn connected(db: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(db, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "cache_size", CACHE)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Whether the tables in the file may be replaced in place. A new file is better than a doubtful one: pages of a damaged
/// tree would be reused for the new rows.
fn usable(connection: &Connection) -> Result<()> {
    if !recognised(connection)? {
        return Ok(());
    }
    let sound: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if sound != "ok" {
        return Err(Unusable("damaged").into());
    }
    Ok(())
}

/// False for an empty file, true for one of this version that holds nothing but tables.
fn recognised(connection: &Connection) -> Result<bool> {
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    let objects: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let (application, version) = (number("application_id")?, number("user_version")?);
    match (application, version) {
        (0, 0) if objects == 0 => return Ok(false),
        (APPLICATION_ID, SCHEMA_VERSION) => {}
        (APPLICATION_ID, _) => return Err(Unusable("of another version").into()),
        _ => return Err(Unusable("not floorplan's").into()),
    }
    let planted: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')", [], |row| {
            row.get(0)
        })?;
    if planted > 0 {
        return Err(Unusable("damaged").into());
    }
    Ok(true)
}

/// Everything between BEGIN and COMMIT.
pub(super) fn fill(transaction: &Transaction<'_>, graph: &Graph, meta: &Meta) -> Result<Written> {
    let generation = generation(transaction)? + 1;
    clear(transaction)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    transaction.execute_batch(SCHEMA)?;
    let (first, mut next) = (graph.first_symbols(), 1);
    let sizes = first.windows(2).map(|ends| (ends[1] - ends[0]) as usize);
    let rooms: Vec<Room> = sizes.zip(1..).map(|(symbols, file)| Room::for_symbols(file, symbols, &mut next)).collect();
    let ids = Ids::of(graph, &rooms);
    for (file, record) in (0..).zip(&graph.files) {
        insert_file(transaction, record, ids.file(FileId(file)))?;
    }
    let names = Names::of(graph);
    names.insert(transaction)?;
    insert_symbols(transaction, graph, &ids, &names)?;
    insert_edges(transaction, graph, &ids)?;
    insert_unresolved(transaction, graph, &ids, &names)?;
    insert_pairs(transaction, graph, &ids)?;
    insert_communities(transaction, graph, &ids)?;
    insert_terms(transaction, &graph.documents, &ids)?;
    transaction.execute_batch(INDEXES)?;
    insert_words(transaction, graph, &ids)?;
    insert_meta(transaction, graph, meta, generation)?;
    transaction.execute("INSERT INTO meta SELECT 'objects', count(*) FROM sqlite_schema", [])?;
    Ok(Written { generation, rooms })
}

/// Number of the graph that is there; 0 when there is none.
fn generation(transaction: &Transaction<'_>) -> Result<i64> {
    if !transaction.table_exists(None, "meta")? {
        return Ok(0);
    }
    let mut statement = transaction.prepare("SELECT value FROM meta WHERE key = 'generation'")?;
    let mut rows = statement.query([])?;
    Ok(match rows.next()? {
        Some(row) => row.get(0)?,
        None => 0,
    })
}

/// Drops every table. Virtual ones go first: their shadow tables go with them and cannot be dropped directly.
fn clear(transaction: &Transaction<'_>) -> Result<()> {
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%' = ?1
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    for virtual_ones in [true, false] {
        let mut statement = transaction.prepare(tables)?;
        let names = statement.query_map([virtual_ones], |row| row.get::<_, String>(0))?;
        for name in names.collect::<rusqlite::Result<Vec<_>>>()? {
            transaction.execute(&format!("DROP TABLE \"{}\"", name.replace('"', "\"\"")), [])?;
        }
    }
    Ok(())
}

/// Writes the row of a file, in the place of an old one.
pub(super) fn insert_file(transaction: &Transaction<'_>, file: &FileRecord, id: i64) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO file VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    transaction
        .prepare_cached(sql)?
        .execute(params![
            id,
            file.path,
            file.language.name(),
            file.status,
            file.reason,
            i64::try_from(file.size).unwrap_or(i64::MAX),
            file.mtime_ns,
            file.content_hash.cast_signed(),
            file.lines,
            file.test,
            codes::ranges(&file.unparsed),
            codes::dynamic(&file.dynamic),
        ])
        .with_context(|| format!("storing {}", file.path))?;
    Ok(())
}

/// Names of symbols and unresolved references, once each, in order: neighbours in the table are neighbours in its index.
struct Names<'g> {
    sorted: Vec<&'g str>,
    ids: FxHashMap<&'g str, i64>,
}

impl<'g> Names<'g> {
    fn of(graph: &'g Graph) -> Names<'g> {
        let symbols = graph.symbols.iter().map(|symbol| symbol.name.as_str());
        let mut ids: FxHashMap<&str, i64> = symbols.map(|name| (name, 0)).collect();
        ids.extend(graph.unresolved.iter().map(|reference| (reference.name.as_str(), 0)));
        let mut sorted: Vec<&str> = ids.keys().copied().collect();
        sorted.sort_unstable();
        ids.extend(sorted.iter().copied().zip(1..));
        Names { sorted, ids }
    }

    /// 0, which no row has, for a name that was not in the graph.
    fn id(&self, name: &str) -> i64 {
        self.ids.get(name).copied().unwrap_or_default()
    }

    fn insert(&self, transaction: &Transaction<'_>) -> Result<()> {
        let mut insert = transaction.prepare("INSERT INTO name VALUES (?1, ?2)")?;
        for (name, id) in self.sorted.iter().zip(1i64..) {
            insert.execute(params![id, name])?;
        }
        Ok(())
    }
}

fn insert_symbols(transaction: &Transaction<'_>, graph: &Graph, ids: &Ids<'_>, names: &Names<'_>) -> Result<()> {
    for (symbol, id) in graph.symbols.iter().zip(0..) {
        let (container, name) = (ids.caller(symbol.container), names.id(&symbol.name));
        insert_symbol(transaction, symbol, ids.symbol(SymbolId(id)), ids.file(symbol.file), name, container)?;
    }
    Ok(())
}

/// Writes the row of a symbol, in the place of an old one.
pub(super) fn insert_symbol(
    transaction: &Transaction<'_>,
    symbol: &Symbol,
    id: i64,
    file: i64,
    name: i64,
    container: i64,
) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO symbol VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    transaction.prepare_cached(sql)?.execute(params![
        id,
        file,
        name,
        symbol.qualname,
        codes::def_kind(symbol.kind),
        container,
        symbol.line,
        symbol.end_line,
        symbol.exported,
        symbol.params,
        symbol.signature,
        symbol.flags.0,
    ])?;
    Ok(())
}

/// A row of `edge`: callee, file, line, kind, resolution, caller, and its number among equal ones.
pub(super) type EdgeRow = (i64, i64, u32, i64, i64, i64, i64);

/// Rows of some edges, in the order of the table's own key: appending to a tree fills its pages, inserting in the middle
/// leaves them half empty.
pub(super) fn edge_rows<'e>(edges: impl Iterator<Item = &'e Edge>, ids: &Ids<'_>) -> Vec<EdgeRow> {
    let row = |edge: &Edge| {
        let (kind, resolution) = (codes::edge_kind(edge.kind), codes::resolution(edge.resolution));
        let (callee, file) = (ids.symbol(edge.callee), ids.file(edge.caller_file));
        (callee, file, edge.line, kind, resolution, ids.caller(edge.caller), 0)
    };
    let mut rows: Vec<EdgeRow> = edges.map(row).collect();
    rows.sort_unstable();
    let mut nth = Nth::default();
    for row in &mut rows {
        row.6 = nth.of(*row);
    }
    rows
}

pub(super) const INSERT_EDGE: &str = "INSERT INTO edge VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

fn insert_edges(transaction: &Transaction<'_>, graph: &Graph, ids: &Ids<'_>) -> Result<()> {
    let mut insert = transaction.prepare(INSERT_EDGE)?;
    for row in edge_rows(graph.edges.iter(), ids) {
        insert.execute(row)?;
    }
    Ok(())
}

/// A row of `unresolved`: file, line, name, kind, caller, external, and its number among equal ones.
pub(super) type UnresolvedRow = (i64, u32, i64, i64, i64, bool, i64);

/// Rows of some unresolved references, in the order of the table's own key. `name` gives the id of a name.
pub(super) fn unresolved_rows<'e>(
    references: impl Iterator<Item = &'e Unresolved>,
    ids: &Ids<'_>,
    mut name: impl FnMut(&'e str) -> Result<i64>,
) -> Result<Vec<UnresolvedRow>> {
    let mut rows = Vec::new();
    for reference in references {
        let (file, caller) = (ids.file(reference.file), ids.caller(reference.caller));
        let (name, kind) = (name(&reference.name)?, codes::edge_kind(reference.kind));
        rows.push((file, reference.line, name, kind, caller, reference.external, 0));
    }
    rows.sort_unstable();
    let mut nth = Nth::default();
    for row in &mut rows {
        row.6 = nth.of(*row);
    }
    Ok(rows)
}

pub(super) const INSERT_UNRESOLVED: &str = "INSERT INTO unresolved VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

fn insert_unresolved(transaction: &Transaction<'_>, graph: &Graph, ids: &Ids<'_>, names: &Names<'_>) -> Result<()> {
    let mut insert = transaction.prepare(INSERT_UNRESOLVED)?;
    for row in unresolved_rows(graph.unresolved.iter(), ids, |name| Ok(names.id(name)))? {
        insert.execute(row)?;
    }
    Ok(())
}

/// Numbers equal neighbours from 0.
struct Nth<T>(Option<T>, i64);

impl<T> Default for Nth<T> {
    fn default() -> Self {
        Nth(None, 0)
    }
}

impl<T: PartialEq> Nth<T> {
    fn of(&mut self, row: T) -> i64 {
        self.1 = if self.0.as_ref() == Some(&row) { self.1 + 1 } else { 0 };
        self.0 = Some(row);
        self.1
    }
}

/// The relations that are no more than two ids.
fn insert_pairs(transaction: &Transaction<'_>, graph: &Graph, ids: &Ids<'_>) -> Result<()> {
    let mut insert = transaction.prepare("INSERT OR IGNORE INTO override VALUES (?1, ?2)")?;
    for (method, base) in &graph.overrides {
        insert.execute([ids.symbol(*method), ids.symbol(*base)])?;
    }
    let mut insert = transaction.prepare("INSERT OR IGNORE INTO import VALUES (?1, ?2)")?;
    for (importer, imported) in &graph.imports {
        insert.execute([ids.file(*importer), ids.file(*imported)])?;
    }
    let mut insert = transaction.prepare("INSERT OR IGNORE INTO unreferenced VALUES (?1, ?2, ?3)")?;
    for row in unreferenced_rows(graph, ids) {
        insert.execute(row)?;
    }
    Ok(())
}

/// Rows of the table `unreferenced`.
pub(super) fn unreferenced_rows(graph: &Graph, ids: &Ids<'_>) -> Vec<(i64, i64, bool)> {
    let lists = [(&graph.unreferenced, false), (&graph.offered, true)];
    let row =
        |symbol: SymbolId, offered| (ids.file(graph.symbols[symbol.0 as usize].file), ids.symbol(symbol), offered);
    let rows = lists.into_iter().flat_map(|(list, offered)| list.iter().map(move |symbol| row(*symbol, offered)));
    rows.collect()
}

pub(super) fn insert_communities(transaction: &Transaction<'_>, graph: &Graph, ids: &Ids<'_>) -> Result<()> {
    let mut community_row = transaction.prepare("INSERT INTO community VALUES (?1, ?2, ?3)")?;
    let mut member_row = transaction.prepare("INSERT INTO member VALUES (?1, ?2, ?3)")?;
    let mut entry_row = transaction.prepare("INSERT INTO entry_point VALUES (?1, ?2, ?3)")?;
    for (community, community_id) in graph.communities.iter().zip(1i64..) {
        community_row.execute(params![community_id, community.label, community.cohesion])?;
        for member in &community.members {
            member_row.execute(params![ids.file(member.file), community_id, member.membership])?;
        }
        for (file, rank) in community.entries.iter().zip(1i64..) {
            entry_row.execute(params![community_id, rank, ids.file(*file)])?;
        }
    }
    Ok(())
}

/// One row a term and not one a file and term: thirty times fewer rows, a third of the bytes.
pub(super) fn insert_terms(transaction: &Transaction<'_>, documents: &[Document], ids: &Ids<'_>) -> Result<()> {
    let mut documents: Vec<(u32, &[(u32, Counts)])> =
        documents.iter().map(|document| (ids.file(document.file) as u32, document.terms.as_slice())).collect();
    documents.sort_unstable_by_key(|(id, _)| *id);
    let mut insert = transaction.prepare("INSERT INTO term VALUES (?1, ?2)")?;
    for (hash, postings) in postings::of_terms(&documents) {
        insert.execute(params![hash, postings])?;
    }
    let mut insert = transaction.prepare("INSERT INTO field_lengths VALUES (?1, ?2)")?;
    for (part, lengths) in postings::of_lengths(documents.iter().copied()) {
        insert.execute(params![part, lengths])?;
    }
    Ok(())
}

/// The words that a symbol is found by: those of its own name and those of its containers.
pub(super) fn words(symbol: &Symbol) -> (String, String) {
    let containers = symbol.qualname.strip_suffix(symbol.name.as_str()).unwrap_or_default();
    (segments(&symbol.name).join(" "), segments(containers).join(" "))
}

pub(super) const INSERT_WORDS: &str = "INSERT INTO symbol_words (rowid, name, context) VALUES (?1, ?2, ?3)";

fn insert_words(transaction: &Transaction<'_>, graph: &Graph, ids: &Ids<'_>) -> Result<()> {
    let mut insert = transaction.prepare(INSERT_WORDS)?;
    for (symbol, id) in graph.symbols.iter().zip(0..) {
        let (name, context) = words(symbol);
        insert.execute(params![ids.symbol(SymbolId(id)), name, context])?;
    }
    transaction.execute("INSERT INTO symbol_words (symbol_words) VALUES ('optimize')", [])?;
    Ok(())
}

/// Fewer uses than this make no hub, however small the repository.
const MIN_HUB_USES: usize = 25;

/// The most uses that a symbol has which is not among the one in a hundred used symbols (at least one) that have most: those
/// that have more are hubs.
fn hub_uses(graph: &Graph) -> usize {
    let mut counts = vec![0usize; graph.symbols.len()];
    for edge in &graph.edges {
        counts[edge.callee.0 as usize] += 1;
    }
    counts.retain(|uses| *uses > 0);
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let percentile = counts.get(counts.len().div_ceil(100)).copied().unwrap_or_default();
    percentile.max(MIN_HUB_USES)
}

pub(super) fn insert_meta(transaction: &Transaction<'_>, graph: &Graph, meta: &Meta, generation: i64) -> Result<()> {
    let mut insert = transaction.prepare("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?;
    insert.execute(params!["root", meta.root])?;
    insert.execute(params!["git_dir", meta.git_dir])?;
    insert.execute(params!["head", meta.head])?;
    insert.execute(params!["indexed_at", meta.indexed_at])?;
    insert.execute(params!["generation", generation])?;
    for (key, count) in [
        ("files", graph.files.len()),
        ("symbols", graph.symbols.len()),
        ("edges", graph.edges.len()),
        ("unresolved", graph.unresolved.len()),
        ("hub_uses", hub_uses(graph)),
    ] {
        insert.execute(params![key, i64::try_from(count).unwrap_or(i64::MAX)])?;
    }
    insert.execute(params!["complete", 1])?;
    Ok(())
}
