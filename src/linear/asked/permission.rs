//! A permission with its numbered answers.
//!
//! The numbers never change, so that they can be learned: what is not offered leaves its number out.

use std::sync::Arc;

use super::{Heard, unclear};
use crate::linear::judged;
use crate::permission::{Question, QuestionId, Reply, Scope};
use crate::session::Op;
use crate::text::sanitize::{Revealed, reveal_line};

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

    pub(super) fn title(&self) -> Revealed {
        reveal_line(&self.question.inquiry.title)
    }

    pub(super) fn lines(&self) -> Vec<Revealed> {
        let about = match self.stage {
            Stage::Choice => self.about(),
            Stage::Scope | Stage::Reason => Vec::new(),
        };
        [about, self.options()].concat()
    }

    pub(super) fn options(&self) -> Vec<Revealed> {
        match self.stage {
            Stage::Choice => self.choices(),
            Stage::Scope => scope_lines(),
            Stage::Reason => Vec::new(),
        }
    }

    fn about(&self) -> Vec<Revealed> {
        let inquiry = &self.question.inquiry;
        let place = Revealed::own("In ").and(reveal_line(&inquiry.directory.to_string_lossy()));
        let place = match inquiry.sandbox {
            Some("off") => place.and(", no sandbox"),
            Some(mode) => place.and(", sandbox ").and(mode),
            None => place,
        };
        let place = match inquiry.agent.as_str() {
            "build" => place,
            other => place.and(", for agent ").and(reveal_line(other)),
        };
        let mut lines = vec![place.and(".")];
        lines.extend(judged::body(&inquiry.card));
        for row in &inquiry.rows {
            let why = row.why().replace('→', "means");
            let line = reveal_line(row.key()).and(" ").and(reveal_line(row.pattern()));
            let line = line.and(": ").and(reveal_line(&why));
            lines.push(match row.loss() {
                Some(loss) => line.and(", ").and(reveal_line(&loss)),
                None => line,
            });
        }
        lines
    }

    fn choices(&self) -> Vec<Revealed> {
        let mut lines = vec![Revealed::own("1 allow once")];
        let always = self.always();
        if !always.is_empty() {
            lines.push(Revealed::own("2 allow always: ").and(in_words(&always)));
        }
        lines.push("3 deny, which ends the turn".into());
        lines.push("4 deny and say why".into());
        lines
    }

    pub(super) fn prompt(&self) -> Revealed {
        let (before, after) = match self.stage {
            Stage::Choice => ("Answer for \"", "\" with a number: "),
            Stage::Scope => ("Say for how far \"", "\" is allowed always, with a number: "),
            Stage::Reason => ("Say why \"", "\" is denied: "),
        };
        Revealed::own(before).and(self.title()).and(after)
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
                Heard::Unclear("2 is not offered for this.".into())
            }
            (Stage::Choice, "2") => self.go(Stage::Scope),
            (Stage::Choice, "3") => self.reply(Reply::Reject(None), "Denied."),
            (Stage::Choice, "4") => self.go(Stage::Reason),
            (Stage::Scope, "1" | "2" | "3") => {
                let scope = SCOPES[usize::from(line.as_bytes()[0] - b'1')];
                let patterns = self.always();
                let told = Revealed::own("Allowed always, ")
                    .and(scope_words(scope))
                    .and(": ");
                let told = told.and(in_words(&patterns)).and(".");
                self.reply(Reply::Always { patterns, scope }, told)
            }
            (Stage::Scope, "4") => self.go(Stage::Choice),
            (Stage::Reason, "") => Heard::Unclear("That was empty.".into()),
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

    fn reply(&self, reply: Reply, told: impl Into<Revealed>) -> Heard {
        let id = self.question.id;
        Heard::Answer(Op::Answer { id, reply }, told.into())
    }
}

fn scope_lines() -> Vec<Revealed> {
    let scopes = SCOPES.iter().zip(1..);
    let mut lines: Vec<Revealed> = scopes
        .map(|(scope, number)| Revealed::from(number).and(" ").and(scope_words(*scope)))
        .collect();
    lines.push("4 back".into());
    lines
}

fn scope_words(scope: Scope) -> &'static str {
    match scope {
        Scope::Session => "this session",
        Scope::Project => "this project",
        Scope::Everywhere => "everywhere",
    }
}

/// `bash seq * and edit *`
fn in_words(patterns: &[(String, String)]) -> Revealed {
    let patterns = patterns
        .iter()
        .map(|(key, pattern)| reveal_line(key).and(" ").and(reveal_line(pattern)));
    patterns
        .reduce(|all, pattern| all.and(" and ").and(pattern))
        .unwrap_or_default()
}
