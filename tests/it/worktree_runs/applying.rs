//! Trees that are applied and removed, and the files that have to be there afterwards.

use super::{Command, Files, Run, differing, differing_names, fs, git, text, worktrees};

impl Run {
    pub(super) fn apply(&mut self) {
        let Some(index) = self.pick_tree() else { return };
        let (before, repository) = (self.project_files(), self.repository());
        let expected = self.merged(index, &before);
        self.tell(format!(
            "apply tree {index}, which {}",
            match &expected {
                Some(_) => "fits",
                None => "conflicts",
            }
        ));
        let task = self.trees[index].task.clone();
        let stages = ["look", "merge", "transaction", "written", "record.json"];
        let running = worktrees(self.project(), &["apply", &task, "--json"]).spawn();
        let first = expected
            .as_ref()
            .map(|expected| differing_names(&before, expected));
        let finished = self.finish(
            running,
            &stages,
            first.and_then(|names| names.into_iter().next()).as_deref(),
        );
        if finished.is_none() {
            // Whatever was under way is undone, or whole.
            self.settled_list();
            let now = self.project_files();
            let is_half = now != before && expected.as_ref() != Some(&now);
            self.check(
                !is_half,
                &format!("applied by halves: {}", differing(&before, &now)),
            );
        }
        let finished = match finished {
            Some(finished) => finished,
            None => worktrees(self.project(), &["apply", &task, "--json"]).run(),
        };
        if let Some(expected) = expected {
            self.check(finished.code == Some(0), &finished.to_string());
            let now = self.project_files();
            self.check(
                now == expected,
                &format!("merged otherwise: {}", differing(&expected, &now)),
            );
            self.trees[index].applied = self.trees[index].now.clone();
            self.counts.applied += 1;
        } else {
            self.check(finished.code == Some(1), &finished.to_string());
            self.check(self.project_files() == before, "a conflict wrote something");
            self.counts.conflicts += 1;
        }
        self.check(
            self.repository() == repository,
            "applying changed the project's repository",
        );
        self.check_trees();
    }

    pub(super) fn remove(&mut self) {
        let Some(index) = self.pick_tree() else { return };
        let discards = self.random.below(4) == 0;
        let is_settled = self.is_settled(index);
        self.tell(format!(
            "remove tree {index}, discard: {discards}, settled: {is_settled}"
        ));
        let (before, repository) = (self.project_files(), self.repository());
        let task = self.trees[index].task.clone();
        let mut words = vec!["remove", &task];
        words.extend(discards.then_some("--discard"));
        let running = worktrees(self.project(), &words).spawn();
        let stages = ["look", "removing", "settled", "gone"];
        let finished = self.finish(running, &stages, None);
        let listed = self.settled_list();
        let is_listed = listed.iter().any(|listed| text(listed, "task") == task);
        let may_go = is_settled || discards;
        match &finished {
            Some(finished) => {
                self.check(finished.code == Some(i32::from(!may_go)), &finished.to_string());
                self.check(is_listed != may_go, "it is gone, or is not");
            }
            None => self.check(is_listed || may_go, "a tree is gone that holds work"),
        }
        self.check(
            self.trees[index].path.exists() == is_listed,
            "the list and the directory disagree",
        );
        if is_listed {
            self.counts.refused += usize::from(finished.is_some());
        } else {
            self.trees.remove(index);
            self.counts.removed += 1;
        }
        self.check(
            self.project_files() == before,
            "removing a tree changed the project",
        );
        self.check(
            self.repository() == repository,
            "removing a tree changed the project's repository",
        );
        self.check_trees();
    }

    /// Returns true if all of a tree was applied, and nothing of it is hidden.
    pub(super) fn is_settled(&self, index: usize) -> bool {
        let tree = &self.trees[index];
        let base = self.base_of(&tree.task);
        let is_as_base = tree.now == tree.base;
        let differs = || !git(&tree.path, &["diff", "--quiet", &base, "HEAD"]).0;
        let hides_commits = is_as_base && tree.path.join(".git").is_dir() && differs();
        tree.now == tree.applied && !tree.has_hidden && !hides_commits
    }

    pub(super) fn base_of(&self, task: &str) -> String {
        let listed = self.settled_list();
        let found = listed.iter().find(|listed| text(listed, "task") == task);
        text(
            found.unwrap_or_else(|| panic!("{task} is not listed: {}", self.story.join("\n  "))),
            "base",
        )
    }

    /// Returns the files that the project has to have after a tree is applied; `None` where something conflicts.
    pub(super) fn merged(&self, index: usize, project: &Files) -> Option<Files> {
        let tree = &self.trees[index];
        let mut merged = project.clone();
        let names = tree.applied.keys().chain(tree.now.keys());
        for name in names {
            let (base, theirs, ours) = (tree.applied.get(name), tree.now.get(name), project.get(name));
            if base == theirs || ours == theirs {
                continue;
            }
            let result = match (base, theirs, ours) {
                _ if ours == base => theirs.cloned(),
                (Some(base), Some(theirs), Some(ours)) => Some(Self::merge_file(ours, base, theirs)?),
                _ => return None,
            };
            match result {
                Some(bytes) => merged.insert(name.clone(), bytes),
                None => merged.remove(name),
            };
        }
        Some(merged)
    }

    pub(super) fn merge_file(ours: &[u8], base: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
        let directory = tempfile::tempdir().unwrap();
        let names = ["ours", "base", "theirs"];
        for (name, bytes) in names.iter().zip([ours, base, theirs]) {
            fs::write(directory.path().join(name), bytes).unwrap();
        }
        let output = Command::new("git")
            .args(["merge-file", "-p"])
            .args(names)
            .current_dir(directory.path())
            .output()
            .unwrap();
        output.status.success().then_some(output.stdout)
    }
}
