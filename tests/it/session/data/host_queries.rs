//! Queries to the host, and their answers.

use std::time::Duration;

use lathe::conversation::{Role, SessionId};
use lathe::session::host::{FoundText, HostAnswer, HostQuery, ListedSession, SessionRow};
use lathe::session::{ErrorReport, ReportKind};

use super::{EXACT, every, model, usage};

fn session() -> SessionId {
    SessionId::new()
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
        },
        idle: Duration::new(1, 5),
        held: Some("process 1".into()),
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
        HostQuery::Search(_) => HostQuery::Search("a\n".into());
        HostQuery::LastWords(_) => HostQuery::LastWords(session());
        HostQuery::Rename(..) => HostQuery::Rename(session(), "two".into());
        HostQuery::Delete(_) => HostQuery::Delete(session());
    });
    every!(HostAnswer {
        HostAnswer::Listed { .. } =>
            HostAnswer::Listed { project: "/p".into(), sessions: Ok(vec![listed(false), listed(true)]) },
            HostAnswer::Listed { project: "/p".into(), sessions: Err(report()) };
        HostAnswer::Found { .. } => HostAnswer::Found {
            searched: "a".into(),
            sessions: Ok(vec![(session(), "an a".into())]),
        };
        HostAnswer::LastWords { .. } => HostAnswer::LastWords {
            session: session(),
            words: Ok(vec![FoundText { role: Role::Assistant, text: "é".into() }]),
        };
        HostAnswer::Renamed { .. } => HostAnswer::Renamed { session: session(), title: Ok("two".into()) };
        HostAnswer::Deleted { .. } => HostAnswer::Deleted { session: session(), done: Ok(()) };
    });
}
