//! `lathe demo`: the screen on the scripted model, in a project that is made for it and gone afterwards.
//!
//! The tools, the questions and the files are real. Nothing of the user's is read but how the screen shall look, and
//! nothing is kept: the session lives in the same temporary directory as the project.

use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use tempfile::TempDir;

use super::args::OpenArgs;
use super::failure::Failure;
use super::place::Locations;
use super::screen::{Launch, Left, launch};
use crate::config::{Config, Dirs};
use crate::session::wire::{FrontEndKind, ModelSource, SessionChoice};

const WELCOME: &str = "This is the demo: a scripted model with real tools, in a small project that is deleted \
    when you quit. Type anything and press enter.";

/// The project, by paths.
const FILES: [(&str, &str); 3] = [
    ("README.md", include_str!("../../assets/demo/project/README.md")),
    ("slug.sh", include_str!("../../assets/demo/project/slug.sh")),
    ("test.sh", include_str!("../../assets/demo/project/test.sh")),
];

pub(super) fn demo() -> Result<ExitCode, Failure> {
    let failed = |error| Failure::system("the demo's project could not be made", error);
    let scratch = scratch().map_err(failed)?;
    let base = scratch.path().canonicalize().map_err(failed)?;
    let own = Locations::current().ok();
    let mut dirs = Dirs::below(&base);
    if let Some(own) = &own {
        // The rules of the machine hold here as well.
        dirs.system.clone_from(&own.dirs.system);
    }
    let place = Locations::new(dirs, &base.join("slugs"));
    let mut request = place.request(
        OpenArgs::default(),
        SessionChoice::New,
        ModelSource::Demo,
        FrontEndKind::Attended,
    )?;
    if let Some(loaded) = own.as_ref().and_then(|own| own.load(None).ok()) {
        request.loaded.config = looks(loaded.config);
    }
    let dirs = own.map_or_else(|| request.dirs.clone(), |own| own.dirs);
    let left = launch(Launch {
        request,
        prompt: None,
        dirs,
        extra: None,
        notes: vec![WELCOME.to_owned()],
    })?;
    match left {
        Left::With(status) => Ok(status),
        Left::ForDemo => demo(),
    }
}

fn scratch() -> io::Result<TempDir> {
    let scratch = tempfile::Builder::new().prefix("lathe-demo-").tempdir()?;
    make(&scratch.path().join("slugs"))?;
    Ok(scratch)
}

fn make(project: &Path) -> io::Result<()> {
    fs::create_dir(project)?;
    FILES
        .iter()
        .try_for_each(|(name, text)| fs::write(project.join(name), text))
}

/// Keeps the settings of the user's taste, without those that the script could trip over.
fn looks(config: Config) -> Config {
    Config {
        theme: config.theme,
        keybinds: config.keybinds,
        tui: config.tui,
        ..Config::default()
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Output};

    use serde_json::Value;

    use super::*;

    const CASSETTE: &str = include_str!("../../assets/demo/cassette.jsonl");

    fn test(project: &Path) -> Output {
        #[allow(clippy::disallowed_methods)]
        let mut command = Command::new("sh");
        command.arg("test.sh").current_dir(project).output().unwrap()
    }

    /// Every call that the script makes.
    fn calls() -> Vec<(String, Value)> {
        let mut calls = Vec::new();
        for line in CASSETTE.lines().filter(|line| line.starts_with('{')) {
            let exchange: Value = serde_json::from_str(line).unwrap();
            for frame in exchange["reply"].as_array().unwrap() {
                if let Some(call) = frame.get("use") {
                    calls.push((call["name"].as_str().unwrap().to_owned(), call["args"].clone()));
                }
            }
        }
        calls
    }

    #[test]
    fn the_script_mends_what_the_test_finds() {
        let scratch = scratch().unwrap();
        let project = scratch.path().join("slugs");
        let before = test(&project);
        assert_eq!(before.status.code(), Some(1));
        assert!(
            String::from_utf8_lossy(&before.stdout).contains("FAIL"),
            "{before:?}"
        );

        let calls = calls();
        let edits: Vec<_> = calls.iter().filter(|(name, _)| name == "edit").collect();
        assert_eq!(edits.len(), 1);
        let arg = |name: &str| edits[0].1[name].as_str().unwrap();
        let file = project.join(arg("file_path"));
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.matches(arg("old_string")).count(), 1, "{text}");
        fs::write(&file, text.replace(arg("old_string"), arg("new_string"))).unwrap();

        let after = test(&project);
        assert!(after.status.success(), "{after:?}");
    }

    #[test]
    fn the_script_shows_the_tools_in_their_order() {
        let names: Vec<_> = calls().into_iter().map(|(name, _)| name).collect();
        assert_eq!(
            names[..8],
            [
                "todowrite",
                "read",
                "read",
                "bash",
                "todowrite",
                "edit",
                "bash",
                "todowrite"
            ]
        );
    }

    #[test]
    fn each_helper_has_a_part_of_the_script_by_its_agent_and_prompt() {
        let helpers: Vec<_> = calls().into_iter().filter(|(name, _)| name == "task").collect();
        let agents: Vec<_> = helpers.iter().map(|(_, args)| &args["subagent_type"]).collect();
        assert_eq!(agents, ["explore", "general"]);
        let lines = CASSETTE.lines().filter(|line| line.starts_with('{'));
        let lines: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
        for (_, args) in &helpers {
            let is_part = |line: &&Value| {
                line["request"]["agent"] == args["subagent_type"] && line["request"]["text"] == args["prompt"]
            };
            assert_eq!(lines.iter().filter(is_part).count(), 1, "{args}");
        }
    }

    #[test]
    fn the_cassette_can_be_played() {
        let pace = crate::provider::cassette::PlaybackSpeed::Flat;
        crate::provider::cassette::Player::from_text(CASSETTE, pace).unwrap();
    }
}
