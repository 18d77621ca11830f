//! Whole frames.

use super::*;
use crate::permission::PermissionKey;

/// Draws and compares with the picture of that name.
#[track_caller]
pub(super) fn picture(driver: &mut Driver, name: &str, size: (u16, u16)) {
    picture_of(driver, &format!("tui__{name}"), size);
}

/// The same for a part of the screen that has a name of its own.
#[track_caller]
pub(super) fn picture_of(driver: &mut Driver, name: &str, (width, height): (u16, u16)) {
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
        let name = format!("{name}__{width}x{height}");
        insta::assert_snapshot!(name, format!("{}\ncaret: {caret}", frame.text()));
    });
    assert_ascii(driver);
}

/// Draws the same with signs of ASCII.
#[track_caller]
fn assert_ascii(driver: &mut Driver) {
    let before = std::mem::replace(
        &mut driver.app.appearance.terminal_environment.symbols,
        Symbols::Ascii,
    );
    let text = driver.text();
    driver.app.appearance.terminal_environment.symbols = before;
    let other = text.lines().find(|line| !line.is_ascii());
    assert_eq!(other, None, "on a terminal that gets signs of ASCII alone");
}

pub(super) fn conversation() -> Driver {
    let mut driver = Driver::closed();
    let messages = vec![
        message(Role::User, "make the retry test deterministic"),
        message(
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

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 36), (40, 12)];

/// Before a question about two commands, one of which deletes.
fn before_a_command() -> Driver {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    let mut destructive = Ask::new(PermissionKey::BASH, Subject::new("rm -rf target/tmp")).always("rm *");
    destructive.destructive = true;
    let asks = vec![
        Ask::new(PermissionKey::BASH, Subject::new("cargo test -p retry")).always("cargo test *"),
        destructive,
    ];
    let command = "cargo test -p retry && rm -rf target/tmp";
    let serde_json::Value::Object(args) = serde_json::json!({ "command": command }) else {
        unreachable!("it is written as an object");
    };
    let editable = crate::permission::Editable::new(args, Some("command"));
    let mut question = inquiry("bash", "bash wants to run", asks, bash_card(command));
    question.about.editable = Some(editable);
    driver.ask(question);
    driver.hear();
    driver
}

#[track_caller]
pub(super) fn pictures(driver: &mut Driver, name: &str) {
    for size in SIZES {
        picture(driver, name, size);
    }
}

#[test]
fn a_question_about_a_command() {
    pictures(&mut before_a_command(), "bash_question");
}

#[test]
fn a_question_about_a_command_on_the_smallest_screen() {
    picture(&mut before_a_command(), "bash_question", (40, 10));
}

#[test]
fn why_it_is_asked() {
    let mut driver = before_a_command();
    driver.press("d");
    pictures(&mut driver, "bash_question_why");
}

#[test]
fn always_is_put_together() {
    let mut driver = before_a_command();
    driver.press("a down s");
    pictures(&mut driver, "bash_question_always");
    driver.press("space");
    pictures(&mut driver, "bash_question_always_ticked");
}

#[test]
fn a_pattern_is_written() {
    let mut driver = before_a_command();
    driver.press("a e");
    driver.wait(600);
    driver.press("ctrl+u");
    driver.type_text("*");
    driver.press("enter");
    pictures(&mut driver, "bash_question_pattern");
    driver.press("ctrl+u");
    driver.type_text("cargo build *");
    driver.press("enter");
    pictures(&mut driver, "bash_question_pattern_that_misses");
}

#[test]
fn a_reason_is_written() {
    let mut driver = before_a_command();
    driver.press("N");
    driver.wait(600);
    driver.type_text("leave target alone");
    pictures(&mut driver, "bash_question_reason");
}

#[test]
fn a_command_is_edited() {
    let mut driver = before_a_command();
    driver.press("e");
    driver.wait(600);
    driver.type_text("2");
    driver.press("ctrl+j");
    driver.type_text("echo done");
    pictures(&mut driver, "bash_question_edit");
}

#[test]
fn a_sandbox_is_named() {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    let mut inquiry = bash("cargo test", &["cargo test *"]);
    inquiry.about.sandbox = Some("workspace-write".into());
    inquiry.about.directory = "/home/u/src/retry/crates/the-one-with-the-long-name".into();
    driver.ask(inquiry);
    driver.hear();
    pictures(&mut driver, "bash_question_sandbox");
}

#[test]
fn always_is_no_answer_where_nothing_can_be_stored() {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    let ask = Ask::new(PermissionKey::BASH, Subject::new("sh test.sh"));
    let card = Card::new("Bash", "sh test.sh");
    driver.ask(inquiry("bash", "bash wants to run", vec![ask], card));
    driver.hear();
    pictures(&mut driver, "bash_question_without_always");
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
    let ask = Ask::new(PermissionKey::EDIT, Subject::new("src/retry.rs")).always("*");
    let card = Card::new("Edit", "src/retry.rs").part(CardPart::Diff(diff));
    driver.ask(inquiry(
        "edit",
        "edit wants to change src/retry.rs",
        vec![ask],
        card,
    ));
    driver.hear();
    pictures(&mut driver, "edit_question");
    driver.press("f");
    picture(&mut driver, "edit_question_full", (200, 60));
    pictures(&mut driver, "edit_question_full");
    driver.press("f ] ]");
    pictures(&mut driver, "edit_question_third_hunk");
    for _ in 0..60 {
        driver.press("pgdn");
    }
    pictures(&mut driver, "edit_question_end");
}

#[test]
fn a_question_about_a_change_that_stands_deep() {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    let deep = " ".repeat(24);
    let diff = DiffBody {
        path: "src/retry.rs".to_owned(),
        unified: format!(
            "@@ -41,3 +41,3 @@\n {deep}if is_late {{\n-{deep}    sleep(delay).await;\n+{deep}    self.clock.sleep(delay).await;\n {deep}}}\n"
        ),
        ..DiffBody::default()
    };
    let ask = Ask::new(PermissionKey::EDIT, Subject::new("src/retry.rs")).always("*");
    let card = Card::new("Edit", "src/retry.rs").part(CardPart::Diff(diff));
    let title = "edit wants to change src/retry.rs";
    driver.ask(inquiry("edit", title, vec![ask], card));
    driver.hear();
    pictures(&mut driver, "edit_question_deep");
}

#[test]
fn the_help() {
    let mut driver = Driver::open();
    driver.press("?");
    pictures(&mut driver, "help");
}

#[test]
fn an_ascii_terminal() {
    let mut terminal_environment = terminal_environment();
    terminal_environment.symbols = Symbols::Ascii;
    terminal_environment.depth = ColorDepth::None;
    let mut driver = Driver::with(Setup {
        terminal_environment,
        is_demo: true,
        ..setup()
    });
    driver.attach(&driver.snapshot());
    driver.type_text("hello");
    pictures(&mut driver, "ascii");
}

#[test]
fn the_palette() {
    let mut driver = conversation();
    driver.press("ctrl+p");
    pictures(&mut driver, "actions");
    driver.type_text("no such thing");
    pictures(&mut driver, "actions_none");
}

/// Remarks of the hint row that stand for a while, and those that stand because of how things are.
#[test]
fn remarks() {
    let mut driver = conversation();
    driver.press("ctrl+c");
    pictures(&mut driver, "remark_quit");
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    driver.press("esc");
    pictures(&mut driver, "remark_interrupt");
}

#[test]
fn a_session_that_is_read_only_and_one_that_did_not_open() {
    let mut driver = conversation();
    let mut snapshot = driver.snapshot();
    snapshot.info.read_only = Some(ReadOnlyReason::OpenIn("process 812".to_owned()));
    driver.attach(&snapshot);
    driver.type_text("let me in");
    pictures(&mut driver, "read_only");
    let mut driver = Driver::closed();
    let report = ErrorReport {
        kind: ReportKind::Storage,
        message: "the database `~/.local/share/lathe/lathe.db` is locked by another program".to_owned(),
        hint: Some("close the program that holds it, then start lathe again".to_owned()),
    };
    driver.app.session_not_opened(SlotId::FIRST, report, driver.now);
    pictures(&mut driver, "not_opened");
}

#[test]
fn notices_and_errors() {
    let mut driver = conversation();
    driver.event(Event::Notice(
        "`AGENTS.md` changed since it was read; the next step has the new one.".to_owned(),
    ));
    driver.event(Event::Error(ErrorReport {
        kind: ReportKind::Auth,
        message: "the provider `anthropic` refused the key in `ANTHROPIC_API_KEY`".to_owned(),
        hint: Some("set another one, or choose a model of another provider with ctrl+x m".to_owned()),
    }));
    pictures(&mut driver, "notices");
}

#[test]
fn the_second_of_two_questions_and_those_that_were_put_off() {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    driver.ask(bash("cargo test -p retry", &["cargo test *"]));
    let mut outside = Ask::new(PermissionKey::EXTERNAL_DIRECTORY, Subject::new("/etc/hosts"));
    outside.always = vec!["/etc/*".to_owned()];
    let read = Ask::new(PermissionKey::READ, Subject::new("/etc/hosts")).always("/etc/hosts");
    let card = Card::new("Read", "/etc/hosts");
    driver.ask(inquiry(
        "read",
        "read wants to read /etc/hosts",
        vec![outside, read],
        card,
    ));
    driver.hear();
    driver.press("tab");
    pictures(&mut driver, "second_question");
    driver.hear();
    driver.press("esc");
    driver.hear();
    driver.press("esc");
    driver.hear();
    pictures(&mut driver, "put_off");
}

#[test]
fn a_question_that_comes_while_a_draft_is_typed() {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    driver.type_text("and mind the cha");
    driver.ask(bash("cargo test -p retry", &["cargo test *"]));
    driver.type_text("ngelog");
    pictures(&mut driver, "question_while_typing");
}

#[test]
fn the_themes() {
    let mut driver = conversation();
    driver.press("ctrl+p");
    driver.type_text("themes");
    driver.press("enter");
    pictures(&mut driver, "themes");
}

#[test]
fn the_agents_and_the_models() {
    let mut driver = conversation();
    driver.press("ctrl+x a");
    pictures(&mut driver, "agents");
    driver.press("ctrl+x m");
    pictures(&mut driver, "models");
}
