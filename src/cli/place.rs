//! Directories that a command works in and reads its configuration from, and the request it hands to `session::wire`.

use std::path::{Path, PathBuf};

use tokio::runtime;

use super::args::{CassetteArgs, OpenArgs, ReopenArgs};
use super::failure::Failure;
use super::keys;
use crate::config::{self, Dirs, LoadRequest, LoadedConfig};
use crate::files::Roots;
use crate::session::host::Host;
use crate::session::wire::{
    self, FrontEndKind, ModelSource, OpenRequest, ProjectTrust, SessionChoice, TrustFlag,
};
use crate::unconfirmed::UnconfirmedFiles;

/// Lathe's own directories, and the one it works in with its project.
#[derive(Debug)]
pub(super) struct Locations {
    pub(super) dirs: Dirs,
    /// Absolute and real.
    pub(super) directory: PathBuf,
    project_root: PathBuf,
}

impl Locations {
    /// The directory lathe was started in.
    pub(super) fn current() -> Result<Self, Failure> {
        Ok(Self::new(Dirs::from_env()?, &current_directory()?))
    }

    /// A directory that was given by name.
    pub(super) fn at(given: &Path) -> Result<Self, Failure> {
        let name = given.display();
        let directory = given.canonicalize().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => not_there(given),
            _ => Failure::usage(format!("`{name}` cannot be opened: {error}")),
        })?;
        if !directory.is_dir() {
            return Err(Failure::usage(format!("`{name}` is not a directory")));
        }
        Ok(Self::new(Dirs::from_env()?, &directory))
    }

    pub(super) fn new(dirs: Dirs, directory: &Path) -> Self {
        let roots = Roots::new(directory, dirs.home.as_deref());
        let project_root = roots.project_root().to_path_buf();
        let directory = roots.session_dir().to_path_buf();
        Self {
            dirs,
            directory,
            project_root,
        }
    }

    /// Reads the configuration. A relative `extra` counts from the directory lathe was started in.
    pub(super) fn load(&self, extra: Option<&Path>) -> Result<LoadedConfig, Failure> {
        let extra = extra.map(absolute).transpose()?;
        let unconfirmed = wire::unconfirmed(&self.dirs, &self.project_root, &self.directory)?;
        let loaded = self.with_load_request(extra.as_deref(), &unconfirmed, config::load)?;
        keys::keymap(&loaded)?;
        // What a project says of keys waits for trust; a mistake in it is told at once all the same.
        if !loaded.project_parts.is_empty()
            && let Ok(trusted) = loaded.trusted()
        {
            keys::keymap(&trusted)?;
        }
        wire::check_rule_keys(&loaded, &self.dirs.config, &self.project_root, &self.directory)?;
        Ok(loaded)
    }

    /// The files a configuration is read from, existing or not, in their order.
    pub(super) fn config_files(&self) -> Vec<PathBuf> {
        self.with_load_request(None, &UnconfirmedFiles::default(), config::files)
    }

    fn with_load_request<T>(
        &self,
        extra: Option<&Path>,
        unconfirmed: &UnconfirmedFiles,
        read: impl FnOnce(&LoadRequest<'_>) -> T,
    ) -> T {
        read(&LoadRequest {
            dirs: &self.dirs,
            project_root: &self.project_root,
            cwd: &self.directory,
            extra,
            make_gate: wire::prompt_gate,
            unconfirmed,
        })
    }

    /// The same as for a session that runs already, here. What the project brings and nobody was asked about stays away.
    pub(super) fn request_like(
        self,
        running: &OpenRequest,
        extra: Option<&Path>,
    ) -> Result<OpenRequest, Failure> {
        let mut request = OpenRequest {
            loaded: self.load(extra)?,
            dirs: self.dirs,
            directory: self.directory,
            trust: ProjectTrust::default(),
            ..running.clone()
        };
        wire::settle_trust(&mut request, TrustFlag::Absent)?;
        Ok(request)
    }

    /// Reads the configuration, finds out whether the project is trusted, and says what to open.
    pub(super) fn request(
        self,
        open: OpenArgs,
        which: SessionChoice,
        source: ModelSource,
        front_end: FrontEndKind,
    ) -> Result<OpenRequest, Failure> {
        let loaded = self.load(open.config.as_deref())?;
        let flag = if open.trust {
            TrustFlag::Given
        } else {
            TrustFlag::Absent
        };
        let mut request = OpenRequest {
            loaded,
            dirs: self.dirs,
            directory: self.directory,
            which,
            model: open.model,
            agent: open.agent,
            mode: open.permission_mode,
            front_end,
            source,
            trust: ProjectTrust::default(),
        };
        wire::settle_trust(&mut request, flag)?;
        Ok(request)
    }

    /// The same for a command that lists what a session would have and opens none.
    pub(super) fn listing_request(self) -> Result<OpenRequest, Failure> {
        self.request(
            OpenArgs::default(),
            SessionChoice::New,
            ModelSource::Network,
            FrontEndKind::Unattended,
        )
    }
}

/// Makes the host of the program's sessions. `extra` is the configuration file that was named; it counts for sessions of
/// other projects as well.
pub(super) fn host(runtime: runtime::Handle, request: OpenRequest, extra: Option<PathBuf>) -> Host {
    Host::new(runtime, request, move |running, directory| {
        let place = Locations::new(running.dirs.clone(), directory);
        let request = place.request_like(running, extra.as_deref());
        request.map_err(Failure::into_report)
    })
}

impl From<ReopenArgs> for SessionChoice {
    fn from(args: ReopenArgs) -> Self {
        match args.session {
            Some(session) => Self::Id(session),
            None if args.newest => Self::Newest,
            None => Self::New,
        }
    }
}

/// Makes the paths of cassettes absolute.
pub(super) fn model_source(args: &CassetteArgs) -> Result<ModelSource, Failure> {
    if let Some(cassette) = &args.replay {
        if !cassette.is_file() {
            let message = format!(
                "the cassette `{}` does not exist or is not a file",
                cassette.display()
            );
            return Err(Failure::usage(message));
        }
        return Ok(ModelSource::Replay(absolute(cassette)?));
    }
    match &args.record {
        Some(cassette) => Ok(ModelSource::Record(absolute(cassette)?)),
        None => Ok(ModelSource::Network),
    }
}

fn current_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::usage(format!("the current directory cannot be used: {error}"))
            .hinted("Change to another one.")
    })
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path)
        .map_err(|error| Failure::usage(format!("`{}` cannot be made absolute: {error}", path.display())))
}

/// A word alone is a directory or a command, and this one is neither.
pub(super) fn not_there(given: &Path) -> Failure {
    use clap::CommandFactory;
    let name = given.to_string_lossy();
    let cli = super::args::Cli::command();
    let names = cli.get_subcommands().map(clap::Command::get_name);
    let near = names
        .map(|command| (strsim::levenshtein(&name, command), command))
        .min();
    let failure = Failure::usage(format!("`{name}` is neither a command nor an existing directory"));
    match near {
        Some((0, command)) => failure.hinted(format!("Write options after the command: lathe {command} …")),
        Some((1..=2, command)) => failure.hinted(format!("Did you mean `lathe {command}`?")),
        _ => failure.hinted("`lathe --help` lists the commands."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(failure: Failure) -> String {
        match failure {
            Failure::Told(told) => format!("{told:?}"),
            Failure::ReaderGone => panic!("nothing to tell"),
        }
    }

    #[test]
    fn a_misspelt_command_is_recognised() {
        assert!(text(not_there(Path::new("sesions"))).contains("Did you mean `lathe sessions`?"));
        assert!(text(not_there(Path::new("run"))).contains("Write options after the command: lathe run"));
        assert!(text(not_there(Path::new("some/where"))).contains("lathe --help"));
    }

    #[test]
    fn a_file_is_no_directory_to_work_in() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(text(Locations::at(file.path()).unwrap_err()).contains("is not a directory"));
    }

    #[test]
    fn the_session_asked_for_is_the_one_opened() {
        let which = |newest, session: Option<&str>| {
            SessionChoice::from(ReopenArgs {
                newest,
                session: session.map(|id| id.parse().unwrap()),
            })
        };
        assert_eq!(which(false, None), SessionChoice::New);
        assert_eq!(which(true, None), SessionChoice::Newest);
        assert_eq!(
            which(false, Some("ses_1")),
            SessionChoice::Id("ses_1".parse().unwrap())
        );
    }
}
