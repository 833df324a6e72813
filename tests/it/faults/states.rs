//! Part C: states that a repository can be in.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::ground::{Ground, NOBODY, Need, SOURCES, link, needs};
use super::security::{EVIL, nothing_ran};
use super::{Outcome, Row, elsewhere, here};
use crate::support::{FLOORPLAN, measured, read_event, session_event};

pub(super) const ROWS: &[Row] = &[
    here("C1", "no git", c1),
    here("C2", "a branch without a commit", c2),
    here("C3", "a detached HEAD", c3).and(&["src/repo/tests.rs head_is_read_in_every_form_git_writes"]),
    here("C4", "commits after the index", c4),
    here("C5", "a file that was changed", c5),
    elsewhere("C6", "an edit and its revert", &["tests/it/cases.rs an_edit_and_its_revert_leave_no_ghosts"]),
    elsewhere(
        "C7",
        "another branch and back",
        &[
            "tests/it/cases.rs a_branch_that_rewrites_everything_is_said_to_be_ahead_and_then_known",
            "tests/it/always_current.rs increments_equal_full_passes",
        ],
    ),
    here("C8", "the indexed commit is gone", c8),
    here("C9", "a shallow clone, a partial clone", c9)
        .and(&["tests/it/hook_cases.rs a_partial_clone_of_format_one_is_annotated"]),
    elsewhere(
        "C10",
        "refs in a table",
        &["tests/it/hook_cases.rs a_reftable_repository_is_annotated_and_no_commit_is_claimed"],
    ),
    here("C11", "hashes of 64 digits", c11).and(&["src/repo/tests.rs head_is_read_in_every_form_git_writes"]),
    here("C12", "extensions that nobody knows", c12)
        .and(&["tests/it/hook_cases.rs a_partial_clone_of_format_one_is_annotated"]),
    here("C13", "packed refs, chains of refs, odd names of refs", c13).and(&[
        "src/repo/tests.rs packed_refs_are_found_wherever_they_stand",
        "src/repo/tests.rs damaged_packed_refs_end_the_search",
    ]),
    here("C14", "a HEAD that is anything but one", c14)
        .and(&["src/repo/tests.rs head_that_cannot_be_trusted_is_unknown"]),
    here("C15", ".git is a file", c15).and(&["src/repo/tests.rs gitfiles_that_lead_nowhere_end_the_search"]),
    here("C16", ".git is a link", c16).and(&["src/repo/tests.rs linked_git_directory_keeps_the_folder_it_stands_in"]),
    here("C17", ".git or what it includes is a pipe", c17),
    here("C18", "two work trees on two branches", c18)
        .and(&["tests/it/updates.rs a_work_tree_is_indexed_at_its_first_read_and_nothing_is_parsed"]),
    here("C19", "a repository inside another", c19).and(&["src/repo/tests.rs nearest_repository_wins"]),
    here("C20", "a bare repository", c20),
    elsewhere(
        "C21",
        "a bare repository that came with a clone",
        &["tests/it/hook_cases.rs nothing_from_an_embedded_bare_repository_is_run"],
    ),
    here("C22", "in the middle of a merge, a rebase, a cherry-pick, a bisection", c22),
    here("C23", "an index of git with very many entries", c23),
    here("C24", "an index of git that is locked, damaged, split or sparse", c24),
    here("C25", "a repository of another user", c25).and(&["src/repo/tests.rs somebody_elses_repository_is_none"]),
    here("C26", "a .git that somebody planted above", c26)
        .and(&["src/repo/tests.rs somebody_elses_repository_is_none"]),
    here("C27", "variables of git", c27),
    here("C28", "a repository that was moved or copied", c28),
    elsewhere(
        "C29",
        "a folder of a repository opened as the project",
        &["tests/it/hook_cases.rs every_spelling_of_a_path_gets_the_same_annotation"],
    ),
    here("C30", "filters, hooks and commands in its configuration", c30),
];

fn c1() -> Outcome {
    let ground = Ground::without_git();
    ground.silent(&ground.core());
    ground.silent(&session_event("SessionStart", &ground.repo()));
    assert!(!ground.sandbox.cache().join("floorplan").exists(), "nothing begins by itself outside git");
    ground.index();
    let said = ground.tells(&ground.core());
    assert!(said.contains("freshness unknown"), "{said}");
    // What lies beside it is not its.
    fs::write(ground.sandbox.path().join("beside.py"), "def load():\n    return 1\n").unwrap();
    ground.silent(&read_event(&ground.repo(), ground.sandbox.path().join("beside.py")));
    Ok(())
}

fn c2() -> Outcome {
    let ground = Ground::without_git();
    ground.sandbox.git(&["init", "-q", "."]);
    ground.index();
    let said = ground.tells(&ground.core());
    assert!(said.contains("freshness unknown"), "{said}");
    ground.commit();
    let said = ground.tells(&ground.core());
    assert!(said.contains("behind HEAD"), "{said}");
    Ok(())
}

fn c3() -> Outcome {
    let ground = Ground::new();
    ground.sandbox.git(&["checkout", "-q", "--detach"]);
    let said = ground.tells(&ground.core());
    assert!(said.ends_with("current."), "{said}");
    Ok(())
}

/// Waits until the answer holds no warning.
fn until_current(ground: &Ground) -> String {
    let started = Instant::now();
    loop {
        let said = ground.tells(&ground.core());
        if said.ends_with("current.") {
            return said;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{said}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn c4() -> Outcome {
    for files in [1, 49, 50, 300] {
        let ground = Ground::new();
        for n in 0..files {
            ground
                .sandbox
                .write(&format!("more/f{n}.py"), "from app.core import load\n\n\ndef more():\n    return load(1)\n");
        }
        ground.commit();
        let first = ground.tells(&ground.core());
        assert!(first.contains("behind HEAD") || first.contains(&format!("{} files", files + 3)), "{first}");
        // The first question has had a run started.
        let said = until_current(&ground);
        assert!(said.contains(&format!("load() has {} callers", files + 3)), "{files}: {said}");
    }
    Ok(())
}

fn c5() -> Outcome {
    let ground = Ground::new();
    ground.sandbox.write("app/core.py", "# new\ndef load(path):\n    return path\n");
    let said = ground.tells(&ground.core());
    assert!(said.contains("file changed since") && !said.contains("No references"), "{said}");
    Ok(())
}

fn c8() -> Outcome {
    let ground = Ground::new();
    ground.setup(
        "cd repo; git checkout -q --orphan other; git rm -q --cached jobs/nightly.py; rm jobs/nightly.py
         git -c user.name=t -c user.email=t@t commit -qm other; git branch -D main -q
         git reflog expire --expire=now --all; git gc -q --prune=now",
    );
    let first = ground.tells(&ground.core());
    assert!(first.contains("behind HEAD") || first.contains("2 callers"), "{first}");
    assert!(until_current(&ground).contains("load() has 2 callers"));
    Ok(())
}

fn c9() -> Outcome {
    let ground = Ground::new();
    ground.sandbox.write("app/later.py", "x = 1\n");
    ground.commit();
    ground.setup(
        "git -C repo config uploadpack.allowFilter true
         git clone -q --depth 1 file://$PWD/repo shallow; git clone -q --filter=blob:none file://$PWD/repo partial
         mv repo gone; cp -r shallow repo",
    );
    for name in ["shallow", "partial"] {
        let root = ground.sandbox.path().join(name);
        ground.sandbox.index(&root);
        let said = ground.tells(&read_event(&root, "app/core.py"));
        assert!(said.ends_with("current."), "{name}: {said}");
    }
    needs(&[Need::Strace])?;
    let root = ground.sandbox.path().join("partial");
    let calls = ground.traced_command(&["index", root.to_str().unwrap()]);
    assert!(calls.connections().is_empty() && calls.programs().is_empty(), "{:?}", calls.programs());
    Ok(())
}

fn c11() -> Outcome {
    let ground = Ground::without_git();
    ground.sandbox.git(&["init", "-q", "--object-format=sha256", "."]);
    ground.commit();
    ground.index();
    let said = ground.tells(&ground.core());
    assert!(said.ends_with("current."), "{said}");
    ground.sandbox.git(&["pack-refs", "--all"]);
    assert!(ground.tells(&ground.core()).ends_with("current."));
    ground.commit();
    assert!(ground.tells(&ground.core()).contains("behind HEAD"));
    Ok(())
}

fn c12() -> Outcome {
    let ground = Ground::unindexed(SOURCES);
    ground.setup(
        "cd repo; git config core.repositoryformatversion 1; git config extensions.worktreeConfig true
         git config extensions.partialClone origin; git config extensions.surprise true",
    );
    ground.index();
    let said = ground.tells(&ground.core());
    assert!(said.ends_with("current.") || said.ends_with("freshness unknown."), "{said}");
    Ok(())
}

fn c13() -> Outcome {
    let ground = Ground::new();
    let current = |what: &str| {
        let said = ground.tells(&ground.core());
        assert!(said.ends_with("current."), "{what}: {said}");
    };
    ground.sandbox.git(&["pack-refs", "--all"]);
    current("packed");
    for name in ["feature/a/b/c", "z\u{fc}rich/\u{6f22}\u{5b57}", "with'quote", "-x".trim_start_matches('-')] {
        ground.sandbox.git(&["checkout", "-q", "-b", name]);
        current(name);
        ground.sandbox.git(&["pack-refs", "--all"]);
        current(name);
    }
    ground.sandbox.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    ground.sandbox.git(&["symbolic-ref", "HEAD", "refs/heads/alias"]);
    current("through another ref");
    // The loose one counts, and it is of another commit.
    ground.sandbox.git(&["checkout", "-q", "main"]);
    ground.commit();
    let said = ground.tells(&ground.core());
    assert!(said.contains("behind HEAD"), "{said}");
    Ok(())
}

fn c14() -> Outcome {
    let ground = Ground::new();
    let head = ground.repo().join(".git/HEAD");
    let sound = fs::read(&head).unwrap();
    let long = b"ref: refs/heads/".iter().copied().chain(std::iter::repeat_n(b'a', 10 << 20)).collect();
    let contents: [Vec<u8>; 9] = [
        Vec::new(),
        b"garbage".into(),
        long,
        b"ref: ../../x".into(),
        b"ref: refs/heads/../../../../secret".into(),
        b"ref: HEAD".into(),
        b"ref: refs/heads/loop".into(),
        b"ref: /etc/passwd".into(),
        [b'f'; 39].into(),
    ];
    fs::write(ground.repo().join(".git/refs/heads/loop"), "ref: refs/heads/loop\n").unwrap();
    for content in contents {
        fs::write(&head, &content).unwrap();
        let said = ground.ask(&ground.core());
        assert!(said.as_ref().is_none_or(|said| !said.ends_with("current.")), "{said:?}");
    }
    let odd: [fn(&Path); 4] = [
        |head| fs::create_dir(head).unwrap(),
        |head| link("refs/heads/main", head),
        |head| link("/etc/hostname", head),
        |head| rustix::fs::mkfifoat(rustix::fs::CWD, head, rustix::fs::Mode::RWXU).unwrap(),
    ];
    for make in odd {
        fs::remove_file(&head).or_else(|_| fs::remove_dir(&head)).unwrap();
        make(&head);
        ground.ask(&ground.core());
        ground.ask(&session_event("SessionStart", &ground.repo()));
    }
    fs::remove_file(&head).unwrap();
    ground.ask(&ground.core());
    fs::write(&head, sound).unwrap();
    until_current(&ground);
    Ok(())
}

fn c15() -> Outcome {
    let ground = Ground::new();
    let git = ground.repo().join(".git");
    // Its own git directory, elsewhere: a good one, absolute and relative.
    fs::rename(&git, ground.sandbox.path().join("gitdir")).unwrap();
    for good in [format!("gitdir: {}\n", ground.sandbox.path().join("gitdir").display()), "gitdir: ../gitdir\n".into()]
    {
        fs::write(&git, good).unwrap();
        ground.index();
        assert!(ground.tells(&ground.core()).ends_with("current."));
    }
    // Bad ones say nothing, and nothing of the other repository.
    ground
        .setup("mkdir other; cd other; git init -q .; mkdir app; printf 'def wrong():\\n    return 1\\n' >app/core.py");
    ground.sandbox.index(&ground.sandbox.path().join("other"));
    let other = format!("gitdir: {}\n", ground.sandbox.path().join("other/.git").display());
    let contents = [
        "gitdir: .git\n".as_bytes(),
        other.as_bytes(),
        b"gitdir: /nonexistent",
        b"gitdir:",
        b"gitdir: \0/etc",
        b"",
        b"gitdir: /",
        &vec![0; 2 << 20],
    ];
    for content in contents {
        fs::write(&git, content).unwrap();
        let said = ground.ask(&ground.core());
        assert!(said.as_ref().is_none_or(|said| !said.contains("wrong") && !said.ends_with("current.")), "{said:?}");
    }
    Ok(())
}

fn c16() -> Outcome {
    let ground = Ground::unindexed(SOURCES);
    ground.setup("mv repo/.git moved; ln -s ../moved repo/.git");
    ground.index();
    let said = ground.tells(&ground.core());
    assert!(said.ends_with("current."), "{said}");
    Ok(())
}

fn c17() -> Outcome {
    needs(&[Need::Tool("mkfifo"), Need::Tool("timeout")])?;
    let ground = Ground::new();
    ground.setup("mkfifo repo/.git/pipe; printf '[include]\\n\\tpath = pipe\\n' >>repo/.git/config");
    ground.tells(&ground.core());
    ground.tells(&ground.core());
    // The indexer neither waits for it.
    let script = format!("timeout 60 '{FLOORPLAN}' index -q repo; timeout 60 '{FLOORPLAN}' status -C repo >status");
    ground.setup(&script);
    ground.setup("mkfifo repo/.git/info/p; rm -f repo/.git/info/exclude repo/.git/index; mkfifo repo/.git/info/exclude repo/.git/index repo/.gitignore repo/.gitattributes");
    ground.setup(&script);
    ground.tells(&ground.core());
    ground.setup("mv repo/.git gone; mkfifo repo/.git");
    ground.silent(&ground.core());
    ground.silent(&session_event("SessionStart", &ground.repo()));
    Ok(())
}

fn c18() -> Outcome {
    let ground = Ground::new();
    ground.setup(
        "cd repo; git worktree add -q ../tree -b other; cd ../tree
         printf 'from app.core import load\\nload(1)\\n' >jobs/more.py; git add -A
         git -c user.name=t -c user.email=t@t commit -qm more",
    );
    let tree = ground.sandbox.path().join("tree");
    ground.sandbox.index(&tree);
    for _ in 0..3 {
        let here = ground.tells(&ground.core());
        let there = ground.tells(&read_event(&tree, "app/core.py"));
        assert!(here.contains("load() has 3 callers") && here.ends_with("current."), "{here}");
        assert!(there.contains("load() has 4 callers") && there.ends_with("current."), "{there}");
    }
    // From the folder of the one, a file of the other.
    let across = ground.tells(&read_event(&ground.repo(), tree.join("app/core.py")));
    assert!(across.contains("load() has 4 callers"), "{across}");
    Ok(())
}

fn c19() -> Outcome {
    let ground = Ground::unindexed(SOURCES);
    ground.setup(
        "mkdir -p upstream/app; cd upstream; git init -q -b main .
         printf 'def inner(x):\\n    return x\\n' >app/core.py; printf 'from app.core import inner\\ninner(1)\\n' >app/use.py
         git add -A; git -c user.name=t -c user.email=t@t commit -qm x; cd ..
         git -C repo -c protocol.file.allow=always submodule add -q ../upstream sub
         git clone -q upstream repo/nested",
    );
    ground.commit();
    ground.index();
    for inside in ["sub", "nested"] {
        let root = ground.repo().join(inside);
        let event = read_event(&ground.repo(), root.join("app/core.py"));
        ground.silent(&event);
        ground.sandbox.index(&root);
        let said = ground.answer(&event);
        assert!(said.starts_with("app/core.py: inner()") && said.ends_with("current."), "{inside}: {said}");
    }
    assert!(ground.tells(&ground.core()).contains("load() has 3 callers"));
    Ok(())
}

fn c20() -> Outcome {
    let ground = Ground::new();
    ground.setup("git clone -q --bare repo bare.git");
    let bare = ground.sandbox.path().join("bare.git");
    for event in [
        session_event("SessionStart", &bare),
        session_event("SubagentStart", &bare),
        read_event(&bare, "HEAD"),
        read_event(&bare, "app/core.py"),
        crate::support::tool_event(&bare, "Grep", &json!({"pattern": "load"})),
    ] {
        ground.silent(&event);
    }
    Ok(())
}

fn c22() -> Outcome {
    let commit = "git -c user.name=t -c user.email=t@t commit -qam";
    for operation in ["merge other", "rebase other", "cherry-pick other"] {
        let ground = Ground::new();
        let script = format!(
            "cd repo; git config user.name t; git config user.email t@t; git checkout -q -b other
             sed -i 's/return path/return other/' app/core.py; {commit} other
             git checkout -q main; sed -i 's/return path/return main/' app/core.py; {commit} main
             if git {operation} >/dev/null 2>&1; then exit 9; fi; grep -q '<<<<<<<' app/core.py"
        );
        ground.setup(&script);
        let said = ground.ask(&ground.core());
        assert!(said.as_ref().is_none_or(|said| said.contains("changed since") || said.contains("behind")), "{said:?}");
        ground.index();
        for event in [ground.core(), ground.tool("Grep", &json!({"pattern": "load|save"}))] {
            let said = ground.ask(&event).unwrap_or_default();
            assert!(!said.contains("No references") && !said.contains("no callers"), "{operation}: {said}");
        }
        let listed = measured(ground.sandbox.floorplan(&["-C", "repo", "unreferenced"]));
        assert!(!listed.stdout.contains("app/core.py"), "{operation}: {}", listed.stdout);
    }
    let ground = Ground::new();
    ground.commit();
    ground.commit();
    ground.setup("cd repo; git bisect start -q HEAD HEAD~2 >/dev/null");
    ground.tells(&ground.core());
    Ok(())
}

fn c23() -> Outcome {
    needs(&[Need::Strace])?;
    let ground = Ground::new();
    ground.setup(
        "cd repo; blob=$(git hash-object -w app/core.py)
         for i in $(seq 40000); do printf '100644 %s\\tmany/d%s/f%s.py\\n' $blob $((i % 200)) $i; done | git update-index --index-info
         mkdir junk; cd junk; seq 3000 | xargs touch",
    );
    let traced = ground.traced(&ground.core());
    assert!(traced.opened("/.git/index").is_empty() && traced.opened("/junk").is_empty(), "{:?}", traced.calls);
    ground.tells(&ground.core());
    Ok(())
}

fn c24() -> Outcome {
    for (what, script) in [
        ("locked", "touch .git/index.lock"),
        ("garbage", "printf garbage >.git/index"),
        ("empty", ": >.git/index"),
        ("a folder", "rm .git/index; mkdir .git/index"),
        ("gone", "rm .git/index"),
        ("split", "git update-index --split-index"),
        ("sparse", "git sparse-checkout set --cone --sparse-index app; ls"),
        ("of another version", "git update-index --index-version 4"),
        ("cut", "truncate -s 100 .git/index"),
    ] {
        let ground = Ground::unindexed(SOURCES);
        ground.setup(&format!("cd repo; {script}"));
        let before = ground.footprint();
        ground.index();
        assert_eq!(ground.footprint(), before, "{what}: the index of git is not ours to touch");
        ground.tells(&ground.core());
    }
    Ok(())
}

fn c25() -> Outcome {
    needs(&[Need::Root])?;
    let ground = Ground::new();
    ground.setup(&format!("chown -R {NOBODY}:{NOBODY} repo"));
    ground.silent(&ground.core());
    ground.silent(&session_event("SessionStart", &ground.repo()));
    // Whoever called sudo is trusted, as by git.
    let said = ground.answer_by(
        || {
            let mut command = ground.sandbox.floorplan::<&str>(&[]);
            command.env("SUDO_UID", NOBODY);
            command
        },
        &ground.core(),
    );
    assert!(said.contains("load()"));
    Ok(())
}

fn c26() -> Outcome {
    let ground = Ground::without_git();
    ground.setup("git init -q .");
    let nobody = ground.give_away()?;
    // Above the project stands a repository of somebody else.
    ground.setup("chown -R 0:0 .git; chmod 755 .git");
    let before = ground.sandbox.cache().exists();
    assert_eq!(ground.ask_by(nobody(), &ground.core()), None);
    assert_eq!(ground.ask_by(nobody(), &session_event("SessionStart", &ground.repo())), None);
    assert_eq!(ground.sandbox.cache().exists(), before, "nothing was begun");
    Ok(())
}

fn c27() -> Outcome {
    let ground = Ground::new();
    ground
        .setup("mkdir other; cd other; git init -q .; mkdir app; printf 'def wrong():\\n    return 1\\n' >app/core.py");
    ground.sandbox.index(&ground.sandbox.path().join("other"));
    let other = ground.sandbox.path().join("other");
    let misled = || {
        let mut command = ground.sandbox.floorplan::<&str>(&[]);
        command
            .env("GIT_DIR", other.join(".git"))
            .env("GIT_WORK_TREE", &other)
            .env("GIT_COMMON_DIR", other.join(".git"));
        command.env("GIT_INDEX_FILE", other.join("index")).env("GIT_OBJECT_DIRECTORY", other.join("objects"));
        command.envs([("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "core.bare"), ("GIT_CONFIG_VALUE_0", "true")]);
        command.env("GIT_CEILING_DIRECTORIES", ground.sandbox.path());
        command
    };
    let said = ground.answer_by(misled, &ground.core());
    assert!(said.contains("load()") && said.ends_with("current."), "{said}");
    let before = ground.sandbox.dump(&ground.repo());
    let mut index = misled();
    assert_eq!(
        measured({
            index.args(["index", "-q"]).arg(ground.repo());
            index
        })
        .code,
        Some(0)
    );
    assert_eq!(ground.sandbox.dump(&ground.repo()), before);
    assert!(!other.join("index").exists() && !other.join("objects").exists());
    Ok(())
}

fn c28() -> Outcome {
    let ground = Ground::new();
    ground.setup("cp -a repo copy; mv repo moved");
    for name in ["copy", "moved"] {
        let root = ground.sandbox.path().join(name);
        let event = read_event(&root, "app/core.py");
        ground.silent(&event);
        ground.sandbox.index(&root);
        ground.tells(&event);
    }
    // Another one where the old one was.
    ground.setup("mkdir -p repo/app; cd repo; git init -q .; printf 'def load():\\n    return 1\\n' >app/core.py");
    let said = ground.ask(&ground.core());
    assert!(said.as_ref().is_none_or(|said| said.contains("behind") || said.contains("changed since")), "{said:?}");
    Ok(())
}

fn c30() -> Outcome {
    let ground = Ground::unindexed(SOURCES);
    ground.setup(&format!("cd repo; {EVIL}"));
    nothing_ran(&ground)
}
