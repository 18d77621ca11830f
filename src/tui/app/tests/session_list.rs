//! The list of sessions, fed as the store would feed it.

use std::time::Duration;

use super::*;
use crate::session::host::{FoundText, HostAnswer, HostQuery, ListedSession, SessionMarks, SessionRow};
use crate::tui::sessions::SessionTarget;

fn listed(id: &str, title: &str, project: &str, minutes: u64) -> ListedSession {
    ListedSession {
        row: SessionRow {
            id: id.parse().unwrap(),
            title: title.to_owned(),
            project: project.into(),
            directory: project.into(),
            agent: "build".to_owned(),
            model: Some("local/test-model".parse().unwrap()),
            parent: None,
            created: 0,
            // Noon, so that it is the same day almost everywhere.
            updated: NOON - i64::try_from(minutes).unwrap() * 60_000,
            messages: minutes % 40 + 1,
            cost: (minutes > 100).then_some(0.42),
            usage: Usage::default(),
            marks: SessionMarks::default(),
        },
        idle: Duration::from_secs(minutes * 60),
        held: None,
        removed_in: None,
    }
}

/// 2026-11-21 12:00 UTC.
const NOON: i64 = 1_795_262_400_000;
const HERE: &str = "/home/u/src/retry";

fn some() -> Vec<ListedSession> {
    let mut held = listed("ses_held", "look at the clock", HERE, 200);
    held.held = Some("process 812".to_owned());
    vec![
        listed("ses_a", "inject a clock", HERE, 3),
        listed("ses_other", "write the release notes", "/home/u/src/site", 70),
        held,
        listed("ses_old", "why is \x1b[2Jit slow", HERE, 30_000),
    ]
}

/// With the list open, as the store knows these.
fn with(sessions: Vec<ListedSession>) -> Driver {
    let mut driver = Driver::open();
    fill(&mut driver, sessions);
    driver
}

/// Opens the list, as the store knows these.
fn fill(driver: &mut Driver, sessions: Vec<ListedSession>) {
    driver.press("ctrl+x s");
    assert_eq!(asked(driver).first(), Some(&HostQuery::List));
    let project = HERE.into();
    let sessions = Ok(sessions);
    tell(driver, HostAnswer::Listed { project, sessions });
}

fn tell(driver: &mut Driver, report: HostAnswer) {
    driver.app.answered_by_host(report, driver.now);
    driver.collect();
}

fn asked(driver: &mut Driver) -> Vec<HostQuery> {
    let effects = std::mem::take(&mut driver.effects);
    let requests = effects.into_iter().filter_map(|effect| match effect {
        Effect::AskHost(request) => Some(request),
        _ => None,
    });
    requests.collect()
}

fn id(id: &str) -> SessionId {
    id.parse().unwrap()
}

fn look(session: &str, searched: &str) -> HostQuery {
    HostQuery::Look {
        session: id(session),
        searched: searched.to_owned(),
    }
}

fn looked(driver: &mut Driver, session: &str) {
    let say = |role, text: &str| FoundText {
        role,
        text: text.to_owned(),
    };
    let words = vec![
        say(Role::User, "make the retry test deterministic\x1b[2J"),
        say(
            Role::Assistant,
            "The test sleeps on the wall clock. I will inject a clock and pause time in the test.\n\nDone.",
        ),
    ];
    let report = HostAnswer::Looked {
        session: id(session),
        searched: String::new(),
        words: Ok(words),
    };
    tell(driver, report);
}

#[test]
fn this_projects_sessions_are_listed_and_a_key_shows_all() {
    let mut driver = with(some());
    assert_eq!(asked(&mut driver), [look("ses_a", "")]);
    let text = driver.text();
    assert!(text.contains(" Sessions of this project · 3"), "{text}");
    assert!(!text.contains("release notes"), "{text}");
    driver.press("tab");
    let text = driver.text();
    assert!(text.contains(" Sessions of all projects · 4"), "{text}");
    let place = |what: &str| text.find(what).unwrap();
    assert!(
        place("it slow") < place("release notes"),
        "this project's come first: {text}"
    );
    driver.press("tab");
    assert!(!driver.text().contains("release notes"));
}

#[test]
fn a_long_title_is_cut_and_how_its_session_stands_is_said() {
    for size in [(80, 24), (120, 36), (60, 20)] {
        let long = "a title that goes on and on until there is no room for anything beside it in the list";
        let mut held = listed("ses_held", long, HERE, 200);
        held.held = Some("process 812".to_owned());
        let free = listed("ses_free", "short", HERE, 3);
        let mut driver = Driver::open();
        driver.size = size;
        fill(&mut driver, vec![free, held]);
        let text = driver.text();
        let row = text.lines().find(|line| line.contains("a title that"));
        let row = row.unwrap_or_else(|| panic!("{text}"));
        assert!(row.contains("…  open elsewhere  "), "{text}");
    }
}

#[test]
fn enter_goes_to_a_session_and_what_is_open_is_not_opened_again() {
    let mut driver = with(some());
    driver.press("enter");
    assert!(driver.effects.iter().any(
        |effect| matches!(effect, Effect::OpenSession(_, SessionTarget::Session(session)) if *session == id("ses_a"))
    ));
    let row = driver.text().lines().next().unwrap().to_owned();
    assert!(row.starts_with(" lathe · inject a clock"), "{row}");
    asked(&mut driver);
    driver.press("ctrl+x s enter");
    assert!(
        !driver
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::OpenSession(..))),
        "it is on screen already"
    );
}

#[test]
fn the_end_of_the_selected_session_is_looked_up_one_at_a_time() {
    let mut driver = with(some());
    asked(&mut driver);
    driver.press("down down");
    assert!(asked(&mut driver).is_empty(), "one is under way");
    looked(&mut driver, "ses_a");
    assert_eq!(
        asked(&mut driver),
        [look("ses_old", "")],
        "the last that was wanted"
    );
    looked(&mut driver, "ses_old");
    let text = driver.text();
    assert!(
        text.contains("┃ make the retry test deterministic") && text.contains("Done."),
        "{text}"
    );
    assert!(!text.contains('\x1b'));
}

#[test]
fn what_was_said_is_searched_as_well_and_comes_after_titles() {
    let mut driver = with(some());
    asked(&mut driver);
    driver.type_text("clock");
    let searches: Vec<HostQuery> = asked(&mut driver);
    assert_eq!(searches, [HostQuery::Search("c".to_owned())], "one is under way");
    let found = |searched: &str| HostAnswer::Found {
        searched: searched.to_owned(),
        sessions: Ok(vec![(id("ses_old"), "…sleeps on the wall clock".to_owned())]),
    };
    tell(&mut driver, found("c"));
    assert!(
        !driver.text().contains("wall clock"),
        "what was found for another text is too late"
    );
    assert_eq!(asked(&mut driver), [HostQuery::Search("clock".to_owned())]);
    tell(&mut driver, found("clock"));
    let text = driver.text();
    assert!(text.contains(" · 3 of 3"), "{text}");
    let rows: Vec<&str> = text.lines().filter(|line| line.contains(" msg ")).collect();
    assert!(
        rows[2].contains("it slow") && rows[2].contains("…sleeps on the wall clock"),
        "{text}"
    );
    driver.type_text("z");
    assert!(!driver.text().contains("wall clock"));
}

#[test]
fn a_session_is_renamed_in_the_store_or_where_it_is_open() {
    let mut driver = with(some());
    asked(&mut driver);
    driver.press("ctrl+r");
    assert!(driver.text().contains(" New name"), "{}", driver.text());
    driver.type_text("!");
    driver.press("enter");
    assert_eq!(
        asked(&mut driver),
        [HostQuery::Rename(id("ses_a"), "inject a clock!".to_owned())]
    );
    tell(
        &mut driver,
        HostAnswer::Renamed {
            session: id("ses_a"),
            title: Ok("inject a clock!".to_owned()),
        },
    );
    assert!(driver.text().contains("inject a clock!"), "{}", driver.text());
    driver.press("ctrl+r esc");
    assert!(
        driver.text().contains("Sessions of this project"),
        "one rung a press"
    );
    driver.press("down ctrl+r");
    assert!(
        driver.hints().contains("it is open in process 812"),
        "{}",
        driver.hints()
    );
    let mut driver = Driver::open();
    let mut sessions = some();
    sessions[0].row.id = driver.session.clone();
    fill(&mut driver, sessions);
    driver.press("ctrl+r");
    driver.type_text("x");
    driver.press("enter");
    assert!(
        driver
            .sent()
            .iter()
            .any(|op| matches!(op, Op::Rename(title) if title == "inject a clockx"))
    );
}

#[test]
fn deleting_asks_once_more_and_refuses_what_is_open_or_at_work() {
    let mut driver = with(some());
    asked(&mut driver);
    driver.press("ctrl+d");
    assert!(
        driver.hints().contains("ctrl+d again deletes it for good"),
        "{}",
        driver.hints()
    );
    driver.press("down ctrl+d");
    assert!(
        driver
            .hints()
            .contains("it is open in process 812: close it there first"),
        "{}",
        driver.hints()
    );
    driver.press("up ctrl+d ctrl+d");
    let deleted: Vec<HostQuery> = asked(&mut driver);
    assert!(deleted.contains(&HostQuery::Delete(id("ses_a"))), "{deleted:?}");
    tell(
        &mut driver,
        HostAnswer::Deleted {
            session: id("ses_a"),
            done: Ok(()),
        },
    );
    let text = driver.text();
    assert!(
        !text.contains("inject a clock") && text.contains(" · 2"),
        "{text}"
    );
    let mut driver = Driver::open();
    let mut sessions = some();
    sessions[0].row.id = driver.session.clone();
    fill(&mut driver, sessions);
    driver.press("ctrl+d");
    assert!(driver.hints().contains("it is on screen"), "{}", driver.hints());
}

#[test]
fn an_empty_store_and_one_that_cannot_be_read_are_told() {
    let mut driver = with(Vec::new());
    assert!(
        driver
            .text()
            .contains("No session of this project is stored yet."),
        "{}",
        driver.text()
    );
    driver.press("enter ctrl+r ctrl+d");
    let mut driver = Driver::open();
    driver.press("ctrl+x s");
    assert!(driver.text().contains("Loading."), "{}", driver.text());
    let error = ErrorReport {
        kind: ReportKind::Storage,
        message: "the database is locked".to_owned(),
        hint: None,
    };
    let report = HostAnswer::Listed {
        project: HERE.into(),
        sessions: Err(error),
    };
    tell(&mut driver, report);
    assert!(
        driver.hints().contains("the database is locked"),
        "{}",
        driver.hints()
    );
}

#[test]
fn five_thousand_sessions_are_filtered_while_they_are_typed() {
    let sessions = (0..5000).map(|n| listed(&format!("ses_{n}"), &format!("session number {n}"), HERE, n));
    let mut driver = with(sessions.collect());
    driver.type_text("number 4321");
    assert!(!driver.app.is_layer_working(), "one step was enough");
    assert!(driver.text().contains("session number 4321"), "{}", driver.text());
    driver.press("enter");
    assert!(driver.effects.iter().any(
        |effect| matches!(effect, Effect::OpenSession(_, SessionTarget::Session(session)) if *session == id("ses_4321"))
    ));
}

#[test]
fn pictures_of_what_is_done_with_a_session() {
    for size in [(80, 24), (120, 36), (40, 12)] {
        let mut driver = Driver::open();
        driver.press("ctrl+x s");
        pictures::picture(&mut driver, "sessions_looking", size);
        let mut driver = with(some());
        looked(&mut driver, "ses_a");
        driver.press("ctrl+d");
        pictures::picture(&mut driver, "sessions_delete", size);
        driver.press("ctrl+r");
        driver.type_text(" that can stand still");
        pictures::picture(&mut driver, "sessions_rename", size);
        let mut driver = with(some());
        asked(&mut driver);
        driver.type_text("clock");
        let found = vec![(id("ses_old"), "…sleeps on the wall clock".to_owned())];
        for searched in ["c", "clock"] {
            let sessions = Ok(found.clone());
            let searched = searched.to_owned();
            tell(&mut driver, HostAnswer::Found { searched, sessions });
        }
        pictures::picture(&mut driver, "sessions_found", size);
        pictures::picture(&mut with(Vec::new()), "sessions_none", size);
    }
}

#[test]
fn pictures_of_the_list_of_sessions() {
    for size in [(80, 24), (120, 36), (40, 12)] {
        let mut driver = Driver::open();
        driver.event(Event::TurnStarted);
        let mut sessions = some();
        sessions[0].row.id = driver.session.clone();
        driver
            .app
            .go_to_session(&id("ses_old"), "why is it slow", driver.now);
        driver.press("ctrl+x s");
        let report = HostAnswer::Listed {
            project: HERE.into(),
            sessions: Ok(sessions),
        };
        tell(&mut driver, report);
        driver.press("tab");
        looked(&mut driver, "ses_old");
        pictures::picture(&mut driver, "sessions", size);
    }
}

#[test]
fn a_session_is_found_by_its_day_its_date_and_its_age() {
    let day = 24 * 60;
    let sessions = vec![
        listed("ses_a", "first", HERE, 0),
        listed("ses_b", "second", HERE, day),
        listed("ses_c", "third", HERE, 9 * day),
    ];
    let mut driver = with(sessions);
    for (words, title) in [
        ("today", "first"),
        ("yesterday", "second"),
        ("2026-11-12", "third"),
        ("9d", "third"),
    ] {
        driver.type_text(words);
        let text = driver.text();
        assert!(
            text.contains("· 1 of 3") && text.contains(&format!("❯   {title}")),
            "{words}\n{text}"
        );
        driver.press("esc");
        driver.wait(400);
    }
}
