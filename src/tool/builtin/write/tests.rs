use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use serde_json::{Value, json};

use super::*;
use crate::conversation::{CallResult, ErrorKind};
use crate::permission::{Mode, PermissionReply};
use crate::tool::ToolSettings;
use crate::tool::harness::{Harness, HarnessOptions};
use crate::view::card::plain;

/// Every ask is answered.
fn yolo() -> Harness {
    Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        ..HarnessOptions::default()
    })
}

fn args(path: &str, content: &str) -> Value {
    json!({"file_path": path, "content": content})
}

async fn read(project: &Harness, path: &str) {
    project.ok("read", json!({"file_path": path})).await;
}

#[tokio::test]
async fn a_project_directory_that_is_gone_is_said_and_not_made_anew() {
    let project = Harness::with_rules(json!({"*": "allow"}));
    let root = project.services.roots.project_root().to_path_buf();
    fs::remove_dir_all(&root).unwrap();
    let said = format!(
        "Error: `{}` is the project directory and does not exist any more",
        root.display()
    );
    for (tool, args) in [
        ("write", json!({"file_path": "a.txt", "content": "x"})),
        ("write", json!({"file_path": "new/a.txt", "content": "x"})),
        (
            "edit",
            json!({"file_path": "a.txt", "old_string": "", "new_string": "x"}),
        ),
        ("read", json!({"file_path": "a.txt"})),
        ("list", json!({})),
        ("glob", json!({"pattern": "*"})),
        ("grep", json!({"pattern": "x"})),
        ("bash", json!({"command": "echo x > a.txt"})),
    ] {
        let (kind, text) = project.error(tool, args).await;
        assert_eq!(kind, ErrorKind::NotFound, "{tool}: {text}");
        assert!(text.starts_with(&said), "{tool}: {text}");
    }
    assert!(!root.exists());
}

#[tokio::test]
async fn a_file_is_created_with_its_directories() {
    let project = yolo();
    let result = project.run("write", args("src/new/a.rs", "one\ntwo\n")).await;
    assert_eq!(result.output, "Wrote src/new/a.rs (2 lines, created)");
    assert_eq!(project.read("src/new/a.rs"), "one\ntwo\n");
    let details = &result.details;
    assert_eq!(details["path"], "src/new/a.rs");
    assert_eq!(details["created"], true);
    assert_eq!((&details["bytes"], &details["lines"]), (&json!(8), &json!(2)));
    assert_eq!(
        (&details["additions"], &details["deletions"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(
        details["diff"],
        "--- /dev/null\n+++ b/src/new/a.rs\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    );
    assert_eq!(details["diagnostics"], json!([]));
    let mode = fs::metadata(project.path("src/new/a.rs")).unwrap().mode();
    assert_eq!(mode & 0o111, 0);
    assert_eq!(
        project.ok("write", args("one", "x")).await,
        "Wrote one (1 line, created)"
    );
    assert_eq!(
        project.ok("write", args("none", "")).await,
        "Wrote none (0 lines, created)"
    );
}

#[tokio::test]
async fn an_existing_file_must_have_been_read_as_it_is() {
    let project = yolo();
    project.write("src/a.rs", "old\n");
    let (kind, text) = project.error("write", args("src/a.rs", "new\n")).await;
    assert_eq!(kind, ErrorKind::NotRead);
    assert_eq!(
        text,
        "Error: `src/a.rs` has not been read in this session; read it first"
    );
    read(&project, "src/a.rs").await;
    project.write("src/a.rs", "changed\n");
    let (kind, text) = project.error("write", args("src/a.rs", "new\n")).await;
    assert_eq!(kind, ErrorKind::Stale);
    assert_eq!(text, "Error: `src/a.rs` changed since it was read; read it again");
    assert_eq!(project.read("src/a.rs"), "changed\n");
    read(&project, "src/a.rs").await;
    assert_eq!(
        project.ok("write", args("src/a.rs", "new\n")).await,
        "Wrote src/a.rs (1 line, +1 -1)"
    );
    // What lathe wrote itself it knows.
    project.ok("write", args("src/a.rs", "newer\n")).await;
    assert_eq!(project.read("src/a.rs"), "newer\n");
}

#[tokio::test]
async fn a_part_of_the_file_is_enough_to_know_it_and_a_search_is_not() {
    let project = yolo();
    project.write("a", "one\ntwo\n");
    project.ok("grep", json!({"pattern": "one"})).await;
    assert_eq!(project.error("write", args("a", "x")).await.0, ErrorKind::NotRead);
    project.ok("read", json!({"file_path": "a", "limit": 1})).await;
    project.ok("write", args("a", "x")).await;
}

#[tokio::test]
async fn the_guard_can_be_switched_off() {
    let project = Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        settings: ToolSettings::default(),
        ..HarnessOptions::default()
    });
    project.write("a", "old\n");
    project.ok("write", args("a", "new\n")).await;
}

#[tokio::test]
async fn the_same_content_is_not_written_again() {
    let project = yolo();
    let path = project.write("a", "one\r\ntwo\r\n");
    read(&project, "a").await;
    let before = fs::metadata(&path).unwrap();
    assert_eq!(
        project.ok("write", args("a", "one\ntwo\n")).await,
        "Wrote a (unchanged)\nThe file keeps its CRLF line endings."
    );
    let after = fs::metadata(&path).unwrap();
    assert_eq!(
        (before.ino(), before.mtime_nsec()),
        (after.ino(), after.mtime_nsec())
    );
}

#[tokio::test]
async fn line_endings_and_the_byte_order_mark_stay() {
    let project = yolo();
    for (before, content, after) in [
        ("a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"),
        ("a\r\nb\r\n", "x\r\ny\n", "x\r\ny\n"),
        ("a\nb\n", "x\ny\n", "x\ny\n"),
        ("\u{feff}a\n", "x\n", "\u{feff}x\n"),
        ("\u{feff}a\n", "\u{feff}x\n", "\u{feff}x\n"),
        ("\u{feff}a\r\n", "x\n", "\u{feff}x\r\n"),
    ] {
        project.write("f", before);
        read(&project, "f").await;
        project.ok("write", args("f", content)).await;
        assert_eq!(project.read("f"), after, "{before:?} {content:?}");
    }
}

#[tokio::test]
async fn mode_bits_and_links_stay_and_a_hard_link_is_told_to_keep_the_old_text() {
    let project = yolo();
    let script = project.write("run.sh", "a\n");
    fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
    symlink("run.sh", project.path("link")).unwrap();
    fs::hard_link(&script, project.path("twin")).unwrap();
    read(&project, "link").await;
    assert_eq!(
        project.ok("write", args("link", "b\n")).await,
        "Wrote link (1 line, +1 -1)\n`link` had 1 other name (a hard link), which keeps the text of before."
    );
    assert!(project.path("link").is_symlink());
    assert_eq!(
        (project.read("run.sh"), project.read("twin")),
        ("b\n".into(), "a\n".into())
    );
    assert_eq!(fs::metadata(&script).unwrap().mode() & 0o777, 0o755);
}

#[tokio::test]
async fn what_is_no_text_file_is_refused_by_its_kind() {
    let project = yolo();
    fs::create_dir(project.path("dir")).unwrap();
    project.write("nul", b"a\0b");
    project.write("large", vec![b'x'; 10 * 1024 * 1024 + 1]);
    symlink("nowhere", project.path("dangling")).unwrap();
    for (path, kind) in [
        ("dir", ErrorKind::IsDirectory),
        (".", ErrorKind::IsDirectory),
        ("nul", ErrorKind::Binary),
        ("large", ErrorKind::TooLarge),
        ("dangling", ErrorKind::Io),
        ("a\0b", ErrorKind::InvalidArgs),
        ("", ErrorKind::InvalidArgs),
        ("/dev/null", ErrorKind::Io),
    ] {
        let (found, text) = project.error("write", args(path, "x")).await;
        assert_eq!(found, kind, "{path:?}: {text}");
        assert!(text.starts_with("Error: ") && !text.contains('\0'), "{text:?}");
    }
    assert!(!project.path("nowhere").exists());
    assert!(project.path("nul").exists());
    let (_, text) = project.error("write", args("nul/below", "x")).await;
    assert!(text.contains("nul/below"), "{text}");
}

#[tokio::test]
async fn a_name_with_escape_sequences_is_a_name() {
    let project = yolo();
    let text = project.ok("write", args("a\u{1b}[31mb\n", "x")).await;
    assert!(project.path("a\u{1b}[31mb\n").exists());
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

#[tokio::test]
async fn ten_megabytes_are_written() {
    let project = yolo();
    let content = "0123456789abcde\n".repeat(640 * 1024);
    let text = project.ok("write", args("big", &content)).await;
    assert_eq!(text, "Wrote big (655360 lines, created)");
    assert_eq!(project.read("big").len(), 10 * 1024 * 1024);
}

#[tokio::test]
async fn a_write_protected_file_stays_as_it_is() {
    let project = yolo();
    let path = project.write("dir/a", "old\n");
    read(&project, "dir/a").await;
    fs::set_permissions(&path, PermissionsExt::from_mode(0o444)).unwrap();
    if fs::OpenOptions::new().write(true).open(&path).is_ok() {
        // Nothing is protected from the superuser.
        return;
    }
    let (kind, text) = project.error("write", args("dir/a", "new\n")).await;
    assert_eq!(kind, ErrorKind::Io, "{text}");
    assert!(
        text.contains("write-protected") && text.contains("`dir/a`"),
        "{text}"
    );
    assert_eq!(project.read("dir/a"), "old\n");
}

#[tokio::test]
async fn a_write_that_fails_leaves_the_bytes_and_says_so() {
    let project = yolo();
    project.write("dir/a", "old\n");
    read(&project, "dir/a").await;
    fs::write(&project.services.tree.records_dir, "in the way").unwrap();
    let (kind, text) = project.error("write", args("dir/a", "new\n")).await;
    assert_eq!(kind, ErrorKind::Io, "{text}");
    assert!(text.starts_with("Error: `dir/a` "), "{text}");
    assert_eq!(project.read("dir/a"), "old\n");
    assert_eq!(
        fs::read_dir(project.path("dir")).unwrap().count(),
        1,
        "no temporary file is left"
    );
    let (kind, _) = project.error("write", args("dir/a/b/c", "x")).await;
    assert_ne!(kind, ErrorKind::Internal);
}

#[tokio::test]
async fn of_two_writers_of_one_file_one_is_told_that_it_changed() {
    let project = yolo();
    project.write("a", "old\n");
    read(&project, "a").await;
    let target = project.path("a");
    let plan = |content: &str| {
        let cx_path = project.services.roots.resolve("a").unwrap();
        let file = TextFile::open(&target).unwrap();
        plan_change(cx_path, Some(&file), content, None)
            .unwrap()
            .change
            .unwrap()
    };
    let (one, two) = (plan("one\n"), plan("two\n"));
    let cx = project.unheard();
    let (one, two) = tokio::join!(apply(&cx, one), apply(&cx, two));
    assert_eq!(one.is_ok(), two.is_err());
    let error = one.and(two).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Stale);
    assert_eq!(error.message, "`a` changed since it was read; read it again");
    let text = project.read("a");
    assert!(text == "one\n" || text == "two\n", "{text}");
}

#[tokio::test]
async fn a_link_that_is_put_in_the_way_after_asking_is_not_followed() {
    let project = yolo();
    fs::create_dir(project.path("dir")).unwrap();
    let path = project.services.roots.resolve("dir/new").unwrap();
    let change = plan_change(path, None, "x", None).unwrap().change.unwrap();
    fs::remove_dir(project.path("dir")).unwrap();
    symlink(project.outside(""), project.path("dir")).unwrap();
    let cx = project.unheard();
    let error = apply(&cx, change).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Stale);
    assert!(!project.outside("new").exists());
}

#[tokio::test]
async fn what_is_protected_is_denied_or_asked_about_under_every_name() {
    let project = Harness::with_rules(json!({"edit": "allow", "external_directory": "allow"}));
    fs::create_dir_all(project.path(".git/hooks")).unwrap();
    fs::create_dir_all(project.path("nested/.git")).unwrap();
    project.write(".git/config", "[core]\n");
    symlink(".git", project.path("innocent")).unwrap();
    symlink(".git/hooks", project.path("hooks")).unwrap();
    for path in [
        ".git/hooks/pre-commit",
        ".git/config",
        "./x/../.git/config",
        ".GIT/config",
        ".gI\u{200d}t/config",
        "innocent/config",
        "hooks/pre-commit",
        "nested/.git/config",
        "other/.git",
        "lathe.jsonc",
        "LATHE.jsonc",
        ".lathe/lathe.jsonc",
        "../data/tool-output/x",
    ] {
        let result = project.run("write", args(path, "x")).await;
        assert_eq!(
            result.error_kind(),
            Some(ErrorKind::Denied),
            "{path}: {}",
            result.output
        );
        assert_eq!(result.details["error"]["key"], "protected", "{path}");
        assert_eq!(project.asked(), [], "{path}: a deny is not asked");
    }
    assert_eq!(project.read(".git/config"), "[core]\n");
    for path in [
        ".lathe/commands/x.md",
        ".claude/settings.json",
        ".github/workflows/ci.yml",
        ".GitHub/Workflows/ci.yml",
        ".envrc",
        ".mcp.json",
        ".gitmodules",
        ".vscode/tasks.json",
        ".codex/x",
        ".opencode/x",
        ".omp/x",
        ".xcsh/x",
        "sub/.claude/x",
    ] {
        let result = project.run("write", args(path, "x")).await;
        assert_eq!(result.error_kind(), Some(ErrorKind::Denied), "{path}");
        let asked = project.asked();
        assert_eq!(asked.len(), 1, "{path}: {asked:?}");
        assert_eq!((asked[0].0.as_str(), asked[0].1.as_str()), ("protected", path));
        assert!(!project.path(path).exists());
    }
    for path in [
        ".github/README.md",
        ".gitignore",
        ".lathe/plans/p.md",
        ".vscode/settings.json",
        "git/x",
    ] {
        project.ok("write", args(path, "x")).await;
    }
}

#[tokio::test]
async fn leaving_the_project_is_asked_about_in_every_way_out() {
    let project = Harness::with_rules(json!({"edit": "allow"}));
    symlink(project.outside(""), project.path("link")).unwrap();
    let outside = format!("{}/*", project.outside("").display()).replace("//", "/");
    let absolute = project.outside("x");
    for path in [
        absolute.to_str().unwrap(),
        "../outside/x",
        "src/../../outside/x",
        "link/x",
    ] {
        assert_eq!(
            project.error("write", args(path, "x")).await.0,
            ErrorKind::Denied,
            "{path}"
        );
        assert_eq!(
            project.asked(),
            [("external_directory".to_owned(), outside.clone())],
            "{path}"
        );
    }
    assert_eq!(
        project.error("write", args("~/.profile", "x")).await.0,
        ErrorKind::Denied
    );
    assert_eq!(project.asked()[0].1, format!("{}/*", project.home().display()));
    assert!(!project.outside("x").exists() && !project.home().join(".profile").exists());
    // A look-alike of the way up is a name.
    project.ok("write", args("\u{2024}\u{2024}/x", "x")).await;
}

#[tokio::test]
async fn nothing_is_said_of_what_lies_outside_before_somebody_allows_it() {
    let project = Harness::with_rules(json!({"edit": "allow"}));
    fs::write(project.outside("there"), "x").unwrap();
    let outside = |name: &str| project.outside(name).to_str().unwrap().to_owned();
    let there = project.run("write", args(&outside("there"), "y")).await;
    let not_there = project.run("write", args(&outside("not_there"), "y")).await;
    assert_eq!(there.error_kind(), Some(ErrorKind::Denied));
    let same = |result: &CallResult| result.output.replace("not_there", "there");
    assert_eq!(same(&there), same(&not_there));
}

#[tokio::test]
async fn the_question_shows_the_whole_diff() {
    let project = Harness::new().answering(PermissionReply::Once);
    project.write("a", "one\n");
    read(&project, "a").await;
    assert!(project.asked().is_empty());
    project.ok("write", args("a", "two\n")).await;
    assert_eq!(project.asked(), [("edit".to_owned(), "a".to_owned())]);
}

#[tokio::test]
async fn cards_show_the_head_of_a_new_file_and_the_diff_of_another() {
    let project = yolo();
    let content: String = (1..=20).map(|number| number.to_string() + "\n").collect();
    let new = args("a.rs", &content);
    let result = project.run("write", new.clone()).await;
    let card = project.draw_result("write", &new, &result, false);
    assert_eq!((card.title.as_str(), card.argument.as_str()), ("Write", "a.rs"));
    assert_eq!(card.meta, ["+20 \u{2212}0", "created"]);
    assert_eq!(card.body[1], CardPart::Omitted("8 more lines".into()));
    assert_eq!(project.draw_result("write", &new, &result, true).body.len(), 1);
    let other = args("a.rs", "x\n");
    let result = project.run("write", other.clone()).await;
    let card = project.draw_result("write", &other, &result, false);
    assert_eq!(card.meta, ["+1 \u{2212}20"]);
    assert!(matches!(&card.body[..], [CardPart::Diff(body)] if body.max_lines == 40));
}

#[test]
fn a_call_can_be_drawn_from_every_beginning_of_its_arguments() {
    let project = Harness::new();
    let args = json!({"filePath": "a/世.rs", "contents": "one\ntwo \"x\"\n".repeat(9)}).to_string();
    for end in (0..=args.len()).filter(|end| args.is_char_boundary(*end)) {
        let card = project.draw_call("write", &args[..end]);
        assert_eq!(card.title, "Write");
        plain(&card);
    }
    let card = project.draw_call("write", &args);
    assert_eq!(
        (card.argument.as_str(), card.meta[0].to_string()),
        ("a/世.rs", "18 lines".to_owned())
    );
    assert_eq!(card.body[0], CardPart::Omitted("10 lines above".into()));
}

#[tokio::test]
async fn in_hashline_mode_content_with_tags_is_refused() {
    let project = Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        settings: ToolSettings {
            edit_mode: EditMode::Hashline,
            ..ToolSettings::default()
        },
        ..HarnessOptions::default()
    });
    let tagged = "1:77|const x = 1\n\n3:18|}\n";
    let result = project.run("write", args("a", tagged)).await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Refused));
    assert!(result.output.contains("tag"), "{}", result.output);
    assert!(!project.path("a").exists());
    let partly = "1:77|const x = 1\nand more\n";
    project.ok("write", args("a", partly)).await;
    assert_eq!(project.read("a"), partly);
    let project = yolo();
    project.ok("write", args("a", tagged)).await;
    assert_eq!(project.read("a"), tagged, "other modes know no tags");
}
