//! The prompt history: `up`, `ctrl+r`, and what `ctrl+c` cleared.

use super::*;
use crate::tui::composer::Draft;
use crate::tui::prompts::PromptDraft;

fn written(text: &str, project: &str) -> PromptDraft {
    PromptDraft {
        draft: Draft::from_text(text),
        project: project.into(),
        unsent: false,
    }
}

fn here(text: &str) -> PromptDraft {
    written(text, "/home/u/src/retry")
}

/// Takes the prompts that were to be kept since the last time.
fn kept(driver: &mut Driver) -> Vec<(String, bool)> {
    let effects = std::mem::take(&mut driver.effects);
    let kept = effects.into_iter().filter_map(|effect| match effect {
        Effect::KeepPrompt(written) => Some((written.draft.expanded(), written.unsent)),
        _ => None,
    });
    kept.collect()
}

fn reads(driver: &mut Driver) -> bool {
    let effects = std::mem::take(&mut driver.effects);
    effects.iter().any(|effect| matches!(effect, Effect::ReadPrompts))
}

fn read(driver: &mut Driver, prompts: Vec<PromptDraft>) {
    assert!(reads(driver));
    driver.app.prompts(prompts, driver.now);
    driver.collect();
}

#[test]
fn what_is_sent_is_kept_and_so_is_what_ctrl_c_clears() {
    let mut driver = Driver::open();
    driver.type_text("send me");
    driver.press("enter");
    driver.type_text("never sent");
    driver.press("ctrl+c ctrl+c");
    let expected = [("send me".to_owned(), false), ("never sent".to_owned(), true)];
    assert_eq!(kept(&mut driver), expected);
    assert!(driver.app.views.front.composer.is_empty());
    driver.press("up");
    assert_eq!(driver.app.views.front.composer.text(), "never sent");
    driver.press("up");
    assert_eq!(driver.app.views.front.composer.text(), "send me");
}

#[test]
fn undo_brings_back_what_ctrl_c_cleared() {
    let mut driver = Driver::open();
    driver.type_text("precious");
    driver.press("ctrl+c ctrl+_");
    assert_eq!(driver.app.views.front.composer.text(), "precious");
}

#[test]
fn up_reads_the_projects_history_when_the_session_has_none() {
    let mut driver = Driver::open();
    driver.press("up");
    let prompts = vec![here("oldest"), written("elsewhere", "/other"), here("newest")];
    read(&mut driver, prompts);
    assert_eq!(driver.app.views.front.composer.text(), "newest");
    driver.press("up");
    assert_eq!(driver.app.views.front.composer.text(), "oldest");
    driver.press("up");
    assert!(!reads(&mut driver), "it is read once");
    driver.press("down down");
    assert!(driver.app.views.front.composer.is_empty());
}

#[test]
fn what_this_session_sent_comes_before_the_projects_and_not_twice() {
    let mut driver = Driver::open();
    driver.type_text("mine");
    driver.press("enter up up");
    read(&mut driver, vec![here("older"), here("mine")]);
    assert_eq!(driver.app.views.front.composer.text(), "older");
    driver.press("down");
    assert_eq!(driver.app.views.front.composer.text(), "mine");
}

#[test]
fn ctrl_r_searches_this_project_first_and_enter_writes_it_again() {
    let mut driver = Driver::open();
    driver.type_text("a draft");
    driver.press("ctrl+r");
    driver.type_text("test");
    assert!(
        driver.text().contains("Loading the history."),
        "{}",
        driver.text()
    );
    read(
        &mut driver,
        vec![
            here("fix the tests"),
            written("test the door", "/home/u/src/house"),
            here("fix the tests"),
            here("write docs"),
        ],
    );
    let text = driver.text();
    assert!(text.contains("History · 2 of 3"), "{text}");
    assert!(text.contains("test the door") && text.contains("house"), "{text}");
    driver.press("enter");
    let chosen = driver.app.views.front.composer.text();
    assert!(chosen.contains("test"), "{chosen}");
    driver.press("ctrl+_ ctrl+_");
    assert_eq!(driver.app.views.front.composer.text(), "a draft");
}

#[test]
fn esc_leaves_the_search_and_the_draft_as_it_was() {
    let mut driver = Driver::open();
    driver.type_text("a draft");
    driver.press("ctrl+r");
    read(&mut driver, vec![here("other")]);
    driver.press("esc");
    assert_eq!(driver.app.views.front.composer.text(), "a draft");
    assert!(driver.app.layers.is_empty());
}

#[test]
fn a_folded_paste_is_folded_in_the_draft_that_is_stored() {
    let mut driver = Driver::open();
    let long = "line\n".repeat(212);
    driver.type_text("see ");
    driver.app.paste(&long, driver.now);
    driver.wait(251);
    let sent = driver.sent();
    let stored = sent.iter().find_map(|op| match op {
        Op::Draft(draft) => Some(draft.clone()),
        _ => None,
    });
    let mut again = Driver::closed();
    let mut snapshot = again.snapshot();
    snapshot.draft = stored.unwrap();
    again.attach(&snapshot);
    assert!(
        again.text().contains("see [pasted 212 lines]"),
        "{}",
        again.text()
    );
    assert_eq!(again.app.views.front.composer.text(), format!("see {long}"));
}

#[test]
fn pictures_of_the_search() {
    for (columns, rows) in [(80, 24), (120, 36), (40, 12)] {
        let mut driver = Driver::open();
        driver.size = (columns, rows);
        driver.press("ctrl+r");
        let unsent = PromptDraft {
            unsent: true,
            ..here("a thought that was cleared away")
        };
        let prompts = vec![
            written("port the parser to nom 8", "/home/u/src/house"),
            here("why does `cargo test -p retry` hang on CI?"),
            here(
                "make the retry test deterministic\n\n- inject a clock\n- pause time in the test\n- keep the \
                public API",
            ),
            unsent,
        ];
        read(&mut driver, prompts);
        driver.press("down");
        insta::with_settings!({snapshot_path => "../../../../snapshots", prepend_module_to_snapshot => false}, {
            insta::assert_snapshot!(format!("history__search__{columns}x{rows}"), driver.text());
        });
    }
}

#[test]
fn what_is_typed_while_the_history_is_read_is_not_taken_away() {
    let mut driver = Driver::open();
    driver.press("up");
    driver.type_text("new");
    read(&mut driver, vec![here("old")]);
    assert_eq!(driver.app.views.front.composer.text(), "new");
    driver.press("up");
    assert_eq!(driver.app.views.front.composer.text(), "old");
}

#[test]
fn what_is_typed_after_up_joins_what_it_brought() {
    let mut driver = Driver::open();
    driver.type_text("talk");
    driver.press("enter up");
    driver.type_text("!");
    assert_eq!(driver.app.views.front.composer.text(), "talk!");
}

#[test]
fn what_is_sent_before_the_session_is_open_is_in_the_history() {
    let mut driver = Driver::closed();
    driver.type_text("early");
    driver.press("enter");
    driver.attach(&driver.snapshot());
    driver.press("up");
    assert_eq!(driver.app.views.front.composer.text(), "early");
}
