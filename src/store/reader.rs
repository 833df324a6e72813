//! Opens the database for reading, and refuses whatever could make it answer wrongly: a graph that is not complete, of
//! another repository, of another version, damaged, or not ours. Everything is read in one transaction, so that the counts
//! of one answer are of one graph however busy the indexer is.
//!
//! It never creates, migrates or repairs anything.

use super::place::{self, Place};
use super::{APPLICATION_ID, SCHEMA_VERSION};
use rusqlite::config::DbConfig;
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Tables without which nothing can be answered.
const TABLES: [&str; 11] = [
    "edge",
    "field_lengths",
    "file",
    "import",
    "name",
    "override",
    "symbol",
    "symbol_words",
    "term",
    "unreferenced",
    "unresolved",
];

/// One graph, at one moment.
pub struct Reader {
    connection: Connection,
    meta: Stored,
}

/// The `meta` table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    pub root: String,
    pub git_dir: String,
    pub head: Option<String>,
    /// Seconds since 1970.
    pub indexed_at: i64,
    /// Counts the graphs that were written into this file.
    pub generation: i64,
    pub files: i64,
    pub symbols: i64,
    pub edges: i64,
    pub unresolved: i64,
    /// A symbol used in more places than this is a hub.
    pub hub_uses: i64,
}

/// Why a database is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub db: PathBuf,
    pub reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Absent,
    /// Something other than a regular file, in words.
    NotRegular(&'static str),
    /// The file of another user.
    NotOurs,
    /// A database of some other program.
    Foreign,
    /// Schema version of an older floorplan.
    Older(i32),
    /// Schema version of a newer floorplan.
    Newer(i32),
    /// The graph of this other root.
    OtherRoot(String),
    /// No graph was ever finished in it.
    Incomplete,
    Damaged(String),
    /// Another process held it for longer than we wait.
    Busy,
    Unreadable(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let db = self.db.display();
        match &self.reason {
            Reason::Absent => write!(f, "there is no graph of this folder yet"),
            Reason::NotRegular(what) => write!(f, "{what} is in the place of the graph {db}"),
            Reason::NotOurs => write!(f, "the graph {db} belongs to another user"),
            Reason::Foreign => write!(f, "{db} is not a graph of floorplan's"),
            Reason::Older(version) => write!(f, "the graph was written by an older floorplan (schema {version})"),
            Reason::Newer(version) => write!(f, "the graph was written by a newer floorplan (schema {version})"),
            Reason::OtherRoot(root) => write!(f, "the graph {db} is of another folder, {root}"),
            Reason::Incomplete => write!(f, "no index of this folder was ever finished"),
            Reason::Damaged(what) => write!(f, "the graph {db} is damaged ({what})"),
            Reason::Busy => write!(f, "the graph {db} is locked by another process"),
            Reason::Unreadable(what) => write!(f, "the graph {db} cannot be read ({what})"),
        }
    }
}

impl std::error::Error for Refused {}

impl Refused {
    /// What to do about it, in one line.
    pub fn hint(&self) -> &'static str {
        match self.reason {
            Reason::Newer(_) => "update floorplan, or delete the file and run `floorplan index`",
            Reason::NotRegular(_) | Reason::NotOurs => "remove it and run `floorplan index`",
            Reason::Busy => "wait for the index to finish and try again",
            Reason::Unreadable(_) => "check the permissions of the cache folder, then run `floorplan index`",
            _ => "run `floorplan index`",
        }
    }
}

impl Reader {
    /// For commands: waits up to two seconds for a writer. `git_dir` is empty outside git.
    pub fn open(db: &Path, root: &str, git_dir: &str) -> Result<Reader, Refused> {
        open(db, root, git_dir, Duration::from_secs(2))
    }

    /// For hooks: waits 50 ms. (Of 1,100 readers against a busy writer none needed longer; the library's default of five
    /// seconds would hold up the agent.)
    pub fn open_in_hook(db: &Path, root: &str, git_dir: &str) -> Result<Reader, Refused> {
        open(db, root, git_dir, Duration::from_millis(50))
    }

    pub fn meta(&self) -> &Stored {
        &self.meta
    }

    /// For `query`, which asks the questions.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }
}

fn open(db: &Path, root: &str, git_dir: &str, patience: Duration) -> Result<Reader, Refused> {
    let refused = |reason| Refused { db: db.to_path_buf(), reason };
    let unreadable = |error: std::io::Error| refused(Reason::Unreadable(error.to_string()));
    match place::look(db).map_err(unreadable)? {
        Place::Absent => return Err(refused(Reason::Absent)),
        Place::Other(what) => return Err(refused(Reason::NotRegular(what))),
        Place::NotOurs => return Err(refused(Reason::NotOurs)),
        // What an index that died before its first commit leaves behind.
        Place::File { size: 0, .. } => return Err(refused(Reason::Incomplete)),
        Place::File { .. } => {}
    }
    let real = place::in_real_folder(db).map_err(unreadable)?;
    let connection = match connect(&real, Access::Shared, patience) {
        // A reader of a WAL database needs to write its `-shm`, which a read-only or full file system does not let it.
        // Reading as immutable is right as long as no log holds something newer.
        Err(error) if is_read_only(&error) && !has_log(&real) => connect(&real, Access::Immutable, patience),
        result => result,
    }
    .map_err(|error| refused(reason_of(&error)))?;
    let meta = checked_meta(&connection).map_err(|error| refused(reason_of(&error)))?.map_err(refused)?;
    if meta.root != root || meta.git_dir != git_dir {
        return Err(refused(Reason::OtherRoot(meta.root)));
    }
    Ok(Reader { connection, meta })
}

#[derive(Clone, Copy)]
enum Access {
    Shared,
    Immutable,
}

/// A connection inside a read transaction that has begun. Errors of opening come from here and not from the first question.
fn connect(db: &Path, access: Access, patience: Duration) -> rusqlite::Result<Connection> {
    let mut flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match access {
        Access::Shared => Connection::open_with_flags(db, flags)?,
        Access::Immutable => {
            flags |= OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(immutable_uri(db), flags)?
        }
    };
    connection.busy_timeout(patience)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // A file that is cut while it is mapped ends the process (SIGBUS).
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;")?;
    Ok(connection)
}

fn immutable_uri(db: &Path) -> String {
    let mut uri = String::from("file:");
    for &byte in db.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri.push_str("?immutable=1");
    uri
}

fn has_log(db: &Path) -> bool {
    place::beside(db, "-wal").symlink_metadata().is_ok_and(|log| log.len() > 0)
}

fn is_read_only(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::SystemIoFailure | ErrorCode::DiskFull)
    )
}

fn reason_of(error: &rusqlite::Error) -> Reason {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Reason::Busy,
        Some(
            ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::SystemIoFailure | ErrorCode::PermissionDenied,
        ) => Reason::Unreadable(error.to_string()),
        _ => Reason::Damaged(error.to_string()),
    }
}

/// The outer error is SQLite's, the inner one ours.
fn checked_meta(connection: &Connection) -> rusqlite::Result<Result<Stored, Reason>> {
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    let mut statement = connection.prepare("SELECT type, name FROM sqlite_schema")?;
    let objects = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let objects = objects.collect::<rusqlite::Result<Vec<_>>>()?;
    match (number("application_id")?, number("user_version")?) {
        (APPLICATION_ID, SCHEMA_VERSION) => {}
        (APPLICATION_ID, version) if version > SCHEMA_VERSION => return Ok(Err(Reason::Newer(version))),
        (APPLICATION_ID, version) => return Ok(Err(Reason::Older(version))),
        (0, 0) if objects.is_empty() => return Ok(Err(Reason::Incomplete)),
        _ => return Ok(Err(Reason::Foreign)),
    }
    // We make neither views nor triggers; a planted one in a table's place could keep a query busy for ever.
    if objects.iter().any(|(kind, _)| kind != "table" && kind != "index") {
        return Ok(Err(Reason::Damaged("it holds a view or trigger".into())));
    }
    let has = |table: &str| objects.iter().any(|(kind, name)| kind == "table" && name == table);
    if !has("meta") {
        return Ok(Err(Reason::Incomplete));
    }
    if let Some(table) = TABLES.iter().find(|table| !has(table)) {
        return Ok(Err(Reason::Damaged(format!("table {table} is missing"))));
    }
    let mut statement = connection.prepare("SELECT key, value FROM meta")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let rows = rows.collect::<rusqlite::Result<BTreeMap<String, Value>>>()?;
    if rows.get("complete") != Some(&Value::Integer(1)) {
        return Ok(Err(Reason::Incomplete));
    }
    Ok(stored(&rows).ok_or_else(|| Reason::Damaged("its description is not complete".into())))
}

fn stored(rows: &BTreeMap<String, Value>) -> Option<Stored> {
    let text = |key: &str| match rows.get(key) {
        Some(Value::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let number = |key: &str| match rows.get(key) {
        Some(Value::Integer(number)) => Some(*number),
        _ => None,
    };
    Some(Stored {
        root: text("root")?,
        git_dir: text("git_dir")?,
        head: text("head"),
        indexed_at: number("indexed_at")?,
        generation: number("generation")?,
        files: number("files")?,
        symbols: number("symbols")?,
        edges: number("edges")?,
        unresolved: number("unresolved")?,
        hub_uses: number("hub_uses")?,
    })
}
