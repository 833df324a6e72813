//! Writes a snapshot: records as they are made, then the tables, then the header, then the rename that publishes it.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::Identity;
use super::build::Analysis;
use super::layout::{self, CHECKSUM, Header, MAX_HEADER, MAX_RECORD, Place, Table};
use super::reuse::{self, Old, Reuse, Unchanged};
use super::{summary, wire};
use crate::model::Graph;
use crate::store::place;

/// Writes the snapshot of `graph` to `path`, as of the commit `head`, and puts it in the place of the old one at once.
///
/// The caller holds the index lock: what an interrupted writer left beside `path` is removed. An error leaves the old
/// snapshot as it was. Gives the digest that a later [`Reuse`] tells it by.
pub fn write(path: &Path, graph: &Graph, identity: &Identity, head: Option<&str>) -> anyhow::Result<u64> {
    prepare(path, graph, identity, head, None)?.publish()
}

/// A snapshot that lies beside the one it is to replace. It is removed if it never does.
#[derive(Debug)]
pub struct Prepared {
    temporary: PathBuf,
    path: PathBuf,
    digest: u64,
}

/// The first and longer half of [`write`]: nobody sees anything of it. With `reuse` records of the old one are copied that
/// would be the same; the bytes are those that are written without.
pub fn prepare(
    path: &Path,
    graph: &Graph,
    identity: &Identity,
    head: Option<&str>,
    reuse: Option<&Reuse>,
) -> anyhow::Result<Prepared> {
    let mut prepared = Prepared { temporary: beside(path)?, path: path.to_path_buf(), digest: 0 };
    let reuse = reuse.and_then(|reuse| Some((Old::read(path, reuse.digest)?, reuse)));
    prepared.digest = write_file(&prepared.temporary, graph, identity, head, reuse)
        .with_context(|| format!("writing the snapshot {}", path.display()))?;
    Ok(prepared)
}

impl Prepared {
    /// Puts it in the place of the old one. Gives its digest.
    pub fn publish(self) -> anyhow::Result<u64> {
        publish(&self.temporary, &self.path)
            .with_context(|| format!("putting the snapshot {} in place", self.path.display()))?;
        // Makes the rename durable where folders can be synced; the snapshot is a cache, so a refusal is no failure.
        if let Some(folder) = self.path.parent().and_then(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
        Ok(self.digest)
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

fn write_file(
    path: &Path,
    graph: &Graph,
    identity: &Identity,
    head: Option<&str>,
    reuse: Option<(Old, &Reuse)>,
) -> anyhow::Result<u64> {
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
    let mut out = Out { file: BufWriter::with_capacity(1 << 16, file), at: 0, hash: Xxh3::new() };
    out.file.write_all(&vec![0; header.len()])?;
    out.at = header.len() as u64;

    let analysis = Analysis::new(graph);
    let mut unchanged = reuse.and_then(|(old, reuse)| Unchanged::of(old, reuse, &analysis));
    header.summary = out.record(&wire::encode_summary(&summary::of(&analysis))?)?;
    let mut paths = Vec::new();
    for id in analysis.code_files() {
        let place = match unchanged.as_mut().and_then(|unchanged| unchanged.next_card(id)) {
            Some(payload) => out.record(payload)?,
            None => out.record(&wire::encode_file(&analysis.file_card(id))?)?,
        };
        paths.push((xxh3_64(analysis.paths[id as usize].as_bytes()), place));
    }
    let mut names = Vec::new();
    for (name, group) in analysis.names() {
        let place = match unchanged.as_mut().and_then(|unchanged| unchanged.next_name(name, group, &analysis)) {
            Some(payload) => out.record(payload)?,
            None => out.record(&wire::encode_names(name, &analysis.name_cards(group))?)?,
        };
        names.push((xxh3_64(name.as_bytes()), place));
    }
    header.paths = out.table(&paths)?;
    header.names = out.table(&names)?;
    header.total = out.at;

    let file = out.file.into_inner().context("flushing")?;
    let header = header.encode();
    file.write_all_at(&header, 0)?;
    file.sync_all()?;
    Ok(reuse::digest(&header, out.hash.digest()))
}

struct Out {
    file: BufWriter<File>,
    at: u64,
    /// Of all that follows the header.
    hash: Xxh3,
}

impl Out {
    fn bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.file.write_all(bytes)?;
        self.hash.update(bytes);
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
