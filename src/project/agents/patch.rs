//! The settings that one source has for an agent.
//!
//! Files of three programs are read. Lathe's own are checked to the last key, because a misspelt `permission` would open
//! what it was meant to close; those of others are taken as far as they mean something here.

use serde_json::Value;

use super::{AgentMode, AgentModel};
use crate::conversation::{Isolation, ModelRef};
use crate::project::frontmatter::{Field, FrontMatter, FrontMatterError, broken};

/// Any key may be missing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentPatch {
    pub description: Option<String>,
    pub mode: Option<AgentMode>,
    pub model: Option<AgentModel>,
    /// A name of a model that only another program knows.
    pub unknown_model: Option<String>,
    pub variant: Option<String>,
    pub temperature: Option<f64>,
    pub prompt: Option<String>,
    pub tools: Vec<ToolChoice>,
    pub permission: Option<Value>,
    pub steps: Option<u32>,
    pub isolation: Option<Isolation>,
    pub hidden: Option<bool>,
    pub disable: Option<bool>,
}

/// Names or wildcards switched on or off, or the only ones there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    Switches(Vec<(String, bool)>),
    Only(Vec<String>),
}

/// File format: lathe's own or another program's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Lathe,
    OpenCode,
    Claude,
}

/// Says what is wrong with rules, without a place.
pub(super) type CheckRules<'a> = &'a dyn Fn(&Value) -> Result<(), String>;

/// The model of whoever starts the agent, which is what an agent without one has.
const INHERIT: &str = "inherit";

const KEYS: &[&str] = &[
    "name",
    "description",
    "mode",
    "model",
    "variant",
    "temperature",
    "tools",
    "permission",
    "steps",
    "isolation",
    "hidden",
    "disable",
];

/// Reads the keys of a file.
pub(super) fn patch(
    file: &FrontMatter,
    dialect: Dialect,
    check_rules: CheckRules<'_>,
) -> Result<AgentPatch, FrontMatterError> {
    let mut patch = AgentPatch::default();
    for (key, field) in &file.fields {
        if !field.value.is_null() {
            patch.take(key, field, dialect, check_rules)?;
        }
    }
    let body = file.body.trim();
    patch.prompt = (!body.is_empty()).then(|| body.to_owned());
    Ok(patch)
}

impl AgentPatch {
    /// Returns what of it counts from a project that is not trusted: text, and what only tightens. `adds` says that
    /// nobody else speaks of this agent. Rules and tool lists stay whole; whoever applies them lets them only tighten.
    #[must_use]
    pub fn text(&self, adds: bool) -> Self {
        Self {
            description: self.description.clone(),
            mode: self.mode.filter(|_| adds),
            unknown_model: self.unknown_model.clone(),
            temperature: self.temperature,
            prompt: self.prompt.clone(),
            // A project's number only lowers the user's.
            steps: self.steps,
            isolation: self
                .isolation
                .filter(|isolation| adds || *isolation == Isolation::Worktree),
            hidden: self.hidden.filter(|_| adds),
            tools: self.tools.clone(),
            permission: self.permission.clone(),
            ..Self::default()
        }
    }

    /// Returns what [`text`](Self::text) leaves out, by key.
    pub fn beyond_text(&self, adds: bool) -> Vec<(&'static str, Value)> {
        let mode = self.mode.filter(|_| !adds);
        let model = self.model.as_ref().map(|model| Value::from(model.to_string()));
        let loosened = self
            .isolation
            .filter(|isolation| !adds && *isolation == Isolation::None);
        let beyond = [
            ("mode", mode.map(|mode| Value::from(mode.name()))),
            ("model", model),
            ("variant", self.variant.clone().map(Value::from)),
            ("isolation", loosened.map(|_| Value::from("none"))),
            ("hidden", self.hidden.filter(|_| !adds).map(Value::from)),
            ("disable", self.disable.map(Value::from)),
        ];
        let given = beyond.into_iter().filter_map(|(key, value)| Some((key, value?)));
        given.collect()
    }

    fn take(
        &mut self,
        key: &str,
        field: &Field,
        dialect: Dialect,
        check_rules: CheckRules<'_>,
    ) -> Result<(), FrontMatterError> {
        let wrong = |message: String| Err(broken(field.at, message));
        match key {
            "description" => self.description = Some(text(key, field)?),
            "mode" => self.mode = Some(mode(field)?),
            "model" => {
                self.model = model(field, dialect)?;
                let given = text(key, field)?;
                self.unknown_model = (self.model.is_none() && given != INHERIT).then_some(given);
            }
            "variant" => self.variant = Some(text(key, field)?),
            "temperature" => match field.value.as_f64() {
                Some(number @ 0.0..=2.0) => self.temperature = Some(number),
                _ => return wrong("`temperature` must be a number from 0 to 2".to_owned()),
            },
            "tools" => self.tools.insert(0, tools(field)?),
            "disallowedTools" if dialect == Dialect::Claude => {
                let names = names(field)?;
                let off = names.into_iter().map(|name| (name, false)).collect();
                self.tools.push(ToolChoice::Switches(off));
            }
            "permission" => {
                check_rules(&field.value).or_else(|message| wrong(format!("`permission`: {message}")))?;
                self.permission = Some(field.value.clone());
            }
            "steps" => self.steps = Some(steps(field)?),
            "maxSteps" if dialect == Dialect::OpenCode => self.steps = Some(steps(field)?),
            "isolation" => self.isolation = isolation(field, dialect)?,
            "hidden" => self.hidden = Some(boolean(key, field)?),
            "disable" => self.disable = Some(boolean(key, field)?),
            "name" => drop(text(key, field)?),
            _ if dialect == Dialect::Lathe => {
                let known = KEYS.join("`, `");
                return wrong(format!(
                    "`{key}` is not a key of an agent; the keys are `{known}`"
                ));
            }
            _ => {}
        }
        Ok(())
    }
}

fn text(key: &str, field: &Field) -> Result<String, FrontMatterError> {
    let text = field.value.as_str().map(str::trim);
    text.map(str::to_owned)
        .ok_or_else(|| broken(field.at, format!("`{key}` must be a string")))
}

fn boolean(key: &str, field: &Field) -> Result<bool, FrontMatterError> {
    let boolean = field.value.as_bool();
    boolean.ok_or_else(|| broken(field.at, format!("`{key}` must be `true` or `false`")))
}

/// Other programs may know more places than these.
fn isolation(field: &Field, dialect: Dialect) -> Result<Option<Isolation>, FrontMatterError> {
    match (field.value.as_str(), dialect) {
        (Some("none"), _) => Ok(Some(Isolation::None)),
        (Some("worktree"), _) => Ok(Some(Isolation::Worktree)),
        (_, Dialect::OpenCode | Dialect::Claude) => Ok(None),
        (_, Dialect::Lathe) => {
            let message = "`isolation` must be `none` or `worktree`".to_owned();
            Err(broken(field.at, message))
        }
    }
}

fn mode(field: &Field) -> Result<AgentMode, FrontMatterError> {
    match field.value.as_str() {
        Some("primary") => Ok(AgentMode::Primary),
        Some("subagent") => Ok(AgentMode::Subagent),
        Some("all") => Ok(AgentMode::All),
        _ => {
            let message = "`mode` must be `primary`, `subagent` or `all`".to_owned();
            Err(broken(field.at, message))
        }
    }
}

fn model(field: &Field, dialect: Dialect) -> Result<Option<AgentModel>, FrontMatterError> {
    let given = text("model", field)?;
    if given == AgentModel::SMALL && dialect == Dialect::Lathe {
        return Ok(Some(AgentModel::Small));
    }
    match (given.parse::<ModelRef>(), dialect) {
        (Ok(model), Dialect::Lathe) => Ok(Some(AgentModel::Named(model))),
        (Ok(model), _) => Ok(Some(AgentModel::Foreign(model))),
        // `sonnet`, `inherit`: names that only the other program knows.
        (Err(_), Dialect::OpenCode | Dialect::Claude) => Ok(None),
        (Err(problem), Dialect::Lathe) => Err(broken(field.at, format!("`model`: {problem}"))),
    }
}

fn steps(field: &Field) -> Result<u32, FrontMatterError> {
    let steps = field.value.as_u64().and_then(|steps| u32::try_from(steps).ok());
    steps
        .filter(|steps| *steps > 0)
        .ok_or_else(|| broken(field.at, "`steps` must be a whole number from 1".to_owned()))
}

fn tools(field: &Field) -> Result<ToolChoice, FrontMatterError> {
    let Value::Object(switches) = &field.value else {
        return names(field).map(ToolChoice::Only);
    };
    let switch = |(name, on): (&String, &Value)| {
        let on = on.as_bool().ok_or_else(|| {
            let message = format!("`tools`: `{name}` must be `true` or `false`");
            broken(field.at, message)
        })?;
        Ok((name.clone(), on))
    };
    let switches: Result<Vec<_>, FrontMatterError> = switches.iter().map(switch).collect();
    switches.map(ToolChoice::Switches)
}

/// A list, or names with commas between them, as Claude's files have them.
fn names(field: &Field) -> Result<Vec<String>, FrontMatterError> {
    let plain = |name: &str| {
        // `Bash(git log:*)`: what may be run is a matter of rules, and they are not loosened by a list.
        let name = name.split('(').next().unwrap_or(name).trim();
        (!name.is_empty()).then(|| name.to_owned())
    };
    match &field.value {
        Value::String(list) => Ok(split_outside_brackets(list).filter_map(plain).collect()),
        Value::Array(list) if list.iter().all(Value::is_string) => {
            Ok(list.iter().filter_map(Value::as_str).filter_map(plain).collect())
        }
        _ => {
            let message = "`tools` must be a list of names, or names with `true` or `false`".to_owned();
            Err(broken(field.at, message))
        }
    }
}

fn split_outside_brackets(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    list.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}
