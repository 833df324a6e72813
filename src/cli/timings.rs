//! What each stage of an index run cost: CPU time of all threads, and the most memory that the process had held by its end.
//!
//! CPU time and not wall time: it says the same on a machine that does other things too.

use crate::index::Progress;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use std::sync::{Mutex, PoisonError};

/// Passes everything on, and looks at the clock where a stage begins.
pub(super) struct Timings<'p> {
    inner: &'p dyn Progress,
    begun: Mutex<Vec<Begun>>,
}

struct Begun {
    stage: String,
    cpu: f64,
    peak: u64,
}

/// The cost of one stage.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Stage {
    pub(super) stage: String,
    pub(super) cpu_seconds: f64,
    /// Of the process up to here; 0 where the system does not say.
    pub(super) peak_kib: u64,
}

impl<'p> Timings<'p> {
    pub(super) fn new(inner: &'p dyn Progress) -> Timings<'p> {
        Timings { inner, begun: Mutex::default() }
    }

    /// The stages up to now, in order.
    pub(super) fn stages(&self) -> Vec<Stage> {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Begun::now(String::new());
        let ends = begun.iter().skip(1).chain([&now]);
        begun
            .iter()
            .zip(ends)
            .map(|(from, to)| Stage { stage: from.stage.clone(), cpu_seconds: to.cpu - from.cpu, peak_kib: to.peak })
            .collect()
    }
}

impl Progress for Timings<'_> {
    fn stage(&self, name: &str, total: u64) {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).push(Begun::now(name.to_owned()));
        self.inner.stage(name, total);
    }

    fn tick(&self, n: u64) {
        self.inner.tick(n);
    }
}

impl Begun {
    fn now(stage: String) -> Begun {
        let cpu = clock_gettime(ClockId::ProcessCPUTime);
        Begun { stage, cpu: cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9, peak: peak_kib().unwrap_or_default() }
    }
}

/// The most memory that this process held, as Linux tells it.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Quiet;

    #[test]
    fn each_stage_has_its_own_time() {
        let timings = Timings::new(&Quiet);
        timings.stage("one", 0);
        let begun = Begun::now(String::new()).cpu;
        while Begun::now(String::new()).cpu - begun < 0.01 {}
        timings.stage("two", 0);
        let stages = timings.stages();
        assert_eq!(stages.iter().map(|stage| stage.stage.as_str()).collect::<Vec<_>>(), ["one", "two"]);
        assert!(stages[0].cpu_seconds >= 0.01 && stages[0].peak_kib > 0, "{stages:?}");
    }
}
