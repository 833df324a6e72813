//! One line of a journal: kind, agent, fields, separated by tabs, ended by a newline.

use std::fmt::Write;

use xxhash_rust::xxh3::xxh3_64;

/// Longest field that is kept, in bytes: a path of Linux.
const MAX_FIELD: usize = 4096;

/// Longer agent ids are kept by their hash.
const MAX_AGENT: usize = 64;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A file was read, as a whole or these lines (inclusive). Paths are relative to the root of the repository.
    Read { path: String, lines: Option<(u32, u32)> },
    /// A name was searched for.
    Searched { name: String },
    /// A file was edited.
    Edited { path: String },
    /// Something in this file may no longer fit an edit of this session.
    ToCheck { path: String },
    /// Something was said to the agent.
    Shown(Shown),
    /// The agent kept a note about a path, or a symbol as `path::name`.
    Note { subject: String, text: String },
    /// The agent was told about the codebase, at this time (seconds since 1970), on the event of this name.
    Briefed { event: String, at: u64 },
    /// The agent lost its context: whatever was said to it before may be said again.
    Cut,
}

/// An annotation that was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The path of the file, or the names that were searched for.
    pub subject: String,
    /// XXH3-64 of the text.
    pub text: u64,
    /// Estimated tokens of the text.
    pub tokens: u32,
    /// XXH3-64 of the host's id of the tool call; 0 without one.
    pub call: u64,
    /// Files that it named, by a hash of their paths.
    pub named: Vec<u32>,
    /// The numbers that it was about, by name.
    pub counts: Vec<(String, u32)>,
}

impl Entry {
    pub(super) fn write(&self, agent: &str, line: &mut String) {
        // Writing to a String cannot fail.
        let _ = match self {
            Entry::Read { path, lines: None } => write!(line, "read\t{agent}\t{}", field(path)),
            Entry::Read { path, lines: Some((first, last)) } => {
                write!(line, "read\t{agent}\t{}\t{first}\t{last}", field(path))
            }
            Entry::Searched { name } => write!(line, "searched\t{agent}\t{}", field(name)),
            Entry::Edited { path } => write!(line, "edited\t{agent}\t{}", field(path)),
            Entry::ToCheck { path } => write!(line, "check\t{agent}\t{}", field(path)),
            Entry::Note { subject, text } => write!(line, "note\t{agent}\t{}\t{}", field(subject), field(text)),
            Entry::Briefed { event, at } => write!(line, "briefed\t{agent}\t{}\t{at}", field(event)),
            Entry::Cut => write!(line, "cut\t{agent}"),
            Entry::Shown(shown) => {
                let Shown { subject, text, tokens, call, named, counts } = shown;
                let _ = write!(line, "shown\t{agent}\t{}\t{text:x}\t{tokens}\t{call:x}\t", field(subject));
                for (index, file) in named.iter().enumerate() {
                    let _ = write!(line, "{}{file:x}", if index > 0 { "," } else { "" });
                }
                for (name, count) in counts {
                    let _ = write!(line, "\t{count}\t{}", field(name));
                }
                Ok(())
            }
        };
        line.push('\n');
    }

    /// Agent and entry of a line; `None` for one that no version of ours wrote.
    pub(super) fn parse(line: &[u8]) -> Option<(String, Entry)> {
        let line = std::str::from_utf8(line).ok()?;
        let mut fields = line.split('\t');
        let (kind, agent) = (fields.next()?, fields.next()?.to_owned());
        let mut next = || fields.next().map(unescaped);
        let entry = match kind {
            "read" => {
                let path = next()?;
                let lines = match (next(), next()) {
                    (Some(first), Some(last)) => Some((first.parse().ok()?, last.parse().ok()?)),
                    (None, _) => None,
                    _ => return None,
                };
                Entry::Read { path, lines }
            }
            "searched" => Entry::Searched { name: next()? },
            "edited" => Entry::Edited { path: next()? },
            "check" => Entry::ToCheck { path: next()? },
            "note" => Entry::Note { subject: next()?, text: next()? },
            "briefed" => Entry::Briefed { event: next()?, at: next()?.parse().ok()? },
            "cut" => Entry::Cut,
            "shown" => {
                let subject = next()?;
                let text = u64::from_str_radix(&next()?, 16).ok()?;
                let tokens = next()?.parse().ok()?;
                let call = u64::from_str_radix(&next()?, 16).ok()?;
                let named = next()?;
                let named = named.split(',').filter(|hex| !hex.is_empty());
                let named = named.map(|hex| u32::from_str_radix(hex, 16).ok()).collect::<Option<Vec<u32>>>()?;
                let mut counts = Vec::new();
                while let Some(count) = next() {
                    counts.push((next()?, count.parse().ok()?));
                }
                Entry::Shown(Shown { subject, text, tokens, call, named, counts })
            }
            _ => return None,
        };
        Some((agent, entry))
    }
}

/// An agent id that fits a field.
pub(super) fn short(agent: &str) -> String {
    let plain = agent.len() <= MAX_AGENT && agent.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'%');
    if plain { agent.to_owned() } else { format!("{:016x}", xxh3_64(agent.as_bytes())) }
}

/// Text without tabs, line ends and other control characters: those, and `%`, as `%` and two hex digits.
pub(super) fn field(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if out.len() >= MAX_FIELD {
            break;
        }
        if character.is_ascii_control() || character == '%' {
            let _ = write!(out, "%{:02x}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

fn unescaped(field: &str) -> String {
    let mut parts = field.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if byte.is_ascii() => {
                out.push(char::from(byte));
                out.push_str(&part[2..]);
            }
            _ => {
                out.push('%');
                out.push_str(part);
            }
        }
    }
    out
}
