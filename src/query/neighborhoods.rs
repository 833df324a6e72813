//! Which files belong together, how far to trust the border, and where to enter? See `index::neighborhoods` for what the
//! numbers are.

use crate::store::Reader;
use anyhow::{Context, Result};
use rusqlite::{OptionalExtension, Row};
use serde::Serialize;

/// A neighborhood in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Neighborhood {
    /// Its directory, or its most central file.
    pub label: String,
    pub files: u32,
    /// 1 - conductance: 1 where no use crosses the border; null without any use.
    pub cohesion: Option<f64>,
    /// Members that files outside use, most files first; at most three.
    pub entry_points: Vec<String>,
}

/// A member of a neighborhood.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Member {
    pub path: String,
    /// (internal - external) / all uses, from -1 to 1; null without any use.
    pub membership: Option<f64>,
    pub standing: Standing,
}

/// What a membership says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    Inside,
    /// About as much outside as inside.
    Bridge,
    /// More outside than inside: it may belong elsewhere.
    Misplaced,
    /// Tied by history or directory only.
    Unused,
}

/// One neighborhood, whole.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Whole {
    #[serde(flatten)]
    pub neighborhood: Neighborhood,
    /// By membership, highest first.
    pub members: Vec<Member>,
}

/// How near to 0 the membership of a bridge is.
const BRIDGE: f64 = 0.2;

impl Standing {
    fn of(membership: Option<f64>) -> Standing {
        match membership {
            None => Standing::Unused,
            Some(membership) if membership < -BRIDGE => Standing::Misplaced,
            Some(membership) if membership <= BRIDGE => Standing::Bridge,
            Some(_) => Standing::Inside,
        }
    }
}

/// All neighborhoods, the largest first.
///
/// # Errors
/// What SQLite says.
pub fn neighborhoods(reader: &Reader) -> Result<Vec<Neighborhood>> {
    let ask = || -> rusqlite::Result<Vec<Neighborhood>> {
        let sql = "SELECT c.id, c.label, count(*), c.cohesion FROM community c JOIN member m ON m.community = c.id
            GROUP BY c.id ORDER BY count(*) DESC, c.id";
        let rows: Vec<(i64, Neighborhood)> =
            reader.connection().prepare(sql)?.query_map([], row)?.collect::<rusqlite::Result<_>>()?;
        rows.into_iter().map(|(id, row)| with_entries(reader, id, row)).collect()
    };
    ask().context("asking for neighborhoods")
}

/// The neighborhood of a file, given from the root; `None` if it is in none.
///
/// # Errors
/// What SQLite says.
pub fn neighborhood(reader: &Reader, path: &str) -> Result<Option<Whole>> {
    let ask = || -> rusqlite::Result<Option<Whole>> {
        let sql = "SELECT c.id, c.label, (SELECT count(*) FROM member WHERE community = c.id), c.cohesion
            FROM file f JOIN member m ON m.file = f.id JOIN community c ON c.id = m.community WHERE f.path = ?1";
        let Some((id, found)) = reader.connection().query_row(sql, [path], row).optional()? else { return Ok(None) };
        let sql = "SELECT f.path, m.membership FROM member m JOIN file f ON f.id = m.file WHERE m.community = ?1
            ORDER BY m.membership DESC NULLS LAST, f.path";
        let member = |row: &Row<'_>| {
            let membership = share(row.get(1)?);
            Ok(Member { path: row.get(0)?, membership, standing: Standing::of(membership) })
        };
        let members = reader.connection().prepare(sql)?.query_map([id], member)?.collect::<rusqlite::Result<_>>()?;
        Ok(Some(Whole { neighborhood: with_entries(reader, id, found)?, members }))
    };
    ask().with_context(|| format!("asking for the neighborhood of {path}"))
}

fn row(row: &Row<'_>) -> rusqlite::Result<(i64, Neighborhood)> {
    let cohesion = share(row.get(3)?);
    Ok((row.get(0)?, Neighborhood { label: row.get(1)?, files: row.get(2)?, cohesion, entry_points: Vec::new() }))
}

fn share(permille: Option<i64>) -> Option<f64> {
    permille.map(|permille| permille as f64 / 1000.0)
}

fn with_entries(reader: &Reader, id: i64, neighborhood: Neighborhood) -> rusqlite::Result<Neighborhood> {
    let sql = "SELECT f.path FROM entry_point e JOIN file f ON f.id = e.file WHERE e.community = ?1 ORDER BY e.rank";
    let mut statement = reader.connection().prepare_cached(sql)?;
    let entry_points = statement.query_map([id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(Neighborhood { entry_points, ..neighborhood })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sample;

    #[test]
    fn neighborhoods_are_listed_with_their_doors() {
        let (_folder, reader) = sample::reader(sample::SHOP);
        let all = neighborhoods(&reader).unwrap();
        assert_eq!(all.iter().map(|one| (one.label.as_str(), one.files)).collect::<Vec<_>>(), [("app", 2)]);
        assert_eq!(all[0].cohesion, Some(0.75));
        assert_eq!(all[0].entry_points, ["app/models.py"]);
    }

    #[test]
    fn members_stand_by_how_much_they_belong() {
        let (_folder, reader) = sample::reader(sample::SHOP);
        let whole = neighborhood(&reader, "app/models.py").unwrap().unwrap();
        let members: Vec<_> = whole.members.iter().map(|member| (member.path.as_str(), member.standing)).collect();
        assert_eq!(members, [("app/models.py", Standing::Inside), ("app/views.py", Standing::Misplaced)]);
        assert_eq!(neighborhood(&reader, "tests/test_models.py").unwrap(), None);
    }

    #[test]
    fn a_membership_near_nothing_is_a_bridge() {
        let standings = [None, Some(-1.0), Some(-0.2), Some(0.0), Some(0.2), Some(0.3)].map(Standing::of);
        use Standing::*;
        assert_eq!(standings, [Unused, Misplaced, Bridge, Bridge, Bridge, Inside]);
    }
}
