//! A transcript with a clock and a screen of its own.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::{Value, json};

use crate::conversation::sample::message;
use crate::conversation::{
    CallId, CallResult, CallState, Message, MessageId, MessageState, Part, PartBody, ReasoningPart, Role,
    Stop, TextPart, ToolPart,
};
use crate::session::{CallUpdate, Event, TurnEndReason};
use crate::tool::harness::Harness;
use crate::tool::{DrawnArgs, RenderCx, ResultSource};
use crate::tui::transcript::cards::CardSource;
use crate::tui::transcript::{DrawCx, RedrawUrgency, Transcript, TurnActivity};
use crate::view::card::{Card, CardPart, Code, DiffBody, Fact, FileTarget};
use crate::view::highlight::Highlighter;
use crate::view::theme::Theme;
use crate::view::{Look, Symbols};

pub(super) struct Scene {
    pub(super) transcript: Transcript,
    pub(super) now: Instant,
    pub(super) symbols: Symbols,
    theme: Theme,
    highlighter: Highlighter,
    message: MessageId,
    seq: u64,
}

impl Default for Scene {
    fn default() -> Self {
        let mut transcript = Transcript::new();
        transcript.set_cards(Arc::new(Tools));
        Self {
            transcript,
            now: Instant::now(),
            symbols: Symbols::Unicode,
            theme: Theme::default(),
            highlighter: Highlighter::plain(),
            message: MessageId::new(),
            seq: 0,
        }
    }
}

impl Scene {
    pub(super) fn apply(&mut self, event: &Event) -> RedrawUrgency {
        self.transcript.apply(event, self.now)
    }

    pub(super) fn wait(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
    }

    /// Returns what the status line says.
    pub(super) fn activity(&self) -> Option<TurnActivity> {
        Some(self.transcript.progress(self.now)?.activity)
    }

    pub(super) fn after(&self, millis: u64) -> Instant {
        self.now + Duration::from_millis(millis)
    }

    /// The person's message, and the beginning of a turn.
    pub(super) fn says(&mut self, text: &str) {
        let message = user(text);
        self.apply(&Event::MessageStarted(Arc::new(message)));
        self.apply(&Event::TurnStarted);
        self.reply();
    }

    /// The next parts belong to a new reply.
    pub(super) fn reply(&mut self) -> MessageId {
        self.message = MessageId::new();
        self.message.clone()
    }

    /// Begins a part and returns its number.
    pub(super) fn part(&mut self, body: PartBody) -> u64 {
        self.seq += 1;
        let part = Part { seq: self.seq, body };
        self.apply(&Event::PartStarted {
            message: self.message.clone(),
            part,
        });
        self.seq
    }

    pub(super) fn text_part(&mut self) -> u64 {
        self.part(PartBody::Text(TextPart::default()))
    }

    pub(super) fn delta(&mut self, part: u64, delta: &str) -> RedrawUrgency {
        let message = self.message.clone();
        self.apply(&Event::Delta {
            message,
            part,
            delta: delta.to_owned(),
        })
    }

    pub(super) fn end_part(&mut self, part: u64, body: PartBody) {
        let message = self.message.clone();
        self.apply(&Event::PartEnded {
            message,
            part: Part { seq: part, body },
        });
    }

    /// A whole text of the model.
    pub(super) fn answers(&mut self, text: &str) {
        let part = self.text_part();
        self.delta(part, text);
        self.end_part(
            part,
            PartBody::Text(TextPart {
                text: text.to_owned(),
                native: None,
            }),
        );
    }

    /// Reasoning that took this long.
    pub(super) fn reasons(&mut self, text: &str, millis: u64) {
        let part = self.part(PartBody::Reasoning(ReasoningPart::default()));
        self.delta(part, text);
        self.wait(millis);
        self.end_part(
            part,
            PartBody::Reasoning(ReasoningPart {
                text: text.to_owned(),
                native: None,
            }),
        );
    }

    /// A call whose arguments have streamed.
    pub(super) fn calls(&mut self, tool: &str, args: &Value) -> CallId {
        let call = CallId::new();
        let mut part = tool_part(&call, tool);
        let seq = self.part(PartBody::Tool(part.clone()));
        self.delta(seq, &args.to_string());
        part.raw_args = args.to_string();
        self.end_part(seq, PartBody::Tool(part));
        self.apply(&Event::CallReady {
            call: call.clone(),
            tool: tool.to_owned(),
            args: args.clone(),
        });
        call
    }

    /// A call inside another.
    pub(super) fn inside(&mut self, outer: &CallId, number: usize, tool: &str, args: &Value) -> CallId {
        let call = outer.inner(number);
        self.apply(&Event::CallReady {
            call: call.clone(),
            tool: tool.to_owned(),
            args: args.clone(),
        });
        call
    }

    pub(super) fn runs(&mut self, call: &CallId) {
        self.apply(&Event::CallRunning { call: call.clone() });
    }

    pub(super) fn prints(&mut self, call: &CallId, text: &str) {
        let update = CallUpdate {
            delta: Some(text.to_owned()),
            ..CallUpdate::default()
        };
        self.apply(&Event::CallUpdate {
            call: call.clone(),
            update,
        });
    }

    pub(super) fn ends(&mut self, call: &CallId, tool: &str, result: CallResult) {
        self.apply(&Event::CallEnded {
            call: call.clone(),
            tool: tool.to_owned(),
            result: result.into(),
        });
    }

    /// A call from its arguments to its result.
    pub(super) fn ran(&mut self, tool: &str, args: &Value, result: CallResult) -> CallId {
        let call = self.calls(tool, args);
        self.runs(&call);
        self.ends(&call, tool, result);
        call
    }

    pub(super) fn reply_ends(&mut self, state: MessageState, stop: Option<Stop>) {
        let message = self.message.clone();
        self.apply(&Event::MessageEnded {
            message,
            state,
            stop,
            dropped: Vec::new(),
        });
    }

    pub(super) fn turn_ends(&mut self, done: TurnEndReason) {
        self.reply_ends(MessageState::Complete, Some(Stop::End));
        self.apply(&Event::TurnEnded(done));
    }

    /// Draws until everything on screen is laid out.
    pub(super) fn draw(&mut self, width: u16, height: u16) -> Buffer {
        let mut buffer = self.draw_frame(width, height);
        while self.transcript.is_behind() {
            buffer = self.draw_frame(width, height);
        }
        buffer
    }

    pub(super) fn draw_frame(&mut self, width: u16, height: u16) -> Buffer {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        self.draw_in(area, &mut buffer, true);
        buffer
    }

    pub(super) fn draw_in(&mut self, area: Rect, buffer: &mut Buffer, focused: bool) {
        let look = Look {
            theme: &self.theme,
            symbols: self.symbols,
            highlighter: &self.highlighter,
        };
        let cx = DrawCx {
            shows_todos: false,
            look,
            frame: 0,
            now: self.now,
            focused,
            fold_key: "o",
            view_key: "e",
            ask_key: "ctrl+x .",
            end_key: if focused { "ctrl+c" } else { "esc esc" },
        };
        self.transcript.draw(area, buffer, &cx);
    }

    /// Draws and returns the rows without the blanks at their ends.
    pub(super) fn rows(&mut self, width: u16, height: u16) -> Vec<String> {
        rows(&self.draw(width, height))
    }

    pub(super) fn picture(&mut self, width: u16, height: u16) -> String {
        self.rows(width, height).join("\n")
    }
}

pub(super) fn rows(buffer: &Buffer) -> Vec<String> {
    let area = buffer.area;
    let row = |y| {
        let mut text = String::new();
        let mut covered = 0;
        for x in area.left()..area.right() {
            if covered > 0 {
                covered -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            covered = crate::text::width::str_width(symbol).saturating_sub(1);
            text.push_str(symbol);
        }
        text.trim_end().to_owned()
    };
    (area.top()..area.bottom()).map(row).collect()
}

/// A session whose calls are drawn by the tools themselves.
pub(super) fn with_tools() -> (Scene, Harness) {
    let project = Harness::new();
    let mut scene = Scene::default();
    scene.transcript.draw_builtin(crate::tool::BuiltinCards::new());
    scene.says("go");
    (scene, project)
}

pub(super) fn user(text: &str) -> Message {
    Arc::unwrap_or_clone(message(Role::User, text))
}

pub(super) fn tool_part(call: &CallId, tool: &str) -> ToolPart {
    ToolPart {
        call: call.clone(),
        provider_id: None,
        tool: tool.to_owned(),
        raw_args: String::new(),
        args: None,
        state: CallState::Pending,
        result: None,
        native: None,
        inner: Vec::new(),
    }
}

pub(super) fn result(output: &str, details: Value) -> CallResult {
    CallResult {
        ok: true,
        title: String::new(),
        output: output.to_owned(),
        details: details.into(),
        truncated: false,
        output_path: None,
        duration_ms: 140,
        attachments: Vec::new(),
    }
}

/// `count` numbered lines.
pub(super) fn lines(count: usize) -> String {
    let mut text = String::new();
    for line in 1..=count {
        writeln!(text, "line {line}").expect("a string takes everything");
    }
    text
}

pub(super) fn read_args(path: &str) -> Value {
    json!({ "file_path": path })
}

/// Cards like those of the real tools, small enough to know by heart.
pub(super) struct Tools;

impl CardSource for Tools {
    fn card(&self, tool: &str, args: DrawnArgs<'_>, result: Option<ResultSource<'_>>, cx: RenderCx) -> Card {
        let card = call(tool, args);
        match result {
            None => card,
            Some(ResultSource::Running { text, .. }) => tail(card, text, 8),
            Some(ResultSource::Ended(result)) if cx.expanded && result.details.get("diff").is_none() => {
                card.part(CardPart::Text(result.output.clone()))
            }
            Some(ResultSource::Ended(result)) => ended(card, tool, result, cx),
        }
    }
}

fn call(tool: &str, args: DrawnArgs<'_>) -> Card {
    let text = |name| args.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut title = tool.to_owned();
    title[..1].make_ascii_uppercase();
    let card = match text("file_path") {
        Some(path) => Card::of_file(title, FileTarget::given(path)),
        None => Card::new(title, text("command").unwrap_or_default()),
    };
    match text("content") {
        Some(text) => card.part(CardPart::Code(Code {
            text,
            ..Code::default()
        })),
        None => card,
    }
}

fn ended(mut card: Card, tool: &str, result: &CallResult, cx: RenderCx) -> Card {
    let diff = result.details.get("diff").and_then(Value::as_str);
    if let Some(unified) = diff {
        let body = DiffBody {
            path: card.argument.clone(),
            unified: unified.to_owned(),
            max_lines: if cx.expanded { 0 } else { 40 },
            is_unplaced: false,
        };
        return card.meta(Fact::changed(1, 1)).part(CardPart::Diff(body));
    }
    if let Some(exit) = result.details.get("exit").and_then(Value::as_i64) {
        card.look = exit != 0;
        card = if exit == 0 {
            card
        } else {
            card.meta(Fact::Exit(exit as i32))
        };
    }
    match tool {
        "read" => card,
        _ => tail(card, &result.output, 3),
    }
}

fn tail(card: Card, text: &str, kept: usize) -> Card {
    let lines: Vec<&str> = text.lines().collect();
    let above = lines.len().saturating_sub(kept);
    let card = if above == 0 {
        card
    } else {
        card.part(CardPart::Omitted(format!("{above} lines above")))
    };
    if lines.is_empty() {
        card
    } else {
        card.part(CardPart::Text(lines[above..].join("\n")))
    }
}
