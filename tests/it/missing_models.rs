//! Sessions whose model or provider is not configured any more.

use std::fs;

use serde_json::json;

use crate::screen::{project, say};
use crate::support::{Finished, Key, Lathe, Project, Server, Terminal, Turn};

/// A project with a session, and the id of that.
fn with_session(server: &Server) -> (Project, String) {
    server.script([Turn::text("The first answer.")]);
    let project = project(server);
    let _ = run(&project, &["remember the foxes"]).success();
    let list = Lathe::in_project(&project).args(["sessions", "--json"]).run();
    let id = list.success().json()["sessions"][0]["id"].clone();
    (project, id.as_str().unwrap().to_owned())
}

fn run(project: &Project, words: &[&str]) -> Finished {
    Lathe::in_project(project).arg("run").args(words).run()
}

/// Gives the provider another name, as whoever tidies up does.
fn rename_provider(project: &Project) {
    let file = project.config_dir().join("lathe.jsonc");
    let text = fs::read_to_string(&file).unwrap();
    let renamed = text
        .replace("\"local\"", "\"other\"")
        .replace("local/test-model", "other/test-model");
    assert_ne!(renamed, text);
    fs::write(file, renamed).unwrap();
}

#[test]
fn a_session_whose_provider_is_gone_opens_and_goes_on_with_a_model_that_is_chosen() {
    let server = Server::start();
    let (project, id) = with_session(&server);
    rename_provider(&project);
    for arguments in [vec!["-s", id.as_str()], vec!["-c"]] {
        let terminal = Terminal::start(&project, 120, 30, &arguments);
        let screen = terminal.wait_text("its model is not available: ctrl+x m chooses");
        for part in [
            "The first answer.",
            "local/test-model",
            "choose one with `/model`",
        ] {
            assert!(screen.contains(part), "{part:?} is missing in\n{screen}");
        }
        say(&terminal, "go on");
        terminal.wait_text("not sent: its model is not available");
        terminal.wait_text("┃ go on");
    }
    assert_eq!(
        server.requests().len(),
        1,
        "nothing is sent to another model unasked"
    );

    server.script([Turn::text("The second answer.")]);
    let terminal = Terminal::start(&project, 120, 30, &["-s", &id]);
    terminal.wait_text("its model is not available: ctrl+x m chooses");
    terminal.key(Key::Ctrl('x'));
    terminal.keys("m");
    terminal.wait_text("other/test-model");
    terminal.key(Key::Enter);
    terminal.wait_gone("its model is not available: ctrl+x m");
    terminal.key(Key::Ctrl('c'));
    say(&terminal, "what did I say?");
    terminal.wait_text("The second answer.");
    let request = server.requests().pop().unwrap();
    assert!(request.mentions("remember the foxes"), "{:#}", request.body);
}

/// The variant of a machine where nothing is configured: there is no model at all.
#[test]
fn a_session_opens_where_no_provider_is_configured() {
    let server = Server::start();
    let (project, id) = with_session(&server);
    fs::write(project.config_dir().join("lathe.jsonc"), "{}").unwrap();
    let terminal = Terminal::start(&project, 120, 30, &["-s", &id]);
    let screen = terminal.wait_text("its model is not available: ctrl+x m chooses");
    assert!(screen.contains("The first answer."), "{screen}");
}

#[test]
fn a_run_names_the_model_that_is_not_available() {
    let server = Server::start();
    let (project, id) = with_session(&server);
    rename_provider(&project);
    for arguments in [vec!["-s", id.as_str(), "go on"], vec!["-c", "go on"]] {
        let refused = run(&project, &arguments).assert_code(2);
        for part in [
            format!("the model `local/test-model` of session `{id}` is not available"),
            "there is no provider `local`".to_owned(),
            "-m PROVIDER/MODEL".to_owned(),
        ] {
            assert!(refused.stderr.contains(&part), "{part:?} is missing in {refused}");
        }
    }
    assert_eq!(server.requests().len(), 1);
    server.script([Turn::text("The second answer.")]);
    let words = ["-s", &id, "-m", "other/test-model", "go on"];
    let finished = run(&project, &words).success();
    assert!(finished.stdout.contains("The second answer."), "{finished}");
}

/// A model that was asked for is another matter: nothing is opened without it.
#[test]
fn a_model_that_was_asked_for_has_to_be_available() {
    let server = Server::start();
    let (project, id) = with_session(&server);
    let terminal = Terminal::start(&project, 80, 24, &["-s", &id, "-m", "gone/x"]);
    assert!(!terminal.wait_exit().success());
    let project = project.config(json!({"model": "gone/x"}));
    server.script([Turn::text("The second answer.")]);
    // The session has a model of its own.
    let _ = run(&project, &["-s", &id, "go on"]).success();
}
