//! The fault table: everything that may go wrong around the program, by part and number, each with a test or with the reason
//! why there is none.
//!
//! A row is tested here, or by tests elsewhere that are named (and looked for), or not at all and says why. All rows run in
//! one test, so that the count at its end is of all; it is printed past the capture of output, as every reason for a row
//! that was skipped is. `FLOORPLAN_ROWS=A,B7` runs some rows only.

mod database;
mod ground;
mod mutations;
mod paths;
mod security;
mod sources;
mod states;
mod stdin;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Why a row could not be tested on this machine.
pub(crate) struct Skip(pub(crate) String);

/// A row that was tested is `Ok`; one that fails panics.
pub(crate) type Outcome = Result<(), Skip>;

/// One row of the table.
pub(crate) struct Row {
    /// `A1`.
    id: &'static str,
    /// What goes wrong.
    what: &'static str,
    run: Option<fn() -> Outcome>,
    /// `path/of/file.rs name_of_a_test`: tests that show the rest, or all of it.
    elsewhere: &'static [&'static str],
    /// Why it is not tested.
    reason: Option<&'static str>,
}

/// A row with a test here.
pub(crate) const fn here(id: &'static str, what: &'static str, run: fn() -> Outcome) -> Row {
    Row { id, what, run: Some(run), elsewhere: &[], reason: None }
}

/// A row that other tests hold: `path/of/file.rs name_of_a_test`.
pub(crate) const fn elsewhere(id: &'static str, what: &'static str, tests: &'static [&'static str]) -> Row {
    Row { id, what, run: None, elsewhere: tests, reason: None }
}

/// A row that no test can hold here.
#[allow(dead_code)]
pub(crate) const fn untestable(id: &'static str, what: &'static str, reason: &'static str) -> Row {
    Row { id, what, run: None, elsewhere: &[], reason: Some(reason) }
}

impl Row {
    /// Tests elsewhere that show a part of it.
    pub(crate) const fn and(mut self, tests: &'static [&'static str]) -> Row {
        self.elsewhere = tests;
        self
    }
}

/// The parts: letter, number of rows, the rows.
const PARTS: [(char, usize, &[Row]); 6] = [
    ('A', 24, stdin::ROWS),
    ('B', 23, paths::ROWS),
    ('C', 30, states::ROWS),
    ('D', 27, database::ROWS),
    ('E', 25, sources::ROWS),
    ('F', 24, security::ROWS),
];

/// Rows (or whole parts) that are still to be written.
const TO_COME: &[&str] = &["D", "E", "F9", "F14", "F15"];

#[test]
fn every_row_is_there_once() {
    let mut wanted = BTreeSet::new();
    let mut found = Vec::new();
    for (letter, count, rows) in PARTS {
        let to_come = |id: &str| TO_COME.contains(&id) || TO_COME.contains(&letter.to_string().as_str());
        wanted.extend((1..=count).map(|n| format!("{letter}{n}")).filter(|id| !to_come(id)));
        found.extend(rows.iter().map(|row| row.id.to_string()));
    }
    let unique: BTreeSet<String> = found.iter().cloned().collect();
    assert_eq!(found.len(), unique.len(), "a row stands there twice");
    let missing: Vec<_> = wanted.difference(&unique).collect();
    assert!(missing.is_empty(), "missing: {missing:?}");
    assert_eq!(PARTS.iter().map(|(_, count, _)| count).sum::<usize>(), 153);
    for row in all() {
        let tested = row.run.is_some() || !row.elsewhere.is_empty();
        assert!(tested != row.reason.is_some(), "{}: a test or a reason", row.id);
    }
}

/// A row that points to a test that is gone would be green for nothing.
#[test]
fn every_test_that_a_row_points_to_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for row in all() {
        for test in row.elsewhere {
            let (file, name) = test.split_once(' ').unwrap_or_else(|| panic!("{}: {test}", row.id));
            let text = fs::read_to_string(root.join(file)).unwrap_or_else(|_| panic!("{}: no {file}", row.id));
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            let at = lines.iter().position(|line| line.starts_with(&format!("fn {name}(")));
            let at = at.unwrap_or_else(|| panic!("{}: no {name} in {file}", row.id));
            // Attributes stand between.
            let marked =
                lines[..at].iter().rev().take_while(|line| line.starts_with("#[")).any(|line| *line == "#[test]");
            assert!(marked, "{}: {name} in {file} is no test", row.id);
        }
    }
}

#[test]
fn every_row_is_green_or_says_why_it_was_skipped() {
    let wanted = std::env::var("FLOORPLAN_ROWS").unwrap_or_default();
    let is_wanted =
        |row: &Row| wanted.is_empty() || wanted.split(',').any(|name| row.id == name || row.id[..1] == *name);
    let rows: Vec<&Row> = all().filter(|row| is_wanted(row)).collect();
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Result<Outcome, ()>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let at = rows.iter().position(|other| other.id == row.id).unwrap();
                    let started = Instant::now();
                    let result = catch_unwind(AssertUnwindSafe(|| match (row.run, row.reason) {
                        (Some(run), _) => run(),
                        (None, Some(reason)) => Err(Skip(reason.to_string())),
                        (None, None) => Ok(()),
                    }));
                    println!("{} {}: {:?}", row.id, row.what, started.elapsed());
                    results.lock().unwrap().push((at, result.map_err(drop)));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort_by_key(|(at, _)| *at);
    let (mut here, mut pointed, mut skipped, mut failed) = (0, 0, Vec::new(), Vec::new());
    for (at, result) in results {
        let row = rows[at];
        match result {
            Ok(Ok(())) if row.run.is_some() => here += 1,
            Ok(Ok(())) => pointed += 1,
            Ok(Err(Skip(reason))) => skipped.push(format!("{} ({}): {reason}", row.id, row.what)),
            Err(()) => failed.push(format!("{} {}", row.id, row.what)),
        }
    }
    say(&format!(
        "fault table: {} rows, {here} green here, {pointed} green by tests elsewhere, {} skipped, {} failed",
        rows.len(),
        skipped.len(),
        failed.len()
    ));
    for line in &skipped {
        say(&format!("  skipped {line}"));
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

fn all() -> impl Iterator<Item = &'static Row> {
    PARTS.into_iter().flat_map(|(_, _, rows)| rows)
}

/// Prints past the capture of output.
pub(crate) fn say(line: &str) {
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}
