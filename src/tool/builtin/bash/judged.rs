//! Judging a command before it runs, and again when it does: for `bash` and for programs in terminals.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::not_started;
use crate::conversation::ErrorKind;
use crate::files::PathKind;
use crate::permission::Ask;
use crate::process::{Shell, SpawnError};
use crate::tool::command_permissions::{CommandPermissions, command_permissions, count_deleted};
use crate::tool::reads_only::ReadsOnly;
use crate::tool::{AskingTool, SessionServices, ToolCx, ToolError};

/// A command that was judged in the directory where it will run.
#[derive(Debug, Clone)]
pub(in crate::tool::builtin) struct JudgedCommand {
    pub(in crate::tool::builtin) text: String,
    /// Absolute, without links.
    pub(in crate::tool::builtin) cwd: PathBuf,
    /// The same as it is shown.
    pub(in crate::tool::builtin) workdir: String,
    /// The asks of the command by the files that were there when it was judged. How many it would delete is none of it:
    /// that may change while somebody thinks.
    asked: Vec<Ask>,
}

/// Result of judging a command.
pub(in crate::tool::builtin) struct Judgement {
    pub(in crate::tool::builtin) command: JudgedCommand,
    pub(in crate::tool::builtin) asks: Vec<Ask>,
    pub(in crate::tool::builtin) why: Option<String>,
}

/// Judges a command in a directory, which is the session's unless one is given.
pub(in crate::tool::builtin) async fn judge(
    text: &str,
    workdir: Option<&str>,
    cx: &ToolCx,
) -> Result<Judgement, ToolError> {
    if text.trim().is_empty() {
        return Err(ToolError::invalid_args(
            "`command` is empty; give the command to run",
        ));
    }
    if text.contains('\0') {
        return Err(not_started(&SpawnError::Nul));
    }
    let path = cx.path(workdir.unwrap_or("."))?;
    let mut asks = path.asks;
    let error = match path.resolved.kind {
        PathKind::Directory => None,
        PathKind::Missing | PathKind::DanglingLink => Some((ErrorKind::NotFound, "does not exist")),
        PathKind::File | PathKind::Special => Some((ErrorKind::NotDirectory, "is not a directory")),
    };
    if let Some((kind, what)) = error {
        let message = format!("`{}` {what}, so the command was not run", path.resolved.display);
        return Err(ToolError::new(kind, message)
            .hint("Give an existing directory as `workdir`.")
            .after(asks));
    }
    shell(&cx.services)?;
    let cwd = path.resolved.real;
    let (services, command, directory) = (Arc::clone(&cx.services), text.to_owned(), cwd.clone());
    let judged = cx.blocking(move || {
        let CommandPermissions { asks: asked, why, .. } =
            command_permissions(&services, &command, &directory);
        let mut shown = asked.clone();
        count_deleted(&services, &command, &directory, &mut shown);
        Ok((asked, shown, why))
    });
    let (asked, shown, why) = judged.await?;
    asks.extend(shown);
    let command = JudgedCommand {
        text: text.to_owned(),
        cwd,
        workdir: path.resolved.display,
        asked,
    };
    Ok(Judgement { command, asks, why })
}

impl JudgedCommand {
    /// Judges it again, before it runs. Refuses where files changed so that it would touch something that nobody has
    /// allowed. Returns what it needs to run confined to reading, as things are.
    pub(in crate::tool::builtin) async fn recheck(
        &self,
        asker: AskingTool<'_>,
        cx: &ToolCx,
    ) -> Result<Option<ReadsOnly>, ToolError> {
        self.check_place()?;
        newly_asked(&self.asked, &self.text, &self.cwd, asker, cx).await
    }

    /// Refuses to run where the person was not asked about: a link may have been put in the way since.
    fn check_place(&self) -> Result<(), ToolError> {
        match self.cwd.canonicalize() {
            Ok(now) if now != self.cwd => Err(ToolError::new(
                ErrorKind::Stale,
                format!(
                    "`{}` leads to another place than when it was asked about, so the command was not run",
                    self.workdir
                ),
            )),
            // That it is gone is said by the attempt to start there.
            _ => Ok(()),
        }
    }
}

/// Refuses to run where files changed so that the command would touch something that nobody has allowed: a link leads
/// elsewhere, a wildcard stands for more. Returns what the command needs to run confined to reading, as things are.
pub(in crate::tool::builtin) async fn newly_asked(
    judged: &[Ask],
    command: &str,
    cwd: &Path,
    asker: AskingTool<'_>,
    cx: &ToolCx,
) -> Result<Option<ReadsOnly>, ToolError> {
    let (services, text, directory) = (Arc::clone(&cx.services), command.to_owned(), cwd.to_owned());
    let now = cx.blocking(move || Ok(command_permissions(&services, &text, &directory)));
    let CommandPermissions {
        asks: mut new,
        reads_only,
        ..
    } = now.await?;
    new.retain(|ask| !judged.contains(ask));
    if new.is_empty() || cx.services.gate.allows(asker, &new) {
        return Ok(reads_only);
    }
    let touched: Vec<String> = new.iter().map(|ask| format!("`{}`", ask.subject.text)).collect();
    let message = format!(
        "files changed after the command was judged: it would now touch {}, so it was not run",
        touched.join(", ")
    );
    Err(ToolError::new(ErrorKind::Stale, message).hint("Send it again to have it judged as things are."))
}

/// Finds what runs commands.
pub(in crate::tool::builtin) fn shell(services: &SessionServices) -> Result<Shell, ToolError> {
    Shell::find(services.settings.bash.shell.as_deref(), services.variable("PATH"))
        .map_err(|error| ToolError::new(ErrorKind::Unavailable, error.to_string()))
}
