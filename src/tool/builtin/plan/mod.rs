//! `plan_enter` and `plan_exit`: the way into planning and, with the user's word, out of it again.
//!
//! Who plans is agent `plan`; the rules and the reminder are its own. These tools only ask, keep the plan as a file of
//! the project, and tell the session how it goes on. With nobody there to approve it, the plan is the turn's answer.

mod plan_file;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conversation::ErrorKind;
use crate::permission::Mode;
use crate::question::{Form, FormAnswer, FormOption, FormQuestion};
use crate::text::sanitize::strip_controls_line;
use crate::tool::builtin::question::{answers, withdrawn};
use crate::tool::{
    DrawnArgs, Output, ParamAlias, Prepared, RenderCx, ResultView, SessionEffect, Tool, ToolCx, ToolError,
    ToolSet,
};
use crate::view::card::{Card, CardPart, FileTarget};

/// The agent that plans.
const PLAN: &str = "plan";
/// The agent that carries a plan out.
const BUILD: &str = "build";

pub(super) struct PlanEnterTool;
pub(super) struct PlanExitTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct EnterArgs {}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct EnterDetails {
    path: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ExitArgs {
    /// The plan, in Markdown. Without it the plan file counts.
    #[serde(default)]
    plan: Option<String>,
    /// What the plan is for, in a few words.
    #[serde(default)]
    title: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct ExitDetails {
    /// The plan's file; none where the plan was not saved.
    path: Option<String>,
    approved: bool,
    plan: String,
}

/// A plan to be shown.
#[derive(Debug)]
pub(super) struct ShownPlan {
    title: String,
    /// The name that its file gets, where the call gives one.
    name: Option<String>,
    given: PlanSource,
}

#[derive(Debug)]
enum PlanSource {
    /// In the call.
    Text(String),
    /// In a file, whose content counts as it is when it is approved.
    File { path: String, text: String },
}

impl PlanSource {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::File { text, .. } => text,
        }
    }

    fn path(&self) -> Option<&str> {
        match self {
            Self::Text(_) => None,
            Self::File { path, .. } => Some(path),
        }
    }
}

/// A refusal that the model reads and goes on with.
fn refused(message: &str) -> ToolError {
    ToolError::new(ErrorKind::Rejected, message).extra(serde_json::json!({ "message": message }))
}

fn option(label: &str, description: &str) -> FormOption {
    FormOption {
        label: label.to_owned(),
        description: Some(description.to_owned()),
    }
}

/// Puts a form of one question.
async fn answer(form: Form, cx: &ToolCx) -> Result<FormAnswer, ToolError> {
    let answers = answers(form, cx).await?.ok_or_else(withdrawn)?;
    Ok(answers.into_iter().next().unwrap_or_default())
}

fn answer_text(answer: &FormAnswer) -> Option<String> {
    let words = strip_controls_line(answer.words.as_deref()?);
    (!words.is_empty()).then_some(words)
}

impl Tool for PlanEnterTool {
    type Args = EnterArgs;
    type Plan = ();
    type Details = EnterDetails;

    const NAME: &'static str = "plan_enter";
    const ALIASES: &'static [&'static str] = &["enter_plan_mode"];
    const DESCRIPTION: &'static str = "\
        Ask the user to plan first: for work whose way is not clear, or that is large or hard to undo. While planning \
        nothing is changed but the plan file.";
    const SET: ToolSet = ToolSet::Extended;
    const MAY_BE_INSIDE: bool = false;

    async fn prepare(&self, _: EnterArgs, cx: &ToolCx) -> Result<Prepared<()>, ToolError> {
        if cx.services.tree.questions.is_unattended() {
            return Err(ToolError::new(
                ErrorKind::Unavailable,
                "no user is present who could agree to plan first",
            )
            .hint("Go on without, with care."));
        }
        Ok(Prepared::of_tool(Self::NAME, ()))
    }

    async fn execute(&self, (): (), cx: &ToolCx) -> Result<Output<EnterDetails>, ToolError> {
        let question = FormQuestion {
            question:
                "Plan first? Agent `plan` reads and writes a plan; nothing is changed until you approve it."
                    .to_owned(),
            options: vec![
                option("Plan first", "continues as agent `plan`"),
                option("No plan", "continues without a plan"),
            ],
            own_words: Some("no, because…".to_owned()),
            ..FormQuestion::default()
        };
        let sheet = Form {
            title: format!("{} wants to plan first", cx.agent),
            card: None,
            questions: vec![question],
        };
        let answer = answer(sheet, cx).await?;
        if let Some(words) = answer_text(&answer) {
            return Err(refused(&format!("the user wants no plan and says: {words}")));
        }
        if answer.picked != [0] {
            return Err(refused("the user wants no plan; go on without one"));
        }
        let path = plan_file::target(cx, None, "").await?.display;
        cx.change_session(SessionEffect::GoOn {
            agent: Some(PLAN.to_owned()),
            mode: None,
        });
        let text = format!(
            "The user agreed: from the next step on you are agent `{PLAN}`. Write the plan to `{path}`, then call \
             `plan_exit`."
        );
        Ok(Output::new("Plan mode", text, EnterDetails { path }))
    }

    fn render_call(&self, _: DrawnArgs<'_>, _: RenderCx) -> Card {
        Card::new("Plan mode", "")
    }

    fn render_result(&self, result: ResultView<'_, EnterDetails>, _: RenderCx) -> Card {
        Card::of_file("Plan mode", FileTarget::shown(result.details.path))
    }
}

impl Tool for PlanExitTool {
    type Args = ExitArgs;
    type Plan = ShownPlan;
    type Details = ExitDetails;

    const NAME: &'static str = "plan_exit";
    const ALIASES: &'static [&'static str] = &["exit_plan_mode"];
    const DESCRIPTION: &'static str = "\
        Show the user the finished plan. They approve it, which ends planning, or say what to change. Give the plan \
        itself, or leave it out when it stands in the plan file.";
    const PARAM_ALIASES: &'static [ParamAlias] = &[ParamAlias::name("content", "plan")];
    const SET: ToolSet = ToolSet::CoreFor(PLAN);
    const MAY_BE_INSIDE: bool = false;

    async fn prepare(&self, args: ExitArgs, cx: &ToolCx) -> Result<Prepared<ShownPlan>, ToolError> {
        let plan = args.plan.filter(|plan| !plan.trim().is_empty());
        let given = if let Some(text) = plan {
            PlanSource::Text(text)
        } else {
            let (path, text) = plan_file::newest(cx).await?.ok_or_else(no_plan)?;
            let path = path.display;
            PlanSource::File { path, text }
        };
        let title = args.title.map(|title| strip_controls_line(&title));
        let name = title.filter(|title| !title.is_empty());
        let shown = ShownPlan {
            title: name.clone().unwrap_or_else(|| plan_file::heading(given.text())),
            name,
            given,
        };
        Ok(Prepared::of_tool(Self::NAME, shown))
    }

    async fn execute(&self, shown: ShownPlan, cx: &ToolCx) -> Result<Output<ExitDetails>, ToolError> {
        let details = ExitDetails {
            path: shown.given.path().map(str::to_owned),
            approved: false,
            plan: shown.given.text().to_owned(),
        };
        if cx.services.tree.questions.is_unattended() {
            return Ok(final_answer(details, cx));
        }
        cx.show_details(&details);
        let answer = answer(sheet(&shown, cx), cx).await?;
        if let Some(words) = answer_text(&answer) {
            return Err(refused(&format!(
                "the user wants you to go on planning and says: {words}"
            )));
        }
        let accepts_edits = match answer.picked[..] {
            [0] => false,
            [1] => true,
            _ => return Err(refused("the user wants you to go on planning")),
        };
        let (path, plan) = match shown.given {
            PlanSource::Text(text) => (plan_file::save(cx, shown.name.as_deref(), &text).await?, text),
            // The user may have worked on it meanwhile.
            PlanSource::File { path, text } => {
                let now = plan_file::newest(cx)
                    .await?
                    .filter(|(now, _)| now.display == path);
                (path, now.map_or(text, |(_, text)| text))
            }
        };
        plan_file::keep_out_of_git(cx).await?;
        cx.change_session(SessionEffect::GoOn {
            agent: (cx.agent == PLAN).then(|| BUILD.to_owned()),
            mode: next_mode(cx.services.gate.mode(), accepts_edits),
        });
        let message = format!("The plan at `{path}` is approved. Carry it out.");
        cx.change_session(SessionEffect::Message(message));
        let text = format!("The user approved the plan. It is saved at `{path}`.");
        let details = ExitDetails {
            path: Some(path),
            approved: true,
            plan,
        };
        Ok(Output::new(shown.title, text, details))
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        let card = Card::new("Plan", args.text("title"));
        match args.text("plan") {
            "" => card,
            plan => card.part(CardPart::Markdown(plan.to_owned())),
        }
    }

    fn render_result(&self, result: ResultView<'_, ExitDetails>, _: RenderCx) -> Card {
        let details = result.details;
        let title = match result.args.text("title") {
            "" => plan_file::heading(&details.plan),
            title => title.to_owned(),
        };
        let mut card = Card::new("Plan", title);
        if let Some(path) = details.path {
            card.target = Some(FileTarget::shown(&path));
            card = card.meta(path);
        }
        if details.approved {
            card = card.meta("approved");
        } else if !result.running {
            card = card.meta("no user present");
        }
        card.part(CardPart::Markdown(details.plan))
    }
}

fn no_plan() -> ToolError {
    ToolError::new(
        ErrorKind::NotFound,
        "there is no plan: `plan` is empty and no plan file was written",
    )
    .hint("Give the plan, or write it to a file `.lathe/plans/NAME.md` first.")
}

/// Returns the form in which the user approves the plan or not.
fn sheet(shown: &ShownPlan, cx: &ToolCx) -> Form {
    let question = FormQuestion {
        question: "Carry out this plan?".to_owned(),
        options: vec![
            option("Approve", "agent `build` carries it out"),
            option(
                "Approve and accept edits",
                "the same, without asking about edits in the project",
            ),
            option("Keep planning", "the plan is not good yet"),
        ],
        own_words: Some("keep planning, because…".to_owned()),
        ..FormQuestion::default()
    };
    Form {
        title: format!("{} has a plan: {}", cx.agent, shown.title),
        card: Some(Card::new("Plan", "").part(CardPart::Markdown(shown.given.text().to_owned()))),
        questions: vec![question],
    }
}

/// Nobody can approve, so the turn ends with the plan.
fn final_answer(details: ExitDetails, cx: &ToolCx) -> Output<ExitDetails> {
    cx.change_session(SessionEffect::Answer(details.plan.clone()));
    let text = "No user is present; the plan stands as the answer.";
    Output::new(plan_file::heading(&details.plan), text, details)
}

/// A mode that plans has to end with the plan; one that asks nothing is not made stricter.
fn next_mode(now: Mode, accepts_edits: bool) -> Option<Mode> {
    match (now, accepts_edits) {
        (Mode::Ask | Mode::Plan, true) => Some(Mode::AcceptEdits),
        (Mode::Plan, false) => Some(Mode::Ask),
        (Mode::Ask, false) | (Mode::AcceptEdits | Mode::Yolo, _) => None,
    }
}

#[cfg(test)]
mod tests;
