//! `floorplan index [PATH]`

use super::output::{clean, counted, json};
use super::progress::Bar;
use super::timings::{Stage, Timings};
use super::{Cli, DONE};
use crate::config;
use crate::index::{self, Counts, Options, Places, Progress, Quiet, Report, background};
use crate::repo::Repo;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args)]
pub(super) struct IndexArgs {
    /// A folder of the repository, or a folder outside git [default: the current one]
    path: Option<PathBuf>,
    /// As the hook starts it: quiet, at low priority, and leaving at once if another run is at work
    #[arg(long)]
    background: bool,
    /// Take nothing from earlier runs
    #[arg(long)]
    full: bool,
    /// Print the numbers as JSON
    #[arg(long)]
    json: bool,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    jobs: usize,
    /// Print also what each stage cost: CPU time, and the most memory up to its end
    #[arg(long)]
    timings: bool,
    /// No progress bar and no summary
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(cli: &Cli, args: &IndexArgs, out: &mut dyn Write) -> Result<u8> {
    let repo = cli.repo(args.path.as_ref())?;
    let places = Places::of(&repo)?;
    let options =
        |config| Options { jobs: args.jobs, config, full: args.full, quick: args.background, ..Options::default() };
    if args.background {
        let done = config::load().and_then(|(config, _)| in_background(&repo, &places, &options(config)));
        if let Err(error) = &done {
            // Nobody reads what it prints.
            background::note_fault(&places.graph, &format!("{error:#}"));
        }
        return done;
    }
    let options = options(config::load()?.0);
    let Some(lock) = background::lock(&places.graph)? else {
        bail!("another index of {} is running; wait for it, or see `floorplan status`", repo.root.display());
    };
    let bar = (!args.quiet && io::stderr().is_terminal()).then(Bar::new);
    let handle = bar.as_ref().map(Bar::handle);
    ctrlc::set_handler(move || interrupted(handle.as_ref())).context("preparing for Ctrl-C")?;
    let progress: &dyn Progress = bar.as_ref().map_or(&Quiet, |bar| bar);
    let timings = Timings::new(progress);
    let report = index::index(&repo, &places, &options, if args.timings { &timings } else { progress });
    let stages = timings.stages();
    drop(lock);
    // A run that was wanted meanwhile has found the lock taken.
    if background::is_wanted(&places.graph) {
        background::spawn(&repo);
    }
    if let Some(bar) = &bar {
        bar.clear();
    }
    let report = report.with_context(|| format!("indexing {}", repo.root.display()))?;
    if args.json {
        json(out, &Numbers::of(&report, &stages))?;
    } else if !args.quiet {
        summary(&report, out)?;
        for Stage { stage, cpu_seconds, peak_kib } in &stages {
            writeln!(out, "{stage:>14} {cpu_seconds:8.2} s of CPU, {:5} MB", peak_kib / 1024)?;
        }
    }
    Ok(DONE)
}

/// Nobody watches a run in the background: one that hangs (a file system that does not answer) would keep the lock for ever.
/// Leaving at any moment leaves the last complete graph. The largest trees take minutes, at low priority some times that.
const MAX_AGE: Duration = Duration::from_secs(2 * 3600);

/// Where the note cannot be removed there would be no end.
const MAX_RUNS: usize = 100;

/// As the hook starts it. Goes on as long as more is wanted; leaves at once where another run is at work, which will find
/// the note.
fn in_background(repo: &Repo, places: &Places, options: &Options) -> Result<u8> {
    background::lower_priority();
    background::end_after(MAX_AGE);
    for _ in 0..MAX_RUNS {
        let Some(lock) = background::lock(&places.graph)? else { return Ok(DONE) };
        background::take_note(&places.graph);
        index::index(repo, places, options, &Quiet).with_context(|| format!("indexing {}", repo.root.display()))?;
        drop(lock);
        if !background::is_wanted(&places.graph) {
            break;
        }
    }
    Ok(DONE)
}

/// The graph is replaced in one transaction and its snapshot by rename, so leaving at any moment leaves a whole one.
fn interrupted(bar: Option<&Bar>) {
    if let Some(bar) = bar {
        bar.clear();
    }
    // Whoever closed stderr does not want to hear it.
    let _ = writeln!(io::stderr(), "floorplan: interrupted; the last complete graph stays");
    std::process::exit(130);
}

/// [`Report`] as JSON.
#[derive(Serialize)]
struct Numbers<'r> {
    #[serde(flatten)]
    counts: Counts,
    parsed: usize,
    resolved_files: usize,
    head: Option<&'r str>,
    without_git: Option<&'r str>,
    seconds: f64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stages: &'r [Stage],
}

impl<'r> Numbers<'r> {
    fn of(report: &'r Report, stages: &'r [Stage]) -> Numbers<'r> {
        Numbers {
            counts: report.counts,
            parsed: report.parsed,
            resolved_files: report.again,
            head: report.head.as_deref(),
            without_git: report.without_git.as_deref(),
            seconds: report.elapsed.as_secs_f64(),
            stages,
        }
    }
}

fn summary(report: &Report, out: &mut dyn Write) -> Result<()> {
    let (files, symbols) =
        (counted(report.counts.files as u64, "file"), counted(report.counts.symbols as u64, "symbol"));
    let (lines, seconds) = (report.counts.lines, report.elapsed.as_secs_f64());
    writeln!(
        out,
        "{files} ({lines} lines), {symbols}, {} references resolved in {seconds:.1} s",
        report.counts.resolved
    )?;
    let (partial, words, skipped) = (report.counts.partial, report.counts.words, report.counts.skipped);
    writeln!(out, "{partial} parsed in part, {words} read for names only, {skipped} skipped")?;
    if let Some(reason) = &report.without_git {
        writeln!(out, "git's list of files could not be used: {}", clean(reason))?;
    }
    Ok(())
}
