//! Commands that look through the files of whole directories: `grep -r`, `rg`, `diff` of directories, `find -exec cat`.

mod find;

use ignore::types::TypesBuilder;

use super::Simple;
use super::operand::{PathOperand, literal, operand};
use super::read_only::{is_short_for, options_of};
use super::word::Word;
use crate::permission::Pattern;

/// The files that a command searches.
#[derive(Debug, Clone, Default)]
pub struct DirectorySearch {
    /// Paths that are searched; those that are no directory do not count.
    pub operands: Vec<PathOperand>,
    /// True if it may look through the directory it runs in: nothing else is named, or that is not certain.
    pub here: bool,
    /// True if hidden and ignored files are left out.
    pub filtered: bool,
    pub follows_links: bool,
    /// True if it shows the files behind links that it meets and does not follow.
    pub shows_links: bool,
    /// Types of file by which `rg` searches; a hidden file of such a type is searched, too.
    types: Option<Types>,
    included: Vec<String>,
    /// True if those may be compared without regard to case.
    ignores_case: bool,
    excluded_directories: Vec<String>,
}

impl DirectorySearch {
    /// Everything below the directories that it is given.
    pub fn everything(follows_links: bool) -> Self {
        Self {
            follows_links,
            ..Self::default()
        }
    }

    pub fn looks_into(&self, file: &str) -> bool {
        let is_in = |file: &str| self.included.iter().any(|glob| is_match(glob, file));
        self.included.is_empty() || is_in(file) || self.ignores_case && is_in(&file.to_lowercase())
    }

    /// Returns true if it searches for types of file, which let in hidden names.
    pub fn has_types(&self) -> bool {
        self.types.is_some()
    }

    /// Returns false if its types leave out a file of this name.
    pub fn may_have_type(&self, file: &str) -> bool {
        match &self.types {
            Some(Types::Known(types)) => !types.matched(file, false).is_ignore(),
            Some(Types::Unknown) | None => true,
        }
    }

    pub fn enters(&self, directory: &str) -> bool {
        !self.excluded_directories.iter().any(|name| name == directory)
    }
}

/// A glob with more than stars and question marks is taken to match.
fn is_match(glob: &str, name: &str) -> bool {
    glob.contains(['[', '\\', '{', '/']) || Pattern::new(glob, None).matches(name)
}

struct Options {
    /// Letters that take a value.
    valued: &'static str,
    /// Long options that take none.
    flags: &'static [&'static str],
}

const GREP: Options = Options {
    valued: "ABCDdefm",
    flags: &[
        "recursive",
        "dereference-recursive",
        "line-number",
        "ignore-case",
        "files-with-matches",
        "files-without-match",
        "count",
        "word-regexp",
        "line-regexp",
        "fixed-strings",
        "extended-regexp",
        "perl-regexp",
        "only-matching",
        "invert-match",
        "no-messages",
        "with-filename",
        "no-filename",
        "text",
        "quiet",
        "color",
    ],
};

const RG: Options = Options {
    valued: "ABCEefgjmMrtTd",
    flags: &[
        "line-number",
        "ignore-case",
        "smart-case",
        "case-sensitive",
        "hidden",
        "no-ignore",
        "no-ignore-vcs",
        "follow",
        "files-with-matches",
        "files-without-match",
        "count",
        "count-matches",
        "word-regexp",
        "fixed-strings",
        "pcre2",
        "only-matching",
        "invert-match",
        "multiline",
        "no-heading",
        "heading",
        "no-filename",
        "with-filename",
        "no-line-number",
        "column",
        "json",
        "stats",
        "text",
        "trim",
        "vimgrep",
        "no-config",
        "quiet",
    ],
};

/// Returns the files that a command searches, if it is one that does.
pub fn search(command: &Simple) -> Option<DirectorySearch> {
    let arguments = &command.words[1..];
    let long = |names: &[&str]| arguments.iter().any(|word| is_short_for(&word.text, names));
    let short = |letters: &[char]| {
        arguments.iter().any(|word| {
            let text = word.text.as_str();
            text.starts_with('-') && !text.starts_with("--") && text.contains(letters)
        })
    };
    match super::base_name(command.program()) {
        "grep" => {
            let recurses = short(&['r', 'R'])
                || long(&["recursive", "dereference-recursive", "directories"])
                || arguments.iter().any(|word| word.text.ends_with("recurse"));
            recurses.then(|| {
                let globs = Globs::of(arguments);
                DirectorySearch {
                    follows_links: short(&['R']) || long(&["dereference-recursive"]),
                    included: globs.included,
                    excluded_directories: globs.excluded_directories,
                    ..searched(arguments, &GREP)
                }
            })
        }
        "rg" if lists_files(arguments) => None,
        "rg" => {
            // A glob of its own brings back what is hidden or ignored.
            let begins = |start: &str| arguments.iter().any(|word| word.text.starts_with(start));
            let is_unfiltered = short(&['u', '.', 'g']) || RG_UNFILTERED.iter().copied().any(begins);
            let has_types = short(&['t', 'T']) || begins("--type");
            Some(DirectorySearch {
                included: searched_by_rg(arguments).unwrap_or_default(),
                ignores_case: true,
                filtered: !is_unfiltered,
                types: has_types.then(|| Types::of(arguments)),
                follows_links: short(&['L']) || begins("--follow"),
                ..searched(arguments, &RG)
            })
        }
        "diff" => Some(DirectorySearch {
            // `--from-file=a` may name a directory, too.
            operands: arguments
                .iter()
                .flat_map(|word| [Some(operand(word)), attached_value(word)])
                .flatten()
                .collect(),
            follows_links: true,
            ..DirectorySearch::default()
        }),
        "find" => find::find(arguments),
        _ => None,
    }
}

fn attached_value(word: &Word) -> Option<PathOperand> {
    let (_, value) = word.text.split_once('=')?;
    Some(literal(value))
}

/// Beginnings of options by which `rg` searches what is hidden or ignored, or reads rules in another way.
const RG_UNFILTERED: &[&str] = &[
    "--hidden",
    "--no-ignore",
    "--unrestricted",
    "--glob",
    "--iglob",
    "--ignore-file",
    "--no-require-git",
];
/// Flags of `rg` that are not in the table of commands that only read.
const RG_FURTHER: (&str, &str) = ("uL.", "hidden no-ignore no-ignore-vcs unrestricted follow");

/// Returns true if `rg` names files and shows nothing of them.
fn lists_files(arguments: &[Word]) -> bool {
    // What a later one of these makes of it differs by version.
    const SHOWING: &[&str] = &[
        "c",
        "l",
        "count",
        "count-matches",
        "files-with-matches",
        "files-without-match",
        "json",
    ];
    let options = options_of("rg", arguments, RG_FURTHER.0, RG_FURTHER.1).unwrap_or_default();
    let has = |names: &[&str]| options.iter().any(|(name, _)| names.contains(&name.as_str()));
    has(&["files"]) && !has(SHOWING)
}

/// The globs of which a file's name has to match one, in lower case; `None` unless every word is understood. Each is made of
/// letters, digits, `.`, `_`, `-`, `*` and `?`: those mean the same to `rg` as here. What a glob with `!` takes away may be
/// looked at all the same.
fn searched_by_rg(arguments: &[Word]) -> Option<Vec<String>> {
    let options = options_of("rg", arguments, RG_FURTHER.0, RG_FURTHER.1)?;
    let mut globs = Vec::new();
    for (name, value) in options {
        if matches!(name.as_str(), "g" | "glob" | "iglob") {
            let value = value?;
            if !value.starts_with('!') {
                globs.push(value.to_ascii_lowercase());
            }
        }
    }
    let is_plain = |glob: &String| {
        let is_known = |c: char| c.is_ascii_alphanumeric() || "._-*?".contains(c);
        !glob.is_empty() && glob.chars().all(is_known)
    };
    globs.iter().all(is_plain).then_some(globs)
}

#[derive(Debug, Clone)]
enum Types {
    Known(ignore::types::Types),
    /// They may let in any name.
    Unknown,
}

impl Types {
    fn of(arguments: &[Word]) -> Self {
        let known = || {
            let options = options_of("rg", arguments, RG_FURTHER.0, RG_FURTHER.1)?;
            let mut types = TypesBuilder::new();
            types.add_defaults();
            for (name, value) in options {
                if matches!(name.as_str(), "t" | "type") {
                    types.select(&value?);
                } else if matches!(name.as_str(), "T" | "type-not") {
                    types.negate(&value?);
                }
            }
            types.build().ok()
        };
        known().map_or(Self::Unknown, Self::Known)
    }
}

/// Names that `grep` is told to search, and directories that it is told to skip.
#[derive(Default)]
struct Globs {
    included: Vec<String>,
    excluded_directories: Vec<String>,
}

impl Globs {
    /// Empty unless every word is understood. With `--exclude` the order decides about a name, and what matches none.
    fn of(arguments: &[Word]) -> Self {
        let Some(options) = options_of("grep", arguments, "R", "dereference-recursive") else {
            return Self::default();
        };
        let is_glob = |word: &&Word| word.text.starts_with("--in") || word.text.starts_with("--ex");
        if options.iter().any(|(name, _)| name == "exclude")
            || !arguments.iter().filter(is_glob).all(is_glob_or_suffix)
        {
            return Self::default();
        }
        let values = |option: &str| {
            let given = options.iter().filter(|(name, _)| name == option);
            given.filter_map(|(_, value)| value.clone()).collect::<Vec<_>>()
        };
        let mut globs = Self {
            included: values("include"),
            excluded_directories: values("exclude-dir"),
        };
        globs
            .excluded_directories
            .retain(|name| !name.contains(['*', '?', '[', '\\']));
        globs
    }
}

/// Returns true if what the shell may make of a word's wildcard, a file called `--include=a.rs`, matches no further names.
fn is_glob_or_suffix(word: &Word) -> bool {
    let is_suffix = |value: &str| {
        let rest = value.strip_prefix('*');
        rest.is_some_and(|rest| !rest.contains(['*', '?', '[', '\\', '{']))
    };
    let value = word.text.split_once('=').map_or("", |(_, value)| value);
    word.glob_at.is_none() || is_suffix(value)
}

/// The operands behind the pattern.
fn searched(arguments: &[Word], options: &Options) -> DirectorySearch {
    let mut operands: Vec<&Word> = Vec::new();
    let (mut has_pattern, mut is_certain) = (false, true);
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if text == "--" {
            operands.extend(rest);
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            let name = long.split('=').next().unwrap_or(long);
            has_pattern |= matches!(name, "regexp" | "file");
            is_certain &= long.contains('=') || options.flags.contains(&name);
        } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            let Some(at) = letters.find(|letter| options.valued.contains(letter)) else {
                continue;
            };
            has_pattern |= letters[at..].starts_with(['e', 'f']);
            if at + 1 == letters.len() {
                rest.next();
            }
        } else {
            operands.push(word);
        }
    }
    let skipped = usize::from(!has_pattern);
    let operands: Vec<PathOperand> = operands.into_iter().skip(skipped).map(operand).collect();
    DirectorySearch {
        here: operands.is_empty() || !is_certain,
        operands,
        ..DirectorySearch::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_through_is_told_from_patterns_and_values() {
        let found = |command: &str| {
            let analysis = super::super::analyse(command);
            let search = search(&analysis.commands[0])?;
            let operands: Vec<String> = search.operands.into_iter().map(|operand| operand.text).collect();
            let here = if search.here { " here" } else { "" };
            Some(format!("{}{here}", operands.join(" ")))
        };
        for (command, expected) in [
            ("grep x a", None),
            ("grep -rn x", Some(" here")),
            ("grep -rn x src lib", Some("src lib")),
            ("grep -rn -A 3 x src", Some("src")),
            ("grep -rnA3 x src", Some("src")),
            ("grep -re x src", Some("src")),
            ("grep --recursive --regexp=x src", Some("src")),
            ("grep -r --unknown x src", Some("src here")),
            ("rg x", Some(" here")),
            ("rg -C 2 -t rust x src", Some("src")),
            ("rg --files", None),
            ("rg --hidden -g '*.rs' --files src", None),
            ("rg -e --files -e x src", Some("src")),
            ("rg --regexp --files src", Some("src here")),
            ("rg x src -- --files", Some("src --files")),
            ("rg --files --json x src", Some("src here")),
            ("diff a b", Some("a b")),
            ("cat a", None),
        ] {
            assert_eq!(found(command).as_deref(), expected, "{command}");
        }
    }

    #[test]
    fn names_that_are_left_out_are_not_looked_into() {
        let looks = |command: &str| {
            let analysis = super::super::analyse(command);
            let search = search(&analysis.commands[0]).unwrap();
            (search.looks_into(".env"), search.enters("target"))
        };
        for (command, into, enters) in [
            ("grep -r --include='*.rs' --exclude-dir=target x .", false, false),
            ("grep -rn --include=*.rs --include '*.md' x .", false, true),
            ("grep -Rn x . --include='*.rs'", false, true),
            ("grep -r -e x --exclude-dir target .", true, false),
            ("grep -r --include='*.rs' --exclude=a.rs x .", true, true),
            ("grep -r --exclude=zzz --include=b x .", true, true),
            ("grep -r --include '.e*' --include=zzz x .", true, true),
            ("grep -r -e --include=zzz -e x .", true, true),
            ("grep -r --label --include=zzz x .", true, true),
            ("grep -r -e x -- . --include=zzz", true, true),
            ("grep -r -e --exclude-dir=target -e x .", true, true),
            ("grep -r --exclude-dir='targe[t]' x .", true, true),
            ("grep -r --unknown --include=zzz x .", true, true),
            ("grep -r --include=zzz \"$y\" .", true, true),
            ("grep -r --include=zz? x .", true, true),
            ("grep -r --include=zzz x *", true, true),
        ] {
            assert_eq!(looks(command), (into, enters), "{command}");
        }
    }

    #[test]
    fn globs_of_rg_leave_out_what_cannot_match() {
        let looks = |command: &str| {
            let analysis = super::super::analyse(command);
            let search = search(&analysis.commands[0]).unwrap();
            search.looks_into(".env")
        };
        for (command, into) in [
            ("rg -g '*.rs' x", false),
            ("rg -g'*.rs' x src", false),
            ("rg --glob='*.rs' --glob '*.md' x", false),
            ("rg -ng '*.rs' x", false),
            ("rg -g '*.rs' -g '!x*' y", false),
            ("rg --iglob '*.RS' x", false),
            ("rg -g '?.env' x", false),
            ("rg -g '*' x", true),
            ("rg -g '*.env' x", true),
            ("rg -g '.?nv' x", true),
            ("rg --iglob '*.ENV' x", true),
            ("rg -g '*.ENV' --glob-case-insensitive x", true),
            ("rg -g '*.rs' -g '.e*' x", true),
            ("rg -g '!*.rs' x", true),
            ("rg -g '*.{rs,env}' x", true),
            ("rg -g '[.]env' x", true),
            ("rg -g '\\.env' x", true),
            ("rg -g '/.env' x", true),
            ("rg -g '**/.env' x", true),
            ("rg -g '.env ' x", true),
            ("rg -g '#a' x", true),
            ("rg -g '' x", true),
            ("rg -e -g '*.rs' x", true),
            ("rg x -- -g '*.rs'", true),
            ("rg -g *.rs x", true),
            ("rg -g \"$y\" x", true),
            ("rg --unknown -g '*.rs' x", true),
            ("rg x", true),
        ] {
            assert_eq!(looks(command), into, "{command}");
        }
    }
}
