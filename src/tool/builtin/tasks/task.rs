//! `task`: lets another agent work on something, and waits for it or not.

use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;

use super::{BudgetArgs, Details, IsolationArg, card, first_words, start};
use crate::conversation::{ErrorKind, TaskRow};
use crate::tool::{
    CheckedOrder, Concurrency, DrawnArgs, InitCx, Output, ParamAlias, Prepared, RenderCx, ResultView,
    TaskOrder, TaskTarget, Tool, ToolCx, ToolError,
};
use crate::view::card::Card;

pub(in crate::tool::builtin) struct TaskTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool::builtin) struct Args {
    /// The work, with all that the agent has to know: it sees nothing of this conversation.
    prompt: String,
    /// Name of the agent.
    #[serde(default)]
    subagent_type: Option<String>,
    /// Kind of work, in place of an agent.
    #[serde(default)]
    category: Option<String>,
    /// Three to five words for the person.
    #[serde(default)]
    description: Option<String>,
    /// Do not wait for it: you are told when it has ended.
    #[serde(default)]
    run_in_background: bool,
    /// Skills whose texts stand before the prompt.
    #[serde(default)]
    load_skills: Vec<String>,
    /// Let this ended task go on, with all that it knows.
    #[serde(default)]
    task_id: Option<String>,
    /// Place of its work.
    #[serde(default)]
    isolation: Option<IsolationArg>,
    /// Ends it before a request above it.
    #[serde(default)]
    budget: Option<BudgetArgs>,
    /// The slash command that asked for it.
    #[serde(default)]
    #[allow(dead_code)] // Recorded with the arguments of the call, and used by nobody.
    command: Option<String>,
}

impl Args {
    fn target(&self) -> Result<TaskTarget, ToolError> {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let target = given(&self.task_id).map(TaskTarget::Resume);
        let target = target.or_else(|| given(&self.category).map(TaskTarget::Category));
        let target = target.or_else(|| given(&self.subagent_type).map(TaskTarget::Agent));
        target.ok_or_else(|| {
            ToolError::invalid_args("`subagent_type` or `category` must say who works on the task")
                .hint("The description of `task` lists the agents and the categories.")
        })
    }
}

/// Refuses skills, which there are none of.
fn no_skills(names: &[String]) -> Result<(), ToolError> {
    let Some(name) = names.iter().find(|name| !name.trim().is_empty()) else {
        return Ok(());
    };
    Err(ToolError::new(
        ErrorKind::NotFound,
        format!("there is no skill `{name}`: this version of lathe has no skills"),
    )
    .hint("Call it without `load_skills` and say in the prompt what the agent has to know."))
}

impl Tool for TaskTool {
    type Args = Args;
    type Plan = CheckedOrder;
    type Details = Details;

    const NAME: &'static str = "task";
    const ALIASES: &'static [&'static str] = &["delegate_task", "sisyphus_task", "agent", "subagent"];
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const CANCEL_GRACE: std::time::Duration = crate::tool::delegation::STOP_GRACE;
    const PARAM_ALIASES: &'static [ParamAlias] = &[
        ParamAlias::name("background", "run_in_background"),
        ParamAlias::name("skills", "load_skills"),
        ParamAlias::name("session_id", "task_id"),
        ParamAlias::name("background_task_id", "task_id"),
    ];
    const FOLLOWED: Option<fn(Details, &TaskRow) -> Option<Details>> = Some(Details::follow);

    fn description(&self, cx: InitCx<'_>) -> String {
        let mut text = "\
            Let another agent work on something in a session of its own. Use it for searches that would fill your \
            context, for work that can go on beside yours (several calls in one reply run side by side), and for a \
            second opinion. Its last message is the result; the person sees it work, you do not. Agents:"
            .to_owned();
        for (name, description) in &cx.settings.delegation.agents {
            let _ = write!(text, "\n- {name}: {description}");
        }
        let categories = &cx.settings.delegation.categories;
        if !categories.is_empty() {
            let names: Vec<&str> = categories.iter().map(String::as_str).collect();
            let _ = write!(text, "\nCategories: {}.", names.join(", "));
        }
        text
    }

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<CheckedOrder>, ToolError> {
        no_skills(&args.load_skills)?;
        let target = args.target()?;
        let description = described(args.description, &args.prompt);
        let order = TaskOrder {
            is_background: args.run_in_background,
            isolation: args.isolation.map(Into::into),
            budget: args.budget.unwrap_or_default().checked()?,
            ..TaskOrder::new(Self::NAME, target, description, prompt(args.prompt)?)
        };
        start::prepare(order, cx)
    }

    async fn execute(&self, plan: CheckedOrder, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        start::execute(plan, cx).await
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        card::call("Task", args)
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        card::result("Task", &result, cx)
    }
}

pub(super) fn described(description: Option<String>, prompt: &str) -> String {
    let given = description.filter(|description| !description.trim().is_empty());
    given.unwrap_or_else(|| first_words(prompt))
}

/// Refuses a prompt that says nothing.
pub(super) fn prompt(prompt: String) -> Result<String, ToolError> {
    if prompt.trim().is_empty() {
        return Err(ToolError::invalid_args(
            "`prompt` is empty, so there is nothing to work on",
        ));
    }
    Ok(prompt)
}
