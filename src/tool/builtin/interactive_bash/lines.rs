//! Lines that a shell reads from a terminal, as far as they can be judged as commands.
//!
//! A line is judged by the grammar of bash. A shell at its prompt does more than `bash -c` with the same text: it takes in
//! earlier lines, waits for the rest of a line, and keeps what a line sets. Lines where that matters are not judged.

use crate::permission::command::analyse;
use crate::tool::ShellGrammar;

/// A line with why it is not judged as a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShellLine {
    pub(super) text: String,
    pub(super) unjudged: Option<&'static str>,
    /// The shell waits for nothing more behind it.
    pub(super) is_whole: bool,
}

impl ShellLine {
    pub(super) fn new(text: String, grammar: ShellGrammar) -> Self {
        let unjudged = unjudged(&text, grammar);
        Self {
            is_whole: text.trim().is_empty() || unjudged.is_none() && analyse(&text).refusal.is_none(),
            unjudged,
            text,
        }
    }
}

/// Why a line is not judged as a command, if it is not.
fn unjudged(line: &str, grammar: ShellGrammar) -> Option<&'static str> {
    if line.trim().is_empty() {
        return None;
    }
    if expands_history(line) {
        return Some("it may take in earlier lines");
    }
    if has_comment(line) {
        return Some("the shell may be set to read no comments");
    }
    if goes_on(line) {
        return Some("it may go on in the next line");
    }
    if grammar == ShellGrammar::Dash && !is_read_alike(line) {
        return Some("the shell may read it in another way than bash");
    }
    let analysis = analyse(line);
    let changes_shell = !analysis.lasting.is_empty() || analysis.exports;
    (analysis.refusal.is_none() && changes_shell).then_some("it changes variables of the shell that reads it")
}

/// Returns true if an interactive shell may put earlier lines into this one (`!!`, `!$`, `^a^b`).
fn expands_history(line: &str) -> bool {
    let mut characters = line.chars().peekable();
    let is_reference =
        |next: Option<&char>| next.is_some_and(|next| !next.is_whitespace() && !"=(".contains(*next));
    let mut found = line.trim_start().starts_with('^');
    while let Some(character) = characters.next() {
        found |= character == '!' && is_reference(characters.peek());
    }
    found
}

fn has_comment(line: &str) -> bool {
    let mut previous = ' ';
    line.chars().any(|character| {
        let begins = character == '#' && !(previous.is_alphanumeric() || "$@/=:._-,+%{".contains(previous));
        previous = character;
        begins
    })
}

/// Returns true if the shell waits for more: an escaped end, or a here-document.
fn goes_on(line: &str) -> bool {
    let escapes = line.len() - line.trim_end_matches('\\').len();
    escapes % 2 == 1 || line.replace("<<<", "").contains("<<")
}

/// Returns true for a form that bash and dash read alike: words without expansions, in quotes or not, between operators
/// that both have.
fn is_read_alike(line: &str) -> bool {
    let mut rest = line.chars().peekable();
    let mut previous = ' ';
    while let Some(character) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        let is_known = match character {
            '\'' => rest.by_ref().any(|c| c == '\''),
            '"' => {
                let mut text = rest.by_ref().take_while(|c| *c != '"');
                text.all(|c| !"$`\\!".contains(c))
            }
            '|' => next != '&',
            '&' => previous == '&' || next == '&',
            ';' => next != ';' && previous != ';',
            '>' => matches!(next, ' ' | '>' | '.' | '/') || next.is_ascii_alphanumeric(),
            '<' => next == ' ' || next.is_ascii_alphanumeric(),
            '~' => previous == ' ',
            c => c.is_ascii_alphanumeric() || " _./:,+@%=-".contains(c),
        };
        if !is_known {
            return false;
        }
        previous = character;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(line: &str, grammar: ShellGrammar) -> bool {
        ShellLine::new(line.to_owned(), grammar).is_whole
    }

    #[test]
    fn a_line_that_a_prompt_reads_otherwise_is_not_judged() {
        for line in [
            "cargo test -p x",
            "cargo test 'a b' && ls | wc -l",
            "cd src; ls",
            "echo \"$HOME\"",
            "cat <<< x",
            "! true",
            "echo a#b",
            "RUST_LOG=debug cargo test",
            "",
        ] {
            assert!(judged(line, ShellGrammar::Bash), "{line}");
        }
        for line in [
            "sudo !!",
            "echo !$",
            "^a^b",
            "cargo test # ; touch x",
            "cargo test ';#' #",
            "(ls)#x",
            "cargo test \\",
            "ls <<ls",
            "cat <<'EOF'",
            "PS1='$(touch x)'",
            "HISTFILE=x",
            "x=.env",
            "export A=1",
            "read x",
        ] {
            assert!(!judged(line, ShellGrammar::Bash), "{line}");
        }
    }

    #[test]
    fn dash_gets_what_bash_reads_alike() {
        for line in [
            "cargo test -p x",
            "cargo test 'a $b' \"c d\" && ls | wc -l; ls > out",
            "cd ../x || ls ~/a",
        ] {
            assert!(judged(line, ShellGrammar::Dash), "{line}");
        }
        for line in [
            "cargo test $'a\\'b'",
            "cat {a,b}",
            "cargo test &> x",
            "cargo test |& x",
            "cargo test \"$(touch x)\"",
            "cargo test `touch x`",
            "cargo test a\\ b",
            "cat <(ls)",
            "[[ -f x ]]",
            "cat <<< x",
            "cargo test $X",
            "cargo test 'a",
            "cargo test & touch x",
            "ls *",
        ] {
            assert!(!judged(line, ShellGrammar::Dash), "{line}");
        }
    }

    #[test]
    fn only_a_whole_line_leaves_an_empty_one() {
        let whole = |line: &str| ShellLine::new(line.to_owned(), ShellGrammar::Bash).is_whole;
        assert!(whole("ls") && whole("") && whole("cargo test 'a'"));
        for line in [
            "echo 'a",
            "if true; then",
            "ls <<x",
            "ls \\",
            "(ls",
            "ls &&",
            "echo $((",
        ] {
            assert!(!whole(line), "{line}");
        }
    }
}
