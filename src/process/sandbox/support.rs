//! Features that the kernel of this machine can enforce, asked once for the process.

use std::sync::OnceLock;

use super::{Confinement, Metadata};

/// Kernel features available to [`super::Confinement`]s that need no namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Support {
    /// Landlock keeps files as they are and says which programs may be started (Linux 6.2).
    pub files: bool,
    /// seccomp refuses system calls: sockets, rights, times.
    pub calls: bool,
}

impl Support {
    /// The kernel's answer, which stays the same as long as the process lives. It takes some microseconds, once.
    pub fn of_kernel() -> Self {
        static ANSWER: OnceLock<Support> = OnceLock::new();
        *ANSWER.get_or_init(Self::ask)
    }

    /// Returns true if a command can have mounts of its own. Takes some milliseconds, once.
    pub fn has_mounts() -> bool {
        static ANSWER: OnceLock<bool> = OnceLock::new();
        let mounts = Confinement {
            network: true,
            metadata: Metadata::Mounts,
            ..Confinement::default()
        };
        *ANSWER.get_or_init(|| mounts.check().is_ok())
    }

    /// Returns true if a command can be confined to reading.
    pub fn can_confine_reading(self) -> bool {
        self.files && self.calls
    }

    #[cfg(target_os = "linux")]
    fn ask() -> Self {
        use landlock::{AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
        // Making rules restricts nobody yet, and fails where they could not be enforced.
        let rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_write(super::enter::NEEDED) | AccessFs::Execute)
            .and_then(Ruleset::create);
        let actions = std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail");
        Self {
            files: rules.is_ok(),
            calls: actions.is_ok_and(|actions| actions.split_whitespace().any(|action| action == "errno")),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn ask() -> Self {
        Self {
            files: false,
            calls: false,
        }
    }
}
