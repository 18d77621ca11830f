//! Queries beside the conversation: asked here, told when the answer comes back.
//!
//! A number means the list that was told last, whatever has changed since.

use std::sync::Arc;

use super::{Effect, ReaderSession, undo};
use crate::conversation::SessionId;
use crate::screen_reader::host_requests::{HostReport, HostRequest, PageQuery};
use crate::screen_reader::pages::sessions::{SessionMatch, SessionSearch};
use crate::screen_reader::pages::{changes, context, costs, export, grants, sessions, status};
use crate::session::host::{SessionTarget, TreeChanges};
use crate::session::query::{Answer, ChangeScope, Changes, ExportOutcome, ExportRequest};
use crate::session::undo::UndoList;
use crate::session::{Grant, Op, QueuedKind, ReadOnlyReason};

/// The lists that were told last.
#[derive(Default)]
pub(super) struct ListedState {
    sessions: Vec<SessionId>,
    changes: Option<Changes>,
    /// The changes in the work tree that was told last.
    pub(super) tree: Option<TreeChanges>,
    /// What an undo or a redo would do, as it was told last.
    pub(super) undo: Option<UndoList>,
    grants: Vec<Grant>,
    /// The purpose that the rules were asked for.
    rules_for: Option<RulesFor>,
    /// Existing file that an export may replace.
    existing: Option<ExportRequest>,
}

/// The rules come as an event, which others may have asked for as well.
enum RulesFor {
    List,
    /// To say that this one is gone.
    Revoked(Grant),
}

impl ListedState {
    /// An answer may have been missed.
    pub(super) fn catch_up(&mut self) {
        self.rules_for = None;
    }
}

impl ReaderSession {
    pub(super) fn begin(&mut self, host_request: HostRequest) {
        self.effects.push(Effect::Begin(host_request));
    }

    pub(super) fn look_at_context(&mut self, given: &str) {
        match given {
            "" | "all" => self.begin(HostRequest::Look(PageQuery::Context { each: given == "all" })),
            _ => self.say("/context takes only all."),
        }
    }

    pub(super) fn look_at_costs(&mut self) {
        self.begin(HostRequest::Look(PageQuery::Costs));
    }

    pub(super) fn look_at_status(&mut self, given: &str) {
        self.say_status();
        match given {
            "" => self.say("/status all shows the rest."),
            _ => self.begin(HostRequest::Look(PageQuery::Status)),
        }
    }

    pub(super) fn look_at_changes(&mut self, given: &str) {
        if let Some(number) = number(given) {
            return self.say_changed_file(number);
        }
        let scope = match given {
            "" => Some(ChangeScope::Session),
            word => changes::scope(word),
        };
        match scope {
            Some(scope) => self.begin(HostRequest::Look(PageQuery::Changes(scope))),
            None => self.say("/diff takes session, turn or tree, or the number of a listed file."),
        }
    }

    fn say_changed_file(&mut self, number: usize) {
        let files = self.listed.changes.iter().flat_map(|changes| &changes.files);
        match files.into_iter().nth(number - 1).map(changes::file) {
            Some(lines) => self.output.lines(&lines),
            None => self.say(&format!(
                "There is no file {number} in the list; /diff lists the files."
            )),
        }
    }

    pub(super) fn export(&mut self, given: &str) {
        let keep = match (given, &self.listed.existing) {
            ("replace", Some(existing)) => ExportRequest {
                replace: true,
                ..existing.clone()
            },
            (given, _) => export::keep(given, &self.info.title),
        };
        self.begin(HostRequest::Look(PageQuery::Export(keep)));
    }

    pub(super) fn list_rules(&mut self) {
        self.listed.rules_for = Some(RulesFor::List);
        self.send(Op::ListGrants);
    }

    pub(super) fn revoke(&mut self, given: &str) {
        let number = number(given);
        let Some(grant) = number.and_then(|number| self.listed.grants.get(number - 1)) else {
            return self.say("Write a number from /permissions after /revoke.");
        };
        let grant = grant.clone();
        self.send(Op::RevokeGrant(grant.id));
        self.listed.rules_for = Some(RulesFor::Revoked(grant));
    }

    pub(super) fn rules(&mut self, rules: &Arc<Vec<Grant>>) {
        match self.listed.rules_for.take() {
            None => return,
            Some(RulesFor::List) => {
                self.listed.grants = rules.iter().rev().cloned().collect();
                let lines = grants::lines(&self.listed.grants, &self.info.id, &self.zone);
                self.output.lines(&lines);
            }
            Some(RulesFor::Revoked(grant)) if rules.iter().all(|rule| rule.id != grant.id) => {
                self.say(&format!("Revoked: {}.", grants::named(&grant)));
            }
            // Why it stays is told as a note.
            Some(RulesFor::Revoked(_)) => {}
        }
        self.prompt();
    }

    pub(super) fn look_for_sessions(&mut self, given: &str) {
        let Some(number) = number(given) else {
            return self.begin(HostRequest::Find(SessionSearch::read(given)));
        };
        match self.listed.sessions.get(number - 1) {
            None => self.say(&format!(
                "There is no session {number} in the list; /sessions lists them."
            )),
            Some(id) if *id == self.tree.root => self.say("You are in that session."),
            Some(id) => self.go_to(SessionTarget::Session(id.clone())),
        }
    }

    /// Without a name it is the directory that lathe was started in, for a session whose own is gone.
    pub(super) fn change_directory(&mut self, named: &str) {
        let is_gone = matches!(self.info.read_only, Some(ReadOnlyReason::DirectoryGone(_)));
        match named.trim() {
            "" if !is_gone => self.say("Name the directory: /cd DIR has this session go on there."),
            "" => self.go_to(SessionTarget::Moved(
                self.tree.root.clone(),
                self.info.directory.clone(),
            )),
            named => self.go_to(SessionTarget::Moved(self.tree.root.clone(), named.into())),
        }
    }

    /// Leaves this session for another one, where nothing is lost by that.
    pub(super) fn go_to(&mut self, wanted: SessionTarget) {
        if self.tree.front.is_some() {
            return self.say("You are in a task. /back returns to the main conversation; try again there.");
        }
        if !self.runs_something() && self.has_active_tasks() {
            return self.say(
                "Tasks are running here and end with this session. Wait for them, or stop them with /stop all, \
                and try again.",
            );
        }
        if self.runs_something() || !self.asks.is_empty() {
            return self
                .say("Something is running here. Wait for it to end, or stop it with /stop, and try again.");
        }
        if self.queue.iter().any(|waiting| waiting.kind == QueuedKind::Held) {
            return self.say("A message is held here. Send it with /send, and try again.");
        }
        self.is_moving = true;
        self.begin(HostRequest::Open(wanted));
    }

    /// Takes what was looked up. A session that was opened is for whoever speaks with it.
    pub(in crate::screen_reader) fn take_report(&mut self, report: HostReport) {
        match report {
            HostReport::Looked(page, answer) => self.say_page(&page, answer),
            HostReport::Found(sought, Ok(found)) => self.say_sessions(&sought, &found),
            HostReport::Found(_, Err(report)) => self.say(&format!("Error: {}", report.sentence())),
            HostReport::Tree(answer) => self.say_tree(answer),
            HostReport::NotOpened(report) => {
                self.is_moving = false;
                self.say(&format!("The session was not opened: {}", report.sentence()));
            }
            HostReport::NotEntered(report) => {
                self.is_moving = false;
                self.say(&format!("The task was not opened: {}", report.sentence()));
            }
            HostReport::Lost => {
                self.is_moving = false;
                self.say("That information could not be read; the log in the state directory may say why.");
            }
        }
        self.prompt();
    }

    fn say_page(&mut self, page: &PageQuery, answer: Answer) {
        let lines = match (page, answer) {
            (PageQuery::Context { each }, Answer::Context(used)) => context::lines(&used, *each),
            (_, Answer::Costs(costs)) => costs::lines(&costs),
            (_, Answer::Status(groups)) => status::lines(&groups),
            (_, Answer::Changes(changes)) => {
                let lines = changes::list(&changes);
                self.listed.changes = Some(changes);
                lines
            }
            (PageQuery::Export(keep), Answer::Kept(kept)) => {
                let is_there = matches!(kept, ExportOutcome::Exists(_));
                self.listed.existing = is_there.then(|| keep.clone());
                vec![export::line(&kept)]
            }
            (_, Answer::UndoList(list)) => self.undo_lines(*list),
            (_, Answer::Undone(outcome)) => vec![undo::done(outcome)],
            (_, Answer::Failed(sentence)) => vec![sentence],
            // No page asks for these.
            (
                _,
                Answer::Context(_)
                | Answer::Kept(_)
                | Answer::Reverted(_)
                | Answer::Export(_)
                | Answer::Fits(_)
                | Answer::Unfit(_)
                | Answer::Card(_)
                | Answer::Terminal(_)
                | Answer::TerminalHistory(_)
                | Answer::AtWork { .. },
            ) => Vec::new(),
        };
        self.output.lines(&lines);
    }

    fn say_sessions(&mut self, sought: &SessionSearch, found: &[SessionMatch]) {
        let ids = found.iter().map(|found| found.session.row.id.clone());
        self.listed.sessions = ids.collect();
        let lines = sessions::lines(found, sought, &self.tree.root);
        self.output.lines(&lines);
    }
}

/// Reads a number of a list.
pub(super) fn number(given: &str) -> Option<usize> {
    given.parse().ok().filter(|number| *number > 0)
}
