//! The reader's place.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;

use super::scene::{Scene, lines, read_args, result, rows, user};
use crate::conversation::{
    CallId, CallResult, ErrorKind, MessageState, Notice, NoticeKind, Part, PartBody, Role,
};
use crate::permission::Inquiry;
use crate::question::Question;
use crate::session::{Event, SettledQuestion, TurnEndReason};
use crate::tui::transcript::RedrawUrgency;
use crate::view::card::Card;

/// A conversation of so many turns, each of five rows.
fn long(turns: usize) -> Scene {
    let mut scene = Scene::default();
    for turn in 0..turns {
        scene.says(&format!("question {turn}"));
        scene.answers(&format!("answer {turn}"));
        scene.turn_ends(TurnEndReason::Cancelled);
    }
    scene
}

#[test]
fn the_tail_is_followed_until_the_reader_scrolls() {
    let mut scene = long(20);
    let part = scene.text_part();
    scene.draw(40, 10);
    scene.delta(part, "one\n\ntwo\n\nthree");
    assert!(scene.picture(40, 10).ends_with("three"));
    scene.transcript.scroll_by(-4);
    let before = scene.rows(40, 10);
    assert!(!scene.transcript.is_at_end());
    scene.delta(part, "\n\nfour\n\nfive");
    assert_eq!(scene.rows(40, 10), before);
    assert_eq!(scene.transcript.unseen(), 1);
    scene.answers("a new block");
    assert_eq!(scene.transcript.unseen(), 1);
    scene.answers("another one");
    assert_eq!(scene.transcript.unseen(), 2);
    scene.transcript.to_end();
    assert!(scene.picture(40, 10).ends_with("another one"));
    assert_eq!(scene.transcript.unseen(), 0);
}

#[test]
fn scrolling_down_to_the_last_row_follows_again() {
    let mut scene = long(20);
    scene.draw(40, 10);
    scene.transcript.page(-1);
    scene.draw(40, 10);
    assert!(!scene.transcript.is_at_end());
    scene.transcript.page(1);
    scene.draw(40, 10);
    assert!(scene.transcript.is_at_end());
}

#[test]
fn a_page_leaves_one_row_in_sight() {
    let mut scene = long(20);
    let last = scene.rows(40, 10);
    scene.transcript.page(-1);
    let before = scene.rows(40, 10);
    assert_eq!(before.last(), last.first());
    scene.transcript.page(-1);
    scene.transcript.page(1);
    assert_eq!(scene.rows(40, 10), before);
}

#[test]
fn the_start_and_the_end_are_one_step_away() {
    let mut scene = long(20);
    scene.transcript.to_start();
    assert_eq!(scene.rows(40, 10)[0], " ┃ question 0");
    scene.transcript.to_end();
    assert_eq!(scene.rows(40, 10)[9], " ■ interrupted");
}

#[test]
fn a_block_above_the_reader_moves_nothing_when_it_changes() {
    let mut scene = Scene::default();
    scene.says("go");
    let call = scene.calls("bash", &json!({ "command": "make" }));
    scene.runs(&call);
    scene.answers(&lines(40).replace('\n', "\n\n"));
    scene.draw(40, 10);
    scene.transcript.scroll_by(-20);
    let before = scene.rows(40, 10);
    scene.prints(&call, &lines(8));
    assert_eq!(scene.rows(40, 10), before);
    scene.ends(&call, "bash", result("", json!({})));
    assert_eq!(scene.rows(40, 10), before);
}

#[test]
fn what_stands_below_a_card_follows_it_when_it_gets_shorter() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.answers(&lines(9).replace('\n', "\n\n"));
    let call = scene.calls("bash", &json!({ "command": "make" }));
    scene.runs(&call);
    scene.prints(&call, &lines(8));
    scene.answers("below");
    let at = |rows: &[String], text: &str| rows.iter().position(|row| row.contains(text));
    let before = scene.rows(40, 20);
    scene.ends(&call, "bash", result("done", json!({})));
    let after = scene.rows(40, 20);
    assert_eq!(at(&after, "Bash"), at(&before, "Bash"), "{after:#?}");
    assert_eq!(
        at(&after, "below"),
        at(&before, "below").map(|row| row - 7),
        "{after:#?}"
    );
    scene.says("next");
    let next = scene.rows(40, 20);
    assert_eq!(at(&next, "below"), at(&after, "below"), "{next:#?}");
    let lower = scene.rows(40, 18);
    assert_eq!(
        at(&lower, "below"),
        at(&after, "below"),
        "a lower screen takes the empty rows: {lower:#?}"
    );
    assert_eq!(scene.rows(40, 20), next, "and gives them back");
}

#[test]
fn rows_that_a_card_left_are_filled_by_what_comes_and_nothing_above_moves() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.answers("above");
    let call = scene.calls("bash", &json!({ "command": "make" }));
    scene.runs(&call);
    scene.prints(&call, &lines(8));
    let at = |rows: &[String], text: &str| rows.iter().position(|row| row.contains(text));
    let above = at(&scene.rows(40, 14), " above").expect("it is drawn");
    scene.ends(&call, "bash", result(&lines(1), json!({})));
    assert_eq!(at(&scene.rows(40, 14), " above"), Some(above));
    scene.answers("one\n\ntwo\n\nthree");
    let rows = scene.rows(40, 14);
    assert_eq!(at(&rows, " above"), Some(above), "{rows:#?}");
    assert_eq!(at(&rows, " three"), Some(11), "{rows:#?}");
    scene.answers(&lines(9).replace('\n', "\n\n"));
    let rows = scene.rows(40, 14);
    assert_eq!(at(&rows, " above"), None, "the gap is used up: {rows:#?}");
}

#[test]
fn a_short_turn_without_calls_ends_with_its_time_instead_of_an_empty_row() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.answers("at once");
    scene.turn_ends(TurnEndReason::Stop);
    scene.says("next");
    let rows = scene.rows(40, 14);
    let at = rows.iter().position(|row| row.contains(" at once")).unwrap();
    assert_eq!(rows[at + 2].trim(), "0.0s", "{rows:#?}");
    assert!(rows[at + 4].contains(" next"), "{rows:#?}");
}

#[test]
fn another_width_keeps_about_the_same_text_on_top() {
    let mut scene = Scene::default();
    scene.says("go");
    let words: Vec<String> = (0..900).map(|word| format!("w{word:03}")).collect();
    scene.answers(&words.join(" "));
    scene.draw(80, 10);
    scene.transcript.scroll_by(-20);
    let word = |row: &str| row.trim()[1..4].parse::<usize>().expect("a word");
    let wide = word(&scene.rows(80, 10)[0]);
    let narrow = word(&scene.rows(40, 10)[0]);
    assert!(wide.abs_diff(narrow) < 20, "{wide} {narrow}");
}

#[test]
fn a_wider_screen_leaves_no_hole_where_more_rows_were() {
    let mut scene = long(3);
    scene.answers(&"a rather long text in one paragraph ".repeat(30));
    scene.draw(40, 20);
    let wide = scene.rows(120, 20);
    assert!(!wide.last().is_some_and(|row| row.trim().is_empty()), "{wide:#?}");
}

#[test]
fn a_cut_reply_and_its_notice_say_once_that_it_was_interrupted() {
    let mut scene = Scene::default();
    scene.says("question");
    scene.answers("half");
    let _ = scene.text_part();
    scene.reply_ends(MessageState::Cut, None);
    let mut notice = user("");
    notice.role = Role::Assistant;
    notice.parts = vec![Part {
        seq: 900,
        body: PartBody::Notice(Notice {
            kind: NoticeKind::Interrupted,
            text: "interrupted".to_owned(),
        }),
    }];
    scene.apply(&Event::MessageStarted(Arc::new(notice)));
    scene.turn_ends(TurnEndReason::Cancelled);
    assert_eq!(scene.picture(60, 20).matches("interrupted").count(), 1);
}

#[test]
fn an_event_says_how_soon_it_wants_to_be_drawn() {
    let mut scene = Scene::default();
    assert_eq!(scene.apply(&Event::Title("x".to_owned())), RedrawUrgency::None);
    assert_eq!(scene.apply(&Event::TurnStarted), RedrawUrgency::Urgent);
    let part = scene.text_part();
    assert_eq!(scene.delta(part, "a"), RedrawUrgency::Soft);
    assert_eq!(scene.delta(part + 1, "a"), RedrawUrgency::None);
}

#[test]
fn only_what_runs_on_screen_asks_for_frames() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.draw(40, 10);
    assert!(
        !scene.transcript.animated(),
        "the status line says what is waited for"
    );
    let call = scene.calls("bash", &json!({ "command": "make" }));
    scene.draw(40, 10);
    assert!(!scene.transcript.animated());
    scene.runs(&call);
    scene.draw(40, 10);
    assert!(scene.transcript.animated());
    scene.answers(&lines(40).replace('\n', "\n\n"));
    scene.draw(40, 10);
    assert!(!scene.transcript.animated());
}

#[test]
fn a_thought_stands_apart_from_the_calls_of_the_step_before() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.reasons("first", 400);
    scene.ran("glob", &json!({"pattern": "*"}), result("a", json!({})));
    scene.reasons("second", 400);
    let rows = scene.rows(60, 12);
    let row = |word: &str| rows.iter().position(|row| row.contains(word)).unwrap();
    assert_eq!(row("●"), row("first") + 1, "{rows:#?}");
    assert!(
        row("second") > row("●") + 1 && rows[row("second") - 1].trim().is_empty(),
        "{rows:#?}"
    );
}

#[test]
fn reads_that_follow_one_another_share_a_row() {
    let mut scene = Scene::default();
    scene.says("go");
    for path in ["a.rs", "b.rs", "c.rs"] {
        scene.ran("read", &read_args(path), result("text", json!({})));
    }
    let read_rows = |scene: &mut Scene| {
        let rows = scene.rows(60, 10);
        rows.into_iter()
            .filter(|row| row.contains("Read"))
            .collect::<Vec<_>>()
    };
    let shared = read_rows(&mut scene);
    assert_eq!(shared.len(), 1, "{shared:?}");
    assert!(
        shared[0].contains("Read 3 files") && shared[0].contains("a.rs, b.rs, c.rs"),
        "{shared:?}"
    );
    let fourth = scene.calls("read", &read_args("d.rs"));
    assert!(read_rows(&mut scene)[0].starts_with(" ○ Read 4 files"));
    scene.runs(&fourth);
    assert!(read_rows(&mut scene)[0].starts_with(" ⠋ Read 4 files"));
    assert!(scene.transcript.animated());
    scene.ends(
        &fourth,
        "read",
        CallResult::error(ErrorKind::NotFound, "no", None),
    );
    let apart = read_rows(&mut scene);
    assert_eq!(apart.len(), 2, "{apart:?}");
    assert!(
        apart[0].contains("Read 3 files") && apart[1].contains('✗'),
        "{apart:?}"
    );
}

#[test]
fn a_group_goes_on_without_its_first_call() {
    let mut scene = Scene::default();
    scene.says("go");
    let first = scene.calls("read", &read_args("a.rs"));
    scene.calls("read", &read_args("b.rs"));
    scene.calls("read", &read_args("c.rs"));
    let error = CallResult::error(ErrorKind::NotFound, "no", None);
    scene.ends(&first, "read", error);
    let rows = scene.rows(60, 10);
    let row = rows
        .iter()
        .position(|row| row.contains('✗'))
        .expect("the failed call has a row");
    assert!(
        rows[row].contains("a.rs") && rows[row + 1..].iter().any(|row| row.contains("Read 2 files")),
        "{rows:#?}"
    );
}

#[test]
fn nothing_is_drawn_outside_the_area() {
    let mut scene = long(9);
    let mut buffer = Buffer::filled(Rect::new(0, 0, 30, 12), ratatui::buffer::Cell::new("#"));
    for y in 2..10 {
        for x in 3..25 {
            buffer[(x, y)].reset();
        }
    }
    scene.draw_in(Rect::new(3, 2, 22, 8), &mut buffer, true);
    let drawn = rows(&buffer);
    assert!(
        drawn[..2]
            .iter()
            .chain(&drawn[10..])
            .all(|row| row == &"#".repeat(30))
    );
    assert!(
        drawn[2..10]
            .iter()
            .all(|row| row.starts_with("###") && row.ends_with("#####"))
    );
}

#[test]
fn a_part_of_an_unknown_kind_has_a_line() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.part(PartBody::Unknown(json!({ "type": "hologram", "x": 1 })));
    assert!(scene.picture(60, 10).contains("`hologram`"));
}

#[test]
fn a_call_with_an_open_question_says_so_and_leaves_its_group() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.ran("read", &read_args("a.rs"), result("text", json!({})));
    let call = scene.calls("read", &read_args(".env"));
    let question = question(&call);
    scene.apply(&Event::Asked(Arc::clone(&question)));
    let asking = scene.picture(60, 10);
    assert!(
        asking.contains("● Read a.rs") && asking.contains("? Read .env"),
        "{asking}"
    );
    assert!(
        scene.transcript.next_failure(-1),
        "a question is found like a failure"
    );
    let settled = SettledQuestion {
        id: question.id,
        call: call.clone(),
        permission: None,
    };
    scene.apply(&Event::Settled(settled));
    assert!(scene.picture(60, 10).contains("○ Read .env"));
    scene.runs(&call);
    assert!(scene.picture(60, 10).contains("⠋ Read .env"));
}

#[test]
fn the_end_of_a_turn_tells_its_time_without_the_persons() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.wait(1_000);
    let call = scene.calls("read", &read_args(".env"));
    let question = question(&call);
    scene.apply(&Event::Asked(Arc::clone(&question)));
    scene.wait(60_000);
    let settled = SettledQuestion {
        id: question.id,
        call: call.clone(),
        permission: None,
    };
    scene.apply(&Event::Settled(settled));
    scene.runs(&call);
    scene.wait(2_000);
    scene.ends(&call, "read", result("text", json!({})));
    scene.turn_ends(TurnEndReason::Stop);
    let picture = scene.picture(60, 12);
    assert!(picture.contains("  3.0s · 1 call"), "{picture}");
    scene
        .transcript
        .note_turn_changes("2 files +3 −1 · ctrl+x d".to_owned());
    let picture = scene.picture(60, 12);
    assert!(
        picture.contains("  3.0s · 1 call · 2 files +3 −1 · ctrl+x d"),
        "{picture}"
    );
}

/// A question about a call.
fn question(call: &CallId) -> Arc<Question> {
    let mut question = Question::sample(Inquiry {
        tool: "read".to_owned(),
        delegated: None,
        rows: Vec::new(),
        title: "read wants to open".to_owned(),
        card: Card::default(),
        directory: "/p".into(),
        sandbox: None,
        editable: None,
    });
    question.call = call.clone();
    question.shared()
}
