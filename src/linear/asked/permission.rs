//! A permission with its numbered answers.
//!
//! The numbers never change, so that they can be learned: what is not offered leaves its number out.

use std::sync::Arc;

use super::{Heard, unclear};
use crate::linear::words;
use crate::permission::{Question, QuestionId, Reply, Scope};
use crate::session::Op;

pub(in crate::linear) struct Permission {
    question: Arc<Question>,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Choice,
    /// How far "always" reaches.
    Scope,
    /// The reason for a no.
    Reason,
}

const SCOPES: [Scope; 3] = [Scope::Session, Scope::Project, Scope::Everywhere];

impl Permission {
    pub(super) fn new(question: &Arc<Question>) -> Self {
        Self {
            question: Arc::clone(question),
            stage: Stage::Choice,
        }
    }

    pub(super) fn id(&self) -> QuestionId {
        self.question.id
    }

    pub(super) fn title(&self) -> &str {
        &self.question.inquiry.title
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let about = match self.stage {
            Stage::Choice => self.about(),
            Stage::Scope | Stage::Reason => Vec::new(),
        };
        [about, self.options()].concat()
    }

    pub(super) fn options(&self) -> Vec<String> {
        match self.stage {
            Stage::Choice => self.choices(),
            Stage::Scope => scope_lines(),
            Stage::Reason => Vec::new(),
        }
    }

    fn about(&self) -> Vec<String> {
        let inquiry = &self.question.inquiry;
        let sandbox = match inquiry.sandbox {
            Some("off") => ", no sandbox".to_owned(),
            Some(mode) => format!(", sandbox {mode}"),
            None => String::new(),
        };
        let agent = match inquiry.agent.as_str() {
            "build" => String::new(),
            other => format!(", for agent {other}"),
        };
        let place = format!("In {}{sandbox}{agent}.", inquiry.directory.display());
        let mut lines = vec![place];
        lines.extend(words::body(&inquiry.card, usize::MAX));
        for row in &inquiry.rows {
            let loss = row.loss().map(|loss| format!(", {loss}")).unwrap_or_default();
            let why = row.why().replace('→', "means");
            lines.push(format!("{} {}: {why}{loss}", row.key(), row.pattern()));
        }
        lines
    }

    fn choices(&self) -> Vec<String> {
        let mut lines = vec!["1 allow once".to_owned()];
        let always = self.always();
        if !always.is_empty() {
            lines.push(format!("2 allow always: {}", in_words(&always)));
        }
        lines.push("3 deny, which ends the turn".to_owned());
        lines.push("4 deny and say why".to_owned());
        lines
    }

    pub(super) fn prompt(&self) -> String {
        let title = self.title();
        match self.stage {
            Stage::Choice => format!("Answer for \"{title}\" with a number: "),
            Stage::Scope => format!("Say for how far \"{title}\" is allowed always, with a number: "),
            Stage::Reason => format!("Say why \"{title}\" is denied: "),
        }
    }

    /// What "always" would store, each once. What destroys something is not among it.
    fn always(&self) -> Vec<(String, String)> {
        let mut patterns = Vec::new();
        for row in self.question.inquiry.rows.iter().filter(|row| row.preticked) {
            for pattern in &row.ask.always {
                let wanted = (row.key().to_owned(), pattern.clone());
                if !patterns.contains(&wanted) {
                    patterns.push(wanted);
                }
            }
        }
        patterns
    }

    pub(super) fn hear(&mut self, line: &str) -> Heard {
        match (self.stage, line) {
            (Stage::Choice, "1") => self.reply(Reply::Once, "Allowed once."),
            (Stage::Choice, "2") if self.always().is_empty() => {
                Heard::Unclear("2 is not offered for this.".to_owned())
            }
            (Stage::Choice, "2") => self.go(Stage::Scope),
            (Stage::Choice, "3") => self.reply(Reply::Reject(None), "Denied."),
            (Stage::Choice, "4") => self.go(Stage::Reason),
            (Stage::Scope, "1" | "2" | "3") => {
                let scope = SCOPES[usize::from(line.as_bytes()[0] - b'1')];
                let patterns = self.always();
                let told = format!("Allowed always, {scope}: {}.", in_words(&patterns));
                self.reply(Reply::Always { patterns, scope }, &told)
            }
            (Stage::Scope, "4") => self.go(Stage::Choice),
            (Stage::Reason, "") => Heard::Unclear("That was empty.".to_owned()),
            (Stage::Reason, reason) => {
                self.reply(Reply::Reject(Some(reason.to_owned())), "Denied, with your words.")
            }
            (Stage::Choice | Stage::Scope, _) => Heard::Unclear(unclear()),
        }
    }

    fn go(&mut self, stage: Stage) -> Heard {
        self.stage = stage;
        Heard::Next(self.lines())
    }

    fn reply(&self, reply: Reply, told: &str) -> Heard {
        let id = self.question.id;
        Heard::Answer(Op::Answer { id, reply }, told.to_owned())
    }
}

fn scope_lines() -> Vec<String> {
    let scopes = SCOPES.iter().zip(1..);
    let mut lines: Vec<String> = scopes
        .map(|(scope, number)| format!("{number} {scope}"))
        .collect();
    lines.push("4 back".to_owned());
    lines
}

/// `bash seq * and edit *`
fn in_words(patterns: &[(String, String)]) -> String {
    let patterns: Vec<String> = patterns
        .iter()
        .map(|(key, pattern)| format!("{key} {pattern}"))
        .collect();
    patterns.join(" and ")
}
