//! True if git may read unasked here, and which files it would show.
//!
//! In a call that only reads, git is disarmed: what a repository sets then runs nothing, and only what disarming does not
//! cover asks. In any other call the strict look at the repository's own files decides.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::git_query::{GitQuery, NoAnswer};
use super::repository::{read_config, repository_config};
use super::submodules;
use super::{Gathered, Setting, variable};
use crate::permission::command::{GitConfig, GitForm, GitShows, dangerous_key, is_dangerous_key};
use crate::process::Shell;
use crate::process::git::{Drivers, Git, Repository, RepositoryFacts};

/// Variables that send git to another repository than the one it stands in.
const GIT_ELSEWHERE: &[&str] = &["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];

/// Objects that one command may name.
const MAX_OBJECTS: usize = 16;

const NO_ANSWER: &str = "git does not say in time what it would show";

/// How the git of a call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitRun {
    /// Disarmed, and the kernel lets it start nothing else.
    Confined,
    /// Disarmed alone.
    Disarmed,
    /// With what is set for it.
    AsSet,
}

/// Findings about one git command.
#[derive(Debug, Default)]
pub(super) struct GitLook {
    /// Why it asks however it runs.
    reason: Option<String>,
    /// Why it asks where it runs disarmed.
    disarmed: Option<String>,
    places: Vec<GitPlace>,
}

#[derive(Debug)]
struct GitPlace {
    directory: PathBuf,
    facts: Arc<RepositoryFacts>,
}

impl GitLook {
    fn because(reason: &str) -> Self {
        Self {
            reason: Some(reason.to_owned()),
            ..Self::default()
        }
    }

    /// The drivers that are configured where it runs.
    pub(super) fn drivers(&self) -> Drivers {
        let mut drivers = Drivers::default();
        for place in &self.places {
            drivers.add(&place.facts.drivers);
        }
        drivers
    }

    /// The directories that it looks into.
    pub(super) fn directories(&self) -> impl Iterator<Item = &PathBuf> {
        self.places.iter().map(|place| &place.directory)
    }
}

impl Setting<'_> {
    /// Looks at the repository of each directory, and gathers what may not be shown unasked.
    pub(super) fn git(&self, form: &GitForm, directories: &[PathBuf], gathered: &mut Gathered) -> GitLook {
        let mut look = GitLook::default();
        for directory in directories {
            let directory = match &form.directory {
                Some(given) => directory.join(given),
                None => directory.clone(),
            };
            let found = self.git_in(form, directory, gathered);
            look.reason = look.reason.or(found.reason);
            look.disarmed = look.disarmed.or(found.disarmed);
            look.places.extend(found.places);
        }
        look
    }

    /// Why a git command asks that runs so.
    pub(super) fn git_reason(&self, look: &GitLook, run: GitRun) -> Option<String> {
        let reason = || look.reason.clone();
        let disarmed = || reason().or_else(|| look.disarmed.clone());
        let in_submodules = || look.places.iter().find_map(GitPlace::submodule_reason);
        match run {
            GitRun::Confined if self.may_start_a_shell() => disarmed().or_else(in_submodules),
            GitRun::Confined => disarmed(),
            GitRun::Disarmed => disarmed().or_else(in_submodules),
            GitRun::AsSet => reason().or_else(|| {
                let mut places = look.places.iter();
                places.find_map(|place| {
                    self.strict(&place.directory, place.facts.repository.as_ref())
                        .or_else(|| from_elsewhere(&place.facts.settings))
                })
            }),
        }
    }

    /// Returns true if the shell that runs the call is also the one by which git starts what is set for it.
    fn may_start_a_shell(&self) -> bool {
        let configured = self.services.settings.bash.shell.as_deref();
        let shell = Shell::find(configured, variable(self.services, "PATH"));
        shell.map_or(true, |shell| shell.is_of_system())
    }

    fn git_in(&self, form: &GitForm, directory: PathBuf, gathered: &mut Gathered) -> GitLook {
        let Some(program) = self.program("git") else {
            return GitLook::because("git cannot be found");
        };
        let git = Git::new(program, directory.clone(), self.services.environment.clone());
        let Some(facts) = self.services.repositories.facts(&git) else {
            return GitLook::because("git does not say how it is set");
        };
        let Some(repository) = &facts.repository else {
            // Then it compares any two directories, or searches one.
            return if matches!(form.subcommand.as_str(), "diff" | "grep") {
                GitLook::because("there is no repository here")
            } else {
                GitLook {
                    places: vec![GitPlace { directory, facts }],
                    ..GitLook::default()
                }
            };
        };
        if !repository.belongs_to(self.services.roots.project_root()) {
            for place in [
                Some(&repository.git_dir),
                Some(&repository.common_dir),
                repository.top.as_ref(),
            ] {
                let place = place.and_then(|place| place.to_str());
                gathered.outside.extend(
                    place
                        .into_iter()
                        .flat_map(|place| self.outside_path(place, self.workdir)),
                );
            }
        }
        let query = GitQuery(git.without(&facts.drivers));
        match self.shown(&query, form, repository, &directory) {
            Ok(shown) => gathered
                .read
                .extend(shown.iter().flat_map(|path| self.read_path(path))),
            Err(reason) => return GitLook::because(reason),
        }
        GitLook {
            reason: None,
            disarmed: not_covered(&facts.settings, &form.subcommand),
            places: vec![GitPlace { directory, facts }],
        }
    }

    /// The strict look at a repository's own files.
    fn strict(&self, directory: &Path, known: Option<&Repository>) -> Option<String> {
        let is_set = |name: &&&str| variable(self.services, name).is_some();
        if GIT_ELSEWHERE.iter().any(|name| is_set(&name)) {
            return Some("the environment names another repository".to_owned());
        }
        if let Some(known) = known {
            let own = known.top.as_deref().map(|top| top.join(".git"));
            let is_own = |path: &Path| {
                let real = |path: &Path| path.canonicalize().ok();
                own.as_deref()
                    .and_then(real)
                    .is_some_and(|own| Some(own) == real(path))
            };
            if !is_own(&known.git_dir) || !is_own(&known.common_dir) {
                return Some("its repository lies elsewhere".to_owned());
            }
        }
        match repository_config(directory) {
            GitConfig::NoRepository => None,
            GitConfig::Unknown(reason) => Some(reason),
            GitConfig::Text(config) => {
                let key = dangerous_key(&config)?;
                Some(format!("the repository's own configuration sets {key}"))
            }
        }
    }

    /// Files that a command would show and that may not be read unasked, as paths.
    fn shown(
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

impl GitPlace {
    /// Why git could start something in a submodule, where the environment does not reach.
    fn submodule_reason(&self) -> Option<String> {
        let repository = self.facts.repository.as_ref()?;
        let top = repository.top.as_deref()?;
        let config = match read_config(&repository.common_dir.join("config")) {
            GitConfig::Text(config) => config,
            GitConfig::Unknown(reason) => return Some(reason),
            GitConfig::NoRepository => return None,
        };
        if let Some(reason) = submodules::danger(top, &repository.git_dir, &config) {
            return Some(reason);
        }
        match submodules::populated(top, &repository.git_dir, &config) {
            Ok(populated) if populated.is_empty() => None,
            Ok(_) => from_elsewhere(&self.facts.settings),
            Err(reason) => Some(reason),
        }
    }
}

/// The first setting that disarming leaves as it is and that makes git do more than read here.
fn not_covered(settings: &[(String, String)], subcommand: &str) -> Option<String> {
    let is_open = |(name, value): &&(String, String)| match name.as_str() {
        "log.diffmerges" => matches!(value.as_str(), "remerge" | "r"),
        // An empty value in the environment takes back the commits, but git reads the file first and quotes its lines.
        "blame.ignorerevsfile" => subcommand == "blame" && !value.is_empty(),
        _ => false,
    };
    let (name, _) = settings.iter().find(is_open)?;
    Some(format!("git's configuration sets {name}"))
}

/// The first setting, from wherever it comes, that makes git run a program which the directory decides.
fn from_elsewhere(settings: &[(String, String)]) -> Option<String> {
    let depends = |value: &str| {
        let program = value.split_whitespace().next().unwrap_or_default();
        let program = program.trim_start_matches('!');
        program.contains('/') && !program.starts_with(['/', '~'])
    };
    let is_relative = |(name, value): &&(String, String)| {
        let is_path = name == "core.hookspath" && !value.starts_with(['/', '~']);
        is_path || (is_dangerous_key(name) && !name.starts_with("alias.") && depends(value))
    };
    let (name, _) = settings.iter().find(is_relative)?;
    Some(format!(
        "git's configuration sets {name} to a place in the project"
    ))
}
