//! Two sessions of one tree.

use crate::permission::PermissionKey;
use serde_json::{Value, json};

use crate::conversation::ErrorKind;
use crate::permission::{PermissionReply, Scope};
use crate::question::{Question, Reply};
use crate::tool::GateAnswerError;
use crate::tool::harness::{Harness, HarnessOptions};

/// A session that asks before commands and edits, and one below `part`, where it may run nothing.
fn two() -> (Harness, Harness) {
    let first = Harness::with_rules(json!({"bash": "ask", "edit": "ask"})).attended();
    let second = first.beside(HarnessOptions {
        rules: json!({"bash": "deny", "edit": "ask"}),
        directory: "part".into(),
        ..HarnessOptions::default()
    });
    (first, second)
}

fn write(text: &str) -> Value {
    json!({"file_path": "a", "content": text})
}

/// Waits until both sessions ask, and returns their questions.
async fn questions(first: &Harness, second: &Harness) -> [std::sync::Arc<Question>; 2] {
    let queue = &first.services.tree.questions;
    while queue.waiting().len() < 2 {
        tokio::task::yield_now().await;
    }
    let waiting = queue.waiting();
    let of = |harness: &Harness| {
        let session = &harness.services.session;
        waiting
            .iter()
            .find(|question| question.session == *session)
            .unwrap()
            .clone()
    };
    [of(first), of(second)]
}

fn always() -> Reply {
    Reply::Permission(PermissionReply::Always {
        patterns: vec![(PermissionKey::EDIT, "*".to_owned())],
        scope: Scope::Session,
    })
}

#[tokio::test]
async fn each_works_in_its_own_directory_by_its_own_rules() {
    let (first, second) = two();
    let run = json!({"command": "pwd; touch ran"});
    let (result, ()) = tokio::join!(first.run("bash", run.clone()), first.allow_after(|| ()));
    assert!(
        result
            .output
            .contains(&*first.services.roots.session_dir().to_string_lossy()),
        "{}",
        result.output
    );
    assert!(first.path("ran").exists());
    assert_eq!(second.error("bash", run).await.0, ErrorKind::Denied);
    assert!(!first.path("part/ran").exists());

    let yes = || Reply::Permission(PermissionReply::Once);
    let (one, two, ()) = tokio::join!(
        first.run("write", write("one")),
        second.run("write", write("two")),
        async {
            let [of_first, of_second] = questions(&first, &second).await;
            first.services.gate.answer(of_first.id, yes()).unwrap();
            second.services.gate.answer(of_second.id, yes()).unwrap();
        }
    );
    assert!(one.ok && two.ok, "{} {}", one.output, two.output);
    assert_eq!(
        (first.read("a"), first.read("part/a")),
        ("one".into(), "two".into())
    );
}

#[tokio::test]
async fn a_grant_to_one_counts_for_all_of_the_tree() {
    let (first, second) = two();
    let (one, two, ()) = tokio::join!(
        first.run("write", write("one")),
        second.run("write", write("two")),
        async {
            let [of_first, of_second] = questions(&first, &second).await;
            let gate = &first.services.gate;
            let elsewhere = gate.answer(of_second.id, always()).unwrap_err();
            assert!(
                matches!(elsewhere, GateAnswerError::OtherSession(_)),
                "{elsewhere}"
            );
            gate.answer(of_first.id, always()).unwrap();
            assert!(first.services.tree.questions.waiting().is_empty());
        }
    );
    assert!(one.ok && two.ok, "{} {}", one.output, two.output);
    for harness in [&first, &second] {
        let more = json!({"file_path": "b", "content": "x"});
        assert!(harness.run("write", more).await.ok);
    }
}

#[tokio::test]
async fn what_one_has_read_the_other_has_not() {
    let (first, second) = two();
    first.write("part/a", "old\n");
    first.ok("read", json!({"file_path": "part/a"})).await;
    let change = json!({"file_path": "a", "old_string": "old", "new_string": "new"});
    let second = second.beside(HarnessOptions {
        rules: json!({"edit": "allow"}),
        directory: "part".into(),
        ..HarnessOptions::default()
    });
    assert_eq!(second.error("edit", change.clone()).await.0, ErrorKind::NotRead);
    second.ok("read", json!({"file_path": "a"})).await;
    second.ok("edit", change).await;
    assert_eq!(first.read("part/a"), "new\n");
}
