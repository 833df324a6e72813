//! Members of values and classes: supertypes, look-up order, type arguments.

use super::eval::{Eval, Found, Space, Substitution, substitute};
use super::names::{Lookup, Wanted};
use super::types::{Args, Def, Sym, Type, no_args};
use super::world::{Entry, Slot};
use crate::model::*;

/// Longest look-up order of a class; deeper hierarchies are cut.
const MAX_ANCESTORS: usize = 256;

impl Eval<'_, '_> {
    /// What a member of a value is. For a union: of each of its parts.
    pub(crate) fn members(&mut self, file: u32, of: &Type, name: Sym, space: Space) -> Lookup {
        let wanted = match (self.world.rules(file).namespaces, space) {
            (false, space) if self.world.rules(file).types_apart => Wanted::apart(space),
            (false, _) => Wanted::Any,
            (true, Space::Callable) => Wanted::Callable,
            (true, Space::Type) => Wanted::Type,
            (true, Space::Value) => Wanted::Variable,
        };
        let mut all = Lookup::default();
        for part in of.parts() {
            let lookup = match part {
                Type::Module(target) => {
                    let lookup = self.module_member(*target, name, space);
                    match (lookup.is_empty(), self.world.is_library(*target)) {
                        (true, true) => Lookup::other(Type::External(name)),
                        (true, false) => Lookup::other(Type::Unknown),
                        _ => lookup,
                    }
                }
                Type::Package(package) => {
                    let lookup = self.package_member(file, package, name);
                    if lookup.is_empty() { Lookup::other(Type::External(name)) } else { lookup }
                }
                Type::Class(def, _) if self.world.text(name) == self.world.rules(def.file).prototype_member => {
                    Lookup::other(Type::instance(*def))
                }
                Type::Class(def, _) | Type::ThisClass(def) => {
                    let mut lookup = self.class_member(*def, name, wanted, part);
                    if lookup.found.is_empty()
                        && let Some(gives) = self.enum_method(*def, name)
                    {
                        lookup = Lookup::other(gives);
                    }
                    if lookup.found.is_empty() && wanted == Wanted::Variable {
                        lookup = self.class_member(*def, name, Wanted::Type, part);
                    }
                    lookup
                }
                Type::Callable(defs, _) if self.has_members(defs) => self.function_members(defs, name),
                Type::Instance(..) | Type::This(_) if self.is_class_of(file, name) => {
                    Lookup::other(super::eval::class_object(part.clone()))
                }
                Type::Instance(def, _) | Type::This(def) => self.class_member(*def, name, wanted, part),
                Type::Super(def) => self.class_member_after(*def, name, wanted),
                Type::Parameter(sym, owner) => {
                    let bound = self.bound(*sym, *owner);
                    match bound {
                        Type::Parameter(..) | Type::Unknown => Lookup::other(Type::Unknown),
                        bound => self.members(file, &bound, name, space),
                    }
                }
                Type::Tuple(parts) => {
                    let element = Type::union(parts.iter().cloned());
                    let container = self.container(file, Literal::Tuple, vec![element]);
                    match container {
                        Type::Instance(def, _) => self.class_member(def, name, wanted, &container),
                        _ => Lookup::other(Type::External(name)),
                    }
                }
                Type::Array(_) if self.world.text(name) == self.world.rules(file).array_length => {
                    Lookup::other(Type::Primitive(Literal::Int))
                }
                Type::Array(_) if self.world.text(name) == self.world.rules(file).array_copy => {
                    Lookup::other(Type::Gives(part.clone().into()))
                }
                Type::External(_)
                | Type::Array(_)
                | Type::Primitive(_)
                | Type::Callable(..)
                | Type::Gives(_)
                | Type::Signature(..) => Lookup::other(Type::External(name)),
                Type::Nothing => continue,
                Type::Unknown | Type::Lambda(..) | Type::Union(_) => Lookup::other(Type::Unknown),
            };
            all.merge(lookup);
        }
        all
    }

    fn has_members(&self, defs: &[Def]) -> bool {
        defs.iter().any(|def| self.world.definition(*def).members.is_some())
    }

    /// Members of functions themselves.
    fn function_members(&mut self, defs: &[Def], name: Sym) -> Lookup {
        let mut all = Lookup::default();
        for def in defs {
            if self.world.text(name) == self.world.rules(def.file).prototype_member {
                all.merge(Lookup::other(Type::instance(*def)));
                continue;
            }
            all.merge(self.class_member(*def, name, Wanted::Value, &Type::class(*def)));
        }
        all
    }

    /// Is it the member that holds an instance's class?
    fn is_class_of(&self, file: u32, name: Sym) -> bool {
        self.world.text(name) == self.world.rules(file).class_member
    }

    /// Methods that the language gives every enum.
    fn enum_method(&self, class: Def, name: Sym) -> Option<Type> {
        if self.world.definition(class).kind != DefKind::Enum {
            return None;
        }
        let constant = Type::instance(class);
        match self.world.text(name) {
            "valueOf" => Some(Type::Gives(constant.into())),
            "values" => Some(Type::Gives(Type::Array(constant.into()).into())),
            _ => None,
        }
    }

    /// The bound of a type parameter.
    pub(super) fn bound(&mut self, sym: Sym, owner: Def) -> Type {
        let definition = self.world.definition(owner);
        let Some(body) = definition.body else { return self.variable_bound(owner) };
        let facts = self.world.facts(owner.file);
        // Declared in the body's scope, or in that of the header around it.
        let header =
            facts.scope(body).parent.filter(|header| facts.scope(*header).definition == Some(DefId(owner.def)));
        let slots = |scope| self.world.entries(owner.file, scope, sym).iter();
        let binding = slots(body).chain(header.into_iter().flat_map(slots)).find_map(|slot| match slot.entry {
            Entry::Binding(b) if facts.bindings[b as usize].kind == BindingKind::TypeParameter => Some(b),
            _ => None,
        });
        match binding.and_then(|b| facts.bindings[b as usize].ty) {
            Some(ty) => self.type_of(owner.file, ty),
            None => Type::Unknown,
        }
    }

    /// The `bound` that a type variable was made with.
    fn variable_bound(&mut self, variable: Def) -> Type {
        let definition = self.world.definition(variable);
        let facts = self.world.facts(variable.file);
        let name = self.world.name(variable.file, definition.name);
        for slot in self.world.entries(variable.file, definition.scope, name) {
            let Entry::Binding(binding) = slot.entry else { continue };
            let Some(value) = facts.bindings[binding as usize].value else { continue };
            let Expr::Call { args, .. } = facts.expr(value) else { continue };
            for arg in facts.list(args) {
                match facts.expr(*arg) {
                    Expr::Keyword { name, of } if facts.name(name) == "bound" => {
                        return self.type_of(variable.file, of);
                    }
                    _ => {}
                }
            }
        }
        Type::Unknown
    }

    /// A member of a class, looked up in the class and above it. `receiver` is what it is reached through.
    pub(crate) fn class_member(&mut self, class: Def, name: Sym, wanted: Wanted, receiver: &Type) -> Lookup {
        let order = self.ancestors(class);
        self.member_in(&order, class, name, wanted, receiver)
    }

    /// A member of what stands after a class in its look-up order (`super`).
    fn class_member_after(&mut self, class: Def, name: Sym, wanted: Wanted) -> Lookup {
        let order = self.ancestors(class);
        self.member_in(order.get(1..).unwrap_or(&[]), class, name, wanted, &Type::This(class))
    }

    fn member_in(&mut self, order: &[Type], class: Def, name: Sym, wanted: Wanted, receiver: &Type) -> Lookup {
        let rules = self.world.rules(class.file);
        let constructor = self.world.sym(rules.constructor) == Some(name);
        let mut lookup = Lookup::default();
        let mut outside: Option<Type> = None;
        for ancestor in order {
            let Type::Instance(holder, _) = ancestor else {
                outside = Some(match (outside, ancestor) {
                    (Some(Type::Unknown), _) | (_, Type::Unknown) => Type::Unknown,
                    _ => Type::External(name),
                });
                continue;
            };
            let inherited = *holder != class;
            let how = if inherited { Resolution::Inherited } else { Resolution::TypedReceiver };
            let on_class = matches!(receiver, Type::Class(..) | Type::ThisClass(_));
            for (file, entry) in self.own_members(*holder, name, wanted, on_class) {
                if let Entry::Import(import) = entry {
                    lookup.merge(self.import(file, import, wanted.space()));
                    continue;
                }
                if inherited && !rules.private_inherited && !self.is_inherited(class, file, entry) {
                    continue;
                }
                lookup.found.push(Found { file, entry, how, receiver: Some((receiver.clone(), *holder)) });
            }
            let more = rules.overloads && wanted == Wanted::Callable && !constructor;
            if !lookup.found.is_empty() && !more {
                return lookup;
            }
            // Constructors are not inherited: only the nearest class counts.
            if constructor && rules.overloads && self.world.definition(*holder).kind != DefKind::Interface {
                break;
            }
        }
        if lookup.found.is_empty() {
            // A receiver of known type without such a member: whatever is meant, it is nobody's here.
            lookup.other = Some(outside.unwrap_or(Type::External(name)));
        }
        lookup
    }

    /// Entries of a class's own body for a member name: the one that counts in the end, or all overloads.
    fn own_members(&self, class: Def, name: Sym, wanted: Wanted, on_class: bool) -> Vec<(u32, Entry)> {
        let apart = self.world.members_apart(class, name);
        if !apart.is_empty() {
            return apart.into_iter().map(|def| (def.file, Entry::Definition(def.def))).collect();
        }
        let written = self.written_members(class, name, wanted, on_class);
        written.into_iter().map(|entry| (class.file, entry)).collect()
    }

    fn written_members(&self, class: Def, name: Sym, wanted: Wanted, on_class: bool) -> Vec<Entry> {
        let facts = self.world.facts(class.file);
        let rules = self.world.rules(class.file);
        let definition = self.world.definition(class);
        let given = definition.kind.is_callable() || definition.kind == DefKind::Variable;
        let body = if given { definition.members } else { definition.body };
        let Some(body) = body else { return Vec::new() };
        let slots = self.world.entries(class.file, body, name);
        if rules.overloads {
            let fits = |entry: &Entry| matches!(entry, Entry::Definition(_)) && wanted.accepts(facts, *entry);
            return slots.iter().map(|slot| slot.entry).filter(fits).collect();
        }
        if rules.types_apart {
            let own = self.typed_members(class, slots, on_class);
            if !own.is_empty() {
                return own;
            }
            let merged = self.merged_with(class);
            let bodies = merged.into_iter().filter_map(|other| Some((other, self.world.definition(other).body?)));
            let mut found = bodies
                .map(|(other, body)| self.typed_members(other, self.world.entries(class.file, body, name), on_class));
            return found.find(|found| !found.is_empty()).unwrap_or_default();
        }
        let mut entries = Vec::new();
        for slot in slots.iter().rev() {
            match slot.entry {
                Entry::Definition(def) => {
                    let definition = &facts.definitions[def as usize];
                    entries.push(slot.entry);
                    if definition.block == body || matches!(definition.kind, DefKind::Field) {
                        break;
                    }
                }
                Entry::Import(_) => {}
                Entry::Binding(_) => {}
            }
        }
        entries
    }

    /// Other declarations of a type's name in its scope: together they are one type.
    fn merged_with(&self, class: Def) -> Vec<Def> {
        let definition = self.world.definition(class);
        let name = self.world.name(class.file, definition.name);
        let slots = self.world.entries(class.file, definition.scope, name);
        let others = slots.iter().filter_map(|slot| match slot.entry {
            Entry::Definition(def) if def != class.def => Some(Def { file: class.file, def }),
            _ => None,
        });
        let is_part = |def: &Def| {
            let kind = self.world.definition(*def).kind;
            kind.is_type() && kind != DefKind::Object
        };
        if slots.len() < 2 { Vec::new() } else { others.filter(is_part).collect() }
    }

    /// The same where members may be bound without a definition of their own, and those of a class itself are told from
    /// those of its instances: the last definition that stands for the others, else what is bound.
    fn typed_members(&self, class: Def, slots: &[Slot], on_class: bool) -> Vec<Entry> {
        let facts = self.world.facts(class.file);
        let kind = self.world.definition(class).kind;
        let told_apart = self.world.rules(class.file).statics_apart && (kind == DefKind::Class || kind.is_callable());
        let is_static = |definition: &Definition| definition.flags.has(DefFlags::STATIC);
        let mut fitting = slots.iter().rev().filter_map(|slot| match slot.entry {
            Entry::Definition(def) => {
                let definition = &facts.definitions[def as usize];
                let fits = !told_apart || is_static(definition) == on_class || definition.kind == DefKind::Constructor;
                fits.then_some((slot.entry, definition.flags.has(DefFlags::OVERLOAD)))
            }
            _ => None,
        });
        let first = fitting.next();
        let standing = first.filter(|(_, overload)| !overload).or_else(|| fitting.find(|(_, overload)| !overload));
        if let Some((entry, _)) = standing.or(first) {
            return vec![entry];
        }
        let defined = slots.iter().any(|slot| matches!(slot.entry, Entry::Definition(_)));
        let is_bound = |entry: &Entry| match entry {
            Entry::Binding(binding) => facts.bindings[*binding as usize].kind != BindingKind::TypeParameter,
            Entry::Import(_) => true,
            Entry::Definition(_) => false,
        };
        if defined { Vec::new() } else { slots.iter().map(|slot| slot.entry).filter(is_bound).collect() }
    }

    /// Does a subclass see the member? Not a private one, nor one without a modifier from another package.
    fn is_inherited(&self, class: Def, file: u32, entry: Entry) -> bool {
        let Entry::Definition(def) = entry else { return true };
        let facts = self.world.facts(file);
        let definition = &facts.definitions[def as usize];
        if definition.flags.has(DefFlags::PRIVATE) {
            return false;
        }
        let said =
            definition.flags.has(DefFlags::PUBLIC | DefFlags::PROTECTED) || definition.kind == DefKind::EnumMember;
        let package = |file: u32| {
            let facts = self.world.facts(file);
            facts.package.map(|name| facts.name(name))
        };
        said || self.world.is_library(file) || package(class.file) == package(file)
    }

    /// Direct supertypes, as instances.
    pub(crate) fn supertypes(&mut self, class: Def) -> Args {
        let value = self.keyed(super::eval::Key::Supertypes(class), |eval| {
            let definition = eval.world.definition(class);
            let facts = eval.world.facts(class.file);
            let mut types = Vec::new();
            let values = eval.world.rules(class.file).types_apart
                && !matches!(definition.kind, DefKind::Interface | DefKind::Object);
            for id in facts.list(definition.supertypes) {
                types.push(if values { eval.extended(class.file, *id) } else { eval.type_of(class.file, *id) });
            }
            for id in facts.list(definition.interfaces) {
                types.push(eval.type_of(class.file, *id));
            }
            if eval.world.rules(class.file).types_apart {
                for other in eval.merged_with(class) {
                    let others = eval.world.definition(other).supertypes;
                    for id in facts.list(others) {
                        types.push(eval.type_of(other.file, *id));
                    }
                }
            }
            if definition.kind == DefKind::EnumMember
                && let Some(outer) = eval.world.class_around(class)
            {
                types.push(Type::instance(outer));
            }
            Type::Tuple(types.into())
        });
        match value {
            Type::Tuple(types) => types,
            _ => no_args(),
        }
    }

    /// What a class extends where that is a value: instances of it.
    fn extended(&mut self, file: u32, id: ExprId) -> Type {
        if let Expr::ValueType { .. } = self.world.facts(file).expr(id) {
            return self.type_of(file, id);
        }
        let value = self.constructed(file, id);
        let parts = value.parts().iter().map(|part| match part {
            Type::Class(..) | Type::ThisClass(_) => super::eval::class_instance(part.clone()),
            Type::Callable(defs, _) => match defs.first() {
                Some(def) if self.world.definition(*def).members.is_some() => Type::instance(*def),
                _ => Type::Unknown,
            },
            Type::Gives(made) => (**made).clone(),
            Type::External(_) | Type::Nothing => part.clone(),
            Type::Instance(..) => self.construct_result(part).unwrap_or(Type::Unknown),
            _ => Type::Unknown,
        });
        let parts: Vec<Type> = parts.collect();
        Type::union(parts)
    }

    /// A class and all above it in look-up order: depth first, a class that is met twice at its last place. Type arguments
    /// are in terms of the class's own parameters. What is unknown or outside stands as such.
    pub(crate) fn ancestors(&mut self, class: Def) -> Args {
        let value = self.keyed(super::eval::Key::Ancestors(class), |eval| {
            let supertypes = eval.supertypes(class);
            let own = eval.own_parameters(class, &supertypes);
            let mut order = vec![Type::Instance(class, own)];
            if eval.world.rules(class.file).embedding {
                eval.embedded(&supertypes, &mut order);
                return Type::Tuple(order.into());
            }
            for supertype in supertypes.iter().flat_map(|s| s.parts().to_vec()) {
                match &supertype {
                    Type::Instance(above, args) => {
                        let inherited = eval.ancestors(*above);
                        let map = eval.parameter_map(&inherited, args);
                        for ancestor in inherited.iter().take(MAX_ANCESTORS) {
                            let ancestor = substitute(ancestor, &map, None);
                            if let Type::Instance(def, _) = ancestor {
                                order.retain(|seen| !matches!(seen, Type::Instance(d, _) if *d == def));
                            }
                            order.push(ancestor);
                        }
                    }
                    Type::Nothing => {}
                    Type::External(_) => order.push(supertype.clone()),
                    _ => order.push(Type::Unknown),
                }
                order.truncate(MAX_ANCESTORS);
            }
            if !matches!(order.first(), Some(Type::Instance(def, _)) if *def == class) {
                order.insert(0, Type::instance(class));
            }
            Type::Tuple(order.into())
        });
        match value {
            Type::Tuple(order) => order,
            _ => [Type::instance(class)].into(),
        }
    }

    /// What is embedded, level by level, each type where it is met first.
    fn embedded(&mut self, supertypes: &[Type], order: &mut Vec<Type>) {
        let mut level: Vec<Type> = supertypes.iter().flat_map(|s| s.parts().to_vec()).collect();
        while !level.is_empty() && order.len() < MAX_ANCESTORS {
            let mut next = Vec::new();
            for ty in level {
                match &ty {
                    Type::Instance(def, args) => {
                        if order.iter().any(|seen| matches!(seen, Type::Instance(d, _) if d == def)) {
                            continue;
                        }
                        let above = self.supertypes(*def);
                        let own = [Type::Instance(*def, self.own_parameters(*def, &above))];
                        let map = self.parameter_map(&own, args);
                        next.extend(above.iter().flat_map(|s| s.parts().to_vec()).map(|s| substitute(&s, &map, None)));
                        order.push(ty);
                    }
                    Type::Nothing => {}
                    Type::External(_) => order.push(ty),
                    _ => order.push(Type::Unknown),
                }
                if order.len() >= MAX_ANCESTORS {
                    break;
                }
            }
            level = next;
        }
    }

    /// A class's own type parameters: declared, else in the order in which its supertypes mention them.
    fn own_parameters(&mut self, class: Def, supertypes: &[Type]) -> Args {
        let definition = self.world.definition(class);
        if !definition.type_params.is_empty() {
            let parameter = |name: &NameId| Type::Parameter(self.world.name(class.file, *name), class);
            return definition.type_params.iter().map(parameter).collect();
        }
        let mut parameters: Vec<Type> = Vec::new();
        for supertype in supertypes {
            let Type::Instance(_, args) = supertype else { continue };
            for arg in args.iter().filter(|arg| matches!(arg, Type::Parameter(..))) {
                if !parameters.contains(arg) {
                    parameters.push(arg.clone());
                }
            }
        }
        parameters.into()
    }

    /// From a class's parameters (first of its look-up order) to arguments.
    fn parameter_map(&self, order: &[Type], args: &[Type]) -> Substitution {
        let mut map = Substitution::default();
        if let Some(Type::Instance(_, parameters)) = order.first() {
            for (i, parameter) in parameters.iter().enumerate() {
                if let Type::Parameter(sym, owner) = parameter {
                    // A raw type: its parameters are not known.
                    map.insert((*sym, *owner), args.get(i).cloned().unwrap_or(Type::Unknown));
                }
            }
        }
        map
    }

    /// The type arguments of `holder` as seen through a receiver.
    pub(crate) fn arguments(&mut self, receiver: &Type, holder: Def) -> Substitution {
        let (class, args) = match receiver {
            Type::Instance(class, args) | Type::Class(class, args) => (*class, args.clone()),
            // Inside the class itself its parameters stand for themselves.
            Type::This(class) | Type::ThisClass(class) | Type::Super(class) => {
                let order = self.ancestors(*class);
                let own = match order.first() {
                    Some(Type::Instance(_, own)) => own.clone(),
                    _ => no_args(),
                };
                (*class, own)
            }
            _ => return Substitution::default(),
        };
        let order = self.ancestors(class);
        let map = self.parameter_map(&order, &args);
        if class == holder {
            return map;
        }
        let held = order.iter().find_map(|ancestor| match ancestor {
            Type::Instance(def, args) if *def == holder => Some(args.clone()),
            _ => None,
        });
        let Some(held) = held else { return Substitution::default() };
        let held: Args = held.iter().map(|arg| substitute(arg, &map, None)).collect();
        let order = self.ancestors(holder);
        self.parameter_map(&order, &held)
    }
}
