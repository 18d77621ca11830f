//! The theme by its name: one of lathe's own, or a file of the configuration directory.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::failure::Failure;
use crate::config::Dirs;
use crate::tui::Themes;
use crate::view::theme::Theme;

const DARK: &str = "lathe-dark";
const LIGHT: &str = "lathe-light";

/// The default follows the terminal's background; any other theme was chosen as it is.
pub(super) fn load(name: &str, dirs: &Dirs) -> Result<Themes, Failure> {
    let dark = Arc::new(theme(name, &dirs.config.join("themes"))?);
    let light = match name {
        DARK => Arc::new(theme(LIGHT, &dirs.config.join("themes"))?),
        _ => Arc::clone(&dark),
    };
    Ok(Themes { dark, light })
}

fn theme(name: &str, dir: &Path) -> Result<Theme, Failure> {
    if let Some(theme) = Theme::builtin(name) {
        return Ok(theme);
    }
    let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
    let file = dir.join(format!("{name}.json"));
    let Some(text) = is_plain.then(|| fs::read_to_string(&file).ok()).flatten() else {
        let names: Vec<_> = Theme::builtin_names().map(|name| format!("`{name}`")).collect();
        let failure = Failure::usage(format!(
            "there is no theme `{name}`, neither built in nor at `{}`",
            file.display()
        ));
        return Err(failure.hinted(format!("Set `theme` to one of {}.", names.join(", "))));
    };
    match Theme::parse(&text) {
        Ok((theme, _)) => Ok(theme),
        Err(error) => Err(Failure::usage(format!("{}: {error}", file.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_has_a_form_for_each_background() {
        let dirs = Dirs::below(Path::new("/nowhere"));
        let themes = load("lathe-dark", &dirs).unwrap();
        assert_eq!(
            (themes.dark.name(), themes.light.name()),
            ("lathe-dark", "lathe-light")
        );
        let themes = load("lathe-cvd", &dirs).unwrap();
        assert_eq!(
            (themes.dark.name(), themes.light.name()),
            ("lathe-cvd", "lathe-cvd")
        );
    }

    #[test]
    fn a_theme_of_ones_own_is_a_file_and_a_missing_one_is_told() {
        let base = tempfile::tempdir().unwrap();
        let dirs = Dirs::below(base.path());
        fs::create_dir_all(dirs.config.join("themes")).unwrap();
        let text = r#"{"name": "mine", "kind": "dark", "extends": "lathe-dark"}"#;
        fs::write(dirs.config.join("themes/mine.json"), text).unwrap();
        assert_eq!(load("mine", &dirs).unwrap().dark.name(), "mine");
        for missing in ["yours", "../themes/mine", ""] {
            assert!(load(missing, &dirs).is_err(), "{missing}");
        }
    }
}
