//! The `encoding` parameter of `read` and of the tools that write.

use std::fs;

use serde_json::{Value, json};

use super::encodings::open;
use crate::conversation::ErrorKind;
use crate::text::hashline::Hash;
use crate::tool::harness::Harness;

/// UTF-8 for `Ж`, and in windows-1252 `Ð–`.
const BOTH: &[u8] = b"\xd0\x96\nplain\n";

fn with_both() -> Harness {
    let project = open();
    project.write("f", BOTH);
    project
}

async fn read(project: &Harness, args: Value) -> String {
    project.new_turn();
    project.ok("read", args).await
}

/// The call of each tool that puts a text in place of `plain` in the file `f`.
fn edits(new: &str) -> Vec<(&'static str, Value)> {
    let patch = format!("*** Begin Patch\n*** Update File: f\n@@\n-plain\n+{new}\n*** End Patch\n");
    let tag = format!("2:{}", Hash::of("plain"));
    vec![
        (
            "edit",
            json!({"file_path": "f", "old_string": "plain", "new_string": new}),
        ),
        (
            "multiedit",
            json!({"file_path": "f", "edits": [{"old_string": "plain", "new_string": new}]}),
        ),
        ("apply_patch", json!({"patch_text": patch})),
        (
            "hashline_edit",
            json!({"file_path": "f", "edits": [{"type": "set_line", "line": tag, "text": new}]}),
        ),
    ]
}

fn with_encoding(mut args: Value, encoding: &str) -> Value {
    args["encoding"] = json!(encoding);
    args
}

#[tokio::test]
async fn read_takes_the_encoding_that_is_named() {
    let project = with_both();
    assert!(read(&project, json!({"file_path": "f"})).await.contains("1: Ж\n"));
    for (label, name, line) in [
        ("windows-1252", "windows-1252", "1: Ð–\n"),
        ("Latin1", "windows-1252", "1: Ð–\n"),
        ("koi8-r", "KOI8-R", "1: п√\n"),
    ] {
        let shown = read(&project, json!({"file_path": "f", "encoding": label})).await;
        assert!(shown.contains(&format!("<encoding>{name}</encoding>")), "{shown}");
        assert!(shown.contains(line), "{shown}");
    }
    let shown = read(&project, json!({"file_path": "f", "encoding": "utf8"})).await;
    assert!(
        shown.contains("1: Ж\n") && !shown.contains("<encoding>"),
        "{shown}"
    );
}

#[tokio::test]
async fn utf16_is_read_by_name_with_and_without_a_mark() {
    let project = open();
    let bytes =
        |text: &str, unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    for (content, label) in [
        (bytes("世界", u16::to_le_bytes), "utf-16le"),
        (bytes("世界\n", u16::to_be_bytes), "utf-16be"),
        (bytes("\u{feff}世界", u16::to_be_bytes), "utf-16"),
    ] {
        project.write("f", &content);
        let shown = read(&project, json!({"file_path": "f", "encoding": label})).await;
        assert!(shown.contains("1: 世界\n"), "{label}: {shown}");
        let again = read(&project, json!({"file_path": "f"})).await;
        assert!(again.contains("1: 世界\n"), "{label}: {again}");
    }
}

#[tokio::test]
async fn an_unknown_name_is_an_error_and_nothing_happens() {
    let project = with_both();
    let mut calls = edits("new");
    calls.push(("write", json!({"file_path": "f", "content": "new\n"})));
    calls.push(("read", json!({"file_path": "f"})));
    for (tool, args) in calls {
        for label in ["klingon", "utf-7", "iso-2022-jp", "replacement"] {
            project.new_turn();
            let (kind, text) = project.error(tool, with_encoding(args.clone(), label)).await;
            assert_eq!(kind, ErrorKind::InvalidArgs, "{tool}: {text}");
            assert!(text.contains(&format!("`{label}`")), "{tool}: {text}");
        }
        assert_eq!(fs::read(project.path("f")).unwrap(), BOTH);
    }
}

#[tokio::test]
async fn writers_take_the_encoding_that_is_named() {
    for (tool, args) in edits("é") {
        let project = with_both();
        project.ok(tool, with_encoding(args, "windows-1252")).await;
        assert_eq!(
            fs::read(project.path("f")).unwrap(),
            b"\xd0\x96\n\xe9\n",
            "{tool}"
        );
    }
    for (tool, args) in edits("é") {
        let project = with_both();
        project.ok(tool, args).await;
        let expected = "Ж\né\n".as_bytes();
        assert_eq!(fs::read(project.path("f")).unwrap(), expected, "{tool}");
    }
    for (tool, args) in edits("世") {
        let project = with_both();
        let (kind, text) = project.error(tool, with_encoding(args, "windows-1252")).await;
        assert_eq!(kind, ErrorKind::InvalidArgs, "{tool}: {text}");
        assert!(
            text.contains("cannot be written in windows-1252"),
            "{tool}: {text}"
        );
    }
}

#[tokio::test]
async fn an_edit_keeps_to_the_encoding_of_the_read_before() {
    for (tool, args) in edits("é") {
        let project = with_both();
        read(&project, json!({"file_path": "f", "encoding": "windows-1252"})).await;
        project.ok(tool, args).await;
        assert_eq!(
            fs::read(project.path("f")).unwrap(),
            b"\xd0\x96\n\xe9\n",
            "{tool}"
        );
        let shown = read(&project, json!({"file_path": "f"})).await;
        assert!(shown.contains("1: Ð–\n2: é\n"), "{tool}: {shown}");
    }
}

#[tokio::test]
async fn a_file_with_another_content_is_looked_at_afresh() {
    let project = with_both();
    read(&project, json!({"file_path": "f", "encoding": "windows-1252"})).await;
    project.write("f", "Жук\nplain\n");
    let shown = read(&project, json!({"file_path": "f"})).await;
    assert!(shown.contains("1: Жук\n"), "{shown}");
    for (tool, args) in edits("é") {
        project.write("f", "Жук\nplain\n");
        project.new_turn();
        project.ok(tool, args).await;
        assert_eq!(
            fs::read(project.path("f")).unwrap(),
            "Жук\né\n".as_bytes(),
            "{tool}"
        );
    }
}

#[tokio::test]
async fn new_files_are_written_in_the_encoding_that_is_named() {
    let patch = "*** Begin Patch\n*** Add File: f\n+é\n*** End Patch\n";
    let append = json!([{"type": "append", "text": "é"}]);
    for (tool, args) in [
        ("write", json!({"file_path": "f", "content": "é\n"})),
        (
            "edit",
            json!({"file_path": "f", "old_string": "", "new_string": "é\n"}),
        ),
        (
            "multiedit",
            json!({"file_path": "f", "edits": [{"old_string": "", "new_string": "é\n"}]}),
        ),
        ("apply_patch", json!({"patch_text": patch})),
        ("hashline_edit", json!({"file_path": "f", "edits": append})),
    ] {
        for (label, expected) in [
            ("windows-1252", &b"\xe9"[..]),
            ("utf-16le", b"\xff\xfe\xe9\x00"),
            ("utf-16be", b"\xfe\xff\x00\xe9"),
            ("utf-8", "é".as_bytes()),
        ] {
            let project = open();
            project.ok(tool, with_encoding(args.clone(), label)).await;
            let bytes = fs::read(project.path("f")).unwrap();
            assert!(bytes.starts_with(expected), "{tool} in {label}: {bytes:?}");
            let shown = read(&project, json!({"file_path": "f"})).await;
            assert!(shown.contains("1: é\n"), "{tool} in {label}: {shown}");
        }
    }
}

#[tokio::test]
async fn write_puts_a_file_into_another_encoding_and_says_so() {
    let project = open();
    project.write("f", "é\r\nè\r\n");
    let args = json!({"file_path": "f", "content": "é\n", "encoding": "latin1"});
    let told = project.ok("write", args).await;
    assert!(
        told.ends_with("The file keeps its CRLF line endings.\nThe file is in windows-1252."),
        "{told}"
    );
    assert_eq!(fs::read(project.path("f")).unwrap(), b"\xe9\r\n");
    project.new_turn();
    let told = project
        .ok("write", json!({"file_path": "f", "content": "è\n"}))
        .await;
    assert!(told.ends_with("and its encoding windows-1252."), "{told}");
    assert_eq!(fs::read(project.path("f")).unwrap(), b"\xe8\r\n");
}
