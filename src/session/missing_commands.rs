//! Commands that people know from other programs, or from pages about later versions, and that this version does not have.
//! Whoever types one is told so, and what there is instead. A command that arrives takes its line out of the list.

/// Names, and what is said of them.
const MISSING: &[(&[&str], &str)] = &[
    (
        &["mcp"],
        "MCP servers are not supported yet; `lathe doctor` lists those that are not used",
    ),
    (
        &["login", "logout", "auth"],
        "there is no sign-in yet: a key comes from the environment or `lathe.jsonc`",
    ),
    (
        &["skills", "skill"],
        "skills are not supported yet; commands of your own are",
    ),
    (
        &["effort", "variant"],
        "reasoning effort cannot be set yet; `/model` changes the model",
    ),
    (
        &["plugins", "plugin"],
        "there are no plugins; `/hooks` lists the hooks",
    ),
    (&["goal"], "there are no goals yet"),
    (&["loop", "monitor"], "nothing can be repeated or watched for yet"),
    (&["lsp"], "language servers are not supported yet"),
    (
        &["detach", "attach"],
        "sessions end with lathe and are saved; `lathe -c` goes on with the last",
    ),
    (&["tools"], "`lathe tools` lists the tools"),
    (
        &["sandbox"],
        "there is no page of it yet; `/status` tells what confines commands",
    ),
];

/// Returns what is said of a command that this version does not have.
pub fn missing_command(name: &str) -> Option<&'static str> {
    let found = MISSING.iter().find(|(names, _)| names.contains(&name));
    found.map(|(_, words)| *words)
}
