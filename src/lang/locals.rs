//! Which bare names are locals right now. Kept beside the walk with an undo log, since asking the scope chain at every use
//! is quadratic on deep nesting. A local seen from inside a class that it does not belong to counts as no local: a member
//! that class inherits may hide it, and only resolution knows.

use crate::model::NameId;
use rustc_hash::FxHashMap;

#[derive(Default)]
pub(crate) struct Locals {
    /// Per name the class depth of each visible declaration, innermost last.
    visible: FxHashMap<NameId, Vec<u32>>,
    log: Vec<NameId>,
    /// Per open scope the length of `log` when it was opened.
    marks: Vec<usize>,
    class_depth: u32,
}

impl Locals {
    pub(crate) fn open_scope(&mut self) {
        self.marks.push(self.log.len());
    }

    pub(crate) fn close_scope(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        for name in self.log.drain(mark..) {
            if let Some(depths) = self.visible.get_mut(&name) {
                depths.pop();
            }
        }
    }

    pub(crate) fn enter_class(&mut self) {
        self.class_depth += 1;
    }

    pub(crate) fn leave_class(&mut self) {
        self.class_depth -= 1;
    }

    pub(crate) fn declare(&mut self, name: NameId) {
        self.visible.entry(name).or_default().push(self.class_depth);
        self.log.push(name);
    }

    /// `name` certainly is a local or parameter here.
    pub(crate) fn contains(&self, name: NameId) -> bool {
        self.visible.get(&name).and_then(|depths| depths.last()) == Some(&self.class_depth)
    }
}
