//! The scheduler by hand, and beside a tree of sessions that behaves at random.

mod world;

use super::*;
use crate::conversation::Usage;
use world::World;

fn model() -> ModelRef {
    "p/m".parse().unwrap()
}

/// A scheduler with the root alone.
fn tree(limits: Limits) -> (Scheduler, SessionId) {
    let root = SessionId::new();
    (Scheduler::new(root.clone(), limits, 0), root)
}

fn limits() -> Limits {
    Limits {
        max_depth: 3,
        ..Limits::default()
    }
}

fn task(parent: &SessionId) -> NewTask {
    NewTask {
        session: SessionId::new(),
        parent: parent.clone(),
        waiting_call: None,
        started_by: "task",
        agent: "explore".to_owned(),
        category: None,
        description: "who calls it".to_owned(),
        model: model(),
        has_cache: false,
        budget: Budget::default(),
        worktree: None,
    }
}

/// Starts a task and lets it make its first request.
fn begin(scheduler: &mut Scheduler, task: &NewTask, request: RequestId) {
    scheduler.start(task, 0).unwrap();
    scheduler.observe(&task.session, Observation::TurnStarted, 0);
    scheduler.request(&task.session, &task.model, request, 0);
}

fn complete(scheduler: &mut Scheduler, session: &SessionId, request: RequestId, now: i64) {
    scheduler.end_request(request, &Usage::default(), None, now);
    scheduler.observe(session, Observation::TurnEnded(TurnResult::Completed), now);
}

fn status(scheduler: &Scheduler, task: &NewTask) -> TaskStatus {
    scheduler.row(&task.session).unwrap().status
}

#[test]
fn the_last_of_a_group_wakes_an_idle_parent_and_tells_of_all_at_once() {
    let (mut scheduler, root) = tree(limits());
    let tasks = [task(&root), task(&root)];
    for (number, task) in (1..).zip(&tasks) {
        begin(&mut scheduler, task, RequestId(number));
    }
    scheduler.take_effects();
    complete(&mut scheduler, &tasks[0].session, RequestId(1), 10);
    assert!(!scheduler.take_effects().contains(&Effect::Wake(root.clone())));
    complete(&mut scheduler, &tasks[1].session, RequestId(2), 20);
    assert!(scheduler.take_effects().contains(&Effect::Wake(root.clone())));
    let (notices, running) = scheduler.take_notices(&root);
    assert_eq!((notices.len(), running), (2, 0));
    assert_eq!(scheduler.take_notices(&root).0, []);
}

#[test]
fn a_parent_that_the_person_stopped_is_not_woken_until_the_person_speaks() {
    let (mut scheduler, root) = tree(limits());
    let only = task(&root);
    begin(&mut scheduler, &only, RequestId(1));
    scheduler.observe(&root, Observation::Interrupted, 1);
    complete(&mut scheduler, &only.session, RequestId(1), 2);
    assert!(!scheduler.take_effects().contains(&Effect::Wake(root.clone())));
    scheduler.observe(&root, Observation::PersonSpoke, 3);
    assert_eq!(scheduler.take_notices(&root).0.len(), 1);
}

#[test]
fn a_task_at_the_deepest_level_starts_no_other() {
    let (mut scheduler, root) = tree(limits());
    let mut parent = root;
    for number in 1..=3 {
        let next = task(&parent);
        begin(&mut scheduler, &next, RequestId(number));
        parent = next.session;
    }
    let refusal = scheduler.check_start(&parent).unwrap_err();
    assert_eq!(refusal, StartRefusal::TooDeep { depth: 4, limit: 3 });
}

#[test]
fn no_more_tasks_are_started_than_a_tree_may_have() {
    let (mut scheduler, root) = tree(Limits {
        max_spawned: 2,
        ..limits()
    });
    for _ in 0..2 {
        scheduler.start(&task(&root), 0).unwrap();
    }
    assert_eq!(
        scheduler.check_start(&root),
        Err(StartRefusal::TooMany { limit: 2 })
    );
}

#[test]
fn cancelling_a_task_cancels_everything_below_it() {
    let (mut scheduler, root) = tree(limits());
    let above = task(&root);
    begin(&mut scheduler, &above, RequestId(1));
    let below = task(&above.session);
    begin(&mut scheduler, &below, RequestId(2));
    let beside = task(&root);
    begin(&mut scheduler, &beside, RequestId(3));
    scheduler.take_effects();
    scheduler.cancel(&above.session, false, 5);
    let effects = scheduler.take_effects();
    for stopped in [&above, &below] {
        assert!(effects.contains(&Effect::Stop(stopped.session.clone())));
    }
    // A session that does not stop counts as ended when its time is over.
    scheduler.tick(5 + 4_000);
    assert_eq!(status(&scheduler, &above), TaskStatus::Cancelled);
    assert_eq!(status(&scheduler, &below), TaskStatus::Cancelled);
    assert_eq!(status(&scheduler, &beside), TaskStatus::Running);
    assert_eq!(scheduler.take_notices(&root).0.len(), 1);
}

#[test]
fn a_task_without_any_event_is_stalled_after_a_minute_and_given_up_after_thirty() {
    let (mut scheduler, root) = tree(limits());
    let silent = task(&root);
    begin(&mut scheduler, &silent, RequestId(1));
    scheduler.end_request(RequestId(1), &Usage::default(), None, 0);
    assert_eq!(scheduler.deadline(0), Some(60_000));
    scheduler.tick(60_000);
    let activity = scheduler.row(&silent.session).unwrap().activity;
    assert_eq!(activity, TaskActivity::Stalled);
    scheduler.tick(30 * 60_000);
    scheduler.observe(
        &silent.session,
        Observation::TurnEnded(TurnResult::Cancelled),
        30 * 60_000,
    );
    let row = scheduler.row(&silent.session).unwrap();
    assert_eq!(row.status, TaskStatus::Failed);
    assert!(
        row.error.as_deref().is_some_and(|why| why.contains("30 minutes")),
        "{row:?}"
    );
}

#[test]
fn tasks_that_a_restart_finds_unfinished_are_interrupted_and_told_once() {
    let (mut scheduler, root) = tree(limits());
    let [cut, ended] = [task(&root), task(&root)];
    begin(&mut scheduler, &cut, RequestId(1));
    begin(&mut scheduler, &ended, RequestId(2));
    complete(&mut scheduler, &ended.session, RequestId(2), 5);
    let stored = scheduler.rows().cloned().map(|row| (row, false)).collect();
    let mut again = Scheduler::new(root.clone(), limits(), 100);
    again.restore(stored, 100);
    assert_eq!(status(&again, &cut), TaskStatus::Interrupted);
    assert_eq!(status(&again, &ended), TaskStatus::Completed);
    assert_eq!(again.take_notices(&root).0.len(), 2);
    assert!(again.resume(&cut.session, None, Budget::default(), 101).unwrap());
    assert_eq!(status(&again, &cut), TaskStatus::Running);
}

#[test]
fn what_is_told_of_a_task_is_what_goes_on_in_it() {
    for seed in 0..500 {
        let mut world = World::new(seed, Budget::default());
        let steps = 50 + world.random.below(250);
        (0..steps).for_each(|_| world.step());
        world.settle();
        world.check_end();
    }
}

#[test]
fn no_request_starts_above_a_budget() {
    for seed in 0..100 {
        let budget = Budget {
            tokens: Some(1_000),
            ..Budget::default()
        };
        let mut world = World::new(seed + 10_000, budget);
        (0..300).for_each(|_| world.step());
        world.settle();
        world.check_end();
    }
}

#[test]
fn a_completed_task_is_told_with_the_beginning_of_its_result() {
    let (mut scheduler, root) = tree(limits());
    for (text, told) in [("\n\n Two risks.\nThe clock.", "Two risks."), ("", "")] {
        let only = task(&root);
        begin(&mut scheduler, &only, RequestId(1));
        let call = CallId::new();
        scheduler.observe(&only.session, Observation::CallReady(call.clone()), 1);
        let started = Observation::CallStarted {
            call: call.clone(),
            title: "Read a.rs".to_owned(),
            hash: 1,
        };
        scheduler.observe(&only.session, started, 1);
        assert_eq!(scheduler.row(&only.session).unwrap().now, "Read a.rs");
        scheduler.observe(&only.session, Observation::CallEnded(call), 2);
        scheduler.observe(&only.session, Observation::ReplyStarted, 2);
        scheduler.observe(&only.session, Observation::Text(text.to_owned()), 2);
        complete(&mut scheduler, &only.session, RequestId(1), 3);
        assert_eq!(scheduler.row(&only.session).unwrap().now, told);
    }
}
