//! One rule, who made it, and how rules are written in JSON.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Pattern;
pub(super) use super::action::{Action, PROTECTED};
use super::floor::{covers, floor};
use super::folded::folded;
use super::keys::is_about_paths;
use super::subject::Subject;

impl FromStr for Action {
    type Err = RuleProblem;

    fn from_str(word: &str) -> Result<Self, RuleProblem> {
        match word {
            "allow" => Ok(Self::Allow),
            "ask" => Ok(Self::Ask),
            "deny" => Ok(Self::Deny),
            other => Err(RuleProblem::Action(other.to_owned())),
        }
    }
}

/// Author of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Lathe's own defaults.
    Default,
    /// The global configuration.
    Global(PathBuf),
    /// The file given with `--config`.
    Extra(PathBuf),
    /// A file of the project.
    Project(PathBuf),
    /// The file of the machine's administrator.
    Managed(PathBuf),
    /// A settings file of another agent.
    Imported(PathBuf),
    /// An agent, by name.
    Agent(String),
    /// The user's answer "always".
    Grant(super::Scope),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("the defaults"),
            Self::Global(file)
            | Self::Extra(file)
            | Self::Project(file)
            | Self::Managed(file)
            | Self::Imported(file) => write!(f, "`{}`", file.display()),
            Self::Agent(name) => write!(f, "agent `{name}`"),
            Self::Grant(scope) => write!(f, "an answer for {scope}"),
        }
    }
}

/// An action for subjects of a key that match a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// A permission key, a tool's name or a wildcard over both.
    pub key: String,
    pub pattern: Pattern,
    pub action: Action,
    pub source: Source,
    key_glob: Option<Pattern>,
    /// Of a stored answer, the programs that it was given for: [`Subject::bound_to`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_to: Option<BTreeSet<String>>,
}

impl Rule {
    pub fn new(key: &str, pattern: &str, action: Action, source: Source, home: Option<&Path>) -> Self {
        let pattern = match key {
            // Those names are compared without regard to case.
            PROTECTED => Pattern::of_path(&folded(pattern), home),
            _ if is_about_paths(key) => Pattern::of_path(pattern, home),
            // Of all kinds of subjects some are paths.
            _ if key.contains(['*', '?']) && action != Action::Allow => Pattern::of_path(pattern, home),
            _ => Pattern::new(pattern, home),
        };
        Self::with_pattern(key, pattern, action, source)
    }

    pub(super) fn with_pattern(key: &str, pattern: Pattern, action: Action, source: Source) -> Self {
        let key_glob = key.contains(['*', '?']).then(|| Pattern::new(key, None));
        Self {
            key: key.to_owned(),
            pattern,
            action,
            source,
            key_glob,
            bound_to: None,
        }
    }

    /// The same as an answer that was given for these programs.
    pub fn given_for(self, bound_to: Option<BTreeSet<String>>) -> Self {
        Self { bound_to, ..self }
    }

    /// Returns true if the rule speaks about a key at all.
    pub(super) fn is_about(&self, key: &str) -> bool {
        match &self.key_glob {
            // A sweeping `"*": "allow"` is not meant to open `.git`; that takes the key itself.
            Some(glob) => (key != PROTECTED || self.action == Action::Deny) && glob.matches(key),
            None => self.key == key,
        }
    }

    /// Returns true if it speaks about every key, so that it adds nothing to what its family's rules say of a tool.
    pub(super) fn is_about_everything(&self) -> bool {
        self.key.bytes().all(|byte| byte == b'*')
    }

    pub(super) fn matches(&self, subject: &Subject) -> bool {
        if self.pattern.is_read_only_class() {
            return subject.read_only;
        }
        let mut forms = std::iter::once(&subject.text).chain(&subject.also);
        forms.any(|form| self.pattern.matches(form))
    }

    /// Returns true if it allows a subject as a stored answer: one that is too wide by now counts as nothing, and what destroys
    /// something is only covered by its very text.
    pub(super) fn grants(&self, subject: &Subject) -> bool {
        let pattern = self.pattern.as_str();
        let is_exact = pattern == subject.text && !pattern.contains(['*', '?']);
        self.action == Action::Allow
            && self.matches(subject)
            && (!subject.destroys || is_exact)
            && (is_exact || !self.is_about_commands(subject) || covers(pattern, subject))
            && self.was_given_for_programs_of(subject)
            && floor(&self.key, pattern).is_ok()
    }

    fn was_given_for_programs_of(&self, subject: &Subject) -> bool {
        let Some(programs) = &subject.bound_to else {
            return true;
        };
        let given = self.bound_to.as_ref();
        !programs.is_empty() && given.is_some_and(|given| programs.is_subset(given))
    }

    /// Returns true if the subject is a command, as far as the rule can be about one.
    fn is_about_commands(&self, subject: &Subject) -> bool {
        self.key == "bash" || !subject.words.is_empty()
    }

    /// Returns true if it restricts what the subject could be by another spelling.
    pub(super) fn restricts_a_spelling(&self, subject: &Subject) -> bool {
        let mut forms = subject.restrict_also.iter();
        self.action != Action::Allow
            && !self.pattern.is_read_only_class()
            && forms.any(|form| self.pattern.matches(form))
    }
}

impl fmt::Display for Rule {
    /// `bash "rm *" deny`, from whom.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}`: `{}` → {}, from {}",
            self.key, self.pattern, self.action, self.source
        )
    }
}

/// Why a value is not a set of rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleProblem {
    #[error("`{0}` is not an action; write `allow`, `ask` or `deny`")]
    Action(String),
    #[error("`{0}` must be an action or an object of patterns with actions")]
    Shape(String),
}

/// Reads `"ask"`, `{"edit": "ask"}` or `{"bash": {"*": "ask", "git *": "allow"}}`, keeping the order.
pub fn parse(value: &Value, source: &Source, home: Option<&Path>) -> Result<Vec<Rule>, RuleProblem> {
    let rule = |key: &str, pattern: &str, action: &str| {
        Ok(Rule::new(key, pattern, action.parse()?, source.clone(), home))
    };
    let keys = match value {
        Value::String(action) => return Ok(vec![rule("*", "*", action)?]),
        Value::Object(keys) => keys,
        _ => return Err(RuleProblem::Shape("permission".to_owned())),
    };
    let mut rules = Vec::new();
    for (key, setting) in keys {
        match setting {
            Value::String(action) => rules.push(rule(key, "*", action)?),
            Value::Object(patterns) => {
                for (pattern, action) in patterns {
                    let action = action.as_str().ok_or_else(|| RuleProblem::Shape(key.clone()))?;
                    rules.push(rule(key, pattern, action)?);
                }
            }
            _ => return Err(RuleProblem::Shape(key.clone())),
        }
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shapes(value: &Value) -> Vec<(String, String, Action)> {
        let rules = parse(value, &Source::Default, None).unwrap();
        rules
            .iter()
            .map(|rule| (rule.key.clone(), rule.pattern.to_string(), rule.action))
            .collect()
    }

    #[test]
    fn an_answer_for_a_program_covers_no_other_one() {
        let programs = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
        let of = |bound_to: Option<BTreeSet<String>>| Rule {
            bound_to,
            ..Rule::new(
                "interactive_bash",
                "t: *",
                Action::Allow,
                Source::Grant(super::super::Scope::Session),
                None,
            )
        };
        let typed_to = |bound_to| Subject {
            bound_to,
            ..Subject::new("t: x")
        };
        for (given, typed, expected) in [
            (programs(&["cat"]), programs(&["cat"]), true),
            (programs(&["node", "npm"]), programs(&["node"]), true),
            (programs(&["cat"]), programs(&["python"]), false),
            (programs(&["npm"]), programs(&["node", "npm"]), false),
            (programs(&["cat"]), programs(&[]), false),
            (None, programs(&["cat"]), false),
            (programs(&["cat"]), None, true),
        ] {
            assert_eq!(
                of(given.clone()).grants(&typed_to(typed.clone())),
                expected,
                "{given:?} {typed:?}"
            );
        }
        // A rule that the person wrote is about whatever it says.
        assert!(of(None).matches(&typed_to(programs(&["cat"]))));
    }

    #[test]
    fn one_action_means_every_key() {
        assert_eq!(
            shapes(&json!("ask")),
            [("*".to_owned(), "*".to_owned(), Action::Ask)]
        );
    }

    #[test]
    fn patterns_keep_the_order_of_the_file() {
        let value =
            r#"{"edit": "ask", "bash": {"z *": "allow", "*": "ask", "a *": "deny"}, "github_*": "deny"}"#;
        let rules = shapes(&serde_json::from_str(value).unwrap());
        let order: Vec<String> = rules
            .iter()
            .map(|(key, pattern, _)| format!("{key} {pattern}"))
            .collect();
        assert_eq!(order, ["edit *", "bash z *", "bash *", "bash a *", "github_* *"]);
    }

    #[test]
    fn paths_are_named_in_any_spelling_and_commands_in_their_own() {
        let is_met = |value: Value, key: &str, text: &str| {
            let rules = parse(&value, &Source::Default, None).unwrap();
            let subject = Subject::new(text);
            rules
                .iter()
                .any(|rule| rule.is_about(key) && rule.matches(&subject))
        };
        for (value, key, text, expected) in [
            (
                json!({"read": {"./secrets/**": "deny"}}),
                "read",
                "secrets/a",
                true,
            ),
            (json!({"edit": {"./secrets/": "ask"}}), "edit", "secrets/a", true),
            (json!({"list": {"secrets/": "ask"}}), "list", "secrets", true),
            (json!({"write": {"./a": "deny"}}), "write", "a", true),
            (
                json!({"external_directory": {"/data/": "allow"}}),
                "external_directory",
                "/data/*",
                true,
            ),
            (
                json!({"protected": {"./Makefile": "deny"}}),
                "protected",
                "makefile",
                true,
            ),
            (json!({"*": {"./secrets/**": "deny"}}), "read", "secrets/a", true),
            (json!({"bash": {"./run": "allow"}}), "bash", "run", false),
            (json!({"bash": {"./run": "allow"}}), "bash", "./run", true),
            (json!({"*": {"./run": "allow"}}), "bash", "run", false),
        ] {
            assert_eq!(is_met(value.clone(), key, text), expected, "{value}");
        }
    }

    #[test]
    fn other_values_are_refused_with_the_key() {
        for (value, named) in [
            (json!(3), "permission"),
            (json!({"bash": 3}), "bash"),
            (json!({"bash": {"*": true}}), "bash"),
            (json!({"bash": "never"}), "never"),
        ] {
            let problem = parse(&value, &Source::Default, None).unwrap_err();
            assert!(problem.to_string().contains(&format!("`{named}`")), "{problem}");
        }
    }
}
