//! `--format text`: the final answer on stdout, progress on stderr.

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::Value;

use super::Reporter;
use super::task_lines::TaskLines;
use crate::conversation::{CallId, CallResult, Part, PartBody, Role, SessionId};
use crate::session::{
    ContextReport, ContextReportKind, Envelope, ErrorReport, Event, Retry, SettledQuestion, Snapshot,
    TurnEndReason,
};
use crate::text::sanitize::{sanitize, sanitize_line};
use crate::text::size::short_count;
use crate::text::width::truncate;
use crate::tool::{BuiltinCards, DrawnArgs, RenderCx};
use crate::view::Symbols;
use crate::view::card::{Card, CardPart};

/// Columns of a line of progress.
const COLUMNS: usize = 100;
/// Columns of the words that name a call, where there is something to say about its end.
const NAME_COLUMNS: usize = 50;

pub(super) struct TextReporter<Out, Err> {
    out: Out,
    err: Err,
    cards: BuiltinCards,
    calls: HashMap<CallId, AnnouncedCall>,
    /// The text of the reply under way, by part.
    reply: Vec<(u64, String)>,
    /// Text that stands as the answer beside it.
    answer: Option<String>,
    root: Option<SessionId>,
    tasks: TaskLines,
}

/// A call that was announced and has not ended.
struct AnnouncedCall {
    /// The words by which a person would name it; empty where there are none.
    name: String,
    /// The keys that nobody was there to allow.
    refused: Vec<String>,
}

impl<Out: Write, Err: Write> TextReporter<Out, Err> {
    pub(super) fn new(out: Out, err: Err, cards: BuiltinCards) -> Self {
        Self {
            out,
            err,
            cards,
            calls: HashMap::new(),
            reply: Vec::new(),
            answer: None,
            root: None,
            tasks: TaskLines::default(),
        }
    }

    fn progress(&mut self, line: &str) {
        let line = sanitize(line.lines().next().unwrap_or_default()).into_owned();
        self.print_status(&truncate(&line, COLUMNS));
    }

    /// A stderr that is closed hears nothing, and the turn goes on.
    fn print_status(&mut self, line: &str) {
        let _ = writeln!(self.err, "{line}");
    }

    fn error(&mut self, report: &ErrorReport) {
        self.print_status(&format!("lathe: {}", sanitize(&report.message)));
        if let Some(hint) = &report.hint {
            self.print_status(&sanitize(hint));
        }
    }

    fn began_call(&mut self, id: &CallId, tool: &str, args: &Value) {
        let cx = RenderCx::FOLDED;
        let card = self.cards.card(tool, DrawnArgs::whole(args), None, cx);
        let (name, refused) = (name(&card), Vec::new());
        self.calls.insert(id.clone(), AnnouncedCall { name, refused });
    }

    /// One line a call: its state, its name, and where it did not end well, why. What became of a task is told by its own
    /// lines.
    fn ended_call(&mut self, session: &SessionId, id: &CallId, tool: &str, result: &CallResult) {
        let who = self.tasks.agents(session);
        let call = self.calls.remove(id);
        if self.tasks.is_start(session, tool, result) {
            return;
        }
        let (name, refused) = call.map(|call| (call.name, call.refused)).unwrap_or_default();
        let why = match refused.as_slice() {
            [] if result.ok => String::new(),
            [] => result.title.clone(),
            [key] if key == tool => "nobody is here to allow it".to_owned(),
            keys => format!("nobody is here to allow {}", keys.join(", ")),
        };
        let mark = Symbols::Unicode.status(result.state().into(), 0);
        let line = match (name.is_empty(), why.is_empty()) {
            (true, true) => format!("{mark} {tool} {}", result.title),
            (true, false) => format!("{mark} {tool} · {why}"),
            (false, true) => format!("{mark} {tool} {name}"),
            (false, false) => format!(
                "{mark} {tool} {} · {why}",
                truncate(&sanitize_line(&name), NAME_COLUMNS)
            ),
        };
        self.progress(&format!("{who}{line}"));
    }

    /// Tells what holds a task up, and what hooks say in it.
    fn task_event(&mut self, envelope: &Envelope) {
        let line = match &envelope.event {
            Event::Retry(retry) => retry_line(retry),
            Event::Notice(text) => text.clone(),
            _ => return,
        };
        let who = self.tasks.agents(&envelope.session);
        self.progress(&format!("{who}{line}"));
    }

    /// Keeps what nobody was there to allow for the line of its call; what is no call has one of its own.
    fn unanswered(&mut self, settled: &SettledQuestion) {
        let asked = settled.permission.iter().flat_map(|permission| &permission.asked);
        let keys = asked.map(|(key, _)| key.to_string());
        if let Some(call) = self.calls.get_mut(&settled.call) {
            call.refused.extend(keys);
            return;
        }
        let keys: Vec<_> = keys.collect();
        let keys = keys.join(", ");
        self.progress(&format!("⊘ {keys} denied: nobody is here to allow it"));
    }
}

impl<Out: Write, Err: Write> Reporter for TextReporter<Out, Err> {
    fn begin(&mut self, snapshot: &Snapshot) -> io::Result<()> {
        let info = &snapshot.info;
        self.root = Some(info.id.clone());
        self.progress(&format!("lathe · {} · {} · {}", info.model, info.agent, info.id));
        Ok(())
    }

    fn report(&mut self, _: &ErrorReport) -> io::Result<()> {
        Ok(())
    }

    fn left_out(&mut self, report: &ErrorReport) -> io::Result<()> {
        self.error(report);
        Ok(())
    }

    fn event(&mut self, envelope: &Envelope) -> io::Result<()> {
        match &envelope.event {
            Event::CallReady { call, tool, args } => self.began_call(call, tool, args),
            Event::CallEnded { call, tool, result } => {
                self.ended_call(&envelope.session, call, tool, &result.get());
            }
            Event::Settled(settled) if settled.is_unattended() => self.unanswered(settled),
            Event::Task(task) => {
                if let Some(line) = self.tasks.note(task) {
                    self.progress(&line);
                }
            }
            // What a task says is not the answer; how it ends is told with its row.
            _ if self.root.as_ref() != Some(&envelope.session) => self.task_event(envelope),
            Event::MessageStarted(message) if message.role == Role::Assistant => {
                let is_notice = |part: &Part| matches!(part.body, PartBody::Notice(_) | PartBody::Context(_));
                if !message.parts.iter().any(is_notice) {
                    self.reply.clear();
                }
            }
            Event::PartStarted { part, .. } if matches!(part.body, PartBody::Text(_)) => {
                self.reply.push((part.seq, String::new()));
            }
            Event::Delta { part, delta, .. } => {
                if let Some((_, text)) = self.reply.iter_mut().find(|(seq, _)| seq == part) {
                    text.push_str(delta);
                }
            }
            Event::Retry(retry) => {
                // What the cut reply had said is void, also when no other follows.
                self.reply.clear();
                self.progress(&retry_line(retry));
            }
            Event::Error(report) => self.error(report),
            Event::Context(report) => {
                if let Some(words) = context_line(report) {
                    self.progress(&words);
                }
            }
            Event::Answer(text) => self.answer = Some(text.clone()),
            Event::Notice(text) => self.progress(text),
            _ => {}
        }
        Ok(())
    }

    /// Writes the last reply's text. It goes to a pipe as often as to a terminal, so control characters never pass.
    fn end(&mut self, done: TurnEndReason, _: usize) -> io::Result<()> {
        let texts = self.reply.iter().map(|(_, text)| text).chain(&self.answer);
        let texts: Vec<&str> = texts.map(|text| text.trim_end()).collect();
        let answer = texts.join("\n");
        if !answer.is_empty() {
            writeln!(self.out, "{}", sanitize(&answer))?;
            self.out.flush()?;
        }
        match done {
            TurnEndReason::Length => self.progress("the reply was cut at the model's output limit"),
            TurnEndReason::MaxSteps => {
                self.progress("stopped: `max_steps` model requests were made in this turn");
            }
            TurnEndReason::Cancelled => self.progress("interrupted"),
            TurnEndReason::Stop if answer.is_empty() => self.progress("the model said nothing"),
            TurnEndReason::Stop | TurnEndReason::Error => {}
        }
        Ok(())
    }
}

/// Tells of a change of what the model is sent; what a cache has to read anew is of interest to scripts alone.
fn context_line(report: &ContextReport) -> Option<String> {
    let (before, after) = (short_count(report.before), short_count(report.after));
    match report.kind {
        ContextReportKind::Masked => Some(format!("old outputs masked: from {before} to {after} tokens")),
        ContextReportKind::Compacted => {
            Some(format!("conversation compacted from {before} to {after} tokens"))
        }
        ContextReportKind::Failed => {
            let cause = report.cause.as_deref().unwrap_or_default();
            Some(format!("the conversation was not compacted: {cause}"))
        }
        ContextReportKind::Miss => None,
    }
}

/// The first line of the words that name a call, with a sign where there are more.
fn name(card: &Card) -> String {
    let mut lines = card.argument.trim().lines();
    let first = lines.next().unwrap_or_default();
    // The card of a command of several lines has the first as its argument and all of them as its body.
    let goes_on = match card.body.first() {
        Some(CardPart::Code(code)) => {
            code.text.trim_start().starts_with(first) && code.text.lines().count() > 1
        }
        _ => false,
    };
    if lines.next().is_some() || goes_on && !first.is_empty() {
        format!("{first} …")
    } else {
        first.to_owned()
    }
}

fn retry_line(retry: &Retry) -> String {
    format!(
        "retry {} in {} ms: {}",
        retry.attempt, retry.delay_ms, retry.reason
    )
}
