//! Pages over the screen.

use super::pictures::conversation;
use super::*;

#[test]
fn esc_q_and_its_own_key_close_a_page() {
    for close in ["esc", "q", "?", "ctrl+c", "ctrl+x ?"] {
        let mut driver = conversation();
        driver.press("?");
        assert_eq!(driver.app.state().focus, "help");
        driver.press(close);
        assert_eq!(driver.app.state().focus, "composer", "{close}");
        assert!(driver.sent().is_empty(), "{close}");
    }
}

#[test]
fn a_page_opens_over_another_and_esc_goes_back_to_it() {
    let mut driver = conversation();
    driver.press("ctrl+x h");
    assert!(driver.text().contains("No hook has run yet."));
    driver.press("?");
    assert!(driver.text().contains(" Keys"));
    driver.press("esc");
    assert!(driver.text().contains("No hook has run yet."));
    driver.wait(400);
    driver.press("esc");
    assert!(driver.text().contains("deterministic"));
}

#[test]
fn a_page_scrolls_to_its_ends() {
    let mut driver = conversation();
    driver.press("?");
    let top = driver.text();
    assert!(top.contains("1-20 of "), "{top}");
    driver.press("j k pgdn");
    let below = driver.text();
    assert!(below.contains("20-39 of "), "{below}");
    driver.press("G");
    assert!(driver.text().contains("previous match"), "{}", driver.text());
    driver.press("g");
    assert_eq!(driver.text(), top);
}

#[test]
fn a_page_is_searched() {
    let mut driver = conversation();
    driver.press("?");
    driver.press("/");
    driver.type_text("put back");
    let text = driver.text();
    assert!(
        text.contains("put back what was deleted") && text.contains("1 of 1"),
        "{text}"
    );
    assert_eq!(driver.app.composer.text(), "");
    driver.press("enter /");
    driver.type_text("hunk");
    assert!(driver.hints().contains("1 of 2"), "{}", driver.hints());
    driver.press("enter n");
    assert!(driver.hints().contains("2 of 2"), "{}", driver.hints());
    driver.press("n");
    assert!(driver.hints().contains("1 of 2"), "{}", driver.hints());
    driver.press("esc");
    assert!(driver.hints().contains("esc closes"), "{}", driver.hints());
    driver.wait(400);
    driver.press("/");
    driver.type_text("nowhere at all");
    assert!(driver.hints().contains("not found"), "{}", driver.hints());
    driver.press("esc");
    driver.wait(400);
    driver.press("esc");
    assert!(driver.text().contains("deterministic"));
}

#[test]
fn the_palette_opens_over_a_page() {
    let mut driver = conversation();
    driver.press("? ctrl+p");
    driver.type_text("hooks did");
    driver.press("enter");
    assert!(driver.text().contains("No hook has run yet."));
    driver.press("q");
    assert!(driver.text().contains(" Keys"));
}

#[test]
fn a_question_below_a_page_waits_and_takes_no_key_of_it() {
    let mut driver = conversation();
    driver.press("?");
    driver.ask(inquiry(
        "bash",
        "bash wants to run",
        vec![Ask::new("bash", Subject::new("ls"))],
        bash_card("ls"),
    ));
    assert!(driver.hints().contains("a question waits"), "{}", driver.hints());
    driver.wait(400);
    driver.press("q y");
    assert!(driver.replies().is_empty(), "it was not seen before");
    driver.wait(400);
    driver.press("y");
    assert_eq!(driver.replies().len(), 1);
}
