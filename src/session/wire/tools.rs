//! The tools that there are, for who asks without a session.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::gates::{permissions, roots};
use super::models::likely_edit_mode;
use super::profile::{self, BaseRules, ToolUser};
use super::services::tool_settings;
use super::{OpenRequest, agents};
use crate::provider::ToolSpec;
use crate::session::ErrorReport;
use crate::tool::{InitCx, Registry, Resolution, ToolSettings};

/// A tool as a model would be told of it.
#[derive(Debug, Clone)]
pub struct ListedTool {
    pub name: String,
    /// The set that it belongs to.
    pub set: &'static str,
    /// True if the default agent is shown it here.
    pub advertised: bool,
    pub description: String,
    /// JSON Schema of its arguments.
    pub schema: Value,
}

/// Returns every registered tool.
pub fn list_tools(request: &OpenRequest) -> Result<Vec<ListedTool>, ErrorReport> {
    let registry = Registry::builtin();
    let (specs, settings) = advertised(request, &registry)?;
    let mut specs: HashMap<_, _> = specs.into_iter().map(|spec| (spec.name.clone(), spec)).collect();
    let listed = registry.tools().map(|tool| {
        let spec = specs.remove(tool.name());
        let advertised = spec.is_some();
        let (description, schema) = match spec {
            Some(spec) => (spec.description, spec.schema),
            None => (
                tool.description(InitCx { settings: &settings }),
                registry.schema(tool.name()).cloned().unwrap_or_default(),
            ),
        };
        ListedTool {
            name: tool.name().to_owned(),
            set: tool.set().as_str(),
            advertised,
            description,
            schema,
        }
    });
    Ok(listed.collect())
}

/// Returns the own name of the tool that a model may call by this one, or else the closest names, at most three.
pub fn find_tool(name: &str) -> Result<String, Vec<String>> {
    match Registry::builtin().resolve(name) {
        Resolution::Tool(tool) => Ok(tool.name().to_owned()),
        Resolution::Unknown { suggestions } => Err(suggestions),
    }
}

/// Returns what a model would be told of, and the settings that its words come from.
fn advertised(
    request: &OpenRequest,
    registry: &Registry,
) -> Result<(Vec<ToolSpec>, ToolSettings), ErrorReport> {
    let roots = roots(request, &request.directory);
    let permissions = permissions(request, roots.project_root(), None)?;
    let base = BaseRules::new(request, tool_settings(request, &roots, registry), permissions);
    let agents = agents(request);
    let agent = agents::start(&agents, request, None, &mut Vec::new())?.agent;
    let edit_mode = likely_edit_mode(request, None, agent);
    let settings = profile::tool_settings(&base, ToolUser::of_person(agent, &agents), edit_mode, registry);
    let permissions = profile::permissions(&base, agent)?;
    let specs = registry.advertised(&settings, &permissions, &BTreeSet::new());
    Ok((specs, settings))
}
