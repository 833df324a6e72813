//! `floorplan implementations SYMBOL`

use super::answer::{SymbolArgs, about, print};
use super::{Cli, DONE, NOTHING_FOUND};
use crate::annotate::answers;
use crate::query::implementations::implementations;
use anyhow::Result;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct ImplementationsArgs {
    #[command(flatten)]
    symbol: SymbolArgs,
}

pub(super) fn run(cli: &Cli, args: &ImplementationsArgs, out: &mut dyn Write) -> Result<u8> {
    about(cli, &args.symbol, out, |graph, symbols, out| {
        let answer = implementations(&graph.reader, symbols)?;
        let found = !answer.implementations.is_empty() || !answer.possible.is_empty();
        print(graph, args.symbol.json, answer, answers::implementations, out)?;
        Ok(if found { DONE } else { NOTHING_FOUND })
    })
}
