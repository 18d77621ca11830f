//! `lathe sessions`: what was talked about, for people and, as INTERFACE section 4 shapes it, for programs.

mod transcript;
mod undo;

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use super::args::SessionsCommand;
use super::failure::Failure;
use super::output::{moment, print, print_json, print_note, table};
use super::place::Locations;
use crate::config::Dirs;
use crate::conversation::{ModelRef, Role, SessionId};
use crate::session::export::{self, ExportFormat};
use crate::session::host::{Hit, SessionRow, StoredSessions};
use crate::session::import::{ImportDirectory, ImportSource};
use crate::session::wire;
use crate::text::count::plural;
use crate::text::json::inert;
use crate::text::sanitize::{sanitize, sanitize_line};
use crate::text::width::truncate;

/// Columns of a title in a list.
const TITLE: usize = 60;
/// Columns of a title beside what was found.
const SHORT_TITLE: usize = 30;
/// Messages that a search prints at most.
const HITS: usize = 1000;

/// How the answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputStyle {
    People,
    Json,
}

pub(super) fn sessions(command: SessionsCommand, style: OutputStyle) -> Result<ExitCode, Failure> {
    let stored = StoredSessions::open(&Dirs::from_env()?.data)?;
    let done = match command {
        SessionsCommand::Undo(args) => return undo::undo(&stored, args, style),
        SessionsCommand::Redo(args) => return undo::redo(&stored, &args, style),
        SessionsCommand::List => list(&stored, style),
        SessionsCommand::Show { id } => show(&stored, &id, style),
        SessionsCommand::Search { words } => search(&stored, &words.join(" "), style),
        SessionsCommand::Export { id, format } => export(&stored, &id, format),
        SessionsCommand::Import {
            file,
            from,
            directory,
        } => import(&stored, &file, from, directory.as_deref(), style),
        SessionsCommand::Move { id, directory } => {
            let session = session(&stored, &id)?;
            relocate(&stored, &session, &directory, style)
        }
        SessionsCommand::Delete { id } => {
            let session = session(&stored, &id)?;
            delete(&stored, &session, style)
        }
    };
    done.map(|()| ExitCode::SUCCESS)
}

fn list(stored: &StoredSessions, style: OutputStyle) -> Result<(), Failure> {
    let rows = stored.rows()?;
    match style {
        OutputStyle::Json => print_json(&json!({ "sessions": rows })),
        OutputStyle::People if rows.is_empty() => print("no sessions\n"),
        OutputStyle::People => print(&table(&rows.iter().map(row).collect::<Vec<_>>())),
    }
}

fn row(session: &SessionRow) -> [String; 5] {
    let title = sanitize_line(&session.title);
    let messages = plural(usize::try_from(session.messages).unwrap_or(usize::MAX), "message");
    let project = session.project.to_string_lossy();
    [
        session.id.to_string(),
        moment(session.updated),
        messages,
        truncate(&title, TITLE).into_owned(),
        sanitize_line(&project).into_owned(),
    ]
}

fn show(stored: &StoredSessions, id: &SessionId, style: OutputStyle) -> Result<(), Failure> {
    let session = session(stored, id)?;
    let messages = stored.messages(id)?;
    match style {
        OutputStyle::Json => print_json(&export::json(&session, &messages)),
        OutputStyle::People => print(&transcript::text(&session, &messages)),
    }
}

fn session(stored: &StoredSessions, id: &SessionId) -> Result<SessionRow, Failure> {
    stored.get(id)?.ok_or_else(|| {
        let failure = Failure::missing(format!("there is no session `{id}`"));
        failure.hinted("`lathe sessions list` shows them all.")
    })
}

fn search(stored: &StoredSessions, text: &str, style: OutputStyle) -> Result<(), Failure> {
    if text.trim().is_empty() {
        return Err(Failure::usage("the text to search for is empty"));
    }
    let hits = stored.hits(text, HITS)?;
    if hits.len() == HITS {
        print_note(&format!(
            "only the newest {HITS} messages are shown; add words to narrow the search"
        ));
    }
    match style {
        OutputStyle::Json => print_json(&json!({ "hits": hits })),
        OutputStyle::People if hits.is_empty() => print("nothing found\n"),
        OutputStyle::People => print(&table(&hits.iter().map(hit_row).collect::<Vec<_>>())),
    }
}

fn hit_row(hit: &Hit) -> [String; 5] {
    let who = match hit.role {
        Role::User => "you",
        Role::Assistant => "assistant",
    };
    [
        hit.session.to_string(),
        moment(hit.created),
        truncate(&sanitize_line(&hit.title), SHORT_TITLE).into_owned(),
        who.to_owned(),
        sanitize_line(&hit.excerpt).into_owned(),
    ]
}

fn export(stored: &StoredSessions, id: &SessionId, format: ExportFormat) -> Result<(), Failure> {
    let session = session(stored, id)?;
    let messages = stored.messages(id)?;
    let text = export::text(format, &session, &messages);
    match format {
        ExportFormat::Json => print(&inert(&text)),
        ExportFormat::Markdown => print(&sanitize(&text)),
    }
}

fn import(
    stored: &StoredSessions,
    file: &str,
    from: Option<ImportSource>,
    directory: Option<&Path>,
    style: OutputStyle,
) -> Result<(), Failure> {
    let home = Dirs::from_env()?.home;
    let place = if let Some(named) = directory {
        ImportDirectory::named_by_person(named, home.as_deref())?
    } else {
        let current =
            std::env::current_dir().map_err(|error| Failure::system("the current directory", error))?;
        ImportDirectory::of_import(&current, home.as_deref())?
    };
    let imported = stored.import(file, from, &place, is_usable)?;
    match style {
        OutputStyle::Json => print_json(&json!({ "session": imported.session }))?,
        OutputStyle::People => {
            let title = sanitize_line(&imported.title);
            let messages = plural(imported.messages, "message");
            let title = truncate(&title, TITLE);
            print(&format!("imported {} · {messages} · {title}\n", imported.session))?;
        }
    }
    for note in &imported.notes {
        print_note(note);
    }
    Ok(())
}

fn relocate(
    stored: &StoredSessions,
    session: &SessionRow,
    directory: &Path,
    style: OutputStyle,
) -> Result<(), Failure> {
    let home = Dirs::from_env()?.home;
    let place = ImportDirectory::of_move(directory, home.as_deref())?;
    let moved = stored.relocate(&session.id, &place)?;
    match style {
        OutputStyle::Json => print_json(&json!({ "session": moved.id, "directory": moved.directory })),
        OutputStyle::People => {
            let title = sanitize_line(&moved.title);
            let title = truncate(&title, TITLE);
            let directory = moved.directory.to_string_lossy();
            print(&format!(
                "moved {} to {} · {title}\n",
                moved.id,
                sanitize_line(&directory)
            ))
        }
    }
}

/// Returns true if a session that is opened here can ask a model.
fn is_usable(model: &ModelRef) -> bool {
    let request = Locations::current().and_then(Locations::listing_request);
    // Without a configuration that can be read no session can be opened either.
    request.is_ok_and(|request| wire::has_provider(&request, model))
}

fn delete(stored: &StoredSessions, session: &SessionRow, style: OutputStyle) -> Result<(), Failure> {
    stored.delete(&session.id)?;
    match style {
        OutputStyle::Json => print_json(&json!({ "session": session.id })),
        OutputStyle::People => {
            let title = sanitize_line(&session.title);
            print(&format!("deleted {} · {}\n", session.id, truncate(&title, TITLE)))
        }
    }
}
