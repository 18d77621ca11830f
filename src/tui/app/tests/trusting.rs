//! The question whether the project is trusted.

use super::pictures::picture;
use super::*;
use crate::tui::dialog::{TrustAnswer, TrustPart, TrustQuestion};

fn part(key: &str, file: &str, text: &str) -> TrustPart {
    TrustPart {
        file: file.to_owned(),
        key: key.to_owned(),
        text: text.to_owned(),
    }
}

fn question() -> TrustQuestion {
    let hook = "{\n  \"PreToolUse\": [\n    {\n      \"matcher\": \"bash\",\n      \"hooks\": [\n        { \"type\": \
                \"command\", \"command\": \"./scripts/check.sh --strict --against origin/main | tee -a .check.log\" }\n      \
                ]\n    }\n  ]\n}";
    TrustQuestion {
        root: "/home/u/src/retry".into(),
        parts: vec![
            part("hooks", "lathe.jsonc", hook),
            part(
                "agents.quick.permission",
                ".lathe/agents/quick.md",
                "{\n  \"bash\": \"allow\"\n}",
            ),
        ],
        has_files_of_commands: false,
        change: None,
    }
}

fn changed() -> TrustQuestion {
    let diff = "--- a/trusted\n+++ b/trusted\n@@ -1,3 +1,3 @@\n lathe.jsonc: \
        bash.shell\n-\"/bin/sh\"\n+\"./evil\u{202e}sh\"\n \n";
    TrustQuestion {
        change: Some(diff.to_owned()),
        ..question()
    }
}

fn asked(question: TrustQuestion) -> Driver {
    let mut driver = Driver::with(Setup {
        trust: Some(question),
        ..setup()
    });
    driver.wait(400);
    driver
}

fn answers(driver: &mut Driver) -> Vec<TrustAnswer> {
    let effects = std::mem::take(&mut driver.effects);
    let answers = effects.into_iter().filter_map(|effect| match effect {
        Effect::Trust(answer) => Some(answer),
        _ => None,
    });
    answers.collect()
}

#[test]
fn a_new_project_is_asked_about_with_the_names_of_what_it_brings() {
    for size in [(80, 24), (120, 36), (40, 12)] {
        picture(&mut asked(question()), "trust", size);
    }
}

#[test]
fn all_that_a_project_brings_can_be_read() {
    for size in [(80, 24), (120, 36), (40, 12)] {
        let mut driver = asked(question());
        driver.press("3 enter");
        driver.wait(600);
        picture(&mut driver, "trust_parts", size);
    }
    let mut driver = asked(question());
    driver.size = (40, 12);
    driver.press("left enter");
    let mut read = String::new();
    for _ in 0..40 {
        read.push_str(&driver.text());
        driver.press("pgdn");
    }
    for word in ["--strict", "origin/main", ".check.log", "quick.md", "\"allow\""] {
        assert!(read.contains(word), "{word}: {read}");
    }
}

#[test]
fn a_change_is_shown_as_a_diff_with_nothing_hidden_in_it() {
    for size in [(80, 24), (120, 36), (40, 12)] {
        picture(&mut asked(changed()), "trust_changed", size);
    }
    let text = asked(changed()).text();
    assert!(!text.contains('\u{202e}'), "{text}");
}

#[test]
fn nothing_but_a_chosen_answer_and_enter_trusts() {
    let mut driver = Driver::with(Setup {
        trust: Some(question()),
        ..setup()
    });
    assert_eq!(driver.app.state().dialog, Some("trust"));
    driver.wait(301);
    driver.press("enter enter");
    assert_eq!(answers(&mut driver), []);
    driver.press("right right enter");
    assert_eq!(answers(&mut driver), [TrustAnswer::Trust]);
    assert_eq!(driver.app.state().focus, "composer");
    let mut driver = asked(question());
    driver.press("2");
    driver.press("enter");
    assert_eq!(answers(&mut driver), [], "it may be the beginning of a message");
    driver.wait(600);
    assert_eq!(answers(&mut driver), [TrustAnswer::Trust]);
}

#[test]
fn a_message_typed_over_the_trust_question_is_written_and_sent() {
    for pause in [0, 40, 400] {
        let mut driver = asked(question());
        for c in "why does the build fail? 2 tests".chars() {
            driver.type_text(&c.to_string());
            driver.wait(pause);
        }
        let text = driver.text();
        assert!(text.contains("┃ why does the build fail? 2 tests"), "{text}");
        assert!(text.contains("? 1 waits · trust ~/src/retry"), "{text}");
        driver.press("enter");
        assert_eq!(answers(&mut driver), []);
        assert!(
            driver.text().contains("opens"),
            "it is sent when the session opens: {}",
            driver.text()
        );
        driver.wait(1000);
        assert_eq!(driver.app.state().dialog, Some("trust"));
    }
}

#[test]
fn not_now_and_esc_go_on_without_trust() {
    for keys in ["right enter", "esc"] {
        let mut driver = asked(question());
        driver.press(keys);
        assert_eq!(answers(&mut driver), [TrustAnswer::NotNow], "{keys}");
        assert!(
            driver.hints().contains("continuing without"),
            "{}",
            driver.hints()
        );
        driver.type_text("hello");
        assert!(driver.text().contains("┃ hello"), "{}", driver.text());
    }
}

#[test]
fn a_paste_goes_to_the_draft_and_the_screen_can_be_left() {
    let mut driver = asked(question());
    driver.app.paste("y", driver.now);
    assert!(driver.text().contains("┃ y"), "{}", driver.text());
    driver.press("ctrl+c ctrl+c");
    assert_eq!(answers(&mut driver), []);
    let mut driver = asked(question());
    driver.press("ctrl+c ctrl+c");
    assert!(driver.effects.iter().any(|effect| matches!(effect, Effect::Quit)));
}
