//! Hooks from the settings files of Claude Code, so that a project set up for it works unchanged.
//!
//! Of these files only `hooks` is read, with `disableAllHooks`; nothing in them is expanded. They are somebody else's,
//! so what lathe does not know (events, kinds of hook) is left out and told. A file that cannot be read is a mistake all
//! the same: a hook in it may protect something.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::diagnose::{ConfigError, Problem};
use super::features::LACKING;
use super::layers::HookLayer;
use super::places::Origin;
use super::schema::{HookCommand, HookKind, HookMatcher, Hooks};
use super::source::{Source, plain};

/// One settings file.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaudeSettings {
    pub layer: HookLayer,
    /// Sentences for the user.
    pub warnings: Vec<String>,
}

/// The files that may bring hooks, existing or not: the user's, then the project's in their order.
pub fn claude_files(home: Option<&Path>, project_root: &Path) -> Vec<(Origin, PathBuf)> {
    let own = home.map(|home| home.join(".claude/settings.json"));
    let shared = project_root.join(".claude/settings.json");
    // Working in the home directory does not make the user's settings a project's.
    let is_own = own.as_deref() == Some(&*shared)
        || matches!((own.as_deref().map(Path::canonicalize), shared.canonicalize()),
            (Some(Ok(own)), Ok(shared)) if own == shared);
    let mut files: Vec<(Origin, PathBuf)> = own.into_iter().map(|own| (Origin::Global, own)).collect();
    if !is_own {
        files.push((Origin::Project, shared));
    }
    files.push((Origin::Project, project_root.join(".claude/settings.local.json")));
    files
}

/// Reads one settings file; one that is missing or has no hooks is `None`.
pub fn claude_settings(origin: Origin, path: &Path) -> Result<Option<ClaudeSettings>, ConfigError> {
    match Source::read(origin, path.to_owned()).map_err(Problem::from)? {
        Some(source) => Ok(hooks_in(&source)?),
        None => Ok(None),
    }
}

/// What a file that was read says; one without hooks is `None`.
pub(super) fn hooks_in(source: &Source) -> Result<Option<ClaudeSettings>, Problem> {
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
    let mut reader = Reader {
        path,
        hooks: Hooks::default(),
        left_out: Vec::new(),
    };
    match settings.remove("hooks") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(events)) => reader.events(events)?,
        Some(_) => return Err(reader.problem("hooks", "an object")),
    }
    let Reader { hooks, left_out, .. } = reader;
    let warnings = match left_out.as_slice() {
        [] => Vec::new(),
        some => vec![format!(
            "`{}` has hooks that lathe cannot run: {}",
            path.display(),
            some.join(", ")
        )],
    };
    Ok(Some(ClaudeSettings {
        layer: HookLayer {
            origin,
            file: path.to_owned(),
            hooks,
        },
        warnings,
    }))
}

/// Whether hooks of an event are known and never run in this build.
fn lacks(event: &str) -> bool {
    LACKING.iter().any(|(key, _)| *key == ["hooks", event])
}

struct Reader<'a> {
    path: &'a Path,
    hooks: Hooks,
    /// What lathe does not know.
    left_out: Vec<String>,
}

impl Reader<'_> {
    fn problem(&self, key: &str, wanted: &str) -> Problem {
        Problem::in_file(self.path, format!("`{key}` must be {wanted}"))
    }

    fn events(&mut self, events: Map<String, Value>) -> Result<(), Problem> {
        for (event, matchers) in events {
            if lacks(&event) || self.hooks.of_event(&event).is_none() {
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

    fn read(text: &str) -> Result<Option<ClaudeSettings>, ConfigError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        std::fs::write(&path, text).unwrap();
        claude_settings(Origin::Global, &path)
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
                "has hooks that lathe cannot run: `PermissionRequest`, `hooks.PreToolUse.0.hooks.0` of type `prompt`, \
                 `PreCompact`"
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
        assert_eq!(
            claude_settings(Origin::Global, Path::new("/no/such/file")),
            Ok(None)
        );
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

    #[test]
    fn the_home_directory_s_settings_are_the_user_s() {
        let home = Path::new("/home/me");
        let origins = |root: &str| -> Vec<Origin> {
            let files = claude_files(Some(home), Path::new(root));
            files.into_iter().map(|(origin, _)| origin).collect()
        };
        assert_eq!(origins("/p"), [Origin::Global, Origin::Project, Origin::Project]);
        assert_eq!(origins("/home/me"), [Origin::Global, Origin::Project]);
    }
}
