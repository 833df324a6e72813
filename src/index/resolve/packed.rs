//! Rows of numbers as bytes of fixed width: read and written many times faster than field by field.

use super::edges::RawEdge;
use super::outcome::Missed;
use super::types::Def;
use super::world::Listing;
use crate::model::{EdgeKind, Resolution};
use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// A row of fixed width.
pub(crate) trait Row: Sized {
    const LEN: usize;
    fn put(&self, bytes: &mut Vec<u8>);
    /// `bytes` has [`Row::LEN`] of them; `None` for what [`Row::put`] never writes.
    fn get(bytes: &[u8]) -> Option<Self>;
}

pub(crate) fn serialize<R: Row, S: Serializer>(rows: &[R], serializer: S) -> Result<S::Ok, S::Error> {
    let mut bytes = Vec::with_capacity(rows.len() * R::LEN);
    rows.iter().for_each(|row| row.put(&mut bytes));
    serializer.serialize_bytes(&bytes)
}

pub(crate) fn deserialize<'de, R: Row, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<R>, D::Error> {
    deserializer.deserialize_bytes(Rows(PhantomData))
}

struct Rows<R>(PhantomData<R>);

impl<R: Row> Visitor<'_> for Rows<R> {
    type Value = Vec<R>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rows")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        let rows = bytes.chunks_exact(R::LEN);
        if !rows.remainder().is_empty() {
            return Err(E::custom("half a row"));
        }
        let mut unpacked = Vec::with_capacity(rows.len());
        for row in rows {
            unpacked.push(R::get(row).ok_or_else(|| E::custom("no row of ours"))?);
        }
        Ok(unpacked)
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Absent numbers are the largest.
fn put_maybe(number: Option<u32>, bytes: &mut Vec<u8>) {
    bytes.extend(number.unwrap_or(u32::MAX).to_le_bytes());
}

fn maybe(bytes: &[u8], at: usize) -> Option<Option<u32>> {
    number(bytes, at).map(|number| (number != u32::MAX).then_some(number))
}

impl Row for u32 {
    const LEN: usize = 4;

    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> Option<u32> {
        number(bytes, 0)
    }
}

fn kind(code: u8) -> Option<EdgeKind> {
    EdgeKind::ALL.into_iter().find(|kind| *kind as u8 == code)
}

impl Row for RawEdge {
    const LEN: usize = 19;

    fn put(&self, bytes: &mut Vec<u8>) {
        for number in [self.line, self.callee.file, self.callee.def] {
            bytes.extend(number.to_le_bytes());
        }
        put_maybe(self.caller, bytes);
        let (grade, among) = match self.resolution {
            Resolution::SameScope => (0, 0),
            Resolution::Imported => (1, 0),
            Resolution::TypedReceiver => (2, 0),
            Resolution::Inherited => (3, 0),
            Resolution::Override => (4, 0),
            Resolution::UniqueName => (5, 0),
            Resolution::Ambiguous(among) => (6, among),
        };
        bytes.extend([self.kind as u8, grade, among]);
    }

    fn get(bytes: &[u8]) -> Option<RawEdge> {
        let resolution = match (bytes.get(17)?, bytes.get(18)?) {
            (0, 0) => Resolution::SameScope,
            (1, 0) => Resolution::Imported,
            (2, 0) => Resolution::TypedReceiver,
            (3, 0) => Resolution::Inherited,
            (4, 0) => Resolution::Override,
            (5, 0) => Resolution::UniqueName,
            (6, among) => Resolution::Ambiguous(*among),
            _ => return None,
        };
        let callee = Def { file: number(bytes, 4)?, def: number(bytes, 8)? };
        let (line, caller, kind) = (number(bytes, 0)?, maybe(bytes, 12)?, kind(*bytes.get(16)?)?);
        Some(RawEdge { line, callee, kind, resolution, caller })
    }
}

impl Row for Missed {
    const LEN: usize = 14;

    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.line.to_le_bytes());
        bytes.extend(self.name.to_le_bytes());
        put_maybe(self.caller, bytes);
        bytes.extend([self.kind as u8, u8::from(self.external) | u8::from(self.member) << 1]);
    }

    fn get(bytes: &[u8]) -> Option<Missed> {
        let (line, name, caller) = (number(bytes, 0)?, number(bytes, 4)?, maybe(bytes, 8)?);
        let flags = *bytes.get(13)?;
        let (external, member) = (flags & 1 != 0, flags & 2 != 0);
        Some(Missed { line, name, caller, kind: kind(*bytes.get(12)?)?, external, member })
    }
}

impl Row for Listing {
    const LEN: usize = 16;

    fn put(&self, bytes: &mut Vec<u8>) {
        let (key, def, (least, most)) = (self.key, self.def(), self.arity());
        bytes.extend(key.to_le_bytes());
        bytes.extend(def.to_le_bytes());
        bytes.extend(least.to_le_bytes());
        bytes.extend(most.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> Option<Listing> {
        let key = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
        let short = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
        Some(Listing::new(key, number(bytes, 8)?, (short(12)?, short(14)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back<R: Row>(row: &R) -> R {
        let mut bytes = Vec::new();
        row.put(&mut bytes);
        assert_eq!(bytes.len(), R::LEN);
        R::get(&bytes).unwrap()
    }

    #[test]
    fn rows_read_back_as_they_were_written() {
        use Resolution::*;
        for kind in EdgeKind::ALL {
            for resolution in [SameScope, Imported, TypedReceiver, Inherited, Override, UniqueName, Ambiguous(7)] {
                for caller in [None, Some(0), Some(9)] {
                    let edge = RawEdge { line: 1, callee: Def { file: 2, def: 3 }, kind, resolution, caller };
                    assert_eq!(back(&edge), edge);
                }
            }
            for (external, member) in [(true, false), (false, true), (true, true)] {
                let missed = Missed { line: 1, name: 2, caller: Some(3), kind, external, member };
                assert_eq!(back(&missed), missed);
            }
        }
        let listing = Listing::new(u64::MAX - 5, 7, (1, u16::MAX));
        assert_eq!(back(&listing), listing);
        assert!(RawEdge::get(&[9; 19]).is_none());
    }
}
