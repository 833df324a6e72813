//! The small integers that stand for the model's enums in the database.
//!
//! They are written out here, not taken from the order of the enums: reordering an enum must not change the meaning of
//! a database that is already on somebody's disk.

use crate::model::{DefKind, DynamicExit, DynamicKind, EdgeKind, Resolution};
use std::fmt::Write;

const EDGE_KINDS: [EdgeKind; 9] = [
    EdgeKind::Call,
    EdgeKind::Construct,
    EdgeKind::Decorate,
    EdgeKind::Inherit,
    EdgeKind::Implement,
    EdgeKind::Import,
    EdgeKind::Type,
    EdgeKind::Read,
    EdgeKind::Value,
];

const DEF_KINDS: [DefKind; 14] = [
    DefKind::Class,
    DefKind::Interface,
    DefKind::Enum,
    DefKind::Record,
    DefKind::Annotation,
    DefKind::Function,
    DefKind::Method,
    DefKind::Constructor,
    DefKind::Field,
    DefKind::EnumMember,
    DefKind::Variable,
    DefKind::TypeAlias,
    DefKind::Namespace,
    DefKind::Object,
];

const AMBIGUOUS: i64 = 6;

pub(crate) fn edge_kind(kind: EdgeKind) -> i64 {
    EDGE_KINDS.iter().position(|other| *other == kind).unwrap_or_default() as i64
}

/// `None` for a code that no version of ours has written.
pub(crate) fn to_edge_kind(code: i64) -> Option<EdgeKind> {
    EDGE_KINDS.get(usize::try_from(code).ok()?).copied()
}

pub(crate) fn def_kind(kind: DefKind) -> i64 {
    DEF_KINDS.iter().position(|other| *other == kind).unwrap_or_default() as i64
}

/// `None` for a code that no version of ours has written.
pub(crate) fn to_def_kind(code: i64) -> Option<DefKind> {
    DEF_KINDS.get(usize::try_from(code).ok()?).copied()
}

pub(crate) fn resolution(resolution: Resolution) -> i64 {
    match resolution {
        Resolution::SameScope => 0,
        Resolution::Imported => 1,
        Resolution::TypedReceiver => 2,
        Resolution::Inherited => 3,
        Resolution::Override => 4,
        Resolution::UniqueName => 5,
        Resolution::Ambiguous(among) => AMBIGUOUS + i64::from(among),
    }
}

/// `None` for a code that no version of ours has written.
pub(crate) fn to_resolution(code: i64) -> Option<Resolution> {
    match code {
        0 => Some(Resolution::SameScope),
        1 => Some(Resolution::Imported),
        2 => Some(Resolution::TypedReceiver),
        3 => Some(Resolution::Inherited),
        4 => Some(Resolution::Override),
        5 => Some(Resolution::UniqueName),
        _ => u8::try_from(code - AMBIGUOUS).ok().map(Resolution::Ambiguous),
    }
}

/// Line ranges as text: `3-9,20-20`.
pub(crate) fn ranges(ranges: &[(u32, u32)]) -> String {
    let parts: Vec<String> = ranges.iter().map(|(first, last)| format!("{first}-{last}")).collect();
    parts.join(",")
}

/// The inverse of [`ranges`]; parts that are not ranges are left out.
pub(crate) fn to_ranges(text: &str) -> Vec<(u32, u32)> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-')?;
        Some((first.parse().ok()?, last.parse().ok()?))
    };
    text.split(',').filter_map(range).collect()
}

/// Dynamic exits as text: `g12,r40`.
pub(crate) fn dynamic(exits: &[DynamicExit]) -> String {
    let mut text = String::new();
    for exit in exits {
        let letter = match exit.kind {
            DynamicKind::Getattr => 'g',
            DynamicKind::Reflection => 'r',
        };
        let comma = if text.is_empty() { "" } else { "," };
        // Writing to a String cannot fail.
        let _ = write!(text, "{comma}{letter}{}", exit.line);
    }
    text
}

/// The lines of [`dynamic`].
pub(crate) fn to_dynamic_lines(text: &str) -> Vec<u32> {
    text.split(',').filter_map(|part| part.trim_start_matches(['g', 'r']).parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_reads_back_as_what_was_written() {
        for kind in EdgeKind::ALL {
            assert_eq!(to_edge_kind(edge_kind(kind)), Some(kind));
        }
        for kind in DEF_KINDS {
            assert_eq!(to_def_kind(def_kind(kind)), Some(kind));
        }
        use Resolution::*;
        for how in [SameScope, Imported, TypedReceiver, Inherited, Override, UniqueName, Ambiguous(0), Ambiguous(255)] {
            assert_eq!(to_resolution(resolution(how)), Some(how));
            // schema.sql says so, and SQL that is written later will build on it.
            assert_eq!(resolution(how) < 4, how.is_resolved(), "{how:?}");
        }
    }

    #[test]
    fn unknown_codes_are_nothing() {
        assert_eq!(to_edge_kind(9), None);
        assert_eq!(to_def_kind(-1), None);
        assert_eq!(to_resolution(AMBIGUOUS + 256), None);
        assert_eq!(to_resolution(-1), None);
    }

    #[test]
    fn ranges_read_back_and_damage_is_left_out() {
        assert_eq!(to_ranges(&ranges(&[(3, 9), (20, 20)])), [(3, 9), (20, 20)]);
        assert_eq!(to_ranges(""), []);
        assert_eq!(to_ranges("3-,x,7-8"), [(7, 8)]);
    }
}
