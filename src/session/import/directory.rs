//! The directory that an imported session belongs to.
//!
//! A session opens the directory that it belongs to, so a file must not choose it: whoever wrote the file would open any
//! place to the model. The readers of this folder have no type for a directory, and the import takes an
//! [`ImportDirectory`], which is made of the directory that the import runs in or of one that the person names.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::files::Roots;
use crate::regular_file::RegularFile;
use crate::session::{ErrorReport, ReportKind};

const ACCOUNTS: &str = "/etc/passwd";
/// Largest list of accounts in bytes that is read.
const MAX_ACCOUNTS: u64 = 16 << 20;
/// Directories whose entries are homes, also of accounts that no file lists.
const HOMES: [&str; 5] = ["/home", "/Users", "/var/home", "/export/home", "/usr/home"];
/// Homes of the administrator.
const ROOT_HOMES: [&str; 2] = ["/root", "/var/root"];

/// A real directory that is neither the whole file system, nor a home, nor above one.
#[derive(Debug)]
pub struct ImportDirectory {
    project: PathBuf,
    directory: PathBuf,
}

impl ImportDirectory {
    /// The directory in which the import runs.
    pub fn of_import(current: &Path, home: Option<&Path>) -> Result<Self, ErrorReport> {
        let hint = "Change to the directory of a project, or name it with `--directory DIR`.";
        Self::new(current, home).map_err(|why| refused(current, &why).hinted(hint))
    }

    /// A directory that the person names.
    pub fn named_by_person(named: &Path, home: Option<&Path>) -> Result<Self, ErrorReport> {
        Self::new(named, home).map_err(|why| refused(named, &why))
    }

    /// The directory that a stored session is moved to, named by the person.
    pub fn of_move(named: &Path, home: Option<&Path>) -> Result<Self, ErrorReport> {
        Self::new(named, home).map_err(|why| {
            let message = format!("a session cannot be moved to `{}`: {why}", named.display());
            ErrorReport::new(ReportKind::BadRequest, message)
        })
    }

    fn new(given: &Path, home: Option<&Path>) -> Result<Self, String> {
        let real = given.canonicalize().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => "it is not there".to_owned(),
            _ => error.to_string(),
        })?;
        if !real.is_dir() {
            return Err("it is not a directory".to_owned());
        }
        let homes = Homes::new(home, &accounts());
        let roots = Roots::new(&real, home);
        let (project, directory) = (roots.project_root().to_owned(), roots.session_dir().to_owned());
        for opened in [&directory, &project] {
            if let Some(why) = homes.objection(opened) {
                let is_own = *opened == directory;
                return Err(if is_own {
                    why
                } else {
                    format!("its project would be `{}`, and {why}", opened.display())
                });
            }
        }
        Ok(Self { project, directory })
    }

    pub(in crate::session) fn project(&self) -> &Path {
        &self.project
    }

    pub(in crate::session) fn directory(&self) -> &Path {
        &self.directory
    }
}

fn refused(given: &Path, why: &str) -> ErrorReport {
    let message = format!("a session cannot be imported into `{}`: {why}", given.display());
    ErrorReport::new(ReportKind::BadRequest, message)
}

/// Returns the homes in a list of accounts.
fn accounts() -> Vec<PathBuf> {
    let list = RegularFile::open(Path::new(ACCOUNTS)).and_then(|file| file.read(MAX_ACCOUNTS));
    homes_in(&String::from_utf8_lossy(&list.unwrap_or_default()))
}

fn homes_in(accounts: &str) -> Vec<PathBuf> {
    let homes = accounts.lines().filter_map(|line| line.split(':').nth(5));
    homes
        .filter(|home| home.starts_with('/'))
        .map(PathBuf::from)
        .collect()
}

/// The homes of a machine.
struct Homes {
    /// With links and without.
    homes: Vec<PathBuf>,
    /// Each home and each directory above one, by device and inode: a directory may have several paths.
    identities: HashSet<(u64, u64)>,
}

impl Homes {
    fn new(own: Option<&Path>, others: &[PathBuf]) -> Self {
        let roots = ROOT_HOMES.map(PathBuf::from);
        let given = own
            .map(Path::to_owned)
            .into_iter()
            .chain(roots)
            .chain(others.iter().cloned());
        let mut homes: Vec<PathBuf> = Vec::new();
        for home in given {
            homes.extend(home.canonicalize());
            homes.push(home);
        }
        let above = homes.iter().flat_map(|home| home.ancestors());
        let identities = above.filter_map(identity).collect();
        Self { homes, identities }
    }

    /// Says why a real directory must not be that of an imported session.
    fn objection(&self, real: &Path) -> Option<String> {
        if real.parent().is_none() {
            return Some("it is the whole file system".to_owned());
        }
        let is_listed = self.homes.iter().any(|home| home.starts_with(real));
        let is_known = identity(real).is_some_and(|identity| self.identities.contains(&identity));
        let holds_homes = HOMES.iter().any(|homes| Path::new(homes).starts_with(real));
        let is_entry = real
            .parent()
            .is_some_and(|parent| HOMES.iter().any(|homes| parent == Path::new(homes)));
        (is_listed || is_known || holds_homes || is_entry).then(|| "it is a home or above one".to_owned())
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct Place {
        _held: tempfile::TempDir,
        base: PathBuf,
    }

    fn place(directories: &[&str]) -> Place {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        for directory in directories {
            fs::create_dir_all(base.join(directory)).unwrap();
        }
        Place { _held: held, base }
    }

    fn why(given: &Path, home: &Path) -> Option<String> {
        ImportDirectory::new(given, Some(home)).err()
    }

    #[test]
    fn a_home_and_what_is_above_one_is_refused_by_every_path() {
        let Place { base, _held } = place(&["homes/me/project/src", "homes/me/.config", "other"]);
        let home = base.join("homes/me");
        symlink(&home, base.join("other/link")).unwrap();
        symlink("/", base.join("other/all")).unwrap();
        for refused in [
            home.clone(),
            base.join("homes"),
            base.clone(),
            base.join("homes/me/"),
            base.join("homes/me/project/.."),
            base.join("other/link"),
            base.join("other/link/project/../"),
            base.join("other/all"),
            "/".into(),
            "//".into(),
            "/proc/self/root".into(),
            "/usr/..".into(),
            "/root".into(),
            "/home".into(),
            "/var".into(),
        ] {
            let why = why(&refused, &home);
            assert!(why.is_some() || !refused.exists(), "{}", refused.display());
        }
        for taken in [
            "homes/me/project",
            "homes/me/project/src",
            "other",
            "other/link/project",
        ] {
            assert_eq!(why(&base.join(taken), &home), None, "{taken}");
        }
    }

    #[test]
    fn what_is_no_directory_is_refused() {
        let Place { base, _held } = place(&["a"]);
        fs::write(base.join("file"), "").unwrap();
        let home = base.join("home");
        assert_eq!(why(&base.join("gone"), &home).unwrap(), "it is not there");
        assert_eq!(why(&base.join("file"), &home).unwrap(), "it is not a directory");
    }

    #[test]
    fn homes_of_all_accounts_are_known() {
        let Place { base, _held } = place(&["srv/www/site", "srv/other"]);
        let www = base.join("srv/www");
        let accounts = format!(
            "root:x:0:0:root:/root:/bin/sh\nbroken\nwww:x:33:33::{}:/bin/false\n",
            www.display()
        );
        let homes = homes_in(&accounts);
        assert_eq!(homes, [PathBuf::from("/root"), www.clone()]);
        let homes = Homes::new(None, &homes);
        assert!(homes.objection(&www).is_some() && homes.objection(&base.join("srv")).is_some());
        assert_eq!(homes.objection(&base.join("srv/www/site")), None);
        assert_eq!(homes.objection(&base.join("srv/other")), None);
        // Of accounts that no file lists.
        assert!(homes.objection(Path::new("/home/somebody")).is_some());
        assert_eq!(homes.objection(Path::new("/home/somebody/project")), None);
        assert!(homes.objection(Path::new("/Users")).is_some());
    }

    #[test]
    fn a_project_whose_root_is_a_home_is_refused() {
        let Place { base, _held } = place(&["www/site", "www/.git/objects", "www/.git/refs"]);
        fs::write(base.join("www/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let site = base.join("www/site");
        // One's own home is no project; the directory alone is.
        assert_eq!(why(&site, &base.join("www")), None);
        let roots = Roots::new(&site, None);
        assert_eq!(roots.project_root(), base.join("www"));
        let homes = Homes::new(None, &[base.join("www")]);
        assert!(homes.objection(roots.project_root()).is_some());
    }
}
