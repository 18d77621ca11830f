//! The files of plans: `.lathe/plans/<date>-<slug>.md` in the project.
//!
//! A file that the session does not know as it now is belongs to somebody else and is never replaced.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::conversation::ErrorKind;
use crate::files::{ExpectedContent, PathKind, Resolved, TextFile};
use crate::permission::PermissionKey;
use crate::text::encoding::Encoding;
use crate::tool::change::{Change, apply};
use crate::tool::{SessionServices, ToolCx, ToolError, path_asks};

const DIRECTORY: &str = ".lathe/plans";
/// The ignore file itself is among what it ignores.
const IGNORE_ALL: &str = "*\n";
/// Characters of a slug.
const SLUG: usize = 40;
/// Characters of a title made from a plan.
const TITLE: usize = 70;
/// Plans of one day and name.
const NAMES: usize = 100;

/// Returns where the session's plan goes: named by `title`, else by the session's title, else by the plan's heading.
pub(super) async fn target(cx: &ToolCx, title: Option<&str>, plan: &str) -> Result<Resolved, ToolError> {
    let services = Arc::clone(&cx.services);
    let title = title.map(str::to_owned);
    let plan = plan.to_owned();
    cx.blocking(move || {
        let title = title.or_else(|| session_title(&services));
        free(&services, &title.unwrap_or_else(|| heading(&plan)), &plan)
    })
    .await
}

/// Writes a plan down and returns its path.
pub(super) async fn save(cx: &ToolCx, title: Option<&str>, plan: &str) -> Result<String, ToolError> {
    let path = target(cx, title, plan).await?;
    let display = path.display.clone();
    let target = path.clone();
    let file = cx
        .blocking(move || match target.kind {
            PathKind::Missing => Ok(None),
            _ => Ok(Some(TextFile::open_real(&target.real)?)),
        })
        .await?;
    let mut text = plan.trim_end().to_owned();
    text.push('\n');
    if file.as_ref().is_some_and(|file| file.text() == text) {
        return Ok(display);
    }
    let expected = ExpectedContent::of(file.as_ref());
    let change = Change {
        path,
        bytes: text.into_bytes(),
        encoding: Encoding::Utf8,
        expected,
    };
    // Another name of an older plan keeps that one.
    let _ = apply(cx, change).await?;
    Ok(display)
}

/// Has git ignore the plans, so that an approved one does not stand in `git status`. A directory that has files of others, or
/// an ignore file already, is the person's to decide about.
pub(super) async fn keep_out_of_git(cx: &ToolCx) -> Result<(), ToolError> {
    let services = Arc::clone(&cx.services);
    let path = cx
        .blocking(move || {
            let root = services.roots.project_root();
            let directory = root.join(DIRECTORY);
            if !root.join(".git").exists() || !has_only_own(&services, &directory)? {
                return Ok(None);
            }
            resolve(&services, &directory.join(".gitignore")).map(Some)
        })
        .await?;
    let Some(path) = path.filter(|path| path.kind == PathKind::Missing) else {
        return Ok(());
    };
    let change = Change {
        path,
        bytes: IGNORE_ALL.into(),
        encoding: Encoding::Utf8,
        expected: ExpectedContent::of(None),
    };
    let _ = apply(cx, change).await?;
    Ok(())
}

/// Returns true if the session knows every file of a directory, since it wrote them.
fn has_only_own(services: &SessionServices, directory: &Path) -> Result<bool, ToolError> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Ok(false);
    };
    for entry in entries.flatten() {
        let Ok(path) = entry.path().canonicalize() else {
            return Ok(false);
        };
        if services.tree.store.file_read(&services.session, &path)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the plan file that the session read or wrote last, with its text.
pub(super) async fn newest(cx: &ToolCx) -> Result<Option<(Resolved, String)>, ToolError> {
    let services = Arc::clone(&cx.services);
    cx.blocking(move || {
        let mut newest: Option<(i64, PathBuf)> = None;
        for path in plan_files(services.roots.project_root()) {
            let Some(read) = services.tree.store.file_read(&services.session, &path)? else {
                continue;
            };
            if newest.as_ref().is_none_or(|(time, _)| read.time >= *time) {
                newest = Some((read.time, path));
            }
        }
        let Some((_, path)) = newest else { return Ok(None) };
        let path = resolve(&services, &path)?;
        let text = TextFile::open_real(&path.real)
            .map_err(|error| error.named(&path.display))?
            .text()
            .to_owned();
        Ok(Some((path, text)).filter(|(_, text)| !text.trim().is_empty()))
    })
    .await
}

/// The first heading, or line, of a plan.
pub(super) fn heading(plan: &str) -> String {
    let lines = || plan.lines().map(str::trim);
    let heading = lines().find_map(|line| Some(line.strip_prefix('#')?.trim_start_matches('#').trim()));
    let first = heading
        .filter(|text| !text.is_empty())
        .or_else(|| lines().find(|line| !line.is_empty()));
    first.unwrap_or("plan").chars().take(TITLE).collect()
}

fn session_title(services: &SessionServices) -> Option<String> {
    let row = services.tree.store.get(&services.session).ok().flatten()?;
    Some(row.title).filter(|title| !title.trim().is_empty())
}

/// Real paths of the plan files there are, in order of their names.
fn plan_files(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(root.join(DIRECTORY)) else {
        return Vec::new();
    };
    let paths = entries.filter_map(|entry| entry.ok()?.path().canonicalize().ok());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "md") && path.is_file())
        .collect();
    paths.sort();
    paths
}

/// Finds a name that is free or the session's own.
fn free(services: &SessionServices, title: &str, plan: &str) -> Result<Resolved, ToolError> {
    let stem = format!("{}-{}", jiff::Zoned::now().date(), slug(title));
    for number in 1..=NAMES {
        let name = match number {
            1 => format!("{stem}.md"),
            number => format!("{stem}-{number}.md"),
        };
        let path = services.roots.project_root().join(DIRECTORY).join(name);
        let path = resolve(services, &path)?;
        match path.kind {
            PathKind::Missing => return Ok(path),
            PathKind::File if is_own(services, &path, plan) => return Ok(path),
            _ => {}
        }
    }
    Err(ToolError::new(
        ErrorKind::Exists,
        format!("there are {NAMES} plans of the name `{stem}` already"),
    )
    .hint("Give another `title`."))
}

fn resolve(services: &SessionServices, path: &Path) -> Result<Resolved, ToolError> {
    let path = services
        .roots
        .resolve(&path.to_string_lossy())
        .map_err(|error| ToolError::new(error.kind(), error.to_string()))?;
    if path.inside {
        return Ok(path);
    }
    let message = format!("`{DIRECTORY}` leads out of the project, so no plan is kept there");
    Err(ToolError::new(ErrorKind::Denied, message).hint("Tell the user: the link there has to go."))
}

/// Returns true if the file is as the session knows it, or says the same already.
fn is_own(services: &SessionServices, path: &Resolved, plan: &str) -> bool {
    // Nothing, the choice of a name neither, may tell what a file says that is not for everybody to read.
    let mut reads = path_asks(&PermissionKey::READ, path).into_iter();
    let readable = services.gate.readable();
    if !reads.all(|ask| readable.shows(&ask.subject)) {
        return false;
    }
    let Ok(file) = TextFile::open_real(&path.real) else {
        return false;
    };
    let known = services
        .tree
        .store
        .file_read(&services.session, &path.real)
        .ok()
        .flatten();
    known.is_some_and(|read| read.hash == file.hash().as_str()) || file.text().trim_end() == plan.trim_end()
}

/// Letters and digits of any script, in small letters, with `-` between words.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.chars().count() == SLUG {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() {
        PLAIN.to_owned()
    } else {
        slug.to_owned()
    }
}

/// The name of a plan whose title has nothing to name it by.
const PLAIN: &str = "plan";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_a_plain_file_name_whatever_the_title_is() {
        for (title, expected) in [
            (
                "Make the retry test deterministic!",
                "make-the-retry-test-deterministic",
            ),
            ("../../etc/passwd", "etc-passwd"),
            ("a\u{1b}[31m/\0b", "a-31m-b"),
            ("Über Größe 日本", "über-größe-日本"),
            ("…", "plan"),
            ("", "plan"),
        ] {
            assert_eq!(slug(title), expected);
        }
        assert_eq!(slug(&"word ".repeat(30)).chars().count(), 39);
    }

    #[test]
    fn a_plan_is_named_by_its_first_heading_or_line() {
        assert_eq!(heading("intro\n\n## The clock\n# Other"), "The clock");
        assert_eq!(heading("\n  just do it\nnow"), "just do it");
        assert_eq!(heading("#\n"), "#");
        assert_eq!(heading(""), "plan");
    }
}
