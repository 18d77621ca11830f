//! Selecting by mouse and by keyboard.

use ratatui::buffer::Buffer;
use serde_json::json;

use super::scene::{Scene, lines, read_args, result, rows, with_tools};
use crate::session::TurnEndReason;
use crate::tui::caret::CaretMove;
use crate::tui::transcript::Unit;

/// Returns the cell at which a text is drawn.
fn find(scene: &mut Scene, text: &str) -> (u16, u16) {
    let rows = scene.rows(60, 20);
    let found = rows.iter().zip(0..).find_map(|(row, y)| {
        let start = row.find(text)?;
        Some((crate::text::width::str_width(&row[..start]) as u16, y))
    });
    found.unwrap_or_else(|| panic!("no {text:?} in\n{}", rows.join("\n")))
}

/// Drags from the first letter of one text to the last of another.
pub(super) fn drag(scene: &mut Scene, from: &str, to: &str) -> Option<String> {
    let (start, end) = (find(scene, from), find(scene, to));
    let last = end.0 + crate::text::width::str_width(to) as u16 - 1;
    scene.transcript.press(start.0, start.1, Unit::Cluster);
    scene.transcript.drag(last, end.1);
    scene.draw(60, 20);
    scene.transcript.selected_text()
}

fn click(scene: &mut Scene, on: &str, unit: Unit) -> Option<String> {
    let (column, row) = find(scene, on);
    scene.transcript.press(column, row, unit);
    scene.draw(60, 20);
    scene.transcript.selected_text()
}

/// Returns the text that is drawn selected.
fn selected(buffer: &Buffer) -> String {
    let background = crate::view::theme::Theme::default()
        .style(crate::view::theme::Meaning::Selection)
        .bg;
    let cells = buffer.content().iter();
    cells
        .filter(|cell| cell.style().bg == background)
        .map(ratatui::buffer::Cell::symbol)
        .collect()
}

fn talk() -> Scene {
    let mut scene = Scene::default();
    scene.says("make the retry test deterministic, and tell me why it failed as often as it did");
    scene.answers("The test **sleeps** on the wall clock, see `src/retry.rs:41`. It is long enough to be wrapped here.\n\n- one\n- two\n\n```rust\nfn main() {\n\tlet long = \"more than fits on a row of this narrow screen, all of it\";\n}\n```\n");
    scene.turn_ends(TurnEndReason::Stop);
    scene
}

#[test]
fn a_selection_is_of_the_source() {
    let mut scene = talk();
    assert_eq!(
        drag(&mut scene, "make", "did").as_deref(),
        Some("make the retry test deterministic, and tell me why it failed as often as it did"),
        "without the bar and the soft break"
    );
    assert_eq!(
        drag(&mut scene, "sleeps", "wrapped here").as_deref(),
        Some("sleeps** on the wall clock, see `src/retry.rs:41`. It is long enough to be wrapped here")
    );
    assert_eq!(drag(&mut scene, "one", "two").as_deref(), Some("one\n- two"));
    let code = drag(&mut scene, "fn main", "}").unwrap();
    assert!(
        code.starts_with("fn main() {\n\tlet long = ") && code.ends_with("all of it\";\n}"),
        "{code}"
    );
}

#[test]
fn a_selection_over_blocks_holds_what_lies_between() {
    let mut scene = talk();
    let text = drag(&mut scene, "often", "on the wall").unwrap();
    assert_eq!(text, "often as it did\n\nThe test **sleeps** on the wall");
    let (backwards, forwards) = (find(&mut scene, "often"), find(&mut scene, "on the wall"));
    scene.transcript.press(forwards.0 + 10, forwards.1, Unit::Cluster);
    scene.transcript.drag(backwards.0, backwards.1);
    scene.draw(60, 20);
    assert_eq!(scene.transcript.selected_text().as_deref(), Some(text.as_str()));
}

#[test]
fn a_click_selects_nothing_two_a_word_three_a_line() {
    let mut scene = talk();
    assert_eq!(click(&mut scene, "retry.rs", Unit::Cluster), None);
    assert_eq!(
        click(&mut scene, "retry.rs", Unit::Word).as_deref(),
        Some("src/retry.rs:41")
    );
    assert_eq!(click(&mut scene, "sleeps", Unit::Word).as_deref(), Some("sleeps"));
    let line = click(&mut scene, "sleeps", Unit::Line).unwrap();
    assert!(
        line.starts_with("The test") && line.ends_with("wrapped here."),
        "{line}"
    );
}

#[test]
fn a_selection_survives_a_resize_and_what_streams_in() {
    let mut scene = Scene::default();
    scene.says("go");
    let part = scene.text_part();
    scene.delta(
        part,
        "The test sleeps on the wall clock, so it depends on how busy the machine is, ",
    );
    let text = drag(&mut scene, "sleeps", "so it");
    assert_eq!(text.as_deref(), Some("sleeps on the wall clock, so it"));
    for turn in 0..40 {
        scene.delta(part, &format!("and more, {turn}\n\n"));
        scene.draw(60, 20);
    }
    assert_eq!(scene.transcript.selected_text(), text);
    for width in [24, 100, 60] {
        let buffer = scene.draw(width, 20);
        assert_eq!(
            selected(&buffer).replace(' ', ""),
            "sleepsonthewallclock,soit",
            "{width}"
        );
    }
    assert!(
        scene.transcript.unseen() > 0,
        "the reader is not moved while selecting"
    );
    scene.transcript.end_selection();
    scene.draw(60, 20);
    assert!(scene.transcript.is_at_end());
}

#[test]
fn a_selection_follows_the_end_of_an_output() {
    let mut scene = Scene::default();
    scene.says("go");
    let call = scene.calls("bash", &json!({"command": "seq 60"}));
    scene.runs(&call);
    scene.prints(&call, &lines(20));
    assert_eq!(
        drag(&mut scene, "line 18", "line 19").as_deref(),
        Some("line 18\nline 19")
    );
    scene.prints(&call, "line 21\nline 22\n");
    scene.draw(60, 20);
    assert_eq!(
        scene.transcript.selected_text().as_deref(),
        Some("line 18\nline 19")
    );
}

#[test]
fn a_card_is_selected_without_gutters() {
    let mut scene = Scene::default();
    scene.says("go");
    let diff = "@@ -40,3 +40,3 @@\n fn wait(&self) {\n-    sleep(delay).await;\n+    self.clock.sleep(delay).await;\n }\n";
    scene.ran(
        "edit",
        &read_args("src/retry.rs"),
        result("", json!({ "diff": diff })),
    );
    assert_eq!(
        drag(&mut scene, "fn wait", "self.clock.sleep(delay)").as_deref(),
        Some("fn wait(&self) {\n    sleep(delay).await;\n    self.clock.sleep(delay)")
    );
}

#[test]
fn indentation_that_is_drawn_shortened_is_selected_whole() {
    let mut scene = Scene::default();
    scene.says("go");
    let deep = " ".repeat(40);
    let diff = format!(
        "@@ -40,3 +40,3 @@\n {deep}if is_late {{\n-{deep}    sleep(delay).await;\n+{deep}    self.clock.sleep(delay).await;\n {deep}}}\n"
    );
    scene.ran(
        "edit",
        &read_args("src/retry.rs"),
        result("", json!({ "diff": diff })),
    );
    let rows = scene.picture(60, 20);
    assert!(rows.contains("+ …     self.clock"), "{rows}");
    assert_eq!(
        drag(&mut scene, "if is_late", "self.clock.sleep(delay)"),
        Some(format!(
            "if is_late {{\n{deep}    sleep(delay).await;\n{deep}    self.clock.sleep(delay)"
        ))
    );
}

/// Cards as the tools draw them.
#[test]
fn the_lines_of_a_failed_command_are_selected_without_their_numbers() {
    let (mut scene, _project) = with_tools();
    // Numbers in the text are its own; those beside it must not be taken for them.
    let output = format!("{}31 error: no clock 31\n{}40 done", lines(30), lines(8));
    let details = json!({ "command": "make", "exit": 1, "duration_ms": 5, "timed_out": false, "workdir": ".",
                          "bytes": 400, "lines": 40, "pid": 7 });
    scene.ran("bash", &json!({ "command": "make" }), result(&output, details));
    let rows = scene.picture(60, 20);
    assert!(
        rows.contains("   31 31 error: no clock 31") && rows.contains("   40 40 done"),
        "{rows}"
    );
    assert_eq!(
        drag(&mut scene, "error: no", "40 done").as_deref(),
        Some("error: no clock 31\n40 done")
    );
    assert_eq!(
        click(&mut scene, "error:", Unit::Line).as_deref(),
        Some("31 error: no clock 31")
    );
}

#[test]
fn what_was_printed_in_colours_is_selected_as_its_text() {
    let (mut scene, _project) = with_tools();
    let details = json!({
        "command": "paint", "exit": 0, "duration_ms": 1, "timed_out": false, "workdir": ".", "bytes": 9, "lines": 3, "pid": 1,
        "styles": [[0, 0, 3, "31"], [0, 4, 9, "42"], [1, 0, 4, "41"], [2, 2, 6, "1"], [2, 9, 17, "7"]]
    });
    let output = result("red on   \n    \n\tbold, a reversed tail", details);
    scene.ran("bash", &json!({"command": "paint"}), output);
    assert_eq!(
        drag(&mut scene, "red", "tail").as_deref(),
        Some("red on   \n    \n\tbold, a reversed tail")
    );
}

#[test]
fn matches_and_todos_are_selected_without_numbers_and_signs() {
    let (mut scene, _project) = with_tools();
    let item = |line, text| json!({ "path": "src/a.rs", "line": line, "column": 1, "text": text });
    let details = json!({ "matches": 2, "files": 1, "truncated": false, "skipped_unreadable": 0,
                          "items": [item(12, "let a = 12;"), item(13, "\tlet b = 13;")] });
    scene.ran("grep", &json!({ "pattern": "let" }), result("", details));
    let todo = |content, status| json!({ "content": content, "status": status });
    let todos = [todo("find it", "completed"), todo("fix it", "in_progress")];
    let args = json!({ "todos": todos });
    let details = json!({ "todos": todos, "open": 1, "completed": 1, "changed": ["fix it"] });
    scene.ran("todowrite", &args, result("", details));
    assert_eq!(
        drag(&mut scene, "src/a.rs", "b = 13;").as_deref(),
        Some("src/a.rs\nlet a = 12;\n let b = 13;")
    );
    assert_eq!(
        drag(&mut scene, "find it", "fix it").as_deref(),
        Some("find it\nfix it")
    );
    assert_eq!(
        drag(&mut scene, "✓ find it", "fix it").as_deref(),
        Some("find it\nfix it"),
        "from the sign on"
    );
}

#[test]
fn a_side_of_a_diff_is_selected_without_the_other() {
    let mut scene = Scene::default();
    scene.says("go");
    let diff = "@@ -40,4 +40,5 @@\n fn wait(&self) {\n-\tsleep(delay).await;\n-\tdone();\n+\tself.clock.sleep(delay).await;\n+\tself.done();\n+\ttell();\n }\n";
    let edit = |scene: &mut Scene, path| {
        let result = result("", json!({ "diff": diff }));
        scene.ran("edit", &read_args(path), result);
    };
    edit(&mut scene, "src/retry.rs");
    edit(&mut scene, "src/clock.rs");
    scene.turn_ends(TurnEndReason::Stop);
    scene.draw(160, 20);
    scene.transcript.fold_all();
    let mut drag = |from: (&str, usize), to: (&str, usize)| {
        let rows = scene.rows(160, 20);
        let find = |(text, nth): (&str, usize)| {
            let found = rows.iter().zip(0..).flat_map(|(row, y)| {
                let starts = row.match_indices(text).map(|(start, _)| start);
                starts.map(move |start| (crate::text::width::str_width(&row[..start]) as u16, y))
            });
            let found: Vec<_> = found.collect();
            assert!(found.len() > nth, "{text}: {}", rows.join("\n"));
            found[nth]
        };
        let (start, end) = (find(from), find(to));
        scene.transcript.press(start.0, start.1, Unit::Cluster);
        scene.transcript.drag(end.0 + to.0.len() as u16 - 1, end.1);
        scene.draw(160, 20);
        scene.transcript.selected_text().unwrap()
    };
    assert_eq!(
        drag(("sleep(", 0), ("done();", 0)),
        "sleep(delay).await;\n\tdone();"
    );
    let right = "self.clock.sleep(delay).await;\n\tself.done();\n\ttell();\n}";
    assert_eq!(drag(("self.clock", 0), ("}", 1)), right);
    assert_eq!(drag(("self.clock", 1), ("}", 3)), right, "of the second card");
    assert!(drag(("clock.rs", 0), ("done();", 2)).starts_with("clock.rs"));
}

#[test]
fn keys_move_the_end_of_a_selection() {
    let mut scene = talk();
    scene.draw(60, 20);
    scene.transcript.focus_first();
    scene.draw(60, 20);
    scene.transcript.select();
    assert!(scene.transcript.has_selection());
    let mut after = |motions: &[CaretMove]| {
        for motion in motions {
            scene.transcript.select_to(*motion);
        }
        scene.draw(60, 20);
        scene.transcript.selected_text().unwrap()
    };
    assert_eq!(after(&[]), "m");
    assert_eq!(after(&[CaretMove::Right, CaretMove::Right]), "mak");
    assert_eq!(after(&[CaretMove::Right, CaretMove::Right]), "make ");
    assert_eq!(after(&[CaretMove::Left]), "make");
    assert_eq!(after(&[CaretMove::WordRight, CaretMove::WordRight]), "make the r");
    assert_eq!(after(&[CaretMove::WordLeft]), "make t");
    let row = after(&[CaretMove::LineEnd]);
    assert!(
        row.starts_with("make the retry test deterministic") && row.len() < 60,
        "{row}"
    );
    assert_eq!(after(&[CaretMove::LineStart]), "m");
    assert!(after(&[CaretMove::Down]).len() > row.len());
    assert_eq!(after(&[CaretMove::Up]), "m");
    assert!(after(&[CaretMove::Bottom]).contains("```rust"));
    assert_eq!(after(&[CaretMove::Top]), "m");
}

#[test]
fn the_end_that_is_moved_comes_on_screen_with_the_caret() {
    let mut scene = Scene::default();
    for turn in 0..30 {
        scene.says(&format!("question {turn}"));
        scene.answers("an answer");
        scene.turn_ends(TurnEndReason::Stop);
    }
    scene.draw(60, 20);
    scene.transcript.select();
    scene.transcript.select_to(CaretMove::Top);
    let buffer = scene.draw(60, 20);
    assert!(rows(&buffer)[0].contains("question 0"));
    let caret = scene.transcript.caret().unwrap();
    assert_eq!((caret.x, caret.y), (3, 0));
    for _ in 0..30 {
        scene.transcript.select_to(CaretMove::Down);
    }
    let buffer = scene.draw(60, 20);
    let caret = scene.transcript.caret().unwrap();
    assert_eq!(caret.y, 19, "{}", rows(&buffer).join("\n"));
    let text = scene.transcript.selected_text().unwrap();
    assert!(
        text.starts_with("question 15") && text.ends_with("question 29\n\na"),
        "{text}"
    );
}
