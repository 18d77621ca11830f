//! Queries beside the conversation.

use super::*;
use crate::conversation::PermissionKey;
use crate::screen_reader::host_requests::{HostReport, PageQuery};
use crate::screen_reader::pages::sessions::SessionSearch;
use crate::session::host::SessionTarget;
use crate::session::query::{
    Answer, ChangeScope, ChangedFile, Changes, ExportOutcome, ExportRequest, FileState,
};
use crate::session::{ErrorReport, ReportKind};
use crate::session::{Grant, GrantOrigin, GrantScope};

/// The one request that is begun now.
fn begun(reader: &mut ReaderSession) -> HostRequest {
    let mut effects = reader.take_effects();
    assert_eq!(effects.len(), 1);
    match effects.remove(0) {
        Effect::Begin(host_request) => host_request,
        Effect::Send(_) | Effect::SendToMain(_) | Effect::Leave => panic!("no request"),
    }
}

/// Types a line that looks something up, and gives it the answer.
fn look(reader: &mut ReaderSession, line: &str, answer: impl FnOnce(&PageQuery) -> Answer) -> String {
    reader.read(line);
    let HostRequest::Look(page) = begun(reader) else {
        panic!("`{line}` asks nothing")
    };
    reader.take_text();
    let answer = answer(&page);
    reader.take_report(HostReport::Looked(page, answer));
    reader.take_text()
}

fn grant(id: i64, pattern: &str) -> Grant {
    Grant {
        id,
        key: PermissionKey::BASH,
        pattern: pattern.to_owned(),
        scope: GrantScope::Global,
        origin: GrantOrigin::default(),
        created: 0,
    }
}

#[test]
fn rules_are_listed_newest_first_and_revoked_by_number() {
    let mut reader = reader();
    let rules = Arc::new(vec![grant(3, "cargo *"), grant(9, "git log *")]);
    // Somebody else has asked.
    reader.take_event(&Event::Grants(Arc::clone(&rules)));
    assert_eq!(reader.take_text(), "");
    reader.read("/permissions");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::ListGrants)]
    ));
    reader.take_event(&Event::Grants(rules));
    let text = reader.take_text();
    assert!(
        text.contains("\n1 bash git log *, everywhere,") && text.contains("\n2 bash cargo *, everywhere,"),
        "{text}"
    );
    reader.read("/revoke 2");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::RevokeGrant(3))]
    ));
    reader.take_event(&Event::Grants(Arc::new(vec![grant(9, "git log *")])));
    assert_eq!(reader.take_text(), "Revoked: bash cargo *.\n> ");
    for line in ["/revoke 7", "/revoke", "/revoke 0", "/revoke bash"] {
        reader.read(line);
        assert!(reader.take_effects().is_empty(), "{line}");
        assert!(reader.take_text().starts_with("Write a number"), "{line}");
    }
}

#[test]
fn a_rule_that_could_not_be_revoked_is_not_said_to_be() {
    let mut reader = reader();
    let rules = Arc::new(vec![grant(3, "cargo *")]);
    reader.read("/permissions");
    reader.take_event(&Event::Grants(Arc::clone(&rules)));
    reader.read("/revoke 1");
    reader.take_text();
    reader.take_event(&Event::Notice(
        "the permission stays: the disk is full".to_owned(),
    ));
    reader.take_event(&Event::Grants(rules));
    assert_eq!(
        reader.take_text(),
        "Note: the permission stays: the disk is full\n> "
    );
}

#[test]
fn a_file_of_the_changes_is_told_by_the_number_it_was_told_with() {
    let mut reader = reader();
    reader.read("/diff 1");
    assert!(reader.take_text().starts_with("There is no file 1"));
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
    let text = look(&mut reader, "/diff turn", |page| {
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
    reader.read("/diff 1");
    assert_eq!(
        reader.take_text(),
        "a.rs, new, 1 line added, 0 removed.\nAt line 1:\n| added 1: one\n> "
    );
    reader.read("/diff nonsense");
    assert!(
        reader
            .take_text()
            .starts_with("/diff takes session, turn or tree")
    );
}

#[test]
fn an_export_replaces_a_file_only_when_that_is_said() {
    let mut reader = reader();
    let keep = |page: &PageQuery| match page {
        PageQuery::Export(keep) => keep.clone(),
        _ => panic!(),
    };
    let text = look(&mut reader, "/export", |page| {
        assert_eq!(keep(page).path, "lathe-a-title.md");
        Answer::Kept(ExportOutcome::Exists("/project/lathe-a-title.md".into()))
    });
    assert_eq!(
        text,
        "/project/lathe-a-title.md already exists; /export replace overwrites it.\n> "
    );
    let text = look(&mut reader, "/export replace", |page| {
        let ExportRequest { path, replace, .. } = keep(page);
        assert_eq!((path.as_str(), replace), ("lathe-a-title.md", true));
        Answer::Kept(ExportOutcome::Written {
            path: "/project/lathe-a-title.md".into(),
            bytes: 12,
        })
    });
    assert_eq!(
        text,
        "The session was exported to /project/lathe-a-title.md, 12 bytes.\n> "
    );
    look(&mut reader, "/export replace", |page| {
        assert!(!keep(page).replace, "nothing is to be replaced any more");
        Answer::Failed("It was not written.".to_owned())
    });
}

#[test]
fn another_session_is_opened_only_where_nothing_is_lost_by_that() {
    let mut reader = reader();
    reader.read("/sessions 2");
    assert!(reader.take_text().starts_with("There is no session 2"));
    reader.read("/sessions all retry");
    let sought = begun(&mut reader);
    let HostRequest::Find(SessionSearch { text, everywhere }) = sought else {
        panic!("{sought:?}")
    };
    assert_eq!((text.as_str(), everywhere), ("retry", true));
    reader.take_event(&Event::TurnStarted);
    reader.read("/new");
    assert!(reader.take_effects().is_empty());
    assert!(reader.take_text().contains("Something is running here."));
    reader.take_event(&Event::TurnEnded(TurnEndReason::Stop));
    reader.read("/new");
    assert!(matches!(
        begun(&mut reader),
        HostRequest::Open(SessionTarget::New)
    ));
    reader.take_text();
    reader.read("hello");
    assert!(reader.take_effects().is_empty());
    assert_eq!(
        reader.take_text(),
        "Another conversation is being opened; this was ignored: hello\n"
    );
    reader.take_report(HostReport::NotOpened(ErrorReport {
        kind: ReportKind::Storage,
        message: "its directory is gone".to_owned(),
        hint: None,
    }));
    assert_eq!(
        reader.take_text(),
        "The session was not opened: its directory is gone\n> "
    );
    reader.read("hello");
    assert_eq!(sends(&mut reader), 1);
}

#[test]
fn cd_has_the_session_go_on_in_the_named_directory() {
    let mut reader = reader();
    reader.read("/cd");
    assert!(reader.take_effects().is_empty());
    assert!(reader.take_text().contains("Name the directory"));
    reader.read("/cd ../other");
    let wanted = begun(&mut reader);
    let HostRequest::Open(SessionTarget::Moved(_, directory)) = wanted else {
        panic!("{wanted:?}")
    };
    assert_eq!(directory, std::path::Path::new("../other"));
}

#[test]
fn what_could_not_be_looked_up_is_a_sentence() {
    let mut reader = reader();
    for line in ["/context all", "/cost", "/status all"] {
        let text = look(&mut reader, line, |_| {
            Answer::Failed("The disk is gone.".to_owned())
        });
        assert_eq!(text, "The disk is gone.\n> ", "{line}");
    }
    reader.read("/context some");
    assert_eq!(reader.take_text(), "/context takes only all.\n> ");
}
