//! Questions: when they take an answer, and which.

use super::*;

fn settled(question: &Question) -> Event {
    Event::Settled(SettledQuestion {
        id: question.id,
        call: question.call.clone(),
        permission: None,
    })
}

#[test]
fn a_question_that_is_settled_with_the_one_before_is_never_told() {
    let mut talk = talk();
    let asked = [form(), form(), form()];
    for question in &asked {
        talk.hear(&Event::Asked(Arc::clone(question)));
    }
    talk.listen(1);
    talk.take_text();
    talk.read("1");
    talk.hear(&settled(&asked[1]));
    assert_eq!(talk.take_text(), "Answered.\nThe question was withdrawn.\n");
    talk.hear(&settled(&asked[0]));
    assert!(talk.take_text().starts_with("Question: build has a question.\n"));
    assert_eq!(talk.unheard_round(), Some(2));
}

#[test]
fn what_was_typed_before_a_question_could_be_read_answers_nothing() {
    let mut talk = talk();
    talk.read("go");
    talk.hear(&Event::TurnStarted);
    talk.take_effects();
    talk.hear(&Event::Asked(form()));
    assert_eq!(talk.unheard_round(), Some(1));
    assert_eq!(
        talk.take_text(),
        "Working.\nQuestion: build has a question.\nIt asks: Which?\n1 this\n2 that\n0 no answer\n"
    );
    talk.read("2");
    assert!(talk.take_effects().is_empty());
    assert!(talk.take_text().contains("not taken as an answer"));
    talk.listen(1);
    assert_eq!(
        talk.take_text(),
        "Answer for \"build has a question\" with a number: "
    );
    talk.read("that");
    assert!(talk.take_effects().is_empty());
    assert!(talk.take_text().ends_with(" with a number: "));
    talk.read("2");
    assert!(matches!(
        talk.take_effects().as_slice(),
        [Effect::Send(Op::Answer { reply: Reply::Form(FormReply::Answers(answers)), .. })] if answers[0].picked == [1]
    ));
    assert_eq!(talk.take_text(), "Answered.\n");
}

#[test]
fn questions_come_one_after_the_other_and_those_that_are_withdrawn_go() {
    let mut talk = talk();
    talk.read("go");
    talk.hear(&Event::TurnStarted);
    let first = form();
    talk.hear(&Event::Asked(Arc::clone(&first)));
    talk.listen(1);
    talk.take_text();
    let second = form();
    talk.hear(&Event::Asked(Arc::clone(&second)));
    assert!(
        talk.take_text()
            .starts_with("\nAnother question waits behind this one; 2 in all.\n")
    );
    talk.hear(&settled(&first));
    assert!(
        talk.take_text()
            .starts_with("\nThe question was withdrawn.\nQuestion: build has a question.\n")
    );
    talk.listen(2);
    talk.take_text();
    talk.hear(&settled(&second));
    talk.hear(&Event::TurnEnded(TurnEndReason::Cancelled));
    assert_eq!(
        talk.take_text(),
        "\nThe question was withdrawn.\nInterrupted.\n> "
    );
}

#[test]
fn a_message_can_be_sent_while_a_question_waits() {
    let mut talk = talk();
    talk.hear(&Event::Asked(form()));
    talk.listen(1);
    talk.take_text();
    talk.read("/say wait, look at a.rs first");
    assert!(matches!(
        talk.take_effects().as_slice(),
        [Effect::Send(Op::Submit(input))] if input.text == "wait, look at a.rs first"
    ));
}

#[test]
fn a_question_is_said_again_where_other_words_came_before_its_answer() {
    let mut talk = talk();
    talk.read("go");
    talk.hear(&Event::TurnStarted);
    talk.hear(&Event::Asked(form()));
    talk.listen(1);
    talk.take_text();
    let result = Arc::new(CallResult::error(ErrorKind::Io, "x", Some("1 deny")));
    talk.hear(&Event::CallEnded {
        call: CallId::new(),
        tool: "bash".to_owned(),
        result,
    });
    let text = talk.take_text();
    let again = "Question: build has a question.\nIt asks: Which?\n1 this\n2 that\n0 no answer\n\
                 Answer for \"build has a question\" with a number: ";
    assert!(text.ends_with(again), "{text}");
    talk.hear(&Event::Title("other".to_owned()));
    assert_eq!(talk.take_text(), "");
}

#[test]
fn a_question_does_not_inherit_the_time_of_the_one_before() {
    let mut talk = talk();
    let first = form();
    talk.hear(&Event::Asked(Arc::clone(&first)));
    talk.hear(&Event::Asked(form()));
    talk.listen(1);
    talk.read("1");
    talk.take_text();
    talk.listen(1);
    assert_eq!(
        talk.unheard_round(),
        None,
        "the session has not taken the answer yet"
    );
    talk.hear(&settled(&first));
    talk.take_text();
    talk.listen(1);
    assert_eq!(talk.unheard_round(), Some(2));
    talk.take_effects();
    talk.read("1");
    assert!(talk.take_effects().is_empty());
    assert_eq!(talk.take_text(), format!("{TOO_EARLY}\n"));
    talk.listen(2);
    assert_eq!(talk.unheard_round(), None);
}
