//! Neighborhoods as text: one a line, or one with its members.

use super::Names;
use crate::query::neighborhoods::{Neighborhood, Standing, Whole};

pub fn neighborhoods(all: &[Neighborhood], names: Names) -> Vec<String> {
    if all.is_empty() {
        return vec!["no neighborhoods: no two files use each other".into()];
    }
    all.iter().map(|one| headline(one, names)).collect()
}

/// Of the file at `path`; members by how much they belong to it.
pub fn neighborhood(path: &str, whole: Option<&Whole>, names: Names) -> Vec<String> {
    let Some(whole) = whole else {
        return vec![format!("{} is in no neighborhood: tests and files without uses are not", names.path(path))];
    };
    let mut lines = vec![headline(&whole.neighborhood, names)];
    for member in &whole.members {
        let note = match member.standing {
            Standing::Inside => "",
            Standing::Bridge => "  a bridge: as much outside as inside",
            Standing::Misplaced => "  more outside than inside",
            Standing::Unused => "  no uses; tied by directory or history",
        };
        let membership = member.membership.map_or("     ".to_owned(), |share| format!("{share:+.2}"));
        lines.push(format!("  {membership}  {}{note}", names.path(&member.path)));
    }
    lines
}

/// `src/billing: 12 files, cohesion 0.87, entry src/billing/invoice.py`
fn headline(one: &Neighborhood, names: Names) -> String {
    let label = if one.label.is_empty() { ".".into() } else { names.path(&one.label) };
    let cohesion = one.cohesion.map_or_else(String::new, |cohesion| format!(", cohesion {cohesion:.2}"));
    let entries: Vec<String> = one.entry_points.iter().map(|path| names.path(path)).collect();
    let entries = if entries.is_empty() { String::new() } else { format!(", entry {}", entries.join(", ")) };
    format!("{label}: {} files{cohesion}{entries}", one.files)
}
