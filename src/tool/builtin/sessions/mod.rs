//! The tools that look at earlier conversations of a project: `session_list`, `session_read`, `session_search` and
//! `session_info`. Nothing is changed, and of other projects nothing is seen unless their path is given and allowed.

mod card;
mod info;
mod list;
mod read;
mod search;

use std::path::{Path, PathBuf};

pub(super) use info::SessionInfoTool;
pub(super) use list::SessionListTool;
pub(super) use read::SessionReadTool;
pub(super) use search::SessionSearchTool;

use super::in_store;
use super::search_path::{SearchPath, search_directory};
use crate::conversation::{ErrorKind, PermissionKey, SessionId};
use crate::permission::{Ask, Subject};
use crate::store::{SessionRow, Store};
use crate::text::sanitize::sanitize_line;
use crate::tool::{ParamAlias, ToolCx, ToolError};

/// The permission key of the four.
const KEY: &PermissionKey = &PermissionKey::own("session");

/// Other names for the id of a session.
const ID: &[ParamAlias] = &[ParamAlias::name("id", "session_id")];

/// Sessions that are named where one was not found.
const NEAREST: usize = 3;

/// Returns the project that a call is about, where that is another one, and what is asked for it.
fn project(
    cx: &ToolCx,
    given: Option<&str>,
    subject: &str,
) -> Result<(Option<PathBuf>, Vec<Ask>), ToolError> {
    let mut asks = vec![Ask::new(KEY.clone(), Subject::new(subject)).always("*")];
    let Some(given) = given.filter(|given| !given.trim().is_empty()) else {
        return Ok((None, asks));
    };
    let SearchPath { path, asks: outside } = search_directory(cx, given, "Give the directory of a project.")?;
    asks.extend(outside);
    Ok((Some(path.real), asks))
}

/// Returns a session of the project, or names those that are nearest to what was given.
fn find(store: &Store, project: &Path, given: &str) -> Result<SessionRow, ToolError> {
    let found = match given.trim().parse::<SessionId>() {
        Ok(id) => store.get(&id)?,
        Err(_) => None,
    };
    if let Some(row) = found.filter(|row| row.project == project) {
        return Ok(row);
    }
    let rows = store.list(Some(project))?;
    let mut near: Vec<(usize, String)> = rows
        .iter()
        .map(|row| {
            let title = title(row);
            let distance = strsim::levenshtein(given, row.id.as_str())
                .min(strsim::levenshtein(&given.to_lowercase(), &title.to_lowercase()));
            (distance, format!("`{}` {title}", row.id))
        })
        .collect();
    near.sort();
    let near: Vec<String> = near.into_iter().take(NEAREST).map(|(_, name)| name).collect();
    let hint = match near.as_slice() {
        [] => "There is no session of this project yet.".to_owned(),
        near => format!("The nearest are {}.", near.join(", ")),
    };
    let message = format!("there is no session `{}` of this project", sanitize_line(given));
    Err(ToolError::new(ErrorKind::NotFound, message).hint(hint))
}

fn title(row: &SessionRow) -> String {
    match sanitize_line(&row.title) {
        title if title.trim().is_empty() => "untitled".to_owned(),
        title => title.into_owned(),
    }
}

/// `2026-11-26T10:05Z`
fn moment(milliseconds: i64) -> String {
    jiff::Timestamp::from_millisecond(milliseconds).map_or_else(
        |_| String::new(),
        |time| time.strftime("%Y-%m-%dT%H:%MZ").to_string(),
    )
}

/// ` (this one)` behind the session that the call is made in.
fn mark(id: &SessionId, own: &SessionId) -> &'static str {
    if id == own { " (this one)" } else { "" }
}
