//! A progress bar, on terminals only.

use crate::index::Progress;
use indicatif::{ProgressBar, ProgressStyle};

/// Says nothing.
pub(super) struct Quiet;

impl Progress for Quiet {
    fn stage(&self, _name: &str, _total: u64) {}
    fn tick(&self, _n: u64) {}
}

/// One bar on stderr, which starts again with every stage.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new() -> Bar {
        let bar = ProgressBar::no_length();
        // The template is a constant; were it wrong, the default style would do.
        if let Ok(style) = ProgressStyle::with_template("{msg:>12} [{wide_bar}] {pos}/{len} {elapsed}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Bar(bar)
    }

    /// Takes the bar off the screen.
    pub(super) fn clear(&self) {
        self.0.finish_and_clear();
    }

    /// Another handle of the same bar, for the interrupt handler.
    pub(super) fn handle(&self) -> Bar {
        Bar(self.0.clone())
    }
}

impl Progress for Bar {
    fn stage(&self, name: &str, total: u64) {
        self.0.set_position(0);
        self.0.set_length(total);
        self.0.set_message(name.to_owned());
    }

    fn tick(&self, n: u64) {
        self.0.inc(n);
    }
}
