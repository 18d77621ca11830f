//! Commands of the user's own: found, listed, made whole with what they ask for, and sent.

use serde_json::json;

use crate::screen::{open, project, say};
use crate::support::{Key, Lathe, Project, Server, Terminal, Turn};

const REVIEW: &str = "---\ndescription: Looks closely\nargument-hint: [file]\n---\nReview @$1 for $2.\n";

/// A command in lathe's own directory.
fn own(project: Project, name: &str, text: &str) -> Project {
    let file = project.config_dir().join("commands").join(name);
    project.write(file, text.as_bytes());
    project
}

#[test]
fn a_command_of_the_project_is_listed_and_sent_with_its_arguments_and_files() {
    let server = Server::with([Turn::text("Fine.")]);
    let project = project(&server)
        .file(".lathe/commands/review.md", REVIEW)
        .file("src/a.rs", "fn only_here() {}\n");
    let terminal = open(&project);
    terminal.wait_text("⇥ agent");
    terminal.keys("/rev");
    terminal.wait_text("❯   /review");
    assert!(terminal.screen().contains("Looks closely"));
    terminal.key(Key::Enter);
    terminal.wait_text("┃ /review");
    terminal.keys("src/a.rs odd names");
    terminal.wait_text("odd names");
    terminal.key(Key::Enter);
    let screen = terminal.wait_text("Fine.");
    assert!(screen.contains("┃ Review @src/a.rs for odd names."), "{screen}");
    let requests = server.requests();
    for words in [
        "/review src/a.rs odd names",
        "<command name=\"review\">\nReview @src/a.rs for odd names.\n</command>",
        "only_here",
    ] {
        assert!(requests[0].mentions(words), "{words} is missing");
    }
}

#[test]
fn a_shell_command_in_a_text_asks_and_its_output_is_sent() {
    let server = Server::with([Turn::text("Seen.")]);
    let project = own(
        project(&server),
        "look.md",
        "It says !`echo out-$((20+3)) > made; cat made`.\n",
    );
    let terminal = open(&project);
    terminal.wait_text("⇥ agent");
    say(&terminal, "/look");
    terminal.wait_text("bash wants to run");
    // A question is deaf for a shorter time.
    terminal.wait_text("waiting for the command's shell 2 s");
    assert!(!project.exists("made"), "nothing runs before the answer");
    terminal.keys("y");
    terminal.wait_text("Seen.");
    assert!(
        server.requests()[0].mentions("It says out-23."),
        "{}",
        terminal.screen()
    );
}

#[test]
fn a_shell_command_that_is_denied_is_named_in_its_place() {
    let server = Server::with([Turn::text("Seen.")]);
    let project = own(project(&server), "look.md", "It says !`echo no > made`.\n");
    let project = project.config(json!({"permission": {"bash": "deny"}}));
    let terminal = open(&project);
    terminal.wait_text("⇥ agent");
    say(&terminal, "/look");
    terminal.wait_text("Seen.");
    assert!(
        server.requests()[0].mentions("It says [not run: "),
        "{}",
        terminal.screen()
    );
    assert!(!project.exists("made"));
}

#[test]
fn shell_commands_of_a_project_that_is_not_trusted_never_run() {
    let server = Server::with([Turn::text("Seen.")]);
    let project = project(&server)
        .config(json!({"permission": {"bash": "allow"}}))
        .file(".claude/commands/look.md", "It says !`echo no > made`.\n");
    let terminal = Terminal::start(&project, 80, 24, &[]);
    terminal.wait_text("2 trust");
    assert!(terminal.screen().contains(".claude/commands/look.md"));
    terminal.wait_quiet(std::time::Duration::from_millis(400));
    terminal.key(Key::Right);
    terminal.key(Key::Enter);
    terminal.wait_text("⇥ agent");
    say(&terminal, "/look");
    terminal.wait_text("Seen.");
    assert!(server.requests()[0].mentions("It says [not run: the project is not trusted]."));
    assert!(!project.exists("made"));
}

#[test]
fn the_list_on_the_command_line_names_every_command_with_its_file() {
    let project = own(Project::new(), "git/commit.md", "Commit.\n").file(".lathe/commands/review.md", REVIEW);
    let list = Lathe::in_project(&project).arg("commands").run().success();
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let rows: Vec<_> = list.stdout.lines().map(words).collect();
    assert!(rows[1].starts_with("/git/commit - "), "{list}");
    assert!(rows[2].starts_with("/review [file] "), "{list}");
    assert!(
        rows[2].ends_with(".lathe/commands/review.md Looks closely"),
        "{list}"
    );
    assert_eq!(list.stderr, "");
}
