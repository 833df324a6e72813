//! Partitions of real file graphs against what an independent implementation found. `tests/graphs/*.txt` are edges `a b
//! weight` of five repositories, with `# gamma modularity` lines of the best of several runs of networkx's and igraph's Louvain and
//! Leiden (`tests/bench/modularity.py --write`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use floorplan::index::community::{Weighted, partition};

/// Ours may be this much worse: the algorithms are greedy, and the others had several tries.
const TOLERANCE: f64 = 0.01;

struct Sample {
    path: PathBuf,
    edges: Vec<(u32, u32, f64)>,
    /// (gamma, modularity)
    known: Vec<(f64, f64)>,
}

fn samples() -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/graphs");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 5, "{paths:?}");
    paths.into_iter().map(sample).collect()
}

fn sample(path: PathBuf) -> Sample {
    let (mut edges, mut known) = (Vec::new(), Vec::new());
    for line in fs::read_to_string(&path).unwrap().lines() {
        let parts: Vec<&str> = line.split(' ').collect();
        match parts[..] {
            ["#", gamma, modularity] => known.push((gamma.parse().unwrap(), modularity.parse().unwrap())),
            [a, b, weight] => edges.push((a.parse().unwrap(), b.parse().unwrap(), weight.parse().unwrap())),
            _ => panic!("{}: {line}", path.display()),
        }
    }
    Sample { path, edges, known }
}

/// Of our own partition, by the definition.
fn modularity(edges: &[(u32, u32, f64)], gamma: f64) -> f64 {
    let nodes = edges.iter().map(|(a, b, _)| a.max(b) + 1).max().unwrap() as usize;
    let found = partition(&Weighted::new(nodes, edges), gamma);
    let total: f64 = edges.iter().map(|(_, _, weight)| weight).sum();
    let (mut inside, mut degrees) = (0.0, vec![0.0; nodes]);
    for (a, b, weight) in edges {
        let (a, b) = (found[*a as usize] as usize, found[*b as usize] as usize);
        degrees[a] += weight;
        degrees[b] += weight;
        inside += if a == b { *weight } else { 0.0 };
    }
    inside / total - gamma * degrees.iter().map(|degree| (degree / (2.0 * total)).powi(2)).sum::<f64>()
}

fn assert_as_good(sample: &Sample, gamma: f64, other: f64) {
    let ours = modularity(&sample.edges, gamma);
    println!("{} at {gamma}: {ours:.4}, other {other:.4}", sample.path.display());
    assert!(other > 0.05, "{}: {other} is no modularity to reach", sample.path.display());
    assert!(ours >= other * (1.0 - TOLERANCE), "{} at {gamma}: {ours}, not {other}", sample.path.display());
}

#[test]
fn partitions_are_as_good_as_those_on_record() {
    for sample in samples() {
        assert!(!sample.known.is_empty());
        for (gamma, modularity) in &sample.known {
            assert_as_good(&sample, *gamma, *modularity);
        }
    }
}

#[test]
fn partitions_are_as_good_as_an_oracle_that_runs_now() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/modularity.py");
    for sample in samples() {
        for gamma in [1.0, 2.0] {
            let run =
                Command::new("python3").arg(&script).arg("--graph").arg(&sample.path).arg(gamma.to_string()).output();
            let Ok(out) = run else { return eprintln!("skipped: there is no python3") };
            let said = String::from_utf8_lossy(&out.stderr).trim().to_string();
            if said.ends_with("is installed") {
                return eprintln!("skipped: {said}");
            }
            assert!(out.status.success(), "{said}");
            assert_as_good(&sample, gamma, String::from_utf8_lossy(&out.stdout).trim().parse().unwrap());
        }
    }
}
