//! Assembles [`FileFacts`]: interning, scopes, expressions. Front ends say what they see; order and tidiness are kept here,
//! so that two front ends cannot disagree about them.

use super::secrets;
use crate::model::*;
use rustc_hash::FxHashMap;

/// Longest run of expressions kept in one list (arguments, elements, returns); the rest adds nothing to inference.
const MAX_LIST: usize = 64;

/// Facts of one file under construction.
pub(crate) struct Builder {
    pub(crate) facts: FileFacts,
    interned: FxHashMap<Box<str>, NameId>,
    /// Innermost open scope last; never empty.
    open_scopes: Vec<ScopeId>,
    /// Innermost open definition last.
    open_definitions: Vec<DefId>,
}

impl Builder {
    pub(crate) fn new(language: Language) -> Self {
        let facts = FileFacts::empty(language);
        Builder { facts, interned: FxHashMap::default(), open_scopes: vec![MODULE_SCOPE], open_definitions: Vec::new() }
    }

    /// Interns an identifier or dotted path, cut at [`MAX_NAME`] bytes.
    pub(crate) fn name(&mut self, text: &str) -> NameId {
        let text = &text[..text.floor_char_boundary(MAX_NAME)];
        if let Some(id) = self.interned.get(text) {
            return *id;
        }
        let id = NameId(self.facts.names.len() as u32);
        // The same for the same key, so that its uses still find it.
        let key = secrets::is_key(text).then(|| format!("{HIDDEN_NAME}{:08x}", word_hash(text.as_bytes())));
        self.facts.names.push(key.map_or_else(|| text.into(), String::into_boxed_str));
        self.interned.insert(text.into(), id);
        id
    }

    pub(crate) fn expr(&mut self, expr: Expr) -> ExprId {
        self.facts.exprs.push(expr);
        ExprId(self.facts.exprs.len() as u32 - 1)
    }

    pub(crate) fn opaque(&mut self) -> ExprId {
        self.expr(Expr::Opaque)
    }

    /// Stores a run of expressions; what is past [`MAX_LIST`] is dropped.
    pub(crate) fn list(&mut self, items: &[ExprId]) -> List {
        let items = &items[..items.len().min(MAX_LIST)];
        let start = self.facts.lists.len() as u32;
        self.facts.lists.extend_from_slice(items);
        List { start, len: items.len() as u32 }
    }

    /// The innermost open scope, blocks included.
    pub(crate) fn scope(&self) -> ScopeId {
        self.open_scopes[self.open_scopes.len() - 1]
    }

    /// The innermost open scope that is neither a block nor a loop.
    pub(crate) fn owner_scope(&self) -> ScopeId {
        self.owner_of(self.scope())
    }

    /// The innermost scope from `scope` outward that is neither a block nor a loop.
    pub(crate) fn owner_of(&self, mut scope: ScopeId) -> ScopeId {
        loop {
            let Scope { parent, kind, .. } = self.facts.scopes[scope.0 as usize];
            match (kind, parent) {
                (ScopeKind::Block | ScopeKind::Loop, Some(parent)) => scope = parent,
                _ => return scope,
            }
        }
    }

    pub(crate) fn open_scope(&mut self, kind: ScopeKind, definition: Option<DefId>) -> ScopeId {
        let parent = Some(self.scope());
        self.facts.scopes.push(Scope { parent, kind, definition });
        let id = ScopeId(self.facts.scopes.len() as u32 - 1);
        self.open_scopes.push(id);
        id
    }

    /// A scope in the innermost one for the name of what is a member of a type written elsewhere: nothing else finds it there.
    pub(crate) fn apart(&mut self) -> ScopeId {
        let scope = self.open_scope(ScopeKind::Class, None);
        self.close_scope();
        scope
    }

    /// Makes an existing scope the innermost one, until [`Builder::close_scope`]: a function's header stands outside its body.
    pub(crate) fn enter_scope(&mut self, scope: ScopeId) {
        self.open_scopes.push(scope);
    }

    pub(crate) fn close_scope(&mut self) {
        if self.open_scopes.len() > 1 {
            self.open_scopes.pop();
        }
    }

    /// The innermost open definition: whose code is being read.
    pub(crate) fn enclosing(&self) -> Option<DefId> {
        self.open_definitions.last().copied()
    }

    /// Adds a definition whose body is read from now until [`Builder::close_definition`].
    pub(crate) fn open_definition(&mut self, definition: Definition) -> DefId {
        let id = self.add_definition(definition);
        self.open_definitions.push(id);
        id
    }

    /// Makes an added definition the one whose code is read, until [`Builder::close_definition`].
    pub(crate) fn enter_definition(&mut self, id: DefId) {
        self.open_definitions.push(id);
    }

    pub(crate) fn close_definition(&mut self) {
        self.open_definitions.pop();
    }

    /// Adds a definition without a body to walk.
    pub(crate) fn add_definition(&mut self, definition: Definition) -> DefId {
        self.facts.definitions.push(definition);
        DefId(self.facts.definitions.len() as u32 - 1)
    }

    pub(crate) fn definition_mut(&mut self, id: DefId) -> &mut Definition {
        &mut self.facts.definitions[id.0 as usize]
    }

    /// A definition of `name` at the current place, everything else at its default.
    pub(crate) fn new_definition(&self, name: NameId, kind: DefKind, span: Span) -> Definition {
        Definition {
            name,
            kind,
            container: self.enclosing(),
            scope: self.owner_scope(),
            block: self.scope(),
            body: None,
            members: None,
            span,
            start_line: span.line,
            flags: DefFlags::default(),
            params: Vec::new(),
            ty: None,
            returns: List::default(),
            supertypes: List::default(),
            interfaces: List::default(),
            decorators: List::default(),
            type_params: Vec::new(),
            receiver: None,
        }
    }

    /// Records a use, by the code of the innermost open definition.
    pub(crate) fn reference(&mut self, expr: ExprId, role: Role, line: u32, at: u32) {
        let enclosing = self.enclosing();
        self.facts.references.push(Reference { expr, role, enclosing, line, at });
    }

    /// Orders, deduplicates and hashes.
    pub(crate) fn finish(mut self) -> FileFacts {
        let facts = &mut self.facts;
        facts.references.sort_by_key(|r| (r.at, r.expr));
        facts.bindings.sort_by_key(|b| (b.scope, b.name, b.at, b.line));
        facts.dynamic.sort_by_key(|d| (d.line, d.kind));
        facts.dynamic.dedup();
        for words in [&mut facts.words.strings, &mut facts.words.comments] {
            words.sort_unstable();
            words.dedup();
        }
        facts.interface_hash = hash_of(&(
            &facts.package,
            &facts.names,
            &facts.definitions,
            &facts.imports,
            &facts.exports.names,
            facts.exports.open,
            &facts.search,
        ));
        facts.body_hash = hash_of(&*facts);
        shrink(facts);
        self.facts
    }
}

/// Gives back the room that was left for growth: the facts of all files are held at once, and it is a third of them.
fn shrink(facts: &mut FileFacts) {
    facts.names.shrink_to_fit();
    facts.scopes.shrink_to_fit();
    facts.definitions.shrink_to_fit();
    facts.bindings.shrink_to_fit();
    facts.imports.shrink_to_fit();
    facts.exprs.shrink_to_fit();
    facts.lists.shrink_to_fit();
    facts.references.shrink_to_fit();
    facts.words.strings.shrink_to_fit();
    facts.words.comments.shrink_to_fit();
}

/// XXH3-64 of a value's stored form.
fn hash_of(value: &impl serde::Serialize) -> u64 {
    postcard::to_allocvec(value).map_or(0, |bytes| xxhash_rust::xxh3::xxh3_64(&bytes))
}
