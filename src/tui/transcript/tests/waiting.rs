//! Everything that waits says what for, since when, and which key ends it.

use serde_json::json;

use super::scene::{Scene, result};
use crate::conversation::{MessageState, Stop};
use crate::session::{ErrorReport, Event, ReportKind, Retry, TurnEndReason};
use crate::tui::transcript::TurnActivity;

fn row(scene: &mut Scene, text: &str) -> String {
    let rows = scene.rows(80, 20);
    let found = rows.iter().find(|row| row.contains(text));
    found
        .cloned()
        .unwrap_or_else(|| panic!("no {text:?} in\n{}", rows.join("\n")))
}

#[test]
fn the_first_call_that_waits_for_its_turn_names_the_key() {
    let mut scene = Scene::default();
    scene.says("go");
    let calls = ["one", "two", "three"].map(|name| scene.calls("bash", &json!({ "command": name })));
    scene.runs(&calls[0]);
    scene.wait(5_000);
    assert_eq!(
        row(&mut scene, "Bash two")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        "○ Bash two waits for its turn · ctrl+c ends it 5.0s"
    );
    let third = row(&mut scene, "Bash three");
    assert!(
        third.contains("waits for its turn") && !third.contains("ends it"),
        "{third}"
    );
}

fn retry(attempt: u32) -> Event {
    Event::Retry(Retry {
        attempt,
        most: 2,
        delay_ms: 4_000,
        reason: "the provider is overloaded".to_owned(),
        voided: None,
    })
}

#[test]
fn retries_share_a_row_that_says_how_they_ended() {
    let retries = |scene: &mut Scene| {
        let rows = scene.rows(80, 20).into_iter();
        rows.filter(|row| row.contains("retr")).collect::<Vec<_>>()
    };
    let mut scene = Scene::default();
    scene.says("go");
    scene.apply(&retry(1));
    assert_eq!(
        retries(&mut scene),
        [" ▲ retry 1 of 2 · the provider is overloaded"]
    );
    assert_eq!(
        scene.activity(),
        Some(TurnActivity::Retry {
            attempt: 1,
            most: 2,
            due: scene.after(4_000)
        })
    );
    scene.wait(4_000);
    assert!(matches!(scene.activity(), Some(TurnActivity::Waiting { .. })));
    scene.apply(&retry(2));
    assert_eq!(
        retries(&mut scene),
        [" ▲ retry 2 of 2 · the provider is overloaded"]
    );
    scene.apply(&Event::Error(ErrorReport {
        kind: ReportKind::Overloaded,
        message: "the provider is overloaded".to_owned(),
        hint: None,
    }));
    scene.turn_ends(TurnEndReason::Error);
    let rows = scene.rows(80, 20).join("\n");
    assert!(rows.contains(" ▲ gave up after 2 retries\n"), "{rows}");
    assert_eq!(rows.matches("overloaded").count(), 1, "{rows}");

    scene.says("again");
    scene.apply(&retry(1));
    scene.answers("There it is.");
    scene.reply_ends(MessageState::Complete, Some(Stop::End));
    let rows = scene.rows(80, 20).join("\n");
    assert!(
        rows.contains(" ▲ continued after one retry · the provider is overloaded"),
        "{rows}"
    );
}

#[test]
fn every_moment_of_a_turn_has_a_name() {
    let mut scene = Scene::default();
    assert_eq!(scene.activity(), None);
    scene.says("go");
    let waits = |scene: &Scene| matches!(scene.activity(), Some(TurnActivity::Waiting { .. }));
    assert!(waits(&scene));
    scene.reply();
    let part = scene.text_part();
    assert!(waits(&scene), "a text without a word is waited for");
    scene.delta(part, "Here");
    assert_eq!(scene.activity(), Some(TurnActivity::Writing));
    scene.wait(2_900);
    assert_eq!(scene.activity(), Some(TurnActivity::Writing));
    scene.wait(200);
    assert!(waits(&scene), "it says nothing for three seconds");
    scene.delta(part, " and there.");
    assert_eq!(scene.activity(), Some(TurnActivity::Writing));
    let calls = ["make", "make test"].map(|command| scene.calls("bash", &json!({ "command": command })));
    scene.runs(&calls[0]);
    let call = |words: &str, others| {
        Some(TurnActivity::Call {
            words: words.to_owned(),
            limit: None,
            others,
        })
    };
    assert_eq!(scene.activity(), call("Bash make", 0));
    scene.runs(&calls[1]);
    assert_eq!(scene.activity(), call("Bash make", 1));
    for id in &calls {
        scene.ends(id, "bash", result("done", json!({})));
    }
    assert!(waits(&scene));
    assert!(scene.transcript.is_at_work());
    scene.turn_ends(TurnEndReason::Stop);
    assert_eq!(scene.activity(), None);
    assert!(!scene.transcript.is_at_work());
}
