//! Pictures of the conversation.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::*;
use crate::conversation::{CallState, FilePart, ToolPart};
use crate::tui::pictures::facts::tests::png;
use crate::tui::pictures::{FramePictures, PictureJob, PictureProtocol};

/// A conversation in which pictures were read.
fn with_pictures(protocol: Option<PictureProtocol>, pictures: &[Vec<u8>]) -> Driver {
    let mut terminal_environment = terminal_environment();
    terminal_environment.picture_protocol = protocol;
    let mut driver = Driver::with(Setup {
        terminal_environment,
        ..setup()
    });
    let parts = pictures.iter().zip(1..).map(|(bytes, seq)| {
        let attachment = json!({"mime": "image/png", "data": STANDARD.encode(bytes)});
        let result = json!({"ok": true, "title": "", "output": "", "attachments": [attachment]});
        Part {
            seq,
            body: PartBody::Tool(ToolPart {
                call: CallId::new(),
                provider_id: None,
                tool: "read".to_owned(),
                raw_args: String::new(),
                args: Some(json!({"file_path": format!("docs/shot{seq}.png")}).into()),
                state: CallState::Done,
                result: Some(serde_json::from_value(result).unwrap()),
                native: None,
                inner: Vec::new(),
            }),
        }
    });
    let message = Message {
        parts: parts.collect(),
        ..Message::clone(&message(Role::Assistant, ""))
    };
    let snapshot = Snapshot {
        messages: vec![Arc::new(message)],
        ..driver.snapshot()
    };
    driver.open_session(&snapshot);
    driver.size = (80, 30);
    driver.frame();
    driver.press("ctrl+x o");
    driver
}

fn jobs(driver: &mut Driver) -> Vec<PictureJob> {
    driver.collect();
    let effects = std::mem::take(&mut driver.effects);
    let jobs = effects.into_iter().filter_map(|effect| match effect {
        Effect::MakePicture(job) => Some(job),
        _ => None,
    });
    jobs.collect()
}

/// Draws and makes pictures until all are there.
fn settle(driver: &mut Driver) -> Frame {
    for _ in 0..10 {
        let frame = driver.frame();
        let jobs = jobs(driver);
        assert!(jobs.len() < 2, "one at a time");
        let Some(job) = jobs.into_iter().next() else {
            return frame;
        };
        driver.app.picture_made(job.run());
    }
    panic!("there is always another picture to make");
}

/// The rows of the screen with parts of a picture by kitty's protocol, and how many cells each has.
fn placeholders(frame: &Frame) -> Vec<(u16, usize)> {
    let area = frame.buffer.area;
    let is_part = |cell: &ratatui::buffer::Cell| cell.symbol().starts_with('\u{10eeee}');
    let rows = area.rows().map(|row| {
        let cells = row.positions().filter(|at| is_part(&frame.buffer[*at]));
        (row.y, cells.count())
    });
    rows.filter(|(_, cells)| *cells > 0).collect()
}

fn row_of(frame: &Frame, text: &str) -> u16 {
    let rows = frame.text();
    let row = rows.lines().position(|row| row.contains(text));
    row.unwrap_or_else(|| panic!("no {text:?} in\n{rows}")) as u16
}

#[test]
fn a_picture_has_its_rows_before_it_is_there() {
    let mut driver = with_pictures(Some(PictureProtocol::Kitty), &[png(200, 100)]);
    let before = driver.frame();
    let caption = row_of(&before, "image shot1.png · PNG 200×100 · ");
    assert!(jobs(&mut driver).is_empty(), "the terminal has not answered");
    driver.app.draws_pictures(PictureProtocol::Kitty, true);
    let waiting = driver.frame();
    assert_eq!(placeholders(&waiting), []);
    let [job] = jobs(&mut driver).try_into().unwrap();
    assert_eq!(job.pixels, (200, 100));
    driver.app.picture_made(job.run());
    let there = driver.frame();
    let caption_now = row_of(&there, "image shot1.png");
    assert_eq!(caption_now, row_of(&waiting, "image shot1.png"), "nothing moves");
    assert!(caption_now <= caption);
    let rows: Vec<_> = (1..=5).map(|row| (caption_now + row, 20)).collect();
    assert_eq!(placeholders(&there), rows);
    assert_eq!(driver.app.pictures_on_screen().named.len(), 1);
}

#[test]
fn a_picture_of_ones_own_message_is_drawn_where_it_is_unfolded() {
    let mut driver = with_pictures(Some(PictureProtocol::Kitty), &[]);
    driver.app.draws_pictures(PictureProtocol::Kitty, true);
    let file = FilePart {
        path: "shot.png".to_owned(),
        label: None,
        mime: "image/png".to_owned(),
        data: STANDARD.encode(png(200, 100)),
    };
    let mut message = Message::clone(&message(Role::User, "look at it"));
    message.parts.push(Part {
        seq: 2,
        body: PartBody::File(file),
    });
    driver.event(Event::MessageStarted(Arc::new(message)));
    assert_eq!(placeholders(&settle(&mut driver)), []);
    driver.press("ctrl+x [ o");
    let frame = settle(&mut driver);
    let row = row_of(&frame, "@shot.png");
    let rows: Vec<_> = (1..=5).map(|below| (row + below, 20)).collect();
    assert_eq!(placeholders(&frame), rows);
    assert_eq!(
        frame.buffer[(1, row + 2)].symbol(),
        "┃",
        "the bar goes on beside it"
    );
}

#[test]
fn what_is_drawn_over_a_picture_hides_it_and_it_comes_back() {
    let mut driver = with_pictures(Some(PictureProtocol::Kitty), &[png(200, 100)]);
    driver.app.draws_pictures(PictureProtocol::Kitty, true);
    let there = placeholders(&settle(&mut driver));
    driver.press("ctrl+x ?");
    assert_eq!(placeholders(&driver.frame()), []);
    assert!(
        driver.app.pictures_on_screen().named.is_empty(),
        "the terminal may forget it"
    );
    driver.press("esc");
    assert_eq!(placeholders(&driver.frame()), there);
    assert!(jobs(&mut driver).is_empty(), "it was kept");
    driver.wait(1_000);
    driver.press("ctrl+x o");
    assert_eq!(placeholders(&driver.frame()), [], "folded");
    assert!(driver.app.pictures_on_screen().named.is_empty());
}

#[test]
fn a_picture_that_is_partly_off_the_screen_is_clipped_or_left_out() {
    let scrolled = |protocol| {
        let mut driver = with_pictures(Some(protocol), &[png(200, 200)]);
        driver.app.draws_pictures(PictureProtocol::Kitty, true);
        driver.size = (80, 12);
        let frame = settle(&mut driver);
        (frame, driver)
    };
    let (frame, _) = scrolled(PictureProtocol::Kitty);
    let rows = placeholders(&frame);
    assert!((1..10).contains(&rows.len()), "{rows:?}");
    let first = &frame.buffer[(4, rows[0].0)];
    let is_clipped_above = !frame.text().contains("image shot1.png");
    assert_eq!(first.symbol().starts_with("\u{10eeee}\u{305}"), !is_clipped_above);
    let (_, mut driver) = scrolled(PictureProtocol::Iterm);
    assert!(driver.app.pictures_on_screen().placed.is_empty());
    driver.size = (80, 30);
    settle(&mut driver);
    assert_eq!(driver.app.pictures_on_screen().placed.len(), 1);
}

#[test]
fn what_cannot_be_drawn_stays_described() {
    let mut cut = png(300, 200);
    cut.truncate(cut.len() / 2);
    let mut huge = png(8, 8);
    huge[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
    let mut driver = with_pictures(Some(PictureProtocol::Kitty), &[cut, huge, png(40, 40)]);
    driver.app.draws_pictures(PictureProtocol::Kitty, true);
    driver.size = (80, 60);
    let frame = settle(&mut driver);
    for (name, is_broken) in [("shot1", true), ("shot2", true), ("shot3", false)] {
        let row = row_of(&frame, &format!("image {name}.png · PNG"));
        let rows = frame.text();
        let row = rows.lines().nth(usize::from(row)).unwrap();
        assert_eq!(row.contains(" · cannot be drawn"), is_broken, "{row}");
    }
    assert_eq!(driver.app.pictures_on_screen().named.len(), 1);
    assert!(jobs(&mut driver).is_empty());
}

#[test]
fn a_broken_picture_keeps_its_rows_until_its_card_is_folded_or_off_the_screen() {
    let cut = |width, height| {
        let whole = png(width, height);
        whole[..whole.len() / 2].to_vec()
    };
    let mut driver = with_pictures(Some(PictureProtocol::Kitty), &[cut(200, 100), cut(40, 40)]);
    driver.app.draws_pictures(PictureProtocol::Kitty, true);
    let waiting = driver.frame();
    let (first, second) = (
        row_of(&waiting, "image shot1.png"),
        row_of(&waiting, "image shot2.png"),
    );
    let after = settle(&mut driver);
    pictures::picture(&mut driver, "broken_picture", (80, 30));
    assert_eq!(
        (
            row_of(&after, "image shot1.png"),
            row_of(&after, "image shot2.png")
        ),
        (first, second),
        "nothing jumps"
    );
    let bars = |frame: &Frame| frame.text().matches('┊').count();
    assert_eq!(bars(&after), 5 + 2);
    driver.wait(1_000);
    driver.press("ctrl+x o");
    driver.frame();
    driver.wait(1_000);
    driver.press("ctrl+x o");
    let again = settle(&mut driver);
    assert_eq!(bars(&again), 0);
    let row = row_of(&again, "image shot1.png");
    assert_eq!(row_of(&again, "image shot2.png") - row, second - first - 5);
}

#[test]
fn a_terminal_that_draws_none_gets_none() {
    let narrow = 50;
    for (protocol, draws, width) in [
        (None, true, 80),
        (Some(PictureProtocol::Kitty), false, 80),
        (Some(PictureProtocol::Kitty), true, narrow),
        (Some(PictureProtocol::Iterm), true, narrow),
    ] {
        let mut driver = with_pictures(protocol, &[png(200, 100)]);
        driver.app.draws_pictures(PictureProtocol::Kitty, draws);
        driver.size = (width, 30);
        let frame = settle(&mut driver);
        row_of(&frame, "image shot1.png · PNG 200×");
        assert_eq!(placeholders(&frame), []);
        let FramePictures { named, placed } = driver.app.pictures_on_screen();
        assert!(named.is_empty() && placed.is_empty());
    }
}
