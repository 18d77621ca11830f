//! Outputs, and where they are cut.

use super::*;

#[tokio::test]
async fn output_and_title_are_clean() {
    let result = told(json!({"what": "print", "text": "a\u{1b}[31m b\tc\r\nd\u{7}"})).await;
    assert_eq!(result.output, "a b\tc\nd");
    assert_eq!(result.title, "a b c d");
    let result = told(json!({"what": "print", "text": "世".repeat(100)})).await;
    assert!(crate::text::width::str_width(&result.title) <= 80);
    let result = told(json!({"what": "fail", "text": "`a\u{1b}[31m` is gone"})).await;
    assert_eq!(result.output, "Error: `a` is gone");
}

#[tokio::test]
async fn long_output_keeps_its_head_and_the_whole_is_in_a_private_file() {
    let text: String = (1..=2500).map(|number| number.to_string() + "\n").collect();
    let project = Harness::new();
    let orders = json!({"what": "print", "text": text});
    let result = puppet(&project, CancellationToken::new(), orders).await;
    assert!(result.ok && result.truncated);
    let path = result.output_path.unwrap();
    let end = format!("\n2000\n… 500 more lines truncated …\nFull output: {path}\n");
    assert!(result.output.starts_with("1\n2\n") && result.output.contains(&end));
    assert!(
        result
            .output
            .lines()
            .last()
            .unwrap()
            .contains("`offset` and `limit`")
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    // It can be read without asking.
    let read = project
        .run("read", json!({"file_path": path, "offset": 2400, "limit": 1}))
        .await;
    assert!(read.ok && read.output.contains("2400: 2400"), "{}", read.output);
}

#[tokio::test]
async fn one_long_line_is_cut_in_bytes_at_a_character() {
    let result = told(json!({"what": "print", "text": "世".repeat(20_000)})).await;
    assert!(
        result
            .output
            .contains("\n… 8802 more bytes truncated …\nFull output: /")
    );
    assert!(result.output.starts_with("世") && !result.output.contains('\u{fffd}'));
}

#[tokio::test]
async fn a_long_error_is_cut_as_well() {
    let result = told(json!({"what": "fail", "text": "x".repeat(100_000)})).await;
    assert!(result.truncated && result.output_path.is_some());
    assert!(result.output.len() < 53_000 && result.output.starts_with("Error: xxx"));
}

#[tokio::test]
async fn the_settings_of_a_tool_count_before_the_general_ones() {
    let project = Harness::with_settings(|settings| {
        settings.truncate.max_lines = 5;
        let own = TruncateLimits {
            max_lines: Some(0),
            ..TruncateLimits::default()
        };
        settings.truncate.per_tool.insert("list".to_owned(), own);
    });
    let orders = json!({"what": "print", "text": "x\n".repeat(50)});
    let result = puppet(&project, CancellationToken::new(), orders).await;
    assert!(!result.truncated && result.output_path.is_none());
}

#[tokio::test]
async fn the_room_left_in_the_context_bounds_what_is_dynamic() {
    let with = |dynamic: bool, used| {
        let mut project = Harness::with_settings(|settings| settings.truncate.dynamic = dynamic);
        project.context = Some(ContextUse {
            context_limit: 10_000,
            used,
        });
        project
    };
    let text = format!("{}\n", "x".repeat(39)).repeat(1000);
    let orders = json!({"what": "print", "text": text});
    let cancel = CancellationToken::new;
    let result = puppet(&with(true, 8000), cancel(), orders.clone()).await;
    let kept = result.output.lines().filter(|line| line.starts_with('x')).count();
    assert_eq!(kept, 95, "(budget of 1000 - 50) tokens of 40 characters");
    let result = puppet(&with(true, 10_000), cancel(), orders.clone()).await;
    assert_eq!(result.output, "[output suppressed: no room left in the context]");
    assert!(result.truncated && result.output_path.is_some());
    let result = puppet(&with(false, 10_000), cancel(), orders).await;
    assert!(!result.truncated);
}

#[tokio::test]
async fn an_output_that_cannot_be_kept_is_still_an_output() {
    let project = Harness::new();
    std::fs::write(project.services.tree.outputs.dir(), "in the way").unwrap();
    let orders = json!({"what": "print", "text": "x\n".repeat(3000)});
    let result = puppet(&project, CancellationToken::new(), orders).await;
    assert!(result.ok && result.truncated && result.output_path.is_none());
    assert!(
        result.output.contains("\nFull output: (could not be kept: "),
        "{}",
        result.output
    );
}
