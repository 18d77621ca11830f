//! Attention: if somebody looks, and how they are notified.

use super::*;

fn told(driver: &mut Driver) -> Vec<String> {
    let effects = std::mem::take(&mut driver.effects);
    let told = effects.into_iter().filter_map(|effect| match effect {
        Effect::Notify { title, body } => Some(format!("{title}: {body}")),
        _ => None,
    });
    told.collect()
}

fn turn(driver: &mut Driver, done: TurnEndReason) {
    driver.event(Event::TurnStarted);
    driver.event(Event::TurnEnded(done));
}

#[test]
fn an_unfocused_terminal_is_notified_once_per_turn_end_and_question() {
    let mut driver = Driver::open();
    driver.app.focus_changed(false, driver.now);
    turn(&mut driver, TurnEndReason::Stop);
    let name = "lathe · fix the flaky retry test";
    assert_eq!(told(&mut driver), [format!("{name}: the turn has ended")]);
    driver.wait(60_000);
    assert_eq!(told(&mut driver), [""; 0]);
    driver.ask(bash("cargo test", &[]));
    assert_eq!(told(&mut driver), [format!("{name}: bash wants to run")]);
    turn(&mut driver, TurnEndReason::Cancelled);
    assert_eq!(told(&mut driver), [""; 0]);
}

#[test]
fn a_focused_terminal_gets_no_notification() {
    let mut driver = Driver::open();
    driver.app.focus_changed(true, driver.now);
    driver.wait(60_000);
    turn(&mut driver, TurnEndReason::Error);
    driver.wait(60_000);
    assert_eq!(told(&mut driver), [""; 0]);
}

#[test]
fn where_the_focus_is_not_reported_half_a_minute_without_a_key_is_away() {
    let mut driver = Driver::open();
    driver.wait(20_000);
    turn(&mut driver, TurnEndReason::Stop);
    assert_eq!(told(&mut driver), [""; 0]);
    assert_eq!(
        driver.app.deadline(driver.now),
        Some(driver.now + Duration::from_secs(10))
    );
    driver.wait(10_000);
    assert_eq!(told(&mut driver).len(), 1);
    turn(&mut driver, TurnEndReason::Stop);
    assert_eq!(told(&mut driver).len(), 1);
    driver.press("left");
    turn(&mut driver, TurnEndReason::Stop);
    driver.wait(20_000);
    driver.press("left");
    driver.wait(60_000);
    assert_eq!(told(&mut driver), [""; 0], "a key came first");
}

#[test]
fn the_title_says_how_the_session_stands() {
    let mut driver = Driver::closed();
    let title = |driver: &Driver| driver.app.terminal_title().unwrap();
    assert_eq!(title(&driver), "lathe");
    driver.attach(&driver.snapshot());
    assert_eq!(title(&driver), "fix the flaky retry test - lathe");
    driver.event(Event::TurnStarted);
    assert_eq!(title(&driver), "* fix the flaky retry test - lathe");
    driver.ask(bash("cargo test", &[]));
    assert_eq!(title(&driver), "? fix the flaky retry test - lathe");
    driver.hear();
    driver.press("y");
    driver.event(Event::TurnEnded(TurnEndReason::Stop));
    assert_eq!(title(&driver), "! fix the flaky retry test - lathe");
    driver.press("left");
    assert_eq!(title(&driver), "fix the flaky retry test - lathe");
    let mut terminal_environment = terminal_environment();
    terminal_environment.has_title = false;
    let driver = Driver::with(Setup {
        terminal_environment,
        ..setup()
    });
    assert_eq!(driver.app.terminal_title(), None);
}
