//! Lists to choose from by number, or by name.

use super::ReaderSession;
use crate::permission::Mode;
use crate::session::Op;

const MODES: [Mode; 4] = [Mode::Ask, Mode::AcceptEdits, Mode::Plan, Mode::Yolo];

impl ReaderSession {
    pub(super) fn choose_model(&mut self, given: &str) {
        let models = self.info.models.iter();
        let names: Vec<String> = models.map(|choice| choice.model.to_string()).collect();
        let now = self.info.model.to_string();
        if let Some(place) = self.choose("model", &names, &now, given) {
            let model = self.info.models[place].model.clone();
            self.send(Op::SetModel(model));
        }
    }

    pub(super) fn choose_agent(&mut self, given: &str) {
        let agents = self.info.agents.iter();
        let names: Vec<String> = agents.map(|choice| choice.name.clone()).collect();
        let now = self.info.agent.clone();
        if let Some(place) = self.choose("agent", &names, &now, given) {
            self.send(Op::SetAgent(names[place].clone()));
        }
    }

    pub(super) fn choose_mode(&mut self, given: &str) {
        let names = MODES.map(|mode| mode.name().to_owned());
        if let Some(place) = self.choose("mode", &names, self.info.mode.name(), given) {
            // A line is typed on purpose, so what waits is judged at once.
            self.send(Op::SetMode(MODES[place]));
            self.send(Op::Rejudge);
        }
    }

    /// Returns the place of the name that was given by its number or itself; without one, tells all.
    fn choose(&mut self, what: &str, names: &[String], now: &str, given: &str) -> Option<usize> {
        if given.is_empty() {
            for (number, name) in (1..).zip(names) {
                let mark = if name == now { " (now)" } else { "" };
                self.output.line(&format!("{number} {name}{mark}"));
            }
            self.output
                .line(&format!("/{what} with a number changes to one."));
            return None;
        }
        let by_number = given.parse().ok().and_then(|number: usize| number.checked_sub(1));
        let place = names.iter().position(|name| name == given).or(by_number);
        let place = place.filter(|place| *place < names.len());
        if place.is_none() {
            self.output
                .line(&format!("There is no {what} {given}. /{what} lists them."));
        }
        place
    }
}
