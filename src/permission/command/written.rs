//! The files that a simple command writes, makes or deletes, by its operands.

use super::Simple;
use super::base_name;
use super::files::{PathOperand, operand, operand_of_text};
use super::word::Word;

/// Paths that a command writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    pub targets: Vec<PathOperand>,
    /// Sources that are copied, moved or linked, and their destination.
    pub copied: Option<Copied>,
    /// True if what its wildcards stand for may be written.
    pub by_wildcard: bool,
}

/// Files that get to another place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    pub sources: Vec<PathOperand>,
    pub destination: PathOperand,
    /// True if whole directories are copied into what is there.
    pub is_recursive: bool,
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
pub fn written(command: &Simple) -> Written {
    let program = base_name(command.program());
    let words = &command.words[1..];
    match program {
        "rm" | "rmdir" | "unlink" | "shred" | "link" | "mkfifo" | "mknod" | "mktemp" | "split" | "csplit"
        | "chmod" | "chown" | "chgrp" | "patch" => all(words, &[]),
        "touch" => all(words, &["-d", "-r", "-t", "--date", "--reference"]),
        "truncate" => all(words, &["-s", "-r", "--size", "--reference"]),
        "mkdir" => all(words, &["-m", "--mode"]),
        "tee" => all(words, &[]),
        "cp" | "ln" | "install" => copied(program, words),
        "mv" => {
            let mut written = copied(program, words);
            let sources = written.copied.iter().flat_map(|copied| copied.sources.clone());
            let sources: Vec<PathOperand> = sources.collect();
            written.targets.extend(sources);
            written.by_wildcard = true;
            written
        }
        "sed" => sed(command, words),
        "sort" => Written {
            targets: sorted_into(words),
            ..Written::default()
        },
        "dd" => {
            let named = words.iter().filter(|word| !word.is_dynamic());
            let values = named.filter_map(|word| word.text.strip_prefix("of="));
            Written {
                targets: values.map(operand_of_text).collect(),
                ..Written::default()
            }
        }
        "find" if words.iter().any(|word| word.text == "-delete") => {
            let is_start = |word: &&Word| !word.text.starts_with('-') && !matches!(&*word.text, "(" | "!");
            Written {
                targets: words.iter().take_while(is_start).map(operand).collect(),
                by_wildcard: true,
                ..Written::default()
            }
        }
        _ => Written::default(),
    }
}

/// The words that are no options, and no values of these.
fn operands<'w>(words: &'w [Word], valued: &[&str]) -> Vec<&'w Word> {
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

fn all(words: &[Word], valued: &[&str]) -> Written {
    let mut targets: Vec<PathOperand> = operands(words, valued).into_iter().map(operand).collect();
    targets.extend(words.iter().flat_map(attached_values));
    Written {
        targets,
        by_wildcard: true,
        ..Written::default()
    }
}

/// The paths that may be attached to an option: `--name=VALUE`, and each end of `-abcVALUE`, because which letter
/// takes a value differs between programs.
fn attached_values(word: &Word) -> Vec<PathOperand> {
    let text = word.text.as_str();
    if let Some(long) = text.strip_prefix("--") {
        let value = long.split_once('=').map(|(_, value)| operand_of_text(value));
        return value.into_iter().collect();
    }
    let Some(letters) = text.strip_prefix('-') else {
        return Vec::new();
    };
    let ends = letters.char_indices().skip(1).map(|(at, _)| &letters[at..]);
    ends.map(operand_of_text).collect()
}

/// Returns true if a word is an option of `cp`, `mv`, `ln` or `install` whose meaning is known and takes no path
/// attached to other letters.
fn is_known_option(word: &Word) -> bool {
    const LETTERS: &str = "abcdDfFHiIlLnpPrRsTuvxZ";
    const NAMES: &[&str] = &[
        "--archive",
        "--attributes-only",
        "--backup",
        "--compare",
        "--debug",
        "--dereference",
        "--directory",
        "--exchange",
        "--force",
        "--group",
        "--interactive",
        "--link",
        "--logical",
        "--mode",
        "--no-clobber",
        "--no-copy",
        "--no-dereference",
        "--no-preserve",
        "--no-target-directory",
        "--one-file-system",
        "--owner",
        "--parents",
        "--physical",
        "--preserve",
        "--preserve-timestamps",
        "--recursive",
        "--reflink",
        "--relative",
        "--remove-destination",
        "--sparse",
        "--strip",
        "--strip-trailing-slashes",
        "--suffix",
        "--symbolic",
        "--symbolic-link",
        "--target-directory",
        "--update",
        "--verbose",
    ];
    let text = word.text.as_str();
    if text.starts_with("--") {
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        return name == "--" || NAMES.contains(&name);
    }
    let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
        return true;
    };
    letters.starts_with(['t', 'S', 'm', 'o', 'g']) || letters.chars().all(|letter| LETTERS.contains(letter))
}

fn copied(program: &str, words: &[Word]) -> Written {
    const VALUED: &[&str] = &[
        "-t",
        "-S",
        "-m",
        "-o",
        "-g",
        "--target-directory",
        "--suffix",
        "--mode",
        "--owner",
        "--group",
    ];
    let mut sources = operands(words, VALUED);
    let named = words.iter().enumerate().find_map(|(at, word)| {
        let text = word.text.as_str();
        if text == "-t" || text == "--target-directory" {
            return words.get(at + 1).map(operand);
        }
        let attached = text
            .strip_prefix("--target-directory=")
            .or_else(|| text.strip_prefix("-t").filter(|rest| !rest.is_empty()));
        attached.map(operand_of_text)
    });
    let is_letter = |letters: &[char]| {
        let letters = |word: &Word| {
            word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(letters)
        };
        words.iter().any(letters)
    };
    let long = |names: &[&str]| {
        words
            .iter()
            .any(|word| names.iter().any(|name| word.text.starts_with(name)))
    };
    if program == "install" && (is_letter(&['d']) || long(&["--directory"])) {
        return all(words, VALUED);
    }
    if !words.iter().all(is_known_option) {
        // Any of its words may be the destination.
        return all(words, &[]);
    }
    let last_is_wildcard = sources.last().is_some_and(|word| word.glob_at.is_some());
    let destination = match named {
        Some(destination) => destination,
        None if sources.len() < 2 => {
            // `ln a` makes a link of that name here.
            let Some(only) = sources.first().filter(|_| program == "ln") else {
                return Written::default();
            };
            let name = only.text.rsplit('/').next().unwrap_or(&only.text);
            operand_of_text(name)
        }
        None => match sources.pop() {
            Some(last) => operand(last),
            None => return Written::default(),
        },
    };
    // What a link leads to can be written by its name.
    let linked = if program == "ln" {
        sources.iter().map(|word| operand(word)).collect()
    } else {
        Vec::new()
    };
    let copies_directories =
        program == "cp" && (is_letter(&['r', 'R', 'a']) || long(&["--recursive", "--archive"]));
    Written {
        targets: linked,
        copied: Some(Copied {
            sources: sources.into_iter().map(operand).collect(),
            destination,
            is_recursive: copies_directories || program == "mv",
        }),
        by_wildcard: last_is_wildcard,
    }
}

/// The files that `sed -i` changes: everything but its script, whichever word that is.
fn sed(command: &Simple, words: &[Word]) -> Written {
    let texts: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    if crate::permission::harm::harm_of(&texts).is_none() {
        return Written::default();
    }
    all(words, &["-e", "-f", "-l", "--expression", "--file"])
}

/// `-o FILE`, in any of its spellings.
fn sorted_into(words: &[Word]) -> Vec<PathOperand> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = || words.get(at + 1).map(operand);
        if let Some(long) = word.text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            if !name.is_empty() && "output".starts_with(name) {
                found.extend(value.map(operand_of_text).or_else(next));
            }
            continue;
        }
        let letters = word.text.strip_prefix('-').unwrap_or_default();
        match letters.split_once('o') {
            Some((_, "")) => found.extend(next()),
            Some((_, attached)) => found.push(operand_of_text(attached)),
            None => {}
        }
    }
    found
}
