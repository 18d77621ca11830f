//! The result of a search: the text for the model, and the details for drawing.

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::first_matches::FileMatches;
use super::line::{Line, LineKind, first_matches};
use super::search::GrepFindings;
use super::{Details, Item, OutputMode, Plan};
use crate::files::Roots;
use crate::tool::file_name::one_line;
use crate::tool::walk::SearchLimit;
use crate::tool::{Output, plural};

const MAX_ITEMS: usize = 1000;

pub(super) fn answer(
    plan: &Plan,
    found: &GrepFindings,
    limit: &SearchLimit,
    roots: &Roots,
) -> Output<Details> {
    let matches: usize = found.files.iter().map(|file| file.count).sum();
    let files = found.files.len();
    let listed = if plan.mode == OutputMode::Content {
        matches
    } else {
        files
    };
    let (items, spans) = items(&found.files).unzip();
    let details = Details {
        matches,
        files,
        truncated: listed > plan.limit
            || found.counting_stopped
            || found.files.iter().any(|file| file.has_more),
        timed_out: found.end.timed_out(limit),
        skipped_unreadable: found.unreadable + found.end.unreadable,
        counting_stopped: found.counting_stopped,
        items,
        spans,
    };
    let mut text = match (matches, plan.mode) {
        (0, _) => "No matches found".to_owned(),
        (_, OutputMode::Content) => content(plan, found, &details),
        (_, OutputMode::FilesWithMatches) => files_with_matches(plan, found, &details),
        (_, OutputMode::Count) => counts(plan, found, &details),
    };
    text.push_str(&notes(plan, found, roots));
    let title = format!(
        "{} · {} · {}",
        plan.title,
        details.count_of(matches, "match"),
        details.count_of(files, "file")
    );
    let mut output = Output::new(title, text, details);
    limit.mark(&mut output, &found.end);
    output
}

fn items(files: &[FileMatches]) -> impl Iterator<Item = (Item, (usize, usize))> {
    let all = files.iter().flat_map(|file| {
        file.lines.iter().filter_map(|line| match line.kind {
            LineKind::Match { column, span } => {
                let item = Item {
                    path: file.display.clone(),
                    line: line.number,
                    column,
                    text: line.text.clone(),
                };
                Some((item, span))
            }
            LineKind::Continued | LineKind::Context => None,
        })
    });
    all.take(MAX_ITEMS)
}

fn summary(details: &Details) -> String {
    format!(
        "Found {} in {}",
        details.count_of(details.matches, "match"),
        details.count_of(details.files, "file")
    )
}

fn content(plan: &Plan, found: &GrepFindings, details: &Details) -> String {
    let mut text = summary(details);
    // Lines are kept from the first file on, up to a bound.
    let kept = found.files.iter().take_while(|file| !file.lines.is_empty());
    let kept: usize = kept.map(|file| file.count).sum();
    let limit = plan.limit.min(kept);
    let mut left = limit;
    for file in &found.files {
        if left == 0 {
            break;
        }
        text.push_str("\n\n");
        text.push_str(&one_line(&file.display));
        for line in first_matches(&file.lines, left, plan.after) {
            push_line(&mut text, line);
        }
        left = left.saturating_sub(file.count);
    }
    if details.matches > limit || found.counting_stopped {
        let plus = if found.stopped { "+" } else { "" };
        let _ = write!(
            text,
            "\n\n({limit} of {}{plus} matches shown; narrow the pattern or path)",
            details.matches
        );
    }
    text
}

fn push_line(text: &mut String, line: &Line) {
    if line.gap {
        text.push_str("\n  --");
    }
    let sign = if line.kind == LineKind::Context { '-' } else { ':' };
    let _ = write!(text, "\n  {}{sign} {}", line.number, line.text);
}

fn files_with_matches(plan: &Plan, found: &GrepFindings, details: &Details) -> String {
    let mut files: Vec<&FileMatches> = found.files.iter().collect();
    files.sort_by(|a, b| {
        let newest = b.modified.cmp(&a.modified);
        newest.then_with(|| a.display.cmp(&b.display))
    });
    let mut text = format!("Found {}\n", details.count_of(files.len(), "file"));
    for file in files.iter().take(plan.limit) {
        text.push('\n');
        text.push_str(&one_line(&file.display));
    }
    text.push_str(&cut_files(plan, found));
    text
}

fn counts(plan: &Plan, found: &GrepFindings, details: &Details) -> String {
    let mut files: Vec<&FileMatches> = found.files.iter().collect();
    files.sort_by_key(|file| (Reverse(file.count), &file.display));
    let mut text = summary(details);
    text.push('\n');
    for file in files.iter().take(plan.limit) {
        let plus = details.plus();
        let _ = write!(text, "\n{}{plus}  {}", file.count, one_line(&file.display));
    }
    text.push_str(&cut_files(plan, found));
    text
}

fn cut_files(plan: &Plan, found: &GrepFindings) -> String {
    let total = found.files.len();
    if total <= plan.limit && !found.counting_stopped {
        return String::new();
    }
    let plus = if found.end.stopped || found.counting_stopped {
        "+"
    } else {
        ""
    };
    format!(
        "\n\n({} of {total}{plus} files shown; narrow the pattern or path)",
        plan.limit.min(total)
    )
}

/// Returns notes about files that were not searched, or not to their end.
fn notes(plan: &Plan, found: &GrepFindings, roots: &Roots) -> String {
    let mut notes = Vec::new();
    let capped: Vec<&FileMatches> = found.files.iter().filter(|file| file.has_more).collect();
    if let Some(first) = capped.first() {
        notes.push(format!(
            "(only the first {} matches of {} are counted)",
            first.count,
            match capped.len() {
                1 => one_line(&first.display).into_owned(),
                several => plural(several, "file"),
            }
        ));
    }
    if found.unreadable > 0 {
        notes.push(format!(
            "skipped {}: no read permission",
            plural(found.unreadable, "file")
        ));
    }
    let binary = found.binary.iter();
    notes.extend(binary.map(|path| format!("skipped {}: a binary file", one_line(path))));
    let too_large = found.too_large.iter().map(|path| {
        let path = one_line(path);
        if plan.multiline {
            format!("{path} was not searched: with `multiline` a file may have 64 MiB")
        } else {
            format!("{path} was not searched to its end: a line of it has more than 64 MiB")
        }
    });
    notes.extend(too_large);
    notes.extend(found.end.notices(roots));
    if notes.is_empty() {
        String::new()
    } else {
        format!("\n\n{}", notes.join("\n"))
    }
}
