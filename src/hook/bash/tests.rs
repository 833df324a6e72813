//! Command lines as agents write them, and what each of them reads and searches.

use super::*;

/// One line for each intent, paths as seen from `/r`.
fn seen(command: &str) -> String {
    let short = |path: &PathBuf| match path.strip_prefix("/r") {
        Ok(rest) if rest.as_os_str().is_empty() => ".".to_string(),
        Ok(rest) => rest.display().to_string(),
        Err(_) => path.display().to_string(),
    };
    let one = |intent: &Intent| match intent {
        Intent::Read { path, lines: None } => format!("read {}", short(path)),
        Intent::Read { path, lines: Some((first, u32::MAX)) } => format!("read {}:{first}-", short(path)),
        Intent::Read { path, lines: Some((first, last)) } => format!("read {}:{first}-{last}", short(path)),
        Intent::Search { pattern, fixed, paths } => {
            let paths: Vec<String> = paths.iter().map(short).collect();
            format!("{} {:?} in {}", if *fixed { "text" } else { "search" }, pattern, paths.join(" "))
        }
        Intent::Checkout { folder } => format!("checkout in {}", short(folder)),
    };
    intents(command, Path::new("/r")).iter().map(one).collect::<Vec<_>>().join("; ")
}

#[test]
fn what_may_move_the_work_tree_is_seen_and_is_no_search() {
    let table: [(&str, &[&str]); 12] = [
        ("git checkout -b x && git status", &["/r"]),
        ("git -C sub switch main", &["/r/sub"]),
        ("cd sub && git commit -am 'a; b'", &["/r/sub"]),
        ("git stash; git pull --rebase; git stash pop", &["/r"]),
        ("git -c a.b=c reset --hard HEAD~1", &["/r"]),
        ("bash -c 'git merge x'", &["/r"]),
        ("(cd a && git rebase main); git cherry-pick y", &["/r/a", "/r"]),
        ("git worktree add ../w", &["/r"]),
        ("git status; git log -p; git diff; git grep checkout", &[]),
        ("echo git checkout", &[]),
        ("git --version", &[]),
        ("cd $X && git pull", &[]),
    ];
    for (command, expected) in table {
        let found = checkouts(command, Path::new("/r"));
        assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>(), "{command}");
        assert!(!seen(command).contains("checkout in"), "{command}");
    }
}

#[test]
fn searches_are_seen() {
    let table = [
        ("grep -rn alpha pkg | head -5", r#"search "alpha" in pkg"#),
        ("grep -rn 'def alpha' pkg/ src", r#"search "def alpha" in pkg src"#),
        (r#"grep -rn "alpha\|beta" --include="*.py" ."#, r#"search "alpha\\|beta" in ."#),
        ("grep -rnE 'alpha|beta' --include=*.py --exclude-dir .venv .", r#"search "alpha|beta" in ."#),
        ("grep -rn alpha", r#"search "alpha" in ."#),
        ("grep -r -A 3 -B2 -m1 alpha src", r#"search "alpha" in src"#),
        ("grep -e alpha -e beta a.py", r#"search "alpha\nbeta" in a.py"#),
        ("grep -rn -- -alpha src", r#"search "-alpha" in src"#),
        ("grep --regexp=alpha a.py", r#"search "alpha" in a.py"#),
        ("grep -rnw alpha src/*.py", r#"search "alpha" in src"#),
        ("grep -n alpha *.py", r#"search "alpha" in ."#),
        ("fgrep -n 'alpha(' a.py", r#"text "alpha(" in a.py"#),
        ("grep -F 'a.b(' a.py", r#"text "a.b(" in a.py"#),
        ("egrep 'a|b' a.py", r#"search "a|b" in a.py"#),
        ("/usr/bin/grep alpha a.py", r#"search "alpha" in a.py"#),
        (r"\grep alpha a.py", r#"search "alpha" in a.py"#),
        ("grep -rn 'foo$' src 2>/dev/null", r#"search "foo$" in src"#),
        ("grep -rn \"foo$\" src 2>&1 | grep -v test | wc -l", r#"search "foo$" in src"#),
        ("cd pkg && grep -n alpha b.py", r#"search "alpha" in pkg/b.py"#),
        ("cd /r/pkg; cd sub && rg alpha", r#"search "alpha" in pkg/sub"#),
        ("(cd pkg && rg alpha); rg beta", r#"search "alpha" in pkg; search "beta" in ."#),
        ("cd pkg || exit 1\nrg alpha", r#"search "alpha" in pkg"#),
        ("LC_ALL=C grep -rn alpha src", r#"search "alpha" in src"#),
        ("sudo -u me grep -rn alpha src", r#"search "alpha" in src"#),
        ("time rg alpha src", r#"search "alpha" in src"#),
        ("timeout 5 rg alpha src", r#"search "alpha" in src"#),
        ("env -i A=b rg alpha src", r#"search "alpha" in src"#),
        ("rg alpha", r#"search "alpha" in ."#),
        ("rg -n alpha -g '*.py' src", r#"search "alpha" in src"#),
        ("rg --type py -A3 alpha src/a.py", r#"search "alpha" in src/a.py"#),
        ("rg -tpy -F 'a.b' src", r#"text "a.b" in src"#),
        ("rg -e alpha -e beta", r#"search "alpha\nbeta" in ."#),
        ("rg -l alpha | xargs sed -n 1,5p", r#"search "alpha" in ."#),
        ("ug -r alpha src", r#"search "alpha" in src"#),
        ("ugrep -tpython alpha", r#"search "alpha" in ."#),
        ("ag --python alpha src", r#"search "alpha" in src"#),
        ("ack --type python alpha", r#"search "alpha" in ."#),
        ("git grep -n alpha", r#"search "alpha" in . ."#),
        ("git -C pkg grep alpha -- '*.py'", r#"search "alpha" in pkg/*.py pkg"#),
        ("git --no-pager grep -n -e alpha HEAD~3", r#"search "alpha" in HEAD~3 ."#),
        ("find . -name '*.py' | xargs grep -n alpha", ""),
        ("find . -name '*Invoice*.py'", r#"text "Invoice" in ."#),
        ("find src -type f -name 'invoice_service.py' -not -path './x/*'", r#"text "invoice_service" in src"#),
        ("find . -name '*.py' -exec grep -ln alpha {} +", r#"search "alpha" in ."#),
        (r"find src -name '*.java' -exec grep -n alpha {} \;", r#"search "alpha" in src"#),
        ("fd -e py invoice src", r#"text "invoice" in src"#),
        ("fd Invoice", r#"text "Invoice" in ."#),
        ("for f in a b; do grep -n alpha src/x.py; done", r#"search "alpha" in src/x.py"#),
        ("if grep -q alpha a.py; then cat b.py; fi", r#"search "alpha" in a.py; read b.py"#),
        ("while true; do rg alpha; break; done | head", r#"search "alpha" in ."#),
        ("bash -lc 'cd pkg && rg alpha'", r#"search "alpha" in pkg"#),
        ("echo $(grep -rn alpha src)", r#"search "alpha" in src"#),
        ("x=`grep -rn alpha src`", r#"search "alpha" in src"#),
        ("diff <(grep alpha a.py) <(grep beta b.py)", r#"search "alpha" in a.py; search "beta" in b.py"#),
        ("grep -rn alpha \\\n  src", r#"search "alpha" in src"#),
        ("grep -rn $'al\\'pha' src", r#"search "al'pha" in src"#),
        ("grep alpha < a.py", ""),
        ("grep -rn alpha src > out.txt", r#"search "alpha" in src"#),
        ("grep -rn alpha src &> out.txt", r#"search "alpha" in src"#),
        ("grep -rn alpha src &", r#"search "alpha" in src"#),
    ];
    for (command, expected) in table {
        assert_eq!(seen(command), expected, "{command}");
    }
}

#[test]
fn reads_are_seen() {
    let table = [
        ("cat a.py", "read a.py"),
        ("cat -n pkg/a.py pkg/b.py", "read pkg/a.py; read pkg/b.py"),
        ("cat /elsewhere/a.py", "read /elsewhere/a.py"),
        ("cat 'with space.py' | wc -l", "read with space.py"),
        ("cat a.py | head -50", "read a.py:1-50"),
        ("cat -n a.py | sed -n '10,60p'", "read a.py:10-60"),
        ("head a.py", "read a.py:1-10"),
        ("head -50 a.py", "read a.py:1-50"),
        ("head -n 50 a.py b.py", "read a.py:1-50; read b.py:1-50"),
        ("head -n50 a.py", "read a.py:1-50"),
        ("head --lines=50 a.py", "read a.py:1-50"),
        ("head -c 100 a.py", "read a.py"),
        ("tail -20 a.py", "read a.py"),
        ("tail -n +100 a.py | head -50", "read a.py:100-"),
        ("sed -n '1,80p' a.py", "read a.py:1-80"),
        ("sed -n 1,80p a.py", "read a.py:1-80"),
        ("sed -n -e '5p' a.py", "read a.py:5-5"),
        ("sed -n '10,$p' a.py", "read a.py:10-"),
        ("sed -n '10,+5p' a.py", "read a.py:10-15"),
        ("sed -n '1,5p;20,30p' a.py", "read a.py:1-30"),
        ("sed -n '1,5p; 6q' a.py", "read a.py:1-5"),
        ("nl -ba a.py", "read a.py"),
        ("nl -b a a.py | sed -n '3,9p'", "read a.py:3-9"),
        ("less +50 a.py", "read a.py"),
        ("more a.py", "read a.py"),
        ("bat -r 10:20 a.py", "read a.py:10-20"),
        ("bat --style=plain --line-range :20 a.py", "read a.py:1-20"),
        ("cd pkg && cat a.py && cd ../src && cat b.py", "read pkg/a.py; read pkg/../src/b.py"),
        ("cat a.py; echo ---; cat b.py", "read a.py; read b.py"),
        ("cat a.py > b.py", "read a.py"),
        ("cat \"$F\" a.py", "read a.py"),
        ("cat a.py # and not b.py", "read a.py"),
        ("cat a\\ b.py", "read a b.py"),
        ("command cat a.py", "read a.py"),
        ("pushd pkg; cat a.py; popd; cat b.py", "read pkg/a.py"),
        ("cat <<EOF > x\ncat b.py\nEOF\ncat a.py", "read a.py"),
        ("cat <<-'EOF'\n\tcat b.py\n\tEOF\ncat a.py", "read a.py"),
        ("cat 1 2 3 4 5 6 7 8 9 10", "read 1; read 2; read 3; read 4; read 5; read 6; read 7; read 8"),
    ];
    for (command, expected) in table {
        assert_eq!(seen(command), expected, "{command}");
    }
}

#[test]
fn everything_else_is_passed_over() {
    let table = [
        "",
        " ",
        "ls -la",
        "git status",
        "git log -p a.py",
        "cargo test | grep FAILED",
        "ps aux | grep python",
        "python3 -c 'open(\"a.py\")'",
        "echo grep alpha src",
        "grep -v alpha a.py",
        "grep -f patterns a.py",
        "grep alpha",
        "grep alpha -",
        "grep \"$X\" a.py",
        "rg --files",
        "rg --files -g '*.py'",
        "cat",
        "cat *.py",
        "cat $F",
        "cat ~/a.py",
        "cat -",
        "tail -f",
        "cd $X && cat a.py",
        "cd - && cat a.py",
        "cd && cat a.py",
        "sed -i 's/a/b/' a.py",
        "sed 's/a/b/' a.py",
        "sed -n '/alpha/p' a.py",
        "awk 'NR>=3' a.py",
        "command -v grep",
        "xargs cat",
        "for f in *.py; do cat $f; done",
        "tee a.py",
        "cat <<EOF\ncat a.py",
        "'cat a.py'",
        "cat 'a.py",
        "grep",
        "sed",
        "sed -n",
        "head -n",
        "git",
        "git grep",
        "git -C",
        "find",
        "fd",
        "xargs",
        "sudo",
        "timeout",
        "|",
        "||",
        "&&",
        ")",
        "((",
        "$(",
        "$(($(",
        "`",
        "<",
        "<<",
        "<<<",
        ">",
        "&>",
        "\\",
        "\"",
        "\"$(",
        "$'",
        "a=b",
        "if",
        "!",
        "cat > a.py",
        "find . -name '*.py'",
    ];
    for command in table {
        let expected = if command == "cat 'a.py" { "read a.py" } else { "" };
        assert_eq!(seen(command), expected, "{command}");
    }
}

#[test]
fn size_and_nesting_are_bounded() {
    assert_eq!(seen(&format!("cat a.py {}", " ".repeat(MAX_COMMAND))), "");
    let nested = format!("{}cat a.py{}", "echo $(".repeat(1000), ")".repeat(1000));
    assert_eq!(seen(&nested), "");
    assert_eq!(seen(&format!("{}cat a.py", "(".repeat(50_000))), "read a.py");
    assert_eq!(seen(&"cat a.py;".repeat(5000)).matches("read").count(), MAX_INTENTS);
}

#[test]
fn every_prefix_of_a_command_line_is_survived() {
    let command = "cd \"p k\" && LC_ALL=C grep -rn -e 'al\\'pha' $(echo `pwd`) <<EOF | sed -n '1,5p' é\\\n x\nEOF\n";
    for end in (0..=command.len()).filter(|end| command.is_char_boundary(*end)) {
        intents(&command[..end], Path::new("/r"));
    }
}
