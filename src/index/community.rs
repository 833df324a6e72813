//! Communities of a weighted undirected graph: Leiden (Traag, Waltman, van Eck 2019, "From Louvain to Leiden"), made
//! deterministic.
//!
//! Louvain's local moves, then a refinement in which communities are built anew inside each, out of nodes that are well
//! connected to them: what is aggregated is connected, which Louvain does not promise. Where the paper draws at random
//! the best candidate is taken, nodes are visited in a few orders that are always the same, and ties go to the smaller id:
//! the same graph gives the same partition on every machine. All sums are taken in one order on one thread, so floating point is the same too.
//!
//! It knows nothing of files: see `neighborhoods.rs` for what nodes and weights are.

use std::collections::VecDeque;

/// An undirected graph in compressed rows: each edge stands in the rows of both its ends, with the same weight.
#[derive(Clone, Debug, Default)]
pub struct Weighted {
    /// `targets[starts[n]..starts[n + 1]]` are the neighbours of node n, ascending.
    starts: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<f64>,
    /// Weight inside a node, from aggregation: counts twice in its degree.
    loops: Vec<f64>,
}

impl Weighted {
    /// From edges as (node, node, weight > 0); those of the same pair are added up, loops are dropped.
    pub fn new(nodes: usize, edges: &[(u32, u32, f64)]) -> Weighted {
        let both = edges.iter().filter(|(a, b, _)| a != b).flat_map(|&(a, b, w)| [(a, b, w), (b, a, w)]);
        Weighted::from_directed(vec![0.0; nodes], &both.collect::<Vec<_>>())
    }

    /// From rows that hold both directions; those of one pair are added up in the order they come.
    fn from_directed(loops: Vec<f64>, rows: &[(u32, u32, f64)]) -> Weighted {
        // Counting sort by node, then each row by itself.
        let mut ends = vec![0usize; loops.len() + 1];
        for (from, ..) in rows {
            ends[*from as usize + 1] += 1;
        }
        for node in 1..ends.len() {
            ends[node] += ends[node - 1];
        }
        let mut next = ends.clone();
        let mut sorted = vec![(0, 0.0); rows.len()];
        for (from, to, weight) in rows {
            let place = &mut next[*from as usize];
            sorted[*place] = (*to, *weight);
            *place += 1;
        }
        let mut graph = Weighted { starts: Vec::with_capacity(ends.len()), loops, ..Weighted::default() };
        graph.starts.push(0);
        for bounds in ends.windows(2) {
            let row = &mut sorted[bounds[0]..bounds[1]];
            row.sort_by_key(|(to, _)| *to);
            for run in row.chunk_by(|a, b| a.0 == b.0) {
                graph.targets.push(run[0].0);
                graph.weights.push(run.iter().map(|(_, weight)| weight).sum());
            }
            graph.starts.push(graph.targets.len() as u32);
        }
        graph
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.loops.len()
    }

    /// True without a node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Neighbours of a node, ascending, with the weight of the edge.
    pub fn neighbours(&self, node: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        let row = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        self.targets[row.clone()].iter().copied().zip(self.weights[row].iter().copied())
    }

    fn degrees(&self) -> Vec<f64> {
        (0..self.len() as u32).map(|node| self.degree(node)).collect()
    }

    /// Sum of the weights at a node.
    pub fn degree(&self, node: u32) -> f64 {
        self.neighbours(node).map(|(_, weight)| weight).sum::<f64>() + 2.0 * self.loops[node as usize]
    }
}

/// Passes over the whole graph; from the third on nothing changed on any graph that was tried.
const MAX_PASSES: usize = 10;

/// The same for graphs of more than [`EDGES_FOR_ONE`] edges: what later passes gain is not worth their time (leidenalg's default, too).
const PASSES_OF_LARGE: usize = 2;

/// A gain has to be worth more than what rounding makes of none.
const EPSILON: f64 = 1e-12;

/// The graph is divided from several orders of visits and the best division kept: greedy moves from one order can end 1 or 2 %
/// below. As many as cost no more than one division of a graph of this many edges, one at least and eight at most.
const EDGES_FOR_ONE: usize = 100_000;
const MAX_ORDERS: usize = 8;

/// The community of each node, numbered from 0 in the order of their first members. Every community is connected; a node
/// without edges is one of its own. `gamma` > 0 is the resolution: more and smaller communities the larger it is.
///
/// Maximises modularity with gamma (Reichardt and Bornholdt 2006): sum over communities of w_in / m - gamma (K / 2m)^2.
pub fn partition(graph: &Weighted, gamma: f64) -> Vec<u32> {
    let degrees = graph.degrees();
    let total: f64 = degrees.iter().sum();
    if total <= 0.0 {
        return (0..graph.len() as u32).collect();
    }
    let scale = gamma / total;
    let orders = (EDGES_FOR_ONE / (graph.targets.len() / 2).max(1)).clamp(1, MAX_ORDERS);
    let mut best: Option<(f64, Vec<u32>)> = None;
    for order in 0..orders as u64 {
        let found = divided(graph, scale, order);
        let quality = quality(graph, &degrees, scale, &found);
        if best.as_ref().is_none_or(|best| quality > best.0 + EPSILON * total) {
            best = Some((quality, found));
        }
    }
    best.map(|best| best.1).unwrap_or_default()
}

/// Passes from one order of visits, until nothing changes.
fn divided(graph: &Weighted, scale: f64, order: u64) -> Vec<u32> {
    let mut membership: Vec<u32> = (0..graph.len() as u32).collect();
    let passes = if graph.targets.len() / 2 > EDGES_FOR_ONE { PASSES_OF_LARGE } else { MAX_PASSES };
    for _ in 0..passes {
        let before = membership.clone();
        pass(graph, scale, order, &mut membership);
        renumber(&mut membership);
        if membership == before {
            break;
        }
    }
    split(graph, &mut membership);
    renumber(&mut membership);
    membership
}

/// Modularity times the weight of all rows.
fn quality(graph: &Weighted, degrees: &[f64], scale: f64, membership: &[u32]) -> f64 {
    let (mut inside, mut sums) = (0.0, vec![0.0; graph.len()]);
    for node in 0..graph.len() as u32 {
        let community = membership[node as usize];
        sums[community as usize] += degrees[node as usize];
        inside += 2.0 * graph.loops[node as usize];
        let within = graph.neighbours(node).filter(|(to, _)| membership[*to as usize] == community);
        inside += within.map(|(_, weight)| weight).sum::<f64>();
    }
    inside - scale * sums.iter().map(|sum| sum * sum).sum::<f64>()
}

/// The nodes in the order that they are visited: their own first, then shuffled ones, the same everywhere (Fisher and Yates,
/// with the multiplier of Knuth's MMIX).
fn visits(nodes: usize, order: u64) -> VecDeque<u32> {
    let mut visits: Vec<u32> = (0..nodes as u32).collect();
    let mut state = order;
    for left in (2..=nodes).rev().filter(|_| order > 0) {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        visits.swap(left - 1, ((state >> 33) % left as u64) as usize);
    }
    visits.into()
}

/// Moves, refinement and aggregation, until a level has nothing to aggregate.
fn pass(graph: &Weighted, scale: f64, order: u64, membership: &mut [u32]) {
    let mut level = graph.clone();
    // The node of the level that each node of the graph is in.
    let mut place: Vec<u32> = (0..graph.len() as u32).collect();
    let mut communities = membership.to_vec();
    renumber(&mut communities);
    loop {
        let degrees = level.degrees();
        move_nodes(&level, &degrees, scale, visits(level.len(), order), &mut communities);
        let count = renumber(&mut communities);
        for (node, community) in membership.iter_mut().zip(&place) {
            *node = communities[*community as usize];
        }
        if count as usize == level.len() {
            return;
        }
        let mut refined = refine(&level, &degrees, scale, &communities);
        let count = renumber(&mut refined) as usize;
        let mut outer = vec![0u32; count];
        for (node, part) in refined.iter().enumerate() {
            outer[*part as usize] = communities[node];
        }
        if count == level.len() {
            // Nothing could be merged within the communities: they are what they are.
            return;
        }
        level = aggregate(&level, &refined, count);
        for node in &mut place {
            *node = refined[*node as usize];
        }
        communities = outer;
    }
}

/// Moves single nodes to the neighbouring community that gains most, or to one of their own, until none gains.
fn move_nodes(graph: &Weighted, degrees: &[f64], scale: f64, mut queue: VecDeque<u32>, communities: &mut [u32]) {
    let nodes = graph.len();
    let mut sums = vec![0.0; nodes];
    let mut sizes = vec![0u32; nodes];
    for (node, community) in communities.iter().enumerate() {
        sums[*community as usize] += degrees[node];
        sizes[*community as usize] += 1;
    }
    // There are as many numbers as nodes: one is free for any node that is not alone.
    let mut free: Vec<u32> = (0..nodes as u32).rev().filter(|community| sizes[*community as usize] == 0).collect();
    let mut queued = vec![true; nodes];
    let mut toward = vec![0.0; nodes];
    let mut candidates: Vec<u32> = Vec::new();
    // Each move gains, so this ends; the bound is for gains that rounding makes up.
    for _ in 0..nodes.saturating_mul(100) {
        let Some(node) = queue.pop_front() else { break };
        queued[node as usize] = false;
        let (own, degree) = (communities[node as usize], degrees[node as usize]);
        for (neighbour, weight) in graph.neighbours(node) {
            let community = communities[neighbour as usize];
            if toward[community as usize] == 0.0 {
                candidates.push(community);
            }
            toward[community as usize] += weight;
        }
        sums[own as usize] -= degree;
        let gain = |community: u32| toward[community as usize] - scale * degree * sums[community as usize];
        let (mut best, mut best_gain) = (own, gain(own));
        candidates.sort_unstable();
        for &community in &candidates {
            if gain(community) > best_gain + EPSILON {
                (best, best_gain) = (community, gain(community));
            }
        }
        if best_gain < -EPSILON
            && let Some(alone) = free.pop()
        {
            best = alone;
        }
        sums[best as usize] += degree;
        for community in candidates.drain(..) {
            toward[community as usize] = 0.0;
        }
        if best == own {
            continue;
        }
        communities[node as usize] = best;
        sizes[best as usize] += 1;
        sizes[own as usize] -= 1;
        if sizes[own as usize] == 0 {
            sums[own as usize] = 0.0; // Not what rounding left.
            free.push(own);
        }
        for (neighbour, _) in graph.neighbours(node) {
            if communities[neighbour as usize] != best && !queued[neighbour as usize] {
                queued[neighbour as usize] = true;
                queue.push_back(neighbour);
            }
        }
    }
}

/// Builds each community anew from single nodes: a node joins, once, the part of its community that gains most, if both are
/// well connected to the rest of the community.
fn refine(graph: &Weighted, degrees: &[f64], scale: f64, communities: &[u32]) -> Vec<u32> {
    let nodes = graph.len();
    let mut parts: Vec<u32> = (0..nodes as u32).collect();
    let mut alone = vec![true; nodes];
    // Of each community, the sum of degrees; of each part that, and its weight to the rest of the community.
    let mut whole = vec![0.0; nodes];
    for (node, community) in communities.iter().enumerate() {
        whole[*community as usize] += degrees[node];
    }
    let mut sums = degrees.to_vec();
    let mut outward = vec![0.0; nodes];
    for node in 0..nodes as u32 {
        let within = |(to, _): &(u32, f64)| communities[*to as usize] == communities[node as usize];
        outward[node as usize] = graph.neighbours(node).filter(within).map(|(_, weight)| weight).sum();
    }
    let mut toward = vec![0.0; nodes];
    let mut candidates: Vec<u32> = Vec::new();
    for node in 0..nodes as u32 {
        let (community, degree) = (communities[node as usize], degrees[node as usize]);
        let is_well_connected = |part: u32, outward: &[f64], sums: &[f64]| {
            let sum = sums[part as usize];
            outward[part as usize] + EPSILON >= scale * sum * (whole[community as usize] - sum)
        };
        if !alone[node as usize] || !is_well_connected(node, &outward, &sums) {
            continue;
        }
        for (neighbour, weight) in graph.neighbours(node) {
            if communities[neighbour as usize] == community {
                let part = parts[neighbour as usize];
                if toward[part as usize] == 0.0 {
                    candidates.push(part);
                }
                toward[part as usize] += weight;
            }
        }
        candidates.sort_unstable();
        let mut best: Option<(u32, f64)> = None;
        for &part in &candidates {
            let gain = toward[part as usize] - scale * degree * sums[part as usize];
            if gain > best.map_or(EPSILON, |best| best.1 + EPSILON) && is_well_connected(part, &outward, &sums) {
                best = Some((part, gain));
            }
        }
        if let Some((part, _)) = best {
            // What led from one to the other is inside now.
            outward[part as usize] += outward[node as usize] - 2.0 * toward[part as usize];
            sums[part as usize] += degree;
            (outward[node as usize], sums[node as usize]) = (0.0, 0.0);
            parts[node as usize] = part;
            alone[part as usize] = false;
            alone[node as usize] = false;
        }
        for part in candidates.drain(..) {
            toward[part as usize] = 0.0;
        }
    }
    parts
}

fn aggregate(graph: &Weighted, parts: &[u32], count: usize) -> Weighted {
    let mut loops = vec![0.0; count];
    let mut rows = Vec::new();
    for node in 0..graph.len() as u32 {
        let part = parts[node as usize];
        loops[part as usize] += graph.loops[node as usize];
        for (neighbour, weight) in graph.neighbours(node) {
            match parts[neighbour as usize] {
                // Seen from both ends.
                other if other == part => loops[part as usize] += weight / 2.0,
                other => rows.push((part, other, weight)),
            }
        }
    }
    Weighted::from_directed(loops, &rows)
}

/// Makes communities of the connected pieces of each: single moves may have cut one in two at the last level.
fn split(graph: &Weighted, membership: &mut [u32]) {
    let mut piece = vec![u32::MAX; membership.len()];
    let mut open = Vec::new();
    for first in 0..membership.len() as u32 {
        if piece[first as usize] != u32::MAX {
            continue;
        }
        piece[first as usize] = first;
        open.push(first);
        while let Some(node) = open.pop() {
            for (neighbour, _) in graph.neighbours(node) {
                let same = membership[neighbour as usize] == membership[first as usize];
                if same && piece[neighbour as usize] == u32::MAX {
                    piece[neighbour as usize] = first;
                    open.push(neighbour);
                }
            }
        }
    }
    membership.copy_from_slice(&piece);
}

/// Numbers communities from 0 in the order of their first members; returns how many there are.
pub(crate) fn renumber(membership: &mut [u32]) -> u32 {
    let mut numbers = vec![u32::MAX; membership.iter().max().map_or(0, |max| *max as usize + 1)];
    let mut next = 0;
    for community in membership {
        let number = &mut numbers[*community as usize];
        if *number == u32::MAX {
            *number = next;
            next += 1;
        }
        *community = *number;
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modularity(graph: &Weighted, gamma: f64, membership: &[u32]) -> f64 {
        let degrees = graph.degrees();
        let total: f64 = degrees.iter().sum();
        quality(graph, &degrees, gamma / total, membership) / total
    }

    fn unweighted(nodes: usize, edges: &[(u32, u32)]) -> Weighted {
        Weighted::new(nodes, &edges.iter().map(|(a, b)| (*a, *b, 1.0)).collect::<Vec<_>>())
    }

    /// Zachary 1977, the karate club: the best known partition has modularity 0.4198 (Brandes and others 2008, proved
    /// optimal).
    const KARATE: &str = "1-2 1-3 2-3 1-4 2-4 3-4 1-5 1-6 1-7 5-7 6-7 1-8 2-8 3-8 4-8 1-9 3-9 3-10 1-11 5-11 6-11 1-12 \
        1-13 4-13 1-14 2-14 3-14 4-14 6-17 7-17 1-18 2-18 1-20 2-20 1-22 2-22 24-26 25-26 3-28 24-28 25-28 3-29 24-30 \
        27-30 2-31 9-31 1-32 25-32 26-32 29-32 3-33 9-33 15-33 16-33 19-33 21-33 23-33 24-33 30-33 31-33 32-33 9-34 \
        10-34 14-34 15-34 16-34 19-34 20-34 21-34 23-34 24-34 27-34 28-34 29-34 30-34 31-34 32-34 33-34";

    #[test]
    fn the_karate_club_is_divided_as_well_as_can_be() {
        let number = |text: &str| text.parse::<u32>().unwrap() - 1;
        let edges: Vec<(u32, u32)> = KARATE
            .split_whitespace()
            .map(|pair| pair.split_once('-').map(|(a, b)| (number(a), number(b))).unwrap())
            .collect();
        let graph = unweighted(34, &edges);
        assert_eq!(edges.len(), 78);
        let found = partition(&graph, 1.0);
        let quality = modularity(&graph, 1.0, &found);
        assert!((0.4188..0.41991).contains(&quality), "{quality}");
        assert_eq!(found.iter().max(), Some(&3), "four communities");
    }

    #[test]
    fn cliques_on_a_ring_are_found() {
        let mut edges = Vec::new();
        for clique in 0..12u32 {
            let first = clique * 5;
            edges.extend((0..5).flat_map(|a| (0..a).map(move |b| (first + a, first + b))));
            edges.push((first, (first + 7) % 60));
        }
        let found = partition(&unweighted(60, &edges), 1.0);
        assert_eq!(found, (0..60).map(|node| node / 5).collect::<Vec<u32>>());
    }

    #[test]
    fn nodes_without_edges_stay_alone() {
        assert_eq!(partition(&unweighted(3, &[]), 1.0), [0, 1, 2]);
        assert_eq!(partition(&unweighted(4, &[(1, 3)]), 1.0), [0, 1, 2, 1]);
        assert_eq!(partition(&unweighted(0, &[]), 1.0), [0u32; 0]);
    }

    #[test]
    fn a_larger_gamma_makes_smaller_communities() {
        let graph = random(1, 400, 1600);
        let count = |gamma| 1 + *partition(&graph, gamma).iter().max().unwrap();
        assert!(count(0.5) < count(1.0) && count(1.0) < count(4.0), "{} {} {}", count(0.5), count(1.0), count(4.0));
    }

    /// Nodes in planted groups of 20, most edges inside.
    fn random(seed: u64, nodes: u32, edges: usize) -> Weighted {
        let mut state = seed;
        let mut below = |limit: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % u64::from(limit)) as u32
        };
        let edges: Vec<(u32, u32, f64)> = (0..edges)
            .map(|_| {
                let a = below(nodes);
                let b = if below(4) > 0 { (a / 20 * 20 + below(20)).min(nodes - 1) } else { below(nodes) };
                (a, b, f64::from(1 + below(9)) / 3.0)
            })
            .collect();
        Weighted::new(nodes as usize, &edges)
    }

    /// What is gained by moving a node from its community to another; `None` for one of its own.
    fn gain(graph: &Weighted, gamma: f64, found: &[u32], node: u32, to: Option<u32>) -> f64 {
        let total: f64 = (0..graph.len() as u32).map(|node| graph.degree(node)).sum();
        let worth = |community: u32| {
            let others = (0..graph.len() as u32).filter(|n| *n != node && found[*n as usize] == community);
            let expected = gamma / total * graph.degree(node) * others.map(|n| graph.degree(n)).sum::<f64>();
            let toward = graph.neighbours(node).filter(|(to, _)| found[*to as usize] == community);
            toward.map(|(_, weight)| weight).sum::<f64>() - expected
        };
        to.map_or(0.0, worth) - worth(found[node as usize])
    }

    #[test]
    fn every_community_is_connected_and_no_node_gains_by_moving() {
        for seed in 0..60 {
            let graph = random(seed, 30 + 17 * seed as u32, 120 + 60 * seed as usize);
            let gamma = 0.5 + seed as f64 / 20.0;
            let found = partition(&graph, gamma);
            let mut pieces = found.clone();
            split(&graph, &mut pieces);
            renumber(&mut pieces);
            assert_eq!(pieces, found, "seed {seed}");
            assert_eq!(partition(&graph, gamma), found);
            for node in (0..graph.len() as u32).step_by(7) {
                let around = graph.neighbours(node).map(|(to, _)| Some(found[to as usize]));
                for to in around.chain([None]) {
                    let gain = gain(&graph, gamma, &found, node, to);
                    assert!(gain < 1e-9, "seed {seed}: node {node} gains {gain} by moving to {to:?}");
                }
            }
        }
    }

    #[test]
    fn planted_groups_come_back() {
        let graph = random(7, 400, 4000);
        let planted: Vec<u32> = (0..400).map(|node| node / 20).collect();
        let quality = modularity(&graph, 1.0, &partition(&graph, 1.0));
        assert!(quality >= modularity(&graph, 1.0, &planted) - 1e-9, "{quality}");
    }
}
