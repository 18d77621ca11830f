//! The README agrees with the program about the program.

use std::fmt::Write;

use serde_json::Value;

use crate::support::{Lathe, Project};

const README: &str = include_str!("../../README.md");

fn tools() -> Vec<Value> {
    let project = Project::new();
    let finished = Lathe::in_project(&project)
        .args(["tools", "--all", "--json"])
        .run()
        .success();
    finished.json()["tools"].as_array().expect("a list").clone()
}

#[test]
fn the_tool_table_names_every_tool_with_its_set_and_parameters() {
    for tool in tools() {
        let schema = &tool["schema"];
        let required: Vec<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut row = format!(
            "| `{}` | {} |",
            tool["name"].as_str().unwrap(),
            tool["set"].as_str().unwrap()
        );
        let names = schema["properties"].as_object().expect("parameters").keys();
        let marked = |name: &String| {
            if required.contains(&name.as_str()) {
                format!("**{name}**")
            } else {
                name.clone()
            }
        };
        let parameters = names.map(marked).collect::<Vec<_>>().join(", ");
        if !parameters.is_empty() {
            write!(row, " {parameters}").unwrap();
        }
        row.push_str(" |");
        assert!(README.contains(&row), "the README lacks the row `{row}`");
    }
    let rows = README.lines().filter(|line| {
        line.starts_with("| `")
            && ["| core |", "| extended |", "| hidden |"]
                .iter()
                .any(|set| line.contains(set))
    });
    assert_eq!(
        rows.count(),
        tools().len(),
        "the README has a row for a tool that is not there"
    );
}

#[test]
fn every_subcommand_of_the_help_is_in_the_readme() {
    let project = Project::new();
    let help = Lathe::in_project(&project).arg("--help").run().success().stdout;
    let commands = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    for command in commands
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
    {
        assert!(
            README.contains(&format!("`lathe {command}")),
            "the README does not mention `lathe {command}`"
        );
    }
}

#[test]
fn the_prompt_and_the_shown_tools_stay_under_nine_thousand_tokens() {
    let server = crate::support::Server::with([crate::support::Turn::text("Done.")]);
    let project = Project::new().model(&server, crate::support::Protocol::OpenAiChat);
    Lathe::in_project(&project).args(["run", "go"]).run().success();
    let body = &server.requests()[0].body;
    let characters =
        body["tools"].to_string().chars().count() + body["messages"][0].to_string().chars().count();
    assert!(characters / 4 < 9000, "{} tokens", characters / 4);
}

#[test]
fn every_setting_of_the_screen_is_in_the_readme() {
    let project = Project::new();
    let schema = Lathe::in_project(&project)
        .args(["config", "schema"])
        .run()
        .success()
        .json();
    let settings = schema["$defs"]["Tui"]["properties"]
        .as_object()
        .expect("settings");
    // There is no focused terminal to leave yet.
    for name in settings.keys().filter(|name| *name != "terminal_leader") {
        let is_named =
            README.contains(&format!("tui.{name}")) || README.contains(&format!("\"tui\": {{\"{name}\""));
        assert!(is_named, "the README does not name `tui.{name}`");
    }
}
