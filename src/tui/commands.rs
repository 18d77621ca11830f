//! Commands by name: what a message that begins with `/` asks for.
//!
//! A command is a name for an action, so the palette has each of them too, and the keymap says what it does and by which
//! key. A new one is its line in [`OWN`], that of a list or a page stands in its file. What only looks like one stays text: a path, or a slash after a blank.

use std::sync::LazyLock;

use super::app::pickers::LISTS;
use super::keymap::{Action, Context, Keymap};
use super::page::PAGES;
use super::picker::Preview;
use crate::view::Look;
use crate::view::theme::Meaning;
use ratatui::text::Line;

/// A name, and what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// Names that people bring from elsewhere. Lists show the first one alone.
    also: &'static [&'static str],
    pub(crate) action: Action,
    /// A sentence or two, for whoever looks before they do it.
    about: &'static str,
}

/// The command that opens a list or a page.
#[derive(Debug)]
pub(crate) struct LayerCommand {
    pub(crate) name: &'static str,
    /// Names that people bring from elsewhere.
    pub(crate) also: &'static [&'static str],
    /// A sentence about the layer.
    pub(crate) about: &'static str,
    /// The command behind which it is listed; the empty name is before the first.
    pub(crate) after: &'static str,
}

const fn command(
    name: &'static str,
    also: &'static [&'static str],
    action: Action,
    about: &'static str,
) -> Command {
    Command {
        name,
        also,
        action,
        about,
    }
}

impl Command {
    /// Returns the names by which it is listed for a beginning: its own, and one from elsewhere that is being written.
    pub(crate) fn names_for(
        &'static self,
        text: &str,
    ) -> impl Iterator<Item = (&'static str, &'static Self)> {
        let is_meant = |name: &&&str| text.len() > 1 && name.starts_with(text);
        let other = self.also.iter().find(is_meant);
        let other = other.filter(|_| !self.name.starts_with(text));
        std::iter::once(self.name)
            .chain(other.copied())
            .map(move |name| (name, self))
    }

    /// Returns the lines beside the list while it is selected.
    pub(crate) fn preview(&self, columns: u16, look: Look<'_>) -> Vec<Line<'static>> {
        let also: Vec<String> = self.also.iter().map(|name| format!("/{name}")).collect();
        Preview::new(columns, look)
            .heading(&format!("/{}", self.name))
            .words(self.about, Meaning::Text)
            .fact("also", &also.join(", "))
            .lines()
    }
}

/// Returns all commands in the order in which they are listed.
pub(crate) fn commands() -> &'static [Command] {
    static COMMANDS: LazyLock<Vec<Command>> = LazyLock::new(|| {
        let mut commands = OWN.to_vec();
        let of_lists = LISTS
            .iter()
            .filter_map(|list| Some((list.command.as_ref()?, Action::OpenList(list))));
        let of_pages = PAGES.iter().map(|page| (&page.command, Action::OpenPage(page)));
        for (opens, action) in of_lists.chain(of_pages) {
            let before = commands.iter().position(|command| command.name == opens.after);
            let place = before.map_or(0, |before| before + 1);
            commands.insert(place, command(opens.name, opens.also, action, opens.about));
        }
        commands
    });
    &COMMANDS
}

/// A command as the documentation lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlashCommand {
    pub name: &'static str,
    /// Names that people know from other programs.
    pub aliases: &'static [&'static str],
    pub about: &'static str,
}

/// Returns all commands by their names, in the order of the list.
pub fn slash_commands() -> Vec<SlashCommand> {
    let commands = commands().iter().map(|command| SlashCommand {
        name: command.name,
        aliases: command.also,
        about: command.about,
    });
    commands.collect()
}

/// The message that `/init` sends.
pub(crate) const INIT_PROMPT: &str = "Look at this project and write `AGENTS.md` in its root, for somebody who works on it \
    for the first time: what it is, the exact commands that build, test and run it, where things are, and the conventions \
    of its code that a newcomer would get wrong. Write nothing that you have not seen in the files, and at most 60 lines. \
    If the file is there already, correct and complete it.";

/// Those that open neither a list nor a page.
const OWN: &[Command] = &[
    command(
        "mode",
        &[],
        Action::CycleMode,
        "Changes to the next permission mode, or to the one given: ask, accept-edits, plan, yolo.",
    ),
    command(
        "new",
        &["clear", "reset"],
        Action::NewSession,
        "Starts a new session. This one stays open, and its turn keeps running.",
    ),
    command(
        "fork",
        &["branch"],
        Action::Fork,
        "Continues in a new session with the conversation so far. This one stays unchanged.",
    ),
    command(
        "init",
        &[],
        Action::Init,
        "Asks the model to read the project and to write AGENTS.md: its purpose, how to build and test it, its \
        conventions.",
    ),
    command(
        "compact",
        &["summarize"],
        Action::Compact,
        "Summarises the older part of the conversation to free context; text after the command says what matters. \
        You see the summary before it is used.",
    ),
    command(
        "resend",
        &[],
        Action::Resend,
        "Sends again what was left out because the model's provider refused it: pictures, documents, reasoning.",
    ),
    command(
        "cd",
        &[],
        Action::ChangeDirectory,
        "Has the session go on in the directory after the command, with the conversation so far.",
    ),
    command(
        "copy",
        &[],
        Action::CopyAnswer,
        "Copies the model's last answer as Markdown.",
    ),
    command(
        "editor",
        &[],
        Action::Editor,
        "Opens $EDITOR on an empty message; what you write there becomes the draft.",
    ),
    command(
        "search",
        &["find"],
        Action::Search,
        "Searches the conversation, folded blocks included.",
    ),
    command(
        "transcript",
        &[],
        Action::FocusTranscript,
        "Moves the focus to the transcript, to move, fold, copy and select in it.",
    ),
    command(
        "reasoning",
        &["thinking"],
        Action::ToggleReasoning,
        "Shows all reasoning, or folds it to one line each.",
    ),
    command(
        "mouse",
        &[],
        Action::ToggleMouse,
        "Turns lathe's mouse support off, so that the terminal selects, or on again.",
    ),
    command(
        "quit",
        &["exit", "q"],
        Action::Quit,
        "Quits lathe. It asks first while other sessions are running.",
    ),
];

/// The meaning of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ParsedInput<'a> {
    /// Nothing: it is a message.
    Text,
    Command {
        command: &'static Command,
        /// The text behind the name.
        rest: &'a str,
    },
    /// It looks like a command, and is none.
    Unknown {
        name: &'a str,
        nearest: Option<&'static str>,
    },
}

/// Reads what a person is about to send.
pub(crate) fn read(text: &str) -> ParsedInput<'_> {
    let Some(spoken) = text.strip_prefix('/') else {
        return ParsedInput::Text;
    };
    let (name, rest) = spoken.split_once(char::is_whitespace).unwrap_or((spoken, ""));
    if !is_name(name) {
        return ParsedInput::Text;
    }
    match find(name) {
        Some(command) => ParsedInput::Command {
            command,
            rest: rest.trim(),
        },
        None => ParsedInput::Unknown {
            name,
            nearest: nearest(name),
        },
    }
}

/// Returns true if a word could be a command's name: a path is none.
pub(crate) fn is_name(word: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':');
    word.starts_with(char::is_alphabetic) && word.chars().all(is_inside)
}

/// Returns what a command does and the key that does the same, as the keymap has them.
pub(crate) fn facts(command: &Command, keymap: &Keymap) -> (&'static str, String) {
    let near = [
        Context::Palette,
        Context::Global,
        Context::Leader,
        Context::Composer,
        Context::Transcript,
    ];
    let all = near.iter().flat_map(|context| keymap.bindings(*context));
    let mut own = all.filter(|binding| binding.action == command.action);
    let Some(first) = own.next() else {
        return ("", String::new());
    };
    let with_key = std::iter::once(first)
        .chain(own)
        .find_map(|binding| Some((binding.context, keymap.key_label(binding)?)));
    let key = with_key.map(|(context, key)| match context {
        Context::Leader => keymap.after_leader(command.action),
        // A letter there is text here.
        Context::Transcript => String::new(),
        _ => key.to_owned(),
    });
    (first.description, key.unwrap_or_default())
}

/// Returns the names of the command that does the same as an action, apart by blanks.
pub(crate) fn names_of(action: Action) -> String {
    let same = commands().iter().filter(|command| command.action == action);
    let names = same.flat_map(|command| [&command.name].into_iter().chain(command.also));
    names.copied().collect::<Vec<_>>().join(" ")
}

/// Returns true if one of the commands here has a name.
pub(crate) fn is_taken(name: &str) -> bool {
    find(name).is_some()
}

fn find(name: &str) -> Option<&'static Command> {
    let is_it = |command: &&Command| command.name == name || command.also.contains(&name);
    commands().iter().find(is_it)
}

fn nearest(name: &str) -> Option<&'static str> {
    let names = commands().iter().map(|command| command.name);
    let scored = names.map(|known| (strsim::normalized_damerau_levenshtein(known, name), known));
    let best = scored.max_by(|one, other| one.0.total_cmp(&other.0));
    best.filter(|(score, _)| *score >= 0.5).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::missing_command;

    #[test]
    fn a_name_is_a_command_with_what_stands_behind_it() {
        let ParsedInput::Command { command, rest } = read("/model  son\n") else {
            panic!("{:?}", read("/model son"))
        };
        assert_eq!((command.name, rest), ("model", "son"));
        assert!(matches!(read("/exit"), ParsedInput::Command { command, .. } if command.name == "quit"));
    }

    #[test]
    fn an_unknown_command_suggests_the_nearest_name() {
        assert_eq!(
            read("/thene x"),
            ParsedInput::Unknown {
                name: "thene",
                nearest: Some("theme")
            }
        );
        assert_eq!(
            read("/zzz"),
            ParsedInput::Unknown {
                name: "zzz",
                nearest: None
            }
        );
    }

    #[test]
    fn a_command_that_is_missing_is_said_to_be() {
        for name in ["mcp", "login", "skills", "effort", "plugins", "lsp"] {
            assert!(missing_command(name).is_some(), "{name}");
        }
        assert_eq!(missing_command("thene"), None);
        for command in commands() {
            for name in command.also.iter().chain([&command.name]) {
                assert_eq!(missing_command(name), None, "`/{name}` is there");
            }
        }
    }

    #[test]
    fn a_path_a_blank_and_a_slash_alone_are_text() {
        for text in [
            "/usr/bin/env",
            " /help",
            "/",
            "// a comment",
            "/ help",
            "/dev/null is empty",
            "help",
            "",
            "/2 of them",
        ] {
            assert_eq!(read(text), ParsedInput::Text, "{text}");
        }
    }

    #[test]
    fn every_command_is_in_the_keymap_and_has_names_of_its_own() {
        let keymap = Keymap::default();
        let mut seen = std::collections::HashSet::new();
        for command in commands() {
            let (description, _) = facts(command, &keymap);
            assert!(
                !description.is_empty(),
                "`/{}` is not in the keymap",
                command.name
            );
            for name in command.also.iter().chain([&command.name]) {
                assert!(is_name(name) && seen.insert(*name), "{name}");
            }
        }
    }
}
