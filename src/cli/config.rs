//! `lathe config`: which files count, what they may say, and what came of them.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::args::ConfigCommand;
use super::failure::Failure;
use super::keys;
use super::output::{print, print_json, print_note};
use super::place::Locations;
use crate::config::{self, LoadedConfig, Origin, PermissionLayer};
use crate::permission::{self, Action, Rule, Source};
use crate::provider::without_user;
use crate::session::wire::{self, ImportedList, ProjectTrust, TrustState, TrustedBy};
use crate::text::sanitize::sanitize_line;

pub(super) fn config(command: ConfigCommand) -> Result<(), Failure> {
    match command {
        ConfigCommand::Schema => {
            let mut schema = config::json_schema();
            keys::complete(&mut schema);
            print_json(&schema)
        }
        ConfigCommand::Path => {
            let mut text = String::new();
            for file in Locations::current()?.config_files() {
                let _ = writeln!(text, "{}", sanitize_line(&file.to_string_lossy()));
            }
            print(&text)
        }
        ConfigCommand::Show => {
            let request = Locations::current()?.listing_request()?;
            for notice in request.loaded.notices() {
                print_note(&notice);
            }
            print_json(&effective_config(
                &request.loaded,
                &request.trust,
                &wire::imported_lists(&request),
            )?)
        }
    }
}

/// The merged configuration, with what is not merged in the place of its key: each permission rule with its file.
fn effective_config(
    loaded: &LoadedConfig,
    trust: &ProjectTrust,
    lists: &[ImportedList],
) -> Result<Value, Failure> {
    let serialised = serde_json::to_value(&loaded.config);
    let mut keys = match serialised {
        Ok(Value::Object(keys)) => keys,
        Ok(_) => Map::new(),
        Err(error) => return Err(Failure::system("the configuration could not be printed", error)),
    };
    hide_secrets(&mut keys, loaded);
    let mut rules = Vec::new();
    for layer in &loaded.permission_layers {
        rules.extend(layer_rules(layer, trust)?);
    }
    rules.extend(lists.iter().flat_map(imported_rules));
    keys.insert("permission".to_owned(), Value::Array(rules));
    let files: Vec<_> = loaded.files.iter().map(|file| file.to_string_lossy()).collect();
    keys.insert("files".to_owned(), json!(files));
    keys.insert("project".to_owned(), project(trust));
    Ok(Value::Object(keys))
}

/// Shows what the files take from elsewhere as it is written there, and addresses without the user they name.
fn hide_secrets(keys: &mut Map<String, Value>, loaded: &LoadedConfig) {
    for secret in loaded.secrets.iter().filter(|secret| !secret.values.is_empty()) {
        if let Some(place) = at(keys, &secret.path) {
            *place = Value::from(secret.written.as_str());
        }
    }
    for (key, url) in [("providers", "base_url"), ("mcp", "url")] {
        let entries = keys.get_mut(key).and_then(Value::as_object_mut);
        for place in entries
            .into_iter()
            .flat_map(Map::values_mut)
            .filter_map(|entry| entry.get_mut(url))
        {
            if let Some(shown) = place.as_str().map(|url| without_user(url).into_owned()) {
                *place = Value::from(shown);
            }
        }
    }
}

fn at<'a>(keys: &'a mut Map<String, Value>, path: &[String]) -> Option<&'a mut Value> {
    let (first, rest) = path.split_first()?;
    rest.iter()
        .try_fold(keys.get_mut(first)?, |value, step| value.get_mut(step))
}

/// Describes the parts that the project brings, and whether they count.
fn project(trust: &ProjectTrust) -> Value {
    let (trusted, by) = match trust.state {
        TrustState::NotNeeded => (Value::Null, None),
        TrustState::Untrusted { .. } => (Value::from(false), None),
        TrustState::Trusted(by) => (Value::from(true), Some(by)),
    };
    let by = by.map(|by| match by {
        TrustedBy::Flag => "--trust",
        TrustedBy::Configuration => "configuration",
        TrustedBy::Answer => "answer",
    });
    let parts = trust
        .parts
        .iter()
        .map(|part| json!({"file": part.file, "key": part.key}));
    json!({
        "root": trust.root.to_string_lossy(),
        "trusted": trusted,
        "by": by,
        "parts": parts.collect::<Vec<_>>(),
        "unconfirmed": trust.left_out.files(),
    })
}

/// In the order of the file: within one list the last that matches wins.
fn layer_rules(layer: &PermissionLayer, trust: &ProjectTrust) -> Result<Vec<Value>, Failure> {
    let rules = permission::parse(&layer.rules, &Source::Default, None)
        .map_err(|problem| Failure::usage(format!("{}: {problem}", layer.file.display())))?;
    let shown = rules.iter().map(|rule| {
        let mut shown = shown_rule(rule, layer.origin, &layer.file);
        if layer.origin == Origin::Project && rule.action == Action::Allow && !trust.is_trusted() {
            shown["ignored"] = Value::from("the project is not trusted");
        }
        shown
    });
    Ok(shown.collect())
}

/// In the order in which they are judged: the last that matches wins among those of one owner.
fn imported_rules(list: &ImportedList) -> Vec<Value> {
    let rules = list.translation.rules.iter();
    let shown = rules.map(|rule| {
        let file = match &rule.source {
            Source::Imported(file) => file.as_path(),
            _ => Path::new(""),
        };
        let mut shown = shown_rule(rule, list.origin, file);
        if rule.action == Action::Allow && !list.may_allow {
            let why = match list.origin {
                Origin::Project => "the project is not trusted",
                Origin::Global | Origin::Extra | Origin::Managed => "it needs your approval",
            };
            shown["ignored"] = Value::from(why);
        }
        shown
    });
    shown.collect()
}

fn shown_rule(rule: &Rule, origin: Origin, file: &Path) -> Value {
    let origin = match origin {
        Origin::Global => "global",
        Origin::Project => "project",
        Origin::Extra => "extra",
        Origin::Managed => "managed",
    };
    json!({
        "key": rule.key,
        "pattern": rule.pattern.to_string(),
        "action": rule.action.to_string(),
        "origin": origin,
        "file": file.to_string_lossy(),
    })
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

        let place = Locations::new(dirs, &project.canonicalize().unwrap());
        let shown = effective_config(&place.load(None).unwrap(), &ProjectTrust::default(), &[]).unwrap();
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
