//! The trust in a project, and the parts of it that only count with it.
//!
//! The *parts* of a project are all that it brings beyond text and stricter rules: everything in its configuration that
//! is not on the closed list (`config::untrusted`), the hooks in its settings of Claude Code, what its agents say beyond
//! text, and the shell commands, models and agents of its commands. All are read once, before anybody is asked: what is
//! trusted is what was shown, and so is what is used. Trusted are the parts that the user looked at before and that did
//! not change, those of projects that the global configuration lists, and all with `--trust`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::gates::{records, roots};
use super::imported::users_file;
use super::part::Part;
use super::rule_files::UsersRules;
use super::tool_names::own_name;
use super::unconfirmed::{ConfirmedState, UnconfirmedParts, after_yes};
use super::{ErrorReport, OpenRequest, ReportKind, agents, commands, config_error, first_of};
use crate::config::{self, ConfigError, LoadedConfig, ToolSwitches};
use crate::files::ContentHash;
use crate::permission::Pattern;
use crate::project::agents::{AgentFiles, ToolChoice};
use crate::project::commands::{CommandOwner, UserCommand, shell_commands};
use crate::project::frontmatter::SourceProblem;
use crate::store::{Store, TrustRow, TrustedPlace};
use crate::text::diff;
use crate::tool::{Registry, ToolSet};

/// Parts that a sentence names.
const NAMED: usize = 4;

/// How the project stands.
#[derive(Debug, Clone, Default)]
pub struct ProjectTrust {
    pub root: PathBuf,
    pub state: TrustState,
    pub parts: Vec<Part>,
    /// Rules that the user's own settings of another agent would add.
    pub users_rules: UsersRules,
    /// Files that agents and commands created or changed.
    pub left_out: UnconfirmedParts,
    /// The deepest directory that brings a part: below it others may be trusted apart.
    place: PathBuf,
    /// As they were when their rules were listed.
    pub(super) agents: Option<Arc<AgentFiles>>,
    pub(super) commands: Option<FoundCommands>,
}

type FoundCommands = (Arc<[UserCommand]>, Vec<SourceProblem>);

#[derive(Debug, Clone, Default, PartialEq)]
pub enum TrustState {
    /// The project brings nothing that would need it.
    #[default]
    NotNeeded,
    Trusted(TrustedBy),
    /// Its parts are left out. They may differ from parts that were trusted before.
    Untrusted {
        before: Option<Vec<Part>>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustedBy {
    /// `--trust`, for this process.
    Flag,
    /// `trust` in the global configuration.
    Configuration,
    /// The user's answer, now or earlier.
    Answer,
}

/// The flag `--trust`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustFlag {
    Given,
    Absent,
}

impl ProjectTrust {
    pub fn is_trusted(&self) -> bool {
        matches!(self.state, TrustState::Trusted(_))
    }

    /// Returns true if there is something to ask the user about.
    pub fn is_open(&self) -> bool {
        self.is_untrusted()
            || self.left_out.is_open()
            || matches!(self.users_rules, UsersRules::Waiting { .. })
    }

    /// Returns true if the user is asked about files that agents and commands created or changed.
    pub fn asks_about_files(&self) -> bool {
        self.left_out.is_open()
    }

    /// Returns true if the project brings parts that do not count.
    pub fn is_untrusted(&self) -> bool {
        matches!(self.state, TrustState::Untrusted { .. })
    }

    /// The place that the user is asked about: the project, or the user's own file alone.
    pub fn asked_place(&self) -> &Path {
        match &self.users_rules {
            UsersRules::Waiting { file, .. } if !self.is_untrusted() && !self.left_out.is_open() => file,
            _ => &self.root,
        }
    }

    /// The parts that the user is asked about.
    pub fn asked_parts(&self) -> Vec<&Part> {
        let of_project = self.parts.iter().filter(|_| self.is_untrusted());
        let own = match &self.users_rules {
            UsersRules::Waiting { part, .. } => Some(part),
            UsersRules::None | UsersRules::Counting => None,
        };
        let left_out = self.left_out.parts.iter().filter(|_| self.left_out.is_open());
        of_project.chain(left_out).chain(own).collect()
    }

    /// The difference to what was trusted before, as a unified diff.
    pub fn change(&self) -> Option<String> {
        let mut before = Vec::new();
        if let TrustState::Untrusted { before: Some(parts) } = &self.state {
            before.push(parts);
        }
        if let UsersRules::Waiting {
            before: Some(parts), ..
        } = &self.users_rules
        {
            before.push(parts);
        }
        if before.is_empty() {
            return None;
        }
        let before = listing(before.into_iter().flatten());
        Some(diff::unified("trusted", &before, &listing(self.asked_parts())).text)
    }

    /// Returns the report for whoever cannot answer: the parts that are left out.
    pub fn report(&self) -> Option<ErrorReport> {
        let root = self.root.display();
        let why = match &self.state {
            TrustState::Untrusted { before: None } => Some("is not trusted"),
            TrustState::Untrusted { before: Some(_) } => Some("is no longer trusted, because it changed"),
            TrustState::NotNeeded | TrustState::Trusted(_) => None,
        };
        let left_out = self.left_out.sentence();
        let for_good = match &left_out {
            None => format!("`\"trust\": [\"{root}\"]` in your configuration for good"),
            Some(_) => "the question that `lathe` asks on a terminal for good".to_owned(),
        };
        let message = match (why, left_out) {
            (None, None) => return None,
            (None, Some(left_out)) => format!("in the project `{root}` {left_out}"),
            (Some(why), left_out) => {
                let ignored = format!(
                    "the project `{root}` {why}; its own code and rules are ignored: {}",
                    self.names()
                );
                let left_out = left_out.map(|left_out| format!("; {left_out}"));
                ignored + &left_out.unwrap_or_default()
            }
        };
        let report = ErrorReport::new(ReportKind::Untrusted, message);
        Some(report.hinted(format!("`--trust` uses it once, {for_good}")))
    }

    /// `hooks` in `lathe.jsonc`, and so on.
    pub fn names(&self) -> String {
        part_names(&self.parts)
    }

    fn row(&self) -> TrustRow {
        row(&self.parts)
    }
}

fn row(parts: &[Part]) -> TrustRow {
    // Strings and values of JSON can always be written.
    let parts = serde_json::to_string(parts).unwrap_or_default();
    TrustRow {
        hash: ContentHash::of(parts.as_bytes()).to_string(),
        parts,
    }
}

fn part_names(parts: &[Part]) -> String {
    names(
        parts
            .iter()
            .map(|Part { file, key, .. }| format!("`{key}` in `{file}`")),
    )
}

/// The first of many.
pub(super) fn names(all: impl ExactSizeIterator<Item = String>) -> String {
    first_of(all, NAMED, "").join(", ")
}

/// Names the parts of a place that is trusted.
pub fn trusted_names(trusted: &TrustedPlace) -> String {
    let parts: Vec<Part> = serde_json::from_str(&trusted.parts).unwrap_or_default();
    part_names(&parts)
}

fn listing<'a>(parts: impl IntoIterator<Item = &'a Part>) -> String {
    let mut text = String::new();
    for part in parts {
        let _ = writeln!(text, "{}: {}\n{}\n", part.file, part.key, part.text());
    }
    text
}

/// Finds out how the project stands, and uses its parts when it is trusted. Reads files and blocks.
///
/// Files that an agent or a command created or changed are left out, however the project is trusted, unless the flag is given.
pub fn settle_trust(request: &mut OpenRequest, flag: TrustFlag) -> Result<(), ErrorReport> {
    let brings_files = !request.loaded.unconfirmed().files().is_empty();
    if flag == TrustFlag::Given && brings_files {
        let ConfirmedState { loaded, trust } = after_yes(request, flag)?;
        request.loaded = loaded;
        request.trust = trust;
        return Ok(());
    }
    settle(request, flag)?;
    request.trust.left_out = UnconfirmedParts::of(request);
    Ok(())
}

/// The same for the files that are not left out.
pub(super) fn settle(request: &mut OpenRequest, flag: TrustFlag) -> Result<(), ErrorReport> {
    let root = roots(request, &request.directory).project_root().to_owned();
    let agents = agents::find(request, request.loaded.unconfirmed());
    let commands = commands::find(request, request.loaded.unconfirmed());
    let mut parts = parts(request, &agents, &root);
    parts.extend(command_parts(&commands.0, &root));
    let mut trust = ProjectTrust {
        place: place(&request.directory, &root, &parts),
        root,
        state: TrustState::NotNeeded,
        parts,
        users_rules: users_rules(request, flag)?,
        left_out: UnconfirmedParts::default(),
        agents: Some(Arc::new(agents)),
        commands: Some(commands),
    };
    trust.state = if flag == TrustFlag::Given {
        TrustState::Trusted(TrustedBy::Flag)
    } else if is_listed(request, &trust.root) {
        TrustState::Trusted(TrustedBy::Configuration)
    } else if trust.parts.is_empty() {
        TrustState::NotNeeded
    } else {
        stored_trust(request, &trust.root, &trust.place, &trust.row())?
    };
    if trust.is_trusted() {
        use_parts(request)?;
    }
    request.trust = trust;
    Ok(())
}

/// Takes the user's answer that the parts are trusted: remembers them, and uses them.
pub fn accept_trust(request: &mut OpenRequest) -> Result<(), ErrorReport> {
    let store = Store::open(&request.dirs.data)?;
    let trust = &request.trust;
    if let UsersRules::Waiting { file, part, .. } = &trust.users_rules {
        store.set_trusted(file, file, &row(std::slice::from_ref(part)))?;
        request.trust.users_rules = UsersRules::Counting;
    }
    let after_yes = request.trust.left_out.after_yes.take();
    let shown = after_yes.as_ref().map(|_| request.loaded.unconfirmed().clone());
    if let Some(after) = after_yes {
        let users_rules = request.trust.users_rules.clone();
        request.trust = after.trust;
        request.trust.users_rules = users_rules;
        put_in_place(request, after.loaded);
    }
    let trust = &request.trust;
    if trust.is_untrusted() {
        store.set_trusted(&trust.root, &trust.place, &trust.row())?;
        use_parts(request)?;
        request.trust.state = TrustState::Trusted(TrustedBy::Answer);
    }
    if let Some(shown) = shown {
        records(&request.dirs).confirm(&shown).map_err(|error| {
            let message = format!("your answer could not be stored: {error}");
            ErrorReport::new(ReportKind::Storage, message)
        })?;
    }
    Ok(())
}

/// Finds out whether the user has said yes to what a place brings.
fn stored_trust(
    request: &OpenRequest,
    project: &Path,
    place: &Path,
    now: &TrustRow,
) -> Result<TrustState, ErrorReport> {
    let store = Store::open_existing(&request.dirs.data)?;
    let row = match store {
        Some(store) => store.trusted(project, place)?,
        None => None,
    };
    let Some(row) = row else {
        return Ok(TrustState::Untrusted { before: None });
    };
    if row.hash == now.hash {
        return Ok(TrustState::Trusted(TrustedBy::Answer));
    }
    // What cannot be read any more is shown as nothing, so that all of it is new.
    let before = serde_json::from_str(&row.parts).unwrap_or_default();
    Ok(TrustState::Untrusted { before: Some(before) })
}

/// Finds out whether what the user's own settings of Claude Code allow counts.
fn users_rules(request: &OpenRequest, flag: TrustFlag) -> Result<UsersRules, ErrorReport> {
    let Some((file, allowed)) = users_file(&request.loaded.claude_rules) else {
        return Ok(UsersRules::None);
    };
    if flag == TrustFlag::Given || is_listed(request, &file) {
        return Ok(UsersRules::Counting);
    }
    let part = Part {
        file: file.to_string_lossy().into_owned(),
        key: "permissions.allow".to_owned(),
        value: Value::from(allowed.to_vec()),
    };
    let state = stored_trust(request, &file, &file, &row(std::slice::from_ref(&part)))?;
    Ok(match state {
        TrustState::Untrusted { before } => UsersRules::Waiting { file, part, before },
        TrustState::NotNeeded | TrustState::Trusted(_) => UsersRules::Counting,
    })
}

/// Puts the configuration with the project's parts in the place of that without.
fn use_parts(request: &mut OpenRequest) -> Result<(), ErrorReport> {
    let trusted = request.loaded.trusted().map_err(|error: ConfigError| {
        config_error(
            error.to_string(),
            "This applies because the project is trusted; fix it, or remove it.",
        )
    })?;
    put_in_place(request, trusted);
    Ok(())
}

/// Replaces the configuration by another one of the same files.
fn put_in_place(request: &mut OpenRequest, loaded: LoadedConfig) {
    let before = std::mem::replace(&mut request.loaded, loaded);
    // A server that was found on the first start is in no file.
    let providers = &request.loaded.config.providers;
    let added = before
        .config
        .providers
        .iter()
        .filter(|(name, _)| providers.get(name).is_none());
    let all = providers.iter().chain(added);
    request.loaded.config.providers = all
        .map(|(name, settings)| (name.to_owned(), settings.clone()))
        .collect();
}

/// `trust` of the global configuration.
fn is_listed(request: &OpenRequest, root: &Path) -> bool {
    let home = request.dirs.home.as_deref();
    // The root is a real path, and the home directory may be reached through a link.
    let real_home = home.and_then(|home| home.canonicalize().ok());
    let root = root.to_string_lossy();
    let homes = [home, real_home.as_deref()];
    let mut listed = request.loaded.config.trust.iter();
    listed.any(|glob| homes.iter().any(|home| Pattern::new(glob, *home).matches(&root)))
}

fn parts(request: &OpenRequest, agents: &AgentFiles, root: &Path) -> Vec<Part> {
    let configured = request.loaded.project_parts.iter();
    let mut parts: Vec<Part> = configured
        .map(|found| Part::new(&found.file, root, &found.key, found.value.clone()))
        .collect();
    let registry = Registry::builtin();
    for given in agents.of_project(&agents::configured(request)) {
        let mut add = |key: &str, value: Value| {
            let key = format!("agents.{}.{key}", given.name);
            parts.push(Part::new(given.file, root, &key, value));
        };
        for (key, value) in given.patch.beyond_text(given.adds) {
            add(key, value);
        }
        if given.patch.tools.iter().any(|choice| widens(choice, &registry)) {
            add("tools", written_tools(&given.patch.tools));
        }
        if let Some(rules) = given
            .patch
            .permission
            .as_ref()
            .filter(|rules| config::allows(rules))
        {
            add("permission", rules.clone());
        }
    }
    parts
}

/// Returns true if tools are switched on that nobody is shown by default.
fn widens(choice: &ToolChoice, registry: &Registry) -> bool {
    let mut switches = ToolSwitches::default();
    match choice {
        ToolChoice::Switches(given) => {
            for (name, on) in given {
                switches.push_user(own_name(name, registry), *on);
            }
        }
        ToolChoice::Only(names) => {
            for name in names {
                switches.push_user(own_name(name, registry), true);
            }
        }
    }
    registry
        .tools()
        .any(|tool| tool.set() != ToolSet::Core && switches.get(tool.name()) == Some(true))
}

/// Lists and switches as they are written.
fn written_tools(choices: &[ToolChoice]) -> Value {
    let written = choices.iter().map(|choice| match choice {
        ToolChoice::Switches(switches) => {
            let switches = switches.iter().map(|(name, on)| (name.clone(), Value::from(*on)));
            Value::Object(switches.collect())
        }
        ToolChoice::Only(names) => Value::from(names.clone()),
    });
    written.collect()
}

/// Parts of the project's commands: all that they ask for besides sending a text.
fn command_parts(commands: &[UserCommand], root: &Path) -> Vec<Part> {
    let mut parts = Vec::new();
    let own = commands
        .iter()
        .filter(|command| command.owner == CommandOwner::Project);
    for command in own {
        let shell = shell_commands(&command.body);
        let wanted = [
            ("shell", (!shell.is_empty()).then(|| Value::from(shell))),
            ("model", command.model.clone().map(Value::from)),
            ("agent", command.agent.clone().map(Value::from)),
        ];
        let wanted = wanted.into_iter().filter_map(|(key, value)| Some((key, value?)));
        parts.extend(wanted.map(|(key, value)| Part::new(&command.file, root, key, value)));
    }
    parts
}

fn place(directory: &Path, root: &Path, parts: &[Part]) -> PathBuf {
    let brings = |dir: &&Path| parts.iter().any(|part| root.join(&part.file).starts_with(dir));
    let dirs = directory.ancestors().take_while(|dir| dir.starts_with(root));
    dirs.into_iter().find(brings).unwrap_or(root).to_owned()
}

#[cfg(test)]
mod tests;
