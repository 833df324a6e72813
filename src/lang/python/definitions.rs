//! Functions, classes, their decorators and results.
//!
//! A header (decorators, defaults, annotations, bases) is code of the place around the definition and sees the names there;
//! only a definition with type parameters of its own has its header read from inside, where those names are.

use super::grammar::{Field, Kind};
use super::{Extraction, Frame, Position};
use crate::lang::walk::Child;
use crate::model::*;
use tree_sitter::Node;

/// Most returned or yielded expressions kept of a function.
const MAX_RETURNS: usize = 64;

/// Most parameters that are looked at to see whether they hide an outer `self`.
const MAX_SHADOWING: usize = 256;

/// A type parameter read before the body is open.
pub(super) struct PendingTypeParam {
    pub(super) name: NameId,
    pub(super) bound: Option<ExprId>,
    pub(super) position: Position,
}

/// The decorators of the definition that comes next.
#[derive(Default)]
pub(super) struct DecoratorList {
    /// Row of the first one, while there is such a definition.
    row: Option<usize>,
    paths: Vec<ExprId>,
}

impl DecoratorList {
    pub(super) fn starting_at(row: usize) -> DecoratorList {
        DecoratorList { row: Some(row), paths: Vec::new() }
    }
}

/// A function whose body is being read.
pub(super) struct FunctionContext {
    scope: ScopeId,
    definition: DefId,
    /// First parameter of a method that is not static, with the body scope of its class.
    self_name: Option<(NameId, ScopeId)>,
    params: Vec<NameId>,
    returns: Vec<ExprId>,
    yields: Vec<ExprId>,
    generator: bool,
}

/// Bases of a metaclass that are looked at.
const MAX_METACLASSES: usize = 16;
/// Definitions before a class among which its metaclass is looked for.
const MAX_SEARCHED: usize = 2_000;

impl Extraction<'_> {
    /// Adds the definition of a `def` or `class`; its body is opened when the walk gets there.
    pub(super) fn open_definition(&mut self, node: Node<'_>, frame: &mut Frame) {
        let decorators = std::mem::take(&mut self.decorators);
        let Some(name) = node.child_by_field_name("name") else { return };
        if name.byte_range().is_empty() {
            return;
        }
        let class = frame.kind == Kind::ClassDefinition;
        let text = self.text(name.byte_range());
        let (exported, getattr) =
            (!text.starts_with('_'), !class && matches!(text, "__getattr__" | "__getattribute__"));
        let implicit_class_method = matches!(text, "__new__" | "__init_subclass__" | "__class_getitem__");
        let id = self.name_of(name.byte_range());
        let block = self.builder.scope();
        let scope = self.target_scope(block, id);
        let holder = self.builder.facts.scope(scope).kind;
        let kind = match (class, holder) {
            (true, _) => DefKind::Class,
            (false, ScopeKind::Class) => DefKind::Method,
            (false, _) => DefKind::Function,
        };
        let span =
            Span { line: name.start_position().row as u32 + 1, end_line: end_line(node), at: name.start_byte() as u32 };
        let mut definition = self.builder.new_definition(id, kind, span);
        definition.scope = scope;
        definition.start_line = decorators.row.unwrap_or(node.start_position().row) as u32 + 1;
        let local = self.is_local(scope);
        for (set, flag) in [
            (local, DefFlags::LOCAL),
            (exported && !local, DefFlags::EXPORTED),
            (!class && node.child(0).is_some_and(|first| first.kind() == "async"), DefFlags::ASYNC),
            (kind == DefKind::Method && implicit_class_method, DefFlags::CLASS_METHOD),
        ] {
            if set {
                definition.flags.set(flag);
            }
        }
        for path in &decorators.paths {
            set_by_decorator(&mut definition.flags, self.last_segment(*path));
        }
        definition.decorators = self.builder.list(&decorators.paths);
        let id = self.builder.add_definition(definition);
        self.bound.insert((scope, self.builder.facts.definition(id).name));
        if getattr {
            self.dynamic(name.start_position().row);
        }
        let body = self.builder.open_scope(if class { ScopeKind::Class } else { ScopeKind::Function }, Some(id));
        self.builder.close_scope();
        self.builder.definition_mut(id).body = Some(body);
        frame.definition = Some(id);
        frame.body = Some(body);
        frame.mark = self.params.len();
        self.type_params.clear();
    }

    /// True if what `scope` holds is declared inside a function.
    pub(super) fn is_local(&self, scope: ScopeId) -> bool {
        let Scope { kind, definition, .. } = *self.builder.facts.scope(scope);
        match (kind, definition) {
            (ScopeKind::Module, _) => false,
            (ScopeKind::Class, Some(class)) => self.builder.facts.definition(class).flags.has(DefFlags::LOCAL),
            _ => true,
        }
    }

    /// Parts of a header: read from inside if there are type parameters, and a lambda's parameters from outside.
    pub(super) fn open_header(&mut self, frame: &mut Frame) {
        frame.mark = self.params.len();
        let Some(up) = self.frames.last() else { return };
        frame.head = up.head;
        let inside = match (up.kind, up.body) {
            (Kind::FunctionDefinition | Kind::ClassDefinition, Some(body)) if !self.type_params.is_empty() => body,
            (Kind::Lambda, Some(body)) => match self.builder.facts.scope(body).parent {
                Some(outside) => outside,
                None => return,
            },
            _ => return,
        };
        self.builder.enter_scope(inside);
        frame.scopes = 1;
    }

    /// Opens the body of the definition whose frame is innermost.
    pub(super) fn open_body(&mut self, frame: &mut Frame) {
        let Some(up) = self.frames.last() else { return };
        let (Some(definition), Some(body), class) = (up.definition, up.body, up.kind == Kind::ClassDefinition) else {
            return;
        };
        let mark = up.mark.min(self.params.len());
        self.builder.enter_scope(body);
        self.builder.enter_definition(definition);
        frame.scopes = 1;
        frame.closes_definition = true;
        for type_param in std::mem::take(&mut self.type_params) {
            let PendingTypeParam { name, bound, position } = type_param;
            self.builder.definition_mut(definition).type_params.push(name);
            self.bind(body, body, name, BindingKind::TypeParameter, (bound, None), position);
        }
        if class {
            return;
        }
        let pending = self.params.split_off(mark);
        self.bind_params(body, &pending);
        let params: Vec<Param> = pending.iter().map(|pending| pending.param).collect();
        let Definition { kind, flags, scope, .. } = *self.builder.definition_mut(definition);
        let is_method = kind == DefKind::Method && !flags.has(DefFlags::STATIC);
        let first = params.first().filter(|first| matches!(first.kind, ParamKind::Normal | ParamKind::PositionalOnly));
        frame.definition = Some(definition);
        self.functions.push(FunctionContext {
            scope: body,
            definition,
            self_name: first.filter(|_| is_method).map(|first| (first.name, scope)),
            params: params.iter().take(MAX_SHADOWING).map(|param| param.name).collect(),
            returns: Vec::new(),
            yields: Vec::new(),
            generator: false,
        });
        self.builder.definition_mut(definition).params = params;
    }

    /// Closes what a block opened, if it was a function's body.
    pub(super) fn leave_block(&mut self, frame: &mut Frame, children: &[Child]) {
        frame.exits = self.exits(children);
        if frame.definition.is_none() {
            return;
        }
        let Some(function) = self.functions.pop() else { return };
        let returns = if function.generator { function.yields } else { function.returns };
        let returns = self.builder.list(&returns);
        let definition = self.builder.definition_mut(function.definition);
        definition.returns = returns;
        if function.generator {
            definition.flags.set(DefFlags::GENERATOR);
        }
    }

    pub(super) fn leave_decorator(&mut self, children: &[Child], frame: &Frame) {
        let Some(expr) = children.iter().find_map(|child| child.expr) else { return };
        let path = match self.expr_of(expr) {
            Expr::Call { of, .. } => {
                self.refer(expr, Role::Decorate, frame.path);
                of
            }
            _ => expr,
        };
        self.decorators.paths.push(path);
    }

    /// The class whose instance (or, in class methods, which itself) `name` is here: the first parameter of the method
    /// around, unless a function in between has a parameter of that name.
    pub(super) fn self_class(&self, name: NameId) -> Option<ScopeId> {
        for function in self.functions.iter().rev() {
            match function.self_name {
                Some((first, class)) if first == name => return Some(class),
                _ if function.params.contains(&name) => return None,
                _ => {}
            }
        }
        None
    }

    /// The function whose own code stands here; not inside a lambda or a class of its own.
    fn own_function(&mut self) -> Option<&mut FunctionContext> {
        let owner = self.builder.owner_scope();
        self.functions.last_mut().filter(|function| function.scope == owner)
    }

    pub(super) fn leave_return(&mut self, children: &[Child]) {
        let Some(expr) = children.iter().find_map(|child| child.expr) else { return };
        if let Some(function) = self.own_function().filter(|function| function.returns.len() < MAX_RETURNS) {
            function.returns.push(expr);
        }
    }

    pub(super) fn leave_yield(&mut self, node: Node<'_>, children: &[Child]) {
        let from = node.child(1).is_some_and(|second| second.kind() == "from");
        let mut value = children.iter().find_map(|child| child.expr);
        if let (true, Some(of)) = (from, value) {
            value = Some(self.builder.expr(Expr::Element { of }));
        }
        if let Some(function) = self.own_function() {
            function.generator = true;
            if function.yields.len() < MAX_RETURNS {
                function.yields.extend(value);
            }
        }
    }

    /// `type X = T`
    pub(super) fn leave_type_alias(&mut self, node: Node<'_>, children: &[Child]) {
        let mut names = std::mem::take(&mut self.type_params).into_iter();
        let (Some(PendingTypeParam { name, position, .. }), Some(right)) = (names.next(), children.last()) else {
            return;
        };
        let exported = !self.builder.facts.name(name).starts_with('_');
        let span = Span { line: position.row as u32 + 1, end_line: end_line(node), at: position.at };
        let mut definition = self.builder.new_definition(name, DefKind::TypeAlias, span);
        definition.ty = right.expr;
        definition.type_params = names.map(|param| param.name).collect();
        match self.is_local(definition.scope) {
            true => definition.flags.set(DefFlags::LOCAL),
            false if exported => definition.flags.set(DefFlags::EXPORTED),
            false => {}
        }
        self.builder.add_definition(definition);
    }

    /// A type stands in a header or an annotation; the parent's definition gets it where it is the result type.
    pub(super) fn leave_type(&mut self, frame: &Frame, children: &[Child]) -> Option<ExprId> {
        let ty = children.iter().find_map(|child| child.expr);
        let definition = self.frames.last().and_then(|up| up.definition);
        if let (Field::ReturnType, Some(definition)) = (frame.field, definition) {
            self.builder.definition_mut(definition).ty = ty;
        }
        ty
    }

    /// The bases of the class whose frame is innermost.
    pub(super) fn leave_bases(&mut self, children: &[Child]) {
        let Some(class) = self.frames.last().and_then(|up| up.definition) else { return };
        let is_base = |expr: &ExprId| !matches!(self.expr_of(*expr), Expr::Keyword { .. } | Expr::Spread { .. });
        let bases: Vec<ExprId> = children.iter().filter_map(|child| child.expr).filter(is_base).collect();
        if children.iter().filter_map(|child| child.expr).any(|expr| self.tells_a_metaclass(expr)) {
            self.builder.definition_mut(class).flags.set(DefFlags::MADE_BY_METACLASS);
        }
        let bases = self.builder.list(&bases);
        self.builder.definition_mut(class).supertypes = bases;
    }

    /// A keyword in the list of bases. ABC's metaclass only forbids instances.
    fn tells_a_metaclass(&self, expr: ExprId) -> bool {
        let Expr::Keyword { of, .. } = self.expr_of(expr) else { return false };
        match self.expr_of(of) {
            Expr::Name { name, .. } => !self.makes_plain_classes(name),
            Expr::Member { name, .. } => self.builder.facts.name(name) != "ABCMeta",
            _ => true,
        }
    }

    /// `type`, `ABCMeta`, or a class of this file that does nothing when a class is made, as far as its bases tell.
    fn makes_plain_classes(&self, metaclass: NameId) -> bool {
        const HOOKS: [&str; 5] = ["__init__", "__init_subclass__", "__new__", "__prepare__", "mro"];
        let facts = &self.builder.facts;
        let mut open = vec![metaclass];
        let mut looked_at = 0;
        while let Some(name) = open.pop() {
            looked_at += 1;
            if matches!(facts.name(name), "ABCMeta" | "type") {
                continue;
            }
            let recent = || facts.definitions.iter().rev().take(MAX_SEARCHED);
            let class =
                recent().find(|class| class.name == name && class.kind.is_type() && class.scope == MODULE_SCOPE);
            let Some(class) = class.filter(|_| looked_at <= MAX_METACLASSES) else { return false };
            let is_hook = |member: &Definition| HOOKS.contains(&facts.name(member.name));
            if recent().any(|member| Some(member.scope) == class.body && is_hook(member)) {
                return false;
            }
            for base in facts.list(class.supertypes) {
                let Expr::Name { name, .. } = facts.expr(*base) else { return false };
                open.push(name);
            }
        }
        true
    }

    /// A variable or field of its first binding. `None` where names have no definition (functions) or have one already.
    pub(super) fn declare(&mut self, scope: ScopeId, name: NameId, kind: DefKind, position: Position) -> Option<DefId> {
        if matches!(self.builder.facts.name(name), "__slots__" | "_") || !self.defined.insert((scope, name)) {
            return None;
        }
        let line = position.row as u32 + 1;
        let mut definition = self.builder.new_definition(name, kind, Span { line, end_line: line, at: position.at });
        let holder = self.builder.facts.scope(scope).definition;
        if definition.scope != scope {
            definition.block = scope;
        }
        definition.scope = scope;
        definition.container = holder;
        match self.is_local(scope) {
            true => definition.flags.set(DefFlags::LOCAL),
            false if !self.builder.facts.name(name).starts_with('_') => definition.flags.set(DefFlags::EXPORTED),
            false => {}
        }
        Some(self.builder.add_definition(definition))
    }
}

fn set_by_decorator(flags: &mut DefFlags, name: &str) {
    match name {
        "staticmethod" => flags.set(DefFlags::STATIC),
        "classmethod" => flags.set(DefFlags::CLASS_METHOD),
        "overload" => flags.set(DefFlags::OVERLOAD),
        "abstractmethod" => flags.set(DefFlags::ABSTRACT),
        "override" => flags.set(DefFlags::OVERRIDE),
        "setter" | "getter" | "deleter" => flags.set(DefFlags::PROPERTY),
        _ if name.ends_with("property") => {
            flags.set(DefFlags::PROPERTY);
            if name.starts_with("abstract") {
                flags.set(DefFlags::ABSTRACT);
            }
        }
        _ => {}
    }
}

/// Last line of a node that may end with a line break.
pub(super) fn end_line(node: Node<'_>) -> u32 {
    let end = node.end_position();
    let past = usize::from(end.column == 0 && end.row > node.start_position().row);
    (end.row - past) as u32 + 1
}
