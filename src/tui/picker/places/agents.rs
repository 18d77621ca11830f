//! Agents that the session can go on as.

use super::{Place, Row, Wish};
use crate::session::AgentChoice;

pub(crate) struct AgentRows {
    agents: Vec<AgentChoice>,
    /// The one that the next step belongs to.
    current: String,
}

impl AgentRows {
    pub(crate) fn new(agents: Vec<AgentChoice>, current: String) -> Self {
        Self { agents, current }
    }
}

impl Place for AgentRows {
    fn title(&self) -> &'static str {
        "Agents"
    }

    fn verb(&self) -> &'static str {
        "go on as it"
    }

    fn rows(&self) -> Vec<Row> {
        let row = |agent: &AgentChoice| {
            let model = agent.model.as_ref().map(ToString::to_string);
            Row::new(&agent.name)
                .detail(&agent.description)
                .fact(&model.unwrap_or_default())
                .current_if(agent.name == self.current)
        };
        self.agents.iter().map(row).collect()
    }

    fn nothing(&self) -> &'static str {
        "No session is open."
    }

    fn pick(&mut self, row: usize) -> Option<Wish> {
        let agent = self.agents.get(row)?;
        Some(Wish::GoOnAs(agent.name.clone()))
    }
}
