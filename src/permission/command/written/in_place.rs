//! `sed -i`: the files that it changes, and the names under which it keeps them as they were.

use super::super::Simple;
use super::super::word::Word;
use super::{Backup, WrittenPaths, all, is_plain};

/// The files that `sed -i` changes: everything but its script, whichever word that is.
pub(super) fn sed(command: &Simple, words: &[Word]) -> WrittenPaths {
    let texts: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    if crate::permission::destructive::harm_of(&texts).is_none() {
        return WrittenPaths::default();
    }
    WrittenPaths {
        backup: backup(words),
        ..all(words, &["-e", "-f", "-l", "--expression", "--file"])
    }
}

fn backup(words: &[Word]) -> Option<Backup> {
    let mut all: Option<Backup> = None;
    let mut add = |backup: Backup| match &mut all {
        Some(all) => all.add(backup),
        None => all = Some(backup),
    };
    for (at, word) in words.iter().enumerate() {
        let text = word.text.as_str();
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = long.split_once('=').unwrap_or((long, ""));
            if !name.is_empty() && "in-place".starts_with(name) && !value.is_empty() {
                add(Backup::of_pattern(value, word.is_literal()));
            }
            continue;
        }
        let Some(letters) = text.strip_prefix('-') else {
            continue;
        };
        let Some(end) = letters.find(|letter| !"nErsuzb".contains(letter)) else {
            continue;
        };
        match letters[end..].chars().next() {
            Some('i' | 'I') => {
                let suffix = &letters[end + 1..];
                if !suffix.is_empty() {
                    add(Backup::of_pattern(suffix, word.is_literal()));
                } else if let Some(next) = words.get(at + 1).filter(|next| is_plain(&next.text)) {
                    // The `sed` of BSD and macOS has it in the next word.
                    add(Backup::of_pattern(&next.text, next.is_literal()));
                }
            }
            Some('e' | 'f' | 'l') => {}
            _ if letters.contains(['i', 'I']) => add(Backup::default()),
            _ => {}
        }
    }
    all
}
