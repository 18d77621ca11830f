//! `lathe config`: which files count, what they may say, and what came of them.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::args::ConfigCommand;
use super::failure::Failure;
use super::output::{print, print_json, tell};
use super::place::Place;
use crate::config::{self, Loaded, Origin, PermissionLayer};
use crate::permission::{self, Source};
use crate::text::sanitize::sanitize_line;

pub(super) fn config(command: ConfigCommand) -> Result<(), Failure> {
    match command {
        ConfigCommand::Schema => print_json(&config::json_schema()),
        ConfigCommand::Path => {
            let mut text = String::new();
            for file in Place::current()?.config_files() {
                let _ = writeln!(text, "{}", sanitize_line(&file.to_string_lossy()));
            }
            print(&text)
        }
        ConfigCommand::Show => {
            let loaded = Place::current()?.load(None)?;
            for warning in &loaded.warnings {
                tell(warning);
            }
            print_json(&shown(&loaded)?)
        }
    }
}

/// The merged configuration, with what is not merged in the place of its key: each permission rule with its file.
fn shown(loaded: &Loaded) -> Result<Value, Failure> {
    let serialised = serde_json::to_value(&loaded.config);
    let mut keys = match serialised {
        Ok(Value::Object(keys)) => keys,
        Ok(_) => Map::new(),
        Err(error) => return Err(Failure::system("the configuration could not be printed", error)),
    };
    let mut rules = Vec::new();
    for layer in &loaded.permission_layers {
        rules.extend(layer_rules(layer)?);
    }
    keys.insert("permission".to_owned(), Value::Array(rules));
    let files: Vec<_> = loaded.files.iter().map(|file| file.to_string_lossy()).collect();
    keys.insert("files".to_owned(), json!(files));
    Ok(Value::Object(keys))
}

/// In the order of the file: within one list the last that matches wins.
fn layer_rules(layer: &PermissionLayer) -> Result<Vec<Value>, Failure> {
    let rules = permission::parse(&layer.rules, &Source::Default, None)
        .map_err(|problem| Failure::usage(format!("{}: {problem}", layer.file.display())))?;
    let origin = match layer.origin {
        Origin::Global => "global",
        Origin::Project => "project",
        Origin::Extra => "extra",
    };
    let file = layer.file.to_string_lossy();
    let shown = rules.iter().map(|rule| {
        json!({
            "key": rule.key,
            "pattern": rule.pattern.to_string(),
            "action": rule.action.to_string(),
            "origin": origin,
            "file": file,
        })
    });
    Ok(shown.collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::Dirs;

    #[test]
    fn what_is_shown_names_the_file_of_each_rule_and_hides_keys() {
        let base = tempfile::tempdir().unwrap();
        let dirs = Dirs::below(base.path());
        let project = base.path().join("project");
        fs::create_dir_all(&dirs.config).unwrap();
        fs::create_dir_all(&project).unwrap();
        let global = dirs.config.join("lathe.jsonc");
        let text = r#"{"model": "local/x", "permission": {"edit": "allow", "bash": {"git *": "ask"}},
            "providers": {"local": {"protocol": "openai-chat", "api_key": "very-secret"}}}"#;
        fs::write(&global, text).unwrap();
        fs::write(project.join("lathe.jsonc"), r#"{"permission": "deny"}"#).unwrap();

        let place = Place::new(dirs, &project.canonicalize().unwrap());
        let shown = shown(&place.load(None).unwrap()).unwrap();
        assert_eq!(shown["model"], "local/x");
        assert!(!shown.to_string().contains("very-secret"), "{shown}");
        let rules: Vec<_> = shown["permission"]
            .as_array()
            .unwrap()
            .iter()
            .map(|rule| {
                let field = |name: &str| rule[name].as_str().unwrap().to_owned();
                (field("origin"), field("key"), field("pattern"), field("action"))
            })
            .collect();
        let rule =
            |a: &str, b: &str, c: &str, d: &str| (a.to_owned(), b.to_owned(), c.to_owned(), d.to_owned());
        assert_eq!(
            rules,
            [
                rule("global", "edit", "*", "allow"),
                rule("global", "bash", "git *", "ask"),
                rule("project", "*", "*", "deny"),
            ]
        );
        assert_eq!(shown["permission"][0]["file"], global.to_str().unwrap());
        assert_eq!(shown["files"].as_array().unwrap().len(), 2);
    }
}
