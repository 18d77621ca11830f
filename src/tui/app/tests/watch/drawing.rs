//! Pictures of the grid.

use super::*;

#[test]
fn the_grid_at_every_size() {
    for count in [2, 4, 9] {
        for size in [(80, 24), (120, 36), (200, 60)] {
            let mut grid = at_work(count, size);
            picture_of(&mut grid.driver, &format!("watch__{count}_tiles"), size);
        }
    }
}

#[test]
fn the_grid_on_a_narrow_screen_and_below_the_least() {
    let mut grid = at_work(4, (40, 12));
    picture_of(&mut grid.driver, "watch__4_tiles", (40, 12));
    grid.driver.size = (39, 9);
    assert!(grid.text().contains("lathe needs 40×10"), "{}", grid.text());
}

#[test]
fn what_is_written_in_a_tile_and_asked_before_stopping() {
    let mut grid = at_work(4, (120, 36));
    grid.driver.press("3 m");
    grid.driver.type_text("only the stable API, please");
    picture_of(&mut grid.driver, "watch__message", (120, 36));
    grid.driver.press("esc X");
    picture_of(&mut grid.driver, "watch__stopping", (120, 36));
    grid.driver.press("n /");
    grid.driver.type_text("gen");
    picture_of(&mut grid.driver, "watch__filter", (80, 24));
}

#[test]
fn a_question_too_long_for_its_tile() {
    let mut grid = at_work(4, (80, 24));
    let id = grid.driver.app.tree().questions.iter().next().unwrap().id;
    let settled = Event::Settled(SettledQuestion {
        id,
        permission: None,
        call: CallId::new(),
    });
    let session = grid.rows[1].session.clone();
    says(&mut grid.driver, SlotId::FIRST, &session, settled);
    let command = "rm -rf target/tmp && \\\n".repeat(12) + "true";
    grid.ask(1, &command);
    picture_of(&mut grid.driver, "watch__long_question", (80, 24));
}
