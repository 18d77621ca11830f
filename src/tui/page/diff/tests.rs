use super::*;
use crate::session::query::ChangedFile;
use crate::text::diff::unified;

fn file(path: &str, old: &str, new: &str) -> ChangedFile {
    let diff = unified(path, old, new);
    ChangedFile {
        path: path.to_owned(),
        real: format!("/p/{path}").into(),
        state: FileState::Changed,
        additions: diff.additions,
        deletions: diff.deletions,
        diff: diff.text,
        note: None,
        reverts: true,
    }
}

fn page() -> Diff {
    let numbers: Vec<String> = (1..=60).map(|line| format!("line {line}")).collect();
    let old = numbers.join("\n");
    let new = old
        .replace("line 20\n", "twenty\n")
        .replace("line 50\n", "fifty\n");
    let changes = Changes {
        scope: ChangeScope::Session,
        files: vec![file("a.txt", &old, &new), file("b.txt", "x\n", "y\n")],
        note: None,
    };
    let mut page = Diff::default();
    page.update(&LayerUpdate::Answer(
        &Query::Changes(ChangeScope::Session),
        &Answer::Changes(changes),
    ));
    page
}

fn place(page: &Diff) -> (String, usize, String) {
    let (file, line) = page.list.place().unwrap();
    let quote = page
        .blank_comment()
        .map_or(String::new(), |comment| comment.quote);
    (file.path.clone(), line, quote)
}

#[test]
fn hunks_and_files_are_stepped_through() {
    let mut page = page();
    page.act(Action::NextHunk);
    assert_eq!(place(&page), ("a.txt".into(), 17, "line 17".into()));
    page.act(Action::NextHunk);
    assert_eq!(place(&page), ("a.txt".into(), 47, "line 47".into()));
    page.act(Action::NextHunk);
    assert_eq!(place(&page), ("b.txt".into(), 1, "x".into()));
    page.act(Action::NextHunk);
    assert_eq!(place(&page).0, "b.txt", "there is none after it");
    page.act(Action::PreviousHunk);
    page.act(Action::PreviousHunk);
    assert_eq!(place(&page).1, 17);
    page.act(NEXT_FILE);
    assert_eq!(page.list.row().unwrap(), DiffRow::File(1));
    page.act(Action::PageTop);
    assert_eq!(page.list.row().unwrap(), DiffRow::Listed(0));
    page.act(Action::RowDown);
    page.act(Action::Open);
    assert_eq!(
        page.list.row().unwrap(),
        DiffRow::File(1),
        "a listed file is gone to"
    );
}

#[test]
fn enter_opens_the_file_at_the_line() {
    let mut page = page();
    page.act(Action::NextHunk);
    let outcome = page.act(Action::Open);
    let LayerReply::Request(LayerRequest::Open(place)) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!((place.path.as_str(), place.line), ("/p/a.txt", Some(17)));
}

#[test]
fn comments_are_collected_and_stand_in_the_draft_in_the_end() {
    let mut page = page();
    assert!(page.close().is_none());
    page.act(Action::NextHunk);
    page.act(COMMENT);
    page.write("why?");
    page.act(Action::FinishText);
    page.act(NEXT_FILE);
    page.act(Action::NextHunk);
    page.act(Action::RowDown);
    page.act(COMMENT);
    page.write("x was \u{1b}[31mbetter");
    page.act(Action::FinishText);
    let Some(LayerRequest::AddToDraft(draft)) = page.close() else {
        panic!("there are comments");
    };
    assert_eq!(
        draft,
        "> a.txt:17\n> line 17\nwhy?\n\n> b.txt:1\n> y\nx was better\n"
    );
    page.act(COMMENT);
    for _ in 0..40 {
        page.act(Action::Edit(crate::tui::keymap::Edit::DeleteLeft));
    }
    page.act(Action::FinishText);
    assert_eq!(page.comments.len(), 1, "an empty comment is none");
}

#[test]
fn a_hunk_is_taken_back_by_the_same_key_twice() {
    let mut page = page();
    page.act(Action::NextHunk);
    page.act(Action::NextHunk);
    assert!(matches!(page.act(REVERT_HUNK), LayerReply::Done));
    page.act(Action::RowDown);
    assert!(matches!(page.act(REVERT_HUNK), LayerReply::Done), "it was moved");
    let outcome = page.act(REVERT_HUNK);
    let LayerReply::Request(LayerRequest::Ask(Query::Revert(revert))) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(revert.hunk.contains("-line 50\n+fifty\n") && !revert.hunk.contains("twenty"));
    let answer = Answer::Reverted("a.txt".to_owned());
    let wish = page.update(&LayerUpdate::Answer(&Query::Revert(revert), &answer));
    assert!(matches!(
        wish,
        LayerReply::Request(LayerRequest::Ask(Query::Changes(ChangeScope::Session)))
    ));
}

#[test]
fn what_was_changed_by_something_else_since_is_not_reverted() {
    let mut page = page();
    let mut changed = file("a.txt", "x\n", "y\n");
    changed.reverts = false;
    changed.note =
        Some("was changed by something else since; these are the edits as they were made".to_owned());
    page.set(Ok(Changes {
        scope: ChangeScope::Session,
        files: vec![changed],
        note: None,
    }));
    page.act(Action::NextHunk);
    for _ in 0..2 {
        assert!(matches!(page.act(REVERT_HUNK), LayerReply::Done));
    }
    assert!(
        page.notice
            .as_ref()
            .unwrap()
            .0
            .contains("cannot be reverted here")
    );
}

#[test]
fn an_answer_about_another_scope_is_not_shown() {
    let mut page = page();
    page.act(NEXT_SCOPE);
    assert!(page.compared.is_none());
    let old = Answer::Failed("late".to_owned());
    page.update(&LayerUpdate::Answer(&Query::Changes(ChangeScope::Session), &old));
    assert!(page.compared.is_none());
}
