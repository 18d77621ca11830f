//! `file:` URLs, as editors and models write them.

use std::path::PathBuf;

/// Decodes `file:///a%20b`, `file:/a` and `file://localhost/a`; `None` when it is not the URL of a local file.
pub fn local_path(url: &str) -> Option<PathBuf> {
    let rest = url.get(5..)?;
    let path = match rest.strip_prefix("//") {
        Some(after) => {
            let (host, _) = after.split_once('/')?;
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return None;
            }
            &after[host.len()..]
        }
        None => rest,
    };
    if path.starts_with('/') {
        percent_decoded(path).map(PathBuf::from)
    } else {
        None
    }
}

/// Decodes `%41`; a `%` without two digits stands for itself. `None` when the result is not UTF-8.
fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if let (b'%', Some(high), Some(low)) = (byte, digit(at + 1), digit(at + 2)) {
            decoded.push((high * 16 + low) as u8);
            at += 3;
        } else {
            decoded.push(byte);
            at += 1;
        }
    }
    String::from_utf8(decoded).ok()
}
