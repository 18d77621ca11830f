use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::conversation::{CallResult, CallState, ErrorKind};
use crate::hook::HookEvent;
use crate::hook::HookEvent::{PostToolUse, PreToolUse};
use crate::permission::PermissionReply;
use crate::tool::harness::{Harness, HarnessOptions};

fn hooked(rules: Value, hooks: &[(HookEvent, &'static str, String)]) -> Harness {
    let project = Harness::with(HarnessOptions {
        rules,
        hooks: hooks.to_vec(),
        ..HarnessOptions::default()
    });
    project.write("a.txt", "alpha\n");
    project.write("b.txt", "beta\n");
    project
}

/// A project with one hook for every tool, in which everything is allowed.
fn one(event: HookEvent, command: impl Into<String>) -> Harness {
    hooked(json!("allow"), &[(event, "*", command.into())])
}

fn says(answer: &Value) -> String {
    format!("printf '%s' '{answer}'")
}

fn before(specific: &Value) -> String {
    says(&json!({ "hookSpecificOutput": specific }))
}

async fn read(project: &Harness, path: &str) -> CallResult {
    project.run("read", json!({ "file_path": path })).await
}

#[tokio::test]
async fn exit_two_denies_the_call_with_what_it_says() {
    let project = one(PreToolUse, "echo 'not today' >&2; exit 2");
    let result = project
        .run("write", json!({"file_path": "new", "content": "x"}))
        .await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Hook));
    assert_eq!(result.state(), CallState::Denied);
    assert!(
        result
            .output
            .starts_with("Error: a hook denied this call: not today"),
        "{}",
        result.output
    );
    assert!(!project.path("new").exists());
}

#[tokio::test]
async fn both_forms_of_a_denial_deny() {
    let newer = before(&json!({"permissionDecision": "deny", "permissionDecisionReason": "newer"}));
    let older = says(&json!({"decision": "block", "reason": "older"}));
    for (command, reason) in [(newer, "newer"), (older, "older")] {
        let result = read(&one(PreToolUse, command), "a.txt").await;
        assert_eq!(result.error_kind(), Some(ErrorKind::Hook));
        assert!(result.output.contains(reason), "{}", result.output);
    }
}

#[tokio::test]
async fn a_failing_hook_asks_and_an_unattended_session_denies() {
    for command in [
        "echo 'no python' >&2; exit 1",
        "/no/such/program",
        "printf '{broken'",
        "kill -9 $$",
    ] {
        let project = one(PreToolUse, command);
        let result = read(&project, "a.txt").await;
        assert_eq!(
            result.error_kind(),
            Some(ErrorKind::Denied),
            "{command}: {}",
            result.output
        );
        assert!(!result.output.contains("alpha"));
        let project = one(PreToolUse, command).answering(PermissionReply::Once);
        let result = read(&project, "a.txt").await;
        assert!(result.ok, "{command}: {}", result.output);
        let asked = project.asked();
        assert_eq!(asked.len(), 1, "{asked:?}");
        assert_eq!(asked[0].0, "hook");
        assert!(asked[0].1.starts_with("read: "), "{asked:?}");
    }
}

#[tokio::test]
async fn an_ask_names_the_first_line_of_stderr() {
    let project =
        one(PreToolUse, "echo 'no python' >&2; echo more >&2; exit 1").answering(PermissionReply::Once);
    read(&project, "a.txt").await;
    assert_eq!(
        project.asked(),
        [("hook".to_owned(), "read: no python".to_owned())]
    );
}

#[tokio::test]
async fn an_allow_answers_an_ask_and_lifts_no_denial() {
    let allow = before(&json!({"permissionDecision": "allow"}));
    let write = json!({"file_path": "new", "content": "x"});
    let asks = hooked(json!("ask"), &[(PreToolUse, "write", allow.clone())]);
    assert!(asks.run("write", write.clone()).await.ok);
    assert_eq!(asks.asked(), []);
    let denies = hooked(json!({"edit": "deny"}), &[(PreToolUse, "write", allow)]);
    assert_eq!(
        denies.run("write", write).await.error_kind(),
        Some(ErrorKind::Denied)
    );
}

#[tokio::test]
async fn the_strictest_of_several_wins() {
    let allow = before(&json!({"permissionDecision": "allow"}));
    let ask = before(&json!({"permissionDecision": "ask", "permissionDecisionReason": "sure?"}));
    let deny = "exit 2".to_owned();
    let all = |commands: [&String; 2]| {
        let hooks = commands.map(|command| (PreToolUse, "*", command.clone()));
        hooked(json!("allow"), &hooks).answering(PermissionReply::Once)
    };
    for commands in [[&allow, &ask], [&ask, &allow]] {
        let project = all(commands);
        assert!(read(&project, "a.txt").await.ok);
        assert_eq!(project.asked(), [("hook".to_owned(), "read: sure?".to_owned())]);
    }
    for commands in [[&deny, &allow], [&allow, &deny], [&ask, &deny]] {
        let result = read(&all(commands), "a.txt").await;
        assert_eq!(result.error_kind(), Some(ErrorKind::Hook));
    }
}

#[tokio::test]
async fn other_arguments_are_used_and_told() {
    let other = before(&json!({"updatedInput": {"file_path": "b.txt"}}));
    let result = read(&one(PreToolUse, other), "a.txt").await;
    assert!(result.output.contains("beta"), "{}", result.output);
    assert_eq!(result.details["args"], json!({"file_path": "b.txt"}));
}

#[tokio::test]
async fn other_arguments_are_judged_anew() {
    let other = before(&json!({"permissionDecision": "allow", "updatedInput": {"file_path": "b.txt"}}));
    let rules = json!({"read": {"*": "allow", "b.txt": "deny"}});
    let result = read(&hooked(rules, &[(PreToolUse, "read", other)]), "a.txt").await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Denied), "{}", result.output);
    assert!(result.output.contains("b.txt"));
}

#[tokio::test]
async fn other_arguments_are_validated_and_may_mend_what_did_not_fit() {
    let broken = before(&json!({"updatedInput": {"offset": "many"}}));
    let result = read(&one(PreToolUse, broken), "a.txt").await;
    assert_eq!(
        result.error_kind(),
        Some(ErrorKind::InvalidArgs),
        "{}",
        result.output
    );
    let mends = before(&json!({"updatedInput": {"file_path": "b.txt"}}));
    let result = one(PreToolUse, mends).run("read", json!({})).await;
    assert!(result.output.contains("beta"), "{}", result.output);
}

#[tokio::test]
async fn each_hook_sees_the_arguments_that_the_former_left() {
    let first = before(&json!({"updatedInput": {"file_path": "b.txt"}}));
    let second = "cat > seen.json".to_owned();
    let project = hooked(
        json!("allow"),
        &[(PreToolUse, "*", first), (PreToolUse, "*", second)],
    );
    read(&project, "a.txt").await;
    let seen: Value = serde_json::from_str(&project.read("seen.json")).unwrap();
    assert_eq!(seen["tool_input"], json!({"file_path": "b.txt"}));
}

#[tokio::test]
async fn a_hook_is_told_of_the_call_and_where_it_is() {
    let command =
        "cat > seen.json; printf '%s|%s|%s' \"$CLAUDE_PROJECT_DIR\" \"$LATHE_PROJECT_DIR\" \"$PWD\" > env";
    let project = one(PreToolUse, command);
    read(&project, "a.txt").await;
    let seen: Value = serde_json::from_str(&project.read("seen.json")).unwrap();
    assert_eq!(seen["hook_event_name"], "PreToolUse");
    assert_eq!(
        (&seen["tool_name"], &seen["lathe_tool"]),
        (&json!("Read"), &json!("read"))
    );
    assert_eq!(seen["tool_input"], json!({"file_path": "a.txt"}));
    assert!(seen["tool_use_id"].as_str().unwrap().starts_with("call_"));
    assert!(seen["session_id"].as_str().unwrap().starts_with("ses_"));
    assert_eq!(seen["permission_mode"], "ask");
    assert!(seen.get("transcript_path").is_some() && seen.get("agent").is_some());
    let root = project.path("").display().to_string();
    let root = root.trim_end_matches('/');
    assert_eq!(project.read("env"), format!("{root}|{root}|{root}"));
}

#[tokio::test]
async fn a_matcher_that_names_another_tool_runs_nothing() {
    let project = hooked(json!("allow"), &[(PreToolUse, "Bash|write", "exit 2".into())]);
    assert!(read(&project, "a.txt").await.ok);
}

#[tokio::test]
async fn a_call_that_never_comes_near_a_tool_runs_no_hook() {
    let project = one(PreToolUse, "touch ran");
    project.run("no_such_tool", json!({})).await;
    project.run_raw("read", "{broken").await;
    assert!(!project.path("ran").exists());
}

#[tokio::test]
async fn what_a_hook_adds_is_behind_the_result() {
    let context = before(&json!({"additionalContext": "mind the tests"}));
    let result = read(&one(PreToolUse, context), "a.txt").await;
    assert!(
        result.output.contains("alpha") && result.output.ends_with("\n\nmind the tests"),
        "{}",
        result.output
    );
}

#[tokio::test]
async fn after_a_call_reasons_and_context_are_appended_and_plain_text_is_not() {
    let blocks = says(&json!({"decision": "block", "reason": "run the formatter"}));
    let adds = before(&json!({"additionalContext": "seen"}));
    let warns = "echo 'lint failed' >&2; exit 2".to_owned();
    let chats = "echo chatter".to_owned();
    let hooks = [blocks, adds, warns, chats].map(|command| (PostToolUse, "*", command));
    let result = read(&hooked(json!("allow"), &hooks), "a.txt").await;
    assert!(result.ok);
    let added = "\n\nrun the formatter\n\nseen\n\nWarning: lint failed";
    assert!(result.output.ends_with(added), "{}", result.output);
}

#[tokio::test]
async fn after_a_call_text_details_and_success_may_be_replaced() {
    let replaces = before(&json!({"updatedOutput": "short\u{1b}[31m", "updatedDetails": {"n": 1}}));
    let result = read(&one(PostToolUse, replaces), "a.txt").await;
    assert_eq!(
        (result.output.as_str(), &*result.details),
        ("short", &json!({"n": 1}))
    );
    let fails = before(&json!({"ok": false}));
    let result = read(&one(PostToolUse, fails), "a.txt").await;
    assert_eq!((result.ok, result.error_kind()), (false, Some(ErrorKind::Hook)));
    assert_eq!(result.state(), CallState::Failed, "it was run");
    let mends = before(&json!({"ok": true}));
    let result = read(&one(PostToolUse, mends), "gone.txt").await;
    assert!(result.ok && result.error_kind().is_none());
}

#[tokio::test]
async fn after_a_call_a_hook_sees_the_response_and_what_fails_changes_nothing() {
    let project = one(PostToolUse, "cat > seen.json; exit 1");
    let result = read(&project, "a.txt").await;
    assert!(result.ok && !result.output.contains("seen"), "{}", result.output);
    let seen: Value = serde_json::from_str(&project.read("seen.json")).unwrap();
    assert_eq!(seen["tool_response"]["ok"], true);
    assert!(
        seen["tool_response"]["output"]
            .as_str()
            .unwrap()
            .contains("alpha")
    );
    assert!(seen["tool_response"]["details"].is_object());
}

#[tokio::test]
async fn a_denied_call_has_no_hook_after_it() {
    let project = hooked(json!({"read": "deny"}), &[(PostToolUse, "*", "touch ran".into())]);
    read(&project, "a.txt").await;
    assert!(!project.path("ran").exists());
}

#[tokio::test]
async fn output_without_end_and_an_input_that_nobody_reads_harm_nothing() {
    let project = one(PreToolUse, "exec 0<&-; head -c 5000000 /dev/zero | tr '\\0' x");
    let text = "y".repeat(1 << 20);
    let result = project
        .run("write", json!({"file_path": "new", "content": text}))
        .await;
    assert!(result.ok, "{}", result.output);
}

#[tokio::test]
async fn an_interrupt_ends_a_hook_at_once_and_keeps_what_the_tool_did() {
    let project = one(PostToolUse, "echo $$ > pid; exec sleep 60");
    let started = Instant::now();
    let cancel = async {
        while std::fs::read_to_string(project.path("pid"))
            .unwrap_or_default()
            .is_empty()
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        project.cancel.cancel();
    };
    let (result, ()) = tokio::join!(read(&project, "a.txt"), cancel);
    assert!(result.ok && result.output.contains("alpha"), "{}", result.output);
    assert!(started.elapsed() < Duration::from_secs(20));
    let pid = project.read("pid");
    let is_gone = || {
        !std::path::Path::new(&format!("/proc/{}/cmdline", pid.trim())).exists()
            || std::fs::read(format!("/proc/{}/cmdline", pid.trim()))
                .unwrap_or_default()
                .is_empty()
    };
    while cfg!(target_os = "linux") && !is_gone() {
        assert!(started.elapsed() < Duration::from_secs(20), "the hook still runs");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn an_interrupt_before_the_call_executes_nothing() {
    let project = one(PreToolUse, "touch begun; sleep 60");
    let cancel = async {
        while !project.path("begun").exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        project.cancel.cancel();
    };
    let write = project.run("write", json!({"file_path": "new", "content": "x"}));
    let (result, ()) = tokio::join!(write, cancel);
    assert_eq!(result.error_kind(), Some(ErrorKind::Cancelled));
    assert!(!project.path("new").exists());
}

#[tokio::test]
async fn a_reason_of_many_lines_is_one_in_the_question() {
    let ask = json!({"permissionDecision": "ask", "permissionDecisionReason": "one\ntwo\u{1b}[2J"});
    let project = one(PreToolUse, before(&ask)).answering(PermissionReply::Once);
    read(&project, "a.txt").await;
    let asked = project.asked();
    assert!(
        asked.len() == 1 && !asked[0].1.contains(char::is_control),
        "{asked:?}"
    );
}
