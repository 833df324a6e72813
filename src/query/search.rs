//! Which symbols have a name like this? By the words of identifiers (`parse url` finds `parseURLPath`), the last of them by
//! its beginning. Exact names come first, then what has the words in its own name, then what has some in its containers'.
//! Where nothing has all of them: what has most of them, or a name that differs by a letter or two, and the answer says so.

use super::SymbolRow;
use super::symbol::COLUMNS;
use crate::store::{Reader, segments::segments};
use anyhow::{Context, Result};
use serde::Serialize;

/// Rows that SQLite ranks at most before the best are taken; a word like `get` is in tens of thousands of names.
const MAX_RANKED: u32 = 5_000;

/// Rows that are looked at for what is near.
const MAX_NEAR: u32 = 400;

/// Longest word that may be misspelled.
const MAX_MISSPELLED: usize = 60;

#[derive(Clone, Debug, Serialize)]
pub struct Search {
    /// Best first.
    pub found: Vec<SymbolRow>,
    /// There are more than were asked for.
    pub more: bool,
    /// Nothing has all the words: these are near.
    pub near: bool,
}

/// `limit`: how many to give at most.
///
/// # Errors
/// What SQLite says.
pub fn search(reader: &Reader, text: &str, limit: u32) -> Result<Search> {
    ask(reader, text, limit).with_context(|| format!("searching for {text}"))
}

fn ask(reader: &Reader, text: &str, limit: u32) -> Result<Search> {
    // Quoted, so that no word is an operator of the query language; letters and digits only, so that none ends the quotes.
    let mut words: Vec<String> = text.split_whitespace().flat_map(words_of).collect();
    words.dedup();
    words.truncate(16);
    if words.is_empty() {
        return Ok(Search { found: Vec::new(), more: false, near: false });
    }
    let found = with_all(reader, &words, text, limit)?;
    let found = if found.is_empty() { with_most(reader, &words, limit)? } else { return Ok(cut(found, limit, false)) };
    let found = if found.is_empty() { misspelled(reader, text, limit)? } else { found };
    Ok(cut(found, limit, true))
}

fn cut(mut found: Vec<SymbolRow>, limit: u32, near: bool) -> Search {
    let more = found.len() > limit as usize;
    found.truncate(limit as usize);
    Search { near: near && !found.is_empty(), found, more }
}

fn with_all(reader: &Reader, words: &[String], text: &str, limit: u32) -> Result<Vec<SymbolRow>> {
    let words = words.iter().map(|word| format!("\"{word}\"*")).collect::<Vec<_>>().join(" AND ");
    let last = text.trim().trim_end_matches("()");
    let last = last.rsplit(['.', ':']).next().unwrap_or_default();
    let wanted = limit.saturating_add(1);
    let mut found = matching(reader, &format!("name : ({words})"), last, wanted)?;
    if found.len() < wanted as usize {
        let own: Vec<i64> = found.iter().map(|symbol| symbol.id).collect();
        let wider = matching(reader, &words, last, wanted.saturating_mul(2))?;
        found.extend(wider.into_iter().filter(|symbol| !own.contains(&symbol.id)));
    }
    Ok(found)
}

/// Symbols with more than half of several words: all but one, all but two, and so on.
fn with_most(reader: &Reader, words: &[String], limit: u32) -> Result<Vec<SymbolRow>> {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"*")).collect();
    let any = quoted.join(" OR ");
    let parts = |row: &SymbolRow| segments(&row.qualname);
    let has = |row: &SymbolRow| {
        let parts = parts(row);
        words.iter().filter(|word| parts.iter().any(|part| part.starts_with(word.as_str()))).count()
    };
    let mut found: Vec<(usize, SymbolRow)> =
        matching(reader, &any, "", MAX_NEAR)?.into_iter().map(|row| (has(&row), row)).collect();
    found.retain(|(has, _)| 2 * has > words.len());
    found.sort_by_key(|(has, _)| std::cmp::Reverse(*has));
    found.truncate(limit as usize + 1);
    Ok(found.into_iter().map(|(_, row)| row).collect())
}

/// Symbols whose name begins like one word and differs from it by one letter, or by two in a long one.
fn misspelled(reader: &Reader, text: &str, limit: u32) -> Result<Vec<SymbolRow>> {
    let word = text.trim();
    let allowed = match word.chars().count() {
        0..=3 => return Ok(Vec::new()),
        4..=7 => 1,
        8..=MAX_MISSPELLED => 2,
        _ => return Ok(Vec::new()),
    };
    let mut names: Vec<(usize, String)> = Vec::new();
    let mut statement = reader.connection().prepare("SELECT text FROM name WHERE length(text) BETWEEN ?1 AND ?2")?;
    let length = word.chars().count();
    let mut rows = statement.query([length.saturating_sub(allowed) as i64, (length + allowed) as i64])?;
    let small = word.to_lowercase();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let distance = distance(&small, &name.to_lowercase());
        if distance <= allowed {
            names.push((distance, name));
        }
    }
    names.sort();
    let sql = format!(
        "SELECT {COLUMNS} FROM name n JOIN symbol s ON s.name = n.id JOIN file f ON f.id = s.file
         WHERE n.text = ?1 ORDER BY f.test, f.path, s.line, s.id LIMIT ?2"
    );
    let mut statement = reader.connection().prepare(&sql)?;
    let mut found = Vec::new();
    for (_, name) in names.iter().take(MAX_NEAR as usize) {
        for row in statement.query_map((name, limit + 1), SymbolRow::of)? {
            found.push(row?);
        }
        if found.len() > limit as usize {
            break;
        }
    }
    Ok(found)
}

/// Letters to put in, take out or exchange, two that are swapped counting as one (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (above[j] + usize::from(x != y)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

fn matching(reader: &Reader, query: &str, name: &str, limit: u32) -> Result<Vec<SymbolRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM (
            SELECT rowid, bm25(symbol_words, 10.0, 1.0) AS score FROM symbol_words WHERE symbol_words MATCH ?1 LIMIT ?2
         ) w JOIN symbol s ON s.id = w.rowid JOIN file f ON f.id = s.file JOIN name n ON n.id = s.name
         ORDER BY lower(n.text) <> lower(?3), f.test, round(w.score, 3), length(n.text), f.path, s.line, s.id LIMIT ?4"
    );
    let mut statement = reader.connection().prepare_cached(&sql)?;
    let rows = statement.query_map((query, MAX_RANKED, name, limit), SymbolRow::of)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The words of one identifier, without the joined form that the index also holds.
fn words_of(identifier: &str) -> Vec<String> {
    let mut words = segments(identifier);
    if words.len() > 1 {
        words.pop();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sample;

    fn found(text: &str) -> String {
        let (_folder, reader) = sample::reader(sample::SHOP);
        search(&reader, text, 3).unwrap().found.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_are_found_by_their_words_and_beginnings() {
        assert_eq!(found("Legacy"), "app/models.py::legacy");
        assert_eq!(found("inv"), "app/models.py::Invoice app/models.py::Invoice.total");
        assert_eq!(found("special total"), "app/special.py::Special.total");
        assert_eq!(
            found("total"),
            "app/models.py::Invoice.total app/special.py::Special.total app/special.py::Rare.total",
            "test_total, of a test, comes after"
        );
    }

    #[test]
    fn where_nothing_has_all_words_what_is_near_is_told() {
        assert_eq!(found("special invoice total"), "app/models.py::Invoice.total app/special.py::Special.total");
        assert_eq!(found("show invoice"), "", "half is not most");
        assert_eq!(found("legcay"), "app/models.py::legacy");
        assert_eq!(found("Invoise"), "app/models.py::Invoice");
        assert_eq!(found("lgacie"), "");
        let (_folder, reader) = sample::reader(sample::SHOP);
        assert!(search(&reader, "legcay", 3).unwrap().near && !search(&reader, "legacy", 3).unwrap().near);
    }

    #[test]
    fn distances_are_of_letters() {
        let table = [("", "", 0), ("ab", "", 2), ("legacy", "legcay", 1), ("total", "totals", 1), ("show", "list", 4)];
        for (a, b, expected) in table {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn no_text_breaks_the_query() {
        for text in
            ["", "\"", "a\" OR \"b", "NEAR(", "*", "total) --", "-", "name:total", "\u{0}", "AND", &"x".repeat(9999)]
        {
            found(text);
        }
    }
}
