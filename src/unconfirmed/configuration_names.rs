//! The names by which files of a project configure lathe: those of the places, and those that links among them lead to.

use std::path::{Path, PathBuf};

use super::config_files::read_paths;
use super::link_names::link_names;
use super::places::is_read;

/// The names of one project.
#[derive(Debug, Clone)]
pub struct ConfigurationNames {
    project: PathBuf,
    /// Real paths that places in the project's root lead to.
    targets: Vec<PathBuf>,
}

impl ConfigurationNames {
    /// Looks at the places in the root of a project, whose path is real.
    pub fn of(project: &Path) -> Self {
        let places = read_paths(project, project).into_iter();
        let targets = places.filter_map(|place| link_names(&place).pop().filter(|real| *real != place));
        Self {
            project: project.to_owned(),
            targets: targets.collect(),
        }
    }

    /// Returns true if a path, relative to the project, is one of the names or lies below one.
    pub fn has(&self, relative: &Path) -> bool {
        let names = link_names(&self.project.join(relative));
        names.iter().any(|name| {
            name.strip_prefix(&self.project).is_ok_and(is_read)
                || self.targets.iter().any(|target| name.starts_with(target))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_make_names_of_what_they_lead_to() {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("docs/agents")).unwrap();
        symlink("docs", base.join(".claude")).unwrap();
        symlink("settings.jsonc", base.join("lathe.jsonc")).unwrap();
        symlink(".lathe", base.join("conf")).unwrap();
        let names = ConfigurationNames::of(&base);
        for (name, is) in [
            ("docs/agents/x.md", true),
            ("docs/settings.json", true),
            ("docs/readme.md", false),
            ("settings.jsonc", true),
            ("conf/agents/x.md", true),
            ("sub/lathe.jsonc", true),
            ("src/main.rs", false),
        ] {
            assert_eq!(names.has(Path::new(name)), is, "{name}");
        }
    }
}
