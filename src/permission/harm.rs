//! What a command that destroys something does, in a few words for whoever is asked.
//!
//! Which commands are destructive is decided elsewhere, and rather too often; this only finds words for it.

/// The files that a command would delete, as they were when somebody was to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deleted {
    pub files: u64,
    /// Whether all were counted; looking has an end.
    pub is_all: bool,
    /// Whether all are below the directory in which the command would run.
    pub is_here: bool,
}

impl Deleted {
    /// Says it; of what is not there nothing can be said.
    pub(super) fn words(self) -> Option<String> {
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

/// Programs, or a program and its first word, with what they do. The first that fits counts.
const HARMS: &[(&[&str], &str)] = &[
    (&["rm", "rmdir", "unlink", "shred"], "deletes files, no undo"),
    (&["dd", "truncate", "mkfs"], "overwrites data, no undo"),
    (&["mv"], "moves files, also over others"),
    (&["kill", "pkill", "killall"], "stops processes"),
    (&["chmod", "chown", "chgrp", "setfacl"], "changes rights"),
    (&["reboot", "shutdown"], "stops the machine"),
    (&["git push"], "pushes to a remote"),
    (
        &[
            "git reset",
            "git checkout",
            "git restore",
            "git clean",
            "git switch",
            "git stash",
        ],
        "discards changes",
    ),
    (&["git rm"], "deletes files"),
    (
        &[
            "git branch",
            "git tag",
            "git reflog",
            "git gc",
            "git update-ref",
            "git worktree",
        ],
        "changes what the repository keeps",
    ),
    (&["git rebase", "git filter-branch"], "rewrites history"),
    (&["git config"], "changes how git works"),
];

/// Returns what a destructive command's canonical text does.
pub(super) fn harm(command: &str) -> &'static str {
    let words: Vec<&str> = command
        .split(' ')
        .filter(|word| !word.starts_with('-'))
        .map(|word| word.rsplit('/').next().unwrap_or(word))
        .collect();
    let fits = |name: &&str| match name.split_once(' ') {
        Some((program, action)) => words.first() == Some(&program) && words.contains(&action),
        None => words.iter().take(3).any(|word| word == name),
    };
    let found = HARMS.iter().find(|(names, _)| names.iter().any(fits));
    found.map_or("may be hard to undo", |(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::{Deleted, harm};

    #[test]
    fn files_that_go_are_counted_in_words() {
        let words = |files, is_all, is_here| {
            let deleted = Deleted {
                files,
                is_all,
                is_here,
            };
            deleted.words().unwrap_or_default()
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
            ("git -C x push origin main", "pushes to a remote"),
            ("git checkout main", "discards changes"),
            ("pkill node", "stops processes"),
            ("chmod +x a.sh", "changes rights"),
            ("npm publish", "may be hard to undo"),
        ] {
            assert_eq!(harm(command), expected, "{command}");
        }
    }
}
