//! Terminals of the person's own: started without an agent, and handed to agents when the person wants that.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use super::{TerminalSession, TerminalStartError, TerminalTable, Terminals};
use crate::conversation::TerminalOwner;
use crate::process::pty::PtySize;
use crate::process::{Shell, ShellCommand, ShellError};
use crate::tool::SessionServices;

/// Reason why a terminal of the person's own was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartOwnError {
    #[error(transparent)]
    Shell(#[from] ShellError),
    #[error(transparent)]
    Start(#[from] TerminalStartError),
}

/// The user's shell, which reads commands where nothing else was asked for.
pub fn user_shell(environment: &[(OsString, OsString)]) -> &str {
    let variable = environment.iter().find(|(name, _)| name == "SHELL");
    let shell = variable.and_then(|(_, value)| value.to_str());
    let is_usable = |shell: &&str| {
        let path = Path::new(shell);
        path.is_absolute() && !shell.contains(char::is_whitespace) && path.is_file()
    };
    shell.filter(is_usable).unwrap_or("bash")
}

impl Terminals {
    /// Starts the user's shell for the person, without confinement: it is theirs, as a terminal beside lathe would be. Must
    /// be called within a runtime.
    pub fn start_own(
        &self,
        services: &SessionServices,
        size: PtySize,
    ) -> Result<Arc<TerminalSession>, StartOwnError> {
        let environment = services.terminal_environment.clone();
        let path = environment.iter().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, value)| value.as_os_str());
        let shell = user_shell(&environment).to_owned();
        let command = ShellCommand {
            shell: Shell::find(services.settings.bash.shell.as_deref(), path)?,
            command: format!("exec {shell}"),
            cwd: services.roots.session_dir().to_owned(),
            environment,
            confinement: None,
        };
        let name = |table: &TerminalTable| table.free_name("own ");
        Ok(self.start_for(TerminalOwner::Person, name, &shell, &command, size)?)
    }

    /// Lets agents know of a terminal of the person's own. Returns the name that it has from then on.
    pub fn hand_over(&self, session: &TerminalSession, services: &SessionServices) -> String {
        session.watch_names(services.protected_names.before(services));
        let table = self.lock();
        let name = table.free_name("own-");
        session.hand_over(name.clone());
        drop(table);
        self.note_change();
        name
    }
}

impl TerminalTable {
    /// A blank in it keeps a name from agents, whose names have none.
    fn free_name(&self, prefix: &str) -> String {
        let is_free = |name: &String| self.sessions.iter().all(|session| session.name() != *name);
        let mut names = (1..).map(|number: usize| format!("{prefix}{number}"));
        names.find(is_free).unwrap_or_else(|| prefix.to_owned())
    }
}
