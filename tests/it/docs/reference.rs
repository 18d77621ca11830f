//! Tables of keys, commands, tools and agents.

use std::fmt::Write;

use lathe::tui::{KeyAction, key_actions, slash_commands};
use serde_json::Value;

use super::tables::{assert_generated, code, table};
use crate::support::{Lathe, Project, Protocol, Server, Turn};

fn output(arguments: &[&str]) -> String {
    let project = Project::new();
    Lathe::in_project(&project).args(arguments).run().success().stdout
}

#[test]
fn keys_are_listed_by_the_part_of_the_screen_that_reads_them() {
    let actions = key_actions();
    let mut contexts: Vec<&str> = Vec::new();
    for action in &actions {
        if !contexts.contains(&action.context) {
            contexts.push(action.context);
        }
    }
    let mut text = String::new();
    for context in contexts {
        let rows: Vec<[String; 3]> = actions
            .iter()
            .filter(|action| action.context == context)
            .map(key_row)
            .collect();
        let rows = table(["key", "what it does", "name in `keybinds`"], &rows);
        writeln!(text, "### {context}\n\n{rows}").unwrap();
    }
    assert_generated("docs/keys.md", "keys", &text);
}

fn key_row(action: &KeyAction) -> [String; 3] {
    let keys: Vec<String> = action.keys.iter().map(|key| code(key)).collect();
    [keys.join(", "), action.description.clone(), code(&action.name)]
}

#[test]
fn slash_commands_are_listed_with_their_aliases() {
    let rows: Vec<[String; 3]> = slash_commands()
        .iter()
        .map(|command| {
            let aliases = command.aliases.iter().map(|alias| code(&format!("/{alias}")));
            [
                code(&format!("/{}", command.name)),
                command.about.to_owned(),
                aliases.collect::<Vec<_>>().join(", "),
            ]
        })
        .collect();
    let text = table(["command", "what it does", "also"], &rows);
    assert_generated("docs/keys.md", "commands", &text);
}

#[test]
fn tools_are_listed_with_their_parameters() {
    let listed: Value = serde_json::from_str(&output(&["tools", "--all", "--json"])).unwrap();
    let rows: Vec<[String; 4]> = listed["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .map(tool_row)
        .collect();
    let text = table(["tool", "set", "parameters", "what it does"], &rows);
    assert_generated("docs/tools.md", "tools", &text);
}

fn tool_row(tool: &Value) -> [String; 4] {
    let text = |field: &str| tool[field].as_str().unwrap().to_owned();
    let schema = &tool["schema"];
    let required: Vec<&Value> = schema["required"].as_array().into_iter().flatten().collect();
    let names = schema["properties"].as_object().expect("parameters").keys();
    let parameters = names.map(|name| {
        if required.iter().any(|required| *required == name) {
            format!("**{name}**")
        } else {
            name.clone()
        }
    });
    let description = text("description");
    let sentence = description.split_inclusive(['.', ':']).next().unwrap_or_default();
    [
        code(&text("name")),
        text("set"),
        parameters.collect::<Vec<_>>().join(", "),
        format!("{}.", sentence.trim_end_matches(['.', ':'])),
    ]
}

#[test]
fn commands_of_the_command_line_are_listed() {
    let rows: Vec<[String; 2]> = output(&["-h"])
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.trim().split_once("  "))
        .filter(|(name, _)| *name != "help")
        .map(|(name, about)| [code(&format!("lathe {name}")), about.trim().to_owned()])
        .collect();
    assert!(rows.len() > 10, "{rows:?}");
    let text = table(["command", "what it does"], &rows);
    assert_generated("docs/headless.md", "commands", &text);
}

#[test]
fn the_prompt_and_the_shown_tools_stay_under_nine_thousand_tokens() {
    let server = Server::with([Turn::text("Done.")]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    Lathe::in_project(&project).args(["run", "go"]).run().success();
    let body = &server.requests()[0].body;
    let characters =
        body["tools"].to_string().chars().count() + body["messages"][0].to_string().chars().count();
    assert!(characters / 4 < 9000, "{} tokens", characters / 4);
}
