//! Questions of permission.

use super::*;

#[test]
fn a_question_is_deaf_to_what_was_being_typed_and_enter_never_answers() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.ask(bash("cargo test", &["cargo test *"]));
    assert!(
        driver
            .text()
            .contains(" ? bash wants to run · ~/src/retry · no sandbox"),
        "{}",
        driver.text()
    );
    driver.press("y enter y");
    assert_eq!(driver.replies(), []);
    assert_eq!(driver.app.state().dropped_keys, 3);
    driver.wait(301);
    driver.press("enter");
    assert_eq!(driver.replies(), []);
    driver.press("y");
    assert_eq!(driver.replies(), [Reply::Once]);
    assert!(driver.app.dialog.is_none());
}

#[test]
fn keys_of_a_draft_go_on_into_it_while_a_question_appears() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.type_text("make it fast");
    driver.wait(100);
    driver.ask(bash("rm -rf /", &[]));
    driver.type_text("er, yes");
    assert!(
        driver.text().contains("┃ make it faster, yes"),
        "{}",
        driver.text()
    );
    assert_eq!(driver.app.state().focus, "dialog");
    driver.wait(701);
    assert_eq!(driver.replies(), []);
    driver.press("n");
    assert_eq!(driver.replies(), [Reply::Reject(None)]);
    assert!(
        driver.text().contains("┃ make it faster, yes"),
        "the draft is still there"
    );
}

#[test]
fn moving_the_caret_is_typing_too() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.type_text("make it fast");
    driver.wait(2000);
    driver.press("left");
    driver.ask(bash("rm -rf /", &[]));
    driver.type_text("y");
    assert!(driver.text().contains("┃ make it fasyt"), "{}", driver.text());
}

#[test]
fn a_key_that_waited_for_a_paste_answers_nothing() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.app.paste("/srv/slow/a.png", driver.now);
    driver.ask(bash("rm -rf /", &[]));
    driver.type_text("y");
    driver.wait(2000);
    assert_eq!(driver.replies(), []);
    assert!(driver.text().contains("a.pngy"), "{}", driver.text());
}

#[test]
fn always_stores_what_is_ticked_in_the_chosen_scope() {
    let mut driver = Driver::open();
    let mut destructive = Ask::new("bash", Subject::new("rm -rf target/tmp")).always("rm *");
    destructive.destructive = true;
    let asks = vec![
        Ask::new("bash", Subject::new("cargo test -p retry")).always("cargo test *"),
        destructive,
    ];
    driver.ask(inquiry(
        "bash",
        "bash wants to run",
        asks,
        bash_card("cargo test -p retry && rm -rf target/tmp"),
    ));
    driver.wait(301);
    driver.press("a");
    let text = driver.text();
    assert!(
        text.contains("❯ [x] cargo test *")
            && text.contains("[ ] rm *")
            && text.contains("every `rm` command")
            && text.contains("deletes files"),
        "{text}"
    );
    driver.press("space enter");
    assert_eq!(driver.replies(), [], "nothing is ticked");
    assert!(driver.text().contains("nothing is ticked"));
    driver.press("space s enter");
    let patterns = vec![("bash".to_owned(), "cargo test *".to_owned())];
    assert_eq!(
        driver.replies(),
        [Reply::Always {
            patterns,
            scope: Scope::Project
        }]
    );
}

#[test]
fn arrows_and_enter_choose_from_the_row_of_keys() {
    let mut driver = Driver::open();
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.wait(301);
    driver.press("enter enter");
    assert_eq!(driver.replies(), [], "before an arrow it does nothing");
    driver.press("right right right left enter");
    assert!(
        driver.text().contains("stores what is ticked"),
        "{}",
        driver.text()
    );
    let mut driver = Driver::open();
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.wait(301);
    driver.press("right enter");
    assert_eq!(driver.replies(), [Reply::Once]);
}

#[test]
fn a_key_that_means_nothing_is_answered_and_esc_closes_the_explanation_alone() {
    let mut driver = Driver::open();
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.wait(301);
    driver.press("q");
    assert!(
        driver.text().contains("y allows · n refuses"),
        "{}",
        driver.text()
    );
    driver.press("d");
    assert!(driver.text().contains("always would store") && !driver.text().contains("refuses"));
    driver.press("esc");
    assert!(driver.text().contains("y once") && !driver.text().contains("always would store"));
}

#[test]
fn equal_asks_are_one_row_and_all_of_them_can_be_read() {
    let mut driver = Driver::open();
    let asks = (0..30).map(|number| Ask::new("edit", Subject::new(format!("log-{number}.txt"))).always("*"));
    let card = bash_card("tidy");
    driver.ask(inquiry(
        "edit",
        "edit wants to change 30 files",
        asks.collect(),
        card,
    ));
    driver.wait(301);
    let text = driver.text();
    assert!(
        text.contains("30 files: log-0.txt …  asks: no rule allows it"),
        "{text}"
    );
    let mut seen = text;
    for _ in 0..20 {
        driver.press("pgdn");
        seen += &driver.text();
    }
    assert!(seen.contains("30. edit `log-29.txt`"), "{seen}");
}

#[test]
fn no_because_sends_the_reason() {
    let mut driver = Driver::open();
    driver.ask(bash("cargo test", &[]));
    driver.wait(301);
    driver.press("N");
    driver.type_text("use nextest, yes");
    assert!(driver.frame().caret.is_some());
    driver.press("enter");
    assert_eq!(
        driver.replies(),
        [Reply::Reject(Some("use nextest, yes".to_owned()))]
    );
}

#[test]
fn a_question_put_off_waits_and_comes_back() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.ask(bash("cargo test", &[]));
    driver.wait(301);
    driver.press("esc");
    assert!(
        driver.hints().contains("1 asks") && driver.hints().contains("ctrl+x . answers"),
        "{}",
        driver.hints()
    );
    assert!(driver.text().lines().next().unwrap().contains("1 asks"));
    driver.type_text("meanwhile");
    assert!(driver.text().contains("┃ meanwhile"));
    driver.wait(1000);
    driver.press("ctrl+x .");
    driver.wait(301);
    driver.press("y");
    assert_eq!(driver.replies(), [Reply::Once]);
}

#[test]
fn the_card_of_a_question_that_was_put_off_names_the_key_that_leads_there() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    let inquiry = bash("cargo test", &[]);
    let tool = ToolPart {
        call: inquiry.call.clone(),
        provider_id: None,
        tool: "bash".to_owned(),
        raw_args: String::new(),
        args: None,
        state: CallState::Pending,
        result: None,
        native: None,
        inner: Vec::new(),
    };
    driver.event(Event::PartStarted {
        message: MessageId::new(),
        part: Part {
            seq: 1,
            body: PartBody::Tool(tool),
        },
    });
    driver.ask(inquiry);
    driver.wait(3000);
    let text = driver.text();
    assert!(
        text.contains("waits for you") && !text.contains("answers"),
        "the question is on screen with its keys: {text}"
    );
    driver.press("esc");
    let text = driver.text();
    assert!(text.contains("waits for you · ctrl+x . answers"), "{text}");
}

#[test]
fn several_questions_queue_oldest_first() {
    let mut driver = Driver::open();
    driver.ask(bash("one", &[]));
    driver.wait(301);
    let second = driver.ask(bash("two", &[]));
    assert!(
        driver.text().contains("1 of 2") && driver.text().contains("$ one"),
        "{}",
        driver.text()
    );
    driver.press("tab");
    assert!(
        driver.text().contains("2 of 2") && driver.text().contains("$ two"),
        "{}",
        driver.text()
    );
    driver.wait(301);
    driver.event(Event::Settled(SettledQuestion {
        id: second.id,
        call: second.inquiry.call.clone(),
        tool: "bash".to_owned(),
        asked: Vec::new(),
        reply: Reply::Withdrawn,
    }));
    assert!(
        driver.text().contains("$ one") && !driver.text().contains(" of "),
        "{}",
        driver.text()
    );
    driver.press("y");
    assert_eq!(driver.replies(), [], "the one that follows is deaf at first, too");
}

#[test]
fn nothing_can_hide_in_a_command() {
    let mut driver = Driver::open();
    driver.ask(bash("true \u{1b}]0;; rm -rf ~\u{7}", &[]));
    assert!(
        driver.text().contains("$ true ⟨U+001B⟩]0;; rm -rf ~⟨U+0007⟩"),
        "{}",
        driver.text()
    );
}

#[test]
fn an_ellipsis_that_is_no_cut_stands_as_three_dots_where_signs_are_ascii() {
    let mut surroundings = surroundings();
    surroundings.symbols = Symbols::Ascii;
    let mut driver = Driver::with(Setup {
        surroundings,
        ..setup()
    });
    driver.attach(&driver.snapshot());
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.wait(301);
    let text = driver.text();
    assert!(
        text.contains("a always...   n no   N no, because...   d why"),
        "{text}"
    );
    driver.press("ctrl+x ?");
    let mut pages = (0..12).map(|_| {
        driver.press("pgdn");
        driver.text()
    });
    assert!(
        pages.any(|page| page.contains("no, because...")),
        "not in the help"
    );
}

#[test]
fn no_row_can_be_ticked_before_always_was_opened() {
    let row = |driver: &mut Driver, what: &str| {
        let text = driver.text();
        let row = text
            .lines()
            .find(|line| line.contains(what) && line.contains("asks:"));
        row.unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    let mut driver = Driver::open();
    driver.ask(bash("sh test.sh", &[]));
    driver.wait(301);
    assert!(row(&mut driver, "sh test.sh").starts_with("   sh test.sh  "));
    let mut driver = Driver::open();
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.wait(301);
    assert!(row(&mut driver, "cargo test").starts_with("   cargo test  asks: no rule allows it"));
    assert!(!driver.text().contains('['), "{}", driver.text());
    driver.press("a");
    assert!(
        driver
            .text()
            .contains("[x] cargo test *  every `cargo test` command in this session")
    );
}
