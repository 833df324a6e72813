//! The stages of an index run, one by one: `cargo bench --bench stages`. Each asserts its result, so that none can measure
//! nothing. Sizes double, so that growth is seen beside speed; `tests/bench/growth.py` asserts it on whole runs.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use floorplan::index::community::{Weighted, partition};
use floorplan::index::graph_of_sources;
use floorplan::lang::{Limits, extract};
use floorplan::model::{EdgeKind, Graph};
use floorplan::store::snapshot::{self, Identity, Snapshot};
use floorplan::store::{Meta, Reader, replace_all};

fn main() {
    divan::main();
}

/// A part of a project in each language, and the calls that are to be found in it.
const PYTHON: &str = "from package_OTHER import Part_OTHER, total_OTHER


class Part_THIS(Part_OTHER):
    def __init__(self, amount):
        self.amount = amount
        self.other = Part_OTHER(amount)

    def report(self, rows):
        for row in rows:
            if row.amount > self.amount:
                return total_OTHER(row.amount) + self.other.report(rows)
        return self.amount


def total_THIS(amount):
    part = Part_THIS(amount)
    return part.report([part])
";
const JAVA: &str = "package project;

import java.util.List;

public class PartTHIS extends PartOTHER {
    private final PartOTHER other = new PartOTHER();

    public int report(List<PartTHIS> rows) {
        for (PartTHIS row : rows) {
            if (row.amount() > 3) {
                return this.other.amount() + row.report(rows);
            }
        }
        return PartOTHER.total(rows.size());
    }

    public int amount() { return 1; }

    public static int total(int amount) { return amount + 1; }
}
";
const TYPESCRIPT: &str = "import { PartOTHER, totalOTHER } from './part_OTHER';

export class PartTHIS extends PartOTHER {
  private other: PartOTHER = new PartOTHER();

  report(rows: PartTHIS[]): number {
    for (const row of rows) {
      if (row.amount() > 3) {
        return this.other.amount() + row.report(rows);
      }
    }
    return totalOTHER(rows.length);
  }

  amount(): number { return 1; }
}

export function totalTHIS(amount: number): number {
  return new PartTHIS().report([]) + amount;
}
";
const GO: &str = "package project

type PartTHIS struct {
	other *PartOTHER
	rows  []*PartTHIS
}

func (p *PartTHIS) Report() int {
	for _, row := range p.rows {
		if row.Amount() > 3 {
			return p.other.Amount() + row.Report()
		}
	}
	return TotalOTHER(len(p.rows))
}

func (p *PartTHIS) Amount() int { return 1 }

func TotalTHIS(amount int) int {
	part := &PartTHIS{}
	return part.Report() + amount
}
";

const LANGUAGES: [(&str, &str, &str); 4] = [
    ("python", "package_THIS.py", PYTHON),
    ("java", "project/PartTHIS.java", JAVA),
    ("typescript", "part_THIS.ts", TYPESCRIPT),
    ("go", "part_THIS.go", GO),
];

/// Files that use each other, `count` of one language.
fn project(language: &str, count: usize) -> Vec<(String, String)> {
    let (_, path, text) = LANGUAGES.into_iter().find(|(name, ..)| *name == language).expect("a language of the table");
    let mut files: Vec<(String, String)> = (0..count)
        .map(|this| {
            // The next one above, so that no class is its own base; the last ones stand alone.
            let other = (this + 1 + this % 5).to_string();
            let filled = |text: &str| text.replace("THIS", &this.to_string()).replace("OTHER", &other);
            (filled(path), filled(text))
        })
        .collect();
    files.sort();
    files
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

fn calls(graph: &Graph) -> usize {
    graph.edges.iter().filter(|edge| edge.kind == EdgeKind::Call && edge.resolution.is_resolved()).count()
}

#[divan::bench(args = LANGUAGES.map(|(name, ..)| name))]
fn extracts(bencher: Bencher, language: &str) {
    let files = project(language, 100);
    bencher.counter(BytesCount::new(files.iter().map(|(_, text)| text.len()).sum::<usize>())).bench(|| {
        let mut references = 0;
        for (path, text) in &files {
            references += extract(path, text.as_bytes(), &Limits::default()).references.len();
        }
        assert!(references > 500, "{references}");
    });
}

/// Extraction and resolution: what is more than [`extracts`] is resolution's.
#[divan::bench(args = LANGUAGES.map(|(name, ..)| name))]
fn extracts_and_resolves(bencher: Bencher, language: &str) {
    let files = project(language, 100);
    let files = borrowed(&files);
    bencher.counter(BytesCount::new(files.iter().map(|(_, text)| text.len()).sum::<usize>())).bench(|| {
        let found = calls(&graph_of_sources(&files).unwrap());
        assert!(found > 200, "{found}");
    });
}

#[divan::bench(args = [250, 500, 1000], sample_count = 20)]
fn resolves_more_and_more(bencher: Bencher, count: usize) {
    let files = project("python", count);
    let files = borrowed(&files);
    bencher.counter(ItemsCount::new(count)).bench(|| {
        assert!(calls(&graph_of_sources(&files).unwrap()) > count * 2);
    });
}

#[divan::bench(args = [10_000, 20_000, 40_000], sample_count = 10)]
fn finds_communities(bencher: Bencher, files: u32) {
    // Modules of twenty files, each file of which uses five of its own module and one of another.
    let own = |file: u32| (1..=5).map(move |step| (file, file / 20 * 20 + (file + step) % 20, 1.0));
    let uses: Vec<(u32, u32, f64)> =
        (0..files).flat_map(|file| own(file).chain([(file, (file * 7 + 13) % files, 0.2)])).collect();
    let graph = Weighted::new(files as usize, &uses);
    bencher.counter(ItemsCount::new(files)).bench(|| {
        let found = partition(&graph, 1.0).into_iter().max().map_or(0, |last| last + 1);
        assert!((10..=files / 4).contains(&found), "{found}");
    });
}

fn meta() -> Meta {
    Meta { root: "/project".into(), git_dir: String::new(), head: None, indexed_at: 0 }
}

#[divan::bench(args = [250, 500, 1000], sample_count = 20)]
fn stores_in_sqlite(bencher: Bencher, count: usize) {
    let files = project("python", count);
    let graph = graph_of_sources(&borrowed(&files)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("graph.db");
    bencher.counter(ItemsCount::new(graph.edges.len())).bench(|| {
        replace_all(&place, &graph, &meta()).unwrap();
    });
    assert!(Reader::open(&place, "/project", "").is_ok());
}

#[divan::bench(args = [250, 500, 1000], sample_count = 20)]
fn writes_the_snapshot(bencher: Bencher, count: usize) {
    let files = project("python", count);
    let graph = graph_of_sources(&borrowed(&files)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("snapshot.bin");
    let identity = Identity { root: "/project", git_dir: "" };
    bencher.counter(ItemsCount::new(graph.edges.len())).bench(|| {
        snapshot::write(&place, &graph, &identity, None).unwrap();
    });
    let card = Snapshot::open(&place, &identity).unwrap().file("package_7.py").unwrap().expect("a card");
    assert!(card.users > 0);
}
