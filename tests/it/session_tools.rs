//! `session_list`, `session_read`, `session_search` and `session_info`: what a model may know of earlier conversations.

use serde_json::{Value, json};

use crate::run::{events_of, last, project_with};
use crate::support::{Finished, Lathe, Project, Server, Turn};

/// A project with a conversation about a needle, and its id.
fn project(server: &Server) -> (Project, String) {
    server.script([
        Turn::new().say("Looking.").call(
            "todowrite",
            json!({"todos": [{"content": "find it", "status": "in_progress", "priority": "high"}]}),
        ),
        Turn::text("The Needle is in the haystack, and a needle is sharp."),
    ]);
    let project = project_with(server).git();
    let run = events_of(&project).arg("where is the needle?").run().success();
    let id = last(&run)["session"].as_str().unwrap().to_owned();
    (project, id)
}

fn call(project: &Project, tool: &str, args: &Value) -> Finished {
    Lathe::in_project(project)
        .args(["tool", tool, &args.to_string()])
        .run()
}

fn details(project: &Project, tool: &str, args: &Value) -> Value {
    let finished = Lathe::in_project(project)
        .args(["tool", tool, &args.to_string(), "--format", "json"])
        .run();
    finished.json()["details"].clone()
}

#[test]
fn sessions_are_listed_with_what_they_are_about() {
    let server = Server::start();
    let (project, id) = project(&server);
    let listed = call(&project, "session_list", &json!({})).success();
    assert!(
        listed
            .stdout
            .starts_with("id · title · messages · first · last · agents\n"),
        "{listed}"
    );
    assert!(
        listed
            .stdout
            .contains(&format!("{id} · where is the needle? · 3 · ")),
        "{listed}"
    );
    assert!(listed.stdout.trim_end().ends_with(" · build"), "{listed}");
    let listed = details(&project, "session_list", &json!({"limit": 1}));
    assert_eq!(
        (&listed["sessions"][0]["id"], &listed["sessions"][0]["messages"]),
        (&json!(id), &json!(3))
    );
    for (bounds, count) in [
        (json!({"from_date": "2020-01-01"}), 1),
        (json!({"to_date": "2020-01-01"}), 0),
        (json!({"from_date": "2999-01-01T00:00:00Z"}), 0),
    ] {
        let found = details(&project, "session_list", &bounds);
        assert_eq!(found["sessions"].as_array().unwrap().len(), count, "{bounds}");
    }
    let none = call(&project, "session_list", &json!({"to_date": "2020-01-01"}));
    assert_eq!(none.stdout.trim(), "No sessions found");
    let wrong = call(&project, "session_list", &json!({"from_date": "yesterday"})).assert_code(1);
    assert!(wrong.stdout.contains("`from_date` is no date or time"), "{wrong}");
}

#[test]
fn a_conversation_is_read_in_short_or_in_full() {
    let server = Server::start();
    let (project, id) = project(&server);
    let read = call(
        &project,
        "session_read",
        &json!({"session_id": id, "include_todos": true}),
    )
    .success();
    for part in [
        "[user] ",
        "where is the needle?",
        "[assistant (build)] ",
        "[tool: todowrite] {",
        "[todos]\n",
        "find it",
    ] {
        assert!(read.stdout.contains(part), "{part} is not in {read}");
    }
    let short = &read.stdout;
    let whole = call(
        &project,
        "session_read",
        &json!({"id": id, "include_transcript": true}),
    )
    .success();
    assert!(whole.stdout.len() > short.len() - 60, "{whole}");
    let newest = call(
        &project,
        "session_read",
        &json!({"session_id": id, "limit": 1, "from_end": true}),
    )
    .success();
    assert!(
        newest.stdout.contains("haystack") && !newest.stdout.contains("[user]"),
        "{newest}"
    );
    assert!(newest.stdout.contains("2 earlier messages left out"), "{newest}");
}

#[test]
fn what_was_said_is_found_with_what_stands_beside_it() {
    let server = Server::start();
    let (project, id) = project(&server);
    let found = details(&project, "session_search", &json!({"query": "needle"}));
    let counts: Vec<u64> = found["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["count"].as_u64().unwrap())
        .collect();
    assert_eq!(counts, [2, 1], "the newest first");
    let strict = details(
        &project,
        "session_search",
        &json!({"query": "Needle", "case_sensitive": true, "session_id": id}),
    );
    assert_eq!(
        (
            strict["hits"].as_array().unwrap().len(),
            &strict["hits"][0]["count"]
        ),
        (1, &json!(1))
    );
    assert!(
        strict["hits"][0]["excerpt"]
            .as_str()
            .unwrap()
            .contains("Needle is in the haystack")
    );
    let none = call(&project, "session_search", &json!({"query": "zeppelin"})).success();
    assert_eq!(none.stdout.trim(), "No matches found");
    call(&project, "session_search", &json!({"query": " "})).assert_code(1);
}

#[test]
fn facts_are_told_and_an_unknown_session_names_the_nearest() {
    let server = Server::start();
    let (project, id) = project(&server);
    let told = call(&project, "session_info", &json!({"session_id": id})).success();
    for part in [
        "messages: 1 user, 2 assistant · tool calls: 1",
        "agents: build · models: local/test-model",
        "todos: 1 open, 0 done",
        "tokens: 2000 input, 40 output",
    ] {
        assert!(told.stdout.contains(part), "{part} is not in {told}");
    }
    for tool in ["session_info", "session_read"] {
        let unknown = call(&project, tool, &json!({"session_id": "ses_nothing"})).assert_code(1);
        assert!(
            unknown.stdout.contains("there is no session `ses_nothing`"),
            "{unknown}"
        );
        assert!(unknown.stdout.contains(&id), "the nearest is named: {unknown}");
    }
}

#[test]
fn another_project_is_seen_only_where_its_directory_is_allowed() {
    let server = Server::start();
    let (project, id) = project(&server);
    let other = project_with(&server).git();
    let listed = details(&other, "session_list", &json!({}));
    assert_eq!(listed["sessions"], json!([]));
    // The other project has a database of its own here, so the directory is asked for and nothing is found in it.
    let args = json!({"project_path": project.root()});
    let asked = call(&other, "session_list", &args).assert_code(1);
    assert!(asked.stdout.contains("external_directory"), "{asked}");
    let unknown = call(&other, "session_read", &json!({"session_id": id})).assert_code(1);
    assert!(
        unknown
            .stdout
            .contains("There is no session of this project yet."),
        "{unknown}"
    );
}

#[test]
fn the_session_itself_is_marked() {
    let server = Server::with([Turn::tool("session_list", json!({})), Turn::text("Done.")]);
    let project = project_with(&server).git();
    let run = events_of(&project).arg("list").run().success();
    let id = last(&run)["session"].as_str().unwrap().to_owned();
    assert!(
        server.requests()[1].mentions(&format!("{id} (this one) · list")),
        "{run}"
    );
}
