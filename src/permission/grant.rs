//! The answer "always": patterns that become allow rules, and the floor below which nothing is stored.

use std::path::Path;

use super::Pattern;
use super::broker::Scope;
use super::rule::{Action, Rule, Source};

/// Programs that run whatever they are given: a rule for one of them alone would be a rule for everything.
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python2", "python3", "node", "nodejs", "perl",
    "ruby", "php", "sudo", "doas", "su", "env", "xargs", "eval", "exec", "ssh", "curl", "wget", "pwsh",
];

/// Stands for "anything at all" after an interpreter's name.
const ANYTHING: &str = "\u{1}anything";

/// Why a pattern is not stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Floored {
    #[error("an empty pattern allows nothing; write what to allow")]
    Empty,
    #[error("`{0}` would allow every command; name the program and what it does")]
    Everything(String),
    #[error("`{pattern}` would let `{program}` run anything; name what it runs")]
    Interpreter { pattern: String, program: &'static str },
}

/// Refuses patterns that are too wide to be stored.
pub fn floor(key: &str, pattern: &str) -> Result<(), Floored> {
    let trimmed = pattern.trim();
    if trimmed.is_empty() {
        return Err(Floored::Empty);
    }
    let is_shell = matches!(key, "bash" | "interactive_bash") || key.contains(['*', '?']);
    if !is_shell {
        return Ok(());
    }
    let compiled = Pattern::new(without_directory(trimmed).as_str(), None);
    if compiled.matches(ANYTHING) {
        return Err(Floored::Everything(pattern.to_owned()));
    }
    if key == "interactive_bash" {
        return Ok(());
    }
    let runs_anything = |program: &&&'static str| {
        compiled.matches(program)
            || compiled.matches(&format!("{program} {ANYTHING}"))
            || compiled.matches(&format!("{program} -c {ANYTHING}"))
            || compiled.matches(&format!("{program} -e {ANYTHING}"))
    };
    match INTERPRETERS.iter().find(runs_anything) {
        Some(program) => Err(Floored::Interpreter {
            pattern: pattern.to_owned(),
            program,
        }),
        None => Ok(()),
    }
}

/// `/usr/bin/python *` is judged as `python *`.
fn without_directory(pattern: &str) -> String {
    let (program, arguments) = pattern.split_at(pattern.find(' ').unwrap_or(pattern.len()));
    let program = program.rsplit('/').next().unwrap_or(program);
    format!("{program}{arguments}")
}

/// Turns the ticked patterns of an answer into rules, all or none.
pub fn grants(
    patterns: &[(String, String)],
    scope: Scope,
    home: Option<&Path>,
) -> Result<Vec<Rule>, Floored> {
    patterns
        .iter()
        .map(|(key, pattern)| {
            floor(key, pattern)?;
            Ok(Rule::new(key, pattern, Action::Allow, Source::Grant(scope), home))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_allow_anything_is_not_stored() {
        for pattern in [
            "",
            "  ",
            "*",
            "**",
            "* *",
            "?*",
            "python",
            "python *",
            "python*",
            "/usr/bin/env *",
            "sudo *",
            "py*",
            "s* *",
            "curl *",
            "bash -c *",
            "perl -e *",
            "*sh -c *",
            "sh",
        ] {
            assert!(floor("bash", pattern).is_err(), "{pattern}");
        }
        for pattern in [
            "cargo test *",
            "ls *",
            "python manage.py *",
            "python -m pytest *",
            "git push",
            "node scripts/x.js",
            "shfmt *",
        ] {
            assert_eq!(floor("bash", pattern), Ok(()), "{pattern}");
        }
        assert_eq!(floor("edit", "*"), Ok(()));
        assert_eq!(floor("edit", ""), Err(Floored::Empty));
    }

    #[test]
    fn one_pattern_below_the_floor_keeps_all_from_being_stored() {
        let patterns = [
            ("bash".to_owned(), "ls *".to_owned()),
            ("bash".to_owned(), "*".to_owned()),
        ];
        assert!(grants(&patterns, Scope::Session, None).is_err());
        assert_eq!(grants(&patterns[..1], Scope::Session, None).unwrap().len(), 1);
    }
}
