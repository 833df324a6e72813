//! What files can be found by: the terms of their contents (facts), of their paths, and of what was said of their changes.
//!
//! Only production files with code are found: whoever starts a task looks for what to change, and tests say the same words.

use super::history::CoChanges;
use crate::lang::terms;
use crate::model::{Counts, Document, Field, FileId, FileRecord, Language, Terms};
use std::collections::BTreeMap;

/// What a file can be found by; `None` for tests and for files without code.
pub(super) fn document(id: FileId, file: &FileRecord, terms: &Terms, past: &CoChanges) -> Option<Document> {
    if !is_found(file) {
        return None;
    }
    let mut counts: BTreeMap<u32, Counts> = BTreeMap::new();
    for term in terms.iter() {
        let of_term = counts.entry(term.hash).or_default();
        of_term[Field::Docs as usize] = term.docs;
        of_term[Field::Body as usize] = term.body;
        of_term[Field::Strings as usize] = term.strings;
    }
    let (folders, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    for (field, text) in [(Field::Name, stem), (Field::Folders, folders)] {
        terms::of_text(text, |term| add(&mut counts, term, field, 1));
    }
    // What was said of its past changes.
    for (term, commits) in past.words.get(&file.path).into_iter().flatten() {
        add(&mut counts, *term, Field::Past, *commits);
    }
    Some(Document { file: id, terms: counts.into_iter().collect() })
}

/// Can a file be found by what it says?
pub(super) fn is_found(file: &FileRecord) -> bool {
    file.language != Language::Text && !file.test && file.status != super::SKIPPED
}

fn add(counts: &mut BTreeMap<u32, Counts>, term: u32, field: Field, by: u8) {
    let count = &mut counts.entry(term).or_default()[field as usize];
    *count = count.saturating_add(by);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::graph_of_sources;
    use crate::lang::{Limits, extract};
    use crate::model::{Graph, word_hash};

    fn counts(graph: &Graph, file: u32, stem: &str) -> Counts {
        let document = graph.documents.iter().find(|document| document.file == FileId(file)).unwrap();
        let found = document.terms.iter().find(|(term, _)| *term == word_hash(stem.as_bytes()));
        found.map(|(_, counts)| *counts).unwrap_or_default()
    }

    #[test]
    fn a_term_is_counted_by_where_it_stands() {
        let source = "# invoices\ndef invoice(a):\n    return invoices(a, 'invoice')\n";
        let graph = graph_of_sources(&[("invoices/invoice.py", source), ("notes.md", "invoice")]).unwrap();
        assert_eq!(graph.documents.len(), 1);
        assert_eq!(counts(&graph, 0, "invoic"), [1, 1, 1, 2, 1, 0]);
        let mut past = CoChanges::default();
        past.words.insert("invoices/invoice.py".into(), vec![(word_hash(b"invoic"), 3)]);
        let mut facts = extract("invoices/invoice.py", source.as_bytes(), &Limits::default());
        let found = document(FileId(0), &graph.files[0], &std::mem::take(&mut facts.terms), &past).unwrap();
        let of_term = found.terms.iter().find(|(term, _)| *term == word_hash(b"invoic")).unwrap();
        assert_eq!(of_term.1, [1, 1, 1, 2, 1, 3]);
    }

    #[test]
    fn tests_are_not_found() {
        let graph = graph_of_sources(&[("tests/test_a.py", "def f(): pass\n"), ("a.py", "x = 1\n")]).unwrap();
        assert_eq!(graph.documents.iter().map(|document| document.file).collect::<Vec<_>>(), [FileId(1)]);
    }
}
