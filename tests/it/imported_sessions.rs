//! `lathe sessions import`: sessions of other programs, and lathe's own exports.

use std::fs;

use serde_json::{Value, json};

use crate::run::{events_of, last, project_with};
use crate::support::{Finished, Lathe, Project, Server, Turn};

fn sessions(project: &Project, words: &[&str]) -> Finished {
    Lathe::in_project(project).arg("sessions").args(words).run()
}

/// Writes a file, imports it, and returns what was said and the notes.
fn imported(project: &Project, name: &str, text: &str, from: &[&str]) -> (String, Value, String) {
    fs::write(project.outside().join(name), text).unwrap();
    let path = project.outside().join(name);
    let words = ["import", path.to_str().unwrap(), "--json"];
    let finished = sessions(project, &[&words[..], from].concat()).success();
    let id = finished.json()["session"].as_str().unwrap().to_owned();
    let shown = sessions(project, &["show", &id, "--json"]).success().json();
    (id, shown, finished.stderr)
}

/// Each part in a line: who, kind, and what it says.
fn told(shown: &Value) -> Vec<String> {
    let messages = shown["messages"].as_array().unwrap().iter();
    let parts = messages.flat_map(|message| {
        let role = message["role"].as_str().unwrap();
        message["parts"].as_array().unwrap().iter().map(move |part| {
            let said = match part["type"].as_str().unwrap() {
                "tool" => format!(
                    "{} {} -> {} {}",
                    part["tool"], part["args"], part["state"], part["output"]
                ),
                "file" => format!("{} {}", part["mime"], part["data"]),
                _ => part["text"].as_str().unwrap_or_default().to_owned(),
            };
            format!("{role} {}: {said}", part["type"].as_str().unwrap())
        })
    });
    parts.collect()
}

fn lines(lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.join("\n") + "\n"
}

#[test]
fn an_export_comes_back_as_a_session_that_goes_on() {
    let server = Server::with([
        Turn::new()
            .say("Looking.")
            .call("read", json!({"file_path": "a.txt"})),
        Turn::text("It says one."),
    ]);
    let project = project_with(&server).file("a.txt", "one\n");
    let run = events_of(&project).arg("what does it say?").run().success();
    let id = last(&run)["session"].as_str().unwrap().to_owned();
    let export = sessions(&project, &["export", &id]).success().stdout;
    let (copy, shown, notes) = imported(&project, "session.json", &export, &[]);
    assert_ne!(copy, id);
    assert_eq!(notes, "");
    let original = sessions(&project, &["show", &id, "--json"]).success().json();
    assert_eq!(told(&shown), told(&original));
    assert_eq!(shown["session"]["title"], "what does it say?");
    assert_eq!(shown["session"]["directory"], original["session"]["directory"]);
    let details = |shown: &Value| shown["messages"][1]["parts"][1]["details"].clone();
    assert_eq!(details(&shown), details(&original));
    // It is found, and it goes on with all that was said.
    let found = sessions(&project, &["search", "says one", "--json"])
        .success()
        .json();
    assert_eq!(found["hits"].as_array().unwrap().len(), 2, "{found}");
    server.script([Turn::text("Still one.")]);
    let _ = events_of(&project)
        .args(["-s", &copy, "and now?"])
        .run()
        .success();
    let request = server.requests().pop().unwrap();
    assert!(
        request.mentions("what does it say?") && request.mentions("It says one."),
        "{request:?}"
    );
}

#[test]
fn an_export_keeps_its_model_where_the_provider_is_there() {
    let server = Server::with([Turn::text("Said.")]);
    let project = project_with(&server);
    let run = events_of(&project)
        .args(["-m", "local/other", "hello"])
        .run()
        .success();
    let id = last(&run)["session"].as_str().unwrap().to_owned();
    let export = sessions(&project, &["export", &id]).success().stdout;
    let (copy, shown, notes) = imported(&project, "session.json", &export, &[]);
    assert_eq!((&shown["session"]["model"], &*notes), (&json!("local/other"), ""));
    server.script([Turn::text("Said again.")]);
    let _ = events_of(&project).args(["-s", &copy, "again"]).run().success();
    assert_eq!(server.requests().pop().unwrap().body["model"], "other");
    // A provider that nobody has is told, and the session has the model of a new one.
    let foreign = export.replace("local/other", "elsewhere/other");
    let (copy, shown, notes) = imported(&project, "foreign.json", &foreign, &[]);
    assert!(shown["session"]["model"].is_null(), "{shown}");
    assert!(
        notes.contains("its model `elsewhere/other` cannot be used here"),
        "{notes}"
    );
    server.script([Turn::text("Said once more.")]);
    let _ = events_of(&project).args(["-s", &copy, "again"]).run().success();
    assert_eq!(server.requests().pop().unwrap().body["model"], "test-model");
}

#[test]
fn a_session_of_claude_code_is_its_last_branch() {
    let server = Server::start();
    let project = project_with(&server);
    let root = project.root();
    let line = |uuid: &str, parent: Value, kind: &str, message: Value| {
        json!({
            "type": kind, "uuid": uuid, "parentUuid": parent, "isSidechain": false, "sessionId": "s", "cwd": root,
            "timestamp": "2026-11-20T10:00:00.000Z", "version": "2.1", "message": message,
        })
    };
    let reply = |content: Value| json!({"id": "msg_a", "role": "assistant", "model": "claude-sonnet-4-5", "content": [content]});
    let mut side = line(
        "side",
        Value::Null,
        "user",
        json!({"role": "user", "content": "a subagent's order"}),
    );
    side["isSidechain"] = json!(true);
    let text = lines(&[
        json!({"type": "summary", "summary": "Fixing the parser", "leafUuid": "u5"}),
        json!({"type": "file-history-snapshot", "messageId": "x", "snapshot": {}}),
        line(
            "u1",
            Value::Null,
            "user",
            json!({"role": "user", "content": "fix the parser"}),
        ),
        line(
            "left",
            json!("u1"),
            "assistant",
            reply(json!({"type": "text", "text": "Left behind."})),
        ),
        line(
            "u2",
            json!("u1"),
            "assistant",
            reply(json!({"type": "thinking", "thinking": "Hm.", "signature": "s"})),
        ),
        line(
            "u3",
            json!("u2"),
            "assistant",
            reply(
                json!({"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "cargo test"}}),
            ),
        ),
        side,
        line(
            "u4",
            json!("u3"),
            "user",
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "1 failed"}], "is_error": true},
            ]}),
        ),
        line(
            "u5",
            json!("u4"),
            "assistant",
            json!({"id": "msg_b", "role": "assistant", "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": "One fails."}]}),
        ),
        line(
            "u6",
            json!("u5"),
            "user",
            json!({"role": "user", "content": [
                {"type": "text", "text": "see this"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
            ]}),
        ),
        line(
            "u7",
            json!("u6"),
            "assistant",
            json!({"id": "msg_c", "role": "assistant", "model": "claude-sonnet-4-5", "content": [{"type": "tool_use", "id": "toolu_2", "name": "mcp__x__look", "input": {}}]}),
        ),
    ]);
    // The last line was being written.
    let (_, shown, notes) = imported(&project, "claude.jsonl", &format!("{text}{{\"type\": \"us"), &[]);
    assert_eq!(
        told(&shown),
        [
            "user text: fix the parser",
            "assistant reasoning: Hm.",
            "assistant tool: \"bash\" {\"command\":\"cargo test\"} -> \"failed\" \"1 failed\"",
            "assistant text: One fails.",
            "user text: see this",
            "user file: \"image/png\" \"aGk=\"",
            "assistant tool: \"mcp__x__look\" {} -> \"interrupted\" \"Error: the session that was imported has no \
            result of this call\"",
        ]
    );
    assert_eq!(shown["session"]["title"], "Fixing the parser");
    assert_eq!(shown["messages"][1]["model"], "anthropic/claude-sonnet-4-5");
    for left in [
        "messages of subagents (1)",
        "messages of other branches (1)",
        "snapshots of files (1)",
    ] {
        assert!(notes.contains(left), "{notes}");
    }
}

#[test]
fn a_session_of_codex_is_what_went_to_the_model() {
    let server = Server::start();
    let project = project_with(&server);
    let item = |payload: Value| json!({"timestamp": "2026-11-20T10:00:00.000Z", "type": "response_item", "payload": payload});
    let said = |role: &str, kind: &str, text: &str| {
        item(json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
    };
    let text = lines(&[
        json!({"timestamp": "2026-11-20T10:00:00.000Z", "type": "session_meta", "payload": {"id": "0", "cwd": "/nowhere/at/all"}}),
        json!({"timestamp": "2026-11-20T10:00:00.000Z", "type": "turn_context", "payload": {"cwd": "/nowhere/at/all", "model": "gpt-5-codex"}}),
        said("developer", "input_text", "You are Codex."),
        said(
            "user",
            "input_text",
            "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>",
        ),
        said("user", "input_text", "list the files"),
        json!({"timestamp": "2026-11-20T10:00:00.000Z", "type": "event_msg", "payload": {"type": "user_message", "message": "list the files"}}),
        item(
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "I look."}], "encrypted_content": "x"}),
        ),
        item(
            json!({"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"bash\",\"-lc\",\"ls\"]}", "call_id": "call_1"}),
        ),
        item(
            json!({"type": "function_call_output", "call_id": "call_1", "output": "{\"output\":\"a.txt\\n\",\"metadata\":{\"exit_code\":0}}"}),
        ),
        item(
            json!({"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch\n*** End Patch", "call_id": "call_2"}),
        ),
        item(
            json!({"type": "custom_tool_call_output", "call_id": "call_2", "output": "{\"output\":\"bad\",\"metadata\":{\"exit_code\":1}}"}),
        ),
        said("assistant", "output_text", "There is a.txt."),
    ]);
    let (_, shown, notes) = imported(&project, "rollout.jsonl", &text, &["--from", "codex"]);
    assert_eq!(
        told(&shown),
        [
            "user text: list the files",
            "assistant reasoning: I look.",
            "assistant tool: \"bash\" {\"command\":\"ls\"} -> \"done\" \"a.txt\\n\"",
            "assistant tool: \"apply_patch\" {\"patch\":\"*** Begin Patch\\n*** End Patch\"} -> \"failed\" \"bad\"",
            "assistant text: There is a.txt.",
        ]
    );
    assert_eq!(shown["session"]["title"], "list the files");
    assert_eq!(shown["session"]["directory"], project.root().to_str().unwrap());
    assert!(notes.contains("it took place in `/nowhere/at/all`"), "{notes}");
    assert!(notes.contains("texts of the program itself (2)"), "{notes}");
}

fn opencode(project: &Project) -> Value {
    let time = json!({"created": 1_790_000_000_000_i64});
    json!({
        "info": {"id": "ses_x", "title": "List things", "directory": project.root(), "time": time},
        "messages": [
            {"info": {"id": "msg_1", "role": "user", "time": time}, "parts": [
                {"type": "text", "text": "list"}, {"type": "text", "text": "hidden", "synthetic": true},
                {"type": "file", "mime": "image/png", "filename": "a.png", "url": "data:image/png;base64,aGk="},
            ]},
            {"info": {"id": "msg_2", "role": "assistant", "providerID": "anthropic", "modelID": "claude-x", "time": time}, "parts": [
                {"type": "step-start"}, {"type": "reasoning", "text": "Hm."}, {"type": "text", "text": "Looking."},
                {"type": "tool", "callID": "c1", "tool": "read", "state": {
                    "status": "completed", "input": {"filePath": "a.txt"}, "output": "one", "title": "a.txt",
                    "time": {"start": 10, "end": 25},
                }},
                {"type": "tool", "callID": "c2", "tool": "bash", "state": {
                    "status": "error", "input": {"command": "false"}, "error": "it failed", "time": {"start": 1, "end": 2},
                }},
                {"type": "patch", "hash": "x", "files": []}, {"type": "step-finish"},
            ]},
        ],
    })
}

const OF_OPENCODE: [&str; 6] = [
    "user text: list",
    "user file: \"image/png\" \"aGk=\"",
    "assistant reasoning: Hm.",
    "assistant text: Looking.",
    "assistant tool: \"read\" {\"file_path\":\"a.txt\"} -> \"done\" \"one\"",
    "assistant tool: \"bash\" {\"command\":\"false\"} -> \"failed\" \"it failed\"",
];

#[test]
fn a_session_of_opencode_comes_from_its_export_and_from_its_database() {
    let server = Server::start();
    let project = project_with(&server);
    let export = opencode(&project);
    let (_, shown, notes) = imported(&project, "export.json", &export.to_string(), &[]);
    assert_eq!(told(&shown), OF_OPENCODE);
    assert_eq!(shown["messages"][1]["parts"][2]["duration_ms"], 15);
    assert!(
        notes.contains("snapshots of files (1)") && notes.contains("texts of the program itself (1)"),
        "{notes}"
    );
    let path = project.outside().join("opencode.db");
    let database = rusqlite::Connection::open(&path).unwrap();
    database
        .execute_batch(
            "CREATE TABLE session (id TEXT PRIMARY KEY, title TEXT, directory TEXT, time_created INTEGER);
             CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT);
             CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);",
        )
        .unwrap();
    let info = &export["info"];
    database
        .execute(
            "INSERT INTO session VALUES ('ses_x', ?1, ?2, 1)",
            [
                info["title"].as_str().unwrap(),
                info["directory"].as_str().unwrap(),
            ],
        )
        .unwrap();
    for message in export["messages"].as_array().unwrap() {
        let id = message["info"]["id"].as_str().unwrap();
        database
            .execute(
                "INSERT INTO message VALUES (?1, 'ses_x', ?2)",
                [id, &message["info"].to_string()],
            )
            .unwrap();
        for (place, part) in message["parts"].as_array().unwrap().iter().enumerate() {
            let name = format!("prt_{id}_{place}");
            database
                .execute(
                    "INSERT INTO part VALUES (?1, ?2, 'ses_x', ?3)",
                    [&name, id, &part.to_string()],
                )
                .unwrap();
        }
    }
    drop(database);
    let given = format!("{}#ses_x", path.display());
    let finished = sessions(&project, &["import", &given, "--json"]).success();
    let id = finished.json()["session"].as_str().unwrap().to_owned();
    let shown = sessions(&project, &["show", &id, "--json"]).success().json();
    assert_eq!(told(&shown), OF_OPENCODE);
    let missing = sessions(&project, &["import", &format!("{}#ses_y", path.display())]).assert_code(1);
    assert!(missing.stderr.contains("it has no session `ses_y`"), "{missing}");
    let bare = sessions(&project, &["import", path.to_str().unwrap()]).assert_code(1);
    assert!(bare.stderr.contains("name a session in it"), "{bare}");
}

#[test]
fn what_is_no_session_leaves_none_behind() {
    let server = Server::start();
    let project = project_with(&server);
    for (text, why) in [
        ("", "the program that wrote it is unknown"),
        ("hello", "the program that wrote it is unknown"),
        (
            "{\"format\": \"lathe-session-1\", \"session\": {}, \"messages\": []}",
            "there is no message in it",
        ),
        ("[1, 2, 3]", "the program that wrote it is unknown"),
    ] {
        let path = project.outside().join("x.json");
        fs::write(&path, text).unwrap();
        let refused = sessions(&project, &["import", path.to_str().unwrap()]).assert_code(1);
        assert!(refused.stderr.contains(why), "{text}: {refused}");
    }
    let missing = sessions(&project, &["import", "nowhere.json"]).assert_code(1);
    assert!(missing.stderr.contains("there is no such file"), "{missing}");
    let list = sessions(&project, &["list", "--json"]).success().json();
    assert_eq!(list["sessions"], json!([]));
}

/// A session in the shape of each program that says it took place in `directory`, and what else opens doors.
fn sessions_of_all_programs(directory: &str) -> [(&'static str, String); 5] {
    let claude = lines(&[
        json!({"type": "permission-mode", "permissionMode": "bypassPermissions", "sessionId": "s"}),
        json!({"type": "user", "uuid": "1", "sessionId": "s", "cwd": directory, "message": {"role": "user", "content": "hi"}}),
        json!({"type": "assistant", "uuid": "2", "parentUuid": "1", "cwd": directory,
            "message": {"id": "m", "model": "claude-x", "content": [{"type": "text", "text": "Hello."}]}}),
    ]);
    let codex = lines(&[
        json!({"type": "session_meta", "payload": {"cwd": directory}}),
        json!({"type": "turn_context", "payload": {"cwd": directory, "model": "x", "approval_policy": "never",
            "sandbox_policy": {"mode": "danger-full-access"}}}),
        json!({"type": "response_item", "payload": {"type": "message", "role": "user",
            "content": [{"type": "input_text", "text": "hi"}]}}),
    ]);
    let opencode = json!({
        "info": {"title": "t", "directory": directory, "permission": {"edit": "allow"}},
        "messages": [{"info": {"role": "user", "path": {"cwd": directory, "root": directory}, "agent": "x"},
            "parts": [{"type": "text", "text": "hi"}]}],
    });
    let own = |place: &str| {
        json!({
            "format": "lathe-session-1",
            "session": {"title": "t", "directory": directory, "project": directory, "agent": "plan", "mode": "yolo",
                "model": "evil/m", "parent": "ses_x", "rules": {"*": "allow"}},
            "messages": [
                {"role": "user", "agent": "plan", "directory": directory, "parts": [
                    {"type": "text", "text": "hi"},
                    {"type": "file", "path": format!("{place}/secret.txt"), "mime": "text/plain", "data": "eA=="},
                ]},
                {"id": "m", "role": "assistant", "agent": "plan", "model": "evil/m", "parts": [
                    {"type": "tool", "call": "c", "tool": "task", "args": {"prompt": "x"}, "state": "done", "ok": true,
                        "output": "done", "details": {"task_id": "tsk_x", "worktree": place, "directory": place}},
                ]},
            ],
        })
    };
    // Fields may come in any order.
    let turned = {
        let own = own(directory);
        json!({"messages": own["messages"], "session": own["session"], "format": own["format"]})
    };
    [
        ("claude.jsonl", claude),
        ("codex.jsonl", codex),
        ("opencode.json", opencode.to_string()),
        ("own.json", own(directory).to_string()),
        ("turned.json", turned.to_string()),
    ]
}

#[test]
fn an_imported_session_opens_no_directory() {
    let server = Server::start();
    let project = project_with(&server).file("inside.txt", "inside\n");
    let root = project.root();
    let secret = project.outside().join("secret.txt");
    fs::write(&secret, "elsewhere\n").unwrap();
    let made = project.outside().join("made.txt");
    let above = root.parent().unwrap().to_str().unwrap().to_owned();
    let home = project.home().to_str().unwrap().to_owned();
    let slashes = format!("{above}/./");
    for directory in ["/", &above, &home, &slashes, "//", "relative", ""] {
        for (name, text) in sessions_of_all_programs(directory) {
            let (id, shown, _) = imported(&project, name, &text, &[]);
            let session = &shown["session"];
            assert_eq!(session["directory"], root.to_str().unwrap(), "{directory} {name}");
            assert_eq!(session["project"], root.to_str().unwrap(), "{directory} {name}");
            assert_eq!(session["agent"], "build", "{directory} {name}");
            assert!(
                session["model"].is_null() && session["parent"].is_null(),
                "{session}"
            );
            if directory != above {
                continue;
            }
            let inside = format!("made by {name}.txt");
            server.script([
                Turn::new()
                    .call("read", json!({"file_path": "inside.txt"}))
                    .call("read", json!({"file_path": secret}))
                    .call("write", json!({"file_path": made, "content": "x"}))
                    .call("write", json!({"file_path": inside, "content": "x"})),
                Turn::text("Done."),
            ]);
            let run = events_of(&project)
                .args(["--permission-mode", "accept-edits", "-s", &id, "go on"])
                .run();
            let results = run
                .json_lines()
                .into_iter()
                .filter(|event| event["type"] == "tool_result");
            // Calls that only read may end in any order.
            let oks: Vec<bool> = results.map(|result| result["ok"] == true).collect();
            assert_eq!(oks.iter().filter(|ok| **ok).count(), 2, "{name}: {run}");
            assert_eq!((oks.len(), project.exists(&inside)), (4, true), "{name}");
            assert!(!made.exists(), "{name}");
            assert!(!server.requests().pop().unwrap().mentions("elsewhere"), "{name}");
        }
    }
}

#[test]
fn another_directory_is_taken_only_by_its_name_and_never_a_home() {
    let server = Server::start();
    let project = project_with(&server);
    let other = project.outside().join("other");
    fs::create_dir_all(&other).unwrap();
    std::os::unix::fs::symlink("/", project.outside().join("all")).unwrap();
    std::os::unix::fs::symlink(project.home(), project.outside().join("home_link")).unwrap();
    let text = lines(&[json!({"type": "user", "uuid": "1", "sessionId": "s", "message": {"content": "hi"}})]);
    let (_, shown, notes) = imported(
        &project,
        "c.jsonl",
        &text,
        &["--directory", other.to_str().unwrap()],
    );
    assert_eq!(shown["session"]["directory"], other.to_str().unwrap());
    assert_eq!(notes, "");
    let before = sessions(&project, &["list", "--json"]).success().json();
    let file = project.outside().join("c.jsonl");
    let above = project.home().parent().unwrap().to_owned();
    let outside = project.outside();
    let within = |name: &str| outside.join(name);
    for refused in [
        "/".into(),
        "//".into(),
        "/usr/..".into(),
        "/proc/self/root".into(),
        project.home(),
        above,
        project.home().join("."),
        other.join("../../home"),
        within("all"),
        within("home_link"),
        within("home_link/"),
        within("gone"),
        file.clone(),
    ] {
        let refused = refused.to_str().unwrap();
        let words = ["import", file.to_str().unwrap(), "--directory", refused];
        let finished = sessions(&project, &words).assert_code(1);
        assert!(
            finished.stderr.contains("a session cannot be imported into"),
            "{refused}: {finished}"
        );
    }
    let finished = Lathe::in_project(&project)
        .cwd(project.home())
        .args(["sessions", "import", file.to_str().unwrap()])
        .run()
        .assert_code(1);
    assert!(finished.stderr.contains("--directory DIR"), "{finished}");
    let after = sessions(&project, &["list", "--json"]).success().json();
    assert_eq!(after, before, "a refused import left a session");
}

#[test]
fn a_large_file_is_imported_record_by_record() {
    let server = Server::start();
    let project = project_with(&server);
    let call = |nth: usize| {
        [
            json!({"type": "assistant", "uuid": format!("a{nth}"), "sessionId": "s", "message": {"id": format!("m{nth}"),
                "content": [{"type": "tool_use", "id": format!("t{nth}"), "name": "Bash", "input": {"command": "ls"}}]}}),
            json!({"type": "user", "uuid": format!("u{nth}"), "sessionId": "s", "message": {
                "content": [{"type": "tool_result", "tool_use_id": format!("t{nth}"), "content": "a\n".repeat(500)}]}}),
        ]
    };
    let all: Vec<Value> = (0..1000).flat_map(call).collect();
    // One whose values would take a hundred times the memory of their text.
    let heavy = format!(
        r#"{{"type":"user","uuid":"h","sessionId":"s","message":{{"content":[{}0]}}}}"#,
        "[],".repeat(1_000_000)
    );
    let text = format!("{}{heavy}\n", lines(&all));
    fs::write(project.outside().join("large.jsonl"), text).unwrap();
    let path = project.outside().join("large.jsonl");
    let finished = Lathe::program("/bin/bash", &project)
        .args([
            "-c",
            "ulimit -v 700000; exec \"$@\"",
            "bash",
            crate::support::LATHE,
        ])
        .args(["sessions", "import", path.to_str().unwrap(), "--json"])
        .run()
        .success();
    let id = finished.json()["session"].as_str().unwrap().to_owned();
    let shown = sessions(&project, &["show", &id, "--json"]).success().json();
    assert_eq!(shown["messages"].as_array().unwrap().len(), 1000);
    assert!(told(&shown).iter().all(|part| part.contains("\"done\"")));
    assert!(
        finished.stderr.contains("lines that are too large (1)"),
        "{finished}"
    );
}
