//! Lines that are typed into a shell are the lines that were judged; everything else is asked about.

use serde_json::{Value, json};

use super::permission::{asked, run_in};
use super::{assert_shows, has, kind, output, results, results_in, shell, start};
use crate::run::project_with;
use crate::support::{Finished, Project, Server};

/// What is granted: the programs that are started, one command in them, and the terminals.
fn rules() -> Value {
    let mut commands = json!({"*": "ask", "echo *": "allow", "printf *": "allow", "sleep *": "allow"});
    for program in [
        "env", "exec", "./pager", "bash", "dash", "zsh", "fish", "tcsh", "ksh93", "mksh", "less",
    ] {
        commands[format!("{program} *")] = json!("allow");
    }
    json!({"bash": commands, "interactive_bash": "allow"})
}

fn typed(text: &str, keys: &Value) -> Value {
    json!({"action": "send", "session": "sh", "text": text, "keys": keys, "timeout": 10_000})
}

/// Input, and whether it is typed unasked.
type Row = (Value, bool);

fn row(text: &str, keys: &str, is_typed: bool) -> Row {
    (typed(text, &json!(keys)), is_typed)
}

fn line(text: &str, is_typed: bool) -> Row {
    row(text, "Enter", is_typed)
}

/// Types each row into a shell, and says what was typed unasked.
#[track_caller]
fn check(start: Value, rows: Vec<Row>) -> (Project, Finished) {
    let server = Server::start();
    let project = project_with(&server)
        .file("long.txt", &"a line\n".repeat(200))
        .config(json!({ "permission": rules() }));
    std::fs::copy("/bin/bash", project.path("pager")).unwrap();
    let (inputs, expected): (Vec<Value>, Vec<bool>) = rows.into_iter().unzip();
    let finished = run_in(&project, &server, [start].into_iter().chain(inputs));
    let results = results(&finished);
    let kinds: Vec<&str> = results.iter().skip(1).map(kind).collect();
    let expected: Vec<&str> = expected
        .into_iter()
        .map(|is_typed| if is_typed { "ok" } else { "denied" })
        .collect();
    assert_eq!(kinds, expected, "{finished}");
    assert!(!project.path("pwned").exists(), "{finished}");
    (project, finished)
}

#[test]
fn bash_gets_whole_lines_unasked_and_nothing_else() {
    let marks = format!("echo {}{}touch pwned", "\u{301}".repeat(11), "\u{7f}".repeat(11));
    let (_, finished) = check(
        shell(),
        vec![
            line("echo one-$HOME", true),
            line("echo 'a b' && echo two", true),
            line("echo first\necho second", true),
            line("", true),
            line(&marks, false),
            line("echo \u{145}", false),
            line("echo x\u{8}\u{8}\u{8}\u{8}touch pwned", false),
            line(&format!("echo {}; touch pwned", "x".repeat(4080)), false),
            row("echo $(touch pwned)", "C-M-e", false),
            row("echo half", "", false),
            row("", "Up Enter", false),
            row("", "Tab", false),
            row("echo x", "C-o", false),
            line("echo !!", false),
            line("echo x # y", false),
            line("echo <<echo", false),
            line("echo \\", false),
            line("PS1='$(touch pwned)'", false),
            line("HISTFILE=pwned", false),
            line("touch pwned", false),
            row("", "C-c", true),
            (typed("", &json!(["C-c", "echo three", "Enter"])), true),
            row("", "C-d", true),
        ],
    );
    let results = results(&finished);
    assert_shows(&results[1], "one-/");
    assert_shows(&results[3], "first\nprompt> echo second\nsecond");
    assert_shows(&results[22], "three\nprompt>");
    assert_shows(&results[23], "exited 0");
    let asked = asked(&finished);
    let shown = "echo U+0301";
    assert!(asked.iter().any(|pattern| pattern.contains(shown)), "{asked:?}");
    let shown = "BSpace touch pwned Enter (a shell reads these keys)";
    assert!(asked.iter().any(|pattern| pattern.contains(shown)), "{asked:?}");
}

#[test]
fn a_shell_is_known_by_its_file_whatever_it_calls_itself() {
    let mut begin = start("sh", "exec -a less bash --norc --noprofile");
    begin["wait_for"] = json!("\\$|#");
    check(begin, vec![line("touch pwned", false), line("echo x", true)]);
    let mut begin = start("sh", "./pager --norc");
    begin["wait_for"] = json!("\\$|#");
    check(begin, vec![line("touch pwned", false), line("echo x", false)]);
    let mut begin = start("sh", "exec -a less zsh -f");
    begin["wait_for"] = json!("%|#");
    if has("zsh") {
        check(begin, vec![line("echo x", false), row("", "C-c", true)]);
    }
}

#[test]
fn dash_gets_what_it_reads_as_bash_does() {
    let mut begin = start("sh", "env PS1='prompt> ' dash");
    begin["wait_for"] = json!("prompt>");
    if !has("dash") {
        return;
    }
    check(
        begin,
        vec![
            line("echo one 'two three'", true),
            line("echo x\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}touch pwned", false),
            line("echo $'\\'; touch pwned #'", false),
            line("echo {a,b}", false),
            line("echo x &> pwned", false),
            line(&"x".repeat(4100), false),
            row("", "C-c", true),
            line("echo four", true),
        ],
    );
}

#[test]
fn shells_with_another_grammar_ask_for_every_line() {
    for (program, command) in [
        ("zsh", "env PS1='prompt> ' zsh -f"),
        ("fish", "fish"),
        ("tcsh", "tcsh"),
        ("ksh93", "env PS1='prompt> ' ksh93"),
        ("mksh", "env PS1='prompt> ' mksh"),
    ] {
        if !has(program) {
            continue;
        }
        let mut begin = start("sh", command);
        begin["wait_for"] = json!("[>#%$]\\s*$");
        check(
            begin,
            vec![
                line("echo one", false),
                line("echo x # ; touch pwned", false),
                row("echo $(touch pwned)", "Tab", false),
                row("", "C-c", true),
                row("", "C-d", true),
            ],
        );
    }
}

#[test]
fn what_is_typed_ahead_is_asked_about() {
    check(
        shell(),
        vec![
            row("sleep 600", "Enter", true),
            line("touch pwned", false),
            line("echo x", false),
            row("", "C-c", true),
            line("echo back", true),
        ],
    );
}

/// The program of the first line would read the second one.
#[test]
fn a_line_waits_for_the_prompt_behind_the_one_before() {
    let two = json!({"action": "send", "session": "sh", "text": "cat\necho two\n", "timeout": 1000});
    let server = Server::start();
    let project = project_with(&server);
    let results = results_in(
        &project,
        &server,
        [
            shell(),
            two,
            typed("", &json!("C-d")),
            typed("echo three\necho four", &json!("Enter")),
        ],
    );
    let kinds: Vec<&str> = results.iter().map(kind).collect();
    assert_eq!(kinds, ["ok", "stale", "ok", "ok"]);
    assert!(!output(&results[2]).contains("two"), "{}", output(&results[2]));
    assert_shows(&results[3], "echo three\nthree\nprompt> echo four\nfour");
}

#[test]
fn keys_of_a_pager_that_run_nothing_ask_nothing() {
    if !has("less") {
        return;
    }
    let (_, finished) = check(
        shell(),
        vec![
            line("less long.txt", true),
            row("", "Down PageDown Up", true),
            row("", "q", true),
            // The line is cleared before it.
            line("echo after", true),
        ],
    );
    assert_shows(results(&finished).last().unwrap(), "echo after\nafter");
}

/// A line editor throws away what comes with Ctrl-C, so the text waits for the new prompt.
#[test]
fn no_character_is_lost_behind_ctrl_c() {
    let mut calls = vec![shell()];
    for number in 0..4 {
        let keys = json!(["C-c", format!("echo $(({number} + 40))"), "Enter"]);
        let wanted = format!("^{}$", 40 + number);
        calls.push(json!({"action": "send", "session": "sh", "text": "abc"}));
        calls.push(
            json!({"action": "send", "session": "sh", "keys": keys, "wait_for": wanted, "timeout": 10_000}),
        );
        calls.push(json!({"action": "send", "session": "sh", "text": "cat", "keys": "Enter"}));
        let keys = json!(["C-c", format!("echo $(({number} + 60))"), "Enter"]);
        let wanted = format!("^{}$", 60 + number);
        calls.push(
            json!({"action": "send", "session": "sh", "keys": keys, "wait_for": wanted, "timeout": 10_000}),
        );
    }
    let server = Server::start();
    let project = project_with(&server);
    let results = results_in(&project, &server, calls);
    for result in &results {
        assert_eq!(kind(result), "ok", "{result}");
        assert!(!output(result).contains("not seen"), "{}", output(result));
        assert!(!output(result).contains("not found"), "{}", output(result));
    }
}

#[test]
fn the_person_s_history_is_not_shown() {
    let server = Server::start();
    let project = project_with(&server);
    std::fs::write(project.home().join(".bash_history"), "echo from-the-person\n").unwrap();
    let up = json!({"action": "send", "session": "sh", "keys": "Up"});
    let results = results_in(&project, &server, [shell(), up]);
    assert_eq!(kind(&results[1]), "ok");
    assert!(
        !output(&results[1]).contains("from-the-person"),
        "{}",
        output(&results[1])
    );
}
