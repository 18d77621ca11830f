//! Edits through the tool, on real files.

mod moving;
mod refusing;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::conversation::{CallResult, ErrorKind};
use crate::permission::Mode;
use crate::text::hashline::Hash;
use crate::tool::harness::{Harness, HarnessOptions};
use crate::view::card::{CardPart, Fact, plain};

/// Every ask is answered; files are not read before.
fn open() -> Harness {
    Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        ..HarnessOptions::default()
    })
}

fn args(path: &str, edits: &Value) -> Value {
    json!({"file_path": path, "edits": edits})
}

/// The reference of a line, from 1.
fn at(text: &str, line: usize) -> String {
    let content = text.split('\n').nth(line - 1).unwrap();
    format!("{line}:{}", Hash::of(content))
}

async fn edit(project: &Harness, path: &str, edits: Value) -> CallResult {
    project.new_turn();
    project.run("hashline_edit", args(path, &edits)).await
}

#[track_caller]
fn kind(result: &CallResult) -> ErrorKind {
    result.error_kind().unwrap_or_else(|| panic!("{}", result.output))
}

#[tokio::test]
async fn lines_are_edited_by_their_tags_and_shown_with_their_new_ones() {
    let project = open();
    let before = "one\ntwo\nthree\nfour\nfive\nsix\n";
    project.write("src/a.rs", before);
    let result = edit(
        &project,
        "src/a.rs",
        json!([
            {"type": "set_line", "line": at(before, 2), "text": "2\n2b"},
            {"type": "delete", "line": at(before, 6)},
        ]),
    )
    .await;
    let after = "one\n2\n2b\nthree\nfour\nfive\n";
    assert_eq!(project.read("src/a.rs"), after);
    let tags: Vec<_> = [1, 2, 3, 4, 6]
        .map(|line| {
            let content = after.lines().nth(line - 1).unwrap();
            format!("{}|{content}", at(after, line))
        })
        .into();
    assert_eq!(
        result.output,
        format!(
            "Updated src/a.rs: 2 edits, +2 -2\n{}\n...\n{}",
            tags[..4].join("\n"),
            tags[4]
        )
    );
    assert_eq!(
        result.details,
        json!({
            "path": "src/a.rs", "type": "update", "edits": 2,
            "positions": [{"line_start": 2, "line_end": 3}, {"line_start": 7, "line_end": 7}],
            "additions": 2, "deletions": 2,
            "diff": "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,6 +1,6 @@\n one\n-two\n+2\n+2b\n three\n four\n five\n-six\n",
            "notes": [], "diagnostics": []
        })
    );
}

#[tokio::test]
async fn each_type_does_its_own() {
    let project = open();
    let text = "a\nb\nc\n";
    for (edit, after) in [
        (
            json!({"type": "set_line", "line": at(text, 2), "text": "x"}),
            "a\nx\nc\n",
        ),
        (
            json!({"type": "set_line", "line": at(text, 2), "text": null}),
            "a\nc\n",
        ),
        (
            json!({"type": "set_line", "line": at(text, 2), "text": "null"}),
            "a\nnull\nc\n",
        ),
        (
            json!({"type": "set_line", "line": at(text, 2), "text": ""}),
            "a\n\nc\n",
        ),
        (
            json!({"type": "set_line", "line": at(text, 2), "text": "x\\ny\n"}),
            "a\nx\\ny\nc\n",
        ),
        (
            json!({"type": "set_line", "line": at(text, 2), "text": "x\r\ny\r\n"}),
            "a\nx\ny\nc\n",
        ),
        (
            json!({"type": "set_line", "line": at(text, 2), "text": 7}),
            "a\n7\nc\n",
        ),
        (
            json!({"op": "SET_LINE", "Line": format!(">>> {}|b", at(text, 2)), "text": "x"}),
            "a\nx\nc\n",
        ),
        (
            json!({"type": "replace_lines", "start_line": at(text, 1), "end_line": at(text, 2), "text": "x"}),
            "x\nc\n",
        ),
        (
            json!({"type": "replace_lines", "startLine": at(text, 2), "endLine": at(text, 3), "text": null}),
            "a\n",
        ),
        (
            json!({"type": "insert_after", "line": at(text, 3), "text": "x\ny"}),
            "a\nb\nc\nx\ny\n",
        ),
        (
            json!({"type": "insert_before", "line": at(text, 1), "text": "x"}),
            "x\na\nb\nc\n",
        ),
        (json!({"type": "append", "text": "x", "line": ""}), "a\nb\nc\nx\n"),
        (
            json!({"type": "prepend", "text": "x", "line": null}),
            "x\na\nb\nc\n",
        ),
        (json!({"type": "delete", "line": at(text, 1)}), "b\nc\n"),
        (
            json!({"type": "delete", "start_line": at(text, 1), "end_line": at(text, 3)}),
            "",
        ),
        (
            json!({"type": "replace", "old_text": "b\nc", "new_text": "$&\\1"}),
            "a\n$&\\1\n",
        ),
        (
            json!({"type": "replace", "old_string": "b", "newString": ""}),
            "a\n\nc\n",
        ),
        (
            json!({"type": "replace", "old_text": "\n", "new_text": ";", "all": "true"}),
            "a;b;c;",
        ),
    ] {
        project.write("f", text);
        let result = self::edit(&project, "f", json!([edit])).await;
        assert!(result.ok, "{edit}: {}", result.output);
        assert_eq!(project.read("f"), after, "{edit}");
    }
}

#[tokio::test]
async fn text_is_replaced_last_and_one_place_is_demanded() {
    let project = open();
    let text = "a\nb\nb\n";
    project.write("f", text);
    let both = |old: &str, new: &str| {
        json!([
            {"type": "replace", "old_text": old, "new_text": new},
            {"type": "set_line", "line": at(text, 1), "text": "first"},
        ])
    };
    for (old, new, wanted, words) in [
        ("b", "x", ErrorKind::Ambiguous, "`old_text` has multiple matches"),
        ("a\n", "x", ErrorKind::NoMatch, "Could not find `old_text`"),
        ("b\nc", "x", ErrorKind::NoMatch, "edit 1; nothing was written"),
    ] {
        let result = edit(&project, "f", both(old, new)).await;
        assert_eq!(kind(&result), wanted, "{old:?}");
        assert!(result.output.contains(words), "{}", result.output);
        assert_eq!(project.read("f"), text);
    }
    assert!(edit(&project, "f", both("first\nb", "second")).await.ok);
    assert_eq!(project.read("f"), "second\nb\n");
}

#[tokio::test]
async fn edits_that_change_nothing_are_identical() {
    let project = open();
    project.write("f", "a\nb\n");
    for edits in [
        json!([{"type": "set_line", "line": at("a\nb\n", 1), "text": "a"}]),
        json!([{"type": "replace", "old_text": "a", "new_text": "a"}]),
    ] {
        let result = edit(&project, "f", edits).await;
        assert_eq!(kind(&result), ErrorKind::Identical);
        assert!(result.output.contains("identical"), "{}", result.output);
    }
}

#[tokio::test]
async fn tags_that_came_along_are_taken_away_and_that_is_noted() {
    let project = open();
    project.write("f", "a\n");
    let edits = json!([{"type": "append", "text": "1:77|const x = 1\n\n3:18|}\n"}]);
    let result = edit(&project, "f", edits).await;
    assert_eq!(project.read("f"), "a\nconst x = 1\n\n}\n");
    assert_eq!(
        result.details["notes"],
        json!(["the tags before the lines of edit 1 were taken away"])
    );
    let edits = json!([{"type": "append", "text": "1:77|const x = 1\nand more"}]);
    edit(&project, "f", edits).await;
    assert!(project.read("f").ends_with("1:77|const x = 1\nand more\n"));
}

#[tokio::test]
async fn untouched_lines_keep_their_bytes() {
    let project = open();
    for (before, edits, after) in [
        (
            "\u{feff}a\r\nb\nc\r\nd",
            json!([
                {"type": "set_line", "line": at("a", 1), "text": "x\ny"},
                {"type": "replace", "old_text": "b\nc", "new_text": "B\nC"},
                {"type": "append", "text": "e"},
            ]),
            "\u{feff}x\r\ny\r\nB\nC\r\nd\r\ne",
        ),
        ("a\nb", json!([{"type": "delete", "line": at("a\nb", 2)}]), "a"),
        ("", json!([{"type": "append", "text": "a"}]), "a\n"),
    ] {
        project.write("f", before);
        let result = edit(&project, "f", edits).await;
        assert!(result.ok, "{}", result.output);
        assert_eq!(project.read("f"), after, "{before:?}");
    }
}

#[tokio::test]
async fn no_read_has_to_be_on_record_and_the_write_is() {
    let project = open();
    project.write("f", "a\n");
    assert!(
        edit(&project, "f", json!([{"type": "append", "text": "b"}]))
            .await
            .ok
    );
    let next = json!({"file_path": "f", "old_string": "b", "new_string": "c"});
    project.ok("edit", next).await;
    let moved = json!({"file_path": "f", "rename": "g"});
    project.ok("hashline_edit", moved).await;
    project
        .ok("write", json!({"file_path": "g", "content": "d\n"}))
        .await;
}

#[tokio::test]
async fn a_long_change_is_shown_up_to_forty_lines() {
    let project = open();
    project.write("f", "a\n");
    let text = "line\n".repeat(60);
    let result = edit(&project, "f", json!([{"type": "append", "text": text}])).await;
    assert_eq!(result.output.lines().count(), 1 + 40 + 1);
    assert!(
        result
            .output
            .ends_with("\n(21 lines more; read the file for their tags)"),
        "{}",
        result.output
    );
}

#[tokio::test]
async fn edit_with_types_is_this_tool() {
    let project = open();
    project.write("f", "a\n");
    let text = project
        .ok("edit", args("f", &json!({"op": "append", "text": "b"})))
        .await;
    assert!(text.starts_with("Updated f: 1 edit, +1 -0"), "{text}");
}

#[tokio::test]
async fn the_card_names_the_line_the_edits_and_the_new_place() {
    let project = open();
    project.write("a.rs", "one\ntwo\n");
    let mut call = args(
        "a.rs",
        &json!([{"type": "set_line", "line": at("one\ntwo", 2), "text": "2"}]),
    );
    let result = project.run("hashline_edit", call.clone()).await;
    let card = project.draw_result("hashline_edit", &call, &result, false);
    assert_eq!((card.title.as_str(), card.argument.as_str()), ("Edit", "a.rs:2"));
    assert_eq!(card.meta, ["+1 \u{2212}1", "1 edit"]);
    assert!(matches!(&card.body[..], [CardPart::Diff(body)] if body.max_lines == 40));
    call = json!({"file_path": "a.rs", "rename": "b.rs"});
    let result = project.run("hashline_edit", call.clone()).await;
    let card = project.draw_result("hashline_edit", &call, &result, false);
    assert_eq!(
        (card.argument.as_str(), card.meta.as_slice()),
        ("a.rs → b.rs", ["moved".into()].as_slice())
    );
    call = json!({"file_path": "b.rs", "delete": true});
    let result = project.run("hashline_edit", call.clone()).await;
    let card = project.draw_result("hashline_edit", &call, &result, false);
    assert_eq!(card.meta, ["+0 \u{2212}2", "deleted"]);
}

#[test]
fn a_call_can_be_drawn_from_every_beginning_of_its_arguments() {
    let project = Harness::new();
    let call = json!({"path": "a.rs", "rename": "b.rs", "edits": [
        {"type": "set_line", "line": "2:77", "text": "世\n"},
        {"op": "replace_lines", "startLine": "3:00", "end_line": "4:00", "text": null},
        {"type": "replace", "old_text": "a", "new_text": "b"},
        {"type": "append", "text": "end"},
    ]})
    .to_string();
    for tool in ["hashline_edit", "edit"] {
        for end in (0..=call.len()).filter(|end| call.is_char_boundary(*end)) {
            let card = project.draw_call(tool, &call[..end]);
            assert_eq!(card.title, "Edit");
            plain(&card);
        }
        let card = project.draw_call(tool, &call);
        assert_eq!(
            (card.argument.as_str(), card.meta.as_slice()),
            ("a.rs → b.rs", [Fact::count(4, "edit")].as_slice())
        );
        let text = plain(&card);
        for words in ["1 edit above", "replace_lines 3:00 4:00", "append", "end"] {
            assert!(text.contains(words), "{words}\n{text}");
        }
    }
}

fn some_edits() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec![
        "set_line",
        "replace_lines",
        "insert_after",
        "insert_before",
        "append",
        "prepend",
        "delete",
        "replace",
    ]);
    let line = (1usize..5, any::<bool>());
    let text = prop::option::of("[ab\n|:1é]{0,6}");
    let edit = (kind, line.clone(), line, text);
    prop::collection::vec(edit, 0..4).prop_map(|edits| {
        let text = "a\nb\nc\nd";
        let reference = |(line, holds): (usize, bool)| {
            if holds { at(text, line) } else { format!("{line}:00") }
        };
        let edits = edits.into_iter().map(|(kind, one, two, new)| {
            json!({
                "type": kind, "line": reference(one), "start_line": reference(one), "end_line": reference(two),
                "text": new, "old_text": new, "new_text": "é",
            })
        });
        edits.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_refused_edit_leaves_every_byte(edits in some_edits()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let project = open();
            let before = "a\r\nb\nc\r\nd";
            project.write("f", before);
            let result = edit(&project, "f", edits).await;
            prop_assert_eq!(result.ok, project.read("f") != before, "{}", result.output);
            prop_assert!(result.error_kind() != Some(ErrorKind::Internal), "{}", result.output);
            Ok(())
        })?;
    }
}
