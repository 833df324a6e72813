//! From a command line to simple commands: words without their quotes, and how each command is joined to its neighbours.
//!
//! Nothing is expanded. A word that a shell would change (`$x`, `$(...)`, `~`, `*.py`) says so, and its reader decides
//! whether it can still be used. Substituted commands are handed back as text to be read in their turn.

/// One word of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// Without quotes and escapes.
    pub(super) text: String,
    /// Holds a variable, a substitution or a tilde: the real text is not known.
    pub(super) unknown: bool,
    /// Byte offset of the first wildcard that the shell would expand.
    pub(super) wildcard: Option<usize>,
    /// Some of it was quoted or escaped; such a word is no reserved word and no assignment.
    pub(super) quoted: bool,
}

impl Word {
    /// True for this text, written without quotes.
    pub(super) fn is_bare(&self, text: &str) -> bool {
        !self.quoted && self.text == text
    }
}

/// A program and its arguments, or a change of the subshell.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    Command {
        words: Vec<Word>,
        /// Reads the output of the command before it.
        piped: bool,
    },
    /// `(`
    Enter,
    /// `)`
    Leave,
}

/// What [`lex`] found.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) steps: Vec<Step>,
    /// Bodies of `$(...)` and backticks.
    pub(super) substituted: Vec<String>,
}

pub(super) fn lex(text: &str) -> Line {
    let mut lexer = Lexer { rest: text, ..Lexer::default() };
    while let Some(next) = lexer.next() {
        lexer.step(next);
    }
    lexer.end_command(false);
    lexer.line
}

#[derive(Default)]
struct Lexer<'a> {
    rest: &'a str,
    line: Line,
    words: Vec<Word>,
    /// The word in hand, once it has begun.
    word: Option<Word>,
    piped: bool,
    /// The next word belongs to a redirection.
    redirected: Redirection,
    /// Here-documents that begin after this line: their last lines.
    heredocs: Vec<String>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Redirection {
    #[default]
    No,
    File,
    Heredoc,
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.skip(next.len_utf8());
        Some(next)
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn eat(&mut self, text: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(text) else { return false };
        self.rest = rest;
        true
    }

    fn step(&mut self, next: char) {
        match next {
            ' ' | '\t' | '\r' => self.end_word(),
            '\n' => {
                self.end_command(false);
                self.skip_heredocs();
            }
            '#' if self.word.is_none() => {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.skip(end);
            }
            '&' if self.eat(">>") || self.eat(">") => {
                self.end_word();
                self.redirected = Redirection::File;
            }
            ';' | '&' => self.end_command(false),
            '|' if self.eat("|") => self.end_command(false),
            '|' => {
                self.eat("&");
                self.end_command(true);
            }
            '(' => {
                self.end_command(false);
                self.line.steps.push(Step::Enter);
            }
            ')' => {
                self.end_command(false);
                self.line.steps.push(Step::Leave);
            }
            '<' | '>' => self.redirection(next),
            _ => self.word_char(next),
        }
    }

    fn redirection(&mut self, next: char) {
        // `2>`: the digits are no argument.
        if self.word.as_ref().is_some_and(|word| !word.quoted && word.text.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        // `<(...)` is a command of its own.
        if self.peek() == Some('(') {
            return;
        }
        self.redirected = Redirection::File;
        if next == '<' && self.eat("<") && !self.eat("<") {
            self.eat("-");
            self.redirected = Redirection::Heredoc;
        } else if next == '>' {
            let _ = self.eat(">") || self.eat("|") || self.eat("&");
        } else {
            let _ = self.eat("&") || self.eat(">");
        }
    }

    fn word_char(&mut self, next: char) {
        let mut word = self.word.take().unwrap_or_default();
        match next {
            '\\' => match self.next() {
                Some('\n') => {
                    // A continued line; it begins no word.
                    self.word = Some(word).filter(|word| *word != Word::default());
                    return;
                }
                Some(escaped) => {
                    word.quoted = true;
                    word.text.push(escaped);
                }
                None => {}
            },
            '\'' => {
                word.quoted = true;
                let end = self.rest.find('\'').unwrap_or(self.rest.len());
                word.text.push_str(self.rest.get(..end).unwrap_or_default());
                self.skip(end + 1);
            }
            '"' => self.double_quoted(&mut word),
            '$' if self.eat("'") => self.ansi_quoted(&mut word),
            '$' => self.dollar(&mut word),
            '`' => self.backticks(&mut word),
            '~' if word == Word::default() => {
                word.unknown = true;
                word.text.push(next);
            }
            '*' | '?' | '[' | '{' => {
                word.wildcard.get_or_insert(word.text.len());
                word.text.push(next);
            }
            _ => word.text.push(next),
        }
        self.word = Some(word);
    }

    fn double_quoted(&mut self, word: &mut Word) {
        word.quoted = true;
        while let Some(next) = self.next() {
            match next {
                '"' => return,
                '\\' => match self.next() {
                    Some('\n') | None => {}
                    Some(escaped) => {
                        if !matches!(escaped, '$' | '`' | '"' | '\\') {
                            word.text.push('\\');
                        }
                        word.text.push(escaped);
                    }
                },
                '$' => self.dollar(word),
                '`' => self.backticks(word),
                _ => word.text.push(next),
            }
        }
    }

    fn ansi_quoted(&mut self, word: &mut Word) {
        word.quoted = true;
        while let Some(next) = self.next() {
            match next {
                '\'' => return,
                '\\' => match self.next() {
                    Some('n') => word.text.push('\n'),
                    Some('t') => word.text.push('\t'),
                    Some(escaped @ ('\'' | '"' | '\\')) => word.text.push(escaped),
                    Some(other) => word.text.extend(['\\', other]),
                    None => {}
                },
                _ => word.text.push(next),
            }
        }
    }

    /// After a `$`: a substitution, a variable, or (at the end of a pattern) just that character.
    fn dollar(&mut self, word: &mut Word) {
        if self.eat("(") {
            word.unknown = true;
            let body = self.balanced();
            self.line.substituted.push(body.to_string());
        } else if self.peek().is_some_and(|next| next.is_alphanumeric() || "_{@*#?!-$".contains(next)) {
            word.unknown = true;
            word.text.push('$');
        } else {
            word.text.push('$');
        }
    }

    fn backticks(&mut self, word: &mut Word) {
        word.unknown = true;
        let end = self.rest.find('`').unwrap_or(self.rest.len());
        self.line.substituted.push(self.rest.get(..end).unwrap_or_default().to_string());
        self.skip(end + 1);
    }

    /// Up to the parenthesis that closes the one just read. Quotes hide parentheses; nothing else is understood.
    fn balanced(&mut self) -> &'a str {
        let text = self.rest;
        let (mut depth, mut quote) = (1, None);
        let mut escaped = false;
        for (at, next) in text.char_indices() {
            match (next, quote) {
                _ if escaped => escaped = false,
                ('\\', None | Some('"')) => escaped = true,
                (_, Some(open)) if next == open => quote = None,
                (_, Some(_)) => {}
                ('\'' | '"', None) => quote = Some(next),
                ('(', None) => depth += 1,
                (')', None) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.skip(at + 1);
                return text.get(..at).unwrap_or_default();
            }
        }
        self.rest = "";
        text
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match std::mem::take(&mut self.redirected) {
            Redirection::No => self.words.push(word),
            Redirection::File => {}
            Redirection::Heredoc => self.heredocs.push(word.text),
        }
    }

    fn end_command(&mut self, into_pipe: bool) {
        self.end_word();
        self.redirected = Redirection::No;
        let words = std::mem::take(&mut self.words);
        if !words.is_empty() {
            self.line.steps.push(Step::Command { words, piped: self.piped });
        }
        self.piped = into_pipe;
    }

    fn skip_heredocs(&mut self) {
        for end in std::mem::take(&mut self.heredocs) {
            while !self.rest.is_empty() {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                if line.trim_start_matches('\t').trim_end_matches('\r') == end {
                    break;
                }
            }
        }
    }
}
