//! Fallback facts rendered as text, one line a fact.

use super::*;

fn rendered(facts: &FileFacts, expr: ExprId) -> String {
    match facts.expr(expr) {
        Expr::Name { name, .. } => facts.name(name).to_owned(),
        Expr::Member { of, name } => format!("{}.{}", rendered(facts, of), facts.name(name)),
        Expr::Call { of, .. } => format!("{}()", rendered(facts, of)),
        Expr::New { of, .. } => format!("new {}()", rendered(facts, of)),
        Expr::This { .. } => "this".to_owned(),
        Expr::Super { .. } => "super".to_owned(),
        _ => "?".to_owned(),
    }
}

fn facts_of(outline: &'static Outline, source: &str) -> FileFacts {
    facts(outline, source, Language::Text).finish()
}

fn list(facts: &FileFacts, list: List) -> String {
    facts.list(list).iter().map(|expr| rendered(facts, *expr)).collect::<Vec<_>>().join(",")
}

fn definitions(outline: &'static Outline, source: &str) -> String {
    let facts = facts_of(outline, source);
    let lines = facts.definitions.iter().enumerate().map(|(id, d)| {
        let params: Vec<&str> = d.params.iter().map(|param| facts.name(param.name)).collect();
        let mut line =
            format!("{} {} {}-{}", d.kind.name(), facts.qualname(DefId(id as u32)), d.span.line, d.span.end_line);
        if d.kind.is_callable() {
            line += &format!(" ({})", params.join(","));
        }
        if d.supertypes.len > 0 {
            line += &format!(" < {}", list(&facts, d.supertypes));
        }
        if d.interfaces.len > 0 {
            line += &format!(" : {}", list(&facts, d.interfaces));
        }
        line
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn uses(outline: &'static Outline, source: &str) -> String {
    let facts = facts_of(outline, source);
    let lines = facts.references.iter().map(|r| {
        let enclosing = r.enclosing.map_or("<module>".to_owned(), |id| facts.qualname(id));
        format!("{}: {enclosing} {:?} {}", r.line, r.role, rendered(&facts, r.expr))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn imports(outline: &'static Outline, source: &str) -> String {
    let facts = facts_of(outline, source);
    let lines = facts.imports.iter().map(|i| {
        let text = |name: Option<NameId>| name.map_or("-", |name| facts.name(name));
        let dots = ".".repeat(i.level.into());
        format!("{}: {:?} {dots}{} {} {}", i.line, i.kind, facts.name(i.module), text(i.name), text(i.binds))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn bindings(outline: &'static Outline, source: &str) -> String {
    let mut facts = facts_of(outline, source);
    facts.bindings.sort_by_key(|b| b.at);
    let lines = facts.bindings.iter().map(|b| {
        let ty = b.ty.map_or(String::new(), |ty| format!(": {}", rendered(&facts, ty)));
        format!("{} {:?}{ty}", facts.name(b.name), facts.scope(b.scope).kind)
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn python_code_in_strings_and_comments_is_no_code() {
    let source = r#"
class Foo:
    def method(self):
        meh = "Foo("
        return meh

SNIPPET = dedent("""
def ghost():
    real()
class Phantom:
    pass
""")

def real():
    """Call real() or ghost() to see.

    def documented():
        pass
    """
    # def commented(): real()
    return 'class Quoted: pass'

class Bar:
    pass

def user():
    return real(), Bar()
"#;
    insta::assert_snapshot!(definitions(&PYTHON, source), @r#"
    class Foo 2-5
    method Foo.method 3-5 (self)
    function real 14-21 ()
    class Bar 23-24
    function user 26-27 ()
    "#);
    insta::assert_snapshot!(uses(&PYTHON, source), @r#"
    7: <module> Call dedent()
    27: user Call real()
    27: user Call Bar()
    "#);
}

#[test]
fn java_code_in_literals_is_no_code() {
    let source = r#"package demo;
public class Sql {
    static final String Q = """
        class Ghost { void phantom() { real(); } }
        "quoted" } } {
        \""" still inside
        """;

    public String real() {
        return Q;
    }

    public String user() {
        String s = "void fake() { real(); }"; // real();
        char c = '{';
        return s + real() + c;
    }
}
"#;
    insta::assert_snapshot!(definitions(&JAVA, source), @r#"
    class Sql 2-18
    method Sql.real 9-11 ()
    method Sql.user 13-17 ()
    "#);
    insta::assert_snapshot!(uses(&JAVA, source), @"16: Sql.user Call real()");
}

#[test]
fn python_nesting_follows_indentation() {
    let source = "\
@a.b(c)
@d
class Outer(base.B[int], meta=M,
        Other):
    x = [
1, 2]
    async def run(self, /, a: t.T = f(x), *rest, k=1, **kw) -> R:
        def inner(): return g()
        return inner
\tdef tabbed(self): ...
    class _In:
        def deep(self):
            '''text
no code
'''

# after
if True:
    def conditional(*, only): pass
";
    insta::assert_snapshot!(definitions(&PYTHON, source), @r#"
    class Outer 3-15 < base.B,Other
    method Outer.run 7-10 (self,a,rest,k,kw)
    function Outer.run.inner 8-8 ()
    function Outer.run.tabbed 10-10 (self)
    class Outer._In 11-15
    method Outer._In.deep 12-15 (self)
    function conditional 19-19 (only)
    "#);
    insta::assert_snapshot!(uses(&PYTHON, source), @r#"
    1: <module> Decorate a.b
    2: <module> Decorate d
    3: <module> Inherit base.B
    4: <module> Inherit Other
    7: Outer Call f()
    8: Outer.run.inner Call g()
    "#);
    insta::assert_snapshot!(bindings(&PYTHON, source), @r#"
    x Class
    self Function
    a Function: t.T
    rest Function
    k Function
    kw Function
    self Function
    self Function
    only Function
    "#);
}

#[test]
fn python_two_and_broken_code_keep_their_definitions() {
    let source = "\
def show(x):
    print \"x\", fetch(x
def fetch((a, b), c):
    exec 'y'
<<<<<<< HEAD
    try: pass
    except E, e: tail()
=======
>>>>>>> other
def tail(:
    pass
";
    insta::assert_snapshot!(definitions(&PYTHON, source), @r#"
    function show 1-2 (x)
    function fetch 3-4 (c)
    function tail 10-11 ()
    "#);
}

#[test]
fn python_imports_of_every_form() {
    let source = "\
import a, b.c as d
import os.path; import sys
from . import x
from ..pkg.mod import (y as z,  # why
    w,
)
from m import *
from n import p, \\
    q
def f():
    try: import late
    except ImportError: pass
";
    insta::assert_snapshot!(imports(&PYTHON, source), @r#"
    1: Module a - a
    1: Module b.c - d
    2: Module os.path - os
    2: Module sys - sys
    3: Name . x x
    4: Name ..pkg.mod y z
    5: Name ..pkg.mod w w
    7: Star m - -
    8: Name n p p
    8: Name n q q
    11: Module late - late
    "#);
}

#[test]
fn python_local_names_hide_outer_ones() {
    let source = "\
import a as b
n: int = 1
def f(p):
    x, y = p
    if x == 1: pass
    for k, v in p.items():
        with open(k) as h, g() as i:
            call(q=1)
    z += 1
";
    insta::assert_snapshot!(bindings(&PYTHON, source), @r#"
    n Module
    p Function
    x Function
    y Function
    k Function
    v Function
    h Function
    i Function
    "#);
}

#[test]
fn java_nesting_follows_braces() {
    let source = "\
@A(names = {\"x\", \"y\"})
public abstract class Box<T extends Comparable<T>> extends Base<Map<String, T>> implements I<T>, b.J {
    private final int[] sizes = {1, 2};
    static { init(); }
    public Box(int size, final List<? super T> items) { this.size = size; }
    protected abstract <R> Map<String, R> convert(Function<T, R> f, T... more) throws IOException;
    @Override @SuppressWarnings({\"unchecked\"})
    public T[] all() {
        Runnable r = new Runnable() {
            @Override public void run() { go(); }
        };
        run(new b.Task<String>(x, y()) { void work() { for (;;) { done(); } } }, () -> { class Local { void in() {} } });
        return null;
    }
    enum Color { RED, GREEN(2) { int shade() { return 1; } }; int shade() { return 0; } Color() {} Color(int i) {} }
    record Point(int x, int y) implements P { Point { check(x); } static Point of() { return new Point(0, 0); } }
    @interface Mark { String value() default \"x\"; }
    sealed interface Shape extends A, B permits C, D { default void draw() {} void hide(); }
}
";
    insta::assert_snapshot!(definitions(&JAVA, source), @r#"
    class Box 2-19 < Base : I,b.J
    constructor Box.Box 5-5 (size,items)
    method Box.convert 6-6 (f,more)
    method Box.all 8-14 ()
    class Box.all 9-11 < Runnable
    method Box.all.run 10-10 ()
    class Box.all 12-12 < b.Task
    method Box.all.work 12-12 ()
    class Box.all.Local 12-12
    method Box.all.Local.in 12-12 ()
    enum Box.Color 15-15
    enum_member Box.Color.GREEN 15-15
    method Box.Color.GREEN.shade 15-15 ()
    method Box.Color.shade 15-15 ()
    constructor Box.Color.Color 15-15 ()
    constructor Box.Color.Color 15-15 (i)
    record Box.Point 16-16 : P
    constructor Box.Point.Point 16-16 ()
    method Box.Point.of 16-16 ()
    annotation Box.Mark 17-17
    method Box.Mark.value 17-17 ()
    interface Box.Shape 18-18 < A,B
    method Box.Shape.draw 18-18 ()
    method Box.Shape.hide 18-18 ()
    "#);
    insta::assert_snapshot!(uses(&JAVA, source), @r#"
    1: <module> Decorate A
    2: <module> Inherit Base
    2: <module> Implement I
    2: <module> Implement b.J
    4: Box Call init()
    7: Box Decorate Override
    7: Box Decorate SuppressWarnings
    9: Box.all Construct new Runnable()
    9: Box.all Inherit Runnable
    10: Box.all Decorate Override
    10: Box.all.run Call go()
    12: Box.all Call run()
    12: Box.all Construct new b.Task()
    12: Box.all Inherit b.Task
    12: Box.all Call y()
    12: Box.all.work Call done()
    16: Box Implement P
    16: Box.Point.Point Call check()
    16: Box.Point.of Construct new Point()
    18: Box Inherit A
    18: Box Inherit B
    "#);
}

#[test]
fn java_imports_and_package() {
    let source = "package a.b;\nimport c.D;\nimport e.*;\nimport static f.G.h;\nimport static f.G.*;\nclass X {}\n";
    insta::assert_snapshot!(imports(&JAVA, source), @r#"
    2: Name c D D
    3: Star e - -
    4: StaticName f.G h h
    5: StaticStar f.G - -
    "#);
    let facts = facts_of(&JAVA, source);
    assert_eq!(facts.package.map(|name| facts.name(name)), Some("a.b"));
}

#[test]
fn java_variables_have_their_declared_types() {
    let source = "class A { Service<X> s; void f(Map<K, V> m, int... n) { for (Item i : m) { List<String> l = s.get(); } return X; } }";
    insta::assert_snapshot!(bindings(&JAVA, source), @r#"
    s Class: Service
    m Function: Map
    n Function: int
    i Function: Item
    l Function: List
    "#);
}

const GO_SOURCE: &str = "package shop

import \"fmt\"

type Cart struct {
	items []Item // func Not(
}

type Adder interface{ Add(x int) }
type Names []string

func (c *Cart) Add(item *Item, more ...int) error {
	total := c.sum(item)
	s := `
func AlsoNot() {
}`
	return fmt.Errorf(\"func No( %d\", total)
}

func New[T any](a, b T) *Cart { return make(a) }

func (List[K]) Len() int { return 0 }
";

#[test]
fn go_declarations_begin_at_the_first_column() {
    insta::assert_snapshot!(definitions(&GO, GO_SOURCE), @r#"
    class Cart 5-7
    interface Adder 9-9
    class Names 10-10
    method Cart.Add 12-18 (item,more)
    function New 20-20 (a,b)
    method List.Len 22-22 ()
    "#);
    insta::assert_snapshot!(uses(&GO, GO_SOURCE), @r#"
    13: Cart.Add Call c.sum()
    17: Cart.Add Call fmt.Errorf()
    "#);
    insta::assert_snapshot!(bindings(&GO, GO_SOURCE), @r#"
    c Function: Cart
    item Function: Item
    more Function
    total Function
    s Function
    a Function
    b Function: T
    "#);
    let facts = facts_of(&GO, GO_SOURCE);
    assert_eq!(facts.package.map(|name| facts.name(name)), Some("shop"));
}

#[test]
fn every_prefix_is_survived() {
    let python =
        "@d\nclass A(B, m=C):\n  '''x'''\n  async def f(self, *a: T): return g(\"é\\\"\")\nfrom . import (x as y)\n";
    let java = "package p; import a.*; @A({1}) class B<T> extends C<T> { /* é */ B(int... x) { new D(){}; } enum E { F(1) {} } }";
    for (outline, source) in [(&PYTHON, python), (&JAVA, java), (&GO, GO_SOURCE)] {
        for end in (0..=source.len()).filter(|end| source.is_char_boundary(*end)) {
            facts_of(outline, &source[..end]);
            facts_of(outline, &source[end..]);
        }
    }
}

#[test]
fn deep_nesting_is_survived_in_linear_time() {
    let java = format!("class A {{ void f() {{ {}{} }} void after() {{}} }}", "{".repeat(54_000), "}".repeat(54_000));
    assert_eq!(definitions(&JAVA, &java), "class A 1-1\nmethod A.f 1-1 ()\nmethod A.after 1-1 ()");
    for pattern in ["{", "(", "new A(){", "f(() -> {", "class A{", "@A(", "<", "'", "/*", "a.", "int f(", "import a"] {
        facts_of(&JAVA, &pattern.repeat(50_000 / pattern.len()));
    }
    for pattern in ["func f(", "func (a *", "type A struct {", "{", "`", "a.", "a, ", "x := ", "func f() {"] {
        facts_of(&GO, &pattern.repeat(50_000 / pattern.len()));
        facts_of(&GO, &format!("{pattern}\n").repeat(50_000 / pattern.len()));
    }
    let classes = |n: usize| (0..n).map(|i| format!("{}class A:\n", " ".repeat(i))).collect::<String>();
    for pattern in
        ["(", "def f(", "'''", "from a import (", "f'", "as a ", "for a, ", "a.", "\\\n", "import a,", "\t@a\n"]
    {
        facts_of(&PYTHON, &pattern.repeat(50_000 / pattern.len()));
        facts_of(&PYTHON, &format!("{pattern}\n").repeat(50_000 / pattern.len()));
    }
    assert_eq!(facts_of(&PYTHON, &classes(500)).definitions.len(), 500);
}
