//! Rules applied to a subject.

use serde::{Deserialize, Serialize};

use super::rule::{Action, PROTECTED, Rule, Source};

/// What is about to happen, as patterns see it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// A command's canonical text, a path, a URL, a name. Shown to the user.
    pub text: String,
    /// Other spellings of the same, equal in rank: the absolute path beside the project-relative one. A symlink's target
    /// is not one of them; it is a subject of its own.
    pub also: Vec<String>,
    /// Spellings that only rules which ask or deny are tried on.
    pub restrict_also: Vec<String>,
    /// How a command begins that nobody can say the rest of.
    pub may_begin_with: Option<String>,
    /// A command that pattern `@read-only` stands for.
    pub read_only: bool,
    /// A command that destroys something: only a stored rule with this very text covers it.
    pub destroys: bool,
}

impl Subject {
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    pub fn also(mut self, form: impl Into<String>) -> Self {
        self.also.push(form.into());
        self
    }
}

/// What the rules say, and which of them said it; none means that nothing matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    pub action: Action,
    pub rule: Option<Rule>,
}

/// All rules of one session and agent.
#[derive(Debug, Clone, Default)]
pub struct Permissions {
    /// The user's list: defaults, global file, `--config`, agent. The last matching rule wins, except that what a built-in
    /// agent allows lifts no deny of the others.
    pub user: Vec<Rule>,
    /// True if the rules of agent `plan` are among them, so that mode `plan` has none to add.
    pub is_plan: bool,
    /// What the user answered with "always"; turns an ask of the user's list into allow, never a deny.
    pub grants: Vec<Rule>,
    /// The project's list: can only be stricter than the user's, until it is trusted.
    pub project: Vec<Rule>,
    /// Whether the project's list may allow what the defaults or the global file ask.
    pub project_is_trusted: bool,
    /// The list of the machine's administrator: what it asks or denies stays so.
    pub managed: Vec<Rule>,
    /// Rules from settings of other agents, one list for each of their owners.
    pub imported: Vec<ImportedRules>,
}

/// Rules of another agent's settings files of one owner. What they ask or deny stays so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportedRules {
    /// Those that allow first, then those that ask, then those that deny.
    pub rules: Vec<Rule>,
    /// True if somebody has said yes to what they allow: it lifts what the defaults or the global file ask.
    pub may_allow: bool,
}

impl Permissions {
    /// Judges by a key alone.
    pub fn judge(&self, key: &str, subject: &Subject) -> Verdict {
        self.judge_keys(&[key], subject)
    }

    /// Returns true if a subject is allowed by a key alone. Cheaper than [`Self::judge`] for many subjects.
    pub(super) fn allows(&self, key: &str, subject: &Subject) -> bool {
        self.judgement(&[key], subject).action == Action::Allow
    }

    /// Whether a rule restricts what the subject may turn out to be, behind the one that speaks about it as it is written.
    pub(super) fn may_restrict(&self, key: &str, subject: &Subject) -> bool {
        let Some(beginning) = &subject.may_begin_with else {
            return false;
        };
        self.lists().any(|rules| {
            let about = rules.iter().rev().filter(|rule| rule.is_about(key));
            let behind = about.take_while(|rule| !rule.matches(subject));
            let mut restricting = behind.filter(|rule| rule.action != Action::Allow);
            restricting.any(|rule| rule.pattern.as_str().starts_with(beginning))
        })
    }

    /// Judges by the key of a tool's family, then by the tool's own name; the stricter wins.
    pub fn judge_tool(&self, key: &str, tool: &str, subject: &Subject) -> Verdict {
        if key == tool {
            self.judge(key, subject)
        } else {
            self.judge_keys(&[key, tool], subject)
        }
    }

    /// Whether a tool is refused whatever it is called with, so that it need not be shown to a model. A `*` that is
    /// denied while a later rule opens something does not count.
    pub fn tool_is_denied(&self, key: &str, tool: &str) -> bool {
        let closed = |rules: &[Rule], key: &str| {
            let last = rules.iter().rev().find(|rule| rule.is_about(key));
            last.is_some_and(|rule| rule.action == Action::Deny && rule.pattern.as_str() == "*")
        };
        [key, tool]
            .iter()
            .any(|key| self.lists().any(|rules| closed(rules, key)))
    }

    /// Every list that can restrict.
    fn lists(&self) -> impl Iterator<Item = &[Rule]> {
        let own = [&*self.user, &*self.project, &*self.managed];
        own.into_iter()
            .chain(self.imported.iter().map(|list| &*list.rules))
    }

    fn judge_keys(&self, keys: &[&str], subject: &Subject) -> Verdict {
        let Judgement { action, rule } = self.judgement(keys, subject);
        Verdict {
            action,
            rule: rule.cloned(),
        }
    }

    /// The first key is the family's, others are more special.
    fn judgement(&self, keys: &[&str], subject: &Subject) -> Judgement<'_> {
        let user = strictest(&self.user, keys, subject);
        let user = user.map(|rule| self.denial_beside_agent(rule, keys, subject).unwrap_or(rule));
        let user = user.map_or(
            Judgement {
                action: Action::Ask,
                rule: None,
            },
            Judgement::of,
        );
        let user = match self.grant(keys, subject) {
            Some(grant) if user.action == Action::Ask => Judgement::of(grant),
            _ => user,
        };
        let others = self.others(keys, subject);
        let Some(other) = others
            .iter()
            .map(|(rule, _)| *rule)
            .max_by_key(|rule| rule.action)
        else {
            return user;
        };
        match other.action {
            Action::Allow if lifts_asks(&user, keys) => {
                let mut opening = others.iter().filter(|(_, may_allow)| *may_allow);
                opening.next().map_or(user, |(rule, _)| Judgement::of(rule))
            }
            Action::Allow => user,
            Action::Ask | Action::Deny if user.action == Action::Deny || other.action < user.action => user,
            // Where both ask, the one that no answer lifts is the one to name.
            Action::Ask | Action::Deny => Judgement::of(other),
        }
    }

    /// Returns the rule that denies what a rule of a built-in agent allows, if the user's list has one.
    fn denial_beside_agent(&self, rule: &Rule, keys: &[&str], subject: &Subject) -> Option<&Rule> {
        let is_agents = |rule: &Rule| matches!(rule.source, Source::Agent(_));
        if rule.action != Action::Allow || !is_agents(rule) {
            return None;
        }
        let last = |key: &&str| last_match(&self.user, key, subject, |rule| !is_agents(rule));
        keys.iter()
            .filter_map(last)
            .find(|rule| rule.action == Action::Deny)
    }

    /// Verdicts of the lists besides the user's, each with whether what it allows counts. Of equally strict ones the machine's
    /// comes last.
    fn others<'a>(&'a self, keys: &[&str], subject: &Subject) -> Vec<(&'a Rule, bool)> {
        let project = (&*self.project, self.project_is_trusted);
        let imported = self.imported.iter().map(|list| (&*list.rules, list.may_allow));
        let lists = std::iter::once(project)
            .chain(imported)
            .chain([(&*self.managed, false)]);
        lists
            .filter_map(|(rules, may_allow)| Some((strictest(rules, keys, subject)?, may_allow)))
            .collect()
    }

    fn grant(&self, keys: &[&str], subject: &Subject) -> Option<&Rule> {
        let granted = |rule: &&Rule| rule.grants(subject);
        self.grants
            .iter()
            .rev()
            .filter(granted)
            .find(|rule| keys.iter().any(|key| rule.is_about(key)))
    }
}

/// A [`Verdict`] that lends its rule.
#[derive(Clone, Copy)]
struct Judgement<'a> {
    action: Action,
    rule: Option<&'a Rule>,
}

impl<'a> Judgement<'a> {
    fn of(rule: &'a Rule) -> Self {
        Self {
            action: rule.action,
            rule: Some(rule),
        }
    }
}

impl Verdict {
    /// Returns true if nobody but the defaults or the global file asks.
    pub(super) fn is_general_ask(&self) -> bool {
        is_general_ask(self.action, self.rule.as_ref())
    }
}

/// Returns true if nobody but the defaults or the global file asks. An agent's or `--config`'s ask is another matter: it was
/// chosen for this session.
fn is_general_ask(action: Action, rule: Option<&Rule>) -> bool {
    let source = rule.map(|rule| &rule.source);
    action == Action::Ask && matches!(source, None | Some(Source::Default | Source::Global(_)))
}

/// Returns true if what the user's list says is another list's to allow, where somebody has said yes to that list.
fn lifts_asks(user: &Judgement<'_>, keys: &[&str]) -> bool {
    !keys.contains(&PROTECTED) && is_general_ask(user.action, user.rule)
}

/// The strictest of what one list says under each key.
fn strictest<'a>(rules: &'a [Rule], keys: &[&str], subject: &Subject) -> Option<&'a Rule> {
    let (family, special) = keys.split_first()?;
    let mut found = last_match(rules, family, subject, |_| true);
    if found.is_none() && *family == "websearch" {
        // A search is as far from the machine as a fetch, so it follows that key where it has no rule of its own.
        found = last_match(rules, "webfetch", subject, |_| true);
    }
    for key in special {
        let own = last_match(rules, key, subject, |rule| !rule.is_about_everything());
        found = match (found, own) {
            (Some(found), Some(own)) if own.action <= found.action => Some(found),
            (found, own) => own.or(found),
        };
    }
    found
}

/// The last rule that matches. One that restricts another spelling counts too where it stands further down: it can make
/// the verdict stricter and never milder.
fn last_match<'a>(
    rules: &'a [Rule],
    key: &str,
    subject: &Subject,
    counts: impl Fn(&Rule) -> bool,
) -> Option<&'a Rule> {
    let mut asks = None;
    for rule in rules
        .iter()
        .rev()
        .filter(|rule| rule.is_about(key) && counts(rule))
    {
        let restricts = rule.restricts_a_spelling(subject);
        if rule.matches(subject) || (restricts && rule.action == Action::Deny) {
            return match asks {
                Some(asks) if rule.action == Action::Allow => Some(asks),
                _ => Some(rule),
            };
        }
        if restricts && asks.is_none() {
            asks = Some(rule);
        }
    }
    asks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::Scope;
    use crate::permission::rule::parse;

    fn rules(text: &str) -> Vec<Rule> {
        parse(&serde_json::from_str(text).unwrap(), &Source::Default, None).unwrap()
    }

    fn judge(user: &str, project: &str, grants: &str, key: &str, text: &str) -> Action {
        let permissions = Permissions {
            user: rules(user),
            grants: rules(grants),
            project: rules(project),
            ..Permissions::default()
        };
        permissions.judge(key, &Subject::new(text)).action
    }

    #[test]
    fn verdicts_follow_the_rules() {
        use Action::{Allow, Ask, Deny};
        let bash = r#"{"bash": {"*": "ask", "git *": "allow", "git push *": "deny"}}"#;
        for (user, project, grants, key, text, expected) in [
            // No match asks.
            ("{}", "{}", "{}", "bash", "ls", Ask),
            // The last matching rule wins.
            (bash, "{}", "{}", "bash", "git log", Allow),
            (bash, "{}", "{}", "bash", "git push origin", Deny),
            (
                r#"{"bash": {"git push *": "deny", "*": "allow"}}"#,
                "{}",
                "{}",
                "bash",
                "git push x",
                Allow,
            ),
            (
                r#"{"*": "deny", "read": "allow"}"#,
                "{}",
                "{}",
                "read",
                "a",
                Allow,
            ),
            (r#"{"read": "allow", "*": "deny"}"#, "{}", "{}", "read", "a", Deny),
            (r#"{"github_*": "deny"}"#, "{}", "{}", "github_issue", "x", Deny),
            // A project is only heard where it is stricter.
            (bash, r#"{"bash": "allow"}"#, "{}", "bash", "ls", Ask),
            (
                bash,
                r#"{"bash": {"git *": "ask"}}"#,
                "{}",
                "bash",
                "git log",
                Ask,
            ),
            (
                bash,
                r#"{"bash": {"git *": "deny", "git log": "allow"}}"#,
                "{}",
                "bash",
                "git log",
                Allow,
            ),
            (
                bash,
                r#"{"bash": "deny"}"#,
                r#"{"bash": {"git *": "allow"}}"#,
                "bash",
                "git log",
                Deny,
            ),
            // A grant lifts an ask, never a deny.
            (
                bash,
                "{}",
                r#"{"bash": {"cargo *": "allow"}}"#,
                "bash",
                "cargo test",
                Allow,
            ),
            (
                bash,
                "{}",
                r#"{"bash": {"git push *": "allow"}}"#,
                "bash",
                "git push x",
                Deny,
            ),
            (bash, "{}", r#"{"edit": "allow"}"#, "bash", "ls", Ask),
            // A search follows the fetch until it has rules.
            (r#"{"webfetch": "allow"}"#, "{}", "{}", "websearch", "q", Allow),
            (
                r#"{"websearch": "deny", "webfetch": "allow"}"#,
                "{}",
                "{}",
                "websearch",
                "q",
                Deny,
            ),
            // Sweeping rules do not open what is protected.
            (
                r#"{"protected": "deny", "*": "allow"}"#,
                "{}",
                "{}",
                "protected",
                "/x/.git",
                Deny,
            ),
            (
                r#"{"protected": "ask", "*": "deny"}"#,
                "{}",
                "{}",
                "protected",
                "/x/.git",
                Deny,
            ),
        ] {
            assert_eq!(
                judge(user, project, grants, key, text),
                expected,
                "{user} {project} {grants} {key} {text}"
            );
        }
    }

    #[test]
    fn rules_of_another_agent_restrict_at_once_and_allow_after_a_yes() {
        use Action::{Allow, Ask, Deny};
        let imported = |text: &str, may_allow| ImportedRules {
            rules: parse(
                &serde_json::from_str(text).unwrap(),
                &Source::Imported("/p/.claude/settings.json".into()),
                None,
            )
            .unwrap(),
            may_allow,
        };
        let list = r#"{"bash": {"make *": "allow", "rm *": "allow", "git *": "allow", "git push *": "ask", "curl *": "deny"}}"#;
        let other = r#"{"bash": {"make x": "ask"}}"#;
        let user = r#"{"bash": {"*": "ask", "rm *": "deny", "ls *": "allow"}}"#;
        let judge = |user: &str, may_allow, others: &[ImportedRules], text: &str| {
            let mut permissions = Permissions {
                user: rules(user),
                grants: rules(r#"{"bash": {"git *": "allow"}}"#),
                imported: vec![imported(list, may_allow)],
                ..Permissions::default()
            };
            permissions.imported.extend_from_slice(others);
            permissions.judge("bash", &Subject::new(text)).action
        };
        for (text, before, after) in [
            ("make x", Ask, Allow),
            ("rm x", Deny, Deny),
            ("ls", Allow, Allow),
            ("curl u", Deny, Deny),
            // No stored answer lifts what it asks.
            ("git push x", Ask, Ask),
        ] {
            assert_eq!(judge(user, false, &[], text), before, "{text}");
            assert_eq!(judge(user, true, &[], text), after, "{text}");
        }
        assert_eq!(judge(user, true, &[imported(other, true)], "make x"), Ask);
        assert_eq!(judge(r#"{"bash": "allow"}"#, false, &[], "curl u"), Deny);
    }

    #[test]
    fn what_the_machine_s_rules_ask_or_deny_stays_so() {
        use Action::{Allow, Ask, Deny};
        let file = Source::Managed("/etc/lathe/lathe-managed.jsonc".into());
        let judge = |managed: &str, text: &str| {
            let permissions = Permissions {
                user: rules(r#"{"bash": {"*": "allow", "curl *": "ask", "rm *": "deny"}}"#),
                grants: rules(r#"{"bash": {"curl *": "allow"}}"#),
                project: rules(r#"{"bash": "allow"}"#),
                project_is_trusted: true,
                managed: parse(&serde_json::from_str(managed).unwrap(), &file, None).unwrap(),
                ..Permissions::default()
            };
            let verdict = permissions.judge("bash", &Subject::new(text));
            (
                verdict.action,
                verdict.rule.is_some_and(|rule| rule.source == file),
            )
        };
        let managed = r#"{"bash": {"*": "allow", "git push *": "deny", "curl *": "ask"}}"#;
        assert_eq!(judge(managed, "git push x"), (Deny, true));
        assert_eq!(judge(managed, "curl x"), (Ask, true), "a grant does not lift it");
        assert_eq!(judge(managed, "rm x"), (Deny, false), "and it opens nothing");
        assert_eq!(judge(managed, "ls"), (Allow, false));
        assert_eq!(judge("{}", "curl x"), (Allow, false));
    }

    #[test]
    fn a_trusted_project_allows_what_the_defaults_and_the_global_file_ask() {
        use Action::{Allow, Ask, Deny};
        let source =
            |source: Source, text: &str| parse(&serde_json::from_str(text).unwrap(), &source, None).unwrap();
        let global = Source::Global("/c/lathe.jsonc".into());
        let asks = r#"{"bash": {"*": "ask", "rm *": "deny"}, "protected": "ask", "edit": "allow"}"#;
        let project = r#"{"*": "allow", "bash": {"*": "allow", "make *": "ask"}, "edit": "deny", "protected": "allow"}"#;
        let judge = |user: Source, trusted: bool, key: &str, text: &str| {
            let permissions = Permissions {
                user: source(user, asks),
                project: source(Source::Project("/p/lathe.jsonc".into()), project),
                project_is_trusted: trusted,
                ..Permissions::default()
            };
            permissions.judge(key, &Subject::new(text)).action
        };
        for (user, trusted, key, text, expected) in [
            (Source::Default, true, "bash", "ls", Allow),
            (global.clone(), true, "bash", "ls", Allow),
            (global.clone(), false, "bash", "ls", Ask),
            // What the user denies stays denied, and a stricter project stays stricter.
            (global.clone(), true, "bash", "rm x", Deny),
            (global.clone(), true, "bash", "make x", Ask),
            (global.clone(), true, "edit", "a", Deny),
            // What nothing matches is asked by default.
            (global.clone(), true, "webfetch", "u", Allow),
            (global, true, "protected", "/p/.claude/x", Ask),
            (Source::Extra("/x.jsonc".into()), true, "bash", "ls", Ask),
            (Source::Agent("plan".into()), true, "bash", "ls", Ask),
        ] {
            assert_eq!(
                judge(user.clone(), trusted, key, text),
                expected,
                "{user} {trusted} {key} {text}"
            );
        }
    }

    #[test]
    fn another_spelling_restricts_and_never_loosens() {
        use Action::{Allow, Ask, Deny};
        let subject = Subject {
            restrict_also: vec!["git push".into(), "git x push".into()],
            ..Subject::new("git -C x push")
        };
        for (user, expected) in [
            (r#"{"git *": "allow", "git push *": "ask"}"#, Ask),
            (r#"{"git *": "allow", "git push *": "deny"}"#, Deny),
            (r#"{"git *": "deny", "git push *": "ask"}"#, Deny),
            (r#"{"git *": "ask", "git push *": "allow"}"#, Ask),
            (r#"{"*": "deny", "git push *": "allow"}"#, Deny),
            (r#"{"git push *": "deny", "git x *": "ask"}"#, Deny),
            // What stands further down was meant to open it again.
            (r#"{"git push *": "ask", "git *": "allow"}"#, Allow),
            (r#"{"git push *": "deny", "git -C x push": "allow"}"#, Allow),
        ] {
            let permissions = Permissions {
                user: rules(&format!(r#"{{"bash": {user}}}"#)),
                ..Permissions::default()
            };
            assert_eq!(permissions.judge("bash", &subject).action, expected, "{user}");
        }
    }

    #[test]
    fn rules_that_restrict_are_tried_on_more_spellings_than_others() {
        let permissions = Permissions {
            user: rules(r#"{"bash": {"*": "ask", "curl *": "deny"}}"#),
            ..Permissions::default()
        };
        let mut subject = Subject::new("/usr/bin/curl u");
        assert_eq!(permissions.judge("bash", &subject).action, Action::Ask);
        subject.restrict_also.push("curl u".into());
        assert_eq!(permissions.judge("bash", &subject).action, Action::Deny);
        let permissions = Permissions {
            user: rules(r#"{"bash": {"curl *": "allow"}}"#),
            ..permissions
        };
        assert_eq!(permissions.judge("bash", &subject).action, Action::Ask);
    }

    #[test]
    fn read_only_commands_are_a_class_and_not_a_text() {
        let permissions = Permissions {
            user: rules(r#"{"bash": {"*": "deny", "@read-only": "allow"}}"#),
            ..Permissions::default()
        };
        let subject = Subject {
            read_only: true,
            ..Subject::new("ls -l")
        };
        assert_eq!(permissions.judge("bash", &subject).action, Action::Allow);
        assert_eq!(
            permissions.judge("bash", &Subject::new("@read-only")).action,
            Action::Deny
        );
    }

    #[test]
    fn a_tools_own_name_is_a_key_and_the_stricter_wins() {
        let judge = |user: &str, tool: &str| {
            let permissions = Permissions {
                user: rules(user),
                ..Permissions::default()
            };
            permissions.judge_tool("edit", tool, &Subject::new("a")).action
        };
        assert_eq!(
            judge(r#"{"edit": "allow", "lsp_rename": "deny"}"#, "lsp_rename"),
            Action::Deny
        );
        assert_eq!(
            judge(r#"{"edit": "allow", "lsp_*": "ask"}"#, "lsp_rename"),
            Action::Ask
        );
        assert_eq!(
            judge(r#"{"edit": "allow", "lsp_*": "ask"}"#, "write"),
            Action::Allow
        );
        assert_eq!(
            judge(r#"{"edit": "ask", "write": "allow"}"#, "write"),
            Action::Ask
        );
        // What `*` says is said of the family already.
        assert_eq!(judge(r#"{"*": "ask", "edit": "allow"}"#, "write"), Action::Allow);
    }

    #[test]
    fn a_grant_for_the_family_lifts_the_ask_of_the_tool() {
        let mut permissions = Permissions {
            user: rules(r#"{"edit": "allow", "write": "ask"}"#),
            ..Permissions::default()
        };
        let subject = Subject::new("a");
        assert_eq!(
            permissions.judge_tool("edit", "write", &subject).action,
            Action::Ask
        );
        permissions.grants = vec![Rule::new(
            "edit",
            "*",
            Action::Allow,
            Source::Grant(Scope::Session),
            None,
        )];
        assert_eq!(
            permissions.judge_tool("edit", "write", &subject).action,
            Action::Allow
        );
    }

    #[test]
    fn a_tool_is_denied_when_nothing_of_it_is_left() {
        let denied = |user: &str, project: &str| {
            let permissions = Permissions {
                user: rules(user),
                project: rules(project),
                ..Permissions::default()
            };
            permissions.tool_is_denied("bash", "interactive_bash")
        };
        assert!(denied(r#"{"bash": "deny"}"#, "{}"));
        assert!(denied(r#"{"*": "deny"}"#, "{}"));
        assert!(denied(r#"{"bash": "allow"}"#, r#"{"bash": "deny"}"#));
        assert!(denied(r#"{"bash": "allow", "interactive_bash": "deny"}"#, "{}"));
        assert!(!denied(r#"{"bash": {"*": "deny", "@read-only": "allow"}}"#, "{}"));
        assert!(!denied(r#"{"bash": {"rm *": "deny"}}"#, "{}"));
    }
}
