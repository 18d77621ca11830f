//! Files and agents behind `@`, and the list of them.

use super::completing::selected;
use super::pictures::{conversation, picture};
use super::*;
use crate::session::Input;

pub(super) const FILES: &[&str] = &["src/retry.rs", "src/net/retry.rs", "tests/retry.rs", "src/"];

#[test]
fn an_at_lists_files_and_enter_writes_one() {
    let mut driver = conversation();
    driver.type_text("look at @re");
    assert_eq!(driver.find(FILES), "re");
    let text = driver.text();
    assert!(text.contains("retry.rs  src/net/"), "{text}");
    driver.press("down enter");
    assert_eq!(
        driver.app.views.front.composer.text(),
        "look at @src/net/retry.rs "
    );
    assert_eq!(selected(&mut driver), "");
    driver.type_text("please");
    driver.press("enter");
    let sent = driver.sent();
    let Op::Submit(input) = sent.last().unwrap() else {
        panic!("{sent:?}")
    };
    assert_eq!(input.text, "look at @src/net/retry.rs please");
    assert_eq!(input.mentions[0].path, "src/net/retry.rs");
}

#[test]
fn tab_goes_into_a_directory_and_lines_stay() {
    let mut driver = conversation();
    driver.type_text("@sr");
    driver.find(&["src/"]);
    driver.press("tab");
    assert_eq!(driver.app.views.front.composer.text(), "@src/");
    assert_eq!(driver.find(FILES), "src/");
    driver.press("esc");
    driver.press("ctrl+c");
    driver.type_text("@ret:10-40");
    assert_eq!(driver.find(FILES), "ret");
    driver.press("enter");
    assert_eq!(driver.app.views.front.composer.text(), "@src/retry.rs:10-40 ");
}

#[test]
fn a_name_with_blanks_is_quoted() {
    let mut driver = conversation();
    driver.type_text("@my");
    driver.find(&["my notes.md"]);
    driver.press("enter");
    assert_eq!(driver.app.views.front.composer.text(), "@\"my notes.md\" ");
}

#[test]
fn a_key_that_picks_waits_for_the_answer_and_the_keys_behind_it_wait_too() {
    let mut driver = conversation();
    driver.type_text("@r");
    driver.find(&["other.rs"]);
    driver.type_text("e");
    driver.press("enter");
    driver.type_text("x");
    assert_eq!(
        driver.app.views.front.composer.text(),
        "@re",
        "the answer is on its way"
    );
    driver.find(FILES);
    assert_eq!(driver.app.views.front.composer.text(), "@src/retry.rs x");
}

#[test]
fn keys_that_waited_too_long_mean_what_they_mean_without_a_list() {
    let mut driver = conversation();
    driver.type_text("@r");
    driver.find(&["other.rs"]);
    driver.type_text("e");
    driver.press("enter");
    driver.wait(501);
    assert_eq!(inputs(&driver.sent()), [("submit", "@re")]);
}

#[test]
fn an_answer_for_another_word_is_not_shown_and_a_second_one_keeps_the_choice() {
    let mut driver = conversation();
    driver.type_text("@r");
    driver.press("ctrl+c");
    driver.find(FILES);
    assert_eq!(selected(&mut driver), "");
    driver.type_text("@r");
    driver.find(FILES);
    driver.press("down");
    let chosen = selected(&mut driver);
    driver.find(&["new.rs", "src/retry.rs", "src/net/retry.rs"]);
    assert_eq!(selected(&mut driver), chosen);
}

#[test]
fn an_agent_is_offered_at_the_beginning_and_taken_at_once() {
    let mut driver = conversation();
    driver.type_text("@pl");
    driver.find(&["plot.rs"]);
    assert!(driver.text().contains("reads and plans"), "{}", driver.text());
    driver.press("enter");
    assert_eq!(driver.app.views.front.composer.text(), "");
    assert!(
        driver
            .sent()
            .iter()
            .any(|op| matches!(op, Op::SetAgent(agent) if agent == "plan"))
    );
    driver.type_text("see @pl");
    driver.find(&["plot.rs"]);
    assert!(!driver.text().contains("reads and plans"));
}

#[test]
fn tab_completes_a_path_and_else_changes_the_agent() {
    let mut driver = conversation();
    driver.type_text("open ./sr");
    driver.press("tab");
    assert_eq!(driver.find(&["./src/", "./srv.md"]), "./sr");
    driver.press("down tab");
    assert_eq!(driver.app.views.front.composer.text(), "open ./srv.md ");
    driver.press("tab");
    assert!(driver.sent().iter().any(|op| matches!(op, Op::SetAgent(_))));
}

#[test]
fn a_message_whose_file_cannot_be_read_comes_back_and_goes_without_it_the_second_time() {
    let mut driver = conversation();
    driver.type_text("read @src/gone.rs");
    driver.press("esc enter");
    driver.sent();
    driver.event(Event::Unread {
        input: Arc::new(Input {
            text: "read @src/gone.rs".to_owned(),
            without: vec!["src/gone.rs".to_owned()],
            ..Default::default()
        }),
        report: ErrorReport {
            kind: ReportKind::BadRequest,
            message: "`src/gone.rs` does not exist".to_owned(),
            hint: None,
        },
        why: String::new(),
    });
    assert!(driver.text().contains("does not exist"), "{}", driver.text());
    assert_eq!(driver.app.views.front.composer.text(), "read @src/gone.rs");
    driver.press("enter");
    let sent = driver.sent();
    assert!(matches!(sent.as_slice(), [Op::Submit(input)] if input.without == ["src/gone.rs"]));
}

#[test]
fn a_file_that_needs_a_word_goes_with_the_message_when_that_is_sent_again_after_a_moment() {
    let mut driver = conversation();
    let log = "failed at @../other/.env\nsee @src/a.rs";
    driver.app.paste(log, driver.now);
    driver.press("enter");
    let meant = |driver: &mut Driver| {
        let sent = driver.sent();
        let input = sent.iter().find_map(|op| match op {
            Op::Submit(input) => Some(input.clone()),
            _ => None,
        });
        let input = input.expect("it is sent");
        assert_eq!(input.mentions.len(), 2);
        input.meant
    };
    assert_eq!(
        meant(&mut driver),
        Vec::<String>::new(),
        "a paste is nobody's word"
    );
    let back = Event::Unread {
        input: Arc::new(Input {
            text: log.to_owned(),
            meant: vec!["../other/.env".to_owned()],
            ..Default::default()
        }),
        report: ErrorReport {
            kind: ReportKind::BadRequest,
            message: "it names `../other/.env`".to_owned(),
            hint: None,
        },
        why: String::new(),
    };
    driver.event(back.clone());
    driver.press("enter");
    assert_eq!(
        meant(&mut driver),
        Vec::<String>::new(),
        "the key was pressed twice"
    );
    driver.event(back.clone());
    driver.hear();
    driver.type_text(".");
    driver.press("enter");
    assert_eq!(
        meant(&mut driver),
        Vec::<String>::new(),
        "another message is asked about again"
    );
    driver.event(back);
    driver.hear();
    driver.press("enter");
    assert_eq!(meant(&mut driver), ["../other/.env"]);
}

#[test]
fn a_late_answer_lets_no_key_pass_a_paste_that_is_looked_at() {
    let mut driver = conversation();
    driver.type_text("see @retr");
    driver.app.paste("/tmp/a.png", driver.now);
    driver.press("x");
    driver.find(FILES);
    assert_eq!(
        driver.app.views.front.composer.text(),
        "see @retr",
        "the key waits behind the paste"
    );
    let inspected = completion::FinderAnswer::Inspected {
        pasted: "/tmp/a.png".to_owned(),
        media: None,
    };
    driver.app.on_finder_answer(inspected, driver.now);
    assert_eq!(driver.app.views.front.composer.text(), "see @retr/tmp/a.pngx");
}

#[test]
fn names_that_no_mention_can_hold_are_not_offered() {
    let mut driver = conversation();
    driver.type_text("@x");
    driver.find(&["x\" @~/.ssh/id_rsa", "x\ny", "xyz.rs"]);
    let screen = driver.text();
    assert!(
        screen.contains("xyz.rs") && !screen.contains("id_rsa"),
        "{screen}"
    );
    driver.press("enter");
    assert_eq!(driver.app.views.front.composer.text(), "@xyz.rs ");
}

#[test]
fn what_a_paste_says_is_no_mention() {
    let mut driver = conversation();
    let code = "@Inject(a/b)\n@x/y\n".repeat(20);
    driver.app.paste(&code, driver.now);
    driver.press("enter");
    let sent = driver.sent();
    assert!(matches!(sent.as_slice(), [Op::Submit(input)] if input.mentions.is_empty()));
}

#[test]
fn the_palette_opens_the_same_lists() {
    let mut driver = conversation();
    driver.type_text("see");
    driver.press("ctrl+p");
    driver.type_text("mention");
    driver.press("enter");
    assert_eq!(driver.app.views.front.composer.text(), "see @");
    driver.find(FILES);
    assert!(selected(&mut driver).starts_with("retry.rs"), "{}", driver.text());
    driver.press("esc ctrl+c ctrl+p");
    driver.type_text("commands");
    driver.press("enter");
    assert!(driver.text().contains("/model"), "{}", driver.text());
}

#[test]
fn files_in_pictures() {
    for size in [(80, 24), (120, 36), (40, 12)] {
        let mut driver = conversation();
        driver.size = size;
        driver.frame();
        driver.type_text("@ret");
        driver.find(FILES);
        driver.app.on_finder_answer(
            completion::FinderAnswer::Looked {
                path: "src/retry.rs".to_owned(),
                text: "//! Tries again.\n\nfn retry() {\n\tloop {}\n}\n".to_owned(),
            },
            driver.now,
        );
        picture(&mut driver, "files", size);
    }
}
