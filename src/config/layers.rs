//! From the files in their order to one value.
//!
//! Order: the global file, then the project's from its root down to the working directory, then `--config`. Objects
//! merge key by key at every depth and arrays are replaced, except for `hooks`, `instructions` and `custom_tools`, which
//! are joined. Permission rules stay apart, a layer a file. What a project's file may not set (`features`) is
//! taken out before anything of it is used, so its expansions are not made either.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Ranged;
use serde_json::{Map, Number, Value};

use super::diagnose::{self, ConfigError, Problem};
use super::expand::Expansion;
use super::features::{GLOBAL_ONLY, LACKING, NOT_FROM_A_PROJECT, UNENFORCED};
use super::source::{Source, locate};
use super::switches::ToolSwitches;
use super::{Config, Dirs};

/// Which files to read.
#[derive(Debug, Clone, Copy)]
pub struct LoadRequest<'a> {
    pub dirs: &'a Dirs,
    pub project_root: &'a Path,
    /// Absolute.
    pub cwd: &'a Path,
    /// The file given with `--config`; a relative one counts from `cwd`.
    pub extra: Option<&'a Path>,
}

/// Who wrote a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The user, for every project.
    Global,
    /// Whoever wrote the project; not necessarily the user.
    Project,
    /// The user, for this process (`--config`).
    Extra,
}

/// The whole configuration.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub config: Config,
    /// In the order of the files; files without rules are left out.
    pub permission_layers: Vec<PermissionLayer>,
    pub tools: ToolSwitches,
    pub instructions: Vec<InstructionGlob>,
    /// Those that existed, in order.
    pub files: Vec<PathBuf>,
    /// Sentences for the user.
    pub warnings: Vec<String>,
}

/// The rules of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionLayer {
    pub origin: Origin,
    pub file: PathBuf,
    /// The value of `permission` as written, its order kept and its shape checked.
    pub rules: Value,
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

/// Reads all files. Missing ones are fine, except the one named with `--config`.
pub fn load(request: &LoadRequest<'_>) -> Result<Loaded, ConfigError> {
    let mut problems = Vec::new();
    let mut sources = Vec::new();
    for (origin, path) in candidates(request) {
        match Source::read(origin, path.clone()) {
            Ok(Some(source)) => sources.push(source),
            Ok(None) if origin == Origin::Extra => {
                let message = "this file, given with `--config`, does not exist".to_owned();
                problems.push(Problem::in_file(&path, message));
            }
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    let mut trees = Vec::new();
    for source in &sources {
        match source.parse() {
            Ok(Some(tree)) => {
                problems.extend(diagnose::check(source, &tree));
                trees.push((source, tree));
            }
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(ConfigError { problems });
    }
    let mut merge = Merge::new(request);
    for (source, tree) in &trees {
        merge.add(source, tree);
    }
    merge.finish(&trees, sources.iter().map(|source| source.path.clone()).collect())
}

/// Returns the files that [`load`] reads, existing or not, in their order.
pub fn files(request: &LoadRequest<'_>) -> Vec<PathBuf> {
    candidates(request).into_iter().map(|(_, path)| path).collect()
}

fn candidates(request: &LoadRequest<'_>) -> Vec<(Origin, PathBuf)> {
    let global = request.dirs.config.join("lathe.jsonc");
    let mut files = vec![(Origin::Global, global.clone())];
    for dir in directories(request.project_root, request.cwd) {
        for name in ["lathe.jsonc", ".lathe/lathe.jsonc"] {
            let path = dir.join(name);
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
    files
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

fn is_same_file(one: &Path, other: &Path) -> bool {
    one == other
        || one.file_name() == other.file_name()
            && matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

struct Merge<'a> {
    request: &'a LoadRequest<'a>,
    merged: Map<String, Value>,
    permission_layers: Vec<PermissionLayer>,
    tools: ToolSwitches,
    instructions: Vec<InstructionGlob>,
    warnings: Vec<String>,
    /// Keys that a warning was already given for.
    warned: HashSet<String>,
    problems: Vec<Problem>,
}

impl<'a> Merge<'a> {
    fn new(request: &'a LoadRequest<'a>) -> Self {
        Self {
            request,
            merged: Map::new(),
            permission_layers: Vec::new(),
            tools: ToolSwitches::default(),
            instructions: Vec::new(),
            warnings: Vec::new(),
            warned: HashSet::new(),
            problems: Vec::new(),
        }
    }

    fn add(&mut self, source: &Source, tree: &Node<'_>) {
        let project = (source.origin == Origin::Project).then_some(self.request.project_root);
        let mut reader = Reader {
            source,
            expansion: Expansion {
                base: source.base(),
                home: self.request.dirs.home.as_deref(),
                confined_to: project,
            },
            refused: refused(source.origin),
            found: Vec::new(),
            problems: Vec::new(),
            path: Vec::new(),
        };
        let value = reader.value(tree);
        let found = std::mem::take(&mut reader.found);
        self.problems.append(&mut reader.problems);
        for key in found {
            self.refuse(source, &key);
        }
        // The root is an object, or the schema would have refused the file.
        if let Value::Object(mut object) = value {
            self.take_apart(source, &mut object);
            merge_file(&mut self.merged, object);
        }
    }

    fn refuse(&mut self, source: &Source, key: &str) {
        let only_global = source.origin == Origin::Extra;
        let file = source.path.display();
        let global = self.request.dirs.config.join("lathe.jsonc");
        let global = global.display();
        let warning = if only_global {
            format!("`{key}` in `{file}` is ignored: only `{global}` may set it")
        } else {
            format!(
                "`{key}` in `{file}` is ignored: the project is not trusted to set it; what you want of it belongs \
                 in `{global}`"
            )
        };
        if self.warned.insert(format!("{key} from {:?}", source.origin)) {
            self.warnings.push(warning);
        }
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
        let tools = object.get("tools").and_then(Value::as_object);
        for (pattern, on) in tools.into_iter().flatten() {
            let Some(on) = on.as_bool() else { continue };
            match source.origin {
                Origin::Project => self.tools.push_project(pattern.clone(), on),
                Origin::Global | Origin::Extra => self.tools.push_user(pattern.clone(), on),
            }
        }
        let root = self.request.project_root;
        let patterns = object.get("instructions").and_then(Value::as_array);
        for pattern in patterns.into_iter().flatten().filter_map(Value::as_str) {
            self.instructions.push(InstructionGlob {
                base: if is_project { source.base() } else { root }.to_path_buf(),
                pattern: pattern.to_owned(),
                confined_to: is_project.then(|| root.to_path_buf()),
            });
        }
    }

    fn finish(mut self, trees: &[(&Source, Node<'_>)], files: Vec<PathBuf>) -> Result<Loaded, ConfigError> {
        let merged = Value::Object(std::mem::take(&mut self.merged));
        self.protections(&merged, trees);
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
            instructions: self.instructions,
            files,
            warnings: self.warnings,
        })
    }

    fn protections(&mut self, merged: &Value, trees: &[(&Source, Node<'_>)]) {
        for protection in UNENFORCED {
            let Some(value) = at(merged, protection.key) else {
                continue;
            };
            if is_empty(value)
                || value
                    .as_str()
                    .is_some_and(|word| Some(word) == protection.harmless)
            {
                continue;
            }
            let key = protection.key.join(".");
            let what = protection.what;
            let message =
                format!("`{key}` is set, but this build cannot enforce {what} yet; remove the key to go on");
            let path: Vec<String> = protection.key.iter().map(|step| (*step).to_owned()).collect();
            self.problems.push(place_in(trees, &path, message));
        }
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

fn refused(origin: Origin) -> &'static [&'static [&'static str]] {
    match origin {
        Origin::Global => &[],
        Origin::Project => NOT_FROM_A_PROJECT,
        Origin::Extra => GLOBAL_ONLY,
    }
}

fn at<'a>(value: &'a Value, key: &[&str]) -> Option<&'a Value> {
    key.iter().try_fold(value, |value, step| value.get(step))
}

fn is_empty(value: &Value) -> bool {
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
    expansion: Expansion<'a>,
    refused: &'static [&'static [&'static str]],
    /// Refused keys that the file has.
    found: Vec<String>,
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
                    if self.is_refused() {
                        self.found.push(self.path.join("."));
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

    fn is_refused(&self) -> bool {
        self.refused
            .iter()
            .any(|key| self.path.iter().map(String::as_str).eq(key.iter().copied()))
    }

    fn string(&mut self, node: &Node<'_>, text: &str) -> String {
        match self.expansion.expand(text) {
            Ok(expanded) => expanded,
            Err(what) => {
                let message = format!("`{}` {what}", self.path.join("."));
                self.problems.push(self.source.problem(node.start(), message));
                String::new()
            }
        }
    }
}

#[cfg(test)]
mod tests;
