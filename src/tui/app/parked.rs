//! What the screen knows of one session, put aside while another is on screen.
//!
//! The session on screen lives in the fields of [`App`] itself; [`App::swap`] is the one place that says which of them
//! belong to a session. It names every field, so that a new one does not compile before it is said whose it is.

use std::collections::{HashMap, HashSet};
use std::mem::swap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::attaching::CameBack;
use super::forms::OpenForms;
use super::waiting::Wanted;
use super::{App, DraftState, Esc, Focus, Link, Remark, Turn};
use crate::conversation::{CallId, ModelRef, SessionId};
use crate::permission::{Question, QuestionId};
use crate::session::{AgentChoice, CommandChoice, ModelChoice, Op, Queued};
use crate::tui::completion::Completion;
use crate::tui::composer::Composer;
use crate::tui::dialog::Permission;
use crate::tui::page::HookRuns;
use crate::tui::panel::Panel;
use crate::tui::queue_list::QueueList;
use crate::tui::statusbar::Facts;
use crate::tui::transcript::Transcript;

/// The fields of [`App`] that are one session's, under their names there.
pub(super) struct Parked {
    pub(super) directory: PathBuf,
    pub(super) facts: Facts,
    pub(super) link: Link,
    pub(super) root: Option<SessionId>,
    pub(super) wanted: Option<SessionId>,
    pub(super) reopens: Option<Instant>,
    pub(super) transcript: Transcript,
    pub(super) composer: Composer,
    pub(super) completion: Completion,
    pub(super) shells: HashSet<CallId>,
    pub(super) unread: Option<CameBack>,
    pub(super) panel: Panel,
    pub(super) queue: Vec<Queued>,
    pub(super) queue_list: QueueList,
    pub(super) wanted_inputs: HashMap<u64, Wanted>,
    pub(super) unsent: Vec<Op>,
    pub(super) has_spoken: bool,
    pub(super) turn: Turn,
    pub(super) agents: Vec<AgentChoice>,
    pub(super) models: Vec<ModelChoice>,
    pub(super) commands: Vec<CommandChoice>,
    pub(super) wanted_agent: Option<String>,
    pub(super) wanted_model: Option<ModelRef>,
    pub(super) questions: Vec<Arc<Question>>,
    pub(super) put_off: HashSet<QuestionId>,
    pub(super) dialog: Option<Permission>,
    pub(super) forms: OpenForms,
    pub(super) focus: Focus,
    pub(super) search: Option<Composer>,
    pub(super) hooks: HookRuns,
    pub(super) esc: Esc,
    pub(super) remark: Option<Remark>,
    pub(super) mode_rests: Option<Instant>,
    pub(super) typed: Option<Instant>,
    pub(super) draft: DraftState,
}

impl Parked {
    /// A session that is about to be opened; since when, where it has begun before.
    pub(super) fn blank(
        facts: Facts,
        directory: PathBuf,
        wanted: Option<SessionId>,
        reopens: Option<Instant>,
    ) -> Self {
        Self {
            directory,
            facts,
            link: Link::Opening,
            root: None,
            wanted,
            reopens,
            transcript: Transcript::new(),
            composer: Composer::default(),
            completion: Completion::default(),
            shells: HashSet::new(),
            unread: None,
            panel: Panel::default(),
            queue: Vec::new(),
            queue_list: QueueList::default(),
            wanted_inputs: HashMap::new(),
            unsent: Vec::new(),
            has_spoken: false,
            turn: Turn::Idle,
            agents: Vec::new(),
            models: Vec::new(),
            commands: Vec::new(),
            wanted_agent: None,
            wanted_model: None,
            questions: Vec::new(),
            put_off: HashSet::new(),
            dialog: None,
            forms: OpenForms::default(),
            focus: Focus::Composer,
            search: None,
            hooks: HookRuns::default(),
            esc: Esc::default(),
            remark: None,
            mode_rests: None,
            typed: None,
            draft: DraftState::Stored,
        }
    }

    /// The session's id, as soon as it is known.
    pub(super) fn id(&self) -> Option<&SessionId> {
        self.root.as_ref().or(self.wanted.as_ref())
    }

    /// How many questions wait in it, on screen or put off.
    pub(super) fn asks(&self) -> usize {
        self.questions.len() + self.forms.len()
    }

    /// Whether nothing was said in it yet.
    pub(super) fn is_unsaid(&self) -> bool {
        self.wanted.is_none() && is_unsaid(&self.facts, self.has_spoken, &self.link)
    }

    /// Whether nothing is lost when it is let go: no draft, nothing said, or no session behind it.
    pub(super) fn is_worthless(&self) -> bool {
        self.composer.is_blank() && (self.link == Link::Gone || self.link == Link::Open && self.is_unsaid())
    }
}

/// The first thing that is said names a session, but its name comes a moment after it.
pub(super) fn is_unsaid(facts: &Facts, has_spoken: bool, link: &Link) -> bool {
    facts.title.is_empty() && !has_spoken && *link != Link::Gone
}

impl App {
    /// Exchanges the session on screen with one that was put aside.
    pub(super) fn swap(&mut self, parked: &mut Parked) {
        let Self {
            directory,
            facts,
            link,
            root,
            wanted,
            reopens,
            transcript,
            composer,
            completion,
            shells,
            unread,
            panel,
            queue,
            queue_list,
            wanted_inputs,
            unsent,
            has_spoken,
            turn,
            agents,
            models,
            commands,
            wanted_agent,
            wanted_model,
            questions,
            put_off,
            dialog,
            forms,
            focus,
            search,
            hooks,
            esc,
            remark,
            mode_rests,
            typed,
            draft,
            // What belongs to the screen, whatever session it shows.
            start: _,
            attention: _,
            keymap: _,
            themes: _,
            theme_list: _,
            settings_file: _,
            theme: _,
            highlighter: _,
            surroundings: _,
            pictures: _,
            wheel_lines: _,
            mouse: _,
            copies_on_select: _,
            uses_vim: _,
            uses: _,
            held: _,
            uses_file: _,
            project: _,
            edits_chip: _,
            reading: _,
            press: _,
            due: _,
            seat: _,
            next_seat: _,
            others: _,
            blank: _,
            leaving: _,
            trust: _,
            pages: _,
            picker: _,
            list: _,
            session_list: _,
            leader: _,
            quit_armed: _,
            scope: _,
            dropped_keys: _,
            shown: _,
            effects: _,
            early_command: _,
        } = self;
        swap(directory, &mut parked.directory);
        swap(facts, &mut parked.facts);
        swap(link, &mut parked.link);
        swap(root, &mut parked.root);
        swap(wanted, &mut parked.wanted);
        swap(reopens, &mut parked.reopens);
        swap(transcript, &mut parked.transcript);
        swap(composer, &mut parked.composer);
        swap(completion, &mut parked.completion);
        swap(shells, &mut parked.shells);
        swap(unread, &mut parked.unread);
        swap(panel, &mut parked.panel);
        swap(queue, &mut parked.queue);
        swap(queue_list, &mut parked.queue_list);
        swap(wanted_inputs, &mut parked.wanted_inputs);
        swap(unsent, &mut parked.unsent);
        swap(has_spoken, &mut parked.has_spoken);
        swap(turn, &mut parked.turn);
        swap(agents, &mut parked.agents);
        swap(models, &mut parked.models);
        swap(commands, &mut parked.commands);
        swap(wanted_agent, &mut parked.wanted_agent);
        swap(wanted_model, &mut parked.wanted_model);
        swap(questions, &mut parked.questions);
        swap(put_off, &mut parked.put_off);
        swap(dialog, &mut parked.dialog);
        swap(forms, &mut parked.forms);
        swap(focus, &mut parked.focus);
        swap(search, &mut parked.search);
        swap(hooks, &mut parked.hooks);
        swap(esc, &mut parked.esc);
        swap(remark, &mut parked.remark);
        swap(mode_rests, &mut parked.mode_rests);
        swap(typed, &mut parked.typed);
        swap(draft, &mut parked.draft);
    }
}
