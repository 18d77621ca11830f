//! Somebody who writes messages never answers a question, whenever it comes and however fast they type.

use super::*;
use crate::question::{Form, FormOption, FormQuestion};
use crate::tui::dialog::{TrustAnswer, TrustPart, TrustQuestion};

const WORDS: [&str; 4] = [
    include_str!("../../../../tests/fixtures/words/english.txt"),
    include_str!("../../../../tests/fixtures/words/german.txt"),
    include_str!("../../../../tests/fixtures/words/french.txt"),
    include_str!("../../../../tests/fixtures/words/pinyin.txt"),
];
/// Milliseconds from one key to the next.
const PACES: [u64; 6] = [40, 80, 150, 250, 320, 400];
/// Milliseconds from the question to the first key: the question comes while nothing is typed, or is already there.
const BEFORE: [u64; 8] = [0, 20, 150, 299, 301, 500, 1_100, 4_000];

/// Sentences of three words that follow each other in the lists, with each word at the beginning of one.
fn sentences() -> Vec<String> {
    let words: Vec<&str> = WORDS
        .iter()
        .flat_map(|list| list.lines().filter(|line| !line.starts_with('#')))
        .collect();
    assert_eq!(words.len(), 2_500);
    let next = |place: usize| words[(place * 7 + 3) % words.len()];
    let sentences = words.iter().enumerate();
    sentences
        .map(|(place, word)| format!("{word} {} {}", next(place), next(place + 1)))
        .collect()
}

/// What comes up while a sentence is typed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Asked {
    Command,
    Edit,
    Form,
}

impl Asked {
    /// The letters that answer at once.
    fn answers(self) -> &'static [char] {
        match self {
            Self::Command | Self::Edit => &['y', 'n'],
            Self::Form => &[],
        }
    }

    fn question(self) -> Arc<Question> {
        match self {
            Self::Command => bash("rm -rf build && make all", &["make *"]).shared(),
            Self::Edit => {
                let ask = Ask::new(PermissionKey::EDIT, Subject::new("a.txt")).always("*");
                inquiry(
                    "edit",
                    "edit wants to change a.txt",
                    vec![ask],
                    bash_card("a.txt"),
                )
                .shared()
            }
            Self::Form => {
                let option = |label: &str| FormOption {
                    label: label.to_owned(),
                    description: None,
                };
                let question = FormQuestion {
                    question: "Which database?".to_owned(),
                    options: vec![option("Postgres"), option("SQLite")],
                    own_words: Some("in your own words".to_owned()),
                    ..FormQuestion::default()
                };
                let form = Form {
                    title: "build has a question".to_owned(),
                    card: None,
                    questions: vec![question],
                };
                Question::sample(form).shared()
            }
        }
    }
}

impl Driver {
    /// Types at a pace, key by key; time goes on meanwhile.
    fn type_at(&mut self, text: &str, pace: u64) {
        for c in text.chars() {
            self.type_text(&c.to_string());
            self.wait(pace);
        }
    }

    fn draft(&self) -> String {
        self.app.views.front.composer.text()
    }

    fn settle(&mut self, question: &Question) {
        self.event(Event::Settled(SettledQuestion {
            id: question.id,
            call: question.call.clone(),
            permission: None,
        }));
    }
}

/// Returns the operations that say something to the session besides messages and drafts.
fn consents(ops: Vec<Op>) -> Vec<Op> {
    let is_consent = |op: &Op| !matches!(op, Op::Draft(_) | Op::Submit(_));
    ops.into_iter().filter(is_consent).collect()
}

#[test]
fn no_sentence_in_four_languages_answers_a_question_after_its_first_letter() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    let asked = [Asked::Command, Asked::Edit, Asked::Form];
    for (number, sentence) in sentences().iter().enumerate() {
        let pace = PACES[number % PACES.len()];
        let before = BEFORE[number / 2 % BEFORE.len()];
        let asked = asked[number % asked.len()];
        let case = format!("{sentence:?} at {pace} ms, {before} ms after {asked:?}");
        driver.wait(1_000);
        driver.sent();
        let question = asked.question();
        driver.event(Event::Asked(Arc::clone(&question)));
        driver.wait(before);
        // A question over an empty, rested composer is answered by the very first letter, if that is its own.
        let first = sentence.chars().next().unwrap();
        let answers = before >= 300 && asked.answers().contains(&first);
        driver.type_at(sentence, pace);
        driver.wait(3_000);
        let written = if answers { &sentence[1..] } else { sentence };
        assert_eq!(driver.draft(), written, "{case}");
        let told = consents(driver.sent());
        match (answers, told.as_slice()) {
            (false, []) => {}
            (
                true,
                [
                    Op::Answer {
                        reply: Reply::Permission(reply),
                        ..
                    },
                ],
            ) => {
                let expected = if first == 'y' {
                    PermissionReply::Once
                } else {
                    PermissionReply::Reject(None)
                };
                assert_eq!(*reply, expected, "{case}");
            }
            (_, told) => panic!("{case}: {told:?}"),
        }
        driver.press("enter");
        let sent = driver.sent();
        assert_eq!(inputs(&sent), [("submit", written)], "{case}");
        driver.settle(&question);
    }
}

#[test]
fn a_question_that_comes_while_somebody_types_gets_no_key() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    let asked = [Asked::Command, Asked::Edit, Asked::Form];
    for (number, sentence) in sentences().iter().enumerate() {
        let pace = PACES[number % PACES.len()];
        let asked = asked[number % asked.len()];
        let at = 1 + number % 5;
        let (begun, rest) = sentence.split_at(sentence.char_indices().nth(at).unwrap().0);
        let case = format!("{begun:?} {rest:?} at {pace} ms, {asked:?}");
        driver.wait(1_000);
        driver.sent();
        driver.type_at(begun, pace);
        // A pause, however long it is, gives no key away while there is a draft.
        let question = asked.question();
        driver.event(Event::Asked(Arc::clone(&question)));
        driver.wait([0, 700, 1_200, 10_000][number % 4]);
        driver.type_at(rest, pace);
        assert_eq!(driver.draft(), *sentence, "{case}");
        assert!(consents(driver.sent()).is_empty(), "{case}");
        driver.press("enter");
        assert_eq!(inputs(&driver.sent()), [("submit", sentence.as_str())], "{case}");
        driver.settle(&question);
    }
}

#[test]
fn no_sentence_trusts_a_project() {
    for (number, sentence) in sentences().iter().enumerate().step_by(3) {
        let part = TrustPart {
            file: "lathe.jsonc".to_owned(),
            key: "hooks".to_owned(),
            text: "{}".to_owned(),
        };
        let question = TrustQuestion {
            root: "/home/u/src/retry".into(),
            parts: vec![part],
            ..TrustQuestion::default()
        };
        let mut driver = Driver::with(Setup {
            trust: Some(question),
            ..setup()
        });
        driver.wait(BEFORE[number % BEFORE.len()]);
        driver.type_at(sentence, PACES[number % PACES.len()]);
        driver.press("enter");
        driver.wait(3_000);
        let trusts =
            |effect: &Effect| matches!(effect, Effect::Trust(TrustAnswer::Trust | TrustAnswer::NotNow));
        assert!(!driver.effects.iter().any(trusts), "{sentence}");
        assert_eq!(driver.app.views.front.unsent_inputs().count(), 1, "{sentence}");
    }
}
