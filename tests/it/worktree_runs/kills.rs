//! Processes that are killed at a stage of their work.

use super::{Finished, LOOK_AGAIN, PathBuf, Run, Running, entries, fs, thread};

impl Run {
    /// Lets a process end, or kills it at one of these stages; `None` where it was killed.
    pub(super) fn finish(
        &mut self,
        mut running: Running,
        stages: &[&str],
        written: Option<&str>,
    ) -> Option<Finished> {
        // Half of them may end by themselves.
        if self.random.below(2) == 0 {
            return Some(running.wait());
        }
        let stage = stages[self.random.below(stages.len())];
        let looks = self.random.below(30);
        let start = self.progress(written);
        while !running.has_ended() && !self.has_reached(stage, written, &start) {
            thread::park_timeout(LOOK_AGAIN);
        }
        for _ in 0..looks {
            thread::park_timeout(LOOK_AGAIN);
        }
        if running.has_ended() {
            return Some(running.wait());
        }
        self.counts.kills += 1;
        self.tell(format!("killed at {stage:?}, {looks} looks later"));
        let _ = running.kill();
        None
    }

    /// Names in the records of all trees, and what else shows how far a process is.
    pub(super) fn progress(&self, written: Option<&str>) -> (Vec<PathBuf>, Option<Vec<u8>>) {
        let data = self.project().data_dir();
        let mut names = Vec::new();
        for directory in [data.join("transactions"), data.join("worktrees")] {
            names.extend(entries(&directory));
        }
        for record in entries(&data.join("worktree-records")) {
            let inside = entries(&record);
            names.extend(["repository/config", "repository/info", "new/.git"].map(|name| record.join(name)));
            names.extend(inside);
            names.push(record);
        }
        for tree in entries(&data.join("worktrees"))
            .iter()
            .flat_map(|project| entries(project))
        {
            names.extend(entries(&tree));
            names.push(tree);
        }
        names.retain(|name| name.exists());
        let text = written.and_then(|name| fs::read(self.project().path(name)).ok());
        (names, text)
    }

    pub(super) fn has_reached(
        &self,
        stage: &str,
        written: Option<&str>,
        start: &(Vec<PathBuf>, Option<Vec<u8>>),
    ) -> bool {
        let (names, text) = self.progress(written);
        let new: Vec<&PathBuf> = names.iter().filter(|name| !start.0.contains(name)).collect();
        let is_named = |path: &&&PathBuf, wanted: &str| {
            let name = path.file_name().unwrap().to_string_lossy();
            name == wanted || name.starts_with(&format!("{wanted}-"))
        };
        match stage {
            "" => !new.is_empty(),
            "written" => text != start.1,
            "transaction" => new
                .iter()
                .any(|path| path.extension().is_some_and(|end| end == "record")),
            "tree" => new
                .iter()
                .any(|path| path.ends_with(".gitignore") && !path.to_string_lossy().contains("/new/")),
            "work" => new
                .iter()
                .any(|path| path.ends_with("new") || path.ends_with("shared.txt")),
            "gone" => start.0.iter().any(|path| !path.exists()),
            stage if stage.contains('/') => new.iter().any(|path| path.ends_with(stage)),
            stage => new.iter().any(|path| is_named(&path, stage)),
        }
    }
}
