//! What a task is about, as text.

use super::Names;
use crate::annotate::text::Text;
use crate::annotate::uses::cohesion;
use crate::query::seed::Seed;

/// The neighborhoods with their files, then the files outside of them; best first.
pub fn seed(answer: &Seed, names: Names) -> Vec<String> {
    let mut lines = Vec::new();
    let of_group = |group: Option<usize>| {
        let files = answer.files.iter().filter(move |file| file.neighborhood == group);
        files.map(|file| format!("  {}  {:.1}", names.path(&file.path), file.score)).collect::<Vec<_>>()
    };
    for (index, group) in answer.neighborhoods.iter().enumerate() {
        let files = of_group(Some(index));
        if !files.is_empty() {
            let cohesion = cohesion(Text::default(), group.cohesion).finish();
            let entry = group.entry.as_deref().map_or(String::new(), |entry| format!(", entry {}", names.path(entry)));
            lines.push(format!("{}: {} files{cohesion}{entry}", names.path(&group.label), group.files));
            lines.extend(files);
        }
    }
    let others = of_group(None);
    if !others.is_empty() && !lines.is_empty() {
        lines.push("elsewhere:".into());
    }
    lines.extend(others);
    if !answer.symbols.is_empty() {
        lines.push("defined:".into());
        lines.extend(answer.symbols.iter().map(|symbol| format!("  {}", super::described(symbol, names))));
    }
    if lines.is_empty() {
        lines.push("no file has any of these words".into());
    } else if !answer.convincing {
        lines.push("a weak match: this may be about something else".into());
    }
    lines
}
