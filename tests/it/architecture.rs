//! The layers of the crate: the table in `src/lib.rs` against the paths that the source files name.
//!
//! A file belongs to the module that its first folder names. It may name its own module and those of the lines above
//! its own in the table; what stands on the same line is a peer. Tests in the files obey as well. `main.rs` stands
//! above everything, and `lib.rs` only lists.

mod circles;
mod opening;
mod scan;
mod starting;
mod typing;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use scan::{Named, Source};

/// Each module with its line in the table; a lower number is a lower layer.
#[derive(Debug, PartialEq, Eq)]
struct Layers(BTreeMap<String, usize>);

impl Layers {
    /// Reads the block ```` ```text layers ```` of the crate's documentation.
    fn read(documentation: &str) -> Self {
        let lines = documentation
            .lines()
            .map(|line| line.trim_start_matches("//!").trim());
        let table = lines.skip_while(|line| *line != "```text layers").skip(1);
        let mut layers = BTreeMap::new();
        for (rank, line) in table.take_while(|line| *line != "```").enumerate() {
            // The first word is the layer's label.
            for module in line.split_whitespace().skip(1) {
                assert!(
                    layers.insert(module.to_owned(), rank).is_none(),
                    "`{module}` is listed twice"
                );
            }
        }
        assert!(
            !layers.is_empty(),
            "the crate's documentation has no table of layers"
        );
        Self(layers)
    }

    /// Returns the objection to one module naming another, if there is one.
    fn objection(&self, from: &str, to: &str) -> Option<String> {
        if from == to {
            return None;
        }
        let Some(own) = self.0.get(from) else {
            return Some(format!("`{from}` is not in the table of layers"));
        };
        match self.0.get(to) {
            None => Some(format!("`crate::{to}` is no module of the table")),
            Some(other) if other < own => None,
            Some(other) if other == own => Some(format!("`{to}` is a peer of `{from}`")),
            Some(_) => Some(format!("`{to}` is above `{from}`")),
        }
    }
}

fn manifest_directory() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn layers() -> Layers {
    Layers::read(&fs::read_to_string(manifest_directory().join("src/lib.rs")).unwrap())
}

/// Every Rust file below a folder, in order.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The module of a file, `["tool", "builtin", "grep"]`; empty for `lib.rs` and `main.rs`.
fn module_of(file: &Path) -> Vec<String> {
    let mut parts: Vec<String> = file
        .with_extension("")
        .iter()
        .map(|part| part.to_str().unwrap().to_owned())
        .collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}

/// The objections to one file, as lines for the report.
fn objections(layers: &Layers, file: &Path, text: &str) -> Vec<String> {
    let module = module_of(file);
    let source = Source::new(text);
    let mut found = Vec::new();
    let mut object = |line: usize, why: String| found.push(format!("{}:{line}: {why}", file.display()));
    for line in source.path_attributes() {
        object(line, "`#[path]` hides where a module is".into());
    }
    for Named { path, line } in source.named_paths(&module) {
        let (Some(from), Some(to)) = (module.first(), path.first()) else {
            continue;
        };
        if let Some(why) = layers.objection(from, to) {
            object(line, why);
        }
    }
    // The branches of one group say the same.
    found.dedup();
    found
}

#[test]
fn imports_point_down() {
    let layers = layers();
    let source = manifest_directory().join("src");
    let mut report = String::new();
    for path in rust_files(&source) {
        let file = path.strip_prefix(&source).unwrap();
        for objection in objections(&layers, file, &fs::read_to_string(&path).unwrap()) {
            writeln!(report, "src/{objection}").unwrap();
        }
    }
    assert!(report.is_empty(), "the layers in src/lib.rs forbid:\n{report}");
}

/// Modules that a person or a program faces.
const FRONT_ENDS: &[&str] = &["cli", "headless", "screen_reader", "tui"];

/// The lines where a front end reaches around the host and the handles of sessions: into the store, wherever it stands, or
/// to a tool registry, outside of tests.
fn reached_around(file: &Path, text: &str) -> Vec<usize> {
    let module = module_of(file);
    let store = Source::new(text)
        .named_paths(&module)
        .into_iter()
        .filter(|named| named.path.first().is_some_and(|first| first == "store"))
        .map(|named| named.line);
    let is_test = module.iter().any(|part| part == "tests");
    let code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    let registry = code
        .enumerate()
        .filter(|(_, line)| !is_test && line.contains("Registry"))
        .map(|(index, _)| index + 1);
    store.chain(registry).collect()
}

#[test]
fn front_ends_reach_sessions_through_the_host_alone() {
    let source = manifest_directory().join("src");
    for path in FRONT_ENDS
        .iter()
        .flat_map(|front_end| rust_files(&source.join(front_end)))
    {
        let file = path.strip_prefix(&source).unwrap();
        let lines = reached_around(file, &fs::read_to_string(&path).unwrap());
        assert!(
            lines.is_empty(),
            "src/{}: lines {lines:?} use the store, or a tool registry",
            file.display()
        );
    }
}

#[test]
fn every_module_is_in_the_table() {
    let layers = layers();
    for entry in fs::read_dir(manifest_directory().join("src")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let known = matches!(name, "lib" | "main") || layers.0.contains_key(name);
        assert!(known, "src/lib.rs gives `{name}` no layer");
    }
}

#[test]
fn nothing_is_ignored_or_left_to_do() {
    for folder in ["src", "tests"] {
        for path in rust_files(&manifest_directory().join(folder)) {
            let source = Source::new(&fs::read_to_string(&path).unwrap());
            let left = source.left_undone();
            assert!(
                left.is_empty(),
                "{}: lines {left:?} put something off",
                path.display()
            );
        }
    }
}

/// Files and folders of `src` that read files past the gate, and why nothing of what they read becomes a prompt unasked.
const UNGATED: &[(&str, &str)] = &[
    (
        "provider/http.rs",
        "certificates of authorities that `NODE_EXTRA_CA_CERTS` names; no model reads them",
    ),
    ("cli/attach.rs", "a file that the person attaches"),
    (
        "cli/new_key.rs",
        "a key and the user's configuration, which are written and not read",
    ),
    ("cli/themes.rs", "a theme that the person names"),
    (
        "config/source.rs",
        "settings; what of them becomes a prompt has been read through its gate",
    ),
    (
        "files/",
        "the reading and writing of the tools, which ask under `read` and `edit` first",
    ),
    ("hook/transcript.rs", "lathe's own transcript for hooks"),
    ("process/descendants.rs", "`/proc`"),
    (
        "process/git/",
        "the files by which git is disarmed; they are looked at and not shown",
    ),
    ("process/kill.rs", "`/proc`"),
    (
        "process/sandbox/",
        "`/proc`, and the programs that a sandbox has to hold",
    ),
    ("process/spawn.rs", "`/dev/null`"),
    ("process/blocked_file.rs", "`/proc`"),
    ("process/pty/", "`/proc`"),
    (
        "project_root.rs",
        "the `.git` file that says where a repository is",
    ),
    ("private_file.rs", "opens for the others in this list"),
    ("provider/cassette/", "a recording that the person names"),
    ("regular_file.rs", "the opener and the gate themselves"),
    (
        "session/import/directory.rs",
        "the list of accounts, for their homes; nothing of it is shown",
    ),
    (
        "session/query/changes/",
        "what the screen shows the person of changed files",
    ),
    ("session/query/status.rs", "`/proc`"),
    ("session/wire/models.rs", "a recording that the person names"),
    (
        "session/wire/rule_keys.rs",
        "the names of another program's servers, which stay here",
    ),
    ("store/", "lathe's own state"),
    (
        "tool/builtin/apply_patch/tree.rs",
        "files that the call was asked about",
    ),
    (
        "tool/builtin/edit/steps.rs",
        "files that the call was asked about",
    ),
    (
        "tool/builtin/grep/search.rs",
        "files that the gate of the search has judged",
    ),
    (
        "tool/builtin/hashline_edit/plan.rs",
        "files that the call was asked about",
    ),
    (
        "tool/builtin/look_at/content.rs",
        "files that the call was asked about",
    ),
    (
        "tool/builtin/plan/plan_file.rs",
        "the plan, which lathe writes itself",
    ),
    (
        "tool/builtin/read/media.rs",
        "files that the call was asked about",
    ),
    ("tool/builtin/read/text.rs", "files that the call was asked about"),
    ("tool/builtin/write.rs", "files that the call was asked about"),
    ("tool/write_paths.rs", "files that the call was asked about"),
    (
        "unconfirmed/",
        "digests of files and its own lists of them; their text goes to the trust question alone",
    ),
    (
        "tool/command_permissions/",
        "files that say what a command would do; they are looked at and not shown",
    ),
    ("tree_walk/", "ignore files, which say what is left out"),
    (
        "worktree/",
        "repositories and files that are compared and copied; the person is shown them",
    ),
    (
        "tui/",
        "what the person picks, pastes or edits, and the screen's own lists",
    ),
    (
        "session/import/mod.rs",
        "a session of another program that the person names",
    ),
];
/// Ways to a file's text that no gate judges.
const UNJUDGED: &[&str] = &[
    "RegularFile",
    "File::open",
    "OpenOptions",
    "private_file::o",
    "fs::read(",
    "read_to_string",
    "TextFile",
];

/// Lines, outside of tests, that read a file past the gate.
fn unjudged_reads(text: &str) -> Vec<usize> {
    let code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    let numbered = code
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"));
    numbered
        .filter(|(_, line)| UNJUDGED.iter().any(|way| line.contains(way)))
        .map(|(index, _)| index + 1)
        .collect()
}

/// Files that open a file's text for themselves: the one opener of all tools, and plans, which judge `read` themselves.
const OPENS_FOR_ITSELF: &[&str] = &["src/tool/write_paths.rs", "src/tool/builtin/plan/plan_file.rs"];

#[test]
fn a_tool_opens_what_it_changes_where_reading_is_asked_about() {
    let root = manifest_directory();
    let mut openers = Vec::new();
    for path in rust_files(&root.join("src/tool")) {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let code = text.split("#[cfg(test)]").next().unwrap();
        if !name.contains("/tests") && code.contains("TextFile::open") {
            openers.push(name);
        }
    }
    openers.sort_unstable();
    let mut expected = OPENS_FOR_ITSELF.to_vec();
    expected.sort_unstable();
    assert_eq!(openers, expected, "open with `writing::Originals`");
}

#[test]
fn what_becomes_a_prompt_is_read_through_the_gate() {
    let source = manifest_directory().join("src");
    let mut used = BTreeSet::new();
    for path in rust_files(&source) {
        let file = path.strip_prefix(&source).unwrap().to_str().unwrap();
        let lines = unjudged_reads(&fs::read_to_string(&path).unwrap());
        if lines.is_empty() || opening::is_test(&format!("src/{file}")) {
            continue;
        }
        let place = UNGATED
            .iter()
            .map(|(place, _)| *place)
            .find(|place| file == *place || (place.ends_with('/') && file.starts_with(place)));
        assert!(
            place.is_some(),
            "src/{file}: lines {lines:?} read a file that no `FileGate` judges"
        );
        used.extend(place);
    }
    let idle: Vec<_> = UNGATED
        .iter()
        .filter(|(place, _)| !used.contains(place))
        .collect();
    assert!(
        idle.is_empty(),
        "these read nothing past the gate any more: {idle:?}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_around_the_host_are_seen() {
        let text =
            "use crate::store::Store;\nlet r = Registry::builtin();\n#[cfg(test)]\nRegistry::builtin()";
        assert_eq!(reached_around(Path::new("tui/app/mod.rs"), text), [1, 2]);
        assert_eq!(reached_around(Path::new("tui/app/tests/mod.rs"), text), [1]);
    }

    #[test]
    fn reads_past_the_gate_are_seen() {
        let text = "// RegularFile\nlet a = gate.read_text(p);\nlet b = RegularFile::open(p);\nfs::read(p);\n#[cfg(test)]\nFile::open";
        assert_eq!(unjudged_reads(text), [3, 4]);
    }

    const TABLE: &str = "//! The map.\n//!\n//! ```text layers\n//! 0   text\n//! 0a  conversation\n//! 1a  auth files\n//! 2   tool\n//! 6   cli\n//! ```\n//! 9 x\n";

    fn judge(file: &str, text: &str) -> Vec<String> {
        objections(&Layers::read(TABLE), Path::new(file), text)
    }

    #[test]
    fn the_table_ends_with_its_block() {
        let layers = Layers::read(TABLE);
        assert_eq!(layers.0.len(), 6);
        assert_eq!(
            (
                layers.0["text"],
                layers.0["auth"],
                layers.0["files"],
                layers.0["cli"]
            ),
            (0, 2, 2, 4)
        );
    }

    #[test]
    fn modules_are_told_by_their_files() {
        assert_eq!(
            module_of(Path::new("tool/builtin/grep.rs")),
            ["tool", "builtin", "grep"]
        );
        assert_eq!(module_of(Path::new("tool/mod.rs")), ["tool"]);
        assert!(module_of(Path::new("lib.rs")).is_empty());
    }

    #[test]
    fn down_is_allowed_up_and_sideways_are_not() {
        assert!(judge("tool/mod.rs", "use crate::files::X; use crate::tool::Y;").is_empty());
        let up = judge("text/mod.rs", "\nuse crate::tool::X;");
        assert_eq!(up, ["text/mod.rs:2: `tool` is above `text`"]);
        let sideways = judge("auth/keys.rs", "fn f() { crate::files::read() }");
        assert_eq!(sideways, ["auth/keys.rs:1: `files` is a peer of `auth`"]);
    }

    #[test]
    fn groups_climbs_and_tests_are_seen() {
        let group = "use crate::{text::a, tool::{b, c}};";
        assert_eq!(
            judge("files/mod.rs", group),
            ["files/mod.rs:1: `tool` is above `files`"]
        );
        let climb = "use super::super::tool::X;";
        assert_eq!(
            judge("files/disk.rs", climb),
            ["files/disk.rs:1: `tool` is above `files`"]
        );
        let test = "#[cfg(test)]\nmod tests { use super::*; use super::super::tool; use super::super::super::tool; }";
        assert_eq!(
            judge("files/disk.rs", test),
            ["files/disk.rs:2: `tool` is above `files`"]
        );
        assert_eq!(
            judge("files/mod.rs", test),
            ["files/mod.rs:2: `tool` is above `files`"]
        );
    }

    #[test]
    fn the_whole_crate_is_not_to_be_imported() {
        for text in [
            "use crate::*;",
            "use crate as everything;",
            "use crate::{self as everything};",
        ] {
            assert_eq!(judge("files/mod.rs", text).len(), 1, "{text}");
        }
        assert_eq!(judge("files/mod.rs", "pub use crate::Thing;").len(), 1);
    }

    #[test]
    fn a_module_at_another_path_is_refused() {
        assert_eq!(
            judge("files/mod.rs", "#[path = \"../tool/x.rs\"]\nmod x;").len(),
            1
        );
    }

    #[test]
    fn main_and_lib_may_name_everything() {
        assert!(judge("main.rs", "fn main() { lathe::cli::main() }").is_empty());
        assert!(judge("lib.rs", "pub mod cli; pub use crate::cli::X;").is_empty());
    }
}

#[test]
fn markdown_is_parsed_in_one_place() {
    let mut found = Vec::new();
    for file in rust_files(&manifest_directory().join("src")) {
        let text = fs::read_to_string(&file).unwrap();
        if text.contains("Parser::new_ext(") || text.contains("pulldown_cmark::Parser") {
            found.push(file.strip_prefix(manifest_directory()).unwrap().to_owned());
        }
    }
    assert_eq!(
        found,
        [Path::new("src/text/markdown.rs")],
        "`text::markdown::parse` measures a text first"
    );
}
