//! Interfaces that a type implements without saying so, by having their methods: its own and those of what it embeds.

use super::eval::Eval;
use super::types::{Def, Sym, Type};
use crate::model::*;
use rustc_hash::{FxHashMap, FxHashSet};

impl Eval<'_, '_> {
    /// Adds (method, method of an interface that it implements) for the methods of a type.
    pub(super) fn implemented(&mut self, class: Def, out: &mut Vec<(Def, Def)>) {
        if self.world.definition(class).kind == DefKind::Interface {
            return;
        }
        let methods = self.method_set(class);
        let by_name: FxHashMap<Sym, Def> = methods.iter().copied().collect();
        let language = self.world.language(class.file);
        let mut implemented: FxHashMap<Def, bool> = FxHashMap::default();
        for (name, method) in &methods {
            if self.world.is_library(method.file) || self.is_asked(*method) {
                continue;
            }
            for asked in self.world.interfaces_asking(language, *name).iter().map(|listed| listed.def) {
                let Some(interface) = self.world.class_around(asked) else { continue };
                let known = implemented.get(&interface).copied();
                let implements = known.unwrap_or_else(|| self.implements(&by_name, interface));
                implemented.insert(interface, implements);
                if implements {
                    out.push((*method, asked));
                }
            }
        }
    }

    /// The methods of a type by name: of each name the one that a call reaches.
    fn method_set(&mut self, class: Def) -> Vec<(Sym, Def)> {
        let mut methods: Vec<(Sym, Def)> = Vec::new();
        let mut seen: FxHashSet<Sym> = FxHashSet::default();
        for ancestor in self.ancestors(class).iter() {
            let Type::Instance(holder, _) = ancestor else { continue };
            let mut own = self.world.member_set_apart(*holder);
            own.extend(self.methods_asked(*holder));
            for method in own {
                let name = self.world.name(method.file, self.world.definition(method).name);
                if seen.insert(name) {
                    methods.push((name, method));
                }
            }
        }
        methods
    }

    fn is_asked(&self, method: Def) -> bool {
        self.world.definition(method).flags.has(DefFlags::ABSTRACT)
    }

    /// Methods written in the body of an interface.
    fn methods_asked(&self, interface: Def) -> Vec<Def> {
        let definition = self.world.definition(interface);
        let (DefKind::Interface, Some(body)) = (definition.kind, definition.body) else { return Vec::new() };
        let facts = self.world.facts(interface.file);
        let after = (0..).zip(&facts.definitions).skip(interface.def as usize + 1);
        let inside = after.take_while(|(_, d)| d.span.line <= definition.span.end_line);
        let methods = inside.filter(|(_, d)| d.scope == body && d.kind == DefKind::Method);
        methods.map(|(index, _)| Def { file: interface.file, def: index }).collect()
    }

    /// Do these methods make an implementation? What the interface embeds counts; what cannot be seen of it is taken to be
    /// had.
    fn implements(&mut self, methods: &FxHashMap<Sym, Def>, interface: Def) -> bool {
        for ancestor in self.ancestors(interface).iter() {
            let Type::Instance(holder, _) = ancestor else { continue };
            for asked in self.methods_asked(*holder) {
                let name = self.world.name(asked.file, self.world.definition(asked).name);
                let Some(method) = methods.get(&name) else { return false };
                if !self.same_signature(*method, asked) {
                    return false;
                }
            }
        }
        true
    }

    /// As far as it is written: as many parameters and results, and no two types that are called differently.
    fn same_signature(&self, method: Def, asked: Def) -> bool {
        let (one, other) = (self.world.definition(method), self.world.definition(asked));
        let results = |def: Def| match self.world.definition(def).ty.map(|ty| self.world.facts(def.file).expr(ty)) {
            None | Some(Expr::Literal(Literal::None)) => 0,
            Some(Expr::Display { kind: Literal::Tuple, items }) => items.len,
            Some(_) => 1,
        };
        let named = |a: Option<Sym>, b: Option<Sym>| a.is_none() || b.is_none() || a == b;
        let (a, b) = (self.spelled_params(method), self.spelled_params(asked));
        let generic = self.is_generic(method) || self.is_generic(asked);
        one.params.len() == other.params.len()
            && results(method) == results(asked)
            && (generic || a.into_iter().zip(b).all(|(a, b)| named(a, b)))
    }

    fn is_generic(&self, method: Def) -> bool {
        let class = self.world.class_around(method);
        class.is_some_and(|class| !self.world.definition(class).type_params.is_empty())
    }
}
