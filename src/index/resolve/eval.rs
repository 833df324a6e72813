//! The evaluator: what an expression of a file evaluates to, on demand.
//!
//! Every answer must be the same whatever was asked before and on whichever thread, or incremental and full passes would
//! differ. So only values that no cycle cut has touched are shared between questions; a value that depends on where a cycle
//! was entered is kept only until the evaluation that entered it is done ([`Eval::keyed`]).

use super::reads::{Node, View};
use super::types::{Args, Def, Sym, Type, no_args};
use super::world::Entry;
use crate::model::*;
use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::sync::Arc;

/// Deepest chain of evaluations. Hand-written code stays under 100; what is deeper is taken as unknown. The threads that
/// evaluate have stacks for it ([`super::STACK_SIZE`]).
const MAX_DEPTH: usize = 150;

/// Most values of one open cycle. Functions that call each other in rings of hundreds exist only in generated code.
const MAX_CYCLE: usize = 500;

/// What is remembered between questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// Type of a field or variable, from all that is assigned to it.
    Variable(Def),
    /// Value of a binding (file, index).
    Binding(u32, u32),
    /// Result of calling a definition, before type arguments are put in.
    Result(Def),
    /// Supertypes of a class, as a tuple of instances.
    Supertypes(Def),
    /// A class and all above it in look-up order, as a tuple of instances.
    Ancestors(Def),
    /// What a call expression gives.
    Call(u32, ExprId),
}

/// Values that hold whatever the question, each with how deep its evaluation went: a question that would have met
/// [`MAX_DEPTH`] on the way must meet it also when the value is already known.
pub(crate) type Memo = DashMap<Key, (Type, usize, Node), FxBuildHasher>;

/// Names and indices of imports.
pub(crate) type Renamed = Arc<[(Sym, u32)]>;

/// One thread's evaluator.
pub(crate) struct Eval<'w, 'a> {
    pub(crate) world: View<'w, 'a>,
    memo: &'w Memo,
    /// Keys being evaluated, outermost first.
    stack: Vec<Key>,
    on_stack: FxHashMap<Key, usize>,
    /// Lowest stack position that a cycle cut went back to since the innermost key began.
    low: usize,
    /// Values inside a cycle that is still open, with the position they depend on.
    scratch: FxHashMap<Key, (Type, usize)>,
    scratch_log: Vec<Key>,
    depth: usize,
    /// Deepest point reached since the innermost key began.
    deepest: usize,
    /// Imports being followed: an import cycle names nothing.
    pub(super) following: Vec<(u32, u32)>,
    /// Modules that imports name, by (file, import).
    pub(super) modules: FxHashMap<(u32, u32), (Option<Type>, Node)>,
    /// Imports of each file whose packages have other names than their paths say.
    pub(super) renamed: FxHashMap<u32, (Renamed, Node)>,
    /// Star imports asked for a name since the outermost such question: (file, scope, name).
    pub(super) starring: FxHashSet<(u32, u32, Sym)>,
    /// Values of cycles entered by a question of their own: what they are as its first key, and only then.
    roots: FxHashMap<Key, (Type, Node)>,
}

impl<'w, 'a> Eval<'w, 'a> {
    pub(crate) fn new(world: View<'w, 'a>, memo: &'w Memo) -> Self {
        Eval {
            world,
            memo,
            stack: Vec::new(),
            on_stack: FxHashMap::default(),
            low: usize::MAX,
            scratch: FxHashMap::default(),
            scratch_log: Vec::new(),
            depth: 0,
            deepest: 0,
            following: Vec::new(),
            modules: FxHashMap::default(),
            renamed: FxHashMap::default(),
            starring: FxHashSet::default(),
            roots: FxHashMap::default(),
        }
    }

    /// The value of a key, evaluated by `compute` unless it is known.
    ///
    /// A key met again while it is being evaluated is cut: it adds nothing (`Nothing`), and everything between the two
    /// meetings depends on where the cycle was entered. Such values are forgotten when the first meeting ends.
    pub(super) fn keyed(&mut self, key: Key, compute: impl FnOnce(&mut Self) -> Type) -> Type {
        if let Some(known) = self.memo.get(&key) {
            let (value, height, node) = known.value();
            self.world.took(*node);
            // The calls inside a call's own expression are evaluated before it ([`Eval::chained`]), not below it.
            let inside = matches!((self.stack.last(), key), (Some(Key::Call(a, _)), Key::Call(b, _)) if *a == b);
            let reached = self.depth + if inside { 0 } else { *height };
            if reached >= MAX_DEPTH {
                self.low = 0;
                return Type::Unknown;
            }
            self.deepest = self.deepest.max(reached);
            return value.clone();
        }
        if let Some((value, low)) = self.scratch.get(&key) {
            self.low = self.low.min(*low);
            return value.clone();
        }
        if let Some(position) = self.on_stack.get(&key) {
            self.low = self.low.min(*position);
            return Type::Nothing;
        }
        if self.depth >= MAX_DEPTH || self.scratch_log.len() >= MAX_CYCLE {
            self.low = 0;
            return Type::Unknown;
        }
        let first = self.stack.is_empty() && self.following.is_empty() && self.starring.is_empty() && self.depth == 0;
        if first && let Some((value, node)) = self.roots.get(&key) {
            self.world.took(*node);
            return value.clone();
        }
        let outer_deepest = std::mem::replace(&mut self.deepest, self.depth);
        let position = self.stack.len();
        let outer = std::mem::replace(&mut self.low, usize::MAX);
        let mark = self.scratch_log.len();
        self.stack.push(key);
        self.on_stack.insert(key, position);
        let opened = self.world.open();
        let value = compute(self);
        self.on_stack.remove(&key);
        self.stack.pop();
        let height = self.deepest - self.depth;
        self.deepest = self.deepest.max(outer_deepest);
        let low = std::mem::replace(&mut self.low, outer);
        if low >= position {
            for key in self.scratch_log.drain(mark..) {
                self.scratch.remove(&key);
            }
            if low > position {
                let node = self.world.close(opened);
                self.memo.insert(key, (value.clone(), height, node));
            } else if first {
                let node = self.world.close(opened);
                self.roots.insert(key, (value.clone(), node));
            } else {
                self.world.leave(opened);
            }
        } else {
            // Whoever takes it while the cycle is open depends on where the cycle was entered too, and reads all of it.
            self.world.leave(opened);
            self.scratch.insert(key, (value.clone(), low));
            self.scratch_log.push(key);
            self.low = outer.min(low);
        }
        value
    }

    /// Marks the value in hand as dependent on the question as a whole.
    pub(super) fn taint(&mut self) {
        self.low = 0;
    }

    /// What an expression evaluates to.
    pub(crate) fn eval(&mut self, file: u32, id: ExprId) -> Type {
        if self.depth >= MAX_DEPTH {
            self.taint();
            return Type::Unknown;
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        let value = self.eval_inner(file, id);
        self.depth -= 1;
        value
    }

    fn eval_inner(&mut self, file: u32, id: ExprId) -> Type {
        let facts = self.world.facts(file);
        match facts.expr(id) {
            Expr::Name { .. } | Expr::Member { .. } => self.path_type(file, id, Space::Value),
            Expr::Call { .. } => self.chained(file, id),
            Expr::New { .. } if self.world.rules(file).types_apart => {
                self.keyed(Key::Call(file, id), |eval| eval.call(file, id).result)
            }
            Expr::New { of, .. } => self.type_of(file, of),
            Expr::Index { of, key } => self.index(file, of, key),
            Expr::Element { of } => {
                let of = self.eval(file, of);
                self.element(file, &of)
            }
            Expr::Entered { of } => {
                let of = self.eval(file, of);
                for name in self.world.rules(file).enter {
                    match self.call_member(file, &of, name) {
                        Type::Unknown | Type::External(_) => {}
                        entered => return entered,
                    }
                }
                Type::Unknown
            }
            Expr::Awaited { of } => {
                let of = self.eval(file, of);
                self.awaited(file, of)
            }
            Expr::Unpacked { of, index } => {
                let of = self.eval(file, of);
                self.unpacked(file, &of, index as usize)
            }
            Expr::This { scope } => self.this(file, scope),
            Expr::Super { scope } => self.class_of_scope(file, scope).map_or(Type::Unknown, Type::Super),
            Expr::Literal(literal) => self.literal(file, literal),
            Expr::Display { kind: Literal::Tuple, items } => {
                let items: Vec<Type> = facts.list(items).iter().map(|item| self.eval(file, *item)).collect();
                Type::Tuple(items.into()).bounded()
            }
            Expr::Display { kind, items } => {
                let parts: Vec<Type> = facts.list(items).iter().map(|item| self.eval(file, *item)).collect();
                let element = self.element_of_parts(parts);
                match kind {
                    Literal::Array => Type::Array(element.into()).bounded(),
                    kind => self.container(file, kind, vec![element]),
                }
            }
            Expr::Entries { items } => {
                let parts: Vec<Type> = facts.list(items).iter().map(|item| self.eval(file, *item)).collect();
                let keys = self.element_of_parts(parts.iter().step_by(2).cloned().collect());
                let values = self.element_of_parts(parts.iter().skip(1).step_by(2).cloned().collect());
                self.container(file, Literal::Dict, vec![keys, values])
            }
            Expr::Comprehension { kind, of } => {
                let element = self.eval(file, of);
                self.container(file, kind, vec![element])
            }
            Expr::Lambda { .. } => Type::Lambda(file, id),
            Expr::Either { items } => {
                let parts: Vec<Type> = facts.list(items).iter().map(|item| self.eval(file, *item)).collect();
                Type::union(parts)
            }
            Expr::Typed { ty } => self.type_of(file, ty),
            Expr::ClassOf { ty } => {
                let ty = self.type_of(file, ty);
                self.container(file, Literal::Class, vec![ty])
            }
            Expr::Apply { .. } | Expr::Array { .. } | Expr::Union { .. } => class_object(self.type_of(file, id)),
            Expr::MethodRef { of, name } => {
                let of = self.path_type(file, of, Space::Value);
                let name = self.world.name(file, name);
                self.member_type(file, &of, name, Space::Callable)
            }
            Expr::Defined { definition } => self.definition_type(Def { file, def: definition.0 }, None),
            Expr::Imported { import } => {
                let lookup = self.import(file, import, Space::Value);
                self.lookup_type(&lookup)
            }
            Expr::Signature { .. } | Expr::ValueType { .. } | Expr::Expected { .. } => self.type_of(file, id),
            Expr::Keyword { of, .. } | Expr::Spread { of } => self.eval(file, of),
            Expr::Opaque => Type::Unknown,
        }
    }

    /// What a call gives, the calls of its chain (`a().b().c()`) from the innermost outward, so that a long chain is not a
    /// deep one.
    fn chained(&mut self, file: u32, id: ExprId) -> Type {
        let facts = self.world.facts(file);
        let mut chain = vec![id];
        let mut part = id;
        while let Expr::Call { of, .. } | Expr::Member { of, .. } = facts.expr(part) {
            part = of;
            if matches!(facts.expr(part), Expr::Call { .. }) {
                if self.memo.contains_key(&Key::Call(file, part)) {
                    break;
                }
                chain.push(part);
            }
        }
        let mut value = Type::Unknown;
        while let Some(call) = chain.pop() {
            value = self.keyed(Key::Call(file, call), |eval| eval.call(file, call).result);
        }
        value
    }

    /// The instance type that a type expression denotes.
    pub(crate) fn type_of(&mut self, file: u32, id: ExprId) -> Type {
        if self.depth >= MAX_DEPTH {
            self.taint();
            return Type::Unknown;
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        let value = self.type_of_inner(file, id);
        self.depth -= 1;
        value
    }

    fn type_of_inner(&mut self, file: u32, id: ExprId) -> Type {
        let facts = self.world.facts(file);
        match facts.expr(id) {
            Expr::Name { name, scope, .. } if self.world.rules(file).self_types.contains(&facts.name(name)) => {
                self.class_of_scope(file, scope).map_or(Type::Unknown, Type::This)
            }
            Expr::Name { .. } | Expr::Member { .. } => {
                if self.world.rules(file).types_apart
                    && let Some(aliased) = self.applied_alias(file, id, &[])
                {
                    return aliased;
                }
                let found = self.path_type(file, id, Space::Type);
                self.instance_of(found)
            }
            Expr::Apply { of, args } => {
                let args: Vec<Type> = facts.list(args).iter().map(|arg| self.type_of(file, *arg)).collect();
                self.apply(file, of, args)
            }
            Expr::Index { of, key } => {
                let args = match facts.expr(key) {
                    Expr::Display { kind: Literal::Tuple, items } => {
                        facts.list(items).iter().map(|arg| self.type_of(file, *arg)).collect()
                    }
                    _ => vec![self.type_of(file, key)],
                };
                self.apply(file, of, args)
            }
            Expr::Array { of } => {
                let of = self.type_of(file, of);
                if self.world.rules(file).arrays_are_lists {
                    return self.container(file, Literal::List, vec![of]);
                }
                Type::Array(of.into()).bounded()
            }
            Expr::Display { kind: Literal::Tuple, items } => {
                let parts: Vec<Type> = facts.list(items).iter().map(|item| self.type_of(file, *item)).collect();
                Type::Tuple(parts.into()).bounded()
            }
            Expr::Signature { params, result } => {
                let params: Vec<Type> = facts.list(params).iter().map(|param| self.type_of(file, *param)).collect();
                let result = self.type_of(file, result);
                Type::Signature(params.into(), result.into()).bounded()
            }
            Expr::Defined { definition } => Type::instance(Def { file, def: definition.0 }),
            Expr::Expected { of, index } => {
                let wanted = self.type_of(file, of);
                self.expected_parameter(&wanted, index as usize).unwrap_or(Type::Unknown)
            }
            Expr::ValueType { of } => {
                let value = self.eval(file, of);
                self.alike(value)
            }
            Expr::This { scope } if self.world.rules(file).types_apart => self.this(file, scope),
            // A type that is written where it is used.
            Expr::This { scope } => self.class_of_scope(file, scope).map_or(Type::Unknown, Type::instance),
            Expr::Union { items } | Expr::Either { items } => {
                let parts: Vec<Type> = facts.list(items).iter().map(|item| self.type_of(file, *item)).collect();
                Type::union(parts)
            }
            Expr::Literal(Literal::None) => Type::Nothing,
            Expr::Literal(literal) => self.literal(file, literal),
            Expr::Typed { ty } => self.type_of(file, ty),
            _ => Type::Unknown,
        }
    }

    /// What `this` is: in code of a class itself, the class.
    fn this(&self, file: u32, scope: ScopeId) -> Type {
        let Some(class) = self.class_of_scope(file, scope) else { return Type::Unknown };
        if self.world.rules(file).statics_apart && self.is_in_static(file, scope) {
            return Type::ThisClass(class);
        }
        Type::This(class)
    }

    /// Does the scope stand in a static method?
    fn is_in_static(&self, file: u32, scope: ScopeId) -> bool {
        let facts = self.world.facts(file);
        let mut next = Some(scope);
        while let Some(scope) = next {
            let Scope { parent, kind, definition } = *facts.scope(scope);
            match (kind, definition) {
                (ScopeKind::Class, _) => return false,
                (ScopeKind::Function, Some(def)) if facts.definition(def).flags.has(DefFlags::STATIC) => return true,
                _ => next = parent,
            }
        }
        false
    }

    /// What awaiting a value gives.
    pub(super) fn awaited(&mut self, file: u32, of: Type) -> Type {
        let Some(promise) = self.library_class(file, self.world.rules(file).promise) else { return of };
        let parts: Vec<Type> = of.parts().to_vec();
        let parts = parts.into_iter().map(|part| match &part {
            Type::Instance(def, _) | Type::This(def) => {
                let above = self.ancestors(*def);
                let is_promise = |ancestor: &Type| matches!(ancestor, Type::Instance(def, _) if *def == promise);
                if !above.iter().any(is_promise) {
                    return part;
                }
                let map = self.arguments(&part, promise);
                let order = self.ancestors(promise);
                match order.first() {
                    Some(Type::Instance(_, own)) => own.first().map_or(Type::Unknown, |of| substitute(of, &map, None)),
                    _ => Type::Unknown,
                }
            }
            _ => part,
        });
        let parts: Vec<Type> = parts.collect();
        Type::union(parts)
    }

    /// What is declared to be like a value: of a function, only that it is called like it.
    fn alike(&mut self, value: Type) -> Type {
        let parts = value.parts().iter().map(|part| match part {
            Type::Callable(defs, _) if !defs.iter().any(|def| self.world.definition(*def).members.is_some()) => {
                let result = self.result_of(part, None);
                let Some(def) = defs.last().copied() else { return Type::Gives(result.into()) };
                let params = self.world.definition(def).params.iter();
                let params = params.map(|param| param.ty.map_or(Type::Unknown, |ty| self.type_of(def.file, ty)));
                let params: Vec<Type> = params.collect();
                Type::Signature(params.into(), result.into()).bounded()
            }
            part => part.clone(),
        });
        let parts: Vec<Type> = parts.collect();
        Type::union(parts)
    }

    /// A type alias with its arguments put in.
    fn applied_alias(&mut self, file: u32, of: ExprId, args: &[Type]) -> Option<Type> {
        if !matches!(self.world.facts(file).expr(of), Expr::Name { .. } | Expr::Member { .. }) {
            return None;
        }
        let lookup = self.path(file, of, Space::Type);
        let [Found { file, entry: Entry::Definition(def), .. }] = lookup.found.as_slice() else { return None };
        let def = Def { file: *file, def: *def };
        let definition = self.world.definition(def);
        if definition.kind != DefKind::TypeAlias {
            return None;
        }
        let mut map = Substitution::default();
        for (name, arg) in definition.type_params.iter().zip(args) {
            map.insert((self.world.name(def.file, *name), def), arg.clone());
        }
        let aliased = self.aliased(def);
        Some(substitute(&aliased, &map, None))
    }

    /// `of[args]` as a type.
    fn apply(&mut self, file: u32, of: ExprId, args: Vec<Type>) -> Type {
        if self.world.rules(file).types_apart
            && let Some(aliased) = self.applied_alias(file, of, &args)
        {
            return aliased;
        }
        let form = match self.world.facts(file).expr(of) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => self.world.text(self.world.name(file, name)),
            _ => "",
        };
        match self.type_of(file, of) {
            Type::Instance(def, _) => {
                let tuple = self.library_class(file, (self.world.rules(file).literal)(Literal::Tuple));
                if tuple == Some(def) && args.get(1).is_some_and(|second| *second != Type::Unknown) {
                    return Type::Tuple(args.into()).bounded();
                }
                Type::Instance(def, args.into()).bounded()
            }
            // Forms of a library that wrap a type rather than name a class.
            Type::External(sym) => match (form, args.into_iter().next()) {
                (form, Some(inner)) if self.world.rules(file).transparent_types.contains(&form) => inner,
                ("Type" | "type", Some(Type::Instance(def, args))) => Type::Class(def, args),
                ("ClassVar" | "Final" | "Required" | "NotRequired" | "ReadOnly" | "Annotated", Some(inner)) => inner,
                _ => Type::External(sym),
            },
            other => other,
        }
    }

    /// An instance of what a type path names.
    fn instance_of(&mut self, named: Type) -> Type {
        match named {
            Type::Class(def, args) => Type::Instance(def, args),
            Type::ThisClass(def) => Type::This(def),
            Type::Union(parts) => {
                let parts: Vec<Type> = parts.iter().map(|part| self.instance_of(part.clone())).collect();
                Type::union(parts)
            }
            Type::Parameter(..) | Type::External(_) | Type::Primitive(_) | Type::Nothing => named,
            _ => Type::Unknown,
        }
    }

    /// The class whose body `scope` stands in.
    pub(crate) fn class_of_scope(&self, file: u32, scope: ScopeId) -> Option<Def> {
        let facts = self.world.facts(file);
        let mut next = Some(scope);
        while let Some(scope) = next {
            let Scope { parent, kind, definition } = *facts.scope(scope);
            if kind == ScopeKind::Class {
                return definition.map(|def| Def { file, def: def.0 });
            }
            next = parent;
        }
        None
    }

    /// The type of a literal: the library's class if its signatures are known, else the bare kind.
    pub(super) fn literal(&mut self, file: u32, literal: Literal) -> Type {
        if literal == Literal::None {
            return Type::Nothing;
        }
        let path = (self.world.rules(file).literal)(literal);
        match self.library_class(file, path) {
            Some(def) => Type::instance(def),
            None => Type::Primitive(literal),
        }
    }

    /// A library container with its element types.
    pub(super) fn container(&mut self, file: u32, kind: Literal, args: Vec<Type>) -> Type {
        let path = (self.world.rules(file).literal)(kind);
        match self.library_class(file, path) {
            Some(def) => Type::Instance(def, args.into()).bounded(),
            None => Type::Primitive(kind),
        }
    }

    /// A library class by its qualified name.
    pub(super) fn library_class(&self, file: u32, path: &str) -> Option<Def> {
        let (package, name) = path.rsplit_once('.')?;
        let name = self.world.sym(name)?;
        self.world.in_package(self.world.language(file), package, name).first().map(|listed| listed.def)
    }

    fn element_of_parts(&mut self, parts: Vec<Type>) -> Type {
        if parts.is_empty() { Type::Unknown } else { Type::union(parts) }
    }

    /// What iterating a value gives.
    pub(super) fn element(&mut self, file: u32, of: &Type) -> Type {
        let mut results = Vec::new();
        for part in of.parts() {
            results.push(match part {
                Type::Array(inner) => (**inner).clone(),
                Type::Tuple(parts) => Type::union(parts.iter().cloned()),
                Type::External(sym) => Type::External(*sym),
                Type::Class(def, _) | Type::ThisClass(def) if self.is_enum(*def) => Type::instance(*def),
                Type::Nothing => continue,
                part => {
                    let mut value = part.clone();
                    for name in self.world.rules(file).iterate {
                        value = self.call_member(file, &value, name);
                    }
                    value
                }
            });
        }
        Type::union(results)
    }

    fn index(&mut self, file: u32, of: ExprId, key: ExprId) -> Type {
        let of = self.eval(file, of);
        let mut results = Vec::new();
        for part in of.parts() {
            results.push(match part {
                Type::Array(inner) => (**inner).clone(),
                Type::Tuple(parts) => Type::union(parts.iter().cloned()),
                Type::Class(def, _) if self.is_enum(*def) => Type::instance(*def),
                Type::Class(def, _) => {
                    let args = vec![class_instance(self.eval(file, key))];
                    Type::Class(*def, args.into())
                }
                // A generic function with its type arguments.
                Type::Callable(..) => part.clone(),
                Type::External(sym) => Type::External(*sym),
                Type::Nothing => continue,
                part => match self.world.rules(file).index {
                    Some(name) => self.call_member(file, part, name),
                    None => Type::Unknown,
                },
            });
        }
        Type::union(results)
    }

    fn unpacked(&mut self, file: u32, of: &Type, index: usize) -> Type {
        let mut results = Vec::new();
        for part in of.parts() {
            match part {
                Type::Tuple(parts) => results.push(parts.get(index).cloned().unwrap_or(Type::Unknown)),
                Type::Nothing => {}
                part => results.push(self.element(file, part)),
            }
        }
        Type::union(results)
    }

    /// What calling the member `name` of a value without arguments gives.
    pub(super) fn call_member(&mut self, file: u32, of: &Type, name: &str) -> Type {
        let Some(name) = self.world.sym(name) else { return Type::Unknown };
        let callee = self.member_type(file, of, name, Space::Callable);
        self.result_of(&callee, None)
    }
}

/// Which of a language's name spaces a name is looked up in; one and the same where it has only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    /// Variables first, then types, then packages.
    Value,
    Callable,
    Type,
}

/// The class object of an instance type.
pub(crate) fn class_object(instance: Type) -> Type {
    match instance {
        Type::Instance(def, args) => Type::Class(def, args),
        Type::This(def) => Type::ThisClass(def),
        other => other,
    }
}

/// The instance of a class object.
pub(crate) fn class_instance(class: Type) -> Type {
    match class {
        Type::Class(def, args) => Type::Instance(def, args),
        Type::ThisClass(def) => Type::This(def),
        other => other,
    }
}

/// Replaces type parameters.
pub(crate) type Substitution = FxHashMap<(Sym, Def), Type>;

/// `ty` with type parameters and the running instance's class replaced.
pub(crate) fn substitute(ty: &Type, map: &Substitution, this: Option<&Type>) -> Type {
    substitute_in(ty, map, this).bounded()
}

fn substitute_in(ty: &Type, map: &Substitution, this: Option<&Type>) -> Type {
    let all = |args: &Args| -> Args {
        if args.is_empty() { no_args() } else { args.iter().map(|arg| substitute_in(arg, map, this)).collect() }
    };
    match ty {
        Type::Parameter(sym, owner) => map.get(&(*sym, *owner)).cloned().unwrap_or_else(|| ty.clone()),
        Type::This(_) => match this {
            Some(receiver @ (Type::Instance(..) | Type::This(_))) => receiver.clone(),
            Some(class @ (Type::Class(..) | Type::ThisClass(_))) => class_instance(class.clone()),
            _ => ty.clone(),
        },
        Type::ThisClass(_) => match this {
            Some(receiver @ (Type::Instance(..) | Type::This(_))) => class_object(receiver.clone()),
            Some(class @ (Type::Class(..) | Type::ThisClass(_))) => class.clone(),
            _ => ty.clone(),
        },
        Type::Instance(def, args) => Type::Instance(*def, all(args)),
        Type::Class(def, args) => Type::Class(*def, all(args)),
        Type::Array(inner) => Type::Array(substitute_in(inner, map, this).into()),
        Type::Tuple(parts) => Type::Tuple(all(parts)),
        Type::Union(parts) => Type::union(parts.iter().map(|part| substitute_in(part, map, this))),
        Type::Signature(params, result) => Type::Signature(all(params), substitute_in(result, map, this).into()),
        Type::Callable(defs, receiver) => {
            let receiver = receiver.as_ref().map(|receiver| substitute_in(receiver, map, this).into());
            Type::Callable(defs.clone(), receiver)
        }
        other => other.clone(),
    }
}

/// One thing a name or member was found to be.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) file: u32,
    pub(crate) entry: Entry,
    pub(crate) how: Resolution,
    /// What it is a member of, for members: the receiver's type (one part of it) and the class that holds the member.
    pub(crate) receiver: Option<(Type, Def)>,
}
