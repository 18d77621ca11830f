//! Directories in which a command may run.

use super::operand::PathOperand;

/// Directories that one command may run in.
const MAX_DIRECTORIES: usize = 8;

/// Directories in which a command may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PossibleDirectories {
    Unknown,
    /// In one of these.
    Known(Vec<Directory>),
}

/// The steps from where the whole command starts; none for that place itself.
pub type Directory = Vec<PathOperand>;

impl PossibleDirectories {
    pub(super) fn start() -> Self {
        Self::Known(vec![Vec::new()])
    }

    pub(super) fn or(self, other: Self) -> Self {
        let (Self::Known(mut known), Self::Known(more)) = (self, other) else {
            return Self::Unknown;
        };
        for directory in more {
            if !known.contains(&directory) {
                known.push(directory);
            }
        }
        if known.len() > MAX_DIRECTORIES {
            Self::Unknown
        } else {
            Self::Known(known)
        }
    }

    pub(super) fn step(&self, step: &PathOperand) -> Self {
        let Self::Known(known) = self else {
            return Self::Unknown;
        };
        let taken = known.iter().map(|directory| {
            let mut directory = directory.clone();
            directory.push(step.clone());
            directory
        });
        let taken: Vec<Directory> = taken.collect();
        if taken.iter().any(|directory| directory.len() > MAX_DIRECTORIES) {
            Self::Unknown
        } else {
            Self::Known(taken)
        }
    }
}
