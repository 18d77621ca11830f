//! The permission gate between the asks of a call and its execution: rules first, then the person.
//!
//! One for each session. It holds the session's rules as they now are and its mode, and puts its questions into the queue
//! of the tree; a grant is stored here, and those of the session's questions that wait are judged again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

use super::sandbox::expected;
use super::{Gates, ToolCx, ToolError};
use crate::conversation::{ErrorKind, SessionId};
use crate::files::Resolved;
use crate::permission::{
    Action, Ask, Decision, Denial, Editable, Fit, Inquiry, InquiryRow, Mode, OpenAsk, PermissionKey,
    PermissionReply, Permissions, ReadGate, Rule, Scope, Source, decide, grants, protected_subject,
};
use crate::question::{self, NewQuestion, QuestionId, QuestionKind, Questions, Reply};
use crate::store::{Grant, GrantScope, Store, StoreError};
use crate::tool::DynTool;
use crate::view::card::Card;

/// One session's permissions and mode.
pub struct Gate {
    rules: Mutex<GateRules>,
    questions: Questions,
    store: Store,
    owner: GateOwner,
    /// Those of the session that started this one.
    above: Option<Arc<Gate>>,
    /// Those of the whole tree, which have grants and the mode in common.
    tree: Arc<Gates>,
}

struct GateRules {
    permissions: Arc<Permissions>,
    mode: Mode,
    /// The families of tools that have asked, for judging their questions again.
    families: HashMap<String, PermissionKey>,
}

/// Tool that asks. A tool's own name is a key beside that of its family, and of no other: that `bash` asks is not said
/// of the files that a command reads.
#[derive(Debug, Clone, Copy)]
pub struct AskingTool<'a> {
    pub tool: &'a str,
    pub family: &'a PermissionKey,
}

impl<'a> AskingTool<'a> {
    pub fn of(tool: &'a dyn DynTool) -> Self {
        Self {
            tool: tool.name(),
            family: tool.family(),
        }
    }

    /// Judges all asks of one call, as [`decide`] does.
    fn decide(self, permissions: &Permissions, asks: &[Ask], mode: Mode) -> Decision {
        // Where the tool's own name is among the keys asked, its rules are about that subject and no other.
        let names_itself = asks.iter().any(|ask| ask.key.as_str() == self.tool);
        let (mut open, mut answered) = (Vec::new(), Vec::new());
        for ask in asks {
            let name = if ask.key == *self.family && !names_itself {
                self.tool
            } else {
                ask.key.as_str()
            };
            match decide(permissions, std::slice::from_ref(ask), name, mode) {
                Decision::Allow => {}
                Decision::AllowByMode(settled) => answered.extend(settled),
                Decision::Ask(unsettled) => open.extend(unsettled),
                Decision::Deny(denial) => return Decision::Deny(denial),
            }
        }
        Decision::of(open, answered)
    }
}

/// Answerer of the asks that the rules leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answerer {
    Person,
    /// A hook has said yes, for this once.
    Hook,
}

/// The view that a person gets of a call that asks.
pub(super) struct CallForReview {
    pub(super) card: Card,
    /// The directory of the command that the call runs, where it runs one.
    pub(super) runs_in: Option<PathBuf>,
    /// The part that may be edited, and the check of an edited one.
    pub(super) editable: Option<(Editable, Arc<Fit>)>,
}

/// Outcome of the permission gate for a call.
#[derive(Debug, PartialEq)]
pub(super) enum GateOutcome {
    Allowed,
    /// Not yet: a person gave it other arguments.
    Revised(Map<String, Value>),
}

/// Session and directories that a gate's grants are stored for.
pub struct GateOwner {
    pub session: SessionId,
    /// The root of its tree, for which grants of a session count.
    pub root: SessionId,
    pub project: PathBuf,
    pub home: Option<PathBuf>,
}

/// Why an answer did not count.
#[derive(Debug, thiserror::Error)]
pub enum GateAnswerError {
    #[error(transparent)]
    Late(#[from] question::AnswerError),
    /// Its rules and grants are another gate's.
    #[error("this question belongs to session {0}; answer it there")]
    OtherSession(SessionId),
    #[error("nothing was stored: {0}")]
    Floored(#[from] crate::permission::FloorError),
    #[error("the answer applies to this call, but it could not be stored: {0}")]
    Store(#[from] StoreError),
}

impl Gate {
    /// Makes the gate of a session; `tree` knows it from now on. `above` is the gate of the session that started it.
    pub fn new(
        permissions: Permissions,
        mode: Mode,
        (questions, store): (Questions, Store),
        owner: GateOwner,
        above: Option<Arc<Self>>,
        tree: &Arc<Gates>,
    ) -> Arc<Self> {
        let rules = Mutex::new(GateRules {
            permissions: Arc::new(permissions),
            mode,
            families: HashMap::new(),
        });
        let gate = Arc::new(Self {
            rules,
            questions,
            store,
            owner,
            above,
            tree: Arc::clone(tree),
        });
        tree.add(&gate);
        gate
    }

    pub(super) fn session(&self) -> &SessionId {
        &self.owner.session
    }

    fn rules(&self) -> MutexGuard<'_, GateRules> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn current(&self) -> (Arc<Permissions>, Mode) {
        let above = self.above.as_ref().map(|above| above.permissions());
        let mut rules = self.rules();
        let is_same = match (&rules.permissions.above, &above) {
            (Some(known), Some(above)) => Arc::ptr_eq(known, above),
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            Arc::make_mut(&mut rules.permissions).above = above;
        }
        (Arc::clone(&rules.permissions), rules.mode)
    }

    pub fn mode(&self) -> Mode {
        self.rules().mode
    }

    /// The gate that says which of the files that lathe opens for itself a model may see.
    pub fn readable(&self) -> ReadGate {
        ReadGate::new(self.current().0, self.owner.project.clone())
    }

    /// The rules as they now are.
    pub fn permissions(&self) -> Arc<Permissions> {
        self.current().0
    }

    /// Lets the asks of one call through, or says why not, with whatever would be asked answered by `by`. `shown` is
    /// made when somebody is to see it.
    pub(super) async fn pass_by(
        &self,
        by: Answerer,
        cx: &ToolCx,
        asker: AskingTool<'_>,
        asks: &[Ask],
        shown: impl FnOnce() -> CallForReview + Send,
    ) -> Result<GateOutcome, ToolError> {
        let (permissions, mode) = self.current();
        let tool = asker.tool;
        let open = match asker.decide(&permissions, asks, mode) {
            Decision::Allow => return Ok(GateOutcome::Allowed),
            Decision::AllowByMode(answered) => {
                self.report_allowed(cx, inquiry(cx, tool, answered, shown()));
                return Ok(GateOutcome::Allowed);
            }
            Decision::Deny(denial) => return Err(denied(&denial)),
            Decision::Ask(open) if by == Answerer::Hook => {
                self.report_allowed(cx, inquiry(cx, tool, open, shown()));
                return Ok(GateOutcome::Allowed);
            }
            Decision::Ask(open) => open,
        };
        self.rules()
            .families
            .insert(tool.to_owned(), asker.family.clone());
        let first = open.first().map(Denial::nobody);
        let shown = shown();
        let fit = shown.editable.as_ref().map(|(_, fit)| Arc::clone(fit));
        let asking = NewQuestion {
            fit,
            ..cx.new_question(permission(inquiry(cx, tool, open, shown)))
        };
        let Reply::Permission(reply) = self.questions.ask(asking, &cx.cancel).await else {
            // The queue settles a question for permission by nothing else.
            return Err(ToolError::not_executed());
        };
        match reply {
            // The rules or the mode may have become others while it waited.
            PermissionReply::Once | PermissionReply::Always { .. } => {
                self.refuse_denied(asker, asks)?;
                Ok(GateOutcome::Allowed)
            }
            PermissionReply::Revised(args) => Ok(GateOutcome::Revised(args)),
            PermissionReply::Nobody => Err(first.map_or_else(rejected, |denial| denied(&denial))),
            PermissionReply::Withdrawn => Err(ToolError::not_executed()),
            PermissionReply::Reject(None) => Err(rejected()),
            PermissionReply::Reject(Some(message)) => Err(ToolError::new(
                ErrorKind::Rejected,
                format!("the user refused this call and says: {message}"),
            )
            .extra(serde_json::json!({ "message": message }))),
        }
    }

    /// Tells of what was allowed without a person.
    fn report_allowed(&self, cx: &ToolCx, inquiry: Inquiry) {
        let reply = Reply::Permission(PermissionReply::Once);
        self.questions
            .report_settled(cx.new_question(permission(inquiry)), reply);
    }

    /// Returns true if all of these may be without anybody being asked.
    pub fn allows(&self, asker: AskingTool<'_>, asks: &[Ask]) -> bool {
        let (permissions, mode) = self.current();
        matches!(
            asker.decide(&permissions, asks, mode),
            Decision::Allow | Decision::AllowByMode(_)
        )
    }

    /// Says that a rule denies one of these, if one does. Nothing is asked.
    pub fn refuse_denied(&self, asker: AskingTool<'_>, asks: &[Ask]) -> Result<(), ToolError> {
        let (permissions, mode) = self.current();
        match asker.decide(&permissions, asks, mode) {
            Decision::Deny(denial) => Err(denied(&denial)),
            Decision::Allow | Decision::AllowByMode(_) | Decision::Ask(_) => Ok(()),
        }
    }

    /// Looks at arguments that a person wrote in a question: [`Questions::fit`].
    pub fn fit(&self, id: QuestionId, args: Map<String, Value>) -> Result<Map<String, Value>, String> {
        self.questions.fit(id, args)
    }

    /// Takes a person's answer. An `always` is stored first, so that it outlives a crash; one that comes too late
    /// stores nothing.
    pub fn answer(&self, id: QuestionId, reply: Reply) -> Result<(), GateAnswerError> {
        let waiting = self.questions.waiting();
        let question = waiting.iter().find(|question| question.id == id);
        let question = question.ok_or(question::AnswerError::Settled)?;
        if question.session != self.owner.session {
            return Err(GateAnswerError::OtherSession(question.session.clone()));
        }
        let Reply::Permission(PermissionReply::Always { patterns, scope }) = &reply else {
            return Ok(self.questions.answer(id, reply)?);
        };
        let Some(inquiry) = question.permission() else {
            return Err(question::AnswerError::OtherKind.into());
        };
        let mut rules = grants(patterns, *scope, self.owner.home.as_deref())?;
        for rule in &mut rules {
            // What is typed is granted for the programs that it was about, while this session is open.
            let row = inquiry
                .about
                .rows
                .iter()
                .find(|row| row.key().as_str() == rule.key);
            rule.bound_to = row.and_then(|row| row.ask.subject.bound_to.clone());
        }
        let stored = self.keep(patterns, *scope);
        self.add_grants(&rules);
        self.questions.answer_and_judge(id, reply, self.judge(|_| None))?;
        self.tree.others(self).iter().for_each(|other| other.rejudge());
        Ok(stored?)
    }

    /// Returns true if a stored rule allows every edit in the project.
    pub fn allows_every_edit(&self) -> bool {
        let permissions = self.permissions();
        let mut edits = permissions
            .grants
            .iter()
            .filter(|rule| rule.key == PermissionKey::EDIT.as_str());
        edits.any(|rule| rule.pattern.is_everything())
    }

    /// Every rule that was stored by an answer, wherever it counts.
    pub fn stored(&self) -> Result<Vec<Grant>, StoreError> {
        self.store.grants()
    }

    /// Takes a stored rule back, at once also for this session; says whether there was one.
    pub fn revoke(&self, id: i64) -> Result<bool, StoreError> {
        let Some(grant) = self.stored()?.into_iter().find(|grant| grant.id == id) else {
            return Ok(false);
        };
        let is_gone = self.store.revoke_grant(id)?;
        let scope = match &grant.scope {
            GrantScope::Session(session) if *session == self.owner.root => Scope::Session,
            GrantScope::Project(project) if *project == self.owner.project => Scope::Project,
            GrantScope::Global => Scope::Everywhere,
            GrantScope::Session(_) | GrantScope::Project(_) => return Ok(is_gone),
        };
        let source = Source::Grant(scope);
        let revoked = Rule::new(
            grant.key.as_str(),
            &grant.pattern,
            Action::Allow,
            source,
            self.owner.home.as_deref(),
        );
        for gate in self.tree.all() {
            let mut rules = gate.rules();
            let permissions = Arc::make_mut(&mut rules.permissions);
            let is_revoked = |rule: &Rule| rule.clone().given_for(None) == revoked;
            permissions.grants.remove(is_revoked);
        }
        Ok(is_gone)
    }

    fn keep(&self, patterns: &[(PermissionKey, String)], scope: Scope) -> Result<(), StoreError> {
        let scope = match scope {
            Scope::Session => GrantScope::Session(self.owner.root.clone()),
            Scope::Project => GrantScope::Project(self.owner.project.clone()),
            Scope::Everywhere => GrantScope::Global,
        };
        for (key, pattern) in patterns {
            self.store.add_grant(key, pattern, &scope, &self.owner.session)?;
        }
        Ok(())
    }

    /// Stores grants, which count in the whole tree.
    fn add_grants(&self, granted: &[Rule]) {
        for gate in self.tree.all() {
            let mut rules = gate.rules();
            let permissions = Arc::make_mut(&mut rules.permissions);
            permissions.grants.extend(granted.iter().cloned());
        }
    }

    /// Changes how asks are answered from now on. What waits stays until it is judged again.
    pub fn set_mode(&self, mode: Mode) {
        self.rules().mode = mode;
    }

    /// Puts the rules of another agent in the place of the ones before; what was granted stays granted.
    pub fn change_rules(&self, permissions: Permissions) {
        let mut rules = self.rules();
        let grants = rules.permissions.grants.clone();
        rules.permissions = Arc::new(Permissions {
            grants,
            ..permissions
        });
    }

    /// Settles what waits and is allowed by now.
    pub fn rejudge(&self) {
        self.rejudge_with(|_| None);
    }

    /// Settles what waits after the mode has changed. What `plan` forbids is refused; the model reads why.
    pub fn rejudge_by_mode(&self) {
        self.rejudge_with(|mode| {
            let reason = || "the permission mode is `plan` now: nothing is changed".to_owned();
            (mode == Mode::Plan).then(|| PermissionReply::Reject(Some(reason())))
        });
    }

    fn rejudge_with(&self, denied: impl Fn(Mode) -> Option<PermissionReply>) {
        self.questions.rejudge(&self.owner.session, self.judge(denied));
    }

    /// Returns what the rules and the mode say of a question now; `denied` says what becomes of one that they forbid.
    fn judge(
        &self,
        denied: impl Fn(Mode) -> Option<PermissionReply>,
    ) -> impl FnMut(&Inquiry) -> Option<PermissionReply> {
        let (permissions, mode) = self.current();
        let families = self.rules().families.clone();
        move |inquiry| {
            let asks: Vec<Ask> = inquiry.rows.iter().map(|row| row.ask.clone()).collect();
            let tool = inquiry.tool.as_str();
            let own = PermissionKey::named(tool);
            let family = families.get(tool).unwrap_or(&own);
            match (AskingTool { tool, family }).decide(&permissions, &asks, mode) {
                Decision::Allow | Decision::AllowByMode(_) => Some(PermissionReply::Once),
                Decision::Ask(_) => None,
                Decision::Deny(_) => denied(mode),
            }
        }
    }

    /// Returns the ask of a writer for a name that leads to the path which is written.
    #[allow(clippy::unused_self)] // Like `protected`, of which it is a part.
    pub(in crate::tool) fn protected_name(&self, name: &Path, project: &Path) -> Ask {
        let below = name.strip_prefix(project).ok();
        protected_ask(name, below.and_then(Path::to_str))
    }

    /// Returns the asks of a writer for a path beside `edit`.
    pub fn protected(&self, path: &Resolved) -> Vec<Ask> {
        let relative = path.inside.then_some(path.display.as_str());
        let mut asks = vec![protected_ask(&path.absolute, relative)];
        if path.real != path.absolute {
            asks.push(protected_ask(&path.real, None));
        }
        asks
    }
}

fn protected_ask(absolute: &Path, relative: Option<&str>) -> Ask {
    let subject = protected_subject(absolute, relative);
    let pattern = subject.text.clone();
    Ask::new(PermissionKey::PROTECTED, subject).always(pattern)
}

fn permission(inquiry: Inquiry) -> QuestionKind {
    QuestionKind::Permission(Arc::new(inquiry))
}

fn inquiry(cx: &ToolCx, tool: &str, open: Vec<OpenAsk>, shown: CallForReview) -> Inquiry {
    let CallForReview {
        card,
        runs_in,
        editable,
    } = shown;
    let sandbox = runs_in
        .as_ref()
        .map(|_| expected(&cx.services, &cx.agent).name().into());
    let keys: Vec<&PermissionKey> = open.iter().map(|open| &open.ask.key).collect();
    Inquiry {
        tool: tool.to_owned(),
        delegated: cx.services.delegated.clone(),
        title: title(tool, &keys, &card, sandbox.is_some()),
        rows: open.into_iter().map(InquiryRow::from).collect(),
        card,
        directory: runs_in.unwrap_or_else(|| cx.directory().to_owned()),
        sandbox,
        editable: editable.map(|(editable, _)| editable),
    }
}

/// `bash wants to run`, `edit wants to change src/a.rs`.
fn title(tool: &str, keys: &[&PermissionKey], card: &Card, is_command: bool) -> String {
    let is = |key: PermissionKey| keys.contains(&&key);
    if is(PermissionKey::HOOK) {
        format!("a hook asks whether {tool} may continue")
    } else if is(PermissionKey::DOOM_LOOP) {
        format!("{tool} is called with the same arguments for the third time")
    } else if is_command || is(PermissionKey::BASH) {
        format!("{tool} wants to run")
    } else if is(PermissionKey::EDIT) || is(PermissionKey::PROTECTED) {
        format!("{tool} wants to change {}", card.argument)
    } else if is(PermissionKey::READ) {
        format!("{tool} wants to read {}", card.argument)
    } else if is(PermissionKey::EXTERNAL_DIRECTORY) {
        format!("{tool} wants to leave the project: {}", card.argument)
    } else {
        // A tool's own key says no more than its name.
        let mut others: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
        others.retain(|key| *key != tool);
        others.dedup();
        match others.as_slice() {
            [] => format!("{tool} wants to run"),
            others => format!("{tool} asks for {}", others.join(", ")),
        }
    }
}

fn denied(denial: &Denial) -> ToolError {
    let rule = denial.rule.as_ref();
    let written = |rule: &Rule| format!("{}: {} → {}", rule.key, rule.pattern, rule.action);
    ToolError::new(ErrorKind::Denied, denial.to_string()).extra(serde_json::json!({
        "key": denial.key,
        "pattern": denial.pattern,
        "rule": rule.map(written),
        "source": rule.map(|rule| rule.source.to_string()),
    }))
}

fn rejected() -> ToolError {
    ToolError::new(ErrorKind::Rejected, "the user refused this call")
}

#[cfg(test)]
mod tests;
