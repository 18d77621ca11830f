//! The person's own steps: edits and clean-ups in the project and in trees.

use super::{Run, files, fs, git};

impl Run {
    pub(super) fn edit_project(&mut self) {
        let work = self.work();
        let root = self.project().root();
        for work in work {
            self.tell(format!("the person: {}", work.command()));
            work.perform(&root);
        }
        self.check_trees();
    }

    pub(super) fn clean_up_project(&mut self) {
        let number = self.next();
        let branch = format!("b{number}");
        let commands: &[&[&str]] = match self.random.below(9) {
            0 => &[&["stash", "--include-untracked"]],
            1 => &[&["stash", "pop"]],
            2 => &[&["checkout", "--", "."]],
            3 => &[&["clean", "-fdq"]],
            4 => &[&["add", "-A"], &["commit", "-qm", "state"]],
            5 => &[&["checkout", "-q", "other"]],
            6 => &[&["checkout", "-q", "-f", "main"]],
            7 => &[
                &["stash", "clear"],
                &["reflog", "expire", "--expire=now", "--all"],
                &["gc", "-q", "--prune=now"],
            ],
            _ => &[
                &["checkout", "-q", "-b", &branch],
                &["reset", "-q", "--hard", "HEAD"],
            ],
        };
        for words in commands {
            self.tell(format!("the person: git {}", words.join(" ")));
            // Many of them do not fit what is there, and are refused.
            git(&self.project().root(), words);
        }
        // A pop that conflicts leaves what no tree can be made of.
        if !git(&self.project().root(), &["ls-files", "-u"]).1.is_empty() {
            git(&self.project().root(), &["reset", "-q", "--hard", "HEAD"]);
        }
        self.check_trees();
    }

    pub(super) fn pick_tree(&mut self) -> Option<usize> {
        (!self.trees.is_empty()).then(|| self.random.below(self.trees.len()))
    }

    pub(super) fn edit_a_tree(&mut self) {
        let Some(index) = self.pick_tree() else { return };
        for work in self.work() {
            self.tell(format!("in tree {index}: {}", work.command()));
            work.perform(&self.trees[index].path);
        }
        self.trees[index].now = files(&self.trees[index].path);
    }

    pub(super) fn use_git_in_a_tree(&mut self) {
        let Some(index) = self.pick_tree() else { return };
        let number = self.next();
        let branch = format!("side{number}");
        let path = self.trees[index].path.clone();
        let commands: &[&[&str]] = match self.random.below(7) {
            0 | 1 => &[&["add", "-A"], &["commit", "-qm", "work"]],
            2 => &[&["stash", "-q", "--include-untracked"]],
            3 => &[&["stash", "pop", "-q"]],
            4 => &[&["gc", "-q", "--prune=now"]],
            5 => &[
                &["checkout", "-q", "-b", &branch],
                &["commit", "-q", "--allow-empty", "-m", "side"],
                &["checkout", "-q", "-"],
            ],
            _ => &[],
        };
        if commands.is_empty() {
            self.tell(format!("in tree {index}: rm -rf .git"));
            let _ = fs::remove_dir_all(path.join(".git"));
            self.trees[index].has_hidden = false;
            return;
        }
        if !path.join(".git").is_dir() {
            return;
        }
        for words in commands {
            self.tell(format!("in tree {index}: git {}", words.join(" ")));
            git(&path, words);
        }
        let has_stash = !git(&path, &["stash", "list"]).1.is_empty();
        let has_side = git(&path, &["branch", "--list", "side*"]).1.contains("side");
        let tree = &mut self.trees[index];
        tree.has_hidden = has_stash || has_side;
        tree.now = files(&path);
    }
}
