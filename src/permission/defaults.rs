//! The rules everybody starts with, and the paths that are watched more closely than others.
//!
//! Protected names are compared without regard to case and to characters that some file systems ignore, because there
//! `.GIT` and `.git` are one directory.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::Pattern;
use super::folded::folded;
use super::keys::FAMILIES;
use super::rule::{Action, PROTECTED, Rule, Source};
use super::subject::Subject;

/// Directories that the defaults speak about. All are absolute.
#[derive(Debug, Clone, Default)]
pub struct DefaultPaths {
    pub home: Option<PathBuf>,
    pub project_root: PathBuf,
    /// Lathe's own: configuration, data, state.
    pub own: Vec<PathBuf>,
    /// Those that hold the project's repository, wherever its `.git` leads.
    pub git: Vec<PathBuf>,
    /// Outside the project and open without asking: tool outputs, scratch, skills.
    pub open: Vec<PathBuf>,
    /// The work tree of a task, of which only the repository is protected: nothing in it counts before a person applies
    /// it.
    pub tree: Option<PathBuf>,
}

/// The rules below all others.
pub fn defaults(places: &DefaultPaths) -> Vec<Rule> {
    use Action::{Allow, Ask};
    let home = places.home.as_deref();
    let rule =
        |(key, pattern, action): (&str, &str, Action)| Rule::new(key, pattern, action, Source::Default, home);
    let families = FAMILIES
        .iter()
        .filter_map(|(key, action)| Some((*key, "*", (*action)?)));
    let special = [
        ("read", "*.env", Ask),
        ("read", "*.env.*", Ask),
        ("read", "*id_rsa*", Ask),
        ("read", "*id_ed25519*", Ask),
        ("read", "*.pem", Ask),
        ("read", "*/.aws/credentials", Ask),
        ("read", "*.env.example", Allow),
        ("read", "*.env.sample", Allow),
        ("read", "*.env.template", Allow),
        ("read", "*.env.dist", Allow),
        ("bash", "@read-only", Allow),
        ("external_directory", "/dev/null", Allow),
    ];
    let mut rules: Vec<Rule> = families.chain(special).map(rule).collect();
    rules.extend(places.open.iter().filter_map(|dir| {
        let pattern = Pattern::directory(dir.to_str()?);
        Some(Rule::with_pattern(
            "external_directory",
            pattern,
            Allow,
            Source::Default,
        ))
    }));
    rules.extend(protected(places));
    rules
}

/// Written after asking: what other programs or lathe itself take orders from.
const ASKED_DIRECTORIES: &[&str] = &[
    ".claude",
    ".codex",
    ".opencode",
    ".omp",
    ".xcsh",
    ".pi",
    ".agents",
    ".github/workflows",
];
const ASKED_FILES: &[&str] = &[
    ".mcp.json",
    "opencode.json",
    "opencode.jsonc",
    ".gitmodules",
    ".envrc",
    ".vscode/tasks.json",
];
/// Never written by a tool.
const DENIED: &[&str] = &[".git", "lathe.jsonc"];

fn protected(places: &DefaultPaths) -> Vec<Rule> {
    use Action::{Allow, Deny};
    // What no other rule speaks about is not protected.
    let mut rules = vec![with(Pattern::new("*", None), Allow)];
    rules.extend(special_names(&places.project_root));
    let closed = || places.own.iter().chain(&places.git);
    for dir in closed().filter_map(|dir| dir.to_str()) {
        rules.push(with(Pattern::directory(&folded(dir)), Deny));
    }
    // A scratch project lies below lathe's own directories, and a work tree may lie in its bare repository; each is a
    // project all the same.
    let root = &places.project_root;
    let is_inside = closed().any(|dir| root.starts_with(dir) && root != dir);
    if let Some(root_name) = root.to_str().filter(|_| is_inside) {
        rules.push(with(Pattern::directory(&folded(root_name)), Allow));
        rules.extend(special_names(root));
    }
    if let Some(tree) = places.tree.as_deref().and_then(Path::to_str) {
        rules.push(with(Pattern::directory(&folded(tree)), Allow));
        let inside = [".git", ".git/*", "*/.git", "*/.git/*"];
        rules.extend(inside.map(|name| with(Pattern::new(&folded(&format!("{tree}/{name}")), None), Deny)));
    }
    rules
}

fn special_names(root: &Path) -> Vec<Rule> {
    use Action::{Allow, Ask, Deny};
    let at = |name: &str, action| with(Pattern::new(&format!("*/{name}"), None), action);
    let below = |name: &str, action| with(Pattern::new(&format!("*/{name}/*"), None), action);
    let mut rules = vec![at(".lathe", Ask), below(".lathe", Ask)];
    if let Some(root) = root.to_str() {
        let plans = folded(&format!("{}/.lathe/plans/", root.trim_end_matches('/')));
        rules.push(with(Pattern::below_with_suffix(&plans, ".md"), Allow));
    }
    rules.extend(
        ASKED_DIRECTORIES
            .iter()
            .flat_map(|name| [at(name, Ask), below(name, Ask)]),
    );
    rules.extend(ASKED_FILES.iter().map(|name| at(name, Ask)));
    rules.extend(DENIED.iter().flat_map(|name| [at(name, Deny), below(name, Deny)]));
    rules
}

fn with(pattern: Pattern, action: Action) -> Rule {
    Rule::with_pattern(PROTECTED, pattern, action, Source::Default)
}

/// Returns true for a name in a directory of this name that one of the rules for protected names may speak about. It is
/// quick, and says nothing of rules that the user has written.
pub fn may_be_protected(directory: &OsStr, name: &OsStr) -> bool {
    let is_plain = |name: &&str| name.is_ascii();
    let of = |name: &OsStr| match name.to_str().filter(is_plain) {
        Some(name) => name.to_ascii_lowercase(),
        None => folded(&name.to_string_lossy()),
    };
    // Nearly every name begins like none of them.
    if !matches!(
        name.as_encoded_bytes().first(),
        Some(b'.' | b'l' | b'L' | b'o' | b'O' | b'w' | b'W' | b't' | b'T' | 128..)
    ) {
        return false;
    }
    let (directory, name) = (of(directory), of(name));
    let known = ASKED_DIRECTORIES.iter().chain(ASKED_FILES).chain(DENIED);
    known
        .chain(&[".lathe"])
        .any(|known| match known.rsplit_once('/') {
            Some((above, last)) => above == directory && last == name,
            None => *known == name,
        })
}

/// The subject under which a write to a path is judged for `protected`.
pub fn protected_subject(absolute: &Path, relative: Option<&str>) -> Subject {
    let absolute = absolute.to_string_lossy();
    let mut subject = Subject::new(relative.unwrap_or(&absolute))
        .also(folded(&absolute))
        .also(absolute);
    subject.also.extend(relative.map(folded));
    subject
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::PermissionKey;
    use crate::permission::Permissions;
    use crate::unconfirmed::PLACES;

    fn permissions() -> Permissions {
        let places = DefaultPaths {
            home: Some("/home/u".into()),
            project_root: "/p".into(),
            own: vec![
                "/home/u/.config/lathe".into(),
                "/home/u/.local/share/lathe".into(),
            ],
            git: Vec::new(),
            open: vec!["/home/u/.local/share/lathe/tool-output".into()],
            tree: None,
        };
        Permissions {
            user: defaults(&places).into(),
            ..Permissions::default()
        }
    }

    #[test]
    fn secrets_are_asked_for_and_their_examples_are_not() {
        let permissions = permissions();
        for (path, expected) in [
            ("src/a.rs", Action::Allow),
            (".env", Action::Ask),
            ("deploy/prod.env", Action::Ask),
            (".env.local", Action::Ask),
            (".env.example", Action::Allow),
            ("/home/u/.ssh/id_rsa.pub", Action::Ask),
            ("/home/u/.aws/credentials", Action::Ask),
            ("key.pem", Action::Ask),
        ] {
            assert_eq!(
                permissions
                    .judge(&PermissionKey::READ, &Subject::new(path))
                    .action,
                expected,
                "{path}"
            );
        }
    }

    #[test]
    fn the_table_of_defaults_holds() {
        let permissions = permissions();
        for (key, text, expected) in [
            ("edit", "a", Action::Ask),
            ("bash", "ls", Action::Ask),
            ("interactive_bash", "x: y", Action::Ask),
            ("external_directory", "/etc/*", Action::Ask),
            ("external_directory", "/dev/null", Action::Allow),
            (
                "external_directory",
                "/home/u/.local/share/lathe/tool-output/*",
                Action::Allow,
            ),
            ("external_directory", "/home/u/.local/share/lathe/*", Action::Ask),
            ("webfetch", "https://x/", Action::Ask),
            ("websearch", "q", Action::Ask),
            ("task", "explore", Action::Allow),
            ("skill", "x", Action::Allow),
            ("mcp", "a_b", Action::Ask),
            ("custom", "x", Action::Ask),
            ("doom_loop", "read", Action::Ask),
            ("glob", "*", Action::Allow),
            ("todowrite", "*", Action::Allow),
            ("something_new", "*", Action::Ask),
        ] {
            assert_eq!(
                permissions
                    .judge(&PermissionKey::named(key), &Subject::new(text))
                    .action,
                expected,
                "{key} {text}"
            );
        }
    }

    #[test]
    fn protected_paths_are_known_in_every_spelling() {
        let permissions = permissions();
        for (path, expected) in [
            ("/p/src/a.rs", Action::Allow),
            ("/p/.gitignore", Action::Allow),
            ("/p/.git", Action::Deny),
            ("/p/.git/hooks/pre-commit", Action::Deny),
            ("/p/vendor/x/.GIT/config", Action::Deny),
            ("/p/.g\u{200c}it/config", Action::Deny),
            ("/p/lathe.jsonc", Action::Deny),
            ("/p/.lathe/lathe.jsonc", Action::Deny),
            ("/p/.lathe/Lathe.JSONC", Action::Deny),
            ("/p/.lathe/tools/x.ts", Action::Ask),
            ("/p/.lathe/plans/today.md", Action::Allow),
            ("/p/.lathe/plans/today.sh", Action::Ask),
            ("/p/.lathe/plans/.claude/commands/x.md", Action::Ask),
            ("/p/x/.lathe/plans/today.md", Action::Ask),
            ("/p/.claude/settings.json", Action::Ask),
            ("/home/u/.claude/settings.json", Action::Ask),
            ("/p/.mcp.json", Action::Ask),
            ("/p/.pi/settings.json", Action::Ask),
            ("/p/.agents/skills/x/SKILL.md", Action::Ask),
            ("/p/opencode.json", Action::Ask),
            ("/p/a/OpenCode.jsonc", Action::Ask),
            ("/p/opencode.md", Action::Allow),
            ("/p/pi/settings.json", Action::Allow),
            ("/p/agents/x.md", Action::Allow),
            ("/p/.envrc", Action::Ask),
            ("/p/.vscode/tasks.json", Action::Ask),
            ("/p/.vscode/settings.json", Action::Allow),
            ("/p/.github/wor\u{212a}flows/ci.yml", Action::Ask),
            ("/home/u/.config/lathe/lathe.jsonc", Action::Deny),
            ("/home/u/.config/lathe/agents/x.md", Action::Deny),
            ("/home/u/.local/share/lathe", Action::Deny),
        ] {
            let subject = protected_subject(Path::new(path), path.strip_prefix("/p/"));
            assert_eq!(
                permissions.judge(&PermissionKey::PROTECTED, &subject).action,
                expected,
                "{path}"
            );
        }
    }

    #[test]
    fn every_place_that_configuration_is_read_from_is_protected() {
        let permissions = permissions();
        for place in PLACES {
            for directory in ["", "sub/"] {
                let relative = format!("{directory}{}", place.name);
                let below = format!("{relative}/x.md");
                let names: &[&str] = if place.kind.is_directory() {
                    &[&relative, &below]
                } else {
                    &[&relative]
                };
                for name in names {
                    let path = Path::new("/p").join(name);
                    let subject = protected_subject(&path, Some(name));
                    let action = permissions.judge(&PermissionKey::PROTECTED, &subject).action;
                    assert_ne!(action, Action::Allow, "{name}");
                }
            }
        }
    }

    #[test]
    fn protected_names_are_the_same_composed_or_not() {
        let places = DefaultPaths {
            own: vec!["/home/r\u{e9}/.config/lathe".into()],
            ..DefaultPaths::default()
        };
        let mut user = defaults(&places);
        let source = Source::Global("/c/lathe.jsonc".into());
        user.push(Rule::new(
            "protected",
            "/p/Cle\u{301}s/*",
            Action::Deny,
            source,
            None,
        ));
        let permissions = Permissions {
            user: user.into(),
            ..Permissions::default()
        };
        for path in [
            "/home/r\u{e9}/.config/lathe/x",
            "/home/re\u{301}/.config/lathe/x",
            "/home/RE\u{301}/.config/lathe/x",
            "/p/cl\u{e9}s/a",
            "/p/CLE\u{301}S/a",
        ] {
            let subject = protected_subject(Path::new(path), None);
            assert_eq!(
                permissions.judge(&PermissionKey::PROTECTED, &subject).action,
                Action::Deny,
                "{path}"
            );
        }
    }

    #[test]
    fn the_directories_of_the_repository_are_protected_wherever_they_lie() {
        let places = DefaultPaths {
            project_root: "/bare/tree".into(),
            git: vec!["/store/trees/tree".into(), "/bare".into()],
            ..DefaultPaths::default()
        };
        let permissions = Permissions {
            user: defaults(&places).into(),
            ..Permissions::default()
        };
        for (path, expected) in [
            ("/bare/tree/a.rs", Action::Allow),
            ("/bare/tree/.git", Action::Deny),
            ("/bare/hooks/pre-commit", Action::Deny),
            ("/store/trees/tree/HEAD", Action::Deny),
            ("/store/trees/other", Action::Allow),
        ] {
            let subject = protected_subject(Path::new(path), None);
            assert_eq!(
                permissions.judge(&PermissionKey::PROTECTED, &subject).action,
                expected,
                "{path}"
            );
        }
    }

    #[test]
    fn a_project_below_lathes_own_directories_can_be_written() {
        let places = DefaultPaths {
            project_root: "/data/lathe/scratch/1".into(),
            own: vec!["/data/lathe".into()],
            ..DefaultPaths::default()
        };
        let permissions = Permissions {
            user: defaults(&places).into(),
            ..Permissions::default()
        };
        for (path, expected) in [
            ("/data/lathe/scratch/1/a.rs", Action::Allow),
            ("/data/lathe/scratch/1/.git/config", Action::Deny),
            ("/data/lathe/scratch/2/a.rs", Action::Deny),
        ] {
            let subject = protected_subject(Path::new(path), None);
            assert_eq!(
                permissions.judge(&PermissionKey::PROTECTED, &subject).action,
                expected,
                "{path}"
            );
        }
    }
}
