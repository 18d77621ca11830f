use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::conversation::ErrorKind;
use crate::permission::Mode;
use crate::text::replace::Tolerance;
use crate::tool::ToolSettings;
use crate::tool::harness::{Harness, HarnessOptions};
use crate::view::card::{CardPart, plain};

/// Every ask is answered, and no file has to be read first.
fn open() -> Harness {
    Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        settings: ToolSettings::default(),
        ..HarnessOptions::default()
    })
}

fn args(path: &str, old: &str, new: &str) -> Value {
    json!({"file_path": path, "old_string": old, "new_string": new})
}

#[tokio::test]
async fn text_is_replaced_and_the_result_says_where_and_how() {
    let project = open();
    project.write("src/a.rs", "one\ntwo\nthree\n");
    let result = project.run("edit", args("src/a.rs", "two", "2\n2b")).await;
    assert_eq!(result.output, "Edited src/a.rs: 1 replacement (simple), +2 -1");
    assert_eq!(project.read("src/a.rs"), "one\n2\n2b\nthree\n");
    let details = &result.details;
    assert_eq!(details["path"], "src/a.rs");
    assert_eq!(details["strategy"], "simple");
    assert_eq!(details["replacements"], 1);
    assert_eq!(details["positions"], json!([{"line_start": 2, "line_end": 2}]));
    assert_eq!(
        (&details["additions"], &details["deletions"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(
        (&details["created"], &details["diagnostics"]),
        (&json!(false), &json!([]))
    );
    assert_eq!(
        details["diff"],
        "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2b\n three\n"
    );
}

#[tokio::test]
async fn a_looser_find_names_its_strategy() {
    let project = open();
    project.write("a", "    one\n    two\n");
    let result = project.run("edit", args("a", "one\ntwo", "x")).await;
    assert_eq!(result.output, "Edited a: 1 replacement (line_trimmed), +1 -2");
    assert_eq!(project.read("a"), "x\n");
}

#[tokio::test]
async fn every_occurrence_is_replaced_when_asked_for() {
    let project = open();
    project.write("a", "x x\nx\n");
    let mut all = args("a", "x", "y");
    all["all"] = json!("true");
    let result = project.run("edit", all).await;
    assert_eq!(
        result.output,
        "Edited a: 3 replacements (multi_occurrence), +2 -2"
    );
    assert_eq!(result.details["positions"].as_array().unwrap().len(), 3);
    assert_eq!(project.read("a"), "y y\ny\n");
}

#[tokio::test]
async fn what_does_not_fit_is_told_in_the_words_of_its_kind() {
    let project = open();
    project.write("a", "one\ntwo\none\nfour\n");
    for (old, new, kind, words) in [
        ("one", "one", ErrorKind::Identical, "identical"),
        (
            "one\r\n",
            "one\n",
            ErrorKind::Refused,
            "only in their line endings",
        ),
        ("one", "x", ErrorKind::Ambiguous, "multiple matches"),
        ("fivefold", "x", ErrorKind::NoMatch, "Could not find"),
        ("", "x", ErrorKind::Refused, "use write"),
        (" ", "x", ErrorKind::NoMatch, "Could not find"),
    ] {
        let (found, text) = project.error("edit", args("a", old, new)).await;
        assert_eq!(found, kind, "{old:?}: {text}");
        assert!(
            text.starts_with("Error: ") && text.contains(words),
            "{old:?}: {text}"
        );
    }
    let (_, text) = project.error("edit", args("a", "one", "x")).await;
    assert!(
        text.contains("lines 1, 3") && text.contains("replace_all"),
        "{text}"
    );
    let (_, text) = project.error("edit", args("a", "tvo\none\nfuor", "x")).await;
    assert!(text.contains("\nlines ") && text.contains("two"), "{text}");
    assert_eq!(project.read("a"), "one\ntwo\none\nfour\n");
}

#[tokio::test]
async fn a_find_of_far_too_much_is_refused() {
    let project = open();
    let long = format!("a{}b\nc\n", " ".repeat(3000));
    project.write("a", &long);
    let (kind, text) = project.error("edit", args("a", "a b\nc", "y")).await;
    assert_eq!(kind, ErrorKind::Refused);
    assert!(text.starts_with("Error: Refusing"), "{text}");
    assert_eq!(project.read("a"), long);
}

#[tokio::test]
async fn an_empty_old_string_creates_a_file_or_fills_an_empty_one() {
    let project = Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        ..HarnessOptions::default()
    });
    project.write("empty", "");
    for path in ["new/a", "empty"] {
        let result = project.run("edit", args(path, "", "one\ntwo\n")).await;
        assert_eq!(
            result.output,
            format!("Edited {path}: 1 replacement (simple), +2 -0, created")
        );
        assert_eq!(result.details["created"], true);
        assert_eq!(project.read(path), "one\ntwo\n");
    }
    project.write("full", "x");
    let (kind, _) = project.error("edit", args("full", "", "y")).await;
    assert!(matches!(kind, ErrorKind::NotRead | ErrorKind::Refused));
    assert_eq!(
        project.error("edit", args("missing", "x", "y")).await.0,
        ErrorKind::NotFound
    );
}

#[tokio::test]
async fn a_file_that_was_not_read_or_has_changed_is_not_edited() {
    let project = Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        ..HarnessOptions::default()
    });
    project.write("a", "one\n");
    let (kind, text) = project.error("edit", args("a", "one", "x")).await;
    assert_eq!(kind, ErrorKind::NotRead);
    assert_eq!(
        text,
        "Error: `a` has not been read in this session; read it first"
    );
    project.ok("read", json!({"file_path": "a"})).await;
    project.ok("edit", args("a", "one", "two")).await;
    project.ok("edit", args("a", "two", "three")).await;
    project.write("a", "three!\n");
    let (kind, text) = project.error("edit", args("a", "three", "x")).await;
    assert_eq!(kind, ErrorKind::Stale);
    assert_eq!(text, "Error: `a` changed since it was read; read it again");
}

#[tokio::test]
async fn untouched_lines_keep_their_bytes() {
    let project = open();
    for (before, old, new, after) in [
        ("a\r\nb\nc\r\n", "a", "x\ny", "x\r\ny\r\nb\nc\r\n"),
        ("a\r\nb\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\n"),
        ("a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n"),
        ("\u{feff}a\nb", "a", "x", "\u{feff}x\nb"),
        ("a\nb", "b", "c", "a\nc"),
        ("a\nb", "b\n", "c\n", "a\nc"),
        ("a$1\n", "a$1", "$&\\1", "$&\\1\n"),
        ("\ta\n", "a", "    b", "\t    b\n"),
    ] {
        project.write("f", before);
        project.ok("edit", args("f", old, new)).await;
        assert_eq!(project.read("f"), after, "{before:?} {old:?} {new:?}");
    }
}

#[tokio::test]
async fn what_is_no_text_file_is_refused_by_its_kind() {
    let project = open();
    fs::create_dir(project.path("dir")).unwrap();
    project.write("nul", b"a\0b");
    for (path, kind) in [
        ("dir", ErrorKind::IsDirectory),
        ("nul", ErrorKind::Binary),
        ("a\0", ErrorKind::InvalidArgs),
    ] {
        assert_eq!(
            project.error("edit", args(path, "a", "b")).await.0,
            kind,
            "{path:?}"
        );
    }
}

#[tokio::test]
async fn a_change_of_line_endings_alone_is_not_called_identical() {
    let project = open();
    project.write("f", "a\r\nb\r\n");
    let (kind, text) = project.error("edit", args("f", "a\r\nb\r\n", "a\nb\n")).await;
    assert_eq!(kind, ErrorKind::Refused);
    assert!(text.contains("`f` keeps its CRLF line endings"), "{text}");
    assert!(!text.contains("identical"), "{text}");
    assert_eq!(project.read("f"), "a\r\nb\r\n");
}

#[tokio::test]
async fn broken_bytes_stay_and_are_not_replaced() {
    let project = open();
    let before = [
        "gr\u{f6}\u{df}er, k\u{fc}hl, h\u{f6}her\n".as_bytes(),
        b"a \xff b\n",
    ]
    .concat();
    project.write("f", &before);
    project
        .ok("edit", args("f", "a \u{fffd} b", "A \u{fffd} b"))
        .await;
    let after = fs::read(project.path("f")).unwrap();
    assert!(after.ends_with(b"\nA \xff b\n"), "{after:?}");
    let (kind, text) = project.error("edit", args("f", "A \u{fffd} b", "A b")).await;
    assert_eq!(kind, ErrorKind::Encoding, "{text}");
    assert_eq!(fs::read(project.path("f")).unwrap(), after);
}

#[tokio::test]
async fn an_error_does_not_quote_a_file_that_may_not_be_read() {
    let project = Harness::with(HarnessOptions {
        rules: json!({"edit": "allow"}),
        settings: ToolSettings::default(),
        ..HarnessOptions::default()
    });
    project.write(".env", "PASSWORD=hunter2\n");
    let (kind, text) = project
        .error("edit", args(".env", "PASSWORD=hunter3\n", "x"))
        .await;
    assert_eq!(kind, ErrorKind::Denied);
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(project.asked(), [("read".to_owned(), ".env".to_owned())]);
}

#[tokio::test]
async fn what_is_protected_is_denied_whatever_else_is_the_matter() {
    let project = Harness::with_rules(json!({"edit": "allow"}));
    project.write(".git/config", "[core]\n");
    symlink(".git/config", project.path("innocent")).unwrap();
    for path in [".git/config", "innocent"] {
        for old in ["[core]", "nothing of it"] {
            assert_eq!(
                project.error("edit", args(path, old, "x")).await.0,
                ErrorKind::Denied,
                "{path} {old}"
            );
        }
    }
    assert_eq!(project.read(".git/config"), "[core]\n");
}

#[tokio::test]
async fn other_names_of_the_parameters_are_understood() {
    let project = open();
    for (old, new) in [
        ("old_text", "new_text"),
        ("old", "new"),
        ("search", "replacement"),
        ("old_str", "new_str"),
        ("oldString", "newString"),
    ] {
        project.write("a", "x\n");
        project
            .ok("str_replace", json!({"path": "a", old: "x", new: "y"}))
            .await;
        assert_eq!(project.read("a"), "y\n");
    }
}

#[tokio::test]
async fn the_card_names_the_line_and_what_is_not_plain() {
    let project = open();
    project.write("a.rs", "zero\n  one\n");
    let edit = args("a.rs", "zero\none", "x");
    let result = project.run("edit", edit.clone()).await;
    let card = project.draw_result("edit", &edit, &result, false);
    assert_eq!((card.title.as_str(), card.argument.as_str()), ("Edit", "a.rs:1"));
    assert_eq!(card.meta, ["+1 \u{2212}2", "white space differed"]);
    assert!(matches!(&card.body[..], [CardPart::Diff(body)] if body.max_lines == 40));
    let card = project.draw_result("edit", &edit, &result, true);
    assert!(matches!(&card.body[..], [CardPart::Diff(body)] if body.max_lines == 0));
}

#[test]
fn a_call_can_be_drawn_from_every_beginning_of_its_arguments() {
    let project = Harness::new();
    let call = json!({"path": "a.rs", "old_text": "one\ntwo\n", "newString": "one\n世\n"}).to_string();
    for end in (0..=call.len()).filter(|end| call.is_char_boundary(*end)) {
        let card = project.draw_call("edit", &call[..end]);
        assert_eq!(card.title, "Edit");
        plain(&card);
    }
    let card = project.draw_call("edit", &call);
    assert_eq!(card.argument, "a.rs");
    let CardPart::Diff(body) = &card.body[0] else {
        panic!("no diff")
    };
    assert!(body.unified.contains("-two\n+世"), "{}", body.unified);
}

#[tokio::test]
async fn the_setting_says_how_exact_a_quote_must_be() {
    let before = "begin\nsomething else\nand more\nand still more\nend\n";
    for (tolerance, quote, strategy) in [
        (Tolerance::Strict, "  begin\n", None),
        (Tolerance::Safe, "  begin\n", Some("line_trimmed")),
        (Tolerance::Safe, "begin\nx\nend\n", None),
        (Tolerance::Classic, "begin\nx\nend\n", Some("block_anchor")),
    ] {
        let project = Harness::with(HarnessOptions {
            mode: Mode::Yolo,
            settings: ToolSettings {
                tolerance,
                ..ToolSettings::default()
            },
            ..HarnessOptions::default()
        });
        project.write("a", before);
        let result = project.run("edit", args("a", quote, "new\n")).await;
        assert_eq!(result.ok, strategy.is_some(), "{tolerance:?} {}", result.output);
        match strategy {
            Some(strategy) => assert_eq!(result.details["strategy"], strategy),
            None => assert_eq!(project.read("a"), before, "a refused edit leaves every byte"),
        }
    }
}
