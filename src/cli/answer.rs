//! What the questions about symbols and files have in common: what is meant, what is printed where that is not clear, and the
//! mark of an old graph.

use super::output::{BOLD, DIM, clean, json};
use super::{Cli, NOTHING_FOUND};
use crate::annotate::answers::Names;
use crate::freshness::Freshness;
use crate::graph::{self, Graph};
use crate::query::kinds::Kinds;
use crate::query::target::{Meant, Target, target};
use crate::query::{Site, SymbolRow};
use crate::repo::Repo;
use anyhow::{Result, bail};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

/// A question about one symbol.
#[derive(clap::Args)]
pub(super) struct SymbolArgs {
    /// path::Outer.inner, Outer.inner, inner, or path:line
    symbol: String,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// An answer with the state of the graph it is from.
#[derive(Serialize)]
pub(super) struct Answer<'g, T> {
    freshness: &'static str,
    /// The commit that the graph was built from.
    head: Option<&'g str>,
    #[serde(flatten)]
    answer: T,
}

impl<'g, T> Answer<'g, T> {
    pub(super) fn new(graph: &'g Graph, answer: T) -> Answer<'g, T> {
        Answer { freshness: graph::word(graph.freshness), head: graph.reader.meta().head.as_deref(), answer }
    }
}

/// What the words may have meant, where they do not name one thing.
#[derive(Serialize)]
struct Candidates<'w> {
    /// The words, if nothing is called that.
    unknown: Option<&'w str>,
    /// `path::name` of each thing that is called that, or of what is closest where nothing is.
    candidates: Vec<String>,
}

/// Relations to follow, on the command line.
#[derive(clap::Args)]
pub(super) struct KindArgs {
    /// Only these relations: calls, imports, extends, implements, references, or one kind of edge; may be given several times
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',')]
    kinds: Vec<String>,
}

impl KindArgs {
    /// `default` where none were named.
    pub(super) fn or(&self, default: Kinds) -> Result<Kinds> {
        if self.kinds.is_empty() { Ok(default) } else { Kinds::of_words(self.kinds.iter().map(String::as_str)) }
    }
}

/// The word for one reference of the kinds.
pub(super) fn what(kinds: Kinds) -> &'static str {
    if kinds == Kinds::calls() { "call" } else { "use" }
}

/// Finds the symbol and lets `answer` print what is to be said of it; or says that it is not there, or which it could be.
pub(super) fn about(
    cli: &Cli,
    args: &SymbolArgs,
    out: &mut dyn Write,
    answer: impl FnOnce(&Graph, &[SymbolRow], &mut dyn Write) -> Result<u8>,
) -> Result<u8> {
    about_targets(cli, std::slice::from_ref(&args.symbol), args.json, out, |graph, targets, out| match &targets[..] {
        [Target::Symbols(symbols)] => answer(graph, symbols, out),
        [Target::File { file, .. }] => {
            bail!("{file} is a file, and this is a question about one symbol: {file}::name, or {file}:line")
        }
        _ => bail!("this is a question about one symbol"),
    })
}

/// The same for questions about several symbols or files.
pub(super) fn about_targets(
    cli: &Cli,
    words: &[String],
    as_json: bool,
    out: &mut dyn Write,
    answer: impl FnOnce(&Graph, Vec<Target>, &mut dyn Write) -> Result<u8>,
) -> Result<u8> {
    let repo = cli.repo(None)?;
    let graph = graph::open(&repo)?;
    let mut targets = Vec::new();
    for word in words {
        let from_root = from_root(&cli.folder()?, &repo, word);
        let (unknown, candidates) = match target(&graph.reader, from_root.as_deref().unwrap_or(word))? {
            Meant::One(target) => {
                targets.push(target);
                continue;
            }
            Meant::Several(candidates) => (None, candidates),
            Meant::Nothing(candidates) => (Some(word.as_str()), candidates),
        };
        if as_json {
            json(out, &Answer::new(&graph, Candidates { unknown, candidates }))?;
            return Ok(NOTHING_FOUND);
        }
        let text = match (unknown, candidates.is_empty()) {
            (None, _) => format!("{word} may be any of these; name one as it stands here:"),
            (Some(_), true) => format!("there is no symbol or file {word} in the graph"),
            (Some(_), false) => format!("there is no symbol or file {word} in the graph; closest to it:"),
        };
        writeln!(out, "{}", clean(&text))?;
        for candidate in &candidates {
            writeln!(out, "  {}", clean(candidate))?;
        }
        note_age(&graph, out)?;
        return Ok(NOTHING_FOUND);
    }
    answer(&graph, targets, out)
}

/// The path from the root of a file that was named from the current folder; `None` where there is no such file.
fn from_root(folder: &Path, repo: &Repo, word: &str) -> Option<String> {
    let typed = folder.join(word);
    let real = typed.parent()?.canonicalize().ok()?.join(typed.file_name()?);
    let from_root = real.strip_prefix(&repo.root).ok()?.to_str()?.to_string();
    real.is_file().then_some(from_root)
}

/// Names as they may go to a terminal.
pub(super) fn terminal() -> Names {
    Names::terminal(|raw| clean(raw).into_owned())
}

/// Prints an answer: as JSON, or as its lines and the mark of an old graph.
pub(super) fn print<T: Serialize>(
    graph: &Graph,
    as_json: bool,
    answer: T,
    lines: impl FnOnce(&T, Names) -> Vec<String>,
    out: &mut dyn Write,
) -> Result<()> {
    if as_json {
        return json(out, &Answer::new(graph, answer));
    }
    for line in lines(&answer, terminal()) {
        writeln!(out, "{line}")?;
    }
    note_age(graph, out)
}

/// `path::name  kind, lines a-b` for each of the symbols.
pub(super) fn heading(symbols: &[SymbolRow], out: &mut dyn Write) -> Result<()> {
    for symbol in symbols {
        let (name, kind) = (symbol.to_string(), symbol.kind);
        writeln!(out, "{BOLD}{}{BOLD:#}  {DIM}{kind}, lines {}-{}{DIM:#}", clean(&name), symbol.line, symbol.end_line)?;
    }
    Ok(())
}

/// `path:4,7  name`, with how it was resolved where that is not certain.
pub(super) fn place(path: &str, sites: &[Site], name: &str, out: &mut dyn Write) -> Result<()> {
    let mut lines: Vec<u32> = sites.iter().map(|site| site.line).collect();
    lines.dedup();
    let mut text = String::new();
    for line in lines {
        // Writing to a String cannot fail.
        let _ = write!(text, "{}{line}", if text.is_empty() { ':' } else { ',' });
    }
    let mut doubts: Vec<&str> = sites.iter().map(|site| site.resolution).collect();
    doubts.retain(|word| matches!(*word, "override" | "unique_name" | "ambiguous"));
    doubts.sort_unstable();
    doubts.dedup();
    let doubt = if doubts.is_empty() { String::new() } else { format!("  {DIM}({}){DIM:#}", doubts.join(", ")) };
    Ok(writeln!(out, "  {}{text}  {}{doubt}", clean(path), clean(name))?)
}

/// The last line where the graph is not of what is checked out.
pub(super) fn note_age(graph: &Graph, out: &mut dyn Write) -> Result<()> {
    if graph.freshness != Freshness::Behind {
        return Ok(());
    }
    let head = graph.reader.meta().head.as_deref().unwrap_or("an older state");
    let head = head.get(..12).unwrap_or(head);
    Ok(writeln!(out, "{DIM}The graph is of {}, behind HEAD; `floorplan index` renews it.{DIM:#}", clean(head))?)
}
