//! The environment of what lathe starts: no keys of providers, nothing that looks like a secret, and no value that the
//! configuration sends to a server.

use serde_json::json;

use super::run::{events_of, of_kind, project_with};
use super::screen::with_script;
use super::support::{Key, LATHE, Project, Server, Terminal, Turn, wait_until};

/// Variables that nothing which lathe starts may see: by their name, as keys of providers, and as used in the settings.
const SECRETS: [(&str, &str); 12] = [
    ("MY_TOKEN", "t"),
    ("db_password", "p"),
    ("SOME_CREDENTIALS", "c"),
    ("STRIPE_SECRET", "s"),
    ("OLD_PASSWD", "o"),
    ("ANTHROPIC_API_KEY", "a"),
    ("OPENAI_API_KEY", "b"),
    ("GEMINI_API_KEY", "g"),
    ("EXA_API_KEY", "e"),
    ("ONE", "1"),
    ("TWO", "zz"),
    ("THREE", "k7z"),
];

/// Uses `ONE`, `TWO` and `THREE` in a key, a header and a URL, as long as they are.
fn project(server: &Server) -> Project {
    let hook =
        |event: &str| json!([{"hooks": [{"type": "command", "command": format!("env > {event}.env")}]}]);
    let project = project_with(server);
    let address = format!("http://{}/{{env:THREE}}", server.address());
    project.config(json!({
        "providers": {
            "local": {"api_key": "{env:ONE}", "headers": {"x-pass": "Basic {env:TWO}"}},
            "other": {"protocol": "openai-chat", "base_url": address, "models": {"m": {}}},
        },
        "hooks": {
            "SessionStart": hook("SessionStart"), "UserPromptSubmit": hook("UserPromptSubmit"),
            "PreToolUse": hook("PreToolUse"), "PostToolUse": hook("PostToolUse"), "Stop": hook("Stop"),
            "SessionEnd": hook("SessionEnd"),
        },
    }))
}

#[track_caller]
fn assert_no_secret(environment: &str, of: &str) {
    assert!(environment.contains("PATH="), "{of}: {environment}");
    for (name, _) in SECRETS {
        let has_it = environment
            .lines()
            .any(|line| line.starts_with(&format!("{name}=")));
        assert!(!has_it, "{of} sees {name}:\n{environment}");
    }
}

#[test]
fn commands_and_hooks_see_no_secret_however_short() {
    let server = Server::with([Turn::tool("bash", json!({"command": "env"})), Turn::text("Done.")]);
    let project = project(&server);
    let mut run = events_of(&project).args(["--permission-mode", "yolo", "go"]);
    for (name, value) in SECRETS {
        run = run.env(name, value);
    }
    let finished = run.env("HARMLESS", "fine").run().success();
    let output = of_kind(&finished, "tool_result")[0]["output"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_no_secret(&output, "bash");
    assert!(output.contains("HARMLESS=fine"), "{output}");
    for event in [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
        "SessionEnd",
    ] {
        assert_no_secret(&project.read(format!("{event}.env")), event);
    }
    assert_eq!(server.requests()[0].headers["x-pass"], "Basic zz");
}

#[test]
fn what_the_person_starts_sees_no_secret_either() {
    let server = Server::start();
    let project = project(&server);
    let mut words: Vec<String> = SECRETS
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    words.push(LATHE.to_owned());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let terminal = Terminal::program("env", &project, 80, 24, &words);
    terminal.wait_text("send");
    terminal.keys("!env > own.tmp; mv own.tmp own.env");
    terminal.key(Key::Enter);
    wait_until("the command has ended", || project.exists("own.env"));
    assert_no_secret(&project.read("own.env"), "a command of the person's own");
}

/// An editor may need what its person has set for it, so only what is sent to a server is kept from it.
#[test]
fn the_editor_sees_nothing_that_is_sent_to_a_server() {
    let server = Server::start();
    let project = with_script(project(&server), "editor", "env > tmp; mv tmp editor.env");
    let editor = format!("EDITOR={}", project.path("editor").display());
    let words = [
        editor.as_str(),
        "ONE=1",
        "TWO=zz",
        "THREE=k7z",
        "EDITOR_TOKEN=mine",
        LATHE,
    ];
    let terminal = Terminal::program("env", &project, 80, 24, &words);
    terminal.wait_text("send");
    terminal.key(Key::Ctrl('g'));
    wait_until("the editor has ended", || project.exists("editor.env"));
    let environment = project.read("editor.env");
    for name in ["ONE=", "TWO=", "THREE="] {
        assert!(
            !environment.lines().any(|line| line.starts_with(name)),
            "{environment}"
        );
    }
    assert!(environment.contains("EDITOR_TOKEN=mine"), "{environment}");
}
