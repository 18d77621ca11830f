//! From what a call asks to one decision about the call.
//!
//! Any deny denies the call; else whatever asks becomes one question; else it runs. The mode comes last and answers
//! questions only: no mode lifts a deny. Where the agent is another, mode `plan` adds the rules of agent `plan` as a
//! list that can only be stricter.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::destructive::DeletedFiles;
use super::floor::floor;
use super::rule::{Action, Rule, Source};
use super::rule_list::RuleList;
use super::subject::Subject;
use super::verdict::{Permissions, Verdict};
use crate::conversation::PermissionKey;

/// One thing a call is about to do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    pub key: PermissionKey,
    pub subject: Subject,
    /// Patterns that "always" would store; none when it is not offered.
    pub always: Vec<String>,
    pub floor: Floor,
    pub location: Location,
    /// True if it deletes, discards, pushes, kills or changes rights, so that "always" starts unticked.
    pub destructive: bool,
    /// The files that it would delete, where they were counted.
    pub deletes: Option<DeletedFiles>,
}

/// The least that is decided whatever the rules allow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Floor {
    #[default]
    Rules,
    /// Asked even where a rule allows it: nobody can tell what it does.
    Ask,
    /// Never asked: only a rule that denies counts.
    Denied,
}

/// Location of a path relative to the project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// Outside the project, or no path at all.
    #[default]
    Elsewhere,
    InProject,
}

impl Ask {
    pub fn new(key: PermissionKey, subject: Subject) -> Self {
        Self {
            key,
            subject,
            ..Self::default()
        }
    }

    pub fn always(mut self, pattern: impl Into<String>) -> Self {
        self.always.push(pattern.into());
        self
    }

    pub fn with_floor(self, floor: Floor) -> Self {
        Self { floor, ..self }
    }

    pub fn in_project(mut self) -> Self {
        self.location = Location::InProject;
        self
    }
}

/// How asks are answered.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "kebab-case")]
pub enum Mode {
    #[default]
    Ask,
    /// Changes inside the project need no answer.
    AcceptEdits,
    /// Nothing is changed, and commands only read.
    Plan,
    /// Everything that would be asked is allowed once.
    Yolo,
}

impl Mode {
    pub const ALL: [Self; 4] = [Self::Ask, Self::AcceptEdits, Self::Plan, Self::Yolo];

    /// As `--permission-mode` takes it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A word that names no mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a permission mode; write `ask`, `accept-edits`, `plan` or `yolo`")]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(given: &str) -> Result<Self, UnknownMode> {
        let named = Self::ALL.into_iter().find(|mode| mode.name() == given);
        named.ok_or_else(|| UnknownMode(given.to_owned()))
    }
}

/// An ask that no rule settles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAsk {
    pub ask: Ask,
    pub verdict: Verdict,
}

/// The decision on a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The rules allow all of it.
    Allow,
    /// The mode answered these with "once"; everything else is allowed.
    AllowByMode(Vec<OpenAsk>),
    Ask(Vec<OpenAsk>),
    Deny(Box<Denial>),
}

impl Decision {
    /// Makes the decision on a call of which nothing is denied, from the asks that are open and those that the mode answers.
    pub fn of(open: Vec<OpenAsk>, answered: Vec<OpenAsk>) -> Self {
        match (open.is_empty(), answered.is_empty()) {
            (false, _) => Self::Ask(open),
            (true, false) => Self::AllowByMode(answered),
            (true, true) => Self::Allow,
        }
    }
}

/// Why a call is denied. Its text is what the model reads.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Denial {
    pub key: PermissionKey,
    /// The text of the subject.
    pub pattern: String,
    pub rule: Option<Rule>,
    cause: DenialCause,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DenialCause {
    Rule,
    Nobody,
}

impl Denial {
    fn by_rule(ask: &Ask, rule: Option<Rule>) -> Self {
        Self {
            key: ask.key.clone(),
            pattern: ask.subject.text.clone(),
            rule,
            cause: DenialCause::Rule,
        }
    }

    /// For an ask that nobody is there to answer.
    pub fn nobody(open: &OpenAsk) -> Self {
        let OpenAsk { ask, verdict } = open;
        Self {
            cause: DenialCause::Nobody,
            ..Self::by_rule(ask, verdict.rule.clone())
        }
    }
}

/// Longer subjects are cut in messages; the model knows what it asked for.
const SHOWN: usize = 300;

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = &self.key;
        let mut shown: String = self.pattern.chars().take(SHOWN).collect();
        if shown.len() < self.pattern.len() {
            shown.push('…');
        }
        match (self.cause, &self.rule) {
            (DenialCause::Rule, Some(rule)) => {
                write!(f, "permission `{key}` for `{shown}` is denied by the rule {rule}")
            }
            (DenialCause::Rule, None) => write!(f, "permission `{key}` for `{shown}` is denied"),
            (DenialCause::Nobody, Some(rule)) => write!(
                f,
                "permission `{key}` for `{shown}` has to be asked (rule {rule}) and nobody is there to answer; go on \
                 without it"
            ),
            (DenialCause::Nobody, None) => write!(
                f,
                "permission `{key}` for `{shown}` has to be asked (no rule matches) and nobody is there to answer; go \
                 on without it"
            ),
        }
    }
}

/// Judges all asks of one call.
pub fn decide(permissions: &Permissions, asks: &[Ask], tool: &str, mode: Mode) -> Decision {
    let plan = Permissions {
        user: if mode == Mode::Plan && !permissions.is_plan {
            plan_rules().into()
        } else {
            RuleList::default()
        },
        ..Permissions::default()
    };
    // Where the tool's own name is among the keys asked, its rules are about that subject and no other.
    let names_itself = asks.iter().any(|ask| ask.key.as_str() == tool);
    let mut open = Vec::new();
    let mut answered = Vec::new();
    for ask in asks {
        let own_name = if names_itself { ask.key.as_str() } else { tool };
        let verdict = judge(permissions, &plan, ask, own_name);
        match verdict.action {
            Action::Deny => return Decision::Deny(Box::new(Denial::by_rule(ask, verdict.rule))),
            Action::Allow => {}
            Action::Ask if is_answered_by(mode, ask) => answered.push(open_ask(ask, verdict)),
            Action::Ask => open.push(open_ask(ask, verdict)),
        }
    }
    Decision::of(open, answered)
}

fn judge(permissions: &Permissions, plan: &Permissions, ask: &Ask, tool: &str) -> Verdict {
    let mut verdict = permissions.judge_tool(&ask.key, tool, &ask.subject);
    let planned = plan.judge(&ask.key, &ask.subject);
    let restricts = planned.action == Action::Deny && verdict.action != Action::Deny;
    // Plan files may be written, as by agent `plan`.
    let opens = planned.action == Action::Allow && ask.key == PermissionKey::EDIT && verdict.is_general_ask();
    if restricts || opens {
        verdict = planned;
    }
    let is_unclear = ask.floor == Floor::Ask || permissions.may_restrict(&ask.key, &ask.subject);
    if is_unclear && verdict.action == Action::Allow {
        verdict = Verdict {
            action: Action::Ask,
            rule: None,
        };
    }
    if ask.floor == Floor::Denied && verdict.action == Action::Ask {
        verdict.action = Action::Allow;
    }
    verdict
}

/// Returns the rules of agent `plan`, which mode `plan` has too.
pub fn plan_rules() -> Vec<Rule> {
    let rule = |key, pattern, action| Rule::new(key, pattern, action, Source::Agent("plan".to_owned()), None);
    vec![
        rule("edit", "*", Action::Deny),
        rule("edit", ".lathe/plans/*.md", Action::Allow),
        rule("bash", "*", Action::Deny),
        rule("bash", "@read-only", Action::Allow),
        rule("interactive_bash", "*", Action::Deny),
    ]
}

fn is_answered_by(mode: Mode, ask: &Ask) -> bool {
    match mode {
        Mode::Yolo => true,
        // A command is said to be in the project where it changes files there and does nothing else.
        Mode::AcceptEdits => {
            [PermissionKey::EDIT, PermissionKey::BASH].contains(&ask.key)
                && ask.location == Location::InProject
        }
        Mode::Ask | Mode::Plan => false,
    }
}

fn open_ask(ask: &Ask, verdict: Verdict) -> OpenAsk {
    let mut ask = ask.clone();
    // A grant cannot lift what a rule of another list asks, so there is nothing to store.
    let source = verdict.rule.as_ref().map(|rule| &rule.source);
    if matches!(
        source,
        Some(Source::Project(_) | Source::Managed(_) | Source::Imported(_))
    ) {
        ask.always.clear();
    }
    let key = ask.key.as_str();
    ask.always.retain(|pattern| floor(key, pattern).is_ok());
    OpenAsk { ask, verdict }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::rule::parse;

    fn permissions(user: &str) -> Permissions {
        let source = Source::Global("/c/lathe.jsonc".into());
        let user = parse(&serde_json::from_str(user).unwrap(), &source, None).unwrap();
        Permissions {
            user: user.into(),
            ..Permissions::default()
        }
    }

    fn ask(key: &str, text: &str) -> Ask {
        Ask::new(PermissionKey::named(key), Subject::new(text)).always("*")
    }

    fn name(decision: &Decision) -> String {
        match decision {
            Decision::Allow => "allow".into(),
            Decision::AllowByMode(answered) => format!("mode {}", answered.len()),
            Decision::Ask(open) => format!("ask {}", open.len()),
            Decision::Deny(denial) => format!("deny {}", denial.key),
        }
    }

    const RULES: &str = r#"{"edit": {"*": "ask", "gen/*": "allow", "*.lock": "deny"}, "bash": {"*": "ask", "rm *": "deny"},
        "protected": {"*": "allow", ".claude/*": "ask"}, "read": "allow"}"#;

    #[test]
    fn a_tools_own_key_is_about_its_own_subject() {
        let permissions = permissions(RULES);
        let asks = [ask("edit", "src/a.rs"), ask("protected", "src/a.rs")];
        assert_eq!(name(&decide(&permissions, &asks, "edit", Mode::Ask)), "ask 1");
        let elsewhere = [ask("external_directory", "/etc/*"), ask("bash", "rm x")];
        assert_eq!(
            name(&decide(&permissions, &elsewhere, "bash", Mode::Yolo)),
            "deny bash"
        );
    }

    #[test]
    fn modes_answer_asks_and_lift_no_deny() {
        use Mode::{AcceptEdits, Plan, Yolo};
        let permissions = permissions(RULES);
        let inside = |text: &str| ask("edit", text).in_project();
        let read_only = Ask::new(
            PermissionKey::BASH,
            Subject {
                read_only: true,
                ..Subject::new("ls")
            },
        );
        for (asks, mode, expected) in [
            (vec![], Mode::Ask, "allow"),
            (vec![inside("gen/a")], Mode::Ask, "allow"),
            (
                vec![inside("a"), ask("bash", "ls"), ask("read", "a")],
                Mode::Ask,
                "ask 2",
            ),
            (vec![inside("a"), inside("Cargo.lock")], Mode::Ask, "deny edit"),
            (vec![inside("a")], AcceptEdits, "mode 1"),
            (vec![ask("edit", "/etc/a")], AcceptEdits, "ask 1"),
            (
                vec![inside("a"), ask("protected", ".claude/x").in_project()],
                AcceptEdits,
                "ask 1",
            ),
            (vec![inside("Cargo.lock")], AcceptEdits, "deny edit"),
            (
                vec![inside("a"), ask("bash", "ls"), ask("external_directory", "/*")],
                Yolo,
                "mode 3",
            ),
            (
                vec![ask("bash", "ls"), ask("bash", "rm -rf x")],
                Yolo,
                "deny bash",
            ),
            (vec![inside("gen/a")], Plan, "deny edit"),
            (vec![inside(".lathe/plans/a.md")], Plan, "allow"),
            (vec![ask("bash", "touch a")], Plan, "deny bash"),
            (vec![read_only], Plan, "ask 1"),
            (
                vec![ask("interactive_bash", "a: b")],
                Plan,
                "deny interactive_bash",
            ),
            (vec![ask("read", "a")], Plan, "allow"),
        ] {
            let decision = decide(&permissions, &asks, "tool", mode);
            assert_eq!(name(&decision), expected, "{asks:?} in {mode:?}");
        }
    }

    #[test]
    fn modes_are_named_as_on_the_command_line() {
        for mode in Mode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        assert!("Yolo".parse::<Mode>().is_err());
    }

    #[test]
    fn an_opaque_command_is_asked_even_where_everything_is_allowed() {
        let permissions = permissions(r#"{"bash": "allow"}"#);
        let opaque = Ask {
            floor: Floor::Ask,
            ..ask("bash", "$X")
        };
        assert_eq!(
            name(&decide(
                &permissions,
                std::slice::from_ref(&opaque),
                "bash",
                Mode::Ask
            )),
            "ask 1"
        );
        assert_eq!(
            name(&decide(&permissions, &[opaque], "bash", Mode::Yolo)),
            "mode 1"
        );
    }

    #[test]
    fn what_a_project_asks_offers_no_always() {
        let mut permissions = permissions(r#"{"bash": "allow"}"#);
        let source = Source::Project("/p/lathe.jsonc".into());
        permissions.project = parse(&serde_json::json!({"bash": "ask"}), &source, None)
            .unwrap()
            .into();
        let Decision::Ask(open) = decide(&permissions, &[ask("bash", "ls")], "bash", Mode::Ask) else {
            panic!()
        };
        assert!(open[0].ask.always.is_empty());
    }

    #[test]
    fn what_could_not_be_stored_is_not_offered() {
        let permissions = Permissions::default();
        let asks = ["/*", "/srv/app/*"]
            .map(|dir| Ask::new(PermissionKey::EXTERNAL_DIRECTORY, Subject::new(dir)).always(dir));
        let Decision::Ask(open) = decide(&permissions, &asks, "bash", Mode::Ask) else {
            panic!()
        };
        assert!(open[0].ask.always.is_empty());
        assert_eq!(open[1].ask.always, ["/srv/app/*"]);
    }

    #[test]
    fn a_denial_names_key_pattern_rule_and_source() {
        let denied = decide(
            &permissions(RULES),
            &[ask("bash", "rm -rf x")],
            "bash",
            Mode::Yolo,
        );
        let Decision::Deny(denial) = denied else { panic!() };
        assert_eq!(
            denial.to_string(),
            "permission `bash` for `rm -rf x` is denied by the rule `bash`: `rm *` → deny, from `/c/lathe.jsonc`"
        );
        let Decision::Ask(open) = decide(&permissions(RULES), &[ask("mcp", "a")], "x", Mode::Ask) else {
            panic!()
        };
        let text = Denial::nobody(&open[0]).to_string();
        assert!(
            text.contains("`mcp`") && text.contains("no rule matches") && text.contains("nobody"),
            "{text}"
        );
    }
}
