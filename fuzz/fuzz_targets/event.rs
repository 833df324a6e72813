#![no_main]
//! Anything on the hook's standard input.

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = floorplan::hook::replay(input);
});
