//! The walk every front end shares: one pass of a `TreeCursor`, never recursion (a recursive walker overflows the stack at
//! a depth that a 50 KB file can reach, and an overflow ends the process) and never queries (quadratic on long chains).
//!
//! A front end sees each named node twice. `enter` opens scopes and definitions; `leave` gets what its named children
//! yielded and may yield an expression itself, so expressions are built bottom-up without a stack of their own.

use crate::model::ExprId;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Deepest nesting that is walked; beyond it a file falls back to regular expressions. Real code stays under 300.
pub(crate) const MAX_DEPTH: usize = 100_000;

/// What a named child yielded, as its parent sees it on `leave`.
#[derive(Clone, Debug)]
pub(crate) struct Child {
    /// Grammar's node kind id.
    pub(crate) kind: u16,
    /// Field id in the parent, 0 for none.
    pub(crate) field: u16,
    pub(crate) expr: Option<ExprId>,
    pub(crate) bytes: Range<usize>,
    /// Row of the first byte, from 0.
    pub(crate) row: usize,
}

/// What to do with the node just entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Descend,
    /// Skip the children; `leave` is still called, with none.
    Skip,
}

/// A language's front end.
pub(crate) trait Visitor {
    /// `field` is the node's field id in its parent, 0 for none.
    fn enter(&mut self, node: Node<'_>, field: u16) -> Step;
    /// `children` are the named children, in order.
    fn leave(&mut self, node: Node<'_>, field: u16, children: &[Child]) -> Option<ExprId>;
}

/// The walk was given up: the tree is deeper than [`MAX_DEPTH`].
#[derive(Debug)]
pub(crate) struct TooDeep;

/// Walks the named nodes of a tree in order. ERROR nodes are walked like others: what did parse inside them is good.
pub(crate) fn walk(tree: &Tree, visitor: &mut impl Visitor) -> Result<(), TooDeep> {
    let mut cursor = tree.walk();
    let mut children: Vec<Child> = Vec::new();
    // Per open named node: where its children begin in `children`. Anonymous nodes have no children of interest.
    let mut open: Vec<(usize, u16)> = Vec::new();
    'down: loop {
        let node = cursor.node();
        let mut entered = false;
        if node.is_named() {
            if open.len() >= MAX_DEPTH {
                return Err(TooDeep);
            }
            let field = cursor.field_id().map_or(0, |id| id.get());
            let step = visitor.enter(node, field);
            open.push((children.len(), field));
            entered = true;
            if step == Step::Descend && cursor.goto_first_child() {
                continue 'down;
            }
        }
        loop {
            if entered {
                let node = cursor.node();
                if let Some((start, field)) = open.pop() {
                    let expr = visitor.leave(node, field, &children[start..]);
                    children.truncate(start);
                    children.push(Child {
                        kind: node.kind_id(),
                        field,
                        expr,
                        bytes: node.byte_range(),
                        row: node.start_position().row,
                    });
                }
            }
            if cursor.goto_next_sibling() {
                continue 'down;
            }
            if !cursor.goto_parent() {
                return Ok(());
            }
            entered = true;
        }
    }
}
