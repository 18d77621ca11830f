//! Tasks: told a line each, entered, left, stopped, and asked about before they end with the session.

use super::*;
use crate::conversation::task_sample::{Sample, task};
use crate::conversation::{
    Message, MessageState, TaskActivity, TaskStatus, TerminalOwner, TerminalRow, TerminalStatus,
};
use crate::session::{Input, StoredDraft, TaskOp};

/// Tells the reader how a task stands now, and returns what is said of it.
fn told(reader: &mut ReaderSession, sample: &Sample) -> String {
    reader.take_event(&Event::Task(sample.row()));
    reader.take_text()
}

/// A task of the main conversation that runs.
fn running(reader: &mut ReaderSession, description: &str) -> Sample {
    let sample = task(&reader.info.id, description).background().running();
    told(reader, &sample);
    sample
}

fn form_of(session: &SessionId) -> Arc<Question> {
    let mut question = Question::clone(&form());
    question.session = session.clone();
    question.agent = "explore".to_owned();
    Arc::new(question)
}

fn of_task(sample: &Sample, messages: Vec<Message>) -> Snapshot {
    let mut snapshot = snapshot("");
    snapshot.info.id = sample.session();
    snapshot.info.agent = "explore".to_owned();
    snapshot.messages = messages.into_iter().map(Arc::new).collect();
    snapshot.busy = !sample.0.status.is_ended();
    snapshot
}

/// The person goes into a task; returns what is told of it.
fn enter(reader: &mut ReaderSession, sample: &Sample, messages: Vec<Message>) -> String {
    let number = reader.tree.tasks.number(&sample.session()).unwrap();
    reader.read(&format!("/tasks {number}"));
    let effects = reader.take_effects();
    assert!(
        matches!(effects.as_slice(), [Effect::Begin(HostRequest::Enter(session))] if *session == sample.session())
    );
    reader.take_text();
    let tools = BuiltinCards::new();
    reader.enter(sample.session(), &of_task(sample, messages), tools);
    reader.take_text()
}

fn go_back(reader: &mut ReaderSession, snapshot: &Snapshot) -> String {
    reader.read("/back");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Begin(HostRequest::Return)]
    ));
    reader.take_text();
    reader.return_to_main(snapshot, BuiltinCards::new());
    reader.take_text()
}

#[test]
fn a_task_has_a_line_when_it_starts_and_ends_and_a_group_one_when_all_have() {
    let mut reader = reader();
    let root = reader.info.id.clone();
    let [one, two] = ["who calls it", "time"].map(|name| task(&root, name).background());
    assert_eq!(told(&mut reader, &one), "");
    assert_eq!(
        told(&mut reader, &one.clone().running()),
        "\nTask 1 has started: explore, \"who calls it\".\n> "
    );
    told(&mut reader, &two.clone().running());
    assert_eq!(
        told(
            &mut reader,
            &one.clone().doing(TaskActivity::Working, "Grep x").spent(1, 10)
        ),
        ""
    );
    assert_eq!(
        told(
            &mut reader,
            &one.ended(TaskStatus::Completed)
                .later(41_000)
                .with("Two\u{1b}[2J places")
        ),
        "\nTask 1 is done: explore, \"who calls it\", after 41 seconds. It says: Two places.\n> "
    );
    assert_eq!(
        told(
            &mut reader,
            &two.ended(TaskStatus::Failed).later(41_000).with("no model")
        ),
        "\nTask 2 has failed: explore, \"time\", after 41 seconds. Why: no model.\n\
         All 2 tasks in the background have ended: 1 done, 1 failed.\n> "
    );
}

#[test]
fn the_end_of_a_task_that_a_call_waits_for_is_told_by_the_call_alone() {
    let mut reader = reader();
    let waited_for = task(&reader.info.id, "who calls it").running();
    assert!(told(&mut reader, &waited_for).contains("Task 1 has started"));
    reader.read("/background");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::Task(TaskOp::ToBackground))]
    ));
    reader.take_text();
    assert!(
        told(&mut reader, &waited_for.clone().background())
            .contains("Task 1 continues in the background: explore, \"who calls it\".")
    );
    reader.read("/background");
    assert!(reader.take_text().starts_with("No turn here waits for a task"));
    let other = task(&reader.info.id, "time").running();
    told(&mut reader, &other);
    assert_eq!(
        told(&mut reader, &other.ended(TaskStatus::Completed).later(41_000)),
        ""
    );
}

#[test]
fn a_question_says_which_task_asks_and_for_whom() {
    let mut reader = reader();
    let above = running(&mut reader, "plan it");
    let mut below = task(&above.session(), "who calls it").background().running();
    below.0.depth = 2;
    told(&mut reader, &below);
    let question = form_of(&below.session());
    reader.take_event(&Event::Asked(Arc::clone(&question)));
    assert!(reader.take_text().starts_with(
        "\nQuestion from task 2, explore, \"who calls it\", which works for explore, which works for build: \
             build has a question.\n"
    ));
    reader.accept_answers(reader.unheard_round().unwrap());
    reader.take_text();
    // The list has it first, whatever its number is.
    reader.read("/tasks");
    let text = reader.take_text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[1].starts_with("2 asks") && lines[1].contains("It asks: build has a question."),
        "{text}"
    );
    assert!(lines[2].starts_with("1 waits for the model"), "{text}");
    reader.read("1");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::Answer { id, .. })] if *id == question.id
    ));
}

#[test]
fn a_task_that_is_entered_tells_what_it_was_asked_did_and_says_and_goes_on_live() {
    let mut reader = reader();
    let sample = running(&mut reader, "who calls it").doing(TaskActivity::Working, "Grep x");
    told(&mut reader, &sample);
    let mut streamed = Message::clone(&message(Role::Assistant, "It is called twice. From"));
    streamed.state = MessageState::Streaming;
    let (id, part) = (streamed.id.clone(), streamed.parts[0].seq);
    let prompt = (1..=9)
        .map(|line| format!("line {line}"))
        .collect::<Vec<_>>()
        .join("\n");
    let messages = vec![
        Message::clone(&message(Role::User, &prompt)),
        Message::clone(&message(Role::Assistant, "I look.")),
        streamed,
    ];
    let text = enter(&mut reader, &sample, messages);
    assert!(
        text.starts_with(
            "You are in task 1 working: explore, \"who calls it\". Last it did: Grep x. 0 calls, 0 tokens, 0 seconds.\n\
             It was asked:\n| line 1\n"
        ),
        "{text}"
    );
    assert!(
        text.ends_with(
            "| line 8\nLeft out: 1 more line.\nIts last words:\n| I look.\n| It is called twice. \nWorking.\n\
             What you type goes to it. /back returns.\n"
        ),
        "{text}"
    );
    reader.take_event(&Event::Delta {
        message: id,
        part,
        delta: " two files.\n".to_owned(),
    });
    assert_eq!(reader.take_text(), "| From two files.\n");
    reader.take_event(&Event::TurnEnded(TurnEndReason::Stop));
    assert_eq!(reader.take_text(), "Finished.\ntask 1 > ");
    // Its own end says that already.
    assert_eq!(
        told(
            &mut reader,
            &sample.clone().ended(TaskStatus::Completed).later(41_000)
        ),
        ""
    );
    reader.read("and where?");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::Submit(input))] if input.text == "and where?"
    ));
}

#[test]
fn of_the_main_conversation_a_task_tells_a_line_each_and_the_rest_when_it_is_left() {
    let mut reader = reader();
    let main = snapshot("");
    let sample = running(&mut reader, "who calls it");
    enter(&mut reader, &sample, Vec::new());
    reader.take_main_event(&Event::TurnStarted);
    reader.take_main_event(&Event::Delta {
        message: MessageId::new(),
        part: 1,
        delta: "Secret of the main conversation.\n".to_owned(),
    });
    assert_eq!(reader.take_text(), "");
    reader.take_main_event(&Event::TurnEnded(TurnEndReason::Stop));
    assert_eq!(
        reader.take_text(),
        "The main conversation has finished; /back returns to it.\n"
    );
    let answer = Message::clone(&message(Role::Assistant, "Both are found."));
    let text = go_back(
        &mut reader,
        &Snapshot {
            messages: vec![Arc::new(answer)],
            ..main.clone()
        },
    );
    assert_eq!(
        text,
        "Back in the main conversation, agent build, mode ask.\nIts last words:\n| Both are found.\n> "
    );
    // Nothing happened in it meanwhile.
    enter(&mut reader, &sample, Vec::new());
    assert_eq!(
        go_back(&mut reader, &main),
        "Back in the main conversation, agent build, mode ask.\n> "
    );
    reader.read("/back");
    assert!(reader.take_text().starts_with("You are in the main conversation"));
}

#[test]
fn a_message_to_the_main_conversation_that_comes_back_is_kept_as_its_draft() {
    let mut reader = begin("later");
    reader.take_text();
    let sample = running(&mut reader, "who calls it");
    enter(&mut reader, &sample, Vec::new());
    let input = Input {
        text: "look here".to_owned(),
        ..Input::default()
    };
    reader.take_main_event(&Event::Refused(Arc::new(input)));
    let effects = reader.take_effects();
    let [Effect::SendToMain(Op::Draft(draft))] = effects.as_slice() else {
        panic!("{} effects", effects.len())
    };
    assert_eq!(StoredDraft::read(draft).text, "look here\n\nlater");
    assert!(
        reader.take_text().starts_with(
            "Your message to the main conversation was not sent: it was refused. /back, and /send"
        )
    );
}

#[test]
fn another_conversation_waits_for_a_message_that_is_on_its_way() {
    let mut reader = reader();
    let sample = running(&mut reader, "who calls it");
    reader.read("look");
    reader.take_effects();
    reader.read("/tasks 1");
    assert!(reader.take_effects().is_empty());
    assert!(
        reader
            .take_text()
            .starts_with("Your message is still being delivered.")
    );
    reader.take_event(&Event::MessageStarted(message(Role::User, "look")));
    enter(&mut reader, &sample, Vec::new());
    // A line of esc is a way back, too.
    reader.read("\u{1b}");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Begin(HostRequest::Return)]
    ));
}

#[test]
fn tasks_are_stopped_by_number_and_all_at_once() {
    let mut reader = reader();
    reader.read("/stop all");
    assert_eq!(reader.take_text(), "No task is running.\n> ");
    let one = running(&mut reader, "one");
    reader.read("/stop 1");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::Task(TaskOp::Cancel(task)))] if *task == one.0.task
    ));
    assert_eq!(reader.take_text(), "Stopping task 1.\n");
    reader.read("/stop all");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::Task(TaskOp::CancelAll))]
    ));
    reader.take_text();
    // What they find is not to begin a turn.
    reader.read("/stop");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::Interrupt)]
    ));
    assert!(reader.take_text().starts_with(
        "Nothing is running in this conversation. 1 task is running, and its end waits until you send something;"
    ));
    told(&mut reader, &one.ended(TaskStatus::Cancelled).later(41_000));
    for (line, why) in [
        ("/stop 1", "Task 1 has ended already."),
        ("/stop 2", "There is no task 2"),
        ("/stop it", "/stop takes"),
        ("/tasks 2", "There is no task 2"),
        ("/tasks it", "/tasks takes"),
    ] {
        reader.read(line);
        assert!(reader.take_effects().is_empty(), "{line}");
        assert!(reader.take_text().starts_with(why), "{line}");
    }
}

#[test]
fn leaving_while_tasks_are_at_work_is_asked_about() {
    let mut reader = reader();
    let one = running(&mut reader, "one");
    reader.read("/quit");
    assert!(reader.take_effects().is_empty());
    assert_eq!(
        reader.take_text(),
        "1 task is running and ends when you quit.\nTask 1: explore, \"one\".\n> "
    );
    // Before that could be heard it does not count, and another line takes it back.
    reader.read("/quit");
    assert!(reader.take_effects().is_empty());
    assert!(reader.take_text().starts_with("That came before you could hear"));
    let round = reader.unheard_round().unwrap();
    assert!(!reader.is_question(round));
    reader.accept_answers(round);
    assert_eq!(
        reader.take_text(),
        "\n/quit again quits; anything else stays.\n> "
    );
    reader.read("/todos");
    reader.read("/quit");
    assert!(reader.take_effects().is_empty());
    reader.accept_answers(reader.unheard_round().unwrap());
    reader.read("/quit");
    assert!(matches!(reader.take_effects().as_slice(), [Effect::Leave]));
    reader.take_text();
    for line in ["/new", "/todos"] {
        reader.read(line);
        assert!(reader.take_effects().is_empty(), "{line}");
    }
    assert!(
        reader
            .take_text()
            .starts_with("Tasks are running here and end with this session.")
    );
    // So do two presses of ctrl+c.
    reader.interrupt();
    reader.interrupt();
    let effects = reader.take_effects();
    assert!(matches!(effects.as_slice(), [Effect::Send(Op::Interrupt)]));
    assert!(reader.take_text().ends_with("Task 1: explore, \"one\".\n> "));
    told(&mut reader, &one.ended(TaskStatus::Completed).later(41_000));
    reader.read("/quit");
    assert!(matches!(reader.take_effects().as_slice(), [Effect::Leave]));
}

#[test]
fn tasks_that_were_there_before_are_counted_when_the_session_is_opened_again() {
    let mut before = snapshot("");
    let sample = task(&before.info.id, "one")
        .ended(TaskStatus::Interrupted)
        .later(41_000);
    before.tasks = vec![sample.row()];
    before.messages = vec![message(Role::User, "look")];
    let tools = BuiltinCards::new();
    let mut reader = ReaderSession::new(&before, tools, TimeZone::UTC, &[]);
    assert!(
        reader
            .take_text()
            .contains("\n1 task, 0 running; /tasks lists them.\n")
    );
    assert!(
        enter(&mut reader, &sample, Vec::new())
            .ends_with("What you type resumes it, with 0 tokens of context. /back returns.\ntask 1 > ")
    );
    reader.read("/status");
    assert!(
        reader
            .take_text()
            .starts_with("You are in task 1, explore, \"one\"; /back returns.\n")
    );
}

#[test]
fn leaving_while_programs_run_in_terminals_asks_first() {
    let mut reader = reader();
    let row = TerminalRow {
        name: "dev".to_owned(),
        command: "npm start".to_owned(),
        owner: TerminalOwner::Shared,
        status: TerminalStatus::Running,
        waits_for: None,
        typed_by: None,
        is_exclusive: false,
        title: None,
    };
    reader.take_event(&Event::Terminals(Arc::new(vec![row])));
    reader.take_text();
    reader.read("/quit");
    assert!(reader.take_effects().is_empty());
    assert_eq!(
        reader.take_text(),
        "1 program runs in a terminal and ends when you quit.\nTerminal dev: npm start.\n> "
    );
}
