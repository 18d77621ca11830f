//! Ticks of hunks and files: the part of a tree's changes that is to be applied.

use crate::session::host::{FileSelection, Selection, TreeFile};

/// State of the box before a file or a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TickState {
    None,
    Some,
    All,
}

impl TickState {
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::None => "[ ]",
            Self::Some => "[-]",
            Self::All => "[x]",
        }
    }
}

/// Numbers of what is ticked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TickCounts {
    /// Files with a tick.
    pub(super) files: usize,
    /// Ticked hunks of these.
    pub(super) hunks: usize,
    /// Ticked files that have no hunks.
    pub(super) without_hunks: usize,
    /// Files with a tick that configure lathe.
    pub(super) configuring: usize,
}

/// For each file the ticks of its hunks; a file that cannot be divided has one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ticks(Vec<Vec<bool>>);

impl Ticks {
    /// Nothing is ticked at first: what is written to the project was chosen by somebody.
    pub(super) fn none_of(files: &[TreeFile]) -> Self {
        Self(files.iter().map(|file| vec![false; parts(file)]).collect())
    }

    /// Keeps the ticks of files whose change is the same as before.
    pub(super) fn carried_to(&self, before: &[TreeFile], files: &[TreeFile]) -> Self {
        let mut ticks = Self::none_of(files);
        for (file, own) in files.iter().zip(&mut ticks.0) {
            let is_same = |old: &TreeFile| old.path == file.path && old.version == file.version;
            let place = before.iter().position(is_same);
            if let Some(old) = place.and_then(|place| self.0.get(place)) {
                own.clone_from(old);
            }
        }
        ticks
    }

    pub(super) fn of_file(&self, file: usize) -> TickState {
        state(self.0.get(file).into_iter().flatten())
    }

    pub(super) fn of_hunk(&self, file: usize, hunk: usize) -> TickState {
        let ticks = self.0.get(file);
        state(ticks.and_then(|ticks| ticks.get(hunk).or(ticks.first())))
    }

    /// Ticks all of a file, or none of it where all is ticked.
    pub(super) fn toggle_file(&mut self, file: usize) {
        let to = self.of_file(file) != TickState::All;
        if let Some(ticks) = self.0.get_mut(file) {
            ticks.fill(to);
        }
    }

    /// Ticks a hunk or not; where the file cannot be divided, the file.
    pub(super) fn toggle_hunk(&mut self, file: usize, hunk: usize) {
        if let Some(ticks) = self.0.get_mut(file) {
            let place = if ticks.len() > hunk { hunk } else { 0 };
            if let Some(tick) = ticks.get_mut(place) {
                *tick = !*tick;
            }
        }
    }

    /// Ticks everything but what configures lathe, which is ticked file by file; or nothing where all that is ticked.
    pub(super) fn toggle_all(&mut self, files: &[TreeFile]) {
        let ordinary = || files.iter().map(|file| !file.configures);
        let ticked = self
            .0
            .iter()
            .zip(ordinary())
            .filter(|(_, is_ordinary)| *is_ordinary);
        let to = state(ticked.flat_map(|(ticks, _)| ticks)) != TickState::All;
        for (ticks, is_ordinary) in self.0.iter_mut().zip(ordinary()) {
            if is_ordinary || !to {
                ticks.fill(to);
            }
        }
    }

    pub(super) fn counts(&self, files: &[TreeFile]) -> TickCounts {
        let mut counts = TickCounts::default();
        for (file, ticks) in files.iter().zip(&self.0) {
            let ticked = ticks.iter().filter(|tick| **tick).count();
            if ticked == 0 {
                continue;
            }
            counts.files += 1;
            counts.configuring += usize::from(file.configures);
            match (file.applies_by_hunk(), file.hunks.len()) {
                (true, _) => counts.hunks += ticked,
                (false, 0) => counts.without_hunks += 1,
                (false, hunks) => counts.hunks += hunks,
            }
        }
        counts
    }

    /// Returns the ticked files that configure lathe.
    pub(super) fn configuring<'a>(&self, files: &'a [TreeFile]) -> impl Iterator<Item = &'a TreeFile> {
        let ticked = files.iter().zip(&self.0);
        let ticked = ticked.filter(|(file, ticks)| file.configures && ticks.contains(&true));
        ticked.map(|(file, _)| file)
    }

    /// Returns what is ticked, as it was shown.
    pub(super) fn selection(&self, files: &[TreeFile]) -> Selection {
        let ticked = |(file, ticks): (&TreeFile, &Vec<bool>)| {
            let hunks: Vec<usize> = (0..ticks.len()).filter(|hunk| ticks[*hunk]).collect();
            (!hunks.is_empty()).then(|| FileSelection {
                path: file.path.clone(),
                version: file.version.clone(),
                hunks: (hunks.len() < ticks.len()).then_some(hunks),
            })
        };
        Selection::Files(files.iter().zip(&self.0).filter_map(ticked).collect())
    }
}

fn parts(file: &TreeFile) -> usize {
    if file.applies_by_hunk() {
        file.hunks.len()
    } else {
        1
    }
}

fn state<'a>(ticks: impl IntoIterator<Item = &'a bool>) -> TickState {
    let (mut some, mut all) = (false, true);
    for tick in ticks {
        some |= tick;
        all &= tick;
    }
    match (some, all) {
        (false, _) => TickState::None,
        (true, false) => TickState::Some,
        (true, true) => TickState::All,
    }
}
