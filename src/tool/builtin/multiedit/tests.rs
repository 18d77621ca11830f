use std::fs;

use serde_json::{Value, json};

use super::*;
use crate::permission::Mode;
use crate::tool::ToolSettings;
use crate::tool::change::STREAMED_EDITS;
use crate::tool::harness::{Harness, HarnessOptions};
use crate::view::card::{CardPart, Fact, plain};

/// Every ask is answered, and no file has to be read first.
fn open() -> Harness {
    Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        settings: ToolSettings::default(),
        ..HarnessOptions::default()
    })
}

/// Read before edit.
fn guarded() -> Harness {
    Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        ..HarnessOptions::default()
    })
}

fn args(path: &str, edits: &[(&str, &str)]) -> Value {
    let edits: Vec<_> = edits
        .iter()
        .map(|(old, new)| json!({"old_string": old, "new_string": new}))
        .collect();
    json!({"file_path": path, "edits": edits})
}

#[tokio::test]
async fn edits_are_made_in_order_each_on_what_the_one_before_left() {
    let project = open();
    project.write("src/a.rs", "one\ntwo\nthree\n");
    let edits = [("one", "uno\ndos"), ("dos\ntwo", "2"), ("2", "zwei")];
    let result = project.run("multiedit", args("src/a.rs", &edits)).await;
    assert_eq!(result.output, "Edited src/a.rs: 3 edits, +2 -2");
    assert_eq!(project.read("src/a.rs"), "uno\nzwei\nthree\n");
    let step = json!({"strategy": "simple", "replacements": 1});
    assert_eq!(
        result.details,
        json!({
            "path": "src/a.rs", "strategy": "simple", "replacements": 3,
            "positions": [
                {"line_start": 1, "line_end": 1}, {"line_start": 2, "line_end": 3}, {"line_start": 2, "line_end": 2}
            ],
            "edits": [step, step, step], "additions": 2, "deletions": 2,
            "diff": "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@\n-one\n-two\n+uno\n+zwei\n three\n",
            "created": false, "diagnostics": []
        })
    );
}

#[tokio::test]
async fn one_edit_that_fails_leaves_every_byte_and_is_named() {
    let project = open();
    let before = "one\r\ntwo\none\n\u{e9}";
    project.write("a", before);
    for (edits, kind, words) in [
        (
            [("two", "2"), ("one", "x"), ("\u{e9}", "e")],
            ErrorKind::Ambiguous,
            "multiple matches",
        ),
        (
            [("two", "2"), ("two", "x"), ("\u{e9}", "e")],
            ErrorKind::NoMatch,
            "Could not find",
        ),
        (
            [("two", "2"), ("2", "2"), ("\u{e9}", "e")],
            ErrorKind::Identical,
            "identical",
        ),
        (
            [("two", "2"), ("", "2"), ("\u{e9}", "e")],
            ErrorKind::Refused,
            "Error: Refusing",
        ),
    ] {
        let (found, text) = project.error("multiedit", args("a", &edits)).await;
        assert_eq!(found, kind, "{text}");
        assert!(
            text.starts_with("Error: ") && text.contains(words) && text.contains("edit 2 of 3"),
            "{text}"
        );
        assert_eq!(project.read("a"), before);
    }
}

#[tokio::test]
async fn edits_that_undo_each_other_change_nothing_and_say_so() {
    let project = open();
    project.write("a", "one\n");
    let (kind, text) = project
        .error("multiedit", args("a", &[("one", "two"), ("two", "one")]))
        .await;
    assert_eq!(kind, ErrorKind::Identical);
    assert!(text.contains("identical"), "{text}");
}

#[tokio::test]
async fn each_edit_tells_its_strategy_and_all_of_them_the_loosest() {
    let project = open();
    project.write("a", "  one\n  two\nx x\n");
    let edits = json!([
        {"old_string": "one\ntwo", "new_string": "1"},
        {"old_string": "x", "new_string": "y", "replace_all": true},
    ]);
    let result = project
        .run("multiedit", json!({"file_path": "a", "edits": edits}))
        .await;
    assert_eq!(result.output, "Edited a: 2 edits, +2 -3");
    assert_eq!(result.details["strategy"], "line_trimmed");
    assert_eq!(result.details["replacements"], 3);
    assert_eq!(
        result.details["edits"],
        json!([
            {"strategy": "line_trimmed", "replacements": 1}, {"strategy": "multi_occurrence", "replacements": 2}
        ])
    );
    assert_eq!(project.read("a"), "1\ny y\n");
}

#[tokio::test]
async fn the_first_edit_may_create_the_file() {
    let project = guarded();
    project.write("empty", "");
    for path in ["new/a", "empty"] {
        let result = project
            .run("multiedit", args(path, &[("", "one\ntwo\n"), ("two", "2")]))
            .await;
        assert_eq!(result.output, format!("Edited {path}: 2 edits, +2 -0, created"));
        assert_eq!(result.details["created"], true);
        assert_eq!(project.read(path), "one\n2\n");
    }
    let (kind, text) = project.error("multiedit", args("none", &[("a", "b")])).await;
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(
        text.contains("`none` does not exist") && text.contains("edit 1 of 1"),
        "{text}"
    );
}

#[tokio::test]
async fn a_file_that_was_not_read_or_has_changed_is_not_edited() {
    let project = guarded();
    project.write("a", "one\n");
    assert_eq!(
        project.error("multiedit", args("a", &[("one", "x")])).await.0,
        ErrorKind::NotRead
    );
    project.ok("read", json!({"file_path": "a"})).await;
    project.ok("multiedit", args("a", &[("one", "two")])).await;
    project
        .ok(
            "edit",
            json!({"file_path": "a", "old_string": "two", "new_string": "three"}),
        )
        .await;
    project.write("a", "three!\n");
    assert_eq!(
        project.error("multiedit", args("a", &[("three", "x")])).await.0,
        ErrorKind::Stale
    );
}

#[tokio::test]
async fn an_edit_of_another_file_is_refused() {
    let project = open();
    project.write("a", "one\n");
    project.write("b", "one\n");
    let edits = |path: &str| json!({"file_path": "a", "edits": [{"path": path, "old_string": "one", "new_string": "two"}]});
    let (kind, text) = project.error("multiedit", edits("b")).await;
    assert_eq!(kind, ErrorKind::InvalidArgs);
    assert!(text.contains("edit 1 of 1 is for `b`"), "{text}");
    assert_eq!(project.read("a"), "one\n");
    project.ok("multiedit", edits("./a")).await;
    assert_eq!(
        (project.read("a"), project.read("b")),
        ("two\n".into(), "one\n".into())
    );
}

#[tokio::test]
async fn what_does_not_fit_names_the_field_of_the_edit() {
    let project = open();
    project.write("a", "one\n");
    for (edits, words) in [
        (json!([]), "`edits` is empty"),
        (json!([{"old_string": "a"}]), "`edits[0].new_string` is missing"),
        (json!(7), "`edits[0]` should be object"),
    ] {
        let (kind, text) = project
            .error("multiedit", json!({"file_path": "a", "edits": edits}))
            .await;
        assert_eq!(kind, ErrorKind::InvalidArgs);
        assert!(text.contains(words), "{text}");
    }
}

#[tokio::test]
async fn edit_with_a_list_of_edits_is_this_tool_under_every_name_of_its_parameters() {
    let project = open();
    for (tool, edits) in [
        ("edit", json!([{"old_string": "one", "new_string": "two"}])),
        ("Edit", json!([{"oldString": "one", "newString": "two"}])),
        ("str_replace", json!({"old_text": "one", "new_text": "two"})),
        (
            "edit",
            json!("[{\"old\": \"one\", \"new\": \"two\", \"all\": \"true\"}]"),
        ),
        ("multi_edit", json!([{"search": "one", "replacement": "two"}])),
        ("MultiEdit", json!([{"old_str": "one", "new_str": "two"}])),
    ] {
        project.write("a", "one\n");
        project.new_turn();
        let text = project.ok(tool, json!({"path": "a", "edits": edits})).await;
        assert_eq!(text, "Edited a: 1 edit, +1 -1", "{tool} {edits}");
        assert_eq!(project.read("a"), "two\n");
    }
}

#[tokio::test]
async fn who_may_not_use_edit_does_not_reach_this_tool_through_it() {
    for name in ["edit", "multiedit"] {
        let project = Harness::with(HarnessOptions {
            mode: Mode::Yolo,
            settings: ToolSettings {
                switches: [(name.to_owned(), false)].into(),
                ..ToolSettings::default()
            },
            ..HarnessOptions::default()
        });
        project.write("a", "one\n");
        let (kind, text) = project.error("edit", args("a", &[("one", "two")])).await;
        assert_eq!(kind, ErrorKind::Denied);
        assert!(text.contains(&format!("`{name}` is denied")), "{text}");
    }
}

#[tokio::test]
async fn every_edit_keeps_the_bytes_around_it() {
    let project = open();
    let before = "\u{feff}a\r\nb\nc\r\nd";
    project.write("f", before);
    let edits = [("a", "x\ny"), ("d", "e\nf"), ("b\n", "")];
    project.ok("multiedit", args("f", &edits)).await;
    assert_eq!(project.read("f"), "\u{feff}x\r\ny\r\nc\r\ne\r\nf");
}

#[tokio::test]
async fn what_may_not_be_read_is_not_quoted_and_what_is_denied_is_told_as_denied() {
    let project = Harness::with(HarnessOptions {
        rules: json!({"edit": "allow"}),
        settings: ToolSettings::default(),
        ..HarnessOptions::default()
    });
    project.write(".env", "PASSWORD=hunter2\n");
    let (kind, text) = project
        .error("multiedit", args(".env", &[("PASSWORD=hunter3\n", "x")]))
        .await;
    assert_eq!(kind, ErrorKind::Denied);
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(project.asked(), [("read".to_owned(), ".env".to_owned())]);
    project.write(".git/config", "[core]\n");
    let (kind, _) = project
        .error("multiedit", args(".git/config", &[("nothing of it", "x")]))
        .await;
    assert_eq!(kind, ErrorKind::Denied);
}

#[tokio::test]
async fn what_is_no_text_file_is_refused_by_its_kind() {
    let project = open();
    fs::create_dir(project.path("dir")).unwrap();
    project.write("nul", b"a\0b");
    for (path, kind) in [("dir", ErrorKind::IsDirectory), ("nul", ErrorKind::Binary)] {
        assert_eq!(
            project.error("multiedit", args(path, &[("a", "b")])).await.0,
            kind
        );
    }
}

#[tokio::test]
async fn the_card_is_that_of_edit_with_the_number_of_edits() {
    let project = open();
    project.write("a.rs", "zero\n  one\n");
    let call = args("a.rs", &[("  one", "1"), ("zero\n1\n", "x\n")]);
    let result = project.run("multiedit", call.clone()).await;
    for tool in ["multiedit", "edit"] {
        let card = project.draw_result(tool, &call, &result, false);
        assert_eq!((card.title.as_str(), card.argument.as_str()), ("Edit", "a.rs:2"));
        assert_eq!(card.meta, ["+1 \u{2212}2", "2 edits"]);
        assert!(matches!(&card.body[..], [CardPart::Diff(body)] if body.max_lines == 40));
    }
}

#[test]
fn a_call_can_be_drawn_from_every_beginning_of_its_arguments() {
    let project = Harness::new();
    let edits: Vec<_> = (1..=5)
        .map(|n| json!({"old_text": format!("{n}"), "newString": "世\n"}))
        .collect();
    let call = json!({"path": "a.rs", "edits": edits}).to_string();
    for tool in ["multiedit", "edit"] {
        for end in (0..=call.len()).filter(|end| call.is_char_boundary(*end)) {
            let card = project.draw_call(tool, &call[..end]);
            assert_eq!(card.title, "Edit");
            plain(&card);
        }
        let card = project.draw_call(tool, &call);
        assert_eq!(
            (card.argument.as_str(), card.meta.as_slice()),
            ("a.rs", [Fact::count(5, "edit")].as_slice())
        );
        assert_eq!(
            card.body.len(),
            1 + STREAMED_EDITS,
            "the last ones, and how many are above"
        );
    }
}
