//! Reading a Markdown file that tells lathe something: an agent, a command.

use std::io::Read;
use std::path::Path;

/// A text of this size already fills a good part of a model's context.
const MAX_BYTES: u64 = 256 << 10;

/// Returns the text of a file, which must not lead out of `confined_to`. An error is a clause that says why it cannot.
pub(super) fn read(path: &Path, confined_to: Option<&Path>) -> Result<String, String> {
    let cannot = |error: std::io::Error| format!("the file cannot be read: {error}");
    let real = path.canonicalize().map_err(cannot)?;
    // A repository must not be able to send the user's own files to a model by a link.
    let leads_out = |root: &Path| !root.canonicalize().is_ok_and(|root| real.starts_with(root));
    if confined_to.is_some_and(leads_out) {
        return Err("the file leads out of the project and was left out".to_owned());
    }
    // Opening a FIFO would wait for a writer.
    if !real.is_file() {
        return Err("this is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(&real).map_err(cannot)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("the file is larger than {} KiB", MAX_BYTES >> 10));
    }
    String::from_utf8(bytes).map_err(|_| "the file is not valid UTF-8".to_owned())
}
