use serde_json::{Value, json};

use super::*;
use crate::tool::harness::Harness;
use crate::view::card::plain;

fn two() -> Value {
    json!({"questions": [
        {"question": "Which database?", "header": "Database", "options": [
            {"label": "Postgres", "description": "as in production"},
            {"label": "SQLite"},
        ], "default": "SQLite"},
        {"question": "Which parts?", "options": ["api", "web"], "multiple": true},
    ]})
}

/// Returns the questions that are asked, after all coercions.
fn asked(args: &Value) -> Value {
    let project = Harness::new();
    let resolved = project.resolve("question", &args.to_string());
    assert!(resolved.fits(), "{args} became {}", resolved.args);
    resolved.args
}

#[tokio::test]
async fn answers_come_back_one_line_a_question() {
    let project = Harness::filled_in(|sheet| {
        assert_eq!(sheet.title, "build has 2 questions");
        assert_eq!(sheet.questions[0].default, Some(1));
        FormReply::Answers(vec![
            FormAnswer {
                picked: vec![0],
                words: None,
            },
            FormAnswer {
                picked: vec![0, 1],
                words: Some("and the\tdocs".to_owned()),
            },
        ])
    });
    let result = project.run("question", two()).await;
    assert!(result.ok);
    assert_eq!(
        result.output,
        "\"Which database?\" = \"Postgres\"\n\"Which parts?\" = \"api\", \"web\", \"and the docs\""
    );
    assert_eq!(
        result.details,
        json!({"answers": [["Postgres"], ["api", "web", "and the docs"]], "custom": [false, true], "defaulted": false})
    );
    assert_eq!(result.title, "2 of 2 answered");
    assert_eq!(project.asked(), [], "asking needs no permission");
}

#[tokio::test]
async fn what_is_left_out_is_unanswered() {
    let project = Harness::filled_in(|_| FormReply::Answers(vec![FormAnswer::default()]));
    let result = project.run("question", two()).await;
    assert_eq!(
        result.output,
        "\"Which database?\" = unanswered\n\"Which parts?\" = unanswered"
    );
    assert_eq!(result.details["answers"], json!([[], []]));
}

#[tokio::test]
async fn with_nobody_there_defaults_are_used_at_once() {
    let project = Harness::new();
    let result = project.run("question", two()).await;
    assert!(result.ok);
    assert_eq!(
        result.output,
        "No user is present; defaults were used.\n\"Which database?\" = \"SQLite\"\n\"Which parts?\" = unanswered"
    );
    assert_eq!(result.details["defaulted"], true);
}

#[tokio::test]
async fn a_default_may_be_in_other_letters_or_in_own_words() {
    let project = Harness::new();
    for (default, answer) in [("sqlite", "SQLite"), ("Oracle", "Oracle")] {
        let mut args = two();
        args["questions"][0]["default"] = json!(default);
        let result = project.run("question", args).await;
        assert_eq!(result.details["answers"][0], json!([answer]));
        assert_eq!(result.details["custom"][0], answer == "Oracle");
    }
    let closed = json!({"question": "Go?", "options": ["yes"], "custom": false, "default": "no"});
    let (kind, text) = project.error("question", closed).await;
    assert_eq!(kind, ErrorKind::InvalidArgs);
    assert!(
        text.contains("`questions[0].default` is `no`, which is none of its options"),
        "{text}"
    );
}

#[tokio::test]
async fn a_dismissed_question_is_rejected_without_a_word() {
    let project = Harness::filled_in(|_| FormReply::Dismissed);
    let result = project.run("question", two()).await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Rejected));
    assert_eq!(result.details["error"].get("message"), None, "so the turn ends");
}

#[tokio::test]
async fn a_cancelled_call_stops_waiting() {
    let project = Harness::filled_in(|_| FormReply::Withdrawn);
    let (kind, _) = project.error("question", two()).await;
    assert_eq!(kind, ErrorKind::Cancelled);
}

#[test]
fn one_question_may_stand_without_a_list() {
    let wanted = json!({"questions": [{"question": "Which?", "options": [{"label": "a"}, {"label": "b"}]}]});
    for given in [
        json!({"questions": [{"question": "Which?", "options": ["a", "b"]}]}),
        json!({"questions": {"question": "Which?", "options": ["a", {"label": "b"}]}}),
        json!({"question": "Which?", "options": ["a", "b"]}),
        json!({"Question": "Which?", "Options": "[\"a\", \"b\"]"}),
        json!({"question": {"question": "Which?", "options": ["a", "b"]}}),
        json!({"questions": "[{\"question\": \"Which?\", \"options\": [\"a\", \"b\"]}]"}),
    ] {
        assert_eq!(asked(&given), wanted);
    }
    assert_eq!(
        asked(&json!({"questions": ["Why?"]})),
        json!({"questions": [{"question": "Why?"}]})
    );
    assert_eq!(
        asked(
            &json!({"question": "Why?", "multiSelect": true, "header": "W", "custom": "false", "options": 3})
        ),
        json!({"questions": [{"question": "Why?", "multiple": true, "header": "W", "custom": false,
            "options": [{"label": "3"}]}]})
    );
}

#[tokio::test]
async fn a_header_is_cut_and_nothing_hidden_comes_through() {
    let project = Harness::filled_in(|sheet| {
        assert_eq!(sheet.questions[0].header, "h".repeat(30));
        assert_eq!(sheet.questions[0].question, "two lines");
        assert!(!sheet.questions[0].options[0].label.contains('\u{1b}'));
        FormReply::Answers(Vec::new())
    });
    let args = json!({"question": "two\nlines", "header": "h".repeat(40), "options": ["\u{1b}[31mred"]});
    project.ok("question", args).await;
}

#[tokio::test]
async fn without_options_own_words_are_taken_whatever_is_said() {
    let project = Harness::filled_in(|sheet| {
        assert_eq!(sheet.questions[0].own_words.as_deref(), Some("your answer"));
        FormReply::Answers(Vec::new())
    });
    project
        .ok("question", json!({"question": "Why?", "custom": false}))
        .await;
}

#[tokio::test]
async fn limits_and_empty_texts_are_told() {
    let project = Harness::new();
    let many = vec![json!({"question": "q"}); 9];
    for (args, said) in [
        (json!({"questions": many}), "has 9 questions"),
        (json!({"questions": []}), "has 0 questions"),
        (
            json!({"question": "q", "options": vec!["o"; 11]}),
            "`questions[0].options` has 11 options",
        ),
        (json!({"question": " "}), "`questions[0].question` is empty"),
        (json!({"question": "q", "options": [""]}), "has no label"),
        (json!({"options": ["a"]}), "`questions` is missing"),
    ] {
        let (kind, text) = project.error("question", args).await;
        assert_eq!(kind, ErrorKind::InvalidArgs);
        assert!(text.contains(said), "{text}");
    }
}

#[tokio::test]
async fn the_card_is_a_list_of_questions_and_answers() {
    let project = Harness::new();
    let result = project.run("question", two()).await;
    let card = project.draw_result("question", &two(), &result, false);
    assert_eq!(
        (card.title.as_str(), card.argument.as_str()),
        ("Question", "2 questions")
    );
    let text = plain(&card);
    assert!(
        text.contains("Which database?\n") && text.contains("› SQLite"),
        "{text}"
    );
    assert!(text.contains("› unanswered"), "{text}");
    let before = project.draw_call("question", &two().to_string());
    assert_eq!(
        plain(&before).lines().count(),
        text.lines().count(),
        "a card never gets shorter"
    );
    let streaming = project.draw_call("question", "{\"questions\": [{\"question\": \"Which d");
    assert_eq!(streaming.argument, "Which d");
}
