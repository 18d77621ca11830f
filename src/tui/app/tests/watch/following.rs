//! Conversations of tiles: open while they are seen, following their tails, and what they cost.

use super::*;

#[test]
fn the_conversations_of_tiles_are_open_while_they_are_seen() {
    let mut grid = Grid::new(8);
    grid.open_tiles((80, 24));
    let open = |grid: &Grid| grid.slots.iter().filter(|slot| slot.is_some()).count();
    assert_eq!(open(&grid), 6, "a page has six tiles");
    grid.driver.frame();
    assert_eq!(grid.attached(), (Vec::new(), Vec::new()), "they are opened once");
    grid.driver.press(">");
    grid.driver.frame();
    assert_eq!(grid.attached(), (vec![6, 7], vec![0, 1, 2, 3, 4, 5]));
    grid.driver.press("esc");
    grid.driver.frame();
    let (opened, _) = grid.attached();
    assert_eq!(opened, Vec::<usize>::new());
}

#[test]
fn a_grid_that_is_closed_lets_its_conversations_go() {
    let mut grid = Grid::new(3);
    grid.open_tiles((80, 24));
    grid.driver.press("esc");
    grid.driver.frame();
    assert_eq!(grid.attached().1, [0, 1, 2]);
    assert!(grid.driver.app.views.behind.is_empty());
    assert!(!grid.text().contains("Watch"), "{}", grid.text());
}

#[test]
fn a_task_that_waits_for_its_turn_is_not_opened() {
    let mut grid = Grid::new(2);
    grid.rows[1].status = TaskStatus::Queued;
    grid.rows[1].started = None;
    grid.tell(1);
    grid.open_tiles((80, 24));
    assert_eq!((grid.slots[0].is_some(), grid.slots[1].is_some()), (true, false));
    let text = grid.text();
    assert!(
        text.contains("2 · general    queued · undo the fixtures"),
        "{text}"
    );
    assert!(text.contains("It begins when a slot is free."), "{text}");
}

#[test]
fn a_tile_follows_the_tail_of_its_agent() {
    let mut grid = Grid::new(2);
    grid.open_tiles((80, 24));
    for line in 0..30 {
        grid.writes(0, &format!("line {line}"));
    }
    let text = grid.text();
    assert!(text.contains("line 29") && !text.contains("line 1 "), "{text}");
    grid.driver.press("pgup");
    let before = grid.text();
    assert!(!before.contains("line 29"), "{before}");
    grid.writes(0, "line 30");
    grid.driver.frame();
    let after = grid.text();
    assert!(after.contains("↓ 1 new") && !after.contains("line 30"), "{after}");
    grid.driver.press("pgdn pgdn pgdn");
    assert!(grid.text().contains("line 30"));
}

#[test]
fn what_happens_in_a_tile_that_is_not_seen_costs_no_frame() {
    let mut grid = Grid::new(8);
    grid.open_tiles((80, 24));
    assert_eq!(grid.writes(0, "seen"), RedrawUrgency::Soft);
    grid.driver.press(">");
    grid.driver.frame();
    // Its events are on their way still, though nobody looks.
    assert_eq!(grid.writes(0, "not seen"), RedrawUrgency::None);
    let delta = Event::PartStarted {
        message: MessageId::new(),
        part: Part {
            seq: 1,
            body: PartBody::Text(TextPart::default()),
        },
    };
    let session = grid.driver.session.clone();
    assert_eq!(
        says(&mut grid.driver, SlotId::FIRST, &session, delta),
        RedrawUrgency::None,
        "the conversation below the grid"
    );
    grid.rows[0].now = "grep backoff".to_owned();
    assert_eq!(grid.tell(0), RedrawUrgency::None);
    grid.rows[7].activity = TaskActivity::WaitingForTasks;
    assert_eq!(grid.tell(7), RedrawUrgency::Soft);
}

#[test]
fn twenty_agents_that_wait_cost_a_frame_a_second() {
    let mut grid = Grid::new(20);
    for place in 0..20 {
        grid.rows[place].activity = TaskActivity::WaitingForModel;
        grid.tell(place);
    }
    grid.open_tiles((200, 60));
    grid.driver.wait(1_000);
    grid.driver.frame();
    let frames = grid.frames_in(10);
    assert!((9..=10).contains(&frames), "{frames} frames in 10 s");
    for place in 0..20 {
        grid.rows[place].status = TaskStatus::Completed;
        grid.rows[place].ended = Some(NOW);
        grid.tell(place);
    }
    grid.driver.event(Event::TurnEnded(TurnEndReason::Stop));
    grid.driver.frame();
    assert_eq!(grid.frames_in(10), 0, "nothing counts any more");
}

#[test]
fn nothing_turns_in_a_tile() {
    let mut grid = Grid::new(2);
    grid.open_tiles((80, 24));
    grid.calls(0, "cargo test");
    grid.driver.frame();
    assert!(!grid.driver.app.is_animated());
    let text = grid.text();
    assert!(text.contains("▸ Bash cargo test"), "{text}");
}

#[test]
fn an_agent_that_has_ended_is_looked_at_in_its_tile() {
    let mut grid = Grid::new(2);
    grid.open_tiles((80, 24));
    grid.rows[0].status = TaskStatus::Completed;
    grid.rows[0].ended = Some(NOW);
    grid.tell(0);
    let is_news = |grid: &Grid| grid.driver.app.tree().tasks.entries()[0].is_news;
    assert!(is_news(&grid));
    grid.driver.frame();
    assert!(!is_news(&grid));
}
