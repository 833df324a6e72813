//! What `callers` and `callees` have in common: which symbol is meant, and the mark of an old graph.

use super::graph::{self, Graph};
use super::output::{BOLD, DIM, clean, json};
use super::{Cli, NOTHING_FOUND};
use crate::freshness::Freshness;
use crate::query::{self, Found, Site, SymbolRow};
use anyhow::Result;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write;

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

#[derive(Serialize)]
struct Candidates {
    candidates: Vec<SymbolRow>,
}

/// Finds the symbol and lets `answer` print what is to be said of it; or says that it is not there, or which it could be.
pub(super) fn about(
    cli: &Cli,
    args: &SymbolArgs,
    out: &mut dyn Write,
    answer: impl FnOnce(&Graph, &[SymbolRow], &mut dyn Write) -> Result<u8>,
) -> Result<u8> {
    let graph = graph::open(&cli.repo(None)?)?;
    let (candidates, text) = match query::find(&graph.reader, &args.symbol)? {
        Found::One(symbols) => return answer(&graph, &symbols, out),
        Found::Several(candidates) => {
            let text = format!("{} may be any of these:", args.symbol);
            (candidates, text)
        }
        Found::Nothing => (Vec::new(), format!("there is no symbol {} in the graph", args.symbol)),
    };
    if args.json {
        json(out, &Answer::new(&graph, Candidates { candidates }))?;
        return Ok(NOTHING_FOUND);
    }
    writeln!(out, "{}", clean(&text))?;
    for symbol in &candidates {
        writeln!(out, "  {}  {DIM}{} at line {}{DIM:#}", clean(&symbol.to_string()), symbol.kind, symbol.line)?;
    }
    note_age(&graph, out)?;
    Ok(NOTHING_FOUND)
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
