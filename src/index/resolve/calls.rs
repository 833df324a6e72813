//! Calls: which definitions a call runs, and what it gives. Overloads, construction, generic methods, lambdas.

use super::eval::{Eval, Found, Key, Space, Substitution, class_instance, substitute};
use super::names::Wanted;
use super::types::{Args, Def, Type, no_args};
use super::world::{Entry, Slot, receiver_parameters, required};
use crate::model::*;

/// What a call runs and gives.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) targets: Vec<Target>,
    pub(crate) result: Type,
    /// Some part of the callee is not known.
    pub(crate) unknown: bool,
    /// Some part of the callee is outside the repository.
    pub(crate) external: bool,
}

/// One definition that a call runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target {
    pub(crate) def: Def,
    pub(crate) how: Resolution,
    pub(crate) construct: bool,
}

/// The arguments of a call: where its expressions are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallArgs {
    file: u32,
    list: List,
    /// Type arguments that the call gives.
    types: Option<List>,
}

impl Called {
    fn new() -> Called {
        Called { targets: Vec::new(), result: Type::Nothing, unknown: false, external: false }
    }

    fn add(&mut self, more: Called) {
        for target in more.targets {
            if !self.targets.iter().any(|t| t.def == target.def) {
                self.targets.push(target);
            }
        }
        let result = std::mem::replace(&mut self.result, Type::Nothing);
        self.result = Type::union([result, more.result]);
        self.unknown |= more.unknown;
        self.external |= more.external;
    }
}

impl Eval<'_, '_> {
    /// What a `Call` or `New` expression runs and gives.
    pub(crate) fn call(&mut self, file: u32, id: ExprId) -> Called {
        let facts = self.world.facts(file);
        match facts.expr(id) {
            Expr::Call { of, args } => self.call_of(file, of, CallArgs { file, list: args, types: None }),
            Expr::New { of, args } if self.world.rules(file).types_apart => {
                let class = self.constructed(file, of);
                let mut called = self.construct_value(&class, CallArgs { file, list: args, types: None });
                self.add_merged(&mut called);
                called
            }
            Expr::New { of, args } => {
                let class = super::eval::class_object(self.type_of(file, of));
                self.invoke(&class, CallArgs { file, list: args, types: None }, Resolution::Imported)
            }
            _ => Called::new(),
        }
    }

    fn call_of(&mut self, file: u32, of: ExprId, mut args: CallArgs) -> Called {
        let mut called = Called::new();
        let facts = self.world.facts(file);
        // `f[T](x)`
        let of = match facts.expr(of) {
            Expr::Apply { of: inner, args: types } if self.is_path(file, inner) => {
                args.types = Some(types);
                inner
            }
            _ => of,
        };
        if !self.is_path(file, of) {
            let callee = self.eval(file, of);
            return self.invoke(&callee, args, Resolution::TypedReceiver);
        }
        if let Some(class) = self.class_asked(file, of, args) {
            return Called { result: class, external: true, ..Called::new() };
        }
        let lookup = self.path(file, of, Space::Callable);
        let mut callables: Vec<&Found> = Vec::new();
        for found in &lookup.found {
            if self.is_plain_callable(found) {
                callables.push(found);
            } else {
                let callee = self.found_type(found);
                called.add(self.invoke(&callee, args, found.how));
            }
        }
        // Overloads compete only with what is reached through the same receiver.
        while let Some(first) = callables.first().copied() {
            let receiver = first.receiver.as_ref().map(|(ty, _)| ty);
            let same = |found: &&Found| found.receiver.as_ref().map(|(ty, _)| ty) == receiver;
            let group: Vec<(Def, Resolution)> =
                callables.iter().copied().filter(same).filter_map(|found| Some((def_of(found)?, found.how))).collect();
            called.add(self.invoke_overloads(&group, receiver, args));
            callables.retain(|found| !same(found));
        }
        match lookup.other {
            Some(Type::External(sym)) => {
                called.external = true;
                called.result = Type::union([called.result, Type::External(sym)]);
            }
            Some(other) => called.add(self.invoke(&other, args, Resolution::Imported)),
            None if lookup.found.is_empty() => {
                called.unknown = true;
                called.result = Type::Unknown;
            }
            None => {}
        }
        called
    }

    /// The value that `new` is asked to construct, with its type arguments.
    pub(super) fn constructed(&mut self, file: u32, of: ExprId) -> Type {
        let facts = self.world.facts(file);
        let Expr::Apply { of, args } = facts.expr(of) else { return self.eval(file, of) };
        let args: Vec<Type> = facts.list(args).iter().map(|arg| self.type_of(file, *arg)).collect();
        match self.eval(file, of) {
            Type::Class(def, _) => Type::Class(def, args.into()).bounded(),
            // What has a construct signature gives what that says, with these arguments.
            other => match self.construct_result(&other) {
                Some(Type::Instance(def, _)) => Type::Gives(Type::Instance(def, args.into()).bounded().into()),
                _ => other,
            },
        }
    }

    pub(super) fn construct_result(&mut self, of: &Type) -> Option<Type> {
        let Type::Instance(def, _) = of else { return None };
        let name = self.world.sym(self.world.rules(def.file).construct_member?)?;
        let lookup = self.class_member(*def, name, Wanted::Any, of);
        let def = lookup.found.first().and_then(def_of)?;
        Some(self.result_through(def, Some(of), None))
    }

    /// `new` on a value: a class, a function that makes instances, something with a construct signature.
    fn construct_value(&mut self, value: &Type, args: CallArgs) -> Called {
        let mut called = Called::new();
        for part in value.parts() {
            match part {
                Type::Callable(defs, _) => {
                    for def in defs.iter() {
                        called.targets.push(Target { def: *def, how: Resolution::Imported, construct: false });
                        let has_members = self.world.definition(*def).members.is_some();
                        let made = if has_members { Type::instance(*def) } else { Type::Unknown };
                        let so_far = std::mem::replace(&mut called.result, Type::Nothing);
                        called.result = Type::union([so_far, made]);
                    }
                }
                Type::Instance(def, _) | Type::This(def) => {
                    let name = self.world.rules(def.file).construct_member.and_then(|name| self.world.sym(name));
                    let lookup = name.map(|name| self.class_member(*def, name, Wanted::Any, part)).unwrap_or_default();
                    let group: Vec<(Def, Resolution)> =
                        lookup.found.iter().filter_map(|found| Some((def_of(found)?, found.how))).collect();
                    if group.is_empty() {
                        called.unknown = true;
                        called.add(Called { result: Type::Unknown, ..Called::new() });
                    } else {
                        called.add(self.invoke_overloads(&group, Some(part), args));
                    }
                }
                part => called.add(self.invoke(part, args, Resolution::Imported)),
            }
        }
        called
    }

    fn is_path(&self, file: u32, id: ExprId) -> bool {
        matches!(self.world.facts(file).expr(id), Expr::Name { .. } | Expr::Member { .. })
    }

    /// The type arguments that a call gives, as far as it does.
    fn given_types(&mut self, args: CallArgs) -> Vec<Type> {
        let facts = self.world.facts(args.file);
        let given = args.types.map_or(&[][..], |types| facts.list(types));
        given.iter().map(|ty| self.type_of(args.file, *ty)).collect()
    }

    /// An interface that is merged with the value that makes its instances is what is constructed.
    fn add_merged(&mut self, called: &mut Called) {
        for part in called.result.clone().parts() {
            let Type::Instance(def, _) = part else { continue };
            let definition = self.world.definition(*def);
            let name = self.world.name(def.file, definition.name);
            let is_value = |slot: &Slot| {
                Wanted::Value.accepts(self.world.facts(def.file), slot.entry) && !matches!(slot.entry, Entry::Import(_))
            };
            let merged = definition.kind == DefKind::Interface
                && self.world.entries(def.file, definition.scope, name).iter().any(is_value);
            if merged && !called.targets.iter().any(|target| target.def == *def) {
                called.targets.push(Target { def: *def, how: Resolution::Imported, construct: true });
            }
        }
    }

    /// The class of the only argument, where the callee is the builtin that gives it.
    fn class_asked(&mut self, file: u32, of: ExprId, args: CallArgs) -> Option<Type> {
        let facts = self.world.facts(file);
        let (Expr::Name { name, .. }, [arg]) = (facts.expr(of), facts.list(args.list)) else { return None };
        let asks = self.world.rules(file).class_function;
        if asks.is_empty() || facts.name(name) != asks || !self.path(file, of, Space::Callable).found.is_empty() {
            return None;
        }
        Some(super::eval::class_object(self.eval(args.file, *arg)))
    }

    /// Calls a value.
    fn invoke(&mut self, callee: &Type, args: CallArgs, how: Resolution) -> Called {
        let mut called = Called::new();
        for part in callee.parts() {
            match part {
                Type::Callable(defs, receiver) => {
                    let group: Vec<(Def, Resolution)> = defs.iter().map(|def| (*def, how)).collect();
                    called.add(self.invoke_overloads(&group, receiver.as_deref(), args));
                }
                Type::Class(def, type_args) => called.add(self.construct(*def, type_args, args, how)),
                Type::ThisClass(def) => {
                    // Of this class or, as likely, of a subclass.
                    let mut more = self.construct(*def, &no_args(), args, Resolution::Override);
                    more.result = Type::This(*def);
                    called.add(more);
                }
                Type::Instance(def, _) | Type::This(def) => {
                    let rules = self.world.rules(def.file);
                    let Some(name) = rules.call_member.and_then(|name| self.world.sym(name)) else {
                        called.unknown = true;
                        continue;
                    };
                    let lookup = self.class_member(*def, name, Wanted::Any, part);
                    let group: Vec<(Def, Resolution)> =
                        lookup.found.iter().filter_map(|found| Some((def_of(found)?, found.how))).collect();
                    if group.is_empty() {
                        called.external |= matches!(lookup.other, Some(Type::External(_)));
                        called.unknown |= !matches!(lookup.other, Some(Type::External(_)));
                        called.add(Called { result: Type::Unknown, ..Called::new() });
                    } else {
                        called.add(self.invoke_overloads(&group, Some(part), args));
                    }
                }
                Type::Gives(result) => {
                    called.external = true;
                    called.add(Called { result: (**result).clone(), ..Called::new() });
                }
                Type::Signature(_, result) => {
                    called.external = true;
                    called.add(Called { result: (**result).clone(), ..Called::new() });
                }
                // `super(..)` runs the constructor of what the class extends.
                Type::Super(def) => {
                    for above in self.supertypes(*def).iter() {
                        match above {
                            Type::Instance(above, type_args) if self.world.definition(*above).kind.is_type() => {
                                let more = self.construct(*above, type_args, args, Resolution::Inherited);
                                called.add(Called { result: Type::Nothing, ..more });
                            }
                            Type::External(_) => called.external = true,
                            _ => called.unknown = true,
                        }
                    }
                }
                Type::Lambda(file, id) => {
                    let result = self.lambda_result(*file, *id);
                    called.add(Called { result, ..Called::new() });
                }
                Type::External(sym) => {
                    called.external = true;
                    called.add(Called { result: Type::External(*sym), ..Called::new() });
                }
                Type::Nothing => {}
                _ => {
                    called.unknown = true;
                    called.add(Called { result: Type::Unknown, ..Called::new() });
                }
            }
        }
        called
    }

    fn invoke_overloads(&mut self, group: &[(Def, Resolution)], receiver: Option<&Type>, args: CallArgs) -> Called {
        let mut called = Called::new();
        for (def, how) in self.select(group, receiver, args) {
            called.targets.push(Target { def, how, construct: false });
            let result = self.result_through(def, receiver, Some(args));
            let so_far = std::mem::replace(&mut called.result, Type::Nothing);
            called.result = Type::union([so_far, result]);
        }
        called
    }

    /// Construction of a class.
    fn construct(&mut self, class: Def, type_args: &Args, args: CallArgs, how: Resolution) -> Called {
        let rules = self.world.rules(class.file);
        let mut called = Called::new();
        let mut target = class;
        let mut type_args = type_args.clone();
        let constructor = self.world.sym(rules.constructor);
        if let Some(name) = constructor {
            let receiver = Type::Instance(class, type_args.clone());
            let lookup = self.class_member(
                class,
                name,
                if rules.namespaces { Wanted::Callable } else { Wanted::Any },
                &receiver,
            );
            let group: Vec<(Def, Resolution)> =
                lookup.found.iter().filter_map(|found| Some((def_of(found)?, found.how))).collect();
            let own: Vec<(Def, Resolution)> =
                group.iter().copied().filter(|(def, _)| self.world.class_around(*def) == Some(class)).collect();
            if rules.overloads
                && let Some((def, _)) = self.select(&own, Some(&receiver), args).first()
            {
                target = *def;
            }
            if type_args.is_empty() {
                type_args = self.given_types(args).into();
            }
            if type_args.is_empty()
                && let Some((def, _)) = group.first()
            {
                type_args = self.inferred_arguments(class, *def, args);
            }
        }
        called.targets.push(Target { def: target, how, construct: true });
        called.result = Type::Instance(class, type_args);
        called
    }

    /// Type arguments of a class that its constructor's arguments tell.
    fn inferred_arguments(&mut self, class: Def, constructor: Def, args: CallArgs) -> Args {
        let order = self.ancestors(class);
        let Some(Type::Instance(_, parameters)) = order.first() else { return no_args() };
        if parameters.is_empty() {
            return no_args();
        }
        let parameters = parameters.clone();
        let mut map = Substitution::default();
        self.infer(constructor, args, &mut map);
        let value = |parameter: &Type| match parameter {
            Type::Parameter(sym, owner) => map.get(&(*sym, *owner)).cloned().unwrap_or(Type::Unknown),
            _ => Type::Unknown,
        };
        parameters.iter().map(value).collect()
    }

    /// What calling a value gives, when only that is asked.
    pub(crate) fn result_of(&mut self, callee: &Type, args: Option<CallArgs>) -> Type {
        let mut results = Vec::new();
        for part in callee.parts() {
            results.push(match (part, args) {
                (Type::Callable(defs, receiver), None) => {
                    let fitting = defs.iter().find(|def| self.required(**def).0 == 0).or(defs.first());
                    match fitting.copied() {
                        Some(def) => self.result_through(def, receiver.as_deref(), None),
                        None => Type::Unknown,
                    }
                }
                (Type::Class(..) | Type::ThisClass(_), None) => class_instance(part.clone()),
                (Type::External(sym), _) => Type::External(*sym),
                (part, Some(args)) => self.invoke(part, args, Resolution::TypedReceiver).result,
                _ => Type::Unknown,
            });
        }
        if results.is_empty() { Type::Unknown } else { Type::union(results) }
    }

    /// What a definition gives when called through a receiver, type arguments put in.
    fn result_through(&mut self, def: Def, receiver: Option<&Type>, args: Option<CallArgs>) -> Type {
        let result = self.keyed(Key::Result(def), |eval| eval.declared_result(def));
        let needs = contains_parameter(&result);
        if !needs {
            return result;
        }
        let mut map = Substitution::default();
        if let (Some(receiver), Some(holder)) = (receiver, self.world.class_around(def)) {
            map = self.arguments(receiver, holder);
        }
        if let Some(args) = args {
            let given = self.given_types(args);
            for (name, ty) in self.world.definition(def).type_params.iter().zip(given) {
                map.insert((self.world.name(def.file, *name), def), ty);
            }
            self.infer(def, args, &mut map);
        }
        let result = substitute(&result, &map, receiver);
        // What nothing told stays a parameter only inside the definition that declares it.
        forget_parameters(&result, def)
    }

    /// The declared result, else what is returned.
    fn declared_result(&mut self, def: Def) -> Type {
        let definition = self.world.definition(def);
        let facts = self.world.facts(def.file);
        if let Some(ty) = definition.ty {
            return self.type_of(def.file, ty);
        }
        if definition.kind == DefKind::Constructor || definition.flags.has(DefFlags::ABSTRACT) {
            return Type::Unknown;
        }
        let returned: Vec<Type> = facts.list(definition.returns).iter().map(|id| self.eval(def.file, *id)).collect();
        let value = Type::union(returned);
        let promise = self.world.rules(def.file).promise;
        if definition.flags.has(DefFlags::ASYNC)
            && let Some(promise) = self.library_class(def.file, promise)
        {
            let value = self.awaited(def.file, value);
            return Type::Instance(promise, [value].into()).bounded();
        }
        if definition.flags.has(DefFlags::GENERATOR) {
            return self.container(def.file, Literal::Generator, vec![value]);
        }
        value
    }

    fn lambda_result(&mut self, file: u32, id: ExprId) -> Type {
        let facts = self.world.facts(file);
        let Expr::Lambda { returns, .. } = facts.expr(id) else { return Type::Unknown };
        let returned: Vec<Type> = facts.list(returns).iter().map(|id| self.eval(file, *id)).collect();
        Type::union(returned)
    }

    /// Type parameters that the arguments of a call tell.
    fn infer(&mut self, def: Def, args: CallArgs, map: &mut Substitution) {
        let definition = self.world.definition(def);
        let facts = self.world.facts(args.file);
        let skip = self.receiver_parameters(def);
        for (position, arg) in facts.list(args.list).iter().enumerate() {
            let param = match facts.expr(*arg) {
                Expr::Spread { .. } => return,
                Expr::Keyword { name, .. } => {
                    let name = self.world.name(args.file, name);
                    definition.params.iter().find(|p| self.world.name(def.file, p.name) == name)
                }
                _ => param_at(&definition.params[skip.min(definition.params.len())..], position),
            };
            let Some(ty) = param.and_then(|param| param.ty) else { continue };
            let wanted = self.type_of(def.file, ty);
            if contains_parameter(&wanted) {
                let given = self.eval(args.file, *arg);
                self.unify(&wanted, &given, map, 0);
            }
        }
    }

    fn receiver_parameters(&self, def: Def) -> usize {
        receiver_parameters(self.world.facts(def.file), self.world.definition(def))
    }

    fn unify(&mut self, wanted: &Type, given: &Type, map: &mut Substitution, depth: usize) {
        if depth > 8 {
            return;
        }
        match (wanted, given) {
            (Type::Parameter(..), Type::Unknown | Type::Nothing) => {}
            (Type::Parameter(sym, owner), given) => {
                let known = map.entry((*sym, *owner)).or_insert(Type::Nothing);
                if matches!(known, Type::Unknown | Type::Nothing | Type::Parameter(..)) {
                    *known = given.clone();
                }
            }
            (Type::Array(wanted), Type::Array(given)) => self.unify(wanted, given, map, depth + 1),
            (Type::Union(parts), given) => {
                for part in parts.iter() {
                    self.unify(part, given, map, depth + 1);
                }
            }
            (Type::Instance(def, wanted_args), Type::Instance(..)) => {
                let through = self.arguments(given, *def);
                let own = self.ancestors(*def);
                if let Some(Type::Instance(_, parameters)) = own.first() {
                    for (parameter, wanted) in parameters.clone().iter().zip(wanted_args.iter()) {
                        let given = substitute(parameter, &through, None);
                        if !matches!(given, Type::Parameter(_, owner) if owner == *def) {
                            self.unify(wanted, &given, map, depth + 1);
                        }
                    }
                }
            }
            (Type::Signature(_, wanted), Type::Lambda(..) | Type::Callable(..) | Type::Signature(..)) => {
                let given = match given {
                    Type::Lambda(file, id) => self.lambda_result(*file, *id),
                    Type::Signature(_, result) => (**result).clone(),
                    given => self.result_of(given, None),
                };
                self.unify(wanted, &given, map, depth + 1);
            }
            (Type::Instance(interface, args), Type::Lambda(..) | Type::Callable(..)) => {
                let Some((method, holder)) = self.functional_method(*interface) else { return };
                let Some(ty) = self.world.definition(method).ty else { return };
                let wanted = self.type_of(method.file, ty);
                let through = self.arguments(&Type::Instance(*interface, args.clone()), holder);
                let wanted = substitute(&wanted, &through, None);
                let given = match given {
                    Type::Lambda(file, id) => self.lambda_result(*file, *id),
                    given => self.result_of(given, None),
                };
                self.unify(&wanted, &given, map, depth + 1);
            }
            (Type::Class(a, _), Type::Class(..) | Type::ThisClass(_)) => {
                let wanted = Type::instance(*a);
                self.unify(&wanted, &class_instance(given.clone()), map, depth + 1);
            }
            _ => {}
        }
    }

    /// The single abstract method of a functional interface and the type that holds it.
    fn functional_method(&mut self, interface: Def) -> Option<(Def, Def)> {
        let order = self.ancestors(interface);
        for ancestor in order.iter() {
            let Type::Instance(holder, _) = ancestor else { continue };
            let facts = self.world.facts(holder.file);
            let body = self.world.definition(*holder).body?;
            if self.world.definition(*holder).kind != DefKind::Interface {
                return None;
            }
            let is_abstract = |d: &Definition| {
                d.scope == body
                    && d.kind == DefKind::Method
                    && !d.flags.has(DefFlags::DEFAULT)
                    && !d.flags.has(DefFlags::STATIC)
            };
            if let Some(i) = facts.definitions.iter().position(is_abstract) {
                return Some((Def { file: holder.file, def: i as u32 }, *holder));
            }
        }
        None
    }

    /// The value of a binding.
    pub(crate) fn binding(&mut self, file: u32, index: u32) -> Type {
        self.keyed(Key::Binding(file, index), |eval| {
            let facts = eval.world.facts(file);
            let binding = facts.bindings[index as usize];
            match binding.kind {
                BindingKind::TypeParameter => {
                    let owner = facts.scope(binding.scope).definition;
                    if let Some(parameter) =
                        owner.and_then(|owner| eval.receiver_parameter(Def { file, def: owner.0 }, &binding))
                    {
                        return parameter;
                    }
                    match owner {
                        Some(def) => Type::Parameter(eval.world.name(file, binding.name), Def { file, def: def.0 }),
                        None => Type::Unknown,
                    }
                }
                BindingKind::Parameter(position) => eval.parameter(file, &binding, position as usize),
                BindingKind::Opaque => Type::Unknown,
                BindingKind::Unbound => Type::Nothing,
                _ => match (binding.ty, binding.value) {
                    (None, Some(value)) if eval.makes_type_variable(file, value) => {
                        let name = eval.world.name(file, binding.name);
                        eval.world
                            .defined(file, binding.scope, name)
                            .map_or(Type::Unknown, |def| Type::Parameter(name, def))
                    }
                    (Some(ty), _) => eval.type_of(file, ty),
                    (None, Some(value)) => eval.eval(file, value),
                    (None, None) => Type::Unknown,
                },
            }
        })
    }

    /// The type parameter of a type that a member written apart gives a name of its own.
    fn receiver_parameter(&self, member: Def, binding: &Binding) -> Option<Type> {
        let definition = self.world.definition(member);
        definition.receiver?;
        let position = definition.type_params.iter().position(|name| *name == binding.name)?;
        let class = self.world.class_around(member)?;
        let name = self.world.definition(class).type_params.get(position)?;
        Some(Type::Parameter(self.world.name(class.file, *name), class))
    }

    /// Is the value a call that makes a type parameter?
    fn makes_type_variable(&self, file: u32, value: ExprId) -> bool {
        let makers = self.world.rules(file).type_variables;
        let facts = self.world.facts(file);
        let Expr::Call { of, .. } = facts.expr(value) else { return false };
        match facts.expr(of) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => makers.contains(&facts.name(name)),
            _ => false,
        }
    }

    fn parameter(&mut self, file: u32, binding: &Binding, position: usize) -> Type {
        let facts = self.world.facts(file);
        let scope = *facts.scope(binding.scope);
        if let Some(def) = scope.definition {
            let def = Def { file, def: def.0 };
            if position == 0
                && self.receiver_parameters(def) == 1
                && binding.ty.is_none()
                && let Some(class) = self.world.class_around(def)
            {
                let definition = self.world.definition(def);
                let on_class = definition.flags.has(DefFlags::CLASS_METHOD)
                    || matches!(facts.name(definition.name), "__new__" | "__init_subclass__" | "__class_getitem__");
                return if on_class { Type::ThisClass(class) } else { Type::This(class) };
            }
            if let Some(ty) = binding.ty {
                let ty = self.type_of(file, ty);
                let rest = self.world.definition(def).params.get(position).map(|p| p.kind);
                return match rest {
                    Some(ParamKind::Rest) if self.world.rules(file).explicit_receiver => {
                        self.container(file, Literal::Tuple, vec![ty])
                    }
                    Some(ParamKind::KeywordRest) => {
                        let key = self.literal(file, Literal::Str);
                        self.container(file, Literal::Dict, vec![key, ty])
                    }
                    _ => ty,
                };
            }
        } else if let Some(ty) = binding.ty {
            return self.type_of(file, ty);
        } else if scope.kind == ScopeKind::Lambda {
            return self.lambda_parameter(file, binding.scope, position);
        }
        match binding.value.map(|value| self.eval(file, value)) {
            Some(Type::Nothing) | None => Type::Unknown,
            Some(default) => default,
        }
    }

    /// The type that the receiver of a lambda expects of its nth parameter.
    fn lambda_parameter(&mut self, file: u32, scope: ScopeId, position: usize) -> Type {
        if let Some(ty) = self.world.lambda_type(file, scope) {
            let wanted = self.type_of(file, ty);
            return self.expected_parameter(&wanted, position).unwrap_or(Type::Unknown);
        }
        let Some((call, argument)) = self.world.lambda_site(file, scope) else { return Type::Unknown };
        let facts = self.world.facts(file);
        let (candidates, list) = match facts.expr(call) {
            Expr::Call { of, args } => (self.path(file, of, Space::Callable).found, args),
            Expr::New { of, args } => {
                let Type::Instance(class, _) = self.type_of(file, of) else { return Type::Unknown };
                let Some(name) = self.world.sym(self.world.rules(class.file).constructor) else { return Type::Unknown };
                (self.class_member(class, name, Wanted::Callable, &Type::instance(class)).found, args)
            }
            _ => return Type::Unknown,
        };
        let count = facts.list(list).len();
        let mut expected = Vec::new();
        for found in &candidates {
            let Some(def) = def_of(found) else { continue };
            let (least, most) = self.required(def);
            if count < least || count > most {
                continue;
            }
            let definition = self.world.definition(def);
            let skip = self.receiver_parameters(def).min(definition.params.len());
            let Some(ty) = param_at(&definition.params[skip..], argument as usize).and_then(|p| p.ty) else { continue };
            let mut wanted = self.type_of(def.file, ty);
            if let Some((receiver, holder)) = &found.receiver {
                let map = self.arguments(receiver, *holder);
                wanted = substitute(&wanted, &map, Some(receiver));
            }
            if let Some(ty) = self.expected_parameter(&wanted, position) {
                expected.push(forget_parameters(&ty, def));
            }
        }
        expected.retain(|ty| *ty != Type::Unknown);
        if expected.is_empty() { Type::Unknown } else { Type::union(expected) }
    }

    /// The type that a functional interface hands to its nth parameter.
    pub(super) fn expected_parameter(&mut self, wanted: &Type, position: usize) -> Option<Type> {
        let interface = match wanted {
            Type::Instance(interface, _) => interface,
            Type::Signature(params, _) => return params.get(position).cloned(),
            Type::Union(parts) => {
                return parts.iter().find_map(|part| self.expected_parameter(part, position));
            }
            _ => return None,
        };
        let (method, holder) = self.functional_method(*interface)?;
        let ty = self.world.definition(method).params.get(position)?.ty?;
        let inner = self.type_of(method.file, ty);
        let map = self.arguments(wanted, holder);
        Some(substitute(&inner, &map, None))
    }

    fn required(&self, def: Def) -> (usize, usize) {
        required(self.world.facts(def.file), self.world.definition(def))
    }

    /// The overload that the arguments choose. Several only when nothing tells them apart and they stand in one class.
    pub(crate) fn select(
        &mut self,
        group: &[(Def, Resolution)],
        receiver: Option<&Type>,
        args: CallArgs,
    ) -> Vec<(Def, Resolution)> {
        let Some((first, _)) = group.first() else { return Vec::new() };
        if group.len() == 1 || !self.world.rules(first.file).overloads {
            return group.to_vec();
        }
        let facts = self.world.facts(args.file);
        let list = facts.list(args.list);
        let spread = list.iter().any(|arg| matches!(facts.expr(*arg), Expr::Spread { .. }));
        let mut fitting: Vec<(Def, Resolution)> = group.to_vec();
        if !spread {
            fitting.retain(|(def, _)| {
                let (least, most) = self.required(*def);
                (least..=most).contains(&list.len())
            });
        }
        if fitting.len() > 1 {
            let given: Vec<Type> = list.iter().map(|arg| self.argument(args.file, *arg)).collect();
            let mut scored: Vec<(i32, usize, (Def, Resolution))> = Vec::new();
            for (order, candidate) in fitting.iter().enumerate() {
                if let Some(score) = self.fit(candidate.0, receiver, &given) {
                    scored.push((-score, order, *candidate));
                }
            }
            scored.sort();
            if let Some((_, _, best)) = scored.first() {
                return vec![*best];
            }
        }
        if fitting.is_empty() { group[..1].to_vec() } else { fitting[..1].to_vec() }
    }

    /// The type of an argument, for choosing among overloads: a method reference is a function whatever it refers to.
    fn argument(&mut self, file: u32, arg: ExprId) -> Type {
        match (self.eval(file, arg), self.world.facts(file).expr(arg)) {
            (Type::Unknown | Type::External(_), Expr::MethodRef { .. }) => Type::Callable([].into(), None),
            (ty, _) => ty,
        }
    }

    /// How well arguments fit a signature; `None` if they cannot.
    fn fit(&mut self, def: Def, receiver: Option<&Type>, given: &[Type]) -> Option<i32> {
        let definition = self.world.definition(def);
        let skip = self.receiver_parameters(def).min(definition.params.len());
        let params = &definition.params[skip..];
        let map = match (receiver, self.world.class_around(def)) {
            (Some(receiver), Some(holder)) => self.arguments(receiver, holder),
            _ => Substitution::default(),
        };
        let rest = params.last().is_some_and(|p| p.kind == ParamKind::Rest);
        let mut score = if rest { -4 } else { 0 };
        for (position, given) in given.iter().enumerate() {
            let Some(param) = param_at(params, position) else { continue };
            let Some(ty) = param.ty else { continue };
            let wanted = self.type_of(def.file, ty);
            let wanted = substitute(&wanted, &map, None);
            let as_is = self.assignable(&wanted, given);
            let fit = match (as_is, param.kind) {
                // A whole array may be handed over for a variable number of parameters.
                (None, ParamKind::Rest) if position + 1 == params.len() => match given {
                    Type::Array(inner) => self.assignable(&wanted, inner),
                    _ => None,
                },
                (fit, _) => fit,
            };
            score += fit?;
        }
        Some(score)
    }

    /// How well a value fits a declared type: higher is closer, `None` cannot be.
    fn assignable(&mut self, wanted: &Type, given: &Type) -> Option<i32> {
        let object = self.world.sym("Object");
        match (wanted, given) {
            (_, Type::Unknown | Type::Union(_)) | (Type::Unknown | Type::Union(_), _) => Some(0),
            (Type::Primitive(_), Type::Nothing) => None,
            // Anything takes null; the most specific of what does is called.
            (Type::External(sym), Type::Nothing) if Some(*sym) == object => Some(0),
            (_, Type::Nothing) => Some(1),
            (wanted, given) if wanted == given => Some(20),
            (Type::Parameter(sym, owner), given) => match self.bound(*sym, *owner) {
                Type::Unknown | Type::Parameter(..) => Some(if matches!(given, Type::Primitive(_)) { 1 } else { 2 }),
                bound => self.assignable(&bound, given).map(|fit| fit.min(3)),
            },
            // What a type variable stands for is never an array; its bound tells the rest.
            (Type::Array(_), Type::Parameter(..)) => None,
            (wanted, Type::Parameter(sym, owner)) => match self.bound(*sym, *owner) {
                Type::Unknown | Type::Parameter(..) => Some(0),
                bound => self.assignable(wanted, &bound),
            },
            (Type::Primitive(wanted), Type::Primitive(given)) => widening(*wanted, *given),
            // What is outside is known by name at best; only a name that nothing else can be speaks against it.
            (Type::Primitive(wanted), Type::External(sym)) => match unboxed(self.world.text(*sym)) {
                Some(boxed) => Some(if boxed == *wanted { 5 } else { 1 }),
                None => (!final_type(self.world.text(*sym))).then_some(0),
            },
            (Type::Primitive(wanted), Type::Instance(def, _)) => {
                let name = self.world.name(def.file, self.world.definition(*def).name);
                match unboxed(self.world.text(name)) {
                    Some(boxed) if boxed == *wanted => Some(5),
                    Some(boxed) => widening(*wanted, boxed).map(|_| 1),
                    None => None,
                }
            }
            (Type::Primitive(_), _) => None,
            (Type::External(wanted), Type::Primitive(given)) => match unboxed(self.world.text(*wanted)) {
                Some(boxed) => (boxed == *given).then_some(5),
                None => (Some(*wanted) == object
                    || matches!(self.world.text(*wanted), "Number" | "Comparable" | "Serializable"))
                .then_some(1),
            },
            (Type::Instance(wanted, _), Type::Primitive(given)) => {
                let name = self.world.name(wanted.file, self.world.definition(*wanted).name);
                match self.world.text(name) {
                    "Object" | "Number" | "Comparable" | "Serializable" => Some(1),
                    name => unboxed(name).filter(|boxed| boxed == given).map(|_| 5),
                }
            }
            (Type::Array(wanted), Type::Array(given)) => match (&**wanted, &**given) {
                (Type::Primitive(a), Type::Primitive(b)) => (a == b).then_some(20),
                (Type::Primitive(_), _) | (_, Type::Primitive(_)) => None,
                // An array of anything is closer than `Object`, which takes it too.
                (wanted, given) => self.assignable(wanted, given).map(|fit| fit + 1),
            },
            (Type::Array(_), Type::External(_) | Type::Callable(..) | Type::Class(..) | Type::Tuple(_)) => Some(0),
            (Type::Array(_), _) => None,
            (Type::External(sym), Type::Array(_)) => (Some(*sym) == object).then_some(1),
            (Type::Instance(def, _), Type::Array(_)) => {
                let name = self.world.name(def.file, self.world.definition(*def).name);
                (Some(name) == object).then_some(1)
            }
            (Type::Instance(wanted, _), Type::Instance(given, _) | Type::This(given)) => {
                let order = self.ancestors(*given);
                let distance = order.iter().position(|a| matches!(a, Type::Instance(def, _) if def == wanted));
                match distance {
                    Some(distance) => Some((19 - distance as i32).max(3)),
                    // Something above it is not known.
                    None if order.iter().any(|a| !matches!(a, Type::Instance(..))) => Some(0),
                    None => {
                        let name = self.world.name(wanted.file, self.world.definition(*wanted).name);
                        (Some(name) == object).then_some(1)
                    }
                }
            }
            (Type::Instance(wanted, _), Type::Lambda(file, id)) => {
                let (method, _) = self.functional_method(*wanted)?;
                let facts = self.world.facts(*file);
                let Expr::Lambda { scope, returns } = facts.expr(*id) else { return Some(0) };
                let is_param = |b: &&Binding| b.scope == scope && matches!(b.kind, BindingKind::Parameter(_));
                let count = facts.bindings.iter().filter(is_param).count();
                let definition = self.world.definition(method);
                if definition.params.len() != count {
                    return None;
                }
                let void = definition
                    .ty
                    .is_none_or(|ty| matches!(self.world.facts(method.file).expr(ty), Expr::Literal(Literal::None)));
                Some(if void == (returns.len == 0) { 12 } else { 6 })
            }
            (Type::Instance(wanted, _), Type::Callable(..)) => self.functional_method(*wanted).map(|_| 8),
            (Type::External(sym), Type::Lambda(..) | Type::Callable(..)) => {
                let known = ["Object", "String", "CharSequence", "Class", "Integer", "Long", "Double", "Boolean"];
                (!known.contains(&self.world.text(*sym))).then_some(2)
            }
            (Type::External(sym), _) if Some(*sym) == object => Some(1),
            (Type::External(wanted), Type::External(given)) => {
                let (wanted, given) = (self.world.text(*wanted), self.world.text(*given));
                if final_type(wanted) || (final_type(given) && !above_final(wanted, given)) { None } else { Some(2) }
            }
            (Type::External(sym), Type::Instance(def, _) | Type::This(def)) => {
                let order = self.ancestors(*def);
                let above = order.iter().any(|a| matches!(a, Type::External(s) if s == sym));
                if above {
                    Some(10)
                } else if final_type(self.world.text(*sym)) || order.iter().all(|a| matches!(a, Type::Instance(..))) {
                    None
                } else {
                    Some(0)
                }
            }
            (Type::Instance(..), Type::External(given)) => {
                if final_type(self.world.text(*given)) {
                    None
                } else {
                    Some(0)
                }
            }
            _ => Some(0),
        }
    }
}

/// Library types that nothing extends: nothing else is one, and they are only what is listed in [`above_final`].
fn final_type(name: &str) -> bool {
    matches!(
        name,
        "String"
            | "Integer"
            | "Long"
            | "Short"
            | "Byte"
            | "Character"
            | "Boolean"
            | "Double"
            | "Float"
            | "StringBuilder"
            | "StringBuffer"
            | "Class"
            | "Locale"
            | "Pattern"
            | "UUID"
    )
}

fn above_final(wanted: &str, given: &str) -> bool {
    match wanted {
        "Object" | "Serializable" => true,
        "Comparable" => !matches!(given, "Class" | "Locale" | "Pattern"),
        "CharSequence" => matches!(given, "String" | "StringBuilder" | "StringBuffer"),
        "Appendable" => matches!(given, "StringBuilder" | "StringBuffer"),
        "Number" => matches!(given, "Integer" | "Long" | "Short" | "Byte" | "Double" | "Float"),
        "Type" | "AnnotatedElement" | "GenericDeclaration" => given == "Class",
        _ => false,
    }
}

/// The primitive of a boxed type.
fn unboxed(name: &str) -> Option<Literal> {
    Some(match name {
        "Integer" => Literal::Int,
        "Short" => Literal::Short,
        "Byte" => Literal::Byte,
        "Long" => Literal::Long,
        "Character" => Literal::Char,
        "Boolean" => Literal::Bool,
        "Float" => Literal::Float,
        "Double" => Literal::Double,
        _ => return None,
    })
}

/// Widening primitive conversion (Java Language Specification 5.1.2): closer is higher.
fn widening(wanted: Literal, given: Literal) -> Option<i32> {
    let rank = |literal| match literal {
        Literal::Byte => Some(0),
        Literal::Short | Literal::Char => Some(1),
        Literal::Int => Some(2),
        Literal::Long => Some(3),
        Literal::Float => Some(4),
        Literal::Double => Some(5),
        _ => None,
    };
    match (rank(wanted), rank(given)) {
        (Some(wanted), Some(given)) if wanted > given => Some(18 - (wanted - given)),
        _ => None,
    }
}

/// The parameter that takes the nth argument.
fn param_at(params: &[Param], position: usize) -> Option<&Param> {
    match params.get(position) {
        Some(param) if matches!(param.kind, ParamKind::Normal | ParamKind::PositionalOnly | ParamKind::Rest) => {
            Some(param)
        }
        _ => params.iter().find(|param| param.kind == ParamKind::Rest),
    }
}

fn contains_parameter(ty: &Type) -> bool {
    match ty {
        Type::Parameter(..) | Type::This(_) | Type::ThisClass(_) => true,
        Type::Instance(_, args) | Type::Class(_, args) | Type::Tuple(args) | Type::Union(args) => {
            args.iter().any(contains_parameter)
        }
        Type::Array(inner) => contains_parameter(inner),
        Type::Signature(params, result) => params.iter().any(contains_parameter) || contains_parameter(result),
        Type::Callable(_, Some(receiver)) => contains_parameter(receiver),
        _ => false,
    }
}

/// Type parameters that a definition declares itself mean nothing outside a call of it.
fn forget_parameters(ty: &Type, owner: Def) -> Type {
    match ty {
        Type::Parameter(_, declared) if *declared == owner => Type::Unknown,
        Type::Instance(def, args) if !args.is_empty() => {
            Type::Instance(*def, args.iter().map(|arg| forget_parameters(arg, owner)).collect())
        }
        Type::Union(parts) => Type::union(parts.iter().map(|part| forget_parameters(part, owner))),
        other => other.clone(),
    }
}

fn def_of(found: &Found) -> Option<Def> {
    match found.entry {
        Entry::Definition(def) => Some(Def { file: found.file, def }),
        _ => None,
    }
}
