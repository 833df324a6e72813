//! From the references of one file to edges, graded by how each target was found.

use super::calls::Called;
use super::eval::{Eval, Found, Space};
use super::names::Lookup;
use super::outside::Outside;
use super::reads::Node;
use super::types::{Def, Sym, Type};
use super::world::Entry;
use crate::model::*;

/// More same-named candidates than this say nothing: the reference stays unresolved.
const MAX_CANDIDATES: usize = 8;

/// What one file's references came to. Definitions are not yet numbered as symbols.
#[derive(Debug, Default)]
pub(crate) struct FileEdges {
    pub(crate) edges: Vec<RawEdge>,
    pub(crate) unresolved: Vec<RawUnresolved>,
    /// Files that this one imports.
    pub(crate) imports: Vec<u32>,
    /// Files whose exports are its own too.
    pub(crate) passes_on: Vec<u32>,
    /// (method, what it overrides).
    pub(crate) overrides: Vec<(Def, Def)>,
    /// (member, the type of another file whose member it is).
    pub(crate) owners: Vec<(u32, Def)>,
    /// What may call its definitions from outside the repository.
    pub(crate) outside: Outside,
    /// What was read for it.
    pub(crate) node: Node,
}

/// An edge between definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RawEdge {
    pub(crate) line: u32,
    pub(crate) callee: Def,
    pub(crate) kind: EdgeKind,
    pub(crate) resolution: Resolution,
    pub(crate) caller: Option<u32>,
}

/// How sure it is that a reference has no target here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Certainty {
    /// The target is a library's or the language's.
    External,
    /// The receiver came from outside; what it is cannot be seen.
    Foreign,
    Unknown,
}

/// A reference without a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RawUnresolved {
    pub(crate) line: u32,
    pub(crate) name: Sym,
    pub(crate) caller: Option<u32>,
    pub(crate) kind: EdgeKind,
    pub(crate) external: bool,
    /// See [`super::outcome::Missed::member`].
    pub(crate) member: bool,
}

impl Eval<'_, '_> {
    /// Resolves everything one file says.
    pub(crate) fn file_edges(&mut self, file: u32) -> FileEdges {
        let opened = self.world.open();
        let facts = self.world.facts(file);
        let mut out = FileEdges::default();
        for reference in &facts.references {
            self.reference(file, reference, &mut out);
        }
        for index in 0..facts.imports.len() as u32 {
            self.imported_file(file, index, &mut out);
        }
        for index in 0..facts.definitions.len() as u32 {
            let def = Def { file, def: index };
            self.class_relations(def, &mut out);
            if facts.definitions[index as usize].receiver.is_some() {
                let class = self.world.class_around(def).filter(|class| class.file != file);
                out.owners.extend(class.map(|class| (index, class)));
            }
        }
        self.outside(file, &mut out.outside);
        out.node = self.world.close(opened);
        out.edges.sort_unstable();
        out.edges.dedup_by_key(|e| (e.line, e.callee, e.kind, e.caller));
        out.unresolved.sort_unstable();
        out.unresolved.dedup();
        out.imports.sort_unstable();
        out.imports.dedup();
        out
    }

    fn reference(&mut self, file: u32, reference: &Reference, out: &mut FileEdges) {
        let facts = self.world.facts(file);
        let kind = edge_kind(reference.role);
        let expr = facts.expr(reference.expr);
        match (reference.role, expr) {
            (Role::Call | Role::Construct | Role::Decorate, Expr::Call { of, .. } | Expr::New { of, .. }) => {
                let called = self.call(file, reference.expr);
                let of = strip(facts, of);
                self.called(reference, kind, &called, out);
                if called.targets.is_empty() {
                    let certainty = match (called.unknown, called.external) {
                        (true, _) | (false, false) => Certainty::Unknown,
                        (false, true) if self.is_foreign_value(file, of) => Certainty::Foreign,
                        (false, true) => Certainty::External,
                    };
                    self.missed(file, reference, of, kind, certainty, out);
                }
                self.read_path(file, reference, of, out);
            }
            (Role::Decorate | Role::Inherit | Role::Implement | Role::Type, _) => {
                let path = strip(facts, reference.expr);
                let values = self.world.rules(file).types_apart && reference.role != Role::Implement;
                if values && matches!(reference.role, Role::Decorate | Role::Inherit) && !self.names_type(file, path) {
                    self.named(file, reference, path, Space::Value, kind, out);
                } else {
                    self.named(file, reference, path, Space::Type, kind, out);
                }
            }
            (Role::Import, _) => {
                for space in [Space::Type, Space::Callable, Space::Value] {
                    let lookup = self.path(file, reference.expr, space);
                    self.found_edges(reference, &lookup, kind, out);
                    if !self.world.rules(file).namespaces && !self.world.rules(file).types_apart {
                        break;
                    }
                }
            }
            (_, Expr::MethodRef { of, name }) => {
                let name = self.world.name(file, name);
                let of_type = self.path_or_value(file, of);
                let lookup = self.members(file, &of_type, name, Space::Callable);
                let constructor = self.world.text(name) == self.world.rules(file).constructor;
                let found = self.found_edges(reference, &lookup, kind, out);
                if !found && constructor {
                    self.named(file, reference, strip(facts, of), Space::Type, kind, out);
                } else if !found && matches!(lookup.other, Some(Type::Unknown) | None) {
                    self.possible(file, reference, name, kind, None, out);
                }
                self.prefix(file, reference, of, out);
            }
            (_, Expr::Name { .. } | Expr::Member { .. }) => {
                self.named(file, reference, reference.expr, Space::Value, kind, out);
                if let Expr::Member { of, .. } = expr {
                    self.prefix(file, reference, of, out);
                }
            }
            _ => {}
        }
    }

    fn names_type(&mut self, file: u32, path: ExprId) -> bool {
        !self.path(file, path, Space::Type).found.is_empty()
    }

    fn path_or_value(&mut self, file: u32, of: ExprId) -> Type {
        match self.world.facts(file).expr(of) {
            Expr::Name { .. } | Expr::Member { .. } => self.path_type(file, of, Space::Value),
            Expr::Apply { of, .. } => self.path_type(file, of, Space::Type),
            _ => self.eval(file, of),
        }
    }

    fn called(&mut self, reference: &Reference, kind: EdgeKind, called: &Called, out: &mut FileEdges) {
        for target in &called.targets {
            let kind = match kind {
                EdgeKind::Decorate => kind,
                _ if target.construct => EdgeKind::Construct,
                _ => EdgeKind::Call,
            };
            self.edge(reference, target.def, kind, target.how, out);
        }
    }

    fn edge(&self, reference: &Reference, callee: Def, kind: EdgeKind, resolution: Resolution, out: &mut FileEdges) {
        if self.world.is_library(callee.file) {
            return;
        }
        // A signature without a name is nothing that anybody asks about.
        let definition = self.world.definition(callee);
        if definition.kind == DefKind::Method && definition.flags.has(DefFlags::ANONYMOUS) {
            return;
        }
        let caller = reference.enclosing.map(|def| def.0);
        out.edges.push(RawEdge { line: reference.line, callee, kind, resolution, caller });
    }

    /// A call without a target: possible ones by name, or a row that says so.
    fn missed(
        &mut self,
        file: u32,
        reference: &Reference,
        of: ExprId,
        kind: EdgeKind,
        certainty: Certainty,
        out: &mut FileEdges,
    ) {
        let facts = self.world.facts(file);
        let (name, is_member) = match facts.expr(of) {
            Expr::Name { name, .. } => (self.world.name(file, name), false),
            Expr::Member { name, .. } => (self.world.name(file, name), true),
            _ => return,
        };
        let arguments = match facts.expr(reference.expr) {
            Expr::Call { args, .. } => Some(args),
            _ => None,
        };
        if is_member && certainty == Certainty::Unknown {
            return self.possible(file, reference, name, kind, arguments, out);
        }
        unresolved(facts, reference, name, kind, certainty == Certainty::External, out);
    }

    /// Is it a member of a value that came from outside, rather than of a module or class there? Such a value may well be
    /// ours (made by a registry, kept in a library's container), but its name alone says too little to guess by.
    fn is_foreign_value(&mut self, file: u32, callee: ExprId) -> bool {
        let facts = self.world.facts(file);
        let Expr::Member { of, .. } = facts.expr(callee) else { return false };
        let base = self.path_or_value(file, of);
        // A class of ours that has no such member: something adds it where it cannot be seen.
        let is_ours = |part: &Type| match part {
            Type::Instance(def, _) | Type::This(def) => !self.world.is_library(def.file),
            _ => false,
        };
        if base.parts().iter().any(is_ours) {
            return true;
        }
        if !base.parts().iter().any(|part| matches!(part, Type::External(_))) {
            return false;
        }
        let mut path = of;
        while let Expr::Member { of, .. } = facts.expr(path) {
            path = of;
        }
        match facts.expr(path) {
            Expr::Name { .. } => !self.path(file, path, Space::Value).found.is_empty(),
            Expr::This { .. } | Expr::Super { .. } => !matches!(facts.expr(of), Expr::This { .. } | Expr::Super { .. }),
            _ => true,
        }
    }

    /// Candidates by name alone: never more than possible.
    fn possible(
        &mut self,
        file: u32,
        reference: &Reference,
        name: Sym,
        kind: EdgeKind,
        arguments: Option<List>,
        out: &mut FileEdges,
    ) {
        let facts = self.world.facts(file);
        let candidates = self.world.methods_named(facts.language, name);
        let is_spread = |arg: &ExprId| matches!(facts.expr(*arg), Expr::Spread { .. });
        let arguments = arguments.map(|args| facts.list(args)).filter(|args| !args.iter().any(is_spread));
        let gives_all = |args: &&[ExprId]| match args {
            [only] => self.world.rules(file).several_results && matches!(facts.expr(*only), Expr::Call { .. }),
            _ => false,
        };
        let arguments = arguments.filter(|args| !gives_all(args));
        let fits = |listed: &&super::world::Listed| arguments.is_none_or(|args| listed.takes(args.len()));
        let fitting = candidates.iter().filter(fits).take(MAX_CANDIDATES + 1);
        let fitting: Vec<Def> = fitting.map(|listed| listed.def).collect();
        match fitting.len() {
            1 => self.edge(reference, fitting[0], kind, Resolution::UniqueName, out),
            n if (2..=MAX_CANDIDATES).contains(&n) => {
                for def in fitting {
                    self.edge(reference, def, kind, Resolution::Ambiguous(n as u8), out);
                }
            }
            _ => unresolved(facts, reference, name, kind, false, out),
        }
    }

    /// A use that is no call: what the path names. True if something was found.
    fn named(
        &mut self,
        file: u32,
        reference: &Reference,
        path: ExprId,
        space: Space,
        kind: EdgeKind,
        out: &mut FileEdges,
    ) {
        let lookup = self.path(file, path, space);
        if self.found_edges(reference, &lookup, kind, out) {
            return;
        }
        let unknown = matches!(lookup.other, Some(Type::Unknown)) || lookup.is_empty();
        if let (Expr::Member { name, .. }, true, EdgeKind::Value | EdgeKind::Read) =
            (self.world.facts(file).expr(path), unknown, kind)
        {
            let name = self.world.name(file, name);
            self.possible(file, reference, name, kind, None, out);
        }
    }

    fn found_edges(&mut self, reference: &Reference, lookup: &Lookup, kind: EdgeKind, out: &mut FileEdges) -> bool {
        let mut any = false;
        for Found { file, entry, how, .. } in &lookup.found {
            any = true;
            if let Some(def) = self.shared_definition(*file, *entry) {
                self.edge(reference, def, kind, *how, out);
            }
        }
        any || matches!(lookup.other, Some(Type::Module(_) | Type::Package(_)))
    }

    /// The definition that an entry stands for: a variable of a module or class is defined once and bound many times.
    pub(super) fn shared_definition(&self, file: u32, entry: Entry) -> Option<Def> {
        match entry {
            Entry::Definition(def) => Some(Def { file, def }),
            Entry::Binding(binding) => {
                let facts = self.world.facts(file);
                let binding = facts.bindings[binding as usize];
                let shared = matches!(facts.scope(binding.scope).kind, ScopeKind::Module | ScopeKind::Class);
                if shared { self.world.defined(file, binding.scope, self.world.name(file, binding.name)) } else { None }
            }
            Entry::Import(_) => None,
        }
    }

    /// The callee's own path, where it names a variable or field rather than what runs, and everything before it.
    fn read_path(&mut self, file: u32, reference: &Reference, of: ExprId, out: &mut FileEdges) {
        if let Expr::Member { of: inner, .. } = self.world.facts(file).expr(of) {
            self.prefix(file, reference, inner, out);
        }
        for (def, how) in self.path_definitions(file, of, Space::Callable) {
            if matches!(self.world.definition(def).kind, DefKind::Variable | DefKind::Field) {
                self.edge(reference, def, EdgeKind::Read, how, out);
            }
        }
    }

    /// Inner parts of a path are uses of what they name.
    fn prefix(&mut self, file: u32, reference: &Reference, mut path: ExprId, out: &mut FileEdges) {
        loop {
            match self.world.facts(file).expr(path) {
                Expr::Member { of, .. } => {
                    self.read_one(file, reference, path, out);
                    path = of;
                }
                Expr::Apply { of, .. } => path = of,
                Expr::Name { .. } => {
                    self.read_one(file, reference, path, out);
                    return;
                }
                _ => return,
            }
        }
    }

    fn read_one(&mut self, file: u32, reference: &Reference, path: ExprId, out: &mut FileEdges) {
        for (def, how) in self.path_definitions(file, path, Space::Value) {
            self.edge(reference, def, EdgeKind::Read, how, out);
        }
    }

    /// The definitions that a path names; none for what is no path.
    fn path_definitions(&mut self, file: u32, path: ExprId, space: Space) -> Vec<(Def, Resolution)> {
        let lookup = self.path(file, path, space);
        let defined = |found: &Found| Some((self.shared_definition(found.file, found.entry)?, found.how));
        lookup.found.iter().filter_map(defined).collect()
    }

    fn imported_file(&mut self, file: u32, index: u32, out: &mut FileEdges) {
        let facts = self.world.facts(file);
        let import = facts.imports[index as usize];
        if import.kind == ImportKind::Own {
            return;
        }
        let path = facts.name(import.module);
        if import.kind == ImportKind::Star && Some(import.scope) == facts.exports.scope {
            let target = self.module(file, path, import.level);
            out.passes_on.extend(target.and_then(|target| match target {
                Type::Module(target) => Some(target),
                _ => None,
            }));
        }
        let mut targets = Vec::new();
        if import.name.is_some() {
            let mut lookup = self.import(file, index, Space::Type);
            if lookup.found.is_empty() && self.world.rules(file).types_apart {
                lookup = self.import(file, index, Space::Value);
            }
            if let Some(Type::Module(target)) = lookup.other {
                targets.push(target);
            }
            targets.extend(lookup.found.iter().map(|found| found.file));
        }
        // `from package import module` is about the module, not the package's own file.
        let named = !targets.is_empty();
        match self.module(file, path, import.level) {
            Some(Type::Module(target)) if !named => targets.push(target),
            Some(Type::Class(def, _)) if !named => targets.push(def.file),
            _ => {}
        }
        targets.retain(|target| *target != file && !self.world.is_library(*target));
        out.imports.extend(targets);
    }

    /// What a class's members override.
    fn class_relations(&mut self, class: Def, out: &mut FileEdges) {
        let definition = self.world.definition(class);
        if !(definition.kind.is_type() || definition.kind == DefKind::EnumMember) {
            return;
        }
        if self.world.rules(class.file).structural {
            self.implemented(class, &mut out.overrides);
        }
        if self.world.rules(class.file).embedding {
            return;
        }
        let Some(body) = definition.body else { return };
        let supertypes = self.supertypes(class);
        let facts = self.world.facts(class.file);
        let constructor = self.world.rules(class.file).constructor;
        // Members stand after their class and before the end of its lines.
        for (index, member) in facts.definitions.iter().enumerate().skip(class.def as usize + 1) {
            if member.span.at > definition.span.at && member.span.line > definition.span.end_line {
                break;
            }
            if member.scope != body || member.kind != DefKind::Method || facts.name(member.name) == constructor {
                continue;
            }
            let member_def = Def { file: class.file, def: index as u32 };
            for supertype in supertypes.iter().flat_map(|s| s.parts().to_vec()) {
                let Type::Instance(above, _) = supertype else { continue };
                if let Some(base) = self.overridden(above, member_def) {
                    out.overrides.push((member_def, base));
                }
            }
        }
    }

    /// The method of `class` or above it that `member` overrides.
    fn overridden(&mut self, class: Def, member: Def) -> Option<Def> {
        let name = self.world.name(member.file, self.world.definition(member).name);
        let params = self.world.definition(member).params.len();
        let overloads = self.world.rules(member.file).overloads;
        for ancestor in self.ancestors(class).iter() {
            let Type::Instance(holder, _) = ancestor else { continue };
            let body = self.world.definition(*holder).body?;
            let mut same: Vec<Def> = Vec::new();
            for slot in self.world.entries(holder.file, body, name) {
                let Entry::Definition(def) = slot.entry else { continue };
                let def = Def { file: holder.file, def };
                let other = self.world.definition(def);
                let fits = other.kind == DefKind::Method
                    && !other.flags.has(DefFlags::PRIVATE)
                    && (!overloads || (other.params.len() == params && !other.flags.has(DefFlags::STATIC)));
                if fits {
                    same.push(def);
                }
            }
            // Overloads with as many parameters: the one whose declared types have the same names.
            let spelled = |def: &Def| self.spelled_params(*def) == self.spelled_params(member);
            if let Some(def) = same.iter().copied().find(spelled).or(same.first().copied()) {
                return Some(def);
            }
        }
        None
    }

    pub(super) fn spelled_params(&self, def: Def) -> Vec<Option<Sym>> {
        let facts = self.world.facts(def.file);
        let spelled = |param: &Param| {
            let mut id = param.ty?;
            loop {
                match facts.expr(id) {
                    Expr::Name { name, .. } | Expr::Member { name, .. } => {
                        return Some(self.world.name(def.file, name));
                    }
                    Expr::Apply { of, .. } | Expr::Array { of } => id = of,
                    _ => return None,
                }
            }
        };
        self.world.definition(def).params.iter().map(spelled).collect()
    }
}

/// Adds a row for a reference without a target.
fn unresolved(
    facts: &FileFacts,
    reference: &Reference,
    name: Sym,
    kind: EdgeKind,
    external: bool,
    out: &mut FileEdges,
) {
    let caller = reference.enclosing.map(|def| def.0);
    let member = matches!(facts.expr(strip(facts, reference.expr)), Expr::Member { .. });
    out.unresolved.push(RawUnresolved { line: reference.line, name, caller, kind, external, member });
}

/// The path below type arguments.
fn strip(facts: &FileFacts, mut id: ExprId) -> ExprId {
    loop {
        match facts.expr(id) {
            Expr::Apply { of, .. } | Expr::Call { of, .. } | Expr::New { of, .. } | Expr::Array { of } => id = of,
            _ => return id,
        }
    }
}

fn edge_kind(role: Role) -> EdgeKind {
    match role {
        Role::Call => EdgeKind::Call,
        Role::Construct => EdgeKind::Construct,
        Role::Decorate => EdgeKind::Decorate,
        Role::Inherit => EdgeKind::Inherit,
        Role::Implement => EdgeKind::Implement,
        Role::Import => EdgeKind::Import,
        Role::Type => EdgeKind::Type,
        Role::Read => EdgeKind::Read,
        Role::Value => EdgeKind::Value,
    }
}
