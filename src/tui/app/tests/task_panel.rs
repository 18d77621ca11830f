//! Tasks in the panel and in the hint row.

use super::pictures::{conversation, picture};
use super::tasks::{asks, tell};
use super::*;
use crate::conversation::task_sample::{Sample, task};
use crate::conversation::{TaskActivity, TaskStatus, WorktreeChanges};
use crate::session::TaskOp;

/// When all of this happens, in milliseconds since the Unix epoch.
const NOW: i64 = 1_763_900_000_000;

/// Milliseconds ago.
fn ago(millis: i64) -> i64 {
    NOW - millis
}

/// Seven tasks in every state; one of them asks.
pub(super) fn tasks(driver: &mut Driver) -> Vec<Sample> {
    let root = driver.session.clone();
    let new = |agent: &str, description: &str, begun: i64| {
        task(&root, description).agent(agent).background().at(begun)
    };
    let explore = new("explore", "who calls backoff()", ago(41_000));
    let explore = explore
        .doing(TaskActivity::Working, "Grep \"backoff(\"")
        .spent(12, 18_200);
    let mut librarian = new("librarian", "tokio time pausing", ago(12_000));
    librarian = librarian
        .doing(TaskActivity::WaitingForModel, "WebFetch docs.rs/tokio")
        .spent(3, 9_600);
    librarian.0.since = ago(8_000);
    let mut general = new("general", "restore the fixtures", ago(130_000));
    general = general
        .doing(TaskActivity::WaitingForPerson, "bash wants to run")
        .spent(7, 12_000);
    general.0.since = ago(58_000);
    let mut below = task(&general.session(), "list the fixtures")
        .agent("explore")
        .at(ago(90_000));
    below = below
        .doing(TaskActivity::Working, "Glob tests/fixtures/**")
        .spent(2, 2_100);
    below.0.depth = 2;
    let mut writer = new("document-writer", "the changelog", ago(200_000));
    writer = writer
        .doing(TaskActivity::Working, "Edit CHANGELOG.md")
        .spent(4, 6_000);
    writer.0.worktree = Some(WorktreeChanges {
        additions: 14,
        deletions: 2,
        files: 1,
        ..Default::default()
    });
    writer.0.cost = Some(0.04);
    let mut oracle = new("oracle", "review of the plan", ago(120_000)).running();
    let mut failed = new("frontend-ui-ux-engineer", "a new start page", ago(100_000)).running();
    let queued: Vec<Sample> = (1..=3)
        .map(|number| new("explore", &format!("part {number}"), ago(5_000)))
        .collect();
    let mut all = vec![
        explore,
        librarian,
        general,
        below,
        writer,
        oracle.clone(),
        failed.clone(),
    ];
    all.extend(queued);
    for sample in &all {
        tell(driver, sample.row());
    }
    oracle.0.since = ago(57_000);
    oracle = oracle.ended(TaskStatus::Completed);
    failed.0.since = ago(30_000);
    failed.0.error = Some("the model `local/test-model` is overloaded".to_owned());
    failed = failed.ended(TaskStatus::Failed);
    tell(driver, oracle.row());
    tell(driver, failed.row());
    all[5] = oracle;
    all[6] = failed;
    let general = all[2].session();
    asks(
        driver,
        &general,
        "git checkout -- tests/fixtures/retry && rm -rf tests/fixtures/old",
    );
    all
}

fn at_work() -> (Driver, Vec<Sample>) {
    let mut driver = conversation();
    driver.app.set_wall_clock(driver.now, NOW);
    driver.size = (120, 36);
    driver.event(Event::TurnStarted);
    driver.event(Event::Todos(vec![
        serde_json::json!({"content": "inject a clock", "status": "in_progress"}),
    ]));
    let samples = tasks(&mut driver);
    driver.event(Event::TurnEnded(TurnEndReason::Stop));
    driver.app.views.front.panel.show();
    driver.hear();
    driver.press("esc");
    (driver, samples)
}

#[test]
fn the_panel_lists_tasks_at_every_size() {
    let (mut driver, _) = at_work();
    for size in [(120, 36), (200, 60)] {
        picture(&mut driver, "tasks_panel", size);
    }
    driver.size = (80, 24);
    driver.frame();
    driver.press("ctrl+x b");
    picture(&mut driver, "tasks_panel_with_the_keys", (80, 24));
    driver.hear();
    driver.press("esc");
    picture(&mut driver, "tasks_counted", (80, 24));
}

#[test]
fn who_asks_comes_first_and_what_is_queued_or_was_seen_folds() {
    let (mut driver, samples) = at_work();
    let rows = |driver: &mut Driver| {
        let text = driver.text();
        let panel = text
            .lines()
            .filter_map(|line| line.split_once('│'))
            .map(|(_, right)| right.trim().to_owned());
        panel.collect::<Vec<_>>()
    };
    let first = rows(&mut driver);
    assert!(first[1].starts_with("? general"), "{first:#?}");
    assert!(first.iter().any(|row| row == "· 3 queued …"), "{first:#?}");
    assert!(
        first
            .iter()
            .any(|row| row.starts_with("✓ oracle") && row.ends_with('•')),
        "{first:#?}"
    );
    let now = driver.now;
    driver.app.enter_task(&samples[5].session(), now);
    driver.app.enter_task(&samples[6].session(), now);
    let slot = driver.app.views.front.tree;
    driver.app.show(slot, now);
    driver.hear();
    driver.press("esc");
    let seen = rows(&mut driver);
    assert!(seen.iter().any(|row| row == "✓ 2 ended …"), "{seen:#?}");
}

#[test]
fn a_task_names_its_model_where_that_is_another_one_than_the_root_s() {
    let (mut driver, samples) = at_work();
    assert!(!driver.text().contains("small-model"), "{}", driver.text());
    let mut explore = samples[0].0.clone();
    explore.model.model = "small-model".to_owned();
    tell(&mut driver, Arc::new(explore));
    assert!(driver.text().contains("· small-model"), "{}", driver.text());
}

#[test]
fn enter_goes_into_a_task_and_x_asks_before_it_stops_one() {
    let (mut driver, samples) = at_work();
    driver.frame();
    driver.press("ctrl+x b");
    assert!(driver.hints().contains("x stop"), "{}", driver.hints());
    driver.press("x");
    let text = driver.text();
    assert!(text.contains("Stop general \"restore the fixtures\""), "{text}");
    driver.press("q");
    assert!(driver.text().contains("┃ q"), "{}", driver.text());
    assert_eq!(driver.sent().len(), 0);
    driver.press("ctrl+c ctrl+x b j x y");
    let ops = driver.sent();
    let stopped = ops.iter().filter_map(|op| match op {
        Op::Task(TaskOp::Cancel(task)) => Some(task.clone()),
        _ => None,
    });
    assert_eq!(stopped.collect::<Vec<_>>(), [samples[0].0.task.clone()]);
    driver.press("enter");
    assert_eq!(driver.app.views.front.task, Some(samples[0].session()));
}

#[test]
fn a_clock_ticks_once_a_second_and_only_where_it_is_seen() {
    let (mut driver, samples) = at_work();
    driver.frame();
    let second = |driver: &mut Driver| {
        let changes = (0..10).map(|_| driver.wait(100));
        changes.filter(|change| *change != RedrawUrgency::None).count()
    };
    assert_eq!(second(&mut driver), 1);
    let row = samples[0]
        .clone()
        .doing(TaskActivity::Working, "Read src/retry.rs")
        .row();
    assert_eq!(tell(&mut driver, Arc::clone(&row)), RedrawUrgency::Soft);
    // What waits for an answer is counted in its card as well.
    let question = driver
        .app
        .tree()
        .questions
        .of(&samples[2].session())
        .next()
        .cloned()
        .unwrap();
    driver.event(Event::Settled(SettledQuestion {
        id: question.id,
        call: question.call.clone(),
        permission: None,
    }));
    driver.press("ctrl+x b ctrl+x b");
    driver.frame();
    assert!(!driver.text().contains("Tasks  "), "{}", driver.text());
    assert_eq!(second(&mut driver), 0);
    assert_eq!(tell(&mut driver, row), RedrawUrgency::None);
}

#[test]
fn quitting_asks_while_tasks_are_at_work() {
    let (mut driver, _) = at_work();
    driver.press("ctrl+c ctrl+c");
    assert!(
        driver.text().contains(" 8 tasks are running."),
        "{}",
        driver.text()
    );
    driver.press("n");
    assert!(!driver.effects.iter().any(|effect| matches!(effect, Effect::Quit)));
}

/// Inside a task that works, which was told something.
fn inside() -> (Driver, Vec<Sample>) {
    let (mut driver, samples) = at_work();
    let now = driver.now;
    let sample = &samples[0];
    driver.app.enter_task(&sample.session(), now);
    driver.collect();
    let slot = driver.app.views.front.slot;
    tasks::opened(&mut driver, slot, &sample.row());
    let session = sample.session();
    for event in [
        Event::MessageStarted(message(Role::Assistant, "Two files call it.")),
        Event::Queue(vec![queued(1, "look at the tests as well", QueuedKind::Steer)]),
    ] {
        tasks::says(&mut driver, slot, &session, event);
    }
    (driver, samples)
}

#[test]
fn inside_a_task_at_every_size() {
    let (mut driver, _) = inside();
    for size in [(80, 24), (120, 36), (200, 60)] {
        picture(&mut driver, "task_inside", size);
    }
}

#[test]
fn a_question_of_a_task_in_its_parent_says_who_asks() {
    let mut driver = conversation();
    let now = driver.now;
    driver.app.set_wall_clock(now, NOW);
    driver.event(Event::TurnStarted);
    let sample = task(&driver.session, "who calls backoff()")
        .running()
        .at(ago(9_000));
    tell(&mut driver, sample.row());
    let mut question = bash("cargo test -p retry", &["cargo test *"]);
    question.session = sample.session();
    question.agent = "explore".to_owned();
    question.about.delegated = Some(DelegatedTask {
        by: vec!["build".to_owned()],
        task: "who calls backoff()".to_owned(),
    });
    let question = question.shared();
    let session = sample.session();
    tasks::says(&mut driver, SlotId::FIRST, &session, Event::Asked(question));
    driver.hear();
    for size in [(80, 24), (120, 36), (200, 60)] {
        picture(&mut driver, "task_question", size);
    }
}

fn page() -> (Driver, Vec<Sample>) {
    let (mut driver, samples) = at_work();
    driver.type_text("/tasks");
    driver.press("esc");
    driver.hear();
    driver.press("enter");
    driver.frame();
    (driver, samples)
}

#[test]
fn the_page_of_tasks_at_every_size() {
    let (mut driver, _) = page();
    driver.press("j j");
    for size in [(80, 24), (120, 36), (200, 60), (40, 12)] {
        picture(&mut driver, "tasks_page", size);
    }
}

#[test]
fn the_page_of_tasks_goes_into_stops_and_resumes() {
    let (mut driver, samples) = page();
    driver.press("x");
    assert!(
        driver.text().contains("Stop explore \"who calls backoff()\""),
        "{}",
        driver.text()
    );
    driver.press("n X");
    assert!(driver.text().contains("Stop all 8 tasks?"), "{}", driver.text());
    driver.press("y");
    assert!(
        driver
            .sent()
            .iter()
            .any(|op| matches!(op, Op::Task(TaskOp::CancelAll)))
    );
    driver.press("j j j j j j x");
    assert!(driver.hints().contains("has ended already"), "{}", driver.hints());
    driver.press("r");
    assert_eq!(driver.app.views.front.task, Some(samples[6].session()));
    assert_eq!(driver.app.views.front.composer.text(), "Go on where you stopped.");
}

#[test]
fn a_page_without_tasks_says_so() {
    let mut driver = conversation();
    driver.type_text("/tasks");
    driver.press("esc");
    driver.hear();
    driver.press("enter");
    assert!(driver.text().contains("No tasks yet"), "{}", driver.text());
    driver.press("enter x r");
    assert_eq!(driver.app.views.front.task, None);
}

#[test]
fn inside_a_task_the_leader_leads_to_its_parent_and_siblings() {
    let (mut driver, _) = inside();
    driver.press("ctrl+x");
    driver.wait(400);
    picture(&mut driver, "task_leader", (80, 24));
}
