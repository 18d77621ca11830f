//! Descriptors that lathe was started with reach nothing that it starts.

use serde_json::json;

use super::run::{of_kind, project_with};
use super::screen::with_script;
use super::support::{Key, LATHE, Lathe, Project, Server, Terminal, Turn, wait_until};

/// Opens a file to write, one to read and one for both before it becomes the program, as a careless parent does.
const PARENT: &str = r#"exec 7>>leak 8<secret 9<>leak; exec "$@""#;
/// Notes the descriptors of the shell that reads this, and tries to use those of the parent.
const PROBE: &str = "ls /proc/$$/fd > NAME.tmp; ls -l /proc/$$/fd >> NAME.tmp; \
    (echo leaked >&7; echo leaked >&9; cat <&8 >> NAME.tmp) 2>/dev/null; mv NAME.tmp NAME.fds";

fn probe(name: &str) -> String {
    PROBE.replace("NAME", name)
}

fn project(server: &Server) -> Project {
    let hook = json!([{"hooks": [{"type": "command", "command": probe("hook")}]}]);
    project_with(server)
        .config(json!({"hooks": {"SessionStart": hook}}))
        .file("leak", "")
        .file("secret", "it is a secret")
}

#[track_caller]
fn assert_is_closed(project: &Project, name: &str) {
    let seen = project.read(format!("{name}.fds"));
    for number in ["7", "8", "9"] {
        assert!(!seen.lines().any(|line| line == number), "{name}: {seen}");
    }
    for file in ["leak", "secret"] {
        assert!(!seen.contains(file), "{name}: {seen}");
    }
    assert_eq!(project.read("leak"), "", "{name}");
}

/// Words that start a program below the careless parent.
fn below_parent<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [&["-c", PARENT, "parent"][..], words].concat()
}

#[test]
fn commands_terminals_and_hooks_get_no_descriptor_of_lathes_parent() {
    let terminal = json!({
        "action": "start", "command": format!("{}; echo noted", probe("terminal")), "wait_for": "noted",
    });
    let server = Server::with([
        Turn::tool("bash", json!({"command": probe("bash")})),
        Turn::tool("interactive_bash", terminal),
        // A confined call that only reads.
        Turn::tool("bash", json!({"command": "ls -l /proc/self/fd"})),
        Turn::text("Done."),
    ]);
    let project = project(&server);
    let words = [
        LATHE,
        "run",
        "--format",
        "json",
        "--permission-mode",
        "yolo",
        "go",
    ];
    let finished = Lathe::program("sh", &project)
        .args(below_parent(&words))
        .run()
        .success();
    for name in ["bash", "terminal", "hook"] {
        assert_is_closed(&project, name);
    }
    let reading = of_kind(&finished, "tool_result")[2]["output"].to_string();
    assert!(
        !reading.contains("secret") && !reading.contains("leak"),
        "{reading}"
    );
}

#[test]
fn what_a_person_starts_gets_no_descriptor_of_lathes_parent() {
    let server = Server::start();
    let project = with_script(project(&server), "editor", &probe("editor"));
    let editor = format!("EDITOR={}", project.path("editor").display());
    let words = below_parent(&["env", editor.as_str(), LATHE]);
    let words: Vec<&str> = std::iter::once("sh").chain(words).collect();
    let terminal = Terminal::program("env", &project, 80, 24, &words);
    terminal.wait_text("send");
    terminal.keys("!");
    terminal.keys(&probe("own"));
    terminal.key(Key::Enter);
    wait_until("the command has ended", || project.exists("own.fds"));
    assert_is_closed(&project, "own");
    terminal.key(Key::Ctrl('g'));
    wait_until("the editor has ended", || project.exists("editor.fds"));
    assert_is_closed(&project, "editor");
}

/// What was given to lathe itself is still there for it.
#[test]
fn lathe_reads_a_file_from_a_descriptor_that_it_was_given() {
    let server = Server::with([Turn::text("Done.")]);
    let project = project(&server);
    let finished = Lathe::program("sh", &project)
        .args(below_parent(&[
            LATHE,
            "run",
            "--format",
            "json",
            "-f",
            "/dev/fd/8",
            "go",
        ]))
        .run();
    assert!(server.requests()[0].mentions("it is a secret"), "{finished}");
}
