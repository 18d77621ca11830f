//! Files that `rg` is sure to leave out by itself, hidden names and what ignore files name.
//!
//! ripgrep's versions read ignore files differently: whitelists above the search, rules with a slash, user's excludes, the
//! excludes of linked work trees, bytes that are no text. So this is no second implementation of them but a closed form
//! that holds for ripgrep 13, 14 and 15 alike:
//!
//! - A name is left out if it is hidden, or if a [certain](is_certain) rule ignores it, and only where no rule of any file
//!   that may count could bring it back. Which of two rules counts more is never the question.
//! - A rule that brings back is taken to be about every name that ends as its last part does, wherever it stands.
//! - A rule with a slash counts in the directory of the search and below, and only where that is spelled plainly.
//! - The user's excludes and those of `.git/info` never leave anything out.
//! - Below a directory with an ignore file that is not [`ordinary`], nothing is left out.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::io::Errno;

use super::CommandContext;
use super::git_directory::is_there;
use crate::regular_file::without_links::{self, DIRECTORY};
use crate::regular_file::{MAX_BYTES, ReadError, RegularFile};
use crate::text::path::without_dots;
use crate::tree_walk::Entry;

/// Largest size in bytes of an ordinary ignore file: whatever its rules are, every version can compile them.
const MAX_FILE: u64 = 64 * 1024;
/// Bytes of ignore files that are held for one search.
const MAX_HELD: usize = 1 << 20;
/// Ignore files that count with and without a repository.
const ANYWHERE: [&str; 2] = [".ignore", ".rgignore"];

/// The file is not ordinary, or it cannot be told which one is read.
struct UnclearIgnoreFile;

type Clear<T> = Result<T, UnclearIgnoreFile>;

/// The ignore files of one search by `rg`.
pub(super) struct IgnoredFiles {
    root: PathBuf,
    /// Directories at which a relative path in the repository's files may begin.
    runs_in: Vec<PathBuf>,
    /// True if the search names its directory so that each version finds the same paths below it.
    is_plain: bool,
    /// Says whether a hidden name is left out for that.
    hidden: bool,
    found: Mutex<LoadedRules>,
}

struct LoadedRules {
    /// By directory; the root's own rules among them.
    rules: HashMap<PathBuf, Arc<IgnoreRules>>,
    /// Bytes that may still be held.
    left: usize,
}

/// The rules of one directory, and those above it.
struct IgnoreRules {
    above: Option<Arc<IgnoreRules>>,
    is_unclear: bool,
    anywhere: Matchers,
    /// Those that count in a repository.
    in_git: Matchers,
    /// True if every version takes this directory or one above it for one of a repository.
    is_in_repository: bool,
    /// True if the rules for a repository above this directory do not count in some version, or in any.
    may_end: bool,
    ends: bool,
}

#[derive(Default)]
struct Matchers {
    ignored: Vec<Gitignore>,
    brought_back: Vec<Gitignore>,
}

impl CommandContext<'_> {
    /// Reads what holds for a whole search in the directory `root`, a real path, which the search calls `spelled`.
    pub(super) fn left_out(
        &self,
        root: &Path,
        spelled: &Path,
        runs_in: &[PathBuf],
        hidden: bool,
    ) -> IgnoredFiles {
        let real = |directory: &PathBuf| directory.canonicalize().ok();
        let mut left_out = IgnoredFiles {
            root: root.to_owned(),
            runs_in: runs_in.iter().filter_map(real).collect(),
            is_plain: is_plain(spelled),
            hidden,
            found: Mutex::new(LoadedRules {
                rules: HashMap::new(),
                left: MAX_HELD,
            }),
        };
        let mut rules = Arc::new(self.of_user(&mut left_out));
        let above: Vec<&Path> = root.ancestors().skip(1).collect();
        for directory in above.into_iter().rev() {
            rules = left_out.below(&rules, directory);
        }
        let own = left_out.below(&rules, root);
        left_out.found().rules.insert(root.to_owned(), own);
        left_out
    }

    /// The user's excludes, from whichever file a version may take for them.
    fn of_user(&self, left_out: &mut IgnoredFiles) -> IgnoreRules {
        let mut rules = IgnoreRules::new(None);
        let excludes = self.user_excludes(&left_out.runs_in);
        let load = || {
            for path in excludes? {
                if let Some(text) = user_file(&path, MAX_FILE)? {
                    left_out.hold(&text)?;
                    rules.anywhere.add(Path::new("/"), &text, |_| false)?;
                }
            }
            Ok(())
        };
        rules.is_unclear = load().is_err_and(|_: UnclearIgnoreFile| true);
        rules
    }

    fn user_excludes(&self, runs_in: &[PathBuf]) -> Clear<Vec<PathBuf>> {
        let home = self.home.clone().or_else(std::env::home_dir);
        let set = |name: &str| self.services.variable(name).filter(|value| !value.is_empty());
        let of_home = home.as_ref().map(|home| home.join(".config"));
        let configs = [set("XDG_CONFIG_HOME").map(PathBuf::from), of_home];
        let mut places: Vec<PathBuf> = configs
            .iter()
            .flatten()
            .map(|place| place.join("git/config"))
            .collect();
        places.extend(home.as_ref().map(|home| home.join(".gitconfig")));
        places.extend(set("GIT_CONFIG_GLOBAL").map(PathBuf::from));
        places.push(
            set("GIT_CONFIG_SYSTEM")
                .unwrap_or(OsStr::new("/etc/gitconfig"))
                .into(),
        );
        let mut excludes: Vec<PathBuf> = configs
            .iter()
            .flatten()
            .map(|place| place.join("git/ignore"))
            .collect();
        for place in places {
            let text = user_file(&place, MAX_BYTES)?.unwrap_or_default();
            let lines = text.lines().map(str::to_ascii_lowercase).zip(text.lines());
            for (_, line) in lines.filter(|(lower, _)| lower.contains("excludesfile")) {
                let (_, value) = line.split_once('=').ok_or(UnclearIgnoreFile)?;
                let value = value.trim().trim_matches('"').trim();
                if value.is_empty() {
                    return Err(UnclearIgnoreFile);
                }
                let value = match &home {
                    Some(home) => value.replace('~', &home.to_string_lossy()),
                    None => value.to_owned(),
                };
                excludes.extend(runs_in.iter().map(|directory| directory.join(&value)));
            }
        }
        Ok(excludes)
    }
}

impl IgnoredFiles {
    fn found(&self) -> MutexGuard<'_, LoadedRules> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if no version of `rg` shows anything of an entry below the search's directory, or enters it.
    pub(super) fn holds(&self, entry: &Entry) -> bool {
        let Some(directory) = entry.path().parent() else {
            return false;
        };
        let rules = self.rules(directory);
        let is_hidden = self.hidden && entry.name().as_encoded_bytes().starts_with(b".");
        rules.leave_out(entry, is_hidden)
    }

    /// The rules in a directory at the root or below.
    fn rules(&self, directory: &Path) -> Arc<IgnoreRules> {
        if let Some(rules) = self.found().rules.get(directory) {
            return Arc::clone(rules);
        }
        let above = match directory.parent() {
            Some(parent) if directory.starts_with(&self.root) => self.rules(parent),
            _ => return Arc::new(IgnoreRules::unclear()),
        };
        let rules = self.below(&above, directory);
        self.found()
            .rules
            .insert(directory.to_owned(), Arc::clone(&rules));
        rules
    }

    /// The rules in a directory, by those in the one above it.
    fn below(&self, above: &Arc<IgnoreRules>, directory: &Path) -> Arc<IgnoreRules> {
        if above.is_unclear {
            return Arc::clone(above);
        }
        match self.load(above, directory) {
            Ok(Some(rules)) => Arc::new(rules),
            Ok(None) => Arc::clone(above),
            Err(UnclearIgnoreFile) => Arc::new(IgnoreRules::unclear()),
        }
    }

    /// Reads the ignore files of a directory; `None` where it adds nothing.
    fn load(&self, above: &Arc<IgnoreRules>, directory: &Path) -> Clear<Option<IgnoreRules>> {
        let mut rules = IgnoreRules::new(Some(Arc::clone(above)));
        let takes_slashes = self.is_plain && directory.starts_with(&self.root);
        let mut adds = false;
        let mut add = |matchers: &mut Matchers, path: &Path, ignores: bool| {
            let Some(text) = file(path)? else { return Ok(()) };
            self.hold(&text)?;
            adds = true;
            matchers.add(directory, &text, |rule| {
                ignores && is_certain(rule, takes_slashes)
            })
        };
        for name in ANYWHERE {
            add(&mut rules.anywhere, &directory.join(name), true)?;
        }
        add(&mut rules.in_git, &directory.join(".gitignore"), true)?;
        for path in self.excludes(directory)? {
            add(&mut rules.in_git, &path, false)?;
        }
        rules.ends = is_there(&directory.join(".git"));
        rules.is_in_repository |= rules.ends;
        rules.may_end = rules.ends || is_there(&directory.join(".jj"));
        Ok((adds || rules.may_end).then_some(rules))
    }

    /// The files that a version may take for `info/exclude` of the repository that begins in a directory.
    fn excludes(&self, directory: &Path) -> Clear<Vec<PathBuf>> {
        let dot_git = directory.join(".git");
        let Ok(metadata) = dot_git.symlink_metadata() else {
            return Ok(Vec::new());
        };
        if metadata.is_dir() {
            return Ok(exclude_in(&dot_git)?.into_iter().collect());
        }
        let text = file(&dot_git)?.ok_or(UnclearIgnoreFile)?;
        let named = text.lines().next().and_then(|line| line.strip_prefix("gitdir: "));
        let named = named.filter(|named| !named.is_empty()).ok_or(UnclearIgnoreFile)?;
        let mut found = Vec::new();
        // Ripgrep takes a relative path as seen from where it runs.
        for start in self.runs_in.iter().map(PathBuf::as_path).chain([directory]) {
            let git = without_dots(&start.join(named));
            if !is_directory(&git)? {
                continue;
            }
            found.extend(exclude_in(&git)?);
            if let Some(text) = file(&git.join("commondir"))? {
                let common = text.lines().next().ok_or(UnclearIgnoreFile)?;
                if !common.starts_with(['.', '/']) {
                    return Err(UnclearIgnoreFile);
                }
                found.extend(exclude_in(&without_dots(&git.join(common)))?);
            }
        }
        Ok(found)
    }

    /// Counts the text of a file, of which a search holds so much only.
    fn hold(&self, text: &str) -> Clear<()> {
        let mut found = self.found();
        found.left = found.left.checked_sub(text.len()).ok_or(UnclearIgnoreFile)?;
        Ok(())
    }
}

impl IgnoreRules {
    fn new(above: Option<Arc<Self>>) -> Self {
        Self {
            is_unclear: false,
            anywhere: Matchers::default(),
            in_git: Matchers::default(),
            is_in_repository: above.as_ref().is_some_and(|above| above.is_in_repository),
            may_end: false,
            ends: false,
            above,
        }
    }

    fn unclear() -> Self {
        Self {
            is_unclear: true,
            ..Self::new(None)
        }
    }

    fn leave_out(&self, entry: &Entry, is_hidden: bool) -> bool {
        if self.is_unclear {
            return false;
        }
        let mut is_left_out = is_hidden;
        let (mut may_have_ended, mut has_ended) = (false, false);
        let mut next = Some(self);
        while let Some(rules) = next {
            if rules.anywhere.bring_back(entry) || !has_ended && rules.in_git.bring_back(entry) {
                return false;
            }
            let counts_git = rules.is_in_repository && !may_have_ended;
            is_left_out |= rules.anywhere.ignore(entry) || counts_git && rules.in_git.ignore(entry);
            may_have_ended |= rules.may_end;
            has_ended |= rules.ends;
            next = rules.above.as_deref();
        }
        is_left_out
    }
}

impl Matchers {
    /// Adds the rules of an ignore file of a directory, of those that ignore only the ones that `counts` lets in.
    fn add(&mut self, directory: &Path, text: &str, counts: impl Fn(&str) -> bool) -> Clear<()> {
        let mut ignored = GitignoreBuilder::new(directory);
        let mut brought_back = GitignoreBuilder::new(directory);
        let compiles = rules(text).all(compiles);
        for rule in rules(text) {
            let added = match rule.strip_prefix('!') {
                Some(pattern) => brought_back.add_line(None, &widened(pattern)),
                None if compiles && counts(rule) => ignored.add_line(None, rule),
                None => continue,
            };
            added.map_err(|_| UnclearIgnoreFile)?;
        }
        let built = |builder: GitignoreBuilder| builder.build().map_err(|_| UnclearIgnoreFile);
        self.ignored.push(built(ignored)?);
        self.brought_back.push(built(brought_back)?);
        Ok(())
    }

    fn ignore(&self, entry: &Entry) -> bool {
        is_any(&self.ignored, entry, entry.is_directory())
    }

    fn bring_back(&self, entry: &Entry) -> bool {
        is_any(&self.brought_back, entry, entry.is_directory() || entry.is_link())
    }
}

fn is_any(matchers: &[Gitignore], entry: &Entry, is_directory: bool) -> bool {
    let mut matchers = matchers.iter();
    matchers.any(|matcher| matcher.matched(entry.path(), is_directory).is_ignore())
}

/// The rules of an ignore file, without the white space behind them.
fn rules(text: &str) -> impl Iterator<Item = &str> {
    let rules = text.lines().filter(|line| !line.starts_with('#'));
    rules.map(str::trim_end).filter(|line| !line.is_empty())
}

/// Returns true if each version compiles the rule or leaves out this one alone, so that the others of its file count.
fn compiles(rule: &str) -> bool {
    !rule.contains(['{', '}']) && (rule.is_ascii() || !rule.contains(['[', '\\']))
}

/// Returns true if a rule ignores the same names in each version: plain characters, stars and classes of letters.
fn is_certain(rule: &str, takes_slashes: bool) -> bool {
    let rule = rule.strip_suffix('/').unwrap_or(rule);
    let pattern = match rule.strip_prefix("**/") {
        Some(pattern) => pattern,
        None if takes_slashes => rule.strip_prefix('/').unwrap_or(rule),
        None => rule,
    };
    let mut parts = pattern.split('/');
    let is_plain = parts.all(|part| !part.is_empty() && !part.contains("**") && !part.contains('?'));
    is_plain && with_stars(pattern).is_some() && (takes_slashes || !pattern.contains('/'))
}

/// Makes of a rule that brings names back one that matches whatever any version may take it to be about: ripgrep cuts
/// off the beginnings of some paths before it looks at them.
fn widened(pattern: &str) -> String {
    let Some(pattern) = with_stars(pattern) else {
        return "*".to_owned();
    };
    let path = pattern.trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or(path).trim_start_matches('*');
    let end = if path.len() < pattern.len() { "/" } else { "" };
    format!("*{name}{end}")
}

/// A pattern with a star for each of its wildcards and classes; `None` when it has others than simple ones.
fn with_stars(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = pattern.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '[' => {
                let (class, after) = rest.as_str().split_once(']')?;
                if class.is_empty() || !class.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                    return None;
                }
                rest = after.chars();
                text.push('*');
            }
            '*' | '?' => text.push('*'),
            letter if letter.is_ascii_alphanumeric() || "/.-_+@~$%=,:;&#()".contains(letter) => {
                text.push(letter);
            }
            _ => return None,
        }
    }
    Some(text)
}

/// Returns true if the paths below a directory, as `rg` makes them of its operand, keep the same beginning in each version:
/// no `..`, no empty part but the last, no more than one `.`.
fn is_plain(spelled: &Path) -> bool {
    let text = spelled.as_os_str().as_encoded_bytes();
    let text = text.strip_suffix(b"/").unwrap_or(text);
    let parts: Vec<&[u8]> = text.split(|byte| *byte == b'/').skip(1).collect();
    let dots = parts.iter().filter(|part| **part == b".").count();
    dots < 2 && parts.iter().all(|part| !part.is_empty() && *part != b"..")
}

/// The text of an ordinary file, which lies where its path says; `None` if it is not there.
fn file(path: &Path) -> Clear<Option<String>> {
    text(RegularFile::open_real(path), MAX_FILE)
}

/// The same for a file of the user's, which may be a link.
fn user_file(path: &Path, limit: u64) -> Clear<Option<String>> {
    text(RegularFile::open(path), limit)
}

fn text(opened: Result<RegularFile, ReadError>, limit: u64) -> Clear<Option<String>> {
    match opened.and_then(|file| file.read(limit)) {
        Ok(bytes) => Ok(Some(ordinary(bytes)?)),
        Err(ReadError::Missing) => Ok(None),
        Err(_) => Err(UnclearIgnoreFile),
    }
}

/// Text that each version reads as the same lines.
fn ordinary(bytes: Vec<u8>) -> Clear<String> {
    let text = String::from_utf8(bytes).map_err(|_| UnclearIgnoreFile)?;
    let is_odd = |letter: char| letter == '\u{feff}' || letter.is_control() && !"\n\r\t".contains(letter);
    if text.contains(is_odd) {
        Err(UnclearIgnoreFile)
    } else {
        Ok(text)
    }
}

/// The excludes in a directory of git's, if there may be any.
fn exclude_in(git: &Path) -> Clear<Option<PathBuf>> {
    let info = git.join("info");
    Ok(is_directory(&info)?.then(|| info.join("exclude")))
}

/// Returns false if there is nothing of this absolute path. A link on the way could lead each program elsewhere.
fn is_directory(path: &Path) -> Clear<bool> {
    match without_links::open(path, DIRECTORY) {
        Ok(_) => Ok(true),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(false),
        Err(_) => Err(UnclearIgnoreFile),
    }
}
