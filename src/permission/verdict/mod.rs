//! Rules applied to a subject.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::counterpart::Counterpart;
use super::rule::{Action, PROTECTED, Rule, Source};
use super::rule_list::RuleList;
use super::subject::Subject;
use crate::conversation::PermissionKey;

/// The action that the rules give, and the rule that decided; no rule means that nothing matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    pub action: Action,
    pub rule: Option<Rule>,
}

const EXTERNAL_DIRECTORY: &str = "external_directory";

/// All rules of one session and agent.
#[derive(Debug, Clone, Default)]
pub struct Permissions {
    /// The user's list: defaults, global file, `--config`, agent. The last matching rule wins, except that what a built-in
    /// agent allows lifts no deny of the others.
    pub user: RuleList,
    /// True if the rules of agent `plan` are among them, so that mode `plan` has none to add.
    pub is_plan: bool,
    /// Rules from "always" answers of the user; they turn an ask of the user's list into allow, never a deny.
    pub grants: RuleList,
    /// The project's list: can only be stricter than the user's, until it is trusted.
    pub project: RuleList,
    /// True if the project's list may allow what the defaults or the global file ask.
    pub project_is_trusted: bool,
    /// The list of the machine's administrator: what it asks or denies stays so.
    pub managed: RuleList,
    /// Rules from settings of other agents, one list for each of their owners.
    pub imported: Vec<ImportedRules>,
    /// Of a task, the rules of the session that started it: what they deny is denied, and outside of the project they
    /// count as a whole.
    pub above: Option<Arc<Permissions>>,
    /// Of a task with a work tree of its own, the project that the rules are about.
    pub counterpart: Option<Arc<Counterpart>>,
}

/// Rules of another agent's settings files of one owner. What they ask or deny stays so.
#[derive(Debug, Clone, Default)]
pub struct ImportedRules {
    /// Those that allow first, then those that ask, then those that deny.
    pub rules: RuleList,
    /// True if somebody has said yes to what they allow: it lifts what the defaults or the global file ask.
    pub may_allow: bool,
}

impl Permissions {
    /// Judges by a key alone.
    pub fn judge(&self, key: &PermissionKey, subject: &Subject) -> Verdict {
        self.judge_keys(&[key.as_str()], subject)
    }

    /// Returns true if a subject is allowed by a key alone. Cheaper than [`Self::judge`] for many subjects.
    pub(super) fn allows(&self, key: &PermissionKey, subject: &Subject) -> bool {
        self.judgement(&[key.as_str()], subject).action == Action::Allow
    }

    /// Returns true if an answer of the user covers a subject, whatever the rules of configuration say.
    pub fn is_granted(&self, key: &PermissionKey, subject: &Subject) -> bool {
        self.grant(&[key.as_str()], subject).is_some()
    }

    /// Returns true if a rule restricts what the subject may turn out to be, behind the one that speaks about it as it
    /// is written.
    pub(super) fn may_restrict(&self, key: &PermissionKey, subject: &Subject) -> bool {
        let Some(beginning) = &subject.may_begin_with else {
            return false;
        };
        let is_above = self
            .above
            .as_ref()
            .is_some_and(|above| above.may_restrict(key, subject));
        is_above
            || self.lists().any(|rules| {
                rules.any_behind_match(key.as_str(), subject, |rule| {
                    rule.action != Action::Allow && rule.pattern.as_str().starts_with(beginning)
                })
            })
    }

    /// Judges by the key of a tool's family, then by the tool's own name; the stricter wins.
    pub fn judge_tool(&self, key: &PermissionKey, tool: &str, subject: &Subject) -> Verdict {
        if key.as_str() == tool {
            self.judge(key, subject)
        } else {
            self.judge_keys(&[key.as_str(), tool], subject)
        }
    }

    /// Returns true if a tool is refused whatever it is called with, so that it need not be shown to a model. A `*`
    /// that is denied while a later rule opens something does not count, but what a built-in agent opens for itself, as
    /// `plan` does with its plans, shows no tool that the person's own rules deny.
    pub fn tool_is_denied(&self, key: &PermissionKey, tool: &str) -> bool {
        let denies_all = |rule: Option<&Rule>| {
            rule.is_some_and(|rule| rule.action == Action::Deny && rule.pattern.as_str() == "*")
        };
        let closed = |rules: &RuleList, key: &str| {
            let is_own = |rule: &Rule| !matches!(rule.source, Source::Agent(_));
            denies_all(rules.last_about(key, |_| true)) || denies_all(rules.last_about(key, is_own))
        };
        [key.as_str(), tool]
            .iter()
            .any(|key| self.lists().any(|rules| closed(rules, key)))
    }

    /// Every list that can restrict.
    fn lists(&self) -> impl Iterator<Item = &RuleList> {
        let own = [&self.user, &self.project, &self.managed];
        own.into_iter()
            .chain(self.imported.iter().map(|list| &list.rules))
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
        let Some(counterpart) = &self.counterpart else {
            let own = self.own_judgement(keys, subject);
            return self.with_above(own, keys, subject);
        };
        let own = self.own_judgement(keys, &counterpart.widened(keys, subject));
        if keys.first() == Some(&PROTECTED) && counterpart.is_in_tree(keys, subject) {
            // To whoever works in the project the tree is one of lathe's own directories.
            return own;
        }
        self.with_above(own, keys, &counterpart.in_project(keys, subject))
    }

    /// The stricter of a judgement and what is denied above.
    fn with_above<'a>(&'a self, own: Judgement<'a>, keys: &[&str], subject: &Subject) -> Judgement<'a> {
        let Some(above) = &self.above else { return own };
        let above = above.judgement(keys, subject);
        let counts = above.action == Action::Deny || keys.first() == Some(&EXTERNAL_DIRECTORY);
        if counts && above.action > own.action {
            above
        } else {
            own
        }
    }

    fn own_judgement(&self, keys: &[&str], subject: &Subject) -> Judgement<'_> {
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
        let project = (&self.project, self.project_is_trusted);
        let imported = self.imported.iter().map(|list| (&list.rules, list.may_allow));
        let lists = std::iter::once(project)
            .chain(imported)
            .chain([(&self.managed, false)]);
        lists
            .filter_map(|(rules, may_allow)| Some((strictest(rules, keys, subject)?, may_allow)))
            .collect()
    }

    fn grant(&self, keys: &[&str], subject: &Subject) -> Option<&Rule> {
        let mut possible = self.grants.possible(keys, subject);
        possible.find(|rule| rule.grants(subject))
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
fn strictest<'a>(rules: &'a RuleList, keys: &[&str], subject: &Subject) -> Option<&'a Rule> {
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
    rules: &'a RuleList,
    key: &str,
    subject: &Subject,
    counts: impl Fn(&Rule) -> bool,
) -> Option<&'a Rule> {
    let mut asks = None;
    for rule in rules.possible(&[key], subject).filter(|rule| counts(rule)) {
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
