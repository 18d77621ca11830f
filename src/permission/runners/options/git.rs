//! Options of git.

use super::{Operands, OptionEntry, known};

const GIT_SHOWING: &str = "-p -u -s -i -w -b -z -q -M -C -U: -S: -G: -n: -# -L: --patch --no-patch --oneline --stat \
    --shortstat --numstat --name-only --name-status --summary --graph --all --decorate --no-decorate --max-count --since \
    --until --after --before --author --committer --grep --format --pretty --abbrev --abbrev-commit --first-parent \
    --merges --no-merges --reverse --follow --cached --staged --merge-base --color --no-color --word-diff --diff-filter \
    --date --check --raw --exit-code --quiet --no-renames --find-renames --ignore-all-space --ignore-space-change \
    --unified --left-right --no-ext-diff --no-textconv --topo-order --date-order --tags --branches --remotes --minimal \
    --histogram --patience --compact-summary --dirstat";

/// The subcommands of git.
pub(super) const GIT: &[OptionEntry] = &[
    (
        &["git add"],
        known(
            "-A -u -v -n -f -N --all --update --verbose --dry-run --force --intent-to-add --ignore-errors --renormalize",
        ),
    ),
    (
        &["git commit"],
        known(
            "-a -q -s -v -n -o -i -m: -F: -C: --all --quiet --signoff --verbose --no-verify --only --include --message \
             --file --reuse-message --allow-empty --allow-empty-message --no-edit --author --date --fixup --squash \
             --cleanup --dry-run --reset-author --no-gpg-sign --short --porcelain",
        ),
    ),
    (
        &["git push"],
        known("-n -q -v -u --dry-run --quiet --verbose --set-upstream --tags --all --porcelain --progress")
            .taking(Operands::NoTransport),
    ),
    (
        &["git checkout", "git switch"],
        known(
            "-q -d -t -b: -c: --quiet --detach --track --no-track --create --orphan --guess --no-guess --progress",
        ),
    ),
    (
        &["git restore"],
        known("-q -S -s: --quiet --staged --source --progress"),
    ),
    (
        &["git stash"],
        known(
            "-u -a -q -k -S -m: --include-untracked --all --quiet --keep-index --no-keep-index --staged --message --index",
        ),
    ),
    (&["git stash list", "git stash show"], known(GIT_SHOWING)),
    (
        &["git merge", "git cherry-pick", "git revert"],
        known(
            "-q -n -x -m: --quiet --no-edit --no-ff --ff --ff-only --squash --no-squash --abort --continue --skip --quit \
             --no-commit --stat --no-stat --message --mainline --signoff --log",
        ),
    ),
    (
        &["git pull", "git fetch"],
        known(
            "-q -v -p -P -t -n -r -4 -6 -j: --quiet --verbose --all --prune --prune-tags --tags --no-tags --depth --deepen \
             --unshallow --shallow-since --dry-run --progress --no-progress --jobs --ipv4 --ipv6 --recurse-submodules \
             --no-recurse-submodules --multiple --rebase --no-rebase --ff-only --ff --no-ff --autostash --no-autostash \
             --no-edit --stat --no-stat --squash --no-commit --set-upstream",
        )
        .taking(Operands::NoTransport),
    ),
    (
        &["git clone"],
        known(
            "-q -v -n -b: -o: -j: --quiet --verbose --progress --depth --branch --single-branch --no-single-branch --bare \
             --mirror --recurse-submodules --recursive --no-tags --filter --sparse --no-checkout --origin --jobs \
             --shallow-submodules --shallow-since",
        )
        .taking(Operands::NoTransport),
    ),
    (
        &["git ls-remote"],
        known(
            "-q -h -b -t --quiet --heads --branches --tags --refs --exit-code --get-url --symref --sort",
        )
        .taking(Operands::NoTransport),
    ),
    (
        &["git remote"],
        known("-v -t: -m: --verbose --tags --no-tags --push --all").taking(Operands::NoTransport),
    ),
    (
        &["git submodule"],
        known(
            "-q -b: -j: --quiet --init --recursive --remote --depth --jobs --single-branch --name --no-fetch --progress \
             --cached",
        )
        .taking(Operands::NoTransport),
    ),
    (
        &["git grep"],
        known(
            "-n -i -l -L -w -v -c -h -H -E -F -P -G -o -q -W -p -z -e: -A: -B: -C: -m: -# --line-number --ignore-case \
             --files-with-matches --files-without-match --name-only --word-regexp --invert-match --count \
             --extended-regexp --fixed-strings --perl-regexp --heading --break --untracked --cached --and --or --not \
             --all-match --context --after-context --before-context --max-count --color --no-color --function-context \
             --show-function --column --null --only-matching --quiet",
        ),
    ),
    (
        &["git archive"],
        known("-v -l -# --format --prefix --verbose --list --worktree-attributes").taking(Operands::NoTransport),
    ),
    (
        &["git log", "git show", "git diff", "git reflog", "git whatchanged"],
        known(GIT_SHOWING),
    ),
    (
        &["git status"],
        known("-s -b -v -z -u: --short --branch --porcelain --ignored --untracked-files --long --show-stash --no-renames"),
    ),
    (
        &["git blame"],
        known("-w -M -C -l -s -e -t -L: --porcelain --line-porcelain --date --since --reverse"),
    ),
    (
        &["git branch"],
        known(
            "-a -r -v -l -t -q -u: --all --remotes --verbose --list --show-current --merged --no-merged --contains \
             --no-contains --sort --format --column --no-column --track --no-track --set-upstream-to --quiet --points-at \
             --color --no-color",
        ),
    ),
    (
        &["git tag"],
        known(
            "-l -a -n: -m: -F: --list --annotate --message --file --contains --merged --sort --points-at --format --no-sign",
        ),
    ),
    (
        &["git reset"],
        known("-q -N --quiet --soft --mixed --intent-to-add"),
    ),
    (&["git mv"], known("-v -n -k --verbose --dry-run")),
    (
        &["git rm"],
        known("-r -q -n --cached --quiet --dry-run --ignore-unmatch"),
    ),
    (&["git clean"], known("-n -d -x -q --dry-run --quiet")),
    (&["git init"], known("-q -b: --quiet --initial-branch --bare")),
    (
        &["git worktree"],
        known("-d -q -v -z -b: --detach --quiet --verbose --porcelain --no-checkout --orphan"),
    ),
    (
        &["git apply"],
        known("-v -R -3 -p: --check --stat --numstat --summary --cached --index --verbose --reverse --3way --recount"),
    ),
    (
        &["git config"],
        known("-l -z --get --get-all --get-regexp --list --global --local --system --show-origin --show-scope --name-only"),
    ),
    (
        &["git bisect"],
        known(""),
    ),
    (
        &["git rev-parse"],
        known(
            "-q --show-toplevel --show-prefix --show-cdup --abbrev-ref --short --verify --is-inside-work-tree --git-dir \
             --git-common-dir --absolute-git-dir --quiet --symbolic --symbolic-full-name",
        ),
    ),
    (
        &["git ls-files"],
        known(
            "-c -o -m -d -s -u -z -t --cached --others --modified --deleted --stage --unmerged --exclude-standard \
             --error-unmatch --full-name --directory --ignored -i",
        ),
    ),
    (
        &["git rev-list", "git shortlog"],
        known(
            "-n -s -e -# --count --all --max-count --since --until --author --grep --left-right --first-parent --no-merges \
             --merges --reverse --summary --numbered --email --objects",
        ),
    ),
    (
        &["git describe", "git merge-base", "git ls-tree", "git check-ignore"],
        known(
            "-r -l -d -t -v -q -n -z --tags --always --dirty --long --abbrev --all --match --exact-match --is-ancestor \
             --fork-point --name-only --full-tree --full-name --verbose --quiet --no-index",
        ),
    ),
    (&["git cat-file"], known("-p -t -s -e --batch-check")),
];
