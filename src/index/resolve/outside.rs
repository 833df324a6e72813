//! What a file's definitions may be called by that is not in the repository: frameworks, the classes they extend, code that
//! looks for subclasses at run time.

use super::eval::{Eval, Space};
use super::types::{Def, Sym, Type};
use super::world::Entry;
use crate::lang::frameworks::Decorator;
use crate::model::*;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// Ways in from outside, of one file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outside {
    /// Classes whose members may be called by a supertype that is not known.
    pub(crate) open_classes: Vec<Def>,
    /// Classes that something finds without being told their names.
    pub(crate) found_classes: Vec<Def>,
    /// Classes whose subclasses the code itself looks for.
    pub(crate) searched: Vec<Def>,
    /// (class, what it extends): both in the repository.
    pub(crate) extends: Vec<(Def, Def)>,
    /// (class, row of the framework table): methods of it that the framework calls.
    pub(crate) hooks: Vec<(Def, u32)>,
    /// Definitions with a decorator that may make somebody call them.
    pub(crate) decorated: Vec<Def>,
    /// What is exported here and defined elsewhere.
    pub(crate) offered: Vec<Def>,
}

impl Outside {
    /// With every definition told as `told` says.
    pub(crate) fn map(mut self, told: impl Fn(Def) -> Def) -> Outside {
        self.each_def(&mut |def| *def = told(*def));
        self
    }

    /// Everything that points to a definition.
    pub(crate) fn each_def(&mut self, change: &mut dyn FnMut(&mut Def)) {
        let lists = [
            &mut self.open_classes,
            &mut self.found_classes,
            &mut self.searched,
            &mut self.decorated,
            &mut self.offered,
        ];
        lists.into_iter().flatten().for_each(&mut *change);
        for (class, above) in &mut self.extends {
            change(class);
            change(above);
        }
        self.hooks.iter_mut().for_each(|(class, _)| change(class));
    }
}

impl Eval<'_, '_> {
    /// Fills `out` for the definitions of a file.
    pub(crate) fn outside(&mut self, file: u32, out: &mut Outside) {
        let facts = self.world.facts(file);
        for index in 0..facts.definitions.len() as u32 {
            let def = Def { file, def: index };
            self.decorators(def, out);
            let kind = facts.definitions[index as usize].kind;
            if kind.is_type() || kind == DefKind::EnumMember {
                self.supertypes_outside(def, out);
            }
        }
        self.searches(file, out);
        self.offers(file, out);
    }

    /// What a file exports of others, name by name.
    fn offers(&mut self, file: u32, out: &mut Outside) {
        let Some(scope) = self.world.facts(file).exports.scope else { return };
        let mut names: Vec<Sym> = self.world.names_in(file, scope).collect();
        names.dedup();
        for name in names {
            for space in [Space::Type, Space::Value] {
                for found in self.module_member(file, name, space).found {
                    if let (Entry::Definition(def), true) = (found.entry, found.file != file) {
                        out.offered.push(Def { file: found.file, def });
                    }
                }
            }
        }
        out.offered.sort_unstable();
        out.offered.dedup();
    }

    fn decorators(&mut self, def: Def, out: &mut Outside) {
        let facts = self.world.facts(def.file);
        for id in facts.list(self.world.definition(def).decorators) {
            let name = match facts.expr(*id) {
                Expr::Name { name, .. } | Expr::Member { name, .. } => facts.name(name),
                _ => "",
            };
            let decorator = self.world.frameworks.decorator(facts.language, name);
            // One of the repository's own may do what it likes, whatever it is called.
            if decorator == Some(Decorator::Plain) && !self.is_ours(def.file, *id) {
                continue;
            }
            out.decorated.push(def);
            if let Some(Decorator::Calls(row)) = decorator {
                let class =
                    if self.world.definition(def).kind.is_type() { Some(def) } else { self.world.class_around(def) };
                out.hooks.extend(class.map(|class| (class, row as u32)));
            }
        }
    }

    fn is_ours(&mut self, file: u32, path: ExprId) -> bool {
        [Space::Type, Space::Callable].into_iter().any(|space| {
            let lookup = self.path(file, path, space);
            lookup.found.iter().any(|found| !self.world.is_library(found.file))
        })
    }

    fn supertypes_outside(&mut self, class: Def, out: &mut Outside) {
        let language = self.world.facts(class.file).language;
        let rules = self.world.rules(class.file);
        let (mut open, mut found) = (false, false);
        for ancestor in self.ancestors(class).iter() {
            let (name, ours) = match ancestor {
                Type::Instance(def, _) => {
                    let definition = self.world.definition(*def);
                    found |= definition.flags.has(DefFlags::MADE_BY_METACLASS);
                    found |= definition.body.zip(self.world.sym(rules.subclass_hook)).is_some_and(|(body, hook)| {
                        *def != class
                            && !rules.subclass_hook.is_empty()
                            && self.world.defined(def.file, body, hook).is_some()
                    });
                    if *def == class {
                        continue;
                    }
                    (self.world.name(def.file, definition.name), true)
                }
                Type::External(name) => (*name, false),
                _ => {
                    open = true;
                    found |= rules.subclasses_register;
                    continue;
                }
            };
            match self.world.frameworks.base(language, self.world.text(name)) {
                Some(base) => {
                    found |= base.finds;
                    match self.world.frameworks.methods(base.row) {
                        Some(_) => out.hooks.push((class, base.row as u32)),
                        None => open |= !ours,
                    }
                }
                None if ours => {}
                None => {
                    open = true;
                    found |= rules.subclasses_register;
                }
            }
        }
        if open {
            out.open_classes.push(class);
        }
        if found {
            out.found_classes.push(class);
        }
        for above in self.supertypes(class).iter().flat_map(|supertype| supertype.parts().to_vec()) {
            if let Type::Instance(above, _) = above {
                out.extends.push((class, above));
            }
        }
    }

    /// `Base.__subclasses__()`, `ServiceLoader.load(Base.class)`, and `issubclass(x, Base)` in a function that goes through
    /// what a module holds: elsewhere it only checks what it was given.
    fn searches(&mut self, file: u32, out: &mut Outside) {
        let facts = self.world.facts(file);
        let rules = self.world.rules(file);
        let calls = || facts.references.iter().filter(|reference| reference.role == Role::Call);
        let going_through: FxHashSet<Option<DefId>> = calls()
            .filter(|call| names_of_path(facts, call.expr).any(|name| rules.goes_through_members.contains(&name)))
            .map(|call| call.enclosing)
            .collect();
        for reference in calls() {
            let Expr::Call { of, args } = facts.expr(reference.expr) else { continue };
            let (Expr::Name { name, .. } | Expr::Member { name, .. }) = facts.expr(of) else { continue };
            let name = facts.name(name);
            let searches = rules.finds_subclasses.contains(&name)
                || rules.asks_for_subclass.contains(&name) && going_through.contains(&reference.enclosing);
            if !searches {
                continue;
            }
            let receiver = if let Expr::Member { of, .. } = facts.expr(of) { Some(of) } else { None };
            for id in facts.list(args).iter().copied().chain(receiver) {
                let value = match facts.expr(id) {
                    Expr::ClassOf { ty } => super::eval::class_object(self.type_of(file, ty)),
                    _ => self.eval(file, id),
                };
                let parts = if let Type::Tuple(parts) = &value { &parts[..] } else { value.parts() };
                for part in parts {
                    if let Type::Class(class, _) | Type::ThisClass(class) = part {
                        out.searched.push(*class);
                    }
                }
            }
        }
    }
}

/// The names of a call's path, from the last: `values`, `__dict__` and `module` of `module.__dict__.values()`.
fn names_of_path(facts: &FileFacts, path: ExprId) -> impl Iterator<Item = &str> {
    let mut next = Some(path);
    std::iter::from_fn(move || {
        loop {
            match facts.expr(next?) {
                Expr::Call { of, .. } => next = Some(of),
                Expr::Member { of, name } => {
                    next = Some(of);
                    return Some(facts.name(name));
                }
                Expr::Name { name, .. } => {
                    next = None;
                    return Some(facts.name(name));
                }
                _ => return None,
            }
        }
    })
}
