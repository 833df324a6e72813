//! Strings: the names that they mention are kept as hashes (the second witness), and those that stand for a type are parsed and
//! read as one. A quoted type is read one level deep and up to a fixed length, so that no input makes this recurse.

use super::grammar::Kind;
use super::place::Place;
use super::{Extraction, Frame, Position, Quoted};
use crate::lang::mentions;
use crate::lang::walk::{Child, walk};
use crate::model::*;
use tree_sitter::Node;

/// Longest quoted type that is parsed, in bytes.
const MAX_QUOTED: usize = 1_000;

/// Kinds of a type expression; anything else in a quoted type is skipped, statements above all.
pub(super) fn may_stand_in_a_quoted_type(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Module
            | Kind::ExpressionStatement
            | Kind::Identifier
            | Kind::Attribute
            | Kind::Subscript
            | Kind::BinaryOperator
            | Kind::List
            | Kind::Tuple
            | Kind::ExpressionList
            | Kind::Str
            | Kind::StringStart
            | Kind::StringContent
            | Kind::StringEnd
            | Kind::None
            | Kind::True
            | Kind::False
            | Kind::Integer
            | Kind::Ellipsis
    )
}

impl Extraction<'_> {
    /// A string literal: a type where a type is expected, else its kind.
    pub(super) fn string(&mut self, node: Node<'_>, frame: &Frame, children: &[Child]) -> Option<ExprId> {
        self.mention(frame, children);
        if frame.place == Place::Type && self.quoted.is_none() {
            return self.quoted_type(node, children);
        }
        let prefix = children.first().map_or("", |start| self.text(start.bytes.clone()));
        let bytes = prefix.bytes().any(|b| b.eq_ignore_ascii_case(&b'b'));
        Some(self.builder.expr(Expr::Literal(if bytes { Literal::Bytes } else { Literal::Str })))
    }

    /// The names that the string mentions; what an f-string fills in is code of its own.
    fn mention(&mut self, frame: &Frame, children: &[Child]) {
        let mut text = String::new();
        for child in children {
            match self.grammar.kind(child.kind) {
                Kind::StringContent => text.push_str(self.text(child.bytes.clone())),
                Kind::Interpolation => text.push(mentions::HOLE),
                _ => {}
            }
        }
        let words = &mut self.builder.facts.words;
        if frame.docstring {
            mentions::all(text.as_bytes(), &mut words.comments);
        } else {
            mentions::value(&text, &mut words.strings);
        }
    }

    fn quoted_type(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let (first, last) = (children.first()?, children.last()?);
        let prefixed =
            self.text(first.bytes.clone()).bytes().any(|b| b.is_ascii_alphabetic() && !b.eq_ignore_ascii_case(&b'r'));
        let source = self.source;
        let text = source.get(first.bytes.end..last.bytes.start)?.trim();
        let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.,[]|' \"".contains(&b) || !b.is_ascii());
        if prefixed || !plain || text.is_empty() || text.len() > MAX_QUOTED {
            return None;
        }
        let parser = match &mut self.parser {
            Some(parser) => parser,
            none => {
                let mut parser = tree_sitter::Parser::new();
                parser.set_language(&self.grammar.language).ok()?;
                none.insert(parser)
            }
        };
        let tree = parser.parse(text, None)?;
        if tree.root_node().has_error() {
            return None;
        }
        let position = Position { row: node.start_position().row, at: node.start_byte() as u32 };
        self.quoted = Some(Quoted { position, expr: None });
        self.frames.push(Frame::new(Kind::Str, super::Field::Other, Place::Type));
        self.source = text;
        let walked = walk(&tree, self);
        self.source = source;
        self.frames.pop();
        let quoted = self.quoted.take()?;
        walked.ok()?;
        quoted.expr
    }
}
