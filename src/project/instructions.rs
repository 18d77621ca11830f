//! Instruction files: `AGENTS.md`, `CLAUDE.md` and what the configuration names.
//!
//! They are put in front of every conversation, so each is limited in size, what a project names must lie inside it, and
//! all of them pass the gate of what may be read: a repository must not be able to send the user's own files or its
//! secrets to a model by a symlink or a pattern. What could not be read is a sentence beside the texts and stops nothing.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::instruction_imports::{MAX_DEPTH as MAX_IMPORT_DEPTH, imports};
use crate::project_root::directories;
use crate::regular_file::{FileGate, MAX_BYTES, ReadError};

/// One text with where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    pub path: PathBuf,
    pub text: String,
}

/// The instructions that were found, in the order in which they should be read, and what went wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundInstructions {
    pub instructions: Vec<Instruction>,
    /// Sentences for the user.
    pub problems: Vec<String>,
}

/// Directories that are searched for instructions.
#[derive(Debug, Clone, Default)]
pub struct InstructionPlaces {
    /// Lathe's configuration directory.
    pub config: PathBuf,
    pub home: Option<PathBuf>,
    pub root: PathBuf,
    pub cwd: PathBuf,
    /// More files, from the configuration.
    pub globs: Vec<InstructionGlob>,
}

/// A path or a glob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionGlob {
    /// A relative pattern counts from here.
    pub base: PathBuf,
    pub pattern: String,
    /// The directory that every file must lie in, if one is given.
    pub confined_to: Option<PathBuf>,
}

const NAMES: &[&str] = &["AGENTS.md", "CLAUDE.md", CLAUDE_LOCAL];
/// A person's own beside those that a project shares.
const CLAUDE_LOCAL: &str = "CLAUDE.local.md";
const NEARBY_NAMES: &[&str] = &["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];

/// A text of this size already fills a good part of a model's context.
const MAX_TEXT_BYTES: usize = 128 << 10;
const MAX_TOTAL_BYTES: usize = 512 << 10;
/// How many directory entries all globs together may look at.
const MAX_ENTRIES: usize = 20_000;
const MAX_DEPTH: usize = 32;

/// Gathers the user's texts, then the project's from its root down, then those of the configuration.
pub fn instructions(places: &InstructionPlaces, gate: &dyn FileGate) -> FoundInstructions {
    let mut gatherer = Gatherer::new(gate, places.home.as_deref());
    gatherer.optional(&places.config.join("AGENTS.md"), None);
    if let Some(home) = &places.home {
        gatherer.optional(&home.join(".claude/CLAUDE.md"), None);
    }
    for dir in directories(&places.root, &places.cwd) {
        for name in NAMES {
            gatherer.optional(&dir.join(name), Some(&places.root));
        }
    }
    for glob in &places.globs {
        gatherer.glob(glob, places.home.as_deref());
    }
    gatherer.gathered
}

/// Instruction files between a file's directory and, excluding it, the session's directory; the nearest first, one a
/// directory. Nothing for a file outside the session's directory. Where a link among them leads is for whoever opens it to see.
pub fn nearby(file_dir: &Path, session_dir: &Path) -> Vec<PathBuf> {
    if !file_dir.starts_with(session_dir) {
        return Vec::new();
    }
    let between = file_dir.ancestors().take_while(|dir| *dir != session_dir);
    let first = |dir: &Path| {
        let mut candidates = NEARBY_NAMES.iter().map(|name| dir.join(name));
        candidates.find(|path| path.is_file())
    };
    between.filter_map(first).collect()
}

fn is_inside(path: &Path, root: &Path) -> bool {
    matches!((path.canonicalize(), root.canonicalize()), (Ok(path), Ok(root)) if path.starts_with(&root))
}

struct Gatherer<'a> {
    gate: &'a dyn FileGate,
    home: Option<&'a Path>,
    gathered: FoundInstructions,
    /// Real paths that were read, so that a link beside its target is read once.
    seen: HashSet<PathBuf>,
    /// Texts that were read: `CLAUDE.md` is often a copy of `AGENTS.md`.
    texts: HashSet<String>,
    total: usize,
    /// Directory entries that globs have looked at.
    entries: usize,
}

impl<'a> Gatherer<'a> {
    fn new(gate: &'a dyn FileGate, home: Option<&'a Path>) -> Self {
        Self {
            gate,
            home,
            gathered: FoundInstructions::default(),
            seen: HashSet::new(),
            texts: HashSet::new(),
            total: 0,
            entries: 0,
        }
    }

    fn problem(&mut self, path: &Path, what: &str) {
        self.gathered
            .problems
            .push(format!("the instruction file `{}` {what}", path.display()));
    }

    fn left_out(&mut self, path: &Path, error: &ReadError) {
        self.problem(path, &format!("was left out: {error}"));
    }

    /// Reads a file that need not exist, and those that it names.
    fn optional(&mut self, path: &Path, confined_to: Option<&Path>) {
        if path.symlink_metadata().is_ok() {
            self.read_with_imports(path, confined_to, 0);
        }
    }

    /// Reads a file and, of a format that names others, those as well. They must lie where it must.
    fn read_with_imports(&mut self, path: &Path, confined_to: Option<&Path>, depth: usize) {
        let before = self.gathered.instructions.len();
        self.read(path, confined_to);
        let is_claudes = depth > 0 || path.file_name().is_some_and(|name| name != "AGENTS.md");
        let Some(read) = self.gathered.instructions.get(before).filter(|_| is_claudes) else {
            return;
        };
        let directory = path.parent().unwrap_or(path);
        for import in imports(&read.text, directory, self.home) {
            if !import.is_file() {
                continue;
            }
            if depth == MAX_IMPORT_DEPTH {
                return self.problem(
                    path,
                    "names other files too many levels deep; those were left out",
                );
            }
            self.read_with_imports(&import, confined_to, depth + 1);
        }
    }

    fn read(&mut self, path: &Path, confined_to: Option<&Path>) {
        let file = match self.gate.open(path) {
            Ok(file) => file,
            Err(error) => return self.left_out(path, &error),
        };
        let is_inside = |root: &Path| {
            root.canonicalize()
                .is_ok_and(|root| file.real_path().starts_with(root))
        };
        if confined_to.is_some_and(|root| !is_inside(root)) {
            return self.problem(path, "points outside the project and was left out");
        }
        if !self.seen.insert(file.real_path().to_path_buf()) {
            return;
        }
        let bytes = match file.read(MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => return self.left_out(path, &error),
        };
        let Some(text) = self.decode(path, bytes) else {
            return;
        };
        if text.trim().is_empty() || !self.texts.insert(text.clone()) {
            return;
        }
        if self.total + text.len() > MAX_TOTAL_BYTES {
            return self.problem(path, "was left out: the instructions before it fill 512 KiB");
        }
        self.total += text.len();
        self.gathered.instructions.push(Instruction {
            path: path.to_path_buf(),
            text,
        });
    }

    fn decode(&mut self, path: &Path, mut bytes: Vec<u8>) -> Option<String> {
        if bytes.len() > MAX_TEXT_BYTES {
            self.problem(path, "is larger than 128 KiB; only its beginning is used");
            // The cut may go through a character; what is left of it is dropped.
            bytes.truncate(MAX_TEXT_BYTES);
            let valid = match std::str::from_utf8(&bytes) {
                Err(error) if error.error_len().is_none() => error.valid_up_to(),
                _ => bytes.len(),
            };
            bytes.truncate(valid);
        }
        let Ok(mut text) = String::from_utf8(bytes) else {
            self.problem(path, "is not valid UTF-8 and was left out");
            return None;
        };
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        Some(text)
    }

    fn glob(&mut self, glob: &InstructionGlob, home: Option<&Path>) {
        let pattern = glob.pattern.as_str();
        if pattern.contains("://") {
            let problem = format!("the instructions `{pattern}` are a URL; only files are read");
            return self.gathered.problems.push(problem);
        }
        let full = match (pattern.strip_prefix("~/"), home) {
            (Some(below), Some(home)) => home.join(below),
            _ => glob.base.join(pattern),
        };
        let confined_to = glob.confined_to.as_deref();
        let is_wild = |part: &Path| part.to_string_lossy().contains(['*', '?', '[', '{']);
        // Only what was written is a pattern; a directory above may have any name.
        if !is_wild(Path::new(pattern)) {
            return self.read(&full, confined_to);
        }
        let written = Path::new(pattern.strip_prefix("~/").unwrap_or(pattern));
        let wild = written
            .components()
            .position(|part| is_wild(Path::new(part.as_os_str())));
        let literal = wild.map_or(0, |at| written.components().count() - at);
        let start = full.ancestors().nth(literal).unwrap_or(&full).to_path_buf();
        let rest = full
            .strip_prefix(&start)
            .unwrap_or(&full)
            .to_string_lossy()
            .into_owned();
        match globset::GlobBuilder::new(&rest).literal_separator(true).build() {
            Ok(matcher) => self.walk(&start, &matcher.compile_matcher(), pattern, confined_to),
            Err(error) => {
                let problem = format!("the instructions `{pattern}` are not a glob: {}", error.kind());
                self.gathered.problems.push(problem);
            }
        }
    }

    fn walk(
        &mut self,
        start: &Path,
        matcher: &globset::GlobMatcher,
        pattern: &str,
        confined_to: Option<&Path>,
    ) {
        // Nothing below a directory outside can be inside.
        if confined_to.is_some_and(|root| start.exists() && !is_inside(start, root)) {
            return self.problem(Path::new(pattern), "points outside the project and was left out");
        }
        let entries = ignore::WalkBuilder::new(start)
            .standard_filters(false)
            .max_depth(Some(MAX_DEPTH))
            .filter_entry(|entry| !matches!(entry.file_name().to_str(), Some(".git" | "node_modules")))
            .build();
        let mut found = Vec::new();
        for entry in entries {
            // What cannot be looked at counts, too.
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                let problem =
                    format!("the instructions `{pattern}` match in too many places; name a directory");
                self.gathered.problems.push(problem);
                break;
            }
            let Ok(entry) = entry else { continue };
            let below = entry.path().strip_prefix(start).unwrap_or(entry.path());
            let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            if !is_directory && matcher.is_match(below) {
                found.push(entry.into_path());
            }
        }
        found.sort();
        for path in found {
            self.read(&path, confined_to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Place(tempfile::TempDir);

    impl Place {
        fn new(files: &[(&str, &str)]) -> Self {
            let dir = tempfile::tempdir().unwrap();
            std::fs::create_dir_all(dir.path().join("p/a/b")).unwrap();
            for (name, text) in files {
                let path = dir.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            Self(dir)
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn gather(&self, globs: &[(&str, bool)]) -> FoundInstructions {
            let glob = |(pattern, confined): &(&str, bool)| InstructionGlob {
                base: self.path("p"),
                pattern: (*pattern).to_owned(),
                confined_to: confined.then(|| self.path("p")),
            };
            let places = InstructionPlaces {
                config: self.path("config"),
                home: Some(self.path("home")),
                root: self.path("p"),
                cwd: self.path("p/a"),
                globs: globs.iter().map(glob).collect(),
            };
            instructions(&places, &|real: &Path| !real.ends_with(".env"))
        }

        fn texts(&self, globs: &[(&str, bool)]) -> String {
            let gathered = self.gather(globs);
            assert_eq!(gathered.problems, Vec::<String>::new());
            gathered
                .instructions
                .iter()
                .map(|found| found.text.clone())
                .collect::<Vec<_>>()
                .join(" ")
        }
    }

    #[test]
    fn files_that_claude_md_names_are_read_after_it_and_only_inside_of_the_project() {
        let place = Place::new(&[
            ("home/.claude/CLAUDE.md", "mine, @style.md"),
            ("home/.claude/style.md", "my style"),
            (
                "p/CLAUDE.md",
                "See @docs/git.md, @docs/missing.md, `@docs/code.md` and @../home/secret.",
            ),
            ("p/CLAUDE.local.md", "only here"),
            ("p/docs/git.md", "git, and @more.md and @../CLAUDE.md"),
            ("p/docs/more.md", "more"),
            ("p/docs/code.md", "code"),
            ("home/secret", "secret"),
        ]);
        let gathered = place.gather(&[]);
        let texts: Vec<_> = gathered
            .instructions
            .iter()
            .map(|instruction| instruction.text.as_str())
            .collect();
        assert_eq!(texts[..2], ["mine, @style.md", "my style"]);
        assert!(texts[2].starts_with("See"), "{texts:?}");
        assert_eq!(
            texts[3..],
            ["git, and @more.md and @../CLAUDE.md", "more", "only here"]
        );
        assert_eq!(gathered.problems.len(), 1, "{:?}", gathered.problems);
        assert!(gathered.problems[0].contains("points outside the project"));
    }

    #[test]
    fn the_users_texts_come_first_then_the_projects_from_its_root_down() {
        let place = Place::new(&[
            ("config/AGENTS.md", "1"),
            ("home/.claude/CLAUDE.md", "2"),
            ("p/AGENTS.md", "3"),
            ("p/CLAUDE.md", "4"),
            ("p/a/CLAUDE.md", "5"),
            ("p/a/b/AGENTS.md", "deeper"),
            ("AGENTS.md", "above"),
            ("p/docs/y.md", "7"),
            ("p/docs/x.md", "6"),
            ("p/docs/z.txt", "other"),
            ("home/own.md", "8"),
        ]);
        assert_eq!(
            place.texts(&[("docs/*.md", true), ("~/own.md", false)]),
            "1 2 3 4 5 6 7 8"
        );
    }

    #[test]
    fn a_copy_or_a_link_is_read_once() {
        let place = Place::new(&[
            ("p/AGENTS.md", "same"),
            ("p/CLAUDE.md", "same"),
            ("p/a/x.md", "other"),
        ]);
        #[cfg(unix)]
        std::os::unix::fs::symlink("x.md", place.path("p/a/AGENTS.md")).unwrap();
        assert_eq!(place.texts(&[("a/x.md", true), ("**/x.md", true)]), "same other");
    }

    #[cfg(unix)]
    #[test]
    fn a_project_cannot_bring_in_files_from_outside() {
        let place = Place::new(&[("secret/key.md", "secret"), ("home/x", "")]);
        std::os::unix::fs::symlink(place.path("secret/key.md"), place.path("p/AGENTS.md")).unwrap();
        std::os::unix::fs::symlink(place.path("secret"), place.path("p/dir")).unwrap();
        let globs = [
            ("../secret/*.md", true),
            ("../secret/key.md", true),
            ("~/x", true),
            ("dir/*.md", true),
            ("**/*.md", true),
        ];
        let gathered = place.gather(&globs);
        assert_eq!(gathered.instructions, []);
        assert!(gathered.problems.len() >= 5, "{:?}", gathered.problems);
        assert!(
            gathered
                .problems
                .iter()
                .all(|problem| problem.contains("outside the project"))
        );
    }

    #[test]
    fn what_the_gate_withholds_is_left_out_by_whatever_name() {
        let place = Place::new(&[("p/.env", "S=1"), ("p/docs/real.md", "kept")]);
        for link in ["p/AGENTS.md", "p/a/CLAUDE.md", "p/docs/x.md"] {
            std::os::unix::fs::symlink(place.path("p/.env"), place.path(link)).unwrap();
        }
        let gathered = place.gather(&[
            (".env", true),
            (".env", false),
            ("docs/*.md", true),
            ("*env", true),
        ]);
        assert_eq!(gathered.instructions.len(), 1);
        assert_eq!(gathered.instructions[0].text, "kept");
        assert_eq!(gathered.problems.len(), 6, "{:?}", gathered.problems);
        for problem in gathered.problems {
            assert!(
                problem.contains("was left out") && problem.contains(".env`, which"),
                "{problem}"
            );
        }
    }

    #[test]
    fn what_cannot_be_used_is_a_sentence() {
        let place = Place::new(&[]);
        std::fs::write(place.path("p/AGENTS.md"), b"\xff\xfe").unwrap();
        std::fs::create_dir(place.path("p/CLAUDE.md")).unwrap();
        std::fs::write(place.path("p/big.md"), "é".repeat(MAX_TEXT_BYTES)).unwrap();
        std::fs::write(place.path("p/huge.md"), vec![b'a'; (1 << 20) + 1]).unwrap();
        let globs = [
            ("missing.md", true),
            ("https://x/y", true),
            ("[", true),
            ("big.md", true),
            ("huge.md", true),
            ("none*", true),
        ];
        let gathered = place.gather(&globs);
        let kinds = [
            "not valid UTF-8",
            "not a regular file",
            "no such file",
            "a URL",
            "not a glob",
            "only its beginning",
            "more than 1048576 bytes",
        ];
        assert_eq!(gathered.problems.len(), kinds.len(), "{:?}", gathered.problems);
        for (problem, kind) in gathered.problems.iter().zip(kinds) {
            assert!(problem.contains(kind), "{problem}");
        }
        assert_eq!(gathered.instructions[0].text.len(), MAX_TEXT_BYTES);
    }

    #[test]
    fn nearby_files_are_found_up_to_the_sessions_directory() {
        let place = Place::new(&[
            ("p/AGENTS.md", "x"),
            ("p/a/CONTEXT.md", "x"),
            ("p/a/CLAUDE.md", "x"),
            ("p/a/b/c/AGENTS.md", "x"),
            ("q/AGENTS.md", "x"),
        ]);
        let found = nearby(&place.path("p/a/b/c"), &place.path("p"));
        assert_eq!(
            found,
            [place.path("p/a/b/c/AGENTS.md"), place.path("p/a/CLAUDE.md")]
        );
        assert_eq!(nearby(&place.path("p"), &place.path("p")), Vec::<PathBuf>::new());
        assert_eq!(nearby(&place.path("q"), &place.path("p")), Vec::<PathBuf>::new());
    }
}
