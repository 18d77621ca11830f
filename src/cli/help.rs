//! The end of `lathe COMMAND --help`: examples first, then what the options cannot say. The manual pages end with it too.
//!
//! An example is a line that begins with two blanks and `lathe`, two blanks apart from what it does. A test parses each.

pub(super) const LATHE: &str = "\
Examples:
  lathe                            Start in the current directory
  lathe demo                       Try lathe without a key or a network
  lathe -c                         Continue the newest session here
  lathe -p \"explain src/main.rs\"   Start with a prompt
  lathe run \"is main.rs tested?\"   Print one answer, without the screen
  lathe doctor                     Check configuration, model and sandbox

Models:
  Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or configure a
  server of your own in lathe.jsonc: `lathe config path` prints where.

On the screen:
  enter sends, esc twice stops, shift+tab changes the permission mode,
  ctrl+p lists every action, and ? in the empty composer lists every key.

Environment:
  LATHE_CONFIG_DIR       Directory of lathe.jsonc, agents and commands
  LATHE_DATA_DIR         Directory of the sessions
  LATHE_STATE_DIR        Directory of the log and the prompt history
  LATHE_CACHE_DIR        Directory of files that can be made again
  LATHE_LOG              What is logged; default: info
  LATHE_REDUCED_MOTION   Set to stop animation
  NO_COLOR               Set to draw without colours

`lathe man DIR` writes these pages as manual pages.";

pub(super) const RUN: &str = "\
Examples:
  lathe run \"why does the build fail?\"
  lathe run \"/review\" @src/main.rs
  lathe run --format json \"list the public functions\"
  lathe run -c \"now fix the second one\"
  lathe run --permission-mode accept-edits \"fix the typos in docs\"
  lathe run --budget 2.50 --fail-on-denied \"update the changelog\"
  git diff | lathe run \"review this\"   Piped text is appended to the prompt

Nobody can answer a permission prompt here, so a call that would ask is
denied and the model reads why. Allow what it needs with rules in
lathe.jsonc or with --permission-mode.

Exit status:
  0     the model finished
  1     an error, a refused or cut reply, the step limit or the budget
  2     bad usage or configuration
  3     a call was denied, with --fail-on-denied
  130   interrupted, or the reader of the output closed it";

pub(super) const TOOLS: &str = "\
Examples:
  lathe tools                The tools that the model sees
  lathe tools --all          Every tool
  lathe tools grep           The description and parameters of one tool";

pub(super) const TOOL: &str = "\
Examples:
  lathe tool list '{}'
  lathe tool grep '{\"pattern\": \"TODO\", \"path\": \"src\"}'
  lathe tool bash '{\"command\": \"git status\"}' --format json

Permissions apply as in `lathe run`: a call that would ask is denied.

Exit status:
  0     the call succeeded
  1     it failed or was denied
  2     bad usage or configuration";

pub(super) const CONFIG: &str = "\
Examples:
  lathe config path          The files, in the order in which they are read
  lathe config show          The merged configuration
  lathe config schema        The JSON Schema, for an editor";

pub(super) const PERMISSIONS: &str = "\
Examples:
  lathe permissions            Stored rules and trusted projects
  lathe permissions revoke 3   Remove rule 3
  lathe permissions revoke .   Stop trusting this project";

pub(super) const SESSIONS: &str = "\
Examples:
  lathe sessions                          All sessions, newest first
  lathe sessions search retry logic       Messages with \"retry logic\"
  lathe sessions export ID --format markdown
  lathe sessions import ~/session.jsonl   A session of another program, for this directory
  lathe sessions undo ID --list           What an undo would change

`lathe -s ID` opens a session on the screen.";

pub(super) const WORKTREES: &str = "\
Examples:
  lathe worktrees            The work trees of isolated tasks
  lathe worktrees diff ID    What a task changed
  lathe worktrees apply ID   Merge it into the project";

pub(super) const COMPLETIONS: &str = "\
Examples:
  lathe completions bash > ~/.local/share/bash-completion/completions/lathe
  lathe completions zsh > ~/.zfunc/_lathe
  lathe completions fish > ~/.config/fish/completions/lathe.fish";

pub(super) const MAN: &str = "\
Examples:
  lathe man | man -l -                Read the page of lathe itself
  lathe man ~/.local/share/man/man1   Install a page for each command";

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory, Parser};

    use super::super::args::Cli;

    fn examples(command: &Command) -> Vec<String> {
        let help = command.get_after_long_help();
        let help = help.map(ToString::to_string).unwrap_or_default();
        let lines = help.lines().filter_map(|line| line.strip_prefix("  "));
        let lines = lines.filter(|line| line.starts_with("lathe"));
        lines.map(str::to_owned).collect()
    }

    /// The words of an example, without the text that explains it and what the shell does with it.
    fn words(example: &str) -> Vec<String> {
        let line = example.split("  ").next().unwrap();
        let line = line
            .split([' ', '\t'])
            .take_while(|word| !["|", ">"].contains(word));
        let line = line.collect::<Vec<_>>().join(" ");
        let line = line.replace(" ID", " ses_0");
        let mut words = Vec::new();
        let mut quote = None;
        let mut word = String::new();
        for letter in line.chars() {
            match (quote, letter) {
                (None, '"' | '\'') => quote = Some(letter),
                (Some(open), _) if open == letter => quote = None,
                (None, ' ') => words.push(std::mem::take(&mut word)),
                _ => word.push(letter),
            }
        }
        words.push(word);
        words
    }

    #[test]
    fn each_example_is_a_command_line_that_lathe_understands() {
        let cli = Cli::command();
        let commands = std::iter::once(&cli).chain(cli.get_subcommands());
        let mut seen = 0;
        for example in commands.flat_map(examples) {
            let parsed = Cli::try_parse_from(words(&example));
            assert!(parsed.is_ok(), "{example}: {}", parsed.unwrap_err());
            seen += 1;
        }
        assert!(seen > 30, "{seen}");
    }

    #[test]
    fn each_command_with_arguments_has_examples() {
        let cli = Cli::command();
        for command in std::iter::once(&cli).chain(cli.get_subcommands()) {
            let takes_words = command.get_positionals().next().is_some() || command.has_subcommands();
            assert_eq!(
                takes_words,
                !examples(command).is_empty(),
                "{}",
                command.get_name()
            );
        }
    }
}
