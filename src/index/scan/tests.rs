//! Scans of small trees, rendered one line a candidate.
#![allow(clippy::disallowed_methods, reason = "repositories are made by git itself")]

use super::*;
use std::fs;
use std::process::Command;

struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    fn new(files: &[&str]) -> Self {
        let tree = Tree { folder: tempfile::tempdir().unwrap() };
        for file in files {
            tree.write(file, "x = 1\n");
        }
        tree
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn git(&self, args: &[&str]) {
        let mut git = Command::new("git");
        git.current_dir(self.root())
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null");
        let output = git.output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// `git init`, and everything not ignored added.
    fn tracked(files: &[&str]) -> Self {
        let tree = Tree::new(files);
        tree.git(&["init", "-q"]);
        tree.git(&["add", "."]);
        tree
    }

    fn scan(&self) -> Scan {
        let git_dir = Some(self.root().join(".git")).filter(|path| path.exists());
        scan(self.root(), git_dir.as_deref()).unwrap()
    }

    fn listed(&self) -> String {
        let lines = self.scan().candidates.into_iter().map(|candidate| match candidate.outcome {
            Outcome::Read => candidate.path,
            Outcome::Words => format!("{} words", candidate.path),
            Outcome::Skip(reason) => format!("{}: {reason}", candidate.path),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn read(&self, path: &str) -> Result<Source, String> {
        read(&self.scan().candidates.into_iter().find(|candidate| candidate.path == path).unwrap())
    }
}

#[test]
fn outside_git_hidden_and_ignored_files_are_left_out() {
    let tree =
        Tree::new(&["b/x.py", "a.py", "A.java", "n.md", "pic.png", ".hid/x.py", ".x.py", "log/y.py", "b/keep/z.py"]);
    tree.write(".gitignore", "log/\nkeep\n");
    tree.write("b/.gitignore", "!keep\n");
    assert_eq!(tree.listed(), "A.java\na.py\nb/keep/z.py\nb/x.py\nn.md words");
    assert_eq!(tree.scan().origin, Origin::Folder);
}

#[test]
fn in_git_tracked_files_are_listed_even_if_ignored() {
    let tree = Tree::tracked(&["a.py", "gen/forced.py", "gen/other.py", ".ci/x.py", "gone.py", ".gitignore"]);
    tree.write(".gitignore", "gen\n*.tmp.py\n");
    tree.write(".git/info/exclude", "/mine.py\nsome/notes.py\n");
    tree.git(&["rm", "-q", "--cached", "gen/other.py"]);
    for untracked in ["new.py", "new/deep.py", "b.tmp.py", "mine.py", "some/notes.py", "some/mine.py"] {
        tree.write(untracked, "");
    }
    fs::remove_file(tree.root().join("gone.py")).unwrap();
    assert_eq!(tree.listed(), ".ci/x.py\na.py\ngen/forced.py\nnew.py\nnew/deep.py\nsome/mine.py");
    assert_eq!(tree.scan().origin, Origin::Git);
}

#[test]
fn a_repository_without_commits_has_untracked_files() {
    let tree = Tree::new(&["a.py"]);
    tree.git(&["init", "-q"]);
    assert_eq!(tree.listed(), "a.py");
    assert_eq!(tree.scan().origin, Origin::Git);
}

#[test]
fn an_index_that_cannot_be_read_means_a_walk_that_says_so() {
    let tree = Tree::tracked(&["a.py"]);
    for broken in [&b"x"[..], b"DIRC\0\0\0\x02\0\0\0\x09", b""] {
        tree.write(".git/index", broken);
        assert_eq!(tree.listed(), "a.py");
    }
    tree.write(".git/index", "x");
    assert!(matches!(tree.scan().origin, Origin::Walk(_)));
    fs::remove_file(tree.root().join(".git/index")).unwrap();
    fs::create_dir(tree.root().join(".git/index")).unwrap();
    assert!(matches!(tree.scan().origin, Origin::Walk(_)));
}

#[test]
fn configuration_of_the_repository_is_not_read() {
    let tree = Tree::tracked(&["a.py"]);
    rustix::fs::mkfifoat(rustix::fs::CWD, tree.root().join(".git/pipe"), rustix::fs::Mode::RUSR).unwrap();
    tree.write(".git/config", "[include]\npath = pipe\n[core]\nrepositoryformatversion = 9\n[extensions]\nx = 1\n");
    assert_eq!((tree.listed(), tree.scan().origin), ("a.py".to_owned(), Origin::Git));
}

#[test]
fn repositories_inside_are_left_to_themselves() {
    let tree = Tree::tracked(&["a.py"]);
    for inner in ["inner/.git/HEAD", "inner/x.py", "sub/.git", "sub/y.py", ".claude/worktrees/w/z.py"] {
        tree.write(inner, "gitdir: elsewhere\n");
    }
    assert_eq!(tree.listed(), "a.py");
    assert_eq!(tree.scan().repositories, ["inner", "sub"]);
}

#[test]
fn vendored_and_generated_code_is_named_with_its_reason() {
    let files = [
        "vendor/lib.py",
        "vendor/notes.md",
        "shop/vendor/__init__.py",
        "node_modules/m/i.py",
        "a_pb2.py",
        "g/x.py",
        "g/y.py",
    ];
    let tree = Tree::tracked(&files);
    tree.write(".gitattributes", "g/* linguist-generated\ng/y.py -linguist-generated\n");
    assert_eq!(
        tree.listed(),
        "a_pb2.py: generated (by its name)\n\
         g/x.py: generated (by .gitattributes)\n\
         g/y.py\n\
         node_modules/m/i.py: vendored (node_modules)\n\
         shop/vendor/__init__.py\n\
         vendor/lib.py: vendored (vendor)"
    );
}

#[test]
fn build_output_is_left_out_unless_tracked() {
    let tree = Tree::tracked(&["pom.xml", "build/tracked.py", "pkg/build/new.py"]);
    for untracked in ["target/X.java", "pkg/build/__init__.py", "env/pyvenv.cfg", "env/lib/x.py", "__pycache__/x.py"] {
        tree.write(untracked, "");
    }
    assert_eq!(tree.listed(), "build/tracked.py\npkg/build/__init__.py\npkg/build/new.py\npom.xml words");
}

#[test]
fn secrets_and_locks_are_not_listed() {
    assert_eq!(
        Tree::tracked(&[".env.json", "credentials.yaml", "package-lock.json", "a.json"]).listed(),
        "a.json words"
    );
    let about = ["cmd/secret/list/list.go", "cmd/secret/list/prod.json", "cmd/secrets/db.yaml", ".env/a.py"];
    assert_eq!(Tree::tracked(&about).listed(), "cmd/secret/list/list.go");
}

#[test]
fn links_pipes_and_sockets_are_never_opened() {
    let tree = Tree::tracked(&["app/real.py", "app/was_file.py", "lib/inner.py"]);
    let outside = Tree::new(&["secret.py"]);
    let app = tree.root().join("app");
    let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, app.join(name)).unwrap();
    link(&outside.root().join("secret.py"), "link.py");
    link(outside.root(), "linkdir");
    link(&app, "loop");
    link(Path::new("nowhere"), "broken.py");
    fs::remove_file(app.join("was_file.py")).unwrap();
    link(Path::new("/dev/zero"), "was_file.py");
    // A tracked folder that has become a link.
    fs::remove_dir_all(tree.root().join("lib")).unwrap();
    std::os::unix::fs::symlink(outside.root(), tree.root().join("lib")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, app.join("pipe.py"), rustix::fs::Mode::RUSR).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(app.join("sock.py")).unwrap();
    assert_eq!(
        tree.listed(),
        "app/broken.py: link\n\
         app/link.py: link\n\
         app/pipe.py: not a regular file\n\
         app/real.py\n\
         app/sock.py: not a regular file\n\
         app/was_file.py: link"
    );
    // Also if they came after the scan.
    for (name, reason) in [("link.py", "link"), ("pipe.py", "not a regular file"), ("sock.py", "not a regular file")] {
        let candidate =
            Candidate { path: name.to_owned(), on_disk: app.join(name), outcome: Outcome::Read, stat: None };
        assert_eq!(read(&candidate).unwrap_err(), reason);
    }
    let candidate = Candidate { path: "loop".to_owned(), on_disk: app, outcome: Outcome::Read, stat: None };
    assert_eq!(read(&candidate).unwrap_err(), "not a regular file");
}

#[test]
fn ignore_files_that_are_no_files_are_passed_over() {
    let tree = Tree::new(&["a.py", "b/c.py"]);
    std::os::unix::fs::symlink("/dev/zero", tree.root().join(".gitignore")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, tree.root().join("b/.gitignore"), rustix::fs::Mode::RUSR).unwrap();
    assert_eq!(tree.listed(), "a.py\nb/c.py");
}

#[test]
fn names_that_are_not_utf8_are_shown_and_still_read() {
    let tree = Tree::new(&["a.py"]);
    fs::write(tree.root().join(OsStr::from_bytes(b"caf\xe9.py")), "y = 2\n").unwrap();
    assert_eq!(tree.listed(), "a.py\ncaf\u{fffd}.py");
    assert_eq!(tree.read("caf\u{fffd}.py").unwrap().bytes, b"y = 2\n");
}

#[test]
fn content_decides_what_is_read() {
    let tree = Tree::new(&[]);
    tree.write("nul.py", b"x = 1\n\0");
    tree.write("wide.py", b"\xff\xfex\0");
    tree.write("mini.py", format!("x = '{}'\n", "y".repeat(6_000)));
    tree.write("data.json", format!("['{}']\n", "y".repeat(6_000)));
    tree.write("gen.py", "# @generated by x\n");
    tree.write("big.md", "word ".repeat(120_000));
    tree.write("long.py", "x = 1\n".repeat(200_000));
    let huge = fs::File::create(tree.root().join("huge.py")).unwrap();
    huge.set_len(10 << 30).unwrap();
    for (path, expected) in [
        ("nul.py", "binary"),
        ("mini.py", "minified"),
        ("gen.py", "generated (says its first comment)"),
        ("big.md", "too big (600000 bytes)"),
        ("huge.py", "too big (10737418240 bytes)"),
    ] {
        assert_eq!(tree.read(path).unwrap_err(), expected, "{path}");
    }
    for path in ["wide.py", "data.json"] {
        tree.read(path).unwrap();
    }
    let long = tree.read("long.py").unwrap();
    assert_eq!((long.size, long.content_hash), (1_200_000, xxhash_rust::xxh3::xxh3_64(&long.bytes)));
    assert!(long.mtime_ns > 1_600_000_000_000_000_000);
}

#[test]
fn a_root_that_cannot_be_listed_is_an_error() {
    let tree = Tree::new(&["a.py"]);
    assert!(scan(&tree.root().join("none"), None).is_err());
}
