//! Guards: files that must have been read, and paths that are asked about or denied.

use std::fs;

use serde_json::json;

use super::patch;
use crate::conversation::ErrorKind;
use crate::permission::{Mode, PermissionReply};
use crate::tool::ToolSettings;
use crate::tool::harness::{Harness, HarnessOptions};

/// Every ask is answered, and files have to be read first.
fn guarded() -> Harness {
    Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        ..HarnessOptions::default()
    })
}

#[tokio::test]
async fn what_would_be_lost_must_have_been_read() {
    let bodies = [
        "*** Delete File: a\n",
        "*** Add File: a\n+new\n",
        "*** Add File: n\n+x\n*** Update File: n\n*** Move to: a\n@@\n x\n",
    ];
    for body in bodies {
        let fresh = guarded();
        fresh.write("a", "one\n");
        let (kind, text) = fresh.error("apply_patch", patch(body)).await;
        assert_eq!(kind, ErrorKind::NotRead, "{body}");
        assert_eq!(
            text,
            "Error: `a` has not been read in this session; read it first"
        );
        assert_eq!(fresh.read("a"), "one\n");
        fresh.ok("read", json!({"file_path": "a"})).await;
        fresh.write("a", "two\n");
        let (kind, text) = fresh.error("apply_patch", patch(body)).await;
        assert_eq!(kind, ErrorKind::Stale, "{body}");
        assert_eq!(text, "Error: `a` changed since it was read; read it again");
        fresh.ok("read", json!({"file_path": "a"})).await;
        fresh.new_turn();
        fresh.ok("apply_patch", patch(body)).await;
    }
}

#[tokio::test]
async fn an_update_needs_no_reading_and_counts_as_such() {
    let project = guarded();
    project.write("a", "one\n");
    project
        .ok("apply_patch", patch("*** Update File: a\n@@\n-one\n+two\n"))
        .await;
    project
        .ok(
            "apply_patch",
            patch("*** Update File: a\n*** Move to: b\n@@\n two\n"),
        )
        .await;
    project.ok("apply_patch", patch("*** Delete File: b\n")).await;
    // What the patch itself makes it knows.
    project
        .ok(
            "apply_patch",
            patch("*** Add File: c\n+x\n*** Add File: c\n+y\n*** Delete File: c\n"),
        )
        .await;
    assert!(!project.path("b").exists() && !project.path("c").exists());
}

#[tokio::test]
async fn one_question_names_every_path_once() {
    let project = Harness::new().answering(PermissionReply::Once);
    project.write("a", "x\n");
    let outside = project.outside("o");
    let body = format!(
        "*** Update File: a\n*** Move to: b\n@@\n x\n*** Update File: b\n@@\n-x\n+y\n*** Add File: {}\n+o\n*** Add File: \
         .envrc\n+e\n",
        outside.display()
    );
    project.ok("apply_patch", patch(&body)).await;
    let asked = project.asked();
    let edits: Vec<_> = asked.iter().filter(|(key, _)| key == "edit").collect();
    assert_eq!(edits.len(), 4, "{asked:?}");
    for (key, pattern) in [("edit", "a"), ("edit", "b"), ("protected", ".envrc")] {
        assert!(asked.contains(&(key.into(), pattern.into())), "{asked:?}");
    }
    assert!(asked.iter().any(|(key, _)| key == "external_directory"));
    assert_eq!(fs::read_to_string(outside).unwrap(), "o\n");
}

#[tokio::test]
async fn one_path_that_is_denied_denies_the_patch() {
    let rules = json!({"edit": {"*": "allow", "secret": "deny"}});
    let project = Harness::with(HarnessOptions {
        rules,
        settings: ToolSettings::default(),
        ..HarnessOptions::default()
    });
    project.write(".git/config", "[core]\n");
    project.write("s", "x\n");
    for body in [
        "*** Add File: a\n+x\n*** Add File: secret\n+x\n",
        "*** Update File: s\n*** Move to: secret\n@@\n x\n",
        "*** Add File: a\n+x\n*** Delete File: .git/config\n",
        "*** Add File: a\n+x\n*** Update File: .git/config\n@@\n not there\n",
        "*** Add File: a\n+x\n*** Add File: lathe.jsonc\n+{}\n",
    ] {
        let (kind, text) = project.error("apply_patch", patch(body)).await;
        assert_eq!(kind, ErrorKind::Denied, "{body}: {text}");
        assert!(!project.path("a").exists(), "{body}");
    }
    assert_eq!(project.read(".git/config"), "[core]\n");
    assert_eq!(project.read("s"), "x\n");
}

#[tokio::test]
async fn an_error_does_not_quote_a_file_that_may_not_be_read() {
    let project = Harness::with(HarnessOptions {
        rules: json!({"edit": "allow"}),
        settings: ToolSettings::default(),
        ..HarnessOptions::default()
    });
    project.write(".env", "PASSWORD=hunter2\n");
    let body = "*** Add File: a\n+x\n*** Update File: .env\n@@\n-PASSWORD=hunter3\n";
    let (kind, text) = project.error("apply_patch", patch(body)).await;
    assert_eq!(kind, ErrorKind::Denied);
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(project.asked(), [("read".to_owned(), ".env".to_owned())]);
}
