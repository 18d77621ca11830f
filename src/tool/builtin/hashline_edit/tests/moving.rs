//! Files that are created, removed and moved.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;
use crate::permission::PermissionReply;

#[tokio::test]
async fn a_missing_file_is_created_at_its_ends_alone() {
    let project = open();
    let edits = json!([{"type": "append", "text": "b"}, {"type": "prepend", "text": "a"}]);
    let result = edit(&project, "new/f", edits).await;
    assert_eq!(
        result.output,
        format!(
            "Created new/f: 2 edits, +2 -0\n{}|a\n{}|b",
            at("a\nb", 1),
            at("a\nb", 2)
        )
    );
    assert_eq!(result.details["type"], "add");
    assert_eq!(project.read("new/f"), "a\nb\n");
    for edits in [
        json!([{"type": "append", "text": "b"}, {"type": "replace", "old_text": "a", "new_text": "b"}]),
        json!([{"type": "set_line", "line": "1:00", "text": "b"}]),
    ] {
        let result = edit(&project, "none", edits).await;
        assert_eq!(kind(&result), ErrorKind::NotFound);
        assert!(!project.path("none").exists());
    }
    for given in [
        json!({"file_path": "none", "delete": true}),
        json!({"file_path": "none", "rename": "x"}),
    ] {
        assert_eq!(project.error("hashline_edit", given).await.0, ErrorKind::NotFound);
    }
}

#[tokio::test]
async fn a_file_is_removed() {
    let project = open();
    project.write("src/a.rs", "a\nb\n");
    let result = project
        .run("hashline_edit", json!({"file_path": "src/a.rs", "delete": true}))
        .await;
    assert_eq!(result.output, "Deleted src/a.rs");
    assert_eq!(
        (&result.details["type"], &result.details["deletions"]),
        (&json!("delete"), &json!(2))
    );
    assert!(!project.path("src/a.rs").exists());
    fs::create_dir(project.path("dir")).unwrap();
    let given = json!({"file_path": "dir", "delete": true});
    assert_eq!(
        project.error("hashline_edit", given).await.0,
        ErrorKind::IsDirectory
    );
}

#[tokio::test]
async fn a_file_is_moved_with_or_without_edits_and_never_over_another() {
    let project = open();
    let path = project.write("a", "one\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let result = project
        .run("hashline_edit", json!({"file_path": "a", "move_to": "new/b"}))
        .await;
    assert_eq!(result.output, "Moved a to new/b");
    assert_eq!(
        (&result.details["renamed_to"], &result.details["type"]),
        (&json!("new/b"), &json!("move"))
    );
    assert!(!path.exists());
    assert_eq!(project.path("new/b").metadata().unwrap().mode() & 0o777, 0o755);
    project.write("taken", "mine\n");
    let edits = json!([{"type": "append", "text": "two"}]);
    for target in ["taken", "new"] {
        let given = json!({"file_path": "new/b", "rename": target, "edits": edits});
        assert_eq!(
            project.error("hashline_edit", given).await.0,
            ErrorKind::Exists,
            "{target}"
        );
    }
    assert_eq!(
        (project.read("new/b"), project.read("taken")),
        ("one\n".into(), "mine\n".into())
    );
    let result = project
        .run(
            "hashline_edit",
            json!({"file_path": "new/b", "rename": "c", "edits": edits}),
        )
        .await;
    assert!(
        result.output.starts_with("Moved new/b to c: 1 edit, +1 -0\n"),
        "{}",
        result.output
    );
    assert_eq!(project.read("c"), "one\ntwo\n");
    // Onto itself it is an edit.
    let given = json!({"file_path": "c", "rename": "./c", "edits": edits});
    assert!(
        project
            .ok("hashline_edit", given)
            .await
            .starts_with("Updated c: ")
    );
}

#[tokio::test]
async fn links_are_edited_where_they_lead_and_neither_removed_nor_moved() {
    let project = open();
    project.write("real", "a\n");
    symlink("real", project.path("link")).unwrap();
    assert!(
        edit(&project, "link", json!([{"type": "append", "text": "b"}]))
            .await
            .ok
    );
    assert!(project.path("link").is_symlink());
    assert_eq!(project.read("real"), "a\nb\n");
    for given in [
        json!({"file_path": "link", "delete": true}),
        json!({"file_path": "link", "rename": "x"}),
    ] {
        assert_eq!(project.error("hashline_edit", given).await.0, ErrorKind::Io);
    }
    symlink("nowhere", project.path("dangling")).unwrap();
    let result = edit(&project, "dangling", json!([{"type": "append", "text": "b"}])).await;
    assert_eq!(kind(&result), ErrorKind::Io);
    let given = json!({"file_path": "real", "rename": "dangling"});
    assert_eq!(project.error("hashline_edit", given).await.0, ErrorKind::Io);
    assert_eq!(project.read("real"), "a\nb\n");
}

#[tokio::test]
async fn the_other_names_of_a_file_keep_its_text() {
    let project = open();
    project.write("a", "1\n");
    fs::hard_link(project.path("a"), project.path("b")).unwrap();
    let result = edit(&project, "a", json!([{"type": "append", "text": "2"}])).await;
    assert!(
        result.output.starts_with(
            "Updated a: 1 edit, +1 -0\n`a` had 1 other name (a hard link), which keeps the text of before.\n"
        ),
        "{}",
        result.output
    );
    assert_eq!(project.read("b"), "1\n");
}

#[tokio::test]
async fn a_file_that_may_not_be_read_unasked_is_not_moved_unasked_to_a_name_that_may() {
    let moved = |from: &str| json!({"file_path": from, "rename": "notes.txt"});
    let asked_to_read = ("read".to_owned(), ".env".to_owned());
    let project = Harness::with_rules(json!({"edit": "allow"})).answering(PermissionReply::Once);
    project.write(".env", "PASSWORD=hunter2\n");
    let text = project.ok("hashline_edit", moved(".env")).await;
    assert_eq!(text, "Moved .env to notes.txt");
    assert_eq!(project.asked(), [asked_to_read]);

    let project = Harness::with_rules(json!({"edit": "allow", "read": {"*": "allow", "secret": "deny"}}));
    project.write("secret", "hunter2\n");
    symlink(".", project.path("here")).unwrap();
    for from in ["secret", "here/secret"] {
        assert_eq!(
            project.error("hashline_edit", moved(from)).await.0,
            ErrorKind::Denied
        );
    }
    project.write("plain", "x\n");
    project.ok("hashline_edit", moved("plain")).await;
}

#[tokio::test]
async fn both_places_of_a_move_are_asked_about_in_one_question() {
    let project = Harness::new().answering(PermissionReply::Once);
    project.write("a", "one\n");
    let given = json!({"file_path": "a", "rename": "b"});
    project.ok("hashline_edit", given).await;
    assert_eq!(
        project.asked(),
        [
            ("edit".to_owned(), "a".to_owned()),
            ("edit".to_owned(), "b".to_owned())
        ]
    );
    project.write(".git/config", "[core]\n");
    let given = json!({"file_path": ".git/config", "delete": true});
    assert_eq!(project.error("hashline_edit", given).await.0, ErrorKind::Denied);
    let given = json!({"file_path": "b", "rename": ".git/hooks/x"});
    assert_eq!(project.error("hashline_edit", given).await.0, ErrorKind::Denied);
}
