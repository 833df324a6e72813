//! The one sink for text that comes from a repository: what reaches the agent has system authority, and file and
//! symbol names are written by whoever wrote the repository.
//!
//! Names are kept by allow-list, never cleaned by block-list: letters and digits of any script and a few marks stay,
//! everything else is a `?`. So no control, bidi, zero-width or tag character, no quote, bracket, backtick, space or line end
//! gets through. A word that mixes Latin with look-alike scripts loses the foreign letters. Names that read like a
//! sentence keep two words and the last one. The only way to put a name into agent text is a [`Shown`].

/// Longest name that is shown, in characters.
pub const MAX_SHOWN: usize = 80;
/// Longest path: one that is cut can no longer be opened, and Java's are long without meaning anything by it.
pub(super) const MAX_PATH: usize = 160;
/// Longest note, in characters.
const MAX_NOTE: usize = 160;
/// One part of a path.
const MAX_PART: usize = 60;
/// From here on a name of many words is a sentence to a reader. Code has such names, but the ends tell them apart.
const SENTENCE_CHARS: usize = 40;
const SENTENCE_WORDS: usize = 6;
/// Words in capitals read like an order, so less of them is let through ...
const SHOUTED_CHARS: usize = 32;
const SHOUTED_WORDS: usize = 4;
/// ... and Java's class names are long without meaning anything by it.
const CAMEL_CHARS: usize = 60;
const CAMEL_WORDS: usize = 7;
/// Of each word that is left of a sentence.
const MAX_WORD: usize = 16;
const CUT: char = '…';
const REPLACED: char = '?';

/// A name that may be shown to the agent: one line, printable, at most [`MAX_SHOWN`] characters (a path: 160).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown(String);

impl Shown {
    /// A path relative to the root. The tail is what tells files apart, so a long one loses its first folders.
    pub fn path(raw: &str) -> Shown {
        if is_plain(raw, b"_./+@~,=-", MAX_PATH) {
            return Shown(raw.to_string());
        }
        let parts: Vec<String> = raw.split('/').map(|part| clean_part(part, MAX_PART)).collect();
        let mut kept = parts.len();
        let mut chars = 0;
        for part in parts.iter().rev() {
            chars += part.chars().count() + 1;
            if chars > MAX_PATH {
                break;
            }
            kept -= 1;
        }
        let mut shown = parts[kept..].join("/");
        if kept > 0 {
            // Room for the mark of the cut: at least one part stays, since none is longer than `MAX_PART`.
            while shown.chars().count() > MAX_PATH - 2 {
                match shown.split_once('/') {
                    Some((_, rest)) => shown = rest.to_string(),
                    None => break,
                }
            }
            shown.insert_str(0, "…/");
        }
        Shown(shown)
    }

    /// A symbol's name, qualified or not.
    pub fn identifier(raw: &str) -> Shown {
        if is_plain(raw, b"_.$", MAX_SHOWN) {
            return Shown(raw.to_string());
        }
        let parts: Vec<String> = raw.split('.').map(|part| clean(part, "_$", MAX_SHOWN)).collect();
        let mut shown = parts.join(".");
        if shown.chars().count() > MAX_SHOWN {
            shown = parts.last().map_or(String::new(), String::clone);
        }
        Shown(shown)
    }

    /// A note that an agent kept: words and plain punctuation, one line.
    pub fn note(raw: &str) -> Shown {
        let mut shown = String::new();
        for word in raw.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
            let word = clean(word, "_.,:;/()+-=%!", MAX_SHOWN);
            if shown.chars().count() + word.chars().count() > MAX_NOTE {
                shown.push(CUT);
                break;
            }
            if !shown.is_empty() {
                shown.push(' ');
            }
            shown.push_str(&word);
        }
        Shown(shown)
    }

    /// A commit, shortened; `None` for what is no hex number.
    pub fn revision(raw: &str) -> Option<Shown> {
        let short = raw.get(..raw.len().min(7))?;
        (short.len() >= 4 && short.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| Shown(short.to_string()))
    }

    /// False where a part of the name could not be shown at all.
    pub fn tells(&self) -> bool {
        !self.0.split(['/', '.']).any(|part| !part.is_empty() && part.chars().all(|c| c == REPLACED))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// True for what can be shown as it is, which nearly everything can: short parts of plain letters.
fn is_plain(raw: &str, marks: &[u8], limit: usize) -> bool {
    let mut part = 0;
    let plain = raw.bytes().all(|byte| {
        part = if matches!(byte, b'/' | b'.') { 0 } else { part + 1 };
        part <= SHOUTED_CHARS && (byte.is_ascii_alphanumeric() || marks.contains(&byte))
    });
    plain && raw.len() <= limit
}

/// One part of a path; the extension is no word of it.
fn clean_part(part: &str, limit: usize) -> String {
    match part.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && extension.len() <= 8 => {
            let extension = clean(extension, "_+@~,=-", limit);
            if is_prose(stem) {
                return format!("{REPLACED}.{extension}");
            }
            let stem = clean(stem, "_.+@~,=-", limit - extension.chars().count() - 1);
            format!("{stem}.{extension}")
        }
        _ if is_prose(part) => REPLACED.to_string(),
        _ => clean(part, "_.+@~,=-", limit),
    }
}

/// Three words with space between them: a name that is read as text rather than as a name.
fn is_prose(part: &str) -> bool {
    part.split_whitespace().nth(2).is_some()
}

fn clean(raw: &str, marks: &str, limit: usize) -> String {
    let mut cleaned = String::with_capacity(raw.len().min(4 * limit));
    let mut word = String::new();
    // Far more than is shown, far less than a hostile name can have; the end of a name counts as well.
    const READ: usize = 400;
    let (raw, beyond) = match raw.char_indices().nth(READ) {
        Some((at, _)) => (&raw[..at], true),
        None => (raw, false),
    };
    for character in raw.chars() {
        if is_letter(character) {
            word.push(character);
            continue;
        }
        push_word(&mut cleaned, &mut word);
        if character.is_ascii() && marks.contains(character) {
            cleaned.push(character);
        } else if !cleaned.ends_with(REPLACED) {
            cleaned.push(REPLACED);
        }
    }
    push_word(&mut cleaned, &mut word);
    if beyond {
        cleaned.push(CUT);
    }
    let cleaned = if reads_like_a_sentence(&cleaned) { shorten_sentence(&cleaned) } else { cleaned };
    cut_middle(cleaned, limit)
}

/// What moves a terminal's cursor, changes the order of letters, ends a line or cannot be seen: controls and Unicode's
/// Default_Ignorable_Code_Point, with the line separators. For output that keeps names as they are in every other way.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Letters and digits that look like nothing else and are visible.
fn is_letter(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric();
    }
    character.is_alphanumeric()
        && !matches!(character,
            // Hangul fillers are letters by category and blank by look.
            '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}'
            // Letters made to look like others: super- and subscripts, letter-like, circled, wide, mathematical.
            | '\u{2070}'..='\u{218F}' | '\u{2460}'..='\u{24FF}' | '\u{FF00}'..='\u{FFEF}' | '\u{1D400}'..='\u{1D7FF}'
            | '\u{1F100}'..='\u{1F1FF}' | '\u{A9}' | '\u{AA}' | '\u{B2}'..='\u{BE}')
}

/// Scripts whose letters pass for Latin ones.
fn is_look_alike(character: char) -> bool {
    matches!(character,
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' // Greek
        | '\u{400}'..='\u{52F}' | '\u{1C80}'..='\u{1C8F}' | '\u{A640}'..='\u{A69F}' // Cyrillic
        | '\u{530}'..='\u{58F}' // Armenian
        | '\u{13A0}'..='\u{13FF}' | '\u{AB70}'..='\u{ABBF}' // Cherokee
        | '\u{2C80}'..='\u{2CFF}' // Coptic
        | '\u{A4D0}'..='\u{A4FF}') // Lisu
}

/// Appends a word, without the letters that pass for Latin ones if it has Latin ones.
fn push_word(cleaned: &mut String, word: &mut String) {
    if word.is_ascii() || !word.chars().any(is_latin) || !word.chars().any(is_look_alike) {
        cleaned.push_str(word);
    } else {
        for character in word.chars() {
            let shown = if is_look_alike(character) { REPLACED } else { character };
            if shown != REPLACED || !cleaned.ends_with(REPLACED) {
                cleaned.push(shown);
            }
        }
    }
    word.clear();
}

fn is_latin(character: char) -> bool {
    character.is_ascii_alphabetic()
        || matches!(character, '\u{C0}'..='\u{24F}' | '\u{250}'..='\u{2AF}' | '\u{1E00}'..='\u{1EFF}')
}

fn reads_like_a_sentence(name: &str) -> bool {
    let chars = name.chars().count();
    if chars <= SHOUTED_CHARS {
        return false;
    }
    let words = words(name).count();
    let shouted = !name.chars().any(char::is_lowercase);
    chars > SENTENCE_CHARS && words >= SENTENCE_WORDS
        || shouted && words >= SHOUTED_WORDS
        || chars > CAMEL_CHARS && camel_words(name) >= CAMEL_WORDS
}

/// Capitals with a small letter after them.
fn camel_words(name: &str) -> usize {
    name.chars().zip(name.chars().skip(1)).filter(|(a, b)| a.is_uppercase() && b.is_lowercase()).count()
}

fn words(name: &str) -> impl DoubleEndedIterator<Item = &str> {
    name.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// `IGNORE_ALL…it`: enough to find the name by, too little to say anything with.
fn shorten_sentence(name: &str) -> String {
    let short = |word: &str| word.chars().take(MAX_WORD).collect::<String>();
    match words(name).collect::<Vec<_>>()[..] {
        [first, second, .., last] => format!("{}_{}{CUT}{}", short(first), short(second), short(last)),
        _ => cut_middle(name.to_string(), 2 * MAX_WORD),
    }
}

fn cut_middle(text: String, limit: usize) -> String {
    let chars = text.chars().count();
    if chars <= limit {
        return text;
    }
    let head = (limit - 1) / 2;
    let tail = limit - 1 - head;
    text.chars().take(head).chain([CUT]).chain(text.chars().skip(chars - tail)).collect()
}
