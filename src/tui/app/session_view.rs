//! The state that one conversation has on screen, whether it is drawn or not.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::attachments::ReturnedDraft;
use super::input_queue::TakeBackPurpose;
use super::search::SearchRow;
use super::{DraftState, EscapeState, Focus, Remark, SessionLink, TurnStatus};
use crate::conversation::{CallId, ModelRef, SessionId};
use crate::session::{
    AgentChoice, CommandChoice, Input, ModelChoice, Op, QueuedMessage, SummaryDraft, Surroundings,
};
use crate::tui::completion::Completion;
use crate::tui::composer::Composer;
use crate::tui::page::HookRuns;
use crate::tui::panel::{self, Panel, TodoEditor};
use crate::tui::queue_list::{QueueList, QueuedInput};
use crate::tui::sessions::SlotId;
use crate::tui::statusbar::SessionFacts;
use crate::tui::transcript::Transcript;

/// The state that one conversation has on screen.
#[derive(Default)]
pub(super) struct SessionView {
    pub(super) slot: SlotId,
    /// The slot of the root of its tree; its own where it is the root.
    pub(super) tree: SlotId,
    /// The session, where it is that of a task.
    pub(super) task: Option<SessionId>,
    pub(super) directory: PathBuf,
    pub(super) surroundings: Surroundings,
    pub(super) facts: SessionFacts,
    pub(super) link: SessionLink,
    /// The session on screen, once it is open.
    pub(super) root: Option<SessionId>,
    /// The one that was asked for, where it is not new.
    pub(super) wanted: Option<SessionId>,
    /// Since when a session that has begun before is opened; until it is there it is not drawn as one that has not.
    pub(super) reopens: Option<Instant>,
    pub(super) transcript: Transcript,
    pub(super) composer: Composer,
    pub(super) completion: Completion,
    /// Commands of the person's own that run.
    pub(super) shells: HashSet<CallId>,
    /// A message that came back for its files.
    pub(super) unread: Option<ReturnedDraft>,
    /// A summary of the conversation is being written.
    pub(super) is_summarising: bool,
    /// A summary that waits for the person's word.
    pub(super) summary: Option<Arc<SummaryDraft>>,
    /// It opens by itself as soon as the composer has rested.
    pub(super) opens_summary: bool,
    pub(super) panel: Panel,
    pub(super) queue: Vec<QueuedMessage>,
    pub(super) queue_list: QueueList,
    /// Inputs that the session was asked for.
    pub(super) wanted_inputs: HashMap<u64, TakeBackPurpose>,
    /// Operations that were sent before the session was open.
    pub(super) unsent: Vec<Op>,
    /// When it is asked next whether the process that has the session has left it.
    pub(super) waits_for_holder: Option<Instant>,
    /// True if something was sent from here.
    pub(super) has_messages: bool,
    pub(super) turn: TurnStatus,
    /// Nothing goes on by itself until something is sent.
    pub(super) is_held: bool,
    /// Those the session can be changed to.
    pub(super) agents: Vec<AgentChoice>,
    pub(super) models: Vec<ModelChoice>,
    /// The model cannot be asked.
    pub(super) lacks_model: bool,
    /// Commands of the user's own.
    pub(super) commands: Vec<CommandChoice>,
    /// Asked for; comes with the next step.
    pub(super) wanted_agent: Option<String>,
    pub(super) wanted_model: Option<ModelRef>,
    pub(super) focus: Focus,
    /// The search row, while it is open.
    pub(super) search: Option<SearchRow>,
    pub(super) hooks: HookRuns,
    pub(super) esc: EscapeState,
    pub(super) remark: Option<Remark>,
    /// When what waits is judged by the mode that was chosen.
    pub(super) mode_rests: Option<Instant>,
    pub(super) draft: DraftState,
    /// Its turn has ended since it was in front.
    pub(super) has_news: bool,
}

impl SessionView {
    /// A session that is about to be opened; since when, where it has begun before.
    pub(super) fn blank(
        slot: SlotId,
        facts: SessionFacts,
        directory: PathBuf,
        wanted: Option<SessionId>,
        reopens: Option<Instant>,
    ) -> Self {
        Self {
            slot,
            tree: slot,
            directory,
            facts,
            wanted,
            reopens,
            ..Self::default()
        }
    }

    /// Returns the name of the agent that continues.
    pub(super) fn current_agent(&self) -> &str {
        self.wanted_agent.as_deref().unwrap_or(&self.facts.agent)
    }

    /// The session's id, as soon as it is known.
    pub(super) fn id(&self) -> Option<&SessionId> {
        self.root.as_ref().or(self.wanted.as_ref())
    }

    pub(super) fn waiting(&self) -> Vec<QueuedInput<'_>> {
        let unsent = self.unsent_inputs().enumerate();
        let unsent = unsent.map(|(place, input)| QueuedInput::unsent(place, &input.text));
        let is_task = self.task.is_some();
        let queue = self.queue.iter();
        queue
            .map(|queued| QueuedInput::of(queued, is_task))
            .chain(unsent)
            .collect()
    }

    pub(super) fn unsent_inputs(&self) -> impl DoubleEndedIterator<Item = &Input> {
        self.unsent.iter().filter_map(|op| match op {
            Op::Submit(input) | Op::Queue(input) => Some(input),
            _ => None,
        })
    }

    /// Returns true if the words of a todo are written. A question that comes waits until that is over.
    pub(super) fn writes_todo(&self) -> bool {
        self.todo_editor().is_some()
    }

    /// Returns the todo whose words are written, while the panel has the keys.
    pub(super) fn todo_editor(&self) -> Option<&TodoEditor> {
        self.panel.editor().filter(|_| self.focus == Focus::Panel)
    }

    /// Returns the completion, if it lists something and the composer has the keys.
    pub(super) fn open_completion(&self) -> Option<&Completion> {
        let is_open = self.focus == Focus::Composer && self.completion.is_open();
        is_open.then_some(&self.completion)
    }

    /// The columns that the panel takes from the conversation.
    pub(super) fn panel_columns(&self, width: u16) -> u16 {
        if self.panel.is_beside(width) {
            panel::columns(width)
        } else {
            0
        }
    }

    pub(super) fn is_turn_running(&self) -> bool {
        self.turn == TurnStatus::Busy || !self.shells.is_empty()
    }

    /// Returns true if nothing was said in it yet.
    pub(super) fn has_no_messages(&self) -> bool {
        let is_unsaid = self.facts.title.is_empty() && !self.has_messages;
        self.wanted.is_none() && is_unsaid && self.link != SessionLink::Gone
    }

    /// Returns true if nothing is lost when it is closed: no draft, nothing said, or no session behind it.
    pub(super) fn is_discardable(&self) -> bool {
        self.composer.is_blank()
            && (self.link == SessionLink::Gone || self.link == SessionLink::Open && self.has_no_messages())
    }
}
