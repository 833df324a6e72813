//! `floorplan neighborhoods`, `floorplan neighborhood FILE`, `floorplan hubs`

use super::answer::{Answer, note_age};
use super::output::{DIM, clean, json};
use super::{Cli, DONE, NOTHING_FOUND};
use crate::graph;
use crate::query::hubs::{Hub, hubs};
use crate::query::neighborhoods::{Neighborhood, Standing, neighborhood, neighborhoods};
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
    if listed.is_empty() {
        writeln!(out, "no neighborhoods: no two files use each other")?;
    }
    for one in &listed {
        headline(one, out)?;
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
    match &found {
        None => writeln!(out, "{} is in no neighborhood: tests and files without uses are not", clean(&path))?,
        Some(whole) => {
            headline(&whole.neighborhood, out)?;
            for member in &whole.members {
                let note = match member.standing {
                    Standing::Inside => "",
                    Standing::Bridge => "  a bridge: as much outside as inside",
                    Standing::Misplaced => "  more outside than inside",
                    Standing::Unused => "  no uses; tied by directory or history",
                };
                let membership = member.membership.map_or("     ".to_owned(), |share| format!("{share:+.2}"));
                writeln!(out, "  {membership}  {}{DIM}{note}{DIM:#}", clean(&member.path))?;
            }
        }
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

/// `src/billing: 12 files, cohesion 0.87, entry src/billing/invoice.py`
fn headline(one: &Neighborhood, out: &mut dyn Write) -> Result<()> {
    let label = if one.label.is_empty() { ".".into() } else { clean(&one.label) };
    write!(out, "{label}: {} files", one.files)?;
    if let Some(cohesion) = one.cohesion {
        write!(out, ", cohesion {cohesion:.2}")?;
    }
    for (index, entry) in one.entry_points.iter().enumerate() {
        write!(out, "{}{}", if index == 0 { ", entry " } else { ", " }, clean(entry))?;
    }
    writeln!(out)?;
    Ok(())
}
