//! What a file's facts are to others: a fingerprint of everything that the resolution of another file could find in them.
//! Where it is the same, nobody else's edges change, however much the file did.
//!
//! Places are told by order and nesting, never by line or offset, so that a body that grows changes nothing below it. Left out
//! is what only the file's own references see: local variables and calls that flow into no result, field or type.

use super::types::Sym;
use super::world::{Entry, Layout};
use crate::model::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::hash::Hash;
use xxhash_rust::xxh3::Xxh3;

/// Equal for facts that give every other file the same answers.
pub(crate) fn fingerprint(facts: FileFacts) -> u64 {
    let layout = Layout::of(Cow::Owned(facts));
    let facts = &*layout.facts;
    let mut of = Fingerprint {
        facts,
        layout: &layout,
        scopes: scopes(facts),
        hash: Xxh3::new(),
        exprs: FxHashMap::default(),
        bindings: FxHashSet::default(),
        open: Vec::new(),
        named: Vec::new(),
    };
    of.file();
    of.hash.digest()
}

/// What tells a scope from others of its file, whatever else is written around it: by scope.
fn scopes(facts: &FileFacts) -> Vec<u64> {
    let mut ids: Vec<u64> = Vec::with_capacity(facts.scopes.len());
    let mut children: FxHashMap<(u64, u8, Option<u32>), u32> = FxHashMap::default();
    for scope in &facts.scopes {
        let above = scope.parent.map_or(0, |parent| ids[parent.0 as usize]);
        let definition = scope.definition.map(|definition| definition.0);
        let nth = children.entry((above, scope.kind as u8, definition)).or_default();
        let mut hash = Xxh3::new();
        (above, scope.kind as u8, definition, *nth).hash(&mut hash);
        *nth += 1;
        ids.push(hash.digest());
    }
    ids
}

struct Fingerprint<'f> {
    facts: &'f FileFacts,
    layout: &'f Layout,
    scopes: Vec<u64>,
    hash: Xxh3,
    /// Expressions that were told, numbered.
    exprs: FxHashMap<ExprId, u32>,
    /// Bindings that were told.
    bindings: FxHashSet<u32>,
    /// Expressions still to be told, the next one last.
    open: Vec<ExprId>,
    /// Names whose bindings are still to be told, by the scope that has them.
    named: Vec<(ScopeId, Sym)>,
}

impl Fingerprint<'_> {
    fn file(&mut self) {
        let facts = self.facts;
        (facts.language as u8).hash(&mut self.hash);
        self.name(facts.package);
        facts.exports.open.hash(&mut self.hash);
        facts.exports.scope.map(|scope| self.scopes[scope.0 as usize]).hash(&mut self.hash);
        for rule in &facts.search {
            (rule.kind as u8).hash(&mut self.hash);
            [rule.from, rule.to].into_iter().for_each(|name| self.name(Some(name)));
        }
        facts.exports.names.as_ref().map(Vec::len).hash(&mut self.hash);
        facts.exports.names.iter().flatten().for_each(|name| self.name(Some(*name)));
        facts.definitions.iter().for_each(|definition| self.definition(definition));
        for import in &facts.imports {
            (import.kind as u8, import.level, import.type_only).hash(&mut self.hash);
            self.scope(import.scope);
            self.scope(import.block);
            [Some(import.module), import.name, import.binds].into_iter().for_each(|name| self.name(name));
        }
        // What a module or class holds may be asked for by anybody.
        for (index, binding) in (0..).zip(&facts.bindings) {
            let Scope { kind, definition, .. } = *facts.scope(binding.scope);
            let asked = matches!(kind, ScopeKind::Module | ScopeKind::Class)
                || kind == ScopeKind::Block && definition.is_some()
                || facts.exports.scope == Some(binding.scope);
            if asked {
                self.binding(index);
            }
        }
        let names = facts.definitions.iter().map(|definition| (definition.scope, definition.name));
        let names = names.chain(facts.imports.iter().filter_map(|import| Some((import.scope, import.binds?))));
        let names: FxHashSet<(ScopeId, NameId)> = names.collect();
        let mut names: Vec<(ScopeId, NameId)> = names.into_iter().collect();
        names.sort_unstable();
        names.into_iter().for_each(|(scope, name)| self.order(scope, self.layout.name(name)));
        self.rest();
    }

    fn definition(&mut self, definition: &Definition) {
        let container = definition.container.map(|container| container.0);
        (definition.kind as u8, container, definition.flags.0).hash(&mut self.hash);
        self.name(Some(definition.name));
        self.name(definition.receiver);
        self.scope(definition.scope);
        self.scope(definition.block);
        for scope in [definition.body, definition.members] {
            scope.map(|scope| self.scopes[scope.0 as usize]).hash(&mut self.hash);
        }
        definition.params.len().hash(&mut self.hash);
        for param in &definition.params {
            (param.kind as u8, param.optional).hash(&mut self.hash);
            self.name(Some(param.name));
            self.expr(param.ty);
            self.expr(param.default);
        }
        self.expr(definition.ty);
        let lists = [definition.returns, definition.supertypes, definition.interfaces, definition.decorators];
        lists.into_iter().for_each(|list| self.list(list));
        definition.type_params.len().hash(&mut self.hash);
        definition.type_params.iter().for_each(|name| self.name(Some(*name)));
    }

    fn name(&mut self, name: Option<NameId>) {
        name.map(|name| self.layout.name(name).0).hash(&mut self.hash);
    }

    fn scope(&mut self, scope: ScopeId) {
        self.scopes[scope.0 as usize].hash(&mut self.hash);
    }

    fn list(&mut self, list: List) {
        list.len.hash(&mut self.hash);
        self.facts.list(list).iter().for_each(|item| self.expr(Some(*item)));
    }

    /// In which order a name of a scope is introduced.
    fn order(&mut self, scope: ScopeId, sym: Sym) {
        for slot in self.layout.entries(scope, sym) {
            match slot.entry {
                Entry::Definition(index) => (0u8, index).hash(&mut self.hash),
                Entry::Import(index) => (1u8, index).hash(&mut self.hash),
                Entry::Binding(_) => 2u8.hash(&mut self.hash),
            }
        }
    }

    fn binding(&mut self, index: u32) {
        if !self.bindings.insert(index) {
            return;
        }
        let binding = self.facts.bindings[index as usize];
        let (kind, position) = match binding.kind {
            BindingKind::Parameter(position) => (0, position),
            BindingKind::Assigned => (1, 0),
            BindingKind::SelfMember => (2, 0),
            BindingKind::Narrowed => (3, 0),
            BindingKind::TypeParameter => (4, 0),
            BindingKind::Opaque => (5, 0),
            BindingKind::Unbound => (6, 0),
        };
        (kind, position).hash(&mut self.hash);
        self.name(Some(binding.name));
        self.scope(binding.scope);
        self.scope(binding.block);
        self.expr(binding.ty);
        self.expr(binding.value);
    }

    /// Bindings of names that were met, until none is left.
    fn rest(&mut self) {
        while let Some((scope, sym)) = self.named.pop() {
            self.order(scope, sym);
            for slot in self.layout.entries(scope, sym) {
                if let Entry::Binding(index) = slot.entry {
                    self.binding(index);
                }
            }
        }
    }

    /// An expression and all that it is made of.
    fn expr(&mut self, expr: Option<ExprId>) {
        let Some(expr) = expr else { return 0u8.hash(&mut self.hash) };
        self.open.push(expr);
        while let Some(id) = self.open.pop() {
            let next = self.exprs.len() as u32;
            match self.exprs.entry(id) {
                std::collections::hash_map::Entry::Occupied(known) => (1u8, *known.get()).hash(&mut self.hash),
                std::collections::hash_map::Entry::Vacant(place) => {
                    place.insert(next);
                    self.one_expr(self.facts.expr(id));
                }
            }
        }
    }

    fn one_expr(&mut self, expr: Expr) {
        let facts = self.facts;
        let tag = |tag: u8, hash: &mut Xxh3| (2u8, tag).hash(hash);
        let parts: (&[ExprId], &[ExprId]) = match &expr {
            Expr::Name { name, scope, at } => {
                tag(0, &mut self.hash);
                self.name(Some(*name));
                self.scope(*scope);
                self.use_of(self.layout.name(*name), *scope, *at);
                (&[], &[])
            }
            Expr::Member { of, name } => {
                tag(1, &mut self.hash);
                self.name(Some(*name));
                (std::slice::from_ref(of), &[])
            }
            Expr::Call { of, args } => {
                tag(2, &mut self.hash);
                (std::slice::from_ref(of), facts.list(*args))
            }
            Expr::New { of, args } => {
                tag(3, &mut self.hash);
                (std::slice::from_ref(of), facts.list(*args))
            }
            Expr::Index { of, key } => {
                tag(4, &mut self.hash);
                (std::slice::from_ref(of), std::slice::from_ref(key))
            }
            Expr::Element { of } => {
                tag(5, &mut self.hash);
                (std::slice::from_ref(of), &[])
            }
            Expr::Entered { of } => {
                tag(6, &mut self.hash);
                (std::slice::from_ref(of), &[])
            }
            Expr::Awaited { of } => {
                tag(7, &mut self.hash);
                (std::slice::from_ref(of), &[])
            }
            Expr::Unpacked { of, index } => {
                tag(8, &mut self.hash);
                index.hash(&mut self.hash);
                (std::slice::from_ref(of), &[])
            }
            Expr::This { scope } => {
                tag(9, &mut self.hash);
                self.scope(*scope);
                (&[], &[])
            }
            Expr::Super { scope } => {
                tag(10, &mut self.hash);
                self.scope(*scope);
                (&[], &[])
            }
            Expr::Literal(literal) => {
                tag(11, &mut self.hash);
                (*literal as u8).hash(&mut self.hash);
                (&[], &[])
            }
            Expr::Display { kind, items } => {
                tag(12, &mut self.hash);
                (*kind as u8).hash(&mut self.hash);
                (&[], facts.list(*items))
            }
            Expr::Entries { items } => {
                tag(13, &mut self.hash);
                (&[], facts.list(*items))
            }
            Expr::Comprehension { kind, of } => {
                tag(14, &mut self.hash);
                (*kind as u8).hash(&mut self.hash);
                (std::slice::from_ref(of), &[])
            }
            Expr::Lambda { scope, returns } => {
                tag(15, &mut self.hash);
                self.scope(*scope);
                self.lambda(*scope);
                (&[], facts.list(*returns))
            }
            Expr::Either { items } => {
                tag(16, &mut self.hash);
                (&[], facts.list(*items))
            }
            Expr::Typed { ty } => {
                tag(17, &mut self.hash);
                (std::slice::from_ref(ty), &[])
            }
            Expr::ClassOf { ty } => {
                tag(18, &mut self.hash);
                (std::slice::from_ref(ty), &[])
            }
            Expr::Apply { of, args } => {
                tag(19, &mut self.hash);
                (std::slice::from_ref(of), facts.list(*args))
            }
            Expr::Array { of } => {
                tag(20, &mut self.hash);
                (std::slice::from_ref(of), &[])
            }
            Expr::Union { items } => {
                tag(21, &mut self.hash);
                (&[], facts.list(*items))
            }
            Expr::MethodRef { of, name } => {
                tag(22, &mut self.hash);
                self.name(Some(*name));
                (std::slice::from_ref(of), &[])
            }
            Expr::Keyword { name, of } => {
                tag(23, &mut self.hash);
                self.name(Some(*name));
                (std::slice::from_ref(of), &[])
            }
            Expr::Spread { of } => {
                tag(24, &mut self.hash);
                (std::slice::from_ref(of), &[])
            }
            Expr::Opaque => {
                tag(25, &mut self.hash);
                (&[], &[])
            }
            Expr::Defined { definition } => {
                tag(26, &mut self.hash);
                definition.0.hash(&mut self.hash);
                (&[], &[])
            }
            Expr::Imported { import } => {
                tag(27, &mut self.hash);
                import.hash(&mut self.hash);
                (&[], &[])
            }
            Expr::Signature { params, result } => {
                tag(28, &mut self.hash);
                (std::slice::from_ref(result), facts.list(*params))
            }
            Expr::ValueType { of } => {
                tag(29, &mut self.hash);
                (std::slice::from_ref(of), &[])
            }
            Expr::Expected { of, index } => {
                tag(30, &mut self.hash);
                index.hash(&mut self.hash);
                (std::slice::from_ref(of), &[])
            }
        };
        (parts.0.len(), parts.1.len()).hash(&mut self.hash);
        self.open.extend(parts.1.iter().rev().chain(parts.0.iter().rev()));
    }

    /// A name is looked up from a scope outward: what each has of it, and how much of that stands before the use.
    fn use_of(&mut self, sym: Sym, scope: ScopeId, at: u32) {
        let mut next = Some(scope);
        while let Some(here) = next {
            let slots = self.layout.entries(here, sym);
            if !slots.is_empty() {
                slots.partition_point(|slot| slot.at <= at).hash(&mut self.hash);
                self.named.push((here, sym));
            }
            next = self.facts.scope(here).parent;
        }
    }

    /// What a lambda is handed to tells what its parameters are.
    fn lambda(&mut self, scope: ScopeId) {
        let bindings = &self.facts.bindings;
        let start = bindings.partition_point(|binding| binding.scope < scope);
        let own = bindings[start..].iter().take_while(|binding| binding.scope == scope);
        for binding in own {
            self.named.push((scope, self.layout.name(binding.name)));
        }
        if let Some((call, position)) = self.layout.lambda_site(scope) {
            position.hash(&mut self.hash);
            self.open.push(call);
        }
        self.open.extend(self.layout.lambda_type(scope));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::{Limits, extract};

    fn of(path: &str, text: &str) -> u64 {
        fingerprint(extract(path, text.as_bytes(), &Limits::default()))
    }

    const PYTHON: &str = "import os\n\nclass A:\n    def m(self, x):\n        y = os.path\n        return y\n\ndef f(a):\n    b = A()\n    return b\n";

    #[test]
    fn what_flows_nowhere_is_not_seen() {
        let same = [
            PYTHON.replace("import os", "import os  # said\n\n"),
            PYTHON.replace("        y = os.path", "        z = f(x)\n        print(z)\n        y = os.path"),
            PYTHON.replace("    b = A()", "    if a:\n        print(a)\n    b = A()"),
        ];
        for text in same {
            assert_eq!(of("a.py", &text), of("a.py", PYTHON), "{text}");
        }
    }

    #[test]
    fn what_others_could_find_is() {
        let other = [
            PYTHON.replace("b = A()", "b = B()"),
            PYTHON.replace("return b", "return a"),
            PYTHON.replace("return b", "b = a\n    return b"),
            PYTHON.replace("    b = A()", "    if a:\n        b = A()"),
            PYTHON.replace("def f(a)", "def f(a, c)"),
            PYTHON.replace("def f(a)", "def f(a=None)"),
            PYTHON.replace("class A:", "class A(Base):"),
            PYTHON.replace("y = os.path", "self.y = os.path"),
            PYTHON.replace("import os", "import os as sys"),
            PYTHON.replace("\ndef f", "\n@property\ndef f"),
            format!("{PYTHON}f = A\n"),
        ];
        for text in other {
            assert_ne!(of("a.py", &text), of("a.py", PYTHON), "{text}");
        }
    }
}
