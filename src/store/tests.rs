//! Bad weather for the database: every state a reader must refuse, and every crash an old graph must survive.

use super::reader::{Reader, Reason};
use super::sample::{SHOP, graph, meta, stored};
use super::{Meta, SCHEMA_VERSION, replace_all, writer};
use crate::model::Graph;
use rusqlite::{Connection, TransactionBehavior};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

fn open(db: &Path) -> Result<Reader, Reason> {
    Reader::open(db, "/repo", "/repo/.git").map_err(|refused| refused.reason)
}

fn reason(db: &Path) -> Reason {
    open(db).err().expect("it is refused")
}

fn count(reader: &Reader, table: &str) -> i64 {
    reader.connection().query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

fn spoil(db: &Path, sql: &str) {
    let connection = Connection::open(db).unwrap();
    connection.execute_batch(sql).unwrap();
}

fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
}

#[test]
fn what_is_written_is_read() {
    let graph = graph(SHOP);
    let (_folder, db) = stored(&graph);
    let reader = open(&db).unwrap();
    for (table, rows) in [
        ("file", graph.files.len()),
        ("symbol", graph.symbols.len()),
        ("edge", graph.edges.len()),
        ("unresolved", graph.unresolved.len()),
        ("override", graph.overrides.len()),
        ("import", graph.imports.len()),
        ("unreferenced", graph.unreferenced.len() + graph.offered.len()),
    ] {
        assert_eq!(count(&reader, table), rows as i64, "{table}");
    }
    let stored = reader.meta();
    assert_eq!((stored.head.as_deref(), stored.generation, stored.edges), (Some("5cb4"), 1, graph.edges.len() as i64));
    let hash: i64 =
        reader.connection().query_row("SELECT content_hash FROM file LIMIT 1", [], |row| row.get(0)).unwrap();
    assert_eq!(hash.cast_unsigned(), u64::MAX - 5);
}

#[test]
fn a_second_graph_replaces_the_first_in_a_file_only_we_can_read() {
    let (_folder, db) = stored(&graph(SHOP));
    fs::set_permissions(&db, fs::Permissions::from_mode(0o644)).unwrap();
    let headless = Meta { head: None, ..meta() };
    replace_all(&db, &Graph::default(), &headless).unwrap();
    let reader = open(&db).unwrap();
    assert_eq!((reader.meta().generation, reader.meta().head.clone(), count(&reader, "symbol")), (2, None, 0));
    assert_eq!(fs::metadata(&db).unwrap().permissions().mode() & 0o7777, 0o600);
}

#[test]
fn equal_graphs_give_equal_files() {
    let (_one, first) = stored(&graph(SHOP));
    let (_two, second) = stored(&graph(SHOP));
    assert!(fs::read(first).unwrap() == fs::read(second).unwrap());
}

#[test]
fn symbols_are_found_by_the_words_of_their_names() {
    let (_folder, db) = stored(&graph("file a.py\ndef class HTTPServer 1 9\ndef method HTTPServer.parseURLPath 2 3\n"));
    let reader = open(&db).unwrap();
    let found = |words: &str| -> Vec<i64> {
        let mut statement = reader
            .connection()
            .prepare("SELECT rowid FROM symbol_words WHERE symbol_words MATCH ?1 ORDER BY 1")
            .unwrap();
        statement.query_map([words], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    };
    assert_eq!(found("\"url\""), [2]);
    assert_eq!(found("name:\"server\""), [1]);
    assert_eq!(found("\"server\""), [1, 2]);
    assert_eq!(found("\"parseurlp\"*"), [2]);
}

#[test]
fn readers_refuse_what_is_not_a_whole_graph_of_this_root() {
    let (folder, db) = stored(&graph(SHOP));
    let path = |name: &str| folder.path().join(name);
    let bytes = fs::read(&db).unwrap();

    assert_eq!(reason(&path("missing")), Reason::Absent);
    write(&path("empty"), b"");
    assert_eq!(reason(&path("empty")), Reason::Incomplete);
    write(
        &path("text"),
        b"not a database, but a text that is longer than the header of one would be. ".repeat(9).as_slice(),
    );
    assert!(matches!(reason(&path("text")), Reason::Damaged(_)));
    for cut in [1, 50, 100, 4096, 10_000, bytes.len() / 2] {
        write(&path("cut"), &bytes[..cut]);
        assert!(
            matches!(reason(&path("cut")), Reason::Damaged(_) | Reason::Incomplete | Reason::Foreign),
            "cut at {cut}"
        );
    }
    fs::create_dir(path("folder")).unwrap();
    assert_eq!(reason(&path("folder")), Reason::NotRegular("a folder"));
    rustix::fs::mknodat(rustix::fs::CWD, path("fifo"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert_eq!(reason(&path("fifo")), Reason::NotRegular("a FIFO"));
    symlink(&db, path("link")).unwrap();
    assert_eq!(reason(&path("link")), Reason::NotRegular("a symbolic link"));

    let other = Reader::open(&db, "/elsewhere", "/repo/.git").err().unwrap();
    assert_eq!((other.reason.clone(), other.hint()), (Reason::OtherRoot("/repo".into()), "run `floorplan index`"));
    assert!(matches!(Reader::open(&db, "/repo", "").err().unwrap().reason, Reason::OtherRoot(_)));

    let refused_after = |sql: &str| {
        write(&path("spoilt"), &bytes);
        spoil(&path("spoilt"), sql);
        reason(&path("spoilt"))
    };
    assert_eq!(refused_after("PRAGMA user_version = 999"), Reason::Newer(999));
    assert_eq!(refused_after("PRAGMA user_version = 0"), Reason::Older(0));
    assert_eq!(refused_after("PRAGMA application_id = 7"), Reason::Foreign);
    assert_eq!(refused_after("UPDATE meta SET value = 0 WHERE key = 'complete'"), Reason::Incomplete);
    assert_eq!(refused_after("DELETE FROM meta WHERE key = 'complete'"), Reason::Incomplete);
    assert_eq!(refused_after("DROP TABLE meta"), Reason::Incomplete);
    assert!(matches!(refused_after("DELETE FROM meta WHERE key = 'root'"), Reason::Damaged(_)));
    assert!(matches!(refused_after("DROP TABLE edge"), Reason::Damaged(_)));
    assert!(matches!(refused_after("CREATE VIEW v AS SELECT 1"), Reason::Damaged(_)));
    assert!(open(&db).is_ok(), "the original is still good");
}

#[test]
fn the_writer_replaces_what_is_damaged_foreign_or_older() {
    let (folder, db) = stored(&graph(SHOP));
    let bytes = fs::read(&db).unwrap();
    let path = folder.path().join("other.db");
    let rebuilt = |content: &[u8], sql: &str| {
        write(&path, content);
        if !sql.is_empty() {
            spoil(&path, sql);
        }
        replace_all(&path, &graph(SHOP), &meta()).unwrap();
        assert!(open(&path).is_ok(), "{sql}");
    };
    rebuilt(b"", "");
    rebuilt(&[b'x'; 5000], "");
    rebuilt(&bytes[..10_000], "");
    rebuilt(b"", "CREATE TABLE theirs (a)");
    rebuilt(&bytes, "PRAGMA user_version = 0");
    rebuilt(&bytes, "CREATE VIEW v AS SELECT 1");
    rebuilt(&bytes, "DROP TABLE symbol_words; DROP TABLE meta");
    rebuilt(&bytes, "UPDATE meta SET value = 'x'");
    let mut flipped = bytes.clone();
    flipped[4096 * 3..4096 * 5].fill(0xa5);
    rebuilt(&flipped, "");
}

#[test]
fn the_writer_replaces_a_newer_database_and_what_is_no_file() {
    let (folder, db) = stored(&graph(SHOP));
    spoil(&db, "PRAGMA user_version = 999");
    replace_all(&db, &graph(SHOP), &meta()).unwrap();
    assert!(open(&db).is_ok());

    let path = |name: &str| folder.path().join(name);
    symlink(path("target"), path("link")).unwrap();
    fs::create_dir_all(path("folder/inner")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, path("fifo"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    for name in ["link", "folder", "fifo"] {
        replace_all(&path(name), &graph(SHOP), &meta()).unwrap();
        assert!(open(&path(name)).is_ok(), "{name}");
    }
    assert!(!path("target").exists());
}

#[test]
fn an_interrupted_write_leaves_the_old_graph() {
    let (_folder, db) = stored(&graph(SHOP));
    let mut connection = writer::open(&db).unwrap();
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    writer::fill(&transaction, &Graph::default(), &Meta { head: None, ..meta() }).unwrap();
    let during = open(&db).unwrap();
    assert_eq!((during.meta().generation, count(&during, "symbol")), (1, graph(SHOP).symbols.len() as i64));
    drop(during);
    drop(transaction);
    drop(connection);
    let after = open(&db).unwrap();
    assert_eq!((after.meta().generation, count(&after, "symbol")), (1, graph(SHOP).symbols.len() as i64));
}

#[test]
fn a_reader_keeps_its_graph_while_another_is_written() {
    let (_folder, db) = stored(&graph(SHOP));
    let before = open(&db).unwrap();
    replace_all(&db, &Graph::default(), &meta()).unwrap();
    assert_eq!(count(&before, "symbol"), graph(SHOP).symbols.len() as i64);
    assert_eq!(count(&open(&db).unwrap(), "symbol"), 0);
}

#[test]
fn a_log_cut_anywhere_is_the_old_graph_or_none() {
    let (folder, db) = stored(&graph(SHOP));
    let before = open(&db).unwrap();
    let mut connection = writer::open(&db).unwrap();
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    writer::fill(&transaction, &Graph::default(), &meta()).unwrap();
    transaction.commit().unwrap();
    // As a writer that was killed here leaves them: the main file is old, all of the new graph is in the log.
    let (main, log) = (fs::read(&db).unwrap(), fs::read(folder.path().join("graph.db-wal")).unwrap());
    drop(before);
    let copy = folder.path().join("copy.db");
    let seen = |cut: usize| {
        write(&copy, &main);
        let _ = fs::remove_file(folder.path().join("copy.db-shm"));
        write(&folder.path().join("copy.db-wal"), &log[..cut]);
        open(&copy).map(|reader| (reader.meta().generation, count(&reader, "symbol")))
    };
    assert_eq!(seen(log.len()), Ok((2, 0)));
    for part in 0..50 {
        let old_or_none = match seen(log.len() * part / 50) {
            Ok(found) => found == (1, graph(SHOP).symbols.len() as i64),
            Err(_) => true,
        };
        assert!(old_or_none, "cut at {part}/50");
    }
}

#[test]
fn a_locked_database_is_given_up_after_50_ms_in_the_hook() {
    let (_folder, db) = stored(&graph(SHOP));
    let holder = Connection::open(&db).unwrap();
    holder.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM meta;").unwrap();
    let started = std::time::Instant::now();
    let refused = Reader::open_in_hook(&db, "/repo", "/repo/.git").err().unwrap();
    assert_eq!((refused.reason.clone(), refused.hint()), (Reason::Busy, "wait for the index to finish and try again"));
    assert!(started.elapsed().as_millis() < 1000, "{:?}", started.elapsed());
}

#[test]
fn the_schema_is_of_the_version_it_says() {
    // Whoever changes schema.sql or indexes.sql raises SCHEMA_VERSION and notes the new hash here.
    let text = format!("{}{}", include_str!("schema.sql"), include_str!("indexes.sql"));
    assert_eq!((SCHEMA_VERSION, xxhash_rust::xxh3::xxh3_64(text.as_bytes())), (6, 11914065895326027052));
}
