//! The files that are searched, and those that are left out.

use super::*;

#[tokio::test]
async fn files_are_chosen_by_path_and_globs() {
    let project = tree();
    for (args, wanted) in [
        (json!({"path": "src/b.rs"}), "src/b.rs"),
        (json!({"paths": ["src/b.rs", "src/b.rs"]}), "src/b.rs"),
        (json!({"path": ["src"], "exclude": "a.rs"}), "src/b.rs"),
        (json!({"dir": "src", "include": "b*"}), "src/b.rs"),
        (json!({"file_pattern": "*.txt,*.md"}), "c.txt"),
        (json!({"glob": ["*.{txt,md}"]}), "c.txt"),
        (json!({"include": "*.rs, *.txt", "exclude": ["src/**"]}), "c.txt"),
        (json!({"path": "", "include": "", "exclude": "src"}), "c.txt"),
        (json!({"path": project.path("c.txt")}), "c.txt"),
        (
            json!({"path": format!("file://{}", project.path("c.txt").display())}),
            "c.txt",
        ),
    ] {
        let mut args = args;
        args["pattern"] = json!("total");
        args["output_mode"] = json!("files_with_matches");
        assert_eq!(
            grep(&project, args.clone()).await,
            format!("Found 1 file\n\n{wanted}"),
            "{args}"
        );
    }
}

#[tokio::test]
async fn ignored_files_and_git_are_left_out_and_hidden_ones_are_not() {
    let project = Harness::new();
    for path in [
        "seen",
        ".hidden/seen",
        ".git/x",
        "sub/.git/x",
        "ignored/x",
        "a.log",
        "other/x",
    ] {
        project.write(path, "needle");
    }
    project.write(".gitignore", "ignored/\n*.log\n");
    project.write(".ignore", "/other\n");
    let args = json!({"pattern": "needle", "output_mode": "count"});
    assert_eq!(
        grep(&project, args).await,
        "Found 2 matches in 2 files\n\n1  .hidden/seen\n1  seen"
    );
    let args = json!({"pattern": "needle", "path": "a.log"});
    assert!(grep(&project, args).await.contains("1: needle"));
}

#[tokio::test]
async fn what_read_would_not_show_is_skipped_and_counted() {
    let project = Harness::with_rules(json!({"read": {"secret/*": "deny"}}));
    for path in [".env", "sub/prod.env", "secret/x", ".env.example", "plain"] {
        project.write(path, "needle");
    }
    let result = project.run("grep", json!({"pattern": "needle"})).await;
    assert_eq!(
        result.output,
        "Found 2 matches in 2 files\n\n.env.example\n  1: needle\n\nplain\n  1: needle\n\n\
         skipped 3 files: no read permission"
    );
    assert_eq!(result.details["skipped_unreadable"], 3);
    for path in [".env", "secret"] {
        assert_eq!(
            grep(&project, json!({"pattern": "needle", "path": path})).await,
            "No matches found\n\nskipped 1 file: no read permission"
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_does_not_lead_to_what_read_would_not_show() {
    let project = Harness::with_rules(json!({"read": {"secret/*": "deny"}}));
    project.write("secret/x", "needle");
    project.write("plain/x", "needle");
    for (link, target) in [("way", "secret"), ("file", "secret/x"), ("open", "plain")] {
        std::os::unix::fs::symlink(project.path(target), project.path(link)).unwrap();
    }
    for path in ["way", "file"] {
        let text = grep(&project, json!({"pattern": "needle", "path": path})).await;
        assert!(text.starts_with("No matches found"), "{text}");
    }
    let text = grep(&project, json!({"pattern": "needle", "path": "open"})).await;
    assert_eq!(text, "Found 1 match in 1 file\n\nopen/x\n  1: needle");
    let text = grep(&project, json!({"pattern": "needle"})).await;
    assert!(text.starts_with("Found 1 match in 1 file\n\nplain/x"), "{text}");
}

#[tokio::test]
async fn binary_and_huge_files_are_skipped() {
    let project = Harness::new();
    project.write("binary", b"needle\n\0\n");
    let mut huge = b"needle\n".to_vec();
    huge.resize(10 * 1024 * 1024 + 1, b'\n');
    project.write("huge", &huge);
    assert_eq!(
        grep(&project, json!({"pattern": "needle"})).await,
        "No matches found"
    );
    let text = grep(&project, json!({"pattern": "needle", "path": "huge"})).await;
    assert!(text.starts_with("Found 1 match"), "{text}");
    assert_eq!(
        grep(&project, json!({"pattern": "needle", "path": "binary"})).await,
        "No matches found\n\nskipped binary: a binary file"
    );
}

#[tokio::test]
async fn crlf_utf_16_and_broken_bytes_are_shown_as_text() {
    let project = Harness::new();
    project.write("crlf", "needle;\r\nother\r\n");
    project.write("wide", b"\xff\xfen\0e\0e\0d\0l\0e\0;\0");
    project.write("latin", b"caf\xe9 needle;\x1b[31m\x07\n");
    assert_eq!(
        grep(&project, json!({"pattern": "needle;$"})).await,
        "Found 2 matches in 2 files\n\ncrlf\n  1: needle;\n\nwide\n  1: needle;"
    );
    let text = grep(&project, json!({"pattern": "needle", "path": "latin"})).await;
    assert!(text.ends_with("  1: café needle;"), "{text:?}");
    let text = grep(
        &project,
        json!({"pattern": "\\r$", "output_mode": "files_with_matches"}),
    )
    .await;
    assert_eq!(text, "Found 1 file\n\ncrlf");
}

#[tokio::test]
async fn odd_names_stay_on_one_line() {
    let project = Harness::new();
    project.write("a\nb\x1b]0;x", "needle");
    assert_eq!(
        grep(&project, json!({"pattern": "needle"})).await,
        "Found 1 match in 1 file\n\na\\nb\\u{1b}]0;x\n  1: needle"
    );
}

#[tokio::test]
async fn a_missing_path_is_told_after_what_lies_outside_was_asked() {
    let project = tree();
    let (kind, text) = project
        .error("grep", json!({"pattern": "a", "path": ["src", "none"]}))
        .await;
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(text.starts_with("Error: `none` does not exist"), "{text}");
    for path in [project.outside("none"), project.outside("")] {
        let (kind, text) = project.error("grep", json!({"pattern": "a", "path": path})).await;
        assert_eq!(kind, ErrorKind::Denied);
        assert!(!text.contains("does not exist"), "{text}");
    }
    assert!(project.asked().iter().all(|(key, _)| key == "external_directory"));
    let project = Harness::with_rules(json!({"external_directory": "allow"}));
    let file = project.outside("x");
    fs::write(&file, "needle").unwrap();
    let text = grep(
        &project,
        json!({"pattern": "needle", "path": project.outside("")}),
    )
    .await;
    assert_eq!(
        text,
        format!("Found 1 match in 1 file\n\n{}\n  1: needle", file.display())
    );
}

#[cfg(unix)]
#[tokio::test]
async fn pipes_are_refused_when_named_and_passed_by_else() {
    let project = tree();
    let made = std::process::Command::new("mkfifo")
        .arg(project.path("pipe"))
        .status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let (kind, _) = project
        .error("grep", json!({"pattern": "a", "path": "pipe"}))
        .await;
    assert_eq!(kind, ErrorKind::Io);
    grep(&project, json!({"pattern": "total"})).await;
}

#[cfg(unix)]
#[tokio::test]
async fn files_that_cannot_be_opened_are_skipped_and_counted() {
    use std::os::unix::fs::PermissionsExt;
    let project = Harness::new();
    let path = project.write("closed", "needle");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read(&path).is_ok() {
        return; // The superuser reads everything.
    }
    assert_eq!(
        grep(&project, json!({"pattern": "needle"})).await,
        "No matches found\n\nskipped 1 file: no read permission"
    );
}

#[tokio::test]
async fn absolute_globs_choose_files_too() {
    let project = tree();
    for (include, exclude, path, wanted) in [
        (
            json!(project.path("src/*.rs")),
            json!(null),
            ".",
            "Found 2 files\n\nsrc/",
        ),
        (
            json!(project.path("**/*.rs")),
            json!(null),
            "src",
            "Found 2 files\n\nsrc/",
        ),
        (
            json!(null),
            json!(project.path("src")),
            ".",
            "Found 1 file\n\nc.txt",
        ),
        (
            json!(null),
            json!([project.path("src/a.rs"), project.path("c.*")]),
            ".",
            "Found 1 file\n\nsrc/b.rs",
        ),
        (json!(project.outside("*")), json!(null), ".", "No matches found"),
    ] {
        let args = json!({"pattern": "total", "include": include, "exclude": exclude, "path": path,
                          "output_mode": "files_with_matches"});
        let text = grep(&project, args.clone()).await;
        assert!(text.starts_with(wanted), "{args} {text}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_root_that_is_a_link_to_the_project_shows_nothing_more() {
    let project = Harness::new();
    project.write(".env", "S=1");
    project.write("plain", "S=2");
    std::os::unix::fs::symlink(".", project.path("d")).unwrap();
    std::os::unix::fs::symlink(".env", project.path("notes")).unwrap();
    for path in ["d", ".", "d/d", "notes", "d/notes"] {
        let text = grep(&project, json!({"pattern": "S=", "path": path})).await;
        assert!(
            !text.contains("S=1") && text.contains("skipped 1 file"),
            "{path}: {text}"
        );
    }
}
