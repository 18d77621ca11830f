//! The theme by its name, one of lathe's own or a file of the configuration directory, and the list of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::Failure;
use super::output::{clean, print, print_note, table};
use super::place::Locations;
use crate::config::Dirs;
use crate::tui::{NamedThemes, ThemeList, Themes};
use crate::view::theme::{Theme, ThemeKind};

/// The theme where none is configured, or the one that is cannot be used.
const DEFAULT: &str = "lathe-dark";

/// `lathe themes`. The list goes to stdout; what is wrong with a file goes to stderr.
pub(super) fn themes() -> Result<(), Failure> {
    let own = Locations::current()?.dirs.config.join("themes");
    let mut rows = vec![["NAME", "KIND", "PAIR", "SOURCE"].map(str::to_owned)];
    let builtin = Theme::builtin_names().filter_map(Theme::builtin);
    rows.extend(builtin.map(|theme| row(theme.name(), &theme, "built in")));
    for file in theme_files(&own) {
        let name = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let source = file.display().to_string();
        match read(&file, &own) {
            Ok((theme, problems)) => {
                rows.push(row(&name, &theme, &source));
                for problem in problems {
                    print_note(&format!("{source}: {problem}"));
                }
            }
            Err(failure) => {
                rows.push([&name, "broken", "-", &source].map(clean));
                print_note(&failure);
            }
        }
    }
    print(&table(&rows))
}

fn row(name: &str, theme: &Theme, source: &str) -> [String; 4] {
    let kind = match theme.kind() {
        ThemeKind::Dark => "dark",
        ThemeKind::Light => "light",
    };
    [name, kind, theme.pair().unwrap_or("-"), source].map(clean)
}

/// The user's theme files by name, without those that a theme inside the program hides.
fn theme_files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter(|path| {
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            stem.is_some_and(|stem| Theme::builtin(stem).is_none())
        })
        .collect();
    files.sort();
    files
}

/// Gives every theme that can be read, one of lathe's own or a file.
pub(super) fn list(dirs: &Dirs) -> ThemeList {
    let dirs = dirs.clone();
    Box::new(move || {
        let files = theme_files(&dirs.config.join("themes"));
        let stem = |file: &PathBuf| Some(file.file_stem()?.to_str()?.to_owned());
        let own = files.iter().filter_map(stem);
        let names = Theme::builtin_names().map(str::to_owned).chain(own);
        names
            .filter_map(|name| {
                let themes = load(&name, &dirs).ok()?;
                Some(NamedThemes { name, themes })
            })
            .collect()
    })
}

/// Returns the theme that is configured. One that is not there, or cannot be read, is a warning, and the default is used.
pub(super) fn configured(name: &str, dirs: &Dirs) -> (Themes, Option<String>) {
    match load(name, dirs) {
        Ok(themes) => (themes, None),
        Err(failure) => {
            let warning = format!("{}; `{DEFAULT}` is used", failure.into_message());
            (builtin(DEFAULT), Some(warning))
        }
    }
}

/// Returns a theme of the program's own, which has a pair of its own.
fn builtin(name: &str) -> Themes {
    let dark = Theme::builtin(name).unwrap_or_default();
    let light = dark.pair().and_then(Theme::builtin);
    let light = Arc::new(light.unwrap_or_else(|| dark.clone()));
    Themes {
        dark: Arc::new(dark),
        light,
    }
}

/// A theme with a pair follows the terminal's background; one without stays as it was chosen.
pub(super) fn load(name: &str, dirs: &Dirs) -> Result<Themes, Failure> {
    let own = dirs.config.join("themes");
    let chosen = Arc::new(theme(name, &own).map_err(Failure::usage)?);
    let pair = match chosen.pair() {
        Some(pair) => Arc::new(theme(pair, &own).map_err(Failure::usage)?),
        None => Arc::clone(&chosen),
    };
    Ok(match chosen.kind() {
        ThemeKind::Dark => Themes {
            dark: chosen,
            light: pair,
        },
        ThemeKind::Light => Themes {
            dark: pair,
            light: chosen,
        },
    })
}

fn theme(name: &str, dir: &Path) -> Result<Theme, String> {
    if let Some(theme) = Theme::builtin(name) {
        return Ok(theme);
    }
    let file = dir.join(format!("{name}.json"));
    if !is_plain(name) || !file.exists() {
        return Err(format!(
            "there is no theme `{name}`, built in or at `{}`; `lathe themes` lists all",
            file.display()
        ));
    }
    read(&file, dir).map(|(theme, _)| theme)
}

/// Reads a theme file, which may extend another one of the directory, and says what of it was left out.
fn read(file: &Path, dir: &Path) -> Result<(Theme, Vec<String>), String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let find = |name: &str| {
        let parent = is_plain(name).then(|| dir.join(format!("{name}.json")))?;
        fs::read_to_string(parent).ok()
    };
    Theme::parse_with(&text, &find).map_err(|error| format!("{}: {error}", file.display()))
}

/// A name that leads nowhere but into the directory.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_a_form_for_each_background_whichever_was_named() {
        let dirs = Dirs::below(Path::new("/nowhere"));
        for (named, dark, light) in [
            ("lathe-dark", "lathe-dark", "lathe-light"),
            ("lathe-light", "lathe-dark", "lathe-light"),
            ("ember-light", "ember-dark", "ember-light"),
            ("system", "system", "system"),
        ] {
            let themes = load(named, &dirs).unwrap();
            assert_eq!(
                (themes.dark.name(), themes.light.name()),
                (dark, light),
                "{named}"
            );
        }
    }

    #[test]
    fn a_theme_of_ones_own_is_a_file_and_a_missing_one_is_told() {
        let base = tempfile::tempdir().unwrap();
        let dirs = Dirs::below(base.path());
        fs::create_dir_all(dirs.config.join("themes")).unwrap();
        let text = r#"{"name": "mine", "kind": "dark", "extends": "lathe-dark"}"#;
        fs::write(dirs.config.join("themes/mine.json"), text).unwrap();
        let mine = load("mine", &dirs).unwrap();
        assert_eq!((mine.dark.name(), mine.light.name()), ("mine", "mine"));
        for missing in ["yours", "../themes/mine", ""] {
            assert!(load(missing, &dirs).is_err(), "{missing}");
        }
    }
}
