//! Texts of which only the beginning is drawn.

use super::scene::Scene;

/// A text of about this many bytes in lines of eight.
fn text(bytes: usize) -> String {
    let lines: Vec<String> = (0..bytes / 8)
        .map(|line| format!("{:<7}\n", line % 9999))
        .collect();
    lines.concat()
}

const REST: &str = "… 737.9 kB more · /export writes all of it";

#[test]
fn a_long_reply_tells_what_is_not_drawn() {
    let long = text(1_000_000);
    let mut whole = Scene::default();
    whole.says("go");
    whole.answers(&long);
    let mut streamed = Scene::default();
    streamed.says("go");
    let part = streamed.text_part();
    for piece in long.as_bytes().chunks(50_000) {
        streamed.delta(part, std::str::from_utf8(piece).unwrap());
        streamed.draw(60, 20);
    }
    let rows = whole.rows(60, 20);
    assert_eq!(rows, streamed.rows(60, 20));
    assert_eq!(rows[19].trim(), REST);
    whole.transcript.focus_last();
    let copied = whole.transcript.copy_focused().unwrap();
    assert!(copied.trim_end() == long.trim_end(), "a copy has all of it");
    let mut short = Scene::default();
    short.answers(&text(200_000));
    assert!(!short.picture(60, 20).contains("more"));
}

#[test]
fn a_long_request_and_long_reasoning_tell_it_too() {
    let long = text(1_000_000);
    let mut scene = Scene::default();
    scene.says(&long);
    let picture = scene.picture(60, 20);
    assert!(picture.contains("more lines"), "{picture}");
    assert!(picture.contains(REST.trim_end()), "{picture}");
    let mut scene = Scene::default();
    scene.reasons(&long, 1);
    scene.transcript.focus_last();
    scene.transcript.toggle_fold();
    scene.draw(60, 20);
    scene.transcript.to_end();
    let picture = scene.picture(60, 20);
    assert!(picture.contains(REST), "{picture}");
}
