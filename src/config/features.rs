//! Keys that the schema knows and this build does not follow yet, and keys that some files may not set.
//!
//! The whole schema is accepted from the beginning, so that one configuration serves several versions. Setting a key
//! without its feature is a warning. A feature that arrives takes its line out of a list here.

/// Keys without a feature, and what is missing.
pub(super) const LACKING: &[(&[&str], &str)] = &[
    (&["lsp"], "there are no language servers"),
    (&["mcp"], "there are no MCP servers"),
    (&["custom_tools"], "there are no custom tools"),
    (&["script"], "there are no custom tools"),
    (&["stream_rules"], "replies are not watched while they stream"),
];

/// Returns what is missing for a key that has no feature yet.
pub fn lacking(key: &str) -> Option<&'static str> {
    let lack = LACKING.iter().find(|(path, _)| *path == [key]);
    lack.map(|(_, lack)| *lack)
}

/// Keys that only the global file may set.
const GLOBAL_ONLY: &[&[&str]] = &[&["trust"], &["permission", "protected"], &["retention"]];

/// Actions of `keybinds` that answer for the person begin with these. No project changes what they are answered with.
const ANSWERING: &[&str] = &["permission-", "trust-"];

/// All that counts of the managed file.
pub(super) const OF_THE_MANAGED: &[&str] = &["$schema", "permission", "tools"];

/// Returns true if only the global file may set a key.
pub(super) fn is_global_only<S: AsRef<str>>(path: &[S]) -> bool {
    GLOBAL_ONLY
        .iter()
        .any(|key| path.iter().map(AsRef::as_ref).eq(key.iter().copied()))
}

/// Returns true if a key changes what a person answers with.
pub(super) fn answers<S: AsRef<str>>(path: &[S]) -> bool {
    match path {
        [keybinds, name] if keybinds.as_ref() == "keybinds" => {
            ANSWERING.iter().any(|prefix| name.as_ref().starts_with(prefix))
        }
        _ => false,
    }
}
