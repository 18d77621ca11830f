//! A tool call on screen, from the first byte of its arguments to its result.
//!
//! The call's own renderer makes the card; this file knows only how far the call has come. Adjacent reads share one
//! row from the moment they begin, so that nothing on screen closes up later: the first one leads, those after it are
//! absorbed, and one that needs a look of its own leaves the group.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::conversation::{
    CallId, CallResult, CallState, Json, Message, PartBody, SessionId, TaskRow, ToolPart,
};
use crate::question::QuestionId;
use crate::session::CallUpdate;
use crate::swap::Swappable;
use crate::text::partial_json::PartialJson;
use crate::tool::{BuiltinCards, DrawnArgs, RenderCx, ResultSource};
use crate::view::card::{Card, CardStatus};

use super::cards::CardSource;
use super::session_cards::SessionCards;

/// After this long a call says what it waits for.
const LONG: Duration = Duration::from_secs(2);
/// Maximum number of bytes that are kept of a running call's output. Cards show its end; the whole is in the result.
const LIVE_BYTES: usize = 64 * 1024;

pub(super) struct CallBlock {
    pub(super) id: CallId,
    /// The name as the model gave it, until the call was resolved.
    pub(super) tool: String,
    pub(super) state: CallState,
    pub(super) group: Group,
    /// Its arguments are being written.
    is_written: bool,
    raw_args: String,
    /// The arguments in `raw_args` so far, from when they are first drawn until they are there as a whole.
    partial: OnceLock<Box<PartialJson>>,
    args: Option<Json>,
    /// Open questions. A call may be asked about twice, once the arguments led to a second ask.
    questions: Vec<QuestionId>,
    /// A dialog shows it, so that its title is enough here.
    pub(super) is_in_dialog: bool,
    started: Option<Instant>,
    /// Since when it waits: for its turn, or for an answer.
    waits: Option<Instant>,
    /// The end of what it printed.
    live: String,
    details: Value,
    result: Option<Swappable<CallResult>>,
    /// The same with details of how the task stands now that it has started.
    followed: Option<Swappable<CallResult>>,
    stored: Option<StoredCall>,
    /// The calls inside it, which are its body on screen.
    pub(super) inner: Vec<CallBlock>,
    initiator: Initiator,
    /// Cards that only the session can draw, once one was asked for.
    session_cards: Option<Box<SessionCards>>,
    /// True if its card wants to be looked at; known once it was drawn.
    pub(super) wants_look: Option<bool>,
}

/// The reason why a call does not begin yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitsFor {
    Person,
    Turn,
}

/// Initiator of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Initiator {
    Model,
    Person,
}

/// The message that holds all of a call.
struct StoredCall {
    message: Arc<Message>,
    part: usize,
    /// Its place among the calls inside that part, where it is one of them.
    inner: Option<usize>,
}

/// Position of a call in a run of adjacent calls that share a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Group {
    /// On a row of its own; may yet lead.
    Alone,
    /// On a row of its own for good.
    Apart,
    /// Its row stands for these blocks too.
    Leads(Vec<usize>),
    /// Stands in the row of that block.
    Follows(usize),
}

impl Group {
    /// Returns the calls that share its row behind it.
    pub(super) fn members(&self) -> &[usize] {
        match self {
            Self::Leads(members) => members,
            Self::Alone | Self::Apart | Self::Follows(_) => &[],
        }
    }
}

impl CallBlock {
    /// Makes the block of a call whose arguments begin to stream.
    pub(super) fn streaming(part: &ToolPart) -> Self {
        Self {
            is_written: true,
            raw_args: part.raw_args.clone(),
            ..Self::of(part)
        }
    }

    /// Makes the block of a call that stands in a message.
    pub(super) fn stored(part: &ToolPart, message: &Arc<Message>, index: usize) -> Self {
        let stored = |inner| {
            Some(StoredCall {
                message: Arc::clone(message),
                part: index,
                inner,
            })
        };
        let inside = part.inner.iter().enumerate().map(|(number, part)| Self {
            stored: stored(Some(number)),
            ..Self::of(part)
        });
        Self {
            inner: inside.collect(),
            stored: stored(None),
            ..Self::of(part)
        }
    }

    /// Makes it one that the person gave.
    pub(super) fn of_person(self) -> Self {
        Self {
            initiator: Initiator::Person,
            ..self
        }
    }

    pub(super) fn is_of_person(&self) -> bool {
        self.initiator == Initiator::Person
    }

    fn of(part: &ToolPart) -> Self {
        Self::new(part.call.clone(), part.tool.clone(), part.state)
    }

    fn new(id: CallId, tool: String, state: CallState) -> Self {
        Self {
            id,
            tool,
            state,
            group: Group::Alone,
            is_written: false,
            raw_args: String::new(),
            partial: OnceLock::new(),
            args: None,
            questions: Vec::new(),
            is_in_dialog: false,
            started: None,
            waits: None,
            live: String::new(),
            details: Value::Null,
            result: None,
            stored: None,
            followed: None,
            inner: Vec::new(),
            initiator: Initiator::Model,
            session_cards: None,
            wants_look: None,
        }
    }

    pub(super) fn push_args(&mut self, delta: &str) {
        if let Some(part) = self.stored_part() {
            self.raw_args = part.raw_args.clone();
            self.stored = None;
        }
        self.raw_args.push_str(delta);
        if let Some(partial) = self.partial.get_mut() {
            partial.feed(delta);
        }
    }

    /// Takes the part as it was stored: what streamed may have been cut.
    pub(super) fn end_args(&mut self, part: &ToolPart) {
        self.is_written = false;
        if self.raw_args() != part.raw_args {
            self.raw_args.clone_from(&part.raw_args);
            self.partial = OnceLock::new();
            self.stored = None;
        }
        if part.args.is_some() {
            self.args.clone_from(&part.args);
        }
        if part.state.is_final() && !self.state.is_final() {
            self.state = part.state;
        }
    }

    pub(super) fn set_ready(&mut self, tool: &str, args: &Value) {
        tool.clone_into(&mut self.tool);
        self.args = Some(args.clone().into());
        self.partial = OnceLock::new();
        self.outdate_cards();
    }

    /// Takes the arguments that a person wrote in the question.
    pub(super) fn revise(&mut self, args: &Map<String, Value>) {
        let args = Value::Object(args.clone());
        self.raw_args = args.to_string();
        self.partial = OnceLock::new();
        self.stored = None;
        self.args = Some(args.into());
        self.outdate_cards();
    }

    /// Adds a call inside this one.
    pub(super) fn begin_inner(&mut self, call: &CallId, tool: &str, args: &Value) {
        if self.inner_mut(call).is_some() {
            return;
        }
        self.inner.push(Self {
            raw_args: args.to_string(),
            args: Some(args.clone().into()),
            ..Self::new(call.clone(), tool.to_owned(), CallState::Pending)
        });
    }

    pub(super) fn inner_mut(&mut self, call: &CallId) -> Option<&mut Self> {
        self.inner.iter_mut().find(|inner| inner.id == *call)
    }

    pub(super) fn run(&mut self, now: Instant) {
        if !self.state.is_final() {
            self.state = CallState::Running;
            self.started.get_or_insert(now);
        }
    }

    pub(super) fn update(&mut self, update: &CallUpdate) {
        if let Some(delta) = &update.delta {
            self.live.push_str(delta);
            self.cut_live();
        }
        if let Some(details) = &update.details {
            self.details = details.clone();
        }
    }

    /// Forgets the beginning of the output once there is twice as much as is kept, so that each byte is moved once.
    fn cut_live(&mut self) {
        if self.live.len() <= 2 * LIVE_BYTES {
            return;
        }
        let mut cut = self.live.len() - LIVE_BYTES;
        while !self.live.is_char_boundary(cut) {
            cut += 1;
        }
        let cut = self.live[cut..].find('\n').map_or(cut, |end| cut + end + 1);
        self.live.drain(..cut);
    }

    pub(super) fn end(&mut self, tool: &str, shared: &Swappable<CallResult>) {
        let result = shared.get();
        tool.clone_into(&mut self.tool);
        self.state = result.state();
        self.result = Some(shared.clone());
        self.live = String::new();
        self.details = Value::Null;
        self.questions.clear();
        self.outdate_cards();
    }

    pub(super) fn ask(&mut self, question: QuestionId) {
        if !self.state.is_final() && !self.questions.contains(&question) {
            self.questions.push(question);
        }
    }

    pub(super) fn settle(&mut self, question: QuestionId) {
        self.questions.retain(|open| *open != question);
    }

    /// It waits from now on for something else than before.
    pub(super) fn wait(&mut self, now: Instant) {
        self.waits = Some(now);
    }

    /// Returns since when it waits, whatever for.
    pub(super) fn waits_since(&self) -> Option<Instant> {
        self.waits
    }

    /// Returns what it waits for, and since when, once that is long.
    pub(super) fn waits(&self, now: Instant) -> Option<(WaitsFor, Duration)> {
        let waited = now.saturating_duration_since(self.waits?);
        let what = match self.state {
            _ if self.is_asking() => WaitsFor::Person,
            CallState::Pending => WaitsFor::Turn,
            _ => return None,
        };
        (waited >= LONG).then_some((what, waited))
    }

    /// Returns true if it waits for an answer, or all calls that go on inside it do.
    pub(super) fn is_asking(&self) -> bool {
        let waits_inside =
            || self.inner.iter().any(Self::is_asking) && !self.inner.iter().any(Self::is_running);
        !self.questions.is_empty() || waits_inside()
    }

    pub(super) fn is_running(&self) -> bool {
        self.state == CallState::Running && !self.is_asking()
    }

    /// Returns true while its arguments are being written.
    pub(super) fn is_written(&self) -> bool {
        self.is_written && self.state == CallState::Pending
    }

    pub(super) fn is_absorbed(&self) -> bool {
        matches!(self.group, Group::Follows(_))
    }

    /// Returns true if it can share a row: nothing about it needs a look.
    pub(super) fn is_plain(&self) -> bool {
        !self.is_asking()
            && matches!(
                self.state,
                CallState::Pending | CallState::Running | CallState::Done
            )
    }

    pub(super) fn status(&self, look: bool) -> CardStatus {
        match self.state {
            _ if self.is_asking() => CardStatus::Asking,
            CallState::Pending if self.is_written() => CardStatus::Running,
            CallState::Done if look => CardStatus::Look,
            state => state.into(),
        }
    }

    /// Returns how long it has run, or ran.
    pub(super) fn time(&self, now: Instant) -> Option<Duration> {
        if let Some(result) = self.result() {
            return Some(Duration::from_millis(result.duration_ms));
        }
        self.started
            .filter(|_| self.is_running())
            .map(|started| now.saturating_duration_since(started))
    }

    /// Returns its result, which may have to be read from a file: ask for it where the block is looked at, and not of all
    /// blocks.
    pub(super) fn result(&self) -> Option<Arc<CallResult>> {
        let shared = self.followed.as_ref().or_else(|| self.own_result())?;
        Some(shared.get())
    }

    fn own_result(&self) -> Option<&Swappable<CallResult>> {
        let stored = || self.stored_part()?.result.as_ref();
        self.result.as_ref().or_else(stored)
    }

    /// Returns true if its result is cut and a file has the whole.
    pub(super) fn has_kept_output(&self) -> bool {
        self.result().is_some_and(|result| result.output_path.is_some())
    }

    /// Returns the file with all of its output, where the result is cut and the whole was kept.
    pub(super) fn kept_output(&self) -> Option<String> {
        self.result()?.output_path.clone()
    }

    fn args(&self) -> Option<&Json> {
        self.args.as_ref().or_else(|| self.stored_part()?.args.as_ref())
    }

    /// Returns the arguments as far as they have come, and if they are whole.
    pub(super) fn arguments(&self) -> (Cow<'_, Value>, bool) {
        if let Some(args) = self.args() {
            return (args.value(), true);
        }
        let partial = self
            .partial
            .get_or_init(|| Box::new(PartialJson::of(self.raw_args())));
        (Cow::Borrowed(partial.value()), false)
    }

    fn raw_args(&self) -> &str {
        self.stored_part().map_or(&self.raw_args, |part| &part.raw_args)
    }

    fn stored_part(&self) -> Option<&ToolPart> {
        let StoredCall { message, part, inner } = self.stored.as_ref()?;
        match (&message.parts.get(*part)?.body, inner) {
            (PartBody::Tool(tool), None) => Some(tool),
            (PartBody::Tool(tool), Some(inner)) => tool.inner.get(*inner),
            _ => None,
        }
    }

    /// Returns true if the card has to be asked of the session, and notes that it is: the call's tool is not known here.
    pub(super) fn ask_card(&mut self, cards: &dyn CardSource, expanded: bool) -> bool {
        let is_foreign = self
            .args()
            .is_some_and(|args| !cards.draws(&self.tool, &args.value()));
        is_foreign && self.session_cards().ask(expanded)
    }

    pub(super) fn session_cards(&mut self) -> &mut SessionCards {
        self.session_cards.get_or_insert_default()
    }

    fn outdate_cards(&mut self) {
        if let Some(cards) = &mut self.session_cards {
            cards.outdate();
        }
    }

    /// Returns the card of the call as it is now, drawn by its tool or by the session.
    pub(super) fn card(&self, cards: &dyn CardSource, cx: RenderCx) -> Card {
        let drawn = self
            .session_cards
            .as_ref()
            .and_then(|cards| cards.get(cx.expanded));
        if let Some(card) = drawn.cloned() {
            return BuiltinCards::with_output(card, &self.live, cx);
        }
        // Hooks and the person may have changed what was run.
        let result = self.result();
        let ran = result
            .as_ref()
            .and_then(|result| result.details.fields::<RevisedCallDetails>()?.args);
        let args = ran.map(Cow::Owned).or_else(|| Some(self.args()?.value()));
        let args = match args.as_deref().filter(|args| args.is_object()) {
            Some(args) => DrawnArgs::whole(args),
            None => DrawnArgs::partial(
                self.partial
                    .get_or_init(|| Box::new(PartialJson::of(self.raw_args()))),
            ),
        };
        let result = match (result.as_deref(), self.state) {
            (Some(result), _) => Some(ResultSource::Ended(result)),
            (None, CallState::Running) if self.has_output() => Some(ResultSource::Running {
                text: &self.live,
                details: &self.details,
            }),
            _ => None,
        };
        cards.card(&self.tool, args, result, cx)
    }

    fn has_output(&self) -> bool {
        !self.live.is_empty() || !self.details.is_null()
    }

    /// Returns true if it failed, was stopped, waits for an answer or wants to be looked at.
    pub(super) fn is_problem(&self, cards: &dyn CardSource) -> bool {
        if self.is_asking() || self.inner.iter().any(Self::is_asking) {
            return true;
        }
        match self.state {
            CallState::Failed | CallState::Denied => true,
            CallState::Done => self
                .wants_look
                .unwrap_or_else(|| self.card(cards, RenderCx::FOLDED).look),
            _ => false,
        }
    }

    /// Takes in how a task stands that it has started; says whether that is so.
    pub(super) fn follow_task(&mut self, cards: &dyn CardSource, row: &TaskRow) -> bool {
        let Some(result) = self.own_result().map(Swappable::get) else {
            return false;
        };
        let Some(details) = cards.follow_task(&self.tool, &result.details, row) else {
            return false;
        };
        let details = details.into();
        let followed = CallResult {
            details,
            ..CallResult::clone(&result)
        };
        self.followed = Some(followed.into());
        true
    }

    /// Returns the session that it is about, or else the first call inside it that is about one.
    pub(super) fn session(&self, cards: &dyn CardSource) -> Option<SessionId> {
        let own = self.card(cards, RenderCx::FOLDED).session;
        own.or_else(|| self.inner.iter().find_map(|inner| inner.session(cards)))
    }

    /// Returns what the model read of it, or what there is before that.
    pub(super) fn source(&self) -> String {
        match self.result() {
            Some(result) => result.output.clone(),
            None if self.live.is_empty() => self.raw_args().to_owned(),
            None => self.live.clone(),
        }
    }
}

/// Details of a call that was changed before it ran.
#[derive(Deserialize)]
struct RevisedCallDetails {
    args: Option<Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part() -> ToolPart {
        ToolPart {
            call: CallId::new(),
            provider_id: None,
            tool: "bash".to_owned(),
            raw_args: String::new(),
            args: None,
            state: CallState::Pending,
            result: None,
            native: None,
            inner: Vec::new(),
        }
    }

    #[test]
    fn live_output_is_bounded_and_begins_at_a_line() {
        let mut call = CallBlock::streaming(&part());
        call.run(Instant::now());
        for line in 0..20_000 {
            let delta = Some(format!("line {line} ä\n"));
            call.update(&CallUpdate {
                delta,
                ..CallUpdate::default()
            });
        }
        let live = call.source();
        assert!(live.len() <= 2 * LIVE_BYTES + 16, "{}", live.len());
        assert!(live.starts_with("line ") && live.ends_with("line 19999 ä\n"));
    }

    #[test]
    fn a_call_is_drawn_by_its_final_arguments_and_before_by_what_has_come() {
        let registry = BuiltinCards::new();
        let cx = RenderCx::FOLDED;
        let argument = |call: &CallBlock| call.card(&registry, cx).argument;
        let mut call = CallBlock::streaming(&part());
        for (delta, shown) in [(r#"{"cmd": "#, ""), (r#""make"#, "make"), (r" te", "make te")] {
            call.push_args(delta);
            assert_eq!(argument(&call), shown);
        }
        let stored = ToolPart {
            raw_args: r#"{"cmd": "make test"}"#.to_owned(),
            ..part()
        };
        call.end_args(&stored);
        assert_eq!(argument(&call), "make test", "what streamed may have been cut");
        call.set_ready("bash", &serde_json::json!({ "command": "make all" }));
        assert_eq!(argument(&call), "make all");
    }

    #[test]
    fn arguments_that_are_no_json_are_drawn_as_far_as_they_can_be_read() {
        let raw = r#"{"command": "make", x"#;
        let mut call = CallBlock::streaming(&part());
        call.push_args(raw);
        call.set_ready("bash", &raw.into());
        let card = call.card(&BuiltinCards::new(), RenderCx::FOLDED);
        assert_eq!(card.argument, "make");
    }

    #[test]
    fn a_result_ends_questions_and_is_final() {
        let mut call = CallBlock::streaming(&part());
        call.end(
            "bash",
            &Swappable::new(CallResult::error(
                crate::conversation::ErrorKind::Rejected,
                "no",
                None,
            )),
        );
        call.run(Instant::now());
        assert_eq!(call.status(false), CardStatus::Denied);
        assert!(!call.is_asking() && !call.is_plain());
    }
}
