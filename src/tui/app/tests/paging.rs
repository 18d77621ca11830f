//! Pages over the screen.

use super::pictures::{conversation, picture, pictures};
use super::*;
use crate::hook::{HookEffect, HookEvent, HookExit, HookRun};
use crate::permission::PermissionKey;
use crate::session::export::ExportFormat;
use crate::session::query::Spending;
use crate::session::query::{
    Answer, CacheMiss, ChangeScope, ChangedFile, Changes, ContextGroup, ContextItem, ContextSource,
    ContextUse, Costs, ExportOutcome, ExportRequest, FileState, MissCause, StatusGroup,
};
use crate::session::{Grant, GrantOrigin, GrantScope};
use crate::tui::page::PAGES;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 36), (40, 12)];

#[test]
fn esc_q_and_its_own_key_close_a_page() {
    for close in ["esc", "q", "?", "ctrl+c", "ctrl+x ?"] {
        let mut driver = conversation();
        driver.press("?");
        assert_eq!(driver.app.state().focus, "help");
        driver.press(close);
        assert_eq!(driver.app.state().focus, "composer", "{close}");
        assert!(driver.sent().is_empty(), "{close}");
    }
}

#[test]
fn a_page_opens_over_another_and_esc_goes_back_to_it() {
    let mut driver = conversation();
    driver.press("ctrl+x h");
    assert!(driver.text().contains("No hook has run yet."));
    driver.press("?");
    assert!(driver.text().contains(" Keys"));
    driver.press("esc");
    assert!(driver.text().contains("No hook has run yet."));
    driver.wait(400);
    driver.press("esc");
    assert!(driver.text().contains("deterministic"));
}

#[test]
fn a_page_scrolls_to_its_ends() {
    let mut driver = conversation();
    driver.press("?");
    let top = driver.text();
    assert!(top.contains("1-20 of "), "{top}");
    driver.press("j k pgdn");
    let below = driver.text();
    assert!(below.contains("20-39 of "), "{below}");
    driver.press("G");
    assert!(
        driver.text().contains("Session open elsewhere"),
        "{}",
        driver.text()
    );
    driver.press("g");
    assert_eq!(driver.text(), top);
}

#[test]
fn a_page_is_searched() {
    let mut driver = conversation();
    driver.press("?");
    driver.press("/");
    driver.type_text("put back");
    let text = driver.text();
    assert!(
        text.contains("put back the deleted text") && text.contains("1 of 1"),
        "{text}"
    );
    assert_eq!(driver.app.views.front.composer.text(), "");
    driver.press("enter /");
    driver.type_text("previous hunk");
    assert!(driver.hints().contains("1 of 5"), "{}", driver.hints());
    driver.press("enter n");
    assert!(driver.hints().contains("2 of 5"), "{}", driver.hints());
    driver.press("n n n n");
    assert!(driver.hints().contains("1 of 5"), "{}", driver.hints());
    driver.press("esc");
    assert!(driver.hints().contains("esc closes"), "{}", driver.hints());
    driver.wait(400);
    driver.press("/");
    driver.type_text("nowhere at all");
    assert!(driver.hints().contains("not found"), "{}", driver.hints());
    driver.press("esc");
    driver.wait(400);
    driver.press("esc");
    assert!(driver.text().contains("deterministic"));
}

#[test]
fn the_palette_opens_over_a_page() {
    let mut driver = conversation();
    driver.press("? ctrl+p");
    driver.type_text("hooks that ran");
    driver.press("enter");
    assert!(driver.text().contains("No hook has run yet."));
    driver.press("q");
    assert!(driver.text().contains(" Keys"));
}

#[test]
fn a_question_below_a_page_waits_and_takes_no_key_of_it() {
    let mut driver = conversation();
    driver.press("?");
    driver.ask(inquiry(
        "bash",
        "bash wants to run",
        vec![Ask::new(PermissionKey::BASH, Subject::new("ls"))],
        bash_card("ls"),
    ));
    assert!(driver.hints().contains("a question waits"), "{}", driver.hints());
    driver.wait(400);
    driver.press("q y");
    assert!(driver.replies().is_empty(), "it was not seen before");
    assert!(driver.text().contains("┃ y"), "{}", driver.text());
    driver.press("ctrl+c");
    driver.hear();
    driver.press("y");
    assert_eq!(driver.replies().len(), 1);
}

fn answer(driver: &mut Driver, query: &Query, answer: &Answer) {
    driver
        .app
        .answered(driver.app.views.front.slot, query, answer, driver.now);
    driver.collect();
}

/// Takes the queries of pages since the last time.
fn asked(driver: &mut Driver) -> Vec<Query> {
    let effects = std::mem::take(&mut driver.effects);
    let queries = effects.into_iter().filter_map(|effect| match effect {
        Effect::Ask(_, query) => Some(query),
        _ => None,
    });
    queries.collect()
}

pub(super) fn open(driver: &mut Driver, name: &str) {
    let page = PAGES.iter().find(|page| page.action == name).unwrap();
    driver.app.open_page(page, driver.now);
    driver.collect();
}

fn group(source: ContextSource, items: &[(&str, usize, u64)]) -> ContextGroup {
    let item = |(name, count, tokens): &(&str, usize, u64)| ContextItem {
        name: (*name).to_owned(),
        count: *count,
        tokens: *tokens,
    };
    ContextGroup {
        source,
        items: items.iter().map(item).collect(),
    }
}

fn context() -> ContextUse {
    ContextUse {
        groups: vec![
            group(
                ContextSource::System,
                &[
                    ("AGENTS.md", 1, 2_410),
                    ("instructions to every agent", 1, 1_120),
                    ("agent build", 1, 310),
                    ("how to use tools", 1, 260),
                    ("environment", 1, 44),
                ],
            ),
            group(ContextSource::Schemas, &[("bash", 1, 890), ("edit", 1, 610)]),
            group(ContextSource::User, &[("messages", 4, 800)]),
            group(ContextSource::Answers, &[("answers", 9, 4_100)]),
            group(ContextSource::Calls, &[("bash", 12, 1_400), ("read", 20, 900)]),
            group(
                ContextSource::Results,
                &[("read", 20, 31_000), ("bash\u{1b}[2J", 12, 9_000)],
            ),
        ],
        reported: Some(61_200),
        limit: Some(200_000),
        maskable: 21_000,
        compactable: 34_500,
        misses: [
            (MissCause::Joined("list".to_owned()), 12_000, Some(0.045)),
            (MissCause::Model, 41_000, None),
            (MissCause::Model, 52_000, None),
        ]
        .map(|(cause, tokens, cost)| CacheMiss { cause, tokens, cost })
        .to_vec(),
    }
}

#[test]
fn the_context_page() {
    let mut driver = conversation();
    open(&mut driver, "context");
    assert_eq!(asked(&mut driver), [Query::Context]);
    assert!(driver.text().contains("Loading."));
    answer(&mut driver, &Query::Context, &Answer::Context(context()));
    for size in SIZES {
        picture(&mut driver, "context", size);
    }
    driver.press("o");
    pictures(&mut driver, "context_unfolded");
}

fn spending(model: &str, agent: &str, requests: u64, cost: f64, unpriced: u64) -> Spending {
    Spending {
        model: model.to_owned(),
        agent: agent.to_owned(),
        requests,
        usage: Usage {
            input: 12_345 * requests,
            output: 850 * requests,
            reasoning: 0,
            cache_read: 250_000 * requests,
            cache_write: 3_000,
        },
        cost,
        unpriced,
    }
}

#[test]
fn the_cost_page() {
    let mut driver = conversation();
    open(&mut driver, "costs");
    let own = vec![
        spending("anthropic/claude-sonnet", "build", 12, 0.4213, 0),
        spending("local/test-model", "explore", 3, 0.0, 3),
    ];
    let costs = Costs {
        turn: Some(vec![spending("anthropic/claude-sonnet", "build", 2, 0.06, 0)]),
        project_today: own.clone(),
        today: vec![spending("anthropic/claude-sonnet", "build", 40, 3.2, 0)],
        session: own,
        earlier: Usage::default(),
    };
    answer(&mut driver, &Query::Costs, &Answer::Costs(costs));
    for size in SIZES {
        picture(&mut driver, "cost", size);
    }
    let failed = Answer::Failed("The cost could not be read: the disk is full.".to_owned());
    answer(&mut driver, &Query::Costs, &failed);
    assert!(driver.text().contains("could not be read"));
}

#[test]
fn the_status_page() {
    let mut driver = conversation();
    open(&mut driver, "status");
    let groups = vec![
        StatusGroup::new(
            "Session",
            vec![
                ("id", "ses_1".to_owned()),
                ("directory", "/home/u/src/retry".to_owned()),
                ("mode", "ask".to_owned()),
                ("sandbox", "off".to_owned()),
            ],
        ),
        StatusGroup::new(
            "Model",
            vec![
                ("model", "local/test-model".to_owned()),
                ("address", "http://127.0.0.1:8080/v1".to_owned()),
            ],
        ),
        StatusGroup::new(
            "Process",
            vec![("memory", "48.2 MB (at most 51.0 MB)".to_owned())],
        ),
    ];
    answer(&mut driver, &Query::Status, &Answer::Status(groups));
    for size in SIZES {
        picture(&mut driver, "status", size);
    }
}

#[test]
fn the_status_page_says_whether_shift_and_enter_can_be_told_apart() {
    let mut driver = conversation();
    open(&mut driver, "status");
    driver.size = (80, 40);
    let keys = |driver: &mut Driver| {
        let text = driver.text();
        let row = text.lines().find(|line| line.starts_with("   keys "));
        row.unwrap_or_else(|| panic!("{text}")).trim()["keys".len()..]
            .trim()
            .to_owned()
    };
    assert_eq!(keys(&mut driver), "shift+enter may arrive as enter");
    driver.press("shift+enter");
    assert_eq!(
        keys(&mut driver),
        "shift+enter and similar keys work; one was received"
    );
}

#[track_caller]
fn asked_to_keep(driver: &mut Driver) -> ExportRequest {
    match asked(driver).as_slice() {
        [Query::Keep(keep)] => keep.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_export_page() {
    let mut driver = conversation();
    open(&mut driver, "export");
    for size in SIZES {
        picture(&mut driver, "export", size);
    }
    driver.size = (80, 24);
    driver.press("enter");
    let keep = asked_to_keep(&mut driver);
    assert_eq!(
        (keep.path.as_str(), keep.replace),
        ("lathe-fix-the-flaky-retry-test.md", false)
    );
    let there = Answer::Kept(ExportOutcome::Exists("/home/u/x.md".into()));
    answer(&mut driver, &Query::Keep(keep), &there);
    pictures(&mut driver, "export_exists");
    driver.size = (80, 24);
    driver.press("enter");
    let keep = asked_to_keep(&mut driver);
    assert!(keep.replace, "it was asked");
    let written = Answer::Kept(ExportOutcome::Written {
        path: "/home/u/src/retry/x.md".into(),
        bytes: 12_345,
    });
    answer(&mut driver, &Query::Keep(keep), &written);
    let text = driver.text();
    assert!(
        text.contains("The session was exported to `~/src/retry/x.md`, 12.3 kB."),
        "{text}"
    );
    assert_eq!(driver.app.state().focus, "composer");
}

#[test]
fn the_session_is_exported_to_the_clipboard_or_the_editor() {
    let mut driver = conversation();
    open(&mut driver, "export");
    driver.press("tab down enter");
    let query = Query::Export(ExportFormat::Json);
    assert_eq!(asked(&mut driver), std::slice::from_ref(&query));
    answer(&mut driver, &query, &Answer::Export("{}".to_owned()));
    let copied = |effect: &Effect| matches!(effect, Effect::Copy { text, .. } if text == "{}");
    assert!(driver.effects.iter().any(copied));
    open(&mut driver, "export");
    driver.press("up enter");
    let query = Query::Export(ExportFormat::Markdown);
    answer(&mut driver, &query, &Answer::Export("# It".to_owned()));
    let viewed = |effect: &Effect| matches!(effect, Effect::View(text) if text == "# It");
    assert!(driver.effects.iter().any(viewed));
}

#[test]
fn a_page_that_was_opened_before_the_session_asks_when_it_is_there() {
    let mut driver = Driver::closed();
    open(&mut driver, "status");
    assert!(asked(&mut driver).is_empty());
    driver.attach(&driver.snapshot());
    assert_eq!(asked(&mut driver), [Query::Status]);
}

fn changes() -> Changes {
    let old = "use std::time::Duration;\n\nfn wait(delay: Duration) {\n    std::thread::sleep(delay);\n}\n";
    let new = old.replace(
        "    std::thread::sleep(delay);",
        "    clock().sleep(delay);\n    tick();",
    );
    let file = |path: &str, state, diff: crate::text::diff::UnifiedDiff| ChangedFile {
        path: path.to_owned(),
        real: format!("/home/u/src/retry/{path}").into(),
        state,
        additions: diff.additions,
        deletions: diff.deletions,
        diff: diff.text,
        note: None,
        reverts: true,
    };
    let changed = crate::text::diff::unified("src/retry.rs", old, &new);
    let added = crate::text::diff::unified_renamed(None, Some("src/clock.rs"), "", "pub fn clock() {}\n");
    Changes {
        scope: ChangeScope::Session,
        files: vec![
            file("src/clock.rs", FileState::Added, added),
            file("src/retry.rs", FileState::Changed, changed),
        ],
        note: Some("Changes by commands are not recorded; see the work tree.".to_owned()),
    }
}

#[test]
fn the_diff_page() {
    let mut driver = conversation();
    driver.press("ctrl+x d");
    let query = Query::Changes(ChangeScope::Session);
    assert_eq!(asked(&mut driver), std::slice::from_ref(&query));
    answer(&mut driver, &query, &Answer::Changes(changes()));
    for size in SIZES {
        picture(&mut driver, "diff", size);
    }
    let text = driver.text();
    let remark = text.lines().find(|line| line.contains("Changes by commands"));
    assert!(remark.is_some_and(|line| line.ends_with('…')), "{text}");
    driver.press("] ] j j j j m");
    driver.type_text("why not sleep_until?");
    for size in SIZES {
        picture(&mut driver, "diff_comment", size);
    }
    driver.press("enter x");
    for size in SIZES {
        picture(&mut driver, "diff_revert", size);
    }
    driver.size = (80, 24);
    driver.type_text("q");
    let draft = driver.app.views.front.composer.text();
    assert!(
        draft.starts_with("> src/retry.rs:4\n> ") && draft.trim_end().ends_with("why not sleep_until?"),
        "{draft}"
    );
    assert!(driver.sent().is_empty(), "nothing is sent");
}

#[test]
fn with_much_room_the_files_stand_beside_their_diffs_on_two_sides() {
    let mut driver = conversation();
    driver.press("ctrl+x d");
    let query = Query::Changes(ChangeScope::Session);
    asked(&mut driver);
    answer(&mut driver, &query, &Answer::Changes(changes()));
    driver.size = (139, 30);
    let row_of = |driver: &mut Driver, words: &str| {
        let text = driver.text();
        let row = text.lines().position(|line| line.contains(words));
        row.unwrap_or_else(|| panic!("{words}: {text}"))
    };
    let removed = row_of(&mut driver, "std::thread::sleep(delay);");
    assert!(row_of(&mut driver, "clock().sleep(delay);") > removed, "unified");
    driver.size = (140, 30);
    let both = row_of(&mut driver, "std::thread::sleep(delay);");
    assert_eq!(row_of(&mut driver, "clock().sleep(delay);"), both);
    let text = driver.text();
    let listed = text.lines().find(|line| line.contains("❯ src/clock.rs")).unwrap();
    assert!(listed.contains('│'), "{text}");
    driver.press("j enter");
    let text = driver.text();
    assert_eq!(
        text.matches("src/retry.rs").count(),
        2,
        "the list and the diff: {text}"
    );
    driver.press("] j j j");
    let (file, line) = {
        driver.press("m");
        driver.type_text("why?");
        driver.press("enter q");
        let draft = driver.app.views.front.composer.text();
        let head = draft.lines().next().unwrap().to_owned();
        let (file, line) = head.trim_start_matches("> ").rsplit_once(':').unwrap();
        (file.to_owned(), line.to_owned())
    };
    assert_eq!((file.as_str(), line.as_str()), ("src/retry.rs", "4"));
}

#[test]
fn a_diff_without_changes_says_so() {
    let mut driver = conversation();
    driver.press("ctrl+x d tab tab");
    let query = Query::Changes(ChangeScope::WorkTree);
    let sentence = "This is not a git repository, so only the session and the turn can be compared.";
    answer(&mut driver, &query, &Answer::Failed(sentence.to_owned()));
    for size in SIZES {
        picture(&mut driver, "diff_no_repository", size);
    }
}

#[test]
fn the_hooks() {
    let mut driver = conversation();
    driver.press("ctrl+x h");
    pictures(&mut driver, "hooks");
    let run = |event, tool: Option<&str>, command: &str, effect, output: &str| HookRun {
        event,
        command: command.to_owned(),
        source: "~/.config/lathe/lathe.jsonc".to_owned(),
        tool: tool.map(str::to_owned),
        started: 1_763_900_000_000,
        took: Duration::from_millis(120),
        exit: HookExit::Code(if effect == HookEffect::Denied { 2 } else { 0 }),
        effect,
        output: output.to_owned(),
        messages: Vec::new(),
    };
    let start = run(
        HookEvent::SessionStart,
        None,
        "./announce.sh",
        HookEffect::Nothing,
        "",
    );
    let check = "./scripts/check.sh --no-force-push --no-secrets --strict";
    let said = "a push with --force is not for machines to do: a person has to look first";
    let denied = run(
        HookEvent::PreToolUse,
        Some("bash"),
        check,
        HookEffect::Denied,
        said,
    );
    driver.event(Event::Hook(Arc::new(start)));
    driver.event(Event::Hook(Arc::new(denied)));
    pictures(&mut driver, "hooks_ran");
}

#[test]
fn the_list_of_what_is_allowed_for_good() {
    let mut driver = conversation();
    driver.press("ctrl+x P");
    pictures(&mut driver, "rules_looking");
    driver.event(Event::Grants(Arc::new(Vec::new())));
    pictures(&mut driver, "rules_none");
    let own = GrantScope::Session(driver.session.clone());
    let rules = [
        ("bash", "cargo test *", GrantScope::Global),
        ("edit", "*", GrantScope::Project("/home/u/src/retry".into())),
        (
            "external_directory",
            "/home/u/src/house/crates/the-long-one/*",
            own,
        ),
    ];
    let rule = |(id, (key, pattern, scope)): (i64, (&str, &str, GrantScope))| Grant {
        id,
        key: PermissionKey::named(key),
        pattern: pattern.to_owned(),
        scope,
        origin: GrantOrigin {
            session: None,
            title: Some("fix the flaky retry test".to_owned()),
        },
        created: 1_763_900_000_000,
    };
    let rules = (1..).zip(rules).map(rule).collect();
    driver.event(Event::Grants(Arc::new(rules)));
    pictures(&mut driver, "rules");
    driver.press("down ctrl+d");
    pictures(&mut driver, "rules_revoke");
    driver.type_text("nothing like it");
    pictures(&mut driver, "rules_filtered");
}
