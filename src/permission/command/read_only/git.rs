//! Subcommands of git that read, each with its options.
//!
//! This does not say whether the repository makes git run something, nor what the files it shows are called: the
//! caller looks that up by [`GitForm`].

use super::super::word::Word;
use super::git_format::has_known_formats;
use super::git_options::{ShowCommand, commits, differences};
use super::table::{ParsedOptions, Table, parse};
use super::{List, ReadOnlyFacts, has_plain_wildcards};

/// A git command that has the form of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitForm {
    /// Directory that `-C` names.
    pub directory: Option<String>,
    pub subcommand: String,
    pub shows: GitShows,
    /// The options that say which commits and files it shows, a word each. Empty where it shows no differences.
    pub selection: Vec<String>,
    /// Its operands without the pattern of `grep`, and how many of them stand before a `--`.
    pub operands: Vec<String>,
    pub before_dashes: usize,
    /// True if a `--` stands among its words.
    pub has_dashes: bool,
    /// True if there are wildcards among its paths: the shell and git take them in different ways.
    pub has_wildcards: bool,
}

/// The files whose content a git command shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitShows {
    /// None.
    Nothing,
    /// Files changed by commits: `log -p`, `show`.
    Commits,
    /// Files changed by an entry of the stash.
    Stash,
    /// Files that differ between commits, the index and the work tree: `diff`.
    Differences,
    /// Tracked files, in the work tree and in commits: `grep`.
    Tracked,
    /// The objects that are named: `cat-file`, and `show` without differences.
    Objects,
    /// One file, line by line: `blame`.
    Lines,
}

const STATUS: Table = Table {
    attached: "u",
    ..Table::of(
        "sbz",
        "",
        "short branch show-stash porcelain long untracked-files ignore-submodules ignored column no-column \
         ahead-behind no-ahead-behind renames no-renames find-renames null",
    )
};
const REV_PARSE: Table = Table::of(
    "q",
    "",
    "abbrev-ref show-toplevel git-dir git-common-dir absolute-git-dir is-inside-work-tree is-inside-git-dir \
     is-bare-repository is-shallow-repository verify quiet short symbolic symbolic-full-name show-prefix show-cdup all \
     branches tags remotes glob= show-superproject-working-tree show-object-format show-ref-format git-path= revs-only \
     no-revs flags no-flags default= not since= until= path-format=",
);
const LS_FILES: Table = Table::of(
    "cdmostukvzf",
    "x",
    "cached deleted modified others ignored stage unmerged killed full-name directory no-empty-directory eol \
     error-unmatch exclude-standard exclude= with-tree= abbrev deduplicate debug sparse format= resolve-undo",
);
const BRANCH: Table = Table::of(
    "arvlqi",
    "",
    "all remotes verbose list show-current color no-color quiet ignore-case column no-column abbrev no-abbrev sort= \
     format= merged no-merged contains no-contains points-at omit-empty",
);
const BLAME: Table = Table {
    attached: "CM",
    ..Table::of(
        "bflntsewpc",
        "L",
        "root show-stats porcelain line-porcelain incremental show-email show-name show-number progress \
         no-progress abbrev minimal color-lines color-by-age first-parent",
    )
};
const LS_TREE: Table = Table::of(
    "drtlz",
    "",
    "name-only name-status object-only full-name full-tree abbrev format= long",
);
const CAT_FILE: Table = Table::of("tsep", "", "");
const DESCRIBE: Table = Table::of(
    "",
    "",
    "all tags contains debug long abbrev= candidates= exact-match match= exclude= always first-parent dirty broken",
);
const MERGE_BASE: Table = Table::of("a", "", "all is-ancestor fork-point octopus independent");
const GREP: Table = Table {
    numbers: true,
    ..Table::of(
        "aIivwhHEGFPnlLzcopWqr",
        "ABCem",
        "ignore-case invert-match word-regexp text extended-regexp basic-regexp perl-regexp fixed-strings line-number \
         column files-with-matches name-only files-without-match null only-matching count color no-color break heading \
         show-function after-context= before-context= context= function-context max-count= max-depth= cached and or \
         not all-match quiet full-name threads= recursive no-recursive",
    )
};
const CHECK_IGNORE: Table = Table::of("qvnz", "", "quiet verbose non-matching no-index null");
const SHORTLOG: Table = Table {
    attached: "w",
    ..Table::of("nsec", "", "numbered summary email group= format= committer")
};
const TAG: Table = Table {
    attached: "n",
    ..Table::of(
        "li",
        "",
        "list sort= format= contains no-contains merged no-merged points-at column no-column ignore-case color no-color \
         omit-empty",
    )
};
const WORKTREE: Table = Table::of("vz", "", "porcelain verbose");
const REMOTE: Table = Table::of("v", "", "verbose");
const CONFIG: Table = Table::of(
    "z",
    "",
    "get get-all global local system worktree includes no-includes null show-origin show-scope type= bool int path \
     name-only default=",
);

/// Reads the words behind `git`.
pub(super) fn git(words: &[Word], facts: &ReadOnlyFacts<'_>) -> Option<(List, GitForm)> {
    let (directory, rest) = global_options(words, facts)?;
    let [subcommand, arguments @ ..] = rest else {
        return None;
    };
    // Git is asked what the words lead to before the shell has put directories into them.
    let has_variables = words.iter().any(|word| word.dynamic_at.is_some());
    if has_variables || !subcommand.is_literal() || !has_plain_wildcards(arguments) {
        return None;
    }
    let found = subcommand_of(subcommand.text.as_str(), arguments)?;
    let has_dashes = arguments.iter().any(|word| word.text == "--");
    let has_wildcards = found.parsed.operands.iter().any(|word| word.glob_at.is_some());
    // A wildcard stands for files of the shell's directory, and `log` chooses commits by them.
    let takes_wildcards = match found.shows {
        GitShows::Nothing => true,
        GitShows::Commits => subcommand.text == "show",
        GitShows::Differences | GitShows::Tracked => true,
        GitShows::Stash | GitShows::Objects | GitShows::Lines => false,
    };
    let takes_wildcards = takes_wildcards && directory.is_none();
    if found.shows != GitShows::Nothing
        && (has_wildcards && !takes_wildcards || !is_certain(&found.parsed, has_dashes, found.shows))
    {
        return None;
    }
    let form = GitForm {
        directory,
        subcommand: subcommand.text.clone(),
        shows: found.shows,
        selection: found.selection,
        before_dashes: found.parsed.before_dashes,
        operands: found
            .parsed
            .operands
            .iter()
            .map(|word| word.text.clone())
            .collect(),
        has_dashes,
        has_wildcards,
    };
    Some((found.list, form))
}

/// A subcommand with its words.
struct Subcommand<'w> {
    list: List,
    shows: GitShows,
    selection: Vec<String>,
    parsed: ParsedOptions<'w>,
}

impl<'w> Subcommand<'w> {
    fn new(list: List, shows: GitShows, parsed: ParsedOptions<'w>) -> Self {
        Self {
            list,
            shows,
            selection: Vec::new(),
            parsed,
        }
    }
}

/// Returns true if it is known what the operands of a command that shows lines of files are. Without a `--` a wildcard
/// that finds files stands for nothing else: git refuses a word that is both a file and a revision.
fn is_certain(parsed: &ParsedOptions<'_>, has_dashes: bool, shows: GitShows) -> bool {
    let finds_files = !has_dashes && shows != GitShows::Tracked;
    let is_file = |word: &Word| word.glob_at.is_none() || finds_files && !word.text.contains(':');
    let is_exact = |word: &&Word| word.dynamic_at.is_none() && !word.tilde;
    let (before, after) = parsed.operands.split_at(parsed.before_dashes);
    before.iter().all(|word| is_exact(word) && is_file(word)) && after.iter().all(is_exact)
}

/// `--no-pager` and `-C` inside of the project.
fn global_options<'w>(words: &'w [Word], facts: &ReadOnlyFacts<'_>) -> Option<(Option<String>, &'w [Word])> {
    let mut rest = words;
    let mut directory = None;
    loop {
        match rest {
            [option, after @ ..] if option.text == "--no-pager" => rest = after,
            [option, given, after @ ..] if option.text == "-C" && directory.is_none() => {
                if given.glob_at.is_some() || given.tilde || !(facts.is_in_project)(&given.text) {
                    return None;
                }
                directory = Some(given.text.clone());
                rest = after;
            }
            _ => return Some((directory, rest)),
        }
    }
}

/// Subcommands whose options alone say that they read.
const PLAIN: &[(&str, List, GitShows, &Table)] = &[
    ("status", List::First, GitShows::Nothing, &STATUS),
    ("rev-parse", List::First, GitShows::Nothing, &REV_PARSE),
    ("ls-files", List::First, GitShows::Nothing, &LS_FILES),
    ("blame", List::First, GitShows::Lines, &BLAME),
    ("ls-tree", List::Second, GitShows::Nothing, &LS_TREE),
    ("describe", List::Second, GitShows::Nothing, &DESCRIBE),
    ("merge-base", List::Second, GitShows::Nothing, &MERGE_BASE),
    ("check-ignore", List::Second, GitShows::Nothing, &CHECK_IGNORE),
];

/// Options with which `branch` and `tag` list names, whatever else they are given.
const LISTING: &[&str] = &[
    "l",
    "list",
    "n",
    "merged",
    "no-merged",
    "contains",
    "no-contains",
    "points-at",
];

fn subcommand_of<'w>(name: &str, words: &'w [Word]) -> Option<Subcommand<'w>> {
    use GitShows::{Commits, Differences, Nothing, Objects, Tracked};
    use List::{First, Second};
    if let Some((_, list, shows, table)) = PLAIN.iter().find(|(known, ..)| *known == name) {
        return Some(Subcommand::new(*list, *shows, parse(words, &[table])?));
    }
    match name {
        "diff" => compared(First, ShowCommand::Diff, words, (Differences, Nothing)),
        "log" => compared(First, ShowCommand::Log, words, (Commits, Nothing)),
        "show" => compared(First, ShowCommand::Show, words, (Commits, Objects)),
        "branch" => {
            let parsed = parse(words, &[&BRANCH])?;
            let lists = parsed.has(LISTING) || parsed.operands.is_empty();
            (lists && has_known_formats(&parsed)).then(|| Subcommand::new(First, Nothing, parsed))
        }
        "tag" => {
            let parsed = parse(words, &[&TAG])?;
            let lists = parsed.has(LISTING) || words.is_empty();
            (lists && has_known_formats(&parsed)).then(|| Subcommand::new(Second, Nothing, parsed))
        }
        "cat-file" => {
            let parsed = parse(words, &[&CAT_FILE])?;
            let is_about = parsed.has(&["t", "s", "e"]);
            let shows = if is_about { Nothing } else { Objects };
            Some(Subcommand::new(Second, shows, parsed))
        }
        "grep" => Some(Subcommand::new(Second, Tracked, grep(words)?)),
        "shortlog" => Some(Subcommand::new(Second, Nothing, commits(words, &SHORTLOG)?)),
        // They take what stands behind a `--` as options, too.
        "stash" | "reflog" if words.iter().any(|word| word.text == "--") => None,
        "stash" => stash(words),
        "reflog" => Some(Subcommand::new(Second, Nothing, reflog(words)?)),
        "worktree" => {
            let (list, rest) = words.split_first()?;
            let parsed = (list.text == "list").then(|| parse(rest, &[&WORKTREE]))??;
            Some(Subcommand::new(Second, Nothing, parsed))
        }
        "remote" => {
            let parsed = parse(words, &[&REMOTE])?;
            let lists = parsed.operands.is_empty();
            lists.then(|| Subcommand::new(Second, Nothing, parsed))
        }
        "config" => {
            let parsed = parse(words, &[&CONFIG])?;
            let [key] = parsed.operands.as_slice() else {
                return None;
            };
            let is_shown = !is_secret_key(&key.text);
            let fits = is_shown && (parsed.has(&["get", "get-all"]) || is_setting(key));
            fits.then(|| Subcommand::new(Second, Nothing, parsed))
        }
        _ => None,
    }
}

/// Reads the words behind `stash`: `list` and `show`.
fn stash(words: &[Word]) -> Option<Subcommand<'_>> {
    let (action, rest) = words.split_first()?;
    match action.text.as_str() {
        "list" => {
            let parsed = commits(rest, &Table::NONE)?;
            Some(Subcommand::new(List::Second, GitShows::Nothing, parsed))
        }
        "show" => compared(
            List::Second,
            ShowCommand::Stash,
            rest,
            (GitShows::Stash, GitShows::Nothing),
        ),
        _ => None,
    }
}

/// Reads the words behind `reflog`, with or without `show`.
fn reflog(words: &[Word]) -> Option<ParsedOptions<'_>> {
    let words = match words {
        [show, rest @ ..] if show.text == "show" => rest,
        rest => rest,
    };
    let parsed = commits(words, &Table::NONE)?;
    let is_named = words.len() != parsed.operands.len() || parsed.operands.is_empty();
    (is_named && !names_an_action(&parsed)).then_some(parsed)
}

/// A command that shows differences: what it shows with lines of files, and without.
fn compared(
    list: List,
    shown: ShowCommand,
    words: &[Word],
    (with_lines, without): (GitShows, GitShows),
) -> Option<Subcommand<'_>> {
    let found = differences(shown, words)?;
    Some(Subcommand {
        list,
        shows: if found.selection.is_some() {
            with_lines
        } else {
            without
        },
        selection: found.selection.unwrap_or_default(),
        parsed: found.parsed,
    })
}

/// Reads the words behind `grep`: revisions and paths are its operands, without the pattern.
fn grep(words: &[Word]) -> Option<ParsedOptions<'_>> {
    let mut parsed = parse(words, &[&GREP])?;
    // Git takes no options behind an operand, and reads parentheses as part of the pattern.
    if let Some(first) = parsed.operands.first() {
        let at = words.iter().position(|word| std::ptr::eq(word, *first))?;
        let mut behind = words[at..].iter().take_while(|word| word.text != "--");
        if behind.any(|word| word.text.starts_with('-') || matches!(word.text.as_str(), "(" | ")")) {
            return None;
        }
    }
    if !parsed.has(&["e"]) {
        if parsed.before_dashes == 0 {
            return None;
        }
        parsed.operands.remove(0);
        parsed.before_dashes -= 1;
    }
    Some(parsed)
}

/// `expire`, `delete` and `exists` act on the reflog.
fn names_an_action(parsed: &ParsedOptions<'_>) -> bool {
    let first = parsed.operands.first().map(|word| word.text.as_str());
    matches!(first, Some("expire" | "delete" | "exists" | "list" | "drop"))
}

/// Returns true if a word can only be the name of one setting, and no action like `edit`.
fn is_setting(word: &Word) -> bool {
    let is_part = |part: &str| {
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/');
        !part.is_empty() && part.bytes().all(is_known)
    };
    word.is_literal() && word.text.contains('.') && word.text.split('.').all(is_part)
}

/// Settings that hold secrets as a rule.
fn is_secret_key(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    [
        "extraheader",
        "password",
        "token",
        "secret",
        "cookie",
        "credential",
    ]
    .iter()
    .any(|word| key.contains(word))
}
