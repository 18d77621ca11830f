use super::*;
use crate::conversation::TodoPriority;
use crate::session::Op;
use crate::tool::WrittenFile;
use crate::tui::keymap::{Action, Edit};
use crate::tui::layer::{Layer, LayerReply, LayerRequest};

fn todo(content: &str, status: TodoStatus) -> Todo {
    Todo {
        content: content.to_owned(),
        status,
        priority: TodoPriority::Medium,
        ..Todo::default()
    }
}

fn panel() -> Panel {
    let mut panel = Panel::default();
    panel.set_todos(vec![
        todo("find it", TodoStatus::Completed),
        todo("fix it", TodoStatus::InProgress),
        todo("test it", TodoStatus::Pending),
    ]);
    panel
}

#[test]
fn it_comes_by_itself_only_where_nothing_streams_and_stays_then() {
    let mut panel = panel();
    assert!(!panel.is_beside(140) && panel.is_waiting(140));
    panel.settle();
    assert!(panel.is_beside(140) && !panel.is_beside(139) && panel.is_waiting(139));
    panel.set_todos(Vec::new());
    panel.settle();
    assert!(panel.is_beside(140));
}

#[test]
fn what_the_person_chose_holds() {
    let mut panel = panel();
    panel.hide();
    panel.settle();
    assert!(!panel.is_beside(120) && !panel.is_waiting(120));
    let mut panel = Panel::default();
    panel.settle();
    assert!(!panel.is_beside(120));
    panel.show();
    assert!(panel.is_beside(120));
}

#[test]
fn the_cursor_begins_at_what_is_open_and_stays_on_its_entry() {
    let mut panel = panel();
    panel.focus();
    assert_eq!(panel.cursor, Some(CursorPosition::Todo(1)));
    panel.set_todos(vec![
        todo("read it", TodoStatus::Completed),
        todo("find it", TodoStatus::Completed),
        todo("fix it", TodoStatus::Completed),
    ]);
    assert_eq!(panel.cursor, Some(CursorPosition::Todo(2)));
    panel.set_todos(vec![todo("other", TodoStatus::Pending)]);
    assert_eq!(panel.cursor, Some(CursorPosition::Todo(0)));
    panel.set_todos(Vec::new());
    assert_eq!(panel.cursor, None);
}

#[test]
fn a_fold_hides_the_rows_and_the_cursor_passes_over_them() {
    let mut panel = panel();
    panel.changed.note(WrittenFile::new("a.rs", 1, 0));
    panel.focus();
    panel.move_by(-10);
    assert_eq!(panel.cursor, Some(CursorPosition::Head(Section::Todo)));
    assert_eq!(panel.toggle(), PanelOutcome::Stays);
    panel.move_by(1);
    assert_eq!(panel.cursor, Some(CursorPosition::Head(Section::Files)));
    panel.move_by(1);
    assert_eq!(panel.open(), PanelOutcome::Open(FileTarget::shown("a.rs")));
}

/// Ends the writing of a todo.
fn finish(panel: &mut Panel) -> Option<LayerRequest> {
    match panel.editor_mut().unwrap().act(Action::FinishText) {
        LayerReply::Close(visibility) => visibility,
        reply => panic!("{reply:?}"),
    }
}

#[test]
fn what_is_written_while_the_list_changes_is_meant_for_the_entry_that_was_seen() {
    let mut panel = panel();
    panel.focus();
    panel.begin_writing();
    panel.editor_mut().unwrap().write(" well\nand soon");
    panel.set_todos(vec![todo("something else", TodoStatus::Pending)]);
    let Some(LayerRequest::Send(Op::EditTodo(edit))) = finish(&mut panel) else {
        panic!("nothing is changed");
    };
    assert_eq!(edit.seen.content, "fix it");
    assert_eq!(
        edit.change,
        TodoChange::Content("fix it well and soon".to_owned())
    );
}

#[test]
fn no_words_leave_the_todo_as_it_was() {
    let mut panel = panel();
    panel.focus();
    panel.begin_writing();
    panel.editor_mut().unwrap().act(Action::Edit(Edit::DeleteToStart));
    assert!(matches!(finish(&mut panel), Some(LayerRequest::Say(_))));
    panel.begin_writing();
    assert!(finish(&mut panel).is_none());
}
