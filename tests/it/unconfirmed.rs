//! Files that a command created or changed: nothing of them is read before the person says yes, whatever trust there is.

use std::time::Duration;

use serde_json::{Value, json};

use crate::run::{events_of, of_kind, project_with};
use crate::screen::say;
use crate::screen_trust::give_trust;
use crate::support::{Finished, Key, Lathe, Project, Running, Server, Terminal, Turn, wait_until};

/// A question is deaf for a shorter time.
const DEAF: Duration = Duration::from_millis(450);
/// Words of a file, which a request to the model has if the file was read.
const OF_PROMPT: &str = "word of the agent";
const OF_INSTRUCTIONS: &str = "word of the notes";

fn server() -> Server {
    let server = Server::start();
    server.otherwise(Turn::text("Done."));
    server
}

fn project(server: &Server) -> Project {
    project_with(server).file("notes.txt", OF_INSTRUCTIONS).git()
}

/// Settings that a project needs no trust for.
fn text_alone() -> String {
    json!({"instructions": ["notes.txt"], "agents": {"build": {"prompt": OF_PROMPT}}}).to_string()
}

/// Settings that run and allow something where they are trusted.
fn loose() -> String {
    let hook = json!([{"hooks": [{"type": "command", "command": "echo hook >> ran"}]}]);
    json!({"hooks": {"SessionStart": hook, "PreToolUse": hook}, "permission": {"bash": "allow"}}).to_string()
}

/// A command that writes a file with some content.
fn writing(file: &str, content: &str) -> String {
    let directory = file.rsplit_once('/').map_or(".", |(directory, _)| directory);
    format!("mkdir -p {directory}; printf %s '{content}' > {file}")
}

fn bash<'a>(project: &Project, script: &str, more: impl IntoIterator<Item = &'a str>) -> Lathe {
    // The text of the command names nothing, so nobody judges it before.
    project.write("script.sh", script.as_bytes());
    let call = json!({"command": "bash script.sh"}).to_string();
    Lathe::in_project(project)
        .args(["tool", "--format", "json", "--permission-mode", "yolo"])
        .args(more)
        .args(["bash", &call])
}

/// Has a command run; returns the names that its result tells of.
fn command(project: &Project, script: &str) -> Vec<String> {
    let finished = bash(project, script, []).run();
    let event: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"));
    let names = event["details"]["protected"].as_array();
    names
        .into_iter()
        .flatten()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

/// Has a turn; returns what the model was sent, and what was told.
fn sent(project: &Project, server: &Server, more: &[&str]) -> (String, Finished) {
    let finished = events_of(project).args(more).arg("go").run().success();
    let requests = server.requests();
    (requests.last().unwrap().body.to_string(), finished)
}

#[track_caller]
fn assert_not_read(project: &Project, server: &Server, files: &[&str]) {
    let (body, finished) = sent(project, server, &[]);
    for word in [OF_PROMPT, OF_INSTRUCTIONS] {
        assert!(!body.contains(word), "{word}: {finished}");
    }
    let errors = of_kind(&finished, "error");
    assert_eq!(errors.len(), 1, "{finished}");
    assert_eq!(errors[0]["kind"], "untrusted");
    let told = errors[0]["message"].as_str().unwrap();
    assert!(told.contains("a command created or changed"), "{told}");
    for file in files {
        assert!(told.contains(&format!("`{file}`")), "{file}: {told}");
    }
    assert!(finished.stderr.contains("--trust"), "{finished}");
}

#[track_caller]
fn assert_read(project: &Project, server: &Server) {
    let (body, finished) = sent(project, server, &[]);
    assert!(body.contains(OF_PROMPT), "{body}");
    assert!(!finished.stderr.contains("a command created"), "{finished}");
}

fn front(file: &str, word: &str) -> String {
    writing(file, &format!("---\ndescription: x\n---\n{word}\n"))
}

#[test]
fn what_a_command_created_is_not_sent_to_the_model() {
    let server = server();
    let project = project(&server);
    for file in ["lathe.jsonc", ".lathe/lathe.jsonc"] {
        assert_eq!(command(&project, &writing(file, &text_alone())), [file]);
    }
    assert_not_read(&project, &server, &["lathe.jsonc", ".lathe/lathe.jsonc"]);
    // Gone is gone.
    std::fs::remove_file(project.path("lathe.jsonc")).unwrap();
    std::fs::remove_dir_all(project.path(".lathe")).unwrap();
    let (_, finished) = sent(&project, &server, &[]);
    assert_eq!(of_kind(&finished, "error").len(), 0, "{finished}");
    // And what the person then writes is theirs.
    project.write("lathe.jsonc", text_alone().as_bytes());
    assert_read(&project, &server);
}

#[test]
fn agents_and_commands_that_a_command_created_are_not_there() {
    let server = server();
    let project = project(&server);
    for file in [
        ".lathe/agents/build.md",
        ".claude/agents/build.md",
        ".opencode/agents/build.md",
        ".opencode/agent/build.md",
    ] {
        assert_eq!(command(&project, &front(file, OF_PROMPT)), [file]);
        assert_not_read(&project, &server, &[file]);
        std::fs::remove_file(project.path(file)).unwrap();
    }
    for (directory, name) in [
        (".lathe/commands", "first"),
        (".claude/commands", "second"),
        (".opencode/command", "third"),
        (".opencode/commands/sub", "fourth"),
    ] {
        command(&project, &front(&format!("{directory}/{name}.md"), "x"));
        let listed = Lathe::in_project(&project).arg("commands").run().success();
        assert!(!listed.stdout.contains(name), "{listed}");
    }
    project.write(".lathe/commands/mine.md", b"mine\n");
    let listed = Lathe::in_project(&project).arg("commands").run().success();
    assert!(listed.stdout.contains("/mine"), "{listed}");
}

#[test]
fn globs_that_trust_the_project_do_not_cover_it() {
    let server = server();
    let project = project(&server);
    let project = project.config(json!({"trust": ["*"]}));
    command(&project, &writing("lathe.jsonc", &loose()));
    command(&project, &writing(".claude/settings.json", &loose()));
    let call = json!({"command": "touch made"}).to_string();
    let tool = |more: &[&str]| {
        let tool = Lathe::in_project(&project).args(["tool", "--format", "json"]);
        tool.args(more).args(["bash", &call]).run()
    };
    let finished = tool(&[]);
    assert!(finished.stdout.contains("\"denied\""), "{finished}");
    assert!(
        finished.stderr.contains("a command created or changed"),
        "{finished}"
    );
    sent(&project, &server, &[]);
    assert!(!project.exists("ran") && !project.exists("made"));
    // The flag is a yes, for once.
    tool(&["--trust"]);
    assert!(project.exists("ran") && project.exists("made"));
    std::fs::remove_file(project.path("ran")).unwrap();
    tool(&[]);
    assert!(!project.exists("ran"));
}

#[test]
fn a_file_of_the_person_s_own_counts_as_ever() {
    let server = server();
    let project = project(&server).file("lathe.jsonc", &text_alone());
    assert_read(&project, &server);
    let nothing: [&str; 0] = [];
    assert_eq!(
        command(&project, "touch x; touch lathe.jsonc; cat lathe.jsonc"),
        nothing
    );
    assert_read(&project, &server);
    project.write(
        "lathe.jsonc",
        text_alone().replace(OF_INSTRUCTIONS, "x").as_bytes(),
    );
    assert_read(&project, &server);
}

#[test]
fn a_file_that_a_command_changed_is_not_read_until_it_is_as_before() {
    let server = server();
    let project = project(&server).file("lathe.jsonc", &text_alone());
    assert_eq!(command(&project, "echo >> lathe.jsonc"), ["lathe.jsonc"]);
    assert_not_read(&project, &server, &["lathe.jsonc"]);
    // Nobody knows who changes it further.
    project.write("lathe.jsonc", format!("{} // mine\n", text_alone()).as_bytes());
    assert_not_read(&project, &server, &["lathe.jsonc"]);
    project.write("lathe.jsonc", text_alone().as_bytes());
    assert_read(&project, &server);
    // One that is broken does not stop the start either.
    command(&project, "echo '{' > lathe.jsonc");
    assert_not_read(&project, &server, &["lathe.jsonc"]);
}

#[test]
fn what_was_moved_there_or_lies_among_many_or_behind_a_link_is_known() {
    let server = server();
    let project = project(&server);
    project.write("template/agents/build.md", front_text().as_bytes());
    command(&project, "mv template .lathe");
    assert_not_read(&project, &server, &[".lathe/agents/build.md"]);
    command(&project, "rm -r .lathe; mkdir -p real/agents");

    project.write("real/agents/build.md", front_text().as_bytes());
    assert_eq!(
        command(&project, "ln -s real .claude"),
        [".claude", ".claude/agents/build.md"]
    );
    assert_not_read(&project, &server, &[".claude/agents/build.md"]);
    command(&project, "rm .claude");

    let many = "i=0; while [ $i -lt 2500 ]; do : > junk$i; i=$((i+1)); done; ";
    command(
        &project,
        &format!("{many}{}", writing("lathe.jsonc", &text_alone())),
    );
    assert_not_read(&project, &server, &["lathe.jsonc"]);
}

fn front_text() -> String {
    format!("---\ndescription: x\n---\n{OF_PROMPT}\n")
}

#[test]
fn a_session_below_or_above_knows_of_it_too() {
    let server = server();
    let project = project(&server).file("sub/x", "");
    command(
        &project,
        &writing(
            "sub/lathe.jsonc",
            &json!({"agents": {"build": {"prompt": OF_PROMPT}}}).to_string(),
        ),
    );
    let run = |directory: &str| {
        let run = Lathe::in_project(&project).args(["run", "go"]);
        let finished = run.cwd(project.path(directory)).run().success();
        let requests = server.requests();
        (requests.last().unwrap().body.to_string(), finished)
    };
    let (body, finished) = run("sub");
    assert!(!body.contains(OF_PROMPT), "{finished}");
    assert!(finished.stderr.contains("`sub/lathe.jsonc`"), "{finished}");
    let (_, finished) = run(".");
    let is_told = finished.stderr.contains("a command created");
    assert!(!is_told, "it is not read there anyway: {finished}");
}

/// Starts a command that writes and then stays.
fn staying(project: &Project) -> Running {
    let script = format!(
        "{}; echo $$ > there; sleep 600",
        writing("lathe.jsonc", &text_alone())
    );
    let running = bash(project, &script, []).spawn();
    wait_until("the command has written", || project.exists("there"));
    running
}

#[test]
fn a_command_that_still_runs_or_was_killed_with_lathe_is_known() {
    let server = server();
    let project = project(&server);
    let running = staying(&project);
    assert_not_read(&project, &server, &["lathe.jsonc"]);
    let _ = running.kill();
    assert_not_read(&project, &server, &["lathe.jsonc"]);
    assert_not_read(&project, &server, &["lathe.jsonc"]);
    let left = std::fs::read_dir(project.data_dir().join("unconfirmed")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        !left.iter().any(|name| name.to_string_lossy().ends_with("before")),
        "{left:?}"
    );
}

fn hear(project: &Project) -> Terminal {
    let terminal = Terminal::start(project, 100, 30, &[]);
    terminal.wait_text("2 trust");
    terminal.wait_quiet(DEAF);
    terminal
}

fn leave(terminal: &Terminal) {
    // Until the turn has ended the key interrupts it.
    terminal.wait_text("⏎ send");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("again quits");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_exit();
}

#[test]
fn a_yes_to_the_whole_text_makes_it_a_file_like_any_other() {
    let server = server();
    let project = project(&server).config(json!({"trust": ["*"]}));
    command(&project, &writing("lathe.jsonc", &text_alone()));
    command(&project, &writing(".claude/settings.json", &loose()));

    let terminal = hear(&project);
    assert!(
        terminal.screen().contains("whole file · lathe.jsonc"),
        "{}",
        terminal.screen()
    );
    assert!(
        terminal.screen().contains("An agent or a command wrote"),
        "{}",
        terminal.screen()
    );
    terminal.key(Key::Right);
    terminal.key(Key::Enter);
    terminal.wait_text("send");
    leave(&terminal);
    assert!(!project.exists("ran"));
    assert_not_read(&project, &server, &["lathe.jsonc", ".claude/settings.json"]);

    let terminal = hear(&project);
    terminal.key(Key::Left);
    terminal.key(Key::Enter);
    terminal.wait_text(OF_PROMPT);
    give_trust(&terminal);
    terminal.wait_text("send");
    say(&terminal, "hi");
    terminal.wait_text("Done.");
    assert!(server.requests().last().unwrap().mentions(OF_PROMPT));
    leave(&terminal);
    assert!(project.exists("ran"));
    assert_read(&project, &server);
    project.write("lathe.jsonc", format!("{}\n", text_alone()).as_bytes());
    assert_read(&project, &server);
}

#[test]
fn a_yes_counts_for_what_was_shown_alone() {
    let server = server();
    let project = project(&server);
    command(&project, &writing("lathe.jsonc", &text_alone()));
    let terminal = hear(&project);
    project.write(
        "lathe.jsonc",
        text_alone().replace("agent", "unseen agent").as_bytes(),
    );
    give_trust(&terminal);
    terminal.wait_text("send");
    say(&terminal, "hi");
    terminal.wait_text("Done.");
    let request = server.requests().last().unwrap().clone();
    assert!(request.mentions(OF_PROMPT) && !request.mentions("unseen agent"));
    leave(&terminal);
    assert_not_read(&project, &server, &["lathe.jsonc"]);
}
