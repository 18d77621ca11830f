//! The subject of a block: the file and the line that `enter` opens, its code, and all of it as text.

use std::sync::LazyLock;

use regex::Regex;

use super::Transcript;
use super::block::{Block, Body};
use super::call::CallBlock;
use super::text::{text, text_with_asides};
use crate::text::diff::{Sign, parse_unified};
use crate::tool::RenderCx;
use crate::view::card::{Card, CardPart};
use crate::view::markdown;

/// A file, perhaps, that is named somewhere: whether it is there is for others to find out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePlace {
    pub path: String,
    /// Counted from 1.
    pub line: Option<usize>,
}

/// More than that are not tried.
const PLACES: usize = 40;

static NAMED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?P<path>~?[\w./@+-]*[\w@+-])(?::(?P<line>\d{1,7}))?").ok());
static NUMBERED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\s*(\d{1,7})[:\s]").ok());

impl Transcript {
    /// Returns the files that the row of the selection's end names, else those that the focused block is about, the
    /// likeliest first.
    pub fn places(&self) -> Vec<FilePlace> {
        let mut places = match (&self.selection, self.focus) {
            (Some(selection), _) => self.places_at(selection.head.block, selection.head.range.start),
            (None, Some(focus)) => self.places_of(focus),
            (None, None) => Vec::new(),
        };
        places.truncate(PLACES);
        places
    }

    /// Returns the file with all of the focused call's output, where what is shown of it is cut.
    pub fn kept_output(&self) -> Option<&str> {
        match &self.blocks.list.get(self.focus?)?.body {
            Body::Call(call) => call.kept(),
            Body::User(_) | Body::Text(_) | Body::Reasoning(_) | Body::Mark(_) => None,
        }
    }

    fn places_at(&self, block: usize, at: usize) -> Vec<FilePlace> {
        let is_unfolded = self.is_unfolded(block);
        let text = text(&self.blocks.list, block, is_unfolded, &*self.cards);
        let before = text.get(..at).unwrap_or(&text).matches('\n').count();
        // What stands beside a line tells its number.
        let text = self.text_of(block);
        let lines: Vec<&str> = text.split('\n').collect();
        let line = lines.get(before).copied().unwrap_or_default();
        let mut places = named(line);
        // Matches stand below the name of their file, each with the number of its line.
        if let Some(number) = number(line) {
            let above = lines[..before].iter().rev();
            let name = above.take(1000).find(|line| self::number(line).is_none());
            let files = name.map(|name| named(name)).unwrap_or_default();
            places.splice(
                0..0,
                files.into_iter().map(|place| FilePlace {
                    line: Some(number),
                    ..place
                }),
            );
        }
        places.extend(self.places_of(block));
        places
    }

    fn places_of(&self, block: usize) -> Vec<FilePlace> {
        let mut places = Vec::new();
        if let Some(Block {
            body: Body::Call(call),
            ..
        }) = self.blocks.list.get(block)
        {
            let card = call.card(&*self.cards, RenderCx { expanded: true });
            places.extend(subject(call, &card));
        }
        let mut named: Vec<FilePlace> = self.text_of(block).lines().flat_map(named).collect();
        // A name with a line was written to be gone to.
        named.sort_by_key(|place| place.line.is_none());
        places.extend(named);
        places
    }

    /// Returns the text of a block with what stands beside its lines.
    fn text_of(&self, block: usize) -> String {
        if block >= self.blocks.list.len() {
            return String::new();
        }
        let is_unfolded = self.is_unfolded(block);
        text_with_asides(&self.blocks.list, block, is_unfolded, &*self.cards).into_owned()
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
            Body::Call(call) => code_of(&call.card(&*self.cards, RenderCx { expanded: true })),
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
            let text = text_with_asides(&self.blocks.list, index, false, &*self.cards);
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

/// Returns the file of a call: the one it names, at the line that it changed or shows.
fn subject(call: &CallBlock, card: &Card) -> Option<FilePlace> {
    let path = call.path()?;
    let changed = card.body.iter().find_map(|part| match part {
        CardPart::Diff(diff) if !diff.is_unplaced => first_change(&diff.unified),
        CardPart::Code(code) => code.first_line,
        _ => None,
    });
    let said = named(&card.argument).into_iter().find_map(|place| place.line);
    Some(FilePlace {
        path: path.to_owned(),
        line: said.or(changed),
    })
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

/// Returns what may be files in a line, each with the line number behind it.
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

/// Returns the number that a line of a list of matches begins with.
fn number(line: &str) -> Option<usize> {
    let pattern = NUMBERED.as_ref()?;
    pattern.captures(line)?.get(1)?.as_str().parse().ok()
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
