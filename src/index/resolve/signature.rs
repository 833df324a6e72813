//! How an overload is told apart in what people read: by the types of its parameters, as far as they are names.

use super::types::Def;
use super::world::{Entry, World};
use crate::model::*;

/// More parameters than these are not spelled out.
const MAX_PARAMS: usize = 12;

/// Does a callable share its name with others in its scope, in a language where calls tell them apart?
fn is_overload(world: &World<'_>, def: Def) -> bool {
    let definition = world.definition(def);
    if !definition.kind.is_callable() || !world.rules(def.file).overloads {
        return false;
    }
    let name = world.name(def.file, definition.name);
    let is_callable = |entry| match entry {
        Entry::Definition(other) => world.definition(Def { file: def.file, def: other }).kind.is_callable(),
        _ => false,
    };
    world.entries(def.file, definition.scope, name).iter().filter(|slot| is_callable(slot.entry)).count() > 1
}

/// `(String, int...)` of an overload; empty otherwise.
pub(crate) fn of(world: &World<'_>, def: Def) -> String {
    if !is_overload(world, def) {
        return String::new();
    }
    let definition = world.definition(def);
    let facts = world.facts(def.file);
    let mut types: Vec<String> = definition.params.iter().take(MAX_PARAMS).map(|param| spelled(facts, param)).collect();
    if definition.params.len() > MAX_PARAMS {
        types.push("...".to_owned());
    }
    format!("({})", types.join(", "))
}

/// The type without its arguments and the package; `?` for what has none.
fn spelled(facts: &FileFacts, param: &Param) -> String {
    let mut suffix = if param.kind == ParamKind::Rest { "...".to_owned() } else { String::new() };
    let Some(mut ty) = param.ty else { return format!("?{suffix}") };
    let name = loop {
        match facts.expr(ty) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => break facts.name(name),
            Expr::Literal(literal) => break literal_name(literal),
            Expr::Apply { of, .. } => ty = of,
            Expr::Array { of } => {
                suffix.insert_str(0, "[]");
                ty = of;
            }
            _ => break "?",
        }
    };
    format!("{name}{suffix}")
}

fn literal_name(literal: Literal) -> &'static str {
    match literal {
        Literal::Int => "int",
        Literal::Short => "short",
        Literal::Byte => "byte",
        Literal::Long => "long",
        Literal::Float => "float",
        Literal::Double => "double",
        Literal::Bool => "boolean",
        Literal::Char => "char",
        _ => "?",
    }
}
