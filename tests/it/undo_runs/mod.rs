//! Random runs of undo: turns that write, patch, move, delete and run commands, undo and redo, somebody else who changes
//! files in between, and processes that are killed.
//!
//! After each step the project is compared with what a model of it says, and the conversation with its messages. No byte
//! of what somebody else wrote is ever lost, because the model never takes it away.

mod model;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::ops::Add;
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Finished, Lathe, Project, Protocol, Random, Server, Turn};

use model::{Author, Effect, Files, Model};

/// Steps of one run.
const STEPS: usize = 12;
const PATHS: [&str; 6] = ["a.txt", "b.txt", "c.txt", "src/d.txt", "src/deep/e.txt", "f.txt"];
/// Between two looks at a process that is to be killed.
const LOOK_AGAIN: Duration = Duration::from_micros(200);

/// Counts of what the runs did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) turns: usize,
    pub(crate) undone: usize,
    pub(crate) refused: usize,
    pub(crate) redone: usize,
    pub(crate) outside: usize,
    pub(crate) kills: usize,
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            turns: self.turns + other.turns,
            undone: self.undone + other.undone,
            refused: self.refused + other.refused,
            redone: self.redone + other.redone,
            outside: self.outside + other.outside,
            kills: self.kills + other.kills,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} turns, {} undone, {} refused, {} redone, {} outside changes, {} kills",
            self.turns, self.undone, self.refused, self.redone, self.outside, self.kills
        )
    }
}

/// A call of a turn: what the model of the project does, and what lathe is told to do.
struct Call {
    changes: Vec<(Author, String, Option<String>)>,
    turn: Turn,
}

struct Run {
    random: Random,
    project: Option<Project>,
    server: Server,
    model: Model,
    number: usize,
    session: Option<String>,
    counts: Counts,
    story: Vec<String>,
}

/// Makes one run. Panics with its story when something is not as it has to be.
pub(crate) fn run(seed: u64) -> Counts {
    let mut run = Run::new(seed);
    for _ in 0..STEPS {
        run.step();
    }
    run.counts
}

#[test]
fn random_runs_of_undo_lose_nothing() {
    let counts = crate::support::seeds::in_a_test(28, run);
    // Runs in which nothing happens would prove nothing.
    assert!(
        counts.turns > 30 && counts.undone > 15 && counts.redone > 3 && counts.kills > 5,
        "{counts}"
    );
    assert!(counts.refused > 2 && counts.outside > 12, "{counts}");
}

impl Run {
    fn new(seed: u64) -> Self {
        let server = Server::start();
        let project = Project::new()
            .config(json!({
                "permission": {"edit": "allow", "bash": "allow"}, "edit": {"require_read": false},
            }))
            .model(&server, Protocol::OpenAiChat);
        let mut run = Self {
            random: Random::new(seed),
            project: Some(project),
            server,
            model: Model::default(),
            number: 0,
            session: None,
            counts: Counts::default(),
            story: vec![format!("seed {seed}")],
        };
        for path in ["a.txt", "b.txt", "src/d.txt"] {
            let text = run.text();
            run.project().write(path, text.as_bytes());
            run.model.files.insert(path.to_owned(), text);
        }
        run
    }

    fn project(&self) -> &Project {
        self.project.as_ref().unwrap()
    }

    fn step(&mut self) {
        let is_begun = self.session.is_some();
        match self.random.below(13) {
            0..=4 => self.turn(),
            5..=7 => self.change_outside(),
            8..=11 if is_begun => self.undo(),
            _ if is_begun => self.redo(),
            _ => self.turn(),
        }
        self.check();
    }

    fn tell(&mut self, what: String) {
        self.story.push(what);
    }

    #[track_caller]
    fn holds(&self, holds: bool, what: &str) {
        assert!(holds, "{what}\n  {}", self.story.join("\n  "));
    }

    /// A text that is used once.
    fn text(&mut self) -> String {
        self.number += 1;
        format!("text {}\n", self.number)
    }

    fn path(&mut self) -> &'static str {
        PATHS[self.random.below(PATHS.len())]
    }

    /// A call that changes one file or two; `files` is what the project will be when it runs.
    fn call(&mut self, files: &mut Files, with_commands: bool) -> Option<Call> {
        let path = self.path();
        let there = files.get(path).cloned();
        let kind = self.random.below(if with_commands { 7 } else { 4 });
        let (changes, turn) = match (kind, there) {
            (0, Some(old)) => {
                let text = self.text();
                let args = json!({"file_path": path, "old_string": old, "new_string": text});
                (vec![(Author::Tool, path, Some(text))], Turn::tool("edit", args))
            }
            (1, Some(_)) => {
                let text = format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n");
                (
                    vec![(Author::Tool, path, None)],
                    Turn::tool("apply_patch", json!({ "patch": text })),
                )
            }
            (2, Some(old)) => {
                let to = *PATHS.iter().find(|to| !files.contains_key(**to))?;
                let text = self.text();
                let moved = format!(
                    "*** Begin Patch\n*** Update File: {path}\n*** Move to: {to}\n@@\n-{old}+{text}*** End Patch\n"
                );
                (
                    vec![(Author::Tool, path, None), (Author::Tool, to, Some(text))],
                    Turn::tool("apply_patch", json!({ "patch": moved })),
                )
            }
            (4, Some(_)) => (
                vec![(Author::Command, path, None)],
                Turn::tool("bash", json!({"command": format!("rm {path}")})),
            ),
            (5 | 6, _) => {
                let text = self.text();
                let command = format!("mkdir -p src/deep && printf '{}\\n' > {path}", text.trim());
                (
                    vec![(Author::Command, path, Some(text))],
                    Turn::tool("bash", json!({ "command": command })),
                )
            }
            _ => {
                let text = self.text();
                let args = json!({"file_path": path, "content": text});
                (vec![(Author::Tool, path, Some(text))], Turn::tool("write", args))
            }
        };
        for (_, path, after) in &changes {
            match after {
                Some(text) => files.insert((*path).to_owned(), text.clone()),
                None => files.remove(*path),
            };
        }
        let owned = |(author, path, after): (Author, &str, Option<String>)| (author, path.to_owned(), after);
        Some(Call {
            changes: changes.into_iter().map(owned).collect(),
            turn,
        })
    }

    /// A turn with some calls; it may be killed in the middle, where no command is among them.
    fn turn(&mut self) {
        // Turns that a killed run left over are nobody's.
        self.server = Server::start();
        let project = self.project.take().unwrap();
        self.project = Some(project.model(&self.server, Protocol::OpenAiChat));
        let is_killed = self.random.below(3) == 0;
        let mut files = self.model.files.clone();
        let count = 1 + self.random.below(3);
        let calls: Vec<Call> = (0..count)
            .filter_map(|_| self.call(&mut files, !is_killed))
            .collect();
        self.counts.turns += 1;
        let prompt = format!("prompt {}", self.counts.turns);
        let (changes, mut turns): (Vec<_>, Vec<_>) =
            calls.into_iter().map(|call| (call.changes, call.turn)).unzip();
        self.tell(format!("{prompt}: {changes:?}"));
        turns.push(Turn::text("Done."));
        self.server.script(turns);
        let mut words = vec!["run", "--format", "json", "--permission-mode", "yolo"];
        if self.session.is_some() {
            words.push("-c");
        }
        words.push(&prompt);
        let mut running = Lathe::in_project(self.project()).args(words).spawn();
        if is_killed {
            let requests = 1 + self.random.below(changes.len() + 1);
            let looks = self.random.below(20);
            let mut late = 0;
            while !running.has_ended() && late < looks {
                late += usize::from(self.server.requests().len() >= requests);
                thread::park_timeout(LOOK_AGAIN);
            }
            if !running.has_ended() {
                self.counts.kills += 1;
                self.tell(format!("killed at request {requests}, {looks} looks later"));
                let _ = running.kill();
                return self.take_killed(prompt, &changes);
            }
        }
        let finished = running.wait();
        self.holds(finished.code == Some(0), &format!("{finished}"));
        let events = finished.json_lines();
        let id = events[0]["session"].as_str().unwrap().to_owned();
        self.session = Some(id);
        self.model.say(prompt);
        for call in &changes {
            self.model.change(call);
        }
    }

    /// Finds out how far a killed turn has come: some first calls were carried out, each whole.
    fn take_killed(&mut self, prompt: String, calls: &[Vec<(Author, String, Option<String>)>]) {
        if self.session.is_none() {
            let list = self.sessions(&["list", "--json"]).success().json();
            let id = list["sessions"][0]["id"].as_str().map(str::to_owned);
            self.session = id;
        }
        let is_said = self.session.is_some() && self.prompts().contains(&prompt);
        if !is_said {
            return;
        }
        self.model.say(prompt);
        for call in calls {
            if self.files() == self.model.files {
                return;
            }
            self.model.change(call);
        }
    }

    fn change_outside(&mut self) {
        self.counts.outside += 1;
        let path = self.path();
        let after = (self.random.below(4) > 0).then(|| self.text());
        self.tell(format!("outside: {path} {after:?}"));
        match &after {
            Some(text) => self.project().write(path, text.as_bytes()),
            None => drop(fs::remove_file(self.project().path(path))),
        }
        self.model.change(&[(Author::Outside, path.to_owned(), after)]);
    }

    fn undo(&mut self) {
        if self.model.prompts.is_empty() {
            return;
        }
        let turn = 1 + self.random.below(self.model.prompts.len());
        let skips = self.random.below(2) == 0;
        let (mut with_files, mut with_conversation) = (true, true);
        let mut words = vec![
            "undo".to_owned(),
            self.session.clone().unwrap(),
            "--to".to_owned(),
        ];
        words.push(self.message(turn));
        if skips {
            words.push("--skip-changed".to_owned());
        }
        match self.random.below(6) {
            0 => {
                words.extend(["--only", "files"].map(str::to_owned));
                with_conversation = false;
            }
            1 => {
                words.extend(["--only", "conversation"].map(str::to_owned));
                with_files = false;
            }
            _ => {}
        }
        self.tell(format!("undo from {turn}: {:?}", &words[3..]));
        let effect = self.model.undo(turn, skips, with_files, with_conversation);
        let is_nothing = effect.is_refused || !with_conversation && effect.model.files == self.model.files;
        self.carry_out(&words, effect, is_nothing, skips);
    }

    fn redo(&mut self) {
        let words = vec!["redo".to_owned(), self.session.clone().unwrap()];
        self.tell("redo".to_owned());
        match self.model.redo() {
            None => drop(self.finish(&words).map(|finished| finished.assert_code(1))),
            Some(effect) => {
                self.counts.redone += 1;
                self.carry_out(&words, effect, false, false);
            }
        }
    }

    fn carry_out(&mut self, words: &[String], effect: Effect, is_nothing: bool, skips: bool) {
        let is_refused = is_nothing || !effect.in_the_way.is_empty() && !skips;
        match self.finish(words) {
            Some(finished) if is_refused => {
                self.counts.refused += 1;
                self.holds(finished.code == Some(1), &format!("{finished}"));
            }
            Some(finished) => {
                self.counts.undone += 1;
                self.holds(finished.code == Some(0), &format!("{finished}"));
                self.model = effect.model;
            }
            None => {
                // Files and conversation are both as before or both as after; whoever looks finds them settled.
                let prompts = self.prompts();
                let is_done =
                    !is_refused && prompts == effect.model.prompts && self.files() == effect.model.files;
                let is_left = prompts == self.model.prompts && self.files() == self.model.files;
                self.holds(is_done || is_left, &format!("half of it was done: {prompts:?}"));
                if is_done && !(is_left && effect.model.files == self.model.files) {
                    self.model = effect.model;
                }
            }
        }
    }

    /// Runs `lathe sessions`, and kills it sometimes; `None` where it was killed.
    fn finish(&mut self, words: &[String]) -> Option<Finished> {
        let mut running = Lathe::in_project(self.project())
            .arg("sessions")
            .args(words)
            .spawn();
        if self.random.below(3) > 0 {
            return Some(running.wait());
        }
        for _ in 0..self.random.below(60) {
            if running.has_ended() {
                return Some(running.wait());
            }
            thread::park_timeout(LOOK_AGAIN);
        }
        if running.has_ended() {
            return Some(running.wait());
        }
        self.counts.kills += 1;
        self.tell("killed".to_owned());
        let _ = running.kill();
        None
    }

    fn sessions(&self, words: &[&str]) -> Finished {
        Lathe::in_project(self.project())
            .arg("sessions")
            .args(words)
            .run()
    }

    fn own_messages(&self) -> Vec<Value> {
        let id = self.session.as_deref().unwrap();
        let shown = self.sessions(&["show", id, "--json"]).success().json();
        let messages = shown["messages"].as_array().unwrap().iter();
        let is_own = |message: &&Value| {
            let text = message["parts"][0]["text"].as_str().unwrap_or_default();
            message["role"] == "user" && !text.starts_with("<system-reminder>")
        };
        messages.filter(is_own).cloned().collect()
    }

    fn prompts(&self) -> Vec<String> {
        let own = self.own_messages().into_iter();
        own.map(|message| message["parts"][0]["text"].as_str().unwrap().to_owned())
            .collect()
    }

    fn message(&self, turn: usize) -> String {
        self.own_messages()[turn - 1]["id"].as_str().unwrap().to_owned()
    }

    fn files(&self) -> Files {
        let mut files = BTreeMap::new();
        let root = self.project().root();
        read_below(&root, &root, &mut files);
        files
    }

    fn check(&self) {
        let files = self.files();
        self.holds(
            files == self.model.files,
            &format!("is {files:?}\nhas to be {:?}", self.model.files),
        );
        if self.session.is_some() {
            let prompts = self.prompts();
            self.holds(
                prompts == self.model.prompts,
                &format!("is {prompts:?}\nhas to be {:?}", self.model.prompts),
            );
        }
    }
}

fn read_below(root: &Path, directory: &Path, files: &mut Files) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_below(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}
