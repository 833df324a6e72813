//! Which files a term stands in, as one blob a term: few rows, three bytes a file.
//!
//! ```text
//! postings: number of files, then of each file: id - id before, mask, counts
//! lengths:  of each file: id within its part (a byte), length of each field
//! ```
//! Numbers are LEB128 but where a byte is said; ids ascend. The mask has a bit for each field with a count; its bit 6 says that
//! all of them are 1 and left out, else a byte for each follows.

use crate::model::{Counts, FIELDS};
use std::collections::BTreeMap;

/// Files of one row of lengths.
const PART: u32 = 256;

/// Bit of the mask: every count is 1.
const ONES: u8 = 1 << 6;

/// How many terms each field of a file has.
pub(crate) type Lengths = [u32; FIELDS];

/// Terms are put together in so many slices of their hashes, one after the other, so that not all postings are held at once.
const SLICES: u32 = 16;

/// The postings of documents, given as ids in order with their terms by hash; by hash.
pub(crate) fn of_terms<'d>(documents: &[(u32, &'d [(u32, Counts)])]) -> impl Iterator<Item = (u32, Vec<u8>)> {
    let slice = move |number: u32| {
        let slice_of = |term: &(u32, Counts)| term.0 / (u32::MAX / SLICES + 1);
        let mut found: Vec<(u32, u32, &'d Counts)> = Vec::new();
        for (id, terms) in documents {
            let from = terms.partition_point(|term| slice_of(term) < number);
            let terms = terms[from..].iter().take_while(|term| slice_of(term) == number);
            found.extend(terms.map(|(hash, counts)| (*hash, *id, counts)));
        }
        found.sort_unstable_by_key(|(hash, id, _)| (*hash, *id));
        let of_term = |files: &[(u32, u32, &Counts)]| {
            (files[0].0, of_files(files.len(), files.iter().map(|(_, id, counts)| (*id, **counts))))
        };
        found.chunk_by(|a, b| a.0 == b.0).map(of_term).collect::<Vec<_>>()
    };
    (0..SLICES).flat_map(slice)
}

/// The postings of one term, given as `count` ids in order.
pub(crate) fn of_files(count: usize, files: impl Iterator<Item = (u32, Counts)>) -> Vec<u8> {
    let mut blob = Vec::with_capacity(4 + 4 * count);
    push(&mut blob, count as u32);
    let mut before = 0;
    for (id, counts) in files {
        push(&mut blob, id - before);
        before = id;
        push_counts(&mut blob, &counts);
    }
    blob
}

/// The part that the lengths of a file stand in.
pub(crate) fn part_of(id: u32) -> u32 {
    id / PART
}

/// The lengths of the files of one part, given as ids in order.
pub(crate) fn of_part(files: &BTreeMap<u32, Lengths>) -> Vec<u8> {
    let mut blob = Vec::new();
    for (id, lengths) in files {
        blob.push((id % PART) as u8);
        lengths.iter().for_each(|length| push(&mut blob, *length));
    }
    blob
}

/// How long the fields of a file with these terms are.
pub(crate) fn lengths_of(terms: &[(u32, Counts)]) -> Lengths {
    let mut lengths = Lengths::default();
    for (_, counts) in terms {
        for (length, count) in lengths.iter_mut().zip(counts) {
            *length += u32::from(*count);
        }
    }
    lengths
}

fn push_counts(blob: &mut Vec<u8>, counts: &Counts) {
    let mut mask = 0;
    for (field, count) in counts.iter().enumerate() {
        mask |= u8::from(*count > 0) << field;
    }
    if counts.iter().all(|count| *count <= 1) {
        blob.push(mask | ONES);
    } else {
        blob.push(mask);
        blob.extend(counts.iter().filter(|count| **count > 0));
    }
}

/// The lengths of the same documents, by part.
pub(crate) fn of_lengths<'d>(documents: impl Iterator<Item = (u32, &'d [(u32, Counts)])>) -> BTreeMap<u32, Vec<u8>> {
    let mut parts: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    for (id, terms) in documents {
        let blob = parts.entry(part_of(id)).or_default();
        blob.push((id % PART) as u8);
        for length in lengths_of(terms) {
            push(blob, length);
        }
    }
    parts
}

/// How many files a term stands in; `None` for damage.
pub(crate) fn files(blob: &[u8]) -> Option<u32> {
    pull(&mut &blob[..])
}

/// Calls `found` with every file of a term; `None` for damage.
pub(crate) fn each(blob: &[u8], mut found: impl FnMut(u32, Counts)) -> Option<()> {
    let rest = &mut &blob[..];
    let files = pull(rest)?;
    let mut id = 0u32;
    for _ in 0..files {
        id = id.checked_add(pull(rest)?)?;
        let mask = byte(rest)?;
        let mut counts = Counts::default();
        for (field, count) in counts.iter_mut().enumerate() {
            if mask & (1 << field) != 0 {
                *count = if mask & ONES != 0 { 1 } else { byte(rest)? };
            }
        }
        found(id, counts);
    }
    rest.is_empty().then_some(())
}

/// Calls `found` with every file of a part; `None` for damage.
pub(crate) fn each_length(part: u32, blob: &[u8], mut found: impl FnMut(u32, Lengths)) -> Option<()> {
    let rest = &mut &blob[..];
    while !rest.is_empty() {
        let id = part.checked_mul(PART)? + u32::from(byte(rest)?);
        let mut lengths = Lengths::default();
        for length in &mut lengths {
            *length = pull(rest)?;
        }
        found(id, lengths);
    }
    Some(())
}

fn push(blob: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        blob.push(number as u8 | 0x80);
        number >>= 7;
    }
    blob.push(number as u8);
}

fn pull(rest: &mut &[u8]) -> Option<u32> {
    let mut number = 0u32;
    for shift in (0..32).step_by(7) {
        let byte = byte(rest)?;
        number |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn byte(rest: &mut &[u8]) -> Option<u8> {
    let (first, others) = rest.split_first()?;
    *rest = others;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let documents: [(u32, Vec<(u32, Counts)>); 3] = [
            (1, vec![(7, [1, 0, 0, 1, 0, 0]), (9, [0, 0, 0, 200, 3, 0])]),
            (300, vec![(7, [0, 0, 0, 0, 0, 255]), (u32::MAX, [0, 1, 0, 0, 0, 0])]),
            (70_000, vec![(7, [1, 1, 1, 1, 1, 1])]),
        ];
        let all = || documents.iter().map(|(id, terms)| (*id, terms.as_slice()));
        let mut back: BTreeMap<u32, Vec<(u32, Counts)>> = BTreeMap::new();
        for (hash, blob) in of_terms(&all().collect::<Vec<_>>()) {
            let before: usize = back.values().map(Vec::len).sum();
            each(&blob, |id, counts| back.entry(id).or_default().push((hash, counts))).unwrap();
            let after: usize = back.values().map(Vec::len).sum();
            assert_eq!(files(&blob), Some((after - before) as u32));
            for end in 0..blob.len() {
                assert_eq!(each(&blob[..end], |_, _| {}), None, "cut at {end}");
            }
        }
        assert_eq!(back.into_iter().collect::<Vec<_>>(), documents);

        let mut lengths = Vec::new();
        for (part, blob) in of_lengths(all()) {
            each_length(part, &blob, |id, of_file| lengths.push((id, of_file))).unwrap();
        }
        let expected = [(1, [1, 0, 0, 201, 3, 0]), (300, [0, 1, 0, 0, 0, 255]), (70_000, [1, 1, 1, 1, 1, 1])];
        assert_eq!(lengths, expected);
    }

    #[test]
    fn damage_ends_the_reading() {
        assert_eq!(each(&[0xff; 64], |_, _| {}), None);
        assert_eq!(each(&[], |_, _| {}), None);
        assert_eq!(each_length(u32::MAX, &[0; 7], |_, _| {}), None);
    }
}
