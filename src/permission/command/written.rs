//! The files that a simple command writes, makes or deletes, by its operands.

mod copied;
mod in_place;

use self::copied::copied;
pub use self::copied::{CopiedFiles, LinksCopied, brings_files, moves_files};
use self::in_place::sed;
use super::Simple;
use super::base_name;
use super::operand::{PathOperand, literal, operand};
use super::word::{Word, name_and_value};

/// Paths that a command writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenPaths {
    pub targets: Vec<PathOperand>,
    /// Sources that are copied, moved or linked, and their destinations: more than one where that is not certain.
    pub copied: Vec<CopiedFiles>,
    /// True if what its wildcards stand for may be written.
    pub by_wildcard: bool,
    /// The names under which it keeps the files that it writes over.
    pub backup: Option<Backup>,
}

/// Names of the files that a command keeps when it writes others in their places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Backup {
    /// Suffixes of the backup names. A `*` in one stands for the file's name. In one with a `*` that stands for a
    /// file's name.
    pub suffixes: Vec<String>,
    /// True if they get no other names than these.
    pub is_certain: bool,
    /// True if the command does not say what stands behind them.
    pub is_default: bool,
}

impl Backup {
    fn by_default() -> Self {
        Self {
            is_certain: true,
            is_default: true,
            ..Self::with("~", true)
        }
    }

    /// `is_literal` is false where only the shell knows the suffix.
    fn with(suffix: &str, is_literal: bool) -> Self {
        Self {
            suffixes: vec![suffix.to_owned()],
            is_certain: is_literal && is_plain(suffix),
            is_default: false,
        }
    }

    /// A suffix as `sed` takes it.
    fn of_pattern(suffix: &str, is_literal: bool) -> Self {
        let rest = suffix.replace(['*', '/'], "");
        Self {
            is_certain: is_literal && (rest.is_empty() || is_plain(&rest)),
            ..Self::with(suffix, is_literal)
        }
    }

    fn add(&mut self, other: Self) {
        self.suffixes.extend(other.suffixes);
        self.is_certain &= other.is_certain;
    }
}

/// Returns true for a suffix that every program puts behind a name as it is.
pub fn is_plain(suffix: &str) -> bool {
    !suffix.is_empty()
        && suffix
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".~_-".contains(&byte))
}

/// Programs that change files of the project and do nothing else, in their plain forms.
const EDITS: &[&str] = &["mkdir", "touch", "cp", "mv"];

/// Returns true if a command is one that accepted edits include, if all of its files are in the project.
pub fn is_edit(command: &Simple) -> bool {
    EDITS.contains(&command.program())
        && command.around.is_empty()
        && !command.has_assignments
        && !command.more_operands
        && command.words.iter().all(|word| !word.is_dynamic())
}

/// Returns the paths that a command writes by its operands; redirections are told elsewhere.
pub fn written(command: &Simple) -> WrittenPaths {
    let program = base_name(command.program());
    let words = &command.words[1..];
    match program {
        "rm" | "rmdir" | "unlink" | "shred" | "link" | "mkfifo" | "mknod" | "mktemp" | "split" | "csplit"
        | "chmod" | "chown" | "chgrp" => all(words, &[]),
        "patch" => WrittenPaths {
            backup: kept_by_patch(words),
            ..all(words, &[])
        },
        "touch" => all(words, &["-d", "-r", "-t", "--date", "--reference"]),
        "truncate" => all(words, &["-s", "-r", "--size", "--reference"]),
        "mkdir" => all(words, &["-m", "--mode"]),
        "tee" => all(words, &[]),
        _ if brings_files(command) => copied(command),
        "sed" => sed(command, words),
        "sort" => WrittenPaths {
            targets: sorted_into(words),
            ..WrittenPaths::default()
        },
        "dd" => {
            let named = words.iter().filter(|word| !word.is_dynamic());
            let values = named.filter_map(|word| word.text.strip_prefix("of="));
            WrittenPaths {
                targets: values.map(literal).collect(),
                ..WrittenPaths::default()
            }
        }
        "find" if words.iter().any(|word| word.text == "-delete") => {
            let is_start = |word: &&Word| !word.text.starts_with('-') && !matches!(&*word.text, "(" | "!");
            WrittenPaths {
                targets: words.iter().take_while(is_start).map(operand).collect(),
                by_wildcard: true,
                ..WrittenPaths::default()
            }
        }
        _ => WrittenPaths::default(),
    }
}

fn kept_by_patch(words: &[Word]) -> Option<Backup> {
    let mut kept = Backup::default();
    for (at, word) in words.iter().enumerate() {
        let (text, next) = (word.text.as_str(), words.get(at + 1));
        let attached = ["--suffix=", "-z"]
            .iter()
            .find_map(|option| text.strip_prefix(option));
        match (attached, next) {
            (Some(""), Some(next)) => kept.suffixes.push(next.text.clone()),
            (Some(suffix), _) => kept.suffixes.push(suffix.to_owned()),
            (None, Some(next)) if text == "--suffix" => kept.suffixes.push(next.text.clone()),
            _ => {}
        }
    }
    (!kept.suffixes.is_empty()).then_some(kept)
}

/// The words that are no options, and no values of these.
fn operands_of<'w>(words: &'w [Word], valued: &[&str]) -> Vec<&'w Word> {
    let mut found = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if text == "--" {
            found.extend(rest);
            break;
        }
        if text.starts_with('-') && text.len() > 1 {
            if valued.contains(&text) {
                rest.next();
            }
            continue;
        }
        found.push(word);
    }
    found
}

fn all(words: &[Word], valued: &[&str]) -> WrittenPaths {
    let mut targets: Vec<PathOperand> = operands_of(words, valued).into_iter().map(operand).collect();
    targets.extend(words.iter().flat_map(attached_values));
    WrittenPaths {
        targets,
        by_wildcard: true,
        ..WrittenPaths::default()
    }
}

/// The paths that may be attached to an option: `--name=VALUE`, and each end of `-abcVALUE`, because which letter
/// takes a value differs between programs.
fn attached_values(word: &Word) -> Vec<PathOperand> {
    let text = word.text.as_str();
    if let Some(long) = text.strip_prefix("--") {
        let value = long.split_once('=').map(|(_, value)| literal(value));
        return value.into_iter().collect();
    }
    let Some(letters) = text.strip_prefix('-') else {
        return Vec::new();
    };
    let ends = letters.char_indices().skip(1).map(|(at, _)| &letters[at..]);
    ends.map(literal).collect()
}

/// `-o FILE`, in any of its spellings.
fn sorted_into(words: &[Word]) -> Vec<PathOperand> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = || words.get(at + 1).map(operand);
        if let Some(long) = word.text.strip_prefix("--") {
            let (name, value) = name_and_value(long);
            if !name.is_empty() && "output".starts_with(name) {
                found.extend(value.map(literal).or_else(next));
            }
            continue;
        }
        let letters = word.text.strip_prefix('-').unwrap_or_default();
        match letters.split_once('o') {
            Some((_, "")) => found.extend(next()),
            Some((_, attached)) => found.push(literal(attached)),
            None => {}
        }
    }
    found
}
