//! The object-safe form of a tool, which the registry holds.
//!
//! Every [`Tool`] is a [`DynTool`] through the blanket implementation at the end.

use std::any::Any;
use std::time::Duration;

use futures::future::BoxFuture;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    Concurrency, DrawnArgs, InitCx, NestedCall, Output, ParamAlias, Prepared, RenderCx, ResultView, Route,
    Tool, ToolCx, ToolError, ToolSet, WrittenFile, plural,
};
use crate::conversation::{CallResult, ErrorKind, Json, PermissionKey, TaskRow};
use crate::provider::EditMode;
use crate::text::truncate::Keep;
use crate::view::card::{Card, CardPart};

/// The arguments of a call, which only its tool understands, and what follows from them alone.
pub struct TypedArgs {
    args: Box<dyn Any + Send + Sync>,
    pub concurrency: Concurrency,
    pub is_loop_checked: bool,
    pub inner_calls: Vec<NestedCall>,
}

/// The answer of `prepare` with the plan's type erased.
pub type DynPrepared = Prepared<Box<dyn Any + Send>>;

/// The data that a card is drawn from once a call runs.
pub enum ResultSource<'a> {
    Running { text: &'a str, details: &'a Value },
    Ended(&'a CallResult),
}

pub trait DynTool: Send + Sync {
    fn name(&self) -> &str;
    fn aliases(&self) -> &[&str];
    fn param_aliases(&self) -> &[ParamAlias];
    fn routes(&self) -> &[Route];
    fn set(&self) -> ToolSet;
    fn edit_modes(&self) -> &[EditMode];
    fn family(&self) -> &PermissionKey;
    fn keep(&self) -> Keep;
    fn is_dynamic(&self) -> bool;
    fn is_loop_checked(&self) -> bool;
    fn may_be_inside(&self) -> bool;
    fn edited(&self) -> Option<&'static str>;
    fn cancel_grace(&self) -> Duration;
    fn description(&self, cx: InitCx<'_>) -> String;
    /// The JSON Schema of the arguments: an object without `$ref`.
    fn schema(&self) -> Value;
    fn reshape(&self, args: &mut Map<String, Value>);
    /// Types the arguments, or says what of them the schema could not say.
    fn typed(&self, args: &Map<String, Value>) -> Result<TypedArgs, ToolError>;
    fn prepare<'a>(
        &'a self,
        args: TypedArgs,
        cx: &'a ToolCx,
    ) -> BoxFuture<'a, Result<DynPrepared, ToolError>>;
    fn execute<'a>(
        &'a self,
        plan: Box<dyn Any + Send>,
        cx: &'a ToolCx,
    ) -> BoxFuture<'a, Result<Output<Value>, ToolError>>;
    fn render_call(&self, args: DrawnArgs<'_>, cx: RenderCx) -> Card;
    /// Returns true if its calls write files that their details tell of.
    fn tells_written(&self) -> bool;
    /// Returns the files that a call has written; none if the details are not this tool's.
    fn written(&self, details: &Json) -> Vec<WrittenFile>;
    /// Returns true if its calls start tasks, whose state their cards show.
    fn starts_tasks(&self) -> bool;
    /// Returns the details with how a task stands now, if the call has started that.
    fn follow_task(&self, details: &Json, row: &TaskRow) -> Option<Value>;
    /// `None`: the details are not this tool's; the caller draws the generic card.
    fn render_result(&self, args: DrawnArgs<'_>, result: ResultSource<'_>, cx: RenderCx) -> Option<Card>;
}

impl<T: Tool> DynTool for T {
    fn name(&self) -> &str {
        T::NAME
    }

    fn aliases(&self) -> &[&str] {
        T::ALIASES
    }

    fn param_aliases(&self) -> &[ParamAlias] {
        T::PARAM_ALIASES
    }

    fn routes(&self) -> &[Route] {
        T::ROUTES
    }

    fn set(&self) -> ToolSet {
        T::SET
    }

    fn edit_modes(&self) -> &[EditMode] {
        T::EDIT_MODES
    }

    fn family(&self) -> &PermissionKey {
        T::FAMILY
    }

    fn keep(&self) -> Keep {
        T::KEEP
    }

    fn is_dynamic(&self) -> bool {
        T::DYNAMIC
    }

    fn is_loop_checked(&self) -> bool {
        T::LOOP_CHECKED
    }

    fn may_be_inside(&self) -> bool {
        T::MAY_BE_INSIDE
    }

    fn edited(&self) -> Option<&'static str> {
        T::EDITED
    }

    fn cancel_grace(&self) -> Duration {
        T::CANCEL_GRACE
    }

    fn description(&self, cx: InitCx<'_>) -> String {
        Tool::description(self, cx)
    }

    fn schema(&self) -> Value {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        });
        let mut schema = settings
            .into_generator()
            .into_root_schema_for::<T::Args>()
            .to_value();
        tidy_schema(&mut schema);
        if let Some(fields) = schema.as_object_mut() {
            fields.shift_remove("description");
            fields
                .entry("properties")
                .or_insert_with(|| Value::Object(Map::new()));
        }
        schema
    }

    fn reshape(&self, args: &mut Map<String, Value>) {
        Tool::reshape(self, args);
    }

    fn typed(&self, args: &Map<String, Value>) -> Result<TypedArgs, ToolError> {
        let args: T::Args = serde_path_to_error::deserialize(args).map_err(|error| {
            let path = error.path().to_string();
            ToolError::invalid_args(format!("`{path}` does not fit: {}", error.into_inner()))
        })?;
        Ok(TypedArgs {
            concurrency: Tool::concurrency(self, &args),
            is_loop_checked: Tool::is_loop_checked(self, &args),
            inner_calls: self.inner_calls(&args),
            args: Box::new(args),
        })
    }

    fn prepare<'a>(
        &'a self,
        args: TypedArgs,
        cx: &'a ToolCx,
    ) -> BoxFuture<'a, Result<DynPrepared, ToolError>> {
        Box::pin(async move {
            let args = args.args.downcast::<T::Args>().map_err(|_| foreign())?;
            let prepared = Tool::prepare(self, *args, cx).await?;
            Ok(prepared.map(|plan| Box::new(plan) as _))
        })
    }

    fn execute<'a>(
        &'a self,
        plan: Box<dyn Any + Send>,
        cx: &'a ToolCx,
    ) -> BoxFuture<'a, Result<Output<Value>, ToolError>> {
        Box::pin(async move {
            let plan = plan.downcast::<T::Plan>().map_err(|_| foreign())?;
            let output = Tool::execute(self, *plan, cx).await?;
            let details = serde_json::to_value(&output.details).map_err(|error| {
                ToolError::new(
                    ErrorKind::Internal,
                    format!("the details could not be kept: {error}"),
                )
            })?;
            Ok(Output {
                title: output.title,
                text: output.text,
                details,
                attachments: output.attachments,
                spilled: output.spilled,
                failure: output.failure,
                paged: output.paged,
            })
        })
    }

    fn tells_written(&self) -> bool {
        T::WRITTEN.is_some()
    }

    fn written(&self, details: &Json) -> Vec<WrittenFile> {
        let written = T::WRITTEN.and_then(|of| details.read().ok().map(of));
        written.unwrap_or_default()
    }

    fn starts_tasks(&self) -> bool {
        T::FOLLOWED.is_some()
    }

    fn follow_task(&self, details: &Json, row: &TaskRow) -> Option<Value> {
        let followed = T::FOLLOWED?(details.read().ok()?, row)?;
        serde_json::to_value(&followed).ok()
    }

    fn render_call(&self, args: DrawnArgs<'_>, cx: RenderCx) -> Card {
        Tool::render_call(self, args.with_aliases(T::PARAM_ALIASES), cx)
    }

    fn render_result(&self, args: DrawnArgs<'_>, result: ResultSource<'_>, cx: RenderCx) -> Option<Card> {
        let (text, details, running) = match &result {
            ResultSource::Running { text, details } => (*text, T::Details::deserialize(*details), true),
            ResultSource::Ended(result) => (result.output.as_str(), result.details.read(), false),
        };
        let details = details.ok()?;
        Some(Tool::render_result(
            self,
            ResultView {
                args: args.with_aliases(T::PARAM_ALIASES),
                details,
                text,
                running,
            },
            cx,
        ))
    }
}

fn foreign() -> ToolError {
    ToolError::new(
        ErrorKind::Internal,
        "the call was prepared by another tool; please report this",
    )
}

/// Stands in the schema of a parameter whose `null` differs from its absence, and goes with the rest.
const NULL_SAYS_SOMETHING: &str = "x-null";

/// The schema of text that may be `null` and mean it.
pub(super) fn text_or_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "null"], (NULL_SAYS_SOMETHING): true })
}

/// Removes what models do not need and some servers refuse: titles, number formats, `null` as a type.
fn tidy_schema(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let is_map_of_names = |key: &str| key == "properties";
            for key in ["title", "format", "default", "$schema"] {
                if !fields.get(key).is_some_and(Value::is_object) {
                    fields.shift_remove(key);
                }
            }
            let says_something = fields.shift_remove(NULL_SAYS_SOMETHING).is_some();
            if let Some(Value::Array(kinds)) = fields.get_mut("type")
                && !says_something
            {
                kinds.retain(|kind| kind != "null");
                if let [only] = kinds.as_slice() {
                    let only = only.clone();
                    fields.insert("type".to_owned(), only);
                }
            }
            drop_null_alternative(fields);
            for (key, value) in fields.iter_mut() {
                if is_map_of_names(key) {
                    value
                        .as_object_mut()
                        .into_iter()
                        .flatten()
                        .for_each(|(_, schema)| tidy_schema(schema));
                } else {
                    tidy_schema(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(tidy_schema),
        _ => {}
    }
}

fn drop_null_alternative(fields: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = fields.get_mut("anyOf") else {
        return;
    };
    choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
    if let [Value::Object(only)] = choices.as_slice() {
        let only = only.clone();
        fields.shift_remove("anyOf");
        for (key, value) in only {
            fields.entry(key).or_insert(value);
        }
    }
}

/// The card for results that no tool draws: the text, cut to a few lines unless expanded.
pub(super) fn generic_card(card: Card, text: &str, cx: RenderCx) -> Card {
    const COLLAPSED: usize = 6;
    let total = text.lines().count();
    if cx.expanded || total <= COLLAPSED {
        return if text.is_empty() {
            card
        } else {
            card.part(CardPart::Text(text.to_owned()))
        };
    }
    let head: Vec<&str> = text.lines().take(COLLAPSED).collect();
    card.part(CardPart::Text(head.join("\n")))
        .leaving_out(total - COLLAPSED, |more| plural(more, "more line"))
}
