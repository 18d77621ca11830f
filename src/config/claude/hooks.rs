//! The hooks of a settings file of Claude Code.
//!
//! Nothing in them is expanded. They are somebody else's, so what lathe does not know (events, kinds of hook) is left out
//! and told. Hooks that cannot be read are a mistake all the same: they may protect something.

use std::path::Path;

use serde_json::{Map, Value};

use crate::config::diagnose::Problem;
use crate::config::layer::HookLayer;
use crate::config::schema::{HookCommand, HookKind, HookMatcher, Hooks};
use crate::config::source::{Source, plain};

/// Hooks and what was left out of them.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::config) struct ClaudeHooks {
    pub(in crate::config) layer: HookLayer,
    /// Sentences for the user.
    pub(in crate::config) warnings: Vec<String>,
}

/// Returns the hooks of a file, if it has any.
pub(in crate::config) fn hooks_in(source: &Source) -> Result<Option<ClaudeHooks>, Problem> {
    let (origin, path) = (source.origin, source.path.as_path());
    let Some(tree) = source.parse()? else {
        return Ok(None);
    };
    let Value::Object(mut settings) = plain(&tree) else {
        return Err(Problem::in_file(
            path,
            "the settings must be an object".to_owned(),
        ));
    };
    if settings.get("disableAllHooks") == Some(&Value::Bool(true)) {
        return Ok(None);
    }
    let mut reader = HooksReader {
        path,
        hooks: Hooks::default(),
        left_out: Vec::new(),
    };
    match settings.remove("hooks") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(events)) => reader.events(events)?,
        Some(_) => return Err(reader.problem("hooks", "an object")),
    }
    let HooksReader { hooks, left_out, .. } = reader;
    let warnings = match left_out.as_slice() {
        [] => Vec::new(),
        some => vec![format!(
            "`{}` has hooks that lathe cannot run: {}",
            path.display(),
            some.join(", ")
        )],
    };
    Ok(Some(ClaudeHooks {
        layer: HookLayer {
            origin,
            file: path.to_owned(),
            hooks,
        },
        warnings,
    }))
}

struct HooksReader<'a> {
    path: &'a Path,
    hooks: Hooks,
    /// Entries that lathe does not know.
    left_out: Vec<String>,
}

impl HooksReader<'_> {
    fn problem(&self, key: &str, wanted: &str) -> Problem {
        Problem::in_file(self.path, format!("`{key}` must be {wanted}"))
    }

    fn events(&mut self, events: Map<String, Value>) -> Result<(), Problem> {
        for (event, matchers) in events {
            if self.hooks.of_event(&event).is_none() {
                self.left_out.push(format!("`{event}`"));
                continue;
            }
            let key = format!("hooks.{event}");
            let Value::Array(matchers) = matchers else {
                return Err(self.problem(&key, "an array"));
            };
            for (index, matcher) in matchers.into_iter().enumerate() {
                let read = self.matcher(&format!("{key}.{index}"), &matcher)?;
                self.hooks
                    .of_event(&event)
                    .into_iter()
                    .for_each(|hooks| hooks.push(read.clone()));
            }
        }
        Ok(())
    }

    fn matcher(&mut self, key: &str, value: &Value) -> Result<HookMatcher, Problem> {
        let matcher = match value.get("matcher") {
            None | Some(Value::Null) => None,
            Some(Value::String(matcher)) => Some(matcher.clone()),
            Some(_) => return Err(self.problem(&format!("{key}.matcher"), "a string")),
        };
        let Some(commands) = value.get("hooks").and_then(Value::as_array) else {
            return Err(self.problem(&format!("{key}.hooks"), "an array"));
        };
        let mut hooks = Vec::new();
        for (index, command) in commands.iter().enumerate() {
            hooks.extend(self.command(&format!("{key}.hooks.{index}"), command)?);
        }
        Ok(HookMatcher { matcher, hooks })
    }

    fn command(&mut self, key: &str, value: &Value) -> Result<Option<HookCommand>, Problem> {
        match value.get("type").and_then(Value::as_str) {
            Some("command") => {}
            Some(other) => {
                self.left_out.push(format!("`{key}` of type `{other}`"));
                return Ok(None);
            }
            None => return Err(self.problem(&format!("{key}.type"), "a string")),
        }
        let Some(command) = value.get("command").and_then(Value::as_str) else {
            return Err(self.problem(&format!("{key}.command"), "a string"));
        };
        let timeout = match value.get("timeout") {
            None | Some(Value::Null) => None,
            Some(timeout) => match timeout.as_f64().filter(|seconds| *seconds >= 0.0) {
                Some(seconds) => Some(seconds),
                None => return Err(self.problem(&format!("{key}.timeout"), "a number of seconds")),
            },
        };
        Ok(Some(HookCommand {
            kind: HookKind::Command,
            command: command.to_owned(),
            timeout,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Origin;

    fn read(text: &str) -> Result<Option<ClaudeHooks>, Problem> {
        hooks_in(&Source {
            origin: Origin::Global,
            path: "/home/u/.claude/settings.json".into(),
            text: text.to_owned(),
        })
    }

    #[test]
    fn hooks_are_read_and_everything_else_is_passed_over() {
        let settings = read(
            r#"{"permissions": {"allow": ["Bash(ls:*)"]}, "model": "opus", "hooks": {
                "PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "a", "timeout": 5}]}],
                "Stop": [{"hooks": [{"type": "command", "command": "b", "async": true}]}]}}"#,
        )
        .unwrap()
        .unwrap();
        let hooks = settings.layer.hooks;
        assert_eq!(hooks.pre_tool_use[0].matcher.as_deref(), Some("Bash|Edit"));
        assert_eq!(hooks.pre_tool_use[0].hooks[0].timeout, Some(5.0));
        assert_eq!(hooks.stop[0].hooks[0].command, "b");
        assert!(settings.warnings.is_empty());
    }

    #[test]
    fn what_lathe_does_not_know_is_named() {
        let settings = read(
            r#"{"hooks": {"PermissionRequest": 5, "PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "x"},
                {"type": "command", "command": "a"}]}], "PreCompact": [{"hooks": []}]}}"#,
        )
        .unwrap()
        .unwrap();
        assert_eq!(settings.layer.hooks.pre_tool_use[0].hooks.len(), 1);
        assert_eq!(settings.warnings.len(), 1);
        let warning = &settings.warnings[0];
        assert!(
            warning.ends_with(
                "has hooks that lathe cannot run: `PermissionRequest`, `hooks.PreToolUse.0.hooks.0` of type `prompt`"
            ),
            "{warning}"
        );
    }

    #[test]
    fn no_hooks_and_hooks_switched_off_are_none() {
        for text in [
            "",
            "{}",
            r#"{"hooks": null}"#,
            r#"{"disableAllHooks": true, "hooks": {"Stop": [{"hooks": []}]}}"#,
        ] {
            assert_eq!(read(text), Ok(None), "{text}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_a_mistake() {
        for (text, what) in [
            ("{", "not valid JSON"),
            ("[]", "must be an object"),
            (r#"{"hooks": []}"#, "`hooks` must be an object"),
            (r#"{"hooks": {"Stop": {}}}"#, "`hooks.Stop` must be an array"),
            (
                r#"{"hooks": {"Stop": [{}]}}"#,
                "`hooks.Stop.0.hooks` must be an array",
            ),
            (
                r#"{"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}"#,
                "`hooks.Stop.0.hooks.0.command` must be a string",
            ),
            (
                r#"{"hooks": {"Stop": [{"matcher": 3, "hooks": []}]}}"#,
                "`hooks.Stop.0.matcher` must be a string",
            ),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(what), "{text}: {error}");
        }
    }
}
