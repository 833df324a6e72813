-- Made after the rows: sorting once is several times cheaper than keeping a tree sorted while it grows.

CREATE UNIQUE INDEX name_by_text ON name (text);
CREATE UNIQUE INDEX file_by_path ON file (path);
CREATE INDEX symbol_by_file ON symbol (file, line);
CREATE INDEX symbol_by_name ON symbol (name, file);
CREATE INDEX edge_by_caller ON edge (caller_file, caller, line, callee, kind, resolution, nth);
-- Only what may be ours: names known to be a library's are most of the rows and are never asked for by name.
CREATE INDEX unresolved_by_name ON unresolved (name, file, line, kind, caller) WHERE external = 0;
CREATE INDEX override_by_base ON override (base, method);
CREATE INDEX import_by_imported ON import (imported, importer);
