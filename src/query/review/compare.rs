//! Which definitions differ between two versions of one file, and how: added, removed, another signature, another body.
//!
//! Definitions are paired by qualified name, overloads by their signature first. Local functions and fields that are
//! assigned inside methods are part of the code around them.

use super::{Change, ChangedSymbol};
use crate::lang;
use crate::model::*;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use xxhash_rust::xxh3::Xxh3;

/// A type is spelled out this deep.
const MAX_TYPE: usize = 4;

/// One version of a file.
pub(crate) struct Version {
    pub(crate) facts: FileFacts,
    /// Definitions worth naming, in source order.
    definitions: Vec<Outline>,
}

/// One definition as it is compared.
struct Outline {
    id: DefId,
    qualname: String,
    signature: String,
    body: u64,
}

impl Version {
    pub(crate) fn new(path: &str, bytes: &[u8]) -> Version {
        let facts = lang::extract(path, bytes, &lang::Limits::default());
        let text = String::from_utf8_lossy(bytes);
        let lines: Vec<&str> = text.lines().collect();
        let definitions = outlines(&facts, &lines);
        Version { facts, definitions }
    }

    /// One that will be looked into, but not compared with another.
    pub(crate) fn of_facts(facts: FileFacts) -> Version {
        let definitions = outlines(&facts, &[]);
        Version { facts, definitions }
    }

    /// All definitions of a name, overloads included.
    pub(crate) fn named<'v>(&'v self, qualname: &'v str) -> impl Iterator<Item = &'v Definition> + 'v {
        let of_name = move |outline: &&Outline| outline.qualname == qualname;
        self.definitions.iter().filter(of_name).map(|outline| self.facts.definition(outline.id))
    }
}

fn outlines(facts: &FileFacts, lines: &[&str]) -> Vec<Outline> {
    let ids: Vec<DefId> = (0..facts.definitions.len() as u32).map(DefId).filter(|id| is_named(facts, *id)).collect();
    // Each line belongs to the innermost named definition around it; a container stands before its members.
    let mut owner: Vec<Option<usize>> = vec![None; lines.len() + 1];
    for (index, id) in ids.iter().enumerate() {
        let definition = facts.definition(*id);
        let first = definition.start_line.max(1) as usize;
        let end = (definition.span.end_line as usize).min(lines.len()) + 1;
        if let Some(own) = owner.get_mut(first..end) {
            own.fill(Some(index));
        }
    }
    let mut bodies: Vec<Xxh3> = ids.iter().map(|_| Xxh3::new()).collect();
    for (line, owner) in owner.iter().enumerate().skip(1) {
        if let Some(owner) = owner
            && let Some(text) = lines.get(line - 1).map(|text| text.trim_end()).filter(|text| is_code(text))
        {
            text.hash(&mut bodies[*owner]);
        }
    }
    let outline = |(id, body): (DefId, Xxh3)| Outline {
        id,
        qualname: facts.qualname(id),
        signature: signature(facts, facts.definition(id)),
        body: body.finish(),
    };
    ids.into_iter().zip(bodies).map(outline).collect()
}

/// Neither blank nor, as far as its first characters tell in any language, a comment.
fn is_code(line: &str) -> bool {
    let line = line.trim_start();
    !(line.is_empty()
        || line == "#"
        || ["# ", "#:", "//", "/*", "* ", "*/"].iter().any(|mark| line.starts_with(mark))
        || line == "*")
}

fn is_named(facts: &FileFacts, id: DefId) -> bool {
    let definition = facts.definition(id);
    if definition.flags.has(DefFlags::LOCAL | DefFlags::ANONYMOUS | DefFlags::OVERLOAD) {
        return false;
    }
    // A field that a method assigns stands inside the method's lines.
    let in_method = definition.kind == DefKind::Field
        && definition.container.is_some_and(|class| {
            let around = |other: &Definition| {
                other.container == Some(class)
                    && other.kind.is_callable()
                    && (other.span.line..=other.span.end_line).contains(&definition.span.line)
            };
            facts.definitions.iter().any(around)
        });
    let mut container = definition.container;
    while let Some(outer) = container {
        let outer = facts.definition(outer);
        if outer.kind.is_callable() || outer.flags.has(DefFlags::ANONYMOUS | DefFlags::LOCAL) {
            return false;
        }
        container = outer.container;
    }
    !in_method
}

/// What changed in one file.
pub(crate) fn compare(path: &str, old: Option<&Version>, new: Option<&Version>) -> Vec<ChangedSymbol> {
    let mut changed = Vec::new();
    let mut pairs: BTreeMap<&str, (Vec<&Outline>, Vec<&Outline>)> = BTreeMap::new();
    for outline in old.iter().flat_map(|version| &version.definitions) {
        pairs.entry(&outline.qualname).or_default().0.push(outline);
    }
    for outline in new.iter().flat_map(|version| &version.definitions) {
        pairs.entry(&outline.qualname).or_default().1.push(outline);
    }
    let symbol = |version: &Version, outline: &Outline, change, before: Option<&Outline>, after: Option<&Outline>| {
        let definition = version.facts.definition(outline.id);
        ChangedSymbol {
            file: path.to_string(),
            qualname: outline.qualname.clone(),
            kind: definition.kind.name(),
            line: definition.span.line,
            end_line: definition.span.end_line,
            change,
            from: None,
            before: before.map(|outline| outline.signature.clone()),
            after: after.map(|outline| outline.signature.clone()),
            body: outline.body,
            exported: definition.flags.has(DefFlags::EXPORTED),
            test: lang::is_test(path),
            dependents: None,
        }
    };
    for (_, (mut before, mut after)) in pairs {
        // Equal signatures first, so that an overload in between pairs nothing wrongly.
        let mut paired = Vec::new();
        before.retain(|old| match after.iter().position(|new| new.signature == old.signature) {
            Some(at) => {
                paired.push((*old, after.remove(at)));
                false
            }
            None => true,
        });
        let rest = before.len().min(after.len());
        paired.extend(before.drain(..rest).zip(after.drain(..rest)));
        if let (Some(_), Some(new)) = (old, new) {
            for (was, is) in paired {
                if was.signature != is.signature {
                    changed.push(symbol(new, is, Change::Signature, Some(was), Some(is)));
                } else if was.body != is.body {
                    changed.push(symbol(new, is, Change::Body, None, None));
                }
            }
        }
        if let Some(old) = old {
            changed.extend(before.into_iter().map(|was| symbol(old, was, Change::Removed, Some(was), None)));
        }
        if let Some(new) = new {
            changed.extend(after.into_iter().map(|is| symbol(new, is, Change::Added, None, Some(is))));
        }
    }
    changed.sort_by(|a, b| (a.line, &a.qualname, a.change).cmp(&(b.line, &b.qualname, b.change)));
    changed
}

/// `name(a, b: int, *rest) -> str`, `async name()`, `class Name(Base)`; defaults are shown as `=…`. Empty for what has no signature.
pub(crate) fn signature(facts: &FileFacts, definition: &Definition) -> String {
    let name = facts.name(definition.name);
    let types = |list: List| facts.list(list).iter().map(|id| type_text(facts, *id, 0)).collect::<Vec<_>>();
    if definition.kind.is_type() {
        let supertypes = [types(definition.supertypes), types(definition.interfaces)].concat();
        let supertypes = if supertypes.is_empty() { String::new() } else { format!("({})", supertypes.join(", ")) };
        return format!("{} {name}{supertypes}", definition.kind.name());
    }
    // `void` and `None` say as much as nothing does.
    let declared = definition.ty.filter(|ty| !matches!(facts.expr(*ty), Expr::Literal(Literal::None)));
    let declared = declared.map(|ty| type_text(facts, ty, 0));
    if !definition.kind.is_callable() {
        return declared.map_or_else(|| name.to_string(), |ty| format!("{name}: {ty}"));
    }
    let params: Vec<String> = definition.params.iter().map(|param| param_text(facts, param)).collect();
    let result = declared.map_or_else(String::new, |ty| format!(" -> {ty}"));
    let is_async = if definition.flags.has(DefFlags::ASYNC) { "async " } else { "" };
    format!("{is_async}{name}({}){result}", params.join(", "))
}

fn param_text(facts: &FileFacts, param: &Param) -> String {
    let mark = match param.kind {
        ParamKind::Rest => "*",
        ParamKind::KeywordRest => "**",
        _ => "",
    };
    let ty = param.ty.map_or_else(String::new, |ty| format!(": {}", type_text(facts, ty, 0)));
    let default = if param.optional
        && matches!(param.kind, ParamKind::Normal | ParamKind::PositionalOnly | ParamKind::KeywordOnly)
    {
        "=…"
    } else {
        ""
    };
    let only = if param.kind == ParamKind::KeywordOnly { "[keyword] " } else { "" };
    format!("{only}{mark}{}{ty}{default}", facts.name(param.name))
}

/// A type as it was written, as far as it is made of names; `…` beyond [`MAX_TYPE`].
pub(super) fn type_text(facts: &FileFacts, id: ExprId, depth: usize) -> String {
    if depth > MAX_TYPE {
        return "…".to_string();
    }
    let of = |id: ExprId| type_text(facts, id, depth + 1);
    let all = |list: List| facts.list(list).iter().take(8).map(|id| of(*id)).collect::<Vec<_>>();
    match facts.expr(id) {
        Expr::Name { name, .. } => facts.name(name).to_string(),
        Expr::Member { of: object, name } => format!("{}.{}", of(object), facts.name(name)),
        Expr::Apply { of: base, args } => format!("{}[{}]", of(base), all(args).join(", ")),
        Expr::Array { of: element } => format!("{}[]", of(element)),
        Expr::Union { items } => all(items).join(" | "),
        Expr::Typed { ty } | Expr::ClassOf { ty } => of(ty),
        Expr::Literal(literal) => format!("{literal:?}").to_lowercase(),
        _ => "…".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn compared(path: &str, old: &str, new: &str) -> String {
        let version = |text: &str| (!text.is_empty()).then(|| Version::new(path, text.as_bytes()));
        let changed = compare(path, version(old).as_ref(), version(new).as_ref());
        let line = |c: &ChangedSymbol| {
            let signatures = match (&c.before, &c.after) {
                (Some(before), Some(after)) => format!(": {before} => {after}"),
                (Some(one), None) | (None, Some(one)) => format!(": {one}"),
                (None, None) => String::new(),
            };
            format!("{:?} {}{signatures}\n", c.change, c.qualname)
        };
        changed.iter().map(line).collect()
    }

    #[test]
    fn definitions_are_added_removed_and_changed_in_signature_or_body() {
        let old = "LIMIT = 1\n\ndef kept(a):\n    return a\n\ndef body(a):\n    return a\n\ndef sig(a, b=1):\n    return a\n\ndef gone():\n    pass\n\n\
            class C(Base):\n    x = 1\n    def m(self):\n        self.y = 1\n";
        let new = "LIMIT = 2\n\n# a comment\ndef kept(a):\n\n    # why\n    return a\n\ndef body(a):\n    return a + 1\n\n\
            def sig(a, *, b=1, c: int):\n    return a\n\nclass C(Base, Other):\n    x = 1\n    def m(self):\n        self.y = 2\n    def n(self):\n        pass\n";
        assert_snapshot!(compared("a.py", old, new), @"
        Body LIMIT
        Body body
        Removed gone: gone()
        Signature sig: sig(a, b=…) => sig(a, [keyword] b=…, [keyword] c: int)
        Signature C: class C(Base) => class C(Base, Other)
        Body C.m
        Added C.n: n(self)
        ");
    }

    #[test]
    fn overloads_are_paired_by_their_signature() {
        let old = "class A { void m(int a) { x(); } void m(String a) { y(); } }";
        let new = "class A {\n void m(String a) { y(); }\n void m(int a, int b) { x(); } }";
        assert_snapshot!(compared("A.java", old, new), @"
        Body A
        Body A.m
        Signature A.m: m(a: int) => m(a: int, b: int)
        ");
    }

    #[test]
    fn new_and_deleted_files_are_all_added_or_removed() {
        assert_snapshot!(compared("a.py", "", "def f(): pass\n"), @"Added f: f()");
        assert_snapshot!(compared("a.py", "def f(): pass\n", ""), @"Removed f: f()");
    }

    #[test]
    fn local_functions_are_part_of_the_code_around() {
        let old = "def f():\n    def g():\n        return 1\n    return g\n";
        assert_snapshot!(compared("a.py", old, &old.replace('1', "2")), @"Body f");
    }
}
