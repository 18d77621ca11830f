//! Text to the clipboard, by two routes: the terminal's, by OSC 52, which also works over ssh, and the system's, by
//! the command that the desktop brings (`pbcopy`, `wl-copy`, `xclip`, `xsel`).
//!
//! Nothing tells whether the terminal obeyed, so notices say where the text was sent and not that it arrived; a command
//! that failed is never named as a route.

pub(crate) mod picture;

use std::process::Stdio;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::process::withheld;
use crate::tui::terminal::multiplexer::Multiplexer;

/// Terminals take about 100 kB of base64, and some less nothing of what is longer.
const MOST: usize = 74_000;
/// Commands take the text and go to the background; one that does not is left out.
const PATIENCE: Duration = Duration::from_secs(2);

/// Puts the text into tmux's own buffer and passes it on to the terminal. What is wrapped to go through tmux is dropped by
/// its default settings.
pub(crate) const TMUX: &[&str] = &["tmux", "load-buffer", "-w", "-"];

/// The result of a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CopyResult {
    /// The command that took it.
    pub(crate) command: Option<&'static str>,
    /// How it was sent to the terminal, where it was.
    pub(crate) terminal: Option<Multiplexer>,
    pub(crate) is_too_long: bool,
}

impl CopyResult {
    /// Returns what to tell; an error where no route was left.
    pub(crate) fn message(&self) -> Result<String, String> {
        let through = match self.terminal {
            Some(Multiplexer::Tmux) => " through tmux",
            Some(Multiplexer::Screen) => " through screen",
            Some(Multiplexer::Direct) | None => "",
        };
        match (self.command, self.terminal) {
            (Some(command), None) => Ok(format!("copied with {command}")),
            (Some(command), Some(_)) => Ok(format!(
                "copied with {command}, and sent to the terminal's clipboard{through}"
            )),
            (None, Some(_)) => Ok(format!("sent to the terminal's clipboard{through} (OSC 52)")),
            (None, None) if self.is_too_long => {
                Err("not copied: it is too long for the terminal's clipboard".to_owned())
            }
            (None, None) => {
                Err("not copied: neither the terminal nor a clipboard command took it".to_owned())
            }
        }
    }
}

/// Returns the control sequence that carries `text`, wrapped for what stands between us and the terminal; `None` where
/// terminals would not take that much.
pub(crate) fn sequence(text: &str, multiplexer: Multiplexer) -> Option<Vec<u8>> {
    let plain = || format!("\x1b]52;c;{}\x07", STANDARD.encode(text));
    (text.len() <= MOST).then(|| multiplexer.wrap(&plain()))
}

/// The commands of this desktop, the likeliest first. Over ssh there are none: theirs is another machine's clipboard.
pub(crate) fn commands(set: &dyn Fn(&str) -> Option<String>) -> Vec<&'static [&'static str]> {
    let is_set = |name: &str| set(name).is_some();
    if is_set("SSH_CONNECTION") || is_set("SSH_TTY") {
        return Vec::new();
    }
    let mut commands: Vec<&'static [&'static str]> = Vec::new();
    if cfg!(target_os = "macos") {
        commands.push(&["pbcopy"]);
    }
    if is_set("WAYLAND_DISPLAY") {
        commands.push(&["wl-copy"]);
    }
    if is_set("DISPLAY") {
        commands.push(&["xclip", "-selection", "clipboard"]);
        commands.push(&["xsel", "--clipboard", "--input"]);
    }
    if is_set("WSL_DISTRO_NAME") {
        commands.push(&["clip.exe"]);
    }
    commands
}

/// Gives the text to the first command that takes it, and returns its name.
pub(crate) async fn by_command(text: &str, commands: &[&'static [&'static str]]) -> Option<&'static str> {
    for command in commands {
        if tokio::time::timeout(PATIENCE, run(command, text)).await == Ok(true) {
            return command.first().copied();
        }
    }
    None
}

/// One of the desktop's programs, with the person's environment but for what is sent to servers.
fn program_of_clipboard(program: &str) -> Command {
    let mut command = Command::new(program);
    command.kill_on_drop(true);
    for name in withheld() {
        command.env_remove(name);
    }
    command
}

/// Runs a command with the text as its input; says whether it ended well.
async fn run(command: &[&str], text: &str) -> bool {
    let Some((program, arguments)) = command.split_first() else {
        return false;
    };
    let child = program_of_clipboard(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return false };
    let Some(mut input) = child.stdin.take() else {
        return false;
    };
    let is_taken = input.write_all(text.as_bytes()).await.is_ok();
    drop(input);
    is_taken && child.wait().await.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_wrapped_for_what_is_between() {
        let of = |text: &str, multiplexer| sequence(text, multiplexer).unwrap();
        assert_eq!(of("hi", Multiplexer::Direct), b"\x1b]52;c;aGk=\x07");
        assert_eq!(
            of("hi", Multiplexer::Tmux),
            b"\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\"
        );
        let long = of(&"x".repeat(2000), Multiplexer::Screen);
        assert!(long.split(|byte| *byte == b'\\').all(|piece| piece.len() <= 515));
        assert_eq!(sequence(&"x".repeat(MOST + 1), Multiplexer::Direct), None);
    }

    #[test]
    fn over_ssh_no_command_is_asked() {
        let of = |names: &[&str]| commands(&|name| names.contains(&name).then(String::new)).len();
        assert_eq!(of(&["SSH_TTY", "DISPLAY", "WAYLAND_DISPLAY"]), 0);
        assert_eq!(
            of(&["DISPLAY", "WAYLAND_DISPLAY"]),
            3 + usize::from(cfg!(target_os = "macos"))
        );
    }

    #[tokio::test]
    async fn a_command_that_is_missing_or_fails_is_no_route() {
        assert!(run(&["cat"], "text").await);
        assert!(!run(&["false"], &"text".repeat(100_000)).await);
        assert!(!run(&["lathe-no-such-command"], "text").await);
    }

    #[test]
    fn the_notice_names_the_routes_that_took_it() {
        let copied = |command, terminal, is_too_long| {
            CopyResult {
                command,
                terminal,
                is_too_long,
            }
            .message()
        };
        assert_eq!(
            copied(Some("wl-copy"), None, true).unwrap(),
            "copied with wl-copy"
        );
        assert_eq!(
            copied(None, Some(Multiplexer::Tmux), false).unwrap(),
            "sent to the terminal's clipboard through tmux (OSC 52)"
        );
        assert!(copied(None, None, true).unwrap_err().contains("too long"));
        assert!(copied(None, None, false).is_err());
    }
}
