//! The screen, driven as the event loop drives it: keys and events in, effects and frames out, with a clock of its own.

mod editing;
mod forms;
mod paging;
mod picking;
mod pictures;
mod session_list;
mod sessions;
mod transcript;
mod trusting;

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use futures::FutureExt;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::conversation::{
    CallId, Message, MessageId, MessageState, ModelRef, Part, PartBody, Price, Role, TextPart, Usage,
};
use crate::permission::{
    Action as RuleAction, Ask, Broker, BrokerEvent, FrontEnd, Inquiry, Reply, Row, Scope, Subject, Verdict,
};
use crate::session::{
    Done, Envelope, ErrorReport, Event, QueuedKind, ReportKind, RequestUsage, SessionInfo, SettledQuestion,
    Snapshot,
};
use crate::view::Symbols;
use crate::view::card::{Card, CardPart, Code, DiffBody};
use crate::view::theme::ColorDepth;

/// A screen with a clock.
struct Driver {
    app: App,
    now: Instant,
    session: SessionId,
    size: (u16, u16),
    effects: Vec<Effect>,
    broker: Broker,
    asked: tokio::sync::mpsc::UnboundedReceiver<BrokerEvent>,
}

fn surroundings() -> Surroundings {
    Surroundings {
        depth: ColorDepth::TrueColor,
        symbols: Symbols::Unicode,
        background: Background::Dark,
        motion: Motion::Full,
        home: Some("/home/u".into()),
        editor: None,
        clipboard: Clipboard::Direct,
        clipboard_commands: Vec::new(),
        trace: None,
        panics_at_first_key: false,
    }
}

fn setup() -> Setup {
    let theme = |name| Arc::new(Theme::builtin(name).unwrap());
    Setup {
        model: "local/test-model".to_owned(),
        agent: "build".to_owned(),
        mode: Mode::Ask,
        directory: "/home/u/src/retry".into(),
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
        wheel_lines: 3,
        mouse: Mouse::Caught,
        copies_on_select: false,
        prompt: None,
        trust: None,
        surroundings: surroundings(),
    }
}

impl Driver {
    fn closed() -> Self {
        Self::with(setup())
    }

    fn with(setup: Setup) -> Self {
        let now = Instant::now();
        let (broker, asked) = Broker::new(FrontEnd::Attached);
        Self {
            app: App::new(setup, now),
            now,
            session: SessionId::new(),
            size: (80, 24),
            effects: Vec::new(),
            broker,
            asked,
        }
    }

    /// With its session open.
    fn open() -> Self {
        let mut driver = Self::closed();
        driver.attach(&driver.snapshot());
        driver
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
            demo: false,
        };
        Snapshot {
            seq: 0,
            info,
            messages: Vec::new(),
            forms: Vec::new(),
            questions: Vec::new(),
            queue: Vec::new(),
            todos: Vec::new(),
            busy: false,
            draft: String::new(),
        }
    }

    fn attach(&mut self, snapshot: &Snapshot) {
        self.app.attached(snapshot, self.now);
        self.collect();
    }

    fn collect(&mut self) {
        self.effects.extend(self.app.take_effects());
    }

    /// Presses keys as the keymap writes them, or types a text in quotes.
    #[track_caller]
    fn press(&mut self, keys: &str) -> Change {
        let mut change = Change::None;
        for name in keys.split_whitespace() {
            change = self.app.key(key(name), self.now);
        }
        self.collect();
        change
    }

    fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            self.app
                .key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), self.now);
        }
        self.collect();
    }

    fn wait(&mut self, millis: u64) -> Change {
        let since = self.now;
        self.now += Duration::from_millis(millis);
        let change = self.app.pass_time(since, self.now);
        self.collect();
        change
    }

    fn event(&mut self, event: Event) -> Change {
        let envelope = Envelope {
            seq: 1,
            session: self.session.clone(),
            event,
        };
        let change = self.app.event(&envelope, self.now);
        self.collect();
        change
    }

    /// Has a call ask, as a broker would.
    fn ask(&mut self, inquiry: Inquiry) -> Arc<Question> {
        // Dropping the future withdraws the question again, which nobody here listens to.
        let _ = self.broker.ask(inquiry, &CancellationToken::new()).now_or_never();
        let asked = std::iter::from_fn(|| self.asked.try_recv().ok());
        let questions: Vec<_> = asked
            .filter_map(|event| match event {
                BrokerEvent::Asked(question) => Some(question),
                BrokerEvent::Settled { .. } => None,
            })
            .collect();
        let question = questions.into_iter().next_back().unwrap();
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
        self.text().lines().last().unwrap_or_default().to_owned()
    }

    /// What was sent to the session since the last time.
    fn sent(&mut self) -> Vec<Op> {
        let effects = std::mem::take(&mut self.effects);
        let ops = effects.into_iter().filter_map(|effect| match effect {
            Effect::Send(op) => Some(op),
            _ => None,
        });
        ops.collect()
    }

    fn replies(&mut self) -> Vec<Reply> {
        let ops = self.sent().into_iter().filter_map(|op| match op {
            Op::Answer { reply, .. } => Some(reply),
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
        Some(("ctrl", rest)) => (KeyModifiers::CONTROL, rest),
        Some(("alt", rest)) => (KeyModifiers::ALT, rest),
        Some(("shift", rest)) => (KeyModifiers::SHIFT, rest),
        _ => (KeyModifiers::NONE, name),
    };
    let code = match code {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" if modifiers == KeyModifiers::SHIFT => KeyCode::BackTab,
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
    }
}

fn model(name: &str, context: u64) -> ModelChoice {
    ModelChoice {
        model: name.parse().unwrap(),
        context,
        images: context > 200_000,
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

fn bash(command: &str, always: &[&str]) -> Inquiry {
    let mut ask = Ask::new("bash", Subject::new(command));
    ask.always = always.iter().map(|&pattern| pattern.to_owned()).collect();
    inquiry("bash", "bash wants to run", vec![ask], bash_card(command))
}

fn bash_card(command: &str) -> Card {
    let code = Code {
        text: command.to_owned(),
        language: "bash".to_owned(),
        first_line: None,
    };
    Card::new("Bash", command).part(CardPart::Code(code))
}

fn inquiry(tool: &str, title: &str, asks: Vec<Ask>, card: Card) -> Inquiry {
    let rows = asks.into_iter().map(|ask| Row {
        preticked: !ask.destructive && !ask.always.is_empty(),
        ask,
        verdict: Verdict {
            action: RuleAction::Ask,
            rule: None,
        },
    });
    Inquiry {
        session: SessionId::new(),
        call: CallId::new(),
        tool: tool.to_owned(),
        agent: "build".to_owned(),
        rows: rows.collect(),
        title: title.to_owned(),
        card,
        directory: "/home/u/src/retry".into(),
        sandbox: (tool == "bash").then_some("off"),
        editable: None,
    }
}

fn queued(id: u64, text: &str, kind: QueuedKind) -> Queued {
    Queued {
        id,
        text: text.to_owned(),
        kind,
    }
}

#[test]
fn the_first_frame_needs_no_session() {
    let mut driver = Driver::closed();
    let text = driver.text();
    let first = text.lines().next().unwrap();
    assert!(
        first.starts_with(" lathe") && first.ends_with("local/test-model · build · ask"),
        "{first}"
    );
    assert!(driver.hints().contains("⏎ send"), "{}", driver.hints());
    assert!(!text.contains("esc"), "{text}");
}

#[test]
fn what_is_typed_before_the_session_is_open_is_kept_and_sent() {
    let mut driver = Driver::closed();
    driver.type_text("first");
    driver.press("enter");
    driver.type_text("sec");
    assert!(driver.sent().is_empty());
    assert!(driver.text().contains("opens ┃ first"), "{}", driver.text());
    driver.attach(&driver.snapshot());
    assert_eq!(inputs(&driver.sent()), [("submit", "first")]);
    assert!(driver.text().contains("┃ sec"));
}

#[test]
fn a_prompt_from_the_command_line_is_sent_once() {
    let mut driver = Driver::with(Setup {
        prompt: Some("hello".to_owned()),
        ..setup()
    });
    driver.attach(&driver.snapshot());
    driver.attach(&driver.snapshot());
    assert_eq!(inputs(&driver.sent()), [("submit", "hello")]);
}

#[test]
fn a_session_that_does_not_open_gives_the_text_back() {
    let mut driver = Driver::closed();
    driver.type_text("precious");
    driver.press("enter");
    let report = ErrorReport {
        kind: ReportKind::Storage,
        message: "the disk is full".to_owned(),
        hint: None,
    };
    driver.app.not_opened(report, driver.now);
    let text = driver.text();
    assert!(
        text.contains("┃ precious") && text.contains("the disk is full"),
        "{text}"
    );
    driver.press("enter");
    assert!(driver.sent().is_empty() && driver.text().contains("precious"));
}

#[test]
fn hints_say_send_when_idle_and_esc_only_while_a_turn_runs() {
    let mut driver = Driver::open();
    assert!(driver.hints().contains("send") && !driver.hints().contains("esc"));
    driver.event(Event::TurnStarted);
    let busy = driver.hints();
    assert!(
        busy.contains("esc interrupt") && busy.contains("steer") && !busy.contains("send"),
        "{busy}"
    );
    driver.event(Event::TurnEnded(Done::Stop));
    assert!(driver.hints().contains("send") && !driver.hints().contains("esc"));
}

#[test]
fn enter_sends_alt_enter_queues_and_blank_text_does_neither() {
    let mut driver = Driver::open();
    driver.press("enter");
    driver.type_text("  ");
    driver.press("enter");
    assert_eq!(inputs(&driver.sent()), []);
    driver.type_text("one");
    driver.press("enter");
    driver.type_text("two");
    driver.press("alt+enter");
    let sent = driver.sent();
    assert_eq!(inputs(&sent), [("submit", "  one"), ("queue", "two")]);
}

#[test]
fn esc_twice_within_a_second_interrupts() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.press("esc");
    assert!(driver.sent().is_empty());
    assert!(
        driver.hints().contains("esc again interrupts"),
        "{}",
        driver.hints()
    );
    driver.wait(900);
    driver.press("esc");
    assert!(matches!(driver.sent()[..], [Op::Interrupt]));
    driver.press("esc");
    assert_eq!(driver.wait(1001), Change::Urgent, "the hint goes back by itself");
    driver.press("esc");
    assert!(driver.sent().is_empty(), "too late: armed anew");
}

#[test]
fn esc_that_closed_something_is_deaf_for_a_moment() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.press("?");
    driver.press("esc");
    driver.wait(200);
    driver.press("esc");
    assert_eq!(driver.app.state().dropped_keys, 1);
    driver.wait(200);
    driver.press("esc");
    assert!(driver.sent().is_empty() && driver.hints().contains("again"));
}

#[test]
fn ctrl_c_clears_then_interrupts_then_quits() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.type_text("x");
    driver.press("ctrl+c");
    assert!(!driver.text().contains("┃ x"));
    driver.press("ctrl+c");
    assert!(matches!(driver.sent()[..], [Op::Interrupt]));
    driver.event(Event::TurnEnded(Done::Cancelled));
    driver.press("ctrl+c");
    assert!(driver.hints().contains("ctrl+c again quits"));
    driver.wait(1500);
    driver.press("ctrl+c");
    assert!(!driver.effects.iter().any(|effect| matches!(effect, Effect::Quit)));
    driver.press("ctrl+c");
    assert!(matches!(driver.effects.last(), Some(Effect::Quit)));
}

#[test]
fn shift_tab_cycles_the_mode_and_the_screen_says_which() {
    let mut driver = Driver::open();
    for mode in ["accept-edits", "plan", "yolo", "ask"] {
        driver.press("shift+tab");
        let first = driver.text().lines().next().unwrap().to_owned();
        assert!(first.contains(&format!("build · {mode}")), "{first}");
    }
    assert_eq!(driver.sent().len(), 4);
}

#[test]
fn up_takes_back_the_newest_that_waits_and_then_the_history() {
    let mut driver = Driver::open();
    driver.type_text("old");
    driver.press("enter");
    driver.event(Event::TurnStarted);
    driver.event(Event::Queue(vec![
        queued(1, "steer me", QueuedKind::Steer),
        queued(2, "queue me", QueuedKind::Queue),
    ]));
    assert!(
        driver.text().contains("steer ┃ steer me\n queue ┃ queue me"),
        "{}",
        driver.text()
    );
    driver.sent();
    driver.press("up");
    assert!(matches!(driver.sent()[..], [Op::Unqueue(2)]));
    assert!(driver.text().contains("┃ queue me"));
    driver.press("ctrl+c up");
    assert!(matches!(driver.sent()[..], [Op::Unqueue(1)]));
    driver.press("ctrl+c up");
    assert!(driver.text().contains("┃ old"), "{}", driver.text());
}

#[test]
fn enter_on_an_empty_composer_sends_what_is_held() {
    let mut driver = Driver::open();
    driver.event(Event::Queue(vec![queued(1, "later", QueuedKind::Held)]));
    assert!(driver.hints().contains("send 1 held"), "{}", driver.hints());
    driver.press("enter");
    assert!(matches!(driver.sent()[..], [Op::Release]));
}

#[test]
fn the_draft_is_stored_once_typing_stops() {
    let mut driver = Driver::open();
    driver.type_text("ab");
    driver.wait(200);
    driver.type_text("c");
    driver.wait(200);
    assert!(driver.sent().is_empty());
    driver.wait(51);
    assert!(matches!(&driver.sent()[..], [Op::Draft(text)] if text == "abc"));
    driver.wait(1000);
    assert!(driver.sent().is_empty());
    driver.type_text("d");
    driver.press("ctrl+z");
    assert!(
        matches!(&driver.effects[..], [Effect::Send(Op::Draft(text)), Effect::Suspend] if text == "abcd")
    );
}

#[test]
fn a_stored_draft_comes_back_unless_something_was_typed() {
    let mut driver = Driver::closed();
    driver.attach(&Snapshot {
        draft: "stored".to_owned(),
        ..driver.snapshot()
    });
    assert!(driver.text().contains("┃ stored"));
    let mut driver = Driver::closed();
    driver.type_text("new");
    driver.attach(&Snapshot {
        draft: "stored".to_owned(),
        ..driver.snapshot()
    });
    assert!(driver.text().contains("┃ new"));
}

#[test]
fn nothing_moves_and_nothing_is_due_when_idle() {
    let mut driver = Driver::open();
    driver.frame();
    assert_eq!(driver.app.deadline(driver.now), None);
    assert_eq!(driver.wait(60_000), Change::None);
}

#[test]
fn a_question_is_deaf_to_what_was_being_typed_and_enter_never_answers() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.ask(bash("cargo test", &["cargo test *"]));
    assert!(
        driver
            .text()
            .contains(" ? bash wants to run · ~/src/retry · no sandbox"),
        "{}",
        driver.text()
    );
    driver.press("y enter y");
    assert_eq!(driver.replies(), []);
    assert_eq!(driver.app.state().dropped_keys, 3);
    driver.wait(301);
    driver.press("enter");
    assert_eq!(driver.replies(), []);
    driver.press("y");
    assert_eq!(driver.replies(), [Reply::Once]);
    assert!(driver.app.dialog.is_none());
}

#[test]
fn keys_of_a_draft_go_on_into_it_while_a_question_appears() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.type_text("make it fast");
    driver.wait(100);
    driver.ask(bash("rm -rf /", &[]));
    driver.type_text("er, yes");
    assert!(
        driver.text().contains("┃ make it faster, yes"),
        "{}",
        driver.text()
    );
    assert_eq!(driver.app.state().focus, "dialog");
    driver.wait(701);
    assert_eq!(driver.replies(), []);
    driver.press("n");
    assert_eq!(driver.replies(), [Reply::Reject(None)]);
    assert!(
        driver.text().contains("┃ make it faster, yes"),
        "the draft is still there"
    );
}

#[test]
fn always_stores_what_is_ticked_in_the_chosen_scope() {
    let mut driver = Driver::open();
    let mut destructive = Ask::new("bash", Subject::new("rm -rf target/tmp")).always("rm *");
    destructive.destructive = true;
    let asks = vec![
        Ask::new("bash", Subject::new("cargo test -p retry")).always("cargo test *"),
        destructive,
    ];
    driver.ask(inquiry(
        "bash",
        "bash wants to run",
        asks,
        bash_card("cargo test -p retry && rm -rf target/tmp"),
    ));
    driver.wait(301);
    driver.press("a");
    let text = driver.text();
    assert!(
        text.contains("[x] cargo test *") && text.contains("[ ] rm *  deletes files"),
        "{text}"
    );
    driver.press("space enter");
    assert_eq!(driver.replies(), [], "nothing is ticked");
    assert!(driver.text().contains("nothing is ticked"));
    driver.press("space s enter");
    let patterns = vec![("bash".to_owned(), "cargo test *".to_owned())];
    assert_eq!(
        driver.replies(),
        [Reply::Always {
            patterns,
            scope: Scope::Project
        }]
    );
}

#[test]
fn no_because_sends_the_reason() {
    let mut driver = Driver::open();
    driver.ask(bash("cargo test", &[]));
    driver.wait(301);
    driver.press("N");
    driver.type_text("use nextest, yes");
    assert!(driver.frame().caret.is_some());
    driver.press("enter");
    assert_eq!(
        driver.replies(),
        [Reply::Reject(Some("use nextest, yes".to_owned()))]
    );
}

#[test]
fn a_question_put_off_waits_and_comes_back() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.ask(bash("cargo test", &[]));
    driver.wait(301);
    driver.press("esc");
    assert!(
        driver.hints().contains("? 1 waiting") && driver.hints().contains("ctrl+x . answers"),
        "{}",
        driver.hints()
    );
    assert!(driver.text().lines().next().unwrap().contains("1 asks"));
    driver.type_text("meanwhile");
    assert!(driver.text().contains("┃ meanwhile"));
    driver.wait(1000);
    driver.press("ctrl+x .");
    driver.wait(301);
    driver.press("y");
    assert_eq!(driver.replies(), [Reply::Once]);
}

#[test]
fn several_questions_queue_oldest_first() {
    let mut driver = Driver::open();
    driver.ask(bash("one", &[]));
    driver.wait(301);
    let second = driver.ask(bash("two", &[]));
    assert!(
        driver.text().contains("1 of 2") && driver.text().contains("$ one"),
        "{}",
        driver.text()
    );
    driver.press("tab");
    assert!(
        driver.text().contains("2 of 2") && driver.text().contains("$ two"),
        "{}",
        driver.text()
    );
    driver.wait(301);
    driver.event(Event::Settled(SettledQuestion {
        id: second.id,
        call: second.inquiry.call.clone(),
        tool: "bash".to_owned(),
        asked: Vec::new(),
        reply: Reply::Withdrawn,
    }));
    assert!(
        driver.text().contains("$ one") && !driver.text().contains(" of "),
        "{}",
        driver.text()
    );
    driver.press("y");
    assert_eq!(driver.replies(), [], "the one that follows is deaf at first, too");
}

#[test]
fn nothing_can_hide_in_a_command() {
    let mut driver = Driver::open();
    driver.ask(bash("true \u{1b}]0;; rm -rf ~\u{7}", &[]));
    assert!(
        driver.text().contains("$ true ⟨U+001B⟩]0;; rm -rf ~⟨U+0007⟩"),
        "{}",
        driver.text()
    );
}

#[test]
fn the_leader_table_appears_when_one_hesitates() {
    let mut driver = Driver::open();
    driver.press("ctrl+x");
    assert!(!driver.text().contains("queue the draft"));
    assert_eq!(driver.wait(400), Change::Urgent);
    assert!(driver.text().contains("queue the draft"), "{}", driver.text());
    driver.press("esc");
    assert!(!driver.text().contains("queue the draft"));
}

#[test]
fn question_mark_shows_the_keys_only_without_text() {
    let mut driver = Driver::open();
    driver.press("?");
    assert!(driver.text().contains("Composer"), "{}", driver.text());
    driver.press("?");
    driver.type_text("why?");
    assert!(driver.text().contains("┃ why?"));
}

#[test]
fn a_light_terminal_gets_the_light_theme() {
    let mut driver = Driver::open();
    let dark = driver.app.theme.id();
    assert_eq!(driver.app.set_background(Background::Light), Change::Urgent);
    assert_ne!(driver.app.theme.id(), dark);
    assert_eq!(driver.app.set_background(Background::Light), Change::None);
}

#[test]
fn figures_come_with_each_request() {
    let mut driver = Driver::open();
    let usage = Usage {
        input: 60_000,
        output: 8_000,
        ..Usage::default()
    };
    let model = ModelRef {
        provider: "local".to_owned(),
        model: "test-model".to_owned(),
    };
    driver.event(Event::Usage(RequestUsage {
        usage,
        cost: Some(0.42),
        model,
    }));
    assert!(
        driver.text().lines().next().unwrap().ends_with("◑ 34% · $0.42"),
        "{}",
        driver.text()
    );
}
