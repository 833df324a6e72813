//! `floorplan doctor`: is everything in place for the hook to answer, and if not, what is to be done?
//!
//! Each check looks at one thing and gives findings; only faults make the exit code 1. With `--fix` what can be mended
//! without a choice of the user's is mended: modes of our own cache, hook entries that are out of date, a damaged graph.

mod cache;
mod client;
mod graph;
mod hooks;
mod program;

use super::output::{BOLD, DIM, clean, json};
use super::{Cli, DONE, NOTHING_FOUND};
use crate::config;
use crate::index::scan::denied::Denied;
use anyhow::Result;
use serde::Serialize;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

#[derive(clap::Args)]
pub(super) struct DoctorArgs {
    /// Mend what can be mended safely: modes of the cache, hook entries that are out of date, a damaged graph
    #[arg(long)]
    fix: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Grade {
    Ok,
    /// Worth knowing.
    Note,
    /// Works, and should be changed.
    Warning,
    /// Does not work.
    Fault,
}

#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    grade: Grade,
    says: String,
    /// What to do about it.
    hint: Option<String>,
    /// It was mended just now.
    fixed: bool,
}

/// What was found so far.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, check: &'static str, grade: Grade, says: impl Into<String>, hint: Option<String>) {
        self.0.push(Finding { check, grade, says: says.into(), hint, fixed: false });
    }

    fn ok(&mut self, check: &'static str, says: impl Into<String>) {
        self.add(check, Grade::Ok, says, None);
    }

    fn note(&mut self, check: &'static str, says: impl Into<String>) {
        self.add(check, Grade::Note, says, None);
    }

    fn warn(&mut self, check: &'static str, says: impl Into<String>, hint: impl Into<String>) {
        self.add(check, Grade::Warning, says, Some(hint.into()));
    }

    fn fault(&mut self, check: &'static str, says: impl Into<String>, hint: impl Into<String>) {
        self.add(check, Grade::Fault, says, Some(hint.into()));
    }

    fn fixed(&mut self, check: &'static str, says: impl Into<String>) {
        self.0.push(Finding { check, grade: Grade::Ok, says: says.into(), hint: None, fixed: true });
    }
}

#[derive(Serialize)]
struct Shown<'f> {
    version: &'static str,
    healthy: bool,
    findings: &'f [Finding],
}

pub(super) fn run(cli: &Cli, args: &DoctorArgs, out: &mut dyn Write) -> Result<u8> {
    let repo = cli.repo(None)?;
    let mut findings = Findings::default();
    binary(&mut findings);
    cache::check(&repo, args.fix, &mut findings);
    settings(&mut findings);
    hooks::check(&repo, args.fix, &mut findings);
    denied(&repo.root, &mut findings);
    client::check(&repo.root, &mut findings);
    graph::check(&repo, args.fix, &mut findings);
    graph::log(&repo, &mut findings);

    let healthy = findings.0.iter().all(|finding| finding.grade != Grade::Fault);
    if args.json {
        json(out, &Shown { version: env!("CARGO_PKG_VERSION"), healthy, findings: &findings.0 })?;
    } else {
        print(&findings.0, out)?;
    }
    Ok(if healthy { DONE } else { NOTHING_FOUND })
}

fn print(findings: &[Finding], out: &mut dyn Write) -> Result<()> {
    let colour = |colour: anstyle::AnsiColor| anstyle::Style::new().fg_color(Some(colour.into()));
    for finding in findings {
        let (word, style) = match finding.grade {
            Grade::Ok if finding.fixed => ("fixed", colour(anstyle::AnsiColor::Green)),
            Grade::Ok => ("ok", colour(anstyle::AnsiColor::Green)),
            Grade::Note => ("note", DIM),
            Grade::Warning => ("warn", colour(anstyle::AnsiColor::Yellow)),
            Grade::Fault => ("FAULT", colour(anstyle::AnsiColor::Red).bold()),
        };
        writeln!(out, "{style}{word:<5}{style:#}  {BOLD}{:<8}{BOLD:#}  {}", finding.check, clean(&finding.says))?;
        if let Some(hint) = &finding.hint {
            writeln!(out, "                 {DIM}{}{DIM:#}", clean(hint))?;
        }
    }
    let count = |grade| findings.iter().filter(|finding| finding.grade == grade).count() as u64;
    let (faults, warnings) = (count(Grade::Fault), count(Grade::Warning));
    let counted = super::output::counted;
    match (faults, warnings) {
        (0, 0) => writeln!(out, "all is well")?,
        (0, _) => writeln!(out, "it works, with {}", counted(warnings, "warning"))?,
        _ => writeln!(out, "{}, {}", counted(faults, "fault"), counted(warnings, "warning"))?,
    }
    Ok(())
}

/// Could somebody else change what runs as this user?
fn is_open_to_others(path: &Path) -> bool {
    let mode = |path: &Path| fs::metadata(path).map_or(0, |meta| meta.mode());
    let folder = path.parent().map_or(0, mode);
    // In a folder like /tmp nobody can replace the files of others.
    (mode(path) | if folder & 0o1000 == 0 { folder } else { 0 }) & 0o022 != 0
}

fn binary(findings: &mut Findings) {
    let path = match std::env::current_exe() {
        Ok(path) => path,
        Err(error) => {
            return findings.fault("binary", format!("its path is unknown ({error})"), "start it by its path");
        }
    };
    let linked = match is_static(&path) {
        Some(true) => ", static",
        Some(false) => ", dynamically linked: the hook starts a little slower",
        None => "",
    };
    findings.ok("binary", format!("{} {}{linked}", path.display(), env!("CARGO_PKG_VERSION")));
    if is_open_to_others(&path) {
        let hint = format!("chmod go-w {} and its folder", path.display());
        findings.warn("binary", "it or its folder can be written by others: whoever does so runs as you", hint);
    }
}

/// Does an ELF program need no loader? `None` for other formats.
fn is_static(path: &Path) -> Option<bool> {
    const LOADER: u32 = 3; // PT_INTERP
    let mut head = Vec::new();
    fs::File::open(path).ok()?.take(4096).read_to_end(&mut head).ok()?;
    // 64 bits, least significant byte first.
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let number = |at: usize, bytes: usize| -> Option<u64> {
        let bytes = head.get(at..at + bytes)?;
        Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    };
    let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    let kind = |index: u64| number(usize::try_from(table + index * size).ok()?, 4);
    (0..count).map(kind).try_fold(true, |is_static, kind| Some(is_static && kind? != u64::from(LOADER)))
}

fn settings(findings: &mut Findings) {
    let path = config::path().map_or("no home".to_owned(), |path| path.display().to_string());
    match config::load() {
        Ok((_, true)) => findings.ok("config", path),
        Ok((_, false)) => findings.ok("config", format!("{path} (absent: defaults)")),
        Err(error) => findings.fault("config", format!("{error:#}"), config::HINT),
    }
}

fn denied(root: &Path, findings: &mut Findings) {
    let denied = Denied::of(root);
    let found = denied.found();
    for fault in &found.faults {
        findings.warn(
            "denied",
            format!("{fault}: Claude Code skips it; deny rules that can be made out in it are kept here"),
            "mend the file",
        );
    }
    if found.rules > 0 {
        let files: Vec<String> = found.files.iter().map(|file| file.display().to_string()).collect();
        let rules = super::output::counted(found.rules as u64, "Read rule");
        findings.ok("denied", format!("{rules} kept out of the graph, from {}", files.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_others_can_write_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("floorplan");
        fs::write(&file, "").unwrap();
        let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        mode(&file, 0o755);
        assert!(!is_open_to_others(&file));
        mode(folder.path(), 0o777);
        assert!(is_open_to_others(&file));
        mode(folder.path(), 0o1777);
        assert!(!is_open_to_others(&file));
        mode(&file, 0o775);
        assert!(is_open_to_others(&file));
    }

    #[test]
    fn a_program_that_needs_a_loader_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        let elf = |kinds: &[u8]| {
            let mut bytes = vec![0; 64 + 56 * kinds.len()];
            bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
            (bytes[32], bytes[54], bytes[56]) = (64, 56, kinds.len() as u8);
            for (index, kind) in kinds.iter().enumerate() {
                bytes[64 + 56 * index] = *kind;
            }
            fs::write(&file, bytes).unwrap();
            is_static(&file)
        };
        assert_eq!(elf(&[1, 1]), Some(true));
        assert_eq!(elf(&[1, 3, 1]), Some(false));
        fs::write(&file, b"\x7fELF\x02\x01").unwrap();
        assert_eq!(is_static(&file), None);
        fs::write(&file, "#!/bin/sh").unwrap();
        assert_eq!(is_static(&file), None);
    }
}
