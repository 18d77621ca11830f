//! The keys that a person has chosen, wherever keys are read or shown; and the mode that has to rest.

use super::*;
use crate::tui::keymap::{Action, Keymap};

fn with_keys(keys: &[(&str, &str)]) -> Driver {
    let keys = keys.iter().map(|(name, key)| (*name, vec![(*key).to_owned()]));
    let mut driver = Driver::with(Setup {
        keymap: Keymap::configured(keys).unwrap(),
        ..setup()
    });
    let snapshot = driver.snapshot();
    driver.attach(&snapshot);
    driver
}

#[test]
fn chosen_keys_are_those_that_work_and_those_that_are_shown() {
    let mut driver = with_keys(&[
        ("composer-send", "alt+s"),
        ("cycle-mode", "alt+m"),
        ("leader", "alt+x"),
        ("composer-help-or-type", "none"),
        ("permission-allow-once", "z"),
    ]);
    let hints = driver.hints();
    assert!(
        hints.contains("alt+s send") && hints.contains("alt+m mode"),
        "{hints}"
    );
    assert!(!hints.contains("keys"), "{hints}");
    driver.type_text("hello");
    driver.press("enter");
    assert_eq!(inputs(&driver.sent()), []);
    driver.press("alt+s");
    assert_eq!(inputs(&driver.sent()), [("submit", "hello")]);

    driver.press("alt+x ?");
    let help = driver.text();
    assert!(help.contains("alt+s  "), "{help}");
    let mut pages = (0..10).map(|_| {
        driver.press("pgdn");
        driver.text()
    });
    assert!(pages.any(|page| page.contains("After alt+x")), "not in the help");
    driver.press("esc");
    driver.wait(400);

    driver.press("ctrl+p");
    driver.type_text("hooks");
    assert!(driver.text().contains("alt+x h"), "{}", driver.text());
    driver.press("esc esc");
    driver.wait(400);

    driver.ask(bash("cargo test", &[]));
    driver.hear();
    assert!(driver.text().contains("z once"), "{}", driver.text());
    driver.press("z");
    assert_eq!(driver.replies(), [PermissionReply::Once]);
}

#[test]
fn a_key_that_the_terminal_cannot_send_is_not_shown() {
    let mut driver = with_keys(&[("composer-newline", "shift+enter")]);
    assert!(!driver.hints().contains("newline"), "{}", driver.hints());
    driver.press("shift+enter");
    assert!(
        driver.hints().contains("shift+enter newline"),
        "{}",
        driver.hints()
    );
}

#[test]
fn open_questions_are_judged_once_the_mode_stays_unchanged() {
    let mut driver = Driver::open();
    driver.ask(bash("cargo test", &[]));
    driver.wait(400);
    let is_judged = |ops: Vec<Op>| ops.iter().any(|op| matches!(op, Op::Rejudge));
    driver.press("shift+tab");
    driver.wait(900);
    driver.press("shift+tab");
    driver.wait(900);
    assert!(!is_judged(driver.sent()), "the mode did not rest yet");
    driver.wait(100);
    assert!(is_judged(driver.sent()));
    driver.wait(2_000);
    assert!(!is_judged(driver.sent()), "once is enough");
}

#[test]
fn a_mode_is_left_alone_where_nothing_is_asked() {
    let mut driver = Driver::open();
    driver.press("shift+tab");
    driver.wait(1_100);
    assert_eq!(driver.sent().len(), 1);
}

#[test]
fn beside_the_leader_table_no_key_is_named_that_does_something_else_now() {
    let mut driver = Driver::open();
    let before = driver.hints();
    driver.press("ctrl+x");
    driver.wait(399);
    assert_eq!(driver.hints(), before);
    driver.wait(1);
    assert_eq!(driver.hints(), " press a listed key · esc back");
    driver.press("esc");
    assert_eq!(driver.hints(), before);
    driver.ask(bash("cargo test", &[]));
    driver.wait(310);
    driver.press("ctrl+x");
    driver.wait(400);
    assert_eq!(driver.hints(), " press a listed key · esc back");
    // Not even that of a question that waits.
    driver.press("esc");
    driver.press("esc");
    driver.press("ctrl+x");
    driver.wait(400);
    assert_eq!(driver.hints(), " press a listed key · esc back");
}

#[test]
fn the_leader_table_is_whole_at_every_size() {
    for size in [(80, 24), (120, 36), (40, 12)] {
        let mut driver = pictures::conversation();
        driver.press("ctrl+x");
        driver.wait(400);
        pictures::picture(&mut driver, "leader", size);
    }
    for preset in crate::tui::key_presets() {
        for size in [(80, 24), (40, 12), (40, 10)] {
            // It has more keys than a word each has room for.
            if (preset, size) == ("opencode", (40, 10)) {
                continue;
            }
            let mut driver = with_keys(&[("preset", preset)]);
            driver.size = size;
            driver.press("ctrl+x");
            driver.wait(400);
            let text = driver.text();
            let of_tasks = [
                Action::ToBackground,
                Action::ParentTask,
                Action::PreviousTask,
                Action::NextTask,
            ];
            let bindings = driver.app.keymap.bindings(Context::Leader);
            for binding in bindings.filter(|binding| !of_tasks.contains(&binding.action)) {
                let words = [Some(binding.description), binding.brief];
                let is_told = words.iter().flatten().any(|words| text.contains(words));
                assert!(
                    is_told || binding.keys.is_empty(),
                    "{preset} {size:?}: {words:?}\n{text}"
                );
            }
        }
    }
}
