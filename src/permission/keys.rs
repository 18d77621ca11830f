//! The keys under which rules are written: those of families of tools, the names of tools, and what other programs call
//! them.
//!
//! Known are the keys and tools of every build, because one configuration serves several versions.

use super::action::{Action, PROTECTED};

/// The keys of families, each with what happens to a subject that no other rule speaks about. Where there is nothing, the
/// defaults have rules of their own for it.
pub(super) const FAMILIES: &[(&str, Option<Action>)] = &[
    ("read", Some(Action::Allow)),
    ("edit", Some(Action::Ask)),
    (PROTECTED, None),
    ("bash", Some(Action::Ask)),
    ("interactive_bash", Some(Action::Ask)),
    ("external_directory", Some(Action::Ask)),
    ("webfetch", Some(Action::Ask)),
    // It follows `webfetch`.
    ("websearch", None),
    ("task", Some(Action::Allow)),
    ("skill", Some(Action::Allow)),
    ("mcp", Some(Action::Ask)),
    ("custom", Some(Action::Ask)),
    ("doom_loop", Some(Action::Ask)),
    ("glob", Some(Action::Allow)),
    ("grep", Some(Action::Allow)),
    ("list", Some(Action::Allow)),
    ("ast_grep_search", Some(Action::Allow)),
    ("lsp", Some(Action::Allow)),
    ("todowrite", Some(Action::Allow)),
    ("todoread", Some(Action::Allow)),
    ("task_board", Some(Action::Allow)),
    ("session", Some(Action::Allow)),
    ("question", Some(Action::Allow)),
    ("plan_enter", Some(Action::Allow)),
    ("plan_exit", Some(Action::Allow)),
    ("resolve", Some(Action::Allow)),
    // Asked where a hook says so, whatever the rules allow.
    ("hook", None),
];

/// Names of tools that are no family's key.
const TOOLS: &[&str] = &[
    "write",
    "multiedit",
    "hashline_edit",
    "apply_patch",
    "ast_grep_replace",
    "lsp_hover",
    "lsp_goto_definition",
    "lsp_find_references",
    "lsp_document_symbols",
    "lsp_workspace_symbols",
    "lsp_symbols",
    "lsp_diagnostics",
    "lsp_servers",
    "lsp_prepare_rename",
    "lsp_rename",
    "lsp_code_actions",
    "lsp_code_action_resolve",
    "background_task",
    "background_output",
    "background_cancel",
    "call_omo_agent",
    "look_at",
    "task_create",
    "task_get",
    "task_list",
    "task_update",
    "session_list",
    "session_read",
    "session_search",
    "session_info",
    "skill_mcp",
    "slashcommand",
    "codesearch",
    "batch",
    "invalid",
];

/// Names of other programs for some of them, without capitals and underscores.
const ALIASES: &[(&str, &str)] = &[
    ("ls", "list"),
    ("agent", "task"),
    ("view", "read"),
    ("readfile", "read"),
    ("writefile", "write"),
    ("shell", "bash"),
    ("fetch", "webfetch"),
    ("patch", "apply_patch"),
];

/// Every key that lathe itself has.
pub fn keys() -> impl Iterator<Item = &'static str> {
    let families = FAMILIES.iter().map(|(key, _)| *key);
    families.chain(TOOLS.iter().copied())
}

/// Returns true for a key that lathe itself has, under its own name.
pub fn is_key(name: &str) -> bool {
    keys().any(|key| key == name)
}

/// Returns true for a key whose subjects are paths.
pub(super) fn is_about_paths(key: &str) -> bool {
    const OF_PATHS: &[&str] = &[
        "read",
        "edit",
        PROTECTED,
        "external_directory",
        "list",
        "look_at",
        "write",
        "multiedit",
        "hashline_edit",
        "apply_patch",
        "ast_grep_replace",
        "lsp_rename",
        "lsp_code_action_resolve",
    ];
    OF_PATHS.contains(&key)
}

/// Returns lathe's name for a key: `bash` for `Bash`, `list` for `LS`, `server_tool` for `mcp__server__tool`.
pub fn own_key(given: &str) -> String {
    if is_key(given) || given.contains(['*', '?']) {
        return given.to_owned();
    }
    if let Some((server, tool)) = given.strip_prefix("mcp__").and_then(|name| name.split_once("__")) {
        return format!("{server}_{tool}");
    }
    let plain = squashed(given);
    let alias = ALIASES.iter().find(|(alias, _)| *alias == plain);
    let key = || keys().find(|key| squashed(key) == plain);
    let own = alias.map(|(_, key)| *key).or_else(key);
    own.unwrap_or(given).to_owned()
}

fn squashed(name: &str) -> String {
    name.to_lowercase().replace(['_', '-', ' '], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_by_their_own_names_whatever_others_call_them() {
        for (given, own) in [
            ("bash", "bash"),
            ("Bash", "bash"),
            ("Read", "read"),
            ("MultiEdit", "multiedit"),
            ("LS", "list"),
            ("TodoWrite", "todowrite"),
            ("WebFetch", "webfetch"),
            ("mcp__github__issue", "github_issue"),
            ("git*", "git*"),
            ("bsh", "bsh"),
        ] {
            assert_eq!(own_key(given), own);
        }
    }
}
