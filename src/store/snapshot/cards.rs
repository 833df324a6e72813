//! Counts -> cards: what of a file or a name is worth a place on its card, and in which order.

use std::sync::Arc;

use super::build::{Analysis, FileUse, Use, is_nameable, rows_of, sort_dedup};
use super::card::{CallerFile, FileCard, Neighborhood, Site, SymbolCard, Unreferenced};
use crate::model::SymbolId;

/// Symbols of one file that are worth naming: a hundred tokens name four, a range of lines asks for others.
const MAX_SYMBOLS: usize = 64;
/// Sites of the symbols most used, and of all others: an annotation names three files.
const MAX_SITES: usize = 4;
const FEW_SITES: usize = 2;
const MANY_SITES_FOR: usize = 8;
/// Ranked caller files of one file: RETRIEVAL.md found nothing more to gain above 16.
const MAX_CALLER_FILES: usize = 16;
const MAX_BASES: usize = 4;
const MAX_POSSIBLE: usize = 8;
const MAX_COMPANIONS: usize = 3;
const MAX_UNREFERENCED: usize = 16;
const MAX_UNPARSED: usize = 8;
/// Symbols answered for one name.
const MAX_SAME_NAME: usize = 12;

impl<'g> Analysis<'g> {
    /// The places of use worth naming, best first: see [`SymbolCard::sites`]. Fewer are the first of more.
    fn sites(&self, symbol: u32, limit: usize) -> Vec<Site> {
        let mut known = self.sites[symbol as usize].borrow_mut();
        let sites = known.get_or_insert_with(|| self.find_sites(symbol, MAX_SITES));
        sites.iter().take(limit).cloned().collect()
    }

    fn find_sites(&self, symbol: u32, limit: usize) -> Vec<Site> {
        let home = self.graph.symbols[symbol as usize].file.0;
        let uses = self.uses(symbol);
        let mut runs: Vec<Vec<Use>> = uses.chunk_by(|a, b| a.file == b.file).map(<[Use]>::to_vec).collect();
        for run in &mut runs {
            run.sort_unstable_by_key(|place| (!place.call, place.line));
            run.dedup_by_key(|place| place.line);
        }
        let same_package = |file: u32| self.package[file as usize] == self.package[home as usize];
        let callable = self.graph.symbols[symbol as usize].kind.is_callable();
        let mut ranked: Vec<_> = runs
            .iter()
            .map(|run| {
                let file = run[0].file;
                let score = if file == home { 0.0 } else { self.score(home, file) };
                // What calls comes first where callers are told; a type's own file is none of its users.
                let (calls, own) = (!run[0].call, file == home);
                let first = if callable { (calls, own) } else { (own, calls) };
                ((first, self.is_aside(file), same_package(file)), score, run)
            })
            .collect();
        ranked.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2[0].file.cmp(&b.2[0].file)));
        let mut sites = Vec::new();
        for turn in 0..limit {
            let places = ranked.iter().filter_map(|(_, _, run)| run.get(turn)).take(limit - sites.len());
            sites.extend(places.map(|place| Site { path: self.path(place.file), line: place.line }));
        }
        sites
    }

    fn path(&self, file: u32) -> Arc<str> {
        Arc::clone(&self.paths[file as usize])
    }

    fn caller_file(&self, file: u32, line: u32) -> CallerFile {
        CallerFile { path: self.path(file), unique_from: self.unique_from[file as usize], line }
    }

    /// Files that use most, and what few others use, first.
    fn ranked(&self, uses: &[FileUse], limit: usize) -> Vec<CallerFile> {
        let mut ranked: Vec<&FileUse> = uses.iter().collect();
        ranked.sort_by(|a, b| {
            let aside = self.is_aside(a.user).cmp(&self.is_aside(b.user));
            let rank = aside.then(b.score.total_cmp(&a.score)).then(b.references.cmp(&a.references));
            rank.then(a.user.cmp(&b.user))
        });
        ranked.iter().take(limit).map(|pair| self.caller_file(pair.user, pair.line)).collect()
    }

    /// Files with methods that those of `file` override, most methods first.
    fn bases(&self, file: u32) -> Vec<u32> {
        let mut rows = rows_of(&self.overridden, file).to_vec();
        rows.sort_by_key(|(_, base, methods)| (std::cmp::Reverse(*methods), *base));
        rows.into_iter().map(|(_, base, _)| base).collect()
    }

    /// Files with methods that override those of `file` and no known use of it, most methods first.
    fn overriders(&self, file: u32) -> Vec<u32> {
        let users = &self.home(file).users;
        let is_user = |user: u32| users.binary_search_by_key(&user, |pair| pair.user).is_ok();
        let mut rows = rows_of(&self.overriding, file).to_vec();
        rows.retain(|(_, user, _)| !is_user(*user));
        rows.sort_by_key(|(_, user, methods)| (self.is_aside(*user), std::cmp::Reverse(*methods), *user));
        rows.into_iter().map(|(_, user, _)| user).collect()
    }

    /// What past commits changed with a file that is used, and no known or possible use explains.
    fn companions(&self, file: u32) -> Vec<u32> {
        if self.dependents(file).is_empty() {
            return Vec::new();
        }
        let is_known = |other: u32| {
            let of_pair = |pairs: &[(u32, u32, u32)]| rows_of(pairs, file).iter().any(|row| row.1 == other);
            self.dependents(file).iter().any(|pair| pair.1 == other)
                || self.home(file).possible.iter().any(|pair| pair.user == other)
                || of_pair(&self.overridden)
                || of_pair(&self.overriding)
        };
        let start = self.graph.together.partition_point(|tie| tie.0.0 < file);
        let of_file = self.graph.together[start..].iter().take_while(|tie| tie.0.0 == file).map(|tie| tie.1.0);
        of_file.filter(|other| !is_known(*other)).take(MAX_COMPANIONS).collect()
    }

    /// Examples, documentation and benchmarks: real users, named after those in the product.
    fn is_aside(&self, file: u32) -> bool {
        let top = self.graph.files[file as usize].path.split('/').next().unwrap_or("");
        matches!(
            top,
            "examples" | "example" | "samples" | "demo" | "demos" | "docs" | "doc" | "benchmarks" | "benchmark"
        )
    }

    fn symbol_card(&self, symbol: u32, sites: usize) -> SymbolCard {
        let (tally, definition) = (self.tally(symbol), &self.graph.symbols[symbol as usize]);
        SymbolCard {
            path: self.path(definition.file.0),
            qualname: definition.qualname.clone(),
            kind: definition.kind,
            line: definition.line,
            end_line: definition.end_line,
            exported: definition.exported,
            test: self.graph.files[definition.file.0 as usize].test,
            overloads: tally.overloads.max(1),
            same_name: self.same_name(symbol),
            callers: tally.callers,
            caller_files: tally.caller_files,
            own_callers: tally.own_callers,
            outside_callers: tally.outside_callers,
            use_files: tally.use_files,
            outside_use_files: tally.outside_use_files,
            possible: tally.possible,
            test_callers: tally.test_callers,
            test_files: tally.test_files,
            sites: self.sites(symbol, sites),
        }
    }

    /// The card of one code file. Costs what the uses of its symbols cost.
    pub(super) fn file_card(&self, file: u32) -> FileCard {
        let record = &self.graph.files[file as usize];
        let mine = self.symbols_of(file);
        let shown = || mine.clone().filter(|symbol| self.is_shown(*symbol));
        let mut used: Vec<u32> = shown().filter(|symbol| self.tally(*symbol).is_used()).collect();
        used.sort_by_key(|symbol| {
            let tally = self.tally(*symbol);
            let kind = self.graph.symbols[*symbol as usize].kind;
            let elsewhere = (tally.callers - tally.own_callers).max(tally.use_files);
            let rank = elsewhere + tally.outside_callers.max(tally.outside_use_files);
            (
                !(kind.is_callable() || kind.is_type()),
                std::cmp::Reverse((rank, tally.callers, tally.possible, tally.test_files)),
                *symbol,
            )
        });
        used.truncate(MAX_SYMBOLS);
        let cards = used.iter().enumerate().map(|(index, symbol)| {
            self.symbol_card(*symbol, if index < MANY_SITES_FOR { MAX_SITES } else { FEW_SITES })
        });

        let users = &self.home(file).users;
        let callers = self.ranked(users, MAX_CALLER_FILES);
        let possible = self.ranked(&self.home(file).possible, MAX_POSSIBLE);

        let start = self.graph.unreferenced.partition_point(|symbol| symbol.0 < mine.start);
        let end = self.graph.unreferenced.partition_point(|symbol| symbol.0 < mine.end);
        let unreferenced: Vec<&SymbolId> = self.graph.unreferenced[start..end]
            .iter()
            .filter(|symbol| !record.test && !self.is_constructor(symbol.0))
            .collect();

        let dependents = self.dependents(file);
        // Who only imports it is named where nobody is known to do more.
        let importers = if users.is_empty() { dependents } else { &[] };
        let mut importers: Vec<u32> = importers.iter().map(|pair| pair.1).collect();
        let same_package = |user: u32| self.package[user as usize] == self.package[file as usize];
        importers.sort_by_key(|user| (self.is_aside(*user), same_package(*user), *user));
        importers.truncate(MAX_CALLER_FILES);
        let importers = importers.iter().map(|user| self.caller_file(*user, 0));
        let bases = self.bases(file);
        let overriders = self.overriders(file);
        let (exported, hidden) = self.exported(file);
        FileCard {
            path: self.path(file),
            language: record.language,
            status: record.status,
            test: record.test,
            size: record.size,
            mtime_ns: record.mtime_ns,
            content_hash: record.content_hash,
            lines: record.lines,
            unparsed: record.unparsed.iter().copied().take(MAX_UNPARSED).collect(),
            symbols: cards.collect(),
            callers: callers.into_iter().chain(importers).collect(),
            possible,
            base_overriders: bases.first().map_or(0, |base| rows_of(&self.overriding, *base).len() as u32),
            bases: bases.iter().take(MAX_BASES).map(|base| self.caller_file(*base, 0)).collect(),
            overriders: overriders.iter().take(MAX_CALLER_FILES).map(|user| self.caller_file(*user, 0)).collect(),
            overriders_total: overriders.len() as u32,
            overriding: rows_of(&self.overriding, file).len() as u32,
            companions: self.companions(file).iter().map(|other| self.caller_file(*other, 0)).collect(),
            users: users.len() as u32,
            dependents: dependents.len() as u32,
            dependents_in_two: self.dependents_in_two(file),
            handed_on: self.handed_on.get(&file).map(|by| self.path(*by)),
            test_files: self.test_dependents(file),
            unreferenced_total: unreferenced.len() as u32,
            unreferenced: unreferenced
                .into_iter()
                .take(MAX_UNREFERENCED)
                .map(|symbol| &self.graph.symbols[symbol.0 as usize])
                .map(|symbol| Unreferenced {
                    qualname: symbol.qualname.clone(),
                    kind: symbol.kind,
                    line: symbol.line,
                    overload: !symbol.signature.is_empty(),
                })
                .collect(),
            exported,
            hidden,
            neighborhood: self.neighborhood(file),
        }
    }

    /// Symbols that have a card of their own and may be named.
    pub(super) fn is_shown(&self, symbol: u32) -> bool {
        self.shown_as[symbol as usize] == symbol && is_nameable(self.graph, symbol)
    }

    /// Number of exported symbols, and of the uses that may be theirs.
    fn exported(&self, file: u32) -> (u32, u32) {
        let mut names = Vec::new();
        let mut hidden = 0u32;
        let mut exported = 0;
        for symbol in self.symbols_of(file).filter(|symbol| self.is_shown(*symbol)) {
            let (definition, tally) = (&self.graph.symbols[symbol as usize], self.tally(symbol));
            if definition.exported {
                exported += 1;
                hidden = hidden.saturating_add(tally.possible + tally.possible_uses);
                names.push(definition.name.as_str());
            }
        }
        sort_dedup(&mut names);
        let unknown = names.iter().map(|name| self.unresolved(name));
        (exported, unknown.fold(hidden, u32::saturating_add))
    }

    fn neighborhood(&self, file: u32) -> Option<Neighborhood> {
        let (community, place) = *self.community.get(&file)?;
        let community = &self.graph.communities[community as usize];
        Some(Neighborhood {
            label: community.label.clone(),
            files: community.members.len() as u32,
            cohesion: community.cohesion,
            membership: community.members[place as usize].membership,
            entry: community.entries.first().map(|entry| self.path(entry.0)),
        })
    }

    /// Every name with its definitions, in the order of names.
    pub(super) fn names(&self) -> impl Iterator<Item = (&'g str, &[u32])> {
        let name = |symbol: &u32| self.graph.symbols[*symbol as usize].name.as_str();
        self.named.chunk_by(move |a, b| name(a) == name(b)).map(move |group| (name(&group[0]), group))
    }

    /// The best of the definitions of one name.
    pub(super) fn name_cards(&self, group: &[u32]) -> Vec<SymbolCard> {
        let mut group = group.to_vec();
        group.sort_by_key(|symbol| {
            let tally = self.tally(*symbol);
            let test = self.graph.files[self.graph.symbols[*symbol as usize].file.0 as usize].test;
            (test, std::cmp::Reverse((tally.callers.max(tally.use_files), tally.possible)), *symbol)
        });
        let cards = group.iter().take(MAX_SAME_NAME).enumerate();
        cards.map(|(index, symbol)| self.symbol_card(*symbol, if index == 0 { MAX_SITES } else { 1 })).collect()
    }
}
