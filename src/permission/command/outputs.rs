//! The files and directories that programs write which are no programs for files: by an option for the output, as their
//! last operand, or by a script in their words.
//!
//! Options for outputs have the same few names in most programs, so they count for every program that is not known to
//! only read. It is used for protected names alone: there a path too many does no harm, because hardly any command names one.

use super::files::READERS;
use super::operand::{PathOperand, literal, operand, option_values};
use super::word::Word;
use super::{Simple, base_name};

/// Options whose value is a file or a directory that is written.
const OUTPUT_OPTIONS: &[&str] = &[
    "output",
    "output-document",
    "output-directory",
    "output-dir",
    "outfile",
    "outdir",
    "out",
    "out-dir",
    "out-file",
    "dest",
    "destination",
    "target-dir",
    "target-directory",
    "directory-prefix",
    "work-tree",
];
/// Programs that change the files they are given, or put others in their place.
const IN_PLACE: &[&str] = &[
    "gzip",
    "gunzip",
    "bzip2",
    "bunzip2",
    "xz",
    "unxz",
    "lzma",
    "zstd",
    "unzstd",
    "compress",
    "uncompress",
    "ed",
    "red",
    "ex",
    "vi",
    "vim",
    "nvim",
    "nano",
    "emacs",
    "rename",
    "prename",
    "fallocate",
    "setfacl",
    "chattr",
    "setcap",
    "strip",
    "dos2unix",
    "unix2dos",
    "ranlib",
];
/// Programs whose last operand is what they write.
const INTO_LAST: &[&str] = &["rsync", "scp", "link", "uniq", "objcopy", "xxd", "clone", "ditto"];
/// Programs whose first operand is what they write.
const INTO_FIRST: &[&str] = &["zip", "flock", "script", "ar"];
/// Interpreters that change files in place with `-i`.
const WITH_IN_PLACE: &[&str] = &["perl", "ruby", "yq", "gawk"];
/// Subcommands of git that change the files in their words.
const GIT_CHANGES: &[&str] = &["mv", "rm", "restore", "checkout", "clean", "worktree", "bundle"];

/// Returns what a command writes beside what [`mod@super::written`] knows.
pub fn outputs(command: &Simple) -> Vec<PathOperand> {
    let words = &command.words[1..];
    let program = base_name(command.program());
    let mut found = Vec::new();
    if !READERS.contains(&program) || matches!(program, "gzip" | "install") {
        found.extend(output_options(program, words));
    }
    match program {
        "git" => found.extend(git(words)),
        "tar" | "bsdtar" => found.extend(tar(words)),
        "make" | "gmake" | "ninja" | "patch" => {
            found.extend(option_values(words, 'C', "directory"));
            found.extend(
                option_values(words, 'd', "directory")
                    .into_iter()
                    .filter(|_| program == "patch"),
            );
        }
        "unzip" | "cpio" => found.extend(option_values(
            words,
            if program == "unzip" { 'd' } else { 'D' },
            "directory",
        )),
        "wget" => found.extend(
            [
                option_values(words, 'O', "output-document"),
                option_values(words, 'P', ""),
            ]
            .concat(),
        ),
        "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" | "unzstd" if only_prints(words) => {
        }
        "openssl" => found.extend(after(words, "-out")),
        "find" => {
            let writing = words
                .iter()
                .enumerate()
                .filter(|(_, word)| word.text.starts_with("-fprint") || word.text == "-fls");
            found.extend(writing.filter_map(|(at, _)| words.get(at + 1)).map(operand));
        }
        "xxd" if !words.iter().any(|word| word.text.starts_with("-r")) && plain(words).len() < 2 => {}
        "uniq" | "xxd" if plain(words).len() < 2 => {}
        _ if IN_PLACE.contains(&program) => found.extend(plain(words).into_iter().map(operand)),
        _ if INTO_LAST.contains(&program) => found.extend(plain(words).last().map(|word| operand(word))),
        _ if INTO_FIRST.contains(&program) => found.extend(into_first(program, words)),
        _ if WITH_IN_PLACE.contains(&program) && in_place(words) => {
            found.extend(plain(words).into_iter().map(operand));
        }
        _ => {}
    }
    found
}

/// The words that are no options; values of options are among them.
fn plain(words: &[Word]) -> Vec<&Word> {
    words.iter().filter(|word| !word.text.starts_with('-')).collect()
}

fn into_first(program: &str, words: &[Word]) -> Vec<PathOperand> {
    let plain = plain(words).into_iter().map(operand);
    if program == "script" || program == "ar" {
        // What stands before it may be the value of an option.
        return plain.collect();
    }
    plain.take(1).collect()
}

fn in_place(words: &[Word]) -> bool {
    let mut options = words.iter().take_while(|word| word.text.starts_with('-'));
    options.any(|word| word.text.contains('i'))
}

fn only_prints(words: &[Word]) -> bool {
    let is_one = |word: &Word| match word.text.strip_prefix("--") {
        Some(long) => ["stdout", "to-stdout", "list", "test"].contains(&long),
        None => word.text.starts_with('-') && word.text.contains(['c', 'l', 't']),
    };
    words.iter().any(is_one)
}

fn after(words: &[Word], option: &str) -> Vec<PathOperand> {
    let places = words.iter().enumerate().filter(|(_, word)| word.text == option);
    places
        .filter_map(|(at, _)| words.get(at + 1))
        .map(operand)
        .collect()
}

fn output_options(program: &str, words: &[Word]) -> Vec<PathOperand> {
    // There these letters stand for something else.
    let has_letter = !matches!(
        program,
        "git" | "ls" | "ps" | "find" | "stat" | "ssh" | "mount" | "test" | "["
    );
    let mut found = if has_letter {
        option_values(words, 'o', "")
    } else {
        Vec::new()
    };
    for name in OUTPUT_OPTIONS {
        found.extend(option_values(words, '\0', name));
    }
    found
}

fn tar(words: &[Word]) -> Vec<PathOperand> {
    let mut found = Vec::new();
    let letters = |word: &Word| word.text.starts_with('-') && !word.text.starts_with("--");
    let old_style = words.first().filter(|word| !word.text.starts_with('-'));
    let has = |letter: char, long: &[&str]| {
        let is_one = |word: &Word| letters(word) && word.text.contains(letter);
        words.iter().any(is_one)
            || old_style.is_some_and(|word| word.text.contains(letter))
            || words.iter().any(|word| long.contains(&word.text.as_str()))
    };
    if has('x', &["--extract", "--get"]) {
        found.extend(option_values(words, 'C', "directory"));
    }
    if has('c', &["--create"]) || has('r', &["--append"]) || has('u', &["--update"]) {
        found.extend(option_values(words, 'f', "file"));
        if old_style.is_some_and(|word| word.text.contains('f')) {
            found.extend(words.get(1).map(operand));
        }
    }
    found
}

/// Outputs of git, seen from the directory that `-C` names.
fn git(words: &[Word]) -> Vec<PathOperand> {
    let mut found = Vec::new();
    let mut directory = String::new();
    let mut rest = words;
    loop {
        rest = match rest {
            [option, value, after @ ..] if option.text == "-C" => {
                directory = if value.text.starts_with('/') || directory.is_empty() {
                    value.text.clone()
                } else {
                    format!("{directory}/{}", value.text)
                };
                after
            }
            [option, value, after @ ..] if option.text == "--work-tree" => {
                found.push(operand(value));
                after
            }
            [option, _, after @ ..] if matches!(option.text.as_str(), "-c" | "--git-dir" | "--namespace") => {
                after
            }
            [option, after @ ..] if option.text.starts_with('-') => {
                let tree = option.text.strip_prefix("--work-tree=");
                found.extend(tree.map(literal));
                after
            }
            _ => break,
        };
    }
    let Some((subcommand, rest)) = rest.split_first() else {
        return found;
    };
    let mut named = Vec::new();
    named.extend(option_values(rest, '\0', "output"));
    match subcommand.text.as_str() {
        "archive" => named.extend(option_values(rest, 'o', "")),
        "format-patch" => named.extend(option_values(rest, 'o', "output-directory")),
        "config" => named.extend(option_values(rest, 'f', "file")),
        "apply" => named.extend(option_values(rest, '\0', "directory")),
        "clone" => named.extend(plain(rest).last().map(|word| operand(word))),
        name if GIT_CHANGES.contains(&name) => named.extend(plain(rest).into_iter().map(operand)),
        _ => {}
    }
    if subcommand.text == "config" && plain(rest).len() < 2 {
        // It shows a value.
        named.clear();
    }
    for operand in named {
        let is_below = !directory.is_empty() && !operand.text.starts_with('/') && !operand.dynamic;
        found.push(if is_below {
            PathOperand {
                text: format!("{directory}/{}", operand.text),
                ..operand
            }
        } else {
            operand
        });
    }
    found
}

/// Returns the files that a script in a command's words may write: `w FILE` of `sed`, `> "FILE"` of `awk`.
pub fn named_in_script(command: &Simple) -> Vec<PathOperand> {
    let words = command.words[1..].iter().filter(|word| !word.is_dynamic());
    let texts = words.map(|word| word.text.as_str());
    let found: Vec<&str> = match base_name(command.program()) {
        "sed" => texts.flat_map(written_by_sed).collect(),
        "awk" | "gawk" | "mawk" | "nawk" => texts.flat_map(written_by_awk).collect(),
        _ => Vec::new(),
    };
    found.into_iter().map(literal).collect()
}

/// Returns the text behind each `w` up to the end of its line; command boundaries are not looked at.
fn written_by_sed(script: &str) -> Vec<&str> {
    let lines = script.lines();
    let places = lines.flat_map(|line| {
        line.match_indices(['w', 'W'])
            .map(|(at, _)| line[at + 1..].trim())
    });
    places.filter(|name| !name.is_empty()).take(MAX_NAMES).collect()
}

/// The texts in quotes behind a `>`.
fn written_by_awk(program: &str) -> Vec<&str> {
    let places = program.match_indices('>').take(MAX_NAMES);
    let texts = places.filter_map(|(at, _)| {
        let rest = program[at + 1..].trim_start_matches(['>', ' ', '\t', '(']);
        rest.strip_prefix('"')?.split('"').next()
    });
    texts.filter(|name| !name.is_empty()).collect()
}

/// Names that are taken from one script.
const MAX_NAMES: usize = 200;
