//! `floorplan verify`: is the graph the one that a full pass over the files would make?

use super::output::{clean, counted};
use super::{Cli, DONE, NOTHING_FOUND};
use crate::config;
use crate::graph::{self, identity};
use crate::index::{self, DATABASE, Options, Places, Quiet, SNAPSHOT, background};
use crate::query::dump::dump;
use crate::query::status::recorded;
use crate::store::Reader;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_128;

/// Where the full pass is made, in the cache folder of the graph.
const FOLDER: &str = "verify";

/// Differences that are shown.
const MAX_SHOWN: usize = 20;

#[derive(clap::Args)]
pub(super) struct VerifyArgs {
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    jobs: usize,
}

/// Exit code 1 with the differences if there are any.
pub(super) fn run(cli: &Cli, args: &VerifyArgs, out: &mut dyn Write) -> Result<u8> {
    let repo = cli.repo(None)?;
    let (config, _) = config::load()?;
    let places = Places::of(&repo)?;
    let Some(_lock) = background::lock(&places.graph)? else {
        bail!("an index of {} is running; wait for it", repo.root.display());
    };
    let kept = graph::open(&repo)?;
    let beside = Beside::make(&places.graph)?;
    let full = Places { graph: beside.0.clone(), facts: beside.0.clone() };
    // Files that were only touched are what they were.
    let recorded = recorded(&kept.reader)?;
    let options = Options { jobs: args.jobs, config, full: true, recorded, ..Options::default() };
    index::index(&repo, &full, &options, &Quiet).with_context(|| format!("indexing {}", repo.root.display()))?;
    let (root, git_dir) = identity(&repo);
    let full_reader = Reader::open(&full.graph.join(DATABASE), &root, &git_dir)?;

    let mut counts: BTreeMap<u128, i64> = BTreeMap::new();
    let mut lines = 0u64;
    each_line(&kept.reader, &mut |line| *counts.entry(xxh3_128(line.as_bytes())).or_default() -= 1)?;
    each_line(&full_reader, &mut |line| {
        lines += 1;
        *counts.entry(xxh3_128(line.as_bytes())).or_default() += 1;
    })?;
    counts.retain(|_, count| *count != 0);
    let (mut missing, mut extra) = (Vec::new(), Vec::new());
    each_line(&full_reader, &mut |line| collect(line, &mut counts, &mut missing, 1))?;
    each_line(&kept.reader, &mut |line| collect(line, &mut counts, &mut extra, -1))?;
    for line in missing.iter().take(MAX_SHOWN) {
        writeln!(out, "missing  {}", clean(line))?;
    }
    for line in extra.iter().take(MAX_SHOWN) {
        writeln!(out, "extra    {}", clean(line))?;
    }
    let same_snapshot = same_bytes(&places.graph.join(SNAPSHOT), &full.graph.join(SNAPSHOT));
    if missing.is_empty() && extra.is_empty() && same_snapshot {
        writeln!(out, "the graph is what a full pass makes: {}", counted(lines, "line"))?;
        return Ok(DONE);
    }
    if missing.is_empty() && extra.is_empty() {
        writeln!(out, "the hook's snapshot is not what a full pass makes")?;
    } else {
        let (missing, extra) = (missing.len(), extra.len());
        writeln!(out, "{missing} lines are missing and {extra} are there that a full pass does not make")?;
    }
    writeln!(out, "if files were changed since the last index, that is why: `floorplan status`")?;
    Ok(NOTHING_FOUND)
}

/// Hands over every line of the dump.
fn each_line(reader: &Reader, take: &mut dyn FnMut(&str)) -> Result<()> {
    dump(reader, &mut |line| {
        take(&serde_json::to_string(line)?);
        Ok(())
    })
}

/// Keeps a line that one side has more often.
fn collect(line: &str, counts: &mut BTreeMap<u128, i64>, into: &mut Vec<String>, side: i64) {
    if let Some(count) = counts.get_mut(&xxh3_128(line.as_bytes()))
        && count.signum() == side
    {
        *count -= side;
        into.push(line.to_owned());
    }
}

fn same_bytes(a: &Path, b: &Path) -> bool {
    fs::read(a).ok().zip(fs::read(b).ok()).is_some_and(|(a, b)| a == b)
}

/// A folder of ours that is gone when it is dropped.
struct Beside(PathBuf);

impl Beside {
    fn make(cache: &Path) -> Result<Beside> {
        let folder = cache.join(FOLDER);
        // What a killed run left. Whatever else is there stays, and making the folder fails.
        let _ = fs::remove_dir_all(&folder);
        DirBuilder::new().mode(0o700).create(&folder).with_context(|| format!("creating {}", folder.display()))?;
        Ok(Beside(folder))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
