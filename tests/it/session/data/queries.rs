//! Questions of a session to a person, and of a front end to a session.

use std::sync::Arc;

use lathe::conversation::{CallId, MessageId, SessionId};
use lathe::journal::PlannedAction;
use lathe::permission::{
    Action, Ask, CommandWord, DelegatedTask, DeletedFiles, Editable, Floor, Inquiry, InquiryRow, Location,
    PermissionKey, Rule, Scope, Source, Subject, Verdict,
};
use lathe::question::{Form, FormOption, FormQuestion, Question, QuestionKind};
use lathe::session::export::ExportFormat;
use lathe::session::query::{
    Answer, CacheMiss, ChangeScope, ChangedFile, Changes, ContextGroup, ContextItem, ContextSource,
    ContextUse, Costs, ExportOutcome, ExportRequest, FileState, MissCause, Query, Revert, StatusGroup,
};
use lathe::session::undo::{UndoDirection, UndoFile, UndoList, UndoOutcome, UndoRequest, UndoScope};
use lathe::store::Spending;

use super::cards::card;
use super::terminals::{lines, screen};
use super::{EXACT, args, every, question_id, round_trip, usage};

pub(super) fn question() -> Question {
    Question {
        id: question_id(),
        session: SessionId::new(),
        call: CallId::new(),
        agent: "explore".into(),
        about: QuestionKind::Permission(Arc::new(Inquiry {
            tool: "bash".into(),
            delegated: Some(DelegatedTask {
                by: vec!["build".into()],
                task: "look".into(),
            }),
            rows: vec![row()],
            title: "bash wants to run".into(),
            card: card(),
            directory: "/p".into(),
            sandbox: Some("workspace-write".into()),
            editable: Some(Editable::new(args(), None)),
        })),
    }
}

fn row() -> InquiryRow {
    let home = Some("/home/u".as_ref());
    InquiryRow {
        ask: Ask {
            key: PermissionKey::BASH,
            subject: Subject {
                text: "rm x".into(),
                also: vec!["/p/rm x".into()],
                restrict_also: vec!["rm y".into()],
                may_begin_with: Some("rm".into()),
                read_only: false,
                destroys: true,
                words: vec![CommandWord {
                    text: "rm".into(),
                    is_certain: true,
                }],
                bound_to: Some(["cat".to_owned()].into()),
            },
            always: vec!["rm *".into()],
            floor: Floor::Ask,
            location: Location::InProject,
            destructive: true,
            deletes: Some(DeletedFiles {
                files: 3,
                is_all: true,
                is_here: false,
            }),
        },
        verdict: Verdict {
            action: Action::Ask,
            rule: Some(Rule::new(
                "ba*",
                "~/b?n/* *",
                Action::Ask,
                Source::Global("/c/lathe.jsonc".into()),
                home,
            )),
        },
        preticked: false,
    }
}

pub(super) fn form() -> Question {
    Question {
        id: question_id(),
        session: SessionId::new(),
        call: CallId::new(),
        agent: "plan".into(),
        about: QuestionKind::Form(Arc::new(Form {
            title: "plan has 1 question".into(),
            card: Some(card()),
            questions: vec![FormQuestion {
                question: "Which?".into(),
                header: String::new(),
                options: vec![FormOption {
                    label: "this".into(),
                    description: Some("that one".into()),
                }],
                multiple: true,
                own_words: Some("Something else".into()),
                default: Some(0),
            }],
        })),
    }
}

#[test]
fn questions_and_forms_are_data() {
    round_trip(&question());
    round_trip(&form());
    let inquiry = || question().permission().expect("it is one").about;
    let sheet = || form().form().expect("it is one").about;
    every!(QuestionKind {
        QuestionKind::Permission(_) => QuestionKind::Permission(inquiry());
        QuestionKind::Form(_) => QuestionKind::Form(sheet());
    });
    every!(Source {
        Source::Default => Source::Default;
        Source::Global(_) => Source::Global("/a".into());
        Source::Extra(_) => Source::Extra("/a".into());
        Source::Project(_) => Source::Project("/a".into());
        Source::Managed(_) => Source::Managed("/a".into());
        Source::Imported(_) => Source::Imported("/a".into());
        Source::Agent(_) => Source::Agent("own".into());
        Source::Grant(_) => Source::Grant(Scope::Project);
    });
    every!(Action {
        Action::Allow => Action::Allow;
        Action::Ask => Action::Ask;
        Action::Deny => Action::Deny;
    });
    every!(Floor {
        Floor::Rules => Floor::Rules;
        Floor::Ask => Floor::Ask;
        Floor::Denied => Floor::Denied;
    });
    every!(Location {
        Location::Elsewhere => Location::Elsewhere;
        Location::InProject => Location::InProject;
    });
}

/// A rule reads and matches the same on the other side.
#[test]
fn a_rule_matches_the_same_after_bytes() {
    let bytes = serde_json::to_vec(&row()).unwrap();
    let back: InquiryRow = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(back, row());
    let pattern = back.verdict.rule.unwrap().pattern;
    assert!(pattern.matches("/home/u/bin/x y") && !pattern.matches("/home/v/bin/x y"));
}

#[test]
fn every_query_is_data() {
    let keep = ExportRequest {
        format: ExportFormat::Json,
        path: "~/a.json".into(),
        replace: true,
    };
    let revert = Revert {
        path: "a.rs".into(),
        real: "/p/a.rs".into(),
        hunk: "@@ -1 +1 @@\n-a\n+b\n".into(),
        is_added: false,
    };
    every!(Query {
        Query::Context => Query::Context;
        Query::Costs => Query::Costs;
        Query::Status => Query::Status;
        Query::Changes(_) => Query::Changes(ChangeScope::Turn);
        Query::Revert(_) => Query::Revert(revert.clone());
        Query::Export(_) => Query::Export(ExportFormat::Markdown);
        Query::Keep(_) => Query::Keep(keep.clone());
        Query::Fit { .. } => Query::Fit { question: question_id(), args: args() };
        Query::Card { .. } => Query::Card { call: CallId::new(), expanded: true };
        Query::Terminal { .. } => Query::Terminal { name: "dev".into(), seen: Some(7) };
        Query::TerminalHistory(_) => Query::TerminalHistory("dev".into());
        Query::AtWork => Query::AtWork;
        Query::UndoList(_) => Query::UndoList(Some(MessageId::new()));
        Query::RedoList => Query::RedoList;
        Query::Undo(_) => Query::Undo(UndoRequest {
            to: Some(MessageId::new()),
            scope: UndoScope::Files,
            skips_changed: true,
        });
        Query::Redo { .. } => Query::Redo { skips_changed: true };
    });
    every!(UndoScope {
        UndoScope::Both => UndoScope::Both;
        UndoScope::Files => UndoScope::Files;
        UndoScope::Conversation => UndoScope::Conversation;
    });
    every!(PlannedAction {
        PlannedAction::Restore => PlannedAction::Restore;
        PlannedAction::Delete => PlannedAction::Delete;
        PlannedAction::Create => PlannedAction::Create;
        PlannedAction::Mode => PlannedAction::Mode;
    });
    every!(ChangeScope {
        ChangeScope::Session => ChangeScope::Session;
        ChangeScope::Turn => ChangeScope::Turn;
        ChangeScope::WorkTree => ChangeScope::WorkTree;
    });
    every!(ExportFormat {
        ExportFormat::Markdown => ExportFormat::Markdown;
        ExportFormat::Json => ExportFormat::Json;
    });
}

#[test]
fn every_answer_to_a_query_is_data() {
    let status: StatusGroup = super::read(serde_json::json!({
        "title": "Session", "rows": [["id", "ses_1"], ["mode", "ask"]]
    }));
    every!(Answer {
        Answer::Context(_) => Answer::Context(context());
        Answer::Costs(_) => Answer::Costs(costs());
        Answer::Status(_) => Answer::Status(vec![status.clone()]);
        Answer::Changes(_) => Answer::Changes(changes());
        Answer::Reverted(_) => Answer::Reverted("a.rs".into());
        Answer::Export(_) => Answer::Export("# One\n".into());
        Answer::Kept(_) => Answer::Kept(ExportOutcome::Exists("/p/a.md".into()));
        Answer::Fits(_) => Answer::Fits(args());
        Answer::Unfit(_) => Answer::Unfit("`command` is missing".into());
        Answer::Card(_) => Answer::Card(Some(Box::new(card())));
        Answer::Terminal(_) => Answer::Terminal(Some(Box::new(screen())));
        Answer::TerminalHistory(_) => Answer::TerminalHistory(Some(lines()));
        Answer::AtWork { .. } => Answer::AtWork { is_at_work: true, seq: 7 };
        Answer::UndoList(_) => Answer::UndoList(Box::new(undo_list()));
        Answer::Undone(_) => Answer::Undone(UndoOutcome { files: 1, messages: 2 });
        Answer::Failed(_) => Answer::Failed("No.".into());
    });
    every!(ExportOutcome {
        ExportOutcome::Written { .. } => ExportOutcome::Written { path: "/p/a.md".into(), bytes: 9 };
        ExportOutcome::Exists(_) => ExportOutcome::Exists("/p/a.md".into());
    });
    every!(MissCause {
        MissCause::Joined(_) => MissCause::Joined("todo".into());
        MissCause::Agent => MissCause::Agent;
        MissCause::Model => MissCause::Model;
        MissCause::Masked => MissCause::Masked;
        MissCause::Compacted => MissCause::Compacted;
        MissCause::Withheld => MissCause::Withheld;
        MissCause::SentAgain => MissCause::SentAgain;
        MissCause::Expired => MissCause::Expired;
        MissCause::Provider => MissCause::Provider;
    });
    every!(FileState {
        FileState::Added => FileState::Added;
        FileState::Changed => FileState::Changed;
        FileState::Removed => FileState::Removed;
        FileState::Moved(_) => FileState::Moved("b.rs".into());
    });
    every!(ContextSource {
        ContextSource::System => ContextSource::System;
        ContextSource::Schemas => ContextSource::Schemas;
        ContextSource::User => ContextSource::User;
        ContextSource::Answers => ContextSource::Answers;
        ContextSource::Reasoning => ContextSource::Reasoning;
        ContextSource::Calls => ContextSource::Calls;
        ContextSource::Results => ContextSource::Results;
        ContextSource::Pictures => ContextSource::Pictures;
        ContextSource::Summary => ContextSource::Summary;
    });
}

fn undo_list() -> UndoList {
    UndoList {
        direction: UndoDirection::Undo,
        to: Some(MessageId::new()),
        prompt: "go".into(),
        created: 1,
        messages: 2,
        files: vec![UndoFile {
            path: "a.rs".into(),
            action: PlannedAction::Restore,
            refused: Some("has changed since".into()),
            is_in_the_way: true,
            note: Some("a command changed it too".into()),
            diff: "--- a\n".into(),
            additions: 1,
            deletions: 2,
        }],
    }
}

fn context() -> ContextUse {
    ContextUse {
        groups: vec![ContextGroup {
            source: ContextSource::Calls,
            items: vec![ContextItem {
                name: "read".into(),
                count: 2,
                tokens: 101,
            }],
        }],
        reported: Some(900),
        limit: None,
        maskable: 40,
        compactable: 60,
        misses: vec![CacheMiss {
            cause: MissCause::Model,
            tokens: 900,
            cost: Some(EXACT),
        }],
    }
}

fn costs() -> Costs {
    let spending = Spending {
        model: "a/b".into(),
        agent: "build".into(),
        requests: 2,
        usage: usage(),
        cost: EXACT,
        unpriced: 1,
    };
    Costs {
        session: vec![spending.clone()],
        turn: Some(Vec::new()),
        project_today: vec![spending],
        today: Vec::new(),
        earlier: usage(),
    }
}

fn changes() -> Changes {
    Changes {
        scope: ChangeScope::WorkTree,
        files: vec![ChangedFile {
            path: "a.rs".into(),
            real: "/p/a.rs".into(),
            state: FileState::Added,
            additions: 1,
            deletions: 0,
            diff: "@@ -0,0 +1 @@\n+a\n".into(),
            note: Some("binary".into()),
            reverts: true,
        }],
        note: None,
    }
}
