//! Permission rules of other agents, as far as they are found.

use std::path::PathBuf;

use super::OpenRequest;
use super::rule_files::rule_files;
use crate::config::{ClaudeRules, Origin, RuleFiles};
use crate::permission::{ClaudeFile, ClaudePlaces, ImportedRules, Translation, translate};

/// Rules of one owner's settings of Claude Code.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedList {
    pub origin: Origin,
    /// True if what they allow counts.
    pub may_allow: bool,
    pub translation: Translation,
}

/// Translates the user's rules and the project's, each as one list.
pub(super) fn lists(files: &RuleFiles<'_>) -> Vec<ImportedList> {
    let owners = [
        (Origin::Global, files.users_rules_may_allow),
        (Origin::Project, files.project_is_trusted),
    ];
    let list = |(origin, may_allow)| {
        let of_owner = files.claude.iter().filter(|rules| rules.origin == origin);
        let of_owner: Vec<ClaudeFile<'_>> = of_owner.map(claude_file).collect();
        let places = ClaudePlaces {
            root: files.project_root,
            home: files.dirs.home.as_deref(),
        };
        ImportedList {
            origin,
            may_allow,
            translation: translate(&of_owner, places),
        }
    };
    owners.map(list).into_iter().collect()
}

fn claude_file(rules: &ClaudeRules) -> ClaudeFile<'_> {
    ClaudeFile {
        file: &rules.file,
        is_users: rules.origin == Origin::Global,
        allow: &rules.allow,
        ask: &rules.ask,
        deny: &rules.deny,
        has_lost_rules: rules.has_lost_rules,
    }
}

impl From<ImportedList> for ImportedRules {
    fn from(list: ImportedList) -> Self {
        Self {
            rules: list.translation.rules.into(),
            may_allow: list.may_allow,
        }
    }
}

/// The lists of a session.
pub fn imported_lists(request: &OpenRequest) -> Vec<ImportedList> {
    lists(&rule_files(request, &request.trust.root))
}

/// The user's own settings file of Claude Code, where it allows something.
pub(super) fn users_file(rules: &[ClaudeRules]) -> Option<(PathBuf, &[String])> {
    let own = rules
        .iter()
        .find(|rules| rules.origin == Origin::Global && !rules.allow.is_empty())?;
    Some((own.file.clone(), &own.allow))
}
