//! The draft in the person's own editor. The caller gives the terminal away before and takes it back after.

use std::io::{self, Write};
use std::process::Command;

/// Why the draft stays as it was.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EditorError {
    #[error("no editor is set; put its command into `EDITOR`")]
    None,
    #[error("`{command}` ended with an error; the draft is unchanged")]
    Failed { command: String },
    #[error("the draft could not be handed to the editor: {0}")]
    Io(#[from] io::Error),
    #[error("the editor left a file that is not UTF-8; the draft is unchanged")]
    NotText,
}

/// Runs the editor on `text` and returns what it left.
pub(crate) fn edit(editor: Option<&str>, text: &str) -> Result<String, EditorError> {
    let editor = editor.ok_or(EditorError::None)?;
    let mut file = tempfile::Builder::new()
        .prefix("lathe-draft-")
        .suffix(".md")
        .tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    // The variable is a command line (`code --wait`), so a shell reads it; the path is passed beside it.
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("lathe")
        .arg(file.path())
        .status()?;
    if !status.success() {
        return Err(EditorError::Failed {
            command: editor.to_owned(),
        });
    }
    // Editors often write a new file in place of the old one, so it is opened again by its name.
    let bytes = std::fs::read(file.path())?;
    let text = String::from_utf8(bytes).map_err(|_| EditorError::NotText)?;
    Ok(text.trim_end_matches('\n').to_owned())
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
    }
}
