//! `lathe tools`: what a model is shown, what else there is, and the schema of one tool.

use serde_json::{Value, json};

use super::args::ToolsArgs;
use super::failure::Failure;
use super::output::{print, print_json, table};
use super::place::Locations;
use crate::session::wire::{self, ListedTool};
use crate::text::sanitize::sanitize_line;

pub(super) fn tools(args: &ToolsArgs) -> Result<(), Failure> {
    let place = Locations::current()?;
    let request = place.listing_request()?;
    let all = wire::list_tools(&request)?;
    if let Some(name) = &args.name {
        return describe(find(&all, name)?, args.json);
    }
    let chosen = all.iter().filter(|tool| args.all || tool.advertised);
    if args.json {
        let tools: Vec<_> = chosen.map(json).collect();
        return print_json(&json!({ "tools": tools, "errors": [] }));
    }
    let rows = chosen.map(|tool| {
        [
            tool.name.clone(),
            tool.set.to_owned(),
            first_sentence(&tool.description),
        ]
    });
    print(&table(&rows.collect::<Vec<_>>()))
}

/// Finds a tool by any name that a model may use for it.
fn find<'a>(all: &'a [ListedTool], name: &str) -> Result<&'a ListedTool, Failure> {
    let near = match wire::find_tool(name) {
        Ok(own) => match all.iter().find(|tool| tool.name == own) {
            Some(tool) => return Ok(tool),
            None => Vec::new(),
        },
        Err(near) => near,
    };
    if near.is_empty() {
        let failure = Failure::missing(format!("there is no tool named `{name}`"));
        return Err(failure.hinted("`lathe tools --all` lists them."));
    }
    let near: Vec<_> = near.iter().map(|name| format!("`{name}`")).collect();
    let near = near.join(", ");
    Err(Failure::missing(format!(
        "there is no tool named `{name}`; did you mean {near}?"
    )))
}

fn json(tool: &ListedTool) -> Value {
    json!({
        "name": tool.name,
        "set": tool.set,
        "advertised": tool.advertised,
        "description": tool.description,
        "schema": tool.schema,
    })
}

fn describe(tool: &ListedTool, as_json: bool) -> Result<(), Failure> {
    let ListedTool {
        name,
        set,
        description,
        schema,
        ..
    } = tool;
    if as_json {
        return print_json(
            &json!({ "name": name, "set": set, "description": description, "schema": schema }),
        );
    }
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
