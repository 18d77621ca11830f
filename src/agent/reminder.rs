//! Reminders from lathe to the model, beside the person's words: that it only plans, and that it does so no longer.
//!
//! Nothing of it is stored. Who was spoken to stands on every message, so the same reminders come out at the same places
//! each time, and a request always begins with all of the one before: caches hit. Each message of the person carries the
//! reminder while agent `plan` (or mode `plan`) is on, so every request has it behind the last of them. The first one has
//! the agent's instructions too, which stand in no system prompt: that is the same for all primary agents without one of
//! their own.

use std::sync::Arc;

use crate::conversation::{Message, Part, PartBody, Role};

/// The agent whose requests carry a reminder; user messages that are sent in mode `plan` name it too.
pub const PLAN: &str = "plan";

/// Source of the instructions of agent `plan`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanInstructions {
    /// The first reminder has them.
    Reminder,
    /// Its own system prompt has others.
    SystemPrompt,
}

/// Adds the reminders to the messages of a request. `next` is the agent that makes it.
pub fn remind(messages: Vec<Arc<Message>>, next: &str, instructions: PlanInstructions) -> Vec<Arc<Message>> {
    let mut reminded = Vec::with_capacity(messages.len() + 1);
    let mut told = PlanState::Off;
    // The agent of the reply directly before; none after a message of the person.
    let mut replied: Option<PlanState> = None;
    for message in messages {
        let now = PlanState::of(message.agent.as_deref());
        match message.role {
            Role::User => {
                let is_told = now == PlanState::On || told == PlanState::On;
                let text = is_told.then(|| now.text(told, instructions));
                reminded.push(match text {
                    Some(text) => with_text(&message, &text),
                    None => message,
                });
                (told, replied) = (now, None);
            }
            Role::Assistant => {
                if replied.is_some_and(|before| before != now) {
                    reminded.push(between(&now.text(told, instructions), message.created));
                    told = now;
                }
                replied = Some(now);
                reminded.push(message);
            }
        }
    }
    let now = PlanState::of(Some(next));
    if replied.is_some_and(|before| before != now) {
        reminded.push(between(&now.text(told, instructions), 0));
    }
    reminded
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlanState {
    On,
    Off,
}

impl PlanState {
    fn of(agent: Option<&str>) -> Self {
        if agent == Some(PLAN) { Self::On } else { Self::Off }
    }

    /// The reminder of this state after one of another, or the same, was told.
    fn text(self, told: Self, instructions: PlanInstructions) -> String {
        let text = match self {
            Self::On => include_str!("../../assets/agents/plan.reminder.md"),
            Self::Off => include_str!("../../assets/agents/plan.over.md"),
        };
        let is_first = self == Self::On && told == Self::Off;
        let before = if is_first && instructions == PlanInstructions::Reminder {
            include_str!("../../assets/agents/plan.instructions.md")
        } else {
            ""
        };
        format!("<system-reminder>\n{before}{}\n</system-reminder>", text.trim())
    }
}

fn with_text(message: &Message, text: &str) -> Arc<Message> {
    let mut message = message.clone();
    message.parts.push(text_part(text));
    Arc::new(message)
}

/// For a switch in the middle of a turn, where the person says nothing.
fn between(text: &str, created: i64) -> Arc<Message> {
    Arc::new(Message::new(Role::User, created, vec![text_part(text)]))
}

fn text_part(text: &str) -> Part {
    Part {
        seq: 0,
        body: PartBody::text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: Role, agent: &str, text: &str) -> Arc<Message> {
        let parts = vec![text_part(text)];
        Arc::new(Message {
            role,
            agent: Some(agent.to_owned()),
            parts,
            ..Message::clone(&between("", 0))
        })
    }

    /// `U build hi` is what the person says to `build`, `A` a reply of it.
    fn talk(lines: &[&str]) -> Vec<Arc<Message>> {
        let read = |line: &&str| {
            let mut words = line.splitn(3, ' ');
            let role = if words.next() == Some("U") {
                Role::User
            } else {
                Role::Assistant
            };
            message(role, words.next().unwrap(), words.next().unwrap())
        };
        lines.iter().map(read).collect()
    }

    /// `+` and `-` stand for the two reminders, `++` for the one with the instructions.
    fn told(lines: &[&str], next: &str) -> Vec<String> {
        let shown = |message: &Arc<Message>| {
            let reminder = |state: PlanState, told| state.text(told, PlanInstructions::Reminder);
            let text = message.text();
            let text = text.replace(&reminder(PlanState::On, PlanState::Off), "++");
            let text = text.replace(&reminder(PlanState::On, PlanState::On), "+");
            text.replace(&reminder(PlanState::Off, PlanState::On), "-")
                .replace('\n', " ")
        };
        let reminded = remind(talk(lines), next, PlanInstructions::Reminder);
        reminded.iter().map(shown).collect()
    }

    #[test]
    fn without_plan_nothing_is_added() {
        assert_eq!(
            told(&["U build a", "A build b", "U build c"], "build"),
            ["a", "b", "c"]
        );
        assert_eq!(told(&["U build a", "A other b"], "build"), ["a", "b"]);
    }

    #[test]
    fn each_message_of_the_person_carries_the_reminder_while_plan_is_on() {
        assert_eq!(
            told(&["U plan a", "A plan b", "A plan c", "U plan d"], "plan"),
            ["a ++", "b", "c", "d +"]
        );
    }

    #[test]
    fn the_first_message_after_plan_says_that_it_is_over() {
        assert_eq!(
            told(
                &["U plan a", "A plan b", "U build c", "A build d", "U build e"],
                "build"
            ),
            ["a ++", "b", "c -", "d", "e"]
        );
    }

    #[test]
    fn a_switch_within_a_turn_is_told_between_the_steps() {
        assert_eq!(told(&["U build a", "A build b"], "plan"), ["a", "b", "++"]);
        assert_eq!(
            told(&["U build a", "A build b", "A plan c"], "plan"),
            ["a", "b", "++", "c"]
        );
        assert_eq!(
            told(&["U plan a", "A plan b", "A build c", "U build d"], "build"),
            ["a ++", "b", "-", "c", "d"]
        );
    }

    #[test]
    fn an_agent_with_a_prompt_of_its_own_is_only_reminded() {
        let reminded = remind(talk(&["U plan a"]), "plan", PlanInstructions::SystemPrompt);
        let text = reminded[0].text();
        assert!(text.contains("Plan mode is on") && !text.contains("You are agent `plan`"));
    }

    #[test]
    fn mode_plan_marks_the_persons_words_and_not_the_replies() {
        assert_eq!(
            told(&["U plan a", "A build b", "A build c", "U build d"], "build"),
            ["a ++", "b", "c", "d -"]
        );
    }

    #[test]
    fn a_request_begins_with_all_of_the_one_before() {
        let lines = [
            "U build a",
            "A build b",
            "A plan c",
            "A plan d",
            "U plan e",
            "A plan f",
            "A build g",
            "U build h",
            "A build i",
            "U plan j",
            "A build k",
            "A build l",
            "U build m",
            "A build n",
        ];
        let mut before: Vec<String> = Vec::new();
        for (count, line) in lines.iter().enumerate() {
            if let Some(agent) = line.strip_prefix("A ") {
                let now = told(&lines[..count], &agent[..agent.len() - 2]);
                assert!(now.starts_with(&before), "{now:?} after {before:?}");
                before = now;
            }
        }
    }
}
