//! The shape of a configuration file, the whole of it, also what this build cannot do yet (`features` knows that).
//!
//! The types are the schema: `lathe config schema` prints what `schemars` makes of them, `diagnose` checks files against
//! the same, and the doc comments are what an editor shows. Times are milliseconds where the name ends in `_ms`.
//! Every field has a default, so a file may leave out anything.

mod history;
mod permission;
mod provider;
mod secret;
mod table;
mod tools;

pub use history::{Compaction, Journal, Retention};
pub use permission::{Action, KeySetting, PermissionSetting};
pub use provider::{Cost, EditMode, ModelSettings, Protocol, ProviderSettings, Retry};
pub use secret::Secret;
pub use table::Table;
pub use tools::{
    Background, Bash, Batch, Budget, Category, Edit, Fuzzy, Sandbox, SandboxMode, Script, Search, StreamRule,
    Todo, ToolLimits, Truncate, Worktree,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conversation::{ModelRef, model_name};

/// Configuration of lathe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// For editors: the address of this schema. Lathe does not read it.
    #[serde(rename = "$schema", skip_serializing)]
    pub schema: Option<String>,
    /// `provider/model` for agents that do not set one.
    #[serde(
        deserialize_with = "model_name::deserialize",
        serialize_with = "model_name::serialize"
    )]
    #[schemars(with = "Option<String>")]
    pub model: Option<ModelRef>,
    /// `provider/model` for titles, searching agents and small tasks.
    #[serde(
        deserialize_with = "model_name::deserialize",
        serialize_with = "model_name::serialize"
    )]
    #[schemars(with = "Option<String>")]
    pub small_model: Option<ModelRef>,
    /// Model providers, by the name before the slash in `provider/model`.
    pub providers: Table<ProviderSettings>,
    /// Permission rules: one action for everything, or rules by tool or permission key.
    // After loading this is empty: see `Loaded::permission_layers`.
    #[serde(skip_serializing)]
    pub permission: Option<PermissionSetting>,
    /// Agents to add or change, by name.
    pub agents: Table<AgentSettings>,
    /// Tools switched on or off, by name or wildcard; the last matching entry wins.
    // After loading, ask `Loaded::tools`, which knows who wrote what.
    pub tools: Table<bool>,
    /// Maximum number of model requests in one turn.
    #[schemars(range(min = 1))]
    pub max_steps: u32,
    /// Tasks in the background.
    pub background: Background,
    /// Language servers, besides the built-in ones; the first with a matching extension is used.
    pub lsp: Table<LspServer>,
    /// MCP servers, by name.
    pub mcp: Table<McpServer>,
    /// Commands run around tool calls and turns.
    pub hooks: Hooks,
    /// Files or directories of custom tools; relative paths start at the session's directory.
    pub custom_tools: Vec<String>,
    /// More instruction files: paths and globs. In a project's file they start at that file's directory, in others at
    /// the project's root.
    // After loading, see `Loaded::instructions`, which knows where each counts from.
    pub instructions: Vec<String>,
    /// How much of a tool's output is sent to the model.
    pub truncate: Truncate,
    /// The sandbox for commands.
    pub sandbox: Sandbox,
    /// Compaction of long conversations.
    pub compaction: Compaction,
    /// Earlier contents of changed files.
    pub journal: Journal,
    /// How long sessions are kept.
    pub retention: Retention,
    /// A theme by name.
    pub theme: String,
    /// Keys by action: a key, a list of keys, or `none`. `preset` starts from the keys of another program.
    pub keybinds: Table<Keys>,
    /// The full-screen interface.
    pub tui: Tui,
    /// Tools that change files.
    pub edit: Edit,
    /// The search tools, such as `glob` and `grep`.
    pub search: Search,
    /// Shell commands.
    pub bash: Bash,
    /// Categories of tasks, by name.
    pub categories: Table<Category>,
    /// The `batch` tool.
    pub batch: Batch,
    /// The todo list.
    pub todo: Todo,
    /// Custom tools written in JavaScript or TypeScript.
    pub script: Script,
    /// Globs of project roots that are trusted without asking. Only in the global file.
    pub trust: Vec<String>,
    /// Patterns that stop a reply while it streams.
    pub stream_rules: Vec<StreamRule>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            schema: None,
            model: None,
            small_model: None,
            providers: Table::default(),
            permission: None,
            agents: Table::default(),
            tools: Table::default(),
            max_steps: 500,
            background: Background::default(),
            lsp: Table::default(),
            mcp: Table::default(),
            hooks: Hooks::default(),
            custom_tools: Vec::new(),
            instructions: Vec::new(),
            truncate: Truncate::default(),
            sandbox: Sandbox::default(),
            compaction: Compaction::default(),
            journal: Journal::default(),
            retention: Retention::default(),
            theme: "lathe-dark".to_owned(),
            keybinds: Table::default(),
            tui: Tui::default(),
            edit: Edit::default(),
            search: Search::default(),
            bash: Bash::default(),
            categories: Table::default(),
            batch: Batch::default(),
            todo: Todo::default(),
            script: Script::default(),
            trust: Vec::new(),
            stream_rules: Vec::new(),
        }
    }
}

/// A new agent, or changes to an existing one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentSettings {
    /// Its purpose, by which other agents choose it.
    pub description: Option<String>,
    pub mode: Option<AgentMode>,
    /// `provider/model`.
    pub model: Option<String>,
    /// A variant of the model, such as a reasoning effort.
    pub variant: Option<String>,
    /// Sampling temperature.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// The agent's instructions.
    pub prompt: Option<String>,
    pub tools: Option<AgentTools>,
    pub permission: Option<PermissionSetting>,
    /// Maximum number of model requests in one turn.
    #[schemars(range(min = 1))]
    pub steps: Option<u32>,
    /// Where its tasks work.
    pub isolation: Option<Isolation>,
    /// Hides it from lists.
    pub hidden: Option<bool>,
    /// Removes it.
    pub disable: Option<bool>,
}

/// Who may start an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentMode {
    Primary,
    Subagent,
    All,
}

/// Where the tasks of an agent work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// In the project itself.
    None,
    /// In a git work tree of their own.
    Worktree,
}

/// Tools switched on or off by name or wildcard, or a list of the only tools it gets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AgentTools {
    Switches(Table<bool>),
    Only(Vec<String>),
}

/// One language server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LspServer {
    /// Program and arguments.
    pub command: Vec<String>,
    /// File extensions with the dot: `.rs`.
    pub extensions: Vec<String>,
    /// Switches it off.
    pub disabled: bool,
}

/// One MCP server: either `command` or `url`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpServer {
    /// Program and arguments of a server that uses stdin and stdout.
    pub command: Vec<String>,
    /// Environment variables it gets besides a minimal environment.
    pub env: Table<Secret>,
    /// The URL of an HTTP server.
    pub url: Option<String>,
    /// Headers sent with each request.
    pub headers: Table<Secret>,
    /// How long one call may take.
    #[schemars(range(min = 1))]
    pub timeout_ms: Option<u64>,
    /// Switches it off.
    pub disabled: bool,
}

/// Commands by event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "PascalCase")]
pub struct Hooks {
    pub pre_tool_use: Vec<HookMatcher>,
    pub post_tool_use: Vec<HookMatcher>,
    pub user_prompt_submit: Vec<HookMatcher>,
    pub stop: Vec<HookMatcher>,
    pub subagent_stop: Vec<HookMatcher>,
    pub pre_compact: Vec<HookMatcher>,
    pub session_start: Vec<HookMatcher>,
    pub session_end: Vec<HookMatcher>,
    pub notification: Vec<HookMatcher>,
}

impl Hooks {
    /// Returns the commands of all events.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        let events = [
            &self.pre_tool_use,
            &self.post_tool_use,
            &self.user_prompt_submit,
            &self.stop,
            &self.subagent_stop,
            &self.pre_compact,
            &self.session_start,
            &self.session_end,
            &self.notification,
        ];
        let hooks = events.into_iter().flatten().flat_map(|matcher| &matcher.hooks);
        hooks.map(|hook| hook.command.as_str())
    }

    /// The commands of an event by its name.
    pub(in crate::config) fn of_event(&mut self, event: &str) -> Option<&mut Vec<HookMatcher>> {
        Some(match event {
            "PreToolUse" => &mut self.pre_tool_use,
            "PostToolUse" => &mut self.post_tool_use,
            "UserPromptSubmit" => &mut self.user_prompt_submit,
            "Stop" => &mut self.stop,
            "SubagentStop" => &mut self.subagent_stop,
            "PreCompact" => &mut self.pre_compact,
            "SessionStart" => &mut self.session_start,
            "SessionEnd" => &mut self.session_end,
            "Notification" => &mut self.notification,
            _ => return None,
        })
    }
}

/// Commands for the tools that a pattern names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HookMatcher {
    /// A regular expression for the whole tool name; absent, empty or `*` for all.
    #[serde(default)]
    pub matcher: Option<String>,
    pub hooks: Vec<HookCommand>,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HookCommand {
    /// Always `command`.
    #[serde(rename = "type")]
    pub kind: HookKind,
    /// A command line for bash.
    pub command: String,
    /// Time limit in seconds; 60 when unset.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub timeout: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HookKind {
    Command,
}

/// One key, or several for the same action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Keys {
    One(String),
    Several(Vec<String>),
}

/// A terminal notification, or the terminal's bell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NotifyBy {
    /// The notification that the terminal supports, else the bell.
    #[default]
    Auto,
    Osc9,
    Osc99,
    Osc777,
    Bell,
    Off,
}

/// The full-screen interface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tui {
    /// Copies a mouse selection as soon as the button is released.
    pub copy_on_select: bool,
    /// Lines that one wheel step scrolls.
    #[schemars(range(min = 1, max = 100))]
    pub wheel_lines: u16,
    /// Captures the mouse; when off, the terminal's own selection works.
    pub mouse: bool,
    /// Gives the composer vim's insert, normal and visual mode.
    pub vim: bool,
    /// Symbols outside ASCII; `auto` follows the locale.
    pub symbols: SymbolSet,
    /// Turns off all animation, like `LATHE_REDUCED_MOTION`.
    pub reduced_motion: bool,
    /// Shows the session's title, and whether it waits for you, in the window title.
    pub title: bool,
    /// Marks links and file paths (OSC 8) so that the terminal can open them.
    pub links: bool,
    /// How you are notified of finished turns and questions while the terminal is unfocused.
    pub notify: NotifyBy,
    /// The key that leaves a focused terminal.
    pub terminal_leader: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SymbolSet {
    Auto,
    Unicode,
    Ascii,
}

impl Default for Tui {
    fn default() -> Self {
        Self {
            copy_on_select: false,
            wheel_lines: 3,
            mouse: true,
            vim: false,
            symbols: SymbolSet::Auto,
            reduced_motion: false,
            title: true,
            links: true,
            notify: NotifyBy::Auto,
            terminal_leader: None,
        }
    }
}
