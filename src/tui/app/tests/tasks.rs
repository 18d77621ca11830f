//! Tasks of a session: their rows, their conversations, and their questions.

use super::*;
use crate::conversation::task_sample::{Sample, task};
use crate::conversation::{TaskActivity, TaskRow, TaskStatus};
use crate::tool::BuiltinCards;
use crate::tui::sessions::SlotId;

/// The slot of the first conversation of a task.
const CHILD: SlotId = SlotId(1);

/// Tells how a task stands, in the stream of its tree.
pub(super) fn tell(driver: &mut Driver, row: Arc<TaskRow>) -> RedrawUrgency {
    let envelope = Envelope {
        seq: 1,
        session: row.parent.clone(),
        event: Event::Task(row),
    };
    let change = driver.app.session_event(SlotId::FIRST, &envelope, driver.now);
    driver.collect();
    change
}

/// An event of a session, which comes in the stream of a slot.
pub(super) fn says(driver: &mut Driver, slot: SlotId, session: &SessionId, event: Event) -> RedrawUrgency {
    let envelope = Envelope {
        seq: 1,
        session: session.clone(),
        event,
    };
    let change = driver.app.session_event(slot, &envelope, driver.now);
    driver.collect();
    change
}

/// The session of a task is open under its slot.
pub(super) fn opened(driver: &mut Driver, slot: SlotId, row: &TaskRow) {
    let mut snapshot = driver.snapshot();
    snapshot.info.id = row.session.clone();
    snapshot.info.title.clone_from(&row.description);
    snapshot.info.agent.clone_from(&row.agent);
    snapshot.messages = vec![message(Role::User, "the prompt of the task")];
    snapshot.busy = !row.status.is_ended();
    let now = driver.now;
    driver
        .app
        .session_opened(slot, &snapshot, BuiltinCards::new(), OpeningNotes::default(), now);
    driver.collect();
}

/// A question of a session, told in the tree's stream.
pub(super) fn asks(driver: &mut Driver, session: &SessionId, command: &str) -> Arc<Question> {
    let mut question = bash(command, &[]);
    question.session = session.clone();
    let question = question.shared();
    let asked = Event::Asked(Arc::clone(&question));
    says(driver, SlotId::FIRST, session, asked);
    question
}

/// A session with a task of its own at work.
fn with_task() -> (Driver, Sample) {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    let sample = task(&driver.session, "who calls backoff()").running();
    tell(&mut driver, sample.row());
    (driver, sample)
}

fn enter(driver: &mut Driver, sample: &Sample) {
    let now = driver.now;
    driver.app.enter_task(&sample.session(), now);
    driver.collect();
    opened(driver, CHILD, &sample.row());
}

#[test]
fn a_task_is_opened_once_and_entered() {
    let (mut driver, sample) = with_task();
    enter(&mut driver, &sample);
    let opens =
        |effect: &Effect| matches!(effect, Effect::OpenTask(CHILD, session) if *session == sample.session());
    assert!(driver.effects.iter().any(opens));
    assert!(
        driver.text().contains("the prompt of the task"),
        "{}",
        driver.text()
    );
    let now = driver.now;
    let root = driver.session.clone();
    let slot = driver.app.views.front.tree;
    driver.app.show(slot, now);
    assert_eq!(driver.app.views.front.root, Some(root));
    driver.effects.clear();
    driver.app.enter_task(&sample.session(), now);
    driver.collect();
    assert!(!driver.effects.iter().any(opens), "it is open already");
    assert_eq!(driver.app.views.front.slot, CHILD);
}

#[test]
fn a_conversation_that_is_not_drawn_costs_no_frame() {
    let (mut driver, sample) = with_task();
    let now = driver.now;
    let slot = driver.app.attach_task(&sample.session(), now).unwrap();
    driver.collect();
    opened(&mut driver, slot, &sample.row());
    driver.frame();
    let notice = || Event::Notice("more of it".to_owned());
    assert_eq!(
        says(&mut driver, slot, &sample.session(), notice()),
        RedrawUrgency::None
    );
    driver.app.show(slot, now);
    assert_eq!(
        says(&mut driver, slot, &sample.session(), notice()),
        RedrawUrgency::Urgent
    );
    assert!(
        driver.app.awake_slots().contains(&SlotId::FIRST),
        "the root tells of the tree"
    );
}

#[test]
fn a_question_of_a_task_comes_up_in_its_own_conversation_and_in_that_of_the_root() {
    let (mut driver, sample) = with_task();
    asks(&mut driver, &sample.session(), "cargo test");
    assert_eq!(driver.app.state().dialog, Some("permission"));
    enter(&mut driver, &sample);
    assert_eq!(driver.app.state().dialog, Some("permission"));
    driver.hear();
    driver.press("y");
    assert_eq!(driver.replies(), [PermissionReply::Once]);
}

#[test]
fn a_question_of_another_task_moves_nothing_in_the_conversation_of_a_task() {
    let (mut driver, sample) = with_task();
    let other = task(&driver.session, "tokio time pausing").running();
    tell(&mut driver, other.row());
    enter(&mut driver, &sample);
    let below = task(&sample.session(), "below").running();
    tell(&mut driver, below.row());
    driver.type_text("a draft");
    asks(&mut driver, &other.session(), "rm -rf target");
    assert_eq!(driver.app.state().dialog, None);
    assert!(driver.text().contains("1 question"), "{}", driver.text());
    driver.press("ctrl+x .");
    assert!(driver.text().contains("rm -rf target"), "{}", driver.text());
    driver.hear();
    driver.press("esc");
    assert_eq!(driver.app.state().dialog, None);
    asks(&mut driver, &below.session(), "cargo build");
    assert!(
        driver.text().contains("? 2 wait · bash cargo build"),
        "{}",
        driver.text()
    );
    let (slot, now) = (driver.app.views.front.tree, driver.now);
    driver.app.show(slot, now);
    driver.hear();
    let text = driver.text();
    assert!(text.contains("cargo build") && text.contains("2 of 2"), "{text}");
}

#[test]
fn keys_that_are_typed_in_a_task_hold_its_question_off() {
    let (mut driver, sample) = with_task();
    enter(&mut driver, &sample);
    driver.type_text("half a");
    asks(&mut driver, &sample.session(), "cargo test");
    driver.wait(400);
    driver.type_text(" y");
    assert_eq!(driver.replies(), []);
    assert_eq!(driver.app.views.front.composer.text(), "half a y");
}

#[test]
fn a_root_that_is_attached_to_anew_brings_the_questions_of_the_task_on_screen() {
    let (mut driver, sample) = with_task();
    enter(&mut driver, &sample);
    let mut question = bash("cargo test", &[]);
    question.session = sample.session();
    let snapshot = Snapshot {
        questions: vec![question.shared()],
        tasks: vec![sample.row()],
        ..driver.snapshot()
    };
    let now = driver.now;
    driver.app.session_attached(SlotId::FIRST, &snapshot, now);
    driver.app.settle_tree(SlotId::FIRST, now);
    assert_eq!(driver.app.state().dialog, Some("permission"));
    assert_eq!(driver.app.views.front.slot, CHILD);
}

#[test]
fn the_session_that_was_left_for_another_shows_its_task_again() {
    let (mut driver, sample) = with_task();
    enter(&mut driver, &sample);
    driver.press("ctrl+x n");
    assert_ne!(driver.app.views.front.tree, SlotId::FIRST);
    assert!(driver.text().contains("1 other"), "{}", driver.text());
    driver.press("ctrl+x tab");
    assert_eq!(driver.app.views.front.slot, CHILD);
    driver.press("ctrl+x tab");
    tell(&mut driver, sample.clone().ended(TaskStatus::Completed).row());
    assert!(
        driver.app.trees.iter().any(|tree| tree.slot == SlotId::FIRST),
        "its turn still runs"
    );
}

#[test]
fn a_session_is_let_go_with_its_tasks() {
    let (mut driver, sample) = with_task();
    enter(&mut driver, &sample);
    let id = driver.session.clone();
    driver.app.close_session(&id);
    assert_eq!(driver.app.trees.len(), 1, "it is on screen");
    driver.press("ctrl+x n");
    driver.effects.clear();
    driver.app.close_session(&id);
    driver.collect();
    let closed = driver.effects.iter().filter_map(|effect| match effect {
        Effect::CloseSession(slot) => Some(slot.0),
        _ => None,
    });
    let closed: Vec<u32> = closed.collect();
    assert_eq!(closed, [CHILD.0, SlotId::FIRST.0]);
    assert_eq!(driver.app.trees.len(), 1);
}

fn title(driver: &mut Driver) -> String {
    driver.text().lines().next().unwrap_or_default().to_owned()
}

#[test]
fn esc_leads_back_one_level_a_press_and_never_stops_the_parent() {
    let (mut driver, sample) = with_task();
    let mut below = task(&sample.session(), "in the tests")
        .agent("librarian")
        .running();
    below.0.depth = 2;
    tell(&mut driver, below.row());
    let now = driver.now;
    driver.app.enter_task(&below.session(), now);
    driver.collect();
    opened(&mut driver, CHILD, &below.row());
    driver.size = (120, 36);
    let row = title(&mut driver);
    assert!(
        row.starts_with(" lathe · build › explore › librarian · in the tests "),
        "{row}"
    );
    driver.type_text("a draft");
    driver.press("esc esc");
    assert_eq!(
        driver.app.views.front.task,
        Some(sample.session()),
        "its parent, which is opened for that"
    );
    driver.hear();
    driver.press("esc esc esc");
    assert_eq!(driver.app.views.front.task, None);
    assert!(driver.app.views.front.esc.armed.is_none());
    driver.hear();
    driver.press("esc");
    assert!(
        driver.hints().contains("esc again interrupts"),
        "{}",
        driver.hints()
    );
    assert!(!driver.sent().iter().any(|op| matches!(op, Op::Interrupt)));
    driver.app.enter_task(&below.session(), driver.now);
    assert!(driver.text().contains("┃ a draft"), "{}", driver.text());
}

#[test]
fn ctrl_c_stops_a_task_from_inside() {
    let (mut driver, sample) = with_task();
    enter(&mut driver, &sample);
    let hints = driver.hints();
    assert!(
        hints.contains("esc back") && hints.contains("ctrl+c stop"),
        "{hints}"
    );
    driver.press("ctrl+c");
    assert!(driver.sent().iter().any(|op| matches!(op, Op::Interrupt)));
}

#[test]
fn keys_behind_the_leader_lead_to_the_parent_and_to_siblings() {
    let (mut driver, first) = with_task();
    let second = task(&driver.session, "tokio time pausing").running();
    tell(&mut driver, second.row());
    driver.press("ctrl+x right");
    assert!(
        driver.hints().contains("no task is on screen"),
        "{}",
        driver.hints()
    );
    enter(&mut driver, &first);
    for (keys, session) in [
        ("ctrl+x right", second.session()),
        ("ctrl+x right", first.session()),
        ("ctrl+x left", second.session()),
    ] {
        driver.press(keys);
        assert_eq!(driver.app.views.front.task, Some(session), "{keys}");
    }
    driver.press("ctrl+x up");
    assert_eq!(driver.app.views.front.task, None);
}

#[test]
fn enter_on_the_card_of_a_task_goes_into_it() {
    let (mut driver, sample) = with_task();
    driver
        .app
        .views
        .front
        .transcript
        .draw_builtin(BuiltinCards::new());
    let row = sample.row();
    let details = serde_json::json!({
        "task_id": row.task, "session_id": row.session, "agent": "explore", "description": row.description,
        "model": row.model, "status": "running", "tool_calls": 3, "usage": Usage::default(), "duration_ms": 0,
        "activity": "working", "now": "Grep \"backoff(\"",
    });
    let part = ToolPart {
        call: CallId::new(),
        provider_id: None,
        tool: "task".to_owned(),
        raw_args: r#"{"subagent_type": "explore", "prompt": "look"}"#.to_owned(),
        args: None,
        state: CallState::Running,
        result: None,
        native: None,
        inner: Vec::new(),
    };
    let call = part.call.clone();
    let mut reply = Message::clone(&message(Role::Assistant, "I ask."));
    reply.parts.push(Part {
        seq: 9,
        body: PartBody::Tool(part),
    });
    driver.event(Event::MessageStarted(Arc::new(reply)));
    driver.event(Event::CallRunning { call: call.clone() });
    let update = crate::session::CallUpdate {
        title: None,
        delta: None,
        details: Some(details),
    };
    driver.event(Event::CallUpdate { call, update });
    driver.text();
    driver.press("ctrl+x [ G enter");
    assert_eq!(driver.app.views.front.task, Some(sample.session()));
}

#[test]
fn a_message_to_a_task_says_where_it_is() {
    let (mut driver, sample) = with_task();
    enter(&mut driver, &sample);
    let session = sample.session();
    driver.type_text("and be quick");
    driver.press("enter");
    assert_eq!(inputs(&driver.sent()), [("submit", "and be quick")]);
    let queue = vec![queued(1, "and be quick", QueuedKind::Steer)];
    says(&mut driver, CHILD, &session, Event::Queue(queue));
    assert!(
        driver.text().contains("queued ┃ and be quick"),
        "{}",
        driver.text()
    );
    for _ in 0..2 {
        let mut reply = Message::clone(&message(Role::Assistant, ""));
        (reply.parts, reply.state) = (Vec::new(), MessageState::Streaming);
        reply.id = MessageId::new();
        says(
            &mut driver,
            CHILD,
            &session,
            Event::MessageStarted(Arc::new(reply)),
        );
    }
    says(&mut driver, CHILD, &session, Event::Queue(Vec::new()));
    let said = Event::MessageStarted(message(Role::User, "and be quick"));
    says(&mut driver, CHILD, &session, said);
    assert!(
        driver.text().contains("read while the turn ran") && !driver.text().contains("step"),
        "{}",
        driver.text()
    );
}

#[test]
fn nothing_is_said_to_a_task_that_has_not_begun() {
    let mut driver = Driver::open();
    let sample = task(&driver.session, "who calls backoff()");
    tell(&mut driver, sample.row());
    enter(&mut driver, &sample);
    driver.type_text("and be quick");
    driver.press("enter");
    assert_eq!(inputs(&driver.sent()), []);
    assert!(
        driver.hints().contains("waits for a free slot"),
        "{}",
        driver.hints()
    );
    assert_eq!(driver.app.views.front.composer.text(), "and be quick");
    tell(&mut driver, sample.running().row());
    driver.press("enter");
    assert_eq!(inputs(&driver.sent()), [("submit", "and be quick")]);
}

#[test]
fn tasks_that_calls_wait_for_are_sent_to_the_background() {
    let (mut driver, sample) = with_task();
    driver.press("ctrl+x &");
    let ops = driver.sent();
    let is_it = |op: &Op| matches!(op, Op::Task(crate::session::TaskOp::ToBackground));
    assert!(ops.iter().any(is_it), "{ops:?}");
    assert!(
        driver.hints().contains("1 task in the background now"),
        "{}",
        driver.hints()
    );
    tell(&mut driver, sample.background().row());
    driver.press("ctrl+x &");
    assert!(!driver.sent().iter().any(is_it));
}

#[test]
fn esc_holds_what_background_tasks_would_set_off() {
    let (mut driver, sample) = with_task();
    tell(&mut driver, sample.background().row());
    driver.event(Event::TurnEnded(TurnEndReason::Stop));
    driver.press("esc");
    assert!(driver.sent().iter().any(|op| matches!(op, Op::Interrupt)));
    assert!(
        driver.hints().contains("held until you send something"),
        "{}",
        driver.hints()
    );
    driver.hear();
    driver.press("esc");
    assert!(
        !driver.sent().iter().any(|op| matches!(op, Op::Interrupt)),
        "once"
    );
    driver.press("i");
    driver.type_text("go on");
    driver.press("enter");
    assert!(!driver.hints().contains("held until"), "{}", driver.hints());
}

#[test]
fn a_finished_group_is_told_once_with_what_went_wrong() {
    let (mut driver, _) = with_task();
    driver.app.focus_changed(false, driver.now);
    let mut failed = task(&driver.session, "review of the plan")
        .agent("oracle")
        .background()
        .running();
    let done = task(&driver.session, "the changelog").background().running();
    for sample in [&failed, &done] {
        tell(&mut driver, sample.row());
    }
    failed.0.error = Some("the model is overloaded".to_owned());
    tell(&mut driver, failed.ended(TaskStatus::Failed).row());
    assert!(!driver.text().contains("have ended"));
    driver.effects.clear();
    tell(&mut driver, done.ended(TaskStatus::Completed).row());
    let text = driver.text();
    assert!(text.contains("2 tasks have ended: 1 done, 1 failed."), "{text}");
    assert!(
        text.contains("oracle \"review of the plan\" failed: the model is overloaded"),
        "{text}"
    );
    let told = driver.effects.iter().filter_map(|effect| match effect {
        Effect::Notify { body, .. } => Some(body.as_str()),
        _ => None,
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        ["2 tasks have ended: 1 done, 1 failed."]
    );
}

/// A call that has started a task in the background, as it ended.
fn started(row: &TaskRow) -> Event {
    let details = serde_json::json!({
        "task_id": row.task, "session_id": row.session, "agent": "explore", "description": row.description,
        "model": row.model, "status": "queued", "tool_calls": 0, "usage": Usage::default(), "duration_ms": 0,
    });
    let part = ToolPart {
        call: CallId::new(),
        provider_id: None,
        tool: "task".to_owned(),
        raw_args: r#"{"subagent_type": "explore", "prompt": "look"}"#.to_owned(),
        args: None,
        state: CallState::Done,
        result: Some(crate::swap::Swappable::new(crate::conversation::CallResult {
            details: details.into(),
            ..serde_json::from_value(serde_json::json!({"ok": true, "title": "", "output": "status: queued"}))
                .unwrap()
        })),
        native: None,
        inner: Vec::new(),
    };
    let mut reply = Message::clone(&message(Role::Assistant, "I ask."));
    reply.parts.push(Part {
        seq: 9,
        body: PartBody::Tool(part),
    });
    Event::MessageStarted(Arc::new(reply))
}

#[test]
fn the_card_of_a_task_follows_it_after_its_call() {
    let mut driver = Driver::open();
    let sample = task(&driver.session, "who calls backoff()").background();
    let Event::MessageStarted(reply) = started(&sample.row()) else {
        unreachable!("it is a message")
    };
    let snapshot = |tasks: Vec<Arc<TaskRow>>, driver: &Driver| Snapshot {
        messages: vec![Arc::clone(&reply)],
        tasks,
        ..driver.snapshot()
    };
    let now = driver.now;
    let opened = snapshot(Vec::new(), &driver);
    driver.app.session_opened(
        driver.app.views.front.slot,
        &opened,
        BuiltinCards::new(),
        OpeningNotes::default(),
        now,
    );
    let text = driver.text();
    assert!(
        text.contains("· started"),
        "nobody knows what became of it: {text}"
    );
    let working = sample
        .clone()
        .doing(TaskActivity::Working, "Grep \"backoff(\"")
        .spent(3, 0);
    driver.attach(&snapshot(vec![working.row()], &driver));
    let text = driver.text();
    assert!(
        text.contains("· running · 3 calls") && text.contains("▸ Grep \"backoff(\""),
        "{text}"
    );
    let mut failed = working.clone();
    failed.0.error = Some("the model is overloaded".to_owned());
    tell(&mut driver, failed.ended(TaskStatus::Failed).row());
    let text = driver.text();
    assert!(
        text.contains("· failed") && text.contains("✗ the model is overloaded"),
        "{text}"
    );
}
