//! Thin: without arguments a hook of Claude Code, else the command line.
//!
//! Where it is tested (Linux with glibc) the program starts at C's entry point instead of Rust's: std's own start (it reads
//! the process's memory map, sets up a stack for overflow messages and three signals) was a fifth of what a hook call
//! costs, and the hook needs none of it. What the command line needs of it is done by hand. A hook call has its memory and
//! its watchdog from here too: C's allocator and std's threads took a third of its system calls to set up, for some
//! kilobytes and one sleep. This is the only module with unsafe code.

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
            super::memory::use_block();
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
/// know of it. Hence what it runs must not allocate, lock or panic; errno is the only variable that it may spoil, and it
/// writes to it only where a call fails when the process is about to end.
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

/// Memory: of a hook call a block that lies ready, of everything else the system's.
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
#[allow(unsafe_code)]
mod memory {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::UnsafeCell;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// A Read takes about a tenth. What does not fit any more comes from the system.
    const SIZE: usize = 256 << 10;

    /// All zeros, so no part of the file, and a page costs nothing before it is touched.
    #[repr(C)]
    struct Block {
        /// Bytes that are not in use, at the end. None before [`use_block`]. In front: in the page of what is used first.
        left: AtomicUsize,
        bytes: UnsafeCell<[u8; SIZE]>,
    }

    // SAFETY: a part of the bytes belongs to whoever took it off `left`, which is changed atomically.
    unsafe impl Sync for Block {}

    #[global_allocator]
    static BLOCK: Block = Block { left: AtomicUsize::new(0), bytes: UnsafeCell::new([0; SIZE]) };

    /// From now on the block is used. Called once.
    pub(super) fn use_block() {
        BLOCK.left.store(SIZE, Relaxed);
    }

    impl Block {
        fn end(&self) -> usize {
            self.bytes.get() as usize + SIZE
        }

        fn holds(&self, pointer: *mut u8) -> bool {
            (self.end() - SIZE..self.end()).contains(&(pointer as usize))
        }

        /// Moves the end of what is in use, if it is still at the address `from`.
        fn moves(&self, from: usize, to: usize) -> bool {
            let left = |address| self.end().checked_sub(address);
            let (Some(from), Some(to)) = (left(from), left(to)) else { return false };
            self.left.compare_exchange(from, to, Relaxed, Relaxed).is_ok()
        }

        fn take(&self, layout: Layout) -> Option<*mut u8> {
            loop {
                let used = self.end() - self.left.load(Relaxed);
                let start = used.checked_next_multiple_of(layout.align())?;
                let end = start.checked_add(layout.size()).filter(|end| *end <= self.end())?;
                if self.moves(used, end) {
                    let place = start - (self.end() - SIZE);
                    // SAFETY: `place` is inside the block.
                    return Some(unsafe { self.bytes.get().cast::<u8>().add(place) });
                }
            }
        }
    }

    // SAFETY: what `take` gives is aligned, of the size asked for, and nobody else's until it is given back; all else is the
    // system allocator's. Only the last part is really given back: a hook call ends before that matters.
    unsafe impl GlobalAlloc for Block {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            match self.take(layout) {
                Some(pointer) => pointer,
                // SAFETY: as the caller promises.
                None => unsafe { System.alloc(layout) },
            }
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            match self.take(layout) {
                Some(pointer) => {
                    // SAFETY: `take` gave as many bytes. They may have been somebody's before.
                    unsafe { pointer.write_bytes(0, layout.size()) };
                    pointer
                }
                // SAFETY: as the caller promises.
                None => unsafe { System.alloc_zeroed(layout) },
            }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            if self.holds(pointer) {
                self.moves(pointer as usize + layout.size(), pointer as usize);
            } else {
                // SAFETY: it is none of the block's, so the system's.
                unsafe { System.dealloc(pointer, layout) }
            }
        }

        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            if !self.holds(pointer) {
                // SAFETY: it is none of the block's, so the system's.
                return unsafe { System.realloc(pointer, layout, size) };
            }
            // The last part grows where it lies; any part shrinks there.
            let grown = (pointer as usize).checked_add(size);
            if grown.is_some_and(|end| self.moves(pointer as usize + layout.size(), end)) || size <= layout.size() {
                return pointer;
            }
            // SAFETY: the caller promises that the size is a valid one for this alignment; both places hold as many bytes as
            // are copied, and the new one was not in use.
            unsafe {
                let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
                if !new.is_null() {
                    new.copy_from_nonoverlapping(pointer, layout.size());
                }
                new
            }
        }
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
