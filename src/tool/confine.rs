//! Which sandbox a command of a call runs in: what the settings say, as places that exist now, and for a call that only
//! reads, nothing else than reading.
//!
//! `process::sandbox` enforces it. What the rules protect (key `protected`) is looked for when the command starts, so a
//! protected name that does not exist yet is left to the questions that are asked before.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use super::command_asks::ReadsOnly;
use super::{SandboxMode, Services, ToolError};
use crate::conversation::ErrorKind;
use crate::permission::{Action, Mode, protected_subject};
use crate::process::{Confinement, Shell, git};
use crate::tree_walk::{Entry, Flow, IgnoreFiles, Walk};

/// How a command is confined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sandbox {
    pub mode: SandboxMode,
    /// `None` when the mode is off.
    pub confinement: Option<Confinement>,
    /// What the user has to know, once.
    pub notice: Option<String>,
}

/// The sandbox for a command of this agent. Blocks: it walks the project and tries the system.
pub fn sandbox(services: &Services, agent: &str) -> Result<Sandbox, ToolError> {
    let settings = &services.settings.sandbox;
    let mode = wanted(services, agent);
    if mode == SandboxMode::Off {
        return Ok(Sandbox::default());
    }
    let confinement = confinement(services, mode);
    match confinement.check() {
        Ok(()) => Ok(Sandbox {
            mode,
            confinement: Some(confinement),
            notice: None,
        }),
        // Nobody asked for more than was asked before.
        Err(why) if settings.mode == SandboxMode::Off => {
            let is_first = !services.told_of_no_sandbox.swap(true, Ordering::Relaxed);
            Ok(Sandbox {
                notice: is_first
                    .then(|| format!("planning would use a sandbox, which there is none of here: {why}")),
                ..Sandbox::default()
            })
        }
        Err(why) => Err(ToolError::new(
            ErrorKind::Unavailable,
            format!(
                "the sandbox `{}` cannot be enforced here, so the command was not run: {why}",
                mode.name()
            ),
        )
        .hint("The user can set `sandbox.mode` to `off`; `lathe doctor` says what the system offers.")),
    }
}

/// The sandbox of a call that only reads, whatever the settings allow: it changes nothing, speaks to nobody, and starts
/// the programs that it was judged by and no other. `None` where the kernel cannot enforce that.
pub(super) fn reading(services: &Services, reads_only: &ReadsOnly, shell: &Shell) -> Option<Sandbox> {
    if !can_confine_reading(services) {
        return None;
    }
    let mut programs = vec![shell.program().to_owned()];
    programs.extend(reads_only.programs.iter().cloned());
    if reads_only.runs_git {
        let is_git = |program: &&PathBuf| program.file_name().is_some_and(|name| name == "git");
        let git = reads_only.programs.iter().filter(is_git);
        programs.extend(git.flat_map(|program| git::own_programs(program)));
    }
    let path = services.environment.iter().find(|(name, _)| name == "PATH");
    let path = path.map(|(_, value)| value.as_os_str());
    Some(Sandbox {
        mode: SandboxMode::ReadOnly,
        confinement: Some(Confinement::reading(&programs, path, None)),
        notice: None,
    })
}

/// What a command of this agent will be confined to, for whoever is asked about it. What the settings want is enforced or
/// the command does not run; planning adds a sandbox only where there is one, and finding out takes milliseconds.
pub fn expected(services: &Services, agent: &str) -> SandboxMode {
    let (mode, settings) = (wanted(services, agent), services.settings.sandbox.mode);
    if mode == settings || settings != SandboxMode::Off || confinement(services, mode).check().is_ok() {
        mode
    } else {
        SandboxMode::Off
    }
}

/// Whether a command that only reads can be confined to that here. Asked for each command, so the answer is kept.
pub(crate) fn can_confine_reading(services: &Services) -> bool {
    services.kernel.can_confine_reading()
}

fn wanted(services: &Services, agent: &str) -> SandboxMode {
    let is_planning = agent == "plan" || services.gate.mode() == Mode::Plan;
    if is_planning {
        SandboxMode::ReadOnly
    } else {
        services.settings.sandbox.mode
    }
}

fn confinement(services: &Services, mode: SandboxMode) -> Confinement {
    let settings = &services.settings.sandbox;
    let project = services.roots.project_root();
    let temporary = temporary(services);
    let (mut writable, mut read_only) = (vec![temporary.clone()], Vec::new());
    match mode {
        SandboxMode::WorkspaceWrite => {
            writable.push(project.to_owned());
            writable.extend(settings.write.iter().cloned());
            for place in &writable[1..] {
                read_only.extend(protected(place, services));
            }
        }
        SandboxMode::ReadOnly if project.starts_with(&temporary) => read_only.push(project.to_owned()),
        SandboxMode::ReadOnly | SandboxMode::Off => {}
    }
    let is_writable = |path: &&PathBuf| writable.iter().any(|place| path.starts_with(place));
    // A scratch project lies in one of lathe's own directories.
    let own = settings.own.iter().filter(is_writable);
    read_only.extend(
        own.filter(|own| own.exists() && !project.starts_with(own))
            .cloned(),
    );
    Confinement {
        writable,
        read_only,
        network: settings.network,
        ..Confinement::default()
    }
}

fn temporary(services: &Services) -> PathBuf {
    let variable = services.environment.iter().find(|(name, _)| name == "TMPDIR");
    let given = variable
        .map(|(_, value)| PathBuf::from(value))
        .filter(|path| path.is_absolute());
    let path = given.unwrap_or_else(|| PathBuf::from("/tmp"));
    path.canonicalize().unwrap_or(path)
}

/// What is protected at a place and below, without what lies in something protected. Ignored directories are not entered,
/// as there are too many files in them, but they are looked at themselves.
fn protected(place: &Path, services: &Services) -> Vec<PathBuf> {
    let (permissions, project) = (services.gate.permissions(), services.roots.project_root());
    let is_protected = |path: &Path| {
        let relative = path.strip_prefix(project).ok().and_then(Path::to_str);
        let subject = protected_subject(path, relative);
        permissions.judge("protected", &subject).action != Action::Allow
    };
    let readable = services.gate.readable();
    let walk = Walk {
        root: place,
        ignore_files: IgnoreFiles::InRepositories,
        skips_hidden: false,
        follows_links: false,
        max_depth: usize::MAX,
        threads: 1,
        gate: &readable,
    };
    let enters = |entry: &Entry| entry.is_directory() && !is_protected(entry.path());
    let mut found = Vec::new();
    walk.each(&enters, |entry| {
        let listed = entry
            .ok()
            .and_then(|directory| fs::read_dir(directory.path()).ok());
        let paths = listed
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()));
        found.extend(paths.filter(|path| is_protected(path)));
        Flow::Continue
    });
    found
}
