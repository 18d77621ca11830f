//! `lathe sessions`: what was said is found, kept elsewhere and deleted.

use serde_json::{Value, json};

use crate::screen::{open, project, say};
use crate::support::{Finished, Lathe, Project, Server, Turn};

fn sessions(project: &Project, words: &[&str]) -> Finished {
    let lathe = Lathe::in_project(project).arg("sessions");
    lathe.args(words).run()
}

fn run(project: &Project, prompt: &str) {
    let lathe = Lathe::in_project(project).args(["run", "--permission-mode", "yolo"]);
    let _ = lathe.arg(prompt).run().success();
}

/// All sessions, the newest first.
fn ids(project: &Project) -> Vec<String> {
    let list = sessions(project, &["list", "--json"]).success().json();
    let sessions = list["sessions"].as_array().unwrap().iter();
    sessions
        .map(|session| session["id"].as_str().unwrap().to_owned())
        .collect()
}

/// Two sessions; the newer one has made a call whose output was too long for the model.
fn with_two(server: &Server) -> Project {
    server.script_for("about foxes", [Turn::text("The quick brown fox.\nIt jumps.")]);
    let call = Turn::tool("bash", json!({"command": "seq 1 30000"}));
    server.script_for("about dogs", [call, Turn::text("The lazy dog.")]);
    let project = project(server);
    run(&project, "about foxes");
    run(&project, "about dogs");
    project
}

#[test]
fn a_title_that_is_cut_says_so_everywhere() {
    let long = format!("src/{}.rs", "ä".repeat(100));
    let read = Turn::tool("read", json!({"file_path": long}));
    let server = Server::with([read, Turn::text("Not there.")]);
    let project = project(&server);
    let prompt = format!("look for {long}");
    let finished = Lathe::in_project(&project)
        .args(["run", "--format", "json", &prompt])
        .run()
        .success();
    let events = finished.json_lines();
    let result = events
        .iter()
        .find(|event| event["type"] == "tool_result")
        .unwrap();
    let cut = format!("`src/{}…", "ä".repeat(74));
    assert_eq!(result["title"], cut, "{finished}");
    let id = ids(&project).pop().unwrap();
    let shown = sessions(&project, &["show", &id]).success().stdout;
    let exported = sessions(&project, &["export", &id]).success().json();
    assert!(shown.contains(&format!("✗ read {cut}\n")), "{shown}");
    assert!(
        shown.starts_with(&format!("look for src/{}…\n", "ä".repeat(46))),
        "{shown}"
    );
    let calls = exported["messages"].as_array().unwrap().iter();
    let mut parts = calls.flat_map(|message| message["parts"].as_array().unwrap());
    assert!(parts.any(|part| part["title"] == *cut), "{exported}");
    let run = Lathe::in_project(&project).args(["run", "-c", "again"]);
    server.script([
        Turn::tool("read", json!({"file_path": long})),
        Turn::text("Not there."),
    ]);
    let told = run.run().success().stderr;
    assert!(
        told.lines()
            .any(|line| line.starts_with("✗ read src/ä") && line.ends_with('…')),
        "{told}"
    );
}

#[test]
fn what_was_said_is_found_in_the_shape_of_the_interface() {
    let server = Server::start();
    let project = with_two(&server);
    let [dogs, foxes] = ids(&project).try_into().unwrap();
    let found = sessions(&project, &["search", "BROWN", "fox", "--json"]);
    let found = found.success().json();
    let hits = found["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 1, "{found}");
    let mut hit = hits[0].clone();
    assert!(hit["message"].as_str().unwrap().starts_with("msg_"), "{found}");
    assert!(hit["created"].is_i64(), "{found}");
    hit["message"] = Value::Null;
    hit["created"] = Value::Null;
    assert_eq!(
        hit,
        json!({
            "session": foxes, "message": null, "title": "about foxes", "role": "assistant", "created": null,
            "excerpt": "The quick brown fox. It jumps.",
        })
    );
    // The newest first, for people a line each.
    let text = sessions(&project, &["search", "the"]).success().stdout;
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].starts_with(&dogs) && lines[0].ends_with("The lazy dog."));
    assert!(lines[1].starts_with(&foxes) && lines[1].ends_with("The quick brown fox. It jumps."));
    assert_eq!(
        sessions(&project, &["search", "cats"]).success().stdout,
        "nothing found\n"
    );
    let none = sessions(&project, &["search", "cats", "--json"]);
    assert_eq!(none.success().json(), json!({"hits": []}));
}

#[test]
fn an_exported_session_is_the_shown_one_and_names_its_format() {
    let server = Server::start();
    let project = with_two(&server);
    let [dogs, foxes] = ids(&project).try_into().unwrap();
    let mut shown = sessions(&project, &["show", &dogs, "--json"]).success().json();
    shown["format"] = json!("lathe-session-1");
    for words in [&["export", &dogs, "--json"][..], &["export", &dogs]] {
        let exported = sessions(&project, words).success().json();
        assert_eq!(exported, shown, "{words:?}");
    }
    let markdown = sessions(&project, &["export", &foxes, "--format", "markdown"]);
    let markdown = markdown.success().stdout;
    assert!(
        markdown.starts_with("# about foxes\n") && markdown.contains("\nThe quick brown fox.\nIt jumps.\n"),
        "{markdown}"
    );
    let both = sessions(&project, &["export", &foxes, "--format", "markdown", "--json"]);
    let _ = both.assert_code(2);
}

#[test]
fn a_deleted_session_is_gone_with_the_outputs_of_its_calls() {
    let server = Server::start();
    let project = with_two(&server);
    let [dogs, foxes] = ids(&project).try_into().unwrap();
    let outputs = project.data_dir().join("tool-output");
    let kept = || std::fs::read_dir(&outputs).map_or(0, Iterator::count);
    assert_eq!(kept(), 1, "no output of a call is in {}", outputs.display());
    let deleted = sessions(&project, &["delete", &dogs]).success();
    assert_eq!(deleted.stdout, format!("deleted {dogs} · about dogs\n"));
    assert_eq!(ids(&project), [foxes.as_str()]);
    assert_eq!(kept(), 0);
    assert_eq!(
        sessions(&project, &["search", "lazy"]).success().stdout,
        "nothing found\n"
    );
    let again = sessions(&project, &["delete", &dogs]).assert_code(1);
    assert!(again.stderr.contains("there is no session"), "{again}");
    let deleted = sessions(&project, &["delete", &foxes, "--json"]).success();
    assert_eq!(deleted.json(), json!({"session": foxes}));
    assert!(ids(&project).is_empty());
}

#[test]
fn a_session_that_is_open_elsewhere_is_not_deleted() {
    let server = Server::with([Turn::text("Said here.")]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "question");
    terminal.wait_text("Said here.");
    let [id] = ids(&project).try_into().unwrap();
    let refused = sessions(&project, &["delete", &id]).assert_code(1);
    let told = format!(
        "the session is open in process {} and was not deleted; close it there first",
        terminal.pid().as_raw_nonzero()
    );
    assert!(refused.stderr.contains(&told), "{refused}");
    assert_eq!(ids(&project), [id.as_str()]);
    // It can be read meanwhile.
    assert_eq!(
        sessions(&project, &["export", &id]).success().json()["session"]["id"],
        id
    );
}

#[test]
fn what_a_title_holds_never_steers_the_terminal() {
    let hostile = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31mneedle\u{202e}\rover";
    let server = Server::with([Turn::text(&format!("I say {hostile}"))]);
    let project = project(&server);
    run(&project, hostile);
    let [id] = ids(&project).try_into().unwrap();
    for words in [
        &["list"][..],
        &["list", "--json"],
        &["show", &id],
        &["show", &id, "--json"],
        &["search", "needle"],
        &["search", "needle", "--json"],
        &["export", &id],
        &["export", &id, "--format", "markdown"],
        &["delete", &id],
    ] {
        let text = sessions(&project, words).success().stdout;
        assert!(
            text.contains("needle") || words[0] == "delete",
            "{words:?}: {text:?}"
        );
        let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!text.contains(steers), "{words:?}: {text:?}");
    }
}
