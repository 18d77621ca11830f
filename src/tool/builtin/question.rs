//! `question`: asks the person, and gives the model their answers.
//!
//! With nobody there to ask, each question's declared default is the answer at once, and a question without one stays
//! unanswered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::conversation::ErrorKind;
use crate::question::{Form, FormAnswer, FormOption, FormQuestion, FormReply};
use crate::text::sanitize::strip_controls_line;
use crate::tool::args::snake_case;
use crate::tool::builtin::with_lines;
use crate::tool::{DrawnArgs, Output, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError, plural};
use crate::view::card::{Card, Tone, ToneSpan};

const QUESTIONS: usize = 8;
const OPTIONS: usize = 10;
/// Characters.
const HEADER: usize = 30;

pub(super) struct QuestionTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// 1 to 8 questions, put together.
    questions: Vec<QuestionArgs>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct QuestionArgs {
    /// The whole question.
    question: String,
    /// It in a word or two, at most 30 characters.
    #[serde(default)]
    header: Option<String>,
    /// Up to 10 answers to choose from.
    #[serde(default)]
    options: Option<Vec<Choice>>,
    /// More than one may be chosen.
    #[serde(default)]
    multiple: Option<bool>,
    /// Whether the user may answer in their own words (true).
    #[serde(default)]
    custom: Option<bool>,
    /// The label that counts when no user is there.
    #[serde(default)]
    default: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Choice {
    label: String,
    #[serde(default)]
    description: Option<String>,
}

/// A question, and what counts when nobody answers it.
#[derive(Debug)]
pub(super) struct PlannedQuestion {
    question: FormQuestion,
    default: FormAnswer,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Details {
    /// One list for each question; empty where there is no answer.
    answers: Vec<Vec<String>>,
    /// For each question, true if there is an answer in own words.
    custom: Vec<bool>,
    /// Nobody was there, so defaults were taken.
    defaulted: bool,
}

impl QuestionArgs {
    /// `name` is the place in the arguments, for errors.
    fn plan(self, name: &str) -> Result<PlannedQuestion, ToolError> {
        let question = strip_controls_line(&self.question);
        if question.is_empty() {
            return Err(argument_error(
                format!("`{name}.question` is empty"),
                "Say what you want to know.",
            ));
        }
        let options = self.options.unwrap_or_default();
        if options.len() > OPTIONS {
            return Err(argument_error(
                format!(
                    "`{name}.options` has {} options, and at most {OPTIONS} fit",
                    options.len()
                ),
                "Offer the likeliest; the user can also answer in their own words.",
            ));
        }
        let options: Vec<FormOption> = options.into_iter().map(Choice::into_option).collect();
        if options.iter().any(|option| option.label.is_empty()) {
            return Err(argument_error(
                format!("an option of `{name}` has no label"),
                "Give each option a label.",
            ));
        }
        let takes_words = self.custom.unwrap_or(true) || options.is_empty();
        let default = self.default.map(|label| strip_controls_line(&label));
        let default = default.filter(|label| !label.is_empty());
        let place = default.as_ref().and_then(|label| place_of(&options, label));
        let default = match (default, place) {
            (None, _) => FormAnswer::default(),
            (Some(_), Some(place)) => FormAnswer {
                picked: vec![place],
                words: None,
            },
            (Some(words), None) if takes_words => FormAnswer {
                picked: Vec::new(),
                words: Some(words),
            },
            (Some(label), None) => {
                return Err(argument_error(
                    format!("`{name}.default` is `{label}`, which is none of its options"),
                    "Repeat a label, or leave it out.",
                ));
            }
        };
        let header = self.header.unwrap_or_default();
        let header = strip_controls_line(&header);
        Ok(PlannedQuestion {
            question: FormQuestion {
                question,
                header: header.chars().take(HEADER).collect(),
                own_words: takes_words.then(|| own_words(&options).to_owned()),
                options,
                multiple: self.multiple.unwrap_or(false),
                default: place,
            },
            default,
        })
    }
}

impl Choice {
    fn into_option(self) -> FormOption {
        FormOption {
            label: strip_controls_line(&self.label),
            description: self
                .description
                .map(|text| strip_controls_line(&text))
                .filter(|text| !text.is_empty()),
        }
    }
}

fn own_words(options: &[FormOption]) -> &'static str {
    if options.is_empty() {
        "your answer"
    } else {
        "something else, in your own words"
    }
}

/// A label as it is written, else in any case.
fn place_of(options: &[FormOption], label: &str) -> Option<usize> {
    let exact = options.iter().position(|option| option.label == label);
    let same = |option: &FormOption| option.label.to_lowercase() == label.to_lowercase();
    exact.or_else(|| options.iter().position(same))
}

fn argument_error(message: String, hint: &str) -> ToolError {
    ToolError::invalid_args(message).hint(hint)
}

/// Returns the answer to one question in words: labels first.
fn answer_lines(question: &FormQuestion, answer: &FormAnswer) -> Vec<String> {
    let picked = answer
        .picked
        .iter()
        .filter_map(|place| question.options.get(*place));
    let labels = picked.map(|option| option.label.clone());
    let words = answer.words.as_deref().map(strip_controls_line);
    labels.chain(words.filter(|words| !words.is_empty())).collect()
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

impl Details {
    fn new(plan: &[PlannedQuestion], answers: &[FormAnswer], defaulted: bool) -> Self {
        let none = FormAnswer::default();
        let pairs = || plan.iter().zip(answers.iter().chain(std::iter::repeat(&none)));
        Self {
            answers: pairs()
                .map(|(planned, answer)| answer_lines(&planned.question, answer))
                .collect(),
            custom: pairs().map(|(_, answer)| answer.words.is_some()).collect(),
            defaulted,
        }
    }

    fn text(&self, plan: &[PlannedQuestion]) -> String {
        let mut text = String::new();
        if self.defaulted {
            text.push_str("No user is present; defaults were used.\n");
        }
        for (planned, answers) in plan.iter().zip(&self.answers) {
            text.push_str(&quoted(&planned.question.question));
            text.push_str(" = ");
            if answers.is_empty() {
                text.push_str("unanswered");
            } else {
                let answers: Vec<_> = answers.iter().map(|answer| quoted(answer)).collect();
                text.push_str(&answers.join(", "));
            }
            text.push('\n');
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn answered(&self) -> usize {
        self.answers.iter().filter(|answers| !answers.is_empty()).count()
    }
}

impl Tool for QuestionTool {
    type Args = Args;
    type Plan = Vec<PlannedQuestion>;
    type Details = Details;

    const NAME: &'static str = "question";
    const ALIASES: &'static [&'static str] = &["ask", "ask_user", "ask_user_question"];
    const DESCRIPTION: &'static str = "\
        Ask the user, and wait for the answers. For what only they can decide and what changes the work; look up what \
        can be looked up. Put all questions in one call, each with options where there are some; the user can always \
        answer in their own words unless `custom` is false.";
    const MAY_BE_INSIDE: bool = false;

    fn reshape(&self, args: &mut Map<String, Value>) {
        reshape(args);
    }

    async fn prepare(&self, args: Args, _: &ToolCx) -> Result<Prepared<Vec<PlannedQuestion>>, ToolError> {
        let count = args.questions.len();
        if !(1..=QUESTIONS).contains(&count) {
            return Err(argument_error(
                format!(
                    "`questions` has {}, and 1 to {QUESTIONS} are put together",
                    plural(count, "question")
                ),
                "Ask first what matters most.",
            ));
        }
        let asked = args.questions.into_iter().enumerate();
        let plan: Result<Vec<_>, _> = asked
            .map(|(place, asked)| asked.plan(&format!("questions[{place}]")))
            .collect();
        Ok(Prepared::of_tool(Self::NAME, plan?))
    }

    async fn execute(&self, plan: Vec<PlannedQuestion>, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let has = match plan.len() {
            1 => "a question".to_owned(),
            count => plural(count, "question"),
        };
        let sheet = Form {
            title: format!("{} has {has}", cx.agent),
            card: None,
            questions: plan.iter().map(|planned| planned.question.clone()).collect(),
        };
        let details = if let Some(answers) = answers(sheet, cx).await? {
            Details::new(&plan, &answers, false)
        } else {
            let defaults: Vec<_> = plan.iter().map(|planned| planned.default.clone()).collect();
            Details::new(&plan, &defaults, true)
        };
        let title = format!("{} of {} answered", details.answered(), plan.len());
        Ok(Output::new(title, details.text(&plan), details))
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        let texts = questions(args);
        let answers = vec![Vec::new(); texts.len()];
        card(&texts, &answers, true)
    }

    fn render_result(&self, result: ResultView<'_, Details>, _: RenderCx) -> Card {
        let Details {
            answers, defaulted, ..
        } = result.details;
        let card = card(&questions(result.args), &answers, result.running);
        if defaulted {
            card.meta("no user present")
        } else {
            card
        }
    }
}

/// Puts a form, and returns the answers; `None` where nobody is there to give any.
pub(super) async fn answers(form: Form, cx: &ToolCx) -> Result<Option<Vec<FormAnswer>>, ToolError> {
    match cx.form(form).await {
        FormReply::Answers(answers) => Ok(Some(answers)),
        FormReply::Nobody => Ok(None),
        FormReply::Dismissed => Err(ToolError::new(
            ErrorKind::Rejected,
            "the user dismissed the question",
        )),
        FormReply::Withdrawn => Err(withdrawn()),
    }
}

pub(super) fn withdrawn() -> ToolError {
    ToolError::new(ErrorKind::Cancelled, "cancelled before it was answered")
}

/// The questions as far as they have come, in a list or alone at the top.
fn questions<'a>(args: DrawnArgs<'a>) -> Vec<&'a str> {
    let question = |item: DrawnArgs<'a>| item.get("question").and_then(Value::as_str);
    match args.get("questions") {
        Some(_) => args.items("questions").filter_map(question).collect(),
        None => question(args).into_iter().collect(),
    }
}

/// Each question with its answer below it; one alone is named by the card.
fn card(questions: &[&str], answers: &[Vec<String>], is_open: bool) -> Card {
    let argument = match questions {
        [only] => (*only).to_owned(),
        several => plural(several.len(), "question"),
    };
    let argument = if questions.is_empty() {
        String::new()
    } else {
        argument
    };
    let mut lines = Vec::new();
    for (place, question) in questions.iter().enumerate() {
        if questions.len() > 1 {
            lines.push(ToneSpan::new(Tone::Normal, *question).into());
        }
        let answers = answers.get(place).map(Vec::as_slice).unwrap_or_default();
        let sign = |tone| ToneSpan::sign(tone, "› ", "answer: ");
        let line = match (answers, is_open) {
            ([], true) => vec![sign(Tone::Muted), ToneSpan::new(Tone::Muted, "…")],
            ([], false) => vec![sign(Tone::Warning), ToneSpan::new(Tone::Warning, "unanswered")],
            (answers, _) => vec![
                sign(Tone::Accent),
                ToneSpan::new(Tone::Strong, answers.join(", ")),
            ],
        };
        lines.push(line.into());
    }
    with_lines(Card::new("Question", argument), lines)
}

/// Brings what models write instead into the schema's shape: one question without a list, its fields at the top, options
/// as plain texts, `multiSelect`.
fn reshape(args: &mut Map<String, Value>) {
    let list = key_of(args, "questions").filter(|key| !args[key].is_null());
    let mut questions = match (list, key_of(args, "question")) {
        (Some(key), _) => args.shift_remove(&key).map(parsed).unwrap_or_default(),
        // One at the top takes all that stands beside it.
        (None, Some(key)) => match args.shift_remove(&key).map(parsed) {
            Some(Value::String(text)) => {
                let mut only = std::mem::take(args);
                only.insert("question".to_owned(), Value::String(text));
                Value::Object(only)
            }
            other => other.unwrap_or_default(),
        },
        (None, None) => return,
    };
    if !questions.is_array() {
        questions = Value::Array(vec![questions]);
    }
    for question in questions.as_array_mut().into_iter().flatten() {
        reshape_question(question);
    }
    args.insert("questions".to_owned(), questions);
}

/// The key of a field, in whatever spelling it has.
fn key_of(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields.keys().find(|key| snake_case(key) == name).cloned()
}

fn reshape_question(question: &mut Value) {
    if let Value::String(text) = question {
        *question = match parsed(Value::String(std::mem::take(text))) {
            Value::String(text) => json!({ "question": text }),
            parsed => parsed,
        };
    }
    let Value::Object(fields) = question else { return };
    if key_of(fields, "multiple").is_none()
        && let Some(key) = key_of(fields, "multi_select")
        && let Some(value) = fields.shift_remove(&key)
    {
        fields.insert("multiple".to_owned(), value);
    }
    let Some(key) = key_of(fields, "options") else {
        return;
    };
    let Some(options) = fields.get_mut(&key) else {
        return;
    };
    *options = match parsed(options.take()) {
        Value::Array(options) => Value::Array(options.into_iter().map(option).collect()),
        Value::Null => Value::Null,
        one => Value::Array(vec![option(one)]),
    };
}

/// A plain text is a label.
fn option(given: Value) -> Value {
    match parsed(given) {
        Value::String(label) => json!({ "label": label }),
        Value::Number(number) => json!({ "label": number.to_string() }),
        Value::Bool(truth) => json!({ "label": truth.to_string() }),
        other => other,
    }
}

/// A text that holds an object or a list of JSON is that.
fn parsed(value: Value) -> Value {
    let Value::String(text) = &value else { return value };
    match serde_json::from_str::<Value>(text) {
        Ok(inner @ (Value::Object(_) | Value::Array(_))) => inner,
        _ => value,
    }
}

#[cfg(test)]
mod tests;
