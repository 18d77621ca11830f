//! Questions before a program starts, and before something is typed.

use serde_json::{Value, json};

use super::{call, kind, output, results, shell, start};
use crate::run::{events_of, of_kind, project_with};
use crate::support::{Finished, Project, Server, Turn};

/// Runs the calls with these rules and nobody to answer.
fn run_with(rules: &Value, calls: impl IntoIterator<Item = Value>) -> Finished {
    let server = Server::start();
    let project = project_with(&server).config(json!({ "permission": rules }));
    run_in(&project, &server, calls)
}

pub(super) fn run_in(project: &Project, server: &Server, calls: impl IntoIterator<Item = Value>) -> Finished {
    server.script(calls.into_iter().map(call).chain([Turn::text("Done.")]));
    events_of(project).arg("go").run()
}

/// The patterns that were asked about, in order.
pub(super) fn asked(finished: &Finished) -> Vec<String> {
    let asked = of_kind(finished, "permission");
    let patterns = asked
        .iter()
        .flat_map(|event| event["patterns"].as_array().unwrap().clone());
    patterns
        .map(|pattern| pattern.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_start_is_asked_about_as_its_command_even_where_bash_would_only_read() {
    let finished = run_with(
        &json!({}),
        [start("a", "cat /etc/hostname; python3 -q"), start("b", "git log")],
    );
    let asked = asked(&finished);
    assert!(asked.contains(&"python3 -q".to_owned()), "{asked:?}");
    assert!(asked.contains(&"git log".to_owned()), "{asked:?}");
    assert!(results(&finished).iter().all(|result| kind(result) == "denied"));
}

#[test]
fn a_line_sent_to_a_shell_is_asked_about_as_a_command() {
    let rules =
        json!({"bash": {"*": "ask", "env *": "allow", "bash *": "allow"}, "interactive_bash": "allow"});
    let line =
        |text: &str, keys: &str| json!({"action": "send", "session": "sh", "text": text, "keys": keys});
    let finished = run_with(&rules, [shell(), line("rm -rf x", "Enter"), line("rm -r", "")]);
    let results = results(&finished);
    let kinds: Vec<&str> = results.iter().map(kind).collect();
    assert_eq!(kinds, ["ok", "denied", "denied"], "{finished}");
    assert_eq!(asked(&finished), ["rm -rf x", "rm -r (a shell reads these keys)"]);
}

#[test]
fn a_line_that_keys_have_edited_is_asked_about_whatever_the_rules_allow() {
    let rules = json!({"bash": "allow", "interactive_bash": "allow"});
    let again = json!({"action": "send", "session": "sh", "keys": "Up Enter"});
    let finished = run_with(&rules, [shell(), again]);
    let kinds: Vec<String> = results(&finished)
        .iter()
        .map(|result| kind(result).to_owned())
        .collect();
    assert_eq!(kinds, ["ok", "denied"], "{finished}");
}

#[test]
fn keys_are_asked_about_under_their_own_key() {
    let rules = json!({"bash": "allow"});
    let finished = run_with(
        &rules,
        [
            start("c", "cat"),
            json!({"action": "send", "session": "c", "text": "x"}),
        ],
    );
    assert_eq!(asked(&finished), ["c: x"]);
    let finished = run_with(
        &rules,
        [
            start("c", "cat"),
            json!({"action": "signal", "session": "c"}),
            json!({"action": "read", "session": "c"}),
            json!({"action": "stop", "session": "c"}),
        ],
    );
    assert_eq!(asked(&finished), ["c: signal INT"]);
    assert!(output(results(&finished).last().unwrap()).contains("stopped"));
}

#[test]
fn without_bash_the_tool_is_not_advertised() {
    for (rules, is_there) in [(json!({}), true), (json!({"bash": "deny"}), false)] {
        let server = Server::with([Turn::text("Done.")]);
        let project = project_with(&server).config(json!({ "permission": rules }));
        events_of(&project).arg("go").run().success();
        let names = server.requests()[0].tool_names();
        assert_eq!(
            names.contains(&"interactive_bash".to_owned()),
            is_there,
            "{names:?}"
        );
    }
}

#[test]
fn a_rule_that_denies_the_tool_denies_its_start() {
    let rules = json!({"bash": "allow", "interactive_bash": {"*": "allow", "c: *": "deny"}});
    let finished = run_with(&rules, [start("c", "cat"), start("d", "cat")]);
    let results = results(&finished);
    assert_eq!(
        (kind(&results[0]), kind(&results[1])),
        ("denied", "ok"),
        "{finished}"
    );
    assert_eq!(asked(&finished), [""; 0]);
}

#[test]
fn a_shell_that_a_chain_starts_has_its_lines_judged_before_anything_runs() {
    let rules = json!({"bash": {"*": "ask", "bash *": "allow"}, "interactive_bash": "allow"});
    let chain = json!({"tmux_command": "new -d -s sh bash ; send-keys -t sh 'rm -rf x' Enter"});
    let finished = run_with(&rules, [chain, json!({"action": "list"})]);
    let results = results(&finished);
    assert_eq!(kind(&results[0]), "denied", "{finished}");
    let why = "it is typed to a program that does not run yet";
    assert_eq!(asked(&finished), [format!("rm -rf x Enter ({why})")]);
    assert!(output(&results[1]).starts_with("(no sessions)"), "{finished}");
}
