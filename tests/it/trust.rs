//! The parts that a project brings, with and without trust, through the real program.

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::run::{assert_well_formed, events_of, of_kind, project_with};
use crate::support::{Fault, Finished, Lathe, Project, Protocol, Server, Turn};

fn hook(event: &str, command: &str) -> Value {
    json!({ "hooks": { event: [{ "hooks": [{ "type": "command", "command": command }] }] } })
}

fn say_done() -> Server {
    let server = Server::start();
    server.otherwise(Turn::text("Done."));
    server
}

/// A project whose configuration runs a command when a session starts and allows `touch`.
fn loose(server: &Server) -> Project {
    let mut settings = hook("SessionStart", "echo project >> ran");
    settings["permission"] = json!({"bash": {"touch *": "allow"}});
    project_with(server)
        .file("lathe.jsonc", &settings.to_string())
        .git()
}

fn bash(project: &Project, options: &[&str], command: &str) -> (bool, Finished) {
    let call = json!({"command": command}).to_string();
    let finished = Lathe::in_project(project)
        .args(["tool", "--format", "json", "bash", &call])
        .args(options)
        .run();
    let event: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"));
    (event["ok"] == true, finished)
}

fn config(project: &Project, cwd: &Path) -> Value {
    let shown = Lathe::in_project(project)
        .args(["config", "show"])
        .cwd(cwd)
        .run()
        .success();
    serde_json::from_str(&shown.stdout).unwrap()
}

#[test]
fn without_trust_a_run_goes_on_without_the_parts_and_says_so_once() {
    let server = say_done();
    let project = loose(&server);
    let finished = events_of(&project).arg("go").run().success();
    assert_well_formed(&finished);
    let errors = of_kind(&finished, "error");
    assert_eq!(errors.len(), 1, "{finished}");
    assert_eq!(errors[0]["kind"], "untrusted");
    let told = errors[0]["message"].as_str().unwrap();
    assert!(
        told.contains("`hooks` in `lathe.jsonc`") && told.contains("`permission`"),
        "{told}"
    );
    assert_eq!(finished.stderr.lines().count(), 1, "{finished}");
    assert!(
        finished.stderr.contains("is not trusted") && finished.stderr.contains("--trust"),
        "{finished}"
    );
    assert!(!project.exists("ran"));
    assert_eq!(of_kind(&finished, "done")[0]["reason"], "stop");

    let text = Lathe::in_project(&project).args(["run", "go"]).run().success();
    assert_eq!(text.stderr.matches("not trusted").count(), 1, "{text}");
}

#[test]
fn run_tool_and_config_agree_about_the_project() {
    let server = say_done();
    let project = loose(&server);
    let (ok, finished) = bash(&project, &[], "touch a");
    assert!(!ok && finished.stderr.contains("is not trusted"), "{finished}");
    let shown = config(&project, &project.root());
    assert_eq!(shown["project"]["trusted"], false);
    assert_eq!(
        shown["project"]["parts"][0],
        json!({"file": "lathe.jsonc", "key": "hooks"})
    );
    assert_eq!(shown["hooks"]["SessionStart"], json!([]), "{shown}");
    let rules = shown["permission"].as_array().unwrap();
    assert_eq!(rules.last().unwrap()["ignored"], "the project is not trusted");
    let doctor = Lathe::in_project(&project).arg("doctor").run();
    assert!(doctor.stdout.contains("not trusted"), "{doctor}");

    let (ok, finished) = bash(&project, &["--trust"], "touch a");
    assert!(ok && finished.stderr.is_empty(), "{finished}");
    assert!(!bash(&project, &[], "touch b").0, "`--trust` is for one process");

    let root = project.root();
    let project = project.config(json!({"trust": [root.to_str().unwrap()]}));
    let (ok, finished) = bash(&project, &[], "touch b");
    assert!(ok && finished.stderr.is_empty(), "{finished}");
    let finished = events_of(&project).arg("go").run().success();
    assert_eq!(
        (project.read("ran"), &*finished.stderr),
        ("project\n".to_owned(), "")
    );
    let shown = config(&project, &project.root());
    assert_eq!(shown["project"]["by"], "configuration");
    assert_eq!(
        shown["hooks"]["SessionStart"].as_array().unwrap().len(),
        1,
        "{shown}"
    );
    let doctor = Lathe::in_project(&project).arg("doctor").run();
    assert!(
        doctor.stdout.contains("trusted by your configuration"),
        "{doctor}"
    );
}

#[test]
fn globs_of_the_global_file_trust_and_those_of_a_project_do_not() {
    let server = say_done();
    let all = json!({"trust": ["*"], "permission": {"bash": "allow"}}).to_string();
    let project = project_with(&server).file("lathe.jsonc", &all).git();
    let (ok, finished) = bash(&project, &[], "touch a");
    assert!(!ok, "{finished}");
    let project = project.config(json!({"trust": ["/nowhere/*", "~/../project"]}));
    assert!(!bash(&project, &[], "touch a").0);
    let above = format!("{}/*", project.outside().display());
    let project = project.config(json!({"trust": [above]}));
    assert!(bash(&project, &[], "touch a").0);
}

#[test]
fn a_trusted_project_opens_what_is_asked_and_nothing_that_is_denied() {
    let server = say_done();
    let rules = json!({"permission": {"bash": "allow", "edit": "allow"}});
    let project = project_with(&server)
        .config(json!({"permission": {"bash": {"cp *": "ask", "rm *": "deny"}}}))
        .file("lathe.jsonc", &rules.to_string())
        .file("a", "a")
        .git();
    assert!(bash(&project, &["--trust"], "cp a b").0);
    assert!(!bash(&project, &["--trust"], "rm a").0);
    let protected = json!({"file_path": ".claude/settings.json", "content": "{}"}).to_string();
    let finished = Lathe::in_project(&project)
        .args(["tool", "--trust", "--format", "json", "write", &protected])
        .run();
    assert!(finished.stdout.contains("protected"), "{finished}");
}

#[test]
fn rules_of_the_project_s_agents_need_trust_as_well() {
    let server = say_done();
    let agent = "---\npermission: { bash: allow }\n---\nBe quick.\n";
    let project = project_with(&server).file(".lathe/agents/quick.md", agent).git();
    let (ok, finished) = bash(&project, &["-a", "quick"], "touch a");
    assert!(!ok, "{finished}");
    let part = "`agents.quick.permission` in `.lathe/agents/quick.md`";
    assert!(finished.stderr.contains(part), "{finished}");
    assert!(bash(&project, &["-a", "quick", "--trust"], "touch a").0);
    assert!(
        !bash(&project, &["--trust"], "touch b").0,
        "the rules are that agent's"
    );
}

#[test]
fn a_provider_of_the_project_is_asked_only_with_trust() {
    let server = say_done();
    let settings = json!({"model": "corp/m", "providers": {"corp": {
        "protocol": "openai-chat", "base_url": server.url(Protocol::OpenAiChat)}}});
    let project = Project::new().file("lathe.jsonc", &settings.to_string()).git();
    let finished = Lathe::in_project(&project)
        .args(["run", "go"])
        .run()
        .assert_code(2);
    let told = "is not trusted; its own code and rules are ignored: `model` in `lathe.jsonc`, `providers` in";
    assert!(finished.stderr.contains(told), "{finished}");
    assert_eq!(server.requests().len(), 0);
    let finished = Lathe::in_project(&project)
        .args(["run", "--trust", "go"])
        .run()
        .success();
    assert_eq!(finished.stdout, "Done.\n");
}

#[test]
fn what_only_tightens_needs_no_trust() {
    let server = say_done();
    let project = project_with(&server)
        .file(
            "lathe.jsonc",
            r#"{"permission": {"bash": {"ls*": "deny"}}, "truncate": {"max_lines": 30}, "theme": "ember-dark"}"#,
        )
        .git();
    let (ok, finished) = bash(&project, &[], "ls");
    assert!(!ok && finished.stderr.is_empty(), "{finished}");
    assert_eq!(
        config(&project, &project.root())["project"]["trusted"],
        Value::Null
    );
    assert!(
        !project.data_dir().join("lathe.db").exists(),
        "nobody had to look anything up"
    );
}

/// Text that no request may hold.
const SECRET: &str = "hunter2-of-the-project";

/// Links `name` to `target`, as it is written, in a project.
fn link(project: &Project, target: &str, name: &str) {
    let link = project.root().join(name);
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(target, link).unwrap();
}

#[track_caller]
fn assert_never_sent(server: &Server) {
    let requests = server.requests();
    assert!(!requests.is_empty());
    for request in requests {
        let sent = format!("{request:?}");
        assert!(!sent.contains(SECRET), "{sent}");
    }
}

#[test]
fn what_read_would_ask_about_reaches_no_prompt_under_another_name() {
    let read = |path: &str| Turn::tool("read", json!({"file_path": path}));
    let server = Server::with([read("sub/a.txt"), read("sub/deep/b.txt")]);
    server.otherwise(Turn::text("Done."));
    let settings = json!({
        "instructions": [".env", "docs/*.md", "~/../project/.env"],
        "agents": {"extra": {"prompt": "Prompt: {file:.env} {file:docs/linked.md}"}},
    });
    let project = project_with(&server)
        .file(".env", &format!("PASSWORD={SECRET}\n"))
        .file("sub/a.txt", "a\n")
        .file("sub/deep/b.txt", "b\n")
        .file("lathe.jsonc", &settings.to_string())
        .git();
    link(&project, ".env", "AGENTS.md");
    link(&project, "../.env", "docs/linked.md");
    link(&project, "../../.env", ".lathe/agents/build.md");
    link(&project, "../../.env", ".claude/agents/spy.md");
    link(&project, "../../.env", ".lathe/commands/spy.md");
    link(&project, "../.env", "sub/AGENTS.md");
    link(&project, "../linked.md", "sub/deep/CLAUDE.md");
    link(&project, ".env", "sub/linked.md");
    for options in [&["-a", "build"][..], &["-a", "extra"], &["--trust"]] {
        let finished = Lathe::in_project(&project)
            .args(["run", "go"])
            .args(options)
            .run()
            .success();
        for name in [
            "AGENTS.md",
            "docs/linked.md",
            ".lathe/agents/build.md",
            ".lathe/commands/spy.md",
        ] {
            assert!(finished.stderr.contains(name), "{name} is not named: {finished}");
        }
        assert!(!finished.stderr.contains(SECRET), "{finished}");
    }
    assert_never_sent(&server);
    let sent = format!("{:?}", server.requests());
    assert!(sent.contains("sub/AGENTS.md were left out"), "{sent}");
}

#[test]
fn a_rule_that_lets_a_file_be_read_lets_it_reach_prompts_too() {
    let server = say_done();
    let project = project_with(&server)
        .config(json!({"permission": {"read": {"notes.env": "allow"}}}))
        .file("notes.env", "Speak plainly.\n")
        .git();
    link(&project, "notes.env", "AGENTS.md");
    Lathe::in_project(&project).args(["run", "go"]).run().success();
    assert!(format!("{:?}", server.requests()).contains("Speak plainly."));

    let project = project.config(json!({"permission": {"read": {"notes.env": "deny"}}}));
    let finished = Lathe::in_project(&project).args(["run", "go"]).run().success();
    assert!(finished.stderr.contains("AGENTS.md` was left out"), "{finished}");
    let last = format!("{:?}", server.requests().last().unwrap());
    assert!(!last.contains("Speak plainly."), "{last}");
}

#[test]
fn a_head_that_is_a_link_to_a_secret_names_no_branch() {
    let server = say_done();
    let project = project_with(&server)
        .file(".env", &format!("ref: refs/heads/{SECRET}\n"))
        .git();
    std::fs::remove_file(project.root().join(".git/HEAD")).unwrap();
    link(&project, "../.env", ".git/HEAD");
    Lathe::in_project(&project).args(["run", "go"]).run().success();
    assert_never_sent(&server);
}

#[test]
fn files_that_never_end_stop_no_start() {
    let server = say_done();
    let project = project_with(&server).file("a", "a").git();
    for name in [
        "AGENTS.md",
        "lathe.jsonc",
        ".lathe/agents/x.md",
        ".lathe/commands/x.md",
    ] {
        link(&project, "/dev/zero", name);
    }
    let fifo = project.root().join("CLAUDE.md");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(fifo)
            .status()
            .unwrap()
            .success()
    );
    let finished = Lathe::in_project(&project).args(["run", "go"]).run().success();
    for name in [
        "AGENTS.md",
        "CLAUDE.md",
        "lathe.jsonc",
        "agents/x.md",
        "commands/x.md",
    ] {
        assert!(finished.stderr.contains(name), "{name} is not named: {finished}");
    }
}

#[test]
fn models_and_agents_of_a_project_s_texts_wait_for_trust() {
    let server = say_done();
    let project = project_with(&server)
        .file(
            ".lathe/commands/go.md",
            "---\nmodel: local/other\nagent: plan\n---\nGo on.\n",
        )
        .file(
            ".lathe/agents/quick.md",
            "---\nmodel: local/third\nsteps: 1\ntools: { webfetch: true, write: false }\n---\nBe quick.\n",
        )
        .git();
    let (_, finished) = bash(&project, &[], "true");
    assert!(
        finished.stderr.contains("`model` in `.lathe/commands/go.md`"),
        "{finished}"
    );
    let shown = config(&project, &project.root());
    let keys: Vec<&str> = shown["project"]["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["key"].as_str().unwrap())
        .collect();
    assert_eq!(keys, ["agents.quick.model", "model", "agent"]);
}

#[test]
fn keys_guards_models_and_limits_of_a_project_wait_for_trust() {
    let server = say_done();
    let settings = json!({
        "keybinds": {"editor": "f4"},
        "edit": {"require_read": false}, "model": "local/other", "max_steps": 1, "batch": {"max_calls": 99},
        "truncate": {"max_lines": 7}, "tui": {"wheel_lines": 9},
    });
    let project = project_with(&server)
        .file("lathe.jsonc", &settings.to_string())
        .file("a", "x\n")
        .git();
    let edit = json!({"file_path": "a", "old_string": "x", "new_string": "y"});
    let calls = Server::with([Turn::tool("edit", edit.clone()), Turn::text("Done.")]);
    let project = project.model(&calls, Protocol::OpenAiChat);
    let finished = events_of(&project)
        .args(["--permission-mode", "yolo", "go"])
        .run()
        .success();
    assert_eq!(calls.requests().len(), 2, "`max_steps` was not taken: {finished}");
    assert_eq!(
        of_kind(&finished, "tool_result")[0]["ok"],
        false,
        "the file was not read"
    );
    let told = of_kind(&finished, "error")[0]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        told.contains("`keybinds` in `lathe.jsonc`") && told.contains("`edit` in"),
        "{told}"
    );
    let shown = config(&project, &project.root());
    assert_eq!(shown["truncate"]["max_lines"], 7);
    assert_eq!(shown["tui"]["wheel_lines"], 9);
    assert_eq!(shown["keybinds"], json!({}));
    assert_eq!(
        (&shown["max_steps"], &shown["batch"]["max_calls"]),
        (&json!(500), &json!(10))
    );
}

#[test]
fn what_a_command_writes_is_neither_loaded_nor_trusted() {
    let mut own = hook("Stop", "echo own >> ran");
    own["instructions"] = json!(["told.txt"]);
    let claude = hook("Stop", "echo claude >> ran").to_string();
    let server = Server::with([
        Turn::tool("bash", json!({"command": "sh place.sh"})),
        Turn::text("Done."),
    ]);
    server.otherwise(Turn::text("Done."));
    let project = project_with(&server)
        .config(json!({"trust": ["*"]}))
        .file("told.txt", "what was told")
        .file("made.json", &own.to_string())
        .file("claude.json", &claude)
        .file(
            "place.sh",
            "mkdir -p .claude; mv made.json lathe.jsonc; mv claude.json .claude/settings.json\n",
        )
        .git();
    Lathe::in_project(&project)
        .args(["run", "--permission-mode", "yolo", "go"])
        .run()
        .success();
    assert!(project.exists("lathe.jsonc") && project.exists(".claude/settings.json"));
    let finished = events_of(&project).arg("go").run().success();
    let told = of_kind(&finished, "error")[0]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        told.contains("`lathe.jsonc`") && told.contains("`.claude/settings.json`"),
        "{told}"
    );
    assert!(!project.exists("ran"), "{finished}");
    assert!(!server.requests().last().unwrap().mentions("what was told"));
}

#[test]
fn a_value_from_the_environment_is_known_by_the_name_of_its_variable() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "env"})),
        Turn::text("Done.").fail(Fault::ErrorEvent {
            after: 0,
            message: "no entry for ~7 here".to_owned(),
        }),
    ]);
    let address = server.url(Protocol::OpenAiChat);
    let project = project_with(&server)
        .config(json!({"providers": {"local": {
            "base_url": address.replace("127.0.0.1", "{env:SOME_HOST}"),
            "headers": {"x-pass": "Basic {env:SOME_PASS}", "x-plain": "Basic {file:pass}"},
        }}}))
        .config(hook("PostToolUse", "env > hook-environment"));
    project.write("../config/pass", b"f9\n");
    let with = |words: &[&str]| {
        Lathe::in_project(&project)
            .args(words)
            .env("SOME_PASS", "~7")
            .env("SOME_HOST", "127.0.0.1")
            .run()
    };
    let finished = with(&["run", "--format", "json", "--permission-mode", "yolo", "go"]);
    let output = of_kind(&finished, "tool_result")[0]["output"]
        .as_str()
        .unwrap()
        .to_owned();
    let of_hook = project.read("hook-environment");
    for environment in [&output, &of_hook] {
        assert!(
            !environment.contains("SOME_") && environment.contains("PATH="),
            "{environment}"
        );
    }
    assert!(
        !finished.stdout.contains("~7") && !finished.stderr.contains("~7"),
        "{finished}"
    );
    assert!(finished.stdout.contains("no entry for … here"), "{finished}");
    assert_eq!(server.requests()[0].headers["x-pass"], "Basic ~7");
    assert_eq!(server.requests()[0].headers["x-plain"], "Basic f9");
    let shown = with(&["config", "show"]).success().json();
    let local = &shown["providers"]["local"];
    assert_eq!(local["headers"]["x-pass"], "Basic {env:SOME_PASS}");
    assert_eq!(local["headers"]["x-plain"], "Basic {file:pass}");
    assert!(
        local["base_url"]
            .as_str()
            .unwrap()
            .contains("http://{env:SOME_HOST}:"),
        "{local}"
    );
    let corp = Project::new().config(json!({"providers": {"corp": {"base_url": "https://me:word@host/v1"}}}));
    let shown = config(&corp, &corp.root());
    assert_eq!(shown["providers"]["corp"]["base_url"], "https://[hidden]@host/v1");
}

#[test]
fn a_repository_behind_a_git_file_is_protected() {
    let project = Project::new().file("a", "a").git();
    let store = project.outside().join("store");
    std::fs::rename(project.root().join(".git"), &store).unwrap();
    project.write(".git", format!("gitdir: {}\n", store.display()).as_bytes());
    let hook = store.join("hooks/pre-commit");
    let write = json!({"file_path": hook, "content": "echo own\n"}).to_string();
    let finished = Lathe::in_project(&project)
        .args(["tool", "--permission-mode", "yolo", "write", &write])
        .run()
        .assert_code(1);
    assert!(finished.stdout.contains("permission `protected`"), "{finished}");
    let command = format!("echo own > {}", hook.display());
    let (ok, finished) = bash(&project, &["--permission-mode", "yolo"], &command);
    assert!(!ok && !hook.exists(), "{finished}");
}
