//! Ends of forks by the focused block.

use serde_json::json;

use super::scene::{Scene, read_args, result};
use crate::conversation::{MessageState, Stop};
use crate::session::TurnEndReason;
use crate::session::host::ForkPoint;
use crate::tui::transcript::ForkRefusal;

/// Two steps of which the second shares a row with the first, and an answer.
fn worked() -> Scene {
    let mut scene = Scene::default();
    scene.says("look around");
    for path in ["a.rs", "b.rs"] {
        scene.ran("read", &read_args(path), result("1: x", json!({})));
        scene.reply_ends(MessageState::Complete, Some(Stop::ToolCalls));
        scene.reply();
    }
    scene.answers("I have looked.");
    scene.turn_ends(TurnEndReason::Stop);
    scene.draw(60, 20);
    scene
}

/// The messages of the blocks, in their order, each once.
fn messages(scene: &Scene) -> Vec<crate::conversation::MessageId> {
    let blocks = &scene.transcript.blocks;
    let all = (0..blocks.list.len()).filter_map(|block| blocks.message_of(block).cloned());
    let mut all: Vec<_> = all.collect();
    all.dedup();
    all
}

#[test]
fn a_message_of_ones_own_is_left_out_and_all_others_end_the_fork() {
    let mut scene = worked();
    let [own, first, second, answer] = messages(&scene).try_into().unwrap();
    assert_ne!(first, second);
    let mut at = |step| {
        scene.transcript.focus_move(step);
        scene.transcript.fork_point()
    };
    // What tells of the turn's end belongs to the answer.
    assert_eq!(at(-1), Ok(ForkPoint::After(answer.clone())));
    assert_eq!(at(-1), Ok(ForkPoint::After(answer)));
    // One row stands for both steps.
    assert_eq!(at(-1), Ok(ForkPoint::After(second)));
    assert_eq!(at(-1), Ok(ForkPoint::Before(own)));
}

#[test]
fn without_a_focus_all_of_it_is_forked() {
    let scene = worked();
    let last = messages(&scene).pop().unwrap();
    assert_eq!(scene.transcript.fork_point(), Ok(ForkPoint::After(last)));
    assert_eq!(
        Scene::default().transcript.fork_point(),
        Err(ForkRefusal::Nothing)
    );
}

#[test]
fn a_step_under_way_is_not_forked_but_what_came_before_it_is() {
    let mut scene = worked();
    let before = messages(&scene);
    scene.says("go on");
    let call = scene.calls("bash", &json!({ "command": "sleep 9" }));
    scene.draw(60, 20);
    assert_eq!(scene.transcript.fork_point(), Err(ForkRefusal::UnderWay));
    scene.reply_ends(MessageState::Complete, Some(Stop::ToolCalls));
    scene.runs(&call);
    assert_eq!(scene.transcript.fork_point(), Err(ForkRefusal::UnderWay));
    scene.transcript.focus_move(-2);
    assert!(matches!(scene.transcript.fork_point(), Ok(ForkPoint::Before(_))));
    scene.transcript.focus_move(-1);
    let last = before.last().unwrap().clone();
    assert_eq!(scene.transcript.fork_point(), Ok(ForkPoint::After(last)));
    scene.transcript.clear_focus();
    scene.ends(&call, "bash", result("", json!({})));
    assert!(matches!(scene.transcript.fork_point(), Ok(ForkPoint::After(_))));
}
