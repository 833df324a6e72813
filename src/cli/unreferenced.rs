//! `floorplan unreferenced [UNDER]`: the exports that no code uses, those that are only imported or exported again marked.

use super::answer::{Answer, note_age};
use super::output::{DIM, clean, json};
use super::{Cli, DONE, NOTHING_FOUND};
use crate::graph;
use crate::query::unreferenced::{UnreferencedRow, unreferenced};
use anyhow::Result;
use serde::Serialize;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct UnreferencedArgs {
    /// Only below this file or folder, given from the root of the repository
    #[arg(default_value = "", hide_default_value = true)]
    under: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listed {
    unreferenced: Vec<UnreferencedRow>,
}

pub(super) fn run(cli: &Cli, args: &UnreferencedArgs, out: &mut dyn Write) -> Result<u8> {
    let graph = graph::open(&cli.repo(None)?)?;
    let listed = unreferenced(&graph.reader, args.under.trim_start_matches("./"))?;
    let code = if listed.is_empty() { NOTHING_FOUND } else { DONE };
    if args.json {
        json(out, &Answer::new(&graph, Listed { unreferenced: listed }))?;
        return Ok(code);
    }
    if listed.is_empty() {
        writeln!(out, "no exports without a reference or mention found")?;
    }
    for UnreferencedRow { symbol, offered } in &listed {
        let offered = if *offered { ", only imported or exported again" } else { "" };
        let (file, name, signature) = (clean(&symbol.file), clean(&symbol.qualname), clean(&symbol.signature));
        writeln!(out, "{file}:{}  {name}{signature}  {DIM}{}{offered}{DIM:#}", symbol.line, symbol.kind)?;
    }
    note_age(&graph, out)?;
    Ok(code)
}
