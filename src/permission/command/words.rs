//! Words of one plain simple command, by the quoting rules of bash, and nothing more of its grammar.
//!
//! The splitter refuses whatever it does not know to be literal. Only space and tab separate words here, as in
//! bash; other blanks look like separators to a reader without being any, so a command that has them is not plain.

/// One word with its quotes and escapes resolved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    /// Where the first unquoted wildcard stands, in bytes; the shell puts file names there.
    pub glob_at: Option<usize>,
    /// Whether it begins with an unquoted `~`.
    pub tilde: bool,
}

/// The contract's limit for a command that is taken apart.
const MAX_BYTES: usize = 100_000;

/// Splits, or says why the text is not one plain simple command.
pub(super) fn split(command: &str) -> Result<Vec<Word>, &'static str> {
    if command.len() > MAX_BYTES {
        return Err("it is too long");
    }
    check_characters(command)?;
    let mut splitter = Splitter::default();
    let mut chars = command.trim_matches([' ', '\t', '\n']).chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => splitter.end_word(),
            '\n' => return Err("it has several lines"),
            '\'' => loop {
                match chars.next() {
                    Some('\'') => break splitter.begin(),
                    Some(inner) => splitter.literal(inner),
                    None => return Err("a quote is not closed"),
                }
            },
            '"' => {
                splitter.begin();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('$' | '`') => return Err("it uses a variable or a substitution"),
                        Some('\\') => match chars.next() {
                            Some(escaped @ ('$' | '`' | '"' | '\\')) => splitter.literal(escaped),
                            Some('\n') => return Err("a line is continued"),
                            Some(other) => {
                                splitter.literal('\\');
                                splitter.literal(other);
                            }
                            None => return Err("a quote is not closed"),
                        },
                        Some(inner) => splitter.literal(inner),
                        None => return Err("a quote is not closed"),
                    }
                }
            }
            '\\' => match chars.next() {
                Some('\n') | None => return Err("a line is continued"),
                Some(escaped) => splitter.literal(escaped),
            },
            '$' | '`' => return Err("it uses a variable or a substitution"),
            '|' | '&' | ';' | '(' | ')' => return Err("it is more than one command"),
            '<' | '>' => return Err("it redirects"),
            '#' if !splitter.started => return Err("it has a comment"),
            '*' | '?' | '[' => splitter.wildcard(c),
            '~' if !splitter.started => {
                splitter.word.tilde = true;
                splitter.literal(c);
            }
            '{' => {
                splitter.braces = true;
                splitter.literal(c);
            }
            '=' => {
                if splitter.words.is_empty() && is_name(splitter.word.text.trim_end_matches('+')) {
                    return Err("it sets a variable");
                }
                splitter.literal(c);
            }
            c if c.is_whitespace() => return Err("it has unusual blanks"),
            c => splitter.literal(c),
        }
        if splitter.expands_braces {
            break;
        }
    }
    splitter.finish()
}

/// Characters that no plain command has, quoted or not: they hide text, or bash uses them for itself.
fn check_characters(command: &str) -> Result<(), &'static str> {
    let is_odd = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    if command.contains(is_odd) {
        Err("it has control or invisible characters")
    } else {
        Ok(())
    }
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[derive(Default)]
struct Splitter {
    words: Vec<Word>,
    word: Word,
    /// Whether the word has begun, be it with an empty pair of quotes.
    started: bool,
    /// Whether the word has an unquoted `{`.
    braces: bool,
    expands_braces: bool,
}

impl Splitter {
    fn begin(&mut self) {
        self.started = true;
    }

    fn literal(&mut self, c: char) {
        self.started = true;
        self.word.text.push(c);
    }

    fn wildcard(&mut self, c: char) {
        let at = self.word.text.len();
        self.word.glob_at.get_or_insert(at);
        self.literal(c);
    }

    fn end_word(&mut self) {
        if !self.started {
            return;
        }
        // Quoted commas count too: better to ask once too often.
        self.expands_braces |= self.braces && (self.word.text.contains(',') || self.word.text.contains(".."));
        self.words.push(std::mem::take(&mut self.word));
        self.started = false;
        self.braces = false;
    }

    fn finish(mut self) -> Result<Vec<Word>, &'static str> {
        self.end_word();
        if self.expands_braces {
            return Err("it expands braces");
        }
        let Some(program) = self.words.first() else {
            return Err("it is empty");
        };
        let has_wildcard = program.glob_at.is_some() && program.text != "[";
        let has_user = program.tilde && !program.text.starts_with("~/");
        // `%1` names a job.
        let is_job = program.text.starts_with('%');
        if program.text.is_empty() || is_job || has_wildcard || has_user || program.text.contains(['{', '}'])
        {
            return Err("its program is not a plain word");
        }
        Ok(self.words)
    }
}
