use super::*;
use crate::conversation::{SessionId, TaskId};
use crate::session::ErrorReport;
use crate::session::host::{ChangeKind, FileSelection, Selection, TreeHunk};

fn file(path: &str, kind: ChangeKind, hunks: usize) -> TreeFile {
    let hunk = |number: usize| TreeHunk {
        text: format!("@@ -{0},2 +{0},2 @@\n same\n-old\n+new\n", number * 10 + 1),
        additions: 1,
        deletions: 1,
    };
    TreeFile {
        path: path.to_owned(),
        from: None,
        kind,
        version: format!("{path} 1"),
        additions: hunks as u64,
        deletions: hunks as u64,
        hunks: (0..hunks).map(hunk).collect(),
        note: (hunks == 0).then(|| "not text".to_owned()),
        configures: path.ends_with("lathe.jsonc"),
    }
}

fn page(files: Vec<TreeFile>) -> TreeChangesPage {
    let task = TaskId::of(&SessionId::new());
    let tree = TaskTree {
        task: task.clone(),
        name: "helper \"look around\"".to_owned(),
    };
    let mut page = TreeChangesPage::new(tree, TreeIntent::Apply);
    compared(&mut page, files);
    page
}

fn compared(page: &mut TreeChangesPage, files: Vec<TreeFile>) {
    let task = page.tree.task.clone();
    let changes = Ok(TreeChanges {
        task: task.clone(),
        files,
        note: None,
    });
    page.update(&LayerUpdate::Tree(&TreeAnswer::Changes { task, changes }));
}

fn sample() -> Vec<TreeFile> {
    vec![
        file("a.rs", ChangeKind::Changed, 3),
        file("b.png", ChangeKind::Changed, 0),
        file("c.rs", ChangeKind::Added, 1),
    ]
}

/// Returns the selection that `y` sends to the service.
fn applied(page: &mut TreeChangesPage) -> Vec<FileSelection> {
    page.act(APPLY);
    match page.act(CONFIRM) {
        LayerReply::Request(LayerRequest::AskHost(HostQuery::Tree(TreeQuery::Apply(
            _,
            Selection::Files(files),
        )))) => files,
        other => panic!("{other:?}"),
    }
}

fn selected(path: &str, hunks: Option<&[usize]>) -> FileSelection {
    FileSelection {
        path: path.to_owned(),
        version: format!("{path} 1"),
        hunks: hunks.map(<[usize]>::to_vec),
    }
}

#[test]
fn nothing_is_ticked_at_first_and_nothing_ticked_is_not_applied() {
    let mut page = page(sample());
    assert!(matches!(
        page.act(APPLY),
        LayerReply::Request(LayerRequest::Say(_))
    ));
    assert_eq!(page.question, None);
}

#[test]
fn ticked_hunks_are_applied_with_the_version_that_was_shown() {
    let mut page = page(sample());
    for action in [Action::NextHunk, Action::NextHunk, Action::Tick] {
        page.act(action);
    }
    for action in [NEXT_FILE, Action::Tick, NEXT_FILE, Action::NextHunk, Action::Tick] {
        page.act(action);
    }
    page.act(APPLY);
    let counts = TickCounts {
        files: 3,
        hunks: 2,
        without_hunks: 1,
        configuring: 0,
    };
    assert_eq!(page.question, Some(TreeQuestion::Apply(counts)));
    page.act(CANCEL);
    assert_eq!(
        applied(&mut page),
        [
            selected("a.rs", Some(&[1])),
            selected("b.png", None),
            selected("c.rs", None)
        ]
    );
}

#[test]
fn all_hunks_of_a_file_are_its_whole_change() {
    let mut page = page(sample());
    page.act(Action::Tick);
    assert_eq!(applied(&mut page), [selected("a.rs", None)]);
}

#[test]
fn what_configures_lathe_is_ticked_by_itself_and_named_in_the_question() {
    let mut page = page(vec![
        file("a.rs", ChangeKind::Changed, 2),
        file("lathe.jsonc", ChangeKind::Changed, 1),
    ]);
    assert!(matches!(page.act(TICK_ALL), LayerReply::Request(_)), "it is said");
    let ticked = page.ticks.counts(page.files());
    assert_eq!((ticked.files, ticked.configuring), (1, 0));
    page.act(NEXT_FILE);
    page.act(Action::Tick);
    page.act(APPLY);
    let Some(TreeQuestion::Apply(counts)) = page.question else {
        panic!("nothing is asked");
    };
    assert_eq!((counts.files, counts.configuring), (2, 1));
    page.act(CANCEL);
    page.act(TICK_ALL);
    page.act(TICK_ALL);
    let ticked = page.ticks.counts(page.files());
    assert_eq!((ticked.files, ticked.configuring), (1, 0));
}

#[test]
fn all_is_ticked_and_none_again() {
    let mut page = page(sample());
    page.act(TICK_ALL);
    assert_eq!(page.ticks.counts(page.files()).files, 3);
    page.act(TICK_ALL);
    assert_eq!(page.ticks.counts(page.files()), TickCounts::default());
}

#[test]
fn a_file_that_changed_meanwhile_loses_its_ticks_and_the_others_keep_them() {
    let mut page = page(sample());
    page.act(TICK_ALL);
    let mut files = sample();
    "a.rs 2".clone_into(&mut files[0].version);
    compared(&mut page, files);
    assert_eq!(page.ticks.of_file(0), TickState::None);
    assert_eq!(page.ticks.of_file(1), TickState::All);
}

#[test]
fn a_comparison_takes_back_a_question_about_what_was_ticked_before() {
    let mut page = page(sample());
    page.act(TICK_ALL);
    page.act(APPLY);
    compared(&mut page, sample());
    assert_eq!(page.question, None);
}

#[test]
fn a_refusal_is_told_and_the_tree_is_compared_again() {
    let mut page = page(sample());
    page.act(TICK_ALL);
    applied(&mut page);
    let task = page.tree.task.clone();
    let applied = Err(ErrorReport {
        kind: crate::session::ReportKind::BadRequest,
        message: "`a.rs` changed since it was shown".to_owned(),
        hint: None,
    });
    let reply = page.update(&LayerUpdate::Tree(&TreeAnswer::Applied { task, applied }));
    let asks = matches!(
        reply,
        LayerReply::Request(LayerRequest::AskHost(HostQuery::Tree(TreeQuery::Changes(_))))
    );
    assert!(asks, "{reply:?}");
    let (told, meaning) = &page.outcome[0];
    assert!(
        told.starts_with("Nothing was written: `a.rs` changed since"),
        "{told}"
    );
    assert_eq!(*meaning, Meaning::Warning);
}

#[test]
fn rows_lead_from_hunk_to_hunk_and_from_file_to_file() {
    let mut page = page(sample());
    let mut seen = Vec::new();
    for action in [
        Action::NextHunk,
        Action::NextHunk,
        NEXT_FILE,
        NEXT_FILE,
        PREVIOUS_FILE,
        Action::PreviousHunk,
    ] {
        page.act(action);
        seen.push(page.rows[page.at]);
    }
    assert_eq!(
        seen,
        [
            ChangeRow::Hunk { file: 0, hunk: 0 },
            ChangeRow::Hunk { file: 0, hunk: 1 },
            ChangeRow::File(1),
            ChangeRow::File(2),
            ChangeRow::File(1),
            ChangeRow::Hunk { file: 0, hunk: 2 },
        ]
    );
    page.act(Action::PageEnd);
    assert_eq!(page.at, page.rows.len() - 1);
    page.act(Action::PageTop);
    for _ in 0..page.rows.len() {
        page.act(Action::RowDown);
        assert_ne!(page.rows[page.at], ChangeRow::Blank);
    }
}

#[test]
fn a_tree_with_nothing_to_apply_is_removed_only_while_that_holds() {
    let mut page = page(Vec::new());
    page.act(DISCARD);
    assert_eq!(page.question, Some(TreeQuestion::Remove));
    let reply = page.act(CONFIRM);
    let removes = matches!(
        reply,
        LayerReply::Request(LayerRequest::AskHost(HostQuery::Tree(TreeQuery::Remove(
            _,
            Removal::Settled
        ))))
    );
    assert!(removes, "{reply:?}");
}

#[test]
fn the_agent_is_offered_a_conflict_to_resolve() {
    let mut page = page(sample());
    assert!(matches!(
        page.act(RESOLVE),
        LayerReply::Request(LayerRequest::Say(_))
    ));
    let task = page.tree.task.clone();
    let applied = Ok(crate::session::host::ApplyResult {
        applied: Vec::new(),
        conflicts: vec![Conflict {
            path: "a.rs".to_owned(),
            why: "lines 4 to 5 were changed in the project too".to_owned(),
        }],
        left_out: Vec::new(),
    });
    page.update(&LayerUpdate::Tree(&TreeAnswer::Applied {
        task: task.clone(),
        applied,
    }));
    let LayerReply::Close(Some(LayerRequest::AskTask(session, words))) = page.act(RESOLVE) else {
        panic!("there is a conflict");
    };
    assert_eq!(session, task.session());
    assert!(words.contains("- `a.rs`: lines 4 to 5"), "{words}");
}
