//! Neighborhoods: which files form a module, how far to trust its border, and which door to enter by.
//!
//! Nodes are production files. Weights are as RETRIEVAL.md measured them on real histories (section B4 and "Clustering"): how
//! much two files use of each other, damped where many use the same, mixed with what changed together before and with
//! what lies in one directory. Cohesion and membership are told by use alone: the mix finds the border, only references
//! cross it. Everything is counted in path order, so the same graph and history give the same bytes.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::hash::Hash;
use xxhash_rust::xxh3::Xxh3;

use super::community::{Weighted, partition, renumber};
use super::history::{self, CoChanges};
use crate::config::Neighborhoods;
use crate::model::{Community, EdgeKind, FileId, FileRecord, Graph, Member};

/// Files of a directory get no ties where there are more: then it is a drawer, not a module.
const MAX_TIED: usize = 60;
const MAX_ENTRIES: usize = 3;

/// What was found in a pass, and a hash of all that it depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Known {
    hash: u64,
    pub(crate) communities: Vec<Community>,
}

/// What is `known`, if it is still right; else what is found now. `past` is told by `past_hash`.
pub(crate) fn up_to_date(
    graph: &Graph,
    past: &CoChanges,
    past_hash: u64,
    settings: &Neighborhoods,
    known: Known,
) -> Known {
    let files = FileGraph::of(graph);
    let mut hash = Xxh3::new();
    (past_hash, &files.nodes, &files.users).hash(&mut hash);
    for file in &files.nodes {
        graph.files[*file as usize].path.hash(&mut hash);
    }
    for (_, _, weight) in &files.uses {
        weight.to_bits().hash(&mut hash);
    }
    let Neighborhoods { gamma, co_change, directory, min_files } = settings;
    (gamma.map(f64::to_bits), co_change.to_bits(), directory.to_bits(), min_files).hash(&mut hash);
    let hash = hash.digest();
    if known.hash == hash {
        return known;
    }
    Known { hash, communities: found(graph, &files, past, settings) }
}

/// The neighborhoods of a graph, in the order of their first files; each file is in one at most, and one file alone is none.
#[cfg(test)]
fn neighborhoods(graph: &Graph, past: &CoChanges, settings: &Neighborhoods) -> Vec<Community> {
    found(graph, &FileGraph::of(graph), past, settings)
}

fn found(graph: &Graph, files: &FileGraph, past: &CoChanges, settings: &Neighborhoods) -> Vec<Community> {
    let mut edges = files.uses.clone();
    edges.extend(files.co_changes(graph, past, settings.co_change));
    edges.extend(files.directory_ties(graph, settings.directory));
    let mixed = Weighted::new(files.nodes.len(), &edges);
    let mut membership = partition(&mixed, settings.gamma.unwrap_or_else(|| gamma_for(files.nodes.len())));
    fold(&mixed, &mut membership, settings.min_files);
    files.describe(graph, &membership)
}

/// Resolution for a repository of `files` files. At one resolution modularity makes neighborhoods that grow with the
/// repository: at 2, half of Spring's 5,461 files are in ones of more than 166. The directories that people make do not: half of the files are
/// in ones of more than 7 to 29, in repositories of 88 to 5,461 files. A resolution in proportion to the files keeps
/// neighborhoods at that size; RETRIEVAL.md's 2 is that of 300 files. Not below 1, plain modularity.
fn gamma_for(files: usize) -> f64 {
    (files as f64 / 150.0).max(1.0)
}

/// The production files that have code, and how much they use of each other.
struct FileGraph {
    /// By node: the file. Ascending.
    nodes: Vec<u32>,
    /// (node, node, weight), weights scaled to mean 1; a pair may stand twice, once for each direction.
    uses: Vec<(u32, u32, f64)>,
    /// (user, used), sorted, no duplicates.
    users: Vec<(u32, u32)>,
}

impl FileGraph {
    fn of(graph: &Graph) -> FileGraph {
        let is_node = |file: &FileRecord| file.is_source() && !file.test;
        let nodes: Vec<u32> = (0u32..).zip(&graph.files).filter(|(_, file)| is_node(file)).map(|(id, _)| id).collect();
        let mut node_of = vec![None; graph.files.len()];
        for (node, file) in (0u32..).zip(&nodes) {
            node_of[*file as usize] = Some(node);
        }
        let node = |file: FileId| node_of[file.0 as usize];
        // By (user, used), once for each reference.
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for edge in graph.edges.iter().filter(|edge| edge.resolution.is_resolved() && edge.kind != EdgeKind::Import) {
            let used = graph.symbols[edge.callee.0 as usize].file;
            if used != edge.caller_file
                && let (Some(user), Some(used)) = (node(edge.caller_file), node(used))
            {
                pairs.push((user, used));
            }
        }
        pairs.sort_unstable();
        // References by (user, used); an import without one counts as one.
        let mut references: BTreeMap<(u32, u32), u32> =
            pairs.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect();
        for (importer, imported) in &graph.imports {
            if let (Some(user), Some(used)) = (node(*importer), node(*imported)) {
                references.entry((user, used)).or_insert(1);
            }
        }
        let mut in_degree = vec![0u32; nodes.len()];
        for (_, used) in references.keys() {
            in_degree[*used as usize] += 1;
        }
        let weight =
            |used: u32, count: u32| (1.0 + f64::from(count)).log2() / f64::from(in_degree[used as usize]).sqrt();
        let mut uses: Vec<(u32, u32, f64)> =
            references.iter().map(|((user, used), count)| (*user, *used, weight(*used, *count))).collect();
        let pairs: FxHashSet<(u32, u32)> = references.keys().map(|(a, b)| (*a.min(b), *a.max(b))).collect();
        let mean = uses.iter().map(|(_, _, weight)| weight).sum::<f64>() / pairs.len().max(1) as f64;
        for (_, _, weight) in &mut uses {
            *weight /= mean;
        }
        FileGraph { users: references.into_keys().collect(), nodes, uses }
    }

    /// `weight * c / sqrt(n_a n_b)` for two files that changed together in c commits and alone or not in n_a and n_b.
    fn co_changes(&self, graph: &Graph, past: &CoChanges, weight: f64) -> Vec<(u32, u32, f64)> {
        let ids: FxHashMap<&str, u32> =
            (0u32..).zip(&self.nodes).map(|(node, file)| (graph.files[*file as usize].path.as_str(), node)).collect();
        let tie = |((a, b), together): (&(String, String), &u32)| {
            let (a_id, b_id) = (ids.get(a.as_str())?, ids.get(b.as_str())?);
            let strength = history::tie(past, (a, b), *together);
            (*together >= history::MIN_TOGETHER).then_some((*a_id, *b_id, weight * strength))
        };
        let mut ties: Vec<(u32, u32, f64)> = past.pairs.iter().filter_map(tie).filter(|tie| tie.2 > 0.0).collect();
        ties.sort_by_key(|tie| (tie.0, tie.1));
        ties
    }

    /// `weight / (size - 1)` between the files of each directory.
    fn directory_ties(&self, graph: &Graph, weight: f64) -> Vec<(u32, u32, f64)> {
        let mut directories: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (node, file) in (0u32..).zip(&self.nodes) {
            directories.entry(directory(&graph.files[*file as usize].path)).or_default().push(node);
        }
        let mut ties = Vec::new();
        for files in directories.values().filter(|files| (2..=MAX_TIED).contains(&files.len()) && weight > 0.0) {
            let tie = weight / (files.len() - 1) as f64;
            for (index, file) in files.iter().enumerate() {
                ties.extend(files[index + 1..].iter().map(|other| (*file, *other, tie)));
            }
        }
        ties
    }

    fn describe(&self, graph: &Graph, membership: &[u32]) -> Vec<Community> {
        let by_use = Weighted::new(self.nodes.len(), &self.uses);
        let count = membership.iter().max().map_or(0, |max| *max as usize + 1);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (node, community) in (0u32..).zip(membership) {
            members[*community as usize].push(node);
        }
        let volume: f64 = (0..by_use.len() as u32).map(|node| by_use.degree(node)).sum();
        // Files outside of its community that use a node.
        let mut from_outside = vec![0u32; self.nodes.len()];
        for (user, used) in &self.users {
            if membership[*user as usize] != membership[*used as usize] {
                from_outside[*used as usize] += 1;
            }
        }
        let mut communities = Vec::new();
        for nodes in members.iter().filter(|nodes| nodes.len() > 1) {
            let community = membership[nodes[0] as usize];
            let (mut inside, mut outside) = (0.0, 0.0);
            let mut files = Vec::with_capacity(nodes.len());
            for &node in nodes {
                let (mut own, mut other) = (0.0, 0.0);
                for (neighbour, weight) in by_use.neighbours(node) {
                    *(if membership[neighbour as usize] == community { &mut own } else { &mut other }) += weight;
                }
                inside += own;
                outside += other;
                let membership = (own + other > 0.0).then(|| permille((own - other) / (own + other)));
                files.push(Member { file: FileId(self.nodes[node as usize]), membership });
            }
            let smaller = (inside + outside).min(volume - inside - outside);
            let cohesion = (inside + outside > 0.0).then(|| {
                // With nothing outside there is no border to cross.
                if smaller > 0.0 { permille(1.0 - outside / smaller) } else { 1000 }
            });
            let mut entries: Vec<u32> = nodes.iter().copied().filter(|node| from_outside[*node as usize] > 0).collect();
            entries.sort_by_key(|node| (std::cmp::Reverse(from_outside[*node as usize]), *node));
            entries.truncate(MAX_ENTRIES);
            let top =
                nodes.iter().copied().max_by(|a, b| by_use.degree(*a).total_cmp(&by_use.degree(*b)).then(b.cmp(a)));
            let top = top.map_or("", |node| self.path(graph, node));
            communities.push(Community {
                label: self.shared_directory(graph, nodes).unwrap_or(top).to_owned(),
                members: files,
                cohesion,
                entries: entries.iter().map(|node| FileId(self.nodes[*node as usize])).collect(),
            });
        }
        communities
    }

    fn path<'g>(&self, graph: &'g Graph, node: u32) -> &'g str {
        &graph.files[self.nodes[node as usize] as usize].path
    }

    /// The deepest directory that most of the files are in or under and that holds little else: no two neighborhoods have the
    /// same. `None` where there is none: a neighborhood across directories has no directory's name.
    fn shared_directory<'g>(&self, graph: &'g Graph, nodes: &[u32]) -> Option<&'g str> {
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        for node in nodes {
            for parent in parents(self.path(graph, *node)) {
                *counts.entry(parent).or_default() += 1;
            }
        }
        let most = |count: usize| count * 3 >= nodes.len() * 2;
        let mut candidates: Vec<(&str, usize)> = counts.into_iter().filter(|(_, count)| most(*count)).collect();
        candidates.sort_by_key(|(path, _)| (std::cmp::Reverse(path.len()), *path));
        candidates.into_iter().find(|(path, count)| count * 2 > self.files_under(graph, path)).map(|(path, _)| path)
    }

    /// Nodes in and under a directory. Paths are sorted, so these are a run but for names that sort before `/`.
    fn files_under(&self, graph: &Graph, path: &str) -> usize {
        if path.is_empty() {
            return self.nodes.len();
        }
        let start = self.nodes.partition_point(|file| graph.files[*file as usize].path.as_str() < path);
        let run = self.nodes[start..].iter().map(|file| graph.files[*file as usize].path.as_str());
        run.take_while(|file| file.starts_with(path))
            .filter(|file| file.as_bytes().get(path.len()) == Some(&b'/'))
            .count()
    }
}

/// Puts communities of fewer than `min` nodes into the one that each is tied to most; one without ties stays.
fn fold(graph: &Weighted, membership: &mut [u32], min: usize) {
    let count = renumber(membership) as usize;
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (node, community) in (0u32..).zip(&*membership) {
        members[*community as usize].push(node);
    }
    // Smallest first; one that has grown by then may stay.
    let mut order: Vec<usize> = (0..count).filter(|community| members[*community].len() < min).collect();
    order.sort_by_key(|community| (members[*community].len(), *community));
    for community in order {
        if members[community].len() >= min {
            continue;
        }
        let mut ties: BTreeMap<u32, f64> = BTreeMap::new();
        for node in &members[community] {
            for (neighbour, weight) in graph.neighbours(*node) {
                *ties.entry(membership[neighbour as usize]).or_default() += weight;
            }
        }
        ties.remove(&(community as u32));
        let best = ties.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        if let Some((target, _)) = best {
            let moved = std::mem::take(&mut members[community]);
            for node in &moved {
                membership[*node as usize] = target;
            }
            members[target as usize].extend(moved);
        }
    }
    renumber(membership);
}

fn permille(share: f64) -> i16 {
    (share * 1000.0).round() as i16
}

fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The directories that a path is under, deepest first; the root is `""`.
fn parents(path: &str) -> impl Iterator<Item = &str> {
    let first = Some(directory(path));
    std::iter::successors(first, |path| (!path.is_empty()).then(|| directory(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::graph_of_sources;

    /// `label (cohesion, entries): members with membership`, a line each.
    fn shown(sources: &[(&str, &str)], past: &CoChanges) -> String {
        let graph = graph_of_sources(sources).unwrap();
        let path = |file: FileId| graph.files[file.0 as usize].path.as_str();
        let mut text = String::new();
        for community in neighborhoods(&graph, past, &Neighborhoods::default()) {
            let members: Vec<String> = community
                .members
                .iter()
                .map(|member| format!("{} {}", path(member.file), member.membership.unwrap_or(9999)))
                .collect();
            let entries: Vec<&str> = community.entries.iter().map(|file| path(*file)).collect();
            let cohesion = community.cohesion.unwrap_or(9999);
            text += &format!("{} ({cohesion}, {}): {}\n", community.label, entries.join(" "), members.join(", "));
        }
        text
    }

    const TWO_PACKAGES: &[(&str, &str)] = &[
        ("billing/__init__.py", ""),
        (
            "billing/invoice.py",
            "from billing.tax import rate\nfrom billing.row import Row\ndef finalize(): return Row(rate())\n",
        ),
        ("billing/row.py", "from billing.tax import rate\nclass Row:\n    def net(self): return rate()\n"),
        ("billing/tax.py", "def rate(): return 1\n"),
        ("main.py", "from billing.invoice import finalize\nfrom shop.cart import Cart\nfinalize()\nCart()\n"),
        ("shop/__init__.py", ""),
        (
            "shop/cart.py",
            "from shop.item import Item\nfrom shop.price import price\nclass Cart:\n    def add(self): return Item(price())\n",
        ),
        ("shop/item.py", "from shop.price import price\nclass Item:\n    def cost(self): return price()\n"),
        ("shop/price.py", "def price(): return 2\n"),
        ("tests/test_all.py", "from billing.tax import rate\nfrom shop.price import price\nrate()\nprice()\n"),
    ];

    #[test]
    fn packages_that_keep_to_themselves_are_neighborhoods() {
        let found = shown(TWO_PACKAGES, &CoChanges::default());
        assert_eq!(found.lines().count(), 2, "{found}");
        let labels: Vec<&str> = found.lines().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(labels, ["billing", "shop"], "{found}");
        assert!(!found.contains("tests/"), "{found}");
    }

    #[test]
    fn files_that_change_together_draw_together() {
        let mut past = CoChanges::default();
        let pair = ("main.py".to_owned(), "shop/price.py".to_owned());
        for path in [&pair.0, &pair.1] {
            past.commits.insert(path.clone(), 5);
        }
        past.pairs.insert(pair, 5);
        let found = shown(TWO_PACKAGES, &past);
        let shop = found.lines().find(|line| line.contains("shop/price.py")).unwrap();
        assert!(shop.contains("main.py"), "{found}");
    }

    #[test]
    fn the_same_graph_gives_the_same_neighborhoods() {
        assert_eq!(shown(TWO_PACKAGES, &CoChanges::default()), shown(TWO_PACKAGES, &CoChanges::default()));
        assert_eq!(shown(&[], &CoChanges::default()), "");
        assert_eq!(shown(&[("a.py", ""), ("b.py", "")], &CoChanges::default()), " (9999, ): a.py 9999, b.py 9999\n");
    }

    #[test]
    fn small_ones_are_folded_into_what_they_are_tied_to_most() {
        let graph = Weighted::new(6, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 0.1), (3, 4, 9.0)]);
        let mut membership = vec![0, 0, 0, 1, 1, 2];
        fold(&graph, &mut membership, 3);
        assert_eq!(membership, [0, 0, 0, 0, 0, 1], "one without ties stays");
    }
}
