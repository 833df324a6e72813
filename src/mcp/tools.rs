//! The tools as the client lists them. Every word is paid for in each session that has them in its context.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// In the order of use.
pub(super) fn all() -> Vec<Tool> {
    vec![
        tool(
            "find",
            "Symbols by the words of their names (`parse url` finds parseURLPath), with file and lines.",
            json!({"text": {"type": "string"}}),
            &["text"],
        ),
        tool(
            "relations",
            "What uses a symbol or file, and what it uses, one step away: calls, imports, subtypes, overrides, type uses. \
             Guesses and tests apart. With `to`: the chain of references between the two.",
            json!({
                "target": target(),
                "direction": {"enum": ["used_by", "uses", "both"], "default": "used_by"},
                "kinds": {
                    "type": "array",
                    "items": {"enum": ["calls", "imports", "extends", "implements", "references"]},
                },
                "to": target(),
            }),
            &["target"],
        ),
        tool(
            "blast_radius",
            "What has to be looked at when these symbols or files change: transitive dependents by distance, with packages \
             and tests.",
            json!({"targets": targets(), "depth": {"type": "integer", "minimum": 1, "maximum": 8, "default": 2}}),
            &["targets"],
        ),
        tool(
            "plan",
            "What to read before changing these symbols or files, in order, within a budget of tokens: the code itself, \
             what it rests on, signatures of what depends on it.",
            json!({"targets": targets(), "budget": {"type": "integer", "default": 60_000}}),
            &["targets"],
        ),
        tool(
            "review",
            "What a change touches: changed symbols, their dependents, call sites that no longer fit, tests that reach \
             them. Of the work tree against HEAD, or of HEAD since it left `base`, or of A..B.",
            json!({"base": {"type": "string"}}),
            &[],
        ),
        tool(
            "neighborhoods",
            "Groups of files that belong together, with cohesion and entry points; with `file`, the one around it.",
            json!({"file": {"type": "string"}}),
            &[],
        ),
    ]
}

fn target() -> Value {
    json!({"type": "string"})
}

fn targets() -> Value {
    json!({"type": "array", "items": {"type": "string"}, "minItems": 1})
}

/// All tools take a place and a page, and change nothing.
fn tool(name: &'static str, description: &'static str, properties: Value, required: &[&str]) -> Tool {
    let mut schema = JsonObject::new();
    let mut properties = properties.as_object().cloned().unwrap_or_default();
    properties.insert("cursor".into(), json!({"type": "integer"}));
    properties.insert("folder".into(), json!({"type": "string"}));
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    Tool::new(name, description, schema).with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_are_few_and_cost_little_context() {
        let tools = all();
        assert!(tools.len() <= 6);
        let tokens = crate::tokens::count(&serde_json::to_string(&tools).unwrap());
        assert!(tokens < 1_100, "{tokens} tokens");
    }
}
