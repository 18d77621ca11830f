//! The watch grid with its conversations.

mod acting;
mod drawing;
mod following;

use serde_json::json;

use super::pictures::picture_of;
use super::tasks::{asks, opened, says, tell};
use super::*;
use crate::conversation::task_sample::task;
use crate::conversation::{CallResult, TaskActivity, TaskRow, TaskStatus, TextPart};
use crate::session::TaskOp;
use crate::tui::sessions::SlotId;

/// The moment at which the grid is opened, in milliseconds since the Unix epoch.
const NOW: i64 = 1_763_900_000_000;

/// A screen with a grid.
struct Grid {
    driver: Driver,
    rows: Vec<TaskRow>,
    /// The slots in which conversations of tasks are open.
    slots: Vec<Option<SlotId>>,
}

/// Agents with what they are asked, a call of theirs and what they answer.
const WORK: [(&str, &str, &str, &str); 9] = [
    (
        "explore",
        "who calls backoff()",
        "grep \"backoff(\"",
        "Called from two places: the HTTP client and the job runner. Both pass a policy of their own.",
    ),
    (
        "general",
        "undo the fixtures",
        "git status --short",
        "The fixtures were changed by the last run. I will put them back.",
    ),
    (
        "librarian",
        "tokio time pausing",
        "webfetch docs.rs/tokio",
        "`tokio::time::pause` needs the `test-util` feature and a current-thread runtime.",
    ),
    (
        "oracle",
        "review of the plan",
        "read src/retry.rs",
        "Two risks: the clock is not injected everywhere, and the jitter is not bounded.",
    ),
    (
        "explore",
        "tests that sleep",
        "grep \"sleep(\"",
        "Three tests sleep for real.",
    ),
    (
        "general",
        "jitter bounds",
        "cargo test jitter",
        "The bound is exclusive above.",
    ),
    (
        "document-writer",
        "changelog entry",
        "read CHANGELOG.md",
        "Written under Unreleased.",
    ),
    (
        "explore",
        "other clocks",
        "grep \"Instant::now\"",
        "The scheduler reads the clock in one place.",
    ),
    (
        "librarian",
        "proptest shrinking",
        "webfetch docs.rs/proptest",
        "Shrinking keeps the failing seed.",
    ),
];

impl Grid {
    /// Opens the grid over so many agents at work.
    fn new(count: usize) -> Self {
        let mut driver = Driver::open();
        driver.app.set_wall_clock(driver.now, NOW);
        driver.event(Event::TurnStarted);
        let rows = (0..count).map(|place| {
            let (agent, description, ..) = WORK[place % WORK.len()];
            let started = NOW - 110_000 + i64::try_from(place).unwrap() * 5_000;
            let sample = task(&driver.session, description).agent(agent).background();
            let sample = sample
                .at(started)
                .doing(TaskActivity::Working, "")
                .spent(12, 9_000);
            let mut row = (*sample.row()).clone();
            row.cost = Some(0.07);
            row
        });
        let rows: Vec<_> = rows.collect();
        let mut grid = Self {
            driver,
            slots: vec![None; rows.len()],
            rows,
        };
        for place in 0..grid.rows.len() {
            grid.tell(place);
        }
        grid.driver.press("ctrl+t");
        grid.driver.effects.clear();
        grid
    }

    /// Tells how a task stands.
    fn tell(&mut self, place: usize) -> RedrawUrgency {
        tell(&mut self.driver, Arc::new(self.rows[place].clone()))
    }

    /// Draws, and opens the conversations that are asked for.
    fn open_tiles(&mut self, size: (u16, u16)) {
        self.driver.size = size;
        self.driver.frame();
        self.driver.collect();
        for effect in std::mem::take(&mut self.driver.effects) {
            if let Effect::OpenTask(slot, session) = effect {
                let place = self.rows.iter().position(|row| row.session == session).unwrap();
                opened(&mut self.driver, slot, &self.rows[place]);
                self.slots[place] = Some(slot);
            }
        }
    }

    /// Returns the tasks whose conversations were opened and closed since the last time.
    fn attached(&mut self) -> (Vec<usize>, Vec<usize>) {
        self.driver.collect();
        let (mut open, mut closed) = (Vec::new(), Vec::new());
        for effect in std::mem::take(&mut self.driver.effects) {
            match effect {
                Effect::OpenTask(_, session) => {
                    open.extend(self.rows.iter().position(|row| row.session == session));
                }
                Effect::CloseSession(slot) => {
                    closed.extend(self.slots.iter().position(|known| *known == Some(slot)));
                }
                _ => {}
            }
        }
        (open, closed)
    }

    fn says(&mut self, place: usize, event: Event) -> RedrawUrgency {
        let slot = self.slots[place].expect("the conversation is open");
        says(&mut self.driver, slot, &self.rows[place].session.clone(), event)
    }

    /// A text of the agent.
    fn writes(&mut self, place: usize, text: &str) -> RedrawUrgency {
        let message = MessageId::new();
        let part = |text: &str| Part {
            seq: 1,
            body: PartBody::Text(TextPart {
                text: text.to_owned(),
                native: None,
            }),
        };
        self.says(
            place,
            Event::PartStarted {
                message: message.clone(),
                part: part(""),
            },
        );
        self.says(
            place,
            Event::PartEnded {
                message,
                part: part(text),
            },
        )
    }

    /// A call of the agent, which has begun.
    fn calls(&mut self, place: usize, command: &str) -> CallId {
        let call = CallId::new();
        let args = json!({ "command": command });
        let tool = ToolPart {
            call: call.clone(),
            provider_id: None,
            tool: "bash".to_owned(),
            raw_args: args.to_string(),
            args: Some(args.clone().into()),
            state: CallState::Pending,
            result: None,
            native: None,
            inner: Vec::new(),
        };
        let part = Part {
            seq: 1,
            body: PartBody::Tool(tool),
        };
        let message = MessageId::new();
        self.says(place, Event::PartStarted { message, part });
        self.says(
            place,
            Event::CallReady {
                call: call.clone(),
                tool: "bash".to_owned(),
                args,
            },
        );
        self.says(place, Event::CallRunning { call: call.clone() });
        call
    }

    fn call_ends(&mut self, place: usize, call: CallId, output: &str) {
        let details = json!({"exit_code": 0, "command": "", "cwd": "/home/u/src/retry", "timed_out": false});
        let result = CallResult {
            ok: true,
            title: String::new(),
            output: output.to_owned(),
            details: details.into(),
            truncated: false,
            output_path: None,
            duration_ms: 140,
            attachments: Vec::new(),
        };
        let ended = Event::CallEnded {
            call,
            tool: "bash".to_owned(),
            result: result.into(),
        };
        self.says(place, ended);
    }

    fn ask(&mut self, place: usize, command: &str) -> Arc<Question> {
        let row = &mut self.rows[place];
        row.activity = TaskActivity::WaitingForPerson;
        command.clone_into(&mut row.now);
        row.since = NOW - 58_000;
        let session = row.session.clone();
        self.tell(place);
        asks(&mut self.driver, &session, command)
    }

    fn text(&mut self) -> String {
        self.driver.text()
    }

    /// Returns how soon the next seconds are drawn, with nothing else happening.
    fn frames_in(&mut self, seconds: u64) -> usize {
        let mut frames = 0;
        let end = self.driver.now + Duration::from_secs(seconds);
        while self.driver.now < end {
            let due = self.driver.app.deadline(self.driver.now).unwrap_or(end).min(end);
            let millis = due.saturating_duration_since(self.driver.now).as_millis();
            let change = self.driver.wait(u64::try_from(millis).unwrap().max(1));
            if change > RedrawUrgency::None {
                frames += 1;
                self.driver.frame();
            }
        }
        frames
    }
}

/// Agents in several states, each with something in its transcript.
fn at_work(count: usize, size: (u16, u16)) -> Grid {
    let mut grid = Grid::new(count);
    grid.open_tiles(size);
    for place in 0..count {
        if grid.slots[place].is_none() {
            continue;
        }
        let (_, _, command, answer) = WORK[place % WORK.len()];
        let call = grid.calls(place, command);
        if place != 0 {
            grid.call_ends(place, call, "src/http.rs:12\nsrc/jobs.rs:88\n");
            grid.writes(place, answer);
        }
    }
    for place in 0..count {
        match place {
            1 => drop(grid.ask(1, "git checkout -- tests/fixtures")),
            2 => {
                grid.rows[2].activity = TaskActivity::WaitingForModel;
                grid.rows[2].since = NOW - 8_000;
            }
            3 => {
                grid.rows[3].status = TaskStatus::Completed;
                grid.rows[3].ended = Some(NOW - 2_000);
                grid.rows[3].now = WORK[3].3.to_owned();
            }
            5 => grid.rows[5].activity = TaskActivity::Stalled,
            6 => {
                grid.rows[6].status = TaskStatus::Failed;
                grid.rows[6].ended = Some(NOW - 9_000);
                grid.rows[6].error = Some("the budget of 20k tokens is spent".to_owned());
            }
            7 => {
                grid.rows[7].status = TaskStatus::Interrupted;
                grid.rows[7].ended = Some(NOW - 9_000);
            }
            _ => {}
        }
        grid.tell(place);
    }
    grid
}
