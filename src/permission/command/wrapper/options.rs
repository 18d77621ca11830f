//! The options that may stand before what a wrapper runs.

use super::super::base_name;
use super::super::operand::{PathOperand, option_values};
use super::super::word::Word;

/// A wrapper's options, and what else stands before its command.
pub(super) struct Options {
    /// Letters without a value.
    flags: &'static str,
    /// Letters with one.
    valued: &'static str,
    /// Long options, parted by blanks; those with a value end in `=`.
    long: &'static str,
    /// Operands that stand before its command.
    pub(super) operands: usize,
}

const fn options(flags: &'static str, valued: &'static str, long: &'static str) -> Options {
    Options {
        flags,
        valued,
        long,
        operands: 0,
    }
}

const TIMEOUT: Options = Options {
    operands: 1,
    ..options(
        "vfp",
        "ks",
        "foreground preserve-status verbose kill-after= signal=",
    )
};
const CHRT: Options = Options {
    operands: 1,
    ..options("bfiorR", "", "batch fifo idle other rr reset-on-fork")
};
const FLOCK: Options = Options {
    operands: 1,
    ..options(
        "esxnuoFv",
        "wE",
        "exclusive shared nonblock nb unlock close no-fork verbose timeout= wait= conflict-exit-code=",
    )
};

/// Wrappers with their options.
const WRAPPERS: &[(&[&str], Options)] = &[
    (&["timeout"], TIMEOUT),
    (&["nice"], options("", "n", "adjustment=")),
    (&["stdbuf"], options("", "ioe", "input= output= error=")),
    (&["setsid"], options("cfw", "", "ctty fork wait")),
    (&["ionice"], options("t", "cn", "class= classdata= ignore")),
    (&["chrt"], CHRT),
    (&["time", "command"], options("p", "", "")),
    (
        &["env"],
        options("i0v", "uC", "ignore-environment null debug unset= chdir="),
    ),
    (&["nohup", "builtin"], options("", "", "")),
    (
        &["sudo"],
        options(
            "AbEHknPS",
            "ugpCTrthUD",
            "preserve-env preserve-env= non-interactive user= group= set-home stdin chdir=",
        ),
    ),
    (&["doas"], options("n", "uCa", "")),
    (&["exec"], options("cl", "a", "")),
    (
        &["xargs"],
        options(
            "0rtxpo",
            "InPdLsaE",
            "null no-run-if-empty verbose exit max-args= max-procs= delimiter= max-lines= max-chars= arg-file= eof= \
             replace=",
        ),
    ),
    (
        &["watch"],
        options(
            "bcdegtx",
            "n",
            "beep color differences errexit chgexit no-title exec interval= precise",
        ),
    ),
    (&["flock"], FLOCK),
    (&["ssh-agent"], options("csDd", "aEOPt", "")),
];

impl Options {
    /// Returns the options of a wrapper.
    pub(super) fn of(program: &str) -> Option<&'static Self> {
        let known = WRAPPERS.iter().find(|(names, _)| names.contains(&program));
        known.map(|(_, options)| options)
    }

    fn has_long(&self, name: &str) -> bool {
        self.long.split(' ').any(|known| known == name)
    }

    fn has_long_with_value(&self, name: &str) -> bool {
        let mut with_value = self.long.split(' ').filter_map(|known| known.strip_suffix('='));
        with_value.any(|known| known == name)
    }
}

/// Returns the index behind the options; `None` when one is unknown or uncertain.
pub(super) fn after_options(words: &[Word], options: &Options) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if !word.is_literal() {
            // Whatever it is, it is no program that could be named.
            return Some(at);
        }
        if text == "--" {
            return Some(at + 1);
        }
        if let Some(long) = text.strip_prefix("--") {
            let is_known = match long.split_once('=') {
                Some((name, _)) => options.has_long_with_value(name),
                None => options.has_long(long),
            };
            if is_known {
                at += 1;
                continue;
            }
            // `--signal KILL` takes the next word.
            if !options.has_long_with_value(long) || !words.get(at + 1)?.is_literal() {
                return None;
            }
            at += 2;
            continue;
        }
        let Some(letters) = text.strip_prefix('-') else {
            return Some(at);
        };
        at += match letters_of(letters, options)? {
            Letters::Whole => 1,
            Letters::TakesNext => {
                if !words.get(at + 1)?.is_literal() {
                    return None;
                }
                2
            }
        };
    }
    Some(at)
}

/// The values of one option that stand before a wrapper's command.
pub(super) fn values_before_command(words: &[Word], letter: char, long: &str) -> Vec<PathOperand> {
    let known = Options::of(base_name(&words[0].text));
    let end = known.and_then(|options| after_options(words, options));
    option_values(&words[1..end.unwrap_or(words.len())], letter, long)
}

enum Letters {
    Whole,
    TakesNext,
}

fn letters_of(letters: &str, options: &Options) -> Option<Letters> {
    // `nice -5`, and `env -` for `env -i`.
    let is_number = !letters.is_empty() && letters.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && options.has_long_with_value("adjustment")
        || letters.is_empty() && options.has_long_with_value("unset")
    {
        return Some(Letters::Whole);
    }
    if letters.is_empty() {
        return None;
    }
    for (at, letter) in letters.char_indices() {
        if options.valued.contains(letter) {
            let is_last = at + letter.len_utf8() == letters.len();
            return Some(if is_last {
                Letters::TakesNext
            } else {
                Letters::Whole
            });
        }
        if !options.flags.contains(letter) {
            return None;
        }
    }
    Some(Letters::Whole)
}
