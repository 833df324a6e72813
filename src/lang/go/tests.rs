use super::*;
use crate::lang::testing::{bindings, definitions, imports, references};

fn facts_of(source: &str) -> FileFacts {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_go::LANGUAGE.into()).unwrap();
    facts(&parser.parse(source, None).unwrap(), source).unwrap().finish()
}

#[track_caller]
fn same(found: &str, expected: &str) {
    let tidy = |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(tidy(found), tidy(expected));
}

#[test]
fn types_have_fields_methods_and_what_they_embed() {
    let source = "package a
type Plain struct { *Base; pkg.Other; a, B int `json:\"b\"`; in struct { c C } }
type I interface { Reader; M(x int, ys ...string) (A, error); ~int | ~string }
type Names []string
type Alias = Names
type List[T any, U Named] struct { of T }
func (l *List[X, Y]) At(i int) (x X) { return l.of }
";
    same(
        &definitions(&facts_of(source)),
        "def 2 class Plain extends Base, pkg.Other [exported]
        def 2 field Plain.Base: Base [exported]
        def 2 field Plain.Other: pkg.Other [exported]
        def 2 field Plain.a: int []
        def 2 field Plain.B: int [exported]
        def 2 class Plain [anonymous local]
        def 2 field Plain.c: C [local]
        def 2 field Plain.in: this []
        def 3 interface I extends Reader [exported]
        def 3 method I.M(x: int, *ys: string): Tuple(A, error) [exported abstract]
        def 4 class Names extends List<string> [exported]
        def 5 type_alias Alias: Names [exported]
        def 6 class List type_params T, U [exported]
        def 6 field List.of: T []
        def 7 method List.At(i: int): X type_params X, Y [exported]",
    );
}

#[test]
fn packages_have_functions_variables_and_constants() {
    let source = "package a
import (\"fmt\"; x \"a/b\"; . \"c\"; _ \"d\"; \"gopkg.in/yaml.v3\")
const (A Kind = iota; B; _; C = 2)
var d, e = two()
var f, _ int = 1, 2
func two() (a, b T) { var local int; type inner struct{ y int }; return }
func init() {}
";
    let facts = facts_of(source);
    same(
        &definitions(&facts),
        "def 3 variable A: Kind [exported]
        def 3 variable B: Kind [exported]
        def 3 variable C [exported]
        def 4 variable d []
        def 4 variable e []
        def 5 variable f: int []
        def 6 function two(): Tuple(T, T) []
        def 6 class two.inner [local]
        def 6 field two.inner.y: int [local]
        def 7 function init(): None []",
    );
    same(
        &imports(&facts),
        "import 2 Package fmt - as fmt in module 0
        import 2 Module a/b - as x in module 0
        import 2 Star c - as - in module 0
        import 2 Module d - as _ in module 0
        import 2 Package gopkg.in/yaml.v3 - as yaml in module 0",
    );
    same(
        &bindings(&facts),
        "bind 4 d Assigned = unpacked(two(), 0) in module 0
        bind 3 A Assigned: Kind = Int in module 0
        bind 3 B Assigned: Kind = Int in module 0
        bind 3 C Assigned = Int in module 0
        bind 4 e Assigned = unpacked(two(), 1) in module 0
        bind 5 f Assigned: int = Int in module 0
        bind 6 a Assigned: T in function 1
        bind 6 b Assigned: T in function 1
        bind 6 local Assigned: int in function 1",
    );
}

#[test]
fn statements_bind_where_they_stand() {
    let source = "package a
func f(p int, rest ...T) {
	a, b := g()
	a, c := p, m[1]
	v, ok := x.(K)
	for i, e := range xs { _ = e }
	for k = range xs { }
	switch t := y.(type) { case A: ; case B, C: ; default: }
	select { case r, more := <-ch: }
	if z := 1; z > 0 { z := 2 }
	h := func(q int) R { return r }
}
";
    same(
        &bindings(&facts_of(source)),
        "bind 3 a Assigned = unpacked(g(), 0) in function 1
        bind 2 p Parameter(0): int in function 1
        bind 2 rest Parameter(1): List<T> in function 1
        bind 3 b Assigned = unpacked(g(), 1) in function 1
        bind 4 c Assigned = m[Int] in function 1
        bind 5 v Assigned = typed(K) in function 1
        bind 5 ok Assigned = Bool in function 1
        bind 11 h Assigned = lambda(typed(R)) in function 1
        bind 6 i Assigned = xs.__key() in loop 2
        bind 6 e Assigned = element(xs) in loop 2
        bind 8 t Assigned: A in block 7
        bind 8 t Assigned = y in block 8
        bind 8 t Assigned = y in block 9
        bind 9 r Assigned = element(ch) in block 11
        bind 9 more Assigned = Bool in block 11
        bind 10 z Assigned = Int in block 12
        bind 10 z Assigned = Int in block 13
        bind 11 q Parameter(0): int in lambda 14",
    );
}

#[test]
fn uses_are_paths_with_a_role() {
    let source = "package a
var table = map[string]func() T{\"a\": pick}
func (r *R) m(p P) (T, error) {
	x := &pkg.S{Name: p, list: []E{{K: v}, {v}}}
	r.field.call(p, f(x...))
	y := []byte(s)
	z := make(chan Q, n)
	G[int](r.cb)
	H[int, P]()
	return T(z), (*P).meth
}
";
    same(
        &references(&facts_of(source)),
        "ref 2 Type string by <module>
        ref 2 Type T by <module>
        ref 2 Value pick by <module>
        ref 3 Type P by R.m
        ref 3 Type T by R.m
        ref 3 Type error by R.m
        ref 4 Construct new pkg.S() by R.m
        ref 4 Read typed(pkg.S).Name by R.m
        ref 4 Read typed(pkg.S).list by R.m
        ref 4 Type E by R.m
        ref 4 Read element(typed(List<E>)).K by R.m
        ref 4 Value v by R.m
        ref 4 Value v by R.m
        ref 5 Call r.field.call(p, f(*x)) by R.m
        ref 5 Call f(*x) by R.m
        ref 6 Type byte by R.m
        ref 6 Value s by R.m
        ref 7 Type Q by R.m
        ref 7 Value n by R.m
        ref 8 Call G<int>(r.cb) by R.m
        ref 8 Type int by R.m
        ref 8 Value r.cb by R.m
        ref 9 Call H<int, P>() by R.m
        ref 9 Type int by R.m
        ref 9 Type P by R.m
        ref 10 Call T(z) by R.m
        ref 10 Read P by R.m
        ref 10 Value P.meth by R.m",
    );
}

#[test]
fn reflection_is_a_dynamic_exit() {
    let facts = facts_of("package a\nfunc f() {\n\tv.MethodByName(n)\n\tv.Method(1)\n}\n");
    assert_eq!(facts.dynamic.iter().map(|exit| exit.line).collect::<Vec<_>>(), [3]);
}

#[test]
fn words_come_from_strings_comments_and_errors() {
    let source = "package a\n// See Helper\nvar t = `handler`\nvar s = \"pkg.Job\"\n£ broken £\n";
    let words = facts_of(source).words;
    for word in ["handler", "Job", "broken"] {
        assert!(words.strings.contains(&word_hash(word.as_bytes())), "{word}");
    }
    assert!(words.comments.contains(&word_hash(b"Helper")));
}

const RICH: &str = r#"package a; import ("x"; y "z/w/v2"; . "d")
type (S[T any, U ~int | string] struct { *E; p.Q[T]; a, b []map[K]chan<- V `t`; f func(int, ...T) (A, error) }
  I interface { R; M(x, y int) (z Z); interface{ N() } }; N [3]S[int, J]; L = N)
const (A, B K = iota, 2; C, D; _); var v, w = f(), func() (int, error) { return 1, nil }
func (s *S[T, _]) M(a, b T, c ...[]U) (r R, err error) { defer s.E.g(c...); go func() { <-ch }()
  if x, ok := y.(T); ok && !x.z { return x.r, nil } else if k := m["é"]; k != nil { k++ }
  for i, e := range s.all { switch t := e.(type) { case *A, B: t.f(); case nil: default: goto end } }
  select { case v, ok := <-ch: _ = v; case out <- 1: default: }; for i := 0; i < 3; i++ { continue }
end: q := &p.S[int]{a: {1, {b: 2}}, "k": []T{{x: y}}, f: (*S).M, ['c']: 1i}; *q.r, z[1:2] = G[int, T](new(T)), make([]T, 1)
  var l struct{ m int } = struct{ m int }{m: 0x1F}; return []byte(`raw`), F[K]{}.x }
"#;

#[test]
fn every_prefix_is_extracted_without_a_panic() {
    for end in (0..=RICH.len()).filter(|end| RICH.is_char_boundary(*end)) {
        let facts = facts_of(&RICH[..end]);
        let exprs = facts.exprs.len() as u32;
        assert!(facts.references.iter().all(|reference| reference.expr.0 < exprs));
        assert!(facts.scopes.iter().enumerate().all(|(id, scope)| scope.parent.is_none_or(|up| (up.0 as usize) < id)));
        assert!(facts.definitions.iter().all(|d| d.container.is_none_or(|c| (c.0 as usize) < facts.definitions.len())));
    }
}

#[test]
fn text_that_begins_in_the_middle_is_extracted_without_a_panic() {
    for start in (0..RICH.len()).step_by(5).filter(|start| RICH.is_char_boundary(*start)) {
        facts_of(&RICH[start..]);
    }
}

/// Every token once left out and once doubled: what stands where the grammar does not expect it must not be relied on.
#[test]
fn mutations_are_extracted_without_a_panic() {
    let ends: Vec<usize> =
        RICH.match_indices([' ', '(', ')', '{', '}', '[', ']', ',', ';']).map(|(at, _)| at).collect();
    for pair in ends.windows(2) {
        let token = &RICH[pair[0]..pair[1]];
        facts_of(&format!("{}{}", &RICH[..pair[0]], &RICH[pair[1]..]));
        facts_of(&format!("{}{token}{token}{}", &RICH[..pair[0]], &RICH[pair[1]..]));
    }
}

#[test]
fn deep_nesting_is_walked_without_recursion() {
    let calls = |source: &str| facts_of(source).references.iter().filter(|r| r.role == Role::Call).count();
    let deep = 20_000;
    let braces = format!("package a\nfunc m() {{ {} f(x); {} }}", "{".repeat(deep), "}".repeat(deep));
    assert_eq!(calls(&braces), 1);
    assert_eq!(calls(&format!("package a\nfunc m() {{ return a{} }}", ".b()".repeat(deep))), deep);
    calls(&format!("package a\nvar x = {}1{}", "T{".repeat(deep), "}".repeat(deep)));
    calls(&format!("package a\nvar x {}int", "[]".repeat(deep)));
    calls(&format!("package a\ntype T {}{}", "struct{ a ".repeat(2_000), "}".repeat(2_000)));
}
