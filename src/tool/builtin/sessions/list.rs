//! `session_list`: lists the sessions of a project.

use std::path::PathBuf;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{KEY, card, in_store, mark, moment, project, title};
use crate::conversation::{PermissionKey, SessionId};
use crate::store::{SessionFacts, SessionRow};
use crate::text::count::plural;
use crate::tool::builtin::limit_of;
use crate::tool::{
    Concurrency, DrawnArgs, Output, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError, ToolSet,
};
use crate::view::card::Card;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 500;

pub(in crate::tool::builtin) struct SessionListTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool::builtin) struct Args {
    /// Most sessions to list (default 20, at most 500).
    #[serde(default)]
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    limit: Option<i64>,
    /// Only sessions whose last message is not older: an ISO date or time.
    #[serde(default)]
    from_date: Option<String>,
    /// Only sessions whose last message is not newer: an ISO date or time.
    #[serde(default)]
    to_date: Option<String>,
    /// Directory of another project.
    #[serde(default)]
    project_path: Option<String>,
    /// Sessions of tasks too.
    #[serde(default)]
    include_children: bool,
}

pub(in crate::tool::builtin) struct Plan {
    project: Option<PathBuf>,
    from: i64,
    to: i64,
    limit: usize,
    with_children: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::tool::builtin) struct Details {
    pub(super) sessions: Vec<ListedSession>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(in crate::tool::builtin) struct ListedSession {
    pub(super) id: SessionId,
    pub(super) title: String,
    pub(super) messages: u64,
    /// Milliseconds since the Unix epoch.
    first: i64,
    last: i64,
    agents: Vec<String>,
    current: bool,
}

impl Tool for SessionListTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "session_list";
    const DESCRIPTION: &'static str = "\
        List the conversations of this project, the newest first, with id, title, number of messages, first and last \
        time and agents.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const SET: ToolSet = ToolSet::Extended;
    const FAMILY: &'static PermissionKey = KEY;

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        let (project, asks) = project(cx, args.project_path.as_deref(), "list")?;
        let plan = Plan {
            project,
            from: bound(args.from_date.as_deref(), "from_date", i64::MIN, false)?,
            to: bound(args.to_date.as_deref(), "to_date", i64::MAX, true)?,
            limit: limit_of(args.limit, DEFAULT_LIMIT),
            with_children: args.include_children,
        };
        Ok(Prepared::new(plan, asks))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let own = cx.services.session.clone();
        let Plan {
            project,
            from,
            to,
            limit,
            with_children,
        } = plan;
        let sessions = in_store(cx, project, move |store, project| {
            let mut sessions = Vec::new();
            for row in store.list(Some(project))? {
                let facts = store.facts(&row.id)?;
                let last = facts.last.unwrap_or(row.updated);
                if (row.parent.is_some() && !with_children) || last < from || last > to {
                    continue;
                }
                sessions.push(listed(&row, facts, &own));
                if sessions.len() == limit {
                    break;
                }
            }
            Ok(sessions)
        })
        .await?;
        let text = table(&sessions, &cx.services.session);
        let title = plural(sessions.len(), "session");
        Ok(Output::new(title, text, Details { sessions }))
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        card::call(args.text("project_path"))
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        let rows = result.details.sessions.iter();
        let rows = rows.map(|session| {
            format!(
                "{} · {}",
                session.title,
                plural(count(session.messages), "message")
            )
        });
        card::rows(card::call(result.args.text("project_path")), rows, "session", cx)
    }
}

fn count(messages: u64) -> usize {
    usize::try_from(messages).unwrap_or(usize::MAX)
}

fn listed(row: &SessionRow, facts: SessionFacts, own: &SessionId) -> ListedSession {
    ListedSession {
        id: row.id.clone(),
        title: title(row),
        messages: row.messages,
        first: facts.first.unwrap_or(row.created),
        last: facts.last.unwrap_or(row.updated),
        agents: facts.agents,
        current: row.id == *own,
    }
}

fn table(sessions: &[ListedSession], own: &SessionId) -> String {
    if sessions.is_empty() {
        return "No sessions found".to_owned();
    }
    let mut lines = vec!["id · title · messages · first · last · agents".to_owned()];
    lines.extend(sessions.iter().map(|session| {
        format!(
            "{}{} · {} · {} · {} · {} · {}",
            session.id,
            mark(&session.id, own),
            session.title,
            session.messages,
            moment(session.first),
            moment(session.last),
            session.agents.join(", ")
        )
    }));
    lines.join("\n")
}

/// Reads a date or a time as milliseconds. A date alone begins its day, or ends it.
fn bound(given: Option<&str>, name: &str, otherwise: i64, is_end: bool) -> Result<i64, ToolError> {
    let Some(given) = given.map(str::trim).filter(|given| !given.is_empty()) else {
        return Ok(otherwise);
    };
    read(given, is_end).map(Timestamp::as_millisecond).ok_or_else(|| {
        ToolError::invalid_args(format!("`{name}` is no date or time"))
            .hint("Write `2026-11-26`, or `2026-11-26T10:00`, or with a zone `2026-11-26T10:00:00Z`.")
    })
}

fn read(given: &str, is_end: bool) -> Option<Timestamp> {
    if let Ok(time) = given.parse::<Timestamp>() {
        return Some(time);
    }
    let zone = TimeZone::system();
    let is_date = !given.contains(['T', 't', ' ']);
    if is_date {
        let date: Date = given.parse().ok()?;
        let day = if is_end {
            date.checked_add(1.day()).ok()?
        } else {
            date
        };
        let time = day.to_zoned(zone).ok()?.timestamp();
        return if is_end {
            time.checked_sub(1.millisecond()).ok()
        } else {
            Some(time)
        };
    }
    let time: DateTime = given.parse().ok()?;
    Some(time.to_zoned(zone).ok()?.timestamp())
}
