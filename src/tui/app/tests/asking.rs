//! Questions of permission.

use super::*;
use crate::permission::PermissionKey;

#[test]
fn a_new_question_ignores_typed_keys_and_enter_never_answers() {
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
    driver.type_text("y");
    assert!(driver.text().contains("┃ y"), "{}", driver.text());
    assert!(
        driver.text().contains("? 1 waits · bash cargo test"),
        "{}",
        driver.text()
    );
    driver.press("ctrl+c");
    assert_eq!(driver.replies(), []);
    assert_eq!(driver.app.state().dropped_keys, 0);
    driver.hear();
    driver.press("enter");
    assert_eq!(driver.replies(), []);
    driver.press("y");
    assert_eq!(driver.replies(), [PermissionReply::Once]);
    assert!(!driver.app.is_asking());
}

#[test]
fn a_question_hears_the_key_behind_one_of_the_leader() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.ask(bash("cargo test", &[]));
    driver.hear();
    driver.press("ctrl+x b");
    driver.press("ctrl+x esc");
    driver.press("y");
    assert_eq!(driver.replies(), [PermissionReply::Once]);
}

#[test]
fn always_stores_what_is_ticked_in_the_chosen_scope() {
    let mut driver = Driver::open();
    let mut destructive = Ask::new(PermissionKey::BASH, Subject::new("rm -rf target/tmp")).always("rm *");
    destructive.destructive = true;
    let asks = vec![
        Ask::new(PermissionKey::BASH, Subject::new("cargo test -p retry")).always("cargo test *"),
        destructive,
    ];
    driver.ask(inquiry(
        "bash",
        "bash wants to run",
        asks,
        bash_card("cargo test -p retry && rm -rf target/tmp"),
    ));
    driver.hear();
    driver.press("a");
    let text = driver.text();
    assert!(
        text.contains("❯ [x] cargo test *")
            && text.contains("[ ] rm *")
            && text.contains("every `rm` command")
            && text.contains("deletes files"),
        "{text}"
    );
    driver.press("down up space enter");
    assert_eq!(driver.replies(), [], "nothing is ticked");
    assert!(driver.text().contains("nothing is ticked"));
    driver.press("space enter");
    let patterns = vec![(PermissionKey::BASH, "cargo test *".to_owned())];
    assert_eq!(
        driver.replies(),
        [PermissionReply::Always {
            patterns,
            scope: Scope::Project
        }]
    );
}

#[test]
fn arrows_and_enter_choose_from_the_row_of_keys() {
    let mut driver = Driver::open();
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.hear();
    driver.press("enter enter");
    assert_eq!(driver.replies(), [], "before an arrow it does nothing");
    driver.press("right right right left enter");
    assert!(driver.text().contains("stores ticked rows"), "{}", driver.text());
    let mut driver = Driver::open();
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.hear();
    driver.press("right enter");
    assert_eq!(driver.replies(), [PermissionReply::Once]);
}

#[test]
fn esc_closes_the_explanation_alone() {
    let mut driver = Driver::open();
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.hear();
    driver.press("d");
    assert!(driver.text().contains("always would store"));
    driver.press("esc");
    assert!(driver.text().contains("y once") && !driver.text().contains("always would store"));
}

#[test]
fn equal_asks_are_one_row_and_all_of_them_can_be_read() {
    let mut driver = Driver::open();
    let asks = (0..30)
        .map(|number| Ask::new(PermissionKey::EDIT, Subject::new(format!("log-{number}.txt"))).always("*"));
    let card = bash_card("tidy");
    driver.ask(inquiry(
        "edit",
        "edit wants to change 30 files",
        asks.collect(),
        card,
    ));
    driver.hear();
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
    driver.hear();
    driver.press("N");
    driver.wait(600);
    driver.type_text("use nextest, yes");
    assert!(driver.frame().caret.is_some());
    driver.press("enter");
    assert_eq!(
        driver.replies(),
        [PermissionReply::Reject(Some("use nextest, yes".to_owned()))]
    );
}

#[test]
fn a_question_put_off_waits_and_comes_back() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.ask(bash("cargo test", &[]));
    driver.hear();
    driver.press("esc");
    assert!(
        driver.hints().contains("1 question") && driver.hints().contains("ctrl+x . answers"),
        "{}",
        driver.hints()
    );
    assert!(driver.text().lines().next().unwrap().contains("1 question"));
    driver.type_text("meanwhile");
    assert!(driver.text().contains("┃ meanwhile"));
    driver.wait(1000);
    driver.press("ctrl+x .");
    driver.hear();
    driver.press("y");
    assert_eq!(driver.replies(), [PermissionReply::Once]);
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
fn the_palette_opens_over_a_question_what_is_not_the_questions_own() {
    let mut driver = Driver::open();
    driver.ask(bash("one", &[]));
    driver.hear();
    driver.effects.clear();
    driver.press("ctrl+p");
    driver.type_text("what fills the context");
    driver.press("enter");
    let looks = |effect: &Effect| matches!(effect, Effect::Ask(_, Query::Context));
    assert!(driver.effects.iter().any(looks), "{}", driver.text());
    assert!(driver.replies().is_empty());
}

#[test]
fn several_questions_queue_oldest_first() {
    let mut driver = Driver::open();
    driver.ask(bash("one", &[]));
    driver.hear();
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
    driver.hear();
    driver.event(Event::Settled(SettledQuestion {
        id: second.id,
        call: second.call.clone(),
        permission: Some(SettledPermission {
            tool: "bash".to_owned(),
            asked: Vec::new(),
            reply: PermissionReply::Withdrawn,
        }),
    }));
    assert!(
        driver.text().contains("? 1 waits · bash one"),
        "{}",
        driver.text()
    );
    driver.wait(1000);
    assert!(driver.text().contains("$ one"), "{}", driver.text());
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
    let mut terminal_environment = terminal_environment();
    terminal_environment.symbols = Symbols::Ascii;
    let mut driver = Driver::with(Setup {
        terminal_environment,
        ..setup()
    });
    driver.attach(&driver.snapshot());
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.hear();
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
    driver.hear();
    assert!(row(&mut driver, "sh test.sh").starts_with("   sh test.sh  "));
    let mut driver = Driver::open();
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.hear();
    assert!(row(&mut driver, "cargo test").starts_with("   cargo test  asks: no rule allows it"));
    assert!(!driver.text().contains('['), "{}", driver.text());
    driver.press("a");
    assert!(
        driver
            .text()
            .contains("[x] cargo test *  every `cargo test` command in this project")
    );
}

pub(super) fn of_child(command: &str, task: &str) -> Question<Inquiry> {
    let mut question = bash(command, &[]);
    question.agent = "explore".to_owned();
    question.about.delegated = Some(DelegatedTask {
        by: vec!["build".to_owned()],
        task: task.to_owned(),
    });
    question
}

#[test]
fn a_child_is_named_with_its_task_and_a_no_says_whom_it_stops() {
    let mut driver = Driver::open();
    driver.size = (120, 36);
    driver.ask(of_child("cargo test", "who calls backoff()"));
    driver.hear();
    let text = driver.text();
    let title = text.lines().find(|line| line.contains("? bash")).unwrap();
    assert!(
        title.starts_with(" ? bash wants to run · ~/src/retry · no sandbox")
            && title.ends_with("build › explore \"who calls backoff()\""),
        "{title}"
    );
    assert!(
        text.contains("   n no, stops explore; build goes on   N no, because…"),
        "{text}"
    );
    driver.press("n");
    assert_eq!(driver.replies(), [PermissionReply::Reject(None)]);
    driver.ask(bash("cargo test", &[]));
    driver.hear();
    assert!(
        driver.text().contains("   n no   N no, because…"),
        "{}",
        driver.text()
    );
}

#[test]
fn the_task_of_a_child_hides_nothing_and_stays_short() {
    let mut driver = Driver::open();
    driver.size = (120, 36);
    driver.ask(of_child(
        "cargo test",
        &format!("\u{1b}[2J{}", "a word ".repeat(40)),
    ));
    let text = driver.text();
    assert!(text.contains("\"⟨U+001B⟩[2Ja word a word"), "{text}");
    assert!(text.contains("…\""), "{text}");
}

#[test]
fn keys_that_do_not_answer_are_named_once() {
    let mut driver = Driver::open();
    driver.ask(bash("one", &[]));
    driver.ask(bash("two", &[]));
    for (size, row) in [
        (
            (80, 24),
            "   tab next ask · esc later · pgup reads the transcript",
        ),
        ((60, 16), " esc later"),
    ] {
        driver.size = size;
        let text = driver.text();
        assert_eq!(text.matches("esc later").count(), 1, "{text}");
        assert_eq!(text.matches("next ask").count(), 1, "{text}");
        assert!(text.lines().any(|line| line.starts_with(row)), "{text}");
    }
}

/// Puts a call on screen about which something will be asked.
pub(super) fn call_of(driver: &mut Driver, question: &Question<Inquiry>, args: &serde_json::Value) {
    let tool = ToolPart {
        call: question.call.clone(),
        provider_id: None,
        tool: question.about.tool.clone(),
        raw_args: args.to_string(),
        args: Some(args.clone().into()),
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
}

/// A call on screen with a body of several lines, that asks.
fn call_with_body(driver: &mut Driver) -> Question<Inquiry> {
    driver.event(Event::TurnStarted);
    let command = "set -e\nmake\nmake test\nmake install";
    let inquiry = bash(command, &["make *"]);
    call_of(driver, &inquiry, &serde_json::json!({ "command": command }));
    inquiry
}

/// How many rows say this.
fn count(driver: &mut Driver, text: &str) -> usize {
    driver.text().lines().filter(|line| line.contains(text)).count()
}

#[test]
fn what_a_dialog_asks_about_is_drawn_once() {
    let mut driver = Driver::with_tools();
    let inquiry = call_with_body(&mut driver);
    assert_eq!(count(&mut driver, "make install"), 1, "{}", driver.text());
    driver.ask(inquiry);
    driver.hear();
    assert_eq!(count(&mut driver, "make install"), 1, "{}", driver.text());
    let card = |driver: &mut Driver| {
        let text = driver.text();
        let title = text.lines().position(|line| line.starts_with(" ? Bash"));
        let title = title.unwrap_or_else(|| panic!("{text}"));
        text.lines().nth(title + 1).unwrap_or_default().to_owned()
    };
    assert!(!card(&mut driver).contains("make"), "{}", driver.text());
    // Put off it is whole in the transcript.
    driver.press("esc");
    assert!(driver.text().contains("1 question"), "{}", driver.text());
    assert_eq!(count(&mut driver, "make install"), 1, "{}", driver.text());
    assert!(driver.text().contains("? Bash"));
    driver.wait(1000);
    driver.press("ctrl+x .");
    assert!(!card(&mut driver).contains("make"), "{}", driver.text());
    driver.hear();
    driver.press("y");
    assert_eq!(count(&mut driver, "make install"), 1, "{}", driver.text());
    assert!(!driver.text().contains("y once"));
}

#[test]
fn a_card_that_is_being_read_is_not_folded_by_an_ask() {
    let mut driver = Driver::with_tools();
    let inquiry = call_with_body(&mut driver);
    driver.size = (80, 14);
    for _ in 0..6 {
        driver.event(Event::Error(ErrorReport {
            kind: ReportKind::Storage,
            message: "filler".to_owned(),
            hint: None,
        }));
    }
    driver.frame();
    driver.press("pgup pgup");
    assert_eq!(count(&mut driver, "make install"), 1, "{}", driver.text());
    let first = |driver: &mut Driver| driver.text().lines().nth(2).unwrap_or_default().to_owned();
    let before = first(&mut driver);
    driver.ask(inquiry);
    assert_eq!(first(&mut driver), before, "{}", driver.text());
}

#[test]
fn a_remark_moves_nothing() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.hear();
    let title = |driver: &mut Driver| driver.text().lines().position(|line| line.starts_with(" ? bash"));
    let before = title(&mut driver);
    assert!(before.is_some());
    driver.press("ctrl+e");
    assert!(
        driver.text().contains("y allows · n refuses"),
        "{}",
        driver.text()
    );
    assert_eq!(title(&mut driver), before, "{}", driver.text());
    driver.press("d d");
    assert!(driver.text().contains("esc later"), "{}", driver.text());
}
