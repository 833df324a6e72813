use super::*;
use crate::query::target::Meant;
use crate::store::sample;
use insta::assert_snapshot;
use std::fmt::Write;

fn asked(reader: &Reader, question: &str, direction: Direction, depth: u32) -> BlastRadius {
    let Meant::One(target) = target::target(reader, question).unwrap() else { panic!("{question}") };
    let question = Question { direction, depth, kinds: Kinds::all(), limit: 100 };
    blast_radius(reader, vec![target], &question).unwrap()
}

fn shown(answer: &BlastRadius) -> String {
    let mut text = String::new();
    for (title, group) in [("", &answer.resolved), ("test ", &answer.tests), ("possible ", &answer.possible)] {
        for node in group {
            let links: Vec<String> =
                node.links.iter().map(|l| format!("{} {} {} {}", l.line, l.kind, l.resolution, l.nearer)).collect();
            let place = format!("{}::{}", node.place.file, node.place.name());
            writeln!(text, "{title}{} {place} [{}]", node.depth, links.join(", ")).unwrap();
        }
    }
    text
}

fn dependents(graph: &str, question: &str, depth: u32) -> String {
    let (_folder, reader) = sample::reader(graph);
    shown(&asked(&reader, question, Direction::Dependents, depth))
}

fn dependencies(graph: &str, question: &str, depth: u32) -> String {
    let (_folder, reader) = sample::reader(graph);
    shown(&asked(&reader, question, Direction::Dependencies, depth))
}

#[test]
fn dependents_are_found_with_their_distance_and_reason() {
    assert_snapshot!(dependents(sample::SHOP, "Invoice.total", 2), @"
    1 app/models.py::legacy [31 call same_scope app/models.py::Invoice.total]
    1 app/special.py::Special.total [2 override inherited app/models.py::Invoice.total]
    1 app/special.py::Rare.total [12 override inherited app/special.py::Special.total]
    1 app/views.py::show [5 call typed_receiver app/models.py::Invoice.total]
    2 app/views.py::<module> [20 call imported app/views.py::show]
    test 1 tests/test_models.py::test_total [3 call typed_receiver app/models.py::Invoice.total]
    possible 2 app/views.py::list [12 call unique_name app/models.py::legacy, 13 call ambiguous app/special.py::Rare.total]
    ");
}

#[test]
fn a_class_is_its_members_and_its_subclasses_depend_on_it() {
    assert_snapshot!(dependents(sample::SHOP, "Invoice", 1), @"
    1 app/models.py::legacy [31 call same_scope app/models.py::Invoice.total]
    1 app/special.py::Special [1 inherit imported app/models.py::Invoice]
    1 app/special.py::Special.total [2 override inherited app/models.py::Invoice.total]
    1 app/special.py::Rare.total [12 override inherited app/special.py::Special.total]
    1 app/views.py::<module> [1 import imported app/models.py::Invoice]
    1 app/views.py::show [4 construct imported app/models.py::Invoice, 5 call typed_receiver app/models.py::Invoice.total]
    test 1 tests/test_models.py::test_total [3 call typed_receiver app/models.py::Invoice.total]
    ");
}

#[test]
fn callers_of_the_base_possibly_depend_on_an_override() {
    assert_snapshot!(dependents(sample::SHOP, "Special.total", 1), @"
    1 app/special.py::Rare.total [12 override inherited app/special.py::Special.total]
    possible 1 app/models.py::legacy [31 call override app/models.py::Invoice.total]
    possible 1 app/views.py::show [5 call override app/models.py::Invoice.total]
    possible 1 tests/test_models.py::test_total [3 call override app/models.py::Invoice.total]
    ");
}

#[test]
fn the_other_direction_is_an_answer_of_its_own() {
    assert_snapshot!(dependencies(sample::SHOP, "show", 2), @"
    1 app/models.py::Invoice [4 construct imported app/views.py::show]
    1 app/models.py::Invoice.total [5 call typed_receiver app/views.py::show]
    possible 1 app/special.py::Special.total [2 override inherited app/models.py::Invoice.total]
    possible 1 app/special.py::Rare.total [12 override inherited app/special.py::Special.total]
    ");
}

#[test]
fn cycles_end() {
    let graph = "file a.py\ndef function f 1 2\ndef function g 3 4\ndef function h 5 6\n\
        edge a.py::f 2 call same_scope a.py::g\nedge a.py::g 4 call same_scope a.py::f\n\
        edge a.py::h 6 call same_scope a.py::h\nedge a.py::h 6 call same_scope a.py::f\n";
    assert_snapshot!(dependents(graph, "f", 8), @"
    1 a.py::g [4 call same_scope a.py::f]
    1 a.py::h [6 call same_scope a.py::f]
    ");
    assert_snapshot!(dependents(graph, "h", 8), @"");
}

#[test]
fn what_constructs_a_class_depends_on_its_constructor() {
    let graph = "file a.py\ndef class A 1 9\ndef method A.__init__ 2 3\nfile b.py\ndef function make 1 3\n\
        edge b.py::make 2 construct imported a.py::A\nedge b.py::make 3 type imported a.py::A\n";
    assert_snapshot!(dependents(graph, "A.__init__", 1), @"1 b.py::make [2 construct imported a.py::A]");
    assert_snapshot!(dependencies(graph, "make", 2), @"1 a.py::A [2 construct imported b.py::make, 3 type imported b.py::make]");
}

#[test]
fn heads_belong_to_what_they_are_the_head_of() {
    // As Python stores them: the references stand in the code around.
    let graph = "file a.py\ndef function deco 1 2\ndef class A 3 4\nfile b.py\ndef class B 2 9\ndef function f 12 13\n\
        edge b.py 2 inherit imported a.py::A\nedge b.py 11 decorate imported a.py::deco\n";
    assert_snapshot!(dependents(graph, "A", 1), @"1 b.py::B [2 inherit imported a.py::A]");
    assert_snapshot!(dependents(graph, "deco", 1), @"1 b.py::f [11 decorate imported a.py::deco]");
    assert_snapshot!(dependencies(graph, "f", 1), @"1 a.py::deco [11 decorate imported b.py::f]");
    assert_snapshot!(dependencies(graph, "B", 1), @"1 a.py::A [2 inherit imported b.py::B]");
}

#[test]
fn a_file_is_all_of_its_code_and_what_merely_imports_it_is_named() {
    let (_folder, reader) = sample::reader(sample::SHOP);
    let answer = asked(&reader, "app/models.py", Direction::Dependents, 1);
    assert_snapshot!(shown(&answer), @"
    1 app/special.py::Special [1 inherit imported app/models.py::Invoice]
    1 app/special.py::Special.total [2 override inherited app/models.py::Invoice.total]
    1 app/special.py::Rare.total [12 override inherited app/special.py::Special.total]
    1 app/views.py::<module> [1 import imported app/models.py::Invoice]
    1 app/views.py::show [4 construct imported app/models.py::Invoice, 5 call typed_receiver app/models.py::Invoice.total]
    test 1 tests/test_models.py::test_total [3 call typed_receiver app/models.py::Invoice.total]
    possible 1 app/views.py::list [12 call unique_name app/models.py::legacy, 13 call ambiguous app/special.py::Rare.total]
    ");
    assert!(answer.importers.is_empty(), "all importers have a use: {:?}", answer.importers);
    let (_folder, reader) = sample::reader("file a.py\nfile b.py\nimport b.py a.py\n");
    assert_eq!(asked(&reader, "a.py", Direction::Dependents, 1).importers, ["b.py"]);
}

/// A function that 40 others call, and one that calls it and has callers of its own.
fn hub() -> String {
    let mut graph = String::from("file a.py\ndef function base 1 2\ndef function hub 3 4\n");
    for n in 0..40 {
        let line = 10 + 2 * n;
        writeln!(graph, "def function f{n} {line} {}", line + 1).unwrap();
    }
    graph.push_str("edge a.py::hub 4 call same_scope a.py::base\n");
    for n in 0..40 {
        writeln!(graph, "edge a.py::f{n} {} call same_scope a.py::hub", 11 + 2 * n).unwrap();
    }
    graph
}

#[test]
fn hubs_are_crossed_but_not_expanded_unless_they_are_what_is_asked_about() {
    let (_folder, reader) = sample::reader(&hub());
    let answer = asked(&reader, "base", Direction::Dependents, 3);
    assert_snapshot!(shown(&answer), @"1 a.py::hub [4 call same_scope a.py::base]");
    assert_eq!(answer.hubs.iter().map(|hub| (hub.place.name(), hub.uses)).collect::<Vec<_>>(), [("hub", 40)]);
    let answer = asked(&reader, "hub", Direction::Dependents, 1);
    assert_eq!((answer.resolved.len(), answer.hubs.len(), answer.levels[0].counts.resolved), (40, 0, 40));
}

#[test]
fn what_is_beyond_the_limit_is_counted() {
    let (_folder, reader) = sample::reader(&hub());
    let Meant::One(target) = target::target(&reader, "hub").unwrap() else { panic!() };
    let question = Question { direction: Direction::Dependents, depth: 1, kinds: Kinds::all(), limit: 7 };
    let answer = blast_radius(&reader, vec![target], &question).unwrap();
    assert_eq!((answer.resolved.len(), answer.left_out, answer.levels[0].counts.resolved), (7, 33, 40));
}

#[test]
fn kinds_narrow_the_walk() {
    let (_folder, reader) = sample::reader(sample::SHOP);
    let Meant::One(target) = target::target(&reader, "Invoice").unwrap() else { panic!() };
    let kinds = Kinds::of_words(["extends"]).unwrap();
    let question = Question { direction: Direction::Dependents, depth: 2, kinds, limit: 100 };
    assert_snapshot!(shown(&blast_radius(&reader, vec![target], &question).unwrap()), @"1 app/special.py::Special [1 inherit imported app/models.py::Invoice]");
}
