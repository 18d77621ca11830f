//! The user's configuration: where the files are, what they may say, and how several of them become one value.
//!
//! [`load`] reads every file once, reports every mistake in them with file, line and column, and gives back typed
//! fields. Only `session::wire` and `cli` read the result; everybody else is handed settings of their own.
//!
//! Permission rules are not merged: each file's rules stay a [`PermissionLayer`] with its [`Origin`], because who wrote
//! a rule decides what it may do. For the same reason a project's file loses every key that is not on a closed list
//! (`untrusted`): they are listed as [`ProjectPart`]s, and [`LoadedConfig::trusted`] gives the configuration with them.
//!
//! Nothing here asks the network, creates a file or keeps state.

mod claude;
mod diagnose;
mod dirs;
mod expand;
mod features;
mod layer;
mod layers;
mod origin;
mod parts;
mod places;
pub mod schema;
mod source;
mod switches;
mod untrusted;

pub use claude::ClaudeRules;
pub use diagnose::{ConfigError, Problem};
pub use dirs::Dirs;
pub use features::lacking;
pub use layer::{AgentLayer, HookLayer, InstructionGlob, PermissionLayer};
pub use layers::{ExpandedSecret, LoadedConfig, UnsetVariable, load};
pub use origin::Origin;
pub use parts::{ProjectPart, allows};
pub use places::{LoadRequest, MakeGate, RuleFiles, files};
pub use schema::Config;
pub use switches::ToolSwitches;

/// The JSON Schema of a configuration file, as `lathe config schema` prints it.
pub fn json_schema() -> serde_json::Value {
    diagnose::schema().clone()
}
