use serde_json::{Value, json};

use crate::conversation::{CallResult, ErrorKind};
use crate::tool::harness::{Harness, HarnessOptions};
use crate::view::card::plain;

fn answer(result: &CallResult) -> Value {
    assert!(result.ok, "{}", result.output);
    serde_json::from_str(&result.output).unwrap()
}

async fn create(project: &Harness, args: Value) -> String {
    let created = answer(&project.run("task_create", args).await);
    created["task"]["id"].as_str().unwrap().to_owned()
}

async fn call(project: &Harness, tool: &str, args: Value) -> Value {
    answer(&project.run(tool, args).await)
}

#[tokio::test]
async fn an_item_is_created_read_changed_and_listed_in_json() {
    let project = Harness::new();
    let result = project
        .run(
            "task_create",
            json!({"subject": " write\nit ", "activeForm": "Writing it", "metadata": {"a": 1, "b": null}}),
        )
        .await;
    let created = answer(&result);
    let id = created["task"]["id"].as_str().unwrap().to_owned();
    assert_eq!(created, json!({"task": {"id": id, "subject": "write it"}}));
    assert_eq!(result.title, "write it → pending");
    let read = call(&project, "task_get", json!({"taskId": id.to_uppercase()})).await;
    let item = &read["task"];
    let expected = json!({
        "id": id, "subject": "write it", "description": "", "status": "pending", "active_form": "Writing it",
        "blocks": [], "blocked_by": [], "metadata": {"a": 1}, "session": project.services.session,
        "created": item["created"], "updated": item["created"],
    });
    assert_eq!(*item, expected);
    let change =
        json!({"id": id, "status": "In_Progress", "owner": "ann", "metadata": {"a": null, "c": {"d": null}}});
    let changed = call(&project, "task_update", change).await;
    assert_eq!(changed["task"]["status"], "in_progress");
    assert_eq!(changed["task"]["metadata"], json!({"c": {"d": null}}));
    assert_eq!(changed.get("unblocked"), None);
    let listed = call(&project, "task_list", json!({})).await;
    let row =
        json!({"id": id, "subject": "write it", "status": "in_progress", "owner": "ann", "blocked_by": []});
    assert_eq!(listed, json!({"tasks": [row], "ready": []}));
    assert_eq!(project.asked(), []);
}

#[tokio::test]
async fn completing_an_item_says_what_it_unblocks() {
    let project = Harness::new();
    let first = create(&project, json!({"subject": "first"})).await;
    let second = create(&project, json!({"subject": "second", "blocked_by": first})).await;
    let third = create(
        &project,
        json!({"subject": "third", "blockedBy": [first, second]}),
    )
    .await;
    let listed = call(&project, "task_list", json!({})).await;
    assert_eq!(listed["ready"], json!([first]));
    assert_eq!(listed["tasks"][2]["blocked_by"], json!([first, second]));
    assert_eq!(listed["tasks"][0]["owner"], Value::Null);

    let args = json!({"id": first, "status": "completed"});
    let result = project.run("task_update", args.clone()).await;
    assert_eq!(answer(&result)["unblocked"], json!([second]));
    let card = project.draw_result("task_update", &args, &result, false);
    let text = plain(&card);
    assert!(
        text.starts_with(&format!("Task board: first → completed · {first} · was pending")),
        "{text}"
    );
    assert!(text.contains(&format!("○ second (unblocked) {second}")), "{text}");

    let listed = call(&project, "task_list", json!({})).await;
    assert_eq!(listed["ready"], json!([second]));
    assert_eq!(listed["tasks"][1]["blocked_by"], json!([second]));
    let whole = call(&project, "task_get", json!({"id": third})).await;
    assert_eq!(whole["task"]["blocked_by"], json!([first, second]));
    let done = call(&project, "task_list", json!({"status": "completed"})).await;
    assert_eq!(
        (&done["tasks"][0]["id"], &done["ready"]),
        (&json!(first), &json!([]))
    );
}

#[tokio::test]
async fn what_cannot_be_changed_is_invalid_args_and_changes_nothing() {
    let project = Harness::new();
    let first = create(&project, json!({"subject": "first"})).await;
    let second = create(&project, json!({"subject": "second", "blocked_by": [first]})).await;
    let before = [
        call(&project, "task_get", json!({"id": first})).await,
        call(&project, "task_get", json!({"id": second})).await,
    ];
    for (tool, args, said) in [
        (
            "task_update",
            json!({"id": first, "subject": "x", "add_blocked_by": [second]}),
            "for ever",
        ),
        (
            "task_update",
            json!({"id": first, "subject": "x", "add_blocks": [first]}),
            "for ever",
        ),
        (
            "task_update",
            json!({"id": first, "subject": "x", "add_blocks": ["T-00000000"]}),
            "`T-00000000`",
        ),
        (
            "task_update",
            json!({"id": first, "subject": "x", "remove_blocks": ["T-00000000"]}),
            "`T-00000000`",
        ),
        (
            "task_update",
            json!({"id": first, "subject": "x", "add_blocks": ["seven"]}),
            "`seven`",
        ),
        (
            "task_update",
            json!({"id": first, "subject": " "}),
            "`subject` is empty",
        ),
        (
            "task_update",
            json!({"id": "T-00000000", "subject": "x"}),
            "`T-00000000`",
        ),
        (
            "task_create",
            json!({"subject": "x", "blocks": [first], "blocked_by": [second]}),
            "for ever",
        ),
        (
            "task_create",
            json!({"subject": "x", "blocked_by": ["T-00000000"]}),
            "`T-00000000`",
        ),
        ("task_create", json!({"subject": ""}), "`subject` is empty"),
        ("task_create", json!({}), "`subject` is missing"),
        (
            "task_get",
            json!({"id": "tsk_1a2b3c4d"}),
            "it would look like `T-1a2b3c4d`",
        ),
        (
            "task_list",
            json!({"status": "done"}),
            "pending|in_progress|completed|deleted",
        ),
    ] {
        let (kind, text) = project.error(tool, args.clone()).await;
        assert_eq!(kind, ErrorKind::InvalidArgs, "{tool} {args}: {text}");
        assert!(text.contains(said), "{tool} {args}: {text}");
    }
    assert_eq!(
        call(&project, "task_get", json!({"id": "T-00000000"})).await,
        json!({"task": null})
    );
    let after = [
        call(&project, "task_get", json!({"id": first})).await,
        call(&project, "task_get", json!({"id": second})).await,
    ];
    assert_eq!(after, before);
    let listed = call(&project, "task_list", json!({})).await;
    assert_eq!(listed["tasks"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_deleted_item_is_listed_only_where_it_is_asked_for() {
    let project = Harness::new();
    let first = create(&project, json!({"subject": "first"})).await;
    let second = create(&project, json!({"subject": "second", "blocked_by": [first]})).await;
    let deleted = call(&project, "task_update", json!({"id": first, "status": "deleted"})).await;
    assert_eq!(deleted["task"]["blocks"], json!([]));
    let listed = call(&project, "task_list", json!({})).await;
    assert_eq!(listed["ready"], json!([second]));
    assert_eq!(listed["tasks"].as_array().unwrap().len(), 1);
    let listed = call(&project, "task_list", json!({"status": "deleted"})).await;
    assert_eq!(listed["tasks"][0]["id"], json!(first));
}

#[tokio::test]
async fn the_sessions_of_a_project_share_its_board() {
    let project = Harness::new();
    let id = create(&project, json!({"subject": "first", "owner": "ann"})).await;
    let other = project.beside(HarnessOptions::default());
    let listed = call(&other, "task_list", json!({"owner": "ann"})).await;
    assert_eq!(listed["tasks"][0]["id"], json!(id));
    let listed = call(&other, "task_list", json!({"owner": "bob"})).await;
    assert_eq!(listed["tasks"], json!([]));
}

#[tokio::test]
async fn one_key_is_asked_for_all_of_them_and_each_tool_has_its_own() {
    let project = Harness::with_rules(json!({"task_board": "ask", "task_list": "deny"}));
    let (kind, _) = project.error("task_create", json!({"subject": "a"})).await;
    assert_eq!(kind, ErrorKind::Denied);
    assert_eq!(project.asked(), [("task_board".to_owned(), "*".to_owned())]);
    let (kind, text) = project.error("task_list", json!({})).await;
    assert_eq!(kind, ErrorKind::Denied);
    assert!(text.contains("task_list"), "{text}");
    assert_eq!(project.asked(), []);
}

#[tokio::test]
async fn the_board_is_drawn_as_a_check_list() {
    let project = Harness::new();
    let first = create(&project, json!({"subject": "first", "owner": "ann"})).await;
    let second = create(&project, json!({"subject": "second", "blocked_by": [first]})).await;
    let third = create(&project, json!({"subject": "third"})).await;
    call(
        &project,
        "task_update",
        json!({"id": first, "status": "in_progress"}),
    )
    .await;
    let result = project.run("task_list", json!({})).await;
    let text = plain(&project.draw_result("task_list", &json!({}), &result, false));
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    assert_eq!(
        lines,
        [
            "Task board · 3 items · 1 ready".to_owned(),
            format!("▸ first  {first} · ann"),
            format!("· second  {second} · waits for {first}"),
            format!("○ third  {third}"),
        ]
    );
    let args = json!({"status": "completed"});
    let result = project.run("task_list", args.clone()).await;
    let text = plain(&project.draw_result("task_list", &args, &result, false));
    assert_eq!(text.trim_end(), "Task board: completed · 0 items");
}

#[tokio::test]
async fn an_opened_card_says_all_that_is_known_of_an_item() {
    let project = Harness::new();
    let first = create(&project, json!({"subject": "first"})).await;
    let args = json!({
        "subject": "second", "description": "With *care*.", "blocked_by": [first], "metadata": {"branch": "b", "n": [1]},
    });
    let result = project.run("task_create", args.clone()).await;
    let folded = plain(&project.draw_result("task_create", &args, &result, false));
    assert_eq!(folded.lines().count(), 1, "{folded}");
    let opened = plain(&project.draw_result("task_create", &args, &result, true));
    for line in [&format!("waits for {first}"), "branch b", "n [1]", "With *care*."] {
        assert!(opened.contains(line), "{line}\n{opened}");
    }
    let args = json!({"id": "T-00000000"});
    let result = project.run("task_get", args.clone()).await;
    let text = plain(&project.draw_result("task_get", &args, &result, false));
    assert_eq!(text.trim_end(), "Task board: T-00000000 · no such item");
}

#[test]
fn a_call_is_drawn_from_its_first_words_on() {
    let project = Harness::new();
    for (tool, partial, drawn) in [
        ("task_create", r#"{"subject": "fi"#, "Task board: fi → pending"),
        (
            "task_update",
            r#"{"taskId": "T-1a2b3c4d"#,
            "Task board: T-1a2b3c4d",
        ),
        (
            "task_update",
            r#"{"id": "T-1a2b3c4d", "status": "completed""#,
            "Task board: T-1a2b3c4d → completed",
        ),
        ("task_get", r#"{"id": "T-1a2b3c4d""#, "Task board: T-1a2b3c4d"),
        ("task_list", "{", "Task board"),
        (
            "task_list",
            r#"{"owner": "ann", "status": "pending"}"#,
            "Task board: pending · ann",
        ),
    ] {
        let text = plain(&project.draw_call(tool, partial));
        assert_eq!(text.trim_end(), drawn, "{partial}");
    }
}
