//! Reading a Markdown file that tells lathe something: an agent, a command.

use std::path::Path;

use crate::regular_file::{FileGate, MAX_BYTES, ReadError};
use crate::unconfirmed::Unconfirmed;

/// Returns the text of a file, which must not lead out of `confined_to` and must be the one that was judged. An error is a
/// clause that says why it cannot.
pub(super) fn read(
    path: &Path,
    confined_to: Option<&Path>,
    gate: &dyn FileGate,
    judged: Option<&Unconfirmed>,
) -> Result<String, String> {
    let file = gate.open(path).map_err(|error| left_out(&error))?;
    // A repository must not be able to send the user's own files to a model by a link.
    let leads_out = |root: &Path| {
        !root
            .canonicalize()
            .is_ok_and(|root| file.real_path().starts_with(root))
    };
    if confined_to.is_some_and(leads_out) {
        return Err("the file leads out of the project and was left out".to_owned());
    }
    let text = file.read_text(MAX_BYTES).map_err(|error| left_out(&error))?;
    if judged.is_some_and(|judged| !judged.is_as_seen(path, &text)) {
        return Err("the file was left out: it changed while it was read".to_owned());
    }
    Ok(text)
}

fn left_out(error: &ReadError) -> String {
    format!("the file was left out: {error}")
}
