//! Commands inside a text that is not understood, for deny rules alone.
//!
//! The text is cut at everything that can separate commands, without regard to quotes, and quotes are then dropped, so
//! that `bash -c "cd x; rm -rf y"` gives `rm -rf y`. A quoted text that merely looks like a command is found as well;
//! that can deny too much and never too little. What only the shell can know (`$x`) is not found.

use std::collections::HashSet;

use super::base_name;
use crate::permission::wrappers::is_wrapper;

/// Longer texts cannot be handed to a shell in one argument.
const MAX_BYTES: usize = 2 << 20;

/// How many starts are tried in the words after a wrapper, and how much text all of them may add up to.
const MAX_STARTS: usize = 256;
const MAX_STARTS_BYTES: usize = 16 << 20;

/// Words before a command that [`is_wrapper`] does not know: the shell's own, and those of other shells.
const BEFORE_COMMANDS: &[&str] = &[
    "source",
    ".",
    "trap",
    "alias",
    "unalias",
    "noglob",
    "nocorrect",
    "-",
];

const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in",
    "function", "select", "time", "coproc", "{", "}", "!", "[[", "]]",
];

/// Everything in the text that could be run.
pub(super) fn pieces(command: &str) -> Vec<String> {
    if command.len() > MAX_BYTES {
        return Vec::new();
    }
    // A continued line is one line, and `$'rm'` is `rm`.
    let text = command
        .replace("\\\n", "")
        .replace("$'", "'")
        .replace("$\"", "\"");
    let mut found = PieceCollector {
        budget: MAX_STARTS_BYTES,
        ..PieceCollector::default()
    };
    let mut start = 0;
    let mut before = None;
    let separators = |c: char| {
        matches!(
            c,
            ';' | '&' | '|' | '\n' | '\r' | '(' | ')' | '{' | '}' | '`' | '<' | '>'
        )
    };
    for (at, separator) in text.match_indices(separators) {
        found.piece(&text[start..at], before);
        start = at + separator.len();
        before = separator.chars().next();
    }
    found.piece(&text[start..], before);
    found.list
}

#[derive(Default)]
struct PieceCollector {
    seen: HashSet<String>,
    list: Vec<String>,
    /// Bytes that starts after wrappers may still add.
    budget: usize,
}

impl PieceCollector {
    fn piece(&mut self, piece: &str, before: Option<char>) {
        let plain: String = piece
            .chars()
            .filter(|c| !matches!(c, '\'' | '"' | '\\'))
            .collect();
        let words: Vec<&str> = plain.split_whitespace().collect();
        self.command(&words);
        if matches!(before, Some('<' | '>')) {
            // The first word is where the redirection goes.
            self.command(words.get(1..).unwrap_or_default());
        }
        // `{rm,-rf,x}` is three words.
        if matches!(before, Some('{')) && plain.contains(',') {
            let words: Vec<&str> = plain
                .split([',', ' ', '\t'])
                .filter(|word| !word.is_empty())
                .collect();
            self.command(&words);
        }
    }

    fn command(&mut self, words: &[&str]) {
        let is_prefix = |word: &&&str| RESERVED.contains(*word) || is_assignment(word);
        let skipped = words.iter().take_while(is_prefix).count();
        let words = &words[skipped..];
        let Some(program) = words.first() else { return };
        self.add(words);
        let base = base_name(program);
        let acts = |word: &&str| word.starts_with("-exec") || word.starts_with("-ok");
        let is_wrapper = BEFORE_COMMANDS.contains(&base) || is_wrapper(base);
        if is_wrapper || (base == "find" && words.iter().any(acts)) {
            self.starts(words);
        }
        // `rm x 2>log` leaves a 2 behind.
        if let Some((_, rest)) = words
            .split_last()
            .filter(|(last, _)| last.bytes().all(|byte| byte.is_ascii_digit()))
        {
            self.add(rest);
        }
    }

    /// Somewhere after a wrapper's own options begins what it runs.
    fn starts(&mut self, words: &[&str]) {
        for start in 1..words.len().min(MAX_STARTS) {
            let bytes: usize = words[start..].iter().map(|word| word.len() + 1).sum();
            let Some(budget) = self.budget.checked_sub(bytes) else {
                return;
            };
            if !words[start].starts_with('-') {
                self.budget = budget;
                self.add(&words[start..]);
            }
        }
    }

    fn add(&mut self, words: &[&str]) {
        let Some((program, arguments)) = words.split_first() else {
            return;
        };
        for program in [*program, base_name(program)] {
            let mut text = program.to_owned();
            for argument in arguments {
                text.push(' ');
                text.push_str(argument);
            }
            if self.seen.insert(text.clone()) {
                self.list.push(text);
            }
        }
    }
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else {
        return false;
    };
    let name = name.trim_end_matches('+');
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | ']'))
}
