//! The beginning: the first frame, the first prompt, and keys before there is a session.

use super::*;

#[test]
fn the_first_frame_needs_no_session() {
    let mut driver = Driver::closed();
    let text = driver.text();
    let first = text.lines().next().unwrap();
    assert!(
        first.starts_with(" lathe") && first.ends_with("local/test-model · build · ask"),
        "{first}"
    );
    assert!(driver.hints().contains("⏎ send"), "{}", driver.hints());
    assert!(!text.contains("esc"), "{text}");
}

#[test]
fn what_is_typed_before_the_session_is_open_is_kept_and_sent() {
    let mut driver = Driver::closed();
    driver.type_text("first");
    driver.press("enter");
    driver.type_text("sec");
    assert!(driver.sent().is_empty());
    assert!(driver.text().contains("opens ┃ first"), "{}", driver.text());
    driver.attach(&driver.snapshot());
    assert_eq!(inputs(&driver.sent()), [("submit", "first")]);
    assert!(driver.text().contains("┃ sec"));
}

#[test]
fn a_prompt_from_the_command_line_is_sent_once() {
    let mut driver = Driver::with(Setup {
        prompt: Some("hello".to_owned()),
        ..setup()
    });
    driver.attach(&driver.snapshot());
    driver.attach(&driver.snapshot());
    assert_eq!(inputs(&driver.sent()), [("submit", "hello")]);
}

#[test]
fn a_command_from_the_command_line_is_what_it_is_when_typed() {
    let begun = |prompt: &str| {
        let mut driver = Driver::with(Setup {
            prompt: Some(prompt.to_owned()),
            ..setup()
        });
        driver.attach(&driver.snapshot());
        driver
    };
    let mut driver = begun("!echo hi");
    let sent = driver.sent();
    assert!(
        matches!(&sent[..], [Op::Shell(command)] if command == "echo hi"),
        "{sent:?}"
    );
    let mut driver = begun("/help");
    assert_eq!(driver.sent().len(), 0);
    assert_eq!(driver.app.state().focus, "help", "{}", driver.text());
    let mut driver = begun("/nothing-like-it");
    assert_eq!(driver.sent().len(), 0);
    assert!(driver.text().contains("┃ /nothing-like-it"), "{}", driver.text());
}

#[test]
fn a_prompt_from_the_command_line_is_found_again_among_the_prompts() {
    let mut driver = Driver::with(Setup {
        prompt: Some("hello".to_owned()),
        ..setup()
    });
    let kept = |effect: &Effect| matches!(effect, Effect::KeepPrompt(written) if written.draft.expanded() == "hello");
    assert!(driver.app.take_effects().iter().any(kept));
}

#[test]
fn a_session_that_does_not_open_gives_the_text_back() {
    let mut driver = Driver::closed();
    driver.type_text("precious");
    driver.press("enter");
    let report = ErrorReport {
        kind: ReportKind::Storage,
        message: "the disk is full".to_owned(),
        hint: None,
    };
    driver.app.session_not_opened(SlotId::FIRST, report, driver.now);
    let text = driver.text();
    assert!(
        text.contains("┃ precious") && text.contains("the disk is full"),
        "{text}"
    );
    driver.press("enter");
    assert!(driver.sent().is_empty() && driver.text().contains("precious"));
}

#[test]
fn the_leader_table_appears_when_one_hesitates() {
    let mut driver = Driver::open();
    driver.press("ctrl+x");
    assert!(!driver.text().contains("queue the draft"));
    assert_eq!(driver.wait(400), RedrawUrgency::Urgent);
    assert!(driver.text().contains("queue the draft"), "{}", driver.text());
    assert_eq!(driver.frame().caret, None, "nothing is written there");
    driver.press("esc");
    assert!(!driver.text().contains("queue the draft"));
}

#[test]
fn question_mark_shows_the_keys_only_without_text() {
    let mut driver = Driver::open();
    driver.press("?");
    assert!(driver.text().contains("Everyday"), "{}", driver.text());
    driver.press("?");
    driver.type_text("why?");
    assert!(driver.text().contains("┃ why?"));
}

#[test]
fn a_light_terminal_gets_the_light_theme() {
    let mut driver = Driver::open();
    let dark = driver.app.appearance.theme.id();
    assert_eq!(
        driver.app.set_background(Background::Light),
        RedrawUrgency::Urgent
    );
    assert_ne!(driver.app.appearance.theme.id(), dark);
    assert_eq!(driver.app.set_background(Background::Light), RedrawUrgency::None);
}

#[test]
fn figures_come_with_each_request() {
    let mut driver = Driver::open();
    let usage = Usage {
        input: 60_000,
        output: 8_000,
        ..Usage::default()
    };
    let model = ModelRef {
        provider: "local".to_owned(),
        model: "test-model".to_owned(),
    };
    driver.event(Event::Usage(RequestUsage {
        context_used: Some(usage.context()),
        usage,
        cost: Some(0.42),
        model,
    }));
    assert!(
        driver.text().lines().next().unwrap().ends_with("◔ 34% · $0.42"),
        "{}",
        driver.text()
    );
}
