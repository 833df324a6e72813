//! Whatever is done to a work tree, an increment gives what a full pass gives, byte for byte: random sequences of edits over
//! small repositories with real structure between their files (`tests/mini/`, one folder a language).
//!
//! `FLOORPLAN_STEPS` is the number of steps for each repository and seed, `FLOORPLAN_SEED` a seed instead of the fixed and the
//! random one. A failure names the seed, the step and what was done.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use floorplan::index::{self, DATABASE, Options, Places, Quiet, Report, SNAPSHOT};
use floorplan::query::dump::dump;
use floorplan::repo::Repo;
use floorplan::store::Reader;

/// Steps without `FLOORPLAN_STEPS`.
const STEPS: u64 = 40;

/// Path -> bytes.
type Tree = BTreeMap<String, Vec<u8>>;

#[test]
fn increments_equal_full_passes() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let steps = number("FLOORPLAN_STEPS").unwrap_or(STEPS);
    let random = SystemTime::now().duration_since(UNIX_EPOCH).map_or(7, |since| since.as_nanos() as u64);
    let seeds = number("FLOORPLAN_SEED").map_or(vec![1, random], |seed| vec![seed]);
    for (name, tree) in minis() {
        for seed in &seeds {
            Walk::new(&name, tree.clone(), *seed).run(steps);
        }
    }
}

/// The mini repositories, and all of them in one.
fn minis() -> Vec<(String, Tree)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mini");
    let mut minis: Vec<(String, Tree)> = Vec::new();
    let mut all = Tree::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        let mut tree = Tree::new();
        read_tree(&entry, &entry, &mut tree);
        assert!(tree.len() >= 15, "{}", entry.display());
        all.extend(tree.clone());
        minis.push((entry.file_name().unwrap().to_str().unwrap().to_owned(), tree));
    }
    minis.push(("all".to_owned(), all));
    minis
}

fn read_tree(root: &Path, folder: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_tree(root, &path, tree);
        } else {
            let relative = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            tree.insert(relative, fs::read(&path).unwrap());
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// One sequence of steps.
struct Walk {
    name: String,
    seed: u64,
    random: Random,
    /// As it began.
    original: Tree,
    tree: Tree,
    /// Trees that a branch switch may come back to.
    branches: Vec<Tree>,
    folder: tempfile::TempDir,
    /// Files that were resolved by increments, and files that full passes would have resolved.
    resolved: (usize, usize),
    /// Increments that wrote everything anew.
    rewritten: usize,
}

impl Walk {
    fn new(name: &str, tree: Tree, seed: u64) -> Walk {
        let folder = tempfile::tempdir().unwrap();
        for made in ["repo", "graph", "facts", "full", "none"] {
            fs::create_dir(folder.path().join(made)).unwrap();
        }
        let walk = Walk {
            name: name.to_owned(),
            seed,
            random: Random(seed),
            original: tree.clone(),
            branches: vec![tree.clone()],
            tree: Tree::new(),
            folder,
            resolved: (0, 0),
            rewritten: 0,
        };
        Walk { tree: walk.written(tree), ..walk }
    }

    fn repo(&self) -> Repo {
        let root = fs::canonicalize(self.folder.path().join("repo")).unwrap();
        Repo { root, git_dir: None, common_dir: None }
    }

    /// Makes the work tree this one, touching only what differs.
    fn written(&self, wanted: Tree) -> Tree {
        let root = self.folder.path().join("repo");
        for path in self.tree.keys().filter(|path| !wanted.contains_key(*path)) {
            fs::remove_file(root.join(path)).unwrap();
            // Folders that are empty now, as git leaves none.
            let mut folder = Path::new(path).parent();
            while let Some(inner) = folder.filter(|folder| !folder.as_os_str().is_empty()) {
                if fs::remove_dir(root.join(inner)).is_err() {
                    break;
                }
                folder = inner.parent();
            }
        }
        for (path, bytes) in &wanted {
            if self.tree.get(path) != Some(bytes) {
                let on_disk = root.join(path);
                fs::create_dir_all(on_disk.parent().unwrap()).unwrap();
                fs::write(on_disk, bytes).unwrap();
            }
        }
        wanted
    }

    fn run(mut self, steps: u64) {
        self.compare("at first", 0);
        for step in 1..=steps {
            let mut tree = self.tree.clone();
            let done = self.change(&mut tree);
            self.tree = self.written(tree);
            self.compare(&done, step);
        }
        let (again, all) = self.resolved;
        assert!(again * 2 < all, "{}: {again} of {all} files were resolved again", self.name);
        assert!((self.rewritten as u64) * 2 < steps, "{}: {} of {steps} wrote everything", self.name, self.rewritten);
    }

    fn compare(&mut self, done: &str, step: u64) {
        let repo = self.repo();
        let (report, increment) = self.indexed(&repo, "graph", "facts", false);
        let (_, full) = self.indexed(&repo, "full", "none", true);
        let place = format!("{} with FLOORPLAN_SEED={}, step {step}: {done}", self.name, self.seed);
        if done.starts_with("switched") {
            assert_eq!(report.parsed, 0, "{place}: seen before");
        }
        if done.ends_with(" touched") || done == "a branch made" {
            assert_eq!(report.again, 0, "{place}: nothing has changed");
        }
        if step > 0 {
            self.resolved =
                (self.resolved.0 + report.again, self.resolved.1 + report.counts.files + report.counts.words);
            self.rewritten += usize::from(report.rewritten);
        }
        if increment.lines != full.lines {
            let missing: Vec<_> = full.lines.iter().filter(|line| !increment.lines.contains(line)).take(10).collect();
            let extra: Vec<_> = increment.lines.iter().filter(|line| !full.lines.contains(line)).take(10).collect();
            panic!("{place}\nmissing: {missing:#?}\nextra: {extra:#?}");
        }
        assert!(increment.snapshot == full.snapshot, "{place}: the snapshots differ");
    }

    fn indexed(&self, repo: &Repo, graph: &str, facts: &str, full: bool) -> (Report, Output) {
        let places = Places { graph: self.folder.path().join(graph), facts: self.folder.path().join(facts) };
        let options = Options { jobs: 1, full, quick: true, ..Options::default() };
        let report = index::index(repo, &places, &options, &Quiet).unwrap();
        let reader = Reader::open(&places.graph.join(DATABASE), repo.root.to_str().unwrap(), "").unwrap();
        let mut lines = Vec::new();
        dump(&reader, &mut |line| {
            lines.push(serde_json::to_string(line)?);
            Ok(())
        })
        .unwrap();
        lines.extend(rows(&places.graph.join(DATABASE)));
        (report, Output { lines, snapshot: fs::read(places.graph.join(SNAPSHOT)).unwrap() })
    }

    /// Changes the tree in some way, and says how.
    fn change(&mut self, tree: &mut Tree) -> String {
        let files: Vec<String> = tree.keys().cloned().collect();
        let file = self.random.of(&files).clone();
        match self.random.below(16) {
            0 => {
                let known: Vec<&String> = self.original.keys().collect();
                let path = (*self.random.of(&known)).clone();
                tree.insert(path.clone(), self.original[&path].clone());
                format!("{path} as at first")
            }
            1 if tree.len() > 8 => {
                tree.remove(&file);
                format!("{file} deleted")
            }
            2 => {
                let to = self.place(&files, &file);
                if let Some(bytes) = tree.remove(&file) {
                    tree.insert(to.clone(), bytes);
                }
                format!("{file} moved to {to}")
            }
            3 => {
                let to = self.place(&files, &file);
                tree.insert(to.clone(), tree[&file].clone());
                format!("{file} copied to {to}")
            }
            4 => {
                if self.branches.len() < 4 {
                    self.branches.push(tree.clone());
                    return "a branch made".to_owned();
                }
                let branch = self.random.below(self.branches.len());
                std::mem::swap(tree, &mut self.branches[branch]);
                format!("switched to branch {branch}")
            }
            5 => {
                let bytes = tree.get_mut(&file).unwrap();
                let at = self.random.below(bytes.len());
                match self.random.below(3) {
                    0 => bytes.truncate(at),
                    1 => _ = bytes.splice(at..at, *b"{(["),
                    _ => _ = bytes.splice(at..at, *b"\xff\"\"\"'"),
                }
                format!("{file} broken at {at}")
            }
            6 => {
                // Nothing at all, or a rewrite with the same bytes.
                let bytes = tree[&file].clone();
                fs::write(self.folder.path().join("repo").join(&file), bytes).unwrap();
                format!("{file} touched")
            }
            7 => {
                let bytes = tree.get_mut(&file).unwrap();
                bytes.splice(0..0, *b"\n\n");
                format!("{file} moved down by two lines")
            }
            8..=10 => self.line(tree, &file, &files),
            11 => self.block(tree, &file, &files),
            _ => self.word(tree, &file, &files),
        }
    }

    /// A path in the folder of some file: with a name of its own, of another file, or with the name of a folder's own file.
    fn place(&mut self, files: &[String], file: &str) -> String {
        let parts = |path: &str| {
            path.rsplit_once('/').map_or((String::new(), path.to_owned()), |(f, n)| (f.to_owned(), n.to_owned()))
        };
        let (folder, _) = parts(self.random.of(files).as_str());
        let other = self.random.of(files);
        let (_, name) = parts(if self.random.below(2) == 0 { file } else { other });
        let ending = |name: &str| name.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_owned());
        let name = match self.random.below(4) {
            0 => format!("new{}.{}", self.random.below(3), ending(file)),
            _ if ending(&name) == ending(file) => name,
            _ => parts(file).1,
        };
        if folder.is_empty() { name } else { format!("{folder}/{name}") }
    }

    /// A line deleted, doubled, or brought from some file.
    fn line(&mut self, tree: &mut Tree, file: &str, files: &[String]) -> String {
        let from = self.random.of(files).clone();
        let source = lines(&tree[&from]);
        let line = self.random.of(&source).clone();
        let mut text = lines(&tree[file]);
        let at = self.random.below(text.len());
        let done = match self.random.below(4) {
            0 => format!("line {at} of {file} deleted: {}", text.remove(at)),
            1 => {
                let to = self.random.below(text.len());
                text.swap(at, to);
                format!("lines {at} and {to} of {file} swapped")
            }
            _ => {
                text.insert(at, line.clone());
                format!("before line {at} of {file}, from {from}: {line}")
            }
        };
        tree.insert(file.to_owned(), text.join("\n").into_bytes());
        done
    }

    /// A whole block (a function, a class) brought from some file, or taken away.
    fn block(&mut self, tree: &mut Tree, file: &str, files: &[String]) -> String {
        let from = self.random.of(files).clone();
        let block = |text: &[String], at: usize| {
            let depth = |line: &str| line.len() - line.trim_start().len();
            let inside = |line: &&String| line.trim().is_empty() || depth(line) > depth(&text[at]);
            at + 1 + text[at + 1..].iter().take_while(inside).count()
        };
        let source = lines(&tree[&from]);
        let start = self.random.below(source.len());
        let mut text = lines(&tree[file]);
        let at = self.random.below(text.len());
        let done = if self.random.below(3) == 0 {
            let end = block(&text, at);
            text.drain(at..end);
            format!("lines {at} to {end} of {file} deleted")
        } else {
            let end = block(&source, start);
            text.splice(at..at, source[start..end].iter().cloned());
            format!("before line {at} of {file}: lines {start} to {end} of {from}")
        };
        tree.insert(file.to_owned(), text.join("\n").into_bytes());
        done
    }

    /// A word replaced by one of some file: a base, a type, a call, a name, an import. Once or everywhere in the file.
    fn word(&mut self, tree: &mut Tree, file: &str, files: &[String]) -> String {
        let from = self.random.of(files).clone();
        let others = words(&tree[&from]);
        let own = words(&tree[file]);
        let (Some(_), Some(_)) = (own.first(), others.first()) else { return "nothing".to_owned() };
        let (start, end) = *self.random.of(&own);
        let (from_start, from_end) = *self.random.of(&others);
        let new = tree[&from][from_start..from_end].to_vec();
        let bytes = tree.get_mut(file).unwrap();
        let old = bytes[start..end].to_vec();
        let everywhere = self.random.below(3) == 0;
        for (at, to) in own.into_iter().rev() {
            if if everywhere { bytes[at..to] == old } else { at == start } {
                bytes.splice(at..to, new.iter().copied());
            }
        }
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        format!("{} of {file} is now {}{}", shown(&old), shown(&new), if everywhere { ", everywhere" } else { "" })
    }
}

/// What the dump does not say: the other tables, told by names instead of ids, and what a search finds.
fn rows(db: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(db).unwrap();
    connection
        .execute_batch("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, 'symbol_words', 'instance');")
        .unwrap();
    let symbol =
        "(SELECT path || ':' || line || ':' || qualname || ':' || kind FROM symbol s JOIN file ON file.id = s.file";
    let queries = [
        "SELECT key, value FROM meta WHERE key IN ('files', 'symbols', 'edges', 'unresolved', 'hub_uses', 'root')".to_owned(),
        format!("SELECT path, line, text, kind, {symbol} WHERE s.id = caller), external, nth FROM unresolved u
            JOIN file f ON f.id = u.file JOIN name n ON n.id = u.name"),
        format!("SELECT {symbol} WHERE s.id = method), {symbol} WHERE s.id = base) FROM override"),
        "SELECT a.path, b.path FROM import JOIN file a ON a.id = importer JOIN file b ON b.id = imported".to_owned(),
        format!("SELECT {symbol} WHERE s.id = o.id), {symbol} WHERE s.id = o.container), exported, params, signature, flags,
            end_line, text FROM symbol o JOIN name n ON n.id = o.name"),
        "SELECT path, size, mtime_ns, content_hash, lines, unparsed, dynamic FROM file".to_owned(),
        format!("SELECT term, col, {symbol} WHERE s.id = doc) FROM temp.words"),
        format!("SELECT {symbol} WHERE s.id = callee), f.path, e.line, e.kind, resolution, {symbol} WHERE s.id = caller), nth
            FROM edge e JOIN file f ON f.id = caller_file"),
    ];
    let mut all = Vec::new();
    for query in &queries {
        let mut statement = connection.prepare(query).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        let mut lines = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            let cells: Vec<String> = (0..columns).map(|at| format!("{:?}", row.get_ref(at).unwrap())).collect();
            lines.push(cells.join(" "));
        }
        lines.sort();
        all.extend(lines);
    }
    let path = |id: u64| -> String {
        connection.query_row("SELECT path FROM file WHERE id = ?1", [id as i64], |row| row.get(0)).unwrap()
    };
    let mut lines = Vec::new();
    let mut terms = connection.prepare("SELECT hash, postings FROM term").unwrap();
    let mut rows = terms.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let (hash, blob): (i64, Vec<u8>) = (row.get(0).unwrap(), row.get(1).unwrap());
        let (rest, mut id) = (&mut &blob[..], 0);
        for _ in 0..pull(rest) {
            id += pull(rest);
            let mask = pull(rest);
            let counts =
                (0..6).filter(|field| mask >> field & 1 == 1).map(|_| if mask & 64 != 0 { 1 } else { byte(rest) });
            lines.push(format!("{hash} {mask} {:?} {}", counts.collect::<Vec<_>>(), path(id)));
        }
        assert!(rest.is_empty());
    }
    let mut lengths = connection.prepare("SELECT part, lengths FROM field_lengths").unwrap();
    let mut rows = lengths.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let (part, blob): (u32, Vec<u8>) = (row.get(0).unwrap(), row.get(1).unwrap());
        let rest = &mut &blob[..];
        while !rest.is_empty() {
            let id = 256 * u64::from(part) + byte(rest);
            let lengths: Vec<u64> = (0..6).map(|_| pull(rest)).collect();
            lines.push(format!("{} {lengths:?}", path(id)));
        }
    }
    lines.sort();
    all.extend(lines);
    all
}

fn byte(rest: &mut &[u8]) -> u64 {
    let (first, others) = rest.split_first().unwrap();
    *rest = others;
    u64::from(*first)
}

/// LEB128.
fn pull(rest: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = byte(rest);
        number |= (byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return number;
        }
    }
}

struct Output {
    lines: Vec<String>,
    snapshot: Vec<u8>,
}

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).split('\n').map(str::to_owned).collect()
}

/// Where identifiers stand.
fn words(bytes: &[u8]) -> Vec<(usize, usize)> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut words = Vec::new();
    let mut start = None;
    for (at, byte) in bytes.iter().copied().chain([b' ']).enumerate() {
        match (start, is_part(byte)) {
            (None, true) => start = Some(at),
            (Some(begin), false) => {
                words.push((begin, at));
                start = None;
            }
            _ => {}
        }
    }
    words
}
