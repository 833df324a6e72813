//! Ends the process in silence when it takes too long: a late answer helps nobody and holds up the agent.
//!
//! A thread and not a timer signal or checks between steps: a read from a network file system that went away sleeps in
//! the kernel, where no check is reached and a caught signal waits too, while the exit of the whole process ends it.
//! Waiting for input needs no thread: `poll` has a time limit of its own.

use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::stdin;

use super::log;

/// For everything that happens once the event is read, and for an event to arrive that has begun to.
pub(super) const WORK: Duration = Duration::from_millis(250);

/// The same for a prompt: it asks the database, and comes once where reads come by the hundred.
pub(super) const WORK_OF_PROMPT: Duration = Duration::from_millis(1000);

/// For the first byte of the event: the host gives the whole run two seconds, the start of the process among them.
const SILENCE: Duration = Duration::from_millis(1800);

/// The thread only sleeps and, at the end, writes one line of log.
const STACK: usize = 32 << 10;

/// Standard input that gives up (as at its end) when an event does not arrive in time.
#[derive(Default)]
pub(super) struct Input {
    begun: Option<Instant>,
}

impl std::io::Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let limit = match self.begun {
            None => SILENCE,
            Some(begun) => WORK.saturating_sub(begun.elapsed()),
        };
        let timeout = Timespec::try_from(limit).ok();
        // Not `std::io::stdin`, whose buffer would only be copied into another one.
        let ready = poll(&mut [PollFd::new(&stdin(), PollFlags::IN)], timeout.as_ref());
        if ready == Ok(0) {
            return Ok(0);
        }
        self.begun.get_or_insert_with(Instant::now);
        Ok(rustix::io::read(stdin(), buffer)?)
    }
}

/// From now on the process lives no longer than `work`. If there can be no thread there is no limit; all that is left to
/// do then is bounded but for the file system.
pub(super) fn start(work: Duration) {
    let _ = thread::Builder::new().stack_size(STACK).spawn(move || {
        thread::sleep(work);
        log::note("out of time");
        std::process::exit(0);
    });
}
