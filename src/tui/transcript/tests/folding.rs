//! Focus, folds, jumps and copies.

use serde_json::json;

use super::scene::{Scene, lines, read_args, result};
use crate::conversation::{CallResult, ErrorKind};

fn focused_row(scene: &mut Scene) -> Option<String> {
    let rows = scene.rows(60, 20);
    rows.into_iter().find(|row| row.starts_with('┃'))
}

#[test]
fn the_focus_starts_at_the_end_of_the_screen_and_stops_at_the_ends() {
    let mut scene = Scene::default();
    scene.says("first");
    scene.answers("second");
    scene.answers("third");
    scene.draw(60, 20);
    for (step, wanted) in [
        (-1, "┃third"),
        (-1, "┃second"),
        (-1, "┃┃ first"),
        (-1, "┃┃ first"),
        (2, "┃third"),
    ] {
        scene.transcript.focus_move(step);
        assert_eq!(focused_row(&mut scene).as_deref(), Some(wanted));
    }
    scene.transcript.focus_first();
    assert_eq!(focused_row(&mut scene).as_deref(), Some("┃┃ first"));
    scene.transcript.focus_last();
    assert_eq!(scene.transcript.copy_focused().as_deref(), Some("third"));
}

#[test]
fn what_is_told_of_the_setup_takes_two_rows_until_it_is_unfolded() {
    let told = |notes: &[&str]| {
        let mut scene = Scene::default();
        let notes = notes.iter().copied().map(str::to_owned);
        scene.transcript.push_standing_notes(notes.collect());
        scene
    };
    let rows = |scene: &mut Scene| -> Vec<String> {
        let rows = scene.rows(60, 9).into_iter();
        let rows = rows.map(|row| row.trim().to_owned());
        rows.filter(|row| !row.is_empty()).collect()
    };
    assert_eq!(rows(&mut told(&["one", "two"])), ["one", "two"]);
    let long = "a word ".repeat(40);
    let mut scene = told(&[&long, "two", "three"]);
    let shown = rows(&mut scene);
    let rows = &shown;
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(rows[0].starts_with("a word a word"), "{rows:?}");
    assert!(
        rows[1].starts_with("… ") && rows[1].ends_with("/status lists notices"),
        "{rows:?}"
    );
    scene.transcript.focus_last();
    scene.transcript.toggle_fold();
    assert!(scene.rows(60, 9).iter().any(|row| row.contains("three")));
}

#[test]
fn an_edit_that_repeats_the_one_before_shows_its_title_alone() {
    let mut scene = Scene::default();
    scene.says("go");
    let args = |path: &str, new: &str| json!({"file_path": path, "old_string": "a", "new_string": new});
    let diff = json!({"diff": "@@ -1,2 +1,2 @@\n kept\n-a\n+b\n"});
    for (path, new) in [
        ("one.rs", "b"),
        ("two.rs", "b"),
        ("three.rs", "b"),
        ("four.rs", "c"),
    ] {
        scene.ran("edit", &args(path, new), result("done", diff.clone()));
    }
    let picture = scene.picture(60, 30);
    assert_eq!(picture.matches("same change").count(), 2, "{picture}");
    assert_eq!(picture.matches("kept").count(), 2, "{picture}");
    scene.transcript.fold_all();
    assert_eq!(scene.picture(60, 40).matches("kept").count(), 4);
}

#[test]
fn another_change_of_a_file_keeps_its_diff() {
    let mut scene = Scene::default();
    scene.says("go");
    let args = |path: &str| json!({"file_path": path, "old_string": "a", "new_string": "b"});
    let diff = json!({"diff": "@@ -1,2 +1,2 @@\n kept\n-a\n+b\n"});
    scene.ran("edit", &args("one.rs"), result("done", diff.clone()));
    scene.ran(
        "edit",
        &json!({"file_path": "one.rs", "content": "x"}),
        result("done", diff.clone()),
    );
    let before = scene.picture(60, 30);
    assert_eq!(before.matches("kept").count(), 2, "another change");
    assert_eq!(scene.picture(60, 30), before);
}

#[test]
fn a_focused_block_comes_on_screen() {
    let mut scene = Scene::default();
    for turn in 0..30 {
        scene.says(&format!("question {turn}"));
    }
    scene.draw(60, 8);
    for _ in 0..29 {
        scene.transcript.focus_move(-1);
    }
    let rows = scene.rows(60, 8);
    assert_eq!(rows[0], "┃┃ question 1");
    for _ in 0..10 {
        scene.transcript.focus_move(1);
    }
    let rows = scene.rows(60, 8);
    assert_eq!(rows[7], "┃┃ question 11");
}

#[test]
fn a_fold_opens_below_the_row_it_was_asked_on() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.ran(
        "bash",
        &json!({ "command": "make" }),
        result(&lines(50), json!({ "exit": 0 })),
    );
    scene.answers("after");
    let head = |rows: &[String]| rows.iter().position(|row| row.contains("Bash make"));
    let folded = scene.rows(60, 20);
    scene.transcript.focus_move(-2);
    scene.transcript.toggle_fold();
    let unfolded = scene.rows(60, 20);
    assert_eq!(head(&unfolded), head(&folded));
    assert!(
        unfolded.iter().any(|row| row.contains("line 10")),
        "{unfolded:#?}"
    );
    scene.transcript.toggle_fold();
    let again = scene.rows(60, 20);
    assert_eq!(head(&again), head(&folded));
    assert_eq!(again.len(), folded.len());
    assert!(!again.iter().any(|row| row.contains("line 10")));
}

#[test]
fn the_newest_card_is_the_last_call_wherever_the_focus_is() {
    let mut scene = Scene::default();
    scene.says("go");
    assert!(!scene.transcript.toggle_newest());
    for name in ["first", "second"] {
        let output = result(&lines(20), json!({ "exit": 0 }));
        scene.ran("bash", &json!({ "command": name }), output);
    }
    scene.reasons("one thought\nanother thought", 900);
    scene.answers("after");
    scene.says(&lines(40));
    scene.draw(60, 20);
    let is_open = |scene: &mut Scene| {
        let rows = scene.rows(60, 120);
        let head = rows.iter().position(|row| row.contains("Bash second")).unwrap();
        assert!(!rows[..head].iter().any(|row| row.contains("line 3")));
        rows[head..].iter().any(|row| row == "   line 3")
    };
    assert!(!is_open(&mut scene));
    assert!(scene.transcript.toggle_newest());
    assert!(is_open(&mut scene));
    // The focus is on the message of many lines, which folds too.
    scene.transcript.focus_last();
    assert!(scene.transcript.toggle_newest());
    assert!(!is_open(&mut scene));
}

#[test]
fn everything_unfolds_and_folds_at_once() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.reasons("first thought\nsecond thought", 900);
    for path in ["a.rs", "b.rs"] {
        scene.ran(
            "read",
            &read_args(path),
            result(&format!("text of {path}"), json!({})),
        );
    }
    scene.transcript.fold_all();
    let all = scene.picture(60, 20);
    for wanted in ["second thought", "Read 2 files", "text of a.rs", "text of b.rs"] {
        assert!(all.contains(wanted), "{wanted} in\n{all}");
    }
    scene.transcript.fold_all();
    let none = scene.picture(60, 20);
    assert!(
        !none.contains("second thought") && !none.contains("text of"),
        "{none}"
    );
    scene.transcript.toggle_reasoning();
    assert!(scene.picture(60, 20).contains("second thought"));
}

#[test]
fn jumps_find_failures_and_cards_that_want_a_look() {
    let mut scene = Scene::default();
    scene.says("go");
    let stale = CallResult::error(ErrorKind::Stale, "changed", None);
    scene.ran("edit", &read_args("a.rs"), stale);
    scene.answers("text");
    let failed = json!({ "exit": 1 });
    scene.ran("bash", &json!({ "command": "false" }), result("output", failed));
    scene.answers("text");
    scene.draw(60, 20);
    assert!(scene.transcript.next_failure(-1));
    assert_eq!(scene.transcript.copy_focused().as_deref(), Some("output"));
    assert!(scene.transcript.next_failure(-1));
    assert_eq!(scene.transcript.copy_focused().as_deref(), Some("Error: changed"));
    assert!(!scene.transcript.next_failure(-1));
    assert!(scene.transcript.next_failure(1));
    assert!(!scene.transcript.next_failure(1));
    assert!(scene.transcript.own_message(-1));
    assert_eq!(scene.transcript.copy_focused().as_deref(), Some("go"));
    assert_eq!(scene.transcript.copy_answer().as_deref(), Some("text"));
}

#[test]
fn a_long_message_of_the_person_folds() {
    let mut scene = Scene::default();
    scene.says(&lines(40));
    let folded = scene.picture(60, 50);
    assert!(
        folded.contains("29 more lines") && !folded.contains("line 12\n"),
        "{folded}"
    );
    scene.draw(60, 50);
    scene.transcript.focus_first();
    scene.transcript.toggle_fold();
    assert!(scene.picture(60, 50).contains("line 40"));
}
