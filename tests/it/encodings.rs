//! Files in other encodings than UTF-8, through the real program.

use super::run::{events_of, of_kind, project_with};
use super::support::{Server, Turn};
use serde_json::json;

const NOTES: &[u8] = b"Le caf\xe9 est ferm\xe9.\r\nplain\r\n";

#[test]
fn a_mentioned_file_in_another_encoding_goes_as_the_text_that_it_is() {
    let server = Server::with([Turn::text("ok")]);
    let project = project_with(&server).bytes("notes.txt", NOTES);
    events_of(&project).arg("look at @notes.txt").run().success();
    let sent = &server.requests()[0];
    assert!(sent.mentions("1: Le café est fermé.\n2: plain"));
    assert!(sent.mentions("<encoding>windows-1252</encoding>"));
}

#[test]
fn a_file_is_found_and_edited_in_the_encoding_that_was_named() {
    let read = json!({"file_path": "f.txt", "encoding": "koi8-r"});
    let edit = json!({"file_path": "f.txt", "old_string": "plain", "new_string": "дом"});
    let server = Server::with([
        Turn::new().call("read", read),
        Turn::new().call("edit", edit),
        Turn::new().call("grep", json!({"pattern": "caf\u{e9}"})),
        Turn::text("ok"),
    ]);
    let project = project_with(&server)
        .bytes("f.txt", b"\xd0\x96\nplain\n")
        .bytes("notes.txt", NOTES);
    let finished = events_of(&project)
        .args(["--permission-mode", "accept-edits"])
        .arg("change it")
        .run()
        .success();
    let results = of_kind(&finished, "tool_result");
    assert!(results.iter().all(|result| result["ok"] == true), "{finished}");
    let found = results[2]["output"].as_str().unwrap();
    assert!(found.contains("1: Le café est fermé."), "{found}");
    let bytes = std::fs::read(project.path("f.txt")).unwrap();
    assert_eq!(bytes, b"\xd0\x96\n\xc4\xcf\xcd\n");
}
