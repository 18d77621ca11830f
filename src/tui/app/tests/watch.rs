//! The watch grid with its conversations.

use serde_json::json;

use super::pictures::picture_of;
use super::tasks::{asks, opened, says, tell};
use super::*;
use crate::conversation::{CallResult, TaskActivity, TaskRow, TaskStatus, TextPart};
use crate::session::TaskOp;
use crate::tui::sessions::SlotId;
use crate::tui::tasks::sample::task;

/// The moment at which the grid is opened, in milliseconds since the Unix epoch.
const NOW: i64 = 1_763_900_000_000;

/// A screen with a grid.
struct Grid {
    driver: Driver,
    rows: Vec<TaskRow>,
    /// Where the conversation of each task is open.
    slots: Vec<Option<SlotId>>,
}

/// What an agent is asked, and what it answers.
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
            result: Arc::new(result),
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

#[test]
fn the_grid_at_every_size() {
    for count in [2, 4, 9] {
        for size in [(80, 24), (120, 36), (200, 60)] {
            let mut grid = at_work(count, size);
            picture_of(&mut grid.driver, &format!("watch__{count}_tiles"), size);
        }
    }
}

#[test]
fn the_grid_on_a_narrow_screen_and_below_the_least() {
    let mut grid = at_work(4, (40, 12));
    picture_of(&mut grid.driver, "watch__4_tiles", (40, 12));
    grid.driver.size = (39, 9);
    assert!(grid.text().contains("lathe needs 40×10"), "{}", grid.text());
}

#[test]
fn what_is_written_in_a_tile_and_asked_before_stopping() {
    let mut grid = at_work(4, (120, 36));
    grid.driver.press("3 m");
    grid.driver.type_text("only the stable API, please");
    picture_of(&mut grid.driver, "watch__message", (120, 36));
    grid.driver.press("esc X");
    picture_of(&mut grid.driver, "watch__stopping", (120, 36));
    grid.driver.press("n /");
    grid.driver.type_text("gen");
    picture_of(&mut grid.driver, "watch__filter", (80, 24));
}

#[test]
fn a_question_too_long_for_its_tile() {
    let mut grid = at_work(4, (80, 24));
    let id = grid.driver.app.tree().questions.iter().next().unwrap().id;
    let settled = Event::Settled(SettledQuestion {
        id,
        permission: None,
        call: CallId::new(),
    });
    let session = grid.rows[1].session.clone();
    says(&mut grid.driver, SlotId::FIRST, &session, settled);
    let command = "rm -rf target/tmp && \\\n".repeat(12) + "true";
    grid.ask(1, &command);
    picture_of(&mut grid.driver, "watch__long_question", (80, 24));
}

#[test]
fn the_conversations_of_tiles_are_open_while_they_are_seen() {
    let mut grid = Grid::new(8);
    grid.open_tiles((80, 24));
    let open = |grid: &Grid| grid.slots.iter().filter(|slot| slot.is_some()).count();
    assert_eq!(open(&grid), 6, "a page has six tiles");
    grid.driver.frame();
    assert_eq!(grid.attached(), (Vec::new(), Vec::new()), "they are opened once");
    grid.driver.press(">");
    grid.driver.frame();
    assert_eq!(grid.attached(), (vec![6, 7], vec![0, 1, 2, 3, 4, 5]));
    grid.driver.press("esc");
    grid.driver.frame();
    let (opened, _) = grid.attached();
    assert_eq!(opened, Vec::<usize>::new());
}

#[test]
fn a_grid_that_is_closed_lets_its_conversations_go() {
    let mut grid = Grid::new(3);
    grid.open_tiles((80, 24));
    grid.driver.press("esc");
    grid.driver.frame();
    assert_eq!(grid.attached().1, [0, 1, 2]);
    assert!(grid.driver.app.others.is_empty());
    assert!(!grid.text().contains("Watch"), "{}", grid.text());
}

#[test]
fn a_task_that_waits_for_its_turn_is_not_opened() {
    let mut grid = Grid::new(2);
    grid.rows[1].status = TaskStatus::Queued;
    grid.rows[1].started = None;
    grid.tell(1);
    grid.open_tiles((80, 24));
    assert_eq!((grid.slots[0].is_some(), grid.slots[1].is_some()), (true, false));
    let text = grid.text();
    assert!(
        text.contains("2 · general    queued · undo the fixtures"),
        "{text}"
    );
    assert!(text.contains("It begins when a place is free."), "{text}");
}

#[test]
fn a_tile_follows_the_tail_of_its_agent() {
    let mut grid = Grid::new(2);
    grid.open_tiles((80, 24));
    for line in 0..30 {
        grid.writes(0, &format!("line {line}"));
    }
    let text = grid.text();
    assert!(text.contains("line 29") && !text.contains("line 1 "), "{text}");
    grid.driver.press("pgup");
    let before = grid.text();
    assert!(!before.contains("line 29"), "{before}");
    grid.writes(0, "line 30");
    grid.driver.frame();
    let after = grid.text();
    assert!(after.contains("↓ 1 new") && !after.contains("line 30"), "{after}");
    grid.driver.press("pgdn pgdn pgdn");
    assert!(grid.text().contains("line 30"));
}

#[test]
fn what_happens_in_a_tile_that_is_not_seen_costs_no_frame() {
    let mut grid = Grid::new(8);
    grid.open_tiles((80, 24));
    assert_eq!(grid.writes(0, "seen"), RedrawUrgency::Soft);
    grid.driver.press(">");
    grid.driver.frame();
    // Its events are on their way still, though nobody looks.
    assert_eq!(grid.writes(0, "not seen"), RedrawUrgency::None);
    let delta = Event::PartStarted {
        message: MessageId::new(),
        part: Part {
            seq: 1,
            body: PartBody::Text(TextPart::default()),
        },
    };
    let session = grid.driver.session.clone();
    assert_eq!(
        says(&mut grid.driver, SlotId::FIRST, &session, delta),
        RedrawUrgency::None,
        "the conversation below the grid"
    );
    grid.rows[0].now = "grep backoff".to_owned();
    assert_eq!(grid.tell(0), RedrawUrgency::None);
    grid.rows[7].activity = TaskActivity::WaitingForTasks;
    assert_eq!(grid.tell(7), RedrawUrgency::Soft);
}

#[test]
fn twenty_agents_that_wait_cost_a_frame_a_second() {
    let mut grid = Grid::new(20);
    for place in 0..20 {
        grid.rows[place].activity = TaskActivity::WaitingForModel;
        grid.tell(place);
    }
    grid.open_tiles((200, 60));
    grid.driver.wait(1_000);
    grid.driver.frame();
    let frames = grid.frames_in(10);
    assert!((9..=10).contains(&frames), "{frames} frames in 10 s");
    for place in 0..20 {
        grid.rows[place].status = TaskStatus::Completed;
        grid.rows[place].ended = Some(NOW);
        grid.tell(place);
    }
    grid.driver.event(Event::TurnEnded(TurnEndReason::Stop));
    grid.driver.frame();
    assert_eq!(grid.frames_in(10), 0, "nothing counts any more");
}

#[test]
fn nothing_turns_in_a_tile() {
    let mut grid = Grid::new(2);
    grid.open_tiles((80, 24));
    grid.calls(0, "cargo test");
    grid.driver.frame();
    assert!(!grid.driver.app.is_animated());
    let text = grid.text();
    assert!(text.contains("▸ Bash cargo test"), "{text}");
}

#[test]
fn keys_answer_the_chosen_tile() {
    let mut grid = at_work(4, (120, 36));
    grid.driver.frame();
    grid.driver.press("y");
    assert_eq!(grid.driver.replies(), [], "another tile is chosen");
    grid.driver.press("tab");
    grid.driver.wait(301);
    grid.driver.press("y");
    let sent = grid.driver.sent();
    let question = grid.driver.app.tree().questions.iter().next().unwrap().id;
    assert!(
        matches!(&sent[..], [Op::Answer { id, reply: Reply::Permission(PermissionReply::Once) }] if *id == question),
        "{sent:?}"
    );
}

#[test]
fn a_no_with_a_reason_is_sent_from_the_tile() {
    let mut grid = at_work(4, (120, 36));
    grid.driver.frame();
    grid.driver.wait(301);
    grid.driver.press("tab N");
    grid.driver.type_text("use git restore");
    grid.driver.press("enter");
    let reason = Some("use git restore".to_owned());
    assert_eq!(grid.driver.replies(), [PermissionReply::Reject(reason)]);
}

#[test]
fn a_key_pressed_as_a_question_appears_answers_nothing() {
    let mut grid = Grid::new(2);
    grid.open_tiles((80, 24));
    grid.ask(0, "rm -rf target");
    grid.driver.frame();
    grid.driver.press("y");
    assert_eq!(grid.driver.replies(), []);
    grid.driver.wait(301);
    grid.driver.press("y");
    assert_eq!(grid.driver.replies(), [PermissionReply::Once]);
}

#[test]
fn enter_goes_into_the_agent_and_the_grid_is_there_as_it_was_left() {
    let mut grid = at_work(4, (120, 36));
    grid.driver.press("s 2 enter");
    assert_eq!(grid.driver.app.view.id(), Some(&grid.rows[0].session));
    let text = grid.text();
    assert!(!text.contains("Watch"), "{text}");
    grid.driver.press("ctrl+t");
    let text = grid.text();
    assert!(text.contains(" 1 ? general"), "{text}");
    grid.driver.press("enter");
    assert_eq!(grid.driver.app.view.id(), Some(&grid.rows[0].session));
    assert!(!grid.text().contains("Watch"));
}

#[test]
fn the_grid_opens_over_a_question() {
    let mut grid = at_work(4, (120, 36));
    grid.driver.press("esc");
    assert!(!grid.text().contains("Watch"));
    grid.driver.press("ctrl+x .");
    grid.driver.wait(1_000);
    grid.driver.press("ctrl+t");
    assert!(grid.text().contains("Watch"), "{}", grid.text());
}

#[test]
fn always_opens_in_the_dialog_of_the_agent() {
    let mut grid = Grid::new(2);
    grid.open_tiles((80, 24));
    let mut question = bash("cargo test", &["cargo test *"]);
    question.session = grid.rows[1].session.clone();
    let session = question.session.clone();
    let asked = Event::Asked(question.shared());
    says(&mut grid.driver, SlotId::FIRST, &session, asked);
    grid.driver.frame();
    grid.driver.wait(301);
    grid.driver.press("tab a");
    assert_eq!(grid.driver.app.view.id(), Some(&session));
    let text = grid.text();
    assert!(text.contains("stores what is ticked"), "{text}");
    assert_eq!(grid.driver.replies(), []);
}

#[test]
fn messages_and_stops_go_where_they_belong() {
    let mut grid = Grid::new(2);
    grid.open_tiles((80, 24));
    grid.driver.press("2 m");
    grid.driver.type_text("only the tests");
    grid.driver.press("enter");
    let slot = grid.slots[1];
    let effects = std::mem::take(&mut grid.driver.effects);
    let sent = effects.iter().find_map(|effect| match effect {
        Effect::SendTo(to, Op::Submit(input)) => Some((*to, input.text.as_str())),
        _ => None,
    });
    assert_eq!(sent, slot.map(|slot| (slot, "only the tests")));
    assert!(
        grid.driver.hints().contains("sent to general"),
        "{}",
        grid.driver.hints()
    );
    grid.driver.press("x y");
    let sent = grid.driver.sent();
    assert!(
        matches!(&sent[..], [Op::Task(TaskOp::Cancel(task))] if *task == grid.rows[1].task),
        "{sent:?}"
    );
    grid.driver.press("X y");
    assert!(matches!(&grid.driver.sent()[..], [Op::Task(TaskOp::CancelAll)]));
    grid.rows[1].is_background = false;
    grid.tell(1);
    grid.driver.press("b");
    assert!(matches!(
        &grid.driver.sent()[..],
        [Op::Task(TaskOp::ToBackground)]
    ));
}

#[test]
fn in_the_conversation_of_an_agent_stopping_goes_to_the_root() {
    let mut grid = Grid::new(2);
    grid.open_tiles((80, 24));
    grid.driver.press("enter ctrl+t");
    grid.driver.frame();
    grid.driver.press("X y");
    let effects = std::mem::take(&mut grid.driver.effects);
    let is_it =
        |effect: &Effect| matches!(effect, Effect::SendTo(SlotId::FIRST, Op::Task(TaskOp::CancelAll)));
    assert!(effects.iter().any(is_it));
}

#[test]
fn the_leader_and_the_command_open_the_grid_and_its_key_closes_it() {
    let mut grid = Grid::new(2);
    assert!(grid.text().contains("Watch"));
    grid.driver.press("ctrl+t");
    assert!(!grid.text().contains("Watch"));
    grid.driver.press("ctrl+x w");
    assert!(grid.text().contains("Watch"));
    assert_eq!(grid.driver.app.state().focus, "watch");
    grid.driver.press("esc");
    grid.driver.wait(301);
    grid.driver.type_text("/watch");
    grid.driver.press("enter");
    assert!(grid.text().contains("Watch"), "{}", grid.text());
}

#[test]
fn an_agent_that_has_ended_is_looked_at_in_its_tile() {
    let mut grid = Grid::new(2);
    grid.open_tiles((80, 24));
    grid.rows[0].status = TaskStatus::Completed;
    grid.rows[0].ended = Some(NOW);
    grid.tell(0);
    let is_news = |grid: &Grid| grid.driver.app.tree().tasks.entries()[0].is_news;
    assert!(is_news(&grid));
    grid.driver.frame();
    assert!(!is_news(&grid));
}

#[test]
fn the_grid_opens_over_a_question_that_has_just_appeared() {
    let mut grid = Grid::new(2);
    grid.driver.press("esc");
    grid.ask(0, "rm -rf target");
    grid.driver.press("ctrl+t");
    assert!(grid.text().contains(" Watch   1 asks"), "{}", grid.text());
    assert_eq!(grid.driver.app.state().focus, "watch");
    assert_eq!(grid.driver.app.state().dropped_keys, 0);
    grid.driver.press("esc");
    assert_eq!(grid.driver.app.state().dialog, Some("permission"));
}

#[test]
fn a_page_over_the_grid_is_closed_without_it() {
    let mut grid = Grid::new(2);
    grid.driver.frame();
    grid.driver.press("?");
    assert!(grid.text().contains("Keys"), "{}", grid.text());
    grid.driver.press("q");
    assert!(grid.text().contains("Watch"), "{}", grid.text());
}

#[test]
fn a_click_chooses_a_tile() {
    use termina::event::{MouseButton, MouseEvent, MouseEventKind};
    let mut grid = at_work(4, (120, 36));
    grid.driver.frame();
    let press = MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: 70,
        row: 30,
        modifiers: Modifiers::NONE,
    };
    grid.driver.app.mouse(press, grid.driver.now);
    grid.driver.press("enter");
    assert_eq!(grid.driver.app.view.id(), Some(&grid.rows[3].session));
}
