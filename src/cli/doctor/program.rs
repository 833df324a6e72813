//! Runs another program for `floorplan doctor`, with a time limit: the hook commands of the settings, and the client for its
//! version. Beside `index::background`, which only ever starts floorplan itself, nothing else starts programs.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// What is read of a program's output.
const MAX_OUTPUT: u64 = 1 << 20;

/// What a program did.
pub(super) struct Ran {
    /// `None` if a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) elapsed: Duration,
}

/// Runs a program with `input` on its standard input, in `folder`, with `set` on top of this process's environment.
///
/// # Errors
/// It cannot be started, or takes longer than `limit` and is ended.
pub(super) fn run(
    (program, args): (&str, &[String]),
    input: &[u8],
    folder: &Path,
    set: &[(&str, &Path)],
    limit: Duration,
) -> Result<Ran> {
    #[expect(clippy::disallowed_methods, reason = "what the user's own settings name is tried out")]
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).envs(set.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = Instant::now();
    let mut child = command.spawn().with_context(|| format!("starting {program}"))?;
    let (done, outputs) = mpsc::channel();
    let read = |number: usize, mut stream: Box<dyn Read + Send>| {
        let done = done.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What could not be read is not there.
            let _ = stream.by_ref().take(MAX_OUTPUT).read_to_end(&mut bytes);
            let _ = done.send((number, bytes));
        });
    };
    read(0, Box::new(child.stdout.take().context("no output")?));
    read(1, Box::new(child.stderr.take().context("no output")?));
    // A program that does not read it is no fault of the input.
    let _ = child.stdin.take().context("no input")?.write_all(input);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            bail!("it takes longer than {} s", limit.as_secs());
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let elapsed = started.elapsed();
    let mut texts = [String::new(), String::new()];
    for _ in 0..2 {
        // Something that it started may still hold its output open.
        let Ok((number, bytes)) = outputs.recv_timeout(Duration::from_secs(1)) else { bail!("its output stays open") };
        texts[number] = String::from_utf8_lossy(&bytes).into_owned();
    }
    let [stdout, stderr] = texts;
    Ok(Ran { code: status.code(), stdout, stderr, elapsed })
}

/// Where a program of this name is found on the PATH; folders that are not absolute are passed over.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    folders
        .into_iter()
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}
