//! The files that a git command would show, as git itself names them.

use std::path::{Path, PathBuf};

use super::Setting;
use super::git_query::{GitQuery, NoAnswer};
use crate::permission::command::{GitForm, GitShows};
use crate::process::git::Repository;

/// Objects that one command may name.
const MAX_OBJECTS: usize = 16;

const NO_ANSWER: &str = "git does not say in time what it would show";

impl Setting<'_> {
    /// Files that a command would show and that may not be read unasked, as paths.
    pub(super) fn shown(
        &self,
        git: &GitQuery,
        form: &GitForm,
        repository: &Repository,
        directory: &Path,
    ) -> Result<Vec<String>, &'static str> {
        let top = repository.top.as_deref().unwrap_or(directory);
        let mut names: Vec<(PathBuf, String)> = Vec::new();
        // Whatever is named counts, also where no such file is in the work tree any more.
        for operand in &form.operands {
            let path = operand
                .rsplit_once([':', ')'])
                .map_or(operand.as_str(), |(_, path)| path);
            names.push((directory.to_owned(), path.to_owned()));
            names.push((top.to_owned(), path.to_owned()));
        }
        let found = match form.shows {
            GitShows::Nothing => return Ok(Vec::new()),
            GitShows::Objects => Self::objects(git, form).map(|()| Vec::new())?,
            GitShows::Changes if form.subcommand == "stash" => {
                let rest: Vec<&str> = form.operands.iter().map(String::as_str).collect();
                let words = [
                    &["stash", "show", "--name-only", "--no-renames", "-z"],
                    rest.as_slice(),
                ]
                .concat();
                git.names(&words).map_err(|NoAnswer| NO_ANSWER)?
            }
            GitShows::Changes => Self::changes(git, form)?,
            GitShows::WorkTree => Self::work_tree(git, form)?,
            GitShows::Tracked => Self::tracked(git, form)?,
        };
        names.extend(found.into_iter().map(|name| (top.to_owned(), name)));
        let readable = self.services.gate.readable();
        let mut shown = Vec::new();
        for (base, name) in names {
            let Some(resolved) = self.resolve(&name, &base) else {
                continue;
            };
            if !readable.allows(&resolved.display, &resolved.absolute) {
                let path = base.join(&name).to_string_lossy().into_owned();
                if !shown.contains(&path) {
                    shown.push(path);
                }
            }
        }
        Ok(shown)
    }

    /// An object that is named by its number may be any file.
    fn objects(git: &GitQuery, form: &GitForm) -> Result<(), &'static str> {
        if form.subcommand == "blame" {
            return Ok(());
        }
        for operand in form.operands.iter().take(form.before_dashes) {
            if !operand.contains(':') && is_blob(git, operand)? {
                return Err("the file that it would show has no name");
            }
        }
        Ok(())
    }

    /// Names of the files that `log` and `show` would show, told by the same commits.
    fn changes(git: &GitQuery, form: &GitForm) -> Result<Vec<String>, &'static str> {
        let mut words = vec![form.subcommand.as_str()];
        let (revisions, paths) = form.operands.split_at(form.before_dashes);
        let selection = selection(form);
        words.extend(selection.iter().map(String::as_str));
        words.extend(["--name-only", "--no-renames", "-z", "--format="]);
        let mut is_any = revisions.is_empty();
        if revisions.len() > MAX_OBJECTS {
            return Err("it names too many objects");
        }
        for revision in revisions {
            if form.subcommand == "show" && is_blob(git, revision)? {
                if !revision.contains(':') {
                    return Err("the file that it would show has no name");
                }
                continue;
            }
            words.push(revision);
            is_any = true;
        }
        if !is_any {
            return Ok(Vec::new());
        }
        if form.before_dashes < form.operands.len() {
            words.push("--");
            words.extend(paths.iter().map(String::as_str));
        }
        git.names(&words).map_err(|NoAnswer| NO_ANSWER)
    }

    /// Names of the files that `diff` would show, told by the same words where they name commits or trees.
    fn work_tree(git: &GitQuery, form: &GitForm) -> Result<Vec<String>, &'static str> {
        let (before, after) = form.operands.split_at(form.before_dashes);
        if before.len() > MAX_OBJECTS {
            return Err("it names too many objects");
        }
        if before
            .iter()
            .any(|operand| operand.contains("..") && operand.contains(':'))
        {
            return Err("it compares files by their revisions");
        }
        let operands: Vec<&str> = before.iter().map(String::as_str).collect();
        if !operands.is_empty() && !Self::are_trees(git, &operands)? {
            // Then it compares files, each judged by the name that stands in the operand.
            for operand in operands.iter().filter(|operand| !operand.contains(':')) {
                if is_blob(git, operand)? {
                    return Err("the file that it would show has no name");
                }
            }
            return Ok(Vec::new());
        }
        let mut words = vec!["-c", "diff.autoRefreshIndex=false", "diff"];
        words.extend(["--name-only", "--no-renames", "-z"]);
        let selects = |word: &&str| matches!(*word, "--cached" | "--staged" | "--merge-base");
        words.extend(form.arguments.iter().map(String::as_str).filter(selects));
        words.extend(operands);
        if !after.is_empty() {
            words.push("--");
            words.extend(after.iter().map(String::as_str));
        }
        git.names(&words).map_err(|NoAnswer| NO_ANSWER)
    }

    /// Returns true if all of the operands that name objects name commits or trees.
    fn are_trees(git: &GitQuery, operands: &[&str]) -> Result<bool, &'static str> {
        let words = [&["rev-parse", "--revs-only", "--no-flags"], operands].concat();
        let objects = git.names(&words).map_err(|NoAnswer| NO_ANSWER)?;
        if objects.is_empty() {
            return Ok(true);
        }
        let trees = objects
            .iter()
            .map(|object| format!("{}^{{tree}}", object.trim_start_matches('^')));
        let trees: Vec<String> = trees.collect();
        let words = ["rev-parse", "-q"]
            .into_iter()
            .chain(trees.iter().map(String::as_str));
        git.holds(&words.collect::<Vec<_>>())
            .map_err(|NoAnswer| NO_ANSWER)
    }

    fn tracked(git: &GitQuery, form: &GitForm) -> Result<Vec<String>, &'static str> {
        let (before, after) = form.operands.split_at(form.before_dashes);
        let mut names = Vec::new();
        for operand in before.iter().take(MAX_OBJECTS) {
            let tree = format!("{operand}^{{tree}}");
            let words = ["rev-parse", "-q", "--verify", &tree];
            if git.holds(&words).map_err(|NoAnswer| NO_ANSWER)? {
                let words = ["ls-tree", "-r", "--full-tree", "--name-only", "-z", operand];
                names.extend(git.names(&words).map_err(|NoAnswer| NO_ANSWER)?);
            }
        }
        let mut words = vec!["ls-files", "--full-name", "-z", "--"];
        words.extend(after.iter().map(String::as_str));
        names.extend(git.names(&words).map_err(|NoAnswer| NO_ANSWER)?);
        Ok(names)
    }
}

fn is_blob(git: &GitQuery, object: &str) -> Result<bool, &'static str> {
    let kind = git
        .line(&["cat-file", "-t", object])
        .map_err(|NoAnswer| NO_ANSWER)?;
    // A tag may stand for a file, too.
    let kind = match kind.as_deref() {
        Some("tag") => git
            .line(&["cat-file", "-t", &format!("{object}^{{}}")])
            .map_err(|NoAnswer| NO_ANSWER)?,
        _ => kind,
    };
    Ok(kind.as_deref() == Some("blob"))
}

/// Options that say how something is shown and not what.
const OF_OUTPUT: &[&str] = &[
    "-p",
    "-u",
    "--patch",
    "-s",
    "--no-patch",
    "--raw",
    "--stat",
    "--numstat",
    "--shortstat",
    "--dirstat",
    "--summary",
    "--compact-summary",
    "--name-only",
    "--name-status",
    "--color",
    "--no-color",
    "--color-words",
    "--word-diff",
    "--word-diff-regex",
    "--full-index",
    "--binary",
    "--abbrev",
    "--no-abbrev",
    "-W",
    "--function-context",
    "--unified",
    "--inter-hunk-context",
    "--exit-code",
    "--quiet",
    "-q",
    "--relative",
    "--check",
    "--oneline",
    "--graph",
    "--format",
    "--pretty",
    "--log-size",
    "--show-linear-break",
    "--patch-with-stat",
    "--patch-with-raw",
    "-z",
    "--find-renames",
    "--find-copies",
    "--find-copies-harder",
    "--follow",
    "--cumulative",
    "--line-prefix",
    "--source",
    "--notes",
];

/// The options of a command that say which commits and files it shows.
fn selection(form: &GitForm) -> Vec<String> {
    let mut words = form.arguments.iter().take_while(|word| *word != "--");
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if form.operands.contains(word) || !word.starts_with('-') {
            continue;
        }
        let name = word.split('=').next().unwrap_or(word);
        let is_attached = ["-U", "-M", "-C", "-B", "-X", "-D"]
            .iter()
            .any(|letter| word.starts_with(letter));
        // Lines of one file are named by it; that they are followed through renames is not.
        let is_lines = word.starts_with("-L");
        if is_lines && word.len() == 2 {
            words.next();
        }
        if OF_OUTPUT.contains(&name) || (is_attached && !word.starts_with("--")) || is_lines {
            continue;
        }
        kept.push(word.clone());
        let takes_next = matches!(word.as_str(), "-n" | "-S" | "-G" | "-l")
            || (word.starts_with("--") && !word.contains('=') && WITH_VALUE.contains(&&word[2..]));
        if takes_next {
            kept.extend(words.next().cloned());
        }
    }
    kept
}

/// Long options whose value may be the next word.
const WITH_VALUE: &[&str] = &[
    "max-count",
    "skip",
    "since",
    "after",
    "until",
    "before",
    "author",
    "committer",
    "grep",
    "glob",
    "exclude",
    "grep-reflog",
    "since-as-filter",
    "diff-filter",
    "find-object",
    "date",
    "encoding",
    "min-parents",
    "max-parents",
    "diff-merges",
    "decorate-refs",
    "decorate-refs-exclude",
    "diff-algorithm",
    "anchored",
    "skip-to",
    "rotate-to",
];
