//! Spending: in this session by model and agent, in its last turn, and today.

use std::path::PathBuf;

use jiff::Zoned;
use serde::{Deserialize, Serialize};

use super::Answer;
use crate::conversation::{SessionId, Usage};
use crate::store::{Spender, Spending, Store, StoreError};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// Of the session and the agents below it, by model and agent.
    pub session: Vec<Spending>,
    /// Since the last turn began; `None` before the first one since the session was opened.
    pub turn: Option<Vec<Spending>>,
    /// Since midnight, in all sessions of the project.
    pub project_today: Vec<Spending>,
    /// Since midnight, everywhere.
    pub today: Vec<Spending>,
    /// Tokens that are in the session's sums only: they were spent before single requests were kept.
    pub earlier: Usage,
}

/// Stored requests that costs are computed from.
pub(in crate::session) struct CostQuery {
    pub(in crate::session) store: Store,
    pub(in crate::session) session: SessionId,
    pub(in crate::session) project: PathBuf,
    /// When the last turn began.
    pub(in crate::session) turn: Option<i64>,
}

impl CostQuery {
    pub(in crate::session) fn read(&self) -> Answer {
        match self.costs() {
            Ok(costs) => Answer::Costs(costs),
            Err(error) => Answer::Failed(format!("The cost could not be read: {error}.")),
        }
    }

    fn costs(&self) -> Result<Costs, StoreError> {
        let Self {
            store,
            session,
            project,
            turn,
        } = self;
        let own = store.spending(Spender::Session(session), 0)?;
        let midnight = midnight();
        let turn = turn.map(|since| store.spending(Spender::Session(session), since));
        Ok(Costs {
            earlier: store.get(session)?.map_or(Usage::default(), |row| {
                let mut kept = Usage::default();
                for spending in &own {
                    kept += spending.usage;
                }
                without(row.usage, kept)
            }),
            session: own,
            turn: turn.transpose()?,
            project_today: store.spending(Spender::Project(project), midnight)?,
            today: store.spending(Spender::Everybody, midnight)?,
        })
    }
}

fn midnight() -> i64 {
    let now = Zoned::now();
    let start = now.start_of_day().unwrap_or(now);
    start.timestamp().as_millisecond()
}

fn without(all: Usage, part: Usage) -> Usage {
    Usage {
        input: all.input.saturating_sub(part.input),
        output: all.output.saturating_sub(part.output),
        reasoning: all.reasoning.saturating_sub(part.reasoning),
        cache_read: all.cache_read.saturating_sub(part.cache_read),
        cache_write: all.cache_write.saturating_sub(part.cache_write),
    }
}
