//! The window of a model on a local server is asked for before the first turn, and a server that does not tell costs little.

use serde_json::{Value, json};

use super::run::{events_of, project_with, text_of};
use super::screen::{open, say};
use super::support::{Finished, OtherAnswer, Project, Server, Turn};

/// A project whose model has nothing configured but the limit of its replies.
fn project(server: &Server, settings: &Value) -> Project {
    project_with(server)
        .file("a.txt", "A")
        .config(json!({"model": "local/m", "providers": {"local": {"models": {"m": settings}}}}))
}

fn ask(project: &Project) -> Finished {
    events_of(project).arg("go").run()
}

/// Returns the paths that were asked besides the model itself, in order.
fn asked_of(server: &Server) -> Vec<String> {
    let all = server.all_requests().into_iter();
    all.filter(|request| request.protocol.is_none())
        .map(|request| format!("{} {}", request.method, request.path))
        .collect()
}

/// Returns the limits of the replies, and the tokens of the first prompt at four bytes each.
fn limits(server: &Server) -> (Vec<u64>, u64) {
    let requests = server.requests();
    let limits = requests
        .iter()
        .map(|request| request.body["max_tokens"].as_u64().unwrap());
    (limits.collect(), requests[0].body.to_string().len() as u64 / 4)
}

#[test]
fn the_window_is_asked_for_once_and_the_reply_has_what_it_leaves() {
    const WINDOW: u64 = 40_000;
    for (path, answer) in [
        (
            "/props",
            json!({"default_generation_settings": {"n_ctx": WINDOW}}),
        ),
        (
            "/api/show",
            json!({"parameters": "num_ctx 40000", "model_info": {"llama.context_length": 131_072}}),
        ),
        (
            "/v1/models",
            json!({"data": [{"id": "m", "max_model_len": WINDOW}]}),
        ),
        (
            "/api/v0/models",
            json!({"data": [{"id": "m", "loaded_context_length": WINDOW}]}),
        ),
    ] {
        let read = || Turn::tool("read", json!({"file_path": "a.txt"}));
        let server = Server::with([read(), Turn::text("ok")]);
        server.answer(path, OtherAnswer::Json(answer));
        let finished = ask(&project(&server, &json!({"output": 60_000})));
        assert_eq!(text_of(&finished), "ok", "{path}: {finished}");
        let (limits, prompt) = limits(&server);
        assert!(
            limits[0] + prompt <= WINDOW && limits[0] > 1024 && limits[1] < WINDOW,
            "{path}: {limits:?} and {prompt}"
        );
        let asked = asked_of(&server);
        let times = asked.iter().filter(|asked| asked.ends_with(path)).count();
        assert_eq!(times, 1, "{asked:?}");
    }
}

#[test]
fn a_configured_window_wins_and_nothing_is_asked() {
    let server = Server::with([Turn::text("ok")]);
    server.answer(
        "/props",
        OtherAnswer::Json(json!({"default_generation_settings": {"n_ctx": 2048}})),
    );
    let finished = ask(&project(&server, &json!({"context": 200_000, "output": 60_000})));
    assert_eq!(text_of(&finished), "ok", "{finished}");
    assert_eq!(limits(&server).0, [60_000]);
    assert_eq!(asked_of(&server), Vec::<String>::new());
}

#[test]
fn a_server_that_tells_nothing_or_rubbish_is_asked_as_ever() {
    let rubbish = || OtherAnswer::Text("<html>Not here</html>");
    for (path, answer) in [
        ("/v1/models", OtherAnswer::Silence),
        ("/v1/models", rubbish()),
        ("/props", OtherAnswer::Silence),
        ("/props", OtherAnswer::Json(json!({"n_ctx": -1}))),
        ("/api/show", OtherAnswer::Json(json!([1]))),
        ("/nowhere", rubbish()),
    ] {
        let server = Server::with([Turn::text("ok")]);
        server.answer(path, answer.clone());
        let finished = ask(&project(&server, &json!({"output": 60_000})));
        assert_eq!(text_of(&finished), "ok", "{path} {answer:?}: {finished}");
        assert_eq!(limits(&server).0, [60_000], "{path} {answer:?}");
    }
}

#[test]
fn the_screen_does_not_wait_for_a_server_that_is_silent() {
    let server = Server::with([Turn::text("first answer"), Turn::text("second answer")]);
    server.answer("/v1/models", OtherAnswer::Silence);
    let project = project(&server, &json!({}));
    let terminal = open(&project);
    say(&terminal, "hello");
    terminal.wait_text("first answer");
    say(&terminal, "again");
    terminal.wait_text("second answer");
    // The second turn waits for nothing.
    assert_eq!(asked_of(&server), ["GET /v1/models"]);
}
