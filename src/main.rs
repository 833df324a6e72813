//! Thin: without arguments a hook of Claude Code, else the command line.
//!
//! Where it is tested (Linux with glibc) the program starts at C's entry point instead of Rust's: std's own start (it reads
//! the process's memory map, sets up a stack for overflow messages and three signals) was a fifth of what a hook call
//! costs, and the hook needs none of it. What the command line needs of it is done by hand. This is the only module with
//! unsafe code.

#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]

#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
#[allow(unsafe_code)]
mod start {
    use std::ffi::{c_char, c_int};
    use std::fs::OpenOptions;
    use std::os::fd::{AsRawFd, IntoRawFd};

    // SAFETY: no other symbol of this name is linked in (`no_main`), and it has C's signature of main. std reads the
    // arguments by itself, before main.
    #[unsafe(no_mangle)]
    extern "C" fn main(count: c_int, _words: *const *const c_char) -> c_int {
        // A closed pipe is an error where it is written to, and no end by a signal.
        // SAFETY: SIG_IGN is no handler, so nothing is called at a bad moment.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
        // And so is a write beyond the user's limit on the size of files (the log's, the journal's).
        // SAFETY: as above.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        if count <= 1 {
            // The watchdog's thread would get a heap of its own for one allocation: five system calls.
            // SAFETY: no other thread runs yet.
            unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
            floorplan::hook::run();
            return 0;
        }
        open_standard_streams();
        // A panic must not leave Rust; 101 is what std makes of one.
        std::panic::catch_unwind(floorplan::cli::main).map_or(101, c_int::from)
    }

    /// A database that was opened as standard error would be written over by the next message.
    fn open_standard_streams() {
        while let Ok(file) = OpenOptions::new().read(true).write(true).open("/dev/null")
            && file.as_raw_fd() <= libc::STDERR_FILENO
        {
            let _stays_open = file.into_raw_fd();
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu", not(test))))]
fn main() -> std::process::ExitCode {
    if std::env::args_os().len() <= 1 {
        floorplan::hook::run();
        return std::process::ExitCode::SUCCESS;
    }
    std::process::ExitCode::from(floorplan::cli::main())
}
