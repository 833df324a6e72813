//! Extraction as a whole: encodings, budgets, recovery.

use super::*;
use crate::model::*;

fn names(facts: &FileFacts) -> Vec<(String, u32)> {
    let named = (0..).zip(&facts.definitions).filter(|(_, d)| d.kind.is_type() || d.kind.is_callable());
    named.map(|(id, d)| (facts.qualname(DefId(id)), d.span.line)).collect()
}

fn by_regex(path: &str, text: &str) -> FileFacts {
    extract(path, text.as_bytes(), &Limits::NO_PARSER)
}

#[test]
fn kinds_of_files_are_told_by_name() {
    for (path, language) in [
        ("a/b.py", Some(Language::Python)),
        ("A.java", Some(Language::Java)),
        ("a.ts", Some(Language::TypeScript)),
        ("a.d.mts", Some(Language::TypeScript)),
        ("a.jsx", Some(Language::JavaScript)),
        ("a/b.go", Some(Language::Go)),
        ("go.mod", Some(Language::Text)),
        ("go.sum", None),
        ("docs/x.md", Some(Language::Text)),
        ("Dockerfile", Some(Language::Text)),
        ("a.b/Makefile", Some(Language::Text)),
        ("a.py/x", None),
        (".py", None),
        ("x.PNG", None),
        ("x.lock", None),
    ] {
        assert_eq!(language_of(path), language, "{path}");
    }
}

#[test]
fn without_a_parser_the_status_says_so() {
    let facts = by_regex("a.py", "def f():\n    g()\n");
    assert_eq!(facts.status, Status::Fallback("parser switched off".to_owned()));
    assert_eq!(names(&facts), [("f".to_owned(), 1)]);
}

#[test]
fn a_spent_budget_ends_parsing_at_the_same_place_every_time() {
    let source = "x = [((1, 2), {3: 4})]\n".repeat(2_000) + "def last(): pass\n";
    let limits = Limits { steps: 1_000, steps_per_byte: 0, ..Limits::default() };
    for _ in 0..2 {
        let facts = extract("a.py", source.as_bytes(), &limits);
        assert_eq!(facts.status, Status::Fallback("parsing took too long".to_owned()));
        assert_eq!(names(&facts), [("last".to_owned(), 2_001)]);
    }
    // The parser that was stopped reads the next file from its beginning.
    assert_eq!(extract("a.py", b"def f(): pass\n", &Limits::default()).status, Status::Parsed);
}

#[test]
fn line_ends_of_every_kind_give_the_same_lines() {
    let unix = "class A:\n    def f(self):\n        '''a\n        b'''\n        return g()\n\x0c\ndef g(): pass\n";
    for limits in [Limits::default(), Limits::NO_PARSER] {
        let expected = extract("a.py", unix.as_bytes(), &limits);
        for (end, other) in [("\r\n", unix.replace('\n', "\r\n")), ("\r", unix.replace('\n', "\r"))] {
            let facts = extract("a.py", other.as_bytes(), &limits);
            assert_eq!(names(&facts), names(&expected), "{end:?}");
            assert_eq!(facts.lines, 7, "{end:?}");
            assert_eq!(facts.status, expected.status, "{end:?}");
        }
    }
    assert_eq!(names(&by_regex("a.py", unix)), [("A".to_owned(), 1), ("A.f".to_owned(), 2), ("g".to_owned(), 7)]);
}

#[test]
fn text_that_cannot_be_decoded_yields_nothing() {
    let facts = extract("a.py", b"\xff\xfed\0e\0f\0 \0f", &Limits::default());
    assert_eq!((facts.status, facts.definitions.len(), facts.names.len()), (Status::Words, 0, 0));
}

#[test]
fn utf16_and_invalid_utf8_are_read() {
    let wide: Vec<u8> = "\u{feff}def wide(): pass\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [&wide[..], b"\xef\xbb\xbfdef wide(): pass # \xe9\n"] {
        let facts = extract("a.py", bytes, &Limits::NO_PARSER);
        assert_eq!(names(&facts), [("wide".to_owned(), 1)]);
        assert!(facts.names.iter().all(|name| !name.contains(['\0', '\u{fffd}', '\u{feff}'])));
    }
}

#[test]
fn other_text_gives_words_only() {
    let facts = extract("a.toml", b"start = \"shop.load_all\"\n", &Limits::default());
    let mut expected = ["start", "shop", "load_all"].map(|word| word_hash(word.as_bytes()));
    expected.sort_unstable();
    assert_eq!(facts.words.strings, expected);
    assert_eq!((facts.language, facts.status, facts.lines), (Language::Text, Status::Words, 1));
}

#[test]
fn definitions_in_what_did_not_parse_are_recovered() {
    let source = "\
class A:
    def ok(self): pass
<<<<<<< HEAD
    def mine(self, x): return x
=======
    def theirs(self, y): return y
>>>>>>> other
    def after(self): pass
def last(): pass
";
    let facts = extract("a.py", source.as_bytes(), &Limits::default());
    let Status::Partial(ranges) = &facts.status else { panic!("{:?}", facts.status) };
    assert!(ranges.iter().all(|(first, last)| 1 <= *first && first <= last && *last <= 9), "{ranges:?}");
    assert!(ranges.windows(2).all(|two| two[0].1 < two[1].0), "{ranges:?}");
    let found = names(&facts);
    assert!(found.iter().any(|(name, line)| name.ends_with("theirs") && *line == 6), "{found:?}");
    assert!(facts.definitions.is_sorted_by_key(|definition| definition.span.at));
    let hash = word_hash(b"HEAD");
    assert!(facts.words.strings.contains(&hash), "what did not parse may mention names");
}

#[test]
fn recovered_definitions_take_their_place_among_the_others() {
    let mut builder = Builder::new(Language::Python);
    let outer = builder.name("A");
    let outer = builder.new_definition(outer, DefKind::Class, Span { line: 1, end_line: 5, at: 6 });
    let outer = builder.open_definition(outer);
    let body = builder.open_scope(ScopeKind::Class, Some(outer));
    builder.definition_mut(outer).body = Some(body);
    let called = builder.opaque();
    builder.reference(called, Role::Call, 4, 60);
    builder.close_scope();
    builder.close_definition();
    let last = builder.name("last");
    let last = builder.new_definition(last, DefKind::Function, Span { line: 6, end_line: 6, at: 90 });
    let last = builder.open_definition(last);
    builder.open_scope(ScopeKind::Function, Some(last));
    builder.reference(called, Role::Call, 6, 95);

    let source = "class A:\n    x = 1\n    def lost(self):\n        return f(x)\n    y = 1\ndef last(): f(x)\n";
    errors::recover(&mut builder, &by_regex("a.py", source), &[(3, 4)], source);

    let facts = builder.finish();
    assert_eq!(names(&facts), [("A".to_owned(), 1), ("A.lost".to_owned(), 3), ("last".to_owned(), 6)]);
    let lost = facts.definition(DefId(1));
    assert!(lost.flags.has(DefFlags::RECOVERED) && lost.scope == body && lost.container == Some(DefId(0)));
    let callers: Vec<_> = facts.references.iter().map(|r| facts.qualname(r.enclosing.unwrap())).collect();
    assert_eq!(callers, ["A.lost", "last"]);
    let owners: Vec<_> = facts.scopes.iter().filter_map(|scope| scope.definition).collect();
    assert_eq!(owners, [DefId(0), DefId(2)]);
}

#[test]
fn a_region_with_hundreds_of_errors_is_listed_in_few_ranges() {
    let source = "x = )\n\n\n".repeat(300);
    let facts = extract("a.py", source.as_bytes(), &Limits::default());
    let Status::Partial(ranges) = facts.status else { panic!("{:?}", facts.status) };
    assert!((1..=50).contains(&ranges.len()), "{}", ranges.len());
}

#[test]
fn deep_nesting_is_survived() {
    let java = format!("class A {{ void f() {{ {}{} }} }}", "{".repeat(54_000), "}".repeat(54_000));
    extract("A.java", java.as_bytes(), &Limits::default());
    let python = format!("x = {}1{}\ndef f(): pass\n", "(".repeat(54_000), ")".repeat(54_000));
    extract("a.py", python.as_bytes(), &Limits::default());
    extract("a.py", "a.b().".repeat(10_000).as_bytes(), &Limits::default());
    for (open, close) in [("(", ")"), ("{", "}"), ("[", "]"), ("a(() => ", ")"), ("{a:", "}"), ("!", ""), ("f<", ">()")]
    {
        let nested = format!("const x = {}1{}\nfunction f() {{}}\n", open.repeat(10_000), close.repeat(10_000));
        for path in ["a.ts", "a.tsx", "a.js"] {
            extract(path, nested.as_bytes(), &Limits::default());
        }
    }
}

/// A text of every kind, full of what its language has.
fn samples() -> Vec<(&'static str, &'static str)> {
    let source = "\u{feff}@d\nclass A(B):\n  async def f(self, *a: T = 'é'): return f'{a}' if a else [x for x in y]\n";
    let java = "package a; import b.C; class D<T> extends C { int x = new C() { void m() {} }.n(); }";
    let go = "package a\nimport b \"c\"\ntype D[T any] struct{ *E }\nfunc (d *D[T]) m(x ...T) (é, error) { for k, v := range x {} }\n";
    let typescript = "@d() export abstract class A<T> extends b.C<T> { constructor(private x = 1) { super(); } \
        static async *f?({ a, ...r }: { a: T[] }, [b]: 'é' | typeof x): x is T { for (const [k] of r) if (!(k instanceof A)) return; \
        else this.y ??= `${k as any}`; } } export * as n from './m'; const o = { m() {}, [k]: (v) => v!, ...o, s }; enum E { X = 1 }";
    let javascript = "exports.a = require('b'); F.prototype = { m: function () { this.x = <B.C d={e}>{...f}</B.C>; } }; \
        class G extends (H, I) { #p = 1; static { g?.(); } get q() { return [...a]; } } module.exports = { a, b: c }";
    let config = "{ /* c */ \"name\": \"é\", \"exports\": { \".\": [\"./a\"] }, \"compilerOptions\": { \"paths\": { \"@/*\": [\"*\",], }, }, }";
    vec![
        ("a.py", source),
        ("A.java", java),
        ("a.go", go),
        ("go.mod", "module a\nreplace b => ./c"),
        ("a.md", source),
        ("a.ts", typescript),
        ("a.tsx", typescript),
        ("a.js", javascript),
        ("tsconfig.json", config),
        ("package.json", config),
    ]
}

#[test]
fn every_prefix_of_every_kind_extracts() {
    for (path, source) in samples() {
        for end in 0..=source.len() {
            extract(path, &source.as_bytes()[..end], &Limits::default());
            extract(path, &source.as_bytes()[end..], &Limits::default());
        }
    }
}

/// Bits flipped, pieces taken out, doubled and put in from other texts: `FLOORPLAN_MUTATIONS` of them, by chance that is
/// always the same.
#[test]
fn spoiled_text_of_every_kind_extracts() {
    let count: u64 = std::env::var("FLOORPLAN_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_500);
    let samples = samples();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % limit.max(1)
    };
    for _ in 0..count {
        let (path, source) = samples[below(samples.len())];
        let mut bytes = source.as_bytes().to_vec();
        for _ in 0..=below(4) {
            let (from, len) = (below(bytes.len()), below(24));
            let piece = from..(from + len).min(bytes.len());
            match below(4) {
                0 if !bytes.is_empty() => bytes[from] ^= 1 << below(8),
                1 => drop(bytes.splice(piece, [])),
                2 => {
                    let other = samples[below(samples.len())].1.as_bytes();
                    let at = below(other.len());
                    drop(bytes.splice(piece, other[at..(at + 40).min(other.len())].iter().copied()));
                }
                _ => {
                    let doubled = bytes[piece.clone()].repeat(1 + below(30));
                    drop(bytes.splice(piece, doubled));
                }
            }
        }
        extract(path, &bytes, &Limits::default());
    }
}

#[test]
fn the_same_bytes_give_the_same_facts() {
    let source = b"class A:\n  def f(self): return g(1)\nx = (\ndef h(): pass\n";
    for limits in [Limits::default(), Limits::NO_PARSER] {
        let stored = || postcard::to_allocvec(&extract("a.py", source, &limits)).unwrap();
        assert_eq!(stored(), stored());
    }
}
