//! Start directory of a search: resolved, existing, and asked for when it lies outside.

use std::path::{Path, PathBuf};

use crate::conversation::ErrorKind;
use crate::files::{PathKind, Resolved};
use crate::permission::Ask;
use crate::tool::{SessionServices, ToolCx, ToolError};

pub(super) struct SearchPath {
    pub(super) path: Resolved,
    pub(super) asks: Vec<Ask>,
}

/// Finds a file or directory to search, and adds its asks to those `before`. Its absence is told after all of them.
pub(super) fn search_path(cx: &ToolCx, given: &str, before: Vec<Ask>) -> Result<SearchPath, ToolError> {
    let path = cx.path(given)?;
    let mut asks = before;
    asks.extend(path.asks);
    let (kind, what) = match path.resolved.kind {
        PathKind::File | PathKind::Directory => {
            return Ok(SearchPath {
                path: path.resolved,
                asks,
            });
        }
        PathKind::Missing => (ErrorKind::NotFound, "does not exist"),
        PathKind::DanglingLink => (ErrorKind::NotFound, "is a symbolic link to nothing"),
        PathKind::Special => (ErrorKind::Io, "is a device, a pipe or a socket"),
    };
    let error = ToolError::new(kind, format!("`{}` {what}", path.resolved.display));
    Err(error
        .hint("Look with `list` or `glob` for what is there.")
        .after(asks))
}

/// Finds a directory to search.
pub(super) fn search_directory(cx: &ToolCx, given: &str, hint: &str) -> Result<SearchPath, ToolError> {
    let found = search_path(cx, given, Vec::new())?;
    if found.path.kind == PathKind::Directory {
        return Ok(found);
    }
    let message = format!("`{}` is not a directory", found.path.display);
    Err(ToolError::new(ErrorKind::NotDirectory, message)
        .hint(hint)
        .after(found.asks))
}

/// Refuses to search where nobody was asked about: a link may have been put in the way since.
pub(super) fn check_place(services: &SessionServices, path: &Resolved) -> Result<(), ToolError> {
    if services.roots.leads_where_it_did(path) {
        return Ok(());
    }
    let message = format!(
        "`{}` leads to another place than when it was asked about, so it was not searched",
        path.display
    );
    Err(ToolError::new(ErrorKind::Stale, message).hint("Search again."))
}

/// A directory that is walked, by its real path, and how what lies in it is named: as it was asked for.
#[derive(Debug, Clone)]
pub(super) struct Base {
    pub(super) real: PathBuf,
    /// A link led here: what lies in it has another name of its own.
    pub(super) is_linked: bool,
    display: String,
}

impl Base {
    pub(super) fn of(path: &Resolved) -> Self {
        Self {
            real: path.real.clone(),
            is_linked: path.real != path.absolute,
            display: path.display.clone(),
        }
    }

    /// Returns how an entry of the directory is shown.
    pub(super) fn name(&self, relative: &Path) -> String {
        let relative = relative.to_string_lossy();
        let relative = if std::path::MAIN_SEPARATOR == '/' {
            relative
        } else {
            relative.replace(std::path::MAIN_SEPARATOR, "/").into()
        };
        match self.display.as_str() {
            "." => relative.into_owned(),
            directory if directory.ends_with('/') => format!("{directory}{relative}"),
            directory => format!("{directory}/{relative}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Value, json};

    use super::*;
    use crate::tool::harness::Harness;

    fn searches(path: &str) -> [(&'static str, Value); 4] {
        [
            ("glob", json!({"pattern": "*", "path": path})),
            ("list", json!({"path": path})),
            ("grep", json!({"pattern": "SECRET", "path": path})),
            ("grep", json!({"pattern": "SECRET", "path": ["kept", path]})),
        ]
    }

    /// Searches a place of the project that is turned while the question waits; the answer tells nothing of the other.
    async fn turned(project: &Harness, path: &str, turn: impl Fn(), back: impl Fn()) {
        for (tool, args) in searches(path) {
            project.new_turn();
            let call = project.run(tool, args);
            let swap = project.allow_after(&turn);
            let (result, ()) = tokio::join!(call, swap);
            assert_eq!(
                result.error_kind(),
                Some(ErrorKind::Stale),
                "{tool}: {}",
                result.output
            );
            for told in ["SECRET", "hidden.txt"] {
                assert!(!result.output.contains(told), "{tool}: {}", result.output);
                assert!(!result.details.to_string().contains(told), "{tool}");
            }
            back();
        }
    }

    fn project() -> Harness {
        let rules = json!({"glob": "ask", "grep": "ask", "list": "ask"});
        let project = Harness::with_rules(rules).attended();
        project.write("shown/a.txt", "a");
        project.write("kept/a.txt", "a");
        project.write(project.outside("hidden.txt"), "SECRET");
        project
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_link_that_changes_while_it_is_asked_about_is_not_searched() {
        let project = project();
        let link = project.path("link");
        let lead = |target: &Path| {
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(target, &link).unwrap();
        };
        lead(Path::new("shown"));
        let back = || lead(Path::new("shown"));
        turned(&project, "link", || lead(&project.outside("")), back).await;
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_directory_that_becomes_a_link_while_it_is_asked_about_is_not_searched() {
        let project = project();
        let (directory, aside) = (project.path("shown"), project.path("aside"));
        let turn = || {
            fs::rename(&directory, &aside).unwrap();
            std::os::unix::fs::symlink(project.outside(""), &directory).unwrap();
        };
        let back = || {
            fs::remove_file(&directory).unwrap();
            fs::rename(&aside, &directory).unwrap();
        };
        turned(&project, "shown", turn, back).await;
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_file_that_becomes_a_link_while_it_is_asked_about_is_not_searched() {
        let project = project();
        let file = project.path("shown/a.txt");
        let call = project.run("grep", json!({"pattern": "SECRET", "path": "shown/a.txt"}));
        let swap = project.allow_after(|| {
            fs::remove_file(&file).unwrap();
            std::os::unix::fs::symlink(project.outside("hidden.txt"), &file).unwrap();
        });
        let (result, ()) = tokio::join!(call, swap);
        assert_eq!(result.error_kind(), Some(ErrorKind::Stale), "{}", result.output);
        assert!(!result.output.contains("SECRET"));
    }
}
