//! Queries to the host, and their answers.

use std::time::Duration;

use lathe::conversation::{Role, SessionId, TaskId};
use lathe::session::host::{
    ApplyResult, ChangeKind, Conflict, FileSelection, FoundText, HeldWork, HostAnswer, HostQuery,
    ListedSession, OldSessions, Prompt, Removal, RemovedTree, Selection, SessionMarks, SessionRow,
    TreeAnswer, TreeChanges, TreeFile, TreeHunk, TreeQuery, TreeState, TreeSummary,
};
use lathe::session::{ErrorReport, ReportKind};

use super::{EXACT, every, model, usage};

fn session() -> SessionId {
    SessionId::new()
}

fn prompt() -> Prompt {
    Prompt {
        at: 1,
        project: "/p".into(),
        draft: "say\n".into(),
        unsent: true,
    }
}

fn listed(is_child: bool) -> ListedSession {
    ListedSession {
        row: SessionRow {
            id: session(),
            title: "one".into(),
            project: "/p/ü".into(),
            directory: "/p/ü/a".into(),
            agent: "build".into(),
            model: is_child.then(model),
            parent: is_child.then(session),
            created: -1,
            updated: 2,
            messages: 3,
            cost: Some(EXACT),
            usage: usage(),
            marks: if is_child {
                marks()
            } else {
                SessionMarks::default()
            },
        },
        idle: Duration::new(1, 5),
        held: Some("process 1".into()),
        removed_in: is_child.then(|| Duration::from_secs(5)),
    }
}

fn marks() -> SessionMarks {
    SessionMarks {
        pinned: true,
        tags: vec!["bug".into(), "ü".into()],
        announced: Some(4),
    }
}

fn report() -> ErrorReport {
    ErrorReport {
        kind: ReportKind::Storage,
        message: "no".into(),
        hint: None,
    }
}

#[test]
fn every_query_of_the_host_and_its_answer_is_data() {
    every!(HostQuery {
        HostQuery::List => HostQuery::List;
        HostQuery::Open => HostQuery::Open;
        HostQuery::Prompts => HostQuery::Prompts;
        HostQuery::KeepPrompt(_) => HostQuery::KeepPrompt(prompt());
        HostQuery::Search(_) => HostQuery::Search("a\n".into());
        HostQuery::Look { .. } => HostQuery::Look { session: session(), searched: "é".into() };
        HostQuery::Pin(..) => HostQuery::Pin(session(), true);
        HostQuery::Tag(..) => HostQuery::Tag(session(), "#a b".into());
        HostQuery::Holder(_) => HostQuery::Holder(session());
        HostQuery::Place { .. } => HostQuery::Place { session: session(), directory: "../ü".into() };
        HostQuery::RemoveOld => HostQuery::RemoveOld;
        HostQuery::Rename(..) => HostQuery::Rename(session(), "two".into());
        HostQuery::Delete(_) => HostQuery::Delete(session());
        HostQuery::Tree(_) => HostQuery::Tree(TreeQuery::List);
    });
    every!(HostAnswer {
        HostAnswer::Prompts(_) => HostAnswer::Prompts(vec![prompt()]);
        HostAnswer::PromptKept => HostAnswer::PromptKept;
        HostAnswer::Open(_) => HostAnswer::Open(vec![session()]);
        HostAnswer::Listed { .. } =>
            HostAnswer::Listed { project: "/p".into(), sessions: Ok(vec![listed(false), listed(true)]) },
            HostAnswer::Listed { project: "/p".into(), sessions: Err(report()) };
        HostAnswer::Found { .. } => HostAnswer::Found {
            searched: "a".into(),
            sessions: Ok(vec![(session(), "an a".into())]),
        };
        HostAnswer::Looked { .. } => HostAnswer::Looked {
            session: session(),
            searched: "é".into(),
            words: Ok(vec![FoundText { role: Role::Assistant, text: "é".into() }]),
        };
        HostAnswer::Holder { .. } => HostAnswer::Holder { session: session(), holder: Some("process 1".into()) };
        HostAnswer::Place { .. } => HostAnswer::Place { session: session(), place: Ok("/p/ü".into()) };
        HostAnswer::Renamed { .. } => HostAnswer::Renamed { session: session(), title: Ok("two".into()) };
        HostAnswer::Marked { .. } => HostAnswer::Marked { session: session(), marks: Ok(marks()) };
        HostAnswer::OldRemoved(_) =>
            HostAnswer::OldRemoved(None),
            HostAnswer::OldRemoved(Some(Ok(OldSessions {
                announced: 1, removed: 2, kept_for: Duration::from_secs(3),
            })));
        HostAnswer::Deleted { .. } => HostAnswer::Deleted { session: session(), done: Ok(()) };
        HostAnswer::Tree(_) => HostAnswer::Tree(TreeAnswer::Listed(Ok(vec![tree()])));
    });
}

fn task() -> TaskId {
    TaskId::of(&session())
}

fn tree() -> TreeSummary {
    TreeSummary {
        task: task(),
        session: session(),
        path: "/d/worktrees/p/ü".into(),
        base: "0".into(),
        additions: 1,
        deletions: 2,
        files: 3,
        state: TreeState::Unapplied,
        title: "look\n".into(),
        project: Some("/p/ü".into()),
        note: Some("é".into()),
    }
}

fn changed(kind: ChangeKind) -> TreeFile {
    TreeFile {
        path: "a".into(),
        from: (kind == ChangeKind::Moved).then(|| "b".into()),
        kind,
        version: "1..2".into(),
        additions: 1,
        deletions: 0,
        hunks: vec![TreeHunk {
            text: "@@ -1 +1 @@\n".into(),
            additions: 1,
            deletions: 0,
        }],
        note: None,
        configures: true,
    }
}

#[test]
fn every_query_about_trees_and_its_answer_is_data() {
    let files = vec![
        FileSelection {
            path: "a".into(),
            version: "1..2".into(),
            hunks: None,
        },
        FileSelection {
            path: "b".into(),
            version: "..2".into(),
            hunks: Some(vec![0, 2]),
        },
    ];
    every!(TreeQuery {
        TreeQuery::List => TreeQuery::List;
        TreeQuery::Changes(_) => TreeQuery::Changes(task());
        TreeQuery::Apply(..) =>
            TreeQuery::Apply(task(), Selection::All),
            TreeQuery::Apply(task(), Selection::Ordinary),
            TreeQuery::Apply(task(), Selection::Files(files.clone()));
        TreeQuery::Remove(..) =>
            TreeQuery::Remove(task(), Removal::Settled),
            TreeQuery::Remove(task(), Removal::Discard);
    });
    every!(ChangeKind {
        ChangeKind::Added => ChangeKind::Added;
        ChangeKind::Changed => ChangeKind::Changed;
        ChangeKind::Removed => ChangeKind::Removed;
        ChangeKind::Moved => ChangeKind::Moved;
    });
    every!(TreeState {
        TreeState::Live => TreeState::Live;
        TreeState::Unapplied => TreeState::Unapplied;
        TreeState::Applied => TreeState::Applied;
        TreeState::Empty => TreeState::Empty;
    });
    every!(TreeAnswer {
        TreeAnswer::Listed(_) => TreeAnswer::Listed(Ok(vec![tree()])), TreeAnswer::Listed(Err(report()));
        TreeAnswer::Changes { .. } => TreeAnswer::Changes {
            task: task(),
            changes: Ok(TreeChanges {
                task: task(),
                files: vec![changed(ChangeKind::Added), changed(ChangeKind::Moved)],
                note: Some("x".into()),
            }),
        };
        TreeAnswer::Applied { .. } => TreeAnswer::Applied {
            task: task(),
            applied: Ok(ApplyResult {
                applied: vec!["a".into()],
                conflicts: vec![Conflict { path: "b".into(), why: "é".into() }],
                left_out: vec!["lathe.jsonc".into()],
            }),
        };
        TreeAnswer::Removed { .. } => TreeAnswer::Removed {
            task: task(),
            removed: Ok(RemovedTree {
                task: task(),
                discarded: HeldWork { files: vec!["a".into()], note: Some("x".into()) },
                ignored: 4,
            }),
        };
    });
}
