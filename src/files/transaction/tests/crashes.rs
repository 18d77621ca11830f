//! A process that dies, and the next start.

use super::*;

/// Dies after `placed` of the steps, then starts again.
fn crash(scratch: &Scratch, changes: &[(&str, &str)], placed: usize) -> Recovery {
    let mut commit = Commit::prepare(scratch.transaction(changes)).unwrap();
    for index in 0..placed {
        commit.place(index).unwrap();
    }
    commit.die();
    recover(&scratch.records())
}

const CHANGES: &[(&str, &str)] = &[("a", "new a"), ("made/deep/b", "new b"), ("c", "new c")];

#[test]
fn between_renames_everything_is_put_back() {
    for placed in 0..CHANGES.len() {
        let scratch = Scratch::new();
        scratch.write("a", "old a");
        scratch.write("c", "old c");
        let recovery = crash(&scratch, CHANGES, placed);
        assert_eq!(recovery.rolled_back.len(), placed);
        assert_eq!(recovery.problems, Vec::<String>::new());
        scratch.check(&[("a", "old a"), ("c", "old c")]);
    }
}

#[test]
fn after_the_last_rename_everything_stays() {
    let scratch = Scratch::new();
    scratch.write("a", "old a");
    let recovery = crash(&scratch, CHANGES, CHANGES.len());
    assert_eq!(
        recovery,
        Recovery {
            finished: 1,
            ..Recovery::default()
        }
    );
    scratch.check(&[
        ("a", "new a"),
        ("c", "new c"),
        ("made/", ""),
        ("made/deep/", ""),
        ("made/deep/b", "new b"),
    ]);
}

#[test]
fn a_single_file_leaves_no_temp_file() {
    let scratch = Scratch::new();
    scratch.write("a", "old");
    assert_eq!(crash(&scratch, &[("a", "new")], 0), Recovery::default());
    scratch.check(&[("a", "old")]);
    assert_eq!(crash(&scratch, &[("a", "new")], 1).finished, 1);
    scratch.check(&[("a", "new")]);
}

#[test]
fn what_somebody_changed_since_is_left_alone() {
    let scratch = Scratch::new();
    scratch.write("a", "old a");
    let mut commit = Commit::prepare(scratch.transaction(CHANGES)).unwrap();
    commit.place(0).unwrap();
    commit.die();
    scratch.write("a", "theirs");
    let recovery = recover(&scratch.records());
    assert_eq!(recovery.problems.len(), 1, "{recovery:?}");
    scratch.check(&[("a", "theirs")]);
}

#[test]
fn a_running_transaction_is_not_touched() {
    let scratch = Scratch::new();
    scratch.write("a", "old a");
    let mut commit = Commit::prepare(scratch.transaction(&[("a", "new a"), ("b", "new b")])).unwrap();
    commit.place(0).unwrap();
    assert_eq!(recover(&scratch.records()), Recovery::default());
    commit.place(1).unwrap();
    assert_eq!(commit.finish().len(), 2);
    scratch.check(&[("a", "new a"), ("b", "new b")]);
}

#[test]
fn a_record_of_a_newer_lathe_is_kept_and_a_damaged_one_removed() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.records()).unwrap();
    let newer = scratch.write(
        "data/records/1.record",
        "{\"version\":2,\"steps\":[{\"op\":\"later\"}]}\n",
    );
    let damaged = scratch.write("data/records/2.record", "\0\0\0");
    let recovery = recover(&scratch.records());
    assert_eq!(recovery.problems.len(), 2);
    assert!(newer.exists() && !damaged.exists());
}

#[test]
fn an_unfinished_record_is_removed_unless_its_process_is_alive() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.records()).unwrap();
    let unfinished = scratch.write("data/records/1.new", "{");
    let commit = Commit::prepare(scratch.transaction(&[("a", "x")])).unwrap();
    assert_eq!(recover(&scratch.records()), Recovery::default());
    assert!(unfinished.exists());
    commit.die();
    assert_eq!(recover(&scratch.records()), Recovery::default());
    scratch.check(&[]);
}

#[test]
fn without_records_there_is_nothing_to_do() {
    assert_eq!(recover(&Scratch::new().records()), Recovery::default());
}
