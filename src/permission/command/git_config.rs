//! Finds out if a repository's own configuration makes git run programs.
//!
//! Reading git's files errs on the side of finding something: continued values are read as if each line began anew, and
//! a line that cannot be read counts as dangerous. Includes cannot be followed from text alone and count too.

use super::word::Word;

/// A repository's own configuration, found as git finds it: a work tree's `.git`, or a bare repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitConfig {
    /// Git would find no repository.
    NoRepository,
    /// The text of its configuration file.
    Text(String),
    /// It cannot be vouched for; says why.
    Unknown(String),
}

/// The key that sends git to another work tree. A submodule's configuration has it as a rule, and runs nothing by it.
pub const WORK_TREE: &str = "core.worktree";

/// The first key in the text of `.git/config` that makes even a reading command run something.
pub fn dangerous_key(config: &str) -> Option<String> {
    dangerous_keys(config).into_iter().next()
}

/// All of them, up to a line that cannot be read.
pub fn dangerous_keys(config: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut section = String::new();
    let mut subsection = false;
    let mut goes_on = false;
    for line in config.trim_start_matches('\u{feff}').lines() {
        let mut rest = line.trim();
        // It may be a section, or a part of the value before.
        let is_unclear = std::mem::replace(&mut goes_on, rest.ends_with('\\')) && rest.starts_with('[');
        if is_unclear {
            found.push(unreadable(line));
            return found;
        }
        while let Some(header) = rest.strip_prefix('[') {
            let Some((name, has_subsection, after)) = read_header(header) else {
                found.push(unreadable(line));
                return found;
            };
            section = name;
            subsection = has_subsection;
            rest = after.trim_start();
        }
        let key: String = rest
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
            .collect();
        let key = key.to_ascii_lowercase();
        if is_dangerous(&section, subsection, &key) {
            let middle = if subsection { ".*" } else { "" };
            found.push(format!("{section}{middle}.{key}"));
        }
    }
    found
}

/// Returns true if a key of git's configuration, as git lists it, makes even a reading command run something.
pub fn is_dangerous_key(name: &str) -> bool {
    let Some((section, rest)) = name.split_once('.') else {
        return false;
    };
    let (has_subsection, key) = match rest.rsplit_once('.') {
        Some((_, key)) => (true, key),
        None => (false, rest),
    };
    is_dangerous(
        &section.to_ascii_lowercase(),
        has_subsection,
        &key.to_ascii_lowercase(),
    )
}

/// Returns true if the words after `git` set a key that makes it run something: `-c alias.x=!sh`.
pub(super) fn sets_a_program(arguments: &[Word]) -> bool {
    let sets = |pair: &[Word]| pair[0].text == "-c" && names_a_program(&pair[1]);
    let from_outside = |word: &Word| word.text.starts_with("--config-env");
    arguments.windows(2).any(sets) || arguments.iter().any(from_outside)
}

fn names_a_program(setting: &Word) -> bool {
    let name = setting.text.split('=').next().unwrap_or_default();
    if name.contains('.') {
        is_dangerous_key(name)
    } else {
        setting.is_dynamic()
    }
}

fn unreadable(line: &str) -> String {
    let shown: String = line.chars().take(60).collect();
    format!("a line that cannot be read (`{shown}`)")
}

/// Reads `name "sub"]` or `name.sub]` and gives what follows.
fn read_header(header: &str) -> Option<(String, bool, &str)> {
    let end = header.find([']', '"', ' ', '\t'])?;
    let name = header[..end].to_ascii_lowercase();
    let (name, dotted) = match name.split_once('.') {
        Some((section, _)) => (section.to_owned(), true),
        None => (name, false),
    };
    let rest = header[end..].trim_start();
    if let Some(after) = rest.strip_prefix(']') {
        return Some((name, dotted, after));
    }
    let mut chars = rest.strip_prefix('"')?.chars();
    loop {
        match chars.next()? {
            '\\' => {
                chars.next()?;
            }
            '"' => break,
            _ => {}
        }
    }
    let after = chars.as_str().trim_start().strip_prefix(']')?;
    Some((name, true, after))
}

fn is_dangerous(section: &str, subsection: bool, key: &str) -> bool {
    if key.is_empty() {
        return false;
    }
    match section {
        "core" => matches!(
            key,
            "fsmonitor" | "hookspath" | "sshcommand" | "pager" | "alternaterefscommand" | "worktree"
        ),
        "diff" if subsection => matches!(key, "command" | "textconv"),
        // A submodule's own difference is told by git run within it.
        "diff" => matches!(key, "external" | "submodule"),
        "filter" | "alias" | "pager" | "hook" => true,
        "gpg" => key == "program",
        "log" => matches!(key, "showsignature" | "diffmerges"),
        "format" => key == "pretty",
        "pretty" => true,
        "merge" if subsection => key == "driver",
        "status" => key == "submodulesummary",
        "blame" => key == "ignorerevsfile",
        "include" | "includeif" => key == "path",
        // Another file then belongs to the configuration, or what is missing is fetched.
        "extensions" => matches!(key, "worktreeconfig" | "partialclone"),
        "remote" => key == "promisor",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_repository_is_harmless() {
        let text = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = x\n\tfetch = +y\n\
                    [branch \"main\"]\n\tremote = origin\n[user]\n\temail = a@b\n# [core] fsmonitor = x\n";
        assert_eq!(dangerous_key(text), None);
    }

    #[test]
    fn keys_that_run_programs_are_found_in_every_spelling() {
        for (text, key) in [
            ("[core]\nfsmonitor = ./x", "core.fsmonitor"),
            ("[CORE] FsMonitor=x", "core.fsmonitor"),
            ("\u{feff}[core]\r\n\tHooksPath\t=\tx\r\n", "core.hookspath"),
            ("[diff \"a]\\\"b\"]\n command = x", "diff.*.command"),
            ("[diff.jpg]\ntextconv = x", "diff.*.textconv"),
            ("[diff]\nexternal = x", "diff.external"),
            ("[diff]\nsubmodule = diff", "diff.submodule"),
            ("[filter \"lfs\"]\nclean = x", "filter.*.clean"),
            ("[gpg \"ssh\"]\nprogram = x", "gpg.*.program"),
            ("[alias]\nst = !x", "alias.st"),
            ("[include]\npath = x", "include.path"),
            ("[includeIf \"gitdir:x\"]\npath = x", "includeif.*.path"),
            ("[a][core]pager", "core.pager"),
            ("[core]\nworktree = /", "core.worktree"),
            ("[core]\nalternateRefsCommand = x", "core.alternaterefscommand"),
            ("[pager]\nlog = x", "pager.log"),
            ("[hook \"a\"]\ncommand = x", "hook.*.command"),
            ("[remote \"origin\"]\npromisor = true", "remote.*.promisor"),
            ("[extensions]\npartialClone = origin", "extensions.partialclone"),
        ] {
            assert_eq!(dangerous_key(text).as_deref(), Some(key), "{text:?}");
        }
        for text in [
            "[core",
            "# a comment \\\n[core] pager = x",
            "[core]\na = b \\\n[user]\nfsmonitor = x",
        ] {
            let found = dangerous_key(text);
            assert!(
                found.is_some_and(|key| key.contains("cannot be read")),
                "{text:?}"
            );
        }
    }

    #[test]
    fn no_key_hides_the_one_after_it() {
        let text = "[core]\nworktree = ../x\nfsmonitor = x\n[core\n[alias] a = b";
        let found = dangerous_keys(text);
        assert_eq!(found[..2], ["core.worktree", "core.fsmonitor"]);
        assert_eq!(found.len(), 3, "{found:?}");
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC*") {
            dangerous_key(&text);
        }
    }
}
