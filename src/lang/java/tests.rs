use super::*;

fn parse(source: &str) -> Tree {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_java::LANGUAGE.into()).unwrap();
    parser.parse(source, None).unwrap()
}

fn facts_of(source: &str) -> FileFacts {
    facts(&parse(source), source).unwrap().finish()
}

/// Indices of what a child comes before, checked for every expression.
fn show(facts: &FileFacts, id: ExprId) -> String {
    let at = |id| show(facts, id);
    let list = |list| facts.list(list).iter().map(|id| show(facts, *id)).collect::<Vec<_>>().join(", ");
    match facts.expr(id) {
        Expr::Name { name, .. } => facts.name(name).to_string(),
        Expr::Member { of, name } => format!("{}.{}", at(of), facts.name(name)),
        Expr::Call { of, args } => format!("{}({})", at(of), list(args)),
        Expr::New { of, args } => format!("new {}({})", at(of), list(args)),
        Expr::Index { of, key } => format!("{}[{}]", at(of), at(key)),
        Expr::Element { of } => format!("element of {}", at(of)),
        Expr::This { .. } => "this".into(),
        Expr::Super { .. } => "super".into(),
        Expr::Literal(kind) => format!("#{kind:?}"),
        Expr::Display { items, .. } => format!("{{{}}}", list(items)),
        Expr::Lambda { returns, .. } => format!("lambda[{}]", list(returns)),
        Expr::Either { items } => format!("either[{}]", list(items)),
        Expr::Typed { ty } => format!("typed({})", at(ty)),
        Expr::Apply { of, args } => format!("{}<{}>", at(of), list(args)),
        Expr::Array { of } => format!("{}[]", at(of)),
        Expr::Union { items } => format!("union[{}]", list(items)),
        Expr::MethodRef { of, name } => format!("{}::{}", at(of), facts.name(name)),
        Expr::Opaque => "?".into(),
        other => format!("{other:?}"),
    }
}

fn flags(flags: DefFlags) -> String {
    let names = [
        (DefFlags::EXPORTED, "exported"),
        (DefFlags::STATIC, "static"),
        (DefFlags::ABSTRACT, "abstract"),
        (DefFlags::DEFAULT, "default"),
        (DefFlags::PRIVATE, "private"),
        (DefFlags::PROTECTED, "protected"),
        (DefFlags::PUBLIC, "public"),
        (DefFlags::OVERRIDE, "override"),
        (DefFlags::ANONYMOUS, "anonymous"),
        (DefFlags::LOCAL, "local"),
    ];
    names.iter().filter(|(bit, _)| flags.has(*bit)).map(|(_, name)| format!(" {name}")).collect()
}

/// One line a definition: kind, name, parameters, type, supertypes, returns, decorators, flags.
fn definitions(source: &str) -> String {
    let facts = facts_of(source);
    let list = |label: &str, list| {
        let items: Vec<_> = facts.list(list).iter().map(|id| show(&facts, *id)).collect();
        if items.is_empty() { String::new() } else { format!(" {label} {}", items.join(", ")) }
    };
    let mut lines = Vec::new();
    for (index, definition) in facts.definitions.iter().enumerate() {
        let mut line = format!("{} {}", definition.kind.name(), facts.qualname(DefId(index as u32)));
        if definition.kind.is_callable() {
            let params: Vec<_> = definition
                .params
                .iter()
                .map(|param| {
                    let rest = if param.kind == ParamKind::Rest { "..." } else { "" };
                    format!("{}{rest} {}", param.ty.map_or("?".into(), |ty| show(&facts, ty)), facts.name(param.name))
                })
                .collect();
            line += &format!("({})", params.join(", "));
        }
        line += &definition.ty.map_or(String::new(), |ty| format!(": {}", show(&facts, ty)));
        line += &list("extends", definition.supertypes);
        line += &list("implements", definition.interfaces);
        line += &list("returns", definition.returns);
        line += &list("@", definition.decorators);
        lines.push(line + &flags(definition.flags));
    }
    lines.join("\n")
}

/// One line a binding, in order of position: name, kind, type, value, kind of its scope.
fn bindings(source: &str) -> String {
    let mut facts = facts_of(source);
    facts.bindings.sort_by_key(|binding| (binding.at, binding.name));
    let line = |binding: &Binding| {
        let mut line = format!("{} {:?}", facts.name(binding.name), binding.kind);
        line += &binding.ty.map_or(String::new(), |ty| format!(": {}", show(&facts, ty)));
        line += &binding.value.map_or(String::new(), |value| format!(" = {}", show(&facts, value)));
        line + &format!(" in {:?}", facts.scope(binding.scope).kind)
    };
    facts.bindings.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// One line a reference: role, path, and whose code it is.
fn uses(source: &str) -> String {
    let facts = facts_of(source);
    let line = |reference: &Reference| {
        let by = reference.enclosing.map_or("<module>".into(), |def| facts.qualname(def));
        format!("{:?} {} by {by}", reference.role, show(&facts, reference.expr))
    };
    facts.references.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// References of some roles only, without whose code they are.
fn only(roles: &[Role], source: &str) -> String {
    let facts = facts_of(source);
    let wanted = facts.references.iter().filter(|reference| roles.contains(&reference.role));
    wanted.map(|reference| show(&facts, reference.expr)).collect::<Vec<_>>().join("; ")
}

/// `body` as the statements of a method.
fn in_method(body: &str) -> String {
    format!("class A {{ void m(Object o) {{ {body} }} }}")
}

#[test]
fn zz_debug() {
    let src = std::fs::read_to_string(std::env::var("J").unwrap()).unwrap();
    println!("{}\n\n{}\n\n{}", definitions(&src), bindings(&src), uses(&src));
}
