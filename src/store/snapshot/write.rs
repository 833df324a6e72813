//! Writes a snapshot: records as they are made, then the tables, then the header, then the rename that publishes it.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use xxhash_rust::xxh3::xxh3_64;

use super::Identity;
use super::build::Analysis;
use super::layout::{self, CHECKSUM, Header, MAX_HEADER, MAX_RECORD, Place, Table};
use super::{summary, wire};
use crate::model::Graph;
use crate::store::place;

/// Writes the snapshot of `graph` to `path`, as of the commit `head`, and puts it in the place of the old one at once.
///
/// The caller holds the index lock: what an interrupted writer left beside `path` is removed. An error leaves the old
/// snapshot as it was.
pub fn write(path: &Path, graph: &Graph, identity: &Identity, head: Option<&str>) -> anyhow::Result<()> {
    prepare(path, graph, identity, head)?.publish()
}

/// A snapshot that lies beside the one it is to replace. It is removed if it never does.
#[derive(Debug)]
pub struct Prepared {
    temporary: PathBuf,
    path: PathBuf,
}

/// The first and longer half of [`write`]: nobody sees anything of it.
pub fn prepare(path: &Path, graph: &Graph, identity: &Identity, head: Option<&str>) -> anyhow::Result<Prepared> {
    let prepared = Prepared { temporary: beside(path)?, path: path.to_path_buf() };
    write_file(&prepared.temporary, graph, identity, head)
        .with_context(|| format!("writing the snapshot {}", path.display()))?;
    Ok(prepared)
}

impl Prepared {
    /// Puts it in the place of the old one.
    pub fn publish(self) -> anyhow::Result<()> {
        publish(&self.temporary, &self.path)
            .with_context(|| format!("putting the snapshot {} in place", self.path.display()))?;
        // Makes the rename durable where folders can be synced; the snapshot is a cache, so a refusal is no failure.
        if let Some(folder) = self.path.parent().and_then(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // Once published it is gone; the error that matters is the one of writing.
        let _ = std::fs::remove_file(&self.temporary);
    }
}

fn publish(temporary: &Path, path: &Path) -> std::io::Result<()> {
    match std::fs::rename(temporary, path) {
        // A file cannot replace a folder; whoever made one there has no graph either way.
        Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => {
            place::clear(path)?;
            std::fs::rename(temporary, path)
        }
        result => result,
    }
}

/// A free name in the folder of `path`. One fixed name: a killed writer leaves one file, not one a run.
fn beside(path: &Path) -> anyhow::Result<PathBuf> {
    let Some(name) = path.file_name() else { bail!("{} names no file", path.display()) };
    let mut temporary = OsString::from(name);
    temporary.push(".new");
    let temporary = path.with_file_name(temporary);
    place::clear(&temporary).with_context(|| format!("removing {}", temporary.display()))?;
    Ok(temporary)
}

fn write_file(path: &Path, graph: &Graph, identity: &Identity, head: Option<&str>) -> anyhow::Result<()> {
    let mut header = Header {
        root: identity.root.to_string(),
        git_dir: identity.git_dir.to_string(),
        head: head.map(str::to_string),
        ..Header::default()
    };
    if header.len() > MAX_HEADER {
        bail!("the paths of the repository are too long ({} bytes)", header.len());
    }
    // `create_new` never follows a link that someone put there.
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let mut out = Out { file: BufWriter::with_capacity(1 << 16, file), at: 0 };
    out.bytes(&vec![0; header.len()])?;

    let analysis = Analysis::new(graph);
    header.summary = out.record(&wire::encode_summary(&summary::of(&analysis))?)?;
    let mut paths = Vec::new();
    for id in analysis.code_files() {
        let card = analysis.file_card(id);
        let place = out.record(&wire::encode_file(&card)?)?;
        paths.push((xxh3_64(card.path.as_bytes()), place));
    }
    let mut names = Vec::new();
    for (name, cards) in analysis.names() {
        let place = out.record(&wire::encode_names(name, &cards)?)?;
        names.push((xxh3_64(name.as_bytes()), place));
    }
    header.paths = out.table(&paths)?;
    header.names = out.table(&names)?;
    header.total = out.at;

    let file = out.file.into_inner().context("flushing")?;
    file.write_all_at(&header.encode(), 0)?;
    file.sync_all()?;
    Ok(())
}

struct Out {
    file: BufWriter<File>,
    at: u64,
}

impl Out {
    fn bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.file.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn record(&mut self, payload: &[u8]) -> anyhow::Result<Place> {
        let place = Place { at: self.at, len: (CHECKSUM + payload.len()) as u32 };
        if place.len as usize > MAX_RECORD {
            bail!("a record of {} bytes", payload.len());
        }
        self.bytes(&layout::checksum(payload, place.at).to_le_bytes())?;
        self.bytes(payload)?;
        Ok(place)
    }

    fn table(&mut self, keys: &[(u64, Place)]) -> anyhow::Result<Table> {
        let (table, buckets) = layout::fill(keys, self.at);
        for bucket in buckets {
            let bytes = bucket.encode(self.at);
            self.bytes(&bytes)?;
        }
        Ok(table)
    }
}
