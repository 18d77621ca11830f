//! Whole frames.

use super::*;

/// Draws and compares with the picture of that name.
#[track_caller]
fn picture(driver: &mut Driver, name: &str, (width, height): (u16, u16)) {
    driver.size = (width, height);
    let frame = driver.frame();
    let caret = frame
        .caret
        .map_or("none".to_owned(), |caret| format!("{},{}", caret.x, caret.y));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        let name = format!("tui__{name}__{width}x{height}");
        insta::assert_snapshot!(name, format!("{}\ncaret: {caret}", frame.text()));
    });
}

fn said(role: Role, text: &str) -> Arc<Message> {
    let body = PartBody::Text(TextPart {
        text: text.to_owned(),
        native: None,
    });
    Arc::new(Message {
        id: MessageId::new(),
        role,
        state: MessageState::Complete,
        agent: None,
        model: None,
        created: 0,
        parts: vec![Part { seq: 1, body }],
        stop: None,
        usage: None,
    })
}

fn conversation() -> Driver {
    let mut driver = Driver::closed();
    let messages = vec![
        said(Role::User, "make the retry test deterministic"),
        said(
            Role::Assistant,
            "The test sleeps on the wall clock. I will inject a clock.",
        ),
    ];
    driver.attach(&Snapshot {
        messages,
        ..driver.snapshot()
    });
    driver
}

#[test]
fn the_first_frame() {
    for size in [(80, 24), (120, 36), (40, 12), (39, 9)] {
        picture(&mut Driver::closed(), "first", size);
    }
}

#[test]
fn a_turn_with_a_draft_and_a_queue() {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    driver.event(Event::Queue(vec![
        queued(1, "also run clippy", QueuedKind::Steer),
        queued(2, "then write the changelog", QueuedKind::Queue),
    ]));
    driver.type_text("and add one for the jitter bounds");
    for size in [(80, 24), (120, 36), (200, 60), (40, 12)] {
        picture(&mut driver, "turn", size);
    }
}

#[test]
fn a_question_about_a_command() {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    let mut destructive = Ask::new("bash", Subject::new("rm -rf target/tmp")).always("rm *");
    destructive.destructive = true;
    let asks = vec![
        Ask::new("bash", Subject::new("cargo test -p retry")).always("cargo test *"),
        destructive,
    ];
    let card = bash_card("cargo test -p retry && rm -rf target/tmp");
    driver.ask(inquiry("bash", "bash wants to run", asks, card));
    driver.wait(301);
    for size in [(80, 24), (120, 36), (40, 12)] {
        picture(&mut driver, "bash_question", size);
    }
    driver.press("d");
    picture(&mut driver, "bash_question_why", (80, 24));
    driver.press("d a down");
    picture(&mut driver, "bash_question_always", (80, 24));
    driver.press("esc");
    driver.wait(301);
    driver.press("N");
    driver.type_text("leave target alone");
    picture(&mut driver, "bash_question_reason", (80, 24));
}

#[test]
fn always_is_no_answer_where_nothing_can_be_stored() {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    let ask = Ask::new("bash", Subject::new("sh test.sh"));
    let card = Card::new("Bash", "sh test.sh");
    driver.ask(inquiry("bash", "bash wants to run", vec![ask], card));
    driver.wait(301);
    picture(&mut driver, "bash_question_without_always", (80, 24));
}

#[test]
fn a_question_about_a_long_diff() {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    let hunk = |start: usize| {
        format!(
            "@@ -{start},3 +{start},3 @@\n before\n-    sleep(delay).await;\n+    self.clock.sleep(delay).await;\n after\n"
        )
    };
    let hunks: String = (0..12).map(|index| hunk(10 + index * 20)).collect();
    let unified = format!("--- a/src/retry.rs\n+++ b/src/retry.rs\n{hunks}");
    let diff = DiffBody {
        path: "src/retry.rs".to_owned(),
        unified,
        max_lines: 40,
        is_unplaced: false,
    };
    let ask = Ask::new("edit", Subject::new("src/retry.rs")).always("*");
    let card = Card::new("Edit", "src/retry.rs").part(CardPart::Diff(diff));
    driver.ask(inquiry(
        "edit",
        "edit wants to change src/retry.rs",
        vec![ask],
        card,
    ));
    driver.wait(301);
    picture(&mut driver, "edit_question", (80, 24));
    driver.press("] ]");
    picture(&mut driver, "edit_question_third_hunk", (80, 24));
    for _ in 0..20 {
        driver.press("pgdn");
    }
    picture(&mut driver, "edit_question_end", (80, 24));
}

#[test]
fn the_help() {
    let mut driver = Driver::open();
    driver.press("?");
    picture(&mut driver, "help", (80, 24));
}

#[test]
fn an_ascii_terminal() {
    let mut surroundings = surroundings();
    surroundings.symbols = Symbols::Ascii;
    surroundings.depth = ColorDepth::None;
    let mut driver = Driver::with(Setup {
        surroundings,
        is_demo: true,
        ..setup()
    });
    driver.attach(&driver.snapshot());
    driver.type_text("hello");
    picture(&mut driver, "ascii", (80, 24));
}
