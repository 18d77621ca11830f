//! Whole frames with a dialog, of all sizes that a terminal commonly has.

use super::asking::{call_of, of_child};
use super::pictures::picture;
use super::*;
use crate::permission::DeletedFiles;
use crate::permission::PermissionKey;

const SIZES: [(u16, u16); 4] = [(60, 20), (80, 24), (120, 36), (200, 60)];

#[track_caller]
fn pictures(driver: &mut Driver, name: &str) {
    for size in SIZES {
        picture(driver, &format!("dialog_{name}"), size);
    }
}

/// A conversation whose last call asks.
fn asked(args: &serde_json::Value, inquiry: Question<Inquiry>) -> Driver {
    let mut driver = Driver::with_tools();
    let message = message(Role::User, "make the retry test deterministic");
    driver.event(Event::MessageStarted(message));
    driver.event(Event::TurnStarted);
    call_of(&mut driver, &inquiry, args);
    driver.ask(inquiry);
    driver.hear();
    driver
}

/// May be edited as a whole.
fn editable(mut question: Question<Inquiry>, args: &serde_json::Value) -> Question<Inquiry> {
    let args = args.as_object().expect("calls have named arguments").clone();
    let editable = crate::permission::Editable::new(args, Some("command"));
    question.about.editable = Some(editable);
    question
}

fn asked_command(command: &str, asks: Vec<Ask>) -> Driver {
    let args = serde_json::json!({ "command": command });
    let inquiry = inquiry("bash", "bash wants to run", asks, bash_card(command));
    asked(&args, editable(inquiry, &args))
}

fn one_command() -> Driver {
    let command = "cargo test -p retry";
    asked_command(
        command,
        vec![Ask::new(PermissionKey::BASH, Subject::new(command)).always("cargo test *")],
    )
}

fn pipeline() -> Driver {
    let destructive = |command: &str, deletes| Ask {
        destructive: true,
        deletes,
        ..Ask::new(PermissionKey::BASH, Subject::new(command)).always(command)
    };
    let counted = DeletedFiles {
        files: 212,
        is_all: true,
        is_here: true,
    };
    let asks = vec![
        Ask::new(PermissionKey::BASH, Subject::new("cargo test -p retry")).always("cargo test *"),
        destructive("rm -rf target/tmp", Some(counted)),
        destructive("git push --force", None),
    ];
    asked_command(
        "cargo test -p retry 2>&1 | tail -5 && rm -rf target/tmp && git push --force",
        asks,
    )
}

#[test]
fn one_command_permissions() {
    pictures(&mut one_command(), "command");
}

#[test]
fn a_pipeline_says_what_it_destroys() {
    pictures(&mut pipeline(), "pipeline");
}

#[test]
fn always_lists_what_it_would_store() {
    let mut driver = pipeline();
    driver.press("a");
    pictures(&mut driver, "always");
}

#[test]
fn why_names_rules_and_how_to_revoke() {
    let mut driver = pipeline();
    driver.press("d");
    pictures(&mut driver, "why");
}

#[test]
fn a_diff_of_300_rows_asks() {
    let rows = (0..100).map(|row| format!(" before {row}\n-    old({row});\n+    new({row});\n"));
    let unified = format!(
        "--- a/src/retry.rs\n+++ b/src/retry.rs\n@@ -1,200 +1,200 @@\n{}",
        rows.collect::<String>()
    );
    let diff = DiffBody {
        path: "src/retry.rs".to_owned(),
        unified,
        max_lines: 40,
        is_unplaced: false,
    };
    let card = Card::new("Write", "src/retry.rs").part(CardPart::Diff(diff));
    let args = serde_json::json!({ "file_path": "src/retry.rs", "content": "line\n".repeat(200) });
    let ask = Ask::new(PermissionKey::EDIT, Subject::new("src/retry.rs")).always("*");
    let title = "write wants to change src/retry.rs";
    pictures(
        &mut asked(&args, inquiry("write", title, vec![ask], card)),
        "diff",
    );
}

#[test]
fn thirty_equal_asks_are_one_row() {
    let asks = (0..30).map(|number| {
        Ask::new(
            PermissionKey::EDIT,
            Subject::new(format!("logs/log-{number}.txt")),
        )
        .always("*")
    });
    let added = |number| format!("*** Add File: logs/log-{number}.txt\n+one {number}\n");
    let added: Vec<String> = (0..30).map(added).collect();
    let patch = format!("*** Begin Patch\n{}*** End Patch\n", added.concat());
    let args = serde_json::json!({ "patchText": patch });
    let diffs = (0..30).map(|number| {
        CardPart::Diff(DiffBody {
            path: format!("logs/log-{number}.txt"),
            unified: format!("@@ -0,0 +1 @@\n+one {number}\n"),
            max_lines: 40,
            is_unplaced: false,
        })
    });
    let card = diffs.fold(Card::new("Patch", "30 files"), Card::part);
    let title = "apply_patch wants to change 30 files";
    let inquiry = inquiry("apply_patch", title, asks.collect(), card);
    pictures(&mut asked(&args, inquiry), "equal");
}

#[test]
fn control_and_bidi_characters_stand_there_by_name() {
    let command = "echo building \u{1b}]0; touch pwned \u{202e}txt.exe; touch a\u{200b}b\u{a0}c ";
    let ask = Ask::new(PermissionKey::BASH, Subject::new(command));
    pictures(&mut asked_command(command, vec![ask]), "hidden");
}

#[test]
fn a_child_asks() {
    let mut driver = one_command();
    driver.press("esc");
    driver.ask(of_child("rg -l backoff ..", "who calls backoff()"));
    driver.hear();
    pictures(&mut driver, "child");
}

#[test]
fn the_second_of_three_asks() {
    let mut driver = one_command();
    for command in ["cargo build", "cargo clippy"] {
        driver.ask(bash(command, &["cargo *"]));
    }
    driver.press("tab");
    driver.hear();
    pictures(&mut driver, "queued");
}

#[test]
fn a_chosen_answer_is_marked() {
    let mut driver = one_command();
    driver.press("right right");
    let frame = driver.frame();
    let selected = driver.app.appearance.theme.style(Meaning::Selection).bg;
    let chosen = frame
        .buffer
        .content()
        .iter()
        .filter(|cell| cell.style().bg == selected);
    let chosen: String = chosen.map(ratatui::buffer::Cell::symbol).collect();
    assert_eq!(chosen, "a always…");
}

#[test]
fn every_row_of_a_dialog_stands_on_its_ground() {
    let mut driver = pipeline();
    let frame = driver.frame();
    let ground = driver.app.appearance.theme.style(Meaning::DialogBg).bg.unwrap();
    let rows: Vec<String> = frame
        .buffer
        .content()
        .chunks(usize::from(frame.buffer.area.width))
        .map(|row| {
            let is_tinted = |cell: &ratatui::buffer::Cell| cell.style().bg == Some(ground);
            match row.iter().filter(|cell| is_tinted(cell)).count() {
                0 => '.',
                all if all == row.len() => '#',
                _ => '?',
            }
            .to_string()
        })
        .collect();
    let rows = rows.concat();
    assert!(rows.ends_with('.') && !rows.contains('?'), "{rows}");
    let asked = driver.app.shown.dialog;
    let expected: String = (0..24)
        .map(|row| {
            if (asked.y..asked.bottom()).contains(&row) {
                '#'
            } else {
                '.'
            }
        })
        .collect();
    assert_eq!(rows, expected);
}
