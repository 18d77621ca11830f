//! The rules of a configuration, and the gates that they make for files that are read.

use crate::permission::PermissionKey;
use std::path::Path;
use std::sync::Arc;

use super::imported;
use super::rule_files::rule_files;
use super::rule_keys::own_rules;
use super::{ErrorReport, OpenRequest, config_error};
use crate::config::{Dirs, Origin, RuleFiles};
use crate::conversation::SessionId;
use crate::files::Roots;
use crate::permission::{
    self, Action, Counterpart, DefaultPaths, ImportedRules, Permissions, ReadGate, Rule, Scope, Source,
    Subject,
};
use crate::process::Scratch;
use crate::project_root::git_directories;
use crate::regular_file::FileGate;
use crate::store::{GrantScope, Outputs, Store};
use crate::tool::TaskTree;
use crate::unconfirmed::UnconfirmedRecords;

pub(super) fn roots(request: &OpenRequest, directory: &Path) -> Roots {
    Roots::new(directory, request.dirs.home.as_deref())
}

/// Returns the lists of files that agents and commands created or changed and that have no yes.
pub(super) fn records(dirs: &Dirs) -> UnconfirmedRecords {
    UnconfirmedRecords::new(&dirs.data)
}

/// The rules of everybody who has a say, in their order.
pub(super) fn permissions(
    request: &OpenRequest,
    project: &Path,
    granted: Option<(&Store, &SessionId)>,
) -> Result<Permissions, ErrorReport> {
    let permissions = rules(&rule_files(request, project), None)?;
    with_grants(permissions, request, project, granted)
}

/// The same for a session in a work tree of a task: they are the project's, and the tree stands for it.
pub(super) fn tree_permissions(
    request: &OpenRequest,
    tree: &TaskTree,
    granted: Option<(&Store, &SessionId)>,
) -> Result<Permissions, ErrorReport> {
    let files = rule_files(request, &tree.project);
    let permissions = Permissions {
        counterpart: Counterpart::new(&tree.root, &tree.project).map(Arc::new),
        ..rules(&files, Some(&tree.root))?
    };
    with_grants(permissions, request, &tree.project, granted)
}

/// Returns the scope that a stored rule has in every place.
pub(super) fn scope_of(granted: &GrantScope) -> Scope {
    match granted {
        GrantScope::Session(_) => Scope::Session,
        GrantScope::Project(_) => Scope::Project,
        GrantScope::Global => Scope::Everywhere,
    }
}

fn with_grants(
    mut permissions: Permissions,
    request: &OpenRequest,
    project: &Path,
    granted: Option<(&Store, &SessionId)>,
) -> Result<Permissions, ErrorReport> {
    let home = request.dirs.home.as_deref();
    if let Some((store, session)) = granted {
        let stored = store.grants_for(session, project)?;
        permissions.grants.extend(stored.iter().map(|grant| {
            let source = Source::Grant(scope_of(&grant.scope));
            Rule::new(grant.key.as_str(), &grant.pattern, Action::Allow, source, home)
        }));
    }
    Ok(permissions)
}

/// The rules that configuration files have, over the defaults.
fn rules(files: &RuleFiles<'_>, tree: Option<&Path>) -> Result<Permissions, ErrorReport> {
    let dirs = files.dirs;
    let home = dirs.home.as_deref();
    let outputs = Outputs::new(&dirs.data);
    let mut permissions = Permissions {
        user: permission::defaults(&DefaultPaths {
            home: dirs.home.clone(),
            project_root: files.project_root.to_owned(),
            own: vec![dirs.config.clone(), dirs.data.clone(), dirs.state.clone()],
            git: git_directories(files.project_root)
                .map(|found| vec![found.git, found.common])
                .unwrap_or_default(),
            open: vec![outputs.dir().to_owned(), Scratch::parent()],
            tree: tree.map(Path::to_owned),
        })
        .into(),
        project_is_trusted: files.project_is_trusted,
        imported: imported::lists(files)
            .into_iter()
            .map(ImportedRules::from)
            .collect(),
        ..Permissions::default()
    };
    for layer in files.layers {
        let source = match layer.origin {
            Origin::Global => Source::Global(layer.file.clone()),
            Origin::Extra => Source::Extra(layer.file.clone()),
            Origin::Project => Source::Project(layer.file.clone()),
            Origin::Managed => Source::Managed(layer.file.clone()),
        };
        let rules = own_rules(&layer.rules, &source, home).map_err(|problem| {
            config_error(
                format!("`{}`: {problem}", layer.file.display()),
                "Write `allow`, `ask` or `deny`.",
            )
        })?;
        match layer.origin {
            Origin::Project => permissions.project.extend(rules),
            Origin::Managed => permissions.managed.extend(rules),
            Origin::Global | Origin::Extra => permissions.user.extend(rules),
        }
    }
    Ok(permissions)
}

/// Returns the gate of files that are named in prompts, by the rules of the configuration.
pub fn prompt_gate(files: &RuleFiles<'_>) -> Box<dyn FileGate> {
    match rules(files, None) {
        Ok(permissions) => Box::new(ReadGate::new(
            Arc::new(permissions),
            files.project_root.to_owned(),
        )),
        // The same error is told when the rules are needed.
        Err(_) => Box::new(|_: &Path| false),
    }
}

/// Returns why a file that the person names may not go with a prompt, as a sentence's end; `None` where it may.
///
/// Naming a file is the person's word, so nobody is asked. A rule that denies holds all the same, and a link is not the name of
/// what it leads to: where `read` asks about that, the person has to name it.
pub fn attachment_refusal(request: &OpenRequest, path: &Path) -> Result<Option<String>, ErrorReport> {
    let roots = roots(request, &request.directory);
    let permissions = permissions(request, roots.project_root(), None)?;
    let judge = |path: &Path| {
        let subject = Subject::new(roots.display(path)).also(path.to_string_lossy());
        permissions.judge(&PermissionKey::READ, &subject).action
    };
    let named = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let Ok(real) = path.canonicalize() else {
        // Reading it says what is wrong.
        return Ok(None);
    };
    // The name, but for links on the way to it, which say nothing of the file.
    let parent = named.parent().and_then(|parent| parent.canonicalize().ok());
    let named = match (parent, named.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => named,
    };
    let shown = roots.display(&real);
    Ok(match (judge(&named), judge(&real)) {
        (Action::Deny, _) | (_, Action::Deny) => {
            Some("cannot be attached: a rule of `permission` denies `read` for it".to_owned())
        }
        (Action::Allow, Action::Ask) => Some(format!(
            "leads to `{shown}`, which `read` asks about; name that file if it is to be sent"
        )),
        _ => None,
    })
}

/// The gate of agents and commands, which are read before a session is there.
pub(super) fn request_gate(request: &OpenRequest, roots: &Roots) -> Box<dyn FileGate> {
    prompt_gate(&rule_files(request, roots.project_root()))
}
