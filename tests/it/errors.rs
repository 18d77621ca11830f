//! Every error reads as a sentence that says what happened and what to do. All of them stand in one picture.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use super::run::{events_of, of_kind, project_with};
use super::support::{Fault, Finished, Lathe, Project, Protocol, Server, Turn};

/// Puts names in place of what differs between two runs: the directory and the server's address.
fn filtered(text: &str, project: &Project, server: &Server) -> String {
    let base = project.outside().to_str().unwrap().to_owned();
    text.replace(&base, "[TMP]")
        .replace(&server.address().to_string(), "[SERVER]")
}

/// One more case in the picture.
fn tell(into: &mut String, what: &str, finished: &Finished, project: &Project, server: &Server) {
    writeln!(
        into,
        "# {what} → {}",
        finished.code.map_or("signal".to_owned(), |code| code.to_string())
    )
    .unwrap();
    into.push_str(&filtered(&finished.stderr, project, server));
    if !into.ends_with('\n') {
        into.push('\n');
    }
    into.push('\n');
}

#[track_caller]
fn assert_picture(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.add_filter(r"ses_[0-9a-z]{26}", "[SESSION]");
    settings.add_filter(r"(retry \d+ in )\d+ ms", "${1}[N] ms");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn arguments() {
    let server = Server::start();
    let project = project_with(&server).file("bin", "").bytes("binary", &[0, 1, 2]);
    let mut text = String::new();
    for words in [
        &["run"][..],
        &["run", "-m", "nobody/nothing", "x"],
        &["run", "-m", "bare", "x"],
        &["run", "-a", "nobody", "x"],
        &["run", "-f", "missing.txt", "x"],
        &["run", "-f", ".", "x"],
        &["run", "-f", "binary", "x"],
        &["run", "-s", "not an id", "x"],
        &["run", "-s", "ses_00000000000000000000000000", "x"],
        &["run", "-c", "-s", "ses_00000000000000000000000000", "x"],
        &["run", "--format", "yaml", "x"],
        &["run", "--permission-mode", "maybe", "x"],
        &["run", "--config", "missing.jsonc", "x"],
        &["run", "--replay", "missing.jsonl", "x"],
        &["run", "--no-such-flag", "x"],
        &["nowhere"],
        &["sessions", "show", "ses_00000000000000000000000000"],
        &["sessions", "export", "ses_00000000000000000000000000"],
        &["sessions", "delete", "ses_00000000000000000000000000"],
        &["sessions", "delete", "everything"],
        &["sessions", "search"],
        &["sessions", "search", ""],
        &["tool", "reed", "{}"],
        &["tool", "read", "[]"],
        &["tool", "read", "{"],
        &["tools", "reed"],
    ] {
        let finished = Lathe::in_project(&project).args(words).run();
        assert!(matches!(finished.code, Some(1 | 2)), "{finished}");
        tell(&mut text, &words.join(" "), &finished, &project, &server);
    }
    assert_picture("errors__arguments", &text);
}

#[test]
fn configuration() {
    let server = Server::start();
    let mut text = String::new();
    for config in [
        "{",
        "{ \"model\": }",
        "[]",
        "{ \"modle\": \"local/x\" }",
        "{ \"model\": 5 }",
        "{ \"model\": \"bare\" }",
        "{ \"permission\": { \"bash\": \"maybe\" } }",
        "{ \"max_steps\": -1 }",
        "{ \"providers\": { \"local\": { \"protocol\": \"telepathy\" } } }",
        "{ \"providers\": { \"other\": { \"api_key\": \"k\" } }, \"model\": \"other/m\" }",
        "{ \"providers\": { \"local\": { \"api_key\": \"{file:missing.txt}\" } } }",
        "{ \"providers\": { \"local\": { \"base_url\": \"not a url\" } } }",
        "{ \"providers\": { \"local\": { \"base_url\": \"ftp://host/\" } } }",
        "{ \"hooks\": { \"PreToolUse\": [ { \"matcher\": \"(\", \"hooks\": [] } ] } }",
    ] {
        let project = project_with(&server);
        fs::write(project.outside().join("extra.jsonc"), config).unwrap();
        let finished = events_of(&project)
            .args(["--config", "../extra.jsonc", "x"])
            .run();
        assert_eq!(finished.code, Some(2), "{config}\n{finished}");
        let told = of_kind(&finished, "error");
        assert_eq!(
            (told.len(), &told[0]["kind"]),
            (1, &json!("config")),
            "{config}\n{finished}"
        );
        let mut finished = finished;
        if finished.stderr.is_empty() {
            finished.stderr = told[0]["message"].as_str().unwrap().to_owned();
        }
        tell(&mut text, config, &finished, &project, &server);
    }
    let project = Project::new();
    let finished = Lathe::in_project(&project)
        .args(["run", "x"])
        .run()
        .assert_code(2);
    tell(&mut text, "nothing is configured", &finished, &project, &server);
    assert_eq!(server.all_requests().len(), 0);
    assert_picture("errors__configuration", &text);
}

#[test]
fn providers() {
    let mut text = String::new();
    for status in [301, 400, 401, 402, 403, 404, 413, 429, 500, 503, 529] {
        let mut turn = Turn::text("Never.");
        for _ in 0..2 {
            turn = turn.fail(Fault::status(status));
        }
        picture_of(&mut text, &status.to_string(), &Server::with([turn]));
    }
    let silent = Fault::Stall { after: 0 };
    let server = Server::with([Turn::text("Never.").fail(silent.clone()).fail(silent)]);
    let brief = json!({"providers": {"local": {"idle_timeout_ms": 300}}});
    picture_with(&mut text, "silence", &server, brief);
    for fault in [
        Fault::Malformed { after: 0 },
        Fault::ErrorEvent {
            after: 0,
            message: "No luck.".to_owned(),
        },
        Fault::Giant { bytes: 5 << 20 },
    ] {
        let server = Server::with([Turn::text("Never.").fail(fault.clone()).fail(fault.clone())]);
        picture_of(&mut text, &format!("{fault:?}"), &server);
    }
    assert_picture("errors__providers", &text);
}

fn picture_of(text: &mut String, what: &str, server: &Server) {
    picture_with(text, what, server, json!({}));
}

fn picture_with(text: &mut String, what: &str, server: &Server, settings: Value) {
    let project = Project::new()
        .model(server, Protocol::Anthropic)
        .config(json!({"providers": {"local": {"retry": {"max": 1, "base_ms": 1, "max_ms": 1}}}}))
        .config(settings);
    let finished = Lathe::in_project(&project)
        .args(["run", "x"])
        .run()
        .assert_code(1);
    assert_eq!(finished.stdout, "", "{what}");
    tell(text, what, &finished, &project, server);
}

#[test]
fn machine() {
    let server = Server::start();
    let project = project_with(&server);
    let blocked = project.outside().join("blocked");
    fs::write(&blocked, "").unwrap();
    let mut text = String::new();
    let finished = Lathe::in_project(&project)
        .env("LATHE_DATA_DIR", blocked.join("data"))
        .args(["run", "x"])
        .run();
    tell(
        &mut text,
        "the data directory cannot be made",
        &finished.assert_code(1),
        &project,
        &server,
    );

    fs::create_dir_all(project.outside().join("damaged")).unwrap();
    let _ = Lathe::in_project(&project).args(["sessions", "list"]).run();
    for entry in fs::read_dir(project.data_dir()).unwrap() {
        let entry = entry.unwrap();
        if entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "db")
        {
            fs::write(
                project.outside().join("damaged").join(entry.file_name()),
                "this is no database",
            )
            .unwrap();
        }
    }
    let finished = Lathe::in_project(&project)
        .env("LATHE_DATA_DIR", project.outside().join("damaged"))
        .args(["run", "x"])
        .run()
        .assert_code(1);
    tell(&mut text, "the database is damaged", &finished, &project, &server);

    let finished = Lathe::in_project(&project)
        .env("LATHE_CONFIG_DIR", "relative")
        .args(["run", "x"])
        .run();
    tell(
        &mut text,
        "a directory of the environment is relative",
        &finished,
        &project,
        &server,
    );

    let finished = Lathe::in_project(&project)
        .env_remove("HOME")
        .env("HOME", "")
        .args(["tools", "read"])
        .run();
    assert_eq!(finished.code, Some(0), "{finished}");
    let unreachable = json!({"model": "local/m", "providers": {"local": {"base_url": "http://127.0.0.1:9/v1",
        "retry": {"max": 0}}}});
    let project = Project::new().config(unreachable);
    let finished = Lathe::in_project(&project)
        .args(["run", "x"])
        .run()
        .assert_code(1);
    tell(&mut text, "nobody listens", &finished, &project, &server);
    assert_picture("errors__machine", &text);
}

#[test]
fn what_a_tool_says_of_its_errors_is_for_the_model_to_act_on() {
    let server = Server::with([
        Turn::new()
            .call("read", json!({"file_path": "src/mian.rs"}))
            .call("read", json!({}))
            .call("read", json!({"file_path": "a.txt", "limit": "many"}))
            .call(
                "edit",
                json!({"file_path": "a.txt", "old_string": "x", "new_string": "y"}),
            )
            .call("write", json!({"file_path": "a.txt", "content": "y"}))
            .call("bash", json!({"command": "touch x"}))
            .call("bash", json!({"command": "true", "timeout": 0}))
            .call("reed", json!({}))
            .raw_args("read", "{\"file_path\": \"a"),
        Turn::text("Done."),
    ]);
    let project = project_with(&server)
        .file("a.txt", "one\n")
        .file("src/main.rs", "fn main() {}\n");
    let finished = events_of(&project).arg("go").run().success();
    let results = of_kind(&finished, "tool_result");
    let mut text = String::new();
    for call in of_kind(&finished, "tool_call") {
        let result = results
            .iter()
            .find(|result| result["call"] == call["call"])
            .unwrap();
        let kind: &Value = &result["details"]["error"]["kind"];
        assert_eq!(result["ok"], false, "{result}");
        writeln!(
            text,
            "# {} {} → {}\n{}\n",
            call["tool"].as_str().unwrap(),
            call["args"],
            kind,
            result["output"].as_str().unwrap()
        )
        .unwrap();
    }
    assert_picture("errors__tools", &filtered(&text, &project, &server));
}
