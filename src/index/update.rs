//! From the files as they are now and what the last pass kept to what every file comes to: files that say something else are
//! resolved again, and those for which something was read that is no longer what it was. The first pass is the same with
//! nothing kept.

use super::Progress;
use super::documents::is_found;
use super::facts::{Facts, Key};
use super::kept::{FoundFile, KeptFile, SeenFile};
use super::resolve::{self, Changes, Def, Differences, Known, Outcome, Unit, listings, moved};
use super::scan::{self, Candidate, Outcome as Verdict, Stat};
use super::{read_record, skipped_record};
use crate::lang::frameworks::Frameworks;
use crate::lang::{self, Limits};
use crate::model::*;
use crate::store::Room;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ops::Range;

/// A file that was changed so shortly before a pass began (or since) may have been changed again within the same tick of
/// the file system's clock, in nanoseconds. Ticks of 4 to 10 ms are usual.
const TICK: i64 = 100_000_000;
/// The same where times are whole seconds.
const COARSE_TICK: i64 = 2_000_000_000;

/// A candidate that was looked at.
#[derive(Debug)]
pub(super) struct Looked {
    pub(super) record: FileRecord,
    pub(super) stat: Option<Stat>,
    pub(super) key: Option<Key>,
    /// `None` for what is skipped, and for what says what it said before.
    pub(super) facts: Option<FileFacts>,
    /// Its content was looked at.
    pub(super) read: bool,
    /// Taken out of the facts: resolution has no use for them. What the last pass knew of a file is left there.
    pub(super) terms: Terms,
    /// Its facts were not known from any pass.
    pub(super) parsed: bool,
    /// Its place among the files of the last pass, if it says what it said then.
    pub(super) same_as: Option<usize>,
}

impl Looked {
    /// A file that was read.
    pub(super) fn new(record: FileRecord, mut facts: FileFacts) -> Looked {
        let terms = terms_of(&record, &mut facts);
        Looked { record, stat: None, key: None, facts: Some(facts), terms, read: true, parsed: true, same_as: None }
    }
}

/// Takes out of the facts what a file can be found by; nothing for one that is not found.
fn terms_of(record: &FileRecord, facts: &mut FileFacts) -> Terms {
    let terms = std::mem::take(&mut facts.terms);
    if is_found(record) { terms } else { Terms::default() }
}

/// Looks at all candidates, in order: at the content of those that may have changed since `before`, whose pass began at
/// `before_ns`.
pub(super) fn look(
    candidates: &[Candidate],
    before: &[SeenFile],
    before_ns: i64,
    known: Option<&Facts>,
    progress: &dyn Progress,
) -> Vec<Looked> {
    progress.stage("extract", candidates.len() as u64);
    // Both are in path order.
    let mut rest = (0..).zip(before).peekable();
    let mut place = |candidate: &Candidate| {
        while rest.next_if(|(_, file)| file.record.path < candidate.path).is_some() {}
        rest.next_if(|(_, file)| file.record.path == candidate.path)
    };
    let places: Vec<Option<(usize, &SeenFile)>> = candidates.iter().map(&mut place).collect();
    let look = |(candidate, before)| {
        let file = look_at(candidate, before, before_ns, known);
        progress.tick(1);
        file
    };
    candidates.par_iter().zip(places).map(look).collect()
}

fn look_at(candidate: &Candidate, before: Option<(usize, &SeenFile)>, before_ns: i64, known: Option<&Facts>) -> Looked {
    let path = &candidate.path;
    let language = match candidate.outcome {
        Verdict::Words => Language::Text,
        _ => lang::language_of(path).unwrap_or(Language::Text),
    };
    let stat = candidate.stat;
    if let (Some((place, kept)), Some(stat)) = (before, stat)
        && kept.record.language == language
        && kept.stat == Some(stat)
        && is_settled(stat, before_ns)
    {
        let (record, key, terms) = (kept.record.clone(), kept.key, Terms::default());
        let (facts, same_as) = (None, Some(place));
        return Looked { record, stat: Some(stat), key, facts, terms, read: false, parsed: false, same_as };
    }
    let source = match scan::read(candidate) {
        Ok(source) => source,
        Err(reason) => {
            let record = skipped_record(candidate, language, reason);
            let (terms, read) = (Terms::default(), stat.is_some());
            return Looked { record, stat, key: None, facts: None, terms, read, parsed: false, same_as: None };
        }
    };
    // What it was when it was opened counts: it may have changed since.
    let stat = stat.filter(|stat| (stat.size, stat.mtime_ns) == (source.size, source.mtime_ns));
    let key = Key::of(path, &source.bytes);
    if let Some((place, kept)) = before
        && kept.key == Some(key)
        && kept.record.language == language
    {
        let record = FileRecord { mtime_ns: source.mtime_ns, ..kept.record.clone() };
        let (facts, terms, same_as) = (None, Terms::default(), Some(place));
        return Looked { record, stat, key: Some(key), facts, terms, read: true, parsed: false, same_as };
    }
    let (mut facts, parsed) = match known.and_then(|known| known.get(key)) {
        Some(facts) => (facts, false),
        None => {
            let facts = lang::extract(path, &source.bytes, &Limits::default());
            if let Some(known) = known {
                known.put(key, &facts);
            }
            (facts, true)
        }
    };
    let record = read_record(path, language, &source, &facts);
    let terms = terms_of(&record, &mut facts);
    Looked { record, stat, key: Some(key), facts: Some(facts), terms, read: true, parsed, same_as: None }
}

/// True if every file is what it was: then nothing can come of a pass. `before` in the same order.
pub(super) fn is_same(looked: &[Looked], before: &[SeenFile]) -> bool {
    let same = |(place, (now, before)): (usize, (&Looked, &SeenFile))| {
        now.record == before.record && (now.same_as == Some(place) || !is_unit(&now.record))
    };
    looked.len() == before.len() && looked.iter().zip(before).enumerate().all(same)
}

/// True if a file that was changed now would have other times.
fn is_settled(stat: Stat, before_ns: i64) -> bool {
    let latest = stat.mtime_ns.max(stat.ctime_ns);
    let coarse = stat.mtime_ns % 1_000_000_000 == 0 && stat.ctime_ns % 1_000_000_000 == 0;
    latest < before_ns - if coarse { COARSE_TICK } else { TICK }
}

/// Where the facts of files come from that did not have to be read.
pub(super) struct Sources<'a> {
    pub(super) known: Option<&'a Facts>,
    /// Reads a file again.
    pub(super) extract: &'a (dyn Fn(&str) -> Option<FileFacts> + Sync),
}

impl Sources<'_> {
    /// What other files may look at, at least.
    fn interface(&self, path: &str, key: Option<Key>) -> Option<FileFacts> {
        let known = self.known.zip(key).and_then(|(known, key)| known.get_interface(key));
        known.or_else(|| (self.extract)(path))
    }

    fn facts(&self, path: &str, key: Option<Key>) -> Option<FileFacts> {
        let known = self.known.zip(key).and_then(|(known, key)| known.get(key));
        known.or_else(|| (self.extract)(path))
    }
}

/// What resolution is told.
pub(super) struct Settings<'a> {
    pub(super) frameworks: &'a Frameworks,
    /// So many changed files are reason to resolve all.
    pub(super) full_from: usize,
}

/// What every file came to, and how that differs from the last pass.
#[derive(Default)]
pub(super) struct Updated {
    pub(super) files: Vec<KeptFile>,
    /// Number of files that were resolved.
    pub(super) resolved: usize,
    /// Files of which anything in the graph may differ, ids of what they point to among it.
    pub(super) touched: Vec<FileId>,
    /// What overrides what may differ.
    pub(super) overrides: bool,
    /// Of the touched files: what they were and said, if they were.
    pub(super) before: Vec<Option<(FileRecord, Terms)>>,
    /// Files that are gone: where their rows are, and what they were and said.
    pub(super) gone: Vec<(Room, FileRecord, Terms)>,
    /// How they differ for others; `None` where that is not known, or files have come, gone or become code or none.
    pub(super) differences: Option<Told>,
}

/// How files differ for others, by their numbers in the graph.
pub(super) struct Told {
    /// Files whose symbols differ, or who uses what of them.
    pub(super) files: Vec<FileId>,
    /// Files of which anything else differs that others are told.
    pub(super) records: Vec<FileId>,
    /// Definitions that something else refers to, as (file, place among its symbols).
    pub(super) definitions: Vec<(FileId, u32)>,
    /// Files that something else uses or imports.
    pub(super) used: Vec<FileId>,
    /// See [`Differences`].
    pub(super) names: BTreeSet<String>,
    pub(super) unresolved: BTreeSet<String>,
}

/// What every file comes to. Runs on the current rayon pool, as [`resolve::resolve`] does.
pub(super) fn update(
    mut looked: Vec<Looked>,
    before: Vec<KeptFile>,
    sources: &Sources<'_>,
    settings: &Settings<'_>,
    progress: &dyn Progress,
) -> Updated {
    let frameworks = settings.frameworks;
    let changed = looked.iter().filter(|file| is_unit(&file.record) && file.same_as.is_none()).count();
    let asked = if changed >= settings.full_from {
        (0..looked.iter().filter(|file| is_unit(&file.record)).count() as u32).collect()
    } else {
        affected(&looked, &before, sources)
    };
    let mut kept = before;
    let places = Places::of(&looked, &kept);
    progress.stage("resolve", asked.len() as u64);
    let outcomes = resolve_some(&mut looked, &kept, &asked, sources, frameworks, progress);
    let mut resolved = asked.len();
    let taken = outcomes.and_then(|outcomes| take_others(&looked, &mut kept, &places, &asked, outcomes));
    let taken = taken.unwrap_or_else(|| {
        // Facts were gone that were needed, or something points to what is no more. Whatever the reason, everything is
        // resolved again, from what can be read now.
        let all: Vec<u32> = (0..places.files.len() as u32).collect();
        resolved = all.len();
        let outcomes = resolve_some(&mut looked, &kept, &all, sources, frameworks, progress).unwrap_or_default();
        TakenAll { files: outcomes.into_iter().map(Taken::anew).collect(), overrides: true, differences: None }
    });
    let TakenAll { files: taken, overrides, differences } = taken;
    let same_cards = looked.len() == kept.len()
        && looked.iter().zip(&kept).all(|(now, before)| {
            let before = &before.seen.record;
            now.record.path == before.path && card_of(&now.record) == card_of(before)
        });
    let mut records = Vec::new();
    let mut taken = taken.into_iter();
    let mut updated = Updated { resolved, overrides, ..Updated::default() };
    for (number, looked) in (0..).zip(looked) {
        let Looked { record, stat, key, mut terms, same_as, .. } = looked;
        let place = place_of(&kept, &record.path);
        let old = place.map(|place| &kept[place]);
        let taken = if is_unit(&record) { taken.next() } else { None };
        if taken.as_ref().is_some_and(|taken| taken.differs)
            || old.is_none_or(|old| old.seen.record != record || same_as.is_none() && old.found.terms != terms)
        {
            updated.touched.push(FileId(number));
            updated.before.push(old.map(|old| (old.seen.record.clone(), old.found.terms.clone())));
        }
        if old.is_none_or(|old| old.seen.record != record) {
            records.push(FileId(number));
        }
        let room = old.and_then(|old| old.seen.room);
        if let Some(place) = same_as {
            terms = std::mem::take(&mut kept[place].found.terms);
        }
        let (outcome, packed) = taken.map(|taken| (taken.outcome, taken.packed)).unzip();
        let found = FoundFile { outcome, packed: packed.unwrap_or_default(), terms };
        updated.files.push(KeptFile { seen: SeenFile { record, stat, key, room }, found });
    }
    let now: FxHashSet<&str> = updated.files.iter().map(|file| file.seen.record.path.as_str()).collect();
    let gone = kept.iter().filter(|file| !now.contains(file.seen.record.path.as_str()));
    updated.gone =
        gone.filter_map(|file| Some((file.seen.room?, file.seen.record.clone(), file.found.terms.clone()))).collect();
    updated.differences = differences.filter(|_| same_cards).map(|differences| {
        let Differences { files, definitions, used, names, unresolved } = differences;
        let id = |unit: &u32| FileId(places.files[*unit as usize] as u32);
        let place = |def: &Def| {
            let file = id(&def.file);
            let outcome = updated.files[file.0 as usize].found.outcome.as_ref();
            Some((file, *outcome?.place.get(def.def as usize)?))
        };
        let mut definitions: Vec<(FileId, u32)> = definitions.iter().filter_map(place).collect();
        definitions.sort_unstable();
        let (files, used) = (files.iter().map(id).collect(), used.iter().map(id).collect());
        Told { files, records, definitions, used, names, unresolved }
    });
    updated
}

/// What must be the same for a file to have the same place among the cards.
fn card_of(record: &FileRecord) -> (Language, bool, bool) {
    (record.language, is_unit(record), record.has_facts())
}

/// The place of a path among files.
fn place_of(files: &[KeptFile], path: &str) -> Option<usize> {
    files.binary_search_by_key(&path, |file| file.seen.record.path.as_str()).ok()
}

/// How the files that were asked differ for others; `None` where some were not there before.
fn differences(
    looked: &[Looked],
    before: &[KeptFile],
    places: &Places,
    asked: &[u32],
    all: &[Option<Taken>],
    moves: &FxHashMap<u32, Vec<Option<u32>>>,
) -> Option<Differences> {
    if places.differ {
        return None;
    }
    let moved = |def: Def| match moves.get(&def.file) {
        Some(moved) => Some(Def { def: moved.get(def.def as usize).copied().flatten()?, ..def }),
        None => Some(def),
    };
    let mut differences = Differences::default();
    for number in asked {
        let path = &looked[places.files[*number as usize]].record.path;
        let old = before[place_of(before, path)?].found.outcome.as_ref()?;
        let new = all[*number as usize].as_ref()?;
        if new.differs {
            differences.add(*number, old, &new.outcome, &moved);
        }
    }
    Some(differences)
}

/// Files that take part in resolution are numbered by their order among those that do.
fn is_unit(record: &FileRecord) -> bool {
    record.status != super::SKIPPED
}

/// Numbers of files, now and in the last pass.
struct Places {
    /// By number: place among the files that were looked at.
    files: Vec<usize>,
    /// By number in the last pass: the number now.
    renumbered: Vec<Option<u32>>,
    /// Some number is not what it was.
    differ: bool,
}

impl Places {
    fn of(looked: &[Looked], before: &[KeptFile]) -> Places {
        let files: Vec<usize> = (0..looked.len()).filter(|place| is_unit(&looked[*place].record)).collect();
        let now: FxHashMap<&str, u32> =
            files.iter().map(|place| looked[*place].record.path.as_str()).zip(0..).collect();
        let before = before.iter().filter(|file| file.found.outcome.is_some());
        let renumbered: Vec<Option<u32>> =
            before.map(|file| now.get(file.seen.record.path.as_str()).copied()).collect();
        let differ = renumbered.iter().zip(0..).any(|(now, before)| *now != Some(before));
        Places { files, renumbered, differ }
    }
}

/// Numbers of the files that must be resolved again, ascending.
fn affected(looked: &[Looked], before: &[KeptFile], sources: &Sources<'_>) -> Vec<u32> {
    fn known<'a>(record: &'a FileRecord, listings: &'a [resolve::Listing]) -> Known<'a> {
        Known { path: &record.path, language: record.language.family(), listings }
    }
    let old: Vec<Known<'_>> = before
        .iter()
        .filter_map(|file| Some(known(&file.seen.record, &file.found.outcome.as_ref()?.listings)))
        .collect();
    let units = || looked.iter().filter(|file| is_unit(&file.record));
    let listed: Vec<Vec<resolve::Listing>> =
        units().map(|file| file.facts.as_ref().map_or(Vec::new(), |facts| listings(facts, false))).collect();
    let outcome_of = |file: &Looked| before[file.same_as?].found.outcome.as_ref();
    let new: Vec<Known<'_>> = units()
        .zip(&listed)
        .map(|(file, listed)| known(&file.record, outcome_of(file).map_or(listed, |outcome| &outcome.listings)))
        .collect();
    let mut changed: FxHashSet<&str> =
        units().filter(|file| file.same_as.is_none()).map(|file| file.record.path.as_str()).collect();
    let now: FxHashSet<&str> = new.iter().map(|file| file.path).collect();
    changed.extend(old.iter().map(|file| file.path).filter(|path| !now.contains(path)));
    let mut changes = Changes::between(&old, &new, &changed);
    for file in units().filter(|file| file.same_as.is_none()) {
        if let (Some(place), Some(facts)) = (place_of(before, &file.record.path), &file.facts)
            && before[place].found.outcome.is_some()
        {
            let old = sources.known.zip(before[place].seen.key).and_then(|(known, key)| known.get_interface(key));
            changes.facts(&file.record.path, old, facts);
        }
    }
    let is_affected = |file: &Looked| outcome_of(file).is_none_or(|outcome| changes.touch(outcome));
    (0..).zip(units()).filter(|(_, file)| is_affected(file)).map(|(number, _)| number).collect()
}

fn resolve_some(
    looked: &mut [Looked],
    before: &[KeptFile],
    asked: &[u32],
    sources: &Sources<'_>,
    frameworks: &Frameworks,
    progress: &dyn Progress,
) -> Option<Vec<Outcome>> {
    if asked.is_empty() {
        return Some(Vec::new());
    }
    let unit = |file: &mut Looked| {
        let facts = file.facts.take();
        let outcome = file.same_as.and_then(|place| before[place].found.outcome.as_ref());
        let listings = match (&facts, outcome) {
            (Some(facts), _) => listings(facts, false),
            (None, Some(outcome)) => outcome.listings.clone(),
            // Its facts were given away before: a second attempt.
            (None, None) => {
                sources.facts(&file.record.path, file.key).map_or(Vec::new(), |facts| listings(&facts, false))
            }
        };
        let FileRecord { path, language, test, .. } = &file.record;
        Unit { path: path.clone(), language: language.family(), test: *test, facts, listings }
    };
    let units: Vec<Unit> = looked.iter_mut().filter(|file| is_unit(&file.record)).map(unit).collect();
    let files: Vec<(&str, Option<Key>)> =
        looked.iter().filter(|file| is_unit(&file.record)).map(|file| (file.record.path.as_str(), file.key)).collect();
    let load = |file: u32| {
        let (path, key) = files[file as usize];
        if asked.binary_search(&file).is_ok() { sources.facts(path, key) } else { sources.interface(path, key) }
    };
    resolve::resolve(units, asked, frameworks, &load, &|| progress.tick(1))
}

/// What a file comes to.
struct Taken {
    outcome: Outcome,
    /// Where it was kept; empty if it is another one.
    packed: Range<usize>,
    /// Its part of the graph may differ from what it was.
    differs: bool,
}

impl Taken {
    fn anew(outcome: Outcome) -> Taken {
        Taken { outcome, packed: 0..0, differs: true }
    }
}

/// What all files come to.
struct TakenAll {
    files: Vec<Taken>,
    /// What overrides what may differ.
    overrides: bool,
    /// How files differ for others; `None` where there is nothing to compare with.
    differences: Option<Differences>,
}

/// What all files come to, each with whether its part of the graph may differ. `outcomes` are those of the files that were
/// asked; the others' are what they were, but that files and definitions may have other numbers now. `None` if one of them
/// points to what is gone.
fn take_others(
    looked: &[Looked],
    before: &mut [KeptFile],
    places: &Places,
    asked: &[u32],
    outcomes: Vec<Outcome>,
) -> Option<TakenAll> {
    let mut moves: FxHashMap<u32, Vec<Option<u32>>> = FxHashMap::default();
    // Files of which some symbol has another place among the symbols.
    let mut shifted: FxHashSet<u32> = FxHashSet::default();
    let mut overrides = places.differ;
    let mut all: Vec<Option<Taken>> = Vec::new();
    all.resize_with(places.files.len(), || None);
    for (number, outcome) in asked.iter().zip(outcomes) {
        let path = &looked[places.files[*number as usize]].record.path;
        let old = place_of(before, path).and_then(|place| before[place].found.outcome.as_ref());
        let mut differs = true;
        if let Some(old) = old {
            let moved = moved(old, &outcome);
            if moved.iter().zip(0..).any(|(now, before)| *now != Some(before)) {
                moves.insert(*number, moved.clone());
            }
            if !old.has_places_of(&outcome, &moved) {
                shifted.insert(*number);
            }
            differs = places.differ || !old.is_same_graph(&outcome);
            overrides |= old.overrides != outcome.overrides;
        } else {
            overrides |= !outcome.overrides.is_empty();
        }
        all[*number as usize] = Some(Taken { differs, ..Taken::anew(outcome) });
    }
    let differences = differences(looked, before, places, asked, &all, &moves);
    for (slot, place) in all.iter_mut().zip(&places.files) {
        if slot.is_some() {
            continue;
        }
        let found = &mut before[looked[*place].same_as?].found;
        let (mut outcome, mut packed) = (found.outcome.take()?, found.packed.clone());
        let mut known = !places.differ || outcome.renumber(&places.renumbered);
        let mut same = !places.differ;
        if !moves.is_empty() {
            outcome.each_def(&mut |def| match moves.get(&def.file).map(|moved| moved.get(def.def as usize)) {
                None => {}
                Some(Some(Some(now))) => {
                    same &= def.def == *now;
                    def.def = *now;
                }
                Some(_) => known = false,
            });
        }
        if !known {
            return None;
        }
        if !same {
            packed = 0..0;
        }
        *slot = Some(Taken { outcome, packed, differs: false });
    }
    let finish = |slot: Option<Taken>| {
        let mut taken = slot?;
        taken.differs |= !shifted.is_empty() && taken.outcome.points_into(&shifted);
        Some(taken)
    };
    let files = all.into_iter().map(finish).collect::<Option<_>>()?;
    Some(TakenAll { files, overrides: overrides || !shifted.is_empty(), differences })
}
