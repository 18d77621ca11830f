//! Hooks through the real program: who brings them, what they are told, and what a person and a script see of them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::run::{assert_well_formed, events_of, of_kind, project_with, reason, text_of};
use crate::screen::{open, project, say};
use crate::support::{Finished, Gate, Key, Lathe, Project, Server, Turn, wait_until};

fn hooks(event: &str, command: &str) -> Value {
    json!({ "hooks": { event: [{ "hooks": [{ "type": "command", "command": command }] }] } })
}

/// A project with hooks of the user's own.
fn hooked(server: &Server, event: &str, command: &str) -> Project {
    project_with(server).config(hooks(event, command))
}

fn says(answer: &Value) -> String {
    format!("printf '%s' '{answer}'")
}

fn go(project: &Project) -> Finished {
    events_of(project).arg("go").run()
}

fn list() -> Turn {
    Turn::tool("list", json!({}))
}

#[track_caller]
fn only_result(finished: &Finished) -> Value {
    let mut results = of_kind(finished, "tool_result");
    assert_eq!(results.len(), 1, "{finished}");
    results.remove(0)
}

/// Returns the input that a hook wrote down.
#[track_caller]
fn told(project: &Project, file: &str) -> Value {
    serde_json::from_str(&project.read(file)).unwrap()
}

#[test]
fn a_denied_call_has_its_one_result_and_the_turn_goes_on() {
    let server = Server::with([list(), Turn::text("I see.")]);
    let finished = go(&hooked(&server, "PreToolUse", "echo 'no lists' >&2; exit 2")).success();
    assert_well_formed(&finished);
    let result = only_result(&finished);
    assert_eq!(result["details"]["error"]["kind"], "hook", "{finished}");
    assert!(server.requests()[1].mentions("no lists"));
    assert_eq!(text_of(&finished), "I see.");
    assert_eq!(
        of_kind(&finished, "permission"),
        [] as [Value; 0],
        "no rule was asked"
    );
}

#[test]
fn a_hook_that_takes_too_long_denies_and_leaves_nothing_running() {
    let server = Server::with([list(), Turn::text("Late.")]);
    let project = project_with(&server).config(json!({ "hooks": { "PreToolUse": [{ "hooks": [{
        "type": "command", "command": "sh -c 'echo $$ > pid; exec sleep 300' & wait", "timeout": 1
    }] }] } }));
    let started = Instant::now();
    let finished = go(&project).success();
    assert!(started.elapsed() < Duration::from_secs(30), "{finished}");
    let output = only_result(&finished)["output"].as_str().unwrap().to_owned();
    assert!(output.contains("hook timed out after 1 s"), "{output}");
    let pid = project.read("pid");
    let cmdline = std::fs::read(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default();
    assert!(cmdline.is_empty(), "the hook's child still runs");
}

#[test]
fn a_hook_that_cannot_start_asks_and_an_unattended_run_denies() {
    let server = Server::with([list(), Turn::text("So be it.")]);
    let finished = go(&hooked(&server, "PreToolUse", "/no/such/check")).success();
    assert_well_formed(&finished);
    assert_eq!(only_result(&finished)["details"]["error"]["kind"], "denied");
    let asked = of_kind(&finished, "permission");
    assert_eq!(
        (&asked[0]["permission"], &asked[0]["reply"]),
        (&json!("hook"), &json!("reject")),
        "{finished}"
    );
}

#[test]
fn the_event_has_the_arguments_of_the_model_and_details_what_ran() {
    let server = Server::with([Turn::tool("read", json!({"file_path": "a"})), Turn::text("Read.")]);
    let other = says(&json!({"hookSpecificOutput": {"updatedInput": {"file_path": "b"}}}));
    let project = hooked(&server, "PreToolUse", &other)
        .file("a", "alpha\n")
        .file("b", "beta\n");
    let finished = go(&project).success();
    assert_eq!(
        of_kind(&finished, "tool_call")[0]["args"],
        json!({"file_path": "a"})
    );
    let result = only_result(&finished);
    assert_eq!(result["details"]["args"], json!({"file_path": "b"}));
    assert!(server.requests()[1].mentions("beta") && !server.requests()[1].mentions("alpha"));
}

#[test]
fn what_a_hook_prints_reaches_nobody_as_control_sequences() {
    let server = Server::with([list(), Turn::text("Fine.")]);
    let hostile = "printf '\\033]0;owned\\007\\033[2Jgo away\\n\\033[31mnow' >&2; exit 2";
    let finished = go(&hooked(&server, "PreToolUse", hostile)).success();
    assert_well_formed(&finished);
    assert!(!finished.stdout.contains('\u{1b}') && !finished.stderr.contains('\u{1b}'));
    assert!(
        only_result(&finished)["output"]
            .as_str()
            .unwrap()
            .contains("go away")
    );
}

#[test]
fn a_hook_may_end_the_turn_after_the_call() {
    let server = Server::start();
    let ends = says(&json!({"continue": false, "stopReason": "enough", "systemMessage": "ended by policy"}));
    for event in ["PreToolUse", "PostToolUse"] {
        server.script([list()]);
        let finished = Lathe::in_project(&hooked(&server, event, &ends))
            .args(["run", "go"])
            .run()
            .success();
        assert!(
            finished.stderr.contains("A hook ended the turn: enough"),
            "{finished}"
        );
        assert!(finished.stderr.contains("ended by policy"), "{finished}");
    }
}

#[test]
fn one_call_from_outside_runs_the_hooks_around_it() {
    let project = Project::new().config(hooks("PreToolUse", "echo no >&2; exit 2"));
    let finished = Lathe::in_project(&project)
        .args(["tool", "list", "{}", "--format", "json"])
        .run();
    let finished = finished.assert_code(1);
    assert_eq!(finished.json()["details"]["error"]["kind"], "hook");
}

#[test]
fn a_prompt_may_be_refused_and_is_not_sent() {
    let server = Server::with([]);
    let finished = go(&hooked(
        &server,
        "UserPromptSubmit",
        "echo 'say please' >&2; exit 2",
    ))
    .assert_code(1);
    assert_well_formed(&finished);
    assert_eq!(server.requests().len(), 0);
    let errors = of_kind(&finished, "error");
    assert_eq!(errors[0]["kind"], "hook");
    assert!(
        errors[0]["message"].as_str().unwrap().contains("say please"),
        "{finished}"
    );
    assert_eq!(reason(&finished), "error");
}

#[test]
fn words_of_a_hook_join_the_prompt() {
    let server = Server::with([Turn::text("Hello.")]);
    let project = hooked(
        &server,
        "UserPromptSubmit",
        "cat > told.json; echo 'the branch is frozen'",
    );
    go(&project).success();
    assert_eq!(told(&project, "told.json")["prompt"], "go");
    assert!(server.requests()[0].mentions("the branch is frozen"));
}

#[test]
fn the_beginning_of_a_session_is_told_and_may_add_to_the_context() {
    let server = Server::with([Turn::text("One."), Turn::text("Two.")]);
    let project = hooked(&server, "SessionStart", "cat > told.json; echo 'it rains'");
    go(&project).success();
    assert_eq!(told(&project, "told.json")["source"], "startup");
    assert!(server.requests()[0].mentions("it rains"));
    events_of(&project).args(["-c", "more"]).run().success();
    assert_eq!(told(&project, "told.json")["source"], "resume");
}

#[test]
fn a_turn_goes_on_when_a_hook_wants_it_to_but_not_for_ever() {
    let server = Server::start();
    server.otherwise(Turn::text("Done."));
    let stop = "cat >> told; echo >> told; echo 'run the tests' >&2; exit 2";
    let finished = go(&hooked(&server, "Stop", stop)).success();
    assert_well_formed(&finished);
    assert_eq!(server.requests().len(), 9, "once, and eight times in a row");
    assert!(server.requests()[1].mentions("run the tests"));
}

#[test]
fn a_hook_at_the_end_is_told_whether_it_has_spoken_before() {
    let server = Server::start();
    server.otherwise(Turn::text("Done."));
    let stop = "cat >> told; echo >> told; grep -q true told || { echo again >&2; exit 2; }";
    let project = hooked(&server, "Stop", stop);
    go(&project).success();
    let told: Vec<bool> = project
        .read("told")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["stop_hook_active"] == true)
        .collect();
    assert_eq!(told, [false, true]);
}

#[test]
fn the_end_of_a_session_and_what_may_be_wanted_to_know_are_told() {
    let server = Server::with([Turn::text("Done.")]);
    let project =
        hooked(&server, "SessionEnd", "cat > end.json").config(hooks("Notification", "cat > note.json"));
    go(&project).success();
    assert_eq!(told(&project, "end.json")["reason"], "exit");
    assert_eq!(told(&project, "note.json")["kind"], "done");
    assert!(told(&project, "note.json")["message"].is_string());
}

#[test]
fn a_hook_that_fails_beside_the_calls_is_a_warning() {
    let server = Server::with([Turn::text("Done.")]);
    let project = hooked(&server, "UserPromptSubmit", "echo 'out of order' >&2; exit 1");
    let finished = Lathe::in_project(&project).args(["run", "go"]).run().success();
    assert!(
        finished.stderr.contains("The UserPromptSubmit hook"),
        "{finished}"
    );
    assert!(finished.stderr.contains("out of order"), "{finished}");
    assert_eq!(finished.stdout, "Done.\n");
}

#[test]
fn the_conversation_can_be_read_and_is_gone_afterwards() {
    let server = Server::with([list(), Turn::text("Done.")]);
    let stop = "sed 's/.*\"transcript_path\":\"\\([^\"]*\\)\".*/\\1/' > path; cp \"$(cat path)\" copy.jsonl";
    let project = hooked(&server, "Stop", stop);
    go(&project).success();
    let lines: Vec<Value> = project
        .read("copy.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["user", "assistant", "user", "assistant"]);
    assert_eq!(lines[1]["message"]["content"][0]["name"], "LS");
    let path = project.read("path");
    assert!(!std::path::Path::new(path.trim()).exists());
}

#[test]
fn settings_of_claude_code_count_and_a_project_s_only_with_trust() {
    let server = Server::start();
    server.otherwise(Turn::text("Done."));
    let claude = |name: &str| hooks("SessionStart", &format!("echo {name} >> ran")).to_string();
    let project = hooked(&server, "SessionStart", "echo global >> ran")
        .file("lathe.jsonc", &claude("own"))
        .file(".claude/settings.json", &claude("project"))
        .file(".claude/settings.local.json", &claude("local"));
    project.write(
        project.home().join(".claude/settings.json"),
        claude("user").as_bytes(),
    );
    let finished = go(&project).success();
    assert_eq!(project.read("ran"), "global\nuser\n");
    assert!(finished.stderr.contains("not trusted"), "{finished}");
    project.write("ran", b"");
    project.write("extra.jsonc", claude("extra").as_bytes());
    let finished = events_of(&project)
        .args(["--trust", "--config", "extra.jsonc", "go"])
        .run()
        .success();
    assert_eq!(project.read("ran"), "global\nuser\nown\nproject\nlocal\nextra\n");
    assert!(!finished.stderr.contains("not trusted"), "{finished}");
}

#[test]
fn what_an_untrusted_project_s_settings_hold_stops_nobody() {
    let server = Server::with([Turn::text("Done.")]);
    let project = project_with(&server).file(".claude/settings.json", "{ broken");
    let finished = go(&project).success();
    let named = finished
        .stderr
        .contains(".claude/settings.json:1:3: this is not valid JSON");
    assert!(named && finished.stderr.lines().count() == 1, "{finished}");
}

#[test]
fn settings_that_cannot_be_meant_are_a_configuration_error() {
    let server = Server::with([]);
    let bad =
        json!({"hooks": {"PreToolUse": [{"matcher": "(", "hooks": [{"type": "command", "command": "x"}]}]}});
    let finished = go(&project_with(&server).config(bad)).assert_code(2);
    assert!(
        finished.stderr.contains("`(` is not a regular expression"),
        "{finished}"
    );
    let project = project_with(&server);
    project.write(project.home().join(".claude/settings.json"), b"{ broken");
    let finished = go(&project).assert_code(2);
    assert!(finished.stderr.contains("settings.json"), "{finished}");
}

#[test]
fn an_interrupt_ends_the_hooks_of_a_prompt() {
    let server = Server::with([]);
    let project = hooked(&server, "UserPromptSubmit", "echo $$ > pid; exec sleep 300");
    let running = events_of(&project).arg("go").spawn();
    wait_until("the hook runs", || project.exists("pid"));
    running.signal(rustix::process::Signal::INT);
    let finished = running.wait().assert_code(130);
    assert_eq!(reason(&finished), "cancelled");
}

#[test]
fn a_refused_prompt_stands_in_the_composer_again() {
    let server = Server::with([Turn::text("Thank you.")]);
    let hook = "grep -q please || { echo 'say please' >&2; exit 2; }";
    let project = project(&server).config(hooks("UserPromptSubmit", hook));
    let terminal = open(&project);
    say(&terminal, "list the files");
    terminal.wait_text("a hook refused the prompt: say please");
    terminal.wait_text("list the files");
    terminal.keys(", please");
    terminal.wait_text("list the files, please");
    terminal.key(Key::Enter);
    terminal.wait_text("Thank you.");
    assert!(server.requests()[0].mentions("list the files, please"));
}

#[test]
fn a_hook_s_question_is_put_on_the_screen_and_its_runs_are_listed() {
    let server = Server::with([list(), Turn::text("Done.")]);
    let ask = says(&json!({"hookSpecificOutput": {"permissionDecision": "ask",
        "permissionDecisionReason": "is this wise?"}, "systemMessage": "policy 7"}));
    let project = project(&server).config(hooks("PreToolUse", &ask));
    let terminal = open(&project);
    say(&terminal, "go");
    terminal.wait_text("is this wise?");
    terminal.wait_text("y once");
    terminal.wait_quiet(Duration::from_millis(450));
    terminal.keys("y");
    terminal.wait_text("Done.");
    terminal.wait_text("policy 7");
    terminal.keys("\u{18}h");
    terminal.wait_text("PreToolUse · list");
    terminal.wait_text("exit 0");
    terminal.wait_text("asked");
}

#[test]
fn what_is_sent_while_hooks_look_at_a_prompt_waits_for_its_turn() {
    let server = Server::with([Turn::text("First."), Turn::text("Second.")]);
    let hook = "echo x >> begun; while [ ! -e open ]; do sleep 0.02; done";
    let project = project(&server).config(hooks("UserPromptSubmit", hook));
    let terminal = open(&project);
    say(&terminal, "one");
    wait_until("the hook runs", || project.exists("begun"));
    say(&terminal, "and second");
    terminal.wait_text("queue");
    assert_eq!(server.requests().len(), 0);
    project.write("open", b"");
    terminal.wait_text("Second.");
    let requests = server.requests();
    assert!(!requests[0].mentions("and second") && requests[1].mentions("and second"));
}

#[test]
fn a_steer_is_shown_to_the_hooks_once() {
    let gate = Gate::new();
    let server = Server::with([Turn::text("Working on it.").gate(3, &gate), Turn::text("Noted.")]);
    let project = project(&server).config(hooks("UserPromptSubmit", "cat >> told; echo >> told"));
    let terminal = open(&project);
    say(&terminal, "go");
    gate.wait_until_reached();
    say(&terminal, "and tidy up");
    wait_until("the steer is with the hook", || {
        project.read("told").lines().count() == 2
    });
    gate.open();
    terminal.wait_text("Noted.");
    assert!(server.requests()[1].mentions("and tidy up"));
    assert_eq!(project.read("told").lines().count(), 2);
}
