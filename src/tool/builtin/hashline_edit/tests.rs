use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::conversation::CallResult;
use crate::permission::{Mode, Reply};
use crate::text::hashline::Hash;
use crate::tool::ToolSettings;
use crate::tool::harness::{Harness, HarnessOptions};
use crate::view::card::{CardPart, plain};

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
async fn a_missing_file_is_created_at_its_ends_alone() {
    let project = open();
    let edits = json!([{"type": "append", "text": "b"}, {"type": "prepend", "text": "a"}]);
    let result = edit(&project, "new/f", edits).await;
    assert_eq!(
        result.output,
        format!(
            "Created new/f: 2 edits, +2 -0\n{}|a\n{}|b",
            at("a\nb", 1),
            at("a\nb", 2)
        )
    );
    assert_eq!(result.details["type"], "add");
    assert_eq!(project.read("new/f"), "a\nb\n");
    for edits in [
        json!([{"type": "append", "text": "b"}, {"type": "replace", "old_text": "a", "new_text": "b"}]),
        json!([{"type": "set_line", "line": "1:00", "text": "b"}]),
    ] {
        let result = edit(&project, "none", edits).await;
        assert_eq!(kind(&result), ErrorKind::NotFound);
        assert!(!project.path("none").exists());
    }
    for given in [
        json!({"file_path": "none", "delete": true}),
        json!({"file_path": "none", "rename": "x"}),
    ] {
        assert_eq!(project.error("hashline_edit", given).await.0, ErrorKind::NotFound);
    }
}

#[tokio::test]
async fn a_file_is_removed() {
    let project = open();
    project.write("src/a.rs", "a\nb\n");
    let result = project
        .run("hashline_edit", json!({"file_path": "src/a.rs", "delete": true}))
        .await;
    assert_eq!(result.output, "Deleted src/a.rs");
    assert_eq!(
        (&result.details["type"], &result.details["deletions"]),
        (&json!("delete"), &json!(2))
    );
    assert!(!project.path("src/a.rs").exists());
    fs::create_dir(project.path("dir")).unwrap();
    let given = json!({"file_path": "dir", "delete": true});
    assert_eq!(
        project.error("hashline_edit", given).await.0,
        ErrorKind::IsDirectory
    );
}

#[tokio::test]
async fn a_file_is_moved_with_or_without_edits_and_never_over_another() {
    let project = open();
    let path = project.write("a", "one\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let result = project
        .run("hashline_edit", json!({"file_path": "a", "move_to": "new/b"}))
        .await;
    assert_eq!(result.output, "Moved a to new/b");
    assert_eq!(
        (&result.details["renamed_to"], &result.details["type"]),
        (&json!("new/b"), &json!("move"))
    );
    assert!(!path.exists());
    assert_eq!(project.path("new/b").metadata().unwrap().mode() & 0o777, 0o755);
    project.write("taken", "mine\n");
    let edits = json!([{"type": "append", "text": "two"}]);
    for target in ["taken", "new"] {
        let given = json!({"file_path": "new/b", "rename": target, "edits": edits});
        assert_eq!(
            project.error("hashline_edit", given).await.0,
            ErrorKind::Exists,
            "{target}"
        );
    }
    assert_eq!(
        (project.read("new/b"), project.read("taken")),
        ("one\n".into(), "mine\n".into())
    );
    let result = project
        .run(
            "hashline_edit",
            json!({"file_path": "new/b", "rename": "c", "edits": edits}),
        )
        .await;
    assert!(
        result.output.starts_with("Moved new/b to c: 1 edit, +1 -0\n"),
        "{}",
        result.output
    );
    assert_eq!(project.read("c"), "one\ntwo\n");
    // Onto itself it is an edit.
    let given = json!({"file_path": "c", "rename": "./c", "edits": edits});
    assert!(
        project
            .ok("hashline_edit", given)
            .await
            .starts_with("Updated c: ")
    );
}

#[tokio::test]
async fn links_are_edited_where_they_lead_and_neither_removed_nor_moved() {
    let project = open();
    project.write("real", "a\n");
    symlink("real", project.path("link")).unwrap();
    assert!(
        edit(&project, "link", json!([{"type": "append", "text": "b"}]))
            .await
            .ok
    );
    assert!(project.path("link").is_symlink());
    assert_eq!(project.read("real"), "a\nb\n");
    for given in [
        json!({"file_path": "link", "delete": true}),
        json!({"file_path": "link", "rename": "x"}),
    ] {
        assert_eq!(project.error("hashline_edit", given).await.0, ErrorKind::Io);
    }
    symlink("nowhere", project.path("dangling")).unwrap();
    let result = edit(&project, "dangling", json!([{"type": "append", "text": "b"}])).await;
    assert_eq!(kind(&result), ErrorKind::Io);
    let given = json!({"file_path": "real", "rename": "dangling"});
    assert_eq!(project.error("hashline_edit", given).await.0, ErrorKind::Io);
    assert_eq!(project.read("real"), "a\nb\n");
}

#[tokio::test]
async fn hard_links_stay_linked() {
    let project = open();
    project.write("a", "1\n");
    fs::hard_link(project.path("a"), project.path("b")).unwrap();
    assert!(
        edit(&project, "a", json!([{"type": "append", "text": "2"}]))
            .await
            .ok
    );
    assert_eq!(project.read("b"), "1\n2\n");
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
async fn what_is_no_text_file_is_refused_by_its_kind() {
    let project = open();
    project.write("latin", b"caf\xe9\n");
    project.write("nul", b"a\0b");
    for (path, wanted) in [("latin", ErrorKind::Encoding), ("nul", ErrorKind::Binary)] {
        let result = edit(&project, path, json!([{"type": "append", "text": "b"}])).await;
        assert_eq!(kind(&result), wanted);
    }
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
    assert_eq!(result.output, "Updated .env: 1 edit, +1 -0");
    let given =
        json!({"file_path": ".env", "rename": "open.txt", "edits": [{"type": "append", "text": "B=1"}]});
    assert_eq!(project.error("hashline_edit", given).await.0, ErrorKind::Denied);
    assert!(!project.path("open.txt").exists());
}

#[tokio::test]
async fn a_file_that_may_not_be_read_unasked_is_not_moved_unasked_to_a_name_that_may() {
    let moved = |from: &str| json!({"file_path": from, "rename": "notes.txt"});
    let asked_to_read = ("read".to_owned(), ".env".to_owned());
    let project = Harness::with_rules(json!({"edit": "allow"})).answering(Reply::Once);
    project.write(".env", "PASSWORD=hunter2\n");
    let text = project.ok("hashline_edit", moved(".env")).await;
    assert_eq!(text, "Moved .env to notes.txt");
    assert_eq!(project.asked(), [asked_to_read]);

    let project = Harness::with_rules(json!({"edit": "allow", "read": {"*": "allow", "secret": "deny"}}));
    project.write("secret", "hunter2\n");
    symlink(".", project.path("here")).unwrap();
    for from in ["secret", "here/secret"] {
        assert_eq!(
            project.error("hashline_edit", moved(from)).await.0,
            ErrorKind::Denied
        );
    }
    project.write("plain", "x\n");
    project.ok("hashline_edit", moved("plain")).await;
}

#[tokio::test]
async fn both_places_of_a_move_are_asked_about_in_one_question() {
    let project = Harness::new().answering(Reply::Once);
    project.write("a", "one\n");
    let given = json!({"file_path": "a", "rename": "b"});
    project.ok("hashline_edit", given).await;
    assert_eq!(
        project.asked(),
        [
            ("edit".to_owned(), "a".to_owned()),
            ("edit".to_owned(), "b".to_owned())
        ]
    );
    project.write(".git/config", "[core]\n");
    let given = json!({"file_path": ".git/config", "delete": true});
    assert_eq!(project.error("hashline_edit", given).await.0, ErrorKind::Denied);
    let given = json!({"file_path": "b", "rename": ".git/hooks/x"});
    assert_eq!(project.error("hashline_edit", given).await.0, ErrorKind::Denied);
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
        ("a.rs → b.rs", ["moved".to_owned()].as_slice())
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
            ("a.rs → b.rs", ["4 edits".to_owned()].as_slice())
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
