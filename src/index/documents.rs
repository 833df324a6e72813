//! What files can be found by: the terms of their contents (facts), of their paths, and of what was said of their changes.
//!
//! Only production files with code are found: whoever starts a task looks for what to change, and tests say the same words.

use super::history::CoChanges;
use crate::lang::terms;
use crate::model::{Counts, Document, Field, FileId, FileRecord, Graph, Language, Terms};
use std::collections::BTreeMap;

/// What a file can be found by, history left out; `None` for tests and for files without code.
pub(super) fn document(id: FileId, file: &FileRecord, terms: &Terms) -> Option<Document> {
    if file.language == Language::Text || file.test || file.status == super::SKIPPED {
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
    Some(Document { file: id, terms: counts.into_iter().collect() })
}

/// Adds what was said of the files' past changes.
pub(super) fn add_past(graph: &mut Graph, past: &CoChanges) {
    let paths = &graph.files;
    for document in &mut graph.documents {
        let Some(said) = past.words.get(&paths[document.file.0 as usize].path) else { continue };
        let mut counts: BTreeMap<u32, Counts> = document.terms.drain(..).collect();
        for (term, commits) in said {
            add(&mut counts, *term, Field::Past, *commits);
        }
        document.terms = counts.into_iter().collect();
    }
}

fn add(counts: &mut BTreeMap<u32, Counts>, term: u32, field: Field, by: u8) {
    let count = &mut counts.entry(term).or_default()[field as usize];
    *count = count.saturating_add(by);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::graph_of_sources;
    use crate::model::word_hash;

    fn counts(graph: &Graph, file: u32, stem: &str) -> Counts {
        let document = graph.documents.iter().find(|document| document.file == FileId(file)).unwrap();
        let found = document.terms.iter().find(|(term, _)| *term == word_hash(stem.as_bytes()));
        found.map(|(_, counts)| *counts).unwrap_or_default()
    }

    #[test]
    fn a_term_is_counted_by_where_it_stands() {
        let source = "# invoices\ndef invoice(a):\n    return invoices(a, 'invoice')\n";
        let mut graph = graph_of_sources(&[("invoices/invoice.py", source), ("notes.md", "invoice")]).unwrap();
        assert_eq!(graph.documents.len(), 1);
        assert_eq!(counts(&graph, 0, "invoic"), [1, 1, 1, 2, 1, 0]);
        let mut past = CoChanges::default();
        past.words.insert("invoices/invoice.py".into(), vec![(word_hash(b"invoic"), 3)]);
        add_past(&mut graph, &past);
        assert_eq!(counts(&graph, 0, "invoic"), [1, 1, 1, 2, 1, 3]);
    }

    #[test]
    fn tests_are_not_found() {
        let graph = graph_of_sources(&[("tests/test_a.py", "def f(): pass\n"), ("a.py", "x = 1\n")]).unwrap();
        assert_eq!(graph.documents.iter().map(|document| document.file).collect::<Vec<_>>(), [FileId(1)]);
    }
}
