use std::slice;

use serde_json::json;

use super::super::fixture::store_with;
use super::*;

const PROJECT: &str = "/p";

fn project() -> &'static Path {
    Path::new(PROJECT)
}

fn new(subject: &str) -> NewBoardItem {
    NewBoardItem {
        subject: subject.to_owned(),
        description: String::new(),
        active_form: None,
        owner: None,
        metadata: Map::new(),
        blocks: Vec::new(),
        blocked_by: Vec::new(),
        session: SessionId::new(),
    }
}

struct Fixture(Store);

impl Fixture {
    fn new() -> Self {
        Self(store_with(PROJECT).0)
    }

    fn add(&self, subject: &str, blocked_by: &[&BoardItemId]) -> BoardItemId {
        let new = NewBoardItem {
            blocked_by: blocked_by.iter().copied().cloned().collect(),
            ..new(subject)
        };
        self.0.create_board_item(project(), &new).unwrap().id
    }

    fn item(&self, id: &BoardItemId) -> BoardItem {
        self.0.board_item(project(), id).unwrap().unwrap()
    }

    #[allow(clippy::needless_pass_by_value)] // Every caller makes it for this.
    fn change(&self, id: &BoardItemId, change: BoardItemChange) -> Result<ChangedBoardItem, BoardError> {
        self.0.change_board_item(project(), id, &change)
    }

    fn set(&self, id: &BoardItemId, status: BoardStatus) -> ChangedBoardItem {
        let change = BoardItemChange {
            status: Some(status),
            ..BoardItemChange::default()
        };
        self.change(id, change).unwrap()
    }

    fn rows(&self) -> Vec<BoardRow> {
        self.0.board_rows(project(), None, None).unwrap()
    }

    /// Everything that the board has.
    fn all(&self) -> Vec<BoardItem> {
        let rows = [
            BoardStatus::Pending,
            BoardStatus::InProgress,
            BoardStatus::Completed,
            BoardStatus::Deleted,
        ]
        .map(|status| self.0.board_rows(project(), Some(status), None).unwrap());
        rows.iter().flatten().map(|row| self.item(&row.id)).collect()
    }
}

fn waits_for(ids: &[&BoardItemId]) -> BoardItemChange {
    BoardItemChange {
        add_blocked_by: ids.iter().copied().cloned().collect(),
        ..BoardItemChange::default()
    }
}

fn names(unblocked: &[BoardItemName]) -> Vec<&str> {
    unblocked.iter().map(|name| name.subject.as_str()).collect()
}

#[test]
fn a_dependency_is_seen_from_both_ends() {
    let board = Fixture::new();
    let (first, second) = (board.add("first", &[]), board.add("second", &[]));
    let third = NewBoardItem {
        blocks: vec![first.clone()],
        blocked_by: vec![second.clone()],
        ..new("third")
    };
    let third = board.0.create_board_item(project(), &third).unwrap();
    assert_eq!(
        (&third.blocks[..], &third.blocked_by[..]),
        (&[first.clone()][..], &[second.clone()][..])
    );
    assert_eq!(board.item(&first).blocked_by, slice::from_ref(&third.id));
    assert_eq!(board.item(&second).blocks, slice::from_ref(&third.id));
    let removal = BoardItemChange {
        remove_blocks: vec![third.id.clone()],
        ..BoardItemChange::default()
    };
    assert!(board.change(&second, removal).unwrap().item.blocks.is_empty());
    assert!(board.item(&third.id).blocked_by.is_empty());
}

#[test]
fn a_cycle_and_an_unknown_item_change_nothing() {
    let board = Fixture::new();
    let first = board.add("first", &[]);
    let second = board.add("second", &[&first]);
    let third = board.add("third", &[&second]);
    let before = board.all();
    let subject = |change: BoardItemChange| BoardItemChange {
        subject: Some("changed".to_owned()),
        metadata: json!({"a": 1}).as_object().unwrap().clone(),
        ..change
    };
    let error = board.change(&first, subject(waits_for(&[&third]))).unwrap_err();
    let BoardError::Cycle(cycle) = &error else {
        panic!("{error}")
    };
    assert_eq!(
        *cycle,
        [first.clone(), second.clone(), third.clone(), first.clone()]
    );
    assert!(
        error.to_string().contains(&format!("{third} blocks {first}")),
        "{error}"
    );
    let error = board.change(&first, subject(waits_for(&[&first]))).unwrap_err();
    assert!(matches!(error, BoardError::Cycle(_)), "{error}");
    let unknown: BoardItemId = "T-00000000".parse().unwrap();
    let error = board
        .change(&third, subject(waits_for(&[&first, &unknown])))
        .unwrap_err();
    assert!(
        matches!(&error, BoardError::Unknown(id) if *id == unknown),
        "{error}"
    );
    let error = board
        .change(&unknown, subject(BoardItemChange::default()))
        .unwrap_err();
    assert!(
        matches!(&error, BoardError::Unknown(id) if *id == unknown),
        "{error}"
    );
    let both = NewBoardItem {
        blocks: vec![first.clone()],
        blocked_by: vec![first.clone()],
        ..new("both")
    };
    let error = board.0.create_board_item(project(), &both).unwrap_err();
    assert!(matches!(error, BoardError::Cycle(_)), "{error}");
    assert_eq!(board.all(), before);
}

#[test]
fn a_completion_frees_what_waited_for_nothing_else() {
    let board = Fixture::new();
    let (first, second) = (board.add("first", &[]), board.add("second", &[]));
    board.add("both", &[&first, &second]);
    let one = board.add("one", &[&first]);
    let done = board.add("done", &[&first]);
    board.set(&done, BoardStatus::Completed);
    let changed = board.set(&first, BoardStatus::Completed);
    assert_eq!(
        (changed.previous, names(&changed.unblocked)),
        (BoardStatus::Pending, vec!["one"])
    );
    assert!(
        board.set(&first, BoardStatus::Completed).unblocked.is_empty(),
        "it was completed before"
    );
    assert_eq!(
        names(&board.set(&second, BoardStatus::Completed).unblocked),
        ["both"]
    );
    let ready: Vec<_> = board
        .rows()
        .iter()
        .map(|row| (row.subject.clone(), row.is_ready()))
        .collect();
    assert_eq!(ready, [("both".to_owned(), true), ("one".to_owned(), true)]);
    // One that is not completed after all is waited for again.
    board.set(&first, BoardStatus::InProgress);
    let rows = board.rows();
    let row = rows.iter().find(|row| row.id == one).unwrap();
    assert_eq!(
        (&row.blocked_by[..], row.is_ready()),
        (&[first.clone()][..], false)
    );
    assert_eq!(board.item(&one).blocked_by, [first]);
}

#[test]
fn a_deleted_item_leaves_all_lists_and_is_waited_for_by_nobody() {
    let board = Fixture::new();
    let first = board.add("first", &[]);
    let second = board.add("second", &[&first]);
    let third = board.add("third", &[&second]);
    assert!(board.set(&second, BoardStatus::Deleted).unblocked.is_empty());
    let subjects: Vec<_> = board
        .rows()
        .into_iter()
        .map(|row| (row.subject, row.blocked_by))
        .collect();
    assert_eq!(
        subjects,
        [("first".to_owned(), vec![]), ("third".to_owned(), vec![])]
    );
    assert!(board.item(&first).blocks.is_empty() && board.item(&third).blocked_by.is_empty());
    let error = board.change(&third, waits_for(&[&second])).unwrap_err();
    assert!(
        matches!(&error, BoardError::Deleted(id) if *id == second),
        "{error}"
    );
    let error = board.change(&second, waits_for(&[&first])).unwrap_err();
    assert!(
        matches!(&error, BoardError::Deleted(id) if *id == second),
        "{error}"
    );
    assert_eq!(board.set(&second, BoardStatus::Pending).item.blocks, []);
}

#[test]
fn metadata_is_merged_and_null_takes_a_key_away() {
    let board = Fixture::new();
    let metadata = json!({"kept": 1, "gone": {"deep": null}, "never": null});
    let item = NewBoardItem {
        metadata: metadata.as_object().unwrap().clone(),
        ..new("first")
    };
    let item = board.0.create_board_item(project(), &item).unwrap();
    assert_eq!(
        Value::Object(item.metadata),
        json!({"kept": 1, "gone": {"deep": null}})
    );
    let change = BoardItemChange {
        metadata: json!({"gone": null, "new": [1]}).as_object().unwrap().clone(),
        ..BoardItemChange::default()
    };
    let changed = board.change(&item.id, change).unwrap();
    assert_eq!(
        Value::Object(changed.item.metadata),
        json!({"kept": 1, "new": [1]})
    );
}

#[test]
fn empty_text_takes_owner_and_wording_away() {
    let board = Fixture::new();
    let item = NewBoardItem {
        owner: Some("ann".to_owned()),
        active_form: Some(String::new()),
        ..new("first")
    };
    let item = board.0.create_board_item(project(), &item).unwrap();
    assert_eq!((item.owner.as_deref(), item.active_form), (Some("ann"), None));
    let change = |owner: Option<&str>| BoardItemChange {
        owner: owner.map(str::to_owned),
        active_form: Some("Working".to_owned()),
        ..BoardItemChange::default()
    };
    assert_eq!(
        board
            .change(&item.id, change(None))
            .unwrap()
            .item
            .owner
            .as_deref(),
        Some("ann")
    );
    let changed = board.change(&item.id, change(Some(""))).unwrap().item;
    assert_eq!(
        (changed.owner, changed.active_form.as_deref()),
        (None, Some("Working"))
    );
}

#[test]
fn each_project_has_a_board_of_its_own_and_sessions_may_go() {
    let (store, session) = store_with(PROJECT);
    let item = NewBoardItem {
        session: session.clone(),
        ..new("first")
    };
    let item = store.create_board_item(project(), &item).unwrap();
    let other = Path::new("/other");
    assert_eq!(store.board_item(other, &item.id).unwrap(), None);
    assert!(store.board_rows(other, None, None).unwrap().is_empty());
    let waiting = NewBoardItem {
        blocked_by: vec![item.id.clone()],
        ..new("second")
    };
    let error = store.create_board_item(other, &waiting).unwrap_err();
    assert!(matches!(error, BoardError::Unknown(_)), "{error}");
    assert!(store.delete(&session).unwrap());
    assert_eq!(store.board_item(project(), &item.id).unwrap(), Some(item));
}

#[test]
fn rows_are_chosen_by_status_and_owner() {
    let board = Fixture::new();
    let (first, second) = (board.add("first", &[]), board.add("second", &[]));
    let change = BoardItemChange {
        owner: Some("ann".to_owned()),
        ..BoardItemChange::default()
    };
    board.change(&second, change).unwrap();
    board.set(&first, BoardStatus::Completed);
    let subjects = |status, owner| {
        let rows = board.0.board_rows(project(), status, owner).unwrap().into_iter();
        rows.map(|row| row.subject).collect::<Vec<_>>()
    };
    assert_eq!(subjects(None, None), ["second"]);
    assert_eq!(subjects(None, Some("ann")), ["second"]);
    assert!(subjects(None, Some("bob")).is_empty());
    assert_eq!(subjects(Some(BoardStatus::Completed), None), ["first"]);
    assert!(subjects(Some(BoardStatus::Completed), Some("ann")).is_empty());
}

#[test]
fn writers_side_by_side_lose_nothing_and_make_no_cycle() {
    let dir = tempfile::tempdir().unwrap();
    let open = || Store::open(dir.path()).unwrap();
    let (first, second) = {
        let board = Fixture(open());
        (board.add("first", &[]), board.add("second", &[]))
    };
    let marked = &first;
    let cycles = std::thread::scope(|scope| {
        let writers = [(&first, &second), (&second, &first)].map(|(own, other)| {
            scope.spawn(move || {
                let board = Fixture(open());
                for number in 0..40 {
                    board.add(&number.to_string(), &[own]);
                    let key = format!("{own} {number}");
                    let change = BoardItemChange {
                        metadata: Map::from_iter([(key, Value::from(number))]),
                        ..BoardItemChange::default()
                    };
                    board.change(marked, change).unwrap();
                }
                usize::from(board.change(own, waits_for(&[other])).is_err())
            })
        });
        writers.map(|writer| writer.join().unwrap()).iter().sum::<usize>()
    });
    let board = Fixture(open());
    assert_eq!(
        cycles, 1,
        "one of both comes first, and the other would close the circle"
    );
    assert_eq!(board.rows().len(), 82);
    assert_eq!(board.item(&first).metadata.len(), 80);
    let waiting = board.item(&first).blocks.len() + board.item(&second).blocks.len();
    assert_eq!(waiting, 81);
}
