//! Random runs of work trees: isolated tasks that work, a person who edits, cleans up, applies and removes, and processes
//! that are killed in the middle of it.
//!
//! After each step of lathe's the project and every tree are compared with what they have to be. What the person does with
//! their own hands is taken as it is. A tree's files are never others than what was written in it; it goes only when all
//! of it was applied, or was discarded; and nothing in the project changes but by a step that applies, as a whole or not at
//! all. The merge is checked against git's own.

mod applying;
mod files;
mod kills;
mod person;
mod work;

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

use files::{differing, differing_names, entries, files, git, lines, read_below, text, worktrees};
use work::Work;

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

/// Counts of what the runs did.
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
    /// Steps so far, for the story of a failure.
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
    let counts = crate::support::seeds::in_a_test(12, run);
    // Runs in which nothing happens would prove nothing.
    assert!(
        counts.trees > 12 && counts.applied > 12 && counts.kills > 12,
        "{counts}"
    );
    assert!(
        counts.removed > 3 && counts.refused > 3 && counts.conflicts > 0,
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
