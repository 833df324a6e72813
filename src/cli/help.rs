//! `floorplan --help`: the commands by what they are for. clap lists them in one row of twenty.

use super::Cli;
use clap::{Command, CommandFactory, FromArgMatches};
use std::fmt::Write;

/// What one does with the commands, in the order of a first day.
const GROUPS: [(&str, &[&str]); 5] = [
    ("The graph", &["index", "status", "statusline", "verify", "config", "dump"]),
    (
        "Questions",
        &[
            "seed",
            "search",
            "callers",
            "callees",
            "implementations",
            "neighbors",
            "path",
            "unreferenced",
            "neighborhoods",
            "neighborhood",
            "hubs",
        ],
    ),
    ("Before a change", &["blast-radius", "plan", "review"]),
    ("What a session has seen", &["visited", "frontier", "note", "notes"]),
    ("Claude Code", &["doctor", "install", "uninstall", "mcp", "explain", "completions"]),
];

/// The command line as clap sees it, with its help in groups.
pub(super) fn command() -> Command {
    let command = Cli::command();
    let mut text = String::new();
    for (title, names) in GROUPS {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{title}:");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let _ = writeln!(text, "  {name:<16} {}", about.map(ToString::to_string).unwrap_or_default());
        }
        text.push('\n');
    }
    command
        .help_template("{about}\n\n{usage-heading} {usage}\n\n{before-help}Options:\n{options}{after-help}")
        .before_help(text.trim_end().to_string())
        .after_help(
            "Without a command it is the hook: one event on standard input. `floorplan help COMMAND` has the rest.",
        )
}

/// Parses this process's command line; ends the process where clap does.
pub(super) fn parse() -> Cli {
    let matches = command().get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let command = Cli::command();
        let mut all: Vec<&str> =
            command.get_subcommands().filter(|c| !c.is_hide_set()).map(Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }

    #[test]
    fn the_help_shows_them() {
        let help = command().render_help().to_string();
        assert!(help.contains("Before a change:\n  blast-radius     Lists what depends"), "{help}");
    }
}
