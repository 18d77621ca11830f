//! Effects of a text besides running commands, and the reasons why one is not taken apart.

use std::collections::{BTreeMap, BTreeSet};

/// Why a text is not taken apart: `it uses …`.
pub(super) type Refusal = &'static str;

/// The effects of a text besides running commands.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Variables that get a value, and whether it is always a number.
    pub(super) variables: BTreeMap<String, bool>,
    /// Variables whose value is computed with. Bash runs what it finds in such a value, so it must be a number.
    pub(super) computed: BTreeSet<String>,
    /// Variables that an expansion or a choice of the user gives a value.
    pub(super) computed_values: BTreeSet<String>,
    pub(super) functions: BTreeSet<String>,
    /// Variables that keep their value for later commands.
    pub(super) lasting: BTreeSet<String>,
    /// True if programs that follow may get other variables than the session's.
    pub(super) exports: bool,
    /// Positions of the first word of each simple command.
    pub(super) starts: BTreeSet<usize>,
    /// True if another shell than bash could read it in another way: `$'…'`, `&>`, `[[`, `((`.
    pub(super) only_bash: bool,
    /// True if an expansion may fail while it runs. Bash then goes on with the next line.
    pub(super) may_fail: bool,
    /// Why it cannot be judged by its commands, although it could be read.
    pub(super) refusal: Option<Refusal>,
}

impl Facts {
    pub(super) fn refuse(&mut self, reason: Refusal) {
        self.refusal.get_or_insert(reason);
    }

    /// Adds what another text does.
    pub(super) fn merge(&mut self, other: Self) {
        for (name, is_number) in other.variables {
            self.assign(&name, is_number);
        }
        self.computed.extend(other.computed);
        self.computed_values.extend(other.computed_values);
        self.functions.extend(other.functions);
        self.lasting.extend(other.lasting);
        self.exports |= other.exports;
        self.only_bash |= other.only_bash;
        self.may_fail |= other.may_fail;
        self.refusal = self.refusal.or(other.refusal);
    }

    pub(super) fn assign(&mut self, name: &str, is_number: bool) {
        let known = self.variables.entry(name.to_owned()).or_insert(true);
        *known &= is_number;
    }
}
