//! The commands, as clap sees them, and what they have in common: which repository, how output is written, and the one
//! place that prints errors. Each command asks one question of `query` or runs one stage; wording for people is here,
//! wording for the agent in `annotate`.
//!
//! Exit codes: 0 done, 1 nothing found, 2 failed, 130 interrupted.

mod answer;
mod blast_radius;
mod callees;
mod callers;
mod config;
mod dump;
mod explain;
mod exploration;
mod help;
mod impact;
mod implementations;
mod index;
mod install;
mod mcp;
mod neighborhoods;
mod neighbors;
mod output;
mod path;
mod plan;
mod progress;
mod review;
mod search;
mod seed;
mod settings;
mod status;
mod statusline;
mod timings;
mod unreferenced;
mod verify;

use crate::repo::{self, Repo};
use crate::store::{Reason, Refused};
use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

pub(crate) const DONE: u8 = 0;
pub(crate) const NOTHING_FOUND: u8 = 1;
pub(crate) const FAILED: u8 = 2;

#[derive(Parser)]
#[command(name = "floorplan", version, about, max_term_width = 100)]
struct Cli {
    /// Work in the repository that holds DIR [default: the current folder's]
    #[arg(short = 'C', long = "root", global = true, value_name = "DIR")]
    root: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reads the repository and stores its graph
    Index(index::IndexArgs),
    /// Says what is in the graph, and from when
    Status(status::StatusArgs),
    /// Compares the graph with one that a full pass makes, and shows what differs
    Verify(verify::VerifyArgs),
    /// Lists who calls a symbol
    Callers(callers::CallersArgs),
    /// Lists what a symbol calls
    Callees(callees::CalleesArgs),
    /// Lists what extends or implements a type, or overrides a method
    Implementations(implementations::ImplementationsArgs),
    /// Lists what depends on symbols or files, by distance: who has to look when they change
    BlastRadius(blast_radius::BlastRadiusArgs),
    /// Says what to read, in which order, before changing symbols or files, within a budget of tokens
    Plan(plan::PlanArgs),
    /// Says what a change touches: dependents, calls that no longer fit, tests
    Review(review::ReviewArgs),
    /// Lists what is around a symbol or file, in both directions
    Neighbors(neighbors::NeighborsArgs),
    /// Shows how one symbol or file comes to depend on another
    Path(path::PathArgs),
    /// Finds symbols by the words of their names
    Search(search::SearchArgs),
    /// Finds the files that a task is about, by its words
    Seed(seed::SeedArgs),
    /// Lists exports that nothing outside tests refers to, as far as can be seen
    Unreferenced(unreferenced::UnreferencedArgs),
    /// Lists the neighborhoods: files that belong together, with cohesion and entry points
    Neighborhoods(neighborhoods::ListArgs),
    /// Shows the neighborhood of a file, and how much each member belongs to it
    Neighborhood(neighborhoods::NeighborhoodArgs),
    /// Lists the files that much of the repository depends on
    Hubs(neighborhoods::ListArgs),
    /// Lists what the agents of a session read and edited
    Visited(exploration::SessionArgs),
    /// Lists the files next to what a session visited that it has not opened, those worth most first
    Frontier(exploration::FrontierArgs),
    /// Keeps a note on a file or symbol, which comes back when an agent of the session reads it
    Note(exploration::NoteArgs),
    /// Lists the notes of a session
    Notes(exploration::SessionArgs),
    /// Prints one line for Claude Code's status line, whose input it reads
    Statusline,
    /// Shows the annotation of a file, what is behind it, and how long each step took
    Explain(explain::ExplainArgs),
    /// Says what an edit left unfit (for the hook)
    #[command(hide = true)]
    Impact(impact::ImpactArgs),
    /// Writes the whole graph as sorted JSON lines
    Dump(dump::DumpArgs),
    /// Shows the settings in effect and which file they are read from, or switches the memory of sessions
    Config(config::ConfigArgs),
    /// Serves the questions as tools of the Model Context Protocol, on standard input and output
    Mcp,
    /// Registers the hook in Claude Code's settings
    Install(install::InstallArgs),
    /// Takes the hook out of Claude Code's settings
    Uninstall(install::UninstallArgs),
    /// Prints the completions for a shell
    Completions { shell: clap_complete::Shell },
}

/// Runs the command line of this process and returns its exit code. Errors are printed here and nowhere else.
pub fn main() -> u8 {
    let cli = help::parse();
    // It writes from a thread of its own, which would wait for our lock on standard output for ever.
    if matches!(cli.command, Command::Mcp) {
        return mcp::run(&cli).unwrap_or_else(|error| print_error(&error));
    }
    let mut out = BufWriter::new(anstream::stdout().lock());
    let result = dispatch(&cli, &mut out).and_then(|code| {
        out.flush()?;
        Ok(code)
    });
    match result {
        Ok(code) => code,
        // Whoever reads us has read enough (`floorplan dump | head`). What is still buffered would only fail again.
        Err(error) if is_broken_pipe(&error) => {
            let _ = out.into_parts();
            DONE
        }
        Err(error) => print_error(&error),
    }
}

fn dispatch(cli: &Cli, out: &mut dyn Write) -> Result<u8> {
    match &cli.command {
        Command::Index(args) => index::run(cli, args, out),
        Command::Status(args) => status::run(cli, args, out),
        Command::Verify(args) => verify::run(cli, args, out),
        Command::Statusline => statusline::run(cli, out),
        Command::Callers(args) => callers::run(cli, args, out),
        Command::Callees(args) => callees::run(cli, args, out),
        Command::Implementations(args) => implementations::run(cli, args, out),
        Command::BlastRadius(args) => blast_radius::run(cli, args, out),
        Command::Plan(args) => plan::run(cli, args, out),
        Command::Review(args) => review::run(cli, args, out),
        Command::Mcp => Ok(DONE), // served before
        Command::Neighbors(args) => neighbors::run(cli, args, out),
        Command::Path(args) => path::run(cli, args, out),
        Command::Search(args) => search::run(cli, args, out),
        Command::Seed(args) => seed::run(cli, args, out),
        Command::Unreferenced(args) => unreferenced::run(cli, args, out),
        Command::Neighborhoods(args) => neighborhoods::run_list(cli, args, out),
        Command::Neighborhood(args) => neighborhoods::run_one(cli, args, out),
        Command::Hubs(args) => neighborhoods::run_hubs(cli, args, out),
        Command::Visited(args) => exploration::run_visited(cli, args, out),
        Command::Frontier(args) => exploration::run_frontier(cli, args, out),
        Command::Note(args) => exploration::run_note(cli, args, out),
        Command::Notes(args) => exploration::run_notes(cli, args, out),
        Command::Explain(args) => explain::run(cli, args, out),
        Command::Impact(args) => impact::run(cli, args, out),
        Command::Dump(args) => dump::run(cli, args, out),
        Command::Config(args) => config::run(args, out),
        Command::Install(args) => install::run_install(args, out),
        Command::Uninstall(args) => install::run_uninstall(args, out),
        Command::Completions { shell } => {
            // By way of memory: clap_complete panics when what it writes to is closed.
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut help::command(), "floorplan", &mut script);
            out.write_all(&script)?;
            Ok(DONE)
        }
    }
}

impl Cli {
    /// The folder that paths on the command line are relative to.
    fn folder(&self) -> Result<PathBuf> {
        let folder = match &self.root {
            Some(root) => root.clone(),
            None => std::env::current_dir().context("the current folder is gone")?,
        };
        Ok(folder)
    }

    /// The repository of `path`, which is relative to [`Cli::folder`].
    fn repo(&self, path: Option<&PathBuf>) -> Result<Repo> {
        let folder = self.folder()?;
        let folder = path.map_or(folder.clone(), |path| folder.join(path));
        if !folder.is_dir() {
            bail!("{} is not a folder", folder.display());
        }
        Ok(repo::locate_or_folder(&folder))
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        kind.or_else(|| cause.downcast_ref::<serde_json::Error>()?.io_error_kind()) == Some(io::ErrorKind::BrokenPipe)
    })
}

/// Prints an error with what to do about it, where we know, and gives the exit code.
fn print_error(error: &anyhow::Error) -> u8 {
    let mut err = anstream::stderr().lock();
    let red = anstyle::Style::new().fg_color(Some(anstyle::AnsiColor::Red.into())).bold();
    // Whoever closed stderr does not want to hear it.
    let _ = writeln!(err, "{red}floorplan:{red:#} {}", output::clean(&format!("{error:#}")));
    let refused = error.downcast_ref::<Refused>();
    if let Some(refused) = refused {
        let _ = writeln!(err, "  {}", refused.hint());
    }
    match refused.map(|refused| &refused.reason) {
        Some(Reason::Absent | Reason::Incomplete) => NOTHING_FOUND,
        _ => FAILED,
    }
}
