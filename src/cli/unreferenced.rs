//! `floorplan unreferenced [UNDER]`

use super::answer::{Answer, note_age};
use super::output::{DIM, clean, json};
use super::{Cli, DONE, NOTHING_FOUND};
use crate::graph;
use crate::query::SymbolRow;
use crate::query::unreferenced::unreferenced;
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
    unreferenced: Vec<SymbolRow>,
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
    for symbol in &listed {
        let (file, name, signature) = (clean(&symbol.file), clean(&symbol.qualname), clean(&symbol.signature));
        writeln!(out, "{file}:{}  {name}{signature}  {DIM}{}{DIM:#}", symbol.line, symbol.kind)?;
    }
    note_age(&graph, out)?;
    Ok(code)
}
