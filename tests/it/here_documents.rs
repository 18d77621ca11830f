//! Commits whose message comes by a here-document, and other literal texts for commands, through the real program.

use serde_json::{Value, json};

use crate::support::{Lathe, Project};

/// Runs a command without anybody to ask; returns true if it needed no answer.
fn runs_unasked(project: &Project, command: &str) -> bool {
    let finished = Lathe::in_project(project)
        .args(["tool", "--format", "json", "bash"])
        .arg(json!({ "command": command }).to_string())
        .run();
    let event: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"));
    event["ok"] == true
}

fn commit(message: &str) -> String {
    format!("git commit --allow-empty -m \"$(cat <<'EOF'\n{message}\n\nbody\nEOF\n)\"")
}

#[test]
fn a_rule_for_commits_covers_a_message_by_here_document() {
    let project = Project::new()
        .git()
        .config(json!({"permission": {"bash": {"git commit *": "allow"}}}));
    assert!(runs_unasked(&project, &commit("fix: one")));
    assert!(runs_unasked(
        &project,
        "git commit --allow-empty -F - <<'EOF'\nfix: two\nEOF"
    ));
    for command in [
        "git commit --allow-empty -m \"$(cat <<EOF\n$(touch mark)\nEOF\n)\"",
        "git commit --allow-empty -m \"$(cat <<'EOF'\na\nEOF\ntouch mark)\"",
        "bash -c \"$(cat <<'EOF'\ntouch mark\nEOF\n)\"",
        "bash <<'EOF'\ntouch mark\nEOF",
    ] {
        assert!(!runs_unasked(&project, command), "{command}");
    }
    assert!(!project.exists("mark"));
}

#[test]
fn literal_texts_for_commands_that_read_ask_nothing() {
    let project = Project::new().file("a.txt", "a\n").file(".env", "S=1").git();
    for command in [
        "cat <<'EOF'\n$a `b`\nEOF",
        "wc -l <<< 'a b'",
        "for f in *.txt; do wc -l < \"$f\"; done",
        "N=$(ls | wc -l); echo \"$N\"",
        "date",
    ] {
        assert!(runs_unasked(&project, command), "{command}");
    }
    for command in [
        "cat <<EOF\n$(touch mark)\nEOF",
        "for f in .e*; do wc -l < \"$f\"; done",
        "N=$(ls -a); wc -l < \"$N\"",
        "date 01011200",
    ] {
        assert!(!runs_unasked(&project, command), "{command}");
    }
    assert!(!project.exists("mark"));
}
