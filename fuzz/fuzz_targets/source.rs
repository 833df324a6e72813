#![no_main]
//! Any bytes as a source file; the first one chooses the language.

use floorplan::lang::{self, Limits};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((first, bytes)) = input.split_first() else { return };
    let paths = ["a.py", "A.java", "a.ts", "a.tsx", "a.js", "a.go", "a.md"];
    let path = paths[usize::from(*first) % paths.len()];
    let _ = lang::extract(path, bytes, &Limits::default());
});
