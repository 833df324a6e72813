//! Facts as text, for the tests of all front ends: one line a fact, expressions as paths, so that a test shows in a few
//! lines what a snippet says. Spans are left out but for lines; scopes are shown by their kind and number.

use crate::model::*;

/// `def outer.inner method EXPORTED (self, x: T = ?) -> T`
pub(crate) fn definitions(facts: &FileFacts) -> String {
    let mut out = String::new();
    for (i, definition) in facts.definitions.iter().enumerate() {
        let id = DefId(i as u32);
        out += &format!("def {} {} {}", definition.span.line, definition.kind.name(), facts.qualname(id));
        if definition.kind.is_callable() {
            let params: Vec<String> = definition.params.iter().map(|param| self::param(facts, param)).collect();
            out += &format!("({})", params.join(", "));
        }
        if let Some(ty) = definition.ty {
            out += &format!(": {}", expr(facts, ty));
        }
        for (word, list) in [
            ("returns", definition.returns),
            ("extends", definition.supertypes),
            ("implements", definition.interfaces),
            ("decorated", definition.decorators),
        ] {
            if list.len > 0 {
                out += &format!(" {word} {}", exprs(facts, list));
            }
        }
        if !definition.type_params.is_empty() {
            let names: Vec<&str> = definition.type_params.iter().map(|name| facts.name(*name)).collect();
            out += &format!(" type_params {}", names.join(", "));
        }
        out += &format!(" [{}]\n", flags(definition.flags));
    }
    out
}

/// `bind 3 x = value: ty in function 1`
pub(crate) fn bindings(facts: &FileFacts) -> String {
    let mut out = String::new();
    for binding in &facts.bindings {
        out += &format!("bind {} {} {:?}", binding.line, facts.name(binding.name), binding.kind);
        if let Some(ty) = binding.ty {
            out += &format!(": {}", expr(facts, ty));
        }
        if let Some(value) = binding.value {
            out += &format!(" = {}", expr(facts, value));
        }
        out += &format!(" in {}", scope(facts, binding.scope));
        if binding.block != binding.scope {
            out += &format!(" at {}", scope(facts, binding.block));
        }
        out += "\n";
    }
    out
}

pub(crate) fn imports(facts: &FileFacts) -> String {
    let mut out = String::new();
    for import in &facts.imports {
        let name = |id: Option<NameId>| id.map_or("-", |id| facts.name(id));
        out += &format!(
            "import {} {:?} {}{} {} as {} in {}{}\n",
            import.line,
            import.kind,
            ".".repeat(usize::from(import.level)),
            facts.name(import.module),
            name(import.name),
            name(import.binds),
            scope(facts, import.block),
            if import.type_only { " type_only" } else { "" },
        );
    }
    out
}

/// `ref 3 Call a.b(c) by f`
pub(crate) fn references(facts: &FileFacts) -> String {
    let mut out = String::new();
    for reference in &facts.references {
        let by = reference.enclosing.map_or("<module>".to_string(), |id| facts.qualname(id));
        out += &format!("ref {} {:?} {} by {by}\n", reference.line, reference.role, expr(facts, reference.expr));
    }
    out
}

/// An expression as a path.
pub(crate) fn expr(facts: &FileFacts, id: ExprId) -> String {
    match facts.expr(id) {
        Expr::Name { name, .. } => facts.name(name).to_string(),
        Expr::Member { of, name } => format!("{}.{}", expr(facts, of), facts.name(name)),
        Expr::Call { of, args } => format!("{}({})", expr(facts, of), exprs(facts, args)),
        Expr::New { of, args } => format!("new {}({})", expr(facts, of), exprs(facts, args)),
        Expr::Index { of, key } => format!("{}[{}]", expr(facts, of), expr(facts, key)),
        Expr::Element { of } => format!("element({})", expr(facts, of)),
        Expr::Entered { of } => format!("entered({})", expr(facts, of)),
        Expr::Awaited { of } => format!("awaited({})", expr(facts, of)),
        Expr::Unpacked { of, index } => format!("unpacked({}, {index})", expr(facts, of)),
        Expr::This { .. } => "this".to_string(),
        Expr::Super { .. } => "super".to_string(),
        Expr::Literal(literal) => format!("{literal:?}"),
        Expr::Display { kind, items } => format!("{kind:?}({})", exprs(facts, items)),
        Expr::Entries { items } => format!("Entries({})", exprs(facts, items)),
        Expr::Comprehension { kind, of } => format!("{kind:?}(for {})", expr(facts, of)),
        Expr::Lambda { returns, .. } => format!("lambda({})", exprs(facts, returns)),
        Expr::Either { items } => format!("either({})", exprs(facts, items)),
        Expr::Typed { ty } => format!("typed({})", expr(facts, ty)),
        Expr::ClassOf { ty } => format!("class of {}", expr(facts, ty)),
        Expr::Apply { of, args } => format!("{}<{}>", expr(facts, of), exprs(facts, args)),
        Expr::Array { of } => format!("{}[]", expr(facts, of)),
        Expr::Union { items } => format!("union({})", exprs(facts, items)),
        Expr::MethodRef { of, name } => format!("{}::{}", expr(facts, of), facts.name(name)),
        Expr::Defined { definition } => format!("defined({})", facts.qualname(definition)),
        Expr::Imported { import } => format!("imported({})", facts.name(facts.imports[import as usize].module)),
        Expr::Signature { params, result } => format!("({}) => {}", exprs(facts, params), expr(facts, result)),
        Expr::Expected { of, index } => format!("expected({}, {index})", expr(facts, of)),
        Expr::ValueType { of } => format!("typeof {}", expr(facts, of)),
        Expr::Keyword { name, of } => format!("{}={}", facts.name(name), expr(facts, of)),
        Expr::Spread { of } => format!("*{}", expr(facts, of)),
        Expr::Opaque => "?".to_string(),
    }
}

fn exprs(facts: &FileFacts, list: List) -> String {
    let items: Vec<String> = facts.list(list).iter().map(|id| expr(facts, *id)).collect();
    items.join(", ")
}

fn param(facts: &FileFacts, param: &Param) -> String {
    let mark = match param.kind {
        ParamKind::Normal => "",
        ParamKind::PositionalOnly => "/",
        ParamKind::KeywordOnly => "kw ",
        ParamKind::Rest => "*",
        ParamKind::KeywordRest => "**",
    };
    let ty = param.ty.map_or(String::new(), |ty| format!(": {}", expr(facts, ty)));
    let default = param.default.map_or(String::new(), |default| format!(" = {}", expr(facts, default)));
    format!("{mark}{}{ty}{default}", facts.name(param.name))
}

fn scope(facts: &FileFacts, id: ScopeId) -> String {
    format!("{:?} {}", facts.scope(id).kind, id.0).to_lowercase()
}

fn flags(flags: DefFlags) -> String {
    let names = [
        (DefFlags::EXPORTED, "exported"),
        (DefFlags::STATIC, "static"),
        (DefFlags::CLASS_METHOD, "class_method"),
        (DefFlags::PROPERTY, "property"),
        (DefFlags::ABSTRACT, "abstract"),
        (DefFlags::PRIVATE, "private"),
        (DefFlags::PROTECTED, "protected"),
        (DefFlags::PUBLIC, "public"),
        (DefFlags::ASYNC, "async"),
        (DefFlags::GENERATOR, "generator"),
        (DefFlags::OVERRIDE, "override"),
        (DefFlags::ANONYMOUS, "anonymous"),
        (DefFlags::RECOVERED, "recovered"),
        (DefFlags::LOCAL, "local"),
        (DefFlags::OVERLOAD, "overload"),
        (DefFlags::DEFAULT, "default"),
    ];
    let set: Vec<&str> = names.iter().filter(|(bit, _)| flags.has(*bit)).map(|(_, name)| *name).collect();
    set.join(" ")
}
