//! `--format text`: the final answer on stdout, progress on stderr.

use std::io::{self, Write};

use super::Reporter;
use crate::conversation::{CallResult, Part, PartBody, Role};
use crate::session::{Done, Envelope, ErrorReport, Event, SettledQuestion, Snapshot};
use crate::text::sanitize::sanitize;
use crate::text::width::truncate;

/// Columns of a line of progress.
const COLUMNS: usize = 100;

pub(super) struct TextReporter<Out, Err> {
    out: Out,
    err: Err,
    /// The text of the reply under way, by part.
    reply: Vec<(u64, String)>,
    /// Text that stands as the answer beside it.
    answer: Option<String>,
}

impl<Out: Write, Err: Write> TextReporter<Out, Err> {
    pub(super) fn new(out: Out, err: Err) -> Self {
        Self {
            out,
            err,
            reply: Vec::new(),
            answer: None,
        }
    }

    fn progress(&mut self, line: &str) {
        let line = sanitize(line.lines().next().unwrap_or_default()).into_owned();
        self.tell(&truncate(&line, COLUMNS));
    }

    /// A stderr that is closed hears nothing, and the turn goes on.
    fn tell(&mut self, line: &str) {
        let _ = writeln!(self.err, "{line}");
    }

    fn error(&mut self, report: &ErrorReport) {
        self.tell(&format!("lathe: {}", sanitize(&report.message)));
        if let Some(hint) = &report.hint {
            self.tell(&sanitize(hint));
        }
    }

    fn ended_call(&mut self, tool: &str, result: &CallResult) {
        let mark = if result.ok { "●" } else { "✗" };
        self.progress(&format!("{mark} {tool} {}", result.title));
    }

    fn unanswered(&mut self, settled: &SettledQuestion) {
        let asked = settled.permission.iter().flat_map(|permission| &permission.asked);
        let keys: Vec<_> = asked.map(|(key, _)| key.as_str()).collect();
        let keys = keys.join(", ");
        self.progress(&format!("⊘ {keys} was not asked for: nobody is here to allow it"));
    }
}

impl<Out: Write, Err: Write> Reporter for TextReporter<Out, Err> {
    fn begin(&mut self, snapshot: &Snapshot) -> io::Result<()> {
        let info = &snapshot.info;
        self.progress(&format!("lathe · {} · {} · {}", info.model, info.agent, info.id));
        Ok(())
    }

    fn untrusted(&mut self, _: &ErrorReport) -> io::Result<()> {
        Ok(())
    }

    fn left_out(&mut self, report: &ErrorReport) -> io::Result<()> {
        self.error(report);
        Ok(())
    }

    fn event(&mut self, envelope: &Envelope) -> io::Result<()> {
        match &envelope.event {
            Event::MessageStarted(message) if message.role == Role::Assistant => {
                let is_notice = |part: &Part| matches!(part.body, PartBody::Notice(_));
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
            Event::CallEnded { tool, result, .. } => self.ended_call(tool, result),
            Event::Settled(settled) if settled.is_unattended() => self.unanswered(settled),
            Event::Retry(retry) => {
                // What the cut reply had said is void, also when no other follows.
                self.reply.clear();
                self.progress(&format!(
                    "retry {} in {} ms: {}",
                    retry.attempt, retry.delay_ms, retry.reason
                ));
            }
            Event::Error(report) => self.error(report),
            Event::Answer(text) => self.answer = Some(text.clone()),
            Event::Notice(text) => self.progress(text),
            _ => {}
        }
        Ok(())
    }

    /// Writes the last reply's text. It goes to a pipe as often as to a terminal, so control characters never pass.
    fn end(&mut self, done: Done, _: usize) -> io::Result<()> {
        let texts = self.reply.iter().map(|(_, text)| text).chain(&self.answer);
        let texts: Vec<&str> = texts.map(|text| text.trim_end()).collect();
        let answer = texts.join("\n");
        if !answer.is_empty() {
            writeln!(self.out, "{}", sanitize(&answer))?;
            self.out.flush()?;
        }
        match done {
            Done::Length => self.progress("the reply was cut at the model's output limit"),
            Done::MaxSteps => self.progress("stopped: `max_steps` model requests were made in this turn"),
            Done::Cancelled => self.progress("interrupted"),
            Done::Stop | Done::Error => {}
        }
        Ok(())
    }
}
