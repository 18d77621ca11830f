use super::*;
use crate::session::undo::UndoOutcome;

fn file(path: &str, action: PlannedAction, refused: Option<&str>) -> UndoFile {
    UndoFile {
        path: path.to_owned(),
        action,
        refused: refused.map(str::to_owned),
        is_in_the_way: refused.is_some(),
        note: None,
        diff: String::new(),
        additions: 0,
        deletions: 0,
    }
}

fn page(files: Vec<UndoFile>) -> UndoPage {
    let mut page = UndoPage::undo(None);
    let list = UndoList {
        direction: UndoDirection::Undo,
        to: Some(MessageId::new()),
        prompt: "fix it".to_owned(),
        created: 0,
        messages: 4,
        files,
    };
    page.update(&LayerUpdate::Answer(
        &Query::UndoList(None),
        &Answer::UndoList(Box::new(list)),
    ));
    page
}

#[test]
fn nothing_is_done_before_something_is_chosen() {
    let mut page = page(vec![file("a.txt", PlannedAction::Restore, None)]);
    assert!(matches!(page.act(CONFIRM), LayerReply::Done));
    assert!(page.notice.is_some());
    page.act(FILES);
    let LayerReply::Request(LayerRequest::Ask(Query::Undo(request))) = page.act(CONFIRM) else {
        panic!("it is chosen");
    };
    assert_eq!(request.scope, UndoScope::Files);
    assert!(!request.skips_changed);
    assert!(matches!(page.act(CONFIRM), LayerReply::Done), "it is at work");
    let answer = Answer::Undone(UndoOutcome {
        files: 1,
        messages: 0,
    });
    let done = page.update(&LayerUpdate::Answer(&Query::Undo(request), &answer));
    assert!(
        matches!(done, LayerReply::Close(Some(LayerRequest::Say(_)))),
        "{done:?}"
    );
}

#[test]
fn a_file_in_the_way_is_named_and_left_out() {
    let mut page = page(vec![
        file("a.txt", PlannedAction::Restore, None),
        file("b.txt", PlannedAction::Delete, Some("has changed since")),
    ]);
    for _ in 0..3 {
        page.act(NEXT_SCOPE);
    }
    page.act(PREVIOUS_SCOPE);
    assert_eq!(page.scope, Some(UndoScope::Files));
    let LayerReply::Request(LayerRequest::Ask(query @ Query::Undo(_))) = page.act(CONFIRM) else {
        panic!("it is chosen");
    };
    assert!(matches!(&query, Query::Undo(request) if request.skips_changed));
    let again = page.update(&LayerUpdate::Answer(
        &query,
        &Answer::Failed("A turn is running.".into()),
    ));
    assert!(matches!(
        again,
        LayerReply::Request(LayerRequest::Ask(Query::UndoList(None)))
    ));
    assert_eq!(page.notice.as_deref(), Some("A turn is running."));
}

#[test]
fn an_undo_without_files_says_so_before_and_after_it_acts() {
    let nothing = page(Vec::new());
    let list = nothing.found().unwrap();
    assert_eq!(
        draw::consequence(list, UndoScope::Both).unwrap(),
        "restores 0 files and removes 4 messages from the conversation"
    );
    assert_eq!(
        draw::consequence(list, UndoScope::Files).unwrap(),
        "restores 0 files"
    );
    assert_eq!(
        draw::consequence(list, UndoScope::Conversation).unwrap(),
        "removes 4 messages from the conversation"
    );
    let mut page = page(Vec::new());
    page.act(BOTH);
    let LayerReply::Request(LayerRequest::Ask(query)) = page.act(CONFIRM) else {
        panic!("it is chosen");
    };
    let answer = Answer::Undone(UndoOutcome {
        files: 0,
        messages: 4,
    });
    let done = page.update(&LayerUpdate::Answer(&query, &answer));
    assert!(
        matches!(done, LayerReply::Close(Some(LayerRequest::Say(words))) if words.contains("0 files restored")),
        "{done:?}"
    );
}
