//! Generated shell texts that try to run a payload, judged by lathe and then run by bash where lathe would not ask.
//!
//! The payload is a program called `pwn`, which leaves a file behind; a file that a redirection or an option makes counts
//! too, and so does a line of `.env` that is printed. Bash runs the texts as they are, without any sandbox: what is proved
//! here is that they need none. The repository that git finds there sets nothing.

// A benchmark takes this file in by its path, and would look for the module elsewhere.
#[path = "shell_texts/vocabulary.rs"]
mod vocabulary;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use lathe::permission::command::{
    Analysis, ReadOnlyFacts, Simple, analyse, files_read, possible_paths, read_only, search,
};

pub(crate) use vocabulary::HOSTILE;
use vocabulary::{BETWEEN, PLAIN, WORDS};

/// The content of `.env` behind a word that texts search for.
const SECRET: &str = "Qv93";

/// Numbers from a seed; the same ones each time.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(usize::MAX) % end
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    /// One text.
    pub(crate) fn text(&mut self) -> String {
        let first = [PLAIN, PLAIN, HOSTILE][self.below(3)];
        let mut text = self.of(first).to_owned();
        for _ in 0..self.below(5) {
            match self.below(5) {
                0 | 1 => {
                    text.push(' ');
                    text.push_str(self.of(WORDS));
                }
                2 => text.push_str(self.of(BETWEEN)),
                3 => {
                    text.push_str(self.of(&["; ", " && ", " | ", "\n", " | xargs -- ", "; time ", "; ! "]));
                    let next = [PLAIN, HOSTILE][self.below(2)];
                    text.push_str(self.of(next));
                }
                // A piece of anything, cut anywhere.
                _ => {
                    let pieces = [WORDS, BETWEEN, PLAIN, HOSTILE][self.below(4)];
                    let piece = self.of(pieces);
                    let at = self.below(piece.len() + 1);
                    text.push_str(piece.get(at..).unwrap_or(piece));
                }
            }
        }
        text
    }
}

/// Returns true if lathe would run it without a question, whatever the machine can confine.
pub(crate) fn runs_unasked(text: &str) -> bool {
    let analysis = analyse(text);
    let facts = ReadOnlyFacts {
        is_system_program: &|name| name != "pwn" && !name.contains('/'),
        is_no_shim: &|_| true,
        is_in_project: &|path| !path.starts_with('/') && !path.contains(".."),
    };
    analysis.refusal.is_none()
        && !analysis.exports
        && analysis.redirected.iter().all(|redirected| {
            !redirected.writes || ["/dev/null", "/dev/stderr"].contains(&redirected.target.text.as_str())
        })
        && analysis
            .commands
            .iter()
            .all(|command| read_only(command, &facts).is_some())
        && !asks_to_read(&analysis)
}

/// Returns true if it names a hidden file, or looks through a directory that has one: then it is asked under `read`.
fn asks_to_read(analysis: &Analysis) -> bool {
    let is_hidden = |text: &str| {
        text.split('/')
            .any(|part| part.starts_with('.') && part.len() > 1)
    };
    let shows = |command: &Simple| {
        let named = files_read(command).into_iter().chain(possible_paths(command));
        let is_glob = command
            .words
            .iter()
            .any(|word| word.glob_at.is_some() && is_hidden(&word.text));
        let looks_through = search(command).is_some_and(|search| !search.filtered);
        is_glob
            || looks_through
            || named
                .into_iter()
                .any(|operand| operand.dynamic || is_hidden(&operand.text))
    };
    let mut redirected = analysis.redirected.iter();
    redirected.any(|redirected| is_hidden(&redirected.target.text)) || analysis.commands.iter().any(shows)
}

/// A project with a secret, and a payload on the PATH.
pub(crate) struct Place {
    project: PathBuf,
    programs: PathBuf,
    marker: PathBuf,
    names: Vec<OsString>,
    _directory: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().join("project");
        let programs = directory.path().join("bin");
        fs::create_dir_all(&project).unwrap();
        fs::create_dir_all(&programs).unwrap();
        let marker = directory.path().join("pwned");
        let pwn = programs.join("pwn");
        fs::write(&pwn, format!("#!/bin/sh\n: > '{}'\n", marker.display())).unwrap();
        fs::set_permissions(&pwn, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(project.join("a.txt"), "pwn\nx\n").unwrap();
        fs::write(project.join(".env"), format!("TOKEN=swordfish-{SECRET}\n")).unwrap();
        fs::write(project.join("list"), ".env\0").unwrap();
        let mut place = Self {
            project,
            programs,
            marker,
            names: Vec::new(),
            _directory: directory,
        };
        place.run("git init -q && git add a.txt list && git -c user.name=a -c user.email=a@b commit -qm one");
        place.names = place.names();
        place
    }

    /// Runs a text in bash. Returns what it did besides reading what may be read.
    pub(crate) fn harm(&self, text: &str) -> Option<String> {
        let printed = self.run(text);
        if self.marker.exists() {
            return Some("it ran the payload".to_owned());
        }
        let names = self.names();
        if names != self.names {
            return Some(format!("it made or removed a file: {names:?}"));
        }
        if fs::read(self.project.join("a.txt")).unwrap() != b"pwn\nx\n" {
            return Some("it changed a file".to_owned());
        }
        printed.contains(SECRET).then(|| "it printed a secret".to_owned())
    }

    fn names(&self) -> Vec<OsString> {
        let entries = fs::read_dir(&self.project).unwrap().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        names
    }

    fn run(&self, text: &str) -> String {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.programs.display());
        let mut command = Command::new("timeout");
        command
            .args(["5", "bash", "-c", text])
            .current_dir(&self.project)
            .env_clear()
            .env("PATH", path)
            .env("HOME", &self.programs)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CEILING_DIRECTORIES", &self.project)
            .stdin(Stdio::null());
        let output = command.output().unwrap();
        let printed = [output.stdout, output.stderr].concat();
        String::from_utf8_lossy(&printed).into_owned()
    }
}

/// Runs `count` texts of a seed. Returns how many ran unasked; panics at the first that does more than read.
pub(crate) fn try_texts(seed: u64, count: usize) -> usize {
    let place = Place::new();
    let mut random = Random::new(seed);
    let mut ran = 0;
    for _ in 0..count {
        let text = random.text();
        if runs_unasked(&text) {
            ran += 1;
            let harm = place.harm(&text);
            assert_eq!(harm, None, "seed {seed}: {text:?}");
        }
    }
    ran
}
