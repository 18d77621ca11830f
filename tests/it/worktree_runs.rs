//! Random runs of work trees: isolated tasks that work, a person who edits, cleans up, applies and removes, and processes
//! that are killed in the middle of it.
//!
//! After each step of lathe's the project and every tree are compared with what they have to be. What the person does with
//! their own hands is taken as it is. A tree's files are never others than what was written in it; it goes only when all
//! of it was applied, or was discarded; and nothing in the project changes but by a step that applies, as a whole or not at
//! all. The merge is checked against git's own.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::ops::Add;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Finished, Lathe, Project, Protocol, Random, Running, Server, Turn};

/// Steps of one run.
const STEPS: usize = 16;
/// Lines of a file.
const LINES: usize = 24;
/// A text that stands in the requests of agent `helper` alone.
const HELPER: &str = "You are the helper of these runs.";
/// Between two looks at how far a process has come.
const LOOK_AGAIN: Duration = Duration::from_micros(100);

/// Files that are no one's to ignore, by their path, with their bytes.
type Files = BTreeMap<String, Vec<u8>>;

/// What the runs did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    trees: usize,
    applied: usize,
    conflicts: usize,
    removed: usize,
    refused: usize,
    kills: usize,
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            trees: self.trees + other.trees,
            applied: self.applied + other.applied,
            conflicts: self.conflicts + other.conflicts,
            removed: self.removed + other.removed,
            refused: self.refused + other.refused,
            kills: self.kills + other.kills,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} trees, {} applied, {} conflicts, {} removed, {} kept, {} kills",
            self.trees, self.applied, self.conflicts, self.removed, self.refused, self.kills
        )
    }
}

/// One tree as it has to be.
struct Tree {
    task: String,
    path: PathBuf,
    base: Files,
    applied: Files,
    now: Files,
    /// It has commits or a stash that its files do not show.
    has_hidden: bool,
}

struct Run {
    random: Random,
    project: Option<Project>,
    server: Server,
    trees: Vec<Tree>,
    number: usize,
    counts: Counts,
    /// What was done so far, for the story of a failure.
    story: Vec<String>,
}

/// Makes one run. Panics with its story when something is lost.
pub(crate) fn run(seed: u64) -> Counts {
    let mut run = Run::new(seed);
    for _ in 0..STEPS {
        run.step();
    }
    run.counts
}

#[test]
fn random_runs_with_kills_and_clean_ups_lose_nothing() {
    const WORKERS: u64 = 2;
    let of_worker = |worker: u64| {
        let seeds = (1..=20).filter(move |seed| seed % WORKERS == worker);
        seeds.fold(Counts::default(), |counts, seed| counts + run(seed))
    };
    let counts = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| scope.spawn(move || of_worker(worker)))
            .collect();
        let counts = workers.into_iter().map(|worker| worker.join().unwrap());
        counts.fold(Counts::default(), Add::add)
    });
    eprintln!("{counts}");
    // Runs in which nothing happens would prove nothing.
    assert!(
        counts.trees > 20 && counts.applied > 20 && counts.kills > 20,
        "{counts}"
    );
    assert!(
        counts.removed > 5 && counts.refused > 5 && counts.conflicts > 0,
        "{counts}"
    );
}

impl Run {
    fn new(seed: u64) -> Self {
        let server = Server::start();
        let mut project = Project::new()
            .config(json!({
                "permission": {"edit": "allow", "bash": "allow"},
                "agents": {"helper": {"description": "Helps", "mode": "subagent", "prompt": HELPER}},
            }))
            .model(&server, Protocol::OpenAiChat)
            .file(".gitignore", "*.log\n");
        for name in ["a.txt", "b.txt", "src/c.txt", "src/d.txt"] {
            project = project.file(name, &lines(name));
        }
        let project = project.git();
        project.run_git(&["branch", "other"]);
        Self {
            random: Random::new(seed),
            project: Some(project),
            server,
            trees: Vec::new(),
            number: 0,
            counts: Counts::default(),
            story: vec![format!("seed {seed}")],
        }
    }

    fn project(&self) -> &Project {
        self.project.as_ref().unwrap()
    }

    fn step(&mut self) {
        match self.random.below(12) {
            0 | 1 => self.start_task(),
            2 | 3 => self.edit_project(),
            4 => self.clean_up_project(),
            5 => self.edit_a_tree(),
            6 => self.use_git_in_a_tree(),
            7..=9 => self.apply(),
            _ => self.remove(),
        }
    }

    fn tell(&mut self, what: String) {
        self.story.push(what);
    }

    #[track_caller]
    fn check(&self, holds: bool, what: &str) {
        assert!(holds, "{what}\n  {}", self.story.join("\n  "));
    }

    /// A number that is used once.
    fn next(&mut self) -> usize {
        self.number += 1;
        self.number
    }

    fn start_task(&mut self) {
        if self.trees.len() > 3 {
            return;
        }
        // Turns that a killed run left over are nobody's.
        self.server = Server::start();
        let project = self.project.take().unwrap();
        self.project = Some(project.model(&self.server, Protocol::OpenAiChat));
        let before = self.project_files();
        let repository = self.repository();
        let work = self.work();
        let commands: Vec<String> = work.iter().map(Work::command).collect();
        self.tell(format!("a task does: {}", commands.join("; ")));
        let task = json!({
            "subagent_type": "helper", "description": "work", "prompt": "work", "isolation": "worktree"
        });
        self.server
            .script([Turn::tool("task", task), Turn::text("Done.")]);
        let calls = commands
            .iter()
            .map(|command| Turn::tool("bash", json!({ "command": command })));
        self.server
            .script_for(HELPER, calls.chain([Turn::text("Worked.")]));
        let running = Lathe::in_project(self.project()).args(["run", "go"]).spawn();
        let stages = [
            "",
            "repository/config",
            "repository/info",
            "new",
            "new/.git",
            "record.json",
            "tree",
            "work",
        ];
        let finished = self.finish(running, &stages, None);
        let is_whole = finished.is_some();
        if let Some(finished) = finished {
            self.check(finished.code == Some(0), &finished.to_string());
        }
        self.check(
            self.project_files() == before,
            "the project changed while a task worked",
        );
        self.check(
            self.repository() == repository,
            "the project's repository changed while a task worked",
        );
        for listed in self.settled_list() {
            let path = PathBuf::from(text(&listed, "path"));
            if self.trees.iter().any(|tree| tree.path == path) {
                continue;
            }
            self.counts.trees += 1;
            let now = files(&path);
            self.check_work(&before, &now, &work, is_whole);
            self.trees.push(Tree {
                task: text(&listed, "task"),
                path,
                base: before.clone(),
                applied: before.clone(),
                now,
                has_hidden: false,
            });
        }
        self.check_trees();
    }

    /// Each file is as it was or as the work leaves it.
    fn check_work(&self, before: &Files, now: &Files, work: &[Work], is_whole: bool) {
        let mut after = before.clone();
        for work in work {
            work.apply(&mut after);
        }
        if is_whole {
            return self.check(
                *now == after,
                &format!("the work is not all there: {}", differing(&after, now)),
            );
        }
        let names = before.keys().chain(after.keys()).chain(now.keys());
        for name in names {
            let is = now.get(name);
            let may_be = [before.get(name), after.get(name)];
            // One that was being written when everything was killed is empty.
            let is_known = may_be.contains(&is) || is.is_some_and(Vec::is_empty);
            self.check(
                is_known || !work.is_empty(),
                &format!("{name} is something else in the tree"),
            );
        }
    }

    /// Things that an agent does, or a person with their own hands.
    fn work(&mut self) -> Vec<Work> {
        let count = 1 + self.random.below(3);
        (0..count).map(|_| self.piece_of_work()).collect()
    }

    fn piece_of_work(&mut self) -> Work {
        let number = self.next();
        let name = ["a.txt", "b.txt", "src/c.txt", "src/d.txt"][self.random.below(4)].to_owned();
        match self.random.below(6) {
            0 => Work::Create(format!("new/n{number}.txt"), format!("new {number}\n")),
            1 => Work::Create("shared.txt".to_owned(), format!("shared {number}\n")),
            2 if self.random.below(3) == 0 => Work::Delete(name),
            _ => Work::Change {
                name,
                line: self.random.below(LINES),
                to: format!("changed {number}"),
            },
        }
    }

    fn edit_project(&mut self) {
        let work = self.work();
        let root = self.project().root();
        for work in work {
            self.tell(format!("the person: {}", work.command()));
            work.perform(&root);
        }
        self.check_trees();
    }

    fn clean_up_project(&mut self) {
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

    fn pick_tree(&mut self) -> Option<usize> {
        (!self.trees.is_empty()).then(|| self.random.below(self.trees.len()))
    }

    fn edit_a_tree(&mut self) {
        let Some(index) = self.pick_tree() else { return };
        for work in self.work() {
            self.tell(format!("in tree {index}: {}", work.command()));
            work.perform(&self.trees[index].path);
        }
        self.trees[index].now = files(&self.trees[index].path);
    }

    fn use_git_in_a_tree(&mut self) {
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

    fn apply(&mut self) {
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

    fn remove(&mut self) {
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
    fn is_settled(&self, index: usize) -> bool {
        let tree = &self.trees[index];
        let base = self.base_of(&tree.task);
        let is_as_base = tree.now == tree.base;
        let differs = || !git(&tree.path, &["diff", "--quiet", &base, "HEAD"]).0;
        let hides_commits = is_as_base && tree.path.join(".git").is_dir() && differs();
        tree.now == tree.applied && !tree.has_hidden && !hides_commits
    }

    fn base_of(&self, task: &str) -> String {
        let listed = self.settled_list();
        let found = listed.iter().find(|listed| text(listed, "task") == task);
        text(
            found.unwrap_or_else(|| panic!("{task} is not listed: {}", self.story.join("\n  "))),
            "base",
        )
    }

    /// What the project has to be after a tree is applied; `None` where something conflicts.
    fn merged(&self, index: usize, project: &Files) -> Option<Files> {
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

    fn merge_file(ours: &[u8], base: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
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

    /// Every tree is as it has to be, but for the one that is at work.
    fn check_trees(&self) {
        for (index, tree) in self.trees.iter().enumerate() {
            self.check(tree.path.is_dir(), &format!("tree {index} is gone"));
            let now = files(&tree.path);
            self.check(
                now == tree.now,
                &format!("tree {index} changed: {}", differing(&tree.now, &now)),
            );
        }
    }

    /// Lists the trees as soon as nobody works in one any more.
    fn settled_list(&self) -> Vec<Value> {
        loop {
            let finished = worktrees(self.project(), &["list", "--json"]).run();
            self.check(finished.code == Some(0), &finished.to_string());
            let listed = finished.json()["worktrees"].as_array().unwrap().clone();
            if listed.iter().all(|listed| listed["state"] != "live") {
                return listed;
            }
        }
    }

    /// Lets a process end, or kills it at one of these stages; `None` where it was killed.
    fn finish(&mut self, mut running: Running, stages: &[&str], written: Option<&str>) -> Option<Finished> {
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
    fn progress(&self, written: Option<&str>) -> (Vec<PathBuf>, Option<Vec<u8>>) {
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

    fn has_reached(
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

    fn project_files(&self) -> Files {
        files(&self.project().root())
    }

    /// The project's repository, byte for byte.
    fn repository(&self) -> Files {
        let mut found = Files::new();
        read_below(&self.project().path(".git"), Path::new(""), &mut found);
        found
    }
}

/// Something that is done to files.
#[derive(Debug, Clone)]
enum Work {
    Create(String, String),
    Delete(String),
    Change { name: String, line: usize, to: String },
}

impl Work {
    fn command(&self) -> String {
        match self {
            Self::Create(name, text) => {
                let text = text.trim_end();
                let directory = Path::new(name).parent().unwrap().display().to_string();
                let made = if directory.is_empty() {
                    String::new()
                } else {
                    format!("mkdir -p {directory} && ")
                };
                format!("{made}echo '{text}' > {name}")
            }
            Self::Delete(name) => format!("rm -f {name}"),
            Self::Change { name, line, to } => {
                // What is not there is not made.
                format!(
                    "if [ -f {name} ]; then sed -i '{}s/.*/{to}/' {name}; fi",
                    line + 1
                )
            }
        }
    }

    fn apply(&self, files: &mut Files) {
        match self {
            Self::Create(name, text) => {
                files.insert(name.clone(), text.clone().into_bytes());
            }
            Self::Delete(name) => {
                files.remove(name);
            }
            Self::Change { name, line, to } => {
                let Some(bytes) = files.get_mut(name) else { return };
                let text = String::from_utf8(bytes.clone()).unwrap();
                let mut lines: Vec<&str> = text.lines().collect();
                if let Some(place) = lines.get_mut(*line) {
                    *place = to;
                }
                let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
                *bytes = lines.concat().into_bytes();
            }
        }
    }

    fn perform(&self, directory: &Path) {
        let done = Command::new("sh")
            .args(["-c", &self.command()])
            .current_dir(directory)
            .status()
            .unwrap();
        assert!(done.success(), "{self:?}");
    }
}

fn worktrees(project: &Project, words: &[&str]) -> Lathe {
    Lathe::in_project(project).arg("worktrees").args(words)
}

/// Runs git and returns whether it worked, and what it printed.
fn git(directory: &Path, words: &[&str]) -> (bool, String) {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "gc.auto=0"])
        .args(words)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    (
        output.status.success(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

fn lines(name: &str) -> String {
    let lines: Vec<String> = (1..=LINES).map(|line| format!("{name} {line}\n")).collect();
    lines.concat()
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap().to_owned()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn files(root: &Path) -> Files {
    let mut found = Files::new();
    read_below(root, Path::new(""), &mut found);
    found.retain(|name, _| {
        !name.starts_with(".git/")
            && Path::new(name)
                .extension()
                .is_none_or(|extension| extension != "log")
    });
    found
}

fn read_below(root: &Path, below: &Path, found: &mut Files) {
    for path in entries(&root.join(below)) {
        let name = below.join(path.file_name().unwrap());
        if path.is_dir() {
            read_below(root, &name, found);
        } else if let Ok(bytes) = fs::read(&path) {
            found.insert(name.to_str().unwrap().to_owned(), bytes);
        }
    }
}

fn differing_names(one: &Files, other: &Files) -> Vec<String> {
    let names = one.keys().chain(other.keys());
    let mut names: Vec<String> = names
        .filter(|name| one.get(*name) != other.get(*name))
        .cloned()
        .collect();
    names.sort();
    names.dedup();
    names
}

fn differing(expected: &Files, found: &Files) -> String {
    let shown = |files: &Files, name: &str| {
        let bytes = files.get(name);
        bytes.map_or("nothing".to_owned(), |bytes| {
            String::from_utf8_lossy(bytes).into_owned()
        })
    };
    let names = differing_names(expected, found).into_iter();
    let names = names.map(|name| {
        format!(
            "{name}: {:?} and not {:?}",
            shown(found, &name),
            shown(expected, &name)
        )
    });
    names.collect::<Vec<_>>().join("; ")
}
