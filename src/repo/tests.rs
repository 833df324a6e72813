//! HEAD, location and cache folder against repositories made file by file, so that the oddest state is three lines.

use super::*;
use std::fmt::Write as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use tempfile::TempDir;

/// Name, files, what HEAD must read.
type Row<'a> = (&'a str, Vec<(&'a str, &'a str)>, Head);

const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

/// A folder with these files (parents are made); a text that starts with `->` makes a link.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match text.strip_prefix("->") {
            Some(target) => symlink(target, &path).unwrap(),
            None => fs::write(&path, text).unwrap(),
        }
    }
    dir
}

fn head_of(files: &[(&str, &str)]) -> Head {
    let dir = tree(files);
    head(&locate(dir.path()).expect("a repository"))
}

fn commit(hash: &str) -> Head {
    Head::Commit(hash.to_string())
}

#[test]
fn head_is_read_in_every_form_git_writes() {
    let main = ("w/.git/HEAD", "ref: refs/heads/main\n");
    let packed =
        format!("# pack-refs with: peeled fully-peeled sorted \n{A} refs/heads/main\n{B} refs/tags/v1\n^{A}\n");
    let long = A.repeat(2)[..64].to_string();
    let table: Vec<Row> = vec![
        ("loose", vec![main, ("w/.git/refs/heads/main", A)], commit(A)),
        ("detached", vec![("w/.git/HEAD", A)], commit(A)),
        ("sha256", vec![("w/.git/HEAD", &long)], commit(&long)),
        ("upper case", vec![("w/.git/HEAD", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n")], commit(A)),
        ("packed", vec![main, ("w/.git/packed-refs", &packed)], commit(A)),
        ("loose wins", vec![main, ("w/.git/refs/heads/main", B), ("w/.git/packed-refs", &packed)], commit(B)),
        (
            "folder where the ref was",
            vec![main, ("w/.git/refs/heads/main/x", ""), ("w/.git/packed-refs", &packed)],
            commit(A),
        ),
        ("unborn", vec![main], Head::Unborn),
        (
            "unborn beside others",
            vec![("w/.git/HEAD", "ref: refs/heads/x\n"), ("w/.git/packed-refs", &packed)],
            Head::Unborn,
        ),
        (
            "chain",
            vec![main, ("w/.git/refs/heads/main", "ref: refs/heads/a/é\n"), ("w/.git/refs/heads/a/é", A)],
            commit(A),
        ),
        ("link of old", vec![("w/.git/HEAD", "->refs/heads/main"), ("w/.git/refs/heads/main", A)], commit(A)),
        (
            "no space, no line end",
            vec![("w/.git/HEAD", "ref:refs/heads/main"), ("w/.git/refs/heads/main", A)],
            commit(A),
        ),
    ];
    for (name, mut files, expected) in table {
        files.push(("w/a.py", ""));
        let dir = tree(&files);
        let repo = locate(&dir.path().join("w/a.py")).expect(name);
        assert_eq!(head(&repo), expected, "{name}");
    }
}

#[test]
fn head_that_cannot_be_trusted_is_unknown() {
    let huge = "x".repeat(10_000);
    let table: Vec<(&str, Vec<(&str, &str)>)> = vec![
        ("empty", vec![(".git/HEAD", "")]),
        ("garbage", vec![(".git/HEAD", "what?\n")]),
        ("too long", vec![(".git/HEAD", &huge)]),
        ("39 digits", vec![(".git/HEAD", &A[1..])]),
        ("digits and more", vec![(".git/HEAD", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.")]),
        ("out of .git", vec![(".git/HEAD", "ref: ../../secret\n")]),
        ("dots in the name", vec![(".git/HEAD", "ref: refs/heads/../../../secret\n")]),
        ("absolute", vec![(".git/HEAD", "ref: /etc/passwd\n")]),
        ("not below refs", vec![(".git/HEAD", "ref: config\n")]),
        ("nul", vec![(".git/HEAD", "ref: refs/heads/a\0b\n")]),
        (
            "reftable",
            vec![
                (".git/HEAD", "ref: refs/heads/.invalid\n"),
                (".git/refs/heads", "this repository uses the reftable format\n"),
            ],
        ),
        ("reftable by folder", vec![(".git/HEAD", "ref: refs/heads/main\n"), (".git/reftable/tables.list", "")]),
        ("loop", vec![(".git/HEAD", "ref: refs/heads/a\n"), (".git/refs/heads/a", "ref: refs/heads/a\n")]),
        ("link out", vec![(".git/HEAD", "->/etc/hostname")]),
        ("folder", vec![(".git/HEAD/x", "")]),
        ("ref is garbage", vec![(".git/HEAD", "ref: refs/heads/a\n"), (".git/refs/heads/a", "zzz")]),
    ];
    for (name, files) in table {
        assert_eq!(head_of(&files), Head::Unknown, "{name}");
    }
    let fifo = tree(&[(".git/HEAD", "ref: refs/heads/a\n"), (".git/refs/heads/b", A)]);
    rustix::fs::mkfifoat(rustix::fs::CWD, fifo.path().join(".git/refs/heads/a"), Mode::RUSR).unwrap();
    assert_eq!(head(&locate(fifo.path()).unwrap()), Head::Unknown, "fifo");
}

#[test]
fn packed_refs_are_found_wherever_they_stand() {
    for sorted in ["sorted ", ""] {
        let mut text = format!("# pack-refs with: peeled fully-peeled {sorted}\n");
        for at in 0..3000_u32 {
            writeln!(text, "{at:040x} refs/heads/{at:04}/{}", "long".repeat(at as usize % 60)).unwrap();
            if at % 3 == 0 {
                writeln!(text, "^{B}").unwrap();
            }
        }
        let dir = tree(&[(".git/HEAD", ""), (".git/packed-refs", &text)]);
        let repo = locate(dir.path()).unwrap();
        let head_at = |name: &str| {
            fs::write(dir.path().join(".git/HEAD"), format!("ref: {name}\n")).unwrap();
            head(&repo)
        };
        for at in (0..3000_u32).step_by(if sorted.is_empty() { 701 } else { 31 }).chain([0, 1, 2998, 2999]) {
            let rest = "long".repeat(at as usize % 60);
            if !rest.is_empty() {
                assert_eq!(
                    head_at(&format!("refs/heads/{at:04}/{rest}")),
                    commit(&format!("{at:040x}")),
                    "{sorted}{at}"
                );
            }
            assert_eq!(head_at(&format!("refs/heads/{at:04}/none")), Head::Unborn, "{sorted}{at}");
        }
        assert_eq!(head_at("refs/a"), Head::Unborn);
        assert_eq!(head_at("refs/z"), Head::Unborn);
    }
}

#[test]
fn damaged_packed_refs_end_the_search() {
    let nul = format!("# pack-refs with: sorted \n{}", "\0".repeat(100_000));
    assert_eq!(head_of(&[(".git/HEAD", "ref: refs/heads/a\n"), (".git/packed-refs", &nul)]), Head::Unknown);
}

#[test]
fn linked_worktree_has_its_own_head_and_shared_refs() {
    let dir = tree(&[
        ("main/.git/HEAD", "ref: refs/heads/main\n"),
        ("main/.git/refs/heads/main", A),
        ("main/.git/refs/heads/side", B),
        ("main/.git/worktrees/w/HEAD", "ref: refs/heads/side\n"),
        ("main/.git/worktrees/w/commondir", "../..\n"),
        ("w/.git", "gitdir: ../main/.git/worktrees/w\n"),
        ("w/pkg/a.py", ""),
    ]);
    let real = fs::canonicalize(dir.path()).unwrap();
    let repo = locate(&dir.path().join("w/pkg/a.py")).unwrap();
    assert_eq!(repo.root, real.join("w"));
    assert_eq!(repo.git_dir, Some(real.join("main/.git/worktrees/w")));
    assert_eq!(repo.common_dir, Some(real.join("main/.git")));
    assert_eq!(head(&repo), commit(B));
    let main = locate(&dir.path().join("main")).unwrap();
    assert_eq!(head(&main), commit(A));
    assert_ne!(cache_dir(&repo), cache_dir(&main));
}

#[test]
fn nearest_repository_wins() {
    let dir = tree(&[
        (".git/HEAD", A),
        ("sub/.git/HEAD", B),
        ("sub/x/y/a.py", ""),
        ("empty/.git/unrelated", ""),
        ("empty/a.py", ""),
        // A bare repository planted in a clone.
        ("vendor/lib/HEAD", "ref: refs/heads/main\n"),
        ("vendor/lib/config", "[core]\n\tworktree = src\n"),
        ("vendor/lib/objects/x", ""),
        ("vendor/lib/refs/x", ""),
        ("vendor/lib/src/m.py", ""),
    ]);
    let real = fs::canonicalize(dir.path()).unwrap();
    let root_of = |path: &str| locate(&dir.path().join(path)).map(|repo| repo.root);
    assert_eq!(root_of("sub/x/y/a.py"), Some(real.join("sub")));
    assert_eq!(root_of("sub/x/y/not-there.py"), Some(real.join("sub")));
    assert_eq!(root_of("empty/a.py"), Some(real.clone()), "an empty .git is passed by, as in git");
    assert_eq!(root_of("vendor/lib/src/m.py"), Some(real.clone()));
    assert_eq!(root_of("vendor/lib/HEAD"), Some(real));
    assert_eq!(root_of(".git/HEAD"), None);
    assert_eq!(root_of("sub/.git"), None);
    assert_eq!(root_of("no/such/folder/a.py"), None);
}

#[test]
fn gitfiles_that_lead_nowhere_end_the_search() {
    let nul = "\0".repeat(2 << 20);
    let table: Vec<(&str, Vec<(&str, &str)>)> = vec![
        ("empty", vec![("w/.git", "")]),
        ("garbage", vec![("w/.git", "hello\n")]),
        ("2 MB of NUL", vec![("w/.git", &nul)]),
        ("missing target", vec![("w/.git", "gitdir: ../none\n")]),
        ("itself", vec![("w/.git", "gitdir: .git\n")]),
        ("each other", vec![("w/.git", "gitdir: ../v/.git\n"), ("v/.git", "gitdir: ../w/.git\n")]),
        ("no git directory", vec![("w/.git", "gitdir: ../v\n"), ("v/x", "")]),
        ("link to itself", vec![("w/.git", "->.git")]),
        ("device", vec![("w/.git", "->/dev/zero")]),
        ("commondir is missing", vec![("w/.git/HEAD", A), ("w/.git/commondir", "../none")]),
    ];
    for (name, mut files) in table {
        files.extend([(".git/HEAD", A), ("w/a.py", "")]);
        let dir = tree(&files);
        assert_eq!(locate(&dir.path().join("w/a.py")), None, "{name}");
    }
    let dir = tree(&[(".git/HEAD", A), ("w/a.py", "")]);
    rustix::fs::mkfifoat(rustix::fs::CWD, dir.path().join("w/.git"), Mode::RUSR).unwrap();
    assert_eq!(locate(&dir.path().join("w/a.py")), None, "fifo");
}

#[test]
fn linked_git_directory_keeps_the_folder_it_stands_in() {
    let dir = tree(&[("elsewhere/HEAD", A), ("w/.git", "->../elsewhere"), ("w/a.py", "")]);
    let real = fs::canonicalize(dir.path()).unwrap();
    let repo = locate(&dir.path().join("w/a.py")).unwrap();
    assert_eq!((repo.root.clone(), repo.git_dir.clone()), (real.join("w"), Some(real.join("elsewhere"))));
    assert_eq!(head(&repo), commit(A));
}

#[test]
fn somebody_elses_repository_is_none() {
    if !rustix::process::geteuid().is_root() {
        return; // only root can give files away
    }
    let somebody = Some(12_345);
    for other in ["w", "w/.git"] {
        let dir = tree(&[("w/.git/HEAD", A), ("w/a.py", "")]);
        std::os::unix::fs::chown(dir.path().join(other), somebody, None).unwrap();
        assert_eq!(locate(&dir.path().join("w/a.py")), None, "{other}");
    }
}

#[test]
fn folder_without_git_is_its_own_root() {
    let dir = tree(&[("a/b.py", "")]);
    let repo = locate_or_folder(&dir.path().join("a"));
    assert_eq!(repo, Repo { root: fs::canonicalize(dir.path()).unwrap().join("a"), git_dir: None, common_dir: None });
    assert_eq!(head(&repo), Head::None);
}

#[test]
fn cache_folder_is_private_and_not_taken_from_others() {
    let dir = tempfile::tempdir().unwrap();
    let private = dir.path().join("private");
    cache::ensure_private(&private).unwrap();
    assert_eq!(fs::metadata(&private).unwrap().permissions().mode() & 0o777, 0o700);
    fs::set_permissions(&private, fs::Permissions::from_mode(0o755)).unwrap();
    cache::ensure_private(&private).unwrap();
    assert_eq!(fs::metadata(&private).unwrap().permissions().mode() & 0o777, 0o700);

    let open = dir.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(cache::ensure_private(&open).is_err(), "writable by others");
    symlink(&private, dir.path().join("link")).unwrap();
    assert!(cache::ensure_private(&dir.path().join("link")).is_err(), "link");
    fs::write(dir.path().join("file"), "").unwrap();
    assert!(cache::ensure_private(&dir.path().join("file")).is_err(), "file");
}

#[test]
fn cache_key_depends_on_both_paths_and_never_changes() {
    let repo = |root: &str, git_dir: Option<&str>| Repo {
        root: root.into(),
        git_dir: git_dir.map(Into::into),
        common_dir: git_dir.map(Into::into),
    };
    let keys = [
        cache::key(&repo("/a", Some("/a/.git"))),
        cache::key(&repo("/a", Some("/b/.git"))),
        cache::key(&repo("/a", None)),
        cache::key(&repo("/b", None)),
    ];
    for (at, key) in keys.iter().enumerate() {
        assert!(key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
        assert!(!keys[..at].contains(key));
    }
    assert_eq!(cache::key(&repo("/a", Some("/a/.git"))), keys[0]);
    insta::assert_snapshot!(keys[0], @"33c549fbda34de70d27638ced55129d6");
}
