//! `lathe completions SHELL`.

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::Cli;
use super::failure::Failure;
use super::output::print;

pub(super) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "lathe", &mut script);
    print(&String::from_utf8_lossy(&script))
}
