//! Text in, facts as text out. Lines count from the empty one that begins each snippet.

use super::facts;
use crate::lang::testing;
use crate::lang::walk::MAX_DEPTH;
use crate::model::*;
use tree_sitter::Parser;

fn facts_of(source: &str) -> FileFacts {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_python::LANGUAGE.into()).unwrap();
    let tree = parser.parse(source, None).unwrap();
    facts(&tree, source).unwrap().finish()
}

fn exports_of(source: &str) -> (Vec<String>, bool) {
    let facts = facts_of(source);
    let names = facts.exports.names.iter().flatten().map(|name| facts.name(*name).to_string());
    (names.collect(), facts.exports.open)
}

fn has(words: &[u32], word: &str) -> bool {
    words.contains(&word_hash(word.as_bytes()))
}

#[test]
fn a_call_chain_is_one_reference_a_call_and_derives_its_parts() {
    let facts = facts_of(
        r"
a.b(c)(d).e
",
    );
    insta::assert_snapshot!(testing::references(&facts), @r"
    ref 2 Call a.b(c)(d) by <module>
    ref 2 Call a.b(c) by <module>
    ref 2 Value c by <module>
    ref 2 Value d by <module>
    ref 2 Read a.b(c)(d).e by <module>
    ");
}

#[test]
fn calls_at_module_and_class_level_have_callers() {
    let facts = facts_of(
        r"
f()
class A:
    x = g()
    def m(self):
        h()
",
    );
    insta::assert_snapshot!(testing::references(&facts), @r"
    ref 2 Call f() by <module>
    ref 4 Call g() by A
    ref 6 Call h() by A.m
    ");
}

#[test]
fn decorators_defaults_and_annotations_belong_to_the_code_around() {
    let facts = facts_of(
        r"
@deco
@route(path(), n=1)
def f(a: T = g()) -> R:
    pass
",
    );
    insta::assert_snapshot!(testing::references(&facts), @r"
    ref 2 Decorate deco by <module>
    ref 3 Decorate route(path(), n=Int) by <module>
    ref 3 Call path() by <module>
    ref 4 Type T by <module>
    ref 4 Call g() by <module>
    ref 4 Type R by <module>
    ");
}

#[test]
fn parameters_have_kinds_types_and_defaults() {
    let facts = facts_of(
        r"
def f(a, /, b: int, *args, c=x, **kw): pass
def g(*, k=1, l): pass
async def h(self): yield a
",
    );
    insta::assert_snapshot!(testing::definitions(&facts), @r"
    def 2 function f(/a, b: int, *args, kw c = x, **kw) [exported]
    def 3 function g(kw k = Int, kw l) [exported]
    def 4 function h(self) returns a [exported async generator]
    ");
}

#[test]
fn flags_come_from_decorators_and_names() {
    let facts = facts_of(
        r"
class A:
    @property
    def p(self): pass
    @p.setter
    def p(self, v): pass
    @staticmethod
    def s(): pass
    @abc.abstractmethod
    def _a(self): pass
    @overload
    def o(self): ...
    @functools.cached_property
    def c(self): pass
    def __new__(cls): pass
def f():
    def inner(): pass
",
    );
    insta::assert_snapshot!(testing::definitions(&facts), @r"
    def 2 class A [exported]
    def 4 method A.p(self) decorated property [exported property]
    def 6 method A.p(self, v) decorated p.setter [exported property]
    def 8 method A.s() decorated staticmethod [exported static]
    def 10 method A._a(self) decorated abc.abstractmethod [abstract]
    def 12 method A.o(self) decorated overload [exported overload]
    def 14 method A.c(self) decorated functools.cached_property [exported property]
    def 15 method A.__new__(cls) [class_method]
    def 16 function f() [exported]
    def 17 function f.inner() [local]
    ");
}

#[test]
fn bases_are_paths_and_applications() {
    let facts = facts_of(
        r"
class A(m.B, Generic[T], make(), metaclass=M): pass
",
    );
    insta::assert_snapshot!(testing::definitions(&facts) + &testing::references(&facts), @r"
    def 2 class A extends m.B, Generic<T>, make() [exported]
    ref 2 Inherit m.B by <module>
    ref 2 Inherit Generic by <module>
    ref 2 Type T by <module>
    ref 2 Call make() by <module>
    ref 2 Value M by <module>
    ");
}

#[test]
fn self_attributes_are_fields_of_the_class() {
    let facts = facts_of(
        r"
class A:
    def __init__(this, v: T):
        this.v = v
        this.w: int
        this.v, (this.u) = pair
        def inner():
            this.late = 1
        def other(this):
            this.not_ours = 1
    @staticmethod
    def s(a):
        a.x = 1
    @classmethod
    def c(cls):
        cls.reg = 1
",
    );
    insta::assert_snapshot!(testing::definitions(&facts) + &testing::bindings(&facts), @r"
    def 2 class A [exported]
    def 3 method A.__init__(this, v: T) []
    def 4 field A.v [exported]
    def 5 field A.w: int [exported]
    def 6 field A.u [exported]
    def 7 function A.__init__.inner() [local]
    def 8 field A.late [exported]
    def 9 function A.__init__.other(this) [local]
    def 12 method A.s(a) decorated staticmethod [exported static]
    def 15 method A.c(cls) decorated classmethod [exported class_method]
    def 16 field A.reg [exported]
    bind 4 v SelfMember = v in class 1 at function 2
    bind 6 v SelfMember = unpacked(pair, 0) in class 1 at function 2
    bind 5 w SelfMember: int in class 1 at function 2
    bind 6 u SelfMember = unpacked(pair, 1) in class 1 at function 2
    bind 8 late SelfMember = Int in class 1 at function 3
    bind 16 reg SelfMember = Int in class 1 at function 6
    bind 3 this Parameter(0) in function 2
    bind 3 v Parameter(1): T in function 2
    bind 9 this Parameter(0) in function 4
    bind 12 a Parameter(0) in function 5
    bind 15 cls Parameter(0) in function 6
    ");
}

#[test]
fn class_attributes_and_module_variables_are_defined_once() {
    let facts = facts_of(
        r"
X = 1
X = 2
_y: int = 3
for i, j in z: k = i
class A:
    f: str
    f = 'a'
    __slots__ = ()
",
    );
    insta::assert_snapshot!(testing::definitions(&facts), @r"
    def 2 variable X [exported]
    def 4 variable _y: int []
    def 5 variable i [exported]
    def 5 variable j [exported]
    def 5 variable k [exported]
    def 6 class A [exported]
    def 7 field A.f: str [exported]
    ");
}

#[test]
fn targets_are_taken_apart() {
    let facts = facts_of(
        r"
def f():
    a = b = c
    d, (e, *g), [h] = v
    *first, last = v
    x[0], y.z = v
    n += 1
",
    );
    insta::assert_snapshot!(testing::bindings(&facts), @r"
    bind 3 a Assigned = c in function 1
    bind 3 b Assigned = c in function 1
    bind 4 d Assigned = unpacked(v, 0) in function 1
    bind 4 e Assigned = unpacked(unpacked(v, 1), 0) in function 1
    bind 4 g Assigned = List in function 1
    bind 4 h Assigned = unpacked(unpacked(v, 2), 0) in function 1
    bind 5 first Assigned = List in function 1
    bind 5 last Opaque in function 1
    bind 7 n Opaque in function 1
    ");
}

#[test]
fn loops_and_with_bind_from_their_bodies_on() {
    let facts = facts_of(
        r"
def f():
    for a, b in items: pass
    else: c = 1
    with open(p) as fh, (g()) as (h, i): pass
    while t: j = 1
",
    );
    insta::assert_snapshot!(testing::bindings(&facts), @r"
    bind 3 a Assigned = unpacked(element(items), 0) in function 1 at loop 2
    bind 3 b Assigned = unpacked(element(items), 1) in function 1 at loop 2
    bind 4 c Assigned = Int in function 1 at block 3
    bind 5 fh Assigned = entered(open(p)) in function 1
    bind 5 h Assigned = unpacked(entered(g()), 0) in function 1
    bind 5 i Assigned = unpacked(entered(g()), 1) in function 1
    bind 6 j Assigned = Int in function 1 at loop 4
    ");
}

#[test]
fn parenthesised_with_items_bind() {
    let facts = facts_of(
        r"
def f():
    with (a() as x, b() as y):
        pass
",
    );
    insta::assert_snapshot!(testing::bindings(&facts), @r"
    bind 3 x Assigned = entered(a()) in function 1
    bind 3 y Assigned = entered(b()) in function 1
    ");
}

#[test]
fn caught_exceptions_are_typed() {
    let facts = facts_of(
        r"
try: pass
except m.E as e: pass
except (A, B) as g: pass
",
    );
    insta::assert_snapshot!(testing::definitions(&facts) + &testing::bindings(&facts), @r"
    bind 3 e Assigned = typed(m.E) in module 0 at block 2
    bind 4 g Assigned = typed(union(A, B)) in module 0 at block 3
    ");
}

#[test]
fn comprehensions_and_lambdas_have_scopes_of_their_own() {
    let facts = facts_of(
        r"
def f(xs):
    ys = [g(x) for x in xs if (last := x)]
    return lambda a, b=xs: a.m(b)
",
    );
    insta::assert_snapshot!(testing::bindings(&facts), @r"
    bind 2 xs Parameter(0) in function 1
    bind 3 ys Assigned = List(for g(x)) in function 1
    bind 3 last Assigned = x in function 1
    bind 3 x Assigned = element(xs) in comprehension 2
    bind 4 a Parameter(0) in lambda 3
    bind 4 b Parameter(1) = xs in lambda 3
    ");
}

#[test]
fn imports_of_all_forms() {
    let facts = facts_of(
        r"
import a.b, c.d as e
from . import x
from ..m.n import (y as z,  # why
    w)
from q import *
if TYPE_CHECKING:
    from t import T
def f():
    import late
",
    );
    insta::assert_snapshot!(testing::imports(&facts) + &testing::references(&facts), @r"
    import 2 Module a.b - as a in module 0
    import 2 Module c.d - as e in module 0
    import 3 Name . x as x in module 0
    import 4 Name ..m.n y as z in module 0
    import 5 Name ..m.n w as w in module 0
    import 6 Star q - as - in module 0
    import 8 Name t T as T in block 1 type_only
    import 10 Module late - as late in function 2
    ref 3 Import x by <module>
    ref 4 Import z by <module>
    ref 5 Import w by <module>
    ref 7 Read TYPE_CHECKING by <module>
    ref 8 Import T by <module>
    ");
}

#[test]
fn types_are_read_from_annotations() {
    let facts = facts_of(
        r"
def f(a: Optional[m.A], b: Union[B, None], c: list[C] | None, d: Callable[[D], E]) -> Annotated[F, g(h)]: pass
",
    );
    insta::assert_snapshot!(testing::definitions(&facts) + &testing::references(&facts), @r"
    def 2 function f(a: union(m.A, None), b: union(B, None), c: union(list<C>, None), d: Callable<List(D), E>): F [exported]
    ref 2 Type Optional by <module>
    ref 2 Type m.A by <module>
    ref 2 Type Union by <module>
    ref 2 Type B by <module>
    ref 2 Type list by <module>
    ref 2 Type C by <module>
    ref 2 Type Callable by <module>
    ref 2 Type D by <module>
    ref 2 Type E by <module>
    ref 2 Type Annotated by <module>
    ref 2 Type F by <module>
    ref 2 Call g(h) by <module>
    ref 2 Value h by <module>
    ");
}

#[test]
fn quoted_types_are_read_as_types() {
    let facts = facts_of(
        r#"
def f(a: 'List[A]', b: Optional["B | None"], c: Literal['C', 'D'], d: 'not a type!', e: f'{x}'): pass
"#,
    );
    insta::assert_snapshot!(testing::definitions(&facts) + &testing::references(&facts), @r"
    def 2 function f(a: List<A>, b: union(union(B, None), None), c: Literal<Str, Str>, d, e) [exported]
    ref 2 Type List by <module>
    ref 2 Type A by <module>
    ref 2 Type Optional by <module>
    ref 2 Type B by <module>
    ref 2 Type Literal by <module>
    ref 2 Read x by <module>
    ");
}

#[test]
fn a_cast_has_the_type_it_names() {
    let facts = facts_of(
        r"
def f():
    x = typing.cast('List[A]', y)
Alias = Optional['K']
T = TypeVar('T', bound='B')
",
    );
    insta::assert_snapshot!(testing::bindings(&facts) + &testing::references(&facts), @r"
    bind 4 Alias Assigned = union(K, None) in module 0
    bind 5 T Assigned = TypeVar(Str, bound=B) in module 0
    bind 3 x Assigned = typed(List<A>) in function 1
    ref 3 Call typing.cast(List<A>, y) by f
    ref 3 Type List by f
    ref 3 Type A by f
    ref 3 Value y by f
    ref 4 Read Optional by <module>
    ref 4 Type K by <module>
    ref 5 Call TypeVar(Str, bound=B) by <module>
    ref 5 Type B by <module>
    ");
}

#[test]
fn isinstance_narrows_its_branch() {
    let facts = facts_of(
        r"
def f(x, y):
    if isinstance(x, A) and not isinstance(y, B):
        pass
    elif not isinstance(y, (C, m.D)):
        pass
    else:
        pass
",
    );
    insta::assert_snapshot!(testing::bindings(&facts), @r"
    bind 2 x Parameter(0) in function 1
    bind 4 x Narrowed: A in function 1 at block 2
    bind 2 y Parameter(1) in function 1
    bind 8 y Narrowed: union(C, m.D) in function 1 at block 4
    ");
}

#[test]
fn a_failed_isinstance_narrows_what_follows_an_exit() {
    let facts = facts_of(
        r"
def f(x, y, z):
    if not isinstance(x, A) or x.n:
        return
    if not isinstance(y, B):
        pass
    assert isinstance(z, C)
",
    );
    insta::assert_snapshot!(testing::bindings(&facts), @r"
    bind 2 x Parameter(0) in function 1
    bind 4 x Narrowed: A in function 1
    bind 2 y Parameter(1) in function 1
    bind 2 z Parameter(2) in function 1
    bind 7 z Narrowed: C in function 1
    ");
}

#[test]
fn patterns_capture_and_narrow() {
    let facts = facts_of(
        r"
def f(cmd):
    match cmd:
        case A(n=1) as a: pass
        case m.B() | C(): pass
        case [x, *rest, K.v]: pass
        case {'k': w, **kw}: pass
        case other if other: pass
",
    );
    insta::assert_snapshot!(testing::bindings(&facts) + &testing::references(&facts), @r"
    bind 2 cmd Parameter(0) in function 1
    bind 4 cmd Narrowed: A in function 1 at block 2
    bind 5 cmd Narrowed: union(m.B, C) in function 1 at block 3
    bind 4 a Assigned = typed(A) in function 1 at block 2
    bind 6 x Opaque in function 1 at block 4
    bind 6 rest Opaque in function 1 at block 4
    bind 7 w Opaque in function 1 at block 5
    bind 7 kw Opaque in function 1 at block 5
    bind 8 other Assigned = cmd in function 1 at block 6
    ref 4 Type A by f
    ref 5 Type m.B by f
    ref 5 Type C by f
    ref 6 Read K.v by f
    ");
}

#[test]
fn global_and_nonlocal_bind_elsewhere() {
    let facts = facts_of(
        r"
def f():
    global g
    g = 1
    n = 2
    def h():
        nonlocal n
        n = 3
    del n
",
    );
    insta::assert_snapshot!(testing::definitions(&facts) + &testing::bindings(&facts), @r"
    def 2 function f() [exported]
    def 4 variable g [exported]
    def 6 function f.h() [local]
    bind 4 g Assigned = Int in module 0 at function 1
    bind 5 n Assigned = Int in function 1
    bind 8 n Assigned = Int in function 1 at function 2
    bind 9 n Unbound in function 1
    ");
}

#[test]
fn values_handed_over_are_references() {
    let facts = facts_of(
        r"
import a, b
x = {'k': a.f, 'l': [a.g, b]}
use(a.h, key=a.i)
def f(p):
    p(p, a)
    return b if p else a.k
",
    );
    insta::assert_snapshot!(testing::references(&facts), @r"
    ref 3 Value a.f by <module>
    ref 3 Value a.g by <module>
    ref 3 Value b by <module>
    ref 4 Call use(a.h, key=a.i) by <module>
    ref 4 Value a.h by <module>
    ref 4 Value a.i by <module>
    ref 6 Call p(p, a) by f
    ref 6 Value a by f
    ref 7 Value b by f
    ref 7 Value a.k by f
    ");
}

#[test]
fn local_names_alone_are_no_references() {
    let facts = facts_of(
        r"
import m
def f(p):
    q = p
    from n import r
    if q: use(p, q, r, m, top)
    def g(): return q, g
top = 1
",
    );
    insta::assert_snapshot!(testing::references(&facts), @r"
    ref 5 Import r by f
    ref 6 Call use(p, q, r, m, top) by f
    ref 6 Value r by f
    ref 6 Value m by f
    ref 6 Value top by f
    ref 7 Value g by f.g
    ");
}

#[test]
fn writes_to_members_count_as_reads() {
    let facts = facts_of(
        r"
class A:
    def f(self, o):
        self.x = 1
        self.y.z = 2
        o.w += 3
        del o.v
        o.t[k] = 4
",
    );
    insta::assert_snapshot!(testing::references(&facts), @r"
    ref 5 Read self.y.z by A.f
    ref 6 Read o.w by A.f
    ref 7 Read o.v by A.f
    ref 8 Read o.t by A.f
    ref 8 Read k by A.f
    ");
}

#[test]
fn type_parameters_are_bound_in_the_body() {
    let facts = facts_of(
        r"
def f[T: Base](a: T) -> T: pass
class A[U](B[U]): pass
type Al[V] = list[V]
",
    );
    insta::assert_snapshot!(testing::definitions(&facts) + &testing::bindings(&facts) + &testing::references(&facts), @r"
    def 2 function f(a: T): T type_params T [exported]
    def 3 class A extends B<U> type_params U [exported]
    def 4 type_alias Al: list<V> type_params V [exported]
    bind 2 T TypeParameter: Base in function 1
    bind 2 a Parameter(0): T in function 1
    bind 3 U TypeParameter in class 2
    ref 2 Type Base by <module>
    ref 2 Type T by <module>
    ref 2 Type T by <module>
    ref 3 Inherit B by <module>
    ref 3 Type U by <module>
    ref 4 Type list by <module>
    ref 4 Type V by <module>
    ");
}

#[test]
fn super_and_await_and_index_are_kept() {
    let facts = facts_of(
        r"
class A:
    async def m(self):
        a = super().m()
        b = await self.n()
        c = b['k'][0]
        d = c[1:]
        e = x or y
        g = '%s' % a
        h = not a
        i = j | k
",
    );
    insta::assert_snapshot!(testing::bindings(&facts), @r"
    bind 3 self Parameter(0) in function 2
    bind 4 a Assigned = super.m() in function 2
    bind 5 b Assigned = awaited(self.n()) in function 2
    bind 6 c Assigned = b[Str][Int] in function 2
    bind 7 d Assigned = c in function 2
    bind 8 e Assigned = either(x, y) in function 2
    bind 9 g Assigned = Str in function 2
    bind 10 h Assigned = Bool in function 2
    bind 11 i Assigned = either(j, k) in function 2
    ");
}

#[test]
fn export_lists_are_read_and_say_when_they_are_open() {
    let listed =
        exports_of("__all__ = ['a', \"b\"] + ['c']\n__all__ += ('d',)\n__all__.extend(['e'])\n__all__.append('f')\n");
    assert_eq!(listed, (["a", "b", "c", "d", "e", "f"].map(String::from).to_vec(), false));
    let open = exports_of("__all__ = ['a']\n__all__ += mod.__all__\n");
    assert_eq!(open, (vec!["a".to_string()], true));
    assert_eq!(exports_of("__all__ = sorted(names)\n"), (vec![], true));
    assert_eq!(facts_of("def f():\n    __all__ = ['a']\n").exports, Exports::default());
}

#[test]
fn words_tell_strings_from_comments_and_docstrings() {
    let facts = facts_of(
        "\"\"\"In docs\"\"\"\nx = 'dotted.path\\nname'  # remark\ny = f'{used}.member'\nz = f'visit_{used}'\n",
    );
    let Words { strings, comments } = &facts.words;
    for word in ["dotted", "path", "member", "visit_"] {
        assert!(has(strings, word), "{word}");
    }
    for word in ["docs", "remark"] {
        assert!(has(comments, word) && !has(strings, word), "{word}");
    }
    assert!(!has(strings, "used") && !has(comments, "used"));
}

#[test]
fn text_that_did_not_parse_is_a_witness_and_the_rest_is_read() {
    let facts = facts_of("def before(): pass\nx = = lost thing\ndef after(): pass\n");
    assert!(has(&facts.words.strings, "lost"));
    let names: Vec<String> = (0..facts.definitions.len()).map(|i| facts.qualname(DefId(i as u32))).collect();
    assert!(names.contains(&"before".to_string()) && names.contains(&"after".to_string()), "{names:?}");
}

#[test]
fn dynamic_exits_are_noted() {
    let facts = facts_of(
        "getattr(a, n)\ngetattr(a, 'n')\nimportlib.import_module(m)\nglobals()['x']\ndef __getattr__(name): pass\neval(s)\n",
    );
    let lines: Vec<u32> = facts.dynamic.iter().map(|exit| exit.line).collect();
    assert_eq!(lines, [1, 3, 4, 5, 6]);
}

#[test]
fn a_binding_holds_after_its_statement() {
    let source = "x = f(x)\n";
    let facts = facts_of(source);
    assert_eq!(facts.bindings[0].at as usize, source.len() - 1);
}

/// Every construct that opens or defers something.
const RICH: &str = include_str!("sample.txt");

#[test]
fn every_prefix_extracts() {
    let mut most = 0;
    for end in (0..RICH.len()).filter(|end| RICH.is_char_boundary(*end)).step_by(23) {
        most = most.max(facts_of(&RICH[..end]).definitions.len());
    }
    assert!(most > 20, "{most}");
}

#[test]
fn children_and_containers_stand_before_their_parents() {
    let facts = facts_of(RICH);
    for (i, definition) in facts.definitions.iter().enumerate() {
        assert!(definition.container.is_none_or(|container| (container.0 as usize) < i));
        assert!(definition.span.end_line >= definition.span.line && definition.start_line <= definition.span.line);
    }
    for (i, expr) in facts.exprs.iter().enumerate() {
        if let Expr::Member { of, .. } | Expr::Call { of, .. } | Expr::Index { of, .. } = expr {
            assert!((of.0 as usize) < i);
        }
    }
}

#[test]
fn deep_nesting_is_walked_or_given_up_without_recursion() {
    let deep = 5_000;
    for (open, middle, close) in
        [("(", "x", ")"), ("[", "x", "]"), ("f(", "x", ")"), ("lambda: ", "x", ""), ("not ", "x", ""), ("", "x", ".y")]
    {
        let source = format!("{}{middle}{}\n", open.repeat(deep), close.repeat(deep));
        assert!(facts_of(&source).definitions.is_empty());
    }
    let source = format!("{}a{} = x\n", "(".repeat(deep), ",)".repeat(deep));
    assert_eq!(facts_of(&source).definitions.len(), 1);
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_python::LANGUAGE.into()).unwrap();
    let source = format!("{}x\n", "not ".repeat(MAX_DEPTH + 10));
    let tree = parser.parse(&source, None).unwrap();
    assert!(facts(&tree, &source).is_err());
}
