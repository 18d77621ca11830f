//! `/worktree`: what a task changed in its work tree, told by numbered hunks, and some of them applied to the project.

use super::ReaderSession;
use super::queries::number;
use crate::conversation::TaskId;
use crate::screen_reader::host_requests::HostRequest;
use crate::screen_reader::pages::task_tree;
use crate::session::host::{TreeAnswer, TreeQuery};

const USAGE: &str = "/worktree takes the number of a task, then apply with hunk numbers, or all.";

impl ReaderSession {
    pub(super) fn look_at_worktree(&mut self, given: &str) {
        let mut words = given.split_whitespace();
        let Some(number) = words.next().and_then(number) else {
            return self.say(USAGE);
        };
        let Some(row) = self.tree.tasks.with_number(number) else {
            return self.say(&format!("There is no task {number}; /tasks lists them."));
        };
        if row.worktree.is_none() {
            return self.say(&format!(
                "Task {number} works in the project itself; /diff lists what changed there."
            ));
        }
        let task = row.task.clone();
        match words.next() {
            None => self.begin(HostRequest::Tree(TreeQuery::Changes(task))),
            Some("apply") => {
                let hunks: Vec<&str> = words.collect();
                self.apply_hunks(number, task, &hunks);
            }
            Some(_) => self.say(USAGE),
        }
    }

    fn apply_hunks(&mut self, number: usize, task: TaskId, hunks: &[&str]) {
        let told = self.listed.tree.as_ref().filter(|changes| changes.task == task);
        let Some(changes) = told else {
            return self.say(&format!(
                "Its hunks were not listed yet; /worktree {number} lists them."
            ));
        };
        match task_tree::selection(changes, hunks) {
            Ok(selection) => self.begin(HostRequest::Tree(TreeQuery::Apply(task, selection))),
            Err(why) => self.say(&why),
        }
    }

    /// Takes what the service says about a tree.
    pub(super) fn say_tree(&mut self, answer: TreeAnswer) {
        match answer {
            TreeAnswer::Changes { task, changes } => match changes {
                Ok(changes) => {
                    let number = self.tree.tasks.number(&task.session()).unwrap_or(0);
                    let lines = task_tree::list(number, &changes);
                    self.listed.tree = Some(changes);
                    self.output.lines(&lines);
                }
                Err(report) => self.say(&format!("Error: {}", report.sentence())),
            },
            TreeAnswer::Applied { applied, .. } => {
                // Its numbers mean something else now.
                self.listed.tree = None;
                match applied {
                    Ok(applied) => self.output.lines(&task_tree::applied(&applied)),
                    Err(report) => self.say(&format!("Nothing was written: {}", report.sentence())),
                }
            }
            // Nothing here asks for these.
            TreeAnswer::Listed(_) | TreeAnswer::Removed { .. } => {}
        }
    }
}
