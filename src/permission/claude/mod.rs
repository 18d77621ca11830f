//! Permission rules of Claude Code's settings files, as rules of lathe.
//!
//! Such a rule is `Tool` or `Tool(specifier)`, in one of the lists `allow`, `ask` and `deny`. A rule that denies or asks
//! becomes one that covers at least what it covers there; a rule that allows, one that covers at most that. What has no such
//! form is left out and named, and where it would have denied or asked, the whole tool asks.
//!
//! Nothing here reads a file.

mod command;
mod path;

use std::path::{Path, PathBuf};

use self::path::Base;
use super::keys::{is_key, own_key};
use super::rule::{Action, Rule, Source};

/// The rules of one settings file as they are written.
#[derive(Debug, Clone, Copy)]
pub struct ClaudeFile<'a> {
    pub file: &'a Path,
    /// True for the user's own file, whose paths count from no project.
    pub is_users: bool,
    pub allow: &'a [String],
    pub ask: &'a [String],
    pub deny: &'a [String],
    /// True if there may be rules in it that could not be read, so that every call asks.
    pub has_lost_rules: bool,
}

/// Directories that patterns count from.
#[derive(Debug, Clone, Copy)]
pub struct ClaudePlaces<'a> {
    pub root: &'a Path,
    pub home: Option<&'a Path>,
}

/// Rules, and what has no form among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Translation {
    /// Those that allow first, then those that ask, then those that deny.
    pub rules: Vec<Rule>,
    pub left_out: Vec<UntranslatedRule>,
}

/// A rule that could not be taken as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UntranslatedRule {
    pub file: PathBuf,
    pub rule: String,
    pub action: Action,
    pub why: UntranslatedReason,
}

/// The reason for leaving a rule out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UntranslatedReason {
    #[error("lathe has no such tool")]
    NoTool,
    #[error("lathe's rules cannot express it")]
    NoForm,
}

impl UntranslatedRule {
    /// Returns what happens in the place of the rule: `the whole tool asks`. Empty where nothing does.
    pub fn instead(&self) -> String {
        if self.action == Action::Allow {
            return String::new();
        }
        let keys = keys_of(tool_of(&self.rule));
        match (self.why, keys.first()) {
            (UntranslatedReason::NoForm, _) => "the whole tool asks instead".to_owned(),
            (UntranslatedReason::NoTool, Some(key)) if key == "*" => "every tool asks instead".to_owned(),
            (UntranslatedReason::NoTool, Some(key)) if is_key(key) => format!("key `{key}` asks instead"),
            (UntranslatedReason::NoTool, _) => "a custom tool of that name would ask".to_owned(),
        }
    }
}

/// A rule's key and pattern.
type Form = (String, String);

/// Translates the files of one owner, whose rules form one list: among all of them a deny wins over an ask, and an ask over an
/// allow.
pub fn translate(files: &[ClaudeFile<'_>], places: ClaudePlaces<'_>) -> Translation {
    let mut translation = Translation::default();
    for action in [Action::Allow, Action::Ask, Action::Deny] {
        let mut rules = Vec::new();
        for file in files {
            rules.extend(translation.add(file, action, places));
        }
        // What covers a tool whole comes last, so that the tool is known to be refused whole.
        rules.sort_by_key(|rule| rule.pattern.as_str() == "*");
        translation.rules.extend(rules);
    }
    // Asks that stand for rules that deny come behind what is allowed and before what is denied.
    translation.rules.sort_by_key(|rule| rule.action);
    translation
}

impl Translation {
    fn add(&mut self, file: &ClaudeFile<'_>, action: Action, places: ClaudePlaces<'_>) -> Vec<Rule> {
        let written = match action {
            Action::Allow => file.allow,
            Action::Ask => file.ask,
            Action::Deny => file.deny,
        };
        let rule = |(key, pattern): Form, action| {
            let source = Source::Imported(file.file.to_owned());
            Rule::new(&key, &pattern, action, source, places.home)
        };
        let mut rules = Vec::new();
        if action == Action::Ask && file.has_lost_rules {
            rules.push(rule(whole("*"), Action::Ask));
        }
        let base = Base {
            root: places.root,
            is_users: file.is_users,
        };
        for written in written {
            let TranslatedRule { forms, problem } = translated(written, action, base);
            rules.extend(forms.into_iter().map(|form| rule(form, action)));
            if let Some(why) = problem {
                self.left_out.push(UntranslatedRule {
                    file: file.file.to_owned(),
                    rule: written.clone(),
                    action,
                    why,
                });
                if action != Action::Allow {
                    let asked = keys_of(tool_of(written));
                    rules.extend(asked.into_iter().map(|key| rule(whole(&key), Action::Ask)));
                }
            }
        }
        rules
    }
}

struct TranslatedRule {
    forms: Vec<Form>,
    problem: Option<UntranslatedReason>,
}

fn whole(key: &str) -> Form {
    (key.to_owned(), "*".to_owned())
}

fn tool_of(written: &str) -> &str {
    written.split('(').next().unwrap_or_default().trim()
}

/// The specifier of `Tool(specifier)`; `None` stands for the whole tool.
fn specifier(written: &str) -> Result<Option<&str>, UntranslatedReason> {
    let Some((_, rest)) = written.split_once('(') else {
        return Ok(None);
    };
    let inner = rest
        .trim_end()
        .strip_suffix(')')
        .ok_or(UntranslatedReason::NoForm)?
        .trim();
    match inner {
        "" => Err(UntranslatedReason::NoForm),
        "*" => Ok(None),
        inner => Ok(Some(inner)),
    }
}

fn translated(written: &str, action: Action, base: Base<'_>) -> TranslatedRule {
    let tool = tool_of(written);
    let forms = specifier(written).and_then(|specifier| forms(tool, specifier, action, base));
    match forms {
        Ok(forms) => TranslatedRule { forms, problem: None },
        Err(why) => TranslatedRule {
            forms: Vec::new(),
            problem: Some(why),
        },
    }
}

fn forms(
    tool: &str,
    specifier: Option<&str>,
    action: Action,
    base: Base<'_>,
) -> Result<Vec<Form>, UntranslatedReason> {
    let restricts = action != Action::Allow;
    if let Some(name) = tool.strip_prefix("mcp__") {
        return match specifier {
            None => Ok(vec![("mcp".to_owned(), mcp_pattern(name))]),
            Some(_) => Err(UntranslatedReason::NoForm),
        };
    }
    let below = |key: &str, patterns: Vec<String>| {
        let forms = patterns.into_iter().map(|pattern| (key.to_owned(), pattern));
        forms.collect::<Vec<Form>>()
    };
    let paths = |key: &str, given: &str| Ok(below(key, path::patterns(given, restricts, base)?));
    let key = lathe_key(tool);
    match (&*key, specifier) {
        // A tool that is not known is none that anything could be allowed.
        ("*", None) if restricts => Ok(vec![whole("*")]),
        ("bash", Some(given)) => Ok(below("bash", vec![command::pattern(given, restricts)?])),
        ("read" | "notebookread", Some(given)) => paths("read", given),
        ("edit" | "write" | "multiedit" | "notebookedit", Some(given)) => paths("edit", given),
        // The tools that make or overwrite a whole file.
        ("write", None) if restricts => Ok(vec![whole("write"), whole("apply_patch")]),
        // What may write a file may also change it.
        ("write" | "multiedit", None) if !restricts => Ok(vec![whole("edit")]),
        ("notebookedit", None) => paths("edit", "**/*.ipynb"),
        ("notebookread", None) => paths("read", "**/*.ipynb"),
        ("webfetch", None) if !restricts => {
            // A search follows the key of a fetch, and was not spoken of.
            Ok(below(
                "webfetch",
                vec!["http://*".to_owned(), "https://*".to_owned()],
            ))
        }
        ("webfetch", Some(given)) => Ok(below("webfetch", addresses(given, restricts)?)),
        ("task", Some(given)) => Ok(below("task", names(given, "general-purpose", "general"))),
        ("skill" | "slashcommand", Some(given)) => {
            let name = given.split([':', ' ']).next().unwrap_or_default();
            Ok(below("skill", vec![name.to_owned()]))
        }
        ("slashcommand", None) => Ok(vec![("skill".to_owned(), "/*".to_owned())]),
        (key, None) if is_key(key) => Ok(vec![whole(key)]),
        (key, Some(_)) if is_key(key) => Err(UntranslatedReason::NoForm),
        _ => Err(UntranslatedReason::NoTool),
    }
}

/// Returns lathe's key for a tool's name.
fn lathe_key(tool: &str) -> String {
    match &*tool.to_lowercase() {
        "askuserquestion" => "question".to_owned(),
        "enterplanmode" => "plan_enter".to_owned(),
        "exitplanmode" => "plan_exit".to_owned(),
        other @ ("notebookedit" | "notebookread") => other.to_owned(),
        _ => own_key(tool),
    }
}

/// The keys under which a tool asks as a whole. A name that lathe does not know may be that of a custom tool.
fn keys_of(tool: &str) -> Vec<String> {
    if tool.starts_with("mcp__") {
        return vec!["mcp".to_owned()];
    }
    match &*lathe_key(tool) {
        "" => vec!["*".to_owned()],
        "write" | "multiedit" | "notebookedit" => vec!["edit".to_owned()],
        "notebookread" => vec!["read".to_owned()],
        "slashcommand" => vec!["skill".to_owned()],
        key if is_key(key) => vec![key.to_owned()],
        key => {
            let mut keys = vec![key.to_owned(), key.to_lowercase()];
            keys.dedup();
            keys
        }
    }
}

/// `github_*` for a server, `github_issue` for one of its tools.
fn mcp_pattern(name: &str) -> String {
    match name.split_once("__") {
        Some((server, tool)) => format!("{server}_{tool}"),
        None if name.ends_with('*') => name.to_owned(),
        None => format!("{name}_*"),
    }
}

/// Addresses of the hosts that `domain:HOST` names.
fn addresses(given: &str, restricts: bool) -> Result<Vec<String>, UntranslatedReason> {
    let host = given
        .strip_prefix("domain:")
        .ok_or(UntranslatedReason::NoForm)?
        .trim();
    let host = host.to_lowercase();
    if host.is_empty() || host.contains(['/', '@', ' ', '?']) || (host.contains('*') && !restricts) {
        return Err(UntranslatedReason::NoForm);
    }
    let forms: &[&str] = if restricts {
        &["*://H", "*://H/*", "*://H:*", "*://*@H", "*://*@H/*", "*://*@H:*"]
    } else {
        &["https://H/*", "http://H/*"]
    };
    Ok(forms.iter().map(|form| form.replace('H', &host)).collect())
}

/// A name as it is written, as lathe writes such names, and under lathe's own name for it.
fn names(given: &str, theirs: &str, ours: &str) -> Vec<String> {
    let lower = given.to_lowercase();
    let mut names = vec![given.to_owned()];
    if lower == theirs {
        names.push(ours.to_owned());
    }
    if lower != given {
        names.push(lower);
    }
    names
}

#[cfg(test)]
mod tests;
