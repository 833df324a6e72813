use super::*;

fn cache() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn open(cache: &tempfile::TempDir, agent: &str) -> Journal {
    Journal::open(cache.path(), Who { session: "s-1", agent }).unwrap()
}

fn shown(subject: &str, text: u64) -> Shown {
    Shown {
        subject: subject.into(),
        text,
        tokens: 90,
        call: 7,
        named: vec![1, 0xabc],
        counts: vec![("f".into(), 6), ("a\tb%".into(), 1)],
    }
}

#[test]
fn what_was_written_is_read_again() {
    let cache = cache();
    let entries = [
        Entry::Read { path: "src/a.py".into(), lines: None },
        Entry::Read { path: "tab\there\nline 50%.py".into(), lines: Some((3, 90)) },
        Entry::Searched { name: "finalize".into() },
        Entry::Edited { path: "größe/模块.py".into() },
        Entry::Shown(shown("src/a.py", 1)),
        Entry::Note { subject: "src/a.py::f".into(), text: "line one\nline two\t%0a".into() },
        Entry::Cut,
    ];
    open(&cache, "").append(&entries[..3]);
    open(&cache, "agent-2").append(&entries[3..]);
    let journal = open(&cache, "");
    let read: Vec<(String, Entry)> = journal.entries().collect();
    let agents: Vec<&str> = read.iter().map(|(agent, _)| agent.as_str()).collect();
    assert_eq!(agents, ["", "", "", "agent-2", "agent-2", "agent-2", "agent-2"]);
    assert!(read.iter().map(|(_, entry)| entry).eq(entries.iter()));
}

#[test]
fn an_agent_knows_what_it_was_told_since_it_lost_its_context() {
    let cache = cache();
    open(&cache, "").append(&[Entry::Shown(shown("a.py", 1)), Entry::Shown(shown("aa.py", 2))]);
    open(&cache, "other").append(&[Entry::Shown(shown("a.py", 3)), Entry::Cut]);
    let texts = |agent: &str, subject: &str| -> Vec<u64> {
        open(&cache, agent).shown(subject).iter().map(|shown| shown.text).collect()
    };
    assert_eq!(texts("", "a.py"), [1]);
    assert_eq!(texts("", "aa.py"), [2]);
    assert_eq!(texts("other", "a.py"), [0u64; 0]);
    open(&cache, "").append(&[Entry::Cut, Entry::Shown(shown("a.py", 4))]);
    assert_eq!(texts("", "a.py"), [4]);
}

#[test]
fn notes_are_found_by_file_whoever_wrote_them() {
    let cache = cache();
    let note = |subject: &str| Entry::Note { subject: subject.into(), text: format!("of {subject}") };
    open(&cache, "x").append(&[note("a.py::f"), note("a.py"), note("a.pyi"), note("b.py::f")]);
    let notes = open(&cache, "").notes("a.py");
    assert_eq!(notes, [("a.py::f".into(), "of a.py::f".into()), ("a.py".to_string(), "of a.py".to_string())]);
}

#[test]
fn damage_costs_no_more_than_its_lines() {
    let cache = cache();
    open(&cache, "").append(&[Entry::Shown(shown("a.py", 1)), Entry::Edited { path: "a.py".into() }]);
    let path = existing(cache.path(), "s-1").unwrap();
    let whole = std::fs::read(&path).unwrap();
    for cut in 0..whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let mut journal = open(&cache, "");
        assert!(journal.entries().count() <= 2);
        journal.append(&[Entry::Cut]);
        drop(journal);
        assert_eq!(open(&cache, "").entries().last().unwrap().1, Entry::Cut, "cut at {cut}");
    }
    for flip in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[flip] ^= 0x55;
        std::fs::write(&path, &bytes).unwrap();
        let journal = open(&cache, "");
        assert!(journal.entries().count() <= 3);
        let _ = (journal.shown("a.py"), journal.notes("a.py"));
    }
}

#[test]
fn only_the_end_of_a_long_journal_is_read() {
    let cache = cache();
    let path = "x".repeat(1000);
    for number in 0..400 {
        open(&cache, "").append(&[Entry::Read { path: format!("{number}{path}"), lines: None }]);
    }
    let journal = open(&cache, "");
    let read = journal.entries().count();
    assert!((200..300).contains(&read), "{read}");
    assert!(matches!(journal.entries().last(), Some((_, Entry::Read { path, .. })) if path.starts_with("399")));
}

#[test]
fn a_journal_is_a_file_of_ours_and_no_link() {
    let cache = cache();
    let journal = path_of(cache.path(), "s-1");
    std::os::unix::fs::symlink("/dev/null", &journal).unwrap();
    assert!(Journal::open(cache.path(), Who { session: "s-1", agent: "" }).is_none());
    std::fs::remove_file(&journal).unwrap();
    std::fs::create_dir(&journal).unwrap();
    assert!(Journal::open(cache.path(), Who { session: "s-1", agent: "" }).is_none());
    assert!(Journal::open(&cache.path().join("absent"), Who { session: "s-1", agent: "" }).is_none());
}

#[test]
fn old_journals_are_removed() {
    let cache = cache();
    open(&cache, "").append(&[Entry::Cut]);
    let path = newest(cache.path()).unwrap();
    prune(cache.path(), SystemTime::now());
    assert!(path.exists());
    prune(cache.path(), SystemTime::now() + MAX_AGE + Duration::from_secs(60));
    assert!(!path.exists());
}

#[test]
fn many_agents_write_at_once_and_no_line_is_torn() {
    let cache = cache();
    std::thread::scope(|scope| {
        for agent in 0..8 {
            let cache = &cache;
            scope.spawn(move || {
                for number in 0..50 {
                    open(cache, &format!("a{agent}")).append(&[Entry::Edited { path: format!("{agent}/{number}") }]);
                }
            });
        }
    });
    assert_eq!(open(&cache, "").entries().count(), 400);
}
