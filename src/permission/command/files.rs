//! The paths in a simple command.
//!
//! For a list of programs every operand is a path; for the others only what looks like one. The caller resolves them and
//! asks for those outside the project.

use super::Simple;
use super::base_name;
use super::operand::{PathOperand, before_glob, literal, operand};
use super::word::Word;

const ALL_OPERANDS: &[&str] = &[
    "cd", "chdir", "pushd", "popd", "rm", "cp", "mv", "ln", "mkdir", "rmdir", "touch", "chmod", "chown",
    "cat", "head", "tail", "tee", "sort", "uniq", "dd", "install", "rsync", "tar", "unzip", "sed", "awk",
];

/// Their words are text.
const NO_PATHS: &[&str] = &[
    "echo", "printf", "basename", "dirname", "expr", "seq", "test", "[",
];

pub(super) fn is_listed(program: &str) -> bool {
    [ALL_OPERANDS, NO_PATHS, READERS]
        .iter()
        .any(|list| list.contains(&program))
}

/// Returns true if every operand of a program is a path.
pub fn takes_paths(command: &Simple) -> bool {
    ALL_OPERANDS.contains(&base_name(command.program()))
}

/// Returns the paths that are checked for `external_directory`.
pub fn paths(command: &Simple) -> Vec<PathOperand> {
    let program = base_name(command.program());
    if NO_PATHS.contains(&program) {
        return Vec::new();
    }
    let takes_all = ALL_OPERANDS.contains(&program);
    // It could be the value of an option before it.
    let is_certain = |at: &usize| takes_all || ends_an_option(&command.words[at - 1]);
    let skipped = program_operand(program, &command.words).filter(is_certain);
    let mut found = Vec::new();
    for (index, part) in parts(&command.words) {
        match part {
            NamePart::Option(word) => {
                found.extend(option_value(word).filter(looks_like_path));
                found.extend(attached_path(word).filter(|_| takes_all));
                found.extend(Some(operand(word)).filter(|operand| takes_all && operand.dynamic));
            }
            NamePart::Operand(_) if Some(index) == skipped => {}
            NamePart::Operand(word) if program == "dd" && !word.is_dynamic() => {
                let value = word.text.split_once('=').map(|(_, value)| literal(value));
                found.push(value.unwrap_or_else(|| operand(word)));
            }
            NamePart::Operand(word) => {
                found.extend(Some(operand(word)).filter(|operand| takes_all || looks_like_path(operand)));
            }
        }
    }
    found
}

/// Returns true if a word before an operand is no option that takes it for its value: `-rn`, `--include=x`.
fn ends_an_option(word: &Word) -> bool {
    const FLAGS: &str = "EFGHPRchilnoqrsvwxz";
    match (word.text.strip_prefix("--"), word.text.strip_prefix('-')) {
        (Some(long), _) => long.is_empty() || long.contains('='),
        (None, Some(letters)) => letters.chars().all(|letter| FLAGS.contains(letter)),
        (None, None) => true,
    }
}

pub(super) const READERS: &[&str] = &[
    "cat",
    "head",
    "tail",
    "wc",
    "cut",
    "diff",
    "nl",
    "sort",
    "uniq",
    "grep",
    "rg",
    "sed",
    "awk",
    "tac",
    "rev",
    "paste",
    "comm",
    "cmp",
    "fold",
    "column",
    "jq",
    "xxd",
    "od",
    "hexdump",
    "strings",
    "less",
    "more",
    "base64",
    "base32",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "zcat",
    "gzip",
    "bat",
    "cp",
    "mv",
    "ln",
    "install",
];

/// Returns the paths that are checked for `read`: the files whose content a shell reader shows.
pub fn files_read(command: &Simple) -> Vec<PathOperand> {
    let program = base_name(command.program());
    if !READERS.contains(&program) {
        return Vec::new();
    }
    // What is copied can be read under its new name.
    let copied = super::written::written(command).copied;
    if !copied.is_empty() {
        return copied.into_iter().flat_map(|copied| copied.sources).collect();
    }
    let skipped = program_operand(program, &command.words);
    let mut found = Vec::new();
    for (index, part) in parts(&command.words) {
        match part {
            NamePart::Option(word) => {
                found.extend(option_value(word).filter(looks_like_path));
                found.extend(attached_path(word));
            }
            NamePart::Operand(_) if Some(index) == skipped => {}
            NamePart::Operand(word) => found.push(operand(word)),
        }
    }
    found
}

/// Everything in a command's words that would be a path if a file of that name were there: operands, what follows a `=`,
/// and of a reader also what follows an option's letters.
pub fn possible_paths(command: &Simple) -> Vec<PathOperand> {
    possible_paths_but(command, |_| false)
}

/// The same without the words that are certainly texts.
pub fn possible_paths_in_no_text(command: &Simple) -> Vec<PathOperand> {
    possible_paths_but(command, |index| is_text(command, index))
}

fn possible_paths_but(command: &Simple, leaves_out: impl Fn(usize) -> bool) -> Vec<PathOperand> {
    let program = base_name(command.program());
    if NO_PATHS.contains(&program) {
        return Vec::new();
    }
    let shows = shows_files(command);
    let skipped = program_operand(program, &command.words);
    let mut found = Vec::new();
    for (index, word) in command.words.iter().enumerate().skip(1) {
        if word.is_dynamic() || Some(index) == skipped || leaves_out(index) {
            continue;
        }
        if word.glob_at.is_none() {
            found.push(operand(word));
        }
        let text = word.text.as_str();
        found.extend(text.split_once('=').map(|(_, value)| literal(value)));
        if shows && text.starts_with('-') && !text.starts_with("--") {
            let letters = text.char_indices().skip(2);
            found.extend(letters.map(|(at, _)| literal(&text[at..])));
        }
    }
    found.retain(|operand| !operand.text.is_empty() || operand.variable.is_some());
    found
}

/// Options without a value behind which another option can stand.
const FLAGS: &[&str] = &["-n", "-E", "-r", "-i", "-o", "-v", "-l", "-a", "-q", "-s"];

/// Returns true if a word is certainly a text for the program: a script, a pattern or a message that an option brings.
fn is_text(command: &Simple, index: usize) -> bool {
    let text = |at: usize| command.words.get(at).map_or("", |word| word.text.as_str());
    let Some(option) = index.checked_sub(1).map(text) else {
        return false;
    };
    let brings_text = match (base_name(command.program()), text(1)) {
        ("sed", _) => matches!(option, "-e" | "--expression"),
        ("grep" | "rg", _) => matches!(option, "-e" | "--regexp"),
        ("git", "commit" | "tag" | "merge") => matches!(option, "-m" | "-am" | "--message"),
        ("git", "log") => option == "--grep",
        _ => false,
    };
    // An option before it could take this one for its value.
    let before = index.checked_sub(2).map_or("", text);
    let is_option = !before.starts_with('-') || FLAGS.contains(&before);
    let ends_options = command.words[..index].iter().any(|word| word.text == "--");
    brings_text && !ends_options && (is_option || before.is_empty())
}

/// Returns true if a program shows what is in the files it is given.
pub fn shows_files(command: &Simple) -> bool {
    let program = base_name(command.program());
    READERS.contains(&program) || program == "git"
}

/// `HEAD:a`, `:/a`: files that git keeps, seen from the top of the work tree.
pub fn in_git(command: &Simple) -> Vec<PathOperand> {
    if base_name(command.program()) != "git" {
        return Vec::new();
    }
    let words = command.words[1..].iter().filter(|word| !word.is_dynamic());
    let named = words.filter_map(|word| word.text.rsplit_once([':', ')']));
    named
        .map(|(_, path)| literal(path.trim_start_matches('/')))
        .filter(|operand| !operand.text.is_empty())
        .collect()
}

enum NamePart<'a> {
    Option(&'a Word),
    Operand(&'a Word),
}

/// The words after the program with their index; `--` ends the options.
fn parts(words: &[Word]) -> impl Iterator<Item = (usize, NamePart<'_>)> {
    let end = words
        .iter()
        .position(|word| word.text == "--")
        .unwrap_or(words.len());
    let after_program = words
        .iter()
        .enumerate()
        .skip(1)
        .filter(move |(index, _)| *index != end);
    after_program.map(move |(index, word)| {
        let is_option = index < end && word.text.len() > 1 && word.text.starts_with('-');
        (
            index,
            if is_option {
                NamePart::Option(word)
            } else {
                NamePart::Operand(word)
            },
        )
    })
}

/// Returns the index of the operand that is no path: the pattern of `grep`, the script of `sed` and `awk`, the mode of
/// `chmod`. In doubt it is taken for a path, which asks too much rather than too little. When in doubt it is taken for
/// a path, which asks too much rather than too little.
fn program_operand(program: &str, words: &[Word]) -> Option<usize> {
    let (letters, long): (&[char], &[&str]) = match program {
        "grep" | "rg" => (&['e', 'f'], &["regexp", "file", "files", "type-list"]),
        "sed" => (&['e', 'f'], &["expression", "file"]),
        "awk" => (&['e', 'f'], &["file", "source", "include", "exec"]),
        "jq" => (&['f'], &["from-file"]),
        // `chmod -w a` has its mode where options stand.
        "chmod" => (
            &['r', 'w', 'x', 'X', 's', 't', 'u', 'g', 'o', 'a'],
            &["reference"],
        ),
        _ => return None,
    };
    let takes_its_place = |word: &Word| match word.text.strip_prefix("--") {
        // GNU programs know an option by its first letters, too.
        Some(name) => {
            let name = name.split('=').next().unwrap_or(name);
            long.iter().any(|option| option.starts_with(name))
        }
        None => word.text.contains(letters),
    };
    let mut first = None;
    for (index, part) in parts(words) {
        match part {
            NamePart::Option(word) if takes_its_place(word) => return None,
            NamePart::Option(_) => {}
            NamePart::Operand(_) => first = first.or(Some(index)),
        }
    }
    first
}

/// `--opt=VALUE`; bash does not expand a `~` there.
fn option_value(word: &Word) -> Option<PathOperand> {
    let (name, value) = before_glob(word).split_once('=')?;
    name.starts_with("--").then(|| literal(value))
}

/// The path in `-t/etc` and `-xf../a`.
fn attached_path(word: &Word) -> Option<PathOperand> {
    let text = before_glob(word);
    let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
    let slash = letters.find('/')?;
    let start = letters[..slash].trim_end_matches('.').len();
    Some(literal(&letters[start..]))
}

fn looks_like_path(operand: &PathOperand) -> bool {
    let text = operand.text.as_str();
    if operand.variable.is_some() {
        return true;
    }
    if operand.dynamic && !operand.tilde && !text.starts_with(['/', '~', '.']) {
        return false;
    }
    if text.contains("://") {
        return false;
    }
    text.starts_with(['/', '~'])
        || text.starts_with("./")
        || text.starts_with("../")
        || text == ".."
        || text.contains("/../")
        || text.ends_with("/..")
}
