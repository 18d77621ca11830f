//! The files with permission rules, and whether those of the user's other program count.

use std::path::{Path, PathBuf};

use super::OpenRequest;
use super::part::Part;
use crate::config::RuleFiles;

/// Rules that allow something in the user's own settings of Claude Code. They are the user's and were written for another
/// program, so they count from the user's yes on, which is kept for the file and not for a project.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum UsersRules {
    /// There are none.
    #[default]
    None,
    Counting,
    Waiting {
        file: PathBuf,
        part: Part,
        /// The parts that the user said yes to before.
        before: Option<Vec<Part>>,
    },
}

/// The rules that the configuration of a session has.
pub(super) fn rule_files<'a>(request: &'a OpenRequest, project_root: &'a Path) -> RuleFiles<'a> {
    RuleFiles {
        dirs: &request.dirs,
        project_root,
        layers: &request.loaded.permission_layers,
        claude: &request.loaded.claude_rules,
        project_is_trusted: request.trust.is_trusted(),
        users_rules_may_allow: request.trust.users_rules == UsersRules::Counting,
    }
}
