//! The project that the work tree of a task stands for: its rules are the tree's.
//!
//! A rule may name a file of the project by its absolute path, or by the path in the project. In a tree both mean the same
//! file of the tree, and the files of the project itself, which the task may read, keep the names that rules have for them.

use std::borrow::Cow;
use std::path::Path;

use super::folded::folded;
use super::keys::is_about_paths;
use super::rule::PROTECTED;
use super::subject::Subject;

/// A work tree and the project that it was made of. Both are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterpart {
    tree: String,
    project: String,
}

impl Counterpart {
    /// `None` for paths that are no text, which no rule can name.
    pub fn new(tree: &Path, project: &Path) -> Option<Self> {
        Some(Self {
            tree: tree.to_str()?.to_owned(),
            project: project.to_str()?.to_owned(),
        })
    }

    /// Adds the names that the subject has in the project.
    pub(super) fn widened<'a>(&self, keys: &[&str], subject: &'a Subject) -> Cow<'a, Subject> {
        if !keys.first().is_some_and(|key| is_about_paths(key)) {
            return Cow::Borrowed(subject);
        }
        let mut names = Vec::new();
        for form in forms(subject) {
            if let Some(rest) = below(form, &self.tree) {
                names.push(format!("{}/{rest}", self.project));
                names.push(rest.to_owned());
            } else if let Some(rest) = below(form, &self.project) {
                names.push(rest.to_owned());
            }
        }
        if keys.contains(&PROTECTED) {
            let same = names.iter().map(|name| folded(name)).collect::<Vec<_>>();
            names.extend(same);
        }
        names.retain(|name| !forms(subject).any(|form| form == name));
        if names.is_empty() {
            return Cow::Borrowed(subject);
        }
        let mut widened = subject.clone();
        widened.also.extend(names);
        Cow::Owned(widened)
    }

    /// The subject as it would be called in the project, for the rules of whoever works there.
    pub(super) fn in_project<'a>(&self, keys: &[&str], subject: &'a Subject) -> Cow<'a, Subject> {
        if !self.is_in_tree(keys, subject) {
            return self.widened(keys, subject);
        }
        let name = |form: &String| match below(form, &self.tree) {
            Some(rest) => format!("{}/{rest}", self.project),
            None => form.clone(),
        };
        let renamed = Subject {
            text: name(&subject.text),
            also: subject.also.iter().map(name).collect(),
            restrict_also: subject.restrict_also.iter().map(name).collect(),
            ..subject.clone()
        };
        Cow::Owned(self.widened(keys, &renamed).into_owned())
    }

    /// Returns true for a file of the tree.
    pub(super) fn is_in_tree(&self, keys: &[&str], subject: &Subject) -> bool {
        let is_path = keys.first().is_some_and(|key| is_about_paths(key));
        is_path && forms(subject).any(|form| *form == self.tree || below(form, &self.tree).is_some())
    }
}

fn forms(subject: &Subject) -> impl Iterator<Item = &String> {
    std::iter::once(&subject.text).chain(&subject.also)
}

fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    path.strip_prefix(directory)?.strip_prefix('/')
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::permission::{
        Action, DefaultPaths, PermissionKey, Permissions, Source, defaults, parse, protected_subject,
    };

    const TREE: &str = "/data/worktrees/p-1/tsk_1";

    fn rules(text: &str) -> Permissions {
        let source = Source::Global("/c/lathe.jsonc".into());
        let mut user = defaults(&DefaultPaths {
            project_root: "/p".into(),
            own: vec!["/data".into()],
            ..DefaultPaths::default()
        });
        user.extend(parse(&serde_json::from_str(text).unwrap(), &source, None).unwrap());
        Permissions {
            user: user.into(),
            ..Permissions::default()
        }
    }

    fn of_tree(own: &str, above: &str) -> Permissions {
        let mut user = defaults(&DefaultPaths {
            project_root: "/p".into(),
            own: vec!["/data".into()],
            tree: Some(TREE.into()),
            ..DefaultPaths::default()
        });
        let source = Source::Global("/c/lathe.jsonc".into());
        user.extend(parse(&serde_json::from_str(own).unwrap(), &source, None).unwrap());
        Permissions {
            user: user.into(),
            counterpart: Counterpart::new(Path::new(TREE), Path::new("/p")).map(Arc::new),
            above: Some(Arc::new(rules(above))),
            ..Permissions::default()
        }
    }

    #[test]
    fn rules_about_files_of_the_project_are_about_those_of_the_tree() {
        let own = r#"{"edit": {"/p/gen/*": "allow", "docs/*": "deny"}, "read": {"secret/*": "deny"}}"#;
        let permissions = of_tree(own, "{}");
        for (key, path, expected) in [
            ("edit", "gen/a", Action::Allow),
            ("edit", "docs/a", Action::Deny),
            ("edit", "src/a", Action::Ask),
            ("read", "secret/a", Action::Deny),
            ("read", "src/a", Action::Allow),
        ] {
            let subject = Subject::new(path).also(format!("{TREE}/{path}"));
            let verdict = permissions.judge(&PermissionKey::named(key), &subject);
            assert_eq!(verdict.action, expected, "{key} {path}");
        }
        let of_project = Subject::new("/p/secret/a");
        assert_eq!(
            permissions.judge(&PermissionKey::READ, &of_project).action,
            Action::Deny
        );
    }

    #[test]
    fn what_the_session_above_may_not_do_in_the_project_the_task_may_not_do_in_the_tree() {
        let permissions = of_tree(
            r#"{"edit": "allow"}"#,
            r#"{"edit": {"/p/locked/*": "deny", "own/*": "deny"}}"#,
        );
        for (path, expected) in [
            ("locked/a", Action::Deny),
            ("own/a", Action::Deny),
            ("src/a", Action::Allow),
        ] {
            let subject = Subject::new(path).also(format!("{TREE}/{path}"));
            let verdict = permissions.judge(&PermissionKey::EDIT, &subject);
            assert_eq!(verdict.action, expected, "{path}");
        }
    }

    #[test]
    fn the_tree_is_not_protected_but_for_its_repository() {
        let permissions = of_tree("{}", "{}");
        for (path, relative, expected) in [
            ("src/a", true, Action::Allow),
            (".github/workflows/ci.yml", true, Action::Allow),
            (".lathe/agents/x.md", true, Action::Allow),
            (".git", true, Action::Deny),
            (".git/hooks/x", true, Action::Deny),
            ("lib/.GIT/config", true, Action::Deny),
        ] {
            let relative = Some(path).filter(|_| relative);
            let subject = protected_subject(&Path::new(TREE).join(path), relative);
            let verdict = permissions.judge(&PermissionKey::PROTECTED, &subject);
            assert_eq!(verdict.action, expected, "{path}");
        }
        for path in ["/data/worktrees/p-1/tsk_2/a", "/data/x", "/p/.git/config"] {
            let subject = protected_subject(Path::new(path), None);
            let verdict = permissions.judge(&PermissionKey::PROTECTED, &subject);
            assert_eq!(verdict.action, Action::Deny, "{path}");
        }
    }
}
