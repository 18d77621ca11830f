//! `find … -exec cat {} +`: it looks for files, and what it runs shows them.
//!
//! Of its tests `-name` and `-type f` count, where they stand before the action and hold whenever it is taken. All others
//! are taken to hold for any file; with one that is not known here, none counts.

use super::super::base_name;
use super::super::files::READERS;
use super::super::find::action_words;
use super::super::operand::operand;
use super::super::read_only::values_of_find;
use super::super::word::Word;
use super::DirectorySearch;
use crate::permission::wrappers::is_shell;

const ACTIONS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];
const OR: &[&str] = &["-o", "-or", ","];
/// Words whose effect on the rest of the expression is not followed.
const NOT_FOLLOWED: &[&str] = &[
    "-H",
    "-L",
    "-P",
    "-context",
    "-ignore_readdir_race",
    "-iwholename",
    "-noignore_readdir_race",
];
/// Programs that may go into a directory that they are given.
const ENTERING: &[&str] = &["rg", "diff", "cp", "mv", "ln", "install"];

/// Returns what the programs that a `find` runs would show, if one of them shows files.
pub(super) fn find(arguments: &[Word]) -> Option<DirectorySearch> {
    let is_text = |word: &Word, texts: &[&str]| texts.contains(&word.text.as_str());
    let options = arguments
        .iter()
        .take_while(|word| is_text(word, &["-H", "-L", "-P"]) || word.text.starts_with("-O"))
        .count();
    let (options, rest) = arguments.split_at(options);
    let begins_a_test = |word: &Word| word.text.starts_with('-') || is_text(word, &["(", "!"]);
    let starts = rest.iter().position(begins_a_test).unwrap_or(rest.len());
    let (starts, expression) = rest.split_at(starts);
    let FilesGiven { names, links, enters } = Expression::new(expression).checked_files()?;
    Some(DirectorySearch {
        operands: starts.iter().map(operand).collect(),
        here: starts.is_empty(),
        follows_links: enters
            || options.iter().any(|word| word.text == "-L")
            || expression.iter().any(|word| word.text == "-follow"),
        shows_links: links,
        included: names.filter(|_| !enters).unwrap_or_default(),
        ..DirectorySearch::default()
    })
}

/// Files that are given to programs which show them.
#[derive(Debug, Default)]
struct FilesGiven {
    /// Globs for their names; `None` for any.
    names: Option<Vec<String>>,
    /// True if there may be links among them.
    links: bool,
    /// True if a program goes into directories.
    enters: bool,
}

struct Expression<'a> {
    words: &'a [Word],
    at: usize,
}

/// The tests that every file has passed when the word at hand is reached.
#[derive(Default)]
struct PassedTests {
    names: Option<Vec<String>>,
    is_file: bool,
}

impl<'a> Expression<'a> {
    fn new(words: &'a [Word]) -> Self {
        Self { words, at: 0 }
    }

    fn next(&mut self) -> Option<&'a Word> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(word)
    }

    fn checked_files(mut self) -> Option<FilesGiven> {
        let mut all: Option<FilesGiven> = None;
        let (mut tested, mut is_known, mut negated, mut depth) =
            (PassedTests::default(), true, false, 0_usize);
        while let Some(word) = self.next() {
            let is_negated = std::mem::take(&mut negated);
            match word.text.as_str() {
                "!" | "-not" => negated = !is_negated,
                "(" => match self.names_in_parentheses().filter(|_| !is_negated && depth == 0) {
                    Some(names) => tested.names = tested.names.or(Some(names)),
                    None => depth += 1,
                },
                ")" => depth = depth.saturating_sub(1),
                text if OR.contains(&text) && depth == 0 => tested = PassedTests::default(),
                text if OR.contains(&text) => {}
                text if ACTIONS.contains(&text) => {
                    let run = self.run();
                    if reads(run) {
                        let shown = all.get_or_insert_with(|| FilesGiven {
                            names: Some(Vec::new()),
                            ..FilesGiven::default()
                        });
                        shown.add(&tested, run);
                    }
                }
                "-fprintf" => self.at += 2,
                text if values_of(text) == Some(0) => {}
                text if values_of(text) == Some(1)
                    || text.starts_with("-newer")
                    || text.starts_with("-fprint") =>
                {
                    let value = self.next()?;
                    let counts = depth == 0 && !is_negated;
                    if text == "-name" && counts && is_glob_of_its_own(value) {
                        tested.names.get_or_insert_with(|| vec![value.text.clone()]);
                    }
                    tested.is_file |= text == "-type" && counts && value.text == "f" && value.is_literal();
                }
                _ => is_known = false,
            }
        }
        let shown = all?;
        Some(if is_known {
            shown
        } else {
            FilesGiven {
                names: None,
                links: true,
                ..shown
            }
        })
    }

    /// The words of an action.
    fn run(&mut self) -> &'a [Word] {
        let (run, length) = action_words(&self.words[self.at..]);
        self.at += length;
        run
    }

    /// `-name a -o -name b )`, of which one has to hold; stays where it is for anything else.
    fn names_in_parentheses(&mut self) -> Option<Vec<String>> {
        let mut rest = self.words[self.at..].iter();
        let mut names = Vec::new();
        loop {
            let value = rest.next().filter(|word| word.text == "-name").and(rest.next())?;
            names.push(Some(value.text.clone()).filter(|_| is_glob_of_its_own(value))?);
            match rest.next()?.text.as_str() {
                ")" => break,
                "-o" | "-or" => {}
                _ => return None,
            }
        }
        self.at = self.words.len() - rest.len();
        Some(names)
    }
}

impl FilesGiven {
    fn add(&mut self, tested: &PassedTests, run: &[Word]) {
        self.names = match (self.names.take(), &tested.names) {
            (Some(known), Some(more)) => Some(known.into_iter().chain(more.iter().cloned()).collect()),
            _ => None,
        };
        self.links |= !tested.is_file;
        self.enters |= enters(run);
    }
}

/// The number of words that a test or an action takes; `None` for one that is not followed.
fn values_of(word: &str) -> Option<usize> {
    match word {
        "-delete" => Some(0),
        word if NOT_FOLLOWED.contains(&word) => None,
        word => values_of_find(word),
    }
}

/// Returns true if the shell can make nothing of a glob that is another part of the expression.
fn is_glob_of_its_own(value: &Word) -> bool {
    let is_operator_like = value.text.starts_with(['*', '?', '[', '-', '(', ')', '!', ',']);
    !value.is_dynamic()
        && !value.tilde
        && (value.glob_at.is_none() || !is_operator_like || value.text.starts_with("*."))
}

/// Returns true if a program shows what is in the files that it is given.
fn reads(run: &[Word]) -> bool {
    let is_reader = |text: &str| READERS.contains(&base_name(text));
    let is_separator = |c: char| c.is_whitespace() || "\"'`;|&(){}$".contains(c);
    let names_a_reader = |text: &str| text.contains('<') || text.split(is_separator).any(is_reader);
    let in_shell = runs_a_shell(run);
    run.iter()
        .any(|word| is_reader(&word.text) || in_shell && names_a_reader(&word.text))
}

fn enters(run: &[Word]) -> bool {
    let is_entering = |word: &Word| ENTERING.contains(&base_name(&word.text));
    let recurses = |word: &Word| {
        let is_short = !word.text.starts_with("--") && word.text.contains(['r', 'R', 'd']);
        word.text.starts_with('-')
            && (is_short || word.text.contains("recurs") || word.text.starts_with("--d"))
    };
    let greps = run.iter().any(|word| base_name(&word.text) == "grep");
    run.iter().any(is_entering) || runs_a_shell(run) || greps && run.iter().any(recurses)
}

fn runs_a_shell(run: &[Word]) -> bool {
    run.iter().any(|word| is_shell(base_name(&word.text)))
}

#[cfg(test)]
mod tests {
    use super::super::super::analyse;
    use super::super::search;

    #[test]
    fn tests_that_hold_for_all_that_is_shown_count() {
        let found = |command: &str| {
            let analysis = analyse(command);
            let search = search(&analysis.commands[0])?;
            let places: Vec<&str> = search
                .operands
                .iter()
                .map(|operand| operand.text.as_str())
                .collect();
            let links = if search.shows_links { " links" } else { "" };
            let follows = if search.follows_links { " follows" } else { "" };
            let included = search.included.join("|");
            Some(format!("{} [{included}]{links}{follows}", places.join(" ")))
        };
        for (command, expected) in [
            ("find a b", None),
            ("find a -exec ls {} +", None),
            ("find a -name x -exec cat {} +", Some("a [x] links")),
            ("find a -type f -name '*.x' -exec cat {} \\;", Some("a [*.x]")),
            ("find -L a -type f -exec cat {} +", Some("a [] follows")),
            ("find -exec cat {} +", Some(" [] links")),
            ("find a -name x -o -exec cat {} +", Some("a [] links")),
            (
                "find a -name x -prune -o -name y -exec cat {} +",
                Some("a [y] links"),
            ),
            ("find a ! -name x -exec cat {} +", Some("a [] links")),
            ("find a -name x -not -name y -exec cat {} +", Some("a [x] links")),
            (
                "find a \\( -name x -o -name y \\) -exec cat {} +",
                Some("a [x|y] links"),
            ),
            (
                "find a \\( -name x -o -size 1 \\) -exec cat {} +",
                Some("a [] links"),
            ),
            (
                "find a ! \\( -name x -o -name y \\) -exec cat {} +",
                Some("a [] links"),
            ),
            ("find a -newer -name -name x -exec cat {} +", Some("a [x] links")),
            ("find a -unknown -name -name x -exec cat {} +", Some("a [] links")),
            ("find a -name \"$x\" -exec cat {} +", Some("a [] links")),
            ("find a -name * -exec cat {} +", Some("a [] links")),
            ("find a -name *.x -exec cat {} +", Some("a [*.x] links")),
            ("find a -exec cat {} + -name x", Some("a [] links")),
            (
                "find a -name x -exec cat {} \\; -o -name y -exec head {} \\;",
                Some("a [x|y] links"),
            ),
            (
                "find a -name x -exec grep -r y {} \\;",
                Some("a [] links follows"),
            ),
            (
                "find a -name x -exec sh -c 'cat {}' \\;",
                Some("a [] links follows"),
            ),
            ("find a -name x -exec sh -c 'touch {}' \\;", None),
            ("find a -name x -exec timeout 5 cat {} +", Some("a [x] links")),
        ] {
            assert_eq!(found(command).as_deref(), expected, "{command}");
        }
    }
}
