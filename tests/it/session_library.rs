//! The sessions of a person, as a library: pinned and tagged, found by what was said in them, and removed for their age.

use std::fs;

use serde_json::{Value, json};

use crate::run::{events_of, last};
use crate::support::{Key, Lathe, Project, Protocol, Server, Terminal, Turn};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

fn project(server: &Server, settings: Value) -> Project {
    Project::new()
        .git()
        .model(server, Protocol::OpenAiChat)
        .config(settings)
}

/// Has a conversation, and returns its id.
fn said(project: &Project, prompt: &str) -> String {
    let run = events_of(project).arg(prompt).run().success();
    last(&run)["session"].as_str().unwrap().to_owned()
}

fn change(project: &Project, sql: &str, parameters: impl rusqlite::Params) {
    let database = rusqlite::Connection::open(project.data_dir().join("lathe.db")).unwrap();
    database.execute(sql, parameters).unwrap();
}

/// Makes a session older than it is.
fn age(project: &Project, session: &str, by: i64) {
    change(
        project,
        "UPDATE sessions SET updated = updated - ?2 WHERE id = ?1",
        rusqlite::params![session, by],
    );
}

fn listed(project: &Project) -> Vec<Value> {
    let list = Lathe::in_project(project).args(["sessions", "list", "--json"]);
    let list = list.run().success().json();
    list["sessions"].as_array().unwrap().clone()
}

fn ids(project: &Project) -> Vec<String> {
    let all = listed(project);
    let mut ids: Vec<String> = all
        .iter()
        .map(|session| session["id"].as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    ids
}

fn sorted<'a>(ids: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut ids: Vec<String> = ids.into_iter().cloned().collect();
    ids.sort();
    ids
}

fn open(project: &Project) -> Terminal {
    let terminal = Terminal::start(project, 120, 36, &[]);
    terminal.wait_text("send");
    terminal
}

#[test]
fn old_sessions_are_announced_and_removed_a_day_later_but_for_those_that_are_pinned() {
    let server = Server::with((0..4).map(|number| Turn::text(&format!("answer {number}"))));
    let project = project(&server, json!({"retention": {"sessions_days": 30}}));
    let titles = ["plant an oak", "plant a birch", "plant an elm", "plant a lime"];
    let sessions = titles.map(|title| said(&project, title));
    let [oak, birch, elm, lime] = &sessions;
    for old in [oak, birch] {
        age(&project, old, 32 * DAY);
    }
    age(&project, elm, 26 * DAY);

    let terminal = open(&project);
    terminal.wait_text("2 sessions with no message for 30 days will be removed");
    terminal.keys("/sessions removed\r");
    terminal.wait_text("3 of 4");
    let screen = terminal.wait_text("removed in 5d");
    assert_eq!(screen.matches("removed in 24h").count(), 2, "{screen}");
    assert!(!screen.contains("plant a lime"), "{screen}");
    terminal.keys("\x1b");
    terminal.wait_text("Type to filter");
    terminal.keys("oak");
    terminal.wait_text("1 of 4");
    terminal.keys("\x1bk");
    terminal.wait_text("▴ plant an oak");
    terminal.key(Key::Esc);
    terminal.wait_text("Type to filter");
    terminal.keys("pinned");
    terminal.wait_text("1 of 4");
    drop(terminal);
    assert_eq!(
        ids(&project),
        sorted(&sessions),
        "nothing goes on the day of its announcement"
    );

    // A day later.
    change(
        &project,
        "UPDATE sessions SET announced = announced - ?1",
        [25 * HOUR],
    );
    let terminal = open(&project);
    terminal.wait_text("Removed 1 session with no message for 30 days.");
    assert!(!terminal.screen().contains("will be removed"));
    drop(terminal);
    assert_eq!(ids(&project), sorted([oak, elm, lime]));
    let pinned = listed(&project)
        .into_iter()
        .find(|session| session["id"] == oak.as_str());
    assert_eq!(pinned.unwrap()["pinned"], true);
}

#[test]
fn a_session_that_was_used_after_its_announcement_is_announced_again() {
    let server = Server::with([Turn::text("one"), Turn::text("two")]);
    let project = project(&server, json!({"retention": {"sessions_days": 30}}));
    let oak = said(&project, "plant an oak");
    age(&project, &oak, 40 * DAY);
    let announced = "1 session with no message for 30 days will be removed";
    let terminal = open(&project);
    terminal.wait_text(announced);
    drop(terminal);
    let run = Lathe::in_project(&project).args(["run", "--session", &oak, "water it"]);
    run.run().success();
    // Old again, and no screen was started meanwhile.
    change(
        &project,
        "UPDATE sessions SET updated = updated - ?1, announced = announced - ?1",
        [31 * DAY],
    );
    let terminal = open(&project);
    terminal.wait_text(announced);
    drop(terminal);
    assert_eq!(ids(&project), [oak]);
}

#[test]
fn sessions_are_kept_for_ever_unless_the_global_file_says_otherwise() {
    let server = Server::with([Turn::text("an answer")]);
    let project =
        project(&server, json!({})).file(".lathe/lathe.jsonc", r#"{"retention": {"sessions_days": 1}}"#);
    let session = said(&project, "plant an oak");
    age(&project, &session, 4_000 * DAY);
    for _ in 0..2 {
        let terminal = Terminal::start(&project, 120, 36, &["--trust"]);
        terminal.wait_text("send");
        change(
            &project,
            "UPDATE sessions SET announced = 1 WHERE announced IS NOT NULL",
            [],
        );
    }
    assert!(ids(&project).contains(&session));
}

#[test]
fn tags_are_shown_known_in_their_project_and_found() {
    let server = Server::with((0..3).map(|number| Turn::text(&format!("answer {number}"))));
    let project = project(&server, json!({}));
    let sessions = ["plant an oak", "plant a birch", "plant an elm"].map(|title| said(&project, title));
    let terminal = open(&project);
    terminal.keys("\x18s");
    terminal.wait_text("Sessions of this project");
    terminal.keys("oak");
    terminal.wait_text("1 of 3");
    terminal.keys("\x1bg");
    terminal.wait_text("Tags, separated by spaces");
    terminal.keys("#Trees, garden\r");
    terminal.wait_text("#trees #garden");
    terminal.key(Key::Esc);
    terminal.wait_text("Type to filter");
    terminal.keys("birch");
    terminal.wait_text("1 of 3");
    terminal.keys("\x1bg");
    terminal.wait_text("in this project: garden trees");
    terminal.keys("lost");
    terminal.key(Key::Esc);
    terminal.wait_text("Sessions of this project");
    terminal.key(Key::Esc);
    terminal.wait_text("Type to filter");
    terminal.keys("#gard");
    terminal.wait_text("1 of 3");
    terminal.wait_text("plant an oak");
    drop(terminal);
    let tags = |id: &String| {
        let all = listed(&project);
        all.into_iter()
            .find(|session| session["id"] == id.as_str())
            .unwrap()["tags"]
            .clone()
    };
    assert_eq!(tags(&sessions[0]), json!(["trees", "garden"]));
    assert_eq!(tags(&sessions[1]), Value::Null);
}

#[test]
fn beside_a_session_that_is_found_stands_what_was_said_there() {
    let long = "word ".repeat(200);
    let server = Server::with([
        Turn::text(&format!("{long}\n\nThe acorn weighs nine grams.")),
        Turn::text(&long),
        Turn::text("Nothing of that kind."),
        Turn::text("Oaks grow slowly."),
    ]);
    let project = project(&server, json!({}));
    let first = said(&project, "weigh it");
    for prompt in ["and then?", "and now?"] {
        let run = Lathe::in_project(&project).args(["run", "--session", &first, prompt]);
        run.run().success();
    }
    // In another project.
    let elsewhere = project.outside().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let run = Lathe::in_project(&project)
        .cwd(elsewhere)
        .args(["run", "of trees"]);
    run.run().success();
    let terminal = open(&project);
    terminal.keys("\x18s");
    terminal.wait_text("Nothing of that kind.");
    terminal.keys("ACORN".to_lowercase().as_str());
    let screen = terminal.wait_text("The acorn weighs nine grams.");
    assert!(screen.contains("weigh it"), "the message before it:\n{screen}");
    terminal.wait_text("and then?");
    for _ in 0..5 {
        terminal.key(Key::Backspace);
    }
    terminal.wait_text("Nothing of that kind.");
    terminal.keys("oak");
    terminal.wait_text("Nothing in this project matches.");
    terminal.key(Key::Tab);
    terminal.wait_text("Sessions of all projects");
    terminal.wait_text("Oaks grow slowly.");
}
