//! Whole frames, as files under `snapshots/`.

use serde_json::json;

use super::scene::{Scene, lines, read_args, result};
use crate::conversation::{CallResult, ErrorKind, MessageState};
use crate::session::{ErrorReport, Event, ReportKind, Retry, TurnEndReason};
use crate::view::Symbols;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 36), (40, 12)];

fn assert_pictures(what: &str, scene: impl Fn() -> Scene) {
    assert_pictures_at(&SIZES, what, scene);
}

fn assert_pictures_at(sizes: &[(u16, u16)], what: &str, scene: impl Fn() -> Scene) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for &(width, height) in sizes {
            let name = format!("transcript__{what}__{width}x{height}");
            insta::assert_snapshot!(name, scene().picture(width, height));
        }
    });
}

const DIFF: &str = "--- a/src/retry.rs\n+++ b/src/retry.rs\n@@ -40,3 +40,3 @@\n fn wait(&self) {\n-    tokio::time::sleep(delay).await;\n+    self.clock.sleep(delay).await;\n }\n";

fn working() -> Scene {
    let mut scene = Scene::default();
    scene.says("make the retry test deterministic");
    scene.reasons(
        "The test sleeps on the wall clock.\nA clock should be injected.",
        4_200,
    );
    scene.answers(
        "The test sleeps on the wall clock. I will inject a `Clock`:\n\n1. find the call\n2. replace it\n",
    );
    for path in ["src/retry.rs", "src/clock.rs", "tests/retry.rs"] {
        scene.ran("read", &read_args(path), result("1: fn main() {}", json!({})));
    }
    scene.ran(
        "edit",
        &read_args("src/retry.rs"),
        result("", json!({ "diff": DIFF })),
    );
    let call = scene.calls("bash", &json!({ "command": "cargo test -p retry" }));
    scene.runs(&call);
    scene.prints(&call, &lines(31));
    scene.wait(4_250);
    scene
}

#[test]
fn a_turn_at_work() {
    assert_pictures("a_turn_at_work", working);
}

#[test]
fn an_unfolded_diff_has_two_sides_where_there_is_room() {
    let scene = || {
        let mut scene = Scene::default();
        let diff = "@@ -38,8 +38,9 @@ impl Retry\n     for attempt in 0..self.max {\n         let delay = self.backoff(attempt);\n-        tokio::time::sleep(delay).await;\n+        self.clock.sleep(delay).await;\n+        tracing::debug!(attempt, ?delay, \"slept before the next attempt, as the policy of the caller says\");\n         if self.try_once().await.is_ok() {\n             return Ok(()); // 世界\n         }\n     }\n-    self.fail();\n@@ -88,3 +89,3 @@ fn default\n     Self {\n-        max: 3,\n+        max: 5,\n     }\n";
        scene.says("make the retry test deterministic");
        let result = result("", json!({ "diff": diff }));
        scene.ran("edit", &read_args("src/retry.rs"), result);
        scene.answers("The clock is injected.");
        scene.turn_ends(TurnEndReason::Stop);
        scene.transcript.fold_all();
        scene
    };
    assert_pictures_at(&[(200, 60), (120, 36)], "an_unfolded_diff", scene);
}

#[test]
fn a_turn_at_work_without_unicode() {
    assert_pictures("a_turn_at_work_without_unicode", || {
        let mut scene = working();
        scene.symbols = Symbols::Ascii;
        scene
    });
}

#[test]
fn calls_inside_a_call() {
    assert_pictures("calls_inside_a_call", || {
        let mut scene = Scene::default();
        scene.says("make the retry test deterministic");
        let batch = scene.calls("batch", &json!({ "tool_calls": [] }));
        scene.runs(&batch);
        let command = json!({ "command": "cargo test -p retry" });
        let inner = [
            scene.inside(&batch, 1, "read", &read_args("src/retry.rs")),
            scene.inside(&batch, 2, "edit", &read_args("src/retry.rs")),
            scene.inside(&batch, 3, "read", &read_args("src/no.rs")),
            scene.inside(&batch, 4, "bash", &command),
            scene.inside(&batch, 5, "write", &read_args("src/clock.rs")),
        ];
        scene.ends(&inner[0], "read", result("1: fn main() {}", json!({})));
        scene.ends(&inner[1], "edit", result("", json!({ "diff": DIFF })));
        let missing = CallResult::error(ErrorKind::NotFound, "`src/no.rs` is not there", None);
        scene.ends(&inner[2], "read", missing);
        scene.runs(&inner[3]);
        scene.prints(&inner[3], &lines(4));
        scene.wait(4_250);
        scene
    });
}

#[test]
fn calls_that_went_wrong() {
    assert_pictures("calls_that_went_wrong", || {
        let mut scene = Scene::default();
        scene.says("run everything");
        let failed = json!({ "exit": 101 });
        scene.ran(
            "bash",
            &json!({ "command": "cargo test --workspace" }),
            result(&lines(9), failed),
        );
        let stale = CallResult::error(
            ErrorKind::Stale,
            "`src/a.rs` changed since it was read",
            Some("read it again"),
        );
        scene.ran("edit", &read_args("src/a.rs"), stale);
        let denied = CallResult::error(ErrorKind::Denied, "`rm -rf /` is denied by a rule", None);
        scene.ran("bash", &json!({ "command": "rm -rf /" }), denied);
        scene.ran(
            "bash",
            &json!({ "command": "sleep 9" }),
            CallResult::error(ErrorKind::Cancelled, "stopped", None),
        );
        scene.apply(&Event::Error(ErrorReport {
            kind: ReportKind::Auth,
            message: "the provider refused the key".to_owned(),
            hint: Some("Set `OPENAI_API_KEY`.".to_owned()),
        }));
        scene.turn_ends(TurnEndReason::Error);
        scene
    });
}

#[test]
fn a_reply_cut_and_tried_again() {
    assert_pictures("a_reply_cut_and_tried_again", || {
        let mut scene = Scene::default();
        scene.says("explain the jitter");
        let voided = scene.reply();
        let part = scene.text_part();
        scene.delta(part, "Jitter spreads the retries of many cli");
        scene.apply(&Event::Retry(Retry {
            attempt: 1,
            most: 5,
            delay_ms: 4_000,
            reason: "the provider is overloaded".to_owned(),
            voided: Some(voided),
        }));
        scene.wait(1_500);
        scene
    });
}

#[test]
fn a_turn_interrupted() {
    assert_pictures("a_turn_interrupted", || {
        let mut scene = Scene::default();
        scene.says("count to ten");
        let part = scene.text_part();
        scene.delta(part, "1, 2, 3, ");
        scene.reply_ends(MessageState::Cut, None);
        scene.apply(&Event::TurnEnded(TurnEndReason::Cancelled));
        scene.transcript.push_notice("copied with OSC 52");
        scene
    });
}

#[test]
fn the_model_is_waited_for() {
    assert_pictures("the_model_is_waited_for", || {
        let mut scene = Scene::default();
        scene.says("are you there?");
        scene.wait(8_000);
        scene
    });
}

#[test]
fn an_answer_in_markdown() {
    assert_pictures("an_answer_in_markdown", || {
        let mut scene = Scene::default();
        scene.says("show me\nboth ways");
        scene.answers(concat!(
            "## Two ways\n\nThe **first** is a loop, the *second* an iterator; see [the book](https://doc.rust-lang.org).\n\n",
            "```rust\nfor i in 0..10 {\n    println!(\"{i}\");\n}\n```\n\n",
            "| way | cost |\n| --- | ---: |\n| loop | 1 |\n| iterator | 1 |\n\n> Measure first.\n\n- [x] read\n- [ ] write\n",
        ));
        scene.wait(12_300);
        scene.turn_ends(TurnEndReason::Stop);
        scene
    });
}

#[test]
fn text_that_wants_to_break_out() {
    assert_pictures("text_that_wants_to_break_out", || {
        let mut scene = Scene::default();
        scene.says("世界 \u{1b}[31mred\u{1b}[0m e\u{301} \u{202e}evil\u{202c} שלום עולם 👩‍💻 end");
        scene.answers("宽字符 in a line that is long enough to be broken somewhere: 世界世界世界世界世界世界世界 \u{1b}]0;title\u{7} end");
        let args = json!({ "command": "printf '\u{1b}[2J' && echo 世界\ttab\nsecond" });
        scene.ran("bash", &args, result("a\u{1b}[2Jb\tc\r\n世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界", json!({})));
        scene
    });
}
