//! The files that `enter` opens.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::scene::{Scene, result, user, with_tools};
use super::selecting::drag;
use crate::conversation::{FilePart, Part, PartBody};
use crate::session::Event;
use crate::tui::transcript::FilePlace;

const ODD: &str = "docs/Notes (old), café.md";

/// Returns where a row leads first, on which a text stands.
#[track_caller]
fn at(scene: &mut Scene, text: &str) -> (String, Option<usize>) {
    drag(scene, text, text);
    first(scene)
}

#[track_caller]
fn first(scene: &Scene) -> (String, Option<usize>) {
    let FilePlace { path, line } = scene.transcript.places(Path::new("")).swap_remove(0);
    (path, line)
}

fn place(path: &str, line: usize) -> (String, Option<usize>) {
    (path.to_owned(), Some(line))
}

fn item(path: &str, line: usize, text: &str) -> Value {
    json!({ "path": path, "line": line, "column": 1, "text": text })
}

fn matches(items: &[Value]) -> Value {
    json!({ "matches": items.len(), "files": 2, "truncated": false, "skipped_unreadable": 0, "items": items })
}

#[test]
fn a_match_leads_to_its_file_and_line_whatever_the_file_is_called() {
    let (mut scene, _project) = with_tools();
    let items = [
        item("src/a.rs", 12, "see src/b.rs:99"),
        item(ODD, 13, "one"),
        item(ODD, 14, "two"),
        item("12 steps.md", 3, "three"),
    ];
    scene.ran("grep", &json!({ "pattern": "e" }), result("", matches(&items)));
    assert_eq!(at(&mut scene, "see"), place("src/a.rs", 12));
    assert_eq!(at(&mut scene, "two"), place(ODD, 14));
    assert_eq!(at(&mut scene, "three"), place("12 steps.md", 3));
    assert_eq!(at(&mut scene, "12 steps.md"), ("12 steps.md".to_owned(), None));
}

#[test]
fn the_number_of_a_line_of_output_is_no_line_of_a_file() {
    let (mut scene, _project) = with_tools();
    let output = format!(
        "{}error: no clock\n{}done",
        "quiet\n".repeat(30),
        "quiet\n".repeat(8)
    );
    let details = json!({ "command": "make src/a.rs", "exit": 1, "duration_ms": 5, "timed_out": false,
                          "workdir": ".", "bytes": 400, "lines": 40, "pid": 7 });
    let args = json!({ "command": "make src/a.rs" });
    scene.ran("bash", &args, result(&output, details));
    assert_eq!(at(&mut scene, "no clock"), ("src/a.rs".to_owned(), None));
}

#[test]
fn a_row_of_a_diff_leads_to_its_line() {
    let (mut scene, _project) = with_tools();
    let file = |path: &str, diff: &str| json!({ "path": path, "type": "update", "level": "exact", "additions": 1, "deletions": 1, "diff": diff });
    let first_diff = "@@ -7,2 +7,2 @@\n seven\n-eight\n+ate\n";
    let second_diff = "@@ -40,3 +41,3 @@\n forty\n-was\n+is\n end\n";
    let files = [file("src/a.rs", first_diff), file(ODD, second_diff)];
    let details = json!({ "diff": "", "files": files, "diagnostics": [] });
    scene.ran("apply_patch", &json!({ "patch_text": "" }), result("", details));
    scene.transcript.focus_last();
    assert_eq!(first(&scene), place("src/a.rs", 8), "the first change");
    assert_eq!(at(&mut scene, "ate"), place("src/a.rs", 8));
    assert_eq!(at(&mut scene, "was"), place(ODD, 42));
    assert_eq!(at(&mut scene, "end"), place(ODD, 43));
    assert_eq!(at(&mut scene, "Notes"), (ODD.to_owned(), None));
}

#[test]
fn a_row_of_a_list_leads_to_the_file_in_its_directory() {
    let (mut scene, _project) = with_tools();
    let details = json!({ "path": "docs", "files": 2, "truncated": false });
    let list = "docs/\n  old ones/\n    My plan.md\n  readme";
    scene.ran("list", &json!({ "path": "docs" }), result(list, details));
    let file = |path: &str| (path.to_owned(), None);
    assert_eq!(at(&mut scene, "My plan.md"), file("docs/old ones/My plan.md"));
    assert_eq!(at(&mut scene, "readme"), file("docs/readme"));
}

#[test]
fn a_row_of_a_file_that_was_read_leads_to_its_line() {
    let (mut scene, _project) = with_tools();
    let details = json!({ "path": ODD, "kind": "file", "line_start": 40, "line_end": 41, "total_lines": 90,
                          "bom": false, "hashline": false, "loaded": [] });
    let text = "<content>\n40: forty\n41: more\n</content>";
    scene.ran("read", &json!({ "file_path": ODD }), result(text, details));
    scene.transcript.fold_all();
    assert_eq!(at(&mut scene, "more"), place(ODD, 41));
}

#[test]
fn an_edit_leads_to_its_first_change_in_the_project() {
    let (mut scene, _project) = with_tools();
    let details = json!({ "path": ODD, "strategy": "simple", "replacements": 1, "positions": [],
                          "additions": 1, "deletions": 1, "diff": "@@ -4,2 +4,2 @@\n a\n-b\n+c\n",
                          "created": false, "diagnostics": [] });
    let args = json!({ "file_path": format!("../{ODD}"), "old_string": "b", "new_string": "c" });
    scene.ran("edit", &args, result("", details));
    scene.transcript.focus_last();
    let places = scene.transcript.places(Path::new("/home/u/project"));
    let path = format!("/home/u/project/{ODD}");
    assert_eq!(places[0], FilePlace { path, line: Some(5) });
}

#[test]
fn an_attached_file_is_opened_whatever_it_is_called() {
    let mut scene = Scene::default();
    let mut message = user("compare these: notes.md");
    for path in [ODD.to_owned(), format!("{ODD}:40-59"), "~/My shot.png".to_owned()] {
        let mime = if path.ends_with("png") {
            "image/png"
        } else {
            "text/plain"
        };
        let body = PartBody::File(FilePart {
            path,
            mime: mime.to_owned(),
            data: String::new(),
            label: None,
        });
        let seq = message.parts.len() as u64 + 1;
        message.parts.push(Part { seq, body });
    }
    scene.apply(&Event::MessageStarted(Arc::new(message)));
    let file = |path: &str| (path.to_owned(), None);
    assert_eq!(at(&mut scene, "compare"), file("notes.md"));
    assert_eq!(at(&mut scene, "40-59"), place(ODD, 40));
    assert_eq!(at(&mut scene, "My shot"), file("~/My shot.png"));
}
