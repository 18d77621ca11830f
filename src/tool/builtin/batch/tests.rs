use std::sync::Arc;

use serde_json::{Value, json};

use crate::conversation::{CallResult, CallState, ErrorKind};
use crate::hook::HookEvent;
use crate::permission::{Mode, PermissionReply};
use crate::text::truncate::Keep;
use crate::tool::Concurrency;
use crate::tool::harness::{Harness, HarnessOptions};

fn read(path: &str) -> Value {
    json!({"tool": "read", "parameters": {"file_path": path}})
}

fn write(path: &str, content: &str) -> Value {
    json!({"tool": "write", "parameters": {"file_path": path, "content": content}})
}

fn bash(command: &str) -> Value {
    json!({"tool": "bash", "parameters": {"command": command}})
}

fn calls(calls: &[Value]) -> Value {
    json!({"tool_calls": calls})
}

fn allowing() -> Harness {
    Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        ..HarnessOptions::default()
    })
}

/// Which of the calls succeeded.
fn oks(result: &CallResult) -> Vec<bool> {
    let calls = result.details["calls"].as_array().unwrap();
    calls.iter().map(|call| call["ok"].as_bool().unwrap()).collect()
}

#[tokio::test]
async fn the_reply_says_how_many_succeeded_and_then_gives_each_output_in_order() {
    let project = Harness::new();
    project.write("a.txt", "one\n");
    project.write("b.txt", "two\n");
    let result = project
        .run("batch", calls(&[read("a.txt"), read("missing"), read("b.txt")]))
        .await;
    assert!(result.ok);
    let a = project.ok("read", json!({"file_path": "a.txt"})).await;
    let b = project.ok("read", json!({"file_path": "b.txt"})).await;
    let (_, missing) = project.error("read", json!({"file_path": "missing"})).await;
    assert_eq!(
        result.output,
        format!(
            "2 succeeded, 1 failed\n\n[1] read ok\n\n{}\n\n[2] read error\n\n{missing}\n\n[3] read ok\n\n{}",
            a.trim_end(),
            b.trim_end()
        )
    );
    assert_eq!(result.title, "3 calls · 2 ok · 1 failed");
    let details = &result.details;
    assert_eq!(
        (&details["total"], &details["succeeded"], &details["failed"]),
        (&json!(3), &json!(2), &json!(1))
    );
    assert_eq!(details["error"], Value::Null);
    let first = details["calls"][0]["call"].as_str().unwrap();
    assert!(first.ends_with(".1"), "{first}");
    assert_eq!(details["calls"][1]["tool"], "read");
    assert_eq!(oks(&result), [true, false, true]);
}

#[tokio::test]
async fn it_fails_when_all_of_it_failed() {
    let project = Harness::new();
    let result = project.run("batch", calls(&[read("x"), read("y")])).await;
    assert_eq!(result.error_kind(), Some(ErrorKind::NotFound));
    assert_eq!(result.state(), CallState::Failed);
    assert!(
        result
            .output
            .starts_with("Error: no call succeeded: 0 succeeded, 2 failed\n\n[1] read error\n"),
        "{}",
        result.output
    );
    assert_eq!(oks(&result), [false, false]);
}

#[tokio::test]
async fn other_names_of_its_parameters_are_taken() {
    let project = Harness::new();
    project.write("a.txt", "one\n");
    for args in [
        json!({"calls": [{"name": "read", "arguments": {"file_path": "a.txt"}}]}),
        json!({"toolCalls": [{"tool": "Read", "args": {"filePath": "a.txt"}}]}),
        json!({"tool_calls": [{"name": "view", "input": "{\"path\": \"a.txt\"}"}]}),
        json!({"tool_calls": {"tool": "read", "parameters": {"file": "a.txt"}}}),
        json!({"tool_calls": "[{\"tool\": \"read\", \"parameters\": {\"file_path\": \"a.txt\"}}]"}),
    ] {
        project.new_turn();
        let text = project.ok("batch", args.clone()).await;
        assert!(text.contains("1: one"), "{args}: {text}");
    }
    let own_wins =
        json!({"tool_calls": [{"name": "write", "tool": "read", "parameters": {"file_path": "a.txt"}}]});
    assert!(project.ok("batch", own_wins).await.contains("1: one"));
}

#[tokio::test]
async fn no_calls_are_invalid() {
    let project = Harness::new();
    for args in [
        json!({"tool_calls": []}),
        json!({}),
        json!({"tool_calls": [{"parameters": {}}]}),
    ] {
        let (kind, text) = project.error("batch", args).await;
        assert_eq!(kind, ErrorKind::InvalidArgs);
        assert!(text.contains("tool"), "{text}");
    }
}

#[tokio::test]
async fn calls_above_the_limit_are_told_so_and_the_others_run() {
    let project = Harness::new();
    project.write("a.txt", "one\n");
    let twelve: Vec<_> = (0..12)
        .map(|line| {
            json!({
                "tool": "read", "parameters": {"file_path": "a.txt", "limit": line + 1}
            })
        })
        .collect();
    let result = project.run("batch", calls(&twelve)).await;
    assert!(
        result.output.starts_with("10 succeeded, 2 failed"),
        "{}",
        result.output
    );
    assert!(
        result
            .output
            .contains("[11] read error\n\nError: not executed: at most 10 calls"),
        "{}",
        result.output
    );
    assert_eq!(oks(&result)[9..], [true, false, false]);

    let project = Harness::with_settings(|settings| settings.batch.max_calls = 1);
    project.write("a.txt", "one\n");
    let result = project.run("batch", calls(&[read("a.txt"), read("a.txt")])).await;
    assert_eq!(oks(&result), [true, false]);
    assert_eq!(
        project
            .told()
            .iter()
            .filter(|told| told.starts_with("ended"))
            .count(),
        2
    );
}

#[tokio::test]
async fn what_may_not_be_inside_is_refused_with_what_may() {
    let project = Harness::new();
    project.write("a.txt", "one\n");
    for name in [
        "batch",
        "question",
        "plan_enter",
        "plan_exit",
        "resolve",
        "invalid",
    ] {
        let Some(_) = project.registry.get(name) else {
            continue;
        };
        let inner = json!({"tool": name, "parameters": calls(&[read("a.txt")])});
        let (kind, text) = project.error("batch", calls(&[inner])).await;
        assert_eq!(kind, ErrorKind::Refused, "{name}");
        assert!(
            text.contains(&format!("`{name}` cannot be called inside")),
            "{text}"
        );
        assert!(
            text.contains("`read`") && text.contains("`edit`") && !text.contains("`batch`,"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_tool_that_is_switched_off_is_denied_inside_and_not_named() {
    let project = Harness::with_settings(|settings| {
        settings.switches.insert("grep".to_owned(), false);
    });
    let grep = json!({"tool": "grep", "parameters": {"pattern": "x"}});
    let (kind, _) = project.error("batch", calls(&[grep])).await;
    assert_eq!(kind, ErrorKind::Denied);
    let inner = json!({"tool": "batch", "parameters": {}});
    let (_, text) = project.error("batch", calls(&[inner])).await;
    assert!(!text.contains("`grep`"), "{text}");
}

#[tokio::test]
async fn an_unknown_tool_inside_is_told_like_any() {
    let project = Harness::new();
    let reed = json!({"tool": "reed", "parameters": {}});
    let (kind, text) = project.error("batch", calls(&[reed])).await;
    assert_eq!(kind, ErrorKind::UnknownTool);
    assert!(
        text.contains("[1] reed error") && text.contains("did you mean `read`"),
        "{text}"
    );
}

#[tokio::test]
async fn each_call_is_asked_for_and_denied_by_itself() {
    let project =
        Harness::with_rules(json!({"edit": {"*": "ask", "no/*": "deny"}})).answering(PermissionReply::Once);
    let result = project
        .run("batch", calls(&[write("yes", "1"), write("no/a", "2")]))
        .await;
    assert_eq!(oks(&result), [true, false]);
    assert_eq!(project.asked(), [("edit".to_owned(), "yes".to_owned())]);
    assert_eq!(project.read("yes"), "1");
    assert!(!project.path("no").exists());
}

#[tokio::test]
async fn a_denial_of_batch_is_one_of_all_that_is_in_it() {
    let project = Harness::with_rules(json!({"batch": "deny"}));
    project.write("a.txt", "one\n");
    let (kind, _) = project.error("batch", calls(&[read("a.txt")])).await;
    assert_eq!(kind, ErrorKind::Denied);
    assert!(project.told().iter().all(|told| !told.contains('1')));
}

#[tokio::test]
async fn it_stands_as_the_strictest_of_its_calls() {
    let project = Harness::new();
    let concurrency = |inner: &[Value]| project.resolve("batch", &calls(inner).to_string()).concurrency();
    assert_eq!(concurrency(&[read("a"), read("b")]), Concurrency::Shared);
    assert_eq!(concurrency(&[read("a"), write("b", "")]), Concurrency::Exclusive);
    let nested = json!({"tool": "batch", "parameters": calls(&[write("b", "")])});
    assert_eq!(concurrency(&[nested]), Concurrency::Shared);
    let argument_error = json!({"tool": "read", "parameters": {}});
    assert_eq!(concurrency(&[argument_error]), Concurrency::Exclusive);
}

#[tokio::test]
async fn exclusive_calls_run_in_order_and_shared_ones_beside_each_other() {
    let project = allowing();
    let slow = bash("until [ -e go ]; do sleep 0.01; done; cat order 2>/dev/null; echo 2 >> order");
    let inner = [
        bash("touch go; echo 1 >> order"),
        slow,
        bash("echo 3 >> order"),
        read("order"),
    ];
    let text = project.ok("batch", calls(&inner)).await;
    assert_eq!(project.read("order"), "1\n2\n3\n");
    assert!(text.contains("3: 3"), "{text}");
}

#[tokio::test]
async fn a_refusal_without_a_word_ends_the_turn_and_what_was_not_begun() {
    let project = Harness::new().answering(PermissionReply::Reject(None));
    project.write("a.txt", "one\n");
    let result = project
        .run(
            "batch",
            calls(&[read("a.txt"), write("b", "x"), write("c", "x"), read("a.txt")]),
        )
        .await;
    assert_eq!(oks(&result), [true, false, false, false]);
    assert!(result.ok);
    assert!(
        result.output.contains("[3] write error\n\nError: not executed"),
        "{}",
        result.output
    );
    assert!(project.told().contains(&"turn ended by Person".to_owned()));
    assert_eq!(project.asked().len(), 1);
}

#[tokio::test]
async fn a_refusal_with_words_is_for_the_model_and_the_rest_goes_on() {
    let project = Harness::new().answering(PermissionReply::Reject(Some("not there".to_owned())));
    project.write("a.txt", "one\n");
    let result = project
        .run("batch", calls(&[write("b", "x"), read("a.txt")]))
        .await;
    assert_eq!(oks(&result), [false, true]);
    assert!(result.output.contains("not there"), "{}", result.output);
    assert!(!project.told().iter().any(|told| told.starts_with("turn")));
    let result = project.run("batch", calls(&[write("b", "x")])).await;
    assert!(!crate::tool::pipeline::wants_to_speak(&result));
}

#[tokio::test]
async fn a_cancelled_batch_gives_each_call_its_result() {
    let project = Arc::new(allowing());
    project.write("a.txt", "one\n");
    let inner = [read("a.txt"), bash("touch begun; sleep 60"), write("never", "x")];
    let running = {
        let project = Arc::clone(&project);
        tokio::spawn(async move { project.run("batch", calls(&inner)).await })
    };
    while !project.path("begun").exists() {
        assert!(!running.is_finished());
        tokio::task::yield_now().await;
    }
    project.cancel.cancel();
    let result = running.await.unwrap();
    assert_eq!(result.error_kind(), Some(ErrorKind::Cancelled));
    assert_eq!(oks(&result), [true, false, false]);
    assert!(result.output.contains("1: one"), "{}", result.output);
    assert!(
        result.output.contains("[3] write error\n\nError: not executed"),
        "{}",
        result.output
    );
    assert!(!project.path("never").exists());
    let ended = project.told();
    assert_eq!(ended.iter().filter(|told| told.starts_with("ended")).count(), 3);
}

#[tokio::test]
async fn a_call_given_up_is_not_outlived_by_the_batch() {
    let project = Harness::new();
    let batch = project.registry.get("batch").unwrap().cancel_grace();
    for tool in project.registry.tools().filter(|tool| tool.name() != "batch") {
        assert!(tool.cancel_grace() < batch, "{}", tool.name());
    }
}

#[tokio::test]
async fn hooks_run_for_each_call_inside() {
    let project = Harness::with(HarnessOptions {
        hooks: vec![
            (
                HookEvent::PreToolUse,
                "read|batch",
                "jq -r .tool_name >> seen; true".to_owned(),
            ),
            (HookEvent::PreToolUse, "grep", "echo no >&2; exit 2".to_owned()),
        ],
        ..HarnessOptions::default()
    });
    project.write("a.txt", "one\n");
    let grep = json!({"tool": "grep", "parameters": {"pattern": "x"}});
    let result = project.run("batch", calls(&[read("a.txt"), grep])).await;
    assert_eq!(oks(&result), [true, false]);
    assert!(
        result.output.contains("a hook denied this call"),
        "{}",
        result.output
    );
    let seen = project.read("seen").to_lowercase();
    assert_eq!(seen.lines().collect::<Vec<_>>(), ["batch", "read"]);
}

#[tokio::test]
async fn a_hook_that_ends_the_turn_ends_the_rest_of_the_batch() {
    let project = Harness::with(HarnessOptions {
        rules: json!({"edit": "allow"}),
        hooks: vec![(
            HookEvent::PostToolUse,
            "write",
            r#"echo '{"continue": false, "stopReason": "enough"}'"#.to_owned(),
        )],
        ..HarnessOptions::default()
    });
    let result = project
        .run("batch", calls(&[write("a", "1"), write("b", "2")]))
        .await;
    assert_eq!(oks(&result), [true, false]);
    assert!(project.told().contains(&"turn ended by Hook".to_owned()));
    assert!(!project.path("b").exists());
}

#[tokio::test]
async fn loops_are_detected_within_and_across_batches() {
    let project = Harness::new();
    project.write("a.txt", "one\n");
    project
        .run("batch", calls(&[read("a.txt"), read("a.txt"), read("a.txt")]))
        .await;
    let loops = |asked: Vec<(String, String)>| -> Vec<String> {
        let loops = asked.into_iter().filter(|(key, _)| key == "doom_loop");
        loops.map(|(_, pattern)| pattern).collect()
    };
    assert_eq!(loops(project.asked()), ["read"]);
    project.new_turn();
    for _ in 0..3 {
        project.run("batch", calls(&[read("a.txt"), read("b.txt")])).await;
    }
    assert_eq!(loops(project.asked()), ["batch"]);
}

#[tokio::test]
async fn outputs_are_cut_one_by_one_and_as_a_whole() {
    let project = Harness::with_settings(|settings| {
        settings.truncate.max_lines = 20;
        settings.bash.timeout = std::time::Duration::from_secs(20);
    });
    let lines: Vec<String> = (0..200).map(|n| format!("line {n}")).collect();
    project.write("a.txt", lines.join("\n"));
    let search = json!({"tool": "grep", "parameters": {"pattern": "line", "head_limit": 200}});
    let result = project.run("batch", calls(&[search.clone(), search])).await;
    assert!(result.truncated);
    assert!(result.output.lines().count() <= 24, "{}", result.output);
    let whole = std::fs::read_to_string(result.output_path.unwrap()).unwrap();
    assert!(whole.contains("[2] grep ok"), "{whole}");
    let batch = project.registry.get("batch").unwrap();
    assert_eq!(batch.keep(), Keep::Head);
}

#[tokio::test]
async fn images_of_its_calls_go_to_the_model_with_it() {
    let project = Harness::new();
    let mut png = std::io::Cursor::new(Vec::new());
    let picture = image::DynamicImage::new_rgb8(4, 4);
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let png = png.into_inner();
    project.write("a.png", &png);
    project.write("b.png", png);
    let result = project.run("batch", calls(&[read("a.png"), read("b.png")])).await;
    assert_eq!(result.attachments.len(), 2, "{}", result.output);
}

#[tokio::test]
async fn the_card_tells_the_calls_while_they_stream_and_how_they_ended() {
    let project = Harness::new();
    let card = project.draw_call(
        "batch",
        r#"{"tool_calls": [{"tool": "read", "parameters": {"file_path": "src/m"#,
    );
    assert_eq!((card.title.as_str(), card.argument.as_str()), ("Batch", "1 call"));
    let text = crate::view::card::plain(&card);
    assert!(text.contains("read src/m"), "{text}");
    assert_eq!(project.draw_call("batch", "").title, "Batch");

    project.write("a.txt", "one\n");
    let args = calls(&[read("a.txt"), read("missing")]);
    let result = project.run("batch", args.clone()).await;
    let card = project.draw_result("batch", &args, &result, false);
    assert_eq!(card.argument, "2 calls");
    assert_eq!(card.meta, ["1 ok", "1 failed"]);
    assert!(card.look);
}
