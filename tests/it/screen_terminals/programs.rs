//! Real programs, driven by a person's keys through the pane.

use std::fs;

use super::{LEADER, after_leader, start, unbroken, with_terminals};
use crate::screen::{numbered, project};
use crate::support::{Key, Project, Server, Terminal, wait_until};

/// The pane over a program, once this is on its screen.
fn in_program(server: &Server, project: &Project, command: &str, shown: &str) -> Terminal {
    let terminal = with_terminals(server, project, (100, 30), vec![start("it", command)]);
    terminal.key(Key::Ctrl('o'));
    terminal.wait_text("1 it");
    terminal.wait_for(|screen| screen.contains("more keys") && unbroken(screen).contains(shown));
    terminal
}

fn leaves_with(terminal: &Terminal, status: &str) {
    terminal.wait_text(status);
    terminal.key(Key::Esc);
    terminal.wait_text("They run.");
}

#[test]
fn less_is_searched_and_left() {
    let server = Server::start();
    let project = project(&server).file("long.txt", &numbered(301, |row| format!("row {row}\n")));
    let terminal = in_program(&server, &project, "less long.txt", "row 0");
    terminal.keys("/row 250\r");
    terminal.wait_text("row 251");
    terminal.key(Key::Up);
    terminal.wait_text("row 249");
    terminal.keys("q");
    leaves_with(&terminal, "exited 0");
}

#[test]
fn a_python_session_is_typed_to() {
    let server = Server::start();
    let project = project(&server);
    let terminal = in_program(&server, &project, "python3 -q", ">>>");
    terminal.keys("6 * 7\r");
    terminal.wait_text("42");
    terminal.key(Key::Up);
    terminal.wait_for(|screen| screen.matches("6 * 7").count() == 2);
    terminal.keys(" + 1\r");
    terminal.wait_text("43");
    terminal.key(Key::Ctrl('d'));
    leaves_with(&terminal, "exited 0");
}

#[test]
fn parts_of_a_change_are_staged_and_commits_are_rebased() {
    let server = Server::start();
    let project = project(&server).file("a.txt", "one\n").git();
    project.write("a.txt", b"one\ntwo\n");
    let terminal = in_program(&server, &project, "git add -p", "Stage this hunk");
    terminal.keys("y\r");
    terminal.wait_text("exited 0");
    assert!(project.run_git(&["diff", "--cached"]).contains("+two"));
    let identity = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.com",
        "commit",
        "-qm",
    ];
    project.run_git(&[&identity[..], &["second"]].concat());
    drop(terminal);
    let rebase = "git -c user.name=t -c user.email=t@example.com -c sequence.editor='vim -u NONE' \
                  -c core.editor='vim -u NONE' rebase -i HEAD~1";
    let terminal = in_program(&server, &project, rebase, "pick");
    terminal.keys("cwreword");
    terminal.key(Key::Esc);
    terminal.keys(":wq\r");
    terminal.wait_text("Please enter the commit message");
    terminal.keys("ggCa better name");
    terminal.key(Key::Esc);
    terminal.keys(":wq\r");
    terminal.wait_text("exited 0");
    assert_eq!(
        project.run_git(&["log", "-1", "--format=%s"]).trim(),
        "a better name"
    );
}

#[test]
fn top_is_left_and_tmux_runs_inside() {
    let server = Server::start();
    let project = project(&server);
    let terminal = in_program(&server, &project, "top", "load average");
    terminal.keys("q");
    leaves_with(&terminal, "exited 0");
    drop(terminal);
    let socket = project.outside().join("tmux");
    let command = format!(
        "tmux -S {} -f /dev/null new -s inner 'env PS1=\"in> \" bash --norc'",
        socket.display()
    );
    let terminal = in_program(&server, &project, &command, "in>");
    terminal.keys("echo $((40 + 2))\r");
    terminal.wait_for(|screen| unbroken(screen).contains("42"));
    terminal.keys("exit\r");
    terminal.wait_text("exited 0");
}

#[test]
fn a_flood_is_stopped_by_ctrl_c() {
    let server = Server::start();
    let project = project(&server);
    let shell = "env PS1='prompt> ' bash --norc --noprofile";
    let terminal = in_program(&server, &project, shell, "prompt>");
    terminal.keys("yes flooded\r");
    terminal.wait_for(|screen| screen.matches("flooded").count() > 20);
    terminal.key(Key::Ctrl('c'));
    terminal.keys("clear; echo still-$((1 + 1))\r");
    terminal.wait_for(|screen| screen.contains("still-2") && !screen.contains("flooded\n flooded"));
}

#[test]
fn what_ignores_signals_is_ended_through_the_question() {
    let server = Server::start();
    let project = project(&server);
    let stubborn = "echo $$ > pid; trap '' INT TERM HUP; echo deaf; while :; do sleep 1; done";
    let terminal = in_program(&server, &project, stubborn, "deaf");
    terminal.key(Key::Ctrl('c'));
    terminal.key(LEADER);
    terminal.keys("x");
    terminal.wait_text("Stop the program in terminal");
    terminal.keys("y");
    terminal.wait_text("No terminal runs.");
    let pid = project.read("pid").trim().to_owned();
    wait_until("its end", || {
        let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        status.is_empty() || status.contains(") Z ")
    });
}

#[test]
fn title_mouse_paste_and_size_reach_through() {
    let server = Server::start();
    let project = project(&server);
    // Asks for the mouse and bracketed pastes, and tells what comes and every change of its size.
    let script = "printf '\\033]0;a new title\\007\\033[?1000h\\033[?1006h\\033[?2004h'; stty raw -echo; \
                  trap 'stty size' WINCH; echo ready; while :; do dd bs=64 count=1 2>/dev/null | cat -v; done";
    let project = project.file("tells.sh", script);
    let terminal = in_program(&server, &project, "bash tells.sh", "ready");
    terminal.wait_text("a new title");
    // The screen of the program begins below the title row and the heading.
    terminal.click(4, 6);
    terminal.wait_for(|screen| unbroken(screen).contains("^[[<0;5;5M"));
    terminal.paste("two words");
    terminal.wait_for(|screen| unbroken(screen).contains("^[[200~two words^[[201~"));
    terminal.resize(90, 26);
    // The shell tells once its program has ended.
    terminal.wait_text("90x23");
    terminal.keys("x");
    terminal.wait_for(|screen| unbroken(screen).contains("23 90"));
    terminal.key(LEADER);
    terminal.keys("x");
    terminal.wait_text("Stop the program in terminal");
    terminal.keys("y");
    terminal.wait_text("No terminal runs.");
}

#[test]
fn a_window_is_resized_after_the_program_ended() {
    let server = Server::start();
    let project = project(&server);
    let terminal = in_program(
        &server,
        &project,
        "echo all of it is here; read x",
        "all of it is here",
    );
    terminal.keys("\r");
    terminal.wait_text("exited 0");
    for (columns, rows) in [(60, 20), (140, 40), (100, 30)] {
        terminal.resize(columns, rows);
        terminal.wait_for(|screen| screen.contains("all of it is here") && screen.contains("exited 0"));
    }
    after_leader(&terminal, "x");
    terminal.wait_text("No terminal runs.");
}
