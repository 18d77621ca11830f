//! The keymap that a configuration describes: the table, changed by a preset, changed by the user's own keys.
//!
//! A key may have one meaning in one context, and none that another key has anywhere; what breaks that is a problem that
//! names both actions, and no keymap is made. Also nothing may lock a person in: `escape` and `palette` keep a key.

use std::collections::{HashMap, HashSet};

use super::name::{is_fixed, name};
use super::preset::{PRESETS, preset};
use super::{Action, BoundAction, Chord, Context, Key, Keymap, table};
use crate::tui::app::pickers::ACTIONS;

/// The entry that chooses the preset.
const PRESET: &str = "preset";
/// Instead of a key.
const NONE: &str = "none";
/// Before a key that follows the leader.
const LEADER: &str = "leader ";

/// A problem with an entry of `keybinds`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyProblem {
    /// The entry's name.
    pub name: String,
    pub message: String,
}

/// An action that may be given keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAction {
    pub name: String,
    /// Title of the part of the screen that reads them.
    pub context: &'static str,
    pub description: String,
    /// As `keybinds` writes them.
    pub keys: Vec<String>,
}

/// Returns all actions by their names, in the order of the table.
pub fn key_actions() -> Vec<KeyAction> {
    let mut actions: Vec<KeyAction> = Vec::new();
    for binding in Keymap::default()
        .bindings
        .iter()
        .filter(|binding| !is_fixed(binding.action))
    {
        let name = name(binding.context, binding.action);
        let before = if binding.context == Context::Leader {
            LEADER
        } else {
            ""
        };
        let keys = binding.keys.iter().map(|key| format!("{before}{}", key.name));
        match actions.iter_mut().find(|action| action.name == name) {
            Some(action) => action.keys.extend(keys),
            None => actions.push(KeyAction {
                name,
                context: binding.context.title(),
                description: binding.description.to_owned(),
                keys: keys.collect(),
            }),
        }
    }
    actions
}

/// Returns the names of the presets.
pub fn key_presets() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

impl Keymap {
    /// Makes the keymap of a configuration: names with the keys that are written there.
    pub fn configured<'a>(
        settings: impl IntoIterator<Item = (&'a str, Vec<String>)>,
    ) -> Result<Self, Vec<KeyProblem>> {
        let (presets, keys): (Vec<_>, Vec<_>) = settings.into_iter().partition(|(name, _)| *name == PRESET);
        let mut draft = KeymapDraft::default();
        for (_, names) in &presets {
            draft.take_preset(names);
        }
        for (name, keys) in &keys {
            draft.set_by_user(name, keys);
        }
        draft.finish()
    }
}

/// A keymap on its way.
struct KeymapDraft<'a> {
    bindings: Vec<BoundAction>,
    /// Names that the user has set, to be blamed for what goes wrong.
    set: HashSet<&'a str>,
    problems: Vec<KeyProblem>,
}

impl Default for KeymapDraft<'_> {
    fn default() -> Self {
        Self {
            bindings: table::rows().map(|row| BoundAction::of(&row)).collect(),
            set: HashSet::new(),
            problems: Vec::new(),
        }
    }
}

impl<'a> KeymapDraft<'a> {
    fn take_preset(&mut self, names: &[String]) {
        let found = match names {
            [name] => preset(name),
            _ => None,
        };
        let Some(preset) = found else {
            let known: Vec<String> = key_presets().iter().map(|name| format!("`{name}`")).collect();
            let given = names.join(", ");
            let message = format!(
                "`keybinds.preset` must be one of {}, not `{given}`",
                known.join(", ")
            );
            return self.report(PRESET, message);
        };
        for (name, keys) in preset.keys {
            let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
            self.set(name, &keys);
        }
    }

    fn set_by_user(&mut self, name: &'a str, keys: &[String]) {
        self.set.insert(name);
        self.set(name, keys);
    }

    fn set(&mut self, name: &str, keys: &[String]) {
        let Some(first) = self.bindings.iter().find(|binding| binding.has_name(name)) else {
            return self.report_unknown(name);
        };
        let (context, action, description) = (first.context, first.action, first.description);
        let brief = first.brief;
        if is_fixed(action) {
            return self.report(
                name,
                format!("`keybinds.{name}` cannot be changed: its keys are the digits"),
            );
        }
        let mut direct = Vec::new();
        let mut after_leader = Vec::new();
        for key in keys.iter().filter(|key| keys.len() > 1 || *key != NONE) {
            match read(key, context, action) {
                Ok(KeySequence::Direct(key)) => direct.push(key),
                Ok(KeySequence::AfterLeader(key)) => after_leader.push(key),
                Err(what) => self.report(name, format!("`keybinds.{name}`: {what}")),
            }
        }
        for binding in self.bindings.iter_mut().filter(|binding| binding.has_name(name)) {
            binding.keys.clear();
        }
        let direct_context = if context.name().is_some() {
            context
        } else {
            Context::Global
        };
        for (context, keys) in [(direct_context, direct), (Context::Leader, after_leader)] {
            if keys.is_empty() {
                continue;
            }
            let place = self
                .bindings
                .iter_mut()
                .find(|binding| binding.context == context && binding.action == action);
            match place {
                Some(binding) => binding.keys = keys,
                None => self.bindings.push(BoundAction {
                    context,
                    action,
                    description,
                    brief,
                    keys,
                }),
            }
        }
    }

    fn report(&mut self, name: &str, message: String) {
        self.problems.push(KeyProblem {
            name: name.to_owned(),
            message,
        });
    }

    fn report_unknown(&mut self, given: &str) {
        let names = self
            .bindings
            .iter()
            .map(|binding| name(binding.context, binding.action));
        let near = names
            .map(|name| (strsim::damerau_levenshtein(given, &name), name))
            .min();
        // Whoever leaves out where it works means the nearest with that ending.
        let ending = || {
            let ending = format!("-{given}");
            let mut names = self
                .bindings
                .iter()
                .map(|binding| name(binding.context, binding.action));
            names.find(|name| name.ends_with(&ending))
        };
        let near = near.filter(|(distance, _)| *distance <= 1 + given.chars().count() / 4);
        let hint = match ending().or(near.map(|(_, name)| name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`lathe config schema` lists them".to_owned(),
        };
        self.report(given, format!("`{given}` is not an action of `keybinds`; {hint}"));
    }

    fn finish(mut self) -> Result<Keymap, Vec<KeyProblem>> {
        // Keys that could not be read are missing, so that nothing more can be said.
        if self.problems.is_empty() {
            self.check_meanings();
            self.check_ways();
        }
        if self.problems.is_empty() {
            return Ok(Keymap::of(self.bindings));
        }
        Err(self.problems)
    }

    fn check_meanings(&mut self) {
        let mut taken: HashMap<(Context, Chord), usize> = HashMap::new();
        let mut clashes = Vec::new();
        for (index, binding) in self.bindings.iter().enumerate() {
            for key in &binding.keys {
                let before = *taken.entry((binding.context, key.chord)).or_insert(index);
                if before != index {
                    clashes.push((before, index, key.name.clone()));
                }
            }
        }
        for (index, binding) in self.bindings.iter().enumerate() {
            if binding.context.name().is_none() || table::may_cover(binding.context, binding.action) {
                continue;
            }
            for key in &binding.keys {
                if let Some(global) = taken.get(&(Context::Global, key.chord)) {
                    clashes.push((*global, index, key.name.clone()));
                }
            }
        }
        for (one, other, key) in clashes {
            self.report_clash(one, other, &key);
        }
    }

    fn report_clash(&mut self, one: usize, other: usize, key: &str) {
        let (one, other) = (&self.bindings[one], &self.bindings[other]);
        let names = [one, other].map(|binding| name(binding.context, binding.action));
        let leader = if other.context == Context::Leader {
            LEADER
        } else {
            ""
        };
        let whereabouts = match (one.context, other.context) {
            (Context::Global, Context::Global) | (Context::Leader, _) => String::new(),
            (Context::Global, _) => ", which works anywhere,".to_owned(),
            _ => String::new(),
        };
        let message = format!(
            "`{leader}{key}` is both `{}`{whereabouts} and `{}`; give one of them another key, or `none`",
            names[0], names[1]
        );
        let blamed = names.iter().rev().find(|name| self.set.contains(name.as_str()));
        let blamed = blamed.map_or(PRESET, String::as_str).to_owned();
        self.report(&blamed, message);
    }

    /// A person can always step back and find what there is to do.
    fn check_ways(&mut self) {
        let has_key = |context, action| {
            let mut bindings = self.bindings.iter();
            bindings.any(|b| b.context == context && b.action == action && !b.keys.is_empty())
        };
        let palette = Action::OpenList(&ACTIONS);
        let leads = has_key(Context::Global, Action::Leader) && has_key(Context::Leader, palette);
        let is_found = leads || has_key(Context::Global, palette);
        let is_left = has_key(Context::Global, Action::Escape);
        for (is_there, name, what) in [
            (is_found, "palette", "actions without a key could not be reached"),
            (is_left, "escape", "nothing could be left"),
        ] {
            if !is_there {
                self.report(name, format!("`keybinds.{name}` needs a key: without one {what}"));
            }
        }
    }
}

enum KeySequence {
    Direct(Key),
    AfterLeader(Key),
}

/// Reads a key that is written for an action.
fn read(written: &str, context: Context, action: Action) -> Result<KeySequence, String> {
    if written == NONE {
        return Err("`none` stands alone, without other keys".to_owned());
    }
    let is_anywhere = context.name().is_none();
    if let Some(after) = written.strip_prefix(LEADER) {
        if !is_anywhere || action == Action::Leader {
            return Err(format!(
                "`{written}` cannot be used: the leader only reaches actions that work anywhere"
            ));
        }
        return Chord::parse(after.trim()).map(|chord| KeySequence::AfterLeader(chord.into()));
    }
    let chord = Chord::parse(written)?;
    // `?` asks for the keys only where nothing is written.
    let is_typed = chord.types() && (is_anywhere || context.takes_text()) && action != Action::HelpOrType;
    if is_typed {
        return Err(format!(
            "`{written}` would be typed as text; add `ctrl` or `alt`, or use another key"
        ));
    }
    Ok(KeySequence::Direct(chord.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::app::pickers::THEMES;

    fn configured(settings: &[(&str, &[&str])]) -> Result<Keymap, Vec<String>> {
        let owned = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
        let settings = settings.iter().map(|(name, keys)| (*name, owned(keys)));
        Keymap::configured(settings).map_err(|problems| {
            let line = |problem: KeyProblem| format!("{}: {}", problem.name, problem.message);
            problems.into_iter().map(line).collect()
        })
    }

    fn problem(settings: &[(&str, &[&str])]) -> String {
        configured(settings).unwrap_err().join("\n")
    }

    #[test]
    fn keys_are_changed_and_taken_away() {
        let keymap = configured(&[
            ("composer-send", &["ctrl+enter", "f5"]),
            ("open-themes", &["f2", "leader T"]),
            ("leader", &["f9"]),
            ("cycle-mode", &["none"]),
        ])
        .unwrap();
        let label = |context, action| keymap.label(context, action);
        // `ctrl+enter` needs a terminal that reports it.
        assert_eq!(label(Context::Composer, Action::Send), "f5");
        assert_eq!(label(Context::Global, Action::OpenList(&THEMES)), "f2");
        assert_eq!(keymap.after_leader(Action::OpenList(&THEMES)), "f9 T");
        assert_eq!(label(Context::Global, Action::CycleMode), "");
        assert_eq!(keymap.after_leader(Action::CycleMode), "");
    }

    #[test]
    fn keys_kept_for_the_terminal_may_be_bound_by_the_user() {
        configured(&[
            ("open-themes", &["ctrl+b"]),
            ("open-models", &["ctrl+s"]),
            ("quit", &["ctrl+q"]),
        ])
        .unwrap();
    }

    #[test]
    fn two_actions_with_one_key_are_both_named() {
        assert_eq!(
            problem(&[("transcript-search", &["o"])]),
            "transcript-search: `o` is both `transcript-toggle-fold` and `transcript-search`; give one of them \
            another key, or `none`"
        );
        assert_eq!(
            problem(&[("editor", &["ctrl+e"])]),
            "editor: `ctrl+e` is both `editor`, which works anywhere, and `composer-line-end`; give one of them \
            another key, or `none`"
        );
        assert_eq!(
            problem(&[("open-themes", &["leader m"])]),
            "open-themes: `leader m` is both `open-models` and `open-themes`; give one of them another key, or `none`"
        );
        configured(&[("editor", &["ctrl+e"]), ("composer-line-end", &["end"])]).unwrap();
    }

    #[test]
    fn an_unknown_name_and_a_key_that_is_none_are_told() {
        assert_eq!(
            problem(&[("pallete", &["f1"])]),
            "pallete: `pallete` is not an action of `keybinds`; did you mean `palette`?"
        );
        assert_eq!(
            problem(&[("toggle-all", &["f1"])]),
            "toggle-all: `toggle-all` is not an action of `keybinds`; did you mean `transcript-toggle-all`?"
        );
        assert_eq!(
            problem(&[("xyzzy", &["f1"])]),
            "xyzzy: `xyzzy` is not an action of `keybinds`; `lathe config schema` lists them"
        );
        assert_eq!(
            problem(&[("composer-send", &["entr"])]),
            "composer-send: `keybinds.composer-send`: `entr` is not a key; did you mean `enter`?"
        );
        assert_eq!(
            problem(&[("composer-send", &["x"])]),
            "composer-send: `keybinds.composer-send`: `x` would be typed as text; add `ctrl` or `alt`, or use \
            another key"
        );
        assert_eq!(
            problem(&[("composer-send", &["leader x"])]),
            "composer-send: `keybinds.composer-send`: `leader x` cannot be used: the leader only reaches actions \
            that work anywhere"
        );
        assert_eq!(
            problem(&[("preset", &["emacs"])]),
            "preset: `keybinds.preset` must be one of `lathe`, `claude`, `opencode`, `vim`, not `emacs`"
        );
        assert_eq!(
            problem(&[("editor", &["none", "f1"])]),
            "editor: `keybinds.editor`: `none` stands alone, without other keys"
        );
    }

    #[test]
    fn quitting_always_keeps_a_key() {
        assert_eq!(
            problem(&[("palette", &["none"])]),
            "palette: `keybinds.palette` needs a key: without one actions without a key could not be reached"
        );
        assert_eq!(
            problem(&[("escape", &["none"])]),
            "escape: `keybinds.escape` needs a key: without one nothing could be left"
        );
        configured(&[("leader", &["none"])]).unwrap();
    }

    #[test]
    fn every_preset_is_whole() {
        for name in key_presets() {
            let keymap =
                configured(&[("preset", &[name])]).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
            // What works anywhere has a key, or stands in the palette.
            for row in table::rows() {
                let is_there = keymap
                    .bindings
                    .iter()
                    .any(|binding| binding.action == row.row.action);
                assert!(is_there, "{name}: {row:?}");
            }
        }
    }

    #[test]
    fn a_preset_binds_its_keys() {
        let opencode = configured(&[("preset", &["opencode"])]).unwrap();
        assert_eq!(opencode.after_leader(Action::Quit), "ctrl+x q");
        let claude = configured(&[("preset", &["claude"]), ("leader", &["f9"])]).unwrap();
        assert_eq!(claude.label(Context::Global, Action::FocusTranscript), "ctrl+o");
    }
}
