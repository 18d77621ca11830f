//! `/`, `n` and `N`.

use ratatui::buffer::Buffer;
use ratatui::style::Modifier;
use serde_json::json;

use super::scene::{Scene, lines, read_args, result, rows};
use crate::conversation::MessageState;
use crate::session::TurnEndReason;
use crate::tui::transcript::Tally;

fn tally(scene: &Scene) -> (usize, usize) {
    let Tally { current, total, .. } = scene.transcript.search_tally().unwrap();
    (current, total)
}

fn search(scene: &mut Scene, query: &str) {
    scene.draw(60, 12);
    scene.transcript.search();
    scene.transcript.search_for(query);
}

/// The texts that are emphasised, the current match in brackets.
fn emphasised(buffer: &Buffer) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut before = None;
    for cell in buffer.content() {
        let is_match = cell.modifier.contains(Modifier::BOLD | Modifier::UNDERLINED);
        let now = is_match.then(|| cell.modifier.contains(Modifier::REVERSED));
        match (now, before == now, found.last_mut()) {
            (Some(_), true, Some(last)) => last.push_str(cell.symbol()),
            (Some(is_current), ..) => {
                let sign = if is_current { ">" } else { "" };
                found.push(format!("{sign}{}", cell.symbol()));
            }

            (None, ..) => {}
        }
        before = now;
    }
    found
}

fn talk() -> Scene {
    let mut scene = Scene::default();
    for turn in 0..12 {
        scene.says(&format!("question {turn}"));
        scene.answers(&format!("An **answer** to {turn}, with a `retry` in it."));
        scene.turn_ends(TurnEndReason::Stop);
    }
    scene
}

#[test]
fn matches_are_emphasised_and_counted() {
    let mut scene = talk();
    search(&mut scene, "ANSWER");
    assert_eq!(scene.transcript.search_tally().unwrap().total, 0);
    scene.transcript.search_for("answer");
    let buffer = scene.draw(60, 12);
    assert_eq!(tally(&scene).1, 12);
    let found = emphasised(&buffer);
    assert!(
        found.len() > 1 && found.iter().filter(|text| *text == ">answer").count() == 1,
        "{found:?}"
    );
    assert!(
        found.iter().all(|text| text.trim_start_matches('>') == "answer"),
        "{found:?}"
    );
}

#[test]
fn the_next_match_comes_on_screen_and_the_last_is_followed_by_the_first() {
    let mut scene = talk();
    search(&mut scene, "question 3");
    assert!(
        rows(&scene.draw(60, 12))
            .iter()
            .any(|row| row.contains("question 3"))
    );
    assert_eq!(tally(&scene), (1, 1));
    scene.transcript.search_for("retry");
    let (first, total) = tally(&scene);
    for step in 1..=total {
        assert!(scene.transcript.search_step(1));
        let buffer = scene.draw(60, 12);
        assert!(emphasised(&buffer).contains(&">retry".to_owned()));
        assert_eq!(tally(&scene).0, (first - 1 + step) % total + 1);
    }
    scene.transcript.search_step(-1);
    assert_eq!(tally(&scene).0, (first + total - 2) % total + 1);
}

#[test]
fn a_match_over_marks_and_soft_breaks_is_one() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.answers("some words before a **very** long phrase, and after it");
    search(&mut scene, "a **very** long");
    let buffer = scene.draw(24, 12);
    assert_eq!(emphasised(&buffer).concat().replace([' ', '>'], ""), "averylong");
    assert_eq!(tally(&scene), (1, 1));
}

#[test]
fn a_folded_match_is_unfolded_while_the_search_stands_there() {
    let mut scene = Scene::default();
    scene.says("go");
    scene.reasons("first line\nthe needle is here", 500);
    scene.ran(
        "bash",
        &json!({"command": "seq 60"}),
        result(&lines(60), json!({})),
    );
    scene.ran("read", &read_args("a.rs"), result("needle in a file", json!({})));
    scene.ran("read", &read_args("b.rs"), result("nothing", json!({})));
    search(&mut scene, "needle");
    assert_eq!(tally(&scene), (1, 2));
    let buffer = scene.draw(60, 30);
    assert!(rows(&buffer).iter().any(|row| row.contains("the needle is here")));
    let marked = rows(&buffer).into_iter().filter(|row| row.starts_with('/'));
    assert_eq!(marked.count(), 1, "the folded reads are marked");
    scene.transcript.search_step(1);
    let buffer = scene.draw(60, 30);
    assert!(
        emphasised(&buffer).contains(&">needle".to_owned()),
        "{}",
        rows(&buffer).join("\n")
    );
    assert!(
        !rows(&buffer).iter().any(|row| row.contains("the needle is here")),
        "folded again"
    );
    scene.transcript.search_for("line 7\n");
    scene.transcript.search_for("line 7");
    let buffer = scene.draw(60, 12);
    assert!(
        emphasised(&buffer).contains(&">line 7".to_owned()),
        "{}",
        rows(&buffer).join("\n")
    );
}

#[test]
fn a_search_that_is_given_up_leads_back() {
    let mut scene = talk();
    let before = scene.rows(60, 12);
    search(&mut scene, "question 0");
    assert_ne!(scene.rows(60, 12), before);
    scene.transcript.search_for("question 0nowhere");
    assert_eq!(scene.rows(60, 12), before, "nothing is found");
    scene.transcript.search_for("question 0");
    scene.transcript.end_search();
    assert_eq!(scene.rows(60, 12), before);
    search(&mut scene, "question 0");
    let there = scene.rows(60, 12);
    scene.transcript.keep_search();
    scene.transcript.end_search();
    assert_eq!(scene.rows(60, 12), there);
    assert_eq!(scene.transcript.search_tally(), None);
}

#[test]
fn what_streams_in_is_found_as_it_comes() {
    let mut scene = Scene::default();
    scene.says("go");
    let part = scene.text_part();
    scene.delta(part, "one needle, ");
    search(&mut scene, "needle");
    assert_eq!(tally(&scene), (1, 1));
    for _ in 0..5 {
        scene.delta(part, "another need");
        scene.draw(60, 12);
        scene.delta(part, "le and\n\n");
        scene.draw(60, 12);
    }
    assert_eq!(tally(&scene), (1, 6));
    assert_eq!(emphasised(&scene.draw(60, 24)).len(), 6);
    scene.reply_ends(MessageState::Cut, None);
    scene.draw(60, 12);
    assert_eq!(tally(&scene), (1, 6));
}
