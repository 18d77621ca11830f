//! Exhibit of `interactive_bash`. What a program draws depends on its version, so its screens are written down.

use lathe::conversation::CallResult;
use serde_json::{Value, json};

use super::{Exhibit, Stored};

pub(super) fn exhibit() -> Exhibit {
    let args = json!({"action": "send", "session": "test", "text": "cargo test", "keys": "Enter", "wait_for": "result"});
    let rows: Vec<Value> = (1..=9)
        .map(|number| json!([{"t": format!("test case_{number} ... ")}, {"t": "ok", "fg": "2"}]))
        .chain([
            json!([]),
            json!([{"t": "2 failed ", "fg": "#cc0000", "b": true}, {"t": "世界", "r": true}]),
        ])
        .collect();
    let ended = json!({"running": false, "exit": 101});
    let hidden = json!({"waiting": "hidden", "screen": [[{"t": "Password: "}]], "cursor": {"row": 1, "col": 11, "visible": true}});
    let stored = Stored {
        live: details(
            &rows[..3],
            &json!({"cursor": {"row": 3, "col": 6, "visible": true}}),
        ),
        ends: vec![
            (
                "done",
                result(details(
                    &rows,
                    &json!({"cursor": {"row": 11, "col": 12, "visible": true}}),
                )),
            ),
            ("look", result(details(&rows, &ended))),
            ("hidden input", result(details(&[], &hidden))),
        ],
    };
    Exhibit {
        stored: Some(stored),
        ..Exhibit::new("interactive_bash", args)
    }
}

fn details(rows: &[Value], more: &Value) -> Value {
    let mut details = json!({
        "session": "test", "command": "bash", "running": true, "cols": 120, "rows": 40, "alt_screen": false,
        "cursor": {"row": 1, "col": 1, "visible": false}, "screen": rows, "sessions": ["test"],
    });
    for (key, value) in more.as_object().unwrap() {
        details[key] = value.clone();
    }
    details
}

fn result(details: Value) -> CallResult {
    CallResult {
        ok: true,
        title: "test".to_owned(),
        output: "[test · running · 120x40]".to_owned(),
        details: details.into(),
        truncated: false,
        output_path: None,
        duration_ms: 4200,
        attachments: Vec::new(),
    }
}
