//! Options of programs that most systems have.

use super::{OptionEntry, WordsBehind, known};

/// Programs that read, search and check text.
pub(super) const SYSTEM: &[OptionEntry] = &[
    // They run nothing and write nothing whatever their options are, or make what was not there.
    (
        &[
            "basename",
            "cat",
            "cksum",
            "cmp",
            "column",
            "comm",
            "cut",
            "df",
            "diff",
            "dirname",
            "du",
            "echo",
            "egrep",
            "expr",
            "false",
            "fgrep",
            "fold",
            "free",
            "grep",
            "head",
            "hexdump",
            "id",
            "ls",
            "md5sum",
            "mkdir",
            "nl",
            "nproc",
            "od",
            "paste",
            "ps",
            "pwd",
            "readlink",
            "realpath",
            "rev",
            "seq",
            "sha1sum",
            "sha256sum",
            "sha512sum",
            "sleep",
            "stat",
            "tail",
            "touch",
            "tr",
            "true",
            "uname",
            "wc",
            "which",
            "whoami",
        ],
        known("").and(WordsBehind::Anything),
    ),
    (&["printf"], known("")),
    // No `-v`: what stands in the brackets of its operand is run.
    (
        &["test", "["],
        known(
            "-f -d -e -s -r -w -x -L -h -n -z -a -o -p -S -b -c -t -O -G -N -u -g -k -eq -ne -lt -le -gt -ge -nt -ot -ef",
        ),
    ),
    (
        &["sort"],
        known(
            "-r -n -u -h -f -b -g -V -s -c -C -z -i -d -M -R -k: -t: --reverse --numeric-sort --unique --key \
             --field-separator --human-numeric-sort --version-sort --stable --check --ignore-case",
        ),
    ),
    (
        &["rg"],
        known(
            "-n -i -l -w -v -c -F -o -U -S -s -N -H -I -P -x -e: -A: -B: -C: -g: -t: -T: -m: --json --files --type \
             --type-not --glob --count --count-matches --heading --no-heading --stats --sort --context --after-context \
             --before-context --max-count --multiline --pcre2 --only-matching --line-number --ignore-case --smart-case \
             --fixed-strings --word-regexp --invert-match --files-with-matches --files-without-match --color",
        ),
    ),
    (
        &["jq"],
        known(
            "-r -c -n -s -e -S -M -C -j -a -R --raw-output --compact-output --null-input --slurp --exit-status --sort-keys \
             --tab --indent --arg --argjson --args --jsonargs --join-output --raw-input",
        ),
    ),
    (
        &["shellcheck"],
        known("-x -a -s: -S: -e: -i: -f: --severity --shell --exclude --include --format --external-sources"),
    ),
    (&["shfmt"], known("-d -l -s -i: -ci -bn -sr -kp -ln")),
];
