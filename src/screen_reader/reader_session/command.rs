//! Lines that begin with `/`: the commands that make sense without a screen. A path stays a message.

use super::ReaderSession;
use crate::session::host::SessionTarget;
use crate::session::{CommandChoice, Op};

/// A command of the screen reader.
#[derive(Clone, Copy)]
pub(super) struct CommandEntry {
    /// Its name and what may stand behind it.
    usage: &'static str,
    also: &'static [&'static str],
    about: &'static str,
    /// Does it, with what stands behind the name.
    pub(super) run: fn(&mut ReaderSession, &str),
}

const fn entry(usage: &'static str, about: &'static str, run: fn(&mut ReaderSession, &str)) -> CommandEntry {
    CommandEntry {
        usage,
        also: &[],
        about,
        run,
    }
}

impl CommandEntry {
    const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }

    pub(super) fn name(&self) -> &'static str {
        self.usage.split(' ').next().unwrap_or_default()
    }
}

/// In the order in which they are told.
const COMMANDS: &[CommandEntry] = &[
    entry("help", "lists the commands", |reader, _| reader.help()).also(&["keys"]),
    entry(
        "say TEXT",
        "sends a message, also while a question waits",
        ReaderSession::submit,
    ),
    entry(
        "queue TEXT",
        "sends it when the turn has ended",
        ReaderSession::queue,
    ),
    entry(
        "send",
        "sends a message that came back, is held or was left unsent",
        |reader, _| reader.release(),
    ),
    entry(
        "stop [NUMBER or all]",
        "interrupts the turn; with a number stops that task, with all every task",
        ReaderSession::stop,
    ),
    entry(
        "background",
        "moves the tasks that the turn waits for to the background",
        |reader, _| reader.send_to_background(),
    ),
    entry(
        "tasks [NUMBER or all]",
        "lists the tasks of the agents, or goes into one",
        ReaderSession::look_at_tasks,
    )
    .also(&["task"]),
    entry(
        "back",
        "returns from a task to the main conversation",
        |reader, _| reader.go_back(),
    ),
    entry("again", "repeats the waiting question", |reader, _| {
        reader.say_again();
    }),
    entry("dismiss", "dismisses the questions of a tool", |reader, _| {
        reader.dismiss();
    }),
    entry("show", "shows the newest call in full", |reader, _| reader.show()),
    entry("todos", "shows the todo list", |reader, _| reader.say_todos()).also(&["todo"]),
    entry(
        "status [all]",
        "shows what is running and waiting; with all, the full status",
        ReaderSession::look_at_status,
    ),
    entry(
        "diff [session, turn, tree or NUMBER]",
        "lists the changed files, or shows one line by line",
        ReaderSession::look_at_changes,
    )
    .also(&["changes"]),
    entry(
        "worktree NUMBER [apply HUNKS or all]",
        "shows the changes in a task's work tree, or applies hunks to the project",
        ReaderSession::look_at_worktree,
    )
    .also(&["worktrees"]),
    entry(
        "context [all]",
        "shows what fills the context window",
        ReaderSession::look_at_context,
    ),
    entry(
        "compact [WHAT MATTERS, use or drop]",
        "summarises the conversation to free context, and uses or drops the summary",
        ReaderSession::compact,
    )
    .also(&["summarize"]),
    entry(
        "resend",
        "sends again what the model's provider refused",
        |reader, _| reader.send(Op::SendRefusedAgain),
    ),
    entry("cost", "shows the cost", |reader, _| reader.look_at_costs()).also(&["costs"]),
    entry(
        "export [FILE]",
        "writes the session to a file, as JSON where its name ends so",
        ReaderSession::export,
    ),
    entry(
        "undo [both, files or conversation]",
        "shows what undoing your last message would change, and does it",
        ReaderSession::undo,
    )
    .also(&["rewind"]),
    entry(
        "redo [yes]",
        "shows what redoing the last undo would change, and does it",
        ReaderSession::redo,
    ),
    entry(
        "sessions [NUMBER, all or WORDS]",
        "lists the sessions, or goes to one",
        ReaderSession::look_for_sessions,
    ),
    entry("new", "starts a new session", |reader, _| {
        reader.go_to(SessionTarget::New);
    }),
    entry(
        "cd [DIR]",
        "has this session go on in another directory",
        ReaderSession::change_directory,
    ),
    entry("permissions", "lists the stored permissions", |reader, _| {
        reader.list_rules();
    })
    .also(&["allowed"]),
    entry(
        "revoke NUMBER",
        "revokes a stored permission",
        ReaderSession::revoke,
    ),
    entry(
        "model [NUMBER or NAME]",
        "lists the models, or changes to one",
        ReaderSession::choose_model,
    )
    .also(&["models"]),
    entry(
        "agent [NUMBER or NAME]",
        "lists the agents, or changes to one",
        ReaderSession::choose_agent,
    )
    .also(&["agents"]),
    entry(
        "mode [NUMBER or NAME]",
        "lists the permission modes, or changes to one",
        ReaderSession::choose_mode,
    ),
    entry("quit", "leaves", |reader, _| reader.leave()).also(&["exit", "q"]),
];

/// The meaning of a line.
#[derive(Clone, Copy)]
pub(super) enum ParsedLine<'a> {
    /// It is a message.
    Text,
    /// A shell command of the person's own.
    Shell(&'a str),
    Command(&'static CommandEntry, &'a str),
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
        Some(entry) => ParsedLine::Command(entry, rest.trim()),
        None => ParsedLine::Unknown(name),
    }
}

fn find(name: &str) -> Option<&'static CommandEntry> {
    COMMANDS
        .iter()
        .find(|entry| entry.name() == name || entry.also.contains(&name))
}

/// Returns one line for each command, the user's own among them, and how everything else is done.
pub(super) fn help(own: &[CommandChoice]) -> Vec<String> {
    let commands = COMMANDS
        .iter()
        .map(|entry| format!("/{} {}", entry.usage, entry.about));
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
            ("/help", ("command", "help", "")),
            ("/q", ("command", "quit", "")),
            ("/model  local/x ", ("command", "model", "local/x")),
            ("/nonsense x", ("unknown", "nonsense", "")),
            ("/usr/bin/x is broken", ("text", "", "")),
            ("/", ("text", "", "")),
            ("a /help", ("text", "", "")),
            ("!ls -l", ("shell", "ls -l", "")),
            ("!", ("text", "", "")),
        ] {
            let read = match parse_line(line) {
                ParsedLine::Text => ("text", "", ""),
                ParsedLine::Shell(command) => ("shell", command, ""),
                ParsedLine::Command(command, rest) => ("command", command.name(), rest),
                ParsedLine::Unknown(name) => ("unknown", name, ""),
            };
            assert_eq!(read, wanted, "{line}");
        }
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut names: Vec<&str> = COMMANDS
            .iter()
            .flat_map(|entry| std::iter::once(entry.name()).chain(entry.also.iter().copied()))
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
