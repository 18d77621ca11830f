//! Keys that people bring along from other programs, as changes to the table.
//!
//! A preset changes what a habit would miss and leaves the rest; whatever it takes a key from keeps another way.

/// A preset by its name, with the changes it makes.
pub(super) struct Preset {
    pub(super) name: &'static str,
    pub(super) keys: &'static [(&'static str, &'static [&'static str])],
}

pub(super) const PRESETS: [Preset; 4] = [
    Preset {
        name: "lathe",
        keys: &[],
    },
    Preset {
        name: "claude",
        keys: &[
            ("focus-transcript", &["ctrl+o", "leader ["]),
            ("show-terminals", &["alt+o"]),
            ("open-models", &["alt+p", "leader m"]),
            ("toggle-reasoning", &["alt+t", "leader r"]),
            ("permission-allow-once", &["1", "y"]),
            ("permission-allow-always", &["2", "a"]),
            ("permission-reject", &["3", "n"]),
            ("permission-why", &["d", "ctrl+e"]),
        ],
    },
    Preset {
        name: "opencode",
        keys: &[
            ("quit", &["leader q"]),
            ("queue-draft", &["leader Q"]),
            ("open-sessions", &["leader l", "leader s"]),
            ("open-themes", &["leader t"]),
            ("toggle-reasoning", &["leader h"]),
            ("show-hooks", &["leader H"]),
            ("page-up", &["pgup", "ctrl+alt+b"]),
            ("page-down", &["pgdn", "ctrl+alt+f"]),
            (
                "composer-newline",
                &["ctrl+j", "shift+enter", "ctrl+enter", "alt+enter"],
            ),
            // `leader Q` queues.
            ("composer-queue", &["none"]),
            ("composer-line-start", &["ctrl+a"]),
            ("composer-line-end", &["ctrl+e"]),
            ("composer-top", &["home", "ctrl+home", "alt+<"]),
            ("composer-bottom", &["end", "ctrl+end", "alt+>"]),
            ("composer-redo", &["alt+z", "ctrl+."]),
            ("permission-full-screen", &["f", "ctrl+f"]),
        ],
    },
    Preset {
        name: "vim",
        keys: &[
            ("transcript-page-down", &["ctrl+d", "ctrl+f"]),
            ("transcript-page-up", &["ctrl+u"]),
            ("transcript-focus-composer", &["i", "a"]),
            ("list-row-down", &["down", "ctrl+n", "ctrl+j"]),
            ("list-row-up", &["up", "ctrl+p", "ctrl+k"]),
            ("rules-row-down", &["down", "ctrl+j"]),
            ("rules-row-up", &["up", "ctrl+k"]),
            ("search-next-match", &["down", "ctrl+n", "ctrl+j"]),
            ("search-previous-match", &["up", "ctrl+p", "ctrl+k"]),
        ],
    },
];

/// Returns the preset of this name.
pub(super) fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}
