//! Subcommands of git that read, each with its options.
//!
//! This does not say whether the repository makes git run something, nor what the files it shows are called: the
//! caller looks that up by [`GitForm`].

use super::super::word::Word;
use super::table::{Parsed, Table, parse};
use super::{List, ReadOnlyFacts};

/// A git command that has the form of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitForm {
    /// Directory that `-C` names.
    pub directory: Option<String>,
    pub subcommand: String,
    /// The words behind the subcommand.
    pub arguments: Vec<String>,
    pub shows: GitShows,
    /// Its operands, and how many of them stand before a `--`.
    pub operands: Vec<String>,
    pub before_dashes: usize,
}

/// The files whose content a git command shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitShows {
    /// None.
    Nothing,
    /// Changes of commits or trees.
    Changes,
    /// Changes in the index or in the work tree.
    WorkTree,
    /// Lines of tracked files.
    Tracked,
    /// The objects that are named.
    Objects,
}

/// How differences are shown.
const DIFFERENCES: Table = Table {
    flags: "psuzabwWcmtRq",
    valued: "SGl",
    attached: "UMCBXD",
    long: "patch no-patch raw stat numstat shortstat dirstat cumulative summary compact-summary name-only name-status \
           color no-color color-words word-diff word-diff-regex= minimal patience histogram diff-algorithm= no-renames \
           find-renames find-copies find-copies-harder full-index binary abbrev no-abbrev text ignore-space-at-eol \
           ignore-space-change ignore-all-space ignore-blank-lines ignore-cr-at-eol function-context unified \
           inter-hunk-context= exit-code quiet relative no-relative diff-filter= pickaxe-regex pickaxe-all cc check \
           no-ext-diff no-textconv no-prefix src-prefix= dst-prefix= default-prefix ignore-submodules \
           indent-heuristic no-indent-heuristic patch-with-stat patch-with-raw anchored= color-moved no-color-moved \
           color-moved-ws= skip-to= rotate-to= irreversible-delete find-object= stat-width= stat-count= \
           stat-name-width= stat-graph-width= break-rewrites ita-invisible-in-index line-prefix= ws-error-highlight= \
           root combined-all-paths",
    numbers: false,
    ..Table::NONE
};

/// Which commits are shown, and how.
const COMMITS: Table = Table {
    flags: "iEFPg",
    valued: "nL",
    long: "oneline decorate no-decorate decorate-refs= decorate-refs-exclude= clear-decorations all graph no-graph \
           follow max-count= skip= since= after= until= before= since-as-filter= author= committer= grep= grep-reflog= \
           regexp-ignore-case extended-regexp fixed-strings perl-regexp basic-regexp all-match invert-grep merges \
           no-merges first-parent branches tags remotes glob= exclude= reverse date= date-order topo-order \
           author-date-order format= pretty abbrev-commit no-abbrev-commit left-right left-only right-only \
           cherry-pick cherry-mark cherry simplify-by-decoration full-history ancestry-path walk-reflogs reflog source \
           boundary no-walk do-walk parents children log-size notes no-notes show-pulls sparse simplify-merges \
           min-parents= max-parents= no-min-parents no-max-parents diff-merges= no-diff-merges relative-date encoding= \
           expand-tabs no-expand-tabs mailmap use-mailmap no-mailmap no-use-mailmap not merge remove-empty \
           dense show-linear-break full-diff",
    numbers: true,
    ..Table::NONE
};

const DIFF_ONLY: Table = Table {
    long: "cached staged merge-base",
    numbers: true,
    ..Table::NONE
};

const fn options(flags: &'static str, valued: &'static str, long: &'static str) -> Table {
    Table {
        flags,
        valued,
        long,
        ..Table::NONE
    }
}

const STATUS: Table = Table {
    attached: "u",
    ..options(
        "sbz",
        "",
        "short branch show-stash porcelain long untracked-files ignore-submodules ignored column no-column \
         ahead-behind no-ahead-behind renames no-renames find-renames null",
    )
};
const REV_PARSE: Table = options(
    "q",
    "",
    "abbrev-ref show-toplevel git-dir git-common-dir absolute-git-dir is-inside-work-tree is-inside-git-dir \
     is-bare-repository is-shallow-repository verify quiet short symbolic symbolic-full-name show-prefix show-cdup all \
     branches tags remotes glob= show-superproject-working-tree show-object-format show-ref-format git-path= revs-only \
     no-revs flags no-flags default= not since= until= path-format=",
);
const LS_FILES: Table = options(
    "cdmostukvzf",
    "x",
    "cached deleted modified others ignored stage unmerged killed full-name directory no-empty-directory eol \
     error-unmatch exclude-standard exclude= with-tree= abbrev deduplicate debug sparse format= resolve-undo",
);
const BRANCH: Table = options(
    "arvlqi",
    "",
    "all remotes verbose list show-current color no-color quiet ignore-case column no-column abbrev no-abbrev sort= \
     format= merged no-merged contains no-contains points-at omit-empty",
);
const BLAME: Table = Table {
    attached: "CM",
    ..options(
        "bflntsewpc",
        "L",
        "root show-stats date= porcelain line-porcelain incremental show-email show-name show-number progress \
         no-progress abbrev= minimal since= color-lines color-by-age first-parent",
    )
};
const LS_TREE: Table = options(
    "drtlz",
    "",
    "name-only name-status object-only full-name full-tree abbrev format= long",
);
const CAT_FILE: Table = options("tsep", "", "");
const DESCRIBE: Table = options(
    "",
    "",
    "all tags contains debug long abbrev= candidates= exact-match match= exclude= always first-parent dirty broken",
);
const MERGE_BASE: Table = options("a", "", "all is-ancestor fork-point octopus independent");
const GREP: Table = Table {
    numbers: true,
    ..options(
        "aIivwhHEGFPnlLzcopWqr",
        "ABCem",
        "ignore-case invert-match word-regexp text extended-regexp basic-regexp perl-regexp fixed-strings line-number \
         column files-with-matches name-only files-without-match null only-matching count color no-color break heading \
         show-function after-context= before-context= context= function-context max-count= max-depth= cached and or \
         not all-match quiet full-name threads= recursive no-recursive",
    )
};
const CHECK_IGNORE: Table = options("qvnz", "", "quiet verbose non-matching no-index null");
const SHORTLOG: Table = Table {
    attached: "w",
    ..options("nsec", "", "numbered summary email group= format= committer")
};
const TAG: Table = Table {
    attached: "n",
    ..options(
        "li",
        "",
        "list sort= format= contains no-contains merged no-merged points-at column no-column ignore-case color no-color \
         omit-empty",
    )
};
const WORKTREE: Table = options("vz", "", "porcelain verbose");
const REMOTE: Table = options("v", "", "verbose");
const CONFIG: Table = options(
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
    let has_plain_wildcards = arguments.iter().all(|word| {
        word.glob_at
            .is_none_or(|at| at > 0 && !word.text.starts_with('-'))
    });
    if !subcommand.is_literal() || !has_plain_wildcards {
        return None;
    }
    let (list, shows, parsed) = subcommand_of(subcommand.text.as_str(), arguments)?;
    let form = GitForm {
        directory,
        subcommand: subcommand.text.clone(),
        arguments: arguments.iter().map(|word| word.text.clone()).collect(),
        shows,
        before_dashes: parsed.before_dashes,
        operands: parsed.operands.iter().map(|word| word.text.clone()).collect(),
    };
    Some((list, form))
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

fn subcommand_of<'w>(name: &str, words: &'w [Word]) -> Option<(List, GitShows, Parsed<'w>)> {
    use GitShows::{Changes, Nothing, Objects, Tracked, WorkTree};
    use List::{First, Second};
    let plain = |list, shows, table: &Table| Some((list, shows, parse(words, &[table])?));
    match name {
        "status" => plain(First, Nothing, &STATUS),
        "diff" => {
            let parsed = differences(words, &[&DIFFERENCES, &DIFF_ONLY])?;
            let shows = if shows_patch(&parsed, true) {
                WorkTree
            } else {
                Nothing
            };
            Some((First, shows, parsed))
        }
        "log" => {
            let parsed = differences(words, &[&DIFFERENCES, &COMMITS])?;
            let shows = if shows_patch(&parsed, false) {
                Changes
            } else {
                Nothing
            };
            Some((First, shows, parsed))
        }
        "show" => {
            let parsed = differences(words, &[&DIFFERENCES, &COMMITS])?;
            let shows = if shows_patch(&parsed, true) {
                Changes
            } else {
                Objects
            };
            Some((First, shows, parsed))
        }
        "rev-parse" => plain(First, Nothing, &REV_PARSE),
        "ls-files" => plain(First, Nothing, &LS_FILES),
        "branch" => {
            let parsed = parse(words, &[&BRANCH])?;
            let lists = parsed.has(&[
                "l",
                "list",
                "merged",
                "no-merged",
                "contains",
                "no-contains",
                "points-at",
            ]);
            (is_plain_format(&parsed) && (lists || parsed.operands.is_empty()))
                .then_some((First, Nothing, parsed))
        }
        "blame" => plain(First, Objects, &BLAME),
        "ls-tree" => plain(Second, Nothing, &LS_TREE),
        "cat-file" => {
            let parsed = parse(words, &[&CAT_FILE])?;
            let shows = if parsed.has(&["t", "s", "e"]) {
                Nothing
            } else {
                Objects
            };
            Some((Second, shows, parsed))
        }
        "describe" => plain(Second, Nothing, &DESCRIBE),
        "merge-base" => plain(Second, Nothing, &MERGE_BASE),
        "grep" => plain(Second, Tracked, &GREP),
        "check-ignore" => plain(Second, Nothing, &CHECK_IGNORE),
        "shortlog" => {
            let parsed = parse(words, &[&SHORTLOG, &COMMITS])?;
            is_plain_format(&parsed).then_some((Second, Nothing, parsed))
        }
        "reflog" => {
            let words = match words {
                [show, rest @ ..] if show.text == "show" => rest,
                rest => rest,
            };
            let parsed = parse(words, &[&COMMITS])?;
            let is_named = words.len() != parsed.operands.len() || parsed.operands.is_empty();
            (is_plain_format(&parsed) && !parsed.has(&["L"]) && is_named && !names_an_action(&parsed))
                .then_some((Second, Nothing, parsed))
        }
        "stash" => match words {
            [list, rest @ ..] if list.text == "list" => {
                let parsed = parse(rest, &[&COMMITS])?;
                (is_plain_format(&parsed) && !parsed.has(&["L"])).then_some((Second, Nothing, parsed))
            }
            [show, rest @ ..] if show.text == "show" => {
                let parsed = differences(rest, &[&DIFFERENCES])?;
                let shows = if shows_patch(&parsed, false) {
                    Changes
                } else {
                    Nothing
                };
                Some((Second, shows, parsed))
            }
            _ => None,
        },
        "tag" => {
            let parsed = parse(words, &[&TAG])?;
            let lists = parsed.has(&[
                "l",
                "list",
                "n",
                "contains",
                "no-contains",
                "merged",
                "no-merged",
                "points-at",
            ]);
            (is_plain_format(&parsed) && (lists || words.is_empty())).then_some((Second, Nothing, parsed))
        }
        "worktree" => match words {
            [list, rest @ ..] if list.text == "list" => Some((Second, Nothing, parse(rest, &[&WORKTREE])?)),
            _ => None,
        },
        "remote" => {
            let parsed = parse(words, &[&REMOTE])?;
            parsed.operands.is_empty().then_some((Second, Nothing, parsed))
        }
        "config" => {
            let parsed = parse(words, &[&CONFIG])?;
            let is_one = matches!(parsed.operands.as_slice(), [key] if !is_secret_key(&key.text));
            (parsed.has(&["get", "get-all"]) && is_one).then_some((Second, Nothing, parsed))
        }
        _ => None,
    }
}

/// Reads options of differences. What runs a merge again, or a program by a format, is left out.
fn differences<'w>(words: &'w [Word], tables: &[&Table]) -> Option<Parsed<'w>> {
    let parsed = parse(words, tables)?;
    let merges_again = |value: &str| {
        !matches!(
            value,
            "off"
                | "none"
                | "on"
                | "m"
                | "first-parent"
                | "1"
                | "separate"
                | "combined"
                | "c"
                | "dense-combined"
                | "cc"
        )
    };
    let merges = parsed.values(&["diff-merges"]).any(merges_again);
    (!merges && is_plain_format(&parsed)).then_some(parsed)
}

/// Returns true if formats are those that git brings, or name no signature: git would ask another program about it.
fn is_plain_format(parsed: &Parsed<'_>) -> bool {
    const KNOWN: &[&str] = &[
        "oneline",
        "short",
        "medium",
        "full",
        "fuller",
        "reference",
        "email",
        "mboxrd",
        "raw",
    ];
    let is_plain = |value: &str| {
        let has_fields = value.contains('%');
        let is_named = KNOWN.contains(&value) || value.is_empty();
        (has_fields || is_named) && !asks_of_a_signature_or_file(value)
    };
    parsed.values(&["format", "pretty"]).all(is_plain)
        && parsed.values(&["sort"]).all(|value| !value.contains("signature"))
}

/// `%G?` and its like, also as `%+G?`; `%(signature)`. `%(raw)` prints a file where a tag names one.
fn asks_of_a_signature_or_file(format: &str) -> bool {
    let fields = format.split('%').skip(1);
    let mut fields = fields.map(|field| field.trim_start_matches(['+', '-', ' ']));
    fields.any(|field| field.starts_with('G'))
        || format.contains("signature")
        || (format.contains("%(") && format.contains("raw"))
}

/// Returns true if the lines of a difference are shown, or only which files and how many.
fn shows_patch(parsed: &Parsed<'_>, is_usual: bool) -> bool {
    const PATCH: &[&str] = &[
        "p",
        "u",
        "patch",
        "c",
        "cc",
        "U",
        "unified",
        "W",
        "function-context",
        "patch-with-stat",
        "patch-with-raw",
        "L",
        "word-diff",
        "color-words",
        "word-diff-regex",
        "binary",
        "inter-hunk-context",
        "m",
        "check",
    ];
    const LESS: &[&str] = &[
        "s",
        "no-patch",
        "raw",
        "stat",
        "numstat",
        "shortstat",
        "dirstat",
        "summary",
        "compact-summary",
        "name-only",
        "name-status",
        "quiet",
        "X",
    ];
    parsed.has(PATCH) || (is_usual && !parsed.has(LESS))
}

/// `expire`, `delete` and `exists` act on the reflog.
fn names_an_action(parsed: &Parsed<'_>) -> bool {
    let first = parsed.operands.first().map(|word| word.text.as_str());
    matches!(first, Some("expire" | "delete" | "exists" | "list" | "drop"))
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
