//! The cards of running and finished commands, and of what the person is asked.

use serde_json::Value;

use super::*;
use crate::text::sgr::SgrStyle;
use crate::tool::{DrawnArgs, ResultSource};
use crate::view::card::{CardPart, Code, Tone, ToneSpan};

fn drawn(result: &CallResult, expanded: bool) -> Card {
    let args = json!({"command": result.details["command"]});
    Harness::new().draw_result("bash", &args, result, expanded)
}

fn body(card: &Card) -> String {
    plain(card).lines().skip(1).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_command_that_ended_well_shows_its_last_lines() {
    let card = drawn(&bash("seq 1 9").await, false);
    assert_eq!((card.title.as_str(), card.argument.as_str()), ("Bash", "seq 1 9"));
    assert_eq!(card.meta, ["9 lines"]);
    assert!(!card.look);
    assert_eq!(
        card.body,
        [
            CardPart::Omitted("6 lines above".into()),
            CardPart::Text("7\n8\n9".into())
        ]
    );
    assert_eq!(drawn(&bash("true").await, false).body, []);
}

#[tokio::test]
async fn a_command_that_failed_shows_the_lines_that_say_why() {
    let script = "seq 1 1106; echo 'test retry::jitter ... FAILED'; seq 1 1833; \
                  echo \"thread 'x' panicked at a.rs:1:2:\"; \
                  echo 'assertion failed'; seq 1 67; echo 'c ... FAILED'; echo; echo 'test result: FAILED. 1 failed'; exit 101";
    let card = drawn(&bash(script).await, false);
    assert!(card.look);
    assert_eq!(
        card.meta,
        ["exit 101", "3,012 lines", "the model saw the last 2,000"]
    );
    let body = body(&card);
    for part in [
        "… 1,106 lines above",
        " 1107 test retry::jitter ... FAILED",
        "… 1,833 lines between",
        " 2941 thread 'x' panicked at a.rs:1:2:",
        " 2942 assertion failed",
        "… 69 lines between, 1 mentions a failure",
        " 3012 test result: FAILED. 1 failed",
    ] {
        assert!(body.contains(part), "{part}\n{body}");
    }
    assert!(
        !body.contains("[exit code") && !body.contains("truncated"),
        "{body}"
    );
}

#[tokio::test]
async fn a_failed_python_test_shows_its_assertion_and_no_frame() {
    let script = "seq 1 9; echo 'FAIL: test_a (t.T)'; echo 'Traceback (most recent call last):'; \
                  echo '  File \"errors.py\", line 5, in test_a'; echo '    self.assertEqual(1, 2)'; \
                  echo 'AssertionError: 1 != 2'; seq 1 9; echo 'FAILED (failures=1)'; exit 1";
    let body = body(&drawn(&bash(script).await, false));
    assert!(body.contains("   14 AssertionError: 1 != 2"), "{body}");
    assert!(
        !body.contains("Traceback") && !body.contains("errors.py") && !body.contains("assertEqual"),
        "{body}"
    );
}

#[tokio::test]
async fn failures_are_told_from_counts_of_none() {
    let script = "seq 1 9; echo '# fail 0'; echo '0 failed'; echo 'FAIL  a title'; seq 1 9; exit 1";
    let body = body(&drawn(&bash(script).await, false));
    assert!(
        body.contains("   12 FAIL  a title") && !body.contains("mentions a"),
        "{body}"
    );
}

#[tokio::test]
async fn a_short_failure_is_shown_whole() {
    let card = drawn(&bash("echo no; exit 1").await, false);
    assert_eq!(card.meta, ["exit 1"]);
    assert_eq!(card.body, [CardPart::Text("no".into())]);
    assert_eq!(drawn(&bash("exit 1").await, false).body, []);
}

#[tokio::test]
async fn expanded_shows_the_command_and_all_of_the_output() {
    let card = drawn(&bash("seq 1 9").await, true);
    let code = CardPart::Code(Code {
        text: "seq 1 9".into(),
        language: "bash".into(),
        first_line: None,
        wraps: true,
    });
    assert_eq!(card.body[0], code);
    assert_eq!(card.body[1], CardPart::Text("1\n2\n3\n4\n5\n6\n7\n8\n9".into()));
}

#[tokio::test]
async fn expanded_counts_the_lines_that_were_cut_where_they_are_missing() {
    let card = drawn(&bash("seq 3000").await, true);
    assert_eq!(card.body[1], CardPart::Omitted("1,000 lines above".into()));
    let CardPart::Text(text) = &card.body[2] else {
        panic!("no output: {card:?}")
    };
    assert!(text.starts_with("1001\n1002\n") && text.ends_with("\n3000"));
    let card = drawn(&bash("head -c 60000 /dev/zero | tr '\\0' x").await, true);
    assert_eq!(
        card.body[1],
        CardPart::Omitted("the beginning of the line".into())
    );
}

#[test]
fn a_running_command_shows_its_last_eight_lines_and_the_one_it_is_in() {
    let project = Harness::new();
    let text: String = (1..=10).map(|number| number.to_string() + "\n").collect();
    let card = running(&project, &text, 10, "100 %", false);
    assert_eq!(
        card.body,
        [
            CardPart::Omitted("2 lines above".into()),
            CardPart::Text("3\n4\n5\n6\n7\n8\n9\n10\n100 %".into())
        ]
    );
    assert!(!card.look && card.meta.is_empty());
}

/// A running command of whose output this text is left.
fn running(project: &Harness, text: &str, lines: u64, pending: &str, expanded: bool) -> Card {
    let details = Details {
        command: "make".into(),
        pending: pending.into(),
        lines,
        ..Details::default()
    };
    running_with(project, text, &details, expanded)
}

fn running_with(project: &Harness, text: &str, details: &Details, expanded: bool) -> Card {
    let details = serde_json::to_value(details).unwrap();
    let source = ResultSource::Running {
        text,
        details: &details,
    };
    let cx = RenderCx::new(expanded);
    project
        .registry
        .render_result("bash", DrawnArgs::whole(&Value::Null), source, cx)
}

fn in_ink(sgr: &str, text: &str) -> ToneSpan {
    ToneSpan::new(Tone::Printed(SgrStyle::from(sgr.to_owned())), text)
}

#[test]
fn a_running_command_shows_its_colours() {
    let project = Harness::new();
    let text: String = (3001..=3010).map(|number| number.to_string() + "\n").collect();
    let sgr = |sgr: &str| SgrStyle::from(sgr.to_owned());
    let details = Details {
        command: "make".into(),
        pending: "100 %".into(),
        lines: 3010,
        styles: vec![
            (3000, 0, 4, sgr("32")).into(),
            (3009, 2, 4, sgr("1;31")).into(),
            (3010, 0, 3, sgr("7")).into(),
        ],
        ..Details::default()
    };
    let Some(CardPart::Printed(lines)) = running_with(&project, &text, &details, false).body.pop() else {
        panic!("no colours")
    };
    assert_eq!(lines[0].spans, [ToneSpan::new(Tone::Normal, "3003")]);
    assert_eq!(
        [&lines[7].spans, &lines[8].spans],
        [
            &[ToneSpan::new(Tone::Normal, "30"), in_ink("1;31", "10")],
            &[in_ink("7", "100"), ToneSpan::new(Tone::Normal, " %")]
        ]
    );
    let Some(CardPart::Printed(lines)) = running_with(&project, &text, &details, true).body.pop() else {
        panic!("no colours")
    };
    assert_eq!(lines.len(), 11);
    assert_eq!(lines[0].spans, [in_ink("32", "3001")]);
}

#[tokio::test]
async fn a_command_that_ended_shows_its_colours() {
    let paint = |exit| format!("seq 9; printf '\\033[31mit failed\\033[m here\\n'; seq 3; exit {exit}");
    let card = drawn(&bash(&paint(0)).await, false);
    assert_eq!(
        card.body[1],
        CardPart::Text("1\n2\n3".into()),
        "no colour, no spans"
    );
    let card = drawn(&bash(&paint(1)).await, false);
    let CardPart::Lines(rows) = &card.body[1] else {
        panic!("no rows: {card:?}")
    };
    let row = vec![
        ToneSpan::aside(Tone::Muted, "   10 "),
        in_ink("31", "it failed"),
        ToneSpan::new(Tone::Normal, " here"),
    ];
    assert_eq!(rows[0].spans, row);
    let card = drawn(&bash(&paint(0)).await, true);
    let CardPart::Printed(lines) = &card.body[1] else {
        panic!("no colours: {card:?}")
    };
    assert_eq!((lines.len(), lines[9].len()), (13, 2));
}

#[tokio::test]
async fn colours_stand_where_they_did_in_what_was_cut() {
    let command = "seq 2990; printf '\\033[32mgreen\\033[m\\n'; seq 9";
    let card = drawn(&bash(command).await, true);
    let Some(CardPart::Printed(lines)) = card.body.last() else {
        panic!("no colours: {card:?}")
    };
    let at = lines
        .iter()
        .position(|line| line.spans == [in_ink("32", "green")]);
    assert_eq!((lines.len(), at), (2000, Some(1990)));
}

#[test]
fn the_count_of_a_running_command_is_of_all_that_it_printed() {
    let project = Harness::new();
    let text: String = (3001..=3010).map(|number| number.to_string() + "\n").collect();
    let said = |text: &str, expanded| {
        let parts = running(&project, text, 3010, "", expanded).body;
        let said = parts
            .into_iter()
            .find(|part| matches!(part, CardPart::Omitted(_)));
        said.unwrap()
    };
    assert_eq!(said(&text, false), CardPart::Omitted("3,002 lines above".into()));
    assert_eq!(said(&text, true), CardPart::Omitted("3,000 lines above".into()));
    // A line that stands for others is neither shown as output nor counted as one of it.
    let text = format!("1\n2\n… 2998 lines too fast to show …\n{text}");
    assert_eq!(said(&text, true), CardPart::Omitted("3,000 lines above".into()));
}

#[test]
fn a_call_can_be_drawn_from_every_beginning_of_its_arguments() {
    let project = Harness::new();
    let args = json!({"command": "for f in *; do\n  echo \"$f\" 世\ndone", "timeout": 5}).to_string();
    let mut longest = 0;
    for end in (0..=args.len()).filter(|end| args.is_char_boundary(*end)) {
        let card = project.draw_call("bash", &args[..end]);
        assert_eq!(card.title, "Bash");
        let height = plain(&card).lines().count();
        assert!(height >= longest, "a card never gets shorter: {}", &args[..end]);
        longest = height;
    }
    let card = project.draw_call("bash", &args);
    assert_eq!(card.argument, "for f in *; do");
}

#[test]
fn the_question_shows_hidden_characters() {
    let card = command_question("Bash", ".", "true \u{1b}[8m; rm -rf x\u{202e}", Some("because"));
    let CardPart::Code(code) = &card.body[0] else {
        panic!("{card:?}");
    };
    assert_eq!(
        code.text, "true \u{1b}[8m; rm -rf x\u{202e}",
        "the question reveals it"
    );
    assert!(plain(&card).contains("because"));
}

#[test]
fn old_details_can_still_be_drawn() {
    let details: Value = json!({"command": "x", "exit": 0, "duration_ms": 1, "timed_out": false, "workdir": ".",
                                "bytes": 2, "lines": 1, "pid": 7});
    assert!(serde_json::from_value::<Details>(details).is_ok());
}

#[test]
fn a_running_command_tells_its_limit_to_the_status_line() {
    let project = Harness::new();
    let details = Details {
        command: "make".into(),
        limit_ms: Some(120_000),
        ..Details::default()
    };
    let card = running_with(&project, "", &details, false);
    assert_eq!(card.limit, Some(Duration::from_mins(2)));
    assert!(card.meta.is_empty(), "the card itself shows none");
}
