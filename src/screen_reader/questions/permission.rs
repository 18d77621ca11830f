//! A permission with its numbered answers.
//!
//! The numbers never change, so that they can be learned: what is not offered leaves its number out.

use std::sync::Arc;

use super::{LineMeaning, PendingQuestion, numbers, unclear};
use crate::conversation::SessionId;
use crate::permission::{self, Inquiry, PermissionKey, PermissionReply, ProposedRule, Scope};
use crate::question::{Question, QuestionId, Reply};
use crate::screen_reader::approval;
use crate::session::Op;
use crate::text::sanitize::{Revealed, reveal_line};

pub(super) struct PermissionQuestion {
    question: Question<Arc<Inquiry>>,
    stage: PermissionStage,
    proposals: Vec<Proposal>,
}

/// A rule that "always" would store.
struct Proposal {
    proposed: ProposedRule,
    is_ticked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PermissionStage {
    Choice,
    /// Choice of the patterns that "always" stores.
    Patterns,
    /// Choice of the scope that "always" is stored for.
    Scope,
    /// The reason for a no.
    Reason,
}

const SCOPES: [Scope; 3] = [Scope::Session, Scope::Project, Scope::Everywhere];

impl PermissionQuestion {
    pub(super) fn new(question: Question<Arc<Inquiry>>) -> Self {
        let proposed = question.about.proposed().into_iter();
        let proposals = proposed.map(|proposed| Proposal {
            is_ticked: proposed.preticked,
            proposed,
        });
        Self {
            question,
            stage: PermissionStage::Choice,
            proposals: proposals.collect(),
        }
    }

    fn about(&self) -> Vec<Revealed> {
        let inquiry = &self.question.about;
        let place = Revealed::own("In ").and(reveal_line(&inquiry.directory.to_string_lossy()));
        let place = match inquiry.sandbox.as_deref() {
            Some("off") => place.and(", no sandbox"),
            Some(mode) => place.and(", sandbox ").and(reveal_line(mode)),
            None => place,
        };
        let place = match (self.question.agent.as_str(), &inquiry.delegated) {
            ("build", None) => place,
            (other, None) => place.and(", for agent ").and(reveal_line(other)),
            // The line above says who asks.
            (_, Some(_)) => place,
        };
        let mut lines = vec![place.and(".")];
        lines.extend(approval::body(&inquiry.card));
        for row in &inquiry.rows {
            let why = row.why().replace('→', "means");
            let line = reveal_line(row.key().as_str())
                .and(" ")
                .and(reveal_line(row.pattern()));
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
        } else if !self.proposals.is_empty() {
            lines.push("2 allow always, and choose what".into());
        }
        let delegated = self.question.about.delegated.as_ref();
        lines.push(match delegated.and_then(|delegated| delegated.by.last()) {
            None => "3 deny, which ends the turn".into(),
            Some(above) => Revealed::own("3 deny, which stops ")
                .and(reveal_line(&self.question.agent))
                .and("; ")
                .and(reveal_line(above))
                .and(" goes on"),
        });
        lines.push("4 deny and say why".into());
        lines
    }

    /// Returns the rules that "always" stores: key and pattern. One that destroys something is there only if it was chosen.
    fn always(&self) -> Vec<(PermissionKey, String)> {
        let ticked = self.proposals.iter().filter(|proposal| proposal.is_ticked);
        let patterns =
            ticked.map(|Proposal { proposed, .. }| (proposed.key.clone(), proposed.pattern.clone()));
        patterns.collect()
    }

    /// Returns true if there is something to choose: several rules, or one that is not ticked by itself.
    fn has_a_choice(&self) -> bool {
        self.proposals.len() > 1 || self.proposals.iter().any(|proposal| !proposal.proposed.preticked)
    }

    /// Ticks the rules with these numbers and no other.
    fn tick(&mut self, line: &str) -> LineMeaning {
        let Some(picked) = numbers(line, self.proposals.len()) else {
            return LineMeaning::Unclear(unclear());
        };
        for (number, proposal) in (1..).zip(&mut self.proposals) {
            proposal.is_ticked = picked.contains(&number);
        }
        self.go(PermissionStage::Scope)
    }

    /// Returns the rules that may be stored, by number, with what each destroys.
    fn pattern_lines(&self) -> Vec<Revealed> {
        let inquiry = &self.question.about;
        let rules = (1..).zip(&self.proposals).map(|(number, proposal)| {
            let ProposedRule { key, pattern, .. } = &proposal.proposed;
            let line = Revealed::from(number).and(" ").and(rule_text(key, pattern));
            let line = match proposal.proposed.harm(inquiry) {
                Some(harm) => line.and(", ").and(harm),
                None => line,
            };
            line.and(if proposal.is_ticked {
                " (chosen)"
            } else {
                " (not chosen)"
            })
        });
        rules.chain([Revealed::own("0 back")]).collect()
    }

    /// Returns what would be stored, in words too, and how far it may reach.
    fn scope_lines(&self) -> Vec<Revealed> {
        let stored = self.always().into_iter().map(|(key, pattern)| {
            let rule = rule_text(&key, &pattern);
            Revealed::own("Would store ").and(rule).and(".")
        });
        let scopes = SCOPES.iter().zip(1..);
        let scopes = scopes.map(|(scope, number)| Revealed::from(number).and(" ").and(scope.as_str()));
        let choose = self
            .has_a_choice()
            .then(|| Revealed::own("5 choose what is stored"));
        let back = [Revealed::own("4 back")];
        stored.chain(scopes).chain(back).chain(choose).collect()
    }

    fn go(&mut self, stage: PermissionStage) -> LineMeaning {
        self.stage = stage;
        LineMeaning::Next(self.lines())
    }

    fn reply(&self, reply: PermissionReply, told: impl Into<Revealed>) -> LineMeaning {
        let id = self.question.id;
        let reply = Reply::Permission(reply);
        LineMeaning::Answer(Op::Answer { id, reply }, told.into())
    }
}

impl PendingQuestion for PermissionQuestion {
    fn id(&self) -> QuestionId {
        self.question.id
    }

    fn session(&self) -> &SessionId {
        &self.question.session
    }

    /// Returns its title, and where that does not name what the call is about, the first line of it.
    fn brief(&self) -> String {
        let Inquiry { title, card, .. } = &*self.question.about;
        let title = reveal_line(title).to_string();
        let argument = card.argument.trim();
        if !argument.is_empty() && title.ends_with(reveal_line(argument).as_str()) {
            return title;
        }
        match approval::body(card).first() {
            Some(line) => format!("{title}: {}", line.as_str().trim_start_matches(approval::FOREIGN)),
            None => title,
        }
    }

    fn title(&self) -> Revealed {
        reveal_line(&self.question.about.title)
    }

    fn lines(&self) -> Vec<Revealed> {
        let about = match self.stage {
            PermissionStage::Choice => self.about(),
            PermissionStage::Patterns | PermissionStage::Scope | PermissionStage::Reason => Vec::new(),
        };
        [about, self.options()].concat()
    }

    fn options(&self) -> Vec<Revealed> {
        match self.stage {
            PermissionStage::Choice => self.choices(),
            PermissionStage::Patterns => self.pattern_lines(),
            PermissionStage::Scope => self.scope_lines(),
            PermissionStage::Reason => Vec::new(),
        }
    }

    fn prompt(&self) -> Revealed {
        let (before, after) = match self.stage {
            PermissionStage::Choice => ("Answer for \"", "\" with a number: "),
            PermissionStage::Patterns => (
                "Choose what of \"",
                "\" is allowed always, with numbers separated by spaces: ",
            ),
            PermissionStage::Scope => (
                "Choose the scope in which \"",
                "\" is allowed always, with a number: ",
            ),
            PermissionStage::Reason => ("Say why \"", "\" is denied: "),
        };
        Revealed::own(before).and(self.title()).and(after)
    }

    fn read_line(&mut self, line: &str) -> LineMeaning {
        match (self.stage, line) {
            (PermissionStage::Choice, "1") => self.reply(PermissionReply::Once, "Allowed once."),
            (PermissionStage::Choice, "2") if self.proposals.is_empty() => {
                LineMeaning::Unclear("2 is not offered for this.".into())
            }
            (PermissionStage::Choice, "2") if self.always().is_empty() => self.go(PermissionStage::Patterns),
            (PermissionStage::Choice, "2") => self.go(PermissionStage::Scope),
            (PermissionStage::Choice, "3") => self.reply(PermissionReply::Reject(None), "Denied."),
            (PermissionStage::Choice, "4") => self.go(PermissionStage::Reason),
            (PermissionStage::Scope, "1" | "2" | "3") => {
                let scope = SCOPES[usize::from(line.as_bytes()[0] - b'1')];
                let patterns = self.always();
                let told = Revealed::own("Allowed always, ").and(scope.as_str()).and(": ");
                let told = told.and(in_words(&patterns)).and(".");
                self.reply(PermissionReply::Always { patterns, scope }, told)
            }
            (PermissionStage::Scope, "4") | (PermissionStage::Patterns, "0") => {
                self.go(PermissionStage::Choice)
            }
            (PermissionStage::Scope, "5") if self.has_a_choice() => self.go(PermissionStage::Patterns),
            (PermissionStage::Patterns, numbers) => self.tick(numbers),
            (PermissionStage::Reason, "") => LineMeaning::Unclear("That was empty.".into()),
            (PermissionStage::Reason, reason) => self.reply(
                PermissionReply::Reject(Some(reason.to_owned())),
                "Denied, with your reason.",
            ),
            (PermissionStage::Choice | PermissionStage::Scope, _) => LineMeaning::Unclear(unclear()),
        }
    }
}

/// `bash seq *: every `seq` command`
fn rule_text(key: &PermissionKey, pattern: &str) -> Revealed {
    let key = key.as_str();
    let rule = reveal_line(key).and(" ").and(reveal_line(pattern));
    rule.and(": ").and(permission::in_words(key, pattern))
}

/// `bash seq * and edit *`
fn in_words(patterns: &[(PermissionKey, String)]) -> Revealed {
    let patterns = patterns
        .iter()
        .map(|(key, pattern)| reveal_line(key.as_str()).and(" ").and(reveal_line(pattern)));
    patterns
        .reduce(|all, pattern| all.and(" and ").and(pattern))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::permission::{Action, Ask, DelegatedTask, Inquiry, OpenAsk, Subject, Verdict};
    use crate::view::card::Card;

    fn asked(delegated: Option<DelegatedTask>) -> PermissionQuestion {
        let mut deleted =
            Ask::new(PermissionKey::BASH, Subject::new("rm -rf target")).always("rm -rf target");
        deleted.destructive = true;
        let asks = [
            Ask::new(PermissionKey::BASH, Subject::new("cargo test \u{202e}x")).always("cargo test *"),
            deleted,
        ];
        let verdict = Verdict {
            action: Action::Ask,
            rule: None,
        };
        let rows = asks.into_iter().map(|ask| {
            let verdict = verdict.clone();
            OpenAsk { ask, verdict }.into()
        });
        let inquiry = Inquiry {
            tool: "bash".to_owned(),
            delegated,
            rows: rows.collect(),
            title: "bash wants to run".to_owned(),
            card: Card::new("Bash", "cargo test \u{202e}x && rm -rf target"),
            directory: "/p".into(),
            sandbox: Some("off".into()),
            editable: None,
        };
        let mut question = Question::sample(Arc::new(inquiry));
        question.agent = "explore".to_owned();
        PermissionQuestion::new(question)
    }

    fn texts(lines: &[Revealed]) -> Vec<&str> {
        lines.iter().map(Revealed::as_str).collect()
    }

    #[test]
    fn every_row_is_told_with_what_it_destroys() {
        let delegated = DelegatedTask {
            by: vec!["build".to_owned()],
            task: "who calls backoff()".to_owned(),
        };
        assert_eq!(
            texts(&asked(Some(delegated)).lines()),
            [
                "In /p, no sandbox.",
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
        let LineMeaning::Next(lines) = asked.read_line("2") else {
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
                "5 choose what is stored",
            ]
        );
    }

    fn next(asked: &mut PermissionQuestion, line: &str) -> Vec<String> {
        match asked.read_line(line) {
            LineMeaning::Next(lines) => texts(&lines).into_iter().map(str::to_owned).collect(),
            other => panic!("{line} leads on, not to {other:?}"),
        }
    }

    #[test]
    fn each_pattern_of_an_always_is_chosen_by_its_number() {
        let mut asked = asked(None);
        next(&mut asked, "2");
        assert_eq!(
            next(&mut asked, "5"),
            [
                "1 bash cargo test *: every `cargo test` command (chosen)",
                "2 bash rm -rf target: exactly this command, deletes files, no undo (not chosen)",
                "0 back",
            ]
        );
        for unclear in ["", "3", "1 4", "all", "-1"] {
            assert!(
                matches!(asked.read_line(unclear), LineMeaning::Unclear(_)),
                "{unclear}"
            );
        }
        let chosen = next(&mut asked, "2");
        assert!(
            chosen[0].starts_with("Would store bash rm -rf target: "),
            "{chosen:?}"
        );
        assert_eq!(chosen[1], "1 this session");
        assert!(next(&mut asked, "5")[0].ends_with("(not chosen)"));
        next(&mut asked, "1, 2");
        let LineMeaning::Answer(Op::Answer { reply, .. }, told) = asked.read_line("2") else {
            panic!("it is an answer");
        };
        let pattern = |pattern: &str| (PermissionKey::BASH, pattern.to_owned());
        assert_eq!(
            reply,
            Reply::Permission(PermissionReply::Always {
                patterns: vec![pattern("cargo test *"), pattern("rm -rf target")],
                scope: Scope::Project,
            })
        );
        assert_eq!(
            told.as_str(),
            "Allowed always, this project: bash cargo test * and bash rm -rf target."
        );
    }

    #[test]
    fn what_is_not_ticked_by_itself_is_offered_to_choose() {
        let PermissionQuestion { question, .. } = asked(None);
        let mut inquiry = Inquiry::clone(&question.about);
        inquiry.rows.remove(0);
        let mut asked = PermissionQuestion::new(question.with(&Arc::new(inquiry)));
        assert!(texts(&asked.lines()).contains(&"2 allow always, and choose what"));
        let offered = next(&mut asked, "2");
        assert!(offered[0].ends_with("(not chosen)"), "{offered:?}");
        assert!(next(&mut asked, "0").contains(&"1 allow once".to_owned()));
    }
}
