//! Markdown files that tell lathe something (agents, commands): finding them in a directory and reading them.
//!
//! A project can bring any number of files, links and links to links. So everything is bounded by one [`ReadBudget`] for
//! all directories of one owner, and every entry that is looked at is counted, whatever comes of it.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use super::frontmatter;
use crate::regular_file::{FileGate, MAX_BYTES, ReadError};
use crate::unconfirmed::UnconfirmedFiles;

/// Nobody keeps more; more would only cost time and memory.
const MAX_ENTRIES: usize = 20_000;
const MAX_FILES: usize = 1000;
const MAX_TOTAL_BYTES: u64 = 16 << 20;
const MAX_FRONT_MATTER_BYTES: usize = 1 << 20;

/// How much of one owner's directories is left to look at.
#[derive(Debug, Clone)]
pub(super) struct ReadBudget {
    /// Entries of directories.
    entries: usize,
    files: usize,
    bytes: u64,
    front_matter_bytes: usize,
}

impl Default for ReadBudget {
    fn default() -> Self {
        Self {
            entries: MAX_ENTRIES,
            files: MAX_FILES,
            bytes: MAX_TOTAL_BYTES,
            front_matter_bytes: MAX_FRONT_MATTER_BYTES,
        }
    }
}

/// The Markdown files of a directory, sorted, and what was left out, each with a clause that says why.
#[derive(Debug, Default)]
pub(super) struct MarkdownFiles {
    pub(super) files: Vec<PathBuf>,
    pub(super) left_out: Vec<(PathBuf, String)>,
}

impl ReadBudget {
    /// Lists the Markdown files of a directory, and of those below it down to `depth`; 1 is the directory alone. Links are
    /// followed, and every real directory is looked through once. A directory that is not there holds nothing.
    pub(super) fn list(&mut self, dir: &Path, depth: usize, confined_to: Option<&Path>) -> MarkdownFiles {
        let mut listed = MarkdownFiles::default();
        let files_before = self.files;
        let mut seen = HashSet::new();
        // What a directory really has comes before what a link leads to, so that no link takes it away.
        let mut own = VecDeque::from([(dir.to_path_buf(), 1)]);
        let mut linked = VecDeque::new();
        let top = dir;
        while let Some((dir, level)) = own.pop_front().or_else(|| linked.pop_front()) {
            let Ok(real) = dir.canonicalize() else { continue };
            if !real.is_dir() || !seen.insert(real.clone()) {
                continue;
            }
            if leads_out(&real, confined_to) {
                let why = "the directory points outside the project and was left out".to_owned();
                listed.left_out.push((dir, why));
                continue;
            }
            let mut entries = match std::fs::read_dir(&dir) {
                Ok(entries) => entries,
                Err(error) => {
                    let why = format!("the directory cannot be read: {error}");
                    listed.left_out.push((dir, why));
                    continue;
                }
            };
            loop {
                let Some(entry) = entries.next() else { break };
                if self.entries == 0 {
                    return MarkdownFiles::none(top, &format!("{MAX_ENTRIES} entries"));
                }
                self.entries -= 1;
                let Ok(entry) = entry else { continue };
                let Ok(kind) = entry.file_type() else { continue };
                let path = entry.path();
                let is_linked = kind.is_symlink();
                // A link that leads nowhere, or in a circle, is nothing.
                let is_directory = kind.is_dir() || is_linked && path.is_dir();
                if is_directory && level < depth {
                    let queue = if is_linked { &mut linked } else { &mut own };
                    queue.push_back((path, level + 1));
                } else if path.extension().is_some_and(|ending| ending == "md") {
                    if self.files == 0 {
                        self.files = files_before;
                        return MarkdownFiles::none(top, &format!("{MAX_FILES} Markdown files"));
                    }
                    self.files -= 1;
                    listed.files.push(path);
                }
            }
        }
        // Nothing depends on the order in which the file system has them.
        listed.files.sort();
        listed
    }

    /// Returns the text of a file, which must not lead out of `confined_to` and must be the one that was judged. An error is
    /// a clause that says why it cannot.
    pub(super) fn read(
        &mut self,
        path: &Path,
        confined_to: Option<&Path>,
        gate: &dyn FileGate,
        judged: Option<&UnconfirmedFiles>,
    ) -> Result<String, String> {
        let file = gate.open(path).map_err(|error| left_out(&error))?;
        // A repository must not be able to send the user's own files to a model by a link.
        if leads_out(file.real_path(), confined_to) {
            return Err("the file points outside the project and was left out".to_owned());
        }
        let full = || "the file was left out: the files before it reach the total size limit".to_owned();
        let size = file.metadata().len();
        if size <= MAX_BYTES && size > self.bytes {
            return Err(full());
        }
        let text = file.read_text(MAX_BYTES).map_err(|error| left_out(&error))?;
        // It may have grown since.
        self.bytes = self.bytes.saturating_sub(text.len() as u64);
        let front_matter = frontmatter::size(&text);
        if front_matter > self.front_matter_bytes {
            return Err(full());
        }
        self.front_matter_bytes -= front_matter;
        if judged.is_some_and(|judged| !judged.is_as_seen(path, &text)) {
            return Err("the file was left out: it changed while it was read".to_owned());
        }
        Ok(text)
    }
}

impl MarkdownFiles {
    /// Leaves all out: which of them would be kept is chance.
    fn none(dir: &Path, most: &str) -> Self {
        let why = format!("the directory was left out: with those before it, it holds more than {most}");
        Self {
            files: Vec::new(),
            left_out: vec![(dir.to_path_buf(), why)],
        }
    }
}

fn leads_out(real: &Path, confined_to: Option<&Path>) -> bool {
    confined_to.is_some_and(|root| !root.canonicalize().is_ok_and(|root| real.starts_with(root)))
}

fn left_out(error: &ReadError) -> String {
    format!("the file was left out: {error}")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn names(listed: &MarkdownFiles, dir: &Path) -> Vec<String> {
        let below = |path: &PathBuf| path.strip_prefix(dir).unwrap().to_string_lossy().into_owned();
        listed.files.iter().map(below).collect()
    }

    #[test]
    fn nested_links_to_directories_are_not_walked_again() {
        let dir = tempfile::tempdir().unwrap();
        let commands = dir.path().join("commands");
        fs::create_dir(&commands).unwrap();
        for level in 0..8 {
            let here = dir.path().join(format!("z{level}"));
            fs::create_dir(&here).unwrap();
            for link in 0..12 {
                symlink(format!("../z{}", level + 1), here.join(format!("l{link}"))).unwrap();
            }
        }
        let last = dir.path().join("z8");
        fs::create_dir(&last).unwrap();
        for link in 0..500 {
            symlink(".", last.join(format!("l{link}"))).unwrap();
        }
        for (link, target) in [("gone", "nowhere"), ("circle", "circle")] {
            symlink(target, last.join(link)).unwrap();
        }
        fs::write(dir.path().join("z1/a.md"), "").unwrap();
        symlink("../z0", commands.join("s")).unwrap();
        let mut allowance = ReadBudget::default();
        let listed = allowance.list(&commands, 16, Some(dir.path()));
        let used = MAX_ENTRIES - allowance.entries;
        assert_eq!(names(&listed, &commands).len(), 1);
        assert!(used <= 1 + 8 * 12 + 502 + 1, "{used}");
    }

    #[test]
    fn a_link_takes_no_file_from_the_directory_that_it_leads_to() {
        let dir = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("c/real/deep")).unwrap();
        fs::write(dir.path().join("c/real/deep/a.md"), "").unwrap();
        fs::write(dir.path().join("c/b.md"), "").unwrap();
        symlink("real", dir.path().join("c/again")).unwrap();
        symlink("..", dir.path().join("c/real/up")).unwrap();
        symlink(outside.path(), dir.path().join("c/out")).unwrap();
        let top = dir.path().join("c");
        let listed = ReadBudget::default().list(&top, 8, Some(dir.path()));
        assert_eq!(names(&listed, &top), ["b.md", "real/deep/a.md"]);
        assert_eq!(listed.left_out.len(), 1);
        assert!(listed.left_out[0].1.contains("points outside the project"));
        let listed = ReadBudget::default().list(&top, 1, Some(dir.path()));
        assert_eq!(names(&listed, &top), ["b.md"]);
    }

    #[test]
    fn all_files_together_are_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let gate = |_: &Path| true;
        let read = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs::write(&path, text).unwrap();
            let mut allowance = ReadBudget::default();
            let read = (0..100).map(|_| allowance.read(&path, None, &gate, None));
            read.flatten().count()
        };
        assert_eq!(read("body.md", &"x".repeat(1 << 20)), 16);
        let yaml = format!("---\na: {}\n---\n", "x".repeat(60 << 10));
        assert_eq!(read("front.md", &yaml), 17);
        let mut allowance = ReadBudget::default();
        for number in 0..=MAX_FILES {
            fs::write(dir.path().join(format!("{number}.md")), "").unwrap();
        }
        let listed = allowance.list(dir.path(), 1, None);
        assert!(listed.files.is_empty(), "{listed:?}");
        assert!(listed.left_out[0].1.contains("more than 1000 Markdown files"));
        // Another directory has its files all the same.
        fs::create_dir(dir.path().join("other")).unwrap();
        fs::write(dir.path().join("other/a.md"), "").unwrap();
        assert_eq!(allowance.list(&dir.path().join("other"), 1, None).files.len(), 1);
    }
}
