//! Text in, facts as text out.
use super::facts;
use crate::lang::testing;
use crate::model::*;
use tree_sitter::Parser;

fn facts_of(source: &str) -> FileFacts {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_python::LANGUAGE.into()).unwrap();
    let tree = parser.parse(source, None).unwrap();
    facts(&tree, source).unwrap().finish()
}

#[test]
fn scratch() {
    if let Ok(path) = std::env::var("SCRATCH") {
        let source = std::fs::read_to_string(path).unwrap();
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_python::LANGUAGE.into()).unwrap();
        let tree = parser.parse(&source, None).unwrap();
        eprintln!("{}", tree.root_node().to_sexp());
        let f = facts_of(&source);
        eprintln!("{}", testing::render(&f));
        eprintln!("{:?}", f.dynamic);
        eprintln!("{:?}", f.exports.names.as_ref().map(|n| n.iter().map(|n| f.name(*n)).collect::<Vec<_>>()));
    }
}
