//! Destructive commands: which they are, and their effect in a few words for whoever is asked.
//!
//! Only words count here, no files. A label says what the command does in every case or may do; what cannot lose anything
//! has none.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::floor::without_assignments;

/// The files that a command would delete, as they were when somebody was to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletedFiles {
    pub files: u64,
    /// True if all were counted; looking has an end.
    pub is_all: bool,
    /// True if all are below the directory in which the command would run.
    pub is_here: bool,
}

impl DeletedFiles {
    /// Says it; of what is not there nothing can be said.
    pub(super) fn description(self) -> Option<String> {
        let here = if self.is_here { " here" } else { "" };
        let files = match (self.files, self.is_all) {
            (0, _) => return None,
            (1, true) => "1 file".to_owned(),
            (files, true) => format!("{files} files"),
            (files, false) => format!("more than {files} files"),
        };
        Some(format!("deletes {files}{here}, no undo"))
    }
}

const DELETES: &str = "deletes files, no undo";
const IN_PLACE: &str = "changes files in place, no undo";
const OVERWRITES: &str = "overwrites files, no undo";
const DISCARDS: &str = "discards changes";
const KEEPS: &str = "changes git's stored data";
const REWRITES: &str = "rewrites history";

/// Programs that do it whatever their words are.
const PROGRAMS: &[(&[&str], &str)] = &[
    (&["rm", "rmdir", "unlink", "shred", "srm"], DELETES),
    (
        &["dd", "truncate", "mkfs", "wipefs", "blkdiscard"],
        "overwrites data, no undo",
    ),
    (&["mv"], "moves files, may overwrite others"),
    (&["kill", "pkill", "killall"], "stops processes"),
    (
        &["chmod", "chown", "chgrp", "setfacl", "chattr", "setcap"],
        "changes file permissions",
    ),
    (
        &["reboot", "shutdown", "poweroff", "halt"],
        "shuts down the machine",
    ),
    (&["userdel", "groupdel", "usermod"], "changes user accounts"),
];

/// Programs that run what stands behind their options.
const WRAPPERS: &[&str] = &[
    "sudo", "doas", "env", "xargs", "exec", "nohup", "nice", "timeout", "time", "command", "builtin",
    "setsid", "stdbuf", "watch", "flock",
];

/// Words that say what a program with subcommands destroys.
const ACTIONS: &[&str] = &[
    "delete",
    "destroy",
    "prune",
    "purge",
    "publish",
    "unpublish",
    "uninstall",
    "remove",
    "rm",
    "rmi",
    "kill",
    "stop",
    "down",
    "yank",
    "autoremove",
    "drop",
    "unlink",
];

/// Programs whose first words say what they do.
const WITH_ACTIONS: &[(&[&str], usize)] = &[
    (
        &[
            "docker",
            "podman",
            "gh",
            "aws",
            "az",
            "gcloud",
            "doctl",
            "kubectl",
            "helm",
            "terraform",
            "pulumi",
            "vault",
            "mc",
            "vercel",
            "flyctl",
            "firebase",
            "heroku",
            "eksctl",
            "consul",
            "ip",
        ],
        2,
    ),
    (
        &[
            "npm",
            "pnpm",
            "yarn",
            "bun",
            "cargo",
            "pip",
            "pip3",
            "poetry",
            "brew",
            "apt",
            "apt-get",
            "dnf",
            "yum",
            "snap",
            "gem",
            "composer",
            "systemctl",
            "redis-cli",
            "minikube",
            "kind",
            "conda",
            "rustup",
            "uv",
            "pipx",
        ],
        1,
    ),
];

/// Returns the harm that a command does, by its words; `None` when it cannot lose anything, as far as words tell.
pub(super) fn harm_of(words: &[&str]) -> Option<&'static str> {
    harm_within(words, &mut BTreeSet::new())
}

/// The same for the end of a list of words. `looked_at` are the lengths of the ends that were looked at: wrappers in each
/// other lead to the same ones again and again.
fn harm_within(words: &[&str], looked_at: &mut BTreeSet<usize>) -> Option<&'static str> {
    if !looked_at.insert(words.len()) {
        return None;
    }
    let (program, arguments) = words.split_first()?;
    let program = program.rsplit('/').next().unwrap_or(program);
    let known = PROGRAMS.iter().find(|(names, _)| {
        names.contains(&program) || (program.starts_with("mkfs.") && names.contains(&"mkfs"))
    });
    if let Some((_, words)) = known {
        return Some(words);
    }
    let overwrites = |is_so: bool| is_so.then_some(OVERWRITES);
    let operands = |is_operand: fn(&&&str) -> bool| arguments.iter().filter(is_operand).count();
    match program {
        "git" => git(arguments),
        "find" => find(arguments, looked_at),
        "sed" => {
            let is_in_place = arguments.iter().any(|word| is_in_place(word));
            is_in_place.then_some(IN_PLACE)
        }
        "perl" | "ruby" => {
            let mut options = arguments.iter().take_while(|word| word.starts_with('-'));
            let is_in_place = options.any(|word| is_letters(word) && word.contains('i'));
            is_in_place.then_some(IN_PLACE)
        }
        "awk" | "gawk" | "mawk" | "nawk" => awk(arguments),
        "sort" => overwrites(has_option(arguments, &['o'], &["--o"])),
        "cp" | "install" | "sponge" => overwrites(!arguments.is_empty()),
        "ln" => overwrites(has_option(arguments, &['f'], &["--f"])),
        "tee" => {
            let files = operands(|word| !word.starts_with('-') && **word != "/dev/null");
            overwrites(files > 0 && !has_option(arguments, &['a'], &["--a"]))
        }
        "uniq" | "xxd" => overwrites(operands(|word| !word.starts_with('-') || word.len() == 1) > 1),
        "curl" => overwrites(has_option(arguments, &['o', 'O'], &["--o", "--remote-n"])),
        "wget" => {
            let names_a_file = |word: &&str| is_letters(word) && word.contains('O') && !word.ends_with("O-");
            let is_named = arguments.iter().any(names_a_file);
            overwrites(is_named || has_option(arguments, &[], &["--output-d"]))
        }
        "rsync" => {
            let only_shows = arguments.contains(&"--dry-run") || has_option(arguments, &['n'], &[]);
            let deletes = has_option(arguments, &[], &["--del", "--remove"]);
            (!only_shows).then_some(if deletes { DELETES } else { OVERWRITES })
        }
        "crontab" => (!arguments.contains(&"-l")).then_some("changes what runs later"),
        _ if WRAPPERS.contains(&program) => {
            let mut starts = (1..words.len().min(8)).filter(|at| !words[*at].starts_with('-'));
            starts.find_map(|at| harm_within(&words[at..], looked_at))
        }
        _ => action(program, arguments),
    }
}

/// Programs that are told in a word what to do.
fn action(program: &str, arguments: &[&str]) -> Option<&'static str> {
    let (_, count) = WITH_ACTIONS.iter().find(|(names, _)| names.contains(&program))?;
    let plain = arguments
        .iter()
        .filter(|word| !word.starts_with('-'))
        .take(*count);
    let mut plain = plain.take_while(|word| !matches!(**word, "run" | "exec" | "test"));
    plain
        .any(|word| ACTIONS.contains(word))
        .then_some("may be hard to undo")
}

fn awk(arguments: &[&str]) -> Option<&'static str> {
    let runs = |word: &&str| word.contains("system") || word.contains('|') || word.contains("getline");
    if arguments.iter().any(runs) {
        return Some("runs other commands");
    }
    let whole = arguments.join(" ");
    let writes = whole.contains('>') && whole.contains("print");
    (writes || arguments.contains(&"inplace")).then_some(OVERWRITES)
}

/// Returns true if an argument has one of these letters, or begins like one of these long options.
fn has_option(arguments: &[&str], letters: &[char], long: &[&str]) -> bool {
    arguments.iter().any(|word| {
        is_letters(word) && word.contains(letters) || long.iter().any(|option| word.starts_with(option))
    })
}

fn is_letters(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--")
}

/// `-i`, `-ni.bak`, `--in-place`.
fn is_in_place(word: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    let of_letters = letters.is_some_and(|letters| {
        let end = letters.find(['e', 'f', 'l']).unwrap_or(letters.len());
        letters[..end].contains(['i', 'I'])
    });
    of_letters || (word.len() > 2 && "--in-place".starts_with(word.split('=').next().unwrap_or(word)))
}

fn find(arguments: &[&str], looked_at: &mut BTreeSet<usize>) -> Option<&'static str> {
    if arguments.contains(&"-delete") {
        return Some(DELETES);
    }
    if arguments
        .iter()
        .any(|word| word.starts_with("-fprint") || *word == "-fls")
    {
        return Some(OVERWRITES);
    }
    let runs = arguments
        .iter()
        .enumerate()
        .filter(|(_, word)| matches!(**word, "-exec" | "-execdir" | "-ok" | "-okdir"));
    runs.into_iter()
        .find_map(|(at, _)| harm_within(&arguments[at + 1..], looked_at))
}

fn git(arguments: &[&str]) -> Option<&'static str> {
    let mut rest = arguments;
    // `-C x`, `-c a=b`.
    loop {
        rest = match rest {
            [
                "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace",
                _,
                after @ ..,
            ] => after,
            [option, after @ ..] if option.starts_with('-') => after,
            _ => break,
        };
    }
    let (subcommand, rest) = rest.split_first()?;
    let has = |names: &[&str]| rest.iter().any(|word| names.contains(word));
    let has_letter = |letters: &[char]| rest.iter().any(|word| is_letters(word) && word.contains(letters));
    let operands = || rest.iter().filter(|word| !word.starts_with('-'));
    let first = operands().next().copied().unwrap_or_default();
    let found = |is_so: bool, words| is_so.then_some(words);
    match *subcommand {
        "push" => found(!has(&["--dry-run", "-n"]), "pushes to a remote"),
        "reset" => found(has(&["--hard", "--merge", "--keep"]), DISCARDS),
        "checkout" => found(checkout_discards(rest), DISCARDS),
        "restore" => found(
            !has(&["--staged", "-S"]) || has(&["--worktree", "-W"]) || has_letter(&['W']),
            DISCARDS,
        ),
        "switch" => found(
            has(&["--force", "--discard-changes", "--force-create"]) || has_letter(&['f', 'C']),
            DISCARDS,
        ),
        "clean" => found(!has(&["--dry-run"]) && !has_letter(&['n']), DELETES),
        "stash" => found(matches!(first, "drop" | "clear"), DISCARDS),
        "rm" => found(!has(&["--cached", "--dry-run", "-n"]), "deletes files"),
        "branch" => found(
            has(&["--delete", "--move", "--force", "--copy"]) || has_letter(&['d', 'D', 'm', 'M', 'C', 'f']),
            KEEPS,
        ),
        "tag" => found(has(&["--delete", "--force"]) || has_letter(&['d', 'f']), KEEPS),
        "reflog" => found(matches!(first, "expire" | "delete" | "drop"), KEEPS),
        "gc" | "prune" | "update-ref" | "replace" => Some(KEEPS),
        "worktree" => found(matches!(first, "remove" | "prune" | "move"), KEEPS),
        "remote" => found(
            matches!(first, "remove" | "rm" | "rename" | "set-url" | "prune"),
            KEEPS,
        ),
        "rebase" | "filter-branch" | "filter-repo" => Some(REWRITES),
        "commit" => found(has(&["--amend"]), REWRITES),
        "config" => {
            let reads = has(&["--get", "--get-all", "--get-regexp", "--list", "-l"])
                || matches!(first, "get" | "list");
            let is_one_key = operands().count() <= 1 && !has(&["--unset", "--unset-all", "--edit", "-e"]);
            found(!reads && !is_one_key, "changes git's configuration")
        }
        "submodule" => found(first == "deinit", DISCARDS),
        "checkout-index" | "read-tree" => Some(DISCARDS),
        _ => None,
    }
}

/// A branch that is made or gone to discards nothing; files that are taken from elsewhere do. Which of both a plain word
/// is, only the repository knows.
fn checkout_discards(rest: &[&str]) -> bool {
    let has = |names: &[&str]| rest.iter().any(|word| names.contains(word));
    if has(&["-f", "--force", "--", "-p", "--patch", "--ours", "--theirs", "-B"]) {
        return true;
    }
    if has(&["-b", "--orphan", "--detach", "-d", "--track", "-t"]) {
        return false;
    }
    let operands: Vec<&&str> = rest.iter().filter(|word| !word.starts_with('-')).collect();
    let is_path = |word: &str| word.starts_with('.') || word.ends_with('/') || word.contains(['*', '?', '[']);
    operands.len() > 1 || operands.iter().any(|word| is_path(word))
}

/// Describes the harm of a destructive command's canonical text.
pub(super) fn harm(command: &str) -> &'static str {
    let words = without_assignments(command);
    // What its own words do not say a command in them does: `bash -c rm x`.
    let inside = || {
        let parts = command.split([' ', '\'', '"', ';', '(', '\n']);
        let words: Vec<&str> = parts.filter(|word| !word.is_empty()).collect();
        let mut looked_at = BTreeSet::new();
        (1..words.len()).find_map(|at| harm_within(&words[at..], &mut looked_at))
    };
    harm_of(&words).unwrap_or_else(|| match words.as_slice() {
        // The word was found to be a file's name.
        ["git", ..] if words.contains(&"checkout") => DISCARDS,
        _ => inside().unwrap_or("may be hard to undo"),
    })
}

#[cfg(test)]
mod tests {
    use super::{DeletedFiles, harm_of};

    #[test]
    fn files_that_go_are_counted_in_words() {
        let words = |files, is_all, is_here| {
            let deleted = DeletedFiles {
                files,
                is_all,
                is_here,
            };
            deleted.description().unwrap_or_default()
        };
        assert_eq!(words(212, true, true), "deletes 212 files here, no undo");
        assert_eq!(words(1, true, false), "deletes 1 file, no undo");
        assert_eq!(
            words(9000, false, true),
            "deletes more than 9000 files here, no undo"
        );
        assert_eq!(words(0, true, true), "");
    }

    #[test]
    fn what_is_destroyed_is_named() {
        for (command, expected) in [
            ("rm -rf target/tmp", "deletes files, no undo"),
            ("/bin/rm x", "deletes files, no undo"),
            ("sudo rm x", "deletes files, no undo"),
            ("xargs -0 rm -f", "deletes files, no undo"),
            ("find . -name x -delete", "deletes files, no undo"),
            ("find . -exec rm {} +", "deletes files, no undo"),
            ("find . -fprint out", "overwrites files, no undo"),
            ("sed -i s/a/b/ x", "changes files in place, no undo"),
            ("sed -ni.bak p x", "changes files in place, no undo"),
            ("sed --in-place=.bak p x", "changes files in place, no undo"),
            ("perl -pi -e s/a/b/ x", "changes files in place, no undo"),
            ("awk BEGIN{system(\"id\")}", "runs other commands"),
            ("awk {print > \"out\"} x", "overwrites files, no undo"),
            ("sort -no x x", "overwrites files, no undo"),
            ("rsync -a --delete a b", "deletes files, no undo"),
            ("rsync -a a b", "overwrites files, no undo"),
            ("cp a b", "overwrites files, no undo"),
            ("install -m755 a b", "overwrites files, no undo"),
            ("ln -sf a b", "overwrites files, no undo"),
            ("tee a", "overwrites files, no undo"),
            ("sponge a", "overwrites files, no undo"),
            ("uniq a b", "overwrites files, no undo"),
            ("curl -so a u", "overwrites files, no undo"),
            ("wget -O a u", "overwrites files, no undo"),
            ("git -C x push origin main", "pushes to a remote"),
            ("git reset --hard", "discards changes"),
            ("git checkout -- .", "discards changes"),
            ("git checkout .", "discards changes"),
            ("git checkout HEAD a.txt", "discards changes"),
            ("git checkout -f main", "discards changes"),
            ("git restore a", "discards changes"),
            ("git restore --staged --worktree a", "discards changes"),
            ("git switch -f main", "discards changes"),
            ("git stash drop", "discards changes"),
            ("git clean -fd", "deletes files, no undo"),
            ("git branch -D x", "changes git's stored data"),
            ("git tag -d x", "changes git's stored data"),
            ("git reflog expire --all", "changes git's stored data"),
            ("git rebase main", "rewrites history"),
            ("git config user.name x", "changes git's configuration"),
            ("pkill node", "stops processes"),
            ("chmod +x a.sh", "changes file permissions"),
            ("npm publish", "may be hard to undo"),
            ("docker volume rm x", "may be hard to undo"),
            ("docker compose down -v", "may be hard to undo"),
            ("kubectl -n x delete pod y", "may be hard to undo"),
            ("gh repo delete x", "may be hard to undo"),
        ] {
            let words: Vec<&str> = command.split(' ').collect();
            assert_eq!(harm_of(&words), Some(expected), "{command}");
        }
    }

    #[test]
    fn what_loses_nothing_has_no_label() {
        for command in [
            "git stash list",
            "git stash",
            "git stash show -p",
            "git stash pop",
            "git tag",
            "git tag v1",
            "git tag -l v*",
            "git checkout -b x",
            "git checkout main",
            "git checkout feature/x",
            "git restore --staged a",
            "git restore -S .",
            "git switch main",
            "git switch -c x",
            "git reset --soft HEAD~1",
            "git reset HEAD a",
            "git branch x",
            "git branch --list",
            "git reflog",
            "git worktree list",
            "git worktree add x",
            "git remote -v",
            "git config --get user.name",
            "git config --list",
            "git commit -m push",
            "git clean -n",
            "git push --dry-run",
            "git log reset",
            "ls rm",
            "grep -rn remove src",
            "cargo test remove",
            "npm run delete",
            "npm test",
            "sed -n p x",
            "sed -e s/i/j/ x",
            "awk {print} x",
            "sort x",
            "ln -s a b",
            "tee -a a",
            "tee /dev/null",
            "uniq -c a",
            "curl -s u",
            "wget -qO- u",
            "rsync -an a b",
            "find . -name rm",
            "mkdir x",
            "cargo test",
            "crontab -l",
            "docker ps",
        ] {
            let words: Vec<&str> = command.split(' ').collect();
            assert_eq!(harm_of(&words), None, "{command}");
        }
    }
}
