//! Which symbols have a name like this? By the words of identifiers (`parse url` finds `parseURLPath`), the last of them by
//! its beginning. Exact names come first, then what has the words in its own name, then what has some in its containers'.

use super::SymbolRow;
use super::symbol::COLUMNS;
use crate::store::{Reader, segments::segments};
use anyhow::{Context, Result};
use serde::Serialize;

/// Rows that SQLite ranks at most before the best are taken; a word like `get` is in tens of thousands of names.
const MAX_RANKED: u32 = 5_000;

#[derive(Clone, Debug, Serialize)]
pub struct Search {
    /// Best first.
    pub found: Vec<SymbolRow>,
    /// There are more than were asked for.
    pub more: bool,
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
        return Ok(Search { found: Vec::new(), more: false });
    }
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
    let more = found.len() > limit as usize;
    found.truncate(limit as usize);
    Ok(Search { found, more })
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
    fn no_text_breaks_the_query() {
        for text in
            ["", "\"", "a\" OR \"b", "NEAR(", "*", "total) --", "-", "name:total", "\u{0}", "AND", &"x".repeat(9999)]
        {
            found(text);
        }
    }
}
