//! Asks of a call, gathered while its commands are judged.

use std::collections::HashSet;

use crate::permission::{Ask, Floor};

#[derive(Default)]
pub(super) struct GatheredAsks {
    pub(super) outside: Vec<Ask>,
    pub(super) bash: Vec<Ask>,
    pub(super) edit: Vec<Ask>,
    pub(super) read: Vec<Ask>,
    pub(super) why: Option<String>,
    /// True if a redirection writes to more than a device that holds nothing, or a temporary file.
    pub(super) writes: bool,
}

impl GatheredAsks {
    /// Returns the asks in the order in which they are shown, each once.
    pub(super) fn into_asks(self) -> Vec<Ask> {
        let mut asks = self.outside;
        asks.extend(self.bash);
        asks.extend(self.edit);
        asks.extend(self.read);
        without_repetitions(asks)
    }
}

/// The same command may only read in one place and do more in another: then it does more.
fn without_repetitions(asks: Vec<Ask>) -> Vec<Ask> {
    let name = |ask: &Ask| (ask.key.clone(), ask.subject.text.clone());
    let doing_more: HashSet<_> = asks
        .iter()
        .filter(|ask| !ask.subject.read_only)
        .map(name)
        .collect();
    let mut seen = HashSet::new();
    let mut kept: Vec<Ask> = Vec::with_capacity(asks.len());
    for mut ask in asks {
        ask.subject.read_only &= !doing_more.contains(&name(&ask));
        if seen.insert(name(&ask)) {
            kept.push(ask);
            continue;
        }
        let same = kept
            .iter_mut()
            .find(|known| known.key == ask.key && known.subject.text == ask.subject.text);
        if let Some(known) = same {
            // A file that one command makes, which asks nothing, another one writes.
            if strictness(ask.floor) > strictness(known.floor) {
                std::mem::swap(known, &mut ask);
            }
            // Spellings for rules that restrict may differ by what stands around a command.
            for form in ask.subject.restrict_also {
                if !known.subject.restrict_also.contains(&form) {
                    known.subject.restrict_also.push(form);
                }
            }
        }
    }
    kept
}

fn strictness(floor: Floor) -> u8 {
    match floor {
        Floor::Denied => 0,
        Floor::Rules => 1,
        Floor::Ask => 2,
    }
}
