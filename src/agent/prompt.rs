//! The system prompt: assembled once per session and agent and byte-stable from then on, so that caches hit.
//!
//! What changes later (the date, the branch) is told in messages, never here.

use std::path::Path;

/// What a prompt is made of, as it was when the session began.
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
}
