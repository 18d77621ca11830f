//! Paths that name no file or more than one thing, and when they are asked about.

use std::fs;

use super::*;
use crate::permission::PermissionReply;

#[tokio::test]
async fn a_link_to_nothing_does_not_suggest_itself() {
    let project = Harness::new();
    std::os::unix::fs::symlink("gone", project.path("main.rs")).unwrap();
    std::os::unix::fs::symlink("gone", project.path("main.r")).unwrap();
    let (kind, text) = project.error("read", json!({"file_path": "main.rs"})).await;
    assert_eq!(kind, ErrorKind::NotFound);
    assert_eq!(text, "Error: `main.rs` is a symbolic link to nothing");
    project.write("main.rsx", "");
    let (_, text) = project.error("read", json!({"file_path": "main.rs"})).await;
    assert!(text.ends_with("\nDid you mean:\nmain.rsx"), "{text}");
}

#[tokio::test]
async fn a_missing_file_names_up_to_three_like_it() {
    let project = Harness::new();
    for path in [
        "src/main.rs",
        "src/Main.rs.bak",
        "src/mian.rs",
        "src/other.rs",
        "src/xmain.rsx",
        "src/zmain.rs",
    ] {
        project.write(path, "");
    }
    let (kind, text) = project.error("read", json!({"file_path": "src/Main.r"})).await;
    assert_eq!(kind, ErrorKind::NotFound);
    assert_eq!(
        text,
        "Error: `src/Main.r` does not exist\nDid you mean:\nsrc/main.rs\nsrc/zmain.rs\nsrc/xmain.rsx"
    );
    let (kind, text) = project.error("read", json!({"file_path": "none/at/all"})).await;
    assert_eq!(
        (kind, text.as_str()),
        (ErrorKind::NotFound, "Error: `none/at/all` does not exist")
    );
}

#[tokio::test]
async fn odd_paths_are_refused_before_anything_is_looked_at() {
    let project = Harness::new();
    for path in ["", "a\0b"] {
        let (kind, _) = project.error("read", json!({"file_path": path})).await;
        assert_eq!(kind, ErrorKind::InvalidArgs, "{path:?}");
    }
    let (kind, text) = project.error("read", json!({})).await;
    assert_eq!(kind, ErrorKind::InvalidArgs);
    assert!(text.contains("`file_path` is missing (string)"), "{text}");
    let (kind, _) = project.error("read", json!({"file_path": "/dev/null"})).await;
    assert_ne!(kind, ErrorKind::Internal);
}

#[cfg(unix)]
#[tokio::test]
async fn pipes_and_links_to_nothing_are_told_apart() {
    let project = Harness::new();
    std::os::unix::fs::symlink("nowhere", project.path("dangling")).unwrap();
    let (kind, text) = project.error("read", json!({"file_path": "dangling"})).await;
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(text.contains("link to nothing"), "{text}");
    let made = std::process::Command::new("mkfifo")
        .arg(project.path("pipe"))
        .status();
    if made.is_ok_and(|status| status.success()) {
        let (kind, _) = project.error("read", json!({"file_path": "pipe"})).await;
        assert_eq!(kind, ErrorKind::Io);
    }
}

#[tokio::test]
async fn a_vanished_directory_gives_not_found() {
    let project = Harness::new();
    fs::remove_dir_all(project.path("")).unwrap();
    let (kind, _) = project.error("read", json!({"file_path": "a"})).await;
    assert_eq!(kind, ErrorKind::NotFound);
    let (kind, _) = project.error("read", json!({"file_path": "."})).await;
    assert_eq!(kind, ErrorKind::NotFound);
}

#[tokio::test]
async fn nothing_is_told_before_the_asks_are_answered() {
    let project = Harness::new();
    project.write("there.env", b"\0");
    for path in ["there.env", "missing.env"] {
        let (kind, text) = project.error("read", json!({"file_path": path})).await;
        assert_eq!(kind, ErrorKind::Denied, "{text}");
        assert_eq!(project.asked(), [("read".to_owned(), path.to_owned())]);
    }
    let (kind, _) = project
        .error("read", json!({"file_path": project.outside("missing")}))
        .await;
    assert_eq!(kind, ErrorKind::Denied);
    let asked = project.asked();
    let pattern = format!("{}/*", project.outside("").display()).replace("//", "/");
    assert_eq!(asked[0], ("external_directory".to_owned(), pattern));
    let project = Harness::new().answering(PermissionReply::Once);
    project.write("there.env", "KEY=1\n");
    assert!(
        read(&project, json!({"file_path": "there.env"}))
            .await
            .contains("1: KEY=1")
    );
    let (kind, _) = project.error("read", json!({"file_path": "missing.env"})).await;
    assert_eq!(kind, ErrorKind::NotFound);
    fs::write(project.outside("x"), "out\n").unwrap();
    let path = project.outside("x");
    let text = read(&project, json!({"file_path": path})).await;
    assert!(
        text.starts_with(&format!("<path>{}</path>", path.display())),
        "{text}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_is_judged_by_where_it_leads_too() {
    let project = Harness::new();
    project.write(".env", "KEY=1");
    std::os::unix::fs::symlink(".env", project.path("plain")).unwrap();
    let (kind, _) = project.error("read", json!({"file_path": "plain"})).await;
    assert_eq!(kind, ErrorKind::Denied);
    fs::write(project.outside("x"), "out").unwrap();
    std::os::unix::fs::symlink(project.outside("x"), project.path("way")).unwrap();
    let (kind, _) = project.error("read", json!({"file_path": "way"})).await;
    assert_eq!(kind, ErrorKind::Denied);
    assert!(project.asked().iter().any(|(key, _)| key == "external_directory"));
}

#[tokio::test]
async fn a_directory_lists_directories_first() {
    let project = Harness::new();
    for path in [
        "d/b.txt",
        "d/a.txt",
        "d/sub-x/1",
        "d/sub/1",
        "d/.hidden",
        "d/new\nline",
    ] {
        project.write(path, "");
    }
    let result = project.run("read", json!({"file_path": "d"})).await;
    assert_eq!(
        result.output,
        "<path>d</path>\n<type>directory</type>\n<entries>\nsub/\nsub-x/\n.hidden\na.txt\nb.txt\nnew\\nline\n\n\
         (6 entries)\n</entries>"
    );
    assert_eq!(result.details["kind"], "directory");
    let text = read(&project, json!({"file_path": "d", "offset": 2, "limit": 2})).await;
    assert!(
        text.contains("<entries>\nsub-x/\n.hidden\n\n(entries 2-3 of 6; continue with offset=4)"),
        "{text}"
    );
    let text = read(&project, json!({"file_path": "d", "offset": 6})).await;
    assert!(text.contains("<entries>\nnew\\nline\n\n(6 entries)"), "{text}");
    let (kind, text) = project
        .error("read", json!({"file_path": "d", "offset": 7}))
        .await;
    assert_eq!(kind, ErrorKind::InvalidArgs);
    assert!(text.contains("6 entries"), "{text}");
    fs::create_dir(project.path("empty")).unwrap();
    let text = read(&project, json!({"file_path": "empty"})).await;
    assert!(text.ends_with("<entries>\n(0 entries)\n</entries>"), "{text}");
}

#[tokio::test]
async fn a_large_directory_comes_in_pages_of_its_own() {
    let project = Harness::new();
    for index in 0..2100 {
        project.write(format!("d/f{index:04}"), "");
    }
    let result = project.run("read", json!({"file_path": "d"})).await;
    assert!(!result.truncated);
    assert!(
        result
            .output
            .contains("\nf1999\n\n(entries 1-2000 of 2100; continue with offset=2001)")
    );
}

#[tokio::test]
async fn a_link_that_changes_while_it_is_asked_about_is_not_followed() {
    let project = Harness::with_rules(json!({"read": "ask"})).attended();
    project.write("a.txt", "a");
    project.write(".env", "SECRET");
    let link = project.path("link");
    std::os::unix::fs::symlink("a.txt", &link).unwrap();
    let call = project.run("read", json!({"file_path": "link"}));
    let swap = project.allow_after(|| {
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(".env", &link).unwrap();
    });
    let (result, ()) = tokio::join!(call, swap);
    assert_eq!(result.error_kind(), Some(ErrorKind::Stale), "{}", result.output);
    assert!(!result.output.contains("SECRET"));
}
