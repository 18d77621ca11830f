//! The changes in the work tree of a task.

use super::paging::open;
use super::pictures::{conversation, picture};
use super::task_panel::tasks;
use super::tasks::tell as tell_task;
use super::*;
use crate::conversation::task_sample::{Sample, task};
use crate::conversation::{TaskId, WorktreeChanges};
use crate::session::host::{
    ApplyResult, ChangeKind, Conflict, HeldWork, HostAnswer, HostQuery, Removal, RemovedTree, Selection,
    TreeAnswer, TreeChanges, TreeFile, TreeHunk, TreeQuery, TreeState, TreeSummary,
};
use crate::text::diff::diff_hunks;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 36), (200, 60)];

fn changed(path: &str, kind: ChangeKind, old: &str, new: &str) -> TreeFile {
    let hunks: Vec<TreeHunk> = diff_hunks(old, new)
        .into_iter()
        .map(|hunk| TreeHunk {
            text: hunk.text,
            additions: hunk.additions as u64,
            deletions: hunk.deletions as u64,
        })
        .collect();
    TreeFile {
        path: path.to_owned(),
        from: None,
        kind,
        version: format!("{path}:1"),
        additions: hunks.iter().map(|hunk| hunk.additions).sum(),
        deletions: hunks.iter().map(|hunk| hunk.deletions).sum(),
        hunks,
        note: None,
        configures: false,
    }
}

fn repeated(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

fn files() -> Vec<TreeFile> {
    let filler = repeated(30, |number| format!("    step({number});\n"));
    let old = format!(
        "use std::time::Duration;\n\nfn wait(delay: Duration) {{\n    std::thread::sleep(delay);\n}}\n\nfn \
        steps() {{\n{filler}}}\n"
    );
    let new = old
        .replace(
            "    std::thread::sleep(delay);",
            "    clock().sleep(delay);\n    tick();",
        )
        .replace("    step(29);\n", "    step(29);\n    done();\n");
    let picture = TreeFile {
        note: Some("not text".to_owned()),
        ..changed("docs/flow.png", ChangeKind::Changed, "", "")
    };
    vec![
        picture,
        changed(
            "src/clock.rs",
            ChangeKind::Added,
            "",
            "pub fn clock() -> Clock {\n    Clock::default()\n}\n",
        ),
        changed("src/retry.rs", ChangeKind::Changed, &old, &new),
    ]
}

/// A task with a tree, which has ended.
fn sample(driver: &mut Driver) -> Sample {
    let root = driver.session.clone();
    let mut sample = task(&root, "inject a clock")
        .agent("general")
        .background()
        .running();
    sample.0.worktree = Some(WorktreeChanges {
        path: "/home/u/.local/share/lathe/worktrees/retry/tsk_1".to_owned(),
        additions: 6,
        deletions: 1,
        files: 3,
        submodules: Vec::new(),
    });
    let sample = sample.ended(crate::conversation::TaskStatus::Completed);
    tell_task(driver, sample.row());
    sample
}

fn open_tasks(driver: &mut Driver) {
    open(driver, "tasks");
    driver.frame();
}

/// Opens the page from the page of tasks.
fn opened() -> (Driver, TaskId) {
    let mut driver = conversation();
    let sample = sample(&mut driver);
    open_tasks(&mut driver);
    driver.press("c");
    let task = sample.0.task.clone();
    let query = HostQuery::Tree(TreeQuery::Changes(task.clone()));
    assert_eq!(asked(&mut driver).last(), Some(&query));
    (driver, task)
}

fn compared(driver: &mut Driver, task: &TaskId, files: Vec<TreeFile>) {
    let changes = Ok(TreeChanges {
        task: task.clone(),
        files,
        note: None,
    });
    let task = task.clone();
    tell(driver, TreeAnswer::Changes { task, changes });
}

fn tell(driver: &mut Driver, answer: TreeAnswer) {
    driver.app.answered_by_host(HostAnswer::Tree(answer), driver.now);
    driver.collect();
}

fn asked(driver: &mut Driver) -> Vec<HostQuery> {
    driver.collect();
    let effects = std::mem::take(&mut driver.effects);
    let queries = effects.into_iter().filter_map(|effect| match effect {
        Effect::AskHost(query) => Some(query),
        _ => None,
    });
    queries.collect()
}

fn pictures(driver: &mut Driver, name: &str) {
    for size in SIZES {
        picture(driver, name, size);
    }
    driver.size = (80, 24);
}

#[test]
fn the_changes_of_a_task() {
    let (mut driver, task) = opened();
    assert!(
        driver.text().contains("Comparing the work tree"),
        "{}",
        driver.text()
    );
    compared(&mut driver, &task, files());
    pictures(&mut driver, "task_changes");
    picture(&mut driver, "task_changes", (40, 12));
    driver.size = (80, 24);
    driver.press("n n ] space");
    pictures(&mut driver, "task_changes_ticked");
    driver.press("enter");
    pictures(&mut driver, "task_changes_apply");
    assert!(driver.text().contains("Apply 1 hunk in 1 file to the project?"));
    driver.press("y");
    let Some(HostQuery::Tree(TreeQuery::Apply(of, Selection::Files(chosen)))) = asked(&mut driver).pop()
    else {
        panic!("nothing is applied");
    };
    assert_eq!((of, chosen.len()), (task.clone(), 1));
    assert_eq!(chosen[0].hunks.as_deref(), Some(&[0][..]));
    let conflict = Conflict {
        path: "src/retry.rs".to_owned(),
        why: "lines 4 to 5 were changed in the project too".to_owned(),
    };
    let applied = Ok(ApplyResult {
        applied: Vec::new(),
        conflicts: vec![conflict],
        left_out: Vec::new(),
    });
    let of = task.clone();
    tell(&mut driver, TreeAnswer::Applied { task: of, applied });
    compared(&mut driver, &task, files());
    pictures(&mut driver, "task_changes_conflict");
    driver.press("enter y");
    let applied = Ok(ApplyResult {
        applied: vec!["src/retry.rs".to_owned()],
        conflicts: Vec::new(),
        left_out: Vec::new(),
    });
    let of = task.clone();
    tell(&mut driver, TreeAnswer::Applied { task: of, applied });
    compared(&mut driver, &task, files()[..2].to_vec());
    pictures(&mut driver, "task_changes_applied");
    driver.press("esc");
    assert_eq!(driver.app.state().focus, "tasks");
}

#[test]
fn a_tree_is_discarded_after_a_question_that_names_what_is_lost() {
    let mut driver = conversation();
    let sample = sample(&mut driver);
    let task = sample.0.task.clone();
    driver.size = (120, 36);
    driver.frame();
    driver.press("ctrl+x b ctrl+x b");
    assert!(driver.hints().contains("A changes"), "{}", driver.hints());
    driver.press("D");
    assert!(
        !driver.text().contains("Discard the tree"),
        "it is not known yet what is lost"
    );
    compared(&mut driver, &task, files());
    pictures(&mut driver, "task_changes_discard");
    asked(&mut driver);
    driver.press("n");
    assert!(!driver.text().contains("Discard the tree"), "{}", driver.text());
    driver.press("x esc");
    assert!(asked(&mut driver).is_empty());
    driver.press("x y");
    let shown = TreeChanges {
        task: task.clone(),
        files: files(),
        note: None,
    };
    let removal = Removal::DiscardShown(shown.work());
    let query = HostQuery::Tree(TreeQuery::Remove(task.clone(), removal));
    assert_eq!(asked(&mut driver), [query]);
    let removed = Ok(RemovedTree {
        task: task.clone(),
        discarded: HeldWork {
            files: vec!["src/clock.rs".to_owned()],
            note: None,
        },
        ignored: 2,
    });
    tell(&mut driver, TreeAnswer::Removed { task, removed });
    let text = driver.text();
    let told = "The work tree was removed, with 1 changed file not applied yet (`src/clock.rs`) and 2 ignored files.";
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&text).contains(&words(told)), "{text}");
}

#[test]
fn a_file_with_a_very_long_change_is_drawn_where_it_is_looked_at() {
    let (mut driver, task) = opened();
    let text = |number: usize| repeated(number, |line| format!("let x{line} = {line};\n"));
    let mut many = vec![changed("a.rs", ChangeKind::Added, "", &text(50_000))];
    many.extend(
        (0..500).map(|number| changed(&format!("b/{number:03}.rs"), ChangeKind::Added, "", &text(10))),
    );
    compared(&mut driver, &task, many);
    assert!(driver.text().contains("501 files"), "{}", driver.text());
    driver.press("n k");
    let screen = driver.text();
    assert!(screen.contains("50000 + let x49999 = 49999;"), "{screen}");
    driver.press("G");
    assert!(driver.text().contains("b/499.rs"), "{}", driver.text());
}

#[test]
fn trees_of_earlier_sessions_are_listed_with_the_tasks() {
    let mut driver = conversation();
    driver.app.set_wall_clock(driver.now, 1_763_900_000_000);
    tasks(&mut driver);
    open_tasks(&mut driver);
    assert_eq!(asked(&mut driver), [HostQuery::Tree(TreeQuery::List)]);
    let tree = |title: &str, project: &str, state| {
        let session = SessionId::new();
        TreeSummary {
            task: TaskId::of(&session),
            session,
            path: format!("/home/u/.local/share/lathe/worktrees/retry/{title}").into(),
            base: "0".repeat(40),
            additions: 12,
            deletions: 3,
            files: 2,
            state,
            title: title.to_owned(),
            project: Some(project.into()),
            note: None,
        }
    };
    let own = driver.app.root_view().directory.to_string_lossy().into_owned();
    let listed = vec![
        tree("undo the fixtures", &own, TreeState::Unapplied),
        tree("all is applied", &own, TreeState::Applied),
        tree("elsewhere", "/somewhere/else", TreeState::Unapplied),
    ];
    let task = listed[0].task.clone();
    tell(&mut driver, TreeAnswer::Listed(Ok(listed)));
    driver.size = (120, 36);
    driver.frame();
    driver.press("pgdn pgdn pgdn");
    picture(&mut driver, "tasks_page_trees", (120, 36));
    let screen = driver.text();
    assert!(
        !screen.contains("all is applied") && !screen.contains("elsewhere"),
        "{screen}"
    );
    driver.press("enter");
    let query = HostQuery::Tree(TreeQuery::Changes(task.clone()));
    assert_eq!(asked(&mut driver), [query]);
    let removed = Ok(RemovedTree {
        task: task.clone(),
        discarded: HeldWork::default(),
        ignored: 0,
    });
    tell(&mut driver, TreeAnswer::Removed { task, removed });
    assert_eq!(
        asked(&mut driver),
        [HostQuery::Tree(TreeQuery::List)],
        "the list is read again"
    );
}
