//! Frames of the grid.

use super::*;

#[test]
fn tiles_stand_side_by_side_with_rules_between_them() {
    let mut driver = four();
    driver.size = (100, 13);
    let expected =
        " Watch   1 question · 2 running · 1 done                               1:42 · 96k tok · $0.31 · ask
 1 ▸ explore    who calls backoff()         0:41 │ 2 ? general    asks 0:58 · git checkout -- test…
                                                 │ ? bash wants to run · ~/src/retry · no sandbox
                                                 │   y once  n no  N because
                                                 │   $ git checkout -- tests/fixtures
                                                 │   asks: no rule allows it
─────────────────────────────────────────────────┼──────────────────────────────────────────────────
 3 ◌ librarian  who calls backoff()         0:12 │ 4 ✓ oracle     Two risks: the clock is no…  1:03
                                                 │
                                                 │
                                                 │
                                                 │
 ⏎ go in · ⇥ next ask · esc back · m message · x stop · s sort · / filter · X stop all · ? keys";
    assert_eq!(driver.picture(), expected);
    driver.symbols = Symbols::Ascii;
    let expected =
        " Watch   1 question - 2 running - 1 done                               1:42 - 96k tok - $0.31 - ask
 1 > explore    who calls backoff()         0:41 | 2 ? general    asks 0:58 - git checkout -- test~
                                                 | ? bash wants to run - ~/src/retry - no sandbox
                                                 |   y once  n no  N because
                                                 |   $ git checkout -- tests/fixtures
                                                 |   asks: no rule allows it
-------------------------------------------------+--------------------------------------------------
 3 o librarian  who calls backoff()         0:12 | 4 + oracle     Two risks: the clock is no~  1:03
                                                 |
                                                 |
                                                 |
                                                 |
 enter go in - tab next ask - esc back - m message - x stop - s sort - / filter - X stop all";
    assert_eq!(driver.picture(), expected);
}

#[test]
fn without_colours_the_chosen_tile_is_reversed_and_a_question_has_its_bar() {
    let mut driver = four();
    driver.size = (100, 13);
    driver.depth = ColorDepth::None;
    driver.act(RIGHT);
    let buffer = driver.buffer();
    let is_reversed = |(x, y): (u16, u16)| {
        let style = buffer[(x, y)].style();
        style.add_modifier.contains(ratatui::style::Modifier::REVERSED)
    };
    assert!((50..100).all(|x| is_reversed((x, 1))));
    assert!((0..49).all(|x| !is_reversed((x, 1))));
    assert_eq!(buffer[(51, 4)].symbol(), "┃");
}

#[test]
fn on_a_narrow_screen_tiles_stand_above_each_other_or_on_more_pages() {
    let mut driver = four();
    driver.size = (40, 12);
    let expected = " Watch   1 question · 2 running     ask
 1 ▸ explore  who calls backoff()  0:41









 ⏎ go in · ⇥ next ask · esc back";
    assert_eq!(driver.picture(), expected);
    driver.act(NEXT_PAGE);
    let expected = " Watch   1 question · 2 running     ask
 1 ? general  asks 0:58 · git checkout…
 ? bash wants to run · no sandbox
 y once  n no  N because
   $ git checkout -- tests/fixtures
   asks: no rule allows it





 ⏎ go in · esc back · m message · x stop";
    assert_eq!(driver.picture(), expected);
}

#[test]
fn a_tree_without_tasks_says_what_comes_here() {
    let mut driver = Driver::new(Vec::new());
    driver.size = (80, 10);
    let picture = driver.picture();
    assert!(
        picture.contains("No agent has been started here yet. Each gets a tile of its own."),
        "{picture}"
    );
    assert_eq!(driver.requested(ENTER), None);
    assert!(matches!(driver.watch.back(), LayerReply::Close(None)));
}

#[test]
fn a_command_in_another_directory_says_where() {
    let mut driver = four();
    driver.size = (40, 12);
    let question = Arc::make_mut(&mut driver.questions[0]);
    if let crate::question::QuestionKind::Permission(inquiry) = &mut question.about {
        Arc::make_mut(inquiry).directory = "/home/u/src/retry/target".into();
    }
    driver.update();
    driver.picture();
    driver.act(NEXT_PAGE);
    let picture = driver.picture();
    assert!(
        picture.contains("\n ? bash wants to run\n   ~/src/retry/target · no sandbox\n"),
        "{picture}"
    );
}

#[test]
fn only_what_is_seen_asks_for_a_frame() {
    let mut driver = Driver::new(tasks(20));
    for row in &mut driver.rows {
        row.activity = TaskActivity::WaitingForModel;
    }
    driver.update();
    driver.picture();
    assert_eq!(driver.update(), RedrawUrgency::None, "nothing has changed");
    driver.rows[0].calls += 1;
    driver.rows[0].usage.cache_read += 9;
    assert_eq!(
        driver.update(),
        RedrawUrgency::None,
        "no row of the frame says that"
    );
    driver.rows[19].now = "grep backoff".to_owned();
    driver.rows[19].description = "another".to_owned();
    assert_eq!(
        driver.update(),
        RedrawUrgency::None,
        "its tile is on another page"
    );
    driver.rows[19].worktree = Some(crate::conversation::WorktreeChanges::default());
    assert_eq!(driver.update(), RedrawUrgency::None);
    driver.rows[0].activity = TaskActivity::Working;
    assert_eq!(driver.update(), RedrawUrgency::Soft);
    driver.picture();
    driver.rows[19].status = TaskStatus::Completed;
    assert_eq!(driver.update(), RedrawUrgency::Soft, "the heading counts it");
}
