//! The closed list of what a project's configuration may say before the project is trusted.
//!
//! Everything that is not on the list waits for trust, also keys that come to the schema later: a test walks the schema
//! and compares. What is on it can only be text, make rules stricter, or change how much is shown.

use jsonc_parser::ast::Value as Node;

/// Keys from the root of the file; `*` stands for any name. A key is listed with everything below it.
const ALLOWED: &[&[&str]] = &[
    &["$schema"],
    // Rules that allow something count only with trust (`permission::verdict`), and so do tools that an agent switches on.
    &["permission"],
    &["instructions"],
    &["agents", "*", "description"],
    &["agents", "*", "mode"],
    &["agents", "*", "prompt"],
    &["agents", "*", "temperature"],
    // A project's number of steps only lowers the user's.
    &["agents", "*", "steps"],
    &["agents", "*", "hidden"],
    &["agents", "*", "permission"],
    &["agents", "*", "tools"],
    &["lsp", "*", "disabled"],
    &["truncate"],
    &["tui", "wheel_lines"],
    &["theme"],
];

/// How a key stands in a project that is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TrustNeed {
    Allowed,
    /// Some keys below it are allowed.
    Mixed,
    Waits,
}

/// Returns how a key stands, with what it is set to.
pub(super) fn trust_need<S: AsRef<str>>(path: &[S], value: &Node<'_>) -> TrustNeed {
    let is_off = matches!(value, Node::BooleanLit(boolean) if !boolean.value);
    match of_path(path) {
        // A language server that the user has switched off runs again.
        TrustNeed::Allowed if path.first().is_some_and(|key| key.as_ref() == "lsp") && is_off => {
            TrustNeed::Waits
        }
        // Nothing lies below, so the value takes back everything that others set.
        TrustNeed::Mixed if !matches!(value, Node::Object(_)) => TrustNeed::Waits,
        standing => standing,
    }
}

fn of_path<S: AsRef<str>>(path: &[S]) -> TrustNeed {
    let agrees = |allowed: &[&str]| {
        let mut steps = allowed.iter().zip(path);
        steps.all(|(allowed, step)| *allowed == "*" || *allowed == step.as_ref())
    };
    let agreeing: Vec<_> = ALLOWED.iter().filter(|allowed| agrees(allowed)).collect();
    if agreeing.is_empty() {
        TrustNeed::Waits
    } else if agreeing.iter().any(|allowed| allowed.len() <= path.len()) {
        TrustNeed::Allowed
    } else {
        TrustNeed::Mixed
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::config::json_schema;

    /// Adds every key that a schema knows and that is allowed, `*` for names that people choose.
    fn collect(schema: &Value, root: &Value, path: &mut Vec<String>, allowed: &mut Vec<String>) {
        let target = schema["$ref"]
            .as_str()
            .and_then(|name| name.strip_prefix("#/$defs/"));
        let schema = target.map_or(schema, |name| &root["$defs"][name]);
        for choice in ["anyOf", "oneOf"]
            .iter()
            .filter_map(|key| schema[key].as_array())
            .flatten()
        {
            collect(choice, root, path, allowed);
        }
        let named = schema["properties"].as_object().into_iter().flatten();
        let named = named.map(|(name, schema)| (name.as_str(), schema));
        let others = &schema["additionalProperties"];
        let others = others.is_object().then_some(("*", others));
        for (name, schema) in named.chain(others) {
            path.push(name.to_owned());
            match of_path(path) {
                TrustNeed::Allowed => allowed.push(path.join(".")),
                TrustNeed::Mixed => collect(schema, root, path, allowed),
                TrustNeed::Waits => {}
            }
            path.pop();
        }
    }

    #[test]
    fn of_the_whole_schema_only_these_keys_need_no_trust() {
        let schema = json_schema();
        let mut allowed = Vec::new();
        collect(&schema, &schema, &mut Vec::new(), &mut allowed);
        allowed.sort();
        allowed.dedup();
        assert_eq!(
            allowed,
            [
                "$schema",
                "agents.*.description",
                "agents.*.hidden",
                "agents.*.mode",
                "agents.*.permission",
                "agents.*.prompt",
                "agents.*.steps",
                "agents.*.temperature",
                "agents.*.tools",
                "instructions",
                "lsp.*.disabled",
                "permission",
                "theme",
                "truncate",
                "tui.wheel_lines",
            ]
        );
        for later in [
            "a_key_of_a_later_version",
            "tui.later",
            "agents.x.later",
            "lsp.rust.later",
        ] {
            let path: Vec<&str> = later.split('.').collect();
            assert_eq!(of_path(&path), TrustNeed::Waits, "{later}");
        }
    }
}
