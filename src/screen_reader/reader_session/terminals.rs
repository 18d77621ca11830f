//! Terminals of the tree, a sentence for each thing that becomes of one.

use super::ReaderSession;
use crate::conversation::{TerminalInput, TerminalOwner, TerminalRow};
use crate::text::sanitize::sanitize_line;

impl ReaderSession {
    /// Tells what became of the terminals since they were told of last.
    pub(super) fn on_terminals(&mut self, rows: &[TerminalRow]) {
        let before = std::mem::replace(&mut self.terminals, rows.to_vec());
        let mut sentences: Vec<String> = Vec::new();
        for row in rows {
            let known = before.iter().find(|known| known.name == row.name);
            sentences.extend(sentence(row, known));
        }
        for sentence in sentences {
            self.aside(&sentence);
        }
    }
}

/// Returns the sentence about a terminal; none where nothing is different that is worth one.
fn sentence(row: &TerminalRow, known: Option<&TerminalRow>) -> Option<String> {
    let name = sanitize_line(&row.name);
    let is_running = row.status.is_running();
    match known {
        Some(known) if known.status.is_running() && !is_running => {
            return Some(format!(
                "The program in terminal {name} has ended: {}.",
                row.status.words()
            ));
        }
        None if is_running && row.owner == TerminalOwner::Shared && row.waits_for.is_none() => {
            return Some(format!(
                "Terminal {name} was started: {}.",
                sanitize_line(&row.command)
            ));
        }
        _ => {}
    }
    let waited = known.and_then(|known| known.waits_for);
    match row.waits_for.filter(|waits| Some(*waits) != waited)? {
        TerminalInput::Line => Some(format!("The program in terminal {name} waits for input.")),
        TerminalInput::Hidden => Some(format!(
            "The program in terminal {name} waits for hidden input, which agents cannot type. Type it in the full \
            screen (lathe without --screen-reader), or stop the program."
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::TerminalStatus;

    fn row(status: TerminalStatus, waits_for: Option<TerminalInput>) -> TerminalRow {
        TerminalRow {
            name: "dev".to_owned(),
            command: "npm init".to_owned(),
            owner: TerminalOwner::Shared,
            status,
            waits_for,
            typed_by: None,
            is_exclusive: false,
            title: None,
        }
    }

    #[test]
    fn each_change_is_told_once() {
        let running = row(TerminalStatus::Running, None);
        let waiting = row(TerminalStatus::Running, Some(TerminalInput::Line));
        let ended = row(TerminalStatus::Exited(1), None);
        let told = |row, known| sentence(row, known).unwrap_or_default();
        assert_eq!(told(&running, None), "Terminal dev was started: npm init.");
        assert_eq!(told(&running, Some(&running)), "");
        assert_eq!(
            told(&waiting, Some(&running)),
            "The program in terminal dev waits for input."
        );
        assert_eq!(told(&waiting, Some(&waiting)), "");
        assert_eq!(
            told(&ended, Some(&waiting)),
            "The program in terminal dev has ended: exited 1."
        );
    }
}
