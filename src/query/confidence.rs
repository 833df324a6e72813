//! How often an edge is right, as measured: `measured.tsv` holds, for each language and grade, how many edges a compiler or
//! type checker agreed with (`tests/bench/grades.py` says what that means). No number here was chosen.

use crate::model::{Language, Resolution};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Grades that were judged less often in a language say little there: all languages together answer for them.
const ENOUGH: u64 = 50;

/// Edges that are right, and that were judged.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    right: u64,
    judged: u64,
}

/// By language and grade.
type Measured = BTreeMap<(&'static str, &'static str), Counts>;

static MEASURED: LazyLock<Measured> = LazyLock::new(|| {
    let rows = include_str!("measured.tsv").lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        let key = (cells.next()?, cells.next()?);
        let counts = Counts { right: cells.next()?.parse().ok()?, judged: cells.next()?.parse().ok()? };
        Some((key, counts))
    };
    rows.filter_map(row).collect()
});

/// The share of edges of this grade that are right, from 0 to 1: the lower end of its 95 % interval (Wilson, J. Am. Stat.
/// Assoc. 22, 1927), to three places. `None` for a language in which nothing was measured.
pub fn confidence(language: &str, resolution: Resolution) -> Option<f64> {
    of_grade(language, resolution.name())
}

/// The confidence of every grade in a language; empty if nothing was measured in it.
pub fn by_grade(language: &str) -> BTreeMap<&'static str, f64> {
    let grades = MEASURED.keys().map(|(_, grade)| *grade);
    grades.filter_map(|grade| Some((grade, of_grade(language, grade)?))).collect()
}

fn of_grade(language: &str, grade: &str) -> Option<f64> {
    // What was measured holds for the family.
    let named = Language::ALL.into_iter().find(|known| known.name() == language);
    let language = named.map_or(language, |named| named.family().name());
    if !MEASURED.keys().any(|(known, _)| *known == language) {
        return None;
    }
    let own = MEASURED.iter().filter(|((of, name), _)| *of == language && *name == grade);
    let all = MEASURED.iter().filter(|((_, name), _)| *name == grade);
    let own = sum(own.map(|(_, counts)| *counts));
    let counts = if own.judged >= ENOUGH { own } else { sum(all.map(|(_, counts)| *counts)) };
    (counts.judged > 0).then(|| lower_bound(counts))
}

fn sum(counts: impl Iterator<Item = Counts>) -> Counts {
    counts.fold(Counts::default(), |a, b| Counts { right: a.right + b.right, judged: a.judged + b.judged })
}

/// Of the Wilson score interval at 95 %.
fn lower_bound(counts: Counts) -> f64 {
    const Z: f64 = 1.96;
    let n = counts.judged as f64;
    let share = counts.right as f64 / n;
    let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let bound = (share + Z * Z / (2.0 * n) - spread) / (1.0 + Z * Z / n);
    (bound.max(0.0) * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_well_formed() {
        let lines = include_str!("measured.tsv").lines().filter(|line| !line.starts_with('#'));
        assert_eq!(MEASURED.len(), lines.count());
        assert!(MEASURED.values().all(|counts| counts.right <= counts.judged && counts.judged > 0));
    }

    #[test]
    fn the_bound_is_wilsons() {
        // Worked examples: 95 of 100 and 1 of 1.
        assert_eq!(lower_bound(Counts { right: 95, judged: 100 }), 0.888);
        assert_eq!(lower_bound(Counts { right: 1, judged: 1 }), 0.207);
        assert_eq!(lower_bound(Counts { right: 0, judged: 10 }), 0.0);
    }

    /// What "resolved" and "possible" mean must show in the numbers.
    #[test]
    fn resolved_grades_are_better_than_possible_ones() {
        for language in ["python", "java"] {
            let of = |resolution| confidence(language, resolution).unwrap();
            for resolved in
                [Resolution::SameScope, Resolution::Imported, Resolution::TypedReceiver, Resolution::Inherited]
            {
                assert!(of(resolved) > 0.9, "{language} {resolved:?}");
                for possible in [Resolution::Override, Resolution::UniqueName, Resolution::Ambiguous(2)] {
                    assert!(of(resolved) > of(possible), "{language} {resolved:?} {possible:?}");
                }
            }
        }
        assert_eq!(confidence("cobol", Resolution::SameScope), None);
    }
}
