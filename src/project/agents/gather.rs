//! Looks everywhere and lays what is found over each other.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::file::{Shelf, check_name, read};
use super::merge::Draft;
use super::patch::{AgentPatch, CheckRules, Dialect, patch};
use super::{AgentEntry, AgentProblem, AgentSource, Agents, Owner};
use crate::project::frontmatter;

/// Where to look, and what is said elsewhere.
pub struct AgentPlaces<'a> {
    /// Lathe's configuration directory.
    pub config: &'a Path,
    pub home: Option<&'a Path>,
    pub root: &'a Path,
    pub cwd: &'a Path,
    /// Entries of configuration files, in the order of the files.
    pub configured: Vec<(AgentSource, String, AgentPatch)>,
    /// Says what is wrong with a value of `permission`.
    pub check_rules: &'a dyn Fn(&Value) -> Result<(), String>,
}

/// What every installation has. The first is the default.
const BUILT_IN: &[(&str, &str)] = &[
    ("build", include_str!("../../../assets/agents/build.md")),
    ("plan", include_str!("../../../assets/agents/plan.md")),
];

/// Nobody keeps more agents in one directory; more would only cost time.
const MAX_FILES: usize = 1000;

/// Finds all agents. Reads files and blocks.
pub fn agents(places: &AgentPlaces<'_>) -> Agents {
    let mut gatherer = Gatherer::new(places.check_rules);
    gatherer.built_in();
    let user = |dialect| Shelf {
        dialect,
        owner: Owner::Global,
        confined_to: None,
    };
    if let Some(home) = places.home {
        gatherer.directory(&home.join(".claude/agents"), user(Dialect::Claude));
    }
    gatherer.directory(&places.config.join("agents"), user(Dialect::Lathe));
    gatherer.configured(places, |owner| owner != Owner::Project);
    let project = |dialect| Shelf {
        dialect,
        owner: Owner::Project,
        confined_to: Some(places.root),
    };
    for dir in directories(places.root, places.cwd) {
        for (name, dialect) in [
            (".claude/agents", Dialect::Claude),
            (".opencode/agent", Dialect::OpenCode),
            (".opencode/agents", Dialect::OpenCode),
            (".lathe/agents", Dialect::Lathe),
        ] {
            gatherer.directory(&dir.join(name), project(dialect));
        }
    }
    gatherer.configured(places, |owner| owner == Owner::Project);
    gatherer.finish()
}

/// From the root down to the working directory.
fn directories<'a>(root: &'a Path, cwd: &'a Path) -> Vec<&'a Path> {
    if !cwd.starts_with(root) {
        return vec![cwd];
    }
    let mut dirs: Vec<&Path> = cwd.ancestors().take_while(|dir| dir.starts_with(root)).collect();
    dirs.reverse();
    dirs
}

struct Gatherer<'a> {
    check_rules: CheckRules<'a>,
    drafts: Vec<Draft>,
    by_name: HashMap<String, usize>,
    /// Real directories that were read, so that a link beside its target counts once.
    seen: HashSet<PathBuf>,
    problems: Vec<AgentProblem>,
}

impl<'a> Gatherer<'a> {
    fn new(check_rules: CheckRules<'a>) -> Self {
        Self {
            check_rules,
            drafts: Vec::new(),
            by_name: HashMap::new(),
            seen: HashSet::new(),
            problems: Vec::new(),
        }
    }

    fn built_in(&mut self) {
        for (name, text) in BUILT_IN {
            let read = frontmatter::parse(text);
            let read = read.and_then(|front| patch(&front, Dialect::Lathe, self.check_rules));
            let built_in = read.expect("a test reads the files that are built in");
            self.draft(name, Dialect::Lathe)
                .lay(built_in, AgentSource::built_in());
        }
    }

    fn configured(&mut self, places: &AgentPlaces<'_>, is_wanted: impl Fn(Owner) -> bool) {
        let wanted = places
            .configured
            .iter()
            .filter(|(source, ..)| is_wanted(source.owner));
        for (source, name, patch) in wanted {
            match check_name(name) {
                Ok(()) => self
                    .draft(name, Dialect::Lathe)
                    .lay(patch.clone(), source.clone()),
                Err(message) => self.problems.push(AgentProblem {
                    file: source.file.clone().unwrap_or_default(),
                    at: None,
                    message: format!("`agents`: {message}"),
                }),
            }
        }
    }

    /// Reads the Markdown files that lie directly in a directory, by name.
    fn directory(&mut self, dir: &Path, held: Shelf<'_>) {
        // What is not there, or is no directory, holds no agents.
        let Ok(target) = dir.canonicalize() else { return };
        if !target.is_dir() || !self.seen.insert(target) {
            return;
        }
        let names = match markdown_files(dir) {
            Ok(names) => names,
            Err(message) => {
                return self.problems.push(AgentProblem {
                    file: dir.to_path_buf(),
                    at: None,
                    message,
                });
            }
        };
        let mut here: HashMap<String, PathBuf> = HashMap::new();
        for path in names {
            let read = match read(&path, held, self.check_rules) {
                Ok(Some(read)) => read,
                Ok(None) => continue,
                Err(problem) => {
                    self.problems.push(problem);
                    continue;
                }
            };
            let source = AgentSource {
                owner: held.owner,
                file: Some(path.clone()),
            };
            let other = here.insert(read.name.to_ascii_lowercase(), path.clone());
            let draft = self.draft(&read.name, held.dialect);
            match (read.patch, other) {
                (Ok(patch), None) => draft.lay(patch, source),
                (Err(problem), _) => draft.break_with(problem),
                (Ok(_), Some(other)) => draft.break_with(AgentProblem {
                    file: path,
                    at: None,
                    message: format!(
                        "agent `{}` is in `{}` already; rename or remove one",
                        read.name,
                        other.display()
                    ),
                }),
            }
        }
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

/// Sorted, so that nothing depends on the file system.
fn markdown_files(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let cannot = |error: std::io::Error| format!("the directory cannot be read: {error}");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        let is_hidden = path
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        let is_markdown = path.extension().is_some_and(|extension| extension == "md");
        if !is_hidden && is_markdown {
            files.push(path);
        }
        if files.len() > MAX_FILES {
            return Err(format!(
                "the directory holds more than {MAX_FILES} agents and was left out"
            ));
        }
    }
    files.sort();
    Ok(files)
}
