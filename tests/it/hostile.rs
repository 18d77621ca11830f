//! A model, files and a machine that mean no good: nothing of it gets past the rules, onto the terminal, or out of step.

mod disk;
mod model;

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::run::{assert_well_formed, events_of, of_kind, project_with, reason, text_of};
use super::support::{Finished, Lathe, Project, Protocol, Server, Turn};

fn yolo(project: &Project) -> Lathe {
    events_of(project).args(["--permission-mode", "yolo"])
}

/// Results in the order of the calls.
fn results(finished: &Finished) -> Vec<Value> {
    let ended = of_kind(finished, "tool_result");
    let calls = of_kind(finished, "tool_call");
    let result = |call: &Value| {
        ended
            .iter()
            .find(|result| result["call"] == call["call"])
            .unwrap()
            .clone()
    };
    calls.iter().map(result).collect()
}

fn error_kinds(finished: &Finished) -> Vec<String> {
    let kind = |result: &Value| {
        result["details"]["error"]["kind"]
            .as_str()
            .unwrap_or("none")
            .to_owned()
    };
    results(finished).iter().map(kind).collect()
}

#[test]
fn a_denied_command_stays_denied_in_every_spelling() {
    let commands = [
        "rm -rf kept",
        "true; rm -rf kept",
        "true && rm -rf kept",
        "/bin/rm -rf kept",
        "X=1 rm -rf kept",
        "\\rm -rf kept",
        "r''m -rf kept",
        "echo $(rm -rf kept)",
        "(rm -rf kept)",
        "sh -c 'rm -rf kept'",
        "env rm -rf kept",
        "timeout 5 rm -rf kept",
        "echo kept | xargs rm -rf",
        "find kept -exec rm -rf {} +",
        "if true; then rm -rf kept; fi",
        "eval 'rm -rf kept'",
        "`echo true`; rm -rf kept",
    ];
    for command in commands {
        let server = Server::with([
            Turn::tool("bash", json!({"command": command})),
            Turn::text("Done."),
        ]);
        let project = project_with(&server)
            .file("kept/a", "a")
            .config(json!({"permission": {"bash": {"*": "allow", "rm *": "deny"}}}));
        let finished = yolo(&project).arg("go").run().success();
        assert_well_formed(&finished);
        assert!(project.exists("kept/a"), "`{command}` got through\n{finished}");
        assert_eq!(error_kinds(&finished), ["denied"], "`{command}` {finished}");
    }
}

#[test]
fn lathe_s_own_files_and_the_repository_s_are_out_of_reach() {
    let server = Server::start();
    let project = project_with(&server).file("a.txt", "a\n").git();
    symlink(".git", project.path("innocent")).unwrap();
    symlink("../config/lathe.jsonc", project.path("settings.txt")).unwrap();
    symlink("/etc", project.path("elsewhere")).unwrap();
    let config = project.config_dir().join("lathe.jsonc");
    let before = fs::read_to_string(&config).unwrap();
    let absolute = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
    let paths = [
        ".git/hooks/pre-commit".to_owned(),
        "./sub/../.git/config".to_owned(),
        ".GIT/hooks/post-checkout".to_owned(),
        "innocent/hooks/pre-push".to_owned(),
        "lathe.jsonc".to_owned(),
        ".lathe/lathe.jsonc".to_owned(),
        "settings.txt".to_owned(),
        absolute(config.clone()),
        absolute(project.data_dir().join("lathe.db")),
        absolute(project.state_dir().join("x")),
        absolute(project.path(".git/HEAD")),
    ];
    let mut turn = Turn::new();
    for path in &paths {
        turn = turn.call("write", json!({"file_path": path, "content": "{}"}));
    }
    server.script([turn, Turn::text("Done.")]);
    let head = project.read(".git/HEAD");
    let finished = yolo(&project).arg("go").run().success();
    assert_well_formed(&finished);
    for (path, result) in paths.iter().zip(results(&finished)) {
        assert_eq!(result["ok"], false, "`{path}` was written\n{result}");
        let kind = result["details"]["error"]["kind"].as_str().unwrap();
        // What cannot be written anyway is refused before anybody is asked.
        assert!(
            ["denied", "not_read", "binary"].contains(&kind),
            "`{path}`: {result}"
        );
    }
    assert_eq!(fs::read_to_string(config).unwrap(), before);
    assert_eq!(project.read(".git/HEAD"), head);
    for path in [
        ".git/hooks/pre-commit",
        ".git/hooks/post-checkout",
        ".git/hooks/pre-push",
        "lathe.jsonc",
    ] {
        assert!(!project.exists(path), "{path}\n{finished}");
    }
}

#[test]
fn a_redirection_into_the_repository_is_refused_in_every_mode() {
    for mode in ["ask", "accept-edits", "plan", "yolo"] {
        let server = Server::with([
            Turn::new()
                .call("bash", json!({"command": "echo x > .git/hooks/pre-commit"}))
                .call("bash", json!({"command": "echo x >lathe.jsonc"}))
                .call("bash", json!({"command": "ls | tee .git/hooks/pre-commit"})),
            Turn::text("Done."),
        ]);
        let project = project_with(&server).git();
        let finished = events_of(&project)
            .args(["--permission-mode", mode, "go"])
            .run()
            .success();
        assert_well_formed(&finished);
        assert_eq!(error_kinds(&finished), ["denied"; 3], "{mode}");
        assert!(
            !project.exists(".git/hooks/pre-commit") && !project.exists("lathe.jsonc"),
            "{mode}"
        );
    }
}

#[test]
fn outside_of_the_project_nothing_is_touched_unasked() {
    let server = Server::start();
    let project = project_with(&server).config(json!({"permission": {"edit": "allow", "bash": "allow"}}));
    let outside = project.outside();
    fs::write(outside.join("secret.txt"), "hidden words\n").unwrap();
    symlink(&outside, project.path("door")).unwrap();
    symlink(outside.join("not-there.txt"), project.path("dangling")).unwrap();
    let absolute = outside.join("secret.txt").to_str().unwrap().to_owned();
    server.script([
        Turn::new()
            .call("write", json!({"file_path": "../new.txt", "content": "x"}))
            .call("write", json!({"file_path": "door/new.txt", "content": "x"}))
            .call("write", json!({"file_path": "dangling", "content": "x"}))
            .call("read", json!({"file_path": "../secret.txt"}))
            .call("read", json!({"file_path": "door/secret.txt"}))
            .call("read", json!({"file_path": absolute}))
            .call("grep", json!({"pattern": "hidden", "path": ".."}))
            .call("grep", json!({"pattern": "hidden"}))
            .call("glob", json!({"pattern": "../*"}))
            .call("bash", json!({"command": "cat ../secret.txt"}))
            .call("bash", json!({"command": "touch ../new.txt"}))
            .call("bash", json!({"command": "pwd", "workdir": ".."})),
        Turn::text("Done."),
    ]);
    let finished = events_of(&project).arg("go").run().success();
    assert_well_formed(&finished);
    assert!(!finished.stdout.contains("hidden words"), "{finished}");
    assert!(
        !outside.join("new.txt").exists() && !outside.join("not-there.txt").exists(),
        "{finished}"
    );
    assert!(!server.requests()[1].mentions("hidden words"));
}

#[test]
fn nothing_raw_reaches_the_terminal() {
    let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{1b}Pq\u{1b}\\\u{202e}\r\u{8}";
    let server = Server::with([
        Turn::new()
            .say(&format!("Look: {evil}"))
            .call(
                "bash",
                json!({"command": "printf '\\033[2J\\033]0;x\\007 out'", "description": format!("x{evil}")}),
            )
            .call("read", json!({"file_path": format!("a{evil}b")}))
            .call(&format!("tool{evil}"), json!({})),
        Turn::text(&format!("Done{evil}.")),
    ]);
    let project = project_with(&server);
    fs::write(project.root().join("evil\u{1b}[2Jname"), "x\n").unwrap();
    let finished = Lathe::in_project(&project)
        .args(["run", "--permission-mode", "yolo", "go"])
        .run()
        .success();
    for (stream, text) in [("stdout", &finished.stdout), ("stderr", &finished.stderr)] {
        let is_raw = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
        assert!(!text.contains(is_raw), "{stream}: {text:?}");
    }
    assert!(finished.stdout.contains("Done"));

    let server = Server::with([
        Turn::tool("glob", json!({"pattern": "*"})),
        Turn::new()
            .say(evil)
            .call("read", json!({"file_path": format!("{evil}")})),
        Turn::text("Done."),
    ]);
    let project = project.model(&server, Protocol::OpenAiChat);
    let finished = yolo(&project).arg("go").run().success();
    assert_well_formed(&finished);
    let is_raw = |c: char| c.is_control() && c != '\n';
    assert!(!finished.stdout.contains(is_raw), "JSON escapes them");
}

#[test]
fn ten_megabytes_of_output_are_cut_and_kept() {
    let server = Server::with([
        Turn::tool(
            "bash",
            json!({"command": "head -c 10485760 /dev/zero | tr '\\0' x; printf '\\0\\377end'"}),
        ),
        Turn::text("Done."),
    ]);
    let project = project_with(&server);
    let finished = yolo(&project).arg("go").run().success();
    assert_well_formed(&finished);
    let result = &results(&finished)[0];
    assert_eq!(result["truncated"], true);
    assert!(result["output"].as_str().unwrap().len() < 60_000);
    assert_eq!(
        fs::metadata(result["output_path"].as_str().unwrap())
            .unwrap()
            .len(),
        10_485_765
    );
    assert!(
        finished.stdout.len() < 4_000_000,
        "live output is bounded too: {}",
        finished.stdout.len()
    );
}

#[test]
fn files_that_are_no_text_or_cannot_be_read_are_told_by_kind() {
    let server = Server::with([
        Turn::new()
            .call("read", json!({"file_path": "zeros"}))
            .call("read", json!({"file_path": "latin"}))
            .call("read", json!({"file_path": "pipe"}))
            .call("read", json!({"file_path": "/dev/zero"}))
            .call("read", json!({"file_path": "."}))
            .call("write", json!({"file_path": "sub", "content": "x"}))
            .call("read", json!({"file_path": "loop/a"})),
        Turn::text("Done."),
    ]);
    let project = project_with(&server)
        .bytes("zeros", &[0; 64])
        .bytes("latin", b"caf\xe9\n")
        .file("sub/a", "");
    symlink("loop", project.path("loop")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(project.path("pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    let finished = yolo(&project).arg("go").run().success();
    assert_well_formed(&finished);
    let kinds = error_kinds(&finished);
    assert_eq!(kinds[0], "binary", "{kinds:?}");
    assert_eq!(kinds[2..4], ["io", "io"], "{kinds:?}");
    assert_eq!(kinds[5], "is_directory", "{kinds:?}");
    assert_ne!(kinds[6], "none", "{kinds:?}");
}

#[test]
fn keys_are_neither_given_to_commands_nor_told() {
    let server = Server::with([
        Turn::tool(
            "bash",
            json!({"command": "env; echo ---; cat /proc/$PPID/environ 2>&1 | tr '\\0' '\\n'"}),
        ),
        Turn::text("Done."),
    ]);
    let project = project_with(&server).config(json!({
        "providers": {"local": {"api_key": "{env:LOCAL_MODEL}", "headers": {"X-Auth": "Bearer {env:HOUSE}"}}},
        "permission": {"bash": "allow"},
    }));
    let finished = yolo(&project)
        .env("LOCAL_MODEL", "sk-very-secret")
        .env("HOUSE", "of-many-doors")
        .env("MY_PASSWORD", "hunter22")
        .env("HARMLESS", "fine")
        .arg("go")
        .run()
        .success();
    assert_well_formed(&finished);
    let output = results(&finished)[0]["output"].as_str().unwrap().to_owned();
    assert!(
        output.contains("HARMLESS=fine") && output.contains("LATHE=1"),
        "{output}"
    );
    let inherited = output.split("---").next().unwrap();
    for secret in ["sk-very-secret", "of-many-doors", "hunter22"] {
        assert!(!inherited.contains(secret), "{output}");
    }
    // Nothing is hidden from root.
    if !rustix::process::geteuid().is_root() {
        assert!(!output.contains("sk-very-secret"), "{output}");
    }
}
