//! True if git may read unasked here.
//!
//! In a call that only reads, git is disarmed: what a repository sets then runs nothing, and only what disarming does not
//! cover asks. In any other call the strict look at the repository's own files decides.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::git_directory::read_config;
use super::git_query::GitQuery;
use super::repository::repository_config;
use super::submodules;
use super::{CommandContext, GatheredAsks};
use crate::permission::command::{
    GitConfig, GitForm, GitShows, TOO_MUCH_WORK, dangerous_key, is_dangerous_key,
};
use crate::process::Shell;
use crate::process::git::{Drivers, Git, Repository, RepositoryFacts, unbounded_file};

/// Variables that send git to another repository than the one it stands in.
const GIT_ELSEWHERE: &[&str] = &["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];

/// Steps of work for looking at the files of one repository.
const STEPS_OF_LOOK: usize = 1000;

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

impl CommandContext<'_> {
    /// Looks at the repository of each directory, and gathers what may not be shown unasked.
    pub(super) fn git(
        &self,
        form: &GitForm,
        directories: &[PathBuf],
        gathered: &mut GatheredAsks,
    ) -> GitLook {
        let mut look = GitLook::default();
        for directory in directories {
            let directory = match &form.directory {
                Some(given) => directory.join(given),
                None => directory.clone(),
            };
            let found = self.git_in(form, &directory, gathered);
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
                        .or_else(|| shown_otherwise(&place.facts.settings))
                })
            }),
        }
    }

    /// Returns true if the shell that runs the call is also the one by which git starts what is set for it.
    fn may_start_a_shell(&self) -> bool {
        let configured = self.services.settings.bash.shell.as_deref();
        let shell = Shell::find(configured, self.services.variable("PATH"));
        shell.map_or(true, |shell| shell.is_of_system())
    }

    fn git_in(&self, form: &GitForm, directory: &Path, gathered: &mut GatheredAsks) -> GitLook {
        // Git goes by the real directory, and so do the answers that are kept.
        let Ok(directory) = directory.canonicalize() else {
            return GitLook::because("its directory cannot be found");
        };
        if !self.spend(STEPS_OF_LOOK) {
            return GitLook::because(TOO_MUCH_WORK);
        }
        let Some(program) = self.program("git") else {
            return GitLook::because("git cannot be found");
        };
        let git = Git::new(program, directory.clone(), self.services.environment.clone());
        let Some(facts) = self.services.tree.repositories.facts(&git) else {
            let why = unbounded_file(&directory).map(|why| format!("git would read {why}"));
            return GitLook::because(why.as_deref().unwrap_or("git does not say how it is set"));
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
        if !facts.belongs_to(self.services.roots.project_root()) {
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
        if let Some(reason) = self.prints_a_file(form, repository, &facts.settings) {
            return GitLook::because(&reason);
        }
        let query = GitQuery::new(
            git,
            Arc::clone(&facts),
            &self.services.tree.repositories,
            &self.work,
        );
        match self.shown(&query, form, repository, &directory) {
            Ok(shown) => {
                if self.spend(shown.len()) {
                    let asks = shown
                        .iter()
                        .flat_map(|path| self.read_asks(&self.workdir.join(path)));
                    gathered.read.extend(asks);
                }
            }
            Err(reason) => return GitLook::because(reason),
        }
        GitLook {
            reason: None,
            disarmed: not_covered(&facts.settings, &form.subcommand),
            places: vec![GitPlace { directory, facts }],
        }
    }

    /// Why git could print lines of a file that is named in the repository, and not by the command.
    fn prints_a_file(
        &self,
        form: &GitForm,
        repository: &Repository,
        settings: &[(String, String)],
    ) -> Option<String> {
        match repository.link_within() {
            Ok(None) => {}
            Ok(Some(link)) => return Some(format!("`{}` is a link", self.services.roots.display(&link))),
            Err(reason) => return Some(reason.to_owned()),
        }
        if shows_objects(form) {
            let tree = self.services.settings.sandbox.tree.as_ref();
            match repository.foreign_objects(tree.map(|tree| &*tree.objects)) {
                Ok(None) => {}
                Ok(Some(path)) => {
                    let path = self.services.roots.display(&path);
                    return Some(format!("`{path}` brings in objects of another repository"));
                }
                Err(reason) => return Some(reason.to_owned()),
            }
        }
        let root = self.services.roots.project_root();
        let is_in_project =
            |value: &str| !value.starts_with(['/', '~']) || Path::new(value).starts_with(root);
        let names_one = |(name, value): &&(String, String)| match name.as_str() {
            "core.attributesfile" => is_in_project(value),
            // It prints the line that leaves a file out.
            "core.excludesfile" => form.subcommand == "check-ignore" && is_in_project(value),
            // The values of another file would be printed as the repository's.
            name => form.subcommand == "config" && name.starts_with("include"),
        };
        let (name, _) = settings.iter().find(names_one)?;
        Some(format!("git's configuration sets {name}"))
    }

    /// The strict look at a repository's own files.
    fn strict(&self, directory: &Path, known: Option<&Repository>) -> Option<String> {
        let is_set = |name: &&&str| self.services.variable(name).is_some();
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
}

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

/// The first setting by which git, where it is not disarmed, shows other files than it names when it is asked disarmed.
fn shown_otherwise(settings: &[(String, String)]) -> Option<String> {
    let (name, _) = settings.iter().find(|(name, value)| match name.as_str() {
        "diff.relative" | "log.follow" | "stash.showpatch" => value != "false",
        "diff.submodule" => value != "short",
        _ => false,
    })?;
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

/// Returns true if git may print what is in objects of a repository: all but what looks at settings or at the work tree alone.
fn shows_objects(form: &GitForm) -> bool {
    form.shows != GitShows::Nothing || !matches!(form.subcommand.as_str(), "config" | "remote" | "status")
}
