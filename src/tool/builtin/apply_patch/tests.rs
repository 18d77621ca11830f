//! The tool through the real pipeline.

mod drawing;
mod guards;
mod model;

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use serde_json::{Value, json};

use crate::conversation::ErrorKind;
use crate::permission::{Mode, PermissionReply};
use crate::tool::ToolSettings;
use crate::tool::harness::{Harness, HarnessOptions};

/// Every ask is answered, and no file has to be read first.
fn open() -> Harness {
    Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        settings: ToolSettings::default(),
        ..HarnessOptions::default()
    })
}

fn patch(body: &str) -> Value {
    json!({ "patch_text": format!("*** Begin Patch\n{body}*** End Patch\n") })
}

#[tokio::test]
async fn a_patch_adds_updates_moves_and_deletes() {
    let project = open();
    project.write("src/a.rs", "one\ntwo\nthree\n");
    project.write("old", "x\n");
    project.write("from", "p\nq\n");
    let body = "*** Add File: new/n.txt\n+hello\n+world\n*** Update File: src/a.rs\n@@\n one\n-two\n+2\n+2b\n*** Delete File: \
                old\n*** Update File: from\n*** Move to: to/there\n@@\n-p\n+P\n";
    let result = project.run("apply_patch", patch(body)).await;
    assert_eq!(
        result.output,
        "Applied patch: 4 files\nA new/n.txt\nM src/a.rs\nD old\nR from -> to/there"
    );
    assert_eq!(result.title, "Applied patch: 4 files");
    assert_eq!(project.read("new/n.txt"), "hello\nworld\n");
    assert_eq!(project.read("src/a.rs"), "one\n2\n2b\nthree\n");
    assert_eq!(project.read("to/there"), "P\nq\n");
    assert!(!project.path("old").exists() && !project.path("from").exists());

    let update = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2b\n three\n";
    let files = &result.details["files"];
    assert_eq!(
        files[1],
        json!({"path": "src/a.rs", "type": "update", "level": "exact", "additions": 2, "deletions": 1, "diff": update})
    );
    assert_eq!(files[0]["type"], "add");
    assert_eq!(
        files[0]["diff"],
        "--- /dev/null\n+++ b/new/n.txt\n@@ -0,0 +1,2 @@\n+hello\n+world\n"
    );
    assert_eq!(files[2]["type"], "delete");
    assert_eq!(files[2]["diff"], "--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
    assert_eq!(files[3]["type"], "move");
    assert_eq!(files[3]["move_path"], "to/there");
    assert_eq!(
        files[3]["diff"],
        "--- a/from\n+++ b/to/there\n@@ -1,2 +1,2 @@\n-p\n+P\n q\n"
    );
    let joined: String = (0..4)
        .map(|index| files[index]["diff"].as_str().unwrap())
        .collect();
    assert_eq!(result.details["diff"], joined);
    assert_eq!(result.details["diagnostics"], json!([]));
}

#[tokio::test]
async fn other_names_are_understood() {
    let project = open();
    let text = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
    for (tool, name) in [
        ("patch", "patch"),
        ("apply_patch", "input"),
        ("ApplyPatch", "patchText"),
    ] {
        project.ok(tool, json!({ name: text })).await;
        assert_eq!(project.read("a"), "x\n");
        fs::remove_file(project.path("a")).unwrap();
    }
}

#[tokio::test]
async fn the_level_that_was_needed_is_told() {
    let project = open();
    for (content, level) in [("one\n", "exact"), ("one \n", "trailing"), ("\tone\n", "trimmed")] {
        project.write("a", content);
        let result = project
            .run("apply_patch", patch("*** Update File: a\n@@\n-one\n+two\n"))
            .await;
        assert_eq!(result.details["files"][0]["level"], level);
        assert_eq!(project.read("a"), "two\n");
    }
    project.write("a", "say \u{201c}x\u{201d}\nkept \u{2014} so\n");
    let body = "*** Update File: a\n@@\n-say \"x\"\n+said\n kept - so\n";
    let result = project.run("apply_patch", patch(body)).await;
    assert_eq!(result.details["files"][0]["level"], "folded");
    assert_eq!(project.read("a"), "said\nkept \u{2014} so\n");
}

#[tokio::test]
async fn lines_that_are_added_with_another_indentation_than_the_file_has_are_told() {
    let project = open();
    let before = "def run(x):\n\tif x:\n\t\tvalue = 1\n\t\treturn value\n";
    project.write("r.py", before);
    let body = "*** Update File: r.py\n@@\n     if x:\n-        value = 1\n+        value = 2\n         return value\n";
    let result = project.run("apply_patch", patch(body)).await;
    assert_eq!(
        result.output,
        "Applied patch: 1 file\nM r.py\nThe indentation of the patch is not that of r.py (4 spaces in the patch, 1 tab \
         in the file). The lines after `+` were written as given: check their indentation."
    );
    assert_eq!(
        result.details["files"][0]["indentation"],
        "4 spaces in the patch, 1 tab in the file"
    );
    assert_eq!(
        project.read("r.py"),
        before.replace("\t\tvalue = 1", "        value = 2")
    );
    project.write("r.py", before);
    let body = "*** Update File: r.py\n@@\n     if x:\n-        value = 1\n         return value\n";
    project.new_turn();
    assert_eq!(
        project.ok("apply_patch", patch(body)).await,
        "Applied patch: 1 file\nM r.py",
        "nothing is added"
    );
}

#[tokio::test]
async fn a_later_section_sees_an_earlier_one() {
    let project = open();
    project.write("a", "one\ntwo\n");
    let body = "*** Update File: a\n@@\n-one\n+1\n*** Update File: a\n@@\n 1\n-two\n+2\n*** Add File: b\n+x\n*** Update File: \
                b\n*** Move to: c\n@@\n-x\n+y\n*** Delete File: c\n";
    let result = project.run("apply_patch", patch(body)).await;
    assert_eq!(result.output, "Applied patch: 4 files\nM a\nA b\nR b -> c\nD c");
    assert_eq!(project.read("a"), "1\n2\n");
    assert!(!project.path("b").exists() && !project.path("c").exists());
    assert_eq!(
        result.details["files"][0]["diff"],
        "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n-two\n+1\n+2\n"
    );
}

#[tokio::test]
async fn a_file_that_may_not_be_read_unasked_is_not_moved_unasked_to_a_name_that_may() {
    let body = "*** Update File: .env\n*** Move to: notes.txt\n@@\n-A=1\n+A=2\n";
    let project = Harness::with_rules(json!({"edit": "allow"}));
    project.write(".env", "A=1\nPASSWORD=hunter2\n");
    let (kind, _) = project.error("apply_patch", patch(body)).await;
    assert_eq!(kind, ErrorKind::Denied);
    assert!(project.path(".env").exists() && !project.path("notes.txt").exists());
    let project = Harness::with_rules(json!({"edit": "allow"})).answering(PermissionReply::Once);
    project.write(".env", "A=1\nPASSWORD=hunter2\n");
    project.ok("apply_patch", patch(body)).await;
    assert_eq!(project.asked(), [("read".to_owned(), ".env".to_owned())]);
}

#[tokio::test]
async fn a_move_onto_itself_edits_in_place() {
    let project = open();
    project.write("a", "x\n");
    let body = "*** Update File: a\n*** Move to: ./d/../a\n@@\n-x\n+y\n";
    let output = project.ok("apply_patch", patch(body)).await;
    assert_eq!(output, "Applied patch: 1 file\nM a");
    assert_eq!(project.read("a"), "y\n");
}

#[tokio::test]
async fn a_move_may_change_nothing_else() {
    let project = open();
    project.write("a", "x\r\n");
    let body = "*** Update File: a\n*** Move to: b\n@@\n x\n";
    let result = project.run("apply_patch", patch(body)).await;
    assert_eq!(result.output, "Applied patch: 1 file\nR a -> b");
    assert_eq!(result.details["files"][0]["diff"], "");
    assert_eq!(project.read("b"), "x\r\n");
}

#[tokio::test]
async fn errors_have_their_kind_and_nothing_is_written() {
    let project = open();
    project.write("a", "one\n");
    project.write("file", "x\n");
    project.write("nul", b"a\0b");
    project.write("large", vec![b'x'; 10 * 1024 * 1024 + 1]);
    fs::create_dir(project.path("dir")).unwrap();
    symlink("file", project.path("link")).unwrap();
    symlink("gone", project.path("dangling")).unwrap();
    symlink("dir", project.path("way")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        project.path("pipe"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let cases = [
        ("*** Update File: missing\n@@\n x\n", ErrorKind::NotFound),
        ("*** Delete File: missing\n", ErrorKind::NotFound),
        ("*** Update File: a\n@@\n two\n", ErrorKind::NoMatch),
        ("*** Add File: dir\n+x\n", ErrorKind::IsDirectory),
        ("*** Delete File: dir\n", ErrorKind::IsDirectory),
        (
            "*** Update File: a\n*** Move to: dir\n@@\n one\n",
            ErrorKind::IsDirectory,
        ),
        ("*** Add File: file/below\n+x\n", ErrorKind::NotDirectory),
        ("*** Delete File: file/below\n", ErrorKind::NotDirectory),
        (
            "*** Update File: a\n*** Move to: file/b\n@@\n one\n",
            ErrorKind::NotDirectory,
        ),
        (
            "*** Delete File: file\n*** Add File: file/below\n+x\n",
            ErrorKind::NotDirectory,
        ),
        (
            "*** Add File: new\n+x\n*** Add File: new/below\n+x\n",
            ErrorKind::NotDirectory,
        ),
        (
            "*** Add File: new/below\n+x\n*** Add File: new\n+x\n",
            ErrorKind::IsDirectory,
        ),
        (
            "*** Delete File: a\n*** Update File: a\n@@\n one\n",
            ErrorKind::NotFound,
        ),
        ("*** Update File: nul\n@@\n a\n", ErrorKind::Binary),
        ("*** Update File: large\n@@\n a\n", ErrorKind::TooLarge),
        ("*** Update File: pipe\n@@\n a\n", ErrorKind::Io),
        ("*** Delete File: link\n", ErrorKind::Io),
        ("*** Update File: link\n*** Move to: b\n@@\n x\n", ErrorKind::Io),
        ("*** Add File: dangling\n+x\n", ErrorKind::Io),
        ("*** Add File: a\0b\n+x\n", ErrorKind::InvalidArgs),
        ("*** Update File:\n@@\n x\n", ErrorKind::Parse),
        ("", ErrorKind::Parse),
    ];
    let count = || fs::read_dir(project.path("")).unwrap().count();
    let before = count();
    for (broken, kind) in cases {
        let body =
            format!("*** Add File: first/one\n+x\n*** Update File: a\n@@\n-one\n+one\n+more\n{broken}");
        let (found, text) = match broken {
            "" => project.error("apply_patch", patch("")).await,
            _ if broken.contains("File: a\n") => project.error("apply_patch", patch(broken)).await,
            _ => project.error("apply_patch", patch(&body)).await,
        };
        assert_eq!(found, kind, "{broken:?}: {text}");
        assert!(text.starts_with("Error: "), "{text}");
        project.new_turn();
    }
    assert_eq!(count(), before);
    assert_eq!(
        (project.read("a"), project.read("file")),
        ("one\n".into(), "x\n".into())
    );
}

#[tokio::test]
async fn what_was_not_found_is_quoted_with_its_nearest_region() {
    let project = open();
    project.write("a.rs", "fn a() {\n    begin();\n    work(1);\n}\n");
    let body = "*** Update File: a.rs\n@@\n     begin();\n-    work(2);\n+    work(3);\n";
    let (kind, text) = project.error("apply_patch", patch(body)).await;
    assert_eq!(kind, ErrorKind::NoMatch);
    for part in [
        "`a.rs`",
        "line 3 of the patch",
        "    begin();\n    work(2);",
        "lines 2-3\n    begin();\n    work(1);",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    let body = "*** Update File: a.rs\n@@\n-}\n@@\n-fn a() {\n";
    let (_, text) = project.error("apply_patch", patch(body)).await;
    assert!(
        text.contains("from line 5 on (chunks come in file order)"),
        "{text}"
    );
    let body = "*** Update File: a.rs\n@@ fn b() {\n-    begin();\n";
    let (_, text) = project.error("apply_patch", patch(body)).await;
    assert!(
        text.contains("fn b() {") && text.contains("lines 1-1\nfn a() {"),
        "{text}"
    );
    let body = "*** Update File: a.rs\n@@\n-    begin();\n*** End of File\n";
    let (_, text) = project.error("apply_patch", patch(body)).await;
    assert!(text.contains("at the end of `a.rs`"), "{text}");
}

#[tokio::test]
async fn a_patch_that_cannot_be_read_names_its_line() {
    let project = open();
    let result = project.run("apply_patch", patch("*** Add File: a\nx\n")).await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Parse));
    assert!(
        result.output.starts_with("Error: line 3 of the patch: "),
        "{}",
        result.output
    );
    assert_eq!(result.details["error"]["line"], 3);
}

#[tokio::test]
async fn untouched_lines_keep_their_bytes() {
    let project = open();
    for (before, chunk, after) in [
        ("a\r\nb\nc\r\n", "-a\n+x\n+y\n", "x\r\ny\r\nb\nc\r\n"),
        ("a\r\nb\r\n", " a\n+x\n b\n", "a\r\nx\r\nb\r\n"),
        ("\u{feff}a\nb\n", "-a\n+x\n", "\u{feff}x\nb\n"),
        ("\u{feff}a\r\nb", "-b\n+x\n", "\u{feff}a\r\nx\r\n"),
        ("a\nb", "-a\n+x\n", "x\nb\n"),
        ("a\r\nb", "-a\n+x\n", "x\r\nb\r\n"),
        ("a \n\tb\n", " a\n-b\n+c\n", "a \nc\n"),
        ("a\n", "+z\n", "a\nz\n"),
        ("", "+z\n", "z\n"),
    ] {
        project.write("f", before);
        let body = format!("*** Update File: f\n@@\n{chunk}");
        project.ok("apply_patch", patch(&body)).await;
        assert_eq!(project.read("f"), after, "{before:?} {chunk:?}");
        project.new_turn();
    }
    project.write("f", "\u{feff}a\r\nb\r\n");
    project
        .ok("apply_patch", patch("*** Add File: f\n+x\n+y\n"))
        .await;
    assert_eq!(project.read("f"), "\u{feff}x\r\ny\r\n");
    project.ok("apply_patch", patch("*** Add File: empty\n")).await;
    assert_eq!(project.read("empty"), "");
}

#[tokio::test]
async fn a_patch_with_crlf_writes_the_endings_of_the_file() {
    let project = open();
    project.write("lf", "a\n");
    project.write("crlf", "a\r\n");
    for name in ["lf", "crlf"] {
        let body = format!("*** Update File: {name}\n@@\n-a\n+b\n+c\n");
        let mut args = patch(&body);
        args["patch_text"] = args["patch_text"].as_str().unwrap().replace('\n', "\r\n").into();
        project.ok("apply_patch", args).await;
    }
    assert_eq!(project.read("lf"), "b\nc\n");
    assert_eq!(project.read("crlf"), "b\r\nc\r\n");
}

#[tokio::test]
async fn modes_and_links_are_kept_and_a_hard_link_keeps_the_old_text() {
    let project = open();
    let mode = |name: &str| fs::metadata(project.path(name)).unwrap().permissions().mode() & 0o7777;
    for name in ["run.sh", "tool.sh", "target"] {
        let path = project.write(name, "x\n");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    symlink("target", project.path("link")).unwrap();
    let first = project.write("names/one", "x\n");
    fs::hard_link(&first, project.path("names/two")).unwrap();
    let body = "*** Update File: run.sh\n@@\n-x\n+y\n*** Update File: tool.sh\n*** Move to: bin/tool\n@@\n-x\n+y\n*** Update \
                File: link\n@@\n-x\n+y\n*** Update File: names/one\n@@\n-x\n+y\n";
    let output = project.ok("apply_patch", patch(body)).await;
    assert!(output.contains("M link"), "{output}");
    assert!(
        output.ends_with("`names/one` had 1 other name (a hard link), which keeps the text of before."),
        "{output}"
    );
    for name in ["run.sh", "bin/tool", "target"] {
        assert_eq!(mode(name), 0o755, "{name}");
        assert_eq!(project.read(name), "y\n");
    }
    assert!(fs::symlink_metadata(project.path("link")).unwrap().is_symlink());
    assert_eq!(
        (project.read("names/one"), project.read("names/two")),
        ("y\n".into(), "x\n".into())
    );
    assert_eq!(fs::metadata(first).unwrap().nlink(), 1);
}

#[tokio::test]
async fn one_file_by_two_names_is_one_file() {
    let project = open();
    project.write("dir/a", "one\n");
    symlink("dir", project.path("way")).unwrap();
    let body = "*** Update File: dir/a\n@@\n-one\n+two\n*** Update File: way/a\n@@\n-two\n+three\n";
    project.ok("apply_patch", patch(body)).await;
    assert_eq!(project.read("dir/a"), "three\n");
}

#[tokio::test]
async fn without_a_record_nothing_is_written() {
    let project = open();
    project.write("a", "one\n");
    project.write("b", "one\n");
    fs::write(&project.services.tree.records_dir, "in the way").unwrap();
    let body = "*** Update File: a\n@@\n-one\n+two\n*** Delete File: b\n";
    let (kind, text) = project.error("apply_patch", patch(body)).await;
    assert_eq!(kind, ErrorKind::Io);
    assert!(text.contains("2 files were left as they are"), "{text}");
    assert_eq!(
        (project.read("a"), project.read("b")),
        ("one\n".into(), "one\n".into())
    );
}

#[tokio::test]
async fn a_huge_patch_takes_no_time() {
    let project = open();
    let mut lines = String::new();
    for line in 0..60_000 {
        writeln!(lines, "line {line}").unwrap();
    }
    project.write("big", &lines);
    let mut body = String::from("*** Update File: big\n");
    for line in (0..60_000).step_by(20) {
        writeln!(body, "@@\n-line {line}\n+LINE {line}").unwrap();
    }
    for file in 0..500 {
        writeln!(body, "*** Add File: many/{file}\n+x").unwrap();
    }
    let output = project.ok("apply_patch", patch(&body)).await;
    assert!(output.starts_with("Applied patch: 501 files\nM big\nA many/0\n"));
    assert!(project.read("big").contains("\nLINE 59980\nline 59981\n"));
}
