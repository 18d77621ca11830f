//! Programs that make files whose kind no operand tells: they come out of an archive, a repository, a patch or another
//! computer, and links can be among them.

use super::word::Word;
use super::{Simple, base_name};

/// Programs that unpack, or copy with links, in each of their forms.
const UNPACKING: &[&str] = &[
    "unzip", "7z", "7za", "7zr", "unrar", "cpio", "bsdcpio", "pax", "ditto", "patch", "rename", "prename",
    "link", "clone",
];
/// Subcommands of git that leave the files of the work tree as they are. Any other may be an alias for one that does not.
const LEAVING_FILES: &[&str] = &[
    "add",
    "annotate",
    "archive",
    "blame",
    "branch",
    "bundle",
    "cat-file",
    "check-attr",
    "check-ignore",
    "cherry",
    "commit",
    "config",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "fetch",
    "for-each-ref",
    "format-patch",
    "fsck",
    "gc",
    "grep",
    "hash-object",
    "help",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "maintenance",
    "merge-base",
    "name-rev",
    "notes",
    "push",
    "range-diff",
    "reflog",
    "remote",
    "rev-list",
    "rev-parse",
    "rm",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "status",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "var",
    "version",
    "whatchanged",
    "write-tree",
];

/// Returns true if a command may make links that are not among what it copies by its words.
pub fn may_unpack_links(command: &Simple) -> bool {
    let program = base_name(command.program());
    let words = &command.words[1..];
    match program {
        "git" => git(words),
        "tar" | "bsdtar" | "gtar" => unpacks(words),
        "rsync" => copies_links(words),
        _ => UNPACKING.contains(&program),
    }
}

/// Returns true for `git mv` without options before the subcommand; its operands are those of `mv`.
pub(super) fn is_git_move(command: &Simple) -> bool {
    command.is_git() && command.words.get(1).is_some_and(|word| word.text == "mv")
}

/// Returns true if git may change files of the work tree, `mv` in its plain form left out.
fn git(words: &[Word]) -> bool {
    let Some(first) = words.first() else { return false };
    if matches!(first.text.as_str(), "--version" | "--help") {
        return false;
    }
    let Some(at) = subcommand(words) else { return true };
    let rest = &words[at + 1..];
    let next = rest.first().map_or("", |word| word.text.as_str());
    let has = |names: &[&str]| rest.iter().any(|word| names.contains(&word.text.as_str()));
    match words[at].text.as_str() {
        "mv" => at > 0,
        "checkout" | "switch" => !only_makes_a_branch(rest),
        "worktree" => !matches!(next, "list" | "lock" | "unlock" | "prune" | "remove" | "repair"),
        "stash" => matches!(
            next,
            "pop" | "apply" | "branch" | "" | "push" | "save" | "-u" | "-a" | "-k"
        ),
        "submodule" => !matches!(next, "status" | "summary"),
        "reset" => has(&["--hard", "--merge", "--keep"]) || rest.iter().any(Word::is_dynamic),
        "restore" => {
            let is_staged = has(&["--staged", "-S"]);
            !is_staged
                || rest
                    .iter()
                    .any(|word| word.text.contains('W') || word.is_dynamic())
                || has(&["--worktree"])
        }
        "apply" => !has(&["--check", "--stat", "--numstat", "--summary"]) || has(&["--apply"]),
        known => words[at].is_dynamic() || !LEAVING_FILES.contains(&known),
    }
}

/// The place of the subcommand; `None` behind an option that is not known.
fn subcommand(words: &[Word]) -> Option<usize> {
    let mut at = 0;
    loop {
        match words.get(at)?.text.as_str() {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => at += 2,
            "-P" | "--no-pager" | "-p" | "--paginate" | "--no-optional-locks" | "--literal-pathspecs" => {
                at += 1;
            }
            text if text.starts_with('-') => return None,
            _ => return Some(at),
        }
    }
}

/// `git checkout -b NAME`, from where it stands.
fn only_makes_a_branch(rest: &[Word]) -> bool {
    let [option, name] = rest else { return false };
    let makes = matches!(option.text.as_str(), "-b" | "-B" | "-c" | "-C" | "--create");
    makes && option.is_literal() && name.is_literal()
}

/// Returns true unless the operation of `tar` is another than to unpack.
fn unpacks(words: &[Word]) -> bool {
    let long = [
        "--create",
        "--list",
        "--append",
        "--update",
        "--diff",
        "--compare",
        "--delete",
        "--concatenate",
    ];
    let is_long = words.iter().any(|word| long.contains(&word.text.as_str()));
    let letters = |word: &Word| {
        let text = word.text.strip_prefix('-').unwrap_or(&word.text);
        !word.text.starts_with("--") && text.contains(['c', 't', 'r', 'u', 'd', 'A'])
    };
    let of_first = words
        .first()
        .is_some_and(|word| letters(word) && !word.is_dynamic());
    let has_x = |word: &Word| {
        let is_first = words.first().is_some_and(|first| std::ptr::eq(first, word));
        let is_letters = is_first || word.text.starts_with('-') && !word.text.starts_with("--");
        is_letters && word.text.contains('x')
            || "--extract".starts_with(&word.text) && word.text.len() > 4
            || word.text == "--get"
    };
    !(is_long || of_first) || words.iter().any(has_x)
}

/// Returns true if `rsync` may copy links as links.
fn copies_links(words: &[Word]) -> bool {
    let has_letter = |word: &Word| {
        let is_letters = word.text.starts_with('-') && !word.text.starts_with("--");
        is_letters && word.text.contains(['a', 'l', 'b'])
    };
    let is_long = |word: &Word| {
        let long = ["--archive", "--links", "--backup", "--files-from", "--read-batch"];
        let name = word.text.split('=').next().unwrap_or_default();
        name.len() > 2 && long.iter().any(|known| known.starts_with(name))
    };
    words
        .iter()
        .any(|word| word.is_dynamic() || has_letter(word) || is_long(word))
}

#[cfg(test)]
mod tests {
    use super::super::analyse;
    use super::*;

    #[test]
    fn commands_that_may_make_links_are_told_from_others() {
        for (command, expected) in [
            ("git checkout main", true),
            ("git checkout -b new", false),
            ("git checkout -b new old", true),
            ("git switch -c new", false),
            ("git switch -", true),
            ("git -C sub checkout main", true),
            ("git -c a=b pull", true),
            ("git --unknown status", true),
            ("git --no-pager log", false),
            ("git co main", true),
            ("git status", false),
            ("git add . ", false),
            ("git commit -m pop", false),
            ("git stash", true),
            ("git stash pop", true),
            ("git stash list", false),
            ("git stash drop", false),
            ("git worktree add x", true),
            ("git worktree list", false),
            ("git reset HEAD x", false),
            ("git reset --hard", true),
            ("git restore x", true),
            ("git restore --staged x", false),
            ("git restore --staged --worktree x", true),
            ("git restore -SW x", true),
            ("git apply x", true),
            ("git apply --check x", false),
            ("git mv a b", false),
            ("git -C x mv a b", true),
            ("git clone x", true),
            ("tar xf a.tar", true),
            ("tar -xzf a.tar", true),
            ("tar --extract -f a.tar", true),
            ("tar -f a.tar -x", true),
            ("tar -C x -xf c.tar", true),
            ("tar cf a.tar b", false),
            ("tar tf a.tar", false),
            ("tar -czf a.tar b", false),
            ("tar --list -f a.tar", false),
            ("rsync -a a b", true),
            ("rsync -rltv a b", true),
            ("rsync -r a b", false),
            ("rsync --arch a b", true),
            ("rsync --links -r a b", true),
            ("link a b", true),
            ("unzip a.zip", true),
            ("zip a.zip b", false),
            ("cargo build", false),
        ] {
            let analysis = analyse(command);
            assert_eq!(may_unpack_links(&analysis.commands[0]), expected, "{command}");
        }
    }
}
