//! The hooks of a session: whose count, in which order, and what they are run with.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{ErrorReport, OpenRequest, config_error};
use crate::config::schema::HookMatcher;
use crate::config::{HookLayer, Origin};
use crate::conversation::SessionId;
use crate::hook::{Hook, HookEvent, HookSettings, Matcher};

/// Puts all hooks in the order in which they run: the user's, the project's, then those of `--config`, which is read last. A
/// project's are among them when it is trusted.
pub(super) fn hooks(request: &OpenRequest) -> Result<Vec<Hook>, ErrorReport> {
    let layers = &request.loaded.hook_layers;
    let mut hooks = Vec::new();
    for origin in [Origin::Global, Origin::Project, Origin::Extra] {
        for layer in layers.iter().filter(|layer| layer.origin == origin) {
            add(layer, &mut hooks)?;
        }
    }
    Ok(hooks)
}

fn add(layer: &HookLayer, hooks: &mut Vec<Hook>) -> Result<(), ErrorReport> {
    let written = &layer.hooks;
    let events = [
        (HookEvent::PreToolUse, &written.pre_tool_use),
        (HookEvent::PostToolUse, &written.post_tool_use),
        (HookEvent::UserPromptSubmit, &written.user_prompt_submit),
        (HookEvent::Stop, &written.stop),
        (HookEvent::SubagentStop, &written.subagent_stop),
        (HookEvent::PreCompact, &written.pre_compact),
        (HookEvent::SessionStart, &written.session_start),
        (HookEvent::SessionEnd, &written.session_end),
        (HookEvent::Notification, &written.notification),
    ];
    for (event, matchers) in events {
        for matcher in matchers {
            add_matcher(&layer.file, event, matcher, hooks)?;
        }
    }
    Ok(())
}

fn add_matcher(
    file: &Path,
    event: HookEvent,
    written: &HookMatcher,
    hooks: &mut Vec<Hook>,
) -> Result<(), ErrorReport> {
    let source = file.display().to_string();
    let matcher = Matcher::new(written.matcher.as_deref()).map_err(|error| {
        config_error(
            format!("`{source}`: `hooks.{event}`: the matcher {error}"),
            "Name tools as in `bash|edit`, or write `*` for all.",
        )
    })?;
    for command in &written.hooks {
        let timeout = command.timeout.map(Duration::try_from_secs_f64);
        let timeout = timeout.transpose().map_err(|_| {
            config_error(
                format!("`{source}`: `hooks.{event}`: the timeout is not a valid number of seconds"),
                "Write the time limit in seconds.",
            )
        })?;
        hooks.push(Hook {
            event,
            matcher: matcher.clone(),
            command: command.command.clone(),
            timeout,
            source: source.clone(),
        });
    }
    Ok(())
}

/// Returns the settings that the hooks are run with. Where there are none nothing is ever written for them.
pub(super) fn settings(
    request: &OpenRequest,
    hooks: Vec<Hook>,
    project_root: &Path,
    session: &SessionId,
    environment: &[(OsString, OsString)],
) -> HookSettings {
    let transcript = (!hooks.is_empty()).then(|| transcripts_dir(request).join(format!("{session}.jsonl")));
    HookSettings {
        hooks,
        project_root: project_root.to_owned(),
        environment: environment.to_vec(),
        transcript,
    }
}

/// The conversation can be written down again from the database at any time.
fn transcripts_dir(request: &OpenRequest) -> PathBuf {
    request.dirs.cache.join("transcripts")
}
