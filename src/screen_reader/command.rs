//! Lines that begin with `/`: the commands that make sense without a screen. A path stays a message.

use crate::session::CommandChoice;

/// A name, what stands behind it, and what it does.
struct CommandEntry {
    name: &'static str,
    also: &'static [&'static str],
    rest: &'static str,
    about: &'static str,
    command: Command,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Help,
    Say,
    Queue,
    Send,
    Stop,
    Background,
    Tasks,
    Back,
    Again,
    Dismiss,
    Show,
    Todos,
    Status,
    Context,
    Compact,
    Cost,
    Diff,
    Worktree,
    Export,
    Undo,
    Redo,
    Permissions,
    Revoke,
    Sessions,
    New,
    Model,
    Agent,
    Mode,
    Quit,
}

const fn entry(
    name: &'static str,
    also: &'static [&'static str],
    rest: &'static str,
    about: &'static str,
    command: Command,
) -> CommandEntry {
    CommandEntry {
        name,
        also,
        rest,
        about,
        command,
    }
}

/// In the order in which they are told.
const COMMANDS: &[CommandEntry] = &[
    entry("help", &["keys"], "", "lists the commands", Command::Help),
    entry(
        "say",
        &[],
        " TEXT",
        "sends a message, also while a question waits",
        Command::Say,
    ),
    entry(
        "queue",
        &[],
        " TEXT",
        "sends it when the turn has ended",
        Command::Queue,
    ),
    entry(
        "send",
        &[],
        "",
        "sends a message that came back, is held or was left unsent",
        Command::Send,
    ),
    entry(
        "stop",
        &[],
        " [NUMBER or all]",
        "interrupts the turn; with a number stops that task, with all every task",
        Command::Stop,
    ),
    entry(
        "background",
        &[],
        "",
        "moves the tasks that the turn waits for to the background",
        Command::Background,
    ),
    entry(
        "tasks",
        &["task"],
        " [NUMBER or all]",
        "lists the tasks of the agents, or goes into one",
        Command::Tasks,
    ),
    entry(
        "back",
        &[],
        "",
        "returns from a task to the main conversation",
        Command::Back,
    ),
    entry("again", &[], "", "repeats the waiting question", Command::Again),
    entry(
        "dismiss",
        &[],
        "",
        "dismisses the questions of a tool",
        Command::Dismiss,
    ),
    entry("show", &[], "", "shows the newest call in full", Command::Show),
    entry("todos", &["todo"], "", "shows the todo list", Command::Todos),
    entry(
        "status",
        &[],
        " [all]",
        "shows what is running and waiting; with all, the full status",
        Command::Status,
    ),
    entry(
        "diff",
        &["changes"],
        " [session, turn, tree or NUMBER]",
        "lists the changed files, or shows one line by line",
        Command::Diff,
    ),
    entry(
        "worktree",
        &["worktrees"],
        " NUMBER [apply HUNKS or all]",
        "shows the changes in a task's work tree, or applies hunks to the project",
        Command::Worktree,
    ),
    entry(
        "context",
        &[],
        " [all]",
        "shows what fills the context window",
        Command::Context,
    ),
    entry(
        "compact",
        &["summarize"],
        " [WHAT MATTERS, use or drop]",
        "summarises the conversation to free context, and uses or drops the summary",
        Command::Compact,
    ),
    entry("cost", &["costs"], "", "shows the cost", Command::Cost),
    entry(
        "export",
        &[],
        " [FILE]",
        "writes the session to a file, as JSON where its name ends so",
        Command::Export,
    ),
    entry(
        "undo",
        &["rewind"],
        " [both, files or conversation]",
        "shows what undoing your last message would change, and does it",
        Command::Undo,
    ),
    entry(
        "redo",
        &[],
        " [yes]",
        "shows what redoing the last undo would change, and does it",
        Command::Redo,
    ),
    entry(
        "sessions",
        &[],
        " [NUMBER, all or WORDS]",
        "lists the sessions, or goes to one",
        Command::Sessions,
    ),
    entry("new", &[], "", "starts a new session", Command::New),
    entry(
        "permissions",
        &["allowed"],
        "",
        "lists the stored permissions",
        Command::Permissions,
    ),
    entry(
        "revoke",
        &[],
        " NUMBER",
        "revokes a stored permission",
        Command::Revoke,
    ),
    entry(
        "model",
        &["models"],
        " [NUMBER or NAME]",
        "lists the models, or changes to one",
        Command::Model,
    ),
    entry(
        "agent",
        &["agents"],
        " [NUMBER or NAME]",
        "lists the agents, or changes to one",
        Command::Agent,
    ),
    entry(
        "mode",
        &[],
        " [NUMBER or NAME]",
        "lists the permission modes, or changes to one",
        Command::Mode,
    ),
    entry("quit", &["exit", "q"], "", "leaves", Command::Quit),
];

/// The meaning of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ParsedLine<'a> {
    /// It is a message.
    Text,
    /// A shell command of the person's own.
    Shell(&'a str),
    Command(Command, &'a str),
    Unknown(&'a str),
}

pub(super) fn parse_line(line: &str) -> ParsedLine<'_> {
    if let Some(command) = line
        .strip_prefix('!')
        .map(str::trim)
        .filter(|command| !command.is_empty())
    {
        return ParsedLine::Shell(command);
    }
    let Some(words) = line.strip_prefix('/') else {
        return ParsedLine::Text;
    };
    let (name, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    if !is_name {
        return ParsedLine::Text;
    }
    match find(name) {
        Some(entry) => ParsedLine::Command(entry.command, rest.trim()),
        None => ParsedLine::Unknown(name),
    }
}

fn find(name: &str) -> Option<&'static CommandEntry> {
    COMMANDS
        .iter()
        .find(|entry| entry.name == name || entry.also.contains(&name))
}

/// Returns one line for each command, the user's own among them, and how everything else is done.
pub(super) fn help(own: &[CommandChoice]) -> Vec<String> {
    let commands = COMMANDS
        .iter()
        .map(|entry| format!("/{}{} {}", entry.name, entry.rest, entry.about));
    let others = [
        "!COMMAND runs a shell command of your own; the model reads its output with your next message.",
        "Any other line is a message. While a turn runs it joins at the next step.",
        "A message attaches what it names: @src/a.rs, lines of it as in @src/a.rs:10-40, a directory, @\"a name \
        with spaces\". Outside the project, or where a rule asks, send the message a second time to confirm.",
        "A message that begins with @ and an agent's name is for that agent, and so is what follows.",
        "In a task you follow its agent, and what you type goes to that agent. You can answer questions from anywhere.",
        "Answer a question with a number. Input in the first second after a question is dropped.",
        "A line that begins with | comes from the model, a tool or a file; lathe's own lines never do.",
        "ctrl+c interrupts the turn, twice within a second quits; ctrl+d quits.",
    ];
    let is_free = |command: &&CommandChoice| find(&command.name).is_none();
    let own = own.iter().filter(is_free).map(describe);
    commands.chain(own).chain(others.map(str::to_owned)).collect()
}

/// `/review [FILE] is your own command: looks for faults`
fn describe(command: &CommandChoice) -> String {
    let mut line = format!("/{} {}", command.name, command.argument_hint);
    line.truncate(line.trim_end().len());
    line.push_str(" is your own command");
    if !command.description.is_empty() {
        line.push_str(": ");
        line.push_str(&command.description);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_paths_and_messages() {
        for (line, wanted) in [
            ("/help", ParsedLine::Command(Command::Help, "")),
            ("/q", ParsedLine::Command(Command::Quit, "")),
            ("/model  local/x ", ParsedLine::Command(Command::Model, "local/x")),
            ("/nonsense x", ParsedLine::Unknown("nonsense")),
            ("/usr/bin/x is broken", ParsedLine::Text),
            ("/", ParsedLine::Text),
            ("a /help", ParsedLine::Text),
            ("!ls -l", ParsedLine::Shell("ls -l")),
            ("!", ParsedLine::Text),
        ] {
            assert_eq!(parse_line(line), wanted, "{line}");
        }
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut names: Vec<&str> = COMMANDS
            .iter()
            .flat_map(|entry| std::iter::once(&entry.name).chain(entry.also))
            .copied()
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
