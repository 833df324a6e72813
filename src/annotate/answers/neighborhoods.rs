//! Neighborhoods as text: one a line, or one with its members.

use super::Names;
use crate::annotate::text::Text;
use crate::annotate::uses::cohesion;
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
    let permille = one.cohesion.map(|cohesion| (cohesion * 1000.0).round() as i16);
    let cohesion = cohesion(Text::default(), permille).finish();
    let entries: Vec<String> = one.entry_points.iter().map(|path| names.path(path)).collect();
    let entries = if entries.is_empty() { String::new() } else { format!(", entry {}", entries.join(", ")) };
    format!("{label}: {} files{cohesion}{entries}", one.files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_neighborhood_with_a_way_out_is_never_whole() {
        let of = |cohesion: f64| {
            let one = Neighborhood { label: "a".into(), files: 3, cohesion: Some(cohesion), entry_points: Vec::new() };
            neighborhoods(&[one], Names::terminal(str::to_string)).remove(0)
        };
        assert_eq!(of(0.999), "a: 3 files, cohesion 0.99");
        assert_eq!(of(0.29), "a: 3 files, cohesion 0.29", "no binary fraction of it is lost");
        assert_eq!(of(1.0), "a: 3 files, cohesion 1.00");
    }
}
