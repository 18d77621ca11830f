//! Forms: what keys do, what is kept, and how they look.

use super::pictures::{conversation, picture, pictures};
use super::*;
use crate::question::{Form, FormAnswer, FormOption, FormQuestion, FormReply};

fn option(label: &str, description: &str) -> FormOption {
    FormOption {
        label: label.to_owned(),
        description: Some(description.to_owned()).filter(|text| !text.is_empty()),
    }
}

fn database() -> FormQuestion {
    FormQuestion {
        question: "Which database should the service use?".to_owned(),
        header: "Database".to_owned(),
        options: vec![
            option("Postgres", "runs in production already"),
            option(
                "SQLite",
                "one file beside the service; no server to look after, and no second writer",
            ),
        ],
        own_words: Some("something else, in your own words".to_owned()),
        ..FormQuestion::default()
    }
}

fn parts() -> FormQuestion {
    FormQuestion {
        question: "Which parts shall change?".to_owned(),
        header: "Parts".to_owned(),
        options: vec![option("api", ""), option("web", ""), option("docs", "")],
        multiple: true,
        ..FormQuestion::default()
    }
}

fn why() -> FormQuestion {
    FormQuestion {
        question: "Why now?".to_owned(),
        own_words: Some("your answer".to_owned()),
        ..FormQuestion::default()
    }
}

fn form(questions: Vec<FormQuestion>) -> Arc<Question> {
    form_of(Form {
        title: "build has a question".to_owned(),
        card: None,
        questions,
    })
}

fn form_of(form: Form) -> Arc<Question> {
    Question::sample(form).shared()
}

/// A screen on which a form listens.
fn asked(questions: Vec<FormQuestion>) -> Driver {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    driver.event(Event::Asked(form(questions)));
    driver.hear();
    driver
}

fn picked(places: &[usize]) -> FormAnswer {
    FormAnswer {
        picked: places.to_vec(),
        words: None,
    }
}

fn words(text: &str) -> FormAnswer {
    FormAnswer {
        picked: Vec::new(),
        words: Some(text.to_owned()),
    }
}

impl Driver {
    fn filled(&mut self) -> Vec<FormReply> {
        let ops = self.sent().into_iter().filter_map(|op| match op {
            Op::Answer {
                reply: Reply::Form(reply),
                ..
            } => Some(reply),
            _ => None,
        });
        ops.collect()
    }

    #[track_caller]
    fn assert_answers(&mut self, answers: Vec<FormAnswer>) {
        assert_eq!(self.filled(), [FormReply::Answers(answers)]);
        assert_eq!(self.app.state().dialog, None);
    }
}

#[test]
fn one_question_is_answered_with_one_key() {
    let mut driver = asked(vec![database()]);
    assert_eq!(driver.app.state().dialog, Some("question"));
    driver.press("2");
    driver.assert_answers(vec![picked(&[1])]);
    let mut driver = asked(vec![database()]);
    driver.press("down enter");
    driver.assert_answers(vec![picked(&[1])]);
}

#[test]
fn a_form_begins_at_the_default() {
    let mut question = database();
    question.default = Some(1);
    let mut driver = asked(vec![question.clone()]);
    driver.press("enter");
    driver.assert_answers(vec![picked(&[1])]);
    question.multiple = true;
    let mut driver = asked(vec![question]);
    driver.press("enter");
    driver.assert_answers(vec![picked(&[1])]);
}

#[test]
fn a_new_form_ignores_keys_for_a_moment() {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    driver.event(Event::Asked(form(vec![database()])));
    driver.type_text("1");
    assert_eq!(driver.filled(), []);
    assert!(driver.text().contains("┃ 1"), "{}", driver.text());
    driver.press("ctrl+c");
    driver.hear();
    driver.press("1");
    driver.assert_answers(vec![picked(&[0])]);
}

#[test]
fn keys_of_a_draft_go_on_into_the_draft_while_a_form_appears() {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    driver.type_text("my dra");
    driver.event(Event::Asked(form(vec![database()])));
    driver.type_text("ft 1");
    assert!(driver.text().contains("┃ my draft 1"), "{}", driver.text());
    assert!(driver.text().contains("? 1 waits · Which database"));
    driver.press("ctrl+x .");
    driver.wait(300);
    driver.press("1");
    driver.assert_answers(vec![picked(&[0])]);
    assert!(driver.text().contains("┃ my draft 1"));
}

#[test]
fn several_are_ticked_and_sent_together() {
    let mut driver = asked(vec![parts()]);
    driver.press("enter");
    assert!(driver.text().contains("nothing is ticked yet"));
    driver.press("space 3 down down space space 2 2 enter");
    driver.assert_answers(vec![picked(&[0, 2])]);
}

#[test]
fn an_answer_in_own_words_takes_the_place_of_an_option() {
    let mut driver = asked(vec![database()]);
    driver.press("space 3");
    driver.type_text("x marks CockroachDB 1");
    driver.press("enter");
    driver.assert_answers(vec![words("x marks CockroachDB 1")]);
}

#[test]
fn own_words_count_beside_what_is_ticked() {
    let mut question = parts();
    question.own_words = Some("more".to_owned());
    let mut driver = asked(vec![question]);
    driver.press("1 4");
    driver.type_text("ci");
    driver.press("enter");
    assert!(driver.text().contains("4 [x] ci"), "{}", driver.text());
    driver.press("space");
    assert!(driver.text().contains("4 [ ] ci"), "unticked, and kept");
    driver.press("space enter enter");
    let both = FormAnswer {
        picked: vec![0],
        words: Some("ci".to_owned()),
    };
    driver.assert_answers(vec![both]);
}

#[test]
fn where_there_is_nothing_to_choose_one_writes_at_once() {
    let mut driver = asked(vec![why()]);
    driver.press("enter");
    assert!(driver.text().contains("nothing is written yet"));
    driver.type_text("bcause");
    driver.press("ctrl+a");
    driver.type_text("Bé");
    driver.app.paste("\nfor\n", driver.now);
    driver.press("enter");
    driver.assert_answers(vec![words("Bé for bcause")]);
}

#[test]
fn several_questions_have_a_page_each_and_are_shown_before_they_are_sent() {
    let mut driver = asked(vec![database(), parts(), why()]);
    driver.press("1");
    assert!(driver.text().contains("Which parts shall change?"));
    driver.press("tab");
    driver.type_text("it is late");
    driver.press("tab");
    assert!(driver.text().contains("unanswered"), "{}", driver.text());
    assert!(driver.text().contains("it is late"));
    driver.press("2 space enter");
    assert!(driver.text().contains("Why now?"));
    driver.press("enter enter");
    driver.assert_answers(vec![picked(&[0]), picked(&[0]), words("it is late")]);
}

#[test]
fn tab_and_left_go_round_the_pages() {
    let mut driver = asked(vec![database(), parts()]);
    for (key, shown) in [
        ("tab", "Which parts"),
        ("right", "answers"),
        ("tab", "Which database"),
        ("left", "unanswered"),
        ("h", "Which parts"),
        ("left", "Which database"),
    ] {
        driver.press(key);
        assert!(driver.text().contains(shown), "{key}\n{}", driver.text());
    }
    assert_eq!(driver.sent().len(), 0);
    driver.press("shift+tab");
    assert_eq!(
        driver.app.views.front.facts.mode,
        Mode::AcceptEdits,
        "as anywhere"
    );
    assert!(driver.text().contains("Which database"), "{}", driver.text());
}

#[test]
fn esc_leaves_a_form_for_later_with_all_that_was_written() {
    let mut driver = asked(vec![database()]);
    driver.press("3");
    driver.type_text("Oracle");
    driver.press("esc");
    assert!(driver.text().contains("something else") || driver.text().contains("Oracle"));
    assert_eq!(driver.app.state().dialog, Some("question"), "one rung a press");
    driver.hear();
    driver.press("esc");
    assert_eq!(driver.app.state().dialog, None);
    assert!(driver.hints().contains("1 question"), "{}", driver.hints());
    driver.press("esc");
    assert_eq!(driver.sent().len(), 0, "esc is deaf and interrupts nothing");
    driver.type_text("a draft");
    driver.press("ctrl+x .");
    driver.hear();
    assert!(driver.text().contains("Oracle"), "{}", driver.text());
    driver.press("3 enter");
    driver.assert_answers(vec![words("Oracle")]);
    assert!(driver.text().contains("┃ a draft"));
}

#[test]
fn x_dismisses() {
    let mut driver = asked(vec![database()]);
    driver.press("x");
    assert_eq!(driver.filled(), [], "it may be the beginning of a word");
    driver.wait(600);
    assert_eq!(driver.filled(), [FormReply::Dismissed]);
}

#[test]
fn a_form_that_is_withdrawn_leaves_its_words_in_the_composer() {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    let form = form(vec![why()]);
    driver.event(Event::Asked(Arc::clone(&form)));
    driver.hear();
    driver.type_text("a long answer");
    driver.press("ctrl+c");
    assert!(matches!(driver.sent()[..], [Op::Interrupt]));
    driver.event(Event::Settled(SettledQuestion {
        id: form.id,
        call: form.call.clone(),
        permission: None,
    }));
    assert_eq!(driver.app.state().dialog, None);
    assert!(driver.text().contains("┃ a long answer"), "{}", driver.text());
}

#[test]
fn a_session_that_is_attached_anew_keeps_what_was_begun() {
    let mut driver = conversation();
    let form = form(vec![database()]);
    let snapshot = Snapshot {
        questions: vec![Arc::clone(&form)],
        busy: true,
        ..driver.snapshot()
    };
    driver.attach(&snapshot);
    driver.hear();
    driver.press("3");
    driver.type_text("Oracle");
    driver.attach(&snapshot);
    assert!(driver.text().contains("Oracle"), "{}", driver.text());
    driver.attach(&driver.snapshot());
    assert_eq!(driver.app.state().dialog, None);
}

#[test]
fn permission_that_is_asked_meanwhile_waits_its_turn() {
    let mut driver = asked(vec![database()]);
    driver.ask(bash("cargo test", &[]));
    assert!(driver.text().contains("Which database") && driver.text().contains("2 of 2"));
    driver.press("ctrl+x .");
    assert!(driver.text().contains("bash wants to run"));
    driver.hear();
    driver.press("ctrl+x .");
    driver.hear();
    driver.press("1");
    assert_eq!(driver.filled(), [FormReply::Answers(vec![picked(&[0])])]);
    assert!(driver.text().contains("? 1 waits · bash cargo test"));
}

#[test]
fn a_form_on_screen() {
    let mut driver = asked(vec![database()]);
    for size in [(80, 24), (120, 36), (40, 12)] {
        picture(&mut driver, "form", size);
    }
    driver.press("down");
    picture(&mut driver, "form_below", (40, 12));
    driver.press("3");
    driver.type_text("a table in the main database");
    pictures(&mut driver, "form_words");
}

#[test]
fn a_form_of_several_pages() {
    let mut driver = asked(vec![database(), parts(), why()]);
    driver.press("1 1 down");
    for size in [(80, 24), (120, 36), (40, 12)] {
        picture(&mut driver, "form_pages", size);
    }
    driver.press("tab tab");
    for size in [(80, 24), (120, 36), (40, 12)] {
        picture(&mut driver, "form_answers", size);
    }
}

#[test]
fn a_form_on_an_ascii_terminal() {
    let mut terminal_environment = terminal_environment();
    terminal_environment.symbols = Symbols::Ascii;
    terminal_environment.depth = ColorDepth::None;
    let mut driver = Driver::with(Setup {
        terminal_environment,
        ..setup()
    });
    driver.attach(&driver.snapshot());
    driver.event(Event::TurnStarted);
    driver.event(Event::Asked(form(vec![database(), parts()])));
    driver.hear();
    driver.press("1");
    pictures(&mut driver, "form_ascii");
}

#[test]
fn the_approval_of_a_plan() {
    let plan = "# A clock for the retry test\n\n1. Add `Clock` to `src/retry.rs` and hand it down from `Client`.\n\
                2. Pause time in `tests/retry.rs`; drop the two sleeps.\n3. Run the tests a hundred times.\n\n\
                Not changed: the backoff itself.\n";
    let question = FormQuestion {
        question: "Carry out this plan?".to_owned(),
        options: vec![
            option("Approve", "agent `build` carries it out"),
            option(
                "Approve and accept edits",
                "the same, without asking about edits in the project",
            ),
            option("Keep planning", "the plan is not good yet"),
        ],
        own_words: Some("keep planning, because…".to_owned()),
        ..FormQuestion::default()
    };
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    driver.event(Event::Asked(form_of(Form {
        title: "plan has a plan: A clock for the retry test".to_owned(),
        card: Some(Card::new("Plan", "").part(CardPart::Markdown(plan.to_owned()))),
        questions: vec![question],
    })));
    driver.hear();
    for size in [(80, 24), (120, 36), (40, 12)] {
        picture(&mut driver, "plan_approval", size);
    }
    driver.size = (80, 24);
    driver.app.appearance.terminal_environment.symbols = Symbols::Ascii;
    let text = driver.text();
    assert!(text.contains("keep planning, because..."), "{text}");
}

#[test]
fn a_word_that_begins_with_the_letter_that_dismisses_is_written() {
    for word in ["xiang", "explain", "hello", "know"] {
        let mut driver = asked(vec![database()]);
        for c in word.chars() {
            driver.type_text(&c.to_string());
            driver.wait(400);
        }
        driver.wait(5000);
        assert_eq!(driver.filled(), [], "{word}");
        assert!(driver.text().contains(&format!("┃ {word}")), "{}", driver.text());
    }
}
