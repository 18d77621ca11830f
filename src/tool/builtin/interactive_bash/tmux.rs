//! The words of a tmux command line, for models that know tmux: parsed into what the tool does, with no tmux anywhere.
//!
//! A line may chain commands with `;`. All of them are read before one is run, and one that shows a screen or copies from
//! it is refused wherever it stands. Words are split as a shell would, but nothing is expanded.

use std::ops::RangeInclusive;

use super::operation::{
    COLS, DEFAULT_SESSION, MAX_NAME, Operation, ROWS, StartRequest, TypedInput, is_session_name,
};

/// Commands that would show or copy a screen, which every answer does anyway.
const REFUSED: [&str; 8] = [
    "capture-pane",
    "capturep",
    "save-buffer",
    "saveb",
    "show-buffer",
    "showb",
    "pipe-pane",
    "pipep",
];

const SUPPORTED: &str =
    "new-session, send-keys, kill-session, has-session, list-sessions, resize-window, kill-server";

/// Why a line is not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum TmuxError {
    #[error(
        "`{0}` is not needed: every answer already shows the screen; use `action: \"read\"` to see it again, with \
         `scrollback` for the lines above it"
    )]
    Refused(String),
    #[error("{0}")]
    InvalidArgs(String),
}

/// Reads a line. Refused commands are found before anything else that is wrong.
pub(super) fn parse(line: &str) -> Result<Vec<Operation>, TmuxError> {
    let commands: Vec<Vec<String>> = split(line)?
        .into_iter()
        .filter(|words| !words.is_empty())
        .collect();
    let commands: Vec<&[String]> = commands.iter().map(|words| skip_globals(words)).collect();
    let refused = commands
        .iter()
        .find_map(|words| words.first().filter(|name| REFUSED.contains(&name.as_str())));
    if let Some(name) = refused {
        return Err(TmuxError::Refused(name.clone()));
    }
    if commands.is_empty() {
        return Err(invalid(format!(
            "the command is empty; supported are {SUPPORTED}"
        )));
    }
    commands.into_iter().map(command).collect()
}

fn invalid(text: impl Into<String>) -> TmuxError {
    TmuxError::InvalidArgs(text.into())
}

/// The words of each command of a chain.
fn split(line: &str) -> Result<Vec<Vec<String>>, TmuxError> {
    let unclosed = |quote: char| invalid(format!("a quote {quote} is not closed"));
    let mut commands = vec![Vec::new()];
    // The word that is being read, and whether it ends with a `\;`, which ends the command as in tmux.
    let mut word: Option<String> = None;
    let mut ends_command = false;
    let mut rest = line.chars();
    loop {
        let next = rest.next();
        let is_end = matches!(next, None | Some(' ' | '\t' | '\n' | '\r' | ';'));
        if is_end {
            if let Some(mut done) = word.take() {
                if ends_command {
                    done.pop();
                }
                if !(ends_command && done.is_empty()) {
                    commands
                        .last_mut()
                        .expect("there is one from the start")
                        .push(done);
                }
            }
            if ends_command || matches!(next, Some(';' | '\n')) {
                commands.push(Vec::new());
            }
        }
        ends_command = false;
        let Some(character) = next else {
            return Ok(commands);
        };
        if is_end {
            continue;
        }
        let word = word.get_or_insert_default();
        match character {
            '\'' => loop {
                match rest.next().ok_or_else(|| unclosed('\''))? {
                    '\'' => break,
                    quoted => word.push(quoted),
                }
            },
            '"' => loop {
                match rest.next().ok_or_else(|| unclosed('"'))? {
                    '"' => break,
                    '\\' => match rest.next().ok_or_else(|| unclosed('"'))? {
                        escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                        '\n' => {}
                        other => word.extend(['\\', other]),
                    },
                    quoted => word.push(quoted),
                }
            },
            '\\' => match rest.next() {
                Some('\n') => {}
                Some(escaped) => {
                    word.push(escaped);
                    ends_command = escaped == ';';
                }
                None => word.push('\\'),
            },
            plain => word.push(plain),
        }
    }
}

/// The words behind `tmux` and its own options.
fn skip_globals(words: &[String]) -> &[String] {
    let mut rest = words;
    if rest.first().is_some_and(|word| word == "tmux") {
        rest = &rest[1..];
    }
    while let [option, after @ ..] = rest {
        let Some(letters) = option.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            break;
        };
        rest = after;
        if letters == "-" {
            break;
        }
        // Flags may stand together, and the last may have its value behind it or in the next word.
        match letters.find(|letter| "LSfcT".contains(letter)) {
            Some(at) if at + 1 == letters.len() => rest = rest.get(1..).unwrap_or_default(),
            Some(_) => {}
            None if letters.chars().all(|letter| "2uvClqN".contains(letter)) => {}
            // Not one of tmux's: it becomes the name of a command that there is not.
            None => return words_from(words, option),
        }
    }
    rest
}

fn words_from<'a>(words: &'a [String], first: &String) -> &'a [String] {
    let at = words
        .iter()
        .position(|word| std::ptr::eq(word, first))
        .unwrap_or_default();
    &words[at..]
}

fn command(words: &[String]) -> Result<Operation, TmuxError> {
    let Some((name, words)) = words.split_first() else {
        return Err(invalid(format!(
            "`tmux` alone does nothing here; supported are {SUPPORTED}"
        )));
    };
    match name.as_str() {
        "new-session" | "new" => start(words),
        "send-keys" | "send" => send(words),
        "kill-session" => {
            let options = CommandOptions::read(name, words, "", "t")?.without_operands(name)?;
            Ok(Operation::Stop {
                session: options.session('t')?,
            })
        }
        "has-session" | "has" => {
            let options = CommandOptions::read(name, words, "", "t")?.without_operands(name)?;
            Ok(Operation::Has {
                session: options.session('t')?,
            })
        }
        "list-sessions" | "ls" => {
            CommandOptions::read(name, words, "", "")?.without_operands(name)?;
            Ok(Operation::List)
        }
        "resize-window" | "resizew" => {
            let options = CommandOptions::read(name, words, "", "txy")?.without_operands(name)?;
            let (cols, rows) = (options.number('x', COLS)?, options.number('y', ROWS)?);
            if cols.is_none() && rows.is_none() {
                return Err(invalid(format!("`{name}` needs `-x COLS`, `-y ROWS` or both")));
            }
            Ok(Operation::Resize {
                session: options.session('t')?,
                cols,
                rows,
            })
        }
        "kill-server" => {
            CommandOptions::read(name, words, "", "")?.without_operands(name)?;
            Ok(Operation::StopAll)
        }
        other => Err(invalid(format!(
            "`{other}` is not supported; supported are {SUPPORTED}"
        ))),
    }
}

fn start(words: &[String]) -> Result<Operation, TmuxError> {
    let options = CommandOptions::read("new-session", words, "dA", "sxycne")?;
    let environment = options.values('e').map(|pair| {
        let (name, value) = pair
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| invalid(format!("`-e {pair}` is not NAME=VALUE")))?;
        Ok((name.to_owned(), value.to_owned()))
    });
    let command = match options.operands {
        [] => None,
        [command] => Some(command.clone()),
        several => Some(
            several
                .iter()
                .map(|word| quoted(word))
                .collect::<Vec<_>>()
                .join(" "),
        ),
    };
    let (session, environment) = (options.session('s')?, environment.collect::<Result<_, _>>()?);
    let (cols, rows) = (options.number('x', COLS)?, options.number('y', ROWS)?);
    Ok(Operation::Start(StartRequest {
        workdir: options.values('c').last().cloned(),
        environment,
        reads_existing: options.has('A'),
        ..StartRequest::new(session, command, cols, rows)
    }))
}

fn send(words: &[String]) -> Result<Operation, TmuxError> {
    let options = CommandOptions::read("send-keys", words, "lHR", "t")?;
    let input = if options.has('H') {
        options
            .operands
            .iter()
            .map(|word| hexadecimal(word))
            .collect::<Result<_, _>>()?
    } else if options.has('l') {
        options.operands.iter().cloned().map(TypedInput::Text).collect()
    } else {
        options.operands.iter().cloned().map(TypedInput::Word).collect()
    };
    Ok(Operation::Send {
        session: options.session('t')?,
        input,
    })
}

fn hexadecimal(word: &str) -> Result<TypedInput, TmuxError> {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    u32::from_str_radix(digits, 16)
        .ok()
        .and_then(char::from_u32)
        .map(|character| TypedInput::Text(character.into()))
        .ok_or_else(|| invalid(format!("`{word}` is not the hexadecimal number of a character")))
}

/// The word for a shell, which reads it as it is.
fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_./=:,@%+".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Options of a command, each with its value where it takes one, and the words behind them.
struct CommandOptions<'a> {
    found: Vec<(char, String)>,
    operands: &'a [String],
}

impl<'a> CommandOptions<'a> {
    fn read(name: &str, words: &'a [String], flags: &str, valued: &str) -> Result<Self, TmuxError> {
        let mut found = Vec::new();
        let mut rest = words;
        while let [word, after @ ..] = rest {
            let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
                break;
            };
            rest = after;
            if letters == "-" {
                break;
            }
            let mut letters = letters.chars();
            while let Some(letter) = letters.next() {
                if flags.contains(letter) {
                    found.push((letter, String::new()));
                } else if valued.contains(letter) {
                    let attached = std::mem::replace(&mut letters, "".chars()).as_str().to_owned();
                    let value = if attached.is_empty() {
                        let (value, after) = rest
                            .split_first()
                            .ok_or_else(|| invalid(format!("`{name} -{letter}` needs a value")))?;
                        rest = after;
                        value.clone()
                    } else {
                        attached
                    };
                    found.push((letter, value));
                } else {
                    return Err(invalid(format!("`{name}` has no option `-{letter}` here")));
                }
            }
        }
        Ok(Self {
            found,
            operands: rest,
        })
    }

    fn without_operands(self, name: &str) -> Result<Self, TmuxError> {
        match self.operands {
            [] => Ok(self),
            [word, ..] => Err(invalid(format!("`{name}` takes no `{word}`"))),
        }
    }

    fn has(&self, letter: char) -> bool {
        self.values(letter).next().is_some()
    }

    fn values(&self, letter: char) -> impl DoubleEndedIterator<Item = &String> {
        let found = self.found.iter();
        found
            .filter(move |(known, _)| *known == letter)
            .map(|(_, value)| value)
    }

    /// The session of a target `NAME:window.pane`; the usual one where none is named.
    fn session(&self, letter: char) -> Result<String, TmuxError> {
        let Some(target) = self.values(letter).next_back() else {
            return Ok(DEFAULT_SESSION.to_owned());
        };
        let target = target.strip_prefix('=').unwrap_or(target);
        let name = target.split([':', '.']).next().unwrap_or_default();
        if !is_session_name(name) {
            return Err(invalid(format!(
                "`{name}` is no name of a session; use up to {MAX_NAME} letters, digits, `_` and `-`"
            )));
        }
        Ok(name.to_owned())
    }

    fn number(&self, letter: char, range: RangeInclusive<u16>) -> Result<Option<u16>, TmuxError> {
        let Some(text) = self.values(letter).next_back() else {
            return Ok(None);
        };
        // tmux's word for the size of the terminal it runs in, which it does not here.
        if text == "-" {
            return Ok(None);
        }
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.map(Some).ok_or_else(|| {
            let (least, most) = range.into_inner();
            invalid(format!(
                "`-{letter} {text}` is not a number from {least} to {most}"
            ))
        })
    }
}

#[cfg(test)]
mod tests;
