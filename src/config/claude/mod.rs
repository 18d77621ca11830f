//! Settings files of Claude Code, so that a project set up for it works unchanged.
//!
//! Of these files `hooks` (with `disableAllHooks`) and the lists of `permissions` are read; everything else is named as not
//! used. Rules stay as they are written here: what they mean is `permission`'s business.

mod hooks;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

pub(super) use self::hooks::hooks_in;
use super::diagnose::Problem;
use super::origin::Origin;
use super::source::{Source, plain};
use crate::unconfirmed::{PlaceKind, places_of};

/// Keys that are read, or that mean nothing.
const READ: &[&str] = &["hooks", "disableAllHooks", "permissions", "$schema"];
/// The user's own settings, in the home directory.
const OF_THE_USER: &str = ".claude/settings.json";
const LISTS: [&str; 3] = ["allow", "ask", "deny"];

/// The permission rules of one settings file as they are written, and what else it has.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaudeRules {
    pub origin: Origin,
    pub file: PathBuf,
    pub allow: Vec<String>,
    pub ask: Vec<String>,
    pub deny: Vec<String>,
    /// True if there may be rules in it that ask or deny and that could not be read.
    pub has_lost_rules: bool,
    /// Keys that lathe does not use, with dots between their names.
    pub unused: Vec<String>,
}

impl ClaudeRules {
    fn none(origin: Origin, file: &Path) -> Self {
        Self {
            origin,
            file: file.to_owned(),
            allow: Vec::new(),
            ask: Vec::new(),
            deny: Vec::new(),
            has_lost_rules: false,
            unused: Vec::new(),
        }
    }

    /// The rules of a file that is not valid. Where it speaks of rules that restrict, some may be lost.
    pub(super) fn of_invalid(source: &Source) -> Self {
        Self {
            has_lost_rules: ["\"deny\"", "\"ask\""]
                .iter()
                .any(|key| source.text.contains(key)),
            ..Self::none(source.origin, &source.path)
        }
    }
}

/// Returns the files that there may be, existing or not: the user's, then the project's in their order.
pub(super) fn claude_files(home: Option<&Path>, project_root: &Path) -> Vec<(Origin, PathBuf)> {
    let own = home.map(|home| home.join(OF_THE_USER));
    // Working in the home directory does not make the user's settings a project's.
    let is_own = |path: &Path| {
        own.as_deref() == Some(path)
            || matches!((own.as_deref().map(Path::canonicalize), path.canonicalize()),
                (Some(Ok(own)), Ok(path)) if own == path)
    };
    let of_project = places_of(PlaceKind::ClaudeSettings)
        .map(|place| project_root.join(place.name))
        .filter(|path| !is_own(path));
    let of_project: Vec<PathBuf> = of_project.collect();
    let own = own.into_iter().map(|own| (Origin::Global, own));
    own.chain(of_project.into_iter().map(|path| (Origin::Project, path)))
        .collect()
}

/// Reads the rules of a file, with sentences about what is wrong with them.
pub(super) fn rules_in(source: &Source) -> Result<(ClaudeRules, Vec<String>), Problem> {
    let mut rules = ClaudeRules::none(source.origin, &source.path);
    let mut warnings = Vec::new();
    let Some(tree) = source.parse()? else {
        return Ok((rules, warnings));
    };
    let Value::Object(settings) = plain(&tree) else {
        let message = "the settings must be an object".to_owned();
        return Err(Problem::in_file(&source.path, message));
    };
    let mut wrong = |key: &str, wanted: &str, rules: &mut ClaudeRules| {
        let file = source.path.display();
        let asks = if key.ends_with("allow") {
            ""
        } else {
            "; every call asks until it is fixed"
        };
        rules.has_lost_rules |= !asks.is_empty();
        warnings.push(format!("`{key}` in `{file}` must be {wanted}{asks}"));
    };
    match settings.get("permissions") {
        None | Some(Value::Null) => {}
        Some(Value::Object(permissions)) => {
            for key in LISTS {
                let (list, is_whole) = texts(permissions, key);
                if !is_whole {
                    wrong(&format!("permissions.{key}"), "a list of strings", &mut rules);
                }
                match key {
                    "allow" => rules.allow = list,
                    "ask" => rules.ask = list,
                    _ => rules.deny = list,
                }
            }
            let others = permissions.keys().filter(|key| !LISTS.contains(&key.as_str()));
            rules
                .unused
                .extend(others.map(|key| format!("permissions.{key}")));
        }
        Some(_) => wrong("permissions", "an object", &mut rules),
    }
    let others = settings.keys().filter(|key| !READ.contains(&key.as_str()));
    rules.unused.extend(others.cloned());
    Ok((rules, warnings))
}

/// Returns the texts under a key, and whether that is all there is.
fn texts(permissions: &Map<String, Value>, key: &str) -> (Vec<String>, bool) {
    match permissions.get(key) {
        None | Some(Value::Null) => (Vec::new(), true),
        Some(Value::String(one)) => (vec![one.clone()], true),
        Some(Value::Array(items)) => {
            let texts: Vec<String> = items
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect();
            let is_whole = texts.len() == items.len();
            (texts, is_whole)
        }
        Some(_) => (Vec::new(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source {
            origin: Origin::Project,
            path: "/p/.claude/settings.json".into(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn rules_are_kept_as_they_are_written_and_other_keys_are_named() {
        let text = r#"{"permissions": {"allow": ["Bash(ls:*)", "Read"], "deny": "WebFetch", "defaultMode": "plan"},
            "hooks": {}, "model": "opus"}"#;
        let (rules, warnings) = rules_in(&source(text)).unwrap();
        assert_eq!(
            (rules.allow, rules.ask, rules.deny, rules.has_lost_rules),
            (
                vec!["Bash(ls:*)".to_owned(), "Read".to_owned()],
                vec![],
                vec!["WebFetch".to_owned()],
                false
            )
        );
        assert_eq!(rules.unused, ["permissions.defaultMode", "model"]);
        assert_eq!(warnings, Vec::<String>::new());
    }

    #[test]
    fn rules_that_cannot_be_read_are_named_and_counted_as_lost() {
        for (text, is_lost, said) in [
            (
                r#"{"permissions": {"deny": ["Bash", 3]}}"#,
                true,
                "`permissions.deny` in",
            ),
            (r#"{"permissions": {"ask": {}}}"#, true, "`permissions.ask` in"),
            (
                r#"{"permissions": {"allow": 3}}"#,
                false,
                "`permissions.allow` in",
            ),
            (r#"{"permissions": []}"#, true, "`permissions` in"),
        ] {
            let (rules, warnings) = rules_in(&source(text)).unwrap();
            assert_eq!(rules.has_lost_rules, is_lost, "{text}");
            assert!(warnings[0].starts_with(said), "{warnings:?}");
        }
        assert!(rules_in(&source("{")).is_err() && rules_in(&source("[]")).is_err());
        assert!(ClaudeRules::of_invalid(&source(r#"{"permissions": {"deny": ["#)).has_lost_rules);
        assert!(!ClaudeRules::of_invalid(&source("{")).has_lost_rules);
    }

    #[test]
    fn the_home_directory_s_settings_are_the_user_s() {
        let home = Path::new("/home/me");
        let origins = |root: &str| -> Vec<Origin> {
            let files = claude_files(Some(home), Path::new(root));
            files.into_iter().map(|(origin, _)| origin).collect()
        };
        assert_eq!(origins("/p"), [Origin::Global, Origin::Project, Origin::Project]);
        assert_eq!(origins("/home/me"), [Origin::Global, Origin::Project]);
    }
}
