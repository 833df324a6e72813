//! What to read, in which order, before changing these symbols or files, inside a budget of tokens.
//!
//! Direction goes before distance: what is edited, in full; then what it calls into, in full; then who depends on it, as
//! signatures with the lines that use it; then the second step of both directions, as signatures, while room lasts. So a
//! direct caller is never crowded out by the callees of callees. Hubs are named and left out: what everything uses says
//! nothing about this change.

use super::kinds::Kinds;
use super::listing::{self, Link, Place};
use super::outline::{self, Lines};
use super::reach::{self, Direction, Reach, Walk, reach};
use super::target::{self, Target};
use crate::store::Reader;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Of what is left after the edited code, what it calls into may take this share (in percent): callers are cheaper and
/// matter more when something changes, and a long callee must not push them out.
const CALLEES_SHARE: usize = 50;

/// Lines with uses that are shown below the signature of a dependent.
const MAX_USES: usize = 4;

#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    pub targets: Vec<Target>,
    /// Tokens that the entries may have in all, and have.
    pub budget: usize,
    pub tokens: usize,
    /// In the order to read them: what is edited, what that rests on, what rests on it, and what is around.
    pub entries: Vec<Entry>,
    /// Not included: so much uses them that it is better to ask for what is needed of them.
    pub hubs: Vec<super::blast_radius::Hub>,
    /// Found, but beyond the budget; the first of them by name.
    pub left_out: usize,
    pub first_left_out: Vec<String>,
    /// Files of the plan.
    pub files: usize,
    /// The walk was ended by its bound.
    pub capped: bool,
}

/// One piece of code to read.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    #[serde(flatten)]
    pub place: Place,
    pub role: Role,
    /// `full`, or `signature` (its head and the lines that use what is changed).
    pub form: Form,
    pub tokens: usize,
    /// The reference that brings it in; `None` for what is edited.
    pub why: Option<Link>,
    /// Which end of that reference this is: a dependent makes it, a dependency is what it goes to.
    pub direction: Direction,
    /// It is connected by a guess.
    pub possible: bool,
    /// Ranges of lines (both ends included) that make the text.
    pub ranges: Vec<(u32, u32)>,
    #[serde(skip)]
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Edit,
    /// The edited code calls or uses it.
    Uses,
    /// It uses the edited code.
    UsedBy,
    /// A test that does.
    TestedBy,
    /// Two steps away.
    Around,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    Full,
    Signature,
}

/// What the planner needs of the outside: the files as they are now, and a count of tokens.
pub struct Surroundings<'s> {
    /// The text of a file, given from the root; `None` if it cannot be read.
    pub text: &'s dyn Fn(&str) -> Option<String>,
    pub tokens: &'s dyn Fn(&str) -> usize,
}

/// # Errors
/// What SQLite says.
pub fn plan(reader: &Reader, targets: Vec<Target>, budget: usize, around: &Surroundings<'_>) -> Result<Plan> {
    ask(reader, targets, budget, around).context("making a plan")
}

/// A piece of code that may come in.
struct Candidate {
    place: Place,
    role: Role,
    form: Form,
    why: Option<Link>,
    direction: Direction,
    /// Lines outside of the head that are worth showing.
    uses: Vec<u32>,
    possible: bool,
}

fn ask(reader: &Reader, targets: Vec<Target>, budget: usize, around: &Surroundings<'_>) -> Result<Plan> {
    let seeds: Vec<i64> = target::nodes(reader, &targets)?.into_iter().collect();
    let walk = |direction| reach(reader, &seeds, Walk { direction, depth: 2, kinds: Kinds::all() });
    let (callers, callees) = (walk(Direction::Dependents)?, walk(Direction::Dependencies)?);
    let mut filling = Filling::new(budget, around);
    for candidate in edited(reader, &targets)? {
        filling.add(candidate, budget);
    }
    let files: BTreeSet<i64> = filling.entries.iter().map(|entry| entry.place.file_id).collect();
    let (users, used) = (
        step(reader, &callers, Direction::Dependents, 1, &targets)?,
        step(reader, &callees, Direction::Dependencies, 1, &targets)?,
    );
    let hubs = hubs(reader, used.iter().chain(&users))?;
    let is_hub = |candidate: &Candidate| hubs.iter().any(|hub| hub.place.node == candidate.place.node);
    let until = filling.used + budget.saturating_sub(filling.used) * CALLEES_SHARE / 100;
    for candidate in used.into_iter().filter(|candidate| !is_hub(candidate)) {
        filling.add(candidate, until);
    }
    // Callers in other files first: those in the edited files are seen there.
    let mut users: Vec<Candidate> = users;
    users.sort_by_key(|user| (user.role, user.possible, files.contains(&user.place.file_id)));
    for candidate in users {
        filling.add(candidate, budget);
    }
    for (reach, direction) in [(&callers, Direction::Dependents), (&callees, Direction::Dependencies)] {
        for candidate in step(reader, reach, direction, 2, &targets)? {
            filling.add(candidate, budget);
        }
    }
    let Filling { used, entries, left_out, first_left_out, .. } = filling;
    let mut entries = entries;
    entries.sort_by_key(|entry| entry.role);
    Ok(Plan {
        budget,
        tokens: used,
        files: entries.iter().map(|entry| entry.place.file_id).collect::<BTreeSet<_>>().len(),
        entries,
        hubs,
        left_out,
        first_left_out,
        capped: callers.capped || callees.capped,
        targets,
    })
}

/// What is edited: the symbols, or the whole file.
fn edited(reader: &Reader, targets: &[Target]) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    for target in targets {
        let places = match target {
            Target::Symbols(symbols) => symbols.iter().cloned().map(Place::of_symbol).collect(),
            Target::File { id, .. } => listing::place(reader, -id)?.into_iter().collect::<Vec<_>>(),
        };
        found.extend(places.into_iter().map(|place| Candidate {
            place,
            role: Role::Edit,
            form: Form::Full,
            why: None,
            direction: Direction::Dependents,
            uses: Vec::new(),
            possible: false,
        }));
    }
    Ok(found)
}

/// The nodes at one distance, with the reason for each: resolved before possible, callers in production before tests.
fn step(
    reader: &Reader,
    reach: &Reach,
    direction: Direction,
    depth: u32,
    targets: &[Target],
) -> Result<Vec<Candidate>> {
    let into = match direction {
        Direction::Dependents => BTreeMap::new(),
        Direction::Dependencies => listing::references_into(reader, reach)?,
    };
    let edited: Vec<i64> =
        targets.iter().filter_map(|t| if let Target::File { id, .. } = t { Some(*id) } else { None }).collect();
    let mut found = Vec::new();
    for (node, at) in reach.found().filter(|(_, at)| at.depth == depth) {
        let Some(place) = listing::place(reader, node)? else { continue };
        if edited.contains(&place.file_id) {
            continue;
        }
        let links = match direction {
            Direction::Dependents => listing::links_of_dependent(reader, reach, node, at)?,
            Direction::Dependencies => {
                listing::links_of_dependency(reader, reach, node, into.get(&node).map_or(&[], Vec::as_slice))?
            }
        };
        let role = match (depth, direction, place.test) {
            (1, Direction::Dependencies, _) => Role::Uses,
            (1, Direction::Dependents, false) => Role::UsedBy,
            (1, Direction::Dependents, true) => Role::TestedBy,
            _ => Role::Around,
        };
        let uses = if direction == Direction::Dependents {
            links.iter().map(|link| link.line).filter(|line| *line > 0).take(MAX_USES).collect()
        } else {
            Vec::new()
        };
        let form = if role == Role::Uses && !at.possible { Form::Full } else { Form::Signature };
        let why = links.into_iter().next();
        found.push(Candidate { place, role, form, why, direction, uses, possible: at.possible });
    }
    let key = |c: &Candidate| (c.role, c.possible, c.place.test);
    found.sort_by(|a, b| {
        key(a).cmp(&key(b)).then_with(|| (&a.place.file, a.place.line).cmp(&(&b.place.file, b.place.line)))
    });
    Ok(found)
}

fn hubs<'c>(reader: &Reader, candidates: impl Iterator<Item = &'c Candidate>) -> Result<Vec<super::blast_radius::Hub>> {
    let limit = u32::try_from(reader.meta().hub_uses).unwrap_or(u32::MAX - 1);
    let mut hubs = Vec::new();
    for candidate in candidates.filter(|candidate| candidate.role == Role::Uses) {
        let node = candidate.place.node;
        if node > 0 && hubs.len() < 20 && reach::uses_up_to(reader, node, limit + 1)? > limit {
            let uses = reach::uses_up_to(reader, node, super::blast_radius::MAX_USES)?;
            hubs.push(super::blast_radius::Hub { place: candidate.place.clone(), uses });
        }
    }
    Ok(hubs)
}

/// The plan as it fills up.
struct Filling<'s> {
    around: &'s Surroundings<'s>,
    texts: BTreeMap<String, Option<Lines>>,
    /// Lines that are in the plan already, by file.
    taken: BTreeMap<String, BTreeSet<u32>>,
    entries: Vec<Entry>,
    used: usize,
    budget: usize,
    left_out: usize,
    first_left_out: Vec<String>,
}

impl<'s> Filling<'s> {
    fn new(budget: usize, around: &'s Surroundings<'s>) -> Filling<'s> {
        Filling {
            around,
            texts: BTreeMap::new(),
            taken: BTreeMap::new(),
            entries: Vec::new(),
            used: 0,
            budget,
            left_out: 0,
            first_left_out: Vec::new(),
        }
    }

    /// Takes the candidate in if it fits below `until`: in full if it may, else its signature, else not.
    fn add(&mut self, candidate: Candidate, until: usize) {
        let forms: &[Form] = match candidate.form {
            Form::Full => &[Form::Full, Form::Signature],
            Form::Signature => &[Form::Signature],
        };
        let around = self.around;
        let text = self.texts.entry(candidate.place.file.clone());
        let Some(lines) = text.or_insert_with(|| (around.text)(&candidate.place.file).map(Lines::new)) else {
            return self.leave_out(&candidate);
        };
        let taken = self.taken.entry(candidate.place.file.clone()).or_default();
        for &form in forms {
            let mut wanted = match form {
                Form::Full => outline::whole(lines, &candidate.place),
                Form::Signature => outline::signature(lines, &candidate.place, &candidate.uses),
            };
            wanted.retain(|line| !taken.contains(line));
            if wanted.is_empty() {
                // What is there already is there for a better reason.
                return;
            }
            let ranges = outline::ranges(&wanted);
            let text = lines.text(&ranges);
            let tokens = (around.tokens)(&text) + (around.tokens)(&candidate.place.file);
            let room = if form == Form::Full { until } else { self.budget };
            if self.used + tokens <= room {
                taken.extend(wanted);
                self.used += tokens;
                let Candidate { place, role, why, direction, possible, .. } = candidate;
                self.entries.push(Entry { place, role, form, tokens, why, direction, possible, ranges, text });
                return;
            }
        }
        self.leave_out(&candidate);
    }

    fn leave_out(&mut self, candidate: &Candidate) {
        self.left_out += 1;
        if self.first_left_out.len() < 10 {
            self.first_left_out.push(format!("{}::{}", candidate.place.file, candidate.place.name()));
        }
    }
}

#[cfg(test)]
mod tests;
