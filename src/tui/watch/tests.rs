//! The grid without the transcripts: keys in, frames out, with times of its own.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::keys::{
    CONFIRM, ENTER, KEEP, LEFT, MESSAGE, NEXT_PAGE, PREVIOUS_PAGE, RESUME, RIGHT, SORT, STOP, STOP_ALL,
    TO_BACKGROUND,
};
use super::sample::{NOW, task};
use super::*;
use crate::conversation::{TaskActivity, TaskStatus};
use crate::permission::{
    Action as RuleAction, Ask, Inquiry, InquiryRow, PermissionKey, PermissionReply, Subject, Verdict,
};
use crate::question::Reply;
use crate::tui::keymap::{Action, Edit, Keymap};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest};
use crate::tui::page::HookRuns;
use crate::tui::statusbar::Hints;
use crate::tui::tasks::TaskList;
use crate::tui::terminal_environment::TerminalEnvironment;
use crate::view::card::{Card, CardPart, Code};
use crate::view::highlight::Highlighter;
use crate::view::theme::{ColorDepth, Theme};
use crate::view::{Look, Symbols};

struct Driver {
    watch: Watch,
    rows: Vec<TaskRow>,
    questions: Vec<Arc<Question>>,
    start: Instant,
    /// Milliseconds since the start.
    passed: u64,
    size: (u16, u16),
    symbols: Symbols,
    depth: ColorDepth,
}

impl Driver {
    fn new(rows: Vec<TaskRow>) -> Self {
        let mut driver = Self {
            watch: Watch::default(),
            rows,
            questions: Vec::new(),
            start: Instant::now(),
            passed: 0,
            size: (80, 24),
            symbols: Symbols::Unicode,
            depth: ColorDepth::TrueColor,
        };
        driver.update();
        driver
    }

    fn update(&mut self) -> RedrawUrgency {
        let facts = WatchFacts {
            rows: self.rows.iter().cloned().map(Arc::new).collect(),
            questions: &self.questions,
            mode: Mode::Ask,
            directory: Path::new("/home/u/src/retry"),
        };
        self.watch.update(facts).0
    }

    /// Has a task ask if a command may run.
    fn ask(&mut self, number: usize, command: &str) -> QuestionId {
        let question = bash(&self.rows[number], command);
        let id = question.id;
        let row = &mut self.rows[number];
        (row.activity, row.since) = (TaskActivity::WaitingForPerson, NOW - 58_000);
        self.questions.push(question);
        self.update();
        id
    }

    fn buffer(&mut self) -> Buffer {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buffer = Buffer::empty(area);
        let (theme, highlighter) = (Theme::default().at_depth(self.depth), Highlighter::plain());
        let cx = LayerCx {
            look: Look {
                theme: &theme,
                symbols: self.symbols,
                highlighter: &highlighter,
            },
            session: None,
            keymap: &Keymap::default(),
            terminal_environment: &TerminalEnvironment::sample(),
            screen: area,
            pictures: None,
            hooks: &HookRuns::default(),
            place: (1, 1),
            is_low: false,
            tasks: &TaskList::default(),
            unix: NOW + i64::try_from(self.passed).unwrap(),
        };
        let now = self.start + Duration::from_millis(self.passed);
        let grid = Rect {
            height: area.height - 1,
            ..area
        };
        self.watch.lay_out(grid, now, &cx);
        self.watch.draw(grid, &mut buffer, &cx);
        let mut hints = Hints::new(&theme, self.symbols);
        self.watch.hints(&mut hints, &Keymap::default());
        let last = Rect {
            y: area.bottom() - 1,
            height: 1,
            ..area
        };
        hints.draw(last, &mut buffer);
        if self.symbols == Symbols::Ascii {
            crate::view::in_ascii(&mut buffer);
        }
        buffer
    }

    fn picture(&mut self) -> String {
        let buffer = self.buffer();
        let rows = buffer.content().chunks(usize::from(self.size.0)).map(|row| {
            let text: String = row.iter().map(ratatui::buffer::Cell::symbol).collect();
            text.trim_end().to_owned()
        });
        rows.collect::<Vec<_>>().join("\n")
    }

    fn act(&mut self, action: Action) -> LayerReply {
        let now = self.start + Duration::from_millis(self.passed);
        self.watch.pass_guard(now);
        self.watch.act(action)
    }

    fn requested(&mut self, action: Action) -> Option<WatchRequest> {
        match self.act(action) {
            LayerReply::Request(LayerRequest::Watch(request)) => Some(request),
            _ => None,
        }
    }

    fn said(&mut self, action: Action) -> Option<&'static str> {
        match self.act(action) {
            LayerReply::Request(LayerRequest::Say(text)) => Some(text),
            _ => None,
        }
    }

    fn replied(&mut self, action: Action) -> Option<(QuestionId, PermissionReply)> {
        match self.act(action) {
            LayerReply::Request(LayerRequest::Answer {
                question,
                reply: Reply::Permission(reply),
                ..
            }) => Some((question, reply)),
            _ => None,
        }
    }

    /// Returns the number of the chosen task.
    fn chosen(&self) -> &str {
        let chosen = self.watch.chosen.as_ref().map_or("", TaskId::as_str);
        chosen.trim_start_matches("tsk_")
    }
}

fn session(number: u64) -> SessionId {
    format!("ses_{number}").parse().unwrap()
}

fn tasks(count: u64) -> Vec<TaskRow> {
    (1..=count).map(task).collect()
}

fn bash(row: &TaskRow, command: &str) -> Arc<Question> {
    let code = Code {
        text: command.to_owned(),
        language: "bash".to_owned(),
        first_line: None,
        wraps: false,
    };
    let mut question = Question::sample(Inquiry {
        tool: "bash".to_owned(),
        delegated: None,
        rows: vec![InquiryRow {
            preticked: false,
            ask: Ask::new(PermissionKey::BASH, Subject::new(command)),
            verdict: Verdict {
                action: RuleAction::Ask,
                rule: None,
            },
        }],
        title: "bash wants to run".to_owned(),
        card: Card::new("Bash", command).part(CardPart::Code(code)),
        directory: "/home/u/src/retry".into(),
        sandbox: Some("off".into()),
        editable: None,
    });
    question.session = row.session.clone();
    question.agent.clone_from(&row.agent);
    question.shared()
}

/// The agents of the picture in the design.
fn four() -> Driver {
    let mut rows = tasks(4);
    rows[0].usage.input = 60_000;
    rows[0].cost = Some(0.25);
    rows[0].started = Some(NOW - 41_000);
    rows[1].agent = "general".to_owned();
    rows[1].started = Some(NOW - 102_000);
    rows[2].agent = "librarian".to_owned();
    rows[2].activity = TaskActivity::WaitingForModel;
    rows[2].usage.output = 36_000;
    rows[2].cost = Some(0.06);
    rows[2].started = Some(NOW - 12_000);
    rows[3].agent = "oracle".to_owned();
    rows[3].status = TaskStatus::Completed;
    rows[3].now = "Two risks: the clock is not injected everywhere".to_owned();
    rows[3].started = Some(NOW - 90_000);
    rows[3].ended = Some(NOW - 27_000);
    let mut driver = Driver::new(rows);
    driver.ask(1, "git checkout -- tests/fixtures");
    driver
}

#[test]
fn tiles_stand_side_by_side_with_rules_between_them() {
    let mut driver = four();
    driver.size = (100, 13);
    let expected =
        " Watch   1 asks · 2 running · 1 done                                   1:42 · 96k tok · $0.31 · ask
 1 ▸ explore    who calls backoff()         0:41 │ 2 ? general    asks 0:58 · git checkout -- test…
                                                 │ ? bash wants to run · ~/src/retry · no sandbox
                                                 │   y once  n no  N because
                                                 │   $ git checkout -- tests/fixtures
                                                 │   asks: no rule allows it
─────────────────────────────────────────────────┼──────────────────────────────────────────────────
 3 ◌ librarian  waiting for the model 8 s   0:12 │ 4 ✓ oracle     Two risks: the clock is no…  1:03
                                                 │
                                                 │
                                                 │
                                                 │
 ⏎ go in · ⇥ next ask · esc back · m message · x stop · s sort · / filter · X stop all · ? keys";
    assert_eq!(driver.picture(), expected);
    driver.symbols = Symbols::Ascii;
    let expected =
        " Watch   1 asks - 2 running - 1 done                                   1:42 - 96k tok - $0.31 - ask
 1 > explore    who calls backoff()         0:41 | 2 ? general    asks 0:58 - git checkout -- test~
                                                 | ? bash wants to run - ~/src/retry - no sandbox
                                                 |   y once  n no  N because
                                                 |   $ git checkout -- tests/fixtures
                                                 |   asks: no rule allows it
-------------------------------------------------+--------------------------------------------------
 3 o librarian  waiting for the model 8 s   0:12 | 4 + oracle     Two risks: the clock is no~  1:03
                                                 |
                                                 |
                                                 |
                                                 |
 enter go in - tab next ask - esc back - m message - x stop - s sort - / filter - X stop all";
    assert_eq!(driver.picture(), expected);
}

#[test]
fn without_colours_the_chosen_tile_is_reversed_and_a_question_has_its_bar() {
    let mut driver = four();
    driver.size = (100, 13);
    driver.depth = ColorDepth::None;
    driver.act(RIGHT);
    let buffer = driver.buffer();
    let is_reversed = |(x, y): (u16, u16)| {
        let style = buffer[(x, y)].style();
        style.add_modifier.contains(ratatui::style::Modifier::REVERSED)
    };
    assert!((50..100).all(|x| is_reversed((x, 1))));
    assert!((0..49).all(|x| !is_reversed((x, 1))));
    assert_eq!(buffer[(51, 4)].symbol(), "┃");
}

#[test]
fn on_a_narrow_screen_tiles_stand_above_each_other_or_on_more_pages() {
    let mut driver = four();
    driver.size = (40, 12);
    let expected = " Watch   1 asks · 2 running         ask
 1 ▸ explore  who calls backoff()  0:41









 ⏎ go in · ⇥ next ask · esc back";
    assert_eq!(driver.picture(), expected);
    driver.act(NEXT_PAGE);
    let expected = " Watch   1 asks · 2 running         ask
 1 ? general  asks 0:58 · git checkout…
 ? bash wants to run · no sandbox
 y once  n no  N because
   $ git checkout -- tests/fixtures
   asks: no rule allows it





 ⏎ go in · esc back · m message · x stop";
    assert_eq!(driver.picture(), expected);
}

#[test]
fn a_tree_without_tasks_says_what_comes_here() {
    let mut driver = Driver::new(Vec::new());
    driver.size = (80, 10);
    let picture = driver.picture();
    assert!(
        picture.contains("No agent has been started here yet. Each gets a tile of its own."),
        "{picture}"
    );
    assert_eq!(driver.requested(ENTER), None);
    assert!(matches!(driver.watch.back(), LayerReply::Close(None)));
}

#[test]
fn arrows_numbers_and_pages_choose() {
    let mut driver = Driver::new(tasks(8));
    driver.size = (80, 24);
    driver.picture();
    assert_eq!(driver.chosen(), "1");
    for (action, expected) in [
        (RIGHT, "2"),
        (Action::RowDown, "4"),
        (LEFT, "3"),
        (Action::RowUp, "1"),
        (Action::RowUp, "1"),
        (LEFT, "1"),
    ] {
        driver.act(action);
        assert_eq!(driver.chosen(), expected, "{action:?}");
    }
    driver.watch.pick('6');
    assert_eq!(driver.chosen(), "6");
    driver.act(RIGHT);
    assert_eq!(driver.chosen(), "7", "the next page");
    assert!(driver.picture().contains("page 2 of 2"));
    driver.watch.pick('9');
    assert_eq!(driver.chosen(), "7", "there is no such tile");
    driver.watch.pick('2');
    assert_eq!(driver.chosen(), "8");
    driver.act(PREVIOUS_PAGE);
    assert_eq!(driver.chosen(), "1");
    driver.act(NEXT_PAGE);
    driver.act(NEXT_PAGE);
    assert_eq!(driver.chosen(), "7");
}

#[test]
fn a_tile_stays_where_it_is_and_chosen_whatever_happens_to_the_others() {
    let mut driver = Driver::new(tasks(4));
    driver.picture();
    driver.watch.pick('3');
    driver.rows[0].status = TaskStatus::Completed;
    driver.rows[0].ended = Some(NOW);
    driver.rows.push(task(5));
    driver.ask(3, "git push");
    driver.picture();
    assert_eq!(driver.chosen(), "3");
    let places: Vec<_> = driver
        .watch
        .tiles()
        .iter()
        .map(|tile| tile.session.clone())
        .collect();
    assert_eq!(places, [1, 2, 3, 4, 5].map(session));
    driver.act(SORT);
    driver.picture();
    let places: Vec<_> = driver
        .watch
        .tiles()
        .iter()
        .map(|tile| tile.session.clone())
        .collect();
    assert_eq!(places, [4, 2, 3, 5, 1].map(session));
    assert_eq!(driver.chosen(), "3");
}

#[test]
fn the_filter_leaves_what_matches_and_going_back_clears_it_first() {
    let mut driver = four();
    driver.size = (100, 13);
    driver.act(Action::Search);
    driver.watch.write("lib");
    let picture = driver.picture();
    assert!(
        picture.contains("1 ◌ librarian") && !picture.contains("explore"),
        "{picture}"
    );
    assert_eq!(driver.chosen(), "3");
    driver.act(Action::FinishText);
    let heading = driver.picture().lines().next().unwrap().to_owned();
    assert!(heading.contains("1 done   /lib"), "{heading}");
    assert!(matches!(driver.watch.back(), LayerReply::Done));
    assert!(driver.picture().contains("explore"));
    driver.act(Action::Search);
    driver.watch.write("asks");
    driver.watch.write(" zzz");
    assert!(driver.picture().contains("Nothing matches."));
    driver.act(Action::Edit(Edit::DeleteWordLeft));
    assert!(
        driver.picture().contains("1 ? general"),
        "states are found by their words"
    );
    driver.watch.back();
    assert!(matches!(driver.watch.back(), LayerReply::Close(None)));
}

#[test]
fn an_answer_is_for_the_chosen_tile_and_not_for_the_moment_in_which_it_appeared() {
    let mut driver = four();
    driver.picture();
    assert_eq!(driver.said(Action::AllowOnce), Some("this agent asks nothing"));
    driver.act(Action::AnotherAsk);
    assert_eq!(driver.chosen(), "2");
    assert_eq!(driver.replied(Action::AllowOnce), None, "it has just appeared");
    driver.passed = 299;
    driver.picture();
    assert_eq!(
        driver.replied(Action::AllowOnce),
        None,
        "each such key begins the pause anew"
    );
    driver.passed = 600;
    let id = driver.questions[0].id;
    assert_eq!(
        driver.replied(Action::AllowOnce),
        Some((id, PermissionReply::Once))
    );
    assert_eq!(driver.replied(Action::AllowOnce), None, "it is answered");
    driver.questions.clear();
    driver.rows[1].activity = TaskActivity::Working;
    driver.update();
    assert!(driver.picture().contains("2 ▸ general"));
}

#[test]
fn arrows_are_heard_while_a_question_is_not() {
    let mut driver = four();
    driver.picture();
    driver.act(RIGHT);
    driver.act(LEFT);
    assert_eq!(driver.chosen(), "1");
}

#[test]
fn a_question_that_does_not_fit_is_refused_here_but_not_allowed() {
    let mut driver = Driver::new(tasks(6));
    let command = "rm -rf target/tmp && \n".repeat(12);
    let id = driver.ask(0, &command);
    let picture = driver.picture();
    assert!(
        picture.contains("more rows") && picture.contains("⏎ shows all of it"),
        "{picture}"
    );
    assert!(!picture.contains("y once"), "{picture}");
    driver.passed = 301;
    let said = driver.said(Action::AllowOnce);
    assert_eq!(
        said,
        Some("not all of it stands here: go into the agent to see what a yes would allow")
    );
    assert_eq!(
        driver.requested(Action::AllowAlways),
        Some(WatchRequest::EnterAlways(session(1), id))
    );
    assert_eq!(
        driver.replied(Action::Reject),
        Some((id, PermissionReply::Reject(None)))
    );
}

#[test]
fn a_command_in_another_directory_says_where() {
    let mut driver = four();
    driver.size = (40, 12);
    let question = Arc::make_mut(&mut driver.questions[0]);
    if let crate::question::QuestionKind::Permission(inquiry) = &mut question.about {
        Arc::make_mut(inquiry).directory = "/home/u/src/retry/target".into();
    }
    driver.update();
    driver.picture();
    driver.act(NEXT_PAGE);
    let picture = driver.picture();
    assert!(
        picture.contains("\n ? bash wants to run\n   ~/src/retry/target · no sandbox\n"),
        "{picture}"
    );
}

#[test]
fn a_no_with_a_reason_is_written_in_the_tile() {
    let mut driver = four();
    driver.size = (100, 20);
    driver.picture();
    driver.watch.pick('2');
    driver.passed = 301;
    driver.act(Action::RejectBecause);
    driver.watch.write("use git restore");
    let picture = driver.picture();
    assert!(picture.contains("│ ┃ use git restore"), "{picture}");
    assert!(picture.contains("$ git checkout -- tests/fixtures"), "{picture}");
    let reason = Some("use git restore".to_owned());
    assert_eq!(
        driver.replied(Action::FinishText),
        Some((driver.questions[0].id, PermissionReply::Reject(reason)))
    );
}

#[test]
fn a_reason_for_a_question_that_is_settled_meanwhile_is_not_lost() {
    let mut driver = four();
    driver.picture();
    driver.watch.pick('2');
    driver.passed = 301;
    driver.act(Action::RejectBecause);
    driver.watch.write("use git restore");
    let facts = WatchFacts {
        rows: driver.rows.iter().cloned().map(Arc::new).collect(),
        questions: &[],
        mode: Mode::Ask,
        directory: Path::new("/"),
    };
    let (_, unsent) = driver.watch.update(facts);
    assert_eq!(unsent.as_deref(), Some("use git restore"));
    assert_eq!(driver.watch.stage, Stage::Browsing);
}

#[test]
fn a_message_goes_to_the_chosen_agent_and_stays_until_it_is_sent() {
    let mut driver = four();
    driver.size = (100, 13);
    driver.picture();
    driver.act(MESSAGE);
    driver.watch.write("look at tests too");
    assert!(driver.picture().contains("┃ look at tests too"));
    assert!(matches!(driver.watch.back(), LayerReply::Done));
    driver.act(MESSAGE);
    assert_eq!(
        driver.requested(Action::FinishText),
        Some(WatchRequest::Message(session(1), "look at tests too".to_owned()))
    );
    driver.act(MESSAGE);
    assert_eq!(driver.requested(Action::FinishText), None, "nothing is written");
    driver.watch.write("half");
    driver.watch.back();
    assert!(matches!(
        driver.watch.back(),
        LayerReply::Close(Some(LayerRequest::AddToDraft(text))) if text == "half"
    ));
}

#[test]
fn stopping_asks_first() {
    let mut driver = four();
    driver.size = (80, 24);
    driver.picture();
    driver.act(STOP);
    let picture = driver.picture();
    assert!(
        picture.contains(" Stop explore \"who calls backoff()\" and what it started?"),
        "{picture}"
    );
    assert!(picture.contains(" y stops   n lets go on"), "{picture}");
    assert!(matches!(driver.act(KEEP), LayerReply::Done));
    assert_eq!(driver.requested(CONFIRM), None, "nothing is asked");
    driver.act(STOP);
    assert_eq!(
        driver.requested(CONFIRM),
        Some(WatchRequest::Stop("tsk_1".parse().unwrap()))
    );
    driver.act(STOP_ALL);
    assert!(driver.picture().contains(" Stop 3 agents?"));
    assert_eq!(driver.requested(CONFIRM), Some(WatchRequest::StopAll));
    driver.watch.pick('4');
    assert_eq!(driver.said(STOP), Some("it has ended already"));
}

#[test]
fn foreground_goes_to_the_background_and_what_has_ended_is_resumed() {
    let mut driver = four();
    driver.picture();
    assert_eq!(
        driver.said(TO_BACKGROUND),
        Some("it works in the background already")
    );
    driver.rows[0].is_background = false;
    driver.update();
    assert_eq!(
        driver.requested(TO_BACKGROUND),
        Some(WatchRequest::ToBackground(session(0)))
    );
    assert!(
        driver
            .said(RESUME)
            .is_some_and(|said| said.starts_with("it has not ended"))
    );
    driver.watch.pick('4');
    driver.act(RESUME);
    driver.watch.write("and the second risk?");
    assert_eq!(
        driver.requested(Action::FinishText),
        Some(WatchRequest::Message(
            session(4),
            "and the second risk?".to_owned()
        ))
    );
    assert_eq!(driver.requested(ENTER), Some(WatchRequest::Enter(session(4))));
    assert_eq!(
        driver.requested(Action::PageUp),
        Some(WatchRequest::Page(session(4), -1))
    );
}

#[test]
fn without_an_ask_the_key_looks_for_one_elsewhere() {
    let mut driver = Driver::new(tasks(2));
    driver.picture();
    let reply = driver.act(Action::AnotherAsk);
    assert!(matches!(
        reply,
        LayerReply::Request(LayerRequest::Perform(Action::NextAsk))
    ));
}

#[test]
fn only_what_is_seen_asks_for_a_frame() {
    let mut driver = Driver::new(tasks(20));
    for row in &mut driver.rows {
        row.activity = TaskActivity::WaitingForModel;
    }
    driver.update();
    driver.picture();
    assert_eq!(driver.update(), RedrawUrgency::None, "nothing has changed");
    driver.rows[0].calls += 1;
    driver.rows[0].usage.cache_read += 9;
    assert_eq!(
        driver.update(),
        RedrawUrgency::None,
        "no row of the frame says that"
    );
    driver.rows[19].now = "grep backoff".to_owned();
    driver.rows[19].description = "another".to_owned();
    assert_eq!(
        driver.update(),
        RedrawUrgency::None,
        "its tile is on another page"
    );
    driver.rows[19].worktree = Some(crate::conversation::WorktreeChanges::default());
    assert_eq!(driver.update(), RedrawUrgency::None);
    driver.rows[0].activity = TaskActivity::Working;
    assert_eq!(driver.update(), RedrawUrgency::Soft);
    driver.picture();
    driver.rows[19].status = TaskStatus::Completed;
    assert_eq!(driver.update(), RedrawUrgency::Soft, "the heading counts it");
}
