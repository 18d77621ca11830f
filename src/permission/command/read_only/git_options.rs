//! Options of the git commands that show commits and differences.
//!
//! A command shows no lines of files only if all of its options are known to show none ([`SUMMARY`] and what may stand
//! beside it). One that shows lines has few options, and of each it is known which files it shows: [`LINES`], [`LOOK`] and
//! [`PAIRS`] leave that as it is, and [`COMMIT_CHOICE`] and [`SIDES`] are repeated when git is asked for the names of the
//! files. Options that choose by content, by dates or by names are not among them, because their meaning depends on the
//! clock, the locale, attributes or their place. Everything else asks.

use super::super::word::Word;
use super::git_format::has_known_formats;
use super::table::{NUMBER, ParsedOptions, Table, parse};

/// Options that replace the lines of a difference by a summary.
const SUMMARY: Table = Table {
    flags: "s",
    long: "no-patch raw stat numstat shortstat summary compact-summary name-only name-status quiet",
    ..Table::NONE
};

/// Options that show lines of a difference, or say how. Their values are attached.
const LINES: Table = Table {
    flags: "puW",
    attached: "U",
    long: "patch color-words word-diff function-context unified= inter-hunk-context= binary patch-with-stat \
           patch-with-raw irreversible-delete",
    ..Table::NONE
};

/// The same for an entry of the stash, where `-u` adds other files.
const STASH_LINES: Table = Table { flags: "pW", ..LINES };

/// Options that neither show lines nor choose files.
const LOOK: Table = Table {
    flags: "abwz",
    long: "color no-color color-moved no-color-moved minimal patience histogram diff-algorithm= full-index abbrev \
           no-abbrev text ignore-space-at-eol ignore-space-change ignore-all-space ignore-blank-lines \
           ignore-cr-at-eol exit-code no-ext-diff no-textconv no-prefix src-prefix= dst-prefix= default-prefix \
           indent-heuristic no-indent-heuristic ws-error-highlight= no-relative",
    ..Table::NONE
};

/// Options that pair a file with one of another name among those that changed, so that no other file is shown.
const PAIRS: Table = Table {
    attached: "M",
    long: "find-renames no-renames",
    ..Table::NONE
};

/// How commits are shown.
const COMMIT_LOOK: Table = Table {
    long: "oneline decorate no-decorate date= format= pretty abbrev-commit no-abbrev-commit relative-date no-notes",
    ..Table::NONE
};

/// Options that choose among commits, by what the commits hold alone, wherever they stand.
const COMMIT_CHOICE: Table = Table {
    valued: "n",
    long: "max-count= skip= merges no-merges first-parent reverse all",
    numbers: true,
    ..Table::NONE
};

/// Options for the sides that `diff` compares.
const SIDES: Table = Table {
    long: "cached staged merge-base",
    ..Table::NONE
};

/// More options that may stand beside [`SUMMARY`].
const SUMMARY_CHOICE: Table = Table {
    flags: "Rrt",
    valued: "l",
    attached: "CBX",
    long: "dirstat cumulative color-moved-ws= stat-width= stat-count= stat-name-width= stat-graph-width= \
           ignore-submodules line-prefix= find-copies find-copies-harder break-rewrites diff-filter= ita-invisible-in-index root relative skip-to= rotate-to=",
    ..Table::NONE
};

/// More options of commits without lines of files.
const COMMITS: Table = Table {
    flags: "giEFP",
    long: "source log-size expand-tabs no-expand-tabs notes decorate-refs= decorate-refs-exclude= clear-decorations \
           follow since= after= until= before= since-as-filter= author= committer= grep= grep-reflog= \
           regexp-ignore-case extended-regexp fixed-strings perl-regexp basic-regexp all-match invert-grep branches \
           tags remotes glob= exclude= date-order topo-order author-date-order left-right left-only right-only \
           cherry-pick cherry-mark cherry simplify-by-decoration full-history ancestry-path walk-reflogs reflog \
           boundary no-walk do-walk parents children show-pulls sparse simplify-merges min-parents= max-parents= \
           no-min-parents no-max-parents encoding= mailmap use-mailmap no-mailmap no-use-mailmap not merge \
           remove-empty dense show-linear-break full-diff graph no-graph",
    ..Table::NONE
};

/// Stages of a merge, of which `diff` shows the names.
const STAGES: Table = Table {
    numbers: true,
    ..Table::NONE
};

/// Options of `show` that stand for revisions.
const REVISIONS: &[&str] = &[
    "all",
    "branches",
    "tags",
    "remotes",
    "glob",
    "exclude",
    "reflog",
    "g",
    "walk-reflogs",
];

/// A command that shows differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShowCommand {
    Diff,
    Log,
    Show,
    Stash,
}

/// The words of a command that shows differences.
pub(super) struct Differences<'w> {
    pub(super) parsed: ParsedOptions<'w>,
    /// The options that choose commits and files, a word each; `None` when no line of a file is shown.
    pub(super) selection: Option<Vec<String>>,
}

/// Reads the words behind a command that shows differences.
pub(super) fn differences(shown: ShowCommand, words: &[Word]) -> Option<Differences<'_>> {
    if let Some(parsed) = summary(shown, words) {
        let has_revisions = shown == ShowCommand::Show && parsed.has(REVISIONS);
        let fits = has_known_formats(&parsed) && !has_revisions;
        return fits.then_some(Differences {
            parsed,
            selection: None,
        });
    }
    let tables: &[&Table] = match shown {
        ShowCommand::Diff => &[&SUMMARY, &LINES, &LOOK, &PAIRS, &SIDES],
        ShowCommand::Log => &[&SUMMARY, &LINES, &LOOK, &PAIRS, &COMMIT_LOOK, &COMMIT_CHOICE],
        ShowCommand::Show => &[&SUMMARY, &LINES, &LOOK, &PAIRS, &COMMIT_LOOK],
        ShowCommand::Stash => &[&SUMMARY, &STASH_LINES, &LOOK, &PAIRS],
    };
    let parsed = parse(words, tables)?;
    let fits = has_known_formats(&parsed) && parsed.apart.iter().all(|name| name == "n");
    let selection = selection(&parsed)?;
    fits.then_some(Differences {
        parsed,
        selection: Some(selection),
    })
}

/// Reads the words of a command that shows no lines of files.
fn summary(shown: ShowCommand, words: &[Word]) -> Option<ParsedOptions<'_>> {
    let tables: &[&Table] = match shown {
        ShowCommand::Diff => &[&SUMMARY, &LOOK, &PAIRS, &SUMMARY_CHOICE, &SIDES, &STAGES],
        ShowCommand::Log | ShowCommand::Show => &[
            &SUMMARY,
            &LOOK,
            &PAIRS,
            &SUMMARY_CHOICE,
            &COMMIT_LOOK,
            &COMMIT_CHOICE,
            &COMMITS,
        ],
        // Any option but these shows lines.
        ShowCommand::Stash => &[&SUMMARY],
    };
    let parsed = parse(words, tables)?;
    let is_usual = match shown {
        ShowCommand::Diff | ShowCommand::Show => false,
        ShowCommand::Log => true,
        ShowCommand::Stash => parsed.options.is_empty(),
    };
    let is_summary = |(name, _): &(String, Option<String>)| {
        SUMMARY.knows(name) || matches!(name.as_str(), "X" | "dirstat")
    };
    let is_one = is_usual || parsed.options.iter().any(is_summary);
    is_one.then_some(parsed)
}

/// Reads the words of a command that shows commits without differences, with options of its own.
pub(super) fn commits<'w>(words: &'w [Word], own: &Table) -> Option<ParsedOptions<'w>> {
    let parsed = parse(words, &[own, &COMMIT_LOOK, &COMMIT_CHOICE, &COMMITS])?;
    has_known_formats(&parsed).then_some(parsed)
}

/// The options that decide which files are shown, a word each. `None` when one has another value than a number.
fn selection(parsed: &ParsedOptions<'_>) -> Option<Vec<String>> {
    let is_number = |value: &String| !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let chooses = |name: &str| COMMIT_CHOICE.knows(name) || SIDES.knows(name);
    let options = parsed.options.iter().filter(|(name, _)| chooses(name));
    options
        .map(|(name, value)| {
            let value = match value {
                None => String::new(),
                Some(value) => Some(value).filter(|value| is_number(value))?.clone(),
            };
            Some(match name.as_str() {
                NUMBER => format!("-{value}"),
                "n" => format!("-n{value}"),
                "max-count" | "skip" => format!("--{name}={value}"),
                name if value.is_empty() => format!("--{name}"),
                _ => return None,
            })
        })
        .collect()
}
