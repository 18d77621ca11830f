//! A project in a directory of its own, with a home that belongs to no one.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::model::Server;
use super::script::Protocol;

/// A temporary project and the directories of the program that works on it. Everything is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Project {
    /// Holds the directory: removed on drop.
    _held: TempDir,
    base: PathBuf,
    settings: Value,
}

impl Project {
    #[must_use]
    pub(crate) fn new() -> Self {
        let held = tempfile::Builder::new().prefix("lathe-it-").tempdir().unwrap();
        // The temporary directory may be reached through a link; the program reports real paths.
        let base = held.path().canonicalize().unwrap();
        let project = Self {
            _held: held,
            base,
            settings: json!({}),
        };
        for directory in [
            project.root(),
            project.home(),
            project.config_dir(),
            project.data_dir(),
            project.state_dir(),
            project.cache_dir(),
        ] {
            fs::create_dir_all(directory).unwrap();
        }
        project
    }

    /// Writes a file of the project, with its directories.
    #[must_use]
    pub(crate) fn file(self, path: impl AsRef<Path>, text: &str) -> Self {
        self.bytes(path, text.as_bytes())
    }

    #[must_use]
    pub(crate) fn bytes(self, path: impl AsRef<Path>, bytes: &[u8]) -> Self {
        self.write(path, bytes);
        self
    }

    /// Makes a repository of the files that are there, in one commit.
    #[must_use]
    pub(crate) fn git(self) -> Self {
        self.run_git(&["init", "--quiet", "--initial-branch=main"]);
        self.run_git(&["add", "--all"]);
        self.run_git(&["commit", "--quiet", "--allow-empty", "--message", "start"]);
        self
    }

    /// Merges settings, key by key, into the global configuration.
    #[must_use]
    pub(crate) fn config(mut self, settings: Value) -> Self {
        merge(&mut self.settings, settings);
        let text = serde_json::to_string_pretty(&self.settings).unwrap();
        fs::write(self.config_dir().join("lathe.jsonc"), text).unwrap();
        self
    }

    /// Makes the scripted server the provider `local`, and its `test-model` the model. Retries are quick, and nobody is
    /// reminded of open todos, so that a script holds just the turns that a test is about.
    #[must_use]
    pub(crate) fn model(self, server: &Server, protocol: Protocol) -> Self {
        self.config(json!({
            "model": "local/test-model",
            "todo": {"reminders": 0},
            "providers": {"local": {
                "protocol": protocol.name(),
                "base_url": server.url(protocol),
                "api_key": "test-key",
                "retry": {"max": 5, "base_ms": 10, "max_ms": 50},
                "models": {"test-model": {
                    "context": 128_000, "output": 8192, "images": true, "reasoning": true,
                    "cost": {"input": 1.0, "output": 2.0, "cache_read": 0.1, "cache_write": 1.25}
                }}
            }}
        }))
    }

    /// Writes a file of the project while a test runs.
    pub(crate) fn write(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    #[track_caller]
    pub(crate) fn read(&self, path: impl AsRef<Path>) -> String {
        let path = self.path(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.path(path).exists()
    }

    /// A path in the project; an absolute one is left as it is.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root().join(path)
    }

    /// The project itself.
    pub(crate) fn root(&self) -> PathBuf {
        self.base.join("project")
    }

    /// Beside the project: for files that lie outside it.
    pub(crate) fn outside(&self) -> PathBuf {
        self.base.clone()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.base.join("home")
    }

    pub(crate) fn config_dir(&self) -> PathBuf {
        self.base.join("config")
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.base.join("data")
    }

    pub(crate) fn state_dir(&self) -> PathBuf {
        self.base.join("state")
    }

    pub(crate) fn cache_dir(&self) -> PathBuf {
        self.base.join("cache")
    }

    /// The whole environment of the program: no key, proxy or setting of whoever runs the tests gets through.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own: [(&str, OsString); 14] = [
            ("PATH", path),
            ("HOME", self.home().into()),
            ("USER", "tester".into()),
            ("LANG", "C.UTF-8".into()),
            ("TZ", "UTC".into()),
            ("TERM", "xterm-256color".into()),
            ("COLORTERM", "truecolor".into()),
            ("SHELL", "/bin/sh".into()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("LATHE_CONFIG_DIR", self.config_dir().into()),
            ("LATHE_DATA_DIR", self.data_dir().into()),
            ("LATHE_STATE_DIR", self.state_dir().into()),
            ("LATHE_CACHE_DIR", self.cache_dir().into()),
        ];
        own.into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect()
    }

    /// Runs git in the project and gives what it printed.
    #[track_caller]
    pub(crate) fn run_git(&self, arguments: &[&str]) -> String {
        let who = [
            "-c",
            "user.name=Tester",
            "-c",
            "user.email=tester@example.invalid",
        ];
        let output = Command::new("git")
            .args(who)
            .args(arguments)
            .current_dir(self.root())
            .env_clear()
            .envs(self.environment())
            .output()
            .expect("git is installed");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {stderr}");
        String::from_utf8(output.stdout).unwrap()
    }
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

#[test]
fn a_project_is_built_and_goes_away() {
    let project = Project::new()
        .file("src/a.rs", "fn a() {}\n")
        .bytes("b.bin", &[0, 255])
        .git();
    let base = project.outside();

    assert_eq!(project.read("src/a.rs"), "fn a() {}\n");
    assert_eq!(project.run_git(&["ls-files"]), "b.bin\nsrc/a.rs\n");
    assert_eq!(project.run_git(&["status", "--porcelain"]), "");

    drop(project);
    assert!(!base.exists());
}

#[test]
fn settings_merge_at_every_depth() {
    let project = Project::new()
        .config(json!({"tools": {"a": true, "b": true}, "theme": "x"}))
        .config(json!({"tools": {"b": false}}));
    let text = fs::read_to_string(project.config_dir().join("lathe.jsonc")).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(settings, json!({"tools": {"a": true, "b": false}, "theme": "x"}));
}
