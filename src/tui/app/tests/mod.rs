//! The screen, driven as the event loop drives it: keys and events in, effects and frames out, with a clock of its own.

mod always_scope;
mod asked_calls;
mod asking;
mod attaching;
mod attention;
mod beginning;
mod completing;
mod dialog_pictures;
mod drawing;
mod editing;
mod forms;
mod history;
mod keymap;
mod links;
mod mentioning;
mod paging;
mod panel;
mod picking;
mod pictures;
mod prose;
mod sending;
mod session_cards;
mod session_list;
mod sessions;
mod task_changes;
mod task_panel;
mod tasks;
mod transcript;
mod trusting;
mod typing_over_questions;
mod vim;
mod waiting;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use termina::event::{KeyCode, KeyEvent, Modifiers};

use super::*;
use crate::conversation::sample::message;
use crate::conversation::{
    CallId, CallState, Message, MessageId, MessageState, ModelRef, Part, PartBody, Price, Role, SessionId,
    ToolPart, Usage,
};
use crate::permission::{
    Action as RuleAction, Ask, ChosenScopes, DelegatedTask, Inquiry, InquiryRow, Mode, PermissionKey,
    PermissionReply, Scope, Subject, Verdict,
};
use crate::question::{Question, Reply};
use crate::session::host::OpeningNotes;
use crate::session::query::Query;
use crate::session::{
    AgentChoice, CommandChoice, Envelope, ErrorReport, Event, ModelChoice, QueuedKind, QueuedMessage,
    ReportKind, RequestUsage, SessionInfo, SettledPermission, SettledQuestion, Snapshot, TurnEndReason,
};
use crate::tui::MouseCapture;
use crate::tui::completion;
use crate::tui::keymap::Context;
use crate::tui::terminal::background::Background;
use crate::tui::terminal_environment::TerminalEnvironment;
use crate::tui::transcript::FilePlace;
use crate::view::Symbols;
use crate::view::card::{Card, CardPart, Code, DiffBody};
use crate::view::theme::{ColorDepth, Theme};

/// A screen with a clock.
struct Driver {
    app: App,
    now: Instant,
    session: SessionId,
    size: (u16, u16),
    effects: Vec<Effect>,
}

fn terminal_environment() -> TerminalEnvironment {
    TerminalEnvironment::sample()
}

fn setup() -> Setup {
    let theme = |name| Arc::new(Theme::builtin(name).unwrap());
    Setup {
        model: "local/test-model".to_owned(),
        agent: "build".to_owned(),
        mode: Mode::Ask,
        directory: "/home/u/src/retry".into(),
        project: "/home/u/src/retry".into(),
        is_demo: false,
        themes: Themes {
            dark: theme("lathe-dark"),
            light: theme("lathe-light"),
        },
        theme_list: Box::new(|| {
            let named = |(dark, light): (&str, &str)| NamedThemes {
                name: dark.to_owned(),
                themes: Themes {
                    dark: Arc::new(Theme::builtin(dark).unwrap()),
                    light: Arc::new(Theme::builtin(light).unwrap()),
                },
            };
            let pairs = [("lathe-dark", "lathe-light"), ("ember-dark", "ember-light")];
            pairs.into_iter().map(named).collect()
        }),
        settings_file: "/home/u/.config/lathe/lathe.jsonc".into(),
        keymap: Keymap::default(),
        frecency_file: "/home/u/.local/state/lathe/uses.jsonl".into(),
        wheel_lines: 3,
        mouse: MouseCapture::Caught,
        copies_on_select: false,
        uses_vim: false,
        prompt: None,
        reopens: false,
        trust: None,
        terminal_environment: terminal_environment(),
    }
}

impl Driver {
    fn closed() -> Self {
        Self::with(setup())
    }

    fn with(setup: Setup) -> Self {
        let now = Instant::now();
        Self {
            app: App::new(setup, now),
            now,
            session: SessionId::new(),
            size: (80, 24),
            effects: Vec::new(),
        }
    }

    /// With its session open.
    fn open() -> Self {
        let mut driver = Self::closed();
        driver.attach(&driver.snapshot());
        driver
    }

    /// With its session open, whose calls are drawn by the tools themselves.
    fn with_tools() -> Self {
        let mut driver = Self::closed();
        driver.open_session(&driver.snapshot());
        driver
    }

    fn open_session(&mut self, snapshot: &Snapshot) {
        let slot = self.app.views.front.slot;
        let cards = crate::tool::BuiltinCards::new();
        self.app
            .session_opened(slot, snapshot, cards, OpeningNotes::default(), self.now);
        self.collect();
    }

    fn snapshot(&self) -> Snapshot {
        let info = SessionInfo {
            id: self.session.clone(),
            title: "fix the flaky retry test".to_owned(),
            agent: "build".to_owned(),
            agents: vec![
                agent("build", "the default: does the work"),
                agent("plan", "reads and plans"),
            ],
            models: vec![
                model("local/test-model", 128_000),
                model("local/other", 1_000_000),
            ],
            commands: Vec::new(),
            model: ModelRef {
                provider: "local".to_owned(),
                model: "test-model".to_owned(),
            },
            mode: Mode::Ask,
            directory: "/home/u/src/retry".into(),
            context_limit: Some(200_000),
            context_used: 0,
            usage: Usage::default(),
            cost: Some(0.0),
            read_only: None,
            model_problem: None,
            demo: false,
            allows_edits: false,
            scopes: ChosenScopes::default(),
            surroundings: crate::session::Surroundings::default(),
        };
        Snapshot {
            seq: 0,
            info,
            messages: Vec::new(),
            tasks: Vec::new(),
            terminals: Vec::new(),
            questions: Vec::new(),
            queue: Vec::new(),
            todos: Vec::new(),
            busy: false,
            draft: String::new(),
        }
    }

    fn attach(&mut self, snapshot: &Snapshot) {
        self.app
            .session_attached(self.app.views.front.slot, snapshot, self.now);
        self.collect();
    }

    fn collect(&mut self) {
        self.effects.extend(self.app.take_effects());
    }

    /// Presses keys as the keymap writes them, or types a text in quotes.
    #[track_caller]
    fn press(&mut self, keys: &str) -> RedrawUrgency {
        let mut change = RedrawUrgency::None;
        for name in keys.split_whitespace() {
            change = self.app.key(key(name), self.now);
        }
        self.collect();
        change
    }

    fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            self.app
                .key(KeyEvent::new(KeyCode::Char(c), Modifiers::NONE), self.now);
        }
        self.collect();
    }

    fn wait(&mut self, millis: u64) -> RedrawUrgency {
        let since = self.now;
        self.now += Duration::from_millis(millis);
        let change = self.app.pass_time(since, self.now);
        self.collect();
        change
    }

    /// Rests until the question that waits has come up, and listens.
    fn hear(&mut self) {
        if !self.app.is_asking() {
            self.wait(1000);
        }
        self.wait(301);
    }

    fn event(&mut self, event: Event) -> RedrawUrgency {
        let envelope = Envelope {
            seq: 1,
            session: self.session.clone(),
            event,
        };
        let change = self
            .app
            .session_event(self.app.views.front.slot, &envelope, self.now);
        self.collect();
        change
    }

    /// Has a call ask.
    fn ask(&mut self, question: Question<Inquiry>) -> Arc<Question> {
        let question = question.shared();
        self.event(Event::Asked(Arc::clone(&question)));
        question
    }

    fn frame(&mut self) -> Frame {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buffer = Buffer::empty(area);
        let caret = self.app.draw(area, &mut buffer, self.now);
        Frame { buffer, caret }
    }

    fn text(&mut self) -> String {
        self.frame().text()
    }

    fn hints(&mut self) -> String {
        let row = self.text().lines().last().unwrap_or_default().to_owned();
        // The directory stands at the right end.
        match row.strip_suffix("~/src/retry") {
            Some(keys) if keys.ends_with("   ") => keys.trim_end().to_owned(),
            _ => row,
        }
    }

    /// Answers as the finder would; returns what was looked for.
    fn find(&mut self, paths: &[&str]) -> String {
        let asked = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Find(completion::Request::Find { id, text }) => Some((*id, text.clone())),
            _ => None,
        });
        let (id, text) = asked.expect("nothing is looked for");
        let paths = paths.iter().map(|path| (*path).to_owned()).collect();
        let found = completion::FoundPaths { id, paths };
        self.app
            .on_finder_answer(completion::FinderAnswer::Found(found), self.now);
        self.collect();
        text
    }

    /// Takes the operations that were sent to the session since the last time.
    fn sent(&mut self) -> Vec<Op> {
        let effects = std::mem::take(&mut self.effects);
        let ops = effects.into_iter().filter_map(|effect| match effect {
            Effect::Send(op) => Some(op),
            _ => None,
        });
        ops.collect()
    }

    fn replies(&mut self) -> Vec<PermissionReply> {
        let ops = self.sent().into_iter().filter_map(|op| match op {
            Op::Answer {
                reply: Reply::Permission(reply),
                ..
            } => Some(reply),
            _ => None,
        });
        ops.collect()
    }
}

struct Frame {
    buffer: Buffer,
    caret: Option<Position>,
}

impl Frame {
    fn text(&self) -> String {
        let width = usize::from(self.buffer.area.width).max(1);
        let rows = self.buffer.content().chunks(width).map(|row| {
            let mut text = String::new();
            let mut skip = 0;
            for cell in row {
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                text.push_str(cell.symbol());
                skip = crate::text::width::str_width(cell.symbol()).saturating_sub(1);
            }
            text.trim_end().to_owned()
        });
        rows.collect::<Vec<_>>().join("\n")
    }
}

fn key(name: &str) -> KeyEvent {
    let (modifiers, code) = match name.rsplit_once('+') {
        Some(("ctrl", rest)) => (Modifiers::CONTROL, rest),
        Some(("alt", rest)) => (Modifiers::ALT, rest),
        Some(("shift", rest)) => (Modifiers::SHIFT, rest),
        _ => (Modifiers::NONE, name),
    };
    let code = match code {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Escape,
        "tab" if modifiers == Modifiers::SHIFT => KeyCode::BackTab,
        "tab" => KeyCode::Tab,
        "space" => KeyCode::Char(' '),
        "up" => KeyCode::Up,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "down" => KeyCode::Down,
        "pgup" => KeyCode::PageUp,
        "pgdn" => KeyCode::PageDown,
        other => KeyCode::Char(other.chars().next().unwrap()),
    };
    KeyEvent::new(code, modifiers)
}

fn agent(name: &str, description: &str) -> AgentChoice {
    AgentChoice {
        name: name.to_owned(),
        description: description.to_owned(),
        model: (name == "plan").then(|| "local/other".parse().unwrap()),
        tools: if name == "plan" {
            vec![("write".to_owned(), false)]
        } else {
            Vec::new()
        },
        rules: if name == "plan" {
            vec!["deny edit".to_owned()]
        } else {
            Vec::new()
        },
        sources: vec!["built in".to_owned()],
    }
}

fn model(name: &str, context: u64) -> ModelChoice {
    ModelChoice {
        model: name.parse().unwrap(),
        protocol: "openai-chat".into(),
        address: "http://127.0.0.1:8080/v1".to_owned(),
        missing_key: (context > 200_000).then(|| "OTHER_API_KEY".into()),
        context,
        output: 8_192,
        images: context > 200_000,
        pdf: context > 200_000,
        reasoning: true,
        price: (context < 200_000).then(|| Price {
            input: 3.0,
            output: 15.0,
            ..Price::default()
        }),
    }
}

fn input_text(op: &Op) -> Option<(&'static str, &str)> {
    match op {
        Op::Submit(input) => Some(("submit", &input.text)),
        Op::Queue(input) => Some(("queue", &input.text)),
        _ => None,
    }
}

fn inputs(ops: &[Op]) -> Vec<(&'static str, &str)> {
    ops.iter().filter_map(input_text).collect()
}

fn bash(command: &str, always: &[&str]) -> Question<Inquiry> {
    let mut ask = Ask::new(PermissionKey::BASH, Subject::new(command));
    ask.always = always.iter().map(|&pattern| pattern.to_owned()).collect();
    inquiry("bash", "bash wants to run", vec![ask], bash_card(command))
}

fn bash_card(command: &str) -> Card {
    let code = Code {
        text: command.to_owned(),
        language: "bash".to_owned(),
        first_line: None,
        wraps: false,
    };
    Card::new("Bash", command).part(CardPart::Code(code))
}

fn inquiry(tool: &str, title: &str, asks: Vec<Ask>, card: Card) -> Question<Inquiry> {
    let rows = asks.into_iter().map(|ask| InquiryRow {
        preticked: !ask.destructive && !ask.always.is_empty(),
        ask,
        verdict: Verdict {
            action: RuleAction::Ask,
            rule: None,
        },
    });
    Question::sample(Inquiry {
        tool: tool.to_owned(),
        delegated: None,
        rows: rows.collect(),
        title: title.to_owned(),
        card,
        directory: "/home/u/src/retry".into(),
        sandbox: (tool == "bash").then(|| "off".into()),
        editable: None,
    })
}

fn queued(id: u64, text: &str, kind: QueuedKind) -> QueuedMessage {
    QueuedMessage {
        id,
        text: text.to_owned(),
        kind,
    }
}
