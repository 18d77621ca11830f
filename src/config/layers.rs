//! From the files in their order to one value.
//!
//! Order: the global file, then the project's from its root down to the working directory, then `--config`, then the
//! managed one of the machine's administrator, of which only `permission` and `tools` are read. Objects merge key by key
//! at every depth and arrays are replaced, except for `hooks`, `instructions` and `custom_tools`, which are joined. Permission rules stay apart, a layer a file. What a file may not set (`features`), and what a project
//! may not set until it is trusted, is taken out before anything of it is used, so its expansions are not made either.

mod overlay;
mod reader;

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jsonc_parser::ast::Value as Node;
use serde_json::{Map, Value};

use self::overlay::{keep_switched_off, merge_file};
use self::reader::{LayerContent, read};
use super::Config;
use super::claude::{ClaudeRules, hooks_in, rules_in};
use super::diagnose::{ConfigError, Problem};
use super::features::LACKING;
use super::layer::{AgentLayer, HookLayer, InstructionGlob, PermissionLayer, written_rules};
use super::origin::Origin;
use super::parts::{ProjectPart, parts};
use super::places::{ConfigTexts, LoadRequest, RuleFiles};
use super::schema::{AgentSettings, Table};
use super::source::{Source, is_empty, locate};
use super::switches::ToolSwitches;
use crate::conversation::ModelRef;
use crate::regular_file::FileGate;
use crate::unconfirmed::UnconfirmedFiles;

/// The standing of what needs a project to be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    Given,
    Withheld,
}

/// The whole configuration.
#[derive(Debug, Clone)]
pub struct LoadedConfig {
    pub config: Config,
    /// In the order of the files; files without rules are left out.
    pub permission_layers: Vec<PermissionLayer>,
    pub tools: ToolSwitches,
    /// In the order of the files; files without agents are left out.
    pub agent_layers: Vec<AgentLayer>,
    pub instructions: Vec<InstructionGlob>,
    /// In the order of the files; those without hooks are left out.
    pub hook_layers: Vec<HookLayer>,
    /// Those that existed, in order.
    pub files: Vec<PathBuf>,
    /// Sentences for the user.
    pub warnings: Vec<String>,
    /// Values that are sent to a server and that the files take from elsewhere.
    pub secrets: Vec<ExpandedSecret>,
    /// The rules in settings of Claude Code: the user's, then the project's.
    pub claude_rules: Vec<ClaudeRules>,
    /// Settings that count only where the project is trusted; those of agents aside.
    pub project_parts: Vec<ProjectPart>,
    /// Variables that providers and servers want and that are not set. They are an error when such a one is used.
    pub unset: Vec<UnsetVariable>,
    texts: Arc<ConfigTexts>,
}

/// A key of a provider or a server that wants an environment variable which is not set. Its value is an empty text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsetVariable {
    /// The keys that lead to it.
    pub path: Vec<String>,
    pub problem: Problem,
}

/// A value with `{env:NAME}` or `{file:PATH}` in it that nobody but a server is to see. It is known by where it comes from,
/// whatever it is.
#[derive(Clone, PartialEq, Eq)]
pub struct ExpandedSecret {
    /// The keys that lead to it.
    pub path: Vec<String>,
    /// As it stands in the file.
    pub written: String,
    /// Names of the variables in it.
    pub variables: Vec<String>,
    /// The content that was put in place.
    pub values: Vec<String>,
}

impl fmt::Debug for ExpandedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.join("."), self.written)
    }
}

/// Reads all files. Missing ones are fine, except the one named with `--config`. Nothing counts yet that needs the
/// project to be trusted.
pub fn load(request: &LoadRequest<'_>) -> Result<LoadedConfig, ConfigError> {
    merge(&Arc::new(ConfigTexts::read(request)?), Trust::Withheld)
}

impl UnsetVariable {
    /// Returns true if this is a key of this entry, such as `providers` and `local`.
    pub fn is_of(&self, key: &str, entry: &str) -> bool {
        matches!(self.path.as_slice(), [first, second, ..] if first == key && second == entry)
    }

    /// Returns true if the value is used without being asked for, as those of servers are; a provider's waits until its
    /// name is given.
    fn is_told_at_start(&self) -> bool {
        self.path.first().is_none_or(|key| key != "providers")
    }
}

impl LoadedConfig {
    /// The same files, as they were read then, with what only a trusted project may say.
    pub fn trusted(&self) -> Result<Self, ConfigError> {
        merge(&self.texts, Trust::Given)
    }

    /// The same with the files that wait for the person's yes, as they were read at the same time.
    pub fn confirmed(&self) -> Result<Self, ConfigError> {
        match &self.texts.confirmed {
            Some(Ok(texts)) => merge(texts, Trust::Withheld),
            Some(Err(error)) => Err(error.clone()),
            None => merge(&self.texts, Trust::Withheld),
        }
    }

    /// The project's files that are left out.
    pub fn unconfirmed(&self) -> &UnconfirmedFiles {
        &self.texts.unconfirmed
    }

    /// All that is to be told of the files when somebody asks about the configuration itself.
    pub fn notices(&self) -> impl Iterator<Item = String> {
        let unset = self.unset.iter().filter(|unset| !unset.is_told_at_start());
        let unset = unset.map(|unset| unset.problem.to_string());
        self.warnings.iter().cloned().chain(unset)
    }

    /// Makes a problem of what a key of one file says, with its place there.
    pub fn problem_in(&self, file: &Path, path: &[&str], message: String) -> Problem {
        self.problem_among(path, message, |source| source.path == file)
    }

    /// Makes a problem of what a key says, with its place in the last file that has it.
    pub fn problem(&self, path: &[&str], message: String) -> Problem {
        self.problem_among(path, message, |_| true)
    }

    fn problem_among(&self, path: &[&str], message: String, is_meant: impl Fn(&Source) -> bool) -> Problem {
        let path: Vec<String> = path.iter().map(|step| (*step).to_owned()).collect();
        let sources = self.texts.sources.iter().filter(|source| is_meant(source));
        // What was loaded parses.
        let trees: Vec<_> = sources
            .filter_map(|source| Some((source, source.parse().ok()??)))
            .collect();
        place_in(&trees, &path, message)
    }
}

fn merge(texts: &Arc<ConfigTexts>, trust: Trust) -> Result<LoadedConfig, ConfigError> {
    let mut trees = Vec::new();
    for source in &texts.sources {
        trees.extend(source.parse()?.map(|tree| (source, tree)));
    }
    let layers: Vec<PermissionLayer> = trees
        .iter()
        .filter_map(|(source, tree)| written_rules(source, tree))
        .collect();
    let read: Vec<_> = texts
        .claude
        .iter()
        .map(|source| (source, rules_in(source)))
        .collect();
    let claude: Vec<ClaudeRules> = read
        .iter()
        .map(|(source, rules)| match rules {
            Ok((rules, _)) => rules.clone(),
            Err(_) => ClaudeRules::of_invalid(source),
        })
        .collect();
    let gate = (texts.make_gate)(&RuleFiles {
        dirs: &texts.dirs,
        project_root: &texts.project_root,
        layers: &layers,
        claude: &claude,
        project_is_trusted: trust == Trust::Given,
        users_rules_may_allow: false,
    });
    let mut merge = Merge::new(texts, trust, &*gate);
    for (source, tree) in &trees {
        merge.add(source, tree);
    }
    for (source, rules) in read {
        merge.add_claude(source, rules.map(|(_, warnings)| warnings));
    }
    merge.loaded.claude_rules = claude;
    merge.finish(&trees)
}

struct Merge<'a> {
    texts: &'a Arc<ConfigTexts>,
    trust: Trust,
    /// Decides which files may be named in what reaches a model.
    gate: &'a dyn FileGate,
    merged: Map<String, Value>,
    /// As far as it is read: all but the configuration itself.
    loaded: LoadedConfig,
    /// Keys that a warning was already given for.
    warned: HashSet<String>,
    problems: Vec<Problem>,
}

impl<'a> Merge<'a> {
    fn new(texts: &'a Arc<ConfigTexts>, trust: Trust, gate: &'a dyn FileGate) -> Self {
        let files = texts.sources.iter().map(|source| source.path.clone());
        Self {
            texts,
            trust,
            gate,
            merged: Map::new(),
            loaded: LoadedConfig {
                config: Config::default(),
                permission_layers: Vec::new(),
                tools: ToolSwitches::default(),
                agent_layers: Vec::new(),
                instructions: Vec::new(),
                hook_layers: Vec::new(),
                files: files.collect(),
                warnings: texts.warnings.clone(),
                secrets: Vec::new(),
                claude_rules: Vec::new(),
                project_parts: Vec::new(),
                unset: Vec::new(),
                texts: Arc::clone(texts),
            },
            warned: HashSet::new(),
            problems: Vec::new(),
        }
    }

    fn add(&mut self, source: &Source, tree: &Node<'_>) {
        let LayerContent {
            value,
            refused,
            secrets,
            unset,
            warnings,
            problems,
        } = read(source, tree, self.trust, self.texts.expansion(source), self.gate);
        self.problems.extend(problems);
        self.loaded.warnings.extend(warnings);
        for secret in secrets {
            // A later file's value takes the place of an earlier one's, and its own origin with it.
            self.loaded.secrets.retain(|earlier| earlier.path != secret.path);
            self.loaded.secrets.push(secret);
        }
        self.loaded
            .unset
            .retain(|earlier| !unset.iter().any(|later| later.path == earlier.path));
        self.loaded.unset.extend(unset);
        for key in &refused {
            self.refuse(source, key);
        }
        // The root is an object, or the schema would have refused the file.
        if let Value::Object(mut object) = value {
            self.take_agents(source, tree, &object);
            self.check_models(source, tree, &object);
            self.take_apart(source, &mut object);
            if source.origin == Origin::Managed {
                keep_switched_off(&mut object);
            }
            merge_file(&mut self.merged, object);
        }
    }

    fn refuse(&mut self, source: &Source, key: &str) {
        let file = source.path.display();
        let global = self.texts.dirs.config.join("lathe.jsonc");
        let global = global.display();
        let warning = match source.origin {
            Origin::Managed => {
                format!("`{key}` in `{file}` is ignored: only `permission` and `tools` of that file are read")
            }
            Origin::Global | Origin::Extra | Origin::Project => {
                format!("`{key}` in `{file}` is ignored: only `{global}` may set it")
            }
        };
        if self.warned.insert(format!("{key} from {:?}", source.origin)) {
            self.loaded.warnings.push(warning);
        }
    }

    /// Keeps what is said of agents with its origin, because a project may only tighten.
    fn take_agents(&mut self, source: &Source, tree: &Node<'_>, object: &Map<String, Value>) {
        let Some(agents) = object.get("agents").filter(|agents| !is_empty(agents)) else {
            return;
        };
        let mut wrong = |path: &[&str], message: String| {
            let path: Vec<String> = path.iter().map(|step| (*step).to_owned()).collect();
            let offset = locate(tree, &path).unwrap_or_default();
            self.problems.push(source.problem(offset, message));
        };
        let agents: Table<AgentSettings> = match serde_json::from_value(agents.clone()) {
            Ok(agents) => agents,
            Err(error) => return wrong(&["agents"], format!("`agents`: {error}")),
        };
        self.loaded.agent_layers.push(AgentLayer {
            origin: source.origin,
            file: source.path.clone(),
            agents,
        });
    }

    /// Refuses models of agents and categories that cannot be read.
    fn check_models(&mut self, source: &Source, tree: &Node<'_>, object: &Map<String, Value>) {
        for key in ["agents", "categories"] {
            let entries = object.get(key).and_then(Value::as_object);
            for (name, entry) in entries.into_iter().flatten() {
                let model = entry.get("model").and_then(Value::as_str);
                if let Some(Err(problem)) = model.map(str::parse::<ModelRef>) {
                    let path = [key, name, "model"].map(str::to_owned);
                    let offset = locate(tree, &path).unwrap_or_default();
                    let message = format!("`{key}.{name}.model`: {problem}");
                    self.problems.push(source.problem(offset, message));
                }
            }
        }
    }

    /// Takes out what is not merged but kept with its origin.
    fn take_apart(&mut self, source: &Source, object: &mut Map<String, Value>) {
        let rules = object.shift_remove("permission").filter(|rules| !is_empty(rules));
        if let Some(rules) = rules {
            let file = source.path.clone();
            self.loaded.permission_layers.push(PermissionLayer {
                origin: source.origin,
                file,
                rules,
            });
        }
        let is_project = source.origin == Origin::Project;
        self.take_hooks(source, object);
        let tools = object.get("tools").and_then(Value::as_object);
        for (pattern, on) in tools.into_iter().flatten() {
            let Some(on) = on.as_bool() else { continue };
            match source.origin {
                Origin::Project => self.loaded.tools.push_project(pattern.clone(), on),
                Origin::Global | Origin::Extra => self.loaded.tools.push_user(pattern.clone(), on),
                Origin::Managed => self.loaded.tools.push_managed(pattern.clone(), on),
            }
        }
        let root = &*self.texts.project_root;
        let patterns = object.get("instructions").and_then(Value::as_array);
        for pattern in patterns.into_iter().flatten().filter_map(Value::as_str) {
            self.loaded.instructions.push(InstructionGlob {
                base: if is_project { source.base() } else { root }.to_path_buf(),
                pattern: pattern.to_owned(),
                confined_to: is_project.then(|| root.to_path_buf()),
            });
        }
    }

    /// Whoever runs a hook wants to know where it comes from, and runs them in another order than that of the files.
    fn take_hooks(&mut self, source: &Source, object: &Map<String, Value>) {
        let Some(hooks) = object.get("hooks").filter(|hooks| !is_empty(hooks)) else {
            return;
        };
        match serde_json::from_value(hooks.clone()) {
            Ok(hooks) => self.loaded.hook_layers.push(HookLayer {
                origin: source.origin,
                file: source.path.clone(),
                hooks,
            }),
            Err(error) => self
                .problems
                .push(Problem::in_file(&source.path, format!("`hooks`: {error}"))),
        }
    }

    /// Takes the hooks of a settings file of Claude Code, where they count, and says what is wrong with the file.
    fn add_claude(&mut self, source: &Source, rules: Result<Vec<String>, Problem>) {
        let counts = source.origin != Origin::Project || self.trust == Trust::Given;
        let warnings = match rules {
            Ok(warnings) => warnings,
            // A project must not be able to stop the start.
            Err(problem) if !counts => {
                let asks = if ClaudeRules::of_invalid(source).has_lost_rules {
                    "; every call asks until it is fixed, because it may contain a deny rule"
                } else {
                    ""
                };
                return self.loaded.warnings.push(format!("{problem}{asks}"));
            }
            Err(problem) => return self.problems.push(problem),
        };
        self.loaded.warnings.extend(warnings);
        if !counts {
            return;
        }
        match hooks_in(source) {
            Ok(Some(found)) => {
                self.loaded.warnings.extend(found.warnings);
                self.loaded.hook_layers.push(found.layer);
            }
            Ok(None) => {}
            Err(problem) => self.problems.push(problem),
        }
    }

    fn finish(mut self, trees: &[(&Source, Node<'_>)]) -> Result<LoadedConfig, ConfigError> {
        let merged = Value::Object(std::mem::take(&mut self.merged));
        self.missing_features(&merged);
        // A later file may have given another value.
        self.loaded.unset.retain(|unset| {
            let keys: Vec<&str> = unset.path.iter().map(String::as_str).collect();
            at(&merged, &keys).and_then(Value::as_str) == Some("")
        });
        let told = self.loaded.unset.iter().filter(|unset| unset.is_told_at_start());
        self.loaded
            .warnings
            .extend(told.map(|unset| unset.problem.to_string()));
        match serde_path_to_error::deserialize::<_, Config>(&merged) {
            Ok(config) => self.loaded.config = config,
            Err(error) => self.problems.push(late_problem(&error, trees)),
        }
        if !self.problems.is_empty() {
            return Err(ConfigError {
                problems: self.problems,
            });
        }
        self.loaded.project_parts = parts(self.texts);
        Ok(self.loaded)
    }

    fn missing_features(&mut self, merged: &Value) {
        for (key, lack) in LACKING {
            if at(merged, key).is_some_and(|value| !is_empty(value)) {
                let key = key.join(".");
                self.loaded.warnings.push(format!(
                    "`{key}` has no effect: {lack} in this build of lathe yet"
                ));
            }
        }
    }
}

fn at<'a>(value: &'a Value, key: &[&str]) -> Option<&'a Value> {
    key.iter().try_fold(value, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        value => value.get(step),
    })
}

/// Returns a problem that only the typed shape finds, such as a model's name without a slash.
fn late_problem(
    error: &serde_path_to_error::Error<serde_json::Error>,
    trees: &[(&Source, Node<'_>)],
) -> Problem {
    use serde_path_to_error::Segment;
    let steps = error.path().iter().filter_map(|segment| match segment {
        Segment::Map { key } => Some(key.clone()),
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    let path: Vec<String> = steps.collect();
    place_in(trees, &path, format!("`{}`: {}", path.join("."), error.inner()))
}

/// The place of a key in the last file that has it.
fn place_in(trees: &[(&Source, Node<'_>)], path: &[String], message: String) -> Problem {
    let place = trees
        .iter()
        .rev()
        .find_map(|(source, tree)| locate(tree, path).map(|offset| (source, offset)));
    match place {
        Some((source, offset)) => source.problem(offset, message),
        None => Problem::general(message),
    }
}

#[cfg(test)]
mod tests;
