//! The graph of the repository at hand, and what its hooks had to report.

use super::Findings;
use crate::cli::output::counted;
use crate::config;
use crate::freshness::Freshness;
use crate::graph::{self, identity};
use crate::index::{self, Options, Places, Quiet, SNAPSHOT, background};
use crate::repo::{self, Repo};
use crate::store::snapshot::{self, Identity, Snapshot};
use crate::store::{Reason, Refused};
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

pub(super) fn check(repo: &Repo, fix: bool, findings: &mut Findings) {
    let root = repo.root.display();
    let index = format!("floorplan -C {root} index");
    let found = graph::open(repo);
    let absent = found.as_ref().err().and_then(|error| error.downcast_ref::<Refused>());
    if absent.is_some_and(|refused| matches!(refused.reason, Reason::Absent | Reason::Incomplete)) {
        return findings.add("graph", super::Grade::Note, format!("{root} has none yet"), Some(index));
    }
    let fault = match &found {
        Err(error) => Some(format!("{error:#}")),
        Ok(_) => snapshot_fault(repo),
    };
    match (fault, fix) {
        (None, _) => {}
        (Some(fault), false) => return findings.fault("graph", fault, format!("floorplan doctor --fix, or {index}")),
        (Some(fault), true) => {
            return match rebuild(repo) {
                Ok(()) => findings.fixed("graph", format!("{root}: built anew ({fault})")),
                Err(error) => findings.fault("graph", format!("{fault}; {error:#}"), index),
            };
        }
    }
    let Ok(graph) = found else { return };
    let commit = graph.reader.meta().head.as_deref().map_or("no commit", |head| head.get(..12).unwrap_or(head));
    let symbols = counted(u64::try_from(graph.reader.meta().symbols).unwrap_or(0), "symbol");
    let running = graph::cache(repo).is_ok_and(|cache| background::is_running(&cache));
    let state = match graph.freshness {
        _ if running => "an index run is at work",
        Freshness::Fresh => "current",
        Freshness::Behind => "behind HEAD; the next session or read brings it up to date",
        _ => "freshness unknown",
    };
    findings.ok("graph", format!("{root}: {symbols} at {commit}, {state}"));
}

/// What keeps the hook from reading its form of the graph.
fn snapshot_fault(repo: &Repo) -> Option<String> {
    let (root, git_dir) = identity(repo);
    let path = graph::cache(repo).ok()?.join(SNAPSHOT);
    match Snapshot::open(&path, &Identity { root: &root, git_dir: &git_dir }) {
        Ok(_) => None,
        Err(snapshot::Refused::Absent) => Some("the hook's form of the graph is missing".to_owned()),
        Err(reason) => Some(format!("the hook's form of the graph is refused ({reason:?})")),
    }
}

fn rebuild(repo: &Repo) -> Result<()> {
    let (config, _) = config::load()?;
    let places = Places::of(repo)?;
    let Some(_lock) = background::lock(&places.graph)? else { bail!("an index run is at work") };
    index::index(repo, &places, &Options { config, full: true, ..Options::default() }, &Quiet)?;
    Ok(())
}

/// Log entries older than this are history.
const RECENT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Reasons that are shown.
const MAX_REASONS: usize = 5;

/// The log is kept shorter.
const MAX_LOG: usize = 1 << 20;

/// A reason in the log.
#[derive(Default)]
struct Seen {
    times: u64,
    /// Seconds since 1970.
    last: u64,
}

/// What the hook and index runs noted: why they said nothing, and which hooks were slow.
pub(super) fn log(repo: &Repo, findings: &mut Findings) {
    let Some(text) = repo::cache_dir(repo).and_then(|cache| repo::read_file(&cache.join("log"), MAX_LOG)) else {
        return;
    };
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (reasons, mut slow) = entries(&String::from_utf8_lossy(&text), now.saturating_sub(RECENT.as_secs()));
    let ago = |last: u64| super::super::status::ago(now.saturating_sub(last));
    let mut by_time: Vec<(&str, &Seen)> = reasons.iter().map(|(reason, seen)| (reason.as_str(), seen)).collect();
    by_time.sort_by_key(|(reason, seen)| (std::cmp::Reverse(seen.last), *reason));
    for (reason, seen) in by_time.iter().take(MAX_REASONS) {
        let said = format!("{reason}: {}, last {} ago", counted(seen.times, "time"), ago(seen.last));
        findings.warn("log", said, hint(reason));
    }
    slow.sort_by_key(|(milliseconds, _)| std::cmp::Reverse(*milliseconds));
    if let Some((most, _)) = slow.first() {
        let shown: Vec<String> = slow.iter().take(3).map(|(ms, what)| format!("{ms} ms ({what})")).collect();
        let said =
            format!("{} in the last week, the slowest {}", counted(slow.len() as u64, "slow hook"), shown.join(", "));
        match most {
            ..250 => findings.note("log", said),
            _ => findings.warn("log", said, "a busy disk or machine; floorplan explain FILE shows where time goes"),
        }
    }
}

/// Reasons by what they say, and slow hooks with their milliseconds, both since `oldest`.
fn entries(text: &str, oldest: u64) -> (BTreeMap<String, Seen>, Vec<(u64, String)>) {
    let mut reasons: BTreeMap<String, Seen> = BTreeMap::new();
    let mut slow = Vec::new();
    for line in text.lines() {
        let Some((time, reason)) = line.split_once(' ') else { continue };
        let Some(time) = time.parse().ok().filter(|time: &u64| *time >= oldest) else { continue };
        if let Some((ms, what)) = reason.strip_prefix("hook: slow: ").and_then(|rest| rest.split_once(" ms, "))
            && let Ok(ms) = ms.parse()
        {
            slow.push((ms, what.to_owned()));
            continue;
        }
        let seen = reasons.entry(reason.to_owned()).or_default();
        seen.times += 1;
        seen.last = seen.last.max(time);
    }
    (reasons, slow)
}

fn hint(reason: &str) -> &'static str {
    if reason.contains("refused") {
        "floorplan doctor --fix builds the graph anew if it is damaged"
    } else if reason.contains("out of time") {
        "a busy disk or machine; floorplan explain FILE shows where time goes"
    } else if reason.starts_with("index:") {
        "floorplan index says it again, with what to do"
    } else {
        "a fault of floorplan's: please report it"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_summed_up() {
        let text = "5 hook: panic\n100 hook: out of time\n110 hook: out of time\n105 hook: slow: 87 ms, Read\n\
            x hook: panic\nhook\n\n120 hook: slow: many ms, Read\n";
        let (reasons, slow) = entries(text, 10);
        let reasons: Vec<_> = reasons.iter().map(|(reason, seen)| (reason.as_str(), seen.times, seen.last)).collect();
        assert_eq!(reasons, [("hook: out of time", 2, 110), ("hook: slow: many ms, Read", 1, 120)]);
        assert_eq!(slow, [(87, "Read".to_owned())]);
    }
}
