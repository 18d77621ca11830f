//! The person's own editor: on the draft, on a file at a line, on a text to read. The caller gives the terminal away
//! before and takes it back after.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::transcript::FilePlace;
use crate::process::withheld;

/// Why the editor did not do what it was opened for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EditorError {
    #[error("no editor is set; set `EDITOR` to its command")]
    None,
    #[error("`{command}` ended with an error")]
    Failed { command: String },
    #[error("`{command}` was not found or cannot be run; set `EDITOR` to your editor's command")]
    NotFound { command: String },
    #[error("the text could not be passed to the editor: {0}")]
    Io(#[from] io::Error),
    #[error("the editor saved a file that is not UTF-8")]
    NotText,
}

/// Runs the editor on `text` and returns what it left.
pub(crate) fn edit(editor: Option<&str>, text: &str) -> Result<String, EditorError> {
    let file = temporary("lathe-draft-", text)?;
    run(editor, &[file.path().into()])?;
    // Editors often write a new file in place of the old one, so it is opened again by its name.
    let bytes = std::fs::read(file.path())?;
    let text = String::from_utf8(bytes).map_err(|_| EditorError::NotText)?;
    Ok(text.trim_end_matches('\n').to_owned())
}

/// Shows a text in the editor. What is changed there is lost.
pub(crate) fn view(editor: Option<&str>, text: &str) -> Result<(), EditorError> {
    let file = temporary("lathe-block-", text)?;
    run(editor, &[file.path().into()])
}

/// Opens a file, at the line where the editor is known to take one.
pub(crate) fn open(editor: Option<&str>, path: &Path, line: Option<usize>) -> Result<(), EditorError> {
    let program = editor.map(program).unwrap_or_default();
    run(editor, &arguments(&program, path, line))
}

/// Returns the first place that is a file. `~` is the home directory, and other paths begin at `directory`.
pub(crate) fn first_file(
    places: &[FilePlace],
    directory: &Path,
    home: Option<&Path>,
) -> Option<(PathBuf, Option<usize>)> {
    places.iter().find_map(|place| {
        let path = absolute(&place.path, directory, home);
        path.is_file().then_some((path, place.line))
    })
}

/// Returns a path from where it begins.
pub(crate) fn absolute(path: &str, directory: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => directory.join(path),
    }
}

fn temporary(prefix: &str, text: &str) -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix(prefix).suffix(".md").tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    Ok(file)
}

fn run(editor: Option<&str>, arguments: &[OsString]) -> Result<(), EditorError> {
    let editor = editor.ok_or(EditorError::None)?;
    // The variable is a command line (`code --wait`), so a shell reads it; the arguments are passed beside it.
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(format!("{editor} \"$@\""))
        .arg("lathe")
        .args(arguments);
    for name in withheld() {
        command.env_remove(name);
    }
    let status = command.status()?;
    if status.success() {
        return Ok(());
    }
    let command = editor.to_owned();
    // What a shell says of a program that it cannot find or run.
    Err(match status.code() {
        Some(126 | 127) => EditorError::NotFound { command },
        _ => EditorError::Failed { command },
    })
}

/// Returns the name of the program in a command line.
fn program(editor: &str) -> String {
    let mut words = editor.split_whitespace();
    let first = words.find(|word| !word.contains('=') && *word != "env");
    let name = first.unwrap_or_default().trim_matches(['"', '\'']);
    let name = name.rsplit('/').next().unwrap_or(name);
    name.to_owned()
}

fn arguments(program: &str, path: &Path, line: Option<usize>) -> Vec<OsString> {
    let path: OsString = path.into();
    let Some(line) = line else { return vec![path] };
    let with_line = || {
        let mut path = path.clone();
        path.push(format!(":{line}"));
        path
    };
    match program {
        "vi" | "vim" | "nvim" | "gvim" | "view" | "emacs" | "emacsclient" | "nano" | "kak" | "micro"
        | "joe" | "mg" | "ne" => vec![format!("+{line}").into(), path],
        "code" | "code-insiders" | "codium" | "cursor" | "windsurf" => vec!["--goto".into(), with_line()],
        "hx" | "helix" | "subl" | "zed" | "zeditor" => vec![with_line()],
        _ => vec![path],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_editor_gets_the_draft_and_its_text_comes_back() {
        assert_eq!(edit(Some("sed -i s/one/two/"), "one\n").unwrap(), "two");
    }

    #[test]
    fn an_editor_that_fails_leaves_the_draft() {
        assert!(matches!(
            edit(Some("false"), "x"),
            Err(EditorError::Failed { .. })
        ));
        assert!(matches!(edit(None, "x"), Err(EditorError::None)));
        assert!(matches!(
            edit(Some("no-such-editor-at-all 2>/dev/null"), "x"),
            Err(EditorError::NotFound { .. })
        ));
    }

    #[test]
    fn editors_are_told_the_line_in_their_own_way() {
        let of = |editor: &str, line| arguments(&program(editor), Path::new("/a b.rs"), line);
        assert_eq!(of("/usr/bin/nvim -u NONE", Some(3)), ["+3", "/a b.rs"]);
        assert_eq!(of("LANG=C code --wait", Some(3)), ["--goto", "/a b.rs:3"]);
        assert_eq!(of("hx", Some(3)), ["/a b.rs:3"]);
        assert_eq!(of("notepad", Some(3)), ["/a b.rs"]);
        assert_eq!(of("vim", None), ["/a b.rs"]);
    }

    #[test]
    fn the_first_place_that_is_a_file_is_opened() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("b.rs"), "").unwrap();
        let place = |path: &str| FilePlace {
            path: path.to_owned(),
            line: Some(4),
        };
        let places = [place("a.rs"), place("~/b.rs"), place("b.rs")];
        let found = first_file(&places, directory.path(), None);
        assert_eq!(found, Some((directory.path().join("b.rs"), Some(4))));
        let found = first_file(&places[..2], Path::new("/"), Some(directory.path()));
        assert!(found.is_some());
        assert_eq!(first_file(&places[..1], directory.path(), None), None);
    }
}
