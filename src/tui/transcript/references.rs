//! The subject of a block: the file and the line that `enter` opens, its code, and all of it as text.

use std::borrow::Cow;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use super::Transcript;
use super::block::{Block, Body};
use super::group;
use super::text::BlockText;
use crate::conversation::SessionId;
use crate::text::diff::{Sign, parse_unified};
use crate::tool::RenderCx;
use crate::view::card::{Card, CardPart, FileTarget};
use crate::view::markdown;

/// A file, perhaps, that is named somewhere: whether it is there is for others to find out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePlace {
    pub path: String,
    /// Counted from 1.
    pub line: Option<usize>,
}

impl FilePlace {
    /// Returns the place of a file; `project` is the root of the session's project.
    pub(crate) fn of(file: &FileTarget, project: &Path) -> Self {
        Self {
            path: file.from_session(project),
            line: file.line,
        }
    }
}

/// More than that are not tried.
const PLACES: usize = 40;

static NAMED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?P<path>~?[\w./@+-]*[\w@+-])(?::(?P<line>\d{1,7}))?").ok());

impl Transcript {
    /// Returns the files that the row of the selection's end is about, else those of the focused block, the likeliest
    /// first. `project` is the root of the session's project.
    pub fn places(&self, project: &Path) -> Vec<FilePlace> {
        let mut places = match (&self.selection, self.focus) {
            (Some(selection), _) => self.places_at(selection.head.block, selection.head.range.start, project),
            (None, Some(focus)) => self.places_of(focus, project),
            (None, None) => Vec::new(),
        };
        places.truncate(PLACES);
        places
    }

    /// Returns the session that the focused call is about, of a task.
    pub fn focused_session(&self) -> Option<SessionId> {
        let is_selecting = self.selection.is_some();
        let call = self.blocks.list.get(self.focus?)?.call()?;
        call.session(&*self.cards).filter(|_| !is_selecting)
    }

    /// Returns the file with all of the focused call's output, where what is shown of it is cut.
    pub fn kept_output(&self) -> Option<String> {
        self.blocks.list.get(self.focus?)?.call()?.kept_output()
    }

    fn places_at(&self, block: usize, at: usize, project: &Path) -> Vec<FilePlace> {
        let (text, targets) = self.text_of(block);
        let at = at.min(text.len());
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let own = targets.iter().filter(|(line, _)| *line == start);
        let mut places: Vec<_> = own.map(|(_, file)| FilePlace::of(file, project)).collect();
        if places.is_empty() {
            places = named(text[start..].lines().next().unwrap_or_default());
        }
        places.extend(self.places_of(block, project));
        places
    }

    fn places_of(&self, block: usize, project: &Path) -> Vec<FilePlace> {
        let cards = self.cards_of(block);
        let attached = match self.blocks.list.get(block).map(|block| &block.body) {
            Some(Body::User(user)) => user.files.as_slice(),
            _ => &[],
        };
        let attached = attached.iter().map(|file| file.target.clone());
        let files = cards.iter().flat_map(subjects).chain(attached);
        let mut places: Vec<_> = files.map(|file| FilePlace::of(&file, project)).collect();
        let (text, targets) = self.text_of(block);
        let mut start = 0;
        let mut in_words = Vec::new();
        for line in text.split('\n') {
            // A line that says itself what it is about is not read for names.
            if targets.binary_search_by_key(&start, |(line, _)| *line).is_err() {
                in_words.extend(named(line));
            }
            start += line.len() + 1;
        }
        // A name with a line was written to be gone to.
        in_words.sort_by_key(|place| place.line.is_none());
        places.extend(in_words);
        places
    }

    /// Returns the cards that a block shows, unfolded, those of calls inside another after its own.
    fn cards_of(&self, block: usize) -> Vec<Card> {
        let list = &self.blocks.list;
        let Some(call) = list.get(block).and_then(Block::call) else {
            return Vec::new();
        };
        let calls = group::calls(list, call).chain(&call.inner);
        group::cards(calls, true, &*self.cards)
    }

    /// Returns the text of a block, and where lines begin in it that are about a file of their own.
    fn text_of(&self, block: usize) -> (Cow<'_, str>, Vec<(usize, FileTarget)>) {
        if block >= self.blocks.list.len() {
            return (Cow::Borrowed(""), Vec::new());
        }
        let is_unfolded = self.is_unfolded(block);
        BlockText::of(&self.blocks.list, block, is_unfolded, &*self.cards).with_targets()
    }

    fn is_unfolded(&self, block: usize) -> bool {
        let block = self.blocks.list.get(block);
        block.is_some_and(|block| block.is_unfolded(self.reasoning_unfolded))
    }

    /// Returns the next piece of code of the focused block, its number and how many there are.
    pub fn next_code(&mut self) -> Option<(String, usize, usize)> {
        let focus = self.focus?;
        let mut codes = match &self.blocks.list.get(focus)?.body {
            Body::Text(text) => markdown::code_blocks(text.source.text()),
            Body::User(user) => markdown::code_blocks(&user.text),
            Body::Call(call) => code_of(&call.card(&*self.cards, RenderCx::EXPANDED)),
            Body::Reasoning(_) | Body::Mark(_) => Vec::new(),
        };
        let nth = match self.copied_code {
            Some((block, nth)) if block == focus && nth + 1 < codes.len() => nth + 1,
            _ => 0,
        };
        let count = codes.len();
        self.copied_code = Some((focus, nth));
        (nth < count).then(|| (codes.swap_remove(nth), nth + 1, count))
    }

    /// Returns the whole conversation as Markdown, calls as they are folded.
    pub fn as_markdown(&self) -> String {
        let mut whole = String::new();
        for (index, block) in self
            .blocks
            .list
            .iter()
            .enumerate()
            .filter(|(_, block)| block.is_shown())
        {
            let text = BlockText::of(&self.blocks.list, index, false, &*self.cards).with_asides();
            let text = text.trim_end();
            if text.is_empty() {
                continue;
            }
            if !whole.is_empty() {
                whole.push_str("\n\n");
            }
            match &block.body {
                Body::User(_) => {
                    whole.push_str("## You\n\n");
                    whole.push_str(text);
                }
                Body::Text(_) => whole.push_str(text),
                Body::Call(_) => whole.push_str(&fenced(text)),
                Body::Reasoning(_) | Body::Mark(_) => {
                    let lines = text.lines().map(|line| format!("> {line}"));
                    whole.push_str(&lines.collect::<Vec<_>>().join("\n"));
                }
            }
        }
        whole
    }
}

/// Returns the files that a card is about: its own at the line that it changed or shows, those of its diffs at their
/// first change, those of its rows.
fn subjects(card: &Card) -> Vec<FileTarget> {
    let mut shown = Vec::new();
    let mut rows = Vec::new();
    for part in &card.body {
        match part {
            CardPart::Diff(diff) => shown.push(diff.target(first_change(&diff.unified))),
            CardPart::Code(code) => {
                let numbered = card.target.clone().filter(|_| code.first_line.is_some());
                shown.extend(numbered.map(|file| file.at(code.first_line)));
            }
            CardPart::Lines(lines) => rows.extend(lines.iter().filter_map(|line| line.target.clone())),
            _ => {}
        }
    }
    // Of the rows, those are likelier that lead to a line.
    rows.sort_by_key(|file: &FileTarget| file.line.is_none());
    let own = card.target.clone().map(|file| {
        let line = file.line.or_else(|| shown.iter().find_map(|part| part.line));
        file.at(line)
    });
    own.into_iter().chain(shown).chain(rows).collect()
}

fn first_change(unified: &str) -> Option<usize> {
    let hunks = parse_unified(unified);
    let hunk = hunks.first()?;
    let before = hunk.lines.iter().take_while(|line| line.sign == Sign::Context);
    Some(hunk.new_start + before.count())
}

fn code_of(card: &Card) -> Vec<String> {
    let parts = card.body.iter().filter_map(|part| match part {
        CardPart::Code(code) => Some(code.text.clone()),
        _ => None,
    });
    let codes: Vec<String> = parts.collect();
    if codes.is_empty() && !card.argument.is_empty() {
        return vec![card.argument.clone()];
    }
    codes
}

/// Returns what may be files in a line of free text, each with the line number behind it.
fn named(line: &str) -> Vec<FilePlace> {
    let Some(pattern) = &*NAMED else { return Vec::new() };
    let found = pattern.captures_iter(line).filter_map(|captures| {
        let path = captures.name("path")?;
        let is_address = path.as_str().starts_with("//");
        let is_file = path.as_str().contains('/') || has_extension(path.as_str());
        let number = captures.name("line").and_then(|line| line.as_str().parse().ok());
        (is_file && !is_address).then(|| FilePlace {
            path: path.as_str().to_owned(),
            line: number.filter(|line| *line > 0),
        })
    });
    found.collect()
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        let is_word = extension.starts_with(|c: char| c.is_ascii_alphabetic());
        is_word && extension.len() <= 10 && !stem.ends_with('.')
    })
}

/// Returns a text between fences that it does not hold itself.
fn fenced(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}text\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, line: Option<usize>) -> FilePlace {
        FilePlace {
            path: path.to_owned(),
            line,
        }
    }

    #[test]
    fn files_are_named_with_their_line() {
        assert_eq!(
            named("thread panicked at tests/retry.rs:88:5: see lib.rs, not 1.31 or e.g. this"),
            [
                place("tests/retry.rs", Some(88)),
                place("lib.rs", None),
                place("e.g", None)
            ]
        );
        assert!(named("https://example.org/a.html").is_empty());
        assert_eq!(named("at ~/src/a-b.py:3"), [place("~/src/a-b.py", Some(3))]);
    }

    #[test]
    fn the_line_of_an_edit_is_its_first_change() {
        assert_eq!(first_change("@@ -40,3 +41,3 @@\n a\n-b\n+c\n"), Some(42));
        assert_eq!(first_change("nothing"), None);
    }

    #[test]
    fn a_fence_is_longer_than_those_inside() {
        assert_eq!(fenced("a"), "```text\na\n```");
        assert!(fenced("```\n").starts_with("````text"));
    }
}
