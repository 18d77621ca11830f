//! A permission with its numbered answers.
//!
//! The numbers never change, so that they can be learned: what is not offered leaves its number out.

use std::sync::Arc;

use super::{Heard, unclear};
use crate::linear::judged;
use crate::permission::{self, Question, QuestionId, Reply, Scope};
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
            Stage::Scope => self.scope_lines(),
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
        let place = match (inquiry.agent.as_str(), &inquiry.delegated) {
            ("build", None) => place,
            (other, None) => place.and(", for agent ").and(reveal_line(other)),
            (agent, Some(delegated)) => {
                let place = place.and(", for agent ").and(reveal_line(agent));
                let place = delegated.by.iter().rev().fold(place, |place, above| {
                    place.and(", which works for ").and(reveal_line(above))
                });
                place.and(", task \"").and(reveal_line(&delegated.task)).and("\"")
            }
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
        let delegated = self.question.inquiry.delegated.as_ref();
        lines.push(match delegated.and_then(|delegated| delegated.by.last()) {
            None => "3 deny, which ends the turn".into(),
            Some(above) => Revealed::own("3 deny, which stops ")
                .and(reveal_line(&self.question.inquiry.agent))
                .and("; ")
                .and(reveal_line(above))
                .and(" goes on"),
        });
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

    /// Returns what would be stored, in words too, and how far it may reach.
    fn scope_lines(&self) -> Vec<Revealed> {
        let stored = self.always().into_iter().map(|(key, pattern)| {
            let named = Revealed::own("Would store ").and(reveal_line(&key)).and(" ");
            let named = named.and(reveal_line(&pattern)).and(": ");
            named.and(permission::in_words(&key, &pattern)).and(".")
        });
        let scopes = SCOPES.iter().zip(1..);
        let scopes = scopes.map(|(scope, number)| Revealed::from(number).and(" ").and(scope_words(*scope)));
        stored.chain(scopes).chain([Revealed::own("4 back")]).collect()
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

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::conversation::{CallId, SessionId};
    use crate::permission::{Action, Ask, Broker, Delegated, FrontEnd, Inquiry, Open, Subject, Verdict};
    use crate::view::card::Card;

    fn asked(delegated: Option<Delegated>) -> Permission {
        let mut deleted = Ask::new("bash", Subject::new("rm -rf target")).always("rm -rf target");
        deleted.destructive = true;
        let asks = [
            Ask::new("bash", Subject::new("cargo test \u{202e}x")).always("cargo test *"),
            deleted,
        ];
        let verdict = Verdict {
            action: Action::Ask,
            rule: None,
        };
        let rows = asks.into_iter().map(|ask| {
            let verdict = verdict.clone();
            Open { ask, verdict }.into()
        });
        let inquiry = Inquiry {
            session: SessionId::new(),
            call: CallId::new(),
            tool: "bash".to_owned(),
            agent: "explore".to_owned(),
            delegated,
            rows: rows.collect(),
            title: "bash wants to run".to_owned(),
            card: Card::new("Bash", "cargo test \u{202e}x && rm -rf target"),
            directory: "/p".into(),
            sandbox: Some("off"),
            editable: None,
        };
        let (broker, _events) = Broker::new(FrontEnd::Attached);
        let cancel = CancellationToken::new();
        let mut asked = std::pin::pin!(broker.ask(inquiry, &cancel));
        assert!(asked.as_mut().now_or_never().is_none());
        Permission::new(&broker.waiting()[0])
    }

    fn texts(lines: &[Revealed]) -> Vec<&str> {
        lines.iter().map(Revealed::as_str).collect()
    }

    #[test]
    fn every_row_is_told_with_what_it_destroys_and_who_asks() {
        let delegated = Delegated {
            by: vec!["build".to_owned()],
            task: "who calls backoff()".to_owned(),
        };
        assert_eq!(
            texts(&asked(Some(delegated)).lines()),
            [
                "In /p, no sandbox, for agent explore, which works for build, task \"who calls backoff()\".",
                "| cargo test ⟨U+202E⟩x && rm -rf target",
                "bash cargo test ⟨U+202E⟩x: asks: no rule allows it",
                "bash rm -rf target: asks: no rule allows it, deletes files, no undo",
                "1 allow once",
                "2 allow always: bash cargo test *",
                "3 deny, which stops explore; build goes on",
                "4 deny and say why",
            ]
        );
    }

    #[test]
    fn always_tells_in_words_what_it_would_store_and_how_far_it_may_reach() {
        let mut asked = asked(None);
        assert!(texts(&asked.lines()).contains(&"3 deny, which ends the turn"));
        let Heard::Next(lines) = asked.hear("2") else {
            panic!("it leads on");
        };
        assert_eq!(
            texts(&lines),
            [
                "Would store bash cargo test *: every `cargo test` command.",
                "1 this session",
                "2 this project",
                "3 everywhere",
                "4 back",
            ]
        );
    }
}
