//! What only the whole file tells: which scope an assigned name lives in, what got the members that assignments gave, which
//! of several headers of one name stands for the others, and which uses can only be local variables.

use super::Script;
use super::bind::NARROWED;
use super::modules::WHOLE;
use crate::lang::builder::Builder;
use crate::model::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Scopes around a use that are looked through: code nests a handful deep, and hostile code must stay linear.
const MAX_CLIMB: usize = 256;

/// What declares a name in a scope.
#[derive(Clone, Copy)]
enum Declared {
    Definition(DefId),
    /// With its value, if that is a definition, and its declared type.
    Variable(Option<DefId>, Option<ExprId>),
    Import,
}

type Declarations = FxHashMap<(ScopeId, NameId), Declared>;

impl Script<'_> {
    pub(super) fn finish(mut self) -> Builder {
        let declarations = declarations(&self.b.facts);
        let plain = std::mem::take(&mut self.plain);
        self.settle_plain(&plain);
        self.settle_given(&declarations);
        self.settle_this(&plain);
        self.settle_assigned(&declarations);
        self.settle_whole(&declarations);
        mark_overloads(&mut self.b.facts);
        drop_local_uses(&mut self.b.facts);
        self.b
    }

    /// Functions that `this.name = ..` made constructors of.
    fn settle_plain(&mut self, plain: &[(ScopeId, DefId)]) {
        let facts = &mut self.b.facts;
        let bound = facts.bindings.iter().map(|binding| binding.scope);
        let filled: FxHashSet<ScopeId> = bound.chain(facts.definitions.iter().map(|d| d.scope)).collect();
        for (scope, def) in plain.iter().filter(|(scope, _)| filled.contains(scope)) {
            facts.scopes[scope.0 as usize].definition = Some(*def);
            facts.definitions[def.0 as usize].members = Some(*scope);
        }
    }

    /// What `this` is in functions that make instances after all: a prototype was given members.
    fn settle_this(&mut self, plain: &[(ScopeId, DefId)]) {
        let facts = &mut self.b.facts;
        for (scope, def) in plain.iter().filter(|(_, def)| facts.definitions[def.0 as usize].members.is_some()) {
            facts.scopes[scope.0 as usize].definition = Some(*def);
        }
    }

    fn settle_given(&mut self, declarations: &Declarations) {
        let facts = &mut self.b.facts;
        let mut moved: FxHashMap<ScopeId, (ScopeId, DefId, bool)> = FxHashMap::default();
        let variables: FxHashMap<(ScopeId, NameId), DefId> = (0..)
            .zip(&facts.definitions)
            .filter(|(_, definition)| definition.kind == DefKind::Variable)
            .map(|(id, definition)| ((definition.scope, definition.name), DefId(id)))
            .collect();
        let target = |facts: &FileFacts, from: ScopeId, name: NameId| {
            let (scope, declared) = lookup(facts, declarations, from, name)?;
            let def = match declared {
                Declared::Definition(def) | Declared::Variable(Some(def), _) => def,
                Declared::Variable(None, ..) => variables.get(&(scope, name)).copied()?,
                Declared::Import => return None,
            };
            let kind = facts.definition(def).kind;
            let takes = matches!(
                kind,
                DefKind::Function | DefKind::Method | DefKind::Class | DefKind::Object | DefKind::Variable
            );
            takes.then_some(def)
        };
        for given in std::mem::take(&mut self.given) {
            let Some(def) = target(facts, given.from, given.name) else { continue };
            let definition = facts.definition(def);
            let is_static = given.on_itself && !matches!(definition.kind, DefKind::Object | DefKind::Variable);
            let home = match definition.kind {
                DefKind::Class | DefKind::Object => definition.body,
                _ => definition.members,
            };
            facts.scopes[given.scope.0 as usize].definition = Some(def);
            let home = home.unwrap_or(given.scope);
            let definition = &mut facts.definitions[def.0 as usize];
            if !matches!(definition.kind, DefKind::Class | DefKind::Object) {
                definition.members = Some(home);
            }
            moved.insert(given.scope, (home, def, is_static));
        }
        for (name, from, base) in std::mem::take(&mut self.inherits) {
            let Some(def) = target(facts, from, name) else { continue };
            let start = facts.lists.len() as u32;
            let old = facts.definition(def).supertypes;
            let mut list: Vec<ExprId> = facts.list(old).to_vec();
            list.push(base);
            facts.lists.extend(&list);
            facts.definitions[def.0 as usize].supertypes = List { start, len: list.len() as u32 };
        }
        if moved.is_empty() {
            return;
        }
        for definition in &mut facts.definitions {
            let Some((home, owner, is_static)) = moved.get(&definition.scope) else { continue };
            if definition.block == definition.scope {
                definition.block = *home;
            }
            definition.scope = *home;
            definition.container = Some(*owner);
            if !is_static {
                definition.flags.0 &= !DefFlags::STATIC;
            }
        }
        for binding in &mut facts.bindings {
            let Some((home, ..)) = moved.get(&binding.scope) else { continue };
            (binding.scope, binding.block) = (*home, *home);
        }
    }

    /// `module.exports = f; module.exports.g = ..` gives `f` a member.
    fn settle_whole(&mut self, declarations: &Declarations) {
        let Some(exports) = self.b.facts.exports.scope else { return };
        let whole = self.b.name(WHOLE);
        let facts = &self.b.facts;
        let is_whole = |import: &&Import| import.scope == exports && import.binds == Some(whole);
        let named = facts.imports.iter().find(is_whole).and_then(|import| import.name);
        let value = match named {
            Some(name) => lookup(facts, declarations, MODULE_SCOPE, name).map(|(_, declared)| declared),
            None => declarations.get(&(exports, whole)).copied(),
        };
        let Some(Declared::Definition(def) | Declared::Variable(Some(def), _)) = value else { return };
        let definition = facts.definition(def);
        let home = match definition.kind {
            DefKind::Class | DefKind::Object => definition.body,
            DefKind::Function => definition.members,
            _ => return,
        };
        let others = |name: Option<NameId>| name.is_some_and(|name| name != whole);
        let imports: Vec<Import> =
            facts.imports.iter().filter(|i| i.scope == exports && others(i.binds)).copied().collect();
        let bindings: Vec<Binding> =
            facts.bindings.iter().filter(|b| b.scope == exports && b.name != whole).copied().collect();
        let defined: Vec<(NameId, Span)> =
            facts.definitions.iter().filter(|d| d.scope == exports).map(|d| (d.name, d.span)).collect();
        if imports.is_empty() && bindings.is_empty() && defined.is_empty() {
            return;
        }
        let home = home.unwrap_or_else(|| {
            let home = self.hidden_scope();
            self.b.facts.scopes[home.0 as usize].definition = Some(def);
            self.b.definition_mut(def).members = Some(home);
            home
        });
        self.b.facts.imports.extend(imports.into_iter().map(|import| Import { scope: home, block: home, ..import }));
        self.b.facts.bindings.extend(bindings.into_iter().map(|b| Binding { scope: home, block: home, ..b }));
        for (name, span) in defined {
            let value = Some(self.b.expr(Expr::Name { name, scope: exports, at: u32::MAX }));
            let kind = BindingKind::Assigned;
            let Span { line, at, .. } = span;
            self.b.facts.bindings.push(Binding { scope: home, block: home, name, kind, ty: None, value, line, at });
        }
    }

    fn settle_assigned(&mut self, declarations: &Declarations) {
        let facts = &mut self.b.facts;
        for assigned in std::mem::take(&mut self.assigned) {
            let Some((scope, declared)) = lookup(facts, declarations, assigned.block, assigned.name) else { continue };
            let narrowed = assigned.line & NARROWED != 0;
            let declared_type = match declared {
                Declared::Variable(_, ty) => ty,
                _ => None,
            };
            let (kind, ty, value) = match (narrowed, assigned.value) {
                (true, ty) => (BindingKind::Narrowed, ty, None),
                (false, None) if declared_type.is_none() => (BindingKind::Opaque, None, None),
                (false, value) => (BindingKind::Assigned, declared_type, value),
            };
            let Assigned { name, block, line, at, .. } = assigned;
            let line = line & !NARROWED;
            facts.bindings.push(Binding { scope, block, name, kind, ty, value, line, at });
        }
    }
}

use super::Assigned;

fn declarations(facts: &FileFacts) -> Declarations {
    let mut declarations = Declarations::default();
    for binding in &facts.bindings {
        let def = match binding.value.map(|value| facts.expr(value)) {
            Some(Expr::Defined { definition }) => Some(definition),
            _ => None,
        };
        let of = declarations.entry((binding.scope, binding.name)).or_insert(Declared::Variable(def, binding.ty));
        if let (Declared::Variable(None, ty), Some(_)) = (*of, def) {
            *of = Declared::Variable(def, ty);
        }
    }
    for import in &facts.imports {
        if let Some(binds) = import.binds {
            declarations.entry((import.scope, binds)).or_insert(Declared::Import);
        }
    }
    for (id, definition) in (0..).zip(&facts.definitions) {
        if definition.kind == DefKind::Variable {
            continue;
        }
        let replaces = matches!(definition.kind, DefKind::Interface | DefKind::TypeAlias);
        let key = (definition.scope, definition.name);
        match declarations.get(&key) {
            Some(Declared::Definition(_)) if replaces => {}
            Some(Declared::Variable(..)) if replaces => {}
            _ => {
                declarations.insert(key, Declared::Definition(DefId(id)));
            }
        }
    }
    declarations
}

/// The scope that declares a name as a use in `scope` sees it. Members of classes and objects are not seen by their names.
fn lookup(facts: &FileFacts, declarations: &Declarations, scope: ScopeId, name: NameId) -> Option<(ScopeId, Declared)> {
    let mut next = Some(scope);
    for _ in 0..MAX_CLIMB {
        let scope = next?;
        let Scope { parent, kind, .. } = *facts.scope(scope);
        if kind != ScopeKind::Class
            && let Some(declared) = declarations.get(&(scope, name))
        {
            return Some((scope, *declared));
        }
        next = parent;
    }
    None
}

/// Of several callables of one name in one scope, those without a body stand for the one that has it, else for the last.
fn mark_overloads(facts: &mut FileFacts) {
    let mut last: FxHashMap<(ScopeId, NameId), usize> = FxHashMap::default();
    for index in 0..facts.definitions.len() {
        let definition = &facts.definitions[index];
        if !definition.kind.is_callable() || definition.flags.has(DefFlags::PROPERTY) {
            continue;
        }
        let key = (definition.scope, definition.name);
        let has_body = !definition.flags.has(DefFlags::ABSTRACT);
        if let Some(before) = last.get(&key).copied() {
            let other = &mut facts.definitions[before];
            if other.flags.has(DefFlags::ABSTRACT) {
                other.flags.set(DefFlags::OVERLOAD);
            } else if !has_body {
                continue;
            }
        }
        last.insert(key, index);
    }
}

/// Drops reads and hand-overs of bare names that only a local variable or parameter can be.
fn drop_local_uses(facts: &mut FileFacts) {
    let bound: FxHashSet<(ScopeId, NameId)> = facts
        .bindings
        .iter()
        .filter(|binding| !matches!(binding.kind, BindingKind::Narrowed))
        .map(|binding| (binding.scope, binding.name))
        .collect();
    let imported = facts.imports.iter().filter_map(|import| Some((import.scope, import.binds?)));
    let defined = facts.definitions.iter().map(|definition| (definition.scope, definition.name));
    let named: FxHashSet<(ScopeId, NameId)> = imported.chain(defined).collect();
    let FileFacts { references, exprs, scopes, .. } = facts;
    references.retain(|reference| match (reference.role, exprs[reference.expr.0 as usize]) {
        (Role::Read | Role::Value, Expr::Name { name, scope, .. }) => {
            let mut next = Some(scope);
            for _ in 0..MAX_CLIMB {
                let Some(id) = next else { break };
                let Scope { parent, kind, .. } = scopes[id.0 as usize];
                next = parent;
                match kind {
                    ScopeKind::Module => return true,
                    ScopeKind::Class => continue,
                    _ => {}
                }
                if named.contains(&(id, name)) {
                    return true;
                }
                if bound.contains(&(id, name)) {
                    return false;
                }
            }
            true
        }
        _ => true,
    });
}
