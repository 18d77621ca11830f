//! Parts of one file that are not merged with those of others.

use std::path::PathBuf;

use jsonc_parser::ast::Value as Node;
use serde_json::Value;

use super::origin::Origin;
use super::schema::{AgentSettings, Hooks, Table};
use super::source::{Source, is_empty, plain};

/// The rules of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionLayer {
    pub origin: Origin,
    pub file: PathBuf,
    /// The value of `permission` as written, its order kept and its shape checked.
    pub rules: Value,
}

/// The agents of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentLayer {
    pub origin: Origin,
    pub file: PathBuf,
    pub agents: Table<AgentSettings>,
}

/// The hooks of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct HookLayer {
    /// The kind of file that they come from; those of a project run in a trusted project only.
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

/// The rules of a file as they are written, before anything of it is expanded.
pub(super) fn written_rules(source: &Source, tree: &Node<'_>) -> Option<PermissionLayer> {
    let Node::Object(object) = tree else { return None };
    let rules = plain(&object.get("permission")?.value);
    (!is_empty(&rules)).then(|| PermissionLayer {
        origin: source.origin,
        file: source.path.clone(),
        rules,
    })
}
