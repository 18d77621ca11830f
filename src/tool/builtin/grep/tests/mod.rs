//! Searches through the tool, in real directories.

mod encodings;
mod files;
mod limits;

use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::conversation::ErrorKind;
use crate::tool::harness::Harness;
use crate::view::card::{CardPart, Tone};

fn tree() -> Harness {
    let project = Harness::new();
    project.write(
        "src/a.rs",
        "one\ntotal = 1;\nthree\nfour\nfive\nTotal += 2;\nseven\n",
    );
    project.write("src/b.rs", "a\nb\ntotal\n");
    project.write("c.txt", "subtotal (x)\n");
    project
}

async fn grep(project: &Harness, args: Value) -> String {
    project.new_turn();
    project.ok("grep", args).await
}

#[tokio::test]
async fn matches_are_grouped_by_file_in_the_order_of_paths() {
    let project = tree();
    let result = project.run("grep", json!({"pattern": "total"})).await;
    assert_eq!(
        result.output,
        "Found 3 matches in 3 files\n\nc.txt\n  1: subtotal (x)\n\nsrc/a.rs\n  2: total = 1;\n\nsrc/b.rs\n  3: total"
    );
    assert_eq!(
        result.details,
        json!({
            "matches": 3, "files": 3, "truncated": false, "timed_out": false, "skipped_unreadable": 0,
            "items": [
                {"path": "c.txt", "line": 1, "column": 4, "text": "subtotal (x)"},
                {"path": "src/a.rs", "line": 2, "column": 1, "text": "total = 1;"},
                {"path": "src/b.rs", "line": 3, "column": 1, "text": "total"},
            ],
            "spans": [[3, 8], [0, 5], [0, 5]],
        })
    );
    assert_eq!(
        grep(&project, json!({"pattern": "nothing"})).await,
        "No matches found"
    );
    assert!(
        grep(&project, json!({"pattern": "= 1"}))
            .await
            .starts_with("Found 1 match in 1 file\n\n")
    );
}

#[tokio::test]
async fn case_counts_unless_it_is_told_not_to() {
    let project = tree();
    for args in [
        json!({"pattern": "TOTAL", "case_sensitive": false}),
        json!({"pattern": "TOTAL", "case_insensitive": true}),
        json!({"pattern": "TOTAL", "ignoreCase": "true"}),
        json!({"pattern": "TOTAL", "-i": true}),
    ] {
        assert!(
            grep(&project, args.clone()).await.starts_with("Found 4 matches"),
            "{args}"
        );
    }
    assert_eq!(
        grep(&project, json!({"pattern": "TOTAL"})).await,
        "No matches found"
    );
}

#[tokio::test]
async fn a_literal_pattern_is_plain_text() {
    let project = tree();
    for args in [
        json!({"pattern": "(x)", "literal": true}),
        json!({"pattern": "(x)", "fixed_strings": 1}),
    ] {
        assert!(grep(&project, args).await.contains("1: subtotal (x)"));
    }
}

#[tokio::test]
async fn context_lines_have_a_dash_and_gaps_are_marked() {
    let project = tree();
    let wanted = "Found 2 matches in 1 file\n\nsrc/a.rs\n  1- one\n  2: total = 1;\n  3- three\n  --\n  \
                  5- five\n  6: Total += 2;\n  7- seven";
    for name in ["context", "-C"] {
        let args = json!({"pattern": "[tT]otal", "path": "src/a.rs", name: 1});
        assert_eq!(grep(&project, args).await, wanted, "{name}");
    }
}

#[tokio::test]
async fn lines_before_and_after_a_match_are_separate_numbers() {
    let project = tree();
    for (given, wanted) in [
        (json!({"before": 2}), "  1- one\n  2- total = 1;\n  3: three"),
        (json!({"-A": "1"}), "  3: three\n  4- four"),
        (
            json!({"-B": 1, "After": 2}),
            "  2- total = 1;\n  3: three\n  4- four\n  5- five",
        ),
        (json!({"context": 1, "before": 0}), "  3: three\n  4- four"),
        (json!({"-C": 1, "after": 0}), "  2- total = 1;\n  3: three"),
    ] {
        let mut args = json!({"pattern": "three", "path": "src/a.rs"});
        for (name, value) in given.as_object().unwrap() {
            args[name] = value.clone();
        }
        let text = grep(&project, args).await;
        assert_eq!(
            text,
            format!("Found 1 match in 1 file\n\nsrc/a.rs\n{wanted}"),
            "{given}"
        );
    }
}

#[tokio::test]
async fn a_number_out_of_its_range_is_an_argument_error() {
    let project = tree();
    for (name, value, range) in [
        ("context", json!(11), "integer from 0 to 10, got number 11"),
        ("before", json!("99"), "integer from 0 to 10, got number 99"),
        ("-A", json!(-1), "integer from 0 to 10, got number -1"),
        ("limit", json!(-5), "integer of at least 0, got number -5"),
    ] {
        let (kind, text) = project
            .error("grep", json!({"pattern": "three", name: value}))
            .await;
        assert_eq!(kind, ErrorKind::InvalidArgs, "{name}");
        assert!(text.contains(range), "{text}");
    }
    let text = grep(&project, json!({"pattern": "three", "context": 10})).await;
    assert!(text.contains("  1- one\n  2- total = 1;\n  3: three\n"), "{text}");
}

#[tokio::test]
async fn multiline_patterns_cross_lines() {
    let project = tree();
    let text = grep(
        &project,
        json!({"pattern": "one.total = 1;.*four", "multiline": true}),
    )
    .await;
    assert_eq!(
        text,
        "Found 1 match in 1 file\n\nsrc/a.rs\n  1: one\n  2: total = 1;\n  3: three\n  4: four"
    );
    let text = grep(
        &project,
        json!({"pattern": "^(a|b)$", "multiline": true, "path": "src/b.rs"}),
    )
    .await;
    assert_eq!(text, "Found 2 matches in 1 file\n\nsrc/b.rs\n  1: a\n  2: b");
}

#[tokio::test]
async fn files_with_matches_come_newest_first() {
    let project = tree();
    for (path, seconds) in [("src/a.rs", 10), ("src/b.rs", 30), ("c.txt", 20)] {
        let file = fs::File::options().write(true).open(project.path(path)).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds))
            .unwrap();
    }
    let args = json!({"pattern": "total", "output_mode": "FILES_WITH_MATCHES"});
    assert_eq!(
        grep(&project, args).await,
        "Found 3 files\n\nsrc/b.rs\nc.txt\nsrc/a.rs"
    );
    let args = json!({"pattern": "total", "output_mode": "files_with_matches", "limit": 2});
    assert_eq!(
        grep(&project, args).await,
        "Found 3 files\n\nsrc/b.rs\nc.txt\n\n(2 of 3 files shown; narrow the pattern or path)"
    );
}

#[tokio::test]
async fn counts_come_highest_first() {
    let project = tree();
    let args = json!({"pattern": "[tT]otal", "outputMode": "count"});
    assert_eq!(
        grep(&project, args).await,
        "Found 4 matches in 3 files\n\n2  src/a.rs\n1  c.txt\n1  src/b.rs"
    );
}

#[tokio::test]
async fn a_broken_pattern_is_told_with_its_place() {
    let project = tree();
    for (pattern, place, hint) in [
        ("foo(", "unclosed group at character 4", true),
        ("a{2,1}", "at character 2", true),
        ("x(?=y)", "look-around", true),
        ("(a)\\1", "backreferences are not supported at character 4", true),
    ] {
        let result = project.run("grep", json!({"pattern": pattern})).await;
        assert_eq!(result.error_kind(), Some(ErrorKind::Parse));
        assert!(result.output.contains(place), "{}", result.output);
        assert_eq!(result.output.contains("literal: true"), hint, "{}", result.output);
        assert!(
            result.details["error"]["position"].is_number(),
            "{}",
            result.details
        );
    }
    let (kind, text) = project.error("grep", json!({"pattern": "a\\nb"})).await;
    assert_eq!(kind, ErrorKind::Parse);
    assert!(text.contains("multiline: true"), "{text}");
    let (kind, _) = project
        .error("grep", json!({"pattern": "a", "include": "{a"}))
        .await;
    assert_eq!(kind, ErrorKind::Parse);
}

#[tokio::test]
async fn the_pattern_is_asked() {
    let project = Harness::with_rules(json!({"grep": {"*password*": "deny"}}));
    let (kind, _) = project.error("grep", json!({"pattern": "my password"})).await;
    assert_eq!(kind, ErrorKind::Denied);
    grep(&project, json!({"pattern": "word"})).await;
}

#[tokio::test]
async fn cards_show_the_pattern_as_it_comes_and_six_matches() {
    let project = tree();
    let card = project.draw_call("grep", r#"{"pattern": "to\"ta"#);
    assert_eq!((card.title.as_str(), card.argument.as_str()), ("Grep", "to\"ta"));
    let card = project.draw_call("grep", r#"{"pattern": "x", "include": ["*.rs", "*.t"#);
    assert_eq!(card.meta, ["*.rs *.t"]);
    project.write("src/b.rs", "TOTAL\n".repeat(8));
    let args = json!({"pattern": "total", "path": "src", "-i": true, "include": "*.rs"});
    let result = project.run("grep", args.clone()).await;
    let card = project.draw_result("grep", &args, &result, false);
    assert_eq!(card.meta, ["*.rs", "10 matches", "2 files"]);
    let [CardPart::Lines(lines), CardPart::Omitted(more)] = card.body.as_slice() else {
        panic!("{:?}", card.body)
    };
    assert_eq!((lines.len(), more.as_str()), (8, "4 more"));
    assert_eq!(lines[0][0].text, "src/a.rs");
    assert_eq!(
        (lines[1][2].tone, lines[1][2].text.as_str()),
        (Tone::Match, "total")
    );
    let card = project.draw_result("grep", &args, &result, true);
    assert!(matches!(card.body.as_slice(), [CardPart::Lines(lines)] if lines.len() == 12));
}
