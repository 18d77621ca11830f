//! How a read looks: the path with its range; what was read, when expanded.

use super::window::Window;
use super::{Args, Details, Kind};
use crate::tool::{CallView, RenderCx, plural};
use crate::view::card::{Card, CardPart, Code};

/// The names under which a model may write the path, in the form in which they stream in.
const PATH_NAMES: &[&str] = &[
    "path",
    "filePath",
    "file",
    "filename",
    "filepath",
    "FilePath",
    "file-path",
];

pub(super) fn call(call: &CallView<'_, Args>) -> Card {
    let path = call.text("file_path", PATH_NAMES);
    let argument = match &call.args {
        Some(args) if args.offset.is_some() || args.limit.is_some() => {
            let window = Window::new(args.offset, args.limit);
            match args.limit {
                Some(_) => format!("{}:{}-{}", args.file_path, window.offset, window.last()),
                None => format!("{}:{}-", args.file_path, window.offset),
            }
        }
        Some(args) => args.file_path.clone(),
        None => path.to_owned(),
    };
    Card::new("Read", argument)
}

pub(super) fn result(details: &Details, text: &str, cx: RenderCx) -> Card {
    match details.kind {
        Kind::File => file(details, text, cx),
        Kind::Directory => directory(details, text, cx),
        Kind::Image | Kind::Pdf => {
            let facts = text.rsplit_once(", ").map(|(_, facts)| facts);
            let card = Card::new("Read", &details.path);
            facts.into_iter().fold(card, Card::meta)
        }
    }
}

fn directory(details: &Details, text: &str, cx: RenderCx) -> Card {
    let total = details.total_lines.unwrap_or_default();
    let card = Card::new("Read", &details.path).meta(plural(total, "entry"));
    if !cx.expanded {
        return card;
    }
    let inside = text.lines().skip_while(|line| *line != "<entries>").skip(1);
    let entries = inside.take_while(|line| !line.is_empty() && !line.starts_with('('));
    crate::tool::builtin::rows(card, entries, total, cx)
}

fn file(details: &Details, text: &str, cx: RenderCx) -> Card {
    let first = details.line_start.max(1);
    let is_whole = first == 1 && details.total_lines == Some(details.line_end);
    let argument = if is_whole {
        details.path.clone()
    } else {
        format!("{}:{first}-{}", details.path, details.line_end)
    };
    let lines = (details.line_end + 1).saturating_sub(first);
    let card = Card::new("Read", argument).meta(plural(lines, "line"));
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
