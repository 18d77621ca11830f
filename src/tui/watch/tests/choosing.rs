//! Choosing a tile, sorting and filtering.

use super::*;

#[test]
fn arrows_numbers_and_pages_choose() {
    let mut driver = Driver::new(tasks(8));
    driver.size = (80, 24);
    driver.picture();
    assert_eq!(driver.chosen(), "1");
    for (action, expected) in [
        (RIGHT, "2"),
        (Action::RowDown, "4"),
        (LEFT, "3"),
        (Action::RowUp, "1"),
        (Action::RowUp, "1"),
        (LEFT, "1"),
    ] {
        driver.act(action);
        assert_eq!(driver.chosen(), expected, "{action:?}");
    }
    driver.watch.pick('6');
    assert_eq!(driver.chosen(), "6");
    driver.act(RIGHT);
    assert_eq!(driver.chosen(), "7", "the next page");
    assert!(driver.picture().contains("page 2 of 2"));
    driver.watch.pick('9');
    assert_eq!(driver.chosen(), "7", "there is no such tile");
    driver.watch.pick('2');
    assert_eq!(driver.chosen(), "8");
    driver.act(PREVIOUS_PAGE);
    assert_eq!(driver.chosen(), "1");
    driver.act(NEXT_PAGE);
    driver.act(NEXT_PAGE);
    assert_eq!(driver.chosen(), "7");
}

#[test]
fn a_tile_stays_where_it_is_and_chosen_whatever_happens_to_the_others() {
    let mut driver = Driver::new(tasks(4));
    driver.picture();
    driver.watch.pick('3');
    driver.rows[0].status = TaskStatus::Completed;
    driver.rows[0].ended = Some(NOW);
    driver.rows.push(task(5));
    driver.ask(3, "git push");
    driver.picture();
    assert_eq!(driver.chosen(), "3");
    let places: Vec<_> = driver
        .watch
        .tiles()
        .iter()
        .map(|tile| tile.session.clone())
        .collect();
    assert_eq!(places, [1, 2, 3, 4, 5].map(session));
    driver.act(SORT);
    driver.picture();
    let places: Vec<_> = driver
        .watch
        .tiles()
        .iter()
        .map(|tile| tile.session.clone())
        .collect();
    assert_eq!(places, [4, 2, 3, 5, 1].map(session));
    assert_eq!(driver.chosen(), "3");
}

#[test]
fn the_filter_leaves_what_matches_and_going_back_clears_it_first() {
    let mut driver = four();
    driver.size = (100, 13);
    driver.act(Action::Search);
    driver.watch.write("lib");
    let picture = driver.picture();
    assert!(
        picture.contains("1 ◌ librarian") && !picture.contains("explore"),
        "{picture}"
    );
    assert_eq!(driver.chosen(), "3");
    driver.act(Action::FinishText);
    let heading = driver.picture().lines().next().unwrap().to_owned();
    assert!(heading.contains("1 done   /lib"), "{heading}");
    assert!(matches!(driver.watch.back(), LayerReply::Done));
    assert!(driver.picture().contains("explore"));
    driver.act(Action::Search);
    driver.watch.write("asks");
    driver.watch.write(" zzz");
    assert!(driver.picture().contains("Nothing matches."));
    driver.act(Action::Edit(Edit::DeleteWordLeft));
    assert!(
        driver.picture().contains("1 ? general"),
        "states are found by their words"
    );
    driver.watch.back();
    assert!(matches!(driver.watch.back(), LayerReply::Close(None)));
}

#[test]
fn a_chosen_tile_stays_when_it_stops_matching() {
    let mut driver = four();
    driver.size = (100, 13);
    driver.picture();
    driver.act(Action::Search);
    driver.watch.write("running");
    driver.act(Action::FinishText);
    driver.picture();
    assert_eq!(driver.chosen(), "1");
    driver.rows[0].status = TaskStatus::Completed;
    driver.update();
    assert_eq!(driver.chosen(), "1");
    assert!(driver.picture().contains("1 ✓ explore"));
}

#[test]
fn without_an_ask_the_key_looks_for_one_elsewhere() {
    let mut driver = Driver::new(tasks(2));
    driver.picture();
    let reply = driver.act(Action::AnotherAsk);
    assert!(matches!(
        reply,
        LayerReply::Request(LayerRequest::Perform(Action::NextAsk))
    ));
}
