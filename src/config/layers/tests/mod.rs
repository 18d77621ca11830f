//! Files of the configuration, loaded together from real directories.

mod managed;
mod mistakes;
mod trust;

use std::path::Path;

use super::*;
use crate::config::Dirs;
use crate::config::schema::{EditMode, Protocol, SandboxMode};

/// A configuration directory and a project, thrown away with the value.
struct Files {
    root: tempfile::TempDir,
    dirs: Dirs,
}

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let dirs = Dirs::below(root.path());
        let files = Self { root, dirs }.with(files);
        std::fs::create_dir_all(files.root.path().join("project/sub")).unwrap();
        files
    }

    fn with(self, files: &[(&str, &str)]) -> Self {
        for (name, text) in files {
            let path = self.root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        self
    }

    fn load_with(&self, extra: Option<&str>) -> Result<LoadedConfig, ConfigError> {
        let project = self.root.path().join("project");
        load(&LoadRequest {
            dirs: &self.dirs,
            project_root: &project,
            cwd: &project.join("sub"),
            extra: extra.map(Path::new),
            make_gate: |_| Box::new(|real: &Path| !real.ends_with(".env")),
            unconfirmed: &UnconfirmedFiles::default(),
        })
    }

    fn load(&self) -> LoadedConfig {
        self.load_with(None).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The error with the temporary directory left out.
    fn error(&self) -> String {
        let error = self
            .load_with(None)
            .map(|loaded| loaded.config)
            .unwrap_err()
            .to_string();
        error.replace(&format!("{}/", self.root.path().display()), "")
    }
}

const GLOBAL: &str = "config/lathe.jsonc";
const PROJECT: &str = "project/lathe.jsonc";
const HIDDEN: &str = "project/.lathe/lathe.jsonc";
const DEEP: &str = "project/sub/lathe.jsonc";

#[test]
fn without_files_everything_has_its_default() {
    let loaded = Files::new(&[]).load();
    assert_eq!(loaded.config, Config::default());
    assert!(loaded.files.is_empty() && loaded.warnings.is_empty() && loaded.permission_layers.is_empty());
}

#[test]
fn the_example_of_the_documentation_is_read_whole() {
    let files = Files::new(&[(GLOBAL, include_str!("example.jsonc"))]);
    let loaded = files.load();
    let config = &loaded.config;
    assert_eq!(config.model.as_ref().unwrap().to_string(), "local/test-model");
    let local = config.providers.get("local").unwrap();
    assert_eq!(local.protocol, Some(Protocol::OpenAiChat));
    assert_eq!(config.sandbox.mode, SandboxMode::Off);
    assert_eq!(config.background.budget.cost, Some(5.0));
    assert_eq!(config.compaction, crate::config::schema::Compaction::default());
    assert_eq!(loaded.tools.get("websearch"), Some(false));
    let rules = &loaded.permission_layers[0].rules;
    let order: Vec<&str> = rules["bash"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(order, ["*", "git status*", "rm *"]);
    let lacking: Vec<&str> = loaded
        .warnings
        .iter()
        .filter_map(|warning| warning.split('`').nth(1))
        .collect();
    assert_eq!(lacking, ["lsp", "mcp", "custom_tools"]);
}

#[test]
fn keys_of_later_features_are_checked_like_all_others() {
    let files = Files::new(&[(
        GLOBAL,
        r#"{
          "background": { "max_spawned": 20, "budget": { "tokens": 500000, "cost": 2.5, "minutes": 30 },
                          "worktree": { "setup": "make deps", "unconfined": true } },
          "compaction": { "auto": false, "threshold": 0.5, "keep_turns": 1, "mask": false, "model": "a/b" },
          "journal": { "max_mb": 10, "days": 3 },
          "retention": { "sessions_days": 90 },
          "agents": { "a": { "isolation": "worktree" } }
        }"#,
    )]);
    let config = files.load().config;
    assert_eq!(config.background.worktree.setup.as_deref(), Some("make deps"));
    assert_eq!(config.background.budget.minutes, Some(30.0));
    assert_eq!(config.compaction.model.unwrap().to_string(), "a/b");
    assert_eq!((config.journal.max_mb, config.retention.sessions_days), (10, 90));

    for (text, said) in [
        (
            r#"{"compaction": {"threshold": 1.5}}"#,
            "1:30: `compaction.threshold` must be at most 1, not 1.5",
        ),
        (
            r#"{"compaction": {"auto": "no"}}"#,
            "1:25: `compaction.auto` must be `true` or `false`, not a string",
        ),
        (
            r#"{"background": {"budget": {"dollars": 1}}}"#,
            "1:28: `dollars` is not a key of `background.budget`; known there: `tokens`, `cost` and `minutes`",
        ),
        (
            r#"{"background": {"worktree": {"unconfined": 1}}}"#,
            "1:44: `background.worktree.unconfined` must be `true` or `false`, not 1",
        ),
        (
            r#"{"journal": {"days": -1}}"#,
            "1:22: `journal.days` must be at least 0, not -1",
        ),
        (
            r#"{"retention": 7}"#,
            "1:15: `retention` must be an object, not 7",
        ),
    ] {
        let error = Files::new(&[(GLOBAL, text)]).error();
        assert_eq!(error, format!("config/lathe.jsonc:{said}"));
    }
}

#[test]
fn values_of_secret_keys_are_expanded_and_never_printed() {
    let files = Files::new(&[(
        GLOBAL,
        r#"{"providers": {"local": {"api_key": "{env:PATH}", "headers": {"x": "y"},
            "models": {"m": {"edit_mode": "patch"}}}}}"#,
    )]);
    let config = files.load().config;
    let local = config.providers.get("local").unwrap();
    let path = std::env::var("PATH").unwrap();
    assert_eq!(local.api_key.as_ref().unwrap().expose(), path);
    assert_eq!(local.models.get("m").unwrap().edit_mode, Some(EditMode::Patch));
    assert!(!format!("{config:?}").contains(&path));
}

#[test]
fn later_files_win_key_by_key_and_arrays_are_replaced() {
    let files = Files::new(&[
        (
            GLOBAL,
            r#"{"max_steps": 1, "truncate": {"max_lines": 1, "max_bytes": 1}, "bash": {"env_allow": ["A"]}}"#,
        ),
        (
            PROJECT,
            r#"{"max_steps": 2, "truncate": {"max_lines": 2}, "instructions": ["a.md"]}"#,
        ),
        (HIDDEN, r#"{"max_steps": 3, "instructions": ["b.md"]}"#),
        (
            DEEP,
            r#"{"max_steps": 4, "instructions": ["c.md"], "tools": {"list": true}}"#,
        ),
        (
            "project/sub/mine.jsonc",
            r#"{"bash": {"env_allow": ["B"]}, "tools": {"list": false}}"#,
        ),
    ]);
    let untrusted = files.load_with(Some("mine.jsonc")).unwrap();
    assert_eq!(untrusted.config.max_steps, 1);
    assert_eq!(untrusted.config.truncate.max_lines, 2);
    let loaded = untrusted.trusted().unwrap();
    assert_eq!(loaded.config.max_steps, 4);
    assert_eq!(
        (loaded.config.truncate.max_lines, loaded.config.truncate.max_bytes),
        (2, 1)
    );
    assert_eq!(loaded.config.bash.env_allow, ["B"]);
    assert_eq!(loaded.config.instructions, ["a.md", "b.md", "c.md"]);
    assert_eq!(loaded.files.len(), 5);
    let project = files.root.path().join("project");
    let bases: Vec<&Path> = loaded
        .instructions
        .iter()
        .map(|glob| glob.base.as_path())
        .collect();
    assert_eq!(bases, [&*project, &*project, &*project.join("sub")]);
    assert_eq!(loaded.tools.get("list"), Some(false));
}

#[test]
fn hooks_are_joined_event_by_event() {
    let hook = |event: &str, command: &str| {
        format!(
            r#"{{"hooks": {{"{event}": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#
        )
    };
    let files = Files::new(&[
        (GLOBAL, &hook("Stop", "one")),
        ("project/sub/mine.jsonc", &hook("Stop", "two")),
    ]);
    let loaded = files.load_with(Some("mine.jsonc")).unwrap();
    assert_eq!(loaded.config.hooks.stop.len(), 2);
}

#[test]
fn hooks_are_kept_with_the_file_they_come_from() {
    let hook = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}], "PreToolUse": []}}"#;
    let files = Files::new(&[
        (GLOBAL, hook),
        (PROJECT, hook),
        ("project/sub/extra.jsonc", hook),
        (HIDDEN, r#"{"hooks": {}}"#),
    ]);
    let loaded = files.load_with(Some("extra.jsonc")).unwrap();
    let origins: Vec<Origin> = loaded.hook_layers.iter().map(|layer| layer.origin).collect();
    assert_eq!(origins, [Origin::Global, Origin::Extra], "a project's need trust");
    assert!(loaded.hook_layers[0].file.ends_with(GLOBAL));
    assert_eq!(loaded.hook_layers[0].hooks.stop.len(), 1);
}

#[test]
fn hooks_of_every_known_event_are_read_without_a_word() {
    let hook = r#"{"hooks": {"PreCompact": [{"hooks": []}], "SubagentStop": [{"hooks": []}], "Stop": [{"hooks": []}]}}"#;
    let loaded = Files::new(&[(GLOBAL, hook)]).load();
    let named: Vec<&str> = loaded
        .warnings
        .iter()
        .filter_map(|warning| warning.split('`').nth(1))
        .collect();
    assert_eq!(named, [""; 0]);
}

#[test]
fn permission_layers_stay_apart_with_their_origin() {
    let files = Files::new(&[
        (GLOBAL, r#"{"permission": "allow"}"#),
        (
            PROJECT,
            r#"{"permission": {"edit": "deny", "protected": {"*": "allow"}}}"#,
        ),
        (DEEP, r#"{"permission": {"protected": "allow"}}"#),
        ("project/sub/mine.jsonc", r#"{"permission": {"bash": "ask"}}"#),
    ]);
    let loaded = files.load_with(Some("mine.jsonc")).unwrap();
    let layers: Vec<(Origin, String)> = loaded
        .permission_layers
        .iter()
        .map(|layer| (layer.origin, layer.rules.to_string()))
        .collect();
    assert_eq!(
        layers,
        [
            (Origin::Global, r#""allow""#.to_owned()),
            (Origin::Project, r#"{"edit":"deny"}"#.to_owned()),
            (Origin::Extra, r#"{"bash":"ask"}"#.to_owned()),
        ]
    );
    assert_eq!(loaded.config.permission, None);
    assert_eq!(loaded.warnings.len(), 1, "{:?}", loaded.warnings);
    assert!(
        loaded.warnings[0].contains("`permission.protected`"),
        "{:?}",
        loaded.warnings
    );
}

#[test]
fn a_file_that_read_would_ask_about_reaches_no_prompt_and_may_hold_a_key() {
    let files = Files::new(&[
        (
            GLOBAL,
            r#"{"agents": {"a": {"prompt": "say {file:../project/x.md}!"}},
                "providers": {"p": {"api_key": "{file:../project/x.md}"}}}"#,
        ),
        ("project/.env", "S=1"),
    ]);
    std::os::unix::fs::symlink(".env", files.root.path().join("project/x.md")).unwrap();
    let loaded = files.load();
    let agent = loaded.config.agents.get("a").unwrap();
    assert_eq!(agent.prompt.as_deref(), Some("say !"));
    let provider = loaded.config.providers.get("p").unwrap();
    assert_eq!(provider.api_key.as_ref().unwrap().expose(), "S=1");
    assert_eq!(loaded.warnings.len(), 1, "{:?}", loaded.warnings);
    assert!(
        loaded.warnings[0].contains("`agents.a.prompt` in")
            && loaded.warnings[0].contains("which was left out"),
        "{:?}",
        loaded.warnings
    );
}

#[test]
fn working_in_the_configuration_directory_does_not_make_it_a_project() {
    let files = Files::new(&[(GLOBAL, r#"{"providers": {"local": {}}}"#)]);
    let config = files.dirs.config.clone();
    let request = LoadRequest {
        dirs: &files.dirs,
        project_root: &config,
        cwd: &config,
        extra: None,
        make_gate: |_| Box::new(|_: &Path| true),
        unconfirmed: &UnconfirmedFiles::default(),
    };
    let loaded = load(&request).unwrap();
    assert_eq!(loaded.files.len(), 1);
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}
