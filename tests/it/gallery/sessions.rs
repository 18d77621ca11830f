//! Exhibits of the tools that look at earlier conversations. What they find has ids and times of its own, so their results
//! are written down.

use lathe::conversation::CallResult;
use serde_json::{Value, json};

use super::{Exhibit, Stored};

const SESSION: &str = "ses_01m8a8htzse4mtr26bf3jnqzs4";
/// The 26th of November 2026, 10:00 UTC, in milliseconds.
const TIME: i64 = 1_795_687_200_000;

pub(super) fn exhibits() -> Vec<Exhibit> {
    let facts = json!({
        "session": SESSION, "title": "fix the flaky retry test", "todos_open": 1, "todos_done": 3,
        "facts": {"user_messages": 4, "assistant_messages": 31, "tool_calls": 28, "first": TIME, "last": TIME,
            "agents": ["build"], "models": ["local/m"]},
    });
    let listed = |number: i64| {
        json!({"id": SESSION, "title": format!("conversation {number}"), "messages": 12, "first": TIME,
            "last": TIME, "agents": ["build"], "current": number == 1})
    };
    let hit = |number: i64| {
        json!({"session": SESSION, "message": "msg_01m8a8htzse4mtr26bf3jnqzs4", "title": format!("conversation {number}"),
            "role": "assistant", "created": TIME, "count": 2, "excerpt": "…so backoff() sleeps on the wall clock, and the test…"})
    };
    let listed: Vec<Value> = (1..=8).map(listed).collect();
    let hits: Vec<Value> = (1..=2).map(hit).collect();
    vec![
        exhibit("session_info", json!({"session_id": SESSION}), facts),
        exhibit("session_list", json!({}), json!({ "sessions": listed })),
        exhibit(
            "session_read",
            json!({"session_id": SESSION, "limit": 20}),
            json!({"session": SESSION, "title": "fix the flaky retry test", "messages": 35}),
        ),
        exhibit(
            "session_search",
            json!({"query": "backoff"}),
            json!({ "hits": hits }),
        ),
    ]
}

fn exhibit(tool: &'static str, args: Value, details: Value) -> Exhibit {
    let done = CallResult {
        ok: true,
        title: String::new(),
        output: String::new(),
        details: details.into(),
        truncated: false,
        output_path: None,
        duration_ms: 4,
        attachments: Vec::new(),
    };
    Exhibit {
        stored: Some(Stored {
            live: json!({}),
            ends: vec![("done", done)],
        }),
        ..Exhibit::new(tool, args)
    }
}
