//! The commands and their options, as INTERFACE section 1 names them.
//!
//! Only shapes and spellings are judged here; whether a directory, a session or a model exists is found out by the
//! command. Commands of the interface that this build lacks are not here, so they are refused like any other word.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueHint};

use super::{budget, help};
use crate::config::schema::Budget;
use crate::conversation::{MessageId, ModelRef, SessionId, TaskId};
use crate::headless::Format;
use crate::permission::Mode;
use crate::session::export::ExportFormat;
use crate::session::import::ImportSource;
use crate::session::undo::UndoScope;

/// A full-screen terminal coding agent.
#[derive(Debug, Parser)]
#[command(
    name = "lathe",
    version,
    max_term_width = 100,
    after_long_help = help::LATHE,
    args_conflicts_with_subcommands = true
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) screen: ScreenArgs,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run one turn without a screen and print the answer
    #[command(after_long_help = help::RUN)]
    Run(RunArgs),
    /// Try lathe on a scripted model and a scratch project; needs no key and no network
    Demo,
    /// List the tools that the model gets, or describe one
    #[command(after_long_help = help::TOOLS)]
    Tools(ToolsArgs),
    /// Run one tool once in a throwaway session
    #[command(after_long_help = help::TOOL)]
    Tool(ToolArgs),
    /// List the agents, with where each came from
    Agents,
    /// List your custom slash commands, with where each came from
    Commands,
    /// List the themes, with where each came from
    Themes,
    /// Check the configuration, the model and the programs that lathe needs
    Doctor,
    /// Show the configuration, its files or its schema
    #[command(after_long_help = help::CONFIG)]
    Config {
        #[command(subcommand)]
        command: Option<ConfigCommand>,
    },
    /// List or revoke stored permissions
    #[command(after_long_help = help::PERMISSIONS)]
    Permissions {
        #[command(subcommand)]
        command: Option<PermissionsCommand>,
    },
    /// List, show, search, export, import, move, undo, redo or delete sessions
    #[command(after_long_help = help::SESSIONS)]
    Sessions {
        #[command(subcommand)]
        command: Option<SessionsCommand>,
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
    },
    /// List the work trees of isolated tasks, apply their changes, or remove them
    #[command(after_long_help = help::WORKTREES)]
    Worktrees {
        #[command(subcommand)]
        command: Option<WorktreesCommand>,
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
    },
    /// Print the completion script for a shell
    #[command(after_long_help = help::COMPLETIONS)]
    Completions {
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each command into a directory
    #[command(after_long_help = help::MAN)]
    Man {
        /// Directory for the pages; without it the page of lathe itself is printed
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        directory: Option<PathBuf>,
    },
}

/// `lathe [DIR]`.
#[derive(Debug, Args)]
pub(super) struct ScreenArgs {
    /// The directory to work in [default: the current one]
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) directory: Option<PathBuf>,
    #[command(flatten)]
    pub(super) open: OpenArgs,
    #[command(flatten)]
    pub(super) reopen: ReopenArgs,
    #[command(flatten)]
    pub(super) cassette: CassetteArgs,
    /// Submit TEXT as soon as the screen is ready
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(super) prompt: Option<String>,
    /// Linear, append-only output for screen readers
    #[arg(long)]
    pub(super) screen_reader: bool,
}

/// How a session works, whichever front end it has.
#[derive(Debug, Default, Args)]
pub(super) struct OpenArgs {
    /// The model to use
    #[arg(short, long, value_name = "PROVIDER/MODEL", value_parser = ModelRef::from_str)]
    pub(super) model: Option<ModelRef>,
    /// The agent to use
    #[arg(short, long, value_name = "NAME")]
    pub(super) agent: Option<String>,
    /// The permission mode: which actions run without asking
    #[arg(long, value_name = "MODE", value_parser = one_of(MODES), default_value = "ask")]
    pub(super) permission_mode: Mode,
    /// An extra configuration file, read last
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
    /// Trust this project's own code and loosened rules for this process
    #[arg(long)]
    pub(super) trust: bool,
}

/// Which session is opened; a new one without any of these.
#[derive(Debug, Args)]
pub(super) struct ReopenArgs {
    /// Reopen this project's newest session
    #[arg(short = 'c', long = "continue", conflicts_with = "session")]
    pub(super) newest: bool,
    /// Reopen one session
    #[arg(short, long, value_name = "ID", value_parser = SessionId::from_str)]
    pub(super) session: Option<SessionId>,
}

/// Source of replies; the network without any of these.
#[derive(Debug, Args)]
pub(super) struct CassetteArgs {
    /// Record every model exchange to a cassette
    #[arg(long, value_name = "FILE", conflicts_with = "replay", value_hint = ValueHint::FilePath)]
    pub(super) record: Option<PathBuf>,
    /// Answer from a cassette instead of the network
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) replay: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The prompt, with `/commands` and `@files` as in the composer; piped input is appended unchanged
    #[arg(value_name = "PROMPT")]
    pub(super) prompt: Vec<String>,
    /// `text`: the answer on stdout, progress on stderr; `json`: one event a line on stdout
    #[arg(long, value_parser = one_of(FORMATS), default_value = "text")]
    pub(super) format: Format,
    /// Attach a file (repeatable)
    #[arg(short = 'f', long = "file", value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(super) files: Vec<PathBuf>,
    /// Start no model request once this is spent: dollars (2.50), tokens (500k) or minutes (30m), for the run and its tasks
    #[arg(long, value_name = "AMOUNT", value_parser = budget::parse)]
    pub(super) budget: Option<Budget>,
    /// Exit with 3 when a call was refused because nobody could answer
    #[arg(long)]
    pub(super) fail_on_denied: bool,
    #[command(flatten)]
    pub(super) open: OpenArgs,
    #[command(flatten)]
    pub(super) reopen: ReopenArgs,
    #[command(flatten)]
    pub(super) cassette: CassetteArgs,
}

#[derive(Debug, Args)]
pub(super) struct ToolsArgs {
    /// Describe this tool alone, with its JSON Schema
    #[arg(value_name = "NAME")]
    pub(super) name: Option<String>,
    /// List every registered tool, not only those of the default agent
    #[arg(long)]
    pub(super) all: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ToolArgs {
    /// A tool, as `lathe tools --all` lists it
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    /// The arguments, a JSON object
    #[arg(value_name = "ARGS_JSON")]
    pub(super) args: String,
    /// `text`: the output; `json`: the `tool_result` event
    #[arg(long, value_parser = one_of(FORMATS), default_value = "text")]
    pub(super) format: Format,
    /// Use the state of this session
    #[arg(short, long, value_name = "ID", value_parser = SessionId::from_str)]
    pub(super) session: Option<SessionId>,
    #[command(flatten)]
    pub(super) open: OpenArgs,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(super) enum ConfigCommand {
    /// Print the configuration files in the order they are read, existing or not
    Path,
    /// Print the JSON Schema of a configuration file
    Schema,
    /// Print the merged configuration and the file of each permission rule (default)
    Show,
}

#[derive(Debug, Clone, Subcommand)]
pub(super) enum PermissionsCommand {
    /// Print the stored rules and the trusted directories (default)
    List,
    /// Remove a stored rule, or the trust in a directory
    Revoke {
        /// A rule's number or a trusted directory, as `lathe permissions list` prints it
        #[arg(value_name = "ID", value_hint = ValueHint::DirPath)]
        id: Revocable,
    },
}

/// A stored answer that `lathe permissions revoke` takes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Revocable {
    Rule(i64),
    Trust(PathBuf),
}

impl FromStr for Revocable {
    type Err = &'static str;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        if let Ok(id) = given.parse() {
            return Ok(Self::Rule(id));
        }
        let is_path = given == "." || given == ".." || given.contains('/');
        let path = PathBuf::from(given);
        is_path
            .then_some(Self::Trust(path))
            .ok_or("neither a rule's number nor a path")
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum SessionsCommand {
    /// Print all sessions, newest first (default)
    List,
    /// Print one session with its messages
    Show {
        #[arg(value_name = "ID", value_parser = SessionId::from_str)]
        id: SessionId,
    },
    /// Print the messages that contain TEXT, newest first
    Search {
        #[arg(value_name = "TEXT", required = true)]
        words: Vec<String>,
    },
    /// Print one session in full, for a backup or another machine
    Export {
        #[arg(value_name = "ID", value_parser = SessionId::from_str)]
        id: SessionId,

        /// `json` can be imported again, `markdown` is for reading
        #[arg(long, value_name = "FORMAT", default_value = "json", value_parser = one_of(EXPORTS), conflicts_with = "json")]
        format: ExportFormat,
    },
    /// Import a session from a file that lathe or another program wrote
    Import {
        /// An export of lathe or OpenCode, a session file of Claude Code or Codex, or `opencode.db#SESSION`
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: String,
        /// The program that wrote it [default: detected]
        #[arg(long, value_name = "PROGRAM", value_parser = one_of(SOURCES))]
        from: Option<ImportSource>,
        /// The directory that the session belongs to; not `/`, a home or one above a home [default: the current one]
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        directory: Option<PathBuf>,
    },
    /// Undo the file changes and messages from a message on
    Undo(UndoArgs),
    /// Redo the last undo; possible until the next message
    Redo(RedoArgs),
    /// Have one session go on in another directory, as after its project was moved
    Move {
        #[arg(value_name = "ID", value_parser = SessionId::from_str)]
        id: SessionId,
        /// The directory; not `/`, a home or one above a home
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        directory: PathBuf,
    },
    /// Delete one session, with its tasks and stored tool outputs
    Delete {
        #[arg(value_name = "ID", value_parser = SessionId::from_str)]
        id: SessionId,
    },
}

#[derive(Debug, Args)]
pub(super) struct UndoArgs {
    #[arg(value_name = "ID", value_parser = SessionId::from_str)]
    pub(super) id: SessionId,
    /// Your message to go back to; it becomes the draft again [default: the last one]
    #[arg(long, value_name = "MESSAGE", value_parser = MessageId::from_str)]
    pub(super) to: Option<MessageId>,
    /// Undo this half only
    #[arg(long, value_name = "WHAT", value_parser = one_of(SCOPES))]
    pub(super) only: Option<UndoScope>,
    /// Skip files that changed since, and undo the others
    #[arg(long)]
    pub(super) skip_changed: bool,
    /// Only print what would change
    #[arg(long)]
    pub(super) list: bool,
}

#[derive(Debug, Args)]
pub(super) struct RedoArgs {
    #[arg(value_name = "ID", value_parser = SessionId::from_str)]
    pub(super) id: SessionId,
    /// Only print what would change
    #[arg(long)]
    pub(super) list: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum WorktreesCommand {
    /// Print all work trees, oldest task first (default)
    List,
    /// Print the changes in one work tree
    Diff {
        #[arg(value_name = "ID")]
        id: TreeId,
    },
    /// Apply the changes of one work tree to its project; on a conflict, none are applied
    Apply {
        #[arg(value_name = "ID")]
        id: TreeId,
        /// Apply changes of files that configure lathe, too: configuration, agents and commands
        #[arg(long)]
        with_configuration: bool,
    },
    /// Remove one work tree whose changes are all applied
    Remove {
        #[arg(value_name = "ID")]
        id: TreeId,
        /// Remove it even with unapplied changes, which are listed first
        #[arg(long)]
        discard: bool,
    },
}

/// The task of a tree, by its id or the id of its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeId(pub(super) TaskId);

impl FromStr for TreeId {
    type Err = <TaskId as FromStr>::Err;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let of_session = || given.parse().map(|session| TaskId::of(&session));
        given
            .parse()
            .or_else(|error| of_session().map_err(|_| error))
            .map(Self)
    }
}

const FORMATS: [(&str, Format); 2] = [("text", Format::Text), ("json", Format::Json)];
const EXPORTS: [(&str, ExportFormat); 2] =
    [("json", ExportFormat::Json), ("markdown", ExportFormat::Markdown)];
const SOURCES: [(&str, ImportSource); 4] = [
    ("lathe", ImportSource::Lathe),
    ("claude", ImportSource::Claude),
    ("codex", ImportSource::Codex),
    ("opencode", ImportSource::Opencode),
];
const SCOPES: [(&str, UndoScope); 2] = [
    ("files", UndoScope::Files),
    ("conversation", UndoScope::Conversation),
];
const MODES: [(&str, Mode); 4] = [
    ("ask", Mode::Ask),
    ("accept-edits", Mode::AcceptEdits),
    ("plan", Mode::Plan),
    ("yolo", Mode::Yolo),
];

/// Returns the parser of a value that is one of these words.
fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    known: [(&'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(known.map(|(name, _)| name)).map(move |given| {
        let found = known.into_iter().find(|(name, _)| *name == given);
        found.expect("the parser lets only known words through").1
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(std::iter::once("lathe").chain(line.split_whitespace()))
    }

    fn refusal(line: &str) -> ErrorKind {
        parse(line).expect_err(line).kind()
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_word_that_is_no_command_is_the_directory() {
        let cli = parse("src -c --permission-mode accept-edits").unwrap();
        assert!(cli.command.is_none());
        assert_eq!(cli.screen.directory, Some(PathBuf::from("src")));
        assert!(cli.screen.reopen.newest);
        assert_eq!(cli.screen.open.permission_mode, Mode::AcceptEdits);
    }

    #[test]
    fn run_takes_all_its_words_as_the_prompt() {
        let cli =
            parse("run fix the test -f a.rs -f b.png --format json -m local/x -s ses_0 --trust").unwrap();
        let Some(Command::Run(run)) = cli.command else {
            panic!("not run")
        };
        assert_eq!(run.prompt, ["fix", "the", "test"]);
        assert_eq!(run.files, [PathBuf::from("a.rs"), PathBuf::from("b.png")]);
        assert_eq!(run.format, Format::Json);
        assert_eq!(run.open.model.unwrap().to_string(), "local/x");
        assert!(run.open.trust && run.reopen.session.is_some());
    }

    #[test]
    fn every_permission_mode_of_the_interface_is_known() {
        let modes = [
            ("ask", Mode::Ask),
            ("accept-edits", Mode::AcceptEdits),
            ("plan", Mode::Plan),
            ("yolo", Mode::Yolo),
        ];
        for (name, mode) in modes {
            assert_eq!(
                parse(&format!("--permission-mode {name}"))
                    .unwrap()
                    .screen
                    .open
                    .permission_mode,
                mode
            );
        }
        assert_eq!(refusal("--permission-mode never"), ErrorKind::InvalidValue);
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        assert_eq!(refusal("run x -c -s ses_0"), ErrorKind::ArgumentConflict);
        assert_eq!(
            refusal("run x --record a --replay b"),
            ErrorKind::ArgumentConflict
        );
    }

    #[test]
    fn values_of_the_wrong_form_are_refused() {
        assert_eq!(refusal("run x -s nonsense"), ErrorKind::ValueValidation);
        assert_eq!(refusal("run x -m no-slash"), ErrorKind::ValueValidation);
        assert_eq!(refusal("sessions show nonsense"), ErrorKind::ValueValidation);
        assert_eq!(refusal("permissions revoke x"), ErrorKind::ValueValidation);
        assert!(parse("permissions revoke 7").is_ok() && parse("permissions revoke ./x").is_ok());
        assert_eq!(refusal("run x --no-such-option"), ErrorKind::UnknownArgument);
    }

    #[test]
    fn json_may_stand_before_or_after_the_verb() {
        for line in ["sessions --json", "sessions list --json", "sessions --json list"] {
            let Some(Command::Sessions { json, .. }) = parse(line).unwrap().command else {
                panic!("{line}")
            };
            assert!(json, "{line}");
        }
    }
}
