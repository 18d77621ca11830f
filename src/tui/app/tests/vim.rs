//! The composer with vim's modes.

use super::*;
use crate::tui::terminal::CaretShape;

fn vim() -> Driver {
    let mut driver = Driver::with(Setup {
        uses_vim: true,
        ..setup()
    });
    driver.attach(&driver.snapshot());
    driver
}

#[test]
fn esc_leads_to_normal_mode_before_it_arms_anything() {
    let mut driver = vim();
    driver.event(Event::TurnStarted);
    assert_eq!(driver.app.caret_shape(), CaretShape::Bar);
    driver.type_text("one two");
    driver.press("esc esc");
    assert!(driver.hints().contains("normal"), "{}", driver.hints());
    assert!(!driver.hints().contains("again"), "{}", driver.hints());
    assert_eq!(driver.app.caret_shape(), CaretShape::Block);
    driver.hear();
    driver.press("esc");
    assert!(
        driver.hints().contains("esc again interrupts"),
        "{}",
        driver.hints()
    );
}

#[test]
fn commands_change_the_draft_and_enter_sends_it() {
    let mut driver = vim();
    driver.type_text("one two three");
    driver.press("esc");
    driver.type_text("0d");
    assert!(driver.hints().contains("normal d"), "{}", driver.hints());
    driver.type_text("wcwTWO");
    assert!(driver.hints().contains("insert"), "{}", driver.hints());
    assert_eq!(driver.app.views.front.composer.text(), "TWO three");
    driver.hear();
    driver.press("esc");
    driver.type_text("w.");
    driver.press("u ctrl+r");
    assert_eq!(driver.app.views.front.composer.text(), "TWO TWO");
    driver.press("enter");
    let sent = driver.sent();
    assert!(
        sent.iter()
            .filter_map(input_text)
            .any(|input| input == ("submit", "TWO TWO"))
    );
    assert!(
        driver.hints().contains("insert"),
        "the next one is written at once"
    );
}

#[test]
fn a_folded_paste_goes_as_one_and_comes_back() {
    let mut driver = vim();
    let long = "line\n".repeat(20);
    driver.type_text("see ");
    driver.app.paste(&long, driver.now);
    driver.type_text(" now");
    driver.press("esc");
    driver.type_text("0wx");
    assert_eq!(driver.app.views.front.composer.text(), "see  now");
    driver.type_text("u");
    assert_eq!(driver.app.views.front.composer.text(), format!("see {long} now"));
}

#[test]
fn k_on_the_first_line_walks_the_history_as_up_does() {
    let mut driver = vim();
    driver.type_text("sent");
    driver.press("enter");
    driver.type_text("draft");
    driver.press("esc k");
    assert_eq!(driver.app.views.front.composer.text(), "sent");
    driver.press("j");
    assert_eq!(driver.app.views.front.composer.text(), "draft");
}

#[test]
fn esc_leaves_insert_mode_at_once_and_does_not_stop_the_turn() {
    let mut driver = vim();
    driver.event(Event::TurnStarted);
    driver.type_text("one");
    driver.press("esc");
    driver.type_text("ax");
    driver.press("esc");
    assert!(driver.hints().contains("normal"), "{}", driver.hints());
    driver.press("esc esc");
    assert!(!driver.hints().contains("again interrupts"), "{}", driver.hints());
}

#[test]
fn pictures_of_the_modes() {
    let mut driver = vim();
    driver.type_text("make the retry test deterministic");
    driver.press("esc");
    driver.type_text("b2d");
    pictures::pictures(&mut driver, "vim_normal");
    driver.press("esc");
    driver.type_text("vb");
    pictures::pictures(&mut driver, "vim_visual");
}
