//! Programs that draw the whole screen, or run terminals of their own, driven by the tool.

use serde_json::json;

use super::{assert_shows, call, results, results_in, send, start, yolo};
use crate::run::project_with;
use crate::support::{Server, Turn};

#[test]
fn commits_are_rebased_in_an_editor() {
    let server = Server::start();
    let project = project_with(&server).git().file("a.txt", "one\n");
    for subject in ["second", "third"] {
        project.write(subject, b"x\n");
        project.run_git(&["add", "."]);
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
        project.run_git(&[&identity[..], &["commit", "-qm", subject]].concat());
    }
    let rebase =
        "git -c user.name=t -c user.email=t@example.com -c sequence.editor='vim -u NONE -n' rebase -i HEAD~2";
    let mut begin = start("re", rebase);
    begin["wait_for"] = json!("pick [0-9a-f]+ ");
    let results = results_in(
        &project,
        &server,
        [
            begin,
            send("re", "", "j d d", "third|second"),
            send("re", ":wq", "Enter", "never"),
        ],
    );
    assert_shows(&results[0], "second");
    assert_shows(&results[2], "exited 0");
    assert_eq!(project.run_git(&["log", "-1", "--format=%s"]).trim(), "second");
}

#[test]
fn tmux_runs_inside() {
    let server = Server::start();
    let project = project_with(&server);
    let socket = project.outside().join("tmux");
    let command = format!(
        "tmux -S {} -f /dev/null new 'echo inside; exec cat'",
        socket.display()
    );
    let mut begin = start("mux", &command);
    begin["wait_for"] = json!("inside");
    let results = results_in(
        &project,
        &server,
        [
            begin,
            send("mux", "typed", "Enter", "typed\\s+typed"),
            send("mux", "", "C-d", "never"),
        ],
    );
    assert_shows(&results[1], "typed");
    assert_shows(&results[2], "exited 0");
}

#[test]
fn a_program_that_wants_the_mouse_gets_keys() {
    let server = Server::start();
    let project = project_with(&server);
    let command = r"printf '\033]0;my title\007\033[?1002h\033[?1006h'; stty raw -echo; echo ready; cat -v";
    let mut begin = start("it", command);
    begin["wait_for"] = json!("ready");
    let results = results_in(&project, &server, [begin, send("it", "", "F5 Up C-x", "\\^X")]);
    assert_eq!(results[0]["details"]["title"], "my title");
    assert_shows(&results[1], "^[[15~^[[A^X");
}

#[test]
fn what_a_program_prints_before_it_ends_is_seen() {
    let server = Server::start();
    let project = project_with(&server);
    let calls = (0..5).map(|number| {
        let mut begin = start(&format!("t{number}"), "echo first; echo the end");
        begin["wait_for"] = json!("the end");
        begin
    });
    for result in results_in(&project, &server, calls) {
        assert_shows(&result, "the end");
        let text = result["output"].as_str().unwrap();
        assert!(!text.contains("not seen"), "{text}");
    }
}

#[test]
fn a_shell_that_is_not_there_is_bash() {
    let server = Server::start();
    let project = project_with(&server);
    server.script([
        call(json!({"action": "start", "session": "sh"})),
        call(send("sh", "echo \"in $BASH\"", "Enter", "in .*bash")),
        Turn::text("Done."),
    ]);
    let finished = yolo(&project)
        .env("SHELL", "/usr/bin/no-such-shell")
        .run()
        .success();
    assert_shows(&results(&finished)[1], "/bash");
}
