//! The asks for a path.

use std::path::Path;

use crate::files::{Resolved, Roots};
use crate::permission::{Ask, PermissionKey, Subject};

const NULL_DEVICE: &str = "/dev/null";

/// The asks for leaving the project: for the path as it is named, and for what links on the way lead to.
pub(super) fn outside_asks(roots: &Roots, resolved: &Resolved) -> Vec<Ask> {
    // What is outside is shown by its absolute path.
    let is_outside = |path: &Path| Path::new(&roots.display(path)).is_absolute() && !roots.is_readable(path);
    let is_directory = resolved.real.is_dir();
    let mut asks = Vec::new();
    for path in [&resolved.absolute, &resolved.real] {
        let directory = path.parent().filter(|_| !is_directory).unwrap_or(path);
        let pattern = if path == Path::new(NULL_DEVICE) {
            // The rules have a word of their own for it, which says nothing of the other devices.
            NULL_DEVICE.to_owned()
        } else {
            format!("{}/*", directory.display()).replace("//", "/")
        };
        let ask = Ask::new(PermissionKey::EXTERNAL_DIRECTORY, Subject::new(pattern.clone())).always(pattern);
        if is_outside(path) && !asks.contains(&ask) {
            asks.push(ask);
        }
    }
    asks
}

/// The asks for touching a path under one key: the path as it is named, and what a link on the way leads to.
pub fn path_asks(key: &PermissionKey, resolved: &Resolved) -> Vec<Ask> {
    let locate = |ask: Ask| if resolved.inside { ask.in_project() } else { ask };
    // Every edit is one thing to allow; to read a file is to read that file.
    let offered = |ask: Ask, path: &str| match *key == PermissionKey::READ {
        true if path.contains(['*', '?']) => ask,
        true => ask.always(path),
        false => ask.always("*"),
    };
    let named = Subject::new(&resolved.display).also(resolved.absolute.to_string_lossy());
    let mut asks = vec![locate(offered(Ask::new(key.clone(), named), &resolved.display))];
    if resolved.real != resolved.absolute {
        // Rules are written with the names that files have in the project.
        let real = resolved.real.to_string_lossy();
        let subject = Subject::new(&*real).also(&resolved.real_display);
        asks.push(locate(offered(Ask::new(key.clone(), subject), &real)));
    }
    asks
}
