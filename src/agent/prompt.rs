//! The system prompt: assembled once per session and agent and byte-stable from then on, so that caches hit.
//!
//! Facts that change later (the date, the branch) are told in messages, never here.

use std::path::Path;

/// The parts of a system prompt, as they were when the session began.
#[derive(Debug, Clone)]
pub struct PromptParts<'a> {
    pub directory: &'a Path,
    pub root: &'a Path,
    /// The branch, when the project is under git.
    pub branch: Option<&'a str>,
    pub platform: &'a str,
    /// ISO 8601, without a time.
    pub date: &'a str,
    /// Names of tools that exist and are not advertised.
    pub extended: &'a [&'a str],
    /// The agent's own instructions; may be empty.
    pub agent: &'a str,
    /// Instruction files with their paths, outermost first.
    pub instructions: &'a [(String, String)],
}

/// Returns the prompt of an agent.
pub fn assemble(parts: &PromptParts<'_>) -> String {
    let mut prompt = String::with_capacity(8 * 1024);
    prompt.push_str(include_str!("../../assets/prompts/base.md").trim());
    prompt.push_str("\n\n");
    prompt.push_str(include_str!("../../assets/prompts/tools.md").trim());
    if !parts.extended.is_empty() {
        prompt.push_str("\n- Also there, by name: ");
        prompt.push_str(&parts.extended.join(", "));
    }
    prompt.push_str("\n\n");
    prompt.push_str(&environment(parts));
    let agent = parts.agent.trim();
    if !agent.is_empty() {
        prompt.push_str("\n\n");
        prompt.push_str(agent);
    }
    for (path, text) in parts.instructions {
        prompt.push_str("\n\n# Instructions from ");
        prompt.push_str(path);
        prompt.push_str("\n\n");
        prompt.push_str(text.trim());
    }
    prompt.push('\n');
    prompt
}

/// A stretch of a prompt by what it is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section<'a> {
    /// Instructions for every agent.
    Base,
    /// How to use the tools.
    Tools,
    /// Place and date of the work.
    Environment,
    /// The agent's own instructions.
    Agent,
    /// Instructions from this file.
    Instructions(&'a str),
    /// Of a prompt that another version of lathe assembled.
    Other,
}

const INSTRUCTIONS: &str = "\n\n# Instructions from ";

/// Parts a prompt that [`assemble`] made into its sections, in order. Together they are the whole prompt.
pub fn sections(prompt: &str) -> Vec<(Section<'_>, &str)> {
    let (head, instructions) = prompt.split_at(prompt.find(INSTRUCTIONS).unwrap_or(prompt.len()));
    let mut sections = head_sections(head);
    let mut rest = instructions;
    while !rest.is_empty() {
        let next = rest[INSTRUCTIONS.len()..].find(INSTRUCTIONS);
        let end = next.map_or(rest.len(), |next| next + INSTRUCTIONS.len());
        let file = rest[INSTRUCTIONS.len()..end].lines().next().unwrap_or_default();
        sections.push((Section::Instructions(file), &rest[..end]));
        rest = &rest[end..];
    }
    sections
}

fn head_sections(head: &str) -> Vec<(Section<'_>, &str)> {
    let base = include_str!("../../assets/prompts/base.md").trim();
    let first_line = |text: &'static str| text.trim().lines().next().unwrap_or_default();
    let tools = first_line(include_str!("../../assets/prompts/tools.md"));
    let environment = first_line(include_str!("../../assets/prompts/environment.md"));
    let at = |heading: &str| head.find(&format!("\n\n{heading}\n"));
    let (Some(tools), Some(environment)) = (at(tools), at(environment)) else {
        return vec![(Section::Other, head)];
    };
    if !head.starts_with(base) || tools > environment {
        return vec![(Section::Other, head)];
    }
    let below = environment + "\n\n".len();
    let agent = head[below..].find("\n\n").map_or(head.len(), |end| below + end);
    let mut sections = vec![
        (Section::Base, &head[..tools]),
        (Section::Tools, &head[tools..environment]),
        (Section::Environment, &head[environment..agent]),
    ];
    if !head[agent..].trim().is_empty() {
        sections.push((Section::Agent, &head[agent..]));
    }
    sections
}

fn environment(parts: &PromptParts<'_>) -> String {
    let git = parts.branch.map_or_else(
        || "no repository".to_owned(),
        |branch| format!("on branch {branch}"),
    );
    include_str!("../../assets/prompts/environment.md")
        .trim()
        .replace("{directory}", &parts.directory.to_string_lossy())
        .replace("{root}", &parts.root.to_string_lossy())
        .replace("{git}", &git)
        .replace("{platform}", parts.platform)
        .replace("{date}", parts.date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_says_where_it_is_and_what_the_project_asks() {
        let instructions = [("AGENTS.md".to_owned(), "Use tabs.\n".to_owned())];
        let parts = PromptParts {
            directory: Path::new("/p/sub"),
            root: Path::new("/p"),
            branch: Some("main"),
            platform: "linux x86_64",
            date: "2026-01-02",
            extended: &["list"],
            agent: "# Your role\nYou review.\n",
            instructions: &instructions,
        };
        let prompt = assemble(&parts);
        for part in [
            "/p/sub",
            "on branch main",
            "2026-01-02",
            "list",
            "\n\n# Your role\nYou review.\n\n",
            "# Instructions from AGENTS.md\n\nUse tabs.",
        ] {
            assert!(prompt.contains(part), "{part}\n{prompt}");
        }
        assert!(!prompt.contains('{'), "{prompt}");
    }

    #[test]
    fn a_prompt_is_parted_into_what_it_was_made_of() {
        let instructions = [
            ("AGENTS.md".to_owned(), "Use tabs.\n\nAnd no others.\n".to_owned()),
            ("sub/AGENTS.md".to_owned(), "Never mind.".to_owned()),
        ];
        let parts = PromptParts {
            directory: Path::new("/p"),
            root: Path::new("/p"),
            branch: None,
            platform: "linux",
            date: "2026-01-02",
            extended: &["list"],
            agent: "# Your role\n\nYou review.",
            instructions: &instructions,
        };
        let prompt = assemble(&parts);
        let sections = sections(&prompt);
        let kinds: Vec<_> = sections.iter().map(|(section, _)| *section).collect();
        assert_eq!(
            kinds,
            [
                Section::Base,
                Section::Tools,
                Section::Environment,
                Section::Agent,
                Section::Instructions("AGENTS.md"),
                Section::Instructions("sub/AGENTS.md"),
            ]
        );
        assert!(sections[1].1.contains("Also there, by name: list"));
        assert!(sections[3].1.ends_with("You review."));
        let whole: String = sections.iter().map(|(_, text)| *text).collect();
        assert_eq!(whole, prompt);
        assert_eq!(super::sections("You are old.")[0].0, Section::Other);
    }
}
