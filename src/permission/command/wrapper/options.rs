//! The options that may stand before what a wrapper runs.

use super::super::base_name;
use super::super::files::{PathOperand, operand, operand_of_text};
use super::super::word::Word;

pub(super) struct Options {
    /// Letters without a value.
    flags: &'static str,
    /// Letters with one.
    valued: &'static str,
    /// Long options; those with a value end in `=`.
    long: &'static [&'static str],
}

/// Options of a wrapper, and how many operands stand before its command.
pub(super) fn options_of(program: &str) -> Option<(Options, usize)> {
    let (flags, valued, long, operands): (_, _, &'static [&'static str], _) = match program {
        "timeout" => (
            "vfp",
            "ks",
            &[
                "foreground",
                "preserve-status",
                "verbose",
                "kill-after=",
                "signal=",
            ],
            1,
        ),
        "nice" => ("", "n", &["adjustment="], 0),
        "stdbuf" => ("", "ioe", &["input=", "output=", "error="], 0),
        "setsid" => ("cfw", "", &["ctty", "fork", "wait"], 0),
        "ionice" => ("t", "cn", &["class=", "classdata=", "ignore"], 0),
        "chrt" => (
            "bfiorR",
            "",
            &["batch", "fifo", "idle", "other", "rr", "reset-on-fork"],
            1,
        ),
        "time" | "command" => ("p", "", &[], 0),
        "env" => (
            "i0v",
            "uC",
            &["ignore-environment", "null", "debug", "unset=", "chdir="],
            0,
        ),
        "nohup" | "builtin" => ("", "", &[], 0),
        "sudo" => (
            "AbEHknPS",
            "ugpCTrthUD",
            &[
                "preserve-env",
                "preserve-env=",
                "non-interactive",
                "user=",
                "group=",
                "set-home",
                "stdin",
                "chdir=",
            ],
            0,
        ),
        "doas" => ("n", "uCa", &[], 0),
        "exec" => ("cl", "a", &[], 0),
        "xargs" => (
            "0rtxpo",
            "InPdLsaE",
            &[
                "null",
                "no-run-if-empty",
                "verbose",
                "exit",
                "max-args=",
                "max-procs=",
                "delimiter=",
                "max-lines=",
                "max-chars=",
                "arg-file=",
                "eof=",
                "replace=",
            ],
            0,
        ),
        "watch" => (
            "bcdegtx",
            "n",
            &[
                "beep",
                "color",
                "differences",
                "errexit",
                "chgexit",
                "no-title",
                "exec",
                "interval=",
                "precise",
            ],
            0,
        ),
        "flock" => (
            "esxnuoFv",
            "wE",
            &[
                "exclusive",
                "shared",
                "nonblock",
                "nb",
                "unlock",
                "close",
                "no-fork",
                "verbose",
                "timeout=",
                "wait=",
                "conflict-exit-code=",
            ],
            1,
        ),
        "ssh-agent" => ("csDd", "aEOPt", &[], 0),
        _ => return None,
    };
    Some((Options { flags, valued, long }, operands))
}

/// Where the options end; `None` when one is not known or not certain.
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
                Some((name, _)) => options
                    .long
                    .iter()
                    .any(|option| option.strip_suffix('=') == Some(name)),
                None => options.long.contains(&long),
            };
            if is_known {
                at += 1;
                continue;
            }
            // `--signal KILL` takes the next word.
            let takes_next = options
                .long
                .iter()
                .any(|option| option.strip_suffix('=') == Some(long));
            if !takes_next || !words.get(at + 1)?.is_literal() {
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
    let known = options_of(base_name(&words[0].text));
    let end = known.and_then(|(options, _)| after_options(words, &options));
    let words = &words[1..end.unwrap_or(words.len())];
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = || words.get(at + 1).map(operand);
        if let Some(name) = word.text.strip_prefix("--") {
            match name.split_once('=') {
                Some((name, value)) if name == long => found.push(operand_of_text(value)),
                None if name == long => found.extend(next()),
                _ => {}
            }
            continue;
        }
        let letters = word.text.strip_prefix('-').unwrap_or_default();
        match letters.split_once(letter) {
            Some((_, "")) => found.extend(next()),
            Some((_, value)) => found.push(operand_of_text(value)),
            None => {}
        }
    }
    found
}

enum Letters {
    Whole,
    TakesNext,
}

fn letters_of(letters: &str, options: &Options) -> Option<Letters> {
    // `nice -5`, and `env -` for `env -i`.
    let is_number = !letters.is_empty() && letters.bytes().all(|byte| byte.is_ascii_digit());
    if (is_number && options.long.contains(&"adjustment="))
        || (letters.is_empty() && options.long.contains(&"unset="))
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
