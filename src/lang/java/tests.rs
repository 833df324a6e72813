use super::*;

fn parse(source: &str) -> Tree {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_java::LANGUAGE.into()).unwrap();
    parser.parse(source, None).unwrap()
}

fn facts_of(source: &str) -> FileFacts {
    facts(&parse(source), source).unwrap().finish()
}

/// A path as text; what is implied by its place (scope, offset) is left out.
fn show(facts: &FileFacts, id: ExprId) -> String {
    let at = |id| show(facts, id);
    let list = |list| facts.list(list).iter().map(|id| show(facts, *id)).collect::<Vec<_>>().join(", ");
    match facts.expr(id) {
        Expr::Name { name, .. } => facts.name(name).to_string(),
        Expr::Member { of, name } => format!("{}.{}", at(of), facts.name(name)),
        Expr::Call { of, args } => format!("{}({})", at(of), list(args)),
        Expr::New { of, args } => format!("new {}({})", at(of), list(args)),
        Expr::Index { of, key } => format!("{}[{}]", at(of), at(key)),
        Expr::Element { of } => format!("element of {}", at(of)),
        Expr::This { .. } => "this".into(),
        Expr::Super { .. } => "super".into(),
        Expr::Literal(kind) => format!("#{kind:?}"),
        Expr::Display { items, .. } => format!("{{{}}}", list(items)),
        Expr::Lambda { returns, .. } => format!("lambda[{}]", list(returns)),
        Expr::Either { items } => format!("either[{}]", list(items)),
        Expr::Typed { ty } => format!("typed({})", at(ty)),
        Expr::ClassOf { ty } => format!("class of {}", at(ty)),
        Expr::Apply { of, args } => format!("{}<{}>", at(of), list(args)),
        Expr::Array { of } => format!("{}[]", at(of)),
        Expr::Union { items } => format!("union[{}]", list(items)),
        Expr::MethodRef { of, name } => format!("{}::{}", at(of), facts.name(name)),
        Expr::Opaque => "?".into(),
        other => format!("{other:?}"),
    }
}

fn flags(flags: DefFlags) -> String {
    let names = [
        (DefFlags::EXPORTED, "exported"),
        (DefFlags::STATIC, "static"),
        (DefFlags::ABSTRACT, "abstract"),
        (DefFlags::DEFAULT, "default"),
        (DefFlags::PRIVATE, "private"),
        (DefFlags::PROTECTED, "protected"),
        (DefFlags::PUBLIC, "public"),
        (DefFlags::OVERRIDE, "override"),
        (DefFlags::ANONYMOUS, "anonymous"),
        (DefFlags::LOCAL, "local"),
    ];
    names.iter().filter(|(bit, _)| flags.has(*bit)).map(|(_, name)| format!(" {name}")).collect()
}

/// One line a definition: kind, name, parameters, type, supertypes, returns, decorators, flags.
fn definitions(source: &str) -> String {
    let facts = facts_of(source);
    let list = |label: &str, list| {
        let items: Vec<_> = facts.list(list).iter().map(|id| show(&facts, *id)).collect();
        if items.is_empty() { String::new() } else { format!(" {label} {}", items.join(", ")) }
    };
    let mut lines = Vec::new();
    for (index, definition) in facts.definitions.iter().enumerate() {
        let mut line = format!("{} {}", definition.kind.name(), facts.qualname(DefId(index as u32)));
        if definition.kind.is_callable() {
            let params: Vec<_> = definition
                .params
                .iter()
                .map(|param| {
                    let rest = if param.kind == ParamKind::Rest { "..." } else { "" };
                    format!("{}{rest} {}", param.ty.map_or("?".into(), |ty| show(&facts, ty)), facts.name(param.name))
                })
                .collect();
            line += &format!("({})", params.join(", "));
        }
        line += &definition.ty.map_or(String::new(), |ty| format!(": {}", show(&facts, ty)));
        line += &list("extends", definition.supertypes);
        line += &list("implements", definition.interfaces);
        line += &list("returns", definition.returns);
        line += &list("@", definition.decorators);
        lines.push(line + &flags(definition.flags));
    }
    lines.join("\n")
}

/// One line a binding, in order of position: name, kind, type, value, kind of its scope.
fn bindings(source: &str) -> String {
    let mut facts = facts_of(source);
    facts.bindings.sort_by_key(|binding| (binding.at, binding.name));
    let line = |binding: &Binding| {
        let mut line = format!("{} {:?}", facts.name(binding.name), binding.kind);
        line += &binding.ty.map_or(String::new(), |ty| format!(": {}", show(&facts, ty)));
        line += &binding.value.map_or(String::new(), |value| format!(" = {}", show(&facts, value)));
        line + &format!(" in {:?}", facts.scope(binding.scope).kind)
    };
    facts.bindings.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// One line a reference: role, path, and whose code it is.
fn uses(source: &str) -> String {
    let facts = facts_of(source);
    let line = |reference: &Reference| {
        let by = reference.enclosing.map_or("<module>".into(), |def| facts.qualname(def));
        format!("{:?} {} by {by}", reference.role, show(&facts, reference.expr))
    };
    facts.references.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// References of some roles only, without whose code they are.
fn only(roles: &[Role], source: &str) -> String {
    let facts = facts_of(source);
    let wanted = facts.references.iter().filter(|reference| roles.contains(&reference.role));
    wanted.map(|reference| show(&facts, reference.expr)).collect::<Vec<_>>().join("; ")
}

/// `body` as the statements of a method.
fn in_method(body: &str) -> String {
    format!("class A {{ void m(Object o) {{ {body} }} }}")
}

#[test]
fn package_and_imports_keep_their_paths_apart_from_the_name() {
    let facts = facts_of("package a . b;\nimport x.y.Z;\nimport x.y.*;\nimport static x.Y.m;\nimport static x.Y.*;");
    let name = |id: Option<NameId>| id.map_or("-", |id| facts.name(id));
    let line = |import: &Import| {
        format!("{:?} {} {} {}", import.kind, facts.name(import.module), name(import.name), name(import.binds))
    };
    assert_eq!(name(facts.package), "a.b");
    let imports: Vec<_> = facts.imports.iter().map(line).collect();
    assert_eq!(imports, ["Name x.y Z Z", "Star x.y - -", "StaticName x.Y m m", "StaticStar x.Y - -"]);
    let references: Vec<_> = facts.references.iter().map(|r| (r.role, show(&facts, r.expr), r.line)).collect();
    assert_eq!(references, [(Role::Import, "Z".into(), 2), (Role::Import, "m".into(), 4)]);
}

#[test]
fn every_kind_of_type_is_defined_with_its_supertypes() {
    let source = "@D public abstract class A<T extends B & C> extends P<T> implements I, J<T> {}
        interface K extends I, J {}
        enum E implements I {}
        record R(int x) implements I {}
        @interface N {}";
    let expected = "class A extends P<T> implements I, J<T> @ D exported abstract public
interface K extends I, J exported
enum E implements I exported
record R implements I exported
field R.x: #Int private
method R.x(): #Int exported public
annotation N exported";
    assert_eq!(definitions(source), expected);
    let roles = [Role::Inherit, Role::Implement, Role::Type, Role::Decorate];
    assert_eq!(only(&roles, source), "D; B; C; P; I; J; I; J; I; I");
}

#[test]
fn members_carry_signature_and_visibility() {
    let source = "class A { private static int a, b[]; protected A(String... s) {} @Override public <T> List<T> m(final T t, int[] i) { if (t == null) return a; return x(); } static { f(); } }";
    let expected = "class A exported
field A.a: #Int static private
field A.b: #Int[] static private
constructor A.<init>(String... s) exported protected
method A.m(T t, #Int[] i): List<T> returns a, x() @ Override exported public override";
    assert_eq!(definitions(source), expected);
}

#[test]
fn interface_members_get_what_they_imply() {
    let source =
        "interface I { int C = 1; void a(); default void b() {} static void c() {} private void d() {} class N {} }
        @interface M { String value() default C.X; int k = 2; }";
    let expected = "interface I exported
field I.C: #Int exported static public
method I.a(): #None exported abstract public
method I.b(): #None exported default public
method I.c(): #None exported static public
method I.d(): #None default private
class I.N exported static public
annotation M exported
method M.value(): String exported abstract public
field M.k: #Int exported static public";
    assert_eq!(definitions(source), expected);
}

#[test]
fn enum_constants_are_constructed_and_may_have_bodies() {
    let source = "enum E { A(f()) { @Override int m() { return g(); } }, B; E() {} E(int x) {} int m() { return 0; } }";
    let expected = "enum E exported
enum_member E.A: E exported static public
method E.A.m(): #Int returns g() @ Override override local
enum_member E.B: E exported static public
constructor E.<init>() private
constructor E.<init>(#Int x) private
method E.m(): #Int returns #Int exported";
    assert_eq!(definitions(source), expected);
    let expected = "Construct new E(f()) by E
Call f() by E
Decorate Override by E.A
Call g() by E.A.m
Construct new E() by E";
    assert_eq!(uses(source), expected);
}

#[test]
fn record_components_get_an_accessor_unless_there_is_one() {
    let source = "record R<T>(@N T a, int... b) { R { use(a); } T a() { return a; } void b(int i) {} }";
    let expected = "record R exported
field R.a: T @ N private
field R.b: #Int[] private
method R.b(): #Int[] exported public
constructor R.<init>(T a, #Int... b) exported
method R.a(): T returns a exported
method R.b(#Int i): #None exported";
    assert_eq!(definitions(source), expected);
    // The compact constructor's `a` is a parameter; the accessor's is the field.
    assert_eq!(uses(source), "Decorate N by R\nCall use(a) by R.<init>\nValue a by R.a");
}

#[test]
fn anonymous_classes_inherit_and_hold_their_members() {
    let source = "class A { Runnable r = new Run<B>(x) { public void run() { go(); } }; }";
    let expected = "class A exported
field A.r: Runnable exported
class A extends Run<B> anonymous local
method A.run(): #None public local";
    assert_eq!(definitions(source), expected);
    let expected = "Type Runnable by A\nConstruct new Run<B>(x) by A\nType B by A\nValue x by A\nInherit Run by A\nCall go() by A.run";
    assert_eq!(uses(source), expected);
}

#[test]
fn local_classes_are_found_in_their_block() {
    let facts = facts_of(&in_method("{ class L { void n() {} } new L(); }"));
    let local = facts.definitions.iter().find(|definition| facts.name(definition.name) == "L").unwrap();
    assert_eq!(facts.scope(local.scope).kind, ScopeKind::Block);
    assert!(local.flags.has(DefFlags::LOCAL) && !local.flags.has(DefFlags::EXPORTED));
}

#[test]
fn type_parameters_are_bound_in_the_body_and_known_in_the_header() {
    let source = "class A<T extends B> extends P<T> { <U> U m(U u, T t) { return u; } }";
    assert_eq!(
        bindings(source),
        "T TypeParameter: B in Class\nU TypeParameter in Function\nu Parameter(0): U in Function\nt Parameter(1): T in Function"
    );
    // Uses of type parameters are no uses of types, and the header's `T` is looked up where it is bound.
    assert_eq!(only(&[Role::Type, Role::Inherit], source), "B; P");
    let facts = facts_of(source);
    let body = facts.definitions[0].body.unwrap();
    let argument = facts.exprs.iter().find_map(|expr| match expr {
        Expr::Name { name, scope, .. } if facts.name(*name) == "T" => Some(*scope),
        _ => None,
    });
    assert_eq!(argument, Some(body));
}

#[test]
fn a_header_is_not_looked_up_among_the_members() {
    let facts = facts_of("class A extends B { class B {} }");
    let Expr::Name { scope, .. } = facts.expr(facts.list(facts.definitions[0].supertypes)[0]) else { panic!() };
    assert_eq!(scope, MODULE_SCOPE);
}

#[test]
fn locals_are_bound_with_type_and_value() {
    let body = "final Foo f = g(), h[] = {f}; var v = new V(); for (int i = 0;;) {} for (Bar b : f.all()) {} for (var c : v) {}
        try (In in = open()) {} catch (X | Y e) {}";
    let expected = "o Parameter(0): Object in Function
f Assigned: Foo = g() in Function
h Assigned: Foo[] = {f} in Function
v Assigned = new V() in Function
i Assigned: #Int = #Int in Loop
b Assigned: Bar = element of f.all() in Loop
c Assigned = element of v in Loop
in Assigned: In = open() in Block
e Assigned: union[X, Y] in Block";
    assert_eq!(bindings(&in_method(body)), expected);
}

#[test]
fn what_one_switch_group_declares_the_next_one_sees() {
    let facts = facts_of(&in_method("switch (k) { case 1: Foo f = null; case 2: f.go(); }"));
    let binding = facts.bindings.iter().find(|binding| facts.name(binding.name) == "f").unwrap();
    let user = facts.exprs.iter().rev().find_map(|expr| match expr {
        Expr::Name { name, scope, .. } if facts.name(*name) == "f" => Some(*scope),
        _ => None,
    });
    assert_eq!(user, Some(binding.scope));
}

#[test]
fn pattern_variables_outlive_an_if_that_leaves() {
    let leaves = bindings(&in_method("if (!(o instanceof T t)) return; t.go();"));
    assert_eq!(leaves, "o Parameter(0): Object in Function\nt Assigned: T in Block\nt Assigned: T in Function");
    let stays = bindings(&in_method("if (o instanceof T t) { t.go(); } t.go();"));
    assert_eq!(stays, "o Parameter(0): Object in Function\nt Assigned: T in Block");
}

#[test]
fn patterns_bind_in_their_arm() {
    let body = "switch (o) { case Foo f when f.ok() -> f.a(); case P(int x, var y, Q(T t)) -> x(); default -> z(); }";
    let expected = "o Parameter(0): Object in Function
f Assigned: Foo in Block
x Assigned: #Int in Block
y Opaque in Block
t Assigned: T in Block";
    assert_eq!(bindings(&in_method(body)), expected);
    assert_eq!(only(&[Role::Call], &in_method(body)), "f.ok(); f.a(); x(); z()");
    assert_eq!(only(&[Role::Type], &in_method(body)), "Object; Foo; P; Q; T");
}

#[test]
fn case_final_and_qualified_record_patterns_bind_and_call_nothing() {
    let body = "return switch (o) { case final Server s -> server(s); case final a.b.M m -> markup(m);
        case a.b.Point(int x, c.Q(R y)) -> point(x, y); default -> null; };";
    assert_eq!(only(&[Role::Call], &in_method(body)), "server(s); markup(m); point(x, y)");
    let bound = bindings(&in_method(body));
    assert!(bound.contains("s Assigned: Server in Block"), "{bound}");
    assert!(bound.contains("x Assigned: #Int in Block\ny Assigned: R in Block"), "{bound}");
    assert_eq!(only(&[Role::Read, Role::Value], &in_method(body)), "");
}

#[test]
fn lambdas_have_parameters_and_results() {
    let body = "f(a -> a.x()); g((b, c) -> { return c; }); h((int d, Foo... e) -> d); k(() -> {});";
    assert_eq!(
        only(&[Role::Call], &in_method(body)),
        "f(lambda[a.x()]); a.x(); g(lambda[c]); h(lambda[d]); k(lambda[])"
    );
    let expected = "o Parameter(0): Object in Function
a Parameter(0) in Lambda
b Parameter(0) in Lambda
c Parameter(1) in Lambda
d Parameter(0): #Int in Lambda
e Parameter(1): Foo[] in Lambda";
    assert_eq!(bindings(&in_method(body)), expected);
}

#[test]
fn calls_keep_their_receiver_paths() {
    let body = "a(); b.c().d(1, \"s\"); this.e(); super.f(); A.this.g(); A.super.h(); I.super.k(); Foo.<T>l(); x[i].m(); ((Bar) o).n();";
    let expected = "a(); b.c(); b.c().d(#Int, #Str); this.e(); super.f(); typed(A).g(); super.h(); typed(I).k(); Foo.l(); x[i].m(); typed(Bar).n()";
    assert_eq!(only(&[Role::Call], &in_method(body)), expected);
}

#[test]
fn constructions_keep_the_constructed_path() {
    let body = "new A(); new a.B<C>(1); new D<>(); out.new In<E>(2); new F[3][]; new int[] {1};";
    let expected = "new A(); new a.B<C>(#Int); new D(); new out.In<E>(#Int)";
    assert_eq!(only(&[Role::Construct], &in_method(body)), expected);
    assert_eq!(only(&[Role::Type], &in_method(body)), "Object; C; E; F");
}

#[test]
fn constructors_call_each_other() {
    let source = "class A { A() { this(1); } A(int i) { super(i); } }";
    assert_eq!(uses(source), "Call this.<init>(#Int) by A.<init>\nCall super.<init>(i) by A.<init>");
}

#[test]
fn method_references_are_values() {
    let body = "f(Foo::bar, this::m, super::n, Foo::new, int[]::new, a.b()::c, A.super::d);";
    let expected = "Foo::bar; this::m; super::n; Foo::<init>; #Int[]::<init>; a.b()::c; super::d";
    assert_eq!(only(&[Role::Value], &in_method(body)), expected);
}

#[test]
fn values_are_typed_as_far_as_the_text_tells() {
    let value = |expression: &str| {
        let facts = facts_of(&in_method(&format!("var v = {expression};")));
        let binding = facts.bindings.iter().find(|binding| facts.name(binding.name) == "v").unwrap();
        binding.value.map_or("-".to_string(), |value| show(&facts, value))
    };
    let cases = [
        ("c ? x : new T()", "either[x, new T()]"),
        ("(Foo<A>) o", "typed(Foo<A>)"),
        ("\"a\" + x", "#Str"),
        ("x + y", "?"),
        ("1 + 2L", "#Long"),
        ("x * 2.0", "#Double"),
        ("x < y && z", "#Bool"),
        ("!x", "#Bool"),
        ("-(x)", "x"),
        ("x++", "x"),
        ("Foo.class", "class of Foo"),
        ("new Foo[3][]", "typed(Foo[][])"),
        ("a[0][i]", "a[#Int][i]"),
        ("y = z", "z"),
        ("y += z", "y"),
        ("switch (k) { case 1 -> p(); default -> { yield q(); } }", "either[p(), q()]"),
        ("0x1F", "#Int"),
        ("1f", "#Float"),
        ("'c'", "#Char"),
        ("null", "#None"),
    ];
    for (expression, expected) in cases {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn locals_are_no_reads_but_fields_are() {
    let source = "class A { int f; void m(int p) { int l = p + f; g(l, f, this.f, p.q); l = f; new Object() { int h() { return l; } }; } }";
    // `l` inside the anonymous class may be something inherited: resolution decides.
    assert_eq!(only(&[Role::Read, Role::Value], source), "f; f; this.f; p.q; f; l");
}

#[test]
fn switch_labels_are_members_of_the_subject_unless_constants() {
    let source = "class A { static final int K = 1; void m(E e, int i) { switch (e) { case X, Y: } switch (i) { case K: case B.L: } } }";
    assert_eq!(only(&[Role::Read], source), "e.X; e.Y; K; B.L");
}

#[test]
fn annotations_belong_to_the_code_around_what_they_annotate() {
    let source =
        "@P(Q.class) class A { @F(x = C.D) int f; @M @Other(@Inner({B.E})) void m(@V Object o) { @L int l; } }";
    let expected = "Decorate P by <module>
Type Q by <module>
Decorate F by A
Read F.x by A
Value C.D by A
Decorate M by A
Decorate Other by A
Decorate Inner by A
Value B.E by A
Decorate V by A.m
Type Object by A.m
Decorate L by A.m";
    assert_eq!(uses(source), expected);
}

#[test]
fn reflection_is_a_dynamic_exit() {
    let body = "Class.forName(n);\nCharset.forName(n);\nc.getDeclaredMethod(n);\nServiceLoader.load(c);\nlist.load(c);";
    let facts = facts_of(&in_method(body));
    let lines: Vec<_> = facts.dynamic.iter().map(|exit| exit.line).collect();
    assert_eq!(lines, [1, 3, 4]);
}

#[test]
fn words_come_from_strings_text_blocks_comments_and_errors() {
    let source = "/** See Helper#run */ class A { String s = \"com.acme.Job\\nrest\"; String t = \"\"\"\n  block\n\"\"\"; // ab tail\n }\n £ broken £";
    let words = facts_of(source).words;
    for word in ["com", "acme", "Job", "block", "broken"] {
        assert!(words.strings.contains(&word_hash(word.as_bytes())), "{word}");
    }
    for word in ["See", "Helper", "run", "tail"] {
        assert!(words.comments.contains(&word_hash(word.as_bytes())), "{word}");
    }
    assert!(!words.comments.contains(&word_hash(b"ab")));
}

const RICH: &str = r#"package a.b; import static x.Y.*; import p.Q;
@D(v = {1, @E}) public class A<T extends B<? super T>> extends P<T>.I implements J {
  static { f(); } final int a = 1, b[] = {2}; enum K { X(1) { void m() {} }, Y; }
  record R<U>(@N U u, int... v) { R { g(u); } } @interface M { int v() default 3; }
  <V> A(V v, int... w) throws E { super(v); this.a = w[0]; }
  Object m(Object o) throws X { if (!(o instanceof T t)) return null;
    for (var e : o.all()) { try (In i = open(); a.c) { e.f(A.super::m, x -> { return x; }); } catch (Y | Z z) { throw z; } finally { } }
    return switch (o) { case final S s -> s(s); case a.P(int x, Q(var y)) when x > 1 -> { yield y; } case K.X, null -> "té\n"; default -> new A<>(1) { int q; }; };
  } }
"#;

#[test]
fn every_prefix_is_extracted_without_a_panic() {
    for end in (0..=RICH.len()).filter(|end| RICH.is_char_boundary(*end)) {
        let facts = facts_of(&RICH[..end]);
        let exprs = facts.exprs.len() as u32;
        assert!(facts.references.iter().all(|reference| reference.expr.0 < exprs));
        assert!(facts.scopes.iter().enumerate().all(|(id, scope)| scope.parent.is_none_or(|up| (up.0 as usize) < id)));
    }
}

#[test]
fn text_that_begins_in_the_middle_is_extracted_without_a_panic() {
    for start in (0..RICH.len()).step_by(9).filter(|start| RICH.is_char_boundary(*start)) {
        facts_of(&RICH[start..]);
    }
}

#[test]
fn deep_nesting_is_walked_without_recursion() {
    let deep = 54_000;
    let braces = format!("class A {{ void m() {{ {} f(x); {} }} }}", "{".repeat(deep), "}".repeat(deep));
    assert_eq!(only(&[Role::Call], &braces), "f(x)");
    let chain = format!("class A {{ Object m() {{ return a{}; }} }}", ".b()".repeat(20_000));
    assert_eq!(facts_of(&chain).references.iter().filter(|reference| reference.role == Role::Call).count(), 20_000);
}
