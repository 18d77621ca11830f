//! Keys and the mouse in the grid.

use super::*;

#[test]
fn keys_answer_the_chosen_tile() {
    let mut grid = at_work(4, (120, 36));
    grid.driver.frame();
    grid.driver.press("y");
    assert_eq!(grid.driver.replies(), [], "another tile is chosen");
    grid.driver.press("tab");
    grid.driver.hear();
    grid.driver.press("y");
    let sent = grid.driver.sent();
    let question = grid.driver.app.tree().questions.iter().next().unwrap().id;
    assert!(
        matches!(&sent[..], [Op::Answer { id, reply: Reply::Permission(PermissionReply::Once) }] if *id == question),
        "{sent:?}"
    );
}

#[test]
fn a_no_with_a_reason_is_sent_from_the_tile() {
    let mut grid = at_work(4, (120, 36));
    grid.driver.frame();
    grid.driver.hear();
    grid.driver.press("tab N");
    grid.driver.type_text("use git restore");
    grid.driver.press("enter");
    let reason = Some("use git restore".to_owned());
    assert_eq!(grid.driver.replies(), [PermissionReply::Reject(reason)]);
}

#[test]
fn a_key_pressed_as_a_question_appears_answers_nothing() {
    let mut grid = Grid::new(2);
    grid.open_tiles((80, 24));
    grid.ask(0, "rm -rf target");
    grid.driver.frame();
    grid.driver.press("y");
    assert_eq!(grid.driver.replies(), []);
    grid.driver.hear();
    grid.driver.press("y");
    assert_eq!(grid.driver.replies(), [PermissionReply::Once]);
}

#[test]
fn enter_goes_into_the_agent_and_the_grid_is_there_as_it_was_left() {
    let mut grid = at_work(4, (120, 36));
    grid.driver.press("s 2 enter");
    assert_eq!(grid.driver.app.views.front.id(), Some(&grid.rows[0].session));
    let text = grid.text();
    assert!(!text.contains("Watch"), "{text}");
    grid.driver.press("ctrl+t");
    let text = grid.text();
    assert!(text.contains(" 1 ? general"), "{text}");
    grid.driver.press("enter");
    assert_eq!(grid.driver.app.views.front.id(), Some(&grid.rows[0].session));
    assert!(!grid.text().contains("Watch"));
}

#[test]
fn always_opens_in_the_dialog_of_the_agent() {
    let mut grid = Grid::new(2);
    grid.open_tiles((80, 24));
    let mut question = bash("cargo test", &["cargo test *"]);
    question.session = grid.rows[1].session.clone();
    let session = question.session.clone();
    let asked = Event::Asked(question.shared());
    says(&mut grid.driver, SlotId::FIRST, &session, asked);
    grid.driver.frame();
    grid.driver.hear();
    grid.driver.press("tab a");
    assert_eq!(grid.driver.app.views.front.id(), Some(&session));
    let text = grid.text();
    assert!(text.contains("stores ticked rows"), "{text}");
    assert_eq!(grid.driver.replies(), []);
}

#[test]
fn messages_and_stops_go_where_they_belong() {
    let mut grid = Grid::new(2);
    grid.open_tiles((80, 24));
    grid.driver.press("2 m");
    grid.driver.type_text("only the tests");
    grid.driver.press("enter");
    let slot = grid.slots[1];
    let effects = std::mem::take(&mut grid.driver.effects);
    let sent = effects.iter().find_map(|effect| match effect {
        Effect::SendTo(to, Op::Submit(input)) => Some((*to, input.text.as_str())),
        _ => None,
    });
    assert_eq!(sent, slot.map(|slot| (slot, "only the tests")));
    assert!(
        grid.driver.hints().contains("sent to general"),
        "{}",
        grid.driver.hints()
    );
    grid.driver.press("x y");
    let sent = grid.driver.sent();
    assert!(
        matches!(&sent[..], [Op::Task(TaskOp::Cancel(task))] if *task == grid.rows[1].task),
        "{sent:?}"
    );
    grid.driver.press("X y");
    assert!(matches!(&grid.driver.sent()[..], [Op::Task(TaskOp::CancelAll)]));
    grid.rows[1].is_background = false;
    grid.tell(1);
    grid.driver.press("b");
    assert!(matches!(
        &grid.driver.sent()[..],
        [Op::Task(TaskOp::ToBackground)]
    ));
}

#[test]
fn resuming_tells_first_how_much_context_comes_along() {
    let mut grid = Grid::new(2);
    grid.open_tiles((120, 36));
    let usage = Usage {
        input: 38_400,
        ..Usage::default()
    };
    let paid = RequestUsage {
        context_used: Some(usage.context()),
        usage,
        cost: None,
        model: grid.rows[0].model.clone(),
    };
    grid.says(0, Event::Usage(paid));
    grid.rows[0].status = TaskStatus::Interrupted;
    grid.rows[0].ended = Some(NOW);
    grid.tell(0);
    grid.driver.frame();
    grid.driver.press("1 r");
    let text = grid.text();
    assert!(text.contains("─ resumes it with 38k tok of context ─"), "{text}");
    assert!(text.contains("┃ Go on where you stopped."), "{text}");
}

#[test]
fn a_message_that_an_agent_has_not_taken_yet_is_told_in_its_tile() {
    let mut grid = Grid::new(2);
    grid.open_tiles((120, 36));
    let waiting = Event::Queue(vec![queued(1, "only the tests", QueuedKind::Steer)]);
    assert_eq!(grid.says(1, waiting), RedrawUrgency::Urgent);
    assert!(grid.text().contains("1 queued"), "{}", grid.text());
    grid.says(1, Event::Queue(Vec::new()));
    assert!(!grid.text().contains("1 queued"), "{}", grid.text());
}

#[test]
fn in_the_conversation_of_an_agent_stopping_goes_to_the_root() {
    let mut grid = Grid::new(2);
    grid.open_tiles((80, 24));
    grid.driver.press("enter ctrl+t");
    grid.driver.frame();
    grid.driver.press("X");
    assert!(grid.text().contains("Stop all 2 tasks?"), "{}", grid.text());
    grid.driver.press("y");
    let effects = std::mem::take(&mut grid.driver.effects);
    let is_it =
        |effect: &Effect| matches!(effect, Effect::SendTo(SlotId::FIRST, Op::Task(TaskOp::CancelAll)));
    assert!(effects.iter().any(is_it));
}

#[test]
fn the_leader_and_the_command_open_the_grid_and_its_key_closes_it() {
    let mut grid = Grid::new(2);
    assert!(grid.text().contains("Watch"));
    grid.driver.press("ctrl+t");
    assert!(!grid.text().contains("Watch"));
    grid.driver.press("ctrl+x w");
    assert!(grid.text().contains("Watch"));
    assert_eq!(grid.driver.app.state().focus, "watch");
    grid.driver.press("esc");
    grid.driver.hear();
    grid.driver.type_text("/watch");
    grid.driver.press("enter");
    assert!(grid.text().contains("Watch"), "{}", grid.text());
}

#[test]
fn the_grid_opens_over_a_question_that_has_just_appeared() {
    let mut grid = Grid::new(2);
    grid.driver.press("esc");
    grid.ask(0, "rm -rf target");
    grid.driver.press("ctrl+t");
    assert!(grid.text().contains(" Watch   1 question"), "{}", grid.text());
    assert_eq!(grid.driver.app.state().focus, "watch");
    assert_eq!(grid.driver.app.state().dropped_keys, 0);
    grid.driver.wait(400);
    grid.driver.press("esc");
    assert_eq!(grid.driver.app.state().dialog, None, "it waits for a rest");
    grid.driver.wait(1000);
    assert_eq!(grid.driver.app.state().dialog, Some("permission"));
}

#[test]
fn a_page_over_the_grid_is_closed_without_it() {
    let mut grid = Grid::new(2);
    grid.driver.frame();
    grid.driver.press("?");
    assert!(grid.text().contains("Keys"), "{}", grid.text());
    grid.driver.press("q");
    assert!(grid.text().contains("Watch"), "{}", grid.text());
}

#[test]
fn a_click_chooses_a_tile() {
    use termina::event::{MouseButton, MouseEvent, MouseEventKind};
    let mut grid = at_work(4, (120, 36));
    grid.driver.frame();
    let press = MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: 70,
        row: 30,
        modifiers: Modifiers::NONE,
    };
    grid.driver.app.mouse(press, grid.driver.now);
    grid.driver.press("enter");
    assert_eq!(grid.driver.app.views.front.id(), Some(&grid.rows[3].session));
}
