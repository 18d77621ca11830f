//! The calls of a session, as they are named and told.

use std::collections::HashMap;

use serde_json::Value;

use super::card_text;
use crate::conversation::{CallId, CallResult, CallState, ToolPart};
use crate::swap::Swappable;
use crate::tool::{BuiltinCards, DrawnArgs, RenderCx, ResultSource};
use crate::view::card::Card;

/// Rows of a result that are told unasked.
const ROWS: usize = 12;

pub(super) struct Calls {
    cards: BuiltinCards,
    /// Calls that were announced and have not ended.
    known: HashMap<CallId, Call>,
    running: Vec<CallId>,
    newest: Option<(Call, Swappable<CallResult>)>,
}

/// The name and the data that a call is drawn by.
#[derive(Clone)]
struct Call {
    tool: String,
    args: Value,
    /// The session's own cards, where the tool is not known here.
    drawn: Option<Box<SessionCards>>,
}

/// Cards of a call as its session draws them.
#[derive(Clone)]
pub(super) struct SessionCards {
    pub(super) short: Card,
    pub(super) expanded: Card,
}

impl Call {
    fn recorded(part: &ToolPart) -> Self {
        Self {
            tool: part.tool.clone(),
            args: part.args.clone().unwrap_or_default().into_value(),
            drawn: None,
        }
    }
}

impl Calls {
    pub(super) fn new(cards: BuiltinCards) -> Self {
        Self {
            cards,
            known: HashMap::new(),
            running: Vec::new(),
            newest: None,
        }
    }

    pub(super) fn announce(&mut self, id: &CallId, tool: &str, args: Value) {
        let tool = tool.to_owned();
        let drawn = None;
        self.known.insert(id.clone(), Call { tool, args, drawn });
    }

    /// Returns true if only the session can draw a call that was announced.
    pub(super) fn is_foreign(&self, id: &CallId) -> bool {
        let call = self.known.get(id);
        call.is_some_and(|call| !self.cards.draws(&call.tool, &call.args))
    }

    /// Takes the session's cards of a call that was announced.
    pub(super) fn take_cards(&mut self, id: &CallId, cards: SessionCards) {
        if let Some(call) = self.known.get_mut(id) {
            call.drawn = Some(Box::new(cards));
        }
    }

    /// Returns how its beginning is told.
    pub(super) fn begin(&mut self, id: &CallId) -> Option<String> {
        let line = card_text::begins(&self.call_card(self.known.get(id)?));
        self.running.push(id.clone());
        Some(line)
    }

    /// Takes over a call that was announced, and may have begun, before anybody listened.
    pub(super) fn take_over(&mut self, part: &ToolPart) {
        let Call { tool, args, .. } = Call::recorded(part);
        self.announce(&part.call, &tool, args);
        if part.state == CallState::Running {
            self.running.push(part.call.clone());
        }
    }

    /// Returns a line about a call that ended before anybody listened.
    pub(super) fn recalled(&self, part: &ToolPart) -> String {
        let call = Call::recorded(part);
        match part.result() {
            Some(result) => card_text::ended(&self.result_card(&call, &result, false), result.state()),
            None => card_text::begins(&self.call_card(&call)),
        }
    }

    /// Returns how its end is told.
    pub(super) fn end(&mut self, id: &CallId, tool: &str, result: &Swappable<CallResult>) -> Vec<String> {
        self.running.retain(|running| running != id);
        let call = self.known.remove(id).unwrap_or_else(|| Call {
            tool: tool.to_owned(),
            args: Value::Null,
            drawn: None,
        });
        let lines = self.result_lines(&call, &result.get(), false);
        self.newest = Some((call, result.clone()));
        lines
    }

    /// Returns all of the one that ended last.
    pub(super) fn newest(&self) -> Option<Vec<String>> {
        let (call, result) = self.newest.as_ref()?;
        Some(self.result_lines(call, &result.get(), true))
    }

    pub(super) fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    pub(super) fn running(&self) -> impl Iterator<Item = String> {
        let calls = self.running.iter().filter_map(|id| self.known.get(id));
        calls.map(|call| card_text::begins(&self.call_card(call)))
    }

    /// None runs any more.
    pub(super) fn stop(&mut self) {
        self.running.clear();
    }

    fn result_lines(&self, call: &Call, result: &CallResult, expanded: bool) -> Vec<String> {
        let card = self.result_card(call, result, expanded);
        let rows = if expanded { usize::MAX } else { ROWS };
        let mut lines = vec![card_text::ended(&card, result.state())];
        lines.extend(card_text::body(&card, rows));
        if let (Some(why), Some(first)) = (card_text::why(result), lines.get_mut(1)) {
            card_text::push_reason(first, why);
        }
        lines
    }

    fn call_card(&self, call: &Call) -> Card {
        if let Some(drawn) = &call.drawn {
            return drawn.short.clone();
        }
        let cx = RenderCx::FOLDED;
        let args = DrawnArgs::whole(&call.args);
        self.cards.card(&call.tool, args, None, cx)
    }

    fn result_card(&self, call: &Call, result: &CallResult, expanded: bool) -> Card {
        if let Some(drawn) = &call.drawn {
            return if expanded { &drawn.expanded } else { &drawn.short }.clone();
        }
        let cx = RenderCx::new(expanded);
        let (args, ended) = (DrawnArgs::whole(&call.args), ResultSource::Ended(result));
        self.cards.card(&call.tool, args, Some(ended), cx)
    }
}
