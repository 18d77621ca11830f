//! Queries beside the conversation.

use super::*;
use crate::screen_reader::host_requests::{HostReport, PageQuery};
use crate::screen_reader::pages::sessions::SessionSearch;
use crate::session::host::SessionTarget;
use crate::session::query::{
    Answer, ChangeScope, ChangedFile, Changes, ExportOutcome, ExportRequest, FileState,
};
use crate::session::{ErrorReport, ReportKind};
use crate::session::{Grant, GrantOrigin, GrantScope};

/// The one errand that is begun now.
fn begun(talk: &mut ReaderSession) -> HostRequest {
    let mut effects = talk.take_effects();
    assert_eq!(effects.len(), 1);
    match effects.remove(0) {
        Effect::Begin(host_request) => host_request,
        Effect::Send(_) | Effect::Leave => panic!("no errand"),
    }
}

/// Types a line that looks something up, and gives it the answer.
fn look(talk: &mut ReaderSession, line: &str, answer: impl FnOnce(&PageQuery) -> Answer) -> String {
    talk.read(line);
    let HostRequest::Look(page) = begun(talk) else {
        panic!("`{line}` asks nothing")
    };
    talk.take_text();
    let answer = answer(&page);
    talk.learn(HostReport::Looked(page, answer));
    talk.take_text()
}

fn grant(id: i64, pattern: &str) -> Grant {
    Grant {
        id,
        key: "bash".to_owned(),
        pattern: pattern.to_owned(),
        scope: GrantScope::Global,
        origin: GrantOrigin::default(),
        created: 0,
    }
}

#[test]
fn rules_are_listed_newest_first_and_revoked_by_number() {
    let mut talk = talk();
    let rules = Arc::new(vec![grant(3, "cargo *"), grant(9, "git log *")]);
    // Somebody else has asked.
    talk.hear(&Event::Grants(Arc::clone(&rules)));
    assert_eq!(talk.take_text(), "");
    talk.read("/permissions");
    assert!(matches!(
        talk.take_effects().as_slice(),
        [Effect::Send(Op::ListGrants)]
    ));
    talk.hear(&Event::Grants(rules));
    let text = talk.take_text();
    assert!(
        text.contains("\n1 bash git log *, everywhere,") && text.contains("\n2 bash cargo *, everywhere,"),
        "{text}"
    );
    talk.read("/revoke 2");
    assert!(matches!(
        talk.take_effects().as_slice(),
        [Effect::Send(Op::RevokeGrant(3))]
    ));
    talk.hear(&Event::Grants(Arc::new(vec![grant(9, "git log *")])));
    assert_eq!(talk.take_text(), "Revoked: bash cargo *.\n> ");
    for line in ["/revoke 7", "/revoke", "/revoke 0", "/revoke bash"] {
        talk.read(line);
        assert!(talk.take_effects().is_empty(), "{line}");
        assert!(talk.take_text().starts_with("Write a number"), "{line}");
    }
}

#[test]
fn a_rule_that_could_not_be_revoked_is_not_said_to_be() {
    let mut talk = talk();
    let rules = Arc::new(vec![grant(3, "cargo *")]);
    talk.read("/permissions");
    talk.hear(&Event::Grants(Arc::clone(&rules)));
    talk.read("/revoke 1");
    talk.take_text();
    talk.hear(&Event::Notice(
        "the permission stays: the disk is full".to_owned(),
    ));
    talk.hear(&Event::Grants(rules));
    assert_eq!(
        talk.take_text(),
        "Note: the permission stays: the disk is full\n> "
    );
}

#[test]
fn a_file_of_the_changes_is_told_by_the_number_it_was_told_with() {
    let mut talk = talk();
    talk.read("/diff 1");
    assert!(talk.take_text().starts_with("No file 1 was told"));
    let file = ChangedFile {
        path: "a.rs".to_owned(),
        real: "/project/a.rs".into(),
        state: FileState::Added,
        additions: 1,
        deletions: 0,
        diff: "@@ -0,0 +1 @@\n+one\n".to_owned(),
        note: None,
        reverts: true,
    };
    let text = look(&mut talk, "/diff turn", |page| {
        let PageQuery::Changes(scope) = page else { panic!() };
        assert_eq!(*scope, ChangeScope::Turn);
        Answer::Changes(Changes {
            scope: *scope,
            files: vec![file],
            note: None,
        })
    });
    assert!(
        text.contains("\n1 a.rs, new, 1 line added, 0 removed\n"),
        "{text}"
    );
    talk.read("/diff 1");
    assert_eq!(
        talk.take_text(),
        "a.rs, new, 1 line added, 0 removed.\nAt line 1:\n| added 1: one\n> "
    );
    talk.read("/diff nonsense");
    assert!(talk.take_text().starts_with("/diff takes session, turn or tree"));
}

#[test]
fn an_export_replaces_a_file_only_when_that_is_said() {
    let mut talk = talk();
    let keep = |page: &PageQuery| match page {
        PageQuery::Export(keep) => keep.clone(),
        _ => panic!(),
    };
    let text = look(&mut talk, "/export", |page| {
        assert_eq!(keep(page).path, "lathe-a-title.md");
        Answer::Kept(ExportOutcome::Exists("/project/lathe-a-title.md".into()))
    });
    assert_eq!(
        text,
        "/project/lathe-a-title.md is there already and stays; /export replace writes over it.\n> "
    );
    let text = look(&mut talk, "/export replace", |page| {
        let ExportRequest { path, replace, .. } = keep(page);
        assert_eq!((path.as_str(), replace), ("lathe-a-title.md", true));
        Answer::Kept(ExportOutcome::Written {
            path: "/project/lathe-a-title.md".into(),
            bytes: 12,
        })
    });
    assert_eq!(text, "The session is in /project/lathe-a-title.md, 12 bytes.\n> ");
    look(&mut talk, "/export replace", |page| {
        assert!(!keep(page).replace, "nothing is to be replaced any more");
        Answer::Failed("It was not written.".to_owned())
    });
}

#[test]
fn another_session_is_opened_only_where_nothing_is_lost_by_that() {
    let mut talk = talk();
    talk.read("/sessions 2");
    assert!(talk.take_text().starts_with("No session 2 was told"));
    talk.read("/sessions all retry");
    let sought = begun(&mut talk);
    let HostRequest::Find(SessionSearch { text, everywhere }) = sought else {
        panic!("{sought:?}")
    };
    assert_eq!((text.as_str(), everywhere), ("retry", true));
    talk.hear(&Event::TurnStarted);
    talk.read("/new");
    assert!(talk.take_effects().is_empty());
    assert!(talk.take_text().contains("Something runs here."));
    talk.hear(&Event::TurnEnded(TurnEndReason::Stop));
    talk.read("/new");
    assert!(matches!(begun(&mut talk), HostRequest::Open(SessionTarget::New)));
    talk.take_text();
    talk.read("hello");
    assert!(talk.take_effects().is_empty());
    assert_eq!(
        talk.take_text(),
        "Another session is being opened; this was not read: hello\n"
    );
    talk.learn(HostReport::NotOpened(ErrorReport {
        kind: ReportKind::Storage,
        message: "its directory is gone".to_owned(),
        hint: None,
    }));
    assert_eq!(
        talk.take_text(),
        "The session was not opened: its directory is gone\n> "
    );
    talk.read("hello");
    assert_eq!(sends(&mut talk), 1);
}

#[test]
fn what_could_not_be_looked_up_is_a_sentence() {
    let mut talk = talk();
    for line in ["/context all", "/cost", "/status all"] {
        let text = look(&mut talk, line, |_| {
            Answer::Failed("The disk is gone.".to_owned())
        });
        assert_eq!(text, "The disk is gone.\n> ", "{line}");
    }
    talk.read("/context some");
    assert_eq!(talk.take_text(), "/context takes nothing but all.\n> ");
}
