//! Names of actions in `keybinds`.
//!
//! A name is the action's own, behind the name of its context where it works in one context alone: `editor`,
//! `composer-send`, `transcript-toggle-fold`. Names are what people write into files, so a variant that is renamed keeps
//! its old one here.

use super::{Action, Context, Edit};

/// Returns the name of an action in a context.
pub(crate) fn name(context: Context, action: Action) -> String {
    let own = own_name(action);
    match context.name() {
        Some(context) => format!("{context}-{own}"),
        None => own,
    }
}

fn own_name(action: Action) -> String {
    let own: &str = match action {
        Action::OpenList(list) => list.action,
        Action::OpenPage(page) => {
            return format!("show-{}", page.action);
        }
        Action::Edit(Edit::Extend(step)) => {
            let step: &str = step.into();
            return format!("select-{step}");
        }
        Action::Edit(Edit::Move(step)) | Action::SelectTo(step) => step.into(),
        Action::Edit(edit) => edit.into(),
        Action::OfLayer(name) => name,
        // Their contexts say the rest.
        Action::FormUp => "up",
        Action::FormDown => "down",
        Action::FormPick => "pick",
        Action::FormTick => "tick",
        Action::FormDone => "done",
        Action::FormNext => "next",
        Action::FormPrevious => "previous",
        Action::FormDismiss => "dismiss",
        Action::TakeItem => "take",
        Action::CompleteItem => "complete",
        Action::QueueEdit => "edit",
        Action::QueueRemove => "remove",
        Action::QueueSooner => "sooner",
        Action::QueueLater => "later",
        Action::QueueRedirect => "redirect",
        Action::ClosePage => "close",
        Action::PageTop => "top",
        Action::PageEnd => "end",
        Action::KeepSearch => "keep",
        Action::CopySelection => "copy",
        Action::EndSelection => "end",
        Action::FinishText => "finish",
        Action::PickRow => "pick",
        other => other.into(),
    };
    own.to_owned()
}

/// Returns true if an action's keys are what it means: the digits pick by number.
pub(crate) fn is_fixed(action: Action) -> bool {
    action == Action::FormPick
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::tui::app::pickers::{ACTIONS, THEMES};
    use crate::tui::keymap::table;

    #[test]
    fn every_action_has_a_name_of_its_own() {
        let mut seen: HashMap<String, Action> = HashMap::new();
        for row in table::rows() {
            let name = name(row.context, row.row.action);
            let is_kebab = name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
            assert!(is_kebab, "{name}");
            let before = seen.insert(name.clone(), row.row.action);
            assert!(
                before.is_none_or(|before| before == row.row.action),
                "{name} is two actions"
            );
        }
    }

    #[test]
    fn names_say_where_an_action_works() {
        for (context, action, expected) in [
            (Context::Global, Action::OpenList(&ACTIONS), "palette"),
            (Context::Leader, Action::OpenList(&THEMES), "open-themes"),
            (Context::Global, Action::CycleMode, "cycle-mode"),
            (Context::Composer, Action::Send, "composer-send"),
            (Context::Transcript, Action::ToggleFold, "transcript-toggle-fold"),
            (Context::Question, Action::AllowOnce, "permission-allow-once"),
        ] {
            assert_eq!(name(context, action), expected);
        }
    }
}
