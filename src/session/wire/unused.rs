//! Everything of other agents' setups that is found and not used, each with the reason.

use std::path::Path;

use super::imported::imported_lists;
use super::rule_files::UsersRules;
use super::{OpenRequest, agents, first_of, user_commands};
use crate::config;
use crate::text::sanitize::sanitize_line;
use crate::text::width::truncate;
use crate::tool::{Registry, Resolution};

/// Things that one line names.
const NAMED: usize = 6;
/// Columns of a name that are shown.
const NAME_COLUMNS: usize = 60;

/// Something of another agent's that is there and does nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedSetting {
    pub what: String,
    pub why: String,
}

/// Returns everything that is found and not used.
pub fn unused(request: &OpenRequest) -> Vec<UnusedSetting> {
    let root = &request.trust.root;
    let mut unused = Vec::new();
    let mut add = |what: &str, file: &Path, why: &str| {
        unused.push(UnusedSetting {
            what: format!(
                "`{}` in `{}`",
                truncate(&sanitize_line(what), NAME_COLUMNS),
                display_path(file, root)
            ),
            why: why.to_owned(),
        });
    };
    if let UsersRules::Waiting { file, part, .. } = &request.trust.users_rules {
        let why = "it needs your approval: the screen asks, and `--trust` uses it once";
        add(&part.key, file, why);
    }
    for rules in &request.loaded.claude_rules {
        for key in &rules.unused {
            add(key, &rules.file, "lathe has settings of its own");
        }
    }
    let (commands, _) = user_commands(request);
    for command in commands.iter() {
        for key in &command.unused {
            let why = match key.as_str() {
                "allowed-tools" => "the permission rules decide what a command may do",
                _ => "lathe has no such key",
            };
            add(key, &command.file, why);
        }
    }
    for agent in agents::load(request).usable() {
        for (source, model) in &agent.unknown_models {
            let what = format!("model: {model}");
            let why = "lathe does not know this model name; the session's model is used";
            add(&what, source.file.as_deref().unwrap_or(Path::new("")), why);
        }
    }
    for left in imported_lists(request)
        .into_iter()
        .flat_map(|list| list.translation.left_out)
    {
        let instead = left.instead();
        let separator = if instead.is_empty() { "" } else { "; " };
        add(
            &left.rule,
            &left.file,
            &format!("{}{separator}{instead}", left.why),
        );
    }
    let others = other_files().into_iter();
    let others = others.filter(|(name, _)| root.join(name).symlink_metadata().is_ok());
    unused.extend(others.map(|(name, why)| UnusedSetting {
        what: format!("`{name}`"),
        why,
    }));
    unused
}

fn display_path(file: &Path, root: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).display().to_string()
}

/// Files and directories of other agents that lathe does nothing with, each with the reason.
fn other_files() -> Vec<(&'static str, String)> {
    let yet = |lack: &str| format!("{lack} in this build of lathe yet");
    let mut files = Vec::new();
    let mut add = |names: &[&'static str], why: &str| {
        files.extend(names.iter().map(|name| (*name, why.to_owned())));
    };
    if let Some(lack) = config::lacking("mcp") {
        add(&[".mcp.json"], &yet(lack));
    }
    if matches!(Registry::builtin().resolve("skill"), Resolution::Unknown { .. }) {
        let names = [
            ".claude/skills",
            ".opencode/skill",
            ".opencode/skills",
            ".agents/skills",
        ];
        add(&names, &yet("there are no skills"));
    }
    if let Some(lack) = config::lacking("custom_tools") {
        let names = [
            ".claude/tools",
            ".opencode/tool",
            ".opencode/tools",
            ".omp/tools",
            ".xcsh/tools",
        ];
        add(&names, &yet(lack));
    }
    add(
        &[
            "opencode.json",
            "opencode.jsonc",
            ".codex/config.toml",
            ".gemini/settings.json",
        ],
        "lathe has settings of its own",
    );
    add(
        &[
            "GEMINI.md",
            ".cursorrules",
            ".cursor/rules",
            ".windsurfrules",
            ".clinerules",
            ".github/copilot-instructions.md",
        ],
        "`instructions` in `lathe.jsonc` can name it",
    );
    files
}

/// Returns the one line that names what is found and not used.
pub(super) fn unused_line(request: &OpenRequest) -> Option<String> {
    let unused = unused(request);
    if unused.is_empty() {
        return None;
    }
    let all = unused.iter().map(UnusedSetting::to_string);
    let named = first_of(all, NAMED, ", which `lathe doctor` lists");
    Some(format!("found but not used: {}", named.join(", ")))
}

impl std::fmt::Display for UnusedSetting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.what, self.why)
    }
}
