//! The picture in the README: the demo on a terminal of 120×36, drawn as it was.
//!
//! The test makes the picture each time, so that it can always be made again. `LATHE_PICTURE=write cargo test --test it
//! picture` puts it into `docs/screen.svg`.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use vt100::Color;

use crate::support::{Cell, Key, Project, Terminal};

const SIZE: (u16, u16) = (120, 36);
/// Of a cell, in pixels.
const CELL: (f64, f64) = (8.4, 18.0);
const MARGIN: f64 = 18.0;
/// The background that the terminal of the tests reports when it is asked.
const BACKGROUND: &str = "#161616";
const FOREGROUND: &str = "#dcdcdc";
/// Longer than a dialog is deaf.
const REST: Duration = Duration::from_millis(800);

#[test]
fn the_picture_of_the_readme_can_be_made_again() {
    let project = Project::new();
    let terminal = Terminal::start(&project, SIZE.0, SIZE.1, &["demo"]);
    terminal.wait_text("send");
    terminal.keys("fix the slugs");
    terminal.wait_text("┃ fix the slugs");
    terminal.key(Key::Enter);
    terminal.wait_text("bash wants to run");
    terminal.wait_quiet(REST);
    terminal.key(Key::Ctrl('x'));
    terminal.keys("b");
    terminal.wait_text("│ Todo");
    terminal.keys("y");
    terminal.wait_text("edit wants to change");
    terminal.wait_quiet(REST);
    terminal.keys("y");
    terminal.wait_text("Files changed");
    terminal.wait_text("bash wants to run");
    let screen = terminal.wait_quiet(REST);
    let directory = screen
        .split_whitespace()
        .find(|word| word.contains("lathe-demo-"))
        .expect("the dialog says where");
    let rows = renamed(terminal.cells(), directory, "~/src/slugs");
    let picture = svg(&rows);
    let shown = picture.matches("</text>").count();
    assert!(shown > 60, "{shown} pieces of text:\n{screen}");
    if std::env::var_os("LATHE_PICTURE").is_some_and(|value| value == "write") {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/screen.svg");
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, picture).unwrap();
    }
}

/// Puts another, shorter name into rows. What stands at the right edge keeps its place.
fn renamed(mut rows: Vec<Vec<Cell>>, old: &str, new: &str) -> Vec<Vec<Cell>> {
    let old: Vec<String> = old.chars().map(String::from).collect();
    for row in &mut rows {
        let found = row
            .windows(old.len())
            .position(|cells| cells.iter().map(|cell| &cell.text).eq(&old));
        let Some(at) = found else { continue };
        let style = row[at].clone();
        let named = new.chars().map(|letter| Cell {
            text: letter.to_string(),
            ..style.clone()
        });
        let missing = old.len() - new.chars().count();
        let gap = (at..row.len() - 3)
            .find(|column| row[*column..*column + 3].iter().all(|cell| cell.text.is_empty()));
        row.splice(at..at + old.len(), named);
        // Without a gap behind it the name itself stands at the edge.
        let (place, blank) = match gap {
            Some(gap) => (gap - missing, row[gap - missing].clone()),
            None => (at, row[at - 1].clone()),
        };
        row.splice(place..place, vec![blank; missing]);
    }
    rows
}

fn svg(rows: &[Vec<Cell>]) -> String {
    let width = f64::from(SIZE.0) * CELL.0 + 2.0 * MARGIN;
    let height = f64::from(SIZE.1) * CELL.1 + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"14\">\n<title>lathe fixes a shell script and asks before it runs the test</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"{BACKGROUND}\"/>\n"
    );
    for (row, cells) in rows.iter().enumerate() {
        let top = MARGIN + row as f64 * CELL.1;
        let mut start = 0;
        while start < cells.len() {
            let alike = |cell: &&Cell| is_alike(cell, &cells[start]);
            let end = start + cells[start..].iter().take_while(alike).count();
            let left = MARGIN + start as f64 * CELL.0;
            piece(&mut svg, &cells[start..end], left, top);
            start = end;
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Returns true if two cells can be drawn as one piece.
fn is_alike(cell: &Cell, first: &Cell) -> bool {
    let plain = |cell: &Cell| Cell {
        text: rule(cell).map_or_else(String::new, str::to_owned),
        ..cell.clone()
    };
    let is_blank = cell.text.is_empty() == first.text.is_empty();
    is_blank && plain(cell) == plain(first)
}

/// A line that has to join that of the next cell.
fn rule(cell: &Cell) -> Option<&str> {
    matches!(cell.text.as_str(), "─" | "│" | "┃").then_some(cell.text.as_str())
}

fn piece(svg: &mut String, cells: &[Cell], left: f64, top: f64) {
    let first = &cells[0];
    let width = cells.len() as f64 * CELL.0;
    let (mut foreground, mut background) = (colour(first.foreground), colour(first.background));
    if first.inverse {
        (foreground, background) = (
            background.or(Some(BACKGROUND.to_owned())),
            foreground.or(Some(FOREGROUND.to_owned())),
        );
    }
    let fill = foreground.unwrap_or_else(|| FOREGROUND.to_owned());
    if let Some(background) = background {
        rectangle(svg, (left, top), (width, CELL.1), &background);
    }
    if first.text.is_empty() {
        return;
    }
    let middle = (left + CELL.0 / 2.0, top + CELL.1 / 2.0);
    match rule(first) {
        Some("─") => return rectangle(svg, (left, middle.1 - 0.5), (width, 1.0), &fill),
        Some(bar) => {
            let thick = if bar == "┃" { 2.5 } else { 1.0 };
            for cell in 0..cells.len() {
                let x = middle.0 + cell as f64 * CELL.0 - thick / 2.0;
                rectangle(svg, (x, top), (thick, CELL.1), &fill);
            }
            return;
        }
        None => {}
    }
    let text: String = cells.iter().map(|cell| cell.text.as_str()).collect();
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let mut style = String::new();
    for (is_on, words) in [
        (first.bold, " font-weight=\"bold\""),
        (first.italic, " font-style=\"italic\""),
        (first.underline, " text-decoration=\"underline\""),
        (first.dim, " opacity=\"0.6\""),
    ] {
        style.push_str(if is_on { words } else { "" });
    }
    writeln!(
        svg,
        "<text x=\"{left:.1}\" y=\"{:.1}\" textLength=\"{width:.1}\" lengthAdjust=\"spacingAndGlyphs\" \
         fill=\"{fill}\"{style}>{text}</text>",
        top + CELL.1 * 0.74
    )
    .unwrap();
}

fn rectangle(svg: &mut String, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
    writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
    )
    .unwrap();
}

/// The theme speaks in its own colours alone; the terminal's are left to it.
fn colour(colour: Color) -> Option<String> {
    match colour {
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
        Color::Default | Color::Idx(_) => None,
    }
}
