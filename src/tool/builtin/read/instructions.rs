//! Instruction files on the way to a file that is read, each once in a conversation.

use std::path::Path;

use super::Details;
use crate::project::nearby;
use crate::regular_file::FileGate;
use crate::tool::{Noting, Output, Services};

/// Characters of one file that are shown.
const MAX_CHARS: usize = 16 * 1024;

/// Appends the instruction files between the file and the session's directory that the conversation has not seen. The
/// file itself, when it is one, has been seen now.
pub(super) fn add(output: &mut Output<Details>, file: &Path, services: &Services, noting: &Noting) {
    let Some(directory) = file.parent() else { return };
    let readable = services.gate.readable();
    let gate = readable.gate(&services.roots);
    for path in nearby(directory, services.roots.session_dir()) {
        let display = services.roots.display(&path);
        if !readable.allows(&display, &path) {
            continue;
        }
        let is_new = noting.instructions(&path, services);
        if !is_new || path == file {
            continue;
        }
        let Ok(text) = gate.read_text(&path) else {
            continue;
        };
        output.text.push_str(&reminder(&display, text.trim_end()));
        output.details.loaded.push(display);
    }
}

fn reminder(display: &str, text: &str) -> String {
    let (kept, cut) = match text.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => (&text[..at], format!("\n… (cut; read `{display}` for the rest)")),
        None => (text, String::new()),
    };
    format!("\n\n<system-reminder>\nInstructions from {display}:\n{kept}{cut}\n</system-reminder>")
}
