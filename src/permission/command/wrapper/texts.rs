//! Programs that run a command in a way of their own: `find -exec`, and the texts of `eval`, `script` and shells.

use super::super::word::{Word, joined};
use super::{Given, Runs};

pub(super) fn find(words: &[Word]) -> Runs {
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
            _ => return Runs::Unknown,
        }
    }
    if found.is_empty() {
        Runs::Nothing
    } else {
        Runs::Also(found)
    }
}

pub(super) fn eval(arguments: &[Word], given: Given<'_>) -> Runs {
    let arguments = match arguments {
        [first, rest @ ..] if first.text == "--" => rest,
        all => all,
    };
    let is_literal = arguments.iter().all(Word::is_literal) && given == Given::AllWords;
    match (arguments.is_empty(), is_literal) {
        (_, false) => Runs::Unknown,
        (true, true) => Runs::Nothing,
        (false, true) => Runs::TextHere(joined(arguments)),
    }
}

pub(super) fn script(arguments: &[Word]) -> Runs {
    let mut text = None;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if !word.is_literal() {
            return Runs::Unknown;
        }
        let letters = word.text.strip_prefix('-');
        match letters {
            Some(letters) if letters.is_empty() || !letters.chars().all(|c| "aefqc".contains(c)) => {
                return Runs::Unknown;
            }
            // `-qc TEXT`; in `-ca` the value is `a`.
            Some(letters) if letters.contains('c') => {
                let next = rest
                    .next()
                    .filter(|next| letters.ends_with('c') && next.is_literal());
                let Some(next) = next else { return Runs::Unknown };
                text = Some(next.text.clone());
            }
            Some(_) => {}
            None => {}
        }
    }
    text.map_or(Runs::Unknown, Runs::Text)
}

pub(super) fn shell(arguments: &[Word], given: Given<'_>) -> Runs {
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
            return Runs::Unknown;
        }
        if letters.contains('o')
            && !rest
                .next()
                .is_some_and(|name| OPTIONS.contains(&name.text.as_str()))
        {
            return Runs::Unknown;
        }
        has_text |= letters.contains('c') && text.starts_with('-');
    };
    match (has_text, operand) {
        (true, Some(text)) => {
            let is_replaced = matches!(given, Given::More(Some(place)) if text.text.contains(place));
            if text.is_literal() && !is_replaced {
                Runs::Text(text.text.clone())
            } else {
                Runs::Unknown
            }
        }
        (true, None) => Runs::Unknown,
        // Operands from elsewhere could be options.
        (false, None) if given != Given::AllWords => Runs::Unknown,
        // A file, or what comes in.
        (false, Some(word)) if word.is_dynamic() && word.text.starts_with('$') => Runs::Unknown,
        (false, _) => Runs::Nothing,
    }
}
