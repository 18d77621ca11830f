mod agreement;
mod files;
mod here_documents;
mod lists;
mod read_only;
mod reading;
mod rules;

use super::*;
use crate::permission::PermissionKey;
use crate::permission::{Action, Permissions, Source, parse};

/// The one command of a text that is understood.
fn simple(command: &str) -> Simple {
    let analysis = analyse(command);
    assert_eq!(analysis.refusal, None, "{command:?}");
    let [simple] = analysis.commands.as_slice() else {
        panic!("{command:?} has {:?}", analysis.commands)
    };
    simple.clone()
}

/// Canonical texts of everything that runs.
fn commands(command: &str) -> Vec<String> {
    let analysis = analyse(command);
    assert_eq!(analysis.refusal, None, "{command:?}");
    analysis
        .commands
        .iter()
        .map(|simple| simple.canonical.clone())
        .collect()
}

fn is_opaque(command: &str) -> bool {
    analyse(command).refusal.is_some()
}

const FACTS: ReadOnlyFacts<'_> = ReadOnlyFacts {
    is_system_program: &|_| true,
    is_no_shim: &|_| true,
    is_in_project: &|path| !path.starts_with('/') && !path.contains(".."),
};

/// The list that all of a text's commands are on; the second where one of them is.
fn list_of(command: &str) -> Option<List> {
    let analysis = analyse(command);
    if analysis.refusal.is_some() || analysis.exports || !analysis.redirected.is_empty() {
        return None;
    }
    let lists = analysis
        .commands
        .iter()
        .map(|simple| Some(read_only(simple, &FACTS)?.list));
    lists.collect::<Option<Vec<List>>>()?.into_iter().max()
}

fn is_read_only(command: &str) -> bool {
    list_of(command).is_some()
}

/// The strictest of what the rules say of its commands.
fn verdict(rules: &str, command: &str) -> Action {
    let user = parse(&serde_json::from_str(rules).unwrap(), &Source::Default, None).unwrap();
    let permissions = Permissions {
        user: user.into(),
        ..Permissions::default()
    };
    let analysis = analyse(command);
    let judge = |ask: Ask| {
        let action = permissions.judge(&PermissionKey::BASH, &ask.subject).action;
        if ask.floor == Floor::Ask {
            action.max(Action::Ask)
        } else {
            action
        }
    };
    if analysis.refusal.is_some() {
        return judge(analysis.whole());
    }
    let actions = analysis.commands.iter().map(|simple| judge(simple.ask(false)));
    actions.max().unwrap()
}
