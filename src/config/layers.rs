//! From the files in their order to one value.
//!
//! Order: the global file, then the project's from its root down to the working directory, then `--config`, then the
//! managed one of the machine's administrator, of which only `permission` and `tools` are read. Objects merge key by key at every depth and arrays are replaced, except for `hooks`, `instructions` and `custom_tools`, which
//! are joined. Permission rules stay apart, a layer a file. What a file may not set (`features`), and what a project
//! may not set until it is trusted, is taken out before anything of it is used, so its expansions are not made either.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Ranged;
use serde_json::{Map, Number, Value};

use super::Config;
use super::claude::hooks_in;
use super::diagnose::{ConfigError, Problem};
use super::expand::Expansion;
use super::features::{ANSWERING, GLOBAL_ONLY, LACKING, OF_THE_MANAGED};
use super::parts::{ProjectPart, parts, wants_environment};
use super::places::{LoadRequest, Origin, RuleFiles, Texts};
use super::schema::{AgentSettings, Hooks, Table};
use super::source::{Source, locate, plain};
use super::switches::ToolSwitches;
use super::untrusted::{Standing, standing};
use crate::conversation::ModelRef;
use crate::regular_file::FileGate;

/// Whether what needs a project to be trusted counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    Given,
    Withheld,
}

/// The whole configuration.
#[derive(Debug, Clone)]
pub struct Loaded {
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
    /// What counts only where the project is trusted; those of agents aside.
    pub project_parts: Vec<ProjectPart>,
    texts: Arc<Texts>,
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

/// The rules of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionLayer {
    pub origin: Origin,
    pub file: PathBuf,
    /// The value of `permission` as written, its order kept and its shape checked.
    pub rules: Value,
}

/// What one file says of agents.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentLayer {
    pub origin: Origin,
    pub file: PathBuf,
    pub agents: Table<AgentSettings>,
}

/// The hooks of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct HookLayer {
    /// What a project brings is run in a trusted project only.
    pub origin: Origin,
    pub file: PathBuf,
    pub hooks: Hooks,
}

/// One entry of `instructions`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionGlob {
    /// A relative pattern counts from here.
    pub base: PathBuf,
    pub pattern: String,
    /// A project's pattern finds nothing outside this directory.
    pub confined_to: Option<PathBuf>,
}

/// Reads all files. Missing ones are fine, except the one named with `--config`. Nothing counts yet that needs the
/// project to be trusted.
pub fn load(request: &LoadRequest<'_>) -> Result<Loaded, ConfigError> {
    merge(&Arc::new(Texts::read(request)?), Trust::Withheld)
}

impl Loaded {
    /// The same files, as they were read then, with what only a trusted project may say.
    pub fn trusted(&self) -> Result<Self, ConfigError> {
        merge(&self.texts, Trust::Given)
    }

    /// Makes a problem of what a key of one file says, with its place there.
    pub fn problem_in(&self, file: &Path, path: &[&str], message: String) -> Problem {
        let path: Vec<String> = path.iter().map(|step| (*step).to_owned()).collect();
        let sources = self.texts.sources.iter().filter(|source| source.path == file);
        let trees: Vec<_> = sources
            .filter_map(|source| Some((source, source.parse().ok()??)))
            .collect();
        place_in(&trees, &path, message)
    }

    /// Makes a problem of what a key says, with its place in the last file that has it.
    pub fn problem(&self, path: &[&str], message: String) -> Problem {
        let path: Vec<String> = path.iter().map(|step| (*step).to_owned()).collect();
        let sources = self.texts.sources.iter();
        // What was loaded parses.
        let trees: Vec<_> = sources
            .filter_map(|source| Some((source, source.parse().ok()??)))
            .collect();
        place_in(&trees, &path, message)
    }
}

fn merge(texts: &Arc<Texts>, trust: Trust) -> Result<Loaded, ConfigError> {
    let mut trees = Vec::new();
    for source in &texts.sources {
        trees.extend(source.parse()?.map(|tree| (source, tree)));
    }
    let layers: Vec<PermissionLayer> = trees
        .iter()
        .filter_map(|(source, tree)| written_rules(source, tree))
        .collect();
    let gate = (texts.make_gate)(&RuleFiles {
        dirs: &texts.dirs,
        project_root: &texts.project_root,
        layers: &layers,
        project_is_trusted: trust == Trust::Given,
    });
    let mut merge = Merge::new(texts, trust, &*gate);
    for (source, tree) in &trees {
        merge.add(source, tree);
    }
    if trust == Trust::Given {
        merge.add_claude();
    }
    merge.finish(&trees)
}

/// The rules of a file as they are written, before anything of it is expanded.
fn written_rules(source: &Source, tree: &Node<'_>) -> Option<PermissionLayer> {
    let Node::Object(object) = tree else { return None };
    let rules = plain(&object.get("permission")?.value);
    (!is_empty(&rules)).then(|| PermissionLayer {
        origin: source.origin,
        file: source.path.clone(),
        rules,
    })
}

struct Merge<'a> {
    texts: &'a Arc<Texts>,
    trust: Trust,
    /// Decides which files may be named in what reaches a model.
    gate: &'a dyn FileGate,
    merged: Map<String, Value>,
    permission_layers: Vec<PermissionLayer>,
    tools: ToolSwitches,
    agent_layers: Vec<AgentLayer>,
    instructions: Vec<InstructionGlob>,
    hook_layers: Vec<HookLayer>,
    secrets: Vec<ExpandedSecret>,
    warnings: Vec<String>,
    /// Keys that a warning was already given for.
    warned: HashSet<String>,
    problems: Vec<Problem>,
}

impl<'a> Merge<'a> {
    fn new(texts: &'a Arc<Texts>, trust: Trust, gate: &'a dyn FileGate) -> Self {
        Self {
            texts,
            trust,
            gate,
            merged: Map::new(),
            permission_layers: Vec::new(),
            tools: ToolSwitches::default(),
            agent_layers: Vec::new(),
            instructions: Vec::new(),
            hook_layers: Vec::new(),
            secrets: Vec::new(),
            warnings: texts.warnings.clone(),
            warned: HashSet::new(),
            problems: Vec::new(),
        }
    }

    fn add(&mut self, source: &Source, tree: &Node<'_>) {
        let mut reader = Reader {
            source,
            trust: self.trust,
            expansion: self.texts.expansion(source),
            gate: self.gate,
            found: Vec::new(),
            secrets: Vec::new(),
            warnings: Vec::new(),
            problems: Vec::new(),
            path: Vec::new(),
        };
        let value = reader.value(tree);
        let found = std::mem::take(&mut reader.found);
        self.problems.append(&mut reader.problems);
        self.warnings.append(&mut reader.warnings);
        for secret in std::mem::take(&mut reader.secrets) {
            // A later file's value takes the place of an earlier one's, and its own origin with it.
            self.secrets.retain(|earlier| earlier.path != secret.path);
            self.secrets.push(secret);
        }
        for key in &found {
            self.refuse(source, key);
        }
        // The root is an object, or the schema would have refused the file.
        if let Value::Object(mut object) = value {
            self.take_agents(source, tree, &object);
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
            self.warnings.push(warning);
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
        for (name, agent) in agents.iter() {
            let problem = agent.model.as_ref().map(|model| model.parse::<ModelRef>());
            if let Some(Err(problem)) = problem {
                wrong(
                    &["agents", name, "model"],
                    format!("`agents.{name}.model`: {problem}"),
                );
            }
        }
        self.agent_layers.push(AgentLayer {
            origin: source.origin,
            file: source.path.clone(),
            agents,
        });
    }

    /// Takes out what is not merged but kept with its origin.
    fn take_apart(&mut self, source: &Source, object: &mut Map<String, Value>) {
        let rules = object.shift_remove("permission").filter(|rules| !is_empty(rules));
        if let Some(rules) = rules {
            let file = source.path.clone();
            self.permission_layers.push(PermissionLayer {
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
                Origin::Project => self.tools.push_project(pattern.clone(), on),
                Origin::Global | Origin::Extra => self.tools.push_user(pattern.clone(), on),
                Origin::Managed => self.tools.push_managed(pattern.clone(), on),
            }
        }
        let root = &*self.texts.project_root;
        let patterns = object.get("instructions").and_then(Value::as_array);
        for pattern in patterns.into_iter().flatten().filter_map(Value::as_str) {
            self.instructions.push(InstructionGlob {
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
            Ok(hooks) => self.hook_layers.push(HookLayer {
                origin: source.origin,
                file: source.path.clone(),
                hooks,
            }),
            Err(error) => self
                .problems
                .push(Problem::in_file(&source.path, format!("`hooks`: {error}"))),
        }
    }

    /// The hooks in the project's settings of Claude Code.
    fn add_claude(&mut self) {
        for source in &self.texts.claude {
            let read = source.as_ref().map_err(Clone::clone).and_then(hooks_in);
            match read {
                Ok(Some(settings)) => {
                    self.warnings.extend(settings.warnings);
                    self.hook_layers.push(settings.layer);
                }
                Ok(None) => {}
                Err(problem) => self.problems.push(problem),
            }
        }
    }

    fn finish(mut self, trees: &[(&Source, Node<'_>)]) -> Result<Loaded, ConfigError> {
        let merged = Value::Object(std::mem::take(&mut self.merged));
        self.missing_features(&merged);
        let config = match serde_path_to_error::deserialize::<_, Config>(&merged) {
            Ok(config) => config,
            Err(error) => {
                self.problems.push(late_problem(&error, trees));
                Config::default()
            }
        };
        if !self.problems.is_empty() {
            return Err(ConfigError {
                problems: self.problems,
            });
        }
        Ok(Loaded {
            config,
            permission_layers: self.permission_layers,
            tools: self.tools,
            agent_layers: self.agent_layers,
            instructions: self.instructions,
            hook_layers: self.hook_layers,
            secrets: self.secrets,
            files: self
                .texts
                .sources
                .iter()
                .map(|source| source.path.clone())
                .collect(),
            warnings: self.warnings,
            project_parts: parts(self.texts),
            texts: Arc::clone(self.texts),
        })
    }

    fn missing_features(&mut self, merged: &Value) {
        for (key, lack) in LACKING {
            if at(merged, key).is_some_and(|value| !is_empty(value)) {
                let key = key.join(".");
                self.warnings.push(format!(
                    "`{key}` has no effect: {lack} in this build of lathe yet"
                ));
            }
        }
    }
}

/// Returns true if a file of this origin may never say anything under a key.
fn is_refused(origin: Origin, path: &[String]) -> bool {
    match origin {
        Origin::Global => false,
        Origin::Project => is_global_only(path) || answers(path),
        Origin::Extra => is_global_only(path),
        Origin::Managed => path.len() == 1 && !OF_THE_MANAGED.contains(&path[0].as_str()),
    }
}

/// Returns true if only the global file may set a key.
pub(super) fn is_global_only<S: AsRef<str>>(path: &[S]) -> bool {
    GLOBAL_ONLY
        .iter()
        .any(|key| path.iter().map(AsRef::as_ref).eq(key.iter().copied()))
}

/// Whether a key changes what a person answers with.
pub(super) fn answers<S: AsRef<str>>(path: &[S]) -> bool {
    match path {
        [keybinds, name] if keybinds.as_ref() == "keybinds" => {
            ANSWERING.iter().any(|prefix| name.as_ref().starts_with(prefix))
        }
        _ => false,
    }
}

fn at<'a>(value: &'a Value, key: &[&str]) -> Option<&'a Value> {
    key.iter().try_fold(value, |value, step| value.get(step))
}

pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// What only the typed shape finds, such as a model's name without a slash.
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

#[derive(Clone, Copy)]
enum Arrays {
    Replaced,
    Joined,
}

/// What the managed file switches on is not on when somebody else switched it off.
fn keep_switched_off(object: &mut Map<String, Value>) {
    if let Some(Value::Object(tools)) = object.get_mut("tools") {
        tools.retain(|_, on| *on == Value::Bool(false));
    }
}

/// Lays one file over the ones before it.
fn merge_file(base: &mut Map<String, Value>, over: Map<String, Value>) {
    for (key, value) in over {
        let arrays = match key.as_str() {
            "hooks" | "instructions" | "custom_tools" => Arrays::Joined,
            _ => Arrays::Replaced,
        };
        merge_entry(base, key, value, arrays);
    }
}

fn merge_entry(base: &mut Map<String, Value>, key: String, value: Value, arrays: Arrays) {
    match (base.get_mut(&key), value) {
        (Some(Value::Object(base)), Value::Object(over)) => {
            for (key, value) in over {
                merge_entry(base, key, value, arrays);
            }
        }
        (Some(Value::Array(base)), Value::Array(mut over)) if matches!(arrays, Arrays::Joined) => {
            base.append(&mut over);
        }
        (Some(place), value) => *place = value,
        (None, value) => {
            base.insert(key, value);
        }
    }
}

/// Turns a tree into a value: leaves out refused keys and expands strings.
struct Reader<'a> {
    source: &'a Source,
    trust: Trust,
    expansion: Expansion<'a>,
    gate: &'a dyn FileGate,
    /// Refused keys that the file has.
    found: Vec<String>,
    secrets: Vec<ExpandedSecret>,
    warnings: Vec<String>,
    problems: Vec<Problem>,
    path: Vec<String>,
}

impl Reader<'_> {
    fn value(&mut self, node: &Node<'_>) -> Value {
        match node {
            Node::Object(object) => {
                let mut map = Map::with_capacity(object.properties.len());
                for property in &object.properties {
                    let name = property.name.as_str().to_owned();
                    self.path.push(name.clone());
                    if is_refused(self.source.origin, &self.path) {
                        self.found.push(self.path.join("."));
                    } else if self.waits_for_trust(&property.value) {
                        // Whoever asks for trust tells of it.
                    } else {
                        map.insert(name, self.value(&property.value));
                    }
                    self.path.pop();
                }
                Value::Object(map)
            }
            Node::Array(array) => {
                let mut items = Vec::with_capacity(array.elements.len());
                for (index, element) in array.elements.iter().enumerate() {
                    self.path.push(index.to_string());
                    items.push(self.value(element));
                    self.path.pop();
                }
                Value::Array(items)
            }
            Node::StringLit(text) => Value::String(self.string(node, &text.value)),
            Node::NumberLit(number) => number.value.parse::<Number>().map_or(Value::Null, Value::Number),
            Node::BooleanLit(boolean) => Value::Bool(boolean.value),
            Node::NullKeyword(_) => Value::Null,
        }
    }

    /// A project that is not trusted sets what is on the closed list, and gets nothing of the environment.
    fn waits_for_trust(&self, node: &Node<'_>) -> bool {
        let is_restricted = self.source.origin == Origin::Project && self.trust == Trust::Withheld;
        is_restricted && (standing(&self.path, node) == Standing::Waits || wants_environment(node))
    }

    fn string(&mut self, node: &Node<'_>, text: &str) -> String {
        let everything = |_: &Path| true;
        // Where no model sees the value, its file may hold what is to be kept secret: that is what it is for.
        let gate = if is_secret(&self.path) {
            &everything
        } else {
            self.gate
        };
        match self.expansion.expand(text, gate) {
            Ok(expanded) => {
                let (key, file) = (self.path.join("."), self.source.path.display());
                let withheld = expanded.withheld.iter();
                self.warnings
                    .extend(withheld.map(|what| format!("`{key}` in `{file}` {what}")));
                if is_secret(&self.path) {
                    self.secrets.push(ExpandedSecret {
                        path: self.path.clone(),
                        written: text.to_owned(),
                        variables: expanded.variables,
                        values: expanded.values,
                    });
                }
                expanded.text
            }
            Err(what) => {
                let message = format!("`{}` {what}", self.path.join("."));
                self.problems.push(self.source.problem(node.start(), message));
                String::new()
            }
        }
    }
}

/// Returns true if a key's value is sent to a server and to nobody else.
fn is_secret(path: &[String]) -> bool {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    matches!(
        path[..],
        ["providers", _, "api_key" | "base_url"]
            | ["providers", _, "headers", _]
            | ["mcp", _, "url"]
            | ["mcp", _, "headers" | "env", _]
    )
}

#[cfg(test)]
mod tests;
