//! The picture on the system's clipboard, by the command that the desktop brings (`wl-paste`, `xclip`, `osascript`).
//!
//! No terminal gives a picture away, so over ssh there is no way to one. What is found becomes a file of the state
//! directory: a draft that speaks of it outlives a crash as any other does.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use tokio::io::AsyncReadExt;

use crate::tui::media::{MOST_BYTES, Media, MediaKind, inspect, kind_of};

/// A clipboard that does not answer has nothing.
const PATIENCE: Duration = Duration::from_secs(3);
/// Time for which pasted pictures are kept, for drafts that name them. Sessions have their own copy.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// How the picture on this desktop's clipboard is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClipboardSource {
    /// By these commands, which print it; the likeliest first.
    Commands(Vec<&'static [&'static str]>),
    /// The screen is another machine's.
    Remote,
}

impl ClipboardSource {
    pub(crate) fn of(set: &dyn Fn(&str) -> Option<String>) -> Self {
        let is_set = |name: &str| set(name).is_some();
        if is_set("SSH_CONNECTION") || is_set("SSH_TTY") {
            return Self::Remote;
        }
        let mut commands: Vec<&'static [&'static str]> = Vec::new();
        if cfg!(target_os = "macos") {
            commands.push(&["osascript", "-e", "the clipboard as «class PNGf»"]);
        }
        if is_set("WAYLAND_DISPLAY") {
            commands.push(&["wl-paste", "--no-newline", "--type", "image/png"]);
            commands.push(&["wl-paste", "--no-newline", "--type", "image/jpeg"]);
        }
        if is_set("DISPLAY") {
            commands.push(&["xclip", "-selection", "clipboard", "-t", "image/png", "-o"]);
            commands.push(&["xclip", "-selection", "clipboard", "-t", "image/jpeg", "-o"]);
        }
        Self::Commands(commands)
    }

    /// Takes the picture into a file of the directory. An error is a sentence for the person.
    pub(crate) async fn take(self, directory: PathBuf) -> Result<Media, String> {
        let commands = match self {
            Self::Remote => {
                return Err(instead("your own clipboard cannot be read over ssh"));
            }
            Self::Commands(commands) if commands.is_empty() => {
                return Err(instead("there is no desktop clipboard to read here"));
            }
            Self::Commands(commands) => commands,
        };
        let mut has_answered = false;
        for command in &commands {
            match tokio::time::timeout(PATIENCE, output(command)).await {
                Ok(Some(bytes)) if kind_of(&bytes) == Some(MediaKind::Image) => {
                    return tokio::task::spawn_blocking(move || keep(&bytes, &directory))
                        .await
                        .unwrap_or_else(|_| Err("the image could not be saved".to_owned()));
                }
                Ok(None) => {}
                Ok(Some(_)) | Err(_) => has_answered = true,
            }
        }
        if has_answered {
            return Err(instead("there is no image on the clipboard"));
        }
        let mut names: Vec<_> = commands.iter().filter_map(|command| command.first()).collect();
        names.dedup();
        let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        let why = format!(
            "{} is not installed and is needed to read the clipboard",
            names.join(" or ")
        );
        Err(instead(&why))
    }
}

fn instead(why: &str) -> String {
    format!("{why}; paste the path of a file instead")
}

/// Returns what a command prints; `None` where there is no such command.
async fn output(command: &[&str]) -> Option<Vec<u8>> {
    let (program, arguments) = command.split_first()?;
    let mut child = super::program_of_clipboard(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut bytes = Vec::new();
    // One byte too much makes it too large.
    let printed = child.stdout.take()?.take(2 * MOST_BYTES + 64);
    let _ = { printed }.read_to_end(&mut bytes).await;
    Some(from_apple(&bytes).unwrap_or(bytes))
}

/// Decodes what `osascript` prints of a picture: `«data PNGf89504E47…»`.
fn from_apple(printed: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(printed).ok()?.trim();
    let digits = text.strip_prefix("«data PNGf")?.strip_suffix('»')?.as_bytes();
    let digit = |byte: &u8| char::from(*byte).to_digit(16).map(|digit| digit as u8);
    let pairs = digits.chunks(2).map(|pair| match pair {
        [high, low] => Some(digit(high)? * 16 + digit(low)?),
        _ => None,
    });
    pairs.collect()
}

fn keep(bytes: &[u8], directory: &Path) -> Result<Media, String> {
    let path = write(bytes, directory).map_err(|error| format!("the image could not be saved: {error}"))?;
    let media = inspect(&path).unwrap_or_else(|| Err("the image could not be saved".to_owned()));
    if media.is_err() {
        // What no model takes is not kept.
        let _ = fs::remove_file(&path);
    }
    media
}

fn write(bytes: &[u8], directory: &Path) -> io::Result<PathBuf> {
    crate::private_file::create_dir(directory)?;
    forget_old(directory);
    let ending = infer::get(bytes).map_or("png", |kind| kind.extension());
    let mut file = tempfile::Builder::new()
        .prefix("pasted-")
        .suffix(&format!(".{ending}"))
        .tempfile_in(directory)?;
    file.write_all(bytes)?;
    let (_, path) = file.keep().map_err(|error| error.error)?;
    Ok(path)
}

fn forget_old(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified
            .ok()
            .and_then(|at| SystemTime::now().duration_since(at).ok());
        if age.is_some_and(|age| age > KEPT) {
            // What cannot be removed is tried again with the next one.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png() -> Vec<u8> {
        let mut bytes = io::Cursor::new(Vec::new());
        image::DynamicImage::new_rgb8(3, 2)
            .write_to(&mut bytes, image::ImageFormat::Png)
            .unwrap();
        bytes.into_inner()
    }

    async fn taken(commands: Vec<&'static [&'static str]>, directory: &Path) -> Result<Media, String> {
        ClipboardSource::Commands(commands)
            .take(directory.to_owned())
            .await
    }

    #[tokio::test]
    async fn a_picture_on_the_clipboard_becomes_a_file_and_want_of_one_a_sentence() {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("source.png");
        fs::write(&source, png()).unwrap();
        let source: &'static str = Box::leak(source.to_string_lossy().into_owned().into_boxed_str());
        let cat: &'static [&'static str] = Box::leak(Box::new(["cat", source]));
        let kept = dir.path().join("pasted");
        let media = taken(vec![cat], &kept).await.unwrap();
        assert_eq!(fs::read(&media.path).unwrap(), png());
        let none = taken(vec![&["echo", "text"]], &kept).await.unwrap_err();
        assert!(none.starts_with("there is no image on the clipboard"), "{none}");
        let gone = taken(vec![&["lathe-no-such-command"]], &kept).await.unwrap_err();
        assert!(
            gone.starts_with("`lathe-no-such-command` is not installed"),
            "{gone}"
        );
        assert!(taken(Vec::new(), &kept).await.is_err());
        let remote = ClipboardSource::Remote.take(kept).await.unwrap_err();
        assert!(remote.contains("over ssh"), "{remote}");
    }

    #[test]
    fn what_osascript_prints_is_decoded() {
        assert_eq!(
            from_apple("«data PNGf89504E47»\n".as_bytes()).unwrap(),
            b"\x89PNG"
        );
        assert_eq!(from_apple(b"\x89PNG"), None);
    }
}
