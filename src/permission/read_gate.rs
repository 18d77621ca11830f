//! The rules of `read` as a gate for the files that lathe opens for itself and whose text a model may see.

use crate::permission::PermissionKey;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Permissions, Subject};
use crate::regular_file::FileGate;

/// Lets through what `read` would show without asking.
#[derive(Debug, Clone)]
pub struct ReadGate {
    permissions: Arc<Permissions>,
    project_root: PathBuf,
}

impl ReadGate {
    /// `project_root` is a real path: the part of a path below it is what relative patterns are tried on.
    pub fn new(permissions: Arc<Permissions>, project_root: PathBuf) -> Self {
        Self {
            permissions,
            project_root,
        }
    }

    /// The rules that it goes by.
    pub fn permissions(&self) -> &Arc<Permissions> {
        &self.permissions
    }

    /// Returns true if `read` would show the file without asking. `display` is the path below the project, where it lies there.
    pub fn allows(&self, display: &str, path: &Path) -> bool {
        self.shows(&Subject::new(display).also(path.to_string_lossy()))
    }

    /// Returns true if `read` would show what goes by these names without asking.
    pub fn shows(&self, subject: &Subject) -> bool {
        self.permissions.allows(&PermissionKey::READ, subject)
    }
}

impl FileGate for ReadGate {
    fn lets_read(&self, real: &Path) -> bool {
        let below = real.strip_prefix(&self.project_root).unwrap_or(real);
        self.allows(&below.to_string_lossy(), real)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::{DefaultPaths, Source, defaults, parse};

    #[test]
    fn patterns_are_tried_below_the_project_and_on_the_whole_path() {
        let mut user = defaults(&DefaultPaths::default());
        let rules = serde_json::json!({"read": {"secret/*": "deny", "/p/other/*": "ask"}});
        user.extend(parse(&rules, &Source::Default, None).unwrap());
        let permissions = Permissions {
            user: user.into(),
            ..Permissions::default()
        };
        let gate = ReadGate::new(Arc::new(permissions), "/p".into());
        for (path, is_let) in [
            ("/p/AGENTS.md", true),
            ("/elsewhere/AGENTS.md", true),
            ("/p/.env", false),
            ("/p/sub/prod.env", false),
            ("/p/secret/a.md", false),
            ("/p/other/a.md", false),
            ("/elsewhere/secret/a.md", true),
        ] {
            assert_eq!(gate.lets_read(Path::new(path)), is_let, "{path}");
        }
    }
}
