//! `lathe doctor`: whether what lathe needs is there, each with what to do when it is not.
//!
//! Nothing is changed. The model's server is asked for its list of models, which costs no tokens. What lathe cannot work without fails, and the exit status is 1; what only some
//! settings need is a remark.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use super::failure::Failure;
use super::output::{print, table};
use super::place::Locations;
use super::{keys, runtime, themes};
use crate::config::{Dirs, LoadedConfig};
use crate::process::git::{Git, Limits};
use crate::process::{Confinement, EnvironmentRules, Metadata, Shell, Support, shell_environment};
use crate::session::ErrorReport;
use crate::session::host::StoredSessions;
use crate::session::wire::{self, OpenRequest, ProjectTrust, TrustState, TrustedBy};
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;

/// How long the model's server may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// The result of one check.
struct Finding {
    state: CheckState,
    what: &'static str,
    said: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CheckState {
    Good,
    /// Only some settings need it.
    Missing,
    /// Something is not as it was meant.
    Warning,
    /// It is there, and the user has not said yes to it.
    Ignored,
    Failed,
}

impl Finding {
    fn new(what: &'static str, found: Result<String, String>, otherwise: CheckState) -> Self {
        let (state, said) = match found {
            Ok(said) => (CheckState::Good, said),
            Err(said) => (otherwise, said),
        };
        Self { state, what, said }
    }

    /// Returns a row for each sentence.
    fn rows(&self) -> Vec<[String; 3]> {
        let state = match self.state {
            CheckState::Good => "ok",
            CheckState::Missing => "missing",
            CheckState::Warning => "warning",
            CheckState::Ignored => "ignored",
            CheckState::Failed => "failed",
        };
        let row = |said| {
            [
                state.to_owned(),
                self.what.to_owned(),
                sanitize_line(said).into_owned(),
            ]
        };
        self.said.lines().map(row).collect()
    }
}

pub(super) fn doctor() -> Result<ExitCode, Failure> {
    let place = Locations::current()?;
    let (dirs, directory) = (place.dirs.clone(), place.directory.clone());
    let request = place.listing_request();
    let request = request.map_err(Failure::into_message);
    let shell = shell(request.as_ref().ok().map(|request| &request.loaded));
    let mut findings = vec![
        Finding::new(
            "configuration",
            configuration(request.as_ref()),
            CheckState::Failed,
        ),
        Finding::new("data", data(&dirs.data), CheckState::Failed),
        Finding::new("shell", shell, CheckState::Failed),
        Finding::new("git", git(&directory), CheckState::Missing),
    ];
    findings.extend(request.iter().flat_map(|request| warnings(&request.loaded)));
    findings.extend(request.iter().flat_map(|request| screen(&request.loaded, &dirs)));
    findings.extend(request.iter().flat_map(hooks));
    findings.extend(sandbox(&directory));
    findings.extend(request.as_ref().ok().and_then(|request| trust(&request.trust)));
    findings.extend(request.as_ref().ok().and_then(|request| left_out(&request.trust)));
    findings.extend(request.as_ref().ok().into_iter().flat_map(unused));
    findings.push(Finding::new("model", model(request.as_ref()), CheckState::Failed));
    findings.extend(request.iter().filter_map(server));
    let rows: Vec<_> = findings.iter().flat_map(Finding::rows).collect();
    print(&table(&rows))?;
    let is_well = findings.iter().all(|finding| finding.state != CheckState::Failed);
    Ok(if is_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn configuration(request: Result<&OpenRequest, &String>) -> Result<String, String> {
    let loaded = &request.map_err(Clone::clone)?.loaded;
    Ok(match (loaded.files.len(), loaded.warnings.len()) {
        (0, _) => "no file, only defaults".to_owned(),
        (files, 0) => format!("{} read", plural(files, "file")),
        (files, warnings) => format!("{} read, {}", plural(files, "file"), plural(warnings, "warning")),
    })
}

fn data(data: &Path) -> Result<String, String> {
    let shown = data.display();
    match StoredSessions::open(data) {
        Ok(_) => Ok(shown.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn shell(loaded: Option<&LoadedConfig>) -> Result<String, String> {
    let path = std::env::var_os("PATH");
    let configured = loaded.and_then(|loaded| loaded.config.bash.shell.as_deref());
    Shell::find(configured, path.as_deref())
        .map(|shell| shell.program().display().to_string())
        .map_err(|error| error.to_string())
}

fn git(directory: &Path) -> Result<String, String> {
    let missing = "git does not run; without it, the project is the directory where lathe was started";
    let environment = shell_environment(std::env::vars_os(), &EnvironmentRules::default());
    let git = Git::find(PathBuf::from("/"), environment, directory).map_err(|_| missing)?;
    let limits = Limits {
        time: Duration::from_secs(2),
        bytes: 1000,
    };
    let said = git.ask_together([&["--version"]], limits).ok();
    let [said] = said.filter(|[said]| said.is_success).ok_or(missing)?;
    Ok(String::from_utf8_lossy(&said.stdout.bytes).trim().to_owned())
}

/// Returns what is told of the configuration's files at a start.
fn warnings(loaded: &LoadedConfig) -> Vec<Finding> {
    let notices = loaded.notices();
    notices
        .map(|notice| Finding::new("configuration", Err(notice), CheckState::Warning))
        .collect()
}

/// Returns whether the theme and the keys are as they were meant.
fn screen(loaded: &LoadedConfig, dirs: &Dirs) -> [Finding; 2] {
    let name = &loaded.config.theme;
    let theme = match themes::configured(name, dirs) {
        (_, None) => Ok(name.clone()),
        (_, Some(warning)) => Err(warning),
    };
    let keys = match keys::keymap(loaded) {
        Ok(_) if loaded.config.keybinds.is_empty() => Ok("defaults".to_owned()),
        Ok(_) => Ok(plural(loaded.config.keybinds.iter().count(), "setting")),
        Err(failure) => Err(failure.into_message()),
    };
    [
        Finding::new("theme", theme, CheckState::Warning),
        Finding::new("keys", keys, CheckState::Failed),
    ]
}

/// Returns the hooks whose program is not there. One that begins with something else than a program's name is not looked at.
fn hooks(request: &OpenRequest) -> Vec<Finding> {
    let commands: Vec<&str> = request.loaded.config.hooks.commands().collect();
    if commands.is_empty() {
        return Vec::new();
    }
    let root = &request.trust.root;
    let lost = commands.iter().filter_map(|command| {
        let program = command.split_whitespace().next()?;
        let is_name = program
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+'));
        (is_name && !is_there(program, root)).then(|| {
            let said = format!("`{command}`: program `{program}` not found");
            Finding::new("hook", Err(said), CheckState::Warning)
        })
    });
    let lost: Vec<Finding> = lost.collect();
    if lost.is_empty() {
        let said = format!("{}, all programs found", plural(commands.len(), "command"));
        return vec![Finding::new("hooks", Ok(said), CheckState::Warning)];
    }
    lost
}

/// Returns true if a program is there that a shell in that directory would run, or one of the shell's own words.
fn is_there(program: &str, directory: &Path) -> bool {
    const WORDS: [&str; 12] = [
        "cd", "echo", "exec", "exit", "export", "for", "if", "printf", "set", "test", "true", "while",
    ];
    if program.contains('/') {
        return directory.join(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    WORDS.contains(&program) || std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// Asks the model's server for its list of models; nothing is said where no server is asked.
fn server(request: &OpenRequest) -> Option<Finding> {
    let tried = runtime::block_on(wire::probe(request, PATIENCE)).ok()?;
    let (model, answer) = tried.ok().flatten()?;
    let provider = &model.provider;
    let said = match answer {
        Ok(status @ (401 | 403)) => Err(format!(
            "`{provider}` refuses the key (HTTP {status}); check the key, and that it belongs to this server"
        )),
        Ok(status @ 500..) => Err(format!("`{provider}` answers with HTTP {status}")),
        Ok(_) => Ok(format!("`{provider}` answers")),
        Err(error) => Err(ErrorReport::from(error).sentence()),
    };
    Some(Finding::new("server", said, CheckState::Failed))
}

/// Tries the features of the kernel that `sandbox.mode` needs, one by one.
fn sandbox(directory: &Path) -> [Finding; 5] {
    let free = Confinement {
        writable: vec![directory.to_owned()],
        network: true,
        ..Confinement::default()
    };
    let offline = Confinement {
        network: false,
        ..free.clone()
    };
    let kept = Confinement {
        read_only: vec![directory.to_owned()],
        ..free.clone()
    };
    let mounted = Confinement {
        metadata: Metadata::Mounts,
        ..free.clone()
    };
    let reading = if Support::of_kernel().can_confine_reading() {
        Ok("commands that run without asking can be made read-only".to_owned())
    } else {
        Err(
            "lathe asks before more read-only commands; this needs Landlock (Linux 6.2) and seccomp"
                .to_owned(),
        )
    };
    let tried = |what, confinement: &Confinement, good: &str| {
        Finding::new(
            what,
            confinement.check().map(|()| good.to_owned()),
            CheckState::Missing,
        )
    };
    [
        tried(
            "sandbox: files",
            &free,
            "writes outside the project can be blocked",
        ),
        tried("sandbox: network", &offline, "network access can be blocked"),
        tried(
            "sandbox: protected",
            &kept,
            "protected files can be made read-only",
        ),
        tried(
            "sandbox: metadata",
            &mounted,
            "mode and time changes outside the project can be blocked",
        ),
        Finding::new("sandbox: reading", reading, CheckState::Missing),
    ]
}

/// Nothing is said of a project that brings nothing.
fn trust(trust: &ProjectTrust) -> Option<Finding> {
    let said = match trust.state {
        TrustState::NotNeeded => return None,
        TrustState::Trusted(by) => {
            let by = match by {
                TrustedBy::Flag => "by `--trust`",
                TrustedBy::Configuration => "by your configuration",
                TrustedBy::Answer => "by your answer",
            };
            let names = if trust.parts.is_empty() {
                "nothing that needs it".to_owned()
            } else {
                trust.names()
            };
            Ok(format!("trusted {by}: {names}"))
        }
        TrustState::Untrusted { .. } => Err(format!(
            "not trusted, so ignored: {}; `--trust` uses it once",
            trust.names()
        )),
    };
    Some(Finding::new("project", said, CheckState::Ignored))
}

/// Files that an agent or a command created or changed.
fn left_out(trust: &ProjectTrust) -> Option<Finding> {
    let said = trust.left_out.sentence()?;
    Some(Finding::new("project", Err(said), CheckState::Ignored))
}

/// Each thing of another agent's that does nothing.
fn unused(request: &OpenRequest) -> Vec<Finding> {
    let unused = wire::unused(request).into_iter();
    unused
        .map(|unused| Finding::new("not used", Err(unused.to_string()), CheckState::Ignored))
        .collect()
}

fn model(request: Result<&OpenRequest, &String>) -> Result<String, String> {
    let request = request.map_err(|_| "unknown until the configuration is fixed")?;
    wire::preview(request)
        .map(|preview| preview.model)
        .map_err(|report| report.message)
}
