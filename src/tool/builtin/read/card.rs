//! Draws a read: the path with its range; the text, when expanded.

use super::window::Window;
use super::{Args, Details, Kind};
use crate::tool::builtin::{COLLAPSED, file_row, rows};
use crate::tool::{DrawnArgs, RenderCx};
use crate::view::card::{Card, CardPart, Code, Fact, FileTarget};

pub(super) fn call(args: DrawnArgs<'_>) -> Card {
    let Some(args) = args.typed::<Args>() else {
        return args.file_card("Read", "file_path");
    };
    let target = FileTarget::given(&args.file_path);
    if args.offset.is_none() && args.limit.is_none() {
        return Card::of_file("Read", target);
    }
    let window = Window::new(args.offset, args.limit);
    let last = args.limit.map(|_| window.last());
    part_of(target, window.offset, last)
}

/// Makes the card of a call about some lines of a file: `src/a.rs:40-59`, or `src/a.rs:40-` where the last is not known.
fn part_of(file: FileTarget, first: usize, last: Option<usize>) -> Card {
    let mut card = Card::of_file("Read", file.at(Some(first)));
    card.argument.push('-');
    card.argument.extend(last.map(|last| last.to_string()));
    card
}

pub(super) fn result(details: &Details, text: &str, cx: RenderCx) -> Card {
    match details.kind {
        Kind::File => file(details, text, cx),
        Kind::Directory => directory(details, text, cx),
        Kind::Image | Kind::Pdf => {
            let facts = text.rsplit_once(", ").map(|(_, facts)| facts);
            let card = Card::of_file("Read", FileTarget::shown(&details.path));
            facts.into_iter().fold(card, Card::meta)
        }
    }
}

fn directory(details: &Details, text: &str, cx: RenderCx) -> Card {
    let total = details.total_lines.unwrap_or_default();
    let target = FileTarget::shown(&details.path);
    let card = Card::of_file("Read", target.clone()).meta(Fact::count(total, "entry"));
    if !cx.expanded {
        return card;
    }
    let inside = text.lines().skip_while(|line| *line != "<entries>").skip(1);
    let entries = inside.take_while(|line| !line.is_empty() && !line.starts_with('('));
    let entries = entries.map(|name| file_row(name, target.below(name)));
    rows(card, entries, total, COLLAPSED, cx)
}

fn file(details: &Details, text: &str, cx: RenderCx) -> Card {
    let first = details.line_start.max(1);
    let is_whole = first == 1 && details.total_lines == Some(details.line_end);
    let target = FileTarget::shown(&details.path);
    let card = if is_whole {
        Card::of_file("Read", target)
    } else {
        part_of(target, first, Some(details.line_end))
    };
    let lines = (details.line_end + 1).saturating_sub(first);
    let card = details.unusual_encoding().into_iter().fold(card, Card::meta);
    let card = card.meta(Fact::count(lines, "line"));
    if !cx.expanded || lines == 0 {
        return card;
    }
    let numbered = text.lines().skip_while(|line| *line != "<content>").skip(1);
    let source: Vec<&str> = numbered
        .take(lines)
        .map_while(|line| line.split_once(if details.hashline { "|" } else { ": " }))
        .map(|(_, text)| text)
        .collect();
    card.part(CardPart::Code(Code {
        text: source.join("\n"),
        language: details.path.clone(),
        first_line: Some(first),
        wraps: false,
    }))
}
