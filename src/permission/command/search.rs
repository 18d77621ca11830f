//! Commands that look through the files of whole directories: `grep -r`, `rg`, `diff` of directories, `find -exec cat`.

mod find;

use super::Simple;
use super::files::{PathOperand, operand, operand_of_text};
use super::read_only::is_short_for;
use super::word::Word;
use crate::permission::Pattern;

/// The files that a command searches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// Where; what is no directory does not count.
    pub operands: Vec<PathOperand>,
    /// True if it may look through the directory it runs in: nothing else is named, or that is not certain.
    pub here: bool,
    /// True if hidden and ignored files are left out.
    pub filtered: bool,
    pub follows_links: bool,
    /// Whether it shows the file that a link leads to which it meets and does not follow.
    pub shows_links: bool,
    included: Vec<String>,
    excluded: Vec<String>,
    excluded_directories: Vec<String>,
}

impl Search {
    /// Everything below the directories that it is given.
    pub fn everything(follows_links: bool) -> Self {
        Self {
            follows_links,
            ..Self::default()
        }
    }

    pub fn looks_into(&self, file: &str) -> bool {
        let is_in = |globs: &[String]| globs.iter().any(|glob| is_match(glob, file));
        (self.included.is_empty() || is_in(&self.included)) && !self.excluded.iter().any(|name| name == file)
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
pub fn search(command: &Simple) -> Option<Search> {
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
            recurses.then(|| Search {
                follows_links: short(&['R']) || long(&["dereference-recursive"]),
                included: values(arguments, "include"),
                excluded: values(arguments, "exclude"),
                excluded_directories: values(arguments, "exclude-dir"),
                ..searched(arguments, &GREP)
            })
        }
        "rg" if arguments.iter().any(|word| word.text == "--files") => None,
        "rg" => {
            // A glob of its own brings back what is hidden or ignored.
            let begins = |start: &str| arguments.iter().any(|word| word.text.starts_with(start));
            let is_unfiltered = short(&['u', '.', 'g'])
                || ["--hidden", "--no-ignore", "--unrestricted", "--glob", "--iglob"]
                    .into_iter()
                    .any(begins);
            Some(Search {
                filtered: !is_unfiltered,
                follows_links: short(&['L']) || begins("--follow"),
                ..searched(arguments, &RG)
            })
        }
        "diff" => Some(Search {
            // `--from-file=a` may name a directory, too.
            operands: arguments
                .iter()
                .flat_map(|word| [Some(operand(word)), attached(word)])
                .flatten()
                .collect(),
            follows_links: true,
            ..Search::default()
        }),
        "find" => find::find(arguments),
        _ => None,
    }
}

fn attached(word: &Word) -> Option<PathOperand> {
    let (_, value) = word.text.split_once('=')?;
    Some(operand_of_text(value))
}

fn values(arguments: &[Word], option: &str) -> Vec<String> {
    let values = arguments.iter().filter_map(|word| {
        let (name, value) = word.text.split_once('=')?;
        (name.strip_prefix("--") == Some(option)).then(|| value.to_owned())
    });
    values.collect()
}

/// The operands behind the pattern.
fn searched(arguments: &[Word], options: &Options) -> Search {
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
    Search {
        here: operands.is_empty() || !is_certain,
        operands,
        ..Search::default()
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
            ("diff a b", Some("a b")),
            ("cat a", None),
        ] {
            assert_eq!(found(command).as_deref(), expected, "{command}");
        }
    }

    #[test]
    fn names_that_are_left_out_are_not_looked_into() {
        let analysis =
            super::super::analyse("grep -r --include='*.rs' --exclude=a.rs --exclude-dir=target x .");
        let search = search(&analysis.commands[0]).unwrap();
        assert!(search.looks_into("b.rs") && !search.looks_into("a.rs") && !search.looks_into(".env"));
        assert!(search.enters("src") && !search.enters("target"));
    }
}
