//! `floorplan neighborhoods`, `floorplan neighborhood FILE`, `floorplan hubs`

use super::answer::{Answer, note_age, terminal};
use super::output::{clean, json};
use super::{Cli, DONE, NOTHING_FOUND};
use crate::annotate::answers;
use crate::graph;
use crate::query::hubs::{Hub, hubs};
use crate::query::neighborhoods::{Neighborhood, neighborhood, neighborhoods};
use anyhow::Result;
use serde::Serialize;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(super) struct NeighborhoodArgs {
    /// The file, given from the root of the repository
    file: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listed {
    neighborhoods: Vec<Neighborhood>,
}

#[derive(Serialize)]
struct ListedHubs {
    hubs: Vec<Hub>,
}

pub(super) fn run_list(cli: &Cli, args: &ListArgs, out: &mut dyn Write) -> Result<u8> {
    let graph = graph::open(&cli.repo(None)?)?;
    let listed = neighborhoods(&graph.reader)?;
    let code = if listed.is_empty() { NOTHING_FOUND } else { DONE };
    if args.json {
        json(out, &Answer::new(&graph, Listed { neighborhoods: listed }))?;
        return Ok(code);
    }
    for line in answers::neighborhoods(&listed, terminal()) {
        writeln!(out, "{line}")?;
    }
    note_age(&graph, out)?;
    Ok(code)
}

pub(super) fn run_one(cli: &Cli, args: &NeighborhoodArgs, out: &mut dyn Write) -> Result<u8> {
    let repo = cli.repo(None)?;
    let graph = graph::open(&repo)?;
    let path = graph::indexed_path(&cli.folder()?, &repo, &graph.reader, &args.file)?;
    let found = neighborhood(&graph.reader, &path)?;
    let code = if found.is_some() { DONE } else { NOTHING_FOUND };
    if args.json {
        json(out, &Answer::new(&graph, &found))?;
        return Ok(code);
    }
    for line in answers::neighborhood(&path, found.as_ref(), terminal()) {
        writeln!(out, "{line}")?;
    }
    note_age(&graph, out)?;
    Ok(code)
}

pub(super) fn run_hubs(cli: &Cli, args: &ListArgs, out: &mut dyn Write) -> Result<u8> {
    let graph = graph::open(&cli.repo(None)?)?;
    let listed = hubs(&graph.reader)?;
    let code = if listed.is_empty() { NOTHING_FOUND } else { DONE };
    if args.json {
        json(out, &Answer::new(&graph, ListedHubs { hubs: listed }))?;
        return Ok(code);
    }
    if listed.is_empty() {
        writeln!(out, "no hubs: no file has more than {} dependents", crate::query::hubs::MIN_DEPENDENTS)?;
    }
    for hub in &listed {
        writeln!(out, "{:>6}  {}", hub.dependents, clean(&hub.path))?;
    }
    note_age(&graph, out)?;
    Ok(code)
}
