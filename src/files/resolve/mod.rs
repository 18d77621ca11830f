//! From a path as somebody wrote it to one absolute path, and whether it lies in the project.
//!
//! The session's directory is made real once, at the start, so that everything later compares like with like; a path that
//! is given through the symbolic link by which the user entered the project is translated. `..` is taken away by the
//! letter, before links are followed. A path is inside only when its lexical form *and* its real target are.
//!
//! A name that is not there is looked for in the other forms of Unicode, and what is written keeps the form that is there.
//!
//! Names are data: control characters stay as they are, and whoever shows them cleans them. Nothing is opened here, and
//! nothing is created.

mod follow;
mod normal_form;
mod url;

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

pub use self::url::local_path;

use self::follow::follow;
use super::{FileError, FileProblem};
use crate::conversation::ErrorKind;
use crate::project_root;
use crate::text::path::without_dots;

/// Directories that relative paths start at and that bound the project.
#[derive(Debug, Clone)]
pub struct Roots {
    session: PathBuf,
    project: PathBuf,
    /// The project root by the name under which the user entered it, when that leads through a symbolic link.
    alias: Option<PathBuf>,
    home: Option<PathBuf>,
    case: Case,
    /// A directory outside that is read like the project: the one that a task's work tree was made of.
    readable: Option<PathBuf>,
}

/// How the project's file system compares names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Sensitive,
    Folded,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// As it was written.
    pub given: String,
    /// Absolute, without `.` and `..`; links are not followed.
    pub absolute: PathBuf,
    /// With the links of the deepest existing ancestor followed. This is the path to lock, to record and to write.
    pub real: PathBuf,
    /// Relative to the project with `/` inside it, else absolute. The project root itself is `.`.
    pub display: String,
    /// How `real` is shown: relative to the project when it lies in it.
    pub real_display: String,
    pub inside: bool,
    pub kind: PathKind,
    /// The link to nothing that a missing path leads through, as it is shown. `None` where the path itself is that link.
    pub dangling_link: Option<String>,
}

/// The kind of file at the end of a path, links followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    File,
    Directory,
    /// A device, a FIFO or a socket.
    Special,
    Missing,
    /// Missing, and a symbolic link on the way points to nothing.
    DanglingLink,
}

/// A path that cannot be resolved.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    #[error("the path is empty; give the path of a file or directory")]
    Empty,
    #[error("the path `{}` contains a NUL character, which no file name can", .0.escape_debug())]
    Nul(String),
    #[error("`{0}` is not the URL of a local file; give a plain path")]
    Url(String),
    #[error("`{0}` starts at the home directory, which is not known here; give an absolute path")]
    NoHome(String),
    #[error("`{given}` cannot be followed to a file: {source}")]
    Unreachable { given: String, source: io::Error },
}

impl PathError {
    /// Returns the kind under which a tool reports it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Empty | Self::Nul(_) | Self::Url(_) | Self::NoHome(_) => ErrorKind::InvalidArgs,
            Self::Unreachable { .. } => ErrorKind::Io,
        }
    }
}

impl Roots {
    /// Finds the project around `directory`.
    pub fn new(directory: &Path, home: Option<&Path>) -> Self {
        let entered = std::path::absolute(directory).unwrap_or_else(|_| directory.to_path_buf());
        let entered = without_dots(&entered);
        let session = fs::canonicalize(&entered).unwrap_or_else(|_| entered.clone());
        let home = home.map(without_dots);
        let project = project_root::find(&session, home.as_deref()).to_path_buf();
        let alias = alias_of(&project, &session, &entered);
        let case = Case::of(&project);
        Self {
            session,
            project,
            alias,
            home,
            case,
            readable: None,
        }
    }

    /// Those of a work tree of a task, whatever has become of its repository. `readable` is the project that it was made
    /// of, where that may be read without being asked about. All paths are real.
    pub fn of_tree(tree: &Path, directory: &Path, readable: Option<PathBuf>, home: Option<&Path>) -> Self {
        Self {
            session: directory.to_path_buf(),
            project: tree.to_path_buf(),
            alias: None,
            home: home.map(without_dots),
            case: Case::of(tree),
            readable,
        }
    }

    /// Returns true if a path outside of the project is read like one inside.
    pub fn is_readable(&self, path: &Path) -> bool {
        let readable = self.readable.as_deref();
        readable.is_some_and(|readable| path.starts_with(readable))
    }

    /// The directory that relative paths start from, with its own links followed.
    pub fn session_dir(&self) -> &Path {
        &self.session
    }

    pub fn project_root(&self) -> &Path {
        &self.project
    }

    /// Resolves a path as a model or a user wrote it: relative, absolute, with `~`, or a `file:` URL.
    pub fn resolve(&self, given: &str) -> Result<Resolved, PathError> {
        self.follow(given.to_owned(), normal_form::existing(self.absolute(given)?))
    }

    /// Resolves a path that stands for itself, whatever its name begins with and whether or not it is text.
    pub fn resolve_path(&self, path: &Path) -> Result<Resolved, PathError> {
        self.follow(path.to_string_lossy().into_owned(), self.placed(path))
    }

    fn follow(&self, given: String, absolute: PathBuf) -> Result<Resolved, PathError> {
        let end = match follow(&absolute) {
            Ok(end) => end,
            Err(source) => return Err(PathError::Unreachable { given, source }),
        };
        let inside = self.contains(&absolute) && self.contains(&end.real);
        let shown = |path: &Path| {
            if inside { self.display(path) } else { slashed(path) }
        };
        let dangling_link = end.dangling_link.as_deref();
        let dangling_link = dangling_link.filter(|link| *link != absolute).map(shown);
        Ok(Resolved {
            given,
            display: shown(&absolute),
            dangling_link,
            real_display: self.display(&end.real),
            inside,
            kind: end.kind(),
            real: end.real,
            absolute,
        })
    }

    /// Fails when the project directory is gone.
    pub fn check_project(&self) -> Result<(), FileError> {
        if self.project.is_dir() {
            return Ok(());
        }
        Err(FileError::new(&self.project, FileProblem::RootGone))
    }

    /// Returns true if a path still is where it was when it was resolved: no link was put in the way, and none changed.
    pub fn leads_where_it_did(&self, path: &Resolved) -> bool {
        let now = self.resolve(&path.given);
        now.is_ok_and(|now| {
            now.real == path.real && now.absolute == path.absolute && now.inside == path.inside
        })
    }

    /// Returns how an absolute path is shown: relative to the project with `/` when it lies in it by its letters.
    pub fn display(&self, absolute: &Path) -> String {
        if !self.contains(absolute) {
            return slashed(absolute);
        }
        let rest: PathBuf = absolute
            .components()
            .skip(self.project.components().count())
            .collect();
        if rest.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            slashed(&rest)
        }
    }

    fn absolute(&self, given: &str) -> Result<PathBuf, PathError> {
        if given.is_empty() {
            return Err(PathError::Empty);
        }
        let path = match given.get(..5) {
            Some(scheme) if scheme.eq_ignore_ascii_case("file:") => {
                local_path(given).ok_or_else(|| PathError::Url(given.to_owned()))?
            }
            _ => self.expand_home(given)?,
        };
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            return Err(PathError::Nul(given.to_owned()));
        }
        Ok(self.placed(&path))
    }

    /// Absolute, without `.` and `..`, and below the project's real root where it was entered by another name.
    fn placed(&self, path: &Path) -> PathBuf {
        let absolute = without_dots(&self.session.join(path));
        let through_alias = self
            .alias
            .as_deref()
            .and_then(|alias| absolute.strip_prefix(alias).ok());
        match through_alias {
            Some(rest) if !self.contains(&absolute) => without_dots(&self.project.join(rest)),
            _ => absolute,
        }
    }

    fn expand_home(&self, given: &str) -> Result<PathBuf, PathError> {
        let rest = match given.strip_prefix('~') {
            Some("") => "",
            Some(rest) if rest.starts_with('/') => rest.trim_start_matches('/'),
            _ => return Ok(PathBuf::from(given)),
        };
        let home = self
            .home
            .as_ref()
            .ok_or_else(|| PathError::NoHome(given.to_owned()))?;
        Ok(home.join(rest))
    }

    /// Tells whether `path` is the project root or lies below it, component by component.
    fn contains(&self, path: &Path) -> bool {
        let mut components = path.components();
        self.project.components().all(|root| {
            components
                .next()
                .is_some_and(|component| self.case.equal(root, component))
        })
    }
}

impl Resolved {
    /// Returns the path to write, or says why no file can be written there.
    pub fn for_writing(&self) -> Result<&Path, FileError> {
        let problem = match self.kind {
            PathKind::File | PathKind::Missing => return Ok(&self.real),
            PathKind::Directory => FileProblem::IsDirectory,
            PathKind::Special => FileProblem::NotRegular,
            PathKind::DanglingLink => match &self.dangling_link {
                Some(link) => FileProblem::BehindDanglingLink(link.clone()),
                None => FileProblem::DanglingLink,
            },
        };
        Err(FileError::new(&self.display, problem))
    }
}

impl Case {
    /// Asks the file system whether the root is also found with the letters of its name in the other case.
    fn of(root: &Path) -> Self {
        let Some(name) = root.file_name().and_then(OsStr::to_str) else {
            return Self::Sensitive;
        };
        let swap = |c: char| {
            if c.is_ascii_lowercase() {
                c.to_ascii_uppercase()
            } else {
                c.to_ascii_lowercase()
            }
        };
        let other: String = name.chars().map(swap).collect();
        if other != name && is_same_file(root, &root.with_file_name(other)) {
            Self::Folded
        } else {
            Self::Sensitive
        }
    }

    fn equal(self, one: Component<'_>, two: Component<'_>) -> bool {
        let fold = |component: Component<'_>| component.as_os_str().to_string_lossy().to_lowercase();
        one == two || (self == Self::Folded && fold(one) == fold(two))
    }
}

fn is_same_file(one: &Path, two: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path: &Path| fs::metadata(path).ok().map(|data| (data.dev(), data.ino()));
    identity(one).is_some_and(|found| identity(two) == Some(found))
}

/// Returns the name of the project root along the way by which the user entered the session directory.
fn alias_of(project: &Path, session: &Path, entered: &Path) -> Option<PathBuf> {
    let below = session.strip_prefix(project).ok()?;
    if entered == session || !entered.ends_with(below) {
        return None;
    }
    let depth = below.components().count();
    entered.ancestors().nth(depth).map(Path::to_path_buf)
}

fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' {
        text.into_owned()
    } else {
        text.replace(std::path::MAIN_SEPARATOR, "/")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;

    struct Project {
        _keep: TempDir,
        base: PathBuf,
        roots: Roots,
    }

    /// A work tree `base/proj` with `src/a.rs`, entered at `base/proj/src`; home is `base/home`.
    fn project() -> Project {
        let keep = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(keep.path()).unwrap();
        for name in ["objects", "refs"] {
            fs::create_dir_all(base.join("proj/.git").join(name)).unwrap();
        }
        fs::write(base.join("proj/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::create_dir_all(base.join("proj/src")).unwrap();
        fs::create_dir_all(base.join("project-two")).unwrap();
        fs::create_dir_all(base.join("home")).unwrap();
        fs::write(base.join("proj/src/a.rs"), "x").unwrap();
        fs::write(base.join("home/h.txt"), "x").unwrap();
        let roots = Roots::new(&base.join("proj/src"), Some(&base.join("home")));
        Project {
            _keep: keep,
            base,
            roots,
        }
    }

    impl Project {
        fn resolve(&self, given: &str) -> Resolved {
            self.roots.resolve(given).unwrap()
        }
    }

    #[test]
    fn relative_paths_start_at_the_session_directory_and_show_from_the_project() {
        let project = project();
        let found = project.resolve("./x/../a.rs");
        assert_eq!(found.absolute, project.base.join("proj/src/a.rs"));
        assert_eq!(
            (found.display.as_str(), found.inside, found.kind),
            ("src/a.rs", true, PathKind::File)
        );
        let root = project.resolve("..");
        assert_eq!(
            (root.display.as_str(), root.inside, root.kind),
            (".", true, PathKind::Directory)
        );
        let missing = project.resolve("new/deep/b.rs");
        assert_eq!(
            (missing.display.as_str(), missing.kind),
            ("src/new/deep/b.rs", PathKind::Missing)
        );
        assert_eq!(
            missing.for_writing().unwrap(),
            project.base.join("proj/src/new/deep/b.rs")
        );
    }

    #[test]
    fn a_sibling_with_the_same_beginning_is_outside() {
        let project = project();
        let found = project.resolve("../../project-two/x");
        assert!(!found.inside);
        assert_eq!(
            found.display,
            project.base.join("project-two/x").to_string_lossy()
        );
        assert!(!project.resolve("../../../../../../../..").inside);
    }

    #[test]
    fn home_and_file_urls_are_understood() {
        let project = project();
        assert_eq!(
            project.resolve("~/h.txt").absolute,
            project.base.join("home/h.txt")
        );
        assert_eq!(project.resolve("~").absolute, project.base.join("home"));
        assert_eq!(project.resolve("~user").display, "src/~user");
        let base = project.base.to_string_lossy().into_owned();
        for url in ["file://", "file:", "FILE://localhost"] {
            let found = project.resolve(&format!("{url}{base}/proj/src/a%2Ers"));
            assert_eq!(found.display, "src/a.rs", "{url}");
        }
        for url in ["file://host/a", "file:a", "file:///%ff", "file:"] {
            let error = project.roots.resolve(url).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgs, "{url}");
        }
    }

    #[test]
    fn empty_and_nul_are_invalid_arguments() {
        let project = project();
        for bad in ["", "a\0b", "file:///a%00b"] {
            let error = project.roots.resolve(bad).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgs, "{bad:?}");
            assert!(!error.to_string().contains('\0'));
        }
    }

    #[test]
    fn control_characters_in_a_name_stay_data() {
        assert_eq!(project().resolve("a\x1b[31m\n").display, "src/a\x1b[31m\n");
    }

    #[test]
    fn a_path_through_a_file_is_missing() {
        let found = project().resolve("a.rs/b");
        assert_eq!(
            (found.display.as_str(), found.kind),
            ("src/a.rs/b", PathKind::Missing)
        );
    }

    #[cfg(unix)]
    mod links {
        use std::os::unix::fs::symlink;

        use super::*;

        #[test]
        fn a_link_that_leads_out_is_outside() {
            let project = project();
            symlink(project.base.join("home"), project.base.join("proj/src/out")).unwrap();
            let found = project.resolve("out/h.txt");
            assert!(!found.inside);
            assert_eq!(found.real, project.base.join("home/h.txt"));
            assert!(!project.resolve("out/new.txt").inside);
            // By the letter this is `src/x`, whatever the link says.
            assert_eq!(project.resolve("out/../a.rs").display, "src/a.rs");
        }

        #[test]
        fn a_link_that_leads_in_from_outside_is_outside() {
            let project = project();
            symlink(project.base.join("proj"), project.base.join("home/link")).unwrap();
            let found = project.resolve("~/link/src/a.rs");
            assert!(!found.inside);
            assert_eq!(found.real, project.base.join("proj/src/a.rs"));
        }

        #[test]
        fn the_way_by_which_the_user_came_in_counts_as_the_project() {
            let project = project();
            symlink(project.base.join("proj"), project.base.join("short")).unwrap();
            let roots = Roots::new(&project.base.join("short/src"), None);
            assert_eq!(roots.session_dir(), project.base.join("proj/src"));
            let given = project.base.join("short/src/a.rs");
            let found = roots.resolve(&given.to_string_lossy()).unwrap();
            assert_eq!((found.display.as_str(), found.inside), ("src/a.rs", true));
            assert_eq!(found.absolute, project.base.join("proj/src/a.rs"));
        }

        #[test]
        fn nothing_is_created_through_a_dangling_link() {
            let project = project();
            symlink("gone/deep.txt", project.base.join("proj/src/dangling")).unwrap();
            symlink("../../nowhere", project.base.join("proj/src/dir")).unwrap();
            let found = project.resolve("dangling");
            assert_eq!((found.kind, found.inside), (PathKind::DanglingLink, true));
            assert_eq!(found.real, project.base.join("proj/src/gone/deep.txt"));
            assert_eq!(found.for_writing().unwrap_err().kind(), ErrorKind::Io);
            let below = project.resolve("dir/file.txt");
            assert_eq!((below.kind, below.inside), (PathKind::DanglingLink, false));
            assert_eq!(below.real, project.base.join("nowhere/file.txt"));
            symlink("nowhere", project.base.join("proj/src/near")).unwrap();
            symlink("near", project.base.join("proj/src/again")).unwrap();
            for (path, said) in [
                ("dangling", "`src/dangling` is a symbolic link to a file"),
                ("near", "`src/near` is a symbolic link to a file"),
                (
                    "near/a/b",
                    "`src/near/a/b` cannot be created: `src/near` on the way is a symbolic link",
                ),
                (
                    "again/b",
                    "`src/again/b` cannot be created: `src/again` on the way is a symbolic link",
                ),
            ] {
                let error = project.resolve(path).for_writing().unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Io);
                assert!(error.to_string().starts_with(said), "{error}");
            }
        }

        #[test]
        fn a_circle_of_links_is_an_error() {
            let project = project();
            symlink("b", project.base.join("proj/src/a")).unwrap();
            symlink("a", project.base.join("proj/src/b")).unwrap();
            assert_eq!(project.roots.resolve("a").unwrap_err().kind(), ErrorKind::Io);
        }

        #[test]
        fn devices_are_not_written() {
            let found = project().resolve("/dev/null");
            assert_eq!(found.kind, PathKind::Special);
            assert_eq!(found.for_writing().unwrap_err().kind(), ErrorKind::Io);
        }
    }

    proptest! {
        #[test]
        fn any_text_resolves_or_fails_with_a_sentence(given in "(file:|~|/|\\.\\./|a|%|\u{0}|é|//|\\.){0,12}") {
            let roots = Roots::new(Path::new("/nonexistent/project"), Some(Path::new("/nonexistent/home")));
            match roots.resolve(&given) {
                Ok(found) => {
                    prop_assert!(found.absolute.is_absolute());
                    prop_assert!(!found.absolute.components().any(|part| part == Component::ParentDir));
                    prop_assert!(!found.inside || roots.contains(&found.absolute));
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}
