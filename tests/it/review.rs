//! Reviews of changes to small repositories, through the whole pipeline: a graph of the old sources, a diff to the new ones.

use floorplan::index;
use floorplan::lang;
use floorplan::model::FileVersions;
use floorplan::query::review::{Change, Comparison, Review, review};
use floorplan::store::{self, Meta, Reader};
use insta::assert_snapshot;
use std::collections::BTreeMap;

/// A graph of the old sources, and the review of the change to the new ones. `//- path` begins a file; a file that the new
/// sources lack is as it was, one that is empty there is gone.
fn reviewed(old: &str, new: &str) -> Review {
    let files = |text: &str| -> BTreeMap<String, String> {
        let parts = text.split("//- ").filter(|part| !part.trim().is_empty());
        parts.map(|part| part.split_once('\n').unwrap()).map(|(path, text)| (path.into(), text.into())).collect()
    };
    let (old, new) = (files(old), files(new));
    let sources: Vec<(&str, &str)> = old.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let graph = index::graph_of_sources(&sources).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("graph.db");
    let meta = Meta { root: "/repo".into(), git_dir: "/repo/.git".into(), head: None, indexed_at: 0 };
    store::replace_all(&db, &graph, &meta).unwrap();
    let reader = Reader::open(&db, "/repo", "/repo/.git").unwrap();
    let version = |text: &String| (!text.is_empty()).then(|| text.clone().into_bytes());
    let changed = new.iter().map(|(path, text)| FileVersions {
        path: path.clone(),
        old: old.get(path).and_then(version),
        new: version(text),
    });
    let text = |path: &str| new.get(path).or_else(|| old.get(path)).and_then(version);
    let facts = |path: &str, bytes: &[u8]| lang::extract(path, bytes, &lang::Limits::default());
    let comparison =
        Comparison { from: "a".into(), to: "b".into(), files: changed.collect(), text: &text, facts: &facts };
    review(&reader, comparison).unwrap()
}

fn shown(review: &Review) -> String {
    let mut text = String::new();
    for symbol in &review.symbols {
        let dependents = symbol.dependents.as_ref().map_or("unknown".into(), |d| {
            format!("{} dependents {} tests {} possible", d.counts.resolved, d.counts.tests, d.counts.possible)
        });
        text.push_str(&format!("{:?} {}::{} {dependents}\n", symbol.change, symbol.file, symbol.qualname));
    }
    for broken in &review.broken {
        text.push_str(&format!("broken {}:{} {:?}\n", broken.file, broken.line, broken.why));
    }
    for test in &review.tests {
        text.push_str(&format!("test {} at {}\n", test.file, test.depth));
    }
    text + &format!("untested {:?}\n", review.untested)
}

const SHOP: &str = "//- shop/price.py\ndef net(amount, rate=0.2):\n    return amount * rate\n\ndef gross(amount):\n    return net(amount, 0.3)\n\n\
    class Cart:\n    def __init__(self, owner):\n        self.owner = owner\n    def add(self, item, count=1):\n        return net(item)\n\
    //- shop/api.py\nfrom shop.price import Cart, gross, net\n\ndef show(x):\n    cart = Cart(x)\n    cart.add(x, count=2)\n    return net(x, rate=0.1)\n\n\
    def total(x, *rest):\n    return net(*rest) + gross(x)\n\
    //- tests/test_price.py\nfrom shop.price import net\n\ndef test_net():\n    assert net(1) == 2\n";

fn price(net: &str, rest: &str) -> String {
    let after = SHOP.split("def gross").nth(1).unwrap().split("//- shop/api.py").next().unwrap();
    format!("//- shop/price.py\n{net}\n\ndef gross{}", after.replace("def add(self, item, count=1)", rest))
}

#[test]
fn calls_that_no_longer_fit_are_named_and_others_are_not() {
    let new = price("def net(amount, tax):\n    return amount * tax", "def add(self, item, count=1)");
    assert_snapshot!(shown(&reviewed(SHOP, &new)), @r#"
    Signature shop/price.py::net 5 dependents 2 tests 0 possible
    broken shop/api.py:6 Unknown { keyword: "rate" }
    broken shop/price.py:11 Missing { parameter: "tax" }
    broken tests/test_price.py:4 Missing { parameter: "tax" }
    test tests/test_price.py at 1
    untested []
    "#);
}

#[test]
fn a_changed_body_breaks_no_call() {
    let new = price("def net(amount, rate=0.2):\n    return amount / rate", "def add(self, item, count=1)");
    assert_snapshot!(shown(&reviewed(SHOP, &new)), @"
    Body shop/price.py::net 5 dependents 2 tests 0 possible
    test tests/test_price.py at 1
    untested []
    ");
}

#[test]
fn keywords_of_methods_are_checked_through_their_object() {
    let new = price("def net(amount, rate=0.2):\n    return amount * rate", "def add(self, item, number=1)");
    assert_snapshot!(shown(&reviewed(SHOP, &new)), @r#"
    Signature shop/price.py::Cart.add 1 dependents 0 tests 0 possible
    broken shop/api.py:5 Unknown { keyword: "count" }
    untested ["shop/price.py::Cart.add"]
    "#);
}

#[test]
fn a_constructor_is_checked_where_its_class_is_called() {
    let new = SHOP
        .split("//- shop/api.py")
        .next()
        .unwrap()
        .replace("def __init__(self, owner)", "def __init__(self, owner, shop)");
    assert_snapshot!(shown(&reviewed(SHOP, &new)), @r#"
    Signature shop/price.py::Cart.__init__ 1 dependents 0 tests 0 possible
    broken shop/api.py:4 Missing { parameter: "shop" }
    untested ["shop/price.py::Cart.__init__"]
    "#);
}

#[test]
fn what_is_gone_is_missed_by_those_who_did_not_change() {
    let new = SHOP.split("def net").next().unwrap().to_string() + "def gross(amount):\n    return amount\n";
    assert_snapshot!(shown(&reviewed(SHOP, &new)), @r#"
    Body shop/price.py::gross 2 dependents 0 tests 0 possible
    Removed shop/price.py::net 5 dependents 2 tests 0 possible
    Removed shop/price.py::Cart 2 dependents 0 tests 0 possible
    Removed shop/price.py::Cart.__init__ 1 dependents 0 tests 0 possible
    Removed shop/price.py::Cart.add 1 dependents 0 tests 0 possible
    broken shop/api.py:1 Gone
    broken shop/api.py:4 Gone
    broken shop/api.py:5 Gone
    broken shop/api.py:6 Gone
    broken shop/api.py:9 Gone
    broken tests/test_price.py:1 Gone
    broken tests/test_price.py:4 Gone
    test tests/test_price.py at 1
    untested ["shop/price.py::gross", "shop/price.py::Cart", "shop/price.py::Cart.__init__", "shop/price.py::Cart.add"]
    "#);
    // Moved and imported back under its name: nobody misses it.
    let moved = "//- shop/price.py\nfrom shop.net import net\n\ndef gross(amount):\n    return net(amount, 0.3)\n\n\
        //- shop/net.py\ndef net(amount, rate=0.2):\n    return amount * rate\n\n";
    let review = reviewed(SHOP, moved);
    assert!(review.symbols.iter().any(|s| s.change == Change::Moved && s.from.as_deref() == Some("shop/price.py")));
    assert!(!review.broken.iter().any(|broken| broken.symbol.ends_with("::net")), "{}", shown(&review));
}

#[test]
fn callers_that_changed_with_it_are_read_as_they_are_now() {
    let price = price("def net(amount, tax):\n    return amount * tax", "def add(self, item, count=1)")
        .replace("net(item)", "net(item, 1)");
    let api = "//- shop/api.py\nfrom shop.price import Cart, gross, net\n\n\n\n\ndef show(x):\n    cart = Cart(x)\n    return net(x, tax=0.1)\n";
    let tests = "//- tests/test_price.py\nfrom shop.price import net\n\ndef test_net():\n    assert net(1, 2) == 2\n";
    assert_snapshot!(shown(&reviewed(SHOP, &format!("{price}{api}{tests}"))), @r#"
    Body shop/api.py::show 0 dependents 0 tests 0 possible
    Removed shop/api.py::total 0 dependents 0 tests 0 possible
    Signature shop/price.py::net 5 dependents 2 tests 0 possible
    Body shop/price.py::Cart.add 1 dependents 0 tests 0 possible
    Body tests/test_price.py::test_net 0 dependents 0 tests 0 possible
    test tests/test_price.py at 1
    untested ["shop/api.py::show", "shop/api.py::total", "shop/price.py::Cart.add"]
    "#);
}

#[test]
fn an_overload_that_takes_the_call_will_do() {
    let old = "//- A.java\nclass A { void m(int a) {} }\n//- B.java\nclass B { void go(A a) { a.m(1); } }\n";
    let added = "//- A.java\nclass A { void m(int a, int b) {} void m(int a) { m(a, 0); } }\n";
    assert_snapshot!(shown(&reviewed(old, added)), @r#"
    Added A.java::A.m unknown
    Body A.java::A.m 1 dependents 0 tests 0 possible
    untested ["A.java::A.m"]
    "#);
    let changed = "//- A.java\nclass A { void m(int a, int b) {} }\n";
    assert_snapshot!(shown(&reviewed(old, changed)), @r#"
    Signature A.java::A.m 1 dependents 0 tests 0 possible
    broken B.java:1 Missing { parameter: "b" }
    untested ["A.java::A.m"]
    "#);
}

#[test]
fn nothing_changed_is_nothing_said() {
    let review = reviewed(SHOP, "");
    assert!(review.symbols.is_empty() && review.dependents.is_none() && review.files == 0);
}

fn broken(old: &str, new: &str) -> Vec<String> {
    reviewed(old, new).broken.iter().map(|b| format!("{}:{} {:?}", b.file, b.line, b.why)).collect()
}

#[test]
fn another_declared_type_is_missed_where_the_old_one_does_not_go_for_it() {
    let old = "//- A.java\nclass A { void take(Sub s, int n, Sub last) {} Base give() { return null; } }\n\
        //- B.java\nclass B {\n  void go(A a, Sub s) {\n    a.take(s, 1, s);\n    a.give();\n  }\n}\n\
        //- Base.java\nclass Base {}\n//- Sub.java\nclass Sub extends Base {}\n//- Other.java\nclass Other {}\n";
    let changed = |a: &str| broken(old, &format!("//- A.java\nclass A {{ {a} }}\n"));
    assert!(changed("void take(Base s, long n, Object last) {} Sub give() { return null; }").is_empty(), "wider");
    assert!(changed("void take(Elsewhere.Type s, int n, Sub last) {} Base give() { return null; }").len() == 1);
    assert_eq!(
        changed("void take(Sub s, int n, Other last) {} Other give() { return null; }"),
        [
            r#"B.java:3 Retyped { parameter: "last", was: "Sub", is: "Other" }"#,
            r#"B.java:4 Result { was: "Base", is: "Other" }"#
        ]
    );
    let overloads =
        "void take(Sub s, int n, Other last) {} void take(Sub s, int n, Base last) {} Base give() { return null; }";
    assert!(changed(overloads).is_empty(), "another overload takes it");
}

#[test]
fn a_member_of_a_class_with_bases_is_gone_unless_one_of_them_has_it() {
    let repo = |bases: &str, base: &str| {
        format!(
            "//- Base.java\nclass Base {{ {base} }}\n//- A.java\nclass A {bases} {{ void m() {{}} }}\n\
             //- B.java\nclass B {{ void go(A a) {{ a.m(); }} }}\n"
        )
    };
    let without = |bases: &str, base: &str| broken(&repo(bases, base), &format!("//- A.java\nclass A {bases} {{ }}\n"));
    assert_eq!(without("extends Base implements java.io.Serializable", ""), ["B.java:1 Gone"]);
    assert!(without("extends Base", "void m() {}").is_empty(), "inherited");
    assert!(without("extends other.Unknown", "").is_empty(), "perhaps inherited");
}

#[test]
fn overrides_and_implementations_have_to_follow() {
    let old = "//- I.java\ninterface I {\n  void m(int a);\n}\n//- A.java\nclass A implements I {\n  public void m(int a) {}\n}\n\
        //- B.java\nabstract class B implements I {\n}\n//- C.java\nclass C extends B {\n  public void m(int a) {}\n  public void n() {}\n}\n";
    let with = |members: &str| broken(old, &format!("//- I.java\ninterface I {{\n  {members}\n}}\n"));
    assert_eq!(with("void m(int a, int b);"), ["A.java:2 Overrides", "C.java:2 Overrides"]);
    assert_eq!(with("void m(int a); void n();"), ["A.java:1 Lacks"]);
    assert!(with("void m(int a); default void n() {}").is_empty());
}

#[test]
fn what_became_a_coroutine_has_to_be_awaited() {
    let old = "//- a.py\ndef f():\n    return 1\n\
        //- b.py\nfrom a import f\n\nasync def g(run):\n    f()\n    await f()\n    run(f())\n    x = f()\n    await x\n    y = f()\n    return f()\n";
    assert_eq!(broken(old, "//- a.py\nasync def f():\n    return 1\n"), ["b.py:4 Awaitable", "b.py:9 Awaitable"]);
}

#[test]
fn a_class_that_lost_its_constructors_takes_nothing() {
    let old =
        "//- A.java\nclass A { A() {} A(int a) {} }\n//- B.java\nclass B {\n  A a = new A();\n  A b = new A(1);\n}\n";
    assert_eq!(broken(old, "//- A.java\nclass A { }\n"), ["B.java:3 TooMany { given: 1, taken: 0 }"]);
    assert!(broken(old, "//- A.java\nclass A extends Unknown { }\n").is_empty(), "perhaps inherited");
    assert_eq!(
        broken(old, "//- A.java\nclass A { A() {} A(int a, int b) {} }\n"),
        ["B.java:3 TooMany { given: 1, taken: 0 }"]
    );
    assert!(broken(old, "//- A.java\nclass A { A() {} A(long a) {} }\n").is_empty());
}

#[test]
fn a_type_that_is_only_a_hint_has_to_be_plainly_another() {
    let old = "//- a.py\nclass Order: ...\n\nclass Rush(Order): ...\n\nclass Mail:\n    def send(self, what: bool, to: str):\n        pass\n\
        \n    def last(self) -> int:\n        return 1\n\
        //- b.py\nfrom a import Mail\n\ndef go(mail: Mail):\n    mail.send(True, \"x\")\n    mail.last()\n";
    let changed = |send: &str, last: &str| {
        let file = old.split("//- b.py").next().unwrap();
        broken(old, &file.replace("what: bool, to: str", send).replace("-> int", last))
    };
    assert_eq!(
        changed("what: Order, to: str", "-> bytes"),
        [
            r#"b.py:4 Retyped { parameter: "what", was: "bool", is: "Order" }"#,
            r#"b.py:5 Result { was: "int", is: "bytes" }"#
        ]
    );
    for (send, last) in [
        ("what: int, to: str", "-> float"),
        ("what: bool | Order, to: str | None", "-> int | None"),
        ("what: elsewhere.Thing, to: Iterable[str]", "-> Unknown"),
        ("what, to", ""),
    ] {
        assert!(changed(send, last).is_empty(), "{send} {last}: {:?}", changed(send, last));
    }
}
