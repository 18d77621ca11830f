//! Turns events of a session into observations for the scheduler.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use crate::agent::background::{Observation, TurnResult};
use crate::conversation::{CallId, Part, PartBody, Role};
use crate::session::{Event, TurnEndReason};
use crate::tool::{DrawnArgs, Registry, RenderCx};

/// Columns of what a task is said to do.
const TITLE_COLUMNS: usize = 80;

/// Reads the events of one session.
#[derive(Debug, Default)]
pub(super) struct EventReader {
    /// Parts of the reply that are text.
    texts: HashSet<u64>,
    /// Calls that were announced and have not begun.
    calls: HashMap<CallId, (String, u64)>,
}

impl EventReader {
    pub(super) fn read(&mut self, event: &Event, tools: &Registry) -> Option<Observation> {
        Some(match event {
            Event::TurnStarted => Observation::TurnStarted,
            // A message that is whole already is a note of lathe's own.
            Event::MessageStarted(message) if message.role == Role::Assistant && message.parts.is_empty() => {
                self.texts.clear();
                Observation::ReplyStarted
            }
            Event::PartStarted { part, .. } => return self.begin_part(part),
            Event::Delta { part, delta, .. } if self.texts.contains(part) => Observation::Text(delta.clone()),
            Event::MessageEnded { .. } => Observation::ReplyEnded,
            Event::CallReady { call, tool, args } => {
                let entry = (title(tools, tool, args), hash(tool, args));
                self.calls.insert(call.clone(), entry);
                Observation::CallReady(call.clone())
            }
            Event::CallRunning { call } => {
                let (title, hash) = self.calls.remove(call).unwrap_or_default();
                Observation::CallStarted {
                    call: call.clone(),
                    title,
                    hash,
                }
            }
            Event::CallEnded { call, .. } => {
                self.calls.remove(call);
                Observation::CallEnded(call.clone())
            }
            Event::Asked(question) => Observation::Asked {
                question: question.id,
                call: question.call.clone(),
                title: question.title().to_owned(),
            },
            Event::Settled(settled) => Observation::Settled(settled.id),
            Event::Usage(request) => Observation::Usage {
                usage: request.usage,
                cost: request.cost,
            },
            Event::Error(report) => Observation::Error(report.message.clone()),
            Event::TurnEnded(reason) => {
                self.calls.clear();
                Observation::TurnEnded(result(*reason))
            }
            _ => return None,
        })
    }

    fn begin_part(&mut self, part: &Part) -> Option<Observation> {
        if !matches!(part.body, PartBody::Text(_)) {
            return None;
        }
        let is_first = self.texts.is_empty();
        self.texts.insert(part.seq);
        (!is_first).then(|| Observation::Text("\n\n".to_owned()))
    }
}

fn result(reason: TurnEndReason) -> TurnResult {
    match reason {
        TurnEndReason::Stop => TurnResult::Completed,
        TurnEndReason::Length => {
            TurnResult::Failed("its reply was cut at the model's output limit".to_owned())
        }
        TurnEndReason::MaxSteps => {
            TurnResult::Failed("it made as many model requests as a turn may make".to_owned())
        }
        TurnEndReason::Error => TurnResult::Failed("its turn ended with an error".to_owned()),
        TurnEndReason::Cancelled => TurnResult::Cancelled,
    }
}

/// The call as its card names it: `Grep "backoff("`.
fn title(tools: &Registry, tool: &str, args: &Value) -> String {
    let card = tools.render_call(tool, DrawnArgs::whole(args), RenderCx::FOLDED);
    let argument = card.argument.lines().next().unwrap_or_default();
    let title = format!("{} {argument}", card.title);
    crate::text::width::truncate(title.trim_end(), TITLE_COLUMNS).to_string()
}

/// Equal for calls of the same tool with the same arguments.
fn hash(tool: &str, args: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    tool.hash(&mut hasher);
    args.to_string().hash(&mut hasher);
    hasher.finish()
}
