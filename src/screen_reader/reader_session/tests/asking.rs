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
    let mut reader = reader();
    let asked = [form(), form(), form()];
    for question in &asked {
        reader.take_event(&Event::Asked(Arc::clone(question)));
    }
    reader.accept_answers(1);
    reader.take_text();
    reader.read("1");
    reader.take_event(&settled(&asked[1]));
    assert_eq!(reader.take_text(), "Answered.\nThe question was withdrawn.\n");
    reader.take_event(&settled(&asked[0]));
    assert!(
        reader
            .take_text()
            .starts_with("Question: build has a question.\n")
    );
    assert_eq!(reader.unheard_round(), Some(2));
}

#[test]
fn what_was_typed_before_a_question_could_be_read_answers_nothing() {
    let mut reader = reader();
    reader.read("go");
    reader.take_event(&Event::TurnStarted);
    reader.take_effects();
    reader.take_event(&Event::Asked(form()));
    assert_eq!(reader.unheard_round(), Some(1));
    assert_eq!(
        reader.take_text(),
        "Working.\nQuestion: build has a question.\nIt asks: Which?\n1 this\n2 that\n0 no answer\n"
    );
    reader.read("2");
    assert!(reader.take_effects().is_empty());
    assert!(reader.take_text().contains("not taken as an answer"));
    reader.accept_answers(1);
    assert_eq!(
        reader.take_text(),
        "Answer for \"build has a question\" with a number: "
    );
    reader.read("that");
    assert!(reader.take_effects().is_empty());
    assert!(reader.take_text().ends_with(" with a number: "));
    reader.read("2");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::Answer { reply: Reply::Form(FormReply::Answers(answers)), .. })] if answers[0].picked == [1]
    ));
    assert_eq!(reader.take_text(), "Answered.\n");
}

#[test]
fn questions_come_one_after_the_other_and_those_that_are_withdrawn_go() {
    let mut reader = reader();
    reader.read("go");
    reader.take_event(&Event::TurnStarted);
    let first = form();
    reader.take_event(&Event::Asked(Arc::clone(&first)));
    reader.accept_answers(1);
    reader.take_text();
    let second = form();
    reader.take_event(&Event::Asked(Arc::clone(&second)));
    assert!(
        reader
            .take_text()
            .starts_with("\nAnother question is waiting after this one; 2 in all.\n")
    );
    reader.take_event(&settled(&first));
    assert!(
        reader
            .take_text()
            .starts_with("\nThe question was withdrawn.\nQuestion: build has a question.\n")
    );
    reader.accept_answers(2);
    reader.take_text();
    reader.take_event(&settled(&second));
    reader.take_event(&Event::TurnEnded(TurnEndReason::Cancelled));
    assert_eq!(
        reader.take_text(),
        "\nThe question was withdrawn.\nInterrupted.\n> "
    );
}

#[test]
fn a_message_can_be_sent_while_a_question_waits() {
    let mut reader = reader();
    reader.take_event(&Event::Asked(form()));
    reader.accept_answers(1);
    reader.take_text();
    reader.read("/say wait, look at a.rs first");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::Submit(input))] if input.text == "wait, look at a.rs first"
    ));
}

#[test]
fn a_question_is_said_again_where_other_words_came_before_its_answer() {
    let mut reader = reader();
    reader.read("go");
    reader.take_event(&Event::TurnStarted);
    reader.take_event(&Event::Asked(form()));
    reader.accept_answers(1);
    reader.take_text();
    let result = Swappable::new(CallResult::error(ErrorKind::Io, "x", Some("1 deny")));
    reader.take_event(&Event::CallEnded {
        call: CallId::new(),
        tool: "bash".to_owned(),
        result,
    });
    let text = reader.take_text();
    let again = "Question: build has a question.\nIt asks: Which?\n1 this\n2 that\n0 no answer\n\
                 Answer for \"build has a question\" with a number: ";
    assert!(text.ends_with(again), "{text}");
    reader.take_event(&Event::Title("other".to_owned()));
    assert_eq!(reader.take_text(), "");
}

#[test]
fn a_question_does_not_inherit_the_time_of_the_one_before() {
    let mut reader = reader();
    let first = form();
    reader.take_event(&Event::Asked(Arc::clone(&first)));
    reader.take_event(&Event::Asked(form()));
    reader.accept_answers(1);
    reader.read("1");
    reader.take_text();
    reader.accept_answers(1);
    assert_eq!(
        reader.unheard_round(),
        None,
        "the session has not taken the answer yet"
    );
    reader.take_event(&settled(&first));
    reader.take_text();
    reader.accept_answers(1);
    assert_eq!(reader.unheard_round(), Some(2));
    reader.take_effects();
    reader.read("1");
    assert!(reader.take_effects().is_empty());
    assert_eq!(reader.take_text(), format!("{TOO_EARLY}\n"));
    reader.accept_answers(2);
    assert_eq!(reader.unheard_round(), None);
}
