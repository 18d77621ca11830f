//! Access, loops and permission.

use super::*;

#[tokio::test]
async fn a_tool_that_is_switched_off_is_denied_before_its_arguments_are_looked_at() {
    let project = Harness::with_settings(|settings| {
        settings.switches.insert("write".to_owned(), false);
    });
    let result = project.run("write", json!({})).await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Denied));
    assert!(
        result.output.contains("`write`") && result.output.contains("`tools`"),
        "{}",
        result.output
    );
    assert_eq!(result.details["error"]["key"], "tools");
    assert_eq!(project.asked(), []);
}

#[tokio::test]
async fn what_an_agent_may_not_use_is_denied_and_names_the_agent() {
    let project = Harness::with_settings(|settings| {
        let access = &mut settings.access;
        access.agent = "plan".to_owned();
        access.barred = vec!["bash".to_owned()];
        access.switches.insert("bash".to_owned(), true);
        access.switches.insert("list".to_owned(), false);
    });
    let barred = project.run("bash", json!({"command": "ls"})).await;
    assert_eq!(barred.error_kind(), Some(ErrorKind::Denied));
    assert!(
        barred.output.contains("agent `plan` may not use `bash`\n"),
        "{}",
        barred.output
    );
    let left_out = project.run("list", json!({})).await;
    assert!(
        left_out
            .output
            .contains("agent `plan` may not use `list`: its `tools` leave it out"),
        "{}",
        left_out.output
    );
    assert_eq!(left_out.details["error"]["source"], "agent `plan`");
}

#[tokio::test]
async fn the_third_equal_call_asks() {
    let project = Harness::new();
    project.write("a", "x\n");
    let first = json!({"file_path": "a", "offset": 1});
    let other_order = json!({"offset": 1, "file_path": "a"});
    assert!(project.run("read", first.clone()).await.ok);
    assert!(project.run("todoread", json!({})).await.ok);
    assert!(project.run("read", other_order).await.ok);
    let result = project.run("Read", json!({"path": "a", "offset": "1"})).await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Denied));
    assert_eq!(project.asked(), [("doom_loop".to_owned(), "read".to_owned())]);
    assert_eq!(result.details["error"]["key"], "doom_loop");
    assert!(project.run("read", json!({"file_path": "a"})).await.ok);
    assert!(project.run("read", first).await.ok);
}

#[tokio::test]
async fn calls_between_equal_ones_break_the_loop() {
    let project = Harness::new();
    project.write("a", "x\n");
    let read = json!({"file_path": "a"});
    for between in ["{}", "{broken", r#"{"file_path": "b"}"#] {
        for _ in 0..2 {
            assert!(project.run("read", read.clone()).await.ok, "{between}");
        }
        project.run_raw("read", between).await;
    }
    assert_eq!(project.asked(), []);
}

#[tokio::test]
async fn a_call_that_fails_the_same_way_three_times_is_a_loop_too() {
    let project = Harness::new().answering(PermissionReply::Reject(None));
    let missing = json!({"file_path": "missing"});
    for _ in 0..2 {
        assert_eq!(
            project.error("read", missing.clone()).await.0,
            ErrorKind::NotFound
        );
    }
    assert_eq!(project.error("read", missing).await.0, ErrorKind::Rejected);
}

#[tokio::test]
async fn todoread_never_is_a_loop() {
    let project = Harness::new();
    for _ in 0..5 {
        assert!(project.run("todoread", json!({})).await.ok);
    }
}

#[tokio::test]
async fn what_is_denied_names_key_pattern_rule_and_source() {
    let project = Harness::with_rules(json!({"bash": {"*": "ask", "rm *": "deny"}}));
    let result = project.run("bash", json!({"command": "rm -r x"})).await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Denied));
    for part in ["`bash`", "`rm -r x`", "`rm *`", "`lathe.jsonc`"] {
        assert!(result.output.contains(part), "{part}\n{}", result.output);
    }
    let error = &result.details["error"];
    assert_eq!(error["key"], "bash");
    assert_eq!(error["pattern"], "rm -r x");
    assert_eq!(error["rule"], "bash: rm * → deny");
    assert_eq!(error["source"], "`lathe.jsonc`");
    assert_eq!(project.asked(), [], "a deny by rule is not asked");
}

#[tokio::test]
async fn what_nobody_could_answer_is_denied_and_names_the_rule_too() {
    let project = Harness::new();
    let result = project
        .run("write", json!({"file_path": "a", "content": ""}))
        .await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Denied));
    assert!(
        result.output.contains("nobody is there to answer"),
        "{}",
        result.output
    );
    assert_eq!(result.details["error"]["source"], "the defaults");
    assert_eq!(project.asked(), [("edit".to_owned(), "a".to_owned())]);
}

#[tokio::test]
async fn a_refusal_carries_the_message_if_there_was_one() {
    let project = Harness::new().answering(PermissionReply::Reject(Some("not there".to_owned())));
    let result = project
        .run("write", json!({"file_path": "a", "content": ""}))
        .await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Rejected));
    assert_eq!(result.details["error"]["message"], "not there");
    assert!(result.output.contains("not there"));
    let project = Harness::new().answering(PermissionReply::Reject(None));
    let result = project
        .run("write", json!({"file_path": "a", "content": ""}))
        .await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Rejected));
    assert!(result.details["error"].get("message").is_none());
}

#[tokio::test]
async fn modes_answer_asks_and_never_lift_a_deny() {
    let with = |mode, rules| {
        Harness::with(HarnessOptions {
            rules,
            mode,
            ..HarnessOptions::default()
        })
    };
    let write = |path: &str| json!({"file_path": path, "content": "x"});
    let yolo = with(Mode::Yolo, json!({"edit": {"*": "ask", "no/*": "deny"}}));
    assert!(yolo.run("write", write("a")).await.ok);
    assert_eq!(yolo.error("write", write("no/a")).await.0, ErrorKind::Denied);
    assert_eq!(
        yolo.error("write", write(".git/hooks/x")).await.0,
        ErrorKind::Denied
    );
    assert!(yolo.run("write", write(".github/workflows/ci.yml")).await.ok);
    let accept = with(Mode::AcceptEdits, json!({}));
    assert!(accept.run("write", write("a")).await.ok);
    assert_eq!(accept.error("write", write(".envrc")).await.0, ErrorKind::Denied);
    let outside = accept.outside("a");
    assert_eq!(
        accept.error("write", write(outside.to_str().unwrap())).await.0,
        ErrorKind::Denied
    );
    assert_eq!(
        accept.error("bash", json!({"command": "rm a"})).await.0,
        ErrorKind::Denied
    );
    assert!(accept.run("bash", json!({"command": "touch b"})).await.ok);
    let plan = with(Mode::Plan, json!({"edit": "allow", "bash": "allow"}));
    assert_eq!(plan.error("write", write("a")).await.0, ErrorKind::Denied);
    assert!(plan.run("write", write(".lathe/plans/p.md")).await.ok);
    assert_eq!(
        plan.error("bash", json!({"command": "touch a"})).await.0,
        ErrorKind::Denied
    );
    assert!(plan.run("bash", json!({"command": "ls"})).await.ok);
}
