//! `look_at`: has pictures and documents looked at by agent `multimodal-looker`, in a context of its own.
//!
//! `source` finds what is to be looked at and checks its kind, `content` reads it into what the agent's model takes. Files
//! go the way that `read` goes: the same paths, the same questions, the same opener. Nothing is sent before everything
//! was found, allowed and read.

mod content;
mod source;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use self::content::Content;
use self::source::{Source, SourceKind};
use super::tasks::{IN_BACKGROUND, beginning_of_answer, delegation, failure, failure_text, follow};
use crate::conversation::{ErrorKind, Isolation, ModelRef, TaskId, TaskRow, TaskStatus, Usage};
use crate::permission::{Ask, PermissionKey, Subject};
use crate::text::sanitize::sanitize_line;
use crate::tool::{
    CheckedOrder, Concurrency, DrawnArgs, OneOrMany, Output, ParamAlias, Prepared, RenderCx, ResultView,
    TaskModel, TaskOrder, TaskTarget, Tool, ToolCx, ToolError, ToolSet, path_asks, plural,
};
use crate::view::card::Card;

const LOOKER: &str = "multimodal-looker";
/// The setting for its model.
const SETTING: &str = "agents.multimodal-looker.model";
const LONGEST: Duration = Duration::from_mins(2);
const DEFAULT_GOAL: &str = "Describe everything relevant.";

pub(super) struct LookAtTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Files: png, jpg, gif, webp, bmp, pdf, svg, txt, md, csv, json, html.
    #[serde(default)]
    file_path: Option<OneOrMany>,
    /// Images as base64 or data URLs, in place of files.
    #[serde(default)]
    image_data: Option<OneOrMany>,
    /// What to find out.
    #[serde(default)]
    goal: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Details {
    files: Vec<String>,
    /// `provider/model`.
    model: String,
    task_id: TaskId,
    usage: Usage,
}

pub(super) struct Plan {
    sources: Vec<Source>,
    goal: String,
    model: TaskModel,
    order: CheckedOrder,
}

impl Tool for LookAtTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "look_at";
    const DESCRIPTION: &'static str = "\
        Have images and documents looked at by an agent that sees them, and get its answer: for what you cannot see \
        yourself, and for what would fill your context.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const SET: ToolSet = ToolSet::Extended;
    const FAMILY: &'static PermissionKey = &PermissionKey::READ;
    const CANCEL_GRACE: Duration = crate::tool::delegation::STOP_GRACE;
    const PARAM_ALIASES: &'static [ParamAlias] = &[
        ParamAlias::name("file_paths", "file_path"),
        ParamAlias::name("prompt", "goal"),
        ParamAlias::name("question", "goal"),
    ];

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        let (paths, images) = (listed(args.file_path), listed(args.image_data));
        if paths.is_empty() && images.is_empty() {
            return Err(ToolError::invalid_args(
                "`file_path` or `image_data` must say what is to be looked at",
            ));
        }
        for given in paths.iter().chain(&images) {
            source::refuse_url(given)?;
        }
        let (mut asks, mut resolved) = (Vec::new(), Vec::new());
        for path in &paths {
            let path = cx.path(path)?;
            asks.extend(path.asks);
            asks.extend(path_asks(&PermissionKey::READ, &path.resolved));
            resolved.push(path.resolved);
        }
        if !images.is_empty() {
            asks.push(Ask::new(PermissionKey::READ, Subject::new("image_data")));
        }
        let checked = async {
            let sources = cx.blocking(move || source::find(resolved, &images)).await?;
            let (model, order) = order(&sources, cx)?;
            Ok((sources, model, order))
        };
        let (sources, model, order) = checked
            .await
            .map_err(|error: ToolError| error.after(asks.clone()))?;
        let goal = args.goal.filter(|goal| !goal.trim().is_empty());
        let plan = Plan {
            sources,
            goal: goal.unwrap_or_else(|| DEFAULT_GOAL.to_owned()),
            model,
            order,
        };
        Ok(Prepared::new(plan, asks))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        within(LONGEST, look(plan, cx)).await
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        let files = args.texts("file_path");
        let is_data = files.is_empty() && args.get("image_data").is_some();
        let files = if is_data { "image_data".to_owned() } else { files };
        card(&named(&[files]), args)
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        let details = &result.details;
        let mut card = card(&named(&details.files), result.args);
        if cx.expanded {
            card = card.meta(details.model.as_str());
        }
        card.session = Some(details.task_id.session());
        if result.running {
            return card;
        }
        beginning_of_answer(card, result.text, cx)
    }
}

fn listed(given: Option<OneOrMany>) -> Vec<String> {
    let given = given.map(OneOrMany::into_vec).unwrap_or_default();
    given.into_iter().filter(|one| !one.trim().is_empty()).collect()
}

/// Settles who looks at the sources and with what model, or says why nobody can.
fn order(sources: &[Source], cx: &ToolCx) -> Result<(TaskModel, CheckedOrder), ToolError> {
    let (delegation, caller) = delegation(cx)?;
    let names: Vec<&str> = sources.iter().map(Source::name).collect();
    let description = format!("look at {}", named(&names));
    let target = TaskTarget::Agent(LOOKER.to_owned());
    let mut order = TaskOrder {
        isolation: Some(Isolation::None),
        ..TaskOrder::new(LookAtTool::NAME, target, description, String::new())
    };
    let image = sources.iter().find(|source| source.kind().is_image());
    let model = delegation.model_for(&caller, &order, image.is_some())?;
    if let Some(image) = image.filter(|_| !model.abilities.images) {
        return Err(blind(image.name(), &model));
    }
    order.model = Some(model.reference.clone());
    Ok((model, delegation.check(&caller, order)?))
}

/// Says that the looker's model takes no images, and which setting changes that.
fn blind(name: &str, model: &TaskModel) -> ToolError {
    let message = format!("`{name}` cannot be looked at: {} takes no images", looker(model));
    let ModelRef { provider, model } = &model.reference;
    ToolError::new(ErrorKind::Unavailable, message).hint(format!(
        "Set `{SETTING}` to a model that takes images. If this one does, \
         `providers.{provider}.models.{model}.images: true` says so."
    ))
}

/// Names the model that looks, in a sentence.
fn looker(model: &TaskModel) -> String {
    format!("`{}`, the model of agent `{LOOKER}`,", model.reference)
}

/// Gives up after the longest time that looking may take.
async fn within<T>(
    longest: Duration,
    looking: impl Future<Output = Result<T, ToolError>>,
) -> Result<T, ToolError> {
    let late = || {
        let message = format!(
            "agent `{LOOKER}` had no answer after {} s and was cancelled",
            longest.as_secs()
        );
        ToolError::new(ErrorKind::Timeout, message)
            .hint("Look at less at once: fewer files, or a narrower goal.")
    };
    tokio::time::timeout(longest, looking)
        .await
        .unwrap_or_else(|_| Err(late()))
}

async fn look(plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
    let Plan {
        sources,
        goal,
        model,
        mut order,
    } = plan;
    let files: Vec<String> = sources.iter().map(|source| source.name().to_owned()).collect();
    let Content { parts, labels } = content::read(sources, &model, cx).await?;
    order.order.prompt = format!("{goal}\n\nThe files, in their order: {}", labels.join("; "));
    order.order.files = parts;
    let details = |row: &TaskRow| Details {
        files: files.clone(),
        model: row.model.to_string(),
        task_id: row.task.clone(),
        usage: row.usage,
    };
    let state = follow(order, cx, &details).await?;
    let row = &state.row;
    let answer = state.text.trim();
    let title = format!("look at {}", named(&files));
    let text = match row.status {
        TaskStatus::Completed if answer.is_empty() => "(the agent ended without an answer)".to_owned(),
        TaskStatus::Completed => answer.to_owned(),
        // The person has sent it to the background.
        TaskStatus::Queued | TaskStatus::Running => {
            format!(
                "task_id: {}\nstatus: {}\n{IN_BACKGROUND}",
                row.task,
                row.status.name()
            )
        }
        TaskStatus::Failed | TaskStatus::Cancelled | TaskStatus::Interrupted => {
            let kind = failure(row).unwrap_or(ErrorKind::Unavailable);
            return Err(ToolError::new(kind, failure_text(row, answer)).extra(json!({ "task_id": row.task })));
        }
    };
    Ok(Output::new(title, text, details(row)))
}

/// Names one file, or how many there are.
fn named<S: AsRef<str>>(files: &[S]) -> String {
    match files {
        [only] => sanitize_line(only.as_ref()).into_owned(),
        several => plural(several.len(), "file"),
    }
}

fn card(files: &str, args: DrawnArgs<'_>) -> Card {
    let goal = sanitize_line(args.text("goal"));
    let words = [files, goal.trim()].into_iter().filter(|words| !words.is_empty());
    Card::new("Look at", words.collect::<Vec<_>>().join(": "))
}
