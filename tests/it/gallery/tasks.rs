//! Exhibits of tasks and of the task board. A task takes a session, so its results are written as the session would store
//! them.

use lathe::conversation::CallResult;
use serde_json::{Value, json};

use super::{Exhibit, Stored};

const TASK: &str = "tsk_01m8a8htzse4mtr26bf3jnqzs4";

/// Details of a task in a state.
fn details(status: &str, more: &Value) -> Value {
    let mut details = json!({
        "task_id": TASK, "session_id": TASK.replace("tsk_", "ses_"), "agent": "explore", "model": {"provider": "local", "model": "m"},
        "status": status, "tool_calls": 12,
        "usage": {"input": 16_200, "output": 1_800, "reasoning": 0, "cache_read": 90_000, "cache_write": 0},
        "cost": 0.04, "duration_ms": 63_000, "description": "who calls backoff()", "now": "Grep backoff\\(",
        "activity": "working",
    });
    for (key, value) in more.as_object().unwrap() {
        details[key] = value.clone();
    }
    details
}

fn result(ok: bool, output: String, details: Value) -> CallResult {
    CallResult {
        ok,
        title: String::new(),
        output,
        details: details.into(),
        truncated: false,
        output_path: None,
        duration_ms: 63_000,
        attachments: Vec::new(),
    }
}

fn answered(ok: bool, status: &str, tag: &str, text: &str, more: &Value) -> CallResult {
    let output = format!("task_id: {TASK}\n\n<{tag}>\n{text}\n</{tag}>");
    result(ok, output, details(status, more))
}

fn started() -> CallResult {
    result(
        true,
        format!("task_id: {TASK}\nstatus: running\n"),
        details("running", &json!({})),
    )
}

const ANSWER: &str = "Called from **two** places:\n\n- the HTTP client, `src/retry.rs:41`\n- the uploader, \
                      `src/upload.rs:88`\n\nBoth pass the same limits.\n\nNothing else in the project names it.";

fn stored(live: Value, ends: Vec<(&'static str, CallResult)>) -> Stored {
    Stored { live, ends }
}

/// Exhibits of tools whose results need a session.
pub(super) fn exhibits() -> Vec<Exhibit> {
    let order = json!({
        "subagent_type": "explore", "description": "who calls backoff()", "prompt": "Find out who calls backoff().",
    });
    let failed = answered(
        false,
        "failed",
        "task_error",
        "it made the same call 20 times in a row",
        &json!({"reason": "it made the same call 20 times in a row", "error": {"kind": "limit"}}),
    );
    let completed = || answered(true, "completed", "task_result", ANSWER, &json!({}));
    let resumed = answered(
        true,
        "completed",
        "task_result",
        "At line 3.",
        &json!({"resumed_with": 18_000}),
    );
    let asking = details(
        "running",
        &json!({"activity": "waiting_for_person", "now": "bash wants to run git push"}),
    );
    let cancelled = |count: usize| {
        let tasks: Vec<Value> = (0..count)
            .map(|_| json!({"task_id": TASK, "previous": "running", "status": "cancelled", "description": "who calls backoff()", "agent": "explore"}))
            .collect();
        result(
            true,
            format!("{TASK} cancelled (was running) who calls backoff()"),
            json!({"tasks": tasks}),
        )
    };
    let with = |tool, args: Value, stored| Exhibit {
        stored: Some(stored),
        ..Exhibit::new(tool, args)
    };
    vec![
        with(
            "background_cancel",
            json!({"all": true}),
            stored(
                json!({"tasks": []}),
                vec![("done", cancelled(2)), ("nothing", cancelled(0))],
            ),
        ),
        with(
            "background_output",
            json!({"task_id": TASK, "block": true}),
            stored(details("running", &json!({})), vec![("done", completed())]),
        ),
        with(
            "background_task",
            order.clone(),
            stored(details("queued", &json!({})), vec![("done", started())]),
        ),
        with(
            "call_omo_agent",
            json!({"subagent_type": "explore", "prompt": "Find out who calls backoff().", "run_in_background": false}),
            stored(details("running", &json!({})), vec![("done", completed())]),
        ),
        looking(),
        with(
            "task",
            order,
            stored(
                asking,
                vec![
                    ("done", completed()),
                    ("failed task", failed),
                    ("resumed", resumed),
                ],
            ),
        ),
        board(
            "task_create",
            json!({"subject": "inject a clock", "description": "The test **sleeps**.", "owner": "build"}),
        ),
        board("task_get", json!({"id": "$2"})),
        board("task_list", json!({})),
        board("task_update", json!({"id": "$1", "status": "completed"})),
    ]
}

/// A picture that somebody looks at.
fn looking() -> Exhibit {
    let details = json!({
        "files": ["build/shot.png"], "model": "local/m", "task_id": TASK,
        "usage": {"input": 900, "output": 40, "reasoning": 0, "cache_read": 0, "cache_write": 0},
    });
    let answer = "A dialog with one button, **Retry**.\n\nIts text: `connection refused`.\n\nThe button is grey.\n\nNothing else.";
    let done = result(true, answer.to_owned(), details.clone());
    let args = json!({"file_path": "build/shot.png", "goal": "what does the dialog say?"});
    Exhibit {
        stored: Some(stored(details, vec![("done", done)])),
        ..Exhibit::new("look_at", args)
    }
}

/// A tool of the task board, on which two items stand already; the second waits for the first.
fn board(tool: &'static str, args: Value) -> Exhibit {
    let has_items = tool != "task_create";
    let first = json!({"subject": "find the sleeping call", "owner": "explore"});
    let second = json!({"subject": "pause time in the test", "blocked_by": ["$1"]});
    Exhibit {
        items: if has_items {
            vec![first, second]
        } else {
            Vec::new()
        },
        ..Exhibit::new(tool, args)
    }
}
