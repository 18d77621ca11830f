//! The gates of all sessions of a tree: what is granted in one counts in all, and the mode is one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::gate::{Gate, GateAnswerError};
use crate::conversation::SessionId;
use crate::permission::Mode;
use crate::question::{self, QuestionId, Questions, Reply};

/// The gates of one tree.
#[derive(Default)]
pub struct Gates(Mutex<Vec<Weak<Gate>>>);

impl Gates {
    pub(super) fn add(&self, gate: &Arc<Gate>) {
        let mut gates = self.lock();
        gates.retain(|gate| gate.strong_count() > 0);
        gates.push(Arc::downgrade(gate));
    }

    /// Returns the gate of a session that is open.
    pub fn of(&self, session: &SessionId) -> Option<Arc<Gate>> {
        self.all().into_iter().find(|gate| gate.session() == session)
    }

    pub(super) fn all(&self) -> Vec<Arc<Gate>> {
        self.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// All gates but this one.
    pub(super) fn others(&self, gate: &Gate) -> Vec<Arc<Gate>> {
        let mut gates = self.all();
        gates.retain(|other| other.session() != gate.session());
        gates
    }

    /// Takes a person's answer to a question of any session of the tree: [`Gate::answer`].
    pub fn answer(&self, questions: &Questions, id: QuestionId, reply: Reply) -> Result<(), GateAnswerError> {
        let waiting = questions.waiting();
        let question = waiting.iter().find(|question| question.id == id);
        let question = question.ok_or(question::AnswerError::Settled)?;
        let gates = self.all();
        match gates.iter().find(|gate| *gate.session() == question.session) {
            Some(gate) => gate.answer(id, reply),
            None => Err(question::AnswerError::Settled.into()),
        }
    }

    /// Changes how asks are answered from now on, in the whole tree.
    pub fn set_mode(&self, mode: Mode) {
        self.all().iter().for_each(|gate| gate.set_mode(mode));
    }

    /// Settles what waits after the mode has changed: [`Gate::rejudge_by_mode`].
    pub fn rejudge_by_mode(&self) {
        self.all().iter().for_each(|gate| gate.rejudge_by_mode());
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<Gate>>> {
        // A list is never left half changed by a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
