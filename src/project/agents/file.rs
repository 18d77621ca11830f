//! Reading one file of a directory of agents.

use std::path::Path;

use super::Owner;
use super::patch::{AgentPatch, CheckRules, Dialect, patch};
use crate::project::frontmatter::{self, SourcePosition, SourceProblem};
use crate::project::markdown_file::ReadBudget;
use crate::regular_file::FileGate;
use crate::unconfirmed::UnconfirmedFiles;

const MAX_NAME: usize = 64;

/// Directory of agent files with its owner and format.
#[derive(Debug, Clone, Copy)]
pub(super) struct AgentDirectory<'a> {
    pub(super) dialect: Dialect,
    pub(super) owner: Owner,
    /// The directory that every file must lie in, if one is given.
    pub(super) confined_to: Option<&'a Path>,
    /// Confirmed files, where they have been judged.
    pub(super) judged: Option<&'a UnconfirmedFiles>,
}

/// A file that was read.
pub(super) struct ReadAgent {
    pub(super) name: String,
    pub(super) patch: Result<AgentPatch, SourceProblem>,
}

/// A file without an agent.
pub(super) enum FileFault {
    /// It could not be opened or read; its agent has this name.
    Unread(String, SourceProblem),
    /// It names no agent.
    Nameless(SourceProblem),
}

/// Reads a file. `Ok(None)` is one that is none of our business.
pub(super) fn read(
    path: &Path,
    directory: AgentDirectory<'_>,
    check_rules: CheckRules<'_>,
    gate: &dyn FileGate,
    allowance: &mut ReadBudget,
) -> Result<Option<ReadAgent>, FileFault> {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let Some(stem) = stem else {
        let message = "the name of the file is not valid UTF-8";
        return Err(FileFault::Nameless(SourceProblem::new(path, message)));
    };
    let check = |name: &str| {
        let error = |message| frontmatter::broken(SourcePosition::START, message);
        check_name(name).map_err(|message| FileFault::Nameless(SourceProblem::placed(path, error(message))))
    };
    let text = match allowance.read(path, directory.confined_to, gate, directory.judged) {
        Ok(text) => text,
        Err(message) => {
            check(stem)?;
            return Err(FileFault::Unread(
                stem.to_owned(),
                SourceProblem::new(path, message),
            ));
        }
    };
    let parsed = match directory.dialect {
        Dialect::Claude => frontmatter::parse_lenient(&text),
        Dialect::Lathe | Dialect::OpenCode => frontmatter::parse(&text),
    };
    let front = match parsed {
        Ok(front) => front,
        Err(error) => {
            check(stem)?;
            return Ok(Some(ReadAgent {
                name: stem.to_owned(),
                patch: Err(SourceProblem::placed(path, error)),
            }));
        }
    };
    // Claude's agents always have one; what has none is a note beside them.
    if directory.dialect == Dialect::Claude && front.fields.is_empty() {
        return Ok(None);
    }
    let given = front.fields.get("name").and_then(|field| field.value.as_str());
    let name = match (directory.dialect, given) {
        (Dialect::Claude, Some(name)) => name.trim().to_owned(),
        _ => stem.to_owned(),
    };
    check(&name)?;
    let said = patch(&front, directory.dialect, check_rules);
    Ok(Some(ReadAgent {
        name,
        patch: said.map_err(|error| SourceProblem::placed(path, error)),
    }))
}

/// Says why a word cannot be an agent's name.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins_well && name.len() <= MAX_NAME && name.chars().all(is_plain) {
        return Ok(());
    }
    let shown: String = name.chars().take(MAX_NAME).collect();
    Err(format!(
        "`{shown}` cannot be the name of an agent; use at most {MAX_NAME} letters, digits, `-`, `_` and `.`"
    ))
}
