//! Options that run no program of their own and overwrite no file, by program.

mod builds;
mod git;
mod languages;
mod system;

/// Programs, or the first words of them, with their options.
type OptionEntry = (&'static [&'static str], Options);

/// The longest entry counts.
pub(super) const OPTIONS: [&[OptionEntry]; 4] =
    [system::SYSTEM, git::GIT, languages::LANGUAGES, builds::BUILDS];

/// The words of a program that are understood.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    /// Each as it is written: `-q`, `--lib`, `-run`. `-m:` may have its value in the same word, `--x` behind a `=`; `-#` is a
    /// number, `--x=y` is that value alone.
    pub(super) known: &'static str,
    pub(super) operands: Operands,
    pub(super) rest: WordsBehind,
}

/// Words that are no options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    Any,
    /// Not `@FILE`, from which compilers and others read options.
    NoOptionFile,
    /// Not `HELPER::ADDRESS`, which runs a helper.
    NoTransport,
    /// Names and paths, and the few settings that are known.
    Plain,
}

/// Words behind a `--`, or behind the first operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordsBehind {
    /// Behind a `--` there are operands alone.
    Operands,
    /// Behind a `--` the same options count.
    SameOptions,
    /// Behind a `--` stands what the project's own program is given.
    Free,
    /// So does it behind the first operand.
    FreeBehindOperand,
    /// Every option is harmless.
    Anything,
}

impl Options {
    /// Of a program that is not in the table.
    pub(super) const OF_ANY: Self = Self {
        operands: Operands::NoOptionFile,
        rest: WordsBehind::SameOptions,
        ..known("--help --version --verbose --quiet --color --no-color")
    };

    const fn taking(self, operands: Operands) -> Self {
        Self { operands, ..self }
    }

    const fn and(self, rest: WordsBehind) -> Self {
        Self { rest, ..self }
    }
}

const fn known(known: &'static str) -> Options {
    Options {
        known,
        operands: Operands::Any,
        rest: WordsBehind::Operands,
    }
}
