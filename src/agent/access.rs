//! Tools and agents that an agent may use at most, whatever its files and rules say.
//!
//! The table is an upper bound: permissions and tool lists narrow it further. It holds when the tool list of a task is made
//! and when a call is executed. Agents that it does not name count as `build`.

/// A group of tools that the table lets an agent use or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    /// `background_task`, `background_output`, `background_cancel`.
    Background,
    Task,
    CallOmoAgent,
    LookAt,
    InteractiveBash,
    SlashCommand,
    Skill,
    SkillMcp,
}

impl Group {
    fn tools(self) -> &'static [&'static str] {
        match self {
            Self::Background => &["background_task", "background_output", "background_cancel"],
            Self::Task => &["task"],
            Self::CallOmoAgent => &["call_omo_agent"],
            Self::LookAt => &["look_at"],
            Self::InteractiveBash => &["interactive_bash"],
            Self::SlashCommand => &["slashcommand"],
            Self::Skill => &["skill"],
            Self::SkillMcp => &["skill_mcp"],
        }
    }
}

/// Returns the groups that an agent may not use. Language servers, syntax trees and search are open to all.
fn closed_groups(agent: &str) -> &'static [Group] {
    use Group::{Background, CallOmoAgent, InteractiveBash, LookAt, Skill, SkillMcp, SlashCommand, Task};
    match agent {
        "plan" => &[InteractiveBash, SlashCommand],
        "explore" | "librarian" => &[Task, CallOmoAgent, InteractiveBash, SlashCommand, SkillMcp],
        "multimodal-looker" => &[
            Background,
            Task,
            CallOmoAgent,
            LookAt,
            InteractiveBash,
            SlashCommand,
            Skill,
            SkillMcp,
        ],
        _ => &[],
    }
}

/// A task that an agent works on, as far as its access depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskOrigin<'a> {
    /// Name of the tool that started it.
    pub started_by: &'a str,
    /// True if it was asked for by a kind of work and not by an agent.
    pub has_category: bool,
    /// Tools that the configuration keeps for sessions of the person.
    pub primary_tools: &'a [String],
}

/// Tools that speak to the person or keep the person's list: sessions of tasks have none of them.
const NOT_IN_TASKS: [&str; 5] = ["todowrite", "todoread", "question", "plan_enter", "plan_exit"];

/// Returns the names of the tools that an agent may not use.
pub fn barred_tools(agent: &str, task: Option<TaskOrigin<'_>>) -> Vec<String> {
    let closed = closed_groups(agent).iter().copied();
    let mut barred: Vec<&str> = closed.flat_map(Group::tools).copied().collect();
    if agent == "plan" {
        // It is in plan mode already.
        barred.push("plan_enter");
    }
    if let Some(task) = task {
        barred.extend(NOT_IN_TASKS);
        barred.extend(task.primary_tools.iter().map(String::as_str));
        if task.started_by == "call_omo_agent" {
            barred.extend(["call_omo_agent", "task"]);
        }
        if task.has_category {
            barred.extend(["task", "background_task"]);
        }
    }
    barred.sort_unstable();
    barred.dedup();
    barred.into_iter().map(str::to_owned).collect()
}

/// Returns the tools that an agent without `task` is told of in its place.
pub fn tools_in_place(barred: &[String]) -> &'static [&'static str] {
    let is_barred = |tool: &str| barred.iter().any(|barred| barred == tool);
    if is_barred("task") && !is_barred("call_omo_agent") {
        &["call_omo_agent"]
    } else {
        &[]
    }
}

/// Returns the only agents that an agent may start by a tool; `None` where it may start any.
pub fn startable_agents(agent: &str, tool: &str) -> Option<&'static [&'static str]> {
    match (agent, tool) {
        (_, "call_omo_agent") => Some(&["explore", "librarian"]),
        ("plan", "task" | "background_task") => Some(&["explore", "librarian", "oracle"]),
        _ => None,
    }
}

/// Returns true if an agent may not start another one by a tool.
pub fn may_not_start(agent: &str, tool: &str, other: &str) -> bool {
    let searches = |name: &str| matches!(name, "explore" | "librarian");
    let only = startable_agents(agent, tool);
    let is_left_out = only.is_some_and(|only| !only.contains(&other));
    is_left_out || tool == "background_task" && searches(agent) && searches(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the documentation has it: `+` may be used, `-` may not. Columns: background, task, `call_omo_agent`, `look_at`,
    /// `interactive_bash`, `slashcommand`, `skill`, `skill_mcp`.
    const TABLE: &[(&str, &str)] = &[
        ("build", "++++++++"),
        ("plan", "++++--++"),
        ("oracle", "++++++++"),
        ("frontend-ui-ux-engineer", "++++++++"),
        ("document-writer", "++++++++"),
        ("explore", "+--+--+-"),
        ("librarian", "+--+--+-"),
        ("multimodal-looker", "--------"),
        ("general", "++++++++"),
        ("one-of-the-users", "++++++++"),
    ];

    const GROUPS: [Group; 8] = [
        Group::Background,
        Group::Task,
        Group::CallOmoAgent,
        Group::LookAt,
        Group::InteractiveBash,
        Group::SlashCommand,
        Group::Skill,
        Group::SkillMcp,
    ];

    #[test]
    fn an_agent_may_use_what_the_table_gives_it() {
        for (agent, row) in TABLE {
            let barred = barred_tools(agent, None);
            for (group, sign) in GROUPS.into_iter().zip(row.chars()) {
                for tool in group.tools() {
                    assert_eq!(
                        !barred.iter().any(|barred| barred == tool),
                        sign == '+',
                        "{agent} {tool}"
                    );
                }
            }
            for open in [
                "grep",
                "glob",
                "list",
                "lsp",
                "lsp_hover",
                "ast_grep_search",
                "ast_grep_replace",
            ] {
                assert!(!barred.iter().any(|barred| barred == open), "{agent} {open}");
            }
        }
    }

    #[test]
    fn a_task_has_no_tools_that_speak_to_the_person_and_does_not_recurse() {
        let task = |started_by, has_category| TaskOrigin {
            started_by,
            has_category,
            primary_tools: &[],
        };
        let of = |agent, task| barred_tools(agent, Some(task));
        let has = |list: &[String], tool: &str| list.iter().any(|barred| barred == tool);
        let plain = of("general", task("task", false));
        assert!(NOT_IN_TASKS.iter().all(|tool| has(&plain, tool)));
        assert!(!has(&plain, "task"));
        assert!(has(&of("general", task("task", true)), "task"));
        let asked = of("librarian", task("call_omo_agent", false));
        assert!(has(&asked, "task") && has(&asked, "call_omo_agent"));
        let own = ["bash".to_owned()];
        let kept = TaskOrigin {
            primary_tools: &own,
            ..task("task", false)
        };
        assert!(has(&of("general", kept), "bash"));
    }

    #[test]
    fn an_agent_starts_only_whom_the_table_names() {
        for (agent, tool, other, may) in [
            ("build", "task", "general", true),
            ("build", "call_omo_agent", "oracle", false),
            ("build", "call_omo_agent", "explore", true),
            ("plan", "task", "oracle", true),
            ("plan", "task", "general", false),
            ("plan", "background_task", "general", false),
            ("explore", "background_task", "librarian", false),
            ("librarian", "background_task", "explore", false),
            ("oracle", "background_task", "explore", true),
        ] {
            assert_eq!(!may_not_start(agent, tool, other), may, "{agent} {tool} {other}");
        }
    }

    #[test]
    fn who_has_no_task_is_told_of_the_tool_beside_it() {
        let category = TaskOrigin {
            started_by: "task",
            has_category: true,
            primary_tools: &[],
        };
        let shown = |agent, task| tools_in_place(&barred_tools(agent, task));
        assert_eq!(shown("general", Some(category)), ["call_omo_agent"]);
        assert!(shown("build", None).is_empty());
        assert!(shown("explore", None).is_empty());
    }
}
