//! The question before a session begins: whether a project's own parts count.

use tokio::time::Instant;

use super::console::{Console, ConsoleInput};
use super::{ANSWER_DELAY, ScreenReaderExit, approval, at};
use crate::session::wire::ProjectTrust;
use crate::text::sanitize::{Revealed, reveal_line};

/// Notice for a line that was typed too early.
pub(super) const TOO_EARLY: &str =
    "That came before the question could be read, so it was not taken as an answer.";
const PROMPT: &str = "Answer for the trust question with a number: ";

/// The person's answer to what a project brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustAnswer {
    Trust,
    NotNow,
    Left(ScreenReaderExit),
}

/// Asks whether a project's own parts count.
pub async fn ask_trust(trust: &ProjectTrust, console: &mut Console) -> TrustAnswer {
    let question = question(&trust.asked_place().display().to_string());
    console.say(&question);
    console.mark(0);
    let mut deaf_until = None;
    let mut is_listening = false;
    loop {
        let heard = tokio::select! {
            heard = console.next_input() => heard,
            () = at(deaf_until) => {
                deaf_until = None;
                console.discard_pending(0);
                continue;
            }
        };
        match heard {
            ConsoleInput::Written(_) => deaf_until = Some(Instant::now() + ANSWER_DELAY),
            ConsoleInput::Quiet(_) => {
                is_listening = true;
                console.say(PROMPT);
            }
            ConsoleInput::Line(_) if !is_listening => console.say(&format!("{TOO_EARLY}\n")),
            ConsoleInput::Line(line) => match line.trim() {
                "1" => return TrustAnswer::Trust,
                "2" => return TrustAnswer::NotNow,
                "3" => console.say(&format!("{}{question}{PROMPT}", parts(trust))),
                _ => console.say(&format!("That is not one of the numbers.\n{PROMPT}")),
            },
            ConsoleInput::Interrupt | ConsoleInput::End => return TrustAnswer::Left(ScreenReaderExit::Quit),
            ConsoleInput::Signal(number) => return TrustAnswer::Left(ScreenReaderExit::Signal(number)),
        }
    }
}

fn question(root: &str) -> String {
    let root = Revealed::own("Trust question: `").and(reveal_line(root));
    let question = root.and(
        "` has parts that run code, name servers or loosen rules.\n1 trust it\n2 not now\n3 read the parts\n",
    );
    question.to_string()
}

fn parts(trust: &ProjectTrust) -> String {
    let mut lines = Vec::new();
    for part in trust.asked_parts() {
        lines.extend(approval::foreign(&format!("{}, {}:", part.file, part.key)));
        lines.extend(approval::foreign(part.text().trim_end()));
    }
    if let Some(change) = trust.change() {
        lines.push("What has changed:".into());
        lines.extend(approval::foreign(&change));
    }
    if trust.asks_about_files() {
        let files = "An agent or a command wrote the files marked `whole file`; they are not read without your trust.";
        lines.extend(approval::foreign(files));
    }
    let lines = lines
        .iter()
        .fold(Revealed::default(), |all, line| all.and(line).and("\n"));
    lines.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_project_cannot_fake_the_question() {
        let question = question("/x\u{1b}[2J\n1 not now");
        assert!(
            question.starts_with("Trust question: `/x⟨U+001B⟩[2J⟨U+000A⟩1 not now` has"),
            "{question}"
        );
    }
}
