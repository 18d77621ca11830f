//! Programs that wait for a person, told by facts.

use std::time::{Duration, Instant};

use lathe::process::pty::{InputWait, SettleOutcome, assess};

use super::support::{Program, bash, start};

const LONG: Duration = Duration::from_secs(20);
/// Silence after which a program that reads would have been taken to wait.
const SURE: Duration = Duration::from_millis(1500);
/// By then it must be known that a person is waited for.
const SOON: Duration = Duration::from_secs(2);

fn waits(program: &Program) -> InputWait {
    let silence = program.terminal.silence(Instant::now());
    let facts = program.terminal.input_facts();
    facts.map_or(InputWait::No, |facts| assess(facts, silence))
}

/// The program is taken for one that hides its input, also by who waits for a pattern; and what is typed is not shown.
#[track_caller]
fn is_hidden(program: &Program, prompt: &str) {
    program.wait_for_text(prompt);
    program.wait_for("hidden input", || {
        (waits(program) == InputWait::Hidden).then_some(())
    });
    assert_eq!(program.settle(LONG, Some("never")), SettleOutcome::HiddenInput);
    program.send("s3cret");
    program.settle(SOON, None);
    assert!(!program.text().contains("s3cret"));
}

#[track_caller]
fn waits_for_a_line(program: &Program) {
    assert_eq!(program.settle(LONG, Some("never")), SettleOutcome::WaitsForLine);
}

/// Silent for longer than it takes to be sure, and nothing is claimed.
#[track_caller]
fn claims_nothing(program: &Program) {
    let is_sure = || program.terminal.silence(Instant::now()) > SURE;
    program.wait_for("silence", || is_sure().then_some(()));
    assert_eq!(waits(program), InputWait::No, "{}", program.text());
}

#[test]
fn read_of_a_shell_without_echo_is_hidden() {
    let prompts = ["Password: ", "Passwort für root: ", "パスワード:", "sesame? ", ""];
    for prompt in prompts {
        let mut program = bash(&format!(
            "read -rsp '{prompt}' secret; echo; echo got ${{#secret}}"
        ));
        is_hidden(&program, prompt.trim());
        program.send("\r");
        program.wait_for_end();
        assert!(program.text().contains("got 6"), "{}", program.text());
    }
}

#[test]
fn getpass_of_python_is_hidden() {
    let program = start(&[
        "python3",
        "-c",
        "import getpass; print(len(getpass.getpass('Kennwort: ')))",
    ]);
    is_hidden(&program, "Kennwort:");
    program.send("\r");
    program.wait_for_text("6");
}

#[test]
fn echo_that_is_off_for_other_reasons_is_hidden_too() {
    let program = bash("stty -echo; echo ready; sleep 1000");
    is_hidden(&program, "ready");
}

/// Runs a program as a user who is not root, and checks that its input is hidden once this text is there.
fn is_hidden_of_another_user(words: &[&str], text: &str) {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: needs root to become another user");
        return;
    }
    let other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    is_hidden(&start(&[&other, words].concat()), text);
}

/// A setuid program, run by somebody who is not root.
#[test]
fn su_run_by_another_user_is_hidden() {
    is_hidden_of_another_user(&["su", "root"], "assword");
}

#[test]
fn another_user_s_program_without_echo_is_hidden_even_in_raw_mode() {
    let script = "stty -echo -icanon; echo ready; read -rn 20";
    is_hidden_of_another_user(&["bash", "-c", script], "ready");
}

#[test]
fn a_read_is_a_wait_for_a_line() {
    let programs = [
        bash("read -rp 'your name: ' name; echo hello $name"),
        bash("echo 'continue? [y/N]'; cat"),
        bash("echo; exec </dev/tty; head -n 1"),
        start(&["python3", "-c", "print(input('zahl: '))"]),
        start(&["bash", "--norc", "-ic", "read line"]),
    ];
    for program in programs {
        waits_for_a_line(&program);
        assert_eq!(waits(&program), InputWait::Line);
        program.send("answer\r");
        program.wait_for_text("answer");
    }
}

#[test]
fn a_program_that_computes_or_reads_something_else_claims_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    let programs = [
        bash("echo building; sleep 1000"),
        bash(&format!("mkfifo {0}; exec 3<>{0}; cat <&3", pipe.display())),
        bash("sleep 1000 | cat"),
    ];
    for program in programs {
        claims_nothing(&program);
    }
}

#[test]
fn prompts_of_shells_editors_and_interpreters_are_neither() {
    let table: [(&[&str], &str); 5] = [
        (&["bash", "--norc", "-i"], "prompt>"),
        (&["vim", "-u", "NONE", "-n"], "VIM"),
        (&["less", "/etc/passwd"], "root:"),
        (&["python3", "-q"], ">>>"),
        (&["top", "-d", "100"], "PID"),
    ];
    let programs = table.map(|(words, shown)| (start(words), shown));
    for (program, shown) in &programs {
        program.wait_for_text(shown);
    }
    for (program, _) in &programs {
        claims_nothing(program);
        assert_eq!(program.settle(LONG, None), SettleOutcome::Quiet);
    }
}

#[test]
fn a_shell_is_usable_again_after_hidden_input() {
    let program = start(&["bash", "--norc", "-i"]);
    program.wait_for_text("prompt>");
    program.send("read -rs secret\r");
    program.wait_for("hidden input", || {
        (waits(&program) == InputWait::Hidden).then_some(())
    });
    program.send("s3cret\r");
    program.wait_for("the prompt", || (waits(&program) == InputWait::No).then_some(()));
    program.send("echo length ${#secret}\r");
    program.wait_for_text("length 6");
    assert!(!program.text().contains("s3cret"));
}
