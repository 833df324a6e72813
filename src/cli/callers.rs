//! `floorplan callers SYMBOL`

use super::answer::{Answer, KindArgs, SymbolArgs, about, heading, note_age, place, what};
use super::output::{counted, json};
use super::{Cli, DONE, NOTHING_FOUND};
use crate::query::callers::{Caller, Callers, callers};
use crate::query::kinds::Kinds;
use anyhow::Result;
use std::collections::BTreeSet;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct CallersArgs {
    #[command(flatten)]
    symbol: SymbolArgs,
    #[command(flatten)]
    kinds: KindArgs,
}

pub(super) fn run(cli: &Cli, args: &CallersArgs, out: &mut dyn Write) -> Result<u8> {
    let kinds = args.kinds.or(Kinds::calls())?;
    about(cli, &args.symbol, out, |graph, symbols, out| {
        let answer = callers(&graph.reader, symbols, kinds)?;
        let code = code(&answer);
        if args.symbol.json {
            json(out, &Answer::new(graph, answer))?;
            return Ok(code);
        }
        print(&answer, what(kinds), out)?;
        note_age(graph, out)?;
        Ok(code)
    })
}

fn code(answer: &Callers) -> u8 {
    let found = [&answer.callers, &answer.tests, &answer.possible].iter().any(|group| !group.is_empty());
    if found { DONE } else { NOTHING_FOUND }
}

fn print(answer: &Callers, what: &str, out: &mut dyn Write) -> Result<()> {
    heading(&answer.symbols, out)?;
    if answer.callers.is_empty() {
        writeln!(out, "no {} found", if what == "call" { "callers" } else { "uses of that kind" })?;
    }
    let least = if answer.capped { "at least " } else { "" };
    group(least, &answer.callers, what, out)?;
    group(&format!("tests: {least}"), &answer.tests, what, out)?;
    group(&format!("possible: {least}"), &answer.possible, what, out)?;
    if !answer.other_uses.is_empty() {
        let uses: Vec<String> = answer.other_uses.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        writeln!(out, "other uses: {}", uses.join(", "))?;
    }
    if answer.unresolved_calls > 0 {
        let calls = counted(answer.unresolved_calls, "call");
        writeln!(out, "{calls} of this name could not be resolved and may be callers")?;
    }
    if answer.capped {
        writeln!(out, "there are more: only the first {} sites were looked at", crate::query::MAX_SITES)?;
    }
    Ok(())
}

fn group(title: &str, callers: &[Caller], what: &str, out: &mut dyn Write) -> Result<()> {
    if callers.is_empty() {
        return Ok(());
    }
    let sites = callers.iter().map(|caller| caller.sites.len() as u64).sum();
    let files: BTreeSet<&str> = callers.iter().map(|caller| caller.file.as_str()).collect();
    let (sites, callers_text) =
        (counted(sites, what), counted(callers.len() as u64, if what == "call" { "caller" } else { "user" }));
    writeln!(out, "{title}{sites} by {callers_text} in {}", counted(files.len() as u64, "file"))?;
    for caller in callers {
        let name = if caller.qualname.is_empty() { "<module>" } else { &caller.qualname };
        place(&caller.file, &caller.sites, name, out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Found, find};
    use crate::store::sample;
    use insta::assert_snapshot;

    fn shown(graph: &str, question: &str) -> String {
        let (_folder, reader) = sample::reader(graph);
        let Found::One(symbols) = find(&reader, question).unwrap() else { panic!("{question}") };
        let mut out = Vec::new();
        print(&callers(&reader, &symbols, Kinds::calls()).unwrap(), "call", &mut out).unwrap();
        anstream::adapter::strip_bytes(&out).into_vec().try_into().map_err(|_| "UTF-8").unwrap()
    }

    #[test]
    fn callers_tests_and_guesses_are_apart() {
        assert_snapshot!(shown(sample::SHOP, "Invoice.total"), @"
        app/models.py::Invoice.total  method, lines 2-5
        4 calls by 2 callers in 2 files
          app/models.py:31  legacy
          app/views.py:5,7  show
        tests: 1 call by 1 caller in 1 file
          tests/test_models.py:3  test_total
        ");
        assert_snapshot!(shown(sample::SHOP, "Special.total"), @"
        app/special.py::Special.total  method, lines 2-4
        no callers found
        possible: 5 calls by 3 callers in 3 files
          app/models.py:31  legacy  (override)
          app/views.py:5,7  show  (override)
          tests/test_models.py:3  test_total  (override)
        ");
    }

    #[test]
    fn counts_of_a_part_are_no_totals() {
        let (_folder, reader) = sample::reader(sample::SHOP);
        let Found::One(symbols) = find(&reader, "Invoice.total").unwrap() else { panic!() };
        let answer = Callers { capped: true, ..callers(&reader, &symbols, Kinds::calls()).unwrap() };
        let mut out = Vec::new();
        print(&answer, "call", &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("at least 4 calls by 2 callers") && text.contains("tests: at least 1 call"), "{text}");
    }

    #[test]
    fn none_is_said_with_what_could_hide_some() {
        let graph = "file a.py\ndef function close 1 2\nedge a.py 4 value same_scope a.py::close\n\
            unresolved a.py 5 call close\nunresolved a.py 6 read close\n";
        assert_snapshot!(shown(graph, "close"), @"
        a.py::close  function, lines 1-2
        no callers found
        other uses: 1 value
        1 call of this name could not be resolved and may be callers
        ");
    }
}
