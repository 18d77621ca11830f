//! Keys that the schema knows and this build does not follow yet, and keys that some files may not set.
//!
//! The whole schema is accepted from the beginning, so that one configuration serves several versions. Setting a key
//! without its feature is a warning; leaving a protection unenforced would be worse than stopping, so that is an error.
//! A feature that arrives takes its line out of a list here.

/// Keys without a feature, and what is missing.
pub(super) const LACKING: &[(&[&str], &str)] = &[
    (&["agents"], "agents cannot be configured"),
    (&["background"], "there are no background tasks"),
    (&["lsp"], "there are no language servers"),
    (&["mcp"], "there are no MCP servers"),
    (&["hooks"], "there are no hooks"),
    (&["custom_tools"], "there are no custom tools"),
    (&["keybinds"], "keys cannot be changed"),
    (&["categories"], "there are no task categories"),
    (&["batch"], "there is no `batch` tool"),
    (&["edit", "mode"], "there are only `edit` and `write`"),
    (&["script"], "there are no custom tools"),
    (&["trust"], "projects cannot be trusted"),
    (&["stream_rules"], "replies are not watched while they stream"),
    (&["tui", "copy_on_select"], "there is no selection to copy"),
    (&["tui", "terminal_leader"], "there are no terminal panes"),
];

/// Settings that protect; each with the value, if any, that asks for nothing.
pub(super) const UNENFORCED: &[Protection] = &[
    Protection {
        key: &["sandbox", "mode"],
        harmless: Some("off"),
        what: "the sandbox",
    },
    Protection {
        key: &["hooks", "PreToolUse"],
        harmless: None,
        what: "hooks before a tool call",
    },
];

pub(super) struct Protection {
    pub(super) key: &'static [&'static str],
    /// The one value that may be written.
    pub(super) harmless: Option<&'static str>,
    pub(super) what: &'static str,
}

/// What a project's file may not set: it could run code, send data elsewhere or loosen a rule.
pub(super) const NOT_FROM_A_PROJECT: &[&[&str]] = &[
    &["providers"],
    &["hooks"],
    &["custom_tools"],
    &["mcp"],
    &["lsp"],
    &["trust"],
    &["permission", "protected"],
    &["bash", "shell"],
    &["bash", "env_allow"],
    &["script"],
    &["sandbox"],
];

/// What only the global file may set.
pub(super) const GLOBAL_ONLY: &[&[&str]] = &[&["trust"], &["permission", "protected"]];
