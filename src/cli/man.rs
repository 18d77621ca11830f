//! `lathe man [DIR]`: manual pages, made of the same definitions as `--help`.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::args::Cli;
use super::failure::Failure;
use super::output::print;

/// Prints the page of lathe itself, or writes a page for each command into a directory.
pub(super) fn man(directory: Option<&Path>) -> Result<(), Failure> {
    let mut cli = Cli::command().disable_help_subcommand(true);
    // Names each command in full: `lathe-sessions-list`.
    cli.build();
    match directory {
        None => print(&String::from_utf8_lossy(&page(&cli)?)),
        Some(directory) => {
            let failed = |error| Failure::system(&format!("cannot write {}", directory.display()), error);
            fs::create_dir_all(directory).map_err(failed)?;
            write_pages(&cli, directory).map_err(failed)
        }
    }
}

fn write_pages(command: &Command, directory: &Path) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    fs::write(directory.join(format!("{name}.1")), page(command)?)?;
    let mut commands = command.get_subcommands();
    commands.try_for_each(|command| write_pages(command, directory))
}

fn page(command: &Command) -> io::Result<Vec<u8>> {
    let man = Man::new(command.clone())
        .source(concat!("lathe ", env!("CARGO_PKG_VERSION")))
        .manual("lathe");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let end = command.get_after_long_help().map(ToString::to_string);
    end_sections(&end.unwrap_or_default()).to_writer(&mut page)?;
    Ok(page)
}

/// Sections of the paragraphs at the end of the help. The first line of one with a heading ends with a colon; its other
/// lines are kept as they are, because they are columns.
fn end_sections(help: &str) -> Roff {
    let mut sections = Roff::new();
    for paragraph in help.split("\n\n") {
        let heading = paragraph.split_once(":\n");
        let heading = heading.filter(|(heading, _)| !heading.contains('\n'));
        let Some((heading, lines)) = heading else {
            sections.control("PP", []);
            sections.text([roman(paragraph)]);
            continue;
        };
        sections.control("SH", [heading.to_uppercase().as_str()]);
        sections.control("nf", []);
        for line in lines.lines() {
            sections.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
        }
        sections.control("fi", []);
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_the_help_are_sections_and_columns_are_kept() {
        let sections = end_sections("Examples:\n  lathe -c   Go on\n\nA sentence.").to_roff();
        for part in [
            ".SH EXAMPLES\n.nf\n",
            "lathe \\-c   Go on\n.fi\n",
            ".PP\nA sentence.\n",
        ] {
            assert!(sections.contains(part), "{part}: {sections}");
        }
    }
}
