use proptest::prelude::*;

use super::*;

struct Place {
    dir: tempfile::TempDir,
    call: CallId,
}

impl Place {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
            call: CallId::new(),
        }
    }

    fn capture(&self, max_lines: usize, max_bytes: usize) -> Capture {
        let limits = SizeLimits { max_lines, max_bytes };
        Capture::new(limits, Outputs::new(self.dir.path()), self.call.clone())
    }

    fn files(&self) -> usize {
        fs::read_dir(self.dir.path().join("tool-output")).map_or(0, Iterator::count)
    }
}

#[test]
fn what_fits_is_whole_and_leaves_no_file() {
    let place = Place::new();
    let mut capture = place.capture(10, 1000);
    capture.push(b"one\ntw");
    capture.push(b"o\n");
    let (captured, shown) = capture.finish();
    assert_eq!((captured.text.as_str(), captured.note), ("one\ntwo", None));
    assert_eq!((captured.lines, captured.bytes, captured.first_line), (2, 8, 1));
    assert_eq!(shown.delta, "one\ntwo\n");
    assert_eq!(place.files(), 0);
}

#[test]
fn what_follows_a_line_that_came_in_parts_has_its_colours() {
    let place = Place::new();
    let mut capture = place.capture(10, 1000);
    capture.push(&vec![b'x'; 1024 * 1024 + 1]);
    capture.push(b"\x1b[31mx\nred\x1b[m\n");
    let (captured, _) = capture.finish();
    assert_eq!(told(&captured.runs), "1:0-3:31");
}

#[test]
fn the_end_is_kept_and_the_file_has_every_raw_byte() {
    let place = Place::new();
    let mut capture = place.capture(2, 1000);
    let raw = b"\x1b[31mone\x1b[0m\ntwo\n\xff\nfour\n";
    capture.push(raw);
    let (captured, _) = capture.finish();
    assert_eq!(captured.text, "\u{fffd}\nfour");
    assert_eq!((captured.lines, captured.first_line), (4, 3));
    let path = captured.path.unwrap();
    assert_eq!(fs::read(&path).unwrap(), raw);
    let note = captured.note.unwrap();
    let start = format!("… 2 more lines truncated …\nFull output: {}\n", path.display());
    assert!(note.starts_with(&start), "{note}");
}

#[test]
fn raw_bytes_that_come_to_little_text_leave_no_file() {
    let place = Place::new();
    let mut capture = place.capture(2000, 51_200);
    for percent in 0..100_000 {
        capture.push(format!("\r{percent} %").as_bytes());
    }
    let (captured, _) = capture.finish();
    assert_eq!(captured.text, "99999 %");
    assert_eq!((captured.path, place.files()), (None, 0));
}

#[test]
fn much_output_stays_bounded_in_memory_and_whole_on_disk() {
    let place = Place::new();
    let mut capture = place.capture(2000, 51_200);
    let line = format!("{}\n", "x".repeat(99));
    let chunk = line.repeat(600);
    for _ in 0..200 {
        capture.push(chunk.as_bytes());
        assert!(capture.tail.text.len() < 1024 * 1024 && capture.live.text.len() < 1024 * 1024);
    }
    let (captured, _) = capture.finish();
    assert_eq!(captured.text.lines().count(), 512);
    assert_eq!(captured.first_line, 120_000 - 512 + 1);
    assert!(
        captured
            .note
            .unwrap()
            .starts_with("… 119488 more lines truncated …")
    );
    assert_eq!(fs::metadata(captured.path.unwrap()).unwrap().len(), 12_000_000);
}

#[test]
fn one_long_line_is_cut_in_bytes() {
    let place = Place::new();
    let mut capture = place.capture(2000, 1000);
    for _ in 0..2000 {
        capture.push("世".repeat(1000).as_bytes());
    }
    let (captured, _) = capture.finish();
    assert_eq!(captured.text, "世".repeat(333));
    let left_out = 6_000_000 - 999;
    let start = format!("… {left_out} more bytes truncated …");
    assert!(captured.note.unwrap().starts_with(&start));
}

#[test]
fn a_file_that_cannot_be_written_is_said_and_nothing_else_is_lost() {
    let place = Place::new();
    fs::write(place.dir.path().join("tool-output"), "in the way").unwrap();
    let mut capture = place.capture(1, 1000);
    capture.push(b"one\ntwo\n");
    let (captured, _) = capture.finish();
    assert_eq!((captured.text.as_str(), captured.path), ("two", None));
    let note = captured.note.unwrap();
    assert!(note.contains("\nFull output: (could not be kept: "), "{note}");
}

#[test]
fn without_limits_there_is_still_one_in_memory() {
    let place = Place::new();
    let mut capture = place.capture(0, 0);
    for _ in 0..10 {
        capture.push("y\n".repeat(500_000).as_bytes());
    }
    let (captured, _) = capture.finish();
    assert!(captured.text.len() <= MOST_TEXT, "{}", captured.text.len());
    assert!(captured.path.is_some());
}

#[test]
fn the_unfinished_line_is_shown_as_it_looks() {
    let place = Place::new();
    let mut capture = place.capture(10, 1000);
    capture.push(b"done\nPassword: ");
    let shown = capture.show();
    assert_eq!(
        (shown.delta.as_str(), shown.pending.as_str()),
        ("done\n", "Password: ")
    );
    assert_eq!(shown.lines, 1);
    assert_eq!(capture.show().delta, "");
    capture.push(b"secret\nlast");
    assert_eq!(capture.show().lines, 2);
    assert_eq!(capture.finish().1.lines, 3);
}

#[test]
fn all_lines_are_counted_though_few_are_shown() {
    let place = Place::new();
    let mut capture = place.capture(2000, 51_200);
    let lines: Vec<_> = (1..=40_000).map(|line| format!("line {line}\n")).collect();
    let chunk = lines.concat();
    capture.push(chunk.as_bytes());
    let shown = capture.show();
    assert_eq!(shown.lines, 40_000);
    assert!(shown.delta.starts_with("… ") && shown.delta.len() < chunk.len());
    let whole = after_gap(&shown.delta);
    assert!(whole.starts_with("line ") && whole.ends_with("line 40000\n"));
}

/// Each run as `line:start-end:ink`.
fn told(runs: &[LineRun]) -> String {
    let told = runs
        .iter()
        .map(|run| format!("{}:{}-{}:{}", run.line, run.start, run.end, run.sgr));
    told.collect::<Vec<_>>().join(" ")
}

#[test]
fn colours_stand_beside_the_text_at_their_lines() {
    let place = Place::new();
    let mut capture = place.capture(10, 1000);
    capture.push(b"one\n\x1b[3");
    capture.push(b"1mtwo\x1b[m\n 10%\r\x1b[1m 20%\r");
    let shown = capture.show();
    assert_eq!((&*shown.delta, &*shown.pending), ("one\ntwo\n", " 20%"));
    assert_eq!(told(&shown.runs), "1:0-3:31 2:0-4:1");
    capture.push(b"\x1b[32m100%\x1b[m");
    assert_eq!(told(&capture.show().runs), "1:0-3:31 2:0-4:1;32");
    let (captured, shown) = capture.finish();
    assert_eq!(captured.text, "one\ntwo\n100%");
    assert_eq!((captured.lines, captured.first_line), (3, 1));
    for runs in [captured.runs, shown.runs] {
        assert_eq!(told(&runs), "1:0-3:31 2:0-4:1;32");
    }
}

#[test]
fn plain_output_has_no_colours_to_keep() {
    let place = Place::new();
    let mut capture = place.capture(10, 1000);
    capture.push(b"\x1b[0mone\x1b[m\n\x1b]0;t\x07two\rx");
    assert_eq!(capture.show().runs, []);
    assert_eq!(capture.finish().0.runs, []);
}

#[test]
fn colours_of_what_was_cut_go_with_it() {
    let place = Place::new();
    let mut capture = place.capture(2, 1000);
    capture.push("\x1b[31mone\n".repeat(5).as_bytes());
    let (captured, _) = capture.finish();
    assert_eq!((&*captured.text, captured.first_line), ("one\none", 4));
    assert_eq!(told(&captured.runs), "3:0-3:31 4:0-3:31");
    let mut capture = place.capture(2, 10);
    capture.push(b"\x1b[31ma long line\x1b[m and its end");
    let (captured, _) = capture.finish();
    assert_eq!((&*captured.text, captured.runs.len()), ("nd its end", 0));
    let mut capture = place.capture(2, 5000);
    capture.push(format!("{}\x1b[31mred\x1b[mx", "-".repeat(3000)).as_bytes());
    let shown = capture.show();
    assert_eq!(shown.pending.len(), MOST_PENDING);
    assert_eq!(told(&shown.runs), "0:1020-1023:31");
}

#[test]
fn a_colour_for_each_byte_stays_bounded() {
    let place = Place::new();
    let mut capture = place.capture(2000, 51_200);
    let line = "\x1b[31mx\x1b[32my".repeat(100) + "\n";
    for _ in 0..1000 {
        capture.push(line.as_bytes());
    }
    assert!(capture.show().runs.len() <= 2048);
    let (captured, _) = capture.finish();
    assert_eq!(captured.lines, 1000);
    assert_eq!(captured.runs.len(), 2048);
    assert!(serde_json::to_string(&captured.runs).unwrap().len() < 64 * 1024);
    // Nor does a line without end.
    let mut capture = place.capture(2000, 51_200);
    for _ in 0..100 {
        capture.push("\x1b[31mx\x1b[32my".repeat(20_000).as_bytes());
        capture.push(b"");
    }
    assert!(capture.show().runs.is_empty() && capture.finish().0.runs.is_empty());
}

proptest! {
    #[test]
    fn how_the_bytes_are_cut_into_pieces_makes_no_difference(
        bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(0x1b_u8), any::<u8>()], 0..200),
        piece in 1_usize..20,
    ) {
        let place = Place::new();
        let mut whole = place.capture(3, 40);
        whole.push(&bytes);
        let (whole, _) = whole.finish();
        let mut pieces = place.capture(3, 40);
        for piece in bytes.chunks(piece) {
            pieces.push(piece);
        }
        let (pieces, _) = pieces.finish();
        prop_assert_eq!(&whole.text, &pieces.text);
        prop_assert_eq!(whole.note, pieces.note);
        prop_assert_eq!(whole.lines, pieces.lines);
        prop_assert_eq!(whole.runs, pieces.runs);
    }
}
