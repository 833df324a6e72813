use super::*;
use crate::query::target::{Meant, target};
use crate::store::sample;
use insta::assert_snapshot;

/// Every line of every file is its number; a token is a line.
fn planned(graph: &str, questions: &[&str], budget: usize) -> Plan {
    let (_folder, reader) = sample::reader(graph);
    let targets = questions
        .iter()
        .map(|question| match target(&reader, question).unwrap() {
            Meant::One(target) => target,
            other => panic!("{question}: {other:?}"),
        })
        .collect();
    let text = |_: &str| Some((1..=40).map(|line| format!("line {line}:\n")).collect::<String>());
    let tokens = |text: &str| text.lines().filter(|line| line.starts_with("line")).count();
    plan(&reader, targets, budget, &Surroundings { text: &text, tokens: &tokens }).unwrap()
}

fn shown(plan: &Plan) -> String {
    let mut text = format!("{} of {} tokens, {} left out\n", plan.tokens, plan.budget, plan.left_out);
    for entry in &plan.entries {
        let why =
            entry.why.as_ref().map_or(String::new(), |link| format!(" {}@{} {}", link.kind, link.line, link.nearer));
        let perhaps = if entry.possible { " possible" } else { "" };
        let place = format!("{}::{}", entry.place.file, entry.place.name());
        text.push_str(&format!("{:?} {:?} {place} {:?}{perhaps}{why}\n", entry.role, entry.form, entry.ranges));
    }
    text
}

const CHAIN: &str = "file a.py\ndef function edited 1 4\nfile b.py\ndef function callee 1 10\ndef function far 12 14\n\
    file c.py\ndef function caller 1 6\nfile d.py\ndef function above 1 6\nfile tests/t.py\ndef function test_it 1 3\n\
    edge a.py::edited 2 call imported b.py::callee\nedge b.py::callee 5 call same_scope b.py::far\n\
    edge c.py::caller 4 call imported a.py::edited\nedge d.py::above 3 call imported c.py::caller\n\
    edge tests/t.py::test_it 2 call imported a.py::edited\n";

#[test]
fn code_comes_in_by_direction_before_distance() {
    assert_snapshot!(shown(&planned(CHAIN, &["edited"], 100)), @"
    21 of 100 tokens, 0 left out
    Edit Full a.py::edited [(1, 4)]
    Uses Full b.py::callee [(1, 10)] call@2 a.py::edited
    UsedBy Signature c.py::caller [(1, 1), (4, 4)] call@4 a.py::edited
    TestedBy Signature tests/t.py::test_it [(1, 2)] call@2 a.py::edited
    Around Signature d.py::above [(1, 1), (3, 3)] call@3 c.py::caller
    Around Signature b.py::far [(12, 12)] call@5 b.py::callee
    ");
}

#[test]
fn the_budget_cuts_the_farthest_first_and_long_callees_become_signatures() {
    assert_snapshot!(shown(&planned(CHAIN, &["edited"], 12)), @"
    12 of 12 tokens, 0 left out
    Edit Full a.py::edited [(1, 4)]
    Uses Signature b.py::callee [(1, 1)] call@2 a.py::edited
    UsedBy Signature c.py::caller [(1, 1), (4, 4)] call@4 a.py::edited
    TestedBy Signature tests/t.py::test_it [(1, 2)] call@2 a.py::edited
    Around Signature d.py::above [(1, 1), (3, 3)] call@3 c.py::caller
    Around Signature b.py::far [(12, 12)] call@5 b.py::callee
    ");
    assert_snapshot!(shown(&planned(CHAIN, &["edited"], 7)), @"
    7 of 7 tokens, 3 left out
    Edit Full a.py::edited [(1, 4)]
    Uses Signature b.py::callee [(1, 1)] call@2 a.py::edited
    UsedBy Signature c.py::caller [(1, 1), (4, 4)] call@4 a.py::edited
    ");
    let plan = planned(CHAIN, &["edited"], 0);
    assert_eq!((plan.tokens, plan.entries.len(), plan.left_out), (0, 0, 6));
}

#[test]
fn a_file_is_edited_whole_and_no_line_comes_twice() {
    assert_snapshot!(shown(&planned(CHAIN, &["a.py", "edited"], 100)), @"
    57 of 100 tokens, 0 left out
    Edit Full a.py::<module> [(1, 40)]
    Uses Full b.py::callee [(1, 10)] call@2 a.py::edited
    UsedBy Signature c.py::caller [(1, 1), (4, 4)] call@4 a.py::edited
    TestedBy Signature tests/t.py::test_it [(1, 2)] call@2 a.py::edited
    Around Signature d.py::above [(1, 1), (3, 3)] call@3 c.py::caller
    Around Signature b.py::far [(12, 12)] call@5 b.py::callee
    ");
}

#[test]
fn hubs_are_named_and_left_out() {
    let mut graph = String::from("file a.py\ndef function edited 1 2\nfile log.py\ndef function log 1 2\nfile m.py\n");
    for n in 0..40 {
        graph.push_str(&format!("def function f{n} {} {}\n", 2 * n + 1, 2 * n + 2));
    }
    graph.push_str("edge a.py::edited 2 call imported log.py::log\n");
    for n in 0..40 {
        graph.push_str(&format!("edge m.py::f{n} {} call imported log.py::log\n", 2 * n + 2));
    }
    let plan = planned(&graph, &["edited"], 100);
    assert_eq!(plan.hubs.iter().map(|hub| (hub.place.name(), hub.uses)).collect::<Vec<_>>(), [("log", 41)]);
    assert_eq!(plan.entries.len(), 1, "{}", shown(&plan));
}
