//! `lathe agents`: who can work here, and where each came from.

use super::failure::Failure;
use super::output::{clean, print, print_note, titled_table};
use super::place::Locations;
use crate::project::agents::{Agent, AgentState, Agents};
use crate::session::wire;

/// The list goes to stdout; what could not be understood goes to stderr, with file and line.
pub(super) fn agents() -> Result<(), Failure> {
    let request = Locations::current()?.listing_request()?;
    let agents = wire::agents(&request);
    print(&list(&agents))?;
    for problem in agents.all_problems() {
        print_note(&problem.to_string());
    }
    Ok(())
}

fn list(agents: &Agents) -> String {
    let rows = agents.entries.iter().filter_map(|entry| match &entry.state {
        AgentState::Usable(agent) if agent.is_hidden => None,
        AgentState::Usable(agent) => Some(row(agent)),
        AgentState::Disabled(source) => Some(unusable(&entry.name, "disabled", &source.to_string())),
        AgentState::Broken(problem) => {
            let file = problem.file.display().to_string();
            Some(unusable(&entry.name, "broken", &file))
        }
    });
    titled_table(["NAME", "MODE", "MODEL", "SOURCE", "DESCRIPTION"], rows)
}

fn row(agent: &Agent) -> [String; 5] {
    let model = agent.model.as_ref().map(|model| clean(&model.to_string()));
    let sources: Vec<String> = agent.sources.iter().map(ToString::to_string).collect();
    [
        agent.name.clone(),
        agent.mode.name().to_owned(),
        model.unwrap_or_else(|| "-".to_owned()),
        clean(&sources.join(", ")),
        clean(agent.description.lines().next().unwrap_or_default()),
    ]
}

fn unusable(name: &str, state: &str, source: &str) -> [String; 5] {
    [
        name.to_owned(),
        state.to_owned(),
        "-".to_owned(),
        clean(source),
        String::new(),
    ]
}
