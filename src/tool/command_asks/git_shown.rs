//! The files that a git command would show, as git itself names them.
//!
//! Each question says which files of the repository decide its answer ([`Sources`]), as far as that is understood: the
//! revisions and paths of a closed form, and the options in [`UNDERSTOOD`]. Its answer is then kept while those files are
//! the same. Nothing that the work tree, the time or a reflog decides is kept.

use std::path::{Path, PathBuf};

use super::Setting;
use super::git_query::{GitQuery, NoAnswer};
use crate::permission::command::{GitForm, GitShows};
use crate::process::git::{Repository, Sources};

/// Objects that one command may name.
const MAX_OBJECTS: usize = 16;

const NO_ANSWER: &str = "git does not say in time what it would show";

impl Setting<'_> {
    /// Files that a command would show and that may not be read unasked, as paths.
    pub(super) fn shown(
        &self,
        git: &GitQuery<'_>,
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
            GitShows::WorkTree if compares_index(form) && self.index_is_readable(git, repository) => {
                Vec::new()
            }
            GitShows::Nothing => return Ok(Vec::new()),
            GitShows::Objects => Self::objects(git, form).map(|()| Vec::new())?,
            GitShows::Changes if form.subcommand == "stash" => {
                let rest: Vec<&str> = form.operands.iter().map(String::as_str).collect();
                let words = [
                    &["stash", "show", "--name-only", "--no-renames", "-z"],
                    rest.as_slice(),
                ]
                .concat();
                git.names(&words, None).map_err(|NoAnswer| NO_ANSWER)?
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
                return Err("a link in the place of a file that it would show leads nowhere");
            };
            if !readable.allows(&resolved.display, &resolved.absolute) {
                let path = base.join(&name).to_string_lossy().into_owned();
                if !shown.contains(&path) {
                    shown.push(path);
                }
            } else if !readable.allows(
                &self.services.roots.display(&resolved.absolute),
                &resolved.absolute,
            ) {
                // Git shows what it has under the name, whatever the link leads to.
                return Err("a link is in the place of a file that it would show");
            }
        }
        Ok(shown)
    }

    /// An object that is named by its number may be any file.
    fn objects(git: &GitQuery<'_>, form: &GitForm) -> Result<(), &'static str> {
        if form.subcommand == "blame" {
            return Ok(());
        }
        for operand in &form.operands {
            if !operand.contains(':') && is_blob(git, operand)? {
                return Err("the file that it would show has no name");
            }
        }
        Ok(())
    }

    /// Names of the files that `log` and `show` would show, told by the same commits.
    fn changes(git: &GitQuery<'_>, form: &GitForm) -> Result<Vec<String>, &'static str> {
        let mut words = vec![form.subcommand.as_str()];
        let (revisions, paths) = form.operands.split_at(form.before_dashes);
        let selection = selection(form);
        let is_understood = is_understood(&selection) && paths.iter().all(|path| is_plain_path(path));
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
        let sources = Sources::revisions(revisions.iter().map(String::as_str)).filter(|_| is_understood);
        git.names(&words, sources).map_err(|NoAnswer| NO_ANSWER)
    }

    /// Names of the files that `diff` would show, told by the same words where they name commits or trees.
    fn work_tree(git: &GitQuery<'_>, form: &GitForm) -> Result<Vec<String>, &'static str> {
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
        let Some(trees) = Self::count_trees(git, &operands)? else {
            // Then it compares files, each judged by the name that stands in the operand.
            for operand in operands.iter().filter(|operand| !operand.contains(':')) {
                if is_blob(git, operand)? {
                    return Err("the file that it would show has no name");
                }
            }
            return Ok(Vec::new());
        };
        let sources = match trees {
            2.. => Sources::revisions(operands.iter().copied()),
            _ if is_cached(form) => Sources::revisions(operands.iter().copied()).map(Sources::and_index),
            // The work tree's files are compared.
            _ => None,
        };
        let sources = sources.filter(|_| after.iter().all(|path| is_plain_path(path)));
        let mut words = vec!["-c", "diff.autoRefreshIndex=false", "diff"];
        words.extend(["--name-only", "--no-renames", "-z"]);
        words.extend(options(form).filter(|word| SIDES.contains(word)));
        words.extend(operands);
        if !after.is_empty() {
            words.push("--");
            words.extend(after.iter().map(String::as_str));
        }
        git.names(&words, sources).map_err(|NoAnswer| NO_ANSWER)
    }

    /// The number of commits or trees that the operands name; `None` when they name a file among them.
    fn count_trees(git: &GitQuery<'_>, operands: &[&str]) -> Result<Option<usize>, &'static str> {
        if operands.is_empty() {
            return Ok(Some(0));
        }
        let words = [&["rev-parse", "--revs-only", "--no-flags"], operands].concat();
        let sources = Sources::revisions(operands.iter().copied());
        let objects = git.names(&words, sources).map_err(|NoAnswer| NO_ANSWER)?;
        if objects.is_empty() {
            return Ok(Some(0));
        }
        let hashes = objects.iter().map(|object| object.trim_start_matches('^'));
        let sources = Sources::revisions(hashes.clone());
        let trees: Vec<String> = hashes.map(|hash| format!("{hash}^{{tree}}")).collect();
        let words = ["rev-parse", "-q"]
            .into_iter()
            .chain(trees.iter().map(String::as_str));
        let are_trees = git.holds(&words.collect::<Vec<_>>(), sources);
        Ok(are_trees.map_err(|NoAnswer| NO_ANSWER)?.then_some(objects.len()))
    }

    fn tracked(git: &GitQuery<'_>, form: &GitForm) -> Result<Vec<String>, &'static str> {
        let (before, after) = form.operands.split_at(form.before_dashes);
        let mut names = Vec::new();
        if before.len() > MAX_OBJECTS {
            return Err("it names too many objects");
        }
        for operand in before {
            let tree = format!("{operand}^{{tree}}");
            let words = ["rev-parse", "-q", "--verify", &tree];
            let sources = Sources::revisions([operand.as_str()]);
            if git.holds(&words, sources.clone()).map_err(|NoAnswer| NO_ANSWER)? {
                let words = ["ls-tree", "-r", "--full-tree", "--name-only", "-z", operand];
                names.extend(git.names(&words, sources).map_err(|NoAnswer| NO_ANSWER)?);
            }
        }
        let mut words = vec!["ls-files", "--full-name", "-z", "--"];
        words.extend(after.iter().map(String::as_str));
        let sources = Some(Sources::index()).filter(|_| after.iter().all(|path| is_plain_path(path)));
        names.extend(git.names(&words, sources).map_err(|NoAnswer| NO_ANSWER)?);
        Ok(names)
    }
}

/// Options of `diff` that say what is compared.
const SIDES: &[&str] = &["--cached", "--staged", "--merge-base"];

/// The words of a command before a `--`.
fn options(form: &GitForm) -> impl Iterator<Item = &str> {
    let words = form.arguments.iter().map(String::as_str);
    words.take_while(|word| *word != "--")
}

fn is_cached(form: &GitForm) -> bool {
    options(form).any(|word| matches!(word, "--cached" | "--staged"))
}

/// Returns true if `diff` compares the index with the work tree, and so shows nothing that is not in the index. With two
/// paths it may compare these, tracked or not.
fn compares_index(form: &GitForm) -> bool {
    let has_sides = options(form).any(|word| SIDES.contains(&word));
    form.subcommand == "diff" && form.before_dashes == 0 && form.operands.len() < 2 && !has_sides
}

/// Returns true for a path that is compared by its letters. `:(attr:…)` looks at attributes, and where an absolute one
/// lies is a question of links.
fn is_plain_path(path: &str) -> bool {
    !path.starts_with([':', '/'])
}

fn is_blob(git: &GitQuery<'_>, object: &str) -> Result<bool, &'static str> {
    let sources = Sources::revisions([object]);
    let kind = git
        .line(&["cat-file", "-t", object], sources.clone())
        .map_err(|NoAnswer| NO_ANSWER)?;
    // A tag may stand for a file, too.
    let kind = match kind.as_deref() {
        Some("tag") => git
            .line(&["cat-file", "-t", &format!("{object}^{{}}")], sources)
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

/// Options of [`selection`] that choose among commits by what the commits themselves hold. A date is compared with the
/// clock, a message or a name goes through an encoding or `.mailmap`, a search of lines through attributes, `--all`
/// through other work trees.
const UNDERSTOOD: &[&str] = &[
    "--abbrev-commit",
    "--no-abbrev-commit",
    "--decorate",
    "--no-decorate",
    "--first-parent",
    "--merges",
    "--no-merges",
    "--reverse",
    "--root",
    "--topo-order",
    "--date-order",
    "--author-date-order",
    "--full-history",
    "-m",
    "-c",
    "--cc",
    "--minimal",
    "--patience",
    "--histogram",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
];
/// The same with a number behind them.
const UNDERSTOOD_WITH_NUMBER: &[&str] = &["-n", "--max-count", "--skip"];

/// Returns true if nothing but commits decides what these options choose.
fn is_understood(selection: &[String]) -> bool {
    let mut words = selection.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_fine = match word.split_once('=') {
            _ if UNDERSTOOD_WITH_NUMBER.contains(&word) => words.next().is_some_and(is_number),
            Some((name, value)) => UNDERSTOOD_WITH_NUMBER.contains(&name) && is_number(value),
            None => UNDERSTOOD.contains(&word) || word.strip_prefix('-').is_some_and(is_number),
        };
        if !is_fine {
            return false;
        }
    }
    true
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
