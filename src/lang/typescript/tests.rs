//! What one file says, as text.

use super::*;
use crate::lang::testing::{bindings, definitions, imports, references};
use crate::lang::{Limits, extract};
use insta::assert_snapshot;

fn facts_of(path: &str, source: &str) -> FileFacts {
    let facts = extract(path, source.as_bytes(), &Limits::default());
    assert_eq!(facts.status, Status::Parsed, "{source}");
    facts
}

#[test]
fn every_form_of_import_and_export_is_told_apart() {
    let source = "\
import a, { b as c, type D } from './m';
import * as n from 'pkg';
import './effect';
import type { E } from './e';
export { a as first, n as default };
export { x as y } from './x';
export * from './all';
export * as ns from './ns';
export const { p, q: [r] } = a;
";
    assert_snapshot!(imports(&facts_of("a.ts", source)), @r"
    import 1 Name ./m default as a in module 0
    import 1 Name ./m b as c in module 0
    import 1 Name ./m D as D in module 0 type_only
    import 2 Module pkg - as n in module 0
    import 3 Module ./effect - as - in module 0
    import 4 Name ./e E as E in module 0 type_only
    import 5 Own  a as first in block 1
    import 5 Own  n as default in block 1
    import 6 Name ./x x as y in block 1
    import 7 Star ./all - as - in block 1
    import 8 Module ./ns - as ns in block 1
    import 9 Own  r as r in block 1
    import 9 Own  p as p in block 1
    ");
}

#[test]
fn commonjs_says_the_same_with_values() {
    let source = "\
const a = require('./a');
const { b, c: d } = require('b');
exports.e = a;
module.exports.f = function () {};
module.exports = { a, g: b, h() {} };
";
    let facts = facts_of("a.js", source);
    assert_snapshot!(imports(&facts) + &definitions(&facts), @r"
    import 1 Module ./a - as a in module 0
    import 2 Module b - as - in module 0
    import 2 Name b b as b in module 0
    import 2 Name b c as d in module 0
    import 3 Own  a as e in block 1
    import 5 Own  a as a in class 3
    import 5 Own  b as g in class 3
    import 3 Own  a as e in class 3
    def 4 function f() [exported]
    def 5 object  [anonymous local]
    def 5 method h() []
    ");
}

#[test]
fn functions_are_named_by_what_they_are_given_to() {
    let source = "\
const f = async (x) => g(x);
class A { h = () => {}; static k() {} get v() { return 1; } set v(x) {} }
const o = { m() {}, n: function () {}, p: { q: () => { } } };
A.prototype.r = function () {};
call(() => f(), function inner() {});
";
    assert_snapshot!(definitions(&facts_of("a.js", source)), @r"
    def 1 function f(x) returns g(x) [async]
    def 2 class A []
    def 2 method A.h() []
    def 2 method A.k() [static]
    def 2 method A.v() returns Int [property]
    def 2 method A.v(x) [property overload]
    def 3 object o []
    def 3 method o.m() []
    def 3 method o.n() []
    def 3 object o.p []
    def 3 method o.p.q() []
    def 4 method A.r() []
    ");
}

#[test]
fn bindings_say_where_they_hold() {
    let source = "\
let x: T = f();
function g({ a, b = 1 }: P, ...rest: Q[]) {
  if (a instanceof R) { x = a; }
  for (const e of rest) { }
}
";
    assert_snapshot!(bindings(&facts_of("a.ts", source)), @r"
    bind 1 x Assigned: T = f() in module 0
    bind 3 x Assigned: T = a in module 0 at block 3
    bind 2 {0} Parameter(0): P in function 1
    bind 2 a Assigned = {0}.a in function 1
    bind 3 a Narrowed: R in function 1 at block 2
    bind 2 b Assigned = {0}.b in function 1
    bind 2 rest Parameter(1): Q[] in function 1
    bind 4 e Assigned = element(rest) in loop 4
    ");
}

#[test]
fn uses_of_locals_are_dropped_and_others_kept() {
    let source = "\
function f(p) { const l = p; use(l, g, p.q); return <View on={g} of={l}/>; }
const g = 1;
";
    assert_snapshot!(references(&facts_of("a.jsx", source)), @r"
    ref 1 Call use(l, g, p.q) by f
    ref 1 Value g by f
    ref 1 Value p.q by f
    ref 1 Call View() by f
    ref 1 Value g by f
    ");
}
