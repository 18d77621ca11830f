//! The keys of permission rules in the configuration, held against those that mean something.
//!
//! A key that means nothing would make its rules vanish, a `deny` with them, so it is a mistake of the configuration. Known
//! are the keys and tools of every build: one configuration serves several versions. What a configured server or a
//! custom tool is called is known by its name alone.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::config::{ConfigError, LoadedConfig, PermissionLayer, Problem};
use crate::permission::{self, Rule, RuleProblem, Source, is_key, keys as known_keys, own_key};
use crate::project_root::directories;
use crate::regular_file::{MAX_BYTES, RegularFile};

/// Reads rules under lathe's own names for their keys.
pub(super) fn own_rules(
    value: &Value,
    source: &Source,
    home: Option<&Path>,
) -> Result<Vec<Rule>, RuleProblem> {
    let rules = permission::parse(value, source, home)?;
    let renamed = rules.into_iter().map(|rule| {
        let own = own_key(&rule.key);
        if own == rule.key {
            rule
        } else {
            Rule::new(&own, rule.pattern.as_str(), rule.action, rule.source, home)
        }
    });
    Ok(renamed.collect())
}

/// Says which keys of the configuration mean nothing, with their places.
pub fn check_rule_keys(
    loaded: &LoadedConfig,
    config_dir: &Path,
    root: &Path,
    cwd: &Path,
) -> Result<(), ConfigError> {
    let explained = ForeignKeys::new(loaded, config_dir, root, cwd);
    let mut problems = Vec::new();
    for PermissionLayer { file, rules, .. } in &loaded.permission_layers {
        for key in keys(rules) {
            problems.extend(problem(loaded, file, &["permission", key], key, &explained));
        }
    }
    for layer in &loaded.agent_layers {
        for (name, agent) in layer.agents.iter() {
            let rules = serde_json::to_value(&agent.permission).unwrap_or_default();
            for key in keys(&rules) {
                let path = ["agents", name, "permission", key];
                problems.extend(problem(loaded, &layer.file, &path, key, &explained));
            }
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(ConfigError { problems })
    }
}

fn keys(rules: &Value) -> impl Iterator<Item = &String> {
    rules.as_object().into_iter().flat_map(serde_json::Map::keys)
}

fn problem(
    loaded: &LoadedConfig,
    file: &Path,
    path: &[&str],
    key: &str,
    explained: &ForeignKeys,
) -> Option<Problem> {
    let hint = explained.unknown(key)?;
    let owner = path[..path.len() - 1].join(".");
    let message = format!("`{key}` is not a key of `{owner}`; {hint}");
    Some(loaded.problem_in(file, path, message))
}

/// Names that servers and custom tools give to keys.
pub(super) struct ForeignKeys {
    /// Of MCP servers.
    servers: Vec<String>,
    /// Of the files of custom tools, without their endings.
    tools: Vec<String>,
}

impl ForeignKeys {
    pub(super) fn new(loaded: &LoadedConfig, config_dir: &Path, root: &Path, cwd: &Path) -> Self {
        let mut servers: Vec<String> = loaded
            .config
            .mcp
            .iter()
            .map(|(name, _)| name.to_owned())
            .collect();
        let mut files: Vec<PathBuf> = loaded.config.custom_tools.iter().map(PathBuf::from).collect();
        // What waits for trust explains a key as well: the rule is there for when it counts.
        for part in &loaded.project_parts {
            match part.key.as_str() {
                "mcp" => servers.extend(keys(&part.value).cloned()),
                "custom_tools" => {
                    let named = part.value.as_array().into_iter().flatten();
                    files.extend(named.filter_map(Value::as_str).map(PathBuf::from));
                }
                _ => {}
            }
        }
        let mut tool_dirs = vec![config_dir.join("tools")];
        for dir in directories(root, cwd) {
            servers.extend(other_servers(&dir.join(".mcp.json")));
            let names = [
                ".lathe/tools",
                ".claude/tools",
                ".opencode/tool",
                ".opencode/tools",
                ".omp/tools",
                ".xcsh/tools",
            ];
            tool_dirs.extend(names.map(|name| dir.join(name)));
        }
        for dir in tool_dirs {
            let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
            files.extend(entries.map(|entry| entry.path()));
        }
        let stem = |file: PathBuf| Some(file.file_stem()?.to_str()?.to_owned());
        Self {
            servers,
            tools: files.into_iter().filter_map(stem).collect(),
        }
    }

    /// Says what is wrong with rules of an agent's file, if anything is.
    pub(super) fn check(&self, rules: &Value) -> Result<(), String> {
        permission::parse(rules, &Source::Default, None).map_err(|problem| problem.to_string())?;
        let unknown = keys(rules).find_map(|key| Some((key, self.unknown(key)?)));
        match unknown {
            Some((key, hint)) => Err(format!("`{key}` is not a key; {hint}")),
            None => Ok(()),
        }
    }

    /// Returns what to say of a key that means nothing.
    fn unknown(&self, key: &str) -> Option<String> {
        let own = own_key(key);
        if key.contains(['*', '?']) || is_key(&own) || self.explains(&own) {
            return None;
        }
        let given = key.to_lowercase();
        let near = known_keys()
            .map(|known| (strsim::damerau_levenshtein(&given, known), known))
            .min()
            .filter(|(distance, _)| *distance <= 1 + key.len() / 4);
        // `external_dir` is not near by its letters.
        let begun = || {
            let beginning = known_keys().filter(|known| known.starts_with(&given));
            beginning
                .min_by_key(|known| known.len())
                .filter(|_| given.len() > 2)
        };
        let near = near.map(|(_, known)| known).or_else(begun);
        Some(near.map_or_else(
            || "no configured server or custom tool has a name like it".to_owned(),
            |known| format!("did you mean `{known}`?"),
        ))
    }

    fn explains(&self, key: &str) -> bool {
        let begins = |name: &String| {
            key.strip_prefix(name.as_str())
                .is_some_and(|rest| rest.starts_with('_'))
        };
        self.servers.iter().any(begins) || self.tools.iter().any(|tool| key == tool || begins(tool))
    }
}

/// Names of the servers in another program's file.
fn other_servers(file: &Path) -> Vec<String> {
    let text = RegularFile::open(file).and_then(|file| file.read_text(MAX_BYTES));
    let value: Value = text
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    keys(&value["mcpServers"]).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_of_this_build_is_a_key() {
        for tool in crate::tool::Registry::builtin().tools() {
            assert!(is_key(tool.name()), "{}", tool.name());
        }
    }
}
