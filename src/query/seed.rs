//! From a prompt to the files that it is about: BM25F over six fields of stems (RETRIEVAL.md, part B), without a model and
//! without a network. The files are kept as ranked; neighborhoods are headings, ordered by what their files score, which
//! loses fewer files than ranking neighborhoods first.
//!
//! A prompt is any text. It becomes hashes and bound parameters, and its length, its terms and the files looked at for them
//! have bounds.

use super::SymbolRow;
use super::symbol::COLUMNS;
use crate::lang::{self, terms};
use crate::model::{Counts, FIELDS};
use crate::store::{Reader, postings};
use anyhow::{Context, Result};
use rusqlite::OptionalExtension;
use serde::Serialize;

/// A prompt is read this far, in bytes: what it is about stands at its beginning, what is pasted at its end.
const MAX_PROMPT: usize = 8 << 10;

/// Different terms of a prompt, the first ones.
const MAX_TERMS: usize = 256;

/// Files that are scored for all terms together, the rare terms first. What is left out then is in most files.
const MAX_POSTINGS: usize = 200_000;

/// Files whose paths are looked at.
const MAX_CANDIDATES: usize = 100;

/// Files that neighborhoods are ranked by, and the power of their scores. One whose files weigh less than that share of the
/// first's is not told: of seven DEV repositories this keeps 0.864 of the easy prompts' files (0.721 of the hard ones') with
/// 0.215 of all files inside; three neighborhoods always, 0.868 (0.731) with 0.253 inside.
const MAX_RANKED: usize = 20;
const POWER: i32 = 3;
const MIN_WEIGHT: f32 = 0.08;

/// Files that are told.
const MAX_FILES: usize = 9;

/// Neighborhoods that are told.
const MAX_GROUPS: usize = 3;

/// Names of a prompt that are looked up, and definitions that are told of.
const MAX_NAMES: usize = 64;
const MAX_SYMBOLS: usize = 4;

/// Files that are called by their names, the length of one, and how often all files are gone through for one.
const MAX_NAMED_FILES: usize = 3;
const MAX_PATH: usize = 300;
const MAX_SCANS: usize = 1;

/// Of the files, no more than one in so many is told: a list of half the repository tells nothing.
const MIN_SHARE: usize = 4;

/// How much a count in a field is worth, and how far the field's length takes from it (BM25F's w and b), in the order of
/// [`crate::model::Field`], with the count at which a term has half its worth (k1).
struct Weights {
    k1: f32,
    w: [f32; FIELDS],
    b: [f32; FIELDS],
}

/// Tuned on the DEV half of the retrieval benchmark by coordinate ascent; the file name apart from its folders. Comments and past
/// messages count as each half of its repositories by itself wants it.
const WITH_PAST: Weights =
    Weights { k1: 4.0, w: [2.0, 6.0, 0.5, 0.25, 0.25, 0.75], b: [1.0, 0.0, 0.5, 0.25, 0.0, 0.25] };

/// Without history (a shallow clone, a new repository).
const WITHOUT_PAST: Weights =
    Weights { k1: 4.0, w: [3.0, 8.0, 0.5, 0.375, 0.375, 0.0], b: [1.0, 0.25, 0.5, 0.25, 0.0, 0.0] };

/// Folders of what shows the product rather than is it; files in them count this much.
const SHOWS: [&str; 15] = [
    "demo",
    "demos",
    "doc",
    "docs",
    "example",
    "examples",
    "playground",
    "playgrounds",
    "sample",
    "samples",
    "site",
    "tutorial",
    "tutorials",
    "website",
    "www",
];
const SHOWN: f32 = 0.4;

/// The gate (RETRIEVAL.md, B5). A prompt is not about this repository if the repository knows fewer of its terms or the best
/// file scores less (chat is short and of common words), or if that is a smaller share of what a file with all of them could
/// score (tasks of other repositories are long and of other words).
const MIN_KNOWN: usize = 3;
const MIN_SCORE: f32 = 0.8;
const MIN_COVERED: f32 = 0.11;

/// Of the known terms so many must say what is to be worked on, not only
const MIN_TELLING: usize = 2;

/// that and how: what people say between tasks in any repository ("ok, now run the tests again"). Without these words 18 %
/// of the lines of `tests/bench/chat.txt` passed the gate.
const OF_ANY_SESSION: &str = "add again another anything back better change check code commit continue done error everything \
    file find first fix get give go good great help keep know last let like look make mean message need new next nice ok okay \
    one open other output push put read rerun right run same second see show something start step stop still sure take \
    tell test thank thing think time today try two use wait want way work write wrong yes explain";

/// In a repository of so many files the best file has to score that. In a smaller one words tell less of files apart, so
/// that even the right file scores less.
const FULL_SCORE_FILES: f32 = 100.0;

/// What a prompt is about.
#[derive(Clone, Debug, Serialize)]
pub struct Seed {
    /// Whether it is about this repository, as far as words tell.
    pub convincing: bool,
    /// Terms that the repository has, and those of them that say what is to be worked on.
    pub known: usize,
    pub telling: usize,
    /// Score of the best file, and its share of what a file with all the terms could score.
    pub score: f32,
    pub covered: f32,
    /// Best first.
    pub files: Vec<SeedFile>,
    /// Those of the first files, most matched first.
    pub neighborhoods: Vec<SeedGroup>,
    /// Definitions with names that stand in the prompt.
    pub symbols: Vec<SymbolRow>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeedFile {
    pub path: String,
    pub score: f32,
    /// Index into [`Seed::neighborhoods`]; `None` if its neighborhood is not among them.
    pub neighborhood: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeedGroup {
    pub label: String,
    pub files: u32,
    /// Per mille.
    pub cohesion: Option<i16>,
    /// The member that most files outside use.
    pub entry: Option<String>,
    /// Sum of a power of the scores of its files, each by the best score.
    pub weight: f32,
}

/// `limit`: how many files to give at most.
///
/// # Errors
/// What SQLite says; damage of the postings.
pub fn seed(reader: &Reader, prompt: &str, limit: usize) -> Result<Seed> {
    let prompt = &prompt[..prompt.floor_char_boundary(MAX_PROMPT)];
    let ranking = rank(reader, prompt).context("looking for what a prompt is about")?;
    grouped(reader, prompt, ranking, limit).context("looking for what a prompt is about")
}

/// For an agent: as many files as it is told of.
///
/// # Errors
/// As [`seed`].
pub fn seed_for_agent(reader: &Reader, prompt: &str) -> Result<Seed> {
    seed(reader, prompt, MAX_FILES)
}

#[derive(Default)]
struct Ranking {
    /// Ids with scores, best first.
    files: Vec<(u32, f32)>,
    /// Score of a file with all the terms, each without end.
    possible: f32,
    /// Terms that the repository has, and those of them that people do not say in any session.
    known: usize,
    telling: usize,
    documents: usize,
}

fn rank(reader: &Reader, prompt: &str) -> Result<Ranking> {
    let mut terms: Vec<(u32, f32)> = Vec::new();
    terms::of_text(prompt, |term| match terms.iter().position(|(known, _)| *known == term) {
        Some(at) => terms[at].1 += 1.0,
        None if terms.len() < MAX_TERMS => terms.push((term, 1.0)),
        None => {}
    });
    let lengths = Lengths::read(reader)?;
    let mut ranking = Ranking { documents: lengths.documents, ..Ranking::default() };
    if terms.is_empty() || lengths.documents == 0 {
        return Ok(ranking);
    }
    let weights = if lengths.mean[FIELDS - 1] > 0.0 { &WITH_PAST } else { &WITHOUT_PAST };
    // Of each known term: files, idf by how often it was said, postings.
    let mut known: Vec<(u32, f32, Vec<u8>)> = Vec::new();
    let mut statement = reader.connection().prepare_cached("SELECT postings FROM term WHERE hash = ?1")?;
    let mut of_any_session: Vec<u32> = Vec::new();
    terms::of_text(OF_ANY_SESSION, |term| of_any_session.push(term));
    let all = lengths.documents as f32;
    for (term, times) in terms {
        let blob: Option<Vec<u8>> = statement.query_row([term], |row| row.get(0)).optional()?;
        let files = match &blob {
            Some(blob) => postings::files(blob).context("a term is damaged")?,
            None => 0,
        };
        let worth = idf(all, (files as f32).min(all)) * times.sqrt();
        ranking.possible += worth;
        ranking.telling += usize::from(blob.is_some() && !of_any_session.contains(&term));
        known.extend(blob.map(|blob| (files, worth, blob)));
    }
    ranking.known = known.len();
    known.sort_by_key(|(files, ..)| *files);
    let mut scores = vec![0.0f32; lengths.factors.len()];
    let mut left = MAX_POSTINGS;
    for (files, worth, blob) in &known {
        let Some(rest) = left.checked_sub(*files as usize) else { break };
        left = rest;
        let add = |id: u32, counts: Counts| {
            let at = id as usize;
            if let (Some(score), Some(factors)) = (scores.get_mut(at), lengths.factors.get(at)) {
                let mut weight = 0.0;
                for field in 0..FIELDS {
                    if counts[field] > 0 {
                        let norm = 1.0 - weights.b[field] + weights.b[field] * factors[field] / lengths.mean[field];
                        weight += weights.w[field] * f32::from(counts[field]) / norm;
                    }
                }
                *score += worth * weight / (weight + weights.k1);
            }
        };
        postings::each(blob, add).context("a term is damaged")?;
    }
    let mut files: Vec<(u32, f32)> = (0..).zip(scores).filter(|(_, score)| *score > 0.0).collect();
    files.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    files.truncate(MAX_CANDIDATES);
    ranking.files = files;
    Ok(ranking)
}

/// What a term is worth that stands in `files` of `all` files.
fn idf(all: f32, files: f32) -> f32 {
    (1.0 + (all - files + 0.5) / (files + 0.5)).ln()
}

/// How long the fields of every file are, by id, and on average.
struct Lengths {
    factors: Vec<[f32; FIELDS]>,
    mean: [f32; FIELDS],
    documents: usize,
}

impl Lengths {
    fn read(reader: &Reader) -> Result<Lengths> {
        let mut found = Lengths { factors: Vec::new(), mean: [0.0; FIELDS], documents: 0 };
        let mut total = [0u64; FIELDS];
        let files = reader.meta().files;
        let mut statement = reader.connection().prepare("SELECT part, lengths FROM field_lengths ORDER BY part")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (part, blob) = (row.get(0)?, row.get_ref(1)?.as_blob()?);
            let add = |id: u32, lengths: postings::Lengths| {
                // Ids go on a little beyond the number of files, never far: damage must not ask for memory.
                if i64::from(id) > 4 * files + 4096 {
                    return;
                }
                let at = id as usize;
                if found.factors.len() <= at {
                    found.factors.resize(at + 1, [0.0; FIELDS]);
                }
                found.documents += 1;
                for field in 0..FIELDS {
                    found.factors[at][field] = lengths[field] as f32;
                    total[field] += u64::from(lengths[field]);
                }
            };
            postings::each_length(part, blob, add).context("the lengths are damaged")?;
        }
        for (mean, total) in found.mean.iter_mut().zip(total) {
            *mean = total as f32 / found.documents.max(1) as f32;
        }
        Ok(found)
    }
}

fn grouped(reader: &Reader, prompt: &str, ranking: Ranking, limit: usize) -> Result<Seed> {
    let Ranking { files, possible, known, telling, documents } = ranking;
    let sql = "SELECT f.path, m.community FROM file f LEFT JOIN member m ON m.file = f.id WHERE f.id = ?1";
    let mut statement = reader.connection().prepare_cached(sql)?;
    let mut found: Vec<(String, f32, Option<i64>)> = Vec::new();
    for (id, score) in files {
        let row = statement.query_row([id], |row| Ok((row.get::<_, String>(0)?, row.get(1)?))).optional()?;
        if let Some((path, community)) = row {
            let shown =
                path.rsplit_once('/').is_some_and(|(folders, _)| folders.split('/').any(|f| SHOWS.contains(&f)));
            found.push((path, if shown { score * SHOWN } else { score }, community));
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let score = found.first().map_or(0.0, |best| best.1);
    let covered = if possible > 0.0 { score / possible } else { 0.0 };
    for path in named(reader, prompt)?.into_iter().rev() {
        let known = found.iter().position(|(known, ..)| *known == path).map(|at| found.remove(at));
        let community = known.and_then(|(_, _, community)| community);
        found.insert(0, (path, score, community));
    }

    let mut weights: Vec<(i64, f32)> = Vec::new();
    for (_, of_file, community) in found.iter().take(MAX_RANKED) {
        let Some(community) = community else { continue };
        let share = (of_file / score).powi(POWER);
        match weights.iter_mut().find(|(known, _)| known == community) {
            Some((_, weight)) => *weight += share,
            None => weights.push((*community, share)),
        }
    }
    // Stable: of equals the one with the better file.
    weights.sort_by(|a, b| b.1.total_cmp(&a.1));
    weights.truncate(MAX_GROUPS);
    let least = weights.first().map_or(0.0, |first| first.1 * MIN_WEIGHT);
    weights.retain(|(_, weight)| *weight >= least);
    let neighborhoods =
        weights.iter().map(|(community, weight)| group(reader, *community, *weight)).collect::<Result<_>>()?;

    let limit = if limit == MAX_FILES { limit.min((documents / MIN_SHARE).max(1)) } else { limit };
    let files: Vec<SeedFile> = found
        .into_iter()
        .take(limit)
        .map(|(path, score, community)| {
            let neighborhood = weights.iter().position(|(known, _)| Some(*known) == community);
            SeedFile { path, score, neighborhood }
        })
        .collect();
    let symbols = symbols(reader, prompt, &files)?;
    let least = MIN_SCORE * (idf(documents.max(1) as f32, 1.0) / idf(FULL_SCORE_FILES, 1.0)).min(1.0);
    let convincing = known >= MIN_KNOWN && telling >= MIN_TELLING && score >= least && covered >= MIN_COVERED;
    Ok(Seed { convincing, known, telling, score, covered, files, neighborhoods, symbols })
}

/// Files that the prompt calls by their paths, and tests that it calls by names that no other test has: no words lead to tests.
fn named(reader: &Reader, prompt: &str) -> Result<Vec<String>> {
    let mut by_path = reader.connection().prepare_cached("SELECT path FROM file WHERE path = ?1")?;
    let mut found: Vec<String> = Vec::new();
    // Nothing is an index of name ends.
    let mut scans = 0;
    let words = prompt.split(|c: char| c.is_whitespace() || "\"'`(),;:@".contains(c));
    for word in words.map(|word| word.trim_start_matches("./").trim_end_matches('.')) {
        if found.len() >= MAX_NAMED_FILES || word.len() > MAX_PATH || lang::language_of(word).is_none() {
            continue;
        }
        let mut path: Option<String> = by_path.query_row([word], |row| row.get(0)).optional()?;
        if path.is_none() && lang::is_test(word) && scans < MAX_SCANS {
            scans += 1;
            let sql = "SELECT path FROM file WHERE test = 1 AND substr(path, -length(?1)) = ?1 LIMIT 2";
            let mut statement = reader.connection().prepare_cached(sql)?;
            let rows = statement.query_map([format!("/{word}")], |row| row.get(0))?;
            let paths = rows.collect::<rusqlite::Result<Vec<String>>>()?;
            path = <[String; 1]>::try_from(paths).ok().map(|[path]| path);
        }
        found.extend(path.filter(|path| !found.contains(path)));
    }
    Ok(found)
}

fn group(reader: &Reader, community: i64, weight: f32) -> Result<SeedGroup> {
    let sql = "SELECT c.label, (SELECT count(*) FROM member WHERE community = c.id), c.cohesion,
            (SELECT f.path FROM entry_point e JOIN file f ON f.id = e.file WHERE e.community = c.id ORDER BY e.rank LIMIT 1)
        FROM community c WHERE c.id = ?1";
    let mut statement = reader.connection().prepare_cached(sql)?;
    Ok(statement.query_row([community], |row| {
        Ok(SeedGroup { label: row.get(0)?, files: row.get(1)?, cohesion: row.get(2)?, entry: row.get(3)?, weight })
    })?)
}

/// Definitions that the prompt calls by their names: those whose names only code has, wherever they stand, and plain words
/// where they stand in one of the files.
fn symbols(reader: &Reader, prompt: &str, files: &[SeedFile]) -> Result<Vec<SymbolRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM name n JOIN symbol s ON s.name = n.id JOIN file f ON f.id = s.file
         WHERE n.text = ?1 AND f.test = 0 ORDER BY s.exported DESC, f.path, s.line, s.id LIMIT 4"
    );
    let mut statement = reader.connection().prepare_cached(&sql)?;
    let mut found: Vec<SymbolRow> = Vec::new();
    let mut met: Vec<&str> = Vec::new();
    for word in prompt.split(|c: char| !c.is_alphanumeric() && c != '_') {
        if word.len() < 3 || met.contains(&word) {
            continue;
        }
        if met.len() >= MAX_NAMES || found.len() >= MAX_SYMBOLS {
            break;
        }
        met.push(word);
        let rows = statement.query_map([word], SymbolRow::of)?.collect::<rusqlite::Result<Vec<_>>>()?;
        let only_code = looks_like_code(word);
        let in_files = |row: &SymbolRow| files.iter().any(|file| file.path == row.file);
        let few = rows.len() <= 2;
        let kept = rows.into_iter().filter(|row| few && (only_code || in_files(row)));
        found.extend(kept.take(MAX_SYMBOLS - found.len()));
    }
    Ok(found)
}

/// Told from a word of prose by an underscore, a digit or a capital inside.
fn looks_like_code(name: &str) -> bool {
    let inner_capital = name.chars().zip(name.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    inner_capital || name.contains(|next: char| next == '_' || next.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::graph_of_sources;
    use crate::model::{Community, FileId, Member};
    use crate::store::sample;

    const SOURCES: [(&str, &str); 8] = [
        ("docs/example_invoice.py", "def invoice_totals_rounds(): pass\n"),
        ("jobs/nightly.py", "x = 1\n"),
        ("mail/retry.py", "def retry_later(message): pass\n"),
        ("mail/sender.py", "def send(message): pass\n"),
        ("shop/cart.py", "# keeps what a customer wants to buy\nclass Cart:\n    def add_item(self, item): pass\n"),
        ("shop/invoice.py", "def finalize(cart):\n    \"\"\"Rounds the totals of an invoice.\"\"\"\n"),
        ("shop/tax.py", "RATE = 'standard rate of the tax'\ndef tax_of(amount): pass\n"),
        ("tests/test_invoice.py", "def test_invoice_totals_rounds(): pass\n"),
    ];

    fn seeded(prompt: &str) -> Seed {
        let mut graph = graph_of_sources(&SOURCES).unwrap();
        let community = |label: &str, files: &[u32]| Community {
            label: label.into(),
            members: files.iter().map(|file| Member { file: FileId(*file), membership: None }).collect(),
            cohesion: None,
            entries: Vec::new(),
        };
        graph.communities = vec![community("mail", &[2, 3]), community("shop", &[4, 5, 6])];
        let (_folder, reader) = sample::reader_of(&graph);
        seed(&reader, prompt, 5).unwrap()
    }

    fn files(prompt: &str) -> String {
        seeded(prompt).files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn files_are_found_by_any_form_of_their_words() {
        assert_eq!(files("rounding of an invoice's total"), "shop/invoice.py docs/example_invoice.py");
        assert_eq!(files("retryLater"), "mail/retry.py");
        assert_eq!(files("what the customers want to buy"), "shop/cart.py");
        assert_eq!(files("standard rates"), "shop/tax.py");
        assert_eq!(files("the and of"), "");
    }

    #[test]
    fn neighborhoods_are_headings_in_the_order_of_their_files() {
        let found = seeded("send the invoice of the cart by mail");
        let labels: Vec<&str> = found.neighborhoods.iter().map(|group| group.label.as_str()).collect();
        assert_eq!(labels, ["mail", "shop"]);
        let group = |path: &str| found.files.iter().find(|file| file.path == path).unwrap().neighborhood;
        assert_eq!((group("mail/sender.py"), group("shop/cart.py")), (Some(0), Some(1)));
    }

    #[test]
    fn a_prompt_about_something_else_does_not_convince() {
        assert!(seeded("rounds the totals of an invoice").convincing);
        assert!(!seeded("thanks, go on").convincing);
        assert!(!seeded("invoice").convincing, "one word is no task");
        let foreign =
            "the scheduler starves kernel threads when interrupts of a cart arrive in bursts on numa machines";
        assert!(!seeded(foreign).convincing);
    }

    #[test]
    fn definitions_are_told_where_the_prompt_has_their_names() {
        let names = |prompt: &str| seeded(prompt).symbols.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(
            names("why does add_item not call finalize?"),
            "shop/cart.py::Cart.add_item shop/invoice.py::finalize"
        );
        assert_eq!(names("send an item"), "mail/sender.py::send");
        assert_eq!(names("test_invoice_totals_rounds fails"), "");
    }

    #[test]
    fn files_that_are_called_by_their_names_come_first() {
        for prompt in ["tests/test_invoice.py: send", "send, as in `test_invoice.py`.", "send: ./tests/test_invoice.py"]
        {
            assert!(files(prompt).starts_with("tests/test_invoice.py "), "{prompt}");
        }
        assert!(files("send the invoice to shop/tax.py").starts_with("shop/tax.py "));
        assert_eq!(files("send none.py"), files("send none"));
        assert!(!files("send, as in invoice.py").contains("tests/"));
    }

    #[test]
    fn any_text_is_a_prompt() {
        for prompt in ["", "\0", "\" OR NEAR(", "%_", "(a+)+$", "é\u{202e}\u{1f600}", "'; DROP TABLE term; --"] {
            seeded(prompt);
        }
        let long = "invoice ".repeat(200_000);
        assert_eq!(seeded(&long).files[0].path, "shop/invoice.py");
        let many: String = (0..20_000).map(|n| format!("w{n:x}ord ")).collect();
        assert!(!seeded(&many).convincing);
    }
}
