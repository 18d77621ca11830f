//! Functions that give a known command another meaning.

use super::facts::Facts;
use super::hazards::changes_the_shell;
use super::{files, read_only};
use crate::permission::wrappers::is_wrapper;

/// Looks at the functions of the whole, once every command was looked at.
pub(super) fn check_functions(facts: &mut Facts) {
    if facts.functions.iter().any(|name| is_known(name)) {
        facts.refuse("it gives a known command another meaning");
    }
}

/// Returns true if a name means something to lathe or to the shell.
fn is_known(name: &str) -> bool {
    const BUILTINS: &[&str] = &[
        "cd", "chdir", "pushd", "popd", "dirs", "echo", "printf", "test", "[", "true", "false", ":", "exit",
        "return", "break", "continue", "shift", "wait", "kill", "jobs", "umask", "type", "command",
        "builtin", "eval", "exec", "time", "set",
    ];
    BUILTINS.contains(&name)
        || changes_the_shell(name)
        || is_wrapper(name)
        || read_only::is_listed(name)
        || files::is_listed(name)
}
