//! Chooses the sandbox of a call's commands: from the settings, as places that exist now, and for a call that only
//! reads, nothing else than reading.
//!
//! `process::sandbox` enforces it. What the rules protect (key `protected`) is looked for when the command starts, so a
//! protected name that does not exist yet is left to the questions that are asked before.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use super::protected_names::is_protected;
use super::reads_only::ReadsOnly;
use super::{SandboxMode, SessionServices, TaskTree, ToolError};
use crate::conversation::ErrorKind;
use crate::permission::{Mode, may_be_protected};
use crate::process::{Confinement, Metadata, Shell, Support, git};
use crate::tree_walk::{Entry, Flow, IgnoreFiles, Walk};

/// Names that are looked at in search of protected ones where ignore files do not help: some hundredths of a second.
const MAX_IGNORED: usize = 50_000;

/// How a command is confined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandSandbox {
    pub mode: SandboxMode,
    /// `None` when the mode is off.
    pub confinement: Option<Confinement>,
    /// A sentence that the user has to know, once.
    pub notice: Option<String>,
}

/// The sandbox for a command of this agent. Blocks: it walks the project and tries the system.
pub fn sandbox(services: &SessionServices, agent: &str) -> Result<CommandSandbox, ToolError> {
    let settings = &services.settings.sandbox;
    let mode = wanted(services, agent);
    if mode == SandboxMode::Off {
        return Ok(CommandSandbox::default());
    }
    let confinement = confinement(services, mode);
    match enforceable(&confinement) {
        Ok(()) => Ok(CommandSandbox {
            mode,
            confinement: Some(confinement),
            notice: None,
        }),
        // Nobody asked for more than was asked before.
        Err(why) if settings.mode == SandboxMode::Off => {
            let is_first = !services.tree.told_of_no_sandbox.swap(true, Ordering::Relaxed);
            Ok(CommandSandbox {
                notice: is_first
                    .then(|| format!("planning would use a sandbox, which there is none of here: {why}")),
                ..CommandSandbox::default()
            })
        }
        Err(why) => Err(ToolError::new(
            ErrorKind::Unavailable,
            format!(
                "the sandbox `{}` cannot be enforced here, so the command was not run: {why}",
                mode.name()
            ),
        )
        .hint(if settings.tree.is_some() {
            "A task with a work tree of its own runs its commands in it alone; `lathe doctor` says what the system offers."
        } else {
            "The user can set `sandbox.mode` to `off`; `lathe doctor` says what the system offers."
        })),
    }
}

/// The sandbox of a call that only reads, whatever the settings allow: it changes nothing, speaks to nobody, and starts
/// the programs that it was judged by and no other. `None` where the kernel cannot enforce that.
pub(super) fn reading(
    services: &SessionServices,
    reads_only: &ReadsOnly,
    shell: &Shell,
) -> Option<CommandSandbox> {
    if !can_confine_reading(services) {
        return None;
    }
    let mut programs = vec![shell.program().to_owned()];
    programs.extend(reads_only.programs.iter().cloned());
    if reads_only.git.is_some() {
        let is_git = |program: &&PathBuf| program.file_name().is_some_and(|name| name == "git");
        let git = reads_only.programs.iter().filter(is_git);
        programs.extend(git.flat_map(|program| git::own_programs(program)));
    }
    let scratch = services.tree.scratch.path().to_owned();
    let path = services.variable("PATH");
    Some(CommandSandbox {
        mode: SandboxMode::ReadOnly,
        confinement: Some(Confinement::reading(&programs, path, Some(scratch))),
        notice: None,
    })
}

/// Returns the sandbox mode for a command of this agent, for whoever is asked about it. What the settings want is
/// enforced or the command does not run; planning adds a sandbox only where there is one, and finding out takes
/// milliseconds.
pub fn expected(services: &SessionServices, agent: &str) -> SandboxMode {
    let (mode, settings) = (wanted(services, agent), services.settings.sandbox.mode);
    if mode == settings || settings != SandboxMode::Off || enforceable(&confinement(services, mode)).is_ok() {
        mode
    } else {
        SandboxMode::Off
    }
}

/// Returns true if a command that only reads can be confined to that here. Asked for each command, so the answer is kept.
pub(crate) fn can_confine_reading(services: &SessionServices) -> bool {
    services.tree.kernel.can_confine_reading()
}

/// Says why commands cannot be held to one directory here, if they cannot.
pub fn check_workspace() -> Result<(), String> {
    enforceable(&Confinement {
        metadata: Metadata::Mounts,
        ..Confinement::default()
    })
}

/// Returns true if the kernel can enforce it. What it was found to have for all of them is not tried again.
fn enforceable(confinement: &Confinement) -> Result<(), String> {
    if Support::of_kernel().can_confine_reading() && Support::has_mounts() {
        return Ok(());
    }
    confinement.check()
}

fn wanted(services: &SessionServices, agent: &str) -> SandboxMode {
    let is_planning = agent == "plan" || services.gate.mode() == Mode::Plan;
    if is_planning {
        SandboxMode::ReadOnly
    } else {
        services.settings.sandbox.mode
    }
}

fn confinement(services: &SessionServices, mode: SandboxMode) -> Confinement {
    let settings = &services.settings.sandbox;
    let project = services.roots.project_root();
    let temporary = services.tree.scratch.path().to_owned();
    let (mut writable, mut read_only) = (vec![temporary.clone()], Vec::new());
    match mode {
        SandboxMode::WorkspaceWrite => {
            writable.push(project.to_owned());
            writable.extend(settings.write.iter().cloned());
            for place in &writable[1..] {
                read_only.extend(protected(place, services));
            }
            let repositories = services.protected_names.repositories(&services.roots).into_iter();
            let linked = services.protected_names.link_targets(&services.roots);
            let repositories = repositories.chain(linked);
            let is_kept =
                |path: &PathBuf| path.exists() && writable[1..].iter().any(|place| path.starts_with(place));
            read_only.extend(repositories.filter(is_kept));
            if let Some(tree) = &settings.tree {
                keep_of_tree(tree, &writable, &mut read_only);
            }
            read_only.sort_unstable();
            read_only.dedup();
        }
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
        metadata: match mode {
            _ if Support::has_mounts() => Metadata::Mounts,
            // What is written in the scratch directory then keeps the rights that it is born with.
            SandboxMode::ReadOnly => Metadata::Refused,
            SandboxMode::WorkspaceWrite | SandboxMode::Off => Metadata::Free,
        },
        programs: None,
        memory: None,
    }
}

/// Of a task's work tree its repository is written too, but for what decides what git starts and reads there; and the
/// project that it was made of is not, wherever it lies.
fn keep_of_tree(tree: &TaskTree, writable: &[PathBuf], read_only: &mut Vec<PathBuf>) {
    let repository = tree.root.join(".git");
    read_only.retain(|path| !path.starts_with(&repository));
    let kept = tree.kept.iter().chain([&tree.project]);
    let is_reached = |path: &&PathBuf| path.exists() && writable.iter().any(|place| path.starts_with(place));
    read_only.extend(kept.filter(is_reached).cloned());
}

/// Protected paths at a place and below, without those inside another protected path.
///
/// Of ignored directories, which may hold any number of files, the first [`MAX_IGNORED`] names are looked at, the outer
/// ones first.
fn protected(place: &Path, services: &SessionServices) -> Vec<PathBuf> {
    let is_protected = is_protected(services);
    let readable = services.gate.readable();
    let walk = Walk::whole(place, IgnoreFiles::InRepositories, &readable);
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
    found.extend(protected_in_ignored(place, &is_protected));
    found.sort_unstable();
    found.dedup();
    found
}

/// The same without a look at ignore files, up to a number of names.
fn protected_in_ignored(place: &Path, is_protected: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = MAX_IGNORED;
    let mut directories = VecDeque::from([place.to_owned()]);
    while let Some(directory) = directories.pop_front() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            if left == 0 {
                return found;
            }
            left -= 1;
            let path = entry.path();
            // Rules cost more than names, and every protected path has such a part.
            let may_be = path.strip_prefix(place).is_ok_and(|below| {
                below.components().any(|part| {
                    let name = part.as_os_str().to_string_lossy();
                    name.starts_with('.') || may_be_protected(OsStr::new(""), part.as_os_str())
                })
            });
            if may_be && is_protected(&path) {
                found.push(path);
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                directories.push_back(path);
            }
        }
    }
    found
}
