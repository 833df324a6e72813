//! From a name or path at a place to what introduces it: scopes, flow, imports, packages.

use super::eval::{Eval, Found, Renamed, Space, substitute};
use super::types::{Def, Sym, Type, no_args};
use super::world::{DEFAULT_EXPORT, Entry, Listed, Slot, WHOLE_MODULE, parent};
use crate::lang::rules::ModuleSystem;
use crate::model::*;

/// Longest chain of imports that is followed to where a name is defined.
const MAX_IMPORTS: usize = 64;

/// What a path names: definitions and bindings, or else a module, a package, something outside, something unknown.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    pub(crate) found: Vec<Found>,
    pub(crate) other: Option<Type>,
}

impl Lookup {
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty() && self.other.is_none()
    }

    pub(crate) fn other(ty: Type) -> Lookup {
        Lookup { found: Vec::new(), other: Some(ty) }
    }

    pub(crate) fn merge(&mut self, more: Lookup) {
        for found in more.found {
            if !self.found.iter().any(|f| (f.file, f.entry) == (found.file, found.entry)) {
                self.found.push(found);
            }
        }
        self.other = match (self.other.take(), more.other) {
            (Some(a), Some(b)) => Some(Type::union([a, b])),
            (a, b) => a.or(b),
        };
    }
}

impl Eval<'_, '_> {
    /// What a path expression names. Only for `Name` and `Member`; anything else names nothing.
    pub(crate) fn path(&mut self, file: u32, id: ExprId, space: Space) -> Lookup {
        match self.world.facts(file).expr(id) {
            Expr::Name { name, scope, at } => self.name(file, self.world.name(file, name), scope, at, space),
            Expr::Member { of, name } => {
                let name = self.world.name(file, name);
                let given = self.given_member(file, of, name, space);
                if !given.found.is_empty() {
                    return given;
                }
                let of = self.base_type(file, of, space);
                self.members(file, &of, name, space)
            }
            _ => Lookup::default(),
        }
    }

    /// A member that assignments gave to the variable before the dot.
    fn given_member(&mut self, file: u32, of: ExprId, name: Sym, space: Space) -> Lookup {
        let rules = self.world.rules(file);
        if !rules.types_apart || space == Space::Type || !matches!(self.world.facts(file).expr(of), Expr::Name { .. }) {
            return Lookup::default();
        }
        let mut all = Lookup::default();
        for found in self.path(file, of, Space::Value).found {
            let Some(def) = self.shared_definition(found.file, found.entry) else { continue };
            let definition = self.world.definition(def);
            if definition.kind == DefKind::Variable && definition.members.is_some() {
                let mut given = self.class_member(def, name, Wanted::Value, &Type::This(def));
                given.other = None;
                all.merge(given);
            }
        }
        all
    }

    /// The type of what stands before the dot.
    fn base_type(&mut self, file: u32, of: ExprId, space: Space) -> Type {
        match self.world.facts(file).expr(of) {
            Expr::Name { .. } | Expr::Member { .. } => {
                if space == Space::Type && self.world.rules(file).namespaces {
                    let ty = self.path_type(file, of, Space::Type);
                    if !matches!(ty, Type::Unknown | Type::External(_)) {
                        return ty;
                    }
                }
                // A type may also be a member of a value's type (`outer.new Inner()`).
                self.path_type(file, of, Space::Value)
            }
            _ => self.eval(file, of),
        }
    }

    /// The type of what a path names.
    pub(crate) fn path_type(&mut self, file: u32, id: ExprId, space: Space) -> Type {
        let lookup = self.path(file, id, space);
        self.lookup_type(&lookup)
    }

    /// The type of a member of a value.
    pub(crate) fn member_type(&mut self, file: u32, of: &Type, name: Sym, space: Space) -> Type {
        let lookup = self.members(file, of, name, space);
        self.lookup_type(&lookup)
    }

    pub(crate) fn lookup_type(&mut self, lookup: &Lookup) -> Type {
        if lookup.is_empty() {
            return Type::Unknown;
        }
        let mut types = Vec::new();
        let mut callables: Vec<(Def, Option<Type>)> = Vec::new();
        for found in &lookup.found {
            if let (Entry::Definition(def), true) = (found.entry, self.is_plain_callable(found)) {
                callables.push((Def { file: found.file, def }, found.receiver.as_ref().map(|(ty, _)| ty.clone())));
                continue;
            }
            types.push(self.found_type(found));
        }
        while let Some((first, receiver)) = callables.first().cloned() {
            let mut group = vec![first];
            group.extend(callables[1..].iter().filter(|(_, r)| *r == receiver).map(|(def, _)| *def));
            callables.retain(|(_, r)| *r != receiver);
            types.push(Type::Callable(group.into(), receiver.map(Into::into)));
        }
        types.extend(lookup.other.clone());
        Type::union(types)
    }

    /// True for a function or method that is not read like a field.
    pub(crate) fn is_plain_callable(&self, found: &Found) -> bool {
        let Entry::Definition(def) = found.entry else { return false };
        let definition = &self.world.facts(found.file).definitions[def as usize];
        definition.kind.is_callable() && !definition.flags.has(DefFlags::PROPERTY)
    }

    /// The type of one found thing, seen through its receiver.
    pub(crate) fn found_type(&mut self, found: &Found) -> Type {
        let ty = match found.entry {
            Entry::Definition(def) => {
                self.definition_type(Def { file: found.file, def }, found.receiver.as_ref().map(|r| &r.0))
            }
            Entry::Binding(binding) => self.binding(found.file, binding),
            Entry::Import(_) => Type::Unknown,
        };
        let Some((receiver, holder)) = &found.receiver else { return ty };
        if self.is_enum_constant(found, *holder) {
            return Type::instance(*holder);
        }
        let map = self.arguments(receiver, *holder);
        substitute(&ty, &map, Some(receiver))
    }

    /// A plain attribute of a class whose attributes are its instances.
    fn is_enum_constant(&mut self, found: &Found, holder: Def) -> bool {
        let Entry::Definition(def) = found.entry else { return false };
        let definition = &self.world.facts(found.file).definitions[def as usize];
        definition.kind == DefKind::Field && definition.ty.is_none() && self.is_enum(holder)
    }

    /// A class whose plain attributes are its instances.
    pub(super) fn is_enum(&mut self, class: Def) -> bool {
        let bases = self.world.rules(class.file).enum_bases;
        !bases.is_empty()
            && self.ancestors(class).iter().any(|ancestor| match ancestor {
                Type::External(sym) => bases.contains(&self.world.text(*sym)),
                _ => false,
            })
    }

    pub(super) fn definition_type(&mut self, def: Def, receiver: Option<&Type>) -> Type {
        let definition = self.world.definition(def);
        match definition.kind {
            DefKind::Object => Type::instance(def),
            kind if kind.is_type() => Type::Class(def, no_args()),
            DefKind::EnumMember => match self.world.class_around(def) {
                Some(class) => Type::instance(class),
                None => Type::Unknown,
            },
            kind if kind.is_callable() => {
                let callable = Type::Callable([def].into(), receiver.map(|r| r.clone().into()));
                if definition.flags.has(DefFlags::PROPERTY) { self.result_of(&callable, None) } else { callable }
            }
            DefKind::TypeAlias => super::eval::class_object(self.aliased(def)),
            _ => self.keyed(super::eval::Key::Variable(def), |eval| eval.variable_type(def)),
        }
    }

    /// The type that an alias stands for, in terms of its own parameters.
    pub(super) fn aliased(&mut self, def: Def) -> Type {
        let Some(ty) = self.world.definition(def).ty else { return Type::Unknown };
        self.keyed(super::eval::Key::Variable(def), |eval| eval.type_of(def.file, ty))
    }

    /// The type of a field or variable: as declared, else of all that is assigned to it.
    fn variable_type(&mut self, def: Def) -> Type {
        let definition = self.world.definition(def);
        if let Some(ty) = definition.ty {
            return self.type_of(def.file, ty);
        }
        let sym = self.world.name(def.file, definition.name);
        let slots = self.world.entries(def.file, definition.scope, sym);
        let facts = self.world.facts(def.file);
        let bindings = slots.iter().filter_map(|slot| match slot.entry {
            Entry::Binding(binding) => Some(binding),
            _ => None,
        });
        if let Some(declared) = bindings.clone().find_map(|b| facts.bindings[b as usize].ty) {
            return self.type_of(def.file, declared);
        }
        let types: Vec<Type> = bindings.map(|binding| self.binding(def.file, binding)).collect();
        Type::union(types)
    }

    /// What introduces `sym` for a use in `scope` at offset `at`.
    pub(crate) fn name(&mut self, file: u32, sym: Sym, scope: ScopeId, at: u32, space: Space) -> Lookup {
        if self.world.rules(file).namespaces && space == Space::Value {
            let variables = self.scoped(file, sym, scope, at, Wanted::Variable);
            if !variables.found.is_empty() {
                return variables;
            }
            // A variable that an outside supertype may bring is no reason to overlook a type in plain sight.
            let types = self.scoped(file, sym, scope, at, Wanted::Type);
            if !types.found.is_empty() {
                return types;
            }
            let text = self.world.text(sym);
            if self.world.is_package(self.world.facts(file).language, text) {
                return Lookup::other(Type::Package(text.into()));
            }
            return types;
        }
        let wanted = match (self.world.rules(file).namespaces, space) {
            (false, space) if self.world.rules(file).types_apart => Wanted::apart(space),
            (false, _) => Wanted::Any,
            (true, Space::Callable) => Wanted::Callable,
            (true, _) => Wanted::Type,
        };
        let lookup = self.scoped(file, sym, scope, at, wanted);
        let text = self.world.text(sym);
        if lookup.found.is_empty()
            && wanted == Wanted::Type
            && self.world.is_package(self.world.facts(file).language, text)
        {
            return Lookup::other(Type::Package(text.into()));
        }
        lookup
    }

    fn scoped(&mut self, file: u32, sym: Sym, scope: ScopeId, at: u32, wanted: Wanted) -> Lookup {
        let facts = self.world.facts(file);
        let rules = self.world.rules(file);
        let mut crossed = false;
        let mut outside = None;
        let mut next = Some(scope);
        while let Some(here) = next {
            let Scope { parent, kind, definition } = *facts.scope(here);
            next = parent;
            if kind == ScopeKind::Class && rules.class_scope_open {
                if let Some(def) = definition {
                    let class = Def { file, def: def.0 };
                    let own = self.type_parameters(file, here, sym, wanted);
                    if !own.is_empty() {
                        return own;
                    }
                    let members = self.class_member(class, sym, wanted, &Type::This(class));
                    if !members.found.is_empty() {
                        return members;
                    }
                    if let Some(Type::External(_) | Type::Unknown) = members.other {
                        outside = members.other;
                    }
                }
                continue;
            }
            let lives_here = match kind {
                ScopeKind::Class => !crossed && rules.bare_members,
                ScopeKind::Block | ScopeKind::Loop => rules.block_scoped,
                _ => true,
            };
            if lives_here {
                let slots = self.world.entries(file, here, sym);
                let told_apart = apart(facts, slots, wanted);
                let slots = told_apart.as_deref().unwrap_or(slots);
                let entries = if !rules.assigned_types {
                    declared(facts, slots, at, kind == ScopeKind::Module, wanted)
                } else if !crossed {
                    self.reaching(file, slots, scope, at)
                } else {
                    final_entries(facts, slots)
                };
                let mut lookup = Lookup::default();
                for entry in entries {
                    match entry {
                        Entry::Import(import) => {
                            let space = wanted.space();
                            let imported = self.import(file, import, space);
                            lookup.merge(imported);
                        }
                        entry => lookup.merge(Lookup {
                            found: vec![Found { file, entry, how: Resolution::SameScope, receiver: None }],
                            other: None,
                        }),
                    }
                }
                if !lookup.is_empty() {
                    return lookup;
                }
                if kind != ScopeKind::Module {
                    let starred = self.starred(file, here, sym, wanted);
                    if !starred.is_empty() {
                        return starred;
                    }
                }
            }
            crossed |= matches!(kind, ScopeKind::Function | ScopeKind::Lambda | ScopeKind::Comprehension);
        }
        self.beyond_module(file, sym, wanted, outside)
    }

    /// Same package, star imports, prelude; then what is left: outside, or nobody knows.
    fn beyond_module(&mut self, file: u32, sym: Sym, wanted: Wanted, outside: Option<Type>) -> Lookup {
        let facts = self.world.facts(file);
        let rules = self.world.rules(file);
        if matches!(rules.module_system, ModuleSystem::Directories { .. }) {
            let found = self.in_own_package(file, sym, wanted);
            if !found.is_empty() {
                return found;
            }
        } else if rules.package_scope && matches!(wanted, Wanted::Type | Wanted::Any) {
            let package = facts.package.map_or("", |name| facts.name(name));
            if let Some(def) = self.nearest(file, self.world.in_package(facts.language, package, sym)) {
                return self.lookup_def(def, Resolution::Imported);
            }
        }
        let starred = self.starred(file, MODULE_SCOPE, sym, wanted);
        if !starred.found.is_empty() {
            return starred;
        }
        let mut prelude = self.world.in_package(facts.language, rules.prelude, sym).iter().map(|listed| listed.def);
        let fits =
            |def: &Def| !rules.types_apart || wanted.accepts(self.world.facts(def.file), Entry::Definition(def.def));
        if let Some(def) = prelude.find(fits) {
            return self.lookup_def(def, Resolution::Imported);
        }
        if let Some(outside) = outside.or(starred.other) {
            return Lookup::other(outside);
        }
        // A name that nothing in the repository introduces: a builtin, or of the implicit library package. A Java variable or
        // method that is not found is a gap in what is known rather than a library's.
        match wanted {
            Wanted::Any | Wanted::Type | Wanted::Value => Lookup::other(Type::External(sym)),
            Wanted::Variable | Wanted::Callable => Lookup::default(),
        }
    }

    /// What other files of the folder have by a name; else a package imported without an alias that is not called as its
    /// path says.
    fn in_own_package(&mut self, file: u32, sym: Sym, wanted: Wanted) -> Lookup {
        let found = self.world.in_own_directory(file, sym);
        if !found.is_empty() {
            return self.lookup_defs(&found, Resolution::Imported);
        }
        let named = self.renamed_imports(file).iter().find(|(name, _)| *name == sym).copied();
        match named {
            Some((_, import)) => self.import(file, import, wanted.space()),
            None => Lookup::default(),
        }
    }

    /// Imports of packages that are called otherwise than their paths say, with their names.
    fn renamed_imports(&mut self, file: u32) -> Renamed {
        if let Some((known, node)) = self.renamed.get(&file) {
            self.world.took(*node);
            return known.clone();
        }
        let opened = self.world.open();
        let facts = self.world.facts(file);
        let mut renamed = Vec::new();
        for (index, import) in (0..).zip(&facts.imports).filter(|(_, import)| import.kind == ImportKind::Package) {
            let Some(Type::Package(folder)) = self.module_of(file, index) else { continue };
            let Some(name) = self.world.directory_package(facts.language, &folder) else { continue };
            if import.binds.is_some_and(|binds| facts.name(binds) != name) {
                renamed.extend(self.world.sym(name).map(|name| (name, index)));
            }
        }
        let renamed: Renamed = renamed.into();
        let node = self.world.close(opened);
        self.renamed.insert(file, (renamed.clone(), node));
        renamed
    }

    fn type_parameters(&mut self, file: u32, scope: ScopeId, sym: Sym, wanted: Wanted) -> Lookup {
        if wanted != Wanted::Type {
            return Lookup::default();
        }
        let facts = self.world.facts(file);
        let entry = self.world.entries(file, scope, sym).iter().map(|slot| slot.entry).find(|entry| match entry {
            Entry::Binding(b) => facts.bindings[*b as usize].kind == BindingKind::TypeParameter,
            _ => false,
        });
        let found = entry.map(|entry| Found { file, entry, how: Resolution::SameScope, receiver: None });
        Lookup { found: found.into_iter().collect(), other: None }
    }

    /// What star imports of a scope bring; the last one that has the name wins. A module is asked once for a name, or modules
    /// that import each other would be asked along every path.
    fn starred(&mut self, file: u32, scope: ScopeId, sym: Sym, wanted: Wanted) -> Lookup {
        let outermost = self.starring.is_empty();
        if !self.starring.insert((file, scope.0, sym)) {
            self.taint();
            return Lookup::default();
        }
        let lookup = self.starred_once(file, scope, sym, wanted);
        if outermost {
            self.starring.clear();
        }
        lookup
    }

    fn starred_once(&mut self, file: u32, scope: ScopeId, sym: Sym, wanted: Wanted) -> Lookup {
        let facts = self.world.facts(file);
        let mut outside = None;
        let stars: Vec<u32> = self.world.stars(file, scope).collect();
        for star in stars.into_iter().rev() {
            let import = facts.imports[star as usize];
            if self.following.len() >= MAX_IMPORTS {
                self.taint();
                continue;
            }
            self.following.push((file, star));
            let module = self.module_of(file, star);
            let lookup = match module {
                Some(Type::Module(target)) if self.is_exported(target, sym) => {
                    self.star_names(target, sym, wanted.space())
                }
                Some(Type::Module(_)) => Lookup::default(),
                Some(Type::Package(folder))
                    if import.kind == ImportKind::Star
                        && matches!(self.world.rules(file).module_system, ModuleSystem::Directories { .. }) =>
                {
                    self.package_member(file, &folder, sym)
                }
                Some(Type::Package(package)) if import.kind == ImportKind::Star => {
                    let found = self.nearest(file, self.world.in_package(facts.language, &package, sym));
                    match found {
                        Some(def) if matches!(wanted, Wanted::Type | Wanted::Any) => {
                            self.lookup_def(def, Resolution::Imported)
                        }
                        _ => Lookup::default(),
                    }
                }
                Some(Type::Class(class, _)) => {
                    let mut lookup = self.class_member(class, sym, wanted, &Type::class(class));
                    lookup.other = None;
                    lookup
                }
                Some(Type::External(_)) => {
                    outside = Some(Type::External(sym));
                    Lookup::default()
                }
                _ => Lookup::default(),
            };
            self.following.pop();
            if !lookup.found.is_empty() || matches!(lookup.other, Some(Type::Module(_) | Type::Package(_))) {
                return lookup;
            }
        }
        Lookup { found: Vec::new(), other: outside }
    }

    /// May a star import of the module take this name?
    fn is_exported(&self, file: u32, sym: Sym) -> bool {
        let facts = self.world.facts(file);
        match &facts.exports.names {
            Some(names) => facts.exports.open || names.iter().any(|name| self.world.name(file, *name) == sym),
            None if matches!(self.world.rules(file).module_system, ModuleSystem::Specifiers(_)) => {
                self.world.text(sym) != DEFAULT_EXPORT
            }
            None => !self.world.text(sym).starts_with('_'),
        }
    }

    fn lookup_def(&self, def: Def, how: Resolution) -> Lookup {
        Lookup {
            found: vec![Found { file: def.file, entry: Entry::Definition(def.def), how, receiver: None }],
            other: None,
        }
    }

    fn lookup_defs(&self, defs: &[Def], how: Resolution) -> Lookup {
        let found = |def: &Def| Found { file: def.file, entry: Entry::Definition(def.def), how, receiver: None };
        Lookup { found: defs.iter().map(found).collect(), other: None }
    }

    /// Of several types with one qualified name, the one whose file stands nearest.
    pub(crate) fn nearest(&self, file: u32, listed: &[Listed]) -> Option<Def> {
        let path = self.world.path(file);
        let common = |def: &Def| {
            let other = self.world.path(def.file);
            path.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count()
        };
        listed.iter().map(|listed| listed.def).min_by_key(|def| (usize::MAX - common(def), *def))
    }

    /// What an import names.
    pub(crate) fn import(&mut self, file: u32, index: u32, space: Space) -> Lookup {
        if self.following.contains(&(file, index)) || self.following.len() >= MAX_IMPORTS {
            self.taint();
            return Lookup::default();
        }
        self.following.push((file, index));
        let lookup = self.import_inner(file, index, space);
        self.following.pop();
        lookup
    }

    fn import_inner(&mut self, file: u32, index: u32, space: Space) -> Lookup {
        let facts = self.world.facts(file);
        let import = facts.imports[index as usize];
        let path = facts.name(import.module);
        let outside =
            |eval: &Self, name: &str| Lookup::other(eval.world.sym(name).map_or(Type::Unknown, Type::External));
        if matches!(self.world.rules(file).module_system, ModuleSystem::Directories { .. }) {
            let bound = import.binds.map_or("", |name| facts.name(name));
            return match self.module_of(file, index) {
                Some(module) => Lookup::other(module),
                None => outside(self, bound),
            };
        }
        if import.kind == ImportKind::Own {
            return import.name.map_or_else(Lookup::default, |name| {
                let name = self.world.name(file, name);
                self.own_name(file, MODULE_SCOPE, name, space)
            });
        }
        if import.kind == ImportKind::Module
            && matches!(self.world.rules(file).module_system, ModuleSystem::Specifiers(_))
        {
            return match self.module_of(file, index) {
                Some(Type::Module(target)) => self.whole_module(target, space),
                _ => outside(self, import.binds.map_or(path, |name| facts.name(name))),
            };
        }
        if import.kind == ImportKind::Module {
            let bound = import.binds.map_or("", |name| facts.name(name));
            let first = path.split('.').next().unwrap_or(path);
            let wanted = if bound == first && import.level == 0 { first } else { path };
            return match self.module(file, wanted, import.level) {
                Some(module) => Lookup::other(module),
                None => outside(self, bound),
            };
        }
        let Some(name) = import.name else { return Lookup::default() };
        let sym = self.world.name(file, name);
        match self.module_of(file, index) {
            Some(Type::Module(target)) => {
                let lookup = self.module_member(target, sym, space);
                match (lookup.is_empty(), self.world.is_library(target)) {
                    (true, true) => Lookup::other(Type::External(sym)),
                    (true, false) => Lookup::other(Type::Unknown),
                    _ => lookup,
                }
            }
            Some(Type::Package(package)) => {
                let lookup = self.package_member(file, &package, sym);
                if lookup.is_empty() { outside(self, facts.name(name)) } else { lookup }
            }
            Some(Type::Class(class, _)) => {
                let wanted = match (import.kind, space) {
                    (ImportKind::StaticName, Space::Callable) => Wanted::Callable,
                    (ImportKind::StaticName, Space::Value) => Wanted::Variable,
                    _ => Wanted::Type,
                };
                self.class_member(class, sym, wanted, &Type::class(class))
            }
            _ => outside(self, facts.name(name)),
        }
    }

    /// The module that an import speaks of; remembered where that depends on nothing but the tree of files (elsewhere it may
    /// pass through a class whose supertypes are being evaluated).
    fn module_of(&mut self, file: u32, index: u32) -> Option<Type> {
        if let Some((known, node)) = self.modules.get(&(file, index)) {
            self.world.took(*node);
            return known.clone();
        }
        let opened = self.world.open();
        let facts = self.world.facts(file);
        let import = facts.imports[index as usize];
        let module = self.module(file, facts.name(import.module), import.level);
        let node = self.world.close(opened);
        if matches!(
            self.world.rules(file).module_system,
            ModuleSystem::Folders { .. } | ModuleSystem::Directories { .. } | ModuleSystem::Specifiers(_)
        ) {
            self.modules.insert((file, index), (module.clone(), node));
        }
        module
    }

    /// Resolves a dotted module path as the importing file sees it: a module, package or (Java) class; `External` when
    /// nothing in the repository has that name.
    pub(crate) fn module(&mut self, file: u32, path: &str, level: u8) -> Option<Type> {
        let language = self.world.facts(file).language;
        match self.world.rules(file).module_system {
            ModuleSystem::None => None,
            ModuleSystem::Specifiers(_) => {
                if self.world.is_library(file) {
                    None
                } else {
                    self.specified(file, path)
                }
            }
            ModuleSystem::Declared => Some(self.declared_module(file, path)),
            ModuleSystem::Directories { .. } => {
                let folder = if self.world.is_library(file) { None } else { self.world.imported_directory(file, path) };
                let library = || self.world.library_module(language, path).map(Type::Module);
                folder.map(|folder| Type::Package(folder.into())).or_else(library)
            }
            ModuleSystem::Folders { .. } => {
                if level > 0 {
                    let mut folder = parent(self.world.path(file));
                    for _ in 1..level {
                        if folder.is_empty() {
                            return None;
                        }
                        folder = parent(folder);
                    }
                    return self.folder_module(file, folder, path);
                }
                let library = self.world.library_module(language, path).map(Type::Module);
                if self.world.is_library(file) {
                    return library;
                }
                let first = path.split('.').next().unwrap_or(path);
                let own = self.world.own_root(file).unwrap_or("");
                let mut candidates = vec![own];
                let mut above = own;
                while !above.is_empty() {
                    above = parent(above);
                    candidates.push(above);
                }
                candidates.extend(self.world.roots(language).iter().map(String::as_str).filter(|root| *root != own));
                let standard = self.world.rules(file).standard_modules.binary_search(&first).is_ok();
                for root in candidates {
                    if standard && !matches!(root, "" | "src") {
                        continue;
                    }
                    if let Some(top) = self.folder_module(file, root, first) {
                        if first == path {
                            return Some(top);
                        }
                        if let Some(module) = self.folder_module(file, root, path) {
                            return Some(module);
                        }
                        if let Type::Module(_) = top {
                            return None;
                        }
                    }
                }
                library.or_else(|| self.world.sym(first).map(Type::External))
            }
        }
    }

    /// The module at a dotted path below a folder.
    fn folder_module(&self, file: u32, folder: &str, path: &str) -> Option<Type> {
        let ModuleSystem::Folders { extension, init } = self.world.rules(file).module_system else { return None };
        let mut full = String::with_capacity(folder.len() + path.len() + 16);
        full.push_str(folder);
        for part in path.split('.').filter(|part| !part.is_empty()) {
            if !full.is_empty() {
                full.push('/');
            }
            full.push_str(part);
        }
        let length = full.len();
        if length > 0 {
            full.push('/');
        }
        full.push_str(init);
        full.push_str(extension);
        if let Some(found) = self.world.file(&full) {
            return Some(Type::Module(found));
        }
        full.truncate(length);
        full.push_str(extension);
        if let Some(found) = self.world.file(&full) {
            return Some(Type::Module(found));
        }
        full.truncate(length);
        self.world.is_folder(self.world.facts(file).language, &full).then(|| Type::Package(full.into()))
    }

    /// A package or class by its declared qualified name.
    fn declared_module(&mut self, file: u32, path: &str) -> Type {
        let language = self.world.facts(file).language;
        if self.world.is_package(language, path) {
            return Type::Package(path.into());
        }
        let parts: Vec<&str> = path.split('.').collect();
        for split in (0..parts.len()).rev() {
            let package = parts[..split].join(".");
            let Some(name) = self.world.sym(parts[split]) else { continue };
            let Some(top) = self.nearest(file, self.world.in_package(language, &package, name)) else { continue };
            let mut class = top;
            for inner in &parts[split + 1..] {
                let Some(name) = self.world.sym(inner) else { return Type::Unknown };
                let lookup = self.class_member(class, name, Wanted::Type, &Type::class(class));
                match lookup.found.first() {
                    Some(Found { file, entry: Entry::Definition(def), .. }) => class = Def { file: *file, def: *def },
                    _ => return Type::Unknown,
                }
            }
            return Type::class(class);
        }
        parts.last().and_then(|name| self.world.sym(name)).map_or(Type::Unknown, Type::External)
    }

    /// A member of a package without a file of its own: a module or package below it, or a type declared in it.
    pub(crate) fn package_member(&mut self, file: u32, package: &str, sym: Sym) -> Lookup {
        let name = self.world.text(sym);
        let language = self.world.facts(file).language;
        match self.world.rules(file).module_system {
            ModuleSystem::Folders { .. } => {
                Lookup { found: Vec::new(), other: self.folder_module(file, package, name) }
            }
            ModuleSystem::Directories { .. } => {
                let found = self.world.in_directory(language, package, sym);
                self.lookup_defs(&found, Resolution::Imported)
            }
            ModuleSystem::Declared => {
                if let Some(def) = self.nearest(file, self.world.in_package(language, package, sym)) {
                    return self.lookup_def(def, Resolution::Imported);
                }
                let path = if package.is_empty() { name.to_string() } else { format!("{package}.{name}") };
                let known = self.world.is_package(language, &path);
                Lookup { found: Vec::new(), other: known.then(|| Type::Package(path.into())) }
            }
            ModuleSystem::None | ModuleSystem::Specifiers(_) => Lookup::default(),
        }
    }

    /// A name that a module has: its own, imported, or a module below its folder.
    pub(crate) fn module_member(&mut self, file: u32, sym: Sym, space: Space) -> Lookup {
        if matches!(self.world.rules(file).module_system, ModuleSystem::Specifiers(_)) {
            return self.exported_name(file, sym, space);
        }
        let lookup = self.module_names(file, sym, space);
        if !lookup.is_empty() {
            return lookup;
        }
        let ModuleSystem::Folders { extension, init } = self.world.rules(file).module_system else { return lookup };
        let path = self.world.path(file);
        let is_init = path.strip_suffix(extension).is_some_and(|p| p == init || p.ends_with(&format!("/{init}")));
        let below = if is_init { self.folder_module(file, parent(path), self.world.text(sym)) } else { None };
        if below.is_some() {
            return Lookup { found: Vec::new(), other: below };
        }
        let dynamic =
            self.world.sym("__getattr__").is_some_and(|s| !self.world.entries(file, MODULE_SCOPE, s).is_empty());
        Lookup { found: Vec::new(), other: dynamic.then_some(Type::Unknown) }
    }

    /// What a name of one scope of a file stands for in the end: a definition, a variable, or what an import brings.
    fn own_name(&mut self, file: u32, scope: ScopeId, sym: Sym, space: Space) -> Lookup {
        let facts = self.world.facts(file);
        let slots = self.world.entries(file, scope, sym);
        let told_apart = apart(facts, slots, Wanted::apart(space));
        let mut lookup = Lookup::default();
        for entry in final_entries(facts, told_apart.as_deref().unwrap_or(slots)) {
            match entry {
                Entry::Import(import) => lookup.merge(self.import(file, import, space)),
                entry => lookup.merge(Lookup {
                    found: vec![Found { file, entry, how: Resolution::Imported, receiver: None }],
                    other: None,
                }),
            }
        }
        for found in &mut lookup.found {
            if found.how == Resolution::SameScope {
                found.how = Resolution::Imported;
            }
        }
        lookup
    }

    /// What a file exports by a name: listed, brought by a star, or a member of the value that stands for the module.
    fn exported_name(&mut self, file: u32, sym: Sym, space: Space) -> Lookup {
        let Some(scope) = self.world.facts(file).exports.scope else {
            return self.own_name(file, MODULE_SCOPE, sym, space);
        };
        let listed = self.own_name(file, scope, sym, space);
        if !listed.is_empty() {
            return listed;
        }
        let starred = self.starred(file, scope, sym, Wanted::apart(space));
        if !starred.found.is_empty() {
            return starred;
        }
        let whole = self.world.sym(WHOLE_MODULE).map(|whole| self.own_name(file, scope, whole, space));
        let Some(whole) = whole.filter(|whole| !whole.is_empty()) else { return starred };
        if self.world.text(sym) == DEFAULT_EXPORT {
            return whole;
        }
        let whole = self.lookup_type(&whole);
        self.members(file, &whole, sym, space)
    }

    /// The names that a star import takes from a module.
    fn star_names(&mut self, file: u32, sym: Sym, space: Space) -> Lookup {
        if matches!(self.world.rules(file).module_system, ModuleSystem::Specifiers(_)) {
            return self.exported_name(file, sym, space);
        }
        self.module_names(file, sym, space)
    }

    /// A module as a value: the export that stands for it, or itself.
    fn whole_module(&mut self, file: u32, space: Space) -> Lookup {
        let scope = self.world.facts(file).exports.scope;
        if let (Some(scope), Some(whole)) = (scope, self.world.sym(WHOLE_MODULE)) {
            let lookup = self.own_name(file, scope, whole, space);
            if !lookup.is_empty() {
                return lookup;
            }
        }
        Lookup::other(Type::Module(file))
    }

    fn module_names(&mut self, file: u32, sym: Sym, space: Space) -> Lookup {
        let facts = self.world.facts(file);
        let slots = self.world.entries(file, MODULE_SCOPE, sym);
        let mut lookup = Lookup::default();
        for entry in final_entries(facts, slots) {
            match entry {
                Entry::Import(import) => {
                    let mut imported = self.import(file, import, space);
                    for found in &mut imported.found {
                        found.how = Resolution::Imported;
                    }
                    lookup.merge(imported);
                }
                entry => lookup.found.push(Found { file, entry, how: Resolution::Imported, receiver: None }),
            }
        }
        if !lookup.is_empty() {
            return lookup;
        }
        self.starred(file, MODULE_SCOPE, sym, Wanted::Any)
    }

    /// The entries that reach a use in the same scope: back to the first that certainly ran before it, and what a later turn
    /// of a common loop brings.
    fn reaching(&self, file: u32, slots: &[Slot], scope: ScopeId, at: u32) -> Vec<Entry> {
        let facts = self.world.facts(file);
        let mut reaching = Vec::new();
        let mut settled = None;
        let later = slots.partition_point(|slot| slot.at <= at);
        for slot in slots[..later].iter().rev() {
            let (block, narrowed, skip) = placement(facts, slot.entry);
            if skip {
                continue;
            }
            let dominates = self.world.is_inside(file, scope, block);
            if narrowed && !dominates {
                continue;
            }
            reaching.push(slot.entry);
            if dominates {
                settled = Some(block);
                break;
            }
        }
        let looping = self.has_loop_around(file, scope);
        for slot in slots[later..].iter().filter(|_| looping) {
            let (block, narrowed, skip) = placement(facts, slot.entry);
            if narrowed || skip {
                continue;
            }
            // The innermost loop around both; what certainly ran inside that loop hides the later turn's.
            let around = self.common_loop(file, block, scope);
            if around.is_some_and(|l| settled.is_none_or(|s| !self.world.is_inside(file, s, l))) {
                reaching.push(slot.entry);
            }
        }
        // Nothing is bound yet: what is left are functions and classes that stand further down.
        if reaching.is_empty() {
            let is_declared = |entry: &Entry| matches!(entry, Entry::Definition(_)) && !placement(facts, *entry).2;
            reaching.extend(slots.iter().map(|slot| slot.entry).filter(is_declared));
        }
        reaching
    }

    fn has_loop_around(&self, file: u32, scope: ScopeId) -> bool {
        let facts = self.world.facts(file);
        let mut next = Some(scope);
        while let Some(here) = next {
            let Scope { parent, kind, .. } = *facts.scope(here);
            match kind {
                ScopeKind::Loop => return true,
                ScopeKind::Block => next = parent,
                _ => return false,
            }
        }
        false
    }

    fn common_loop(&self, file: u32, block: ScopeId, scope: ScopeId) -> Option<ScopeId> {
        let facts = self.world.facts(file);
        let mut next = Some(block);
        while let Some(here) = next {
            let Scope { parent, kind, .. } = *facts.scope(here);
            match kind {
                ScopeKind::Loop if self.world.is_inside(file, scope, here) => return Some(here),
                ScopeKind::Block | ScopeKind::Loop => next = parent,
                _ => return None,
            }
        }
        None
    }
}

/// Which kinds of things a look-up accepts, where methods, variables and types do not hide each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Any,
    Variable,
    Callable,
    Type,
    /// Anything but what is only a type, where types have a name space of their own.
    Value,
}

impl Wanted {
    /// What a space holds where types have a name space of their own.
    pub(crate) fn apart(space: Space) -> Wanted {
        if space == Space::Type { Wanted::Type } else { Wanted::Value }
    }

    pub(crate) fn space(self) -> Space {
        match self {
            Wanted::Any | Wanted::Variable | Wanted::Value => Space::Value,
            Wanted::Callable => Space::Callable,
            Wanted::Type => Space::Type,
        }
    }

    pub(crate) fn accepts(self, facts: &FileFacts, entry: Entry) -> bool {
        match (self, entry) {
            (Wanted::Any, _) | (_, Entry::Import(_)) => true,
            (wanted, Entry::Definition(def)) => {
                let kind = facts.definitions[def as usize].kind;
                match wanted {
                    Wanted::Callable => kind.is_callable(),
                    Wanted::Type => kind.is_type() && kind != DefKind::Object || kind == DefKind::TypeAlias,
                    Wanted::Value => !matches!(kind, DefKind::Interface | DefKind::TypeAlias),
                    _ => matches!(kind, DefKind::Field | DefKind::Variable | DefKind::EnumMember),
                }
            }
            (wanted, Entry::Binding(binding)) => {
                let parameter = facts.bindings[binding as usize].kind == BindingKind::TypeParameter;
                match wanted {
                    Wanted::Type => parameter,
                    Wanted::Variable | Wanted::Value => !parameter,
                    _ => false,
                }
            }
        }
    }
}

/// The entries that a look-up for values or for types alone sees; `None`: all.
fn apart(facts: &FileFacts, slots: &[Slot], wanted: Wanted) -> Option<Vec<Slot>> {
    if !matches!(wanted, Wanted::Value | Wanted::Type) {
        return None;
    }
    let rank = |slot: &Slot| match slot.entry {
        Entry::Definition(def) => merged_rank(facts.definitions[def as usize].kind, wanted == Wanted::Type),
        _ => 0,
    };
    let fitting = || slots.iter().filter(|slot| wanted.accepts(facts, slot.entry));
    let best = fitting().map(rank).min().unwrap_or(0);
    let kept: Vec<Slot> = fitting().filter(|slot| rank(slot) == best).copied().collect();
    (kept.len() < slots.len()).then_some(kept)
}

/// Of declarations that are merged, which one stands for all: what can be made or called before what only has members.
fn merged_rank(kind: DefKind, as_type: bool) -> u8 {
    match kind {
        DefKind::Namespace => 3,
        DefKind::TypeAlias if as_type => 2,
        DefKind::Interface if as_type => 1,
        _ => 0,
    }
}

/// The block an entry stands in, whether it only narrows, and whether flow passes over it (a variable's definition stands
/// for its bindings; what is bound through `self` is no name of the class scope).
fn placement(facts: &FileFacts, entry: Entry) -> (ScopeId, bool, bool) {
    match entry {
        Entry::Definition(def) => {
            let definition = &facts.definitions[def as usize];
            (definition.block, false, matches!(definition.kind, DefKind::Variable | DefKind::Field))
        }
        Entry::Binding(binding) => {
            let binding = &facts.bindings[binding as usize];
            let skip = binding.kind == BindingKind::SelfMember;
            (binding.block, binding.kind == BindingKind::Narrowed, skip)
        }
        Entry::Import(import) => (facts.imports[import as usize].block, false, false),
    }
}

/// What a name stands for once its scope has run: back to the last entry that certainly ran.
fn final_entries(facts: &FileFacts, slots: &[Slot]) -> Vec<Entry> {
    let mut entries = Vec::new();
    for slot in slots.iter().rev() {
        let (block, narrowed, skip) = placement(facts, slot.entry);
        if narrowed || skip {
            continue;
        }
        if let Entry::Binding(binding) = slot.entry {
            if facts.bindings[binding as usize].kind == BindingKind::Unbound {
                continue;
            }
            // Every assignment counts: which one ran last is not known from elsewhere.
            entries.push(slot.entry);
            continue;
        }
        entries.push(slot.entry);
        if facts.scope(block).kind != ScopeKind::Block && facts.scope(block).kind != ScopeKind::Loop {
            break;
        }
    }
    // A variable that is only declared.
    if entries.is_empty() {
        entries.extend(slots.iter().map(|slot| slot.entry).filter(|entry| matches!(entry, Entry::Definition(_))));
    }
    entries
}

/// Entries of a scope with declarations: the last one before the use; anywhere in the file for module scope.
fn declared(facts: &FileFacts, slots: &[Slot], at: u32, anywhere: bool, wanted: Wanted) -> Vec<Entry> {
    let fits = |slot: &&Slot| wanted.accepts(facts, slot.entry);
    if anywhere || wanted == Wanted::Callable {
        return slots.iter().filter(fits).map(|slot| slot.entry).collect();
    }
    let is_declaration = |slot: &Slot| matches!(slot.entry, Entry::Definition(_));
    slots
        .iter()
        .rev()
        .filter(fits)
        .find(|slot| slot.at <= at || is_declaration(slot))
        .map(|slot| slot.entry)
        .into_iter()
        .collect()
}
