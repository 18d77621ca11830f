use serde_json::{Value, json};

use crate::conversation::{CallResult, ErrorKind};
use crate::hook::HookEvent;
use crate::permission::{Mode, PermissionReply};
use crate::text::hashline::Hash;
use crate::tool::ToolSettings;
use crate::tool::harness::{Harness, HarnessOptions};

const SECRET: &str = "TOKEN=swordfish";

/// Calls that differ in nothing but a guess: the first guesses right.
fn guesses() -> Vec<(&'static str, Value, Value)> {
    let edit = |old: &str| json!({"file_path": ".env", "old_string": old, "new_string": "x"});
    let several = |old: &str| {
        json!({"file_path": ".env", "edits": [
            {"old_string": "TOKEN", "new_string": "KEY"},
            {"old_string": old, "new_string": "x"},
        ]})
    };
    let tagged = |line: &str| {
        let reference = format!("1:{}", Hash::of(line));
        json!({"file_path": ".env", "edits": [{"type": "set_line", "line": reference, "text": "x"}]})
    };
    let replaced = |old: &str| json!({"file_path": ".env", "edits": [{"type": "replace", "old_text": old, "new_text": "x"}]});
    let moved = |old: &str| {
        json!({"file_path": ".env", "rename": "a.txt",
               "edits": [{"type": "replace", "old_text": old, "new_text": "x"}]})
    };
    let patch = |line: &str| {
        json!({"patch_text": format!(
            "*** Begin Patch\n*** Update File: .env\n@@\n-{line}\n+x\n*** End Patch\n"
        )})
    };
    let written = |content: &str| json!({"file_path": ".env", "content": content});
    vec![
        ("edit", edit("TOKEN=s"), edit("TOKEN=q")),
        ("multiedit", several("=s"), several("=q")),
        ("multiedit", several("KEY=s"), several("KEY=q")),
        ("hashline_edit", tagged(SECRET), tagged("TOKEN=q")),
        ("hashline_edit", replaced("TOKEN=s"), replaced("TOKEN=q")),
        ("hashline_edit", moved("TOKEN=s"), moved("TOKEN=q")),
        ("apply_patch", patch(SECRET), patch("TOKEN=q")),
        ("write", written("TOKEN=swordfish\n"), written("TOKEN=q\n")),
    ]
}

fn project(rules: &Value, mode: Mode) -> Harness {
    let project = Harness::with(HarnessOptions {
        rules: rules.clone(),
        mode,
        settings: ToolSettings::default(),
        ..HarnessOptions::default()
    });
    project.write(".env", format!("{SECRET}\n"));
    project
}

/// Everything that a model hears of a call.
fn heard(result: &CallResult) -> (Option<ErrorKind>, String, String) {
    (
        result.error_kind(),
        result.output.clone(),
        result.details.to_string(),
    )
}

#[tokio::test]
async fn a_refusal_is_the_same_whether_a_guess_at_the_text_is_right_or_wrong() {
    let denied = json!({"*": "allow", ".env": "deny"});
    for (rules, mode, key) in [
        (json!({}), Mode::Ask, "edit"),
        (json!({}), Mode::AcceptEdits, "read"),
        (json!({"edit": "allow"}), Mode::Ask, "read"),
        (json!({"edit": "allow", "read": denied}), Mode::Ask, "read"),
        (json!({"edit": "allow", "read": denied}), Mode::Yolo, "read"),
        (json!({"edit": "deny"}), Mode::Yolo, "edit"),
        (json!({}), Mode::Plan, "edit"),
    ] {
        for (tool, right, wrong) in guesses() {
            let mut told = Vec::new();
            for args in [right, wrong] {
                let project = project(&rules, mode);
                let result = project.run(tool, args).await;
                assert_eq!(
                    result.details["error"]["key"], key,
                    "{tool} {rules} {mode:?}: {result:?}"
                );
                assert_eq!(project.read(".env"), format!("{SECRET}\n"));
                told.push((heard(&result), project.asked()));
            }
            assert_eq!(told[0], told[1], "{tool} {rules} {mode:?}");
        }
    }
}

#[tokio::test]
async fn a_call_that_repeats_or_that_a_hook_asks_about_tells_no_more() {
    let rules = json!({"doom_loop": "deny", "edit": "allow", "read": {"*": "allow", ".env": "deny"}});
    for (tool, right, wrong) in guesses() {
        let mut told = Vec::new();
        for args in [right, wrong] {
            let project = Harness::with(HarnessOptions {
                rules: rules.clone(),
                settings: ToolSettings::default(),
                hooks: vec![(
                    HookEvent::PreToolUse,
                    "*",
                    r#"echo '{"hookSpecificOutput":{"permissionDecision":"ask"}}'"#.to_owned(),
                )],
                ..HarnessOptions::default()
            });
            project.write(".env", format!("{SECRET}\n"));
            for _ in 0..2 {
                project.run(tool, args.clone()).await;
            }
            told.push((heard(&project.run(tool, args).await), project.asked()));
        }
        assert_eq!(told[0], told[1], "{tool}");
    }
}

#[tokio::test]
async fn a_yes_to_reading_lets_the_error_be_told_and_the_change_be_made() {
    for (tool, right, wrong) in guesses() {
        let wrong_is_an_error = tool != "write";
        for (args, is_ok) in [(right, true), (wrong, !wrong_is_an_error)] {
            let project = project(&json!({"edit": "allow"}), Mode::Ask).answering(PermissionReply::Once);
            let result = project.run(tool, args).await;
            assert_eq!(result.ok, is_ok, "{tool}: {result:?}");
            assert_ne!(result.error_kind(), Some(ErrorKind::Denied), "{tool}");
            assert!(project.asked().contains(&("read".to_owned(), ".env".to_owned())));
        }
    }
}

#[tokio::test]
async fn what_edits_would_make_of_a_small_file_is_bounded_before_anybody_is_asked() {
    let project = Harness::new();
    let session = project.beside(HarnessOptions {
        settings: ToolSettings::default(),
        ..HarnessOptions::default()
    });
    project.write("a.txt", "aaaa\n");
    let doubling = json!({"old_string": "a", "new_string": "aa", "replace_all": true});
    let args = json!({"file_path": "a.txt", "edits": vec![doubling; 27]});
    let (kind, text) = session.error("multiedit", args).await;
    assert!(
        kind == ErrorKind::Refused || kind == ErrorKind::TooLarge,
        "{text}"
    );
    project.write("b.txt", "a".repeat(20_000));
    let args = json!({"file_path": "b.txt", "old_string": "a", "new_string": "x".repeat(20_000), "replace_all": true});
    let (kind, text) = session.error("edit", args).await;
    assert_eq!(kind, ErrorKind::TooLarge, "{text}");
    let args = json!({"file_path": "b.txt", "edits": [
        {"type": "replace", "old_text": "a", "new_text": "x".repeat(20_000), "replace_all": true},
    ]});
    assert_eq!(session.error("hashline_edit", args).await.0, ErrorKind::TooLarge);
    project.write("c.txt", "ab".repeat(100_001));
    let args = json!({"file_path": "c.txt", "old_string": "ab", "new_string": "c", "replace_all": true});
    assert_eq!(session.error("edit", args).await.0, ErrorKind::Refused);
}

#[tokio::test]
async fn an_ordinary_file_is_changed_and_its_errors_are_told_without_a_question_about_reading() {
    let project = Harness::with(HarnessOptions {
        mode: Mode::AcceptEdits,
        settings: ToolSettings::default(),
        ..HarnessOptions::default()
    });
    project.write("a.txt", "one\n");
    let args = |old: &str| json!({"file_path": "a.txt", "old_string": old, "new_string": "x"});
    assert_eq!(project.error("edit", args("two")).await.0, ErrorKind::NoMatch);
    project.ok("edit", args("one")).await;
    // A file that is not there has no text: nothing is asked about reading it.
    let written = json!({"file_path": ".env", "content": "A=1\n"});
    project.ok("write", written).await;
    assert_eq!(project.read(".env"), "A=1\n");
}
