//! Whether a repository's own configuration makes git run programs.
//!
//! Reading git's files errs on the side of finding something: continued values are read as if each line began anew, and
//! a line that cannot be read counts as dangerous. Includes cannot be followed from text alone and count too.

/// The first key in the text of `.git/config` that makes even a reading command run something.
pub fn dangerous_key(config: &str) -> Option<String> {
    let mut section = String::new();
    let mut subsection = false;
    let mut goes_on = false;
    for line in config.trim_start_matches('\u{feff}').lines() {
        let mut rest = line.trim();
        // It may be a section, or a part of the value before.
        let is_unclear = std::mem::replace(&mut goes_on, rest.ends_with('\\')) && rest.starts_with('[');
        if is_unclear {
            return Some(unreadable(line));
        }
        while let Some(header) = rest.strip_prefix('[') {
            let Some((name, has_subsection, after)) = read_header(header) else {
                return Some(unreadable(line));
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
            return Some(format!("{section}{middle}.{key}"));
        }
    }
    None
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
        "diff" => key == "external",
        "filter" | "alias" | "pager" | "hook" => true,
        "gpg" => key == "program",
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

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC*") {
            dangerous_key(&text);
        }
    }
}
