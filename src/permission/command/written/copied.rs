//! `cp`, `mv`, `ln` and `install`: the options are read as `getopt` reads them. With one that is not known nobody can say
//! which of the words is the destination, and each of them is taken for it.

use super::super::archives::is_git_move;
use super::super::operand::{PathOperand, literal, operand};
use super::super::word::{Word, name_and_value};
use super::super::{Simple, base_name};
use super::{Backup, WrittenPaths, all, operands_of};

/// Files that get to another place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedFiles {
    pub sources: Vec<PathOperand>,
    pub destination: PathOperand,
    /// True if whole directories are copied into what is there.
    pub is_recursive: bool,
    pub links: LinksCopied,
    /// True if the sources keep their directories below the destination.
    pub keeps_parents: bool,
    /// True if the destination is a name, also where it is a directory.
    pub is_name: bool,
    /// True if the destination is a directory, also where it is not there yet.
    pub is_directory: bool,
}

/// Treatment of links, at the sources and below them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinksCopied {
    /// The files that they lead to are copied.
    Followed,
    /// They may get to the new place as links.
    Kept,
    /// A new link is made for each source, whatever that is.
    Made,
}

/// Programs that give files other names.
const COPYING: &[&str] = &["cp", "mv", "ln", "install"];

/// Returns true if a command gives files other names.
pub fn brings_files(command: &Simple) -> bool {
    COPYING.contains(&base_name(command.program())) || is_git_move(command)
}

/// Returns true if a command takes files from where they are.
pub fn moves_files(command: &Simple) -> bool {
    base_name(command.program()) == "mv" || is_git_move(command)
}

/// Letters of options without a value, of any of the programs.
const FLAGS: &str = "abcCdDfFhHiIlLnpPrRsTuvxXZ";
/// Long options without a value, or with one behind a `=`.
const LONG_FLAGS: &[&str] = &[
    "archive",
    "attributes-only",
    "backup",
    "compare",
    "context",
    "debug",
    "dereference",
    "directory",
    "exchange",
    "force",
    "interactive",
    "link",
    "logical",
    "no-clobber",
    "no-copy",
    "no-dereference",
    "no-target-directory",
    "one-file-system",
    "parents",
    "physical",
    "preserve",
    "preserve-timestamps",
    "recursive",
    "reflink",
    "relative",
    "remove-destination",
    "strip",
    "strip-trailing-slashes",
    "symbolic",
    "symbolic-link",
    "update",
    "verbose",
];
/// Long options with a value, and the letters that are short for them.
const LONG_VALUED: &[(&str, char)] = &[
    ("target-directory", 't'),
    ("suffix", 'S'),
    ("mode", 'm'),
    ("owner", 'o'),
    ("group", 'g'),
    ("sparse", '-'),
    ("no-preserve", '-'),
    ("strip-program", '-'),
];
/// Words that are tried as destinations.
const MAX_DESTINATIONS: usize = 16;

/// The words of a command by what they are.
#[derive(Default)]
struct Arguments<'w> {
    letters: Vec<char>,
    long: Vec<&'static str>,
    /// By the letter of the option; `-` where there is none.
    values: Vec<(char, PathOperand)>,
    operands: Vec<&'w Word>,
}

enum LongOption {
    Flag,
    /// The letter that is short for it.
    Valued(char),
    Unknown,
}

impl<'w> Arguments<'w> {
    /// `None` for an option that is not known.
    fn read(program: &str, words: &'w [Word]) -> Option<Self> {
        let valued = if program == "install" { "tSmog" } else { "tS" };
        let mut read = Self::default();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            if text == "--" {
                read.operands.extend(rest);
                break;
            }
            if !text.starts_with('-') || text == "-" {
                read.operands.push(word);
                continue;
            }
            if let Some(long) = text.strip_prefix("--") {
                let (name, value) = name_and_value(long);
                let letter = match read.long(name) {
                    LongOption::Flag => continue,
                    LongOption::Valued(letter) => letter,
                    LongOption::Unknown => return None,
                };
                let value = match value {
                    Some(value) => part_of(word, value),
                    None => operand(rest.next()?),
                };
                read.values.push((letter, value));
                continue;
            }
            let letters = &text[1..];
            for (at, letter) in letters.char_indices() {
                if FLAGS.contains(letter) {
                    read.letters.push(letter);
                    continue;
                }
                if !valued.contains(letter) {
                    return None;
                }
                let value = match &letters[at + 1..] {
                    "" => operand(rest.next()?),
                    value => part_of(word, value),
                };
                read.values.push((letter, value));
                break;
            }
        }
        Some(read)
    }

    /// Takes a long option, which may be cut short.
    fn long(&mut self, name: &str) -> LongOption {
        let is_meant = |known: &str| known.starts_with(name);
        if let Some((_, letter)) = LONG_VALUED.iter().find(|(known, _)| *known == name) {
            return LongOption::Valued(*letter);
        }
        if let Some(known) = LONG_FLAGS.iter().find(|known| **known == name) {
            self.long.push(known);
            return LongOption::Flag;
        }
        let mut valued = LONG_VALUED.iter().filter(|(known, _)| is_meant(known));
        let flags: Vec<&str> = LONG_FLAGS
            .iter()
            .copied()
            .filter(|known| is_meant(known))
            .collect();
        match (valued.next(), valued.next(), flags.is_empty()) {
            (None, _, false) => {
                self.long.extend(flags);
                LongOption::Flag
            }
            (Some((_, letter)), None, true) => LongOption::Valued(*letter),
            _ => LongOption::Unknown,
        }
    }

    fn has(&self, letters: &[char], long: &[&str]) -> bool {
        letters.iter().any(|letter| self.letters.contains(letter))
            || long.iter().any(|name| self.long.contains(name))
    }

    fn value(&self, letter: char) -> Option<&PathOperand> {
        let mut values = self.values.iter().rev();
        values.find(|(known, _)| *known == letter).map(|(_, value)| value)
    }
}

/// A value that is written in the word of its option.
fn part_of(word: &Word, value: &str) -> PathOperand {
    PathOperand {
        dynamic: !word.is_literal(),
        ..literal(value)
    }
}

pub(super) fn copied(command: &Simple) -> WrittenPaths {
    let (program, words) = if is_git_move(command) {
        ("mv", &command.words[2..])
    } else {
        (base_name(command.program()), &command.words[1..])
    };
    let Some(arguments) = Arguments::read(program, words) else {
        return any_may_be_the_destination(words);
    };
    if program == "install" && arguments.has(&['d'], &["directory"]) {
        let mut written = all(words, &[]);
        written.backup = backup(&arguments);
        return written;
    }
    let mut sources = arguments.operands.clone();
    let last_is_wildcard = sources.last().is_some_and(|word| word.glob_at.is_some());
    let destination = match arguments.value('t') {
        Some(destination) => destination.clone(),
        None if sources.len() < 2 => {
            match sources.first() {
                // `ln a` makes a link of that name here.
                Some(only) if program == "ln" => {
                    let name = only.text.rsplit('/').next().unwrap_or(&only.text);
                    literal(name)
                }
                // It may be the source as well as the destination.
                Some(only) if command.more_operands => operand(only),
                _ => {
                    return WrittenPaths {
                        backup: backup(&arguments).filter(|_| command.more_operands),
                        ..WrittenPaths::default()
                    };
                }
            }
        }
        None => match sources.pop() {
            Some(last) => operand(last),
            None => return WrittenPaths::default(),
        },
    };
    let sources: Vec<PathOperand> = sources.into_iter().map(operand).collect();
    let copied = CopiedFiles {
        sources: sources.clone(),
        destination,
        is_recursive: program == "mv"
            || program == "cp" && arguments.has(&['r', 'R', 'a'], &["recursive", "archive"]),
        links: links(program, &arguments),
        keeps_parents: arguments.has(&[], &["parents"]),
        is_name: arguments.has(&['T'], &["no-target-directory"]),
        is_directory: arguments.value('t').is_some(),
    };
    let mut written = WrittenPaths {
        by_wildcard: last_is_wildcard || program == "mv",
        backup: backup(&arguments),
        ..WrittenPaths::default()
    };
    // What a link leads to can be written by its name.
    let makes_links = arguments.has(&['l', 's'], &["link", "symbolic-link"]);
    if matches!(program, "mv" | "ln") || program == "cp" && makes_links {
        written.targets = sources;
    }
    if arguments.has(&[], &["exchange"]) {
        written.copied = exchanged(&copied);
    }
    written.copied.insert(0, copied);
    written
}

fn links(program: &str, arguments: &Arguments<'_>) -> LinksCopied {
    let makes = arguments.has(&['s'], &["symbolic", "symbolic-link"]);
    match program {
        "ln" | "cp" if makes => LinksCopied::Made,
        "install" => LinksCopied::Followed,
        "cp" => {
            let keeps = arguments.has(&['P', 'd', 'a', 'H', 'l'], &["archive", "link", "no-dereference"]);
            let recurses = arguments.has(&['r', 'R'], &["recursive"]);
            let follows = arguments.has(&['L'], &["dereference"]);
            if keeps || recurses && !follows {
                LinksCopied::Kept
            } else {
                LinksCopied::Followed
            }
        }
        _ => LinksCopied::Kept,
    }
}

/// `mv --exchange a b`: what is at the destination, or of that name in it, gets the name of the source.
fn exchanged(copied: &CopiedFiles) -> Vec<CopiedFiles> {
    let mut back = Vec::new();
    for source in &copied.sources {
        let name = source.text.trim_end_matches('/').rsplit('/').next();
        let inside = PathOperand {
            text: format!("{}/{}", copied.destination.text, name.unwrap_or_default()),
            ..copied.destination.clone()
        };
        back.push(CopiedFiles {
            sources: vec![copied.destination.clone(), inside],
            destination: source.clone(),
            is_name: true,
            ..copied.clone()
        });
    }
    back
}

fn any_may_be_the_destination(words: &[Word]) -> WrittenPaths {
    let mut written = all(words, &[]);
    let operands: Vec<PathOperand> = operands_of(words, &[]).into_iter().map(operand).collect();
    let here = literal(".");
    for destination in std::iter::once(&here)
        .chain(&written.targets)
        .take(MAX_DESTINATIONS)
    {
        let sources = operands.iter().filter(|source| *source != destination);
        written.copied.push(CopiedFiles {
            sources: sources.cloned().collect(),
            destination: destination.clone(),
            is_recursive: true,
            links: LinksCopied::Kept,
            keeps_parents: true,
            is_name: false,
            is_directory: true,
        });
    }
    written.backup = Some(Backup::default());
    written
}

fn backup(arguments: &Arguments<'_>) -> Option<Backup> {
    let suffix = arguments.value('S');
    if suffix.is_none() && !arguments.has(&['b'], &["backup"]) {
        return None;
    }
    Some(match suffix {
        None => Backup::by_default(),
        Some(suffix) => Backup::with(
            &suffix.text,
            !suffix.dynamic && !suffix.tilde && suffix.variable.is_none(),
        ),
    })
}
