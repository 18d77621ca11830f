//! Calls that are refused, and the error that each gets.

use super::*;
use crate::permission::PermissionReply;
use crate::tool::ToolSettings;

#[tokio::test]
async fn a_call_that_does_not_fit_is_told_what_is_missing() {
    let project = open();
    let text = "a\nb\nc\n";
    project.write("f", text);
    let (one, two) = (at(text, 1), at(text, 2));
    for (edits, words) in [
        (
            json!([{"type": "set_line", "line": "2", "text": "x"}]),
            "`2` is not a line reference; write LINE:HASH",
        ),
        (
            json!([{"type": "set_line", "line": 2, "text": "x"}]),
            "`2` is not a line reference",
        ),
        (
            json!([{"type": "set_line", "text": "x"}]),
            "edit 1 of 1: `line` is missing",
        ),
        (
            json!([{"type": "set_line", "line": two}]),
            "`text` is missing; `null` removes",
        ),
        (
            json!([{"type": "append", "text": "x"}, {"type": "insert_after", "line": two}]),
            "edit 2 of 2: `text` is missing",
        ),
        (
            json!([{"type": "insert_after", "line": two, "text": null}]),
            "`text` is missing",
        ),
        (
            json!([{"type": "append", "line": two, "text": "x"}]),
            "`append` takes no `line`",
        ),
        (
            json!([{"type": "prepend", "line": two, "text": "x"}]),
            "use `insert_before`",
        ),
        (
            json!([{"type": "replace_lines", "start_line": two, "end_line": one, "text": "x"}]),
            "is behind",
        ),
        (
            json!([{"type": "replace_lines", "start_line": two, "text": "x"}]),
            "`end_line` is missing",
        ),
        (
            json!([{"type": "delete"}]),
            "`line`, or `start_line` and `end_line`, is missing",
        ),
        (
            json!([{"type": "delete", "line": one, "start_line": two, "end_line": two}]),
            "not all of them",
        ),
        (
            json!([{"type": "replace", "new_text": "x"}]),
            "`old_text` is missing",
        ),
        (
            json!([{"type": "replace", "old_text": "a"}]),
            "`new_text` is missing",
        ),
        (
            json!([{"type": "replace", "old_text": "", "new_text": "x"}]),
            "`old_text` is empty",
        ),
        (
            json!([{"type": "move", "line": one}]),
            "`edits[0].type` should be one of set_line|",
        ),
        (json!([{"line": one, "text": "x"}]), "`edits[0].type` is missing"),
        (json!([]), "`edits` is missing"),
    ] {
        let result = edit(&project, "f", edits.clone()).await;
        assert_eq!(kind(&result), ErrorKind::InvalidArgs, "{edits}");
        assert!(result.output.contains(words), "{edits}: {}", result.output);
        assert_eq!(project.read("f"), text);
    }
    for given in [
        json!({"file_path": "f", "delete": true, "edits": [{"type": "append", "text": "x"}]}),
        json!({"file_path": "f", "delete": true, "rename": "g"}),
        json!({"file_path": "f"}),
    ] {
        let result = project.run("hashline_edit", given).await;
        assert_eq!(kind(&result), ErrorKind::InvalidArgs, "{}", result.output);
    }
}

#[tokio::test]
async fn references_that_do_not_hold_are_told_together_and_nothing_is_written() {
    let project = open();
    let text = "package main\n\n}\n\nconst y = 2\n{\nreturn nil\n";
    project.write("f", text);
    let result = edit(
        &project,
        "f",
        json!([
            {"type": "set_line", "line": "5:77", "text": "x"}, {"type": "append", "text": "y"},
        ]),
    )
    .await;
    assert_eq!(kind(&result), ErrorKind::HashMismatch);
    assert_eq!(
        result.output,
        "Error: Hash mismatch at line 5: expected \"77\" but got \"89\".\n\
         The file has been modified since you last read it.\n\
         Please re-read the file to get current content.\n    \
             3:18|}\n    \
             4:05|\n\
         >>> 5:89|const y = 2\n    \
             6:fc|{\n    \
             7:a7|return nil"
    );
    let result = edit(
        &project,
        "f",
        json!([
            {"type": "delete", "line": "99:18"}, {"type": "delete", "line": "3:fc"}, {"type": "delete", "line": "5:89"},
        ]),
    )
    .await;
    assert_eq!(kind(&result), ErrorKind::HashMismatch);
    for words in [
        "Error: Hash mismatch at line 3: expected \"fc\" but got \"18\".\n",
        "Error: Hash mismatch at line 99: expected \"18\" but the file has 7 lines.\n",
        "\"fc\" is now at line 6.",
        "\"18\" is now at line 3.",
    ] {
        assert!(result.output.contains(words), "{words}\n{}", result.output);
    }
    assert_eq!(project.read("f"), text);
}

#[tokio::test]
async fn edits_that_overlap_are_refused_and_equal_ones_count_once() {
    let project = open();
    let text = "a\nb\nc\n";
    project.write("f", text);
    let result = edit(
        &project,
        "f",
        json!([
            {"type": "replace_lines", "start_line": at(text, 1), "end_line": at(text, 3), "text": "x"},
            {"type": "insert_before", "line": at(text, 2), "text": "y"},
        ]),
    )
    .await;
    assert_eq!(kind(&result), ErrorKind::Overlap);
    assert!(
        result.output.contains("edit 1 and edit 2 overlap"),
        "{}",
        result.output
    );
    assert_eq!(project.read("f"), text);
    let result = edit(
        &project,
        "f",
        json!([
            {"type": "set_line", "line": at(text, 2), "text": "B"},
            {"type": "insert_after", "line": at(text, 2), "text": "after"},
            {"type": "set_line", "line": at(text, 2), "text": "B\n"},
            {"type": "insert_before", "line": at(text, 2), "text": "before"},
            {"type": "replace", "old_text": "c", "new_text": "C"},
            {"type": "replace", "old_text": "c", "new_text": "C"},
        ]),
    )
    .await;
    assert!(
        result.output.starts_with("Updated f: 4 edits, +4 -2\n"),
        "{}",
        result.output
    );
    assert_eq!(
        result.details["notes"],
        json!([
            "edit 3 is the same as edit 1 and was made once",
            "edit 6 is the same as edit 5 and was made once"
        ])
    );
    assert_eq!(project.read("f"), "a\nbefore\nB\nafter\nC\n");
}

#[tokio::test]
async fn what_is_no_text_file_is_refused_by_its_kind() {
    let project = open();
    project.write("nul", b"a\0b");
    let result = edit(&project, "nul", json!([{"type": "append", "text": "b"}])).await;
    assert_eq!(kind(&result), ErrorKind::Binary);
}

#[tokio::test]
async fn what_may_not_be_read_is_shown_neither_in_an_error_nor_in_a_result() {
    let project = Harness::with(HarnessOptions {
        rules: json!({"edit": "allow"}),
        settings: ToolSettings::default(),
        ..HarnessOptions::default()
    });
    project.write(".env", "PASSWORD=hunter2\n");
    let result = edit(&project, ".env", json!([{"type": "delete", "line": "1:00"}])).await;
    assert_eq!(kind(&result), ErrorKind::Denied);
    assert!(!result.output.contains("hunter2"), "{}", result.output);
    assert_eq!(project.asked(), [("read".to_owned(), ".env".to_owned())]);
    let result = edit(&project, ".env", json!([{"type": "append", "text": "A=1"}])).await;
    assert_eq!(kind(&result), ErrorKind::Denied);
    assert_eq!(project.read(".env"), "PASSWORD=hunter2\n");
    let given =
        json!({"file_path": ".env", "rename": "open.txt", "edits": [{"type": "append", "text": "B=1"}]});
    assert_eq!(project.error("hashline_edit", given).await.0, ErrorKind::Denied);
    assert!(!project.path("open.txt").exists());
    let project = project.answering(PermissionReply::Once);
    let result = edit(&project, ".env", json!([{"type": "append", "text": "A=1"}])).await;
    assert_eq!(result.output, "Updated .env: 1 edit, +1 -0");
}
