//! Undo and redo from the command line: files and conversation go back together, and nothing that somebody else wrote is lost.

use serde_json::{Value, json};

use crate::run::{events_of, last, project_with};
use crate::support::{Finished, Lathe, Project, Server, Turn};

/// Runs a turn and returns the session's id.
fn run(project: &Project, words: &[&str]) -> String {
    let finished = events_of(project)
        .args(["--permission-mode", "yolo"])
        .args(words)
        .run()
        .success();
    last(&finished)["session"].as_str().unwrap().to_owned()
}

fn sessions(project: &Project, words: &[&str]) -> Finished {
    Lathe::in_project(project).arg("sessions").args(words).run()
}

fn write(path: &str, text: &str) -> Turn {
    Turn::tool("write", json!({"file_path": path, "content": text}))
}

fn bash(command: &str) -> Turn {
    Turn::tool("bash", json!({"command": command}))
}

/// Texts of the messages of the person.
fn prompts(project: &Project, id: &str) -> Vec<String> {
    let shown = sessions(project, &["show", id, "--json"]).success().json();
    let messages = shown["messages"].as_array().unwrap().iter();
    let own = messages.filter(|message| message["role"] == "user");
    own.map(|message| {
        message["parts"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    })
    .collect()
}

fn message_ids(project: &Project, id: &str) -> Vec<String> {
    let shown = sessions(project, &["show", id, "--json"]).success().json();
    let messages = shown["messages"].as_array().unwrap().iter();
    messages
        .filter(|message| message["role"] == "user")
        .map(|message| message["id"].as_str().unwrap().to_owned())
        .collect()
}

/// Rows of an answer: path, action, and whether it is refused.
fn rows(answer: &Value) -> Vec<(String, String, bool)> {
    let files = answer["files"].as_array().unwrap().iter();
    files
        .map(|file| {
            (
                file["path"].as_str().unwrap().to_owned(),
                file["action"].as_str().unwrap().to_owned(),
                file.get("refused").is_some(),
            )
        })
        .collect()
}

fn row(path: &str, action: &str, is_refused: bool) -> (String, String, bool) {
    (path.to_owned(), action.to_owned(), is_refused)
}

#[test]
fn files_and_conversation_go_back_together_and_come_again() {
    let server = Server::with([
        Turn::tool("read", json!({"file_path": "a.txt"})),
        Turn::tool(
            "edit",
            json!({"file_path": "a.txt", "old_string": "one", "new_string": "two"}),
        ),
        write("new/deep/b.txt", "made\n"),
        Turn::tool("read", json!({"file_path": "gone.txt"})),
        Turn::tool("read", json!({"file_path": "old.txt"})),
        Turn::tool(
            "apply_patch",
            json!({"patch": "*** Begin Patch\n*** Delete File: gone.txt\n*** Update File: old.txt\n*** Move to: moved.txt\n@@\n-x\n+y\n*** End Patch\n"}),
        ),
        Turn::text("Done."),
    ]);
    let project = project_with(&server)
        .file("a.txt", "one\n")
        .file("gone.txt", "was here\n")
        .file("old.txt", "x\n");
    let id = run(&project, &["change things"]);
    assert!(project.exists("new/deep/b.txt") && !project.exists("gone.txt"));
    let changed = [
        row("a.txt", "restore", false),
        row("gone.txt", "create", false),
        row("moved.txt", "delete", false),
        row("new/deep/b.txt", "delete", false),
        row("old.txt", "create", false),
    ];
    let listed = sessions(&project, &["undo", &id, "--list", "--json"])
        .success()
        .json();
    assert_eq!(rows(&listed), changed);
    assert_eq!(listed["to"], message_ids(&project, &id)[0]);
    assert_eq!(project.read("a.txt"), "two\n");
    let undone = sessions(&project, &["undo", &id]).success();
    assert!(
        undone.stdout.ends_with("undone: 5 files, 8 messages\n"),
        "{undone}"
    );
    let now = || ["a.txt", "gone.txt", "old.txt"].map(|path| project.read(path));
    assert_eq!(now(), ["one\n", "was here\n", "x\n"]);
    assert!(!project.exists("moved.txt") && !project.exists("new"));
    assert_eq!(prompts(&project, &id), Vec::<String>::new());
    assert_eq!(
        sessions(&project, &["search", "change things"]).success().stdout,
        "nothing found\n"
    );
    let again = sessions(&project, &["redo", &id, "--json"]).success().json();
    assert_eq!(rows(&again).len(), 5);
    assert_eq!(
        (project.read("a.txt"), project.read("moved.txt")),
        ("two\n".into(), "y\n".into())
    );
    assert!(project.exists("new/deep/b.txt") && !project.exists("gone.txt"));
    assert_eq!(prompts(&project, &id), ["change things"]);
    let nothing = sessions(&project, &["redo", &id]).assert_code(1);
    assert!(nothing.stderr.contains("there is nothing to redo"), "{nothing}");
}

#[test]
fn a_file_that_changed_since_keeps_all_as_it_is_unless_it_is_left_out() {
    let server = Server::with([
        write("a.txt", "two\n"),
        write("b.txt", "two\n"),
        Turn::text("Done."),
    ]);
    let project = project_with(&server).file("keep.txt", "");
    let id = run(&project, &["write"]);
    project.write("b.txt", b"mine\n");
    let refused = sessions(&project, &["undo", &id, "--json"]).assert_code(1);
    assert_eq!(
        rows(&refused.json()),
        [row("a.txt", "delete", false), row("b.txt", "delete", true)]
    );
    assert!(refused.stderr.contains("`b.txt` has changed since"), "{refused}");
    assert_eq!(
        (project.read("a.txt"), project.read("b.txt")),
        ("two\n".into(), "mine\n".into())
    );
    assert_eq!(prompts(&project, &id).len(), 1);
    let _ = sessions(&project, &["undo", &id, "--skip-changed"]).success();
    assert!(!project.exists("a.txt"));
    assert_eq!(project.read("b.txt"), "mine\n");
    // A redo that would write over something else is refused, too.
    project.write("a.txt", b"other\n");
    let refused = sessions(&project, &["redo", &id]).assert_code(1);
    assert!(refused.stderr.contains("`a.txt` has changed since"), "{refused}");
    assert_eq!(project.read("a.txt"), "other\n");
}

#[test]
fn what_a_command_changed_is_listed_and_undone_where_it_is_known_what_it_was() {
    let server = Server::with([
        write("known.txt", "one\n"),
        bash("echo two > known.txt; echo x > made.txt; echo x > there.txt; rm other.txt"),
        Turn::text("Done."),
    ]);
    let project = project_with(&server)
        .file("there.txt", "before\n")
        .file("other.txt", "before\n");
    let id = run(&project, &["go"]);
    let listed = sessions(&project, &["undo", &id, "--list", "--json"])
        .success()
        .json();
    assert_eq!(
        rows(&listed),
        [
            row("known.txt", "delete", false),
            row("made.txt", "delete", true),
            row("other.txt", "create", true),
            row("there.txt", "restore", true),
        ]
    );
    let undone = sessions(&project, &["undo", &id]).success();
    assert!(
        undone.stderr.contains("`there.txt` was changed by a command"),
        "{undone}"
    );
    assert!(!project.exists("known.txt") && !project.exists("other.txt"));
    assert_eq!(
        (project.read("there.txt"), project.read("made.txt")),
        ("x\n".into(), "x\n".into())
    );
}

fn read(path: &str) -> Turn {
    Turn::tool("read", json!({"file_path": path}))
}

fn patch(text: &str) -> Turn {
    let text = format!("*** Begin Patch\n{text}*** End Patch\n");
    Turn::tool("apply_patch", json!({ "patch": text }))
}

#[test]
fn what_a_tool_wrote_after_a_command_is_refused_by_name() {
    let server = Server::with([
        bash("rm gone.txt; printf 'A\\n' > made.txt; printf 'more\\n' >> log.txt; mv old.txt new.txt"),
        write("gone.txt", "again\n"),
        read("made.txt"),
        write("made.txt", "B\n"),
        read("log.txt"),
        write("log.txt", "short\n"),
        read("new.txt"),
        Turn::tool(
            "edit",
            json!({"file_path": "new.txt", "old_string": "was", "new_string": "is"}),
        ),
        write("clean.txt", "only a tool\n"),
        Turn::text("Done."),
    ]);
    let project = project_with(&server)
        .file("gone.txt", "precious\n")
        .file("log.txt", "line\n")
        .file("old.txt", "was here\n");
    let id = run(&project, &["go"]);
    let listed = sessions(&project, &["undo", &id, "--list", "--json"])
        .success()
        .json();
    assert_eq!(
        rows(&listed),
        [
            row("clean.txt", "delete", false),
            row("gone.txt", "restore", true),
            row("log.txt", "restore", true),
            row("made.txt", "delete", true),
            row("new.txt", "delete", true),
            row("old.txt", "create", true),
        ]
    );
    let undone = sessions(&project, &["undo", &id]).success();
    for path in ["gone.txt", "log.txt", "made.txt", "new.txt", "old.txt"] {
        let named = format!("`{path}` was changed by a command");
        assert!(undone.stderr.contains(&named), "{undone}");
    }
    assert!(!project.exists("clean.txt") && !project.exists("old.txt"));
    let now = ["gone.txt", "log.txt", "made.txt", "new.txt"].map(|path| project.read(path));
    assert_eq!(now, ["again\n", "short\n", "B\n", "is here\n"]);
}

#[test]
fn what_a_tool_moved_after_a_command_made_it_is_not_deleted() {
    let server = Server::with([
        bash("printf 'A\\n' > made.txt"),
        read("made.txt"),
        patch("*** Update File: made.txt\n*** Move to: moved.txt\n@@\n-A\n+B\n"),
        write("clean.txt", "only a tool\n"),
        Turn::text("Done."),
    ]);
    let project = project_with(&server).file("keep.txt", "");
    let id = run(&project, &["go"]);
    let undone = sessions(&project, &["undo", &id]).success();
    assert!(
        undone
            .stderr
            .contains("`moved.txt` was moved from a file that cannot be restored"),
        "{undone}"
    );
    assert_eq!(project.read("moved.txt"), "B\n");
    assert!(!project.exists("clean.txt"));
}

#[test]
fn a_file_that_one_undo_refused_is_left_by_the_next() {
    let server = Server::start();
    let project = project_with(&server).file("gone.txt", "precious\n");
    server.script([
        read("gone.txt"),
        patch("*** Delete File: gone.txt\n"),
        write("first.txt", "1\n"),
        Turn::text("Done."),
    ]);
    let id = run(&project, &["first"]);
    server.script([
        bash("printf 'A\\n' > gone.txt"),
        write("second.txt", "2\n"),
        Turn::text("Done."),
    ]);
    let _ = run(&project, &["-c", "second"]);
    for path in ["second.txt", "first.txt"] {
        let undone = sessions(&project, &["undo", &id, "--skip-changed"]).success();
        assert!(undone.stderr.contains("`gone.txt`"), "{undone}");
        assert_eq!(project.read("gone.txt"), "A\n");
        assert!(!project.exists(path));
    }
}

#[test]
fn the_second_change_of_a_command_is_undone_without_the_first() {
    let server = Server::start();
    let project = project_with(&server).file("a.txt", "one\n");
    server.script([bash("echo two > a.txt"), Turn::text("Done.")]);
    let id = run(&project, &["first"]);
    server.script([bash("echo three > a.txt"), Turn::text("Done.")]);
    assert_eq!(run(&project, &["-c", "second"]), id);
    let _ = sessions(&project, &["undo", &id]).success();
    assert_eq!(project.read("a.txt"), "two\n");
    assert_eq!(prompts(&project, &id), ["first"]);
}

#[test]
fn half_of_it_is_undone_and_the_model_hears_of_files() {
    let server = Server::start();
    let project = project_with(&server);
    server.script([write("a.txt", "two\n"), Turn::text("Done.")]);
    let id = run(&project, &["write it"]);
    let _ = sessions(&project, &["undo", &id, "--only", "files"]).success();
    assert!(!project.exists("a.txt"));
    assert_eq!(prompts(&project, &id), ["write it"]);
    server.script([Turn::text("I see.")]);
    let _ = run(&project, &["-c", "and now?"]);
    let told = server.requests().pop().unwrap();
    assert!(
        told.mentions("The user has undone your changes to these files"),
        "{told:?}"
    );
    assert!(told.mentions("`a.txt`"), "{told:?}");
    // A new turn leaves nothing to come back to.
    let nothing = sessions(&project, &["redo", &id]).assert_code(1);
    assert!(nothing.stderr.contains("there is nothing to redo"), "{nothing}");
    server.script([write("c.txt", "c\n"), Turn::text("Done.")]);
    let _ = run(&project, &["-c", "write c"]);
    let _ = sessions(&project, &["undo", &id, "--only", "conversation"]).success();
    assert_eq!(project.read("c.txt"), "c\n");
    assert!(!prompts(&project, &id).contains(&"write c".to_owned()));
    // The file belongs to what was said before it by now.
    let all = message_ids(&project, &id);
    let _ = sessions(&project, &["undo", &id, "--to", &all[0]]).success();
    assert!(!project.exists("c.txt"));
    assert_eq!(prompts(&project, &id), Vec::<String>::new());
}

#[test]
fn an_undo_goes_back_to_a_message_of_the_persons_and_to_no_other() {
    let server = Server::start();
    let project = project_with(&server);
    for (number, prompt) in ["one", "two", "three"].iter().enumerate() {
        server.script([write("a.txt", &format!("{prompt}\n")), Turn::text("Done.")]);
        let words: &[&str] = if number == 0 { &[prompt] } else { &["-c", prompt] };
        let _ = run(&project, words);
    }
    let list = sessions(&project, &["list", "--json"]).success().json();
    let id = list["sessions"][0]["id"].as_str().unwrap();
    let shown = sessions(&project, &["show", id, "--json"]).success().json();
    let reply = shown["messages"][1]["id"].as_str().unwrap();
    let refused = sessions(&project, &["undo", id, "--to", reply]).assert_code(1);
    assert!(refused.stderr.contains("is not a message of yours"), "{refused}");
    let unknown = format!("msg_{}", "0".repeat(26));
    let refused = sessions(&project, &["undo", id, "--to", &unknown]).assert_code(1);
    assert!(refused.stderr.contains("there is no message"), "{refused}");
    let wrong = sessions(&project, &["undo", id, "--to", "first"]).assert_code(2);
    assert!(!wrong.stderr.is_empty());
    let second = message_ids(&project, id).remove(1);
    let _ = sessions(&project, &["undo", id, "--to", &second]).success();
    assert_eq!(project.read("a.txt"), "one\n");
    assert_eq!(prompts(&project, id), ["one"]);
    let _ = sessions(&project, &["undo", id]).success();
    assert!(!project.exists("a.txt"));
    // Undos are a stack.
    let _ = sessions(&project, &["redo", id]).success();
    assert_eq!(
        (project.read("a.txt"), prompts(&project, id)),
        ("one\n".into(), vec!["one".into()])
    );
    let _ = sessions(&project, &["redo", id]).success();
    assert_eq!(
        (project.read("a.txt"), prompts(&project, id).len()),
        ("three\n".into(), 3)
    );
}

#[test]
fn a_change_of_somebody_elses_in_between_is_not_written_over() {
    let server = Server::start();
    let project = project_with(&server).file("a.txt", "one\n");
    server.script([write("b.txt", "one\n"), Turn::text("Done.")]);
    let id = run(&project, &["first"]);
    project.write("b.txt", b"mine\n");
    server.script([
        Turn::tool("read", json!({"file_path": "b.txt"})),
        write("b.txt", "two\n"),
        Turn::text("Done."),
    ]);
    let _ = run(&project, &["-c", "second"]);
    let first = message_ids(&project, &id).remove(0);
    let refused = sessions(&project, &["undo", &id, "--to", &first]).assert_code(1);
    assert!(
        refused
            .stderr
            .contains("`b.txt` was changed by something else in between"),
        "{refused}"
    );
    let _ = sessions(&project, &["undo", &id]).success();
    assert_eq!(project.read("b.txt"), "mine\n");
}

#[cfg(unix)]
#[test]
fn the_permissions_of_a_file_come_back_with_it() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::with([
        Turn::tool("read", json!({"file_path": "run.sh"})),
        write("run.sh", "#!/bin/sh\necho 2\n"),
        bash("chmod 644 run.sh"),
        Turn::tool("read", json!({"file_path": "private.txt"})),
        Turn::tool(
            "apply_patch",
            json!({"patch": "*** Begin Patch\n*** Delete File: private.txt\n*** End Patch\n"}),
        ),
        Turn::text("Done."),
    ]);
    let project = project_with(&server)
        .file("run.sh", "#!/bin/sh\necho 1\n")
        .file("private.txt", "secret\n");
    let mode = |path: &str| project.path(path).metadata().unwrap().permissions().mode() & 0o777;
    let set = |path: &str, mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(project.path(path), permissions).unwrap();
    };
    set("run.sh", 0o755);
    set("private.txt", 0o600);
    let id = run(&project, &["go"]);
    assert_eq!(mode("run.sh"), 0o644);
    let _ = sessions(&project, &["undo", &id]).success();
    assert_eq!((mode("run.sh"), mode("private.txt")), (0o755, 0o600));
    assert_eq!(project.read("run.sh"), "#!/bin/sh\necho 1\n");
    let _ = sessions(&project, &["redo", &id]).success();
    assert_eq!(mode("run.sh"), 0o644);
    assert!(!project.exists("private.txt"));
}

/// A text that stands in the requests of agent `helper` alone.
const HELPER: &str = "You are the helper of these tests.";

fn with_helper(server: &Server) -> Project {
    project_with(server)
        .config(json!({
            "permission": {"edit": "allow", "bash": "allow"}, "edit": {"require_read": false},
            "agents": {"helper": {"description": "Helps", "mode": "subagent", "prompt": HELPER}},
        }))
        .file("a.txt", "one\n")
}

fn task(isolation: &str) -> Turn {
    Turn::tool(
        "task",
        json!({
            "subagent_type": "helper", "description": "look around", "prompt": "do it", "isolation": isolation,
        }),
    )
}

#[test]
fn what_a_task_changed_is_undone_with_the_message_that_led_to_it() {
    let server = Server::with([task("none"), Turn::text("Done.")]);
    server.script_for(
        HELPER,
        [
            write("a.txt", "two\n"),
            bash("echo three > a.txt"),
            Turn::text("Worked."),
        ],
    );
    let project = with_helper(&server);
    let id = run(&project, &["go"]);
    assert_eq!(project.read("a.txt"), "three\n");
    let _ = sessions(&project, &["undo", &id]).success();
    assert_eq!(project.read("a.txt"), "one\n");
    let _ = sessions(&project, &["redo", &id]).success();
    assert_eq!(project.read("a.txt"), "three\n");
}

#[test]
fn what_is_applied_from_a_work_tree_is_undone_too() {
    let server = Server::with([task("worktree"), Turn::text("Done.")]);
    server.script_for(
        HELPER,
        [
            write("a.txt", "two\n"),
            write("b.txt", "new\n"),
            Turn::text("Worked."),
        ],
    );
    let project = with_helper(&server).git();
    let id = run(&project, &["go"]);
    assert_eq!(project.read("a.txt"), "one\n");
    // Nothing of it is in the project yet.
    let listed = sessions(&project, &["undo", &id, "--list", "--json"])
        .success()
        .json();
    assert_eq!(rows(&listed), []);
    let trees = Lathe::in_project(&project)
        .args(["worktrees", "list", "--json"])
        .run()
        .success()
        .json();
    let tree = trees["worktrees"][0]["task"].as_str().unwrap();
    let _ = Lathe::in_project(&project)
        .args(["worktrees", "apply", tree])
        .run()
        .success();
    assert_eq!(
        (project.read("a.txt"), project.read("b.txt")),
        ("two\n".into(), "new\n".into())
    );
    let _ = sessions(&project, &["undo", &id]).success();
    assert_eq!(project.read("a.txt"), "one\n");
    assert!(!project.exists("b.txt"));
}

#[test]
fn a_session_that_is_open_and_that_of_a_task_are_refused_by_name() {
    use crate::support::Gate;
    let gate = Gate::new();
    let server = Server::with([task("none"), Turn::text("Slowly.").gate(0, &gate)]);
    server.script_for(HELPER, [write("a.txt", "two\n"), Turn::text("Worked.")]);
    let project = with_helper(&server);
    let running = events_of(&project)
        .args(["--permission-mode", "yolo", "go"])
        .spawn();
    gate.wait_until_reached();
    let list = sessions(&project, &["list", "--json"]).success().json();
    let all = list["sessions"].as_array().unwrap();
    let id = |is_task: bool| {
        let found = all
            .iter()
            .find(|session| session["parent"].is_string() == is_task);
        found.unwrap()["id"].as_str().unwrap().to_owned()
    };
    let refused = sessions(&project, &["undo", &id(false)]).assert_code(1);
    assert!(
        refused
            .stderr
            .contains(&format!("open in process {}", running.pid())),
        "{refused}"
    );
    let refused = sessions(&project, &["undo", &id(true)]).assert_code(1);
    assert!(
        refused.stderr.contains("belongs to a task of session"),
        "{refused}"
    );
    gate.open();
    let _ = running.wait().success();
    let unknown = format!("ses_{}", "0".repeat(26));
    let refused = sessions(&project, &["undo", &unknown]).assert_code(1);
    assert!(refused.stderr.contains("there is no session"), "{refused}");
}
