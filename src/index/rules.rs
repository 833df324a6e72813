//! What an index run leaves in the cache folder about the deny rules that it kept: a stamp of the settings, which the hook
//! compares at the start of a session, and a hash of the rules, which tells the next run that older results may hold what is
//! denied now.

use super::scan::denied::Found;
use crate::repo;
use std::path::Path;

/// Did the last run keep other rules?
pub(super) fn changed(cache: &Path, found: &Found) -> bool {
    let noted = repo::read_file(&cache.join(repo::RULES), 256);
    noted.is_some_and(|noted| noted.split(|byte| *byte == b'\n').nth(1) != Some(hash(found).as_bytes()))
}

/// Notes the rules of this run. `stamp` is of the settings as they were before they were read.
pub(super) fn note(cache: &Path, stamp: &str, found: &Found) {
    // Without it the next session starts a run, which finds nothing to do.
    let _ = repo::overwrite(&cache.join(repo::RULES), format!("{stamp}\n{}\n", hash(found)).as_bytes());
}

fn hash(found: &Found) -> String {
    format!("{:016x}", found.hash)
}
