//! Writes a whole graph into SQLite, in one transaction: a reader, or whoever comes after a crash, sees the old graph or
//! the new one, never a part. The `complete` row of `meta` is written with the data, so that "no rows" can be told from
//! "no callers".
//!
//! The file is a cache and treated as one: damaged, foreign, of another version or no file at all, it is deleted and
//! written anew.

use super::place::{self, Place};
use super::{APPLICATION_ID, Meta, SCHEMA_VERSION, codes, postings, segments::segments};
use crate::model::{Edge, Graph, SymbolId};
use anyhow::{Context, Result, bail};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, params};
use rustc_hash::FxHashMap;
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
pub fn replace_all(db: &Path, graph: &Graph, meta: &Meta) -> Result<()> {
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
    let damaged = |error: &rusqlite::Error| {
        matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
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

fn replace(db: &Path, graph: &Graph, meta: &Meta) -> Result<()> {
    let mut connection = open(db)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    fill(&transaction, graph, meta)?;
    transaction.commit()?;
    // Readers of the old graph may hold the log back; the next checkpoint gets it then, and nobody waits for them.
    connection.busy_timeout(Duration::from_millis(100))?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(())
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
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(db, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "cache_size", CACHE)?;
    usable(&connection)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

/// Whether the tables in the file may be replaced in place. A new file is better than a doubtful one: pages of a damaged
/// tree would be reused for the new rows.
fn usable(connection: &Connection) -> Result<()> {
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    let objects: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let (application, version) = (number("application_id")?, number("user_version")?);
    match (application, version) {
        (0, 0) if objects == 0 => return Ok(()),
        (APPLICATION_ID, SCHEMA_VERSION) => {}
        (APPLICATION_ID, _) => return Err(Unusable("of another version").into()),
        _ => return Err(Unusable("not floorplan's").into()),
    }
    let sound: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    let planted: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')", [], |row| {
            row.get(0)
        })?;
    if sound != "ok" || planted > 0 {
        return Err(Unusable("damaged").into());
    }
    Ok(())
}

/// Everything between BEGIN and COMMIT.
pub(super) fn fill(transaction: &Transaction<'_>, graph: &Graph, meta: &Meta) -> Result<()> {
    let generation = generation(transaction)? + 1;
    clear(transaction)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    transaction.execute_batch(SCHEMA)?;
    insert_files(transaction, graph)?;
    let names = Names::of(graph);
    names.insert(transaction)?;
    insert_symbols(transaction, graph, &names)?;
    insert_edges(transaction, graph)?;
    insert_unresolved(transaction, graph, &names)?;
    insert_pairs(transaction, graph)?;
    insert_communities(transaction, graph)?;
    insert_terms(transaction, graph)?;
    transaction.execute_batch(INDEXES)?;
    insert_words(transaction, graph)?;
    insert_meta(transaction, graph, meta, generation)
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

/// A position in a vector of the graph as an id of the database.
fn id(position: u32) -> i64 {
    i64::from(position) + 1
}

fn caller_id(caller: Option<SymbolId>) -> i64 {
    caller.map_or(0, |caller| id(caller.0))
}

fn insert_files(transaction: &Transaction<'_>, graph: &Graph) -> Result<()> {
    let mut insert =
        transaction.prepare("INSERT INTO file VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")?;
    for (file, id) in graph.files.iter().zip(1i64..) {
        insert
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
    }
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

fn insert_symbols(transaction: &Transaction<'_>, graph: &Graph, names: &Names<'_>) -> Result<()> {
    let mut insert =
        transaction.prepare("INSERT INTO symbol VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")?;
    for (symbol, symbol_id) in graph.symbols.iter().zip(1i64..) {
        insert.execute(params![
            symbol_id,
            id(symbol.file.0),
            names.id(&symbol.name),
            symbol.qualname,
            codes::def_kind(symbol.kind),
            caller_id(symbol.container),
            symbol.line,
            symbol.end_line,
            symbol.exported,
            symbol.params,
            symbol.signature,
            symbol.flags.0,
        ])?;
    }
    Ok(())
}

/// In the order of the table's own key: appending to a tree fills its pages, inserting in the middle leaves them half empty.
fn insert_edges(transaction: &Transaction<'_>, graph: &Graph) -> Result<()> {
    let key = |edge: &Edge| {
        let kind = codes::edge_kind(edge.kind);
        (edge.callee, edge.caller_file, edge.line, kind, codes::resolution(edge.resolution), caller_id(edge.caller))
    };
    let mut edges = graph.edges.clone();
    edges.sort_unstable_by_key(key);
    let mut insert = transaction.prepare("INSERT INTO edge VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mut nth = Nth::default();
    for row in edges.iter().map(key) {
        let (callee, file, line, kind, resolution, caller) = row;
        insert.execute(params![id(callee.0), id(file.0), line, kind, resolution, caller, nth.of(row)])?;
    }
    Ok(())
}

fn insert_unresolved(transaction: &Transaction<'_>, graph: &Graph, names: &Names<'_>) -> Result<()> {
    let mut rows: Vec<(u32, u32, i64, i64, i64, bool)> = graph
        .unresolved
        .iter()
        .map(|reference| {
            let (name, kind) = (names.id(&reference.name), codes::edge_kind(reference.kind));
            (reference.file.0, reference.line, name, kind, caller_id(reference.caller), reference.external)
        })
        .collect();
    rows.sort_unstable();
    let mut insert = transaction.prepare("INSERT INTO unresolved VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mut nth = Nth::default();
    for row in rows {
        let (file, line, name, kind, caller, external) = row;
        insert.execute(params![id(file), line, name, kind, caller, external, nth.of(row)])?;
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
fn insert_pairs(transaction: &Transaction<'_>, graph: &Graph) -> Result<()> {
    let mut insert = transaction.prepare("INSERT OR IGNORE INTO override VALUES (?1, ?2)")?;
    for (method, base) in &graph.overrides {
        insert.execute([id(method.0), id(base.0)])?;
    }
    let mut insert = transaction.prepare("INSERT OR IGNORE INTO import VALUES (?1, ?2)")?;
    for (importer, imported) in &graph.imports {
        insert.execute([id(importer.0), id(imported.0)])?;
    }
    let mut insert =
        transaction.prepare("INSERT OR IGNORE INTO unreferenced SELECT file, id FROM symbol WHERE id = ?1")?;
    for symbol in &graph.unreferenced {
        insert.execute([id(symbol.0)])?;
    }
    Ok(())
}

fn insert_communities(transaction: &Transaction<'_>, graph: &Graph) -> Result<()> {
    let mut community_row = transaction.prepare("INSERT INTO community VALUES (?1, ?2, ?3)")?;
    let mut member_row = transaction.prepare("INSERT INTO member VALUES (?1, ?2, ?3)")?;
    let mut entry_row = transaction.prepare("INSERT INTO entry_point VALUES (?1, ?2, ?3)")?;
    for (community, community_id) in graph.communities.iter().zip(1i64..) {
        community_row.execute(params![community_id, community.label, community.cohesion])?;
        for member in &community.members {
            member_row.execute(params![id(member.file.0), community_id, member.membership])?;
        }
        for (file, rank) in community.entries.iter().zip(1i64..) {
            entry_row.execute(params![community_id, rank, id(file.0)])?;
        }
    }
    Ok(())
}

/// One row a term and not one a file and term: thirty times fewer rows, a third of the bytes.
fn insert_terms(transaction: &Transaction<'_>, graph: &Graph) -> Result<()> {
    let documents = || graph.documents.iter().map(|document| (document.file.0 + 1, document.terms.as_slice()));
    let mut insert = transaction.prepare("INSERT INTO term VALUES (?1, ?2)")?;
    for (hash, postings) in postings::of_terms(documents()) {
        insert.execute(params![hash, postings])?;
    }
    let mut insert = transaction.prepare("INSERT INTO field_lengths VALUES (?1, ?2)")?;
    for (part, lengths) in postings::of_lengths(documents()) {
        insert.execute(params![part, lengths])?;
    }
    Ok(())
}

fn insert_words(transaction: &Transaction<'_>, graph: &Graph) -> Result<()> {
    let mut insert = transaction.prepare("INSERT INTO symbol_words (rowid, name, context) VALUES (?1, ?2, ?3)")?;
    for (symbol, id) in graph.symbols.iter().zip(1i64..) {
        let containers = symbol.qualname.strip_suffix(symbol.name.as_str()).unwrap_or_default();
        insert.execute(params![id, segments(&symbol.name).join(" "), segments(containers).join(" ")])?;
    }
    transaction.execute("INSERT INTO symbol_words (symbol_words) VALUES ('optimize')", [])?;
    Ok(())
}

/// Fewer uses than this make no hub, however small the repository.
const MIN_HUB_USES: usize = 25;

/// The most uses that a symbol has which is not among the one in a hundred used symbols (at least one) that have most: those
/// that have more are hubs.
fn hub_uses(graph: &Graph) -> usize {
    let mut uses: FxHashMap<SymbolId, usize> = FxHashMap::default();
    for edge in &graph.edges {
        *uses.entry(edge.callee).or_default() += 1;
    }
    let mut counts: Vec<usize> = uses.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let percentile = counts.get(counts.len().div_ceil(100)).copied().unwrap_or_default();
    percentile.max(MIN_HUB_USES)
}

fn insert_meta(transaction: &Transaction<'_>, graph: &Graph, meta: &Meta, generation: i64) -> Result<()> {
    let mut insert = transaction.prepare("INSERT INTO meta VALUES (?1, ?2)")?;
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
