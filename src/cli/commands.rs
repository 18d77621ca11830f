//! `lathe commands`: the user's own commands, and where each came from.

use super::failure::Failure;
use super::output::{clean, print, print_note, titled_table};
use super::place::Locations;
use crate::project::commands::UserCommand;
use crate::session::wire;

/// The list goes to stdout; what could not be read goes to stderr, with file and line.
pub(super) fn commands() -> Result<(), Failure> {
    let request = Locations::current()?.listing_request()?;
    let (commands, problems) = wire::user_commands(&request);
    print(&list(&commands))?;
    for problem in problems {
        print_note(&problem.to_string());
    }
    Ok(())
}

fn list(commands: &[UserCommand]) -> String {
    if commands.is_empty() {
        return "There are none yet. Each Markdown file in `.lathe/commands` is a command.\n".to_owned();
    }
    let row = |command: &UserCommand| {
        [
            format!("/{}", command.name),
            match command.argument_hint.as_str() {
                "" => "-".to_owned(),
                hint => clean(hint),
            },
            clean(&command.file.display().to_string()),
            clean(&command.description),
        ]
    };
    titled_table(
        ["NAME", "ARGUMENTS", "SOURCE", "DESCRIPTION"],
        commands.iter().map(row),
    )
}
