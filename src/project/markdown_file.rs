//! Reading a Markdown file that tells lathe something: an agent, a command.

use std::path::Path;

use crate::regular_file::{FileGate, MAX_BYTES, ReadError};

/// Returns the text of a file, which must not lead out of `confined_to`. An error is a clause that says why it cannot.
pub(super) fn read(path: &Path, confined_to: Option<&Path>, gate: &dyn FileGate) -> Result<String, String> {
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
    file.read_text(MAX_BYTES).map_err(|error| left_out(&error))
}

fn left_out(error: &ReadError) -> String {
    format!("the file was left out: {error}")
}
