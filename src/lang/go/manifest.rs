//! `go.mod`: the path that a folder and all below it are imported by, and which other paths lead to folders instead of
//! where they say.

use crate::lang::builder::Builder;
use crate::model::*;

/// Fills the facts of a `go.mod`: its `module` is the file's package, and `replace a => ./b` an import of `a` with the folder
/// as its name.
pub(crate) fn facts(text: &str, builder: &mut Builder) {
    let mut block = "";
    for (row, line) in text.lines().enumerate() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        match (word, rest.trim()) {
            (")", _) => block = "",
            (word, "(") => block = word,
            ("module", path) => builder.facts.package = Some(builder.name(path.trim_matches(['"', '`']))),
            ("replace", rest) => replace(rest, row, builder),
            _ if block == "replace" => replace(line, row, builder),
            _ => {}
        }
    }
}

/// Each import of the module is compared with each of them; the largest modules have some dozens.
const MAX_REPLACED: usize = 500;

/// `a [v1] => ./b`; what leads to another module than a folder of the repository is left out.
fn replace(line: &str, row: usize, builder: &mut Builder) {
    let Some((from, to)) = line.split_once("=>") else { return };
    let from = from.split_whitespace().next().unwrap_or_default().trim_matches(['"', '`']);
    let to = to.trim().trim_matches(['"', '`']);
    if from.is_empty() || !to.starts_with('.') || builder.facts.imports.len() >= MAX_REPLACED {
        return;
    }
    let (module, name) = (builder.name(from), builder.name(to));
    builder.facts.imports.push(Import {
        kind: ImportKind::Module,
        scope: MODULE_SCOPE,
        block: MODULE_SCOPE,
        module,
        level: 0,
        name: Some(name),
        binds: None,
        type_only: false,
        line: row as u32 + 1,
        at: 0,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_and_replacements_are_read() {
        let text = "// a comment\nmodule \"example.com/shop\" // ours\n\ngo 1.22\nrequire (\n\texample.com/a v1.0.0\n)\n\
                    replace example.com/a v1.0.0 => ./a\nreplace (\n\texample.com/b => ../b // near\n\tc => d v2.0.0\n)\n";
        let mut builder = Builder::new(Language::Text);
        facts(text, &mut builder);
        let facts = builder.finish();
        assert_eq!(facts.package.map(|name| facts.name(name)), Some("example.com/shop"));
        let replaced =
            facts.imports.iter().map(|import| (facts.name(import.module), import.name.map(|n| facts.name(n))));
        let expected = [("example.com/a", Some("./a")), ("example.com/b", Some("../b"))];
        assert_eq!(replaced.collect::<Vec<_>>(), expected);
    }
}
