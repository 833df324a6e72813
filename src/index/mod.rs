//! Orders the stages of a full pass: scan, extract, resolve, store, publish. The only place that does.
//!
//! Nothing is published before everything is known: the database changes in one transaction and the hook's snapshot is
//! renamed into place after it, so that whoever interrupts a pass leaves the last complete graph.

pub mod background;
pub mod community;
pub mod diff;
mod documents;
mod facts;
mod history;
mod kept;
mod neighborhoods;
mod objects;
pub mod resolve;
mod rules;
pub mod scan;
pub mod standing;
mod update;

use crate::config::Config;
use crate::lang::frameworks::Frameworks;
use crate::lang::{self, Limits};
use crate::model::{Document, FileFacts, FileId, FileRecord, Graph, Language, Recorded, Status, SymbolId, Terms};
use crate::repo::{self, Head, Repo};
use crate::store::snapshot::{self, Identity, Reuse, Snapshot};
use crate::store::{self, Change, Meta, Place, TermChange, TermsOf, Written};
use anyhow::{Context, Result};
use documents::document;
use facts::{Facts, Key};
use kept::{Found, FoundFile, Kept, KeptFile, Past, Seen, SeenFile};
use resolve::{Part, Resolved, STACK_SIZE};
use rustc_hash::FxHashSet;
use scan::denied::Denied;
use scan::{Candidate, Origin, Source};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};
use update::{Looked, Told, Updated};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// File names inside the repository's cache folder.
pub const DATABASE: &str = "graph.db";
/// See [`DATABASE`].
pub const SNAPSHOT: &str = "snapshot.bin";
/// See [`DATABASE`].
const KEPT: &str = "kept.bin";

/// How to run a pass.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Threads to extract and resolve with; 0 is one per core.
    pub jobs: usize,
    /// What the user set.
    pub config: Config,
    /// Take nothing from earlier passes.
    pub full: bool,
    /// Change what is stored instead of writing it anew, and leave it alone where nothing is new: quick, and for runs that nobody
    /// started by hand, since it repairs no damage that it does not come across.
    pub quick: bool,
    /// What another graph recorded of files: where the content is the same, its time of change is taken over, so that both
    /// can be compared whatever has been touched since.
    pub recorded: BTreeMap<String, Recorded>,
}

/// Told how far a pass is; may be called from any thread.
pub trait Progress: Sync {
    /// A stage of `total` steps begins; 0 when it cannot be told.
    fn stage(&self, name: &str, total: u64);
    /// `n` more steps are done.
    fn tick(&self, n: u64);
}

/// Nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct Quiet;

impl Progress for Quiet {
    fn stage(&self, _name: &str, _total: u64) {}
    fn tick(&self, _n: u64) {}
}

/// What a pass did.
#[derive(Clone, Debug)]
pub struct Report {
    pub counts: Counts,
    /// Files whose facts were not known from before, whatever branch or work tree they came from then.
    pub parsed: usize,
    /// Files whose references were resolved, again or for the first time: those that say something else now, and those for
    /// which something was read that is no longer what it was.
    pub again: usize,
    /// The stores were written anew, and not changed in place.
    pub rewritten: bool,
    /// The commit that was checked out.
    pub head: Option<String>,
    /// Why git's own list of files could not be used, if it could not.
    pub without_git: Option<String>,
    pub elapsed: Duration,
}

/// What is in a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Files whose facts were extracted.
    pub files: usize,
    /// Files read for their words only.
    pub words: usize,
    /// Files left alone, with a reason in the graph.
    pub skipped: usize,
    /// Of the extracted files, those that did not parse as a whole.
    pub partial: usize,
    /// Lines of the extracted files.
    pub lines: u64,
    pub symbols: usize,
    pub edges: usize,
    /// Edges that are resolved rather than possible.
    pub resolved: usize,
}

/// Where the results of a pass lie.
#[derive(Clone, Debug)]
pub struct Places {
    /// The folder of this work tree's graph.
    pub graph: PathBuf,
    /// The folder of the facts, shared by all work trees of the repository.
    pub facts: PathBuf,
}

impl Places {
    /// In the user's cache; made where they are missing.
    ///
    /// # Errors
    /// The cache cannot be written, or is not the user's own.
    pub fn of(repo: &Repo) -> Result<Places> {
        Ok(Places { graph: repo::ensure_cache_dir(repo)?, facts: repo::ensure_facts_dir(repo)? })
    }
}

/// Facts of files for those who only ask: as earlier runs left them, else extracted now.
pub(crate) struct KnownFacts(Option<Facts>);

impl KnownFacts {
    pub(crate) fn open(repo: &Repo) -> KnownFacts {
        KnownFacts(repo::facts_dir(repo).map(|folder| Facts::open(&folder)))
    }

    pub(crate) fn of(&self, path: &str, bytes: &[u8]) -> FileFacts {
        let known = self.0.as_ref().and_then(|facts| facts.get(Key::of(path, bytes)));
        known.unwrap_or_else(|| lang::extract(path, bytes, &Limits::default()))
    }
}

/// Brings the graph of a work tree up to date and publishes it. The caller holds the repository's index lock
/// ([`background::lock`]).
///
/// # Errors
/// The work tree cannot be listed, or the cache cannot be written; files that cannot be read are skipped with a reason.
pub fn index(repo: &Repo, places: &Places, options: &Options, progress: &dyn Progress) -> Result<Report> {
    let run = || catch_unwind(AssertUnwindSafe(|| pass(repo, places, options, progress)));
    run().unwrap_or_else(|_| {
        // Perhaps over what an earlier pass left, of another build of this version: all of it is a cache.
        facts::forget(&places.facts);
        let _ = std::fs::remove_file(places.graph.join(KEPT));
        run().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

fn pass(repo: &Repo, places: &Places, options: &Options, progress: &dyn Progress) -> Result<Report> {
    let started = Instant::now();
    let started_ns = since_1970().as_nanos() as i64;
    // Before the files are looked at: a commit made meanwhile leaves the graph behind, never ahead.
    let head = match repo::head(repo) {
        Head::Commit(commit) => Some(commit),
        _ => None,
    };
    progress.stage("scan", 0);
    let settings_stamp = repo::settings_stamp(&repo.root);
    let scan = scan::scan(&repo.root, repo.git_dir.as_deref())?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs)
        .stack_size(STACK_SIZE)
        .build()
        .context("starting the index threads")?;
    let root = repo.root.to_string_lossy();
    let git_dir = repo.git_dir.as_ref().map(|path| path.to_string_lossy()).unwrap_or_default();
    let place = places.graph.join(KEPT);
    let stamp = kept::stamp(&[root.as_bytes(), git_dir.as_bytes()], &options.config.frameworks);
    // What is denied now may be anywhere in what was kept.
    let other_rules = rules::changed(&places.graph, scan.denied.found());
    let anew = options.full || other_rules;
    let mut kept = if anew { None } else { Kept::read(&place, stamp) }.unwrap_or_default();
    let told = xxh3_64(&serde_json::to_vec(&options.config.neighborhoods).unwrap_or_default());
    let mut known = if options.full { None } else { Some(Facts::open(&places.facts)) };

    let (before, before_ns) = (&kept.seen.files, kept.seen.started_ns);
    let mut looked = pool.install(|| update::look(&scan.candidates, before, before_ns, known.as_ref(), progress));
    for Looked { record, .. } in &mut looked {
        if let Some(Some((size, mtime_ns, hash))) = options.recorded.get(&record.path)
            && (*size, *hash) == (record.size, record.content_hash)
        {
            record.mtime_ns = *mtime_ns;
        }
    }
    let identity = Identity { root: &root, git_dir: &git_dir };
    let (db, published) = (places.graph.join(DATABASE), places.graph.join(SNAPSHOT));
    let without_git = match scan.origin {
        Origin::Walk(reason) => Some(reason),
        Origin::Git | Origin::Folder => None,
    };
    let is_same = options.quick
        && (&kept.seen.head, kept.seen.told) == (&head, told)
        && update::is_same(&looked, &kept.seen.files)
        && Snapshot::open(&published, &identity).is_ok_and(|snapshot| snapshot.head() == head.as_deref())
        && store::holds(&db, kept.seen.generation);
    if is_same {
        let counts = kept.seen.counts;
        // Files whose times say little were read again; next time they will say more.
        if looked.iter().zip(&kept.seen.files).any(|(now, before)| now.stat != before.stat || now.read) {
            for (file, looked) in kept.seen.files.iter_mut().zip(looked) {
                file.stat = looked.stat;
            }
            kept.seen.started_ns = started_ns;
            let _ = kept.write_seen(&place, stamp);
        }
        rules::note(&places.graph, &settings_stamp, scan.denied.found());
        return Ok(Report { counts, head, without_git, ..Report::nothing(started.elapsed()) });
    }
    let (seen, found) = kept.unpacked();
    let Found { past, neighborhoods, unreferenced: unreferenced_before, files: found, bytes } = found;
    let before: Vec<KeptFile> =
        seen.files.into_iter().zip(found).map(|(seen, found)| KeptFile { seen, found }).collect();
    let (generation, digest, together_before) = (seen.generation, seen.digest, seen.together);
    if let Some(known) = &mut known {
        known.publish();
    }
    let parsed = looked.iter().filter(|file| file.parsed).count();
    let frameworks = Frameworks::with(&options.config.frameworks);
    let by_path = |path: &str| scan.candidates.binary_search_by_key(&path, |candidate| candidate.path.as_str()).ok();
    let extracted = |path: &str| {
        let source = scan::read(&scan.candidates[by_path(path)?]).ok()?;
        Some(lang::extract(path, &source.bytes, &Limits::default()))
    };
    let sources = update::Sources { known: known.as_ref(), extract: &extracted };
    let settings = update::Settings { frameworks: &frameworks, full_from: options.config.update.full_from };
    let updated = pool.install(|| update::update(looked, before, &sources, &settings, progress));
    let Updated { files, resolved: again, touched, before, gone, overrides, differences } = updated;
    let mut graph = pool.install(|| graph_of(&files, &frameworks));

    progress.stage("neighborhoods", 0);
    let settings = &options.config.neighborhoods;
    let past_before = past.head.clone();
    let past = self::past(repo, head.as_deref(), past, &scan.denied);
    let neighborhoods_before = neighborhoods.communities.clone();
    let past_hash = xxh3_64(past.head.as_bytes());
    let neighborhoods = neighborhoods::up_to_date(&graph, &past.changes, past_hash, settings, neighborhoods);
    graph.communities.clone_from(&neighborhoods.communities);
    graph.together = history::together(&graph.files, &past.changes);

    progress.stage("store", 0);
    let meta = Meta {
        root: root.clone().into_owned(),
        git_dir: git_dir.clone().into_owned(),
        head: head.clone(),
        indexed_at: since_1970().as_secs() as i64,
    };
    let documents = || -> Vec<Document> {
        let of_file =
            |(id, file): (u32, &KeptFile)| document(FileId(id), &file.seen.record, &file.found.terms, &past.changes);
        (0..).zip(&files).filter_map(of_file).collect()
    };
    // Where most is new, writing everything is quicker.
    let change = (options.quick && generation > 0 && touched.len() * 2 < files.len()).then(|| Change {
        generation,
        rooms: files.iter().map(|file| file.seen.room).collect(),
        gone: gone.iter().map(|(room, ..)| *room).collect(),
        touched: &touched,
        overrides,
        // Files are told by number there, and one that came may have the number of one that went.
        communities: graph.communities != neighborhoods_before || files.iter().any(|file| file.seen.room.is_none()),
        terms: if past_before == past.head {
            let terms = |record: &FileRecord, terms: &Terms| {
                document(FileId(0), record, terms, &past.changes).map(|document| document.terms)
            };
            let now = touched.iter().zip(&before).map(|(file, before)| {
                let kept = &files[file.0 as usize];
                let old = before.as_ref().and_then(|(record, of_record)| terms(record, of_record));
                TermsOf { file: Place::Now(*file), old, new: terms(&kept.seen.record, &kept.found.terms) }
            });
            let gone = gone.iter().map(|(room, record, of_record)| TermsOf {
                file: Place::Gone(*room),
                old: terms(record, of_record),
                new: None,
            });
            TermChange::Some(now.chain(gone).collect())
        } else {
            TermChange::All(documents())
        },
    });
    if change.is_none() {
        graph.documents = documents();
    }
    let mut hash = Xxh3::new();
    graph.together.iter().for_each(|(file, other)| (file.0, other.0).hash(&mut hash));
    let together = hash.digest();
    let same_neighborhoods = graph.communities == neighborhoods_before && together == together_before;
    let unreferenced = places_of(&graph, &graph.unreferenced);
    let reuse = differences
        .filter(|_| options.quick && same_neighborhoods)
        .map(|told| reuse(&graph, told, digest, &unreferenced_before, &unreferenced));
    // Side by side: each is work for one thread. The snapshot is published when the database is as it should be.
    let (written, prepared) = pool.install(|| {
        rayon::join(
            || match &change {
                Some(change) => store::change(&db, &graph, &meta, change),
                None => store::replace_all(&db, &graph, &meta),
            },
            || snapshot::prepare(&published, &graph, &identity, head.as_deref(), reuse.as_ref()),
        )
    });
    let rewritten = change.is_none() || written.is_err();
    let Written { generation, rooms } = match written {
        // Another graph, damage, or whatever it was.
        Err(_) if change.is_some() => {
            graph.documents = documents();
            store::replace_all(&db, &graph, &meta)?
        }
        written => written?,
    };
    let digest = prepared?.publish()?;
    let live: FxHashSet<Key> = files.iter().filter_map(|file| file.seen.key).collect();
    let (mut seen, found): (Vec<SeenFile>, Vec<_>) = files.into_iter().map(|file| (file.seen, file.found)).unzip();
    for (file, room) in seen.iter_mut().zip(rooms) {
        file.room = Some(room);
    }
    let counts = Counts::of(&graph);
    let seen = Seen { files: seen, started_ns, head: head.clone(), told, generation, digest, together, counts };
    // Without it the next pass resolves everything again, and is right.
    let _ = kept::keep(&place, stamp, &seen, &Found { past, neighborhoods, unreferenced, files: found, bytes });
    match known {
        Some(known) if other_rules => known.keep_only(&live),
        Some(known) => known.tidy(&live),
        None => {}
    }
    if other_rules {
        store::scrub(&db)?;
    }
    rules::note(&places.graph, &settings_stamp, scan.denied.found());
    Ok(Report { counts, parsed, again, rewritten, head, without_git, elapsed: started.elapsed() })
}

/// Where symbols stand: the file, and the place among its symbols.
fn places_of(graph: &Graph, symbols: &[SymbolId]) -> Vec<(u32, u32)> {
    let place = |symbol: &SymbolId| {
        let file = graph.symbols[symbol.0 as usize].file;
        (file.0, symbol.0 - graph.symbols.partition_point(|symbol| symbol.file < file) as u32)
    };
    symbols.iter().map(place).collect()
}

/// What the snapshot of `digest` may still be used for. The last two are unreferenced exports, before and now.
fn reuse(graph: &Graph, told: Told, digest: u64, before: &[(u32, u32)], now: &[(u32, u32)]) -> Reuse {
    let Told { files, records, definitions, used, names, unresolved } = told;
    let symbol = |(file, place): &(FileId, u32)| {
        SymbolId(graph.symbols.partition_point(|symbol| symbol.file < *file) as u32 + place)
    };
    let mut cards = records;
    let differing = |a: &[(u32, u32)], b: &[(u32, u32)]| -> Vec<FileId> {
        a.iter().filter(|place| b.binary_search(place).is_err()).map(|(file, _)| FileId(*file)).collect()
    };
    cards.extend(differing(before, now));
    cards.extend(differing(now, before));
    Reuse { digest, files, cards, symbols: definitions.iter().map(symbol).collect(), used, names, unresolved }
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// What changed together up to the commit that is checked out, of files with code.
fn past(repo: &Repo, head: Option<&str>, known: Past, denied: &Denied) -> Past {
    let (Some(common_dir), Some(head)) = (&repo.common_dir, head) else { return Past::default() };
    if known.head == head {
        return known;
    }
    let shown = |path: &str| !lang::is_test(path) && !denied.hides_file(path);
    let counts = |path: &str| lang::language_of(path).is_some() && shown(path);
    let found = |path: &str| lang::is_code(path) && shown(path);
    let wanted = history::Wanted { counts: &counts, found: &found };
    Past { head: head.to_owned(), changes: history::co_changes(common_dir, head, wanted) }
}

impl Report {
    /// Nothing was to be done.
    fn nothing(elapsed: Duration) -> Report {
        let counts = Counts::default();
        Report { counts, parsed: 0, again: 0, rewritten: false, head: None, without_git: None, elapsed }
    }
}

impl Counts {
    fn of(graph: &Graph) -> Counts {
        let count = |status: &[&str]| graph.files.iter().filter(|file| status.contains(&file.status)).count();
        let is_code = |file: &&FileRecord| file.language != Language::Text && file.status != SKIPPED;
        Counts {
            files: graph.files.iter().filter(is_code).count(),
            words: graph.files.iter().filter(|file| !is_code(file) && file.status != SKIPPED).count(),
            skipped: count(&[SKIPPED]),
            partial: count(&["partial", "fallback"]),
            lines: graph.files.iter().filter(is_code).map(|file| u64::from(file.lines)).sum(),
            symbols: graph.symbols.len(),
            edges: graph.edges.len(),
            resolved: graph.edges.iter().filter(|edge| edge.resolution.is_resolved()).count(),
        }
    }
}

/// The status of a file that was left alone.
const SKIPPED: &str = "skipped";

/// The graph of files given as path and text, in path order and without the disk: how tests of whole small repositories
/// ask for one. No rule on names applies (vendored, generated, ...).
///
/// # Errors
/// The thread for it cannot be started.
pub fn graph_of_sources(sources: &[(&str, &str)]) -> Result<Graph> {
    // One thread: it is the big stack that is needed.
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(STACK_SIZE).build().context("starting a thread")?;
    let read = |(path, text): &(&str, &str)| {
        let bytes = text.as_bytes().to_vec();
        let source = Source { size: bytes.len() as u64, bytes, mtime_ns: 0, content_hash: 0 };
        let facts = lang::extract(path, &source.bytes, &Limits::default());
        let language = lang::language_of(path).unwrap_or(Language::Text);
        Looked::new(read_record(path, language, &source, &facts), facts)
    };
    let frameworks = Frameworks::with(&[]);
    let settings = update::Settings { frameworks: &frameworks, full_from: 0 };
    let sources_of = update::Sources { known: None, extract: &|_| None };
    Ok(pool.install(|| {
        let looked = sources.iter().map(read).collect();
        let updated = update::update(looked, Vec::new(), &sources_of, &settings, &Quiet);
        let mut graph = graph_of(&updated.files, &frameworks);
        let none = history::CoChanges::default();
        let of_file = |(id, file): (u32, &KeptFile)| document(FileId(id), &file.seen.record, &file.found.terms, &none);
        graph.documents = (0..).zip(&updated.files).filter_map(of_file).collect();
        graph
    }))
}

/// Puts together what all files came to.
fn graph_of(files: &[KeptFile], frameworks: &Frameworks) -> Graph {
    let parts: Vec<Part<'_>> = (0..)
        .zip(files)
        .filter_map(|(file, kept)| {
            let KeptFile { seen: SeenFile { record, .. }, found: FoundFile { outcome, .. } } = kept;
            let (path, language, test, file) =
                (record.path.as_str(), record.language.family(), record.test, FileId(file));
            Some(Part { path, language, test, file, outcome: outcome.as_ref()? })
        })
        .collect();
    let Resolved { symbols, edges, unresolved, overrides, imports, unreferenced, offered } =
        resolve::assemble(&parts, frameworks);
    let files = files.iter().map(|file| file.seen.record.clone()).collect();
    Graph { files, symbols, edges, unresolved, overrides, imports, unreferenced, offered, ..Graph::default() }
}

fn read_record(path: &str, language: Language, source: &Source, facts: &FileFacts) -> FileRecord {
    let (reason, unparsed) = match &facts.status {
        Status::Parsed | Status::Words => (String::new(), Vec::new()),
        Status::Partial(lines) => ("some lines did not parse".to_string(), lines.clone()),
        Status::Fallback(reason) => (reason.clone(), Vec::new()),
    };
    FileRecord {
        path: path.to_owned(),
        language,
        status: facts.status.name(),
        reason,
        unparsed,
        size: source.size,
        mtime_ns: source.mtime_ns,
        content_hash: source.content_hash,
        lines: facts.lines,
        test: lang::is_test(path),
        dynamic: facts.dynamic.clone(),
    }
}

fn skipped_record(candidate: &Candidate, language: Language, reason: String) -> FileRecord {
    FileRecord {
        path: candidate.path.clone(),
        language,
        status: SKIPPED,
        reason,
        unparsed: Vec::new(),
        size: 0,
        mtime_ns: 0,
        content_hash: 0,
        lines: 0,
        test: lang::is_test(&candidate.path),
        dynamic: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Expr, ExprId, List};

    /// As another build of the same extractor version may have written them.
    #[test]
    fn facts_that_make_no_sense_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let part = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir(&path).unwrap();
            path
        };
        let (root, places) = (part("repo"), Places { graph: part("graph"), facts: part("facts") });
        let text = "def f(): return g(1)\n";
        std::fs::write(root.join("a.py"), text).unwrap();
        let mut facts = lang::extract("a.py", text.as_bytes(), &Limits::default());
        for expr in &mut facts.exprs {
            *expr = Expr::Call { of: ExprId(77), args: List { start: 88, len: 99 } };
        }
        let mut store = Facts::open(&places.facts);
        store.put(Key::of("a.py", text.as_bytes()), &facts);
        store.publish();
        let repo = Repo { root, git_dir: None, common_dir: None };
        let report = index(&repo, &places, &Options { jobs: 1, ..Options::default() }, &Quiet).unwrap();
        assert_eq!((report.counts.files, report.parsed), (1, 1));
    }
}
