//! `lathe tools`: what a model is shown, what else there is, and the schema of one tool.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::args::{OpenArgs, ToolsArgs};
use super::failure::Failure;
use super::output::{print, print_json, table};
use super::place::Place;
use crate::provider::ToolSpec;
use crate::session::wire::{self, FrontEndKind, ModelSource, Which};
use crate::text::sanitize::sanitize_line;
use crate::tool::{DynTool, InitCx, Registry, Resolution, ToolSettings};

/// A tool as it is listed.
struct Listed {
    name: String,
    set: &'static str,
    advertised: bool,
    description: String,
    schema: Value,
}

pub(super) fn tools(args: &ToolsArgs) -> Result<(), Failure> {
    let registry = Registry::builtin();
    let (specs, settings) = advertised()?;
    let listed = |tool: &dyn DynTool| listed(tool, &registry, &specs, &settings);
    if let Some(name) = &args.name {
        return describe(&listed(&*find(&registry, name)?), args.json);
    }
    let all = registry.tools().map(|tool| listed(&**tool));
    let chosen: Vec<_> = all.filter(|tool| args.all || tool.advertised).collect();
    if args.json {
        let tools: Vec<_> = chosen.iter().map(Listed::json).collect();
        return print_json(&json!({ "tools": tools, "errors": [] }));
    }
    let rows: Vec<_> = chosen
        .iter()
        .map(|tool| {
            [
                tool.name.clone(),
                tool.set.to_owned(),
                first_sentence(&tool.description),
            ]
        })
        .collect();
    print(&table(&rows))
}

/// Returns the tools that the default agent is shown here, by name, and the settings that it has.
fn advertised() -> Result<(HashMap<String, ToolSpec>, ToolSettings), Failure> {
    let place = Place::current()?;
    let request = place.request(
        OpenArgs::default(),
        Which::New,
        ModelSource::Network,
        FrontEndKind::Unattended,
    )?;
    let (specs, settings) = wire::advertised(&request)?;
    let by_name = specs.into_iter().map(|spec| (spec.name.clone(), spec));
    Ok((by_name.collect(), settings))
}

/// Finds a tool by any name that a model may use for it.
fn find(registry: &Registry, name: &str) -> Result<std::sync::Arc<dyn DynTool>, Failure> {
    match registry.resolve(name) {
        Resolution::Tool(tool) => Ok(tool),
        Resolution::Unknown { suggestions } if suggestions.is_empty() => {
            let failure = Failure::missing(format!("there is no tool named `{name}`"));
            Err(failure.hinted("`lathe tools --all` lists them."))
        }
        Resolution::Unknown { suggestions } => {
            let near: Vec<_> = suggestions.iter().map(|name| format!("`{name}`")).collect();
            let near = near.join(", ");
            Err(Failure::missing(format!(
                "there is no tool named `{name}`; did you mean {near}?"
            )))
        }
    }
}

fn listed(
    tool: &dyn DynTool,
    registry: &Registry,
    specs: &HashMap<String, ToolSpec>,
    settings: &ToolSettings,
) -> Listed {
    let spec = specs.get(tool.name());
    let (description, schema) = if let Some(spec) = spec {
        (spec.description.clone(), spec.schema.clone())
    } else {
        let schema = registry.schema(tool.name()).cloned().unwrap_or_default();
        (tool.description(InitCx { settings }), schema)
    };
    let name = tool.name().to_owned();
    Listed {
        name,
        set: tool.set().as_str(),
        advertised: spec.is_some(),
        description,
        schema,
    }
}

impl Listed {
    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "set": self.set,
            "advertised": self.advertised,
            "description": self.description,
            "schema": self.schema,
        })
    }
}

fn describe(tool: &Listed, as_json: bool) -> Result<(), Failure> {
    if as_json {
        let Listed {
            name,
            set,
            description,
            schema,
            ..
        } = tool;
        return print_json(
            &json!({ "name": name, "set": set, "description": description, "schema": schema }),
        );
    }
    let Listed {
        name,
        set,
        description,
        schema,
        ..
    } = tool;
    let description = description.trim();
    print(&format!("{name} ({set})\n\n{description}\n\n{schema:#}\n"))
}

/// For a list: up to the first full stop that ends a word.
fn first_sentence(description: &str) -> String {
    let line = description.trim().lines().next().unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |stop| stop + 1);
    sanitize_line(&line[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_shows_the_first_sentence() {
        assert_eq!(
            first_sentence("Reads a file. Also a directory.\nMore."),
            "Reads a file."
        );
        assert_eq!(
            first_sentence("Reads src/a.rs whole\nMore."),
            "Reads src/a.rs whole"
        );
        assert_eq!(first_sentence(""), "");
    }
}
