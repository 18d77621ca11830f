//! Agents that the session can go on as.

use ratatui::layout::Size;
use ratatui::text::Line;

use super::{List, OpeningKey};
use crate::session::AgentChoice;
use crate::tui::commands::LayerCommand;
use crate::tui::keymap::{Action, Context, KeyRow};
use crate::tui::layer::LayerRequest;
use crate::tui::picker::{ListContent, Preview, Row};
use crate::view::Look;
use crate::view::theme::Meaning;

pub(crate) static LIST: List = List {
    action: "open-agents",
    keys: &[OpeningKey {
        context: Context::Leader,
        row: KeyRow::new(&["a"], Action::OpenList(&LIST), "choose the agent").brief("agents"),
        after: Some(Action::CycleMode),
    }],
    command: Some(LayerCommand {
        name: "agent",
        also: &["agents"],
        about: "Picks the agent that continues the session. Text after the name filters the list.",
        after: "",
    }),
    verb: "use it",
    is_offered: |app| app.views.front.agents.len() > 1,
    content: |app| {
        Box::new(AgentRows {
            agents: app.views.front.agents.clone(),
            current: app.views.front.current_agent().to_owned(),
        })
    },
};

struct AgentRows {
    agents: Vec<AgentChoice>,
    /// The one that the next step belongs to.
    current: String,
}

impl ListContent for AgentRows {
    fn title(&self) -> &'static str {
        "Agents"
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

    fn pick(&mut self, row: usize) -> Option<LayerRequest> {
        let agent = self.agents.get(row)?;
        Some(LayerRequest::GoOnAs(agent.name.clone()))
    }

    fn preview(&self, row: usize, size: Size, look: Look<'_>) -> Vec<Line<'static>> {
        let agent = self.agents.get(row);
        agent.map_or_else(Vec::new, |agent| agent_lines(agent, size.width, look))
    }
}

/// Describes an agent, for an area of this width. Rules stand as they are written, the last that matches wins.
pub(crate) fn agent_lines(agent: &AgentChoice, columns: u16, look: Look<'_>) -> Vec<Line<'static>> {
    let model = agent.model.as_ref().map(ToString::to_string);
    let all = if agent.tools.is_empty() { "all" } else { "" };
    Preview::new(columns, look)
        .heading(&agent.name)
        .words(&agent.description, Meaning::TextMuted)
        .gap()
        .fact("model", model.as_deref().unwrap_or("the session's"))
        .fact("tools", all)
        .fact("tools off", &tools(agent, false))
        .fact("tools on", &tools(agent, true))
        .facts("rules", &agent.rules)
        .facts("defined", &agent.sources)
        .lines()
}

fn tools(agent: &AgentChoice, on: bool) -> String {
    let listed = agent.tools.iter().filter(|(_, is_on)| *is_on == on);
    let names: Vec<&str> = listed.map(|(name, _)| name.as_str()).collect();
    names.join(", ")
}
