//! Commands and agents of Claude Code as their users write them: front matter that is no YAML.

use super::run::{events_of, project_with};
use super::support::{Lathe, Project, Server, Turn};

const FIX: &str = "---\nargument-hint: [pr-number] [priority]\ndescription: Fix: the \"whole\" issue\nallowed-tools: \
                   Bash(git add:*), *\n---\nFix issue $1 with priority $2.\n";
const REVIEWER: &str = "---\nname: code-reviewer\ndescription: Use this agent after changes. Examples: <example>Context: A \
                        function was written.\\nuser: \"Check it\"\\nassistant: \"I will\" <commentary>Why: it is \
                        new</commentary></example>\ntools: Read, Grep\nmodel: sonnet\n---\nReview.\n";

#[test]
fn a_command_with_hints_in_brackets_is_listed_and_its_second_argument_is_one_word() {
    let server = Server::with([Turn::text("Fixed."), Turn::text("Fixed.")]);
    let project = project_with(&server)
        .file(".claude/commands/fix.md", FIX)
        .file(".lathe/commands/own.md", "Fix issue $1 with priority $2.\n");
    let list = Lathe::in_project(&project).arg("commands").run().success();
    let words = list.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("/fix [pr-number] [priority] "), "{list}");
    assert!(words.contains("Fix: the \"whole\" issue"), "{list}");
    for (name, sent) in [
        ("fix", "Fix issue 12 with priority high."),
        ("own", "Fix issue 12 with priority high and soon."),
    ] {
        events_of(&project)
            .arg(format!("/{name} 12 high and soon"))
            .run()
            .success();
        let requests = server.requests();
        assert!(requests.last().unwrap().mentions(sent), "{name}");
    }
}

#[test]
fn an_agent_with_examples_in_its_description_is_usable_and_a_broken_restriction_is_not() {
    let project = Project::new()
        .file(".claude/agents/code-reviewer.md", REVIEWER)
        .file(
            ".claude/agents/loose.md",
            "---\nname: loose\ndescription: Loose: it is\ndisallowedTools: [Bash\n---\nx\n",
        );
    let list = Lathe::in_project(&project).arg("agents").run().success();
    let row = |name: &str| {
        list.stdout
            .lines()
            .find(|line| line.contains(name))
            .unwrap_or_default()
    };
    assert!(row("code-reviewer").contains("subagent"), "{list}");
    assert!(row("loose").contains("broken"), "{list}");
    assert!(list.stderr.contains("loose.md:4:1:"), "{list}");
}
