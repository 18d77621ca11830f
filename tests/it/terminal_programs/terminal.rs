//! Output, input, size, signals and the end.

use std::time::Duration;

use lathe::process::pty::{PtySize, SettleOutcome, TerminalExit, WriteError};
use lathe::process::screen::{MouseEncoding, MouseTracking};
use rustix::process::Signal;

use super::support::{bash, start};

#[test]
fn a_program_prints_and_ends() {
    let mut program = bash("echo out; echo err >&2; exit 3");
    let exit = program.wait_for_end();
    assert_eq!(
        exit,
        TerminalExit {
            code: Some(3),
            signal: None
        }
    );
    assert_eq!(program.text(), "out\nerr");
    assert_eq!(program.terminal.exit(), Some(exit));
    assert_eq!(
        program.settle(Duration::from_secs(20), Some("never")),
        SettleOutcome::Ended
    );
    assert_eq!(program.terminal.write(b"x"), Err(WriteError::Closed));
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let mut program = start(&["/no/such/program"]);
    assert_eq!(program.wait_for_end().code, Some(127));
    assert!(program.text().contains("/no/such/program"), "{}", program.text());
}

#[test]
fn the_terminal_is_the_controlling_one() {
    let mut program = bash("echo through >/dev/tty; ps -o tty= -p $$ | grep -q pts && echo has; tty");
    program.wait_for_end();
    let text = program.text();
    assert!(text.starts_with("through\nhas\n/dev/pts/"), "{text}");
}

#[test]
fn a_shell_has_job_control_and_ctrl_c_reaches_the_job() {
    let program = start(&["bash", "--norc", "-i"]);
    program.wait_for_text("prompt>");
    program.send("sleep 1000\r");
    program.wait_for_foreground("sleep");
    program.send("\x03");
    program.wait_for_text("^C");
    program.send("echo status $?\r");
    program.wait_for_text("status 130");
}

#[test]
fn a_signal_goes_to_the_foreground() {
    let program = bash("trap 'echo caught' USR1; echo ready; while :; do read -t 1; done");
    program.wait_for_text("ready");
    program.terminal.signal(Signal::USR1).unwrap();
    program.wait_for_text("caught");
}

#[test]
fn a_program_learns_the_size_and_its_changes() {
    let program = bash("trap 'stty size' WINCH; stty size; while :; do read -t 1; done");
    program.wait_for_text("24 80");
    program.terminal.resize(PtySize { cols: 100, rows: 30 }).unwrap();
    program.wait_for_text("30 100");
    assert_eq!(program.terminal.screen().size(), PtySize { cols: 100, rows: 30 });
}

#[test]
fn queries_of_a_program_are_answered() {
    let program =
        bash(r#"stty -echo -icanon; printf 'ab\e[6n'; read -rd R answer; printf '\n%q\n' "$answer""#);
    program.wait_for_text(r"$'\E[1;3'");
}

/// A file that is printed can hold a query; who asked is gone by then.
#[test]
fn no_answer_goes_to_who_reads_lines() {
    let program = bash(r#"printf 'ab\e[6n\e[c\n'; read -r answer; printf 'got %q\n' "$answer""#);
    program.wait_for_text("ab");
    program.send("x\r");
    program.wait_for_text("got x");
}

#[test]
fn no_answer_joins_the_text_in_a_line_of_a_shell() {
    let program = start(&["bash", "--norc"]);
    program.wait_for_text("prompt>");
    program.send("(sleep 0.4; printf '\\e[6nasked') &\r");
    program.send("echo half");
    program.wait_for_text("asked");
    program.send("-done\r");
    program.wait_for_text("\nhalf-done");
}

#[test]
fn writing_to_a_program_that_does_not_read_waits_for_nobody() {
    let program = bash("stty raw -echo; echo ready; read -d x; echo; echo more; read -d y; echo done");
    program.wait_for_text("ready");
    let megabyte = vec![b'a'; 1 << 20];
    program.terminal.write(&megabyte).unwrap();
    // The kernel has taken its part, so there is room for that and no more.
    assert_eq!(program.terminal.write(&megabyte), Err(WriteError::Full));
}

#[test]
fn backspace_takes_back_a_whole_character() {
    let mut program = bash("read line; echo got $line | od -c");
    program.send("aé漢\x7f\x7fb\r");
    program.wait_for_end();
    assert!(
        program.text().contains("g   o   t       a   b  \\n"),
        "{}",
        program.text()
    );
}

#[test]
fn long_input_arrives_whole() {
    let mut program = bash("stty raw -echo; echo ready; head -c 300000 | cksum");
    program.wait_for_text("ready");
    program.terminal.write(&vec![b'a'; 300_000]).unwrap();
    program.wait_for_end();
    let mut expected = bash("head -c 300000 /dev/zero | tr '\\0' a | cksum");
    expected.wait_for_end();
    let sum = expected.text();
    assert!(program.text().contains(sum.trim()), "{} {sum}", program.text());
}

#[test]
fn a_flood_keeps_nobody_from_the_screen_nor_from_stopping_it() {
    let mut program = bash("yes 'a line of a flood of output'");
    program.wait_for("a full scrollback", || {
        (program.terminal.screen().line_count() > 10_000).then_some(())
    });
    // The output goes on while the screen is looked at, again and again.
    for _ in 0..100 {
        let before = program.terminal.screen().generation();
        program.wait_for("more output", || {
            (program.terminal.screen().generation() > before).then_some(())
        });
    }
    program.send("\x03");
    assert_eq!(program.wait_for_end().signal, Some(2));
    assert_eq!(program.terminal.screen().line_count(), 10_024);
}

#[test]
fn a_silent_terminal_is_not_drawn_anew() {
    let program = bash("echo ready; stty -echo; cat >/dev/null");
    program.wait_for_text("ready");
    program.settle(Duration::from_secs(20), None);
    let before = program.terminal.screen().generation();
    program.send("nobody sees this\r");
    program.settle(Duration::from_secs(20), None);
    assert_eq!(program.terminal.screen().generation(), before);
}

#[test]
fn a_pattern_is_waited_for_beyond_silence() {
    let program = bash("echo first; sleep 0.7; echo second; sleep 1000");
    program.wait_for_text("first");
    assert_eq!(
        program.settle(Duration::from_secs(20), Some("second")),
        SettleOutcome::PatternSeen
    );
    assert_eq!(
        program.settle(Duration::from_secs(20), None),
        SettleOutcome::Quiet
    );
    assert_eq!(
        program.settle(Duration::from_millis(500), Some("third")),
        SettleOutcome::TimedOut
    );
}

#[test]
fn vim_edits_and_saves_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("note.txt");
    let mut program = start(&["vim", "-u", "NONE", "-n", file.to_str().unwrap()]);
    program.wait_for_text("note.txt");
    assert!(program.terminal.screen().modes().alternate_screen);
    program.send("ihello from vim\x1b");
    program.wait_for_text("hello from vim");
    program.send(":wq\r");
    assert_eq!(program.wait_for_end().code, Some(0));
    assert_eq!(std::fs::read_to_string(file).unwrap(), "hello from vim\n");
    assert!(!program.terminal.screen().modes().alternate_screen);
}

#[test]
fn tmux_runs_inside() {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("socket");
    let mut program = start(&[
        "tmux",
        "-S",
        socket.to_str().unwrap(),
        "-f",
        "/dev/null",
        "new",
        "echo inside; exec cat",
    ]);
    program.wait_for_text("inside");
    program.send("typed\r");
    program.wait_for_text("typed\ntyped");
    program.terminal.resize(PtySize { cols: 60, rows: 15 }).unwrap();
    program.wait_for("the status line on the last row", || {
        let text = program.terminal.screen().text();
        (text.len() == 15 && text[14].starts_with("[0]")).then_some(())
    });
    program.send("\x04");
    assert_eq!(program.wait_for_end().code, Some(0));
}

#[test]
fn less_searches_and_leaves_the_main_screen_as_it_was() {
    let mut program = bash("echo before; seq 500 | less; echo after");
    program.wait_for_text("23\n:");
    program.send("/^432$\r");
    program.wait_for_text("432\n433");
    program.send("q");
    program.wait_for_end();
    assert_eq!(program.text(), "before\nafter");
}

#[test]
fn a_rebase_todo_is_edited() {
    let directory = tempfile::tempdir().unwrap();
    let setup = "git init -q . && git config user.name n && git config user.email e@x && for n in 1 2 3; do \
                 echo $n >f; git add f; git commit -qm c$n; done";
    let path = directory.path().display();
    let mut program = bash(&format!(
        "cd {path} && {setup} && EDITOR='vim -u NONE -n' git rebase -i HEAD~2 && git log --format=%s"
    ));
    program.wait_for_text("pick");
    program.send("jddk");
    let picks = |text: &str| text.lines().filter(|line| line.starts_with("pick ")).count();
    program.wait_for("one line less", || (picks(&program.text()) == 1).then_some(()));
    program.send(":wq\r");
    program.wait_for_end();
    let text = program.text();
    assert!(text.ends_with("c2\nc1"), "{text}");
}

#[test]
fn a_program_sets_the_title_and_wants_the_mouse() {
    let program = bash(r"printf '\e]2;my title\a\e[?1003h\e[?1006h'; echo ready; exec sleep 1000");
    program.wait_for_text("ready");
    let screen = program.terminal.screen();
    assert_eq!(screen.title(), Some("my title"));
    assert_eq!(screen.modes().mouse, MouseTracking::Motion);
    assert_eq!(screen.modes().mouse_encoding, MouseEncoding::Sgr);
}

#[test]
fn a_terminal_whose_program_has_ended_is_resized() {
    let mut program = bash("echo a line that will be broken at a narrow width");
    program.wait_for_end();
    program.terminal.resize(PtySize { cols: 20, rows: 5 }).unwrap();
    assert_eq!(program.text(), "a line that will be\nbroken at a narrow w\nidth");
    program.terminal.resize(PtySize { cols: 80, rows: 24 }).unwrap();
    assert_eq!(program.text(), "a line that will be broken at a narrow width");
}
