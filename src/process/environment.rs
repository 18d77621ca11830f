//! The environment of shell commands: the user's, without secrets and without anything that waits for a human.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::sync::{Mutex, PoisonError};

/// A variable with one of these in its name holds a secret, as far as anyone can tell from a name.
const SECRET_WORDS: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"];

/// Set whatever the user has them set to: no colours, no pagers, no editors, no questions.
const SETTINGS: [(&str, &str); 16] = [
    ("CI", "true"),
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "true"),
    ("EDITOR", "true"),
    ("VISUAL", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GCM_INTERACTIVE", "never"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("HOMEBREW_NO_AUTO_UPDATE", "1"),
    ("npm_config_yes", "true"),
    ("PIP_NO_INPUT", "1"),
    ("LATHE", "1"),
];

/// Left out whatever they hold: a start file that bash would read, where another shell has been, the other way to say what
/// `TERM` says, for which some programs colour all the same, the terminal where passphrases are asked for, and options for
/// `rg` that nobody sees.
const LEFT_OUT: [&str; 6] = [
    "BASH_ENV",
    "PWD",
    "OLDPWD",
    "COLORTERM",
    "GPG_TTY",
    "RIPGREP_CONFIG_PATH",
];

/// Set in a terminal whatever the user has them set to.
const TERMINAL_SETTINGS: [(&str, &str); 3] = [
    ("TERM", "xterm-256color"),
    ("COLORTERM", "truecolor"),
    ("LATHE", "1"),
];

/// Set for a program that an agent starts in a terminal, so that no key shows what the person has typed elsewhere: the files
/// in which shells and interpreters keep earlier lines. A start file of the person's may set them anew.
const WITHOUT_HISTORY: [(&str, &str); 8] = [
    ("HISTFILE", ""),
    ("fish_history", ""),
    ("LESSHISTFILE", "-"),
    ("NODE_REPL_HISTORY", ""),
    ("PYTHON_HISTORY", "/dev/null"),
    ("MYSQL_HISTFILE", "/dev/null"),
    ("PSQL_HISTORY", "/dev/null"),
    ("SQLITE_HISTORY", "/dev/null"),
];

/// Left out in a terminal: they tell of the size and the kind of the person's own terminal.
const TERMINAL_LEFT_OUT: [&str; 10] = [
    "COLUMNS",
    "LINES",
    "TERMCAP",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TERM_SESSION_ID",
    "TMUX",
    "TMUX_PANE",
    "STY",
    "WINDOWID",
];

/// Variables whose values are sent to a server, by any configuration that was read. The environment is the process's, and so
/// is what is known of it.
static SENT_TO_SERVERS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Notes variables whose values are sent to a server. No program that lathe starts is given them.
pub fn withhold(names: impl IntoIterator<Item = String>) {
    let mut known = SENT_TO_SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
    known.extend(names);
}

/// The variables that were noted, to be taken from programs which otherwise have the person's whole environment: their
/// editor, and those that read and write the clipboard.
pub fn withheld() -> Vec<String> {
    let known = SENT_TO_SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
    known.iter().cloned().collect()
}

/// Settings that decide which variables a command sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvironmentRules {
    /// Variables that hold the keys of providers, whatever they are called.
    pub provider_keys: Vec<String>,
    /// Names that are kept all the same (`bash.env_allow`), in their exact spelling.
    pub allow: Vec<String>,
    /// Becomes `LATHE_SESSION_ID`.
    pub session: Option<String>,
}

/// The whole environment of a shell command, made from the given variables.
pub fn shell_environment(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    rules: &EnvironmentRules,
) -> Vec<(OsString, OsString)> {
    let set: Vec<(&str, &str)> = SETTINGS
        .into_iter()
        .chain(
            rules
                .session
                .as_deref()
                .map(|session| ("LATHE_SESSION_ID", session)),
        )
        .collect();
    let is_set = |name: &OsStr| set.iter().any(|(known, _)| name == *known);
    let kept = variables
        .into_iter()
        .filter(|(name, _)| !is_set(name) && rules.keep(name));
    kept.chain(set.iter().map(|(name, value)| (name.into(), value.into())))
        .collect()
}

/// The whole environment of a program in a terminal: the person's own, as in a terminal of theirs, without secrets.
pub fn terminal_environment(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    rules: &EnvironmentRules,
) -> Vec<(OsString, OsString)> {
    let is_set = |name: &OsStr| {
        TERMINAL_SETTINGS.iter().any(|(known, _)| name == *known)
            || TERMINAL_LEFT_OUT.iter().any(|known| name == *known)
            || name == "LATHE_SESSION_ID"
    };
    let kept = variables
        .into_iter()
        .filter(|(name, _)| !is_set(name) && rules.keep(name));
    let session = rules
        .session
        .as_deref()
        .map(|session| ("LATHE_SESSION_ID", session));
    let set = TERMINAL_SETTINGS.into_iter().chain(session);
    kept.chain(set.map(|(name, value)| (name.into(), value.into())))
        .collect()
}

/// The environment of a terminal without what the person has typed elsewhere.
pub fn without_history(environment: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let is_set = |name: &OsStr| WITHOUT_HISTORY.iter().any(|(known, _)| name == *known);
    let kept = environment.iter().filter(|(name, _)| !is_set(name)).cloned();
    kept.chain(WITHOUT_HISTORY.map(|(name, value)| (name.into(), value.into())))
        .collect()
}

impl EnvironmentRules {
    fn keep(&self, name: &OsStr) -> bool {
        let is_in = |names: &[String]| names.iter().any(|known| name == known.as_str());
        if LEFT_OUT.iter().any(|known| name == *known) {
            return false;
        }
        is_in(&self.allow) || !(is_in(&self.provider_keys) || looks_secret(name))
    }
}

/// Spelling in capitals is a custom only: `npm_config__authToken` is as secret.
fn looks_secret(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn built(variables: &[(&str, &str)], rules: &EnvironmentRules) -> Vec<(String, String)> {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        let text = |text: OsString| text.into_string().unwrap();
        shell_environment(variables, rules)
            .into_iter()
            .map(|(name, value)| (text(name), text(value)))
            .collect()
    }

    fn names(variables: &[(&str, &str)], rules: &EnvironmentRules) -> Vec<String> {
        let unasked = built(&[], rules).len();
        let mut names: Vec<String> = built(variables, rules)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        names.truncate(names.len() - unasked);
        names
    }

    #[test]
    fn secrets_are_left_out() {
        let variables = [
            "HOME",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "npm_config__authToken",
            "DB_PASSWD",
            "LANG",
        ]
        .map(|name| (name, "x"));
        assert_eq!(names(&variables, &EnvironmentRules::default()), ["HOME", "LANG"]);
    }

    #[test]
    fn keys_of_providers_are_left_out_by_any_name() {
        let rules = EnvironmentRules {
            provider_keys: vec!["MY_MODEL".into()],
            ..EnvironmentRules::default()
        };
        assert_eq!(
            names(&[("MY_MODEL", "x"), ("MY_MODELS", "x")], &rules),
            ["MY_MODELS"]
        );
    }

    #[test]
    fn allowed_names_are_kept() {
        let allow = vec!["GITHUB_TOKEN".into(), "MINE".into()];
        let rules = EnvironmentRules {
            provider_keys: vec!["MINE".into()],
            allow,
            ..EnvironmentRules::default()
        };
        let variables = [("GITHUB_TOKEN", "x"), ("MINE", "x"), ("OTHER_TOKEN", "x")];
        assert_eq!(names(&variables, &rules), ["GITHUB_TOKEN", "MINE"]);
    }

    #[test]
    fn settings_replace_the_user_s_own() {
        let rules = EnvironmentRules {
            session: Some("ses_1".into()),
            ..EnvironmentRules::default()
        };
        let variables = built(
            &[("TERM", "xterm"), ("PAGER", "less"), ("LATHE_SESSION_ID", "old")],
            &rules,
        );
        let value = |name: &str| {
            let mut values = variables
                .iter()
                .filter(|(known, _)| known == name)
                .map(|(_, value)| value.as_str());
            (values.next(), values.next())
        };
        assert_eq!(value("TERM"), (Some("dumb"), None));
        assert_eq!(value("PAGER"), (Some("cat"), None));
        assert_eq!(value("LATHE_SESSION_ID"), (Some("ses_1"), None));
        assert_eq!(value("CI"), (Some("true"), None));
    }

    #[test]
    fn a_terminal_has_the_user_s_own_settings_without_secrets() {
        let variables = [
            ("TERM", "dumb"),
            ("PAGER", "less"),
            ("EDITOR", "vim"),
            ("API_KEY", "x"),
            ("LINES", "24"),
            ("TMUX", "/tmp/tmux"),
            ("LATHE_SESSION_ID", "old"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let rules = EnvironmentRules {
            session: Some("ses_1".into()),
            ..EnvironmentRules::default()
        };
        let built: Vec<(String, String)> = terminal_environment(variables, &rules)
            .into_iter()
            .map(|(name, value)| (name.into_string().unwrap(), value.into_string().unwrap()))
            .collect();
        let expected = [
            ("PAGER", "less"),
            ("EDITOR", "vim"),
            ("TERM", "xterm-256color"),
            ("COLORTERM", "truecolor"),
            ("LATHE", "1"),
            ("LATHE_SESSION_ID", "ses_1"),
        ];
        assert_eq!(built, expected.map(|(name, value)| (name.into(), value.into())));
    }

    #[test]
    fn start_files_and_old_places_do_not_carry_over() {
        let variables = [
            ("BASH_ENV", "~/.bashrc"),
            ("PWD", "/"),
            ("OLDPWD", "/"),
            ("PATH", "/bin"),
        ];
        assert_eq!(names(&variables, &EnvironmentRules::default()), ["PATH"]);
    }

    #[test]
    fn bytes_that_are_no_text_pass_through() {
        let odd = (
            OsString::from_vec(b"A\xff".to_vec()),
            OsString::from_vec(b"\xfe".to_vec()),
        );
        let built = shell_environment([odd.clone()], &EnvironmentRules::default());
        assert_eq!(built[0], odd);
    }
}
