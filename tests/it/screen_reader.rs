//! `lathe --screen-reader` on a terminal: lines that are only added to, questions answered by number, no escape sequence.

use rustix::process::Signal;
use serde_json::json;

use crate::screen::project;
use crate::support::{Fault, Lathe, Project, Server, Terminal, Turn};

const ANSWER: &str = "Answer for \"bash wants to run\" with a number:";
const READY: &str = "/help lists the commands.";

pub(crate) fn open(project: &Project, arguments: &[&str]) -> Terminal {
    let arguments = [&["--screen-reader"], arguments].concat();
    let terminal = Terminal::start(project, 100, 100, &arguments);
    // What is typed from here on stands behind the sign for it, or a turn has begun.
    terminal.wait_for(|screen| screen.contains(&format!("{READY}\n>")) || screen.contains("Working."));
    terminal
}

pub(crate) fn say(terminal: &Terminal, line: &str) {
    terminal.keys(&format!("{line}\r"));
}

/// Waits until a text was said so many times.
pub(crate) fn wait_count(terminal: &Terminal, text: &str, count: usize) -> String {
    terminal.wait_for(|screen| screen.matches(text).count() == count)
}

/// Ends it, and looks at every byte that it wrote.
pub(crate) fn leave(terminal: &Terminal) -> String {
    say(terminal, "/quit");
    assert!(terminal.wait_exit().success());
    let raw = terminal.raw();
    let text = String::from_utf8(raw).expect("UTF-8");
    let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    assert_eq!(text.find(is_control), None, "{text:?}");
    text
}

fn bash(command: &str) -> Turn {
    Turn::tool("bash", json!({ "command": command }))
}

#[test]
fn a_refused_picture_is_told_with_the_way_back() {
    let refused = Fault::Refused {
        message: "Could not process image".to_owned(),
    };
    let server = Server::with([
        Turn::tool("read", json!({"file_path": "a.png"})),
        Turn::text("It went on.").fail(refused),
    ]);
    let project = project(&server).bytes("a.png", include_bytes!("vectors/pixel.png"));
    let terminal = open(&project, &[]);
    say(&terminal, "look");
    terminal.wait_text("Note: 1 attachment left out, `/resend` sends it again");
    terminal.wait_text("Finished.");
    say(&terminal, "/resend");
    terminal.wait_text("refused is sent to it again.");
    leave(&terminal);
}

#[test]
fn a_turn_with_a_question_is_lines_alone() {
    let server = Server::with([
        Turn::new()
            .reasoning("Hm.")
            .say("I count first. Then \u{1b}[31mI look\u{1b}]0;x\u{7}.\nNow:")
            .call("bash", json!({"command": "seq 12; echo ran > mark"})),
        Turn::text("It is done."),
    ]);
    let project = project(&server);
    let terminal = open(&project, &[]);
    assert!(!terminal.is_on_alternate_screen());
    say(&terminal, "count, please");
    terminal.wait_text(ANSWER);
    assert!(!project.exists("mark"));
    say(&terminal, "1");
    let screen = terminal.wait_text("Finished.");
    for line in [
        "> count, please",
        "Working.",
        "Thinking.",
        "| I count first. Then I look.",
        "| Now:",
        "Question: bash wants to run.",
        "1 allow once",
        "2 allow always: bash seq * and edit *",
        "3 deny, which ends the turn",
        "4 deny and say why",
        "Answer for \"bash wants to run\" with a number: 1",
        "Allowed once.",
        "Running Bash: seq 12; echo ran > mark",
        "Done Bash: seq 12; echo ran > mark, 12 lines",
        "Left out: 9 lines above.",
        "| It is done.",
    ] {
        assert!(screen.contains(line), "{line}\n{screen}");
    }
    assert!(project.exists("mark"));
    leave(&terminal);
}

#[test]
fn a_denial_with_a_reason_and_an_always_are_a_number_each() {
    let server = Server::with([
        bash("echo one > one"),
        bash("touch two"),
        bash("touch three"),
        Turn::text("All done."),
    ]);
    let project = project(&server);
    let terminal = open(&project, &["-p", "go"]);
    wait_count(&terminal, ANSWER, 1);
    say(&terminal, "9");
    terminal.wait_text("That is not one of the numbers.");
    wait_count(&terminal, ANSWER, 2);
    say(&terminal, "4");
    terminal.wait_text("Say why \"bash wants to run\" is denied:");
    say(&terminal, "not there, but in two");
    terminal.wait_text("Denied, with your reason.");
    wait_count(&terminal, ANSWER, 3);
    say(&terminal, "2");
    terminal.wait_text("Would store bash touch *: every `touch` command.");
    terminal.wait_text("1 this session");
    terminal.wait_text("is allowed always, with a number:");
    say(&terminal, "1");
    terminal.wait_text("All done.");
    let screen = terminal.wait_text("Finished.");
    assert!(
        screen.contains("Allowed always, this session: bash touch *."),
        "{screen}"
    );
    assert!(screen.contains("Denied Bash: echo one > one"), "{screen}");
    assert!(!project.exists("one") && project.exists("two") && project.exists("three"));
    assert!(server.requests()[1].mentions("not there, but in two"));
    leave(&terminal);
}

#[test]
fn single_patterns_of_an_always_are_chosen_by_number() {
    let server = Server::with([
        bash("touch one && mkdir two && rm one"),
        bash("mkdir three"),
        bash("touch four"),
        Turn::text("All done."),
    ]);
    let project = project(&server);
    let terminal = open(&project, &["-p", "go"]);
    wait_count(&terminal, ANSWER, 1);
    say(&terminal, "2");
    terminal.wait_text("5 choose what is stored");
    terminal.wait_text("is allowed always, with a number:");
    say(&terminal, "5");
    terminal.wait_text("3 bash rm one: ");
    let screen = terminal.wait_text("is allowed always, with numbers separated by spaces:");
    let lines = screen.lines().filter(|line| line.contains("chosen)"));
    let chosen: Vec<bool> = lines.map(|line| line.ends_with(" (chosen)")).collect();
    assert_eq!(chosen, [true, true, false], "{screen}");
    say(&terminal, "2");
    terminal.wait_text("Would store bash mkdir *: every `mkdir` command.");
    wait_count(&terminal, "is allowed always, with a number:", 2);
    say(&terminal, "2");
    terminal.wait_text("Allowed always, this project: bash mkdir *.");
    // The call ran as a whole, the next one unasked, and what was left out asks.
    wait_count(&terminal, ANSWER, 2);
    assert!(project.exists("two") && project.exists("three") && !project.exists("one"));
    say(&terminal, "3");
    terminal.wait_text("Denied.");
    assert!(!project.exists("four"));
    let listed = Lathe::in_project(&project)
        .args(["permissions", "list"])
        .run()
        .success()
        .stdout;
    assert!(
        listed.contains("mkdir *") && !listed.contains("touch") && !listed.contains("rm one"),
        "{listed}"
    );
    leave(&terminal);
}

#[test]
fn a_question_that_an_answer_settles_along_is_not_put_any_more() {
    let read = |turn: Turn, path: &str| turn.call("read", json!({ "file_path": path }));
    let reads = |paths: &[&str]| paths.iter().fold(Turn::new(), |turn, path| read(turn, path));
    let server = Server::with([
        reads(&["one.txt", "two.txt"]),
        reads(&["../near/three.txt", "../near/four.txt", "five.txt"]),
        Turn::text("All done."),
    ]);
    let project = project(&server)
        .file("one.txt", "1")
        .file("two.txt", "2")
        .file("five.txt", "5")
        .config(json!({ "permission": { "read": {
            "*": "allow", "one.txt": "ask", "two.txt": "ask", "five.txt": "ask",
        } } }));
    for name in ["three.txt", "four.txt"] {
        let near = project.outside().join("near");
        std::fs::create_dir_all(&near).unwrap();
        std::fs::write(near.join(name), name).unwrap();
    }
    let terminal = open(&project, &["-p", "go"]);
    terminal.wait_text("Another question is waiting after this one; 2 in all.");
    terminal.wait_text("Answer for \"read wants to read one.txt\" with a number:");
    say(&terminal, "3");
    let screen = terminal.wait_text("Interrupted.\n>");
    assert!(screen.contains("Denied.\nThe question was denied.\n"), "{screen}");
    assert!(
        screen.contains("Denied Read: two.txt\nWhy: the user refused this call.\n"),
        "{screen}"
    );
    assert!(
        !screen.contains("Question: read wants to read two.txt"),
        "{screen}"
    );

    say(&terminal, "go on");
    terminal.wait_text("Another question is waiting after this one; 3 in all.");
    terminal.wait_text("three.txt\" with a number:");
    say(&terminal, "2");
    terminal.wait_text("Choose the scope in which \"read wants to leave the project");
    say(&terminal, "1");
    // The one that is covered is not put, and the one behind it is.
    terminal.wait_text("Answer for \"read wants to read five.txt\" with a number:");
    say(&terminal, "1");
    let screen = terminal.wait_text("All done.");
    assert!(
        screen.contains("The question was allowed.\nQuestion: read wants to read five.txt."),
        "{screen}"
    );
    assert!(
        !screen.contains("Question: read wants to leave the project: ../near/four.txt"),
        "{screen}"
    );
    leave(&terminal);
}

const ONCE: &str = "Nothing is running. ctrl+c again at once quits.";

/// Presses `ctrl+c` until it leaves, and returns how often. Each press but the last is answered: on a machine that is busy
/// one may come too late to be the second, and then counts as a first one and is said to.
fn leave_by_interrupts(terminal: &Terminal) -> usize {
    let mut presses = 0;
    loop {
        terminal.send(b"\x03");
        presses += 1;
        if !terminal.wait_count_or_exit(ONCE, presses) {
            return presses;
        }
        assert!(presses < 20, "no two presses leave:\n{}", terminal.screen());
    }
}

#[test]
fn ctrl_c_interrupts_and_twice_leaves() {
    let server = Server::with([Turn::text("Half. An answer").fail(Fault::Stall { after: 2 })]);
    let project = project(&server);
    let terminal = open(&project, &[]);
    say(&terminal, "talk");
    server.wait_for_requests(1);
    terminal.wait_text("Working.");
    terminal.send(b"\x03");
    terminal.wait_text("Interrupting. ctrl+c again at once quits.");
    terminal.wait_text("Interrupted.");
    server.wait_for_abandoned(1);
    let presses = leave_by_interrupts(&terminal);
    assert!(presses >= 2, "one press was enough");
    assert!(terminal.wait_exit().success());
    assert!(!terminal.raw().contains(&0x1b));
}

#[test]
fn a_line_of_esc_interrupts_and_the_session_can_be_reopened() {
    let server = Server::with([
        Turn::text("First answer."),
        Turn::text("Half. An answer").fail(Fault::Stall { after: 2 }),
    ]);
    let project = project(&server);
    let terminal = open(&project, &[]);
    say(&terminal, "one");
    terminal.wait_text("Finished.");
    say(&terminal, "two");
    server.wait_for_requests(2);
    wait_count(&terminal, "Working.", 2);
    say(&terminal, "\u{1b}");
    terminal.wait_text("Interrupting.");
    terminal.wait_text("Interrupted.");
    terminal.send(b"\x04");
    assert!(terminal.wait_exit().success());

    let terminal = open(&project, &["-c"]);
    let screen = terminal.wait_text("2 messages of yours.");
    assert!(screen.contains("The last answer was:"), "{screen}");
    leave(&terminal);
}

#[test]
fn the_questions_of_a_tool_are_answered_by_number_or_in_words() {
    let questions = json!({"questions": [
        {"question": "Which store?", "options": [{"label": "Postgres", "description": "a server"}, {"label": "SQLite"}]},
        {"question": "Which name?", "options": ["a", "b", "c"], "multiple": true},
        {"question": "Since when?"},
    ]});
    let server = Server::with([Turn::tool("question", questions), Turn::text("Good.")]);
    let project = project(&server);
    let terminal = open(&project, &["-p", "go"]);
    terminal.wait_text("Question 1 of 3: Which store?");
    let screen = terminal.wait_text("with a number, or in your own words");
    assert!(
        screen.contains("1 Postgres: a server") && screen.contains("2 SQLite"),
        "{screen}"
    );
    say(&terminal, "2");
    terminal.wait_text("Question 2 of 3: Which name?");
    terminal.wait_text("with numbers separated by spaces");
    say(&terminal, "1 3");
    terminal.wait_text("Question 3 of 3: Since when?");
    say(&terminal, "since 2019");
    terminal.wait_text("Good.");
    let request = &server.requests()[1];
    for answer in [
        "\\\"Which store?\\\" = \\\"SQLite\\\"",
        "\\\"a\\\", \\\"c\\\"",
        "since 2019",
    ] {
        assert!(
            request.body.to_string().contains(answer),
            "{answer}\n{}",
            request.body
        );
    }
    leave(&terminal);
}

#[test]
fn a_plan_is_read_and_approved_by_number() {
    let plan = json!({"title": "Clock", "plan": "# Clock\n\n1. take a clock\n2. pause it"});
    let server = Server::with([Turn::tool("plan_exit", plan), Turn::text("On it.")]);
    let project = project(&server);
    let terminal = open(&project, &["-a", "plan"]);
    say(&terminal, "go");
    terminal.wait_text("1. take a clock");
    terminal.wait_text("1 Approve: agent `build` carries it out");
    terminal.wait_text(" with a number");
    say(&terminal, "1");
    let screen = terminal.wait_text("On it.");
    assert!(screen.contains("The agent is build now."), "{screen}");
    leave(&terminal);
}

#[test]
fn commands_change_the_model_the_agent_and_the_mode_and_tell_what_there_is() {
    let server = Server::with([bash("touch mark"), Turn::text("Finally.")]);
    let project = project(&server);
    let terminal = open(&project, &[]);
    say(&terminal, "/nonsense");
    terminal.wait_text("There is no command /nonsense.");
    say(&terminal, "/mode");
    terminal.wait_text("1 ask (now)");
    say(&terminal, "/mode 4");
    terminal.wait_text("The mode is yolo now.");
    say(&terminal, "/agent plan");
    terminal.wait_text("The agent is plan now.");
    say(&terminal, "/agent build");
    terminal.wait_text("The agent is build now.");
    say(&terminal, "/model 99");
    terminal.wait_text("There is no model 99.");
    say(&terminal, "!echo mine");
    terminal.wait_text("Done Bash: echo mine");
    say(&terminal, "go");
    terminal.wait_text("Finished.");
    assert!(project.exists("mark"));
    say(&terminal, "/status");
    terminal.wait_text("Nothing is running.");
    say(&terminal, "/show");
    wait_count(&terminal, "Done Bash: touch mark", 2);
    leave(&terminal);
}

#[test]
fn what_a_project_brings_is_asked_about_by_number() {
    let server = Server::with([Turn::text("Hello.")]);
    let hook =
        json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo one >> ran"}]}]}});
    let project = project(&server).file("lathe.jsonc", &hook.to_string()).git();
    let terminal = Terminal::start(&project, 100, 100, &["--screen-reader"]);
    // Typed before the question could be read, and one more begun: neither is an answer, nor a part of one.
    say(&terminal, "1");
    terminal.wait_text("so it was not taken as an answer");
    terminal.keys("1");
    wait_count(&terminal, "Answer for the trust question with a number:", 1);
    say(&terminal, "3");
    terminal.wait_text("echo one >> ran");
    wait_count(&terminal, "1 trust it", 2);
    wait_count(&terminal, "Answer for the trust question with a number:", 2);
    say(&terminal, "1");
    terminal.wait_text(READY);
    say(&terminal, "hi");
    terminal.wait_text("Hello.");
    assert_eq!(project.read("ran"), "one\n");
    leave(&terminal);
}

#[test]
fn a_signal_ends_it_and_without_a_terminal_it_does_not_begin() {
    let server = Server::with([]);
    let project = project(&server);
    let terminal = open(&project, &[]);
    terminal.signal(Signal::TERM);
    assert_eq!(terminal.wait_exit().exit_code(), 143);
    let finished = Lathe::in_project(&project)
        .arg("--screen-reader")
        .run()
        .assert_code(2);
    assert!(finished.stderr.contains("lathe run"), "{finished}");
}

#[test]
fn files_that_a_message_names_are_read_into_it_and_some_only_for_a_second_word() {
    let server = Server::with([Turn::text("Both seen."), Turn::text("The key as well.")]);
    let project = project(&server)
        .file("src/a.rs", "fn first() {}\nfn second() {}\n")
        .file("src/b.rs", "fn other() {}\n");
    std::fs::write(project.outside().join("key"), "outer-secret").unwrap();
    let terminal = open(&project, &[]);
    say(&terminal, "compare @src/a.rs:2 with @src/b.rs");
    terminal.wait_text("Attached: src/a.rs:2.");
    terminal.wait_text("Attached: src/b.rs.");
    terminal.wait_text("| Both seen.");
    let screen = terminal.wait_text("Finished.");
    let request = &server.requests()[0];
    assert!(
        request.mentions("fn second()") && request.mentions("fn other()") && !request.mentions("fn first()"),
        "{screen}"
    );
    say(&terminal, "and @../key");
    terminal.wait_text("which is read only if you say so.");
    terminal.wait_text("It was: and @../key");
    terminal.wait_text("/send sends your message again unchanged.");
    assert_eq!(server.requests().len(), 1);
    say(&terminal, "/send");
    terminal.wait_text("| The key as well.");
    wait_count(&terminal, "Finished.", 2);
    assert!(server.requests()[1].mentions("outer-secret"));
    leave(&terminal);
}

#[test]
fn sessions_are_listed_found_and_gone_to_by_number() {
    let server = Server::with([
        Turn::text("Pause them."),
        Turn::text("Not yet."),
        Turn::text("Then resume."),
    ]);
    let project = project(&server);
    let terminal = open(&project, &[]);
    say(&terminal, "what about clocks");
    terminal.wait_text("Finished.");
    say(&terminal, "/new");
    wait_count(&terminal, READY, 2);
    say(&terminal, "and of tests");
    wait_count(&terminal, "Finished.", 2);
    say(&terminal, "/sessions");
    terminal.wait_text("1 and of tests, ");
    terminal.wait_text(", you are in it");
    let screen = terminal.wait_text("/sessions with a number opens one.");
    assert!(screen.contains("2 what about clocks, "), "{screen}");
    say(&terminal, "/sessions pause");
    terminal.wait_text("1 what about clocks, ");
    terminal.wait_text("match: Pause them.");
    wait_count(&terminal, "/sessions with a number opens one.", 2);
    say(&terminal, "/sessions 1");
    terminal.wait_text("Reopened: what about clocks, 1 message of yours.");
    wait_count(&terminal, READY, 3);
    say(&terminal, "and then");
    terminal.wait_text("| Then resume.");
    wait_count(&terminal, "Finished.", 3);
    let request = &server.requests()[2];
    assert!(
        request.mentions("what about clocks") && !request.mentions("and of tests"),
        "{}",
        request.body
    );
    leave(&terminal);
}

#[test]
fn what_is_allowed_for_good_is_listed_and_revoked_by_number() {
    let server = Server::with([
        bash("touch one"),
        Turn::text("One."),
        bash("touch two"),
        Turn::text("Two."),
    ]);
    let project = project(&server);
    let terminal = open(&project, &["-p", "go"]);
    wait_count(&terminal, ANSWER, 1);
    say(&terminal, "2");
    terminal.wait_text("is allowed always, with a number:");
    say(&terminal, "2");
    terminal.wait_text("Finished.");
    say(&terminal, "/permissions");
    terminal.wait_text("1 bash touch *, project ");
    terminal.wait_text("/revoke with a number revokes one.");
    say(&terminal, "/revoke 1");
    terminal.wait_text("Revoked: bash touch *.");
    say(&terminal, "go on");
    wait_count(&terminal, ANSWER, 2);
    assert!(project.exists("one") && !project.exists("two"));
    say(&terminal, "3");
    terminal.wait_text("Denied Bash: touch two");
    leave(&terminal);
}

#[test]
fn what_changed_what_was_spent_and_how_things_stand_are_lines() {
    let write = Turn::tool("write", json!({"file_path": "src/a.rs", "content": "one\ntwo\n"}));
    let server = Server::with([write, Turn::text("Written.")]);
    let project = project(&server);
    let terminal = open(&project, &[]);
    say(&terminal, "/mode 4");
    terminal.wait_text("The mode is yolo now.");
    say(&terminal, "write it");
    terminal.wait_text("Finished.");
    say(&terminal, "/diff");
    terminal.wait_text("1 file changed in this session: 2 lines added, 0 removed.");
    terminal.wait_text("1 src/a.rs, new, 2 lines added, 0 removed");
    say(&terminal, "/diff 1");
    terminal.wait_text("| added 2: two");
    say(&terminal, "/context");
    terminal.wait_text("per cent;");
    terminal.wait_text("1 user message: ");
    terminal.wait_text("/context all shows the parts of each.");
    say(&terminal, "/cost");
    terminal.wait_text("this session: ");
    terminal.wait_text("local/test-model, build, 2 requests: ");
    say(&terminal, "/export kept.json");
    terminal.wait_text("The session was exported to ");
    assert!(project.read("kept.json").contains("lathe-session-1"));
    say(&terminal, "/export kept.json");
    terminal.wait_text("kept.json already exists; /export replace overwrites it.");
    say(&terminal, "/status all");
    terminal.wait_text("mode: yolo");
    terminal.wait_text("state: idle, nothing waits to be sent, 0 open questions");
    terminal.wait_text("threads: ");
    leave(&terminal);
}

#[test]
fn what_is_held_when_it_is_left_is_told_and_sent_when_it_is_opened_again() {
    // What stalls the first time comes whole with the next request.
    let server = Server::with([Turn::text("A part. Now all came.").fail(Fault::Stall { after: 2 })]);
    let project = project(&server);
    let terminal = open(&project, &[]);
    say(&terminal, "one");
    server.wait_for_requests(1);
    terminal.wait_text("Working.");
    say(&terminal, "/queue the next");
    terminal.wait_text("Waits for the end of the turn: the next");
    say(&terminal, "/stop");
    terminal.wait_text("Held; /send sends it: the next");
    terminal.wait_text("Interrupted.");
    say(&terminal, "/new");
    terminal.wait_text("A message is held here.");
    leave(&terminal);

    let terminal = open(&project, &["-c"]);
    terminal.wait_text("Left unsent: the next");
    say(&terminal, "/send");
    terminal.wait_text("Now all came.");
    terminal.wait_text("Finished.");
    assert!(server.requests()[1].mentions("the next"));
    leave(&terminal);
    let terminal = open(&project, &["-c"]);
    assert!(
        !terminal.screen().contains("Left unsent"),
        "{}",
        terminal.screen()
    );
    leave(&terminal);
}

#[test]
fn a_question_hides_no_character_and_is_left_without_a_control() {
    let content = "echo building \u{1b}]0; touch pwned\n\u{202e}x\r\n1 allow once\n";
    let server = Server::with([
        Turn::new()
            .call("write", json!({"file_path": "x\u{200b}.sh", "content": content}))
            .call("bash", json!({"command": "true \u{9b}8m; touch a\t b "})),
        Turn::text("Done."),
    ]);
    let project = project(&server);
    let terminal = open(&project, &[]);
    say(&terminal, "go");
    let screen = terminal.wait_text("Answer for \"write wants to change x⟨U+200B⟩.sh\" with a number:");
    for line in [
        "| added 1: echo building ⟨U+001B⟩]0; touch pwned",
        "| added 2: ⟨U+202E⟩x⟨U+000D⟩",
        "| added 3: 1 allow once",
    ] {
        assert!(screen.contains(line), "{line}\n{screen}");
    }
    say(&terminal, "1");
    terminal.wait_text(ANSWER);
    terminal.wait_text("| true ⟨U+009B⟩8m; touch a⇥");
    say(&terminal, "3");
    terminal.wait_text("Denied.");
    leave(&terminal);
}
