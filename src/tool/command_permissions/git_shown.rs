//! The files that a git command would show, as git itself names them.
//!
//! Every operand must be understood: a commit, a file of a commit (`COMMIT:PATH`) or a path. Git is then asked for the
//! names of all files that the same commits change, with those that they had before: a file that was renamed counts with
//! both, and a merge is compared with each of its parents.
//!
//! Each question says which files of the repository decide its answer ([`Sources`]), as far as that is understood. Its
//! answer is then kept while those files are the same. Nothing that the work tree, the time or a reflog decides is kept.

use std::path::{Component, Path, PathBuf};

use super::CommandContext;
use super::git_query::GitQuery;
use super::git_revision::{Ranges, is_understood};
use crate::permission::command::{GitForm, GitShows};
use crate::process::git::{Repository, Sources};

/// Objects that one command may name.
const MAX_OBJECTS: usize = 16;

const NOT_UNDERSTOOD: &str = "an object that it names is not named in a way that is understood";
const NO_COMMIT: &str = "an object that it names is no commit, so that the file has no name";

/// One form of a name: a path, and the directory that it counts from.
type Name = (PathBuf, String);

impl CommandContext<'_> {
    /// Files that a command would show and that may not be read unasked, as paths. `directory` has no links.
    pub(super) fn shown(
        &self,
        git: &GitQuery<'_>,
        form: &GitForm,
        repository: &Repository,
        directory: &Path,
    ) -> Result<Vec<String>, &'static str> {
        if form.shows == GitShows::Nothing {
            return Ok(Vec::new());
        }
        let Some(top) = repository.top.as_deref() else {
            return Err("it is not in a work tree, from which names count");
        };
        let mut names = named_paths(form, top, directory);
        let found = match form.shows {
            GitShows::Nothing => Vec::new(),
            GitShows::Differences if compares_index(form) && self.index_is_readable(git, repository) => {
                Vec::new()
            }
            GitShows::Differences => differences(git, form, || self.index_is_readable(git, repository))?,
            GitShows::Commits => changes(git, form)?,
            GitShows::Stash => stash(git, form)?,
            GitShows::Objects => objects(git, form)?,
            GitShows::Lines => lines(git, form)?,
            GitShows::Tracked => tracked(git, form)?,
        };
        for name in found {
            names.push((top.to_owned(), name.at_top(top, directory)?));
        }
        self.not_readable(&names)
    }

    /// The paths among these names that may not be read unasked.
    fn not_readable(&self, names: &[Name]) -> Result<Vec<String>, &'static str> {
        let readable = self.services.gate.readable();
        let mut found = Vec::new();
        for (base, name) in names {
            let Some(resolved) = self.resolve(name, base) else {
                return Err("a link in the place of a file that it would show leads nowhere");
            };
            if resolved.real != resolved.absolute && is_below_a_link(&resolved.absolute) {
                return Err("a link is in the place of a directory of a file that it would show");
            }
            if !readable.allows(&resolved.display, &resolved.absolute) {
                let path = base.join(name).to_string_lossy().into_owned();
                if !found.contains(&path) {
                    found.push(path);
                }
            } else if !readable.allows(
                &self.services.roots.display(&resolved.absolute),
                &resolved.absolute,
            ) {
                // Git shows what it has under the name, whatever the link leads to.
                return Err("a link is in the place of a file that it would show");
            }
        }
        Ok(found)
    }
}

/// Returns true if a directory that leads to a path is a link now: git may read through it.
fn is_below_a_link(path: &Path) -> bool {
    let Some(directory) = path.parent() else {
        return false;
    };
    directory.canonicalize().is_ok_and(|real| real != directory)
}

/// A file that a command would show.
#[derive(Debug)]
enum ShownFile {
    /// As git names it, from the top of the work tree.
    FromTop(String),
    /// As it stands behind the colon of `COMMIT:PATH`.
    InCommit(String),
}

impl ShownFile {
    /// The name from the top of the work tree.
    fn at_top(self, top: &Path, directory: &Path) -> Result<String, &'static str> {
        const UNKNOWN: &str = "the path in a commit that it names is not understood";
        let path = match self {
            Self::FromTop(name) => return Ok(name),
            Self::InCommit(path) => path,
        };
        let is_relative = ["./", "../"].iter().any(|start| path.starts_with(start)) || path == ".";
        let mut whole = PathBuf::new();
        if is_relative {
            whole.push(directory.strip_prefix(top).map_err(|_| UNKNOWN)?);
        }
        for part in Path::new(&path).components() {
            match part {
                Component::Normal(part) => whole.push(part),
                Component::CurDir if is_relative => {}
                Component::ParentDir if is_relative && whole.pop() => {}
                _ => return Err(UNKNOWN),
            }
        }
        Ok(whole.to_string_lossy().into_owned())
    }
}

/// The paths that the operands may stand for, also where no such file is in the work tree any more.
fn named_paths(form: &GitForm, top: &Path, directory: &Path) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    let mut add = |base: &Path, path: &str| {
        let name = (base.to_owned(), path.to_owned());
        if !names.contains(&name) {
            names.push(name);
        }
    };
    for (at, operand) in form.operands.iter().enumerate() {
        let is_in_commit = at < form.before_dashes && operand.find(':').is_some_and(|at| at > 0);
        if !is_in_commit {
            add(directory, operand);
            add(top, operand);
        }
        let behind_first = operand.split_once(':').map(|(_, path)| path);
        let behind_last = operand.rsplit_once([':', ')']).map(|(_, path)| path);
        for path in [behind_first, behind_last].into_iter().flatten() {
            let is_relative = path.starts_with("./") || path.starts_with("../");
            let base = if is_relative { directory } else { top };
            add(base, path.trim_start_matches('/'));
        }
    }
    names
}

/// The objects that a command names before a `--`.
struct NamedObjects<'f> {
    /// Each a file or a directory of a commit: the operand, and the path in it.
    in_commits: Vec<(&'f str, String)>,
    /// Revisions and, behind them, paths; as they stand.
    others: Vec<&'f str>,
    /// Commits that the revisions stand for.
    commits: usize,
}

impl<'f> NamedObjects<'f> {
    /// The error says why an operand is not understood.
    fn of(git: &GitQuery<'_>, operands: &'f [String], ranges: Ranges) -> Result<Self, &'static str> {
        if operands.len() > MAX_OBJECTS {
            return Err("it names too many objects");
        }
        let (mut in_commits, mut others) = (Vec::new(), Vec::new());
        for operand in operands {
            match operand.split_once(':') {
                None if is_understood(operand, ranges) => others.push(operand.as_str()),
                None => return Err(NOT_UNDERSTOOD),
                Some(("", _)) if is_object(git, operand)? => return Err(NOT_UNDERSTOOD),
                // A path with a prefix of git's, like `:!this`.
                Some(("", _)) => others.push(operand.as_str()),
                Some((commit, path)) => {
                    if !is_understood(commit, Ranges::None) {
                        return Err(NOT_UNDERSTOOD);
                    }
                    if !are_commits(git, &[commit])? {
                        return Err(NO_COMMIT);
                    }
                    in_commits.push((operand.as_str(), path.to_owned()));
                }
            }
        }
        let hashes = if others.is_empty() {
            Vec::new()
        } else {
            let words = [&["rev-parse", "--revs-only", "--no-flags"], others.as_slice()].concat();
            let sources = Sources::revisions(others.iter().copied());
            git.names(&words, sources)?
        };
        let commits: Vec<&str> = hashes.iter().map(|hash| hash.trim_start_matches('^')).collect();
        if !commits.is_empty() && !are_commits(git, &commits)? {
            return Err(NO_COMMIT);
        }
        Ok(Self {
            in_commits,
            commits: commits.len(),
            others,
        })
    }

    fn of_form(git: &GitQuery<'_>, form: &'f GitForm, ranges: Ranges) -> Result<Self, &'static str> {
        Self::of(git, &form.operands[..form.before_dashes], ranges)
    }

    fn files_in_commits(&self) -> Vec<ShownFile> {
        let paths = self.in_commits.iter().map(|(_, path)| path.clone());
        paths.map(ShownFile::InCommit).collect()
    }
}

/// Files of the objects that are named, and of nothing else.
fn objects(git: &GitQuery<'_>, form: &GitForm) -> Result<Vec<ShownFile>, &'static str> {
    if form.subcommand == "show" {
        return Ok(NamedObjects::of_form(git, form, Ranges::None)?.files_in_commits());
    }
    // The type of the object may stand before it.
    let operands = match form.operands.as_slice() {
        [kind, object] if matches!(kind.as_str(), "blob" | "tree" | "commit" | "tag") => {
            std::slice::from_ref(object)
        }
        operands => operands,
    };
    let mut files = Vec::new();
    for operand in operands {
        if operand.contains(':') {
            let named = NamedObjects::of(git, std::slice::from_ref(operand), Ranges::None)?;
            files.extend(named.files_in_commits());
        } else if !is_understood(operand, Ranges::None) {
            return Err(NOT_UNDERSTOOD);
        } else if !matches!(kind_of(git, operand)?.as_deref(), Some("commit" | "tree")) {
            return Err(NO_COMMIT);
        }
    }
    Ok(files)
}

/// Files that `log` and `show` would show.
fn changes(git: &GitQuery<'_>, form: &GitForm) -> Result<Vec<ShownFile>, &'static str> {
    let is_show = form.subcommand == "show";
    let named = NamedObjects::of_form(git, form, if is_show { Ranges::None } else { Ranges::OfLog })?;
    let mut files = named.files_in_commits();
    if named.others.is_empty() && !files.is_empty() {
        return if is_show { Ok(files) } else { Err(NO_COMMIT) };
    }
    let mut words = vec!["log"];
    if is_show {
        // It would show the message of a tag among the names, and of a merge what is put together of it.
        words.extend(["--no-walk=unsorted", "-m"]);
    }
    words.extend(form.selection.iter().map(String::as_str));
    words.extend(["--name-only", "--no-renames", "-z", "--format="]);
    let paths = add_operands(&mut words, form, &named)?;
    // Other work trees have references, too.
    let is_of_all = form.selection.iter().any(|word| word == "--all");
    let sources = Sources::revisions(named.others.iter().copied());
    let sources = sources.filter(|_| !is_of_all && are_plain_paths(paths));
    files.extend(from_top(git, &words, sources)?);
    Ok(files)
}

fn stash(git: &GitQuery<'_>, form: &GitForm) -> Result<Vec<ShownFile>, &'static str> {
    if !form
        .operands
        .iter()
        .all(|operand| is_understood(operand, Ranges::None))
    {
        return Err(NOT_UNDERSTOOD);
    }
    let mut words = vec!["stash", "show", "--name-only", "--no-renames", "-z"];
    words.extend(form.operands.iter().map(String::as_str));
    from_top(git, &words, None)
}

/// Files that `diff` would show, without those that the index names where all of these may be read.
fn differences(
    git: &GitQuery<'_>,
    form: &GitForm,
    index_is_readable: impl Fn() -> bool,
) -> Result<Vec<ShownFile>, &'static str> {
    let named = NamedObjects::of_form(git, form, Ranges::OfDiff)?;
    let (before, after) = form.operands.split_at(form.before_dashes);
    if !named.in_commits.is_empty() {
        // It compares files, those of the work tree judged by the name that stands in the operand.
        let are_files = named.others.iter().all(|other| !other.starts_with(':'));
        if named.commits > 0 || !after.is_empty() || !are_files {
            return Err("it compares files with commits");
        }
        for (object, _) in &named.in_commits {
            if kind_of(git, object)?.as_deref() != Some("blob") {
                return Err("it compares directories of commits");
            }
        }
        return Ok(named.files_in_commits());
    }
    let is_symmetric = before.len() == 1 && before[0].contains("...");
    if named.commits > 2 && !is_symmetric {
        return Err("it compares more than two commits");
    }
    if named.commits == 0 && form.operands.len() > 1 && !are_inside(&form.operands) {
        return Err("it may compare two files outside of the repository");
    }
    let mut words = vec!["-c", "diff.autoRefreshIndex=false", "diff"];
    words.extend(form.selection.iter().map(String::as_str));
    words.extend(["--name-only", "--no-renames", "-z"]);
    let mut is_cached = form
        .selection
        .iter()
        .any(|word| matches!(word.as_str(), "--cached" | "--staged"));
    if named.commits == 1 && !is_cached && index_is_readable() {
        // It also shows files that are in the commit and not in the index, which do not depend on the work tree.
        words.push("--cached");
        is_cached = true;
    }
    let paths = add_operands(&mut words, form, &named)?;
    let sources = match named.commits {
        2.. => Sources::revisions(named.others.iter().copied()),
        _ if is_cached => Sources::revisions(named.others.iter().copied()).map(Sources::and_index),
        // The work tree's files are compared.
        _ => None,
    };
    let sources = sources.filter(|_| are_plain_paths(paths));
    from_top(git, &words, sources)
}

/// The file of `blame`, which shows no other one, is judged by the operand. Only what stands before it may be a commit.
fn lines(git: &GitQuery<'_>, form: &GitForm) -> Result<Vec<ShownFile>, &'static str> {
    let named = NamedObjects::of_form(git, form, Ranges::OfLog)?;
    if named.in_commits.is_empty() {
        Ok(Vec::new())
    } else {
        Err(NO_COMMIT)
    }
}

/// Files that `grep` would search.
fn tracked(git: &GitQuery<'_>, form: &GitForm) -> Result<Vec<ShownFile>, &'static str> {
    let (before, after) = form.operands.split_at(form.before_dashes);
    let operands = NamedObjects::of(git, before, Ranges::None)?;
    if !operands.in_commits.is_empty() {
        return Err(NO_COMMIT);
    }
    let mut names = Vec::new();
    let mut paths: Vec<&str> = Vec::new();
    for operand in &operands.others {
        if !paths.is_empty() || !is_object(git, operand)? {
            paths.push(operand);
            continue;
        }
        if !are_commits(git, &[operand])? {
            return Err(NO_COMMIT);
        }
        let words = ["ls-tree", "-r", "--full-tree", "--name-only", "-z", operand];
        let sources = Sources::revisions([*operand]);
        names.extend(git.names(&words, sources)?);
    }
    paths.extend(after.iter().map(String::as_str));
    if form.has_wildcards {
        paths = vec![":/"];
    }
    let words = [&["ls-files", "--full-name", "-z", "--"], paths.as_slice()].concat();
    let sources = Some(Sources::index()).filter(|_| paths.iter().all(|path| is_plain_path(path)));
    names.extend(git.names(&words, sources)?);
    Ok(names.into_iter().map(ShownFile::FromTop).collect())
}

/// Adds the revisions and paths of a command, and returns the paths behind its dashes. Where the shell finds files by
/// wildcards, all paths are left out, so that every file counts.
fn add_operands<'f>(
    words: &mut Vec<&'f str>,
    form: &'f GitForm,
    named: &NamedObjects<'f>,
) -> Result<&'f [String], &'static str> {
    let paths = &form.operands[form.before_dashes..];
    if form.has_wildcards {
        if form.has_dashes {
            words.extend(&named.others);
        } else if named.commits > 0 {
            return Err("it names files by wildcards behind a commit, without a `--`");
        }
        return Ok(&[]);
    }
    words.extend(&named.others);
    if !paths.is_empty() {
        words.push("--");
        words.extend(paths.iter().map(String::as_str));
    }
    Ok(paths)
}

/// The files that git names for these words.
fn from_top(
    git: &GitQuery<'_>,
    words: &[&str],
    sources: Option<Sources>,
) -> Result<Vec<ShownFile>, &'static str> {
    let names = git.names(words, sources)?;
    Ok(names.into_iter().map(ShownFile::FromTop).collect())
}

/// Returns true if all of these are commits, or tags of commits.
fn are_commits(git: &GitQuery<'_>, revisions: &[&str]) -> Result<bool, &'static str> {
    let sources = Sources::revisions(revisions.iter().copied());
    let commits: Vec<String> = revisions
        .iter()
        .map(|name| format!("{name}^{{commit}}"))
        .collect();
    let words: Vec<&str> = ["rev-parse", "-q"]
        .into_iter()
        .chain(commits.iter().map(String::as_str))
        .collect();
    git.holds(&words, sources)
}

/// Returns true if git knows an object by this name.
fn is_object(git: &GitQuery<'_>, name: &str) -> Result<bool, &'static str> {
    let words = ["rev-parse", "-q", "--verify", name];
    let sources = Sources::revisions([name]);
    git.holds(&words, sources)
}

/// The kind of an object, of a tag's what it stands for; `None` when there is none.
fn kind_of(git: &GitQuery<'_>, object: &str) -> Result<Option<String>, &'static str> {
    let sources = Sources::revisions([object]);
    let name = if object.contains(':') {
        object.to_owned()
    } else {
        format!("{object}^{{}}")
    };
    git.line(&["cat-file", "-t", &name], sources)
}

fn is_side(word: &str) -> bool {
    matches!(word, "--cached" | "--staged" | "--merge-base")
}

/// Returns true if `diff` compares the index with the work tree, and so shows nothing that is not in the index. With two
/// paths it may compare these, tracked or not.
fn compares_index(form: &GitForm) -> bool {
    let has_sides = form.selection.iter().any(|word| is_side(word));
    form.subcommand == "diff" && form.before_dashes == 0 && form.operands.len() < 2 && !has_sides
}

/// Returns true if no path leads out of the work tree by its letters.
fn are_inside(paths: &[String]) -> bool {
    let is_outside = |path: &String| path.starts_with(['/', '~']) || path.split('/').any(|part| part == "..");
    !paths.iter().any(is_outside)
}

fn are_plain_paths(paths: &[String]) -> bool {
    paths.iter().all(|path| is_plain_path(path))
}

/// Returns true for a path that is compared by its letters. `:(attr:…)` looks at attributes, and where an absolute one
/// lies is a question of links.
fn is_plain_path(path: &str) -> bool {
    !path.starts_with([':', '/'])
}
