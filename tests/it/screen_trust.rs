//! The question whether a project is trusted, on the real screen.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::screen::{project, say};
use crate::support::{Key, Lathe, Project, Protocol, Server, Terminal, Turn};

/// A question is deaf for a shorter time.
const DEAF: Duration = Duration::from_millis(450);

fn hook(command: &str) -> String {
    json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string()
}

/// A project that runs a command when a session starts.
fn hooked(server: &Server) -> Project {
    server.otherwise(Turn::text("Hello."));
    project(server)
        .file("lathe.jsonc", &hook("echo one >> ran"))
        .git()
}

fn start(project: &Project) -> Terminal {
    Terminal::start(project, 80, 24, &[])
}

/// Waits for the question and until it listens.
fn hear(terminal: &Terminal) {
    terminal.wait_text("2 trust");
    terminal.wait_quiet(DEAF);
}

/// Trusts the project.
pub(crate) fn give_trust(terminal: &Terminal) {
    terminal.keys("2");
    terminal.key(Key::Enter);
    terminal.wait_gone("2 trust");
}

/// Goes on without trust.
fn refuse_trust(terminal: &Terminal) {
    terminal.key(Key::Right);
    terminal.key(Key::Enter);
    terminal.wait_gone("2 trust");
}

fn trusted(project: &Project) -> Value {
    let shown = Lathe::in_project(project)
        .args(["config", "show"])
        .run()
        .success();
    serde_json::from_str::<Value>(&shown.stdout).unwrap()["project"]["trusted"].clone()
}

/// Has a turn, to its end.
fn talk(terminal: &Terminal) {
    say(terminal, "hi");
    terminal.wait_text("Hello.");
    terminal.wait_text("⏎ send");
}

/// Leaves, so that everything is on disk.
fn leave(terminal: &Terminal) {
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("again quits");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_exit();
}

#[test]
fn the_chosen_answer_and_enter_trust_the_project_from_then_on() {
    let server = Server::start();
    let project = hooked(&server);
    let terminal = start(&project);
    hear(&terminal);
    assert!(!project.exists("ran"), "nothing runs before the answer");
    give_trust(&terminal);
    terminal.wait_text("send");
    talk(&terminal);
    assert_eq!(project.read("ran"), "one\n");
    leave(&terminal);
    assert_eq!(trusted(&project), true);

    let terminal = start(&project);
    terminal.wait_text("send");
    assert!(!terminal.screen().contains("2 trust"));
    let run = Lathe::in_project(&project).args(["run", "go"]).run().success();
    assert!(!run.stderr.contains("trusted"), "{run}");
}

#[test]
fn what_was_trusted_is_listed_and_taken_back() {
    let server = Server::start();
    let project = hooked(&server);
    trust(&project, &project.root());
    let permissions = |arguments: &[&str]| {
        Lathe::in_project(&project)
            .arg("permissions")
            .args(arguments)
            .run()
    };
    let listed = permissions(&[]).success().stdout;
    let root = project.root();
    let root = root.to_str().unwrap();
    assert!(listed.starts_with("no stored rules\n\nTRUSTED PLACE"), "{listed}");
    assert!(
        listed.contains(root) && listed.contains("`hooks` in `lathe.jsonc`"),
        "{listed}"
    );
    assert_eq!(trusted(&project), true);
    permissions(&["revoke", "/nowhere"]).assert_code(1);
    permissions(&["revoke", "./"]).success();
    assert_eq!(permissions(&[]).success().stdout, "no stored rules\n");
    assert_eq!(trusted(&project), false);
}

#[test]
fn a_message_typed_over_the_question_trusts_nothing_and_is_sent_after_the_answer() {
    let server = Server::start();
    let project = hooked(&server);
    let terminal = start(&project);
    hear(&terminal);
    terminal.keys("why does the build fail?\r");
    terminal.wait_text("why does the build fail?");
    assert!(!project.exists("ran"));
    // The question comes up again once the composer has rested.
    hear(&terminal);
    assert!(!project.exists("ran"));
    assert_eq!(trusted(&project), false);
    terminal.resize(40, 12);
    terminal.wait_text("2 trust");
    refuse_trust(&terminal);
    terminal.wait_text("Hello.");
    assert!(!project.exists("ran"));
    assert!(server.requests()[0].mentions("why does the build fail?"));
}

#[test]
fn not_now_goes_on_without_and_asks_the_next_time() {
    let server = Server::start();
    let project = hooked(&server);
    let terminal = start(&project);
    hear(&terminal);
    refuse_trust(&terminal);
    terminal.wait_text("continuing without");
    talk(&terminal);
    leave(&terminal);
    assert!(!project.exists("ran"));
    assert_eq!(trusted(&project), false);
    hear(&start(&project));
}

#[test]
fn the_parts_are_shown_and_keys_typed_ahead_answer_nothing() {
    let server = Server::start();
    let project = hooked(&server);
    let terminal = start(&project);
    terminal.keys("yyy");
    terminal.wait_text("? 1 waits · trust ");
    terminal.wait_text("┃ yyy");
    terminal.key(Key::Ctrl('x'));
    terminal.keys(".");
    hear(&terminal);
    terminal.wait_text("hooks · lathe.jsonc");
    terminal.key(Key::Left);
    terminal.key(Key::Enter);
    terminal.wait_text("echo one >> ran");
    terminal.key(Key::Enter);
    terminal.wait_gone("echo one >> ran");
    assert!(!project.exists("ran"));
}

#[test]
fn a_change_is_asked_about_with_its_diff() {
    let server = Server::start();
    let project = hooked(&server);
    let terminal = start(&project);
    hear(&terminal);
    give_trust(&terminal);
    terminal.wait_text("send");
    leave(&terminal);

    project.write("lathe.jsonc", hook("echo two >> ran").as_bytes());
    let run = Lathe::in_project(&project).args(["run", "go"]).run().success();
    assert!(run.stderr.contains("because it changed"), "{run}");
    let terminal = start(&project);
    hear(&terminal);
    terminal.wait_text("changed. Trust it?");
    let screen = terminal.screen();
    let has = |sign: char, text: &str| {
        screen
            .lines()
            .any(|line| line.trim_start().starts_with(sign) && line.contains(text))
    };
    assert!(has('-', "echo one") && has('+', "echo two"), "{screen}");
    give_trust(&terminal);
    terminal.wait_text("send");
    talk(&terminal);
    assert_eq!(project.read("ran"), "two\n");
}

#[test]
fn what_is_used_is_what_was_shown() {
    let server = Server::start();
    let project = hooked(&server);
    let terminal = start(&project);
    hear(&terminal);
    project.write("lathe.jsonc", hook("echo other >> ran").as_bytes());
    give_trust(&terminal);
    terminal.wait_text("send");
    talk(&terminal);
    assert_eq!(project.read("ran"), "one\n");
    leave(&terminal);
    assert_eq!(trusted(&project), false, "the change was not looked at");
}

#[test]
fn a_model_of_the_project_s_own_provider_opens_with_the_answer() {
    let server = Server::start();
    server.otherwise(Turn::text("From corp."));
    let settings = json!({"model": "corp/m", "providers": {"corp": {
        "protocol": "openai-chat", "base_url": server.url(Protocol::OpenAiChat)}}});
    let project = Project::new().file("lathe.jsonc", &settings.to_string()).git();
    let terminal = Terminal::start(&project, 80, 24, &["-p", "hi"]);
    hear(&terminal);
    assert!(terminal.screen().contains("no model"), "{}", terminal.screen());
    assert_eq!(server.requests().len(), 0);
    give_trust(&terminal);
    terminal.wait_text("From corp.");

    let other = Project::new().file("lathe.jsonc", &settings.to_string()).git();
    let terminal = Terminal::start(&other, 80, 24, &[]);
    hear(&terminal);
    refuse_trust(&terminal);
    terminal.wait_text("no session is open");
    terminal.wait_text("is not trusted");
}

#[test]
fn a_command_of_an_untrusted_project_is_its_text_alone() {
    let server = Server::start();
    server.otherwise(Turn::text("Went."));
    let project = project(&server)
        .file(
            ".lathe/commands/go.md",
            "---\nmodel: local/other\nagent: plan\n---\nGo on.\n",
        )
        .git();
    let terminal = start(&project);
    hear(&terminal);
    refuse_trust(&terminal);
    terminal.wait_text("⇥ agent");
    say(&terminal, "/go");
    terminal.wait_text("Went.");
    let body = &server.requests()[0].body;
    assert!(body.to_string().contains("Go on."), "{body}");
    assert_eq!(body["model"], "test-model");
    assert!(terminal.screen().contains("build"), "{}", terminal.screen());
}

#[test]
fn no_trust_question_for_a_settled_project() {
    let server = Server::start();
    let project = hooked(&server);
    let terminal = Terminal::start(&project, 80, 24, &["--trust"]);
    terminal.wait_text("send");
    leave(&terminal);
    assert_eq!(trusted(&project), false, "for this process");
    let root = project.root();
    let project = project.config(json!({"trust": [root.to_str().unwrap()]}));
    start(&project).wait_text("send");
}

#[test]
fn leaving_the_question_opens_nothing() {
    let server = Server::start();
    let project = hooked(&server);
    let terminal = start(&project);
    hear(&terminal);
    leave(&terminal);
    assert!(!project.exists("ran") && !project.data_dir().join("lathe.db").exists());
}

/// Answers the question with yes and leaves again.
fn trust(project: &Project, directory: &Path) {
    let terminal = Terminal::start(project, 80, 24, &[directory.to_str().unwrap()]);
    hear(&terminal);
    give_trust(&terminal);
    terminal.wait_text("⏎ send");
    leave(&terminal);
}

fn trusted_in(project: &Project, directory: &Path) -> Value {
    let shown = Lathe::in_project(project)
        .args(["config", "show"])
        .cwd(directory)
        .run()
        .success();
    serde_json::from_str::<Value>(&shown.stdout).unwrap()["project"]["trusted"].clone()
}

#[test]
fn a_directory_that_brings_more_is_asked_about_and_the_others_are_not() {
    let server = Server::start();
    let project = hooked(&server)
        .file("plain/a.txt", "a")
        .file("more/lathe.jsonc", &hook("echo more >> ran"));
    let (root, plain, more) = (project.root(), project.path("plain"), project.path("more"));
    trust(&project, &root);
    let all = [&root, &plain, &more].map(|directory| trusted_in(&project, directory));
    assert_eq!(all, [json!(true), json!(true), json!(false)]);
    trust(&project, &more);
    let all = [&root, &plain, &more].map(|directory| trusted_in(&project, directory));
    assert_eq!(
        all,
        [json!(true), json!(true), json!(true)],
        "none of them asks in turns"
    );
    project.write("lathe.jsonc", hook("echo two >> ran").as_bytes());
    let all = [&root, &plain, &more].map(|directory| trusted_in(&project, directory));
    assert_eq!(all, [json!(false), json!(false), json!(false)]);
}

#[test]
fn links_lead_to_the_same_project_and_to_what_they_hold_now() {
    let server = Server::start();
    server.otherwise(Turn::text("Hello."));
    let project = project(&server).git();
    let shared = project.outside().join("shared.jsonc");
    project.write(&shared, hook("echo one >> ran").as_bytes());
    symlink(&shared, project.path("lathe.jsonc")).unwrap();
    let link = project.outside().join("link");
    symlink(project.root(), &link).unwrap();
    trust(&project, &link);
    assert_eq!(trusted_in(&project, &project.root()), true);
    assert_eq!(trusted_in(&project, &link), true);
    project.write(&shared, hook("echo two >> ran").as_bytes());
    assert_eq!(trusted_in(&project, &link), false);
}

#[test]
fn an_agent_that_changes_while_it_is_asked_about_is_the_one_that_was_shown() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "touch one"})),
        Turn::tool("bash", json!({"command": "mkdir two"})),
        Turn::text("Hello."),
    ]);
    let agent = |rule: &str| format!("---\npermission: {{ bash: {{ {rule}: allow }} }}\n---\nBe quick.\n");
    let project = project(&server)
        .file(".lathe/agents/quick.md", &agent("\"touch *\""))
        .git();
    let terminal = Terminal::start(&project, 80, 24, &["-a", "quick", "-p", "go"]);
    hear(&terminal);
    project.write(".lathe/agents/quick.md", agent("\"*\"").as_bytes());
    give_trust(&terminal);
    terminal.wait_text("bash wants to run");
    terminal.wait_text("mkdir two");
    assert!(project.exists("one") && !project.exists("two"));
}

#[test]
fn a_long_list_of_parts_can_be_answered_and_a_broken_or_huge_file_asks_nothing() {
    let server = Server::start();
    let hook = json!({"type": "command", "command": "echo many >> ran"});
    let hooks = json!({"hooks": {"Stop": [{"hooks": vec![hook; 20_000]}]}}).to_string();
    let project = project(&server).file("lathe.jsonc", &hooks).git();
    let terminal = start(&project);
    hear(&terminal);
    terminal.key(Key::Left);
    terminal.key(Key::Enter);
    terminal.wait_text("echo many >> ran");
    give_trust(&terminal);
    terminal.wait_text("⏎ send");
    leave(&terminal);
    assert_eq!(trusted(&project), true);

    project.write("lathe.jsonc", b"{ broken");
    let run = || Lathe::in_project(&project).args(["run", "--trust", "go"]).run();
    let finished = run().assert_code(2);
    assert!(finished.stderr.contains("lathe.jsonc"), "{finished}");
    project.write("lathe.jsonc", " ".repeat(5 << 20).as_bytes());
    server.otherwise(Turn::text("Done."));
    let finished = run().success();
    assert!(
        finished.stderr.contains("lathe.jsonc` was left out"),
        "{finished}"
    );
}

#[test]
fn two_that_ask_at_once_both_take_their_answer() {
    let server = Server::start();
    let project = hooked(&server);
    let (one, other) = (start(&project), start(&project));
    hear(&one);
    hear(&other);
    give_trust(&one);
    // The screen is there before the answer is on disk; a turn comes after.
    talk(&one);
    assert_eq!(trusted(&project), true);
    refuse_trust(&other);
    talk(&other);
    assert_eq!(
        project.read("ran"),
        "one\n",
        "no is no in the one that was told so"
    );
    assert_eq!(trusted(&project), true);
}
