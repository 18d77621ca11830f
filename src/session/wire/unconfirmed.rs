//! Files of the project that an agent or a command created or changed: left out of everything until the person says yes.
//!
//! The configuration that they would bring is made ready while the question is asked, from texts that were read once, so that
//! a yes uses what was shown.

use std::path::Path;

use serde_json::Value;

use super::gates::records;
use super::part::{Part, WHOLE};
use super::rule_keys::check_rule_keys;
use super::trust::{ProjectTrust, TrustFlag, names, settle};
use super::{ErrorReport, OpenRequest, ReportKind, config_error};
use crate::config::{ConfigError, Dirs, LoadedConfig};
use crate::unconfirmed::UnconfirmedFiles;

/// The files that are left out, and the project as it is with them.
#[derive(Debug, Clone, Default)]
pub struct UnconfirmedParts {
    /// Those that can be shown, with their texts.
    pub parts: Vec<Part>,
    /// All of them, relative to the project.
    files: Vec<String>,
    /// `None` where a yes cannot be taken.
    pub(super) after_yes: Option<Box<ConfirmedState>>,
    /// Why it cannot.
    problem: Option<String>,
}

/// The configuration and the trust in the project once the person has said yes.
#[derive(Debug, Clone)]
pub(super) struct ConfirmedState {
    pub(super) loaded: LoadedConfig,
    pub(super) trust: ProjectTrust,
}

/// Finds out which files a session in `directory` must not read. Reads files and blocks.
pub fn unconfirmed(dirs: &Dirs, root: &Path, directory: &Path) -> Result<UnconfirmedFiles, ErrorReport> {
    let records = records(dirs);
    records.unconfirmed(root, directory).map_err(|error| {
        let file = records.files().display().to_string();
        let message = format!(
            "it cannot be known which files agents and commands created or changed: `{file}`: {error}"
        );
        let hint = "Without that file all of them count as yours.";
        ErrorReport::new(ReportKind::Storage, message).hinted(hint)
    })
}

impl UnconfirmedParts {
    pub(super) fn of(request: &OpenRequest) -> Self {
        let files = request.loaded.unconfirmed().files();
        if files.is_empty() {
            return Self::default();
        }
        let root = &request.trust.root;
        let part = |path: &Path, text: &str| Part::new(path, root, WHOLE, Value::from(text));
        let parts: Vec<Part> = files
            .iter()
            .filter_map(|file| Some(part(&file.path, file.text.as_deref()?)))
            .collect();
        let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
        let (after_yes, problem) = match after_yes(request, TrustFlag::Absent) {
            Ok(_) if parts.is_empty() => (None, None),
            Ok(after) => (Some(Box::new(after)), None),
            Err(report) => (None, Some(report.message)),
        };
        Self {
            parts,
            files: files.iter().map(|file| shown(&file.path)).collect(),
            after_yes,
            problem,
        }
    }

    /// The names of the files, relative to the project.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns true if the person can say yes.
    pub(super) fn is_open(&self) -> bool {
        self.after_yes.is_some()
    }

    /// `lathe.jsonc`, and so on.
    pub fn names(&self) -> String {
        names(self.files.iter().map(|file| format!("`{file}`")))
    }

    /// Says what is left out and why; `None` where nothing is.
    pub fn sentence(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let problem = self
            .problem
            .iter()
            .map(|problem| format!(" (and cannot be: {problem})"));
        Some(format!(
            "not read, because an agent or a command created or changed it and nobody has approved it since: {}{}",
            self.names(),
            problem.collect::<String>()
        ))
    }
}

/// Makes what counts after a yes to all files that can be shown. Fails where that cannot be used.
pub(super) fn after_yes(request: &OpenRequest, flag: TrustFlag) -> Result<ConfirmedState, ErrorReport> {
    let wrong = |error: ConfigError| {
        config_error(
            error.to_string(),
            "An agent or a command created or changed this file; fix it, or remove it.",
        )
    };
    let loaded = request.loaded.confirmed().map_err(wrong)?;
    let mut after = OpenRequest {
        loaded,
        ..request.clone()
    };
    settle(&mut after, flag)?;
    let (config, root) = (&after.dirs.config, &after.trust.root);
    check_rule_keys(&after.loaded, config, root, &after.directory).map_err(wrong)?;
    if !request.loaded.unconfirmed().is_current() {
        return Err(config_error(
            "files that an agent or a command created or changed were changed while they were read",
            "Start again when no command runs.",
        ));
    }
    Ok(ConfirmedState {
        loaded: after.loaded,
        trust: after.trust,
    })
}
