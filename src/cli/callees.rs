//! `floorplan callees SYMBOL`

use super::answer::{Answer, KindArgs, SymbolArgs, about, heading, note_age, place, what};
use super::output::{counted, json};
use super::{Cli, DONE, NOTHING_FOUND};
use crate::query::Site;
use crate::query::callees::{Callee, Callees, callees};
use crate::query::kinds::Kinds;
use anyhow::Result;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct CalleesArgs {
    #[command(flatten)]
    symbol: SymbolArgs,
    #[command(flatten)]
    kinds: KindArgs,
}

pub(super) fn run(cli: &Cli, args: &CalleesArgs, out: &mut dyn Write) -> Result<u8> {
    let kinds = args.kinds.or(Kinds::calls())?;
    about(cli, &args.symbol, out, |graph, symbols, out| {
        let answer = callees(&graph.reader, symbols, kinds)?;
        let found = !answer.callees.is_empty() || !answer.possible.is_empty();
        if args.symbol.json {
            json(out, &Answer::new(graph, answer))?;
        } else {
            print(&answer, what(kinds), out)?;
            note_age(graph, out)?;
        }
        Ok(if found { DONE } else { NOTHING_FOUND })
    })
}

fn print(answer: &Callees, what: &str, out: &mut dyn Write) -> Result<()> {
    heading(&answer.symbols, out)?;
    if answer.callees.is_empty() {
        writeln!(out, "no {what}s into this repository found")?;
    }
    let least = if answer.capped { "at least " } else { "" };
    group(least, &answer.callees, what, out)?;
    group(&format!("possible: {least}"), &answer.possible, what, out)?;
    if answer.unresolved_calls > 0 {
        writeln!(out, "{} could not be resolved", counted(answer.unresolved_calls, "call"))?;
    }
    if answer.external_calls > 0 {
        writeln!(out, "{} of libraries", counted(answer.external_calls, "call"))?;
    }
    if answer.capped {
        writeln!(out, "there are more: only the first {} sites were looked at", crate::query::MAX_SITES)?;
    }
    Ok(())
}

/// Each line is where the called symbol is defined, for that is where one goes next.
fn group(title: &str, callees: &[Callee], what: &str, out: &mut dyn Write) -> Result<()> {
    if callees.is_empty() {
        return Ok(());
    }
    let sites = callees.iter().map(|callee| callee.sites.len() as u64).sum();
    writeln!(out, "{title}{} of {}", counted(sites, what), counted(callees.len() as u64, "symbol"))?;
    for callee in callees {
        let sites: Vec<Site> = callee.sites.iter().map(|site| Site { line: callee.symbol.line, ..*site }).collect();
        place(&callee.symbol.file, &sites, &callee.symbol.qualname, out)?;
    }
    Ok(())
}
