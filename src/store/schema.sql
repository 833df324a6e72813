-- The graph as SQLite keeps it. Rows are keyed by file, so that one file can be replaced without touching another.
--
-- Ids are integers from 1 and never leave the store; 0 as a caller means module-level code. Tables without a rowid are
-- their own covering index, so each relation is held twice at most: once for either direction it is asked in.
-- `nth` tells equal sites apart (`f(f(x))` holds two calls of f on one line).

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;

-- Names of symbols and of unresolved references, once each.
CREATE TABLE name (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL
) STRICT;

CREATE TABLE file (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    language TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    -- XXH3-64, as the signed integer of the same bits.
    content_hash INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    test INTEGER NOT NULL,
    -- Inclusive line ranges that did not parse: `3-9,20-20`.
    unparsed TEXT NOT NULL,
    -- Lines with dynamic exits, by kind: `g12,r40`.
    dynamic TEXT NOT NULL
) STRICT;

CREATE TABLE symbol (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,
    name INTEGER NOT NULL,
    qualname TEXT NOT NULL,
    kind INTEGER NOT NULL,
    -- Symbol it is a member of or nested in; 0 at module level.
    container INTEGER NOT NULL,
    line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    exported INTEGER NOT NULL,
    params INTEGER NOT NULL,
    -- Types of the parameters, where they tell overloads apart.
    signature TEXT NOT NULL,
    flags INTEGER NOT NULL
) STRICT;

-- One row a site. `resolution`: 0 same_scope, 1 imported, 2 typed_receiver, 3 inherited (these four are resolved),
-- 4 override, 5 unique_name, 6 + n ambiguous among n.
CREATE TABLE edge (
    callee INTEGER NOT NULL,
    caller_file INTEGER NOT NULL,
    line INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    resolution INTEGER NOT NULL,
    caller INTEGER NOT NULL,
    nth INTEGER NOT NULL,
    PRIMARY KEY (callee, caller_file, line, kind, resolution, caller, nth)
) STRICT, WITHOUT ROWID;

CREATE TABLE unresolved (
    file INTEGER NOT NULL,
    line INTEGER NOT NULL,
    name INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    caller INTEGER NOT NULL,
    -- 1: the target is known to be a library's.
    external INTEGER NOT NULL,
    nth INTEGER NOT NULL,
    PRIMARY KEY (file, line, name, kind, caller, external, nth)
) STRICT, WITHOUT ROWID;

-- A method and what it overrides or implements directly.
CREATE TABLE override (
    method INTEGER NOT NULL,
    base INTEGER NOT NULL,
    PRIMARY KEY (method, base)
) STRICT, WITHOUT ROWID;

CREATE TABLE import (
    importer INTEGER NOT NULL,
    imported INTEGER NOT NULL,
    PRIMARY KEY (importer, imported)
) STRICT, WITHOUT ROWID;

-- Exports that no code uses. `offered`: an import or a list of exports names it all the same.
CREATE TABLE unreferenced (
    file INTEGER NOT NULL,
    symbol INTEGER NOT NULL,
    offered INTEGER NOT NULL,
    PRIMARY KEY (file, symbol)
) STRICT, WITHOUT ROWID;

-- Neighborhoods. `cohesion` and `membership` are per mille, NULL where nothing is used.
CREATE TABLE community (
    id INTEGER PRIMARY KEY,
    label TEXT NOT NULL,
    cohesion INTEGER
) STRICT;

CREATE TABLE member (
    file INTEGER PRIMARY KEY,
    community INTEGER NOT NULL,
    membership INTEGER
) STRICT;

-- Members that files outside use most, best first.
CREATE TABLE entry_point (
    community INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    file INTEGER NOT NULL,
    PRIMARY KEY (community, rank)
) STRICT, WITHOUT ROWID;

-- Files by what they can be found by: hashes of stems, never text. A blob (`postings`) lists the files of a term.
CREATE TABLE term (
    hash INTEGER PRIMARY KEY,
    postings BLOB NOT NULL
) STRICT;

-- How long the fields of those files are, 256 files a row: part n holds the ids from 256 n.
CREATE TABLE field_lengths (
    part INTEGER PRIMARY KEY,
    lengths BLOB NOT NULL
) STRICT;

-- Search by name: the parts of a symbol's own name (`parseURLPath` -> `parse url path parseurlpath`) and of its
-- containers. The rowid is the symbol's id; the text itself is not kept a second time.
CREATE VIRTUAL TABLE symbol_words USING fts5 (
    name,
    context,
    content = '',
    contentless_delete = 1,
    detail = 'column',
    tokenize = 'unicode61'
);
