//! One call of a tool: its arguments, the question that it asks, and the text of the answer.

use super::pages::page;
use crate::annotate::answers::{self, Names};
use crate::graph::{self, Graph};
use crate::query::blast_radius::{Question, blast_radius};
use crate::query::kinds::Kinds;
use crate::query::neighborhoods;
use crate::query::neighbors::neighbors;
use crate::query::path::path;
use crate::query::plan::{Surroundings, plan};
use crate::query::reach::Direction;
use crate::query::search::search;
use crate::query::target::{Meant, Target, target};
use crate::repo::{self, Repo};
use crate::store::{Reason, Refused};
use crate::{index, review, tokens};
use anyhow::{Context, Result, anyhow, bail};
use rmcp::model::JsonObject;
use std::path::PathBuf;

/// Entries that an answer lists in all its pages together.
const LIMIT: usize = 500;

/// The text of the answer, one page of it.
pub(super) fn answer(tool: &str, arguments: &JsonObject, folders: &[PathBuf]) -> Result<String> {
    let asked = Asked { arguments, place: open(folders)? };
    let mut lines = asked.age();
    lines.extend(match tool {
        "find" => asked.find()?,
        "relations" => asked.relations()?,
        "blast_radius" => asked.blast_radius()?,
        "plan" => asked.plan()?,
        "review" => asked.review()?,
        "neighborhoods" => asked.neighborhoods()?,
        _ => bail!("there is no tool {tool}"),
    });
    let cursor = asked.number("cursor")?.unwrap_or(0);
    Ok(page(&lines, cursor as usize))
}

/// An error as the agent reads it, with what to do about it where that is known.
pub(super) fn failure(error: &anyhow::Error) -> String {
    let text = page(&[format!("{error:#}")], 0);
    match error.downcast_ref::<Refused>() {
        Some(refused) => format!("{text}{}\n", refused.hint()),
        None => text,
    }
}

struct Place {
    repo: Repo,
    graph: Graph,
}

/// The first of the folders that has a graph. Where none has one, one is made in the background.
fn open(folders: &[PathBuf]) -> Result<Place> {
    let mut failure = anyhow!("no folder to look in");
    for folder in folders {
        if !folder.is_dir() {
            failure = anyhow!("{} is not a folder", folder.display());
            continue;
        }
        let repo = repo::locate_or_folder(folder);
        match graph::open(&repo) {
            Ok(graph) => return Ok(Place { repo, graph }),
            Err(error) => {
                let reason = error.downcast_ref::<Refused>().map(|refused| &refused.reason);
                let missing = matches!(reason, Some(Reason::Absent | Reason::Incomplete | Reason::Older(_)));
                // Only a repository: a home folder or `/` is nothing that anybody wants indexed unasked.
                failure = if missing && repo.git_dir.is_some() {
                    index::background::spawn(&repo);
                    anyhow!("{} has no graph yet; one is being made, ask again in some seconds", repo.root.display())
                } else {
                    error.context(format!("opening the graph of {}", repo.root.display()))
                };
            }
        }
    }
    Err(failure)
}

struct Asked<'a> {
    arguments: &'a JsonObject,
    place: Place,
}

impl Asked<'_> {
    /// What has to be said before any answer of a graph that is not of what is checked out.
    fn age(&self) -> Vec<String> {
        let graph = &self.place.graph;
        if graph.freshness != crate::freshness::Freshness::Behind {
            return Vec::new();
        }
        index::background::spawn(&self.place.repo);
        let head = graph.reader.meta().head.as_deref().unwrap_or_default();
        vec![format!(
            "the graph is of {}, behind HEAD, and being renewed: lines may have moved",
            head.get(..12).unwrap_or(head)
        )]
    }

    fn find(&self) -> Result<Vec<String>> {
        let text = self.text("text")?.context("`text` is missing: words of a name")?;
        Ok(answers::search(&search(&self.place.graph.reader, text, LIMIT as u32)?, Names::agent()))
    }

    fn relations(&self) -> Result<Vec<String>> {
        let reader = &self.place.graph.reader;
        let words = self.texts("kinds")?;
        let kinds = if words.is_empty() { Kinds::all() } else { Kinds::of_words(words)? };
        let target = self.one(self.text("target")?.context("`target` is missing: a symbol or file")?)?;
        if let Some(to) = self.text("to")? {
            return Ok(answers::path(&path(reader, target, self.one(to)?, kinds)?, Names::agent()));
        }
        let direction = match self.text("direction")?.unwrap_or("used_by") {
            "used_by" => Direction::Dependents,
            "uses" => Direction::Dependencies,
            "both" => {
                return Ok(answers::neighbors(&neighbors(reader, vec![target], 1, kinds, LIMIT)?, Names::agent()));
            }
            other => bail!("`direction` is used_by, uses or both, not {other:?}"),
        };
        let question = Question { direction, depth: 1, kinds, limit: LIMIT };
        Ok(answers::blast_radius(&blast_radius(reader, vec![target], &question)?, Names::agent()))
    }

    fn blast_radius(&self) -> Result<Vec<String>> {
        let depth = u32::try_from(self.number("depth")?.unwrap_or(2)).unwrap_or(u32::MAX);
        let question = Question { direction: Direction::Dependents, depth, kinds: Kinds::all(), limit: LIMIT };
        let answer = blast_radius(&self.place.graph.reader, self.targets()?, &question)?;
        Ok(answers::blast_radius(&answer, Names::agent()))
    }

    fn plan(&self) -> Result<Vec<String>> {
        let budget = self.number("budget")?.unwrap_or(60_000) as usize;
        let text = |path: &str| graph::text(&self.place.repo, path);
        let around = Surroundings { text: &text, tokens: &tokens::count };
        let answer = plan(&self.place.graph.reader, self.targets()?, budget, &around)?;
        Ok(answers::plan(&answer, Names::agent()))
    }

    fn review(&self) -> Result<Vec<String>> {
        let answer = review::review(&self.place.repo, &self.place.graph, self.text("base")?)?;
        Ok(answers::review(&answer, Names::agent()))
    }

    fn neighborhoods(&self) -> Result<Vec<String>> {
        let reader = &self.place.graph.reader;
        let Some(file) = self.text("file")? else {
            return Ok(answers::neighborhoods(&neighborhoods::neighborhoods(reader)?, Names::agent()));
        };
        let path = graph::indexed_path(&self.place.repo.root, &self.place.repo, reader, file)?;
        let whole = neighborhoods::neighborhood(reader, &path)?;
        Ok(answers::neighborhood(&path, whole.as_ref(), Names::agent()))
    }

    fn targets(&self) -> Result<Vec<Target>> {
        let words = self.texts("targets")?;
        if words.is_empty() {
            bail!("`targets` is missing: symbols or files");
        }
        words.into_iter().map(|word| self.one(word)).collect()
    }

    /// The one thing that the words name; else an error that says what they may mean.
    fn one(&self, words: &str) -> Result<Target> {
        let root = self.place.repo.root.to_string_lossy();
        let inside = words.strip_prefix(&*root).map_or(words, |rest| rest.trim_start_matches('/'));
        let names = Names::agent();
        let listed = |candidates: &[String]| -> String {
            let more = candidates.len().saturating_sub(20);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let shown: Vec<String> = candidates.iter().take(20).map(|candidate| names.both(candidate)).collect();
            format!("{}{more}", shown.join(", "))
        };
        match target(&self.place.graph.reader, inside)? {
            Meant::One(target) => Ok(target),
            Meant::Several(candidates) => {
                bail!("{words} may be any of these, ask for one of them as written here: {}", listed(&candidates))
            }
            Meant::Nothing(close) if close.is_empty() => {
                bail!("no symbol or file is called {words}; `find` searches by parts of names")
            }
            Meant::Nothing(close) => bail!("no symbol or file is called {words}; closest to it: {}", listed(&close)),
        }
    }

    fn text(&self, name: &str) -> Result<Option<&str>> {
        match self.arguments.get(name) {
            None | Some(serde_json::Value::Null) => Ok(None),
            Some(serde_json::Value::String(text)) => Ok(Some(text)),
            Some(_) => bail!("`{name}` has to be a string"),
        }
    }

    /// A list of strings; one string is a list of one.
    fn texts(&self, name: &str) -> Result<Vec<&str>> {
        match self.arguments.get(name) {
            Some(serde_json::Value::Array(items)) => items
                .iter()
                .map(|item| item.as_str().with_context(|| format!("`{name}` has to be a list of strings")))
                .collect(),
            _ => Ok(self.text(name)?.into_iter().collect()),
        }
    }

    fn number(&self, name: &str) -> Result<Option<u64>> {
        match self.arguments.get(name) {
            None | Some(serde_json::Value::Null) => Ok(None),
            Some(value) => value.as_u64().map(Some).with_context(|| format!("`{name}` has to be a number")),
        }
    }
}
