//! `kill -9` at random points of streaming, tools, compaction, undo and redo: what was told is there afterwards, every call
//! has one result, and the database is sound.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Add;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Finished, Lathe, Project, Protocol, Random, Server, Turn, Usage};

/// Processes that are killed in one run.
const KILLS: usize = 5;
/// Tokens of the model's window, so small that a few outputs fill it.
const WINDOW: u64 = 30_000;
/// Between two looks at a process that is to be killed.
const LOOK_AGAIN: Duration = Duration::from_micros(250);

/// Counts of what the runs did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) kills: usize,
    pub(crate) calls: usize,
    pub(crate) compactions: usize,
    pub(crate) undone: usize,
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            kills: self.kills + other.kills,
            calls: self.calls + other.calls,
            compactions: self.compactions + other.compactions,
            undone: self.undone + other.undone,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} kills, {} calls told, {} summaries asked for, {} undone or redone",
            self.kills, self.calls, self.compactions, self.undone
        )
    }
}

struct Run {
    random: Random,
    project: Option<Project>,
    server: Server,
    session: Option<String>,
    /// Outputs that were told of calls, until an undo takes them out.
    told: BTreeMap<String, String>,
    turns: usize,
    counts: Counts,
}

/// Makes one run. Panics where something is lost.
pub(crate) fn run(seed: u64) -> Counts {
    let server = Server::start();
    let mut project = Project::new()
        .config(json!({
            "compaction": {"keep_turns": 1, "mask": seed.is_multiple_of(2)},
            "providers": {"local": {"models": {"test-model": {"context": WINDOW, "output": 2_000}}}},
            "permission": {"edit": "allow", "bash": "allow"}, "edit": {"require_read": false},
        }))
        .model(&server, Protocol::OpenAiChat);
    for name in ["a", "b", "c"] {
        let lines: Vec<String> = (0..400)
            .map(|line| format!("{name} {line} {}", "word ".repeat(13)))
            .collect();
        project = project.file(format!("{name}.txt"), &lines.join("\n"));
    }
    let mut run = Run {
        random: Random::new(seed),
        project: Some(project),
        server,
        session: None,
        told: BTreeMap::new(),
        turns: 0,
        counts: Counts::default(),
    };
    // The first turn fills the window and ends, however slow the machine is, so that later ones are near to a summary.
    run.turn(false);
    while run.counts.kills < KILLS {
        if run.session.is_some() && run.random.below(4) == 0 {
            run.undo();
        } else {
            run.turn(true);
        }
        run.check(false);
    }
    // Opened once more by a turn that ends, nothing is left unfinished.
    run.turn(false);
    run.check(true);
    run.counts
}

#[test]
fn what_was_told_survives_kill_9_at_random_points() {
    let counts = crate::support::seeds::in_a_test(6, run);
    assert!(
        counts.kills >= 30 && counts.calls > 20 && counts.compactions > 0,
        "{counts}"
    );
}

/// A server that gives no figures has lathe estimate them.
fn without_figures(turn: Turn) -> Turn {
    turn.usage(Usage {
        input: 0,
        output: 0,
        ..Usage::default()
    })
}

impl Run {
    fn project(&self) -> &Project {
        self.project.as_ref().unwrap()
    }

    fn turn(&mut self, may_be_killed: bool) {
        self.turns += 1;
        // Turns that a killed run left over are nobody's.
        self.server = Server::start();
        let project = self.project.take().unwrap();
        self.project = Some(project.model(&self.server, Protocol::OpenAiChat));
        let read = |name: &str| Turn::tool("read", json!({"file_path": format!("{name}.txt")}));
        let mut turns = Vec::new();
        if self.turns == 1 {
            turns.extend(["a", "b", "c"].map(read));
        }
        for _ in 0..=self.random.below(4) {
            let name = ["a", "b", "c"][self.random.below(3)];
            turns.push(match self.random.below(4) {
                0 => Turn::tool(
                    "bash",
                    json!({"command": format!("echo turn {} | tee out.txt", self.turns)}),
                ),
                1 => Turn::new().say("Writing. ").call(
                    "write",
                    json!({"file_path": "new.txt", "content": format!("turn {}\n", self.turns)}),
                ),
                _ => read(name),
            });
        }
        turns.push(Turn::text(&format!("Turn {} is done. {}", self.turns, "A word. ".repeat(50))).piece(20));
        let requests = turns.len();
        self.server.script(turns.into_iter().map(without_figures));
        self.server.side(without_figures(
            Turn::text(&format!("## Goal\n{}", "Summary. ".repeat(40))).piece(20),
        ));
        let prompt = format!("turn {}", self.turns);
        let mut words = vec!["run", "--format", "json", "--permission-mode", "yolo"];
        if self.session.is_some() {
            words.push("-c");
        }
        words.push(&prompt);
        let running = Lathe::in_project(self.project()).args(words).spawn();
        // So far by what it has asked for, which no slow machine changes.
        let asks = 1 + self.random.below(requests + 1);
        let looks = self.random.below(60);
        let server = &self.server;
        let is_due = || server.all_requests().len() >= asks;
        let (finished, is_killed) = Self::end(running, may_be_killed.then_some(looks), is_due);
        self.counts.kills += usize::from(is_killed);
        let requests = self.server.all_requests();
        self.counts.compactions += requests.iter().filter(|request| request.side).count();
        assert!(is_killed || finished.code == Some(0), "{finished}");
        self.take_told(&finished, is_killed);
    }

    /// Notes what a run told of. The last line of one that was killed may be torn.
    fn take_told(&mut self, finished: &Finished, is_killed: bool) {
        let whole = finished.stdout.rfind('\n').map_or(0, |end| end + 1);
        for line in finished.stdout[..whole].lines() {
            let event: Value = serde_json::from_str(line).unwrap();
            if self.session.is_none() {
                self.session = event["session"].as_str().map(str::to_owned);
            }
            if event["type"] == "tool_result" {
                self.counts.calls += 1;
                let call = event["call"].as_str().unwrap().to_owned();
                self.told
                    .insert(call, event["output"].as_str().unwrap().to_owned());
            }
        }
        if is_killed && self.session.is_some() && !self.is_stored() {
            // It was killed before anything was said in it.
            assert!(self.told.is_empty());
            self.session = None;
        }
    }

    fn is_stored(&self) -> bool {
        let list = self.sessions(&["list", "--json"]).success().json();
        let stored = list["sessions"].as_array().unwrap();
        stored
            .iter()
            .any(|session| session["id"].as_str() == self.session.as_deref())
    }

    fn undo(&mut self) {
        let verb = ["undo", "redo"][self.random.below(2)];
        let id = self.session.clone().unwrap();
        let running = Lathe::in_project(self.project())
            .args(["sessions", verb, &id, "--skip-changed"][..if verb == "undo" { 4 } else { 3 }].iter())
            .spawn();
        let looks = (self.random.below(2) == 0).then(|| self.random.below(120));
        let (_, is_killed) = Self::end(running, looks, || true);
        self.counts.kills += usize::from(is_killed);
        self.counts.undone += 1;
        // What left the conversation, or came back, was told before.
        let there = self.calls();
        self.told.retain(|call, _| there.contains_key(call));
    }

    /// Lets a process end, or kills it so many looks after it is due.
    fn end(
        mut running: crate::support::Running,
        looks: Option<usize>,
        is_due: impl Fn() -> bool,
    ) -> (Finished, bool) {
        let Some(looks) = looks else {
            return (running.wait(), false);
        };
        let mut late = 0;
        while late < looks {
            if running.has_ended() {
                return (running.wait(), false);
            }
            late += usize::from(is_due());
            thread::park_timeout(LOOK_AGAIN);
        }
        (running.kill(), true)
    }

    fn sessions(&self, words: &[&str]) -> Finished {
        Lathe::in_project(self.project())
            .arg("sessions")
            .args(words)
            .run()
    }

    /// States and outputs of the calls in the conversation.
    fn calls(&self) -> BTreeMap<String, (String, String)> {
        let id = self.session.as_deref().unwrap();
        let shown = self.sessions(&["show", id, "--json"]).success().json();
        let messages = shown["messages"].as_array().unwrap().iter();
        let parts = messages.flat_map(|message| message["parts"].as_array().unwrap());
        let calls = parts.filter(|part| part["type"] == "tool");
        let mut found = BTreeMap::new();
        for call in calls {
            let field = |name: &str| call[name].as_str().unwrap().to_owned();
            let before = found.insert(field("call"), (field("state"), field("output")));
            assert!(before.is_none(), "a call stands twice: {shown}");
        }
        found
    }

    fn check(&self, is_opened: bool) {
        if self.session.is_some() {
            let calls = self.calls();
            for (call, output) in &self.told {
                let (state, stored) = calls.get(call).unwrap_or_else(|| panic!("{call} is lost"));
                assert_eq!(stored, output, "{call} is {state}");
            }
            let is_open = |(state, _): &(String, String)| matches!(state.as_str(), "pending" | "running");
            assert!(!is_opened || !calls.values().any(is_open), "{calls:?}");
        }
        let path = self.project().data_dir().join("lathe.db");
        if path.exists() {
            let database = rusqlite::Connection::open(path).unwrap();
            let sound: String = database
                .query_row("PRAGMA integrity_check", [], |row| row.get(0))
                .unwrap();
            assert_eq!(sound, "ok");
        }
    }
}
