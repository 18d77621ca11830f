//! The grid without the transcripts: keys in, frames out, with times of its own.

mod acting;
mod choosing;
mod drawing;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::keys::{
    CHANGES, ENTER, LEFT, MESSAGE, NEXT_PAGE, PREVIOUS_PAGE, RESUME, RIGHT, SORT, STOP, STOP_ALL,
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
            directory: Path::new("/home/u/src/retry"),
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
