//! `keybinds`: to the keymap of the screen, to mistakes with their places, and into the schema.
//!
//! Which actions there are only the screen knows, so `config` reads them as names with keys and they are judged here, by
//! every command that reads a configuration.

use serde_json::{Map, Value, json};

use super::failure::Failure;
use crate::config::schema::Keys;
use crate::config::{ConfigError, LoadedConfig};
use crate::tui::{Keymap, key_actions, key_presets};

/// The action whose key `tui.terminal_leader` is.
const TERMINAL_LEADER: &str = "terminal-leader";

/// Makes the keymap that the configuration describes.
pub(super) fn keymap(loaded: &LoadedConfig) -> Result<Keymap, Failure> {
    let leader = loaded.config.tui.terminal_leader.clone();
    let leader = leader.map(|key| (TERMINAL_LEADER, vec![key]));
    let settings = loaded.config.keybinds.iter();
    let settings = settings.map(|(name, keys)| (name, written(keys)));
    Keymap::configured(leader.clone().into_iter().chain(settings)).map_err(|problems| {
        let placed = problems.into_iter().map(|problem| {
            let is_leader = leader.is_some() && problem.name == TERMINAL_LEADER;
            let path: &[&str] = if is_leader {
                &["tui", "terminal_leader"]
            } else {
                &["keybinds", &problem.name]
            };
            loaded.problem(path, problem.message)
        });
        let problems = placed.collect();
        ConfigError { problems }.into()
    })
}

fn written(keys: &Keys) -> Vec<String> {
    match keys {
        Keys::One(key) => vec![key.clone()],
        Keys::Several(keys) if keys.is_empty() => vec!["none".to_owned()],
        Keys::Several(keys) => keys.clone(),
    }
}

/// Adds the actions and presets to the schema of a configuration file.
pub(super) fn complete(schema: &mut Value) {
    let Some(keybinds) = schema.pointer_mut("/properties/keybinds") else {
        return;
    };
    let keys = keybinds["additionalProperties"].take();
    let mut known = Map::new();
    known.insert(
        "preset".to_owned(),
        json!({ "description": "The keys of another program; the other settings change single keys.", "enum": key_presets() }),
    );
    for action in key_actions() {
        let now = if action.keys.is_empty() {
            "none".to_owned()
        } else {
            action.keys.join(", ")
        };
        let mut entry = keys.clone();
        entry["description"] = Value::from(format!("{}. Default: {now}", action.description));
        known.insert(action.name, entry);
    }
    keybinds["properties"] = Value::Object(known);
    keybinds["additionalProperties"] = Value::Bool(false);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_lists_every_action_with_its_keys() {
        let mut schema = crate::config::json_schema();
        complete(&mut schema);
        let known = &schema["properties"]["keybinds"]["properties"];
        assert_eq!(
            known["preset"]["enum"],
            json!(["lathe", "claude", "opencode", "vim"])
        );
        assert_eq!(
            known["palette"]["description"],
            "open the palette: every action. Default: ctrl+p, leader p"
        );
        for action in key_actions() {
            assert!(known.get(&action.name).is_some(), "{}", action.name);
        }
    }
}
