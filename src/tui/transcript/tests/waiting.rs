//! Everything that waits says what for, since when, and which key ends it.

use serde_json::json;

use super::scene::Scene;
use crate::session::{Event, Retry};

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

#[test]
fn a_retry_names_the_key_while_it_counts_down() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.apply(&Event::Retry(Retry {
        attempt: 1,
        delay_ms: 4_000,
        reason: "the provider is overloaded".to_owned(),
        voided: None,
    }));
    assert_eq!(
        row(&mut scene, "retry 1"),
        " ▲ retry 1 in 4 s · ctrl+c ends it · the provider is overloaded"
    );
    scene.wait(5_000);
    assert_eq!(
        row(&mut scene, "retry 1"),
        " ▲ retry 1 · the provider is overloaded"
    );
}
