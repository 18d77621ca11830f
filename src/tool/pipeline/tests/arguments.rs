//! Names and arguments of calls.

use super::*;

#[tokio::test]
async fn an_unknown_tool_names_its_neighbours() {
    let project = Harness::new();
    let result = project.run("reed", json!({})).await;
    assert_eq!(result.error_kind(), Some(ErrorKind::UnknownTool));
    assert!(
        result
            .output
            .starts_with("Error: no tool named `reed`; did you mean `read`"),
        "{}",
        result.output
    );
    assert_eq!(result.details["resolved"], "invalid");
    let result = project.run("xyzzy_quux", json!({})).await;
    assert!(
        result.output.contains("`bash`, `edit`, `glob`"),
        "{}",
        result.output
    );
    let project = Harness::with_rules(json!({"bash": "deny", "read": {"*": "deny"}}));
    let result = project.run("xyzzy_quux", json!({})).await;
    assert!(
        result.output.contains("`edit`, `glob`") && !result.output.contains("`read`"),
        "{}",
        result.output
    );
    let result = Harness::with_rules(json!("deny"))
        .run("xyzzy_quux", json!({}))
        .await;
    assert!(
        result.output.ends_with("no tool may be used here"),
        "{}",
        result.output
    );
}

#[tokio::test]
async fn control_characters_in_a_tool_name_are_removed_from_the_result() {
    let result = Harness::new().run("re\u{1b}[31m\nad?!", json!({})).await;
    assert!(
        !result.output.contains('\u{1b}') && !result.title.contains('\u{1b}'),
        "{:?}",
        result.output
    );
}

#[tokio::test]
async fn broken_arguments_are_told_with_the_place_where_they_break() {
    let project = Harness::new();
    for raw in [
        "{\"file_path\": \"a",
        "{\"a\": 1,}",
        "[1]",
        "7",
        "\"x\"",
        "{\"a\" 1}",
    ] {
        let result = project.run_raw("read", raw).await;
        assert_eq!(result.error_kind(), Some(ErrorKind::InvalidArgs), "{raw}");
        assert_eq!(result.details["resolved"], "invalid", "{raw}");
        assert!(result.details["error"].get("resolved").is_none());
        if raw.starts_with('{') {
            assert!(result.output.contains("at line 1 column "), "{}", result.output);
        }
    }
    let resolved = project.resolve("read", "{\"file_path\": \"a");
    assert_eq!(resolved.args, json!("{\"file_path\": \"a"));
}

#[tokio::test]
async fn no_arguments_are_an_empty_object() {
    let project = Harness::new();
    for raw in ["", "  ", "null", "{}", "\"{}\""] {
        let result = project.run_raw("todoread", raw).await;
        assert!(result.ok, "{raw}: {}", result.output);
    }
}

#[tokio::test]
async fn a_missing_parameter_is_named_and_the_others_listed() {
    let result = Harness::new()
        .run("edit", json!({"file_path": "a", "colour": 1}))
        .await;
    assert_eq!(result.error_kind(), Some(ErrorKind::InvalidArgs));
    for part in [
        "`old_string` is missing",
        "`new_string` is missing",
        "Parameters: file_path",
    ] {
        assert!(result.output.contains(part), "{part}\n{}", result.output);
    }
    assert_eq!(result.details["ignored_params"], json!(["colour"]));
}

#[tokio::test]
async fn parameters_that_nobody_knows_are_dropped_and_listed() {
    let project = Harness::new();
    project.write("a", "x\n");
    for file in ["a", "missing"] {
        let result = project.run("read", json!({"file_path": file, "colour": 1})).await;
        assert_eq!(result.details["ignored_params"], json!(["colour"]), "{file}");
    }
}

#[test]
fn the_event_shows_the_arguments_in_their_own_names() {
    let resolved = Harness::new().resolve("Write", r#"{"filePath": "a", "contents": "x", "colour": 1}"#);
    assert_eq!(resolved.args, json!({"file_path": "a", "content": "x"}));
    assert_eq!(resolved.concurrency(), Concurrency::Exclusive);
    assert!(resolved.outcome.is_ok());
}
