//! Answers, messages and stops from a tile.

use super::*;
use crate::conversation::WorktreeChanges;
use crate::tui::page::TreeIntent;

#[test]
fn an_answer_is_for_the_chosen_tile_and_not_for_the_moment_in_which_it_appeared() {
    let mut driver = four();
    driver.picture();
    assert_eq!(driver.said(Action::AllowOnce), Some("this agent has no question"));
    driver.act(Action::AnotherAsk);
    assert_eq!(driver.chosen(), "2");
    assert_eq!(driver.replied(Action::AllowOnce), None, "it has just appeared");
    driver.passed = 299;
    driver.picture();
    assert_eq!(
        driver.replied(Action::AllowOnce),
        None,
        "each such key begins the pause anew"
    );
    driver.passed = 600;
    let id = driver.questions[0].id;
    assert_eq!(
        driver.replied(Action::AllowOnce),
        Some((id, PermissionReply::Once))
    );
    assert_eq!(driver.replied(Action::AllowOnce), None, "it is answered");
    driver.questions.clear();
    driver.rows[1].activity = TaskActivity::Working;
    driver.update();
    assert!(driver.picture().contains("2 ▸ general"));
}

#[test]
fn arrows_are_heard_while_a_question_is_not() {
    let mut driver = four();
    driver.picture();
    driver.act(RIGHT);
    driver.act(LEFT);
    assert_eq!(driver.chosen(), "1");
}

#[test]
fn a_question_that_does_not_fit_is_refused_here_but_not_allowed() {
    let mut driver = Driver::new(tasks(6));
    let command = "rm -rf target/tmp && \n".repeat(12);
    let id = driver.ask(0, &command);
    let picture = driver.picture();
    assert!(
        picture.contains("more rows") && picture.contains("⏎ shows all of it"),
        "{picture}"
    );
    assert!(!picture.contains("y once"), "{picture}");
    driver.passed = 301;
    let said = driver.said(Action::AllowOnce);
    assert_eq!(
        said,
        Some("not all of it is shown: go into the agent to see everything before you allow it")
    );
    assert_eq!(
        driver.requested(Action::AllowAlways),
        Some(WatchRequest::EnterAlways(session(1), id))
    );
    assert_eq!(
        driver.replied(Action::Reject),
        Some((id, PermissionReply::Reject(None)))
    );
}

#[test]
fn a_no_with_a_reason_is_written_in_the_tile() {
    let mut driver = four();
    driver.size = (100, 20);
    driver.picture();
    driver.watch.pick('2');
    driver.passed = 301;
    driver.act(Action::RejectBecause);
    driver.watch.write("use git restore");
    let picture = driver.picture();
    assert!(picture.contains("│ ┃ use git restore"), "{picture}");
    assert!(picture.contains("$ git checkout -- tests/fixtures"), "{picture}");
    let reason = Some("use git restore".to_owned());
    assert_eq!(
        driver.replied(Action::FinishText),
        Some((driver.questions[0].id, PermissionReply::Reject(reason)))
    );
}

#[test]
fn a_reason_for_a_question_that_is_settled_meanwhile_is_not_lost() {
    let mut driver = four();
    driver.picture();
    driver.watch.pick('2');
    driver.passed = 301;
    driver.act(Action::RejectBecause);
    driver.watch.write("use git restore");
    let facts = WatchFacts {
        rows: driver.rows.iter().cloned().map(Arc::new).collect(),
        questions: &[],
        mode: Mode::Ask,
        directory: Path::new("/"),
    };
    let (_, unsent) = driver.watch.update(facts);
    assert_eq!(unsent.as_deref(), Some("use git restore"));
    assert_eq!(driver.watch.stage, Stage::Browsing);
}

#[test]
fn a_message_goes_to_the_chosen_agent_and_stays_until_it_is_sent() {
    let mut driver = four();
    driver.size = (100, 13);
    driver.picture();
    driver.act(MESSAGE);
    driver.watch.write("look at tests too");
    assert!(driver.picture().contains("┃ look at tests too"));
    assert!(matches!(driver.watch.back(), LayerReply::Done));
    driver.act(MESSAGE);
    assert_eq!(
        driver.requested(Action::FinishText),
        Some(WatchRequest::Message(session(1), "look at tests too".to_owned()))
    );
    driver.act(MESSAGE);
    assert_eq!(driver.requested(Action::FinishText), None, "nothing is written");
    driver.watch.write("half");
    driver.watch.back();
    assert!(matches!(
        driver.watch.back(),
        LayerReply::Close(Some(LayerRequest::AddToDraft(text))) if text == "half"
    ));
}

#[test]
fn stopping_asks_first() {
    let mut driver = four();
    driver.picture();
    assert!(matches!(
        driver.act(STOP),
        LayerReply::Request(LayerRequest::StopTask(row)) if row.task.as_str() == "tsk_1"
    ));
    assert_eq!(driver.requested(STOP_ALL), Some(WatchRequest::StopAll));
    driver.watch.pick('4');
    assert_eq!(driver.said(STOP), Some("it has ended already"));
    for row in &mut driver.rows {
        row.status = TaskStatus::Completed;
    }
    driver.update();
    assert_eq!(driver.said(STOP_ALL), Some("no agent is running"));
}

#[test]
fn the_changes_in_a_work_tree_are_shown_and_without_one_it_says_so() {
    let mut driver = four();
    driver.rows[0].worktree = Some(WorktreeChanges::default());
    driver.update();
    driver.picture();
    assert!(matches!(
        driver.act(CHANGES),
        LayerReply::Request(LayerRequest::ShowTree(tree, TreeIntent::Apply)) if tree.task.as_str() == "tsk_1"
    ));
    driver.watch.pick('2');
    let said = driver.said(CHANGES);
    assert!(said.is_some_and(|said| said.contains("/diff")), "{said:?}");
}

#[test]
fn an_agent_that_has_not_begun_is_told_nothing() {
    let mut driver = four();
    driver.rows[0].status = TaskStatus::Queued;
    driver.update();
    driver.picture();
    let said = driver.said(MESSAGE);
    assert!(said.is_some_and(|said| said.starts_with("it waits for a free slot")));
}

#[test]
fn foreground_goes_to_the_background_and_what_has_ended_is_resumed() {
    let mut driver = four();
    driver.picture();
    assert_eq!(
        driver.said(TO_BACKGROUND),
        Some("it already runs in the background")
    );
    driver.rows[0].is_background = false;
    driver.update();
    assert_eq!(
        driver.requested(TO_BACKGROUND),
        Some(WatchRequest::ToBackground(session(0)))
    );
    assert!(
        driver
            .said(RESUME)
            .is_some_and(|said| said.starts_with("it has not ended"))
    );
    driver.watch.pick('4');
    driver.act(RESUME);
    let picture = driver.picture();
    assert!(picture.contains(" resumes it ─"), "{picture}");
    driver.watch.write(" And the second risk?");
    let text = "Go on. And the second risk?".to_owned();
    assert_eq!(
        driver.requested(Action::FinishText),
        Some(WatchRequest::Message(session(4), text))
    );
    assert_eq!(driver.requested(ENTER), Some(WatchRequest::Enter(session(4))));
    assert_eq!(
        driver.requested(Action::PageUp),
        Some(WatchRequest::Page(session(4), -1))
    );
}
