//! Changes that hooks make to the files of a call after the tool has written them.
//!
//! A formatter is the commonest hook after an edit, and it leaves another file than the tool did. So each file of the call
//! is looked at again when the hooks have run. Where it differs, the read record and the journal take the state after the
//! hooks, as if the tool had written it, and the model gets a short diff.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::{SessionServices, ToolCx, plural};
use crate::files::{ContentHash, CurrentFile};
use crate::store::StoreError;
use crate::text::diff::unified_renamed;
use crate::text::sanitize::strip_controls;
use crate::text::truncate::{Keep, SizeLimits, Truncation, by_size, marker};

/// Bounds of the diff that the model gets.
const DIFF_LIMITS: SizeLimits = SizeLimits {
    max_lines: 40,
    max_bytes: 2048,
};
/// Maximum number of files that are named for each kind of change.
const MAX_NAMED: usize = 10;
/// Largest text in bytes that a diff is made of.
const MAX_DIFFED: usize = 1 << 20;
/// Largest file in bytes that is looked at.
const MAX_BYTES: u64 = 64 << 20;

/// A file as the tool left it.
#[derive(Debug)]
pub(super) struct ToolFile {
    /// The path as the model knows it.
    pub(super) display: String,
    /// `None` for a file that the tool removed.
    pub(super) bytes: Option<Vec<u8>>,
}

/// Files that a call has written or removed, by their real paths.
#[derive(Debug, Default)]
pub(super) struct ToolFiles {
    files: Mutex<BTreeMap<PathBuf, ToolFile>>,
}

impl ToolFiles {
    pub(super) fn add(&self, files: impl IntoIterator<Item = (PathBuf, ToolFile)>) {
        let mut all = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(files);
    }

    fn take(&self) -> BTreeMap<PathBuf, ToolFile> {
        std::mem::take(&mut *self.files.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A file of the call that a hook changed.
struct HookedFile {
    written: ToolFile,
    now: CurrentFile,
}

/// Takes in what hooks made of the files of a call. Returns the words for the model, or `None` where no file was changed.
pub(super) async fn take_in(cx: &ToolCx) -> Option<String> {
    let written = cx.tool_files.take();
    if written.is_empty() {
        return None;
    }
    let paths: Vec<PathBuf> = written.keys().cloned().collect();
    let lock = cx.services.tree.locks.lock(&paths).await;
    let services = Arc::clone(&cx.services);
    let work = move || {
        let _lock = lock;
        let changed: Vec<HookedFile> = written
            .into_iter()
            .filter_map(|(path, file)| changed_file(&services, &path, file))
            .collect();
        Ok(report(&changed))
    };
    cx.blocking(work).await.unwrap_or_default()
}

/// Looks at a file again, and notes its state where a hook changed it.
fn changed_file(services: &SessionServices, path: &Path, written: ToolFile) -> Option<HookedFile> {
    let now = CurrentFile::look(path, MAX_BYTES)
        .inspect_err(|error| tracing::warn!(%error, "a file was not looked at after the hooks"))
        .ok()?;
    let is_as_written = match (&written.bytes, &now) {
        (Some(written), CurrentFile::File { bytes, .. }) => written == bytes,
        (None, CurrentFile::Absent) => true,
        _ => false,
    };
    if is_as_written {
        return None;
    }
    let is_by_hook = note(services, path, &written, &now).unwrap_or_else(|error| {
        tracing::warn!(%error, "what a hook changed was not noted");
        true
    });
    is_by_hook.then_some(HookedFile { written, now })
}

/// Brings the journal and the read record up to the file as it is now. Returns false if something else of lathe has
/// changed it since the tool wrote it.
fn note(
    services: &SessionServices,
    path: &Path,
    written: &ToolFile,
    now: &CurrentFile,
) -> Result<bool, StoreError> {
    if let Some(log) = &services.log {
        let hash = written.bytes.as_deref().map(ContentHash::of);
        if !log.enter_hook_change(path, hash.as_ref(), now)? {
            return Ok(false);
        }
    }
    // What is gone needs no record, and the target of a link is another file.
    if let CurrentFile::File { bytes, .. } = now {
        let hash = ContentHash::of(bytes);
        let store = &services.tree.store;
        // A formatter leaves the encoding as it is.
        let known = store.file_read(&services.session, path)?;
        let encoding = known.and_then(|read| read.encoding);
        store.record_read(&services.session, path, hash.as_str(), encoding.as_deref())?;
    }
    Ok(true)
}

/// Tells the model which files hooks changed, and how.
fn report(changed: &[HookedFile]) -> Option<String> {
    let acts = [
        act("changed", changed, |now| matches!(now, CurrentFile::File { .. })),
        act("deleted", changed, |now| *now == CurrentFile::Absent),
        act("put a link in place of", changed, |now| {
            matches!(now, CurrentFile::Link(_))
        }),
    ];
    let acts: Vec<String> = acts.into_iter().flatten().collect();
    if acts.is_empty() {
        return None;
    }
    let sentence = format!("A hook {} after this call", acts.join(", and "));
    let diff: String = changed.iter().map(HookedFile::diff).collect();
    let text = match by_size(&diff, DIFF_LIMITS, Keep::Head) {
        _ if diff.is_empty() => format!("{sentence}."),
        Some(Truncation::Cut { kept, left_out, .. }) => {
            let marker = marker(left_out);
            format!(
                "{sentence}, from what the call wrote to:\n{kept}\n{marker}\nRead the file to see the rest."
            )
        }
        Some(Truncation::Suppressed) | None => {
            format!("{sentence}, from what the call wrote to:\n{}", diff.trim_end())
        }
    };
    Some(strip_controls(&text).into_owned())
}

/// Names the files that became something, as in "deleted `a`, `b`"; `None` where there are none.
fn act(verb: &str, changed: &[HookedFile], became: impl Fn(&CurrentFile) -> bool) -> Option<String> {
    let names: Vec<String> = changed
        .iter()
        .filter(|file| became(&file.now))
        .map(|file| format!("`{}`", file.written.display))
        .collect();
    let shown = names.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>();
    match names.len().saturating_sub(MAX_NAMED) {
        _ if names.is_empty() => None,
        0 => Some(format!("{verb} {}", shown.join(", "))),
        more => Some(format!(
            "{verb} {} and {}",
            shown.join(", "),
            plural(more, "more file")
        )),
    }
}

impl HookedFile {
    /// Returns the diff from what the tool left to the file as it is; empty for what is gone, no text, or too large.
    fn diff(&self) -> String {
        let CurrentFile::File { bytes, .. } = &self.now else {
            return String::new();
        };
        let name = self.written.display.as_str();
        let old_name = self.written.bytes.as_ref().map(|_| name);
        match (
            text(self.written.bytes.as_deref().unwrap_or_default()),
            text(bytes),
        ) {
            (Some(old), Some(new)) => unified_renamed(old_name, Some(name), old, new).text,
            _ => String::new(),
        }
    }
}

/// Returns the bytes as text, where they are UTF-8 and not too long to compare.
fn text(bytes: &[u8]) -> Option<&str> {
    let is_text = bytes.len() <= MAX_DIFFED && !bytes.contains(&0);
    is_text.then(|| std::str::from_utf8(bytes).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(display: &str, written: &str, now: CurrentFile) -> HookedFile {
        HookedFile {
            written: ToolFile {
                display: display.to_owned(),
                bytes: Some(written.into()),
            },
            now,
        }
    }

    fn content(text: &str) -> CurrentFile {
        CurrentFile::File {
            bytes: text.into(),
            mode: 0o644,
        }
    }

    #[test]
    fn the_report_names_the_files_and_shows_the_diff() {
        let changed = [
            file("a.py", "x=1\n", content("x = 1\n")),
            file("b.py", "y\n", CurrentFile::Absent),
        ];
        let report = report(&changed).unwrap();
        assert!(
            report.starts_with("A hook changed `a.py`, and deleted `b.py` after this call, from"),
            "{report}"
        );
        assert!(report.ends_with("-x=1\n+x = 1"), "{report}");
    }

    #[test]
    fn a_long_diff_is_cut_with_a_sentence() {
        let long = |line: &str| format!("{line}\n").repeat(500);
        let report = report(&[file("a", &long("x"), content(&long("y")))]).unwrap();
        assert!(report.len() < 2500 && report.lines().count() < 45, "{report}");
        assert!(report.ends_with("Read the file to see the rest."), "{report}");
    }

    #[test]
    fn nothing_is_reported_of_files_that_are_as_they_were_written() {
        assert_eq!(report(&[]), None);
    }

    #[test]
    fn a_change_without_a_diff_is_one_sentence() {
        let report = report(&[file("a", "x\n", content("\0"))]).unwrap();
        assert_eq!(report, "A hook changed `a` after this call.");
    }
}
