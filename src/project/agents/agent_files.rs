//! Reads every file that says something of agents, once, and lays what they and the configuration say over each other.
//!
//! Reading and laying are two steps because whether the project is trusted is known only after the person was asked, and
//! what is used then must be what was shown.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::file::{AgentDirectory, FileFault, ReadAgent, check_name, read};
use super::merge::Draft;
use super::patch::{AgentPatch, CheckRules, Dialect, patch};
use super::{AgentEntry, AgentSource, Agents, Owner};
use crate::project::frontmatter::{self, SourceProblem};
use crate::project::markdown_file::ReadBudget;
use crate::project_root::directories;
use crate::regular_file::FileGate;
use crate::unconfirmed::{PlaceFormat, PlaceKind, UnconfirmedFiles, places_of};

/// The directories that are searched for agents.
pub struct AgentPlaces<'a> {
    /// Lathe's configuration directory.
    pub config: &'a Path,
    pub home: Option<&'a Path>,
    pub root: &'a Path,
    pub cwd: &'a Path,
    /// Says what is wrong with a value of `permission`.
    pub check_rules: &'a dyn Fn(&Value) -> Result<(), String>,
    /// Decides which files may be read.
    pub gate: &'a dyn FileGate,
    /// Files of the project that are left out.
    pub unconfirmed: &'a UnconfirmedFiles,
}

/// An entry of `agents` in a configuration file.
#[derive(Debug, Clone)]
pub struct ConfiguredAgent {
    pub source: AgentSource,
    pub name: String,
    pub patch: AgentPatch,
}

/// Everything that files say of agents, as it was read.
#[derive(Debug, Clone, Default)]
pub struct AgentFiles {
    /// Built-in agents, then the user's files.
    user: Vec<FileEntry>,
    project: Vec<FileEntry>,
    problems: Vec<SourceProblem>,
}

#[derive(Debug, Clone)]
struct FileEntry {
    name: String,
    dialect: Dialect,
    source: AgentSource,
    read: Result<AgentPatch, FileEntryFault>,
}

#[derive(Debug, Clone)]
enum FileEntryFault {
    /// It could not be opened or read, or the gate withholds it.
    Unread(SourceProblem),
    Broken(SourceProblem),
}

/// Agents of every installation. The first is the default.
const BUILT_IN: &[(&str, &str)] = &[
    ("build", include_str!("../../../assets/agents/build.md")),
    ("plan", include_str!("../../../assets/agents/plan.md")),
    ("general", include_str!("../../../assets/agents/general.md")),
    ("explore", include_str!("../../../assets/agents/explore.md")),
    ("librarian", include_str!("../../../assets/agents/librarian.md")),
    ("oracle", include_str!("../../../assets/agents/oracle.md")),
    (
        "frontend-ui-ux-engineer",
        include_str!("../../../assets/agents/frontend-ui-ux-engineer.md"),
    ),
    (
        "document-writer",
        include_str!("../../../assets/agents/document-writer.md"),
    ),
    (
        "multimodal-looker",
        include_str!("../../../assets/agents/multimodal-looker.md"),
    ),
];

/// Reads the files of agents, and blocks.
pub fn agent_files(places: &AgentPlaces<'_>) -> AgentFiles {
    let mut reader = DirectoryReader {
        check_rules: places.check_rules,
        gate: places.gate,
        allowance: ReadBudget::default(),
        entries: Vec::new(),
        seen: HashSet::new(),
        problems: Vec::new(),
    };
    reader.built_in();
    let user = |dialect| AgentDirectory {
        dialect,
        owner: Owner::Global,
        confined_to: None,
        judged: None,
    };
    if let Some(home) = places.home {
        reader.directory(&home.join(".claude/agents"), user(Dialect::Claude));
    }
    reader.directory(&places.config.join("agents"), user(Dialect::Lathe));
    let user = std::mem::take(&mut reader.entries);
    reader.allowance = ReadBudget::default();
    let project = |dialect| AgentDirectory {
        dialect,
        owner: Owner::Project,
        confined_to: Some(places.root),
        judged: Some(places.unconfirmed),
    };
    for dir in directories(places.root, places.cwd) {
        for place in places_of(PlaceKind::Agents) {
            let dialect = match place.format {
                PlaceFormat::Lathe => Dialect::Lathe,
                PlaceFormat::Claude => Dialect::Claude,
                PlaceFormat::OpenCode => Dialect::OpenCode,
            };
            reader.directory(&dir.join(place.name), project(dialect));
        }
    }
    AgentFiles {
        user,
        project: reader.entries,
        problems: reader.problems,
    }
}

struct DirectoryReader<'a> {
    check_rules: CheckRules<'a>,
    gate: &'a dyn FileGate,
    allowance: ReadBudget,
    entries: Vec<FileEntry>,
    /// Real directories that were read, so that a link beside its target counts once.
    seen: HashSet<PathBuf>,
    problems: Vec<SourceProblem>,
}

impl DirectoryReader<'_> {
    fn built_in(&mut self) {
        for (name, text) in BUILT_IN {
            let read = frontmatter::parse(text);
            let read = read.and_then(|front| patch(&front, Dialect::Lathe, self.check_rules));
            let built_in = read.expect("a test reads the files that are built in");
            self.entries.push(FileEntry {
                name: (*name).to_owned(),
                dialect: Dialect::Lathe,
                source: AgentSource::built_in(),
                read: Ok(built_in),
            });
        }
    }

    /// Reads the Markdown files that lie directly in a directory, by name.
    fn directory(&mut self, dir: &Path, held: AgentDirectory<'_>) {
        // What is not there, or is no directory, holds no agents.
        let Ok(target) = dir.canonicalize() else { return };
        if !target.is_dir() || !self.seen.insert(target) {
            return;
        }
        let listed = self.allowance.list(dir, 1, held.confined_to);
        let left_out = listed.left_out.into_iter();
        self.problems
            .extend(left_out.map(|(file, message)| SourceProblem::new(file, message)));
        let mut here: HashMap<String, PathBuf> = HashMap::new();
        for path in listed.files.into_iter().filter(|path| !is_hidden(path)) {
            if held.judged.is_some_and(|judged| judged.holds(&path)) {
                continue;
            }
            let read = read(&path, held, self.check_rules, self.gate, &mut self.allowance);
            let (name, read) = match read {
                Ok(Some(ReadAgent { name, patch })) => {
                    let other = here.insert(name.to_ascii_lowercase(), path.clone());
                    let patch = match (patch, other.as_deref().map(Path::display)) {
                        (Ok(_), Some(other)) => {
                            let message =
                                format!("agent `{name}` is in `{other}` already; rename or remove one");
                            Err(SourceProblem::new(path.as_path(), message))
                        }
                        (patch, _) => patch,
                    };
                    (name, patch.map_err(FileEntryFault::Broken))
                }
                Ok(None) => continue,
                Err(FileFault::Unread(name, problem)) => (name, Err(FileEntryFault::Unread(problem))),
                Err(FileFault::Nameless(problem)) => {
                    self.problems.push(problem);
                    continue;
                }
            };
            self.entries.push(FileEntry {
                name,
                dialect: held.dialect,
                source: AgentSource {
                    owner: held.owner,
                    file: Some(path),
                },
                read,
            });
        }
    }
}

/// One file of a project about one agent.
#[derive(Debug, Clone, Copy)]
pub struct ProjectPatch<'a> {
    pub name: &'a str,
    pub file: &'a Path,
    pub patch: &'a AgentPatch,
    /// Nobody but the project speaks of this agent.
    pub adds: bool,
}

impl AgentFiles {
    /// Lays everything over each other. Of a project that is not trusted only what [`AgentPatch::text`] leaves counts.
    pub fn agents(&self, configured: &[ConfiguredAgent], project_is_trusted: bool) -> Agents {
        let mut layers = Layers {
            project_is_trusted,
            drafts: Vec::new(),
            by_name: HashMap::new(),
            problems: self.problems.clone(),
        };
        layers.files(&self.user);
        layers.configured(configured, |owner| owner != Owner::Project);
        layers.files(&self.project);
        layers.configured(configured, |owner| owner == Owner::Project);
        layers.finish()
    }

    /// Returns what the project says, in order; files that cannot be understood aside.
    pub fn of_project<'a>(
        &'a self,
        configured: &'a [ConfiguredAgent],
    ) -> impl Iterator<Item = ProjectPatch<'a>> {
        let is_of_user = |agent: &&ConfiguredAgent| agent.source.owner != Owner::Project;
        let of_user = self.user.iter().map(|entry| entry.name.as_str());
        let configured_by_user = configured.iter().filter(is_of_user);
        let known: HashSet<String> = of_user
            .chain(configured_by_user.map(|agent| agent.name.as_str()))
            .map(str::to_ascii_lowercase)
            .collect();
        let files = self
            .project
            .iter()
            .filter_map(|entry| Some((&entry.source, &*entry.name, entry.read.as_ref().ok()?)));
        let entries = configured
            .iter()
            .filter(|agent| agent.source.owner == Owner::Project)
            .map(|agent| (&agent.source, &*agent.name, &agent.patch));
        files.chain(entries).filter_map(move |(source, name, patch)| {
            Some(ProjectPatch {
                name,
                file: source.file.as_deref()?,
                patch,
                adds: !known.contains(&name.to_ascii_lowercase()),
            })
        })
    }
}

struct Layers {
    project_is_trusted: bool,
    drafts: Vec<Draft>,
    by_name: HashMap<String, usize>,
    problems: Vec<SourceProblem>,
}

impl Layers {
    fn files(&mut self, entries: &[FileEntry]) {
        for entry in entries {
            match &entry.read {
                Ok(patch) => self.lay(&entry.name, entry.dialect, patch, &entry.source),
                Err(FileEntryFault::Unread(problem)) => self.leave_out(entry, problem),
                Err(FileEntryFault::Broken(problem)) => {
                    self.draft(&entry.name, entry.dialect).break_with(problem.clone());
                }
            }
        }
    }

    /// A project can only tighten, so nothing opens where its file is left out, and it must not take an agent away from
    /// the user. A file of the user may close something, and costs its agent.
    fn leave_out(&mut self, entry: &FileEntry, problem: &SourceProblem) {
        let is_of_project = entry.source.owner == Owner::Project;
        let draft = self.draft(&entry.name, entry.dialect);
        if is_of_project && draft.is_of_user() {
            self.problems.push(problem.clone());
        } else {
            draft.break_with(problem.clone());
        }
    }

    fn configured(&mut self, configured: &[ConfiguredAgent], is_wanted: impl Fn(Owner) -> bool) {
        for agent in configured.iter().filter(|agent| is_wanted(agent.source.owner)) {
            match check_name(&agent.name) {
                Ok(()) => self.lay(&agent.name, Dialect::Lathe, &agent.patch, &agent.source),
                Err(message) => {
                    let file = agent.source.file.clone().unwrap_or_default();
                    let message = format!("`agents`: {message}");
                    self.problems.push(SourceProblem::new(file, message));
                }
            }
        }
    }

    fn lay(&mut self, name: &str, dialect: Dialect, patch: &AgentPatch, source: &AgentSource) {
        let is_restricted = source.owner == Owner::Project && !self.project_is_trusted;
        let draft = self.draft(name, dialect);
        let patch = if is_restricted {
            patch.text(!draft.is_of_user())
        } else {
            patch.clone()
        };
        draft.lay(patch, source.clone());
    }

    fn draft(&mut self, name: &str, dialect: Dialect) -> &mut Draft {
        let key = name.to_ascii_lowercase();
        let index = *self.by_name.entry(key).or_insert_with(|| {
            self.drafts.push(Draft::new(name, dialect));
            self.drafts.len() - 1
        });
        &mut self.drafts[index]
    }

    fn finish(mut self) -> Agents {
        self.drafts[BUILT_IN.len()..].sort_by_key(|draft| draft.name().to_ascii_lowercase());
        let finished = |draft: Draft| AgentEntry {
            name: draft.name().to_owned(),
            state: draft.finish(),
        };
        Agents {
            entries: self.drafts.into_iter().map(finished).collect(),
            problems: self.problems,
        }
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}
