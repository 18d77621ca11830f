//! Every example of the documentation, run as it stands.
//!
//! The examples of a page follow each other in one project: a block with a file name is written there, each line of `sh`
//! is run, and what follows a `$ ` line of `console` is what it prints, where `…` stands for anything. The model is a
//! scripted one behind `ANTHROPIC_API_KEY`; a line that opens the screen is run in a terminal.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::blocks::{Block, blocks};
use super::{Document, root};
use crate::support::{LATHE, Lathe, Project, Protocol, Server, Terminal, Turn};

/// Lines that build lathe or run all of its tests. What runs this test has done the same.
const BUILDS: [&str; 3] = ["cargo install --path .", "cargo run --release", "tests/run"];
/// Stands for anything in the output of an example.
const ANYTHING: &str = "…";

/// Project, model and programs that the examples of a page are run with.
struct Reader {
    project: Project,
    server: Server,
    /// Holds `lathe` alone.
    programs: PathBuf,
}

impl Reader {
    fn new() -> Self {
        let project = Project::new()
            .file("src/main.rs", "fn main() {\n    // TODO: greet\n}\n")
            .file("Makefile", "test:\n\t@echo 'all tests passed'\n")
            .file("docs/guide.md", "# Guide\n")
            .file(".env", "TOKEN=secret\n")
            .git();
        let programs = project.home().join("bin");
        fs::create_dir_all(&programs).unwrap();
        symlink(LATHE, programs.join("lathe")).unwrap();
        let server = Server::start();
        server.otherwise(Turn::text("Nothing needs to change.").piece(50));
        Self {
            project,
            server,
            programs,
        }
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(self.programs.clone()).chain(std::env::split_paths(&path));
        vec![
            ("PATH", std::env::join_paths(paths).unwrap()),
            ("ANTHROPIC_API_KEY", "test-key".into()),
            ("ANTHROPIC_BASE_URL", self.server.url(Protocol::Anthropic).into()),
        ]
    }

    fn place(&self, file: &str) -> PathBuf {
        if let Some(path) = file.strip_prefix("~/.config/lathe/") {
            self.project.config_dir().join(path)
        } else if let Some(path) = file.strip_prefix("~/") {
            self.project.home().join(path)
        } else {
            self.project.path(file)
        }
    }

    /// The output of a shell line with the places that a reader would see, and whether it succeeded.
    fn output(&self, line: &str) -> (String, bool) {
        let script = format!("{{ {line}\n}} 2>&1");
        let mut shell = Lathe::program("bash", &self.project).args(["-c", &script]);
        for (name, value) in self.environment() {
            shell = shell.env(name, value);
        }
        let finished = shell.run();
        let mut text = finished.stdout.clone();
        let places = [
            (self.project.config_dir(), "~/.config/lathe"),
            (self.project.data_dir(), "~/.local/share/lathe"),
            (self.project.state_dir(), "~/.local/state/lathe"),
            (self.project.root(), "~/app"),
            (self.project.home(), "~"),
        ];
        for (place, name) in places {
            text = text.replace(place.to_str().unwrap(), name);
        }
        (text, finished.code == Some(0))
    }

    /// Runs a line that opens the screen until the composer is there.
    fn open_screen(&self, line: &str) {
        let mut words: Vec<String> = self
            .environment()
            .into_iter()
            .map(|(name, value)| format!("{name}={}", value.to_str().unwrap()))
            .collect();
        words.extend(["bash", "-c", line].map(str::to_owned));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let terminal = Terminal::program("env", &self.project, 100, 30, &words);
        terminal.wait_text("? keys");
    }

    fn run_line(&self, line: &str) {
        if BUILDS.contains(&line) {
            return;
        }
        if let Some(name) = line.strip_prefix("cargo bench --bench ") {
            let is_there = |path: String| root().join(path).exists();
            assert!(
                is_there(format!("benches/{name}.rs")) || is_there(format!("benches/{name}/main.rs")),
                "there is no such benchmark"
            );
            return;
        }
        if opens_screen(line) {
            return self.open_screen(line);
        }
        let (output, is_ok) = self.output(line);
        assert!(is_ok, "{output}");
    }

    fn run_console(&self, text: &str) {
        for example in text.split("$ ").skip(1) {
            let (line, expected) = example.split_once('\n').unwrap();
            let (output, _) = self.output(line);
            assert!(
                matches(expected, &output),
                "{line}\nexpected:\n{expected}\nprinted:\n{output}"
            );
        }
    }

    fn write(&self, file: &str, text: &str) {
        let place = self.place(file);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, text).unwrap();
        if place.extension().is_some_and(|extension| extension == "sh") {
            fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
        }
        if place.ends_with("lathe.jsonc") {
            let (output, is_ok) = self.output("lathe config show > /dev/null");
            assert!(is_ok && output.is_empty(), "{output}");
        }
    }

    fn run(&self, block: &Block<'_>) {
        match (block.language, block.file) {
            (_, Some(file)) => self.write(file, &block.text),
            ("console", None) => self.run_console(&block.text),
            ("sh", None) => block
                .text
                .lines()
                .map(|line| line.split("  #").next().unwrap().trim())
                .filter(|line| !line.is_empty())
                .for_each(|line| self.run_line(line)),
            ("json", None) => {
                for line in block.text.lines() {
                    let parsed = serde_json::from_str::<serde_json::Value>(line);
                    assert!(parsed.is_ok(), "{line}: {parsed:?}");
                }
            }
            (language, None) => panic!("a block of `{language}` needs the name of a file"),
        }
    }
}

fn opens_screen(line: &str) -> bool {
    let mut words = line.split(' ').skip_while(|word| word.contains('='));
    words.next() == Some("lathe")
        && words
            .next()
            .is_none_or(|word| word == "demo" || (word.starts_with('-') && !word.starts_with("--")))
}

/// Returns true if the output is the expected one, in which `…` stands for any text.
fn matches(expected: &str, output: &str) -> bool {
    let mut pieces = expected.trim_end().split(ANYTHING);
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = output.trim_end().strip_prefix(first) else {
        return false;
    };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else {
        return rest.is_empty();
    };
    for piece in pieces {
        let Some((_, after)) = rest.split_once(piece) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}

fn run_examples(path: &str) {
    let document = Document::read(path);
    let reader = Reader::new();
    let blocks = blocks(&document.text);
    assert!(!blocks.is_empty(), "{path} has no example");
    for block in &blocks {
        let run = std::panic::AssertUnwindSafe(|| reader.run(block));
        if let Err(panic) = std::panic::catch_unwind(run) {
            eprintln!("the example in {path}:{}", block.line);
            std::panic::resume_unwind(panic);
        }
    }
}

macro_rules! examples {
    ($($test:ident: $path:literal,)*) => {
        $(
            #[test]
            fn $test() {
                run_examples($path);
            }
        )*

        const PAGES: &[&str] = &[$($path),*];
    };
}

examples! {
    the_readme_works: "README.md",
    agents_work: "docs/agents.md",
    benchmarks_are_there: "docs/benchmarks.md",
    coming_from_another_program_works: "docs/coming-from.md",
    configuration_works: "docs/configuration.md",
    headless_runs_work: "docs/headless.md",
    hooks_work: "docs/hooks.md",
    permissions_work: "docs/permissions.md",
    the_screen_works: "docs/screen.md",
    the_screen_reader_works: "docs/screen-reader.md",
    sessions_work: "docs/sessions.md",
    tools_work: "docs/tools.md",
}

#[test]
fn no_page_with_examples_is_left_out() {
    for document in Document::all() {
        let path = document.path.to_str().unwrap();
        let has_examples = !blocks(&document.text).is_empty();
        assert_eq!(
            has_examples,
            PAGES.contains(&Path::new(path).to_str().unwrap()),
            "{path}"
        );
    }
}
