//! A permission inquiry: a call, and its asks that are open.

use crate::permission::PermissionKey;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::reply::Scope;
use crate::permission::check::{Ask, Floor, OpenAsk};
use crate::permission::destructive::{DeletedFiles, harm};
use crate::permission::editable::Editable;
use crate::permission::rule::{Action, Rule, Source};
use crate::permission::verdict::Verdict;
use crate::view::card::{Card, CardPart};

/// A call, and its asks that are open.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Inquiry {
    pub tool: String,
    /// The task that the agent works on for another one; `None` for the root's agent.
    pub delegated: Option<DelegatedTask>,
    /// The open asks; at least one.
    pub rows: Vec<InquiryRow>,
    /// `bash wants to run`.
    pub title: String,
    /// Shows what will happen.
    pub card: Card,
    /// Absolute directory of the call.
    pub directory: PathBuf,
    /// The mode of the sandbox that a command would run in (`off` is one); `None` where none would run.
    pub sandbox: Option<Cow<'static, str>>,
    /// The part of the call that may be changed; `None` where it has begun already. [`Questions::fit`](crate::question::Questions::fit) looks at what was made of it.
    pub editable: Option<Editable>,
}

/// A task that one agent works on for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelegatedTask {
    /// The agents above, the root's first; at least one.
    pub by: Vec<String>,
    /// In a few words.
    pub task: String,
}

/// One open ask of an inquiry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InquiryRow {
    /// Key, pattern and what "always" would store; judged again by [`decide`](crate::permission::decide) after a grant.
    pub ask: Ask,
    /// The verdict of the rules.
    pub verdict: Verdict,
    /// True if "always" starts ticked.
    pub preticked: bool,
}

impl Inquiry {
    /// Returns the first line of what would be written or run.
    pub fn first_line(&self) -> &str {
        let subject = match self.card.body.first() {
            Some(CardPart::Code(code)) => &code.text,
            _ => &self.card.argument,
        };
        let first = subject.trim().lines().next();
        first
            .or_else(|| Some(self.rows.first()?.pattern()))
            .unwrap_or_default()
    }
}

impl InquiryRow {
    pub fn key(&self) -> &PermissionKey {
        &self.ask.key
    }

    /// Returns the text of the subject.
    pub fn pattern(&self) -> &str {
        &self.ask.subject.text
    }

    /// `asks: no rule allows it`, or the rule that asks.
    pub fn why(&self) -> String {
        match &self.verdict.rule {
            Some(rule) => format!("asks: {rule}"),
            None if self.ask.floor == Floor::Ask => "asks: every time, whatever the rules allow".to_owned(),
            None => "asks: no rule allows it".to_owned(),
        }
    }

    /// The same in a few words: that a default asks is nothing that a person has to know.
    pub fn short_why(&self) -> String {
        match &self.verdict.rule {
            Some(rule) if rule.source == Source::Default && rule.pattern.as_str() == "*" => {
                "asks: no rule allows it".to_owned()
            }
            _ => self.why(),
        }
    }

    /// Returns in a few words what it destroys, if it does.
    pub fn harm(&self) -> Option<&'static str> {
        let is_judged =
            self.ask.destructive && self.ask.floor == Floor::Rules && *self.key() == PermissionKey::BASH;
        is_judged.then(|| harm(self.pattern()))
    }

    /// The same with the number of files that go, where they were counted.
    pub fn loss(&self) -> Option<String> {
        let counted = || self.ask.deletes.and_then(DeletedFiles::description);
        self.harm()
            .map(|harm| counted().unwrap_or_else(|| harm.to_owned()))
    }

    /// Returns true if a rule with this pattern would allow it.
    pub fn is_covered_by(&self, pattern: &str, home: Option<&Path>) -> bool {
        let source = Source::Grant(Scope::Session);
        let rule = Rule::new(self.key().as_str(), pattern, Action::Allow, source, home);
        let bound_to = self.ask.subject.bound_to.clone();
        rule.given_for(bound_to).grants(&self.ask.subject)
    }
}

impl From<OpenAsk> for InquiryRow {
    fn from(OpenAsk { ask, verdict }: OpenAsk) -> Self {
        let preticked = !ask.destructive && !ask.always.is_empty();
        Self {
            ask,
            verdict,
            preticked,
        }
    }
}
