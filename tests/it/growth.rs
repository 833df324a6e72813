//! Code that once made resolution walk the same ground again and again: each of these hung, on input of a few kilobytes. What
//! must hold is that they end, with the edges that can be told. The sizes are such that the old growth would not end.

use floorplan::index::graph_of_sources;
use floorplan::model::{EdgeKind, Graph};

fn graph(files: &[(String, String)]) -> Graph {
    let mut files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.sort_unstable();
    graph_of_sources(&files).unwrap()
}

/// Resolved calls of everything with this qualified name.
fn calls(graph: &Graph, qualname: &str) -> usize {
    let is_meant = |edge: &&floorplan::model::Edge| {
        graph.symbols[edge.callee.0 as usize].qualname == qualname
            && edge.resolution.is_resolved()
            && edge.kind == EdgeKind::Call
    };
    graph.edges.iter().filter(is_meant).count()
}

fn one(path: &str, text: String) -> Vec<(String, String)> {
    vec![(path.to_string(), text)]
}

#[test]
fn a_field_that_is_assigned_from_itself_over_and_over() {
    let methods: String = (0..150)
        .map(|i| format!("  def by_{i}(self):\n    self.q = self.q.filter(a={i})\n    return self\n"))
        .collect();
    let text = format!(
        "class Q:\n  def filter(self, a):\n    return self\nclass R:\n  def __init__(self):\n    self.q = Q()\n{methods}"
    );
    assert_eq!(calls(&graph(&one("a.py", text)), "Q.filter"), 150);
}

#[test]
fn a_name_that_is_bound_from_itself_before_it_is_anything() {
    let text = format!("def f():\n    pass\n{}z.f()\nf()\n", "z = z.q()\n".repeat(300));
    assert_eq!(calls(&graph(&one("a.py", text)), "f"), 1);
}

#[test]
fn modules_that_import_a_name_from_each_other_in_a_ring() {
    let ring = |i: usize| {
        let text = format!(
            "from q.m_{} import thing\ndef u_{i}():\n    thing()\n    own_{i}()\ndef own_{i}(): pass\n",
            (i + 1) % 300
        );
        (format!("q/m_{i}.py"), text)
    };
    assert_eq!(calls(&graph(&(0..300).map(ring).collect::<Vec<_>>()), "own_7"), 1);
}

#[test]
fn modules_that_star_import_each_other() {
    let stars: String = (0..40).map(|i| format!("from m_{i} import *\n")).collect();
    let files: Vec<(String, String)> = (0..40)
        .map(|i| (format!("m_{i}.py"), format!("{stars}def f_{i}():\n    return f_{}()\n", (i + 1) % 40)))
        .collect();
    assert_eq!(calls(&graph(&files), "f_7"), 1);
}

#[test]
fn type_arguments_that_double_with_each_class() {
    let classes: String = (0..60).map(|i| format!("class X{i}<T> extends X{}<P<T, T>> {{}}\n", i + 1)).collect();
    let text = format!(
        "class P<A, B> {{ A a() {{ return null; }} }}\n{classes}class X60<T> {{ T get() {{ return null; }} void go() {{ new X0<String>().get().a(); new X0<String>().go(); }} }}\n"
    );
    assert_eq!(calls(&graph(&one("X.java", text)), "X60.get"), 1);
}

#[test]
fn functions_that_call_each_other_in_a_ring_of_hundreds() {
    let ring: String = (0..300)
        .map(|i| format!("def f{i}(x):\n    if x: return f{}(x)\n    return f{}(x)\n", (i + 1) % 300, i * 7 % 300))
        .collect();
    assert!(calls(&graph(&one("r.py", ring)), "f7") > 0);
}

#[test]
fn a_chain_of_calls_is_as_long_as_it_likes() {
    let text = format!("class A:\n    def m(self):\n        return self\nA(){}\n", ".m()".repeat(500));
    assert_eq!(graph(&one("a.py", text)).edges.iter().filter(|edge| edge.kind == EdgeKind::Call).count(), 1);
}

#[test]
fn classes_and_interfaces_that_extend_themselves() {
    let text = "class E extends E { void m() { m(); } } interface F extends G {} interface G extends F { void n(); }\nclass C<T> extends D<C<C<T>>> {} class D<T> extends C<D<T>> { void q() {} void r() { new C<String>().q(); } }";
    assert_eq!(calls(&graph(&one("E.java", text.to_string())), "D.q"), 1);
}

#[test]
fn structs_that_embed_each_other_in_every_order() {
    let structs: String = (0..60)
        .map(|i| {
            let others: String = (0..60).filter(|j| *j != i).map(|j| format!("\t*S{j}\n")).collect();
            format!("type S{i} struct {{\n{others}}}\n\nfunc (s *S{i}) M{i}() {{ s.M{}() }}\n\n", (i + 1) % 60)
        })
        .collect();
    assert_eq!(calls(&graph(&one("a.go", format!("package a\n\n{structs}"))), "S7.M7"), 1);
}

#[test]
fn type_arguments_that_double_with_each_embedded_struct() {
    let structs: String = (0..60).map(|i| format!("type X{i}[T any] struct {{ X{}[P[T, T]] }}\n", i + 1)).collect();
    let text = format!(
        "package a\ntype P[A, B any] struct{{ a A }}\n{structs}type X60[T any] struct{{ t T }}\n\
         func (x X60[T]) Get() T {{ return x.t }}\nfunc use(x X0[int]) {{ x.Get().a.a.a.a; x.Get() }}\n"
    );
    assert!(calls(&graph(&one("a.go", text)), "X60.Get") > 0);
}

#[test]
fn many_types_that_have_the_methods_of_many_interfaces() {
    let methods = |of: &dyn Fn(usize) -> String| (0..20).map(of).collect::<String>();
    let interfaces: String =
        (0..150).map(|i| format!("type I{i} interface {{\n{}}}\n", methods(&|m| format!("\tM{m}(x int)\n")))).collect();
    let types: String = (0..150)
        .map(|i| format!("type T{i} struct{{}}\n{}", methods(&|m| format!("func (t *T{i}) M{m}(x int) {{}}\n"))))
        .collect();
    let text = format!("package a\n{interfaces}{types}func use(i I7) {{ i.M3(1) }}\n");
    let graph = graph(&one("a.go", text));
    assert_eq!(calls(&graph, "I7.M3"), 1);
    assert_eq!(graph.overrides.len(), 150 * 150 * 20);
}
