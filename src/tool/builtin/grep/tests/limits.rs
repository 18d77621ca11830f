//! Limits of a search: matches, length, depth and time.

use super::*;

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
        text.starts_with("Found 50000+ matches in 500+ files\n\n100+  d0/f000\n"),
        "{text}"
    );
    assert!(text.contains("(3 of 500+ files shown"), "{text}");
    let text = grep(&project, args("files_with_matches")).await;
    assert!(text.starts_with("Found 500+ files\n"), "{text}");
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

#[tokio::test]
async fn a_huge_file_that_is_named_fills_no_memory_and_is_told_of() {
    let project = tree();
    // Without bytes on the disk; all of it would be read.
    let sparse = fs::File::create(project.path("sparse")).unwrap();
    sparse.set_len(20 << 30).unwrap();
    let text = grep(
        &project,
        json!({"pattern": "a.b", "path": "sparse", "multiline": true}),
    )
    .await;
    assert_eq!(
        text,
        "No matches found\n\nsparse was not searched: with `multiline` a file may have 64 MiB"
    );
    project.write("line", [b"needle\n".to_vec(), vec![b'a'; 65 << 20]].concat());
    let text = grep(&project, json!({"pattern": "needle", "path": "line"})).await;
    assert_eq!(
        text,
        "Found 1 match in 1 file\n\nline\n  1: needle\n\n\
         line was not searched to its end: a line of it has more than 64 MiB"
    );
}

#[tokio::test]
async fn a_match_of_very_many_lines_is_not_kept_whole() {
    let project = Harness::with_settings(|settings| {
        settings.truncate.max_lines = 0;
        settings.truncate.max_bytes = 0;
    });
    project.write("lines", "\n".repeat(100_000));
    let args = json!({"pattern": "(?s).*", "path": "lines", "multiline": true});
    let text = grep(&project, args).await;
    assert!(text.starts_with("Found 1 match in 1 file"), "{text:.200}");
    assert!(text.lines().count() < 21_000, "{}", text.lines().count());
}
