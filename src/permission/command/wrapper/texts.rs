//! Programs that run a command in a way of their own: `find -exec`, and the texts of `eval`, `script` and shells.

use super::super::word::{Word, joined};
use super::{WordSource, WrappedCommand};

pub(super) fn find(words: &[Word]) -> WrappedCommand {
    let mut found = Vec::new();
    let mut at = 1;
    while at < words.len() {
        let is_action = ["-exec", "-execdir", "-ok", "-okdir"].contains(&words[at].text.as_str());
        at += 1;
        if !is_action {
            continue;
        }
        let is_end = |index: usize| match words[index].text.as_str() {
            ";" => true,
            "+" => words[index - 1].text == "{}",
            _ => false,
        };
        match (at..words.len()).find(|index| is_end(*index)) {
            Some(end) if end > at => {
                found.push(at..end);
                at = end + 1;
            }
            _ => return WrappedCommand::Unknown,
        }
    }
    if found.is_empty() {
        WrappedCommand::Nothing
    } else {
        WrappedCommand::Also(found)
    }
}

pub(super) fn eval(arguments: &[Word], given: WordSource<'_>) -> WrappedCommand {
    let arguments = match arguments {
        [first, rest @ ..] if first.text == "--" => rest,
        all => all,
    };
    let is_literal = arguments.iter().all(Word::is_literal) && given == WordSource::AllWords;
    match (arguments.is_empty(), is_literal) {
        (_, false) => WrappedCommand::Unknown,
        (true, true) => WrappedCommand::Nothing,
        (false, true) => WrappedCommand::TextHere(joined(arguments)),
    }
}

pub(super) fn script(arguments: &[Word]) -> WrappedCommand {
    let mut text = None;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if !word.is_literal() {
            return WrappedCommand::Unknown;
        }
        let letters = word.text.strip_prefix('-');
        match letters {
            Some(letters) if letters.is_empty() || !letters.chars().all(|c| "aefqc".contains(c)) => {
                return WrappedCommand::Unknown;
            }
            // `-qc TEXT`; in `-ca` the value is `a`.
            Some(letters) if letters.contains('c') => {
                let next = rest
                    .next()
                    .filter(|next| letters.ends_with('c') && next.is_literal());
                let Some(next) = next else {
                    return WrappedCommand::Unknown;
                };
                text = Some(next.text.clone());
            }
            Some(_) => {}
            None => {}
        }
    }
    text.map_or(WrappedCommand::Unknown, WrappedCommand::Text)
}

pub(super) fn shell(arguments: &[Word], given: WordSource<'_>) -> WrappedCommand {
    const OPTIONS: &[&str] = &["pipefail", "errexit", "nounset", "xtrace", "verbose", "noglob"];
    let mut rest = arguments.iter();
    let mut has_text = false;
    let operand = loop {
        let Some(word) = rest.next() else { break None };
        let text = word.text.as_str();
        let is_option = text.starts_with(['-', '+']) && text.len() > 1;
        if !is_option || !word.is_literal() {
            break Some(word);
        }
        match text {
            "--" => break rest.next(),
            "--norc" | "--noprofile" | "--posix" | "--version" | "--help" => continue,
            _ => {}
        }
        let letters = &text[1..];
        if !letters.chars().all(|c| "ceuxvfnlo".contains(c)) {
            return WrappedCommand::Unknown;
        }
        if letters.contains('o')
            && !rest
                .next()
                .is_some_and(|name| OPTIONS.contains(&name.text.as_str()))
        {
            return WrappedCommand::Unknown;
        }
        has_text |= letters.contains('c') && text.starts_with('-');
    };
    match (has_text, operand) {
        (true, Some(text)) => {
            let is_replaced = matches!(given, WordSource::More(Some(place)) if text.text.contains(place));
            if text.is_literal() && !is_replaced {
                WrappedCommand::Text(text.text.clone())
            } else {
                WrappedCommand::Unknown
            }
        }
        (true, None) => WrappedCommand::Unknown,
        // Operands from elsewhere could be options.
        (false, None) if given != WordSource::AllWords => WrappedCommand::Unknown,
        // A file, or what comes in.
        (false, Some(word)) if word.is_dynamic() && word.text.starts_with('$') => WrappedCommand::Unknown,
        (false, _) => WrappedCommand::Nothing,
    }
}
