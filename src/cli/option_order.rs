//! Options before a command mean what they mean behind it: `lathe -m local/x run hello`. A prompt may begin with a dash:
//! `lathe run "- fix a"`.

use std::ffi::OsString;

use clap::{ArgAction, Command, CommandFactory};

use super::args::Cli;

/// Returns the words with the options that stand before a command put behind its name, and behind that of a command of its
/// own. The first word is the program's.
pub(super) fn behind_command(words: Vec<OsString>) -> Vec<OsString> {
    let cli = Cli::command();
    let Some(place) = command_place(&cli, &words).filter(|place| *place > 1) else {
        return words;
    };
    let mut command = cli.find_subcommand(&words[place]);
    let mut end = place + 1;
    while let Some(inner) = words
        .get(end)
        .and_then(|word| command.and_then(|outer| outer.find_subcommand(word)))
    {
        command = Some(inner);
        end += 1;
    }
    let (names, options) = (&words[place..end], &words[1..place]);
    let first = words.first().into_iter();
    let parts = first.chain(names).chain(options).chain(&words[end..]);
    parts.cloned().collect()
}

/// Returns the words with the prompts that begin with a dash put to the end, behind a `--`: a list or front matter is no
/// option.
pub(super) fn prompts_last(words: Vec<OsString>) -> Vec<OsString> {
    let cli = Cli::command();
    let run = cli.find_subcommand("run");
    let Some(run) = run.filter(|_| words.get(1).is_some_and(|word| word == "run")) else {
        return words;
    };
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut is_value = false;
    let mut prompts = Vec::new();
    let mut others = Vec::new();
    for word in &words[..end] {
        let text = word.to_str().unwrap_or_default();
        if !is_value && is_prose(text) {
            prompts.push(word.clone());
        } else {
            others.push(word.clone());
        }
        is_value = !is_value && text.starts_with('-') && takes_next(run, text);
    }
    if prompts.is_empty() {
        return words;
    }
    let behind = words[end..].iter().skip(1).cloned();
    let words = others.into_iter().chain([OsString::from("--")]);
    words.chain(prompts).chain(behind).collect()
}

/// Returns true for a text that begins with a dash and is no option: the name of an option has no blanks.
fn is_prose(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    let begins = ["- ", "-\t", "-\n", "--"]
        .iter()
        .any(|start| word.starts_with(start));
    begins && name.contains(char::is_whitespace)
}

/// Returns the position of the command's name, where only options stand before it.
fn command_place(cli: &Command, words: &[OsString]) -> Option<usize> {
    let mut place = 1;
    loop {
        let word = words.get(place)?.to_str()?;
        if !word.starts_with('-') {
            return cli.find_subcommand(word).map(|_| place);
        }
        // What stands behind `--` is no option, and a lone dash is a word.
        if word == "--" || word == "-" {
            return None;
        }
        place += 1 + usize::from(takes_next(cli, word));
    }
}

/// Returns true if the value of an option is the next word.
fn takes_next(cli: &Command, word: &str) -> bool {
    let takes_value = |option: &&clap::Arg| matches!(option.get_action(), ArgAction::Set | ArgAction::Append);
    match word.strip_prefix("--") {
        Some(long) => cli
            .get_arguments()
            .filter(takes_value)
            .any(|option| option.get_long() == Some(long)),
        // `-mlocal/x` brings its value along.
        None => cli
            .get_arguments()
            .filter(takes_value)
            .any(|option| word.len() == 2 && option.get_short() == word.chars().nth(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(line: &str) -> String {
        let words = line.split(' ').map(OsString::from).collect();
        let words = behind_command(words).into_iter();
        words
            .map(|word| word.into_string().unwrap())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn options_go_behind_the_names_of_commands() {
        for (typed, meant) in [
            ("lathe -m local/x run hello", "lathe run -m local/x hello"),
            (
                "lathe --model=local/x -c run hello",
                "lathe run --model=local/x -c hello",
            ),
            ("lathe --json sessions list", "lathe sessions list --json"),
            ("lathe -mrun run hello", "lathe run -mrun hello"),
        ] {
            assert_eq!(ordered(typed), meant);
        }
    }

    #[test]
    fn prompts_that_begin_with_a_dash_come_last() {
        let ordered = |words: &[&str]| {
            let words = words.iter().map(OsString::from).collect();
            let words = prompts_last(words).into_iter();
            words.map(|word| word.into_string().unwrap()).collect::<Vec<_>>()
        };
        for (typed, meant) in [
            (
                &["lathe", "run", "- a\n- b", "--format", "json"][..],
                &["lathe", "run", "--format", "json", "--", "- a\n- b"][..],
            ),
            (
                &["lathe", "run", "---\ntitle: x\n---\nbuild"],
                &["lathe", "run", "--", "---\ntitle: x\n---\nbuild"],
            ),
            (
                &["lathe", "run", "--- hi", "--", "-c"],
                &["lathe", "run", "--", "--- hi", "-c"],
            ),
            (
                &["lathe", "run", "--agent", "- a b", "hi"],
                &["lathe", "run", "--agent", "- a b", "hi"],
            ),
            (
                &["lathe", "run", "--file=a b.txt", "-c", "hi"],
                &["lathe", "run", "--file=a b.txt", "-c", "hi"],
            ),
            (&["lathe", "run", "--no-such"], &["lathe", "run", "--no-such"]),
            (&["lathe", "sessions", "- a"], &["lathe", "sessions", "- a"]),
        ] {
            assert_eq!(ordered(typed), meant);
        }
    }

    #[test]
    fn what_has_no_option_before_a_command_stays() {
        for line in [
            "lathe",
            "lathe run hello",
            "lathe -c",
            "lathe -p run",
            "lathe -- run",
            "lathe --agent run .",
            "lathe src run",
        ] {
            assert_eq!(ordered(line), line);
        }
    }
}
