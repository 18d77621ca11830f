//! Instruction files on the way to a file that is read, each once in a conversation.

use std::path::Path;

use super::Details;
use crate::project::nearby;
use crate::regular_file::{FileGate, MAX_BYTES};
use crate::tool::{NoteTime, Output, SessionServices};

/// Characters of one file that are shown.
const MAX_CHARS: usize = 16 * 1024;

/// Appends the instruction files between the file and the session's directory that the conversation has not seen. The
/// file itself, when it is one, has been seen now. What may not be read is named and left out.
pub(super) fn add(output: &mut Output<Details>, file: &Path, services: &SessionServices, noting: &NoteTime) {
    let Some(directory) = file.parent() else { return };
    let gate = services.gate.readable();
    let session_dir = services.roots.session_dir();
    let Ok(root) = session_dir.canonicalize() else {
        return;
    };
    for path in nearby(directory, session_dir) {
        let is_new = noting.instructions(&path, services);
        if !is_new || path == file {
            continue;
        }
        let display = services.roots.display(&path);
        let opened = gate.open(&path);
        // The file that was read may be the target of this link, which may have become another since it was found.
        let is_meant = |path: &Path| path != file && path.starts_with(&root);
        if opened.as_ref().is_ok_and(|opened| !is_meant(opened.real_path())) {
            continue;
        }
        match opened.and_then(|opened| opened.read_text(MAX_BYTES)) {
            Ok(text) => {
                output.text.push_str(&reminder(&display, text.trim_end()));
                output.details.loaded.push(display);
            }
            Err(error) => {
                let notice = format!("The instructions {display} were left out: {error}");
                output.text.push_str(&block(&notice));
            }
        }
    }
}

fn reminder(display: &str, text: &str) -> String {
    let (kept, cut) = match text.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => (&text[..at], format!("\n… (cut; read `{display}` for the rest)")),
        None => (text, String::new()),
    };
    block(&format!("Instructions from {display}:\n{kept}{cut}"))
}

fn block(text: &str) -> String {
    format!("\n\n<system-reminder>\n{text}\n</system-reminder>")
}
