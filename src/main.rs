//! Thin: without arguments a hook of Claude Code, else the command line.
//!
//! Where it is tested (Linux with glibc) the program starts at C's entry point instead of Rust's: std's own start (it reads
//! the process's memory map, sets up a stack for overflow messages and three signals) was a fifth of what a hook call
//! costs, and the hook needs none of it. What the command line needs of it is done by hand. A hook call has its watchdog from
//! here too: a thread of std's is eleven system calls for one sleep. This is the only module with unsafe code.

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
            floorplan::hook::run(super::watchdog::start);
            // Nothing is buffered and nobody waits to be told: the C library's own end only touches more of its pages.
            // SAFETY: ends the process.
            unsafe { libc::_exit(0) };
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

/// The hook's watchdog: a thread that shares everything with the first one, the thread's own variables too, and only sleeps.
///
/// A thread and not a signal: see `hook::watchdog`. It is made by the one call that makes it, so the C library does not
/// know of it; one of `pthread_create` on the same stack costs .04 to .05 times a start of `/bin/true` more, twice as much.
/// Hence what it runs must not allocate, lock or panic; errno is the only variable that it may spoil, and it writes to it only
/// where a call fails when the process is about to end.
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
#[allow(unsafe_code)]
mod watchdog {
    use std::cell::UnsafeCell;
    use std::ffi::{c_int, c_void};
    use std::time::Duration;

    /// One line of log is put together on it.
    const STACK: usize = 16 << 10;

    #[repr(align(64))]
    struct Stack(UnsafeCell<[u8; STACK]>);

    // SAFETY: only the one thread that `start` makes uses it.
    unsafe impl Sync for Stack {}

    static STACK_OF_WATCHDOG: Stack = Stack(UnsafeCell::new([0; STACK]));

    /// Called once, by a process with one thread. If there can be no thread there is no limit; all that is left to do then
    /// is bounded but for the file system.
    pub(super) fn start(work: Duration) {
        let flags = libc::CLONE_VM
            | libc::CLONE_FS
            | libc::CLONE_FILES
            | libc::CLONE_SIGHAND
            | libc::CLONE_THREAD
            | libc::CLONE_SYSVSEM;
        let milliseconds = work.as_millis() as usize as *mut c_void;
        // SAFETY: the end of the block is the start of a stack that nobody else uses, and what runs on it keeps to what
        // is said above.
        unsafe {
            let top = STACK_OF_WATCHDOG.0.get().cast::<u8>().add(STACK);
            libc::clone(sleep_and_end, top.cast(), flags, milliseconds);
        }
    }

    extern "C" fn sleep_and_end(milliseconds: *mut c_void) -> c_int {
        floorplan::hook::out_of_time(Duration::from_millis(milliseconds as usize as u64));
        // SAFETY: ends the process at once, whatever the other thread is doing.
        unsafe { libc::_exit(0) }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu", not(test))))]
fn main() -> std::process::ExitCode {
    if std::env::args_os().len() <= 1 {
        floorplan::hook::run(floorplan::hook::watchdog_thread);
        return std::process::ExitCode::SUCCESS;
    }
    std::process::ExitCode::from(floorplan::cli::main())
}
