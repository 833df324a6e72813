//! Ends the process in silence when it takes too long: a late answer helps nobody and holds up the agent.
//!
//! A thread and not a timer signal or checks between steps: a read from a network file system that went away sleeps in
//! the kernel, where no check is reached and a caught signal waits too, while the exit of the whole process ends it.
//! Waiting for input needs no thread: `poll` has a time limit of its own.

use std::io::{BufRead, Read};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::stdin;
use rustix::thread::{NanosleepRelativeResult, nanosleep};

use super::log;

/// For everything that happens once the event is read, and for an event to arrive that has begun to.
pub(super) const WORK: Duration = Duration::from_millis(250);

/// The same for a prompt: it asks the database, and comes once where reads come by the hundred.
pub(super) const WORK_OF_PROMPT: Duration = Duration::from_millis(1000);

/// For the first byte of the event: the host gives the whole run two seconds, the start of the process among them.
const SILENCE: Duration = Duration::from_millis(1800);

/// The thread only sleeps and, at the end, writes one line of log.
const STACK: usize = 32 << 10;

/// Most events are shorter than this, and are read in one piece.
const FIRST_PIECE: usize = 2 << 10;

/// What follows comes in pieces of a pipe's buffer at most.
const PIECE: usize = 16 << 10;

/// Standard input that gives up (as at its end) when an event does not arrive in time.
///
/// Neither `std::io::stdin` nor a `BufReader`: both fill buffers with zeros of which a short event needs a twentieth.
#[derive(Default)]
pub(super) struct Input {
    buffer: Vec<u8>,
    /// The part of the buffer that holds what was read and not taken yet.
    from: usize,
    to: usize,
    /// A first piece of the event is there.
    begun: bool,
    /// When the rest of it was first waited for.
    waiting: Option<Instant>,
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.from == self.to {
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.resize(if self.begun { PIECE } else { FIRST_PIECE }, 0);
            let arrived = self.piece(&mut buffer);
            self.buffer = buffer;
            (self.from, self.to) = (0, arrived?);
        }
        Ok(self.buffer.get(self.from..self.to).unwrap_or_default())
    }

    fn consume(&mut self, amount: usize) {
        self.from = (self.from + amount).min(self.to);
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl Input {
    /// Reads what comes next, as much as fits.
    fn piece(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if let Some(read) = at_once(buffer) {
            self.begun = true;
            return Ok(read);
        }
        let limit = match self.begun {
            false => SILENCE,
            true => WORK.saturating_sub(self.waiting.get_or_insert_with(Instant::now).elapsed()),
        };
        let timeout = Timespec::try_from(limit).ok();
        let ready = poll(&mut [PollFd::new(&stdin(), PollFlags::IN)], timeout.as_ref());
        if ready == Ok(0) {
            return Ok(0);
        }
        self.begun = true;
        Ok(rustix::io::read(stdin(), buffer)?)
    }
}

/// What has arrived, which nearly always is the whole event: one call instead of two. `None` if that is nothing, and where
/// the kernel does not know the question.
#[cfg(target_os = "linux")]
fn at_once(buffer: &mut [u8]) -> Option<usize> {
    use rustix::io::{ReadWriteFlags, preadv2};
    /// Where the last read ended, as of any stream.
    const HERE: u64 = u64::MAX;
    preadv2(stdin(), &mut [std::io::IoSliceMut::new(buffer)], HERE, ReadWriteFlags::NOWAIT).ok()
}

#[cfg(not(target_os = "linux"))]
fn at_once(_buffer: &mut [u8]) -> Option<usize> {
    None
}

/// Starts a watchdog: from now on the process lives no longer than this. It sleeps, calls [`out_of_time`] and ends the process.
pub(super) type Start = fn(Duration);

/// A watchdog in a thread of std's. If there can be no thread there is no limit; all that is left to do then is bounded but
/// for the file system.
pub fn watchdog_thread(work: Duration) {
    let _ = thread::Builder::new().stack_size(STACK).spawn(move || {
        out_of_time(work);
        std::process::exit(0);
    });
}

/// Sleeps for `work` and notes that the time is up. Allocates nothing, takes no lock and touches no variable of the thread
/// that it runs in: `main.rs` calls it in one that shares those with another.
pub fn out_of_time(work: Duration) {
    if let Ok(mut left) = Timespec::try_from(work) {
        while let NanosleepRelativeResult::Interrupted(rest) = nanosleep(&left) {
            left = rest;
        }
    }
    log::note("out of time");
}
