//! Texts of which only the beginning is drawn.

use super::scene::{self, Scene};

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

/// Draws until everything is laid out; returns the rows of each frame.
fn frames(scene: &mut Scene, width: u16, height: u16) -> Vec<Vec<String>> {
    let mut frames = Vec::new();
    while frames.is_empty() || scene.transcript.is_behind() {
        frames.push(scene::rows(&scene.draw_frame(width, height)));
    }
    frames
}

#[test]
fn a_long_reply_is_laid_out_over_several_frames() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.answers(&text(200_000));
    let frames = frames(&mut scene, 60, 20);
    assert_eq!(frames.len(), 13, "200,000 bytes by 16 KiB");
    for frame in &frames {
        assert!(frame.iter().all(|row| !row.is_empty()), "{frame:?}");
    }
    assert_eq!(frames[12], scene.rows(60, 20));
    assert_eq!(frames[12][19].trim(), "5001", "the last of 25,000 numbers");
}

#[test]
fn the_place_of_the_reader_is_found_again_after_a_resize() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.answers(&text(200_000));
    scene.draw(60, 20);
    scene.transcript.scroll_by(-5_000);
    let before = scene.rows(60, 20);
    let after = frames(&mut scene, 50, 20);
    assert!(after.len() > 10);
    assert_eq!(
        after.last().unwrap(),
        &before,
        "lines of eight break in no other way"
    );
    scene.transcript.scroll_by(-1);
    assert_eq!(frames(&mut scene, 50, 20).len(), 1);
}

#[test]
fn many_long_replies_lay_out_no_more_than_the_screen_shows() {
    let mut scene = Scene::default();
    for _ in 0..40 {
        scene.says("go");
        scene.answers(&text(100_000));
    }
    scene.draw_frame(60, 20);
    assert!(
        scene.transcript.laid_out.len() <= 2,
        "{:?}",
        scene.transcript.laid_out
    );
    assert_eq!(frames(&mut scene, 60, 20).len(), 6);
}
