//! `session_search`: finds what was said in earlier conversations.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ID, KEY, card, find, in_store, mark, moment, project};
use crate::conversation::{MessageId, PermissionKey, Role, SessionId};
use crate::store::{SearchScope, TextMatch};
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;
use crate::tool::builtin::limit_of;
use crate::tool::{
    Concurrency, DrawnArgs, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError,
    ToolSet,
};
use crate::view::card::Card;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 500;
/// Characters of an excerpt on each side of what was found.
const BESIDE: usize = 50;
/// Matches that are looked at for one that has the same letters, where that is wanted.
const LOOKED_AT: usize = 5_000;

pub(in crate::tool::builtin) struct SessionSearchTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool::builtin) struct Args {
    /// Text to find.
    query: String,
    /// Only in this session.
    #[serde(default)]
    session_id: Option<String>,
    /// Small and capital letters are told apart.
    #[serde(default)]
    case_sensitive: bool,
    /// Most messages to show (default 20, at most 500).
    #[serde(default)]
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    limit: Option<i64>,
    /// Directory of another project.
    #[serde(default)]
    project_path: Option<String>,
}

pub(in crate::tool::builtin) struct Plan {
    project: Option<PathBuf>,
    args: Args,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::tool::builtin) struct Details {
    pub(super) hits: Vec<SearchHit>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(in crate::tool::builtin) struct SearchHit {
    session: SessionId,
    message: MessageId,
    title: String,
    role: Role,
    /// Milliseconds since the Unix epoch.
    created: i64,
    /// How often the message has it.
    count: usize,
    excerpt: String,
}

impl Tool for SessionSearchTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "session_search";
    const DESCRIPTION: &'static str =
        "Find a text in what was said in the conversations of this project, the newest first.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const SET: ToolSet = ToolSet::Extended;
    const FAMILY: &'static PermissionKey = KEY;
    const PARAM_ALIASES: &'static [ParamAlias] = ID;

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        let (project, asks) = project(cx, args.project_path.as_deref(), "search")?;
        if args.query.trim().is_empty() {
            let error = ToolError::invalid_args("`query` is empty");
            return Err(error.hint("Give the text to look for."));
        }
        Ok(Prepared::new(Plan { project, args }, asks))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let Plan { project, args } = plan;
        let hits = in_store(cx, project, move |store, project| {
            let session = match args.session_id.as_deref().filter(|id| !id.trim().is_empty()) {
                Some(id) => Some(find(store, project, id)?.id),
                None => None,
            };
            let scope = SearchScope {
                project: Some(project.to_owned()),
                session,
            };
            let limit = limit_of(args.limit, DEFAULT_LIMIT);
            let looked_at = if args.case_sensitive { LOOKED_AT } else { limit };
            let found = store.matches(&args.query, &scope, looked_at)?;
            let hits = found.into_iter().filter_map(|found| hit(found, &args));
            Ok(hits.take(limit).collect::<Vec<_>>())
        })
        .await?;
        let text = text(&hits, &cx.services.session);
        let title = plural(hits.len(), "message");
        Ok(Output::new(title, text, Details { hits }))
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        card::call(args.text("query"))
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        let rows = result.details.hits.iter();
        let rows = rows.map(|hit| format!("{} · {}", hit.title, hit.excerpt));
        card::rows(card::call(result.args.text("query")), rows, "message", cx)
    }
}

/// Returns the places of what is looked for; small and capital letters count the same unless they are told apart.
fn places(text: &str, args: &Args) -> Vec<std::ops::Range<usize>> {
    let pattern = regex::RegexBuilder::new(&regex::escape(&args.query))
        .case_insensitive(!args.case_sensitive)
        .build();
    let found = pattern.map(|pattern| pattern.find_iter(text).map(|found| found.range()).collect());
    found.unwrap_or_default()
}

/// `None` where the letters differ and that matters.
fn hit(found: TextMatch, args: &Args) -> Option<SearchHit> {
    let places = places(&found.text, args);
    if places.is_empty() && args.case_sensitive {
        return None;
    }
    let first = places.first().cloned().unwrap_or(0..0);
    let excerpt = excerpt(&found.text, &first);
    Some(SearchHit {
        session: found.session,
        message: found.message,
        title: sanitize_line(&found.title).into_owned(),
        role: found.role,
        created: found.created,
        count: places.len().max(1),
        excerpt,
    })
}

/// What was found with what stands beside it, on one line.
fn excerpt(text: &str, found: &std::ops::Range<usize>) -> String {
    let before = text[..found.start].char_indices().rev().nth(BESIDE - 1);
    let start = before.map_or(0, |(place, _)| place);
    let after = text[found.end..].char_indices().nth(BESIDE);
    let end = after.map_or(text.len(), |(place, _)| found.end + place);
    let words: Vec<&str> = text[start..end].split_whitespace().collect();
    let dots = |is_cut| if is_cut { "…" } else { "" };
    let line = sanitize_line(&words.join(" ")).into_owned();
    format!("{}{line}{}", dots(start > 0), dots(end < text.len()))
}

fn text(hits: &[SearchHit], own: &SessionId) -> String {
    if hits.is_empty() {
        return "No matches found".to_owned();
    }
    let line = |hit: &SearchHit| {
        let role = match hit.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        format!(
            "{}{} · {} · {role} · {} · {}\n  {}",
            hit.session,
            mark(&hit.session, own),
            hit.title,
            moment(hit.created),
            plural(hit.count, "hit"),
            hit.excerpt
        )
    };
    hits.iter().map(line).collect::<Vec<_>>().join("\n")
}
