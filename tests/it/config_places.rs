//! What configures lathe is approved by content, whoever wrote it: each way to put a file of somebody else's into force, and
//! beside it a harmless twin that nobody is asked about.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use lathe::unconfirmed::{PLACES, PlaceKind};
use serde_json::{Value, json};

use crate::run::{events_of, last, project_with};
use crate::support::{Finished, Lathe, Project, Server, Turn};

/// Words of an agent, which a request has if its file was read.
const OF_PROMPT: &str = "word of the agent";
const HELPER: &str = "You are the helper of these tests.";

fn server() -> Server {
    let server = Server::start();
    server.otherwise(Turn::text("Done."));
    server
}

/// A project that is trusted whatever it brings.
fn project(server: &Server) -> Project {
    let config = json!({"trust": ["*"], "edit": {"require_read": false}});
    project_with(server).config(config).git()
}

fn link(project: &Project, target: &str, name: &str) {
    let path = project.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(target, path).unwrap();
}

fn settings() -> String {
    let hook = json!([{"hooks": [{"type": "command", "command": "echo hook >> ran"}]}]);
    json!({"hooks": {"SessionStart": hook}, "agents": {"build": {"prompt": OF_PROMPT}}}).to_string()
}

fn claude_settings() -> String {
    let hook = json!([{"hooks": [{"type": "command", "command": "echo hook >> ran"}]}]);
    json!({"hooks": {"SessionStart": hook}}).to_string()
}

fn agent() -> String {
    format!("---\ndescription: x\n---\n{OF_PROMPT}\n")
}

/// Writes a file with the tool; returns whether it was allowed.
fn write(project: &Project, mode: &str, file: &str, content: &str) -> bool {
    let call = json!({"file_path": file, "content": content}).to_string();
    let finished = Lathe::in_project(project)
        .args([
            "tool",
            "--format",
            "json",
            "--permission-mode",
            mode,
            "write",
            &call,
        ])
        .run();
    let event: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"));
    let error = event["details"]["error"]["kind"].as_str();
    assert!(matches!(error, None | Some("denied")), "{finished}");
    error.is_none()
}

/// Starts once more; returns what was told.
fn start(project: &Project, server: &Server) -> (String, Finished) {
    let finished = events_of(project).arg("go").run().success();
    let requests = server.requests();
    (requests.last().unwrap().body.to_string(), finished)
}

#[track_caller]
fn assert_held(project: &Project, server: &Server, file: &str) {
    let (body, finished) = start(project, server);
    assert!(!body.contains(OF_PROMPT), "{file}: {finished}");
    assert!(!project.exists("ran"), "{file}: {finished}");
    assert!(
        finished
            .stderr
            .contains("an agent or a command created or changed")
            && finished.stderr.contains(&format!("`{file}`")),
        "{file}: {finished}"
    );
}

#[track_caller]
fn assert_in_force(project: &Project, server: &Server, is_hook: bool) {
    let (body, finished) = start(project, server);
    assert!(!finished.stderr.contains("created or changed"), "{finished}");
    if is_hook {
        assert!(project.exists("ran"), "{finished}");
        fs::remove_file(project.path("ran")).unwrap();
    } else {
        assert!(body.contains(OF_PROMPT), "{finished}");
    }
}

/// A link to a place, an ordinary name behind it, the name of the file that is read, and whether it has a hook.
const LINKED: &[(&str, &str, &str, &str, bool)] = &[
    ("lathe.jsonc", "conf.jsonc", "conf.jsonc", "lathe.jsonc", true),
    (
        ".claude/settings.json",
        "../s.json",
        "s.json",
        ".claude/settings.json",
        true,
    ),
    (
        ".lathe",
        "conf",
        "conf/agents/build.md",
        ".lathe/agents/build.md",
        false,
    ),
    (
        ".lathe/agents",
        "../agents",
        "agents/build.md",
        ".lathe/agents/build.md",
        false,
    ),
    (
        ".claude/agents/build.md",
        "../../b.md",
        "b.md",
        ".claude/agents/build.md",
        false,
    ),
    (
        ".opencode",
        "a/b",
        "a/b/agent/build.md",
        ".opencode/agent/build.md",
        false,
    ),
];

fn content(read: &str) -> String {
    match read {
        "lathe.jsonc" => settings(),
        read if read.contains("settings") => claude_settings(),
        _ => agent(),
    }
}

#[test]
fn what_a_link_makes_configuration_is_asked_about_and_not_read() {
    for (name, target, written, read, _) in LINKED {
        for is_dangling in [true, false] {
            let server = server();
            let project = project(&server);
            link(&project, target, name);
            if !is_dangling {
                project.write(written, b"");
            }
            let content = content(read);
            assert!(!write(&project, "accept-edits", written, &content), "{name}");
            assert!(write(&project, "accept-edits", "other.md", &content), "{name}");
            if write(&project, "yolo", written, &content) {
                assert_held(&project, &server, read);
            } else {
                assert_eq!(*read, "lathe.jsonc", "what may never be written");
            }
        }
    }
}

#[test]
fn what_a_tool_wrote_is_not_read_when_a_link_comes_later() {
    for (name, target, written, read, is_hook) in LINKED {
        let server = server();
        let project = project(&server);
        let content = content(read);
        assert!(write(&project, "accept-edits", written, &content), "{name}");
        link(&project, target, name);
        assert_held(&project, &server, read);
        // What the person wrote at another name is read behind the same link.
        fs::remove_file(project.path(written)).unwrap();
        assert_held_no_more(&project, &server);
        let server = crate::config_places::server();
        let project = crate::config_places::project(&server);
        project.write(written, content.as_bytes());
        link(&project, target, name);
        assert_in_force(&project, &server, *is_hook);
    }
}

#[track_caller]
fn assert_held_no_more(project: &Project, server: &Server) {
    let (_, finished) = start(project, server);
    assert!(!finished.stderr.contains("created or changed"), "{finished}");
}

#[test]
fn every_place_is_held_where_a_command_or_a_tool_wrote_it() {
    for place in PLACES {
        let server = server();
        let project = project(&server);
        let file = match place.kind {
            PlaceKind::Settings | PlaceKind::ClaudeSettings => place.name.to_owned(),
            PlaceKind::Agents => format!("{}/build.md", place.name),
            PlaceKind::Commands => format!("{}/mine.md", place.name),
        };
        let content = match place.kind {
            PlaceKind::Settings => settings(),
            PlaceKind::ClaudeSettings => claude_settings(),
            PlaceKind::Agents | PlaceKind::Commands => agent(),
        };
        if place.kind == PlaceKind::Settings {
            assert!(!write(&project, "yolo", &file, &content), "{file}");
            // A copy of it, put in place by a command whose text names nothing.
            project.write("copy", content.as_bytes());
            project.write(
                "script.sh",
                format!("mkdir -p $(dirname {file}); mv copy {file}").as_bytes(),
            );
            let call = json!({"command": "bash script.sh"}).to_string();
            Lathe::in_project(&project)
                .args(["tool", "--permission-mode", "yolo", "bash", &call])
                .run()
                .success();
        } else {
            assert!(!write(&project, "accept-edits", &file, &content), "{file}");
            assert!(write(&project, "yolo", &file, &content), "{file}");
        }
        assert_held(&project, &server, &file);
        let listed = Lathe::in_project(&project).arg("commands").run().success();
        assert!(!listed.stdout.contains("/mine"), "{listed}");
    }
}

#[test]
fn an_edit_of_the_person_s_own_place_is_theirs_and_one_taken_back_too() {
    let server = server();
    let project = project(&server).file(".claude/agents/build.md", &agent());
    assert_in_force(&project, &server, false);
    assert!(write(
        &project,
        "yolo",
        ".claude/agents/build.md",
        "---\ndescription: y\n---\nother\n"
    ));
    let (_, finished) = start(&project, &server);
    assert!(
        finished.stderr.contains("`.claude/agents/build.md`"),
        "{finished}"
    );
    project.write(".claude/agents/build.md", agent().as_bytes());
    assert_in_force(&project, &server, false);
    project.write(
        ".claude/agents/build.md",
        agent().replace("description: x", "description: z").as_bytes(),
    );
    assert_in_force(&project, &server, false);
}

#[test]
fn a_file_that_settings_name_is_approved_by_content_too() {
    let server = server();
    let settings = json!({"agents": {"build": {"prompt": "{file:prompts/build.md}"}}}).to_string();
    let project = project(&server)
        .file("lathe.jsonc", &settings)
        .file("prompts/build.md", OF_PROMPT);
    assert_in_force(&project, &server, false);
    assert!(write(
        &project,
        "accept-edits",
        "prompts/build.md",
        &format!("{OF_PROMPT} and more")
    ));
    assert_held(&project, &server, "prompts/build.md");
    project.write("prompts/build.md", OF_PROMPT.as_bytes());
    assert_in_force(&project, &server, false);
}

#[test]
fn an_undo_that_brings_a_file_back_needs_a_yes() {
    let server = server();
    let project = project(&server);
    let file = ".lathe/agents/build.md";
    let patch = format!(
        "*** Begin Patch\n*** Update File: {file}\n*** Move to: notes.md\n@@\n-description: x\n+description: y\n*** End Patch\n"
    );
    server.script([
        Turn::tool("write", json!({"file_path": file, "content": agent()})),
        Turn::text("Made."),
    ]);
    let run = |more: &[&str]| {
        let run = events_of(&project).args(["--permission-mode", "yolo"]).args(more);
        let finished = run.arg("go").run().success();
        last(&finished)["session"].as_str().unwrap().to_owned()
    };
    let id = run(&[]);
    assert_held(&project, &server, file);
    server.script([
        Turn::tool("apply_patch", json!({"patch": patch})),
        Turn::text("Moved."),
    ]);
    run(&["-s", &id]);
    assert!(!project.exists(file) && project.exists("notes.md"));
    assert_held_no_more(&project, &server);
    let undone = Lathe::in_project(&project).args(["sessions", "undo", &id]).run();
    assert!(undone.success().stdout.contains("undone"));
    assert!(project.exists(file));
    assert_held(&project, &server, file);
}

#[test]
fn apply_leaves_out_what_configures_lathe_unless_it_is_named() {
    let server = server();
    let config = json!({
        "trust": ["*"],
        "permission": {"edit": "allow", "bash": "allow"},
        "agents": {"helper": {"description": "Helps", "mode": "subagent", "prompt": HELPER}},
    });
    let project = project_with(&server).config(config).file("a.txt", "one\n").git();
    let task =
        json!({"subagent_type": "helper", "description": "x", "prompt": "go", "isolation": "worktree"});
    server.script([Turn::tool("task", task), Turn::text("Done.")]);
    let write =
        |file: &str, content: &str| Turn::tool("write", json!({"file_path": file, "content": content}));
    let work = [
        write("lathe.jsonc", &settings()),
        write(".lathe/agents/build.md", &agent()),
        write("b.txt", "two\n"),
        Turn::text("Worked."),
    ];
    server.script_for(HELPER, work);
    let finished = events_of(&project).arg("go").run().success();
    let trees = Lathe::in_project(&project)
        .args(["worktrees", "list", "--json"])
        .run()
        .success();
    let trees = trees.json()["worktrees"].clone();
    let task = trees[0]["task"]
        .as_str()
        .unwrap_or_else(|| panic!("{finished}"))
        .to_owned();
    let worktrees = |words: &[&str]| {
        let all = Lathe::in_project(&project).arg("worktrees").args(words);
        all.run().success()
    };
    let configuring = json!([".lathe/agents/build.md", "lathe.jsonc"]);
    let diff = worktrees(&["diff", &task, "--json"]).json();
    let last: Vec<&Value> = diff["files"].as_array().unwrap().iter().skip(1).collect();
    assert!(last.iter().all(|file| file["configures"] == true), "{diff}");
    let applied = worktrees(&["apply", &task, "--json"]);
    assert_eq!(
        applied.json(),
        json!({"applied": ["b.txt"], "conflicts": [], "left_out": configuring})
    );
    assert!(applied.stderr.contains("--with-configuration"), "{applied}");
    assert!(project.exists("b.txt") && !project.exists("lathe.jsonc") && !project.exists(".lathe/agents"));
    assert_held_no_more(&project, &server);
    // The tree still has them.
    let again = worktrees(&["apply", &task]);
    assert_eq!(again.stdout, "", "{again}");
    let applied = worktrees(&["apply", &task, "--with-configuration", "--json"]);
    assert_eq!(applied.json(), json!({"applied": configuring, "conflicts": []}));
    assert_held(&project, &server, "lathe.jsonc");
    assert_held(&project, &server, ".lathe/agents/build.md");
    // A yes for once.
    let (body, _) = {
        let finished = events_of(&project).args(["--trust", "go"]).run().success();
        (server.requests().last().unwrap().body.to_string(), finished)
    };
    assert!(body.contains(OF_PROMPT) && project.exists("ran"));
}

/// Files of the source that may name a place in the project, each with the reason.
const NAMING: &[(&str, &str)] = &[
    ("unconfirmed/places.rs", "the table"),
    (
        "permission/defaults.rs",
        "names that are protected; a test compares them with the table",
    ),
    (
        "config/places.rs",
        "the user's own file, in lathe's configuration directory",
    ),
    (
        "config/layers.rs",
        "the user's own file, in lathe's configuration directory",
    ),
    (
        "config/claude/mod.rs",
        "the user's own file, in the home directory",
    ),
    (
        "project/agents/agent_files.rs",
        "the user's own directory, in the home directory",
    ),
    (
        "project/commands/mod.rs",
        "the user's own directory, in the home directory",
    ),
    (
        "cli/first_run.rs",
        "the user's own file, in lathe's configuration directory",
    ),
    (
        "cli/screen.rs",
        "the user's own file, in lathe's configuration directory",
    ),
];

fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "tests" {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !matches!(name, "tests.rs" | "harness.rs")
        {
            found.push(path);
        }
    }
}

#[test]
fn places_are_read_through_the_table_alone() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&source, &mut files);
    let mut report = Vec::new();
    for path in files {
        let name = path.strip_prefix(&source).unwrap().to_str().unwrap();
        if NAMING.iter().any(|(file, _)| *file == name) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            if PLACES
                .iter()
                .any(|place| line.contains(&format!("\"{}\"", place.name)))
            {
                report.push(format!("src/{name}: {}", line.trim()));
            }
        }
    }
    assert!(
        report.is_empty(),
        "these name a place that configuration is read from; take it from `unconfirmed::places`: {report:#?}"
    );
}
