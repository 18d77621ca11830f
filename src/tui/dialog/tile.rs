//! A question in a tile of the watch grid.
//!
//! It is the question of the permission dialog in as few rows: who wants what and where, the keys, and all that would be
//! written or run. A yes is offered only where every row of that stands in the tile; else the key that goes into the
//! child takes its place. Forms are filled in there, too.

use std::path::Path;
use std::sync::Arc;

use ratatui::text::Line;

use super::keys::KeyLines;
use super::permission::Permission;
use crate::permission::Inquiry;
use crate::question::{Form, Question, QuestionKind};
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::layer::LayerCx;
use crate::view::approval::{INDENT, indent};
use crate::view::theme::Meaning;

/// The keys that answer in a tile, as hints write them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TileAnswerKeys<'a> {
    pub(crate) once: &'a str,
    pub(crate) no: &'a str,
    pub(crate) no_because: &'a str,
    pub(crate) always: &'a str,
    /// Goes into the child.
    pub(crate) enter: &'a str,
}

/// The place in which a question is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TilePlace<'a> {
    /// Columns, and rows at most.
    pub(crate) size: (u16, u16),
    /// The directory of the tree: a call that runs there does not say so where it takes a row of its own.
    pub(crate) directory: &'a Path,
    pub(crate) keys: TileAnswerKeys<'a>,
}

/// The rows of a question in a tile.
#[derive(Debug, Clone)]
pub(crate) struct TileQuestion {
    pub(crate) lines: Vec<Line<'static>>,
    /// True if all that would be written or run stands in the rows, so that a yes means what was read.
    pub(crate) is_whole: bool,
}

impl TileQuestion {
    pub(crate) fn new(question: &Question, place: TilePlace<'_>, cx: &LayerCx<'_>) -> Self {
        match &question.about {
            QuestionKind::Permission(inquiry) => of_permission(question.with(inquiry), place, cx),
            QuestionKind::Form(form) => of_form(form, place, cx),
        }
    }
}

fn of_permission(question: Question<Arc<Inquiry>>, place: TilePlace<'_>, cx: &LayerCx<'_>) -> TileQuestion {
    let TilePlace {
        size: (width, height),
        keys,
        ..
    } = place;
    let height = usize::from(height);
    let mut permission = Permission::new(question);
    let head = head(&permission, place, cx);
    permission.list_asks(permission.is_grouped(), width, cx);
    let mut rest = permission.body.all().to_vec();
    rest.extend(permission.ask_blocks(width, cx).concat());
    let has_always = !permission.proposals.is_empty();
    let whole = answers(keys, has_always, width, cx);
    if head.len() + whole.len() + rest.len() <= height {
        let lines = [head, whole, rest].concat();
        return TileQuestion {
            lines,
            is_whole: true,
        };
    }
    let mut partly = KeyLines::new(usize::from(width), *cx);
    partly.add(&[reveal_line(keys.enter)], "shows all of it");
    add_refusals(&mut partly, keys);
    let mut lines = [head, partly.done()].concat();
    lines.truncate(height);
    let room = height - lines.len();
    lines.extend(cut(rest, room, cx));
    TileQuestion {
        lines,
        is_whole: false,
    }
}

/// Returns the title with the place and the sandbox, or below it where that is too long.
fn head(permission: &Permission, place: TilePlace<'_>, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
    let width = usize::from(place.size.0);
    let title = permission.title(cx);
    let [directory, sandbox] = permission.place_and_sandbox(cx);
    let facts = directory.join(&sandbox);
    let whole = title.clone().and(cx.dot(), Meaning::TextMuted).join(&facts);
    if whole.width() < width {
        return vec![whole.line()];
    }
    let is_usual = permission.question.about.directory == place.directory;
    let short = title.clone().join(&sandbox);
    if is_usual && short.width() < width {
        return vec![short.line()];
    }
    let mut lines = title.rows(width.saturating_sub(1), INDENT);
    lines.extend(facts.indented(width));
    lines
}

/// Returns the keys that answer, in fewer words where that saves a line.
fn answers(keys: TileAnswerKeys<'_>, has_always: bool, width: u16, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
    let lines = |always: &'static str| {
        let mut lines = KeyLines::new(usize::from(width), *cx);
        lines.add(&[reveal_line(keys.once)], "once");
        add_refusals(&mut lines, keys);
        if has_always {
            lines.add(&[reveal_line(keys.always)], always);
        }
        lines.done()
    };
    let (whole, short) = (lines("always… goes in"), lines("always…"));
    if short.len() < whole.len() { short } else { whole }
}

fn add_refusals(lines: &mut KeyLines<'_>, keys: TileAnswerKeys<'_>) {
    lines.add(&[reveal_line(keys.no)], "no");
    lines.add(&[reveal_line(keys.no_because)], "because");
}

fn of_form(form: &Form, place: TilePlace<'_>, cx: &LayerCx<'_>) -> TileQuestion {
    let TilePlace {
        size: (width, height),
        keys,
        ..
    } = place;
    let (columns, height) = (usize::from(width), usize::from(height));
    let title = cx.title(reveal_line(&form.title));
    let mut lines = title.rows(columns.saturating_sub(1), INDENT);
    let mut answer = KeyLines::new(columns, *cx);
    answer.add(&[reveal_line(keys.enter)], "goes in to answer");
    lines.extend(answer.done());
    lines.truncate(height);
    let asked = form.questions.iter().flat_map(|question| {
        cx.text(reveal_line(&question.question), Meaning::Text)
            .indented(columns)
    });
    let room = height - lines.len();
    lines.extend(cut(asked.collect(), room, cx));
    TileQuestion {
        lines,
        is_whole: false,
    }
}

/// Returns as many lines as fit; the last one says how many more there are.
fn cut(mut lines: Vec<Line<'static>>, room: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
    if lines.len() <= room {
        return lines;
    }
    let left = lines.len() + 1 - room;
    lines.truncate(room.saturating_sub(1));
    if room > 0 {
        let count = Revealed::own(cx.look.symbols.ellipsis()).and(" ").and(left);
        lines.push(indent(
            cx.text(count.and(" more rows"), Meaning::TextMuted).line(),
        ));
    }
    lines
}
