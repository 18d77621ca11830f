//! Events, and all of a session at one instant.

use std::sync::Arc;
use std::time::Duration;

use lathe::conversation::{
    CallId, ErrorKind, MessageId, MessageState, PartBody, Price, SessionId, Stop, TaskActivity, TaskId,
    TaskRow, TaskStatus, TextPart, WorktreeChanges,
};
use lathe::hook::{HookEffect, HookEvent, HookExit, HookRun};
use lathe::permission::{ChosenScopes, Mode, PermissionKey, PermissionReply, Scope};
use lathe::session::{
    AgentChoice, CallUpdate, CommandChoice, ContextReport, ContextReportKind, Envelope, ErrorReport, Event,
    ModelChoice, QueuedKind, QueuedMessage, ReadOnlyReason, ReportKind, RequestUsage, RestoredConversation,
    Retry, SessionInfo, SettledPermission, SettledQuestion, Snapshot, SummaryDraft, TurnEndReason,
};
use lathe::store::{Grant, GrantOrigin, GrantScope};
use serde_json::json;

use super::queries::{form, question};
use super::terminals::terminal;
use super::{EXACT, every, input, message, model, part, question_id, result, round_trip, usage};

fn text() -> PartBody {
    PartBody::Text(TextPart {
        text: String::new(),
        native: None,
    })
}

fn report() -> ErrorReport {
    ErrorReport {
        kind: ReportKind::RateLimit,
        message: "too many".into(),
        hint: Some("wait".into()),
    }
}

fn queued() -> QueuedMessage {
    QueuedMessage {
        id: 1,
        text: "later".into(),
        kind: QueuedKind::Held,
    }
}

fn hook_run() -> HookRun {
    HookRun {
        event: HookEvent::PreToolUse,
        command: "./check".into(),
        source: "settings.json".into(),
        tool: Some("bash".into()),
        started: 1,
        took: Duration::new(1, 234_567_891),
        exit: HookExit::Code(2),
        effect: HookEffect::Denied,
        output: "no".into(),
        messages: vec!["Not that.".into()],
    }
}

fn task() -> TaskRow {
    let session = SessionId::new();
    TaskRow {
        task: TaskId::of(&session),
        session,
        parent: SessionId::new(),
        started_by: "task".into(),
        depth: 2,
        agent: "explore".into(),
        category: Some("quick".into()),
        description: "who calls it".into(),
        model: model(),
        is_background: true,
        status: TaskStatus::Running,
        activity: TaskActivity::WaitingForPerson,
        since: 4,
        now: "git push?".into(),
        calls: 12,
        usage: usage(),
        cost: Some(EXACT),
        created: 1,
        started: Some(2),
        ended: Some(3),
        error: Some("cut".into()),
        failure: Some(ErrorKind::Limit),
        worktree: Some(WorktreeChanges {
            path: "/t".into(),
            additions: 1,
            deletions: 2,
            files: 3,
            submodules: Vec::new(),
        }),
    }
}

fn chosen_scopes() -> ChosenScopes {
    let mut scopes = ChosenScopes::default();
    scopes.choose(&PermissionKey::BASH, Scope::Session);
    scopes
}

fn grant(scope: GrantScope) -> Grant {
    Grant {
        id: 4,
        key: PermissionKey::BASH,
        pattern: "git *".into(),
        scope,
        origin: GrantOrigin {
            session: Some(SessionId::new()),
            title: Some("one".into()),
        },
        created: 5,
    }
}

#[test]
fn every_event_is_data() {
    let (id, call) = (MessageId::new(), CallId::new());
    every!(Event {
        Event::MessageStarted(_) => Event::MessageStarted(Arc::new(message()));
        Event::PartStarted { .. } => Event::PartStarted { message: id.clone(), part: part(text()) };
        Event::Delta { .. } => Event::Delta { message: id.clone(), part: 9, delta: "é".into() };
        Event::PartEnded { .. } => Event::PartEnded { message: id.clone(), part: part(text()) };
        Event::MessageEnded { .. } => Event::MessageEnded {
            message: id.clone(),
            state: MessageState::Cut,
            stop: Some(Stop::Length),
            dropped: vec![3],
        };
        Event::CallReady { .. } => Event::CallReady {
            call: call.clone(),
            tool: "read".into(),
            args: json!({"b": EXACT, "a": null}),
        };
        Event::CallRunning { .. } => Event::CallRunning { call: call.inner(2) };
        Event::CallUpdate { .. } => Event::CallUpdate {
            call: call.clone(),
            update: CallUpdate {
                title: Some("t".into()),
                delta: None,
                details: Some(json!({"lines": 3})),
            },
        };
        Event::CallEnded { .. } => Event::CallEnded {
            call: call.clone(),
            tool: "read".into(),
            result: result().into(),
        };
        Event::Asked(_) => Event::Asked(Arc::new(question()));
        Event::Settled(_) => Event::Settled(SettledQuestion {
            id: question_id(),
            call: call.clone(),
            permission: Some(SettledPermission {
                tool: "bash".into(),
                asked: vec![(PermissionKey::BASH, vec!["ls".into()])],
                reply: PermissionReply::Nobody,
            }),
        });
        Event::Task(_) => Event::Task(Arc::new(task()));
        Event::Terminals(_) => Event::Terminals(Arc::new(vec![terminal()]));
        Event::Retry(_) => Event::Retry(Retry {
            most: 5,
            attempt: 1,
            delay_ms: 500,
            reason: "cut".into(),
            voided: Some(id.clone()),
        });
        Event::Context(_) => Event::Context(ContextReport {
            kind: ContextReportKind::Compacted,
            before: 9,
            after: 4,
            covers_to: Some(id.clone()),
            cause: Some("why".into()),
            cost: Some(EXACT),
        });
        Event::Restored(_) => Event::Restored(Arc::new(RestoredConversation {
            messages: vec![Arc::new(message())],
            todos: vec![json!({"content": "a"})],
            draft: "again".into(),
            context_used: 7,
        }));
        Event::Summarising(_) => Event::Summarising(true);
        Event::SummaryDrafted(_) => Event::SummaryDrafted(Arc::new(SummaryDraft {
            summary: "## Goal".into(),
            before: 9,
            after: 4,
        }));
        Event::Usage(_) => Event::Usage(RequestUsage { context_used: Some(7), usage: usage(), cost: Some(EXACT), model: model() });
        Event::Error(_) => Event::Error(report());
        Event::Preparing => Event::Preparing;
        Event::TurnStarted => Event::TurnStarted;
        Event::TurnEnded(_) => Event::TurnEnded(TurnEndReason::MaxSteps);
        Event::Queue(_) => Event::Queue(vec![queued()]);
        Event::Unqueued { .. } =>
            Event::Unqueued { id: 1, input: Some(Arc::new(input())) },
            Event::Unqueued { id: 1, input: None };
        Event::Todos(_) => Event::Todos(vec![json!({"content": "a"})]);
        Event::Branch(_) => Event::Branch(Some("main".into()));
        Event::Title(_) => Event::Title("one".into());
        Event::Model(_) => Event::Model(model());
        Event::Window(_) => Event::Window(32_768);
        Event::Agent(_) => Event::Agent("plan".into());
        Event::AllowsEdits(_) => Event::AllowsEdits(true);
        Event::Mode(_) => Event::Mode(Mode::Yolo);
        Event::Answer(_) => Event::Answer("42".into());
        Event::Notice(_) => Event::Notice("Well.".into());
        Event::Hook(_) => Event::Hook(Arc::new(hook_run()));
        Event::Grants(_) => Event::Grants(Arc::new(vec![grant(GrantScope::Global)]));
        Event::Refused(_) => Event::Refused(Arc::new(input()));
        Event::Unread { .. } => Event::Unread {
            input: Arc::new(input()),
            report: report(),
            why: "gone".into(),
        };
    });
    round_trip(&Envelope {
        seq: 7,
        session: SessionId::new(),
        event: Event::TurnStarted,
    });
}

#[test]
fn what_events_are_made_of_is_data() {
    every!(TurnEndReason {
        TurnEndReason::Stop => TurnEndReason::Stop;
        TurnEndReason::Length => TurnEndReason::Length;
        TurnEndReason::Error => TurnEndReason::Error;
        TurnEndReason::Cancelled => TurnEndReason::Cancelled;
        TurnEndReason::MaxSteps => TurnEndReason::MaxSteps;
    });
    every!(QueuedKind {
        QueuedKind::Steer => QueuedKind::Steer;
        QueuedKind::Queue => QueuedKind::Queue;
        QueuedKind::Held => QueuedKind::Held;
    });
    every!(ReportKind {
        ReportKind::Config => ReportKind::Config;
        ReportKind::Auth => ReportKind::Auth;
        ReportKind::RateLimit => ReportKind::RateLimit;
        ReportKind::Overloaded => ReportKind::Overloaded;
        ReportKind::Network => ReportKind::Network;
        ReportKind::Context => ReportKind::Context;
        ReportKind::BadRequest => ReportKind::BadRequest;
        ReportKind::BadResponse => ReportKind::BadResponse;
        ReportKind::Refused => ReportKind::Refused;
        ReportKind::Untrusted => ReportKind::Untrusted;
        ReportKind::Storage => ReportKind::Storage;
        ReportKind::Budget => ReportKind::Budget;
        ReportKind::Hook => ReportKind::Hook;
        ReportKind::Internal => ReportKind::Internal;
    });
    every!(TaskStatus {
        TaskStatus::Queued => TaskStatus::Queued;
        TaskStatus::Running => TaskStatus::Running;
        TaskStatus::Completed => TaskStatus::Completed;
        TaskStatus::Failed => TaskStatus::Failed;
        TaskStatus::Cancelled => TaskStatus::Cancelled;
        TaskStatus::Interrupted => TaskStatus::Interrupted;
    });
    every!(TaskActivity {
        TaskActivity::Working => TaskActivity::Working;
        TaskActivity::WaitingForModel => TaskActivity::WaitingForModel;
        TaskActivity::WaitingForPerson => TaskActivity::WaitingForPerson;
        TaskActivity::WaitingForTasks => TaskActivity::WaitingForTasks;
        TaskActivity::Stalled => TaskActivity::Stalled;
    });
    every!(HookEvent {
        HookEvent::PreToolUse => HookEvent::PreToolUse;
        HookEvent::PostToolUse => HookEvent::PostToolUse;
        HookEvent::UserPromptSubmit => HookEvent::UserPromptSubmit;
        HookEvent::PreCompact => HookEvent::PreCompact;
        HookEvent::Stop => HookEvent::Stop;
        HookEvent::SubagentStop => HookEvent::SubagentStop;
        HookEvent::SessionStart => HookEvent::SessionStart;
        HookEvent::SessionEnd => HookEvent::SessionEnd;
        HookEvent::Notification => HookEvent::Notification;
    });
    every!(HookExit {
        HookExit::Code(_) => HookExit::Code(-1);
        HookExit::Signal(_) => HookExit::Signal(9);
        HookExit::TimedOut => HookExit::TimedOut;
        HookExit::Cancelled => HookExit::Cancelled;
        HookExit::NotStarted => HookExit::NotStarted;
    });
    every!(HookEffect {
        HookEffect::Nothing => HookEffect::Nothing;
        HookEffect::Added => HookEffect::Added;
        HookEffect::Allowed => HookEffect::Allowed;
        HookEffect::Changed => HookEffect::Changed;
        HookEffect::Warned => HookEffect::Warned;
        HookEffect::Asked => HookEffect::Asked;
        HookEffect::Continued => HookEffect::Continued;
        HookEffect::Denied => HookEffect::Denied;
        HookEffect::Stopped => HookEffect::Stopped;
    });
    every!(GrantScope {
        GrantScope::Session(_) => GrantScope::Session(SessionId::new());
        GrantScope::Project(_) => GrantScope::Project("/p".into());
        GrantScope::Global => GrantScope::Global;
    });
}

#[test]
fn a_reason_to_be_read_only_is_data() {
    every!(ReadOnlyReason {
        ReadOnlyReason::OpenIn(_) => ReadOnlyReason::OpenIn("process 1".into());
        ReadOnlyReason::DirectoryGone(_) => ReadOnlyReason::DirectoryGone("/p/ü".into());
    });
}

#[test]
fn a_snapshot_is_data() {
    round_trip(&Snapshot {
        seq: 7,
        info: info(),
        messages: vec![Arc::new(message())],
        questions: vec![Arc::new(question()), Arc::new(form())],
        tasks: vec![Arc::new(task())],
        terminals: vec![terminal()],
        queue: vec![queued()],
        todos: vec![json!({"content": "a", "n": EXACT})],
        busy: true,
        draft: "begun".into(),
    });
}

fn info() -> SessionInfo {
    SessionInfo {
        id: SessionId::new(),
        title: "one".into(),
        agent: "build".into(),
        agents: vec![AgentChoice {
            name: "own".into(),
            description: String::new(),
            model: Some(model()),
            tools: vec![("web*".into(), false)],
            rules: vec!["asks".into()],
            sources: vec!["/c/agents/own.md".into()],
        }],
        model: model(),
        models: vec![ModelChoice {
            model: model(),
            protocol: "openai-chat".into(),
            address: "http://127.0.0.1/v1".into(),
            missing_key: Some("X_API_KEY".into()),
            context: 1,
            output: 2,
            images: true,
            pdf: false,
            reasoning: true,
            price: Some(Price {
                input: EXACT,
                output: 0.1,
                cache_read: 0.0,
                cache_write: 1e-7,
            }),
        }],
        commands: vec![CommandChoice {
            name: "look".into(),
            description: "d".into(),
            argument_hint: "[path]".into(),
            text: "Look.\n".into(),
        }],
        mode: Mode::Plan,
        directory: "/p/ü".into(),
        context_limit: Some(200_000),
        context_used: 3,
        usage: usage(),
        cost: Some(EXACT),
        read_only: Some(ReadOnlyReason::OpenIn("process 1".into())),
        model_problem: Some("gone".into()),
        demo: false,
        allows_edits: true,
        scopes: chosen_scopes(),
        surroundings: lathe::session::Surroundings {
            branch: Some("main".into()),
            instructions: vec![lathe::session::InstructionFile {
                path: "AGENTS.md".into(),
                tokens: 120,
            }],
            newest: Some(lathe::session::EarlierSession {
                title: "fix it".into(),
                updated: 5,
            }),
        },
    }
}
