//! The configuration files, in their order, and their texts as they were read, once.
//!
//! The texts are kept with what was made of them: whether a project is trusted is known only after the user was asked, and
//! what is used then must be what was shown, whatever the files say by that time.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Dirs;
use super::claude::{ClaudeRules, claude_files, rules_in};
use super::diagnose::{self, ConfigError, Problem};
use super::expand::{Expansion, FileTexts};
use super::layer::{PermissionLayer, written_rules};
use super::origin::Origin;
use super::source::{Source, SourceFault};
use crate::project_root::directories;
use crate::regular_file::FileGate;
use crate::unconfirmed::{PlaceKind, UnconfirmedFiles, places_of};

/// Makes the gate that files named in prompts pass, from the rules that the configuration has.
pub type MakeGate = fn(&RuleFiles<'_>) -> Box<dyn FileGate>;

/// The permission rules of all files, and what else decides about them.
#[derive(Debug, Clone, Copy)]
pub struct RuleFiles<'a> {
    pub dirs: &'a Dirs,
    pub project_root: &'a Path,
    /// In the order of the files.
    pub layers: &'a [PermissionLayer],
    /// Of the user and of the project.
    pub claude: &'a [ClaudeRules],
    pub project_is_trusted: bool,
    /// True if the user has said yes to what their own file of `claude` allows.
    pub users_rules_may_allow: bool,
}

/// Files to read.
#[derive(Debug, Clone, Copy)]
pub struct LoadRequest<'a> {
    pub dirs: &'a Dirs,
    pub project_root: &'a Path,
    /// Absolute.
    pub cwd: &'a Path,
    /// The file given with `--config`; a relative one counts from `cwd`.
    pub extra: Option<&'a Path>,
    pub make_gate: MakeGate,
    /// Files of the project that are left out until the person says yes to them.
    pub unconfirmed: &'a UnconfirmedFiles,
}

/// Returns the files that [`super::load`] reads, existing or not, in their order.
pub fn files(request: &LoadRequest<'_>) -> Vec<PathBuf> {
    candidates(request).into_iter().map(|(_, path)| path).collect()
}

/// The files that were read.
#[derive(Debug)]
pub(super) struct ConfigTexts {
    pub(super) dirs: Dirs,
    pub(super) project_root: PathBuf,
    /// Those that exist, in order.
    pub(super) sources: Vec<Source>,
    /// Settings of Claude Code: the user's, then the project's.
    pub(super) claude: Vec<Source>,
    /// The project's files that are left out of all of these.
    pub(super) unconfirmed: UnconfirmedFiles,
    /// All of this once the person has said yes to those that can be shown; `None` where that is the same.
    pub(super) confirmed: Option<Result<Arc<ConfigTexts>, ConfigError>>,
    /// Sentences about files of the project that were left out.
    pub(super) warnings: Vec<String>,
    /// Those that the others name.
    pub(super) named: FileTexts,
    pub(super) make_gate: MakeGate,
}

impl ConfigTexts {
    /// Reads all files. Missing ones are fine, except the one named with `--config`.
    pub(super) fn read(request: &LoadRequest<'_>) -> Result<Self, ConfigError> {
        let mut texts = Self::read_without(request, request.unconfirmed)?;
        if !request.unconfirmed.files().is_empty() {
            let confirmed = Self::read_without(request, &request.unconfirmed.confirmed());
            texts.confirmed = Some(confirmed.map(Arc::new));
        }
        Ok(texts)
    }

    fn read_without(request: &LoadRequest<'_>, unconfirmed: &UnconfirmedFiles) -> Result<Self, ConfigError> {
        let mut reading = LoadProblems::default();
        let is_left_out =
            |(origin, path): &(Origin, PathBuf)| *origin == Origin::Project && unconfirmed.holds(path);
        let mut candidates = candidates(request);
        candidates.retain(|file| !is_left_out(file));
        let mut claude_files = claude_files(request.dirs.home.as_deref(), request.project_root);
        claude_files.retain(|file| !is_left_out(file));
        // The user's rules say what a link in the project may lead to.
        let everything = |_: &Path| true;
        let users = |origin| origin != Origin::Project;
        let projects = |origin| origin == Origin::Project;
        let own = reading.sources(&candidates, users, &everything);
        let mut claude = reading.sources(&claude_files, users, &everything);
        let gate = own_gate(request, &own, &claude);
        let mut of_project = reading.sources(&candidates, projects, &*gate);
        reading.keep_judged(&mut of_project, unconfirmed);
        // A mistake in these, which are another program's, is told and no more.
        let mut others = LoadProblems::default();
        let mut claude_of_project = others.sources(&claude_files, projects, &*gate);
        others.keep_judged(&mut claude_of_project, unconfirmed);
        claude.extend(claude_of_project);
        let told = others.problems.iter().map(Problem::to_string);
        reading.warnings.extend(told.chain(others.warnings));
        let mut sources: Vec<Source> = own.into_iter().chain(of_project).collect();
        let place = |source: &Source| candidates.iter().position(|(_, path)| *path == source.path);
        sources.sort_by_key(place);
        let LoadProblems {
            mut problems,
            warnings,
        } = reading;
        for source in &sources {
            match source.parse() {
                Ok(Some(tree)) => problems.extend(diagnose::check(source, &tree)),
                Ok(None) => {}
                Err(problem) => problems.push(problem),
            }
        }
        if !problems.is_empty() {
            return Err(ConfigError { problems });
        }
        Ok(Self {
            warnings,
            dirs: request.dirs.clone(),
            project_root: request.project_root.to_owned(),
            sources,
            claude,
            unconfirmed: unconfirmed.clone(),
            confirmed: None,
            named: FileTexts::default(),
            make_gate: request.make_gate,
        })
    }

    /// Returns the directories in which the names of a file are looked up.
    pub(super) fn expansion<'a>(&'a self, source: &'a Source) -> Expansion<'a> {
        let is_project = source.origin == Origin::Project;
        Expansion {
            base: source.base(),
            home: self.dirs.home.as_deref(),
            confined_to: is_project.then_some(&*self.project_root),
            judged: is_project.then_some(&self.unconfirmed),
            texts: &self.named,
        }
    }
}

/// Findings while files are read.
#[derive(Default)]
struct LoadProblems {
    problems: Vec<Problem>,
    warnings: Vec<String>,
}

impl LoadProblems {
    /// Reads those of the files that are wanted and exist.
    fn sources(
        &mut self,
        files: &[(Origin, PathBuf)],
        is_wanted: impl Fn(Origin) -> bool,
        gate: &dyn FileGate,
    ) -> Vec<Source> {
        let mut sources = Vec::new();
        for (origin, path) in files.iter().filter(|(origin, _)| is_wanted(*origin)) {
            match Source::read(*origin, path.clone(), gate) {
                Ok(Some(source)) => sources.push(source),
                Ok(None) => self.problems.extend(missing(*origin, path)),
                // A project can only tighten before it is trusted, and must not be able to stop the start.
                Err(SourceFault::Unopened { error, .. }) if *origin == Origin::Project => {
                    self.warnings
                        .push(format!("`{}` was left out: {error}", path.display()));
                }
                Err(fault) => self.problems.push(fault.into()),
            }
        }
        sources
    }

    /// Leaves out files that are not what they were when it was found out which may be read.
    fn keep_judged(&mut self, sources: &mut Vec<Source>, judged: &UnconfirmedFiles) {
        sources.retain(|source| {
            let is_kept = judged.is_as_seen(&source.path, &source.text);
            if !is_kept {
                let path = source.path.display();
                self.warnings
                    .push(format!("`{path}` was left out: it changed while it was read"));
            }
            is_kept
        });
    }
}

/// The gate of the project's files, by what the user's say. A mistake in them is told when they are used.
fn own_gate(request: &LoadRequest<'_>, sources: &[Source], claude: &[Source]) -> Box<dyn FileGate> {
    let layers: Vec<PermissionLayer> = sources
        .iter()
        .filter_map(|source| written_rules(source, &source.parse().ok()??))
        .collect();
    let claude: Vec<ClaudeRules> = claude
        .iter()
        .filter_map(|source| Some(rules_in(source).ok()?.0))
        .collect();
    (request.make_gate)(&RuleFiles {
        dirs: request.dirs,
        project_root: request.project_root,
        layers: &layers,
        claude: &claude,
        project_is_trusted: false,
        users_rules_may_allow: false,
    })
}

/// Returns the problem of a file that does not exist, if that is one.
fn missing(origin: Origin, path: &Path) -> Option<Problem> {
    let message = match origin {
        Origin::Extra => "this file, given with `--config`, does not exist",
        Origin::Managed if path.is_symlink() => {
            "the link is broken, so the rules of this machine cannot be read"
        }
        Origin::Global | Origin::Project | Origin::Managed => return None,
    };
    Some(Problem::in_file(path, message.to_owned()))
}

fn candidates(request: &LoadRequest<'_>) -> Vec<(Origin, PathBuf)> {
    let global = request.dirs.config.join("lathe.jsonc");
    let mut files = vec![(Origin::Global, global.clone())];
    for dir in directories(request.project_root, request.cwd) {
        for place in places_of(PlaceKind::Settings) {
            let path = dir.join(place.name);
            // Working inside the configuration directory does not make it a project.
            if !is_same_file(&path, &global) {
                files.push((Origin::Project, path));
            }
        }
    }
    files.extend(
        request
            .extra
            .map(|extra| (Origin::Extra, request.cwd.join(extra))),
    );
    files.push((Origin::Managed, request.dirs.system.join("lathe-managed.jsonc")));
    files
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    one == other
        || one.file_name() == other.file_name()
            && matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
