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
    for name in ["context", "-C", "-A", "-B", "before", "after"] {
        let args = json!({"pattern": "[tT]otal", "path": "src/a.rs", name: 1});
        assert_eq!(grep(&project, args).await, wanted, "{name}");
    }
    for (before, after, lines) in [
        (json!(1), json!(0), 3),
        (json!(0), json!("2"), 5),
        (json!("1"), json!(2), 5),
    ] {
        let args = json!({"pattern": "three", "path": "src/a.rs", "-B": before, "After": after});
        let text = grep(&project, args.clone()).await;
        assert_eq!(text.lines().count(), lines + 3, "{args} {text}");
    }
    let args = json!({"pattern": "three", "path": "src/a.rs", "context": 0, "before": 2, "after": 3});
    assert!(grep(&project, args).await.ends_with("src/a.rs\n  3: three"));
    let text = grep(&project, json!({"pattern": "three", "context": 99})).await;
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
async fn the_limit_counts_matches_and_the_rest_is_told() {
    let project = tree();
    for (name, limit) in [
        ("limit", 1),
        ("head_limit", 1),
        ("max_results", 1),
        ("limit_lines", 1),
    ] {
        project.new_turn();
        let result = project
            .run("grep", json!({"pattern": "otal", name: limit, "context": 1}))
            .await;
        assert_eq!(
            result.output,
            "Found 4 matches in 3 files\n\nc.txt\n  1: subtotal (x)\n\n\
             (1 of 4 matches shown; narrow the pattern or path)"
        );
        assert_eq!(result.details["truncated"], true);
    }
    let text = grep(&project, json!({"pattern": "otal", "limit": 2, "context": 1})).await;
    assert!(text.contains("  2: total = 1;\n  3- three\n\n(2 of 4"), "{text}");
    assert!(!text.contains("five"));
}

#[tokio::test]
async fn no_limit_shows_all_and_a_file_gives_five_hundred() {
    let project = Harness::with_settings(|settings| settings.truncate.max_lines = 0);
    project.write("many", "x\n".repeat(731));
    let result = project
        .run("grep", json!({"pattern": "x", "limit": 0, "context": 2}))
        .await;
    assert_eq!(result.details["matches"], 500);
    assert_eq!(result.details["truncated"], true);
    assert_eq!(result.output.matches(": x").count(), 500);
    assert!(
        result
            .output
            .ends_with("(only the first 500 matches of many are counted)"),
        "{}",
        result.output
    );
    let text = grep(&project, json!({"pattern": "x"})).await;
    assert!(text.contains("(200 of 500+ matches shown; narrow the pattern or path)"));
    project.write("many", "x\n".repeat(500));
    let result = project.run("grep", json!({"pattern": "x", "limit": 0})).await;
    assert_eq!(result.details["truncated"], false);
}

#[tokio::test]
async fn details_keep_a_thousand_matches() {
    let project = Harness::new();
    for index in 0..3 {
        project.write(format!("f{index}"), "x\n".repeat(400));
    }
    let result = project.run("grep", json!({"pattern": "x"})).await;
    assert_eq!(result.details["matches"], 1200);
    assert_eq!(result.details["items"].as_array().unwrap().len(), 1000);
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
async fn files_are_chosen_by_path_and_globs() {
    let project = tree();
    for (args, wanted) in [
        (json!({"path": "src/b.rs"}), "src/b.rs"),
        (json!({"paths": ["src/b.rs", "src/b.rs"]}), "src/b.rs"),
        (json!({"path": ["src"], "exclude": "a.rs"}), "src/b.rs"),
        (json!({"dir": "src", "include": "b*"}), "src/b.rs"),
        (json!({"file_pattern": "*.txt,*.md"}), "c.txt"),
        (json!({"glob": ["*.{txt,md}"]}), "c.txt"),
        (json!({"include": "*.rs, *.txt", "exclude": ["src/**"]}), "c.txt"),
        (json!({"path": "", "include": "", "exclude": "src"}), "c.txt"),
        (json!({"path": project.path("c.txt")}), "c.txt"),
        (
            json!({"path": format!("file://{}", project.path("c.txt").display())}),
            "c.txt",
        ),
    ] {
        let mut args = args;
        args["pattern"] = json!("total");
        args["output_mode"] = json!("files_with_matches");
        assert_eq!(
            grep(&project, args.clone()).await,
            format!("Found 1 file\n\n{wanted}"),
            "{args}"
        );
    }
}

#[tokio::test]
async fn ignored_files_and_git_are_left_out_and_hidden_ones_are_not() {
    let project = Harness::new();
    for path in [
        "seen",
        ".hidden/seen",
        ".git/x",
        "sub/.git/x",
        "ignored/x",
        "a.log",
        "other/x",
    ] {
        project.write(path, "needle");
    }
    project.write(".gitignore", "ignored/\n*.log\n");
    project.write(".ignore", "/other\n");
    let args = json!({"pattern": "needle", "output_mode": "count"});
    assert_eq!(
        grep(&project, args).await,
        "Found 2 matches in 2 files\n\n1  .hidden/seen\n1  seen"
    );
    let args = json!({"pattern": "needle", "path": "a.log"});
    assert!(grep(&project, args).await.contains("1: needle"));
}

#[tokio::test]
async fn what_read_would_not_show_is_skipped_and_counted() {
    let project = Harness::with_rules(json!({"read": {"secret/*": "deny"}}));
    for path in [".env", "sub/prod.env", "secret/x", ".env.example", "plain"] {
        project.write(path, "needle");
    }
    let result = project.run("grep", json!({"pattern": "needle"})).await;
    assert_eq!(
        result.output,
        "Found 2 matches in 2 files\n\n.env.example\n  1: needle\n\nplain\n  1: needle\n\n\
         skipped 3 files: no read permission"
    );
    assert_eq!(result.details["skipped_unreadable"], 3);
    for path in [".env", "secret"] {
        assert_eq!(
            grep(&project, json!({"pattern": "needle", "path": path})).await,
            "No matches found\n\nskipped 1 file: no read permission"
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_does_not_lead_to_what_read_would_not_show() {
    let project = Harness::with_rules(json!({"read": {"secret/*": "deny"}}));
    project.write("secret/x", "needle");
    project.write("plain/x", "needle");
    for (link, target) in [("way", "secret"), ("file", "secret/x"), ("open", "plain")] {
        std::os::unix::fs::symlink(project.path(target), project.path(link)).unwrap();
    }
    for path in ["way", "file"] {
        let text = grep(&project, json!({"pattern": "needle", "path": path})).await;
        assert!(text.starts_with("No matches found"), "{text}");
    }
    let text = grep(&project, json!({"pattern": "needle", "path": "open"})).await;
    assert_eq!(text, "Found 1 match in 1 file\n\nopen/x\n  1: needle");
    let text = grep(&project, json!({"pattern": "needle"})).await;
    assert!(text.starts_with("Found 1 match in 1 file\n\nplain/x"), "{text}");
}

#[tokio::test]
async fn binary_and_huge_files_are_skipped() {
    let project = Harness::new();
    project.write("binary", b"needle\n\0\n");
    let mut huge = b"needle\n".to_vec();
    huge.resize(10 * 1024 * 1024 + 1, b'\n');
    project.write("huge", &huge);
    assert_eq!(
        grep(&project, json!({"pattern": "needle"})).await,
        "No matches found"
    );
    let text = grep(&project, json!({"pattern": "needle", "path": "huge"})).await;
    assert!(text.starts_with("Found 1 match"), "{text}");
    assert_eq!(
        grep(&project, json!({"pattern": "needle", "path": "binary"})).await,
        "No matches found\n\nskipped binary: a binary file"
    );
}

#[tokio::test]
async fn long_lines_are_cut_around_the_match() {
    let project = Harness::new();
    project.write(
        "min.js",
        format!("{}needle{}", "a".repeat(5000), "b".repeat(5000)),
    );
    let result = project.run("grep", json!({"pattern": "needle"})).await;
    let line = result.output.lines().last().unwrap();
    assert!(
        line.starts_with("  1: …a") && line.ends_with("b…") && line.contains("aneedleb"),
        "{line}"
    );
    assert_eq!(result.details["items"][0]["column"], 5001);
}

#[tokio::test]
async fn crlf_utf_16_and_broken_bytes_are_shown_as_text() {
    let project = Harness::new();
    project.write("crlf", "needle;\r\nother\r\n");
    project.write("wide", b"\xff\xfen\0e\0e\0d\0l\0e\0;\0");
    project.write("latin", b"caf\xe9 needle;\x1b[31m\x07\n");
    assert_eq!(
        grep(&project, json!({"pattern": "needle;$"})).await,
        "Found 2 matches in 2 files\n\ncrlf\n  1: needle;\n\nwide\n  1: needle;"
    );
    let text = grep(&project, json!({"pattern": "needle", "path": "latin"})).await;
    assert!(text.ends_with("  1: caf\u{fffd} needle;"), "{text:?}");
    let text = grep(
        &project,
        json!({"pattern": "\\r$", "output_mode": "files_with_matches"}),
    )
    .await;
    assert_eq!(text, "Found 1 file\n\ncrlf");
}

#[tokio::test]
async fn odd_names_stay_on_one_line() {
    let project = Harness::new();
    project.write("a\nb\x1b]0;x", "needle");
    assert_eq!(
        grep(&project, json!({"pattern": "needle"})).await,
        "Found 1 match in 1 file\n\na\\nb\\u{1b}]0;x\n  1: needle"
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
async fn a_missing_path_is_told_after_what_lies_outside_was_asked() {
    let project = tree();
    let (kind, text) = project
        .error("grep", json!({"pattern": "a", "path": ["src", "none"]}))
        .await;
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(text.starts_with("Error: `none` does not exist"), "{text}");
    for path in [project.outside("none"), project.outside("")] {
        let (kind, text) = project.error("grep", json!({"pattern": "a", "path": path})).await;
        assert_eq!(kind, ErrorKind::Denied);
        assert!(!text.contains("does not exist"), "{text}");
    }
    assert!(project.asked().iter().all(|(key, _)| key == "external_directory"));
    let project = Harness::with_rules(json!({"external_directory": "allow"}));
    let file = project.outside("x");
    fs::write(&file, "needle").unwrap();
    let text = grep(
        &project,
        json!({"pattern": "needle", "path": project.outside("")}),
    )
    .await;
    assert_eq!(
        text,
        format!("Found 1 match in 1 file\n\n{}\n  1: needle", file.display())
    );
}

#[tokio::test]
async fn the_pattern_is_asked() {
    let project = Harness::with_rules(json!({"grep": {"*password*": "deny"}}));
    let (kind, _) = project.error("grep", json!({"pattern": "my password"})).await;
    assert_eq!(kind, ErrorKind::Denied);
    grep(&project, json!({"pattern": "word"})).await;
}

#[cfg(unix)]
#[tokio::test]
async fn pipes_are_refused_when_named_and_passed_by_else() {
    let project = tree();
    let made = std::process::Command::new("mkfifo")
        .arg(project.path("pipe"))
        .status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let (kind, _) = project
        .error("grep", json!({"pattern": "a", "path": "pipe"}))
        .await;
    assert_eq!(kind, ErrorKind::Io);
    grep(&project, json!({"pattern": "total"})).await;
}

#[cfg(unix)]
#[tokio::test]
async fn files_that_cannot_be_opened_are_skipped_and_counted() {
    use std::os::unix::fs::PermissionsExt;
    let project = Harness::new();
    let path = project.write("closed", "needle");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read(&path).is_ok() {
        return; // The superuser reads everything.
    }
    assert_eq!(
        grep(&project, json!({"pattern": "needle"})).await,
        "No matches found\n\nskipped 1 file: no read permission"
    );
}

#[tokio::test]
async fn out_of_time_gives_what_was_found_and_says_so() {
    let project = Harness::with_settings(|settings| settings.search.timeout = Duration::ZERO);
    project.write("a", "needle");
    let result = project.run("grep", json!({"pattern": "needle"})).await;
    assert!(result.ok);
    assert!(
        result
            .output
            .ends_with("\n(stopped after 0 s; results are incomplete)"),
        "{}",
        result.output
    );
    assert_eq!(result.details["timed_out"], true);
}

#[tokio::test]
async fn a_cancelled_search_is_not_ok() {
    let project = tree();
    project.cancel.cancel();
    let (kind, text) = project.error("grep", json!({"pattern": "total"})).await;
    assert_eq!(kind, ErrorKind::Cancelled);
    assert!(text.starts_with("Error: "), "{text}");
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

#[tokio::test]
async fn a_search_goes_64_levels_deep_and_no_further() {
    let project = Harness::new();
    let below = |directories: usize| format!("{}a.txt", "d/".repeat(directories));
    project.write(below(63), "needle");
    project.write(below(64), "needle");
    let text = grep(
        &project,
        json!({"pattern": "needle", "output_mode": "files_with_matches"}),
    )
    .await;
    assert_eq!(text, format!("Found 1 file\n\n{}", below(63)));
    let text = project.ok("glob", json!({"pattern": "a.txt"})).await;
    assert_eq!(text, format!("Found 1 file\n\n{}", below(63)));
}

#[tokio::test]
async fn counting_stops_after_fifty_thousand_matches_at_the_same_place_each_time() {
    let project = Harness::with_settings(|settings| settings.truncate.max_lines = 0);
    for index in 0..600 {
        project.write(format!("d{}/f{index:03}", index % 7), "x\n".repeat(100));
    }
    project.write("d0/none.env", "x\n");
    project.write("zz/none.env", "x\n");
    let args = |mode: &str| json!({"pattern": "x", "output_mode": mode, "limit": 3});
    let result = project.run("grep", args("content")).await;
    assert!(
        result
            .output
            .starts_with("Found 50000+ matches in 500+ files\n\nd0/f000\n"),
        "{}",
        &result.output[..80]
    );
    assert!(
        result
            .output
            .contains("(3 of 50000+ matches shown; narrow the pattern or path)")
    );
    assert!(result.output.ends_with("skipped 1 file: no read permission"));
    assert!(
        result.title.contains("50000+ matches · 500+ files"),
        "{}",
        result.title
    );
    assert_eq!(result.details["truncated"], true);
    let card = project.draw_result("grep", &args("content"), &result, false);
    assert_eq!(card.meta, ["50000+ matches", "500+ files"]);
    for _ in 0..3 {
        project.new_turn();
        let again = project.run("grep", args("content")).await;
        assert_eq!(
            (again.output, again.details),
            (result.output.clone(), result.details.clone())
        );
    }
    let text = grep(&project, args("count")).await;
    assert!(
        text.starts_with("Found 50000+ matches in 500+ files\n\n100  d0/f000\n"),
        "{text}"
    );
    assert!(text.contains("(3 of 500+ files shown"), "{text}");
    let text = grep(&project, args("files_with_matches")).await;
    assert!(text.starts_with("Found 500+ files\n"), "{text}");
}

#[tokio::test]
async fn absolute_globs_choose_files_too() {
    let project = tree();
    for (include, exclude, path, wanted) in [
        (
            json!(project.path("src/*.rs")),
            json!(null),
            ".",
            "Found 2 files\n\nsrc/",
        ),
        (
            json!(project.path("**/*.rs")),
            json!(null),
            "src",
            "Found 2 files\n\nsrc/",
        ),
        (
            json!(null),
            json!(project.path("src")),
            ".",
            "Found 1 file\n\nc.txt",
        ),
        (
            json!(null),
            json!([project.path("src/a.rs"), project.path("c.*")]),
            ".",
            "Found 1 file\n\nsrc/b.rs",
        ),
        (json!(project.outside("*")), json!(null), ".", "No matches found"),
    ] {
        let args = json!({"pattern": "total", "include": include, "exclude": exclude, "path": path,
                          "output_mode": "files_with_matches"});
        let text = grep(&project, args.clone()).await;
        assert!(text.starts_with(wanted), "{args} {text}");
    }
}

#[tokio::test]
async fn a_pattern_over_four_kilobytes_is_refused_at_once() {
    let project = tree();
    for literal in [false, true] {
        let pattern = "(".repeat(60_000);
        let (kind, text) = project
            .error("grep", json!({"pattern": pattern, "literal": literal}))
            .await;
        assert_eq!(kind, ErrorKind::Parse);
        assert!(text.contains("60000 bytes") && text.len() < 300, "{text}");
    }
    let text = grep(&project, json!({"pattern": "t".repeat(4096)})).await;
    assert_eq!(text, "No matches found");
}

#[cfg(unix)]
#[tokio::test]
async fn a_root_that_is_a_link_to_the_project_shows_nothing_more() {
    let project = Harness::new();
    project.write(".env", "S=1");
    project.write("plain", "S=2");
    std::os::unix::fs::symlink(".", project.path("d")).unwrap();
    std::os::unix::fs::symlink(".env", project.path("notes")).unwrap();
    for path in ["d", ".", "d/d", "notes", "d/notes"] {
        let text = grep(&project, json!({"pattern": "S=", "path": path})).await;
        assert!(
            !text.contains("S=1") && text.contains("skipped 1 file"),
            "{path}: {text}"
        );
    }
}
