//! `--format json`: the events of INTERFACE section 4, one a line, nothing else.

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::{Reporter, UnopenedSession, write_line};
use crate::conversation::{
    CallResult, MessageId, Part, PartBody, SessionId, TaskId, TaskRow, TaskStatus, Usage,
};
use crate::permission::PermissionReply;
use crate::session::{Envelope, ErrorReport, Event, RequestUsage, SettledQuestion, Snapshot, TurnEndReason};

pub(super) struct JsonReporter<W> {
    out: W,
    root: Option<SessionId>,
    /// Kinds of the parts that grow: deltas of arguments are not told.
    kinds: HashMap<(MessageId, u64), &'static str>,
    /// The status of each task that was told last.
    tasks: HashMap<TaskId, TaskStatus>,
    usage: Usage,
    cost: Option<f64>,
}

impl<W: Write> JsonReporter<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            root: None,
            kinds: HashMap::new(),
            tasks: HashMap::new(),
            usage: Usage::default(),
            cost: Some(0.0),
        }
    }

    fn line(&mut self, kind: &str, session: &SessionId, fields: Value) -> io::Result<()> {
        let mut line = Map::new();
        line.insert("type".to_owned(), Value::from(kind));
        line.insert("session".to_owned(), Value::from(session.as_str()));
        if let Value::Object(fields) = fields {
            line.extend(fields);
        }
        write_line(&mut self.out, &Value::Object(line))
    }

    fn delta(&mut self, session: &SessionId, message: &MessageId, part: u64, delta: &str) -> io::Result<()> {
        let Some(kind) = self.kinds.get(&(message.clone(), part)).copied() else {
            return Ok(());
        };
        self.line(kind, session, json!({ "message": message, "delta": delta }))
    }

    fn begin_part(&mut self, message: &MessageId, part: &Part) {
        let kind = match part.body {
            PartBody::Text(_) => "text",
            PartBody::Reasoning(_) => "reasoning",
            _ => return,
        };
        self.kinds.insert((message.clone(), part.seq), kind);
    }

    fn usage(&mut self, session: &SessionId, request: &RequestUsage) -> io::Result<()> {
        self.usage += request.usage;
        self.cost = self.cost.zip(request.cost).map(|(sum, cost)| sum + cost);
        let mut fields = usage_fields(&request.usage, request.cost);
        fields["model"] = Value::from(request.model.to_string());
        self.line("usage", session, fields)
    }

    /// Tells a task whose status is another than before; what it does meanwhile is told by its own session's events.
    fn task(&mut self, session: &SessionId, task: &TaskRow) -> io::Result<()> {
        if self.tasks.insert(task.task.clone(), task.status) == Some(task.status) {
            return Ok(());
        }
        let mut fields = json!({
            "task": task.task,
            "session_id": task.session,
            "parent": task.parent,
            "agent": task.agent,
            "description": task.description,
            "status": task.status,
        });
        if let Some(tree) = &task.worktree {
            fields["worktree"] = Value::from(tree.path.as_str());
        }
        self.line("task", session, fields)
    }

    fn error(&mut self, session: &SessionId, report: &ErrorReport) -> io::Result<()> {
        let mut fields = json!({ "message": report.message, "kind": report.kind });
        if let Some(hint) = &report.hint {
            fields["hint"] = Value::from(hint.as_str());
        }
        self.line("error", session, fields)
    }

    fn write_settled(&mut self, session: &SessionId, settled: &SettledQuestion) -> io::Result<()> {
        let Some(permission) = &settled.permission else {
            return Ok(());
        };
        let reply = match &permission.reply {
            PermissionReply::Once => "once",
            PermissionReply::Always { .. } => "always",
            PermissionReply::Reject(_) | PermissionReply::Nobody => "reject",
            PermissionReply::Withdrawn | PermissionReply::Revised(_) => return Ok(()),
        };
        for (key, patterns) in &permission.asked {
            let fields = json!({
                "call": settled.call,
                "tool": permission.tool,
                "permission": key,
                "patterns": patterns,
                "reply": reply,
            });
            self.line("permission", session, fields)?;
        }
        Ok(())
    }
}

impl<W: Write> Reporter for JsonReporter<W> {
    fn begin(&mut self, snapshot: &Snapshot) -> io::Result<()> {
        let info = &snapshot.info;
        self.root = Some(info.id.clone());
        let fields = json!({
            "model": info.model.to_string(),
            "agent": info.agent,
            "cwd": info.directory.to_string_lossy(),
        });
        self.line("session", &info.id, fields)
    }

    fn report(&mut self, report: &ErrorReport) -> io::Result<()> {
        match self.root.clone() {
            Some(root) => self.error(&root, report),
            None => Ok(()),
        }
    }

    fn left_out(&mut self, report: &ErrorReport) -> io::Result<()> {
        self.report(report)
    }

    fn event(&mut self, envelope: &Envelope) -> io::Result<()> {
        let session = &envelope.session;
        match &envelope.event {
            Event::PartStarted { message, part } => {
                self.begin_part(message, part);
                Ok(())
            }
            Event::Delta { message, part, delta } => self.delta(session, message, *part, delta),
            Event::CallReady { call, tool, args } => self.line(
                "tool_call",
                session,
                json!({ "call": call, "tool": tool, "args": args }),
            ),
            // Details alone are for the eye.
            Event::CallUpdate { update, .. } if update.title.is_none() && update.delta.is_none() => Ok(()),
            Event::CallUpdate { call, update } => {
                let mut fields = json!({ "call": call });
                if let Some(title) = &update.title {
                    fields["title"] = Value::from(title.as_str());
                }
                if let Some(delta) = &update.delta {
                    fields["delta"] = Value::from(delta.as_str());
                }
                self.line("tool_update", session, fields)
            }
            Event::CallEnded { call, tool, result } => {
                let mut fields = json!({ "call": call, "tool": tool });
                add_result(&mut fields, &result.get());
                self.line("tool_result", session, fields)
            }
            Event::Settled(settled) => self.write_settled(session, settled),
            Event::Retry(retry) => {
                let fields = json!({
                    "attempt": retry.attempt,
                    "delay_ms": retry.delay_ms,
                    "reason": retry.reason,
                });
                self.line("retry", session, fields)
            }
            Event::Context(report) => self.line("context", session, json!(report)),
            Event::Task(task) => self.task(session, task),
            Event::Usage(request) => self.usage(session, request),
            Event::Error(report) => self.error(session, report),
            Event::MessageStarted(_)
            | Event::MessageEnded { .. }
            | Event::PartEnded { .. }
            | Event::CallRunning { .. }
            | Event::Asked(_)
            | Event::Preparing
            | Event::TurnStarted
            | Event::TurnEnded(_)
            | Event::Queue(_)
            | Event::Unqueued { .. }
            | Event::Todos(_)
            | Event::Title(_)
            | Event::Branch(_)
            | Event::Model(_)
            | Event::Window(_)
            | Event::Agent(_)
            | Event::Mode(_)
            | Event::AllowsEdits(_)
            | Event::Answer(_)
            | Event::Notice(_)
            | Event::Hook(_)
            | Event::Grants(_)
            | Event::Terminals(_)
            | Event::Refused(_)
            | Event::Summarising(_)
            | Event::Restored(_)
            | Event::SummaryDrafted(_)
            | Event::Unread { .. } => Ok(()),
        }
    }

    fn end(&mut self, done: TurnEndReason, denied: usize) -> io::Result<()> {
        let Some(root) = self.root.clone() else {
            return Ok(());
        };
        let usage = usage_fields(&self.usage, self.cost);
        let fields = json!({ "reason": done, "denied": denied, "usage": usage });
        self.line("done", &root, fields)
    }
}

fn usage_fields(usage: &Usage, cost: Option<f64>) -> Value {
    json!({
        "input": usage.input,
        "output": usage.output,
        "reasoning": usage.reasoning,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "cost": cost,
    })
}

/// Adds the fields of a `tool_result` event.
fn add_result(fields: &mut Value, result: &CallResult) {
    fields["ok"] = Value::from(result.ok);
    fields["title"] = Value::from(result.title.as_str());
    fields["output"] = Value::from(result.output.as_str());
    fields["details"] = result.details.value().into_owned();
    fields["truncated"] = Value::from(result.truncated);
    if let Some(path) = &result.output_path {
        fields["output_path"] = Value::from(path.as_str());
    }
    fields["duration_ms"] = Value::from(result.duration_ms);
}

/// Returns the `tool_result` event of a single call.
pub fn tool_result(
    session: &SessionId,
    call: &crate::conversation::CallId,
    tool: &str,
    result: &CallResult,
) -> Value {
    let mut fields = json!({ "type": "tool_result", "session": session, "call": call, "tool": tool });
    add_result(&mut fields, result);
    fields
}

/// Tells an error that happened before there was a session: the first line names the session that there would have been.
pub(super) fn refuse(
    out: &mut impl Write,
    unopened: &UnopenedSession,
    report: &ErrorReport,
) -> io::Result<()> {
    let mut reporter = JsonReporter::new(out);
    let session = unopened.session.clone().unwrap_or_else(SessionId::new);
    let fields = json!({
        "model": unopened.model.as_ref().map(ToString::to_string),
        "agent": unopened.agent,
        "cwd": unopened.cwd.to_string_lossy(),
    });
    reporter.root = Some(session.clone());
    reporter.line("session", &session, fields)?;
    reporter.error(&session, report)?;
    reporter.end(TurnEndReason::Error, 0)
}
