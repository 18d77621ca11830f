//! Options of the git commands that show commits and differences.
//!
//! Each table says what its options do to the output. A command shows no lines of files only if all of its options are
//! known to show none. One that shows lines has to be made of options whose effect on the choice of files is known: those
//! that choose are repeated when git is asked for the names of the files, the others are left out. Everything else asks.

use super::super::word::Word;
use super::git::is_plain_format;
use super::table::{NUMBER, Parsed, Table, parse};

/// Options that replace the lines of a difference by a summary.
const SUMMARY: Table = Table {
    flags: "s",
    attached: "X",
    long: "no-patch raw stat numstat shortstat dirstat summary compact-summary name-only name-status quiet",
    ..Table::NONE
};

/// Options that show lines of a difference, or say how.
const LINES: Table = Table {
    flags: "puWDq",
    attached: "U",
    long: "patch color-words word-diff word-diff-regex= function-context unified inter-hunk-context= check binary \
           patch-with-stat patch-with-raw irreversible-delete combined-all-paths",
    ..Table::NONE
};

/// The same for an entry of the stash, where `-u` adds other files.
const STASH_LINES: Table = Table {
    flags: "pWDq",
    ..LINES
};

/// Options for the differences of merges. Each shows lines.
const MERGES: Table = Table {
    flags: "mc",
    long: "cc diff-merges= no-diff-merges",
    ..Table::NONE
};

/// Options that neither show lines nor choose files.
const LOOK: Table = Table {
    flags: "zabwr",
    long: "color no-color color-moved no-color-moved color-moved-ws= minimal patience histogram diff-algorithm= \
           anchored= full-index abbrev no-abbrev text ignore-space-at-eol ignore-space-change ignore-all-space \
           ignore-blank-lines ignore-cr-at-eol exit-code no-ext-diff no-textconv no-prefix src-prefix= dst-prefix= \
           default-prefix indent-heuristic no-indent-heuristic line-prefix= ws-error-highlight= ignore-submodules \
           no-relative stat-width= stat-count= stat-name-width= stat-graph-width= cumulative",
    ..Table::NONE
};

/// The same for commits.
const COMMIT_LOOK: Table = Table {
    long: "oneline decorate no-decorate date= format= pretty abbrev-commit no-abbrev-commit source log-size \
           relative-date expand-tabs no-expand-tabs notes no-notes",
    ..Table::NONE
};

/// Options that choose among the files of a difference, or pair them.
const CHOICE: Table = Table {
    flags: "R",
    valued: "SGl",
    attached: "MCB",
    long: "no-renames find-renames find-copies find-copies-harder break-rewrites diff-filter= pickaxe-regex \
           pickaxe-all find-object= ita-invisible-in-index root",
    ..Table::NONE
};

/// Options that choose among commits, wherever they stand.
const COMMIT_CHOICE: Table = Table {
    flags: "g",
    valued: "n",
    long: "all follow max-count= skip= since= after= until= before= since-as-filter= author= committer= merges \
           no-merges first-parent branches tags remotes glob= exclude= reverse date-order topo-order \
           author-date-order left-only right-only cherry-pick cherry-mark cherry full-history ancestry-path \
           walk-reflogs reflog boundary no-walk do-walk show-pulls sparse simplify-merges min-parents= max-parents= \
           no-min-parents no-max-parents mailmap use-mailmap no-mailmap no-use-mailmap merge remove-empty dense \
           full-diff",
    numbers: true,
    ..Table::NONE
};

/// Options for the names of files alone: they choose by more than a question about names can repeat.
const NAMES_ONLY: Table = Table {
    flags: "t",
    long: "relative skip-to= rotate-to=",
    ..Table::NONE
};

/// The same for commits: they choose by what is printed, or by where they stand.
const HEADERS_ONLY: Table = Table {
    flags: "iEFP",
    long: "decorate-refs= decorate-refs-exclude= clear-decorations graph no-graph grep= grep-reflog= \
           regexp-ignore-case extended-regexp fixed-strings perl-regexp basic-regexp all-match invert-grep left-right \
           simplify-by-decoration parents children encoding= show-linear-break not",
    ..Table::NONE
};

/// What `diff` compares.
const SIDES: Table = Table {
    long: "cached staged merge-base",
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
pub(super) enum Shown {
    Diff,
    Log,
    Show,
    Stash,
}

/// The words of a command that shows differences.
pub(super) struct Differences<'w> {
    pub(super) parsed: Parsed<'w>,
    /// The options that choose commits and files, a word each; `None` when no line of a file is shown.
    pub(super) selection: Option<Vec<String>>,
}

/// Reads the words behind a command that shows differences.
pub(super) fn differences(shown: Shown, words: &[Word]) -> Option<Differences<'_>> {
    let has_revisions = |parsed: &Parsed<'_>| shown == Shown::Show && parsed.has(REVISIONS);
    let without_lines: &[&Table] = match shown {
        Shown::Diff => &[&SUMMARY, &LOOK, &CHOICE, &NAMES_ONLY, &SIDES, &STAGES],
        Shown::Log | Shown::Show => &[
            &SUMMARY,
            &LOOK,
            &CHOICE,
            &NAMES_ONLY,
            &COMMIT_LOOK,
            &COMMIT_CHOICE,
            &HEADERS_ONLY,
        ],
        // Any option but these shows lines.
        Shown::Stash => &[&SUMMARY],
    };
    if let Some(parsed) = parse(words, without_lines) {
        let is_usual = match shown {
            Shown::Diff | Shown::Show => false,
            Shown::Log => true,
            Shown::Stash => parsed.options.is_empty(),
        };
        let is_summary = is_usual || parsed.options.iter().any(|(name, _)| SUMMARY.knows(name));
        if is_summary {
            let fits = is_plain_format(&parsed) && !has_revisions(&parsed);
            return fits.then_some(Differences {
                parsed,
                selection: None,
            });
        }
    }
    let with_lines: &[&Table] = match shown {
        Shown::Diff => &[&SUMMARY, &LINES, &LOOK, &CHOICE, &SIDES],
        Shown::Log | Shown::Show => &[
            &SUMMARY,
            &LINES,
            &LOOK,
            &CHOICE,
            &MERGES,
            &COMMIT_LOOK,
            &COMMIT_CHOICE,
        ],
        Shown::Stash => &[&SUMMARY, &STASH_LINES, &LOOK, &CHOICE],
    };
    let parsed = parse(words, with_lines)?;
    let fits = is_plain_format(&parsed) && !has_revisions(&parsed) && merges_are_plain(&parsed);
    let selection = selection(shown, &parsed);
    fits.then_some(Differences {
        parsed,
        selection: Some(selection),
    })
}

/// Reads the words of a command that shows commits without differences, with options of its own.
pub(super) fn commits<'w>(words: &'w [Word], own: &Table) -> Option<Parsed<'w>> {
    let parsed = parse(words, &[own, &COMMIT_LOOK, &COMMIT_CHOICE, &HEADERS_ONLY])?;
    is_plain_format(&parsed).then_some(parsed)
}

/// Returns true if no merge is made again to be shown, which runs programs.
fn merges_are_plain(parsed: &Parsed<'_>) -> bool {
    const PLAIN: &[&str] = &[
        "off",
        "none",
        "on",
        "m",
        "first-parent",
        "1",
        "separate",
        "combined",
        "c",
        "dense-combined",
        "cc",
    ];
    parsed
        .values(&["diff-merges"])
        .all(|value| PLAIN.contains(&value))
}

/// The options that decide which files are shown, a word each, as git takes them before its operands.
fn selection(shown: Shown, parsed: &Parsed<'_>) -> Vec<String> {
    let chooses = |name: &str| {
        [&CHOICE, &COMMIT_CHOICE, &SIDES]
            .iter()
            .any(|table| table.knows(name))
    };
    let options = parsed.options.iter();
    let mut words: Vec<String> = options
        .filter(|(name, _)| chooses(name))
        .map(|(name, value)| word(name, value.as_deref()))
        .collect();
    // What is put together of a merge hides the names that files had before. Compared with each parent, all are named.
    if shown == Shown::Show || parsed.options.iter().any(|(name, _)| MERGES.knows(name)) {
        words.push("-m".to_owned());
    }
    words
}

/// An option in one word.
fn word(name: &str, value: Option<&str>) -> String {
    match (name, value) {
        (NUMBER, value) => format!("-{}", value.unwrap_or_default()),
        (name, value) if name.len() == 1 => format!("-{name}{}", value.unwrap_or_default()),
        (name, Some(value)) => format!("--{name}={value}"),
        (name, None) => format!("--{name}"),
    }
}
