//! Cards of tasks that go on when their call has ended: they follow the task.

use std::collections::HashMap;

use super::Transcript;
use super::block::Block;
use crate::conversation::{CallId, SessionId, TaskRow};
use crate::session::Event;
use crate::tool::RenderCx;

/// The calls that have started the task of a session.
#[derive(Default)]
pub(super) struct TaskCalls(HashMap<SessionId, Vec<CallId>>);

impl Transcript {
    /// Brings the cards of tasks up to how they stand now.
    pub(crate) fn follow_tasks<'a>(&mut self, rows: impl Iterator<Item = &'a TaskRow>) {
        for row in rows {
            self.follow_task(row);
        }
    }

    /// Takes in what an event says of tasks; says whether that is anything new to see.
    pub(super) fn note_task(&mut self, event: &Event) -> bool {
        match event {
            Event::CallEnded { call, tool, .. } if self.cards.starts_tasks(tool) => self.note_task_call(call),
            Event::Task(row) => return self.follow_task(row),
            _ => {}
        }
        false
    }

    /// Notes the calls of a session that was attached to.
    pub(super) fn note_task_calls(&mut self) {
        let calls = self.blocks.list.iter().filter_map(Block::call);
        let calls = calls.flat_map(|call| std::iter::once(call).chain(&call.inner));
        let calls = calls.filter(|call| self.cards.starts_tasks(&call.tool));
        let calls: Vec<CallId> = calls.map(|call| call.id.clone()).collect();
        for call in calls {
            self.note_task_call(&call);
        }
    }

    fn note_task_call(&mut self, call: &CallId) {
        let mut session = None;
        let cards = &*self.cards;
        self.blocks.change_call(call, |block| {
            session = block.card(cards, RenderCx::FOLDED).session;
        });
        if let Some(session) = session {
            self.task_calls.0.entry(session).or_default().push(call.clone());
        }
    }

    fn follow_task(&mut self, row: &TaskRow) -> bool {
        let mut has_changed = false;
        for call in self.task_calls.0.get(&row.session).into_iter().flatten() {
            let cards = &*self.cards;
            self.blocks.change_call(call, |block| {
                has_changed |= block.follow_task(cards, row);
            });
        }
        has_changed
    }
}
