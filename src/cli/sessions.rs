//! `lathe sessions`: what was talked about, for people and, as INTERFACE section 4 shapes it, for programs.

mod transcript;

use serde_json::json;

use super::args::SessionsCommand;
use super::failure::Failure;
use super::output::{moment, print, print_json, table};
use crate::config::Dirs;
use crate::conversation::SessionId;
use crate::session::export;
use crate::store::{SessionRow, Store};
use crate::text::sanitize::sanitize_line;
use crate::text::width::truncate;

/// Columns of a title in a list.
const TITLE: usize = 60;

/// How the answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    People,
    Json,
}

pub(super) fn sessions(command: SessionsCommand, style: Style) -> Result<(), Failure> {
    let store = Store::open(&Dirs::from_env()?.data)?;
    match command {
        SessionsCommand::List => list(&store, style),
        SessionsCommand::Show { id } => show(&store, &id, style),
    }
}

fn list(store: &Store, style: Style) -> Result<(), Failure> {
    let rows = store.list(None)?;
    match style {
        Style::Json => print_json(&json!({ "sessions": rows })),
        Style::People if rows.is_empty() => print("no sessions\n"),
        Style::People => print(&table(&rows.iter().map(row).collect::<Vec<_>>())),
    }
}

fn row(session: &SessionRow) -> [String; 5] {
    let title = sanitize_line(&session.title);
    let messages = match session.messages {
        1 => "1 message".to_owned(),
        count => format!("{count} messages"),
    };
    let project = session.project.to_string_lossy();
    [
        session.id.to_string(),
        moment(session.updated),
        messages,
        truncate(&title, TITLE).into_owned(),
        sanitize_line(&project).into_owned(),
    ]
}

fn show(store: &Store, id: &SessionId, style: Style) -> Result<(), Failure> {
    let Some(session) = store.get(id)? else {
        let failure = Failure::missing(format!("there is no session `{id}`"));
        return Err(failure.hinted("`lathe sessions list` shows them all."));
    };
    let messages = store.load(id)?;
    match style {
        Style::Json => print_json(&export::json(&session, &messages)),
        Style::People => print(&transcript::text(&session, &messages)),
    }
}
