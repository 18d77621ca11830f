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
        driver.press("d");
        picture(&mut driver, "trust_parts", size);
    }
    let mut driver = asked(question());
    driver.size = (40, 12);
    driver.press("d");
    let mut read = String::new();
    for _ in 0..40 {
        read.push_str(&driver.text());
        driver.press("down");
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
fn the_trust_question_ignores_keys_at_first_and_enter_never_answers() {
    let mut driver = Driver::with(Setup {
        trust: Some(question()),
        ..setup()
    });
    driver.type_text("yes");
    assert_eq!(driver.app.state().dropped_keys, 3);
    assert_eq!(driver.app.state().dialog, Some("trust"));
    driver.wait(299);
    driver.press("y");
    assert_eq!(answers(&mut driver), []);
    driver.wait(301);
    driver.press("enter space tab a");
    assert_eq!(answers(&mut driver), []);
    driver.press("y");
    assert_eq!(answers(&mut driver), [TrustAnswer::Trust]);
    assert_eq!(driver.app.state().focus, "composer");
}

#[test]
fn n_and_esc_go_on_without_trust() {
    for key in ["n", "esc"] {
        let mut driver = asked(question());
        driver.press(key);
        assert_eq!(answers(&mut driver), [TrustAnswer::NotNow], "{key}");
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
fn a_paste_answers_nothing_and_the_screen_can_be_left() {
    let mut driver = asked(question());
    driver.app.paste("y", driver.now);
    driver.press("ctrl+c ctrl+c");
    assert_eq!(answers(&mut driver), []);
    let mut driver = asked(question());
    driver.press("ctrl+c ctrl+c");
    assert!(driver.effects.iter().any(|effect| matches!(effect, Effect::Quit)));
}
